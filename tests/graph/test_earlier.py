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
from coderag.graph.earlier import EarlierGraph, kept_edges
from coderag.graph.edges.kept import Kept
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
ALL = None
EDITS = [  # what becomes of a file, and which files are resolved again
    ("shop/orders.py", "return rounded(order.sum)", "return rounded(order.sum + 1)", {"shop/orders.py"}),
    ("shop/money.py", "def rounded", "# how cents are told\ndef rounded", {"shop/money.py"}),
    ("shop/money.py", "class Purse:", "def cents():\n    return 1\n\n\nclass Purse:", {"shop/money.py"}),
    ("shop/money.py", "def rounded", "def rounds", {"shop/money.py", "shop/orders.py", "docs/orders.md"}),
    ("shop/money.py", "def pay", "def give", {"shop/money.py", "shop/orders.py"}),
    ("shop/other.py", "def loud", "def rounded", {"shop/other.py", "shop/orders.py", "docs/orders.md"}),
    ("shop/store.py", "-> Purse", "-> dict", {"shop/store.py", "shop/orders.py"}),
    ("shop/store.py", "money import Purse", "money import Purse as Bag", {"shop/store.py", "shop/orders.py"}),
    ("shop/money.py", "class Purse:", "class Purse(dict):", ALL),
    ("db/get.go", "Get() int", "Fetch() int", {"db/get.go", "app/main.go"}),
    ("db/get.go", "return 1", "return 2", {"db/get.go"}),
    ("app/routes.py", '"/v1"', '"/v2"', {"app/routes.py"}),  # the address of a route in another file
    ("db/db.go", "type Store struct", "type Shelf struct", ALL),
    ("db/db.go", "package db", "package other", ALL),
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
        self.known = {file.path: file for file in walk(self.root, DEFAULT_OPTIONS).files}
        self.files |= {one.path: one for one in self._read([path])}

    def content(self, path: str) -> bytes | None:
        """Return what a file of settings holds."""
        full = self.root / path
        return full.read_bytes() if full.is_file() else None

    def ordered(self) -> list[LinkedFile]:
        """Return the files as a graph has them."""
        return [self.files[path] for path in sorted(self.files)]

    def arrays(self, kept: Kept | None = None) -> dict[str, Array]:
        """Return the arrays of the graph."""
        return build_graph(self.ordered(), Schema(), read=self.content, kept=kept).arrays()


def kept_of(before: dict[str, LinkedFile], earlier: Graph, tree: Tree) -> Kept | None:
    changed = {path: file for path, file in before.items() if tree.files[path] != file}
    return kept_edges(EarlierGraph(earlier, changed, names_modules=True), tree.ordered())


def check_same(one: dict[str, Array], other: dict[str, Array]) -> None:
    assert [name for name in one if not np.array_equal(one[name], other[name])] == []


@pytest.mark.parametrize(("path", "old", "new", "resolved"), EDITS)
def test_what_an_edit_concerns(tmp_path: Path, path: str, old: str, new: str, resolved: set[str] | None) -> None:
    tree = Tree(write(tmp_path, FILES))
    before, earlier = dict(tree.files), Graph(tree.arrays())
    text = (tmp_path / path).read_text()
    assert old in text
    tree.edit(path, text.replace(old, new))
    kept = kept_of(before, earlier, tree)
    if resolved is None:
        assert kept is None
        return
    assert kept is not None
    assert {tree.ordered()[number].path for number in kept.resolved} == resolved
    check_same(tree.arrays(), tree.arrays(kept))


WORDS = re.compile(r"[A-Za-z_]\w{3,}")
EDITS_TRIED = 25


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
def test_any_edit_gives_the_graph_that_is_made_of_nothing(tmp_path: Path) -> None:
    dice = random.Random(3)
    copy_shop(tmp_path / "shop")
    tree = Tree(tmp_path / "shop")
    paths = sorted(path for path, file in tree.files.items() if file.links.mentions.mentions)
    words = sorted({name for file in tree.files.values() for name, *_ in file.links.definitions if WORDS.match(name)})
    earlier, reused = Graph(tree.arrays()), 0
    for _ in range(EDITS_TRIED):
        before, path = dict(tree.files), dice.choice(paths)
        tree.edit(path, changed_text((tree.root / path).read_text(), words, dice))
        kept = kept_of(before, earlier, tree)
        reused += kept is not None
        arrays = tree.arrays()
        if kept is not None:
            check_same(arrays, tree.arrays(kept))
        earlier = Graph(arrays)
    assert reused > EDITS_TRIED // 3
