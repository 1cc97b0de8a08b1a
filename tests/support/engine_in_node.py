"""The page's engine, asked through Node.js: by its tests, and by benchmarks/languages.py."""

import base64
import json
import subprocess
from functools import cache
from pathlib import Path

import numpy as np

from gpt1course.viz import engine

FOLDER = Path(engine.__file__).parent
ANSWERS = Path(__file__).with_name("engine.js")


class EngineInNode:
    """A model as the engine has it; its files lie in a folder."""

    def __init__(self, node: str, checkpoint, folder: Path):
        self.node, self.checkpoint, self.folder = node, checkpoint, folder
        self.stored = cache(self.store)

    def store(self, bits: int) -> dict:
        """What engine.js must know of the model in so many bits, and where its bytes lie."""
        facts, content = engine.parts_of(self.checkpoint.bpe, self.checkpoint.model, bits)
        path = self.folder / f"model{bits}.bin"
        path.write_bytes(content)
        return {"facts": facts, "bytes": str(path)}

    def ask(
        self, *questions: list, folder: Path = FOLDER, simd: bool = True, bits: int = 8
    ) -> list:
        """Answers of engine.js; folder: another copy of the engine; bits: of the matrices."""
        given = {"folder": str(folder), "simd": simd, **self.stored(bits)}
        done = subprocess.run(
            [self.node, ANSWERS],
            input=json.dumps(given | {"questions": questions}),
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


def numbers(answer: str, *shape: int) -> np.ndarray:
    """An array that engine.js gave as base64."""
    return np.frombuffer(base64.b64decode(answer), "<f4").reshape(shape)
