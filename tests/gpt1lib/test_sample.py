"""The command that lets a run write: its text word by word, and what it says of bad input."""

import random
from itertools import count

from gpt1lib import sample, text
from gpt1lib.checkpoints import checkpoint
from gpt1lib.io import paths

HARD = "\" \n . , ( ) n't 's ' $ ! - it the <unk>".split(" ")


def test_the_pieces_of_a_text_are_the_whole_text(novelist):
    """Quotes, brackets and contractions change what stands before them."""
    bpe, pick = novelist.bpe, random.Random(0)
    hard = [bpe.encoder[x] for x in (*(f"{x}</w>" for x in HARD), "s", "'") if x in bpe.encoder]
    for _ in range(300):
        ids = [pick.choice(hard) for _ in range(pick.randrange(12))]
        pieces = list(sample.final_pieces(bpe, ids))
        assert "".join(pieces) == text.tidy(bpe.decode(ids)), bpe.pieces(ids)


def test_a_word_is_given_as_soon_as_it_is_whole(novelist):
    the = novelist.bpe.token_to_id("the</w>")
    read = count()
    pieces = sample.final_pieces(novelist.bpe, (the for _ in read))
    assert [next(pieces) for _ in range(3)] == ["the", " the", " the"]
    assert next(read) == 3, "nothing is drawn in advance"


def test_the_command_line_writes_what_the_function_does(novelist, capsys):
    sample.main(["Once upon", "--n-tokens", "9", "--samples", "2", "--seed", "4"])
    said = capsys.readouterr()
    texts = [sample.sample_text(novelist, "Once upon", 9, seed=seed) for seed in (4, 5)]
    assert said.out == f"--- seed 4\n{texts[0]}\n--- seed 5\n{texts[1]}\n"
    assert "The novelist writes" in said.err
    sample.main([str(paths.NOVELIST_DIR), "--n-tokens", "5"])
    assert not capsys.readouterr().out.startswith("\n"), "nothing to go on from: no empty line"


def test_what_was_typed_is_a_folder_or_a_prompt(tmp_path):
    assert sample.folder_and_prompt([]) == (paths.NOVELIST_DIR, "")
    assert sample.folder_and_prompt(["and/or so"]) == (paths.NOVELIST_DIR, "and/or so")
    assert sample.folder_and_prompt([str(tmp_path)]) == (tmp_path, "")
    assert sample.folder_and_prompt(["x", "y z"])[1] == "y z"


def test_what_goes_wrong_is_one_line(tmp_path, one_line):
    for name in ("run/state", "mine"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "mine" / "classifier.json").touch()
    (tmp_path / "notes.txt").touch()
    for argv, message in (
        (["runs/mien"], "runs/mien is not there: name what pretrain's --out was"),
        ([str(tmp_path / "notes.txt"), "It"], "notes.txt is a file, it must be a folder"),
        ([str(tmp_path)], "contains no model, neither one of"),
        ([str(tmp_path / "run")], "a run that is not finished: start its command again"),
        (
            [str(tmp_path / "mine")],
            "contains a classifier: ask it by python -m gpt1lib.finetune.predict",
        ),
        (["Once", "upon", "a"], "put the prompt in quotes: 'Once upon a' is 3 words"),
        (["It", "--temperature", "nan"], "temperature is nan, it must be a finite number"),
        (["It", "--top-k", "0"], "top_k is 0, it must be an integer >= 1"),
        (["It", "--top-p", "1.5"], "top_p is 1.5, it must be in (0, 1]"),
        (["It", "--seed", "-1"], "seed is -1, it must be an integer from 0"),
        (["It", "--samples", "0"], "samples is 0, it must be an integer >= 1"),
        (["It", "--n-tokens", "-5"], "n_tokens is -5, it must be an integer from 0"),
    ):
        assert message in one_line(sample.main, argv, "sample")


def test_what_is_refused_is_refused_before_anything_is_printed(one_line, capsys):
    for wrong in (["--top-p", "1.5"], ["--top-k", "0"], ["--n-tokens", "-5"]):
        one_line(sample.main, ["My sister", "--samples", "2", *wrong], "sample")
        assert capsys.readouterr().out == ""


def test_a_damaged_run_and_a_stopped_text_are_one_line(
    novelist, tmp_path, one_line, monkeypatch
):
    checkpoint.save_ours(tmp_path, novelist.model, novelist.bpe)
    weights = tmp_path / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1] + b"\0")
    said = one_line(sample.main, [str(tmp_path), "It"], "sample")
    assert "model.safetensors is not the file that was written" in said

    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(sample, "show", stop)
    assert one_line(sample.main, ["It"], "sample") == "stopped"
