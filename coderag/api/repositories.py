"""A list of repositories, as somebody writes it in TOML, to their roots.

[[repository]]
path = "../shop"                        # a folder, from the folder of the list
[[repository]]
git = "https://host/owner/name"
branch = "main"                         # or a tag; the default is what the repository checks out by itself
groups = ["payments"]                   # the callers who may see it; without it, everybody

Who may see a folder, the `coderag.toml` in it says. A clone gets one beside its work tree, above the root, where
nothing of the repository can be in its way.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from contextlib import suppress
from pathlib import Path
from typing import Any

from coderag.api.clones import ClonePlace
from coderag.api.remote_roots import Fetch, Telling, cloned_root
from coderag.errors import RootError, SettingsError
from coderag.files.git_address import GitAddress, is_git_address, parse_git_address
from coderag.files.walk import read_start
from coderag.limits import NAME, ROOTS, fault_of_text
from coderag.record import record

__all__ = ["ListedRepository", "is_cloned", "read_repositories"]

MOST_BYTES = 4 << 20  # of a list
KEYS = frozenset({"path", "git", "branch", "groups"})
GROUP = re.compile(r"[^\s,\x00-\x1f\x7f][^,\x00-\x1f\x7f]{0,127}")
RULES = "coderag.toml"
BY_US = "# Written by coderag from a list of repositories.\n"


@record
class ListedRepository:
    """A repository of a list: a folder, or an address of git."""

    folder: str = ""
    address: GitAddress | None = None
    groups: tuple[str, ...] | None = None  # None: whoever may see the folder

    def __str__(self) -> str:
        return self.folder if self.address is None else str(self.address)

    def root(self, fetching: Fetch, telling: Telling | None = None) -> Path:
        """Return the folder of the files, cloned or fetched; raises RootError, CloneError and OSError."""
        if self.address is None:
            return Path(self.folder)
        tree = cloned_root(self.address, fetching=fetching, telling=telling)
        if fetching is not Fetch.NEVER:
            _write_rule(tree.parent / RULES, self.groups)
        return tree


def is_cloned(listed: ListedRepository) -> bool:
    """Tell whether the files of a repository are on this machine, where they can be."""
    return listed.address is None or ClonePlace.of(listed.address).tree.is_dir()


def read_repositories(path: str | os.PathLike[str]) -> list[ListedRepository]:
    """Return the repositories of a list in its order; raises SettingsError and RootError, which say where."""
    where = Path(path)
    try:
        data = read_start(str(where), MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise SettingsError(f"{where} is larger than {MOST_BYTES:,} bytes")
        stored = tomllib.loads(data.decode())
    except OSError as error:
        raise SettingsError(f"{where} cannot be read: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise SettingsError(f"{where} is not TOML: {error}") from error
    rows = stored.pop("repository", None)
    if stored or not isinstance(rows, list) or not rows:
        raise SettingsError(f'{where} is no list of repositories; give each a table "[[repository]]", and nothing else')
    if len(rows) > ROOTS.most:
        raise SettingsError(f"{where} has {len(rows):,} repositories; a list has at most {ROOTS.most:,}")
    repositories = [_repository(row, where, number) for number, row in enumerate(rows, 1)]
    first_numbers: dict[str, int] = {}
    for number, repository in enumerate(repositories, 1):
        first = first_numbers.setdefault(str(repository), number)
        if first != number:
            raise SettingsError(f"{where}: repositories {first} and {number} are both {repository}")
    return repositories


def _repository(row: Any, where: Path, number: int) -> ListedRepository:
    def fault(what: str) -> SettingsError:
        return SettingsError(f"{where}: repository {number} {what}")

    if not isinstance(row, dict) or (unknown := sorted(row.keys() - KEYS)):
        raise fault(f"has the unknown key {unknown[0]!r}; known are {', '.join(sorted(KEYS))}")
    texts = {name: row[name] for name in ("path", "git", "branch") if name in row}
    for name, text in texts.items():
        if not isinstance(text, str) or not text or "\0" in text or fault_of_text(NAME, text):
            raise fault(f"has a {name} that is none")
    groups = row.get("groups")
    if groups is not None and not (isinstance(groups, list) and all(map(_is_group, groups))):
        raise fault("has groups that are no list of names without commas")
    if ("path" in row) == ("git" in row):
        raise fault('needs either "path" or "git"')
    if "git" in row:
        return ListedRepository(address=_address(texts, fault), groups=None if groups is None else tuple(groups))
    if "branch" in row:
        raise fault('has a path and a branch; give "git" to clone a branch, such as git = "file:///srv/repository"')
    if groups is not None:
        raise fault("has a path and groups; write [[access]] rules into the coderag.toml of that folder")
    if is_git_address(texts["path"]):
        raise fault('has an address as its path; write it as "git"')
    return ListedRepository(folder=os.path.normpath(os.path.join(where.absolute().parent, texts["path"])))


def _is_group(name: object) -> bool:
    return isinstance(name, str) and GROUP.fullmatch(name) is not None


def _address(texts: dict[str, str], fault: Any) -> GitAddress:
    written = f"{texts['git']}@{texts['branch']}" if "branch" in texts else texts["git"]
    if not is_git_address(texts["git"]):
        raise fault("has no address of git; give https://, ssh://, file:/// or git@host:owner/name")
    try:
        address = parse_git_address(written)
    except RootError as error:
        raise fault(f"cannot be cloned: {error}") from error
    if "branch" in texts and address.revision != texts["branch"]:
        raise fault("names a revision twice, behind @ and as its branch")
    return address


def _write_rule(path: Path, groups: tuple[str, ...] | None) -> None:
    """Write who may see a clone beside its work tree; a file that somebody else wrote there stays."""
    written = ""
    with suppress(FileNotFoundError):
        written = path.read_text()
    if written and not written.startswith(BY_US):
        return
    if groups is None:
        path.unlink(missing_ok=True)
        return
    # A list of texts in JSON is one in TOML.
    rule = f'{BY_US}[[access]]\npaths = ["**"]\ngroups = {json.dumps(groups)}\n'
    if rule != written:
        fresh = path.with_name(f"{RULES}.new")
        fresh.write_text(rule)
        fresh.replace(path)
