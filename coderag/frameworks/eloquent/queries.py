"""Models of Eloquent and Laravel's query builder.

https://laravel.com/docs/queries
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from coderag.frameworks.usage.conditions import columns_in
from coderag.frameworks.usage.entities import Entities, is_class_name, split_model
from coderag.frameworks.usage.scope import Scope
from coderag.frameworks.usage.source_file import CodeFile
from coderag.frameworks.usage.usage import Usage, UsageBuilder
from coderag.sql.in_code.records import Access
from coderag.syntax.trees.call_chains import Argument, Chain, Link, chain_of, chains_in, entries, items, literal
from coderag.syntax.trees.tree import named

__all__ = ["read"]

FRAMEWORK = "eloquent"
HOW = "laravel"
CONDITION = re.compile(r"^(?:or)?(?:[wW]here|[hH]aving)(?!Has|DoesntHave|Raw|Exists|Relation)\w*$|^firstWhere$")
JOIN = re.compile(r"[jJ]oin(?:Sub|Where)?$")
LISTS = frozenset("select addSelect orderBy orderByDesc groupBy pluck value latest oldest distinct".split())
NUMBERS = frozenset("sum avg average min max count".split())
LOADS = frozenset(
    ("with", "load", "loadMissing", "has", "whereHas", "orWhereHas", "doesntHave", "whereDoesntHave", "withCount")
)
FINDS = frozenset(
    """find findOrFail findMany first firstOrFail get all paginate simplePaginate cursor chunk each sole firstWhere lazy
    findOr firstOr cursorPaginate chunkById
    """.split()
)
CREATES = frozenset(
    """create firstOrCreate updateOrCreate firstOrNew forceCreate insert insertGetId insertOrIgnore upsert createMany
    updateOrInsert saveMany createQuietly
    """.split()
)
CHANGES = frozenset(("update", "increment", "decrement", "touch", "updateQuietly"))
REMOVES = frozenset(("delete", "destroy", "forceDelete", "truncate", "deleteOrFail"))
SAVES = frozenset(("save", "push", "saveOrFail", "saveQuietly"))
ROWLESS = frozenset("pluck value count sum avg average min max exists doesntExist".split())
BEGINNINGS = (LISTS | LOADS | FINDS | CREATES | CHANGES | REMOVES) | frozenset(
    "query where whereIn newQuery withTrashed limit take exists".split()
)
PASSING = frozenset(
    """where orWhere whereIn whereNull whereNotNull with orderBy orderByDesc latest oldest limit take skip query first
    firstOrFail find findOrFail get all create firstOrCreate updateOrCreate firstOrNew sole paginate firstWhere
    whereHas whereBetween lockForUpdate withTrashed fresh cursor
    """.split()
)
ANCHOR = re.compile(
    rb"(?:::|->)\s*(where\w*|orWhere\w*|find\w*|first\w*|get|all|paginate|create|updateOrCreate|updateOrInsert|insert\w*|upsert|update|increment|decrement"
    rb"|delete|destroy|forceDelete|truncate|save|pluck|value|count|sum|avg|min|max|exists|with|has|load|orderBy\w*|latest|oldest|join|leftJoin"
    rb"|select|groupBy|table|query|push|each|chunk|cursor)\s*(?=\()"
)
ASSIGNED = re.compile(rb"\$\w+->(\w+)[ \t]*(?:[-+*/.]|\?\?)?=(?![=>])")
FACADES = frozenset(
    """DB Log Cache Session Auth Route Storage Http Mail Queue Event Str Arr Carbon Schema Config Cookie Crypt File
    Gate Hash Lang Redis Redirect Request Response URL Validator View Artisan Bus Password Notification Collection
    self static parent Blade Factory Faker
    """.split()
)
MODEL_HEAD = re.compile(rb"class\s+\w+\s+extends\s+(?:\w+\\)*(?:Model|Authenticatable|Pivot|\w*Model)\b")
MAX_DEPTH = 8
MAX_CLOSURES = 1  # inside of each other: the calls in all of them are seen from the first


def read(code: CodeFile) -> Iterator[Usage]:
    """Yield the uses of Eloquent's models and of tables."""
    yield from _Reader(code).read()


class _Reader:
    def __init__(self, code: CodeFile) -> None:
        self.code = code
        self.entities = Entities(code, self.of_chain, PASSING)

    def read(self) -> Iterator[Usage]:
        for chain in self.code.chains(ANCHOR):
            draft, scope = UsageBuilder(), Scope()
            if self._table(chain, scope, 0):
                yield from scope.statement(self.code, chain.node, HOW)
                continue
            self._chain(chain, draft)
            yield from draft.models(self.code, chain.node, FRAMEWORK)
        for chain in self.code.chains(ASSIGNED):
            yield from self._assigned(chain)

    # DB::table("users")

    def _table(self, chain: Chain, scope: Scope, depth: int) -> bool:
        """Note what a chain on `DB::table(...)` names; tell whether it is one."""
        start = next((p for p, link in enumerate(chain.links) if link.name == "table" and link.arguments), -1)
        if start > 0 and chain.links[start - 1].name in {"DB", "connection", "db"} | {"Capsule", "Manager"}:
            text = literal(chain.links[start].argument(0))
            if text is None:
                scope.has_holes = True
            else:
                scope.table(text)
            self._statement(chain.links[start + 1 :], scope)
            return True
        if (
            depth < MAX_DEPTH
            and chain.links[0].arguments is None
            and len(chain.links) > 1
            and chain.links[1].arguments is not None
        ):
            for bound in reversed(self.code.bound(chain.links[0].name, chain.node.start_byte)):
                value = chain_of(bound.node)
                if value is not None and value.node != chain.node and self._table(value, Scope(), depth + 1):
                    self._table(value, scope, depth + 1)
                    scope.columns.clear()
                    scope.whole.clear()
                    self._statement(chain.links[1:], scope)
                    return True
        return False

    def _statement(self, links: tuple[Link, ...], scope: Scope) -> None:
        main = next(iter(scope.tables), "")
        is_read, is_listed = True, False
        calls = [link for link in links if link.arguments is not None]
        for link in calls:
            for argument in link.arguments or ():
                for inner in chains_in(argument.node):
                    if inner.links[-1].name == "raw" and (text := literal(inner.links[-1].argument(0))):
                        scope.condition(text)
        for link in calls:
            if JOIN.search(link.name) and (text := literal(link.argument(0))):
                scope.table(text)
        for link in calls:
            name, arguments = link.name, link.arguments or ()
            if JOIN.search(name):
                stated = [literal(argument.node) for argument in arguments][1:]
                scope.every(text for text in stated if text and text.replace(".", "").replace("_", "").isalnum())
                for argument in arguments[1:]:
                    self._closure(argument.node, scope)
            elif name in CREATES or name in CHANGES:
                scope.table(main, Access.WRITE)
                is_read = False
                for position, argument in enumerate(arguments):
                    if name == "updateOrInsert" or position == 0 or name not in {"upsert"}:
                        for item in [argument.node, *items(argument.node)]:
                            scope.every((key for key, _ in entries(item)), write=True)
                if name in {"increment", "decrement"}:
                    scope.column(literal(link.argument(0)) or "", write=True)
                    scope.column(literal(link.argument(0)) or "")
            elif name in REMOVES:
                scope.table(main, Access.DELETE)
                is_read = False
            elif name in LISTS or name in NUMBERS:
                texts = [text for argument in arguments for item in items(argument.node) if (text := literal(item))]
                scope.every(text for text in texts if text not in {"asc", "desc", "*"})
                is_listed = (
                    is_listed
                    or name in NUMBERS
                    or (name in {"select", "pluck", "value"} and bool(texts) and "*" not in texts)
                )
                if name in {"latest", "oldest"} and not texts:
                    scope.column("created_at")
            elif name == "exists":
                is_listed = True
            elif name.endswith("Raw") and (text := literal(link.argument(0))):
                if name == "selectRaw":
                    is_listed = True
                scope.condition(text)
            elif CONDITION.match(name):
                self._conditions(link, scope)
        if is_read and not is_listed and any(link.name in FINDS for link in calls):
            scope.whole.update(scope.tables)

    def _conditions(self, link: Link, scope: Scope, depth: int = 0) -> None:
        first = link.argument(0)
        if (text := literal(first)) is not None:
            scope.column(text)
            if link.name.endswith("Column") and (other := literal(link.argument(len(link.arguments or ()) - 1))):
                scope.column(other)
            return
        scope.every(key for key, _ in entries(first))
        for item in items(first):
            parts = items(item)
            if parts and (text := literal(parts[0])):
                scope.column(text)
        self._closure(first, scope, depth)

    def _closure(self, node: Node | None, scope: Scope, depth: int = 0) -> None:
        for link in _closure_calls(node) if depth < MAX_CLOSURES else ():
            if link.name.lower().endswith("on"):
                scope.every(
                    text
                    for argument in link.arguments or ()
                    if (text := literal(argument.node)) and text.replace(".", "").replace("_", "").isalnum()
                )
            elif CONDITION.match(link.name):
                self._conditions(link, scope, depth + 1)

    # Models

    def own_model(self, node: Node) -> str:
        """Return the class around a place where it is a model, "" where it is none."""
        position = self.code.type_around(node.start_byte)
        if position < 0:
            return ""
        definition = self.code.outline.definitions[position]
        match = MODEL_HEAD.search(self.code.data[definition.start_byte : definition.start_byte + 600])
        return definition.name if match is not None else ""

    def of_chain(self, chain: Chain, depth: int) -> str:
        """Return the model that a static call gives objects of."""
        del depth
        model, links = split_model(chain)
        rest = chain.links[links:]
        if (
            model
            and rest
            and model not in FACADES
            and all(link.name in PASSING and link.arguments is not None for link in rest)
        ):
            return model
        if len(chain.links) == 1 and chain.links[0].made:
            return chain.links[0].name
        if chain.links[0].name == "this" and len(chain.links) == 1:
            return self.own_model(chain.node)
        return ""

    def beginning(self, chain: Chain) -> tuple[str, int]:
        model, links = split_model(chain)
        if model:
            if model in FACADES or links >= len(chain.links):
                if model in {"self", "static"}:
                    return self.own_model(chain.node), links
                return "", 0
            first = chain.links[links]
            telling = any(one.name in BEGINNINGS or CONDITION.match(one.name) for one in chain.links[links:])
            return (model, links) if first.arguments is not None and telling else ("", 0)
        if chain.links[0].name in {"self", "static"} and len(chain.links) > 1:
            return self.own_model(chain.node), 1
        base, links = self.entities.of_beginning(chain)
        if not base and chain.links[0].name == "this":
            base, links = self.own_model(chain.node), 1
        if not base:
            return "", 0
        position = links
        while position < len(chain.links):
            link = chain.links[position]
            known = link.name in BEGINNINGS | SAVES or CONDITION.match(link.name) is not None
            if known and link.arguments is not None:
                return base, position
            if link.arguments != ():
                return "", 0  # $user->posts is a collection in memory
            base = f"{base}.{link.name}"  # $user->posts()
            position += 1
        return "", 0

    def _chain(self, chain: Chain, draft: UsageBuilder) -> None:
        model, start = self.beginning(chain)
        if not model:
            return
        links = [link for link in chain.links[start:] if link.arguments is not None]
        is_listed = False
        for link in links:
            name = link.name
            texts = [
                text for argument in link.arguments or () for item in items(argument.node) if (text := literal(item))
            ]
            is_listed = is_listed or name in ROWLESS or (name == "select" and bool(texts) and "*" not in texts)
            self._call(link, model, draft)
        if draft.access.get(model, Access.READ) is Access.READ and links:
            asked = any(link.name in FINDS | LISTS | LOADS or CONDITION.match(link.name) for link in links)
            draft.use(model, whole=asked and not is_listed and links[0].name not in {"load", "loadMissing"})

    def _call(self, link: Link, model: str, draft: UsageBuilder) -> None:
        name, arguments = link.name, link.arguments or ()
        if CONDITION.match(name):
            self._where(link, model, draft)
        elif name in CREATES:
            draft.use(model, Access.WRITE, whole=True)
            if name in {"firstOrCreate", "updateOrCreate", "firstOrNew"}:
                draft.read.add(model)
            for argument in arguments:
                for item in [argument.node, *items(argument.node)]:
                    draft.touch_all(model, (key for key, _ in entries(item)), written=True)
        elif name in CHANGES:
            draft.use(model, Access.WRITE)
            for argument in arguments:
                draft.touch_all(model, (key for key, _ in entries(argument.node)), written=True)
            if name != "update" and arguments:
                draft.touch(model, literal(link.argument(0)) or "", written=True)
                draft.touch(model, literal(link.argument(0)) or "")
        elif name in REMOVES:
            draft.use(model, Access.DELETE)
        elif name in SAVES:
            made = chain_of(arguments[0].node) if arguments else None
            if made is not None and made.links[-1].made:  # $user->posts()->save(new Post([...]))
                draft.use(made.links[-1].name, Access.WRITE, whole=True)
            else:
                draft.use(model, Access.WRITE, whole=True)
        elif name in LOADS:
            for argument in arguments:
                self._along(argument, model, draft, is_whole=name in {"with", "load", "loadMissing"})
        elif name in LISTS or name in NUMBERS:
            for argument in arguments:
                for item in items(argument.node):
                    text = literal(item)
                    if text and text not in {"asc", "desc", "*"}:
                        draft.touch(model, _column(text))
        elif name.endswith("Raw") and (text := literal(link.argument(0))):
            draft.touch_all(model, (_column(one) for one in columns_in(text)))

    def _where(self, link: Link, model: str, draft: UsageBuilder, depth: int = 0) -> None:
        first = link.argument(0)
        if (text := literal(first)) is not None:
            draft.touch(model, _column(text))
            return
        draft.touch_all(model, (_column(key) for key, _ in entries(first)))
        for item in items(first):
            parts = items(item)
            if item is not first and parts and (text := literal(parts[0])):
                draft.touch(model, _column(text))
        for inner in _closure_calls(first) if depth < MAX_CLOSURES else ():
            if CONDITION.match(inner.name):
                self._where(inner, model, draft, depth + 1)

    def _along(self, one: Argument, model: str, draft: UsageBuilder, *, is_whole: bool) -> None:
        """Note relations: 'posts.comments', ['posts', 'team'], ['posts' => fn ($q) => ...], 'posts', fn ($q) => ..."""
        for item in items(one.node):
            if (text := literal(item)) is not None:
                draft.use(f"{model}.{text.partition(':')[0]}", whole=is_whole)
        for key, value in entries(one.node):
            draft.use(f"{model}.{key}", whole=is_whole)
            for inner in _closure_calls(value):
                if CONDITION.match(inner.name):
                    self._where(inner, f"{model}.{key}", draft)
        if one.node.type in {"arrow_function", "anonymous_function"}:
            path = next(reversed(draft.access), model)
            for inner in _closure_calls(one.node):
                if CONDITION.match(inner.name):
                    self._where(inner, path, draft)

    def _assigned(self, chain: Chain) -> Iterator[Usage]:
        """Yield `$user->name = x` of an object of a model."""
        if len(chain.links) != 2 or any(link.arguments is not None for link in chain.links):
            return
        parent = chain.node.parent
        if parent is None or parent.child_by_field_name("left") != chain.node or chain.links[0].name == "this":
            return
        model = self.entities.of(Chain(chain.node, chain.links[:1]))
        if model and (b"%s->save" % chain.links[0].name.encode() in self.code.data):
            draft = UsageBuilder()
            draft.use(model, Access.WRITE)
            draft.touch(model, chain.links[1].name, written=True)
            yield from draft.models(self.code, chain.node, FRAMEWORK)


def _closure_calls(node: Node | None) -> Iterator[Link]:
    """Yield the calls on the first parameter of a closure."""
    if node is None or node.type not in {
        "arrow_function",
        "anonymous_function",
        "anonymous_function_creation_expression",
    }:
        return
    body = node.child_by_field_name("body")
    for one in [body] if body is not None and body.type != "compound_statement" else named(body):
        for chain in chains_in(one):
            if is_class_name(chain.links[0].name):
                continue
            yield from (link for link in chain.links[1:] if link.arguments is not None)


def _column(text: str) -> str:
    """Return a column without its table and without `as x`: `users.email as mail` is email."""
    plain = text.split(" ", maxsplit=1)[0].partition("->")[0]
    return plain.rpartition(".")[2] if plain.replace(".", "").replace("_", "").isalnum() else ""
