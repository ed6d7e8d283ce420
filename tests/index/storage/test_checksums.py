"""Damage of each part of an index: found, and repaired with as little as possible; and indexes of other formats."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from coderag import Index
from coderag.errors import IndexDamagedError, IndexFormatError, IndexMissingError, IndexTooNewError
from coderag.index.storage.checksums import damage_of
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.folder.sealed import write_sealed
from coderag.index.storage.manifest import FORMAT, MANIFEST, SEGMENTS, read_manifest
from tests.commands import REPOSITORY, Done, run_here
from tests.index.trees import State, state_of
from tests.workspace import index_file, write

pytestmark = pytest.mark.slow

FORMATS = Path(__file__).with_name("formats")
FILES = {
    "alpha.py": "def alpha():\n    return 1\n",
    "beta.py": "def beta_total():\n    return 2\n",
    "docs/gamma.md": "# Gamma\n\n## Restore the gamma backup\n\nRead.\n",
    "delta.sql": "CREATE TABLE delta (id INT PRIMARY KEY, orders INT);\n",
}
LATER = {"late/one.py": "def late_one():\n    return 1\n", "late/two.py": "def late_two():\n    return 2\n"}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A root and its index of two segments and a catalog."""
    root = write(tmp_path_factory.mktemp("check") / "root", FILES)
    index = Index.build(root, workers=0)
    write(root, LATER)
    index.update(workers=0)
    assert [entry.files for entry in read_manifest(IndexPath(root / ".coderag")).segments] == [4, 2]
    return root


@pytest.fixture
def root(made: Path, tmp_path: Path) -> Path:
    """A copy that may be damaged; the files have the times that they had, and other inodes."""
    shutil.copytree(made, tmp_path / "root")
    index = Index.open(tmp_path / "root")
    index.update(workers=0)
    return tmp_path / "root"


def damaged(path: Path, *, bit: int = -100) -> None:
    raw = bytearray(path.read_bytes())
    raw[bit // 8 % len(raw)] ^= 1 << bit % 8
    path.write_bytes(raw)


def repaired(root: Path, expected: State) -> tuple[int, int]:
    """Repair an index; return how many files were read, and how many segments were damaged."""
    index = Index.ensure(root, workers=0)
    index.close()
    assert index.damage() == []
    assert state_of(index) == expected
    assert index.reports[0].rebuilt == ""
    return index.reports[0].read, index.reports[0].repaired


@pytest.mark.parametrize("how", ["flipped", "cut", "gone", "longer", "empty"])
@pytest.mark.parametrize(
    ("pattern", "read"),
    [
        ("listing-*", 0),
        ("catalog-*", 0),
        ("0/arrays.bin", 4),
        ("0/text.bin", 4),
        ("1/arrays.bin", 2),
        ("1/vectors-*", 2),
    ],
)
def test_only_what_is_damaged_is_read_again(root: Path, pattern: str, read: int, how: str) -> None:
    expected = state_of(Index.open(root))
    folder = root / ".coderag"
    number, _, name = pattern.rpartition("/")
    inside = folder / SEGMENTS / read_manifest(IndexPath(folder)).segments[int(number)].name if number else folder
    (path,) = inside.glob(name)
    raw = path.read_bytes()
    if how == "flipped":
        damaged(path, bit=len(raw) * 4 + 3)
    elif how == "gone":
        path.unlink()
    else:
        path.write_bytes({"cut": raw[: len(raw) // 2], "longer": raw + b"\0", "empty": b""}[how])
    assert [one.path for one in damage_of(IndexPath(folder), read_manifest(IndexPath(folder)))] == [
        path.relative_to(folder).as_posix()
    ]
    assert repaired(root, expected) == (read, int(read > 0))


def test_a_repair_by_an_update_that_found_it_by_chance(root: Path) -> None:
    expected = state_of(Index.open(root))
    index = Index.open(root)
    folder = root / ".coderag"
    first = read_manifest(IndexPath(folder)).segments[0]
    (folder / SEGMENTS / first.name / "arrays.bin").write_bytes(b"")
    write(root, {"alpha.py": FILES["alpha.py"] + "\n"})
    index.update(paths=["late/one.py"], workers=0)  # which says nothing of the files that were lost
    write(root, {"alpha.py": FILES["alpha.py"]})
    index.update(workers=0)
    assert state_of(index) == expected


def test_damage_is_not_written_down_as_sound(root: Path) -> None:
    folder = root / ".coderag"
    (catalog,) = folder.glob("catalog-*")
    damaged(catalog, bit=catalog.stat().st_size * 4)
    index = Index.open(root)
    write(root, {"late/one.py": "def late_three():\n    return 3\n"})
    index.update(workers=0)
    assert [one.path for one in index.damage()] == [catalog.name]
    index.update(encoder="none", workers=0)
    index.update(encoder="static", workers=0)
    Index.ensure(root, workers=0).close()
    assert Index.open(root).damage() == []


def test_damage_of_the_manifest(root: Path) -> None:
    expected = state_of(Index.open(root))
    chosen = random.Random(1)
    whole = (root / ".coderag" / MANIFEST).read_bytes()
    for _ in range(30):
        (root / ".coderag" / MANIFEST).write_bytes(whole)
        damaged(root / ".coderag" / MANIFEST, bit=chosen.randrange(len(whole) * 8))
        with pytest.raises(IndexDamagedError, match=r"manifest\.json is damaged"):
            Index.open(root)
    with Index.ensure(root, workers=0) as index:
        assert "manifest.json is damaged" in index.reports[0].rebuilt
        assert index.reports[0].read == 6
        assert state_of(index) == expected


def write_format(folder: Path, number: int) -> None:
    """Say that an index has another format."""
    _, _, body = (folder / MANIFEST).read_bytes().partition(b"\n")
    other = body.strip().replace(b'{"format":%d,' % FORMAT, b'{"format":%d,' % number)
    write_sealed(index_file(folder / MANIFEST), "manifest", other)


def coderag(*arguments: str) -> Done:
    return run_here(*arguments, cwd=REPOSITORY)


def test_a_newer_index_is_refused(root: Path) -> None:
    before = state_of(Index.open(root))
    write_format(root / ".coderag", FORMAT + 1)
    written = (root / ".coderag" / MANIFEST).read_bytes()
    told = f"format {FORMAT + 1}, which a newer version of coderag wrote"
    for arguments in (["search", "alpha", "--root", str(root)], ["index", str(root)], ["status", "--root", str(root)]):
        done = coderag(*arguments)
        assert (done.returncode, told in done.stderr, done.stdout) == (2, True, ""), done.stderr
    for call in (Index.open, Index.ensure):
        with pytest.raises(IndexTooNewError, match=told):
            call(root)
    assert (root / ".coderag" / MANIFEST).read_bytes() == written
    done = coderag("index", str(root), "--rebuild", "--workers", "0")
    assert done.returncode == 0, done.stderr
    assert state_of(Index.open(root)) == before


def test_an_older_index_is_made_anew(root: Path, tmp_path: Path) -> None:
    write_format(root / ".coderag", FORMAT - 1)
    told = f"has format {FORMAT - 1}, this version of coderag reads {FORMAT}"
    with pytest.raises(IndexFormatError, match=told):
        Index.open(root)
    done = coderag("index", str(root), "--workers", "0")
    assert (done.returncode, told in done.stdout + done.stderr) == (0, True), done.stderr
    assert {path.name for path in (root / ".coderag" / SEGMENTS).iterdir()} == {
        entry.name for entry in read_manifest(IndexPath(root / ".coderag")).segments
    }
    assert state_of(Index.open(root)) == state_of(Index.build(root, index=tmp_path / "fresh", workers=0))


def test_an_index_from_before_there_were_signatures_is_left_alone(tmp_path: Path) -> None:
    root = write(tmp_path / "root", FILES)
    shutil.copytree(FORMATS / "1", root / ".coderag")
    before = {path: path.read_bytes() for path in (root / ".coderag").rglob("*") if path.is_file()}
    with pytest.raises(IndexMissingError, match=r"\.coderag was not made by you on this machine"):
        Index.open(root)
    done = coderag("search", "alpha", "--root", str(root))
    assert (done.returncode, "was not made by you" in done.stderr) == (0, True), done.stderr
    assert {path: path.read_bytes() for path in (root / ".coderag").rglob("*") if path.is_file()} == before
    assert state_of(Index.open(root)) == state_of(Index.build(root, index=tmp_path / "fresh", workers=0))
