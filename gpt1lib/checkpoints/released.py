"""The released GPT-1: OpenAI's files and Hugging Face's, read and written exactly.

OpenAI's folder (github.com/openai/finetune-transformer-lm, model/, MIT license) has
params_0.npy to params_9.npy, one stream of 116,534,784 float32 numbers cut in ten;
params_shapes.json, which cuts it into 146 arrays; encoder_bpe_40000.json and
vocab_40000.bpe. Hugging Face's folder (openai-community/openai-gpt on its hub) has
model.safetensors (or pytorch_model.bin), config.json, vocab.json and merges.txt. Either
weighs about 0.5 GB. Nothing here downloads, and no file that is read can run code.
"""

import math
from collections.abc import Callable, Collection, Iterator
from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch
from safetensors import safe_open

from .. import text
from ..bpe import BPE
from ..config import GPT1, LN_EPS, GPTConfig
from ..io import checksums, files, tensors
from ..model import GPT
from . import checkpoint

OPENAI = ("params_shapes.json", "encoder_bpe_40000.json", "vocab_40000.bpe")
PARAMETERS = [f"params_{i}.npy" for i in range(10)]
VOCABULARY_SHA256 = "4b2af3f7ac894e28c419fecb682017cd201376ee94870dc2ad912f4965ac881a"
"""`BPE.checksum` of the vocabulary as released, in either layout; for the parameters no
checksum was published."""

BLOCK = {
    "attention.qkv": "attn.c_attn",
    "attention.project": "attn.c_proj",
    "ln_1": "ln_1",
    "expand": "mlp.c_fc",
    "shrink": "mlp.c_proj",
    "ln_2": "ln_2",
}
"""Our names of a block's layers and the release's, in the order of its arrays."""

SIZES = {"n_vocab": "vocab_size", "n_ctx": "n_positions"}
SIZES |= {name: name for name in ("n_embd", "n_layer", "n_head")}
"""Our names of the sizes and those of Hugging Face's config.json."""

WHERE = """The released GPT-1 is not part of this course; it is 0.5 GB, MIT license.
Ask for one of these folders, put it anywhere, and name it here:
  OpenAI's, repository openai/finetune-transformer-lm, its folder `model`:
    params_0.npy ... params_9.npy, params_shapes.json, encoder_bpe_40000.json,
    vocab_40000.bpe
  Hugging Face's, model openai-community/openai-gpt:
    model.safetensors, config.json, vocab.json, merges.txt"""


# ---- names and shapes ----------------------------------------------------------------


def arrays(config: GPTConfig) -> list[tuple[str, tuple[int, ...]]]:
    """(our name, released shape) of every array in the order of OpenAI's stream.

    146 for GPT-1: positions, tokens, then twelve per block. A layer computes x W + b with
    W of shape (1, in, out), a convolution of width 1: the transpose of torch's.
    """
    C = config.n_embd
    named_shapes: list[tuple[str, tuple[int, ...]]] = [
        ("positions.weight", (config.n_ctx, C)),
        ("tokens.weight", (config.n_vocab, C)),
    ]
    sizes = {"attention.qkv": (C, 3 * C), "attention.project": (C, C)}
    sizes |= {"expand": (C, 4 * C), "shrink": (4 * C, C)}
    for i in range(config.n_layer):
        for ours in BLOCK:
            shape = (1, *sizes[ours]) if ours in sizes else (C,)
            named_shapes.append((f"blocks.{i}.{ours}.weight", shape))
            named_shapes.append((f"blocks.{i}.{ours}.bias", shape[-1:]))
    return named_shapes


def config_of(shapes: list, n_head: int | None = None) -> GPTConfig:
    """The sizes that a params_shapes.json describes; heads of 64 unless n_head is set.

    Raises ValueError where it describes no GPT-1.
    """
    if len(shapes) < 14 or (len(shapes) - 2) % 12:
        raise ValueError(f"it lists {len(shapes)} arrays, a GPT-1 has 2 and 12 per block")
    (n_ctx, C), (n_vocab, _) = shapes[0], shapes[1]
    n_layer, n_head = (len(shapes) - 2) // 12, n_head or max(1, C // 64)
    config = GPTConfig(n_vocab, n_ctx, n_layer, n_head, n_embd=C)
    for i, (shape, (name, wanted)) in enumerate(zip(shapes, arrays(config), strict=True)):
        if tuple(shape) != wanted:
            raise ValueError(f"its array {i} ({name}) is {tuple(shape)}, expected {wanted}")
    return config


def released_name(ours: str) -> str:
    """Hugging Face's name of one of our parameters; also OpenAI's, up to a prefix."""
    if not ours.startswith("blocks."):
        return {
            "tokens.weight": "tokens_embed.weight",
            "positions.weight": "positions_embed.weight",
        }[ours]
    _, i, *layer, kind = ours.split(".")
    return f"h.{i}.{BLOCK['.'.join(layer)]}.{kind}"


# ---- reading -------------------------------------------------------------------------


def load_released(
    folder: str | Path, n_head: int | None = None, bpe: BPE | None = None
) -> checkpoint.Checkpoint:
    """The released GPT-1 from a folder that the user names, in either layout.

    bpe: the tokenizer, where the folder has none. Returns a Checkpoint (model in eval mode,
    BPE with the released text pipeline if it is installed). Raises FileNotFoundError for
    files that are missing, and says where to ask for them; ValueError for shapes, sizes or a
    vocabulary that are not GPT-1's.
    """
    folder = Path(folder).expanduser()
    if (folder / OPENAI[0]).is_file():
        model, names = read_openai(folder, n_head), OPENAI[1:]
    elif (folder / "config.json").is_file():
        model, names = read_hugging_face(folder), ("vocab.json", "merges.txt")
    else:
        raise FileNotFoundError(f"no released GPT-1 in {folder}.\n{WHERE}")
    pipeline = "released" if text.released_pipeline_installed() else "fallback"
    bpe = bpe or BPE.load(folder, *names, pre_tokenize=text.PIPELINES[pipeline])
    check_released_vocabulary(bpe, model.config, folder)
    meta = {"source": str(folder), "pipeline": bpe.pipeline}
    return checkpoint.Checkpoint(model.eval(), bpe, meta, folder)


def check_released_vocabulary(bpe: BPE, config: GPTConfig, folder: Path) -> None:
    """Raise ValueError unless the vocabulary is the model's, and GPT-1's if of its size."""
    checkpoint.check_vocabulary(bpe, config)
    if bpe.n_vocab == GPT1.n_vocab and bpe.checksum != VOCABULARY_SHA256:
        raise ValueError(
            f"the vocabulary in {folder} is not the released one: SHA-256 of its pieces "
            f"{bpe.checksum[:12]}..., expected {VOCABULARY_SHA256[:12]}..."
        )


def slices(stream: list[np.ndarray], sizes: list[int]) -> Iterator[np.ndarray]:
    """Cut one stream, stored in parts, into arrays of given sizes, one at a time."""
    part, start = 0, 0
    for size in sizes:
        taken = []
        while size:
            if start == len(stream[part]):
                part, start = part + 1, 0
                continue
            piece = stream[part][start : start + size]
            taken.append(piece)
            start, size = start + len(piece), size - len(piece)
        yield np.concatenate(taken)


def read_openai(folder: Path, n_head: int | None = None) -> GPT:
    """A model from OpenAI's ten files; memory beyond the model: one array."""
    check_export(folder, *PARAMETERS)
    shapes = files.read_json(folder / OPENAI[0], list)
    with files.blame_file(folder / OPENAI[0]):
        config = config_of(shapes, n_head)
    wanted = arrays(config)
    stream = [tensors.read_array(folder / name, ["float32"]) for name in PARAMETERS]
    n_stored, n_wanted = sum(map(len, stream)), sum(math.prod(s) for _, s in wanted)
    if n_stored != n_wanted:
        raise ValueError(
            f"the params_*.npy of {folder} contain {n_stored:,} numbers, "
            f"params_shapes.json asks for {n_wanted:,}"
        )
    model = empty(config)
    state = model.state_dict()
    sizes = [math.prod(shape) for _, shape in wanted]
    for (name, shape), flat in zip(wanted, slices(stream, sizes), strict=True):
        array = torch.from_numpy(flat).view(shape)
        state[name].copy_(array[0].T if len(shape) == 3 else array)
    return model


def empty(config: GPTConfig) -> GPT:
    """A model whose numbers are yet to come: memory is allocated, nothing is drawn."""
    with torch.device("meta"):
        model = GPT(config)
    return model.to_empty(device="cpu")


def check_export(folder: Path, *needed: str) -> None:
    """Raise ValueError for a damaged file of a folder that `save_...` wrote.

    Raises FileNotFoundError for one of them, or of the needed, that is missing.
    """
    bound = checksums.of(folder)
    names = dict.fromkeys((*bound, *needed))
    if missing := [name for name in names if not (folder / name).is_file()]:
        raise FileNotFoundError(f"{folder} lacks {', '.join(missing)}.\n{WHERE}")
    checksums.verify(folder, *bound)


def read_hugging_face(folder: Path) -> GPT:
    """A model from Hugging Face's folder; pickled files by torch's safe reader only."""
    check_export(folder)
    weights, pickled = folder / "model.safetensors", folder / "pytorch_model.bin"
    if not weights.is_file() and not pickled.is_file():
        raise FileNotFoundError(f"{folder} has a config.json but no weights.\n{WHERE}")
    path, described = weights if weights.is_file() else pickled, folder / "config.json"
    theirs = files.read_json(described)
    with files.blame_file(described):
        sizes = {ours: theirs[name] for ours, name in SIZES.items()}
        config = GPTConfig(**sizes, dropout=theirs.get("resid_pdrop", 0.1))
        for name, ours in {"afn": "gelu", "layer_norm_epsilon": LN_EPS}.items():
            if theirs.get(name, ours) != ours:
                raise ValueError(f"{name} is {theirs[name]!r}, GPT-1's is {ours!r}")
        checkpoint.check_size(config, path)
    model = empty(config)
    if path == weights:
        with tensors.reading(weights), safe_open(weights, framework="pt") as f:
            copy_weights(model, set(f.keys()), f.get_tensor)
    else:
        stored = tensors.read_state(pickled, mapped=True)
        with files.blame_file(pickled):
            copy_weights(model, stored.keys(), stored.__getitem__)
    return model


def copy_weights(model: GPT, keys: Collection[str], get: Callable[[str], torch.Tensor]) -> None:
    """Copy tensors under Hugging Face's names into a model, one at a time.

    Raises ValueError for a tensor that is missing or has another shape. The port's
    stored masks (attn.bias) and its tied output matrix add nothing of their own.
    """
    prefix = "transformer." if any(n.startswith("transformer.") for n in keys) else ""
    for ours, parameter in model.state_dict().items():
        theirs = prefix + released_name(ours)
        if theirs not in keys:
            raise ValueError(f"the weights lack {theirs!r}")
        tensor = get(theirs)
        tensor = tensor.T if in_out(ours) else tensor
        if tensor.shape != parameter.shape:
            raise ValueError(
                f"{theirs!r} is {tuple(tensor.shape)}, expected {tuple(parameter.shape)}"
            )
        parameter.copy_(tensor)


def in_out(ours: str) -> bool:
    """Whether the release stores this parameter as (in, out) where torch has (out, in)."""
    return ours.startswith("blocks.") and ours.endswith("weight") and ".ln_" not in ours


# ---- writing -------------------------------------------------------------------------


def to_hugging_face(model: GPT) -> dict[str, torch.Tensor]:
    """The weights under the names and in the layout of transformers' OpenAIGPTModel."""
    out = {}
    for ours, tensor in model.state_dict().items():
        tensor = tensor.T if in_out(ours) else tensor
        out[released_name(ours)] = tensor.detach().clone(memory_format=torch.contiguous_format)
    return out


def save_openai(folder: str | Path, model: GPT, bpe: BPE | None = None) -> None:
    """Write OpenAI's layout: the stream in ten parts of nearly equal length."""
    folder, state = Path(folder), model.state_dict()
    wanted = arrays(model.config)
    sizes = [math.prod(shape) for _, shape in wanted]
    files.write_json(folder / OPENAI[0], [list(s) for _, s in wanted], indent=None)
    lengths = [len(p) for p in np.array_split(np.empty(sum(sizes), np.int8), len(PARAMETERS))]
    stream = [
        (state[name].T if in_out(name) else state[name]).reshape(-1).float().cpu().numpy()
        for name, _ in wanted
    ]
    for name, part in zip(PARAMETERS, slices(stream, lengths), strict=True):
        tensors.write_array(folder / name, part)
    if bpe is not None:
        bpe.save(folder, *OPENAI[1:])
    checksums.write_checksums(folder, OPENAI[0], *PARAMETERS)


def save_hugging_face(folder: str | Path, model: GPT, bpe: BPE | None = None) -> None:
    """Write Hugging Face's layout, which transformers' OpenAIGPT reads."""
    folder, config, weights = Path(folder), asdict(model.config), to_hugging_face(model)
    rates = dict.fromkeys(("attn_pdrop", "embd_pdrop", "resid_pdrop"), config["dropout"])
    tensors.write_tensors(folder / "model.safetensors", weights, {"format": "pt"})
    files.write_json(
        folder / "config.json",
        {
            "model_type": "openai-gpt",
            "architectures": ["OpenAIGPTLMHeadModel"],
            **{theirs: config[ours] for ours, theirs in SIZES.items()},
            "afn": "gelu",
            "layer_norm_epsilon": LN_EPS,
            **rates,
        },
    )
    if bpe is not None:
        bpe.save(folder, "vocab.json", "merges.txt")
    checksums.write_checksums(folder, "config.json", "model.safetensors")
