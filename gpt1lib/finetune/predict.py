"""Classes of your own texts by a fine-tuned model.

python -m gpt1lib.finetune.predict runs/film "a fine and moving film"
python -m gpt1lib.finetune.predict runs/cloze "context" "one ending" "another ending"
"""

import argparse
from pathlib import Path

from ..cli import one_line_errors
from . import classifier


def main(argv: list[str] | None = None) -> None:
    """The command line: one example, one line per class."""
    parser = argparse.ArgumentParser(
        prog="python -m gpt1lib.finetune.predict", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("folder", type=Path, help="what finetune's --out was")
    parser.add_argument("texts", nargs="+", help="a text, two, or a context and choices")
    args = parser.parse_args(argv)
    with one_line_errors("predict"):
        model, bpe, metadata = classifier.load(args.folder)
        probs = classifier.class_probs(model, bpe, *args.texts)
        names = metadata["classes"] or range(len(probs))
        for name, p in sorted(zip(names, probs, strict=True), key=lambda x: -x[1]):
            print(f"{p:6.1%}  {name}")


if __name__ == "__main__":
    main()
