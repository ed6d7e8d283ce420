"""Questions about everything, or about all of a topic."""

from __future__ import annotations

import pytest

from coderag import Index
from coderag.ask.findings.repetition import without_repetition
from coderag.ask.records import Finding, Route, Verdict
from coderag.ask.source import Source


@pytest.mark.parametrize("question", ["what does this project do?", "how is this repository organised?"])
def test_the_readme_the_parts_where_programs_begin_and_tables(shop: Index, question: str) -> None:
    answer = shop.ask(question)
    said = [statement.text for statement in answer.statements]
    assert said[0].startswith("The order and payment service of a small online shop")
    assert any(one.startswith("schema (9 files, 9 tables)") for one in said)
    found = [statement.text for statement in answer.facts]
    assert "Programs begin in 2 main functions, such as main in shop/__main__.py" in found
    assert any(one.startswith("schema: table customers: 7 columns; read by") for one in found)


def test_what_a_part_says_of_itself_stands_on_the_cited_lines(shop: Index) -> None:
    answer = shop.ask("what are the main parts?")
    for statement in answer.statements[1:]:
        sentence = statement.text.partition("). ")[2].rpartition(".py: ")[2]
        cited = " ".join(answer.sources[statement.citations[0] - 1].text.split())
        assert " ".join(sentence.split()[:4]).strip("…") in cited


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
