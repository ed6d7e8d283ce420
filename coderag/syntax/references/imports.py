"""Matches of imports to what they make known."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from coderag.syntax.lines import Lines
from coderag.syntax.link_captures import Nodes
from coderag.syntax.references.records import Imported

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["plain_text", "read_imports"]

MAX_NAME_BYTES = 1000  # longer than any path; a literal of data may stand where a name is expected
MAX_GROUPS = 20  # braces within braces
MAX_PARTS = 2000  # of one path with groups
STRING_SIGNS = "\"'`"
STRING_PREFIX = re.compile(r"""^(?:[A-Za-z@$]{1,2}|:)?(?=["'`])""")
VERSION = re.compile(r"v\d+")
PATH_VERSION = re.compile(r"\.v\d+$")
PIECE = re.compile(r"[{}(),]|(?:=>|\bas\b|\s=\s)|[^\s{}(),=]+|\s+|=")
PATH_END = re.compile(r"(?:\.|::|\\|/)$")
LAST = re.compile(r"[^.:\\/]+$")
RENAMED = frozenset({"as", "=>"})
STARS = frozenset({"*", "_", "given"})
KEYWORDS = frozenset({"static", "type", "function", "const", "mod", "crate_type", "import", "export", "use", "using"})


def plain_text(raw: bytes) -> str:
    """Return a name or string as it is written, without quotes."""
    return _without_quotes(raw[:MAX_NAME_BYTES])


@lru_cache(maxsize=1024)
def _without_quotes(raw: bytes) -> str:
    text = raw.decode("utf-8", "replace").strip()
    if text.isidentifier():
        return text
    return STRING_PREFIX.sub("", text).strip(STRING_SIGNS)


def read_imports(lines: Lines, matches: Iterable[Nodes], owner: Callable[[int], int]) -> list[Imported]:
    """Return what imports make known, in order and each once; `owner` tells the definition around a byte."""
    found: dict[tuple[object, ...], Imported] = {}
    for nodes in matches:
        node = (nodes.get("module") or nodes["use"])[0]
        row, around = node.start_point[0], owner(node.start_byte)
        exported = "exported" in nodes
        if "use" in nodes:
            text = lines.text_of(node.start_byte, min(node.end_byte, node.start_byte + 20 * MAX_NAME_BYTES))
            for module, name, alias in _paths(text):
                imported = Imported(row, around, module, name, alias, exported)
                found.setdefault(imported[1:], imported)
            continue
        module, name, alias = _plain(lines.data, nodes)
        imported = Imported(row, around, module, name, alias, exported)
        found.setdefault(imported[1:], imported)
    return _without_doubles(found.values())


def _plain(data: bytes, nodes: Nodes) -> tuple[str, str, str]:
    module, name, alias = (_text(data, nodes.get(capture)) for capture in ("module", "name", "alias"))
    if not module.isidentifier():
        module = "".join(module.split())  # `from . import x` may be written with space
    if "relative" in nodes and not module.startswith("."):
        module = f"./{module.lstrip('/')}"
    if "default" in nodes:
        return module, "default", alias
    if "all" in nodes:
        return module, "*", ""
    if alias and "/" in alias:
        alias = _last_of_path(alias)
    return module, name, alias or name


def _text(data: bytes, nodes: Sequence[Node] | None) -> str:
    return plain_text(data[nodes[0].start_byte : nodes[0].end_byte]) if nodes else ""


def _last_of_path(path: str) -> str:
    """Return the name by which a path is known: its last part, or the one before a version."""
    parts = path.rstrip("/").split("/")
    last = parts[-2] if len(parts) > 1 and VERSION.fullmatch(parts[-1]) else parts[-1]
    return PATH_VERSION.sub("", last)


def _without_doubles(found: Iterable[Imported]) -> list[Imported]:
    """Leave out what another import of the row says more of: patterns may see one with and without its alias."""
    every = list(found)
    renamed = {
        (imported.row, imported.owner, imported.module, imported.name)
        for imported in every
        if imported.alias and imported.alias != imported.name
    }
    binding = {(imported.row, imported.owner, imported.module) for imported in every if imported.alias or imported.name}
    kept = []
    for imported in every:
        key = imported.row, imported.owner, imported.module
        if not imported.alias and not imported.name and key in binding:
            continue
        if imported.alias == imported.name and imported.name and (*key, imported.name) in renamed:
            continue
        kept.append(imported)
    return kept


def _paths(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield (module, name, alias) of an import that is written as a path, with or without groups."""
    prefixes = [""]
    path, alias, renames = "", "", False
    for count, piece in enumerate(PIECE.findall(text)):
        if count > MAX_PARTS:
            break
        if piece in "{(":
            if len(prefixes) > MAX_GROUPS:
                break
            prefixes.append(prefixes[-1] + path)
            path, alias, renames = "", "", False
        elif piece in {",", "}", ")"}:
            yield from _path(prefixes[-1], path, alias)
            path, alias, renames = "", "", False
            if piece != "," and len(prefixes) > 1:
                prefixes.pop()
        elif piece in RENAMED:
            renames = True
        elif not piece.isspace():
            if renames:
                alias = piece
            elif piece not in KEYWORDS:
                path += piece
    yield from _path(prefixes[-1], path, alias)


def _path(prefix: str, path: str, alias: str) -> Iterator[tuple[str, str, str]]:
    if not path:
        return
    if path == "self":
        module = PATH_END.sub("", prefix)
    elif path in STARS or ((star := LAST.search(path)) is not None and star[0] in STARS):
        module = PATH_END.sub("", prefix + (path if path not in STARS else "").rstrip("*_"))
        yield module, "*", ""
        return
    else:
        module = prefix + path
    module = module.strip("\"';")
    if not module:
        return
    last = LAST.search(module)
    name = alias or (last[0] if last is not None else module)
    yield module, "", "" if name == "_" else name
