"""Bare names, imports and members of classes to what they stand for: scopes, packages and the order of base classes."""

from __future__ import annotations

from abc import ABC, abstractmethod

from coderag.graph.resolve.abstract_values import FORM, INSTANCE, OUTSIDE, Form, Targets, Variable, few
from coderag.graph.resolve.anchors import Anchors
from coderag.graph.resolve.imports.modules import Modules
from coderag.graph.resolve.tables import VALUES, Tables
from coderag.graph.resolve.type_syntax import plain, split_last
from coderag.syntax.references.records import Binding, Imported
from coderag.types import Kind

__all__ = ["NOTHING", "Scopes"]

MAX_BASES = 64
MAX_FILES = 8  # that one import may mean
MAX_DEPTH = 40  # of files that hand on what others hand on, and of classes above a class: each is a call in a call
RELATIVE = ("crate.", "super.", "self.")  # how names in full begin in Rust
NOTHING: tuple[int, ...] = ()
NO_MEMBERS: dict[str, tuple[int, ...]] = {}
NO_BINDINGS: dict[str, list[Binding]] = {}
# A class and those above it, each with its members and with what is bound in it; no base is outside of the index.
Spaces = tuple[list[tuple[int, dict[str, tuple[int, ...]], dict[str, list[Binding]]]], bool]


class Scopes(ABC):
    """Name resolution that needs no types, over the tables of one index, memoised."""

    def __init__(self, tables: Tables, modules: Modules) -> None:
        self.tables = tables
        self.modules = modules
        self.anchors = Anchors(tables)
        self._looked: dict[tuple[int, str], Targets] = {}
        self._members: dict[tuple[int, str], Targets] = {}
        self._exported: dict[tuple[int, str], Targets] = {}
        self._lines: dict[int, tuple[int, ...]] = {}
        self._bases: dict[int, tuple[int, ...]] = {}
        self._spaces: dict[int, Spaces] = {}
        self._unfinished = 0  # classes whose bases or line are being found out
        self._depth = 0  # of files that hand on names of others, and classes that inherit from others
        self._types: dict[tuple[int, str], tuple[int, ...]] = {}
        self._beside: dict[tuple[int, str], Targets] = {}
        self.written_bases: dict[int, list[str]] = {}  # as classes write them
        self.open: set[int] = set()  # classes of which a base is not in the index or not known

    @abstractmethod
    def values(self, scope: int, text: str) -> tuple[int, ...]:
        """Return what an expression may evaluate to; () when that is not known."""

    def is_class(self, node: int) -> bool:
        """Tell whether a node is a type."""
        return self.tables.is_container(node)

    def loaded(self, scope: int, text: str) -> Targets:
        """Return the file of a module that is written with its dots: `import a.b`, then a.b.c."""
        base = self.tables.file_node(scope)
        for imported in self.tables.loads.get(base, ()):
            if text in (imported.module, imported.alias):
                return self.imported(base, imported)
        return NOTHING

    def look(self, scope: int, name: str) -> Targets:
        """Return what a bare name stands for at a definition or file."""
        if not name:
            return NOTHING
        key = scope, name
        found = self._looked.get(key)
        if found is None:
            self._looked[key] = NOTHING
            found = self._looked[key] = self._look(scope, name)
        return found

    def _look(self, scope: int, name: str) -> Targets:
        tables = self.tables
        node, direct = scope, True
        while tables.kind[node] is not None:
            found = self._look_at(node, name, direct=direct)
            if found:
                return found
            direct = direct and tables.kind[node] in VALUES
            node = tables.parent[node]
        return self._top(node, name)

    def _look_at(self, node: int, name: str, *, direct: bool) -> Targets:
        """Return what a definition makes of a name that is written in it."""
        tables = self.tables
        rules = tables.rules_at(node)
        imports = tables.imports.get(node)
        if imports is not None and name in imports:
            return few([one for each in imports[name] for one in self.imported(tables.file_node(node), each)])
        own = tables.members.get(node)
        if tables.is_container(node):
            if rules.bare_members:
                return self._inherited(node, name)
            if tables.kind[node] is not Kind.MODULE and not (direct and rules.body_names):
                return NOTHING
        if own is not None and name in own:
            return own[name]
        bound = tables.bindings.get(node)
        if bound is not None and name in bound:
            return (Variable(node, name),)
        home = tables.home.get(node)
        return self._inherited(home, name) if home is not None and rules.bare_members else NOTHING

    def _inherited(self, node: int, name: str) -> Targets:
        found = self.class_member(node, name)
        return NOTHING if found == (OUTSIDE,) else found

    def _top(self, base: int, name: str) -> Targets:
        """Return what a name stands for at the top of a file, or in all that the file sees without a word."""
        key = base, name
        found = self._beside.get(key)
        if found is None:
            self._beside[key] = NOTHING
            found = self.known_in(base, name) or self._around(base, name)
            self._beside[key] = found
        return found

    def _around(self, base: int, name: str) -> Targets:
        """Return what a file sees of others without naming them: its package, what it includes, full names."""
        tables = self.tables
        file = tables.file[base]
        for one in self.modules.beside(file):
            found = tables.members.get(tables.first[one], {}).get(name)
            if found:
                return found
        if tables.rules[file].linked:
            for loaded in tables.files[file].links.mentions.imports:
                if not loaded.name and not loaded.alias:
                    for one in self.modules.files_of(file, loaded.module):
                        found = tables.members.get(tables.first[one], {}).get(name)
                        if found:
                            return found
        return self.full(base, name)

    def full(self, base: int, text: str) -> Targets:
        """Return what a name means that is written in full, so that no import is needed."""
        tables = self.tables
        file = tables.file[base]
        sign = tables.rules[file].full_names
        if not sign or not (text[:1].isupper() or text.startswith(RELATIVE)):
            return NOTHING
        for number in self.modules.files_of(file, text.replace(".", sign)):
            found = self.types_in(tables.first[number], text)
            if found:
                return found
        head, name = split_last(text)
        if head:
            for number in self.modules.files_of(file, head.replace(".", sign), name):
                found = self.exported(tables.first[number], name)
                if found:
                    return found
        return NOTHING

    def types_in(self, base: int, text: str) -> Targets:
        """Return the definitions of a file whose qualified name is what is written, or the end of it."""
        key = base, text
        found = self._types.get(key)
        if found is None:
            tables = self.tables
            last = split_last(text)[1]
            definitions = tables.files[tables.file[base]].links.definitions
            found = self._types[key] = tuple(
                node
                for node, one in enumerate(definitions, base + 1)
                if one.name.endswith(last) and f".{text}".endswith(f".{plain(one.qualified_name)}")
            )
        return found

    def known_in(self, base: int, name: str) -> Targets:
        """Return what a file defines or imports under a name."""
        tables = self.tables
        found: Targets = tables.members.get(base, {}).get(name, NOTHING)
        imports = tables.imports.get(base, {}).get(name)
        if imports is not None:
            others = few([one for each in imports for one in self.imported(base, each)])
            found = few([*found, *others]) if found and others != (OUTSIDE,) else found or others
        if not found and name in tables.bindings.get(base, ()):
            return (Variable(base, name),)
        return found or self._from_stars(base, name)

    def _from_stars(self, base: int, name: str) -> Targets:
        tables = self.tables
        for imported in tables.stars.get(base, ()):
            for number in self.modules.files_of(tables.file[base], imported.module):
                other = tables.first[number]
                if other != base and self._is_starred(other, name):
                    found = self.exported(other, name) or self._member_of_type(other, imported.module, name)
                    if found:
                        return found
        return NOTHING

    def _member_of_type(self, base: int, module: str, name: str) -> Targets:
        """Return a member of a type that an import takes for a module."""
        if not self.tables.rules_at(base).imports_types:
            return NOTHING
        types = [one for one in self.types_in(base, plain(module)) if isinstance(one, int) and self.is_class(one)]
        return few([each for one in types for each in self._inherited(one, name)])

    def _is_starred(self, base: int, name: str) -> bool:
        exports = self.tables.exports.get(base)
        return name in exports if exports is not None else not name.startswith("_")

    def imported(self, base: int, one: Imported) -> Targets:
        """Return what an import of a file makes known; OUTSIDE when that is not in the index."""
        tables = self.tables
        file = tables.file[base]
        rules = tables.rules[file]
        numbers = self.modules.files_of(file, one.module, one.name)
        bases = [tables.first[number] for number in numbers]
        if not one.name:
            if rules.imports_types:
                found = [each for other in bases for each in self.types_in(other, plain(one.module))]
                if found:
                    return few(found)
            # One file stands for its package: `exported` looks into those beside it.
            return tuple(bases[: 1 if rules.packages else MAX_FILES]) or (OUTSIDE,)
        found = [each for other in bases if other != base for each in self.exported(other, one.name)]
        if not found:
            found = [each for other in bases for each in self._member_of_type(other, one.module, one.name)]
        if not found:
            found = [tables.first[number] for number in self.modules.submodule(file, one.module, one.name)]
        return few(found) or (OUTSIDE,)

    def exported(self, base: int, name: str) -> Targets:
        """Return what others get from a file under a name."""
        key = base, name
        found = self._exported.get(key)
        if found is not None:
            return found
        self._exported[key] = NOTHING  # files that import each other
        if self._depth == MAX_DEPTH:
            return NOTHING
        self._depth += 1
        found = self._exported[key] = self._find_exported(base, name)
        self._depth -= 1
        return found

    def _find_exported(self, base: int, name: str) -> Targets:
        tables = self.tables
        rules = tables.rules_at(base)
        if rules.reexports:
            found = self.known_in(base, name)
        else:
            found = tables.members.get(base, {}).get(name, NOTHING)
            if not found:
                handed = [imported for imported in tables.imports.get(base, {}).get(name, ()) if imported.exported]
                found = few([each for imported in handed for each in self.imported(base, imported)])
            if not found and name in tables.bindings.get(base, ()):
                found = (Variable(base, name),)
            if not found:
                found = self._exported_stars(base, name)
            if not found and name in tables.exports.get(base, ()):
                found = self.known_in(base, name)
            if not found and rules.packages:
                found = self._exported_beside(base, name)
        return found

    def _exported_beside(self, base: int, name: str) -> Targets:
        """Return what the other files of a package define under a name."""
        tables = self.tables
        for number in self.modules.beside(tables.file[base]):
            other = tables.first[number]
            if found := tables.members.get(other, {}).get(name):
                return found
            if name in tables.bindings.get(other, ()):
                return (Variable(other, name),)
        return NOTHING

    def _exported_stars(self, base: int, name: str) -> Targets:
        tables = self.tables
        for imported in tables.stars.get(base, ()):
            if imported.exported and not imported.alias:
                for number in self.modules.files_of(tables.file[base], imported.module):
                    found = self.exported(tables.first[number], name)
                    if found:
                        return found
        return NOTHING

    def member(self, value: int, name: str) -> Targets:
        """Return what `value.name` is."""
        if value >= OUTSIDE:
            return (OUTSIDE,)
        form, node = divmod(value, FORM)
        if form == Form.SUPER:
            return self.class_member(node, name, above=True)
        tables = self.tables
        if form:
            return self._embedded(node, name) if self.tables.rules_at(node).packages else self.class_member(node, name)
        if tables.kind[node] is None:
            found = self.exported(node, name)
            if not found and tables.rules_at(node).submodules:
                number = tables.file[node]
                found = tuple(tables.first[one] for one in self.modules.submodule(number, ".", name))
            return found
        if tables.is_container(node):
            return self.class_member(node, name)
        own = tables.members.get(node)
        return own.get(name, NOTHING) if own is not None and not tables.is_callable(node) else NOTHING

    def _embedded(self, node: int, name: str) -> Targets:
        """Return a member of a struct, or what it embeds by the name of its type."""
        found = self.class_member(node, name)
        if not found or found == (OUTSIDE,):
            bases = (base for base in self.bases(node) if base != OUTSIDE and self.tables.name[base] == name)
            return tuple(INSTANCE + base for base in bases) or found
        return found

    def class_member(self, node: int, name: str, *, above: bool = False) -> Targets:
        """Return a member of a class by its name, its own or inherited; `above`: inherited only."""
        key = (-node if above else node), name
        found = self._members.get(key)
        if found is None:
            found = self._members[key] = self._class_member(node, name, 1 if above else 0)
        return found

    def _class_member(self, node: int, name: str, skip: int) -> Targets:
        spaces, known = self._spaces.get(node) or self._find_spaces(node)
        for one, own, bound in spaces[skip:] if skip else spaces:
            if name in own:
                return own[name]
            if name in bound:
                return (Variable(one, name),)
        return NOTHING if known else (OUTSIDE,)

    def _find_spaces(self, node: int) -> Spaces:
        """Return where the members of a class are looked for, and whether all of that is in the index."""
        tables, line = self.tables, self.line(node)
        spaces = [(one, tables.members.get(one, NO_MEMBERS), tables.bindings.get(one, NO_BINDINGS)) for one in line]
        known = not any(OUTSIDE in self.bases(one) for one in line)
        # The class itself stays in any case, as it is passed over for what stands above it.
        found = [space for space in spaces if space[0] == node or space[1] or space[2]], known
        if not self._unfinished:
            self._spaces[node] = found
        return found

    def cached(self) -> int:
        """Return how many names are cached with what they stand for at a place."""
        return len(self._looked) + len(self._beside)

    def forget(self) -> None:
        """Empty these caches, which must not be done during a resolution."""
        self._looked.clear()
        self._beside.clear()

    def settled(self) -> None:
        """Forget where members are looked for: classes have got others."""
        self._spaces.clear()

    def bases(self, node: int) -> tuple[int, ...]:
        """Return the classes that a class names as its bases, OUTSIDE among them for those that are not here."""
        found = self._bases.get(node)
        if found is None:
            self._bases[node] = NOTHING
            self._unfinished += 1
            found = self._bases[node] = tuple(dict.fromkeys(self._find_bases(node)))[:MAX_BASES]
            self._unfinished -= 1
        return found

    def _find_bases(self, node: int) -> list[int]:
        tables = self.tables
        found: list[int] = []
        written = [
            (part, text) for part in tables.parts.get(node, (node,)) for text in self.written_bases.get(part, ())
        ]
        for part, text in written:
            values = self.values(tables.parent[part], plain(text))
            classes = [value for value in values if value < FORM and tables.kind[value] is not None and value != node]
            found += [one for one in classes if self.is_class(one)]
            if not classes:
                self.open.add(node)
                if values == (OUTSIDE,):
                    found.append(OUTSIDE)
        return found

    def line(self, node: int) -> tuple[int, ...]:
        """Return a class and all above it in the order in which members are looked for (C3)."""
        found = self._lines.get(node)
        if found is None:
            found = self._lines[node] = (node,)  # classes that inherit from each other
            if self._depth == MAX_DEPTH:
                return found
            self._unfinished += 1
            self._depth += 1
            bases = [base for base in self.bases(node) if base != OUTSIDE]
            found = self._lines[node] = (node, *_merge([list(self.line(base)) for base in bases], bases))
            self._depth -= 1
            self._unfinished -= 1
        return found


def _merge(lines: list[list[int]], bases: list[int]) -> list[int]:
    """Return the order in which classes come behind a class, from those of its bases.

    The C3 linearisation (Barrett et al. 1996, as in Python); where there is none, the first that is left comes next.
    """
    rest = [line for line in (*lines, bases) if line]
    merged: list[int] = []
    while rest:
        behind = {one for line in rest for one in line[1:]}
        head = next((line[0] for line in rest if line[0] not in behind), rest[0][0])
        merged.append(head)
        rest = [kept for line in rest if (kept := [one for one in line if one != head])]
    return merged
