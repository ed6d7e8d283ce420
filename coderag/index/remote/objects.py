"""Files below an address: a folder, or what fsspec knows, such as s3://, gs:// and memory:// (extra `remote`)."""

from __future__ import annotations

import os
import shutil
import stat
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from os import urandom
from pathlib import PurePosixPath
from typing import Any, NamedTuple
from urllib.parse import unquote

from coderag.errors import QueryError, RemoteStoreError
from coderag.extras import Extra, how_to_install
from coderag.index.storage.arrays.arrays import MAPPED_BYTES
from coderag.index.storage.folder.index_path import IndexPath

__all__ = ["ObjectStore", "Range", "secrets_of", "shown_address", "without_secrets"]

BLOCK_BYTES = 1 << 20
# They take credentials from their own settings; what stands before the @ of a bucket would be part of its name.
WITHOUT_USERS = frozenset({"s3", "s3a", "gs", "gcs"})
FOLDERS = frozenset({"file", "local"})


def shown_address(address: str) -> str:
    """Return an address as messages and records show it: without credentials and options."""
    scheme, colon, rest = address.partition("://")
    return f"{scheme}{colon}{rest.rpartition('@')[2].partition('?')[0]}".rstrip("/") if colon else address.rstrip("/")


class Range(NamedTuple):
    """Some bytes of a file."""

    name: str
    begin: int
    end: int


class ObjectStore:
    """Files below an address, by names with slashes. Every method raises RemoteStoreError for what the store says.

    `address` is the one that may be shown.
    """

    def __init__(self, address: str) -> None:
        """Take an address such as s3://bucket/folder or file:///folder; raises QueryError for one of no kind."""
        try:
            import fsspec
        except ImportError as error:
            raise QueryError(f"a store needs an extra; {how_to_install(Extra.REMOTE)}") from error
        self.address = shown_address(address)
        self._secrets = secrets_of(address)
        _check_place(address, self.address)
        try:
            self._files, base = fsspec.core.url_to_fs(address, use_listings_cache=False)
        except ImportError as error:  # fsspec says which package that kind of store needs
            raise QueryError(f"{self.address} needs a package: {error}") from error
        except ValueError as error:
            raise QueryError(f"{self.address!r} is no address of a store: {self._without_secrets(error)}") from error
        self._base = str(base).rstrip("/")
        # A file that is half written must not have its name; a store of objects shows none before it is whole.
        self._renames = "file" in self._protocols()

    def read(self, name: str, most_bytes: int) -> bytes | None:
        """Return what a file holds, None where there is none."""
        with self._asking(name):
            try:
                with self._files.open(self._path(name), "rb") as file:
                    data: bytes = file.read(most_bytes + 1)
            except FileNotFoundError:
                return None
        if len(data) > most_bytes:
            raise RemoteStoreError(f"{self.address}/{name} is larger than {most_bytes:,} bytes")
        return data

    def read_each(self, names: Sequence[str], most_bytes: int) -> list[bytes | None]:
        """Return what each of some files holds, None for those that are not there; a store may send several at once."""
        found = self._ranges([Range(name, 0, most_bytes + 1) for name in names])
        for name, data in zip(names, found, strict=True):
            if data is not None and len(data) > most_bytes:
                raise RemoteStoreError(f"{self.address}/{name} is larger than {most_bytes:,} bytes")
        return found

    def read_ranges(self, ranges: Sequence[Range]) -> list[bytes]:
        """Return some ranges of files, several at once; raises FileNotFoundError for a file that is not there."""
        found: list[bytes] = []
        for range_, data in zip(ranges, self._ranges(ranges), strict=True):
            if data is None:
                raise FileNotFoundError(f"{self.address}/{range_.name}")
            if len(data) != range_.end - range_.begin:
                raise RemoteStoreError(f"{self.address}/{range_.name} ends before byte {range_.end:,}")
            found.append(data)
        return found

    def _ranges(self, ranges: Sequence[Range]) -> list[bytes | None]:
        if not ranges:
            return []
        for name in {range_.name for range_ in ranges} if self._renames else ():
            self._check_links(name, removes=False)
        where = ranges[0].name
        with self._asking(where):
            found = self._files.cat_ranges(
                [self._path(range_.name) for range_ in ranges],
                [range_.begin for range_ in ranges],
                [range_.end for range_ in ranges],
                on_error="return",
            )
            for data in found:
                if isinstance(data, Exception) and not isinstance(data, FileNotFoundError):
                    raise data
        return [None if isinstance(data, Exception) else bytes(data) for data in found]

    def has(self, name: str, size: int) -> bool:
        """Tell whether there is a file of that size."""
        return self.size(name) == size

    def size(self, name: str) -> int:
        """Return how many bytes a file has, -1 where there is none."""
        with self._asking(name):
            try:
                return int(self._files.info(self._path(name))["size"])
            except FileNotFoundError:
                return -1

    def write(self, name: str, data: bytes) -> None:
        """Write a file; who reads it meanwhile gets the old one or the new one."""
        with self._asking(name), self._new(name) as file:
            file.write(data)

    def upload(self, source: IndexPath, name: str) -> None:
        """Write a file of an index; raises OSError where that cannot be read."""
        with source.open(MAPPED_BYTES) as read, self._asking(name), self._new(name) as file:
            shutil.copyfileobj(read, file, BLOCK_BYTES)

    def download(self, name: str, target: IndexPath, size: int) -> None:
        """Write a file of that size into a folder of an index; raises OSError where that cannot be written."""
        left = size + 1
        with self._opened(name) as file, target.create() as written:
            while left:
                with self._asking(name):
                    block = file.read(min(BLOCK_BYTES, left))
                if not block:
                    break
                written.write(block)
                left -= len(block)
        if left != 1:
            raise RemoteStoreError(f"{self.address}/{name} has not the {size:,} bytes that it should have")

    def names(self, folder: str) -> Iterator[tuple[str, float]]:
        """Yield the files below a folder, with the seconds since each was written."""
        base = self._path(folder)
        with self._asking(folder):
            try:
                found: dict[str, dict[str, Any]] = self._files.find(base, detail=True)
            except FileNotFoundError:
                return
        for path, about in sorted(found.items()):
            if about.get("islink"):  # nothing of coderag's
                continue
            yield f"{folder}/{PurePosixPath(path).relative_to(PurePosixPath(base))}", _age_of(about)

    def remove(self, name: str) -> bool:
        """Remove a file, and tell whether there was one; a store that does not say is believed to have had it."""
        with self._asking(name, removes=True):
            try:
                self._files.rm_file(self._path(name))
            except FileNotFoundError:  # another process removed it
                return False
        return True

    def _path(self, name: str) -> str:
        return f"{self._base}/{name}"

    def _protocols(self) -> tuple[str, ...]:
        protocol = self._files.protocol
        return (protocol,) if isinstance(protocol, str) else tuple(protocol)

    @contextmanager
    def _opened(self, name: str) -> Iterator[Any]:
        with self._asking(name):
            file = self._files.open(self._path(name), "rb")
        try:
            yield file
        finally:
            file.close()

    @contextmanager
    def _new(self, name: str) -> Iterator[Any]:
        path = self._path(name)
        if not self._renames:
            with self._files.open(path, "wb") as file:
                yield file
            return
        made = f"{path}.{urandom(6).hex()}.tmp"
        self._files.makedirs(path.rpartition("/")[0], exist_ok=True)
        with self._files.open(made, "wb") as file:
            yield file
        self._files.mv(made, path)

    @contextmanager
    def _asking(self, name: str, *, removes: bool = False) -> Iterator[None]:
        if self._renames:
            self._check_links(name, removes=removes)
        try:
            yield
        except (RemoteStoreError, KeyboardInterrupt):
            raise
        except Exception as error:  # whatever the store's own library raises
            said = f"{type(error).__name__}: {self._without_secrets(error)}"
            raise RemoteStoreError(f"{self.address}/{name}: {said}") from error

    def _check_links(self, name: str, *, removes: bool) -> None:
        """Raise RemoteStoreError for a link or a special file below a folder, to which others may write, too.

        Through a link, files elsewhere would be read, replaced or removed; to remove a link itself does no harm.
        """
        path = self._base
        parts = name.split("/")
        for number, part in enumerate(parts):
            path = f"{path}/{part}"
            try:
                mode = os.lstat(path).st_mode
            except OSError:  # it is not there, or whoever asks for it is told
                return
            if not (stat.S_ISDIR(mode) or stat.S_ISREG(mode)) and not (removes and number == len(parts) - 1):
                shown = "/".join(parts[: number + 1])
                raise RemoteStoreError(f"{self.address}/{shown} is a link or no regular file; remove it")

    def _without_secrets(self, error: Exception) -> str:
        """Return what a library says, which may repeat the address that it was given."""
        return without_secrets(str(error), self._secrets)


def secrets_of(address: str) -> tuple[str, ...]:
    """Return the parts of an address that no message may show, the longest first."""
    place, _, options = address.partition("://")[2].partition("?")
    user = place.rpartition("@")[0]
    parts = (user, user.partition(":")[2], options) if ":" in user else (options,)
    found = {form for part in parts if part for form in (part, unquote(part))}
    return tuple(sorted(found, key=len, reverse=True))


def without_secrets(text: str, secrets: Iterable[str]) -> str:
    """Return a text with the secrets of an address blotted out."""
    for secret in secrets:
        text = text.replace(secret, "***")
    return text


def _check_place(address: str, shown: str) -> None:
    """Raise QueryError for an address that means another place than it seems to."""
    scheme, _, rest = address.partition("://")
    if scheme in WITHOUT_USERS and "@" in rest.partition("/")[0]:
        raise QueryError(
            f"{shown} takes no credentials from its address; leave them out, and set those of its own tools"
        )
    if scheme in FOLDERS and not rest.startswith("/"):
        raise QueryError(f"{shown} needs a folder from the root on, as in file:///srv/indexes")


def _age_of(about: dict[str, Any]) -> float:
    """Return the seconds since a file was written, as the store says it; 0 where it does not."""
    for key in ("mtime", "LastModified", "last_modified", "created", "updated"):
        when = about.get(key)
        if isinstance(when, int | float):
            return max(time.time() - when, 0.0)
        if isinstance(when, datetime):
            known = when if when.tzinfo else when.replace(tzinfo=UTC)
            return max((datetime.now(UTC) - known).total_seconds(), 0.0)
    return 0.0
