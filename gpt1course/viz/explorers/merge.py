"""Byte-pair encoding as it is learned: a race of merges, by the rule or out of turn."""

from collections import Counter
from collections.abc import Iterable, Mapping

import traitlets
from matplotlib.figure import Figure

from gpt1lib import validate
from gpt1lib.bpe import Pair, characters, merge_pair

from .. import plots
from ..labels import readable
from .base import Explorer
from .controls import CleanUnicode, Index, StrictInt

MOST_WORDS, MOST_MERGES = 400, 300


def merge_race(
    word_counts: Mapping[str, int], n_merges: int, turns: Iterable[tuple[int, str, str]] = ()
) -> tuple[list[Pair], list[int]]:
    """Up to `n_merges` merges of some words, and the tokens left before and after each.

    turns: (step, left, right), the pair to merge at a step in place of the rule's. Without
    them the merges are those of `bpe.learn_merges`.
    """
    out_of_turn = {step: (left, right) for step, left, right in turns}
    spelled, counts = [characters(word) for word in word_counts], list(word_counts.values())
    merges, totals = [], [_total(spelled, counts)]
    for step in range(n_merges):
        pairs: Counter[Pair] = Counter()
        for symbols, n in zip(spelled, counts, strict=True):
            for pair in zip(symbols, symbols[1:], strict=False):
                pairs[pair] += n
        if not pairs:
            break
        best = out_of_turn.get(step, min(pairs, key=lambda pair: (-pairs[pair], pair)))
        spelled = [merge_pair(symbols, best) for symbols in spelled]
        merges.append(best)
        totals.append(_total(spelled, counts))
    return merges, totals


def _total(spelled: list[list[str]], counts: list[int]) -> int:
    return sum(n * len(symbols) for symbols, n in zip(spelled, counts, strict=True))


class MergeExplorer(Explorer):
    """Learning BPE from counted words, merge by merge; any pair may be merged out of turn.

    word_counts: the most frequent words of a text. Traits: step, the merges done; turns, a
    list of (step, left, right) merged against the rule; word, the one whose tree is drawn.
    """

    words = traitlets.List().tag(sync=True)
    most = traitlets.Int(0).tag(sync=True)
    step = Index(lambda self: self.most + 1).tag(sync=True, control=True)
    turns = traitlets.List(
        traitlets.Tuple(StrictInt(), CleanUnicode(), CleanUnicode()), maxlen=MOST_MERGES
    ).tag(sync=True, control=True)
    word = CleanUnicode("").tag(sync=True, control=True)

    def __init__(self, word_counts: Mapping[str, int], word: str = "", step: int = 0):
        if not 1 <= len(word_counts) <= MOST_WORDS:
            raise ValueError(f"{len(word_counts)} words, this page shows 1 to {MOST_WORDS}")
        in_order = dict(sorted(word_counts.items(), key=lambda item: -item[1]))
        self.merges, self.totals = merge_race(in_order, MOST_MERGES)
        most = len(self.merges)
        super().__init__(words=[list(item) for item in in_order.items()], most=most)
        self.step = validate.check_int("step", step, 0, most)
        self.word = word or next(iter(in_order))

    def sentence(self) -> str:
        merges, totals = self._race()
        step = min(self.step, len(merges))
        last = f", the last one {' + '.join(map(readable, merges[step - 1]))}" if step else ""
        return (
            f"{len(self.words)} different words of a text: {totals[0]:,} letters are "
            f"{totals[step]:,} tokens after {step} of {self.most} merges{last}."
        )

    def _race(self) -> tuple[list[Pair], list[int]]:
        if not self.turns:
            return self.merges, self.totals
        return merge_race({word: n for word, n in self.words}, self.most, self.turns)

    def figure(self) -> Figure:
        merges, totals = self._race()
        step = min(self.step, len(merges))
        title = f"{totals[0]:,} letters become {totals[-1]:,} tokens in {len(merges)} merges"
        now = {f"{step} merges": [(step, totals[step])]}
        figure = plots.lines({"tokens left": totals}, None, "merges", "tokens", title, now)
        figure.set_size_inches(6.5, 3.2)
        return figure
