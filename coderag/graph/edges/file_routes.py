"""Addresses that are told by the path of a file: Next.js, SvelteKit, Nuxt, and controllers of PHP front controllers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from coderag.graph.resolve.tables import Tables
from coderag.syntax.outline import CALLABLE
from coderag.syntax.references.records import Role

__all__ = ["FileRoute", "file_routes"]

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")
SCRIPTS = frozenset({"javascript", "typescript", "tsx"})
NEXT_APP = re.compile(r"(?:^|/)app/((?:.*/)?)(route|page)\.(?:ts|js|tsx|jsx|mjs)$")
NEXT_PAGES = re.compile(r"(?:^|/)pages/(api/.+)\.(?:ts|js|mjs)$")
SVELTE = re.compile(r"(?:^|/)routes/((?:.*/)?)\+(server|page\.server)\.(?:ts|js)$")
NUXT = re.compile(r"(?:^|/)server/((?:api|routes)/.+?)(?:\.(get|post|put|patch|delete))?\.(?:ts|js|mjs)$")
EVENT_HANDLERS = frozenset({"defineEventHandler", "eventHandler", "defineCachedEventHandler"})
GROUP = re.compile(r"(?:^|(?<=/))\([^/()]*\)/")  # (marketing)/about is /about
PARAMETER = re.compile(r"\[\[?(\.\.\.)?(\w+)(?:=\w+)?\]\]?")
CONTROLLER = re.compile(r"(?:\w*?_)?(\w+?)_?Controller$")
CONTROLLERS = re.compile(r"(?:^|/)controllers?/", re.IGNORECASE)
ACTION = re.compile(r"(\w+)Action$")


class FileRoute(NamedTuple):
    """An address that a file answers by its place."""

    file: int
    row: int
    method: str
    address: str
    node: int


def file_routes(tables: Tables) -> Iterator[FileRoute]:
    """Yield the routes that paths tell, file by file."""
    for number, file in enumerate(tables.files):
        if "test" in file.labels:
            continue
        if file.language in SCRIPTS:
            yield from _of_script(tables, number)
        elif file.language == "php" and CONTROLLERS.search(file.path):
            yield from _of_controller(tables, number)


def _of_script(tables: Tables, number: int) -> Iterator[FileRoute]:
    path, base = tables.files[number].path, tables.first[number]
    members = tables.members.get(base, {})
    match = NEXT_PAGES.search(path) or (
        NUXT.search(path) if "server/" in path and _handles_events(tables, number) else None
    )
    if match is not None:
        address = match[1].removeprefix("routes/").removesuffix("index")
        method = (match[2] or "").upper() if match.re is NUXT else ""
        nodes = members.get("handler") or members.get("default") or _functions(tables, number)[:1] or (base,)
        yield _route(tables, method, address, node=nodes[0])
        return
    match = NEXT_APP.search(path) or SVELTE.search(path)
    if match is None:
        return
    address = GROUP.sub("", match[1])
    if match[2] in {"route", "server"}:
        for method in METHODS:
            for node in members.get(method, ()):
                yield _route(tables, method, address, node=node)
    elif match[2] == "page.server":
        for name, method in (("load", "GET"), ("actions", "POST")):
            for node in members.get(name, ()):
                yield _route(tables, method, address, node=node)


def _handles_events(tables: Tables, number: int) -> bool:
    """Tell whether a file makes a handler of Nuxt's server."""
    return any(
        one.role == Role.CALL and one.name in EVENT_HANDLERS for one in tables.files[number].links.mentions.mentions
    )


def _functions(tables: Tables, number: int) -> tuple[int, ...]:
    base = tables.first[number]
    definitions = tables.files[number].links.definitions
    return tuple(base + 1 + at for at, one in enumerate(definitions) if one.parent < 0 and one.kind in CALLABLE)


def _of_controller(tables: Tables, number: int) -> Iterator[FileRoute]:
    """Yield /user/show for UserController::showAction, where the file says no addresses itself."""
    file, base = tables.files[number], tables.first[number]
    if file.links.mentions.routes:
        return
    for node, one in enumerate(file.links.definitions, base + 1):
        match = ACTION.match(one.name) if one.kind in CALLABLE and one.parent >= 0 else None
        around = file.links.definitions[one.parent].name if match is not None else ""
        controller = CONTROLLER.match(around)
        if match is not None and controller is not None:
            yield _route(tables, "", f"{controller[1].lower()}/{match[1]}", node=node)


def _route(tables: Tables, method: str, address: str, *, node: int) -> FileRoute:
    number = tables.file[node]
    position = node - tables.first[number] - 1
    row = tables.files[number].links.definitions[position].row if position >= 0 else 0
    written = PARAMETER.sub(lambda match: f"{match[1] or ''}[{match[2]}]".replace("...[", "[..."), address)
    return FileRoute(number, row, method, f"/{written.strip('/')}", node)
