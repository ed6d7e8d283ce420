"""The coderag.toml files whose access rules hold for a root: those above it, its own, and those inside it.

A path is for callers who meet the rules of every parent folder, whichever of these folders is given as the
root. So the rules of a root are those of its own coderag.toml, of each one above it, up to the top of the file
system, and of each one in a folder inside it. Globs are relative to the folder that their file is in.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from posixpath import dirname, normpath

from coderag.errors import SettingsError
from coderag.files.absent import ABSENT
from coderag.files.root_file import read_root_file
from coderag.record import record
from coderag.sql.settings import SETTINGS_FILES, AccessRule, parse_access_rules

__all__ = ["OWN", "RuleFile", "is_above", "rule_files", "rule_times"]

OWN = SETTINGS_FILES[0]  # the path of a root's own file
ABOVE = "../"
# Without any of these in it, a text holds no access rules, and needs no parser.
SIGNS = (b"access", b"\\", b"\0")
NOBODY = AccessRule(groups=(), paths=("*",))
REMEMBERED = 256  # texts of rule files


@record
class RuleFile:
    """The access rules of one coderag.toml, as they hold for a root."""

    path: str  # from the root: "coderag.toml", "../../coderag.toml", "lib/coderag.toml"
    rules: tuple[AccessRule, ...] = ()
    names: tuple[str, ...] = ()  # which `repositories` name what lies below the file, as far as it is in the root
    lead: str = ""  # from the folder of a file above the root to the root
    problem: str = ""  # why its rules are not known

    @property
    def folder(self) -> str:
        """The folder inside the root that the rules are confined to, "" for all of the root."""
        return "" if is_above(self.path) else dirname(self.path)

    def inner(self, path: str) -> str | None:
        """Return a path from the root, which may lead out of it, as one from the folder of this file.

        None if it is outside of that folder.
        """
        full_path = f"{self.lead}/{path}" if self.lead else path
        if is_above(path):
            full_path = normpath(full_path)
        if self.folder:
            inside = f"{self.folder}/"
            return full_path[len(inside) :] if full_path.startswith(inside) else None
        return None if is_above(full_path) else full_path

    def home(self, root: str) -> Path:
        """Return the folder that this file is in."""
        return Path(os.path.normpath(os.path.join(root, dirname(self.path))))


def is_above(path: str) -> bool:
    """Tell whether a path from a root leads out of it."""
    return path.startswith(ABOVE)


def rule_files(root: Path, folders: Iterable[str], *, repository: str) -> tuple[RuleFile, ...]:
    """Return the rule files that hold for a root as they are now, those without any rules left out.

    `folders` are those inside that are read, `repository` is what the root is called. A file that cannot be read says
    so in `problem`; one inside the root hides its folder then.
    """
    files = (_rule_file(root, path, repository) for path in _candidates(str(root), folders))
    return tuple(rule_file for rule_file in files if rule_file is not None and (rule_file.rules or rule_file.problem))


def rule_times(root: str, folders: Iterable[str], *, above: bool) -> dict[str, int]:
    """Return when the rule files in some folders of a root changed, and with `above` those above it.

    One that might come above the root has the time ABSENT; one that comes inside changes the time of its folder.
    """
    times: dict[str, int] = {}
    for path in _candidates(root, folders, above=above):
        try:
            times[path] = os.stat(os.path.join(root, path)).st_mtime_ns
        except (FileNotFoundError, NotADirectoryError):
            if is_above(path):
                times[path] = ABSENT
        except OSError:
            continue  # rules that nobody may read are an error where they are asked for
    return times


def _candidates(root: str, folders: Iterable[str], *, above: bool = True) -> Iterator[str]:
    """Yield the paths from a root that its rule files may have; those inside it only where there is something."""
    if above:
        yield from (ABOVE * depth + OWN for depth in range(len(Path(root).parts) - 1, 0, -1))
        yield OWN
    # Half as dear as to open what is missing; of folders that may not be looked into, the index keeps the rules.
    for folder in filter(None, folders):
        path = f"{folder}/{OWN}"
        if os.access(f"{root}/{path}", os.F_OK):
            yield path


def _rule_file(root: Path, path: str, repository: str) -> RuleFile | None:
    rules: tuple[AccessRule, ...] = ()
    try:
        rules, problem = _parsed(_content(os.path.join(root, path)))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        problem = f"cannot be read: {error.strerror}"
    depth = path.count(ABOVE)
    if not depth and problem and path != OWN:
        rules = (NOBODY,)
    own = {root.name, repository} if path == OWN else {Path(path).parent.name}
    around = root.parts[len(root.parts) - 1 - depth :] if depth else ()
    return RuleFile(
        path,
        rules,
        names=tuple(sorted({*around, repository} if depth else own)),
        lead="/".join(around[1:]),
        problem=problem,
    )


def _content(path: str) -> bytes:
    """Return the content of a file of settings; raises OSError."""
    os.lstat(path)  # most are not there, and what reads one looks at every folder on the way
    return read_root_file(dirname(path), OWN)


@lru_cache(maxsize=REMEMBERED)
def _parsed(raw: bytes) -> tuple[tuple[AccessRule, ...], str]:
    """Return the rules in the text of a file, and why they are not known."""
    try:
        text = raw.decode("utf-8")
        if not any(sign in raw for sign in SIGNS):
            return (), ""
        import tomllib  # most callers have no file that needs it

        return parse_access_rules(tomllib.loads(text), OWN), ""
    except SettingsError as error:
        return (), str(error).removeprefix(f"{OWN}: ")
    except ValueError as error:
        return (), f"no valid TOML: {error}"
