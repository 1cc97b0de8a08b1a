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
    """A model as the engine has it; its files lie in a folder.

    The processes that hold it go on until `close`, as most of an answer's time is their start.
    """

    def __init__(self, node: str, checkpoint, folder: Path):
        self.node, self.checkpoint, self.folder = node, checkpoint, folder
        self.stored, self.process = cache(self.store), cache(self.start)
        self.started: list[subprocess.Popen] = []

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
        process = self.process(folder, simd, bits)
        answers = told(process, questions) and process.stdout.readline()
        if not answers:
            self.process = cache(self.start)  # without the one that has ended
            raise AssertionError(process.stderr.read())
        return json.loads(answers)

    def start(self, folder: Path, simd: bool, bits: int) -> subprocess.Popen:
        """A process that holds the model, and waits for questions."""
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        process = subprocess.Popen([self.node, ANSWERS], **pipes, text=True, encoding="utf-8")
        self.started.append(process)
        told(process, {"folder": str(folder), "simd": simd, **self.stored(bits)})
        return process

    def close(self) -> None:
        """End all processes."""
        for process in self.started:
            process.kill()
            process.communicate()


def told(process: subprocess.Popen, line: object) -> bool:
    """Whether a process took a line of JSON; one that has ended does not."""
    try:
        process.stdin.write(f"{json.dumps(line)}\n")
        process.stdin.flush()
    except BrokenPipeError:
        return False
    return True


def numbers(answer: str, *shape: int) -> np.ndarray:
    """An array that engine.js gave as base64."""
    return np.frombuffer(base64.b64decode(answer), "<f4").reshape(shape)
