"""Lesson 12, Decoding."""

import math

import torch

from ..checking.exercise import Checker, exercise
from ..checking.number_exercise import number_exercise


def _logits(n, seed):
    return torch.randn(n, generator=torch.Generator().manual_seed(seed)) * 1.5


def _probs(n, seed):
    return _logits(n, seed).softmax(dim=0)


@exercise(
    "Temperature",
    difficulty=2,
    importance=5,
    minutes=8,
    cases=lambda: [
        (torch.tensor([1.0, 3.0]), 0),
        (_logits(5, 0), 0.5),
        (_logits(7, 1), 2.0),
        (_logits(4, 2), 0),
        (torch.tensor([0.5, 2.0, 2.0, 1.0]), 0),  # two that are equally large
        (torch.tensor([0.5, 2.0, 1.0]), 0.0),
        (torch.tensor([1.0, 1.01]), 0.05),
        (torch.tensor([10.0, 9.0]), 0.05),  # logits of 200
        (torch.tensor([1.0, 1.0078125]), 0.01),
        (torch.tensor([0.0, 0.0009765625]), 0.001),
        (torch.tensor([0.0, 800.0]), 400),  # e^-800 is 0, and its root is not what is asked
        (torch.zeros(1024), 0.01),  # 1/1024 to the power of 100
    ],
    task=(
        "Turn logits into probabilities at a temperature: divide the logits by it, and then "
        "take the softmax. A temperature of 0 means greedy, with all of the probability on "
        "the first of the largest logits."
    ),
    hints=(
        "There are two cases, `if temperature == 0` and the rest.",
        "`logits.argmax()` is the first of the largest.",
    ),
)
def apply_temperature(logits, temperature):
    """Probabilities (V,) from logits (V,) at a temperature >= 0, also 0.0, 0.001 or 400.

    Only 0 is greedy. Logits may be in the hundreds, before or after you divide them.
    apply_temperature(tensor([1., 3.]), 0) -> tensor([0., 1.])
    """
    if temperature == 0:
        probs = torch.zeros_like(logits)
        probs[logits.argmax()] = 1.0
        return probs
    return (logits / temperature).softmax(dim=0)


@apply_temperature.wrong(
    "You multiply by the temperature, so a high one sharpens the distribution instead of "
    "flattening it. Divide, and treat temperature 0 as a case of its own."
)
def multiplies_without_a_case_for_0(logits, temperature):
    return (logits * temperature).softmax(dim=0)


@apply_temperature.wrong(
    "These are scaled logits, and at temperature 0 they are inf. Take the softmax of them, and "
    "treat 0 as a case of its own."
)
def logits_without_a_softmax(logits, temperature):
    return logits / temperature


@apply_temperature.wrong(
    "You multiply by the temperature; divide. High temperature should flatten "
    "the distribution, yours sharpens it."
)
def multiplies(logits, temperature):
    if temperature == 0:
        p = torch.zeros_like(logits)
        p[logits.argmax()] = 1.0
        return p
    return (logits * temperature).softmax(dim=0)


@apply_temperature.wrong(
    "The temperature has no effect in yours: the softmax, or renormalizing, undoes what you "
    "did. Divide the logits by it, before the softmax."
)
def divides_probabilities(logits, temperature):
    if temperature == 0:
        p = torch.zeros_like(logits)
        p[logits.argmax()] = 1.0
        return p
    p = logits.softmax(dim=0) / temperature
    return p / p.sum()


@apply_temperature.wrong(
    "Right, but at temperature 0 you divide by zero and get nan. Handle 0 separately, and "
    "`return` there."
)
def no_case_for_0(logits, temperature):
    return (logits / temperature).softmax(dim=0)


@apply_temperature.wrong(
    "At temperature 0 you return the uniform distribution, which is the limit of "
    "a very high temperature. The limit of a low one is greedy."
)
def uniform_at_0(logits, temperature):
    if temperature == 0:
        return torch.ones_like(logits) / len(logits)
    return (logits / temperature).softmax(dim=0)


@apply_temperature.wrong(
    "Right, except for a tie at temperature 0: two logits that are equally large get one half "
    "each, as they do when you divide by a tiny number. Take the first of them."
)
def a_tiny_temperature(logits, temperature):
    return (logits / max(temperature, 1e-8)).softmax(dim=0)


@apply_temperature.wrong(
    "Right, except for a tie at temperature 0: you take the last of the largest; take "
    "the first."
)
def the_last_of_the_largest_at_0(logits, temperature):
    if temperature == 0:
        probs = torch.zeros_like(logits)
        probs[len(logits) - 1 - logits.flip(0).argmax()] = 1.0
        return probs
    return (logits / temperature).softmax(dim=0)


@apply_temperature.wrong(
    "At temperature 0 you return the largest logit's position. Return probabilities, "
    "1 at that position."
)
def a_position_at_0(logits, temperature):
    return logits.argmax() if temperature == 0 else (logits / temperature).softmax(dim=0)


@apply_temperature.wrong("Those are log-probabilities. Return probabilities: softmax.")
def log_probabilities(logits, temperature):
    if temperature == 0:
        return apply_temperature.solution(logits, 0).log()
    return (logits / temperature).log_softmax(dim=0)


@apply_temperature.wrong(
    "0.0 is a temperature of 0, too. Compare by ==; `is` asks for the very same object."
)
def only_a_whole_0(logits, temperature):
    if isinstance(temperature, int) and temperature == 0:
        return apply_temperature.solution(logits, 0)
    return (logits / temperature).softmax(dim=0)


@apply_temperature.wrong(
    "Only 0 is greedy. At 0.05 the softmax still gives the other tokens some probability."
)
def greedy_below_a_tenth(logits, temperature):
    return apply_temperature.solution(logits, temperature if temperature >= 0.1 else 0)


@apply_temperature.wrong(
    "exp of a large number is inf, and a small temperature makes logits large. Use .softmax, "
    "or take the largest off first."
)
def powers_overflow(logits, temperature):
    if temperature == 0:
        return apply_temperature.solution(logits, 0)
    powers = (logits / temperature).exp()
    return powers / powers.sum()


@apply_temperature.wrong(
    "Only 0 is greedy. At 0.01 the softmax still gives the other tokens some probability."
)
def greedy_below_a_fiftieth(logits, temperature):
    return apply_temperature.solution(logits, temperature if temperature >= 0.02 else 0)


@apply_temperature.wrong(
    "Only 0 is greedy. At 0.001 the softmax still gives the other tokens some probability."
)
def greedy_below_a_hundredth(logits, temperature):
    return apply_temperature.solution(logits, temperature if temperature >= 0.01 else 0)


@apply_temperature.wrong(
    "You raise probabilities to the power of 1 / temperature. On paper that is right, but a "
    "small probability is 0 in float32 and stays 0, or all of them become 0. Divide the "
    "logits, and take the softmax once."
)
def powers_of_probabilities(logits, temperature):
    if temperature == 0:
        return apply_temperature.solution(logits, 0)
    powers = logits.softmax(dim=0) ** (1 / temperature)
    return powers / powers.sum()


@exercise(
    "Top-k",
    difficulty=2,
    importance=4,
    minutes=8,
    cases=lambda: [
        (torch.tensor([0.1, 0.6, 0.3]), 2),
        (_probs(6, 3), 2),
        (_probs(9, 4), 4),
        (_probs(3, 5), 8),
        (_probs(7, 6), 1),
    ],
    task=(
        "Which tokens are among the `k` likeliest? Return booleans, in the order of the "
        "vocabulary. If `k` exceeds the number of tokens, all of them are."
    ),
    hints=(
        "`probs.topk(k).indices` are the ids of the k largest.",
        "Start from a mask that is all False and set those ids to True.",
    ),
)
def top_k_mask(probs, k):
    """Booleans (V,): True for the k largest of probs (V,); no two are equal here.

    top_k_mask(tensor([.1, .6, .3]), 2) -> tensor([False, True, True])
    """
    best = probs.topk(min(k, len(probs))).indices
    mask = torch.zeros(len(probs), dtype=torch.bool)
    mask[best] = True
    return mask


@top_k_mask.wrong(
    "You return the ids of the k likeliest. Return True or False per token, also where k "
    "exceeds the number of tokens."
)
def ids_of_the_likeliest_and_k_above_v_fails(probs, k):
    return probs.topk(k).indices


@top_k_mask.wrong(
    "The k-th largest itself is missing, because > leaves it out. Use >=, and take care where "
    "k exceeds the number of tokens."
)
def larger_than_the_k_th_and_k_above_v_fails(probs, k):
    return probs > probs.sort(descending=True).values[k - 1]


@top_k_mask.wrong(
    "Your mask marks the first k places, whichever tokens they are. If you sorted, carry the "
    "mask back to the order of the vocabulary: mask[order] = kept."
)
def first_k(probs, k):
    return torch.arange(len(probs)) < k


@top_k_mask.wrong(
    "The k-th largest itself is missing. (With > it is left out, with >= it is kept.)"
)
def larger_than_the_k_th(probs, k):
    return probs > probs.topk(min(k, len(probs))).values[-1]


@top_k_mask.wrong(
    "You keep one token too many: sorted from 0, the k-th largest is at place k - 1, not at k."
)
def place_k_kept_too(probs, k):
    return probs >= probs.sort(descending=True).values[k]


@top_k_mask.wrong("You keep one token too many: the first k are order[:k].")
def one_more_than_k(probs, k):
    mask = torch.zeros(len(probs), dtype=torch.bool)
    mask[probs.argsort(descending=True)[: k + 1]] = True
    return mask


@top_k_mask.wrong("Right, unless k exceeds the number of tokens: then topk raises. min(k, V).")
def k_above_v_fails(probs, k):
    m = torch.zeros(len(probs), dtype=torch.bool)
    m[probs.topk(k).indices] = True
    return m


@top_k_mask.wrong("You return the ids of the k likeliest. Return True or False per token.")
def ids_of_the_likeliest(probs, k):
    return probs.topk(min(k, len(probs))).indices


@top_k_mask.wrong("You return their probabilities. Return True or False per token.")
def probabilities_kept(probs, k):
    return probs * top_k_mask.solution(probs, k)


@top_k_mask.wrong("You keep the k least likely tokens.")
def smallest_k(probs, k):
    m = torch.zeros(len(probs), dtype=torch.bool)
    m[probs.topk(min(k, len(probs)), largest=False).indices] = True
    return m


@top_k_mask.wrong(
    "argsort returns token ids, the likeliest first, and `< k` compares these ids with k. "
    "Set the first k of them to True: mask[order[:k]] = True."
)
def ranks_of_the_places(probs, k):
    return probs.argsort(descending=True) < k


@exercise(
    "Top-p",
    difficulty=4,
    importance=5,
    minutes=15,
    cases=lambda: [
        (torch.tensor([0.15, 0.5, 0.05, 0.3]), 0.6),
        (torch.tensor([0.15, 0.5, 0.05, 0.3]), 0.4),
        (torch.tensor([0.15, 0.5, 0.05, 0.3]), 0.9),
        (torch.tensor([0.125, 0.5, 0.125, 0.25]), 0.75),  # 0.5 + 0.25 reach p exactly
        (_probs(12, 6), 0.75),
        (_probs(12, 7), 0.3),
        (_probs(12, 8), 0.97),  # many are kept
        (torch.tensor([0.4, 0.3, 0.2, 0.099]), 0.9995),  # a sum that stays below p
        (torch.tensor([0.0005, 0.5, 0.4945, 0.005]), 0.999),
        (torch.tensor([0.0005, 0.5, 0.4945, 0.005]), 0.9999),
    ],
    task=(
        "Keep the smallest set of likeliest tokens whose probabilities sum to at least `p`. "
        "The token that crosses `p` belongs to the set. Return booleans, in the order of the "
        "vocabulary."
    ),
    hints=(
        "Sort the probabilities, and keep the indices: `ranked, order = "
        "probs.sort(descending=True)`.",
        "`ranked.cumsum(dim=0) - ranked` is the sum of the probabilities before each token. A "
        "token stays while that is below p.",
        "`mask[order] = kept` undoes the sorting.",
    ),
)
def top_p_mask(probs, p):
    """Booleans (V,): the smallest set of likeliest tokens whose sum is >= p, 0 < p < 1.

    All of them if the sum of probs, through rounding, stays below p. Drop no token only
    because it is unlikely.
    No two tokens at the edge of the set are equally likely here.
    top_p_mask(tensor([.15, .5, .05, .3]), 0.6) -> tensor([False, True, False, True])
    """
    ranked, order = probs.sort(descending=True)
    before = ranked.cumsum(dim=0) - ranked  # sum of the likelier ones
    mask = torch.zeros(len(probs), dtype=torch.bool)
    mask[order] = before < p  # back to vocabulary order
    return mask


@top_p_mask.wrong(
    "Always keeping the first token isn't enough: at p = 0.6 of 0.5 and 0.3, the second one "
    "crosses p and belongs to the set."
)
def the_first_always_kept(probs, p):
    ranked, order = probs.sort(descending=True)
    kept = ranked.cumsum(dim=0) <= p
    kept[0] = True
    mask = torch.zeros(len(probs), dtype=torch.bool)
    mask[order] = kept
    return mask


@top_p_mask.wrong(
    "You drop the token that crosses p, and your mask is in sorted order. Compare the sum "
    "before each token, and carry the mask back by mask[order] = ..."
)
def the_textbook_bug_not_carried_back(probs, p):
    return probs.sort(descending=True).values.cumsum(dim=0) <= p


@top_p_mask.wrong("You return the ids of the kept tokens. Return True or False per token.")
def ids_of_the_kept(probs, p):
    ranked, order = probs.sort(descending=True)
    return order[ranked.cumsum(dim=0) - ranked < p]


@top_p_mask.wrong(
    "You drop the token that crosses p. If the first token alone exceeds p, you "
    "keep nothing at all, and drawing fails. Compare the sum before each token."
)
def the_textbook_bug(probs, p):
    ranked, order = probs.sort(descending=True)
    mask = torch.zeros(len(probs), dtype=torch.bool)
    mask[order] = ranked.cumsum(dim=0) <= p
    return mask


@top_p_mask.wrong(
    "Your mask is in sorted order. mask[order] = ... carries it back to the "
    "order of the vocabulary."
)
def not_carried_back(probs, p):
    ranked, order = probs.sort(descending=True)
    return (ranked.cumsum(dim=0) - ranked) < p


@top_p_mask.wrong(
    "Almost: `kept[order]` shuffles once more. Assign on the left side: mask[order] = kept."
)
def carried_back_the_wrong_way(probs, p):
    ranked, order = probs.sort(descending=True)
    return ((ranked.cumsum(dim=0) - ranked) < p)[order]


@top_p_mask.wrong(
    "One token too many when the kept ones reach p exactly: a token stays while the sum "
    "before it is below p, so < and not <=."
)
def one_more_at_equality(probs, p):
    ranked, order = probs.sort(descending=True)
    mask = torch.zeros(len(probs), dtype=torch.bool)
    mask[order] = ranked.cumsum(dim=0) - ranked <= p
    return mask


@top_p_mask.wrong(
    "You add up in the order of the vocabulary. The likeliest come first: sort them."
)
def not_sorted(probs, p):
    return probs.cumsum(dim=0) - probs < p


@top_p_mask.wrong("You return probabilities. Return True or False per token.")
def renormalized(probs, p):
    kept = probs * top_p_mask.solution(probs, p)
    return kept / kept.sum()


@top_p_mask.wrong("You sort the least likely first, and so collect the tail. descending=True.")
def ascending(probs, p):
    ranked, order = probs.sort()
    mask = torch.zeros(len(probs), dtype=torch.bool)
    mask[order] = (ranked.cumsum(dim=0) - ranked) < p
    return mask


@top_p_mask.wrong(
    "p is not a threshold on single probabilities. It is what the kept tokens must reach "
    "together."
)
def a_threshold(probs, p):
    return probs >= 1 - p


@top_p_mask.wrong(
    "You drop the token that crosses p: cumsum < p is true before it only. The sum before a "
    "token decides, cumsum - ranked < p."
)
def the_textbook_bug_with_smaller(probs, p):
    ranked, order = probs.sort(descending=True)
    mask = torch.zeros(len(probs), dtype=torch.bool)
    mask[order] = ranked.cumsum(dim=0) < p
    return mask


@top_p_mask.wrong("You compare single probabilities with p. Their sum, largest first, decides.")
def likelier_than_p(probs, p):
    return probs >= p


@top_p_mask.wrong("That is min-p, a share of the largest. In top-p the sum decides.")
def min_p(probs, p):
    return probs >= p * probs.max()


@top_p_mask.wrong(
    "Where the sum, through rounding, never reaches p, argmax() finds only False and "
    "returns 0, so you keep one token. Keep all of them in that case."
)
def one_where_p_is_never_reached(probs, p):
    ranked, order = probs.sort(descending=True)
    n = int((ranked.cumsum(dim=0) >= p).int().argmax()) + 1
    mask = torch.zeros(len(probs), dtype=torch.bool)
    mask[order[:n]] = True
    return mask


@top_p_mask.wrong(
    "You drop all tokens below 1%. The sum alone decides: a p near 1 keeps unlikely ones, too."
)
def without_those_below_one_percent(probs, p):
    return top_p_mask(probs, p) & (probs >= 0.01)


@top_p_mask.wrong(
    "You drop all tokens below 0.1%. The sum alone decides: a p near 1 keeps unlikely ones, "
    "too."
)
def without_those_below_a_thousandth(probs, p):
    return top_p_mask(probs, p) & (probs >= 0.001)


def _toy_model(n_ctx, step):
    """ids (T,) -> logits (T, 7): what comes next depends on all ids and their places.

    It refuses what a GPT would refuse: more than n_ctx ids, or another shape.
    """

    def toy_model(ids):
        if ids.ndim != 1:
            raise ValueError(f"ids have the shape {tuple(ids.shape)}, expected (T,)")
        if len(ids) > n_ctx:
            raise ValueError(f"sequence has {len(ids)} tokens, the context is {n_ctx}")
        places = torch.arange(1, len(ids) + 1)
        following = ((ids * places).cumsum(dim=0) + step) % 7
        certainty = 1 + 0.1 * places[:, None]
        return torch.nn.functional.one_hot(following, 7) * certainty

    return toy_model


@exercise(
    "The writing loop",
    difficulty=3,
    importance=4,
    minutes=12,
    cases=lambda: [
        (_toy_model(4, step=1), torch.tensor([1, 4]), 1, 4),
        (_toy_model(4, step=1), torch.tensor([1, 4]), 9, 4),
        (_toy_model(3, step=3), torch.tensor([0, 5, 2]), 12, 3),
        (_toy_model(5, step=2), torch.tensor([6]), 12, 5),
        (_toy_model(3, step=2), torch.tensor([1, 4, 2, 6, 5]), 2, 3),
        (_toy_model(4, step=1), torch.tensor([1, 4]), 0, 4),
        (_toy_model(3, step=2), torch.tensor([1, 4, 2, 6, 5]), 0, 3),
    ],
    task=(
        "Write `n` tokens greedily: ask `model` for logits, append the likeliest next token, "
        "and repeat. Give the model at most the last `n_ctx` ids."
    ),
    hints=(
        "`model(ids[-n_ctx:])[-1]` are the logits of what comes next.",
        "`torch.cat([ids, best[None]])` appends one id.",
    ),
)
def write_greedily(model, ids, n, n_ctx):
    """ids with n more, each the likeliest after those before it; n may be 0.

    model: ids (T,) -> logits (T, V), for T <= n_ctx. ids: (T,) integers.
    Returns (T + n,) integers, all of the given ids, even if T exceeds n_ctx, and the new ones.
    """
    for _ in range(n):
        logits = model(ids[-n_ctx:])  # (T, V)
        ids = torch.cat([ids, logits[-1].argmax()[None]])
    return ids


@write_greedily.wrong(
    "ids is a tensor, which has no append. Join the new id to it: torch.cat([ids, best[None]])."
)
def appends_to_a_tensor(model, ids, n, n_ctx):
    for _ in range(n):
        ids.append(model(ids[-n_ctx:])[-1].argmax())
    return ids


@write_greedily.wrong(
    "topk(n) gives the n likeliest tokens for one and the same place. Each new token needs a "
    "pass of its own, after the ones before it."
)
def n_for_one_place(model, ids, n, n_ctx):
    return torch.cat([ids, model(ids[-n_ctx:])[-1].topk(n).indices])


@write_greedily.wrong(
    "You read the first row of the logits: the prediction of the second token. "
    "The next token is predicted by the last row, [-1]."
)
def first_row(model, ids, n, n_ctx):
    for _ in range(n):
        ids = torch.cat([ids, model(ids[-n_ctx:])[0].argmax()[None]])
    return ids


@write_greedily.wrong("You return the new tokens alone. Return all of them.")
def only_the_new_ones(model, ids, n, n_ctx):
    start = len(ids)
    for _ in range(n):
        ids = torch.cat([ids, model(ids[-n_ctx:])[-1].argmax()[None]])
    return ids[start:]


@write_greedily.wrong(
    "ids[:n_ctx] is the beginning. Past the context the model must read the end: ids[-n_ctx:]."
)
def first_n_ctx(model, ids, n, n_ctx):
    for _ in range(n):
        ids = torch.cat([ids, model(ids[:n_ctx])[-1].argmax()[None]])
    return ids


@write_greedily.wrong(
    "You give the model more than n_ctx ids, and it refuses. Cut to the last ones."
)
def no_limit(model, ids, n, n_ctx):
    for _ in range(n):
        ids = torch.cat([ids, model(ids)[-1].argmax()[None]])
    return ids


@write_greedily.wrong(
    "You give the model the last token alone, so it forgets all that came before. Give it "
    "the last n_ctx ids: ids[-n_ctx:]."
)
def forgets_the_context(model, ids, n, n_ctx):
    for _ in range(n):
        ids = torch.cat([ids, model(ids[-1:])[-1].argmax()[None]])
    return ids


@write_greedily.wrong(
    "You give the model one id less than fits: the last n_ctx are ids[-n_ctx:]."
)
def one_id_less(model, ids, n, n_ctx):
    for _ in range(n):
        ids = torch.cat([ids, model(ids[1 - n_ctx :])[-1].argmax()[None]])
    return ids


@write_greedily.wrong(
    "argmax() over all rows at once gives a place in the whole (T, V) table. Take the last "
    "row first: logits[-1].argmax()."
)
def argmax_over_all_rows(model, ids, n, n_ctx):
    for _ in range(n):
        ids = torch.cat([ids, model(ids[-n_ctx:]).argmax()[None]])
    return ids


@write_greedily.wrong(
    "The model takes ids of the shape (T,) here, without a batch; ids[None] is (1, T)."
)
def with_a_batch(model, ids, n, n_ctx):
    for _ in range(n):
        ids = torch.cat([ids, model(ids[None, -n_ctx:])[0, -1].argmax()[None]])
    return ids


@write_greedily.wrong("You write one token and stop. Repeat n times.")
def a_single_step(model, ids, n, n_ctx):
    return torch.cat([ids, model(ids[-n_ctx:])[-1].argmax()[None]])


@write_greedily.wrong(
    "n is how many tokens to write, not the length of the result. Repeat n times: "
    "for _ in range(n)."
)
def n_as_the_length(model, ids, n, n_ctx):
    while len(ids) < n:
        ids = torch.cat([ids, model(ids[-n_ctx:])[-1].argmax()[None]])
    return ids


@write_greedily.wrong(
    "Every step reads the prompt again, and what was written is never read: append to ids, "
    "and give the model the longer ids."
)
def never_reads_what_it_wrote(model, ids, n, n_ctx):
    written = [model(ids[-n_ctx:])[-1].argmax() for _ in range(n)]
    return torch.cat([ids, torch.stack(written)])


@write_greedily.wrong(
    "You lose the start where it is longer than the context. The model reads the last n_ctx "
    "ids, and all of them are returned: cut what the model is given, not ids."
)
def start_cut(model, ids, n, n_ctx):
    return write_greedily(model, ids[-n_ctx:], n, n_ctx)


@write_greedily.wrong(
    "You cut ids themselves in each round, so that what does not fit the context is lost. Cut "
    "only what the model is given."
)
def cut_in_each_round(model, ids, n, n_ctx):
    for _ in range(n):
        ids = ids[-n_ctx:]
        ids = torch.cat([ids, model(ids)[-1].argmax()[None]])
    return ids


@number_exercise(
    "Temperature and odds",
    question=(
        "Two tokens have logits {a} and {b}. How many times as likely is the first as the "
        "second, at temperature {T}?"
    ),
    difficulty=2,
    importance=4,
    minutes=4,
    first=(2.4, 1.0, 0.7),
    draw=lambda random: (
        random.randint(10, 30) / 10,
        random.randint(-10, 8) / 10,
        random.choice((0.5, 0.6, 0.8, 1.25, 1.5, 2.0)),
    ),
    worked=lambda a, b, T: (
        f"The sums of the softmax cancel in the ratio: e^(({a} - {b}) / {T}) = "
        f"e^{(a - b) / T:.4f} = {math.exp((a - b) / T):.3f}. The other tokens do not matter."
    ),
    hints=("Write both probabilities as the softmax has them, and divide. What cancels?",),
    decimals=2,
)
def odds_at(a, b, T):
    """P(first) / P(second) at a temperature."""
    return math.exp((a - b) / T)


@odds_at.wrong("You multiply by the temperature. Logits are divided by it.")
def multiplied_odds(a, b, T):
    return math.exp((a - b) * T)


@odds_at.wrong("That is the ratio at temperature 1.")
def odds_at_1(a, b, T):
    return math.exp(a - b)


@odds_at.wrong("That is the difference of the scaled logits. Odds are its exponential.")
def logs_of_odds(a, b, T):
    return (a - b) / T


@odds_at.wrong("You divide the odds by the temperature. Divide the logits, before exp.")
def divided_afterwards(a, b, T):
    return math.exp(a - b) / T


@odds_at.wrong("The other way around: that is the second against the first.")
def second_against_first(a, b, T):
    return math.exp((b - a) / T)


def _nucleus(percents, p):
    """How many of falling percentages top-p keeps, and their sum."""
    count = next(n for n in range(1, len(percents) + 1) if sum(percents[:n]) >= p)
    return count, sum(percents[:count])


@number_exercise(
    "A nucleus by hand",
    question=(
        "Five tokens have probabilities of {percents} percent. Top-p with p = {p} percent: how "
        "many tokens are kept, and what percentage does the likeliest of all have afterward?"
    ),
    difficulty=2,
    importance=3,
    minutes=4,
    first=((40, 25, 20, 10, 5), 70),
    draw=lambda random: (
        random.choice(
            ((35, 30, 20, 10, 5), (50, 20, 15, 10, 5), (40, 30, 15, 10, 5), (30, 28, 22, 12, 8))
        ),
        random.randint(51, 89),
    ),
    worked=lambda percents, p: (
        f"Added up: {', '.join(str(sum(percents[: n + 1])) for n in range(5))}. The first to "
        f"reach {p} is number {_nucleus(percents, p)[0]}, and it stays: {percents[0]} of "
        f"{_nucleus(percents, p)[1]} are {100 * percents[0] / _nucleus(percents, p)[1]:.2f}%."
    ),
    hints=("Add them up from the left. Which token's sum reaches p first? It is kept.",),
    decimals=1,
)
def nucleus_of(percents, p):
    """(how many are kept, what the likeliest has then, in percent)."""
    count, kept = _nucleus(percents, p)
    return count, 100 * percents[0] / kept


@nucleus_of.wrong("The token that crosses p is kept as well.")
def short_of_p(percents, p):
    count = _nucleus(percents, p)[0] - 1
    return count, 100 * percents[0] / sum(percents[:count])


@nucleus_of.wrong("What is kept has to sum to 1 again: divide by its sum.")
def not_renormalized(percents, p):
    return _nucleus(percents, p)[0], percents[0]


@nucleus_of.wrong("Divide by the sum of what is kept, not by p: it may be more.")
def divided_by_p(percents, p):
    return _nucleus(percents, p)[0], 100 * percents[0] / p


@nucleus_of.wrong("You keep one token too many: p is reached before it.")
def one_too_many(percents, p):
    count = _nucleus(percents, p)[0] + 1
    return count, 100 * percents[0] / sum(percents[:count])


@nucleus_of.wrong("Swapped: how many tokens comes first, then the percentage.")
def exchanged(percents, p):
    count, mass = _nucleus(percents, p)
    return 100 * percents[0] / mass, count


@nucleus_of.wrong("The second number is a share of 1. Give percent.")
def a_share_of_1(percents, p):
    count, mass = _nucleus(percents, p)
    return count, percents[0] / mass


EXERCISES = (apply_temperature, top_k_mask, top_p_mask, write_greedily, odds_at, nucleus_of)
check = Checker(EXERCISES)
mine = check.mine
