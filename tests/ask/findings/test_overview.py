"""Questions about everything, or about all of a topic."""

from __future__ import annotations

import re

import pytest

from coderag import Index
from coderag.ask.composing import Shelf, cited, numbered
from coderag.ask.findings.repetition import without_repetition
from coderag.ask.records import Finding, Naming, Route, Verdict
from coderag.ask.source import Source


@pytest.mark.parametrize("question", ["what does this project do?", "how is this repository organised?"])
def test_the_readme_the_parts_where_programs_begin_and_tables(shop: Index, question: str) -> None:
    answer = shop.ask(question)
    said = [statement.text for statement in answer.statements]
    assert said[0].startswith("The order and payment service of a small online shop")
    assert any(one.startswith("schema: orders, customers, ") for one in said)
    found = [statement.text for statement in answer.facts]
    assert "Programs begin in main functions: main in shop/__main__.py, main.main in worker/main.go" in found
    assert any(one.startswith("schema: table customers; read by SessionStore.lookup, ") for one in found)


def test_what_a_part_says_of_itself_stands_on_the_cited_lines(shop: Index) -> None:
    answer = shop.ask("what are the main parts?")
    for statement in answer.statements[1:]:
        sentence = statement.text.rpartition(".py: ")[2]
        source = answer.sources[statement.citations[-1] - 1]
        assert " ".join(sentence.split()[:4]).strip("…") in " ".join(source.text.split())


def test_each_name_of_a_part_and_each_user_of_a_table_is_cited_where_it_stands(shop: Index) -> None:
    answer = shop.ask("what are the main parts?")
    marked = [one for one in (*answer.statements, *answer.facts) if one.marks]
    assert len(marked) > 10
    for statement in marked:
        for text, (number, *_) in list(statement.pieces())[: len(statement.marks)]:
            name = re.sub(r" in \S+/\S+$", "", text).split()[-1]  # main in shop/__main__.py
            source = answer.sources[number - 1]
            assert name.rpartition(".")[2] in f"{source.text} {source.name}"
    check = shop.check_answer("\n".join(f"- {cited(one)}" for one in marked), answer.sources)
    assert check.is_supported
    assert check.citation_precision == 1


def test_sources_of_names_have_room_only_beside_that_of_the_statement() -> None:
    sources = [Source(0, "r", f"{name}.py", 1, 1, f"class {name}: " + "x" * 40) for name in ("A", "B", "C")]
    finding = Finding("A, B: both", sources[2], Route.MAP, namings=(Naming(1, sources[0]), Naming(4, sources[1])))
    size = Shelf(100).size(sources[0])
    shelf = Shelf(2 * size)
    statement = numbered(finding, shelf)
    assert statement is not None
    assert cited(statement) == "A [1], B: both [2]"
    assert [source.path for source in shelf.sources] == ["A.py", "C.py"]


def test_a_topic_gets_what_the_parts_say_of_it(shop: Index) -> None:
    answer = shop.ask("how do payments work overall?")
    assert answer.routes[0] is Route.MAP
    assert any("payment" in statement.text.lower() for statement in answer.statements[:2])
    assert any(statement.text.startswith("shop/payments") for statement in answer.statements)


def test_a_topic_that_nothing_speaks_of_is_not_found(shop: Index) -> None:
    assert shop.ask("how does blockchain mining work overall?").verdict is Verdict.NOT_FOUND


def test_nothing_is_said_twice() -> None:
    texts = ("Orders are paid once a day.", "Orders are paid once a day", "Parcels leave at noon.")
    found = [Finding(text, Source(0, "r", "a.py", 1, 1, text), Route.MAP) for text in texts]
    assert [one.text for one in without_repetition(found)] == [texts[0], texts[2]]
