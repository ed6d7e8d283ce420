"""Every byte of an index against the sums that its manifest has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from coderag.errors import IndexDamagedError, IndexFormatError
from coderag.index.manifest import SEGMENTS, Manifest, SegmentEntry, Sum, sum_of
from coderag.index.snapshots import read_snapshots

__all__ = ["Damage", "check_segment", "damage_of", "is_sound"]


@dataclass(frozen=True, slots=True)
class Damage:
    """A file of an index that is not what was written."""

    path: str  # from the index folder
    problem: str


def damage_of(folder: Path, manifest: Manifest) -> list[Damage]:
    """Return every file of an index that is not what was written, in order of path."""
    sums: dict[str, Sum] = {manifest.listing: manifest.listing_sum}
    if manifest.catalog:
        sums[manifest.catalog] = manifest.catalog_sum
    if manifest.graph:
        sums[manifest.graph] = manifest.graph_sum
    for entry in manifest.segments:
        sums |= {f"{SEGMENTS}/{entry.name}/{name}": found for name, found in entry.sums.items()}
    found = [*_differing(folder, sums)]
    try:
        read_snapshots(folder)
    except (IndexDamagedError, IndexFormatError) as error:
        found.append(Damage("databases", str(error)))
    return sorted(found, key=lambda one: one.path)


def check_segment(folder: Path, entry: SegmentEntry) -> None:
    """Compare every byte of a segment in its folder with the sums; raises IndexDamagedError."""
    for one in _differing(folder, entry.sums):
        raise IndexDamagedError(f'{folder / one.path} is damaged: {one.problem}; run "coderag index"')


def is_sound(path: Path, known: Sum) -> bool:
    """Tell whether a file is what was written."""
    return not any(_differing(path.parent, {path.name: known}))


def _differing(folder: Path, sums: Mapping[str, Sum]) -> Iterator[Damage]:
    for name, (size, checksum) in sums.items():
        try:
            found = sum_of(folder / name)
        except OSError as error:
            yield Damage(name, f"it cannot be read: {error.strerror}")
            continue
        if found[0] != size:
            yield Damage(name, f"it has {found[0]:,} bytes and should have {size:,}")
        elif found[1] != checksum:
            yield Damage(name, "its checksum does not match")
