"""Files of an index truncated and with flipped bits: said to be damaged, or the same answers, and made anew."""

from __future__ import annotations

import json
import random
import shutil
import zlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from coderag import Index
from coderag.errors import IndexDamagedError, IndexFormatError, RetrievalWarning
from coderag.index.build.build import update
from coderag.index.build.job import BuildOptions
from coderag.index.storage.arrays.arrays import open_arrays
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.manifest import read_manifest
from coderag.index.storage.manifest_writer import publish_manifest
from tests.workspace import Answer, answers, index_file, write

FILES = ("manifest.json", "listing-1-*.bin", "segments/*/arrays.bin", "segments/*/text.bin")
FLIPS = 60  # bits of each file, one at a time


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository of a few files and its index."""
    root = write(
        tmp_path_factory.mktemp("damage") / "root",
        {
            "payments/retry.py": 'class PaymentRetrier:\n    """Try again."""\n\n    def retry_failed(self): ...\n',
            "money.go": "package money\n\n// Round rounds to cents.\nfunc Round(x int) int { return x }\n",
            "docs/backup.md": "# Backups\n\n## Restore a backup\n\nRead the runbook of the orders table.\n",
            "broken.py": "def broken(:\n    pass\n",
            "bad.py": b"x = '\0'\n",
        },
    )
    Index.build(root, workers=0)
    return root


@pytest.fixture(scope="module")
def expected(repository: Path) -> list[list[Answer]]:
    return answers(Index.open(repository))


def the_file(repository: Path, pattern: str) -> Path:
    (path,) = (repository / ".coderag").glob(pattern)
    return path


def ask_everything(repository: Path) -> list[list[Answer]]:
    index = Index.open(repository)
    found = answers(index)
    for path in ("payments/retry.py", "money.go", "docs/backup.md", "broken.py"):
        index.outline(path)
        index.chunks(path)
    index.symbols("retry")
    index.status()
    index.is_fresh()
    return found


def check(repository: Path, path: Path, data: bytes, expected: list[list[Answer]]) -> bool:
    """Put other bytes in a file's place; tell whether that was noticed, and fail where the answers are not the same."""
    whole = path.read_bytes()
    path.write_bytes(data)
    try:
        found = ask_everything(repository)
    except IndexDamagedError as error:
        message = str(error)
    else:
        assert found == expected
        return False
    finally:
        path.write_bytes(whole)
    assert str(repository) in message
    assert 'run "coderag index"' in message
    return True


@pytest.mark.slow
@pytest.mark.parametrize("pattern", FILES)
def test_flipped_bits(repository: Path, expected: list[list[Answer]], pattern: str) -> None:
    path = the_file(repository, pattern)
    whole = path.read_bytes()
    chosen = random.Random(pattern)
    noticed = 0
    for _ in range(FLIPS):
        at = chosen.randrange(len(whole))
        changed = bytearray(whole)
        changed[at] ^= 1 << chosen.randrange(8)
        noticed += check(repository, path, bytes(changed), expected)
    assert noticed > FLIPS // 2  # the others hit the filling between two tables


@pytest.mark.parametrize("pattern", FILES)
def test_truncated_files(repository: Path, expected: list[list[Answer]], pattern: str) -> None:
    path = the_file(repository, pattern)
    whole = path.read_bytes()
    for size in (0, 1, 7, 16, 100, len(whole) // 2, len(whole) - 65):
        assert check(repository, path, whole[: max(size, 0)], expected), size
    assert check(repository, path, whole * 2, expected) == (
        pattern in (FILES[0], FILES[3])
    )  # arrays have their lengths


def cut_off(data: bytes) -> bytes:
    return data[: len(data) // 2]


def overwritten(data: bytes) -> bytes:
    middle = len(data) // 2
    return data[: middle - 32] + bytes(byte ^ 1 for byte in data[middle - 32 : middle + 32]) + data[middle + 32 :]


@pytest.mark.parametrize("pattern", FILES)
@pytest.mark.parametrize("damage", [cut_off, overwritten])
def test_update_repairs_a_damaged_index(
    repository: Path, tmp_path: Path, pattern: str, damage: Callable[[bytes], bytes]
) -> None:
    root = tmp_path / "root"
    shutil.copytree(repository, root)
    reader = Index.open(root)
    before = answers(reader)
    path = the_file(root, pattern)
    damaged = damage(path.read_bytes())
    path.unlink()  # what the reader has open stays as it was
    path.write_bytes(damaged)
    if path.name == "manifest.json":
        with pytest.raises(IndexDamagedError):
            reader.damage()
    else:
        assert [one.path for one in reader.damage()] == [path.relative_to(root / ".coderag").as_posix()]
    report = update(root, IndexPath(root / ".coderag"), options=BuildOptions(workers=0), repository="root")
    match path.parent.name, path.name:
        case _, "manifest.json":
            assert "does not match its checksum" in report.rebuilt
        case _, name if name.startswith("listing-"):
            assert (report.read, report.reused, report.repaired) == (0, 0, 0)  # all files are hashed, and known
        case _:
            assert (report.read, report.repaired, report.rebuilt) == (4, 1, "")
    assert answers(Index.open(root)) == answers(reader) == before
    assert Index.open(root).damage() == []


def test_missing_files(repository: Path, tmp_path: Path) -> None:
    for pattern in FILES[1:]:
        root = tmp_path / pattern.replace("/", "-").replace("*", "x")
        shutil.copytree(repository, root)
        Index.open(root)  # which signs it for its place
        the_file(root, pattern).unlink()
        with pytest.raises(IndexDamagedError, match="No such file or directory"):
            ask_everything(root)
        report = update(root, IndexPath(root / ".coderag"), options=BuildOptions(workers=0), repository="root")
        assert report.repaired == ("segments" in pattern)
        assert Index.open(root).is_fresh()


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository whose postings are too large to be checked whenever the index is opened."""
    chosen = random.Random(1)
    vocabulary = [f"{first}{second}" for first in "bcdfghklmnprst" for second in range(60)]
    rows = []
    for number in range(4_000):
        names = " ".join(chosen.sample(vocabulary, 140))
        rows.append(f"def function_{number}():\n    '''{names}'''\n")
    root = write(
        tmp_path_factory.mktemp("large") / "root", {"large.py": "\n".join(rows), "a.py": "def a():\n    pass\n"}
    )
    Index.build(root, workers=0)
    return root


@pytest.mark.slow
def test_damage_in_large_tables(large: Path) -> None:
    path = the_file(large, "segments/*/arrays.bin")
    whole = path.read_bytes()
    chosen = random.Random(2)
    noticed = 0
    for _ in range(25):
        changed = bytearray(whole)
        begin = chosen.randrange(len(whole) // 2, len(whole) - 64)
        changed[begin : begin + 64] = chosen.randbytes(64)
        path.write_bytes(changed)
        try:
            index = Index.open(large)
            for question in ("function_17", "b7 c8 d9", "k12 t59", "a"):
                index.search(question)
        except (IndexDamagedError, IndexFormatError):
            noticed += 1
        with pytest.raises(IndexDamagedError):
            Index.open(large).verify()
    path.write_bytes(whole)
    Index.open(large).verify()
    assert noticed < 25  # or the tables of this test are not large


@pytest.fixture
def damaged(repository: Path, tmp_path: Path) -> Index:
    """An index that answers, and of which whoever compares all bytes finds that one is wrong."""
    root = tmp_path / "root"
    shutil.copytree(repository, root)
    index = Index.open(root)
    path = the_file(root, "segments/*/text.bin")
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)  # the index has it mapped
    with pytest.raises(IndexDamagedError):
        index.verify()
    return index


def failing(error: Exception) -> Iterator[str]:
    """An argument of a caller whose own code fails."""
    yield "function"
    raise error


@pytest.mark.parametrize("error", [KeyError("mine"), ValueError("mine"), ZeroDivisionError("mine"), TypeError("mine")])
def test_what_a_caller_raises_is_the_callers(damaged: Index, error: Exception) -> None:
    with pytest.raises(type(error), match="mine"):
        damaged.search("retry", kinds=failing(error))
    with pytest.raises(json.JSONDecodeError):
        damaged.search("retry", paths=(json.loads(text) for text in ("",)))  # type: ignore[arg-type]


def test_a_mistake_of_a_program_is_no_damage(damaged: Index) -> None:
    calls: list[Callable[[], object]] = [
        lambda: damaged.search(3),  # type: ignore[arg-type]
        lambda: damaged.search("retry", collapse=Unusable()),  # type: ignore[arg-type]
        lambda: damaged.status(compare=Unusable()),  # type: ignore[arg-type]
    ]
    for call in calls:
        with pytest.raises(TypeError):
            call()


class Unusable:
    """What is neither true nor false."""

    def __bool__(self) -> bool:
        raise TypeError("neither true nor false")


@pytest.mark.slow
def test_what_a_reader_of_damaged_tables_raises_is_damage(large: Path) -> None:
    path = the_file(large, "segments/*/arrays.bin")
    whole = path.read_bytes()
    intact = len(whole) - len(open_arrays(index_file(path))["text_doc_blob"])  # the last array
    path.write_bytes(whole[:intact] + b"\xff" * (len(whole) - intact))
    try:
        index = Index.open(large)
        with pytest.raises(IndexDamagedError, match="damaged") as caught:
            index.search("b7 c8 d9")
        assert isinstance(caught.value.__context__, LookupError | ValueError | ArithmeticError | zlib.error)
    finally:
        path.write_bytes(whole)


@pytest.mark.parametrize(
    ("field", "value"),
    [("catalog_key", "\udfff"), ("graph_key", "no key"), ("root", "/a\ud800"), ("version", "\udfff")],
)
def test_texts_of_a_manifest_that_cannot_be_are_damage(
    repository: Path, tmp_path: Path, field: str, value: str
) -> None:
    root = tmp_path / "root"
    shutil.copytree(repository, root)
    Index.open(root)  # which signs it for its place
    folder = IndexPath(root / ".coderag")
    changed: dict[str, Any] = {field: value}
    publish_manifest(folder, replace(read_manifest(folder), **changed))
    with pytest.raises(IndexDamagedError, match=f"'{field}' is not what it may be"):
        Index.open(root)


def changed_manifest(repository: Path, root: Path, **changed: Any) -> Index:
    shutil.copytree(repository, root)
    Index.open(root)  # which signs it for its place
    folder = IndexPath(root / ".coderag")
    publish_manifest(folder, replace(read_manifest(folder), **changed))
    return Index.open(root)


def test_more_rules_than_settings_may_have_are_damage(repository: Path, tmp_path: Path) -> None:
    rules = [{"paths": ["secret"], "groups": []}] * 300
    index = changed_manifest(repository, tmp_path / "root", access={"rules": rules})
    with pytest.raises(IndexDamagedError, match="600 tables or globs"):
        index.as_seen_by(["dev"]).search("anything")


def test_vectors_of_no_encoder_leave_the_words(repository: Path, tmp_path: Path) -> None:
    encoder = {"kind": "none", "model": ""}
    index = changed_manifest(repository, tmp_path / "root", encoder=encoder, vectors="0" * 12)
    with pytest.warns(RetrievalWarning, match="names no encoder"):
        index.search("anything")
