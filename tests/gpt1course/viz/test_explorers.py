"""What the explorers compute, against the library."""

import numpy as np
import pytest
import torch

import gpt1lib as g
from gpt1course import paper, statistics
from gpt1course.exercises import lesson15
from gpt1course.viz import explorers
from gpt1course.viz.explorers import few_labels, formats
from gpt1lib import finetune, inputs, losses

TEXT = "The unbelievable shipwreck"


@pytest.mark.parametrize("text", [TEXT, "a", "it's 10:30, isn't it?", "zebra zebra"])
def test_merge_steps_end_where_bpe_ends(novelist, text):
    e = explorers.TokenExplorer.from_checkpoint(novelist, text)
    assert [p for word in e.pieces() for p in word] == novelist.bpe.pieces(
        novelist.bpe.encode(text)
    )
    assert [i for word in e.ids for i in word] == novelist.bpe.encode(text)
    ranks = [rank for _, _, rank in e.merges]
    assert ranks == sorted(ranks)


def test_each_merge_makes_fewer_pieces(novelist):
    e = explorers.TokenExplorer.from_checkpoint(novelist, TEXT)
    sizes = []
    for step in range(len(e.merges) + 1):
        e.step = step
        sizes.append(sum(map(len, e.pieces())))
    assert sizes == sorted(set(sizes), reverse=True)
    assert sizes[0] == len(TEXT.replace(" ", ""))


def test_a_typed_text_is_read_and_a_long_one_refused(novelist):
    e = explorers.TokenExplorer.from_checkpoint(novelist, "one")
    e.text = "two words"
    assert e.words == ["two", "words"] and not e.message
    e.text = "x" * 500
    assert "the text has 500 characters" in e.message and e.words == ["two", "words"]
    e.text = ""
    assert e.message == "Type a text."


def test_neighbors_and_ranks_of_a_token(novelist):
    e = explorers.TyingExplorer.from_checkpoint(novelist, "The old man", ["sea"])
    W, i = novelist.model.tokens.weight.detach(), novelist.bpe.token_to_id("sea</w>")
    cosines = torch.cosine_similarity(W[i][None], W)
    cosines[i] = -1
    piece, cosine = e.neighbors[0][0]
    assert novelist.bpe.token_to_id(piece) == int(cosines.argmax())
    assert cosine == pytest.approx(float(cosines.max()), abs=1e-4)
    logits = novelist.model(torch.tensor([novelist.bpe.encode("The old man")]))[0, -1]
    value, rank = e.wins[0][-1]
    assert value == pytest.approx(float(logits[i]), abs=1e-3)
    assert rank == int((logits > logits[i]).sum()) + 1
    assert e.counts == [5_303_296, 5_303_296 + 8120 * 256]


def test_an_unknown_word_is_refused_by_name(novelist):
    with pytest.raises(ValueError, match="qqqq"):
        explorers.TyingExplorer.from_checkpoint(novelist, "The", ["qqqq"])


def test_the_last_stage_of_the_journey_is_the_models_own_prediction(novelist):
    prompt = "She looked at the"
    e = explorers.JourneyExplorer.from_checkpoint(novelist, prompt)
    ids = torch.tensor([novelist.bpe.encode(prompt)])
    probs = novelist.model(ids)[0].softmax(-1)
    assert len(e.stages) == 1 + 4 * 4 and len(e.blocks()) == 5
    for t, guesses in enumerate(e.stages[-1]["top"]):
        piece, p = guesses[0]
        assert novelist.bpe.token_to_id(piece) == int(probs[t].argmax())
        assert p == pytest.approx(float(probs[t].max()), abs=1e-4)


def test_every_state_of_the_journey_is_on_the_way(novelist):
    """A LayerNorm's input, normalized, is its output."""
    ids = novelist.bpe.encode("She looked at the")
    found = explorers.journey.journey(novelist.model, g.trace(novelist.model, ids))
    blocks = novelist.model.blocks
    for i, block in enumerate(blocks):
        before_1, n, before_2, h = (s["h"] for s in found[1 + 4 * i : 5 + 4 * i])
        assert torch.allclose(block.ln_1(before_1), n, atol=1e-5)
        assert torch.allclose(block.ln_2(before_2), h, atol=1e-5)


@pytest.mark.parametrize("kind", explorers.formats.FIELDS)
def test_the_formats_are_those_of_inputs(novelist, kind):
    e = explorers.FormatsExplorer.from_checkpoint(novelist, kind=kind)
    s, reader = inputs.Specials.after(novelist.bpe.n_vocab), formats.FormatsReader(novelist)
    sequences = reader.sequences(kind, e.texts[kind])
    for ids, row in zip(sequences, e.formats[kind]["rows"], strict=True):
        assert len(ids) == len(row) and row[-1][0] == "[extract]"
        assert [part == "special" for _, part, _ in row] == [
            i in (s.start, s.delimiter, s.extract) for i in ids
        ]
    rows = e.formats[kind]["rows"]
    ids, real = finetune.pad(sequences)
    with torch.no_grad():
        lm = losses.lm_loss(reader.model_for(kind)(ids), ids, real).item()
    found = e.losses()
    assert found["lm mean"] == pytest.approx(lm, abs=1e-3)
    assert found["L3 mean"] == pytest.approx(-(found["task"] + 0.5 * lm), abs=1e-3)
    assert len(rows) == {"similarity": 2, "choice": 3}.get(kind, 1)


def test_a_typed_text_changes_its_format_and_an_empty_one_is_named(novelist):
    e = explorers.FormatsExplorer.from_checkpoint(novelist)
    e.texts = {**e.texts, "classification": ["The old man"]}
    pieces = [piece for piece, _, _ in e.formats["classification"]["rows"][0]]
    assert pieces == ["[start]", "the</w>", "old</w>", "man</w>", "[extract]"]
    e.texts = {**e.texts, "entailment": ["", "x"]}
    assert "first segment is empty" in e.message


def test_an_edited_text_is_read_by_the_model(novelist):
    e = explorers.AttentionExplorer.from_checkpoint(novelist, "The old man", 5)
    e.text = "She looked at the sea"
    ids = novelist.bpe.encode("She looked at the sea")
    assert e.tokens == novelist.bpe.pieces(ids) and e.tokens[e.row] == "at</w>"
    wanted = g.trace(novelist.model, ids).weights.detach().numpy()
    assert e.data == explorers.base.as_half(wanted) and e.head == 5
    before = e.data
    e.text = "word " * 80
    assert "80 tokens, this page shows 64" in e.message and e.data == before
    e.text = ""
    assert "the text is empty" in e.message


def test_views_open_on_what_is_to_be_seen(novelist):
    """On the head whose words look at their verb, not on a flat one; not on a full stop."""
    text = "She took the letter from the table and read it to her sister."
    e = explorers.AttentionExplorer.from_checkpoint(novelist, text)
    assert divmod(e.head, 4) == (3, 3)
    assert "'and' attends 95% to 'took'" in e.sentence()
    uniform = np.tril(np.ones((1, 2, 3, 3))) / np.arange(1, 4)[:, None]
    uniform[0, 1] = [[1, 0, 0], [0.1, 0.9, 0], [0, 0.9, 0.1]]
    plain = explorers.AttentionExplorer(uniform, list("abc"))
    assert (plain.head, plain.row) == (1, 2)
    assert explorers.AttentionExplorer(uniform, list("abc"), head=0, row=-1).row == 2
    assert explorers.AttentionExplorer(np.ones((1, 1, 1, 1)), ["a"]).row == 0
    table = [[0, 0.2, 0.8], [0.1, 0, 0.9], [0.4, 0.6, 0]]
    assert explorers.BigramExplorer(table, ["q", "e", " "]).row == 1, "the most frequent letter"


def test_attention_says_and_draws_what_the_chosen_mask_does():
    """Equal scores: without a mask, row 1 of 3 gives a third to each token."""
    causal = np.tril(np.ones((1, 1, 3, 3))) / np.arange(1, 4)[:, None]
    e = explorers.AttentionExplorer(causal, list("abc"), row=1, scores=np.zeros((1, 1, 3, 3)))
    assert e.sentence().endswith("'b' attends 50% to 'a'.")
    e.mask = "none"
    assert e.sentence().endswith("'a'; without a mask, 33% of its weight goes to later tokens.")
    assert drawn(e) == pytest.approx([1 / 3] * 9)
    e.mask = "after"
    assert e.sentence().endswith("'a'; masked after the softmax, its weights add up to 0.67.")
    assert drawn(e) == pytest.approx([1 / 3] * 6)
    fixed = explorers.AttentionExplorer(causal, list("abc"), row=1)
    fixed.mask = "none"
    assert fixed.sentence().endswith("'b' attends 50% to 'a'."), "no scores, no other mask"
    assert len(drawn(fixed)) == 6


def drawn(explorer):
    """The weights that a picture of heads shows, those left white not counted."""
    return explorer.figure().axes[0].images[0].get_array().compressed()


def test_the_picture_of_gpt_and_bert_names_the_word_that_gains_most():
    """By hand: BERT is half as sure of the second word, and twice as sure of the third."""
    from gpt1course.paper.after import filling, twins

    def picture(gpt, bert):
        """Of the chances that both give to each word; GPT has none for the first."""
        words = [f"{x}</w>" for x in "abcdef"[: len(gpt)]]
        guesses = [{"guesses": [p and {"p": p} for p in chances]} for chances in (gpt, bert)]
        e.texts = [{"tokens": words, "GPT": guesses[0], "BERT": guesses[1]}]
        return e.figure()

    e = explorers.MaskedExplorer(filling.covered_texts(*twins.load_twins(), ["the king"]))
    title = picture([None, 0.2, 0.3], [0.5, 0.1, 0.6]).axes[0].get_title(loc="left")
    assert title == "The words after the gap help most with 'c'"
    assert list(e._gains.values()) == pytest.approx([-np.log(2), np.log(2)])
    title = picture([None, 0.2], [0.5, 0.1]).axes[0].get_title(loc="left")
    assert title == "The words after the gap help with no word of this sentence"
    assert picture([None], [0.5]) is None, "of a single word, GPT guesses nothing"


def test_two_texts_are_paired_word_by_word_and_their_movement_is_by_hand():
    from gpt1course.viz.explorers.two_texts import movement, paired

    pairs = paired("a b c".split(), "a x c d".split())
    assert pairs == [[0, 0], [1, 1], [2, 2]]
    one, two = np.zeros((1, 1, 3, 3)), np.zeros((1, 1, 4, 4))
    one[0, 0] = [[1, 0, 0], [0.5, 0.5, 0], [0.2, 0.3, 0.5]]
    two[0, 0] = [[1, 0, 0, 0], [0.1, 0.9, 0, 0], [0.2, 0.1, 0.3, 0.4], [1, 0, 0, 0]]
    assert np.allclose(movement(one, two, pairs)[0, 0], [0, 0.4, 0.4])


def test_two_texts_open_on_the_word_that_moves_most(novelist):
    e = explorers.TwoTextsExplorer.from_checkpoint(novelist, "A dog ran.", "A cat ran.")
    same = [n for n, (i, j) in enumerate(e.pairs) if e.tokens[0][i] == e.tokens[1][j]]
    at = [i for i, _ in e.pairs].index(e.row)
    assert e.moved[divmod(e.head, 4)][at] == e.moved[..., same].max() > 0.1
    before = e.one
    e.texts = ["A dog ran.", ""]
    assert "the text is empty" in e.message and e.one == before


SIGNS = " ".join(map(chr, range(0x4E00, 0x4E00 + 200)))  # none is in the vocabulary


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("The old man", ""),
        ("the 日 é é", "Not in the vocabulary, read as <unk>: 日 é."),
        (SIGNS[:39], f"Not in the vocabulary, read as <unk>: {SIGNS[:39]}."),
        (SIGNS, f"Not in the vocabulary, read as <unk>: {SIGNS[:39]} and 180 more."),
        ("word " * 300, "The model reads the last 256 of 300 tokens."),
    ],
    ids=range(5),
)
def test_what_the_model_does_not_read_is_said(novelist, text, said):
    e = explorers.SamplingExplorer.from_checkpoint(novelist, "The old man")
    e.text = text
    assert e.message == said


def test_the_rank_of_the_final_answer_is_followed_through_the_journey(novelist):
    e = explorers.JourneyExplorer.from_checkpoint(novelist, "She looked at the")
    assert e.stages[-1]["rank"] == [1] * 4 and max(e.stages[0]["rank"]) > 1
    for stage in e.stages:
        for rank, top, final in zip(
            stage["rank"], stage["top"], e.stages[-1]["top"], strict=True
        ):
            assert (rank == 1) == (top[0][0] == final[0][0])


def test_an_empty_prompt_begins_after_a_new_line(novelist):
    """GPT-1 has no token for the start of a text."""
    e = explorers.SamplingExplorer.from_checkpoint(novelist, "")
    with torch.no_grad():
        wanted = novelist.model(torch.tensor([[novelist.bpe.newline]]))[0, -1]
    assert torch.allclose(torch.tensor(e.logits).float(), wanted, atol=1e-5)
    w = explorers.WritingExplorer.from_checkpoint(novelist, "", n_tokens=3)
    assert [len(pairs) for _, _, pairs in w.rows] == [3] * 6 and not w.message


SWEEP = {  # value -> task -> seed -> accuracy; the order of seeds must not matter
    "0": {"film": {0: 0.60, 1: 0.62, 2: 0.64}, "logic": {0: 0.4, 1: 0.5, 2: 0.6}},
    "0.5": {"film": {2: 0.66, 1: 0.66, 0: 0.63}, "logic": {0: 0.5, 1: 0.4, 2: 0.6}},
}


def test_a_sweep_compares_seed_by_seed():
    e = explorers.SweepExplorer(SWEEP, chosen="0.5", compared="0")
    film = e.tasks["film"][1]
    assert film["mean"] == pytest.approx(0.65) and film["difference"] == pytest.approx(0.03)
    # differences 0.03, 0.04, 0.02: t 4.303 times 0.01 over the root of 3
    assert film["difference_half"] == pytest.approx(4.303 * 0.01 / 3**0.5, rel=1e-3)
    assert not film["significant"]  # p is 0.035, and twice that among two differences
    assert e.tasks["logic"][1]["difference"] == pytest.approx(0)
    assert "film 65.0% give or take 4.3 points" in e.sentence()
    with pytest.raises(ValueError, match="'1' is not among the values"):
        explorers.SweepExplorer(SWEEP, chosen="1", compared="0")
    hole = SWEEP | {"0.5": SWEEP["0.5"] | {"film": {0: 0.63, 1: 0.66}}}
    with pytest.raises(ValueError, match=r"seeds \[0, 1\].*has \[0, 1, 2\]"):
        explorers.SweepExplorer(hole, chosen="0.5", compared="0")


def test_an_explorer_of_labels_calls_significant_what_lesson_15_does():
    draws = paper.curves.draws("past_or_present")
    names = ("pre-trained", "random weights", "LSTM", "pairs of words")
    ours, *others = few_labels.drawn_rows({name: draws[name] for name in names})
    shown = {
        row["name"]: [p["labels"] for p in row["places"] if p["ahead"][2] == "significant"]
        for row in others
    }
    gaps = {row: statistics.paired_t_tests(draws["pre-trained"], draws[row]) for row in shown}
    assert shown == lesson15.significant_sizes(gaps)
    assert shown["random weights"] == [300], "alone it would be significant everywhere"
    assert not any("ahead" in place for place in ours["places"])
