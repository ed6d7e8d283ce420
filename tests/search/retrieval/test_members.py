"""Two names of a question, of which one is a member of the other, and names that end with a sign."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from coderag import Index
from coderag.search.query.understand import understand
from tests.workspace import write

FILES = {
    "store.rb": "class Store\n  def exist?(key)\n    read(key)\n  end\n\n  def clear!\n    wipe\n  end\nend\n",
    "cache.rb": "class Cache\n  def exist(key)\n    @store.exist?(key)\n  end\nend\n",
    "handler.py": (
        "class FleepHandler:\n    '''Build the header of a handler.'''\n\n"
        "    def build_header(self):\n        return self.build()\n\n    def parse(self):\n        return 1\n"
    ),
    "other.py": "class SlackHandler:\n    def build_header(self):\n        return 'header'\n",
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    folder = tmp_path_factory.mktemp("members")
    with Index.build(write(folder / "root", FILES), index=folder / "index", workers=0) as built:
        yield built


@pytest.mark.parametrize(
    ("question", "path", "name"),
    [
        ("FleepHandler build_header", "handler.py", "build_header"),
        ("build_header in SlackHandler", "other.py", "build_header"),
        ("the method build_header of FleepHandler", "handler.py", "build_header"),
        ("FleepHandler parse", "handler.py", "parse"),
        ("Store.exist?", "store.rb", "exist?"),
        ("Store#clear!", "store.rb", "clear!"),
        ("exist? in Store", "store.rb", "exist?"),
    ],
)
def test_a_member_comes_before_its_class_and_others_of_its_name(
    index: Index, question: str, path: str, name: str
) -> None:
    first = index.search(question)[0].chunk
    assert (first.path, first.name) == (path, name)


@pytest.mark.parametrize(
    ("question", "members"),
    [
        ("get in Session", ("get.session", "session.get")),
        ("valid? of Record", ("valid.record", "record.valid", "record.valid?")),
        ("expired sessions", ()),
        ("Session", ()),
        ("how Session gets tokens", ()),
        ("session.get in Store", ()),
    ],
)
def test_two_names_are_each_a_member_of_the_other(question: str, members: tuple[str, ...]) -> None:
    assert understand(question).members == members
