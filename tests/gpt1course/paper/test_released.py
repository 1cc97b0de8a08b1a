"""The paper's tables with its weights, on weights and sets of the right shape, but tiny."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace

import pytest

from gpt1course.paper import __main__ as command
from gpt1course.paper import paper_numbers, released, released_table
from gpt1lib import BPE, GPT, TINY, checkpoints
from gpt1lib.fast.distributed import Processes
from gpt1lib.finetune import Settings
from gpt1lib.io.paths import ROOT
from gpt1lib.rng import fork_rng
from gpt1lib.tasks.published import CLOZE_COLUMNS, STORIES

WORDS = "a man said that it was a good day and a woman said that it was not".split()


def text(i: int) -> str:
    return " ".join(WORDS[(i * 5 + k) % len(WORDS)] for k in range(4 + i % 3)) + f" {i}"


def glue(folder, header: str, row, dev: str = "dev.tsv") -> None:
    """train.tsv and a development set; row: from a number to the cells of a line."""
    folder.mkdir(parents=True)
    for name, n in (("train.tsv", 24), (dev, 8)):
        lines = ["\t".join(row(i)) for i in range(n)]
        (folder / name).write_text("\n".join([*([header] if header else []), *lines]) + "\n")


def write_sets(data) -> None:
    """All twelve of Table 1, in their published formats."""
    two = ("not_entailment", "entailment")
    nli = ("entailment", "contradiction", "neutral")
    glue(data / "glue/CoLA", "", lambda i: ["x", str(i % 2), "", text(i)])
    glue(data / "glue/SST-2", "sentence\tlabel", lambda i: [text(i), str(i % 2)])
    glue(data / "glue/MRPC", "Quality\t#1 ID\t#2 ID\t#1 String\t#2 String",
         lambda i: [str(i % 2), "1", "2", text(i), text(i + 1)])  # fmt: skip
    glue(data / "glue/STS-B", "index\tsentence1\tsentence2\tscore",
         lambda i: ["0", text(i), text(i + 1), f"{i % 5}.5"])  # fmt: skip
    glue(data / "glue/QQP", "id\tquestion1\tquestion2\tis_duplicate",
         lambda i: ["0", text(i), text(i + 1), str(i % 2)])  # fmt: skip
    glue(data / "glue/MNLI", "index\tsentence1\tsentence2\tgold_label",
         lambda i: ["0", text(i), text(i + 1), nli[i % 3]], "dev_matched.tsv")  # fmt: skip
    glue(data / "glue/QNLI", "index\tquestion\tsentence\tlabel",
         lambda i: ["0", text(i), text(i + 1), two[i % 2]])  # fmt: skip
    glue(data / "glue/RTE", "index\tsentence1\tsentence2\tlabel",
         lambda i: ["0", text(i), text(i + 1), two[i % 2]])  # fmt: skip
    write_others(data, nli)


def write_others(data, nli) -> None:
    """SNLI, SciTail, RACE and story cloze."""
    for folder, name, labels in (
        ("snli_1.0", "snli_1.0_{}.jsonl", nli),
        ("SciTailV1.1/snli_format", "scitail_1.0_{}.txt", nli[::2]),
    ):
        (data / folder).mkdir(parents=True)
        for part in ("train", "dev", "test"):
            rows = [{"gold_label": labels[i % len(labels)], "sentence1": text(i),
                     "sentence2": text(i + 1)} for i in range(12)]  # fmt: skip
            lines = "".join(json.dumps(row) + "\n" for row in rows)
            (data / folder / name.format(part)).write_text(lines)
    for part in ("train", "dev", "test"):
        for level in ("middle", "high"):
            folder = data / "RACE" / part / level
            folder.mkdir(parents=True)
            article = {"article": text(1), "questions": [text(i) for i in range(4)],
                       "options": [[text(i + k) for k in range(4)] for i in range(4)],
                       "answers": list("ABCD")}  # fmt: skip
            (folder / "1.txt").write_text(json.dumps(article))
    (data / "cloze").mkdir()
    for part in ("val", "test"):
        rows = [",".join([text(i + k) for k in range(6)] + [str(1 + i % 2)]) for i in range(10)]
        path = data / "cloze" / STORIES.format(part, part)
        path.write_text("\n".join([",".join(CLOZE_COLUMNS), *rows]))


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    """(folder of a released model, folder with the sets)."""
    root = tmp_path_factory.mktemp("released")
    bpe = BPE.learn(" ".join(map(text, range(20))), 30)
    with fork_rng(0):
        model = GPT(replace(TINY, n_vocab=bpe.n_vocab, n_ctx=48, dropout=0.0))
    checkpoints.save(root / "model", model, bpe, layout="hugging_face")
    write_sets(root / "sets")
    return root / "model", root / "sets"


def ask(places, out, *more: str) -> list[str]:
    weights, data = places
    return ["released", "--weights", str(weights), "--data", str(data), "--out", str(out),
            "--device", "cpu", *more]  # fmt: skip


def test_all_twelve_sets_are_found_and_their_hours_come_first(places, tmp_path, capsys):
    command.main(ask(places, tmp_path / "out", "--estimate"))
    said = capsys.readouterr().out
    for name in released_table.COLUMNS:
        assert f"\n{name} " in f"\n{said}"
    assert "12 of 12 runs are left, and take about 0.0 hours on 1 x cpu" in said
    assert not (tmp_path / "out").exists(), "an estimate writes nothing"


def test_the_note_tells_of_which_part_of_mnli_the_paper_s_numbers_are():
    matched, other = (paper_numbers.best_before(part)[1] for part in ("MNLI-m", "MNLI-mm"))
    at = paper_numbers.TABLE5_TASKS.index("MNLI")
    both = paper_numbers.TABLE5["full"][1][at]
    assert both == pytest.approx((matched + other) / 2, abs=0.051), "as Table 5 rounds it"
    assert released_table.printed("mnli", "full") == matched
    for row in paper_numbers.TABLE5.keys() - {"full"}:
        assert released_table.printed("mnli", row) == paper_numbers.TABLE5[row][1][at]
    told = " ".join(released_table.NOTE.split())
    assert f"both parts: {both} for the full model, which has {matched} on the matched" in told
    assert f"{other} on the other" in told


@pytest.mark.slow
def test_a_table_beside_the_paper_s_and_a_second_run_trains_nothing(places, tmp_path, capsys):
    out = tmp_path / "out"
    rows = ["--rows", "full", "no auxiliary loss", "--limit", "6"]
    command.main(ask(places, out, *rows))
    table = (out / "table.md").read_text()
    assert table in capsys.readouterr().out
    lines = {tuple(x.strip() for x in line.split("|")[1:3]): line.split("|")
             for line in table.splitlines() if line.startswith("| ")}  # fmt: skip
    wanted = {**dict.fromkeys(released_table.COLUMNS.values()), "RACE-m": 0, "RACE-h": 0}
    assert {name for name, row in lines if row == "full"} == {*wanted, "mean of eight"}
    for (name, row), cells in list(lines.items())[1:]:
        if row == "full" and name != "mean of eight":
            assert float(cells[6]) == paper_numbers.best_before(name)[1], name
    assert lines["CoLA", "no auxiliary loss"][3].strip() == "matthews"
    assert lines["CoLA", "no auxiliary loss"][6].strip() == "47.9"
    assert lines["mean of eight", "full"][6].strip() == "74.7"
    results = sorted(out.glob("*/result.json"))
    assert len(results) == 24 and not list(out.glob("*/state.pt"))
    assert json.loads(results[0].read_text())["facts"]["settings"]["lr"] == 6.25e-5
    before = {path: path.stat().st_mtime_ns for path in results}
    command.main(ask(places, out, *rows))
    assert before == {path: path.stat().st_mtime_ns for path in results}
    assert "0 of 24 runs are left, and take about 0.0 hours" in capsys.readouterr().out


def test_a_run_that_was_stopped_goes_on_to_the_same_result(
    places, tmp_path, monkeypatch, capsys
):
    few = ["--tasks", "rte", "--rows", "no pre-training"]
    command.main(ask(places, tmp_path / "whole", *few))
    step, seen = released.FineTuning.train_step, []

    def stopping(self):
        if self.per_epoch == 1 and len(seen) == 2 + 2:  # two of the estimate, two of the run
            raise KeyboardInterrupt
        seen.append(step(self))
        return seen[-1]

    monkeypatch.setattr(released.FineTuning, "train_step", stopping)
    with pytest.raises(SystemExit, match="stopped"):
        command.main(ask(places, tmp_path / "stopped", *few))
    monkeypatch.setattr(released.FineTuning, "train_step", step)
    capsys.readouterr()
    command.main(ask(places, tmp_path / "stopped", *few))
    assert "going on from update 2" in capsys.readouterr().out
    one, two = (
        json.loads((tmp_path / name / "rte_no_pre-training_0/result.json").read_text())[
            "scores"
        ]
        for name in ("whole", "stopped")
    )
    assert one == two


@pytest.mark.parametrize(
    "change, said",
    [
        (["--weights", "nowhere"], "no released GPT-1 in nowhere"),
        (["--data", "nowhere"], "nowhere is no folder"),
        (["--seeds", "0"], "--seeds is 0"),
        (["--grad-accum", "0"], "grad_accum is 0, it must be >= 1"),
        (["--bf16"], "bf16 needs a GPU"),
    ],
)
def test_what_cannot_be_done_is_one_line(places, tmp_path, change, said):
    with pytest.raises(SystemExit, match=said):
        command.main(ask(places, tmp_path, "--estimate", *change))


def test_a_set_that_is_missing_and_an_empty_folder_are_named(places, tmp_path):
    (tmp_path / "CoLA").mkdir()
    with pytest.raises(SystemExit, match=r"holds none of the paper's sets \(cola, sst-2"):
        command.main(ask((places[0], tmp_path), tmp_path / "out"))
    glue(tmp_path / "RTE", "index\tsentence1\tsentence2\tlabel",
         lambda i: ["0", text(i), text(i), "entailment"])  # fmt: skip
    with pytest.raises(SystemExit, match="has no cola; rte"):
        command.main(ask((places[0], tmp_path), tmp_path / "out", "--tasks", "cola"))


def test_results_of_other_settings_are_not_mixed(places, tmp_path):
    few = ["--tasks", "cola", "--limit", "4"]
    command.main(ask(places, tmp_path, *few))
    with pytest.raises(SystemExit, match="was made with other settings or weights"):
        command.main(ask(places, tmp_path, "--tasks", "cola", "--limit", "5"))


def test_processes_that_measure_other_hours_take_one_order(monkeypatch, tmp_path):
    hours = ({"rte": 1.0, "race": 1.1}, {"rte": 1.2, "race": 0.9})  # of each process
    trials = [SimpleNamespace(name=n, data=None, settings=Settings()) for n in hours[0]]
    monkeypatch.setattr(released, "finished", lambda *_: False)
    monkeypatch.setattr(released, "check_metric", lambda _: None)
    monkeypatch.setattr(released.tasks, "load", lambda *_: SimpleNamespace(train=[]))
    orders, args = [], SimpleNamespace(out=tmp_path)
    for rank in range(2):
        asked = iter(hours[0])  # the mean of each set, in the order in which they are measured

        class Pair(Processes):
            def mean(self, x, asked=asked):
                name = next(asked)
                assert x.item() == pytest.approx(3600 * hours[self.rank][name])
                return x.new_tensor(1800 * sum(of[name] for of in hours))

        measured = iter(hours[rank].values())
        monkeypatch.setattr(
            released, "seconds_of", lambda *_, measured=measured: 3600 * next(measured)
        )
        found = released.in_order(trials, args, None, Pair(rank, 2))
        orders.append([trial.name for trial in found])
    assert orders == [["race", "rte"]] * 2


@pytest.mark.slow
def test_two_processes_fill_the_same_table(places, tmp_path):
    few = ["--tasks", "rte", "race", "--limit", "7"]
    command.main(ask(places, tmp_path / "one", *few))
    team = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    team += ["--nproc-per-node", "2", "-m", "gpt1course.paper"]
    env = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    words = [*team, *ask(places, tmp_path / "two", *few)]
    done = subprocess.run(words, cwd=ROOT, env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.count("hours on 2 x cpu") == 1
    one, two = (released_table.stored(tmp_path / name) for name in ("one", "two"))
    assert one.keys() == two.keys() == {("rte", "full"), ("race", "full")}
    for key in one:  # dropout draws other numbers in each process, so scores may differ
        assert one[key][0]["labels"] == two[key][0]["labels"] == 7
