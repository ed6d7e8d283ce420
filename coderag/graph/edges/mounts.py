"""What routers, modules and functions are mounted under to how the addresses of their routes begin."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from coderag.graph.resolve.abstract_values import OUTSIDE
from coderag.graph.resolve.names import Names
from coderag.graph.resolve.type_syntax import plain
from coderag.syntax.references.records import Route
from coderag.types import Kind

__all__ = ["INCLUDED", "Mounts", "Placed", "join_addresses"]

INCLUDED = re.compile(r"include\((.*)\)$", re.DOTALL)
EVERYTHING = "*"  # all routes below the folder of the file: NestJS' global prefix
ACTIONS = "@action"  # further actions of a class answer only where that class is registered
URLS = "urlpatterns"  # what include("module") takes of a module of Django
# What stands behind a router and is what it answers: router.urls, router.routes(), app.router
BEHIND = (".urls", ".routes()", ".as_router()", ".default")
VALUES = frozenset({Kind.CONSTANT, Kind.FIELD})
MAX_PREFIXES = 8  # of one route
MAX_DEPTH = 8  # of mounts
LARAVEL_API = re.compile(r"(?:^|/)routes/api\.php$")  # RouteServiceProvider loads it so unless told otherwise


class Placed(NamedTuple):
    """A route and the file that it is in."""

    file: int
    route: Route


class _Mount(NamedTuple):
    """Where some routes are mounted."""

    by: Placed
    inside: int = -1  # only those in this definition
    group: str | None = None  # only those of this variable


class Mounts:
    """The mounts of an index by the files whose routes they are of."""

    def __init__(self, names: Names, routes: Iterable[Placed], *, routers: Mapping[tuple[int, str], str]) -> None:
        self._routers = routers
        self._names, self._tables = names, names.resolver.tables
        self._groups: dict[int, set[str]] = {}
        self._of: dict[int, list[_Mount]] = {}
        mounting: list[tuple[Placed, str]] = []
        for placed in routes:
            match = INCLUDED.match(placed.route.handler)
            if match is not None:
                mounting.append((placed, match[1]))
            self._groups.setdefault(placed.file, set()).add(placed.route.group)
        self._inner: set[tuple[int, str]] = set()  # routers that their own file mounts
        self._homes: dict[tuple[int, str], tuple[int, str] | None] = {}
        self._folders: list[tuple[str, Placed]] = []
        for placed, written in mounting:
            self._add(placed, written)

    def _has(self, number: int, name: str) -> bool:
        """Tell whether a file has a variable of a name: what is mounted is that, and nothing else of the file."""
        tables = self._tables
        nodes = tables.members.get(tables.first[number], {}).get(name, ())
        return any(tables.kind[node] in VALUES for node in nodes)

    def _home(self, number: int, group: str) -> tuple[int, str] | None:
        """Return the file that makes a router that another one imports, and its name there."""
        key = number, group
        if key not in self._homes:
            found = self._imported(number, group) if group.isidentifier() else []
            homes = [(file, name or group) for file, name in found if file != number]
            self._homes[key] = homes[0] if len(homes) == 1 else None
        return self._homes[key]

    def _add(self, placed: Placed, written: str) -> None:
        files = self._tables.files
        if written == EVERYTHING:
            self._folders.append((files[placed.file].path.rpartition("/")[0], placed))
            return
        for other, inside, group in dict.fromkeys(self._mounted(placed, written)):
            if other == placed.file and group is None and inside < 0:
                continue
            if "test" in files[placed.file].labels and "test" not in files[other].labels:
                continue
            known = self._groups.get(other, set())
            if group is not None and group not in known and not self._has(other, group):
                group = None if other != placed.file else group
            elif group is None and inside < 0 and URLS in known:
                group = URLS
            self._of.setdefault(other, []).append(_Mount(placed, inside, group))
            if other == placed.file and group is not None:
                self._inner.add((other, group))

    def _mounted(self, placed: Placed, written: str) -> Iterable[tuple[int, int, str | None]]:
        """Yield what an expression mounts: a file, and the definition or variable in it."""
        number, route = placed
        tables, modules = self._tables, self._names.resolver.modules
        whole = self._whole_files(number, written)
        if whole or "/" in written:
            yield from ((file, -1, None) for file in whole)
            return
        text = plain(written)
        while text.endswith(BEHIND):
            text = text.rpartition(".")[0]
        text = text.removesuffix("()")
        scope = tables.first[number] + 1 + route.owner
        if "." not in text and text in self._groups.get(number, ()):
            yield number, -1, text
            return
        nodes = self._names.resolver.targets(scope, text)
        inside = [node for node in nodes if isinstance(node, int) and node < OUTSIDE and node < len(tables.kind)]
        if inside:
            yield from map(self._selected, inside)
            return
        head, _, name = text.rpartition(".")
        files = self._named(number, scope, head) if head else ()
        yield from ((file, -1, name) for file in files)
        if not files:
            yield from ((file, -1, None) for file in modules.files_of(number, written))
            if "." not in text:
                yield from ((file, -1, name) for file, name in self._imported(number, text))

    def _selected(self, node: int) -> tuple[int, int, str | None]:
        tables = self._tables
        file = tables.file[node]
        if tables.kind[node] is None:
            return file, -1, None
        return (file, -1, tables.name[node]) if tables.kind[node] in VALUES else (file, node, None)

    def _whole_files(self, number: int, written: str) -> Sequence[int]:
        """Return the files that a path, or the dotted name of a module of Python, means; () for another expression."""
        modules = self._names.resolver.modules
        if "/" in written:
            return modules.files_of(number, written) or self._by_path(number, written)
        if "." in written and self._tables.files[number].language == "python":
            return modules.files_of(number, written)
        return ()

    def _named(self, number: int, scope: int, head: str) -> tuple[int, ...]:
        """Return the files of a module that a name stands for."""
        tables = self._tables
        nodes = self._names.resolver.targets(scope, head)
        files = [tables.file[node] for node in nodes if isinstance(node, int) and node < len(tables.kind)]
        return tuple(dict.fromkeys(files)) or tuple(file for file, _ in self._imported(number, head))

    def _imported(self, number: int, name: str) -> list[tuple[int, str | None]]:
        """Return the files that an import of a name means, with the name that it has there."""
        tables, modules = self._tables, self._names.resolver.modules
        found: list[tuple[int, str | None]] = []
        for one in tables.files[number].links.mentions.imports:
            if one.alias == name:
                there = one.name if one.name not in {"", "default"} else None
                files = modules.files_of(number, one.module, one.name)
                found += [(self._source(file, one.name), there) for file in files]
        return found

    def _source(self, number: int, name: str) -> int:
        """Return the file that a name is from which a file without routes passes on: export { default } from."""
        tables, modules = self._tables, self._names.resolver.modules
        for _ in range(MAX_DEPTH):
            if tables.files[number].links.mentions.routes:
                break
            passed = [one for one in tables.files[number].links.mentions.imports if one.exported]
            files = {
                file for one in passed if name in (one.alias, one.name) for file in modules.files_of(number, one.module)
            }
            if len(files) != 1:
                break
            number = files.pop()
        return number

    def _by_path(self, number: int, written: str) -> list[int]:
        """Return the files of a path that is not relative to the file: base_path("routes/api.php")."""
        files, end = self._tables.files, "/" + written.strip("/")
        language = files[number].language
        return [other for other, one in enumerate(files) if one.language == language and f"/{one.path}".endswith(end)]

    def prefixes(self, placed: Placed) -> tuple[str, ...]:
        """Return the addresses that a route is mounted under, "" alone for none; () where it answers nothing."""
        found = self._under(placed, depth=0)
        if not found:
            return () if placed.route.group == ACTIONS else ("",)
        return found

    def own_prefix(self, placed: Placed) -> str:
        """Return what the router of a route, which another file makes, begins its addresses with."""
        home = self._home(placed.file, placed.route.group) if placed.route.group else None
        return self._routers.get(home, "") if home is not None else ""

    def _under(self, placed: Placed, *, depth: int) -> tuple[str, ...]:
        if depth > MAX_DEPTH:
            return ()
        found: dict[str, None] = {}
        for by in self._mounting(placed):
            for prefix in self._under(by, depth=depth + 1) or ("",):
                found[join_addresses(prefix, by.route.address)] = None
                if len(found) >= MAX_PREFIXES:
                    return tuple(found)
        if not found and LARAVEL_API.search(self._tables.files[placed.file].path):
            return () if placed.route.address.strip("/").startswith("api") else ("/api",)
        return tuple(found)

    def _mounting(self, placed: Placed) -> list[Placed]:
        number, route = placed
        found = [one.by for one in self._of.get(number, ()) if one.by is not placed and self._selects(one, placed)]
        home = self._home(number, route.group) if not found and route.group else None
        if home is not None:
            found = [one.by for one in self._of.get(home[0], ()) if one.inside < 0 and one.group == home[1]]
        if not found and self._folders and not route.group and route.handles >= 0:
            path = self._tables.files[number].path
            found = [by for folder, by in self._folders if path.startswith(f"{folder}/" if folder else "")]
        return found

    def _selects(self, mount: _Mount, placed: Placed) -> bool:
        number, route = placed
        if mount.group is not None:
            return route.group == mount.group
        if route.group and (number, route.group) in self._inner:
            return False
        if mount.inside < 0:
            return route.group != ACTIONS
        node = self._tables.first[number] + 1 + (route.handles if route.group == ACTIONS else route.owner)
        while node >= 0:
            if node == mount.inside:
                return True
            node = self._tables.parent[node]
        return False


def join_addresses(prefix: str, address: str) -> str:
    """Return an address behind that of what it is mounted under: one "/" between them and before them."""
    if not prefix:
        return address if address.startswith(("/", "^", "{")) else f"/{address}"
    start = prefix if prefix.startswith(("/", "^", "{")) else f"/{prefix}"
    return f"{start.removesuffix('/')}/{address.removeprefix('^').removeprefix('/')}" if address else start
