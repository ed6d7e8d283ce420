"""Functions that emit an event to the functions that handle it, by the name of the event.

A handler without a name is part of the function around it, as everywhere in the graph.
Which object emits is not looked at, so that all of these are candidates. Events whose names the emitters of Node.js and
the DOM share (`error`, `data`) are left out: most who handle one do so for something that the repository does not emit.
"""

from __future__ import annotations

from collections.abc import Iterator

from coderag.graph.resolve.names import Meant, Names
from coderag.syntax.references.records import Role

__all__ = ["event_uses"]

MAX_HANDLERS = 7  # of an event; more say nothing of the one that emits it
COMMON = frozenset(
    "abort aborted beforeExit blur cancel change clear click close complete connect connection data disconnect done"
    " drain end error exit finish focus input keydown keyup listening load lookup message mousedown mousemove mouseup"
    " open pause pipe progress ready readable remove request reset resize response resume scroll secureConnect select"
    " socket start stop submit success timeout uncaughtException unhandledRejection unload unpipe update upgrade"
    .split()
)  # fmt: skip


def event_uses(names: Names) -> Iterator[tuple[int, int, int]]:
    """Yield (what emits an event, what handles it, candidates) in order."""
    tables = names.resolver.tables
    emitters: dict[str, dict[int, None]] = {}
    handlers: dict[str, dict[tuple[int, str, int], None]] = {}
    for number, rare in enumerate(tables.rare):
        for reference in rare:
            if reference.role not in (Role.EMIT, Role.HANDLE) or reference.name in COMMON:
                continue
            node = tables.first[number] + 1 + reference.owner
            if reference.role is Role.EMIT:
                emitters.setdefault(reference.name, {})[node] = None
            else:
                row = -1 if reference.receiver else reference.row
                handlers.setdefault(reference.name, {})[node, reference.receiver, row] = None
    for event, sources in emitters.items():
        known = handlers.get(event, {})
        if not 0 < len(known) <= MAX_HANDLERS:
            continue
        targets: dict[int, None] = {}
        for scope, written, _ in known:
            meant = names.mean(scope, written) if written else Meant((scope,))
            if not meant.candidates:
                targets.update(dict.fromkeys(node for node in meant.nodes if tables.is_callable(node)))
        for source in sources:
            for target in targets:
                if source != target:
                    yield source, target, len(known)
