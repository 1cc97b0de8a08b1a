"""A whole small run: it learns, it is logged, and it goes on where it was stopped."""

import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from gpt1lib import GPT, corpus, evaluate, induction, losses, metrics, pretrain, sample
from gpt1lib.bpe import BPE
from gpt1lib.checkpoints import checkpoint, kinds, snapshots
from gpt1lib.cli import interrupted_between_steps
from gpt1lib.io import files, run_folder
from gpt1lib.pretrain.__main__ import ending, main
from gpt1lib.pretrain.config import RECIPES
from gpt1lib.pretrain.objective import checkpoint_activations
from gpt1lib.pretrain.trainer import seed_of

RECIPE = replace(
    RECIPES["tiny"],
    n_merges=60,
    batch=4,
    steps=24,
    warmup=4,
    snapshots=3,
    evaluate_every=12,
    save_every=6,
    sample_every=12,
    model=replace(RECIPES["tiny"].model, dropout=0.0),
)
TIMES = {"tokens_per_s", "seconds"}


@pytest.fixture(scope="module")
def folders(make_books, tmp_path_factory):
    return make_books(tmp_path_factory.mktemp("books"))


def start(folders, out, recipe=RECIPE):
    return pretrain.Pretraining.from_books(recipe, out, *folders)


@pytest.fixture(scope="module")
def finished(folders, tmp_path_factory):
    out = tmp_path_factory.mktemp("run")
    run = start(folders, out)
    run.run()
    return run


def test_it_learns_and_writes_a_checkpoint(finished):
    made = checkpoint.load_ours(finished.folder.path)
    assert made.log[-1]["loss"] < 0.8 * made.log[0]["loss"]
    assert made.log[-1]["step"] == 24 and "heldout" in made.log[-1]
    assert made.meta["heldout"]["three"]["bits_per_character"] < 3
    assert made.meta["recipe"]["seed"] == 0 and made.meta["books"] == ["one", "two"]
    rates = [RECIPE.lr * RECIPE.lr_factor(x["step"] - 1) for x in made.log]
    assert [x["lr"] for x in made.log] == rates, "the rate of the update, not of the next"
    ids = torch.tensor([made.bpe.encode("the cat sat")])
    assert torch.equal(made.model(ids), finished.model.eval()(ids))


LOSSES = {"heldout", "heldout_by_position", "first_time", "second_time"}
SCORES = LOSSES | {"prefix_matching", "previous_token"}


def test_each_held_out_score_has_its_measures_beside_it(finished):
    scored = [x["step"] for x in finished.log.lines() if SCORES <= x.keys()]
    assert scored == [12, 24]
    assert not any(SCORES & x.keys() for x in finished.log.lines() if x["step"] not in scored)


def test_the_last_measures_are_those_of_the_finished_model(finished):
    last, model = finished.log.lines()[-1], finished.model.eval()
    copying = {k: last[k] for k in SCORES if not k.startswith("heldout")}
    assert copying == pytest.approx(induction.measures(model), abs=1e-5)
    windows = corpus.windows_in_order(finished.data.heldout_ids, 32)  # fewer than 64
    with torch.no_grad():
        nats = [-losses.token_log_probs(model(w[None]), w[None])[0] for w in windows]
    found = last["heldout_by_position"]
    assert [*found] == ["1 to 7", "8 to 15", "16 to 31"]
    for place, begin, end in zip(found, (1, 8, 16), (8, 16, 32), strict=True):
        here = torch.cat([x[begin - 1 : end - 1] for x in nats])
        assert found[place] == pytest.approx(here.mean().item(), abs=1e-5)
    assert last["heldout"] == pytest.approx(torch.cat(nats).mean().item(), abs=1e-5)


@pytest.mark.parametrize("kind", ["gpt", "pre_ln"])
def test_what_is_measured_changes_nothing_of_the_run(folders, tmp_path, monkeypatch, kind):
    dropout = replace(RECIPE.model, dropout=0.1)
    recipe = replace(RECIPE, kind=kind, model=dropout, steps=8, evaluate_every=2)
    measured = start(folders, tmp_path / "measured", recipe)
    measured.run()
    assert SCORES <= measured.log.lines()[-1].keys()
    monkeypatch.setattr(pretrain.Pretraining, "_scores", lambda _: {})
    bare = start(folders, tmp_path / "bare", recipe)
    bare.run()
    assert not SCORES & bare.log.lines()[-1].keys()
    assert all(map(torch.equal, measured.model.parameters(), bare.model.parameters()))


def test_muon_learns_faster_and_resumes_bit_for_bit(finished, folders, tmp_path):
    recipe = replace(RECIPE, matrix_lr=4 * RECIPE.lr)
    whole = start(folders, tmp_path / "whole", recipe)
    whole.run()
    last = [run.log.lines()[-1]["loss"] for run in (whole, finished)]
    assert last[0] < last[1]
    first = start(folders, tmp_path / "parts", recipe)
    for _ in range(9):
        first.train_step()
    first.save_state()
    second = start(folders, tmp_path / "parts", recipe)
    assert second.resume() and second.step == 9
    second.run()
    assert all(map(torch.equal, whole.model.parameters(), second.model.parameters()))
    with pytest.raises(ValueError, match="matrix_lr was .*, is 0.0"):
        start(folders, tmp_path / "parts").resume()


def test_muon_needs_blocks_and_whole_matrices(folders, tmp_path):
    recipe = replace(RECIPE, matrix_lr=1e-3)
    with pytest.raises(ValueError, match="kind lstm has no blocks"):
        start(folders, tmp_path, replace(recipe, kind="lstm"))
    with pytest.raises(ValueError, match="--matrix-lr needs whole matrices"):
        start(folders, tmp_path, replace(recipe, fsdp=True))


@pytest.mark.slow
@pytest.mark.parametrize("saving_memory", [False, True])
def test_what_is_compiled_is_one_graph_with_the_same_gradients(saving_memory):
    """Without the compiler's last step, which spends half a minute on machine code."""
    model = GPT(RECIPE.model)
    ids = torch.arange(64).view(2, 32) % RECIPE.model.n_vocab
    plain = pretrain.Objective(model, chunked=False)
    wanted = torch.autograd.grad(plain(ids), list(model.parameters()))
    if saving_memory:
        checkpoint_activations(model)
    compiled = torch.compile(plain, backend="aot_eager", fullgraph=True)
    found = torch.autograd.grad(compiled(ids), list(model.parameters()))
    torch.testing.assert_close(found, wanted)


@pytest.mark.parametrize("stop_at", [6, 9, 18])
def test_an_interrupted_run_ends_bit_for_bit_the_same(finished, folders, tmp_path, stop_at):
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
    for a, b in zip(finished.model.parameters(), second.model.parameters(), strict=True):
        assert torch.equal(a, b)
    assert without_times(tmp_path) == without_times(finished.folder.path)
    assert samples(tmp_path) == samples(finished.folder.path)


def test_ctrl_c_waits_for_the_step_and_saves_it(finished, folders, tmp_path):
    first, handler = start(folders, tmp_path), signal.getsignal(signal.SIGINT)
    original = first.train_step

    def pressed():
        if first.step == 8:
            signal.raise_signal(signal.SIGINT)
        return original()

    first.train_step = pressed
    with pytest.raises(KeyboardInterrupt, match="The state of step 9 is kept in"):
        first.run()
    assert signal.getsignal(signal.SIGINT) is handler
    second = start(folders, tmp_path)
    assert second.resume() and second.step == 9
    second.run()
    assert all(map(torch.equal, finished.model.parameters(), second.model.parameters()))
    with interrupted_between_steps(), pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)  # at once


def without_times(folder):
    lines = run_folder.Log(folder / "log.jsonl").lines()
    return [{k: v for k, v in x.items() if k not in TIMES} for x in lines]


def same_tokens(run, other):
    a, b = run.data, other.data
    return a.bpe.merges == b.bpe.merges and a.ids.tolist() == b.ids.tolist()


def samples(folder):
    return (folder / "samples.jsonl").read_text()


def test_another_recipe_or_other_books_are_refused(finished, folders, tmp_path):
    other = start(folders, finished.folder.path, replace(RECIPE, lr=1e-4))
    with pytest.raises(ValueError, match="other settings: lr was 0.003, is 0.0001"):
        other.resume()
    assert start(folders, finished.folder.path, replace(RECIPE, grad_accum=2)).resume()
    changed = start(folders, finished.folder.path)
    changed.sources_sha256["books"] = corpus.checksum({"one": "other words"})
    with pytest.raises(ValueError, match="books was .*, is "):
        changed.resume()


def test_a_held_out_book_among_the_books_is_refused(folders, tmp_path):
    with pytest.raises(ValueError, match="held-out books are among.*one"):
        pretrain.Pretraining.from_books(RECIPE, tmp_path, folders[0], folders[0])


def test_a_loss_that_is_not_a_number_stops_the_run(folders, tmp_path):
    run = start(folders, tmp_path)
    with torch.no_grad():
        run.model.tokens.weight.fill_(float("nan"))
    with pytest.raises(FloatingPointError, match="loss is nan at step 0.*Nothing was"):
        run.train_step()


def test_after_a_bad_loss_the_last_good_state_is_kept_and_named(folders, tmp_path):
    run = start(folders, tmp_path)
    run.optimizers[0].register_step_post_hook(
        lambda *_: run.step == 8 and run.model.tokens.weight.data.fill_(float("inf"))
    )
    with pytest.raises(FloatingPointError, match="step 9 .*state of step 6 is kept"):
        run.run()
    again = start(folders, tmp_path)
    assert again.resume() and again.step == 6
    assert all(torch.isfinite(p).all() for p in again.model.parameters())


def test_heldout_nats_counts_every_target_once(finished):
    ids = finished.data.heldout_ids[:70]
    windows = corpus.windows_in_order(ids, finished.model.config.n_ctx)
    total = 0.0
    for w in windows:
        log_probs = finished.model.eval()(w[None])[0, :-1].log_softmax(-1)
        total -= log_probs.gather(-1, w[1:, None]).sum().item()
    assert evaluate.heldout_nats(finished.model, ids) == pytest.approx(total / 69, abs=1e-5)


@pytest.mark.parametrize(
    "change", [{"grad_accum": 2}, {"grad_accum": 3}, {"activation_checkpointing": True}]
)
def test_saving_memory_does_not_change_the_run(folders, finished, tmp_path, change):
    run = start(folders, tmp_path, replace(RECIPE, **change))
    run.run()
    for x, y in zip(without_times(tmp_path), without_times(finished.folder.path), strict=True):
        assert x["loss"] == pytest.approx(y["loss"], abs=2e-4), x["step"]


def test_the_trainers_loss_is_that_of_the_library(finished):
    ids = corpus.random_windows(finished.data.ids, 32, 3)
    weights = list(finished.model.parameters())
    wanted = losses.lm_loss(finished.model(ids), ids)
    slopes = torch.autograd.grad(wanted, weights)
    others = (pretrain.Objective(finished.model, chunked) for chunked in (False, True))
    for objective in (finished.objective, *others):
        found = objective(ids)
        torch.testing.assert_close(found, wanted)
        torch.testing.assert_close(torch.autograd.grad(found, weights), slopes)


@pytest.mark.parametrize("even", [False, True])
def test_windows_are_of_the_whole_stream_and_of_nothing_else(folders, tmp_path, even):
    run = start(folders, tmp_path, replace(RECIPE, even_windows=even))
    stream = run.data.ids.tolist()
    known = {tuple(stream[i : i + 32]) for i in range(len(stream) - 31)}
    drawn = set()
    for step in range(300):
        run.step = step
        ids, n = run._batch()
        assert ids.shape == (4, 32) and n == 4
        drawn |= {tuple(window) for window in ids.tolist()}
    assert drawn <= known
    run.step = 24
    assert torch.equal(run._batch()[0], run._batch()[0])  # by step, not by luck


def test_the_token_stream_is_mapped_and_is_the_books(finished):
    ids = corpus.encode_books(finished.data.books, finished.data.bpe)
    assert finished.data.ids.filename and finished.data.ids.dtype == "uint16"
    assert finished.data.ids.tolist() == ids.tolist()


def test_snapshots_are_stages_of_the_run(finished):
    assert [snapshots.step_of(p) for p in snapshots.paths(finished.folder.path)] == [6, 12]
    found = list(snapshots.stages(finished.folder.path))
    assert [facts["step"] for _, facts in found] == [6, 12, 24]
    nats = [evaluate.heldout_nats(m, finished.data.heldout_ids, 8) for m, _ in found]
    assert nats == sorted(nats, reverse=True) and nats[-1] < nats[0] - 0.1


def test_a_half_precision_checkpoint_is_scored_as_it_is_stored(folders, tmp_path):
    run = start(folders, tmp_path, replace(RECIPE, save_fp16=True, steps=12))
    run.run()
    made = checkpoint.load_ours(tmp_path)
    size = (tmp_path / "model.safetensors").stat().st_size
    assert size < 2.3 * made.model.count_parameters()
    nats = evaluate.heldout_nats(made.model, run.data.heldout_ids[:-1])
    assert made.meta["heldout"]["three"]["nats_per_token"] == pytest.approx(nats, abs=1e-4)
    assert made.model.tokens.weight.dtype == torch.float32


def test_an_lstm_is_trained_by_the_same_trainer(folders, tmp_path, capsys):
    run = start(folders, tmp_path, replace(RECIPE, kind="lstm", steps=12))
    run.run()
    made = checkpoint.load_ours(tmp_path)
    assert kinds.kind_of(made.model) == "lstm"
    assert LOSSES <= made.log[-1].keys() and not (SCORES - LOSSES) & made.log[-1].keys()
    assert made.log[-1]["loss"] < made.log[0]["loss"]
    told = ending(tmp_path, run.data.heldout)
    assert told.endswith("bits per character.")  # and no: let it write
    capsys.readouterr()
    with pytest.raises(SystemExit, match="sample: LSTM has no key-value cache"):
        sample.main([str(tmp_path), "the cat"])
    assert not capsys.readouterr().out, "the prompt is not shown first"


def test_a_finished_run_whose_files_are_lost_or_damaged_writes_them_again(folders, tmp_path):
    start(folders, tmp_path).run()
    weights = tmp_path / "model.safetensors"
    whole = weights.read_bytes()
    for damaged in (None, whole[:-4] + b"much"):
        weights.unlink() if damaged is None else weights.write_bytes(damaged)
        again = start(folders, tmp_path)
        assert again.resume() and not again.is_finished()
        again.run()
        assert weights.read_bytes() == whole and again.is_finished()


def test_a_finished_model_without_a_state_is_not_overwritten(folders, tmp_path):
    run = start(folders, tmp_path)
    run.run()
    run.folder.state_path.unlink()
    again = start(folders, tmp_path, replace(RECIPE, seed=1))
    with pytest.raises(ValueError, match="meta.json is of a finished model: take another"):
        again.resume()
    assert not checkpoint.load_ours(tmp_path).meta["recipe"]["seed"]


def test_the_same_text_under_another_name_is_not_a_held_out_book(folders, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "alias.txt").write_text((folders[0] / "one.txt").read_text())
    with pytest.raises(ValueError, match="held-out books are among.*one"):
        pretrain.Pretraining.from_books(RECIPE, tmp_path / "out", folders[0], other)


class Killed(BaseException):
    """Stands for SIGKILL: nothing catches it, nothing is tidied up."""


def killed_at(monkeypatch, n, after):
    """From now on the n-th file is the last that appears, or the first that does not."""
    replace_file, done = os.replace, []

    def until_then(source, target):
        if len(done) < n or after:
            replace_file(source, target)
        done.append(target)
        if len(done) > n:
            raise Killed

    monkeypatch.setattr(os, "replace", until_then)
    monkeypatch.setattr(Path, "unlink", lambda *_, **__: None)


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("n", range(5))
def test_killed_while_books_are_prepared_a_run_can_start_again(
    folders, finished, tmp_path, monkeypatch, n, after
):
    with monkeypatch.context() as patch, pytest.raises(Killed):
        killed_at(patch, n, after)
        start(folders, tmp_path)
    run = start(folders, tmp_path)
    assert same_tokens(run, finished)
    assert not list(tmp_path.rglob(".*.tmp"))


def test_what_was_prepared_for_other_options_is_not_used(folders, tmp_path):
    start(folders, tmp_path)
    for recipe, books in ((replace(RECIPE, n_merges=20), folders), (RECIPE, folders[::-1])):
        run, fresh = start(books, tmp_path, recipe), start(books, tmp_path / "new", recipe)
        assert same_tokens(run, fresh)
    given = BPE.learn("some other words altogether", 5)
    run = pretrain.Pretraining.from_books(RECIPE, tmp_path, *folders, bpe=given)
    assert run.data.bpe.merges == given.merges


def test_a_state_is_bound_to_its_vocabulary(folders, tmp_path):
    run = start(folders, tmp_path)
    run.save_state()
    bpe = run.data.bpe
    changed = BPE(bpe.encoder, [*bpe.merges[1::-1], *bpe.merges[2:]])  # in another order
    other = pretrain.Pretraining.from_books(RECIPE, tmp_path, *folders, bpe=changed)
    with pytest.raises(ValueError, match="state.pt: it was made with another vocabulary"):
        other.resume()


def test_a_damaged_token_stream_is_named(folders, tmp_path):
    start(folders, tmp_path)
    path = next(tmp_path.rglob("tokens.npy"))
    path.write_bytes(path.read_bytes()[:-1] + b"\1")
    with pytest.raises(ValueError, match="tokens.npy is not the file that was written"):
        start(folders, tmp_path)


def test_a_second_run_touches_nothing_of_the_first(folders, tmp_path):
    run = start(folders, tmp_path)
    with run.folder.lock():
        half = tmp_path / "state" / ".state.pt.1.tmp"
        half.write_text("the first run is writing this")
        with pytest.raises(RuntimeError, match="another run is writing"):
            start(folders, tmp_path)
        assert half.exists()


def test_books_that_cannot_be_scored_or_trained_on_are_named_at_once(folders, tmp_path):
    (tmp_path / "apart").mkdir()
    for text in ("", "a"):
        (tmp_path / "apart" / "short.txt").write_text(text)
        with pytest.raises(
            ValueError, match=r"held-out book 'short' of .*apart has \d tokens, scoring needs"
        ):
            start((folders[0], tmp_path / "apart"), tmp_path / "out")
    (tmp_path / "apart" / "short.txt").write_bytes("caf\u00e9".encode("latin-1"))
    with pytest.raises(ValueError, match="short.txt is not UTF-8 text: byte 3 is 0xe9"):
        start((folders[0], tmp_path / "apart"), tmp_path / "out")
    wide = replace(RECIPE, model=replace(RECIPE.model, n_ctx=4096))
    with pytest.raises(ValueError, match="the books in .* have .* tokens, a window needs 4096"):
        start(folders, tmp_path / "out", wide)


def test_a_large_seed_is_a_seed(folders, tmp_path):
    run = start(folders, tmp_path, replace(RECIPE, seed=20260101120000, steps=4))
    assert run.train_step()["loss"] > 0
    assert seed_of(replace(RECIPE, seed=7), 5, 1) == (7 * 1_000_003 + 5) * 1009 + 1


def test_a_diverged_run_keeps_its_last_good_state_and_writes_no_checkpoint(folders, tmp_path):
    run = start(folders, tmp_path, replace(RECIPE, steps=12))
    run.optimizers[0].register_step_post_hook(  # after the loss was checked
        lambda *_: run.step == 11 and run.model.tokens.weight.data.fill_(float("nan"))
    )
    with pytest.raises(FloatingPointError, match="tokens.weight contains nan"):
        run.run()
    assert run.folder.saved == 6 and not (tmp_path / "meta.json").exists()


def test_two_runs_do_not_write_to_one_folder(folders, tmp_path):
    run = start(folders, tmp_path)
    with run.folder.lock(), pytest.raises(RuntimeError, match="another run is"):
        run.run()
    run.run()  # and it is free again


def test_bf16_and_tiny_batches_are_refused_before_the_run(folders, tmp_path):
    with pytest.raises(ValueError, match="bf16 needs a GPU"):
        start(folders, tmp_path, replace(RECIPE, bf16=True))
    with pytest.raises(ValueError, match="batch of 4 windows.*in 5 parts"):
        start(folders, tmp_path, replace(RECIPE, grad_accum=5))


def test_a_log_cut_in_the_middle_of_a_line_is_read_to_there(tmp_path):
    log = run_folder.Log(tmp_path / "log.jsonl")
    for step in range(5):
        log.add({"step": step})
    log.path.write_text(log.path.read_text() + '{"step": 5, "lo')
    assert [x["step"] for x in log.lines()] == [0, 1, 2, 3, 4]
    log.cut(2)
    log.add({"step": 3, "again": True})
    assert [x["step"] for x in log.lines()] == [0, 1, 2, 3] and "again" in log.lines()[3]


def test_what_a_killed_process_left_is_removed(folders, tmp_path):
    left = [tmp_path / "state" / ".state.pt.12345.tmp", tmp_path / ".log.jsonl.7.tmp"]
    not_ours = [tmp_path / ".notes.tmp", tmp_path / "other" / ".state.pt.12345.tmp"]
    for path in left + not_ours:
        files.write_text(path, "half a state")
    start(folders, tmp_path)
    assert not any(path.exists() for path in left)
    assert all(path.exists() for path in not_ours)


def test_the_command_line(folders, tmp_path, capsys):
    books, heldout = map(str, folders)
    arguments = [
        "--recipe",
        "tiny",
        "--steps",
        "2",
        "--books",
        books,
        "--heldout",
        heldout,
        "--out",
        str(tmp_path / "out"),
    ]
    main(arguments)
    assert checkpoint.load_ours(tmp_path / "out").meta["recipe"]["steps"] == 2
    told = capsys.readouterr().out
    assert "is finished, after 2 steps. On the held-out books: perplexity" in told
    assert f'python -m gpt1lib.sample {tmp_path / "out"} "the dog"' in told
    before = {p: p.stat().st_mtime_ns for p in (tmp_path / "out").glob("*.*")}
    main(arguments)
    again = capsys.readouterr().out
    assert again.splitlines()[-2:] == told.splitlines()[-2:] and "going on" not in again
    assert {p: p.stat().st_mtime_ns for p in before} == before, "nothing is done again"
    sample.main([str(tmp_path / "out"), "the cat", "--n-tokens", "9"])
    assert capsys.readouterr().out.startswith("the cat")


def test_a_run_is_bound_to_its_heldout_books(folders, tmp_path):
    run = start(folders, tmp_path)
    run.train_step()
    run.save_state()
    other = tmp_path / "other"
    other.mkdir()
    (other / "four.txt").write_text("Another book, of which nothing is known. " * 40)
    again = pretrain.Pretraining.from_books(RECIPE, tmp_path, folders[0], other)
    with pytest.raises(ValueError, match="made with other settings: heldout was"):
        again.resume()


def test_scores_are_those_of_the_weights_as_stored_for_a_table_that_is_computed(
    folders, tmp_path
):
    """The table of sines is not a weight: it is not rounded with them."""
    recipe = replace(RECIPE, kind="sinusoidal", save_fp16=True, steps=2, warmup=1, snapshots=0)
    run = start(folders, tmp_path, recipe)
    run.run()
    made = checkpoint.load_ours(tmp_path)
    for name, numbers in [*made.model.state_dict().items(), *made.model.named_buffers()]:
        assert torch.equal(
            numbers,
            run.model.get_buffer(name) if "table" in name else run.model.state_dict()[name],
        ), name
    scores = evaluate.score_books(made.model, made.bpe, corpus.read_books(folders[1]))
    assert metrics.rounded(scores) == made.meta["heldout"]


def test_the_commit_and_the_command_are_those_that_the_run_began_with(
    folders, tmp_path, monkeypatch
):
    recipe = replace(RECIPE, steps=2, warmup=1, snapshots=0)
    run = start(folders, tmp_path, recipe)
    run.folder.commit = "the first"
    run.train_step()
    run.save_state()
    again = start(folders, tmp_path, recipe)
    again.command = "python -m gpt1lib.pretrain --out there"
    assert again.folder.commit != "the first" and again.resume()
    again.run()
    meta = checkpoint.load_ours(tmp_path).meta
    assert (meta["commit"], meta["command"]) == ("the first", again.command)


def test_books_in_tokens_are_made_again_if_a_file_is_gone(folders, tmp_path):
    start(folders, tmp_path)
    (tokens,) = (tmp_path / "state").glob("prepared-*/tokens.npy")
    tokens.unlink()
    assert len(start(folders, tmp_path).data.ids) > 100 and tokens.is_file()
