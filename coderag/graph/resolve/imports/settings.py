"""Settings of JavaScript projects that say what an import means: tsconfig.json and package.json."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from coderag.graph.resolve.imports.tree import ModuleTree, join, outer

__all__ = ["Package", "PathRules", "Patterns", "package_settings", "path_rules"]

MAX_EXTENDS = 8  # settings that go on in other files
MAIN_FIELDS = ("source", "types", "typings", "module", "main", "browser", "svelte")
CONDITIONS = ("source", "types", "import", "module", "default", "require", "node", "browser", "development", "svelte")
MAX_DEPTH = 6  # of conditions within conditions
MAX_PATTERNS = 1000  # with a "*", in one file: each import of the project is compared with all of them
MAX_TARGETS = 32  # that one pattern stands for


class Patterns:
    """Names to the paths that they stand for: whole names, and patterns with a "*" such as "@app/*"."""

    def __init__(self, table: Mapping[str, Sequence[str]]) -> None:
        """Take paths by pattern, with a "*" where what it stood for goes."""
        self._whole = {pattern: tuple(targets[:MAX_TARGETS]) for pattern, targets in table.items()}
        split = [(*pattern.partition("*")[::2], pattern) for pattern in table if "*" in pattern]
        split.sort(key=lambda one: (-len(one[0]), one[2]))
        self._partly = [(before, after, self._whole[pattern]) for before, after, pattern in split[:MAX_PATTERNS]]

    def __bool__(self) -> bool:
        """Tell whether there is any."""
        return bool(self._whole)

    def fitting(self, name: str) -> Iterator[str]:
        """Yield what the patterns that fit a name make of it, the longest pattern first."""
        if "*" not in name:
            yield from self._whole.get(name, ())
        for before, after, targets in self._partly:
            if name.startswith(before) and name.endswith(after) and len(name) >= len(before) + len(after):
                middle = name[len(before) : len(name) - len(after)]
                yield from (target.replace("*", middle, 1) for target in targets)


NO_PATTERNS = Patterns({})


class PathRules(NamedTuple):
    """What names stand for paths, from a tsconfig.json: patterns, and the folder of the rest."""

    patterns: Patterns = NO_PATTERNS  # "@app/*" -> paths below the root
    base: str | None = None


class Package(NamedTuple):
    """A package.json: its folder, its name, the paths that its main module and its subpaths stand for."""

    folder: str
    name: str
    mains: tuple[str, ...]
    exports: Patterns = NO_PATTERNS  # "./feature/*" -> paths relative to the folder
    imports: Patterns = NO_PATTERNS  # "#db"


def path_rules(tree: ModuleTree, folder: str) -> PathRules | None:
    """Return the rules of a folder's tsconfig.json or jsconfig.json, None when it has none."""
    for name in ("tsconfig.json", "jsconfig.json"):
        path = f"{folder}/{name}" if folder else name
        if text := tree.read_text(path):
            return _rules(tree, path, text)
    return None


def _rules(tree: ModuleTree, path: str, text: str) -> PathRules:
    patterns: dict[str, tuple[str, ...]] | None = None
    base: str | None = None
    waiting = [(path, text)]
    for _ in range(MAX_EXTENDS):
        if not waiting:
            break
        path, text = waiting.pop(0)
        settings = _object(text)
        options = settings.get("compilerOptions")
        options = options if isinstance(options, dict) else {}
        said = options.get("baseUrl")
        here = join(outer(path), said) if isinstance(said, str) else None
        base = base if base is not None else here
        paths = options.get("paths")
        if patterns is None and isinstance(paths, dict):
            root = here if here is not None else outer(path)
            patterns = {key: _joined(root, value) for key, value in paths.items() if isinstance(value, list)}
        for more in _texts(settings.get("extends"))[:MAX_EXTENDS]:
            target = join(outer(path), more if more.endswith(".json") else f"{more}.json")
            if more.startswith(".") and target is not None and (inherited := tree.read_text(target)):
                waiting.append((target, inherited))
    return PathRules(Patterns(patterns or {}), base)


def package_settings(tree: ModuleTree, folder: str) -> Package | None:
    """Return what a folder's package.json says, None when it has none or no name."""
    text = tree.read_text(f"{folder}/package.json" if folder else "package.json")
    if not text:
        return None
    settings = _object(text)
    name = settings.get("name")
    mains = tuple(one for field in MAIN_FIELDS if isinstance(one := settings.get(field), str))
    exports, imports = settings.get("exports"), settings.get("imports")
    if isinstance(exports, dict) and not any(key.startswith(".") for key in exports):
        exports = {".": exports}
    if isinstance(exports, str):
        exports = {".": exports}
    return Package(folder, name if isinstance(name, str) else "", mains, _targets(exports), _targets(imports))


def _targets(table: object) -> Patterns:
    if not isinstance(table, dict):
        return NO_PATTERNS
    return Patterns({key: tuple(dict.fromkeys(_conditions(value, MAX_DEPTH))) for key, value in table.items()})


def _conditions(value: object, depth: int) -> list[str]:
    if isinstance(value, str):
        return [value]
    if depth == 0:
        return []
    if isinstance(value, list):
        return [path for one in value for path in _conditions(one, depth - 1)]
    if not isinstance(value, dict):
        return []
    known = [key for key in CONDITIONS if key in value] + [key for key in value if key not in CONDITIONS]
    return [path for key in known for path in _conditions(value[key], depth - 1)]


def _joined(root: str, values: list[Any]) -> tuple[str, ...]:
    joined = (join(root, value) for value in values if isinstance(value, str))
    return tuple(one for one in joined if one is not None)


def _texts(value: object) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [one for one in values if isinstance(one, str)]


def _object(text: str) -> dict[str, Any]:
    """Return an object of JSON, comments and trailing commas allowed; {} for anything else."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        try:
            found = json.loads(_plain(text))
        except (ValueError, RecursionError):
            return {}
    return found if isinstance(found, dict) else {}


def _plain(text: str) -> str:
    """Return JSON without its comments and trailing commas."""
    out: list[str] = []
    at, size = 0, len(text)
    while at < size:
        sign = text[at]
        if sign == '"':
            end = at + 1
            while end < size and text[end] != '"':
                end += 2 if text[end] == "\\" else 1
            out.append(text[at : end + 1])
            at = end + 1
        elif text.startswith("//", at):
            end = text.find("\n", at)
            at = size if end < 0 else end
        elif text.startswith("/*", at):
            end = text.find("*/", at + 2)
            at = size if end < 0 else end + 2
        else:
            if sign in "]}" and out and (last := _last_sign(out)) >= 0:
                out[last] = ""
            out.append(sign)
            at += 1
    return "".join(out).lstrip("\ufeff")


def _last_sign(out: list[str]) -> int:
    """Return where the last sign that is no white space stands if it is a comma, else -1."""
    at = len(out) - 1
    while at >= 0 and not out[at].strip():
        at -= 1
    return at if at >= 0 and out[at] == "," else -1
