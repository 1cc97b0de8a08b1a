"""What GPT-1 is compared with: an LSTM, other ways to build it, words alone."""

from . import lstm, variants

__all__ = ["lstm", "variants"]
