"""What lesson 13, Fine-tuning: one model, four kinds of task, says."""

import math

import torch
from claim import after

import gpt1lib as g
from gpt1course import paper

ROCSTORIES = {1: 0.0, 2: 6.204710, 3: 6.159420, 46: 4.211957, 92: 2.128623, 138: 0.045290}


def as_worked_out(logits, others) -> bool:
    """Whether the two heads of section 3 are those worked out by hand."""
    powers = torch.tensor(
        [[1.682028, 0.729789], [1.993716, 1.349859]]
    )  # sums 2.411817, 3.343574
    probs = torch.tensor(
        [[0.697411, 0.302589], [0.596283, 0.403717]]
    )  # losses .360380, .517040
    both = torch.stack([logits, others])
    return torch.allclose(both.exp(), powers, atol=1e-6) and torch.allclose(
        both.softmax(dim=-1), probs, atol=1e-6
    )


def combined_as_worked_out(log_label, log_tokens) -> bool:
    """Whether losses, shares and perplexity of section 4 are those worked out by hand."""
    logs = [-3.912023, -2.525729, -1.049822, -2.995732, -4.605170]
    sums = [log_label.sum() + 0.5 * part for part in (log_tokens.mean(), log_tokens.sum())]
    found = [*log_tokens, *sums, (log_tokens.sum() / 2) / sums[1], (-log_tokens.mean()).exp()]
    by_hand = torch.tensor([*logs, -1.671367, -7.706757, 0.978912, 20.444119]).double()
    return torch.allclose(torch.stack(found), by_hand, atol=2e-6)


def rate_as_worked_out(rate: float, update: int) -> bool:
    """Whether an update of Story Cloze has the rate that OpenAI's schedule gives it."""
    return abs(1e5 * rate - ROCSTORIES[update]) < 1e-6


@after("striking-2", full_run=True)
def only_the_statement_that_opens_like_a_question_is_mistaken(runs, bpe, mine):
    asked = [
        g.finetune.class_probs(runs["pre-trained"].classifier, bpe, text)[1] > 0.5
        for text in mine
    ]
    assert asked == [False, True, True, False, True]


@after("cell-010", full_run=True)
def the_text_says_92_and_74_and_seven_in_ten(found):
    right = {name: score["accuracy"] for name, score in found.items()}
    assert abs(right["pre-trained"] - 0.92) < 0.03
    assert abs(right["random weights"] - 0.74) < 0.03
    assert 0.65 < right["bag of words"] < 0.75


@after("cell-014", full_run=True)
def clear_in_pairs(pairs):
    assert all(pair.p < 0.001 for pair in pairs.values())


@after("cell-016", full_run=True)
def each_time_ahead_by_about_ten_points_at_least(by_seed):
    ahead = [
        row["pre-trained"] - max(row["bag of words"], row["random weights"])
        for row in by_seed.values()
    ]
    assert min(ahead) > 0.07


@after("cell-021", full_run=True)
def random_weights_need_more_than_twice_as_many_updates(curves):
    reached = {
        name: next((i for i, x in enumerate(curve) if x < 0.4), 0)
        for name, curve in curves.items()
    }
    full, alone, random = reached.values()
    assert 0 < 2 * full < random, "random weights need more than twice as many updates"
    assert full < alone, "the auxiliary loss gets there sooner"


@after("cell-021")
def the_best_rate_of_random_weights_is_lower(rates):
    assert rates["random weights"] < rates["pre-trained"]


@after("cell-021", full_run=True)
def random_weights_get_low_too(curves):
    assert curves["random weights"][-1] < 0.3


@after("cell-025")
def the_text_says_18_tokens_and_position_17(premise, hypothesis, pair_ids):
    assert (len(premise), len(hypothesis), len(pair_ids)) == (8, 7, 18)
    assert pair_ids.index(40480) == 17


@after("cell-025")
def your_sequence_is_the_librarys(bpe, entailment_ids, specials):
    texts = ("The old man spoke to the young girl", "An elderly person talked to a child")
    first, second = (bpe.encode(text) for text in texts)
    yours = entailment_ids(
        first, second, specials.start, specials.delimiter, specials.extract, n_ctx=256
    )
    assert [yours] == g.inputs.entailment(bpe, *texts, n_ctx=256)


@after("cell-036")
def your_sequences_are_the_librarys(bpe, specials, multiple_choice_ids):
    story, endings = (
        "She opened the letter and read it.",
        ["She began to weep.", "The horse ate it."],
    )
    context_ids, *choices_ids = (bpe.encode(text) for text in (story, *endings))
    ids3 = specials.start, specials.delimiter, specials.extract
    assert multiple_choice_ids(
        context_ids, choices_ids, *ids3, n_ctx=256
    ) == g.inputs.multiple_choice(bpe, story, endings, n_ctx=256)


@after("cell-046")
def padding_changes_nothing(larger, sequences, states):
    with torch.no_grad():
        alone = torch.stack([larger.hidden(torch.tensor([s]))[0, -1] for s in sequences])
    assert torch.allclose(states, alone, atol=1e-5)


@after("cell-048")
def the_first_class_gets_70_percent(probs):
    assert 0.695 < probs[0] < 0.705


@after("cell-048")
def both_heads_are_as_worked_out_by_hand(logits):
    W = torch.tensor([[0.6, -0.4], [0.3, 0.7], [-0.5, 0.2]])
    assert as_worked_out(logits, torch.tensor([0.5, 0.8, -0.3]) @ W)


@after("cell-050")
def the_old_rows_spread_three_times_as_far_as_0_02(old):
    assert old > 3 * 0.02


@after("cell-058")
def they_are_the_librarys(by_hand, task_logits):
    assert torch.allclose(by_hand, task_logits, atol=1e-5)


@after("cell-058")
def exchanged_the_sum_is_exactly_the_same(h_ab, h_ba):
    assert torch.equal(h_ab + h_ba, h_ba + h_ab)


@after("cell-058")
def and_so_are_your_logits(by_hand, swapped):
    assert torch.allclose(by_hand, swapped, atol=1e-6)


@after("cell-058")
def by_one_order_they_differ(one_order, other_order):
    assert not torch.allclose(one_order, other_order, atol=1e-3)


@after("cell-067")
def no_training_far_above_a_coin(zero_shot):
    assert zero_shot["interval"][0] > 0.65


@after("cell-070")
def the_text_says_98_and_90_percent(log_label, log_tokens):
    parts = 0.5 * log_tokens.sum(), 0.5 * log_tokens.mean()
    shares = [(part / (log_label.sum() + part)).item() for part in parts]
    assert [round(share, 2) for share in shares] == [0.98, 0.90]


@after("cell-070")
def losses_and_shares_are_as_worked_out_by_hand(log_label, log_tokens):
    assert combined_as_worked_out(log_label, log_tokens)


@after("cell-078")
def your_loss_is_the_librarys(yours8, whole):
    assert abs(yours8 - whole) < 1e-4


@after("cell-065")
def the_loss_before_was_no_better_than_a_coins(loss):
    assert math.log(2) < loss < 1.0


@after("cell-082", full_run=True)
def each_is_clearly_worse_than_before(nats):
    for row in nats.values():
        with_l1, without = row["λ = 0.5"], row["λ = 0"]
        assert min(with_l1, without) > row["before"] + 0.3, "each is clearly worse than before"
        assert without > with_l1 + 0.1, "without L1 it is worse still"


@after("cell-085")
def the_best_mean_is_that_of_0(by_lambda):
    mean = {value: sum(seeds.values()) / len(seeds) for value, seeds in by_lambda.items()}
    assert max(mean, key=lambda value: mean[value]) == "0"


@after("cell-085")
def the_text_says_0_5_costs_about_a_point(cost):
    assert -0.02 < cost.difference < -0.005


@after("cell-085")
def the_interval_of_that_point_excludes_0_but_not_among_five(cost, by_lambda):
    assert cost.high < 0
    others = [row for value, row in by_lambda.items() if value != "0"]
    pairs = [paper.statistics.paired_t_test(row, by_lambda["0"]) for row in others]
    corrected = paper.statistics.holm([pair.p for pair in pairs])
    assert len(pairs) == 5 and min(corrected) > 0.05


@after("schedule-1")
def the_text_says_138_updates(cloze):
    assert cloze == 138


@after("cell-088")
def the_rates_are_as_worked_out_by_hand(scheduled):
    for update in (1, 2, 3, 46, 92, 138):
        assert rate_as_worked_out(scheduled[update - 1], update)


@after("cell-099")
def not_tells_nothing(negated):
    assert len({negated.count(label) for label in range(3)}) == 1


@after("cell-099")
def entailment_is_won_by_far(simple_ones, readers_there, parts_of_test):
    best = max(simple_ones)
    full, random = readers_there["pre-trained"], readers_there["random weights"]
    assert full > best + 0.08, "won by far"
    assert min(parts_of_test.values()) > best + 0.05, "each part, too"
    assert random > full - 0.05, "random weights nearly keep up"


@after("cell-099")
def new_words_and_a_new_rule_cost_a_few_points(parts_of_test):
    rest = [mean for part, mean in parts_of_test.items() if part != "test"]
    assert max(rest) < parts_of_test["test"]


@after("cell-101")
def pre_training_is_worth_three_points_or_more(over):
    more = [over["pre-trained"][n] - x for n, x in over["random weights"].items()]
    assert min(more) > 0.03


@after("cell-101")
def a_bag_of_words_is_within_three_points(over):
    apart = [abs(over["pre-trained"][n] - x) for n, x in over["bag of words"].items()]
    assert max(apart) < 0.03


@after("cell-101")
def so_is_a_bag_without_pairs_of_neighbors(film, judged, over, bag_of_words):
    class SingleWords(bag_of_words.WordFeatures):
        def __call__(self, texts):
            return [each for each in super().__call__(texts) if each.count(" ") == 1]

    for n in (1000, len(film.train)):
        counted = bag_of_words.guesses(film, SingleWords(), limit=n)
        accuracy = g.metrics.accuracy(counted, judged)["accuracy"]
        assert abs(accuracy - over["pre-trained"][n]) < 0.03


@after("cell-101")
def a_token_of_the_reviews_costs_a_nat_more(strange, usual):
    stranger = strange - usual
    assert stranger > 1


@after("cell-101")
def gpt_1_91_percent_against_93_percent():
    best, gpt1 = paper.paper_numbers.TABLES2_TO_4["SST2"]
    assert (round(gpt1), round(best)) == (91, 93)


@after("cell-104")
def without_fine_tuning_better_than_a_coin(asked_only):
    assert asked_only["interval"][0] > 0.5


@after("cell-104")
def and_better_than_fine_tuned(tuned_mean, asked_only, same):
    assert tuned_mean < asked_only["accuracy"] - 0.03
    assert tuned_mean < same - 0.03


@after("cell-104")
def pre_training_is_worth_more_than_five_points(beside):
    spans = beside["verse_pairs"]
    gain = spans["pre-trained"][0] - spans["random weights"][0]
    assert gain > 0.05, "pre-training is worth more than five points"
    assert spans["word overlap"][1] > spans["pre-trained"][2], "counting is far ahead"


@after("cell-107", full_run=True)
def the_probe_comes_last_and_the_finer_ways_are_close(reached):
    plain = reached["full"]["accuracy"]
    finer = [reached[way]["accuracy"] for way in ("discriminative", "gradual")]
    frozen = reached["frozen"]["accuracy"]
    assert abs(plain - 0.92) < 0.03, "0.92, and the probe 0.61"
    assert abs(frozen - 0.61) < 0.04, "0.92, and the probe 0.61"
    assert abs(reached["frozen mean"]["accuracy"] - 0.80) < 0.04, "of the mean 80%"
    assert frozen < min(finer) - 0.15, "the probe comes last by far"
    assert abs(min(finer) - plain) < 0.06, "the finer ways are close to the plain one"
    assert min(finer) < plain, "neither is better, one is behind"
    assert max(finer) < plain + 0.03, "neither is better, one is behind"
    assert abs(reached["mean"]["accuracy"] - plain) < 0.03, "the mean does as well as Extract"


@after("cell-107", full_run=True)
def the_frozen_models_rate_is_low(tune, guessed, novelist, first, labels, MeanTuning):
    for build, wanted in ((g.finetune.FineTuning, 0.67), (MeanTuning, 0.87)):
        theirs = guessed(tune(novelist, first, method="frozen", lr=0.01, build=build))
        accuracy = g.metrics.accuracy(theirs, labels)["accuracy"]
        assert abs(accuracy - wanted) < 0.03


@after("rate-2", full_run=True)
def the_rate_of_all_runs_is_the_best_of_four(outcome):
    rates = [name for name in outcome if name.startswith("rate")]
    assert max(rates, key=lambda name: outcome[name][0]) == "rate 0.001"
    forgotten = [outcome[name][1] for name in rates]
    assert forgotten == sorted(forgotten), "the lower the rate, the less is forgotten"


@after("rate-2", full_run=True)
def the_highest_rate_costs_an_even_guess_and_its_accuracy_is_clearly_lower(outcome):
    accuracy, nats = outcome["rate 0.004"]  # differs most from machine to machine
    assert outcome["rate 0.001"][0] - accuracy > 0.04, "clearly lower"
    assert nats > math.log(8120) - 0.5, "about as much as an even guess, or even more"


@after("rate-2", full_run=True)
def dropout_changes_little(outcome):
    assert abs(outcome["no dropout"][0] - outcome["rate 0.001"][0]) < 0.03


@after("stop-1", full_run=True)
def validation_falls_again_and_the_test_hardly_differs(scores_by_epoch, accuracy_then, found):
    assert scores_by_epoch[-1] < max(scores_by_epoch)
    assert abs(accuracy_then - found["pre-trained"]["accuracy"]) < 0.03


@after("cell-004")
def two_classes_need_1_536_weights_beside_117_million():
    assert 2 * g.GPT1.n_embd == 1_536
    with torch.device("meta"):
        n = g.GPT(g.GPT1).count_parameters()
    assert round(n / 1e6) == 117
