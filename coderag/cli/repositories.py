"""`--repositories LIST`: many repositories indexed, each with a line of its own, and searched together."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable

from coderag.api.fleet import RepositoryState, State, index_repositories
from coderag.api.index import Index
from coderag.api.records import json_line
from coderag.api.remote_roots import Fetch
from coderag.api.repositories import is_cloned, read_repositories
from coderag.api.roots import Root
from coderag.cli.exit_codes import FAILED, FOUND
from coderag.cli.groups import callers, for_owners, is_hidden
from coderag.cli.output.notes import note
from coderag.cli.output.records import print_records
from coderag.cli.output.text import Style, screen, visible
from coderag.errors import QueryError, RootError
from coderag.text.counted import counted

__all__ = ["index_list", "listed_folders"]

SHOWN_COMMIT = 10
# Options about one root, or about what is made of it elsewhere.
NOT_WITH_LIST = ("index", "part", "out", "trust", "dry_run", "samples", "forget", "verbose")
MOST_NAMED = 3


def listed_folders(options: argparse.Namespace) -> list[str]:
    """Return the folders of the repositories of a list that are here, those that the caller may see.

    Nothing is fetched for an answer: what is not cloned yet is left out with a word. Raises SettingsError, and
    RootError where nothing is left.
    """
    listed = read_repositories(options.repositories)
    here = [one for one in listed if is_cloned(one)]
    asking = callers(options) if hasattr(options, "groups") else []
    if len(here) < len(listed) and not asking:
        absent = [visible(str(one)) for one in listed if one not in here]
        shown = ", ".join(absent[:MOST_NAMED]) + (" ..." if len(absent) > MOST_NAMED else "")
        note(f'not cloned, and left out: {shown}; run "coderag index --repositories {options.repositories}"')
    folders = [str(one.root(Fetch.NEVER)) for one in here]
    seen = [folder for folder in folders if not (asking and is_hidden(folder, asking))]
    if not seen:
        raise RootError(f"no repository of {options.repositories} is there to search")
    return seen


def index_list(
    options: argparse.Namespace, bring_up: Callable[[Root], Index], *, is_as_asked: Callable[[Root], bool]
) -> int:
    """Index the repositories of a list; 2 where one of them failed."""
    for_owners("index --repositories")
    if options.roots:
        raise QueryError("give ROOT or --repositories, not both")
    if refused := [name for name in NOT_WITH_LIST if getattr(options, name)]:
        raise QueryError(f"--{refused[0].replace('_', '-')} does not go with --repositories")
    listed = read_repositories(options.repositories)
    shown = screen(options.color)
    states = []
    telling = None if options.quiet else note
    for state in index_repositories(listed, bring_up, is_as_asked=is_as_asked, telling=telling):
        states.append(state)
        if options.json and options.format == "jsonl":
            print(json_line(state), flush=True)
        elif not options.json and (not options.quiet or state.state is State.FAILED):
            colour = Style.BAD if state.state is State.FAILED else Style.GOOD
            print(f"{visible(state.repository)}  {shown.paint(state.state, colour)}  {_told(state)}", flush=True)
    if options.json and options.format != "jsonl":
        print_records(states, options.format)
    counts = Counter(state.state for state in states)
    if not options.quiet and not options.json:
        note(f"{counted(len(states), 'repository')}: " + ", ".join(f"{counts[state]} {state}" for state in State))
    return FAILED if counts[State.FAILED] else FOUND


def _told(state: RepositoryState) -> str:
    if state.state is State.FAILED:
        return visible(state.reason.removeprefix(f"{state.repository} "))
    commit = f"  {state.commit[:SHOWN_COMMIT]}" if state.commit else ""
    read = f", {state.read:,} read" if state.state is State.INDEXED else ""
    return f"{counted(state.files, 'file')}{read}, {counted(state.chunks, 'chunk')}, {state.seconds:.1f} s{commit}"
