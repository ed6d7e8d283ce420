"""A true index of the user into which something comes: links, folders without end, files that were replaced."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from coderag.index.storage.database_snapshots import write_snapshot
from coderag.index.storage.folder.index_path import IndexPath
from coderag.sql.ddl.parse_file import parse_file
from tests.security.conftest import CODE, GENUINE, World, write_files
from tests.security.hostile import another_user

pytestmark = pytest.mark.slow

INDEX = ("index", "-q", "--workers", "0")


def _places(index: Path) -> list[Path]:
    """Return where a link may stand in an index, also under names that nobody can know before."""
    [segment] = (index / "segments").iterdir()
    [listing] = index.glob("listing-*")
    names = ("lock", "lock.json", "manifest.tmp", ".gitignore", "merging", "databases", "segments")
    places = [index / name for name in names]
    places += [segment, segment / "arrays.bin", segment / "text.bin", segment / "more.bin", listing]
    return [*places, index / "segments/1-1", index / "graph-9-0000000000000000.bin", index / "catalog-2-00.bin"]


def test_links_in_every_place(world: World) -> None:
    root = world.clone(GENUINE)
    index, kept = root / ".coderag", world.top / "kept"
    world.run(*INDEX, cwd=root)
    shutil.copytree(index, kept, symlinks=True)
    for number, place in enumerate(_places(index)):
        shutil.rmtree(place) if place.is_dir() else place.unlink(missing_ok=True)
        place.symlink_to(world.home / ("documents" if number % 2 else ".bashrc"))
        (root / "cart.py").write_text(f"def other():\n    return {number}\n")
        world.keep()
        done = world.run(*INDEX, cwd=root)
        assert (done.code, "is a link" in done.err) == (2, True), done
        assert world.changed() == [], place
        for command in (("search", "--no-refresh", "total"), ("clean", ".")):
            world.run(*command, cwd=root)
        assert world.changed(index) == [], place
        shutil.rmtree(index, ignore_errors=True)
        shutil.copytree(kept, index, symlinks=True)


@pytest.mark.parametrize("name", [".gitignore", "manifest.json", "merging.lock"])
def test_hard_links_to_files_of_the_user(world: World, name: str) -> None:
    root = world.clone(GENUINE)
    world.run(*INDEX, cwd=root)
    (root / ".coderag" / name).unlink(missing_ok=True)
    os.link(world.home / ".ssh/id_ed25519", root / ".coderag" / name)
    world.keep()
    for command in (INDEX, (*INDEX, "--rebuild"), ("refs", "total"), ("clean", ".")):
        world.run(*command, cwd=root)
    assert world.changed(root / ".coderag") == []


@pytest.mark.parametrize("where", ["segments/1-1", "merging", "databases", "anything"])
def test_folders_without_end(world: World, where: str) -> None:
    root = world.clone(GENUINE)
    world.run(*INDEX, cwd=root)
    (root / ".coderag" / where).mkdir(parents=True, exist_ok=True)
    _nest(root / ".coderag" / where, 1500)
    try:
        for command in (INDEX, ("status",), ("clean", "--dry-run", ".")):
            done = world.run(*command, cwd=root)
            assert done.code == (0 if where == "anything" or command[0] == "status" else 2), done
    finally:
        subprocess.run(["rm", "-rf", root], check=True)  # which pytest could not


def _nest(folder: Path, depth: int) -> None:
    """Make folders in folders, deeper than Python may call itself."""
    handle = os.open(folder, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir("a", dir_fd=handle)
        inner = os.open("a", os.O_RDONLY, dir_fd=handle)
        os.close(handle)
        handle = inner
    os.close(handle)


CHANGES: dict[str, Callable[[bytes], bytes]] = {
    "cut": lambda raw: raw[: len(raw) // 2],
    "changed": lambda raw: raw[:-1] + bytes([raw[-1] ^ 1]),
    "empty": lambda _: b"",
}


@pytest.mark.parametrize("change", CHANGES)
def test_files_that_were_replaced_are_found_and_made_anew(world: World, change: str) -> None:
    root = world.clone(GENUINE)
    world.run(*INDEX, cwd=root)
    for kind in ("arrays.bin", "text.bin", "listing-*.bin", "catalog-*.bin", "graph-*.bin"):
        [path] = (root / ".coderag").rglob(kind)
        path.write_bytes(CHANGES[change](path.read_bytes()))
        assert world.run("status", "--check", cwd=root).code == 2
        for command in (("search", "--no-refresh", "total"), ("refs", "total")):
            world.run(*command, cwd=root)
        assert world.run(*INDEX, cwd=root).code == 0
        assert world.run("status", "--check", cwd=root).code == 0
    assert "Add up the prices" in world.run("search", "total", cwd=root).out


def test_a_snapshot_of_a_database_that_a_pull_brings(world: World) -> None:
    root = world.clone(GENUINE)
    world.run(*INDEX, cwd=root)
    with another_user(world.top / "attacker"):
        made = world.top / "attacker/index"
        facts = parse_file(b"create table stolen_cards (number text);", path="x.sql")
        write_snapshot(IndexPath(made), "postgresql://db/shop", facts)
    [raw] = (made / "databases").iterdir()
    world.push("clone", lambda origin: write_files(origin, {f".coderag/databases/{raw.name}": raw.read_bytes()}))
    for command in (("tables",), ("schema", "cards"), INDEX, ("tables",)):
        assert "stolen_cards" not in world.run(*command, cwd=root).out
    assert world.run("status", "--check", cwd=root).code == 2
    assert world.changed(root / ".coderag") == []


def test_an_index_that_is_that_of_another_root_of_the_user(world: World) -> None:
    """It is believed where it fits: each file that is not what the index says is read."""
    first = world.clone(GENUINE, "first")
    second = world.clone(GENUINE | {"cart.py": CODE.replace("prices", "weights")}, "second")
    for root in (first, second):
        world.run(*INDEX, cwd=root)
    shutil.rmtree(second / ".coderag")
    shutil.copytree(first / ".coderag", second / ".coderag")
    assert "Add up the weights" in world.run("search", "total", cwd=second).out
    done = world.run("status", "--json", "--index", second / ".coderag", cwd=first)
    assert (str(second) in done.out, str(first) in done.out) == (True, False)
