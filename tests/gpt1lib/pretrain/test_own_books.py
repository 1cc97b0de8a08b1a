"""Books of one's own: what is read, what is held out, and what is said of bad ones."""

import re
import shlex

import pytest

from gpt1lib import corpus, sample
from gpt1lib.checkpoints import checkpoint
from gpt1lib.pretrain import data
from gpt1lib.pretrain.__main__ import main

LINE = "Der Bär aß süße Äpfel über dem Öfchen; „ja!“ sagte er. "
TALE = "".join(LINE + "\n" * (i % 3 == 0) for i in range(120))


@pytest.mark.parametrize("text", [TALE, TALE.replace("\n", ""), "ä" * 5000])
def test_the_end_of_a_book_is_held_out(text):
    read, ends = data.hold_out({"tale": text, "note": "kurz"})
    end = ends.pop("tale, the end")
    assert not ends and read == {"tale": text.removesuffix(end), "note": "kurz"}
    assert len(text) / 20 <= len(end) <= len(text) / 10
    before = read["tale"][-1]
    assert before == ("\n" if "\n" in text else " " if " " in text else "ä")


def test_books_are_files_and_folders(tmp_path):
    for name in ("b/two.txt", "one.txt", "b/three.txt", "code.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    found = corpus.read_books([tmp_path / "one.txt", tmp_path / "b", tmp_path / "code.py"])
    assert [*found] == ["one", "three", "two", "code"] and found["two"] == "b/two.txt"
    assert [*corpus.read_books(tmp_path / "*.txt")] == ["one"], "what no shell has resolved"
    with pytest.raises(ValueError, match="two books are called 'one'"):
        corpus.read_books([tmp_path / "one.txt", tmp_path])


def test_own_books_in_another_language(tmp_path, capsys):
    (tmp_path / "märchen.txt").write_text(TALE, encoding="utf-8")
    out = tmp_path / "my run"
    argv = ["--books", str(tmp_path / "märchen.txt"), "--out", str(out), "--steps", "2"]
    main([*argv, "--n-merges", "20", "--device", "cpu"])
    said = capsys.readouterr().out
    made = checkpoint.load_ours(out)
    assert "held out to score: the last tenth of each" in said
    assert f"vocabulary: {made.bpe.n_vocab} tokens by 20 merges" in said
    assert made.meta["heldout_books"] == ["märchen, the end"]
    assert "<unk>" not in made.bpe.pieces(made.bpe.encode(TALE)), "accents and all"
    score = made.meta["heldout"]["märchen, the end"]["bits_per_character"]
    reached, advice = said.splitlines()[-2:]
    told = re.search(r"([\d.]+) bits per character", reached)
    assert told and float(told[1]) == pytest.approx(score, abs=2e-4)
    command = shlex.split(advice.partition("python -m gpt1lib.sample ")[2])
    assert command == [str(out), "Der Bär"]
    sample.main([*command, "--n-tokens", "3"])
    assert capsys.readouterr().out.startswith("der bär")


BAD = {  # what the file holds: what is said of it
    "": r"the longest book has 0 characters, and to hold out its end takes 1,000",
    "kurz": "the longest book has 4 characters, .* take a longer one, or name others by",
    "caf\xe9 " * 300: r"bad.txt is not UTF-8 text: byte 3 is 0xe9, in line 1. Save it as UTF-8",
    "ab" * 30_000: r"bad.txt: one word has 54,000 letters, more than 10,000: is this a text",
    "a b " * 300: r"bad.txt have \d+ tokens, a window needs 4096: .* or a smaller --n-ctx",
    "\n" * 2000: "bad.txt: no words to learn merges from: the text is empty",
}


@pytest.mark.parametrize("text", BAD)
def test_bad_books_are_one_line(text, tmp_path, one_line):
    path = tmp_path / "bad.txt"
    path.write_bytes(text.encode("latin-1"))
    argv = ["--books", str(path), "--out", str(tmp_path / "out"), "--n-ctx", "4096"]
    said = one_line(main, [*argv, "--n-merges", "9", "--device", "cpu"], "pretrain")
    assert re.search(BAD[text], said), said


def test_books_that_are_not_there_are_one_line(tmp_path, one_line):
    out = ["--out", str(tmp_path / "out"), "--device", "cpu"]
    (tmp_path / "folder.txt").mkdir()
    (tmp_path / "one.txt").write_text(TALE)
    for books, message in (
        (["folder.txt"], "no .txt books in"),
        (["nowhere"], "No such file or directory"),
        (["*.md"], "no .txt books in"),
        (["one.txt", "one.txt"], "two books are called 'one'"),
        (
            ["one.txt", "--heldout", str(tmp_path / "one.txt")],
            "are among the training books: o",
        ),
    ):
        argv = ["--books", *(x if x[0] in "-/" else str(tmp_path / x) for x in books)]
        assert message in one_line(main, [*argv, *out], "pretrain")
