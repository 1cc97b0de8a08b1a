"""A learner's own copies: made once, brought up to date, never overwritten."""

import errno
import io
import json
import os
import shutil
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from gpt1course import carry, progress, workspace
from gpt1course.__main__ import main
from gpt1course.checking import exercise
from gpt1course.checking.number_exercise import NumberExercise
from gpt1course.exercises import lesson01, lesson05
from gpt1lib.io import paths

LESSON, GALLERY = "05_the_causal_mask.ipynb", "gallery.ipynb"


def notebook(*sources, outputs=()):
    cells = [{"cell_type": "code", "source": [s], "outputs": [*outputs]} for s in sources]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


@pytest.fixture
def course(tmp_path, monkeypatch):
    """A course of two notebooks, and an empty `work` beside it."""
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    monkeypatch.setattr(workspace, "WORK", tmp_path / "work")
    (tmp_path / "notebooks").mkdir()
    for name in (LESSON, GALLERY):
        (tmp_path / "notebooks" / name).write_text(notebook("stub", "prose"))
    return tmp_path


def copies(course):
    folder = course / "work"
    return {p.relative_to(folder).as_posix(): p.read_text() for p in folder.rglob("*.ipynb")}


def test_copies_are_made_once(course, capsys):
    main(["update"])
    first = {p.name: p.read_text() for p in (course / "notebooks").iterdir()}
    assert copies(course) == first
    main(["update"])
    assert "up to date" in capsys.readouterr().out and copies(course) == first


def test_what_is_optional_as_a_whole_is_copied_into_its_folder(course, capsys):
    deeper = course / "notebooks" / "deeper" / "heads.ipynb"
    deeper.parent.mkdir()
    deeper.write_text(notebook("first"))
    main(["update"])
    assert copies(course)["deeper/heads.ipynb"] == notebook("first")
    (course / "work" / "deeper" / "heads.ipynb").write_text(notebook("mine"))
    deeper.write_text(notebook("second"))
    main(["update"])
    assert "the new lesson is deeper/heads_new.ipynb" in capsys.readouterr().out
    assert copies(course)["deeper/heads.ipynb"] == notebook("mine")
    assert copies(course)["deeper/heads_new.ipynb"] == notebook("second")


def test_a_new_lesson_is_added_and_an_untouched_one_replaced(course, capsys):
    main(["update"])
    ran = notebook("stub", "prose", outputs=[{"output_type": "stream", "text": "ran"}])
    (course / "work" / LESSON).write_text(ran)  # run, but nothing written
    (course / "notebooks" / LESSON).write_text(notebook("stub", "better prose"))
    (course / "notebooks" / "06_new.ipynb").write_text(notebook("new"))
    main(["update"])
    assert copies(course)[LESSON] == notebook("stub", "better prose")
    assert copies(course)["06_new.ipynb"] == notebook("new")
    said = capsys.readouterr().out
    assert f"{LESSON}: brought up to date" in said and "06_new.ipynb: added" in said


def test_what_a_learner_wrote_stays_and_the_new_lesson_stands_beside(course, capsys):
    main(["update"])
    mine = notebook("my answer", "prose")
    (course / "work" / LESSON).write_text(mine)
    for i, beside in ((1, "_new"), (2, "_new"), (3, "_new2")):
        (course / "notebooks" / LESSON).write_text(notebook("stub", f"prose {i}"))
        main(["update"])
        name = LESSON.replace(".ipynb", f"{beside}.ipynb")
        assert f"stays as it is; the new lesson is {name}" in capsys.readouterr().out
        assert copies(course)[LESSON] == mine
        assert copies(course)[name] == notebook("stub", f"prose {i}")
        main(["update"])
        assert "up to date" in capsys.readouterr().out
        if i == 2:  # an answer in the new one is an answer, too
            (course / "work" / name).write_text(notebook("my second answer"))
    assert copies(course)[LESSON.replace(".ipynb", "_new.ipynb")] == notebook(
        "my second answer"
    )


@pytest.mark.parametrize("damage", ["half a {", '{"cells": [{}]}', "[1]", ""])
def test_a_damaged_copy_or_record_costs_nothing(course, damage):
    main(["update"])
    (course / "work" / LESSON).write_text(damage)
    (course / "work" / ".copies.json").unlink()
    (course / "notebooks" / LESSON).write_text(notebook("stub", "better prose"))
    main(["update"])
    assert copies(course)[LESSON] == damage
    assert copies(course)[LESSON.replace(".", "_new.")] == notebook("stub", "better prose")


class Killed(BaseException):
    """Ends a process where a signal would."""


def killed_at(monkeypatch, n, after):
    """Whether `update` came to its n-th write, and was stopped just before it or just after."""
    replace, left = os.replace, [n]

    def replace_or_die(*names):
        left[0] -= 1
        if left[0] == 0 and not after:
            raise Killed
        replace(*names)
        if left[0] == 0:
            raise Killed

    with monkeypatch.context() as m:
        m.setattr(os, "replace", replace_or_die)
        try:
            main(["update"])
        except Killed:
            return True
    return False


def ship(course, prose):
    for name in (LESSON, GALLERY):
        (course / "notebooks" / name).write_text(notebook("stub", prose))


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("first", [True, False])
def test_a_stopped_update_never_makes_an_untouched_copy_the_learners(
    course, monkeypatch, first, after
):
    for n in range(1, 100):
        shutil.rmtree(course / "work", ignore_errors=True)
        ship(course, "prose")
        if not first:
            main(["update"])
            ship(course, "better prose")
        if not killed_at(monkeypatch, n, after):
            break
        ship(course, f"prose after {n}")
        main(["update"])
        assert set(copies(course)) == {LESSON, GALLERY}
        assert set(copies(course).values()) == {notebook("stub", f"prose after {n}")}
    assert n > 4, "each copy, and a record before and after it"


def test_a_stopped_update_leaves_no_litter(course):
    main(["update"])
    litter = course / "work" / f".{LESSON}.4711.tmp"
    litter.write_text("half a {")
    main(["update"])
    assert not litter.exists()


WROTE = notebook("my answer", "prose")


def run_until(command: list[str], n: int) -> int:
    """Run a command in a process that kills itself before it asks the system for the n-th file.

    Returns how it ended: -SIGKILL, or how often it asked.
    """
    asked = [0]

    def count(event, arguments):
        asked[0] += event == "open" or event.startswith("os.")
        if asked[0] == n:
            os.kill(os.getpid(), signal.SIGKILL)  # no handler, no farewell

    process = os.fork()
    if process == 0:
        try:
            with redirect_stdout(io.StringIO()):
                sys.addaudithook(count)
                main(command)
            os._exit(min(asked[0], 250))
        finally:
            os._exit(251)  # never on into the tests
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def begin(course):
    """A learner wrote into one of two copies, and both lessons have changed since."""
    shutil.rmtree(course / "work", ignore_errors=True)
    ship(course, "prose")
    main(["update"])
    (course / "work" / LESSON).write_text(WROTE)
    ship(course, "better prose")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows has no fork")
@pytest.mark.parametrize("command", [["update"], ["again", "05"]])
@pytest.mark.parametrize("every", [7, pytest.param(1, marks=pytest.mark.slow)])
def test_killed_at_any_moment_it_loses_nothing(course, command, every):
    begin(course)
    moments = run_until(command, 1_000_000)
    assert 10 < moments < 250
    for moment in range(1, moments + 1, every):
        begin(course)
        assert run_until(command, moment) == -signal.SIGKILL
        assert WROTE in copies(course).values(), "what the learner wrote"
        ship(course, "the best prose")
        main(["update"])
        found = copies(course)
        assert WROTE in found.values()
        assert found.pop(GALLERY) == notebook("stub", "the best prose")
        assert any("the best prose" in text for text in found.values())
        assert not list((course / "work").rglob("*.tmp"))


@pytest.mark.parametrize("damage", ["half a {", '{"written": null}', '{"seen": 5}', "[1]"])
def test_a_damaged_record_names_its_cure(course, damage):
    main(["update"])
    (course / "work" / ".copies.json").write_text(damage)
    for command in (["update"], ["again", "05"]):
        with pytest.raises(SystemExit, match=r"\.copies\.json is damaged\. Delete it"):
            main(command)
    (course / "work" / ".copies.json").unlink()
    main(["update"])
    ship(course, "better prose")
    main(["update"])
    assert set(copies(course).values()) == {notebook("stub", "better prose")}


@pytest.mark.parametrize("name", [".copies.json", LESSON])
def test_a_full_disk_is_told_with_the_name_of_the_file(course, monkeypatch, name):
    write = Path.write_text

    def full(path, *args, **kwargs):
        if path.name.startswith(f".{name}"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(path, *args, **kwargs)

    with monkeypatch.context() as m:
        m.setattr(Path, "write_text", full)
        with pytest.raises(SystemExit, match=f"{name}: No space left on device"):
            main(["update"])
    main(["update"])
    assert set(copies(course)) == {LESSON, GALLERY}


def test_what_is_kept_is_told_also_where_the_records_are_gone(course, capsys):
    """As after the advice to delete the damaged records: nothing is added then."""
    main(["update"])
    assert (
        capsys.readouterr().out == f"Your own copies of the lessons are in {workspace.WORK}\n"
    )
    (course / "work" / LESSON).write_text(notebook("my answer", "prose"))
    (course / "notebooks" / LESSON).write_text(notebook("stub", "better prose"))
    (course / "notebooks" / "06_new.ipynb").write_text(notebook("new"))
    (course / "work" / ".copies.json").unlink()
    main(["update"])
    said = capsys.readouterr().out.splitlines()
    assert said[0] == f"Your own copies of the lessons are in {workspace.WORK}"
    assert len(said) == 2 and said[1].startswith(f"{LESSON} is yours and stays as it is")


def test_starting_over_keeps_what_was_written(course, capsys):
    main(["update"])
    progress.keep_passed("05", "causal_mask")
    for kept in ("_before", "_before2"):
        (course / "work" / LESSON).write_text(notebook(kept))
        main(["again", "5"])
        assert copies(course)[LESSON] == notebook("stub", "prose")
        assert copies(course)[LESSON.replace(".", f"{kept}.")] == notebook(kept)
    assert progress.solved() == {} and "is kept in" in capsys.readouterr().out
    for wrong in ("77", "", "x"):
        with pytest.raises(SystemExit, match=f"no lesson '{wrong}'; there are 05"):
            main(["again", wrong])
    assert len(copies(course)) == 4


# ---- what a learner wrote goes into the new lesson -----------------------------------------


def cell(name: str, text: str, exercise: str = "") -> dict:
    made = {"id": name, "cell_type": "code", "metadata": {}, "source": text, "outputs": ["old"]}
    if exercise:
        made["metadata"] = {"gpt1": {"exercise": exercise, "part": "stub"}}
    return made


def lesson(*cells: dict) -> dict:
    return {"cells": list(cells), "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


STUB, ANSWER = "def f(x):\n    ...", "def f(x):\n    return 1"
OLD = lesson(cell("a", "one"), cell("f-stub", STUB, "f"), cell("b", "x = 5"), cell("c", "gone"))
NEW = lesson(
    cell("a", "new one"),
    cell("new", "!"),
    cell("f-stub", f"# better\n{STUB}", "f"),
    cell("b", "x = 5"),
)
MINE = lesson(
    cell("a", "one"),
    cell("f-stub", ANSWER, "f"),
    cell("0815", "my own cell"),
    cell("b", "x = 7"),
    cell("c", "gone"),
)


def sources(notebook: dict) -> list[str]:
    return [carry.source(one) for one in notebook["cells"]]


def test_answers_own_cells_and_changed_values_are_carried():
    made, answers, left = carry.carried(OLD, MINE, NEW)
    assert sources(made) == ["new one", "!", ANSWER, "my own cell", "x = 7"]
    assert (answers, left) == (["f"], 0)
    assert made["cells"][2]["outputs"] == [] and made["cells"][1]["outputs"] == ["old"]
    assert NEW["cells"][2]["source"].startswith("# better"), "nothing was changed in place"


def test_what_both_changed_is_the_lessons_but_for_answers():
    mine = lesson(cell("a", "my one"), cell("f-stub", ANSWER, "f"), cell("b", "x = 5"))
    made, answers, left = carry.carried(OLD, mine, NEW)
    assert sources(made) == ["new one", "!", ANSWER, "x = 5"] and (answers, left) == (["f"], 1)


def test_a_lesson_of_unknown_origin_gives_its_answers():
    mine = lesson(*MINE["cells"], cell("g-stub", "lesson.g.check(...)", "g"))
    new = lesson(*NEW["cells"], cell("g-stub", "lesson.g.check(..., ...)", "g"))
    made, answers, _ = carry.carried(lesson(), mine, new)
    assert sources(made) == ["new one", "!", ANSWER, "x = 5", "lesson.g.check(..., ...)"]
    assert answers == ["f"]


def test_to_carry_twice_changes_nothing():
    once, _, _ = carry.carried(OLD, MINE, NEW)
    for base in (OLD, NEW):  # stopped before the new version was kept, or after
        assert sources(carry.carried(base, once, NEW)[0]) == sources(once)


def test_an_update_carries_answers_and_keeps_the_old_copy(course, capsys):
    (course / "notebooks" / LESSON).write_text(json.dumps(OLD))
    main(["update"])
    (course / "work" / LESSON).write_text(json.dumps(MINE))
    (course / "notebooks" / LESSON).write_text(json.dumps(NEW))
    capsys.readouterr()
    main(["update"])
    old = LESSON.replace(".", "_before.")
    told = f"{LESSON}: the new version, with your 1 answer. Your old copy is {old}"
    assert capsys.readouterr().out.strip() == told
    assert json.loads(copies(course)[old]) == MINE
    made = json.loads(copies(course)[LESSON])
    assert sources(made) == ["new one", "!", ANSWER, "my own cell", "x = 7"]
    main(["update"])
    assert "up to date" in capsys.readouterr().out
    newer = lesson(*NEW["cells"], cell("end", "more"))
    (course / "notebooks" / LESSON).write_text(json.dumps(newer))
    main(["update"])
    assert sources(json.loads(copies(course)[LESSON])) == [*sources(made), "more"]
    assert json.loads(copies(course)[LESSON.replace(".", "_before2.")]) == made


def test_an_update_that_is_stopped_loses_no_answer(course, monkeypatch):
    for after in (False, True):
        for n in range(1, 100):
            shutil.rmtree(course / "work", ignore_errors=True)
            (course / "notebooks" / LESSON).write_text(json.dumps(OLD))
            main(["update"])
            (course / "work" / LESSON).write_text(json.dumps(MINE))
            (course / "notebooks" / LESSON).write_text(json.dumps(NEW))
            if not killed_at(monkeypatch, n, after):
                break
            main(["update"])
            found = copies(course)
            assert ANSWER in sources(json.loads(found[LESSON]))
            assert json.loads(found[LESSON.replace(".", "_before.")]) == MINE
        assert n > 3, "the old copy, the new one, and the record"


def test_every_cell_of_a_real_lesson_is_found_again():
    """What is shipped, carried into itself with one answer, is the lesson with that answer."""
    path = paths.ROOT / "notebooks" / LESSON
    shipped_now = json.loads(path.read_text(encoding="utf-8"))
    mine = json.loads(path.read_text(encoding="utf-8"))
    stub = next(c for c in mine["cells"] if carry.is_answer(c))
    stub["source"] = ["def causal_mask(T):\n", "    return 1"]
    made, answers, left = carry.carried(shipped_now, mine, shipped_now)
    assert sources(made) == sources(mine) and (answers, left) == (["causal_mask"], 0)
    assert carry.carried(lesson(), shipped_now, shipped_now) == (shipped_now, [], 0)


# ---- progress ---------------------------------------------------------------------------


def test_what_passes_is_kept_where_a_learner_works(course, monkeypatch, capsys):
    def causal_mask(*given):
        return lesson05.causal_mask(*given)

    monkeypatch.setenv("GPT1_STRICT", "0")
    monkeypatch.chdir(course / "notebooks")
    assert exercise.check(lesson05.causal_mask, causal_mask) is causal_mask
    assert not (course / "work").exists()
    main(["update"])
    monkeypatch.chdir(course / "work")
    exercise.check(lesson05.causal_mask, lambda *given: None)
    assert progress.solved() == {}
    exercise.check(lesson05.causal_mask, causal_mask)
    assert progress.solved().keys() == {"05"} and progress.solved()["05"].keys() == {
        "causal_mask"
    }
    capsys.readouterr()
    progress.print_progress()
    assert "05 the causal mask" in (said := capsys.readouterr().out) and "●○○○○" in said
    assert "left: running_mean, " in said


def test_the_notebooks_own_question_counts_after_another_was_asked(course, monkeypatch):
    main(["update"])
    monkeypatch.chdir(course / "work")
    e = next(e for e in lesson01.EXERCISES if isinstance(e, NumberExercise))
    monkeypatch.setattr(e, "turn", 0)
    e.another()
    right = e.solution(*e.first)
    e.check(*(right if isinstance(right, tuple) else (right,)))
    assert progress.solved()["01"].keys() == {e.name}


def test_two_open_lessons_keep_each_others_progress(course, monkeypatch):
    main(["update"])
    read = progress.solved

    def read_and_wait():
        passed = read()
        time.sleep(0.1)  # the other lesson would read the same here
        return passed

    monkeypatch.setattr(progress, "solved", read_and_wait)
    names = [e.name for e in lesson05.EXERCISES]
    with ThreadPoolExecutor() as lessons:
        list(lessons.map(progress.keep_passed, ["05"] * len(names), names))
    assert read()["05"].keys() == {*names}
    progress.keep_passed("01", "one")
    progress.forget("05")
    assert read().keys() == {"01"}


def test_progress_never_stops_a_lesson(course, monkeypatch, capsys):
    main(["update"])
    monkeypatch.chdir(course / "work")
    (course / "work" / "progress.json").write_text("half a {")
    progress.note(lesson05.causal_mask.solution)
    assert "could not be kept" in capsys.readouterr().out
    assert (course / "work" / "progress.json").read_text() == "half a {"
    (course / "work" / "progress.json").write_text('{"05": null}')
    with pytest.raises(SystemExit, match="progress.json is damaged: delete it"):
        main(["progress"])


def test_a_number_that_is_right_is_kept(course, monkeypatch):
    exercises = [e for e in lesson01.EXERCISES if isinstance(e, NumberExercise)]
    number = next(e for e in exercises if not isinstance(e(*e.first), tuple))
    main(["update"])
    monkeypatch.chdir(course / "work")
    monkeypatch.setenv("GPT1_STRICT", "0")
    number.check(number(*number.first) + 99)
    assert progress.solved() == {}
    number.check(number(*number.first))
    assert number.name in progress.solved()["01"]
