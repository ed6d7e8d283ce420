"""Parts of an index, made apart: together they are the index that one machine makes."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coderag import Index
from coderag.errors import (
    IndexDamagedError,
    IndexMissingError,
    IndexPartError,
    IndexUntrustedError,
    QueryError,
)
from coderag.files.walk import SourceFile
from coderag.index.build.portion import Portion, parse_portion, portion_of
from coderag.index.storage.manifest import read_manifest
from tests.index.trees import indexed, state_of
from tests.workspace import answers, copy_shop, index_file, write

NAMES = ("alpha", "beta", "gamma", "delta", "orders")
FILES = {
    f"src/{NAMES[number % 5]}/file_{number}.py": (
        f'def {NAMES[number % 5]}_{number}(total):\n    """Restore the {NAMES[number % 3]} backup."""\n'
        f"    return {NAMES[(number + 1) % 5]}_{(number + 1) % 24}(total) * {number}\n"
    )
    for number in range(24)
} | {
    "schema.sql": "CREATE TABLE orders (id INTEGER PRIMARY KEY, alpha_total INTEGER);\n",
    "README.md": "# Beta\n\nSums.\n",
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small repository."""
    return write(tmp_path_factory.mktemp("parts") / "root", FILES)


@pytest.fixture(scope="module")
def whole(root: Path) -> Index:
    """Its index, made by one machine."""
    return Index.build(root, index=root.parent / "whole", workers=0, cache=False)


def write_parts(root: Path, folder: Path, count: int) -> list[Path]:
    """Make the parts of an index, and return their folders."""
    folders = [folder / f"part-{number}" for number in range(1, count + 1)]
    for number, out in enumerate(folders, 1):
        Index.write_part(root, part=f"{number}/{count}", out=out, workers=0)
    return folders


def edges_of(index: Index) -> list[str]:
    """Return who refers to each of the functions."""
    return [str(index.refs(f"{NAMES[number % 5]}_{number}")) for number in range(0, 24, 5)]


@pytest.mark.parametrize("count", [1, 2, 3, 5, 8, 16])
def test_parts_together_are_the_whole(root: Path, whole: Index, tmp_path: Path, count: int) -> None:
    parts = write_parts(root, tmp_path, count)
    joined = Index.ensure(root, index=tmp_path / "joined", parts=parts, workers=0, cache=False)
    assert joined.reports[0].read == 0
    assert joined.damage() == []
    assert state_of(joined) == state_of(whole)
    assert edges_of(joined) == edges_of(whole)


@pytest.mark.slow
def test_parts_of_an_application_answer_as_the_whole_does(tmp_path: Path) -> None:
    root = copy_shop(tmp_path / "shop")
    whole = Index.build(root, index=tmp_path / "whole", cache=False)
    joined = Index.ensure(root, index=tmp_path / "joined", parts=write_parts(root, tmp_path, 3), cache=False)
    assert joined.reports[0].read == 0
    assert answers(joined) == answers(whole)
    assert (
        joined.schema_context("payments of a customer").as_ddl()
        == whole.schema_context("payments of a customer").as_ddl()
    )
    assert str(joined.impact("payments")) == str(whole.impact("payments"))


def test_what_changed_since_and_what_no_part_has_is_read(root: Path, tmp_path: Path) -> None:
    own = shutil.copytree(root, tmp_path / "root")
    parts = write_parts(own, tmp_path, 3)
    (own / "schema.sql").write_text("CREATE TABLE returns (id INTEGER);\n")
    (own / "src/new.py").write_text("def epsilon():\n    return 5\n")
    (own / "README.md").unlink()
    joined = Index.ensure(own, index=tmp_path / "joined", parts=parts[:2], workers=0, cache=False)
    fresh = Index.build(own, index=tmp_path / "fresh", workers=0, cache=False)
    in_third = set(read_names(parts[2])) - {"README.md", "schema.sql"}
    assert joined.reports[0].read == len(in_third) + 2
    assert state_of(joined) == state_of(fresh)
    assert [str(table.name) for table in joined.tables()] == ["root.returns"]


def read_names(part: Path) -> list[str]:
    """Return the paths in a part."""
    return list(indexed(index_file(part)))


def test_a_part_is_brought_up_to_date(root: Path, tmp_path: Path) -> None:
    own = shutil.copytree(root, tmp_path / "root")
    first = Index.write_part(own, part="1/2", out=tmp_path / "part", workers=0)
    names = read_names(tmp_path / "part")
    changed = next(name for name in names if name.endswith(".py"))
    text = (own / changed).read_text()
    (own / changed).write_text(text.replace("return", "raise"))
    again = Index.write_part(own, part="1/2", out=tmp_path / "part", workers=0)
    assert first.read == len(names)
    assert again.read == 1
    assert read_names(tmp_path / "part").count(changed) == 1


def test_a_part_answers_nothing(root: Path, tmp_path: Path) -> None:
    Index.write_part(root, part="1/2", out=tmp_path / "part", workers=0)
    with pytest.raises(IndexPartError, match='holds part 1/2 of an index; join all with "coderag merge"'):
        Index.open(root, index=tmp_path / "part")


def test_parts_that_do_not_belong_together(root: Path, whole: Index, tmp_path: Path) -> None:
    first, second = write_parts(root, tmp_path, 2)
    third = write_parts(root, tmp_path / "three", 3)[2]
    into = tmp_path / "joined"
    with pytest.raises(IndexPartError, match="both hold part 1/2"):
        Index.ensure(root, index=into, parts=[first, first])
    with pytest.raises(IndexPartError, match="parts of different divisions: 2/2, 3/3"):
        Index.ensure(root, index=into, parts=[second, third])
    with pytest.raises(IndexPartError, match="parts of different divisions: 1/1, 1/2"):
        Index.ensure(root, index=into, parts=[whole.roots[0].folder.path, first])
    with pytest.raises(IndexMissingError, match="there is no part at"):
        Index.ensure(root, index=into, parts=[tmp_path / "nosuch"])
    assert not into.exists()


def test_a_whole_index_is_a_part(root: Path, whole: Index, tmp_path: Path) -> None:
    joined = Index.ensure(
        root, index=tmp_path / "joined", parts=[whole.roots[0].folder.path], workers=0, cache=False, graph=False
    )
    assert joined.reports[0].read == 0
    assert state_of(joined) == state_of(whole)


def test_a_damaged_part_leaves_the_index_as_it_was(root: Path, tmp_path: Path) -> None:
    parts = write_parts(root, tmp_path, 2)
    (segment,) = (parts[0] / "segments").iterdir()
    text = segment / "text.bin"
    data = bytearray(text.read_bytes())
    data[len(data) // 2] ^= 1
    text.write_bytes(data)
    with pytest.raises(IndexDamagedError, match="damaged"):
        Index.ensure(root, index=tmp_path / "joined", parts=parts, workers=0, cache=False)
    assert list((tmp_path / "joined/segments").iterdir()) == []


def test_parts_of_somebody_else_need_a_word(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "theirs"))
    parts = write_parts(root, tmp_path, 2)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "ours"))
    into = tmp_path / "joined"
    with pytest.raises(IndexUntrustedError, match="set CODERAG_INDEX_KEY to the same key"):
        Index.ensure(root, index=into, parts=parts, workers=0)
    joined = Index.ensure(root, index=into, parts=parts, trust_parts=True, workers=0, cache=False)
    assert joined.reports[0].read == 0
    entries = read_manifest(joined.roots[0].folder).segments
    assert all(entry.foreign for entry in entries)
    mine = {path.stat().st_ino for path in into.glob("segments/*/*")}
    assert mine.isdisjoint(path.stat().st_ino for part in parts for path in part.glob("segments/*/*"))


def test_parts_are_signed_by_a_shared_key(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODERAG_INDEX_KEY", "k" * 40)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "theirs"))
    parts = write_parts(root, tmp_path, 2)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "ours"))
    assert Index.ensure(root, index=tmp_path / "joined", parts=parts, workers=0, cache=False).reports[0].read == 0


@pytest.mark.parametrize("text", ["", "1", "0/3", "4/3", "1/0", "-1/2", "1/2/3", "a/b", "1/10001", "1/99999999999"])
def test_what_is_no_portion(text: str) -> None:
    with pytest.raises(QueryError, match="is no part; write the second of four as 2/4"):
        parse_portion(text)


def file_of(path: str, size: int) -> SourceFile:
    return SourceFile(path, size, 0, 0, "python", frozenset())


SIZES = st.lists(st.integers(0, 5_000), max_size=60)


@given(SIZES, st.integers(1, 16))
def test_portions_divide_the_files_evenly(sizes: list[int], of: int) -> None:
    files = [file_of(f"src/{number}.py", size) for number, size in enumerate(sizes)]
    portions = [portion_of(files, Portion(number, of)) for number in range(1, of + 1)]
    assert sorted(file.path for portion in portions for file in portion) == sorted(file.path for file in files)
    fair = (sum(sizes) + len(sizes)) / of
    for portion in portions:
        assert abs(sum(file.size + 1 for file in portion) - fair) <= max(sizes, default=0) + 1


@given(st.lists(st.integers(1, 5_000), min_size=2, max_size=60), st.integers(2, 8))
def test_an_edit_moves_only_files_beside_a_cut(sizes: list[int], of: int) -> None:
    files = [file_of(f"src/{number}.py", size) for number, size in enumerate(sizes)]
    longer = [file_of(files[0].path, files[0].size + 1), *files[1:]]
    before = {file.path: number for number in range(1, of + 1) for file in portion_of(files, Portion(number, of))}
    after = {file.path: number for number in range(1, of + 1) for file in portion_of(longer, Portion(number, of))}
    assert sum(before[path] != after[path] for path in before) <= of - 1
