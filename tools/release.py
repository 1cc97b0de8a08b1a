"""The notes of a release, which are its section of CHANGELOG.md, and its tag.

python tools/release.py notes [--url ADDRESS]     print them; url: what links begin with
python tools/release.py tag                       tag this commit with the version and them
"""

import argparse
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def version() -> str:
    """The version in pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "version"
    ]


def notes(changelog: str, number: str, url: str = "") -> str:
    """The section of a version; with url its links lead to the files of that release.

    ValueError where the changelog has no such section.
    """
    part = re.search(
        rf"^## {re.escape(number)}, .*\n((?:(?!## ).*\n?)*)", changelog, re.MULTILINE
    )
    if part is None:
        raise ValueError(f"CHANGELOG.md has no section for {number}")
    text = part[1].strip() + "\n"
    return re.sub(r"(?<=\]\()(?!\w+:)", f"{url}/blob/v{number}/", text) if url else text


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("command", choices=["notes", "tag"])
    parser.add_argument("--url", default="", help="the repository's address")
    args = parser.parse_args()
    try:
        text = notes((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), version(), args.url)
    except ValueError as error:
        sys.exit(str(error))
    if args.command == "notes":
        print(text, end="")
        return
    name = f"v{version()}"
    subprocess.run(["git", "tag", "-a", name, "-m", text], cwd=ROOT, check=True)
    print(f"To publish it: git push origin {name}")


if __name__ == "__main__":
    main()
