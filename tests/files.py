"""Small repositories on disk, and what an index answers about them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path

from coderag import Index
from coderag.index.index_path import IndexPath
from coderag.index.manifest import MANIFEST
from coderag.index.sealed import write_sealed

__all__ = ["REPOSITORY", "SHOP", "Answer", "answers", "copy_shop", "index_file", "sign_manifest", "write"]

REPOSITORY = Path(__file__).resolve().parents[1]
SHOP = REPOSITORY / "fixtures/shop"
QUESTIONS = (
    "where are failed payments retried?",
    "PaymentRetrier.retry_failed",
    "reserve stock when an order is placed",
    "money rounding",
    "test that a coupon expires",
    "restore a backup",
    "send an email to the customer",
    "schema of the orders table",
)

Answer = tuple[str, str, str, int, int, float]


def write(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files below a root, folders included, and return the root."""
    for path, data in files.items():
        full = root / path
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_bytes(data if isinstance(data, bytes) else data.encode())
    return root


def index_file(path: Path) -> IndexPath:
    """Return a file as one of an index folder."""
    return IndexPath(path.parent, (path.name,))


def sign_manifest(folder: Path, table: Mapping[str, object]) -> None:
    """Make a table the manifest of an index, as if this user had written it."""
    write_sealed(index_file(folder / MANIFEST), "manifest", json.dumps(table, separators=(",", ":")).encode())


def copy_shop(root: Path) -> Path:
    """Copy the example application."""
    shutil.copytree(SHOP, root, ignore=shutil.ignore_patterns(".coderag"))
    return root


def answers(index: Index) -> list[list[Answer]]:
    """Return the hits of some questions: id, path, name, lines, and score."""
    return [
        [
            (
                hit.chunk.id,
                hit.chunk.path,
                hit.chunk.qualified_name,
                hit.chunk.span.start_line,
                hit.chunk.span.end_line,
                hit.score,
            )
            for hit in index.search(question, k=8)
        ]
        for question in QUESTIONS
    ]
