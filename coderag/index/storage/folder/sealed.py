"""A small file of an index under a checksum and a signature: whole or damaged, by this user or by somebody else.

A first line with the CRC-32 of all that follows and the signature of the rest (coderag.index.storage.folder.signing),
the rest, and a line end.
"""

from __future__ import annotations

import re
import zlib

from coderag.errors import IndexDamagedError, IndexUntrustedError
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.folder.signing import Signer, sign, signer_of
from coderag.record import record

__all__ = ["Sealed", "parse_sealed", "read_sealed", "seal", "write_sealed"]

SIGNED = re.compile(rb"([0-9a-f]{8}) ([0-9a-f]{64})\n")
UNSIGNED = re.compile(rb"([0-9a-f]{8})\n")  # before format 6 of the manifest, nothing was signed


@record
class Sealed:
    """What a file holds, and who signed it."""

    body: bytes
    signer: Signer | None  # None: nobody that is known here

    def checked(self, where: IndexPath) -> bytes:
        """Return the body; raises IndexUntrustedError where this user did not sign it."""
        if self.signer is None:
            raise IndexUntrustedError(
                f'{where} was not made by you on this machine, so it is not trusted; "coderag index --trust" takes it '
                "over, if you know who made it"
            )
        return self.body


def write_sealed(path: IndexPath, purpose: str, body: bytes, *, signer: Signer | None = None) -> None:
    """Replace a file by a rename, so that a reader sees the old or the new one; raises OSError and IndexKeyError."""
    temporary = path.parent / f"{path.name.rpartition('.')[0]}.tmp"
    with temporary.create() as file:
        file.write(seal(purpose, body, signer=signer))
    temporary.sync()
    temporary.replace(path)
    path.parent.sync()


def seal(purpose: str, body: bytes, *, signer: Signer | None = None) -> bytes:
    """Return the bytes of such a file; raises IndexKeyError."""
    rest = b"%s\n%s\n" % (sign(purpose, body, signer=signer).encode(), body)
    return b"%08x %s" % (zlib.crc32(rest), rest)


def read_sealed(path: IndexPath, purpose: str, *, most_bytes: int) -> Sealed:
    """Return what a file holds; raises OSError, and IndexDamagedError where it is not what was written."""
    return parse_sealed(path.read_bytes(most_bytes), purpose, where=path)


def parse_sealed(raw: bytes, purpose: str, *, where: object) -> Sealed:
    """Return what the bytes of such a file hold; raises IndexDamagedError where they are not what was written."""
    # The checksum is compared as text: "A" and "a" are one bit apart and the same number.
    if (head := SIGNED.match(raw)) and raw[-1:] == b"\n" and head[1] == b"%08x" % zlib.crc32(raw[head.start(2) :]):
        body = raw[head.end() : -1]
        return Sealed(body, signer_of(purpose, body, head[2].decode()))
    if (head := UNSIGNED.match(raw)) and raw[-1:] == b"\n" and head[1] == b"%08x" % zlib.crc32(raw[head.end() : -1]):
        return Sealed(raw[head.end() : -1], None)
    raise IndexDamagedError(f'{where} is damaged: it does not match its checksum; run "coderag index"')
