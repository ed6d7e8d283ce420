"""Roots and what copies report of themselves, to JSON and back."""

from __future__ import annotations

import json
import socket
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coderag.api.roots import Root
from coderag.index.storage.folder.index_path import IndexPath

__all__ = ["Answered", "decode_answered", "decode_roots", "encode_answered", "encode_roots", "send_report"]


@dataclass(frozen=True, slots=True)
class Answered:
    """What a copy tells the process that keeps indexes when it has answered, or updated one."""

    roots: tuple[tuple[Root, ...], ...] = ()  # of which it opened an index
    is_asked: bool = True  # whether somebody asked these; else their files changed
    modules: tuple[str, ...] = ()  # that it had to import


def encode_roots(roots: Sequence[Root]) -> list[dict[str, Any]]:
    """Return roots as JSON has them."""
    return [
        {
            "root": str(root.root),
            "folder": _encode_path(root.folder),
            "repository": root.repository,
            "index": None if root.index is None else str(root.index),
            "untrusted": None if root.untrusted is None else _encode_path(root.untrusted),
        }
        for root in roots
    ]


def decode_roots(table: Sequence[dict[str, Any]]) -> tuple[Root, ...]:
    """Return what encode_roots was given."""
    return tuple(
        Root(
            Path(one["root"]),
            _decode_path(one["folder"]),
            one["repository"],
            index=None if one["index"] is None else Path(one["index"]),
            untrusted=None if one["untrusted"] is None else _decode_path(one["untrusted"]),
        )
        for one in table
    )


def send_report(reports: socket.socket, answered: Answered) -> None:
    """Tell the helper what a copy did; where it is busy it learns from the next report."""
    with suppress(OSError):
        reports.send(encode_answered(answered), socket.MSG_DONTWAIT)


def encode_answered(answered: Answered) -> bytes:
    """Return a report as bytes."""
    table = {
        "roots": [encode_roots(roots) for roots in answered.roots],
        "is_asked": answered.is_asked,
        "modules": answered.modules,
    }
    return json.dumps(table).encode()


def decode_answered(data: bytes) -> Answered:
    """Return what encode_answered was given."""
    table = json.loads(data)
    roots = tuple(decode_roots(one) for one in table["roots"])
    return Answered(roots, bool(table["is_asked"]), tuple(table["modules"]))


def _encode_path(path: IndexPath) -> list[str]:
    return [str(path.base), *path.names]


def _decode_path(parts: Sequence[str]) -> IndexPath:
    return IndexPath(Path(parts[0]), tuple(parts[1:]))
