"""The facts of all files and databases, to the catalog of an index."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from hashlib import blake2b
from typing import TYPE_CHECKING

from msgspec.structs import replace

from coderag.index.build.embed import Embedding
from coderag.index.build.segment_ref import SegmentRef
from coderag.index.storage.columns import unpack_labels
from coderag.index.storage.database_snapshots import DatabaseSnapshot, read_snapshots
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.record_json import encode_record
from coderag.index.storage.segment import Segment
from coderag.sql.records import Schema, SchemaFile
from coderag.sql.settings import Settings

if TYPE_CHECKING:
    from coderag.index.catalog.vectors import SchemaVectors

__all__ = [
    "CATALOG_VERSION",
    "catalog_key",
    "fold_files",
    "fold_schema",
    "schema_files",
    "tells_of_schemas",
    "write_schema",
]

CATALOG_VERSION = 7  # raise it when the same facts give another catalog


def catalog_key(folder: IndexPath, settings: Settings) -> str:
    """Return the identity of what a catalog is folded from besides the files: settings and databases."""
    known = blake2b(f"{CATALOG_VERSION}".encode(), digest_size=8)
    known.update(encode_record(settings))
    for snapshot in read_snapshots(folder):
        known.update(f"\0{snapshot.name}\0{snapshot.taken}".encode())
    return known.hexdigest()


def tells_of_schemas(segments: Iterable[tuple[Segment, Iterable[int]]]) -> bool:
    """Tell whether one of some files, by their numbers in their segments, declares or uses a schema."""
    return any(set(segment.files_with_facts()) & set(numbers) for segment, numbers in segments)


def write_schema(path: IndexPath, parts: Sequence[SegmentRef], settings: Settings, *, embedding: Embedding) -> bool:
    """Write the schema of the files of some segments and the snapshots beside `path`; False where there is none.

    Nothing names it before a manifest does. Raises EncoderError.
    """
    folded = fold_schema(parts, read_snapshots(path.parent), settings, embedding=embedding)
    if folded is None:
        return False
    from coderag.index.catalog.catalog import write_catalog

    schema, vectors = folded
    write_catalog(path, schema, vectors=vectors)
    return True


def fold_schema(
    parts: Iterable[SegmentRef], snapshots: Iterable[DatabaseSnapshot], settings: Settings, *, embedding: Embedding
) -> tuple[Schema, SchemaVectors | None] | None:
    """Return the schema of the files of some segments and of some databases, with vectors where the index has some.

    None without any facts. Raises EncoderError.
    """
    # By path: where two files describe the same, which of them counts must not depend on when they were read.
    files = sorted(schema_files(parts), key=lambda file: file.path)
    files += [SchemaFile(snapshot.name, snapshot.facts, modified=snapshot.taken) for snapshot in snapshots]
    if not files:
        return None
    from coderag.index.catalog.vectors import schema_vectors

    schema = fold_files(files, settings)
    return schema, schema_vectors(schema, embedding.opened()) if embedding.key else None


def fold_files(files: Sequence[SchemaFile], settings: Settings) -> Schema:
    """Return the schema that files and databases declare together."""
    # Only an index that has a schema, and only when it changed, needs what folds one.
    from coderag.catalog.fold import fold
    from coderag.frameworks.common.code_upgrades import without_upgrades
    from coderag.frameworks.common.declared_dialect import with_declared_dialects
    from coderag.frameworks.common.native_types import with_native_types
    from coderag.frameworks.dbt.project import in_projects
    from coderag.frameworks.django.project import settled
    from coderag.frameworks.efcore.project import with_entities
    from coderag.frameworks.eloquent.project import with_models
    from coderag.frameworks.gorm.naming import with_naming
    from coderag.frameworks.sequelize.project import with_table_names

    declaring, problems = without_upgrades(
        with_naming(with_models(with_table_names(with_entities(in_projects(files)))))
    )
    schema = fold(settled(with_native_types(with_declared_dialects(declaring))), settings)
    return replace(schema, problems=(*schema.problems, *problems))


def schema_files(parts: Iterable[SegmentRef]) -> Iterator[SchemaFile]:
    """Yield the files that tell something of schemas, as they are now."""
    for part in parts:
        segment, dead = part.segment, set(part.entry.dead)
        for number in segment.files_with_facts():
            if number in dead:
                continue
            file = segment.file(number)
            changed = int(part.stamps[number][1])
            modified = datetime.fromtimestamp(changed / 1e9, UTC).isoformat(timespec="seconds")
            labels = tuple(sorted(unpack_labels(file.labels)))
            yield SchemaFile(file.path, segment.facts(number), labels, modified)
