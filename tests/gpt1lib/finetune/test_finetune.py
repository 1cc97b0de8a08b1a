"""Inputs, tasks, fine-tuning: the sequences, the read-out, the loss, a small run."""

import json
import os
import random
import signal
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
import torch

import gpt1lib as g
from gpt1lib import finetune, inputs, tasks, text
from gpt1lib.bpe import BPE
from gpt1lib.checkpoints import checkpoint, kinds
from gpt1lib.finetune import classifier, trainer
from gpt1lib.finetune import data as batches
from gpt1lib.finetune.__main__ import main
from gpt1lib.finetune.predict import main as predict_main
from gpt1lib.finetune.trainer import chosen_examples
from gpt1lib.io import files
from gpt1lib.io.paths import TASKS
from gpt1lib.io.run_folder import RunFolder
from gpt1lib.tasks import course_sets

BPE_SMALL = BPE.learn("a fine good film and a bad dull film the plot is thin", 40)
SPECIALS = inputs.Specials.after(BPE_SMALL.n_vocab)


@pytest.fixture
def model():
    torch.manual_seed(0)
    return g.GPT(
        g.GPTConfig(
            n_vocab=BPE_SMALL.n_vocab, n_ctx=24, n_layer=2, n_head=2, n_embd=16, dropout=0.0
        )
    )


# ---- input transformations -----------------------------------------------------


def test_golden_sequences(shared):
    released = BPE.load(shared / "openai_gpt", "encoder_bpe_40000.json", "vocab_40000.bpe")
    golden = files.read_json(shared / "reference/golden_bpe.json")["sequences"]
    e = golden["entailment_001"]
    assert inputs.entailment(released, e["premise"], e["hypothesis"], 512) == [e["ids"]]
    c = golden["classification_001"]
    assert inputs.classification(released, c["text"], 512) == [c["ids"]]
    m = golden["multiple_choice_001"]
    made = inputs.multiple_choice(released, m["context_and_question"], list(m["choices"]), 512)
    assert made == [choice["ids"] for choice in m["choices"].values()]


def test_similarity_is_both_orders():
    one, two = inputs.similarity(BPE_SMALL, "good film", "dull plot", 24)
    a, b = BPE_SMALL.encode("good film"), BPE_SMALL.encode("dull plot")
    assert one == [SPECIALS.start, *a, SPECIALS.delimiter, *b, SPECIALS.extract]
    assert two == [SPECIALS.start, *b, SPECIALS.delimiter, *a, SPECIALS.extract]


def test_question_joins_the_context_without_delimiter():
    made = inputs.multiple_choice(BPE_SMALL, "a film", ["good", "bad"], 24, question="is thin")
    wanted = BPE_SMALL.encode("a film is thin")
    assert made[0][1 : 1 + len(wanted)] == wanted
    assert [s.count(SPECIALS.delimiter) for s in made] == [1, 1]


@pytest.mark.parametrize("n_ctx", [6, 9, 24])
def test_long_segments_lose_no_special_token(n_ctx):
    long = "film " * 100
    for sequence in (
        *inputs.classification(BPE_SMALL, long, n_ctx),
        *inputs.entailment(BPE_SMALL, long, long, n_ctx),
    ):
        assert len(sequence) <= n_ctx
        assert sequence[0] == SPECIALS.start and sequence[-1] == SPECIALS.extract
    pair = inputs.entailment(BPE_SMALL, long, long, n_ctx)[0]
    assert pair.index(SPECIALS.delimiter) == 1 + (n_ctx // 2 - 2)


def test_bad_inputs_are_named():
    with pytest.raises(ValueError, match="text is empty"):
        inputs.classification(BPE_SMALL, "  ", 24)
    with pytest.raises(ValueError, match="second segment is empty"):
        inputs.entailment(BPE_SMALL, "film", "", 24)
    with pytest.raises(ValueError, match="1 choices, at least 2"):
        inputs.multiple_choice(BPE_SMALL, "film", ["good"], 24)
    with pytest.raises(ValueError, match="context is 5 tokens"):
        inputs.entailment(BPE_SMALL, "film", "film", 5)
    with pytest.raises(ValueError, match="no sequence to pad"):
        batches.pad([[1], []])


def test_a_batch_is_padded_and_knows_where_extract_is():
    rows = [[SPECIALS.start, 5, SPECIALS.extract], [SPECIALS.start, 5, 6, 7, SPECIALS.extract]]
    data = [batches.Encoded([row], label) for label, row in enumerate(rows)]
    ids, mask, extract_at, labels = batches.collate(data)
    assert ids.tolist()[0] == [*rows[0], 0, 0] and mask.tolist()[0] == [1, 1, 1, 0, 0]
    assert ids[[0, 1], extract_at].tolist() == [SPECIALS.extract] * 2
    assert labels.tolist() == [0, 1]


@pytest.mark.parametrize("kind, n", [("classification", 1), ("similarity", 2), ("choice", 3)])
def test_each_sequence_ends_with_extract(kind, n):
    texts = ("a fine film", "a bad plot", "dull", "thin")[: {1: 1, 2: 2, 3: 4}[n]]
    task = tasks.Task("t", kind, 3, [tasks.Example(texts, 1)], [], [])
    (example,) = batches.EncodedTask(task, BPE_SMALL, 24).split("train")
    assert len(example.sequences) == n
    ends = [s[i] for s, i in zip(example.sequences, example.extract_at, strict=True)]
    assert ends == [SPECIALS.extract] * n


def test_each_split_is_encoded_once(monkeypatch):
    encoded = []
    monkeypatch.setattr(batches, "prepare", lambda *args: encoded.append(args) or [1])
    data = batches.EncodedTask(toy_task(), BPE_SMALL, 24)
    assert not encoded, "nothing is encoded before it is asked for"
    assert data.split("test") == data.split("test") == [1] and len(encoded) == 1
    with pytest.raises(ValueError, match="split 'dev' is unknown"):
        data.split("dev")


def test_three_new_rows(model):
    larger = classifier.add_special_tokens(model, torch.Generator().manual_seed(0))
    V = BPE_SMALL.n_vocab
    assert larger.config.n_vocab == V + 3
    assert torch.equal(larger.tokens.weight[:V], model.tokens.weight)
    rows = larger.tokens.weight[V:]
    assert rows.std().item() == pytest.approx(model.tokens.weight.std().item(), rel=0.3)
    ids = torch.tensor([BPE_SMALL.encode("good film")])
    old, new = model.eval()(ids), larger.eval()(ids)
    assert torch.allclose(new[..., :V], old, atol=1e-6)


# ---- tasks ------------------------------------------------------------------------


@pytest.mark.parametrize("name", tasks.TASKS_BY_NAME)
def test_splits_are_apart_and_complete(name):
    task = tasks.load(name)
    parts = [{e.texts for e in split} for split in (task.train, task.valid, task.test)]
    assert all(len(p) > 100 for p in parts)
    assert not parts[0] & parts[1] and not parts[0] & parts[2] and not parts[1] & parts[2]
    labels = {e.label for e in task.train}
    assert labels == set(range(task.n_classes))


def test_short_examples_are_counted_in_words_of_all_texts():
    rows = [tasks.Example(("a b", "c"), 0), tasks.Example(("a b", "c d"), 1)]
    assert tasks.no_longer_than(rows, 3) == rows[:1]
    assert tasks.no_longer_than(rows, None) == tasks.no_longer_than(rows, 4) == rows


def test_weak_ratings_are_left_out():
    n = sum(map(len, (lambda t: (t.train, t.valid, t.test))(tasks.load("film_snippets"))))
    rows = tasks.read_lines(TASKS / "film_snippets.jsonl", ("score",))
    assert n == sum(abs(r["score"]) >= 0.5 for r in rows) < len(rows) == 9805


def test_bad_files_are_named(tmp_path):
    path = tmp_path / "t.jsonl"
    with pytest.raises(FileNotFoundError, match="t.jsonl is missing"):
        course_sets.film_snippets(path)
    path.write_text('{"id": "1", "score": 2, "text": "x"}\nnot json\n')
    with pytest.raises(ValueError, match="line 2 is damaged, not valid JSON"):
        course_sets.film_snippets(path)
    path.write_text('{"id": "1", "score": 2}\n')
    with pytest.raises(ValueError, match="line 1: no field text"):
        course_sets.film_snippets(path)
    with pytest.raises(ValueError, match="no task 'mnli'.*film_snippets"):
        tasks.load("mnli")


# ---- the classifier -------------------------------------------------------------------


def test_read_out_is_the_state_at_extract(model):
    c = classifier.Classifier(model, "classification", 3, dropout=0.0).eval()
    texts = ("good film", "a bad dull film")
    data = [batches.Encoded(inputs.classification(BPE_SMALL, t, 24), 0) for t in texts]
    ids, _, extract_at, _ = batches.collate(data)
    logits, h = c(ids, extract_at)
    where = [row.tolist().index(SPECIALS.extract) for row in ids]
    wanted = torch.stack([c.head(h[i, t]) for i, t in enumerate(where)])
    assert logits.shape == (2, 3) and torch.allclose(logits, wanted)


def test_similarity_does_not_depend_on_the_order(model):
    c = classifier.Classifier(model, "similarity", 2, dropout=0.0).eval()
    probs = [
        classifier.class_probs(c, BPE_SMALL, *p)
        for p in (("good film", "bad plot"), ("bad plot", "good film"))
    ]
    assert probs[0] == pytest.approx(probs[1], abs=1e-6)


def test_choice_is_one_scalar_each_and_a_softmax(model):
    c = classifier.Classifier(model, "choice", 2, dropout=0.0).eval()
    assert c.head.out_features == 1
    a = classifier.class_probs(c, BPE_SMALL, "a film", "good", "bad dull")
    b = classifier.class_probs(c, BPE_SMALL, "a film", "bad dull", "good")
    assert a == pytest.approx(b[::-1], abs=1e-6) and sum(a) == pytest.approx(1)


def test_loss_is_l3_of_the_same_inputs(model):
    c = classifier.Classifier(model, "classification", 2, dropout=0.0).eval()
    data = [
        batches.Encoded(inputs.classification(BPE_SMALL, t, 24), y)
        for t, y in (("good film", 1), ("a bad dull film", 0))
    ]
    ids, mask, extract_at, labels = batches.collate(data)
    task = torch.nn.functional.cross_entropy(c(ids, extract_at)[0], labels)
    lm = 0.0
    for example in data:  # one by one, without padding
        row = torch.tensor(example.sequences)
        log_probs = c.model(row)[0, :-1].log_softmax(-1)
        lm -= log_probs.gather(-1, row[0, 1:, None]).mean().item() / 2
    for lm_coef in (0.0, 0.5, 2.0):
        loss = c.losses(ids, mask, extract_at, labels, lm_coef)[0].item()
        assert loss == pytest.approx(task.item() + lm_coef * lm, abs=1e-5)


def test_dropout_is_set_for_fine_tuning(model):
    c = classifier.Classifier(model, "classification", 2, dropout=0.1)
    rates = {m.p for m in c.modules() if isinstance(m, torch.nn.Dropout)}
    assert rates == {0.1} and {b.attention.dropout for b in c.model.blocks} == {0.1}
    assert model.drop.p == 0.0, "the pre-trained model is left alone"


def test_bad_settings_are_named(model):
    for bad, message in (
        ({"lm_coef": -1}, "lambda"),
        ({"epochs": 0}, "epochs is 0"),
        ({"limit": 0}, "limit is 0"),
        ({"longest": 0}, "longest is 0"),
    ):
        with pytest.raises(ValueError, match=message):
            finetune.Settings(**bad)
    with pytest.raises(ValueError, match="n_classes is 1"):
        classifier.Classifier(model, "classification", 1)
    with pytest.raises(ValueError, match="kind 'regression'"):
        classifier.Classifier(model, "regression", 2)
    task = tasks.Task("t", "classification", 2, [], [], [])
    with pytest.raises(ValueError, match="label 2 is not in 0 to 1"):
        batches.prepare(BPE_SMALL, task, [tasks.Example(("film",), 2)], 24)
    with pytest.raises(ValueError, match="t has no training examples"):
        chosen_examples(task, finetune.Settings())
    task.train.append(tasks.Example(("a good film",), 1))
    with pytest.raises(ValueError, match="each of the 1 training .* more than 2 words, raise"):
        chosen_examples(task, finetune.Settings(longest=2))


def test_predictions_keep_the_order(model):
    c = classifier.Classifier(model, "classification", 2, dropout=0.0).eval()
    texts = ["film", "a good film and a bad dull film", "thin plot", "fine"]
    data = [batches.Encoded(inputs.classification(BPE_SMALL, t, 24), 0) for t in texts]
    together = classifier.predict_probs(c, data, batch=3)
    for said, probs in zip(texts, together, strict=True):
        assert classifier.class_probs(c, BPE_SMALL, said) == pytest.approx(probs, abs=1e-5)


def toy_task(n=40):
    """A task that 'good' decides."""
    texts = (("a fine good film", 1), ("a bad dull film", 0))
    examples = [
        tasks.Example((f"{t} {'the plot ' * (i % 3)}",), y) for i in range(n) for t, y in texts
    ]
    return tasks.Task(
        "toy", "classification", 2, examples, examples[:8], examples[:8], ("bad", "good")
    )


@pytest.fixture
def toy(model, tmp_path, monkeypatch):
    checkpoint.save_ours(tmp_path / "pre", model, BPE_SMALL)
    monkeypatch.setitem(tasks.TASKS_BY_NAME, "toy", toy_task)
    return [
        "toy",
        "--checkpoint",
        str(tmp_path / "pre"),
        "--out",
        str(tmp_path / "o"),
        "--batch",
        "8",
        "--lr",
        "5e-3",
    ]


def test_the_command_line_learns(toy, tmp_path, capsys):
    """Everything is written, and the classifier reads texts from the shell."""
    out = tmp_path / "o"
    result = main([*toy, "--epochs", "20"])
    assert result["valid"]["accuracy"] == 1.0 and "test" not in result
    assert "add --test" in capsys.readouterr().out
    weights = (out / "classifier.safetensors").stat().st_mtime_ns
    result = main([*toy, "--epochs", "20", "--test"])
    told = capsys.readouterr().out
    assert "is finished, nothing is trained again" in told
    assert told.index("validation set, 8 ex") < told.index("test set, 8 examples:\n")
    assert "  bag of words  100.0%  (67.6 to 100.0)\n  majority       50.0%\n" in told
    assert "add --test" not in told
    assert (out / "classifier.safetensors").stat().st_mtime_ns == weights
    assert result["test"]["accuracy"] == 1.0 and result["test"]["majority"] == 0.5
    with pytest.raises(SystemExit, match="finished run with other settings: epochs was 20, is"):
        main([*toy, "--epochs", "3"])
    names = {p.name for p in out.iterdir()}
    assert names == {
        "classifier.safetensors",
        "classifier.json",
        "encoder.json",
        "vocab.bpe",
        "log.jsonl",
        "predictions_valid.jsonl",
        "predictions_test.jsonl",
        "checksums.json",
        "result.json",
        "lock",
    }
    stored = json.loads((out / "result.json").read_text())
    assert stored["settings"]["lm_coef"] == 0.5 and stored["command"].startswith("python")
    rows = [json.loads(x) for x in (out / "predictions_test.jsonl").read_text().splitlines()]
    assert [r["label"] for r in rows] == [e.label for e in toy_task().test]
    assert all((r["probs"][1] > 0.5) == r["label"] for r in rows)
    capsys.readouterr()
    predict_main([str(out), "a fine good film"])
    assert capsys.readouterr().out.splitlines()[0].endswith("good")
    predict_main([str(out), "a bad dull film"])
    assert capsys.readouterr().out.splitlines()[0].endswith("bad")
    for wrong, message in (
        ([str(out), "a", "b"], "needs texts: 1, each in quotes; it got .'a', 'b'"),
        ([str(tmp_path), "a"], "has no classifier"),
    ):
        with pytest.raises(SystemExit, match=message):
            predict_main(wrong)


@pytest.mark.parametrize("method", finetune.METHODS)
def test_each_method_moves_what_it_should(model, method):
    source = checkpoint.Checkpoint(model, BPE_SMALL, {}, None)
    run = finetune.FineTuning(source, toy_task(), finetune.Settings(method=method, batch=8))
    before = {k: v.clone() for k, v in run.classifier.named_parameters()}
    moved = []
    for _ in range(run.total):
        run.train_step()
        moved.append(
            {k for k, v in run.classifier.named_parameters() if not torch.equal(v, before[k])}
        )
    head, every = {"head.weight", "head.bias"}, set(before)
    if method == "frozen":
        assert moved[0] <= head and moved[-1] == head
    elif method == "gradual":
        assert moved[2] == head and moved[-1] == every
        upper = {k for k in every if "blocks.1" in k}
        assert any(head | upper == m for m in moved), "then the upper block"
    else:
        assert moved[2] == every  # the very first update has a rate of 0
    shares = {g["depth"]: g["share"] for g in run.optimizer.param_groups}
    wanted = {0: 2.6**-3, 1: 2.6**-2, 2: 1 / 2.6, 3: 1.0}
    assert shares == pytest.approx(
        wanted if method == "discriminative" else dict.fromkeys(range(4), 1.0)
    )


def test_a_stopped_run_ends_where_the_whole_one_ends(toy, tmp_path, monkeypatch):
    whole = main([*toy, "--epochs", "3", "--out", str(tmp_path / "whole")])
    step, calls = finetune.FineTuning.train_step, []

    def stopped(run):
        calls.append(1)
        if len(calls) == 17:  # in the second epoch of 10 updates
            raise KeyboardInterrupt
        if len(calls) == 25:
            signal.raise_signal(signal.SIGINT)  # which waits for the update, and saves it
        return step(run)

    monkeypatch.setattr(finetune.FineTuning, "train_step", stopped)
    with pytest.raises(SystemExit, match="stopped. To go on: python -m gpt1lib.finetune toy"):
        main([*toy, "--epochs", "3"])
    assert (tmp_path / "o/state.pt").is_file()
    with pytest.raises(SystemExit, match="made with other settings: epochs was 3, is 4"):
        main([*toy, "--epochs", "4"])
    with pytest.raises(SystemExit, match="The state of update 18 is kept in .*. To go on: py"):
        main([*toy, "--epochs", "3"])
    again = main([*toy, "--epochs", "3"])
    assert len(calls) == 17 + 8 + 12 and again["valid"] == whole["valid"]
    for name in ("classifier.safetensors", "log.jsonl", "predictions_valid.jsonl"):
        assert (tmp_path / "o" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    assert not (tmp_path / "o/state.pt").exists()


@pytest.mark.parametrize("n", range(8))
def test_killed_at_any_file_it_ends_the_same_and_leaves_no_litter(
    toy, tmp_path, monkeypatch, n
):
    """As SIGKILL would: what is being written stays behind, and nothing is tidied up."""
    few, replace_file, done = [*toy, "--epochs", "1", "--limit", "8"], os.replace, []

    def until_then(source, target):
        done.append(Path(target).name)
        if len(done) > n:
            raise SystemExit("killed")
        replace_file(source, target)

    with monkeypatch.context() as patch, pytest.raises(SystemExit, match="killed"):
        patch.setattr(os, "replace", until_then)
        patch.setattr(Path, "unlink", lambda *_, **__: None)
        main(few)
    result = main(few)
    assert not list(tmp_path.rglob(".*.tmp")) and not (tmp_path / "o/state.pt").exists()
    assert main(few) == result
    classifier.load(tmp_path / "o")


def test_probabilities_that_are_none_are_refused(toy, model):
    examples = toy_task().test[:2]
    for probs in ([[0.5, float("nan")]] * 2, [[1.0]] * 2, [[2.0, -1.0]] * 2):
        with pytest.raises(ValueError, match="prediction 1 is .*, not 2 probabilities"):
            finetune.scores(toy_task(), probs, examples)
    with pytest.raises(SystemExit, match="finetune: .* contains nan or infinite|loss is"):
        main([*toy, "--epochs", "1", "--lr", "1e30"])


def test_a_table_of_ones_own(model, tmp_path, capsys):
    lines = ["text\tlabel", *(f"the plot is {x} {i}\t{y}" for i in range(40)
             for x, y in (("fine", "praise"), ("dull", "complaint")))]  # fmt: skip
    table = tmp_path / "mine.tsv"
    table.write_bytes(("\ufeff" + "\r\n".join(lines) + "\r\n").encode())  # as Excel does
    task = tasks.load(None, table)
    assert (task.name, task.classes) == ("mine", ("complaint", "praise"))
    assert len(task.train) > 50 and task.valid and task.test
    assert {e.label for e in task.train if "fine" in e.texts[0]} == {1}
    checkpoint.save_ours(tmp_path / "pre", model, BPE_SMALL)
    args = ["--data", str(table), "--checkpoint", str(tmp_path / "pre")]
    main([*args, "--out", str(tmp_path / "o"), "--epochs", "1"])
    told = capsys.readouterr().out
    assert f'finetune.predict {tmp_path / "o"} "a text"\n' in told
    assert "class complaint: 32 train, 4 valid, 4 test\nclass praise: 32 train" in told
    assert "8 validation examples are too few, 30 are a start: do not choose" in told
    predict_main([str(tmp_path / "o"), "the plot is fine"])
    assert set(capsys.readouterr().out.split()[1::2]) == {"praise", "complaint"}


def labeled(*labels: int) -> list:
    return [tasks.Example((f"a text {i}",), label) for i, label in enumerate(labels)]


def test_the_majority_is_known_before_the_scored_set_is():
    train, scored = labeled(0, 0, 1), labeled(1, 1, 1, 0)
    task = tasks.Task("x", "classification", 2, train, scored, scored, ("late", "broken"))
    assert finetune.scores(task, [[0.0, 1.0]] * 4, scored)["majority"] == 0.25
    by_words = finetune.evaluate.bag_of_words_scores(task, toy_task().train, "test")
    assert by_words["majority"] == 0.25
    halves = replace(task, train=labeled(1, 0))
    assert finetune.scores(halves, [[0.0, 1.0]] * 4, scored)["majority"] == 0.25


@pytest.mark.parametrize(
    ("labels", "told"),
    [
        ((0, 1) * 15, ""),
        ((0, 1, 0), "3 validation examples are too few, 30 are a start"),
        ((1,), "All 1 validation examples have one label"),
        ((1,) * 40, "All 40 validation examples have one label"),
    ],
)
def test_a_validation_set_that_shows_nothing_is_told(labels, told):
    task = replace(toy_task(), valid=labeled(*labels))
    assert finetune.evaluate.why_not_choose(task) == told


def test_early_stopping_keeps_the_best(model, monkeypatch):
    source = checkpoint.Checkpoint(model, BPE_SMALL, {}, None)
    settings = finetune.Settings(epochs=9, batch=8, patience=2)
    run, weights = finetune.FineTuning(source, toy_task(), settings), []
    found = iter([0.5, 0.8, 0.7, 0.6, 0.9])

    def score(*_):
        weights.append(run.classifier.head.weight.clone())
        return {"accuracy": next(found)}

    monkeypatch.setattr(trainer, "scores", score)
    run.run(quiet=True)
    assert run.update == 4 * run.per_epoch, "two epochs after the best"
    assert torch.equal(run.classifier.head.weight, weights[1])


def test_patience_waits_for_the_tasks_own_metric(model, monkeypatch):
    source = checkpoint.Checkpoint(model, BPE_SMALL, {}, None)
    task = replace(toy_task(), metric="f1")
    run = finetune.FineTuning(source, task, finetune.Settings(epochs=9, batch=8, patience=1))
    found = iter([{"accuracy": 0.5, "f1": 0.9}, {"accuracy": 0.6, "f1": 0.8}])
    monkeypatch.setattr(trainer, "scores", lambda *_: next(found))
    run.run(quiet=True)
    assert run.update == 2 * run.per_epoch and run.best["score"] == 0.9


def test_graded_labels(model):
    examples = [tasks.Example(("good film", "fine film"), g) for g in (3.6, 0.0, 5.0)]
    task = tasks.Task("graded", "similarity", 6, examples, [], examples, graded=True)
    data = batches.prepare(BPE_SMALL, task, examples, 24)
    assert data[0][1] == pytest.approx([0, 0, 0, 0.4, 0.6, 0])
    assert data[1][1] == [1, 0, 0, 0, 0, 0] and data[2][1] == [0, 0, 0, 0, 0, 1]
    c = classifier.Classifier(model, "similarity", 6, dropout=0.0).eval()
    assert torch.isfinite(c.losses(*batches.collate(data), 0.5)[0])
    probs = [label for _, label in data]
    assert finetune.scores(task, probs, examples)["pearson"] == pytest.approx(1)
    bad = [tasks.Example(("good", "film"), 5.5)]
    with pytest.raises(ValueError, match="grade 5.5 is not in 0 to 5"):
        batches.prepare(BPE_SMALL, task, bad, 24)


def test_a_perfect_prediction_of_any_grade_counts_as_right():
    grades = (0.5, 1.5, 2.5, 3.5, 4.5, 3.6, 0.0, 5.0)
    examples = [tasks.Example(("good film", "fine film"), grade) for grade in grades]
    task = tasks.Task("graded", "similarity", 6, examples, [], examples, graded=True)
    probs = [batches.graded_target(grade) for grade in grades]
    assert finetune.scores(task, probs, examples)["accuracy"] == 1


def test_choices_must_be_as_many_as_the_task_has(model):
    examples = [tasks.Example(("so", *["good", "bad"] * n), 0) for n in (1, 2)]
    task = tasks.Task("mixed", "choice", 3, examples, [], [])
    with pytest.raises(ValueError, match="example 1: there are 2 choices, the task has 3"):
        batches.prepare(BPE_SMALL, task, examples, 24)
    with pytest.raises(ValueError, match="there are 2 choices, the task has 3"):
        three = classifier.Classifier(model, "choice", 3)
        finetune.class_probs(three, BPE_SMALL, "so", "good", "bad")


def test_groups_are_scored_apart():
    examples = [tasks.Example(("a", "b"), y, g) for y, g in ((0, "x"), (1, "x"), (2, "y"))]
    task = tasks.Task("t", "entailment", 3, [], [], examples)
    found = finetune.scores(task, [[1, 0, 0], [1, 0, 0], [0, 0, 1]], examples)
    assert found["groups"]["x"]["accuracy"] == 0.5
    assert found["groups"]["y"]["accuracy"] == 1.0


def test_an_lstm_can_be_fine_tuned():
    torch.manual_seed(0)
    lstm = kinds.build("lstm", g.GPTConfig(BPE_SMALL.n_vocab, 24, 2, 2, 16, 0.0))
    with torch.no_grad():
        lstm.tokens.weight.mul_(20)  # as large as after pre-training
    source = checkpoint.Checkpoint(lstm, BPE_SMALL, {}, None)
    settings = finetune.Settings(epochs=20, batch=8, lr=1e-2)
    run = finetune.FineTuning(source, toy_task(), settings)
    model, log = run.run(quiet=True), run.log
    assert log[-1]["task"] < 0.1 < log[0]["task"]
    assert classifier.class_probs(model, BPE_SMALL, "a fine good film")[1] > 0.9


def test_errors_reach_the_shell_as_one_line(toy):
    for more, message in (
        (["--lm-coef", "-1"], "lambda"),
        (["--limit", "0"], "limit is 0"),
        (["--data", "nowhere"], "no published set 'toy'"),
    ):
        with pytest.raises(SystemExit, match=message):
            main([*toy, *more])


def test_a_batch_is_drawn_without_a_look_at_length():
    """Where length goes with the label, a batch of similar length would have one."""
    data = [([[0] * (10 + label)], label) for label in (0, 1)] * 200
    mixed = [
        len({label for _, label in batch})
        for batch in batches.shuffled(data, 8, random.Random(0))
    ]
    assert len(mixed) == 50 and mixed.count(2) > 45  # one in 128 is of one class
    drawn = [x for batch in batches.shuffled(data, 7, random.Random(0)) for x in batch]
    assert sorted(drawn) == sorted(data) and drawn != data
    encoded = [batches.Encoded(*item) for item in data]
    order = [i for batch in batches.of_similar_length(encoded, 8) for i in batch]
    lengths = [len(data[i][0][0]) for i in order]
    assert sorted(order) == list(range(len(data)))
    assert lengths == sorted(lengths)


@pytest.mark.parametrize(
    ("kind", "texts", "n_ctx"),
    [
        ("classification", ("a good film",), None),
        ("entailment", ("a fine film and the plot is thin", "dull"), None),
        ("similarity", ("film", "a bad film and a dull plot"), None),
        ("choice", ("film", "good", "a bad dull film"), None),
        ("entailment", ("a fine film and a bad dull film the plot is thin", "bad"), 24),
    ],
)
def test_a_smaller_context_cuts_no_text_again(model, kind, texts, n_ctx):
    """As in train.py, which cuts by the context of pre-training and then shrinks it."""
    task = tasks.Task("toy", kind, 2, [tasks.Example(texts, 0)], [], [], ("no", "yes"))
    source = checkpoint.Checkpoint(model, BPE_SMALL, {}, None)
    fitting = finetune.fit_context(source, task).model
    small = fitting.config.n_ctx
    assert fitting.training == model.training, "the same model is in the same mode"
    before, after = (inputs.to_sequences(BPE_SMALL, kind, texts, n) for n in (24, small))
    assert after == before
    assert small == n_ctx or n_ctx is None and small < 24
    assert inputs.to_sequences(BPE_SMALL, kind, texts, small - 2) != before


# ---- what a stored run is bound to ------------------------------------------------------


def test_a_finished_run_is_not_taken_for_one_of_corrected_labels(toy, monkeypatch, capsys):
    main([*toy, "--epochs", "1"])
    task = toy_task()
    first = replace(task.train[0], label=1 - task.train[0].label)
    corrected = replace(task, train=[first, *task.train[1:]])
    monkeypatch.setitem(tasks.TASKS_BY_NAME, "toy", lambda: corrected)
    with pytest.raises(SystemExit, match="finished run with other settings: data was"):
        main([*toy, "--epochs", "1"])


def test_a_classifier_cuts_texts_as_it_did_when_it_was_trained(model, tmp_path):
    as_openai = BPE(BPE_SMALL.encoder, BPE_SMALL.merges, pre_tokenize=text.released_words)
    c = classifier.Classifier(model, "classification", 2)
    for bpe, pipeline in ((BPE_SMALL, "fallback"), (as_openai, "released")):
        classifier.save(tmp_path, c, bpe, toy_task())
        stored = json.loads((tmp_path / "classifier.json").read_text(encoding="utf-8"))
        assert stored["pipeline"] == pipeline == classifier.load(tmp_path)[1].pipeline
        checkpoint.save_ours(tmp_path / pipeline, model, bpe)
        assert checkpoint.load_ours(tmp_path / pipeline).bpe.pipeline == pipeline


def test_a_text_that_is_cut_is_told(model):
    c = classifier.Classifier(model, "classification", 2).eval()
    with pytest.warns(UserWarning, match="the end is cut, the classifier reads 24 tokens"):
        classifier.class_probs(c, BPE_SMALL, "a good film " * 20)


def test_more_classes_than_the_file_can_hold_are_refused(model, tmp_path):
    classifier.save(
        tmp_path, classifier.Classifier(model, "classification", 2), BPE_SMALL, toy_task()
    )
    path = tmp_path / "classifier.json"
    path.write_text(path.read_text().replace('"n_classes": 2', '"n_classes": 30000000'))
    (tmp_path / "checksums.json").unlink()
    with pytest.raises(ValueError, match="classifier.json: n_classes is 30000000, more than"):
        classifier.load(tmp_path)


def test_ctrl_c_while_the_state_is_not_written_waits_for_the_next_update(
    model, monkeypatch, tmp_path
):
    """Asked once for each update: what says to stop is what says to save."""
    answers, saved = iter([False, True, True]), []

    @contextmanager
    def asked(**_):
        yield lambda: next(answers)

    monkeypatch.setattr(trainer, "interrupted_between_steps", asked)
    run = finetune.FineTuning(
        checkpoint.Checkpoint(model, BPE_SMALL, {}, Path()), toy_task(), finetune.Settings()
    )
    monkeypatch.setattr(run, "save_state", lambda _: saved.append(run.update))
    with pytest.raises(KeyboardInterrupt):
        run.run(RunFolder(tmp_path, counter="update"), quiet=True)
    assert saved == [2] and len(run.log) == 2
