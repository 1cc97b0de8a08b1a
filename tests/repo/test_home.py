"""The course's home: workflows, issue forms, citation, line ends, what each promises."""

import os
import re
import shutil
import subprocess
import tomllib
import zipfile
from pathlib import Path

import check_jsonschema
import pytest
import yaml

from tools import release

ROOT = Path(__file__).resolve().parents[2]
COURSE = ROOT / ".github/workflows/course.yml"
VENDORED = {
    "vendor.github-workflows": ".github/workflows/*.yml",
    "custom.github-workflows-require-timeout": ".github/workflows/*.yml",
    "vendor.github-issue-forms": ".github/ISSUE_TEMPLATE/[!c]*.yml",
    "vendor.github-issue-config": ".github/ISSUE_TEMPLATE/config.yml",
    "vendor.citation-file-format": "CITATION.cff",
    "vendor.dependabot": ".github/dependabot.yml",
}


def judged(schema, *paths) -> int:
    """The exit status of check-jsonschema with one of the schemas that it brings along."""
    arguments = ["--quiet", "--builtin-schema", schema, *map(str, paths)]
    with pytest.raises(SystemExit) as end:
        check_jsonschema.main(arguments)
    return end.value.code or 0


@pytest.mark.parametrize("schema", VENDORED)
def test_forms_and_workflows_keep_their_schemas(schema, tmp_path):
    paths = sorted(ROOT.glob(VENDORED[schema]))
    assert paths and judged(schema, *paths) == 0
    broken = tmp_path / "broken.yml"
    broken.write_text(yaml.safe_dump({"jobs": {"a": {"runs-on": 3, "stepz": []}}}))
    assert judged(schema, broken) == 1


def test_what_runs_before_a_commit_is_there():
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    words = [
        word for repo in config["repos"] for x in repo["hooks"] for word in x["entry"].split()
    ]
    named = [word for word in words if word.startswith("tests/")]
    assert named and [word for word in named if not (ROOT / word).is_file()] == []


def test_the_version_is_the_same_everywhere():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    entries = re.findall(r"^## (.*)$", changes, re.MULTILINE)
    assert entries[0] == f"{cited['version']}, {cited['date-released']:%Y-%m-%d}"
    assert re.fullmatch(r"\d+\.\d+\.\d+", project["version"])
    assert cited["version"] == project["version"]


def test_a_release_has_the_notes_of_its_version(monkeypatch, capsys):
    changes = (
        "# What changed\n\n## 2.0.0, 2027-01-01\n\nNew: [a](docs/a.md), [b](https://b.c).\n"
    )
    changes += "\n## 1.0.0, 2026-11-23\n\nOld.\n"
    assert release.notes(changes, "1.0.0") == "Old.\n"
    notes = release.notes(changes, "2.0.0", "https://x.y")
    assert notes == "New: [a](https://x.y/blob/v2.0.0/docs/a.md), [b](https://b.c).\n"
    with pytest.raises(ValueError, match="no section for 3.0.0"):
        release.notes(changes, "3.0.0")
    monkeypatch.setattr(release.sys, "argv", ["release.py", "notes"])
    release.main()
    assert "Eighteen lessons" in capsys.readouterr().out


def test_actions_are_named_by_the_hash_of_a_release():
    """One hash for each action, with its tag beside it, which dependabot changes as well."""
    texts = [path.read_text(encoding="utf-8") for path in ROOT.glob(".github/workflows/*.yml")]
    used = re.findall(r"uses: (.*)", "\n".join(texts))
    pinned = [re.fullmatch(r"([\w/-]+)@([0-9a-f]{40})  # v\d+\.\d+\.\d+", use) for use in used]
    assert len(used) > 10 and all(pinned), used
    assert len({use[1] for use in pinned}) == len({use[0] for use in pinned})


def jobs() -> dict:
    return yaml.safe_load(COURSE.read_text(encoding="utf-8"))["jobs"]


def steps(job: str) -> str:
    return "\n".join(step.get("run", "") for step in jobs()[job]["steps"])


def test_the_workflow_is_as_strict_as_ci():
    assert "bash .ci/run" in steps("everything") and "make site" in steps("book")
    text = COURSE.read_text(encoding="utf-8")
    assert "continue-on-error" not in text and "|| true" not in text
    commands = [line for job in jobs() for line in steps(job).splitlines()]
    for script in ("tools/setup.py install --dev", "tools/check.py --short"):
        assert f"python {script}" in commands


def test_every_system_and_both_ends_of_python_are_run():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    matrix = jobs()["systems"]["strategy"]["matrix"]
    assert matrix["os"] == ["ubuntu-latest", "macos-latest", "windows-latest"]
    oldest, newest = matrix["python"]
    after = f"3.{int(newest.split('.')[1]) + 1}"
    assert project["requires-python"] == f">={oldest},<{after}"


# ---- what git gives out -----------------------------------------------------------------


def attributes(*paths) -> dict:
    """path -> {attribute: value}, as git reads .gitattributes."""
    command = ["git", "check-attr", "text", "eol", "diff", "--", *paths]
    lines = subprocess.check_output(command, cwd=ROOT, text=True).splitlines()
    found = {path: {} for path in paths}
    for path, name, value in (line.split(": ") for line in lines):
        found[path][name] = value
    return found


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="a zip knows no git")
def test_windows_gets_the_same_bytes():
    text = (".ci/run", "README.md", "gpt1lib/bpe.py", "notebooks/05_the_causal_mask.ipynb")
    exact = ("data/checksums.json", "data/books/austen_emma.txt", "docs/what_you_see_dark.png")
    found = attributes(*text, *exact)
    assert all(found[path]["eol"] == "lf" for path in text)
    assert all(found[path]["text"] == "unset" for path in exact)


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="a zip knows no git")
def test_the_zip_holds_the_course(tmp_path):
    command = ["git", "archive", "--format=zip", "-o", tmp_path / "a.zip", "HEAD", "tools"]
    subprocess.run(command, cwd=ROOT, check=True)
    assert "tools/setup.py" in zipfile.ZipFile(tmp_path / "a.zip").namelist()
    assert "git archive" in (ROOT / "Makefile").read_text()


@pytest.mark.skipif(not shutil.which("make"), reason="no make")
def test_a_change_that_stays_at_home_is_told(tmp_path):
    shutil.copy(ROOT / "Makefile", tmp_path)
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", tmp_path]
    for command in (["init", "-q"], ["add", "Makefile"], ["commit", "-qm", "one"]):
        subprocess.run([*git, *command], check=True)

    # Under another make, as in `make test`, make also prints the folder that it enters.
    alone = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL")}

    def told() -> str:
        done = subprocess.run(
            ["make", "zip"], cwd=tmp_path, env=alone, capture_output=True, text=True
        )
        assert done.returncode == 0 and (tmp_path / "build/gpt1-course.zip").is_file()
        return done.stdout

    (tmp_path / ".git/info/exclude").write_text("build\n")
    assert told() == ""
    (tmp_path / "lesson.ipynb").write_text("{}")
    assert told().startswith("Not in the zip: changes that are not committed")
