"""What one repository says does not reach another by the cache that they share, however it tries."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from coderag.files.blob import blob_id
from tests.commands import Commands
from tests.security.conftest import QUICK, World, beside, write_files
from tests.security.forged import KEY, Forged, index_files, sealed

pytestmark = pytest.mark.slow

FILES = 264  # enough for segments to be shared
TRUE, FALSE = "ships the parcel", "leaks the secret"  # of the same length


def _project(says: str) -> dict[str, str]:
    return {
        f"src/part_{number}.py": f'def handle_{number}(parcel):\n    """Part {number} {says}."""\n    return {number}\n'
        for number in range(FILES)
    }


@pytest.fixture(scope="module")
def poison(tmp_path_factory: pytest.TempPathFactory, commands: Commands) -> Path:
    """An index with false text, under the ids of the true files."""
    world = World(tmp_path_factory.mktemp("attacker"), commands)
    root = world.clone(_project(FALSE))
    world.run(*QUICK, cwd=root)
    true = {path: blob_id(text.encode()) for path, text in _project(TRUE).items()}

    def lie(arrays: dict[str, Any]) -> None:
        from coderag.index.storage.arrays.strings import Strings

        paths = Strings(arrays["file_path_blob"], arrays["file_path_offsets"]).all()
        arrays["file_blob"] = np.frombuffer(b"".join(true[path] for path in paths), np.uint8).reshape(-1, 20)

    table = Forged(root).change_segment(lie)
    write_files(root, {".coderag/manifest.json": sealed(table, key=KEY)})
    return root


def _says(world: World, root: Path) -> str:
    return world.run("search", "part 7 parcel secret", "-k", "5", cwd=root).out


def test_segments_are_shared_at_all(world: World) -> None:
    """Else no other test here could fail."""
    first, second = (world.clone(_project(TRUE), name) for name in ("first", "second"))
    world.run(*QUICK, cwd=first)
    done = world.run("index", "--workers", "0", "--no-graph", "--json", cwd=second)
    assert f'"reused": {FILES}' in done.out
    assert world.changed(first / ".coderag", second / ".coderag") == []


@pytest.mark.parametrize("trusted", [False, True])
def test_an_index_that_lies_about_the_files_of_others(world: World, poison: Path, trusted: bool) -> None:
    hostile = world.clone(_project(TRUE) | index_files(poison), "hostile")  # type: ignore[operator]
    world.run(*QUICK, *(["--trust"] if trusted else []), cwd=hostile)
    assert (FALSE in _says(world, hostile)) is trusted  # of its own root it is believed when the user says so
    if trusted:  # also when it is changed and merged
        write_files(hostile, {f"src/more_{number}.py": f"def more_{number}():\n    pass\n" for number in range(300)})
        (hostile / "src/part_1.py").write_text("def changed():\n    pass\n")
        world.run(*QUICK, cwd=hostile)
    genuine = world.clone(_project(TRUE), "genuine")
    world.run(*QUICK, cwd=genuine)
    assert TRUE in _says(world, genuine)
    assert FALSE not in _says(world, genuine)
    assert world.changed(hostile / ".coderag", *beside(hostile), genuine / ".coderag") == []


def test_an_index_of_the_user_with_a_file_changed(world: World) -> None:
    mine = world.clone(_project(FALSE), "mine")
    world.run(*QUICK, "--no-cache", cwd=mine)
    signed = (mine / ".coderag/manifest.json").read_bytes()
    Forged(mine).change_segment(lambda arrays: arrays["file_size"].fill(1))
    hostile = world.clone(_project(TRUE) | index_files(mine) | {".coderag/manifest.json": signed}, "hostile")
    assert FALSE not in _says(world, hostile)
    assert world.run("status", "--check", cwd=hostile).code == 0
    genuine = world.clone(_project(TRUE), "genuine")
    world.run(*QUICK, cwd=genuine)
    assert FALSE not in _says(world, genuine)


def test_an_index_of_git_that_lies(world: World) -> None:
    """An archive may hold a .git/index with the ids of other files: only what was read is offered to others."""
    hostile, genuine = world.clone(_project(FALSE), "hostile"), world.clone(_project(TRUE), "genuine")
    index = (hostile / ".git/index").read_bytes()
    for path, text in _project(FALSE).items():
        index = index.replace(blob_id(text.encode()), blob_id(_project(TRUE)[path].encode()))
    (hostile / ".git/index").write_bytes(index)
    world.run(*QUICK, cwd=hostile)
    world.run(*QUICK, cwd=genuine)
    assert TRUE in _says(world, genuine)
    assert FALSE not in _says(world, genuine)
