"""What a language's links.scm captures, and the matches of it as one list for each purpose.

The query (`parsers/<language>/links.scm`) says which nodes refer to things that are defined elsewhere. Names of calls
come from tags.scm and are not captured again; definitions neither. Captures of the first paragraph stand alone, those
of each other paragraph go together in one match:

    @reference         a value that is a name or member access, all of it (`a.b.c`) or its last name. What it belongs to
                       and what calls are made on need no capture: it is read from the text before
    @local             a name that a parameter or statement makes known inside a function: it hides what is outside
    @parameters        a list of parameters without types: the first name of each is local
    @type              a type as it is written, generics and all: every name in it is mentioned as a type
    @inherit           a base class, mixin or included trait, anywhere inside the type that has it: `a.Base`
    @implement         an interface, protocol or trait, likewise
    @decorate          the name of a decorator or annotation, with what stands before it: `app.route`
    @package           the package or namespace that the file says it belongs to
    @export            a name that the file exports, where only those it names are; a string's quotes are left out

    @module            an import: the module as it is written; a string's quotes are left out
    @name              what is taken from it; none: the module itself
    @all               anything: everything is taken from it
    @default           anything: what the module gives when no name is asked for; its name is "default"
    @relative          anything: the module is a path relative to the file, whatever it begins with: "./" is put before
    @alias             the name that the file knows it by, where it is not @name. `import a.b` captures one node as both
                       module and alias; of a path with slashes the last part that is no version is the alias
    @exported          anything: what is imported is made known to others, too

    @use               an import that is written as one path, `com.x.User`, `crate::a::{b, c as d}`, `A\\{B, C}`, `a.*`:
                       the module is the whole path, known by its last part; a group becomes one import for each part

    @variable          a name that is bound: a local, a parameter, a member (`self.x`, `this.x`), a declared field
    @default           anything: what the file itself gives when no name is asked for
    @field             the same, and it is a field of the type around it wherever it stands: `constructor(private x: X)`
    @typed             ... by its declared type
    @member_of         ... by the type whose member of its name it is
    @result_of         ... by the function whose result has the member of its name: `const { save } = useForm()`
    @called            ... to what a call gives: the callee
    @valued            ... to a value: a name or member access
    @assigned          ... to an expression that may be any of these: its form tells, and one of no such form says
                       nothing, so that the name is local
    @element           ... to one of what this expression holds: loops, subscripts
    @prefix            ... to a group of routes: the beginning of their addresses, a string
    @returns           the type that a function declares to return; it stands alone
    @second_result     the same of the second of several results
    @second            the function whose second result @variable is

    @address           a route: the address, a string
    @verb              the name that tells its method: get, GetMapping, add_post, HandleFunc; or a string, "POST"
    @route             the name of the call, where @verb is a string
    @handler           what answers it; none: the definition that is decorated, or that follows
    @within            the type whose member the handler is, where both stand apart: [UserController::class, 'show']
    @mount             anything: the handler is no function, but a module or router whose routes begin with this
                       address; where that is the verb, the address is what the call says is the prefix
    @everything        anything: ... but all that the folder of the file answers
    @action            anything: a further action of a class whose addresses come from a router
    @constant          the name of a constant, the address being its text: others begin with it

A @prefix without a @variable belongs to the definition that is decorated by it, and to all routes inside that.
Captures that begin with `@_` serve predicates.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node, Query

    from coderag.syntax.grammar import Matches

__all__ = ["TAGS", "LinkCaptures", "Nodes", "pattern_purposes", "sort_links"]

COMMENT = re.compile(r"^[ \t]*;.*", re.MULTILINE)
CAPTURE = re.compile(r"@([\w.]+)")
Nodes = dict[str, list["Node"]]
TAGS = "tags"  # the purpose of what belongs to tags.scm
PURPOSES = (  # of a match that has several of these captures, the first
    ("address", "routes"),
    ("module", "imports"),
    ("use", "imports"),
    ("variable", "bindings"),
    ("default", "bindings"),
    ("field", "bindings"),
    ("returns", "bindings"),
    ("second_result", "bindings"),
    ("prefix", "prefixes"),
    ("inherit", "bases"),
    ("implement", "bases"),
    ("decorate", "decorators"),
    ("package", "packages"),
    ("export", "exports"),
    ("local", "locals"),
    ("parameters", "parameters"),
    ("type", "types"),
    ("reference", "references"),
)


@dataclass(slots=True)
class LinkCaptures:
    """The matches of a file in order of appearance, by what they are for."""

    imports: list[Nodes] = field(default_factory=list)
    bindings: list[Nodes] = field(default_factory=list)
    bases: list[Nodes] = field(default_factory=list)
    decorators: list[Nodes] = field(default_factory=list)
    packages: list[Nodes] = field(default_factory=list)
    exports: list[Nodes] = field(default_factory=list)
    locals: list[Nodes] = field(default_factory=list)
    parameters: list[Nodes] = field(default_factory=list)
    types: list[Nodes] = field(default_factory=list)
    references: list[Nodes] = field(default_factory=list)
    routes: list[Nodes] = field(default_factory=list)
    prefixes: list[Nodes] = field(default_factory=list)


def pattern_purposes(query: Query, text: str, *, first: int) -> tuple[str, ...]:
    """Return what each pattern of a query is for, the name of a field of LinkCaptures; "" for nothing.

    Those that begin before the byte `first` are of tags.scm.
    """
    raw = text.encode()

    def purpose(pattern: int) -> str:
        start, end = query.start_byte_for_pattern(pattern), query.end_byte_for_pattern(pattern)
        if start < first:
            return TAGS
        captures = set(CAPTURE.findall(COMMENT.sub("", raw[start:end].decode())))
        return next((found for capture, found in PURPOSES if capture in captures), "")

    return tuple(map(purpose, range(query.pattern_count)))


def sort_links(matches: Matches, purposes: Sequence[str]) -> tuple[Matches, LinkCaptures]:
    """Return the matches of tags.scm, and the others sorted by what their patterns are for."""
    tags: Matches = []
    sorted_nodes: dict[str, list[Nodes]] = {purpose: [] for purpose in purposes}
    sinks = [None if purpose == TAGS else sorted_nodes[purpose].append for purpose in purposes]
    for match in matches:
        sink = sinks[match[0]]
        if sink is None:
            tags.append(match)
        else:
            sink(match[1])
    for other in (TAGS, ""):
        sorted_nodes.pop(other, None)
    return tags, LinkCaptures(**sorted_nodes)
