"""Addresses that are told by the path of a file: Next.js, Medusa, SvelteKit, Nuxt, controllers of PHP."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from coderag.graph.resolve.tables import Tables
from coderag.syntax.outline import CALLABLE
from coderag.syntax.references.records import Role

__all__ = ["FileRoute", "file_routes"]

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")
SCRIPTS = frozenset({"javascript", "typescript", "tsx"})
APP_ROOTS = ("app/", "src/api/")  # of Next.js, of Medusa
NEXT_APP = re.compile(r"route\.(?:ts|js|tsx|jsx|mjs)")  # names of files
SVELTE = re.compile(r"\+(server|page\.server)\.(?:ts|js)")
SCRIPT = re.compile(r"\.(?:ts|js|mjs)\Z")
BY_NAME = tuple((one, one) for one in METHODS)
OF_PAGE = (("load", "GET"), ("actions", "POST"))
EVENT_HANDLERS = frozenset({"defineEventHandler", "eventHandler", "defineCachedEventHandler"})
GROUP = re.compile(r"(?:^|(?<=/))\([^/()]*\)/")  # (marketing)/about is /about
PARAMETER = re.compile(r"\[\[?(\.\.\.)?(\w+)(?:=\w+)?\]\]?")
CONTROLLER = "Controller"  # how names of such classes end: UserController, Module_UserController
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
    method, address = "", _page_of_api(path)
    if not address and "/server/" in f"/{path}" and _handles_events(tables, number):
        method, address = _of_server(path)
    if address:
        nodes = members.get("handler") or members.get("default") or _functions(tables, number)[:1] or (base,)
        yield _route(tables, method, address.removesuffix("index"), node=nodes[0])
        return
    address, exported = _exporting(path)
    for name, method in exported:
        for node in members.get(name, ()):
            yield _route(tables, method, address, node=node)


def _page_of_api(path: str) -> str:
    """Return the address that a file of Next.js under pages/api/ answers, "" for any other file."""
    rest = _below(path, "pages/api/")
    return f"api/{SCRIPT.sub('', rest)}" if SCRIPT.search(rest) else ""


def _of_server(path: str) -> tuple[str, str]:
    """Return the method and the address that a file of Nuxt's server/api/ or server/routes/ answers, "" for neither."""
    for folder, prefix in (("server/api/", "api/"), ("server/routes/", "")):
        rest = _below(path, folder)
        if SCRIPT.search(rest):
            stem, _, method = SCRIPT.sub("", rest).rpartition(".")
            known = method.upper() in METHODS and stem
            return (method.upper(), prefix + stem) if known else ("", prefix + SCRIPT.sub("", rest))
    return "", ""


def _exporting(path: str) -> tuple[str, Sequence[tuple[str, str]]]:
    """Return the address of a file whose exports answer methods, and which export answers which one.

    app/(shop)/cart/route.ts          cart/, each method by the function of its name
    src/api/store/cart/route.ts       store/cart/, the same
    src/routes/cart/+page.server.ts   cart/, GET by load, POST by actions
    """
    folder, _, name = f"/{path}".rpartition("/")
    if NEXT_APP.fullmatch(name):
        root = next((each for each in APP_ROOTS if f"/{each}" in f"{folder}/"), "")
        return GROUP.sub("", _below(f"{folder}/", root)) if root else "", BY_NAME if root else ()
    match = SVELTE.fullmatch(name)
    if match is None or "/routes/" not in f"{folder}/":
        return "", ()
    return GROUP.sub("", _below(f"{folder}/", "routes/")), BY_NAME if match[1] == "server" else OF_PAGE


def _below(path: str, folder: str) -> str:
    """Return the part of a path below the first folder of some name, "" without such a folder."""
    return f"/{path}".partition(f"/{folder}")[2]


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
        controller = _controller(around)
        if match is not None and controller:
            yield _route(tables, "", f"{controller.lower()}/{match[1]}", node=node)


def _controller(name: str) -> str:
    """Return what a class controls: User for UserController and for Admin_UserController, "" for other classes."""
    stem = name.removesuffix(CONTROLLER)
    return "" if stem == name else stem.removesuffix("_").rpartition("_")[2]


def _route(tables: Tables, method: str, address: str, *, node: int) -> FileRoute:
    number = tables.file[node]
    position = node - tables.first[number] - 1
    row = tables.files[number].links.definitions[position].row if position >= 0 else 0
    written = PARAMETER.sub(lambda match: f"{match[1] or ''}[{match[2]}]".replace("...[", "[..."), address)
    return FileRoute(number, row, method, f"/{written.strip('/')}", node)
