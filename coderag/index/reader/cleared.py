"""The files of an index that declare or use databases that some rules hide."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from coderag.errors import SettingsError, StoredIndexError
from coderag.index.catalog.table_names import TableNames
from coderag.index.storage.folder.ownership import default_folder
from coderag.index.storage.manifest import SEGMENTS, Manifest, manifest_stamp, read_manifest
from coderag.index.storage.segment import Segment
from coderag.sql.settings import AccessRule, Settings, read_settings

if TYPE_CHECKING:
    from coderag.index.catalog.catalog import Catalog

__all__ = ["blobs_of", "cleared_files", "files_of_databases", "index_state", "is_called"]


def files_of_databases(
    manifest: Manifest,
    segments: Sequence[Segment],
    rules: Sequence[AccessRule],
    *,
    settings: Settings,
    catalog: Catalog | None,
) -> frozenset[str]:
    """Return the files of a database that a rule names, and the names of such databases that were introspected.

    `catalog` is the schema of the files, None if they declare none.
    """
    found = frozenset(_written_in(manifest, segments, rules, settings))
    if catalog is None:
        return found
    files = catalog.files
    found |= files.at([any(is_called(rule, name) for rule in rules) for name, _ in files.places])
    return found.union(_querying(manifest, segments, rules, catalog))


def cleared_files(root: Path, rules: Sequence[AccessRule]) -> Mapping[str, bytes] | None:
    """Return the files in the index of a root that belong to no database that a rule names, with their hashes.

    None if the root has no index that can be read.
    """
    from coderag.index.catalog.catalog import Catalog

    try:
        folder, _ = default_folder(root)
        manifest = read_manifest(folder)
        segments = [Segment(folder / SEGMENTS / entry.name) for entry in manifest.segments]
        catalog = Catalog.open(folder / manifest.catalog) if manifest.catalog else None
        hidden = files_of_databases(manifest, segments, rules, settings=read_settings(root), catalog=catalog)
        return {path: blob for path, blob in blobs_of(manifest, segments) if path not in hidden}
    except (StoredIndexError, SettingsError):
        return None


def index_state(root: Path) -> tuple[int, int, int]:
    """Return what changes whenever the index of a root does."""
    try:
        return manifest_stamp(default_folder(root)[0])
    except (OSError, StoredIndexError):
        return 0, 0, 0


def blobs_of(manifest: Manifest, segments: Sequence[Segment]) -> Iterator[tuple[str, bytes]]:
    """Yield the files of an index with the hashes of their content."""
    for entry, segment in zip(manifest.segments, segments, strict=True):
        dead, blobs = set(entry.dead), segment.arrays["file_blob"]
        for number, path in enumerate(segment.paths.all()):
            if number not in dead:
                yield path, bytes(blobs[number])


def is_called(rule: AccessRule, database: str) -> bool:
    """Tell whether a rule names a database, by what the catalog calls it or by the part of that which is its own."""
    folded = database.casefold()
    bare = folded.split("@")[0]  # without its environment
    known = {folded, bare, bare.rpartition("/")[2]} - {""}
    return any(name.casefold() in known for name in rule.databases)


def _written_in(
    manifest: Manifest, segments: Sequence[Segment], rules: Sequence[AccessRule], settings: Settings
) -> Iterator[str]:
    """Yield the files that hidden databases are written in, or set for, also where nothing else mentions these."""
    for entry, segment in zip(manifest.segments, segments, strict=True):
        dead = set(entry.dead)
        for number in segment.files_with_facts():
            if number in dead:
                continue
            path = segment.paths[number]
            names = (settings.for_path(path).database, segment.facts(number).database)
            if any(is_called(rule, name) for rule in rules for name in names):
                yield path


def _querying(
    manifest: Manifest, segments: Sequence[Segment], rules: Sequence[AccessRule], catalog: Catalog
) -> Iterator[str]:
    """Yield the files of code whose statements name a table that may be one of a hidden database."""
    tables = list(catalog.tables)
    hidden = {
        number for number, table in enumerate(tables) if any(is_called(rule, table.name.database) for rule in rules)
    }
    names = TableNames(tables)
    for entry, segment in zip(manifest.segments, segments, strict=True):
        dead = set(entry.dead)
        for number in range(entry.files) if hidden else ():
            if number in dead:
                continue
            statements = segment.uses(number).statements
            if any(
                hidden.intersection(names.all_called(use.table)) for statement in statements for use in statement.tables
            ):
                yield segment.paths[number]
