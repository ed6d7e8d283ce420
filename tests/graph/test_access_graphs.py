"""The graphs of what callers of some groups see: exact, made once, and never in the way of answers."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from coderag import Index
from coderag.errors import IndexDamagedError, IndexUnsafeError
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.folder.removing import remove_index
from coderag.search.ranking.settings import make_pipeline
from coderag.types import Hit
from tests.workspace import write

OPEN = {
    "app/money.py": "def rounded(amount):\n    return round(amount, 2)\n",
    "app/orders.py": "from app.money import rounded\n\n\ndef total(order):\n    return rounded(order.sum)\n",
    "web/tax.ts": 'import { rate } from "@rates/rate";\n\nexport function tax(sum: number) {\n  return rate(sum);\n}\n',
    "web/lib/rate.ts": "export function rate(sum: number) {\n  return sum * 2;\n}\n",
    "web/other/rate.ts": "export function rate(sum: number) {\n  return sum * 3;\n}\n",
    "schema.sql": "CREATE TABLE orders (id INTEGER PRIMARY KEY, total TEXT);\n",
}
SECRET = {
    "secret/plans.py": "from app.money import rounded\n\n\ndef plan(one):\n    return rounded(one)\n",
    "secret/orders.py": "def total(order):\n    return order\n",
    "web/tsconfig.json": '{"compilerOptions": {"baseUrl": ".", "paths": {"@rates/*": ["lib/*"]}}}\n',
}
RULES = '[[access]]\npaths = ["secret/**", "tsconfig.json"]\ngroups = ["board"]\n'
SPOILT = 128  # bytes; arrays begin at multiples of 64, and what fills the gaps between them may be anything
QUESTIONS = ("rounded", "total", "rate", "tax of a sum", "orders")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = write(tmp_path / "some/shop", OPEN | SECRET | {"coderag.toml": RULES})
    Index.build(root, workers=0)
    return root


def views(root: Path) -> list[Path]:
    return sorted((root / ".coderag/views").glob("*.bin"))


def relations(hits: list[Hit]) -> set[str]:
    return {f"{hit.chunk.name} {relation.kind} {relation.name}" for hit in hits for relation in hit.relations}


ASKED: list[Callable[[Index, str], list[Hit]]] = [
    lambda index, question: index.search(question),
    lambda index, question: index.search(question, related=3),
    lambda index, question: index.search(question, pipeline=make_pipeline(reranker="graph")),
]


@pytest.mark.slow
@pytest.mark.parametrize("ask", ASKED)
def test_hits_are_those_of_an_index_without_the_rest(
    root: Path, tmp_path: Path, ask: Callable[[Index, str], list[Hit]]
) -> None:
    only = Index.build(write(tmp_path / "only/shop", OPEN | {"coderag.toml": RULES}), workers=0)
    for _ in range(2):
        index = Index.open(root)
        for question in QUESTIONS:
            assert ask(index.as_seen_by(["staff"]), question) == ask(only, question)
            assert ask(index.as_seen_by(["board"]), question) == ask(index, question)
    assert relations(index.search("rounded")) == {
        *("rounded called by total", "rounded called by plan"),
    }
    assert relations(index.search("rounded", groups=["staff"])) == {"rounded called by total"}


def test_it_is_made_once_for_all_who_see_the_same(root: Path) -> None:
    Index.open(root).search("rounded", groups=["staff"])
    [made] = views(root)
    before = made.stat().st_mtime_ns
    for groups in (["staff"], ["dev", "audit"], []):
        index = Index.open(root)
        assert relations(index.search("rounded", groups=groups)) == {"rounded called by total"}
        index.as_seen_by(groups).graphs()
    assert views(root) == [made]
    assert made.stat().st_mtime_ns == before
    Index.open(root).search("rounded", groups=["board"])
    assert views(root) == [made]  # who sees all has that of the index


def test_an_index_without_a_graph_has_none_for_callers(root: Path) -> None:
    index = Index.build(root, workers=0, graph=False)
    assert not relations(index.search("rounded", groups=["staff"]))
    assert not views(root)


def test_for_a_while_it_may_be_older_than_the_index(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = Index.open(root)
    index.search("rounded", groups=["staff"])
    write(root, {"app/refunds.py": "from app.money import rounded\n\n\ndef refund(one):\n    return rounded(one)\n"})
    index.update(workers=0)
    monkeypatch.setattr("coderag.graph.access_graphs.PAUSE", 10**9)
    assert relations(index.search("rounded", groups=["staff"])) == {"rounded called by total"}
    assert len(views(root)) == 1
    index.as_seen_by(["staff"]).graphs()  # which is exact
    assert len(views(root)) == 2
    index = Index.open(root)
    assert relations(index.search("rounded", groups=["staff"])) == {
        *("rounded called by total", "rounded called by refund"),
    }


def test_one_that_is_older_is_made_again_in_time(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = Index.open(root)
    index.search("rounded", groups=["staff"])
    write(root, {"app/refunds.py": "from app.money import rounded\n\n\ndef refund(one):\n    return rounded(one)\n"})
    index.update(workers=0)
    monkeypatch.setattr("coderag.graph.access_graphs.PAUSE", 0)
    assert "rounded called by refund" in relations(index.search("rounded", groups=["staff"]))


def test_one_that_tells_of_what_is_hidden_now_is_not_used(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("coderag.graph.access_graphs.PAUSE", 10**9)
    database = Index.open(root).table("orders")[0].table.name.database
    (root / "coderag.toml").write_text(f'{RULES}[[access]]\ndatabases = ["{database}"]\ngroups = ["board"]\n')
    index = Index.open(root)
    index.update(workers=0)
    assert relations(index.search("rounded", groups=["staff"])) == {"rounded called by total"}
    write(
        root,
        {
            "app/orders.py": "from app.money import rounded\n\n\ndef total(db):\n"
            "    return rounded(db.execute('SELECT total FROM orders'))\n"
        },
    )
    index.update(workers=0)
    assert not relations(index.search("rounded", groups=["staff"]))


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:100])


def spoil(path: Path) -> None:
    data = bytearray(path.read_bytes())
    for place in range(len(data) // 2, len(data) // 2 + SPOILT):
        data[place] ^= 1
    path.write_bytes(data)


@pytest.mark.parametrize("damage", [cut, spoil, Path.unlink])
def test_one_that_is_damaged_is_made_again(root: Path, damage: Callable[[Path], object]) -> None:
    Index.open(root).search("rounded", groups=["staff"])
    [made] = views(root)
    sound = made.read_bytes()
    damage(made)
    assert relations(Index.open(root).search("rounded", groups=["staff"])) == {"rounded called by total"}
    assert len(made.read_bytes()) == len(sound)


def test_damage_in_a_large_one_is_found_where_it_is_looked_for(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("coderag.index.storage.arrays.arrays.CHECKED_BYTES", 0)
    seen = Index.open(root).as_seen_by(["staff"])
    seen.graphs()
    [made] = views(root)
    seen.verify()
    spoil(made)
    with pytest.raises(IndexDamagedError, match="is made again"):
        seen.verify()
    assert not views(root)


def test_a_link_in_its_place_is_not_followed(root: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (root / ".coderag/views").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(IndexUnsafeError, match=r"views is a link"):
        Index.open(root).search("rounded", groups=["staff"])
    assert not list((tmp_path / "elsewhere").iterdir())


def test_what_cannot_be_kept_is_used_all_the_same(root: Path) -> None:
    (root / ".coderag/views").write_text("a file")
    assert relations(Index.open(root).search("rounded", groups=["staff"])) == {"rounded called by total"}


@pytest.mark.slow
def test_only_the_last_few_are_kept_and_all_go_with_the_index(root: Path) -> None:
    for number in range(12):
        (root / "coderag.toml").write_text(RULES.replace("board", f"board{number}"))
        index = Index.open(root)
        index.update(workers=0)
        index.search("rounded", groups=["staff"])
        for age, one in enumerate(sorted(views(root), key=os.path.getmtime)):
            os.utime(one, (1_700_000_000 + age, 1_700_000_000 + age))
    assert 1 < len(views(root)) <= 8
    assert not list((root / ".coderag/views").glob("*.tmp"))
    assert remove_index(IndexPath(root / ".coderag")).kept == ()
    assert not (root / ".coderag").exists()
