"""Tables to domains, and a picture of these."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coderag.search.context.domains import Domain, domains_of, ties_between
from coderag.search.context.domains_svg import domains_as_svg
from coderag.sql.records import Column, ForeignKey, Name, Table

MOST = 5


def table(name: str, *parents: str) -> Table:
    """Return a table with a foreign key to each of some others."""
    keys = tuple(ForeignKey((f"{parent}_id",), Name(parent), ("id",)) for parent in parents)
    columns = tuple(Column(one, "int") for one in ("id", *(f"{parent}_id" for parent in parents)))
    return Table(Name(name), columns=columns, foreign_keys=keys, primary_key=("id",))


def names(domains: Sequence[Domain]) -> list[list[str]]:
    return [sorted(one.name.name for one in domain.tables) for domain in domains]


def test_tables_that_refer_to_each_other_are_a_domain() -> None:
    shop = [table("orders"), *(table(f"line{number}", "orders") for number in range(4))]
    staff = [table("people"), *(table(f"shift{number}", "people") for number in range(3))]
    domains = domains_of([*staff, table("visit", "orders", "people"), *shop], most=60)
    assert {domain.tables[0].name.name for domain in domains} == {"orders", "people"}
    assert sum(tie.keys for tie in ties_between(domains)) == 1
    assert any(domain.name == "orders" for domain in domains)


def test_first_words_tie_tables_more_than_a_table_that_all_refer_to() -> None:
    shop = [table("users"), *(table(f"user_{word}", "users") for word in ("splash", "login"))]
    change = [table("change_requests", "users"), *(table(f"change_request_{n}s", "users") for n in ("event", "note"))]
    stats = [table(f"stat_{word}", "users") for word in ("day", "hour", "week")]
    found = domains_of([*stats, *change, *shop], most=60)
    assert {domain.name: len(domain.tables) for domain in found} == {"change_request": 3, "stat": 3, "user": 3}


def test_what_refers_to_one_table_alone_is_in_few_domains() -> None:
    words = [f"{first}{second}" for first in "klmnopqrst" for second in "abcdefghijkl"]
    found = domains_of([table("hub"), *(table(word, "hub") for word in words)], most=60)
    assert len(found) == 3  # of 121 tables, each of at most 60
    assert sum(len(domain.tables) for domain in found) == 121


def test_a_table_without_keys_joins_those_that_are_called_alike() -> None:
    tables = [
        table("audit_log"),
        table("audit_run"),
        table("audit_user"),
        table("geo_city"),
        table("geo_state", "geo_city"),
    ]
    assert names(domains_of([*tables, table("geo_zone"), table("alone")], most=60)) == [
        ["audit_log", "audit_run", "audit_user"],
        ["geo_city", "geo_state", "geo_zone"],
        ["alone"],
    ]


@pytest.mark.slow
@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), max_size=60))
def test_each_table_is_in_one_domain_and_none_is_too_large(ties: list[tuple[int, int]]) -> None:
    tables = [table(f"t{number}", *sorted({f"t{to}" for of, to in ties if of == number})) for number in range(31)]
    domains = domains_of(tables, most=MOST)
    assert sorted(one.name.name for domain in domains for one in domain.tables) == sorted(f"t{n}" for n in range(31))
    assert max(len(domain.tables) for domain in domains) <= MOST
    assert domains == domains_of(tables, most=MOST)


def test_a_picture_names_each_domain_and_what_is_in_it() -> None:
    odd = table('<b>"x"&\u202e')
    picture = domains_as_svg(domains_of([table("a"), table("b", "a"), odd], most=60))
    texts = [element.text or "" for element in ElementTree.fromstring(picture).iter()]
    assert "2 tables" in texts
    assert '<b>"x"&\\u202e' in texts
