"""What is left of statements that are cut, broken, of another dialect, or hidden in others."""

from __future__ import annotations

from textwrap import dedent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coderag.sql.statements.dialect import dialects
from tests.sql.shown import expected, read, shown, tables

WHOLE = dedent("""\
    CREATE TABLE orders (
        id bigint NOT NULL,
        state varchar(20) DEFAULT 'new' CHECK (state IN ('new', 'paid')), -- how far it is
        customer_id bigint REFERENCES customers (id),
        PRIMARY KEY (id)
    ) COMMENT = 'What was bought';
    ALTER TABLE orders ADD CONSTRAINT fk FOREIGN KEY (customer_id) REFERENCES customers (id);
""")


def test_a_dump_that_breaks_off_in_a_table() -> None:
    text = """\
        CREATE TABLE a (x int);
        CREATE TABLE b (
            id int NOT NULL,
            name varchar(20) DEFAULT 'x', -- what it is called
            CONSTRAINT fk FOREIGN KEY (id) REFERENCES a (x),
            em"""
    assert shown(text, "mysql") == expected("""\
        table a
          x int
        table b
          id int not null
          name varchar(20) default 'x' -- what it is called
          key fk id to a (x)
        lost 2: CREATE TABLE b ( id int NOT NULL, name varchar(20) DEFAULT… | \
the statement has no end; what could be read of it is kept | table
        """)


@pytest.mark.parametrize("end", range(len(WHOLE)))
def test_a_table_that_breaks_off_anywhere_has_the_columns_before(end: int) -> None:
    facts = read(WHOLE[:end], "postgres")
    found = tables(facts)
    if end > WHOLE.index("NOT NULL,") + len("NOT NULL,"):
        assert [column.name for column in found[0].columns][:1] == ["id"]
    if end < WHOLE.index("COMMENT") and found and found[0].columns:
        assert bool(facts.unparsed) == (end <= WHOLE.index(") COMMENT"))


def test_a_parenthesis_that_is_missing_costs_no_other_table() -> None:
    text = """
        CREATE TABLE a (
            id int CHECK (id > (0),
            name text,
            z int

        CREATE TABLE b (x int);
        CREATE TABLE c (y int)
        CREATE TABLE d (z int);
    """
    assert shown(text, "postgres") == expected("""\
        table a
          id int
          name text
          z int
          check id > (0)
        table b
          x int
        table c
          y int
        table d
          z int
        lost 2: CREATE TABLE a ( id int CHECK (id > (0), name text, z int | \
the statement has no end; what could be read of it is kept | table
        """)


def test_tables_of_t_sql_in_a_file_taken_for_postgres() -> None:
    text = """
        CREATE TABLE [dbo].[a b] ([id] [int] IDENTITY(1,1) NOT NULL, [n] [nvarchar](50) NULL,
            CONSTRAINT [pk] PRIMARY KEY CLUSTERED ([id] ASC),
            CONSTRAINT [fk] FOREIGN KEY([n]) REFERENCES [dbo].[y z] ([id])) ON [PRIMARY];
        ALTER TABLE [dbo].[a b] WITH CHECK ADD CONSTRAINT [fk2] FOREIGN KEY([id]) REFERENCES [dbo].[q] ([id]);
    """
    assert shown(text, "postgres") == expected("""\
        table dbo.a b
          id int not null identity
          n nvarchar(50)
          primary key id
          key fk n to dbo.y z (id)
        dbo.a b add key fk2 id to dbo.q (id)
        """)


def test_tables_of_mysql_in_a_file_taken_for_postgres() -> None:
    text = """
        CREATE TABLE `m` (`id` int(10) unsigned NOT NULL AUTO_INCREMENT, `q` enum('a','b') DEFAULT NULL COMMENT 'x',
            PRIMARY KEY (`id`), KEY `k` (`q`)) ENGINE=InnoDB COMMENT='y';
    """
    assert shown(text, "postgres") == expected("""\
        table m -- y
          id int(10) unsigned not null identity
          q enum('a','b') default NULL in (a, b) -- x
          primary key id
        """)


def test_tables_of_postgres_in_a_file_taken_for_t_sql() -> None:
    text = """
        CREATE TABLE "t" (id serial PRIMARY KEY, a text[] NOT NULL, b jsonb DEFAULT '{}'::jsonb);
        CREATE TABLE `u` (`id` int);
    """
    assert shown(text, "tsql") == expected("""\
        table t
          id serial not null identity
          a text[] not null
          b jsonb default '{}'::jsonb
          primary key id
        table u
          id int
        """)


@pytest.mark.parametrize("dialect", sorted(dialects()))
def test_no_dialect_loses_the_table_of_another(dialect: str) -> None:
    (table,) = tables(read(WHOLE, dialect))
    assert [column.name for column in table.columns] == ["id", "state", "customer_id"]
    assert table.columns[1].values == ("new", "paid")
    assert [str(key.table) for key in table.foreign_keys] == ["customers"]


def test_templates() -> None:
    text = """
        CREATE TABLE ${schema}.${prefix}_users (id int, {{ col }} text, ${x} int, name :type);
        CREATE TABLE {{ ref('a') }} (id int);
        CREATE TABLE :schema.t (a int);
        CREATE TABLE %(s)s.q (a int);
        CREATE TABLE {schema}.w (a int);
        CREATE TABLE $(db).dbo.v (a int);
        CREATE TABLE @target.x (a int);
        {% if x %}
        CREATE TABLE j (a int, {% if y %} b int, {% endif %} {# a note #} c int);
        {% endif %}
        ALTER TABLE ${schema}.x ADD CONSTRAINT fk FOREIGN KEY (a) REFERENCES ${schema}.y (b);
    """
    assert shown(text, "postgres") == expected("""\
        table ${schema}.users
          id int
          {{ col }} text
          ${x} int
          name :type
        table {{ ref('a') }}
          id int
        table :schema.t
          a int
        table %(s)s.q
          a int
        table {schema}.w
          a int
        table $(db).dbo.v
          a int
        table @target.x
          a int
        table j
          a int
          b int
          c int
        ${schema}.x add key fk a to ${schema}.y (b)
        """)


def test_variables_of_sqlplus() -> None:
    assert shown("CREATE TABLE &schema..t (a int REFERENCES &schema..u);", "oracle") == expected("""\
        table &schema.t
          a int
          key a to &schema.u
        """)


def test_odd_names_without_quotes() -> None:
    text = """
        CREATE TABLE 14_day_report (14_x int, qty_sold(kg) REAL, Unnamed: 2 TEXT, a/b int, größe TEXT, $x int, c# int);
    """
    assert shown(text, "sqlite") == expected("""\
        table 14_day_report
          14_x int
          qty_sold(kg) REAL
          Unnamed: 2 TEXT
          a/b int
          größe TEXT
          $x int
          c# int
        """)


def test_quoted_names_hold_anything() -> None:
    text = """
        CREATE TABLE "my.schema"."a ""b"" c" (
            "x.y" int, "Größe 尺寸 📏" int, "a,b" int, "(" int, "--" int, "a'b" int);
    """
    (table,) = tables(read(text, "postgres"))
    assert (table.name.schema, table.name.name, table.name.database) == ("my.schema", 'a "b" c', "")
    assert [column.name for column in table.columns] == ["x.y", "Größe 尺寸 📏", "a,b", "(", "--", "a'b"]


def test_columns_that_are_called_like_keywords() -> None:
    text = """
        CREATE TABLE t (key varchar(20), index int, check boolean, unique bool, primary int, foreign text, period date,
            comment text, date date, timestamp timestamp, type text, order int, exclude int, constraint_name text);
    """
    (table,) = tables(read(text, "mysql"))
    names = "key index check unique primary foreign period comment date timestamp type order exclude constraint_name"
    assert [column.name for column in table.columns] == names.split()
    assert (table.primary_key, table.unique, table.checks) == ((), (), ())


def test_options_that_are_not_known_cost_no_column() -> None:
    text = """
        CREATE OR REPLACE TABLE t (
            a int SOME OPTION (x, y = 'z') ANOTHER,
            b double precision FROBNICATED BY 'me' NOT NULL,
            c my_schema.my_type(3) WITH (f = 1) DEFAULT (1 + 2)
        ) SOME TABLE OPTION = 5, ANOTHER (1, 2);
    """
    assert shown(text, "ansi") == expected("""\
        replace table t
          a int SOME OPTION (x, y = 'z') ANOTHER
          b double precision FROBNICATED BY not null
          c my_schema.my_type(3) default (1 + 2)
        """)


def test_declarations_in_blocks_and_strings() -> None:
    text = """
        DO $$ BEGIN CREATE TYPE st AS ENUM ('a'); EXCEPTION WHEN duplicate_object THEN null; END $$;
        DO $$ BEGIN
          ALTER TABLE "x" ADD CONSTRAINT "fk" FOREIGN KEY ("a") REFERENCES "y"("id") ON DELETE no action;
        EXCEPTION WHEN duplicate_object THEN null;
        END $$;
        DO $body$ BEGIN EXECUTE 'CREATE TABLE dynamic (a int, b text DEFAULT ''x'')'; END $body$;
    """
    assert shown(text, "postgres") == expected("""\
        enum st in (a)
        x add key fk a to y (id)
        table dynamic
          a int
          b text default 'x'
        """)


def test_declarations_under_conditions_of_t_sql() -> None:
    text = """
        IF OBJECT_ID('dbo.old') IS NOT NULL DROP TABLE dbo.old
        GO
        IF NOT EXISTS (SELECT * FROM sys.tables WHERE name = 'late')
        BEGIN
          CREATE TABLE late (a int PRIMARY KEY, b int REFERENCES x)
        END
        GO
        EXEC('CREATE TABLE made (a int)')
        EXEC sp_executesql N'CREATE VIEW seen AS SELECT a FROM made'
        EXEC('CREATE TABLE ' + @name + ' (a int)')
        PRINT 'Create table failed'
        GO
    """
    assert shown(text, "tsql") == expected("""\
        drop table dbo.old
        table late
          a int not null
          b int
          primary key a
          key b to x
        table made
          a int
        view seen
          a
          query SELECT a FROM made
          reads made
        """)


def test_bodies_of_routines_declare_nothing() -> None:
    text = """
        CREATE FUNCTION f() RETURNS void LANGUAGE plpgsql AS $$
        BEGIN
          CREATE TABLE inner_table (a int);
          EXECUTE 'CREATE TABLE other_table (a int)';
        END $$;
    """
    assert tables(read(text, "postgres")) == []


def test_what_is_lost_is_named() -> None:
    text = """\
        CREATE TABLE ;
        CREATE TABLE x;
        CREATE VIEW v AS;
        CREATE VIEW w AS SELECT FROM WHERE;
        ALTER TABLE;
        ALTER TABLE t FROB x;
        ALTER TABLE t ADD CONSTRAINT c FOREIGN KEY (a);
        CREATE TABLE z (a int, ...);
        COMMENT ON TABLE t IS;
        CREATE FUNCTION"""
    facts = read(text, "postgres")
    assert [(one.line, one.reason, one.table) for one in facts.unparsed] == [
        (1, "the name of the table could not be read", True),
        (2, "the table has no columns", True),
        (3, "the query of v is missing", True),
        (4, "the query of w could not be parsed", False),
        (5, "the name of the table could not be read", True),
        (6, "an action that is not known, of t", True),
        (7, "a foreign key that is cut or has no columns, of t", True),
        (8, "a column or constraint could not be read", True),
        (9, "the comment could not be read", False),
        (10, "the name of the routine could not be read", False),
    ]


PIECES = [
    *"CREATE TABLE VIEW ALTER ADD DROP COLUMN CONSTRAINT PRIMARY KEY FOREIGN REFERENCES UNIQUE CHECK DEFAULT".split(),
    *"COMMENT ON AS SELECT FROM INSERT INTO VALUES FUNCTION RETURNS TYPE ENUM TRIGGER BEGIN END EXEC GO USE".split(),
    *"( ) [ ] { } < > ' \" ` ; , . : = - / * $ $$ -- /* */ {{ }} {% %} ${x} # @ \\ \n".split(" "),
    *"a b.c int varchar(10) 'x' \"y\" `z` [w] 1 N'q' E'\\n' q'[x]' ö\u2028\x00".split(),
]


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=60), st.sampled_from(["", *sorted(dialects())]))
def test_nothing_that_looks_like_sql_breaks_the_reader(pieces: list[str], dialect: str) -> None:
    facts = read(" ".join(pieces), dialect)
    lines = " ".join(pieces).count("\n") + 1
    assert all(1 <= one.line <= lines for one in facts.unparsed)


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=300), st.sampled_from(["", *sorted(dialects())]))
def test_no_text_breaks_the_reader(text: str, dialect: str) -> None:
    read(text, dialect)
