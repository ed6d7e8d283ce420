"""Edges of code in small trees, read by the real readers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from coderag.graph.graph import Graph
from coderag.graph.records import EdgeKind, NodeKind
from tests.graph.whole import graph_of

PYTHON = {
    "shop/__init__.py": "from .models import Order as Bill\nfrom .models import *\n",
    "shop/models.py": """
from .base import Model

__all__ = ["Item"]

class Order(Model):
    def total(self):
        return self.tax() + self._round()
    def save(self):
        super().save()
        return self
    @classmethod
    def create(cls):
        return cls()

class Item(Model):
    def __init__(self, name):
        self.order = Order()
    @property
    def parent(self) -> Order:
        return self.order
    def tax(self):
        return self.order.total()
""",
    "shop/base.py": """
class Model:
    def save(self): ...
    def tax(self): ...
    def _round(self): ...
""",
    "main.py": """
import shop.base
from shop import Bill, Item
import shop

def run(item: Item, items: list[Item]):
    Bill.create().save()
    item.parent.total()
    for one in items:
        one.tax()
    shop.base.Model()
    shop.Item("a").order.save()
""",
}


def build(folder: Path, files: Mapping[str, str]) -> Graph:
    """Write files and return the graph of them."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return graph_of(folder)


def told(graph: Graph, *kinds: EdgeKind, worst: int = 0) -> set[str]:
    """Return edges of some kinds as text, those with more than `worst` candidates left out."""
    found = set()
    for number in range(len(graph)):
        for edge in graph.edges_from(number, kinds):
            if edge.candidates <= worst:
                source, target = graph.node(edge.source), graph.node(edge.target)
                found.add(f"{source.qualified_name} > {target.qualified_name}")
    return found


def calls(folder: Path, files: Mapping[str, str], *, worst: int = 0) -> set[str]:
    """Return the calls of a tree."""
    return told(build(folder, files), EdgeKind.CALLS, worst=worst)


def test_python(tmp_path: Path) -> None:
    graph = build(tmp_path, PYTHON)
    assert told(graph, EdgeKind.CALLS) == {
        "Order.total > Model.tax",
        "Order.total > Model._round",
        "Order.save > Model.save",
        "Item.__init__ > Order",
        "Item.tax > Order.total",
        "Order.create > Order",
        "run > Order.create",
        "run > Order.save",
        "run > Order.total",
        "run > Item.tax",
        "run > Model",
        "run > Item",
        "run > Item.__init__",
    }
    assert told(graph, EdgeKind.INHERITS) == {"Order > Model", "Item > Model"}
    assert told(graph, EdgeKind.OVERRIDES) == {"Order.save > Model.save", "Item.tax > Model.tax"}
    assert {
        "main.py > shop/base.py",
        "main.py > shop/__init__.py",
        "main.py > Order",
        "main.py > Item",
        "shop/__init__.py > shop/models.py",
        "shop/models.py > Model",
    } <= told(graph, EdgeKind.IMPORTS)


def test_typescript(tmp_path: Path) -> None:
    found = calls(
        tmp_path,
        {
            "src/db.ts": """
export class Base { close(): void {} }
export class Database extends Base {
  query(text: string): Row[] { return []; }
  static open(): Database { return new Database(); }
}
export interface Row { id: number }
export default function connect(): Database { return Database.open(); }
""",
            "src/index.ts": "export { Database as Db } from './db';\nexport * from './db';\n",
            "src/main.ts": """
import connect from './db';
import { Db } from './index';
import * as all from './index';

class Service {
  constructor(private readonly db: Db) {}
  run() { this.db.query('x'); this.stop(); return new all.Database().close(); }
  stop = () => { connect().close(); };
}
""",
        },
    )
    assert {
        "Database.open > Database",
        "connect > Database.open",
        "Service.run > Database.query",
        "Service.run > Service.stop",
        "Service.run > Base.close",
        "Service.run > Database",
        "Service.stop > connect",
        "Service.stop > Base.close",
    } <= found


def test_javascript(tmp_path: Path) -> None:
    found = calls(
        tmp_path,
        {
            "db.js": """
class Pool { query() {} }
function open() { return new Pool(); }
module.exports = { open, Pool };
""",
            "main.js": """
const { open } = require('./db');
const db = require('./db');
function run() { open().query(); const pool = new db.Pool(); pool.query(); }
run();
""",
        },
    )
    assert {"open > Pool", "run > open", "run > Pool.query", "run > Pool", "main.js > run"} <= found


def test_go(tmp_path: Path) -> None:
    found = calls(
        tmp_path,
        {
            "go.mod": "module example.org/shop\n",
            "store/store.go": """package store

type Store struct { log *Logger }

func New() *Store { return &Store{} }
func (s *Store) Save(id int) error { s.log.Print("x"); return s.check(id) }
func (s *Store) check(id int) error { return nil }
""",
            "store/log.go": """package store

type Logger struct{}

func (l *Logger) Print(text string) { flush() }
func flush() {}
""",
            "main.go": """package main

import "example.org/shop/store"

type App struct { store *store.Store }

func (a *App) Run() { a.store.Save(1) }

func main() {
	s := store.New()
	s.Save(2)
	app := &App{store: s}
	app.Run()
}
""",
        },
    )
    assert {
        "store.Store.Save > store.Logger.Print",
        "store.Store.Save > store.Store.check",
        "store.Logger.Print > store.flush",
        "main.App.Run > store.Store.Save",
        "main.main > store.New",
        "main.main > store.Store.Save",
        "main.main > main.App.Run",
    } <= found


def test_java(tmp_path: Path) -> None:
    graph = build(
        tmp_path,
        {
            "src/org/shop/Repository.java": """package org.shop;
public interface Repository { Order find(int id); }
""",
            "src/org/shop/Order.java": """package org.shop;
public class Order {
    private final Money money;
    public Order(Money money) { this.money = money; }
    public Money total() { return money.round(); }
}
""",
            "src/org/money/Money.java": """package org.shop.money;
""",
            "src/org/shop/Money.java": """package org.shop;
public class Money { public Money round() { return this; } }
""",
            "src/org/shop/sql/SqlRepository.java": """package org.shop.sql;
import org.shop.*;
import org.shop.Order;
public class SqlRepository implements Repository {
    @Override public Order find(int id) { return load(new Money()); }
    private Order load(Money money) { return new Order(money); }
}
""",
            "src/org/shop/web/Page.java": """package org.shop.web;
import org.shop.Repository;
class Page {
    private Repository repository;
    void show() { repository.find(1).total().round(); }
}
""",
        },
    )
    assert {
        "Order.total > Money.round",
        "SqlRepository.find > SqlRepository.load",
        "SqlRepository.load > Order",
        "SqlRepository.load > Order.Order",
        "Page.show > Repository.find",
        "Page.show > Order.total",
        "Page.show > Money.round",
    } <= told(graph, EdgeKind.CALLS)
    assert told(graph, EdgeKind.IMPLEMENTS) == {"SqlRepository > Repository"}
    assert told(graph, EdgeKind.OVERRIDES) == {"SqlRepository.find > Repository.find"}


def test_kotlin(tmp_path: Path) -> None:
    found = calls(
        tmp_path,
        {
            "a/Store.kt": """package shop.data
open class Store(private val log: Log) {
    fun save(id: Int): Log { check(id); return log }
    private fun check(id: Int) { log.print() }
}
class Log { fun print() {} }
fun connect(): Store = Store(Log())
""",
            "b/Main.kt": """package shop.main
import shop.data.connect
import shop.data.Store
class Main(val store: Store) {
    fun run() { store.save(1).print(); connect().save(2) }
}
""",
        },
    )
    assert {
        "Store.save > Store.check",
        "Store.check > Log.print",
        "connect > Store",
        "Main.run > Store.save",
        "Main.run > Log.print",
        "Main.run > connect",
    } <= found


def test_ruby(tmp_path: Path) -> None:
    found = calls(
        tmp_path,
        {
            "lib/shop/order.rb": """
require_relative 'base'
module Shop
  class Order < Base
    def total
      tax + 1
    end
    def self.build
      new
    end
  end
end
""",
            "lib/shop/base.rb": """
module Shop
  class Base
    def initialize
      setup
    end
    def setup; end
    def tax; 2; end
  end
end
""",
            "main.rb": """
require_relative 'lib/shop/order'
def run
  order = Shop::Order.new
  order.total
  Shop::Order.build.tax
end
""",
        },
        worst=1,
    )
    assert {
        "Shop::Base::initialize > Shop::Base::setup",
        "run > Shop::Order::total",
        "run > Shop::Order::build",
        "run > Shop::Base::tax",
        "Shop::Order::total > Shop::Base::tax",
    } <= found


def test_php(tmp_path: Path) -> None:
    found = calls(
        tmp_path,
        {
            "composer.json": '{"autoload": {"psr-4": {"Shop\\\\\\\\": "src/"}}}',
            "src/Store.php": """<?php
namespace Shop;
class Store extends Base {
    private Log $log;
    public function __construct(Log $log) { $this->log = $log; }
    public function save(int $id): self { $this->log->write(); $this->check(); return $this; }
    public static function open(): Store { return new self(new Log()); }
}
""",
            "src/Base.php": "<?php\nnamespace Shop;\nclass Base { protected function check(): void {} }\n",
            "src/Log.php": "<?php\nnamespace Shop;\nclass Log { public function write(): void {} }\n",
            "main.php": """<?php
use Shop\\Store;
function run() { $store = Store::open(); $store->save(1)->save(2); }
""",
        },
    )
    assert {
        "Store::save > Log::write",
        "Store::save > Base::check",
        "run > Store::open",
        "run > Store::save",
    } <= found


def test_rust(tmp_path: Path) -> None:
    graph = build(
        tmp_path,
        {
            "Cargo.toml": '[package]\nname = "shop"\n',
            "src/main.rs": """
mod store;
use crate::store::{Store, open as open_store};

fn main() {
    let store = open_store();
    store.save(1);
    let other = Store::new();
    other.log.print();
}
""",
            "src/store.rs": """
pub struct Log;
impl Log { pub fn print(&self) { flush(); } }
fn flush() {}
pub trait Save { fn save(&self, id: u32); }
pub struct Store { pub log: Log }
impl Store {
    pub fn new() -> Self { Store { log: Log } }
    fn check(&self) {}
}
impl Save for Store { fn save(&self, id: u32) { self.check(); self.log.print(); } }
pub fn open() -> Store { Store::new() }
""",
        },
    )
    assert {
        "Log::print > flush",
        "Store::save > Store::check",
        "Store::save > Log::print",
        "open > Store::new",
        "main > open",
        "main > Store::save",
        "main > Store::new",
        "main > Log::print",
    } <= told(graph, EdgeKind.CALLS)
    assert "Store > Save" in told(graph, EdgeKind.IMPLEMENTS, EdgeKind.INHERITS)


def test_c(tmp_path: Path) -> None:
    found = calls(
        tmp_path,
        {
            "ring.h": "struct ring { int size; };\nint ring_push(struct ring *ring);\n#define RING_MAX(n) (n)\n",
            "ring.c": """
#include "ring.h"
static void check(void) {}
int ring_push(struct ring *ring) { check(); return RING_MAX(1); }
""",
            "main.c": """
#include "ring.h"
static void check(void) {}
int main(void) { struct ring r; check(); return ring_push(&r); }
""",
        },
        worst=1,
    )
    assert {"ring_push > check", "ring_push > RING_MAX", "main > check", "main > ring_push"} <= found


def test_a_static_function_of_c_is_its_own_files(tmp_path: Path) -> None:
    graph = build(
        tmp_path,
        {"a.c": "static void check(void) {}\nvoid a(void) { check(); }\n", "b.c": "static void check(void) {}\n"},
    )
    (a,) = graph.named("a")
    assert [(graph.node(edge.target).path, edge.candidates) for edge in graph.edges_from(a, [EdgeKind.CALLS])] == [
        ("a.c", 0)
    ]


def test_csharp(tmp_path: Path) -> None:
    found = calls(
        tmp_path,
        {
            "Store.cs": """
namespace Shop.Data;
public class Store : Base, IStore {
    private readonly Log _log;
    public Store(Log log) { _log = log; }
    public Log Save(int id) { Check(); _log.Write(); return _log; }
}
public interface IStore { Log Save(int id); }
public class Base { protected void Check() {} }
public class Log { public void Write() {} }
""",
            "Main.cs": """
using Shop.Data;
namespace Shop.Web;
class Page {
    private IStore store;
    void Show() { store.Save(1).Write(); var other = new Store(new Log()); other.Save(2); }
}
""",
        },
    )
    assert {
        "Shop.Data.Store.Save > Shop.Data.Base.Check",
        "Shop.Data.Store.Save > Shop.Data.Log.Write",
        "Shop.Web.Page.Show > Shop.Data.IStore.Save",
        "Shop.Web.Page.Show > Shop.Data.Log.Write",
        "Shop.Web.Page.Show > Shop.Data.Store",
        "Shop.Web.Page.Show > Shop.Data.Store.Save",
    } <= found


def test_elixir(tmp_path: Path) -> None:
    found = calls(
        tmp_path,
        {
            "lib/order.ex": """
defmodule Shop.Order do
  alias Shop.Money
  def total(order) do
    check(order)
    Money.round(order)
  end
  defp check(order), do: order
end
""",
            "lib/money.ex": """
defmodule Shop.Money do
  def round(amount), do: amount
end
""",
            "lib/main.ex": """
defmodule Shop.Main do
  import Shop.Money
  def run(order) do
    round(order)
    Shop.Order.total(order)
  end
end
""",
        },
    )
    assert {
        "Shop.Order.total > Shop.Order.check",
        "Shop.Order.total > Shop.Money.round",
        "Shop.Main.run > Shop.Order.total",
    } <= found


def test_locals_hide_what_is_outside(tmp_path: Path) -> None:
    found = calls(
        tmp_path,
        {
            "a.py": """
def get(): ...
def one(get):
    get()
def two():
    def get(): ...
    get()
def three():
    get()
class A:
    def get(self): ...
    def four(self):
        get()
""",
        },
        worst=8,
    )
    assert found == {"two > two.get", "three > get", "A.four > get"}


def test_what_comes_from_outside_matches_nothing(tmp_path: Path) -> None:
    found = calls(
        tmp_path,
        {
            "a.py": """
from requests import Session, fetch
import numpy as np
def run(session: Session):
    session.unusual_name()
    fetch()
    np.unusual_name()
    Session().unusual_name()
""",
            "b.py": "def fetch(): ...\nclass B:\n    def unusual_name(self): ...\n",
        },
        worst=8,
    )
    assert not found


def test_requests_lead_to_routes(tmp_path: Path) -> None:
    graph = build(
        tmp_path,
        {
            "app.py": """
from flask import Flask
app = Flask(__name__)
@app.get("/users/<int:id>")
def user(id): ...
@app.get("/users/all")
def users(): ...
@app.delete("/users/<int:id>")
def drop(id): ...
""",
            "tests/test_app.py": """
def test_user(client):
    client.get(f"/users/{1}?full=1")
def test_users(client):
    client.get("/users/all")
def test_nothing(client):
    client.get("/posts/1")
""",
        },
    )
    assert told(graph, EdgeKind.TESTS) == {
        "test_user > user",
        "test_user > GET /users/<int:id>",
        "test_users > users",
        "test_users > GET /users/all",
    }


def test_a_unique_name_and_one_of_a_few(tmp_path: Path) -> None:
    graph = build(
        tmp_path,
        {
            "a.py": """
class A:
    def render_page(self): ...
    def twice(self): ...
class B:
    def twice(self): ...
    def append(self): ...
def run(one):
    one.render_page()
    one.twice()
    one.append()
""",
            "b.js": "function run(one) { one.render_page(); }\n",
        },
    )
    found = {
        (edge.path, graph.node(edge.target).qualified_name, edge.candidates)
        for number in graph.named("run")
        for edge in graph.edges_from(number, [EdgeKind.CALLS])
    }
    assert found == {("a.py", "A.render_page", 1), ("a.py", "A.twice", 2), ("a.py", "B.twice", 2)}


def test_a_name_with_many_definitions_leads_nowhere(tmp_path: Path) -> None:
    classes = "".join(f"class C{number}:\n    def many(self): ...\n" for number in range(9))
    assert not calls(tmp_path, {"a.py": f"{classes}def run(one):\n    one.many()\n"}, worst=255)


def test_files_that_import_each_other_and_classes_that_inherit_from_each_other(tmp_path: Path) -> None:
    graph = build(
        tmp_path,
        {
            "a.py": "from b import *\nfrom b import B\nclass A(B):\n    def f(self):\n        self.g()\n",
            "b.py": """
from a import *
from a import A
class B(A):
    def g(self):
        self.f()
        self.none()
""",
            "c.py": "from c import c\nclass C(C):\n    x = C.x\n    y = y\n",
        },
    )
    assert told(graph, EdgeKind.CALLS) == {"A.f > B.g", "B.g > A.f"}


def test_two_packages_of_one_name(tmp_path: Path) -> None:
    graph = build(
        tmp_path,
        {
            "one/app/__init__.py": "",
            "one/app/tools.py": "def work(): ...\n",
            "one/app/main.py": "from app.tools import work\nwork()\n",
            "two/app/__init__.py": "",
            "two/app/tools.py": "def work(): ...\n",
            "two/app/main.py": "from .tools import work\nwork()\n",
        },
    )
    found = {
        (edge.path, graph.node(edge.target).path)
        for number in graph.named("work")
        for edge in graph.edges_to(number, [EdgeKind.CALLS])
        if edge.candidates == 0
    }
    assert found == {("one/app/main.py", "one/app/tools.py"), ("two/app/main.py", "two/app/tools.py")}


def test_metaprogramming_gives_nothing_invented(tmp_path: Path) -> None:
    found = calls(
        tmp_path,
        {
            "a.py": """
class A:
    def __getattr__(self, name): ...
    def real(self): ...
def run(name):
    a = A()
    a.made_up()
    getattr(a, name)()
    getattr(a, "real")()
    setattr(A, "other", 1)
    globals()["x"]()
""",
        },
        worst=8,
    )
    assert found == {"run > A"}


def test_tests_and_what_they_test(tmp_path: Path) -> None:
    graph = build(
        tmp_path,
        {
            "shop/orders.py": "class Order:\n    def total(self): ...\ndef parse_order(): ...\ndef round_up(): ...\n",
            "tests/test_orders.py": """
from shop.orders import Order, parse_order

def helper():
    return parse_order()

class OrderTest:
    def setup(self):
        self.order = Order()
    def test_total(self):
        self.order.total()

def test_round_up():
    helper()
""",
        },
    )
    assert told(graph, EdgeKind.TESTS) == {"OrderTest > Order", "OrderTest.test_total > Order.total"}
    assert told(graph, EdgeKind.TESTS, worst=1) - told(graph, EdgeKind.TESTS) == {"test_round_up > round_up"}


def test_documents_name_code(tmp_path: Path) -> None:
    graph = build(
        tmp_path,
        {
            "shop/orders.py": "class Order:\n    def total(self): ...\ndef parse_order(): ...\n",
            "README.md": """# Orders

`shop.orders.Order.total` adds, `parse_order()` reads, a plain total does nothing. See [the code](shop/orders.py).
""",
        },
    )
    assert told(graph, EdgeKind.DOCUMENTS) == {"Orders > Order.total", "Orders > shop/orders.py"}
    assert told(graph, EdgeKind.DOCUMENTS, worst=1) >= {"Orders > parse_order"}


def test_the_title_of_a_test_is_no_name(tmp_path: Path) -> None:
    graph = build(
        tmp_path,
        {
            "src/services.ts": "export function book(id: number) {}\n",
            "tests/services.test.ts": """
import { book } from "../src/services";
describe("services", () => {
  test("book", () => { book(1); });
  test("other", () => { other(1); });
});
""",
        },
    )
    assert told(graph, EdgeKind.CALLS, worst=8) == {"services.book > book"}
    assert told(graph, EdgeKind.TESTS) == {"services.book > book"}


def test_routes_lead_to_what_answers_them(tmp_path: Path) -> None:
    graph = build(
        tmp_path,
        {
            "site/urls.py": """
from django.urls import include, path
from blog import views
urlpatterns = [path("blog/", include("blog.urls")), path("about/", views.about)]
""",
            "blog/__init__.py": "",
            "blog/urls.py": """
from django.urls import path
from . import views
urlpatterns = [path("<int:id>/", views.show), path("all/", views.All.as_view())]
""",
            "blog/views.py": """
from flask import Blueprint
pages = Blueprint("pages", __name__)
def show(request, id): ...
def about(request): ...
class All:
    def get(self, request): ...
@pages.get("/users/<id>")
def user(id): ...
""",
        },
    )
    assert told(graph, EdgeKind.ROUTES) == {
        "/about/ > about",
        "/blog/<int:id>/ > show",
        "GET /blog/all/ > All",
        "GET /blog/all/ > All.get",
        "GET /users/<id> > user",
    }
    assert {graph.node(number).name for number in range(len(graph)) if graph.node(number).kind is NodeKind.ROUTE} == {
        "/about/",
        "/blog/<int:id>/",
        "GET /blog/all/",
        "GET /users/<id>",
    }


def test_tests_use_the_nearest_fixture_of_a_parameter_s_name(tmp_path: Path) -> None:
    files = {
        "shop/app.py": "def make_app(): ...\n",
        "tests/conftest.py": """
import pytest
from shop.app import make_app

@pytest.fixture
def app():
    return make_app()

@pytest.fixture
def client(app):
    return app.client()
""",
        "tests/web/conftest.py": """
from pytest import fixture
from tests.plugin import handed

@fixture(scope="module")
def client(client):
    return client.logged_in()
""",
        "tests/web/test_pages.py": "def test_page(client: Client, tmp_path): ...\n",
        "tests/test_api.py": """
import pytest

@pytest.fixture
def row(): ...

class TestApi:
    @pytest.fixture
    def row(self, row): ...

    def test_row(self, row, client): ...

def test_own(row):
    app = 3

def helper(client): ...
""",
        "tests/more/test_plugin.py": "def test_more(brought): ...\ndef test_unknown(row): ...\n",
        "tests/plugin.py": "import pytest\n@pytest.fixture\ndef brought(): ...\n@pytest.fixture\ndef handed(): ...\n",
        "tests/web/known/test_handed.py": "def test_handed(handed): ...\n",
    }
    graph = build(tmp_path, files)
    found = set()
    for number in range(len(graph)):
        for edge in graph.edges_from(number, (EdgeKind.CALLS,)):
            source, target = graph.node(edge.source), graph.node(edge.target)
            found.add((source.qualified_name, target.qualified_name, f"{target.path}:{target.row}", edge.candidates))
    assert found == {
        ("app", "make_app", "shop/app.py:1", 0),
        ("client", "app", "tests/conftest.py:6", 0),
        ("client", "client", "tests/conftest.py:10", 0),
        ("test_page", "client", "tests/web/conftest.py:6", 0),
        ("test_handed", "handed", "tests/plugin.py:5", 0),
        ("TestApi.row", "row", "tests/test_api.py:5", 0),
        ("TestApi.test_row", "TestApi.row", "tests/test_api.py:9", 0),
        ("TestApi.test_row", "client", "tests/conftest.py:10", 0),
        ("test_own", "row", "tests/test_api.py:5", 0),
        ("test_more", "brought", "tests/plugin.py:3", 1),
    }


def test_what_pytest_gives_by_other_ways_is_no_fixture(tmp_path: Path) -> None:
    files = {
        "tests/conftest.py": """
import pytest

@pytest.fixture
def page(): ...

@pytest.fixture
def size(): ...

@pytest.fixture
def color(): ...

@pytest.fixture(name="db")
def make_db(size=3): ...

@pytest.fixture(autouse=True)
def clean(*page, **size): ...
""",
        "tests/test_given.py": """
import pytest
from unittest import mock

SOME = "page"

@pytest.mark.parametrize("page, size", [(1, 2)])
def test_text(page, size, color): ...

@pytest.mark.parametrize(("page", "size"), [(1, 2)], ids=["a"])
@pytest.mark.parametrize(argnames=["color"], argvalues=[1])
def test_groups(page, size, color, db): ...

@pytest.mark.parametrize(SOME, [1])
def test_unknown(page, size): ...

@pytest.mark.parametrize("page", [1], indirect=True)
@pytest.mark.parametrize("size,color", [(1, 2)], indirect=["color"])
def test_indirect(page, size, color): ...

def test_default(make_db, page=1, size: int = 2, *, color): ...

def test_inside():
    color: int = 3
    return lambda page, size: color

@mock.patch("app.db")
def test_patched(mocked, db): ...
""",
        "tests/test_marked.py": """
import pytest

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("db")]

def test_first(page: int): ...

def helper(): ...

@pytest.mark.usefixtures("size", "color")
class TestMarked:
    pytestmark = pytest.mark.parametrize("page", [1])

    def test_second(self, page, db): ...

    @pytest.mark.usefixtures("page")
    def test_third(self): ...

    class TestInner:
        def test_fourth(self): ...
""",
        "tests/test_class.py": """
import pytest

@pytest.mark.parametrize("page", [1])
class TestGiven:
    def test_given(self, page, size): ...
""",
    }
    assert calls(tmp_path, files) == {
        "test_text > color",
        "test_groups > make_db",
        "test_indirect > page",
        "test_indirect > color",
        "test_default > color",
        "test_patched > make_db",
        "test_first > page",
        "test_first > make_db",
        "TestMarked.test_second > size",
        "TestMarked.test_second > color",
        "TestMarked.test_second > make_db",
        "TestMarked.test_third > size",
        "TestMarked.test_third > color",
        "TestMarked.test_third > make_db",
        "TestMarked.test_third > page",
        "TestMarked.TestInner.test_fourth > size",
        "TestMarked.TestInner.test_fourth > color",
        "TestMarked.TestInner.test_fourth > make_db",
        "TestGiven.test_given > size",
    }


def test_a_test_knows_the_fixtures_of_the_bases_of_its_class(tmp_path: Path) -> None:
    files = {
        "tests/base.py": """
import pytest

class Top:
    @pytest.fixture
    def page(self): ...

    @pytest.fixture
    def size(self): ...

class Base(Top):
    @pytest.fixture
    def page(self, size): ...
""",
        "tests/test_pages.py": """
import pytest
from tests.base import Base

@pytest.fixture
def page(): ...

@pytest.fixture
def size(): ...

class TestPages(Base):
    def test_page(self, page, size): ...

    class TestInner:
        def test_inner(self, page): ...

class TestOther:
    def test_other(self, page): ...
""",
    }
    assert calls(tmp_path, files) == {
        "Base.page > Top.size",
        "TestPages.test_page > Base.page",
        "TestPages.test_page > Top.size",
        "TestPages.TestInner.test_inner > Base.page",
        "TestOther.test_other > page",
    }


def test_who_emits_an_event_calls_what_handles_it(tmp_path: Path) -> None:
    files = {
        "src/bus.ts": """
import { EventEmitter } from 'events';
import { sendMail } from './mail';
export const bus = new EventEmitter();

function audit(order) {}
const later = () => {};

bus.on('order:saved', audit);
bus.once("order:saved", sendMail);
bus.on('order:saved', () => {});
bus.addListener(`gone`, audit);
bus.on('error', audit);
bus.on(name, audit);
bus.on(events.ORDER_PAID, audit);
for (const one of all) one.on('changed', unknown).on('late', later);
""",
        "src/mail.ts": "export function sendMail(order: Order) {}\n",
        "src/orders.js": """
const { bus } = require('./bus');
class Orders {
  constructor() {
    this.on('retry', this.save.bind(this));
    this.on('late', function onLate() { this.never(); });
  }
  save() { bus.emit('order:saved', this); bus.emit('error'); bus.emit(`order:${this.id}`); }
  fail() { this.emit('retry'); this.emit('changed'); emit('late'); }
  wait() { this?.emit('late'); this.emit('told'); }
  paid() { bus.emit(ORDER_PAID, this); }
}
function listen(socket) {
  socket.on('told', async (order) => { order.pay(); });
}
""",
        "src/orders.test.js": """
function heard() {}
function refund() { bus.on('order:saved', heard); bus.on('tested', heard); bus.emit('tested'); }
""",
        "src/many.js": "".join(f"function f{n}() {{}}\nx.on('many', f{n});\n" for n in range(8)) + "x.emit('many');\n",
    }
    graph = build(tmp_path, files)
    found = set()
    for number in range(len(graph)):
        for edge in graph.edges_from(number, (EdgeKind.CALLS,)):
            source, target = graph.node(edge.source), graph.node(edge.target)
            assert edge.path == source.path
            found.add((source.qualified_name, edge.line, target.qualified_name, edge.candidates))
    assert found == {
        ("Orders.save", 8, "audit", 3),
        ("Orders.save", 8, "sendMail", 3),
        ("Orders.fail", 9, "Orders.save", 1),
        ("Orders.wait", 10, "later", 2),
        ("Orders.wait", 10, "listen", 1),
        ("Orders.wait", 10, "Orders.constructor.onLate", 2),
        ("Orders.paid", 11, "audit", 1),
        ("refund", 3, "heard", 1),
    }
