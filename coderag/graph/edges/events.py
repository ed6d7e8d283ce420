"""Functions that emit an event to the functions that handle it, by the name of the event.

A handler without a name is part of the function around it, as everywhere in the graph.
Which object emits is not looked at, so that all of these are candidates. Events whose names the emitters of Node.js and
the DOM share (`error`, `data`) are left out: most who handle one do so for something that the repository does not emit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from coderag.graph.resolve.names import Meant, Names
from coderag.graph.resolve.tables import Tables
from coderag.syntax.references.records import Role

__all__ = ["event_uses"]

TEST = "test"  # the label of files that hold tests
MAX_HANDLERS = 7  # of an event; more say nothing of the one that emits it
COMMON = frozenset(
    "abort aborted beforeExit blur cancel change clear click close complete connect connection data disconnect done"
    " drain end error exit finish focus input keydown keyup listening load lookup message mousedown mousemove mouseup"
    " open pause pipe progress ready readable remove request reset resize response resume scroll secureConnect select"
    " socket start stop submit success timeout uncaughtException unhandledRejection unload unpipe update upgrade"
    .split()
)  # fmt: skip


def event_uses(names: Names) -> Iterator[tuple[int, int, int, int]]:
    """Yield (what emits an event, what handles it, candidates, row where it is emitted) in order."""
    tables = names.resolver.tables
    emitters: dict[str, dict[int, int]] = {}  # rows, by event and node
    handlers: dict[str, dict[Handler, None]] = {}
    for number, rare in enumerate(tables.rare):
        for reference in rare:
            if reference.role not in (Role.EMIT, Role.HANDLE) or reference.name in COMMON:
                continue
            node = tables.first[number] + 1 + reference.owner
            if reference.role is Role.EMIT:
                emitters.setdefault(reference.name, {}).setdefault(node, reference.row)
            else:
                row = -1 if reference.receiver else reference.row
                handlers.setdefault(reference.name, {})[Handler(node, reference.receiver, row)] = None
    for event, sources in emitters.items():
        known = list(handlers.get(event, ()))
        for source, row in sources.items():
            near = [handler for handler in known if _is_heard(tables, source, handler.scope)]
            targets = _functions(names, near) if len(near) <= MAX_HANDLERS else ()
            yield from ((source, target, len(near), row) for target in targets if target != source)


class Handler(NamedTuple):
    """What handles an event."""

    scope: int  # the node that it is written in
    written: str  # what names it; "" for a function without a name
    row: int  # of one without a name


def _functions(names: Names, handlers: Iterable[Handler]) -> Iterator[int]:
    """Yield the functions that handlers are, each once."""
    found: dict[int, None] = {}
    for handler in handlers:
        meant = names.mean(handler.scope, handler.written) if handler.written else Meant((handler.scope,))
        if not meant.candidates:
            found.update(dict.fromkeys(node for node in meant.nodes if names.resolver.tables.is_callable(node)))
    yield from found


def _is_heard(tables: Tables, source: int, handler: int) -> bool:
    """Tell whether a handler may hear what a node emits: one in a file of tests hears that file alone."""
    file = tables.file[handler]
    return file == tables.file[source] or TEST not in tables.files[file].labels
