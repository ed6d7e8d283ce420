"""Repositories, entity managers and query builders of TypeORM.

https://typeorm.io/repository-api
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from coderag.frameworks.usage.binding import Bound, Told
from coderag.frameworks.usage.conditions import columns_in, named_column
from coderag.frameworks.usage.entities import Entities, is_class_name, model_in_type, split_model
from coderag.frameworks.usage.objects import assigned_field
from coderag.frameworks.usage.source_file import CodeFile
from coderag.frameworks.usage.usage import Usage, UsageBuilder
from coderag.sql.in_code.records import Access
from coderag.syntax.trees.call_chains import Argument, Chain, Link, chain_of, entries, items, literal, unwrapped
from coderag.syntax.trees.tree import text_of

__all__ = ["read"]

FRAMEWORK = "typeorm"
FINDS = frozenset(
    "find findOne findOneOrFail findAndCount findBy findOneBy findOneByOrFail findAndCountBy findByIds".split()
)
COUNTS = frozenset("count countBy exist exists existsBy existBy".split())
NUMBERS = frozenset("sum average minimum maximum".split())
WRITES = frozenset("save insert update upsert increment decrement softDelete softRemove restore recover".split())
DELETES = frozenset("delete remove clear".split())
METHODS = FINDS | COUNTS | NUMBERS | WRITES | DELETES | {"preload", "createQueryBuilder", "reload"}
ANCHOR = re.compile(
    rb"\.\s*(find(?:One|AndCount)?(?:OrFail|ByOrFail|By|ByIds)?|count(?:By)?|exists?(?:By)?|sum|average|minimum|maximum|save|insert"
    rb"|update|upsert|increment|decrement|softDelete|softRemove|restore|delete|remove|clear|preload|createQueryBuilder"
    rb"|getMany|getOne|getRawMany|andWhere|orWhere|where|leftJoinAndSelect|innerJoinAndSelect|orderBy|addSelect|execute)"
    rb"\s*(?:<[^<>()]*>)?(?=\()"
)
ASSIGNED = re.compile(rb"\b\w+\.(\w+)[ \t]*(?:[-+*/]?=)(?![=>])")
MANAGER = re.compile(r"manager$|^em$|dataSource$|connection$|queryRunner$", re.IGNORECASE)
OPTIONS = frozenset(
    ("where", "relations", "select", "order", "skip", "take", "withDeleted", "cache", "lock", "loadRelationIds")
)
REPOSITORY = re.compile(r"(?:Tree|Mongo)?Repository<")
PASSING = frozenset(
    (
        "find",
        "findOne",
        "findOneBy",
        "findOneOrFail",
        "findOneByOrFail",
        "findBy",
        "create",
        "save",
        "getOne",
        "getMany",
    )
)
# Methods of a query builder.
SELECTS = frozenset(("select", "addSelect"))
SETTERS = frozenset(("set", "values"))
CONDITIONS = frozenset("where andWhere orWhere having andHaving orderBy addOrderBy groupBy addGroupBy".split())
MAX_STEPS = 8  # from a name for a repository to the name that this one is made of


def read(code: CodeFile) -> Iterator[Usage]:
    """Yield the uses of TypeORM's entities."""
    yield from _Reader(code).read()


class _Reader:
    def __init__(self, code: CodeFile) -> None:
        self.code = code
        self.is_evident = b"typeorm" in code.data
        self.entities = Entities(code, self.of_chain, frozenset())

    def read(self) -> Iterator[Usage]:
        for chain in self.code.chains(ANCHOR):
            draft = UsageBuilder()
            self._chain(chain, draft)
            yield from draft.models(self.code, chain.node, FRAMEWORK)
        if self.is_evident:
            for chain in self.code.chains(ASSIGNED):
                yield from self._assigned(chain)

    def repository(self, chain: Chain, position: int, depth: int = 0) -> str:
        """Return the entity of the repository that the links before a position stand for, "" for none.

        `source.getRepository(User).find()` -> User; `this.users.find()` of a field `users: Repository<User>` -> User
        """
        if position < 1 or depth > MAX_STEPS:
            return ""
        before = chain.links[position - 1]
        if before.name == "getRepository" and before.arguments:
            return self._class(before.argument(0))
        if before.name == "extend" and position > 1:
            return self.repository(chain, position - 1, depth + 1)
        if before.arguments is not None:
            return ""
        bounds, links = self.code.told_of(chain)
        for bound in reversed(bounds) if links == position else ():
            entity = self._of_bound(bound, chain, depth)
            if entity is not None:
                return entity
        model, links = split_model(chain)
        is_entity = self.is_evident and not model.endswith(("Repository", "Service", "Manager"))
        return model if is_entity and links == position else ""

    def _of_bound(self, bound: Bound, chain: Chain, depth: int) -> str | None:
        """Return the entity of a repository that a name is bound to, None where it is bound to none."""
        if bound.told is Told.TYPE:
            text = text_of(bound.node)
            return model_in_type(text.partition("<")[2]) if REPOSITORY.search(text) else None
        value = chain_of(bound.node)
        if value is None or value.node == chain.node or value.links[-1].arguments is None:
            return None
        return self.repository(value, len(value.links), depth + 1) or None

    def _class(self, node: Node | None) -> str:
        chain = chain_of(node)
        if chain is None or any(link.arguments is not None for link in chain.links):
            return ""
        return chain.names[-1] if is_class_name(chain.names[-1]) else ""

    def of_chain(self, chain: Chain, depth: int) -> str:
        """Return the entity that a call of a repository gives."""
        del depth
        for position, link in enumerate(chain.links):
            if link.arguments is None or link.name in {"getRepository"}:
                continue
            if link.name not in PASSING or position + 1 < len(chain.links):
                return ""
            if model := self.repository(chain, position):
                return model
            if MANAGER.search(chain.links[position - 1].name) and position:
                return self._class(link.argument(0))
            return ""
        return ""

    def _chain(self, chain: Chain, draft: UsageBuilder) -> None:
        builder = next((p for p, link in enumerate(chain.links) if link.name == "createQueryBuilder"), -1)
        if builder > 0:
            self._builder(chain, builder, draft)
            return
        position = next(
            (p for p, link in enumerate(chain.links) if link.arguments is not None and link.name != "getRepository"), -1
        )
        if position < 1:
            return
        link = chain.links[position]
        if link.name in METHODS:
            if model := self.repository(chain, position):
                self._call(link, model, link.arguments or (), draft=draft)
                return
            if MANAGER.search(chain.links[position - 1].name):
                arguments = link.arguments or ()
                if model := self._class(link.argument(0)):
                    self._call(link, model, arguments[1:], draft=draft)
                elif link.name in {"save", "remove", "softRemove"} and (
                    model := self.entities.of_node(link.argument(0))
                ):
                    self._call(link, model, arguments, draft=draft)
                return
        self._variable(chain, position, draft)

    def _variable(self, chain: Chain, position: int, draft: UsageBuilder) -> None:
        """Go on with a builder that a name stands for."""
        bounds, links = self.code.told_of(chain)
        if links != position:
            return
        for bound in reversed(bounds):
            value = chain_of(bound.node)
            builder = (
                next((p for p, one in enumerate(value.links) if one.name == "createQueryBuilder"), -1) if value else -1
            )
            if value is not None and builder > 0 and value.node != chain.node:
                model, aliases, access = self._start(value, builder)
                self._clauses(value.links, aliases, model, draft=UsageBuilder())
                draft.use(model, access)
                self._clauses(chain.links[position:], aliases, model, draft=draft)
                return

    def _call(self, link: Link, model: str, given: tuple[Argument, ...], *, draft: UsageBuilder) -> None:
        """Note the usages of a repository's method; `given` are its arguments behind the entity.

        find({ select: { name: true } })  -> reads the table and its column name
        delete({ id: 1 })                 -> deletes rows, compares id
        """
        nodes = [argument.node for argument in given]
        first = nodes[0] if nodes else None
        second = nodes[1] if len(nodes) > 1 else None
        name = link.name
        if name in FINDS or name in {"preload", "reload"}:
            options = dict(entries(first))
            draft.use(model, whole="select" not in options)
            self._options(model, first, name, draft)
        elif name in COUNTS:
            draft.use(model)
            self._options(model, first, name, draft)
        elif name in NUMBERS:
            draft.touch(model, literal(first) or "")
            self._where(model, "", second, draft, 0)
        elif name in DELETES:
            draft.use(model, Access.DELETE)
            if name == "delete":
                self._criteria(model, first, draft)
        elif name in {"update", "increment", "decrement"}:
            draft.use(model, Access.WRITE)
            self._criteria(model, first, draft)
            draft.touch_all(model, (key for key, _ in entries(second)), written=True)
            draft.touch(model, literal(second) or "", written=True)
            if name != "update":
                draft.touch(model, literal(second) or "")
        elif name in {"softDelete", "restore", "recover", "softRemove"}:
            draft.use(model, Access.WRITE)
            self._criteria(model, first, draft)
        elif name in {"save", "insert", "upsert"}:
            draft.use(model, Access.WRITE, whole=True)
            for item in items(first):
                draft.touch_all(model, self._set_by(item), written=True)

    def _set_by(self, node: Node) -> Iterator[str]:
        """Yield the fields that are set: of an object, of repository.create({...}), of a name for one."""
        chain = chain_of(node)
        if chain is not None and len(chain.links) == 1 and chain.links[0].arguments is None:
            bounds = self.code.bound(chain.links[0].name, node.start_byte)
            node = bounds[-1].node if bounds else node
            chain = chain_of(node)
        if chain is not None and chain.links[-1].name == "create":
            for argument in chain.links[-1].arguments or ():
                yield from (key for item in items(argument.node) for key, _ in entries(item))
        yield from (key for key, _ in entries(node))

    def _criteria(self, model: str, node: Node | None, draft: UsageBuilder) -> None:
        """Note what selects the rows to change: an object, or the key."""
        if entries(node):
            self._where(model, "", node, draft, 0)

    def _options(self, model: str, node: Node | None, name: str, draft: UsageBuilder) -> None:
        options = dict(entries(node))
        if "By" in name or not options.keys() & OPTIONS:
            self._where(model, "", node, draft, 0)
            return
        self._where(model, "", options.get("where"), draft, 0)
        self._where(model, "", options.get("order"), draft, 0)
        for item in items(options.get("relations")):
            if (text := literal(item)) is not None:
                draft.use(f"{model}.{text}", whole=True)
            self._relations(model, item, draft, 0)
        for item in items(options.get("select")):
            draft.touch(model, literal(item) or "")
            self._selected(model, item, draft, 0)

    def _relations(self, path: str, node: Node, draft: UsageBuilder, depth: int) -> None:
        for key, value in entries(node) if depth < 12 else ():
            if value.type != "false":
                draft.use(f"{path}.{key}", whole=True)
                self._relations(f"{path}.{key}", value, draft, depth + 1)

    def _selected(self, model: str, node: Node, draft: UsageBuilder, depth: int) -> None:
        for key, value in entries(node) if depth < 12 else ():
            inner = unwrapped(value)
            if inner is not None and inner.type == "object":
                self._selected(f"{model}.{key}", inner, draft, depth + 1)
            elif inner is not None and inner.type != "false":
                draft.touch(model, key)

    def _where(self, model: str, path: str, node: Node | None, draft: UsageBuilder, depth: int) -> None:
        """Note the fields of conditions as an object, or of several."""
        for one in items(node) if depth < 12 else ():
            for key, value in entries(one):
                field = f"{path}.{key}" if path else key
                inner = unwrapped(value)
                if inner is not None and inner.type == "object" and entries(inner):
                    self._where(model, field, inner, draft, depth + 1)
                else:
                    draft.touch(model, field)

    # Query builders

    def _start(self, chain: Chain, position: int) -> tuple[str, dict[str, str], Access]:
        """Return the entity of a builder, its aliases and what it does."""
        link = chain.links[position]
        aliases: dict[str, str] = {}
        model = self._class(link.argument(0))
        alias = literal(link.argument(1 if model else 0)) or ""
        model = model or self.repository(chain, position)
        access = Access.READ
        for one in chain.links[position + 1 :]:
            if one.arguments is None:
                continue
            if one.name in {"insert"}:
                access = Access.WRITE
            elif one.name == "update":
                access = Access.WRITE
                model = self._class(one.argument(0)) or model
            elif one.name in {"delete"}:
                access = Access.DELETE
            elif one.name == "softDelete":
                access = Access.WRITE
            if one.name in {"from", "into"}:
                model = self._class(one.argument(0)) or model
                alias = literal(one.argument(1)) or alias
        if alias:
            aliases[alias] = model
        return model, aliases, access

    def _builder(self, chain: Chain, position: int, draft: UsageBuilder) -> None:
        model, aliases, access = self._start(chain, position)
        if not model:
            return
        draft.use(model, access)
        is_listed = self._clauses(chain.links[position + 1 :], aliases, model, draft=draft)
        if access is Access.READ and not is_listed:
            draft.use(model, whole=True)

    def _clauses(self, links: tuple[Link, ...], aliases: dict[str, str], model: str, *, draft: UsageBuilder) -> bool:
        """Note what the calls of a builder name; tell whether some columns only are selected.

        `.where("u.email = :x")` reads User.email where u is User; `.set({ name })` writes name.
        """
        is_listed = False
        for link in links:
            if link.arguments is None:
                continue
            if "Join" in link.name:
                self._join(link, aliases, draft)
            elif link.name in SELECTS:
                is_listed = self._select(link, aliases, model, draft) or is_listed
            elif link.name in CONDITIONS:
                for text in _texts(link.argument(0)):
                    self._text(text, aliases, model, draft)
            elif link.name in SETTERS:
                for item in items(link.argument(0)):
                    draft.touch_all(model, (key for key, _ in entries(item)), written=True)
                draft.use(model, Access.WRITE, whole=link.name == "values")
        return is_listed

    def _select(self, link: Link, aliases: dict[str, str], model: str, draft: UsageBuilder) -> bool:
        """Note what a select names; tell whether it selects columns and no whole entity."""
        texts = [text for item in items(link.argument(0)) if (text := literal(item))]
        for text in texts:
            if text in aliases:
                draft.use(aliases[text], whole=True)
            else:
                self._text(text, aliases, model, draft)
        return link.name == "select" and bool(texts) and not any(text in aliases for text in texts)

    def _join(self, link: Link, aliases: dict[str, str], draft: UsageBuilder) -> None:
        text, alias = literal(link.argument(0)), literal(link.argument(1)) or ""
        model = self._class(link.argument(0))
        if text and "." in text:
            holder, _, field = text.partition(".")
            if holder in aliases:
                model = f"{aliases[holder]}.{field}"
        elif text:
            model = text
        if not model:
            return
        draft.use(model, whole="Select" in link.name)
        if alias:
            aliases[alias] = model
        if condition := literal(link.argument(2)):
            self._text(condition, aliases, model, draft)

    def _text(self, text: str, aliases: dict[str, str], model: str, draft: UsageBuilder) -> None:
        names = [named_column(text)] if named_column(text) else list(columns_in(text))
        for name in filter(None, names):
            holder, _, field = name.partition(".")
            if not field:
                if holder not in aliases:
                    draft.touch(model, holder)
            elif holder in aliases:
                draft.touch(aliases[holder], field)

    def _assigned(self, chain: Chain) -> Iterator[Usage]:
        found = assigned_field(chain, ("this",)) if len(chain.links) == 2 else None
        if found is not None and (model := self.entities.of(found.holder)):
            draft = UsageBuilder()
            draft.assign(model, found.field)
            yield from draft.models(self.code, chain.node, FRAMEWORK)


def _texts(node: Node | None) -> list[str]:
    """Return the SQL of a condition or order: a text, a template, the keys of an object."""
    if (text := literal(node)) is not None:
        return [text]
    if node is not None and node.type == "template_string":
        return [text_of(node).strip("`")]
    return [key for key, _ in entries(node)] if node is not None and node.type == "object" else []
