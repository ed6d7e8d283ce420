"""Bytes to a signature that only this user can have made (HMAC with SHA-256, RFC 2104), and back to who made it.

An index may have come with a repository that somebody else made. So what is written into one is signed by a key that
never leaves the user's own folder, and what carries no such signature is not trusted. Machines that hand an index to
each other on purpose share a key in CODERAG_INDEX_KEY.
"""

from __future__ import annotations

import hmac
import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from enum import Enum, auto
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from coderag.errors import IndexKeyError
from coderag.resources import user_folder

__all__ = ["VARIABLE", "Signer", "key_file", "sign", "signer_of"]

VARIABLE = "CODERAG_INDEX_KEY"
KEY_BYTES = 32  # as many as SHA-256 gives; more add nothing
LEAST_CHARACTERS = 32  # of a shared key: 128 bits where they are hexadecimal
READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class Signer(Enum):
    """Whose key made a signature."""

    USER = auto()  # that of this user on this machine
    SHARED = auto()  # that of CODERAG_INDEX_KEY


def key_file(environment: Mapping[str, str] = os.environ) -> Path:
    """Return where the key of this user lies: under $XDG_DATA_HOME, or ~/.local/share; raises IndexKeyError."""
    try:
        return user_folder("XDG_DATA_HOME", ".local/share", environment) / "index.key"
    except FileNotFoundError as error:
        raise IndexKeyError(
            f"there is no place for the key that signs your indexes; set HOME, XDG_DATA_HOME or {VARIABLE}"
        ) from error


def sign(purpose: str, data: bytes, *, signer: Signer | None = None) -> str:
    """Return the signature of some bytes for a purpose, in hexadecimal; by the shared key where there is one.

    With `signer` by that one's key. The user's key is made when it is needed first. Raises IndexKeyError.
    """
    shared = b"" if signer is Signer.USER else _shared_key()
    return _signature(shared or _made_key(key_file()), purpose, data)


def signer_of(purpose: str, data: bytes, signature: str) -> Signer | None:
    """Return who signed some bytes for a purpose, None for nobody that is known here; raises IndexKeyError."""
    shared = _shared_key()
    if shared and hmac.compare_digest(_signature(shared, purpose, data), signature):
        return Signer.SHARED
    own = _own_key(key_file())
    if own and hmac.compare_digest(_signature(own, purpose, data), signature):
        return Signer.USER
    return None


def _signature(key: bytes, purpose: str, data: bytes) -> str:
    return hmac.digest(key, f"coderag {purpose}\0".encode() + data, "sha256").hex()


def _shared_key() -> bytes:
    secret = os.environ.get(VARIABLE, "")
    if not secret:
        return b""
    if len(secret) < LEAST_CHARACTERS:
        raise IndexKeyError(
            f"{VARIABLE} has {len(secret)} characters and needs {LEAST_CHARACTERS} at least; make one with "
            '"openssl rand -hex 32"'
        )
    return sha256(secret.encode("utf-8", "surrogateescape")).digest()


@lru_cache(maxsize=8)
def _known_key(path: Path, inode: int) -> bytes:  # noqa: ARG001  # another file is another key
    try:
        handle = os.open(path, READ)
        try:
            found = os.fstat(handle)
            if not stat.S_ISREG(found.st_mode):
                raise IndexKeyError(f"{path} is no regular file; remove it, and a new key is made")
            if found.st_uid != os.geteuid():
                raise IndexKeyError(f"{path} belongs to another user; set XDG_DATA_HOME or HOME to folders of your own")
            if found.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
                raise IndexKeyError(f'others may read or write {path}, which signs your indexes; run "chmod 600" on it')
            text = os.read(handle, 4 * KEY_BYTES).decode("ascii", "replace").strip()
        finally:
            os.close(handle)
    except OSError as error:
        raise IndexKeyError(
            f"{path} cannot be read: {error.strerror}; it holds the key that signs your indexes"
        ) from error
    try:
        key = bytes.fromhex(text)
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise IndexKeyError(f"{path} holds no key; remove it, and a new one is made")
    return key


def _own_key(path: Path) -> bytes:
    """Return the key of this user, b"" if there is none yet."""
    try:
        return _known_key(path, os.lstat(path).st_ino)
    except (FileNotFoundError, NotADirectoryError):
        return b""
    except OSError as error:
        raise IndexKeyError(
            f"{path} cannot be read: {error.strerror}; it holds the key that signs your indexes"
        ) from error


def _made_key(path: Path) -> bytes:
    """Return the key of this user, made where there is none; of two processes that make one, the first is right."""
    if known := _own_key(path):
        return known
    temporary = path.with_name(f"{path.name}.{os.getpid()}.{os.urandom(4).hex()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600), "w") as file:
                file.write(f"{os.urandom(KEY_BYTES).hex()}\n")
                file.flush()
                os.fsync(file.fileno())
            with suppress(FileExistsError):
                os.link(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise IndexKeyError(
            f"the key that signs your indexes cannot be written to {path}: {error.strerror}; set XDG_DATA_HOME to a "
            f"folder of your own, or {VARIABLE}"
        ) from error
    return _own_key(path)
