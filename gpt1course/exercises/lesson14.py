"""Lesson 14, Zero-shot: what pre-training knows before any label."""

import torch

from ..checking.exercise import Checker, exercise


def _logits(*shape, seed):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def _ids(n, top, seed):
    return torch.randint(top, (n,), generator=torch.Generator().manual_seed(seed))


@exercise(
    "How likely is a sentence?",
    difficulty=3,
    importance=5,
    minutes=8,
    cases=lambda: [
        (_logits(6, 9, seed=1), _ids(6, 9, 2)),
        (_logits(3, 20, seed=3), _ids(3, 20, 4)),
        (torch.tensor([[0.0, 800.0], [0.0, 1.0], [5.0, 0.0]]), torch.tensor([1, 0, 0])),
    ],
    task=(
        "Score a sentence as the paper does for CoLA, by the mean log-probability of its "
        "tokens. The first token has nothing before it, so it is given and not scored."
    ),
    hints=(
        "Row i of the logits predicts ids[i + 1].",
        "`log_probs[torch.arange(len(ids) - 1), ids[1:]]` takes one number per row.",
    ),
)
def mean_log_prob(logits, ids):
    """Mean of log P of each token but the first, in nats.

    logits: (T, V), in the hundreds at times, row i made after reading token i; ids: (T,).
    """
    log_probs = logits.log_softmax(dim=-1)
    return log_probs[torch.arange(len(ids) - 1), ids[1:]].mean().item()


@mean_log_prob.wrong(
    "You ask each state for the token that it has just read. Row i predicts token i + 1."
)
def no_shift(logits, ids):
    log_probs = logits.log_softmax(dim=-1)
    return log_probs[torch.arange(len(ids)), ids].mean().item()


@mean_log_prob.wrong(
    "You leave out the first token, but ask each row for the token that it has just read. Row "
    "i predicts token i + 1."
)
def no_shift_without_the_first(logits, ids):
    log_probs = logits.log_softmax(dim=-1)
    return log_probs[torch.arange(1, len(ids)), ids[1:]].mean().item()


@mean_log_prob.wrong("You average probabilities. Take the log of each first.")
def mean_of_probabilities(logits, ids):
    probs = logits.softmax(dim=-1)
    return probs[torch.arange(len(ids) - 1), ids[1:]].mean().item()


@mean_log_prob.wrong(
    "You take the sum, so long sentences always look worse than short ones. The paper takes "
    "the mean."
)
def a_sum(logits, ids):
    log_probs = logits.log_softmax(dim=-1)
    return log_probs[torch.arange(len(ids) - 1), ids[1:]].sum().item()


@mean_log_prob.wrong(
    "That is the log of the mean probability. Take the log of each probability first, "
    "because it is their product that matters."
)
def mean_probability(logits, ids):
    probs = logits.softmax(dim=-1)
    return probs[torch.arange(len(ids) - 1), ids[1:]].mean().log().item()


@mean_log_prob.wrong(
    "You shift the wrong way: your row i is used for token i - 1, which the model has read "
    "long ago. Row i predicts token i + 1."
)
def shifted_backwards(logits, ids):
    log_probs = logits.log_softmax(dim=-1)
    return log_probs[torch.arange(1, len(ids)), ids[:-1]].mean().item()


@mean_log_prob.wrong(
    "You divide by T, but only T - 1 tokens are scored, because the first one is given."
)
def divided_by_all(logits, ids):
    log_probs = logits.log_softmax(dim=-1)
    return log_probs[torch.arange(len(ids) - 1), ids[1:]].sum().item() / len(ids)


@mean_log_prob.wrong(
    "A slice and a list of ids, log_probs[:-1, ids[1:]], give every row times every id. "
    "torch.arange(len(ids) - 1) in place of the slice pairs them."
)
def every_row_with_every_id(logits, ids):
    return logits.log_softmax(dim=-1)[:-1, ids[1:]].mean().item()


@mean_log_prob.wrong("Logits are not log-probabilities yet: log_softmax makes them comparable.")
def raw_scores(logits, ids):
    return logits[torch.arange(len(ids) - 1), ids[1:]].mean().item()


@mean_log_prob.wrong("That is the loss. A score should be higher for a likelier sentence.")
def loss(logits, ids):
    log_probs = logits.log_softmax(dim=-1)
    return -log_probs[torch.arange(len(ids) - 1), ids[1:]].mean().item()


@mean_log_prob.wrong(
    "The log of a softmax is -inf where a probability is too small for float32. Take "
    "log_softmax."
)
def log_of_a_softmax(logits, ids):
    log_probs = logits.softmax(dim=-1).log()
    return log_probs[torch.arange(len(ids) - 1), ids[1:]].mean().item()


@mean_log_prob.wrong("Your softmax runs down the columns (dim=0). A row is one distribution.")
def softmax_down_the_columns(logits, ids):
    log_probs = logits.log_softmax(dim=0)
    return log_probs[torch.arange(len(ids) - 1), ids[1:]].mean().item()


@mean_log_prob.wrong("That is in bits. We want nats, which use the natural logarithm.")
def in_bits(logits, ids):
    return mean_log_prob(logits, ids) / torch.tensor(2.0).log().item()


@mean_log_prob.wrong("That is the perplexity. Return the mean log-probability itself.")
def perplexity(logits, ids):
    return torch.tensor(-mean_log_prob(logits, ids)).exp().item()


# log P of the tokens of some answers; each line tells a few wrong rules from the right one
ANSWERS = [
    [[-3.0], [-1.0, -2.5, -1.5]],
    [[-2.5, -4.5], [-2.0, -2.0], [-4.0]],
    [[-2.0, -1.0], [-0.9, -2.4, -2.6, -1.9]],
    [[-1.0, -9.0], [-6.5, -1.5], [-1.0, -2.0, -6.5], [-2.5, -0.5, -7.0, -1.5]],
    [[-5.0, -3.0], [-9.0, -1.0, -3.0], [-1.5, -7.5, -2.0]],
    [[-7.5, -4.5, -5.0], [-7.5, -6.5, -7.5], [-5.0, -3.5, -5.0], [-5.0, -0.5, -8.0, -1.5]],
    [[-3.5, -4.5, -8.5, -9.0], [-6.0, -7.5, -2.0, -8.5], [-4.0, -5.5, -6.0]],
    [[-4.0], [-1.0, -3.0], [-2.0, -2.0]],  # two equal means
    [[-2.0004], [-2.0002, -2.0], [-2.0003]],  # means that are close
]


@exercise(
    "Which answer?",
    difficulty=2,
    importance=4,
    minutes=6,
    cases=lambda: [(list(map(torch.tensor, answers)),) for answers in ANSWERS],
    task=(
        "For each question the log-probabilities of every answer's tokens are given. "
        "Return the index of the answer with the highest mean, as the paper does for the "
        "reading questions of RACE."
    ),
    hints=("Compute one mean per answer, and then the index of the largest.",),
)
def likelier_choice(answers):
    """The index of the best answer, the first of them if several tie.

    Only equal means tie, however close two others are.
    answers: a list of tensors, log P of each token.
    """
    means = [answer.mean().item() for answer in answers]
    return means.index(max(means))


@likelier_choice.wrong(
    "You compare sums, which favor short answers: each further token can only "
    "lower a sum of logs. The paper compares means."
)
def highest_sum(answers):
    sums = [answer.sum().item() for answer in answers]
    return sums.index(max(sums))


@likelier_choice.wrong(
    "You take the lowest mean. Log-probabilities are negative: the best is the "
    "one nearest to 0."
)
def the_least_likely(answers):
    means = [answer.mean().item() for answer in answers]
    return means.index(min(means))


@likelier_choice.wrong(
    "You look at each answer's last token only. Take the mean over all of its tokens."
)
def last_tokens(answers):
    lasts = [answer[-1].item() for answer in answers]
    return lasts.index(max(lasts))


@likelier_choice.wrong(
    "You go by each answer's worst token. All of its tokens count, so take the mean."
)
def worst_tokens(answers):
    worst = [answer.min().item() for answer in answers]
    return worst.index(max(worst))


@likelier_choice.wrong(
    "You go by each answer's best token. All of its tokens count, so take the mean."
)
def best_tokens(answers):
    best = [answer.max().item() for answer in answers]
    return best.index(max(best))


@likelier_choice.wrong(
    "You compare medians, but one token that is nearly impossible must count, so take the mean."
)
def medians(answers):
    middles = [answer.quantile(0.5).item() for answer in answers]
    return middles.index(max(middles))


@likelier_choice.wrong(
    "You turn the logs into probabilities and take their mean, so that one likely token "
    "outweighs many unlikely ones. Take the mean of the logs."
)
def means_of_probabilities(answers):
    means = [answer.exp().mean().item() for answer in answers]
    return means.index(max(means))


@likelier_choice.wrong(
    "You leave out each answer's first token. The question comes before it, so it is scored "
    "too."
)
def without_the_first(answers):
    means = [answer[1:].mean().item() for answer in answers]
    return means.index(max(means))


@likelier_choice.wrong("You return the same index whatever the answers are.")
def always_the_first(answers):
    return 0


@likelier_choice.wrong("You return the same index whatever the answers are.")
def always_the_second(answers):
    return 1


@likelier_choice.wrong(
    "You return the largest sum. Return the index of the answer with the highest mean."
)
def largest_sum(answers):
    return max(answer.sum().item() for answer in answers)


@likelier_choice.wrong(
    "The answers differ in length, so they can't be stacked. Take the mean of each answer by "
    "itself."
)
def stacked(answers):
    return torch.stack(answers).mean(dim=1).argmax().item()


@likelier_choice.wrong("You return the highest mean. Return the answer's index.")
def the_mean_itself(answers):
    return max(answer.mean().item() for answer in answers)


@likelier_choice.wrong(
    "You look at each answer's first token only. Take the mean over all of its tokens."
)
def first_tokens(answers):
    firsts = [answer[0].item() for answer in answers]
    return firsts.index(max(firsts))


@likelier_choice.wrong("You take the longest answer.")
def longest(answers):
    sizes = [len(answer) for answer in answers]
    return sizes.index(max(sizes))


@likelier_choice.wrong("Right, except for a tie: you return the last of the equal ones.")
def the_last_of_equals(answers):
    means = [answer.mean().item() for answer in answers]
    return max(range(len(means)), key=lambda i: (means[i], i))


@likelier_choice.wrong(
    "You round the means, which makes different ones tie. Compare them as they are."
)
def rounded_means(answers):
    means = [round(answer.mean().item(), 1) for answer in answers]
    return means.index(max(means))


@likelier_choice.wrong(
    "You round the means, which makes different ones tie. Compare them as they are."
)
def means_rounded_to_two(answers):
    means = [round(answer.mean().item(), 2) for answer in answers]
    return means.index(max(means))


@exercise(
    "Who is meant?",
    difficulty=2,
    importance=4,
    minutes=6,
    cases=lambda: [
        ("so _ ran", ["he", "it"]),
        ("_ ran", ["he", "she"]),
        ("the dog saw the cat and _ ran", ["the dog", "the cat"]),
        ("because _ was ill.", ["the king", "the old servant", "she"]),
        ("it was _, she said", ["he", "it"]),  # no space after the place
        ("Then _ saw that he ran ", ["He"]),  # capitals, and a space at the end
    ],
    task=(
        "Prepare a Winograd question: put each candidate in place of the `_` and return, for "
        "each candidate, what is given to the model and what is scored. The paper scores the "
        "rest of the sentence, after the candidate, and not the candidate itself."
    ),
    hints=('`text.split("_")` gives what is before and after the place.',),
)
def put_in_place(text, candidates):
    """A list of (given, rest), one per candidate. The rest stays as it is in the text.

    put_in_place("so _ ran", ["he", "it"]) -> [("so he", " ran"), ("so it", " ran")]
    """
    before, after = text.split("_")
    return [(before + candidate, after) for candidate in candidates]


@put_in_place.wrong(
    "You return whole sentences. Return a pair for each candidate: what is given, up to and "
    "including the candidate, and the rest."
)
def whole_sentences(text, candidates):
    return [text.replace("_", candidate) for candidate in candidates]


@put_in_place.wrong(
    "You return the pair of the first candidate alone. Return a list, one for each."
)
def first_pair(text, candidates):
    before, after = text.split("_")
    return before + candidates[0], after


@put_in_place.wrong(
    "You score the candidate too, so a word that is frequent anyway would win. Score only "
    "how well the rest follows."
)
def candidate_scored(text, candidates):
    before, after = text.split("_")
    return [(before, candidate + after) for candidate in candidates]


@put_in_place.wrong(
    "Nothing is given and the whole sentence is scored. Give everything up to and including "
    "the candidate, and score the rest."
)
def whole_sentence(text, candidates):
    return [("", text.replace("_", candidate)) for candidate in candidates]


@put_in_place.wrong(
    "The rest has lost the space at its beginning. Return the text as it is, spaces "
    "included: together, the two parts of a pair must be the whole sentence."
)
def rest_without_its_space(text, candidates):
    before, after = text.split("_")
    return [(before + candidate, after.strip()) for candidate in candidates]


@put_in_place.wrong("The candidate is missing: all your pairs are the same.")
def no_candidate(text, candidates):
    before, after = text.split("_")
    return [(before, after) for candidate in candidates]


@put_in_place.wrong(
    "You put a space before the rest, also where the text has none. Leave the rest as it is."
)
def a_space_put_back(text, candidates):
    before, after = text.split("_")
    return [(before + candidate, " " + after.strip()) for candidate in candidates]


@put_in_place.wrong("You cut spaces off the text. Leave it as it is.")
def spaces_cut_off(text, candidates):
    return put_in_place(text.strip(), candidates)


@put_in_place.wrong("You write the text in lower case. Leave it as it is.")
def lower_case(text, candidates):
    return put_in_place(text.lower(), [candidate.lower() for candidate in candidates])


@exercise(
    "From chance to the best",
    difficulty=1,
    importance=3,
    minutes=4,
    cases=lambda: [
        (0.7, 0.5, 0.9),
        (0.25, 0.25, 0.6),
        (0.4, 0.5, 0.8),
        (0.8, 1 / 3, 0.8),
        (0.9, 0.5, 0.8),
    ],
    task=(
        "Put an accuracy on the scale of the paper's Figure 2, which is 0 for guessing and 1 "
        "for the best model. An accuracy below chance gets a score below 0."
    ),
    hints=("How far above chance is it, and how far could it be?",),
)
def relative_score(accuracy, chance, best):
    """0 at chance, 1 at best, a straight line between and beyond."""
    return (accuracy - chance) / (best - chance)


@relative_score.wrong(
    "Parentheses are missing: division comes before subtraction, so put both differences in "
    "parentheses."
)
def without_parentheses(accuracy, chance, best):
    return accuracy - chance / best - chance


@relative_score.wrong(
    "Parentheses are missing: division comes before subtraction, so put both differences in "
    "parentheses."
)
def one_pair_of_parentheses(accuracy, chance, best):
    return accuracy - chance / (best - chance)


@relative_score.wrong(
    "A share of the best gives a good score even for guessing. Subtract chance from both."
)
def share_of_the_best(accuracy, chance, best):
    return accuracy / best


@relative_score.wrong(
    "These are points above chance. Divide by what the best model has above it."
)
def points_above_chance(accuracy, chance, best):
    return accuracy - chance


@relative_score.wrong(
    "You cut at 0. A score below chance is worth knowing, so let it be negative."
)
def cut_at_0(accuracy, chance, best):
    return max(0.0, (accuracy - chance) / (best - chance))


@relative_score.wrong(
    "You cut at 1. A score above the best before is a record, so let it be above 1."
)
def cut_at_1(accuracy, chance, best):
    return min(1.0, (accuracy - chance) / (best - chance))


@relative_score.wrong("You cut at 0 and at 1. Let scores go beyond both ends.")
def cut_at_both(accuracy, chance, best):
    return min(1.0, max(0.0, (accuracy - chance) / (best - chance)))


@relative_score.wrong("That is percent. On this scale the best is 1, not 100.")
def in_percent(accuracy, chance, best):
    return 100 * (accuracy - chance) / (best - chance)


@relative_score.wrong("The best model would not get 1: divide by what it has above chance.")
def divided_by_best(accuracy, chance, best):
    return (accuracy - chance) / best


@relative_score.wrong(
    "Your scale ends at 100%, but it should end at the best model: divide by best - chance."
)
def up_to_all_right(accuracy, chance, best):
    return (accuracy - chance) / (1 - chance)


EXERCISES = (mean_log_prob, likelier_choice, put_in_place, relative_score)
check = Checker(EXERCISES)
mine = check.mine
