"""The address of a git repository, as people write it, to its parts, without ever showing credentials."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit

from coderag.errors import RootError

__all__ = ["GIT_SCHEMES", "GitAddress", "is_git_address", "parse_git_address"]

SCHEMES = ("https", "ssh", "file")
GIT_SCHEMES = frozenset({*SCHEMES, "http", "git", "ftp", "ftps", "rsync", "git+ssh", "git+https", "git+file"})
LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})
SHELL_ADDRESS = re.compile(r"[\w.-]+@[\w.-]+:(?!/{2})")  # git@host:owner/name
HELPER = re.compile(r"[A-Za-z0-9][\w.+-]*::")  # names a program to run: ext::sh -c ...
REVISION = re.compile(
    r"(?![-/.])[^\x00-\x20\x7f~^:?*\[\\]{1,250}"
)  # as git check-ref-format has it, but for "..", "@{"
UNPRINTED = re.compile(r"[\x00-\x20\x7f]")
OWNER_AND_NAME = 2  # parts of a repository's name
LEAST_TOKEN = 8  # characters of a user's name that may be a token
MAX_SHOWN = 200  # characters of an address in a message


@dataclass(frozen=True, slots=True)
class GitAddress:
    """Where a repository is, and which revision of it; `repr` and `shown` hold no credentials."""

    shown: str  # without user, password and revision
    parts: tuple[str, ...]  # the host, then the folders and the name
    revision: str = ""  # "": what the repository checks out by itself
    scheme: str = ""
    url: str = field(default="", repr=False)  # what git is given
    secrets: tuple[str, ...] = field(default=(), repr=False)

    @property
    def name(self) -> str:
        """The name of the repository: owner/name."""
        return "/".join(self.parts[1:][-OWNER_AND_NAME:])

    @property
    def host(self) -> str:
        """The host, "" for a repository of this machine."""
        return self.parts[0]

    def __str__(self) -> str:
        return f"{self.shown}@{self.revision}" if self.revision else self.shown

    def without_secrets(self, text: str) -> str:
        """Return a text, such as a message of git, with the credentials of this address blotted out."""
        for secret in sorted(self.secrets, key=len, reverse=True):
            text = text.replace(secret, "***")
        return text


def is_git_address(text: str) -> bool:
    """Tell whether a text is meant as the address of a git repository, and not as a folder or a database."""
    scheme, colon, _ = text.partition("://")
    if colon:
        return scheme.lower() in GIT_SCHEMES
    meant = SHELL_ADDRESS.match(text) or HELPER.match(text)
    return meant is not None and not _is_there(text)


def _is_there(text: str) -> bool:
    with suppress(OSError, ValueError):
        return Path(text).exists()
    return False


def parse_git_address(text: str, *, loopback: bool = False) -> GitAddress:
    """Return the address that a text means: https, ssh, file, or git@host:owner/name, with @REVISION behind it.

    With `loopback`, http is understood for this machine. Raises RootError, whose text has no credentials.
    """
    if UNPRINTED.search(text) or HELPER.match(text):
        raise _refused(text, "give https://, ssh://, file:/// or git@host:owner/name")
    scheme, colon, rest = text.partition("://")
    if not colon:
        login, _, rest = text.partition(":")
        user, _, host = login.rpartition("@")
        return _address(text, scheme="ssh", login=user, place=(host, rest), shown=f"{login}:")
    scheme = scheme.lower()
    authority, slash, path = rest.partition("/")
    login, _, host = authority.rpartition("@")
    if scheme not in SCHEMES and not (scheme == "http" and loopback and _name_of_host(host) in LOOPBACK):
        raise _refused(text, _instead_of(scheme))
    if scheme == "file":
        if authority or not slash:
            raise _refused(text, "an address of a file has three slashes: file:///srv/repository.git")
        return _address(text, scheme=scheme, login="", place=("", path), shown="file:///")
    user = f"{login.partition(':')[0]}@" if scheme == "ssh" and login else ""  # which is no secret: "git"
    return _address(text, scheme=scheme, login=login, place=(host, path), shown=f"{scheme}://{user}{host.lower()}/")


def _name_of_host(host: str) -> str:
    return host.lower() if host.endswith("]") else host.lower().partition(":")[0]


def _instead_of(scheme: str) -> str:
    if scheme in ("http", "git"):
        return f"{scheme}:// is not encrypted, so what arrives may be anything; give https:// or ssh://"
    return f"{scheme}:// is not understood; give https://, ssh://, file:/// or git@host:owner/name"


def _address(text: str, *, scheme: str, login: str, place: tuple[str, str], shown: str) -> GitAddress:
    """Return an address of its parts; raises RootError."""
    host, path = place
    path, at, revision = path.partition("@")
    if at and (REVISION.fullmatch(revision) is None or ".." in revision or "@{" in revision):
        raise _refused(text, "what follows the last @ is no revision; give a branch, a tag or a whole commit id")
    if "?" in path or "#" in path:
        raise _refused(text, "the address of a repository has no ? and no #")
    named = tuple(unquote(part) for part in path.strip("/").removesuffix(".git").split("/"))
    if any(part in ("", ".", "..") or part.startswith("-") or not part.isprintable() for part in named):
        raise _refused(text, "it does not lead to a repository such as owner/name")
    if scheme != "file" and (not host or host.startswith("-") or login.startswith("-")):
        raise _refused(text, "it names no host")
    url = text[: len(text) - len(revision) - len(at)]
    if scheme != "file" and "://" in url:
        _check_port(text, url)
    return GitAddress(
        shown=shown + path.rstrip("/"),
        parts=(host.lower(), *named),
        revision=revision,
        scheme=scheme,
        url=url,
        secrets=tuple(_secrets(login)) if scheme != "ssh" or ":" in login else (),
    )


def _check_port(text: str, url: str) -> None:
    try:
        urlsplit(url).port  # noqa: B018 - it raises
    except ValueError:
        raise _refused(text, "its port is no number") from None


def _secrets(login: str) -> Iterator[str]:
    """Yield what may be secret in the part of an address before the host, as written and as it is meant."""
    user, _, password = login.partition(":")
    for secret in (login and f"{login}@", password, user if len(user) >= LEAST_TOKEN else ""):
        if secret:
            yield from {secret, unquote(secret)}


def _refused(text: str, why: str) -> RootError:
    """Return the error for an address, which is shown without what stands before the host."""
    scheme, colon, rest = text.partition("://")
    _, at, end = rest.rpartition("@")  # the last one: a password may hold others, and slashes
    shown = f"{scheme}://{'***@' if at else ''}{end}" if colon else text
    return RootError(f"{shown[:MAX_SHOWN]!r} is not cloned: {why}")
