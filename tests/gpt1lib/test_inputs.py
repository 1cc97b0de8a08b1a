"""The four input transformations, worked by hand on a vocabulary of four letters."""

import pytest

from gpt1lib import inputs
from gpt1lib.bpe import BPE

START, DELIMITER, EXTRACT = 10, 11, 12


@pytest.fixture(scope="module")
def letters():
    """a, b, c, d as words are 5, 6, 7, 8 of ten ids."""
    bpe = BPE.learn("a b c d", 0)
    assert bpe.n_vocab == 10 and bpe.encode("a b c d") == [5, 6, 7, 8]
    return bpe


def test_special_tokens_follow_the_vocabulary():
    specials = inputs.Specials.after(40_478)
    assert (specials.start, specials.delimiter, specials.extract) == (40478, 40479, 40480)


def test_one_text(letters):
    assert inputs.classification(letters, "a b", 8) == [[START, 5, 6, EXTRACT]]


def test_two_texts_keep_their_order(letters):
    wanted = [[START, 5, 6, DELIMITER, 7, EXTRACT]]
    assert inputs.entailment(letters, "a b", "c", 8) == wanted


def test_similar_texts_are_read_in_both_orders(letters):
    assert inputs.similarity(letters, "a b", "c", 8) == [
        [START, 5, 6, DELIMITER, 7, EXTRACT],
        [START, 7, DELIMITER, 5, 6, EXTRACT],
    ]


def test_each_choice_gets_the_context_and_the_question(letters):
    assert inputs.multiple_choice(letters, "a", ["c", "d"], 12, question="b") == [
        [START, 5, 6, DELIMITER, 7, EXTRACT],
        [START, 5, 6, DELIMITER, 8, EXTRACT],
    ]


def test_a_question_makes_the_context_shorter_and_is_not_cut(letters):
    found = inputs.multiple_choice(letters, "a b c d", ["c", "d"], 12, question="d c")
    assert [ids[:6] for ids in found] == [[START, 5, 6, 8, 7, DELIMITER]] * 2
    (long, _) = inputs.multiple_choice(letters, "a b", ["c", "d"], 12, question="d c b a d")
    assert long[:5] == [START, 5, 8, 7, 6], "one token of the context stays"


@pytest.mark.parametrize(("kind", "texts"), [("classification", "a"), ("similarity", "ab")])
def test_a_question_without_choices_is_refused(letters, kind, texts):
    with pytest.raises(ValueError, match=f"'b' is for choices, the kind is '{kind}'"):
        inputs.to_sequences(letters, kind, [*texts], 12, question="b")


def test_long_texts_are_cut_on_the_right_and_no_special_token_is_lost(letters):
    assert inputs.one_segment(letters, "a b c d", 4) == [START, 5, 6, EXTRACT]
    # 9 // 2 - 2 = 2 tokens of each text, though one place stays free
    found = inputs.two_segments(letters, "a b c d", "d c b a", 9)
    assert found == [START, 5, 6, DELIMITER, 8, 7, EXTRACT]


@pytest.mark.parametrize(
    ("kind", "texts", "n"),
    [
        ("classification", ("a",), 1),
        ("entailment", ("a", "b"), 1),
        ("similarity", ("a", "b"), 2),
        ("choice", ("a", "b", "c", "d"), 3),
    ],
)
def test_the_kind_chooses_the_transformation(letters, kind, texts, n):
    rows = inputs.to_sequences(letters, kind, texts, 16)
    assert len(rows) == n
    for ids in rows:
        assert ids[0] == START and ids[-1] == EXTRACT
        assert ids.count(DELIMITER) == (kind != "classification")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda bpe: inputs.one_segment(bpe, "a", 2), "context is 2 tokens, at least 3"),
        (lambda bpe: inputs.two_segments(bpe, "a", "b", 5), "context is 5 tokens, at least 6"),
        (lambda bpe: inputs.one_segment(bpe, " ", 8), "the text is empty"),
        (lambda bpe: inputs.two_segments(bpe, "a", "", 8), "the second segment is empty"),
        (lambda bpe: inputs.multiple_choice(bpe, "a", ["b"], 8), "there are 1 choices"),
        (lambda bpe: inputs.multiple_choice(bpe, "a", "bc", 8), "must be a list of texts"),
        (lambda bpe: inputs.to_sequences(bpe, "entailment", ("a",), 8), "needs texts: 2"),
        (lambda bpe: inputs.to_sequences(bpe, "regression", ("a",), 8), "is unknown"),
    ],
)
def test_what_does_not_fit_is_named(letters, call, message):
    with pytest.raises(ValueError, match=message):
        call(letters)
