"""The status of a root to the record that JSON has of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from coderag.api.records import plain

if TYPE_CHECKING:
    from coderag.files.walk import Skipped
    from coderag.index.reader.status import Changes, MaskedFile, Status

__all__ = ["is_fresh", "masked_counts", "skipped_counts", "status_record"]


def status_record(status: Status, *, verbose: bool = False) -> dict[str, Any]:
    """Return the status of a root; `verbose` names what was skipped and masked, else it is counted."""
    record: dict[str, Any] = plain(status)
    record |= {"files": status.files, "chunks": status.chunks, "source_bytes": status.source_bytes}
    record["fresh"] = is_fresh(status.changes)
    if not verbose:
        record["skipped"] = skipped_counts(status.skipped)
        record["masked"] = masked_counts(status.masked)
    return record


def is_fresh(changes: Changes | None) -> bool:
    """Tell whether nothing changed."""
    return changes is not None and not (changes.new or changes.changed or changes.gone or changes.outdated)


def skipped_counts(skipped: Iterable[Skipped]) -> dict[str, int]:
    """Return how many files and folders were left out for each reason, the most frequent first."""
    counts = Counter(str(file.reason) for file in skipped)
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def masked_counts(masked: Iterable[MaskedFile]) -> dict[str, int]:
    """Return how many secrets of each kind are covered, the most frequent first."""
    counts = Counter(secret.kind for masked_file in masked for secret in masked_file.secrets)
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
