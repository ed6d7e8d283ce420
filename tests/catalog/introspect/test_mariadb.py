"""A MariaDB server that is asked for its schema."""

from __future__ import annotations

import pytest

from coderag.catalog.introspect.explain import explain
from coderag.catalog.introspect.introspect import inspect_database
from coderag.catalog.introspect.session import open_session
from coderag.catalog.introspect.url import parse_url
from coderag.errors import DatabaseError
from tests.catalog.introspect.servers import MariaDb
from tests.catalog.introspect.shown import columns_of, shown, table_of
from tests.growth import HANG_SECONDS, must_end

pytestmark = pytest.mark.slow

SCHEMA = (
    """CREATE TABLE customers (
        id      int AUTO_INCREMENT PRIMARY KEY,
        email   varchar(80) NOT NULL UNIQUE,
        mood    enum('sad', 'ok', 'it''s fine') DEFAULT 'ok',
        country char(2) NOT NULL DEFAULT 'DE' COMMENT 'ISO 3166-1 alpha-2',
        made_at timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP,
        initial char(1) AS (left(email, 1)) VIRTUAL
    ) COMMENT 'Everybody who ever bought something'""",
    """CREATE TABLE `Order Lines` (
        `Order No.` int,
        line        smallint,
        customer    int NOT NULL,
        kind        varchar(10) CHECK (kind IN ('sale', 'return')),
        quantity    decimal(8,2) NOT NULL CHECK (quantity > 0),
        note        varchar(300) DEFAULT NULL,
        PRIMARY KEY (`Order No.`, line),
        UNIQUE (customer, kind),
        UNIQUE (note(20)),
        FOREIGN KEY (customer) REFERENCES customers (id)
    )""",
    """CREATE TABLE returns (
        order_no int,
        line     smallint,
        FOREIGN KEY (order_no, line) REFERENCES `Order Lines` (`Order No.`, line)
    )""",
    """CREATE TABLE events (happened date NOT NULL, what text) PARTITION BY RANGE (year(happened)) (
        PARTITION p2024 VALUES LESS THAN (2025), PARTITION later VALUES LESS THAN MAXVALUE)""",
    """CREATE VIEW revenue AS
        SELECT c.country, sum(o.quantity) AS total FROM `Order Lines` AS o JOIN customers AS c ON c.id = o.customer
        GROUP BY c.country""",
    """CREATE FUNCTION total_of(customer_id int) RETURNS decimal(8,2) READS SQL DATA COMMENT 'Of one customer'
        RETURN (SELECT sum(quantity) FROM `Order Lines` WHERE customer = customer_id)""",
    """CREATE PROCEDURE forget(IN customer_id int, OUT gone int)
        BEGIN DELETE FROM returns; DELETE FROM `Order Lines` WHERE customer = customer_id; SET gone = 1; END""",
    """CREATE TRIGGER customers_changed AFTER UPDATE ON customers
        FOR EACH ROW INSERT INTO events VALUES (current_date, 'changed')""",
    "INSERT INTO customers (email, country) VALUES ('anna@example.com', 'DE'), ('ben@example.com', 'FR')",
    "ANALYZE TABLE customers",
)

SHOWN = """\
table Order Lines
    Order No. int(11) not null
    line smallint(6) not null
    customer int(11) not null
    kind varchar(10) values sale, return
    quantity decimal(8,2) not null
    note varchar(300)
    primary key Order No., line
    unique customer, kind
    customer -> customers(id)
    check `kind` in ('sale','return')
    check `quantity` > 0
table customers  -- Everybody who ever bought something
    id int(11) not null identity
    email varchar(80) not null
    mood enum('sad','ok','it''s fine') default 'ok' values sad, ok, it's fine
    country char(2) not null default 'DE'  -- ISO 3166-1 alpha-2
    made_at timestamp not null default current_timestamp()
    initial char(1) generated left(`email`,1)
    primary key id
    unique email
table events
    happened date not null
    what text
table returns
    order_no int(11)
    line smallint(6)
    order_no, line -> Order Lines(Order No., line)
view revenue
    country char(2) not null default 'DE'  -- ISO 3166-1 alpha-2
    total decimal(30,2)
    reads Order Lines, customers
procedure forget(customer_id int(11), gone int(11)) writes returns, Order Lines
function total_of(customer_id int(11)) returns decimal(8,2) reads Order Lines  -- Of one customer
trigger customers_changed() on customers writes events"""


@pytest.fixture(scope="module")
def everything(mariadb: MariaDb) -> str:
    """Return the address of a database with one of everything."""
    return mariadb.database("everything", *SCHEMA)


def test_everything_is_read(everything: str) -> None:
    facts = inspect_database(everything)
    assert shown(facts) == SHOWN
    assert facts.unparsed == ()
    assert (facts.dialect, facts.database) == ("mariadb", "everything")
    customers = table_of(facts, "customers")
    assert customers.row_count == 2
    assert customers.updated.startswith("20")
    assert customers.updated.endswith("Z")


def test_the_names_in_a_view_are_those_of_its_tables(everything: str) -> None:
    view = table_of(inspect_database(everything), "revenue")
    (total,) = (one for one in view.lineage if one.column == "total")
    assert [(use.column, [str(table) for table in use.tables]) for use in total.sources] == [
        ("quantity", ["Order Lines"])
    ]
    assert "everything" not in view.query


def test_several_databases_are_schemas(mariadb: MariaDb) -> None:
    mariadb.database("sales", "CREATE TABLE orders (id int PRIMARY KEY)")
    url = mariadb.database("crm", "CREATE TABLE deals (orders int, FOREIGN KEY (orders) REFERENCES sales.orders (id))")
    assert columns_of(inspect_database(url)) == {"deals": ["orders"]}
    (key,) = table_of(inspect_database(url), "deals").foreign_keys
    assert str(key.table) == "sales.orders"
    both = inspect_database(url, schemas=["crm", "sales"])
    assert columns_of(both) == {"deals": ["orders"], "sales.orders": ["id"]}
    assert {"crm.deals", "sales.orders"} <= columns_of(inspect_database(mariadb.url())).keys()
    with pytest.raises(DatabaseError, match="has no schema 'nowhere'; it has "):
        inspect_database(url, schemas=["nowhere"])


def test_names_of_any_characters(mariadb: MariaDb) -> None:
    names = ["a.b", "say `hi`", "größe", "semi;colon", "100 %", ":schemas", "%(schemas)s", "SELECT"]
    quoted = [name.replace("`", "``") for name in names]
    url = mariadb.database("odd names", *(f"CREATE TABLE `{name}` (`{name}` varchar(9) UNIQUE)" for name in quoted))
    facts = inspect_database(url.replace("odd names", "odd%20names"), samples=1)
    assert columns_of(facts) == {name: [name] for name in sorted(names)}
    assert facts.unparsed == ()


def test_a_view_on_a_missing_table_is_named(mariadb: MariaDb) -> None:
    url = mariadb.database(
        "broken", "CREATE TABLE t (a int)", "CREATE VIEW v AS SELECT a FROM t", "DROP TABLE t", "CREATE TABLE u (a int)"
    )
    facts = inspect_database(url, samples=1)
    assert columns_of(facts)["u"] == ["a"]
    assert [str(name) for name in table_of(facts, "v").usage.reads] == ["t"]
    (lost,) = facts.unparsed
    assert lost.head == "VIEW broken.v"
    assert "references invalid table" in lost.reason


def test_a_user_gets_what_the_rights_allow(mariadb: MariaDb) -> None:
    url = mariadb.database(
        "rights",
        "CREATE TABLE shown (a int, hidden int)",
        "CREATE TABLE secret (a int)",
        "CREATE VIEW v AS SELECT a FROM shown",
        "CREATE FUNCTION f() RETURNS int RETURN 1",
        "CREATE USER guest IDENTIFIED BY 'hush-hush'",
        "GRANT SELECT (a) ON rights.shown TO guest",
        "GRANT SELECT ON rights.v TO guest",
        "GRANT EXECUTE ON FUNCTION rights.f TO guest",
    )
    facts = inspect_database(url.replace("root@", "guest:hush-hush@"), samples=1)
    assert columns_of(facts) == {"shown": ["a"], "v": ["a"]}
    assert {lost.head: lost.reason for lost in facts.unparsed} == {
        "VIEW rights.v": "the database does not show its query",
        "FUNCTION rights.f": "the user may not see its body",
    }
    with pytest.raises(DatabaseError) as caught:
        inspect_database(url.replace("root@", "guest:hush-wrong@"))
    assert "Access denied for user 'guest'" in str(caught.value)
    assert "hush" not in str(caught.value)


def test_the_password_may_be_in_the_environment(
    everything: str, mariadb: MariaDb, monkeypatch: pytest.MonkeyPatch
) -> None:
    with mariadb.connect() as connection, connection.cursor() as cursor:
        cursor.execute("CREATE USER reader IDENTIFIED BY 'from outside'")
        cursor.execute("GRANT SELECT ON everything.* TO reader")
    monkeypatch.setenv("MYSQL_PWD", "from outside")
    assert "customers" in columns_of(inspect_database(everything.replace("root@", "reader@")))


def test_a_table_that_somebody_is_changing_does_not_stop_the_rest(mariadb: MariaDb) -> None:
    url = mariadb.database("changing", *(f"CREATE TABLE t{n} (a int)" for n in range(5)))
    with mariadb.connect("changing") as other, other.cursor() as cursor:
        cursor.execute("LOCK TABLE t3 WRITE")
        with must_end():
            facts = inspect_database(url, samples=1, timeout=10 * HANG_SECONDS)
        cursor.execute("UNLOCK TABLES")
    assert {"t0", "t1", "t2", "t4"} <= columns_of(facts).keys()
    assert [lost.head for lost in facts.unparsed] == ["TABLE t3"]


def test_nothing_can_be_written(everything: str) -> None:
    with open_session(parse_url(everything), timeout=HANG_SECONDS) as session:
        for statement in ("CREATE TABLE x (a int)", "DELETE FROM customers", "CALL forget(1, @gone)"):
            with pytest.raises(DatabaseError, match="READ ONLY transaction"):
                session.rows(statement)
        assert session.rows("SELECT count(*) AS n FROM customers") == [{"n": 2}]
    with (
        open_session(parse_url(everything), timeout=3) as session,
        pytest.raises(DatabaseError, match="took longer than 3 s"),
    ):
        session.rows(
            "SELECT count(*) AS n FROM information_schema.COLUMNS AS a, information_schema.COLUMNS AS b, "
            "information_schema.COLUMNS AS c, information_schema.COLUMNS AS d"
        )


def test_samples_show_values_and_no_people(mariadb: MariaDb) -> None:
    url = mariadb.database(
        "samples",
        "CREATE TABLE customers (id int PRIMARY KEY, name text, email text, status text, made datetime, pic blob)",
        "INSERT INTO customers VALUES (1, 'Anna', 'a@example.com', 'open', '2024-01-01 10:00', x'00ff'), "
        "(2, 'Ben', 'b@example.com', 'open', '2024-01-01 10:00', NULL), (3, '', NULL, 'closed', NULL, NULL)",
    )
    values = {column.name: column.values for column in table_of(inspect_database(url, samples=2), "customers").columns}
    assert values["status"] == ("open", "closed")
    assert values["made"] == ("2024-01-01 10:00:00",)
    assert {name for name, found in values.items() if found} == {"status", "made"}


def test_a_query_is_explained_and_not_run(everything: str) -> None:
    assert "customers" in explain(everything, "SELECT * FROM customers WHERE country = 'DE'").plan
    assert "Unknown column 'emial'" in explain(everything, "SELECT emial FROM customers").error
    with pytest.raises(DatabaseError, match="only a single SELECT is explained"):
        explain(everything, "DELETE FROM customers")


def test_an_unknown_parameter_is_an_error(everything: str) -> None:
    with pytest.raises(DatabaseError, match="unknown parameter 'local_infile'"):
        inspect_database(f"{everything}&local_infile=1")
