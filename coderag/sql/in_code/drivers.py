"""Names of database drivers in a file to the dialect that its SQL is in."""

from __future__ import annotations

import re

__all__ = ["dialects_of", "is_of_others"]

HEAD_BYTES = 20_000  # in which imports stand
# A dialect, what stands in all names of its drivers, in small letters, and the names.
DRIVERS = (
    (
        "postgres",
        b"pg postgre pq",
        rb"psycopg|asyncpg|aiopg|pg8000|['\"]pg['\"]|pg-promise|['\"]postgres['\"]|lib/pq|jackc/pgx|postgrex|PgPool"
        rb"|org\.postgresql|Npgsql|PGconn|pqxx|tokio_postgres|PostgresNIO|pg_query|pg_connect|PG\.connect|postgresql://",
    ),
    (
        "mysql",
        b"mysql myxql",
        rb"pymysql|MySQLdb|mysql\.connector|aiomysql|['\"]mysql2?(?:/promise)?['\"]|go-sql-driver/mysql|MySqlConnector"
        rb"|MySqlConnection|mysqli|mysql_query|Mysql2|MySqlPool|MyXQL|com\.mysql",
    ),
    (
        "sqlite",
        b"sqlite sqflite grdb",
        rb"\bsqlite3\b|aiosqlite|better-sqlite3|rusqlite|SqlitePool|Microsoft\.Data\.Sqlite|SQLite3::|sqflite"
        rb"|android\.database\.sqlite|SQLiteDatabase|GRDB|node:sqlite|bun:sqlite",
    ),
    (
        "tsql",
        b"pyodbc mssql tedious sqlclient sqlconnection sqlsrv_ sqlserver",
        rb"pyodbc|pymssql|['\"]mssql['\"]|tedious|go-mssqldb|SqlClient|SqlConnection\b|sqlsrv_|com\.microsoft\.sqlserver",
    ),
    ("oracle", b"oracle oci godror", rb"cx_Oracle|oracledb|oci8?_|oracle\.jdbc|OracleConnection|godror"),
    ("clickhouse", b"clickhouse chproxy", rb"clickhouse|chproxy"),
    (
        "bigquery",
        b"bigquery",
        rb"google\.cloud import bigquery|@google-cloud/bigquery|cloud\.google\.com/go/bigquery|BigQuery",
    ),
    ("snowflake", b"snowflake", rb"snowflake\.connector|gosnowflake|snowflake-sdk"),
    ("duckdb", b"duckdb", rb"\bduckdb\b"),
    ("spark", b"spark", rb"pyspark|SparkSession|spark\.sql\("),
)
PATTERNS = tuple((name, stems.split(), re.compile(pattern)) for name, stems, pattern in DRIVERS)
# Libraries of systems whose languages look like SQL and are not, or whose tables are those of no SQL database.
NOT_SQL = re.compile(
    rb"cassandra|gocql|scylla|influxdb|simple_salesforce|jsforce|sparql|\bwmi\b|System\.Management|@azure/cosmos"
    rb"|azure\.cosmos|Microsoft\.Azure\.Cosmos|osquery|ksqldb|couchbase|select_object_content|SelectObjectContent",
    re.IGNORECASE,
)
NOT_SQL_STEMS = b"""cassandra gocql scylla influxdb salesforce jsforce sparql wmi system.management cosmos osquery
    ksqldb couchbase select_object_content selectobjectcontent""".split()
OTHERS = ("postgres", "mysql", "tsql", "sqlite", "bigquery")


def is_of_others(data: bytes) -> bool:
    """Tell whether a file uses what only looks like SQL, and no driver of a database of SQL."""
    head = data[:HEAD_BYTES]
    lowered = head.lower()
    if not any(stem in lowered for stem in NOT_SQL_STEMS) or NOT_SQL.search(head) is None:
        return False
    return not _told(head)


def dialects_of(data: bytes) -> tuple[str, ...]:
    """Return the dialects in which a file's SQL is read, in turn: that of its driver, the generic one, then others."""
    told = _told(data[:HEAD_BYTES])
    first = told if len(told) == 1 else []
    rest = [name for name in (*told, *OTHERS) if name not in first]
    return (*first, "", *dict.fromkeys(rest))


def _told(head: bytes) -> list[str]:
    """Return the dialects whose drivers stand in a head."""
    lowered = head.lower()
    return [
        name for name, stems, pattern in PATTERNS if any(stem in lowered for stem in stems) and pattern.search(head)
    ]
