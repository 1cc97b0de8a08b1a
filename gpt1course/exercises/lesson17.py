"""Lesson 17, Capstone: GPT beside BERT, scaling, limits."""

import copy
import math
import random
from contextlib import contextmanager

import numpy as np
import torch
import torch.nn.functional as F

import gpt1lib as g
from gpt1lib.io.paths import HELDOUT_BOOKS

from .. import statistics
from ..checking.exercise import Checker, exercise
from ..checking.number_exercise import number_exercise

MASK, CLS, SEP = 99, 97, 98  # ids in the cases below


def _exactly(*numbers):
    """In 64 bits: a loop over Python's numbers must find 0.9 on the same side of 0.9."""
    return torch.tensor(numbers, dtype=torch.float64)


def _mask_cases():
    ids = torch.tensor([CLS, 11, 12, 13, 14, SEP, 15, 16, 17, SEP])
    other = torch.tensor([31, 32, 33, 34, 35, 36, 37, 38, 39, 40])
    draws = _exactly(0.01, 0.10, 0.90, 0.14, 0.50, 0.02, 0.149, 0.30, 0.03, 0.00)
    fates = _exactly(0.10, 0.30, 0.95, 0.85, 0.92, 0.50, 0.95, 0.10, 0.79, 0.85)
    edges = _exactly(0.0, 0.15, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.9)
    fates_2 = _exactly(0.8, 0.1, 0.8, 0.9, 0.79, 0.95, 0.0, 0.89, 0.91, 0.85)
    plain = torch.tensor([21, 22, 23])
    return [
        (ids, draws, fates, other, (CLS, SEP), MASK),
        (ids, edges, fates_2, other.flip(0), (CLS, SEP), MASK),
        (ids, edges, fates_2, other, (SEP,), 77),
        (plain, torch.tensor([0.9, 0.2, 0.05]), torch.zeros(3), plain + 9, (), MASK),
        (plain, torch.tensor([0.9, 0.2, 0.4]), torch.zeros(3), plain + 9, (), MASK),
    ]


@exercise(
    "Hide fifteen percent",
    difficulty=3,
    importance=5,
    minutes=12,
    cases=_mask_cases,
    task=(
        "Make BERT's training example from a text. A token is chosen where its draw is below "
        "0.15 and it is not special. A chosen one becomes `mask_id` where its fate is below "
        "0.8, becomes its `other` token from 0.8 to below 0.9, and is kept from 0.9 on. "
        "Return what the model reads, and the labels, which are the true id where a token is "
        "chosen and -100 elsewhere."
    ),
    hints=(
        "`torch.isin(ids, torch.tensor(specials))` is true where a token is special.",
        "`torch.where(condition, a, b)` takes from a where the condition is true, else from b.",
        "You need three conditions: chosen, then chosen and fate < 0.8, then chosen and 0.8 "
        "<= fate < 0.9.",
    ),
)
def mask_tokens(ids, draws, fates, other, specials, mask_id):
    """(read, labels) of a text: 15% of it hidden, by the rule 80/10/10.

    ids, other: (T,) token ids; draws, fates: (T,) numbers in [0, 1); specials: ids.
    """
    special = torch.isin(ids, torch.tensor(specials))
    chosen = (draws < 0.15) & ~special
    read = torch.where(chosen & (fates < 0.8), mask_id, ids)
    read = torch.where(chosen & (fates >= 0.8) & (fates < 0.9), other, read)
    return read, torch.where(chosen, ids, -100)


@mask_tokens.wrong(
    "You overwrite the masks: fates < 0.9 is true below 0.8, too. `other` is for 0.8 to below "
    "0.9."
)
def other_in_place_of_the_masks(ids, draws, fates, other, specials, mask_id):
    chosen = (draws < 0.15) & ~torch.isin(ids, torch.tensor(specials))
    read = torch.where(chosen & (fates < 0.9), other, ids)
    return read, torch.where(chosen, ids, -100)


@mask_tokens.wrong("You exchanged the two: first what the model reads, and then the labels.")
def labels_first(ids, draws, fates, other, specials, mask_id):
    read, labels = mask_tokens(ids, draws, fates, other, specials, mask_id)
    return labels, read


def _masked(ids, draws, fates, other, mask_id, chosen):
    """What the rule 80/10/10 makes of the tokens that are chosen."""
    read = torch.where(chosen & (fates < 0.8), mask_id, ids)
    return torch.where(chosen & (fates >= 0.8) & (fates < 0.9), other, read)


def _chosen(ids, draws, specials):
    return (draws < 0.15) & ~torch.isin(ids, torch.tensor(specials, dtype=ids.dtype))


@mask_tokens.wrong(
    "You hide special tokens too. [CLS] and [SEP] aren't words, and guessing them teaches "
    "the model nothing."
)
def specials_too(ids, draws, fates, other, specials, mask_id):
    chosen = draws < 0.15
    read = _masked(ids, draws, fates, other, mask_id, chosen)
    return read, torch.where(chosen, ids, -100)


@mask_tokens.wrong(
    "You give every token a label, so the model is rewarded for copying what it can see. "
    "Only the chosen 15% should count."
)
def labels_everywhere(ids, draws, fates, other, specials, mask_id):
    chosen = _chosen(ids, draws, specials)
    return _masked(ids, draws, fates, other, mask_id, chosen), ids.clone()


@mask_tokens.wrong(
    "You split all tokens 80/10/10. The rule is for the chosen 15% only, and the others are "
    "read as they are."
)
def eighty_percent_of_all(ids, draws, fates, other, specials, mask_id):
    everywhere = torch.ones_like(ids, dtype=torch.bool)
    chosen = _chosen(ids, draws, specials)
    read = _masked(ids, draws, fates, other, mask_id, everywhere)
    return read, torch.where(chosen, ids, -100)


@mask_tokens.wrong(
    "You hide every chosen token behind [MASK]. One in ten should become another token, and "
    "one in ten should stay as it is."
)
def all_become_the_mask(ids, draws, fates, other, specials, mask_id):
    chosen = _chosen(ids, draws, specials)
    return torch.where(chosen, mask_id, ids), torch.where(chosen, ids, -100)


@mask_tokens.wrong(
    "Your labels forget the tokens that stay as they are. They are chosen, too, and the "
    "model should predict them, since it can't know which ones were changed."
)
def no_label_for_the_kept(ids, draws, fates, other, specials, mask_id):
    chosen = _chosen(ids, draws, specials)
    read = _masked(ids, draws, fates, other, mask_id, chosen)
    return read, torch.where(chosen & (fates < 0.9), ids, -100)


@mask_tokens.wrong(
    "Where nothing is asked, your labels are 0. That is a token's id, and the sign for no "
    "label is -100."
)
def no_label_is_token_0(ids, draws, fates, other, specials, mask_id):
    chosen = _chosen(ids, draws, specials)
    return _masked(ids, draws, fates, other, mask_id, chosen), torch.where(chosen, ids, 0)


@mask_tokens.wrong("Your labels are what the model reads. They must be the true ids.")
def labels_from_what_is_read(ids, draws, fates, other, specials, mask_id):
    chosen = _chosen(ids, draws, specials)
    read = _masked(ids, draws, fates, other, mask_id, chosen)
    return read, torch.where(chosen, read, -100)


@mask_tokens.wrong(
    "You exchanged the last two. From 0.8 to below 0.9 a chosen token becomes another one, "
    "and from 0.9 on it is kept."
)
def the_last_two_exchanged(ids, draws, fates, other, specials, mask_id):
    chosen = _chosen(ids, draws, specials)
    read = torch.where(chosen & (fates < 0.8), mask_id, ids)
    read = torch.where(chosen & (fates >= 0.9), other, read)
    return read, torch.where(chosen, ids, -100)


@mask_tokens.wrong(
    "You exchange all that do not become the mask. From 0.9 on a chosen token is kept as it is."
)
def no_tenth_is_kept(ids, draws, fates, other, specials, mask_id):
    chosen = _chosen(ids, draws, specials)
    read = torch.where(chosen, torch.where(fates < 0.8, mask_id, other), ids)
    return read, torch.where(chosen, ids, -100)


@mask_tokens.wrong(
    "You split the chosen tokens by their draws. Which of them are chosen is up to the draws, "
    "and what becomes of them is up to the fates."
)
def draws_for_fates(ids, draws, fates, other, specials, mask_id):
    chosen = _chosen(ids, draws, specials)
    read = _masked(ids, draws, draws / 0.15, other, mask_id, chosen)
    return read, torch.where(chosen, ids, -100)


@mask_tokens.wrong(
    "You count a number that is exactly at a limit as below it: use < and not <=."
)
def limits_included(ids, draws, fates, other, specials, mask_id):
    chosen = (draws <= 0.15) & ~torch.isin(ids, torch.tensor(specials, dtype=ids.dtype))
    read = torch.where(chosen & (fates <= 0.8), mask_id, ids)
    read = torch.where(chosen & (fates > 0.8) & (fates <= 0.9), other, read)
    return read, torch.where(chosen, ids, -100)


def _loss_cases():
    draw = torch.Generator().manual_seed(17)
    logits = torch.randn(2, 5, 7, generator=draw)
    labels = torch.tensor([[-100, 3, -100, 6, 1], [0, -100, -100, -100, -100]])
    certain = 8 * F.one_hot(torch.tensor([[2, 1, 0]]), 3).float()
    return [
        (logits, labels),
        (logits[:1], torch.tensor([[1, 2, 3, 4, 5]])),
        (certain, torch.tensor([[-100, 1, -100]])),
        (torch.zeros(1, 4, 4), torch.tensor([[-100, -100, -100, 2]])),
        (torch.tensor([[[0.0, 200.0], [1.0, 0.0]]]), torch.tensor([[0, -100]])),
    ]


@exercise(
    "The loss of the hidden ones",
    difficulty=3,
    importance=5,
    minutes=8,
    cases=_loss_cases,
    task=(
        "The model gives scores for every token at every place. Return the mean of -log "
        "P(label) over the places that have a label, where -100 means that there is none."
    ),
    hints=(
        "`labels != -100` picks rows of logits and labels alike.",
        "`logits[chosen]` has the shape (N, V), and `log_softmax(dim=1)` turns it into log P.",
        "`gather(1, targets[:, None])` takes from each row the number of its target.",
    ),
)
def mlm_loss(logits, labels):
    """Mean cross-entropy at the labeled places, in nats: logits (B, T, V), labels (B, T).

    Logits may be in the hundreds; at least one place has a label.
    """
    chosen = labels != -100
    log_p = logits[chosen].log_softmax(dim=1)  # (N, V)
    return -log_p.gather(1, labels[chosen][:, None]).mean()


def _log_p(logits, labels):
    """-log P of each label (B, T), and 0 where there is none."""
    flat = F.cross_entropy(logits.flatten(0, 1), labels.flatten(), reduction="none")
    return flat.view(labels.shape)


@mlm_loss.wrong(
    "You divide by all places. The mean is over the labeled ones only, so with 15% labeled, "
    "yours is about a seventh of it."
)
def mean_of_all_places(logits, labels):
    return _log_p(logits, labels).mean()


@mlm_loss.wrong("That is the sum. Take the mean, which doesn't grow with the number of labels.")
def sum_of_the_labeled(logits, labels):
    return _log_p(logits, labels).sum()


@mlm_loss.wrong(
    "You shift by one, as GPT does, and compare the scores at a place with the label after "
    "it. Here the hidden token is at the place itself."
)
def shifted_as_in_gpt(logits, labels):
    later = labels[:, 1:]
    chosen = later != -100
    return F.cross_entropy(logits[:, :-1][chosen], later[chosen])


@mlm_loss.wrong(
    "You treat -100 as token 0. These places have no label, so they must not count at all."
)
def no_label_as_token_0(logits, labels):
    return F.cross_entropy(logits.flatten(0, 1), labels.clamp(min=0).flatten())


@mlm_loss.wrong(
    "You take the scores themselves. They become log-probabilities only by log_softmax."
)
def scores_for_log_p(logits, labels):
    chosen = labels != -100
    return -logits[chosen].gather(1, labels[chosen][:, None]).mean()


@mlm_loss.wrong("Your softmax runs over the places. Each place has its own, over the V tokens.")
def softmax_over_places(logits, labels):
    chosen = labels != -100
    log_p = logits.log_softmax(dim=1)[chosen]
    return -log_p.gather(1, labels[chosen][:, None]).mean()


@mlm_loss.wrong("You average the probabilities themselves. The loss takes their logarithm.")
def probability_without_its_log(logits, labels):
    chosen = labels != -100
    return -logits[chosen].softmax(dim=1).gather(1, labels[chosen][:, None]).mean()


@mlm_loss.wrong("The sign is wrong: a loss is minus the log-probability.")
def mean_log_probability(logits, labels):
    chosen = labels != -100
    return -F.cross_entropy(logits[chosen], labels[chosen])


@mlm_loss.wrong(
    "You average each text first, and then the texts. A text with one hidden token then "
    "counts as much as one with five."
)
def mean_per_text(logits, labels):
    per_text = [
        F.cross_entropy(a[b != -100], b[b != -100]) for a, b in zip(logits, labels, strict=True)
    ]
    return torch.stack(per_text).mean()


@mlm_loss.wrong(
    "F.cross_entropy wants the V scores in dimension 1. Flatten both: logits.flatten(0, 1) and "
    "labels.flatten()."
)
def three_dimensions(logits, labels):
    return F.cross_entropy(logits, labels)


@mlm_loss.wrong(
    "Your softmax runs over the labeled places (dim=0). Each place has its own, over the V "
    "tokens."
)
def softmax_over_the_labeled(logits, labels):
    chosen = labels != -100
    return -logits[chosen].log_softmax(dim=0).gather(1, labels[chosen][:, None]).mean()


@mlm_loss.wrong(
    "The log of a softmax is -inf where a probability is too small for float32. Take "
    "log_softmax."
)
def log_of_a_softmax(logits, labels):
    chosen = labels != -100
    return -logits[chosen].softmax(dim=1).log().gather(1, labels[chosen][:, None]).mean()


QUESTION = "where was einstein born ?".split()
PASSAGE = "albert einstein was born in germany".split()


def _span_cases():
    twice = "in may he came and in june he left".split()
    return [
        (["who", "?"], ["he", "said", "he"], ["he"]),
        (QUESTION, PASSAGE, ["germany"]),
        (QUESTION, PASSAGE, ["albert", "einstein"]),
        (["who", "saw", "her", "?"], ["he", "saw", "her"], ["saw", "her"]),
        (["when", "did", "he", "leave", "?"], twice, ["in", "june"]),
        (["what", "is", "it", "?"], ["it", "is", "a", "cat"], ["it", "is", "a", "cat"]),
        (["who", "stayed", "?"], "when they left he stayed".split(), ["he"]),
        (["when", "was", "it", "when", "?"], ["May", "came", "in", "may"], ["may"]),
    ]


@exercise(
    "Where is the answer?",
    difficulty=2,
    importance=3,
    minutes=8,
    cases=_span_cases,
    task=(
        "BERT reads [CLS] question [SEP] passage [SEP] and points at the first and the last "
        "token of the answer. Return both places, counted from 0 in what it reads. Take the "
        "first place where the answer occurs in the passage."
    ),
    hints=(
        "How many tokens come before the passage?",
        "Try each start in the passage: do the next len(answer) tokens equal the answer?",
    ),
)
def span_of(question, passage, answer):
    """(first, last) places of the answer's tokens; question, passage, answer: lists of words.

    Words are compared as they are: May is not may.
    span_of(["who", "?"], ["he", "said", "he"], ["he"]) -> (4, 4)
    """
    before = len(question) + 2  # [CLS] and the first [SEP]
    n = len(answer)
    starts = [i for i in range(len(passage)) if passage[i : i + n] == answer]
    return before + starts[0], before + starts[0] + n - 1


def _start(passage, answer):
    n = len(answer)
    return next(i for i in range(len(passage)) if passage[i : i + n] == answer)


@span_of.wrong(
    "You count as if the passage alone followed [CLS]. BERT reads the question first, and a "
    "[SEP] after it."
)
def without_the_question(question, passage, answer):
    first = 1 + _start(passage, answer)
    return first, first + len(answer) - 1


@span_of.wrong("These are places in the passage. Return the places in all that BERT reads.")
def within_the_passage(question, passage, answer):
    first = _start(passage, answer)
    return first, first + len(answer) - 1


@span_of.wrong(
    "Your end is one after the answer, as in Python's slices. BERT points at the last token."
)
def end_exclusive(question, passage, answer):
    first = len(question) + 2 + _start(passage, answer)
    return first, first + len(answer)


@span_of.wrong(
    "One mark is missing: [CLS] and the [SEP] between question and passage each take a place."
)
def no_separator(question, passage, answer):
    first = len(question) + 1 + _start(passage, answer)
    return first, first + len(answer) - 1


@span_of.wrong(
    "You found the answer's words in the question. Look for the answer in the passage only."
)
def found_in_the_question(question, passage, answer):
    read = ["[CLS]", *question, "[SEP]", *passage, "[SEP]"]
    first = _start(read, answer)
    return first, first + len(answer) - 1


@span_of.wrong(
    "You looked for the first word only. `in may` and `in june` begin alike: compare all of "
    "the answer."
)
def first_word_alone(question, passage, answer):
    first = len(question) + 2 + passage.index(answer[0])
    return first, first + len(answer) - 1


@span_of.wrong(
    "You searched the text as one string, and found the answer inside a longer word, as `he` "
    "in `when`. Compare lists of words."
)
def found_inside_a_word(question, passage, answer):
    text = " ".join(passage)
    first = len(question) + 2 + text[: text.index(" ".join(answer))].count(" ")
    return first, first + len(answer) - 1


@span_of.wrong(
    "These are places in the passage, by the answer's first word. Return the places in all "
    "that BERT reads, and compare all of the answer."
)
def first_word_within_the_passage(question, passage, answer):
    first = passage.index(answer[0])
    return first, first + len(answer) - 1


@span_of.wrong(
    "Your end is one after the answer, as in Python's slices. You also look for the first word "
    "only: compare all of the answer."
)
def first_word_end_exclusive(question, passage, answer):
    first = len(question) + 2 + passage.index(answer[0])
    return first, first + len(answer)


@span_of.wrong(
    "One mark is missing: [CLS] and the [SEP] between question and passage each take a place. "
    "You also look for the first word only: compare all of the answer."
)
def first_word_no_separator(question, passage, answer):
    first = len(question) + 1 + passage.index(answer[0])
    return first, first + len(answer) - 1


@span_of.wrong(
    "You count letters. Return places of words: look for the list of words, not for a string."
)
def places_of_letters(question, passage, answer):
    first = " ".join(passage).index(" ".join(answer))
    return first, first + len(answer)


@span_of.wrong("You took the last place where the answer occurs. Take the first.")
def last_occurrence(question, passage, answer):
    n = len(answer)
    starts = [i for i in range(len(passage)) if passage[i : i + n] == answer]
    return len(question) + 2 + starts[-1], len(question) + 2 + starts[-1] + n - 1


@span_of.wrong("You compare in lower case, and find May for may. Compare words as they are.")
def in_lower_case(question, passage, answer):
    n, words = len(answer), [word.lower() for word in passage]
    wanted = [word.lower() for word in answer]
    start = next(i for i in range(len(words)) if words[i : i + n] == wanted)
    return len(question) + 2 + start, len(question) + 2 + start + n - 1


@number_exercise(
    "Which index?",
    difficulty=1,
    importance=3,
    minutes=4,
    first=(5, 5),
    draw=lambda r: (r.randrange(3, 15), r.randrange(2, 60)),
    question=(
        "An answer is one token, number {place} of the passage, counted from 0. At which index "
        "is it if BERT reads [CLS] and then the passage? And at which if it reads a "
        "question of {n_question} tokens, as in [CLS] question [SEP] passage [SEP]? Both "
        "counted from 0."
    ),
    hints=("Count the tokens before the passage.",),
    worked=lambda n_question, place: (
        f"Without the question only [CLS] comes before the passage, so the index is "
        f"1 + {place} = {1 + place}. With the question, 1 + {n_question} + 1 tokens come "
        f"before it, so the index is {n_question + 2} + {place} = {n_question + 2 + place}."
    ),
)
def answer_places(n_question, place):
    """Index without the question, and with it."""
    return 1 + place, n_question + 2 + place


@answer_places.wrong("You forget [CLS], which comes first in both.")
def without_cls(n_question, place):
    return place, n_question + 1 + place


@answer_places.wrong("The [SEP] between question and passage takes an index, too.")
def without_sep(n_question, place):
    return 1 + place, n_question + 1 + place


@answer_places.wrong("You count from 1. [CLS] has index 0.")
def counted_from_1(n_question, place):
    return 2 + place, n_question + 3 + place


@answer_places.wrong("You exchanged the two: first without the question, then with it.")
def in_the_other_order(n_question, place):
    return n_question + 2 + place, 1 + place


@number_exercise(
    "How many parameters does BERT have?",
    difficulty=3,
    importance=3,
    minutes=8,
    first=(30_522, 512, 768, 12),
    draw=lambda r: (
        r.randrange(20_000, 60_000),
        r.choice([256, 512, 1024]),
        r.choice([256, 512, 1024]),
        r.choice([4, 6, 8, 24]),
    ),
    question=(
        "Count the parameters of a BERT of {n_layer} blocks and width C = {C}. Its blocks are "
        "GPT-1's, 12 C² + 13 C numbers each. Its embeddings are three tables, of {n_vocab:,} "
        "tokens, {n_ctx:,} positions and two segments, then a LayerNorm over their sum. On top "
        "is a pooler: one linear layer, C to C with biases, that reads [CLS]. Leave out the "
        "output layers of its training."
    ),
    hints=(
        "A LayerNorm has a gain and a bias: 2C numbers.",
        "(n_vocab + n_ctx + 2) C + 2C before the blocks, C^2 + C after them.",
    ),
    worked=lambda n_vocab, n_ctx, C, n_layer: (
        f"Embeddings ({n_vocab:,} + {n_ctx:,} + 2) x {C} + 2 x {C} = "
        f"{(n_vocab + n_ctx + 4) * C:,}; blocks {n_layer} x {12 * C**2 + 13 * C:,} = "
        f"{n_layer * (12 * C**2 + 13 * C):,}; pooler {C}^2 + {C} = {C**2 + C:,}. Together "
        f"{(n_vocab + n_ctx + 4) * C + n_layer * (12 * C**2 + 13 * C) + C**2 + C:,}."
    ),
)
def bert_parameters(n_vocab, n_ctx, C, n_layer):
    """Parameters of a BERT of this size."""
    embeddings = (n_vocab + n_ctx + 2) * C + 2 * C
    blocks = n_layer * (12 * C**2 + 13 * C)
    return embeddings + blocks + C**2 + C


@bert_parameters.wrong(
    "2 C numbers are missing: the table of the two segments, or the LayerNorm over the sum of "
    "the three embeddings (GPT-1 has neither)."
)
def two_c_too_few(n_vocab, n_ctx, C, n_layer):
    return (n_vocab + n_ctx + 2) * C + n_layer * (12 * C**2 + 13 * C) + C**2 + C


@bert_parameters.wrong("The pooler is missing: a linear layer from C to C, with biases.")
def no_pooler(n_vocab, n_ctx, C, n_layer):
    return (n_vocab + n_ctx + 4) * C + n_layer * (12 * C**2 + 13 * C)


@bert_parameters.wrong("The pooler has C biases, too.")
def pooler_without_biases(n_vocab, n_ctx, C, n_layer):
    return (n_vocab + n_ctx + 4) * C + n_layer * (12 * C**2 + 13 * C) + C**2


@bert_parameters.wrong("The blocks are missing: there are n_layer of them.")
def no_blocks(n_vocab, n_ctx, C, n_layer):
    return (n_vocab + n_ctx + 4) * C + C**2 + C


@bert_parameters.wrong("One block is not enough: there are n_layer of them.")
def one_block(n_vocab, n_ctx, C, n_layer):
    return (n_vocab + n_ctx + 4) * C + 12 * C**2 + 13 * C + C**2 + C


def _power_cases():
    sizes = np.array([1e4, 1e5, 1e6])
    bent = np.array([6.0, 5.0, 4.5])
    return [
        (sizes, 10.0 * sizes**-0.1),
        (sizes, bent),
        (np.array([2.0, 3.0, 50.0, 400.0]), np.array([3.0, 2.9, 2.0, 1.8])),
        (np.array([1.0, 10.0, 100.0]), np.array([1.0, 4.0, 8.0])),
    ]


@exercise(
    "A straight line in logarithms",
    difficulty=3,
    importance=5,
    minutes=12,
    cases=_power_cases,
    tolerance=1e-6,
    task=(
        "Fit loss = a N^(-alpha) to all points, as the straight line of log loss against log "
        "N, by least squares of the logarithms. Return (alpha, a)."
    ),
    hints=(
        "log loss = log a - alpha log N, which is a line in log N.",
        "`np.polyfit(x, y, 1)` returns slope and intercept of the line of least squares.",
        "alpha is minus the slope, and a is e to the power of the intercept.",
    ),
)
def fit_power(sizes, losses):
    """(alpha, a) of the power law a N^(-alpha) through sizes (n,) and losses (n,)."""
    slope, intercept = np.polyfit(np.log(sizes), np.log(losses), 1)
    return -slope, np.exp(intercept)


@fit_power.wrong(
    "You fit a line through the numbers themselves. A power law is straight where both axes "
    "are logarithms."
)
def linear_axes(sizes, losses):
    slope, intercept = np.polyfit(sizes, losses, 1)
    return -slope, intercept


@fit_power.wrong(
    "The sign is wrong: alpha is minus the slope, so a falling loss has a positive alpha."
)
def wrong_sign(sizes, losses):
    slope, intercept = np.polyfit(np.log(sizes), np.log(losses), 1)
    return slope, np.exp(intercept)


@fit_power.wrong(
    "You took the logarithm of N only. loss = b - c log N is another curve: it reaches 0, and "
    "goes below."
)
def log_of_the_sizes_only(sizes, losses):
    slope, intercept = np.polyfit(np.log(sizes), losses, 1)
    return -slope, intercept


@fit_power.wrong("You exchanged the two: return alpha first, and then a.")
def a_before_alpha(sizes, losses):
    slope, intercept = np.polyfit(np.log(sizes), np.log(losses), 1)
    return np.exp(intercept), -slope


@fit_power.wrong("Your axes are exchanged: `np.polyfit` takes log N first, and then log loss.")
def axes_exchanged(sizes, losses):
    slope, intercept = np.polyfit(np.log(losses), np.log(sizes), 1)
    return -slope, np.exp(intercept)


@fit_power.wrong("You took the logarithm of the loss only: that is an exponential in N.")
def log_of_the_losses_only(sizes, losses):
    slope, intercept = np.polyfit(sizes, np.log(losses), 1)
    return -slope, np.exp(intercept)


@fit_power.wrong("Your second number is log a. The law has a itself.")
def log_a(sizes, losses):
    slope, intercept = np.polyfit(np.log(sizes), np.log(losses), 1)
    return -slope, intercept


@fit_power.wrong(
    "You draw the line through the first and the last point. The points between count, too, "
    "so use least squares."
)
def through_two_points(sizes, losses):
    slope = (np.log(losses[-1]) - np.log(losses[0])) / (np.log(sizes[-1]) - np.log(sizes[0]))
    return -slope, losses[0] / sizes[0] ** slope


@fit_power.wrong(
    "You took logarithms to base 10, so a is 10 to the power of the intercept, not e to it."
)
def two_bases(sizes, losses):
    slope, intercept = np.polyfit(np.log10(sizes), np.log10(losses), 1)
    return -slope, np.exp(intercept)


@fit_power.wrong(
    "You return slope and intercept as `np.polyfit` gives them. alpha is minus the slope, and "
    "a is e to the power of the intercept."
)
def slope_and_intercept(sizes, losses):
    return tuple(np.polyfit(np.log(sizes), np.log(losses), 1))


@number_exercise(
    "What is twice the size worth?",
    difficulty=2,
    importance=4,
    minutes=5,
    first=(2, 0.076),
    draw=lambda r: (r.choice([2, 3, 5, 10, 20, 100]), r.choice([0.05, 0.076, 0.095, 0.12])),
    decimals=4,
    question=(
        "By the law loss = a N^(-alpha) with alpha = {alpha}: by what factor is the loss "
        "multiplied if N is multiplied by {times}?"
    ),
    hints=(
        "Divide a (k N)^(-alpha) by a N^(-alpha), where k is the factor: a and N cancel.",
        "What is left is k to the power of -alpha.",
    ),
    worked=lambda times, alpha: (
        f"{times}^(-{alpha}) = {times**-alpha:.6f}: the loss falls by "
        f"{100 * (1 - times**-alpha):.1f}%."
    ),
)
def loss_factor(times, alpha):
    """What the loss is multiplied by."""
    return times**-alpha


@loss_factor.wrong("That is in percent. Give the factor itself.")
def in_percent(times, alpha):
    return 100 * times**-alpha


@loss_factor.wrong("Your loss grows with the size, but the exponent is minus alpha.")
def grows(times, alpha):
    return times**alpha


@loss_factor.wrong(
    "You multiply where the law has a power. Take the factor to the power of -alpha."
)
def product(times, alpha):
    return 1 - times * alpha


@loss_factor.wrong("That is the change of the loss. Give the factor by which it is multiplied.")
def change_of_the_loss(times, alpha):
    return times**-alpha - 1


@loss_factor.wrong(
    "That is by how much the loss falls. Give the factor by which it is multiplied."
)
def what_is_lost(times, alpha):
    return 1 - times**-alpha


@loss_factor.wrong(
    "That is by how many percent the loss falls. Give the factor by which it is multiplied."
)
def percent_lost(times, alpha):
    return 100 * (1 - times**-alpha)


@loss_factor.wrong("You let alpha be 1: twice the size would halve the loss.")
def one_over_times(times, alpha):
    return 1 / times


@loss_factor.wrong(
    "That is 1 - alpha log(factor), which is close only for factors near 1. Take the power."
)
def first_order(times, alpha):
    return 1 - alpha * math.log(times)


def _prompt_cases():
    pairs = [("big", "small"), ("hot", "cold"), ("old", "young")]
    return [
        (pairs, "long"),
        ([("he", "she")], "king"),
        ([], "up"),
        ([("one day", "many days"), ("a cat", "two cats")], "the sea"),
        ([("big", "small"), ("big", "little"), ("big", "small")], "hot"),  # left sides twice
        ([(" He", " She")], " King"),  # capitals, and words with a space before them
    ]


@exercise(
    "A prompt with examples",
    difficulty=1,
    importance=3,
    minutes=5,
    cases=_prompt_cases,
    task=(
        "Few-shot means that the task is shown and not trained. Write one line per example, "
        "`left : right`, and a last line with the new left side and ` :`, where the model is "
        "to go on. There is no line break and no space at the end."
    ),
    hints=('`"\\n".join(lines)` puts a line break between lines, and none at the end.',),
)
def few_shot_prompt(examples, asked):
    """The prompt: examples, a list of pairs (left, right), then the left side that is asked.

    All examples are written in the given order and as they are, even if two are equal or
    share a left side.
    few_shot_prompt([("he", "she")], "king") -> "he : she\\nking :"
    """
    lines = [f"{left} : {right}" for left, right in examples]
    return "\n".join([*lines, f"{asked} :"])


@few_shot_prompt.wrong(
    'You write a backslash and an n. A line break is "\\n" in Python, with one backslash.'
)
def backslash_and_n(examples, asked):
    return "\\n".join([*(f"{a} : {b}" for a, b in examples), f"{asked} :"])


@few_shot_prompt.wrong(
    "There is a space at the end. For many tokenizers it is a token of its own, and then no "
    "word begins as it usually does."
)
def space_at_the_end(examples, asked):
    return "\n".join([*(f"{a} : {b}" for a, b in examples), f"{asked} : "])


@few_shot_prompt.wrong("The examples come first. The model goes on where the prompt ends.")
def asked_first(examples, asked):
    return "\n".join([f"{asked} :", *(f"{a} : {b}" for a, b in examples)])


@few_shot_prompt.wrong("Each example is a line of its own: your prompt has no line breaks.")
def one_line(examples, asked):
    return " ".join([*(f"{a} : {b}" for a, b in examples), f"{asked} :"])


@few_shot_prompt.wrong("Your examples show no answers, so there is nothing to learn from them.")
def without_answers(examples, asked):
    return "\n".join([*(f"{a} :" for a, _ in examples), f"{asked} :"])


@few_shot_prompt.wrong(
    "The colon after what is asked is missing, which is where the model goes on."
)
def no_colon(examples, asked):
    return "\n".join([*(f"{a} : {b}" for a, b in examples), asked])


@few_shot_prompt.wrong("There is a line break at the end, so the model would begin a new line.")
def line_break_at_the_end(examples, asked):
    return "".join(f"{a} : {b}\n" for a, b in examples) + f"{asked} :\n"


@few_shot_prompt.wrong(
    "There is a space at the end. For many tokenizers it is a token of its own, and then no "
    "word begins as it usually does. Without examples there is also a line break too many."
)
def space_at_the_end_of_a_line_of_its_own(examples, asked):
    return "\n".join(f"{a} : {b}" for a, b in examples) + f"\n{asked} : "


@few_shot_prompt.wrong(
    "Right, except that without examples your prompt begins with a line break. Join all of the "
    "lines at once."
)
def line_break_without_examples(examples, asked):
    return "\n".join(f"{a} : {b}" for a, b in examples) + f"\n{asked} :"


@few_shot_prompt.wrong(
    "Each example is a line of its own: join them by line breaks, not spaces."
)
def one_line_and_a_space(examples, asked):
    return " ".join(f"{a} : {b}" for a, b in examples) + f" {asked} :"


@few_shot_prompt.wrong("You return a list of lines. Join them by line breaks to one string.")
def list_of_lines(examples, asked):
    return [*(f"{a} : {b}" for a, b in examples), f"{asked} :"]


@few_shot_prompt.wrong("That is zero-shot, because the examples are missing.")
def zero_shot(examples, asked):
    return f"{asked} :"


@few_shot_prompt.wrong("There should be a space before each colon: `left : right`.")
def no_space_before_the_colon(examples, asked):
    return "\n".join([*(f"{a}: {b}" for a, b in examples), f"{asked}:"])


@few_shot_prompt.wrong("There should be a space before each colon, in the examples, too.")
def no_space_in_the_examples(examples, asked):
    return "\n".join([*(f"{a}: {b}" for a, b in examples), f"{asked} :"])


@few_shot_prompt.wrong(
    "A dict keeps one right side for each left side, and a left side may come twice. Go "
    "through the list itself."
)
def through_a_dict(examples, asked):
    return few_shot_prompt([*dict(examples).items()], asked)


@few_shot_prompt.wrong("You leave out examples that come twice. Write all that are given.")
def each_pair_once(examples, asked):
    return few_shot_prompt([*dict.fromkeys(examples)], asked)


@few_shot_prompt.wrong("You cut spaces off the words. Write them as they are.")
def words_stripped(examples, asked):
    return few_shot_prompt([(a.strip(), b.strip()) for a, b in examples], asked.strip())


@few_shot_prompt.wrong("You write the words in lower case. Write them as they are.")
def lower_case(examples, asked):
    return few_shot_prompt(examples, asked).lower()


# ---- what the cells take from here ---------------------------------------------------

PAIRS = {
    "past": "go went say said come came see saw give gave take took know knew think thought "
    "stand stood sit sat run ran speak spoke leave left find found hold held begin began "
    "fall fell tell told hear heard feel felt bring brought write wrote keep kept lie lay",
    "opposite": "big small hot cold old young good bad long short rich poor day night king "
    "queen man woman brother sister father mother boy girl black white up down early late "
    "life death love hate first last right left yes no he she his her husband wife son "
    "daughter",
    "plural": "man men woman women child children eye eyes hand hands day days lady ladies "
    "year years friend friends sister sisters word words house houses horse horses room rooms "
    "letter letters ship ships door doors girl girls brother brothers arm arms tear tears "
    "thing things face faces foot feet",
}
"""Word pairs of three kinds, left and right in turn."""


def few_shot_questions(seed: int) -> list[tuple]:
    """(three examples, what is asked, four options, the true one first) of each pair."""
    draw, questions = random.Random(seed), []
    for text in PAIRS.values():
        words = text.split()
        pairs = list(zip(words[::2], words[1::2], strict=True))
        for pair in pairs:
            others = [other for other in pairs if other != pair]
            options = [pair[1], *(right for _, right in draw.sample(others, 3))]
            questions.append((draw.sample(others, 3), pair[0], options))
    return questions


@torch.inference_mode()
def next_word(checkpoint, prompt: str) -> torch.Tensor:
    """log P of every token after a prompt: (V,)."""
    ids = torch.tensor([checkpoint.bpe.encode(prompt)])
    return checkpoint.model(ids)[0, -1].log_softmax(dim=-1)


def heldout_passage(n_characters: int = 4000) -> str:
    """The beginning of a chapter of a book that nobody trained on."""
    book = g.corpus.read_books(HELDOUT_BOOKS)["austen_northanger_abbey"]
    begin = book.index("CHAPTER")
    return book[begin : begin + n_characters]


@torch.inference_mode()
def own_nats(model, ids: torch.Tensor, start: int) -> list[float]:
    """Mean of -log P in nats of each text's tokens from `start` on, ids (B, T)."""
    log_p = g.losses.token_log_probs(model(ids), ids)
    return (-log_p[:, start - 1 :].mean(dim=1)).tolist()


def repeated(ids: torch.Tensor) -> float:
    """Share of runs of four tokens that stood in the text before; ids (T,)."""
    runs = list(zip(*(ids[i:].tolist() for i in range(4)), strict=False))
    return 1 - len(set(runs)) / len(runs)


def written(checkpoint, start: str, n_texts: int, n_tokens: int) -> list[str]:
    """What the model writes after a start, drawn n_texts times at temperature 0.9."""
    ids = torch.tensor([checkpoint.bpe.encode(start)]).repeat(n_texts, 1)
    draw = torch.Generator().manual_seed(17)
    options = {"temperature": 0.9, "generator": draw}
    new = g.generate.generate(checkpoint.model, ids, n_tokens, **options)[:, ids.shape[1] :]
    return [checkpoint.bpe.decode(row) for row in new.tolist()]


def signs_in(texts: list[str], signs: str) -> int:
    """How often words of a list fall in some texts."""
    return sum(" ".join(texts).split().count(word) for word in signs.split())


@contextmanager
def rounded_to(model, bits: int):
    """A copy of a model, each row of its matrices rounded to 2^bits - 1 even steps."""
    small, most = copy.deepcopy(model), 2 ** (bits - 1) - 1
    with torch.no_grad():
        for p in small.parameters():
            if p.dim() == 2:
                step = p.abs().amax(dim=1, keepdim=True) / most
                p.copy_((p / step).round() * step)
    yield small


def exponent_half(sizes, losses) -> float:
    """Half of the 95% interval of a fitted exponent, if chance alone moved the points."""
    _, spread = np.polyfit(np.log(sizes), np.log(losses), 1, cov=True)
    return statistics.student_t(len(sizes) - 2) * math.sqrt(spread[0, 0])


def said_of(sweep: dict) -> str:
    """The ends of each curve in words, for an alt text."""
    ends = {name: (points[0][1], points[-1][1]) for name, points in sweep.items()}
    return "; ".join(f"{name}: from {a:.2f} to {b:.2f}" for name, (a, b) in ends.items()) + "."


EXERCISES = (
    mask_tokens, mlm_loss, span_of, answer_places, bert_parameters, fit_power, loss_factor,
    few_shot_prompt,
)  # fmt: skip
check = Checker(EXERCISES)
mine = check.mine
