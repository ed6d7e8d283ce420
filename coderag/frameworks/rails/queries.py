"""Relations and records of ActiveRecord.

https://guides.rubyonrails.org/active_record_querying.html
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property

from tree_sitter import Node

from coderag.frameworks.usage.conditions import columns_in, named_column
from coderag.frameworks.usage.entities import Entities, is_class_name, split_model
from coderag.frameworks.usage.source_file import CodeFile
from coderag.frameworks.usage.usage import Usage, UsageBuilder
from coderag.sql.in_code.records import Access
from coderag.syntax.trees.call_chains import Argument, Chain, Link, chain_of, entries, items, literal
from coderag.syntax.trees.tree import text_of

__all__ = ["read"]

FRAMEWORK = "activerecord"
CONDITIONS = frozenset(
    """where not find_by find_by! rewhere exists? find_or_create_by find_or_create_by! find_or_initialize_by create_with
    find_sole_by destroy_by delete_by having and or
    """.split()
)
LISTS = frozenset("order reorder group select reselect pluck pick distinct_on".split())
NUMBERS = frozenset("sum average minimum maximum count".split())
LOADS = frozenset(("includes", "preload", "eager_load", "joins", "left_joins", "left_outer_joins", "references"))
LOADS_ROWS = frozenset(("includes", "preload", "eager_load"))
FINDS = frozenset(
    """find find_by find_by! first first! last last! take take! all find_each find_in_batches in_batches to_a each map
    find_or_create_by find_or_create_by! find_or_initialize_by second third sole find_sole_by each_with_index load
    """.split()
)
CREATES = frozenset(("create", "create!", "insert", "insert!", "insert_all", "insert_all!", "upsert", "upsert_all"))
CHANGES = frozenset(
    """update update! update_all update_attributes update_attributes! update_columns update_column update_attribute
    increment! decrement! toggle! touch touch_all increment_counter decrement_counter update_counters
    """.split()
)
REMOVES = frozenset("destroy destroy! delete delete_all destroy_all destroy_by delete_by".split())
REMOVERS = frozenset(("&:destroy", "&:destroy!", "&:delete"))  # blocks that remove each record
SAVES = frozenset(("save", "save!"))
ROWLESS = frozenset("pluck pick ids sum average minimum maximum count exists? any? none? size empty?".split())
QUERIES = (
    CONDITIONS | LISTS | NUMBERS | LOADS | FINDS | CREATES | CHANGES | REMOVES | SAVES | ROWLESS
    | frozenset("limit offset distinct reload unscoped lock readonly none merge build new".split())
)  # fmt: skip
# On a class these say that it is a model; each, map and size say it of nothing.
TELLING = QUERIES - frozenset("each map each_with_index size any? none? empty? to_a new load delete insert".split())
PASSED = frozenset("limit offset distinct create create! new build lock".split())
PASSING = (CONDITIONS | LISTS | LOADS | FINDS | PASSED) - frozenset(("pluck", "pick", "exists?", "map"))
ANCHOR = re.compile(
    rb"\b(where|find|find_by|find_or_\w+|find_each|first|last|take|all|create|insert_all|upsert_all|update|update_all|update_columns?"
    rb"|update_attributes?|increment|decrement|toggle|touch|destroy|destroy_all|destroy_by|delete|delete_all|delete_by|save|pluck|pick|ids|sum"
    rb"|average|minimum|maximum|count|exists|joins|left_joins|left_outer_joins|includes|preload|eager_load|order|group|select|reload|find_by_\w+)"
    rb"(?=[!?\s(.\n]|$)"
)
ASSIGNED = re.compile(rb"(?<!\w)@?\w++\.(\w++)[ \t]*+(?:[-+*/|]|\|\|)?=(?![=~>])")
MODEL_HEAD = re.compile(rb"class\s+[\w:]+\s*<\s*(?:::)?(?:ApplicationRecord|ActiveRecord::Base|\w*Record)\b")
FOLDER = "/models/"  # where a class with any base may inherit from a model: single table inheritance
HEIR_HEAD = re.compile(rb"class\s+[\w:]+\s*<\s*(?:::)?[A-Z][\w:]*\Z")
ASSOCIATION = re.compile(rb"\b(?:has_many|has_one|belongs_to)\s+:(\w++)")
DYNAMIC = re.compile(r"^find_by_(?!sql$)(\w+?)!?$")
SPLIT_AND = "_and_"
NOT_FIELDS = frozenset(
    ("validate", "touch", "by", "unique_by", "returning", "on_duplicate", "record_timestamps", "batch_size")
)


def read(code: CodeFile) -> Iterator[Usage]:
    """Yield the uses of ActiveRecord's models."""
    yield from _Reader(code).read()


class _Reader:
    def __init__(self, code: CodeFile) -> None:
        self.code = code
        self.entities = Entities(code, self.of_chain, PASSING)

    def read(self) -> Iterator[Usage]:
        for chain in self.code.chains(ANCHOR):
            draft = UsageBuilder()
            self._chain(chain, draft)
            yield from draft.models(self.code, chain.node, FRAMEWORK)
        for chain in self.code.chains(ASSIGNED):
            yield from self._assigned(chain)

    def own_model(self, node: Node) -> str:
        """Return the enclosing class if it is a model, else ""."""
        position = self.code.type_around(node.start_byte)
        if position < 0:
            return ""
        definition = self.code.outline.definitions[position]
        head = self.code.data[definition.start_byte : definition.start_byte + 400].partition(b"\n")[0]
        is_model = MODEL_HEAD.match(head.strip()) or (FOLDER in f"/{self.code.path}" and HEIR_HEAD.match(head.strip()))
        return definition.name if is_model else ""

    def of_chain(self, chain: Chain, depth: int) -> str:
        """Return the model that a query gives records of."""
        del depth
        model, links = _constant(chain)
        if model and links < len(chain.links):
            rest = chain.links[links:]
            if rest[0].name in TELLING | {"new"} and all(
                link.name in PASSING
                or (link.name not in ROWLESS | CHANGES | REMOVES and not link.name.startswith("map"))
                for link in rest
            ):
                return model
        if chain.links[0].name == "self" and len(chain.links) == 1:
            return self.own_model(chain.node)
        return ""

    def beginning(self, chain: Chain) -> tuple[str, int]:
        """Return the model that a chain asks, and where its calls begin; "" for none."""
        model, links = _constant(chain)
        rest = chain.links[links:]
        if model and any(link.name in TELLING or DYNAMIC.match(link.name) for link in rest):
            return model, links
        if model or not chain.links:
            return "", 0
        first = chain.links[0]
        if first.name in QUERIES and first.arguments is not None:
            own = self.own_model(chain.node)
            return own, 0
        if first.name == "self" and len(chain.links) > 1 and chain.links[1].name in QUERIES:
            return self.own_model(chain.node), 1
        base, links = self.entities.of_beginning(chain)
        if not base and first.arguments is None and first.name in self._associations:
            own = self.own_model(chain.node)
            base, links = (f"{own}.{first.name}", 1) if own else ("", 0)
        if not base:
            return "", 0
        for position in range(links, len(chain.links)):
            link = chain.links[position]
            if link.name in QUERIES:
                return base, position
            if link.arguments:
                return "", 0
            base = f"{base}.{link.name}"
        return "", 0

    @cached_property
    def _associations(self) -> frozenset[str]:
        """The associations that the classes of the file have."""
        return frozenset(name.decode() for name in ASSOCIATION.findall(self.code.data))

    def _chain(self, chain: Chain, draft: UsageBuilder) -> None:
        model, start = self.beginning(chain)
        if not model:
            return
        links = chain.links[start:]
        is_whole, is_listed = True, False
        for link in links:
            name = link.name
            if name in ROWLESS or (
                name in LISTS
                and name in {"select", "reselect"}
                and any(literal(argument.node) for argument in link.arguments or ())
            ):
                is_listed = True
            if (match := DYNAMIC.match(name)) and name not in QUERIES:
                draft.touch_all(model, match[1].split(SPLIT_AND))
            self._call(link, model, draft)
        is_asked = any(link.name in QUERIES or DYNAMIC.match(link.name) for link in links)
        access = draft.access.get(model, Access.READ)
        if is_asked and access is Access.READ:
            draft.use(model, whole=is_whole and not is_listed)

    def _call(self, link: Link, model: str, draft: UsageBuilder) -> None:
        """Note what one call does to a model.

        `.where(email: x)` reads email; `.update_column(:name, x)` writes name; `.destroy_all` deletes rows.
        """
        if link.name in CONDITIONS:
            self._conditions(link.arguments or (), model, draft)
        if (note := VERBS.get(link.name)) is not None:
            note(self, link, model, draft)
        elif link.name.startswith("find_or_create"):
            self._create(link, model, draft)
            draft.read.add(model)
        elif link.name.startswith("create"):
            self._create(link, model, draft)
        if link.name in FINDS and any(text_of(argument.node) in REMOVERS for argument in link.arguments or ()):
            draft.use(model, Access.DELETE)
            draft.read.add(model)

    def _remove(self, link: Link, model: str, draft: UsageBuilder) -> None:
        del link
        draft.use(model, Access.DELETE)

    def _create(self, link: Link, model: str, draft: UsageBuilder) -> None:
        draft.use(model, Access.WRITE, whole=True)
        self._written(link.arguments or (), model, draft)

    def _change(self, link: Link, model: str, draft: UsageBuilder) -> None:
        draft.use(model, Access.WRITE)
        self._written(link.arguments or (), model, draft)

    def _change_all(self, link: Link, model: str, draft: UsageBuilder) -> None:
        draft.use(model, Access.WRITE)
        if (text := literal(link.argument(0))) is not None:
            draft.touch_all(model, columns_in(text), written=True)
        self._written(link.arguments or (), model, draft)

    def _change_field(self, link: Link, model: str, draft: UsageBuilder) -> None:
        draft.use(model, Access.WRITE)
        draft.touch(model, literal(link.argument(0)) or "", written=True)

    def _count_up(self, link: Link, model: str, draft: UsageBuilder) -> None:
        self._change_field(link, model, draft)
        draft.touch(model, literal(link.argument(0)) or "")

    def _save(self, link: Link, model: str, draft: UsageBuilder) -> None:
        del link
        draft.use(model, Access.WRITE, whole=True)

    def _columns(self, link: Link, model: str, draft: UsageBuilder) -> None:
        self._list(link.arguments or (), model, draft)

    def _load(self, link: Link, model: str, draft: UsageBuilder) -> None:
        for argument in link.arguments or ():
            self._along(argument, model, draft, is_whole=link.name in LOADS_ROWS, depth=0)

    def _ids(self, link: Link, model: str, draft: UsageBuilder) -> None:
        del link
        draft.touch(model, "id")

    def _conditions(self, given: tuple[Argument, ...], model: str, draft: UsageBuilder) -> None:
        for argument in given:
            if argument.name:
                self._condition(argument.name, argument.node, model, draft)
            elif (text := literal(argument.node)) is not None and argument is given[0]:
                self._text(text, model, draft)
            else:
                for first in items(argument.node)[:1]:
                    if argument is given[0] and (text := literal(first)) is not None:
                        self._text(text, model, draft)
                for key, value in entries(argument.node) if argument.node.type == "hash" else ():
                    self._condition(key, value, model, draft)

    def _condition(self, key: str, value: Node, model: str, draft: UsageBuilder) -> None:
        """Note `email: x`, and `orders: { status: x }` of another table or association."""
        inner = entries(value) if value.type == "hash" else []
        if inner:
            for name, _ in inner:
                draft.touch(model, f"{key}.{name}")
        else:
            draft.touch(model, key)

    def _text(self, text: str, model: str, draft: UsageBuilder) -> None:
        for name in columns_in(text):
            holder, _, column = name.rpartition(".")
            if not holder or _alike(holder, model):
                draft.touch(model, column)
            else:
                draft.touch(holder, column)

    def _list(self, given: tuple[Argument, ...], model: str, draft: UsageBuilder) -> None:
        for argument in given:
            if argument.name:
                draft.touch(model, argument.name)
                continue
            for item in items(argument.node):
                text = literal(item)
                if text and (plain := named_column(text)):
                    self._text(plain, model, draft)
                elif text and "*" not in text:
                    self._text(text, model, draft)

    def _along(self, one: Argument, model: str, draft: UsageBuilder, *, is_whole: bool, depth: int) -> None:
        """Note associations that are loaded or joined: `:posts`, `posts: :comments`, `posts: [:tags, :author]`."""
        if depth > 8:
            return
        if one.name:
            path = f"{model}.{one.name}"
            draft.use(path, whole=is_whole)
            for inner in items(one.node):
                for key, value in entries(inner) if inner.type == "hash" else ():
                    self._along(Argument(value, key), path, draft, is_whole=is_whole, depth=depth + 1)
                if inner.type != "hash":
                    self._along(Argument(inner), path, draft, is_whole=is_whole, depth=depth + 1)
            return
        for inner in items(one.node):
            if inner.type in {"simple_symbol"}:
                draft.use(f"{model}.{literal(inner)}", whole=is_whole)
            elif inner.type == "hash":
                for key, value in entries(inner):
                    self._along(Argument(value, key), model, draft, is_whole=is_whole, depth=depth + 1)
            elif inner is not one.node and inner.type == "pair":
                continue

    def _written(self, given: tuple[Argument, ...], model: str, draft: UsageBuilder) -> None:
        for argument in given:
            if argument.name:
                if argument.name not in NOT_FIELDS:
                    draft.touch(model, argument.name, written=True)
                continue
            for item in items(argument.node):
                draft.touch_all(model, (key for key, _ in entries(item)) if item.type == "hash" else (), written=True)

    def _assigned(self, chain: Chain) -> Iterator[Usage]:
        """Yield `user.name = x` of a record."""
        if len(chain.links) != 2:
            return
        parent = chain.node.parent
        if parent is None or parent.child_by_field_name("left") != chain.node:
            return
        first = chain_of(chain.links[0].node)
        if first is None:
            return
        holder = Chain(chain.links[0].node, chain.links[:1])
        if chain.links[0].name == "self":
            if self.code.scope(chain.node.start_byte) == self.code.type_around(chain.node.start_byte):
                return  # a setting of the class
            model = self.own_model(chain.node)
        else:
            model = self.entities.of(holder) if not is_class_name(chain.links[0].name) else ""
        if model:
            draft = UsageBuilder()
            draft.use(model, Access.WRITE)
            draft.touch(model, chain.links[1].name, written=True)
            yield from draft.models(self.code, chain.node, FRAMEWORK)


Verb = Callable[[_Reader, Link, str, UsageBuilder], None]
VERBS: Mapping[str, Verb] = {
    **dict.fromkeys(REMOVES, _Reader._remove),
    **dict.fromkeys(CREATES, _Reader._create),
    **dict.fromkeys(CHANGES, _Reader._change),
    "update_all": _Reader._change_all,
    **dict.fromkeys(("update_attribute", "update_column"), _Reader._change_field),
    **dict.fromkeys(("increment!", "decrement!", "toggle!"), _Reader._count_up),
    **dict.fromkeys(SAVES, _Reader._save),
    **dict.fromkeys(LISTS | NUMBERS, _Reader._columns),
    **dict.fromkeys(LOADS, _Reader._load),
    "ids": _Reader._ids,
}


def _gives_records(link: Link) -> bool:
    """Tell whether a call gives records where it was asked of some; scopes do too."""
    if link.name in PASSING:
        return True
    return link.name not in ROWLESS | CHANGES | REMOVES and not link.name.startswith("map")


def _constant(chain: Chain) -> tuple[str, int]:
    """Return the constant that a chain begins with, `Admin::User` as "Admin.User", and how many links it has."""
    model, links = split_model(chain)
    while (
        model
        and links < len(chain.links)
        and chain.links[links].arguments is None
        and is_class_name(chain.links[links].name)
    ):
        model, links = f"{model}.{chain.links[links].name}", links + 1
    return model, links


def _alike(table: str, model: str) -> bool:
    """Tell whether a table is called like a model: order_items and OrderItem."""
    last = model.rpartition(".")[2].rpartition("::")[2].lower()
    plain = table.replace("_", "").lower()
    return plain.startswith(last[:-1] or last) and len(plain) <= len(last) + 3
