"""Whose an index is: the user's key, a shared one, an index that was moved, copied or taken over."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.security.conftest import GENUINE, World, beside

pytestmark = pytest.mark.slow

KEY_FILE = ".local/share/coderag/index.key"
SHARED = "0123456789abcdef" * 4


def made(world: World, **environment: str) -> Path:
    """Return an indexed clone."""
    root = world.clone(GENUINE)
    done = world.run("index", "-q", cwd=root, **environment)
    assert done.code == 0, done
    return root


def test_the_key_is_for_the_user_alone(world: World) -> None:
    made(world)
    key = world.home / KEY_FILE
    assert key.stat().st_mode & 0o777 == 0o600
    assert len(bytes.fromhex(key.read_text())) == 32


@pytest.mark.parametrize("how", ["others may read it", "a link", "no key", "a folder"])
def test_a_key_that_cannot_be_one_is_said(world: World, how: str) -> None:
    root = made(world)
    key = world.home / KEY_FILE
    if how == "others may read it":
        key.chmod(0o644)
    elif how == "a link":
        key.rename(key.with_name("elsewhere"))
        key.symlink_to("elsewhere")
    elif how == "no key":
        key.write_text("nothing\n")
    else:
        key.unlink()
        key.mkdir()
    done = world.run("search", "total", cwd=root)
    assert (done.code, str(key) in done.err, len(done.err.splitlines())) == (2, True, 1), done


def test_a_root_that_is_moved_keeps_its_index(world: World) -> None:
    root = made(world)
    moved = root.rename(root.with_name("moved"))
    done = world.run("index", "--json", cwd=moved)
    assert '"read": 0' in done.out
    assert done.err == ""
    assert beside(moved) == []


def test_a_copy_keeps_its_index_and_another_user_does_not_believe_it(world: World) -> None:
    root = made(world)
    copy = shutil.copytree(root, root.with_name("copy"))
    assert '"read": 0' in world.run("index", "--json", cwd=copy).out
    another = {"XDG_DATA_HOME": str(world.top / "another")}
    done = world.run("search", "total", cwd=copy, **another)
    assert (done.code, "was not made by you" in done.err) == (0, True), done
    assert "was not made by you" not in world.run("search", "total", cwd=copy, **another).err  # said once
    for folder in beside(copy):
        shutil.rmtree(folder)
    assert world.run("index", "--trust", cwd=copy, **another).code == 0
    done = world.run("search", "total", cwd=copy, **another)
    assert (done.code, done.err) == (0, ""), done
    assert beside(copy) == []


def test_a_shared_key_carries_an_index_from_machine_to_machine(world: World) -> None:
    builder = {"XDG_DATA_HOME": str(world.top / "builder"), "CODERAG_INDEX_KEY": SHARED}
    root = made(world, **builder)
    copy = shutil.copytree(root, root.with_name("laptop"))
    done = world.run("index", "--json", cwd=copy, CODERAG_INDEX_KEY=SHARED)
    assert '"read": 0' in done.out, done
    other = shutil.copytree(root, root.with_name("elsewhere"))
    done = world.run("search", "total", cwd=other, CODERAG_INDEX_KEY="f" * 64)
    assert (done.code, "was not made by you" in done.err) == (0, True), done
    changed = shutil.copytree(root, root.with_name("changed"))
    (text,) = (changed / ".coderag/segments").glob("*/text.bin")
    text.write_bytes(text.read_bytes()[:-1] + b"\0")
    world.run("search", "total", cwd=changed, CODERAG_INDEX_KEY=SHARED)
    assert world.run("status", "--check", cwd=changed, CODERAG_INDEX_KEY=SHARED).code == 0  # it was made anew


def test_a_shared_key_has_to_be_long(world: World) -> None:
    root = world.clone(GENUINE)
    done = world.run("index", cwd=root, CODERAG_INDEX_KEY="short")
    assert (done.code, "needs 32 at least" in done.err) == (2, True), done


def test_what_is_damaged_is_not_taken_over(world: World) -> None:
    root = made(world, XDG_DATA_HOME=str(world.top / "another"))
    (text,) = (root / ".coderag/segments").glob("*/text.bin")
    text.write_bytes(text.read_bytes() + b"\0")
    done = world.run("index", "--trust", cwd=root)
    assert (done.code, "is damaged" in done.err) == (2, True), done
