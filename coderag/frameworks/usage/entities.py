"""What model a value in a function is of: a loaded object, a query for such, a collection that is gone through."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from types import MethodType
from typing import ParamSpec, TypeVar
from weakref import WeakMethod

from tree_sitter import Node

from coderag.frameworks.usage.binding import Bound, Told
from coderag.frameworks.usage.source_file import CodeFile
from coderag.syntax.trees.call_chains import Chain
from coderag.syntax.trees.node_types import CHAIN_NAMES
from coderag.syntax.trees.tree import text_of

__all__ = ["Entities", "is_class_name", "model_in_type", "split_model"]

P = ParamSpec("P")
R = TypeVar("R")
MAX_STEPS = 10
# What a relation is asked without its rows being loaded.
MANAGED = (
    b"append|extend|add|remove|filter|exclude|all|get|create|count|exists|order_by|values|values_list|first|last|update|set"
    b"|delete|aggregate|annotate|get_or_create|update_or_create|select_related|prefetch_related|bulk_create|clear"
)
TAKEN = re.compile(rb"\.(?<=\w\.)(?<!self\.)(\w++)(?!\(|\.(?:%s)\()" % MANAGED)
TYPE_NAME = re.compile(r"(?<![\w.])(?:[A-Za-z_]\w*+\.)*+[A-Z]\w*+|(?<![\w.])\w++(?:\.\w++)*+")
# Types around a model that say how many there are of it, or when it comes.
HOLDERS = frozenset(
    """Optional Union List Sequence Iterable Iterator Collection Set FrozenSet Tuple Type Annotated Generator Awaitable
    Promise Array ReadonlyArray Partial Task IEnumerable ICollection IList IQueryable HashSet Collection Optional
    AsyncIterator AsyncIterable QuerySet Vec Option Result Box Arc Flux Mono Query Select ScalarResult Stream Page Slice
    ArrayList LinkedList IReadOnlyList IReadOnlyCollection HydratedDocument Depends Iterable MutableList Flow Row Mapped
    Readonly Required TypedQuery RelatedManager Manager
    """.split()
)
NO_MODELS = frozenset("Dict Map Record Mapping Any String Integer Long Boolean Object None True False Double".split())


def is_class_name(name: str) -> bool:
    """Tell whether a name is written as that of a class: User, not users and not USERS."""
    return name[:1].isupper() and (len(name) == 1 or any(map(str.islower, name)))


def model_in_type(text: str) -> str:
    """Return the class that a type is about: User of `Optional[models.User]`; "" where it holds no class."""
    for match in TYPE_NAME.finditer(text):
        last = match[0].rpartition(".")[2]
        if last in NO_MODELS:
            return ""
        if last not in HOLDERS and is_class_name(last):
            return match[0]
    return ""


def split_model(chain: Chain) -> tuple[str, int]:
    """Return the class that a chain begins with, dotted as written, and how many links that are; "" for none."""
    for position, link in enumerate(chain.links):
        if link.arguments is not None or not link.name:
            return "", 0
        if is_class_name(link.name):
            return ".".join(chain.names[: position + 1]), position + 1
        if position >= 2 or link.name in {"self", "this"}:
            return "", 0
    return "", 0


def _place(found: re.Match[bytes]) -> int:
    return found.start()


def anything(place: int) -> bool:
    """Say of no expression that it has no model."""
    del place
    return True


def _unheld(method: Callable[P, R]) -> Callable[P, R]:
    """Return what calls a method without keeping its object, which holds whoever has this.

    Files are read without a collector of cycles: a tree in one would stay for thousands of files.
    """
    if not isinstance(method, MethodType):
        return method
    weak = WeakMethod(method)

    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        bound: Callable[P, R] | None = weak()
        assert bound is not None, "who asks holds the object"
        return bound(*args, **kwargs)

    return call


class Entities:
    """Follows names to the model of what they stand for; `of_chain` knows what a framework's calls give.

    `of_chain(chain, depth)` returns the model, "" where the calls tell none; `passing` are the methods of a query or
    collection that give objects of the same model. `may_be(place)` rules most expressions out at once.
    """

    __slots__ = ("_known", "_unbound", "code", "follows_types", "may_be", "of_chain", "passing")

    def __init__(
        self,
        code: CodeFile,
        of_chain: Callable[[Chain, int], str],
        passing: frozenset[str],
        *,
        follows_types: bool = True,
        may_be: Callable[[int], bool] = anything,
    ) -> None:
        self._known: dict[tuple[int, Told], str] = {}
        self._unbound: set[bytes] = set()  # what no place of the file binds
        self.code = code
        self.follows_types = follows_types  # also where nothing but its type says what a value is
        self.may_be = _unheld(may_be)
        self.of_chain = _unheld(of_chain)
        self.passing = passing

    def of_node(self, node: Node | None, depth: int = 0) -> str:
        """Return the model of an expression."""
        if node is None or not self.may_be(node.start_byte):
            return ""
        if depth > MAX_STEPS or (chain := self.code.chain_of(node)) is None or not chain.links:
            return ""
        return self.of(chain, depth)

    def of(self, chain: Chain, depth: int = 0) -> str:
        """Return the model of what a chain gives: "User", "User.posts"; "" where that is not known."""
        if depth > MAX_STEPS:
            return ""
        if known := self.of_chain(chain, depth):
            return known
        first = chain.links[0]
        if len(chain.links) == 1 and first.arguments is not None and is_class_name(first.name):
            return first.name
        base, links = self.of_beginning(chain, depth)
        return self.along(base, chain, links)

    def loaded(self) -> Iterator[tuple[str, Node]]:
        """Yield the paths `User.posts` of what is taken from objects that a function has loaded, with their places.

        Where that is a relation, its rows are loaded too.
        """
        code, root = self.code, self.code.parsed.tree.root_node
        sure = Entities(code, self.of_chain, self.passing, follows_types=False, may_be=self.may_be)
        taken: dict[str, list[re.Match[bytes]]] = {}
        for match in TAKEN.finditer(code.data):
            holder = code.names_before(match.start(1))
            if holder.count(b".") == 1 and not holder[:1].isupper() and code.may_bind(holder[:-1]):
                taken.setdefault(holder[:-1].decode("utf-8", "replace"), []).append(match)
        for scope, name, bound in code.values(taken):
            code.begin()
            if not self.of_bounds((bound,)):
                continue
            model = sure.of_bounds((bound,))
            if not model or "." in model:
                continue
            definition = code.outline.definitions[scope] if scope >= 0 else None
            start, end = (definition.start_byte, definition.end_byte) if definition is not None else (0, len(code.data))
            uses = taken[name]
            first, last = (bisect_left(uses, place, key=_place) for place in (start, end))
            for use in uses[first:last]:
                node = root.descendant_for_byte_range(*use.span(1))
                if node is not None and node.type in CHAIN_NAMES and code.scope(node.start_byte) == scope:
                    yield f"{model}.{use[1].decode('utf-8', 'replace')}", node

    def along(self, base: str, chain: Chain, links: int) -> str:
        """Return the model at the end of a chain whose first links give `base`."""
        for link in chain.links[links:]:
            if not base:
                return ""
            if link.arguments is None:
                base = f"{base}.{link.name}"
            elif link.name != "[]" and link.name not in self.passing:
                return ""
        return base

    def of_beginning(self, chain: Chain, depth: int = 0) -> tuple[str, int]:
        """Return the model of what a chain begins with, a name of the function or a field, and its number of links."""
        if chain.links[0].arguments is not None:
            return "", 1
        bounds, links = self.code.told_of(chain)
        return self.of_bounds(bounds, depth), links

    def begins(self, names: bytes, place: int) -> bool:
        """Tell whether names and dots, `self.user.`, at a place begin with a class or with what has a model."""
        if names in self._unbound:
            return False
        written = names.decode("utf-8", "replace").split(".")
        if not names.islower() and any(map(is_class_name, written[:3])):
            return True
        is_own = written[0] in {"self", "cls"} and len(written) > 2
        if not self.code.is_bound(written[is_own]):
            self._unbound.add(names)
            return False
        return bool(self.of_bounds(self.code.bound(written[is_own], place, own=is_own)))

    def of_bounds(self, bounds: tuple[Bound, ...], depth: int = 0) -> str:
        """Return the model of a name by what it is bound to, the latest first; "" for none."""
        for bound in reversed(bounds):
            known = self._known.get((bound.node.id, bound.told))
            if known is None:
                self._known[bound.node.id, bound.told] = ""  # of a name that is bound to itself
                known = self._known[bound.node.id, bound.told] = self._of_bound(bound, depth)
            if known:
                return known
        return ""

    def _of_bound(self, bound: Bound, depth: int) -> str:
        if bound.told is not Told.TYPE:
            return self.of_node(bound.node, depth + 1)
        return model_in_type(text_of(bound.node).strip("\"'")) if self.follows_types else ""
