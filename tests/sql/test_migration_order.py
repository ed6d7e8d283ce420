"""Names of files to migrations, and migrations in their order."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coderag.sql.migration_order import Migration, down_rows, home_of, ordered, series_in, series_of, version_key
from coderag.sql.records import Series


@pytest.mark.parametrize(
    ("path", "tool", "version", "direction"),
    [
        ("db/migration/V1__create_users.sql", "flyway", "1", "up"),
        ("db/migration/V2_1__more.sql", "flyway", "2_1", "up"),
        ("db/migration/R__views.sql", "flyway", "", "repeatable"),
        ("db/migration/U1__create_users.sql", "flyway", "1", "down"),
        ("db/migration/B3__baseline.sql", "flyway", "3", "baseline"),
        ("migrations/000001_init.up.sql", "golang-migrate", "000001", "up"),
        ("migrations/000001_init.down.sql", "golang-migrate", "000001", "down"),
        ("sqls/20240131120000-add-users-down.sql", "golang-migrate", "20240131120000", "down"),
        ("migrations/001.undo.users.sql", "golang-migrate", "001", "down"),
        ("prisma/migrations/20240101120000_init/migration.sql", "prisma", "20240101120000", "up"),
        ("migrations/2024-01-31-120000_users/up.sql", "diesel", "2024-01-31-120000", "up"),
        ("migrations/2024-01-31-120000_users/down.sql", "diesel", "2024-01-31-120000", "down"),
        ("supabase/migrations/20240131120000_users.sql", "supabase", "20240131120000", "up"),
        ("conf/evolutions/default/1.sql", "evolutions", "1", "up"),
        ("drizzle/migrations/0000_loud_hulk.sql", "drizzle", "0000", "up"),
        ("migrations/0001_init.sql", "numbered", "0001", "up"),
        ("migrations/20240131_users.sql", "timestamped", "20240131", "up"),
    ],
)
def test_names_of_tools(path: str, tool: str, version: str, direction: str) -> None:
    series = series_of(path, [path])
    assert series is not None
    assert (series.tool, series.version, series.direction) == (tool, version, direction)


@pytest.mark.parametrize(
    "paths",
    [
        ["shop.sql", "bank.sql"],
        ["voter_1.sql", "voter_2.sql"],
        ["14_DAY_FORECAST.sql", "customers.sql"],
        ["q3.sql", "q17.sql"],
        ["3.sql", "7.sql"],
        ["sign_up.sql", "top_down.sql"],
        ["V1.sql"],
    ],
)
def test_other_names_are_no_migrations(paths: list[str]) -> None:
    assert series_in(paths) == {}


def test_numbers_of_a_folder_are_versions_where_they_follow_each_other() -> None:
    assert [series_in([f"init/{one}"]) for one in ("1-tables.sql", "2-views.sql")] == [{}, {}]
    assert {path: one.version for path, one in series_in(["init/1-tables.sql", "init/2-views.sql"]).items()} == {
        "init/1-tables.sql": "1",
        "init/2-views.sql": "2",
    }


def test_pairs_without_numbers() -> None:
    found = series_in(["init.up.sql", "init.down.sql", "users.up.sql"])
    assert {path: one.direction for path, one in found.items()} == {"init.up.sql": "up", "init.down.sql": "down"}


def test_reverts_beside_deploys_lead_back() -> None:
    found = series_in(["deploy/users.sql", "revert/users.sql", "verify/users.sql"])
    assert {path: one.direction for path, one in found.items()} == {
        "revert/users.sql": "down",
        "verify/users.sql": "down",
    }


def test_folders_of_single_migrations_have_one_home() -> None:
    path = "prisma/migrations/20240101120000_init/migration.sql"
    series = series_of(path, [])
    assert series is not None
    assert home_of(path, series) == "prisma/migrations"


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("CREATE TABLE a (id int);\n", ()),
        ("-- +goose Up\nCREATE TABLE a ();\n-- +goose Down\nDROP TABLE a;\n", ((2, 3),)),
        ("-- +migrate Up\nA;\n\n-- +migrate Down\nB;", ((3, 4),)),
        ("-- migrate:up\nA;\n-- migrate:down transaction:false\nB;\n-- migrate:up\nC;\n", ((2, 3),)),
        ("# --- !Ups\nA;\n# --- !Downs\nB;\n", ((2, 3),)),
        ("A;\n---- create above / drop below ----\nB;\n", ((1, 2),)),
        ("-- // create a\nA;\n-- //@UNDO\nB;\n", ((2, 3),)),
        ("-- we migrate:down only by hand\nA;\n", ()),
    ],
)
def test_rows_that_lead_back(text: str, rows: tuple[tuple[int, int], ...]) -> None:
    assert down_rows(text.encode()) == rows


def place(path: str, **fields: object) -> Migration:
    return Migration(path, Series(**{"tool": "numbered", "version": path.split("_", maxsplit=1)[0], **fields}))  # type: ignore[arg-type]


def test_versions_are_compared_as_numbers() -> None:
    paths, problems = ordered([place("10_c"), place("9_b"), place("1_a")])
    assert paths == ["1_a", "9_b", "10_c"]
    assert not problems


def test_repeatable_ones_come_last_and_those_that_lead_back_never() -> None:
    paths, _ = ordered([place("R", direction="repeatable"), place("2_b"), place("1_a"), place("2_x", direction="down")])
    assert paths == ["1_a", "2_b", "R"]


def test_a_baseline_replaces_what_is_before_it() -> None:
    paths, _ = ordered([place("1_a"), place("2_b"), place("3_c"), place("2_base", direction="baseline")])
    assert paths == ["2_base", "3_c"]


def test_a_version_that_is_there_twice_is_reported() -> None:
    paths, problems = ordered([place("1_a"), place("2_c"), place("2_b")])
    assert paths == ["1_a", "2_b", "2_c"]
    assert [problem.text for problem in problems] == [
        "version 2 is that of 2 migrations, applied in this order: 2_b, 2_c"
    ]


def test_a_hole_is_reported_where_the_others_follow_each_other() -> None:
    assert [one.text for one in ordered([place(f"{n}_x") for n in (1, 2, 4, 5)])[1]] == ["no migration 3 before 4_x"]
    assert not ordered([place(f"{n}_x") for n in (10, 20, 40)])[1]
    assert not ordered([place(f"{n}_x") for n in (20240101, 20240102, 20240104)])[1]
    assert not ordered([place(f"{n}_x") for n in (1, 2, 9, 30)])[1]


def alembic(name: str, *after: str) -> Migration:
    return Migration(f"versions/{name}.py", Series("alembic", name=name, after=after))


def test_a_graph_decides_where_there_is_one() -> None:
    paths, problems = ordered([alembic("a1", "f7"), alembic("c3"), alembic("f7", "c3")])
    assert paths == ["versions/c3.py", "versions/f7.py", "versions/a1.py"]
    assert not problems


def test_two_heads_and_a_missing_migration_are_reported() -> None:
    paths, problems = ordered([alembic("a"), alembic("b", "a"), alembic("c", "a"), alembic("d", "gone")])
    assert paths[0] == "versions/a.py"
    assert len(paths) == 4
    assert [problem.text for problem in problems] == [
        "migration d comes after gone, which is missing",
        "the migrations have 3 heads, so their order is not said: b, c, d",
    ]


def test_a_merge_has_one_head() -> None:
    _, problems = ordered([alembic("a"), alembic("b", "a"), alembic("c", "a"), alembic("d", "b", "c")])
    assert not problems


def test_a_circle_is_reported() -> None:
    paths, problems = ordered([alembic("a", "b"), alembic("b", "a")])
    assert len(paths) == 2
    assert problems[0].text == "these migrations come after each other: versions/a.py, versions/b.py"


def test_every_app_of_django_has_its_chain() -> None:
    def django(name: str, *after: str) -> Migration:
        app, _, number = name.partition(".")
        return Migration(f"{app}/migrations/{number}.py", Series("django", version=number, name=name, after=after))

    paths, problems = ordered(
        [
            django("shop.0001_initial", "auth.0012_x", "billing.0001_initial"),
            django("shop.0002_more", "shop.0001_initial"),
            django("billing.0001_initial"),
        ]
    )
    assert paths == [
        "billing/migrations/0001_initial.py",
        "shop/migrations/0001_initial.py",
        "shop/migrations/0002_more.py",
    ]
    assert not problems


def test_a_squashed_migration_stands_for_those_that_it_replaces() -> None:
    squashed = Series("django", "0001", "shop.0001_squashed", replaces=("shop.0001_a", "shop.0002_b"))
    one, two, three = (
        Migration(f"{name}.py", Series("django", name[:4], f"shop.{name}", after))
        for name, after in (("0001_a", ()), ("0002_b", ("shop.0001_a",)), ("0003_c", ("shop.0002_b",)))
    )
    paths, problems = ordered([one, two, three, Migration("0001_squashed.py", squashed)])
    assert paths == ["0001_squashed.py", "0003_c.py"]
    assert not problems


def test_a_time_is_one_number_however_it_is_written() -> None:
    """As Diesel orders them, which sorts versions as texts without their dashes."""
    versions = ["20140929103756", "2017-09-23-182408", "2017-09-24", "2017_09_24_000001", "2018-01-01-000000"]
    assert sorted(sorted(versions, reverse=True), key=version_key) == versions


@settings(deadline=None)
@given(st.lists(st.integers(0, 10**14), unique=True))
def test_every_migration_is_applied_once_in_order(versions: list[int]) -> None:
    paths, _ = ordered([place(f"{version}_x") for version in versions])
    assert [version_key(path.split("_")[0]) for path in paths] == [(version,) for version in sorted(versions)]


def test_folders_named_after_versions() -> None:
    series = series_in(
        [
            "delta/9/b.sql",
            "delta/72/01_a.sql.postgres",
            "full_schemas/72/full.sql.sqlite",
            "sql/v1.9/tables.sql",
            "sql/v1.10/mysql/tables.sql",
            "lessons/01/tables.sql",
            "tools/3.1/tables.sql",
        ]
    )
    assert {path: (one.version, one.snapshot) for path, one in series.items() if one.tool == "folders"} == {
        "delta/9/b.sql": ("9", False),
        "delta/72/01_a.sql.postgres": ("72", False),
        "full_schemas/72/full.sql.sqlite": ("72", True),
        "sql/v1.9/tables.sql": ("v1.9", False),
        "sql/v1.10/mysql/tables.sql": ("v1.10", False),
    }
    assert [home_of(path, one) for path, one in series.items()][-1] == "sql"


def test_versions_in_folders_come_in_their_order() -> None:
    paths = ["delta/10/a.sql", "delta/9/10_b.sql", "delta/9/9_b.sql", "delta/9/a.sql"]
    found, problems = ordered([Migration(path, one) for path, one in series_in(paths).items()])
    assert found == ["delta/9/9_b.sql", "delta/9/10_b.sql", "delta/9/a.sql", "delta/10/a.sql"]
    assert not problems
