"""What lesson 17, Capstone: GPT beside BERT, scaling, limits, says."""

import itertools
import math
from functools import cache

import numpy as np
import torch
from claim import after

import gpt1lib as g
from gpt1course import paper, statistics
from gpt1course.exercises import lesson17 as lesson
from gpt1course.paper.after import filling, masked, scaling, twins


@after("cell-006")
def one_way_nothing_later_is_seen(one_way):
    assert (one_way.triu(1) == 0).all()


@after("cell-006")
def the_last_word_sees_the_same_either_way(one_way, both_ways):
    assert torch.equal(one_way[-1], both_ways[-1])


@after("cell-014")
def the_text_says_15_percent(chosen):
    assert abs(float(chosen.float().mean()) - 0.15) < 0.01


@after("cell-014")
def the_text_says_80_percent_of_them(hidden):
    assert abs(float(hidden) - 0.8) < 0.03


@after("cell-014")
def what_was_not_chosen_is_untouched(read, chosen, ids):
    assert torch.equal(read[~chosen], ids[~chosen])


@after("cell-022")
def the_same_first_numbers():
    a, b = (twins.fresh_twin(kind).state_dict() for kind in ("causal", "masked"))
    assert all(torch.equal(a[name], b[name]) for name in a)


@after("cell-022")
def the_same_recipe(stored):
    assert stored["causal"]["recipe"] == stored["masked"]["recipe"]


@after("cell-014")
def of_32_tokens_gpt_gets_31_targets_and_bert_4_8_on_average(chosen):
    bert_targets = masked.SHARE * chosen.shape[1]
    assert chosen.shape[1] - 1 == 31 and round(bert_targets, 1) == 4.8
    assert round(31 / bert_targets, 1) == 6.5, "6.5 times as many, about six times"
    assert round(float(chosen.sum(dim=1).float().mean())) == 5
    assert round(masked.SHARE * 200) == 30, "review question 2"


@after("cell-032", full_run=True)
def bert_is_better_at_every_place_but_the_last(loss):
    gap = loss["GPT"] - loss["BERT"]  # where positive, BERT is better
    assert (gap.mean(0)[:-1] > 0).all(), "BERT is better at every place but the last"
    assert round(float(gap[:, 8:24].mean()), 1) == 0.6, "by 0.6 nats there"
    assert round(float(gap[:, -1].mean()), 1) == -0.6, "and GPT by as much at the last"
    assert round(math.exp(float(gap[:, 8:24].mean())), 1) == 1.8, "1.8 times the probability"
    spreads = gap.std(dim=0) / len(gap) ** 0.5
    assert (gap.mean(0).abs() > 2 * spreads).all(), "clear at each place, by itself"


@after("cell-032")
def at_the_last_gpt_is(loss):
    gap = loss["GPT"] - loss["BERT"]  # where positive, BERT is better
    assert float(gap[:, -1].mean()) < 0, "at the last GPT is"
    assert float(gap[:, 8:24].mean()) > 0, "in the middle BERT is"


@after("cell-034")
def a_distribution(answers):
    assert abs(float(answers["GPT, whole"].exp().sum()) - 1) < 1e-4


@after("cell-036")
def clearly_better_than_from_the_left(stored_gaps):
    left = statistics.paired_t_test(stored_gaps["GPT, whole"], stored_gaps["GPT, left only"])
    assert left.high < 0


@after("cell-036")
def and_than_bert(stored_gaps):
    bert = statistics.paired_t_test(stored_gaps["GPT, whole"], stored_gaps["BERT"])
    assert bert.high < 0, "and than BERT"
    assert round(-bert.difference, 1) == 1.1, "by 1.1"
    assert round(bert.half_width, 1) == 0.4, "by 1.1"


@after("cell-036")
def from_the_left_bert_is_ahead_as_before(stored_gaps):
    behind = statistics.paired_t_test(stored_gaps["GPT, left only"], stored_gaps["BERT"])
    assert behind.low > 0


@after("cell-039")
def opened_gains_most_and_three_lose(explorer):
    read = explorer.texts[0]
    gpt, bert = (
        [guess and guess["p"] for guess in read[k]["guesses"]] for k in ("GPT", "BERT")
    )
    gains = [math.log(b / a) for a, b in zip(gpt[1:], bert[1:], strict=True)]  # from place 1
    words = read["tokens"][1:]
    most = words[gains.index(max(gains))]
    assert most == "opened</w>", "opened gains most"
    assert 4.4 < max(gains) < 4.5, "opened gains most"
    assert round(100 * gpt[1], 2) == 0.13, "from 0.13% to 11.5%"
    assert round(100 * bert[1], 1) == 11.5, "from 0.13% to 11.5%"
    better = [word for word, gain in zip(words, gains, strict=True) if gain < 0]
    assert better == ["door</w>", "to</w>", ".</w>"], "GPT is better at three"


@after("cell-050")
def the_text_says_6_and_12(place, first, last):
    assert (1 + place, first, last) == (6, 12, 12)


@after("cell-055")
def base_is_gpt_1s_size_on_purpose(base, gpt1):
    assert base == 109_482_240
    assert 0.9 < base / gpt1 < 1


@after("cell-061")
def gpts_is_a_distribution(gpt_total):
    assert abs(gpt_total - 1) < 0.001


@after("cell-061")
def berts_products_are_none_28(bert_total):
    assert round(bert_total) == 28


@after("cell-064")
def no_bound_exceeds_it_and_the_last_is_equal(bounds, exact):
    *below, tight = bounds  # the last is of the posterior
    assert max(below) < float(exact) - 0.1
    assert abs(tight - float(exact)) < 1e-6


@after("cell-064")
def a_drawn_word_has_no_gradient():
    chances = torch.tensor([0.2, 0.8], requires_grad=True)
    assert not torch.multinomial(chances, 1).requires_grad


@after("cell-070")
def the_text_says_5_percent_for_twice_the_size():
    assert round(lesson.loss_factor(2, 0.076), 6) == 0.948684


@after("cell-070")
def the_text_says_16_percent_for_ten_times():
    assert round(lesson.loss_factor(10, 0.076), 6) == 0.839460


@after("cell-081")
def the_librarys_line_is_yours(alpha, a, sizes, losses):
    assert np.allclose((alpha, a), paper.statistics.power_law(sizes, losses))


@after("cell-081")
def the_line_through_the_five_sizes(sweep):
    sweep_of_all = sweep["all books"]
    sizes, losses = zip(*sweep_of_all, strict=True)
    assert list(losses) == sorted(losses)[::-1], "each size is better than the one before"
    assert [round(x, 2) for x in losses[2:]] == [4.73, 4.67, 4.61], "the three largest"
    alpha, _ = statistics.power_law(sizes, losses)
    assert round(alpha, 3) == 0.017, "0.017, under a quarter of 0.076"
    assert round(lesson.exponent_half(sizes, losses), 3) == 0.006, "give or take 0.006"
    assert round(100 * (1 - 2**-alpha), 1) == 1.2, "twice the size is worth 1.2%"
    flat, _ = statistics.power_law(sizes[1:], losses[1:])
    assert round(flat, 4) == 0.0135, "0.0135 without the smallest"
    assert round(lesson.exponent_half(sizes[1:], losses[1:]), 4) == 0.0007, (
        "give or take 0.0007"
    )
    assert round(2120 * 32 / sizes[0], 1) == 2.7, (
        "the smallest one's table is 2.7 times the blocks"
    )
    said, low, high = statistics.prediction(sizes[:3], losses[:3], sizes[-1])
    assert round(said, 2) == 4.54, "the line of three says 4.54"
    assert round(losses[-1] - said, 2) == 0.08, "and misses by 0.08"
    _, low, high = statistics.prediction(sizes[:3], losses[:3], 85_054_464)
    assert round(low, 1) == 2.7, "from 2.7 to 6.5 at GPT-1's size"
    assert round(high, 1) == 6.5, "from 2.7 to 6.5 at GPT-1's size"
    line = statistics.power_law(sizes, losses)
    residuals = [round(100 * math.log(y * x ** line[0] / line[1]), 1) for x, y in sweep_of_all]
    assert residuals[0] > 0 > residuals[1], "+, -, -, 0, +"
    assert residuals[2] < 0 < residuals[4], "+, -, -, 0, +"
    assert abs(residuals[3]) < 0.1, "about 0 at the fourth"


@after("cell-081")
def with_the_token_table_the_points_are_further_from_a_line(sizes, losses, residuals):
    with_table = sizes + 2_120 * np.array([C for _, C in scaling.SHAPES])
    alpha, a = statistics.power_law(with_table, losses)
    further = np.log(losses) - np.log(a * with_table**-alpha)
    assert (further**2).sum() > 1.2 * (residuals**2).sum()


@after("cell-081")
def how_much_was_read_and_when_it_was_best():
    ran = {n: [x for x in paper.stored_lines("scaling") if x["one_in"] == n] for n in (1, 128)}
    share = {n: x[0]["tokens_read"] / x[0]["text"] for n, x in ran.items()}
    assert round(share[1], 1) == 0.2, "a fifth of all the books"
    assert ran[128][0]["text"] == 32_768, "32,768 tokens, 22 times"
    assert round(share[128]) == 22, "32,768 tokens, 22 times"
    early = [x["best_at"] / scaling.UPDATES < 1 / 3 for x in ran[128]]
    assert all(early), "the best of a 128th came before a third"
    assert all(x["last_nats"] > x["nats"] for x in ran[128]), "then the loss rose"
    assert len({(x["recipe"]["lr"], x["seed"]) for x in ran[1]}) == 1, "one rate and one seed"


@after("cell-081")
def size_buys_next_to_nothing_there(sweep):
    least = [nats for _, nats in sweep["a 128th"]]
    assert max(least) - min(least) < 0.06


@after("cell-081")
def more_text_is_better_at_each_size(sweep):
    for i, (less, more) in enumerate(itertools.pairwise(list(sweep.values())[::-1])):
        pairs = list(zip(less, more, strict=False))
        assert all(a[0] == b[0] and a[1] > b[1] for a, b in pairs), f"more text is better, {i}"


@after("cell-087")
def the_family_in_parameters(total):
    one, small, two, three = total.values()
    assert one == 116_534_784, "as the course counted it"
    assert small == 124_439_808, "as GPT-2's weights count"
    assert round((small - one) / 1e6) == 8, "8 million more"
    more = (50_257 - 40_478 + 512) * 768 + 2 * 768
    assert small - one == more, "the table, the context, a LayerNorm"
    assert round(two / 1e9, 1) == 1.6, "1.6 and 175 billion"
    assert round(three / 1e9) == 175, "1.6 and 175 billion"


@after("luck-2", full_run=True)
def three_examples_lose_more_than_they_win(in_pairs):
    assert in_pairs.only_a > in_pairs.only_b


@after("cell-094", full_run=True)
def zero_shot_beats_luck(right):
    assert g.metrics.wilson(sum(right[0]), len(right[0]))[0] > 0.25


@after("luck-2", full_run=True)
def the_fall_is_not_significant(in_pairs):
    assert round(in_pairs.p, 2) == 0.17


@after("luck-2")
def the_score_falls_with_seven_of_eight_seeds_by_8_points(novelist, few_shot_prompt):
    next_word = cache(lambda prompt: lesson.next_word(novelist, prompt))
    shares, won = {0: [], 3: []}, {(n, shown): [] for n in (0, 3) for shown in (False, True)}
    for seed in range(8):
        for n, by_seed in shares.items():
            right = []
            for shown, asked, options in lesson.few_shot_questions(seed):
                log_p = next_word(few_shot_prompt(shown[:n], asked))
                ids = [novelist.bpe.token_to_id(option + "</w>") for option in options]
                right.append(int(log_p[ids].argmax()) == 0)
                won[n, any(b in options[1:] for _, b in shown)].append(right[-1])
            by_seed.append(np.mean(right))
    falls = np.subtract(shares[0], shares[3])
    assert (falls > 0).sum() == 7 and round(100 * falls.mean()) == 8
    assert [round(100 * edge(shares[0])) for edge in (min, max)] == [42, 53]
    fell = [100 * (np.mean(won[0, x]) - np.mean(won[3, x])) for x in (True, False)]
    assert [round(x) for x in fell] == [14, 4], "where a wrong option is shown, and elsewhere"


@after("cell-100")
def gpts_cannot_move(states):
    assert torch.equal(*states["GPT"])


@after("cell-100")
def berts_does(states):
    assert not torch.allclose(*states["BERT"], atol=1e-3)


@after("cell-102")
def the_text_says_256_here_512_in_gpt_1(n_ctx):
    assert (n_ctx, g.GPT1.n_ctx) == (256, 512)


@after("cell-102")
def and_no_token_that_ends_a_text(novelist):
    assert "<|endoftext|>" not in novelist.bpe.encoder


@after("cell-105", full_run=True)
def clearly_less_surprised_by_what_it_draws(nats):
    book, half = statistics.mean_interval(nats["a held-out book"])
    drawn, half_drawn = statistics.mean_interval(nats["its own, drawn"])
    assert drawn + half_drawn < book - half, "clearly less surprised by what it draws"
    assert round(book - drawn, 1) == 0.6, "by 0.6 nats"


@after("cell-105")
def far_less_by_its_greedy_text(nats):
    book, half = statistics.mean_interval(nats["a held-out book"])
    assert nats["its own, greedy"][0] < book / 3


@after("cell-105")
def which_repeats_itself(again):
    assert again["its own, greedy"] > 0.85


@after("cell-105")
def as_no_other_does(again):
    assert again["a held-out book"] < 0.05
    assert again["its own, drawn"] < 0.05


@after("cell-108")
def each_prompt_gets_its_own_words(counts):
    assert counts[0][0] > counts[0][1]
    assert counts[1][1] > counts[1][0]


@after("cell-110")
def the_text_says_8_bits_cost_nothing_to_speak_of(nats_at):
    assert abs(nats_at[8] - nats_at[16]) < 0.01


@after("cell-110")
def the_text_says_4_bits_cost_little(nats_at):
    assert 0.01 < nats_at[4] - nats_at[16] < 0.1


@after("cell-110")
def the_text_says_3_bits_cost_several_times_as_much(nats_at):
    assert nats_at[3] - nats_at[16] > 3 * (nats_at[4] - nats_at[16])


@after("cell-117")
def twelve_sets_of_four_kinds():
    printed = paper.paper_numbers
    kinds = " ".join(printed.TABLE1).lower()
    assert sum(map(len, printed.TABLE1.values())) == 12, "twelve sets of four kinds"
    assert "translat" not in kinds and len(printed.TABLE1) == 4, "no translation among them"


# ---- what the two parts add ---------------------------------------------------------


@after("striking-2")
def bert_gives_opened_almost_ninety_times_the_probability(gpt, bert, bpe):
    ids = torch.tensor([bpe.encode("she opened the door and went down to the garden .")])
    by_gpt = filling.guesses_before(gpt, ids)[0, 0, ids[0, 1]].exp()
    by_bert = filling.guesses_around(bert, ids, 1)[0, ids[0, 1]].exp()
    assert 85 < float(by_bert / by_gpt) < 90


@after("cell-087")
def gpt_3_is_1_500_times_as_large(total):
    assert round(total["GPT-3 (2020)"] / total["GPT-1 (2018)"], -2) == 1500


@after("cell-094", full_run=True)
def the_text_says_46_and_36_percent(right):
    assert [round(100 * np.mean(scores)) for scores in right.values()] == [46, 36]


@after("project-1")
def a_right_program_ends_between_the_floor_and_0_49(targets, tiny):
    torch.manual_seed(0)
    model = g.GPT(tiny)
    adam = torch.optim.Adam(model.parameters(), lr=0.01)
    losses = []
    for _ in range(301):
        logits = model(targets.clamp(min=0))[:, :-1].flatten(0, 1)
        loss = torch.nn.functional.cross_entropy(
            logits, targets[:, 1:].flatten(), ignore_index=-100
        )
        losses.append(float(loss.detach()))
        adam.zero_grad()
        loss.backward()
        adam.step()
    assert abs(losses[0] - math.log(7)) < 0.2
    assert 0.4757 < losses[-1] < 0.49
    nouns = model(torch.tensor([[0, 1, 3], [0, 2, 3]]))[:, -1].detach().softmax(dim=-1)
    assert nouns[0, 5] > 0.99 and abs(nouns[1, 5] - 0.5) < 0.02


@after("cell-027")
def the_masked_twin_stays_near_6_nats_for_1_500_updates(stored):
    masked, causal = (dict(map(tuple, stored[kind]["curve"])) for kind in ("masked", "causal"))
    assert all(5.7 < masked[n] < 6.8 for n in range(250, 1501, 250))
    assert causal[750] < 5


@after("read-1")
def first_states_81_and_83_percent_and_berts_last_near_half(read_out):
    assert abs(read_out["GPT", "first"] - 0.81) < 0.015
    assert abs(read_out["BERT", "first"] - 0.83) < 0.015
    assert 0.5 < read_out["BERT", "last"] < 0.58


@after("read-1")
def gpts_first_state_has_seen_only_the_first_word(gpt, bpe):
    one, other = (torch.tensor([bpe.encode(text)]) for text in ("what is it", "what a day"))
    assert torch.allclose(gpt.hidden(one)[0, 0], gpt.hidden(other)[0, 0], atol=1e-5)


@after("control-2")
def six_drafts_are_kept_of_which_four_are_called_positive(liked, agreed):
    assert (liked.sum(), agreed[liked].sum(), agreed[~liked].sum()) == (6, 4, 1)


@after("control-2")
def drafts_of_2_to_25_words(drafts):
    lengths = [len(draft.split()) for draft in drafts]
    assert (min(lengths), max(lengths)) == (2, 25)


# ---- what else the text says --------------------------------------------------------


def stored_trials() -> list[dict]:
    """The lines of section 11's sweep, one for each size and amount of text."""
    return paper.stored_lines("scaling")


@after("striking-2")
def bert_names_the_true_word_first_and_gpt_none_of_its_three(gpt, bert, bpe):
    ids = torch.tensor([bpe.encode("she opened the door and went down to the garden .")])
    by_gpt = filling.guesses_before(gpt, ids)[0, 0].topk(3).indices
    by_bert = filling.guesses_around(bert, ids, 1)[0].argmax()
    assert by_bert == ids[0, 1] and ids[0, 1] not in by_gpt


@after("cell-006")
def every_word_sees_all_others_without_the_mask(both_ways):
    assert (both_ways > 0).all() and both_ways.shape == (4, 4)


@after("cell-014")
def of_the_chosen_ten_percent_are_random_and_ten_are_kept(read, chosen, ids, hidden):
    kept = float((read == ids)[chosen].float().mean())
    assert abs(kept - 0.1) < 0.02 and abs(1 - float(hidden) - kept - 0.1) < 0.02


@after("cell-022")
def the_twins_have_the_same_size_and_10_000_updates_each(stored):
    assert len({line["parameters"] for line in stored.values()}) == 1
    assert {line["recipe"]["steps"] for line in stored.values()} == {10_000}


@after("cell-032", full_run=True)
def gpts_loss_is_about_4_2_nats(loss):
    assert round(float(loss["GPT"].mean()), 1) == 4.2


@after("cell-027")
def the_masked_twin_ends_lower(ends):
    assert ends["masked"] < ends["causal"]


@after("cell-034")
def each_of_2_120_tokens_is_put_into_the_gap(bpe, answers):
    assert {len(log_p) for log_p in answers.values()} <= {bpe.n_vocab, bpe.n_vocab + 1}
    assert bpe.n_vocab == 2_120


@after("cell-036")
def on_150_passages_shorter_than_a_window(stored_gaps):
    (line,) = paper.stored_lines("gaps")
    assert {len(nats) for nats in stored_gaps.values()} == {line["passages"]} == {150}
    assert line["length"] < 32


@after("cell-055")
def bert_bases_blocks_are_gpt_1s_in_number(base):
    outside = (30_522 + 512 + 2) * 768 + 2 * 768 + 768**2 + 768
    assert base - outside == sum(p.numel() for p in g.GPT(g.GPT1).blocks.parameters())


@after("cell-087")
def the_8_million_come_from_two_tables_and_a_layer_norm():
    assert (50_257 - 40_478, 1024 - 512, 2 * 768) == (9_779, 512, 1_536)
    assert 12 * (12 * 768**2 + 13 * 768) == 85_054_464


@after("cell-094")
def there_are_72_questions_with_four_answers_and_three_examples_each():
    questions = lesson.few_shot_questions(seed=0)
    assert len(questions) == 72
    assert {(len(shown), len(options)) for shown, _, options in questions} == {(3, 4)}
    assert list(lesson.PAIRS) == ["past", "opposite", "plural"]


@after("luck-2", full_run=True)
def the_run_is_the_one_of_section_3(in_pairs, right):
    lost = sum(a and not b for a, b in zip(right[0], right[3], strict=True))
    assert in_pairs.only_a == lost


@after("project-1")
def no_program_can_end_below_0_476(targets):
    """What a model needs that knows, after each beginning, how often each word follows."""
    known = [tuple(row[row >= 0].tolist()) for row in targets]
    nats = []
    for words in known:
        for n in range(1, len(words)):
            same = [other[n] for other in known if len(other) > n and other[:n] == words[:n]]
            nats.append(-math.log(same.count(words[n]) / len(same)))
    assert round(sum(nats) / len(nats), 3) == 0.476
    assert round(math.log(7), 2) == 1.95


@after("read-1")
def train_and_test_have_300_labels(y, y_test):
    assert (len(y), len(y_test)) == (300, 300)


@after("cell-081")
def five_sizes_on_all_books_and_four_on_less(sweep):
    assert [len(points) for points in sweep.values()] == [5, 4, 4]
    assert len(g.corpus.read_books()) == 12


@after("cell-081")
def each_run_has_700_updates_of_1_024_tokens():
    ran = stored_trials()
    assert {line["recipe"]["steps"] for line in ran} == {700}
    assert {line["tokens_read"] for line in ran} == {700 * 1_024}
    assert {(line["recipe"]["lr"], line["seed"]) for line in ran} == {
        (ran[0]["recipe"]["lr"], 0)
    }


@after("cell-081")
def five_points_differ_by_less_than_a_factor_of_100(sizes):
    assert len(sizes) == 5 and max(sizes) / min(sizes) < 100


@after("cell-100")
def the_last_word_alone_is_changed(text, changed):
    assert (text != changed).nonzero().tolist() == [[0, text.shape[1] - 1]]


@after("cell-105")
def eight_pages_of_each_kind_but_the_greedy_one(writings):
    assert [len(ids) for ids in writings.values()] == [8, 8, 1]


@after("cell-110", full_run=True)
def four_bits_cost_0_05_nats(nats_at):
    assert round(nats_at[4] - nats_at[16], 2) == 0.05


@after("control-2")
def the_favorite_is_a_very_strong_picture(drafts, choosing):
    favorite = drafts[int(choosing(drafts).argmax())].strip()
    assert favorite == "very strong picture of the world ."


@after("control-2")
def the_second_classifier_has_read_other_reviews(film):
    first, second = ({e.texts[0] for e in film.train[k::2]} for k in (0, 1))
    assert abs(len(film.train[::2]) - len(film.train[1::2])) <= 1
    assert len(first & second) < 0.01 * len(first)
