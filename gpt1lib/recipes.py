"""How to pre-train: every option in one record, and four recipes by name.

A recipe can come from its name, from a TOML file, from the command line, or from all
three, each overriding the one before:

    recipe = "tiny"        # start from this one
    steps = 500
    [model]
    n_layer = 3
"""

import argparse
import tomllib
from dataclasses import Field, asdict, dataclass, field, fields, replace
from pathlib import Path

from . import optim
from .config import GPT1, KINDS, NOVELIST, TINY, GPTConfig

SIZES = {
    "n_ctx": "longest sequence, in tokens",
    "n_layer": "blocks",
    "n_head": "attention heads a block",
    "n_embd": "width of a state",
    "dropout": "share of numbers set to 0 while training",
    "tied": "the output matrix is the token embedding",
}
"""The sizes that can be chosen; n_vocab follows from n_merges and the books."""


def _option(default, text: str, changes_result: bool = True):
    return field(default=default, metadata={"help": text, "changes_result": changes_result})


@dataclass(frozen=True)
class Recipe:
    """How to pre-train one model; the defaults are GPT-1's (section 4.1).

    Raises ValueError where a value makes no run, and names it.
    """

    model: GPTConfig = _option(GPT1, "sizes of the model")
    kind: str = _option("gpt", f"what to train: {', '.join(KINDS)}")
    n_merges: int = _option(40_000, "BPE merges to learn from the books")
    batch: int = _option(64, "windows an update, all processes together")
    short_ctx: int = _option(0, "tokens a window at first; 0: n_ctx throughout")
    short: float = _option(0.0, "share of the run that has windows of short_ctx")
    steps: int = _option(1_000_000, "updates; the paper's Figure 2 ends here")
    block_std: float = _option(0.02, "spread of the initial weights in the blocks")
    lr: float = _option(2.5e-4, "highest learning rate")
    matrix_lr: float = _option(0.0, "Muon's highest rate, in the blocks; 0: Adam there")
    warmup: int = _option(2000, "updates with a rising learning rate")
    fall: float = _option(0.0, "share at the end with a rate falling in a line; 0: cosine")
    betas: tuple[float, float] = _option((0.9, 0.999), "Adam's two averages")
    weight_decay: float = _option(0.01, "on all weights but biases and gains")
    clip: float = _option(1.0, "largest norm of a gradient (released code)")
    seed: int = _option(0, "everything random follows from it")
    bf16: bool = _option(False, "16-bit arithmetic where the GPU has it")
    half: bool = _option(False, "store the finished weights in 16 bits")
    snapshots: int = _option(0, "stages kept, each twice as far; the last: the checkpoint")
    accumulate: int = _option(1, "parts a batch is computed in, to save memory", False)
    recompute: bool = _option(False, "recompute activations, to save memory", False)
    compile: bool = _option(False, "compile the model (torch.compile)", False)
    shard: bool = _option(False, "split the model over the processes (FSDP2)", False)
    evaluate_every: int = _option(10_000, "updates between held-out scores", False)
    sample_every: int = _option(10_000, "updates between written samples", False)
    save_every: int = _option(1_000, "updates between saved states", False)

    def __post_init__(self):
        object.__setattr__(self, "betas", tuple(self.betas))
        for name in (
            "n_merges",
            "batch",
            "steps",
            "accumulate",
            "evaluate_every",
            "sample_every",
            "save_every",
        ):
            self._need(name, getattr(self, name) >= 1, ">= 1")
        for name in ("matrix_lr", "warmup", "weight_decay", "snapshots"):
            self._need(name, getattr(self, name) >= 0, ">= 0")
        for name in ("lr", "clip", "block_std"):
            self._need(name, getattr(self, name) > 0, "> 0")
        self._need("warmup", self.warmup <= self.steps, f"<= steps, {self.steps}")
        self._need("kind", self.kind in KINDS, f"one of {KINDS}")
        self._need("fall", 0 <= self.fall <= 1, "a share, 0 to 1")
        self._need("short", 0 <= self.short <= 1, "a share, 0 to 1")
        whole = self.short_ctx >= 0 and self.model.n_ctx % (self.short_ctx or 1) == 0
        self._need("short_ctx", whole, f"a divisor of n_ctx, {self.model.n_ctx}, or 0")
        self._need(
            "betas",
            len(self.betas) == 2 and all(0 <= b < 1 for b in self.betas),
            "two numbers in [0, 1)",
        )

    def _need(self, name: str, holds: bool, what: str) -> None:
        if not holds:
            raise ValueError(f"{name} is {getattr(self, name)!r}, it must be {what}")

    def windows_at(self, step: int) -> tuple[int, int]:
        """Windows and tokens a window in the update after `step` updates.

        Short windows come in greater number: each update reads equally many tokens.
        """
        if self.short_ctx and step < self.short * self.steps:
            return self.batch * self.model.n_ctx // self.short_ctx, self.short_ctx
        return self.batch, self.model.n_ctx

    def rate_at(self, step: int) -> float:
        """Share of the highest learning rates in the update after `step` updates."""
        if self.fall:
            return optim.warmup_flat(step, self.warmup, self.steps, self.fall)
        return optim.warmup_cosine(step, self.warmup, self.steps)

    def method(self) -> dict:
        """The options that change what is learned; a resumed run must share them."""
        return {k: v for k, v in asdict(self).items() if _changes(k)}


def _changes(name: str) -> bool:
    return Recipe.__dataclass_fields__[name].metadata["changes_result"]


RECIPES = {
    "gpt1": Recipe(),
    # A model of 5 million parameters takes larger steps than one of 117 million, on far
    # smaller batches. block_std: see pretrain.scale_blocks.
    "novelist": Recipe(NOVELIST, n_merges=8000, batch=8, steps=8000, block_std=0.04,
                       lr=1e-3, warmup=200, betas=(0.9, 0.99), half=True, snapshots=10,
                       evaluate_every=500, sample_every=1000, save_every=100),
    # The best after minutes (benchmarks/recipe_trials.py); not GPT-1's method.
    "quick": Recipe(NOVELIST, n_merges=8000, batch=6, short_ctx=128, short=0.6,
                    steps=1500, block_std=0.04, lr=4e-3, matrix_lr=4e-3, warmup=75,
                    fall=0.6, betas=(0.9, 0.99), half=True, evaluate_every=250,
                    sample_every=500, save_every=100),
    "tiny": Recipe(TINY, n_merges=400, batch=16, steps=200, lr=3e-3, warmup=20,
                   evaluate_every=100, sample_every=100, save_every=100),
}  # fmt: skip


# ---- from a file and from the command line -------------------------------------------


def merged(recipe: Recipe, given: dict) -> Recipe:
    """A recipe with some values replaced; `model` may be a dict of some sizes.

    Raises ValueError for a name that is no option, TypeError for a value of another
    kind.
    """
    known = {f.name: f for f in fields(Recipe)}
    unknown = sorted(set(given) - known.keys())
    if unknown:
        raise ValueError(f"unknown options {unknown}, known: {sorted(known)}")
    given = dict(given)
    if "model" in given:
        sizes = {**asdict(recipe.model), **given["model"]}
        given["model"] = GPTConfig.from_dict(sizes)
    for name, value in given.items():
        given[name] = _of_kind(name, value, getattr(Recipe(), name))
    if given.get("steps", recipe.steps) < given.get("warmup", recipe.warmup):
        # a run cut short warms up over a tenth of it
        given.setdefault("warmup", given["steps"] // 10)
    return replace(recipe, **given)


def _of_kind(name: str, value, example):
    kind = type(example)
    if kind is float and type(value) is int:
        return float(value)
    if kind is tuple and isinstance(value, list):
        return tuple(value)
    if type(value) is not kind:
        raise TypeError(f"{name} is {value!r}, it must be of kind {kind.__name__}")
    return value


def read_toml(path: str | Path) -> Recipe:
    """A recipe from a TOML file; its `recipe` names the one to start from (gpt1)."""
    try:
        given = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{path} is no TOML file: {error}") from error
    name = given.pop("recipe", "gpt1")
    if name not in RECIPES:
        raise ValueError(f"unknown recipe {name!r}, known: {sorted(RECIPES)}")
    try:
        return merged(RECIPES[name], given)
    except (ValueError, TypeError) as error:
        raise ValueError(f"{path}: {error}") from error


def add_options(parser: argparse.ArgumentParser) -> None:
    """Give a parser --recipe, --config and one option for each field."""
    parser.add_argument("--recipe", choices=RECIPES, help="start from this recipe")
    parser.add_argument("--config", type=Path, help="a TOML file with a recipe")
    group = parser.add_argument_group("how to train")
    for f in fields(Recipe):
        if f.name != "model":
            _add_option(group, f, f.metadata["help"])
    group = parser.add_argument_group("sizes of the model")
    for f in fields(GPTConfig):
        if f.name in SIZES:
            _add_option(group, f, SIZES[f.name])


def _add_option(group, f: Field, text: str) -> None:
    name, text = "--" + f.name.replace("_", "-"), f"{text} (GPT-1: {f.default})"
    if isinstance(f.default, bool):
        kind = {"action": argparse.BooleanOptionalAction}
    elif isinstance(f.default, tuple):
        kind = {"type": float, "nargs": len(f.default)}
    else:
        kind = {"type": type(f.default)}
    group.add_argument(name, help=text, default=None, **kind)


def from_options(args: argparse.Namespace) -> Recipe:
    """The recipe that parsed options describe; 'tiny' where none is named."""
    if args.recipe and args.config:
        raise ValueError("give --recipe or --config, not both")
    base = read_toml(args.config) if args.config else RECIPES[args.recipe or "tiny"]
    given = {k: v for k, v in vars(args).items() if v is not None}
    sizes = SIZES.keys() & given.keys()
    options = {k: v for k, v in given.items() if k in Recipe.__dataclass_fields__}
    if sizes:
        options["model"] = {k: given[k] for k in sizes}
    if "betas" in options:
        options["betas"] = tuple(options["betas"])
    return merged(base, options)
