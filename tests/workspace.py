"""Small repositories on disk, and what an index answers about them."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from coderag import Index
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.folder.sealed import write_sealed
from coderag.index.storage.listing import clock_ns
from coderag.index.storage.manifest import MANIFEST

__all__ = [
    "NEEDING",
    "REPOSITORY",
    "SHOP",
    "Answer",
    "answers",
    "copy_indexed",
    "copy_shop",
    "index_file",
    "let_clock_tick",
    "place",
    "sign_manifest",
    "write",
]

REPOSITORY = Path(__file__).resolve().parents[1]
SHOP = REPOSITORY / "fixtures/shop"
# Modules that cannot be imported without the package of another project, which the extra dev does not install.
NEEDING = {
    "coderag.adapters.haystack": "haystack",
    "coderag.adapters.langchain": "langchain_core",
    "coderag.adapters.llama_index": "llama_index",
    "coderag.index.workers.ray_executor": "ray",
    "coderag.stores.milvus": "pymilvus",
    "coderag.stores.postgres": "psycopg",
}
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


def place(path: Path, text: str) -> None:
    """Let a file be there with all of its text at once: whoever watches never sees it empty."""
    with tempfile.TemporaryDirectory(dir=path.parents[2]) as beside:
        written = Path(beside) / path.name
        written.write_text(text)
        written.replace(path)


def let_clock_tick() -> None:
    """Wait until what was written so far is older than what is written, and looked at, from now on."""
    with tempfile.TemporaryFile() as probe:
        written = os.fstat(probe.fileno()).st_mtime_ns
    while clock_ns() <= written:
        time.sleep(0.001)


def copy_shop(root: Path) -> Path:
    """Copy the example application."""
    shutil.copytree(SHOP, root, ignore=shutil.ignore_patterns(".coderag"))
    return root


def copy_indexed(root: Path, to: Path) -> Path:
    """Copy a repository with its index, as current in the copy: that takes a tenth of the time of indexing it."""
    shutil.copytree(root, to, symlinks=True)
    with Index.open(to) as index:
        index.update(workers=0)
    return to


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
