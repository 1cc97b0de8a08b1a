"""What lesson 00, Start here, says."""

import torch
from claim import after

import gpt1lib as g
from gpt1course import paper


@after("temperature-2")
def a_word_at_temperature_2_does_not_exist(novelist):
    beginning = "She looked at the letter, and"
    text = g.sample_text(novelist, beginning, n_tokens=40, temperature=2.0, seed=1)
    books = " ".join(g.corpus.read_books().values()).lower()
    assert "ordintally" in text
    assert "ordintally" not in books


@after("cell-018")
def the_text_says_eyes_has_22_percent_then_99_and_2(novelist):
    with torch.no_grad():
        closed = novelist.model(torch.tensor([novelist.bpe.encode("She closed her")]))[0, -1]
    best = int(closed.argmax())
    assert novelist.bpe.pieces([best]) == ["eyes</w>"]
    for temperature, share in ((1, 0.22), (0.2, 0.99), (2, 0.02)):
        assert abs((closed / temperature).softmax(dim=-1)[best] - share) < 0.006


@after("attention-2")
def his_looks_at_king_with_94_percent_and_she_with_59(novelist):
    ids = novelist.bpe.encode("The old king gave his daughter a ring, and she")
    his, she = (g.trace(novelist.model, ids).weights[3, 1, i] for i in (4, 10))
    assert novelist.bpe.pieces(ids)[2:6] == ["king</w>", "gave</w>", "his</w>", "daughter</w>"]
    assert his.argmax() == she.argmax() == 2
    assert abs(his[2] - 0.94) < 0.006
    assert abs(she[2] - 0.59) < 0.006
    assert she[5] < 0.1, "hardly at daughter"


@after("attention-2")
def king_is_darkest_in_nearly_every_row_below_it_even_those_of_gave_and_and(novelist):
    ids = novelist.bpe.encode("The old king gave his daughter a ring, and she")
    below = g.trace(novelist.model, ids).weights[3, 1, 3:].argmax(dim=-1)
    pieces = novelist.bpe.pieces(ids)[3:]
    others = [p for p, most in zip(pieces, below.tolist(), strict=True) if most != 2]
    assert others == ["ring</w>"]


@after("attention-2")
def the_first_four_heads_spread_their_attention(novelist):
    ids = novelist.bpe.encode("The old king gave his daughter a ring, and she")
    largest = g.trace(novelist.model, ids).weights[:, :, -1].amax(dim=-1)  # (4, 4)
    assert largest[0].max() < 0.25
    assert largest[1:].mean() > largest[0].max()


@after("cell-010")
def the_text_says_70_5_against_25_9_percent_e_times(three):
    shares = three.softmax(dim=0)
    assert torch.allclose(shares[:2], torch.tensor([0.705, 0.259]), atol=5e-4)
    assert round((shares[0] / shares[1]).item(), 1) == 2.7


@after("cell-013")
def five_rows_of_8_120_are_40_600_logits(logits):
    assert logits.numel() == 5 * 8_120 == 40_600


@after("cell-016")
def lady_has_about_5_percent(pieces, top):
    assert pieces[1] == "lady</w>"
    assert abs(top.values[1] - 0.05) < 0.006


@after("cell-029")
def phrases_of_the_books_seven_times_not_once_and_twenty_times():
    books = " ".join(" ".join(g.corpus.read_books().values()).lower().split())
    phrases = {
        "very young man": 7,
        "he was a very young": 0,
        "once upon a ": 20,
        "once upon a time": 20,
    }
    assert {words: books.count(words) for words in phrases} == phrases


@after("cell-016")
def man_has_about_83_percent(pieces, top):
    assert pieces[0] == "man</w>"
    assert abs(top.values[0] - 0.83) < 0.02


@after("cell-029")
def great_first_with_3_percent_and_time_fourth(novelist, vocabulary):
    last_rows = {}
    for start in ("Once upon a", "He looked at"):
        with torch.no_grad():
            last_rows[start] = (
                novelist.model(torch.tensor([novelist.bpe.encode(start)]))[0, -1]
                .softmax(dim=-1)
                .topk(4)
            )
    found = [vocabulary[i] for i in last_rows["Once upon a"].indices]
    assert found[0] == "great</w>", "great first, with 3%, and time fourth"
    assert found[3] == "time</w>", "great first, with 3%, and time fourth"
    assert round(last_rows["Once upon a"].values[0].item(), 2) == 0.03, (
        "great first, with 3%, and time fourth"
    )
    four = {vocabulary[i] for i in last_rows["He looked at"].indices}
    assert four == {f"{w}</w>" for w in ("him", "her", "the", "his")}, (
        "him, her, the, his: three quarters"
    )
    assert abs(last_rows["He looked at"].values.sum() - 0.75) < 0.01, (
        "him, her, the, his: three quarters"
    )


@after("cell-032")
def the_tokens_add_up(sizes):
    assert sizes.n_vocab == 1 + 2 * 238 + 40_000 + 1


@after("cell-032")
def the_text_says_116_534_784_parameters(n_parameters):
    assert n_parameters == 116_534_784


@after("cell-032")
def the_text_says_22_times_the_novelists(times):
    assert round(times) == 22


@after("cell-032")
def the_text_says_4_blocks_256_numbers_256_tokens_at_once(novelist):
    ours = novelist.model.config
    assert ours.n_layer == 4
    assert ours.n_embd == ours.n_ctx == 256


@after("cell-032")
def the_text_says_12_books_3_held_out(novelist):
    assert len(novelist.meta["books"]) == 12
    assert len(novelist.meta["heldout_books"]) == 3


@after("cell-035")
def own_books_cost_less(last):
    assert last["loss"] < last["heldout"] - 0.5


@after("cell-035")
def part_of_the_difference_was_there_before_it_had_read_its_books_once(novelist):
    early = [line for line in novelist.log if 400 <= line["step"] <= 600]
    assert max(line["tokens"] for line in early) < novelist.meta["training_tokens"]
    others = [line["heldout"] for line in early if "heldout" in line]
    assert min(others) - sum(line["loss"] for line in early) / len(early) > 0.1


@after("cell-035")
def it_met_each_sentence_some_five_times(novelist, last):
    assert round(last["tokens"] / novelist.meta["training_tokens"]) == 5


@after("cell-035")
def in_about_an_hour(last):
    assert round(last["seconds"] / 3600) == 1


@after("cell-035")
def the_text_says_3_7_and_4_4_nats(last, own):
    assert round(own, 1) == 3.7
    assert round(last["heldout"], 1) == 4.4


@after("cell-038")
def pre_training_adds_more_than_3_points_on_two_of_four_tasks(gains):
    assert sum(gain > 3 for gain in gains.values()) == 2
    assert len(gains) == 4


@after("cell-038")
def the_text_says_5_on_films_7_on_verse(gains):
    assert round(gains["film_snippets"]) == 5
    assert round(gains["verse_pairs"]) == 7


@after("cell-038")
def the_text_says_2_on_entailment_which_may_be_luck(gains):
    assert round(gains["entailment"]) == 2
    rows = paper.accuracies("table5")
    pairs = {
        task: paper.statistics.paired_t_test(row, rows["no pre-training"][task])
        for task, row in rows["full"].items()
    }
    assert pairs["entailment"].low < 0 < pairs["entailment"].high
    assert pairs["film_snippets"].low > 0 and pairs["verse_pairs"].low > 0


@after("cell-038")
def nothing_on_story_endings(gains):
    assert -2 < gains["story_cloze"] < 0


@after("cell-046")
def there_is_one_for_what_is_unknown(specials):
    assert specials == ["<unk>"]


@after("temperature-2")
def at_temperature_2_the_unlikely_together_are_drawn_more_often(novelist):
    ids = torch.tensor([novelist.bpe.encode("She closed her")])
    with torch.no_grad():
        probs = (novelist.model(ids)[0, -1] / 2).softmax(dim=-1).sort(descending=True).values
    assert probs[:10].sum() < 0.2 and probs[1000:].sum() > probs[:10].sum()


@after("write-1")
def gpt_1_gained_14_8_points_by_pre_training():
    (full, _), (without, _) = (
        paper.paper_numbers.TABLE5[row] for row in ("full", "no pre-training")
    )
    assert round(full - without, 1) == 14.8
