"""A PostgreSQL server that is asked for its schema."""

from __future__ import annotations

import os
import re
import signal
import threading

import pytest

from coderag.catalog.introspect.explain import explain
from coderag.catalog.introspect.introspect import inspect_database
from coderag.catalog.introspect.session import open_session
from coderag.catalog.introspect.url import parse_url
from coderag.errors import DatabaseError
from coderag.sql.ddl.parse_file import parse_file
from coderag.sql.records import CreateTable
from tests.catalog.introspect.servers import Postgres
from tests.catalog.introspect.shown import columns_of, shown, table_of
from tests.growth import HANG_SECONDS, must_end
from tests.workspace import SHOP

pytestmark = pytest.mark.slow

SCHEMA = """
COMMENT ON SCHEMA public IS 'What the shop sells and to whom';
CREATE SCHEMA stats;
CREATE EXTENSION vector;
CREATE TYPE mood AS ENUM ('sad', 'ok', 'it''s fine');
CREATE TYPE place AS (street text, city varchar(40));
CREATE DOMAIN cents AS integer CHECK (VALUE >= 0);
COMMENT ON DOMAIN cents IS 'Hundredths of the currency';
CREATE TABLE customers (
    id          serial PRIMARY KEY,
    email       varchar(80) NOT NULL UNIQUE,
    mood        mood DEFAULT 'ok',
    moods       mood[],
    country     char(2) NOT NULL DEFAULT 'DE',
    referred_by integer REFERENCES customers,
    lives       place,
    likes       vector(3)
);
COMMENT ON TABLE customers IS 'Everybody who ever bought something';
COMMENT ON COLUMN customers.country IS 'ISO 3166-1 alpha-2';
CREATE TABLE "Order Lines" (
    "Order No." integer,
    line        smallint,
    customer    integer NOT NULL REFERENCES customers (id),
    kind        text CONSTRAINT kinds CHECK (kind IN ('sale', 'return')),
    price       cents,
    quantity    numeric(8,2) NOT NULL CHECK (quantity > 0),
    total       numeric GENERATED ALWAYS AS (price * quantity) STORED,
    note        text,
    number      bigint GENERATED ALWAYS AS IDENTITY,
    PRIMARY KEY ("Order No.", line),
    UNIQUE (customer, number)
);
CREATE UNIQUE INDEX one_note ON "Order Lines" (note);
CREATE UNIQUE INDEX one_return ON "Order Lines" (customer) WHERE kind = 'return';
CREATE UNIQUE INDEX lower_note ON "Order Lines" (lower(note));
CREATE TABLE stats.returns (
    order_no integer,
    line     smallint,
    reason   text,
    FOREIGN KEY (order_no, line) REFERENCES "Order Lines" ("Order No.", line)
);
CREATE TABLE events (happened timestamptz NOT NULL, what text) PARTITION BY RANGE (happened);
CREATE TABLE events_2024 PARTITION OF events FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
CREATE TABLE vip_customers (discount real) INHERITS (customers);
CREATE VIEW revenue AS
    SELECT c.country, sum(o.total) AS total FROM "Order Lines" AS o JOIN customers AS c ON c.id = o.customer GROUP BY 1;
COMMENT ON VIEW revenue IS 'Turnover by country';
CREATE MATERIALIZED VIEW stats.returned AS SELECT reason, count(*) AS times FROM stats.returns GROUP BY reason;
CREATE FUNCTION add_customer(mail varchar, INOUT country char DEFAULT 'DE') LANGUAGE sql AS
    $$ INSERT INTO customers (email, country) VALUES (mail, country) RETURNING country $$;
COMMENT ON FUNCTION add_customer IS 'Makes a customer';
CREATE FUNCTION total_of(customer integer) RETURNS numeric LANGUAGE sql
    BEGIN ATOMIC SELECT sum(o.total) FROM "Order Lines" AS o WHERE o.customer = $1; END;
CREATE PROCEDURE forget(customer integer) LANGUAGE plpgsql AS
    $$ BEGIN DELETE FROM stats.returns; DELETE FROM "Order Lines"; END $$;
CREATE FUNCTION note_event() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN INSERT INTO events VALUES (now(), TG_OP); RETURN NEW; END $$;
CREATE TRIGGER customers_changed AFTER UPDATE ON customers FOR EACH ROW EXECUTE FUNCTION note_event();
INSERT INTO customers (email, mood, country) VALUES ('anna@example.com', 'ok', 'DE'), ('ben@example.com', 'sad', 'FR');
ANALYZE customers;
"""

SHOWN = """\
domain cents integer check VALUE >= 0  -- Hundredths of the currency
enum mood sad, ok, it's fine
type place street text city character varying(40)
table Order Lines
    Order No. integer not null
    line smallint not null
    customer integer not null
    kind text values sale, return
    price cents
    quantity numeric(8,2) not null
    total numeric generated price::numeric * quantity
    note text
    number bigint not null identity
    primary key Order No., line
    unique customer, number
    unique note
    customer -> customers(id)
    check quantity > 0::numeric
    check kind = ANY (ARRAY['sale'::text, 'return'::text])
table customers  -- Everybody who ever bought something
    id integer not null identity
    email character varying(80) not null
    mood mood default 'ok' values sad, ok, it's fine
    moods mood[] values sad, ok, it's fine
    country character(2) not null default 'DE'  -- ISO 3166-1 alpha-2
    referred_by integer
    lives place
    likes vector(3)
    primary key id
    unique email
    referred_by -> customers(id)
table events
    happened timestamp with time zone not null
    what text
table events_2024 partition of events
    happened timestamp with time zone not null
    what text
view revenue  -- Turnover by country
    country character(2)
    total numeric
    reads Order Lines, customers
table vip_customers child of customers
    id integer not null identity
    email character varying(80) not null
    mood mood default 'ok' values sad, ok, it's fine
    moods mood[] values sad, ok, it's fine
    country character(2) not null default 'DE'
    referred_by integer
    lives place
    likes vector(3)
    discount real
materialized view stats.returned
    reason text
    times bigint
    reads stats.returns
table stats.returns
    order_no integer
    line smallint
    reason text
    order_no, line -> Order Lines(Order No., line)
function add_customer(mail character varying, country character default 'DE'::bpchar) returns character writes customers  -- Makes a customer
procedure forget(customer integer) writes stats.returns, Order Lines
function note_event() returns trigger writes events
function total_of(customer integer) returns numeric reads Order Lines
trigger customers_changed() on customers calls note_event
comment on schema public: What the shop sells and to whom"""  # noqa: E501


@pytest.fixture(scope="module")
def everything(postgres: Postgres) -> str:
    """Return the address of a database with one of everything."""
    return postgres.database("everything", SCHEMA)


def test_everything_is_read(everything: str) -> None:
    facts = inspect_database(everything)
    assert shown(facts) == SHOWN
    assert facts.unparsed == ()
    assert (facts.dialect, facts.database) == ("postgres", "everything")
    assert table_of(facts, "customers").row_count == 2


def test_a_view_has_its_query_and_lineage(everything: str) -> None:
    view = table_of(inspect_database(everything), "revenue")
    assert "sum(o.total)" in view.query
    assert not view.query.endswith(";")
    joined = [(str(join.left), join.left_columns, str(join.right), join.right_columns) for join in view.usage.joins]
    assert joined in (
        [("Order Lines", ("customer",), "customers", ("id",))],
        [("customers", ("id",), "Order Lines", ("customer",))],
    )
    (total,) = (one for one in view.lineage if one.column == "total")
    assert [(use.column, [str(table) for table in use.tables]) for use in total.sources] == [("total", ["Order Lines"])]


def test_schemas_can_be_chosen(everything: str) -> None:
    assert set(columns_of(inspect_database(everything, schemas=["stats"]))) == {"stats.returned", "stats.returns"}
    with pytest.raises(DatabaseError, match="has no schema 'stat'; it has public, stats"):
        inspect_database(everything, schemas=["stat"])


def test_progress_is_told(everything: str) -> None:
    told: list[tuple[int, int]] = []
    for samples in (0, 1):
        told.clear()
        inspect_database(everything, samples=samples, watch=lambda done, total: told.append((done, total)))
        assert told == [(done, 8) for done in range(1, 9)]


def test_names_of_any_characters(postgres: Postgres) -> None:
    names = ["a.b", 'say "hi"', "größe", "semi;colon", "new\nline", "100 %", ":schemas", "SELECT"]
    quoted = [name.replace('"', '""') for name in names]
    url = postgres.database("odd.names", *(f'CREATE TABLE "{name}" ("{name}" text UNIQUE)' for name in quoted))
    facts = inspect_database(url, samples=1)
    assert columns_of(facts) == {name: [name] for name in names}
    assert facts.unparsed == ()


def test_nothing_is_there(postgres: Postgres) -> None:
    facts = inspect_database(postgres.database("empty"))
    assert (facts.operations, facts.unparsed) == ((), ())


def test_another_default_schema_is_said(postgres: Postgres) -> None:
    url = postgres.database(
        "app",
        "CREATE SCHEMA app; CREATE TABLE app.a (id int PRIMARY KEY); CREATE TABLE public.b (a int REFERENCES app.a)",
        "CREATE VIEW app.v AS SELECT a.id FROM app.a JOIN public.b ON b.a = a.id",
        "ALTER DATABASE app SET search_path = app, public",
    )
    facts = inspect_database(url)
    assert (
        shown(facts).splitlines()[0]
        == "UseDatabase(database='', schema='app', source=Source(path='', start_line=0, end_line=0))"
    )
    assert set(columns_of(facts)) == {"a", "v", "public.b"}
    assert [str(name) for name in table_of(facts, "v").usage.reads] == ["a", "public.b"]


def test_a_user_gets_what_the_rights_allow(postgres: Postgres) -> None:
    url = postgres.database(
        "rights",
        "CREATE SCHEMA secret; CREATE TABLE secret.salaries (amount int); CREATE TABLE shown (a int, hidden int)",
        "CREATE TABLE locked (a int)",
        "CREATE ROLE guest LOGIN; GRANT SELECT (a) ON shown TO guest",
    )
    facts = inspect_database(url.replace("postgres@", "guest@"), samples=3)
    assert columns_of(facts) == {"shown": ["a"]}
    assert [(lost.head, lost.reason, lost.table) for lost in facts.unparsed] == [
        ("TABLE public.locked", "the user has no right to read it", True),
        ("TABLE secret.salaries", "the user has no right to read it", True),
        ("COLUMN public.shown.hidden", "the user has no right to read it", False),
    ]


def test_a_user_who_may_not_log_in_is_told_so(postgres: Postgres) -> None:
    with pytest.raises(DatabaseError, match=r'cannot be opened: .*role "stranger" does not exist'):
        inspect_database(postgres.url("postgres", user="stranger"))
    with pytest.raises(DatabaseError, match=r'cannot be opened: .*database "nowhere" does not exist'):
        inspect_database(postgres.url("nowhere"))


def test_a_table_that_somebody_is_changing_is_left_out_and_named(postgres: Postgres) -> None:
    url = postgres.database(
        "changing",
        *(f"CREATE TABLE t{n} (a int DEFAULT {n})" for n in range(20)),
        "CREATE VIEW v AS SELECT a FROM t7; CREATE VIEW w AS SELECT a FROM t8",
    )
    with postgres.connect("changing") as other:
        other.execute("BEGIN; ALTER TABLE t7 ADD COLUMN b int DEFAULT 0; DROP TABLE t3")
        with must_end():
            facts = inspect_database(url, timeout=10 * HANG_SECONDS)
        other.execute("ROLLBACK")
    assert len(columns_of(facts)) == 22  # a table that is about to go is still there
    assert table_of(facts, "t8").columns[0].default == "8"
    assert table_of(facts, "w").query
    reasons = {lost.head: lost.reason for lost in facts.unparsed}
    assert {"TABLE public.t7", "TABLE public.t3", "VIEW public.v"} >= reasons.keys()
    assert "VIEW public.v" in reasons
    assert all("lock" in reason or "shown" in reason or "show" in reason for reason in reasons.values()), reasons


def test_tables_that_come_and_go_do_not_matter(postgres: Postgres) -> None:
    url = postgres.database("fleeting", "CREATE TABLE stays (a int)")
    done = threading.Event()

    def work() -> None:
        with postgres.connect("fleeting") as other:
            while not done.is_set():
                other.execute("CREATE TABLE goes (a int DEFAULT 1 CHECK (a > 0)); CREATE VIEW v AS SELECT a FROM goes")
                other.execute("DROP TABLE goes CASCADE")

    thread = threading.Thread(target=work)
    thread.start()
    try:
        read = [columns_of(inspect_database(url, samples=2)) for _ in range(15)]
    finally:
        done.set()
        thread.join()
    assert all(one["stays"] == ["a"] for one in read)


def test_a_server_that_stops_answering_is_given_up_in_time(postgres: Postgres) -> None:
    url = postgres.database("asleep", "CREATE TABLE t (a int)")
    with postgres.connect("asleep") as other:
        other.execute("BEGIN; LOCK TABLE pg_catalog.pg_class IN ACCESS EXCLUSIVE MODE")
        with must_end(), pytest.raises(DatabaseError, match="did not answer within 2 s"):
            inspect_database(url, timeout=2)
        other.execute("ROLLBACK")


def test_a_frozen_server_process_is_given_up_in_time(postgres: Postgres) -> None:
    url = postgres.database("frozen", "CREATE TABLE t (a int)")
    with open_session(parse_url(url), timeout=3) as session:
        (row,) = session.rows("SELECT pg_backend_pid() AS pid")
        os.kill(row["pid"], signal.SIGSTOP)
        try:
            with must_end(), pytest.raises(DatabaseError, match="took longer than 3 s"):
                session.rows("SELECT 1 AS one")
        finally:
            os.kill(row["pid"], signal.SIGCONT)


def test_nothing_can_be_written(everything: str) -> None:
    with open_session(parse_url(everything), timeout=HANG_SECONDS) as session:
        for statement in ("CREATE TABLE x (a int)", "DELETE FROM customers", "SELECT nextval('customers_id_seq') AS n"):
            with pytest.raises(DatabaseError, match="read-only transaction"):
                session.rows(statement)
        assert session.rows("SELECT count(*) AS n FROM customers") == [{"n": 2}]
        with pytest.raises(DatabaseError, match="cannot insert multiple commands"):
            session.rows("SELECT 1; COMMIT; DELETE FROM customers")
    with (
        open_session(parse_url(everything), timeout=3) as session,
        must_end(),
        pytest.raises(DatabaseError, match="took longer than"),
    ):
        session.rows("SELECT pg_sleep(3600)")


def test_samples_show_values_and_no_people(postgres: Postgres) -> None:
    url = postgres.database(
        "samples",
        "CREATE TABLE customers (id int PRIMARY KEY, name text, email text, status text, note text, phone text, "
        "joined date, active bool, data jsonb, token_hash text, plan text CHECK (plan IN ('free', 'paid')))",
        "INSERT INTO customers SELECT n, 'Anna ' || n, 'a' || n || '@example.com', "
        "CASE WHEN n % 3 = 0 THEN 'closed' ELSE 'open' END, 'write to b' || n || '@example.com', '+49 30 123456' || n, "
        "date '2024-01-01', n % 2 = 0, '{}', md5(n::text), 'free' FROM generate_series(1, 50) AS n",
        "CREATE TABLE numbers AS SELECT n, n % 7 AS day FROM generate_series(1, 200000) AS n; ANALYZE numbers",
    )
    facts = inspect_database(url, samples=3)
    values = {column.name: column.values for column in table_of(facts, "customers").columns}
    assert values == {
        "id": (),
        "name": (),
        "email": (),
        "status": ("open", "closed"),
        "note": ("write to <email>",),
        "phone": (),
        "joined": ("2024-01-01",),
        "active": ("false", "true"),
        "data": (),
        "token_hash": (),
        "plan": ("free", "paid"),
    }
    numbers = table_of(facts, "numbers")
    assert numbers.row_count == 200_000
    assert {len(column.values) for column in numbers.columns} == {3}
    assert table_of(inspect_database(url), "customers").columns[3].values == ()


def test_a_query_is_explained_and_not_run(everything: str) -> None:
    assert "Seq Scan on customers" in explain(everything, "SELECT * FROM customers WHERE country = 'DE'").plan
    wrong = explain(everything, "SELECT id, emial FROM customers")
    assert wrong.error == 'column "emial" does not exist'
    assert wrong.position == len("SELECT id, ")
    for text in (
        "DELETE FROM customers",
        "SELECT 1; DROP TABLE customers",
        "WITH gone AS (DELETE FROM customers RETURNING id) SELECT * FROM gone",
        "SELECT * INTO copied FROM customers",
        "ANALYZE SELECT 1",
        'SELECT 1 AS "a; DELETE FROM customers"; SELECT 2',
        "",
    ):
        with pytest.raises(DatabaseError, match="only a single SELECT is explained"):
            explain(everything, text)
    assert columns_of(inspect_database(everything)).keys() == columns_of(inspect_database(everything)).keys()


def test_the_shop_is_what_its_ddl_says(postgres: Postgres) -> None:
    text = (SHOP / "schema/schema.sql").read_text(encoding="utf-8")
    tables = text[: text.index("-- What can be sold right now")]
    portable = re.sub(r" COLLATE NOCASE|PRAGMA[^;]*;", "", tables)
    live = inspect_database(postgres.database("shop", portable))
    declared = parse_file(tables.encode(), path="schema.sql", dialect="sqlite")
    for operation in declared.operations:
        if isinstance(operation, CreateTable):
            wanted = operation.table
            table = table_of(live, wanted.name.name)
            assert [column.name for column in table.columns] == [column.name for column in wanted.columns]
            assert table.primary_key == wanted.primary_key
            assert set(table.unique) == set(wanted.unique)
            assert {(key.columns, key.table.key) for key in table.foreign_keys} == {
                (key.columns, key.table.key) for key in wanted.foreign_keys
            }
            assert {column.name: set(column.values) for column in table.columns} == {
                column.name: set(column.values) for column in wanted.columns
            }
            assert len(table.checks) == len(wanted.checks)
    assert len(columns_of(live)) == len([one for one in declared.operations if isinstance(one, CreateTable)])
