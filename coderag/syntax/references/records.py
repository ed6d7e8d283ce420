"""What a file of code says of things that are defined elsewhere, as it is written; `coderag.graph` finds out which.

The records are tuples, as a file has hundreds of them and they are stored as arrays. `owner` is always the position of
the innermost definition around the place among the outline's, -1 outside of all; rows are 0-based.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import NamedTuple

__all__ = [
    "FREQUENT",
    "NO_REFERENCES",
    "OF_NO_FILE",
    "Binding",
    "FileReferences",
    "How",
    "Imported",
    "MentionColumns",
    "Reference",
    "Role",
    "Route",
]


class Role(IntEnum):
    """As what a name is written."""

    CALL = 0  # f(), o.m(), new C(), a macro that is used
    INHERIT = 1  # a base class, a trait or mixin that is included
    IMPLEMENT = 2  # an interface, protocol or trait that a type declares to have
    REFERENCE = 3  # a value: f handed over, module.CONSTANT, self.field
    TYPE = 4  # an annotation, a declared type
    DECORATE = 5
    DOCUMENT = 6  # named as code in a document
    REQUEST = 7  # an address that is asked for: the name, with {} for what is put in; the receiver is the method or ""
    FIXTURE = 8  # what a test is handed by name; with a receiver, the name by which its owner, a fixture, is known
    EMIT = 9  # an event that is emitted
    HANDLE = 10  # an event: the receiver is what handles it, as it is written, or ""


FREQUENT = frozenset({Role.CALL, Role.REFERENCE, Role.TYPE, Role.DOCUMENT})
# Those whose edges are found with every graph, for all files at once.
OF_NO_FILE = frozenset({Role.FIXTURE, Role.EMIT, Role.HANDLE})


class Reference(NamedTuple):
    """A name that stands for something: of equal ones (all but the row) within an owner, the first."""

    row: int
    owner: int  # of INHERIT and IMPLEMENT: the type that says so; of DECORATE: what is decorated
    role: Role
    name: str  # the last part
    receiver: str = ""  # what stands before it, without white space and arguments: "self", "a.b", "super()", "Foo()"


class Imported(NamedTuple):
    """A name that an import makes known, or a file or module that it loads."""

    row: int
    owner: int  # -1: for the whole file
    module: str  # as written: "..models", "./db", "com.x.User", "crate::a", "stdio.h"
    name: str  # what is taken from it: "" for the module itself, "*" for everything in it
    alias: str = ""  # the name that the file knows it by; "" for one that binds no name
    exported: bool = False  # it is made known to others too: `export ... from`, `pub use`; in Python every one is


class How(IntEnum):
    """How the text of a binding tells a type."""

    TYPE = 0  # a declared type: x: Foo, Foo x, -> Foo
    CALL = 1  # what a call gives: x = Foo(...), x = make().  The value is the callee as written: "Foo", "self.make"
    VALUE = 2  # another value: x = self.db, alias = function
    ELEMENT = 3  # one of what a value holds: for x in self.items
    SECOND = 4  # the second of what a call gives: _, x := make(); of a function, the type of its second result


class Binding(NamedTuple):
    """What the file says of the type of a name, so that methods called on it can be found."""

    owner: int  # the function whose local it is, the type whose field (self.x, this.x) it is, -1: of the module
    name: str  # "" : what the owner, a function, returns
    value: str
    how: How


class Route(NamedTuple):
    """An address that a program answers, and what answers it."""

    row: int
    owner: int  # -1 or the definition that it is written in
    method: str  # GET, POST, ..., or "" for any
    address: str  # as written: "/users/<int:id>"; {=NAME} is a constant that is defined elsewhere
    handler: str  # as written: "views.show"; "" : the definition at `handles`; "include(x)": the routes of x
    handles: int = -1
    group: str = ""  # the variable that it is added to: "router"
    last_row: int = -1  # of a handler without a name, which begins in `row`


MentionColumns = tuple[Sequence[int], Sequence[int], Sequence[Role], Sequence[str], Sequence[str]]
"""Rows, owners, roles, names and receivers of mentions."""


class FileReferences(NamedTuple):
    """All that a file mentions."""

    module: str = ""  # the package or namespace that the file says it belongs to
    imports: tuple[Imported, ...] = ()
    mentions: tuple[Reference, ...] = ()
    bindings: tuple[Binding, ...] = ()
    routes: tuple[Route, ...] = ()
    exports: tuple[str, ...] = ()  # the names that the file exports, where only those it names are: __all__, export

    def rows(self) -> FileReferences:
        """Return itself, as what is stored gives its rows."""
        return self

    def mention_columns(self) -> MentionColumns:
        """Return the mentions as columns."""
        columns = tuple(zip(*self.mentions, strict=True)) or ((),) * len(Reference._fields)
        return columns[0], columns[1], columns[2], columns[3], columns[4]

    def rare(self) -> tuple[Reference, ...]:
        """Return the mentions of rare roles."""
        return tuple(mention for mention in self.mentions if mention.role not in FREQUENT)

    def may_mention(self, words: frozenset[str]) -> bool:
        """Tell whether a mention has one of these names, or is reached through one."""
        return any(one.name in words or one.receiver.partition(".")[0] in words for one in self.mentions)


NO_REFERENCES = FileReferences()
