"""Paths to the names, environments and projects of the databases whose files lie there."""

from __future__ import annotations

import re

__all__ = [
    "base_folder",
    "distance",
    "environment_of",
    "folder_name",
    "holds_projects",
    "is_related",
    "project_folder",
    "project_of",
    "says_snapshot",
    "stem_name",
    "stem_of",
]

# Folders that sort one database's files by the kind of object.
STRUCTURE = frozenset(
    """tables table views view functions function procedures procedure procs sprocs routines triggers trigger indexes
    indices index constraints constraint sequences types enums domains packages synonyms keys foreign_keys comments
    materialized_views matviews stored_procedures storedprocedures stored-procedures programmability security
    """.split()
) | {"stored procedures", "user defined types"}
DIALECTS = frozenset(
    """ansi athena bigquery clickhouse db2 duckdb h2 hana hive mariadb monetdb mssql mysql oracle pg pgsql postgres
    postgresql presto redshift snowflake spark sqlite sqlite3 sqlserver trino tsql
    """.split()
)
# Names that say nothing of what a database is about.
GENERIC = (
    STRUCTURE
    | DIALECTS
    | frozenset(
        """sql db dbs ddl schema schemas database databases data datasource datastore store storage migrations migration
    migrate models model entities entity orm src main lib app core common shared server backend api internal pkg source
    resources resource assets static versions version alembic flyway liquibase changelog changelogs changes prisma
    supabase drizzle typeorm sequelize knex ecto repo priv hibernate jpa domain dbo public default conf config
    evolutions deploy deployment docker docker-entrypoint-initdb.d initdb initdb.d init setup install installation
    delta deltas full_schema full_schemas snapshot snapshots update updates upgrade upgrades patches changesets
    scripts script bin tools dump dumps backup backups structure create creates up sqls seeds seed fixtures fixture
    testdata java kotlin python ruby node ts js go target build dist distribution out output release releases files etc
        web www webapp webapps php cpp csharp rust product queries query reports dialects dialect com org net io
    """.split()
    )
)
WORDS = DIALECTS | frozenset(  # of file names that say nothing
    """schema schemas structure create created add tables table ddl init initial setup install database db dump full all
    sql main script model models migrate migration keys fk pk constraints views backup data latest current base baseline
    version versions
    """.split()
)
EDGES = frozenset("schema schemas structure create ddl dump tables init".split())  # not part of a database's name
SNAPSHOT_WORDS = frozenset(
    """schema schemas structure snapshot dump database ddl full current latest create tables baseline db model
    init initial install setup""".split()
)
SNAPSHOT_FOLDERS = frozenset({"schema", "schemas", "snapshot", "snapshots", "structure"})
ENVIRONMENTS = {
    "ci": "ci",
    "demo": "demo",
    "dev": "dev",
    "development": "dev",
    "local": "local",
    "preprod": "staging",
    "prod": "prod",
    "production": "prod",
    "qa": "qa",
    "sandbox": "sandbox",
    "staging": "staging",
    "stg": "staging",
    "test": "test",
    "testing": "test",
    "tests": "test",
    "uat": "uat",
}
IN_NAMES = frozenset({"dev", "preprod", "prod", "uat"})  # clear as a word in a file's name too
CONTAINERS = frozenset(  # folders that hold projects
    """apps components crates examples libs microservices modules packages plugins projects repos services subprojects
    workspaces
    """.split()
)
VERSION = re.compile(r"v?\d+(?:[._]\d+)*")
PIECES = re.compile(r"[-_.\s]+")


def base_folder(path: str) -> str:
    """Return the folder of a file without the folders that only sort by kind of object."""
    parts = path.split("/")[:-1]
    while parts and parts[-1].casefold() in STRUCTURE:
        parts.pop()
    return "/".join(parts)


def project_folder(folder: str) -> str:
    """Return a folder without the names at its end that say nothing."""
    parts = folder.split("/") if folder else []
    while parts and _is_generic(parts[-1].casefold()):
        parts.pop()
    return "/".join(parts)


def _is_generic(name: str) -> bool:
    """Tell whether a folder's name, or each word of it, says nothing; a version does not either."""
    if name in GENERIC or name in ENVIRONMENTS or VERSION.fullmatch(name):
        return True
    return all(word in GENERIC for word in PIECES.split(name))


def folder_name(folder: str) -> str:
    """Return what the deepest folder that says something is called; "" if none does."""
    return project_folder(folder).rpartition("/")[2]


def stem_of(path: str) -> str:
    """Return the name of a file up to its first dot: that of shop.queries.sql is shop."""
    name = path.rpartition("/")[2]
    return name.split(".", 1)[0] or name


def stem_name(path: str) -> str:
    """Return the database's name that a file's name holds; "" if it says nothing."""
    stem = stem_of(path)
    pieces = [(match.start(), match.end()) for match in re.finditer(r"[^-_.\s]+", stem)]
    words = [stem[start:end].casefold() for start, end in pieces]
    if all(_says_nothing(word) for word in words):
        return ""
    while words and (words[-1] in EDGES or words[-1] in IN_NAMES):
        words.pop()
        pieces.pop()
    while words and (words[0] in EDGES or words[0] in IN_NAMES):
        words.pop(0)
        pieces.pop(0)
    return stem[pieces[0][0] : pieces[-1][1]] if pieces else ""


def _says_nothing(word: str) -> bool:
    """Tell whether a word, or each word of one such as CreateTables, is one of those that say nothing."""
    if word in WORDS or word in ENVIRONMENTS or word.isdigit():
        return True
    return any(word.startswith(one) and word[len(one) :] in WORDS for one in WORDS)


def says_snapshot(path: str) -> bool:
    """Tell whether a file is named as one that states the whole schema: schema.sql, structure.sql, schemas/x.sql."""
    folder, _, name = path.rpartition("/")
    if folder.rpartition("/")[2].casefold() in SNAPSHOT_FOLDERS:
        return True
    return not SNAPSHOT_WORDS.isdisjoint(PIECES.split(name.casefold()))


def environment_of(path: str) -> str:
    """Return prod, dev, test and so on where a folder or the file's name says it, else ""."""
    *folders, name = path.casefold().split("/")
    for folder in reversed(folders):
        if folder in ENVIRONMENTS:
            return ENVIRONMENTS[folder]
    return next((ENVIRONMENTS[word] for word in PIECES.split(name) if word in IN_NAMES), "")


def project_of(path: str) -> str:
    """Return the folder of the project that a file of code belongs to; "" is the root's own."""
    parts = path.split("/")[:-1]
    # Django keeps the parts of one project in apps/, other frameworks keep projects there.
    if len(parts) > 1 and parts[0].casefold() in CONTAINERS and not (parts[0] == "apps" and path.endswith(".py")):
        return "/".join(parts[:2])
    return ""


def holds_projects(folder: str) -> bool:
    """Tell whether the folders in a folder are projects."""
    return folder.rpartition("/")[2].casefold() in CONTAINERS


def distance(first: str, second: str) -> int:
    """Return how many steps lead from one folder to another."""
    one, two = _parts(first), _parts(second)
    same = 0
    while same < min(len(one), len(two)) and one[same] == two[same]:
        same += 1
    return len(one) + len(two) - 2 * same


def is_related(first: str, second: str) -> bool:
    """Tell whether one folder lies in the other, or is it."""
    one, two = _parts(first), _parts(second)
    size = min(len(one), len(two))
    return one[:size] == two[:size]


def _parts(folder: str) -> list[str]:
    return folder.split("/") if folder else []
