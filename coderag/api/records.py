"""Records as JSON: the same fields, enums as their words, sets as sorted lists."""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from coderag.types import Hit, Symbol

__all__ = ["hit_record", "json_line", "plain", "symbol_record"]


def plain(value: Any) -> Any:
    """Return a value as JSON has it."""
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, frozenset | set):
        return sorted(map(plain, value))
    if isinstance(value, list | tuple):
        return list(map(plain, value))
    return str(value) if isinstance(value, str | Path) else value


def json_line(value: Any) -> str:
    """Return a value on one line of ASCII; file names of bytes that are not UTF-8 survive as lone surrogates."""
    return json.dumps(plain(value))


def hit_record(hit: Hit, *, whole: bool) -> dict[str, Any]:
    """Return a hit as it is printed; with `whole`, with its text."""
    chunk = hit.chunk
    record = {
        "path": chunk.path,
        "start_line": chunk.span.start_line,
        "end_line": chunk.span.end_line,
        "kind": chunk.kind,
        "name": chunk.name,
        "qualified_name": chunk.qualified_name,
        "language": chunk.language,
        "score": hit.score,
        "confidence": hit.confidence,
        "parts": dict(hit.parts),
        "signature": chunk.signature,
        "doc": chunk.doc,
        "lines": hit.lines,
        "reasons": hit.reasons,
        "also": hit.also,
        "expanded_from": hit.expanded_from,
        "relations": [plain(relation) for relation in hit.relations],
        "related": hit.related,
        "repository": chunk.repository,
    }
    if hit.matches:
        record["matches"] = [plain(match) for match in hit.matches]
    return record | {"text": chunk.text, "members": chunk.members} if whole else record


def symbol_record(symbol: Symbol, **more: Any) -> dict[str, Any]:
    """Return a definition as it is printed."""
    return {
        "path": symbol.path,
        "start_line": symbol.span.start_line,
        "end_line": symbol.span.end_line,
        "kind": symbol.kind,
        "name": symbol.name,
        "qualified_name": symbol.qualified_name,
        "signature": symbol.signature,
        "doc": symbol.doc,
        "repository": symbol.repository,
        **more,
    }
