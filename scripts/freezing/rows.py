"""Records of any kind to lines of JSON, and these to files with a digest."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

__all__ = ["DIGEST", "Row", "digest", "plain", "write_digests", "write_rows"]

DIGEST = "digest.txt"
DIGEST_LETTERS = 16  # of a SHA-256 within a record: 64 bits
# When a file was changed: it says something of the checkout, and nothing of what is in it.
MODIFIED = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+]00:00|(?<=file changed )\d{4}-\d\d-\d\d")


@dataclass(frozen=True, slots=True)
class Row:
    """A line: what it is about, by which the lines of two files are paired, and what is known of it."""

    identity: str
    content: tuple[Any, ...]


def plain(value: Any, *, digits: int | None = 6) -> Any:
    """Return a value as JSON has it, floats rounded, or left out where `digits` is None.

    The fields of a record are a list in their order: that a field has another name is no other knowledge. A record of
    a tagged union begins with its tag.
    """
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, float):
        return None if digits is None else round(value, digits) + 0.0  # no -0.0
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, Mapping):
        return {str(key): plain(one, digits=digits) for key, one in value.items()}
    if isinstance(value, set | frozenset):
        return sorted((plain(one, digits=digits) for one in value), key=json.dumps)
    if isinstance(value, msgspec.Struct):
        tag = value.__struct_config__.tag
        values = [getattr(value, name) for name in value.__struct_fields__]
        return plain([tag, *values] if tag is not None else values, digits=digits)
    if is_dataclass(value) and not isinstance(value, type):
        return [plain(getattr(value, field.name), digits=digits) for field in fields(value)]
    if isinstance(value, list | tuple):
        return [plain(one, digits=digits) for one in value]
    return MODIFIED.sub("<modified>", str(value)) if isinstance(value, str | Path) else value


def digest(data: bytes | str) -> str:
    """Return a short hash of some bytes, or of a text as UTF-8."""
    content = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    return sha256(content).hexdigest()[:DIGEST_LETTERS]


def write_rows(path: Path, rows: Iterable[Row], *, digits: int | None = 6) -> None:
    """Write rows as lines of JSON, sorted by what they are about."""
    lines = [(row.identity, json.dumps([row.identity, *plain(row.content, digits=digits)])) for row in rows]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for _, line in sorted(lines)), encoding="ascii")


def write_digests(folder: Path) -> None:
    """Write the SHA-256 of each file of rows below a folder."""
    files = sorted(path.relative_to(folder).as_posix() for path in folder.glob("*/*.jsonl"))
    lines = [f"{sha256((folder / name).read_bytes()).hexdigest()}  {name}\n" for name in files]
    (folder / DIGEST).write_text("".join(lines), encoding="utf-8")
