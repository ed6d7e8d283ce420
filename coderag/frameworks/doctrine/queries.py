"""Repositories, entity managers, query builders and DQL of Doctrine.

https://www.doctrine-project.org/projects/doctrine-orm/en/current/reference/query-builder.html
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from coderag.frameworks.doctrine.written import GENERAL, class_in, dql_in, entity_of_repository
from coderag.frameworks.jpa.jpql import is_jpql, read_jpql
from coderag.frameworks.usage.binding import Told
from coderag.frameworks.usage.conditions import columns_in
from coderag.frameworks.usage.entities import Entities
from coderag.frameworks.usage.source_file import CodeFile
from coderag.frameworks.usage.usage import Usage, UsageBuilder
from coderag.sql.in_code.records import Access
from coderag.syntax.outline import CALLABLE
from coderag.syntax.trees.call_chains import Chain, Link, chain_of, entries, items, literal
from coderag.syntax.trees.tree import text_of

__all__ = ["read"]

FRAMEWORK = "doctrine"
MAX_STEPS = 8  # from a name for a repository or builder to what it is made of
JOINS = frozenset("join innerJoin leftJoin".split())
SELECTS = frozenset("select addSelect partial".split())
CONDITIONS = frozenset("where andWhere orWhere having andHaving orHaving orderBy addOrderBy groupBy addGroupBy".split())
CHANGES = {"update": Access.WRITE, "delete": Access.DELETE}
BUILDS = JOINS | SELECTS | CONDITIONS | {"from", "set", "update", "delete"}
FINDS = re.compile(r"^(find|findAll|findBy|findOneBy|count|matching|(?:findBy|findOneBy|countBy)([A-Z]\w*))$")
ANCHOR = re.compile(
    rb"->\s*(createQueryBuilder|createQuery|from|update|delete|set|expr|persist|remove|refresh|join|innerJoin|leftJoin"
    rb"|select|addSelect|where|andWhere|orWhere|having|andHaving|orHaving|orderBy|addOrderBy|groupBy|addGroupBy"
    rb"|find\w*|count(?:By\w+)?|matching|getReference)\s*(?=\()"
)
SETTER = re.compile(rb"\$\w+->(set[A-Z]\w*)\s*\(")
REPOSITORY = b"Repository"
REPOSITORY_HEAD = re.compile(
    rb"\bclass\s{1,9}+(\w{1,100}+)\s{1,9}+extends\s{1,9}+[\w\\]{1,200}+(?<=Repository)(?![\w\\])"
)
STATED = re.compile(
    rb"@(?:\w{1,30}+-)?extends\s{1,9}+[\w\\]{1,200}+(?<=Repository)<\s{0,9}+([\w\\]{1,200}+)\s{0,9}+[,>]"
)
GIVEN = re.compile(rb"parent::__construct\(\s{0,99}+\$\w{1,60}+,\s{0,99}+([\w\\]{1,200}+)::class")
MANAGER = re.compile(r"^(?:em|om|_em|entityManager|objectManager|\w*EntityManager)$")
MANAGER_TYPE = re.compile(r"(?:Entity|Object)Manager(?:Interface|Decorator)?\b")
MANAGER_CALLS = frozenset("getManager getEntityManager getManagerForClass".split())
RESULTS = frozenset("getResult getOneOrNullResult getSingleResult toIterable iterate".split())
PASSING = frozenset("first last current toArray filter".split())
CLASS_PREFIX = re.compile(
    r"(?<![\w\\])(?:\\{1,2}+(?:\w{1,100}+\\{1,2}+){0,20}+|(?:\w{1,100}+\\{1,2}+){1,20}+)(?=[A-Za-z_])"
    r"|(?<!\w)[A-Z]\w{0,100}+:(?=[A-Z])"
)
PARTIAL = re.compile(r"\b(?:partial\s+)?(\w+)\.\{([\w\s,]*)\}")
ALIAS = re.compile(r"^\s*(\w+)\s*$")


def read(code: CodeFile) -> Iterator[Usage]:
    """Yield the uses of Doctrine's entities."""
    yield from _Reader(code).read()


class _Reader:
    def __init__(self, code: CodeFile) -> None:
        self.code = code
        self.entities = Entities(code, self.of_chain, PASSING)
        # What an alias of a query stands for, by function and then in the whole class: builders are handed around.
        self.aliases: dict[tuple[int, str], list[str]] = {}
        self.narrow: set[tuple[int, str]] = set()  # builders that select columns, or change rows
        self.persisted: set[tuple[int, str]] = set()

    def read(self) -> Iterator[Usage]:
        chains = list(self.code.chains(ANCHOR))
        for chain in chains:
            self.code.begin()
            self._declare(chain)
        for chain in chains:
            self.code.begin()
            draft = UsageBuilder()
            self._chain(chain, draft)
            yield from draft.models(self.code, chain.node, FRAMEWORK)
        if b"flush(" in self.code.data or self.persisted:
            for chain in self.code.chains(SETTER):
                yield from self._set(chain)

    # Who is asked

    def own_entity(self, byte: int) -> str:
        """Return the entity of the repository around a place, "" where none is."""
        position = self.code.type_around(byte)
        if position < 0:
            return ""
        definition, data = self.code.outline.definitions[position], self.code.data
        match = REPOSITORY_HEAD.search(data, definition.start_byte, definition.end_byte)
        if match is None:
            return ""
        stated = STATED.findall(data, 0, match.start()) or GIVEN.findall(data, match.start(), definition.end_byte)
        written = stated[-1] if stated else match[1].removesuffix(REPOSITORY)
        name = written.rpartition(b"\\")[2].decode("utf-8", "replace")
        return "" if name in GENERAL else name

    def repository(self, chain: Chain, position: int, depth: int = 0) -> str:
        """Return the entity of the repository that the links before a position stand for, "" for none."""
        if position < 1 or depth > MAX_STEPS:
            return ""
        before = chain.links[position - 1]
        if before.arguments is not None:
            return class_in(before.argument(0)) if before.name == "getRepository" else ""
        if position == 1 and before.name in {"this", "parent"}:
            return self.own_entity(chain.node.start_byte)
        bounds, links = self.code.told_of(chain)
        for bound in reversed(bounds) if links == position else ():
            if bound.told is Told.TYPE:
                return entity_of_repository(text_of(bound.node))
            value = chain_of(bound.node) if bound.told is Told.VALUE else None
            if value is not None and value.node != chain.node:
                return self.repository(value, len(value.links), depth + 1)
        return ""

    def is_manager(self, chain: Chain, position: int, depth: int = 0) -> bool:
        """Tell whether the links before a position stand for an entity manager."""
        if position < 1 or depth > MAX_STEPS:
            return False
        before = chain.links[position - 1]
        if before.arguments is not None:
            return before.name in MANAGER_CALLS
        bounds, links = self.code.told_of(chain)
        for bound in reversed(bounds) if links == position else ():
            if bound.told is Told.TYPE:
                return MANAGER_TYPE.search(text_of(bound.node)) is not None
            value = chain_of(bound.node)
            if value is not None and value.node != chain.node and self.is_manager(value, len(value.links), depth + 1):
                return True
        return MANAGER.match(before.name) is not None

    def of_chain(self, chain: Chain, depth: int) -> str:
        """Return the entity that a repository, an entity manager or a query gives."""
        last = len(chain.links) - 1
        link = chain.links[last]
        if link.arguments is None or last < 1 or depth > MAX_STEPS:
            return ""
        if link.name in RESULTS:
            start = next((p for p, one in enumerate(chain.links) if one.name == "createQueryBuilder"), -1)
            is_listed = any(one.name in {"select", "addSelect"} for one in chain.links)
            return self.repository(chain, start) if start > 0 and not is_listed else ""
        if link.name in {"find", "getReference"} and self.is_manager(chain, last):
            return class_in(link.argument(0))
        if link.name.startswith("find") and FINDS.match(link.name):
            return self.repository(chain, last)
        return ""

    # Aliases

    def function(self, byte: int) -> int:
        """Return the outermost function around a place within its class, -1 outside of all."""
        definitions, position = self.code.outline.definitions, self.code.owner(byte)
        around, found = self.code.type_around(byte), -1
        while position >= 0 and position != around:
            found = position if definitions[position].kind in CALLABLE else found
            position = definitions[position].parent
        return found

    def entity(self, alias: str, byte: int) -> str:
        """Return what an alias stands for: in the function around, else in all of the file where that is one thing."""
        known = self.aliases.get((self.function(byte), alias)) or self.aliases.get((-2, alias), [])
        return known[0] if len(set(known)) == 1 else ""

    def _declare(self, chain: Chain) -> None:
        """Note the aliases that a chain declares, and what becomes of the builder that a name stands for."""
        byte = chain.node.start_byte
        scope = self.function(byte)
        for position, link in enumerate(chain.links):
            if link.name == "createQueryBuilder":
                self._alias(scope, self.repository(chain, position), link.argument(0))
            elif link.name in JOINS | {"from", "update", "delete"} and link.arguments:
                self._alias(scope, self._joined(link, byte), link.argument(1))
            if link.name in {"select", "update", "delete"}:
                self.narrow.add((scope, chain.links[0].name))
            elif link.name == "persist" and len(link.arguments or ()) == 1:
                self.persisted.add((scope, text_of(link.argument(0)).removeprefix("$")))

    def _alias(self, scope: int, model: str, node: Node | None) -> None:
        alias = ALIAS.match(literal(node) or "")
        if alias is not None and model:
            for key in (scope, -2):
                self.aliases.setdefault((key, alias[1]), []).append(model)

    # What is asked

    def _chain(self, chain: Chain, draft: UsageBuilder) -> None:
        is_expression = False
        for position, link in enumerate(chain.links):
            if link.arguments is None:
                continue
            if link.name == "createQueryBuilder":
                self._begin(chain, position, draft)
            elif link.name == "createQuery":
                text = CLASS_PREFIX.sub("", dql_in(link.argument(0)) or "")
                if is_jpql(text):
                    read_jpql(text, draft)
                return
            elif link.name in BUILDS:
                self._build(chain, position, draft)
            elif link.name == "expr" or is_expression:
                is_expression = True
                for argument in link.arguments:
                    self._condition(argument.node, draft)
            elif position:
                self._call(chain, position, draft)

    def _begin(self, chain: Chain, position: int, draft: UsageBuilder) -> None:
        """Note a builder of a repository; it gives whole rows unless something is selected."""
        links = chain.links[position + 1 :]
        model = self.repository(chain, position)
        access = next((CHANGES[link.name] for link in links if link.name in CHANGES and link.arguments == ()), None)
        parent = chain.node.parent
        left = parent.child_by_field_name("left") if parent is not None else None
        key = (self.function(chain.node.start_byte), text_of(left).removeprefix("$"))
        is_narrow = key in self.narrow or any(link.name in {"select", "update", "delete"} for link in links)
        draft.use(model, access or Access.READ, whole=not is_narrow)

    def _build(self, chain: Chain, position: int, draft: UsageBuilder) -> None:
        """Note what a call of a query builder names."""
        link, byte = chain.links[position], chain.node.start_byte
        first = link.argument(0)
        if link.name in CHANGES or link.name == "from":
            is_of_entity = position > 0 and link.argument(1) is not None
            draft.use(class_in(first) if is_of_entity else "", CHANGES.get(link.name, Access.READ))
        elif link.name in JOINS:
            draft.use(self._joined(link, byte))
            self._condition(link.argument(3), draft)
        elif link.name == "set":
            holder, _, field = (literal(first) or "").partition(".")
            if field.isidentifier() and (model := self.entity(holder, byte)):
                draft.assign(model, field)
                self._condition(link.argument(1), draft)
        else:
            for argument in link.arguments or ():
                for item in items(argument.node):
                    self._listed(item, draft, is_selected=link.name in SELECTS)

    def _joined(self, link: Link, byte: int) -> str:
        """Return what a join leads to: Entry.tags of `join('e.tags', 't')`, Tag of `join(Tag::class, 't')`."""
        holder, _, relation = (literal(link.argument(0)) or "").partition(".")
        base = self.entity(holder, byte) if relation.isidentifier() else ""
        return f"{base}.{relation}" if base else class_in(link.argument(0))

    def _listed(self, item: Node, draft: UsageBuilder, *, is_selected: bool) -> None:
        """Note an element of a clause; an alias that is selected gives whole rows."""
        aliases = [ALIAS.match(one) for one in (literal(item) or "").split(",")] if is_selected else [None]
        if not all(aliases):
            self._condition(item, draft)
        for alias in filter(None, aliases):
            draft.use(self.entity(alias[1], item.start_byte), whole=True)

    def _condition(self, node: Node | None, draft: UsageBuilder) -> None:
        """Note the fields of a piece of DQL: `e.user = :user`."""
        text = dql_in(node) if node is not None else None
        for alias, listed in PARTIAL.findall(text or ""):
            draft.touch_all(self.entity(alias, node.start_byte if node else 0), re.findall(r"\w+", listed))
        for name in columns_in(text or ""):
            alias, _, field = name.partition(".")
            if field and node is not None:
                draft.touch(self.entity(alias, node.start_byte), field)

    def _call(self, chain: Chain, position: int, draft: UsageBuilder) -> None:
        """Note what a method of a repository or an entity manager does."""
        link = chain.links[position]
        name, count = link.name, len(link.arguments or ())
        is_named = name in {"find", "getReference"} and count > 1 and class_in(link.argument(0)) != ""
        if name in {"persist", "remove", "refresh"} or is_named:
            if (count == 1 or is_named) and self.is_manager(chain, position):
                self._managed(link, draft)
        elif FINDS.match(name) and (model := self.repository(chain, position)):
            is_own = chain.links[0].name == "this" and position == 1
            if not (is_own and self._defines(name)):  # else that method tells what is read
                _note_finder(link, model, draft)

    def _managed(self, link: Link, draft: UsageBuilder) -> None:
        """Note what a method of an entity manager does."""
        given = link.argument(0)
        if link.name in {"find", "getReference"}:
            draft.use(class_in(given), whole=link.name == "find")
            return
        access = {"persist": Access.WRITE, "remove": Access.DELETE}.get(link.name, Access.READ)
        is_whole = link.name == "refresh" or (link.name == "persist" and not self._loaded(given))
        draft.use(self.entities.of_node(given), access, whole=is_whole)

    def _defines(self, name: str) -> bool:
        return any(definition.name == name for definition in self.code.outline.definitions)

    def _loaded(self, node: Node | None) -> str:
        """Return the entity that the function itself has loaded into a name, "" for any other value."""
        chain = chain_of(node)
        if chain is None or len(chain.links) != 1 or chain.links[0].arguments is not None:
            return ""
        bounds = self.code.bound(chain.links[0].name, chain.node.start_byte)
        value = bounds[-1] if bounds and bounds[-1].told is not Told.TYPE else None
        made = chain_of(value.node) if value is not None else None
        return self.entities.of_node(value.node) if value is not None and made and not made.links[-1].made else ""

    def _set(self, chain: Chain) -> Iterator[Usage]:
        """Yield `$entry->setTitle($x)` of an entity that is stored here."""
        name, call = chain.links[0], chain.links[1] if len(chain.links) > 1 else chain.links[0]
        if not call.name.startswith("set") or not call.arguments or name.arguments is not None:
            return
        is_kept = (self.function(chain.node.start_byte), name.name) in self.persisted
        model = self.entities.of_node(name.node) if is_kept else self._loaded(name.node)
        if model:
            draft = UsageBuilder()
            setters = [link.name for link in chain.links[1:] if link.name.startswith("set") and link.arguments]
            for setter in setters:
                draft.assign(model, setter[3:4].lower() + setter[4:])
            yield from draft.models(self.code, chain.node, FRAMEWORK)


def _note_finder(link: Link, model: str, draft: UsageBuilder) -> None:
    """Note what a finder of a repository reads: `findBy(['user' => $x])`, `findOneByUser($x)`."""
    match = FINDS.match(link.name)
    draft.use(model, whole=not link.name.startswith("count"))
    if match is not None and match[2]:
        draft.touch(model, match[2][0].lower() + match[2][1:])
    elif link.name in {"findBy", "findOneBy", "count"}:
        for argument in (link.arguments or ())[:2]:
            draft.touch_all(model, (key for key, _ in entries(argument.node)))
