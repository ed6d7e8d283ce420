"""`coderag doctor`: whether coderag works here, and what to do where it does not."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from importlib.util import find_spec

from coderag.agents.checks import Check, Level, check_agents, check_installation, check_server
from coderag.agents.file_locations import FileLocations
from coderag.agents.ledger import Ledger
from coderag.agents.own_command import own_command
from coderag.api.index import Index
from coderag.api.roots import Root
from coderag.cli.exit_codes import FOUND, NOTHING
from coderag.cli.groups import for_owners
from coderag.cli.output.records import print_records
from coderag.cli.output.text import Screen, Style, screen, visible
from coderag.cli.roots import given_roots
from coderag.errors import IndexMissingError, StoredIndexError
from coderag.syntax.language import languages
from coderag.text.counted import counted

__all__ = ["run"]

STYLES = {Level.OK: Style.GOOD, Level.WARNING: Style.TITLE, Level.PROBLEM: Style.BAD}


def run(options: argparse.Namespace) -> int:
    """Print every check as it is made; 1 when one of them found a problem."""
    for_owners("doctor")
    shown = screen(options.color)
    checks = []
    for check in _checks(given_roots(options, options.root)):
        checks.append(check)
        if not options.json:
            print("\n".join(_lines(check, shown)), flush=True)
    if options.json:
        print_records(checks, options.format)
    return NOTHING if any(check.level is Level.PROBLEM for check in checks) else FOUND


def _checks(roots: list[Root]) -> Iterator[Check]:
    command = own_command()
    grammars = {language.grammar for language in languages().values() if language.grammar}
    yield from check_installation(command, sorted(grammar for grammar in grammars if find_spec(grammar) is None))
    yield from check_agents(FileLocations(root=roots[0].root), command, Ledger.read())
    for root in roots:
        yield _check_index(root)
    if find_spec("mcp") is not None:
        yield check_server(command, roots[0].root)


def _check_index(root: Root) -> Check:
    folder = visible(str(root.root))
    try:
        [status] = Index.of([root]).status()
    except IndexMissingError as error:
        return Check("index", Level.WARNING, str(error), "the first search builds one")
    except StoredIndexError as error:
        return Check("index", Level.PROBLEM, f"{folder}: {error}")
    if not status.files:
        return Check("index", Level.WARNING, f"{folder} has none", 'the first search builds it, or "coderag index"')
    text = f"{folder}: {counted(status.files, 'file')}, {counted(status.chunks, 'chunk')}"
    changes = status.changes
    stale = 0 if changes is None else len(changes.new) + len(changes.changed) + len(changes.gone)
    if changes is not None and changes.outdated:
        return Check("index", Level.WARNING, f"{text}; {changes.outdated}", '"coderag index" brings it up to date')
    return Check(
        "index", Level.OK, f"{text}, {counted(stale, 'changed file')} to be read by the next search" if stale else text
    )


def _lines(check: Check, shown: Screen) -> Iterator[str]:
    level = shown.paint(f"{check.level:8}", STYLES[check.level])
    yield f"{level} {shown.paint(visible(check.name), Style.NAME)}: {visible(check.text)}"
    if check.advice:
        yield f"         {visible(check.advice)}"
