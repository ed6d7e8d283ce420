"""The arrays of each file of an index: what the writers of segments, listings, catalogs and vectors write."""

from __future__ import annotations

from coderag.files.blob import BLOB_BYTES
from coderag.index.storage.arrays.specs import (
    BYTES,
    Specs,
    bounds,
    column,
    lists,
    packed_postings,
    postings,
    strings,
    vectors,
)

__all__ = ["CATALOG", "LISTING", "SEGMENT", "TRIGRAMS", "VECTORS", "WITH_VECTORS"]

STAMP = 3  # numbers of one: size, time, inode

SEGMENT: Specs = {
    "meta": BYTES,
    **strings("file_path", "files"),
    **{f"file_{name}": column("files") for name in ("size", "treatment", "language", "labels", "text_bytes")},
    "file_blob": column("files", "u", width=BLOB_BYTES),
    "file_first_block": bounds("files"),
    "block_offsets": bounds("blocks"),
    **strings("facts", "files"),
    **strings("links", "files"),
    **{
        f"chunk_{name}": column("chunks")
        for name in ("file", "kind", "first_row", "last_row", "parent", "name_bytes", "flags", "id")
    },
    **strings("chunk_name", "chunks"),
    "chunk_part_offsets": bounds("chunks"),
    "parts": column("parts", "i", width=4),
    "detail_blob": BYTES,
    "detail_offsets": bounds("groups"),
    "detail_groups": bounds("groups"),
    **{f"symbol_{name}": column("symbols") for name in ("chunk", "kind", "first_row", "rows", "name_bytes")},
    **strings("symbol_name", "groups of symbols"),
    **postings("path"),
    **postings("symbol"),
    **packed_postings("text"),
}
TRIGRAMS: Specs = strings("trigram", "blocks")  # of a segment, unless an earlier version wrote it
VECTORS: Specs = {"rows": vectors("vectors"), "lengths": column("vectors", "f")}
LISTING: Specs = {
    **strings("folders_path", "folders"),
    "folders_mtime": column("folders"),
    **strings("rules_path", "rules"),
    "rules_mtime": column("rules"),
    **strings("skipped_path", "skipped"),
    "skipped_why": BYTES,
    "skipped_code": column("skipped"),
    "skipped_stamps": column("skipped", width=STAMP),
    "counts": column("segments"),
    "stamps": column("files", width=STAMP),
}
UNITS = ("table", "relation", "database", "query", "definition", "routine", "type", "problem")
CODED = ("schema", "kind", "dialect", "environment", "domain", "modified")  # properties of which a table has one
CATALOG: Specs = {
    "format": column("formats"),
    **{f"{name}_json": BYTES for name in UNITS},
    **{f"{name}_json_offsets": bounds(name) for name in UNITS},
    **{f"table_{name}": column("table") for name in ("group", "tie", "rows", *CODED)},
    **{name: spec for one in CODED for name, spec in strings(f"{one}_value", f"values of {one}").items()},
    **{name: spec for one in ("path", "label") for name, spec in strings(f"{one}_value", f"values of {one}").items()},
    **strings("group", "groups"),
    **strings("table_name", "table"),
    **lists("table_path", "table"),
    **lists("table_label", "table"),
    "column_starts": bounds("table"),
    "column_flags": column("columns"),
    "column_used": column("columns"),
    **strings("column_name", "columns"),
    **lists("relation_left", "relation"),
    **lists("relation_right", "relation"),
    **{f"relation_{name}": column("relation") for name in ("left_table", "right_table", "evidence")},
    "link_starts": bounds("table"),
    "link_tables": column("links"),
    "link_evidence": column("links"),
    "query_group": column("query"),
    **lists("query_table", "query"),
    **lists("query_column", "query"),
    **lists("definition_table", "definition"),
    **lists("file_place", "files"),
    **strings("file_path", "files"),
    **strings("place_database", "places"),
    **strings("place_environment", "places"),
    **{
        name: spec
        for one in ("word", "called", "column", "query", "asked", "label")
        for name, spec in postings(one).items()
    },
    "called_total": column("table", "f"),
    **strings("piece", "pieces"),
    "piece_letters": column("pieces"),
    "piece_terms": column("pieces"),
    "label_size": column("labels"),
    "label_definition": column("labels"),
}
WITH_VECTORS: Specs = {
    **CATALOG,
    "vectors_key": BYTES,
    "table_vectors": vectors("tables with vectors"),  # all of them, or none
    "table_lengths": column("tables with vectors", "f"),
    "query_vectors": vectors("query"),
    "query_lengths": column("query", "f"),
}
