"""What lesson 14, Zero-shot: what pre-training knows, says."""

from claim import after
from scipy.stats import binomtest

import gpt1lib as g
from gpt1course import paper, statistics
from gpt1course.paper import paper_numbers


@after("cell-011")
def right_in_the_first_wrong_in_the_third(five_probabilities, gaps, three):
    found = [five_probabilities(gaps[number]) for number in three]
    hits = [probs.argmax() == gaps[n].label for n, probs in zip(three, found, strict=True)]
    assert hits[0], "right in the first, wrong in the third"
    assert not hits[2], "right in the first, wrong in the third"
    assert found[2].max() > 0.5, "sure of the third"


@after("cell-011")
def before_or_of(five_words, gaps, three, five_probabilities):
    words = five_words(gaps[three[1]])
    probs = five_probabilities(gaps[three[1]])
    assert probs[[words.index("before"), words.index("of")]].min() > 0.2


@after("cell-016")
def the_library_chooses_words_as_you_do(alike):
    assert all(alike)


@after("cell-021", full_run=True)
def far_ahead_of_counting(by_class):
    overall = by_class["all"]
    asked_model, counted = overall["novelist"], overall["bigrams on both sides"]
    assert asked_model[1] > counted[2], "far ahead of counting"
    assert asked_model[0] > 0.78, "four of five, two of three"
    assert 0.62 < counted[0] < 0.7, "four of five, two of three"


@after("cell-021", full_run=True)
def prepositions_are_hardest(by_class):
    weakest = min(by_class, key=lambda kind: by_class[kind]["novelist"][0])
    assert weakest == "preposition"


@after("cell-021")
def frequency_says_nothing(by_class):
    overall = by_class["all"]
    _, low, high = overall["most frequent word"]
    assert low < 0.2 < high


@after("cell-025", full_run=True)
def about_a_fifth_of_all_questions(in_pairs):
    assert 0.17 < in_pairs.difference < 0.25


@after("cell-025", full_run=True)
def far_beyond_luck(in_pairs):
    assert in_pairs.p < 1e-6


@after("cell-034")
def the_library_scores_as_you_do(scores, score, texts):
    alike = [abs(scores[i] - score(texts[i])) < 1e-3 for i in range(3)]
    assert all(alike)


@after("cell-043")
def the_whole_one_wins_in_most_pairs(pairs, n):
    assert pairs / n > 0.75


@after("cell-043")
def of_the_exchanges_it_caught_74_percent(caught):
    assert round(caught["exchanged"]["caught"][0], 2) == 0.74


@after("cell-049", full_run=True)
def the_interval_above_holds_one_half(on_films):
    low, high = on_films["interval"]
    assert low < 0.5 < high


@after("cell-049", full_run=True)
def and_it_says_nearly_always_the_same(says_good):
    assert sum(says_good) > 890


@after("cell-049")
def good_is_far_more_frequent_than_bad(once):
    assert once["good"] > 5 * once["bad"]


@after("cell-053", full_run=True)
def less_than_where_it_was_chosen(best_on_test, tried, best_question):
    assert best_on_test["accuracy"] < tried[best_question]


@after("cell-053", full_run=True)
def and_above_one_half(best_on_test):
    assert best_on_test["interval"][0] > 0.5


@after("cell-053", full_run=True)
def even_for_six_tries(coin):
    assert 6 * coin < 0.01


@after("cell-058")
def the_library_chooses_endings_as_you_do(likelier_choice, answer_log_probs, stories, by_story):
    mine = [
        likelier_choice([answer_log_probs(e.texts[0], c) for c in e.texts[1:]])
        for e in stories[:10]
    ]
    assert mine == by_story[:10]


@after("cell-061", full_run=True)
def near_one_half_without_the_story(without, endings):
    alone = g.metrics.rounded(g.metrics.accuracy(without, endings))
    assert alone["accuracy"] < 0.57


@after("cell-061", full_run=True)
def the_story_helps(helped):
    assert helped.difference > 0
    assert helped.p < 0.05


@after("cell-061", full_run=True)
def more_than_two_to_one(helped):
    assert helped.only_a > 2 * helped.only_b


@after("cell-065")
def the_second_is_likelier_told_or_not(with_it, without_it):
    first_wins = [scores[0] > scores[1] for scores in (with_it, without_it)]
    assert not any(first_wins)


@after("cell-065")
def the_story_raises_the_first_alone(with_it, without_it):
    risen = [a > b for a, b in zip(with_it, without_it, strict=True)]
    assert risen == [True, False]


@after("cell-068", full_run=True)
def nearly_two_of_three(by_raise):
    assert 0.62 < by_raise["accuracy"] < 0.68


@after("cell-068", full_run=True)
def clear_of_the_endings_alone(against):
    assert against["without"].p < 0.05


@after("cell-068", full_run=True)
def by_some_five_points(against):
    assert 0.04 < against["plain"].difference < 0.07


@after("cell-068", full_run=True)
def which_pairs_leave_open_just(against):
    assert 0.05 < against["plain"].p < 0.1


@after("cell-068")
def the_text_says_1_686_stories_to_train_on(n_labels):
    assert n_labels == 1686


@after("cell-068", full_run=True)
def ahead_of_fine_tuning(by_raise, tuned_cloze):
    assert by_raise["interval"][0] > tuned_cloze["interval"][1]


@after("cell-079")
def the_text_says_39_is_the_first_clear_number(guessing):
    assert sum(guessing[38:]) > 0.025 > sum(guessing[39:])


@after("cell-081")
def no_more_than_guessing_reaches(by_coin):
    assert by_coin > 0.05


@after("cell-081")
def many_twins_got_one_answer(twins):
    assert twins[1] >= 8


@after("pronouns-4")
def up_to_sixteen_words(pronouns):
    assert max(len(example.texts[0].split()) for example in pronouns) == 16


@after("pronouns-4")
def the_novelist_nine_of_ten_the_lstm_eight(same_person, answers_of):
    found = {name: g.metrics.accuracy(said, same_person) for name, said in answers_of.items()}
    assert round(10 * found["novelist"]["accuracy"]) == 9
    assert round(10 * found["LSTM"]["accuracy"]) == 8


@after("pronouns-4")
def clearly_less_on_the_same_questions(ahead):
    assert ahead.p < 0.001 < ahead.difference


@after("cell-088", full_run=True)
def random_weights_are_no_better_than_guessing(growth):
    assert growth[0]["interval"][0] < 0.2


@after("cell-088")
def ten_stages_of_8_000_updates(novelist):
    recipe = novelist.meta["recipe"]
    assert (recipe["snapshots"], recipe["steps"]) == (10, 8000)


@after("cell-088", full_run=True)
def most_of_the_way_after_an_eighth(growth):
    learned = {step: found["accuracy"] - 0.2 for step, found in growth.items()}
    assert learned[1000] > 0.6 * learned[8000]


@after("cell-090")
def tuned_is_clearly_better_only_on_sentiment(tuned_on, last):
    tuned = {name: paper.stored_finetuning(task)["test"] for name, task in tuned_on.items()}
    better = {k: x["interval"][0] > last[k]["interval"][1] for k, x in tuned.items()}
    assert [name for name in better if better[name]] == ["sentiment"]


@after("cell-090")
def and_clearly_worse_only_on_acceptability(tuned_on, last):
    tuned = {name: paper.stored_finetuning(task)["test"] for name, task in tuned_on.items()}
    worse = {k: x["interval"][1] < last[k]["interval"][0] for k, x in tuned.items()}
    assert [name for name in worse if worse[name]] == ["acceptability"]


@after("cell-099")
def of_the_six_only_the_pronouns_are_clear(pairs_of_ends):
    assert paper.statistics.significant(pairs_of_ends) == {"he or she"}


@after("cell-099")
def late_and_with_a_step_back(curves):
    steps = [accuracy for _, accuracy in curves["novelist"]["he or she"]]
    assert max(steps[:5]) < 0.1 < steps[5]
    assert steps[7] < steps[6]


@after("cell-102")
def its_lstm_lies_lower_in_all():
    printed = paper.paper_numbers.FIGURE2_RIGHT.values()
    lower = [theirs["LSTM"] < theirs["GPT-1"] for theirs in printed]
    assert all(lower)


@after("cell-102")
def each_a_lead_like_the_papers_could_hide(tests, best, pairs_of_ends):
    for name in ("acceptability", "schemas"):
        printed, n = paper_numbers.FIGURE2_RIGHT[name], len(tests[name].labels)
        share = (printed["GPT-1"] - printed["LSTM"]) * (best[name] - 1 / tests[name].choices)
        divided = pairs_of_ends[name].only_a + pairs_of_ends[name].only_b
        ours = round((divided + share * n) / 2)
        p = float(binomtest(ours, divided).pvalue)
        raised = statistics.holm(
            [p, *(x.p for other, x in pairs_of_ends.items() if other != name)]
        )
        assert raised[0] > statistics.ALPHA, f"{name}: a lead like the paper's could hide"


@after("cell-108", full_run=True)
def no_more_than_guessing_with_examples_or_without(
    bad_one, good_one, model, bpe, reviews, film
):
    for shots in ("", f"{bad_one} very bad . {good_one} very good . "):
        answers = paper.zeroshot.sentiment(model, bpe, [shots + r for r in reviews[:100]])
        found = g.metrics.accuracy(answers, [example.label for example in film[:100]])
        assert found["interval"][0] < 0.5
