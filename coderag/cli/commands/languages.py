"""`coderag languages`: what is read, by what, and whether its grammar is installed."""

from __future__ import annotations

import argparse
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any

from coderag.cli.exit_codes import FOUND
from coderag.cli.output.records import print_records
from coderag.cli.output.text import Style, screen, table
from coderag.syntax.language import Language, languages

__all__ = ["run"]


def run(options: argparse.Namespace) -> int:
    """Print every language."""
    records = [_record(language) for language in languages().values()]
    if options.json:
        print_records(records, options.format)
        return FOUND
    shown = screen(options.color)
    rows = [("Language", "Name", "Content", "Reader", "Grammar", "Files")]
    rows += [
        (one["title"], one["name"], one["content"], one["reader"], _grammar_text(one), _files(one)) for one in records
    ]
    head, *rest = table(rows, indent="")
    print(shown.paint(head, Style.DIM))
    for record, line in zip(records, rest, strict=True):
        missing = record["grammar"] and not record["version"]
        print(shown.paint(line, Style.BAD) if missing else line)
    return FOUND


def _record(language: Language) -> dict[str, Any]:
    return {
        "name": language.name,
        "title": language.title,
        "content": str(language.content),
        "reader": language.reader,
        "grammar": language.grammar,
        "version": _grammar_version(language.grammar) if language.grammar else "",
        "extensions": language.extensions,
        "filenames": language.filenames,
    }


def _grammar_version(module: str) -> str:
    """Return the version of a grammar's package, "" when it is not installed."""
    if find_spec(module) is None:
        return ""
    try:
        return version(module.replace("_", "-"))
    except PackageNotFoundError:
        return "installed"


def _grammar_text(record: dict[str, Any]) -> str:
    return record["version"] or ("missing" if record["grammar"] else "")


def _files(record: dict[str, Any]) -> str:
    return " ".join((*record["extensions"], *record["filenames"]))
