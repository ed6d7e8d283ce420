"""The routes that Rails draws: what `resources`, `namespace`, `scope` and their like answer, written out one by one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from tree_sitter import Node

from coderag.syntax.references.records import Route
from coderag.syntax.trees.call_chains import Link, chain_of, items, literal
from coderag.syntax.trees.tree import named
from coderag.text.inflection import plural, singular

__all__ = ["draws_routes", "read_rails_routes"]

DRAWN = re.compile(rb"\broutes\.(?:draw|append|prepend)\b|\bEngine\.routes\b")
PART = re.compile(rb"^\s{0,40}(?:resources?|namespace) :", re.MULTILINE)  # config/routes/admin.rb, which is drawn
CLASS = re.compile(rb"^\s{0,40}(?:class|module) ", re.MULTILINE)
MAX_DEPTH = 40  # of blocks in blocks
MAX_ROUTES = 5_000  # of a file
VERBS = frozenset("get post put patch delete options".split())
BLOCKS = frozenset({"block", "do_block"})
STEPS_IN = frozenset(
    "program body_statement block_body do_block block begin then else if unless if_modifier unless_modifier".split()
)
# action -> methods, whether it is of one of them, and what follows the path
ACTIONS = {
    "index": (("GET",), False, ""),
    "create": (("POST",), False, ""),
    "new": (("GET",), False, "/new"),
    "show": (("GET",), True, ""),
    "update": (("PATCH", "PUT"), True, ""),
    "destroy": (("DELETE",), True, ""),
    "edit": (("GET",), True, "/edit"),
}
OF_NO_SINGULAR = "index"
OPTIONS = frozenset(
    "to via as on constraints defaults format action controller module path only except param anchor".split()
)


def draws_routes(data: bytes) -> bool:
    """Tell whether a file of Ruby draws routes."""
    return DRAWN.search(data) is not None or (PART.search(data) is not None and CLASS.search(data) is None)


def read_rails_routes(root: Node) -> list[Route]:
    """Return the routes of a file, each with its handler as `namespace/controller#action`."""
    reading = _Reading()
    reading.visit(root, _Scope(), depth=0)
    return sorted(set(reading.found[:MAX_ROUTES]))


@dataclass(frozen=True, slots=True)
class _Scope:
    """What is around a route."""

    path: str = ""
    modules: tuple[str, ...] = ()
    controller: str = ""
    member: str = ""  # the path of one of the resources around; "" outside of any
    nested: str = ""  # the path below which other resources of one of them lie
    in_resources: bool = False
    shallow: bool = False
    shallow_path: str = ""


@dataclass(slots=True)
class _Reading:
    """Routes while a file is read."""

    found: list[Route] = field(default_factory=list)
    _concerns: dict[str, Node] = field(default_factory=dict)

    def visit(self, node: Node, scope: _Scope, *, depth: int) -> None:
        """Add the routes of the statements below a node."""
        if depth > MAX_DEPTH or len(self.found) >= MAX_ROUTES:
            return
        for child in node.named_children:
            if child.type == "call":
                self._call(child, scope, depth=depth + 1)
            elif child.type in STEPS_IN:
                self.visit(child, scope, depth=depth + 1)
            elif child.type == "identifier" and child.text == b"root":
                self._add(child, scope, "GET", scope.path or "/", "")

    def _call(self, node: Node, scope: _Scope, *, depth: int) -> None:
        chain = chain_of(node)
        if chain is None or not chain.links:
            return
        link, block = chain.links[-1], _block(node)
        plain = len(chain.links) == 1
        if plain and link.name in VERBS | {"match"}:
            self._verb(node, link, scope)
        elif plain and link.name == "root":
            target = _text(link.keyword("to")) or _first_text(link)
            self._add(node, scope, "GET", scope.path or "/", target)
        elif plain and link.name in {"resources", "resource"}:
            self._resources(node, link, scope, depth=depth)
        elif plain and link.name == "concern" and block is not None:
            self._concerns[_first_text(link)] = block
        elif plain and link.name == "concerns":
            self._with_concerns(_names(link.argument(0)), scope, depth=depth)
        elif block is not None:
            self.visit(block, _inside(link, scope) if plain else scope, depth=depth)

    def _with_concerns(self, names: list[str], scope: _Scope, *, depth: int) -> None:
        for name in names:
            if name in self._concerns:
                self.visit(self._concerns[name], scope, depth=depth + 1)

    def _resources(self, node: Node, link: Link, scope: _Scope, *, depth: int) -> None:
        """Add what one or several resources answer, and what is nested in them."""
        many = link.name == "resources"
        keyword = link.keywords
        actions = _actions(keyword, many=many)
        for name in filter(None, [_text(argument.node) for argument in link.arguments or () if not argument.name]):
            inner = _in_resource(name, keyword, scope, many=many)
            for action in actions:
                methods, of_one, behind = ACTIONS[action]
                for method in methods:
                    self._add(node, inner, method, (inner.member if of_one else inner.path) + behind, action)
            self._with_concerns(_names(keyword.get("concerns")), inner, depth=depth)
            if (block := _block(node)) is not None:
                self.visit(block, inner, depth=depth)

    def _verb(self, node: Node, link: Link, scope: _Scope) -> None:
        """Add what `get`, `post`, ... and `match` say."""
        keyword = link.keywords
        methods = [link.name] if link.name != "match" else _names(keyword.get("via"))
        methods = [method.upper() for method in methods]
        scope = replace(scope, controller=_text(keyword.get("controller")) or scope.controller)
        base = _base(scope, _text(keyword.get("on")))
        for address, target in _targets(link, scope):
            for method in [""] if "ALL" in methods or not methods else methods:
                self._add(node, scope, method, f"{base}/{address.lstrip('/')}", target)

    def _add(self, node: Node, scope: _Scope, method: str, address: str, target: str) -> None:
        if not target:
            return
        controller, sign, action = target.rpartition("#")
        if not sign:
            controller, action = scope.controller, target.replace("-", "_").rpartition("/")[2]
        if not controller:
            return
        controller = controller.removeprefix("/") if controller[:1] == "/" else "/".join((*scope.modules, controller))
        address = f"/{address.removesuffix('(.:format)').strip('/')}"
        self.found.append(Route(node.start_point[0], -1, method, address, f"{controller}#{action}"))


def _base(scope: _Scope, on: str) -> str:
    """Return the path that a route adds to: of a resource that of one of its members, or of all."""
    if on == "member":
        return scope.member
    if on == "collection" or not scope.in_resources:
        return scope.path
    return scope.nested


def _in_resource(name: str, keyword: Mapping[str, Node], scope: _Scope, *, many: bool) -> _Scope:
    """Return the scope in a resource: `resources :users` -> /users, a member at /users/:id, others at /users/:user_id.

    `many`: of `resources`; the one of `resource` has no key in its path.
    """
    shallow = scope.shallow or _is_true(keyword.get("shallow"))
    path = f"{scope.nested or scope.path}/{(_text(keyword.get('path')) or name).strip('/')}".rstrip("/")
    parameter = _text(keyword.get("param")) or "id"
    near = f"{scope.shallow_path}/{path.rpartition('/')[2]}" if shallow and scope.nested else path
    return replace(
        scope,
        path=path,
        modules=scope.modules + tuple(_names(keyword.get("module"))),
        controller=_text(keyword.get("controller")) or (name if many else plural(name)),
        member=f"{near}/:{parameter}" if many else path,
        # Below resources the key of one is named after it: /users/:user_id/posts.
        nested=f"{near}/:{singular(name)}_{parameter}" if many else path,
        in_resources=True,
        shallow=shallow,
    )


def _targets(link: Link, scope: _Scope) -> Iterator[tuple[str, str]]:
    """Yield the addresses of a verb's call, each with what answers it.

    `get "a", to: "b#c"` -> a, b#c; `get "users/list"` -> users/list, users#list; `get "a" => "b#c"` -> a, b#c
    """
    arguments, keyword = link.arguments or (), link.keywords
    pairs = [
        (argument.name, _text(argument.node))
        for argument in arguments
        if argument.name and ("/" in argument.name or _is_key(argument.node))
    ]
    stated = _text(keyword.get("to")) or _text(keyword.get("action"))
    routes = [(_text(argument.node), stated) for argument in arguments if not argument.name]
    routes += [(name, target) for name, target in pairs if name.partition(":")[0] not in OPTIONS]
    for address, target in routes:
        if address and target:
            yield address, target
        elif address and "to" not in keyword and not pairs:  # else a redirect, an application
            yield address, address.strip("/") if scope.controller else _as_target(address)


def _in_namespace(name: str, keyword: Mapping[str, Node], scope: _Scope) -> _Scope:
    """Return the scope in a namespace: `namespace :admin` -> paths below /admin, controllers in the module admin."""
    path = (_text(keyword["path"]) if "path" in keyword else name).strip("/")
    modules = _names(keyword["module"]) if "module" in keyword else [name]
    return _Scope(
        f"{scope.nested or scope.path}/{path}".rstrip("/"),
        scope.modules + tuple(modules),
        shallow=scope.shallow,
        shallow_path=f"{scope.shallow_path}/{path}".rstrip("/"),
    )


def _in_scope(name: str, keyword: Mapping[str, Node], scope: _Scope) -> _Scope:
    """Return the scope in a `scope`, which changes only what it names: path, module, controller, shallow."""
    path = (_text(keyword.get("path")) or name).strip("/")
    further = f"/{path}" if path else ""
    return replace(
        scope,
        path=(scope.nested or scope.path) + further,
        nested=f"{scope.nested}{further}" if scope.nested else "",
        modules=scope.modules + tuple(_names(keyword.get("module"))),
        controller=_text(keyword.get("controller")) or scope.controller,
        shallow=scope.shallow or _is_true(keyword.get("shallow")),
        shallow_path=scope.shallow_path + further,
        in_resources=scope.in_resources and bool(scope.nested),
    )


def _inside(link: Link, scope: _Scope) -> _Scope:
    """Return the scope of a block."""
    keyword = link.keywords
    first = _first_text(link)
    if link.name == "member":
        return replace(scope, path=scope.member, in_resources=False)
    if link.name in {"collection", "new"} and not first:  # a block counts as an argument
        return replace(scope, path=scope.path + ("/new" if link.name == "new" else ""), in_resources=False)
    if link.name == "namespace" and first:
        return _in_namespace(first, keyword, scope)
    if link.name == "scope":
        return _in_scope(first, keyword, scope)
    if link.name == "controller" and first:
        return replace(scope, controller=first)
    if link.name == "nested":
        return replace(scope, path=scope.nested)
    if link.name == "shallow":
        return replace(scope, shallow=True)
    return scope


def _actions(keyword: dict[str, Node], *, many: bool) -> list[str]:
    actions = [action for action in ACTIONS if many or action != OF_NO_SINGULAR]
    if "only" in keyword:
        only = _names(keyword["only"])
        return [action for action in actions if action in only]
    without = _names(keyword.get("except"))
    return [action for action in actions if action not in without]


def _block(node: Node) -> Node | None:
    return next((child for child in node.named_children if child.type in BLOCKS), None)


def _first_text(link: Link) -> str:
    return _text(link.argument(0))


def _text(node: Node | None) -> str:
    return (literal(node) or "") if node is not None else ""


def _names(node: Node | None) -> list[str]:
    """Return the symbols and strings of a list, or of one alone."""
    return [name for name in _each_name(node) if name]


def _each_name(node: Node | None) -> Iterator[str]:
    for item in items(node):
        yield literal(item) or ((item.text or b"").decode("utf-8", "replace") if item.type == "bare_symbol" else "")
        if item.type in {"symbol_array", "string_array"}:
            yield from ((one.text or b"").decode("utf-8", "replace") for one in named(item))


def _is_true(node: Node | None) -> bool:
    return node is not None and node.type == "true"


def _is_key(node: Node) -> bool:
    return "#" in _text(node)


def _as_target(address: str) -> str:
    """Return what `get "users/list"` means without a target: users#list."""
    controller, _, action = address.strip("/").rpartition("/")
    return f"{controller}#{action}" if controller else ""
