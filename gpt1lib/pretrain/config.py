"""How to pre-train: every option in one record, and four recipes by name.

A recipe can come from its name, from a TOML file, from the command line, or from all
three, each overriding the one before:

    recipe = "tiny"        # start from this one
    steps = 500
    [model]
    n_layer = 3
"""

import argparse
import math
import tomllib
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

from .. import optim, validate
from ..checkpoints.kinds import MODEL_KINDS
from ..cli import add_options, given_options, option, require
from ..config import GPT1, INIT_STD, NOVELIST, TINY, GPTConfig
from ..io import files

SIZES = {
    "n_ctx": "longest sequence, in tokens",
    "n_layer": "number of blocks",
    "n_head": "attention heads per block",
    "n_embd": "numbers in a state: the width of the model",
    "dropout": "share of numbers set to 0 while training",
    "tied": "use the token embedding as the output matrix",
}
"""The sizes that can be chosen; n_vocab follows from n_merges and the books."""


@dataclass(frozen=True)
class Recipe:
    """How to pre-train one model; the defaults are GPT-1's (section 4.1).

    Raises ValueError where a value makes no run, and names it.
    """

    model: GPTConfig = option(GPT1, "sizes of the model")
    kind: str = option("gpt", "GPT-1, or a model to compare it with", choices=MODEL_KINDS)
    n_merges: int = option(40_000, "BPE merges to learn from the books")
    batch: int = option(64, "windows of text per update, over all processes")
    warmup_ctx: int = option(
        0, "tokens per window in the first part of the run; 0: n_ctx from the start"
    )
    warmup_ctx_share: float = option(0.0, "share of the run with windows that short")
    even_windows: bool = option(
        False, "windows that cover the books evenly; without, they start anywhere by chance"
    )
    steps: int = option(1_000_000, "updates in all; Figure 2 of the paper shows 1,000,000")
    block_std: float = option(INIT_STD, "standard deviation of initial weights in the blocks")
    count_vectors: float = option(
        0.0, "length of embeddings made from counts of neighbors; 0: drawn at random"
    )
    previous_token_heads: bool = option(
        False, "heads of the first block attend to the last few tokens from the start"
    )
    lr: float = option(2.5e-4, "highest learning rate")
    matrix_lr: float = option(
        0.0, "highest rate of MUD, akin to Muon, for the blocks' matrices; 0: Adam trains them"
    )
    matrix_momentum: float = option(0.95, "how slowly MUD's mean of gradients changes")
    warmup: int = option(2000, "first updates, in which the learning rate rises")
    warmdown: float = option(
        0.0, "last share of the run, in which the rate decays linearly; 0: by a cosine"
    )
    betas: tuple[float, float] = option((0.9, 0.999), "how slowly Adam's two averages change")
    weight_decay: float = option(0.01, "decoupled, on all weights but biases and gains")
    grad_clip: float = option(1.0, "scale gradients down to at most this norm (released code)")
    seed: int = option(0, "all random numbers follow from it")
    bf16: bool = option(False, "compute in bfloat16; needs a GPU that can")
    save_fp16: bool = option(False, "store the finished weights in 16 bits")
    snapshots: int = option(
        0, "stages of the model to keep, each after twice as many updates as the one before"
    )
    grad_accum: int = option(1, "parts a batch is computed in", changes_result=False)
    activation_checkpointing: bool = option(
        False, "recompute activations, to save memory", changes_result=False
    )
    compile: bool = option(False, "compile the model (torch.compile)", changes_result=False)
    fsdp: bool = option(False, "split weights over processes (FSDP2)", changes_result=False)
    evaluate_every: int = option(
        10_000, "updates between held-out scores", changes_result=False
    )
    sample_every: int = option(10_000, "updates between sample texts", changes_result=False)
    save_every: int = option(1_000, "updates between saved states", changes_result=False)

    def __post_init__(self):
        validate.check_fields(self)
        validate.check_int("seed", self.seed, 0, validate.MAX_SEED)
        every = ("evaluate_every", "sample_every", "save_every")
        for name in ("n_merges", "batch", "steps", "grad_accum", *every):
            require(self, name, getattr(self, name) >= 1, ">= 1")
        for name in ("count_vectors", "matrix_lr", "warmup", "weight_decay", "snapshots"):
            require(self, name, getattr(self, name) >= 0, ">= 0")
        for name in ("lr", "grad_clip", "block_std"):
            require(self, name, getattr(self, name) > 0, "> 0")
        for name in ("warmdown", "warmup_ctx_share"):
            require(self, name, 0 <= getattr(self, name) <= 1, "a share, 0 to 1")
        require(self, "matrix_momentum", 0 <= self.matrix_momentum < 1, "in [0, 1)")
        require(self, "warmup", self.warmup <= self.steps, f"<= steps, {self.steps}")
        require(self, "kind", self.kind in MODEL_KINDS, f"one of {tuple(MODEL_KINDS)}")
        n_ctx, first = self.model.n_ctx, self.warmup_ctx
        require(self.model, "n_ctx", n_ctx >= 2, ">= 2: a window starts with no target")
        divides = first >= 0 and first != 1 and n_ctx % (first or 1) == 0
        require(self, "warmup_ctx", divides, f"a divisor > 1 of n_ctx, {n_ctx}, or 0")
        pair = isinstance(self.betas, tuple | list) and len(self.betas) == 2
        shares = pair and all(validate.is_finite(b) and 0 <= b < 1 for b in self.betas)
        require(self, "betas", shares, "two numbers in [0, 1)")
        object.__setattr__(self, "betas", tuple(self.betas))  # a TOML file has a list

    def batch_shape(self, step: int) -> tuple[int, int]:
        """Windows and tokens per window in the update after `step` updates.

        Short windows come in greater number: each update reads equally many tokens.
        """
        if self.warmup_ctx and step < self.warmup_ctx_share * self.steps:
            return self.batch * self.model.n_ctx // self.warmup_ctx, self.warmup_ctx
        return self.batch, self.model.n_ctx

    def windows_before(self, step: int) -> int:
        """How many windows the first `step` updates read."""
        n_short = math.ceil(self.warmup_ctx_share * self.steps) if self.warmup_ctx else 0
        short = min(step, n_short)
        return short * self.batch_shape(0)[0] + (step - short) * self.batch

    def lr_factor(self, step: int) -> float:
        """Share of the highest learning rates in the update after `step` updates."""
        if self.warmdown:
            return optim.warmup_flat(step, self.warmup, self.steps, self.warmdown)
        return optim.warmup_cosine(step, self.warmup, self.steps)

    def fingerprint(self) -> dict:
        """The options that change what is learned; a resumed run must share them."""
        changing = {f.name for f in fields(self) if f.metadata["changes_result"]}
        return {k: v for k, v in asdict(self).items() if k in changing}


RECIPES = {
    "gpt1": Recipe(),
    # A model of 5 million parameters takes larger steps than one of 117 million, on far
    # smaller batches. block_std: see pretrain.scale_blocks.
    "novelist": Recipe(NOVELIST, n_merges=8000, batch=8, steps=8000, block_std=0.04,
                       lr=1e-3, warmup=200, betas=(0.9, 0.99), save_fp16=True, snapshots=10,
                       evaluate_every=500, sample_every=1000, save_every=100),
    # The best after minutes (benchmarks/recipe_trials.py); not GPT-1's method.
    "quick": Recipe(NOVELIST, n_merges=8000, batch=6, warmup_ctx=128, warmup_ctx_share=0.6,
                    even_windows=True, steps=1500, block_std=0.04, count_vectors=1.0,
                    previous_token_heads=True, lr=4e-3, matrix_lr=4e-3, matrix_momentum=0.9,
                    warmup=75, warmdown=0.6, betas=(0.9, 0.99), save_fp16=True,
                    evaluate_every=250, sample_every=500, save_every=100),
    "tiny": Recipe(TINY, n_merges=400, batch=16, steps=200, lr=3e-3, warmup=20,
                   evaluate_every=100, sample_every=100, save_every=100),
}  # fmt: skip


FIRST = "tiny"
"""The recipe that a file or a command line starts from where it names none."""


def merged(recipe: Recipe, given: dict) -> Recipe:
    """A recipe with some values replaced; `model` may be a dict of some sizes.

    A run shorter than its warm-up warms up over a tenth of it. Raises ValueError for a name
    that is not an option, TypeError for one that is not a size.
    """
    known = [f.name for f in fields(Recipe)]
    if unknown := sorted(set(given) - set(known)):
        raise ValueError(f"unknown options {unknown}, known: {sorted(known)}")
    given = dict(given)
    if "model" in given:
        if not isinstance(given["model"], dict):
            raise ValueError(f"model is {given['model']!r}, it must be a table of sizes")
        given["model"] = replace(recipe.model, **given["model"])
    steps = validate.check_int("steps", given.get("steps", recipe.steps))
    if steps < recipe.warmup:
        given.setdefault("warmup", steps // 10)
    return replace(recipe, **given)


def read_toml(path: str | Path) -> Recipe:
    """A recipe from a TOML file; its `recipe` names the one to start from (tiny)."""
    try:
        given = tomllib.loads(files.read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{path} is not valid TOML: {error}") from error
    with files.blame_file(path):
        name = given.pop("recipe", FIRST)
        if name not in [*RECIPES]:
            raise ValueError(f"unknown recipe {name!r}, known: {sorted(RECIPES)}")
        return merged(RECIPES[name], given)


def add_recipe_options(parser: argparse.ArgumentParser, argv: list[str] | None = None) -> None:
    """--recipe, --config, and an option for each field, with the values of that recipe."""
    base = parser.add_argument_group("what to start from")
    base.add_argument("--recipe", choices=RECIPES, help=f"a recipe by name (default: {FIRST})")
    base.add_argument("--config", type=Path, help="a TOML file with one, in place of --recipe")
    now = _started_from(argv)
    add_options(parser, now, "how to train (defaults: the recipe's)")
    add_options(parser, now.model, "sizes of the model (defaults: the recipe's)", SIZES)


def _started_from(argv: list[str] | None) -> Recipe:
    """The recipe that a command line names, for its help; errors are reported later."""
    peek = argparse.ArgumentParser(add_help=False, exit_on_error=False)
    peek.add_argument("--recipe", default=FIRST)
    peek.add_argument("--config")
    try:
        named, _ = peek.parse_known_args(argv)
        return read_toml(named.config) if named.config else RECIPES[named.recipe]
    except (argparse.ArgumentError, KeyError, ValueError, OSError):
        return RECIPES[FIRST]


def from_options(args: argparse.Namespace) -> Recipe:
    """The recipe that parsed options describe; 'tiny' where none is named."""
    if args.recipe and args.config:
        raise ValueError("give --recipe or --config, not both")
    base = read_toml(args.config) if args.config else RECIPES[args.recipe or FIRST]
    given = given_options(args, Recipe)
    if sizes := given_options(args, GPTConfig):
        given["model"] = sizes
    recipe = merged(base, given)
    if recipe.warmup != given.get("warmup", base.warmup):
        print(f"pretrain: {recipe.steps} updates, so the warm-up takes {recipe.warmup}")
    return recipe
