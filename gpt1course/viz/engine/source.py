"""The engine's own JavaScript, cut out of its files: what lessons show."""

import re

from .bundle import HERE

BEGINS = r"^( *)(?:export )?(?:async )?(?:function\*? )?\*?{name}\(.*\{{$"


def source_of(name: str, file: str = "gpt") -> str:
    """A function or method of FILE.js, from the comment above it to its closing brace.

    ValueError unless the file defines it, once, over several lines.
    """
    lines = (HERE / f"{file}.js").read_text(encoding="utf-8").splitlines()
    begins = re.compile(BEGINS.format(name=re.escape(name)))
    found = [i for i, line in enumerate(lines) if begins.match(line)]
    if len(found) != 1:
        raise ValueError(f"{file}.js defines {name} {len(found)} times, it must be once")
    first = last = found[0]
    indent = " " * (len(lines[first]) - len(lines[first].lstrip()))
    while lines[last] != f"{indent}}}":
        last += 1
    while lines[first - 1].startswith(f"{indent}//"):
        first -= 1
    return "\n".join(lines[first : last + 1])


def line_with(source: str, words: str) -> str:
    """The one line of a source with these words, without its comment; else ValueError."""
    found = [line.strip() for line in source.splitlines() if words in line]
    if len(found) != 1:
        raise ValueError(f"{words!r} stands in {len(found)} lines, it must be one")
    return re.split(r"  # |; // ", found[0])[0].rstrip(";")
