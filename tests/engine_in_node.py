"""The page's engine, asked through Node.js: by its tests, and by benchmarks/languages.py."""

import base64
import json
import subprocess
from pathlib import Path

import numpy as np

from gpt1lib.show import engine

FOLDER = Path(engine.__file__).parent
ANSWERS = Path(__file__).with_name("engine.js")


class EngineInNode:
    """A model as the engine has it; bits: of each number of its matrices."""

    def __init__(self, node: str, checkpoint, folder: Path, bits: int = 8):
        self.node, self.bytes = node, folder / "model.bin"
        self.facts, content = engine.parts_of(checkpoint, bits)
        self.bytes.write_bytes(content)

    def ask(self, *questions: list, folder: Path = FOLDER, simd: bool = True) -> list:
        """Answers of engine.js; folder: another copy of the engine."""
        given = {"folder": str(folder), "facts": self.facts, "bytes": str(self.bytes)}
        done = subprocess.run(
            [self.node, ANSWERS],
            input=json.dumps(given | {"simd": simd, "questions": questions}),
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


def numbers(answer: str, *shape: int) -> np.ndarray:
    """An array that engine.js gave as base64."""
    return np.frombuffer(base64.b64decode(answer), "<f4").reshape(shape)
