"""The benchmarks start, and their arithmetic holds; their numbers are not tested."""

import importlib.util
import json
import math
import multiprocessing
import re
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from pretended_gpu import pretended

from benchmarks.gpu_parts import same_numbers
from benchmarks.gpu_parts.measure import Machine, Report
from benchmarks.gpu_parts.run import in_a_group, run, stop, within
from gpt1lib import GPT, GPT1, NOVELIST, TINY, evaluate, pretrain, tasks
from gpt1lib.checkpoints import kinds
from gpt1lib.finetune.config import Settings
from gpt1lib.finetune.trainer import FineTuning
from gpt1lib.io import files

FOLDER = Path(__file__).resolve().parents[2] / "benchmarks"
PATHS = sorted(FOLDER.glob("*.py"))


def script(name: str):
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
@pytest.mark.parametrize("name", [p.stem for p in PATHS])
def test_each_explains_itself(name, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", [name, "--help"])
    with pytest.raises(SystemExit) as end:
        script(name).main()
    assert end.value.code == 0 and "usage:" in capsys.readouterr().out


def test_flops_of_gpt1_by_hand():
    module = script("training_speed")
    config = module.SIZES["full"][0]
    attention = 6 * 12 * 768 * 512
    assert module.flops_per_token(config) == 6 * (84_934_656 + 31_087_104) + attention


def test_a_recipe_is_fitted_to_the_time():
    """1,536 tokens per update: 60% of them at 3,072 per second, the rest at 1,536."""
    recipe = pretrain.RECIPES["quick"]
    fitted = script("quality_for_time").fitted(recipe, 7.001, [3072, 1536])
    assert (fitted.steps, fitted.warmup) == (600, 30)
    assert replace(fitted, steps=recipe.steps, warmup=recipe.warmup) == recipe


def test_a_setting_of_nanogpts_is_not_given_to_ours(monkeypatch, capsys):
    arguments = ["quality_for_time", "ours", "--beta2", "0.99"]
    monkeypatch.setattr(sys, "argv", arguments)
    with pytest.raises(SystemExit):
        script("quality_for_time").main()
    assert "--beta2 is of nanogpt" in capsys.readouterr().err


def test_nanogpt_is_scored_as_ours_is():
    model = script("quality_for_time").NanoGPT(TINY).eval()
    ids = torch.arange(50) % TINY.n_vocab
    assert 0 < evaluate.heldout_nats(model, ids) < 2 * math.log(TINY.n_vocab)


@pytest.mark.parametrize("matrix_lr", [0.0, 5e-3])
def test_a_trial_follows_its_schedule(matrix_lr):
    recipe = replace(pretrain.RECIPES["tiny"], steps=10**6, warmup=50_000)
    recipe = replace(recipe, matrix_lr=matrix_lr, even_windows=matrix_lr > 0)
    ids = torch.arange(500) % recipe.model.n_vocab
    model, losses = script("recipe_trials").trial(recipe, ids, seconds=1.0)
    assert len(losses) > 3 and losses[-1] < losses[0] and not model.training


@pytest.mark.parametrize("kind", ["gpt", "lstm"])
def test_a_trial_of_some_updates(kind):
    recipe = replace(pretrain.RECIPES["tiny"], steps=10**6, warmup=50_000, kind=kind)
    ids = torch.arange(500) % recipe.model.n_vocab
    model, losses = script("recipe_trials").trial(recipe, ids, seconds=300, updates=7)
    assert len(losses) == 7 and losses[-1] < losses[0] and kinds.kind_of(model) == kind


# ---- the benchmark of a GPU, at sizes that a CPU runs in no time -------------------------


def on_cpu(tmp_path, *words: str) -> tuple[int, dict]:
    """Exit status of `gpu.py`, and what it stored, by part."""
    tiny = ("--device", "cpu", "--tiny", "--minutes", "0.01", "--out", str(tmp_path))
    status = script("gpu").main([*tiny, *words])
    stored = (json.loads(p.read_text()) for p in (tmp_path / "results").glob("gpu_*.json"))
    return status, {found["part"]: found for found in stored}


@pytest.mark.slow
def test_a_check_of_the_benchmark_trains_for_a_second_and_no_longer():
    gpu = script("gpu")
    tiny = ["--device", "cpu", "--tiny"]
    asked = [gpu.parser().parse_args([*tiny, *words]) for words in ([], ["--minutes", "2"])]
    assert [gpu.machine_of(args).minutes for args in asked] == [1 / 60, 2]


@pytest.mark.slow
@pytest.mark.parametrize(
    "part",
    [
        "checks",
        "novelist",
        *(
            pytest.param(p, marks=pytest.mark.slow)
            for p in ("training", "generation", "finetune", "recipes", "longer", "copying")
        ),
    ],
)
def test_a_part_of_the_gpu_benchmark(part, tmp_path, capsys):
    status, stored = on_cpu(tmp_path, "--only", part)
    assert status == 0 and stored.keys() == {part}
    found = stored[part]
    tables = {name: rows for name, rows in found.items() if isinstance(rows, list)}
    assert found["status"] == "done" and found["device"] == "cpu" and found["tiny"]
    assert {"torch", "command", "commit", "driver"} <= found.keys() and tables
    said = capsys.readouterr().out
    assert all(said.count(f"  {name}: ") == len(rows) for name, rows in tables.items())


@pytest.mark.slow
@pytest.mark.parametrize("part", ["training", "checks", "finetune"])
def test_a_part_leaves_nothing_on_the_cpu(part, tmp_path):
    with pretended() as device:
        machine = Machine(device, True, 0.01, tmp_path, tmp_path)
        assert run([part], machine, minutes=5, apart=False), (
            tmp_path / f"{part}.log"
        ).read_text()


@pytest.mark.slow
def test_fine_tuning_on_the_device_moves_the_weights_there(tmp_path):
    finetune = importlib.import_module("benchmarks.gpu_parts.finetune")
    with pretended() as device:
        machine = Machine(device, True, 0.01, tmp_path, tmp_path)
        settings = Settings(batch=4, limit=8)
        run = FineTuning(finetune.source(machine), tasks.load("film_snippets"), settings)
        before = [p.detach().clone() for p in run.classifier.parameters()]
        run.train_step()
        run.train_step()  # the first has a rate of 0
        pairs = list(zip(before, run.classifier.parameters(), strict=True))
        assert {p.device for _, p in pairs} == {device}
        assert not any(torch.equal(a, b) for a, b in pairs if b.dim() > 1)


@pytest.mark.slow
def test_what_a_gpu_is_asked(tmp_path):
    """The settings are lists, and can be read without one."""
    training = importlib.import_module("benchmarks.gpu_parts.training")
    gpu = Machine(torch.device("cuda"), False, 6, tmp_path, tmp_path)
    plain, compiled = training.settings(gpu), training.compiled_settings(gpu)
    assert [s["batch"] for s in plain if s["loss"] == "whole"] == [8, 16, 32, 64, 128]
    assert {s["loss"] for s in plain if s["batch"] == 64} == set(training.LOSSES)
    assert [s["loss"] for s in compiled] == ["whole", "padded"]
    assert not any(s["compile"] for s in plain) and all(s["compile"] for s in compiled)


@pytest.mark.slow
def test_another_loss_is_the_one_that_is_timed(tmp_path, monkeypatch):
    training = importlib.import_module("benchmarks.gpu_parts.training")
    cpu = Machine(torch.device("cpu"), True, 0.01, tmp_path, tmp_path)
    for name in training.LOSSES:
        objective = training.ours(cpu, 2, loss=name).__self__.objective
        assert getattr(objective, "loss", None) is training.LOSSES[name]


def test_padded_logits_are_of_a_width_that_matrix_units_like():
    training = importlib.import_module("benchmarks.gpu_parts.training")
    h, W = torch.randn(2, 3, 8), torch.randn(61, 8)
    logits = training.padded_logits(h, W)
    assert logits.shape == (2, 3, 64)
    torch.testing.assert_close(logits.softmax(-1)[..., :61], (h @ W.T).softmax(-1))
    assert (-GPT1.n_vocab) % 64 == 34


@pytest.mark.slow
def test_each_size_reads_briefly_and_then_three_times_as_long(tmp_path, monkeypatch):
    novelist = importlib.import_module("benchmarks.gpu_parts.novelist")
    asked = []
    monkeypatch.setattr(novelist, "learned", lambda *words: asked.append(words) or {})
    machine = Machine(torch.device("cpu"), False, 6, tmp_path, tmp_path)
    novelist.measure(machine, Report(machine, "novelist"))
    sizes, seconds, outs, earlier, _ = zip(*asked, strict=True)
    assert sizes == tuple(size for size in novelist.SIZES for _ in "12")
    assert seconds[1::2] == pytest.approx([3 * s for s in seconds[::2]])
    assert sum(seconds) == pytest.approx(360 * novelist.TRAINING)
    assert earlier == (None, *outs[:-1]) and len(set(outs)) == 6


def test_less_time_is_given_to_a_part_that_has_less(tmp_path):
    machine = Machine(torch.device("cpu"), True, 6, tmp_path, tmp_path)
    assert [within(machine, limit).minutes for limit in (600, 100)] == [6, 1.5]


@pytest.mark.slow
def test_logits_and_losses_are_compared_on_the_device(tmp_path):
    with pretended() as device:
        machine = Machine(device, True, 0.01, tmp_path, tmp_path)
        assert same_numbers.logits(machine)["within_1e-4"]
        assert same_numbers.bfloat16(machine)["largest_share"] < 1e-6


def test_the_sizes_of_the_novelist_are_their_names_and_one_may_be_shipped():
    """In 16 bits a checkpoint of 30 MB has some 15 million parameters."""
    novelist = importlib.import_module("benchmarks.gpu_parts.novelist")
    for size in novelist.SIZES:
        config = replace(NOVELIST, n_layer=size.n_layer, n_head=size.n_head, n_embd=size.n_embd)
        with torch.device("meta"):
            n = GPT(config).count_parameters()
        assert size.name == f"{n / 1e6:.0f}_million"
        assert (2 * n < 29e6) == (size.name != "39_million")
    assert sum(novelist.RUNS.values()) == 1


@pytest.mark.slow
def test_the_gpu_benchmark_kills_and_resumes_in_a_process_of_its_own(tmp_path):
    status, stored = on_cpu(tmp_path, "--only", "same_numbers", "--apart")
    rows = {row["compared"]: row for row in stored["same_numbers"]["same_numbers"]}
    assert status == 0 and len(rows) == 4
    resumed = rows["killed and resumed, deterministic"]
    assert resumed["same"] and resumed["largest_difference"] == 0


@pytest.mark.slow
def test_a_part_that_fails_keeps_what_it_has_and_the_next_goes_on(tmp_path, monkeypatch):
    checks = importlib.import_module("benchmarks.gpu_parts.checks")
    works = {"none": lambda: None, "little memory": out_of_memory, "a fault": fault}
    monkeypatch.setattr(checks, "works", lambda machine: works)
    generation = importlib.import_module("benchmarks.gpu_parts.generation")
    monkeypatch.setattr(generation, "measure", lambda machine, report: fault())
    status, stored = on_cpu(tmp_path, "--only", "generation", "checks")
    assert status == 1
    assert stored["generation"]["error"] == "ValueError: on purpose"
    good, little, bad = stored["checks"]["check_ids"]
    assert good["ms_checked"]["n"] > 1 and little["out_of_memory"]
    assert bad["error"] == "ValueError: on purpose" and "out_of_memory" not in bad
    assert [found["status"] for found in stored.values()] == ["failed", "failed"]


@pytest.mark.slow
def test_too_little_memory_alone_is_not_a_failure(tmp_path, monkeypatch):
    checks = importlib.import_module("benchmarks.gpu_parts.checks")
    monkeypatch.setattr(checks, "works", lambda machine: {"little memory": out_of_memory})
    status, stored = on_cpu(tmp_path, "--only", "checks")
    assert status == 0 and stored["checks"]["status"] == "done"


def out_of_memory():
    raise torch.OutOfMemoryError("CUDA out of memory")


def fault():
    raise ValueError("on purpose")


@pytest.mark.slow
def test_a_part_that_takes_too_long_is_given_up(tmp_path):
    minutes = "0.0001"  # less than any machine needs
    status, stored = on_cpu(tmp_path, "--only", "checks", "--apart", "--at-most", minutes)
    assert status == 1
    assert re.fullmatch(r"given up after [\d.e-]+ s", stored["checks"]["error"])


def a_parent(note: Path):
    """Start a process that lives on, and say which."""
    files.write_text(note, str(subprocess.Popen(["sleep", "300"]).pid))
    time.sleep(300)


def lives(pid: str) -> bool:
    """Whether a process runs; one that is dead may wait for its parent to hear of it."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self").exists(), reason="no /proc says what runs")
def test_what_a_part_started_is_killed_with_it(tmp_path):
    server, note = multiprocessing.get_context("forkserver"), tmp_path / "pid"
    process = server.Process(target=in_a_group, args=(a_parent, note))
    process.start()
    while not note.exists():
        assert process.is_alive()
        time.sleep(0.01)
    assert lives(note.read_text())
    stop(process)
    until = time.monotonic() + 60
    while lives(note.read_text()):
        assert time.monotonic() < until
        time.sleep(0.01)


@pytest.mark.slow
def test_ids_are_not_looked_at_where_that_is_timed():
    checks = importlib.import_module("benchmarks.gpu_parts.checks")
    model, ids = GPT(TINY), torch.tensor([[TINY.n_vocab]])
    with pytest.raises(ValueError, match="token id 64"):
        model(ids)
    with checks.unchecked(), pytest.raises(IndexError):
        model(ids)


def test_flops_for_the_utilization_by_hand():
    flops = importlib.import_module("benchmarks.gpu_parts.training").flops_per_token(GPT1)
    assert flops == 6 * (84_934_656 + 40_478 * 768) + 12 * 12 * 768 * 512


@pytest.mark.parametrize("loss", ["chunked", "recomputed", "padded"])
def test_the_losses_that_are_timed_are_the_trainer_s(loss):
    training = importlib.import_module("benchmarks.gpu_parts.training")
    model = GPT(replace(TINY, n_vocab=61, dropout=0.0))  # no multiple of what a device likes
    ids = torch.arange(64).view(2, 32) % 61
    found = training.InChunks(model, training.LOSSES[loss])(ids)
    wanted = pretrain.Objective(model, chunked=False)(ids)
    gradients = (torch.autograd.grad(x, list(model.parameters())) for x in (found, wanted))
    torch.testing.assert_close(found, wanted)
    torch.testing.assert_close(*gradients)
