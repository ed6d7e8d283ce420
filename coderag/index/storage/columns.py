"""What is known of some files and their chunks, column by column: what workers return and segments hold."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from coderag.files.privacy.secrets.secret import Secret
from coderag.index.storage.arrays.arrays import Array
from coderag.types import Kind

__all__ = [
    "BLOCK_BYTES",
    "CHUNK_FIELDS",
    "CONTINUES",
    "DEFINES",
    "DETAIL_GROUP",
    "IN_TESTS",
    "KINDS",
    "LABELS",
    "SYMBOL_FIELDS",
    "TEXT_LEVEL",
    "Columns",
    "Details",
    "FileRow",
    "pack_labels",
    "unpack_labels",
]

# Codes on disk are positions in these lists: append only.
KINDS: tuple[Kind, ...] = (
    Kind.FUNCTION,
    Kind.METHOD,
    Kind.CLASS,
    Kind.INTERFACE,
    Kind.TRAIT,
    Kind.STRUCT,
    Kind.ENUM,
    Kind.TYPE,
    Kind.MODULE,
    Kind.CONSTANT,
    Kind.FIELD,
    Kind.EXTENSION,
    Kind.MACRO,
    Kind.BLOCK,
    Kind.SECTION,
    Kind.CELL,
    Kind.TABLE,
    Kind.VIEW,
    Kind.TRIGGER,
    Kind.QUERY,
)
LABELS = ("test", "example", "generated", "vendored", "legacy")
DETAIL_GROUP = 64  # chunks whose details are compressed together
BLOCK_BYTES = 32_768  # of text compressed together: what a hit's text costs to read


class FileRow(NamedTuple):
    """A file as it was when it was read."""

    path: str
    size: int
    blob: bytes  # the id that git gives its content (coderag.files.blob)
    treatment: int  # hash of what else decides how it is read (coderag.index.storage.arrays.keys)
    language: str
    content: str  # a Content
    labels: int  # bits, by position in LABELS
    text_bytes: int  # of the text that was indexed: UTF-8, "\n" line ends
    problem: str = ""  # why it was read as lines, or with errors; "" when all went well
    masked: tuple[Secret, ...] = ()  # the secrets that the text holds no longer


@dataclass(slots=True)
class Columns:
    """Some files and their chunks; positions count from 0 within these files."""

    files: list[FileRow]
    blocks: list[bytes]  # the files' texts, deflated, BLOCK_BYTES of text each, files in order
    chunks: Array  # i32[chunks, len(CHUNK_FIELDS)]
    chunk_ids: Array  # u64[chunks]
    chunk_names: list[str]  # qualified names
    chunk_keys: (
        Array  # u64[chunks, 2]: what a definition is looked up by, 0 for none (coderag.index.storage.arrays.keys)
    )
    details: list[bytes]  # deflated lines of JSON, of DETAIL_GROUP chunks each; the last group may be smaller
    parts: Array  # i32[parts, 4]: first row, last row, first byte, end byte, in the file's text
    symbols: Array  # i32[symbols, len(SYMBOL_FIELDS)]: the definitions that are no chunk of their own
    symbol_names: list[str]  # qualified names
    symbol_keys: Array  # u64[symbols, 2]
    vocabulary: Array  # u64[terms]: hashes
    posting_terms: Array  # u32[postings]: position in the vocabulary
    posting_docs: Array  # u32[postings]: chunk
    posting_weights: Array  # u8[postings]
    vectors: Array  # i8[chunks, dimensions] (coderag.index.storage.vectors); of 0 dimensions where there are none yet
    facts: list[bytes]  # the facts of each file (coderag.sql.records.Facts), deflated JSON; b"" for nothing
    links: list[bytes]  # the links of each file (coderag.index.storage.links), deflated; b"" for nothing
    trigrams: list[bytes]  # the signature of each block (coderag.index.storage.trigrams); b"" for none


# A name is the end of its qualified name, so only its length in bytes is kept.
CHUNK_FIELDS = ("file", "kind", "first_row", "last_row", "parent", "parts", "name_bytes", "flags")
SYMBOL_FIELDS = ("chunk", "kind", "first_row", "rows", "name_bytes")
TEXT_LEVEL = 4  # of deflate: a ninth smaller than the fastest, for a hundredth of the time of a build
# Bits of a chunk's flags: it is a definition; it is a piece of one without its name; it is of the tests of its file.
DEFINES, CONTINUES, IN_TESTS = 1, 2, 4


BEGINNING = "["  # of a list in JSON
_decode = json.JSONDecoder().raw_decode


class Details(NamedTuple):
    """What only a shown chunk needs."""

    signature: str
    doc: str
    decorators: tuple[str, ...]
    imports: tuple[str, ...]
    calls: tuple[str, ...]

    @classmethod
    def decoded(cls, line: bytes) -> Details:
        """Return what a line of JSON says (see storage.arrays.details); raises ValueError for anything else."""
        text = line.decode("utf-8", "surrogatepass")
        try:
            (signature, doc, decorators, imports, calls), end = _decode(text)
            if end != len(text):
                raise ValueError("a line has more than its fields")
            "".join([signature, doc, *decorators, *imports, *calls])  # which only texts can be
        except (TypeError, RecursionError) as error:
            raise ValueError("a line has other fields") from error
        if not (type(decorators) is type(imports) is type(calls) is list):
            raise ValueError("a line has other lists")
        return cls(signature, doc, tuple(decorators), tuple(imports), tuple(calls))

    @staticmethod
    def decoded_signature(line: bytes) -> str:
        """Return the signature alone, for a third of the time; raises ValueError where the line does not begin so."""
        text = line.decode("utf-8", "surrogatepass")
        signature, _ = _decode(text, len(BEGINNING)) if text.startswith(BEGINNING) else (None, 0)
        if not isinstance(signature, str):
            raise ValueError("a line does not begin with a text")
        return signature


def pack_labels(labels: frozenset[str]) -> int:
    """Return labels as bits."""
    return sum(1 << position for position, label in enumerate(LABELS) if label in labels)


@cache
def unpack_labels(bits: int) -> frozenset[str]:
    """Return the labels of some bits."""
    return frozenset(label for position, label in enumerate(LABELS) if bits >> position & 1)
