"""`coderag sessions`: the conversations about some folders, listed, shown or deleted."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass

from coderag.ask.memory.conversation import Exchange
from coderag.ask.memory.session import Scope, Session, sessions_of
from coderag.cli.exit_codes import FOUND, NOTHING
from coderag.cli.groups import callers
from coderag.cli.opening import note, roots_for_caller
from coderag.cli.output.records import print_records
from coderag.cli.output.text import Screen, Style, screen, table, visible
from coderag.errors import ConversationError, QueryError

__all__ = ["run"]

DAMAGED = "cannot be read"
SHOWN = 3  # places of an answer


@dataclass(frozen=True, slots=True)
class Listed:
    """A conversation in a list."""

    name: str
    path: str
    questions: int
    last: str  # the last question
    pinned: tuple[str, ...]
    fault: str = ""  # why it cannot be read


def run(options: argparse.Namespace) -> int:
    """Print the conversations, or one of them, or delete it; 1 when there is none."""
    scope = Scope.of([root.root for root in roots_for_caller(options)], callers(options))
    if options.action == "list":
        if options.name is not None:
            raise QueryError(f"to list takes no name; see coderag sessions show {options.name}")
        return _list(scope, options)
    if options.name is None:
        raise QueryError(f"give the NAME of the session to {options.action}; coderag sessions lists them")
    session = Session.named(options.name, scope)
    return _delete(session) if options.action == "delete" else _show(session, options)


def _list(scope: Scope, options: argparse.Namespace) -> int:
    listed = [_listed(session) for session in sessions_of(scope)]
    if options.json:
        print_records(listed, options.format)
    elif listed:
        shown = screen(options.color)
        rows = [
            (one.name, str(one.questions), visible(DAMAGED if one.fault else one.last), visible(one.path))
            for one in listed
        ]
        head, *rest = table([("Session", "Questions", "Last", "File"), *rows], right=(1,))
        print("\n".join([shown.paint(head, Style.DIM), *rest]))
    for one in listed:
        if one.fault:
            note(one.fault)
    if not listed:
        note("there is no session of these folders and groups; coderag ask --session NAME begins one")
    return FOUND if listed else NOTHING


def _listed(session: Session) -> Listed:
    try:
        conversation = session.read()
    except ConversationError as error:
        return Listed(session.name, str(session.path), 0, "", (), str(error))
    exchanges = conversation.exchanges
    last = exchanges[-1].question if exchanges else ""
    return Listed(session.name, str(session.path), len(exchanges), last, conversation.pinned)


def _show(session: Session, options: argparse.Namespace) -> int:
    conversation = session.read()
    if not conversation.exchanges and not conversation.pinned:
        return _missing(session)
    if options.json:
        print_records(conversation.exchanges, options.format)
        return FOUND
    shown = screen(options.color)
    summary = [f"{shown.paint('before', Style.TITLE)}  {visible(conversation.summary)}"] if conversation.summary else []
    lines = [line for exchange in conversation.exchanges for line in _lines(exchange, shown)]
    pinned = [f"{shown.paint('pinned', Style.TITLE)}  {visible(glob)}" for glob in conversation.pinned]
    print("\n".join([*summary, *lines, *pinned, f"{shown.paint('file', Style.TITLE)}  {visible(str(session.path))}"]))
    return FOUND


def _lines(exchange: Exchange, shown: Screen) -> Iterator[str]:
    yield shown.paint(visible(exchange.question), Style.TITLE)
    if exchange.read_as:
        yield f"  read as  {visible(exchange.read_as)}"
    for one in exchange.shown[:SHOWN]:
        name = f"  {shown.paint(visible(one.name), Style.DIM)}" if one.name else ""
        yield f"  {shown.paint(visible(one.path), Style.PATH)}:{shown.paint(str(one.start_line), Style.LINE)}{name}"


def _delete(session: Session) -> int:
    if not session.delete():
        return _missing(session)
    note(f"deleted {visible(str(session.path))}")
    return FOUND


def _missing(session: Session) -> int:
    note(f"there is no session {visible(repr(session.name))} of these folders and groups")
    return NOTHING
