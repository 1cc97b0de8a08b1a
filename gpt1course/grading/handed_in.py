"""What was handed in: files, folders, and the zip files of a learning platform.

A zip is unpacked into a folder beside the table of marks, so that you can open what is in it.
Only notebooks are looked at. Everything else is named, so that nobody seems to have handed in
nothing.
"""

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

LARGEST_ZIP, MOST_FILES = 2_000_000_000, 20_000  # bytes unpacked, and members
DEEPEST = 3  # zips in zips
PLATFORM = re.compile(r"(?P<name>.+?)_\d+_assignsubmission_|(?P<canvas>[^_]+)(_LATE)?_\d+_\d+_")
"""How Moodle and Canvas name what a student hands in: the student, then numbers."""


def unpack(given: list[Path], folder: Path) -> tuple[list[Path], list[str]]:
    """(what to look at, where zips are replaced by folders; the files that are not looked at).

    folder: where zips are unpacked. Raises ValueError for a zip that is damaged or far too
    large, naming it.
    """
    kept = [unpacked(p, folder / p.stem) if is_zip(p) else p for p in given]
    for root in [path for path in kept if path.is_dir()]:
        zips, _ = zips_and_others(root)
        for path in zips:
            unpacked(path, folder / root.name / path.relative_to(root).with_suffix(""))
        kept += [folder / root.name] if zips else []
    roots = dict.fromkeys(path for path in kept if path.is_dir())
    others = [str(path) for root in roots for path in zips_and_others(root)[1]]
    return list(dict.fromkeys(kept)), others


def is_zip(path: Path) -> bool:
    """Whether a path is a zip file, by its name."""
    return path.suffix.lower() == ".zip" and path.is_file()


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


def unpacked(path: Path, folder: Path, depth: int = 1) -> Path:
    """Unpack a zip into a folder, and the zips in it; returns the folder."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            if len(members) > MOST_FILES or sum(m.file_size for m in members) > LARGEST_ZIP:
                raise ValueError(f"{path} is too large to unpack: mark its files one by one")
            for member in members:
                archive.extract(member, folder)  # which leaves out "..", and a leading "/"
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError) as error:
        raise ValueError(f"{path} cannot be unpacked ({error})") from error
    for inner in zips_and_others(folder)[0] if depth < DEEPEST else ():
        unpacked(inner, inner.with_suffix(""), depth + 1)
        inner.unlink()
    return folder


# ---- whose it is ------------------------------------------------------------------------


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
    found = PLATFORM.match(name)
    return (found["name"] or found["canvas"]) if found else name


def numbers_in(name: str) -> Iterator[str]:
    """The numbers by which a platform knows a student, in a folder's or file's name."""
    return (n for n in re.findall(r"(?<=_)\d+(?=_)", name))
