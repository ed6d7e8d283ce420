"""Tokens to the callers that they stand for; only their hashes are known here."""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from coderag.errors import AccessError
from coderag.limits import ITEMS

__all__ = ["Key", "find_key", "hash_of", "key_of", "read_keys"]

HASH = re.compile(r"[0-9a-f]{64}")
OWNER_CHARACTERS = 24
MAX_FILE_BYTES = 10_000_000


@dataclass(frozen=True, slots=True)
class Key:
    """A token's hash, and whose it is."""

    digest: str  # SHA-256 in hexadecimal
    groups: frozenset[str] | None = None  # None: sees all

    @property
    def owner(self) -> str:
        """What tells its holder from others in a file, from which nobody learns the hash either."""
        return hash_of(f"owner {self.digest}")[:OWNER_CHARACTERS]


def hash_of(token: str) -> str:
    """Return the hash by which a token is known; a token is random, so it needs no salt and no slow hash."""
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).hexdigest()


def key_of(token: str) -> Key:
    """Return the key of who may see all."""
    return Key(hash_of(token))


def find_key(keys: Iterable[Key], token: str) -> Key | None:
    """Return the key that a token opens, None for none; every one is compared, each in constant time."""
    digest = hash_of(token)
    matching = None
    for key in keys:
        if hmac.compare_digest(key.digest, digest):
            matching = key
    return matching


def read_keys(path: Path) -> list[Key]:
    """Return the keys of a file of lines `HASH GROUP,GROUP`; "#" begins a comment.

    A hash without groups is of a caller who is in none. Raises AccessError for any other line and for a file that
    others may write, and OSError.
    """
    status = path.stat()
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH) or status.st_uid not in (os.getuid(), 0):
        raise AccessError(
            f"{path} can be written by others, who could let themselves in; make it yours alone: chmod 600"
        )
    if status.st_size > MAX_FILE_BYTES:
        raise AccessError(f"{path} has {status.st_size:,} bytes; give at most {MAX_FILE_BYTES:,}")
    keys: list[Key] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if text := line.partition("#")[0].strip():
            keys.append(_key(text, f"{path}:{number}"))
    if not keys:
        raise AccessError(f"{path} holds no key; a line is the SHA-256 of a token, and groups: HASH GROUP,GROUP")
    return keys


def _key(text: str, place: str) -> Key:
    digest, _, groups = text.partition(" ")
    if not HASH.fullmatch(digest.lower()):
        raise AccessError(f"{place} begins with no SHA-256 of 64 hexadecimal digits; a line is HASH GROUP,GROUP")
    names = frozenset(filter(None, map(str.strip, groups.split(","))))
    if len(names) > ITEMS.most:
        raise AccessError(f"{place} has {len(names):,} groups; give at most {ITEMS.most:,}")
    return Key(digest.lower(), names)
