"""Querysets, managers and saved objects of Django.

https://docs.djangoproject.com/en/stable/ref/models/querysets/
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from tree_sitter import Node

from coderag.frameworks.usage.entities import Entities, split_model
from coderag.frameworks.usage.objects import assigned_field, constructed_fields
from coderag.frameworks.usage.source_file import CodeFile
from coderag.frameworks.usage.usage import Usage, UsageBuilder
from coderag.sql.in_code.records import Access
from coderag.syntax.trees.call_chains import Chain, Link, chain_of, chains_in, entries, items, literal
from coderag.syntax.trees.tree import text_of
from coderag.types import Kind

__all__ = ["read"]

FRAMEWORK = "django"
MAX_HEAD = 4000  # bytes of a class before its body, decorators included
ANCHOR = re.compile(
    rb"\.((?:objects|_default_manager|_base_manager)\b"
    rb"|(?:a?(?:save|delete|get|filter|exclude|all|create|bulk_create|bulk_update|update|get_or_create|first|last"
    rb"|update_or_create|count|exists|aggregate|refresh_from_db|add|set|remove|clear|in_bulk|latest|earliest)"
    rb"|annotate|values|values_list|order_by|select_related|prefetch_related|only|defer|distinct|alias|iterator)(?=\s*+\())"
)
SHORTCUT = re.compile(rb"\b(?:aget|get)_(?:object|list)_or_404\b")
ASSIGNED = re.compile(rb"\.(?<!self\.)(\w++)[ \t]*+(?:[-+*/|]?=)(?!=)")
BEGINNING = re.compile(rb"(?:await\s++)?((?:\w++\.)*+)(\w*+)\s*+(\(?)")
MANAGERS = frozenset(("objects", "_default_manager", "_base_manager", "all_objects", "unscoped"))
SHORTCUTS = frozenset(("get_object_or_404", "get_list_or_404", "aget_object_or_404", "aget_list_or_404"))
# What asks or changes, each also with a leading `a`.
CONDITIONS = frozenset("filter exclude get".split())
DEFAULTS = ("defaults", "create_defaults")  # keywords of get_or_create and update_or_create
GROUPS = frozenset("values values_list".split())
NAMING = frozenset("values values_list only defer order_by distinct latest earliest dates datetimes in_bulk".split())
COUNTS = frozenset("count exists aggregate contains explain delete update values values_list only dates".split())
PASSING = frozenset(
    """filter exclude all get first last order_by distinct select_related prefetch_related annotate alias only defer
    using create get_or_create update_or_create latest earliest reverse select_for_update iterator none union
    intersection difference in_bulk aget afirst alast acreate extra get_queryset
    """.split()
)
QUERYSET = PASSING | COUNTS | GROUPS | frozenset(("bulk_create", "bulk_update", "raw", "aggregate", "exists", "count"))
AGGREGATES = frozenset(
    """F Count Sum Avg Max Min StdDev Variance ArrayAgg StringAgg Coalesce Lower Upper Length Trunc TruncDay TruncMonth
    TruncYear TruncDate Extract ExtractYear ExtractMonth Cast Concat Greatest Least Substr Round Abs SearchVector
    TruncHour TruncWeek JSONBAgg BoolOr BoolAnd NullIf Window Lag Lead FirstValue LastValue OrderBy Prefetch
    """.split()
)
CONDITIONAL = frozenset(("Q", "When", "FilteredRelation"))
LOOKUPS = frozenset(
    """exact iexact contains icontains in gt gte lt lte startswith istartswith endswith iendswith range date year
    iso_year month day week week_day iso_week_day quarter time hour minute second isnull regex iregex search overlap
    contained_by has_key has_keys has_any_keys len trigram_similar unaccent trigram_word_similar lower upper length
    """.split()
)
GIVES_NAMES = frozenset(("annotate", "alias", "values", "values_list", "aggregate"))
LAZY = frozenset(
    """filter exclude all order_by distinct select_related prefetch_related annotate alias only defer using reverse none
    """.split()
)
CALLS = QUERYSET | {"bulk_create", "bulk_update", "abulk_create", "abulk_update"}
OF_QUERYSETS = PASSING | {"[]"}
GIVES_QUERYSET = PASSING - {"get", "first", "last", "create", "latest", "earliest"} | MANAGERS


def read(code: CodeFile) -> Iterator[Usage]:
    """Yield the uses of Django's models."""
    yield from _Reader(code).read()


def field_path(written: str) -> str:
    """Return the fields of `author__name__icontains` as a path, without the lookup: "author.name"."""
    parts = written.lstrip("-+").split("__")
    kept = parts[:1]
    for part in parts[1:]:
        if part in LOOKUPS or not part or part.isdecimal():
            break
        kept.append(part)
    if len(kept) > 1 and kept[-1] in {"id", "pk"}:
        kept.pop()  # the key of a related row stands in the own table
    return ".".join(kept)


class _Reader:
    def __init__(self, code: CodeFile) -> None:
        self.code = code
        self.entities = Entities(code, self.of_chain, PASSING, may_be=self.may_be)
        self.classes: dict[int, str] = {}  # the models among the types of the file, "" for anything else
        self.is_evident = b"django" in code.data

    def read(self) -> Iterator[Usage]:
        for chain in self.code.chains(ANCHOR, self.is_wanted):
            yield from self._chain(chain)
        if b"_or_404" in self.code.data:
            for chain in self.code.chains(SHORTCUT):
                yield from self._chain(chain)
        if self.is_evident or b".objects" in self.code.data:
            for chain in self.code.chains(ASSIGNED, self.entities.begins):
                yield from self._assigned(chain)
            for path, node in self.entities.loaded():
                draft = UsageBuilder()
                draft.use(path, whole=True)
                yield from draft.models(self.code, node, FRAMEWORK)

    def is_wanted(self, names: bytes, place: int) -> bool:
        """Tell whether what is asked of names and dots at a place may be asked of a model."""
        return self.entities.begins(names, place) or (names.startswith(b"self.") and self.model_around(place) != "")

    def may_be(self, place: int) -> bool:
        """Tell whether the expression at a place may give objects of a model, by what it begins with."""
        match = BEGINNING.match(self.code.data, place)
        names, name, is_call = match.groups() if match is not None else (b"", b"", b"")
        if not names and not name:
            return self.code.data[place : place + 1] == b"("
        if not names and is_call:
            return name[:1].isupper() or name == b"super" or b"_or_404" in name
        return self.is_wanted(names if is_call else b"%s%s." % (names, name), place)

    def manager(self, chain: Chain) -> tuple[str, int]:
        """Return the model whose manager a chain begins with, and how many links that takes; "" for none."""
        model, links = split_model(chain)
        if not model or len(chain.links) <= links:
            return "", 0
        link = chain.links[links]
        if link.arguments is not None:
            return "", 0
        if link.name in MANAGERS:
            return model, links + 1
        following = chain.links[links + 1] if len(chain.links) > links + 1 else None
        is_manager = (
            self.is_evident
            and following is not None
            and following.arguments is not None
            and link.name[:1].islower()
            and following.name in {"filter", "all", "exclude", "create", "get", "get_or_create", "order_by"}
        )
        return (model, links + 1) if is_manager else ("", 0)

    def of_chain(self, chain: Chain, depth: int) -> str:
        """Return the model that a manager or shortcut gives objects of."""
        del depth
        first = chain.links[0]
        if first.name in SHORTCUTS and first.arguments:
            given = chain_of(first.argument(0))
            return split_model(given)[0] if given is not None and len(chain.links) == 1 else ""
        model, links = self.manager(chain)
        rest = chain.links[links:]
        if model and all(link.name in OF_QUERYSETS and link.arguments is not None for link in rest):
            return model
        if first.name == "self" and len(chain.links) == 1:
            return self.model_around(chain.node.start_byte)
        return ""

    def model_around(self, place: int) -> str:
        """Return the class around a place where it derives from a model, "" where it does not."""
        position = self.code.type_around(place)
        if position not in self.classes:
            self.classes[position] = self._model_at(position)
        return self.classes[position]

    def _model_at(self, position: int) -> str:
        if position < 0:
            return ""
        definition = self.code.outline.definitions[position]
        if definition.kind is not Kind.CLASS:
            return ""
        head = self.code.data[definition.start_byte : definition.start_byte + MAX_HEAD].partition(b":")[0]
        bases = head.partition(f"{definition.name}(".encode())[2]
        return (
            definition.name
            if re.search(rb"\b(?:\w*Model|AbstractUser|AbstractBaseUser|\w*Mixin)\b", bases)
            and (b"ModelForm" not in bases and b"ModelAdmin" not in bases and b"Serializer" not in bases)
            and b"Model" in bases + b"Model" * (b"Abstract" in bases)
            else ""
        )

    def _chain(self, chain: Chain) -> Iterator[Usage]:
        draft = UsageBuilder()
        first = chain.links[0]
        if first.name in SHORTCUTS and first.arguments is not None:
            self._shortcut(first, draft)
        else:
            model, links = self.manager(chain)
            is_manager = model != ""
            if not model:
                model, links = self._related(chain)
            if model:
                self._links(chain.node, chain.links[links:], model, draft=draft, is_manager=is_manager)
            else:
                self._object(chain, draft)
        yield from draft.models(self.code, chain.node, FRAMEWORK)

    def _related(self, chain: Chain) -> tuple[str, int]:
        """Return the model of a related manager or of a name for a queryset that a chain begins with."""
        position = next((p for p, link in enumerate(chain.links) if link.arguments is not None), -1)
        if position < 1 or chain.links[position].name not in QUERYSET:
            return "", 0
        base, links = self.entities.of_beginning(chain)
        if not base and chain.links[0].name == "self":
            base, links = self.model_around(chain.node.start_byte), 1
        if not base or links > position:
            return "", 0
        between = [link.name for link in chain.links[links:position]]
        if not between and not self._is_queryset(chain):
            return "", 0
        return ".".join([base, *between]), position

    def _is_queryset(self, chain: Chain) -> bool:
        """Tell whether what a chain begins with is a queryset, not an object."""
        bounds, _ = self.code.told_of(chain)
        for bound in reversed(bounds):
            value = chain_of(bound.node)
            text = text_of(bound.node)[:200]
            if "QuerySet" in text or "Manager" in text:
                return True
            if value is not None and len(value.links) > 1:
                last = value.links[-1]
                return last.name in GIVES_QUERYSET
        return False

    def _shortcut(self, link: Link, draft: UsageBuilder) -> None:
        chain = chain_of(link.argument(0))
        if chain is None:
            return
        model = split_model(chain)[0]
        if model and len(chain.links) == split_model(chain)[1]:
            draft.use(model, whole=True)
        model = model or self.entities.of(chain)
        if not model:
            return
        draft.use(model, whole=True)
        draft.touch_all(model, (field_path(argument.name) for argument in link.arguments or () if argument.name))
        self._expressions(link, model, draft, set())

    def _goes_on(self, node: Node, links: tuple[Link, ...]) -> bool:
        """Tell whether a queryset is given a name that is only used to make others of it."""
        parent = node.parent
        left = parent.child_by_field_name("left") if parent is not None and parent.type == "assignment" else None
        if (
            left is None
            or left.type != "identifier"
            or any(link.name not in LAZY for link in links if link.arguments is not None)
        ):
            return False
        scope = self.code.scope(node.start_byte)
        end = self.code.outline.definitions[scope].end_byte if scope >= 0 else len(self.code.data)
        name = re.escape(left.text or b"")
        uses = re.findall(rb"(?<![\w.])%s(?![\w])[ \t]*(\.\w+|.)?" % name, self.code.data[node.end_byte : end])
        return bool(uses) and all(use[:1] == b"." and use[1:].decode() in QUERYSET for use in uses)

    def _links(self, node: Node, links: tuple[Link, ...], model: str, *, draft: UsageBuilder, is_manager: bool) -> None:
        """Note what the calls on a manager or queryset do."""
        named: set[str] = set()
        is_whole, is_asked = True, False
        for link in links:
            if link.arguments is None:
                if link.name in MANAGERS or not is_asked:
                    continue
                break  # an attribute of the object that was loaded
            is_asked = True
            name = link.name.removeprefix("a") if link.name.removeprefix("a") in CALLS else link.name
            if name in COUNTS:
                is_whole = False
            self._call(link, name, model, draft=draft, named=named)
        if not is_asked and is_manager:
            return
        access = draft.access.get(model)
        if access is None or access is Access.READ:
            draft.use(model, whole=is_whole and not self._goes_on(node, links))

    def _call(self, link: Link, name: str, model: str, *, draft: UsageBuilder, named: set[str]) -> None:
        """Note what one call does; `named` are the names that the queryset itself gives to expressions.

        `.filter(author__name="x")` reads author.name; `.get_or_create(a=1, defaults={"b": 2})` also writes a and b.
        """
        if (note := VERBS.get(name)) is not None:
            note(self, link, model, draft, named)
        self._expressions(link, model, draft, named)
        if name in GIVES_NAMES:
            named.update(argument.name for argument in link.arguments or () if argument.name)
            named.update(_default_names(link))

    def _condition(self, link: Link, model: str, draft: UsageBuilder, named: set[str], *, written: bool) -> None:
        for keyword in link.arguments or ():
            if keyword.name and keyword.name not in DEFAULTS and keyword.name.split("__")[0] not in named:
                draft.touch(model, field_path(keyword.name), written=written)
        for holder in DEFAULTS:
            draft.touch_all(model, (key for key, _ in entries(link.keyword(holder))), written=True)

    def _filter(self, link: Link, model: str, draft: UsageBuilder, named: set[str]) -> None:
        self._condition(link, model, draft, named, written=False)

    def _find_or_create(self, link: Link, model: str, draft: UsageBuilder, named: set[str]) -> None:
        self._condition(link, model, draft, named, written=True)
        draft.use(model, Access.WRITE, whole=True)
        draft.read.add(model)

    def _create(self, link: Link, model: str, draft: UsageBuilder, named: set[str]) -> None:
        draft.use(model, Access.WRITE, whole=True)
        self._update(link, model, draft, named)

    def _update(self, link: Link, model: str, draft: UsageBuilder, named: set[str]) -> None:
        del named
        draft.use(model, Access.WRITE)
        draft.touch_all(model, (argument.name for argument in link.arguments or () if argument.name), written=True)

    def _delete(self, link: Link, model: str, draft: UsageBuilder, named: set[str]) -> None:
        del link, named
        draft.use(model, Access.DELETE)

    def _name(self, link: Link, model: str, draft: UsageBuilder, named: set[str]) -> None:
        """Note the fields of `order_by("-created")`, `values("id")`."""
        for argument in link.arguments or ():
            text = literal(argument.node) if not argument.name else None
            if text and text != "?" and field_path(text) not in named:
                draft.touch(model, field_path(text))

    def _bulk_create(self, link: Link, model: str, draft: UsageBuilder, named: set[str]) -> None:
        del named
        draft.use(model, Access.WRITE, whole=True)
        self._bulk_objects(link, model, draft)

    def _bulk_update(self, link: Link, model: str, draft: UsageBuilder, named: set[str]) -> None:
        del named
        draft.use(model, Access.WRITE)
        fields = link.argument(1) or link.keyword("fields")
        draft.touch_all(model, filter(None, map(literal, items(fields))), written=True)
        self._bulk_objects(link, model, draft)

    def _bulk_objects(self, link: Link, model: str, draft: UsageBuilder) -> None:
        """Note the fields that the objects in the first argument are made with."""
        for chain in chains_in(link.argument(0)):
            if chain.links[-1].name == model.rpartition(".")[2] and chain.links[-1].arguments is not None:
                draft.touch_all(
                    model, (argument.name for argument in chain.links[-1].arguments if argument.name), written=True
                )

    def _loaded(self, link: Link, model: str, draft: UsageBuilder, named: set[str]) -> None:
        """Note the relations that are loaded along."""
        del named
        for argument in link.arguments or ():
            text = literal(argument.node)
            if text is None:
                chain = chain_of(argument.node)
                if chain is None or chain.links[-1].name != "Prefetch":
                    continue
                text = literal(chain.links[-1].argument(0))
            if text:
                draft.use(".".join([model, *text.split("__")]), whole=True)

    def _expressions(self, link: Link, model: str, draft: UsageBuilder, named: set[str]) -> None:
        """Note the fields in F("x"), Q(x=1), Count("x") among the arguments."""
        data = self.code.data
        for argument in reversed(link.arguments or ()):
            if data.find(b"(", argument.node.start_byte, argument.node.end_byte) < 0:
                continue
            for chain in chains_in(argument.node):
                for call in chain.links:
                    if call.arguments is None:
                        continue
                    if call.name in CONDITIONAL:
                        fields = [
                            one.name for one in call.arguments if one.name and one.name not in {"then", "condition"}
                        ]
                    elif call.name in AGGREGATES:
                        fields = [text for one in call.arguments[:3] if not one.name and (text := literal(one.node))]
                        fields = fields[: 9 if call.name in {"Coalesce", "Greatest", "Least", "Concat"} else 1]
                    else:
                        continue
                    for field in fields:
                        if (
                            field != "*"
                            and field.split("__")[0] not in named
                            and field_path(field).replace(".", "_").isidentifier()
                        ):
                            draft.touch(model, field_path(field))

    def _object(self, chain: Chain, draft: UsageBuilder) -> None:
        """Note what is done with an object: save, delete, refresh_from_db; and add and set of a related manager."""
        link = chain.links[-1]
        name = link.name
        if (
            link.arguments is None
            or name
            not in {
                "save",
                "asave",
                "delete",
                "adelete",
                "refresh_from_db",
                "arefresh_from_db",
                "add",
                "set",
                "remove",
                "clear",
            }
            or len(chain.links) < 2
        ):
            return
        holder = Chain(chain.node, chain.links[:-1])
        if holder.links[0].name == "super" and name in {"save", "delete"}:
            model = self.model_around(chain.node.start_byte)
        else:
            model = self.entities.of(holder)
        if not model or (not self.is_evident and b".objects" not in self.code.data):
            return
        if name in {"add", "set", "remove", "clear"}:
            if "." in model:
                draft.use(model, Access.WRITE)
            return
        if name.endswith("save"):
            fields = link.keyword("update_fields")
            draft.use(model, Access.WRITE, whole=fields is None)
            draft.touch_all(model, filter(None, map(literal, items(fields))), written=True)
            draft.touch_all(model, constructed_fields(self.code, holder), written=True)
        elif name.endswith("delete"):
            draft.use(model, Access.DELETE)
        else:
            draft.use(model, whole=True)

    def _assigned(self, chain: Chain) -> Iterator[Usage]:
        """Yield `user.name = x` of an object of a model."""
        found = assigned_field(chain, ("self",))
        if found is not None and (model := self.entities.of(found.holder)):
            draft = UsageBuilder()
            draft.assign(model, found.field)
            yield from draft.models(self.code, chain.node, FRAMEWORK)


Verb = Callable[[_Reader, Link, str, UsageBuilder, set[str]], None]
VERBS: Mapping[str, Verb] = {
    **dict.fromkeys(CONDITIONS, _Reader._filter),
    **dict.fromkeys(("get_or_create", "update_or_create"), _Reader._find_or_create),
    "create": _Reader._create,
    "update": _Reader._update,
    "delete": _Reader._delete,
    "bulk_create": _Reader._bulk_create,
    "bulk_update": _Reader._bulk_update,
    **dict.fromkeys(("select_related", "prefetch_related"), _Reader._loaded),
    **dict.fromkeys(NAMING, _Reader._name),
}


def _default_names(link: Link) -> Iterator[str]:
    """Yield the names that aggregates without one get: Count("post") is post__count."""
    for argument in link.arguments or ():
        chain = chain_of(argument.node) if not argument.name else None
        if chain is not None and chain.links[-1].name in AGGREGATES and (text := literal(chain.links[-1].argument(0))):
            yield f"{text}__{chain.links[-1].name.lower()}"
