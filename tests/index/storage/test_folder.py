"""A folder that is somebody else's never becomes an index; one that is an index, however damaged, stays one."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from coderag import Index
from coderag.errors import IndexWriteError
from tests.workspace import write


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "root", {"a.py": "def first():\n    return 1\n"})


def files_in(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


OTHERS: dict[str, dict[str, str | bytes]] = {
    "a home": {".profile": "x", "notes.txt": "y"},
    "only hidden": {".gitignore": "build/\n"},
    "another's lock": {"lock": "42"},
    "another's manifest": {"manifest.json": '{"name": "extension"}', "segments/x": "y"},
    "an index's names and more": {"segments/x": "", "lock": "", "thesis.tex": "important"},
    "another's rules": {"segments/x": "", ".gitignore": "*.o\n"},
}


@pytest.mark.parametrize("files", OTHERS.values(), ids=OTHERS)
def test_a_folder_with_other_files_is_refused_as_it_is(
    root: Path, tmp_path: Path, files: dict[str, str | bytes]
) -> None:
    place = write(tmp_path / "place", files)
    before = files_in(tmp_path)
    for make in (Index.build, Index.ensure):
        with pytest.raises(IndexWriteError) as caught:
            make(root, index=place, workers=0)
        assert str(caught.value) == (
            f"{place} is not empty, and no index of coderag; "
            'give an empty or a new folder for the index with "--index DIR"'
        )
    assert files_in(tmp_path) == before


def test_the_root_and_its_parents_are_refused(root: Path, tmp_path: Path) -> None:
    for place in (root, tmp_path):
        with pytest.raises(IndexWriteError, match=re.escape(f"{place} is not empty")):
            Index.build(root, index=place, workers=0)
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(IndexWriteError, match=r"empty is the folder that is to be indexed; give"):
        Index.build(empty, index=empty, workers=0)
    assert sorted(files_in(tmp_path)) == ["root/a.py"]
    write(root, {".coderag/README": "committed by somebody"})
    with pytest.raises(IndexWriteError, match=r"\.coderag is not empty, and no index of coderag"):
        Index.build(root, workers=0)


def test_of_several_roots_none_is_written_where_one_is_refused(root: Path, tmp_path: Path) -> None:
    other = write(tmp_path / "other", {"b.py": "def second():\n    return 2\n"})
    write(tmp_path / "indexes/other", {"thesis.tex": "important"})
    with pytest.raises(IndexWriteError, match="indexes/other is not empty"):
        Index.build(root, other, index=tmp_path / "indexes", workers=0)
    assert sorted(files_in(tmp_path / "indexes")) == ["other/thesis.tex"]


UNFINISHED: dict[str, Callable[[Path], object]] = {
    "as it was made": lambda _: None,
    "with a damaged manifest": lambda place: (place / "manifest.json").write_bytes(b"\xff" * 100),
    "without a manifest": lambda place: (place / "manifest.json").unlink(),
    "begun": lambda place: list(map(Path.unlink, filter(Path.is_file, place.iterdir()))),
    "with a file of the user": lambda place: (place / "notes.txt").write_text("mine"),
}


@pytest.mark.parametrize("change", UNFINISHED.values(), ids=UNFINISHED)
def test_an_index_is_made_anew_in_its_folder(root: Path, tmp_path: Path, change: Callable[[Path], object]) -> None:
    place = tmp_path / "place"
    Index.build(root, index=place, workers=0)
    change(place)
    assert Index.ensure(root, index=place, workers=0).search("first")[0].chunk.path == "a.py"
    assert Index.build(root, index=place, workers=0).search("first")[0].chunk.path == "a.py"


def test_an_empty_and_a_new_folder_become_indexes(root: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "link").symlink_to("empty")
    for place in (tmp_path / "empty", tmp_path / "link", tmp_path / "new/deep"):
        assert Index.build(root, index=place, workers=0).search("first")
    shutil.rmtree(tmp_path / "empty")
