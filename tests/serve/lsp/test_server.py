"""An editor asks about SQL in strings, tables and callers, over the real protocol."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from coderag import Index
from tests.growth import HANG_SECONDS
from tests.serve.lsp.client import Client
from tests.workspace import copy_shop, write

pytestmark = pytest.mark.slow

CANCELLED = -32800
CHECKED = "textDocument/publishDiagnostics"
QUERY = '''def recent(connection):
    """Ünïcode before it."""
    return connection.execute("SELECT o.totl, c.email FROM orders o "
                              "JOIN custmers c ON c.id = o.customer_id")
'''


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return indexed_shop(tmp_path_factory.mktemp("lsp") / "shop")


def indexed_shop(root: Path) -> Path:
    copy_shop(root)
    (root / ".git").mkdir()
    Index.build(root, workers=0).close()
    return root


@pytest.fixture(scope="module")
def editor(shop: Path) -> Iterator[Client]:
    with Client(shop) as client:
        yield client


@pytest.fixture(scope="module")
def query(editor: Client) -> str:
    """A document that is not saved."""
    return editor.open("shop/unsaved.py", QUERY)


def at(uri: str, text: str, word: str) -> dict[str, Any]:
    """Return the position inside the first place of a word."""
    before = text[: text.index(word) + 1]
    line = before.count("\n")
    return {
        "textDocument": {"uri": uri},
        "position": {"line": line, "character": len(before.rpartition("\n")[2])},
    }


def names(places: list[dict[str, Any]], shop: Path) -> list[tuple[str, int]]:
    return [(place["uri"].removeprefix(f"{shop.as_uri()}/"), place["range"]["start"]["line"] + 1) for place in places]


def test_what_is_wrong_is_marked_where_it_stands_with_fixes(editor: Client, query: str) -> None:
    found = editor.told(CHECKED, query)["diagnostics"]
    lines = QUERY.split("\n")
    marked = [
        (lines[one["range"]["start"]["line"]][one["range"]["start"]["character"] : one["range"]["end"]["character"]])
        for one in found
    ]
    assert marked == ["totl", "custmers"]
    assert [one["message"] for one in found] == ["o has no column totl", "there is no table custmers"]
    actions = editor.ask(
        "textDocument/codeAction",
        {"textDocument": {"uri": query}, "range": found[0]["range"], "context": {"diagnostics": found}},
    )
    assert [(action["title"], action["isPreferred"]) for action in actions] == [
        ("Change to 'total_cents'", True),
        ("Change to 'subtotal_cents'", False),
        ("Change to 'customers'", True),
    ]
    [edit] = actions[0]["edit"]["changes"][query]
    assert (edit["newText"], edit["range"]) == ("total_cents", found[0]["range"])


def test_what_is_mended_is_no_longer_marked(editor: Client) -> None:
    uri = editor.open("shop/mended.py", 'run("SELECT totl FROM orders")\n')
    assert len(editor.told(CHECKED, uri)["diagnostics"]) == 1
    editor.change(uri, 'run("SELECT total_cents FROM orders")\n')
    assert editor.told(CHECKED, uri)["diagnostics"] == []
    editor.tell("textDocument/didClose", {"textDocument": {"uri": uri}})
    assert editor.told(CHECKED, uri)["diagnostics"] == []


def test_a_file_of_sql_is_checked_statement_by_statement(editor: Client) -> None:
    assert editor.told(CHECKED, editor.open("schema/schema.sql"))["diagnostics"] == []
    uri = editor.open("schema/queries/new.sql", "SELECT email FROM customers;\n\nSELECT nothing FROM customers;\n")
    [found] = editor.told(CHECKED, uri)["diagnostics"]
    assert (found["range"]["start"], found["code"]) == ({"line": 2, "character": 7}, "unknown-column")


def test_a_name_in_a_string_shows_its_table_and_column(editor: Client, query: str) -> None:
    table = editor.ask("textDocument/hover", at(query, QUERY, "orders"))["contents"]["value"]
    assert table.startswith("**table `orders`**")
    assert "| `total_cents` | INTEGER not null |" in table
    assert "`customer_id` → `customers(id)`" in table
    column = editor.ask("textDocument/hover", at(query, QUERY, "customer_id"))["contents"]["value"]
    assert column.startswith("**column `orders.customer_id`** INTEGER not null")
    assert editor.ask("textDocument/hover", at(query, QUERY, "execute")) is None


def test_definition_and_references_lead_between_sql_and_code(editor: Client, query: str, shop: Path) -> None:
    declared = names(editor.ask("textDocument/definition", at(query, QUERY, "orders")), shop)
    assert ("schema/schema.sql", 65) in declared
    asked = {**at(query, QUERY, "orders"), "context": {"includeDeclaration": False}}
    used = names(editor.ask("textDocument/references", asked), shop)
    with Index.open(shop) as index:
        groups = [group for found in index.refs("orders", kinds=["table"], shown=None) for group in found.groups]
    readers = {
        (reference.path, reference.line)
        for group in groups
        if group.role == "read by"
        for reference in group.references
    }
    assert readers
    assert readers <= set(used)
    assert editor.ask("textDocument/definition", at(query, QUERY, "connection")) == []


def test_from_ddl_to_the_code_that_uses_it(editor: Client, shop: Path) -> None:
    text = (shop / "schema/schema.sql").read_text()
    place = at((shop / "schema/schema.sql").as_uri(), text, "orders (")
    editor.open("schema/schema.sql")
    used = names(editor.ask("textDocument/references", {**place, "context": {"includeDeclaration": False}}), shop)
    assert any(path.startswith("shop/db/") for path, _ in used)


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("SELECT o.cust| FROM orders o", ["customer_id"]),
        ("SELECT tot| FROM orders", ["total_cents", "subtotal_cents"]),
        ("SELECT 1 FROM order_i|", ["order_items"]),
    ],
)
def test_tables_and_columns_are_completed_inside_strings(editor: Client, text: str, first: list[str]) -> None:
    written = f'run("{text}")\n'
    uri = editor.open(f"shop/completed_{len(text)}.py", written.replace("|", ""))
    place = {"line": 0, "character": written.index("|")}
    found = editor.ask("textDocument/completion", {"textDocument": {"uri": uri}, "position": place})
    assert [one["label"].rpartition(".")[2] for one in found["items"]][: len(first)] == first
    outside = {"line": 0, "character": 2}
    assert editor.ask("textDocument/completion", {"textDocument": {"uri": uri}, "position": outside}) is None


def test_lenses_stand_where_definitions_stand_now(editor: Client, shop: Path) -> None:
    text = (shop / "shop/payments/retry.py").read_text()
    uri = editor.open("shop/payments/retry.py", "\n\n" + text)
    found = {lens["range"]["start"]["line"]: lens["command"]["title"] for lens in lenses(editor, uri)}
    line = next(number for number, one in enumerate(text.split("\n")) if "def backoff_delay" in one)
    assert "called by" in found[line + 2]
    assert "tested by" in found[line + 2]
    tables = lenses(editor, editor.open("schema/schema.sql"))
    assert any("read by" in table["command"]["title"] for table in tables)
    places = editor.ask(
        "workspace/executeCommand", {"command": "coderag.references", "arguments": [uri, "backoff_delay"]}
    )
    assert places


def lenses(editor: Client, uri: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = editor.ask("textDocument/codeLens", {"textDocument": {"uri": uri}})
    return found


def test_symbols_of_the_workspace_are_ranked_by_a_search(editor: Client) -> None:
    found = editor.ask("workspace/symbol", {"query": "failed payments retried"})
    assert "retry_failed" in [one["name"] for one in found[:3]]
    assert editor.ask("workspace/symbol", {"query": "backoff_delay"})[0]["name"] == "backoff_delay"
    assert editor.ask("workspace/symbol", {"query": " "}) == []


def test_calls_are_followed_both_ways(editor: Client, shop: Path) -> None:
    text = (shop / "shop/payments/retry.py").read_text()
    uri = editor.open("shop/payments/retry.py", text)
    [item] = editor.ask("textDocument/prepareCallHierarchy", at(uri, text, "backoff_delay(attempt"))
    assert item["name"] == "backoff_delay"
    callers = editor.ask("callHierarchy/incomingCalls", {"item": item})
    assert callers
    [caller] = [one["from"] for one in callers if "retry.py" in one["from"]["uri"]][:1]
    called = editor.ask("callHierarchy/outgoingCalls", {"item": caller})
    assert "backoff_delay" in [one["to"]["name"] for one in called]


def test_commands_search_and_tell_what_breaks(editor: Client) -> None:
    hits = editor.ask("workspace/executeCommand", {"command": "coderag.search", "arguments": ["retry failed payments"]})
    assert "shop/payments/retry.py" in [hit["path"] for hit in hits]
    told = editor.ask("workspace/executeCommand", {"command": "coderag.impact", "arguments": ["orders.total_cents"]})
    assert any(one["path"] == "shop/db/orders.py" and one["why"] for one in told)
    assert all(one["uri"].endswith(one["path"]) for one in (*hits, *told))


def test_what_is_outside_of_the_roots_or_hostile_is_no_failure(editor: Client, tmp_path: Path) -> None:
    (tmp_path / "else.py").write_text('run("SELECT email FROM customers")\n')
    outside = (tmp_path / "else.py").as_uri()
    document = {"uri": outside, "languageId": "python", "version": 1, "text": "x = '" + "(" * 5_000}
    editor.tell("textDocument/didOpen", {"textDocument": document})
    assert lenses(editor, outside) == []
    for uri in ("untitled:Untitled-1", "file:///%ff%00/x.py", "shop/../../../etc/passwd"):
        document = {"uri": uri, "languageId": "python", "version": 1, "text": 'f("SELECT totl FROM orders")'}
        editor.tell("textDocument/didOpen", {"textDocument": document})
        assert lenses(editor, uri) == []
    assert editor.ask("workspace/symbol", {"query": "x" * 100_000}) in ([], None)


def test_positions_count_as_the_editor_counts(shop: Path) -> None:
    text = 'x = "😀"; run("SELECT totl FROM orders")\n'
    with Client(shop) as client:
        assert client.offered["positionEncoding"] == "utf-16"
        [found] = client.told(CHECKED, client.open("shop/smile.py", text))["diagnostics"]
    assert found["range"]["start"]["character"] == text.index("totl") + 1


@pytest.mark.skipif(shutil.which("nvim") is None, reason="Neovim is not installed")
def test_neovim_shows_the_table(shop: Path, tmp_path: Path) -> None:
    (shop / "shop/in_editor.py").write_text('run("SELECT email FROM customers")\n')
    script = tmp_path / "ask.lua"
    script.write_text(f"""
        local id = vim.lsp.start_client({{
            name = 'coderag', cmd = {{ {python()!r}, '-m', 'coderag', 'lsp' }}, root_dir = {str(shop)!r}
        }})
        vim.cmd('edit {shop}/shop/in_editor.py')
        vim.lsp.buf_attach_client(0, id)
        vim.wait(60000, function() local c = vim.lsp.get_client_by_id(id); return c and c.initialized end, 50)
        local asked = {{ textDocument = {{ uri = vim.uri_from_bufnr(0) }}, position = {{ line = 0, character = 27 }} }}
        local answers = vim.lsp.buf_request_sync(0, 'textDocument/hover', asked, 60000)
        local file = io.open({str(tmp_path / "said")!r}, 'w')
        file:write(answers[id].result.contents.value)
        file:close()
    """)
    subprocess.run(
        ["nvim", "--headless", "-u", "NONE", f"+luafile {script}", "+qa!"],
        timeout=HANG_SECONDS,
        check=True,
        capture_output=True,
    )
    assert (tmp_path / "said").read_text().startswith("**table `customers`**")


def python() -> str:
    import sys

    return sys.executable


MODEL = """from sqlalchemy import Column, Integer, String
from sqlalchemy.orm import declarative_base

Base = declarative_base()


class Pen(Base):
    __tablename__ = "pens"

    id = Column(Integer, primary_key=True)
    shade = Column("ink_colour", String(20), nullable=False)
    length_mm = Column(Integer)

    def halved(self):
        return cut(self.length_mm)


def cut(length):
    return length / 2
"""


def test_a_model_shows_its_table_and_a_field_its_column(tmp_path: Path) -> None:
    root = write(
        tmp_path / "pens", {"app/[models].py": MODEL, "app/models.py": "def cut(length):\n    return length\n"}
    )
    (root / ".git").mkdir()
    with Index.build(root, workers=0) as index:
        index.graphs()
    with Client(root) as client:
        uri = client.open("app/[models].py")

        def hover(word: str) -> str:
            told = client.ask("textDocument/hover", at(uri, MODEL, word))
            return told["contents"]["value"].split("\n")[0] if told else ""

        assert hover("Pen(Base)") == "**table `pens`**"
        assert hover("shade =") == "**column `pens.ink_colour`** VARCHAR(20) not null"
        assert hover("length_mm)") == "**column `pens.length_mm`** INTEGER"
        assert hover("halved") == ""
        assert hover("Integer, String") == ""
        titles = {lens["range"]["start"]["line"]: lens["command"]["title"] for lens in lenses(client, uri)}
        assert titles[MODEL[: MODEL.index("def cut")].count("\n")] == "called by 1"


def test_a_question_is_answered_with_sources(editor: Client) -> None:
    told = editor.ask(
        "workspace/executeCommand", {"command": "coderag.ask", "arguments": ["where are failed payments retried?"]}
    )
    assert "shop/payments/retry.py" in [source["path"] for source in told["sources"]]
    assert {"coderag.search", "coderag.ask", "coderag.impact"} <= set(
        editor.offered["executeCommandProvider"]["commands"]
    )


def test_edits_inside_a_line_are_counted_in_utf_16(editor: Client) -> None:
    text = 'x = "😀"; run("SELECT totl FROM orders")\nrun("SELECT email FROM customers")\n'
    uri = editor.open("shop/edited.py", text)
    assert len(editor.told(CHECKED, uri)["diagnostics"]) == 1
    column = text.index("totl") + 1  # the smile is two units
    editor.edit(uri, (0, column), (0, column + len("totl")), "total_cents")
    assert editor.told(CHECKED, uri)["diagnostics"] == []
    editor.edit(uri, (0, 5), (1, 12), "")  # the smile, its line, and the next to the middle of SELECT
    editor.edit(uri, (0, 0), (0, 5), 'run("SEL')
    [found] = editor.told(CHECKED, uri)["diagnostics"] or [None]
    assert found is None


def test_what_is_asked_at_once_has_one_workspace(shop: Path) -> None:
    with Client(shop) as client:
        uri = client.open("shop/at_once.py", QUERY)
        place = at(uri, QUERY, "orders")
        answers = client.ask_all([("textDocument/hover", place)] * 8 + [("workspace/symbol", {"query": "Order"})] * 4)
    assert all(answer["result"] for answer in answers)


def test_a_request_that_is_cancelled_is_answered_as_such(editor: Client) -> None:
    identifier = editor.send("workspace/symbol", {"query": "where are failed payments retried?"})
    editor.tell("$/cancelRequest", {"id": identifier})
    answer = editor.answer(identifier)
    assert "result" in answer or answer["error"]["code"] == CANCELLED
    assert editor.ask("workspace/symbol", {"query": "backoff_delay"})


def test_folders_that_are_added_are_answered_from(shop: Path, tmp_path: Path) -> None:
    other = write(tmp_path / "other", {"app/far.py": "def far_away():\n    return 1\n"})
    (other / ".git").mkdir()
    Index.build(other, workers=0).close()
    folder = {"uri": other.as_uri(), "name": "other"}
    with Client(shop) as client:
        assert "far_away" not in symbols(client, "far_away")
        client.tell("workspace/didChangeWorkspaceFolders", {"event": {"added": [folder], "removed": []}})
        assert symbols(client, "far_away")[0] == "far_away"
        assert symbols(client, "backoff_delay")[0] == "backoff_delay"
        client.tell("workspace/didChangeWorkspaceFolders", {"event": {"added": [], "removed": [folder]}})
        assert "far_away" not in symbols(client, "far_away")


HELD = """
import sys, time
from pathlib import Path
from coderag.api.roots import resolve_roots
from coderag.serve.descriptors import claim_standard_streams
from coderag.serve.lsp.server import serve
from coderag.serve.workspace import View, Workspace

go_on, opened = map(Path, sys.argv[1:])

class Held(Workspace):
    def view(self) -> View:
        while not go_on.exists():
            time.sleep(0.01)
        return super().view()

def open_workspace(folders: list[str]) -> Workspace:
    with opened.open("a") as log:
        print(*folders, file=log)
    return Held(resolve_roots(folders))

serve(open_workspace, claim_standard_streams())
"""


def test_a_request_that_waited_answers_from_the_folders_of_now(shop: Path, tmp_path: Path) -> None:
    other = write(tmp_path / "other", {"app/far.py": "def far_away():\n    return 1\n"})
    (other / ".git").mkdir()
    Index.build(other, workers=0).close()
    go_on, opened = tmp_path / "go_on", tmp_path / "opened"
    added, removed = ([{"uri": root.as_uri(), "name": root.name}] for root in (other, shop))
    with Client(shop, str(go_on), str(opened), program=HELD) as client:
        uri = client.open("shop/at_once.py", QUERY)
        from coderag.serve.lsp.server import THREADS  # with the types of the protocol, which take half a second

        waiting = [client.send("workspace/symbol", {"query": "far_away"}) for _ in range(THREADS + 2)]
        client.tell("workspace/didChangeWorkspaceFolders", {"event": {"added": added, "removed": removed}})
        client.ask("textDocument/prepareCallHierarchy", at(uri, QUERY, "recent"))  # which comes after it
        go_on.touch()
        assert client.answer(waiting[-1])["result"][0]["name"] == "far_away"
    assert opened.read_text().splitlines() == [str(shop), str(other)]


def symbols(editor: Client, query: str) -> list[str]:
    return [one["name"] for one in editor.ask("workspace/symbol", {"query": query})]


def homes(editor: Client, name: str) -> list[str]:
    """Return the addresses of the files that define a name."""
    return [one["location"]["uri"] for one in editor.ask("workspace/symbol", {"query": name}) if one["name"] == name]


def until(condition: Callable[[], bool]) -> None:
    """Wait until something is so: an answer waits a moment for files that changed, and comes without them after it."""
    deadline = time.monotonic() + HANG_SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_files_come_and_go(tmp_path: Path) -> None:
    shop = indexed_shop(tmp_path / "shop")
    before, after = shop / "shop/before.py", shop / "shop/after.py"
    before.write_text("def wanders():\n    return 1\n\n\ndef follows():\n    return wanders()\n")
    with Client(shop) as client:
        until(lambda: symbols(client, "wanders")[:1] == ["wanders"])
        uri = client.open("shop/before.py")
        before.rename(after)
        until(lambda: after.as_uri() in homes(client, "wanders"))
        assert before.as_uri() not in homes(client, "wanders")
        assert lenses(client, uri) in ([], None)
        client.tell("textDocument/didClose", {"textDocument": {"uri": uri}})
        after.unlink()
        until(lambda: "wanders" not in symbols(client, "wanders"))


def test_a_huge_document_is_no_failure(editor: Client) -> None:
    text = 'run("SELECT totl FROM orders")\n' * 50_000
    uri = editor.open("shop/huge.py", text)
    assert editor.told(CHECKED, uri)["diagnostics"] == []
    assert editor.ask("textDocument/hover", at(uri, text, "orders")) is None
    assert lenses(editor, uri) == []
