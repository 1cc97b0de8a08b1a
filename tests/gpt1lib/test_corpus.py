"""Books, windows, and what was held out."""

import re

import pytest
import torch

from gpt1lib import BPE, corpus
from gpt1lib.io import paths


def test_windows_are_contiguous_and_seeded():
    ids = torch.arange(100)
    a, b = (corpus.random_windows(ids, 7, 50, torch.Generator().manual_seed(3)) for _ in "ab")
    assert torch.equal(a, b) and a.shape == (50, 7)
    assert torch.equal(a - a[:, :1], torch.arange(7).expand(50, 7))


def test_every_start_can_be_drawn():
    ids = torch.arange(12)
    starts = corpus.random_windows(ids, 10, 200, torch.Generator().manual_seed(0))[:, 0]
    assert set(starts.tolist()) == {0, 1, 2}


def test_even_windows_leave_little_unread_and_every_start_is_possible():
    """As many tokens as the stream has: chance leaves 1/e of it unread."""
    ids = torch.arange(10_000)
    for offset in (0.0, 0.3):
        even = corpus.even_windows(ids, 100, 100, offset=offset)
        chance = corpus.random_windows(ids, 100, 100, torch.Generator().manual_seed(0))
        unread = [1 - len(set(w.flatten().tolist())) / 10_000 for w in (even, chance)]
        assert unread[0] < 0.2 and 0.32 < unread[1] < 0.42
    assert torch.equal(even - even[:, :1], torch.arange(100).expand(100, 100))
    starts = corpus.even_windows(torch.arange(12), 10, 50)[:, 0]
    assert set(starts.tolist()) == {0, 1, 2}


def test_even_windows_go_on_where_the_last_ones_ended():
    ids = torch.arange(1000)
    parts = [corpus.even_windows(ids, 8, n, before, 0.5) for n, before in ((3, 0), (4, 3))]
    assert torch.equal(torch.cat(parts), corpus.even_windows(ids, 8, 7, offset=0.5))
    assert not torch.equal(parts[0], corpus.even_windows(ids, 8, 3, offset=0.25))


@pytest.mark.parametrize("n", [2, 5, 9, 10, 11, 29])
def test_windows_in_order_cover_each_target_once(n):
    windows = corpus.windows_in_order(torch.arange(n), 5)
    targets = [int(t) for w in windows for t in w[1:]]
    assert targets == list(range(1, n)) and all(len(w) <= 5 for w in windows)


def test_too_short_texts():
    with pytest.raises(ValueError, match="3 tokens, a window needs 7"):
        corpus.random_windows(torch.arange(3), 7, 1)
    with pytest.raises(ValueError, match="3 tokens, a window needs 7"):
        corpus.even_windows(torch.arange(3), 7, 1)
    with pytest.raises(ValueError, match="1 tokens"):
        corpus.windows_in_order(torch.arange(1), 7)
    with pytest.raises(FileNotFoundError, match="no .txt books"):
        corpus.read_books(paths.DATA / "tasks")


NO_TEXTS = {
    "\0\0\0\0": "has NUL bytes, so it is not text; save it as UTF-8",
    "It was\0 late.": "has NUL bytes",
    "version https://git-lfs.github.com/spec/v1\noid sha256:12\nsize 3\n": "`git lfs pull`",
    "<!DOCTYPE html>\n<p>404</p>": "is a web page; save the book as plain text",
    "\ufeff \n<html><body>late</body></html>": "is a web page",
}


@pytest.mark.parametrize("content", NO_TEXTS)
def test_what_is_not_the_text_of_a_book_is_refused_by_name(content, tmp_path):
    path = tmp_path / "book.txt"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ValueError, match=re.escape(NO_TEXTS[content])) as refused:
        corpus.read_books(path)
    assert str(path) in str(refused.value)


def test_a_book_may_speak_of_web_pages(tmp_path):
    content = "A page begins with <!doctype html>, or with <html>."
    (tmp_path / "book.txt").write_text(content, encoding="utf-8")
    assert corpus.read_books(tmp_path) == {"book": content}


def test_a_line_break_stands_between_books():
    bpe = BPE.learn("a b c", 3)
    ids = corpus.encode_books({"one": "a b", "two": "c"}, bpe).tolist()
    assert bpe.pieces(ids) == ["a</w>", "b</w>", "\n</w>", "c</w>", "\n</w>"]


def test_checksum_sees_names_and_texts():
    base = corpus.checksum({"a": "x", "b": "y"})
    assert base == corpus.checksum({"b": "y", "a": "x"})
    assert base != corpus.checksum({"a": "x", "b": "z"})
    assert base != corpus.checksum({"a": "x", "c": "y"})


@pytest.mark.slow
def test_no_held_out_text_is_trained_on():
    training = "\n".join(corpus.read_books().values())
    for name, text in corpus.read_books(paths.HELDOUT_BOOKS).items():
        paragraphs = [p for p in text.split("\n") if len(p) > 200]
        assert len(paragraphs) > 100
        assert not [p for p in paragraphs if p in training], name


@pytest.mark.parametrize("name", ["letters.csv", "LETTERS.TSV", "letters.jsonl"])
def test_a_table_is_not_read_as_a_book(name, tmp_path):
    (tmp_path / name).write_text("text,label\nfine,good\n")
    with pytest.raises(ValueError, match=f"{name} is a table, not a book; labels go to"):
        corpus.read_books(tmp_path / name)
