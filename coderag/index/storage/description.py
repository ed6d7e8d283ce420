"""What a segment says of its files beside its tables: languages, what went wrong with which, what was covered where.

{"languages": {name: content}, "problems": {file: text}, "masked": {file: [[line, kind], ...]}, "text_checksum": crc32}

Thousands of files may have problems, and most readers ask of a few files or of none: so that is looked at when it is
asked.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from coderag.files.privacy.secrets.secret import Secret
from coderag.types import Content

__all__ = ["Description", "encode_description"]

FIELDS = ("languages", "problems", "masked")
CONTENTS = frozenset(map(str, Content))


def encode_description(
    *,
    languages: Mapping[str, str],
    problems: Mapping[int, str],
    masked: Mapping[int, tuple[Secret, ...]],
    text_checksum: int,
) -> bytes:
    """Return a description as it is stored; files are numbers, and only those are named that have something."""
    secrets = {number: [(secret.line, secret.kind) for secret in found] for number, found in masked.items()}
    about = {"languages": languages, "problems": problems, "masked": secrets, "text_checksum": text_checksum}
    return json.dumps(about).encode()


class Description:
    """What `encode_description` gave; every method raises ValueError where it was something else."""

    def __init__(self, raw: bytes) -> None:
        try:
            about = json.loads(raw)
        except RecursionError as error:
            raise ValueError("its description has no end") from error
        if not isinstance(about, dict) or not all(isinstance(about.get(name), dict) for name in FIELDS):
            raise ValueError("its description lacks a table")
        self.languages: dict[str, str] = about["languages"]  # each with what its files hold: a Content
        if not all(isinstance(language, str) and language in CONTENTS for language in self.languages.values()):
            raise ValueError("its files hold what is unknown")
        self.text_checksum = about.get("text_checksum")
        self._problems: dict[str, Any] = about["problems"]
        self._masked: dict[str, Any] = about["masked"]

    def problem(self, file: int) -> str:
        """Return what went wrong with a file, "" if nothing did."""
        problem = self._problems.get(str(file), "")
        if not isinstance(problem, str):
            raise ValueError(f"the problem of file {file} is no text")
        return problem

    def masked(self, file: int) -> tuple[Secret, ...]:
        """Return the secrets that a file holds no longer."""
        rows = self._masked.get(str(file), [])
        if not isinstance(rows, list) or not all(map(_is_secret, rows)):
            raise ValueError(f"the secrets of file {file} are no places")
        return tuple(Secret(*row) for row in rows)

    def files_with_problems(self) -> list[int]:
        """Return the numbers of the files with which something went wrong."""
        return list(map(int, self._problems))

    def files_masked(self) -> list[int]:
        """Return the numbers of the files that held secrets."""
        return list(map(int, self._masked))


def _is_secret(value: object) -> bool:
    return isinstance(value, list) and len(value) == 2 and type(value[0]) is int and isinstance(value[1], str)
