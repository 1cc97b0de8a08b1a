"""Make data/tasks/entailment.jsonl: pairs of sentences whose label follows by rule.

    python -m tools.data.entailment [--out FILE]

Synthetic, in the manner of SICK, HANS and MoNLI: no free entailment set fits into this
course. A rule draws words and writes a handful of sentences about the same small
world; each sentence is true in some states of that world and false in others. Whether
one entails another is then counted, not believed: it does if it is true nowhere where
the other is false. Every hypothesis stands with three premises, one per label, so
that alone it says nothing. Some words and one rule are kept for the test. The same bytes
each time.
"""

import itertools
import random
from collections import defaultdict
from functools import partial

from tools.data.write_set import write_set

LABELS = ("entailment", "contradiction", "neutral")
# wider class > class > words; the words of KEPT are met in the test only
KINDS = {
    "plant": {"flower": "rose lily violet daisy", "tree": "oak elm willow pine"},
    "animal": {"bird": "swan raven sparrow hawk", "beast": "wolf bear lion fox"},
    "weapon": {"blade": "sword dagger knife axe", "gun": "pistol musket rifle cannon"},
    "building": {"house": "cottage palace villa castle", "shop": "bakery tavern inn"},
    "garment": {"coat": "cloak jacket cape", "hat": "bonnet cap helmet"},
}
KEPT = {"daisy", "pine", "hawk", "fox", "axe", "cannon", "castle", "inn", "cape",
        "helmet"}  # fmt: skip
PEOPLE = ("sailor soldier doctor servant merchant painter butcher shepherd priest lady "
          "teacher prince hunter farmer").split()  # fmt: skip
NEW_PEOPLE = ["miller", "baron", "nurse"]
DEEDS = ["bought buy", "saw see", "found find", "sold sell", "chose choose",
         "drew draw", "owned own", "admired admire"]  # fmt: skip
NEW_DEEDS = ["wanted want", "lost lose"]
ACTS = ["slept sleep", "sang sing", "laughed laugh", "wept weep", "danced dance",
        "prayed pray", "walked walk", "worked work", "talked talk",
        "knelt kneel"]  # fmt: skip
NEW_ACTS = ["smiled smile", "waited wait", "sat sit"]
MEETINGS = ["followed follow", "blamed blame", "helped help", "watched watch",
            "warned warn", "loved love", "praised praise",
            "despised despise"]  # fmt: skip
NEW_MEETINGS = ["thanked thank", "hated hate"]
LOOKS = ["small", "old", "white", "fine", "strange"]
AGES = ["", "old ", "young ", "poor ", "rich "]
SMALL_WORDS = {"the", "a", "an", "did", "not", "was"}
PLACES = ["in the village", "by the river", "near the church", "on the hill"]


def a(noun: str) -> str:
    """The noun with its article."""
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


class Draw:
    """Draws words: those of the training set, or with `new` those kept for the test."""

    def __init__(self, rng: random.Random, new: bool):
        self.rng, self.new = rng, new

    def one(self, known: list[str], kept: list[str]) -> list[str]:
        return self.rng.choice(kept if self.new else known).split()

    def people(self, n: int) -> list[str]:
        names = self.rng.sample(PEOPLE, n)
        if self.new:
            names[self.rng.randrange(n)] = self.rng.choice(NEW_PEOPLE)
        return names

    def things(self) -> tuple[str, str, str, str]:
        """(word, another, class, wider class): rose, lily, flower, plant."""
        chains = [(word, other, middle, high) for high, classes in KINDS.items()
                  for middle, words in classes.items()
                  for word, other in itertools.permutations(words.split(), 2)
                  if (word in KEPT) == self.new
                  and (self.new or other not in KEPT)]  # fmt: skip
        return self.rng.choice(chains)


# Each rule returns its sentences: name -> (text, the states in which it is true).


def states(*atoms: str) -> list[frozenset]:
    """All combinations of the atoms that can be true together."""
    sizes = range(len(atoms) + 1)
    return [frozenset(c) for n in sizes for c in itertools.combinations(atoms, n)]


def where(worlds: list, holds) -> frozenset:
    """The states of the world in which `holds` is true."""
    return frozenset(w for w in worlds if holds(w))


def kind_of_thing(draw: Draw) -> dict:
    """Whoever buys a rose buys a flower; under "not" the arrow turns round."""
    low, other, middle, high = draw.things()
    (who,), (did, do) = draw.people(1), draw.one(DEEDS, NEW_DEEDS)
    look = draw.rng.choice(LOOKS)
    meant = {f"{look} {low}": {"special"}, low: {"special", "low"}, other: {"other"},
             middle: {"special", "low", "other", "middle"},
             high: {"special", "low", "other", "middle", "high"}}  # fmt: skip
    worlds, said = states("special", "low", "other", "middle", "high"), {}
    for noun, atoms in meant.items():
        name = {low: "low", other: "other", middle: "middle", high: "high"}.get(noun, "look")
        said[name] = (f"the {who} {did} {a(noun)}.", where(worlds, lambda w, x=atoms: w & x))
        said[f"no {name}"] = (f"the {who} did not {do} {a(noun)}.",
                              where(worlds, lambda w, x=atoms: not w & x))  # fmt: skip
    return said


def how_many(draw: Draw) -> dict:
    """All, some, none, and where. There is at least one of them."""
    who = f"{draw.rng.choice(AGES)}{draw.people(1)[0]}s".replace("ladys", "ladies")
    did, do = draw.one(ACTS, NEW_ACTS)
    place, said = draw.rng.choice(PLACES), {}
    worlds = [w for w in states("here", "there", "not") if w]  # what some of them did
    for suffix, text, yes in (("", "", {"here", "there"}), (" here", f" {place}", {"here"})):
        said["all" + suffix] = (f"all the {who} {did}{text}.",
                                where(worlds, lambda w, y=yes: w <= y))  # fmt: skip
        said["some" + suffix] = (f"some of the {who} {did}{text}.",
                                 where(worlds, lambda w, y=yes: w & y))  # fmt: skip
        said["none" + suffix] = (f"none of the {who} {did}{text}.",
                                 where(worlds, lambda w, y=yes: not w & y))  # fmt: skip
        said["some not" + suffix] = (f"some of the {who} did not {do}{text}.",
                                     where(worlds, lambda w, y=yes: w - y))  # fmt: skip
    return said


def both_and(draw: Draw) -> dict:
    """And, or, not."""
    who = draw.rng.choice(AGES) + draw.people(1)[0]
    acts = draw.rng.sample(ACTS, 3)
    if draw.new:
        acts[draw.rng.randrange(3)] = draw.rng.choice(NEW_ACTS)
    worlds, said = states(*acts), {}

    def say(name: str, text: str, holds) -> None:
        said[name] = f"the {who} {text}.", where(worlds, holds)

    for i, act in enumerate(acts):
        did, do = act.split()
        say(f"yes {i}", did, lambda w, x=act: x in w)
        say(f"no {i}", f"did not {do}", lambda w, x=act: x not in w)
    for i, j in itertools.permutations(range(3), 2):
        two = {acts[i], acts[j]}
        (did, do), (also, other) = acts[i].split(), acts[j].split()
        say(f"and {i}{j}", f"{did} and {also}", lambda w, x=two: w >= x)
        say(f"or {i}{j}", f"{did} or {also}", lambda w, x=two: w & x)
        say(f"nor {i}{j}", f"did not {do} and did not {other}",
            lambda w, x=two: not w & x)  # fmt: skip
    return said


def who_does_it(draw: Draw) -> dict:
    """Active and passive, and the two persons exchanged."""
    one, two = draw.people(2)
    did, do = draw.one(MEETINGS, NEW_MEETINGS)
    worlds, said = states("forth", "back"), {}
    for way, x, y in (("forth", one, two), ("back", two, one)):
        true = where(worlds, lambda w, k=way: k in w)
        said[f"{way} active"] = f"the {x} {did} the {y}.", true
        said[f"{way} passive"] = f"the {y} was {did} by the {x}.", true
        false = frozenset(worlds) - true
        said[f"not {way} active"] = f"the {x} did not {do} the {y}.", false
        said[f"not {way} passive"] = f"the {y} was not {did} by the {x}.", false
    return said


def where_it_was(draw: Draw) -> dict:
    """A place dropped or added, together with the kind of thing. Kept for the test."""
    low, _, middle, _ = draw.things()
    (who,), (did, do) = draw.people(1), draw.one(DEEDS, NEW_DEEDS)
    place = draw.rng.choice(PLACES)
    worlds, said = states("low here", "low there", "middle here", "middle there"), {}
    for noun, here in itertools.product((low, middle), (False, True)):
        atoms = {f"{kind} {spot}" for kind in ("low", "middle")[: 1 + (noun == middle)]
                 for spot in ("here", "there")[: 2 - here]}  # fmt: skip
        name, end = (
            f"{'low' if noun == low else 'middle'}{' here' * here}",
            f" {place}" * here,
        )
        said[name] = (
            f"the {who} {did} {a(noun)}{end}.",
            where(worlds, lambda w, x=atoms: w & x),
        )
        said[f"no {name}"] = (f"the {who} did not {do} {a(noun)}{end}.",
                              where(worlds, lambda w, x=atoms: not w & x))  # fmt: skip
    return said


TRAINED = (kind_of_thing, how_many, both_and, who_does_it)
SPLITS = {  # name -> (hypotheses per rule, rules, words kept for the test?)
    "train": (400, TRAINED, False),
    "valid": (50, TRAINED, False),
    "test": (50, TRAINED, False),
    "test, new words": (50, TRAINED, True),
    "test, new rule": (100, (where_it_was,), False),
}


# ---- from sentences to labeled pairs -------------------------------------------


def relation(premise: frozenset, hypothesis: frozenset) -> str:
    """The label of two sentences, given the states in which each is true."""
    if premise <= hypothesis:
        return "entailment"
    return "neutral" if premise & hypothesis else "contradiction"


def overlap(a: str, b: str) -> tuple:
    """What a counter of words sees: the share in common, and which sentence is longer.

    Words are compared by three letters, so that "sold" and "sell" differ, "own" and
    "owned" do not; small words are left out.
    """
    one, two = ({w.strip(".")[:3] for w in x.split()} - SMALL_WORDS for x in (a, b))
    longer = (len(one) > len(two)) - (len(one) < len(two))
    return round(5 * len(one & two) / len(one | two)), longer


def pair_weights(said: dict, rounds: int = 300) -> dict:
    """How often to use each pair: hypothesis -> label -> premise -> weight.

    Fitted in turns, so that each hypothesis has its labels equally often, and as far as
    logic allows also each premise and each overlap of words: what a reader of one
    sentence or a counter of words sees gives no label away.
    """
    weight = {}
    for p, h in itertools.permutations(said, 2):
        seen = overlap(said[p][0], said[h][0])
        weight[p, h, seen, relation(said[p][1], said[h][1])] = 1.0
    labels = {(h, label) for _, h, _, label in weight}
    full = {h for h in said if sum(k == h for k, _ in labels) == 3}
    weight = {pair: x for pair, x in weight.items() if pair[1] in full}
    for _ in range(rounds):
        for place in (0, 2, 1):  # premise, overlap, and last, exactly, hypothesis
            weight = evened(weight, place)
    table = {}
    for (premise, hypothesis, _, label), x in weight.items():
        table.setdefault(hypothesis, {}).setdefault(label, {})[premise] = x
    return table


def evened(weight: dict, place: int) -> dict:
    """The weights scaled so that what stands at `place` has each label as often."""
    sums = defaultdict(float)
    for pair, x in weight.items():
        sums[pair[place], pair[3]] += x
        sums[pair[place]] += x / len(LABELS)
    return {pair: max(x * sums[pair[place]] / sums[pair[place], pair[3]], 1e-6)
            for pair, x in weight.items()}  # fmt: skip


def weighted(rng: random.Random, weights: dict) -> str:
    """One of the keys, as likely as its weight."""
    return rng.choices(list(weights), list(weights.values()))[0]


def make(seed: int = 0) -> list[dict]:
    """All rows, three per hypothesis; no pair of sentences twice, in whichever order."""
    rng, rows, seen, tables = random.Random(seed), [], set(), {}
    for split, (n, rules, new) in SPLITS.items():
        for rule, _ in itertools.product(rules, range(n)):
            while True:
                said = rule(Draw(rng, new))
                if rule not in tables:  # the logic is the same whatever the words
                    tables[rule] = pair_weights(said)
                table = tables[rule]
                hypothesis = rng.choice(sorted(table))
                chosen = [weighted(rng, table[hypothesis][x]) for x in LABELS]
                text = said[hypothesis][0]
                pairs = {frozenset((said[p][0], text)) for p in chosen}
                if not pairs & seen:
                    break
            seen |= pairs
            rows += [{"premise": said[p][0], "hypothesis": text, "label": label,
                      "rule": rule.__name__, "split": split}
                     for p, label in zip(chosen, LABELS, strict=True)]  # fmt: skip
    return rows


main = partial(write_set, "entailment", make, __doc__)

if __name__ == "__main__":
    main()
