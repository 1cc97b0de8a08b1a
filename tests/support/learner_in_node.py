"""The page's training, asked through Node.js: by its tests, and by the benchmark."""

import json
import subprocess
from pathlib import Path

from gpt1course.viz import engine

FOLDER = Path(engine.__file__).parent
ANSWERS = Path(__file__).with_name("learner.js")


def ask(node: str, *questions: list) -> list:
    """Answers of learner.js."""
    return ask_each(node, [FOLDER], *questions)[0]


def ask_each(node: str, folders: list[Path], *questions: list) -> list[list]:
    """The answers of several copies of the engine to the same questions."""
    given = {"folders": [str(folder) for folder in folders], "questions": questions}
    done = subprocess.run(
        [node, ANSWERS], input=json.dumps(given), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
