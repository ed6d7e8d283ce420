"""Names as they are written at a place to the definitions that they mean, and how sure that is."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import NamedTuple

from coderag.graph.resolve.abstract_values import OUTSIDE, Target, class_of, is_instance
from coderag.graph.resolve.fallback_resolution import FallbackResolution
from coderag.graph.resolve.resolver import Resolver
from coderag.graph.resolve.tables import CONTAINERS, VALUES
from coderag.graph.resolve.type_syntax import first_of, plain, split_last
from coderag.syntax.references.records import Reference, Role

__all__ = ["UNKNOWN", "UNSURE", "Found", "Meant", "Names", "root_of"]

NOTHING: tuple[int, ...] = ()
MEMO = 1 << 16
UNKNOWN, UNSURE = -1, -2  # instead of a value


class Found(NamedTuple):
    """Definitions as (file, position); `candidates` as of an edge: 0 resolved, 1 the only one, n one of n."""

    definitions: tuple[tuple[int, int], ...] = ()
    candidates: int = 0


class Meant(NamedTuple):
    """Nodes that a name may mean."""

    nodes: tuple[int, ...] = ()
    candidates: int = 0


NOT_FOUND = Meant()


class Names:
    """What names mean in the files of one index."""

    def __init__(self, resolver: Resolver, guesses: FallbackResolution) -> None:
        self.resolver = resolver
        self._tables = resolver.tables
        self._guesses = guesses
        self._known: dict[tuple[int, str], Found] = {}
        self._size = len(self._tables.kind)

    def definitions_of(self, file: int, owner: int, written: str) -> Found:
        """Return what a name, dotted or not, means that is written in a definition of a file, or with -1 outside."""
        text = plain(written).removesuffix("()")
        key = self.resolver.anchors.place(self._tables.first[file] + 1 + owner, root_of(text)), text
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._found(self.mean(*key))
        return found

    def bases_of(self, node: int) -> tuple[int, ...]:
        """Return what a class inherits from, the nearest first."""
        return self.resolver.line(node)[1:]

    def mean(self, scope: int, text: str) -> Meant:
        """Return what an expression without its call means at a node."""
        head, name = split_last(text)
        return self._meant(scope, plain(head), name, role=Role.REFERENCE)

    def type_of(self, file: int, owner: int, written: str) -> Found:
        """Return the classes that the value of an expression may be an instance of."""
        scope = self._tables.first[file] + 1 + owner
        classes = [class_of(value) for value in self.resolver.values(scope, plain(written)) if is_instance(value)]
        nodes = tuple(dict.fromkeys(classes))
        return self._found(Meant(nodes, len(nodes) if len(nodes) > 1 else 0))

    def _found(self, meant: Meant) -> Found:
        tables = self._tables
        found = []
        for node in meant.nodes:
            number = tables.file[node]
            position = node - tables.first[number] - 1
            if position >= 0:
                found.append((number, position))
        return Found(tuple(found), meant.candidates)

    def place(self, scope: int, one: Reference) -> int:
        """Return the outermost place at which a mention in a definition means the same."""
        _, owner, role, name, receiver = one
        place = self._tables.parent[scope] if role == Role.DECORATE and owner >= 0 else scope
        if role == Role.TYPE and self._tables.rules_at(scope).body_names:
            return place
        return self.resolver.anchors.place(place, root_of(receiver) if receiver else name)

    def held(self, scope: int, receiver: str) -> int:
        """Return the only value of what stands before a name: what the name means follows from it alone.

        UNKNOWN where the name alone tells, UNSURE where nothing but the whole expression does.
        """
        tables, text = self._tables, plain(receiver)
        if self.resolver.hidden_package(scope, text):
            return UNSURE
        values = self.resolver.values_at(scope, text)
        if text.endswith('""') or len(values) > 1:
            return UNSURE
        if values:
            return UNSURE if values == (OUTSIDE,) and self._is_located(scope, text) else values[0]
        if tables.rules_at(scope).full_names:
            return UNSURE
        for imported in tables.loads.get(tables.file_node(scope), ()):
            if imported.module.startswith(f"{text}.") or imported.alias.startswith(f"{text}."):
                return UNSURE
        return UNKNOWN

    def led_through(self, scope: int, receiver: str) -> tuple[int, ...]:
        """Return the definitions that something is reached through: Foo and db of Foo.db.query()."""
        tables = self._tables
        found: dict[int, None] = {}
        text = plain(receiver)
        while text:
            if text.endswith("[]"):
                text = text.removesuffix("[]")
                continue
            if not text.endswith(")"):  # a call is a mention of its own
                for name in self.resolver.targets(scope, text):
                    for target in self.resolver.by_default(name):
                        if isinstance(target, int) and target < self._size and tables.kind[target] is not None:
                            found[target] = None
            text = split_last(text)[0]
        return tuple(found)

    def find(self, scope: int, receiver: str, name: str, *, role: Role) -> Meant:
        """Return what a name means that is written in a definition or file; of a call also a class's constructor."""
        meant = self._meant(scope, plain(receiver) if receiver else "", name, role=role)
        if role == Role.CALL:
            kind = self._tables.kind
            for node in meant.nodes:
                if kind[node] in CONTAINERS:
                    nodes = dict.fromkeys(each for one in meant.nodes for each in self._called(one))
                    return Meant(tuple(nodes), meant.candidates)
        return meant

    def _meant(self, scope: int, receiver: str, name: str, *, role: Role) -> Meant:
        if receiver:
            targets = self._through(scope, receiver, name, role=role)
            if role == Role.CALL and all(target == OUTSIDE for target in targets):
                targets = self._run_by(scope, receiver, name, is_known=not targets) or targets
        else:
            targets = self.resolver.look(scope, name) or self._bare(scope, name, role=role)
        nodes = self._nodes(targets, called=role == Role.CALL)
        if role == Role.CALL and receiver and not nodes and (behind := self._guesses.behind(scope, receiver, name)):
            return Meant(behind, self._places(behind))
        if targets:
            if len(nodes) > 1:
                return Meant(nodes, self._overloads(nodes))
            if nodes or not self._is_located(scope, receiver):
                return Meant(nodes) if nodes else NOT_FOUND
        guessed = self._guesses.of(scope, receiver, name, role=role)
        return Meant(guessed, self._places(guessed)) if guessed else NOT_FOUND

    def _is_located(self, scope: int, receiver: str) -> bool:
        """Tell whether something is what a container or the like gives, which may be of the index."""
        return split_last(receiver)[1].removesuffix("()") in self._tables.rules_at(scope).locators

    def _bare(self, scope: int, name: str, *, role: Role) -> tuple[Target, ...]:
        """Return what a name without a receiver stands for that is not known where it is written."""
        tables, resolver = self._tables, self.resolver
        if role == Role.TYPE and tables.kind[scope] is not None:
            targets = resolver.look(tables.parent[scope], name)
            if targets:
                return targets
        return _classes(resolver.values(scope, name)) if name in tables.rules_at(scope).words else NOTHING

    def _through(self, scope: int, receiver: str, name: str, *, role: Role) -> tuple[Target, ...]:
        """Return what a name stands for that is reached through something else."""
        tables, resolver = self._tables, self.resolver
        values = resolver.values(scope, receiver)
        if len(values) == 1:
            targets = resolver.member(values[0], name)
        else:
            targets = resolver.targets(scope, f"{receiver}.{name}")
        if not targets and resolver.hidden_package(scope, receiver):
            targets = resolver.targets(scope, f"{receiver}.{name}")
        if not targets and name == "__class__":
            return _classes(resolver.values(scope, f"{receiver}.{name}"))
        if not targets and role == Role.TYPE and tables.kind[scope] is not None:
            return resolver.targets(tables.parent[scope], f"{receiver}.{name}")
        return targets

    def _run_by(self, scope: int, receiver: str, name: str, *, is_known: bool) -> tuple[Target, ...]:
        """Return what a method runs that is defined nowhere: f of f.delay(x), Job.perform of Job.perform_later(x).

        `is_known` tells that all of the receiver is in the index, so that it has no method of this name.
        """
        tables, resolver = self._tables, self.resolver
        rules = tables.rules_at(scope)
        if is_known and name in rules.callers:
            return tuple(self._held(resolver.values(scope, receiver)))
        if (method := rules.runners.get(name)) is None:
            return NOTHING
        classes = [class_of(value) for value in resolver.values(scope, receiver) if value < OUTSIDE]
        return tuple(
            target for one in classes if tables.is_container(one) for target in resolver.class_member(one, method)
        )

    def _nodes(self, targets: tuple[Target, ...], *, called: bool) -> tuple[int, ...]:
        """Return the definitions that targets are; of a variable that is called, what it holds."""
        tables, resolver = self._tables, self.resolver
        if len(targets) == 1 and not called:
            only = resolver.by_default(targets[0])[0]
            return (only,) if isinstance(only, int) and only < self._size else NOTHING
        found: dict[int, None] = {}
        for target in targets:
            if isinstance(target, int):
                if target >= self._size:
                    continue
                values = resolver.value(target) if called and tables.kind[target] in VALUES else NOTHING
                held = self._held(values)
                found.update(dict.fromkeys(held or (target,)))
            elif called:
                held = self._held(resolver.value(target))
                found.update(dict.fromkeys(held or resolver.holders(target)))
        return tuple(found)

    def _held(self, values: tuple[int, ...]) -> list[int]:
        """Return the functions and classes among values, and what calling an instance calls."""
        tables, resolver = self._tables, self.resolver
        found = []
        for value in values:
            if value >= OUTSIDE:
                continue
            if is_instance(value):
                called = resolver.class_member(class_of(value), "__call__")
                found += [each for each in called if isinstance(each, int) and each != OUTSIDE]
            elif tables.is_callable(class_of(value)) or tables.is_container(class_of(value)):
                found.append(class_of(value))
        return found

    def _called(self, node: int) -> tuple[int, ...]:
        """Return what a call of a definition calls: of a class also its constructor."""
        tables = self._tables
        if not tables.is_container(node):
            return (node,)
        found = [node]
        for name in tables.rules_at(node).constructors:
            made = self.resolver.class_member(node, tables.name[node] if name == "=" else name)
            found += [one for one in made if isinstance(one, int) and one != OUTSIDE and tables.is_callable(one)]
        return tuple(found)

    def _overloads(self, nodes: tuple[int, ...]) -> int:
        """Return of how many overloads the nodes are, 0 where each of them is meant."""
        if len(nodes) < 2 or not self._tables.rules_at(nodes[0]).overloads:
            return 0
        most = max(Counter((self._tables.parent[node], self._tables.name[node]) for node in nodes).values())
        return most if most > 1 else 0

    def _places(self, nodes: tuple[int, ...]) -> int:
        """Return of how many definitions the nodes are; those of one name in one place are one."""
        return len({(self._tables.parent[node], self._tables.name[node]) for node in nodes})


@lru_cache(MEMO)
def root_of(receiver: str) -> str:
    """Return what an expression begins with."""
    return first_of(plain(receiver))


def _classes(values: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(class_of(value) for value in values if value < OUTSIDE)
