"""What the mentions of files lead to, as arrays: a list of nodes is found once for all that mean the same."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from coderag.graph.edges.documented import Documented
from coderag.graph.resolve.abstract_values import OUTSIDE
from coderag.graph.resolve.names import UNSURE, Names, root_of
from coderag.index.storage.arrays.arrays import Array
from coderag.syntax.references.records import OF_NO_FILE, Reference, Role

__all__ = ["Leads", "ReferenceEdges"]

NOTHING = 0  # the number of the empty list
LISTS = 2  # that a mention leads to: what it names, and what it is reached through
CALL, REFERENCE = Role.CALL, Role.REFERENCE
ELSEWHERE = frozenset({Role.INHERIT, Role.IMPLEMENT, Role.REQUEST}) | OF_NO_FILE  # read by others, each in its own way
NO_OWNER = -2
MOST_CACHED = 500_000  # entries in the caches of a resolver, some 200 bytes each
CLASS_OF = "__class__"  # a member whose meaning is more than that of its value


@dataclass(frozen=True, slots=True)
class Leads:
    """From mentions to nodes: each array has one element for each node that a mention leads to, in order."""

    mention: Array  # a number
    role: Array  # a Role
    through: Array  # bool: what the name is reached through, not what it means
    owner: Array  # the node that the mention is written in
    target: Array
    candidates: Array
    file: Array
    row: Array


class ReferenceEdges:
    """The mentions of the files that were read so far and what they lead to."""

    def __init__(self, names: Names, documented: Documented) -> None:
        self._names = names
        self._tables = names.resolver.tables
        self._anchors = names.resolver.anchors
        self._documented = documented
        # Arrays of C's int, since a repository may have ten million mentions.
        self._nodes = array("i")
        self._ends = array("i", [0])  # in _nodes, of each list
        self._candidates = array("i", [0])
        self._meant: dict[tuple[int, str, str, bool], int] = {}
        self._members: dict[str, dict[tuple[int, str, bool], int]] = {}  # of values, by family of languages
        self._led: dict[tuple[int, str], tuple[int, int]] = {}
        self._rows = array("i")
        self._owners = array("i")
        self._roles = bytearray()
        self._sizes = [0] * len(self._tables.files)  # mentions of each file
        self._lists = array("i")  # LISTS for each mention

    def read(self, number: int) -> None:
        """Find out what the mentions of a file lead to; files come in order."""
        rows, owners, roles, names, receivers = self._tables.files[number].links.mentions.mention_columns()
        if rows:
            self._sizes[number] = len(rows)
            self._rows.extend(rows)
            self._owners.extend(owners)
            self._roles += bytes(roles)
            self._lists.extend(self._resolve(number, zip(rows, owners, roles, names, receivers, strict=True)))
            # Keys have a place in this file: no other file asks for them.
            self._meant.clear()
            self._led.clear()
            if self._names.resolver.cached() > MOST_CACHED:
                self._names.resolver.forget()

    def _resolve(self, number: int, mentions: Iterable[tuple[int, int, Role, str, str]]) -> list[int]:
        """Return the lists of each mention of a file.

        Every name that is written anywhere passes here: what was seen before is found without a call.

        total(), receiver ""          -> the definitions of total that the scope reaches
        cart.total(), receiver "cart" -> the members total of the type of cart, and what its type was found through
        """
        lists: list[int] = []
        meant, led = self._meant, self._led
        base, reachable, rules = self._tables.first[number], self._tables.reachable, self._tables.rules[number]
        words, members = rules.word_roots, self._members.setdefault(rules.family, {})
        last = NO_OWNER
        local: frozenset[str] = frozenset()
        scope = outer = around = base
        for row, owner, role, name, receiver in mentions:
            if owner != last:
                last, scope = owner, base + 1 + owner
                local, outer, around = self._anchors.inside(scope)
            if role is not CALL and role is not REFERENCE:
                lists += self._rare(number, Reference(row, owner, role, name, receiver))
                continue
            if not receiver:
                key = scope if name in local else around if name in words else outer, "", name, role is CALL
                found = meant.get(key)
                lists += (self._mean(key, role) if found is None else found, NOTHING)
                continue
            root = root_of(receiver)
            place = scope if root in local else around if root in words else outer
            value, through = led.get((place, receiver)) or self._lead(place, receiver)
            if value == OUTSIDE or name not in reachable:
                found = NOTHING
            elif value == UNSURE or name == CLASS_OF:
                key = place, receiver, name, role is CALL
                found = meant.get(key)
                if found is None:
                    found = self._mean(key, role)
            else:
                member = value, name, role is CALL
                found = members.get(member)
                if found is None:
                    found = members[member] = self._add(*self._names.find(place, receiver, name, role=role))
            lists += (found, through)
        return lists

    def _rare(self, number: int, mention: Reference) -> tuple[int, int]:
        """Return the lists of a mention that is neither a call nor a reference."""
        _, owner, role, name, receiver = mention
        if role in ELSEWHERE:
            return NOTHING, NOTHING
        if role is Role.DOCUMENT:
            return self._add(*self._documented.find(self._tables.files[number].path, mention)), NOTHING
        scope = self._tables.first[number] + 1 + owner
        found, through = NOTHING, NOTHING
        if not receiver or name in self._tables.reachable:
            key = self._names.place(scope, mention), receiver, name, False
            known = self._meant.get(key)
            found = self._mean(key, role) if known is None else known
        if receiver:
            place = self._anchors.place(scope, root_of(receiver))
            _, through = self._led.get((place, receiver)) or self._lead(place, receiver)
        return found, through

    def _lead(self, place: int, receiver: str) -> tuple[int, int]:
        """Return the value of what stands before a name, and the list of the definitions that it leads through."""
        found = self._names.held(place, receiver), self._add(self._names.led_through(place, receiver), 0)
        self._led[place, receiver] = found
        return found

    def _mean(self, key: tuple[int, str, str, bool], role: Role) -> int:
        place, receiver, name, _ = key
        found = self._meant[key] = self._add(*self._names.find(place, receiver, name, role=role))
        return found

    def _add(self, nodes: Sequence[int], candidates: int) -> int:
        """Keep a list of nodes and return its number."""
        if not nodes:
            return NOTHING
        self._nodes.extend(nodes)
        self._ends.append(len(self._nodes))
        self._candidates.append(candidates)
        return len(self._candidates) - 1

    def leads(self) -> Leads:
        """Return what all mentions lead to."""
        lists, nodes, ends = _numbers(self._lists), _numbers(self._nodes), _numbers(self._ends)
        sizes = np.diff(ends, prepend=np.int32(0))[lists]
        behind = np.cumsum(sizes, dtype=np.int64) - sizes  # what the lists before each have
        mention = np.repeat(np.arange(len(lists), dtype=np.int32) // LISTS, sizes)
        at = np.repeat(ends[lists] - sizes - behind, sizes)
        at += np.arange(len(at))
        file = np.repeat(np.arange(len(self._sizes), dtype=np.int32), self._sizes)[mention]
        return Leads(
            mention=mention,
            role=np.frombuffer(bytes(self._roles), np.uint8)[mention],
            through=np.repeat(np.arange(len(lists), dtype=np.int32) % LISTS == 1, sizes),
            owner=np.array(self._tables.first, np.int32)[file] + 1 + _numbers(self._owners)[mention],
            target=nodes[at],
            candidates=np.repeat(_numbers(self._candidates)[lists], sizes),
            file=file,
            row=_numbers(self._rows)[mention],
        )


def _numbers(values: array[int]) -> Array:
    """Return an array of C's int as i32[n], without a copy."""
    return np.frombuffer(values, np.int32)
