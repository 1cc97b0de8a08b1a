"""Learn what fine-tuning adds, and nothing else: a linear layer and three special tokens.

    python -m tools.task_layers [KIND ...]

For a task of each kind, on the frozen novelist: its own weights stay as they are, so that all
that is learned is a few hundred numbers for the linear layer and the 768 of the three new rows
of W_e. By the loss of the task alone, Eq. 3: the language model could not change anyway.
Nothing is chosen on the test sets. It takes about a quarter of an hour on one core. Writes
data/checkpoints/task_layers, which FormatsExplorer reads; kinds that are not named stay.
"""

import argparse
from dataclasses import asdict, replace

import torch

from gpt1course.viz import task_layers
from gpt1lib import inputs, load_novelist, metrics, tasks
from gpt1lib.checkpoints import Checkpoint
from gpt1lib.finetune import Classifier, FineTuning, Settings, fit_context, predict_probs
from gpt1lib.io.provenance import provenance
from gpt1lib.io.tensors import weights_fingerprint

SETS = {
    "classification": "question_or_statement",
    "entailment": "he_or_she",
    "similarity": "past_or_present",
    "choice": "missing_word",
}
SETTINGS = Settings(
    epochs=3,
    batch=16,
    lr=0.01,
    warmup=0.05,
    lm_coef=0.0,
    dropout=0.0,
    weight_decay=0.0,
    method="frozen",
)
OWN = {  # fewer labels in more passes; of five rows for each label the shorter ones
    "entailment": {"epochs": 5},
    "similarity": {"epochs": 4},
    "choice": {"longest": 60, "batch": 8},
}


class AddedOnly(FineTuning):
    """Fine-tuning in which the linear layer learns, and the rows of the special tokens."""

    @property
    def table(self) -> torch.Tensor:
        """W_e, whose last rows are those of the special tokens."""
        return self.classifier.model.tokens.weight

    def backward(self, batch: list) -> list[float]:
        """The gradients of a batch; of W_e those of the new rows alone."""
        self.table.requires_grad_(True)
        losses = super().backward(batch)
        self.table.grad[: -len(inputs.SPECIALS)] = 0
        return losses


def layer_of(kind: str, source: Checkpoint) -> task_layers.TaskLayer:
    """Learn the layer of one kind, and score it on the test set."""
    task = tasks.load(SETS[kind])
    settings = replace(SETTINGS, **OWN.get(kind, {}))
    run = AddedOnly(fit_context(source, task), task, settings)
    run.run()
    layer = task_layers.of_classifier(run.classifier, {})
    layer.facts.update(
        task=task.name,
        classes=list(task.classes),
        labels=len(run.examples),
        valid=metrics.rounded(run.best["score"]),
        test=test_scores(run, layer, task),
        settings=asdict(settings),
        **provenance(f"python -m tools.task_layers {kind}"),
    )
    return layer


def test_scores(run: AddedOnly, layer: task_layers.TaskLayer, task: tasks.Task) -> dict:
    """Accuracy on the test set with the layer as it is stored."""
    classifier: Classifier = run.classifier
    with torch.no_grad():
        classifier.model.tokens.weight[-len(inputs.SPECIALS) :] = layer.specials
        classifier.head.weight.copy_(layer.weight)
        classifier.head.bias.copy_(layer.bias)
    guesses = metrics.argmax(predict_probs(classifier, run.encoded.split("test")))
    return metrics.rounded(metrics.accuracy(guesses, [int(e.label) for e in task.test]))


def main(kinds: list[str]) -> None:
    """Learn the layers of these kinds, all of them by default."""
    novelist = load_novelist()
    layers = task_layers.load(novelist.model)
    facts = {"model": weights_fingerprint(novelist.model)}
    for kind in kinds or SETS:
        layers[kind] = layer_of(kind, novelist)
        ordered = {k: layers[k] for k in SETS if k in layers}
        task_layers.save(task_layers.FOLDER, ordered, facts)
        print(
            f"{kind}: {layers[kind].facts['test']['accuracy']:.1%} on the test set", flush=True
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=f"of {', '.join(SETS)}")
    args = parser.parse_args()
    if unknown := {*args.kinds} - {*SETS}:
        parser.error(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(SETS)}")
    main(args.kinds)
