"""A graph made with the help of an earlier one is the one that is made of nothing, edit by edit."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from coderag.files.walk import DEFAULT_OPTIONS, walk
from coderag.graph.build import build_graph
from coderag.graph.earlier import EarlierGraph, reused_edges
from coderag.graph.edges.reused import ReusedEdges
from coderag.graph.files import LinkedFile
from coderag.graph.graph import Graph
from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.columns import unpack_labels
from coderag.index.storage.links import inflate_links
from coderag.index.workers.analyze import analyze
from coderag.sql.records import Schema
from tests.workspace import copy_shop, write

FILES = {
    "shop/money.py": (
        "def rounded(amount):\n    return round(amount, 2)\n\n\nclass Purse:\n    def pay(self):\n        return 1\n"
    ),
    "shop/store.py": "from shop.money import Purse\n\n\ndef purse() -> Purse:\n    return Purse()\n",
    "shop/orders.py": (
        "from shop.money import rounded\nfrom shop.store import purse\n\n\n"
        "def total(order):\n    return rounded(order.sum)\n\n\n"
        "def settle():\n    mine = purse()\n    return mine.pay()\n"
    ),
    "shop/other.py": "def quiet():\n    return loud()\n\n\ndef loud():\n    return 1\n",
    "tests/test_orders.py": "from shop.orders import settle\n\n\ndef test_settle():\n    assert settle()\n",
    "docs/orders.md": "# Orders\n\n`settle` pays, `rounded` rounds.\n",
    "app/routes.py": 'from app.pages import pages\n\napp.register_blueprint(pages, url_prefix="/v1")\n',
    "app/pages.py": 'pages = Blueprint("pages", __name__)\n\n\n@pages.get("/about")\ndef about():\n    return 1\n',
    "go.mod": "module example.com/app\n",
    "app/main.go": ('package main\n\nimport "example.com/app/db"\n\nfunc main() {\n\ts := db.New()\n\ts.Get()\n}\n'),
    "db/db.go": "package db\n\ntype Store struct{}\n\nfunc New() *Store {\n\treturn &Store{}\n}\n",
    "db/get.go": "package db\n\nfunc (s *Store) Get() int {\n\treturn 1\n}\n",
}
EDITS = [  # what becomes of a file, and which files are resolved again
    ("shop/orders.py", "return rounded(order.sum)", "return rounded(order.sum + 1)", {"shop/orders.py"}),
    ("shop/money.py", "def rounded", "# how cents are told\ndef rounded", {"shop/money.py"}),
    ("shop/money.py", "class Purse:", "def cents():\n    return 1\n\n\nclass Purse:", {"shop/money.py"}),
    ("shop/money.py", "def rounded", "def rounds", {"shop/money.py", "shop/orders.py", "docs/orders.md"}),
    ("shop/money.py", "def pay", "def give", {"shop/money.py", "shop/orders.py"}),
    ("shop/other.py", "def loud", "def rounded", {"shop/other.py", "shop/orders.py", "docs/orders.md"}),
    ("shop/store.py", "-> Purse", "-> dict", {"shop/store.py", "shop/orders.py"}),
    ("shop/store.py", "money import Purse", "money import Purse as Bag", {"shop/store.py", "shop/orders.py"}),
    ("shop/money.py", "class Purse:", "class Purse(dict):", {"shop/money.py", "shop/orders.py", "shop/store.py"}),
    ("db/get.go", "Get() int", "Fetch() int", {"db/get.go", "app/main.go"}),
    ("db/get.go", "return 1", "return 2", {"db/get.go"}),
    ("app/routes.py", '"/v1"', '"/v2"', {"app/routes.py"}),  # the address of a route in another file
    ("db/db.go", "type Store struct", "type Shelf struct", {"db/db.go", "db/get.go", "app/main.go"}),
    ("db/db.go", "package db", "package other", {"db/db.go", "db/get.go", "app/main.go"}),
    ("shop/orders.py", "from shop.money", "import os\nfrom shop.money", {"shop/orders.py"}),
]
COMES = "def rounded(amount):\n    return amount\n"
MOVES = [  # what goes, what comes with which text (None: that of what goes), and which files are resolved again
    ("", "shop/extra.py", "def extra():\n    return 1\n", {"shop/extra.py"}),
    ("", "shop/extra.py", COMES, {"shop/extra.py", "shop/orders.py", "docs/orders.md"}),
    ("", "db/put.go", "package db\n\nfunc (s *Store) Put() {}\n", {"db/put.go", "app/main.go"}),
    ("shop/other.py", "", None, set()),
    ("shop/other.py", "shop/another.py", None, {"shop/another.py"}),
    ("shop/store.py", "", None, {"shop/orders.py"}),
    ("shop/store.py", "shop/shelf.py", None, {"shop/shelf.py", "shop/orders.py"}),
    ("shop/money.py", "money.py", None, {"money.py", "shop/orders.py", "shop/store.py", "docs/orders.md"}),
    ("db/get.go", "", None, {"app/main.go"}),
    ("db/get.go", "db/took.go", None, {"db/took.go", "app/main.go"}),
    ("app/pages.py", "web/pages.py", None, {"web/pages.py", "app/routes.py"}),
]


class Tree:
    """A folder whose files are read one by one."""

    def __init__(self, root: Path) -> None:
        """Read all files."""
        self.root = root
        self.known = {file.path: file for file in walk(root, DEFAULT_OPTIONS).files}
        self.files = {one.path: one for one in self._read(list(self.known))}

    def _read(self, paths: list[str]) -> Iterator[LinkedFile]:
        columns, _ = analyze(str(self.root), [self.known[path] for path in paths])
        for row, links in zip(columns.files, columns.links, strict=True):
            yield LinkedFile(row.path, row.language, inflate_links(links), unpack_labels(row.labels), row.blob)

    def edit(self, path: str, text: str) -> None:
        """Write a file, and read it."""
        (self.root / path).write_text(text)
        self._look_at(path)

    def remove(self, path: str) -> None:
        """Take a file away."""
        (self.root / path).unlink()
        self._look_at(path)

    def move(self, path: str, to: str) -> None:
        """Rename a file."""
        (self.root / to).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).rename(self.root / to)
        self._look_at(path, to)

    def _look_at(self, *paths: str) -> None:
        self.known = {file.path: file for file in walk(self.root, DEFAULT_OPTIONS).files}
        for path in paths:
            self.files.pop(path, None)
        self.files |= {one.path: one for one in self._read([path for path in paths if path in self.known])}

    def content(self, path: str) -> bytes | None:
        """Return what a file of settings holds."""
        full = self.root / path
        return full.read_bytes() if full.is_file() else None

    def ordered(self) -> list[LinkedFile]:
        """Return the files as a graph has them."""
        return [self.files[path] for path in sorted(self.files)]

    def arrays(self, reused: ReusedEdges | None = None) -> dict[str, Array]:
        """Return the arrays of the graph."""
        return build_graph(self.ordered(), Schema(), read=self.content, reused=reused).arrays()


def kept_of(before: dict[str, LinkedFile], earlier: Graph, tree: Tree) -> ReusedEdges | None:
    changed = {path: file for path, file in before.items() if tree.files.get(path) != file}
    return reused_edges(EarlierGraph(earlier, changed, tree.content), tree.ordered())


def check_same(one: dict[str, Array], other: dict[str, Array]) -> None:
    assert [name for name in one if not np.array_equal(one[name], other[name])] == []


@pytest.mark.parametrize(("path", "old", "new", "resolved"), EDITS)
def test_what_an_edit_concerns(tmp_path: Path, path: str, old: str, new: str, resolved: set[str]) -> None:
    tree = Tree(write(tmp_path, FILES))
    before, earlier = dict(tree.files), Graph(tree.arrays())
    text = (tmp_path / path).read_text()
    assert old in text
    tree.edit(path, text.replace(old, new))
    check_resolved(before, earlier, tree, resolved)


@pytest.mark.parametrize(("gone", "came", "text", "resolved"), MOVES)
def test_what_a_file_concerns_that_comes_or_goes(
    tmp_path: Path, gone: str, came: str, text: str | None, resolved: set[str]
) -> None:
    tree = Tree(write(tmp_path, FILES))
    before, earlier = dict(tree.files), Graph(tree.arrays())
    if gone and came:
        tree.move(gone, came)
    elif gone:
        tree.remove(gone)
    else:
        tree.edit(came, text or "")
    check_resolved(before, earlier, tree, resolved)


DERIVED = {  # edges that are made of those of several files
    "src/orders.js": "export function load() {}\nexport function save() {}\n",
    "src/handlers.js": (
        "import { load, save } from './orders';\nexport const handlers = { load, drop(one) {} };\n"
        "bus.on('saved', save);\n"
    ),
    "src/run.js": (
        "import { handlers } from './handlers';\nexport function run(name) { handlers[name](); bus.emit('saved'); }\n"
    ),
    "src/app.js": (
        "import { load, save } from './orders';\nimport { run } from './run';\n"
        "router.get('/a', () => {\n  run();\n  load();\n});\nrouter.get('/b', () => {\n  save();\n  load();\n});\n"
    ),
    "src/other.js": "".join(f"export function other{number}() {{}}\n" for number in range(9)),
}
DERIVED_EDITS = [
    ("src/handlers.js", "{ load, drop(one) {} }", "{ save, drop(one) {} }"),
    ("src/handlers.js", "drop(one)", "other(one)"),
    ("src/handlers.js", "on('saved', save)", "on('paid', save)"),
    ("src/run.js", "emit('saved')", "emit('paid')"),
    ("src/orders.js", "function load", "function loads"),
    ("src/app.js", "save();", "run();"),
    ("src/other.js", "other1", "load"),
    ("src/other.js", "other1", "quiet"),  # all files of routes stay as they are
]


@pytest.mark.parametrize(("path", "old", "new"), DERIVED_EDITS)
def test_an_edit_changes_what_is_made_of_edges(tmp_path: Path, path: str, old: str, new: str) -> None:
    more = {f"src/more{number}.js": f"export function more{number}() {{}}\n" for number in range(20)}
    tree = Tree(write(tmp_path, DERIVED | more))
    before, earlier = dict(tree.files), Graph(tree.arrays())
    text = (tmp_path / path).read_text()
    assert old in text
    tree.edit(path, text.replace(old, new))
    reused = kept_of(before, earlier, tree)
    assert reused is not None
    check_same(tree.arrays(), tree.arrays(reused))


def check_resolved(before: dict[str, LinkedFile], earlier: Graph, tree: Tree, resolved: set[str]) -> None:
    reused = kept_of(before, earlier, tree)
    assert reused is not None
    assert {tree.ordered()[number].path for number in reused.resolved} == resolved
    check_same(tree.arrays(), tree.arrays(reused))


WORDS = re.compile(r"[A-Za-z_]\w{3,}")
STEPS_TRIED = 30


def changed_text(text: str, words: list[str], dice: random.Random) -> str:
    """Return a text with one line of it gone, doubled, or with another name in it."""
    lines = text.splitlines(keepends=True)
    places = [number for number, line in enumerate(lines) if WORDS.search(line)]
    if not places:
        return text + "\n"
    place = dice.choice(places)
    name = dice.choice(WORDS.findall(lines[place]))
    match dice.randrange(5):
        case 0:
            del lines[place]
        case 1:
            lines.insert(place, lines[place])
        case 2:
            lines[place] = lines[place].replace(name, dice.choice(words))
        case 3:
            return re.sub(rf"\b{name}\b", f"{name}_x", text)
        case _:
            lines.insert(0, "\n")
    return "".join(lines)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [3, 4])
def test_any_steps_give_the_graph_that_is_made_of_nothing(tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    copy_shop(tmp_path / "shop")
    tree = Tree(tmp_path / "shop")
    words = sorted({name for file in tree.files.values() for name, *_ in file.links.definitions if WORDS.match(name)})
    earlier, count = Graph(tree.arrays()), 0
    for _ in range(STEPS_TRIED):
        before = dict(tree.files)
        take_step(tree, words, dice)
        reused = kept_of(before, earlier, tree)
        arrays = tree.arrays()
        if reused is not None:
            count += 1
            check_same(arrays, tree.arrays(reused))
        earlier = Graph(arrays)
    assert count > STEPS_TRIED // 3


def take_step(tree: Tree, words: list[str], dice: random.Random) -> None:
    """Edit, add, remove or rename a file."""
    paths = sorted(path for path, file in tree.files.items() if file.links.mentions.mentions)
    path = dice.choice(paths)
    text = (tree.root / path).read_text()
    folder, name = dice.choice(paths).rpartition("/")[0], path.rpartition("/")[2]
    match dice.randrange(6):
        case 0:
            tree.edit(f"{folder}/new_{name}".removeprefix("/"), changed_text(text, words, dice))
        case 1:
            tree.remove(path)
        case 2 if not (tree.root / folder / name).exists():
            tree.move(path, f"{folder}/{name}".removeprefix("/"))
        case 3:
            tree.move(path, f"{path.rpartition('/')[0]}/renamed_{name}".removeprefix("/"))
        case _:
            tree.edit(path, changed_text(text, words, dice))
