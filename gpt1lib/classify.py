"""Classes of your own texts by a fine-tuned model.

python -m gpt1lib.classify runs/film "a fine and moving film"
python -m gpt1lib.classify runs/cloze "context" "one ending" "another ending"
"""

import argparse
import sys
from pathlib import Path

from . import classifier

NEEDS = {"classification": "1 text", "entailment": "2 texts", "similarity": "2 texts"}


def main(argv: list[str] | None = None) -> None:
    """The command line: one example, a line a class."""
    parser = argparse.ArgumentParser(
        prog="python -m gpt1lib.classify", description=__doc__.split("\n")[0]
    )
    parser.add_argument("folder", type=Path, help="what finetune's --out was")
    parser.add_argument(
        "texts", nargs="+", help="a text, two, or a context and choices"
    )
    args = parser.parse_args(argv)
    try:
        model, bpe, facts = classifier.load(args.folder)
        needs = NEEDS.get(facts["kind"], f"a context and {facts['n_classes']} choices")
        n = {"1": 1, "2": 2}.get(needs[0], 1 + facts["n_classes"])
        if len(args.texts) != n:
            raise ValueError(
                f"{facts['task']} needs {needs}, there are {len(args.texts)} texts"
            )
        probs = classifier.classify(model, bpe, *args.texts)
    except (ValueError, OSError) as error:
        sys.exit(f"classify: {error}")
    names = facts["classes"] or range(len(probs))
    for name, p in sorted(zip(names, probs, strict=True), key=lambda x: -x[1]):
        print(f"{p:6.1%}  {name}")


if __name__ == "__main__":
    main()
