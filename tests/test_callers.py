"""The oracle that callers are measured against."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.callers import main
from scripts.oracle.calls import read_calls

FILES = {
    "shop/__init__.py": "from .models import Order as Bill\n",
    "shop/models.py": """
class Base:
    def __init__(self): ...
    def tax(self): ...
class Order(Base):
    def total(self, other):
        self.tax()
        other.tax()
        return super().tax()
""",
    "shop/main.py": """
from shop import Bill
def run():
    bill = Bill()
    bill.total(bill)
run()
""",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for path, text in FILES.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    return tmp_path


def test_the_oracle_knows_scopes_imports_and_classes(folder: Path) -> None:
    calls = read_calls(folder, "shop")
    assert {(caller, callee) for (_, caller), (_, callee) in calls.pairs} == {
        ("Order.total", "Base.tax"),
        ("run", "Base.__init__"),
        ("run", "Order.total"),
        ("", "run"),
    }
    assert calls.is_open(("shop/models.py", "Order.total"), "tax", 8)
    assert (calls.count, calls.undecided) == (7, 1)


def test_callers_are_scored(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main([str(folder), "--package", "shop"])
    assert "resolved              precision 1.000  recall 1.000" in capsys.readouterr().out
