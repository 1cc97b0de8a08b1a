"""Fine-tuning, sampling and zero-shot on another device: the numbers of the CPU.

The device is one that only pretends to be a GPU: these tests say that no tensor was left
behind on the CPU, and nothing of a GPU's own arithmetic.
"""

from dataclasses import replace

import pytest
import torch
from pretended_gpu import here as on_cpu
from pretended_gpu import pretended
from torch.utils._pytree import tree_map

from gpt1course.paper.zeroshot import scores
from gpt1lib import BPE, GPT, TINY, checkpoints, cli, finetune, sample, tasks
from gpt1lib.checkpoints import Checkpoint
from gpt1lib.finetune.__main__ import main, parser
from gpt1lib.io import run_folder
from gpt1lib.rng import fork_rng

BPE_SMALL = BPE.learn("a fine good film and a bad dull film with the plot " * 4, 20)
TEXTS = (("a fine good film", 1), ("a bad dull film", 0), ("the plot", 1), ("a film", 0))


@pytest.fixture
def device():
    with pretended() as device:
        yield device


def source(on: torch.device | str = "cpu") -> Checkpoint:
    config = replace(TINY, n_vocab=BPE_SMALL.n_vocab, n_ctx=24, dropout=0.0)
    with fork_rng(0):
        model = GPT(config)
    return Checkpoint(model.to(on), BPE_SMALL, {}, None)


def task(kind: str) -> tasks.Task:
    given = {"classification": 1, "entailment": 2, "similarity": 2, "choice": 3}[kind]
    pairs = zip(TEXTS, TEXTS[::-1], strict=True)
    examples = [
        tasks.Example((text,) * (given - 1) + (other,), label)
        for (text, label), (other, _) in pairs
    ]
    return tasks.Task("toy", kind, 2, examples, examples, examples)


def tuned(kind: str, on: torch.device | str) -> tuple[list[float], list[list[float]]]:
    settings = finetune.Settings(epochs=2, batch=2, lr=1e-3, dropout=0.0)
    run = finetune.FineTuning(source(on), task(kind), settings)
    assert run.classifier.head.weight.device.type == torch.device(on).type
    run.run(quiet=True)
    return [line["loss"] for line in run.log], run.evaluate("test")[1]


@pytest.mark.parametrize("kind", ["classification", "entailment", "similarity", "choice"])
def test_fine_tuning_ends_with_the_numbers_of_the_cpu(device, kind):
    (there, probs), (here, wanted) = tuned(kind, device), tuned(kind, "cpu")
    assert there == pytest.approx(here, abs=1e-3)
    assert torch.allclose(torch.tensor(probs), torch.tensor(wanted), atol=1e-3)


def test_the_command_stores_goes_on_and_scores_from_the_device(
    device, tmp_path, monkeypatch, capsys
):
    checkpoints.save(tmp_path / "start", source().model, BPE_SMALL, {})
    lines = [f"a {word} film {i},{word}" for i in range(12) for word in ("good", "bad")]
    (tmp_path / "mine.csv").write_text("\n".join(["text,label", *lines]))
    where = ["--data", tmp_path / "mine.csv", "--checkpoint", tmp_path / "start"]
    words = [*where, "--batch", "10", "--epochs", "2", "--dropout", "0", "--lr", "1e-3"]
    main([*map(str, words), "--out", str(tmp_path / "cpu"), "--device", "cpu"])
    monkeypatch.setattr(cli, "device_of", lambda name: device)
    write = run_folder.write_state  # of a GPU's tensors, torch reads the numbers on the CPU
    monkeypatch.setattr(run_folder, "write_state", lambda p, x: write(p, tree_map(on_cpu, x)))
    keep, saved = finetune.FineTuning.save_state, []

    def stopping(run, folder):
        keep(run, folder)
        saved.append(run.update)
        if len(saved) == 1:
            raise KeyboardInterrupt

    monkeypatch.setattr(finetune.FineTuning, "save_state", stopping)
    there = [*map(str, words), "--out", str(tmp_path / "there")]
    with pytest.raises(SystemExit, match="stopped"):
        main(there)
    main(there)
    assert f"going on from update {saved[0]}" in capsys.readouterr().out
    wanted, found = (
        [x["loss"] for x in run_folder.Log(tmp_path / name / "log.jsonl", "update").lines()]
        for name in ("cpu", "there")
    )
    assert found == pytest.approx(wanted, abs=1e-3)


def test_a_text_is_the_same_on_every_device(device):
    options = {"n_tokens": 20, "temperature": 0.8, "top_p": 0.9, "seed": 3}
    assert sample.sample_text(source(device), "a good film", **options) == sample.sample_text(
        source(), "a good film", **options
    )


def test_zero_shot_scores_are_those_of_the_cpu(device):
    ids = [BPE_SMALL.encode(text) for text, _ in TEXTS]
    pairs = [(ids[0], ids[1]), (ids[2], ids[3]), ([], ids[0])]
    questions = [(ids[0], [ids[1], ids[2]]), (ids[3], [ids[0], ids[1]])]
    there, here = source(device).model.eval(), source().model.eval()
    for ask, asked in ((scores.continuation_scores, pairs), (scores.answer_scores, questions)):
        assert torch.tensor(ask(there, asked)).flatten().tolist() == pytest.approx(
            torch.tensor(ask(here, asked)).flatten().tolist(), abs=1e-4
        )
    assert torch.allclose(
        scores.next_logits(there, ids), scores.next_logits(here, ids), atol=1e-4
    )


def test_the_device_that_is_asked_for_and_the_default(monkeypatch):
    assert cli.device_of(None) == cli.device_of("cpu") == torch.device("cpu")
    for missing in ("cuda", "mps"):
        monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
        with pytest.raises(
            ValueError, match=f"the device is {missing}, but torch finds no such"
        ):
            cli.device_of(missing)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert cli.device_of(None) == torch.device("cuda")
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
    assert cli.device_of("mps") == torch.device("mps")
    assert parser().parse_args(["toy", "--out", "x", "--device", "mps"]).device == "mps"
    assert sample.parser().parse_args(["--device", "cuda"]).device == "cuda"
