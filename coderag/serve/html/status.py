"""The status of each root to what its page says: what is indexed, what is left out and why, how fresh it is."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from coderag.api.index import Index
from coderag.files.walk import Skipped
from coderag.index.reader.status import Status
from coderag.text.counted import ago

__all__ = ["Reason", "RootStatus", "root_statuses"]

NAMED = 100  # files of a reason
NS = 1e9  # nanoseconds of a second


@dataclass(frozen=True, slots=True)
class Reason:
    """Why files are left out, and which."""

    reason: str
    skipped: tuple[Skipped, ...]  # the first of them
    total: int


@dataclass(frozen=True, slots=True)
class RootStatus:
    """What is said of one root."""

    status: Status
    age: str
    written: str
    reasons: tuple[Reason, ...]
    changed: int  # files that differ from the index
    most_files: int  # of a language


def root_statuses(index: Index) -> list[RootStatus]:
    """Return the status of each root, its files compared with the disk."""
    return [_root_status(status) for status in index.status()]


def _root_status(status: Status) -> RootStatus:
    seconds = status.updated_ns / NS
    changes = status.changes
    return RootStatus(
        status=status,
        age=ago(max(time.time() - seconds, 0.0)),
        written=time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds)),
        reasons=tuple(_reasons(status.skipped)),
        changed=len(changes.new) + len(changes.changed) + len(changes.gone) if changes else 0,
        most_files=max((language.files for language in status.languages), default=1),
    )


def _reasons(skipped: Sequence[Skipped]) -> list[Reason]:
    by_reason: dict[str, list[Skipped]] = {}
    for one in skipped:
        by_reason.setdefault(str(one.reason), []).append(one)
    reasons = [Reason(reason, tuple(ones[:NAMED]), len(ones)) for reason, ones in by_reason.items()]
    return sorted(reasons, key=lambda reason: (-reason.total, reason.reason))
