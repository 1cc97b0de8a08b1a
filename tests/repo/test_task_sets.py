"""The sets that our own scripts make: the same bytes again, and no way around reading."""

import math
from collections import Counter

import pytest

from gpt1course.paper.word_baselines import OVERLAP, PAIRS, all_guesses
from gpt1lib import corpus, metrics, tasks
from gpt1lib.baselines import bag_of_words
from gpt1lib.io import files
from gpt1lib.io.paths import DATA, HELDOUT_BOOKS, RESULTS, TASKS
from gpt1lib.tasks import course_sets
from tools.data import (
    acceptability,
    entailment,
    he_or_she,
    missing_word,
    past_or_present,
    question_or_statement,
    simple_baselines,
    story_cloze,
)
from tools.data.question_or_statement import plain
from tools.kneser_ney import KneserNey

MAKERS = [
    acceptability,
    entailment,
    he_or_she,
    missing_word,
    past_or_present,
    question_or_statement,
    story_cloze,
]
ANY_SIZE = [acceptability, missing_word, question_or_statement]


def name_of(maker):
    """Of its set and its file."""
    return maker.__name__.rpartition(".")[2]


@pytest.mark.slow
@pytest.mark.parametrize("maker", MAKERS, ids=name_of)
def test_made_again_byte_for_byte(maker, tmp_path):
    out = tmp_path / "rows.jsonl"
    maker.main(["--out", str(out)])
    assert out.read_bytes() == (TASKS / f"{name_of(maker)}.jsonl").read_bytes()


# ---- entailment ------------------------------------------------------------------


def test_labels_by_counting_states():
    """The rules' sentences against truths that anybody can check."""
    said = entailment.both_and(entailment.Draw(entailment.random.Random(1), False))

    def label(premise, hypothesis):
        return entailment.relation(said[premise][1], said[hypothesis][1])

    assert label("and 01", "yes 0") == label("yes 0", "or 01") == "entailment"
    assert label("yes 0", "and 01") == label("or 01", "yes 0") == "neutral"
    assert label("nor 01", "or 10") == label("no 2", "and 20") == "contradiction"
    said = entailment.how_many(entailment.Draw(entailment.random.Random(1), False))
    assert label("all", "some") == label("none", "none here") == "entailment"
    assert label("all here", "all") == label("some here", "some") == "entailment"
    assert label("all", "some not") == label("some not", "all") == "contradiction"
    assert label("some", "all") == label("none here", "none") == "neutral"
    said = entailment.kind_of_thing(entailment.Draw(entailment.random.Random(1), False))
    assert label("low", "middle") == label("no high", "no low") == "entailment"
    assert label("middle", "low") == label("no low", "no high") == "neutral"
    assert label("look", "no middle") == "contradiction" and label("low", "other") == "neutral"
    said = entailment.who_does_it(entailment.Draw(entailment.random.Random(1), False))
    assert label("forth active", "forth passive") == "entailment"
    assert label("forth active", "back active") == "neutral"


@pytest.fixture(scope="module")
def rows():
    return tasks.read_lines(TASKS / "entailment.jsonl", ("premise", "hypothesis"))


def test_each_hypothesis_has_all_labels_within_its_split(rows):
    labels = Counter((r["hypothesis"], r["split"], r["label"]) for r in rows)
    for (hypothesis, split, _), n in labels.items():
        assert all(labels[hypothesis, split, x] == n for x in entailment.LABELS)


def test_no_pair_twice_and_new_words_are_new(rows):
    pairs = Counter(frozenset((r["premise"], r["hypothesis"])) for r in rows)
    assert max(pairs.values()) == 1
    words = {}
    for r in rows:
        pair = f"{r['premise']} {r['hypothesis']}".replace(".", "")
        words.setdefault((r["split"], r["hypothesis"]), set()).update(pair.split())
    known = set().union(*(w for (s, _), w in words.items() if s != "test, new words"))
    assert not entailment.KEPT & known
    assert all(w - known for (s, _), w in words.items() if s == "test, new words")
    rules = {}
    for r in rows:
        rules.setdefault(r["split"], set()).add(r["rule"])
    assert rules["test, new rule"] == {"where_it_was"} and "where_it_was" not in rules["train"]


@pytest.mark.slow
def test_simple_baselines_stay_near_chance():
    """A third by guessing. Word overlap sees negations, which lower it."""
    task = tasks.load("entailment")
    found = {
        k: metrics.accuracy(v, [e.label for e in task.test])["accuracy"]
        for k, v in all_guesses(task).items()
    }
    assert found["second text alone"] == pytest.approx(1 / 3, abs=1e-4)
    assert found["first text alone"] < 0.45 and found["bag of words"] < 0.45
    assert found["word overlap"] < 0.5


# ---- story cloze -----------------------------------------------------------------


def test_stories_follow_the_rules():
    rows = tasks.read_lines(TASKS / "story_cloze.jsonl", ("story", "choices", "book"))
    endings = {}
    for row in rows:
        n = [len(c.split()) for c in row["choices"]]
        assert abs(n[0] - n[1]) <= 3 and 6 <= min(n) and max(n) <= 30
        assert 25 <= len(row["story"].split()) <= 110
        assert len({'"' in c for c in row["choices"]}) == 1
        for choice in row["choices"]:
            endings.setdefault((choice, row["book"]), set()).add(row["split"])
    assert all(len(splits) == 1 for splits in endings.values())
    assert 0.45 < sum(r["label"] for r in rows) / len(rows) < 0.55


def test_endings_alone_say_little():
    task = tasks.load("story_cloze")
    guesses = bag_of_words.guesses(task, side=1)
    low, high = metrics.accuracy(guesses, [e.label for e in task.test])["interval"]
    assert low < 0.5 < high


def test_sentences_are_cut_at_full_stops():
    text = 'He met Mr. Hale. "No," she said. "Why? I do not know."\n\nCHAPTER II\n\nIt rained.'
    assert story_cloze.sentences(text) == [
        ["He met Mr. Hale.", '"No," she said.', '"Why?', 'I do not know."'],
        ["It rained."],
    ]


# ---- acceptability and schemas ---------------------------------------------------


def test_broken_sentences_are_those_of_the_books():
    rows = tasks.read_lines(TASKS / "acceptability.jsonl", ("text", "label", "broken"))
    assert all(bool(r["broken"]) != bool(r["label"]) for r in rows)
    for split in ("train", "valid", "test"):
        labels = [r["label"] for r in rows if r["split"] == split]
        assert sum(labels) * 2 == len(labels)
    rng, words = (acceptability.random.Random(0), "He was in the house with them".split())
    assert acceptability.exchanged(words, rng) != words
    assert len(acceptability.without_a_small_word(words, rng)) == len(words) - 1
    assert acceptability.in_another_form(["He", "ran"], rng) is None


def test_words_alone_do_not_find_broken_sentences():
    task = tasks.load("acceptability")
    guesses = bag_of_words.guesses(task)
    assert metrics.accuracy(guesses, [e.label for e in task.test])["accuracy"] < 0.7


def test_schemas_come_in_twins():
    rows = tasks.read_lines(TASKS / "schemas.jsonl", ("text", "choices", "label", "twin"))
    assert len(rows) == 60 and all(r["text"].count("_") == 1 for r in rows)
    for one, two in zip(rows[::2], rows[1::2], strict=True):
        assert one["choices"] == two["choices"] and {one["label"], two["label"]} == {0, 1}
        assert one["text"].split("_")[0] == two["text"].split("_")[0]


# ---- question or statement, and the missing word ---------------------------------


def lines(name, *fields):
    return tasks.read_lines(TASKS / f"{name}.jsonl", (*fields, "label", "split"))


def sentence(row):
    """The sentence of a row with a missing word, behind its context."""
    return row["context"] + " " + row["words"][row["label"]] + row["rest"]


def test_questions_have_statements_of_their_size():
    """In each book and split as many of each length, of each number of commas."""
    rows, sizes = lines("question_or_statement", "text", "book"), Counter()
    for r in rows:
        assert 4 <= len(r["text"].split()) <= 18 and r["text"][-1] not in ".?!"
        commas = len(question_or_statement.re.findall("[,;]", r["text"]))
        sizes[r["book"], r["split"], len(r["text"].split()), commas] += 2 * r["label"] - 1
    assert not any(sizes.values())
    assert max(Counter(r["text"].lower() for r in rows).values()) == 1


@pytest.mark.slow
def test_heldout_rows_are_from_heldout_books():
    heldout = corpus.read_books(HELDOUT_BOOKS)
    for r in lines("question_or_statement", "text", "book"):
        assert (r["book"] in heldout) == (r["split"] != "train")
    text = " ".join(" ".join(heldout.values()).split())
    for r in lines("missing_word", "context", "words", "rest"):
        assert (sentence(r) in text) == (r["split"] != "train")


def test_missing_words_come_from_five_groups_equally_often():
    """One word per group is offered, and each group is wanted as often as the others."""
    rows, wanted = lines("missing_word", "context", "words", "rest", "class"), Counter()
    for r in rows:
        groups = [missing_word.GROUP_OF[w] for w in r["words"]]
        assert sorted(groups) == [(r["class"], i) for i in range(5)]
        wanted[r["split"], groups[r["label"]]] += 1
    assert {x: {n for (s, _), n in wanted.items() if s == x} for x in missing_word.SIZES} == {
        x: {n // 20} for x, n in missing_word.SIZES.items()
    }
    assert max(Counter(sentence(r) for r in rows).values()) == 1
    places = Counter(r["label"] for r in rows)
    assert max(places.values()) < 1.2 * min(places.values())


def test_the_words_alone_say_nothing():
    task = tasks.load("missing_word")
    first = [[c.split()[0].strip(",;") for c in e.texts[1:]] for e in task.test]
    often = Counter(e.texts[1 + int(e.label)].split()[0].strip(",;") for e in task.train)
    guesses = [max(range(5), key=lambda i, f=f: often[f[i]]) for f in first]
    assert metrics.accuracy(guesses, [e.label for e in task.test])["accuracy"] < 0.26


def test_the_readme_shows_the_stored_scores():
    stored = files.read_json(RESULTS / "simple_baselines.json")["sets"]
    readme = files.read_text(DATA / "README.md")
    for name, readers in stored.items():
        for reader, score in readers.items():
            low, high = score["interval"]
            row = f"| {name} | {reader} | {score['accuracy']:.3f} ({low:.3f}-{high:.3f}) |"
            assert row in readme
    for reader, score in simple_baselines.question_or_statement().items():  # from the rows on
        again = stored["question_or_statement"][reader]["accuracy"]
        assert score["accuracy"] == pytest.approx(again, abs=0.01)
    assert stored["missing_word"]["novelist, zero-shot"]["interval"][0] > 0.7


@pytest.mark.slow
@pytest.mark.parametrize("maker", ANY_SIZE, ids=name_of)
def test_more_training_rows_and_nothing_heldout(maker, tmp_path, capsys):
    out, name = tmp_path / "rows.jsonl", name_of(maker)
    maker.main(["--train", "4400", "--out", str(out)])
    more, shipped = (getattr(course_sets, name)(p) for p in (out, TASKS / f"{name}.jsonl"))
    assert (more.valid, more.test) == (shipped.valid, shipped.test)
    assert 4390 < len(more.train) <= 4400
    with pytest.raises(SystemExit, match="2"):
        maker.main(["--train", "4400"])
    assert "name another file: --out FILE" in capsys.readouterr().err


# ---- he or she, past or present --------------------------------------------------


@pytest.mark.slow
def test_he_or_she_goes_by_the_sex_of_the_first_part():
    """Each label comes as often with he as with she, after either sex."""
    rows, kinds = lines("he_or_she", "first", "second"), Counter()
    text = " ".join(" ".join(corpus.read_books(HELDOUT_BOOKS).values()).split())
    for r in rows:
        first, second = ([he_or_she.bare(w) for w in r[k].split()] for k in ("first", "second"))
        told = he_or_she.sexes(first)
        assert len(told) == 1 and (told == he_or_she.sexes(second)) == r["label"]
        pronouns = (he_or_she.SHE | he_or_she.HE) & {*second}
        assert second[0] in pronouns and not pronouns & {*first}
        heldout = r["first"] in text or "," in r["first"]  # it may have been a dash
        assert heldout or r["split"] != "test"
        kinds[r["split"], *told, r["label"]] += 1
    for split, n in he_or_she.SIZES.items():
        assert {kinds[split, sex, label] for sex in "fm" for label in (0, 1)} == {n // 4}


def test_pronouns_are_exchanged_for_their_own_kind():
    def turned(text):
        return " ".join(he_or_she.exchanged(text.split()))

    assert turned("He told his aunt that") == "She told her aunt that"
    assert turned("her hand was with her, in her") == "his hand was with him, in him"
    assert turned("she saw her at herself quietly") == "he saw him at himself quietly"


@pytest.mark.slow
def test_past_or_present_goes_by_the_verbs():
    """Each sentence once with each label; no common word, no length, no voice tells."""
    told = [v for t in corpus.read_books(HELDOUT_BOOKS).values() for v in plain(t)]
    spoken = {sentence: aloud for aloud, sentence in told}
    used, voices = Counter(), Counter()
    for r in lines("past_or_present", "a", "b"):
        times = [past_or_present.time_of(r[k]) for k in ("a", "b")]
        one, two = (past_or_present.words(r[k]) for k in ("a", "b"))
        assert len(r["a"].split()) == len(r["b"].split()) and not {*one} & {*two}
        assert None not in times and (times[0] == times[1]) == r["label"]
        used.update((k, r[k], r["label"]) for k in ("a", "b"))
        if r["split"] == "test":
            voices[r["label"], spoken[r["a"]] == spoken[r["b"]]] += 1
    assert {*used.values()} == {1} and len(used) == 2 * len({s for _, s, _ in used})
    assert {*voices.values()} == {past_or_present.SIZES["test"] // 4}


def test_pairs_of_words_relate_two_texts():
    """What neither text says alone, the two agree or not, pairs say."""
    assert sorted(PAIRS(("Mrs. A", "he, a"))) == ["a a", "a he", "a mrs", "he mrs"]
    people = [(m, p) for m in ("mr", "mrs") for p in ("he", "she")] * 10
    labels = [int((m == "mrs") == (p == "she")) for m, p in people]
    examples = [tasks.Example(pair, y) for pair, y in zip(people, labels, strict=True)]
    task = tasks.Task("two", "entailment", 2, examples, [], examples)
    assert bag_of_words.guesses(task, PAIRS) == labels
    assert bag_of_words.guesses(task) != labels


@pytest.mark.slow
@pytest.mark.parametrize("name", ["he_or_she", "past_or_present"])
def test_simple_baselines_cannot_relate_two_parts(name):
    task = tasks.load(name)
    for guesses in all_guesses(task).values():
        low, _ = metrics.accuracy(guesses, [e.label for e in task.test])["interval"]
        assert low < 0.52


# ---- the baselines themselves ------------------------------------------------------


def test_baselines_find_what_is_there():
    """A set whose second text gives the label away is found out."""
    examples = [
        tasks.Example((f"a {i % 7}", "good film" if i % 2 else "bad film"), i % 2)
        for i in range(60)
    ]
    task = tasks.Task("leaky", "similarity", 2, examples, [], examples)
    found = all_guesses(task)
    labels = [e.label for e in examples]
    assert found["second text alone"] == labels == found["bag of words"]
    assert metrics.accuracy(found["first text alone"], labels)["accuracy"] < 0.7


def test_words_are_weighted_by_rarity():
    """Of three texts, "good" stands in three, "film" and "day" in two, "old" in one."""
    reader = bag_of_words.WORDS.vectorizer()
    texts = [("good film day",), ("film good",), ("day good old",)]
    matrix = reader.fit_transform(texts).toarray()
    assert list(reader.get_feature_names_out()) == ["0 day", "0 film", "0 good"]
    rare, common = math.log(3 / 2) + 1, 1
    size = math.sqrt(2 * rare**2 + common**2)
    assert matrix[0] == pytest.approx([rare / size, rare / size, common / size])


def test_overlap_by_hand():
    """Three of four words shared; the second text has three."""
    row = OVERLAP(("a b c d", "b c a"))
    assert row == pytest.approx([3 / 4, 1, 0.1, 0])
    assert OVERLAP(("so it is", "is it so")) == [1, 1, 0, 1]


@pytest.mark.parametrize("n_choices", [2, 3, 4])
def test_a_choice_is_learned_from_pairs(n_choices):
    """The right choice names the story's animal, and stands anywhere."""

    def question(i):
        animals = ["cat", "dog", "owl", "fox"]
        right, others = animals[i % 4], [a for a in animals if a != animals[i % 4]]
        choices = [f"the {a} slept" for a in others[: n_choices - 1]]
        label = (i // 4) % n_choices
        choices.insert(label, f"the {right} slept")
        return tasks.Example((f"a {right} came", *choices), label)

    examples = [question(i) for i in range(48)]
    task = tasks.Task("animals", "choice", n_choices, examples, [], examples)
    labels = [e.label for e in examples]
    assert bag_of_words.guesses(task, OVERLAP) == labels


def test_graded_tasks_have_no_such_baseline():
    task = tasks.Task("g", "similarity", 6, [], [], [], graded=True)
    with pytest.raises(ValueError, match="g has grades"):
        all_guesses(task)


def test_the_likeliest_word_fits_both_neighbors():
    """After 1 comes 2 or 3, twice 3; before 4 stands only 2. Far words change nothing."""
    stream = [1, 3, 5, 1, 3, 5, 1, 2, 4, 6]
    bigrams = KneserNey(2, 8).fit(stream)
    assert simple_baselines.likeliest(bigrams, [5, 1], [[3], [2]]) == 0
    for before in ([1], [6, 1], [0, 7, 1]):
        assert simple_baselines.likeliest(bigrams, before, [[3, 4, 0], [2, 4, 0]]) == 1
    assert simple_baselines.likeliest(bigrams, [], [[2, 4], [3, 4]]) == 0
