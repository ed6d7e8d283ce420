"""What the tools answer, as a language model reads it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coderag import Index
from coderag.api.roots import resolve_roots
from coderag.errors import CoderagError, QueryError
from coderag.serve.tools import TOOLS, call
from coderag.serve.workspace import Workspace
from coderag.text.budget import tokens_of
from tests.conftest import Golden
from tests.effort import effort
from tests.workspace import REPOSITORY, write

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("search", {"query": "where are failed payments retried?", "budget": 700}),
    ("search", {"query": "Cart.total", "k": 4, "context": "brief"}),
    ("search", {"query": "money rounding", "k": 5, "context": "names", "tests": "exclude"}),
    ("search", {"query": "which customers ordered most last month", "path": "db/**", "k": 3}),
    ("search", {"query": "zzyzx", "kind": "class", "path": "nowhere/**"}),
    ("symbol", {"name": "PaymentRetrier.retry_failed"}),
    ("symbol", {"name": "place_order", "what": "callers"}),
    ("symbol", {"name": "orders", "what": "references", "budget": 400}),
    ("symbol", {"name": "orders.total_cents", "what": "impact"}),
    ("symbol", {"name": "place_ordr", "what": "references"}),
    ("symbol", {"name": "place_order", "what": "path", "to": "orders"}),
    ("outline", {"path": "shop/cart.py"}),
    ("outline", {"path": "shop", "budget": 400}),
    ("outline", {"budget": 500}),
    ("schema", {"question": "revenue per customer", "budget": 600}),
    ("schema", {"table": "orders"}),
    ("check_sql", {"sql": "select totl_cents from orders"}),
    ("check_sql", {"sql": "delete from orders"}),
]


@pytest.fixture(scope="module")
def shop(indexed_shop: Path) -> Iterator[Workspace]:
    with Workspace(resolve_roots([indexed_shop])) as workspace:
        yield workspace


def said(workspace: Workspace, tool: str, arguments: dict[str, Any]) -> str:
    """Return what a tool says, its errors too, with ROOT for the folder of the root."""
    try:
        text = call(workspace, tool, arguments).text
    except CoderagError as error:
        text = f"{type(error).__name__}: {error}"
    return text.replace(str(workspace.roots[0].root), "ROOT")


def test_answers_are_as_they_were(shop: Workspace, golden: Golden) -> None:
    parts = []
    for tool, arguments in CALLS:
        asked = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
        parts.append(f"=== {tool}({asked})\n{said(shop, tool, arguments)}\n")
    golden(REPOSITORY / "fixtures/tools/answers.txt", "\n".join(parts))


@settings(max_examples=effort(60, thorough=1000))
@given(st.sampled_from(CALLS), st.integers(200, 3000), st.sampled_from(["whole", "brief", "names"]))
def test_a_budget_is_kept(shop: Workspace, asked: tuple[str, dict[str, Any]], budget: int, context: str) -> None:
    tool, arguments = asked
    if tool == "check_sql" or arguments.get("name") == "place_ordr":
        return
    changed = {**arguments, "budget": budget} | ({"context": context} if tool == "search" else {})
    answer = call(shop, tool, changed)
    assert tokens_of(answer.text) <= budget
    assert answer.text.splitlines()[-1].startswith("[searched ")


def test_what_is_not_shown_is_counted(shop: Workspace) -> None:
    answer = call(shop, "search", {"query": "order", "budget": 300})
    shown, hits = answer.record["shown"], len(answer.record["hits"])
    tally = answer.text.splitlines()[-2]
    assert tally.startswith(f"[{hits} hits: ")
    assert f"{hits - sum(shown.values())} left out" in tally
    assert sum(shown.values()) < hits


def test_whole_functions_are_shown(shop: Workspace) -> None:
    answer = call(shop, "search", {"query": "PaymentRetrier.retry_failed", "budget": 3000})
    place, start, end = "shop/payments.py", 0, 0
    for hit in answer.record["hits"]:
        if hit["qualified_name"] == "PaymentRetrier.retry_failed":
            place, start, end = hit["path"], hit["start_line"], hit["end_line"]
    lines = (shop.roots[0].root / place).read_text().split("\n")[start - 1 : end]
    assert "\n".join(line.rstrip() for line in lines) in answer.text


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        ("grep", {}, "unknown tool 'grep'"),
        ("search", {}, "missing required field `query`"),
        ("search", {"query": ""}, "length >= 1"),
        ("search", {"query": ["a", 1]}, "Expected `str`"),
        ("search", {"query": "a", "k": "many"}, "Expected `int`"),
        ("search", {"query": "a", "k": 0}, ">= 1"),
        ("search", {"query": "a", "limit": 3}, "search has no argument 'limit'"),
        ("search", {"query": "a", "kind": "gizmo"}, "gizmo"),
        ("search", {"query": "a", "tests": "never"}, "Invalid enum value"),
        ("search", {"query": "a", "tests": "never"}, "; tests is demote, include or exclude"),
        ("symbol", {"name": "a", "what": "path"}, 'give "to"'),
        ("symbol", {"name": "a", "to": "b"}, 'give "to"'),
        ("symbol", {"name": "a", "what": "references", "kind": "gizmo"}, "gizmo"),
        ("outline", {"path": "cart.py"}, "did you mean shop/cart.py"),
        ("outline", {"path": "/etc/passwd"}, "nothing is indexed"),
        ("outline", {"path": "../../etc"}, "nothing is indexed"),
        ("schema", {}, 'give "question" or "table"'),
        ("schema", {"table": "order"}, "did you mean orders"),
        ("check_sql", {"sql": "select 1", "dialect": "gibberish"}, "gibberish"),
    ],
)
def test_wrong_arguments_are_said(shop: Workspace, tool: str, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(QueryError) as caught:
        call(shop, tool, arguments)
    assert message in str(caught.value)


def test_what_models_write_is_understood(shop: Workspace) -> None:
    exact = call(shop, "search", {"query": "order total", "k": 5, "kind": "function,method", "path": "shop/**"})
    loose = {"query": "order total", "k": "5", "kind": ["Function", "method"], "path": ["shop/**"], "tests": None}
    assert call(shop, "search", loose).text == exact.text


def test_a_line_of_a_file_is_a_symbol(shop: Workspace) -> None:
    hit = call(shop, "search", {"query": "PaymentRetrier.retry_failed", "k": 1}).record["hits"][0]
    answer = call(shop, "symbol", {"name": f"{hit['path']}:{hit['start_line'] + 1}"})
    assert [each["qualified_name"] for each in answer.record["definitions"]] == ["PaymentRetrier.retry_failed"]


def test_what_has_no_definition_is_known_by_what_refers_to_it(tmp_path: Path) -> None:
    routes = 'from fastapi import FastAPI\n\napp = FastAPI()\n\n\n@app.post("/login")\ndef log_in():\n    return 1\n'
    root = write(tmp_path / "app", {"app/routes.py": routes, "app/main.py": "from app.routes import app\n"})
    Index.build(root, workers=0).close()
    with Workspace(resolve_roots([root])) as workspace:
        route, file = (call(workspace, "symbol", {"name": name}) for name in ("POST /login", "app/routes.py"))
    assert route.record["definitions"] == file.record["definitions"] == []
    assert route.text.split("\n")[:3] == [
        "app/routes.py:6 route POST /login",
        "  handled by 1",
        "    app/routes.py:6 log_in",
    ]
    assert "imported by 1\n    app/main.py:1 the file" in file.text


def test_several_roots_are_told_apart(tmp_path: Any) -> None:
    roots = [write(tmp_path / name, {"a.py": f"def {name}():\n    return 1\n"}) for name in ("red", "blue")]
    Index.build(*roots, workers=0).close()
    with Workspace(resolve_roots(roots)) as workspace:
        text = call(workspace, "search", {"query": "red"}).text
        assert "red/a.py:1-2 function red" in text
        assert f"red = {roots[0]}" in text
        assert "blue/a.py:1-2 function blue" in call(workspace, "symbol", {"name": "blue"}).text
        assert "1-2 def blue()" in call(workspace, "outline", {"path": f"{roots[1]}/a.py"}).text


def test_no_schema_is_said(tmp_path: Any) -> None:
    root = write(tmp_path / "plain", {"a.py": "def one():\n    return 1\n"})
    Index.build(root, workers=0).close()
    with Workspace(resolve_roots([root])) as workspace:
        for tool, arguments in (("schema", {"question": "revenue"}), ("check_sql", {"sql": "select 1"})):
            with pytest.raises(QueryError, match="there is no schema"):
                call(workspace, tool, arguments)


def test_hostile_text_is_shown_and_not_obeyed(tmp_path: Any) -> None:
    name = "evil\x1b[2J.py"
    root = write(tmp_path / "evil", {name: "def trap():\n    return '\x1b]0;owned\x07'\n"})
    Index.build(root, workers=0).close()
    with Workspace(resolve_roots([root])) as workspace:
        for tool, arguments in (
            ("search", {"query": "trap"}),
            ("symbol", {"name": "trap"}),
            ("symbol", {"name": "trap", "what": "references"}),
            ("outline", {"path": name}),
            ("outline", {}),
        ):
            text = call(workspace, tool, arguments).text
            assert text.replace("\n", "").isprintable(), (tool, text)


def test_every_tool_describes_its_arguments() -> None:
    assert list(TOOLS) == ["search", "symbol", "outline", "schema", "check_sql"]
    for tool in TOOLS.values():
        schema = tool.parameters
        assert schema["type"] == "object"
        assert set(schema["required"]) <= set(schema["properties"])
        assert tool.description.endswith(".")
