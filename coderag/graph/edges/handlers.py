"""What answers a route, as it is written, to definitions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from coderag.graph.resolve.abstract_values import OUTSIDE
from coderag.graph.resolve.names import Names
from coderag.graph.resolve.tables import Tables
from coderag.graph.resolve.type_syntax import plain
from coderag.syntax.references.records import Route

__all__ = ["Handler", "handlers_of"]

ACTION = re.compile(r"([\w/:\\.]+)[#@](\w+)$")  # users#show of Rails, UserController@store of Laravel
VERBS = ("get", "post", "put", "patch", "delete", "head", "options")
ALL_VERBS = ("dispatch", "__invoke", "__call__")
# The actions that the classes of Django REST framework bring along, by the name of the class.
BROUGHT = {
    "ModelViewSet": "list create retrieve update partial_update destroy",
    "ReadOnlyModelViewSet": "list retrieve",
    "ListModelMixin": "list",
    "CreateModelMixin": "create",
    "RetrieveModelMixin": "retrieve",
    "UpdateModelMixin": "update partial_update",
    "DestroyModelMixin": "destroy",
}
# What these call of the class that has them.
HOOKS = {
    "list": ("get_queryset",),
    "create": ("perform_create",),
    "retrieve": ("get_object", "get_queryset"),
    "update": ("perform_update", "get_queryset"),
    "partial_update": ("update", "perform_update", "get_queryset"),
    "destroy": ("perform_destroy", "get_queryset"),
}
MAX_BASES = 50
BACKSLASH = "\\"


class Handler(NamedTuple):
    """What answers a route by one method."""

    method: str  # "" for any
    nodes: tuple[int, ...]
    candidates: int = 0


def handlers_of(names: Names, number: int, one: Route) -> list[Handler]:
    """Return what answers a route: one for each method of a class that has functions named after methods."""
    tables = names.resolver.tables
    base = tables.first[number]
    if not one.handler:  # a function without a name at the top of a file: what stands outside of definitions
        nodes: tuple[int, ...] = (base + 1 + one.handles,)
        candidates = 0
    else:
        scope = base + 1 + one.owner
        action = ACTION.match(one.handler)
        if action is not None:
            found = _action(names, scope, action[1], action[2])
            return [found._replace(method=one.method)] if found is not None else []
        text = plain(one.handler)
        meant = names.mean(scope, text.removesuffix(".as_view()").removesuffix("()"))
        nodes = tuple(node for node in meant.nodes if tables.kind[node] is not None)
        candidates = meant.candidates
        written, _, member = text.rpartition(".")
        if not nodes and "\\" in written and (found := _action(names, scope, written, member)) is not None:
            nodes, candidates = found.nodes, found.candidates
    return list(_by_method(names, one.method, nodes, candidates)) or [Handler(one.method, nodes, candidates)]


def _by_method(names: Names, method: str, nodes: Sequence[int], candidates: int) -> Iterator[Handler]:
    """Yield the functions of classes that are named after methods, those of their bases too."""
    tables = names.resolver.tables
    for node in nodes:
        if tables.is_container(node):
            for verb in VERBS:
                if (not method or method.lower() == verb) and (
                    members := _members(names, node, verb) or _members(names, node, f"on_{verb.upper()}")
                ):
                    yield Handler(verb.upper(), (*members, node), candidates)
            for name in ALL_VERBS:
                if members := _members(names, node, name):
                    yield Handler(method, (*members, node), candidates)


def _members(names: Names, node: int, name: str) -> tuple[int, ...]:
    """Return the functions of a class of a name, else those of its bases."""
    tables = names.resolver.tables
    own = tables.members.get(node, {}).get(name)
    if own:
        return tuple(own)
    found = names.resolver.class_member(node, name)
    return tuple(
        each for each in found if isinstance(each, int) and each < len(tables.kind) and tables.is_callable(each)
    )


def _action(names: Names, scope: int, controller: str, action: str) -> Handler | None:
    """Return the method of a controller that is named as text, None where it has none such and brings none."""
    tables = names.resolver.tables
    classes, candidates = _classes(names, scope, controller)
    for node in classes:
        if members := _members(names, node, action):
            return Handler("", members, candidates)
    python = tables.files[tables.file[scope]].language == "python"
    if python and classes:
        if any(action in _brought(names, node) for node in classes):
            hooks = [each for name in HOOKS[action] for each in _members(names, classes[0], name)]
            return Handler("", (*hooks, *classes), candidates)
        return None
    return Handler("", tuple(classes), candidates)  # an action that a template alone answers, or a base elsewhere


def _brought(names: Names, node: int) -> set[str]:
    """Return the actions that a class has from those of Django REST framework."""
    found: set[str] = set()
    waiting, seen = [node], set[int]()
    while waiting and len(seen) < MAX_BASES:
        one = waiting.pop()
        if one in seen or one == OUTSIDE:
            continue
        seen.add(one)
        for written in names.resolver.written_bases.get(one, ()):
            found.update(BROUGHT.get(written.rpartition(".")[2], "").split())
        waiting += [base for base in names.resolver.bases(one) if isinstance(base, int)]
    return found


def _classes(names: Names, scope: int, controller: str) -> tuple[list[int], int]:
    """Return the classes that a controller may be: a name that the file knows, or text that names a file."""
    tables: Tables = names.resolver.tables
    controller = controller.replace("\\\\", "\\")
    inside, _, name = controller.rpartition("\\")
    if inside:
        meant = names.mean(scope, f"\\{controller.lstrip(BACKSLASH)}")
        if known := [node for node in meant.nodes if tables.is_container(node)]:
            return known, meant.candidates
        return _counted(_in_namespace(tables, scope, controller))
    if "/" not in controller and not controller.islower():
        meant = names.mean(scope, plain(name))
        if known := [node for node in meant.nodes if tables.is_container(node)]:
            return known, meant.candidates
    parts = [part for part in re.split(r"[/:\\]+", controller) if part]
    camel = ["".join(word[:1].upper() + word[1:] for word in part.split("_")) for part in parts]
    name = camel[-1] if camel else ""
    ends = (f"{controller}_controller.rb", f"{'/'.join(camel)}Controller.php")
    for each in (f"{name}Controller", name):
        found = _of_family(tables, scope, each.rpartition(":")[2])
        near = [node for node in found if tables.files[tables.file[node]].path.endswith(tuple(f"/{e}" for e in ends))]
        if near or found:
            return _counted(near or found)
    return [], 0


def _counted(classes: list[int]) -> tuple[list[int], int]:
    return classes, 0 if len(classes) < 2 else len(classes)


def _of_family(tables: Tables, scope: int, name: str) -> list[int]:
    """Return the classes of a name in the languages of the family of a scope's."""
    family = tables.rules_at(scope).family
    return [
        node
        for node in tables.by_name.get(name, ())
        if tables.is_container(node) and tables.rules_at(node).family == family
    ]


def _in_namespace(tables: Tables, scope: int, controller: str) -> list[int]:
    """Return the classes whose files' paths end most like a namespace with a class.

    Where the namespace around all routes is set elsewhere, Account\\Index is app/Http/Account/Index.php.
    """
    parts = [part for part in controller.split("\\") if part]
    ends: dict[int, int] = {}
    for node in _of_family(tables, scope, parts[-1]):
        folders = tables.files[tables.file[node]].path.rpartition("/")[0].split("/")
        pairs = zip(reversed(folders), reversed(parts[:-1]), strict=False)
        ends[node] = next(
            (n for n, (one, other) in enumerate(pairs) if one != other), min(len(folders), len(parts) - 1)
        )
    most = max(ends.values(), default=0)
    return [node for node, count in ends.items() if count == most] if most else list(ends)
