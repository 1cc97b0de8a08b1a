"""Files of every kind that the library reads, and ways to damage them.

`KINDS` writes them small, with the function that reads them back; `DAMAGES` changes bytes;
`outcome` says what reading a damaged file came to.
"""

import json
import pickle
import random
import shutil
import signal
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, is_dataclass, replace
from pathlib import Path

import torch

import gpt1lib as g
from gpt1course.paper.results import whole_lines
from gpt1lib import corpus, finetune, pretrain, tasks
from gpt1lib.checkpoints import checkpoint, released, snapshots
from gpt1lib.finetune import classifier
from gpt1lib.finetune.__main__ import load_finished
from gpt1lib.io import files
from gpt1lib.io.run_folder import Log, RunFolder
from gpt1lib.pretrain import config
from gpt1lib.tasks import published

WORDS = "a fine good film and a bad dull film the cat sat on the mat "
BPE = g.BPE.learn(WORDS, 30)
CONFIG = g.GPTConfig(BPE.n_vocab, n_ctx=16, n_layer=1, n_head=2, n_embd=8, dropout=0.0)
RECIPE = replace(
    pretrain.RECIPES["tiny"],
    n_merges=20,
    batch=2,
    steps=8,
    warmup=2,
    model=replace(CONFIG, n_vocab=1),
)


@dataclass(frozen=True)
class Kind:
    """write: makes the files in an empty folder; read: what they hold, as the library reads.

    bound: by checksums, so that no change goes unseen; texts and tables of somebody's own,
    and what somebody else released, are not. may_be_gone: without it a run begins anew.
    """

    write: Callable[[Path], object]
    read: Callable[[Path], object]
    bound: bool = True
    may_be_gone: str = ""


other_run = 0  # the seed of what is written


def small_model():
    torch.manual_seed(other_run)
    return g.GPT(CONFIG)


# ---- models ---------------------------------------------------------------------------


def write_checkpoint(folder):
    for name in ("log", "samples"):
        Log(folder / f"{name}.jsonl").add({"step": 1, "tokens": 8, "loss": 2.5, "text": "x"})
    checkpoint.save_ours(folder, small_model(), BPE, {"note": "small", "recipe": {"steps": 1}})


def read_checkpoint(folder):
    made = checkpoint.load_ours(folder)
    return made.model.state_dict(), made.model.config, vocabulary(made.bpe), made.meta, (
        made.log, made.samples)  # fmt: skip


def vocabulary(bpe):
    return bpe.encoder, bpe.merges


def write_snapshot(folder):
    snapshots.save_snapshot(folder, small_model(), {"step": 1})


def read_snapshot(folder):
    model, facts = snapshots.load_snapshot(folder / "snapshots" / "step_0000001.safetensors")
    return model.state_dict(), facts


def write_openai(folder):
    released.save_openai(folder, small_model(), BPE)


def write_hugging_face(folder):
    released.save_hugging_face(folder, small_model(), BPE)


def read_released(folder):
    made = released.load_released(folder, n_head=2)
    return made.model.state_dict(), made.model.config, vocabulary(made.bpe)


def without_checksums(write):
    """The same files as from somebody else, who stored no checksums."""

    def writing(folder):
        write(folder)
        for path in folder.rglob("checksums.json"):
            path.unlink()

    return writing


def write_pickled(folder):
    write_hugging_face(folder)
    (folder / "model.safetensors").unlink()
    (folder / "checksums.json").unlink()
    torch.save(released.to_hugging_face(small_model()), folder / "pytorch_model.bin")


def write_classifier(folder):
    made = classifier.Classifier(small_model(), "classification", 2)
    classifier.save(folder, made, BPE, toy_task())


def read_classifier(folder):
    made, bpe, facts = classifier.load(folder)
    return made.state_dict(), made.model.config, vocabulary(bpe), facts


# ---- runs -----------------------------------------------------------------------------


def pre_training(folder):
    recipe = replace(RECIPE, seed=other_run)
    books = folder / "books", folder / "heldout"
    return pretrain.Pretraining.from_books(recipe, folder / "run", *books)


def write_pre_training(folder):
    files.write_text(folder / "books" / "one.txt", WORDS * 20)
    files.write_text(folder / "heldout" / "two.txt", "the dog sat on a dull mat " * 5)
    run = pre_training(folder)
    run.log.add(run.train_step())
    run.save_state()


def read_pre_training(folder):
    run = pre_training(folder)
    assert run.resume()
    optimizer = [o.state_dict()["state"] for o in run.optimizers]
    made_of = run.data.ids.tolist(), vocabulary(run.data.bpe)
    return run.model.state_dict(), optimizer, run.step, made_of, run.log.lines()


def toy_task():
    examples = [tasks.Example(("a good film",), 1), tasks.Example(("a bad film",), 0)] * 2
    return tasks.Task("toy", "classification", 2, examples, [], examples, ("bad", "good"))


def fine_tuning(folder):
    source = checkpoint.Checkpoint(small_model(), BPE, {}, folder)
    return finetune.FineTuning(source, toy_task(), finetune.Settings(batch=2))


def write_fine_tuning(folder):
    run = fine_tuning(folder)
    line = run.train_step()
    RunFolder(folder, counter="update").log.add(line)
    run.save_state(RunFolder(folder, counter="update"))


def read_fine_tuning(folder):
    run = fine_tuning(folder)
    assert run.resume(RunFolder(folder, counter="update"))
    return run.classifier.state_dict(), run.optimizer.state_dict()["state"], run.update, run.log


def write_result(folder):
    run = fine_tuning(folder)
    scores = {"accuracy": 0.5, "interval": [0.1, 0.9]}
    files.write_json(folder / "result.json", {"facts": run.fingerprint(), "valid": scores})


def read_result(folder):
    return load_finished(folder / "result.json", fine_tuning(folder))


def write_recipe(folder):
    (folder / "my.toml").write_text('recipe = "tiny"\nsteps = 500\n[model]\nn_layer = 3\n')


# ---- texts ----------------------------------------------------------------------------


def write_book(folder):
    files.write_text(folder / "one.txt", WORDS)


def write_lines(folder):
    for i in range(3):
        Log(folder / "cells.jsonl").add({"step": i, "text": "good", "label": 1})


def read_lines(folder):
    return tasks.read_lines(folder / "cells.jsonl", ("text", "label"))


def read_results(folder):
    return whole_lines(folder / "cells.jsonl")


def write_own_table(folder):
    lines = [f"film {i},{'good' if i % 2 else 'bad'}" for i in range(40)]
    (folder / "my.csv").write_text("\n".join(["text,label", *lines]) + "\n")


def write_glue(folder):
    for part in ("train", "dev"):
        (folder / f"{part}.tsv").write_text("sentence\tlabel\na film\t1\na dull film\t0\n")


def write_race(folder):
    article = {
        "article": "It rained.",
        "questions": ["Was it wet?"],
        "options": [["yes", "no", "so", "oh"]],
        "answers": ["A"],
    }
    for part in ("train", "dev", "test"):
        files.write_json(folder / part / "high" / "1.txt", article)


def write_cloze(folder):
    for part in ("val", "test"):
        rows = [",".join(["id", *published.CLOZE_COLUMNS])]
        rows += [f'{i},One.,"Two, yes.",Three.,Four.,Good.,Bad.,1' for i in range(5)]
        path = folder / published.STORIES.format(part, part)
        path.write_text("\n".join(rows) + "\n")


KINDS = {
    "vocabulary": Kind(BPE.save, lambda f: vocabulary(g.BPE.load(f))),
    "checkpoint": Kind(write_checkpoint, read_checkpoint),
    "snapshot": Kind(write_snapshot, read_snapshot),
    "classifier": Kind(write_classifier, read_classifier),
    "pre-training": Kind(write_pre_training, read_pre_training, may_be_gone="state.pt"),
    "fine-tuning": Kind(write_fine_tuning, read_fine_tuning, may_be_gone="state.pt"),
    "OpenAI's, ours": Kind(write_openai, read_released),
    "Hugging Face's, ours": Kind(write_hugging_face, read_released),
    "OpenAI's": Kind(without_checksums(write_openai), read_released, False),
    "Hugging Face's": Kind(without_checksums(write_hugging_face), read_released, False),
    "Hugging Face's, pickled": Kind(write_pickled, read_released, False),
    "result": Kind(write_result, read_result, False, "result.json"),
    "results": Kind(write_lines, read_results, False, "cells.jsonl"),
    "recipe": Kind(write_recipe, lambda f: config.read_toml(f / "my.toml"), False),
    "books": Kind(write_book, lambda f: corpus.read_books(f), False),
    "JSON lines": Kind(write_lines, read_lines, False),
    "own table": Kind(write_own_table, lambda f: tasks.load(None, f / "my.csv"), False),
    "GLUE": Kind(write_glue, lambda f: tasks.load("sst-2", f), False),
    "RACE": Kind(write_race, lambda f: tasks.load("race", f), False),
    "Story Cloze": Kind(write_cloze, lambda f: tasks.load("story-cloze", f), False),
}


# ---- damage: bytes -> damaged bytes, one after the other -----------------------------------


def cuts(whole: bytes, chance: random.Random, n: int) -> Iterator[bytes]:
    """The end is lost."""
    places = [0, 1, len(whole) // 2, len(whole) - 1]
    places += [chance.randrange(len(whole)) for _ in range(n)]
    yield from (whole[:place] for place in places[:n])


def flips(whole: bytes, chance: random.Random, n: int) -> Iterator[bytes]:
    """One bit is another."""
    for _ in range(n):
        place = chance.randrange(len(whole))
        yield (
            whole[:place]
            + bytes([whole[place] ^ 1 << chance.randrange(8)])
            + whole[place + 1 :]
        )


def strangers(whole: bytes, chance: random.Random, n: int) -> Iterator[bytes]:
    """Something else altogether, or more than there was."""
    class_of_nobody = pickle.dumps(KeyError("code"))
    latin_1 = "caf\u00e9 ".encode("latin-1")
    others = (b"", b"null", b"{}", b"[" * 5000, latin_1, class_of_nobody, b"\0" * len(whole))
    others += (whole + b"\0", whole + whole, b"\xef\xbb\xbf" + whole, chance.randbytes(99))
    yield from others[:n]


def other_values(whole: bytes, chance: random.Random, n: int) -> Iterator[bytes]:
    """A value of a JSON file is another, of another kind, or gone."""
    try:
        value = json.loads(whole)
    except ValueError:
        return
    for _ in range(n):
        changed = json.loads(whole)
        change_one(changed, chance)
        if changed != value:
            yield json.dumps(changed).encode()


def change_one(value, chance: random.Random) -> None:
    """Change a list or a dict at one place, at any depth."""
    keys = list(value) if isinstance(value, dict) else list(range(len(value)))
    if not keys:
        return
    key = chance.choice(keys)
    if isinstance(value[key], dict | list) and value[key] and chance.random() < 0.8:
        change_one(value[key], chance)
    elif chance.random() < 0.2:
        del value[key]
    else:
        value[key] = chance.choice([None, -1, 2**63, 0.5, "x", [], {}, True, float("nan"), 3])


def header_lies(whole: bytes, chance: random.Random, n: int) -> Iterator[bytes]:
    """A safetensors or npy header that says something else, and is of the right form."""
    if whole[:6] == b"\x93NUMPY":
        for old, new in ((b"(", b"(9"), (b"<f4", b"<f8"), (b"<u2", b"<i2"), (b"(", b"(-")):
            if old in whole:
                yield whole.replace(old, new, 1).replace(b"  ", b" ", 1)
        return
    length = struct.unpack("<Q", whole[:8])[0] if len(whole) > 8 else 0
    if not 2 < length < len(whole):
        return
    for told in (0, length - 1, length + 1, 2**40, 2**63):
        yield struct.pack("<Q", told) + whole[8:]
    for _ in range(n):
        header = json.loads(whole[8 : 8 + length])
        change_one(header, chance)
        text = json.dumps(header).encode()
        yield struct.pack("<Q", len(text)) + text + whole[8 + length :]


DAMAGES = {f.__name__: f for f in (cuts, flips, strangers, other_values, header_lies)}


# ---- what comes of it -------------------------------------------------------------------


def frozen(value):
    """Something that can be compared: tensors as bytes, records as dicts."""
    if isinstance(value, torch.Tensor):
        return tuple(value.shape), str(value.dtype), value.detach().numpy().tobytes()
    if is_dataclass(value):
        return frozen(asdict(value))
    if isinstance(value, dict):
        return {k: frozen(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [frozen(v) for v in value]
    return repr(value)


class Hang(BaseException):
    """Reading takes too long."""


@contextmanager
def time_limit(seconds: int):
    def ring(*_):
        raise Hang

    signal.signal(signal.SIGALRM, ring)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)


def outcome(kind: Kind, folder: Path, path: Path, wanted, seconds: int = 60) -> str:
    """named, same, silent, hang, or deep with what was said, of one damaged file."""
    try:
        with time_limit(seconds):
            found = frozen(kind.read(folder))
    except Hang:
        return "hang"
    except (ValueError, OSError) as error:
        told = str(error)
        ours = path.name in told or path.parent.name in told
        return "named" if ours else f"deep: {type(error).__name__}: {told}"
    except Exception as error:
        return f"deep: {type(error).__name__}: {error}"
    return "same" if found == wanted else "silent"


def trials(kind: Kind, folder: Path, seed: int, n: int) -> Iterator[tuple[str, str, str]]:
    """(file, damage, outcome) of n damages of each sort to each file, one at a time."""
    pristine = folder.with_name("pristine")
    kind.write(folder)
    wanted = frozen(kind.read(folder))
    shutil.copytree(folder, pristine)
    for part in sorted(p.relative_to(pristine) for p in pristine.rglob("*") if p.is_file()):
        if part.name == "lock":
            continue
        for name, damaged in damages_of(kind, pristine, part, seed, n):
            (folder / part).unlink()
            if damaged is not None:
                (folder / part).write_bytes(damaged)
            yield part.as_posix(), name, outcome(kind, folder, folder / part, wanted)
            shutil.rmtree(folder)
            shutil.copytree(pristine, folder)


def damages_of(
    kind: Kind, pristine: Path, part: Path, seed: int, n: int
) -> Iterator[tuple[str, bytes | None]]:
    """(damage, bytes) for one file, which differ from what it holds; None: it is gone."""
    whole = (pristine / part).read_bytes()
    if not kind.may_be_gone or part.name != kind.may_be_gone:
        yield "gone", None
    neighbors = [p for p in sorted(pristine.rglob("*")) if p.is_file() and p.name != "lock"]
    exchanged = [p.read_bytes() for p in neighbors[:n]] + [of_another_run(kind, pristine, part)]
    yield from (("exchanged", x) for x in exchanged if x not in (whole, None))
    for name, damage in DAMAGES.items():
        chance = random.Random(f"{seed} {part} {name}")
        yield from ((name, x) for x in damage(whole, chance, n) if x != whole)


def of_another_run(kind: Kind, pristine: Path, part: Path) -> bytes | None:
    """The same file of a run with another seed."""
    global other_run
    folder, other_run = pristine.with_name("another"), 1
    try:
        if not folder.exists():
            folder.mkdir()
            kind.write(folder)
    finally:
        other_run = 0
    return (folder / part).read_bytes() if (folder / part).is_file() else None
