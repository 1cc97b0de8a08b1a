"""What lesson 14, Zero-shot: what pre-training knows, says."""

import itertools

import numpy as np
from claim import after
from scipy.stats import binomtest

import gpt1lib as g
from gpt1course import paper, statistics
from gpt1course.paper import paper_numbers, pretraining_seeds
from tools import trial_tables


@after("cell-010")
def two_of_three_and_sure_of_for_in_the_third(five_probabilities, five_words, gaps, three):
    found = [five_probabilities(gaps[number]) for number in three]
    hits = [int(p.argmax()) == gaps[n].label for n, p in zip(three, found, strict=True)]
    assert hits == [True, True, False]
    assert five_words(gaps[three[2]])[int(found[2].argmax())] == "for"
    assert found[2].max() > 0.95, "sure of the third"


@after("cell-011")
def before_or_of(five_words, gaps, three, five_probabilities):
    words = five_words(gaps[three[1]])
    probs = five_probabilities(gaps[three[1]])
    assert probs[[words.index("before"), words.index("of")]].min() > 0.2


@after("cell-016")
def the_library_chooses_words_as_you_do(alike):
    assert all(alike)


@after("cell-021", full_run=True)
def prepositions_are_hardest(by_class):
    weakest = min(by_class, key=lambda kind: by_class[kind]["novelist"][0])
    assert weakest == "preposition"


@after("cell-021")
def frequency_says_nothing(by_class):
    overall = by_class["all"]
    _, low, high = overall["most frequent word"]
    assert low < 0.2 < high


@after("cell-021", full_run=True)
def model_80_counting_66_random_weights_guess(by_class):
    overall = by_class["all"]
    assert round(overall["novelist"][0], 2) == 0.80
    assert round(overall["bigrams on both sides"][0], 2) == 0.66
    _, low, high = overall["random weights"]
    assert low < 0.2 < high, "random weights guess"
    assert overall["novelist"][1] > overall["bigrams on both sides"][2]


@after("cell-021", full_run=True)
def random_weights_guess_in_each_class_or_nearly(by_class):
    assert all(0.1 < row["random weights"][0] < 0.27 for row in by_class.values())


@after("cell-034")
def the_library_scores_as_you_do(scores, score, texts):
    alike = [abs(scores[i] - score(texts[i])) < 1e-3 for i in range(3)]
    assert all(alike)


@after("cell-043")
def whole_in_93_of_100(pairs, n):
    assert (pairs, n) == (93, 100)


@after("cell-039")
def by_a_threshold_64_percent(on_sentences):
    assert round(on_sentences["accuracy"], 2) == 0.64
    assert on_sentences["interval"][0] > 0.5


@after("cell-058")
def the_library_chooses_endings_as_you_do(likelier_choice, answer_log_probs, stories, by_story):
    mine = [
        likelier_choice([answer_log_probs(e.texts[0], c) for c in e.texts[1:]])
        for e in stories[:10]
    ]
    assert mine == by_story[:10]


@after("cell-061", full_run=True)
def half_of_the_lead_is_without_the_story(plain, alone):
    assert (round(plain["accuracy"], 2), round(alone["accuracy"], 2)) == (0.59, 0.55)
    assert 0.45 < (alone["accuracy"] - 0.5) / (plain["accuracy"] - 0.5) < 0.58


@after("cell-065")
def the_second_is_likelier_told_or_not(with_it, without_it):
    first_wins = [scores[0] > scores[1] for scores in (with_it, without_it)]
    assert not any(first_wins)


@after("cell-065")
def the_story_raises_the_first_alone(with_it, without_it):
    risen = [a > b for a, b in zip(with_it, without_it, strict=True)]
    assert risen == [True, False]


@after("ending-1", full_run=True)
def raised_64_percent_and_twelve_points_ahead_of_fine_tuning(by_raise, tuned_cloze):
    asked, tuned = by_raise["accuracy"], tuned_cloze["mean"]
    assert (round(asked, 2), round(tuned, 2)) == (0.64, 0.52)
    assert round(100 * (asked - tuned)) == 12
    assert by_raise["interval"][0] > tuned + tuned_cloze["half"], "the intervals are apart"
    assert tuned_cloze["seeds"] == 3
    assert tuned - tuned_cloze["half"] < 0.5, "hardly beyond guessing"


@after("ending-1", full_run=True)
def by_five_points(by_raise, plain, stories):
    assert round(100 * (by_raise["accuracy"] - plain["accuracy"])) == 5
    assert len(stories) == 552


@after("cell-096")
def ten_stages_each_twice_as_long(novelist, curves):
    recipe = novelist.meta["recipe"]
    assert (recipe["snapshots"], recipe["steps"]) == (10, 8000)
    steps = [step for step, _ in curves["missing word"]]
    assert len(steps) == 10
    assert all(1.9 < b / a < 2.1 for a, b in itertools.pairwise(steps))


@after("cell-096")
def four_grow_and_sentiment_does_not(curves):
    grown = {name for name, at in curves.items() if min(y for _, y in at[-3:]) > 0.1}
    assert grown == {"missing word", "acceptability", "story cloze", "he or she"}
    assert max(abs(at) for _, at in curves["sentiment"]) < 0.1, "at guessing to the end"


@after("cell-096")
def he_or_she_is_late_falls_back_once_and_ends_highest(curves):
    he = [at for _, at in curves["he or she"]]
    assert max(he[:5]) < 0.1 < he[5], "after 250 updates"
    assert [b < a for a, b in itertools.pairwise(he[5:])].count(True) == 1, "falls back once"
    assert he[-1] == max(at[-1][1] for at in curves.values()), "ends highest"
    first = [at for _, at in curves["missing word"]]
    assert all(first[3] > curves[name][3][1] for name in ("he or she", "acceptability"))


@after("cell-096")
def the_schemas_may_be_luck(lines):
    last = [line for line in lines if line["model"] == "novelist"][-1]["scores"]["schemas"]
    assert (last["examples"], last["interval"][0] < 0.5) == (60, True)


@after("cell-025", full_run=True)
def twenty_points_to_both(shares):
    lost = {k: 100 * (v["both sides"] - v["left only"]) for k, v in shares.items()}
    assert all(18.5 < points < 21 for points in lost.values())


@after("cell-036")
def means_are_less_than_a_deviation_apart(means, scores, labels):
    spread = min(np.std(np.array(scores)[labels == y]) for y in (0, 1))
    assert 0 < means["whole"] - means["broken"] < spread


@after("cell-041")
def exchanges_74_a_wrong_form_40_percent(caught):
    found = {how: round(row["caught"][0], 2) for how, row in caught.items()}
    assert max(found, key=found.get) == "exchanged" and found["exchanged"] == 0.74
    assert found["in_another_form"] == 0.40


@after("cell-041")
def the_threshold_costs_more_than_the_other_kinds_of_damage(caught, whole, judged, is_whole):
    of_exchanges = (caught["exchanged"]["caught"][0] + 1 - np.mean(whole)) / 2
    of_all = np.mean(np.array(judged) == is_whole)
    assert 0.93 - of_exchanges > of_exchanges - of_all > 0


@after("cell-041")
def a_threshold_on_sums_would_call_most_long_sentences_broken(sums, lengths):
    called = np.array(paper.zeroshot.above_median(sums.tolist())) == 0
    assert called[lengths > np.median(lengths)].mean() > 0.8


@after("cell-041")
def the_sum_follows_the_length(sums, lengths, scores):
    assert np.corrcoef(sums, lengths)[0, 1] < -0.85
    assert abs(np.corrcoef(scores, lengths)[0, 1]) < 0.15


@after("cell-049", full_run=True)
def the_interval_above_holds_one_half(on_films):
    low, high = on_films["interval"]
    assert low < 0.5 < high


@after("cell-049")
def good_is_far_more_frequent_than_bad(once):
    assert once["good"] > 5 * once["bad"]


@after("cell-049", full_run=True)
def it_says_good_nearly_always(says_good):
    assert sum(says_good) > 890


@after("cell-053", full_run=True)
def less_than_where_it_was_chosen(best_on_test, tried, best_question):
    assert best_on_test["accuracy"] < tried[best_question]


@after("cell-053", full_run=True)
def and_above_one_half(best_on_test):
    assert best_on_test["interval"][0] > 0.5


@after("cell-053", full_run=True)
def even_for_six_tries(coin):
    assert 6 * coin < 0.01


@after("cell-053", full_run=True)
def the_test_has_57_percent(best_on_test):
    assert round(best_on_test["accuracy"], 2) == 0.57


@after("cell-108", full_run=True)
def two_examples_hardly_change_the_accuracy(with_shots, by_example):
    assert round(with_shots["accuracy"], 2) == 0.58
    assert (by_example.only_a, by_example.only_b) == (92, 82) and round(by_example.p, 2) == 0.5


@after("ending-2", full_run=True)
def more_than_two_thirds_are_right_only_with_the_story(helped):
    assert helped.only_a > 2 * helped.only_b
    assert helped.p < 0.05


@after("ending-2", full_run=True)
def ahead_of_the_ending_alone_and_nearly_of_the_plain_score(against):
    assert against["the ending alone"].p < 0.05
    assert 0.05 < against["after the story"].p < 0.1, "just short of significant"


@after("ending-2")
def the_text_says_1_686_stories_and_three_times_as_many():
    task = g.tasks.load("story_cloze")
    assert len(task.train) == 1686
    assert round(len(task.train) / len(task.test)) == 3


@after("cell-075")
def the_box_in_both_sentences(schemas, put_in_place, model, bpe):
    for row in schemas[2:4]:
        pairs = put_in_place(row["text"], row["choices"])
        asked = [(bpe.encode(a), bpe.encode(b)) for a, b in pairs]
        box, bag = paper.zeroshot.continuation_scores(model, asked)
        assert row["choices"] == ["the box", "the bag"]
        assert box > bag


@after("cell-079")
def about_half_of_the_twins_got_one_answer(twins, on_schemas):
    assert twins == {2: 10, 1: 16, 0: 4}
    assert binomtest(10, 14).pvalue > 0.05, "a coin could do that"
    assert on_schemas["interval"][0] < 0.5


@after("pronouns-4")
def back_by_up_to_sixteen_words(pronouns):
    assert max(len(example.texts[0].split()) for example in pronouns) == 16


@after("pronouns-4", full_run=True)
def the_model_90_the_lstm_88_percent(same_person, answers_of, ahead):
    found = {name: g.metrics.accuracy(said, same_person) for name, said in answers_of.items()}
    assert round(found["novelist"]["accuracy"], 2) == 0.90
    assert round(found["LSTM"]["accuracy"], 2) == 0.88
    assert ahead.p > 0.2 and ahead.difference > 0


@after("cell-099")
def significantly_behind_on_none(pairs_of_ends):
    assert min(statistics.holm([pair.p for pair in pairs_of_ends.values()])) > 0.9


@after("cell-099")
def three_points_on_60_schemas_and_less_than_two_elsewhere(tests, pairs_of_ends):
    points = {name: abs(100 * pair.difference) for name, pair in pairs_of_ends.items()}
    assert len(tests["schemas"].labels) == 60 and round(points.pop("schemas")) == 3
    assert len(points) == 5 and max(points.values()) < 2


@after("cell-099")
def the_intervals_reach_three_points_to_either_side_and_16_on_the_schemas(pairs_of_ends):
    widths = {name: 100 * pair.half_width for name, pair in pairs_of_ends.items()}
    assert round(widths.pop("schemas")) == 16
    assert round(max(widths.values())) == 3


@after("cell-099")
def on_sentiment_and_the_schemas_neither_is_reliably_above_chance(ends, tests):
    low = {name: [ends[m][name]["interval"][0] for m in ("novelist", "LSTM")] for name in tests}
    learned = {name for name, both in low.items() if min(both) > 1 / tests[name].choices}
    guessed = {name for name, both in low.items() if max(both) <= 1 / tests[name].choices}
    assert guessed == {"sentiment", "schemas"} and len(learned) == 4
    assert {*low} == learned | guessed


@after("cell-100")
def both_were_asked_at_every_stage(asked_of, tests):
    for by_skill in asked_of.values():
        assert {name: len(at) for name, at in by_skill.items()} == dict.fromkeys(tests, 10)


@after("one-rate-1")
def the_first_lstm_was_behind_on_he_or_she_alone(first_lstm, pairs_of_first):
    assert paper.statistics.significant(pairs_of_first) == {"he or she"}
    assert round(100 * pairs_of_first["he or she"].difference) == 9
    assert round(first_lstm["scores"]["he or she"]["accuracy"], 2) == 0.81


@after("one-rate-1")
def the_second_lstm_is_significantly_better_than_the_first(tests, ends, first_lstm):
    new, first = (
        [int(digit) for digit in scores["he or she"]["guesses"]]
        for scores in (ends["LSTM"], first_lstm["scores"])
    )
    found = statistics.mcnemar(new, first, tests["he or she"].labels)
    assert found.difference > 0.05 and found.p < 0.001


@after("one-rate-1")
def it_had_the_rate_of_the_novelist_and_ours_has_the_best_of_three(novelist, lstm):
    tried = {
        rate: run for (kind, rate), run in trial_tables.runs_by_rate().items() if kind == "lstm"
    }
    assert novelist.meta["recipe"]["lr"] == 0.001 and 0.001 in tried and len(tried) == 3
    best = min(tried, key=lambda rate: tried[rate]["bits_per_character"])
    assert lstm.meta["recipe"]["lr"] == best == 0.004


@after("cell-102")
def its_lstm_ends_lower_in_all_four():
    printed = paper.paper_numbers.FIGURE2_RIGHT.values()
    lower = [theirs["LSTM"] < theirs["GPT-1"] for theirs in printed]
    assert lower == [True] * 4


@after("cell-102")
def a_lead_like_the_papers_could_be_there(tests, pairs_of_ends):
    for name in ("acceptability", "schemas"):
        printed, n = paper_numbers.FIGURE2_RIGHT[name], len(tests[name].labels)
        share = (printed["GPT-1"] - printed["LSTM"]) * (1 - 1 / tests[name].choices)
        divided = pairs_of_ends[name].only_a + pairs_of_ends[name].only_b
        ours = min(divided, round((divided + share * n) / 2))
        p = float(binomtest(ours, divided).pvalue)
        others = [x.p for other, x in pairs_of_ends.items() if other != name]
        assert statistics.holm([p, *others])[0] > statistics.ALPHA, name


@after("cell-102")
def pre_trained_by_one_recipe_but_for_the_rate(novelist, lstm):
    ours, its = (x.meta["recipe"] for x in (novelist, lstm))
    assert {key for key in {*ours} & {*its} if ours[key] != its[key]} == {"kind", "lr"}


@after("cell-088", full_run=True)
def after_an_eighth_69_percent_and_12_points_to_come(growth):
    found = {step: row["accuracy"] for step, row in growth.items()}
    assert (round(found[1000], 2), round(found[8000], 2)) == (0.69, 0.81)
    assert round(100 * (found[8000] - found[1000])) == 12
    assert found[1000] - found[0] > 0.7 * (found[8000] - found[0]), "most of the way"


@after("cell-006")
def eight_hundred_gaps_of_single_tokens(gaps, five_words, bpe):
    assert len(gaps) == 800
    assert all(len(bpe.encode(word)) == 1 for gap in gaps for word in five_words(gap))


@after("cell-008")
def with_hear_every_token_becomes_less_likely(answer_log_probs):
    see, hear = (
        answer_log_probs("He was very glad to", f"{word} his sister.")
        for word in ("see", "hear")
    )
    assert len(see) == 4 and (hear < see).all()


@after("cell-010")
def it_hesitates_in_the_second_gap_alone(five_probabilities, gaps, three):
    likeliest = [float(five_probabilities(gaps[number]).max()) for number in three]
    assert [p < 0.6 for p in likeliest] == [False, True, False]
    assert min(likeliest[0], likeliest[2]) > 0.75


@after("cell-032")
def both_broken_sentences_score_lower(score):
    whole = score("He was very glad to see his sister.")
    assert score("He was very glad see to his sister.") < whole
    assert score("Him was very glad to see his sister.") < whole


@after("cell-034")
def half_of_the_sentences_are_whole_and_the_rest_are_broken_in_three_ways(rows, labels):
    assert labels.sum() * 2 == len(labels)
    ways = {row["broken"] for row in rows if row["label"] == 0}
    assert ways == {"exchanged", "without_a_small_word", "in_another_form"}


@after("cell-061", full_run=True)
def the_story_adds_four_points(plain, alone):
    assert round(100 * (plain["accuracy"] - alone["accuracy"])) == 4


@after("cell-096")
def gpt_1_is_22_times_as_large_and_sentiment_its_highest(model):
    assert round(116_534_784 / model.count_parameters()) == 22
    ends = {test: theirs["GPT-1"] for test, theirs in paper_numbers.FIGURE2_RIGHT.items()}
    assert max(ends, key=ends.get) == "sentiment" and len(ends) == 4


@after("cell-096")
def the_answers_to_the_review_questions(relative_score):
    assert round(float(np.exp(-1.9 + 2.1)), 2) == 1.22
    assert np.allclose((-2.1 + 2.6, -1.9 + 1.8), (0.5, -0.1))
    assert round(relative_score(0.3, 1 / 3, 0.8), 2) == -0.07


@after("cell-096")
def without_pre_training_all_eight_scores_fall():
    printed = (paper_numbers.TABLE5[row][1] for row in ("full", "no pre-training"))
    scores = dict(zip(paper_numbers.TABLE5_TASKS, zip(*printed, strict=True), strict=True))
    assert len(scores) == 8 and all(without < full for full, without in scores.values())
    assert (scores["CoLA"], scores["STSB"]) == ((45.4, 18.9), (82.0, 30.9))


@after("cell-037")
def the_two_groups_of_scores_overlap_for_the_most_part(share):
    assert np.minimum(share["whole"], share["broken"]).sum() > 0.6


@after("cell-041")
def a_wrong_form_is_noticed_less_often_than_by_a_coin(caught):
    low, high = caught["in_another_form"]["caught"][1:]
    assert low < caught["in_another_form"]["caught"][0] < 0.5 < caught["exchanged"]["caught"][1]


@after("cell-047", full_run=True)
def on_films_the_accuracy_is_that_of_guessing(on_films, bpe):
    assert round(on_films["accuracy"], 2) == 0.51
    lengths = [len(bpe.encode(word)) for word in ("negative", "positive", "good", "bad")]
    assert lengths == [2, 1, 1, 1]


@after("cell-049")
def the_difference_moves_in_the_right_direction_from_a_head_start(model, bpe):
    texts = (
        "it is a beautiful day and i am happy .",
        "it was a terrible night and he was dying .",
    )
    good, bad = (bpe.encode(word)[0] for word in ("good", "bad"))
    ids = [bpe.encode(f"{text} very") for text in texts]
    logits = paper.zeroshot.next_logits(model, ids)
    happy, dying = (logits[:, good] - logits[:, bad]).tolist()
    assert happy > dying + 0.5 and dying > 1


@after("cell-051", full_run=True)
def the_best_of_six_has_60_percent_where_it_was_chosen(tried, best_question):
    assert len(tried) == 6 and round(tried[best_question], 2) == 0.60
    assert best_question == (". it was", ("ill", "happy"))


@after("cell-108")
def gpt_3_is_about_1_500_times_as_large():
    assert round(175e9 / 116_534_784, -2) == 1500


@after("cell-079")
def thirty_pairs_and_an_answer_that_changes_in_each(schemas):
    answers = [row["label"] for row in schemas]
    assert len(schemas) == 60
    assert all(a != b for a, b in zip(answers[::2], answers[1::2], strict=True))


@after("pronouns-2")
def half_of_the_passages_are_exchanged(pronouns):
    assert len(pronouns) == 700
    assert sum(example.label for example in pronouns) == 350


@after("pronouns-4")
def the_lstm_has_as_many_parameters_and_predicts_less_well(model, lstm, novelist):
    assert 0.99 < lstm.model.count_parameters() / model.count_parameters() < 1.01
    ours, theirs = novelist.meta["heldout"], lstm.meta["heldout"]
    assert novelist.meta["books"] == lstm.meta["books"]
    assert all(theirs[b]["nats_per_token"] > ours[b]["nats_per_token"] for b in ours)


@after("cell-088", full_run=True)
def three_quarters_of_the_losss_fall_and_about_as_much_of_the_skill(growth, novelist):
    first = novelist.log[0]["loss"]
    (at_1000,) = (x["loss"] for x in novelist.log if x["step"] == 1000)
    last = novelist.log[-1]["loss"]
    assert abs((first - at_1000) / (first - last) - 0.75) < 0.03
    skill = [growth[step]["accuracy"] for step in (0, 1000, 8000)]
    assert 0.7 < (skill[1] - skill[0]) / (skill[2] - skill[0]) < 0.85


@after("cell-102")
def with_two_more_of_each_the_scores_move_by_up_to_3_points_and_12_on_the_schemas():
    scores = pretraining_seeds.zero_shot_scores()
    spans = {
        test: max(max(row.values()) - min(row.values()) for row in rows.values())
        for test, rows in scores.items()
    }
    assert all(len(row) == 3 for rows in scores.values() for row in rows.values())
    assert round(100 * spans.pop("schemas")) == 12
    assert round(100 * max(spans.values())) == 3
