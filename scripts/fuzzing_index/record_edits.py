"""What a segment holds beside numbers (details, facts, links, names, text) to what lies or never ends."""

from __future__ import annotations

import json
import random
import zlib
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import msgspec
import numpy as np

from coderag.index.storage.columns import BLOCK_BYTES
from scripts.fuzzing_index.array_file import ArrayFile
from scripts.fuzzing_index.hostile import NAMES
from scripts.fuzzing_index.json_edits import edit_tree, encode
from scripts.fuzzing_index.stored import StoredIndex, text_sum

__all__ = ["edit_blocks", "edit_names", "edit_records", "edit_text", "pieces_of", "with_pieces"]

BOMB_BYTES = 200 << 20  # of what some hundred kilobytes inflate to
BOMBS = (b"\0", b" ", b"[", b'{"a":', b'"",', b"[1,2],", b"\x90", b"\xa1a", b"\n", b"[[],[],", b'["","",[],[],["a"')


def edit_records(index: StoredIndex, source: random.Random) -> str:
    """Change the details, facts, links, names of symbols or the description of a segment."""
    number = source.randrange(len(index.segments))
    name, edit = source.choice(RECORDS)
    return f"{name}: {edit(index.segment(number), source)}"


def edit_names(index: StoredIndex, source: random.Random) -> str:
    """Give files, chunks or what is left out hostile names, under offsets that fit."""
    if source.random() < 0.4:
        file, name = index.file("listing"), source.choice(("folders_path", "rules_path", "skipped_path"))
    else:
        file, name = index.segment(source.randrange(len(index.segments))), source.choice(("file_path", "chunk_name"))
    pieces = pieces_of(file, f"{name}_blob", f"{name}_offsets")
    if not pieces:
        return "there are none"
    new = source.choice(NAMES).encode("utf-8", "surrogatepass")
    for at in source.sample(range(len(pieces)), min(source.choice((1, 1, 3)), len(pieces))):
        pieces[at] = new
    with_pieces(file, f"{name}_blob", f"{name}_offsets", pieces)
    return f"{name} {new[:60]!r}"


def edit_text(index: StoredIndex, source: random.Random) -> str:
    """Change a segment's text: truncated, grown, other bytes, bombs; its sum is right, and its places may be."""
    number = source.randrange(len(index.segments))
    path, file = index.text_path(number), index.segment(number)
    raw = path.read_bytes()
    what = source.choice(("truncated", "doubled", "noise", "bomb", "empty", "other text"))
    match what:
        case "truncated":
            raw = raw[: source.randrange(len(raw) or 1)]
        case "doubled":
            raw *= 2
        case "noise":
            raw = source.randbytes(len(raw))
        case "empty":
            raw = b""
        case "bomb":
            raw = _bomb(source)
        case _:
            raw = zlib.compress(source.randbytes(BLOCK_BYTES * source.choice((0, 1, 2))))
    path.write_bytes(raw)
    offsets = file.row("block_offsets")
    array = offsets.array
    if source.random() < 0.8 and len(array):
        array[-1] = len(raw)
        if what in ("bomb", "other text"):
            array[1:] = len(raw)
        offsets.array = array
    _describe(file, lambda told: told | {"text_checksum": text_sum(path)})
    return f"{what}, {len(raw):,} bytes"


def edit_blocks(index: StoredIndex, source: random.Random) -> str:
    """Let chunks have parts, and files have text, that overlap, run backwards or end beyond."""
    file = index.segment(source.randrange(len(index.segments)))
    name = source.choice(
        ("parts", "parts", "chunk_part_offsets", "file_text_bytes", "file_first_block", "block_offsets", "chunk_file")
    )
    row = file.row(name)
    array = row.array
    most = int(array.max()) if array.size else 0
    match source.choice(("all", "one", "grown")):
        case "all":
            array[...] = source.choice((0, most, most // 2))
        case "one" if array.size:
            array.reshape(-1)[source.randrange(array.size)] = source.choice((0, most, 2**31 - 1))
        case _:
            array = np.resize(array, (20_000, *array.shape[1:])) if array.size else array
    row.array = array
    if name == "parts" and source.random() < 0.7:
        offsets = file.row("chunk_part_offsets")
        every = offsets.array
        every[1:] = len(array)
        offsets.array = every
    return f"{name} {array.shape}"


def pieces_of(file: ArrayFile, blob: str, offsets: str) -> list[bytes]:
    """Return what lies between each two offsets."""
    raw, places = file.row(blob).data, file.row(offsets).array.tolist()
    return [raw[begin:end] for begin, end in pairwise(places)]


def with_pieces(file: ArrayFile, blob: str, offsets: str, pieces: Sequence[bytes]) -> None:
    """Replace what `pieces_of` gave."""
    places = file.row(offsets)
    ends = np.concatenate([[0], np.cumsum([len(piece) for piece in pieces])])
    places.array = ends.astype(places.dtype)
    file.row(blob).array = np.frombuffer(b"".join(pieces), dtype=np.uint8)


def _describe(file: ArrayFile, change: Callable[[Any], Any]) -> None:
    row = file.row("meta")
    row.array = np.frombuffer(encode(change(json.loads(row.data))), dtype=np.uint8)


def _meta(file: ArrayFile, source: random.Random) -> str:
    told = ""

    def changed(tree: Any) -> Any:
        nonlocal told
        new, told = edit_tree(tree, source)
        return new

    _describe(file, changed)
    return told


def _details(file: ArrayFile, source: random.Random) -> str:
    def changed(raw: bytes) -> tuple[bytes, str]:
        lines = raw.split(b"\n")
        at = source.randrange(len(lines))
        tree, told = edit_tree(json.loads(lines[at]), source)
        lines[at] = encode(tree)
        return b"\n".join(lines), f"line {at} {told}"

    return _deflated(file, "detail_blob", "detail_offsets", source=source, changed=changed)


def _facts(file: ArrayFile, source: random.Random) -> str:
    def changed(raw: bytes) -> tuple[bytes, str]:
        tree, told = edit_tree(json.loads(raw), source)
        return encode(tree), told

    return _deflated(file, "facts_blob", "facts_offsets", source=source, changed=changed)


def _links(file: ArrayFile, source: random.Random) -> str:
    def changed(raw: bytes) -> tuple[bytes, str]:
        tree, told = edit_tree(msgspec.msgpack.decode(raw), source)
        try:
            return msgspec.msgpack.encode(tree), told
        except (UnicodeEncodeError, OverflowError, TypeError):  # what only JSON can say
            return msgspec.msgpack.encode(source.choice(("x", None, [], {}, 7))), "something else"

    return _deflated(file, "links_blob", "links_offsets", source=source, changed=changed)


def _symbol_names(file: ArrayFile, source: random.Random) -> str:
    def changed(raw: bytes) -> tuple[bytes, str]:
        sizes = np.frombuffer(raw[: len(raw) // 8 * 4], dtype="<u4").copy()
        if not len(sizes):
            return raw, "nothing"
        sizes[source.randrange(len(sizes))] = source.choice((0, 2**32 - 1, 2**31, len(raw), 70_000))
        return sizes.tobytes() + raw[len(sizes) * 4 :], "sizes"

    return _deflated(file, "symbol_name_blob", "symbol_name_offsets", source=source, changed=changed)


def _deflated(
    file: ArrayFile,
    blob: str,
    offsets: str,
    *,
    source: random.Random,
    changed: Callable[[bytes], tuple[bytes, str]],
) -> str:
    """Change one of several deflated records: what it says, its bytes, or how much it inflates to."""
    pieces = pieces_of(file, blob, offsets)
    filled = [number for number, one in enumerate(pieces) if one]
    if not filled:
        return "there are none"
    at, kind = source.choice(filled), source.random()
    if kind < 0.75:
        raw, told = changed(zlib.decompress(pieces[at]))
        pieces[at] = zlib.compress(raw, 1)
    elif kind < 0.9:
        pieces[at], told = _bomb(source), "a bomb"
        if source.random() < 0.3:
            pieces = [pieces[at]] * len(pieces)
            told = "bombs"
    else:
        other = source.choice((b"", b"\0", source.randbytes(40), pieces[at][:-3], zlib.compress(b""), b"x\x9c"))
        pieces[at], told = other, f"is {other[:20]!r}"
    with_pieces(file, blob, offsets, pieces)
    return f"number {at} {told}"


def _bomb(source: random.Random) -> bytes:
    """Return some hundred kilobytes that inflate to megabytes: blanks, or values that take even more when decoded."""
    unit = source.choice(BOMBS)
    size = source.choice((1 << 20, 20 << 20, BOMB_BYTES))
    stream = zlib.compressobj(1)
    opening = source.choice(
        (b"", b"[", b'{"operations":[', b'["","",[', b'{"passed":[', b'{"lost":[', b"\x93\xdd\xff\xff\xff\xff")
    )
    body = unit * (size // len(unit))
    return stream.compress(opening + body) + stream.flush()


Edit = Callable[[ArrayFile, random.Random], str]
RECORDS: tuple[tuple[str, Edit], ...] = (
    *(("meta", _meta), ("details", _details), ("facts", _facts), ("links", _links), ("symbol names", _symbol_names)),
)
