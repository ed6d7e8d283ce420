"""Names that would be markup, quotes or addresses stay names on every page."""

from __future__ import annotations

import os
from collections.abc import Iterator
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from coderag import Index
from tests.serve.html.desk import OneDesk, application
from tests.serve.html.markup import Markup, read
from tests.workspace import write

EVIL = "<script>alert(1)</script>"
QUOTES = "\"'><img src=x onerror=alert(1)>"
FILE = f"src/{QUOTES.replace('/', '')}.py"
SCRIPT = "javascript:alert(1).py"
SCHEMA = f"""-- {EVIL}
CREATE TABLE "{EVIL}" (
    id INTEGER PRIMARY KEY, -- {QUOTES}
    "javascript:alert(2)" TEXT DEFAULT '{EVIL}',
    "a""b'c" INTEGER
);
CREATE TABLE "or/../ders?x=1#y" (id INTEGER PRIMARY KEY, evil INTEGER REFERENCES "{EVIL}" (id)); -- {EVIL}
CREATE VIEW "</svg><script>" AS SELECT id FROM "{EVIL}";
"""
CODE = f'''"""{EVIL} {QUOTES}"""


def handler(text="{EVIL}"):
    """{EVIL}"""
    # </code></div></main>{EVIL}
    return 'SELECT id FROM "{EVIL}"', helper()


def helper():
    """Say \u202e{EVIL}."""
    return "</textarea>{EVIL}"
'''
ALLOWED = frozenset(
    {"/static/theme.js", "/static/page.js", "/static/sql.js", "/static/graph.js", "/static/cytoscape.min.js"}
)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    root = write(
        tmp_path_factory.mktemp("hostile") / "<b>root",
        {
            "schema.sql": SCHEMA,
            "src/handler.py": CODE,
            FILE: CODE,
            SCRIPT: CODE,
            "docs/<i>.md": f"# {EVIL}\n\n{QUOTES}\n",
        },
    )
    (root / "src" / os.fsdecode(b"not \xff UTF-8.py")).write_text(CODE)
    with Index.build(root, workers=0):
        pass
    desk = OneDesk(root)
    with TestClient(application(desk)) as client:
        yield client
    desk.workspace.close()


def is_harmless(page: Markup) -> bool:
    """Tell whether a page has no script but its own, no handler, no image, and no address but its own."""
    scripts = [values.get("src", "") for tag, values in page.elements if tag == "script"]
    return (
        set(scripts) <= ALLOWED
        and not page.unbalanced
        and not any(tag in ("img", "iframe", "object", "b-", "style") for tag, _ in page.elements)
        and not any(name.startswith("on") or name == "style" for _, values in page.elements for name in values)
        and all(
            address.startswith(("/", "#")) and not address.startswith("//") for address in page.addresses if address
        )
    )


ADDRESSES = (
    "/",
    *(f"/?q={quote(text)}" for text in (EVIL, QUOTES, "handler", "javascript:alert(1)", f'"{EVIL}"', "lang:<script>")),
    f"/file/{quote(FILE)}",
    f"/file/{quote(SCRIPT)}",
    f"/file/{quote('docs/<i>.md')}",
    "/file/schema.sql",
    "/files/",
    "/files/src",
    f"/files/{quote(EVIL)}",
    f"/card?of={quote(FILE)}:4",
    *(f"/symbol?of={quote(text)}" for text in (EVIL, "handler", QUOTES)),
    "/tables",
    f"/tables?q={quote(EVIL)}",
    f"/table/{quote(EVIL, safe='')}",
    f"/table/{quote('or/../ders?x=1#y', safe='')}",
    "/diagram",
    f"/diagram?q={quote(EVIL)}",
    f"/sql?q={quote('</textarea></pre>' + EVIL)}",
    *(f"/graph?of={quote(text)}" for text in (EVIL, "handler", FILE)),
    f"/graph?of={quote(EVIL)}&show=impact",
    f"/graph?from={quote(EVIL)}&to=handler",
    "/map",
    "/status",
    "/?q=file:UTF-8",
    "/file/src/not%20%FF%20UTF-8.py",
)


@pytest.mark.parametrize("address", ADDRESSES)
def test_hostile_names_stay_names(hostile: TestClient, address: str) -> None:
    answer = hostile.get(address)
    assert answer.status_code in (200, 400, 404)
    assert is_harmless(read(answer.text)), address


def test_the_check_of_pages_finds_a_script() -> None:
    for text in (EVIL, QUOTES, '<a href="javascript:x">', '<a href="//other.example">', "<p style=x>", "</p>"):
        assert not is_harmless(read(text)), text


def test_hostile_names_are_shown_as_they_are(hostile: TestClient) -> None:
    assert EVIL in read(hostile.get("/tables").text).text
    assert EVIL in read(hostile.get(f"/file/{quote(FILE)}").text).text
    assert FILE in read(hostile.get("/?q=handler").text).text


def test_every_link_to_a_file_or_table_leads_there(hostile: TestClient) -> None:
    for start in ("/files/", "/files/src", "/tables", "/?q=handler", "/diagram"):
        for address in set(read(hostile.get(start).text).addresses):
            if address.startswith(("/file/", "/files/", "/table/")):
                assert hostile.get(address).status_code == 200, address


def test_what_reverses_the_direction_of_text_is_seen(hostile: TestClient) -> None:
    assert "\u202e" not in hostile.get("/?q=helper").text
