"""A change is more often made in a long function than in a short one."""

from __future__ import annotations

from pathlib import Path

from coderag import Index
from tests.workspace import write

STEPS = "".join(f"    total = total * 10 + digits[{number}]\n" for number in range(40))
CODE = f'''\
class Amounts:
    """Amounts of money, parsed from text."""

    currency = "EUR"


def parse_amount(text):
    total = 0
    digits = [int(sign) for sign in text]
{STEPS}    return total


def parse_amounts(texts):
    return list(map(parse_amount, texts))
'''


def test_a_long_function_stands_before_a_short_one_for_a_change_alone(tmp_path: Path) -> None:
    with Index.build(
        write(tmp_path / "root", {"money/amounts.py": CODE}), index=tmp_path / "index", workers=0
    ) as index:
        hits = index.search("fix parsing of amounts with a sign")
        lines = {hit.chunk.name: hit.parts.get("lines", 0) for hit in hits}
        assert lines["parse_amount"] > 2 * lines["parse_amounts"] > 0
        assert lines["Amounts"] == 0
        assert hits[0].chunk.name == "parse_amount"
        assert not any(hit.parts.get("lines") for hit in index.search("how are amounts parsed?"))
