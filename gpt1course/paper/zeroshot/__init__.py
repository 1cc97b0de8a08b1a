"""What pre-training alone knows: tasks without any training on them (section 5).

The paper turns four tasks into questions to the bare language model; nothing is learned
from labels. The missing word and the pronouns are ours. Figure 2 (right) follows the
scores along pre-training.
"""

from .heuristics import (
    above_median,
    choices,
    likelier_word,
    pronouns_as_they_stand,
    raised_by_the_first,
    referents,
    relative,
    sentence_scores,
    sentiment,
    turned,
)  # fmt: skip
from .probe import Probe, probes
from .scores import answer_scores, continuation_scores, next_logits

__all__ = [
    "Probe", "above_median", "answer_scores", "choices", "continuation_scores",
    "likelier_word", "next_logits", "probes", "pronouns_as_they_stand",
    "raised_by_the_first", "referents", "relative", "sentence_scores", "sentiment", "turned",
]  # fmt: skip
