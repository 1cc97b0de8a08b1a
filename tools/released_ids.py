"""What the released vocabulary makes of some words and texts.

    python tools/released_ids.py FOLDER

FOLDER holds encoder_bpe_40000.json and vocab_40000.bpe, which the course does not ship.
Needs the [released] extra for texts; writes data/results/released_ids.json, which lesson 02
shows.
"""

import argparse
from pathlib import Path

from gpt1lib import text
from gpt1lib.bpe import BPE
from gpt1lib.cli import one_line_errors
from gpt1lib.io.files import write_json
from gpt1lib.io.paths import RESULTS
from gpt1lib.io.provenance import provenance

TEXTS = (
    "Artificial intelligence is",
    "a naïve résumé",
    "unsupervised pretraining, 2018",
    "日本語 and 中文",
    "<|endoftext|>",
    "lighthouse",
)


@one_line_errors("released_ids")
def main(argv: list[str] | None = None) -> None:
    """Write the pieces and ids of each text, and the size of the vocabulary."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", type=Path, help="where OpenAI's vocabulary lies")
    folder = parser.parse_args(argv).folder
    names = "encoder_bpe_40000.json", "vocab_40000.bpe"
    bpe = BPE.load(folder, *names, pre_tokenize=text.released_words)
    rows = []
    for raw in TEXTS:
        ids = bpe.encode(raw)
        rows.append({"text": raw, "pieces": bpe.pieces(ids), "ids": ids})
    characters = sum(len(piece) == 1 for piece in bpe.encoder)
    write_json(
        RESULTS / "released_ids.json",
        {
            **provenance("python tools/released_ids.py FOLDER"),
            "n_vocab": bpe.n_vocab,
            "n_merges": len(bpe.merges),
            "n_characters": characters,
            "rows": rows,
        },
    )


if __name__ == "__main__":
    main()
