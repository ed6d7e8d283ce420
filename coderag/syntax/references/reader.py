"""A file's tree and outline to what it mentions of things that are defined elsewhere.

Knows no language: `parsers/<language>/links.scm` says which nodes to look at (coderag.syntax.link_captures), calls are
those of the outline, and what stands before a name is read from the bytes (coderag.syntax.references.receivers).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from operator import itemgetter

from coderag.syntax import grammar
from coderag.syntax.call_routes import call_routes
from coderag.syntax.lines import Lines
from coderag.syntax.link_captures import LinkCaptures, Nodes
from coderag.syntax.outline import Outline
from coderag.syntax.parsed import Parsed
from coderag.syntax.references.bindings import SELVES, read_bindings
from coderag.syntax.references.events import EVENTS_OF, read_events
from coderag.syntax.references.fixtures import read_fixtures
from coderag.syntax.references.imports import plain_text, read_imports
from coderag.syntax.references.known_names import KnownNames, first_part
from coderag.syntax.references.owners import Owners
from coderag.syntax.references.receivers import NO_SIGN, Chains
from coderag.syntax.references.records import FileReferences, Reference, Role, Route
from coderag.syntax.references.requests import read_requests
from coderag.syntax.references.routes import is_request, read_routes
from coderag.syntax.references.types import type_names

__all__ = ["read_references"]

MAX_NAME_BYTES = 300  # what is longer is no name that anything else has
FIXTURES_OF = "python"
MAX_MENTIONS = 100_000  # of a file; generated code may have more
DOT = b"."
ENDS = frozenset(b" \t\n(,=[{+-*/%|^~<;@")  # before a value that is no member of anything
NAME_STARTS = frozenset(bytes([one]) for one in b"ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz")

Key = tuple[int, Role, str, str]  # owner, role, name, receiver
_Value = tuple[str, str, "bool | None"]  # receiver, name, and whether it is mentioned; None: that is up to the owner


def read_references(parsed: Parsed, outline: Outline) -> FileReferences:
    """Return what a file mentions; raises grammar.GrammarMissing.

    Without a links.scm these are the calls.
    """
    lines, language = parsed.lines, parsed.language
    captures = parsed.links or grammar.link_query(language).match(parsed.tree)[1]
    if called := call_routes(language).match(parsed.tree.root_node, outline.calls):
        captures = replace(captures, routes=[*captures.routes, *called])
    owners, chains = Owners(outline.definitions), Chains(lines.data, language)
    imports = read_imports(lines, captures.imports, owners.scope_at)
    bindings = read_bindings(lines, captures, owners=owners, chains=chains)
    imported = {(one.owner, one.alias) for one in imports}
    bindings = [binding for binding in bindings if binding[:2] not in imported]
    reading = _Reading(lines, outline, owners=owners, chains=chains)
    reading.add_bases(captures.bases)
    reading.add_decorators(captures.decorators)
    reading.add_calls()
    reading.add_requests(captures.routes)
    if language.name == FIXTURES_OF:
        reading.add_fixtures(captures)
    elif language.name in EVENTS_OF:
        reading.add_events()
    known = KnownNames(language, owners, imports, bindings)
    reading.add_types(captures, known)
    reading.add_references(captures, known)
    routes = read_routes(
        lines, captures, outline, owners=owners, chains=chains, language=language, root=parsed.tree.root_node
    )
    reading.add_calls_of_handlers(routes)
    return FileReferences(
        module=_package(lines, captures.packages),
        imports=tuple(imports),
        mentions=tuple(reading.all()),
        bindings=tuple(bindings),
        routes=tuple(routes),
        exports=tuple(
            dict.fromkeys(
                plain_text(lines.data[node.start_byte : node.end_byte])
                for nodes in captures.exports
                for node in nodes["export"]
            )
        ),
    )


def _package(lines: Lines, matches: Iterable[Nodes]) -> str:
    for nodes in matches:
        node = nodes["package"][0]
        return "".join(plain_text(lines.data[node.start_byte : node.end_byte]).split())
    return ""


class _Reading:
    """Mentions while they come in."""

    def __init__(self, lines: Lines, outline: Outline, *, owners: Owners, chains: Chains) -> None:
        self._lines, self._outline, self._owners, self._chains = lines, outline, owners, chains
        self._calls = {start for start, _ in outline.calls}
        self._taken: set[int] = set()  # last bytes of names that are mentioned as more than a value
        self._found: dict[Key, int] = {}  # with the byte
        self._repeated: list[tuple[int, Key]] = []  # calls of handlers without a name that are found elsewhere, too

    def all(self) -> list[Reference]:
        """Return the mentions in order."""
        starts, found = self._lines.starts, self._found
        make = tuple.__new__  # as Mention(...) does, in half the time
        placed = [(found[key], key) for key in sorted(found, key=found.__getitem__)]
        if self._repeated:
            placed = sorted((*placed, *self._repeated), key=itemgetter(0))
        return [make(Reference, (bisect_right(starts, start) - 1, *key)) for start, key in placed[:MAX_MENTIONS]]

    def _add_expression(self, owner: int, role: Role, *, start: int, end: int) -> None:
        written = self._chains.ending(start, end)
        receiver, name = split_last(written)
        if name and len(name) <= MAX_NAME_BYTES:
            self._taken.add(end)
            self._found.setdefault((owner, role, name, receiver), start)

    def add_bases(self, matches: Iterable[Nodes]) -> None:
        """Add what types inherit and implement."""
        owners = self._owners
        for nodes in matches:
            role = Role.INHERIT if "inherit" in nodes else Role.IMPLEMENT
            for node in nodes["inherit" if role is Role.INHERIT else "implement"]:
                start, end = node.start_byte, node.end_byte
                generic = self._lines.data.find(b"<", start, end)
                owner = owners.at(start)
                around = owners.type_around(owner)
                self._add_expression(
                    around if around >= 0 else owner, role, start=start, end=generic if generic > 0 else end
                )

    def add_decorators(self, matches: Iterable[Nodes]) -> None:
        """Add decorators and annotations to what they decorate."""
        for nodes in matches:
            node = nodes["decorate"][0]
            start, end = node.start_byte, node.end_byte
            owner = self._owners.decorated(start, node.start_point[0])
            self._add_expression(owner, Role.DECORATE, start=start, end=end)

    def add_calls(self) -> None:
        """Add the calls."""
        data, before, found, taken = self._lines.data, self._chains.before, self._found, self._taken
        call_role, owner, begin, end = Role.CALL, -1, 0, 0
        for start, name in self._outline.calls:
            if taken and start + len(name) in taken:
                continue
            if not begin <= start < end:
                owner, begin, end = self._owners.stretch(start)
            if data[start - 1] in NO_SIGN:
                found.setdefault((owner, call_role, name, ""), start)
                continue
            receiver = before(start)
            found.setdefault((owner, call_role, name, receiver), start)
            if "." in receiver:
                for member, of in members(receiver):
                    found.setdefault((owner, Role.REFERENCE, member, of), start)

    def add_calls_of_handlers(self, routes: Iterable[Route]) -> None:
        """Add the calls in handlers of routes without a name that were added for what stands before them."""
        spans = sorted({(route.row, route.last_row) for route in routes if route.last_row >= 0})
        if not spans:
            return
        starts, seen = self._lines.starts, set[tuple[int, Key]]()
        firsts = [first for first, _ in spans]
        for start, name in self._outline.calls:
            row = bisect_right(starts, start) - 1
            span = bisect_right(firsts, row) - 1
            if span < 0 or row > spans[span][1]:
                continue
            receiver = "" if self._lines.data[start - 1] in NO_SIGN else self._chains.before(start)
            key = self._owners.at(start), Role.CALL, name, receiver
            known = self._found.get(key, start)
            if known < starts[firsts[span]] and (span, key) not in seen:
                seen.add((span, key))
                self._repeated.append((start, key))

    def add_requests(self, routes: Iterable[Nodes]) -> None:
        """Add the addresses that calls are handed."""
        taken = {nodes["address"][0].start_byte for nodes in routes if not is_request(nodes)}
        for start, method, address in read_requests(self._lines.data, self._calls, routes=taken):
            self._found.setdefault((self._owners.at(start), Role.REQUEST, address, method), start)

    def add_fixtures(self, captures: LinkCaptures) -> None:
        """Add the fixtures that tests are handed."""
        for start, owner, name, receiver in read_fixtures(
            self._lines.data, captures, self._outline.definitions, self._owners
        ):
            self._found.setdefault((owner, Role.FIXTURE, name, receiver), start)

    def add_events(self) -> None:
        """Add the events that are emitted and handled."""
        for start, event, handler in read_events(self._lines.data, self._outline.calls):
            role = Role.EMIT if handler is None else Role.HANDLE
            self._found.setdefault((self._owners.at(start), role, event, handler or ""), start)

    def add_types(self, captures: LinkCaptures, known: KnownNames) -> None:
        """Add every name of the types that are written."""
        data, taken, calls = self._lines.data, self._taken, self._calls
        owner, begin, beyond = -1, 0, 0
        nodes = [type_["type"][0] for type_ in captures.types]
        nodes += [binding["typed"][0] for binding in captures.bindings if "typed" in binding]
        nodes += [binding["returns"][0] for binding in captures.bindings if "returns" in binding]
        seen: set[tuple[int, bytes]] = set()
        for node in nodes:
            start, end = node.start_byte, node.end_byte
            # Of a path every name may be a node; its last one is mentioned, with the others as receiver.
            if end in taken or start in calls or data[end : end + 1] == DOT or data[end : end + 2] == b"::":
                continue
            if not begin <= start < beyond:
                owner, begin, beyond = self._owners.stretch(start)
            raw = data[start:end]
            if data[start - 1] in ENDS:
                if (owner, raw) in seen:
                    continue
                seen.add((owner, raw))
            self._add_type(owner, raw, start, known=known)

    def _add_type(self, owner: int, raw: bytes, start: int, *, known: KnownNames) -> None:
        definition = self._outline.definitions[owner] if owner >= 0 else None
        for written in type_names(raw.decode("utf-8", "replace")):
            receiver, name = split_last(written)
            receiver = receiver or self._chains.before(start)
            if len(name) == 1 and name not in known.names:
                continue  # a parameter of a generic
            if definition is not None and definition.name == name and self._lines.starts[definition.row] <= start:
                continue  # a definition's own name
            self._found.setdefault((owner, Role.TYPE, name, receiver), start)

    def add_references(self, captures: LinkCaptures, known: KnownNames) -> None:
        """Add values that are known to the file or are members of what is."""
        calls, taken, found = self._calls, self._taken, self._found
        read: dict[bytes, _Value] = {}
        seen: set[tuple[int, bytes]] = set()
        reference, type_role = Role.REFERENCE, Role.TYPE
        owner, begin, beyond = -1, 0, 0
        for start, end, raw, stands_alone in self._candidates(captures, known):
            if stands_alone:
                if not begin <= start < beyond:
                    owner, begin, beyond = self._owners.stretch(start)
                if (owner, raw) in seen:
                    continue
                seen.add((owner, raw))
            if start in calls or end in taken:
                continue
            value = read.get(raw) if stands_alone else None
            if value is None:
                value = self._value(start, end, raw, known)
                if stands_alone and (DOT in raw or not value[0]):
                    read[raw] = value
            receiver, name, kept = value
            if kept is False:
                continue
            if not begin <= start < beyond:
                owner, begin, beyond = self._owners.stretch(start)
            if (kept or known.keeps(owner, receiver, name)) and (owner, type_role, name, receiver) not in found:
                found.setdefault((owner, reference, name, receiver), start)

    def _candidates(self, captures: LinkCaptures, known: KnownNames) -> Iterator[tuple[int, int, bytes, bool]]:
        """Yield the values that may be known, with their bytes and whether they are no member of anything.

        Most values are locals and what is made of them: they are left out before anything else is looked at.
        """
        data, any_name, names, roots = self._lines.data, known.any_name, known.raw_names, known.raw_roots
        for start, end in self._values(captures):
            raw = data[start:end]
            stands_alone = DOT in raw or data[start - 1] in ENDS
            if stands_alone and not any_name:
                root, dot, _ = raw.partition(DOT)
                if root not in (roots if dot else names) and root[:1] in NAME_STARTS:
                    continue
            yield start, end, raw, stands_alone

    def _value(self, start: int, end: int, raw: bytes, known: KnownNames) -> _Value:
        if DOT in raw:
            receiver, name = split_last(self._chains.ending(start, end))
        else:
            receiver, name = self._chains.before(start), raw.decode("utf-8", "replace")
        return receiver, name, known.verdict(receiver, name)

    def _values(self, captures: LinkCaptures) -> list[tuple[int, int]]:
        """Return the first byte of each value, and the one behind it."""
        data = self._lines.data
        places = [nodes["reference"][0].byte_range for nodes in captures.references]
        # What is put into a member uses it; a variable of its own is no use of anything.
        targets = [nodes["variable"][0].byte_range for nodes in captures.bindings if "variable" in nodes]
        return places + [(start, end) for start, end in targets if DOT in data[start:end]]


@lru_cache(maxsize=4096)
def members(receiver: str) -> tuple[tuple[str, str], ...]:
    """Return the members of an object of its own that a receiver goes through, each with what stands before it."""
    if first_part(receiver) not in SELVES:
        return ()
    found = []
    while (at := receiver.rfind(".")) > 0:
        name, receiver = receiver[at + 1 :], receiver[:at]
        if not name.endswith(("]", ")")):
            found.append((name, receiver))
    return tuple(found)


def split_last(written: str) -> tuple[str, str]:
    """Return what stands before the last name of an expression, and that name."""
    at = written.rfind(".")
    if ":" in written or "\\" in written:
        at = max(at, written.rfind(":"), written.rfind("\\"))
    if at < 0:
        return "", written
    return written[:at].rstrip(":"), written[at + 1 :]
