"""A target and the filters of a command to where the target is looked up: which of the things of its name are meant."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from coderag.api.index import Index
from coderag.cli.filters import Filters
from coderag.cli.opening import note
from coderag.cli.output.locations import locations_text
from coderag.graph.queries.locations import Location
from coderag.limits import GLOBS
from coderag.types import TestPolicy

__all__ = ["Target", "chosen_pair", "chosen_target"]

GLOB_SIGNS = re.compile(r"([\[*?\\])")


@dataclass(frozen=True, slots=True)
class Target:
    """A target as the library looks it up."""

    name: str
    kinds: tuple[str, ...]
    paths: tuple[str, ...]  # globs


def chosen_target(index: Index, name: str, filters: Filters) -> Target | None:
    """Return the target that a name and filters mean; None, and a note, where the filters leave nothing of the name.

    Kinds and paths the library compares itself; what else is asked is compared with all that has the name.
    """
    target = Target(name, filters.kinds, filters.paths)
    if not filters.beyond_names:
        return target
    meanings = index.meanings(name, kinds=target.kinds, paths=target.paths)
    known = (*meanings.chosen, *meanings.others)
    meets = _test_of(index, filters)
    chosen = [location for location in known if meets(location)]
    if len(chosen) == len(known):  # also where nothing has the name, which the command says
        return target
    if not chosen:
        note(f"nothing named {name!r} meets these conditions; there is {locations_text(known)}")
        return None
    databases = {location.database for location in chosen}
    if len(databases) == 1 and (database := databases.pop()) and not name.startswith(f"{database}:"):
        name = f"{database}:{name}"
    if not all(location.path for location in chosen):  # known from a database alone
        return Target(name, target.kinds, target.paths)
    paths = tuple(dict.fromkeys(_exact_glob(location.path) for location in chosen))
    return Target(name, target.kinds, paths[: int(GLOBS.most)])


def chosen_pair(index: Index, names: tuple[str, str], filters: Filters) -> tuple[Target, Target] | None:
    """Return two targets that are looked up under the same kinds and paths; None, as for one."""
    first, second = (chosen_target(index, name, filters) for name in names)
    if first is None or second is None:
        return None
    if first.paths != second.paths:
        globs = dict.fromkeys(glob for one in (first, second) for glob in _globs_of(index, one, filters))
        paths = tuple(globs)[: int(GLOBS.most)]
        first, second = replace(first, paths=paths), replace(second, paths=paths)
    return first, second


def _globs_of(index: Index, target: Target, filters: Filters) -> Sequence[str]:
    """Return the files of all that a target means, as globs."""
    if target.paths != filters.paths:
        return target.paths
    meanings = index.meanings(target.name, kinds=target.kinds, paths=target.paths)
    return [_exact_glob(location.path) for location in (*meanings.chosen, *meanings.others) if location.path]


def _test_of(index: Index, filters: Filters) -> Callable[[Location], bool]:
    """Return whether a thing of the graph meets the conditions on its file and database."""
    files = {path for _, path in filters.files(index) or ()}
    databases = {name.casefold() for name in filters.databases}
    if len(index.roots) > 1:  # then the names of databases begin with that of their repository
        prefixes = [f"{root.repository.casefold()}/" for root in index.roots]
        databases |= {name.removeprefix(prefix) for name in databases for prefix in prefixes}
    by_file = bool(filters.languages or filters.databases)

    def meets(location: Location) -> bool:
        if filters.tests is TestPolicy.EXCLUDE and "test" in location.labels:
            return False
        if location.database and databases and location.database.casefold() not in databases:
            return False
        return not by_file or location.path in files or bool(location.database and not filters.languages)

    return meets


def _exact_glob(path: str) -> str:
    return "/" + GLOB_SIGNS.sub(r"[\1]", path)
