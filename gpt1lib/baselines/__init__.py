"""What GPT-1 is compared with: n-grams, an LSTM, other ways to build it, words alone."""

from . import lstm, ngrams, variants

__all__ = ["lstm", "ngrams", "variants"]
