"""Documents that alone have the words of a question."""

from __future__ import annotations

from pathlib import Path

import pytest

from coderag import Index
from tests.workspace import write

CODE = {
    "src/ledger.py": (
        'def post_entry(ledger, amount):\n    """Post an amount to the ledger."""\n    ledger.post(amount)\n\n\n'
        'def close_month(ledger):\n    """Close the month of a ledger."""\n    ledger.closed = True\n'
    ),
    "docs/backup.md": "# Backups\n\nSnapshots of the ledger are taken every night at two and kept for thirty days.\n",
}
SNAPSHOTS = {
    "src/snapshots.py": (
        'def snapshot_ledger(ledger, night):\n    """Take a snapshot of the ledger, as every night."""\n'
        "    return ledger.copied(night)\n"
    )
}


@pytest.fixture(scope="module")
def described(tmp_path_factory: pytest.TempPathFactory) -> Index:
    return Index.build(write(tmp_path_factory.mktemp("described"), CODE), graph=False, workers=0)


@pytest.mark.parametrize("question", ["when are the snapshots taken?", "when are snapshots taken at night?"])
def test_a_document_with_all_words_comes_before_code_with_none(described: Index, question: str) -> None:
    assert described.search(question)[0].chunk.path == "docs/backup.md"


def test_it_counts_less_where_code_has_much_of_the_words(tmp_path: Path) -> None:
    index = Index.build(write(tmp_path, CODE | SNAPSHOTS), graph=False, workers=0)
    assert index.search("when are the snapshots of the night taken?")[0].chunk.path == "src/snapshots.py"


def test_it_counts_less_where_it_lacks_a_word(described: Index) -> None:
    assert described.search("when is the encrypted ledger closed for the month?")[0].chunk.name == "close_month"
