"""Names that nobody declares: those of the database system, of a framework, and files that are read like tables."""

from __future__ import annotations

import re

from coderag.sql.records import Name

__all__ = ["is_of_framework", "is_system"]

SCHEMAS = frozenset({"information_schema", "mysql", "performance_schema", "pg_catalog", "sys", "system", "syscat"})
NAMES = re.compile(
    r"(?:sqlite_|pg_|sys|g?v\$|(?:all|dba|user)_(?:tables|tab_|objects|constraints|cons_|indexes|ind_|users|views|source"
    r"|sequences|triggers|synonyms)|dual$|rdb\$|inserted$|deleted$|duckdb_)",
    re.IGNORECASE,
)
# Django creates them from its own migrations, which lie in no project; Rails changes its own where they are there.
FRAMEWORK = frozenset(
    """active_storage_attachments active_storage_blobs active_storage_variant_records
    auth_group auth_group_permissions auth_permission auth_user auth_user_groups auth_user_user_permissions
    django_admin_log django_content_type django_flatpage django_flatpage_sites django_migrations django_redirect
    django_session django_site
    """.split()
)
FILES = re.compile(r"(?:.*\.)?(?:csv|tsv|jsonl?|parquet|gz|xlsx?|avro|orc)$", re.IGNORECASE)


def is_system(name: Name) -> bool:
    """Tell whether a name is that of a table or view of the system's own, or of a file."""
    if FILES.match(name.name) and ("." in name.name or name.schema):
        return True
    return name.schema.casefold() in SCHEMAS or (not name.schema and NAMES.match(name.name) is not None)


def is_of_framework(name: Name) -> bool:
    """Tell whether a name is that of a table that a framework brings along."""
    return name.name.casefold() in FRAMEWORK
