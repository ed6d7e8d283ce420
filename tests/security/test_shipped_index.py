"""An index that came with a clone: left alone, not believed, and of no use to reach other files or repositories."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from coderag.errors import IndexDamagedError
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.folder.sealed import write_sealed
from coderag.index.storage.manifest import FORMAT, decode_manifest, read_manifest
from tests.security.conftest import GENUINE, World, beside, write_files
from tests.security.hostile import another_user, false_index, index_files, manifest_of, unsigned
from tests.workspace import write

pytestmark = pytest.mark.slow

COMMANDS = (
    ("search", "add up the prices of a cart", "--json"),
    ("index",),
    ("index", "--rebuild"),
    ("status",),
    ("status", "--check"),
    ("outline", "cart.py"),
    ("symbols", "total"),
    ("refs", "total"),
    ("map",),
    ("schema", "orders"),
    ("tables",),
    ("clean",),
)
SHIPPED: Mapping[str, bytes] = {
    "format 5": unsigned(manifest_of(5)),
    "unsigned": unsigned(manifest_of(FORMAT)),
    "a signature of nobody": unsigned(manifest_of(FORMAT), signature="ab" * 32),
    "a newer format": unsigned(manifest_of(FORMAT + 1), signature="ab" * 32),
}
LINKED = (
    *(".coderag", ".coderag/segments", ".coderag/databases", ".coderag/merging", ".coderag/views"),
    *(".coderag/manifest.json", ".coderag/manifest.tmp", ".coderag/lock", ".coderag/lock.json", ".coderag/.gitignore"),
    *(".coderag/merging.lock", ".coderag/databases/sqlite-x-00000000.json"),
)
MARKER = "only_the_attacker_says_so"


@pytest.mark.parametrize("shipped", SHIPPED.values(), ids=SHIPPED)
def test_it_is_left_alone_and_another_is_made_beside_it(world: World, shipped: bytes) -> None:
    root = world.clone(
        {
            **GENUINE,
            ".coderag/manifest.json": shipped,
            ".coderag/segments/x/a/b/c/arrays.bin": "nothing",
            ".coderag/.bashrc": "echo owned\n",
        }
    )
    for command in COMMANDS:
        done = world.run(*command, cwd=root)
        assert world.changed(*beside(root)) == [], command
        assert command[0] != "search" or ("was not made by you" in done.err and '"cart.py"' in done.out), done
    assert len(beside(root)) == 1


@pytest.mark.parametrize("name", ["segments", "listing", "catalog"])
def test_names_that_are_paths_are_refused_also_where_it_is_taken_over(world: World, name: str) -> None:
    root = world.clone({**GENUINE, ".coderag/manifest.json": unsigned(manifest_of(FORMAT))})
    done = world.run("index", "--trust", cwd=root)
    assert (done.code, "is damaged" in done.err) == (2, True), done
    assert world.changed() == []
    # And each of the names, in a manifest that is right but for that, and signed.
    write(world.top / "own/root", {"a.py": "def a():\n    return 1\n"})
    made = IndexPath(world.top / "own/root", (".coderag",))
    from coderag import Index

    Index.build(world.top / "own/root", workers=0)
    body = (made / "manifest.json").read_bytes(1 << 20).partition(b"\n")[2][:-1]
    manifest = read_manifest(made)
    known = {"segments": manifest.segments[0].name, "listing": manifest.listing, "catalog": '"catalog":""'}[name]
    hostile = {"segments": "../../x", "listing": "../../../.bashrc", "catalog": '"catalog":"../../.bashrc"'}[name]
    with pytest.raises(IndexDamagedError, match="is not what it may be"):
        decode_manifest(made, body.replace(known.encode(), hostile.encode()))


@pytest.mark.parametrize("target", ["documents", "/dev/zero"])
@pytest.mark.parametrize("place", LINKED)
def test_no_link_in_its_place_is_followed(world: World, place: str, target: str) -> None:
    leads = target if target.startswith("/") else str(world.home / target)
    root = world.clone(GENUINE, links={place: leads})
    for command in (("search", "total"), ("index",), ("clean", ".")):
        done = world.run(*command, cwd=root)
        assert done.code == 2, (command, done)
        assert " is a link" in done.err or "no index" in done.err, done
    assert world.changed() == []


@pytest.mark.parametrize(
    "place",
    ["segments/x/arrays.bin", "merging", "views", "databases", "manifest.tmp", "listing-9-0123456789abcdef.bin"],
)
def test_what_a_pull_brings_into_a_true_index_is_not_followed(world: World, place: str) -> None:
    root = world.clone(GENUINE)
    assert world.run("index", "-q", cwd=root).code == 0

    def change(origin: Path) -> None:
        link = origin / ".coderag" / place
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(world.home / ("documents" if "." not in place else ".bashrc"))
        (origin / "cart.py").write_text("def total(cart):\n    return 0\n")

    world.push("clone", change)
    for command in (("search", "total"), ("index",), ("index", "--rebuild"), ("clean", ".")):
        world.run(*command, cwd=root)
    assert world.changed(root / ".coderag") == []


@pytest.mark.parametrize("name", ["lock", "lock.json", "manifest.tmp"])
def test_a_hard_link_to_a_file_of_the_user_changes_nothing_there(world: World, name: str) -> None:
    root = world.clone(GENUINE)
    (root / ".coderag").mkdir()
    os.link(world.home / ".bashrc", root / ".coderag" / name)
    world.keep()
    world.run("index", cwd=root)
    assert world.changed(root / ".coderag") == []


def functions(word: str) -> dict[str, str]:
    """Return files with so many functions that their segment is worth sharing."""
    text = "".join(f"def {word}_{number:03d}():\n    return '{word}'\n\n\n" for number in range(300))
    return {"many.py": text, "more.py": text.replace("return", "return 1,")}


def test_nothing_of_it_reaches_the_clone_or_another_repository(world: World) -> None:
    genuine, false = functions("genuine_text_that_is_there"), functions(f"{MARKER}_")
    assert {path: len(text) for path, text in genuine.items()} == {path: len(text) for path, text in false.items()}
    with another_user(world.top / "attacker"):
        attacker = write(world.top / "attacker/root", false)
        false_index(attacker, genuine)
    shipped = index_files(attacker) | {path: text.encode() for path, text in genuine.items()}
    clone, other = world.clone(shipped), world.clone(genuine, name="genuine")
    for root in (clone, other):
        done = world.run("search", MARKER, "--json", cwd=root)
        assert f"def {MARKER}" not in done.out, done
    shutil.rmtree(beside(clone)[0])
    assert world.run("index", "--trust", cwd=clone).code == 0  # now it is believed, there and nowhere else
    third = world.clone(genuine, name="third")
    for root in (other, third):
        assert world.run("index", "--rebuild", cwd=root).code == 0
        assert f"def {MARKER}" not in world.run("search", MARKER, "--json", cwd=root).out


def test_what_it_says_that_a_database_said_is_not_believed(world: World) -> None:
    root = world.clone(GENUINE)
    with another_user(world.top / "attacker"):
        from coderag.index.storage.database_snapshots import write_snapshot
        from coderag.sql.records import Column, CreateTable, Facts, Name, Table

        table = Table(name=Name(MARKER), columns=(Column("id", "integer"),))
        write_snapshot(IndexPath(root, (".coderag",)), "sqlite:///x.db", Facts(operations=(CreateTable(table),)))
    world.keep()
    done = world.run("tables", "--json", cwd=root)
    assert MARKER not in done.out
    assert "orders" in done.out
    assert world.changed(*beside(root)) == []


def test_a_true_index_whose_files_somebody_changed_is_not_believed_elsewhere(world: World) -> None:
    root = world.clone(GENUINE)
    assert world.run("index", "-q", cwd=root).code == 0
    copy = world.home / "work/copy"
    shutil.copytree(root, copy)
    (arrays,) = (copy / ".coderag/segments").glob("*/text.bin")
    arrays.write_bytes(arrays.read_bytes()[:-1] + b"\0")
    done = world.run("search", "total", cwd=copy)
    assert "was moved there and is not as it was" in done.err + world.run("status", cwd=copy).err or done.code == 0
    assert world.run("status", "--check", cwd=copy).code == 0  # it was made anew


def test_the_files_that_tell_a_cache_are_believed_by_signature_alone(world: World) -> None:
    genuine = functions("genuine_text_that_is_there")
    root = world.clone(genuine)
    assert world.run("index", "-q", cwd=root).code == 0
    cache = world.home / ".cache/coderag/segments"
    (entry,) = cache.iterdir()
    with another_user(world.top / "attacker"):
        body = (entry / "entry.json").read_bytes().partition(b"\n")[2][:-1]
        write_sealed(IndexPath(entry, ("entry.json",)), "segment", body)
    world.clone(genuine, name="second")
    assert world.run("index", "--json", cwd=world.home / "work/second").out.count('"reused": 0') == 1
    write_files(world.home, {})
