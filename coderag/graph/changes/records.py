"""The records of a change and of what it touches."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from coderag.files.changes.records import LeftOut
from coderag.graph.queries.impact import Affected
from coderag.graph.queries.locations import Location
from coderag.graph.queries.refs import Unresolved
from coderag.graph.records import EdgeKind

__all__ = ["Broken", "Changed", "DiffImpact", "How", "RunnableTest", "Touched"]


class How(StrEnum):
    """How something changed."""

    ADDED = "added"
    CHANGED = "changed"
    DECLARATION = "declaration changed"  # the line of its name: parameters, types, bases
    MOVED = "moved"  # to another file
    RENAMED = "renamed"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class Changed:
    """A definition, file, table or column that a change touches."""

    spot: Location  # of what was removed: where it was
    how: How
    before: str = ""  # the path or name that it had
    detail: str = ""  # what of a table or column changed: "type integer to bigint"


@dataclass(frozen=True, slots=True)
class Broken:
    """A place that still names what the change removed or renamed."""

    name: str  # what it names
    path: str
    line: int
    within: str = ""  # the definition around it
    certain: bool = True  # False: something else that is not known may have that name


@dataclass(frozen=True, slots=True)
class RunnableTest:
    """A test that runs what is changed or affected."""

    id: str  # as a runner of tests takes it: PATH::NAME, or PATH
    found: Affected  # at distance 0 it was changed itself


@dataclass(frozen=True, slots=True)
class Touched:
    """A table or view that changed code uses."""

    spot: Location
    how: EdgeKind  # reads, writes, deletes
    by: str
    path: str
    line: int
    confidence: float  # 0..1


@dataclass(frozen=True, slots=True)
class DiffImpact:
    """What a change of files touches: the nearest first, and of those the surest."""

    title: str  # what was compared
    files: tuple[str, ...]  # that changed and were looked at
    changed: tuple[Changed, ...]  # definitions, by path and line
    data: tuple[Changed, ...]  # tables and columns
    broken: tuple[Broken, ...]
    affected: tuple[Affected, ...]  # each once, by its nearest cause, which is the first name of its way
    possibly: tuple[Affected, ...]  # over some edge that is one of several candidates
    tests: tuple[RunnableTest, ...]  # those to run first in front
    tables: tuple[Touched, ...]
    further_tests: int = 0  # beyond those
    unresolved: tuple[Unresolved, ...] = ()  # in what changed: what these do is not known
    left_out: tuple[LeftOut, ...] = ()
    repository: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether nothing changed that an index knows."""
        return not (self.changed or self.data)
