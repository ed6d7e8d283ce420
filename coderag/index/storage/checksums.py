"""Every byte of an index against the sums that its manifest has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from coderag.errors import IndexDamagedError, IndexFormatError, IndexUnsafeError, IndexUntrustedError
from coderag.index.storage.database_snapshots import read_snapshots
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.manifest import SEGMENTS, Manifest, SegmentEntry, Sum
from coderag.index.storage.manifest_writer import sum_of
from coderag.record import record

__all__ = ["Damage", "check_segment", "damage_of", "damaged_files", "is_sound"]


@record
class Damage:
    """A file of an index that is not what was written."""

    path: str  # from the index folder
    problem: str


def damage_of(folder: IndexPath, manifest: Manifest) -> list[Damage]:
    """Return every file of an index that is not what was written, in order of path."""
    damages = damaged_files(folder, manifest)
    try:
        read_snapshots(folder)
    except (IndexDamagedError, IndexFormatError, IndexUntrustedError) as error:
        damages.append(Damage("databases", str(error)))
    return sorted(damages, key=lambda damage: damage.path)


def damaged_files(folder: IndexPath, manifest: Manifest) -> list[Damage]:
    """Return every file that a manifest has a sum of, and that does not match it."""
    sums: dict[str, Sum] = {manifest.listing: manifest.listing_sum}
    if manifest.catalog:
        sums[manifest.catalog] = manifest.catalog_sum
    if manifest.graph:
        sums[manifest.graph] = manifest.graph_sum
    if manifest.history:
        sums[manifest.history] = manifest.history_sum
    if manifest.hnsw:
        sums[manifest.hnsw] = manifest.hnsw_sum
    for entry in manifest.segments:
        sums |= {f"{SEGMENTS}/{entry.name}/{name}": found for name, found in entry.sums.items()}
    return [*_differing(folder, sums)]


def check_segment(folder: IndexPath, entry: SegmentEntry) -> None:
    """Compare every byte of a segment in its folder with the sums; raises IndexDamagedError."""
    for damage in _differing(folder, entry.sums):
        raise IndexDamagedError(f'{folder}/{damage.path} is damaged: {damage.problem}; run "coderag index"')


def is_sound(path: IndexPath, known: Sum) -> bool:
    """Tell whether a file is what was written."""
    return not any(_differing(path.parent, {path.name: known}))


def _differing(folder: IndexPath, sums: Mapping[str, Sum]) -> Iterator[Damage]:
    for name, (size, digest) in sums.items():
        path = folder
        for part in name.split("/"):
            path = path / part
        try:
            actual = sum_of(path)
        except (OSError, IndexUnsafeError) as error:
            yield Damage(name, f"it cannot be read: {getattr(error, 'strerror', error)}")
            continue
        if actual[0] != size:
            yield Damage(name, f"it has {actual[0]:,} bytes and should have {size:,}")
        elif actual[1] != digest:
            yield Damage(name, "its checksum does not match")
