"""A whole small run: it learns, it is logged, and it goes on where it was stopped."""

import json
from dataclasses import replace

import pytest
import torch

from gpt1lib import checkpoint, corpus, pretrain

RECIPE = replace(pretrain.RECIPES["tiny"], n_merges=60, batch=4, steps=24, warmup=4,
                 evaluate_every=12, save_every=6)  # fmt: skip


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    root = tmp_path_factory.mktemp("books")
    for folder, name, line in (("books", "one", "the cat sat on the mat. "),
                               ("books", "two", "a dog ran to the red house. "),
                               ("heldout", "three", "the dog sat on the house. ")):  # fmt: skip
        (root / folder).mkdir(exist_ok=True)
        (root / folder / f"{name}.txt").write_text(line * 120)
    return root / "books", root / "heldout"


def start(folders, out, recipe=RECIPE):
    return pretrain.Pretraining(recipe, out, *folders)


@pytest.fixture(scope="module")
def finished(folders, tmp_path_factory):
    out = tmp_path_factory.mktemp("run")
    run = start(folders, out)
    run.run()
    return run


def test_it_learns_and_writes_a_checkpoint(finished):
    made = checkpoint.load(finished.out)
    assert made.log[-1]["loss"] < 0.8 * made.log[0]["loss"]
    assert made.log[-1]["step"] == 24 and "heldout" in made.log[-1]
    assert made.meta["heldout"]["three"]["bits_per_character"] < 3
    assert made.meta["recipe"]["seed"] == 0 and made.meta["books"] == ["one", "two"]
    ids = torch.tensor([made.bpe.encode("the cat sat")])
    assert torch.equal(made.model(ids), finished.model.eval()(ids))


@pytest.mark.parametrize("stop_at", [6, 9, 18])
def test_an_interrupted_run_ends_bit_for_bit_the_same(
    finished, folders, tmp_path, stop_at
):
    first = start(folders, tmp_path)
    original = first.train_step

    def stop():
        if first.step == stop_at:
            raise KeyboardInterrupt
        return original()

    first.train_step = stop
    with pytest.raises(KeyboardInterrupt):
        first.run()
    second = start(folders, tmp_path)
    assert second.resume() and second.step == stop_at - stop_at % 6
    second.run()
    for a, b in zip(
        finished.model.parameters(), second.model.parameters(), strict=True
    ):
        assert torch.equal(a, b)
    kept = [
        {k: v for k, v in x.items() if k != "tokens_per_s"} for x in read_log(tmp_path)
    ]
    wanted = read_log(finished.out)
    assert kept == [{k: v for k, v in x.items() if k != "tokens_per_s"} for x in wanted]


def read_log(folder):
    return [json.loads(x) for x in (folder / "log.jsonl").read_text().splitlines()]


def test_another_recipe_or_other_books_are_refused(finished, folders, tmp_path):
    other = start(folders, finished.out, replace(RECIPE, lr=1e-4))
    with pytest.raises(ValueError, match="another recipe"):
        other.resume()
    changed = start(folders, finished.out)
    changed.books = {**changed.books, "one": "other words"}
    with pytest.raises(ValueError, match="books have changed"):
        changed.resume()


def test_a_held_out_book_among_the_books_is_refused(folders, tmp_path):
    with pytest.raises(ValueError, match="held-out books are among.*one"):
        pretrain.Pretraining(RECIPE, tmp_path, folders[0], folders[0])


def test_a_loss_that_is_no_number_stops_the_run(folders, tmp_path):
    run = start(folders, tmp_path)
    with torch.no_grad():
        run.model.tokens.weight.fill_(float("nan"))
    with pytest.raises(ValueError, match="loss is nan at step 0"):
        run.train_step()


def test_heldout_nats_counts_every_target_once(finished):
    ids = finished.heldout_ids[:70]
    windows = corpus.windows_in_order(ids, finished.model.config.n_ctx)
    total = 0.0
    for w in windows:
        log_probs = finished.model.eval()(w[None])[0, :-1].log_softmax(-1)
        total -= log_probs.gather(-1, w[1:, None]).sum().item()
    assert pretrain.heldout_nats(finished.model, ids) == pytest.approx(
        total / 69, abs=1e-5
    )


def test_the_command_line(folders, tmp_path, capsys):
    books, heldout = map(str, folders)
    arguments = ["--recipe", "tiny", "--steps", "2", "--books", books,
                 "--heldout", heldout, "--out", str(tmp_path / "out")]  # fmt: skip
    pretrain.main(arguments)
    assert checkpoint.load(tmp_path / "out").meta["recipe"]["steps"] == 2
