"""Types and expressions as they are written, up to the word that begins something else."""

from __future__ import annotations

import re

from coderag.sql.statements.cursor import Cursor
from coderag.sql.statements.lexer import STRING

__all__ = ["KNOWN_TYPES", "bare_type", "begins_option", "described", "read_expression", "read_type"]

# Words that end a type, and a default, as they begin what is said of a column besides.
OPTIONS = frozenset(
    """
    NOT NULL DEFAULT PRIMARY UNIQUE KEY REFERENCES FOREIGN CHECK CONSTRAINT COLLATE COMMENT GENERATED AS
    AUTO_INCREMENT AUTOINCREMENT IDENTITY ENCODE DISTKEY SORTKEY MASKED MASKING SPARSE ROWGUIDCOL PERSISTED STORED
    VIRTUAL INVISIBLE VISIBLE OPTIONS STORAGE COMPRESSION ENABLE DISABLE CODEC TTL ALIAS MATERIALIZED EPHEMERAL
    FORMAT TITLE CASESPECIFIC FIRST AFTER HIDDEN FILESTREAM SRID COLUMN_FORMAT DEFERRABLE INITIALLY ENCRYPT ON USING
    SCOPE ENFORCED RELY NORELY INDEX CHARSET COMPRESS INLINE IMPLICITLY PERIOD
    """.split()
)
KNOWN_TYPES = frozenset(
    """
    INT INTEGER BIGINT SMALLINT TINYINT MEDIUMINT INT2 INT4 INT8 INT64 NUMBER NUMERIC DECIMAL DEC REAL FLOAT FLOAT4
    FLOAT8 FLOAT64 DOUBLE CHAR CHARACTER VARCHAR VARCHAR2 NVARCHAR NVARCHAR2 NCHAR STRING TEXT TINYTEXT MEDIUMTEXT
    LONGTEXT NTEXT CLOB BLOB BYTEA BINARY VARBINARY BOOLEAN BOOL BIT DATE TIME DATETIME DATETIME2 TIMESTAMP
    TIMESTAMPTZ UUID JSON JSONB XML ENUM SERIAL BIGSERIAL MONEY
    """.split()
)
QUOTED = re.compile(r"\[([^\[\]]+)\]|\"([a-z]\w*)\"")
DESCRIBING = frozenset({"comment", "description"})


def begins_option(cursor: Cursor) -> bool:
    """Tell whether a word comes next that ends a type or a default."""
    key = cursor.key
    if key in OPTIONS:
        return True
    if key == "WITH":  # not of TIMESTAMP WITH TIME ZONE
        return cursor.ahead(1).key not in ("TIME", "LOCAL")
    if key == "CHARACTER":
        return cursor.ahead(1).key == "SET"
    return key == "FOR" and cursor.ahead(1).key != "BIT"  # Db2: CHAR(10) FOR BIT DATA


def read_type(cursor: Cursor) -> str:
    """Read a type."""
    first = cursor.index
    angles = 0
    while not cursor.done:
        key = cursor.key
        if angles:
            angles += (key == "<") - (key == ">")
        elif key == "<":
            angles = 1
        elif begins_option(cursor) or cursor.token.kind is STRING or key == "=":
            break
        cursor.skip()
    return bare_type(cursor.text(first))


def bare_type(text: str) -> str:
    """Return a type without the signs that T-SQL may have around its name: [nvarchar](50), "int"."""
    return QUOTED.sub(r"\1\2", text) if text[:1] in ("[", '"') else text


def read_expression(cursor: Cursor) -> str:
    """Read an expression; its first word counts whatever it is: DEFAULT NULL."""
    first = cursor.index
    if not cursor.done:
        cursor.skip()
    while not cursor.done and not begins_option(cursor):
        cursor.skip()
    return cursor.text(first)


def described(options: Cursor) -> str | None:
    """Return the text that options describe something by: description = "x", 'comment' = 'x'."""
    for item in options.items():
        name = item.string() or item.identifier() or ""
        if name.casefold() in DESCRIBING and item.accept("="):
            return item.string()
    return None
