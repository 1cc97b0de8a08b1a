"""Options of a run: one frozen record, read from a file and from the command line.

A record is a dataclass whose fields come from `option`. Its options on the command line,
their help and their values all follow from the fields, so that no default is typed twice.
"""

import argparse
from collections.abc import Collection
from dataclasses import Field, field, fields, is_dataclass
from typing import Any


def option(
    default: Any,
    text: str,
    *old_names: str,
    changes_result: bool = True,
    choices: Collection[str] | None = None,
) -> Any:  # as dataclasses.field: it stands in for a value
    """A field with its help. old_names: accepted too, for earlier runs and files.

    changes_result: whether a resumed run must share its value.
    """
    return field(
        default=default,
        metadata={
            "help": text,
            "old_names": old_names,
            "changes_result": changes_result,
            "choices": choices,
        },
    )


def renamed(record: type) -> dict[str, str]:
    """old name -> new name of all fields that once had another name."""
    return {old: f.name for f in fields(record) for old in f.metadata.get("old_names", ())}


def with_field_names(record: type, given: dict) -> dict:
    """Values under the names of today.

    ValueError for a name that is no option, and for one option under two names.
    """
    new_names, known = renamed(record), [f.name for f in fields(record)]
    twice = sorted(new_names[name] for name in given if new_names.get(name) in given)
    if twice:
        raise ValueError(f"options {twice} are given twice, by an old name and by the new one")
    given = {new_names.get(name, name): value for name, value in given.items()}
    unknown = sorted(set(given) - set(known))
    if unknown:
        raise ValueError(f"unknown options {unknown}, known: {sorted(known)}")
    return given


def need(record, name: str, holds: bool, what: str) -> None:
    """ValueError that names a field and its value unless something holds."""
    if not holds:
        raise ValueError(f"{name} is {getattr(record, name)!r}, it must be {what}")


def add_options(
    parser: argparse.ArgumentParser, now, title: str, texts: dict[str, str] | None = None
) -> None:
    """One option for each field of the record `now`; its help shows the value of `now`.

    texts: field -> help, for a record whose fields carry none; other fields get no option.
    What was not typed is None, so that it can be told from a value that was. Old names are
    accepted and do not show in the help.
    """
    group = parser.add_argument_group(title)
    for f in fields(now):
        text = f.metadata.get("help") if texts is None else texts.get(f.name)
        if text and not is_dataclass(value := getattr(now, f.name)):
            shown = " ".join(map(str, value)) if isinstance(value, tuple) else value
            text = text if value is None else f"{text} (default: {shown})"
            helps = {f.name: text.replace("%", "%%")}
            helps |= dict.fromkeys(f.metadata.get("old_names", ()), argparse.SUPPRESS)
            for name, line in helps.items():
                flag = "--" + name.replace("_", "-")
                group.add_argument(flag, dest=f.name, help=line, default=None, **_kind(f))


def given_options(args: argparse.Namespace, record: type) -> dict:
    """The fields of a record that were typed on the command line."""
    names = {f.name for f in fields(record)}
    given = {k: v for k, v in vars(args).items() if k in names and v is not None}
    return {k: tuple(v) if isinstance(v, list) else v for k, v in given.items()}


def _kind(f: Field) -> dict:
    """What argparse needs to read a value of the field's kind."""
    if choices := f.metadata.get("choices"):
        return {"choices": choices}
    if isinstance(f.default, bool):
        return {"action": argparse.BooleanOptionalAction}
    if isinstance(f.default, tuple):
        return {"type": float, "nargs": len(f.default)}
    return {"type": int if f.default is None else type(f.default)}  # None: no limit
