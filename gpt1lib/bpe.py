"""Byte-pair encoding as GPT-1 has it: lower case, `</w>` closes a word.

The alphabet is characters, not bytes, so a character never seen becomes `<unk>`.
Sources: paper, section 4.1 ("bytepair encoding vocabulary with 40,000 merges");
Sennrich et al. 2016; the released text_utils.py, encoder_bpe_40000.json and
vocab_40000.bpe, whose file format is kept.
"""

import hashlib
import heapq
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path

from . import text, validate
from .io import checksums, files

END = "</w>"
UNK = "<unk>"
NEWLINE = "\n" + END

MAX_WORD_LENGTH = 10_000
"""Letters; merging takes the square of it, and what has more is not a text."""

Pair = tuple[str, str]


def count_words(raw: str) -> Counter[str]:
    """How often each lower-cased word occurs in a text: all that BPE needs of it."""
    counts: Counter[str] = Counter()
    chunks = Counter(text.standardize(raw).split(" "))
    for chunk, n in chunks.items():  # each different one is cut once
        for word in text.split_words(chunk):
            counts[word.lower()] += n
    counts.pop("\n", None)  # has a token of its own, `\n</w>`
    return counts


def characters(word: str) -> list[str]:
    """The symbols a word starts from: 'cat' -> ['c', 'a', 't</w>']."""
    return [*word[:-1], word[-1] + END]


def merge_pair(symbols: list[str], pair: Pair) -> list[str]:
    """Join each occurrence of `pair`, left to right: (l, o) in [l, o, w] -> [lo, w]."""
    out, i = [], 0
    while i < len(symbols):
        if i + 1 < len(symbols) and (symbols[i], symbols[i + 1]) == pair:
            out.append(symbols[i] + symbols[i + 1])
            i += 2
        else:
            out.append(symbols[i])
            i += 1
    return out


def check_length(word: str) -> None:
    """Raise ValueError for a word of more letters than any text has."""
    if len(word) > MAX_WORD_LENGTH:
        raise ValueError(
            f"one word has {len(word):,} letters, more than {MAX_WORD_LENGTH:,}: is this a "
            "text, with spaces between its words?"
        )


def learn_merges(word_counts: dict[str, int], n_merges: int) -> list[Pair]:
    """Learn up to `n_merges` merges, the most frequent adjacent pair each time.

    Equal counts: the pair that comes first in the alphabet. Pair counts are updated
    only where a merge happens. A heap gives the largest count; counts that have shrunk
    since they were put there are corrected when they come to the top.
    """
    if not word_counts:
        raise ValueError("no words to learn merges from: the text is empty")
    n_merges = validate.check_int("n_merges", n_merges, 0)
    check_length(max(word_counts, key=len))
    words = [characters(w) for w in word_counts]
    counts = list(word_counts.values())
    pair_counts, where = _count_pairs(words, counts)
    heap = [(-n, pair) for pair, n in pair_counts.items()]
    heapq.heapify(heap)
    merges = []
    while heap and len(merges) < n_merges:
        negative, pair = heapq.heappop(heap)
        n = pair_counts[pair]
        if n != -negative:  # out of date
            if n > 0:
                heapq.heappush(heap, (-n, pair))
            continue
        merges.append(pair)
        for new in _apply(pair, words, counts, pair_counts, where):
            heapq.heappush(heap, (-pair_counts[new], new))
    return merges


def _count_pairs(
    words: list[list[str]], counts: list[int]
) -> tuple[dict[Pair, int], dict[Pair, set[int]]]:
    """Count of each adjacent pair, and the indices of the words that contain it."""
    pair_counts, where = defaultdict(int), defaultdict(set)
    for i, (symbols, n) in enumerate(zip(words, counts, strict=True)):
        for pair in zip(symbols, symbols[1:], strict=False):
            pair_counts[pair] += n
            where[pair].add(i)
    return pair_counts, where


def _apply(
    pair: Pair,
    words: list[list[str]],
    counts: list[int],
    pair_counts: dict[Pair, int],
    where: dict[Pair, set[int]],
) -> set[Pair]:
    """Merge `pair` in every word that contains it; return the new pairs.

    Where (a, b) becomes ab between x and y, the pairs (x, a) and (b, y) give way to
    (x, ab) and (ab, y).
    """
    a, b = pair
    new_pairs: set[Pair] = set()
    for i in where.pop(pair):
        symbols, n, j = words[i], counts[i], 0
        while j + 1 < len(symbols):
            if symbols[j] == a and symbols[j + 1] == b:
                symbols[j : j + 2] = [a + b]
                neighbors = []
                if j:
                    pair_counts[symbols[j - 1], a] -= n
                    neighbors.append((symbols[j - 1], a + b))
                if j + 1 < len(symbols):
                    pair_counts[b, symbols[j + 1]] -= n
                    neighbors.append((a + b, symbols[j + 1]))
                for new in neighbors:
                    pair_counts[new] += n
                    where[new].add(i)
                    new_pairs.add(new)
            j += 1
    pair_counts[pair] = 0
    return {new for new in new_pairs if pair_counts[new] > 0}


def build_encoder(alphabet: Iterable[str], merges: list[Pair]) -> dict[str, int]:
    """Number the vocabulary in GPT-1's order.

    `<unk>`, the characters, the same with `</w>`, the merges in the order in which
    they were learned, and `\\n</w>` last: 1 + 2 x 238 + 40,000 + 1 = 40,478.
    """
    alphabet = sorted(alphabet)
    pieces = [UNK, *alphabet, *(c + END for c in alphabet)]
    pieces += ["".join(pair) for pair in merges] + [NEWLINE]
    encoder = {piece: i for i, piece in enumerate(pieces)}
    if len(encoder) != len(pieces):
        raise ValueError("two merges make the same piece: the merges are not distinct")
    return encoder


def read_merges(path: Path) -> list[Pair]:
    """The pairs of a merge list, first learned first.

    Raises ValueError that names the line which is not a pair.
    """
    lines = files.read_text(path).split("\n")
    if not lines[0].startswith("#version"):
        raise ValueError(f"{path}, line 1: no version, such as #version: 0.2")
    if lines[-1]:
        raise ValueError(f"{path} is cut short: its last line does not end")
    rows = [(n, line.split(" ")) for n, line in enumerate(lines[1:], start=2) if line]
    for n, row in rows:
        if len(row) != 2 or not all(row):
            raise ValueError(f"{path}, line {n}: not two symbols")
    return [(left, right) for _, (left, right) in rows]


def check_pieces(encoder: dict[str, int], merges: list[Pair], merges_path: Path) -> None:
    """Check that ids are integers, and that merges join pieces and make new ones.

    Each merge makes one piece, and every longer piece comes from one, so a list of merges
    that lost its end is noticed. Raises ValueError for what does not fit.
    """
    for piece, i in encoder.items():
        if type(i) is not int:
            raise ValueError(f"the id of {piece!r} is {i!r}, it must be an integer")
    for left, right in merges:
        for piece in (left, right, left + right):
            if piece not in encoder:
                raise ValueError(f"it lacks the piece {piece!r} of {merges_path.name}")
    made = {left + right for left, right in merges}
    longer = {x for x in encoder if len(x.removesuffix(END)) > 1} - {UNK, NEWLINE}
    if lost := sorted(longer - made):
        raise ValueError(f"no merge of {merges_path.name} makes its piece {lost[0]!r}")


class BPE:
    """Text to token ids and back, with a cache of the words already met.

    encoder: piece -> id.  merges: the pairs, first learned first.
    pre_tokenize: cuts raw text into words; `text.released_words` does it as OpenAI's code.
    """

    def __init__(
        self,
        encoder: dict[str, int],
        merges: list[Pair],
        pre_tokenize: Callable[[str], list[str]] = text.pre_tokenize,
    ):
        if sorted(encoder.values()) != list(range(len(encoder))):
            raise ValueError("the ids of a vocabulary must be 0, 1, 2, ... once each")
        self.encoder = dict(encoder)
        self.decoder = {i: piece for piece, i in self.encoder.items()}
        self.merges: list[Pair] = [(left, right) for left, right in merges]
        self.ranks = {pair: rank for rank, pair in enumerate(self.merges)}
        self.pre_tokenize = pre_tokenize
        self._word_ids: dict[str, list[int]] = {}  # the cache

    # ---- learning, reading and writing -------------------------------------

    @classmethod
    def learn(cls, corpus: str | Iterable[str], n_merges: int) -> "BPE":
        """Learn a vocabulary from raw text, or from several texts."""
        texts = [corpus] if isinstance(corpus, str) else corpus
        counts: Counter[str] = Counter()
        for raw in texts:  # a sum would copy all counts for each text
            counts.update(count_words(raw))
        merges = learn_merges(counts, n_merges)
        alphabet = {c for word in counts for c in word}
        return cls(build_encoder(alphabet, merges), merges)

    @classmethod
    def load(
        cls,
        folder: str | Path,
        encoder: str = "encoder.json",
        merges: str = "vocab.bpe",
        **kwargs,
    ) -> "BPE":
        """Read a vocabulary in the released format (a JSON file and a merge list).

        Raises FileNotFoundError for a missing file, ValueError for a damaged one.
        """
        folder = Path(folder)
        for name in (encoder, merges):
            if not (folder / name).is_file():
                raise FileNotFoundError(
                    f"{folder / name} is missing; a vocabulary is two files, "
                    f"{encoder} and {merges}, made by BPE.save or released with GPT-1"
                )
        checksums.verify(folder, encoder, merges)
        vocabulary, pairs = files.read_json(folder / encoder), read_merges(folder / merges)
        with files.blame_file(folder / encoder):
            check_pieces(vocabulary, pairs, folder / merges)
            return cls(vocabulary, pairs, **kwargs)

    def save(
        self, folder: str | Path, encoder: str = "encoder.json", merges: str = "vocab.bpe"
    ) -> None:
        """Write the two files of the released format."""
        lines = ["#version: 0.2", *(" ".join(pair) for pair in self.merges)]
        files.write_text(Path(folder) / merges, "\n".join(lines) + "\n")
        files.write_json(Path(folder) / encoder, self.encoder, indent=None)
        checksums.write_checksums(folder, encoder, merges)

    @property
    def checksum(self) -> str:
        """SHA-256 of the vocabulary and merges; binds a checkpoint to its tokenizer."""
        content = json.dumps([sorted(self.encoder.items()), self.merges])
        return hashlib.sha256(content.encode()).hexdigest()

    @property
    def pipeline(self) -> str:
        """What cuts a text into words: its name in `text.PIPELINES`, or a ValueError."""
        if self.pre_tokenize not in (names := {f: name for name, f in text.PIPELINES.items()}):
            raise ValueError(f"pre_tokenize is {self.pre_tokenize}, not one of text.PIPELINES")
        return names[self.pre_tokenize]

    @property
    def n_vocab(self) -> int:
        """Number of token ids."""
        return len(self.encoder)

    @property
    def newline(self) -> int:
        """The id of a line break, which can start a text that has no prompt."""
        return self.token_to_id(NEWLINE, unk=True)

    # ---- encoding ------------------------------------------------------------

    def tokenize_word(self, word: str) -> list[str]:
        """The pieces of one word: apply the earliest-learned merge until none fits.

        Raises ValueError for an empty word, and for one of more than MAX_WORD_LENGTH letters.
        """
        if not word:
            raise ValueError("the word is empty")
        check_length(word)
        symbols = characters(word)
        while len(symbols) > 1:
            pairs = set(zip(symbols, symbols[1:], strict=False))
            best = min(pairs, key=lambda pair: self.ranks.get(pair, float("inf")))
            if best not in self.ranks:
                break
            symbols = merge_pair(symbols, best)
        return symbols

    def encode(self, raw: str) -> list[int]:
        """Token ids of any text; characters never seen become `<unk>`."""
        cache, ids = self._word_ids, []
        for word in self.pre_tokenize(raw):
            known = cache.get(word)
            if known is None:
                known = cache[word] = self._encode_word(word)
            ids += known
        return ids

    def _encode_word(self, word: str) -> list[int]:
        if "\n" in word:
            return [self.newline]
        return [self.token_to_id(piece, unk=True) for piece in self.tokenize_word(word.lower())]

    def token_to_id(self, piece: str, unk: bool = False) -> int:
        """The id of one piece such as 'the</w>'.

        unk: for a piece that the vocabulary lacks, give the id of `<unk>`. Otherwise such a
        piece raises ValueError.
        """
        if piece in self.encoder:
            return self.encoder[piece]
        if unk:
            return self.encoder.get(UNK, 0)
        raise ValueError(f"{piece!r} is not one of the {self.n_vocab} pieces")

    # ---- decoding ------------------------------------------------------------

    def pieces(self, ids: Iterable[int]) -> list[str]:
        """The pieces behind token ids, `</w>` and all."""
        if isinstance(ids, str):
            raise ValueError(f"ids are {ids!r}, they must be token ids: bpe.encode(text)")
        last = self.n_vocab - 1
        return [self.decoder[validate.check_int("token id", i, 0, last)] for i in ids]

    def decode(self, ids: Iterable[int]) -> str:
        """Text of token ids, words apart: 'hello , world'. See `text.tidy`.

        OpenAI released no decoder; this joins the pieces and turns `</w>` into a space.
        """
        joined = "".join(self.pieces(ids)).replace(END, " ")
        return joined.replace(" \n ", "\n").replace("\n ", "\n").rstrip(" ")
