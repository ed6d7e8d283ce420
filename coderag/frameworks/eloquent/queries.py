"""Models of Eloquent and Laravel's query builder.

https://laravel.com/docs/queries
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from tree_sitter import Node

from coderag.frameworks.eloquent.models import OF_ELOQUENT
from coderag.frameworks.usage.conditions import columns_in
from coderag.frameworks.usage.entities import Entities, is_class_name, split_model
from coderag.frameworks.usage.objects import assigned_field
from coderag.frameworks.usage.scope import Scope
from coderag.frameworks.usage.source_file import CodeFile
from coderag.frameworks.usage.usage import Usage, UsageBuilder
from coderag.sql.in_code.constants import constant_name
from coderag.sql.in_code.records import Access
from coderag.syntax.trees.call_chains import Argument, Chain, Link, chain_of, chains_in, entries, items, literal
from coderag.syntax.trees.tree import named, text_of

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
LOADED_LATER = frozenset(("load", "loadMissing"))  # for objects that are in memory already
LOADS_ROWS = LOADED_LATER | {"with"}
NO_COLUMNS = frozenset(("asc", "desc", "*"))
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
FINDS_OR_CREATES = frozenset(("firstOrCreate", "updateOrCreate", "firstOrNew"))
COUNTERS = frozenset(("increment", "decrement"))
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
BUILDERS = frozenset(("DB", "connection", "Capsule", "Manager"))  # before `table`
LARAVEL = (b"Illuminate", b"DB::", b"Laravel")  # without one of them `$this->db` is one of many builders
MODEL_HEAD = re.compile(rb"class\s+\w+\s+extends\s+(?:\w+\\)*(?:Model|Authenticatable|Pivot|\w*Model)\b")
DERIVED_HEAD = re.compile(rb"class\s+\w+\s+extends\s")  # a model if its base is one, which the catalogue knows
MAX_DEPTH = 8
MAX_CLOSURES = 1  # inside of each other: the calls in all of them are seen from the first


def read(code: CodeFile) -> Iterator[Usage]:
    """Yield the uses of Eloquent's models and of tables."""
    yield from _Reader(code).read()


class _Reader:
    def __init__(self, code: CodeFile) -> None:
        self.code = code
        self.entities = Entities(code, self.of_chain, PASSING)
        self.model_head = DERIVED_HEAD if OF_ELOQUENT.search(code.data) is not None else MODEL_HEAD
        self.builders = BUILDERS | {"db"} if any(sign in code.data for sign in LARAVEL) else BUILDERS

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
        if start > 0 and chain.links[start - 1].name in self.builders:
            text = literal(chain.links[start].argument(0))
            if text is None:
                scope.has_holes = not constant_name(text_of(chain.links[start].argument(0)))
            else:
                scope.table(text)
            _TableStatement(scope).read(chain.links[start + 1 :])
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
                    _TableStatement(scope).read(chain.links[1:])
                    return True
        return False

    # Models

    def own_model(self, node: Node) -> str:
        """Return the enclosing class if it is a model, else ""."""
        position = self.code.type_around(node.start_byte)
        if position < 0:
            return ""
        definition = self.code.outline.definitions[position]
        match = self.model_head.search(self.code.data[definition.start_byte : definition.start_byte + 600])
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
            return self._of_class(chain, model, links)
        if chain.links[0].name in {"self", "static"} and len(chain.links) > 1:
            return self.own_model(chain.node), 1
        base, links = self.entities.of_beginning(chain)
        if not base and chain.links[0].name == "this":
            base, links = self.own_model(chain.node), 1
        return self._asked(chain, base, links) if base else ("", 0)

    def _of_class(self, chain: Chain, model: str, links: int) -> tuple[str, int]:
        """Return the model of a chain that begins with a class, and the link that follows it."""
        if model in FACADES or links >= len(chain.links):
            return (self.own_model(chain.node), links) if model in {"self", "static"} else ("", 0)
        known = any(
            one.name in BEGINNINGS or CONDITION.match(one.name) or _computes(one) for one in chain.links[links:]
        )
        return (model, links) if chain.links[links].arguments is not None and known else ("", 0)

    def _asked(self, chain: Chain, base: str, links: int) -> tuple[str, int]:
        """Return whose rows a chain that begins with an object asks for, along relations: $user->posts()->get()."""
        for position in range(links, len(chain.links)):
            link = chain.links[position]
            known = link.name in BEGINNINGS | SAVES or CONDITION.match(link.name) is not None
            if position > links:  # of $users, they may look in memory
                known = known or _computes(link)
            if known and link.arguments is not None:
                return base, position
            if link.arguments != ():
                break  # $user->posts is a collection in memory
            base = f"{base}.{link.name}"  # $user->posts()
        return "", 0

    def _chain(self, chain: Chain, draft: UsageBuilder) -> None:
        model, start = self.beginning(chain)
        if not model:
            return
        links = [link for link in chain.links[start:] if link.arguments is not None]
        is_listed = False
        for link in links:
            name = link.name
            texts = _literals(link) if name == "select" else []
            is_listed = is_listed or name in ROWLESS or (bool(texts) and "*" not in texts)
            self._call(link, model, draft)
        if draft.access.get(model, Access.READ) is Access.READ and links:
            asked = any(link.name in FINDS | LISTS | LOADS or CONDITION.match(link.name) for link in links)
            draft.use(model, whole=asked and not is_listed and links[0].name not in LOADED_LATER)

    def _call(self, link: Link, model: str, draft: UsageBuilder) -> None:
        """Note what one call does to a model.

        `->orderBy('users.name')` on User reads User.name; `->update(['name' => $x])` writes User.name;
        `->with('posts')` reads the rows of User.posts.
        """
        if CONDITION.match(link.name):
            self._where(link, model, draft)
        elif (note := MODEL_VERBS.get(link.name)) is not None:
            note(self, link, model, draft)
        elif link.name.endswith("Raw") and (text := literal(link.argument(0))):
            draft.touch_all(model, (_column(name) for name in columns_in(text)))

    def _creation(self, link: Link, model: str, draft: UsageBuilder) -> None:
        draft.use(model, Access.WRITE, whole=True)
        if link.name in FINDS_OR_CREATES:
            draft.read.add(model)
        for argument in link.arguments or ():
            for item in [argument.node, *items(argument.node)]:
                draft.touch_all(model, (key for key, _ in entries(item)), written=True)

    def _change(self, link: Link, model: str, draft: UsageBuilder) -> None:
        draft.use(model, Access.WRITE)
        for argument in link.arguments or ():
            draft.touch_all(model, (key for key, _ in entries(argument.node)), written=True)
        if link.name != "update" and link.arguments:  # increment('votes')
            draft.touch(model, literal(link.argument(0)) or "", written=True)
            draft.touch(model, literal(link.argument(0)) or "")

    def _removal(self, link: Link, model: str, draft: UsageBuilder) -> None:
        del link
        draft.use(model, Access.DELETE)

    def _saving(self, link: Link, model: str, draft: UsageBuilder) -> None:
        made = chain_of(link.arguments[0].node) if link.arguments else None
        if made is not None and made.links[-1].made:  # $user->posts()->save(new Post([...]))
            model = made.links[-1].name
        draft.use(model, Access.WRITE, whole=True)

    def _loading(self, link: Link, model: str, draft: UsageBuilder) -> None:
        for argument in link.arguments or ():
            self._along(argument, model, draft, is_whole=link.name in LOADS_ROWS)

    def _columns(self, link: Link, model: str, draft: UsageBuilder) -> None:
        for text in _literals(link):
            if text not in NO_COLUMNS:
                draft.touch(model, _column(text))

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
        found = assigned_field(chain, ("this",)) if len(chain.links) == 2 else None
        model = self.entities.of(found.holder) if found is not None else ""
        if found is not None and model and (b"%s->save" % chain.links[0].name.encode() in self.code.data):
            draft = UsageBuilder()
            draft.assign(model, found.field)
            yield from draft.models(self.code, chain.node, FRAMEWORK)


ModelVerb = Callable[[_Reader, Link, str, UsageBuilder], None]
MODEL_VERBS: Mapping[str, ModelVerb] = {
    **dict.fromkeys(CREATES, _Reader._creation),
    **dict.fromkeys(CHANGES, _Reader._change),
    **dict.fromkeys(REMOVES, _Reader._removal),
    **dict.fromkeys(SAVES, _Reader._saving),
    **dict.fromkeys(LOADS, _Reader._loading),
    **dict.fromkeys(LISTS | NUMBERS, _Reader._columns),
}


class _TableStatement:
    """The calls behind `DB::table(...)`, added one after the other to the statement that they build."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.table = next(iter(scope.tables), "")
        self.is_read = True
        self.is_listed = False  # only some columns are read

    def read(self, links: tuple[Link, ...]) -> None:
        """Note what calls read and write; aliases first, since a join may come behind the columns of its table."""
        calls = [link for link in links if link.arguments is not None]
        for link in calls:
            self._raw_arguments(link)
        for link in calls:
            if JOIN.search(link.name) and (text := literal(link.argument(0))):
                self.scope.table(text)
        for link in calls:
            self._call(link)
        if self.is_read and not self.is_listed and any(link.name in FINDS for link in calls):
            self.scope.whole.update(self.scope.tables)

    def _raw_arguments(self, link: Link) -> None:
        """Note the SQL of `DB::raw("...")` among the arguments."""
        for argument in link.arguments or ():
            for inner in chains_in(argument.node):
                if inner.links[-1].name == "raw" and (text := literal(inner.links[-1].argument(0))):
                    self.scope.condition(text)

    def _call(self, link: Link) -> None:
        """Note what one call does.

        `->where('email', $x)` reads email; `->increment('votes')` reads and writes votes; `->delete()` deletes.
        """
        if (note := TABLE_VERBS.get(link.name)) is not None:
            note(self, link)
        elif JOIN.search(link.name):
            self._join(link)
        elif link.name.endswith("Raw") and (text := literal(link.argument(0))):
            self.is_listed = self.is_listed or link.name == "selectRaw"
            self.scope.condition(text)
        elif CONDITION.match(link.name):
            _note_condition(link, self.scope)

    def _join(self, link: Link) -> None:
        behind_table = (link.arguments or ())[1:]
        self.scope.every(text for argument in behind_table if (text := literal(argument.node)) and _is_name(text))
        for argument in behind_table:
            _note_closure(argument.node, self.scope)

    def _write(self, link: Link) -> None:
        self.scope.table(self.table, Access.WRITE)
        self.is_read = False
        arguments = link.arguments or ()
        for argument in arguments[:1] if link.name == "upsert" else arguments:  # the others of upsert name columns
            for item in [argument.node, *items(argument.node)]:
                self.scope.every((key for key, _ in entries(item)), write=True)

    def _count(self, link: Link) -> None:
        self._write(link)
        self.scope.column(literal(link.argument(0)) or "", write=True)
        self.scope.column(literal(link.argument(0)) or "")

    def _remove(self, link: Link) -> None:
        del link
        self.scope.table(self.table, Access.DELETE)
        self.is_read = False

    def _columns(self, link: Link) -> list[str]:
        texts = _literals(link)
        self.scope.every(text for text in texts if text not in NO_COLUMNS)
        return texts

    def _list(self, link: Link) -> None:
        self._columns(link)

    def _select(self, link: Link) -> None:
        texts = self._columns(link)
        self.is_listed = self.is_listed or (bool(texts) and "*" not in texts)

    def _number(self, link: Link) -> None:
        self._columns(link)
        self.is_listed = True

    def _by_time(self, link: Link) -> None:
        if not self._columns(link):
            self.scope.column("created_at")

    def _exists(self, link: Link) -> None:
        del link
        self.is_listed = True


TableVerb = Callable[[_TableStatement, Link], None]
TABLE_VERBS: Mapping[str, TableVerb] = {
    **dict.fromkeys(CREATES | CHANGES, _TableStatement._write),
    **dict.fromkeys(COUNTERS, _TableStatement._count),
    **dict.fromkeys(REMOVES, _TableStatement._remove),
    **dict.fromkeys(LISTS, _TableStatement._list),
    **dict.fromkeys(("select", "pluck", "value"), _TableStatement._select),
    **dict.fromkeys(("latest", "oldest"), _TableStatement._by_time),
    **dict.fromkeys(NUMBERS, _TableStatement._number),
    "exists": _TableStatement._exists,
}


def _computes(link: Link) -> bool:
    """Tell whether a call asks the database for a number or joins a table: User::count(), $user->posts()->max("id")."""
    return link.name in ROWLESS or JOIN.search(link.name) is not None


def _note_condition(link: Link, scope: Scope, depth: int = 0) -> None:
    """Note the columns of `where('a', $x)`, `where(['a' => $x])`, `where([['a', '>', $x]])` and of closures."""
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
    _note_closure(first, scope, depth)


def _note_closure(node: Node | None, scope: Scope, depth: int = 0) -> None:
    for link in _closure_calls(node) if depth < MAX_CLOSURES else ():
        if link.name.lower().endswith("on"):
            texts = [literal(argument.node) for argument in link.arguments or ()]
            scope.every(text for text in texts if text and _is_name(text))
        elif CONDITION.match(link.name):
            _note_condition(link, scope, depth + 1)


def _literals(link: Link) -> list[str]:
    """Return the texts among the arguments of a call and in lists among them."""
    return [text for argument in link.arguments or () for item in items(argument.node) if (text := literal(item))]


def _is_name(text: str) -> bool:
    return text.replace(".", "").replace("_", "").isalnum()


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
    return plain.rpartition(".")[2] if _is_name(plain) else ""
