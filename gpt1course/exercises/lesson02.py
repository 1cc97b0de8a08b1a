"""Lesson 02, Bytes, words, BPE."""

from collections import Counter
from itertools import pairwise, product

import gpt1lib as g
from gpt1lib.bpe import characters

from ..checking.exercise import Checker, exercise
from ..checking.number_exercise import number_exercise


def _spelled(*words):
    return [characters(word) for word in words]


@exercise(
    "Count neighbors",
    difficulty=2,
    importance=4,
    minutes=8,
    cases=lambda: [
        ([["t", "o</w>"]], [5]),
        (_spelled("low", "lower", "newest", "widest"), [5, 2, 6, 3]),
        (_spelled("banana", "nab", "a"), [3, 4, 9]),
        ([["th", "e</w>"], ["th", "e", "m</w>"], ["e</w>"]], [50, 7, 2]),
        ([["a</w>"], ["a", "t</w>"]], [9, 2]),  # a word of one symbol comes first
        ([["s", "a", "s</w>"], ["a", "s"]], [1, 4]),
        (_spelled("to", "so", "to"), [5, 2, 4]),  # a word twice
    ],
    task=(
        "Count how often each pair of symbols occurs as neighbors inside a word. `words` is a "
        "list of words, each a list of symbols, and `counts` contains how often each word "
        "occurs in the text."
    ),
    hints=(
        "`zip(words, counts)` gives each word with its count, `zip(word, word[1:])` each "
        "symbol with the one after it.",
        "A word that occurs five times adds 5 for each of its pairs. "
        "`pairs.get(pair, 0)` is 0 for a pair that has not come up yet.",
    ),
)
def count_pairs(words, counts):
    """How often each pair of neighbors occurs: a dict, pair (left, right) -> count.

    A word of one symbol has no pair. A word may come twice; both counts add up.
    count_pairs([["t", "o</w>"]], [5]) -> {("t", "o</w>"): 5}
    """
    pairs = {}
    for word, n in zip(words, counts):
        for pair in zip(word, word[1:]):
            pairs[pair] = pairs.get(pair, 0) + n
    return pairs


@count_pairs.wrong("You count a pair twice when it first comes up: pairs.get(pair, 0).")
def twice_at_first(words, counts):
    pairs = {}
    for word, n in zip(words, counts, strict=True):
        for pair in zip(word, word[1:], strict=False):
            pairs[pair] = pairs.get(pair, n) + n
    return pairs


@count_pairs.wrong(
    "You count one pair too many, the last symbol followed by the first: word[i - 1] at i = 0 "
    "is word[-1]."
)
def around_the_end_of_words(words, counts):
    return _count(
        words, counts, lambda word: ((word[i - 1], word[i]) for i in range(len(word)))
    )


def _count(words, counts, of=lambda word: zip(word, word[1:], strict=False)):
    pairs = {}
    for word, n in zip(words, counts, strict=True):
        for pair in of(word):
            pairs[pair] = pairs.get(pair, 0) + n
    return pairs


@count_pairs.wrong("You count each word once. A word that occurs five times adds 5 per pair.")
def the_count_of_the_word_forgotten(words, counts):
    return _count(words, [1] * len(words))


@count_pairs.wrong("You count a pair once per word; in *banana* the pair (a, n) occurs twice.")
def once_per_word(words, counts):
    return _count(words, counts, lambda word: set(zip(word, word[1:], strict=False)))


@count_pairs.wrong(
    "You skip every second pair. Neighbors overlap: l o w has (l, o) and (o, w)."
)
def every_second_pair(words, counts):
    return _count(words, counts, lambda word: zip(word[::2], word[1::2], strict=False))


@count_pairs.wrong("The keys are pairs of symbols, (left, right), not the two joined together.")
def joined_keys(words, counts):
    return _count(
        words, counts, lambda word: [a + b for a, b in zip(word, word[1:], strict=False)]
    )


@count_pairs.wrong(
    "The last count wins: you store the word's count where it must be added to what is there."
)
def stored_not_added(words, counts):
    return {
        pair: n
        for word, n in zip(words, counts, strict=True)
        for pair in zip(word, word[1:], strict=False)
    }


@count_pairs.wrong(
    "You store 1 when a pair comes up first. It is worth the word's count then, too."
)
def one_the_first_time(words, counts):
    pairs = {}
    for word, n in zip(words, counts, strict=True):
        for pair in zip(word, word[1:], strict=False):
            pairs[pair] = pairs[pair] + n if pair in pairs else 1
    return pairs


@count_pairs.wrong(
    "You also pair the end of one word with the beginning of the next. Count inside each word."
)
def pairs_across_words(words, counts):
    symbols = [(symbol, n) for word, n in zip(words, counts, strict=True) for symbol in word]
    pairs = Counter()
    for (left, _), (right, n) in pairwise(symbols):
        pairs[left, right] += n
    return dict(pairs)


@count_pairs.wrong("You count single symbols. Count pairs of neighbors.")
def single_symbols(words, counts):
    return _count(words, counts, lambda word: word)


@count_pairs.wrong("Order matters: (a, n) and (n, a) are two pairs. You sort them into one.")
def order_forgotten(words, counts):
    return _count(
        words,
        counts,
        lambda word: [tuple(sorted(p)) for p in zip(word, word[1:], strict=False)],
    )


@count_pairs.wrong(
    "A word of one symbol has no pair, but the words after it may have some, so use "
    "continue, not break."
)
def stops_at_a_single_symbol(words, counts):
    n = next((n for n, word in enumerate(words) if len(word) < 2), len(words))
    return _count(words[:n], counts[:n])


@count_pairs.wrong(
    "A dict of the words keeps one count for each, and a word may come twice. Go through the "
    "two lists side by side, with zip."
)
def a_dict_of_words(words, counts):
    by_word = dict(zip(map(tuple, words), counts, strict=True))
    return _count(list(by_word), by_word.values())


@count_pairs.wrong(
    "You join the symbols of a word and take it apart into letters again. A symbol may have "
    "several letters, and </w> is a part of one: take the pairs of the list itself."
)
def letters_again(words, counts):
    return _count([list("".join(word)) for word in words], counts)


@count_pairs.wrong("Your pairs are (right, left). The left one comes first.")
def right_symbol_first(words, counts):
    return _count(words, counts, lambda word: zip(word[1:], word, strict=False))


@count_pairs.wrong("Your loop ends after the first word: is the return indented too far?")
def the_first_word_alone(words, counts):
    return _count(words[:1], counts[:1])


@exercise(
    "Merge a pair",
    difficulty=3,
    importance=5,
    minutes=10,
    cases=lambda: [
        (["l", "o", "w</w>"], ("l", "o")),
        (characters("banana"), ("a", "n")),
        (["a", "a", "a", "a", "a</w>"], ("a", "a")),
        (["a", "a", "a", "b</w>"], ("a", "a")),
        (["th", "a", "t</w>"], ("a", "t</w>")),
        (["ba", "t", "a", "t", "b</w>"], ("a", "t")),
        (["n", "a", "n", "a</w>"], ("a", "n")),
        (["a", "n", "d", "a", "n", "t</w>"], ("a", "n")),
        (["c", "a", "t</w>"], ("o", "n")),
        (["i</w>"], ("i", "n")),
        (["ab", "c"], ("a", "bc")),  # joined, they look alike
        (["n", "c", "n", "a</w>"], ("n", "a</w>")),  # the first n has no a after it
        (["s", "a"], ("a", "s")),
    ],
    task=(
        "Join each occurrence of `pair` in a word into one symbol, from left to right. "
        "Return a new list; leave `symbols` as it is."
    ),
    hints=(
        "Walk through the word with a position `i`. If the pair is here, `(symbols[i], "
        "symbols[i + 1])`, add the joined symbol and move on by 2. Otherwise add one symbol "
        "and move on by 1.",
        "The last symbol has no neighbor: look at `i + 1` only if `i + 1 < len(symbols)`. "
        "A slice works there, too: `tuple(symbols[i : i + 2]) == pair`.",
    ),
)
def merge_pair(symbols, pair):
    """The symbols with every `pair` joined, left to right: a new list.

    Both symbols must be equal to those of the pair, not only what they spell together.
    merge_pair(["l", "o", "w</w>"], ("l", "o")) -> ["lo", "w</w>"]
    """
    merged, i = [], 0
    while i < len(symbols):
        if tuple(symbols[i : i + 2]) == pair:
            merged.append(symbols[i] + symbols[i + 1])
            i += 2
        else:
            merged.append(symbols[i])
            i += 1
    return merged


@merge_pair.wrong(
    "You replace within joined text, and so merge across symbol boundaries: the end of "
    "*ba* is not the symbol *a*. Compare whole symbols."
)
def replaced_in_text(symbols, pair):
    return " ".join(symbols).replace(" ".join(pair), "".join(pair)).split(" ")


@merge_pair.wrong("Only the first occurrence is joined; go on to the end of the word.")
def only_the_first_joined(symbols, pair):
    for i in range(len(symbols) - 1):
        if tuple(symbols[i : i + 2]) == pair:
            return [*symbols[:i], "".join(pair), *symbols[i + 2 :]]
    return list(symbols)


@merge_pair.wrong(
    "You go from right to left. It matters where pairs overlap: of three *a* in a row the "
    "first two are joined."
)
def from_the_right(symbols, pair):
    out, i = [], len(symbols) - 1
    while i >= 0:
        found = i > 0 and (symbols[i - 1], symbols[i]) == pair
        out.insert(0, "".join(pair) if found else symbols[i])
        i -= 2 if found else 1
    return out


@merge_pair.wrong(
    "A symbol is used twice: after a merge move on by 2, past the symbol that was joined."
)
def a_symbol_used_twice(symbols, pair):
    out = []
    for i, symbol in enumerate(symbols):
        if tuple(symbols[i : i + 2]) == pair:
            out.append("".join(pair))
        elif not (i and tuple(symbols[i - 1 : i + 1]) == pair):
            out.append(symbol)
    return out


@merge_pair.wrong(
    "The right half stays behind its merged symbol: after a merge move on by 2, not by 1."
)
def right_half_stays(symbols, pair):
    return [
        "".join(pair) if tuple(symbols[i : i + 2]) == pair else symbol
        for i, symbol in enumerate(symbols)
    ]


@merge_pair.wrong("The last symbol is lost: your loop ends one too early.")
def last_symbol_lost(symbols, pair):
    out, i = [], 0
    while i + 1 < len(symbols):
        found = (symbols[i], symbols[i + 1]) == pair
        out.append("".join(pair) if found else symbols[i])
        i += 2 if found else 1
    return out


@merge_pair.wrong(
    "A `for` can't skip, so the right half comes again, and the last symbol is lost. Use "
    "`while`, and advance `i` by 2 after a merge."
)
def i_changed_inside_a_for(symbols, pair):
    return right_half_stays(symbols, pair)[:-1]


@merge_pair.wrong(
    "Nothing is joined. Do you compare a slice with the pair? A list never equals a tuple: "
    "write tuple(symbols[i : i + 2]) == pair."
)
def a_list_against_a_tuple(symbols, pair):
    return list(symbols)


@merge_pair.wrong(
    "You put the pair in, as it is. Join its two symbols into one: symbols[i] + symbols[i + 1]."
)
def the_pair_itself(symbols, pair):
    out, i = [], 0
    while i < len(symbols):
        found = tuple(symbols[i : i + 2]) == pair
        out.append(pair if found else symbols[i])
        i += 2 if found else 1
    return out


@merge_pair.wrong("You join the pair in either order; (a, n) is not (n, a).")
def in_either_order(symbols, pair):
    out, i = [], 0
    while i < len(symbols):
        found = tuple(symbols[i : i + 2]) in (pair, pair[::-1])
        out.append("".join(symbols[i : i + 2]) if found else symbols[i])
        i += 2 if found else 1
    return out


@merge_pair.wrong("That is the word in one string. Return the list of its symbols.")
def one_string(symbols, pair):
    return "".join(merge_pair(symbols, pair))


@merge_pair.wrong(
    "You compare what the two spell together: ab and c spell abc, as a and bc do, and are "
    "another pair."
)
def spelled_alike(symbols, pair):
    merged, i = [], 0
    while i < len(symbols):
        joined = i + 1 < len(symbols) and symbols[i] + symbols[i + 1] == "".join(pair)
        merged.append("".join(pair) if joined else symbols[i])
        i += 2 if joined else 1
    return merged


@merge_pair.wrong(
    "You look for the left symbol, and give up where the right one does not follow. The pair "
    "may come further on: look at each place."
)
def gives_up_at_the_first_left_symbol(symbols, pair):
    merged = list(symbols)
    while pair[0] in merged:
        i = merged.index(pair[0])
        if merged[i + 1 : i + 2] != [pair[1]]:
            break
        merged[i : i + 2] = ["".join(pair)]
    return merged


@exercise(
    "Learn the merges",
    difficulty=3,
    importance=5,
    minutes=12,
    cases=lambda: [
        ({"to": 3}, 5),
        ({"low": 5, "lower": 2, "newest": 6, "widest": 3}, 10),
        ({"banana": 4, "bandana": 2, "nab": 9, "an": 1, "a": 30}, 6),
        ({"ab": 2, "ba": 2, "cab": 1}, 3),
        ({"the": 40, "then": 3, "he": 8, "theme": 5, "them": 11}, 4),
        ({"abzq": 5, "abx": 3, "acq": 5}, 2),
        ({"on": 1, "no": 1}, 0),
        ({"on": 1, "no": 1}, 3),  # pairs that occur once are learned too
        ({"oz": 2, "on": 2}, 2),  # equal in count and in the left symbol
    ],
    task=(
        "Learn `k` merges from words and their counts. Each time, count the pairs, take the "
        "most frequent one, and merge it in every word. Of equally frequent pairs take the one "
        "that comes first in the alphabet (Python's order of tuples). Stop early if no pair "
        "is left."
    ),
    hints=(
        "Start with `words = [characters(word) for word in word_counts]` and "
        "`counts = word_counts.values()`. Then use your `count_pairs` and `merge_pair`.",
        "`min(pairs, key=lambda pair: (-pairs[pair], pair))` takes the largest count, and "
        "among equal counts the pair that comes first in the alphabet.",
    ),
)
def learn(word_counts, k):
    """The first k merges, in the order in which they are learned: a list of pairs.

    word_counts: word -> how often it occurs. A pair may be learned though it occurs once.
    learn({"to": 3}, 5) -> [("t", "o</w>")]
    """
    words, counts = [characters(word) for word in word_counts], word_counts.values()
    merges = []
    for _ in range(k):
        pairs = count_pairs(words, counts)
        if not pairs:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        merges.append(best)
        words = [merge_pair(word, best) for word in words]
    return merges


@learn.wrong(
    "Of equally frequent pairs you compare the left symbols alone. Compare the whole pairs."
)
def left_symbols_compared(word_counts, k):
    return _learn(word_counts, k, lambda pairs: min(pairs, key=lambda p: (-pairs[p], p[0])))


@learn.wrong("A dict goes through its words. Pass the counts: word_counts.values().")
def counts_that_are_words(word_counts, k):
    if k == 0:
        return []
    return count_pairs([characters(word) for word in word_counts], word_counts)


def _learn(word_counts, k, best_of, spell=characters, weigh=lambda n: n):
    words, merges = [spell(word) for word in word_counts], []
    counts = [weigh(n) for n in word_counts.values()]
    while len(merges) < k and (pairs := count_pairs(words, counts)):
        merges.append(best_of(pairs))
        words = [merge_pair(word, merges[-1]) for word in words]
    return merges


def _by_rule(pairs):
    return min(pairs, key=lambda pair: (-pairs[pair], pair))


@learn.wrong(
    "Of equally frequent pairs you take the one that comes last in the alphabet. max over "
    "(count, pair) does that; take min over (-count, pair)."
)
def ties_by_the_last(word_counts, k):
    return _learn(word_counts, k, lambda pairs: max(pairs, key=lambda p: (pairs[p], p)))


@learn.wrong(
    "Of equally frequent pairs you take the one that was counted first, which depends on the "
    "order of the words. Take the first in the alphabet: min over (-count, pair)."
)
def ties_by_the_text(word_counts, k):
    return _learn(word_counts, k, lambda pairs: max(pairs, key=pairs.__getitem__))


@learn.wrong(
    "Of equally frequent pairs you compare the joined texts. Compare the pairs themselves, as "
    "tuples: ('a', 'c') comes before ('ab', 'z')."
)
def ties_by_the_joined_text(word_counts, k):
    return _learn(
        word_counts, k, lambda pairs: min(pairs, key=lambda p: (-pairs[p], "".join(p)))
    )


@learn.wrong(
    "You count once and take the k most frequent pairs. A merge makes new pairs and breaks "
    "old ones: merge in all words, and count again, each time."
)
def counts_not_renewed(word_counts, k):
    pairs = count_pairs([characters(w) for w in word_counts], list(word_counts.values()))
    return sorted(pairs, key=lambda pair: (-pairs[pair], pair))[:k]


@learn.wrong("You learn one merge too few: k merges are asked for.")
def one_too_few(word_counts, k):
    return learn(word_counts, k - 1)


@learn.wrong("You learn one merge too many: k merges are asked for.")
def one_too_many(word_counts, k):
    return learn(word_counts, k + 1)


@learn.wrong("The end marks are missing: spell each word with `characters(word)`, not list.")
def no_end_marks(word_counts, k):
    return _learn(word_counts, k, _by_rule, spell=list)


@learn.wrong(
    "The end mark is a symbol of its own in your words. In GPT-1 it sticks to the last "
    "letter: characters('to') gives ['t', 'o</w>']."
)
def end_mark_apart(word_counts, k):
    return _learn(word_counts, k, _by_rule, spell=lambda word: [*word, "</w>"])


@learn.wrong("You count each word once. Frequent words must weigh more: pass their counts on.")
def every_word_once(word_counts, k):
    return _learn(word_counts, k, _by_rule, weigh=lambda n: 1)


@learn.wrong("You take the rarest pair; the most frequent one is merged.")
def the_rarest(word_counts, k):
    return _learn(word_counts, k, lambda pairs: min(pairs, key=lambda p: (pairs[p], p)))


@learn.wrong(
    "You learn the same pair again and again: the merged words are not kept. "
    "`for word in words: word = ...` changes a name and leaves the list as it is."
)
def merged_words_not_kept(word_counts, k):
    return k * learn(word_counts, min(k, 1))


@learn.wrong("You return the merged pieces. A merge is the pair, (left, right).")
def pieces_not_pairs(word_counts, k):
    return ["".join(pair) for pair in learn(word_counts, k)]


# Learned from Emma, but for a few that make mistakes show.
_RANKS = {
    pair: rank
    for rank, pair in enumerate(
        [("t", "h"), ("e", "r"), ("e", "r</w>"), ("th", "e</w>"), ("o", "u"), ("l", "i")]
        + [("g", "h"), ("s", "e</w>"), ("h", "ou"), ("th", "ou"), ("l", "o"), ("lo", "w")]
        + [("lo", "w</w>"), ("low", "er</w>"), ("li", "gh"), ("a", "t"), ("t</w>", "s")]
        + [("ligh", "t"), ("hou", "se</w>"), ("t", "o"), ("h", "e"), ("a", "th"), ("t", "er")]
        + [("at", "t"), ("t", "e"), ("r</w>", "s"), ("a", "t</w>"), ("t", "t")]
    )
}

_LETTERS = "abcdefghijklmnopqrst"
_MANY_RANKS = {(a, b + c): n for n, (a, b, c) in enumerate(product(_LETTERS, repeat=3))}
_MANY_WORDS = [a + b + "lighthouse" for a in _LETTERS for b in _LETTERS[:15]]


@exercise(
    "Cut a word by rank",
    difficulty=3,
    importance=5,
    minutes=10,
    cases=lambda: [
        ("low", {("o", "w</w>"): 0, ("l", "o"): 1}),
        ("lighthouse", _RANKS),
        ("lower", _RANKS),
        ("low", _RANKS),
        ("the", _RANKS),
        ("bather", _RANKS),
        ("totoro", _RANKS),
        ("matter", _RANKS),
        ("that", _RANKS),
        ("a", _RANKS),
        ("low", {}),
        ("low", {("l", "o"): 1, ("o", "w</w>"): 0}),  # not in the order of the ranks
        ("low", {("lo", "w</w>"): 0, ("l", "o"): 1}),  # rank 0 is possible only after rank 1
        ("The", _RANKS),  # a capital
        ("eager", _RANKS),  # the first e is not the one before r
        ("zzzz", {("z", "z"): 0}),  # two places that overlap
    ],
    workload=lambda cut: [cut(word, _MANY_RANKS) for word in _MANY_WORDS],
    slow=(
        "Right, but it tries all 8,000 merges on each word; the next cells would take minutes."
    ),
    task=(
        "Cut a word into pieces by applying the merges. `ranks` gives each pair its place in "
        "the list of merges, 0 for the one that was learned first. As long as the word "
        "contains a pair that has a rank, merge the pair of lowest rank."
    ),
    hints=(
        "Start with `symbols = characters(word)`. "
        "`[p for p in zip(symbols, symbols[1:]) if p in ranks]` are the pairs to choose from.",
        "`min(known, key=ranks.get)` is the one that was learned first. "
        "`g.bpe.merge_pair(symbols, pair)` merges it; then look again, since the merge may "
        "have made a new pair.",
    ),
)
def cut_word(word, ranks):
    """The pieces of a word: a list of symbols, the last one ending in </w>.

    ranks: pair -> rank, 0 is learned first; any dict, in any order, not only a learned one.
    So a merge may make a pair of lower rank than its own, which is then merged next.
    cut_word("low", {("o", "w</w>"): 0, ("l", "o"): 1}) -> ["l", "ow</w>"]
    """
    symbols = characters(word)
    while True:
        known = [pair for pair in zip(symbols, symbols[1:]) if pair in ranks]
        if not known:
            return symbols
        symbols = g.bpe.merge_pair(symbols, min(known, key=ranks.get))


def _cut(symbols, ranks, choose):
    while known := [p for p in zip(symbols, symbols[1:], strict=False) if p in ranks]:
        symbols = merge_pair(symbols, choose(known))
    return symbols


def _longest_first(word, ranks):
    symbols, pieces = characters(word), []
    vocabulary = {"".join(pair) for pair in ranks}
    while symbols:
        fits = [n for n in range(2, len(symbols) + 1) if "".join(symbols[:n]) in vocabulary]
        n = max(fits, default=1)
        pieces.append("".join(symbols[:n]))
        symbols = symbols[n:]
    return pieces


@cut_word.wrong(
    "You take the longest piece that fits, from the left. That is another rule (BERT's "
    "tokenizer has it). BPE repeats its merges in the order in which they were learned."
)
def longest_piece_first(word, ranks):
    return _longest_first(word, ranks)


@cut_word.wrong(
    "You merge the first pair from the left that has a rank. Compare the ranks of all pairs: "
    "the lowest is merged first, wherever it is."
)
def leftmost_first(word, ranks):
    return _cut(characters(word), ranks, lambda known: known[0])


@cut_word.wrong(
    "Without a key, min takes the pair that comes first in the alphabet. The ranks decide: "
    "min(known, key=ranks.get)."
)
def first_in_the_alphabet(word, ranks):
    return _cut(characters(word), ranks, min)


@cut_word.wrong("You merge the pair that was learned last. Rank 0 comes first: take min.")
def learned_last_first(word, ranks):
    return _cut(characters(word), ranks, lambda known: max(known, key=ranks.get))


@cut_word.wrong("The end mark is missing: start from characters(word), not from list(word).")
def without_end_mark(word, ranks):
    return _cut(list(word), ranks, lambda known: min(known, key=ranks.get))


@cut_word.wrong("You merge once and stop. Look again until no pair has a rank.")
def a_single_merge(word, ranks):
    symbols = characters(word)
    known = [p for p in zip(symbols, symbols[1:], strict=False) if p in ranks]
    return merge_pair(symbols, min(known, key=ranks.get)) if known else symbols


@cut_word.wrong(
    "You choose all merges at the start, from the letters. A merge makes new pairs: look for "
    "pairs again after each."
)
def only_pairs_of_letters(word, ranks):
    symbols = characters(word)
    known = {p for p in zip(symbols, symbols[1:], strict=False) if p in ranks}
    for pair in sorted(known, key=ranks.get):
        symbols = merge_pair(symbols, pair)
    return symbols


@cut_word.wrong(
    "You go through the letter pairs once, from left to right. The lowest rank comes first, "
    "wherever it is, and each merge makes new pairs: look again after each."
)
def one_pass_from_the_left(word, ranks):
    symbols = characters(word)
    for pair in zip(symbols, symbols[1:], strict=False):
        if pair in ranks:
            symbols = merge_pair(symbols, pair)
    return symbols


@cut_word.wrong(
    "You take the merges in the order of the dict. The ranks decide, in any order of the dict. "
    "(And all merges for each word take minutes: ask which pairs the word has.)"
)
def in_the_order_of_the_dict(word, ranks):
    symbols = characters(word)
    for pair in ranks:
        symbols = merge_pair(symbols, pair)
    return symbols


@cut_word.wrong(
    "Rank 0 counts as false, so the first merge is never made. Ask `pair in ranks`, not "
    "`ranks.get(pair)`."
)
def rank_0_is_lost(word, ranks):
    return cut_word(word, {pair: rank for pair, rank in ranks.items() if rank})


@cut_word.wrong(
    "You merge where the left symbol first occurs, whatever comes after it. Look for both "
    "symbols of the pair, side by side."
)
def at_the_first_left_symbol(word, ranks):
    symbols = characters(word)
    while known := [p for p in zip(symbols, symbols[1:], strict=False) if p in ranks]:
        best = min(known, key=ranks.get)
        i = symbols.index(best[0])
        symbols[i : i + 2] = ["".join(best)]
    return symbols


@cut_word.wrong(
    "You write the word in small letters. That's done before; here a capital is a symbol like "
    "any other."
)
def in_small_letters(word, ranks):
    return cut_word(word.lower(), ranks)


@cut_word.wrong("You merge the last place of a pair first. Go from left to right.")
def from_the_end_of_the_word(word, ranks):
    symbols = characters(word)
    while known := [p for p in zip(symbols, symbols[1:], strict=False) if p in ranks]:
        pair = min(known, key=ranks.get)
        at = max(i for i in range(len(symbols) - 1) if (symbols[i], symbols[i + 1]) == pair)
        symbols = [*symbols[:at], symbols[at] + symbols[at + 1], *symbols[at + 2 :]]
    return symbols


@cut_word.wrong("You go on with pairs that have no rank. Stop when none has one.")
def merges_what_has_no_rank(word, ranks):
    symbols = characters(word)
    while pairs := [*zip(symbols, symbols[1:], strict=False)]:
        symbols = merge_pair(symbols, min(pairs, key=lambda p: ranks.get(p, len(ranks))))
    return symbols


@cut_word.wrong(
    "You go through the ranks once, from the lowest up. That's right for a list of merges that "
    "was learned, but here a merge may make a pair of lower rank: look again after each."
)
def once_through_the_ranks(word, ranks):
    symbols = characters(word)
    for pair in sorted(ranks, key=ranks.get):
        symbols = merge_pair(symbols, pair)
    return symbols


@number_exercise(
    "Add up a vocabulary",
    question=(
        "A vocabulary is made in GPT-1's way, from {n_characters} different characters and "
        "{n_merges:,} merges. How many tokens does it have? Count the five kinds above."
    ),
    difficulty=1,
    importance=4,
    minutes=4,
    first=(120, 5_000),
    draw=lambda random: (random.randint(26, 300), 500 * random.randint(1, 100)),
    hints=("Each character comes twice, once as it is inside a word and once with `</w>`.",),
    worked=lambda n_characters, n_merges: (
        f"There is 1 token for `<unk>`, 2 × {n_characters} for the characters, {n_merges:,} "
        f"for the merges and 1 for the line break, {2 + 2 * n_characters + n_merges:,} in all. "
        "With GPT-1's 238 characters and 40,000 merges, the same sum gives 40,478."
    ),
)
def vocabulary_size(n_characters, n_merges):
    """The number of tokens: <unk>, characters, characters with </w>, merges, newline."""
    return 1 + 2 * n_characters + n_merges + 1


@vocabulary_size.wrong("The characters are missing, each of them twice.")
def without_the_characters(n_characters, n_merges):
    return n_merges + 2


@vocabulary_size.wrong(
    "Those are the merges alone. Add each character twice, <unk>, and the line break."
)
def merges_alone(n_characters, n_merges):
    return n_merges


@vocabulary_size.wrong(
    "The characters are missing, each of them twice, and so is one of <unk> and the newline."
)
def merges_and_one_more(n_characters, n_merges):
    return n_merges + 1


@vocabulary_size.wrong("Merges and characters; but each character also comes with </w>.")
def each_character_once(n_characters, n_merges):
    return n_characters + n_merges


@vocabulary_size.wrong("Each character comes twice, once with </w>. The rest is right.")
def characters_once_and_two_more(n_characters, n_merges):
    return 1 + n_characters + n_merges + 1


@vocabulary_size.wrong("Two tokens come from no character and no merge: <unk> and the newline.")
def without_unk_and_newline(n_characters, n_merges):
    return 2 * n_characters + n_merges


@vocabulary_size.wrong("One token is missing: <unk> and the newline are two.")
def one_of_two_missing(n_characters, n_merges):
    return 2 * n_characters + n_merges + 1


@vocabulary_size.wrong("One token too many. There is none for the end of a text.")
def an_end_of_text(n_characters, n_merges):
    return 2 * n_characters + n_merges + 3


@vocabulary_size.wrong(
    "Three tokens too many. Start, Delimiter and Extract come later, with fine-tuning."
)
def the_three_of_fine_tuning(n_characters, n_merges):
    return 2 * n_characters + n_merges + 5


@vocabulary_size.wrong(
    "Each character comes twice, once with </w>. Besides, <unk> and the newline are two "
    "tokens, and you count only one."
)
def characters_once_and_unk(n_characters, n_merges):
    return 1 + n_characters + n_merges


@exercise(
    "Pieces per word",
    difficulty=2,
    importance=3,
    minutes=6,
    cases=lambda: [
        ({"the": 9, "whale": 1}, {"the": ["the</w>"], "whale": ["wh", "ale</w>"]}),
        ({"a": 4, "sailor": 1}, {"sailor": ["sai", "l", "or</w>"], "a": ["a</w>"]}),
        ({"a": 3, "sail": 4}, {"a": ["a</w>"], "sail": ["sai", "l</w>"]}),
        (
            {"she": 30, "sailed": 5, "lighthouse": 2},
            {"she": ["she</w>"], "sailed": ["sai", "led</w>"]}
            | {"lighthouse": ["li", "gh", "thou", "se</w>"], "unread": ["un", "read</w>"]},
        ),
    ],
    task=(
        "How finely does a tokenizer cut a text? Return the mean number of pieces per word, "
        "over all words of the text: a word that occurs nine times counts nine times."
    ),
    hints=(
        "`sum(word_counts.values())` is the number of words in the text.",
        "A word adds its count times `len(pieces[word])`.",
    ),
)
def pieces_per_word(word_counts, pieces):
    """Mean number of pieces per word of a text: a float >= 1.

    word_counts: word -> how often it occurs. pieces: word -> list of its pieces.
    """
    total = sum(n * len(pieces[word]) for word, n in word_counts.items())
    return total / sum(word_counts.values())


@pieces_per_word.wrong(
    "That is the mean over different words. In a text *the* comes up again and again, and "
    "counts each time."
)
def mean_over_different_words(word_counts, pieces):
    return sum(len(pieces[word]) for word in word_counts) / len(word_counts)


@pieces_per_word.wrong(
    "That is the mean over the table `pieces`. Go through `word_counts`, and let each word "
    "count as often as it occurs."
)
def mean_over_the_table(word_counts, pieces):
    return sum(map(len, pieces.values())) / len(pieces)


@pieces_per_word.wrong("`//` drops what comes after the decimal point; divide with `/`.")
def whole_division(word_counts, pieces):
    return not_divided(word_counts, pieces) // sum(word_counts.values())


@pieces_per_word.wrong("That is words per piece, the other way up.")
def words_per_piece(word_counts, pieces):
    return 1 / pieces_per_word(word_counts, pieces)


@pieces_per_word.wrong("That is the number of pieces; divide by the number of words.")
def not_divided(word_counts, pieces):
    return sum(n * len(pieces[word]) for word, n in word_counts.items())


@pieces_per_word.wrong(
    "You divide by the number of different words; divide by the number of words in the text."
)
def divided_by_different_words(word_counts, pieces):
    return not_divided(word_counts, pieces) / len(word_counts)


@pieces_per_word.wrong("You count letters. Count pieces: len(pieces[word]).")
def letters_per_word(word_counts, pieces):
    total = sum(n * len(word) for word, n in word_counts.items())
    return total / sum(word_counts.values())


@pieces_per_word.wrong(
    "You count the pieces of each different word once, and divide by all words of the text. "
    "Count the pieces as often as the word occurs, too."
)
def pieces_counted_once(word_counts, pieces):
    return sum(len(pieces[word]) for word in word_counts) / sum(word_counts.values())


EXERCISES = (count_pairs, merge_pair, learn, cut_word, vocabulary_size, pieces_per_word)
check = Checker(EXERCISES)
mine = check.mine
