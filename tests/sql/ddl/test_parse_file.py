"""Whole files of SQL to facts."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coderag.errors import QueryError
from coderag.sql.ddl.parse_file import parse_file
from coderag.sql.records import AddQuery, CreateRoutine, CreateTable, Source
from coderag.sql.statements.dialect import Dialect, dialects
from tests.growth import assert_linear, repeated
from tests.sql.shown import expected, read, shown, tables


def test_the_dialect_is_guessed_and_said() -> None:
    facts = read("CREATE TABLE `a` (`id` int AUTO_INCREMENT) ENGINE=InnoDB;\n")
    assert (facts.dialect, facts.statements) == ("mysql", 1)
    assert "ENGINE=" in facts.guess


def test_a_dialect_that_is_given_counts() -> None:
    facts = read("CREATE TABLE `a` (`id` int AUTO_INCREMENT) ENGINE=InnoDB;\n", "SQL Server")
    assert (facts.dialect, facts.guess) == ("tsql", "as configured")
    with pytest.raises(QueryError, match="unknown SQL dialect 'frob'"):
        read("SELECT 1", "frob")


def test_an_uncertain_dialect_in_which_much_is_lost_gives_way_to_a_better_one() -> None:
    text = "CREATE VIEW v AS SELECT TOP 5 [a b] FROM [t u] WHERE [c d] = 1\nGO\nCREATE TABLE t (a int)\nGO\n"
    facts = parse_file(text.encode(), path="x.sql")
    assert facts.dialect == "tsql"
    assert not facts.unparsed


def test_a_dump_of_postgres() -> None:
    text = """\
        --
        -- PostgreSQL database dump
        --
        SET search_path = public, pg_catalog;
        SELECT pg_catalog.set_config('search_path', '', false);
        --
        -- Name: kinds; Type: TABLE; Schema: public; Owner: joe
        --
        CREATE TABLE public.kinds (
            id integer NOT NULL,
            label text,
            mail text
        );
        ALTER TABLE public.kinds OWNER TO joe;
        COMMENT ON TABLE public.kinds IS 'Kinds; of things';
        CREATE SEQUENCE public.kinds_id_seq START WITH 1;
        ALTER TABLE ONLY public.kinds ALTER COLUMN id SET DEFAULT nextval('public.kinds_id_seq'::regclass);
        COPY public.kinds (id, label, mail) FROM stdin;
        1\tbooks\tjoe@example.com
        2\tmusic, films\t\\N
        3\t\\N\tann@example.com
        \\.
        ALTER TABLE ONLY public.kinds ADD CONSTRAINT kinds_pkey PRIMARY KEY (id);
    """.replace("        ", "")
    assert shown(text) == expected("""\
        use database= schema=public
        table public.kinds
          id integer not null
          label text
          mail text
        comment on table public.kinds: Kinds; of things
        public.kinds alter id default="nextval('public.kinds_id_seq'::regclass)" identity=True
        describe table public.kinds
          label in (books, music, films)
        public.kinds add kinds_pkey primary key id
        """)


def test_a_dump_of_mysql_belongs_to_its_database() -> None:
    text = """
        -- MySQL dump 10.13  Distrib 8.0.30
        --
        -- Host: localhost    Database: shop
        -- ------------------------------------------------------
        DROP TABLE IF EXISTS `kinds`;
        /*!40101 SET @saved_cs_client     = @@character_set_client */;
        CREATE TABLE `kinds` (
          `id` int NOT NULL,
          `label` varchar(20) DEFAULT NULL COMMENT 'the label'
        ) ENGINE=InnoDB;
        LOCK TABLES `kinds` WRITE;
        INSERT INTO `kinds` VALUES (1,'books'),(2,'it\\'s music'),(3,NULL),(4,'films'),(5,'more');
        UNLOCK TABLES;
    """
    facts = read(text)
    assert facts.database == "shop"
    assert shown(text) == expected("""\
        drop table kinds if exists
        table kinds
          id int not null
          label varchar(20) default NULL -- the label
        describe table kinds
          label in (books, it's music, films)
        """)


@pytest.mark.parametrize(
    ("text", "dialect", "use", "database"),
    [
        ("USE shop;\nCREATE TABLE t (a int);", "mysql", "database=shop schema=", "shop"),
        ("CREATE DATABASE `shop`;\nCREATE TABLE t (a int);", "mysql", None, "shop"),
        ("USE master\nGO\nUSE [my shop]\nGO\nCREATE TABLE t (a int)", "tsql", "database=my shop schema=", "my shop"),
        (':setvar Db "Shop"\nUSE $(Db)\nGO\nCREATE TABLE t (a int)', "tsql", "database=Shop schema=", "Shop"),
        ("\\connect shop\nCREATE TABLE t (a int);", "postgres", "database=shop schema=", "shop"),
        ("\\c -reuse-previous=on \"dbname='my shop'\"\n", "postgres", "database=my shop schema=", "my shop"),
        ('SET search_path TO "$user", app, public;', "postgres", "database= schema=app", ""),
        ("CONNECT hr/secret@db\nCREATE TABLE t (a int);", "oracle", "database= schema=hr", ""),
        ("CONNECT sys/secret@db AS SYSDBA\nCREATE TABLE t (a int);", "oracle", None, ""),
    ],
)
def test_what_names_belong_to(text: str, dialect: str, use: str | None, database: str) -> None:
    lines = [line[4:] for line in shown(text, dialect).splitlines() if line.startswith("use ")]
    assert lines[-1:] == ([] if use is None else [use])
    assert read(text, dialect).database == database


def test_elements_of_create_schema_are_in_it() -> None:
    text = """
        CREATE SCHEMA sales
          CREATE TABLE a (id int PRIMARY KEY)
          CREATE TABLE b (a_id int REFERENCES a);
        CREATE TABLE c (id int);
    """
    assert shown(text, "postgres") == expected("""\
        table sales.a
          id int not null
          primary key id
        table sales.b
          a_id int
          key a_id to sales.a
        table c
          id int
        """)


def test_queries_come_with_their_questions() -> None:
    text = """\
        CREATE TABLE users (id int, born date);

        -- How many users were born each year?
        SELECT extract(year FROM born), count(*) FROM users GROUP BY 1;

        /* Remove users nobody knows. */
        DELETE FROM users WHERE id IS NULL;

        SELECT 'no table';
        """
    facts = read(text, "postgres")
    queries = [operation.query for operation in facts.operations if isinstance(operation, AddQuery)]
    assert [(query.question, query.source) for query in queries] == [
        ("How many users were born each year?", Source("", 4, 4)),
        ("Remove users nobody knows.", Source("", 7, 7)),
    ]


@pytest.mark.slow
def test_queries_beyond_what_is_parsed_are_counted() -> None:
    text = "SELECT a FROM t WHERE x IN (" + ", ".join(["1"] * 60_000) + ");\n"
    facts = read(text * 8, "postgres")
    (lost,) = facts.unparsed
    assert lost.reason.startswith("the file holds more queries than are read: ")
    assert not lost.table


def test_samples_are_few_short_and_nobodys() -> None:
    text = """
        CREATE TABLE people (id int, name text, email text, kind text, note text, code text, born text, api_key text);
        INSERT INTO people VALUES
            (1, 'Ann', 'ann@example.com', 'buyer', 'A long text that tells more of somebody than a sample should', 'A1',
             '2020-01-01', 'x7Gh2kLp'),
            (2, 'Bob', 'bob@example.com', 'seller', 'x', 'B2', '2020-01-02', 'x8Gh2kLp'),
            (3, 'Eve', NULL, 'buyer', upper('y'), 'C3', '2020-01-03', 'x9Gh2kLp');
        INSERT INTO people (id, code) VALUES (4, 'D4');
        INSERT INTO elsewhere.t (a) VALUES ('b');
        INSERT INTO unknown VALUES ('c');
    """
    lines = shown(text, "postgres").splitlines()
    assert [line for line in lines if " in (" in line or line.startswith("describe")] == [
        "describe table people",
        "  kind in (buyer, seller)",
        "  note in (x)",
        "  code in (A1, B2, C3)",
        "describe table elsewhere.t",
        "  a in (b)",
    ]


def test_two_tables_of_one_name_in_two_schemas_and_databases() -> None:
    text = """
        CREATE TABLE one.users (a int);
        CREATE TABLE two.users (b int);
        CREATE TABLE other.one.users (c int);
    """
    assert [str(table.name) for table in tables(read(text, "tsql"))] == ["one.users", "two.users", "other.one.users"]


def test_views_on_missing_tables_and_on_themselves() -> None:
    text = """
        CREATE VIEW v AS SELECT a, b.c FROM missing JOIN b ON b.id = missing.b_id;
        CREATE RECURSIVE VIEW numbers (n) AS SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 9;
    """
    views = [operation.table for operation in read(text, "postgres").operations if isinstance(operation, CreateTable)]
    assert [[column.name for column in view.columns] for view in views] == [["a", "c"], ["n"]]
    assert [name.name for name in views[0].usage.reads] == ["missing", "b"]
    assert [lineage.column for lineage in views[0].lineage] == ["a", "c"]
    assert views[1].usage.reads


def test_a_view_that_does_not_parse_keeps_its_text_and_tables() -> None:
    text = "CREATE VIEW v AS SELECT a FROM t1 JOIN t2 USING (x) WHERE a ~~~ FROBNICATE 5 5;"
    facts = read(text, "postgres")
    (created,) = facts.operations
    assert isinstance(created, CreateTable)
    assert created.table.query.startswith("SELECT a FROM t1")
    assert [name.name for name in created.table.usage.reads] == ["t1", "t2"]
    assert [(one.reason, one.table) for one in facts.unparsed] == [("the query of v could not be parsed", False)]


def test_bodies_yield_what_they_touch() -> None:
    text = """
        CREATE FUNCTION f(a int) RETURNS int LANGUAGE plpgsql AS $$
        BEGIN
          INSERT INTO log (x) SELECT y FROM users;
          PERFORM g(1);
          RETURN 1;
        END $$;
    """
    (created,) = read(text, "postgres").operations
    assert isinstance(created, CreateRoutine)
    usage = created.routine.usage
    assert ([str(one) for one in usage.reads], [str(write) for write in usage.writes]) == (["users"], ["log"])
    assert usage.calls == ("g",)
    assert created.routine.source == Source("", 2, 7)


def wide_table(count: int) -> str:
    columns = "".join(f"    -- what c{number} is for\n    c{number} varchar(10) NOT NULL,\n" for number in range(count))
    return f"CREATE TABLE wide (\n{columns}    PRIMARY KEY (c0, c1)\n);\n"


@pytest.mark.slow
def test_5000_columns() -> None:
    (table,) = tables(read(wide_table(5000)))
    assert len(table.columns) == 5000
    assert table.columns[4999].comment == "what c4999 is for"
    assert table.primary_key == ("c0", "c1")
    assert_linear(lambda count: partial(read, wide_table(count)), 1250)


def one_insert(count: int) -> str:
    rows = ",\n".join(f"({number}, 'value {number}')" for number in range(count))
    return f"CREATE TABLE t (id int, label text);\nINSERT INTO t (id, label) VALUES\n{rows};\nCREATE TABLE u (a int);\n"


@pytest.mark.slow
def test_200000_rows_in_one_insert() -> None:
    assert [table.name.name for table in tables(read(one_insert(200_000), "mysql"))] == ["t", "u"]
    assert_linear(lambda count: partial(read, one_insert(count), "mysql"), 50_000)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "count"),
    [
        (repeated("(", before="CREATE TABLE t ("), 12_500),
        (repeated("[", before="CREATE TABLE t ("), 12_500),
        (repeated("{{", before="CREATE TABLE t ("), 12_500),
        (repeated("{%", before="CREATE TABLE t ("), 12_500),
        (repeated("'", before="CREATE TABLE t ('"), 12_500),
        (repeated("q'[", before="CREATE TABLE t (a int DEFAULT "), 12_500),
        (repeated("a int, ", before="CREATE TABLE t ("), 6_000),
        (repeated(".b", before="CREATE TABLE a", after=" (a int)"), 12_500),
        (repeated("<ARRAY", before="CREATE TABLE t (a ARRAY", after=")"), 12_500),
        (lambda count: "CREATE VIEW v AS SELECT " + "(" * count + "1" + ")" * count, 125),
        (lambda count: "CREATE VIEW v AS " + "SELECT * FROM (" * count + "SELECT 1" + ")" * count, 15),
        (repeated("CREATE TABLE "), 5_000),
        (repeated("ADD a int, ", before="ALTER TABLE t "), 2_500),
        (repeated("CREATE TABLE t (a int); ", before="DO $$ ", after="$$;"), 1_250),
        (repeated("EXEC('"), 5_000),
        (repeated("x", before="COMMENT ON TABLE t IS '"), 125_000),
    ],
    ids=lambda value: value(1)[:30] if callable(value) else "",
)
def test_hostile_texts_take_linear_time(text: Callable[[int], str], count: int) -> None:
    assert_linear(lambda size: partial(read, text(size), "postgres"), count)


NAMES = st.text(
    st.characters(codec="utf-8", exclude_characters='`"[]\n\r\\', exclude_categories=("C", "Z")), min_size=1
)
CLOSING = {"[": "]", "`": "`", '"': '"'}


@settings(max_examples=100, deadline=None)
@given(
    table=NAMES,
    columns=st.lists(st.tuples(NAMES, st.sampled_from(["int", "varchar(20)"]), st.booleans()), min_size=1, max_size=6),
    dialect=st.sampled_from(
        [dialects()[name] for name in sorted(dialects()) if name not in ("clickhouse", "bigquery")]
    ),
)
def test_what_is_written_is_read(table: str, columns: list[tuple[str, str, bool]], dialect: Dialect) -> None:
    left = dialect.identifiers[0]
    right = CLOSING[left]
    table = table.replace(".", "-")
    lines = [f"{left}{name}{right} {type_}{' NOT NULL' if required else ''}" for name, type_, required in columns]
    text = f"CREATE TABLE {left}{table}{right} (\n  " + ",\n  ".join(lines) + "\n);\n"
    (found,) = tables(read(text, dialect.name))
    assert found.name.name == table
    assert [(column.name, column.type, not column.nullable) for column in found.columns] == columns
