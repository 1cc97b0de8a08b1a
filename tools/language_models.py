"""Score what the novelist has to beat on the held-out books: unigram, trigram, LSTM.

    python tools/language_models.py [--lstm data/checkpoints/lstm]

Same books, same 8,120 tokens. The LSTM is trained by the novelist's recipe,
with a learning rate of its own:
python -m gpt1lib.pretrain --recipe novelist --kind lstm --lr 0.004 --out data/checkpoints/lstm
Writes data/results/language_models.json.
"""

import argparse
from pathlib import Path

from tqdm import tqdm

from gpt1lib import corpus, evaluate, load_novelist, metrics, sample
from gpt1lib.checkpoints import Checkpoint
from gpt1lib.checkpoints import checkpoint as checkpoints
from gpt1lib.cli import one_line_errors
from gpt1lib.io.files import write_json
from gpt1lib.io.paths import BOOKS, HELDOUT_BOOKS, RESULTS
from gpt1lib.io.provenance import provenance
from tools.kneser_ney import KneserNey

PROMPTS = ("", "The old man", "She opened the letter and", "It was a dark night, and")


def score_counts(n: int, ids: list[int], bpe, heldout: dict) -> dict:
    """Scores of an n-gram model, in the form of a checkpoint's."""
    model, scores = KneserNey(n, bpe.n_vocab).fit(ids), {}
    for name, text in tqdm(heldout.items(), desc=f"{n}-gram"):
        book = bpe.encode(text)
        nats = model.nats(book) / (len(book) - 1)
        scores[name] = evaluate.book_score(nats, len(book), len(text))
    return scores


def check_books(made: Checkpoint, books: dict[str, str], heldout: dict[str, str]) -> None:
    """Raise ValueError unless these are the books it was trained and scored on."""
    for name, texts in (("books", books), ("heldout_books", heldout)):
        actual, wanted = corpus.checksum(texts), made.meta[f"{name}_sha256"]
        if actual != wanted:
            raise ValueError(
                f"the {name} are not those of the checkpoint in {made.folder}: "
                f"SHA-256 {actual[:12]}..., expected {wanted[:12]}..."
            )


@one_line_errors("language_models")
def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--lstm", type=Path, help="a trained LSTM's checkpoint folder")
    args = parser.parse_args()
    novelist = load_novelist()
    books, heldout = corpus.read_books(BOOKS), corpus.read_books(HELDOUT_BOOKS)
    check_books(novelist, books, heldout)
    ids = corpus.encode_books(books, novelist.bpe).tolist()
    models = {
        "unigram": score_counts(1, ids, novelist.bpe, heldout),
        "trigram": score_counts(3, ids, novelist.bpe, heldout),
    }
    facts = {}
    if args.lstm:
        lstm = checkpoints.load(args.lstm)
        models["lstm"] = lstm.meta["heldout"]
        facts["lstm"] = {
            "command": lstm.meta["command"],
            "commit": lstm.meta["commit"],
            "parameters": lstm.model.count_parameters(),
            "units": lstm.model.units,
            "seconds": lstm.meta["seconds"],
        }
    models["novelist"] = novelist.meta["heldout"]
    samples = [sample.sample_text(novelist, prompt, seed=0) for prompt in PROMPTS]
    write_json(
        RESULTS / "language_models.json",
        {
            **provenance(),
            **facts,
            "all_books": {k: metrics.rounded(evaluate.all_books(s)) for k, s in models.items()},
            "books": {name: metrics.rounded(scores) for name, scores in models.items()},
            "samples": {"prompts": PROMPTS, "seed": 0, "temperature": 0.8, "texts": samples},
        },
    )


if __name__ == "__main__":
    main()
