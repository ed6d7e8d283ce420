"""A text to the same text with asterisks for its secrets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from coderag.files.privacy.secrets.env_values import find_env_values
from coderag.files.privacy.secrets.formats import find_formats
from coderag.files.privacy.secrets.secret import Secret
from coderag.files.privacy.secrets.span import SecretSpan

__all__ = ["Masked", "mask_secrets"]

SLASH = ord("/")


@dataclass(frozen=True, slots=True)
class Masked:
    """A text without secrets, byte for byte as long as before, with the same lines."""

    data: bytes
    secrets: tuple[Secret, ...] = ()  # in order


def mask_secrets(data: bytes, *, path: str = "") -> Masked:
    """Return a text in UTF-8 with "*" for every byte of a secret; its name tells whether it holds settings."""
    secrets = [*find_formats(data), *find_env_values(data, path=path)]
    if not secrets:
        return Masked(data)
    covered = bytearray(data)
    for secret in secrets:
        for start, end in secret.spans:
            _cover(covered, start, end)
    return Masked(bytes(covered), tuple(_told(data, _apart(secrets))))


def _apart(found: Iterable[SecretSpan]) -> list[SecretSpan]:
    """Return what is told of: in order, and of those that overlap the one that begins first and is longest."""
    kept: list[SecretSpan] = []
    end = 0
    for one in sorted(found, key=lambda each: (each.spans[0][0], -each.spans[-1][1])):
        if one.spans[0][0] >= end:
            kept.append(one)
            end = one.spans[-1][1]
    return kept


def _told(data: bytes, found: Iterable[SecretSpan]) -> Iterator[Secret]:
    """Yield where secrets are that are given in order."""
    line, counted = 1, 0
    for one in found:
        start = one.spans[0][0]
        line += data.count(b"\n", counted, start)
        counted = start
        yield Secret(line, one.kind)


def _cover(data: bytearray, start: int, end: int) -> None:
    # With a slash beside them, asterisks would begin or end a comment.
    if start and data[start - 1] == SLASH:
        start -= 1
    if end < len(data) and data[end] == SLASH:
        end += 1
    data[start:end] = b"*" * (end - start)
