"""Texts of every dialect to statements: where they begin and end, and what stands beside them."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coderag.sql.statements.dialect import Dialect, dialects, find_dialect
from coderag.sql.statements.split import Statement, StatementKind, split
from tests.conftest import Golden
from tests.growth import Work, assert_linear, repeated

NOT_A_STATEMENT = re.compile(rb"(?:\s|;|--[^\n]*|/\*.*?\*/)*", re.DOTALL)


def read(text: str, dialect: str) -> list[Statement]:
    return split(text.encode(), find_dialect(dialect))


def heads(text: str, dialect: str) -> list[str]:
    return [one.head for one in read(text, dialect)]


def texts(text: str, dialect: str) -> list[str]:
    return [one.text for one in read(text, dialect)]


def render(statements: list[Statement]) -> str:
    """Return a line a statement: its rows, kind and head, and the comments beside it."""
    lines = []
    for statement in statements:
        lines.append(f"{statement.first_row + 1}-{statement.last_row + 1} {statement.kind} {statement.head}")
        lines += [f"  above: {line}" for line in statement.before.splitlines()]
        lines += [f"  behind: {statement.after}"] if statement.after else []
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("dialect", dialects().values(), ids=lambda dialect: dialect.name)
def test_example(dialect: Dialect, golden: Golden) -> None:
    data = (dialect.folder / "example.sql").read_bytes()
    golden(dialect.folder / "example.split", render(split(data, dialect)))


@pytest.mark.parametrize("dialect", dialects().values(), ids=lambda dialect: dialect.name)
def test_statements_of_the_examples_are_whole_however_they_are_cut(dialect: Dialect) -> None:
    data = (dialect.folder / "example.sql").read_bytes()
    for end in range(0, len(data), 7):
        assert_places(data[:end], split(data[:end], dialect))


def assert_places(data: bytes, statements: list[Statement]) -> None:
    """Check that statements are in order, apart, within the text, and in the rows that they name."""
    place = 0
    for statement in statements:
        assert place <= statement.start < statement.end <= len(data)
        assert statement.first_row == data.count(b"\n", 0, statement.start)
        assert statement.last_row == data.count(b"\n", 0, statement.end - 1)
        assert not data[statement.start : statement.start + 1].isspace()
        assert not data[statement.end - 1 : statement.end].isspace()
        place = statement.end


PIECES = st.sampled_from(
    [
        *("CREATE TABLE t (", "a int", ",\n", ")", ";", "\n", "\n\n", " ", "x", "(", "{{ x }}", "${y}", ":z"),
        *("'it''s'", "'", '"', "`", "[a]", "[", "$$", "$q$", "-- note\n", "/*", "*/", "/* c */", "é", "\\", "#"),
        *(
            "\nGO\n",
            "\n/\n",
            "\nDELIMITER $$\n",
            "BEGIN ",
            " END",
            " CASE ",
            "\nIF x ",
            "\nSELECT 1",
            "\nCREATE VIEW v AS",
        ),
        *("INSERT INTO t VALUES (1)", "COPY t FROM stdin;\n1\t2\n\\.\n", "\n\\g", "REM it's\n", "/*!40101 SET x */;\n"),
    ]
)


@given(text=st.lists(PIECES, max_size=25).map("".join), dialect=st.sampled_from(sorted(dialects())))
def test_any_text_is_split_in_order(text: str, dialect: str) -> None:
    data = text.encode()
    statements = split(data, find_dialect(dialect))
    assert_places(data, statements)
    assert statements == split(data, find_dialect(dialect))


STATEMENTS = [
    "CREATE TABLE a (x int, -- it's; one\n  y text DEFAULT 'it''s; two')",
    "CREATE OR REPLACE VIEW b AS\nSELECT 1 /* it's; */ AS \"q;'\"",
    "ALTER TABLE a ADD COLUMN z int",
    "INSERT INTO a SELECT 1, 'x'",
    "COMMENT ON TABLE a IS '\n;\n'",
    "SELECT $$it's; raw$$, $q$;$$;$q$",
    "CREATE FUNCTION f() RETURNS int AS $$ BEGIN; END; $$ LANGUAGE plpgsql",
]
GAPS = ["\n", "\n\n", " ", "\n-- it's; a comment\n", "\n\n/* it's;\na comment */\n", " -- behind\n"]


@given(st.lists(st.tuples(st.sampled_from(STATEMENTS), st.sampled_from(GAPS)), max_size=8))
def test_statements_come_back_as_they_were_written(parts: list[tuple[str, str]]) -> None:
    data = "".join(f"{text};{gap}" for text, gap in parts).encode()
    statements = split(data, find_dialect("postgres"))
    assert [statement.text for statement in statements] == [text for text, _ in parts]
    places = [0, *(place for statement in statements for place in (statement.start, statement.end)), len(data)]
    for start, end in zip(places[::2], places[1::2], strict=True):
        assert NOT_A_STATEMENT.fullmatch(data[start:end])


@pytest.mark.parametrize(
    ("text", "head"),
    [
        ("CREATE TABLE IF NOT EXISTS t (a int)", "CREATE TABLE"),
        ("create global temporary table t (a int)", "CREATE TABLE"),
        ("CREATE UNLOGGED TABLE t (a int)", "CREATE TABLE"),
        ("CREATE OR REPLACE FORCE EDITIONABLE VIEW v AS SELECT 1", "CREATE VIEW"),
        ("CREATE ALGORITHM=MERGE DEFINER=`a`@`%` SQL SECURITY INVOKER VIEW v AS SELECT 1", "CREATE VIEW"),
        ("CREATE DEFINER = 'a b'@'localhost' PROCEDURE p() SELECT 1", "CREATE PROCEDURE"),
        ("CREATE /* a */ MATERIALIZED -- b\n VIEW v AS SELECT 1", "CREATE MATERIALIZED VIEW"),
        ("CREATE MATERIALIZED VIEW LOG ON t", "CREATE MATERIALIZED VIEW LOG"),
        ("CREATE FOREIGN TABLE t (a int)", "CREATE FOREIGN TABLE"),
        ("CREATE EXTERNAL TABLE t (a int)", "CREATE EXTERNAL TABLE"),
        ("CREATE UNIQUE INDEX i ON t (a)", "CREATE INDEX"),
        ("CREATE CONSTRAINT TRIGGER t AFTER INSERT ON a EXECUTE FUNCTION f()", "CREATE TRIGGER"),
        ("CREATE TABLE FUNCTION f() AS SELECT 1", "CREATE TABLE FUNCTION"),
        ("CREATE OR ALTER PROC p AS SELECT 1", "CREATE PROCEDURE"),
        ("ALTER TABLE ONLY t ADD a int", "ALTER TABLE"),
        ("DROP MATERIALIZED VIEW v", "DROP MATERIALIZED VIEW"),
        ("COMMENT ON COLUMN t.a IS 'x'", "COMMENT ON"),
        ("EXEC sys.sp_addextendedproperty N'MS_Description'", "EXEC SP_ADDEXTENDEDPROPERTY"),
        ("EXECUTE [sys].[sp_rename] 'a', 'b'", "EXEC SP_RENAME"),
        ("INSERT t VALUES (1)", "INSERT INTO"),
        ("(SELECT 1) UNION SELECT 2", "SELECT"),
        ("{{ config(x='y') }}\nwith a as (select 1) select * from a", "WITH"),
        ("select 1", "SELECT"),
        ("42", "42"),
        ("?", ""),
    ],
)
def test_heads(text: str, head: str) -> None:
    assert heads(text, "ansi") == [head]


@pytest.mark.parametrize(
    ("text", "dialect", "kind"),
    [
        ("CREATE TABLE t (a int)", "ansi", StatementKind.DDL),
        ("EXEC sp_addextendedproperty N'MS_Description', N'x'", "tsql", StatementKind.DDL),
        ("EXEC report 1", "tsql", StatementKind.QUERY),
        ("WITH a AS (SELECT 1) SELECT * FROM a", "ansi", StatementKind.QUERY),
        ("INSERT INTO t (a, \"b(c)\") SELECT 'VALUES'", "ansi", StatementKind.QUERY),
        ('INSERT INTO t (a, "b(c)", values_of) VALUES (1, 2, 3)', "ansi", StatementKind.DATA),
        ("INSERT INTO #t VALUES (1)", "tsql", StatementKind.DATA),
        ("REPLACE INTO t SET a = 1", "mysql", StatementKind.DATA),
        ("UPDATE t SET a = 1", "ansi", StatementKind.QUERY),
        ("CREATE TRIGGER t BEFORE INSERT ON a FOR EACH ROW SET NEW.x = 1", "mysql", StatementKind.ROUTINE),
        ("ALTER FUNCTION f OWNER TO a", "postgres", StatementKind.DDL),
        ("ALTER PROCEDURE p AS SELECT 1", "tsql", StatementKind.ROUTINE),
        ("BEGIN", "postgres", StatementKind.OTHER),
        ("BEGIN NULL; END;", "oracle", StatementKind.ROUTINE),
        ("DO $$ BEGIN END $$", "postgres", StatementKind.ROUTINE),
        ("GRANT SELECT ON t TO a", "ansi", StatementKind.OTHER),
        ("\\connect a", "postgres", StatementKind.CLIENT),
        ("SET ECHO OFF", "oracle", StatementKind.CLIENT),
        ("SET ROLE a", "oracle", StatementKind.OTHER),
        ("GO", "tsql", StatementKind.CLIENT),
    ],
)
def test_kinds(text: str, dialect: str, kind: StatementKind) -> None:
    assert [one.kind for one in read(text, dialect)] == [kind]


@pytest.mark.parametrize(
    ("text", "dialect", "expected"),
    [
        ("SELECT 'a\\';b'; SELECT 2", "mysql", ["SELECT 'a\\';b'", "SELECT 2"]),
        ("SELECT 'a\\'; SELECT 2", "postgres", ["SELECT 'a\\'", "SELECT 2"]),
        ("SELECT E'a\\';b'; SELECT 2", "postgres", ["SELECT E'a\\';b'", "SELECT 2"]),
        ("SELECT q'-a';b-'; SELECT 2 FROM dual", "oracle", ["SELECT q'-a';b-'", "SELECT 2 FROM dual"]),
        ("SELECT q'[it's;]'; SELECT nq'!;'!' FROM dual", "oracle", ["SELECT q'[it's;]'", "SELECT nq'!;'!' FROM dual"]),
        ("SELECT 1 -- a;\n; SELECT 2 # b;\n, 3", "mysql", ["SELECT 1 -- a;", "SELECT 2 # b;\n, 3"]),
        ("SELECT 5--1; SELECT 2", "mysql", ["SELECT 5--1", "SELECT 2"]),
        ("SELECT a #> b; SELECT 2", "postgres", ["SELECT a #> b", "SELECT 2"]),
        ("SELECT 1 /* /* ; */ ; */; SELECT 2", "postgres", ["SELECT 1 /* /* ; */ ; */", "SELECT 2"]),
        ("SELECT 1 /* /* ; */; SELECT 2", "sqlite", ["SELECT 1 /* /* ; */", "SELECT 2"]),
        ("SELECT [a;b]; SELECT 2", "tsql", ["SELECT [a;b]", "SELECT 2"]),
        ("SELECT x[1]; SELECT y['a;']", "postgres", ["SELECT x[1]", "SELECT y['a;']"]),
        ('SELECT """a";b""", r"\\d;"; SELECT 2', "bigquery", ['SELECT """a";b""", r"\\d;"', "SELECT 2"]),
        ("SELECT {{ f('a;') }}, {% if x %}1{% endif %}", "ansi", ["SELECT {{ f('a;') }}, {% if x %}1{% endif %}"]),
        ("SELECT 'a'\\gset b_\nSELECT 2", "postgres", ["SELECT 'a'", "SELECT 2"]),
        ("SELECT 1 FROM a$b$c; SELECT $1", "postgres", ["SELECT 1 FROM a$b$c", "SELECT $1"]),
        (";;\n; SELECT 1;;", "ansi", ["SELECT 1"]),
        ("", "ansi", []),
        (" \n-- nothing\n", "ansi", []),
    ],
)
def test_what_ends_a_statement(text: str, dialect: str, expected: list[str]) -> None:
    assert texts(text, dialect) == expected


def test_version_comments_are_unwrapped_and_places_stay() -> None:
    data = b"/*!50001 CREATE ALGORITHM=MERGE */\n/*!50001 VIEW v AS SELECT '/*!1 */' */;\n"
    (one,) = split(data, find_dialect("mysql"))
    assert one.text.split() == ["CREATE", "ALGORITHM=MERGE", "VIEW", "v", "AS", "SELECT", "'/*!1", "*/'"]
    assert data[one.start : one.end].startswith(b"CREATE ALGORITHM")
    assert one.text.index("VIEW") == data.index(b"VIEW") - one.start


def test_delimiters_of_mysql() -> None:
    text = """\
DELIMITER $$
CREATE PROCEDURE p() BEGIN
CREATE TABLE x (a int);
SELECT 1; END $$
SELECT 2$$
delimiter ;
SELECT 3;
"""
    assert texts(text, "mysql") == [
        "DELIMITER $$",
        "CREATE PROCEDURE p() BEGIN\nCREATE TABLE x (a int);\nSELECT 1; END",
        "SELECT 2",
        "delimiter ;",
        "SELECT 3",
    ]


def test_bodies_end_where_their_blocks_do() -> None:
    text = """\
CREATE PROCEDURE p() BEGIN
  IF a THEN SELECT 1; END IF;
  WHILE b DO SELECT CASE c WHEN 1 THEN 2 END; END WHILE;
  CASE d WHEN 1 THEN SELECT 3; END CASE;
  BEGIN SELECT 4; END;
END;
SELECT t.end, `begin` FROM t;
"""
    for dialect in ("mysql", "sqlite", "bigquery", "db2", "ansi"):
        assert heads(text, dialect) == ["CREATE PROCEDURE", "SELECT"], dialect


def test_bodies_of_plsql_end_with_a_slash_or_their_last_end() -> None:
    text = """\
CREATE PACKAGE BODY a AS
  PROCEDURE b IS BEGIN NULL; END b;
BEGIN
  b;
END a;
/
CREATE PROCEDURE c IS
  n NUMBER;
  PROCEDURE d IS BEGIN NULL; END;
BEGIN d; END c;
INSERT INTO t VALUES (1);
CREATE FUNCTION e RETURN NUMBER AS LANGUAGE JAVA NAME 'E.e()';
COMMIT;
"""
    expected = ["CREATE PACKAGE BODY", "/", "CREATE PROCEDURE", "INSERT INTO", "CREATE FUNCTION", "COMMIT"]
    assert heads(text, "oracle") == expected


def test_elements_of_a_schema_are_statements() -> None:
    text = "CREATE SCHEMA s\n  CREATE TABLE t (create_date date)\n  CREATE VIEW v AS SELECT 1;\nSELECT 2"
    assert heads(text, "postgres") == ["CREATE SCHEMA", "CREATE TABLE", "CREATE VIEW", "SELECT"]


def test_statements_of_a_batch_need_no_semicolons() -> None:
    text = """\
CREATE TABLE a (x int)
ALTER TABLE a WITH CHECK
  ADD CONSTRAINT c CHECK (x > 0)
ALTER TABLE a
ALTER COLUMN x bigint
ALTER DATABASE d
SET RECOVERY SIMPLE
SET NOCOUNT ON
INSERT INTO a (x)
SELECT 1
UNION ALL
SELECT CASE x WHEN 1
  THEN 2
  ELSE 3
END FROM b
SELECT * FROM a ORDER BY x OFFSET 1 ROWS
FETCH NEXT 2 ROWS ONLY
WITH c AS (SELECT 1)
UPDATE c
SET x = 2
EXEC p
"""
    assert heads(text, "tsql") == [
        *(
            "CREATE TABLE",
            "ALTER TABLE",
            "ALTER TABLE",
            "ALTER DATABASE",
            "SET",
            "INSERT INTO",
            "SELECT",
            "WITH",
            "EXEC P",
        ),
    ]


def test_conditions_of_a_batch_stand_apart_from_what_they_guard() -> None:
    text = """\
IF OBJECT_ID('a') IS NOT NULL DROP TABLE a
IF NOT EXISTS (SELECT 1)
BEGIN
  CREATE TABLE a (x int);
END
GO
"""
    assert heads(text, "tsql") == ["IF", "DROP TABLE", "IF", "BEGIN", "CREATE TABLE", "END", "GO"]


def test_a_routine_fills_its_batch() -> None:
    text = "CREATE PROC p AS\nCREATE TABLE #a (x int);\nSELECT 1\nGO 5\nSELECT 2"
    assert texts(text, "tsql") == ["CREATE PROC p AS\nCREATE TABLE #a (x int);\nSELECT 1", "GO 5", "SELECT 2"]


def test_rows_of_copy_are_no_statements() -> None:
    data, after = read("COPY a (x) FROM stdin;\nit's; CREATE TABLE b (\n\\\\.\n\\.\nSELECT 1;", "postgres")
    assert (data.kind, data.first_row, data.last_row) == (StatementKind.DATA, 0, 3)
    assert data.text == "COPY a (x) FROM stdin;\nit's; CREATE TABLE b (\n\\\\."
    assert after.text == "SELECT 1"


def test_inserts_into_one_table_are_one_statement() -> None:
    text = """\
INSERT INTO a VALUES (1);
INSERT INTO a VALUES (2);
-- more
INSERT INTO a VALUES (3);INSERT INTO b VALUES (4);
"""
    assert [(one.first_row, one.last_row) for one in read(text, "sqlite")] == [(0, 1), (3, 3), (3, 3)]


@pytest.mark.parametrize("between", [",\n", ");\nINSERT INTO a (x, y) VALUES ("])
def test_of_many_rows_only_the_first_are_kept(between: str) -> None:
    rows = between.join(f"({number}, 'é; it''s')" for number in range(20_000))
    data, after = read(f"INSERT INTO a (x, y) VALUES {rows};\nSELECT 1;", "postgres")
    assert data.kind is StatementKind.DATA
    assert data.text.startswith("INSERT INTO a (x, y) VALUES (0, 'é; it''s')")
    assert data.text.rstrip(";").endswith(")")
    assert 1_000 < len(data.text) <= 2_000
    assert after.text == "SELECT 1"


def test_comments_beside_a_statement() -> None:
    text = """\
-- Copyright of somebody

-- The people;
-- it's all of them.
CREATE TABLE a (x int); -- with a number

-- A heading

/* Their
 * pets. */
CREATE TABLE b (x int) /* inside */; /* behind */ SELECT 1;
--
-- Name: c; Type: TABLE; Schema: public; Owner: -
--
-- -----------------
-- Create tables
-- DROP TABLE c;
CREATE TABLE c (x int);
"""
    found = [(one.head, one.before, one.after) for one in read(text, "postgres")]
    assert found == [
        ("CREATE TABLE", "The people;\nit's all of them.", "with a number"),
        ("CREATE TABLE", "Their\npets.", ""),
        ("SELECT", "", ""),
        ("CREATE TABLE", "", ""),
    ]


def test_a_comment_before_the_next_statement_is_not_part_of_this_one() -> None:
    first, second = read("CREATE TABLE a (x int) -- of a\n\n-- of b\nCREATE TABLE b (x int)", "tsql")
    assert (first.text, first.after, first.last_row) == ("CREATE TABLE a (x int)", "of a", 0)
    assert (second.text, second.before) == ("CREATE TABLE b (x int)", "of b")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("CREATE TABLE a (x text DEFAULT 'none);\nCREATE TABLE b (x int);", ["CREATE TABLE", "CREATE TABLE"]),
        ("CREATE TABLE a (x int\nCREATE TABLE b (x int);", ["CREATE TABLE", "CREATE TABLE"]),
        ("INSERT INTO a VALUES ('O'Brien');\nCREATE TABLE b (x text DEFAULT 'y');", ["INSERT INTO", "CREATE TABLE"]),
        ("SELECT $a$ it;\nCREATE TABLE b (x int);", ["SELECT", "CREATE TABLE"]),
        ("CREATE PROCEDURE p() BEGIN SELECT 1;\nCREATE TABLE b (x int);", ["CREATE PROCEDURE", "CREATE TABLE"]),
        ("SELECT 1; /* no end\nCREATE TABLE b (x int);", ["SELECT", "", "CREATE TABLE"]),
        ("CREATE TABLE a (x int, y tex", ["CREATE TABLE"]),
        ("INSERT INTO a VALUES (1, 'cut o", ["INSERT INTO"]),
        ("COPY a FROM stdin;\n1\t", ["COPY"]),
    ],
)
def test_broken_text_costs_no_other_statement(text: str, expected: list[str]) -> None:
    assert heads(text, "postgres") == expected


def numbered(text: str) -> Callable[[int], str]:
    return lambda count: "".join(text.format(number) for number in range(count))


def splitting(text: Callable[[int], str], dialect: Dialect, count: int) -> Work:
    return partial(split, text(count).encode(), dialect)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "count"),
    [
        *((repeated(sign, before=sign), 12_000) for sign in ("'", '"', "(", "[", "\n", ";", "{{", "\\'", "/*")),
        *(
            (repeated(unit), 5_000)
            for unit in ("'\n", "$$ ", "{% ", "q'!a' ", "/* /* */ ", "/*;", "IF\n", "{# /* #}\n")
        ),
        *((repeated(unit, before="/*! */ SELECT ", after=";\n"), 2_000) for unit in ("/*a", "'a\\'", '"a\\"', "q'[")),
        *(
            (repeated(unit, after="SELECT 1;"), 2_000)
            for unit in ("\n create definer = ", "[a]]a", "\n create or replace ")
        ),
        (repeated("CREATE PROCEDURE p() BEGIN SELECT 1;\n"), 400),
        (repeated("BEGIN x; END;\n"), 1_000),
        (repeated("INSERT INTO t VALUES (1, 'O'Brien');\n"), 800),
        (repeated("GO" + " " * 400 + "x\n"), 100),
        (numbered("$a{}$ "), 5_000),
        (numbered("DELIMITER d{}\n"), 500),
        (lambda count: f"CREATE TABLE t ({numbered('c{} int, ')(count)});", 1_000),
    ],
    ids=lambda value: value(1)[:20].encode("unicode_escape").decode() if callable(value) else "",
)
def test_hostile_text_takes_linear_time(text: Callable[[int], str], count: int) -> None:
    for name in ("postgres", "mysql", "tsql", "oracle"):
        assert_linear(partial(splitting, text, find_dialect(name)), count)


def test_a_comment_that_names_a_query_ends_the_one_before() -> None:
    text = (
        b"-- name: a\nSELECT 1\n\n-- name: b :one\nINSERT INTO t VALUES (1)\n"
        b"-- :name c! :!\nDELETE FROM t\n-- Name: d; Type: TABLE\n"
    )
    found = split(text, find_dialect("postgres"))
    assert [(one.text, one.before) for one in found] == [
        ("SELECT 1", "name: a"),
        ("INSERT INTO t VALUES (1)", "name: b :one"),
        ("DELETE FROM t", ":name c! :!"),
    ]
