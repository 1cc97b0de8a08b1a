"""Exercises whose answer is a number, asked again with new numbers as often as one likes.

The answer is a function of the numbers that the question names, under
`@number_exercise(...)`. So is each wrong answer that people give, under
`@name.wrong(message)`. New numbers are drawn from a seed, and only such as tell all these
answers apart: each wrong one can then be recognized, and named.
"""

import inspect
import itertools
import math
import random
from collections.abc import Callable
from dataclasses import dataclass, field

from .. import progress
from .compare import Number, plain
from .exercise import BaseExercise, Verdict, Wrong, announce, tell
from .feedback import short

TRIES = 1000
LARGEST = 1e300
NO_ANSWER = "put your answer in place of the dots."
COMMA = "Write 31_113_216 and 2.5, not 31,113,216 and 2,5: a comma begins the next number."


@dataclass(eq=False, repr=False)
class NumberExercise(BaseExercise):
    """One question with a number, or a few, for an answer; called, it is its solution.

    question: a template with the solution's arguments in braces.
    first: the numbers in the notebook's own question. draw: others, from a random.Random.
    worked: the way to the answer, as a text made from the numbers.
    decimals: how many are asked for; 0 asks for a whole number.
    """

    solution: Callable
    title: str
    question: str
    difficulty: int  # 1 to 5
    importance: int  # 1 to 5
    minutes: int
    first: tuple
    draw: Callable[[random.Random], tuple]
    worked: Callable[..., str]
    hints: tuple[str, ...]
    decimals: int = 0
    wrong_answers: list[Wrong] = field(default_factory=list)
    turn: int = 0  # which draw is asked now; 0 is the notebook's own
    student: str = ""  # whose numbers are asked about; everybody's if empty

    # ---- for a learner ----

    def check(self, *answers) -> None:
        """Print TODO, PASS or FAIL; with GPT1_STRICT=1 raise AssertionError but for PASS."""
        verdict = self.diagnose(answers, self.numbers(self.turn))
        if verdict and self.turn and self.diagnose(answers, self.numbers(0)) is None:
            tell(f"PASS  {self.name}, as the notebook asks it. Asked last: {self.asked()}")
            progress.note(self.solution)
        elif verdict is None:
            print(f"PASS  {self.name}. Another one: lesson.{self.name}.another()")
            progress.note(self.solution)
        else:
            announce(self.name, verdict)
            if self.turn:
                tell(f"The question: {self.asked()}")
            if verdict.status == "FAIL":
                tell(f"lesson.{self.name}.show_solution() shows the way.")

    def another(self) -> None:
        """Ask again with other numbers."""
        before = self.numbers(self.turn)
        self.turn += 1
        while self.numbers(self.turn) == before:
            self.turn += 1
        tell(self.asked())
        tell(f"Answer with {self.to_answer}")

    def show_solution(self) -> None:
        """Print the way to the answer of the question that was asked last."""
        tell(self.solution_shown(self.turn))

    def __repr__(self) -> str:
        """The question."""
        return self.asked()

    # ---- for the notebook ----

    @property
    def precision(self) -> str:
        """How many decimals are asked for, in words."""
        return f"{self.decimals} decimal{'s' if self.decimals > 1 else ''}"

    def asked(self, turn: int | None = None) -> str:
        """The question with the numbers of a turn, by default of this one."""
        numbers = self.numbers(self.turn if turn is None else turn)
        names = inspect.signature(self.solution).parameters
        precision = f" Give {self.precision}." if self.decimals else ""
        return self.question.format(**dict(zip(names, numbers, strict=True))) + precision

    @property
    def task(self) -> str:
        """The question as the notebook asks it."""
        return self.asked(turn=0)

    def solution_shown(self, turn: int = 0) -> str:
        """The way to the answer, with the numbers of a turn."""
        return self.worked(*self.numbers(turn))

    def cell(self, solved: bool = False) -> str:
        """The code cell: dots for an answer, or the answer to the first question."""
        if solved:
            right = ", ".join(map(repr, _values(self.solution, self.first)))
            return f"lesson.{self.name}.check({right})"
        return f"{self.to_answer}  # your number{'s' * (len(self._dots) > 3)} for the dots"

    @property
    def to_answer(self) -> str:
        """The call by which it is answered, with dots for each number."""
        return f"lesson.{self.name}.check({self._dots})"

    @property
    def _dots(self) -> str:
        return ", ".join(["..."] * len(_values(self.solution, self.first)))

    # ---- numbers and answers ----

    def numbers(self, turn: int, student: str | None = None) -> tuple:
        """What a turn asks about: the first numbers, then what the seeds draw.

        A student's seeds differ from everybody's, and draw the first numbers, too. Raises
        ValueError if no draw tells the wrong answers from the right one.
        """
        student = self.student if student is None else student
        if turn == 0 and not student:
            return self.first
        source = random.Random(f"{self.name} {turn} {student}".rstrip())
        for _ in range(TRIES):
            drawn = self.draw(source)
            if self.tells_apart(drawn):
                return drawn
        raise ValueError(f"{self.name}: of {TRIES} draws none tells its answers apart")

    def tells_apart(self, numbers: tuple) -> bool:
        """Whether the right answer and all wrong ones are finite and differ."""
        functions = [self.solution, *(w.function for w in self.wrong_answers)]
        try:
            answers = [_values(function, numbers) for function in functions]
        except (ArithmeticError, ValueError):
            return False
        if not all(math.isfinite(x) for answer in answers for x in answer):
            return False
        pairs = itertools.combinations(answers, 2)
        return not any(self._agree(a, b) for a, b in pairs)

    def _agree(self, a: tuple, b: tuple) -> bool:
        """Within one of the last decimal: rounding on the way may cost as much."""
        margin = 1.001 * 10**-self.decimals if self.decimals else 0
        return len(a) == len(b) and all(abs(x - y) <= margin for x, y in zip(a, b, strict=True))

    def diagnose(self, answers: tuple, numbers: tuple) -> Verdict | None:
        """None if the answers are right for these numbers, else what is wrong."""
        if not answers or any(answer is ... or answer is None for answer in answers):
            return Verdict(NO_ANSWER, status="TODO")
        right = _values(self.solution, numbers)
        given = tuple(map(plain, answers))
        unfit = filter(None, map(_unfit, given, answers))
        if sentence := next(unfit, None):
            return Verdict(sentence)
        if len(answers) != len(right):
            comma = f" {COMMA}" if len(answers) > len(right) else ""
            return Verdict(f"{_count(right)}, and you gave {len(answers)}.{comma}")
        values = tuple(number.value for number in given)
        if self._agree(values, right):
            return None
        return Verdict(self._listed(values, right, numbers) or self._off(values, right))

    def _listed(self, values: tuple, right: tuple, numbers: tuple) -> str | None:
        """The message of the listed wrong answer that these are, perhaps rounded."""
        listed = [
            (wrong.message, _values(wrong.function, numbers)) for wrong in self.wrong_answers
        ]
        exact = [message for message, answer in listed if self._agree(values, answer)]
        if exact or self._rounded(values, right):
            return exact[0] if exact else None
        rounded = [message for message, answer in listed if self._rounded(values, answer)]
        return rounded[0] if len(rounded) == 1 else None

    def _rounded(self, values: tuple, answer: tuple) -> bool:
        """Whether these are an answer with fewer decimals, but with two digits or more."""
        if len(values) != len(answer) or not all(float(f"{x:.1g}") != x for x in values):
            return False
        cut = range(self.decimals)
        return any(
            all(round(x, n) == y for x, y in zip(answer, values, strict=True)) for n in cut
        )

    def _off(self, values: tuple, right: tuple) -> str:
        """In which direction the first answer that is off misses; not by how much."""
        pairs = [((got,), (wanted,)) for got, wanted in zip(values, right, strict=True)]
        place = next(n for n, pair in enumerate(pairs) if not self._agree(*pair))
        got, wanted = values[place], right[place]
        if not self.decimals and wanted == int(wanted) and got != int(got):
            return f"{got!r} is not a whole number. Give a whole number."
        cut = range(self.decimals)  # 1.5 is not 2 as far as 2 goes
        if any(round(wanted, n) == got and abs(wanted - got) < 0.5 / 10**n for n in cut):
            return f"{short(got)} is right as far as it goes. Give {self.precision}."
        which = f"Number {place + 1} ({short(got)})" if len(right) > 1 else short(got)
        return f"{which} is too {'large' if got > wanted else 'small'}."


def number_exercise(
    title: str,
    *,
    question: str,
    difficulty: int,
    importance: int,
    minutes: int,
    first: tuple,
    draw: Callable[[random.Random], tuple],
    worked: Callable[..., str],
    hints: tuple[str, ...],
    decimals: int = 0,
) -> Callable[[Callable], NumberExercise]:
    """Decorator: make the exercise that a function answers; for the options see there."""
    rating = (difficulty, importance, minutes)
    numbers = (first, draw, worked, hints, decimals)
    return lambda solution: NumberExercise(solution, title, question, *rating, *numbers)


def _values(function: Callable, numbers: tuple) -> tuple:
    """What a function answers, as a tuple however many numbers it is."""
    answer = function(*numbers)
    return answer if isinstance(answer, tuple) else (answer,)


def _unfit(value, answer) -> str | None:
    """Why something is not an answer, in a sentence; None for a finite number."""
    if isinstance(value, Number):
        finite = abs(value.value) < LARGEST  # also what Python has no float for
        return None if finite else "that is no finite number."
    if isinstance(value, str):
        return f"{short(answer)} is text. Type the number without quotation marks."
    if isinstance(answer, list | tuple):
        return "that is a list. Type the numbers with commas between them, no brackets."
    return f"that is of the type {type(answer).__name__}. Type a number."


def _count(right: tuple) -> str:
    asked = "one number is" if len(right) == 1 else f"{len(right)} numbers are"
    return f"{asked} asked for"
