"""Explorers: arrays computed once in Python, moved and drawn in the browser.

Each is an anywidget of one class and one plain ES module. Shown in a notebook it gives
two outputs: a static picture with alt text, which every viewer can show, and the live
view, which hides the picture where it runs.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

import anywidget
import numpy as np
import traitlets
from IPython.display import display
from matplotlib.figure import Figure

from .. import plots
from ..figure import picture
from ..labels import readable, token_labels

HERE = Path(__file__).parent
CSS = (HERE / "common.css").read_text(encoding="utf-8")
COMMON = (HERE / "common.js").read_text(encoding="utf-8")


def script(name: str) -> str:
    """The code of an explorer: the shared part, then its own."""
    return COMMON + "\n" + (HERE / f"{name}.js").read_text(encoding="utf-8")


def module(name: str) -> str:
    """The ES module of an explorer, as anywidget wants it."""
    return script(name) + "\nexport default start(draw);\n"


def as_bytes(values) -> bytes:
    """Little-endian float32, as the browser reads it."""
    return np.ascontiguousarray(values, dtype="<f4").tobytes()


class Explorer(anywidget.AnyWidget):
    """What all explorers share: a picture, a sentence, and how they are shown."""

    _css = CSS

    def sentence(self) -> str:
        """What is to be seen, from the data."""
        raise TypeError(f"{type(self).__name__} does not describe itself")

    def figure(self) -> Figure:
        """The static picture."""
        raise TypeError(f"{type(self).__name__} draws no picture")

    def __repr__(self) -> str:
        return f"{type(self).__name__}: {self.sentence()}"

    def _ipython_display_(self) -> None:
        static = picture(self.figure(), self.sentence())
        static["text/html"] = static["text/html"].replace(
            "<figure", "<figure data-static"
        )
        display(static, raw=True)
        bundle = self._repr_mimebundle_()
        data = dict(bundle[0] if isinstance(bundle, tuple) else bundle)
        data["text/plain"] = "Live view: run this cell."
        display(data, raw=True)


class AttentionExplorer(Explorer):
    """Attention weights (L, H, T, T) of a trained model over T tokens, all heads.

    Traits: head (layer * H + head) and row, the token whose weights are listed.
    """

    name = "attention"
    _esm = module(name)
    data = traitlets.Bytes().tag(sync=True)
    tokens = traitlets.List(traitlets.Unicode()).tag(sync=True)
    n_layer = traitlets.Int().tag(sync=True)
    n_head = traitlets.Int().tag(sync=True)
    head = traitlets.Int(0).tag(sync=True)
    row = traitlets.Int(0).tag(sync=True)

    def __init__(self, weights, tokens: Sequence[str], head: int = 0, row: int = -1):
        weights = plots.as_matrix(weights, "weights", 4)
        n_layer, n_head, n_tokens, _ = weights.shape
        if weights.shape[2:] != (len(tokens), len(tokens)):
            raise ValueError(
                f"weights are {weights.shape}, there are {len(tokens)} tokens"
            )
        if not 0 <= head < n_layer * n_head:
            raise ValueError(f"head is {head}, there are {n_layer * n_head} heads")
        self.weights = weights
        super().__init__(data=as_bytes(weights), tokens=list(tokens), n_layer=n_layer,
                         n_head=n_head, head=head, row=row % n_tokens)  # fmt: skip

    def sentence(self) -> str:
        layer, head = divmod(self.head, self.n_head)
        row = self.weights[layer, head, self.row]
        best = int(row.argmax())
        names = token_labels(self.tokens)
        return (
            f"Attention of {self.n_layer} layers x {self.n_head} heads over "
            f"{len(names)} tokens. In layer {layer}, head {head}, '{names[self.row]}' "
            f"attends {row[best]:.0%} to '{names[best]}'."
        )

    def figure(self) -> Figure:
        return plots.head_grid(self.weights, "All heads; row: from, column: to")


MASKS = ("correct", "none", "ahead", "strict", "after")


def masked_steps(scores, kind: str = "correct") -> tuple[np.ndarray, np.ndarray]:
    """Masked scores and weights (T, T) under a right mask or a wrong one.

    kind: correct; none; ahead (sees one token ahead); strict (hides itself, so the
    first row is nan); after (0 after the softmax, rows do not sum to 1).
    """
    if kind not in MASKS:
        raise ValueError(f"mask {kind!r} is unknown, there are {', '.join(MASKS)}")
    scores = plots.as_matrix(scores, "scores")
    shift = {"correct": 0, "none": len(scores), "ahead": 1, "strict": -1, "after": 0}
    seen = np.tril(np.ones(scores.shape, bool), shift[kind])
    masked = scores if kind == "after" else np.where(seen, scores, -np.inf)
    with np.errstate(invalid="ignore"):
        powers = np.exp(masked - masked.max(axis=1, keepdims=True))
    weights = powers / powers.sum(axis=1, keepdims=True)
    return masked, np.where(seen, weights, 0.0) if kind == "after" else weights


class MaskExplorer(Explorer):
    """Scores, mask and softmax on a few tokens, with the masks people get wrong.

    scores: (T, T), editable in the browser. Traits: kind (see `masked_steps`), and
    step (0 to 2).
    """

    name = "mask"
    _esm = module(name)
    scores = traitlets.List().tag(sync=True)
    tokens = traitlets.List(traitlets.Unicode()).tag(sync=True)
    kind = traitlets.Enum(MASKS, "correct").tag(sync=True)
    step = traitlets.Int(0, min=0, max=2).tag(sync=True)

    def __init__(self, scores, tokens: Sequence[str], kind="correct", step: int = 2):
        scores = plots.as_matrix(scores, "scores")
        if scores.shape != (len(tokens), len(tokens)):
            raise ValueError(
                f"scores are {scores.shape}, there are {len(tokens)} tokens"
            )
        super().__init__(
            scores=scores.tolist(), tokens=list(tokens), kind=kind, step=step
        )

    def sentence(self) -> str:
        weights = masked_steps(self.scores, self.kind)[1]
        last = token_labels(self.tokens)[-1]
        return (
            f"Scores, masked scores and weights of {len(self.tokens)} tokens with the "
            f"mask '{self.kind}'; the last row, '{last}', has the weights "
            + ", ".join(f"{w:.2f}" for w in weights[-1])
            + "."
        )

    def figure(self) -> Figure:
        scores = np.array(self.scores)
        masked, weights = masked_steps(scores, self.kind)
        hidden = {"masked scores": np.isinf(masked), "weights": ~(weights > 0)}
        top = float(np.abs(scores).max()) or 1.0
        panels = {"scores": scores, "masked scores": masked}
        panels["weights"] = np.nan_to_num(weights)
        ranges = {"scores": (-top, top), "masked scores": (-top, top)}
        names = token_labels(self.tokens)
        return plots.heatmaps(panels, names, names, hidden, ranges=ranges)


class SamplingExplorer(Explorer):
    """A next-token distribution under temperature, top-k and top-p, in this order.

    logits: (V,), words: V pieces. predict: text -> logits (V,) makes the prompt
    editable. Traits: temperature (0 is greedy), top_k (0 is off), top_p (1 is off).
    """

    name = "sampling"
    _esm = module(name)
    data = traitlets.Bytes().tag(sync=True)
    words = traitlets.List(traitlets.Unicode()).tag(sync=True)
    prompt = traitlets.Unicode("").tag(sync=True)
    message = traitlets.Unicode("").tag(sync=True)
    editable = traitlets.Bool(False).tag(sync=True)
    joined = traitlets.Bool(False).tag(sync=True)
    temperature = traitlets.Float(1.0, min=0.0, max=2.5).tag(sync=True)
    top_k = traitlets.Int(0, min=0, max=100).tag(sync=True)
    top_p = traitlets.Float(1.0, min=0.05, max=1.0).tag(sync=True)

    def __init__(
        self,
        logits,
        words: Sequence[str],
        prompt: str = "",
        predict: Callable | None = None,
        **traits,
    ):
        self.logits = plots.as_matrix(logits, "logits", 1)
        if len(words) != len(self.logits):
            raise ValueError(f"{len(words)} words for {len(self.logits)} logits")
        self.predict = predict
        super().__init__(data=as_bytes(self.logits), words=list(words), prompt=prompt,
                         editable=predict is not None, **traits)  # fmt: skip
        self.observe(self._read_prompt, "prompt")

    def _read_prompt(self, change) -> None:
        if self.predict is None:
            return
        try:
            self.logits = plots.as_matrix(self.predict(change["new"]), "logits", 1)
        except (ValueError, RuntimeError) as error:
            self.message = f"The model can not read this: {error}"
            return
        self.message = "Click a word to append it."
        self.data = as_bytes(self.logits)

    def distribution(self) -> tuple[np.ndarray, np.ndarray]:
        """Probabilities (V,) before and after top-k and top-p, at this temperature."""
        import torch

        from ...decode import next_token_probs

        logits = torch.tensor(self.logits)
        after = next_token_probs(
            logits, self.temperature, self.top_k or None, self.top_p
        )
        return next_token_probs(logits, self.temperature or 1.0).numpy(), after.numpy()

    def sentence(self) -> str:
        _, after = self.distribution()
        best, n_kept = int(after.argmax()), int((after > 0).sum())
        return (
            f"Next-token distribution after '{self.prompt}' at temperature "
            f"{self.temperature:g}: {n_kept:,} of {len(after):,} tokens "
            f"can be drawn, '{readable(self.words[best])}' is likeliest with "
            f"{after[best]:.1%}."
        )

    def figure(self) -> Figure:
        before, after = self.distribution()
        top = np.argsort(-before, kind="stable")[:16]
        n_other = len(after) - len(top)
        other = max(0.0, 1 - after[top].sum()) if n_other else None
        title = f"After '{self.prompt}', temperature {self.temperature:g}"
        words = [self.words[i] for i in top]
        return plots.probabilities(
            words, after[top], before[top], other, n_other, title
        )


class BigramExplorer(Explorer):
    """A table (V, V) of probabilities: row, then what follows it. Trait: row."""

    name = "bigram"
    _esm = module(name)
    data = traitlets.Bytes().tag(sync=True)
    names = traitlets.List(traitlets.Unicode()).tag(sync=True)
    row = traitlets.Int(0).tag(sync=True)

    def __init__(self, probs, names: Sequence[str], row: int = 0):
        self.probs = plots.as_matrix(probs, "probs")
        if self.probs.shape != (len(names), len(names)):
            raise ValueError(
                f"probs are {self.probs.shape}, there are {len(names)} names"
            )
        super().__init__(data=as_bytes(self.probs), names=list(names), row=row)

    def sentence(self) -> str:
        best = int(self.probs[self.row].argmax())
        return (
            f"Table of what follows each of {len(self.names)} signs; after "
            f"'{self.names[self.row]}' most often '{self.names[best]}' "
            f"({self.probs[self.row, best]:.0%})."
        )

    def figure(self) -> Figure:
        return plots.heatmap(self.probs, self.names, self.names, vmax=None,
                             xlabel="next", ylabel="this", numbers=False)  # fmt: skip


def parameter_parts(n_vocab, n_ctx, n_layer, n_embd, tied=True, **_) -> dict[str, int]:
    """Where the parameters of a GPT sit; the sum is all of them."""
    C, L = n_embd, n_layer
    return {
        "token embedding": n_vocab * C,
        "positions": n_ctx * C,
        "attention": L * (4 * C * C + 4 * C),
        "feed-forward": L * (8 * C * C + 5 * C),
        "LayerNorm": L * 4 * C,
        "output matrix": 0 if tied else n_vocab * C,
    }


class ParameterExplorer(Explorer):
    """Sizes to parameter counts, live. configs: name -> dict of a GPTConfig's sizes."""

    name = "parameters"
    _esm = module(name)
    configs = traitlets.Dict().tag(sync=True)

    def __init__(self, configs: dict[str, dict]):
        if not configs:
            raise ValueError(
                "configs is empty, it needs at least one size to start from"
            )
        super().__init__(configs=configs)

    def sentence(self) -> str:
        totals = {
            k: sum(parameter_parts(**c).values()) for k, c in self.configs.items()
        }
        return "Parameters: " + ", ".join(f"{k} {n:,}" for k, n in totals.items()) + "."

    def figure(self) -> Figure:
        name, config = next(iter(self.configs.items()))
        parts = {k: v for k, v in parameter_parts(**config).items() if v}
        return plots.stacked(parts, f"{name}: where the parameters sit")


class TrainingExplorer(Explorer):
    """The curves of a run, a slider over its steps, and what the model wrote there.

    log: lines of a log.jsonl (step, loss, some with heldout); samples: lines of a
    samples.jsonl; references: name -> nats, drawn as level lines. `add` shows one more
    line of a run that is still going on. Traits: chosen (index of a line; -1 is the
    last), unit (nats, bits, perplexity), scale (linear, log).
    """

    name = "training"
    _esm = module(name)
    points = traitlets.List().tag(sync=True)
    heldout = traitlets.List().tag(sync=True)
    samples = traitlets.List().tag(sync=True)
    references = traitlets.Dict().tag(sync=True)
    total = traitlets.Int(0).tag(sync=True)
    chosen = traitlets.Int(-1).tag(sync=True)
    unit = traitlets.Enum(("nats", "bits", "perplexity"), "nats").tag(sync=True)
    scale = traitlets.Enum(("linear", "log"), "linear").tag(sync=True)

    def __init__(self, log=(), samples=(), references=None, total=0, **traits):
        super().__init__(points=[[x["step"], x["loss"]] for x in log],
                         references=references or {}, total=total,
                         **traits)  # fmt: skip
        self.samples = [[x["step"], x["text"]] for x in samples]
        self.heldout = [[x["step"], x["heldout"]] for x in log if "heldout" in x]

    def add(self, line: dict, text: str | None = None) -> None:
        """Draw one more line of the log, with a text that the model writes now."""
        self.points = [*self.points, [line["step"], line["loss"]]]
        if "heldout" in line:
            self.heldout = [*self.heldout, [line["step"], line["heldout"]]]
        if text is not None:
            self.samples = [*self.samples, [line["step"], text]]

    def sentence(self) -> str:
        if not self.points:
            return "A training run that has not begun."
        (first, high), (last, low) = self.points[0], self.points[-1]
        held = f", held out {self.heldout[-1][1]:.2f}" if self.heldout else ""
        return (
            f"Training loss from {high:.2f} nats per token after {first:,} updates to "
            f"{low:.2f} after {last:,}{held}."
        )

    def figure(self) -> Figure:
        series = {"training": np.array(self.points).T} if self.points else {}
        series = {name: tuple(line) for name, line in series.items()}
        for name, nats in self.references.items():
            ends = [self.points[0][0], self.points[-1][0]] if self.points else [0, 1]
            series[name] = (ends, [nats, nats])
        marks = {"held out": self.heldout} if self.heldout else None
        return plots.lines(series, xlabel="updates", ylabel="nats per token",
                           marks=marks)  # fmt: skip
