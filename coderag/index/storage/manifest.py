"""The manifest of an index: which segments it has, what wrote them, and what was left out.

An index folder holds

    manifest.json         this; replaced by a rename, so a reader sees the old index or the new one
    graph-N-X.bin         what calls, reads and writes what (coderag.graph)
    history-N-X.bin       which commits brought which lines (coderag.index.history)
    hnsw-N-X.bin          a graph over the vectors, where one is asked for (coderag.index.storage.vector_graph)
    listing-N-X.bin       what the file system said of the root (coderag.index.storage.listing)
    catalog-N-X.bin       the schema of all files and databases (coderag.index.catalog.catalog)
    databases/            what databases said when they were asked last (coderag.index.storage.database_snapshots)
    views/                graphs of what callers of some groups see (coderag.graph.access_graphs)
    segments/NAME/        immutable (coderag.index.storage.segment)
    merging/              segments that are being made of others (coderag.index.build.merging)
    lock, lock.json       who writes (coderag.index.storage.folder.lock)
    indexing.json         how far a first index is, and indexing.lock (coderag.api.indexing)
    merging.lock          who merges (coderag.index.build.merging)
    graph.lock            who makes the graph (coderag.graph.store)
    history.lock          who reads the history (coderag.index.history.store)
    .gitignore

N counts the manifests, and X is random, as part of NAME is: what a repository brings cannot take the place of a file
whose name nobody knows. The manifest is signed and holds the sums of all other files, but for databases/, whose files
are signed themselves.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any

from coderag.errors import (
    IndexDamagedError,
    IndexFormatError,
    IndexMissingError,
    IndexTooNewError,
)
from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.folder.sealed import Sealed, read_sealed
from coderag.index.storage.folder.signing import Signer
from coderag.index.storage.listing import Listed, read_listing
from coderag.record import record, replaced
from coderag.types import Content

__all__ = [
    "FORMAT",
    "GRAPH_LOCK",
    "HISTORY_LOCK",
    "INDEX_FOLDER",
    "MANIFEST",
    "MANIFEST_BYTES",
    "MERGING",
    "MERGING_LOCK",
    "NO_SUM",
    "OPTIONAL",
    "PURPOSE",
    "SEGMENTS",
    "SEGMENT_NAME",
    "Manifest",
    "SegmentEntry",
    "Sum",
    "accept_away",
    "as_foreign",
    "decode_entry",
    "decode_manifest",
    "generation_of",
    "home_of",
    "is_at_home",
    "listing_of",
    "manifest_stamp",
    "numbered_name",
    "read_manifest",
    "read_sealed_manifest",
    "without_history",
]

# History of the format:
# 1  first
# 2  the facts of files, and the catalog folded from them
# 3  vectors
# 4  stamps of files in the listing instead of the segments, sums of all files in the manifest
# 5  links of files in segments, and the graph
# 6  signed; sums are SHA-256, names are not to be guessed
# 7  arrays packed, signs of vectors in large segments alone
# 8  links of files as columns
FORMAT = 8
INDEX_FOLDER = ".coderag"
MANIFEST = "manifest.json"
SEGMENTS = "segments"
MERGING, MERGING_LOCK, GRAPH_LOCK, HISTORY_LOCK = "merging", "merging.lock", "graph.lock", "history.lock"
PURPOSE = "manifest"  # of the signature
MANIFEST_BYTES = 64 << 20  # at most; a segment takes some hundred, a dead file seven
MOST_GENERATIONS = 10**14  # so that the next ones have a name, too
LATEST_NS = 250_000_000_000 * 10**9  # in the year 9892, which every calendar has
SEGMENT_NAME = re.compile(r"[0-9a-f]{1,20}-[0-9a-f]{1,16}")
SEGMENT_FILE = re.compile(r"arrays\.bin|text\.bin|vectors-[0-9a-f]{1,64}\.bin")
NUMBERED = re.compile(r"(listing|catalog|graph|history|hnsw)-([0-9]{1,15})-[0-9a-f]{16}\.bin")
DIGEST = re.compile(r"[0-9a-f]{64}|")
NO_BYTES = re.compile("[\ud800-\udc7f\udd00-\udfff]")  # halves of pairs that stand for no byte of a name either
KEY = re.compile(r"[0-9a-f]{0,64}")
PORTION = re.compile(r"[0-9]{1,5}/[0-9]{1,5}|")
HOME = re.compile(rb'\{"format":[0-9]+,"home":("(?:[^"\\]|\\.)*"),')

_compared: set[tuple[str, bytes]] = set()  # manifests of indexes that were made elsewhere, and cannot be written

Sum = tuple[int, str]  # the bytes of a file, and their SHA-256
NO_SUM: Sum = (0, "")


@record
class SegmentEntry:
    """A segment as the manifest knows it."""

    name: str
    files: int
    chunks: int
    sums: dict[str, Sum]  # of each of its files
    dead: tuple[int, ...] = ()  # numbers of files that changed or went since
    foreign: bool = False  # whether it was not made by this user on this machine: then no other index may have it


@record
class Manifest:
    """An index as a whole."""

    root: str
    repository: str
    segments: tuple[SegmentEntry, ...] = ()
    listing: str = ""  # name of the listing's file
    listing_sum: Sum = NO_SUM
    contents: tuple[str, ...] = ("code", "docs")
    max_bytes: int = 0
    mask: bool = True  # whether secrets are covered
    version: str = ""  # of coderag
    parts: dict[str, str] = field(default_factory=dict)  # what the content depends on: chunker, tokenizer, languages
    updated_ns: int = 0  # when the files were listed
    seconds: float = 0.0  # the last full build took
    generation: int = 0  # counts the manifests written
    catalog: str = ""  # name of the catalog's file, "" if nothing declares a schema
    catalog_sum: Sum = NO_SUM
    catalog_key: str = ""  # what the catalog was folded from, besides the files
    graph: str = ""  # name of the graph's file, "" if there is none
    graph_sum: Sum = NO_SUM
    graph_key: str = ""  # of what it was made of: the graph may be older than the segments
    graph_ns: int = 0  # when it was made
    graph_seconds: float = 0.0  # making it took
    history: str = ""  # name of the history's file, "" if there is none
    history_sum: Sum = NO_SUM
    history_key: str = ""  # of what it was read of: the commit that it leads to, and how
    with_history: bool = True  # whether a history is kept
    hnsw: str = ""  # name of the file of the graph over the vectors, "" where there is none
    hnsw_sum: Sum = NO_SUM
    portion: str = ""  # "2/4" where only the files of that portion are in the index (coderag.index.build.portion)
    encoder: dict[str, Any] = field(default_factory=dict)  # how to open it (EncoderSpec); {} for the shipped one
    encoder_named: bool = False  # whether the user named it, and no file of the root
    vectors: str = ""  # the key of its identity, which names the files of vectors; "" if there are none
    access: dict[str, Any] = field(
        default_factory=dict
    )  # who may see what (coderag.index.reader.access_control); {}: everybody all


def read_manifest(folder: IndexPath) -> Manifest:
    """Return the manifest of an index.

    Raises IndexMissingError, IndexFormatError when an older version wrote it, IndexTooNewError when a newer one did,
    IndexDamagedError, and IndexUntrustedError when this user did not.
    """
    sealed = read_sealed_manifest(folder)
    manifest = decode_manifest(folder, sealed.checked(folder))
    if not is_at_home(folder, sealed.body) and (str(folder), sealed.body) not in _compared:
        raise IndexDamagedError(f'the index at {folder} was moved there and is not as it was; run "coderag index"')
    if sealed.signer is not Signer.USER:  # of who knows the shared key, any machine may have made it
        manifest = as_foreign(manifest)
    return manifest


def manifest_stamp(folder: IndexPath) -> tuple[int, int, int]:
    """Return what tells the file of a manifest from the one that replaces it, zeros where there is none.

    Raises OSError and IndexUnsafeError.
    """
    found = (folder / MANIFEST).stat()
    return (found.st_mtime_ns, found.st_size, found.st_ino) if found is not None else (0, 0, 0)


def read_sealed_manifest(folder: IndexPath) -> Sealed:
    """Return what the file of a manifest holds, whoever made it; raises IndexMissingError and IndexDamagedError."""
    try:
        return read_sealed(folder / MANIFEST, PURPOSE, most_bytes=MANIFEST_BYTES)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise IndexMissingError(f'there is no index at {folder}; run "coderag index"') from error
    except OSError as error:
        raise IndexMissingError(f"the index at {folder} cannot be read: {error.strerror}") from error


def is_at_home(folder: IndexPath, body: bytes) -> bool:
    """Tell whether the body of a manifest says that its index is stored in this folder."""
    match = HOME.match(body)
    try:
        return match is not None and json.loads(match[1]) == home_of(folder)
    except ValueError:
        return False


def accept_away(folder: IndexPath, body: bytes) -> None:
    """Believe a manifest that says another folder, as long as this process lasts: all was compared with its sums."""
    _compared.add((str(folder), body))


def as_foreign(manifest: Manifest) -> Manifest:
    """Return a manifest whose content other indexes may not have, and whose encoder this user did not name."""
    segments = tuple(replaced(entry, foreign=True) for entry in manifest.segments)
    # Machine code that checks nothing follows the numbers of such a graph.
    return replaced(manifest, segments=segments, encoder_named=False, hnsw="", hnsw_sum=NO_SUM)


def without_history(manifest: Manifest) -> Manifest:
    """Return a manifest that names no history; whether one is wanted stays."""
    return replaced(manifest, history="", history_sum=NO_SUM, history_key="")


def decode_manifest(folder: IndexPath, body: bytes) -> Manifest:
    """Return the manifest that the body of its file holds, each name and number of which is what it should be.

    Raises IndexFormatError, IndexTooNewError and IndexDamagedError.
    """
    try:
        table = json.loads(body)
        found = table["format"]
        content = table["manifest"]
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise _damaged(folder, f"it holds no table ({type(error).__name__})") from error
    if isinstance(found, int) and found > FORMAT:
        raise IndexTooNewError(
            f"the index at {folder} has format {found}, which a newer version of coderag wrote; this one reads "
            f"{FORMAT}: "
            'update coderag, choose another place with "--index DIR", or run "coderag index --rebuild"'
        )
    if found != FORMAT:
        raise IndexFormatError(
            f'the index at {folder} has format {found}, this version of coderag reads {FORMAT}; run "coderag index"'
        )
    fields = dict(_checked(content, MANIFEST_FIELDS, folder))
    segments = tuple(decode_entry(folder, entry) for entry in fields.pop("segments"))
    if len({entry.name for entry in segments}) < len(segments):
        raise _damaged(folder, "a segment is named twice")
    return Manifest(**{name: _frozen(value) for name, value in fields.items()}, segments=segments)


def decode_entry(folder: IndexPath, table: Any) -> SegmentEntry:
    """Return the segment that a table of a manifest, or of the cache, describes; raises IndexDamagedError."""
    fields = _checked(table, ENTRY_FIELDS, folder)
    entry = SegmentEntry(**{name: _frozen(value) for name, value in fields.items()})
    if entry.dead and entry.dead[-1] >= entry.files:
        raise _damaged(folder, "a dead file has no segment")
    return replaced(entry, sums={name: (size, digest) for name, (size, digest) in entry.sums.items()})


Checks = Mapping[str, Callable[[Any], bool]]
# Fields that a manifest lacks where they say nothing, as those of earlier versions do.
OPTIONAL: Mapping[str, Any] = {
    "history": "",
    "history_sum": NO_SUM,
    "history_key": "",
    "with_history": True,
    "hnsw": "",
    "hnsw_sum": NO_SUM,
    "portion": "",
}


def _checked(table: Any, known: Checks, folder: IndexPath) -> dict[str, Any]:
    if not isinstance(table, dict) or not table.keys() <= known.keys() <= table.keys() | OPTIONAL.keys():
        raise _damaged(folder, "a table has other fields than it should")
    for name, value in table.items():
        if not known[name](value):
            raise _damaged(folder, f"{name!r} is not what it may be")
    return table


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _damaged(folder: IndexPath, why: str) -> IndexDamagedError:
    return IndexDamagedError(f'{folder / MANIFEST} is damaged: {why}; run "coderag index"')


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and NO_BYTES.search(value) is None


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value < 1 << 63


def _is_generation(value: Any) -> bool:
    return type(value) is int and 0 <= value < MOST_GENERATIONS


def _is_time(value: Any) -> bool:
    return type(value) is int and 0 <= value < LATEST_NS


def _is_seconds(value: Any) -> bool:
    return type(value) in (int, float) and 0 <= value < LATEST_NS


def _is_table(value: Any) -> bool:
    return isinstance(value, dict)


def _is_sum(value: Any) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 2
        and _is_count(value[0])
        and isinstance(value[1], str)
        and DIGEST.fullmatch(value[1]) is not None
    )


def _matches(expression: re.Pattern[str]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, str) and expression.fullmatch(value) is not None


def _is_numbered(kind: str, *, optional: bool) -> Callable[[Any], bool]:
    def is_numbered(value: Any) -> bool:
        if value == "":
            return optional
        match = NUMBERED.fullmatch(value) if isinstance(value, str) else None
        return match is not None and match[1] == kind

    return is_numbered


def _are_sums(value: Any) -> bool:
    return isinstance(value, dict) and all(SEGMENT_FILE.fullmatch(name) and _is_sum(one) for name, one in value.items())


def _are_dead(value: Any) -> bool:
    return (
        isinstance(value, list)
        and set(map(type, value)) <= {int}
        and value == sorted(set(value))
        and (not value or value[0] >= 0)
    )


ENTRY_FIELDS: Mapping[str, Callable[[Any], bool]] = {
    "name": _matches(SEGMENT_NAME),
    "files": _is_count,
    "chunks": _is_count,
    "sums": _are_sums,
    "dead": _are_dead,
    "foreign": _is_flag,
}
MANIFEST_FIELDS: Mapping[str, Callable[[Any], bool]] = {
    **dict.fromkeys(("root", "repository", "version"), _is_text),
    **dict.fromkeys(("catalog_key", "graph_key", "history_key"), _matches(KEY)),
    **dict.fromkeys(("listing_sum", "catalog_sum", "graph_sum", "history_sum", "hnsw_sum"), _is_sum),
    **dict.fromkeys(("updated_ns", "graph_ns"), _is_time),
    "max_bytes": _is_count,
    "generation": _is_generation,
    **dict.fromkeys(("seconds", "graph_seconds"), _is_seconds),
    **dict.fromkeys(("mask", "encoder_named", "with_history"), _is_flag),
    **dict.fromkeys(("encoder", "access"), _is_table),
    "segments": lambda value: isinstance(value, list),
    "listing": _is_numbered("listing", optional=False),
    "catalog": _is_numbered("catalog", optional=True),
    "graph": _is_numbered("graph", optional=True),
    "history": _is_numbered("history", optional=True),
    "hnsw": _is_numbered("hnsw", optional=True),
    "contents": lambda value: isinstance(value, list) and all(one in list(Content) for one in value),
    "parts": lambda value: isinstance(value, dict) and all(map(_is_text, value.values())),
    "vectors": _matches(KEY),
    "portion": _matches(PORTION),
}


def listing_of(folder: IndexPath, manifest: Manifest, held: Array | None = None) -> Listed:
    """Return what the last walk saw; raises IndexDamagedError. `held`: its file, opened before."""
    listed = read_listing(folder / manifest.listing, held)
    if [len(stamps) for stamps in listed.stamps] != [entry.files for entry in manifest.segments]:
        raise IndexDamagedError(f'{folder / manifest.listing} is damaged: it has other files; run "coderag index"')
    return listed


def numbered_name(kind: str, generation: int) -> str:
    """Return a new name for a listing, a catalog, a graph or a history, which cannot be guessed."""
    return f"{kind}-{generation}-{os.urandom(8).hex()}.bin"


def generation_of(name: str) -> int:
    """Return the generation that the name of a listing, a catalog, a graph or a history has, 0 for another name."""
    match = NUMBERED.fullmatch(name)
    return int(match[2]) if match else 0


def home_of(folder: IndexPath) -> str:
    """Return what a manifest calls the place of its index."""
    return str(IndexPath(folder.base.resolve(), folder.names))
