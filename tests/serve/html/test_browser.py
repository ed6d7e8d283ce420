"""The pages in a real browser: each view, the keys, light and dark, a phone; no error, and no other host is asked."""

from __future__ import annotations

import shutil
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import uvicorn

from tests.serve.html.desk import OneDesk, application

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
HOW = "pip install -e '.[browser-test]', and a Chromium of the system"
sync_api: Any = pytest.importorskip("playwright.sync_api", reason=f"needs playwright: {HOW}")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason=f"needs a Chromium: {HOW}")
QUESTION = "where are failed payments retried?"


class Seen:
    """What went wrong on a page, and whom it asked."""

    def __init__(self, page: Page) -> None:
        self.errors: list[str] = []
        self.hosts: set[str] = set()
        page.on(
            "console",
            lambda message: self.errors.append(message.text) if message.type in ("error", "warning") else None,
        )
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", lambda request: self.hosts.add(request.url.split("/")[2]))


@pytest.fixture(scope="module")
def server(shop: Path) -> Iterator[str]:
    desk = OneDesk(shop)
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    running = uvicorn.Server(uvicorn.Config(application(desk), log_level="error", lifespan="off", ws="none"))
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    while not running.started:
        time.sleep(0.01)
    yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    running.should_exit = True
    thread.join()
    listening.close()
    desk.workspace.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Browser, server: str) -> Iterator[Page]:
    context = browser.new_context(base_url=server, color_scheme="light")
    page = context.new_page()
    seen = Seen(page)
    yield page
    context.close()
    assert seen.errors == []
    assert seen.hosts == {server.removeprefix("http://")}


def test_every_view_is_shown_and_none_is_wider_than_a_phone(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    for address, text in (
        ("/", "python"),
        ("/files/shop", "money.py"),
        ("/file/shop/payments/retry.py", "class PaymentRetrier"),
        ("/symbol?of=Order", "referenced by"),
        ("/tables", "monthly_revenue"),
        ("/table/shop.orders", "customer_id"),
        ("/diagram", "Diagram"),
        ("/map", "schema"),
        ("/status", "Left out"),
    ):
        page.goto(address)
        sync_api.expect(page.locator("main")).to_contain_text(text)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), address


def test_a_search_answers_as_one_types_and_its_address_can_be_shared(page: Page) -> None:
    page.goto("/")
    sync_api.expect(page.locator("#q")).to_be_focused()
    page.keyboard.type(QUESTION)
    first = page.locator(".hit").first
    sync_api.expect(first).to_contain_text("PaymentRetrier.retry_failed")
    sync_api.expect(first.locator(".k").first).to_have_text("def")
    page.wait_for_url("**/?q=where+are+failed+payments+retried%3F")
    page.reload()
    sync_api.expect(first).to_contain_text("PaymentRetrier.retry_failed")
    assert page.locator("#q").input_value() == QUESTION


def test_keys_walk_the_hits_and_open_one(page: Page) -> None:
    page.goto("/?q=where+are+failed+payments+retried%3F")
    focused = page.locator(".hit:focus")
    page.keyboard.press("ArrowDown")
    sync_api.expect(focused).to_contain_text("PaymentRetrier.retry_failed")
    page.keyboard.press("j")
    sync_api.expect(page.locator(".hit").nth(1)).to_be_focused()
    page.keyboard.press("k")
    page.keyboard.press("Enter")
    page.wait_for_url("**/file/shop/payments/retry.py#L68")
    sync_api.expect(page.locator(".l.chosen")).to_contain_text("def retry_failed")
    sync_api.expect(page.locator(".l.chosen")).to_be_in_viewport()
    page.keyboard.press("?")
    sync_api.expect(page.locator("#keys")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("g")
    page.keyboard.press("t")
    page.wait_for_url("**/tables")


def test_the_query_language_is_completed(page: Page) -> None:
    page.goto("/?q=refund")
    page.keyboard.press("/")
    sync_api.expect(page.locator("#q")).to_be_focused()
    page.keyboard.type("retry la")
    sync_api.expect(page.get_by_role("option")).to_contain_text("lang:")
    page.keyboard.press("Tab")
    page.keyboard.type("py")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert page.locator("#q").input_value() == "retry lang:python "
    sync_api.expect(page.locator(".facets .chosen")).to_contain_text("python")


def test_a_name_is_completed_on_any_page(page: Page) -> None:
    page.goto("/tables")
    page.keyboard.press("/")
    page.keyboard.type("sym:retry_f")
    page.get_by_role("option").filter(has_text="retry_failed").first.click()
    assert page.locator("#q").input_value() == "sym:retry_failed "


def test_back_leads_to_the_search_before(page: Page) -> None:
    page.goto("/?q=refund")
    for question in ("coupon", "invoice"):
        page.locator("#q").fill(question)
        page.keyboard.press("Enter")
        page.wait_for_url(f"**/?q={question}")
        sync_api.expect(page.locator("#said")).to_contain_text(question)
    page.go_back()
    sync_api.expect(page.locator("#q")).to_have_value("coupon")
    sync_api.expect(page.locator("h1")).to_have_text("Hits for coupon")
    page.go_back()
    sync_api.expect(page.locator("h1")).to_have_text("Hits for refund")


def test_names_in_a_file_lead_to_what_they_mean(page: Page) -> None:
    page.goto("/file/shop/payments/retry.py")
    name = page.locator("#L71 a[data-card]", has_text="Order").first
    name.hover()
    sync_api.expect(page.locator("#card")).to_contain_text("class Order(Model)")
    name.click()
    page.wait_for_url("**/file/shop/db/models.py#L112")


def test_an_answer_is_streamed_and_its_sources_open_beside(page: Page) -> None:
    page.goto("/ask")
    page.get_by_label("A question").fill(QUESTION)
    with page.expect_response(lambda response: "part=events" in response.url) as streamed:
        page.keyboard.press("Enter")
    assert streamed.value.header_value("content-type") == "text/event-stream; charset=utf-8"
    page.locator(".cite").first.click()
    sync_api.expect(page.locator("#beside .hit-line").first).to_contain_text("def retry_failed")
    page.wait_for_url("**/ask?q=where+are+failed+payments+retried%3F")
    page.keyboard.press("Escape")
    sync_api.expect(page.locator("#beside")).to_be_hidden()
    page.get_by_label("A question").fill(" ")
    page.keyboard.press("Enter")
    sync_api.expect(page.locator(".cite").first).to_be_visible()


def test_a_key_switches_what_the_map_shows(page: Page) -> None:
    page.goto("/map")
    page.keyboard.press("c")
    page.wait_for_url("**/map?by=change")
    page.keyboard.press("c")
    page.wait_for_url("**/map?by=size")


def test_light_and_dark(page: Page) -> None:
    page.goto("/")
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    page.get_by_role("button", name="Light or dark").click()
    dark = page.evaluate(ground)
    assert dark != light
    page.reload()
    assert page.evaluate(ground) == dark
    page.evaluate("localStorage.clear()")
    page.emulate_media(color_scheme="dark")
    page.reload()
    assert page.evaluate(ground) == dark


def test_sql_is_marked_as_one_types(page: Page) -> None:
    page.goto("/sql")
    page.locator("#sql").press_sequentially("SELECT totl FROM orders")
    sync_api.expect(page.locator("#marks mark.error")).to_have_text("totl")
    sync_api.expect(page.locator("#findings")).to_contain_text("total_cents")
    page.get_by_role("button", name="total_cents", exact=True).click()
    sync_api.expect(page.locator("#sql")).to_have_value("SELECT total_cents FROM orders")
    sync_api.expect(page.locator("#findings")).to_contain_text("Nothing is wrong")
    page.locator("#sql").fill("SELECT id FROM orders")
    sync_api.expect(page.locator("#findings")).to_contain_text("Nothing is wrong")


def test_a_graph_is_drawn_and_grows(page: Page) -> None:
    page.goto("/graph?of=orders")
    page.wait_for_selector("#graph[data-ready]")
    count = "coderagGraph.nodes().length"
    before = page.evaluate(count)
    tap = "coderagGraph.nodes().filter((one) => one.data('label') === 'customers').emit('tap')"
    page.evaluate(f"() => {{ {tap} }}")  # what it returns holds the whole graph
    sync_api.expect(page.locator("#picked")).to_contain_text("customers")
    page.locator("#picked").get_by_role("button", name="Expand").click()
    sync_api.expect(page.locator("#graph")).not_to_have_attribute("data-nodes", str(before))
    assert page.evaluate(count) - before <= 16
    words = "coderagGraph.edges('.near').length"
    assert page.evaluate(words) <= 10


def test_a_diagram_is_moved_and_its_tables_open(page: Page) -> None:
    page.goto("/diagram")
    view = "document.querySelector('.erd svg').getAttribute('viewBox')"
    before = page.evaluate(view)
    page.get_by_role("button", name="Larger").click()
    assert page.evaluate(view) != before
    page.get_by_role("button", name="Fit").click()
    page.locator(".erd a[href='/table/shop.orders'] text.title").click()
    page.wait_for_url("**/table/shop.orders")
