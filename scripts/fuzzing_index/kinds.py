"""The kinds of inputs: what of an index is tampered with, and what is asked of it then."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from coderag.index.build.sharing import ENTRY
from coderag.index.storage.database_snapshots import FOLDER
from scripts.fuzzing_index.array_edits import edit_arrays
from scripts.fuzzing_index.array_file import ArrayFile
from scripts.fuzzing_index.hostile import GLOBS, NAMES, hostile_number, hostile_text
from scripts.fuzzing_index.json_edits import edit_tree, encode
from scripts.fuzzing_index.record_edits import edit_blocks, edit_names, edit_records, edit_text, pieces_of, with_pieces
from scripts.fuzzing_index.stored import StoredIndex, seal, sealed_body, sum_of_file
from scripts.fuzzing_index.world import World

__all__ = ["KINDS", "Kind", "apply_edits"]

UNITS = ("table", "relation", "database", "query", "definition", "routine", "type", "problem")
LIES = (
    "files",
    "chunks",
    "dead",
    "generation",
    "max_bytes",
    "updated_ns",
    "seconds",
    "graph_ns",
    "graph_seconds",
    "root",
)

Edit = Callable[[World, StoredIndex, random.Random], str]


@dataclass(frozen=True, slots=True)
class Kind:
    """A part of an index, how it is tampered with, and the questions that look at it most."""

    edit: Edit
    questions: tuple[str, ...]  # names of coderag.fuzzing_index.questions


def apply_edits(world: World, kind: Kind, seeds: list[str]) -> list[str]:
    """Tamper with a world, once for each seed, and return what was done."""
    index = StoredIndex.read(world.index)
    told = []
    for seed in seeds:
        try:
            told.append(kind.edit(world, index, random.Random(seed)))
        except (LookupError, TypeError, ValueError, AttributeError, StopIteration, RecursionError) as error:
            told.append(f"nothing, after what was done before ({type(error).__name__})")
    index.write()
    return told


def _manifest(_: World, index: StoredIndex, source: random.Random) -> str:
    table = index.manifest["manifest"]
    chosen = source.random()
    if chosen < 0.15:
        index.manifest, told = edit_tree(index.manifest, source)
        return told
    if chosen < 0.5:
        name = source.choice(LIES)
        where: Any = table if name in table else source.choice(table["segments"])
        where[name] = [hostile_number(source)] if name == "dead" else hostile_number(source)
        if name == "root":
            where[name] = source.choice(NAMES)
        return f"{name} is {str(where[name])[:60]}"
    index.manifest["manifest"], told = edit_tree(table, source)
    return told


def _access(_: World, index: StoredIndex, source: random.Random) -> str:
    access = index.manifest["manifest"]["access"]
    if source.random() < 0.5:
        index.manifest["manifest"]["access"], told = edit_tree(access, source)
        return told
    globs = [source.choice(GLOBS) for _ in range(source.choice((1, 2, 20)))]
    if source.random() < 0.5:
        access["rules"].append({"groups": [], "paths": globs, "databases": [], "repositories": []})
    else:
        access["settings"]["files"] = [{"globs": globs, "settings": {"database": hostile_text(source)}}]
    return f"globs {str(globs)[:60]}"


def _encoder(_: World, index: StoredIndex, source: random.Random) -> str:
    table = index.manifest["manifest"]
    table["encoder_named"] = False
    kinds = ("static", "none", "hf", "onnx", "http", "ollama", "folder", "", "../x")
    table["encoder"] = {
        "kind": source.choice(kinds),
        "model": source.choice(
            (*NAMES, "http://169.254.169.254/latest", "http://127.0.0.1:1/v1", "file:///etc/passwd")
        ),
    }
    if source.random() < 0.7:
        table["encoder"], told = edit_tree(table["encoder"], source)
        return told
    table["vectors"] = source.choice(("", "0", "f" * 64, table["vectors"], hostile_text(source)))
    return str(table["encoder"])[:80]


def _listing(_: World, index: StoredIndex, source: random.Random) -> str:
    file = index.file("listing")
    if source.random() < 0.3:
        return _json_array(file, "skipped_why", source)
    return edit_arrays(file, source)


def _json_array(file: ArrayFile, name: str, source: random.Random) -> str:
    row = file.row(name)
    tree, told = edit_tree(json.loads(row.data), source)
    row.array = np.frombuffer(encode(tree), dtype=np.uint8)
    return f"{name} {told}"


def _segment(_: World, index: StoredIndex, source: random.Random) -> str:
    return edit_arrays(index.segment(source.randrange(len(index.segments))), source)


def _vectors(_: World, index: StoredIndex, source: random.Random) -> str:
    return edit_arrays(index.vectors(source.randrange(len(index.segments))), source)


def _catalog(_: World, index: StoredIndex, source: random.Random) -> str:
    return edit_arrays(index.file("catalog"), source)


def _units(_: World, index: StoredIndex, source: random.Random) -> str:
    """Change a table, query or whatever else the catalog has as JSON."""
    file, name = index.file("catalog"), source.choice((*UNITS, "table", "table"))
    pieces = pieces_of(file, f"{name}_json", f"{name}_json_offsets")
    if not pieces:
        return "there are none"
    at = source.randrange(len(pieces))
    if source.random() < 0.1:
        pieces[at] = source.choice((b"", b"\0", b"{}", b"null", b"[" * 90_000, b'{"name":{"name":"\\ud800"}}', b"\xff"))
        told = f"is {pieces[at][:20]!r}"
    else:
        tree, told = edit_tree(json.loads(pieces[at]), source)
        pieces[at] = encode(tree)
    if source.random() < 0.1:
        pieces = [pieces[at]] * len(pieces)
    with_pieces(file, f"{name}_json", f"{name}_json_offsets", pieces)
    return f"{name} {at} {told}"


def _graph(_: World, index: StoredIndex, source: random.Random) -> str:
    return edit_arrays(index.file("graph"), source)


def _snapshot(world: World, _: StoredIndex, source: random.Random) -> str:
    (path, *_rest) = sorted((world.index / FOLDER).iterdir())
    tree, told = edit_tree(json.loads(sealed_body(path)), source)
    if source.random() < 0.2:
        path = path.with_name(source.choice(("x.json", "-.json", "sqlite-x.json", path.name)))
    seal(path, "snapshot", encode(tree))
    return f"{path.name} {told}"


def _entry(world: World, _: StoredIndex, source: random.Random) -> str:
    """Change what the cache says of a segment, or the segment, and sign it."""
    folder = next(iter(sorted(world.cached)))
    if source.random() < 0.4:
        tree, told = edit_tree(json.loads(sealed_body(folder / ENTRY)), source)
        seal(folder / ENTRY, "segment", encode(tree))
        return told
    file = ArrayFile.read(folder / "arrays.bin")
    told = edit_arrays(file, source)
    file.path.unlink()  # the index has it under another name
    file.write()
    tree = json.loads(sealed_body(folder / ENTRY))
    tree["sums"]["arrays.bin"] = sum_of_file(file.path)
    seal(folder / ENTRY, "segment", encode(tree))
    return told


def _lock(world: World, _: StoredIndex, source: random.Random) -> str:
    tree: Any = {"pid": 1, "host": "x", "command": "coderag index", "since": 1.0}
    tree, told = edit_tree(tree, source)
    (world.index / "lock.json").write_bytes(encode(tree))
    return told


def _record(_: World, index: StoredIndex, source: random.Random) -> str:
    return edit_records(index, source)


def _name(_: World, index: StoredIndex, source: random.Random) -> str:
    return edit_names(index, source)


def _text(_: World, index: StoredIndex, source: random.Random) -> str:
    return edit_text(index, source) if source.random() < 0.5 else edit_blocks(index, source)


SEARCHING = ("search words", "search a symbol", "search paths", "symbols", "outline", "chunks", "expand")
SCHEMAS = ("schema context", "table ranking", "tables", "table", "check SQL", "ERD", "seen", "search a database")
GRAPHS = ("references", "impact", "ways", "reached", "drawing", "map", "names like", "related")
CHECKING = ("status", "fresh", "damage", "verify", "seen")
KINDS: Mapping[str, Kind] = {
    "manifest": Kind(_manifest, (*CHECKING, "search words", "drawing", "tables")),
    "access": Kind(_access, ("seen", "seen", "seen", "status")),
    "encoder": Kind(_encoder, ("search words", "recall", "status", "schema context", "fresh")),
    "listing": Kind(_listing, ("fresh", "status", "damage")),
    "segment": Kind(_segment, (*SEARCHING, *GRAPHS, "status", "seen", "verify", "recall")),
    "records": Kind(_record, (*SEARCHING, "remade graph", "seen", "map", "verify")),
    "names": Kind(_name, (*SEARCHING, "fresh", "status", "seen", "remade graph")),
    "text": Kind(_text, (*SEARCHING, "map", "verify")),
    "vectors": Kind(_vectors, ("search words", "search paths", "recall", "diverse", "verify")),
    "catalog": Kind(_catalog, (*SCHEMAS, "status", "drawing", "verify")),
    "units": Kind(_units, (*SCHEMAS, "remade graph", "status")),
    "graph": Kind(_graph, (*GRAPHS, "search words", "status", "verify")),
    "snapshot": Kind(_snapshot, ("status", "seen", "damage", "tables")),
    "entry": Kind(_entry, ("share", "share")),
    "lock": Kind(_lock, ("search words",)),
}
