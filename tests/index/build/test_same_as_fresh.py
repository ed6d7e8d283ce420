"""An index that was updated answers as a fresh one of the same files does, also where many files are alike."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from coderag import Index
from coderag.api.records import json_line
from coderag.api.schema_records import context_record
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.manifest import read_manifest
from coderag.search.retrieval import candidates
from coderag.search.retrieval.fuse import DEPTH
from coderag.types import Fusion, Pipeline
from tests.workspace import write

pytestmark = pytest.mark.slow

PAYMENTS = '''"""Payments of orders."""
import time


class PaymentRetrier:
    """Retries payments that the gateway refused."""

    def __init__(self, gateway, store):
        self.gateway = gateway
        self.store = store

    def retry_failed(self, limit):
        """Retry failed payments, the oldest first, and return how many went through."""
        done = 0
        for payment in self.store.failed_payments()[:limit]:
            time.sleep(backoff_delay(payment.attempts))
            if self.gateway.charge(payment.order_id, payment.amount):
                self.store.execute("UPDATE payments SET status = 'paid' WHERE id = ?", payment.id)
                done += 1
        return done


def backoff_delay(attempts):
    """Return the seconds to wait before the next attempt."""
    return min(2**attempts, 60)
'''
ORDERS = '''from payments import PaymentRetrier


def place_order(store, customer, items):
    """Reserve stock, and write an order of a customer."""
    total = sum(item.price * item.count for item in items)
    return store.execute("INSERT INTO orders (customer_id, total) VALUES (?, ?)", customer.id, total)


def orders_of(store, customer):
    """Return the orders of a customer, the newest first."""
    return store.execute("SELECT id, total FROM orders WHERE customer_id = ?", customer.id)


def test_place_order():
    assert place_order(None, None, [])
'''
WORKER = """package worker

import "time"

// NextDelay returns the pause before a job is tried again.
func NextDelay(attempts int) time.Duration {
	if attempts > 6 {
		return time.Minute
	}
	return time.Duration(1<<attempts) * time.Second
}

// RunOnce takes a job from the queue and runs it.
func RunOnce(queue *Queue) error {
	job := queue.Take()
	time.Sleep(NextDelay(job.Attempts))
	return job.Run()
}
"""
SCHEMA = """CREATE TABLE customers (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL -- as on invoices
);
CREATE TABLE orders (
    id INTEGER PRIMARY KEY,
    customer_id INTEGER REFERENCES customers (id),
    total NUMERIC
);
CREATE TABLE payments (
    id INTEGER PRIMARY KEY,
    order_id INTEGER REFERENCES orders (id),
    status TEXT,
    amount NUMERIC
);
"""
QUERIES = """-- Which customers spent the most?
SELECT c.name, SUM(o.total) FROM customers c JOIN orders o ON o.customer_id = c.id GROUP BY c.name ORDER BY 2 DESC;

-- How many payments failed?
SELECT COUNT(*) FROM payments WHERE status = 'failed';
"""
GUIDE = """# Payments

## Retries

A failed payment is retried by `PaymentRetrier.retry_failed`, see `backoff_delay`.

## Orders

An order is placed by `place_order`, and paid later.
"""
DBT = """version: 2
models:
  - name: orders
    description: "{{ doc('orders') }}"
    columns:
      - name: id
"""
DBT_MODEL = "select id, customer_id from {{ ref('raw_orders') }}\n"
DBT_DOCS = "{% docs orders %}\nOrders NUMBER of customers.\n{% enddocs %}\n"

SOURCES = {
    "payments.py": PAYMENTS,
    "orders.py": ORDERS,
    "worker.go": WORKER,
    "schema.sql": SCHEMA,
    "queries.sql": QUERIES,
    "guide.md": GUIDE,
    "models/schema.yml": DBT,
    "models/orders.sql": DBT_MODEL,
    "models/docs.md": DBT_DOCS,
    "dbt_project.yml": "name: shop\nmodel-paths: [models]\n",
}
FOLDERS = ("a", "b/c", "m", "old", "tests", "z")
COPIED = ("a", "b/c", "m", "z")  # all files are there at first
QUESTIONS = (
    "where are failed payments retried?",
    "PaymentRetrier.retry_failed",
    "backoff_delay",
    "returns the seconds to wait before the next attempt",
    "orders of a customer",
    "add a limit to the number of attempts when the gateway refuses a payment",
)
OPTIONS: tuple[dict[str, Any], ...] = (
    {"related": 6},
    {"collapse": False, "k": 30},
    {"collapse": False, "k": 20, "pipeline": Pipeline(fusion=Fusion.RANKS)},
    {"k": 12, "diversity": 0.5, "expand": "parent"},
    {"k": 12, "pipeline": Pipeline(reranker="maxsim")},
)
NAMES = ("retry_failed", "backoff_dely", "orders", "NextDelay")
MOST_SEGMENTS = 6  # then they are merged

Edit = tuple[str, int, int, int]  # what is done, and numbers that choose to which files


def edits() -> st.SearchStrategy[list[list[Edit]]]:
    """Return lists of edits; the index is updated after each list."""
    kinds = st.sampled_from(("copy", "copy", "near copy", "change", "delete", "rename", "revert", "touch", "merge"))
    number = st.integers(0, 1000)
    return st.lists(st.lists(st.tuples(kinds, number, number, number), min_size=1, max_size=6), min_size=2, max_size=6)


def source_of(path: Path) -> str:
    """Return the name in SOURCES of what a file began as."""
    return next((name for name in SOURCES if name.endswith(path.name.rpartition("_")[2])), "orders.py")


def edited(text: str, chosen: int) -> str:
    """Return a text without one of its lines, or with a number changed."""
    lines = text.split("\n")
    if chosen % 2:
        return text.replace("NUMBER", str(chosen)).replace("60", str(chosen))
    return "\n".join(line for at, line in enumerate(lines) if at != chosen % len(lines))


def apply(root: Path, edit: Edit) -> None:
    """Change files below a root."""
    kind, chosen, folder, other = edit
    files = sorted(path for path in root.rglob("*") if path.is_file())
    if not files:
        return
    path = files[chosen % len(files)]
    target = root / FOLDERS[folder % len(FOLDERS)] / f"{other % 4}_{path.name.rpartition('_')[2]}"
    target.parent.mkdir(parents=True, exist_ok=True)
    text = path.read_text()
    if kind == "copy":
        target.write_text(text)
    elif kind == "near copy":
        target.write_text(edited(text, other))
    elif kind == "change":
        path.write_text(edited(text, other))
    elif kind == "delete":
        path.unlink()
    elif kind == "rename":
        path.rename(target)
    elif kind == "touch":
        os.utime(path, (1_700_000_000, 1_700_000_000 + other))
    else:
        path.write_text(SOURCES[source_of(path)])


def answers(root: Path, folder: Path) -> dict[str, str]:
    """Return what an index says, question by question, as JSON."""
    Index.open(root, index=folder).graphs()  # a hit's relations are those of the stored graph
    index = Index.open(root, index=folder)
    said = {
        f"{question} {options}": json_line(index.search(question, **options))
        for question in QUESTIONS
        for options in OPTIONS
    }
    for question in QUESTIONS:
        said[f"schema of {question}"] = json_line(context_record(index.schema_context(question), samples=True))
        said[f"tables of {question}"] = json_line(index.table_ranking(question))
        said[f"map of {question}"] = json_line(index.map(question, budget=600))
    for name in NAMES:
        said[f"symbols {name}"] = json_line(index.symbols(name, k=5))
        said[f"references {name}"] = json_line(index.refs(name))
        said[f"impact {name}"] = json_line(index.impact(name))
        said[f"like {name}"] = json_line(index.names_like(f"{name}s"))
    said["schema"] = repr(index.catalog.schema())
    return said


@contextmanager
def folders() -> Iterator[tuple[Path, Path]]:
    """Return an empty root, and a folder for indexes of it."""
    with tempfile.TemporaryDirectory() as work:
        root = Path(work, "root")
        write(root, {f"{folder}/{name}": text for folder in COPIED for name, text in SOURCES.items()})
        yield root, Path(work)


def check(root: Path, folder: Path, work: Path) -> None:
    """Compare an index with a fresh one."""
    fresh = work / "fresh"
    Index.build(root, index=fresh, workers=0, graph=False, cache=False).close()
    expected, found = answers(root, fresh), answers(root, folder)
    for asked, said in expected.items():
        assert found[asked] == said, asked


@pytest.mark.parametrize("depth", [DEPTH, 7], ids=["all candidates", "few candidates"])
@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=edits())
def test_an_updated_index_answers_as_a_fresh_one(
    depth: int, steps: Sequence[Sequence[Edit]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(candidates, "DEPTH", depth)  # few candidates: equal scores are cut off
    monkeypatch.setattr(candidates, "CANDIDATES", depth)
    monkeypatch.setattr("coderag.index.build.build.quick_to_merge", lambda _: [])
    with folders() as (root, work):
        folder = work / "index"
        with Index.build(root, index=folder, workers=0, graph=False, cache=False) as index:
            for step in steps:
                for edit in step:
                    apply(root, edit)
                index.update(workers=0)
                segments = len(read_manifest(IndexPath(folder)).segments)
                if any(kind == "merge" for kind, *_ in step) or segments > MOST_SEGMENTS:
                    index.merge()
        check(root, folder, work)


@settings(max_examples=3, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=edits())
def test_an_index_of_segments_that_others_left_answers_as_a_fresh_one(
    steps: Sequence[Sequence[Edit]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("coderag.index.build.build.SHARED_FILES", 1)
    monkeypatch.setattr("coderag.index.build.sharing.WORTH_CHUNKS", 1)
    monkeypatch.setattr("coderag.index.build.sharing.USEFUL", 0.1)
    with folders() as (root, work):
        monkeypatch.setitem(os.environ, "XDG_CACHE_HOME", str(work / "cache"))
        clone = work / "clone"
        shutil.copytree(root, clone)
        Index.build(root, index=work / "index", workers=0, graph=False).close()
        for step in steps:
            for edit in step:
                apply(clone, edit)
        with Index.ensure(clone, index=work / "cloned", workers=0, graph=False) as index:
            assert index.reports[0].reused
        check(clone, work / "cloned", work)
