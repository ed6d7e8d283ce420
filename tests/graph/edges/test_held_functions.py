"""A call of a value that holds functions calls these: tables of handlers, functions that wrap others, bind and call."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.graph.edges.test_code import calls

MANY = 41  # functions of one value, of which no call says anything


def test_a_table_of_handlers_in_python(tmp_path: Path) -> None:
    files = {
        "app/handlers.py": """
from app.mail import send_mail

class Refund: ...

def on_paid(order): ...

HANDLERS = {"paid": on_paid, "sent": send_mail, "refund": Refund}
LIMITS = {"paid": 3}
""",
        "app/mail.py": "def send_mail(order): ...\n",
        "app/main.py": """
from app.handlers import HANDLERS, LIMITS

def direct(kind, order):
    return HANDLERS[kind](order)

def stored(kind, order):
    handler = HANDLERS.get(kind)
    return handler(order)

def each(order):
    for handler in HANDLERS:
        handler(order)

def limit(kind):
    return LIMITS[kind]
""",
    }
    targets = ("on_paid", "send_mail", "Refund")
    assert calls(tmp_path, files, worst=2) == {f"{one} > HANDLERS" for one in ("direct", "stored", "each")}
    assert calls(tmp_path, files, worst=3) == {
        f"{one} > {target}" for one in ("direct", "stored", "each") for target in ("HANDLERS", *targets)
    }


def test_a_table_of_handlers_in_go(tmp_path: Path) -> None:
    files = {
        "go.mod": "module example.org/shop\n",
        "main.go": """package main

func add(n int) {}
func remove(n int) {}

var commands = map[string]func(int){"add": add, "remove": remove}

func run(name string) { commands[name](1) }

func try(name string) {
	if command, ok := commands[name]; ok {
		command(2)
	}
}
""",
    }
    assert calls(tmp_path, files, worst=2) == {
        f"main.{one} > main.{target}" for one in ("run", "try") for target in ("commands", "add", "remove")
    }


def test_a_table_of_handlers_in_javascript(tmp_path: Path) -> None:
    files = {
        "src/handlers.js": """
import { audit } from './audit';
export const handlers = { audit, save(order) {}, drop: (order) => {} };
export const Row = styled('tr', { forward: (name) => name });
export const one = {};
""",
        "src/audit.js": "export function audit(order) {}\n",
        "src/main.js": """
import { handlers, Row } from './handlers';
export function run(name, order) { handlers[name](order); }
export function draw() { return Row(); }
""",
    }
    assert calls(tmp_path, files, worst=3) == {
        "run > handlers",
        "run > audit",
        "run > handlers.save",
        "run > handlers.drop",
        "draw > Row",
    }


@pytest.mark.slow
def test_what_wraps_a_function_calls_it(tmp_path: Path) -> None:
    files = {
        "src/list.tsx": """
import React from 'react';
function List(props: Props) { return <ul/>; }
interface Props { items: string[] }
export const Sorted: React.FC<Props> = React.memo(List);
""",
        "src/page.tsx": "import { Sorted } from './list';\nexport function Page() { return <Sorted items={[]}/>; }\n",
    }
    assert calls(tmp_path, files, worst=1) == {"Page > Sorted", "Page > List"}


def test_bind_and_call_of_functions(tmp_path: Path) -> None:
    files = {
        "src/orders.ts": """
function audit(order: Order) {}
class Orders {
  constructor() { this.save = this.save.bind(this); }
  save() {}
  bound() { const later = this.save.bind(this); later(); }
  called() { audit.call(null, this); audit.apply(null, [this]); }
  other() { this.call('x'); }
}
""",
    }
    assert calls(tmp_path, files) == {"Orders.bound > Orders.save", "Orders.called > audit"}


def test_a_value_that_holds_very_many_says_nothing(tmp_path: Path) -> None:
    names = [f"f{number}" for number in range(MANY)]
    text = "".join(f"def {name}(): ...\n" for name in names)
    text += f"ALL = [{', '.join(names)}]\n\ndef run(n):\n    ALL[n]()\n"
    assert calls(tmp_path, {"all.py": text}, worst=255) == {"run > ALL"}
