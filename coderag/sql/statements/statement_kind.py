"""The first words of a statement: what it does, and to what."""

from __future__ import annotations

import re
from enum import StrEnum

from coderag.sql.statements.dialect import Dialect

__all__ = ["StatementKind", "head_of", "kind_of", "rows_begin"]


class StatementKind(StrEnum):
    """What a statement of a file is."""

    DDL = "ddl"  # CREATE, ALTER, DROP, COMMENT ON, RENAME, TRUNCATE
    QUERY = "query"  # SELECT, WITH, VALUES, INSERT ... SELECT, UPDATE, DELETE, MERGE, CALL
    DATA = "data"  # INSERT ... VALUES, COPY with its rows
    ROUTINE = "routine"  # a function, procedure, trigger or package with its body, or a block without a name
    CLIENT = "client"  # a line for the client program: psql, SQL*Plus, sqlcmd, GO, /, DELIMITER
    OTHER = "other"  # SET, GRANT, transactions, ...


NAME = r"(?:[\w$#@]+|\"[^\"\n]*\"|\[[^\]\n]*\]|`[^`\n]*`)"
SKIPPED = (
    r"(?:\s+|--[^\n]*+|#(?![\w#])[^\n]*+|/\*M?!\d*|/\*(?:[^*]++|\*(?!/))*+\*/|\*/|\{%[^%]*+%\}|\{\{[^{}]*+\}\}|\()"
)
WORD = re.compile(rf"{SKIPPED}*+({NAME}(?:\.{NAME})*+)")
SETTING = re.compile(
    r"\s*=\s*(?:`[^`]*`|'[^']*'|\"[^\"]*\"|[\w.]+)(?:\s*@\s*(?:`[^`]*`|'[^']*'|\"[^\"]*\"|[\w.%]+))?(?:\(\))?"
)
SETTINGS = {"ALGORITHM": SETTING, "DEFINER": SETTING, "SECURITY": WORD}
QUOTES = '[]`"'
NOISE = frozenset(
    "OR REPLACE ALTER TEMP TEMPORARY GLOBAL LOCAL UNLOGGED UNIQUE CLUSTERED NONCLUSTERED FULLTEXT SPATIAL BITMAP"
    " TRANSIENT SECURE VOLATILE HYBRID DYNAMIC ICEBERG RECURSIVE FORCE NO NOFORCE EDITIONABLE NONEDITIONABLE EDITIONING"
    " PRIVATE PUBLIC SHARDED DUPLICATED IMMUTABLE BLOCKCHAIN AGGREGATE TRUSTED PROCEDURAL CONSTRAINT COLUMN ROW"
    " COLUMNSTORE PRIMARY MULTISET SET DEFINER ALGORITHM SQL SECURITY INVOKER CURRENT_USER SNAPSHOT STREAMING LIVE"
    " IF NOT EXISTS REFRESH INTERNAL ONLINE OFFLINE IGNORE PERSISTENT OVERWRITE".split()
)
QUALIFIERS = frozenset({"EXTERNAL", "FOREIGN", "MATERIALIZED", "VIRTUAL", "XML"})
LONGER = frozenset(
    ("FILE FORMAT", "PACKAGE BODY", "PROPERTY GRAPH", "TABLE FUNCTION", "TYPE BODY", "VIEW LOG")
)  # whose first word alone is another thing
WHOLE = {"INSERT": "INSERT INTO", "REPLACE": "REPLACE INTO", "TRUNCATE": "TRUNCATE TABLE", "BULK": "BULK INSERT"}
TWO_WORDS = frozenset({"ALTER", "COMMENT", "CREATE", "DROP", "UNDROP"})
ROUTINES = frozenset(
    (
        "EVENT",
        "FUNCTION",
        "MACRO",
        "PACKAGE",
        "PACKAGE BODY",
        "PROCEDURE",
        "TABLE FUNCTION",
        "TASK",
        "TRIGGER",
        "TYPE BODY",
    )
)
DEFINING = frozenset("ALTER COMMENT CREATE DROP RENAME TRUNCATE UNDROP".split())
QUERYING = frozenset(
    "CALL DELETE EXEC EXPLAIN FROM INSERT MERGE PIVOT REPLACE SELECT SUMMARIZE UPDATE UPSERT VALUES WITH".split()
)
DEFINING_PROCEDURES = re.compile(
    r"EXEC SP_(?:(?:ADD|UPDATE|DROP)EXTENDEDPROPERTY|RENAME|ADDTYPE|DROPTYPE|BINDEFAULT|BINDRULE)$"
)
TRANSACTION = re.compile(r"(?i:begin)\s*+(?:;|\Z|(?i:tran|transaction|work|isolation|deferred|immediate|exclusive)\b)")
BRACKETS = r"\((?:[^()\"'`\[]++|\"[^\"]*+\"|`[^`]*+`|\[[^\]]*+\]|'[^']*+')*+\)"
VERBS = r"(?i:exec|execute|from|select|set|table|values?|with)\b"
ROWS = re.compile(rf"(?i:insert|replace)\b(?:{BRACKETS}|{SKIPPED}|(?!{VERBS}){NAME}|[.,)])*+(?i:set|values?)\b")


def head_of(text: str) -> str:
    """Return the first keywords of a statement in upper case, without those that only say how."""
    match = WORD.match(text)
    if match is None:
        return ""
    first = match[1].upper()
    if first in {"EXEC", "EXECUTE"}:
        second = WORD.match(text, match.end())
        return f"EXEC {second[1].rpartition('.')[2].strip(QUOTES).upper()}" if second else "EXEC"
    if first in WHOLE:
        return WHOLE[first]
    if first in TWO_WORDS:
        return " ".join([first, *_object(text, match.end())])
    return first


def _object(text: str, at: int) -> list[str]:
    """Return the words that say what is created, altered or filled."""
    kept: list[str] = []
    while (match := WORD.match(text, at)) is not None:
        word, at = match[1].upper(), match.end()
        if word in SETTINGS and (setting := SETTINGS[word].match(text, at)) is not None:
            at = setting.end()
        elif word in QUALIFIERS and not kept:
            kept.append(word)
        elif word not in NOISE:
            kept.append("PROCEDURE" if word == "PROC" else word)
            following = WORD.match(text, at)
            if following and f"{word} {following[1].upper()}" in LONGER:
                kept.append(following[1].upper())
            break
    return kept


def kind_of(head: str, text: str, dialect: Dialect) -> StatementKind:
    """Return what a statement is, by its head and the beginning of its text."""
    first, _, rest = head.partition(" ")
    if rest in ROUTINES or rest.partition(" ")[2] in ROUTINES:
        redefined = first == "ALTER" and dialect.routines == "batch"
        return StatementKind.ROUTINE if first == "CREATE" or redefined else StatementKind.DDL
    if first in {"BEGIN", "DECLARE"}:
        block = first.lower() in dialect.blocks and not TRANSACTION.match(text)
        return StatementKind.ROUTINE if block else StatementKind.OTHER
    if first in {"INSERT", "REPLACE"} and rows_begin(text):
        return StatementKind.DATA
    if first == "DO":
        return StatementKind.ROUTINE
    if first in DEFINING or DEFINING_PROCEDURES.match(head):
        return StatementKind.DDL
    return StatementKind.QUERY if first in QUERYING and head != "EXEC IMMEDIATE" else StatementKind.OTHER


def rows_begin(text: str) -> int:
    """Return where the rows of an INSERT begin, behind the word VALUES; 0 if it has none."""
    match = ROWS.match(text)
    return match.end() if match else 0
