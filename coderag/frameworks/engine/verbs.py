"""Calls on the models of any framework to what they do to these, by the words of its verbs.toml."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from tree_sitter import Node

from coderag.frameworks.engine.built_statements import read_built
from coderag.frameworks.engine.constant_statements import read_constants
from coderag.frameworks.engine.named_tables import read_named
from coderag.frameworks.engine.verb_words import VerbWords, verb_words
from coderag.frameworks.usage.binding import Bound, Told
from coderag.frameworks.usage.entities import Entities, is_class_name, split_model
from coderag.frameworks.usage.objects import assigned_field
from coderag.frameworks.usage.source_file import CodeFile
from coderag.frameworks.usage.usage import Usage, UsageBuilder
from coderag.sql.in_code.records import Access
from coderag.syntax.trees.call_chains import Chain, Link, chain_of, chains_in, entries, items, literal
from coderag.syntax.trees.node_types import CHAIN_NAMES
from coderag.syntax.trees.tree import descendants, named, text_of
from coderag.text.inflection import snake_case

__all__ = ["read"]

BRACKETS = re.compile(rb"\[[A-Z]\w*\.([a-z_]\w*)\]")
ASSIGNED = re.compile(rb"\b\w+\.(\w+)[ \t]*(?:[-+*/|]?=)(?!=)")
NESTED = 8  # calls inside of each other that are looked at
MAX_STEPS = 10  # from a name for a query to the name that this one is made of
ACCESS = {"writes": Access.WRITE, "deletes": Access.DELETE}
STARTS = frozenset({"deletes", "joins", "reads", "writes"})  # what a call on a model itself does
OWN = frozenset({"cls", "self", "this"})


@dataclass(slots=True)
class _Call:
    """A chain whose calls are read: what it is about, and where its calls begin."""

    model: str
    start: int
    is_object: bool = False


def read(code: CodeFile, frameworks: Sequence[str]) -> Iterator[Usage]:
    """Yield the uses of models of the frameworks that a file may use; of those alone that it names, if any."""
    words = {framework: verb_words(framework) for framework in frameworks}
    named = [framework for framework in frameworks if _is_evident(code, words[framework])]
    for framework in frameworks:
        if words[framework].by_use:
            yield from read_named(code, framework, words[framework])
        elif named and framework not in named:
            continue
        elif words[framework].constants:
            yield from read_constants(code, framework, words[framework])
        elif words[framework].built:
            yield from read_built(code, framework, words[framework])
        else:
            yield from _Reader(code, framework, words[framework]).read()


def _is_evident(code: CodeFile, words: VerbWords) -> bool:
    return any(text.encode() in code.data for text in words.evident)


class _Reader:
    def __init__(self, code: CodeFile, framework: str, words: VerbWords) -> None:
        self.code = code
        self.framework = framework
        self.words = words
        self.is_evident = _is_evident(code, words)
        self.entities = Entities(code, self._of_chain, self.words.passing)

    def read(self) -> Iterator[Usage]:
        if not self.is_evident and not any(hint.search(self.code.data) for hint in self.words.hints):
            return
        done: list[tuple[int, int]] = []
        for chain in self.code.chains(self.words.anchor):
            call = self._begin(chain)
            if call is None and not self._is_related(chain):
                continue
            done.append((chain.node.start_byte, chain.node.end_byte))
            draft = UsageBuilder()
            if call is None:
                self._related(chain, draft)
            else:
                self._calls(chain, call, draft)
            yield from draft.models(self.code, chain.node, self.framework)
        if not self.is_evident:
            return
        if self.words.brackets:
            yield from self._apart(BRACKETS, ())
        if self.words.columns:
            yield from self._apart(self.words.column_names, sorted(done))
        for path, node in self.entities.loaded():
            if is_target(node.parent):
                continue
            draft = UsageBuilder()
            draft.use(path, whole=True)
            yield from draft.models(self.code, node, self.framework)
        for chain in self.code.chains(ASSIGNED):
            yield from self._assigned(chain)

    # What a chain is about

    def _begin(self, chain: Chain) -> _Call | None:
        """Return the model that a chain of calls is about, None where it is about none."""
        if (call := self._of_class(chain)) is not None:
            return call
        if chain.links[0].made and len(chain.links) > 1 and chain.links[1].name in self.words.objects:
            return _Call(self._module_of(chain.links[0].name), 1, is_object=True) if self.words.parts else None
        bounds, links = self.code.told_of(chain)
        if links >= len(chain.links) or chain.links[links].arguments is None:
            return None
        name = chain.links[links].name
        if name in self.words.objects and (model := self._of_object(bounds)):
            return _Call(model, links, is_object=True)
        model = self._of_query(bounds, chain) if name in self.words.calls else ""
        return _Call(model, links) if model else None

    def _module_of(self, written: str) -> str:
        """Return the module that stands for a model: user of `user::ActiveModel`; of the file without one."""
        *before, last = written.replace("::", ".").split(".")
        known = last in self.words.parts or last == self.words.columns
        name = (before[-1] if before else PurePosixPath(self.code.path).stem) if known else last
        return snake_case(name)

    def _of_object(self, bounds: Sequence[Bound]) -> str:
        """Return the model of the object that a name is bound to."""
        if not self.words.parts:
            return self.entities.of_bounds(tuple(bounds))
        for bound in reversed(bounds):
            value = chain_of(bound.node) if bound.told is not Told.TYPE else None
            if bound.told is Told.TYPE or (value is not None and value.links[0].made):
                written = text_of(bound.node) if value is None else value.links[0].name
                if written.rpartition("::")[2] in self.words.parts:
                    return self._module_of(written)
            elif value is not None and (call := self._of_class(value)) is not None:
                return call.model
        return ""

    def _split(self, chain: Chain) -> tuple[str, int]:
        """Return the model that a chain begins with, and how many links that are; "" for none."""
        model, links = split_model(chain)
        if not model or not self.words.parts:
            return model, links
        return self._module_of(model), links

    def _of_query(self, bounds: Sequence[Bound], chain: Chain, depth: int = 0) -> str:
        """Return the model of the query that a name is bound to, "" where it is bound to something else."""
        for bound in reversed(bounds):
            value = chain_of(bound.node) if bound.told is not Told.TYPE and depth < MAX_STEPS else None
            if value is None or value.node == chain.node:
                continue
            if (call := self._of_class(value)) is not None:
                return call.model
            before, links = self.code.told_of(value)
            goes_on = links < len(value.links) and value.links[links].name in self.words.calls
            if goes_on and (model := self._of_query(before, value, depth + 1)):
                return model
        return ""

    def _of_class(self, chain: Chain) -> _Call | None:
        """Return the call of `User.select()`, of `cls.select()` in a model, of `cls.model.select()`."""
        model, start = self._split(chain)
        if not model:
            model, start = self._own(chain)
        if not model or start >= len(chain.links) or chain.links[start].arguments is None:
            return None
        said = self.words.calls.get(chain.links[start].name, "").split()
        if STARTS.isdisjoint(said) or not self._is_sure(chain, start):
            return None
        return _Call(model, start)

    def _own(self, chain: Chain) -> tuple[str, int]:
        """Return the model that `cls`, or a field of the class around which holds one, stands for."""
        links = chain.links
        if links[0].name not in OWN or links[0].arguments is not None or len(links) < 2:
            return "", 0
        if links[1].arguments is not None:
            around = self.code.type_around(chain.node.start_byte)
            is_class = links[0].name == "cls" and around >= 0
            return (self.code.outline.definitions[around].name, 1) if is_class else ("", 0)
        for bound in reversed(self.code.told_of(chain)[0]):
            text = text_of(bound.node)
            if is_class_name(text.rpartition(".")[2]) and text.replace(".", "").isidentifier():
                return text, 2
        return "", 0

    def _is_sure(self, chain: Chain, start: int) -> bool:
        """Tell whether a call on a class is one on a model."""
        if self.is_evident or any(link.name in self.words.sure for link in chain.links[start:]):
            return True
        parent = chain.node.parent
        return self.words.awaited and parent is not None and parent.type == "await"

    def _of_chain(self, chain: Chain, depth: int) -> str:
        """Return the model that a chain gives objects of, or a query for such."""
        del depth
        call = self._of_class(chain)
        return call.model if call is not None else ""

    def _is_related(self, chain: Chain) -> bool:
        """Tell whether calls on an unknown object are given models themselves: row.find_related(owner::Entity)."""
        return bool(self.words.parts) and self.is_evident and any(map(self._related_words, chain.links))

    def _related_words(self, link: Link) -> frozenset[str]:
        said = frozenset(self.words.objects.get(link.name, "").split()) if link.arguments else frozenset[str]()
        return said if "joins" in said else frozenset()

    # What the calls do

    def _related(self, chain: Chain, draft: UsageBuilder) -> None:
        """Note the models that calls on an unknown object are given, and those of the calls behind these."""
        start = next(place for place, link in enumerate(chain.links) if self._related_words(link))
        for link in chain.links[start:]:
            said = self._related_words(link) or frozenset(self.words.calls.get(link.name, "").split())
            for argument in link.arguments or ():
                self._references(argument.node, draft, said)

    def _calls(self, chain: Chain, call: _Call, draft: UsageBuilder) -> None:
        access, is_whole, is_narrow = Access.READ, False, False
        table = self.words.objects if call.is_object else self.words.calls
        for link in chain.links[call.start :]:
            if link.arguments is None:
                continue
            said = frozenset(table.get(link.name, "").split())
            if (change := next((ACCESS[word] for word in said if word in ACCESS), None)) is not None:
                access, is_whole = change, "row" in said  # the rows that were asked for are not read
            elif access is Access.READ:
                is_whole = is_whole or "row" in said
                is_narrow = is_narrow or "narrow" in said or ("lists" in said and bool(link.arguments))
            self._arguments(link, said, call.model, draft)
        names, parts_alone = self._written_names(chain, call, is_write=access is Access.WRITE)
        if names:
            draft.touch_all(call.model, names, written=True)
            is_whole = is_whole and not parts_alone
        if access is Access.WRITE and not draft.is_written(call.model):
            is_whole = True
        draft.use(call.model, access, whole=is_whole and not is_narrow)

    def _written_names(self, chain: Chain, call: _Call, *, is_write: bool) -> tuple[list[str], bool]:
        """Return the fields that objects of a chain are made with, and whether a write of these is of them alone."""
        if is_write and self.words.parts:
            given = (chain_of(argument.node) for link in chain.links[call.start :] for argument in link.arguments or ())
            made = [chain] if call.is_object else [one for one in given if one is not None]
            return [name for one in made for name in self._made_with(one)], True
        return list(self._made_with(chain)) if call.is_object and chain.links[0].made else [], False

    def _made_with(self, chain: Chain) -> Iterator[str]:
        """Yield the fields that the object which a call is on was made with, `user::ActiveModel { name: .. }`."""
        made = [chain.links[0]] if chain.links[0].made else []
        if not made and self.words.parts:
            values = (chain_of(bound.node) for bound in self.code.told_of(chain)[0] if bound.told is not Told.TYPE)
            made = [value.links[0] for value in values if value is not None and value.links[0].made]
        for link in made:
            yield from (argument.name for argument in link.arguments or ())

    def _arguments(self, link: Link, said: frozenset[str], model: str, draft: UsageBuilder) -> None:
        """Note what the arguments of a call name."""
        for argument in link.arguments or ():
            if argument.name and ("sets" in said or "asks" in said):
                draft.touch(model, self._field(argument.name), written="sets" in said)
            if "first" in said and argument is (link.arguments or ())[0]:
                self._field_written(argument.node, draft)
                continue
            if "assigns" in said:
                draft.touch_all(model, _assigned_elements(argument.node), written=True)
            if "rows" in said or "sets" in said:
                for item in items(argument.node):
                    draft.touch_all(model, (key.rpartition(".")[2] for key, _ in entries(item)), written=True)
            if not said.isdisjoint({"names", "relations"}):
                for text in filter(None, map(literal, items(argument.node))):
                    self._text(text, said, model, draft)
            self._references(argument.node, draft, said)

    def _field_written(self, node: Node, draft: UsageBuilder) -> None:
        """Note a field that is written, `user::Column::Name`."""
        chain = chain_of(node)
        model, links = self._split(chain) if chain is not None else ("", 0)
        if chain is not None and model and len(chain.links) == links + 1:
            name = chain.links[links].name
            draft.touch(model, snake_case(name) if self.words.columns else name, written=True)

    def _text(self, text: str, said: frozenset[str], model: str, draft: UsageBuilder) -> None:
        """Note a field or relation that a text names."""
        name = text.lstrip("-+")
        if not name.replace(".", "_").isidentifier():
            return
        if "relations" in said:
            path = name.replace(self.words.lookup, ".") if self.words.lookup else name
            draft.use(f"{model}.{path}", whole=True)
        else:
            draft.touch(model, self._field(name))

    def _field(self, name: str) -> str:
        """Return the path of fields that the name of a condition has: author.name of author__name__icontains."""
        if not self.words.lookup:
            return name
        parts = [part for part in name.split(self.words.lookup) if part]
        while len(parts) > 1 and parts[-1] in self.words.operators:
            parts.pop()
        return ".".join(parts)

    def _references(self, node: Node, draft: UsageBuilder, said: frozenset[str]) -> None:
        """Note the attributes of models in an argument, `User.name == x`, and models that are joined."""
        skipped = frozenset({"index_expression"}) if self.words.brackets else frozenset[str]()  # they are read apart
        for chain in chains_in(node, skip=skipped):
            if related := self._relation(chain):
                draft.use(related)
                continue
            other, links = self._split(chain)
            if not other:
                other, links = self._own_attribute(chain)
            if not other:
                continue
            if len(chain.links) == links:
                if chain.node == node and not said.isdisjoint({"joins", "lists"}):
                    draft.use(other, whole="lists" in said)
                continue
            field = chain.links[links]
            if self.words.columns:
                if chain.links[links - 1].name == self.words.columns and field.arguments is None:
                    draft.touch(other, snake_case(field.name))
                continue
            if field.arguments is None and self._is_field(field.name):
                draft.touch(other, field.name)

    def _relation(self, chain: Chain) -> str:
        """Return the model that a relation leads to, which is called after it: owner of `user::Relation::Owner`."""
        names = [link.name for link in chain.links]
        if not self.words.relations or self.words.relations not in names[:-1]:
            return ""
        return snake_case(names[names.index(self.words.relations) + 1])

    def _is_field(self, name: str) -> bool:
        """Tell whether an attribute of a model may be a field: no class in it, no constant of an enumeration."""
        return name not in self.words.not_fields and not name.isupper() and not is_class_name(name)

    def _own_attribute(self, chain: Chain) -> tuple[str, int]:
        """Return the model of `cls.name` in a model, or of `cls.model.name`."""
        links = chain.links
        if links[0].name not in OWN or len(links) < 2 or links[1].arguments is not None:
            return "", 0
        model, start = self._own(chain)
        if model:
            return model, start
        around = self.code.type_around(chain.node.start_byte)
        return (self.code.outline.definitions[around].name, 1) if links[0].name == "cls" and around >= 0 else ("", 0)

    def _apart(self, pattern: re.Pattern[bytes], done: Sequence[tuple[int, int]]) -> Iterator[Usage]:
        """Yield the fields that are named outside of calls: `row[Users.name]`, `user::Column::Id`."""
        starts = [start for start, _ in done]
        root = self.code.parsed.tree.root_node
        for match in pattern.finditer(self.code.data):
            place = match.start(1)
            position = bisect_right(starts, place)
            if any(place < end for _, end in done[max(0, position - NESTED) : position]):
                continue
            node = root.descendant_for_byte_range(*match.span(1))
            chain = chain_of(node.parent) if node is not None and node.type in CHAIN_NAMES else None
            model, links = self._split(chain) if chain is not None else ("", 0)
            if chain is None or not model or len(chain.links) <= links or is_target(chain.node.parent):
                continue
            name = chain.links[links].name
            draft = UsageBuilder()
            draft.touch(model, snake_case(name) if self.words.columns else name)
            yield from draft.models(self.code, chain.node, self.framework)

    def _assigned(self, chain: Chain) -> Iterator[Usage]:
        """Yield the write of `user.name = x` for an object of a model."""
        found = assigned_field(chain, OWN)
        if found is None:
            return
        holder = found.holder
        model = self._of_object(self.code.told_of(holder)[0]) if self.words.parts else self.entities.of(holder)
        if model:
            draft = UsageBuilder()
            draft.assign(model, found.field)
            yield from draft.models(self.code, chain.node, self.framework)


def _assigned_elements(node: Node) -> Iterator[str]:
    """Yield the columns of `{ it[name] = "x"; it[Users.city] = 1 }`."""
    for assignment in descendants(node, "assignment"):
        left = assignment.child_by_field_name("left")
        index = named(left)[-1:] if left is not None and left.type == "index_expression" else []
        yield from (text_of(one).rpartition(".")[2] for one in index)


def is_target(node: Node | None) -> bool:
    """Tell whether an expression is what a value is assigned to."""
    parent = node.parent if node is not None else None
    return parent is not None and parent.child_by_field_name("left") == node
