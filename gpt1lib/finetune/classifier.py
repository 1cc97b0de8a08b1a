"""A pre-trained model with a linear layer on Extract: Eq. 3, for every kind of task.

Like the released code, and unlike Eq. 3, our linear layer has a bias. The released
language-model softmax also runs over the positions, which are in the same table there; ours
runs over tokens and specials. There all choices of an example share one dropout mask; here
each has its own.
"""

import warnings
from dataclasses import asdict, replace
from itertools import chain
from pathlib import Path

import torch
from torch import Tensor, nn

from .. import inputs, losses, text
from ..bpe import BPE
from ..checkpoints import checkpoint, kinds
from ..config import INIT_STD, MAX_SIZES, GPTConfig
from ..fast.distributed import SINGLE, Processes
from ..fast.loss import chunked_padded_loss
from ..io import checksums, files
from ..model import Attention, LanguageModel
from ..rng import eval_mode, fork_rng
from ..tasks import Task
from ..tasks.task import check_kind
from .data import Encoded, check_choices, collate, of_similar_length


def add_special_tokens(
    model: LanguageModel, generator: torch.Generator | None = None
) -> LanguageModel:
    """The same model with three more rows of W_e, random, with the others' standard deviation.

    train.py draws them from N(0, 0.02), like all weights. A pre-trained W_e has grown
    (ours to a standard deviation of 0.07): next to it such rows are nearly zero, and our
    small sets, with a few hundred updates, are over before Extract differs from them.
    """
    n_new = len(inputs.SPECIALS)
    config = replace(model.config, n_vocab=model.config.n_vocab + n_new)
    larger = type(model)(config).to(model.device)
    state = model.state_dict()
    for name in [k for k in state if k in ("tokens.weight", "output.weight")]:
        rows = torch.randn(n_new, config.n_embd, generator=generator).to(model.device)
        state[name] = torch.cat([state[name], rows * state[name].std()])
    larger.load_state_dict(state)
    return larger


def set_dropout(model: LanguageModel, rate: float) -> None:
    """Give every dropout of a model this rate."""
    model.config = replace(model.config, dropout=rate)
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.p = rate
        elif isinstance(module, Attention):
            module.dropout = rate


class Classifier(nn.Module):
    """A pre-trained language model with three special tokens and a linear layer.

    kind: classification and entailment (n_classes logits), similarity (the two Extract
    vectors are added, then one layer), choice (a scalar per sequence, softmax over choices).
    """

    def __init__(self, model: LanguageModel, kind: str, n_classes: int, dropout: float = 0.1):
        super().__init__()
        check_kind(kind, n_classes)
        self.kind, self.n_classes = kind, n_classes
        self.model = add_special_tokens(model)
        self.specials = inputs.Specials.after(model.config.n_vocab)
        set_dropout(self.model, dropout)
        self.drop = nn.Dropout(dropout)
        n_out = 1 if kind == "choice" else n_classes
        self.head = nn.Linear(model.config.n_embd, n_out)
        nn.init.normal_(self.head.weight, std=INIT_STD)
        nn.init.zeros_(self.head.bias)
        self.to(model.device)

    def forward(self, ids: Tensor, extract_at: Tensor) -> tuple[Tensor, Tensor]:
        """Task logits (B, n_classes) and states (N, T, C) of ids (N, T).

        extract_at: the position of Extract in each row, (N,). N is B for classification, 2 B
        for similarity, n_classes B for choice; the sequences of an example stand together.
        """
        h = self.model.hidden(ids)  # (N, T, C)
        extract = h[torch.arange(len(ids)), extract_at]  # (N, C)
        if self.kind == "similarity":
            extract = extract.view(-1, 2, h.shape[-1]).sum(dim=1)  # (B, C)
        logits = self.head(self.drop(extract))  # (B, n_classes), or (N, 1) for choice
        return logits.view(-1, self.n_classes), h  # (B, n_classes), (N, T, C)

    def losses(
        self, ids: Tensor, mask: Tensor, extract_at: Tensor, labels: Tensor, lm_coef: float
    ) -> tuple[Tensor, Tensor, Tensor | None]:
        """-L3 on one batch, and its parts: task loss, and language-model loss or None.

        ids, mask: (N, T); extract_at: (N,); labels: (B,) classes, or (B, grades)
        distributions. `data.collate` makes all four.
        """
        task_logits, h = self(ids, extract_at)
        task = losses.task_loss(task_logits, labels)
        if lm_coef == 0:
            return task, task, None  # the softmax over all tokens would cost time for nothing
        if torch.is_autocast_enabled(ids.device.type):
            lm = losses.lm_loss(self.model.logits(h).float(), ids, mask)
        else:  # the same number, faster
            lm = chunked_padded_loss(h, self.model.output_matrix, ids, mask)
        return losses.combined_loss(task, lm, lm_coef), task, lm


@torch.no_grad()
def predict_probs(
    classifier: Classifier, data: list[Encoded], batch: int = 64, world: Processes = SINGLE
) -> list[list[float]]:
    """Probabilities of the classes for each item of `data`, in its order."""

    def rows(part: list[int]) -> list[tuple[int, list[float]]]:
        ids, _, extract_at, _ = collate([data[i] for i in part], classifier.model.device)
        probs = classifier(ids, extract_at)[0].softmax(dim=-1)  # (B, n_classes)
        return list(zip(part, probs.tolist(), strict=True))

    with eval_mode(classifier):
        probs = dict(chain(*world.share(rows, of_similar_length(data, batch))))
    return [probs[i] for i in range(len(data))]


def class_probs(classifier: Classifier, bpe: BPE, *texts: str) -> list[float]:
    """Probabilities of the classes for one example given as text."""
    n_ctx = classifier.model.config.n_ctx
    sequences = inputs.to_sequences(bpe, classifier.kind, texts, n_ctx)
    check_choices(sequences, classifier.kind, classifier.n_classes)
    if sequences != inputs.to_sequences(bpe, classifier.kind, texts, MAX_SIZES["n_ctx"]):
        warnings.warn(f"the end is cut, the classifier reads {n_ctx} tokens", stacklevel=2)
    return predict_probs(classifier, [Encoded(sequences, 0)])[0]


FILES = ("classifier.json", "classifier.safetensors", "encoder.json", "vocab.bpe")


def save(folder: Path, classifier: Classifier, bpe: BPE, task: Task) -> None:
    """Weights, vocabulary, and what else `load` needs."""
    metadata = {
        "task": task.name,
        "kind": task.kind,
        "n_classes": task.n_classes,
        "classes": task.classes,
        "model": kinds.kind_of(classifier.model),
        "config": asdict(classifier.model.config),
        "pipeline": bpe.pipeline,
    }
    checkpoint.save_weights(folder / "classifier.safetensors", classifier)
    bpe.save(folder)
    files.write_json(folder / "classifier.json", metadata)
    checksums.write_checksums(folder, *FILES)


def load(folder: str | Path) -> tuple[Classifier, BPE, dict]:
    """(classifier in eval mode, its tokenizer, its metadata) from a fine-tuning folder.

    Raises FileNotFoundError where no classifier was written, ValueError for a damaged file.
    """
    folder = Path(folder)
    if not (folder / "classifier.json").is_file():
        raise FileNotFoundError(
            f"{folder} has no classifier; `python -m gpt1lib.finetune` makes one"
        )
    checksums.verify(folder, *FILES)
    weights, metadata = folder / FILES[1], files.read_json(folder / FILES[0])
    with files.blame_file(folder / "classifier.json"):
        sizes = metadata["config"]
        pre_tokenize = text.PIPELINES[metadata.get("pipeline", "fallback")]
    bpe = BPE.load(folder, pre_tokenize=pre_tokenize)
    with files.blame_file(folder / "classifier.json"), fork_rng(0):  # its numbers are replaced
        config = GPTConfig(**sizes)
        if bpe.n_vocab != config.n_vocab - len(inputs.SPECIALS):  # without the special tokens
            raise ValueError(f"n_vocab is {config.n_vocab}, the vocabulary has {bpe.n_vocab}")
        bare = {**asdict(config), "n_vocab": bpe.n_vocab, "kind": metadata["model"]}
        if metadata["n_classes"] * config.n_embd > weights.stat().st_size:  # before it's made
            raise ValueError(f"n_classes is {metadata['n_classes']}, more than {weights} has")
        model = checkpoint.read_model(folder / "classifier.json", bare, weights)
        classifier = Classifier(model, metadata["kind"], metadata["n_classes"], config.dropout)
        if len(metadata["classes"]) not in (0, metadata["n_classes"]):
            raise ValueError(
                f"classes are {metadata['classes']}, n_classes {metadata['n_classes']}"
            )
    checkpoint.load_weights(weights, classifier)
    return classifier.eval(), bpe, metadata
