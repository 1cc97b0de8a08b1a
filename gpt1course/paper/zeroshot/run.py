"""Figure 2 (right): run the zero-shot tests on every stage of both pre-trainings."""

from pathlib import Path

from tqdm import tqdm

from gpt1lib.bpe import BPE
from gpt1lib.checkpoints import snapshots
from gpt1lib.fast.distributed import SINGLE, Processes
from gpt1lib.io.paths import LSTM_DIR, NOVELIST_DIR
from gpt1lib.pretrain import RECIPES

from .. import results
from . import probe


def run_zero_shot(provenance: dict, world: Processes = SINGLE) -> None:
    """Every test that is not stored yet, on every stage that is there.

    provenance: command and commit, stored with each result. world: processes that share the
    tests of a stage.
    """
    bpe, probes, quiet = BPE.load(NOVELIST_DIR), probe.probes(), not world.is_main
    for kind, folder in {"novelist": NOVELIST_DIR, "LSTM": LSTM_DIR}.items():
        for model, progress in tqdm(
            snapshots.stages(folder), desc=f"zeroshot, {kind}", disable=quiet
        ):
            stage = {"model": kind, **progress}
            stored = stored_scores(stage)
            missing = [p for p in probes if "guesses" not in stored.get(p.name, {})]
            if missing:
                model.to(world.device)
                found = world.share(lambda p, m=model: p.score(m, bpe), missing)
                if world.is_main:
                    names = [p.name for p in missing]
                    add_scores(stage, dict(zip(names, found, strict=True)), provenance)
                world.wait()
        if world.is_main:
            report_holes(kind, folder, [p.name for p in probes])


def stored_scores(stage: dict) -> dict:
    """What is stored of a stage: test -> score. stage: model, step, tokens and loss.

    Raises ValueError where another run's scores are stored of that step.
    """
    for line in results.stored_lines("zeroshot"):
        if (line["model"], line["step"]) == (stage["model"], stage["step"]):
            if any(line[k] != stage[k] for k in stage):
                raise ValueError(
                    f"zeroshot.jsonl: the {stage['model']} after {stage['step']} updates is of "
                    f"another run, with a loss of {line['loss']} and not {stage['loss']}. Take "
                    "that run's lines out first"
                )
            return line["scores"]
    return {}


def add_scores(stage: dict, scores: dict, provenance: dict) -> None:
    """Store scores of a stage: in a line of its own, or beside those that it has.

    A line has the command and commit of its first scores, `added` those of later ones.
    """
    lines = {(x["model"], x["step"]): x for x in results.stored_lines("zeroshot")}
    first = {**stage, "scores": {}, **provenance}
    line = lines.setdefault((stage["model"], stage["step"]), first)
    if line["scores"]:
        line.setdefault("added", []).append({"tests": [*scores], **provenance})
    line["scores"] |= scores
    in_order = sorted(lines.values(), key=lambda x: (x["model"] == "LSTM", x["step"]))
    results.replace_lines("zeroshot", in_order)


def report_holes(kind: str, folder: Path, tests: list[str]) -> None:
    """Print after which updates a test was not run, because the stages are missing."""
    recipe, holes = RECIPES["novelist"], {}
    lines = [x for x in results.stored_lines("zeroshot") if x["model"] == kind]
    scores = {line["step"]: line["scores"] for line in lines}
    wanted = snapshots.steps_to_keep(recipe.steps, recipe.snapshots)
    for test in tests:
        steps = [step for step in wanted if test not in scores.get(step, {})]
        holes.setdefault(str(steps), []).append(test)
    holes.pop("[]", None)
    for steps, names in holes.items():
        print(
            f"paper: {folder} has no stages of the {kind} after {steps} updates, so there "
            f"are holes in {', '.join(names)}; data/README.md tells how to make them"
        )
