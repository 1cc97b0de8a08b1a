"""What lesson 02 shows of the released vocabulary, against that vocabulary."""

from gpt1lib.bpe import BPE
from gpt1lib.io import files, paths


def test_the_stored_ids_are_those_of_the_released_vocabulary(shared):
    bpe = BPE.load(shared / "openai_gpt", "encoder_bpe_40000.json", "vocab_40000.bpe")
    stored = files.read_json(paths.RESULTS / "released_ids.json")
    assert (stored["n_vocab"], stored["n_merges"]) == (bpe.n_vocab, len(bpe.merges))
    assert stored["n_characters"] == sum(len(piece) == 1 for piece in bpe.encoder)
    for row in stored["rows"]:
        assert bpe.encode(row["text"]) == row["ids"]
        assert bpe.pieces(row["ids"]) == row["pieces"]
