"""The recipes of the guide return the rows that the example application really has.

Expected rows were looked up in the files of fixtures/shop, and in those that conftest.py writes.
"""

from __future__ import annotations

import re
from typing import Any

import pytest

from coderag import Index
from tests.documents import DOCS

TEXT = (DOCS / "guides/sql-recipes.md").read_text(encoding="utf-8")
RECIPES = dict(re.findall(r"^### ([^\n]*)\n\n```sql\n(.*?)```", TEXT, re.MULTILINE | re.DOTALL))
EXPECTED: dict[str, list[tuple[Any, ...]]] = {
    "Languages by size": [("python", 60, 4352), ("sql", 12, 503), ("go", 4, 283)],
    "Long functions without a test": [
        ("shop/catalogue.py", 59, "Catalogue._search", 35),
        ("shop/checkout.py", 73, "Checkout._write_order", 30),
        ("shop/__main__.py", 22, "main", 29),
        ("worker/clients.go", 52, "main.call", 28),
    ],
    "Long functions that delete rows and their tests": [("IdempotencyStore.run_once", 20, 4)],
    "Most called functions": [("ShopError.__init__", 33), ("Session.execute", 29), ("Response.json", 21)],
    "Functions that nothing uses": [("TTLCache.invalidate", 0), ("TTLCache.clear", 0)],
    "Tables that nothing reads": [("coupons", 0), ("parcels", 0), ("webhook_events", 1)],
    "Columns that are written and never read": [
        ("invoices", "issued_at"),
        ("invoices", "tax_cents"),
        ("login_sessions", "created_at"),
        ("payment_attempts", "message"),
    ],
    "Columns without a field of the model": [("parcels", "Parcel", "note")],
    "Tables that SQL names and no schema defines": [("mail_queue",), ("schema_migrations",)],
    "Who deletes from which table": [
        ("cart_items", "Cart.empty, Cart.remove"),
        ("idempotency_keys", "IdempotencyStore.forget_old, IdempotencyStore.run_once"),
        ("login_sessions", "SessionStore.close, SessionStore.close_everywhere, SessionStore.purge_expired"),
        ("stock_reservations", "Inventory.release"),
    ],
    "Tables by their readers": [("orders", 5), ("products", 5), ("cart_items", 4)],
    "Tables that refer to a table": [
        ("invoices", "order_id"),
        ("order_events", "order_id"),
        ("order_items", "order_id"),
        ("payments", "order_id"),
        ("shipments", "order_id"),
        ("stock_reservations", "order_id"),
    ],
    "Columns named like a key without a foreign key": [("sellable_stock", "product_id")],
    "Example queries of a table": [
        ("Which customers have spent the most over the last twelve months?",),
        ("Who registered but never ordered anything?",),
        ("How many customers came back for a second order, by country?",),
    ],
    "Who uses what is deprecated": [("weigh", "calls", "weigh_all", 8)],
    "Classes with most heirs": [("ShopTestCase", 7), ("CheckoutCase", 6)],
    "Files that most files use": [("schema/schema.sql", 25), ("shop/db/session.py", 23)],
    "What a function calls, step by step": [
        ("IdempotencyStore.run_once", 0),
        ("IdempotencyStore._claim", 1),
        ("IdempotencyStore._remembered", 1),
        ("Session.execute", 1),
        ("fingerprint_of", 1),
        ("Conflict", 2),
        ("Session.row", 2),
        ("ShopError.__init__", 2),
    ],
    "Hot spots: files that change often and are used by many": [
        ("schema/schema.sql", 1, 27, 27),
        ("shop/db/session.py", 1, 27, 27),
    ],
    "Functions by how often they changed": [("Money.__add__", 2), ("Money.__sub__", 2)],
}


def test_every_recipe_has_its_rows() -> None:
    assert len(RECIPES) == 20
    assert RECIPES.keys() == EXPECTED.keys()


@pytest.mark.parametrize("title", EXPECTED)
def test_recipe(title: str, index: Index) -> None:
    assert list(index.sql(RECIPES[title]).rows) == EXPECTED[title]
