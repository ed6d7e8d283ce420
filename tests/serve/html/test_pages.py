"""The pages of the example application as they come from the server."""

from __future__ import annotations

import gzip
import json
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from coderag import Index
from coderag.serve.html.shell import STATIC
from tests.ask.correcting.test_correcting import BOOKS
from tests.files.changes.repositories import commit, repository
from tests.growth import HANG_SECONDS
from tests.serve.html.desk import OneDesk, application
from tests.serve.html.markup import read
from tests.workspace import write

SEARCH = "/?q=where+are+failed+payments+retried%3F"
PAGES = (
    "/",
    SEARCH,
    "/ask?q=how+is+a+failed+payment+retried%3F",
    "/ask?q=how+are+blockchains+mined%3F",
    "/file/shop/payments/retry.py",
    "/files/",
    "/files/shop",
    "/symbol?of=Order",
    "/tables",
    "/tables?q=monthly+revenue+by+country",
    "/table/shop.orders",
    "/diagram",
    "/diagram?table=shop.orders&table=shop.customers",
    "/sql?q=monthly+revenue+by+country",
    "/graph",
    "/graph?of=orders",
    "/graph?of=PaymentRetrier&show=impact",
    "/graph?from=Services.housekeeping&to=payments",
    "/map",
    "/status",
)
FIRST_LOAD = 150_000  # bytes, gzipped: a page with all that it loads, the graph's library left out


def needs_label(tag: str, values: dict[str, str]) -> bool:
    """Tell whether an element has no text of its own that a reader of screens could say."""
    return tag in ("input", "select", "textarea") or (tag == "button" and "icon" in values.get("class", ""))


@pytest.mark.parametrize("address", PAGES)
def test_a_page_is_whole_and_nothing_in_it_is_inline_or_foreign(client: TestClient, address: str) -> None:
    answer = client.get(address)
    page = read(answer.text)
    assert answer.status_code == 200
    assert not page.unbalanced
    assert not page.open
    assert {"header", "nav", "main"} <= {tag for tag, _ in page.elements}
    assert all(one.startswith(("/", "#")) and not one.startswith("//") for one in page.addresses if one)
    assert not page.attributes("script", "type")
    assert all("src" in values for tag, values in page.elements if tag == "script")
    assert not any(tag == "style" or "style" in values for tag, values in page.elements)
    assert not any(name.startswith("on") for _, values in page.elements for name in values)
    assert all(values.get("aria-label") for tag, values in page.elements if needs_label(tag, values))
    assert any("cytoscape" in one for one in page.addresses if one.endswith(".js")) == address.startswith("/graph?")
    identifiers = [values["id"] for _, values in page.elements if "id" in values]
    assert len(identifiers) == len(set(identifiers))


def test_a_page_is_light(client: TestClient) -> None:
    parts = [client.get(SEARCH).content]
    parts += [
        path.read_bytes()
        for path in STATIC.iterdir()
        if path.suffix in (".css", ".js") and "cytoscape" not in path.name
    ]
    assert sum(len(gzip.compress(part)) for part in parts) < FIRST_LOAD


def test_what_others_wrote_comes_with_its_licence(client: TestClient) -> None:
    assert "Permission is hereby granted" in client.get("/static/cytoscape.LICENSE.txt").text


def test_a_search_shows_whole_functions_with_who_calls_them(client: TestClient) -> None:
    page = read(client.get(SEARCH).text)
    assert "PaymentRetrier.retry_failed" in page.text
    assert "log.info(" in page.text
    assert "return report" in page.text
    assert "called by Services.housekeeping" in page.text
    assert "/file/shop/payments/retry.py#L68" in page.addresses


def test_an_answer_cites_lines_that_open(client: TestClient) -> None:
    page = client.get("/ask", params={"q": "where are failed payments retried?"}).text
    assert 'href="/file/shop/payments/retry.py#L68"' in page
    assert "Sources" in page
    lost = client.get("/ask", params={"q": "how are <blockchains> mined?"}).text
    assert "Not found." in lost
    assert "No indexed file has" in lost
    assert "<blockchains>" not in lost


@pytest.mark.slow
def test_a_page_is_made_once_for_each_state_of_the_index(tmp_path: Path) -> None:
    root = write(tmp_path / "books", {"read.py": "def first_page():\n    return 1\n"})
    for path in (root / "read.py", root):
        os.utime(path, ns=(10**18, 10**18))  # else they may be changed within the tick of their times
    Index.build(root, workers=0, history=False).close()
    desk = OneDesk(root)
    with TestClient(application(desk)) as client:
        pages = [client.get("/file/read.py").text for _ in range(2)]
        assert (desk.responses.counts().made, desk.responses.counts().kept) == (1, 1)
        (root / "read.py").write_text("def last_page():\n    return 2\n")
        deadline = time.monotonic() + HANG_SECONDS
        while "last_page" not in (newer := client.get("/file/read.py")).text:
            assert time.monotonic() < deadline
        assert client.get("/file/gone.py").status_code == client.get("/file/gone.py").status_code == 404
    desk.workspace.close()
    assert pages[0] == pages[1]
    assert "first_page" in pages[0]
    assert newer.headers["content-type"] == "text/html; charset=utf-8"


@pytest.mark.slow
def test_a_status_that_is_kept_never_hides_a_new_file(tmp_path: Path) -> None:
    root = write(tmp_path / "books", {"read.py": "def first_page():\n    return 1\n"})
    for path in (root / "read.py", root):
        os.utime(path, ns=(10**18, 10**18))
    Index.build(root, workers=0, history=False).close()
    desk = OneDesk(root)
    with TestClient(application(desk)) as client:
        for _ in range(20):  # a minute may begin between two of them
            client.get("/status")
        assert desk.responses.counts().kept >= 18
        (root / "more.py").write_text("def last_page():\n    return 2\n")
        deadline = time.monotonic() + HANG_SECONDS
        while "<b>2</b> files" not in client.get("/status").text:
            assert time.monotonic() < deadline
    desk.workspace.close()


@pytest.mark.slow
def test_an_answer_says_where_a_wider_search_found_it(tmp_path: Path) -> None:
    root = write(tmp_path / "books", BOOKS)
    Index.build(root, contents=["code", "docs", "config"], workers=0, graph=False).close()
    desk = OneDesk(root)
    with TestClient(application(desk)) as client:
        text = client.get("/ask", params={"q": "how large may an upload be?"}).text
    desk.workspace.close()
    assert "Found in configuration only" in text


def test_an_answer_streams_its_steps_and_ends_with_the_page(client: TestClient) -> None:
    question = {"q": "where are failed payments retried?"}
    client.get("/ask", params=question)  # the trace of an answer that is kept says so, whichever test asked first
    reply = client.get("/ask", params={**question, "part": "events"})
    assert reply.headers["content-type"].startswith("text/event-stream")
    events = [dict(line.split(": ", 1) for line in block.split("\n")) for block in reply.text.split("\n\n") if block]
    assert [event["event"] for event in events][-2:] == ["step", "answer"]
    html = json.loads(events[-1]["data"])["html"]
    assert html.strip() in client.get("/ask", params=question).text
    assert "How it was answered" in html


def test_a_source_opens_beside_an_answer(client: TestClient) -> None:
    page = read(client.get("/ask", params={"q": "where are failed payments retried?"}).text)
    address = next(attribute for attribute in page.attributes("a", "data-beside") if "start=68" in attribute)
    lines = client.get(address).text
    assert "def retry_failed" in read(lines).text
    assert lines.count("hit-line") == 12  # and three lines above and below it
    assert client.get("/passage?of=none.py&start=1&end=2").status_code == 404
    assert client.get("/passage?of=shop/payments/retry.py&start=x").status_code == 400


def test_facets_narrow_a_search_and_widen_it_again(client: TestClient) -> None:
    narrow = "/?q=where+are+failed+payments+retried%3F+lang%3Asql"
    assert narrow in read(client.get(SEARCH).text).addresses
    page = read(client.get(narrow).text)
    assert all(not attribute.endswith(".py") for attribute in page.attributes("article", "data-href"))
    assert "/?q=where+are+failed+payments+retried%3F" in page.addresses


def test_a_part_of_a_search_is_the_results_alone(client: TestClient) -> None:
    part = client.get(f"{SEARCH}&part=results").text
    assert "<html" not in part
    assert part.strip() in client.get(SEARCH).text


def test_a_query_that_makes_no_sense_says_where(client: TestClient) -> None:
    answer = client.get("/", params={"q": "kind:nonsense orders"})
    assert "column 1 of the query" in read(answer.text).text


def test_the_field_knows_what_completes_a_query(client: TestClient) -> None:
    completions = client.get("/completions").json()
    assert "python" in completions["values"]["lang:"]
    assert set(completions["keys"]) >= {"lang:", "kind:", "file:", "sym:", "test:"}


def test_names_and_files_are_completed_from_the_index(client: TestClient) -> None:
    def offered(word: str) -> list[str]:
        values: list[str] = client.get("/completions", params={"word": word}).json()["values"]
        return values

    assert "retry_failed" in offered("sym:retry_f")
    assert offered("-file:payments/ret") == ["shop/payments/retry.py"]
    assert offered("lang:py") == offered("sym:") == offered("file:no such file") == []


def test_where_nothing_is_found_each_condition_can_be_dropped(client: TestClient) -> None:
    page = read(client.get("/", params={"q": "refund lang:rust -file:docs"}).text)
    assert {"/?q=refund+-file%3Adocs", "/?q=refund+lang%3Arust"} <= set(page.addresses)


def test_relations_of_a_hit_are_said_once_for_each_kind(client: TestClient) -> None:
    kinds = re.findall(r'<span class="verb">(.*?)</span>', client.get(SEARCH).text.partition("</article>")[0])
    assert len(kinds) == len(set(kinds)) > 1


def test_a_file_is_shown_as_it_is_with_its_names_linked(client: TestClient, shop: Path) -> None:
    text = client.get("/file/shop/payments/retry.py").text
    page = read(text)
    lines = re.findall(r"<code>(.*?)</code></div>", text)
    shown = [read(line).text for line in lines]
    assert shown == (shop / "shop/payments/retry.py").read_text().rstrip("\n").split("\n")
    assert "/file/shop/db/models.py#L112" in page.addresses  # Order
    assert "/table/shop.payments" in page.addresses  # a table in a string
    assert "#L68" in page.addresses  # the outline
    assert "tests/test_payments.py" in page.text  # who imports it


def test_what_is_not_indexed_is_not_found(client: TestClient) -> None:
    for path in ("shop/none.py", "..%2F..%2Fetc%2Fpasswd", "%2Fetc%2Fpasswd", ".env", "shop/payments"):
        assert client.get(f"/file/{path}").status_code == 404, path
    assert client.get("/files/none").status_code == 404
    assert client.get("/table/none").status_code == 404
    assert client.get("/static/../pages.py").status_code == 404


def test_a_folder_lists_what_is_in_it(client: TestClient) -> None:
    page = read(client.get("/files/shop").text)
    assert "/file/shop/money.py" in page.addresses
    assert "/files/shop/payments" in page.addresses


def test_a_card_shows_a_definition_in_brief(client: TestClient) -> None:
    card = read(client.get("/card?of=shop/payments/retry.py:68").text)
    assert "PaymentRetrier.retry_failed" in card.text
    assert "Services.housekeeping" in card.text


def test_a_symbol_is_shown_with_its_references(client: TestClient) -> None:
    page = read(client.get("/symbol?of=PaymentRetrier.retry_failed").text)
    assert "/file/shop/services.py#L106" in page.addresses
    assert "Did you mean" in read(client.get("/symbol?of=PaymentRetriers").text).text


def test_a_table_says_who_reads_each_column(client: TestClient) -> None:
    page = read(client.get("/table/shop.orders").text)
    assert "An order is written once at checkout" in page.text
    assert "OrderRepository.unpaid_since" in page.text
    assert "/table/shop.customers" in page.addresses
    assert page.attributes("svg", "viewbox") or page.attributes("svg", "viewBox")


def test_a_diagram_links_its_tables(client: TestClient) -> None:
    page = read(client.get("/diagram?table=shop.orders&table=shop.customers").text)
    assert {"/table/shop.orders", "/table/shop.customers"} <= set(page.addresses)
    assert "/table/shop.payments" not in page.addresses


@pytest.mark.slow
def test_many_tables_are_drawn_as_domains_that_open(tmp_path: Path) -> None:
    lines = ["CREATE TABLE hub_a (id INTEGER PRIMARY KEY);", "CREATE TABLE hub_b (id INTEGER PRIMARY KEY);"]
    lines += [
        f"CREATE TABLE {hub}_{one}{other} (id INTEGER PRIMARY KEY, hub INTEGER REFERENCES hub_{hub}(id));"
        for hub in "ab"
        for one in "klmnop"
        for other in "rstuvw"
    ]
    with Index.build(write(tmp_path / "wide", {"schema.sql": "\n".join(lines)}), workers=0):
        desk = OneDesk(tmp_path / "wide")
    with TestClient(application(desk)) as client:
        overview = read(client.get("/diagram").text)
        assert "74 tables in 2 domains" in overview.text
        first, second = (one for one in overview.addresses if one.startswith("/diagram?domain="))
        shown = [read(client.get(address).text).addresses for address in (first, second)]
        assert [sum(one.startswith("/table/") for one in addresses) for addresses in shown] == [37, 37]
        assert client.get("/diagram?domain=none").status_code == 404
    desk.workspace.close()


def test_a_map_is_by_size_or_by_change(client: TestClient) -> None:
    assert read(client.get("/map").text).text != read(client.get("/map?by=change").text).text
    assert "Shown by size" in client.get("/map?by=change").text  # the copy is no repository
    assert client.get("/map?by=colour").status_code == 400


def test_sql_is_checked_with_places(client: TestClient) -> None:
    found = client.post("/sql/check", content="SELECT totl FROM orders").json()["findings"]
    assert [(one["line"], one["column"], one["end"], one["severity"]) for one in found] == [(1, 8, 11, "error")]
    assert "total_cents" in found[0]["suggestions"]
    assert client.post("/sql/check", content="").json() == {"findings": []}


def test_a_question_gives_the_context_for_sql(client: TestClient) -> None:
    assert "CREATE VIEW monthly_revenue" in read(client.get("/sql?q=monthly+revenue").text).text


def test_a_graph_has_what_its_script_draws(client: TestClient) -> None:
    page = read(client.get("/graph?of=orders").text)
    drawn = json.loads(page.attributes("div", "data-graph")[0])
    assert drawn == client.get("/graph?of=orders&part=data").json()
    labels = {node["label"] for node in drawn["nodes"]}
    assert {"orders", "customers", "OrderRepository.newest_first"} <= labels
    known = {node["id"] for node in drawn["nodes"]}
    assert all({edge["source"], edge["target"]} <= known for edge in drawn["edges"])


def test_a_path_leads_from_one_to_the_other(client: TestClient) -> None:
    drawn = client.get("/graph?from=Services.housekeeping&to=payments&part=data").json()
    assert drawn["nodes"][0]["label"] == "Services.housekeeping"
    assert "payments" in {node["label"] for node in drawn["nodes"]}
    assert client.get("/graph?from=backoff_delay&to=Services.retrier&part=data").status_code == 200


def test_several_roots_are_told_apart(shop: Path, tmp_path: Path) -> None:
    other = write(
        tmp_path / "other", {"schema.sql": "CREATE TABLE orders (id INTEGER);", "shop/money.py": "OTHER = 1\n"}
    )
    with Index.build(other, workers=0):
        desk = OneDesk(shop, other)
    with TestClient(application(desk)) as client:
        assert "/files/?repo=other" in read(client.get("/files/").text).addresses
        assert "OTHER" in client.get("/file/shop/money.py?repo=other").text
        assert "class Money" in read(client.get("/file/shop/money.py?repo=shop").text).text
        tables = read(client.get("/tables").text).addresses
        for address in ("/file/schema.sql?repo=other#L1", "/table/shop%2Fshop.orders", "/table/other%2Fother.orders"):
            assert address in tables
            assert client.get(address).status_code == 200
        assert "OrderRepository.unpaid_since" in client.get("/table/shop%2Fshop.orders").text
        assert "OrderRepository.unpaid_since" not in client.get("/table/other%2Fother.orders").text
    desk.workspace.close()


@pytest.fixture(scope="module")
def twins(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """Two repositories whose files and functions have the same names, each with a caller and a commit of its own."""
    folder = tmp_path_factory.mktemp("twins")
    roots = []
    for name in ("left", "right"):
        caller = f"from app.core import run\n\n\ndef from_the_{name}():\n    return run()\n"
        files = {"app/core.py": "def run():\n    return 1\n", f"app/{name}.py": caller}
        roots.append(repository(folder / name, files))
        commit(folder / name, {"app/core.py": "def run():\n    return 1\n\n\n"}, f"more on the {name}")
    for root in roots:
        with Index.build(root, workers=0) as index:
            index.log("app/core.py")  # reads the history
    desk = OneDesk(*roots)
    with TestClient(application(desk)) as client:
        yield client
    desk.workspace.close()


@pytest.mark.parametrize(("name", "other"), [("left", "right"), ("right", "left")])
@pytest.mark.parametrize(
    "address",
    [
        "/file/app/core.py?",
        "/card?of=app/core.py:1&",
        "/symbol?of=app/core.py:1&",
        "/graph?of=app/core.py:1&",
        "/graph?of=app/core.py:1&show=impact&",
    ],
)
def test_of_equal_names_each_page_shows_its_own_users(twins: TestClient, address: str, name: str, other: str) -> None:
    shown = twins.get(f"{address}repo={name}").text
    assert f"{name}.py" in shown
    assert f"{other}.py" not in shown


def test_of_equal_paths_each_page_shows_its_own_commits(twins: TestClient) -> None:
    shown = twins.get("/file/app/core.py?repo=right").text
    assert "more on the right" in shown
    assert "more on the left" not in shown


def test_a_map_counts_the_commits_of_each_part(twins: TestClient) -> None:
    assert read(twins.get("/map?by=change").text).text.count("2 files · 2 commits") == 2


def test_what_a_page_links_to_is_of_its_own_repository(twins: TestClient) -> None:
    addresses = read(twins.get("/file/app/core.py?repo=right").text).addresses
    assert [address for address in addresses if address.startswith(("/card", "/symbol", "/graph?", "/file/"))]
    assert all(
        "repo=right" in address
        for address in addresses
        if address.startswith(("/card", "/symbol", "/graph?", "/file/"))
    )


def test_the_status_says_what_is_left_out(client: TestClient) -> None:
    assert "configuration" in read(client.get("/status").text).text
