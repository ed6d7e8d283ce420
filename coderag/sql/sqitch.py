"""The head of a script that Sqitch deploys to its place among the others: its change, and those that it requires.

https://sqitch.org/docs/manual/sqitch-add/
"""

from __future__ import annotations

from coderag.sql.records import Series

__all__ = ["sqitch_series"]

HEAD_BYTES = 2_000
DEPLOY = "Deploy "
REQUIRES = "requires:"
FOLDER = "deploy/"


def sqitch_series(data: bytes, path: str) -> Series | None:
    """Return the place of a script that begins with "-- Deploy project:change to pg"; None for any other file."""
    _, found, change = f"/{path}".rpartition(f"/{FOLDER}")
    head = data[:HEAD_BYTES]
    if not found or DEPLOY.encode() not in head:
        return None
    comments = _comments(head.decode("utf-8", "replace"))
    if not comments or not comments[0].startswith(DEPLOY):
        return None
    required = (line.removeprefix(REQUIRES) for line in comments if line.startswith(REQUIRES))
    names = (_change(name) for line in required for name in line.replace(",", " ").split())
    return Series("sqitch", name=change.rpartition(".")[0], after=tuple(dict.fromkeys(filter(None, names))))


def _comments(text: str) -> list[str]:
    """Return the comments at the beginning of a text, up to its first statement."""
    found: list[str] = []
    for line in text.splitlines():
        bare = line.strip()
        if bare and not bare.startswith("--"):
            break
        if bare:
            found.append(bare.lstrip("- "))
    return found


def _change(name: str) -> str:
    """Return the change that a dependency names, without project and tag; "" for what must not be deployed."""
    return "" if name.startswith("!") else name.rpartition(":")[2].partition("@")[0]
