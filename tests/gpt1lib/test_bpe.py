"""BPE against the released vocabulary, a naive learner, and any text at all."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpt1lib import bpe
from gpt1lib.bpe import BPE
from gpt1lib.io import files


@pytest.fixture(scope="session")
def golden(shared):
    return files.read_json(shared / "reference/golden_bpe.json")


@pytest.fixture(scope="session")
def released(shared):
    return BPE.load(shared / "openai_gpt", "encoder_bpe_40000.json", "vocab_40000.bpe")


@pytest.fixture(scope="session")
def small():
    return BPE.learn("the cat sat on the mat. the fat cat ate the rat.\nthe end", 30)


# ---- the released vocabulary -----------------------------------------------


def test_released_words(golden, released):
    assert released.n_vocab == 40478 and len(golden["bpe_words"]) == 54
    for word, wanted in golden["bpe_words"].items():
        assert released.tokenize_word(word) == wanted["pieces"]
        assert released._encode_word(word) == wanted["ids"]


def test_released_ids_on_every_pretoken(golden, released):
    for item in golden["items"]:
        ids = [i for word in item["pretokens"] for i in released._encode_word(word)]
        assert ids == item["ids"], item["text"]
        if not item["has_unk"]:
            assert released.pieces(ids) == item["pieces"]


def test_fallback_agrees_on_most_texts(golden, released):
    agree = [i for i in golden["items"] if released.encode(i["text"]) == i["ids"]]
    assert len(agree) >= 34  # of 40; the rest need ftfy or spaCy


def test_saved_files_are_the_released_format(released, shared, tmp_path):
    released.save(tmp_path)
    original = (shared / "openai_gpt/vocab_40000.bpe").read_text(encoding="utf-8")
    assert (tmp_path / "vocab.bpe").read_text(encoding="utf-8") == original
    assert BPE.load(tmp_path).checksum == released.checksum


# ---- learning ----------------------------------------------------------------


def naive_merges(counts: dict[str, int], n_merges: int) -> list:
    """Count all pairs anew for every merge; ties by the alphabet."""
    words = {w: bpe.characters(w) for w in counts}
    merges = []
    while len(merges) < n_merges:
        pairs = Counter()
        for w, symbols in words.items():
            for pair in zip(symbols, symbols[1:], strict=False):
                pairs[pair] += counts[w]
        if not pairs:
            break
        best = min(pairs, key=lambda p: (-pairs[p], p))
        merges.append(best)
        words = {w: bpe.merge_pair(s, best) for w, s in words.items()}
    return merges


@given(
    st.dictionaries(
        st.text("abc", min_size=1, max_size=9), st.integers(1, 9), min_size=1, max_size=12
    )
)
def test_learning_equals_the_naive_way(counts):
    assert bpe.learn_merges(counts, 40) == naive_merges(counts, 40)


@pytest.mark.parametrize("n", [50, pytest.param(150, marks=pytest.mark.slow)])
def test_learning_on_real_text(shared, n):
    raw = files.read_text(shared / "data/books/grimm_tales.txt")[:60_000]
    counts = bpe.count_words(raw)
    assert bpe.learn_merges(counts, n) == naive_merges(counts, n)


def test_a_worked_merge():
    assert bpe.characters("low") == ["l", "o", "w</w>"]
    assert bpe.merge_pair(["a", "a", "a", "b"], ("a", "a")) == ["aa", "a", "b"]
    assert bpe.learn_merges({"low": 5, "lot": 2}, 1) == [("l", "o")]


def test_vocabulary_order(small):
    pieces = [small.decoder[i] for i in range(small.n_vocab)]
    n = (small.n_vocab - 2 - len(small.merges)) // 2
    assert pieces[0] == "<unk>" and pieces[-1] == "\n</w>"
    assert [p + "</w>" for p in pieces[1 : n + 1]] == pieces[n + 1 : 2 * n + 1]
    assert pieces[2 * n + 1 : -1] == ["".join(pair) for pair in small.merges]


def test_our_vocabulary_belongs_to_the_shipped_model(novelist):
    assert novelist.bpe.n_vocab == novelist.model.config.n_vocab == 8120
    assert len(novelist.bpe.merges) == 8000


# ---- any text ------------------------------------------------------------------


@settings(max_examples=300)
@given(st.text(max_size=80))
def test_any_unicode_encodes(small, s):
    ids = small.encode(s)
    assert all(0 <= i < small.n_vocab for i in ids)
    assert ids == small.encode(s) == BPE(small.encoder, small.merges).encode(s)
    small.decode(ids)


@given(st.lists(st.sampled_from("the cat sat on mat end ate rat .".split()), max_size=12))
def test_round_trip(small, words):
    sentence = " ".join(words)
    assert small.decode(small.encode(sentence)) == sentence


def test_capitals_and_new_lines(small):
    assert small.encode("THE Cat") == small.encode("the cat")
    assert small.decode(small.encode("the cat\n\n the mat")) == "the cat\nthe mat"
    assert small.encode("the\ncat")[1] == small.newline == small.token_to_id("\n</w>")


def test_unknown_characters_become_unk(small):
    assert small.encode("日") == [0]
    assert small.pieces(small.encode("c日t"))[1] == "<unk>"


def test_empty_text_has_no_token(small):
    assert small.encode("") == small.encode(" \n ") == []
    assert small.decode([]) == ""


# ---- bad input -------------------------------------------------------------------


def test_bad_input(small, tmp_path):
    with pytest.raises(ValueError, match="token id is 999, it must be .* 0 to"):
        small.decode([999])
    with pytest.raises(ValueError, match="'zebra' is not one of"):
        small.token_to_id("zebra")
    with pytest.raises(ValueError, match="word is empty"):
        small.tokenize_word("")
    with pytest.raises(ValueError, match="text is empty"):
        BPE.learn("", 10)
    with pytest.raises(ValueError, match="n_merges is -1"):
        bpe.learn_merges({"a": 1}, -1)
    with pytest.raises(FileNotFoundError, match="encoder.json is missing.*two files"):
        BPE.load(tmp_path)
    with pytest.raises(ValueError, match="0, 1, 2"):
        BPE({"a": 1, "b": 3}, [])


def test_a_changed_vocabulary_is_named(small, tmp_path):
    small.save(tmp_path)
    path = tmp_path / "vocab.bpe"
    path.write_text(path.read_text() + "t h\n")
    with pytest.raises(ValueError, match="vocab.bpe is not the file that was written"):
        BPE.load(tmp_path)


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("vocab.bpe", lambda s: s + "broken\n", "vocab.bpe, line .*: not two symbols"),
        ("vocab.bpe", lambda s: "#version: 0.2\n\n\nbad\n", "line 4: not two symbols"),
        ("vocab.bpe", lambda s: s[s.index("\n") :], "vocab.bpe, line 1: no version"),
        ("vocab.bpe", lambda s: s[:-1], "vocab.bpe is cut short"),
        ("vocab.bpe", lambda s: s[: s.rindex("\n", 0, -1) + 1], "no merge of vocab.bpe makes"),
        ("vocab.bpe", lambda s: s + "qq zz\n", "lacks the piece 'qq' of vocab.bpe"),
        ("encoder.json", lambda s: s[:-9], "encoder.json is damaged, not valid JSON"),
        ("encoder.json", lambda s: "[1, 2]", "encoder.json contains a list, not a dict"),
        ("encoder.json", lambda s: s.replace("1,", "true,", 1), "encoder.json: the id of"),
        ("encoder.json", lambda s: s.replace("1,", "2,", 1), "encoder.json: the ids of"),
    ],
)
def test_damage_is_seen_without_checksums(small, tmp_path, name, change, message):
    """As in the released folder, which has none."""
    small.save(tmp_path)
    (tmp_path / "checksums.json").unlink()
    path = tmp_path / name
    path.write_text(change(path.read_text()))
    with pytest.raises(ValueError, match=message):
        BPE.load(tmp_path)


def test_a_word_longer_than_any_text_has_is_refused_when_it_is_cut():
    bpe = BPE.learn("low lower", 2)
    assert len(bpe.encode("low " + "x" * 10_000)) > 1
    with pytest.raises(ValueError, match="one word has 10,001 letters, more than 10,000: is"):
        bpe.encode("low " + "x" * 10_001)
