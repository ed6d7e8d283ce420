"""What lies where on a store of objects, and the directory of a segment, which vouches for each of its blocks.

segments/NAME/data-DIGEST     the blocks of a segment: files, their paths, terms, cells of vectors
segments/NAME/SIGNATURE       its directory; written last, so a segment that has one is there whole
generations/NAME.NUMBER       a generation of an index

Directories and generations are signed (coderag.index.storage.folder.signing); those of another key have other names.
"""

from __future__ import annotations

import re
from hashlib import blake2b
from urllib.parse import quote, unquote

import msgspec

from coderag.decoding import msgpack_decoder
from coderag.errors import IndexDamagedError, IndexUntrustedError, RemoteStoreError, StoreDamagedError
from coderag.index.storage.folder.sealed import parse_sealed, seal
from coderag.index.storage.folder.signing import VARIABLE, sign

__all__ = [
    "DIGEST_BYTES",
    "GENERATIONS",
    "SEGMENTS",
    "Directory",
    "data_name",
    "decode_directory",
    "digest_of",
    "directory_name",
    "encode_directory",
    "generation_name",
    "is_segment_name",
    "named_generation",
    "segment_of_data",
    "segment_of_directory",
    "unsealed",
]

SEGMENTS, GENERATIONS = "segments", "generations"
DATA = "data-"
SEGMENT_NAME = re.compile(r"[0-9a-f]{32}")
SEGMENT_PURPOSE = "segment of a store"
DIGEST_BYTES = 16  # against a second preimage: 128 bits
FORM = 1
MAX_COMMONS = 1 << 24


class Directory(msgspec.Struct, frozen=True):
    """Where each block of a segment is, and what each must hold; numbers are little-endian.

    Blocks are numbered: one for each file, one for their paths, then those of terms, then the cells.
    """

    form: int
    segment: str
    blocks: int
    sizes: bytes  # u32[blocks], packed
    digests: bytes  # DIGEST_BYTES each
    files: bytes  # i32[files]: their numbers, ascending
    chunk_counts: bytes  # u32[files], packed: chunks of each
    languages: list[str]
    file_languages: bytes  # u8[files]: positions in `languages`
    tests: bytes  # u8[files]: 1 for a file of tests
    first_keys: bytes  # u64[blocks of terms], ascending
    # Terms of many chunks, so that it need not be looked up how usual a name is; equal keys may follow each other.
    least_common: int  # chunks that each of them is in
    commons: int
    common_keys: bytes  # u32[commons], packed: the upper halves of their keys, ascending
    common_counts: bytes  # u32[commons], packed: how many chunks have each
    dimensions: int  # of vectors; 0 where there are none
    centroids: bytes  # i8[cells, dimensions]
    cell_sizes: bytes  # u32[cells]: chunks of each

    def check(self) -> None:
        """Raise ValueError where its tables do not fit each other."""
        blocks, files = self.blocks, len(self.files) // 4
        cells = len(self.cell_sizes) // 4
        fits = (
            self.form == FORM,
            len(self.digests) == DIGEST_BYTES * blocks and 0 <= self.commons <= MAX_COMMONS,
            len(self.file_languages) == len(self.tests) == files and len(self.files) == 4 * files,
            blocks == files + 1 + len(self.first_keys) // 8 + cells and len(self.first_keys) % 8 == 0,
            len(self.centroids) == cells * self.dimensions and len(self.cell_sizes) == 4 * cells,
            max(self.file_languages, default=-1) < len(self.languages),
        )
        if not all(fits):
            raise ValueError("its tables do not fit each other")

    @property
    def data(self) -> str:
        """The object that has the blocks."""
        return data_name(self.segment, self.digests)


ENCODER = msgspec.msgpack.Encoder()
DECODER = msgpack_decoder(Directory)


def digest_of(block: bytes) -> bytes:
    """Return what a directory says of the content of a block."""
    return blake2b(block, digest_size=DIGEST_BYTES).digest()


def data_name(segment: str, digests: bytes) -> str:
    """Return the object that has the blocks of a segment: by their content, as two exporters may deflate otherwise."""
    return f"{SEGMENTS}/{segment}/{DATA}{digest_of(digests).hex()}"


def directory_name(segment: str) -> str:
    """Return the object that has the directory of a segment as the key in use signs it; raises RemoteStoreError."""
    if not is_segment_name(segment):
        raise RemoteStoreError(f"{segment[:64]!r} is no name of a segment")
    return f"{SEGMENTS}/{segment}/{sign(SEGMENT_PURPOSE, segment.encode())[:32]}"


def segment_of_data(path: str) -> str | None:
    """Return the segment whose blocks an object has, None for any other object."""
    folder, _, rest = path.removeprefix(f"{SEGMENTS}/").partition("/")
    return folder if rest.startswith(DATA) else None


def segment_of_directory(path: str) -> str | None:
    """Return the segment whose directory an object is as the key in use signs it, None for any other object."""
    folder, _, rest = path.removeprefix(f"{SEGMENTS}/").partition("/")
    is_directory = SEGMENT_NAME.fullmatch(folder) is not None and bool(rest) and path == directory_name(folder)
    return folder if is_directory else None


def encode_directory(directory: Directory) -> bytes:
    """Return a directory as it is stored."""
    return seal(SEGMENT_PURPOSE, ENCODER.encode(directory))


def decode_directory(raw: bytes, *, segment: str, where: str) -> Directory:
    """Return the directory of a segment; raises RemoteStoreError and IndexUntrustedError."""
    try:
        directory = DECODER.decode(unsealed(raw, SEGMENT_PURPOSE, where=where))
        directory.check()
    except (msgspec.DecodeError, ValueError) as error:
        raise _damaged(where, str(error)) from error
    if directory.segment != segment:
        raise _damaged(where, "it is that of another segment")
    return directory


def unsealed(raw: bytes, purpose: str, *, where: str) -> bytes:
    """Return what a signed object holds; raises StoreDamagedError, and IndexUntrustedError for an unknown signature."""
    try:
        sealed = parse_sealed(raw, purpose, where=where)
    except IndexDamagedError as error:
        raise _damaged(where, "it does not match its checksum") from error
    if sealed.signer is None:
        raise IndexUntrustedError(
            f"{where} is signed by a key that is not known here, so it is not believed; set {VARIABLE} to the key of "
            "those who export"
        )
    return sealed.body


def is_segment_name(name: str) -> bool:
    """Tell whether a segment may be called so; signatures that name directories look the same."""
    return SEGMENT_NAME.fullmatch(name) is not None


def generation_name(name: str, number: int) -> str:
    """Return the object that has a generation of an index."""
    return f"{GENERATIONS}/{quote(name, safe='').replace('%', '=')}.{number:010d}"


def named_generation(path: str) -> tuple[str, int] | None:
    """Return the index and the number of a generation by its object, None for another object."""
    name, _, number = path.removeprefix(f"{GENERATIONS}/").rpartition(".")
    if not (name and number.isascii() and number.isdigit()) or "/" in name:
        return None
    return unquote(name.replace("=", "%"), errors="replace"), int(number)


def _damaged(where: str, why: str) -> StoreDamagedError:
    return StoreDamagedError(f'{where} is damaged: {why}; remove it and run "coderag export"')
