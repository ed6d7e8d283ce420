"""Acronyms are read by the glossary and by the initials of names, where they have one meaning."""

from __future__ import annotations

import pytest

from coderag import Index
from tests.workspace import write

FILES = {
    "queue.py": 'class DeadLetterQueue:\n    """Messages that could not be delivered."""\n\n    def drain(self):\n'
    '        """Deliver all of them again."""\n',
    "a.py": "def retry_budget_limit():\n    return 1\n",
    "b.py": "class RemoteBlobLoader:\n    pass\n",
    "docs/glossary.md": "# Glossary\n\n| Term | Definition |\n|---|---|\n| AOV | average order value, the revenue "
    "divided by the number of orders |\n| RMA | anything |\n",
    "schema.sql": "CREATE TABLE orders (id int PRIMARY KEY, total int);\n",
    "coderag.toml": '[[access]]\npaths = ["secret/"]\ngroups = ["hr"]\n',
    "secret/x.py": "class VeryHiddenKey:\n    pass\n",
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    return Index.build(write(tmp_path_factory.mktemp("acronyms") / "small", FILES), workers=0)


@pytest.mark.parametrize(
    ("question", "read_as"),
    [
        ("how is the DLQ drained?", "how is the DeadLetterQueue drained?"),
        ("AOV by order", "AOV (average order value) by order"),
        ("where is the RBL set?", ""),  # two names have these initials
        ("what is the RMA?", ""),  # its definition does not spell it out
        ("where is XYZ handled?", ""),
        ("WHERE IS THE QUEUE", ""),
    ],
)
def test_acronyms(index: Index, question: str, read_as: str) -> None:
    answer = index.ask(question)
    assert answer.read_as == read_as
    assert any("is read as" in step.said for step in answer.trace) == bool(read_as)


def test_the_answer_is_of_the_name(index: Index) -> None:
    assert index.ask("how is the DLQ drained?").sources[0].path == "queue.py"


def test_names_that_are_hidden_have_no_initials(index: Index) -> None:
    assert "VeryHiddenKey" in index.as_seen_by(["hr"]).ask("where is the VHK?").read_as
    assert index.as_seen_by(["web"]).ask("where is the VHK?").read_as == ""
