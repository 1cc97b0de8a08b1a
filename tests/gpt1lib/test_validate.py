"""One bad argument at a time: it is refused by its name, and numpy's numbers are welcome."""

import math
import re

import numpy as np
import pytest
import torch

import gpt1lib as g
from gpt1course import ngrams
from gpt1course.paper import readout, zeroshot
from gpt1lib import (
    corpus,
    evaluate,
    generate,
    induction,
    inputs,
    losses,
    metrics,
    optim,
    sample,
    validate,
)
from gpt1lib import numpy_gpt as ng
from gpt1lib.bpe import BPE
from gpt1lib.checkpoints import snapshots
from gpt1lib.checkpoints.quantize import quantize_rows
from gpt1lib.fast.loss import chunked_lm_loss
from gpt1lib.finetune.config import Settings
from gpt1lib.finetune.data import graded_target, target_of
from gpt1lib.pretrain.config import Recipe
from gpt1lib.pretrain.trainer import seed_of
from gpt1lib.rng import fork_rng
from gpt1lib.tasks import Task

HUGE, NAN = 2**70, math.nan
CONFIG = g.GPTConfig(n_vocab=11, n_ctx=8, n_layer=1, n_head=2, n_embd=8, dropout=0.0)
IDS = torch.tensor([[1, 2, 3]])
STREAM = torch.arange(40) % 11
LOGITS = torch.arange(33.0).view(1, 3, 11).sin()
H = LOGITS[..., :8].double().numpy()


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(0)
    return g.GPT(CONFIG).eval()


def clip(max_norm):
    layer = torch.nn.Linear(2, 2)
    layer(torch.ones(2)).sum().backward()
    return optim.clip_gradients(layer, max_norm) and layer.weight.grad


def seeded_number(seed):
    with fork_rng(seed):
        return torch.rand(1)


def chunked(rows):
    return chunked_lm_loss(LOGITS[..., :8], LOGITS[0].T[:, :1].expand(11, 8), IDS, rows)


def plain(answer):
    """An answer that `==` compares: tensors, arrays and numpy's numbers as Python's."""
    return answer.tolist() if hasattr(answer, "tolist") else answer


WHOLE = {  # name in the message -> call, a good value, limits that are just too low or high
    "top_k": (lambda k: generate.keep_top_k(LOGITS, k), 3, (0,)),
    "n_ctx": (lambda n: corpus.windows_in_order(STREAM, n)[0], 7, (0, 1)),
    "n_windows": (lambda n: len(corpus.random_windows(STREAM, 7, n)), 7, (0,)),
    "batch": (lambda n: zeroshot.continuation_scores(g.GPT(CONFIG), [], n), 2, (0,)),
    "rows": (chunked, 2, (0,)),
    "n_vocab": (inputs.Specials.after, 11, (0,)),
    "correct": (lambda n: metrics.wilson(n, 5), 2, (6,)),
    "n": (lambda n: ngrams.unseen_share("abc", "abd", n), 2, (0,)),
    "n_classes": (lambda n: graded_target(0.5, n), 6, (1,)),
    "n_characters": (lambda n: losses.bits_per_character(9.0, n), 4, (0,)),
    "n_tokens": (lambda n: evaluate.book_score(2.0, n, 9), 4, (1,)),
    "n_layer": (lambda n: g.GPTConfig(n_layer=n), 3, (0, HUGE)),
    "epochs": (lambda n: Settings(epochs=n), 3, (0,)),
    "patience": (lambda n: Settings(patience="" if n is None else n), 3, (0,)),  # None: none
    "steps": (lambda n: Recipe(steps=n), 3000, (0,)),
    "seed": (seeded_number, 3, (HUGE,)),
}


@pytest.mark.parametrize("name", WHOLE)
def test_a_whole_number_is_whole_and_within_its_limits(name):
    call, good, beyond = WHOLE[name]
    for bad in (None, 2.5, float(good), "60", NAN, math.inf, True, -1, *beyond):
        with pytest.raises(ValueError, match=rf"^{name} is "):
            call(bad)
    for kind in (np.int64, np.int32):
        assert plain(call(kind(good))) == plain(call(good))


POSITIVE, TO_ONE = (-0.5, 0), (-0.5, 1.0)
NUMBERS = {  # as above; the values beyond the limits
    "temperature": (
        lambda t: generate.next_token_probs(LOGITS, t), 0.5, (-0.5, 1e-46, HUGE)),
    "top_p": (lambda p: generate.keep_top_p(LOGITS.softmax(-1), p), 0.5, (0, 1.01, 1e-46)),
    "dropout": (lambda p: g.GPTConfig(dropout=p), 0.5, TO_ONE),
    "max_norm": (clip, 0.5, POSITIVE),
    "warmdown": (lambda share: optim.warmup_flat(9, 2, 10, share), 0.5, (-0.5, 0, 1.5)),
    "weight_decay": (lambda x: len(optim.decay_groups(g.GPT(CONFIG), x)), 0.5, (-0.5,)),
    "smoothing": (lambda x: ngrams.bigram_probs(np.eye(2), x), 0.5, (-0.5,)),
    "z": (lambda z: metrics.wilson(2, 5, z), 0.5, POSITIVE),
    "lm_coef": (lambda x: losses.combined_loss(1, 2, x), 0.5, (-0.5,)),
    "lr": (lambda x: Settings(lr=x), 0.5, POSITIVE),
    "grad_clip": (lambda x: Recipe(grad_clip=x), 0.5, POSITIVE),
}  # fmt: skip


@pytest.mark.parametrize("name", NUMBERS)
def test_a_number_is_finite_and_within_its_limits(name):
    call, good, beyond = NUMBERS[name]
    for bad in ("hot", NAN, math.inf, True, [0.5], 10**400, *beyond):
        with pytest.raises(ValueError, match=rf"^{name}.* is "):
            call(bad)
    for kind in (np.float64, np.float32):
        assert plain(call(kind(good))) == plain(call(good))


@pytest.mark.parametrize(
    ("value", "bounds", "sentence"),
    [
        (NAN, {}, "x is nan, it must be a finite number"),
        (0, {"gt": 0}, "x is 0, it must be a finite number > 0"),
        (-1, {"ge": 0, "note": "!"}, "x is -1, it must be a finite number >= 0!"),
        (2, {"lt": 2}, "x is 2, it must be a finite number < 2"),
        (3, {"le": 2}, "x is 3, it must be a finite number <= 2"),
        (2, {"ge": 0, "le": 1}, "x is 2, it must be a finite number >= 0 and <= 1"),
        (1, {"ge": 0, "lt": 1}, "x is 1, it must be a finite number >= 0 and < 1"),
        (0, {"gt": 0, "le": 1}, "x is 0, it must be a finite number > 0 and <= 1"),
        (0, {"gt": 0, "lt": 1}, "x is 0, it must be a finite number > 0 and < 1"),
        (9, {"lt": 1, "what": "small"}, "x is 9, it must be small"),
        (11, {"high": 10}, "x is 11, it must be an integer <= 10"),
        (-1, {"low": 0}, "x is -1, it must be an integer >= 0"),
        (11, {"low": 0, "high": 10}, "x is 11, it must be an integer from 0 to 10"),
        ("a", {"low": -math.inf}, "x is 'a', it must be an integer"),
    ],
)
def test_the_message_is_made_from_the_bounds(value, bounds, sentence):
    check = validate.check_int if {"low", "high"} & bounds.keys() else validate.check_float
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
        check("x", value, **bounds)


def test_bounds_are_allowed_or_not_as_their_sign_says():
    assert validate.check_float("x", 0, ge=0, lt=1) == 0.0
    assert validate.check_float("x", 1, gt=0, le=1) == 1.0


def labeled(label, n_classes=3):
    return target_of(Task("t", "classification", n_classes, [], [], []), label)


PARAMS, MODEL = ng.initial_params(CONFIG), g.GPT(CONFIG)
LETTERS, EXAMPLE = BPE.learn("a text", 3), r"torch.tensor\(\[bpe.encode\(text\)\]\)"
MINUS = torch.tensor([[1, -100, 3]])
OTHERS = [
    (lambda: g.GPTConfig(tied="false"), "tied is 'false', it must be True or False"),
    (lambda: Recipe(bf16=1), "bf16 is 1, it must be True or False"),
    (lambda: Recipe(kind=["rnn"]), r"kind is \['rnn'\], it must be a string"),
    (lambda: Recipe(model={"n_ctx": 5}), "model is {'n_ctx': 5}, it must be a GPTConfig"),
    (lambda: Settings(method=["full"]), r"method is \['full'\], it must be a string"),
    (lambda: BPE.learn("a text", 2.5), "n_merges is 2.5, it must be an integer"),
    (lambda: BPE.learn("a text", "3"), "n_merges is '3', it must be an integer"),
    (lambda: LETTERS.decode("hello"), "ids are 'hello', they must be token ids: bpe.encode"),
    (lambda: LETTERS.decode([1.7]), "token id is 1.7, it must be an integer from 0 to"),
    (lambda: generate.greedy(MODEL, [[1, 2]], 3), f"ids are list.*{EXAMPLE}"),
    (lambda: generate.beam_search(MODEL, [1, 2], 3, 2), f"ids are list.*{EXAMPLE}"),
    (lambda: generate.log_prob(MODEL, [1, 2]), f"ids are list.*{EXAMPLE}"),
    (lambda: generate.log_prob(MODEL, IDS[0] + 9), "token id 12 is not in 0 to 10"),
    (lambda: generate.log_prob(MODEL, IDS[0, :1]), "1 token has nothing to predict"),
    (lambda: generate.log_prob(MODEL, IDS.repeat(2, 1)), "ids have 2 rows"),
    (lambda: evaluate.score_books(MODEL, LETTERS, {"x": ""}), "book 'x' has 0 tokens"),
    (lambda: losses.lm_log_likelihood(LOGITS, IDS, torch.ones(1, 2)), "the mask has shape"),
    (lambda: losses.lm_log_likelihood(LOGITS, IDS, IDS), "the mask has other numbers"),
    (lambda: induction.copying(MODEL, IDS), "there are 3 tokens, a span said twice"),
    (lambda: induction.prefix_matching_scores(torch.ones(5, 5)), "there are 5 tokens"),
    (lambda: optim.warmup_linear(NAN, 2, 10), "step is nan"),
    (lambda: corpus.encode_books({}, None), "there are no books"),
    (lambda: corpus.write_tokens("x", torch.tensor([-1, 2])), "token id -1 is not in 0 to"),
    (lambda: corpus.write_tokens("x", torch.tensor([2**33])), "token id 8589934592"),
    (lambda: losses.lm_loss(LOGITS, MINUS), "token id -100 is not in 0 to 10"),
    (lambda: losses.lm_loss(LOGITS, IDS, torch.ones(1, 2)), r"the mask has shape \(1, 2\)"),
    (lambda: losses.task_loss(LOGITS[0], MINUS[0]), "label -100 is not in 0 to 10"),
    (lambda: losses.task_loss(LOGITS[0], IDS), r"\(3, 11\) and \(1, 3\)"),
    (lambda: losses.task_loss(LOGITS[0], LOGITS[0]), "labels are not distributions"),
    (lambda: losses.perplexity(-2.9), "the loss is -2.9 nats"),
    (lambda: chunked_lm_loss(LOGITS, LOGITS[0], IDS), "token id 3 is not in 0 to 2"),
    (lambda: inputs.to_sequences(None, "typo", ("a",), 9), "kind 'typo' is unknown"),
    (lambda: inputs.to_sequences(None, "choice", ("a", "b"), 9), "needs texts: at least 3"),
    (lambda: inputs.to_sequences(None, "similarity", "ab", 9), "it got 'ab'"),
    (lambda: labeled(1.5), "label 1.5 is not in 0 to 2"),
    (lambda: labeled(NAN), "label nan is not in"),
    (lambda: generate.renormalize(torch.zeros(3)), "sum to 0"),
    (lambda: generate.draw(torch.tensor([[0.5, -0.5]])), "must be >= 0"),
    (lambda: generate.draw(torch.tensor([[0.5, NAN]])), "must sum to more than 0"),
    (lambda: ng.states(PARAMS, np.array([[1, -1]]), CONFIG), "token id -1 is not in 0 to 10"),
    (lambda: ng.states(PARAMS, [[1, 2]], CONFIG), r"ids are list.*np.array\(\[bpe.encode"),
    (lambda: ng.states(PARAMS, np.array([[1.5]]), CONFIG), "token ids are float64"),
    (lambda: ng.states(PARAMS, np.zeros((1, 9), int), CONFIG), "T <= 8"),
    (lambda: ng.lm_loss(H, H[0].repeat(4, 0), np.array([[1]])), "targets in the mask"),
    (lambda: ng.lm_loss(H, H[0], np.array([[0, 1, -1]])), "token id -1 is not in 0 to 2"),
    (lambda: ng.NumpyAdam({}, lr=NAN), "lr is nan"),
    (lambda: zeroshot.above_median([]), "at least 1"),
    (lambda: evaluate.all_books({}), "there are no scores"),
    (lambda: quantize_rows(torch.tensor([[NAN]])), "diverged"),
    (lambda: ngrams.NGram(HUGE, "ab"), "n is 1180591620717411303424.* from 1 to 100"),
    (lambda: ngrams.bigram_probs(np.array([[-1, 2], [1, 1]])), "below 0"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "message"), OTHERS)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_what_a_model_is_asked_for(model):
    ids = IDS[0]
    for start in (0, -2, 3, 99):
        with pytest.raises(ValueError, match=f"start is {start}.* from 1 to 2"):
            generate.log_prob(model, ids, start)
    assert generate.log_prob(model, IDS) == generate.log_prob(model, ids)
    for n_tokens in (-1, 2.5, "60", HUGE):
        with pytest.raises(ValueError, match="n_tokens is "):
            generate.generate(model, IDS, n_tokens)
        with pytest.raises(ValueError, match="n_tokens is "):
            generate.beam_search(model, IDS, n_tokens, 2)
    with pytest.raises(ValueError, match="the prompt is empty"):
        g.trace(model, [])
    with pytest.raises(ValueError, match="n_windows is 0"):
        evaluate.heldout_nats(model, STREAM, 0)


def test_what_write_is_asked_for(novelist):
    for seed in (None, -1, 2**64):
        with pytest.raises(ValueError, match=f"seed is {seed}"):
            sample.sample_text(novelist, "She", 2, seed=seed)
    with pytest.raises(TypeError, match="the text is 5, it must be a string"):
        sample.sample_text(novelist, 5, 2)
    told = novelist.bpe.encode("a man ran " * 100)[:256]
    with pytest.raises(ValueError, match="256 tokens, the context 256"):
        readout.ending_views(novelist.model, novelist.bpe, "once", novelist.bpe.decode(told))
    plain = sample.sample_text(novelist, "She", 4, 0.5, 5, 0.75, 1)
    numpys = (np.int64(4), np.float32(0.5), np.int64(5), np.float32(0.75), np.int64(1))
    assert sample.sample_text(novelist, "She", *numpys) == plain


@pytest.mark.parametrize("temperature", [0, 0.8])
def test_a_model_that_is_nan_writes_nothing(temperature):
    broken = g.GPT(CONFIG)
    with torch.no_grad():
        broken.tokens.weight[3, 3] = NAN
    with pytest.raises(ValueError, match="logits contain nan"):
        generate.generate(broken, torch.tensor([[1]]), 2, temperature=temperature)
    with pytest.raises(ValueError, match="logits contain nan"):
        generate.beam_search(broken, torch.tensor([[1]]), 2, 2)


def test_extremes_that_have_an_answer():
    assert losses.perplexity(1e30) == math.inf
    assert ngrams.bigram_counts("", "ab").tolist() == [[0, 0], [0, 0]]
    assert snapshots.steps_to_keep(100, HUGE) == [1, 2, 3, 6, 12, 25, 50, 100]
    assert generate.keep_top_k(LOGITS, HUGE).all() and generate.keep_top_p(LOGITS, 1.0).all()
    recipe = Recipe(seed=20260101120000)
    assert 0 <= seed_of(recipe, 9) <= validate.MAX_SEED != seed_of(recipe, 8)
