"""Learning and encoding BPE beside Hugging Face tokenizers, in interleaved rounds.

    python benchmarks/bpe_speed.py [--rounds 3] [--merges 8000]

Both learn from the raw text of the twelve books and encode it again. Both normalize and
cut words their own way: ours with `text.standardize` and `split_words`, theirs with
what transformers gives GPT-1. Prints medians, and the ratios theirs / ours.
"""

import argparse
import statistics
import time

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers

from gpt1lib.bpe import BPE
from gpt1lib.corpus import read_books


def timed(function, *args):
    """The function's result and the seconds it took."""
    start = time.perf_counter()
    result = function(*args)
    return result, time.perf_counter() - start


def learn_theirs(texts: list[str], n_merges: int) -> Tokenizer:
    """Hugging Face's BPE trainer on the same texts."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", end_of_word_suffix="</w>"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.BpeTrainer(
        vocab_size=n_merges + 130,  # about 2 x 60 characters come first
        special_tokens=["<unk>"],
        end_of_word_suffix="</w>",
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def encode_ours(bpe: BPE, texts: list[str]) -> int:
    """Encode with a cold cache; the number of tokens."""
    fresh = BPE(bpe.encoder, bpe.merges)
    return sum(len(fresh.encode(t)) for t in texts)


def encode_theirs(tokenizer: Tokenizer, texts: list[str]) -> int:
    """Encode all books in one batch, on all cores; the number of tokens."""
    return sum(len(e.ids) for e in tokenizer.encode_batch(texts))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--merges", type=int, default=8000)
    args = parser.parse_args()
    raw = list(read_books().values())
    megabytes = sum(len(t) for t in raw) / 1e6
    seconds = {"learn ours": [], "learn theirs": [], "encode ours": [], "encode theirs": []}
    for _ in range(args.rounds):
        bpe, t = timed(BPE.learn, raw, args.merges)
        seconds["learn ours"].append(t)
        theirs, t = timed(learn_theirs, raw, args.merges)
        seconds["learn theirs"].append(t)
        ours_n, t = timed(encode_ours, bpe, raw)
        seconds["encode ours"].append(t)
        theirs_n, t = timed(encode_theirs, theirs, raw)
        seconds["encode theirs"].append(t)
    median = {name: statistics.median(s) for name, s in seconds.items()}
    for name, s in median.items():
        print(f"{name:<14} {s:6.2f} s   {megabytes / s:6.2f} MB/s")
    print(f"tokens: ours {ours_n:,}, theirs {theirs_n:,}")
    for job in ("learn", "encode"):
        ratio = median[f"{job} theirs"] / median[f"{job} ours"]
        print(f"{job}: theirs / ours = {ratio:.2f}")


if __name__ == "__main__":
    main()
