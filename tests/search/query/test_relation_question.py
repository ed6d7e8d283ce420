"""Which questions ask for relations, of what, and which only look like it."""

from __future__ import annotations

import pytest

from coderag.search.query.relation_question import RelationQuestion, Sought, relation_question


@pytest.mark.parametrize(
    ("question", "sought", "target", "other"),
    [
        ("who calls parse_config?", Sought.CALLERS, "parse_config", ""),
        ("Which functions call `Session.get`", Sought.CALLERS, "Session.get", ""),
        ("where is load() called", Sought.CALLERS, "load", ""),
        ("callers of Session::get", Sought.CALLERS, "Session::get", ""),
        ("what reads the table orders", Sought.READERS, "orders", ""),
        ("what reads from orders?", Sought.READERS, "orders", ""),
        ("who writes to orders.total", Sought.WRITERS, "orders.total", ""),
        ("what modifies Cart", Sought.WRITERS, "Cart", ""),
        ("what tests charge_card", Sought.TESTS, "charge_card", ""),
        ("tests for charge_card", Sought.TESTS, "charge_card", ""),
        ("what extends BaseModel?", Sought.HEIRS, "BaseModel", ""),
        ("implementations of Encoder", Sought.HEIRS, "Encoder", ""),
        ("what uses the class Cart", Sought.USES, "Cart", ""),
        ("usages of src/cart.py", Sought.USES, "src/cart.py", ""),
        ("what breaks if orders.total changes?", Sought.IMPACT, "orders.total", ""),
        ("what happens when we rename the column orders.total", Sought.IMPACT, "orders.total", ""),
        ("what depends on Cart", Sought.IMPACT, "Cart", ""),
        ("path from checkout to orders", Sought.PATH, "checkout", "orders"),
        ("what is the call path from Cart.pay to the table orders?", Sought.PATH, "Cart.pay", "orders"),
        ("how does checkout reach charge_card", Sought.PATH, "checkout", "charge_card"),
        ("how do I get from checkout to the orders table?", Sought.PATH, "checkout", "orders"),
        ("show me the call chain between checkout and charge_card", Sought.PATH, "checkout", "charge_card"),
        ("how is checkout connected to orders", Sought.PATH, "checkout", "orders"),
        ("please find all callers of Session.get", Sought.CALLERS, "Session.get", ""),
        ("who is calling parse_config", Sought.CALLERS, "parse_config", ""),
        ("where do we call parse_config?", Sought.CALLERS, "parse_config", ""),
        ("does anything call parse_config?", Sought.CALLERS, "parse_config", ""),
        ("is parse_config called anywhere", Sought.CALLERS, "parse_config", ""),
        ("which integration tests cover charge_card", Sought.TESTS, "charge_card", ""),
        ("which files import config.py", Sought.IMPORTERS, "config.py", ""),
        ("what code touches the orders table", Sought.USES, "orders", ""),
        ("if I rename orders.total, what breaks?", Sought.IMPACT, "orders.total", ""),
        ("what is affected by changing orders.total", Sought.IMPACT, "orders.total", ""),
        ("impact of dropping the orders table", Sought.IMPACT, "orders", ""),
        ("what are the main parts?", Sought.PARTS, "", ""),
        ("overview of the codebase", Sought.PARTS, "", ""),
        ("POST /login", Sought.HANDLERS, "POST /login", ""),
        ("/api/users/{id}", Sought.HANDLERS, "/api/users/{id}", ""),
        ("which function handles GET /users?", Sought.HANDLERS, "GET /users", ""),
        ("where is the route /users handled", Sought.HANDLERS, "/users", ""),
        ("How is this repository structured?", Sought.PARTS, "", ""),
    ],
)
def test_what_is_asked_for(question: str, sought: Sought, target: str, other: str) -> None:
    asked = relation_question(question)
    assert asked is not None
    assert (asked.sought, asked.target, asked.other) == (sought, target, other)


@pytest.mark.parametrize(
    "question",
    [
        "",
        "where are failed payments retried?",
        "who calls",
        "who calls this",
        "what uses this class",
        "find the function that calls the parser",
        "is the parser used to read the config",
        "impact of retries on latency",
        "how is the cache related to the size of the index",
        "what uses memory to store the parsed tokens",
        "how does the parser reach the end of a file",
        "what happens when a payment fails",
        "overview of the payment module",
        "main loop",
        "tests",
        "path to the config file",
        "parse_config",
        "read/write lock",
        "GET requests",
        "handler of errors and/or warnings",
        "what calls " + "a" * 500,
    ],
)
def test_words_answer_other_questions(question: str) -> None:
    assert relation_question(question) is None


def test_a_name_that_can_be_no_ordinary_word_is_exact() -> None:
    exact = {text: relation_question(f"who calls {text}") for text in ("load", "load()", "`load`", "load_all", "Load")}
    assert {text: asked.is_exact for text, asked in exact.items() if asked} == {
        "load": False,
        "load()": True,
        "`load`": True,
        "load_all": True,
        "Load": False,
    }
    assert relation_question("who calls the function load") == RelationQuestion(Sought.CALLERS, "load", kind="function")
