"""What was handed in: files, folders, and the zip files of a learning platform.

Zips are unpacked into a folder beside the table of marks, so that you can open what is in them.
Only notebooks are looked at. Everything else is named, so that nobody seems to have handed in
nothing.
"""

import lzma
import re
import shutil
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain, count
from pathlib import Path
from typing import NamedTuple

from gpt1lib.io.files import read_json, write_json

LARGEST_ZIP, MOST_FILES = 2_000_000_000, 20_000  # bytes unpacked, and members
DEEPEST = 3  # zips in zips
OWNERS = ".zips.json"  # name of a folder with unpacked files -> the path that it belongs to
PLATFORM = re.compile(
    r"(?P<moodle>.+?)_(?P<participant>\d+)_assignsubmission_"
    r"|(?P<canvas>[^_]+)(_LATE)?_(?P<user>\d+)_\d+_"
)
"""How Moodle and Canvas name what a student hands in: the student, then numbers."""
DAMAGED = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError,
    ValueError,  # a place before the file's beginning, or a name in no encoding
    OSError,  # what bz2 raises
    RuntimeError,  # a password, or a method of compression that Python lacks
)  # fmt: skip
"""What unpacking a damaged zip raises, or one that Python cannot read."""
Refused = dict[Path, str]
"""Zip -> why it was not unpacked."""


def unpack(given: list[Path], folder: Path) -> tuple[list[Path], list[str]]:
    """(what to look at, where zips are replaced by folders; the files that are not looked at).

    folder: where zips are unpacked. Of a zip that cannot be unpacked the reason is told, too.
    Raises ValueError for one that was given itself, and not in a folder or in another zip.
    """
    roots = [path for path in dict.fromkeys(given) if path.is_dir()]
    with_zips = {path: zips for path in dict.fromkeys(given) if (zips := zips_of(path))}
    owners = owners_in(folder)
    made = {path: folder / own_name(path.resolve(), owners) for path in with_zips}
    refused: Refused = {}
    for path, zips in with_zips.items():
        with replacing(made[path]) as new:
            found = extract_each(path, zips, new)
        refused |= {moved(one, new, made[path]): why for one, why in found.items()}
    if made:
        write_json(folder / OWNERS, owners)
    kept = [made[path] if is_zip(path) else path for path in given]
    kept += [made[path] for path in roots if path in made]
    others = [path for root in roots for path in zips_and_others(root)[1]]
    others += [path for place in made.values() for path in chain(*zips_and_others(place))]
    told = [with_reason(path, refused) for path in dict.fromkeys([*others, *refused])]
    return list(dict.fromkeys(kept)), told


def moved(path: Path, old: Path, new: Path) -> Path:
    """Where a path is once a folder that may contain it has another place."""
    return new / path.relative_to(old) if path.is_relative_to(old) else path


def with_reason(path: Path, refused: Refused) -> str:
    """A file that is not looked at, and why if it is a zip that was refused."""
    return f"{path} ({refused[path]})" if path in refused else str(path)


def is_zip(path: Path) -> bool:
    """Whether a path is a zip file, by its name."""
    return path.suffix.lower() == ".zip" and path.is_file()


def zips_of(path: Path) -> dict[Path, Path]:
    """The zips that a path is or contains, and where each is unpacked, seen from its folder."""
    if path.is_dir():
        return {p: p.relative_to(path).with_suffix("") for p in zips_and_others(path)[0]}
    return {path: Path()} if is_zip(path) else {}


def zips_and_others(folder: Path) -> tuple[list[Path], list[Path]]:
    """The zip files in a folder and below it, and what is neither one nor a notebook."""
    files = sorted(p for p in folder.rglob("*") if p.is_file() and not hidden(p, folder))
    zips = [path for path in files if is_zip(path)]
    others = [path for path in files if path.suffix.lower() not in (".zip", ".ipynb")]
    return zips, others


def hidden(path: Path, folder: Path) -> bool:
    """Whether a file in a folder is one that a system or JupyterLab keeps for itself."""
    parts = path.relative_to(folder).parts
    return any(part.startswith(".") or part == "__MACOSX" for part in parts)


def extract_each(path: Path, zips: dict[Path, Path], new: Path) -> Refused:
    """Unpack what `zips_of` found in a path into a new folder; returns what was refused.

    Raises ValueError if the path is a zip itself and cannot be unpacked.
    """
    refused: Refused = {}
    for one, place in zips.items():
        try:
            refused |= extract_with_inner(one, free_path(new / place))
        except ValueError as error:
            if one == path:
                raise ValueError(f"{path} {error}") from error
            refused[one] = str(error)
    new.mkdir(parents=True, exist_ok=True)  # also where nothing could be unpacked
    return refused


def extract_with_inner(path: Path, folder: Path, depth: int = 1) -> Refused:
    """Unpack a zip into a new folder, and the zips in it; returns those that were refused.

    Raises ValueError, without the zip's name, if it cannot be unpacked itself.
    """
    extract(path, folder)
    refused: Refused = {}
    for inner in zips_and_others(folder)[0] if depth < DEEPEST else ():
        try:
            place = free_path(inner.with_suffix(""))
            refused |= extract_with_inner(inner, place, depth + 1)
            inner.unlink()
        except ValueError as error:
            refused[inner] = str(error)
    return refused


def extract(path: Path, folder: Path) -> None:
    """Unpack a zip into a new folder, whole or not at all; ValueError if it cannot be."""
    try:
        with zipfile.ZipFile(path) as archive:
            too_much = too_much_in(archive.infolist())
            if not too_much:
                folder.mkdir(parents=True)
                archive.extractall(folder)  # which leaves out "..", and a leading "/"
    except DAMAGED as error:
        shutil.rmtree(folder, ignore_errors=True)
        why = str(error) or type(error).__name__
        raise ValueError(f"cannot be unpacked: {why}") from error
    if too_much:
        what_to_do = "mark its files one by one"
        raise ValueError(f"is too large to unpack: {too_much}; {what_to_do}")


def too_much_in(members: list[zipfile.ZipInfo]) -> str:
    """What is too much in a zip, and the limit, in words; empty if nothing is."""
    size = sum(member.file_size for member in members)
    if len(members) > MOST_FILES:
        return f"it has {len(members):,} files, at most {MOST_FILES:,} are unpacked"
    return f"it has {size:,} bytes, at most {LARGEST_ZIP:,} are unpacked" * (size > LARGEST_ZIP)


# ---- the folders for zips ---------------------------------------------------------------


def owners_in(folder: Path) -> dict[str, str]:
    """Name of a folder -> the zip, or folder with zips, that earlier runs unpacked there."""
    index = folder / OWNERS
    return read_json(index) if index.is_file() else {}


def own_name(path: Path, owners: dict[str, str]) -> str:
    """The name of the folder for a path, the same in each run; `owners` has it from then on.

    Zips in different places may have one name, and work of the same students.
    """
    name = (path.name if path.is_dir() else path.stem).lstrip(".") or "_"  # never hidden

    def belongs_to_another(one: str) -> bool:
        return owners.setdefault(one.casefold(), str(path)) != str(path)

    return free_name(name, belongs_to_another)


def free_name(name: str, is_taken: Callable[[str], bool]) -> str:
    """The name, or the first of name_2, name_3 and so on that is not taken."""
    names = chain([name], (f"{name}_{n}" for n in count(2)))
    return next(one for one in names if not is_taken(one))


def free_path(path: Path) -> Path:
    """The path, or one beside it where there is something already."""
    return path.with_name(free_name(path.name, lambda name: path.with_name(name).exists()))


@contextmanager
def replacing(folder: Path) -> Iterator[Path]:
    """A path for a new folder that takes the place of another, whole or not at all."""
    new, old = folder.with_name(".new"), folder.with_name(".old")
    for left in (new, old):  # by a run that was ended
        shutil.rmtree(left, ignore_errors=True)
    try:
        yield new
        if folder.exists():
            folder.rename(old)
        new.rename(folder)
        shutil.rmtree(old, ignore_errors=True)
    finally:
        if old.exists() and not folder.exists():
            old.rename(folder)
        shutil.rmtree(new, ignore_errors=True)


# ---- whose it is ------------------------------------------------------------------------


class Named(NamedTuple):
    """Whom a platform names.

    number: by which it knows the student in `where`; empty for one that cannot be of a
    platform, such as that of lesson 05.
    """

    student: str
    number: str
    where: str


def named_in(name: str) -> Named | None:
    """Whom the name of a folder or a file names; None if no platform has made it."""
    found = PLATFORM.match(name)
    if found is None:
        return None
    number = found["participant"] or found["user"]
    number = "" if number.startswith("0") else number
    where = "assignment" if found["moodle"] else "course"
    return Named(found["moodle"] or found["canvas"], number, where)


def folder_or_file(path: Path, given: list[Path]) -> str:
    """What names a student: the folder below the one that was given, else the file."""
    for root in given:
        if root.is_dir() and path.is_relative_to(root):
            first, *more = path.relative_to(root).parts
            return first if more else Path(first).stem
    return path.stem


def student_of(path: Path, given: list[Path]) -> str:
    """Whose a notebook is, as far as its folder or its name tells."""
    name = folder_or_file(path, given)
    named = named_in(name)
    return named.student if named else name
