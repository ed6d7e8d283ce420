"""A file's bytes to the id that git gives them: equal content, equal id, in every clone and worktree."""

from __future__ import annotations

from hashlib import sha1

__all__ = ["BLOB_BYTES", "blob_id"]

BLOB_BYTES = 20  # of SHA-1


def blob_id(raw: bytes) -> bytes:
    """Return the id of some content as a git blob (git-hash-object)."""
    return sha1(b"blob %d\0" % len(raw) + raw, usedforsecurity=False).digest()
