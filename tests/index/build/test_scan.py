"""Trees that change in every way: an index that looked where something changed says what a fresh one says."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from coderag import Index
from coderag.index.storage.folder.index_path import IndexPath
from tests.index.trees import listing_at, state_of, wrong_stamps
from tests.workspace import let_clock_tick, write

pytestmark = pytest.mark.slow

TREE: dict[str, str | bytes] = {
    "alpha.py": "def alpha(items):\n    return len(items)\n",
    "src/beta.py": "def beta_total(order):\n    return sum(order)\n",
    "src/deep/er/gamma.go": "package gamma\n\nfunc Restore() int { return 1 }\n",
    "src/deep/delta.sql": "CREATE TABLE delta (id INT PRIMARY KEY, orders INT);\n",
    "docs/backup.md": "# Backups\n\n## Restore the gamma backup\n\nRead it.\n",
    "docs/empty.md": "",
    "lib/one.py": "def one():\n    return 1\n",
    "lib/two.py": "def two():\n    return 2\n",
    "lib/.gitignore": "*.tmp.py\n",
    "lib/x.tmp.py": "def ignored():\n    return 0\n",
    ".git/config": "[core]\n",
}

Change = Callable[[Path], list[str]]  # changes a tree, and returns the paths that a watcher would tell of


def edit(root: Path) -> list[str]:
    (root / "src/beta.py").write_text("def beta_sum(order):\n    return sum(order) + 1\n")
    return ["src/beta.py"]


def edit_twice_in_one_tick(root: Path) -> list[str]:
    path = root / "src/beta.py"
    path.write_text("def beta_aaa(order):\n    return sum(order)\n")
    return ["src/beta.py"]


def touch(root: Path) -> list[str]:
    os.utime(root / "src/beta.py")
    return ["src/beta.py"]


def old_text_with_an_old_time(root: Path) -> list[str]:
    path = root / "src/beta.py"
    path.write_text("def beta_before(order):\n    return 0\n")
    os.utime(path, (1_000_000, 1_000_000))
    return ["src/beta.py"]


def same_size_same_time_other_inode(root: Path) -> list[str]:
    path = root / "lib/one.py"
    times = path.stat()
    other = root / "lib/new"
    other.write_text(path.read_text().replace("return 1", "return 3"))
    os.utime(other, ns=(times.st_atime_ns, times.st_mtime_ns))
    other.replace(path)
    return ["lib/one.py"]


def rename_file(root: Path) -> list[str]:
    (root / "alpha.py").rename(root / "src/omega.py")
    return ["alpha.py", "src/omega.py"]


def rename_folder(root: Path) -> list[str]:
    (root / "src").rename(root / "source")
    return ["src", "source"]


def swap_folders(root: Path) -> list[str]:
    (root / "src/deep").rename(root / "other")
    (root / "docs").rename(root / "src/deep")
    (root / "other").rename(root / "docs")
    return ["src/deep", "docs"]


def folder_replaced_by_another(root: Path) -> list[str]:
    write(root, {"outside/deep/er/gamma.go": "package gamma\n\nfunc Other() int { return 2 }\n"})
    shutil.rmtree(root / "src")
    (root / "outside").rename(root / "src")
    return ["src"]


def same_names_in_a_folder_moved_over(root: Path) -> list[str]:
    shutil.copytree(root / "src", root / "copy")
    write(root, {"copy/deep/er/gamma.go": "package gamma\n\nfunc Moved() int { return 2 }\n"})
    (root / "src").rename(root / ".git/away")
    (root / "copy").rename(root / "src")
    return ["src"]


def file_to_folder(root: Path) -> list[str]:
    (root / "alpha.py").unlink()
    write(root, {"alpha.py/inside.py": "def inside():\n    return 1\n"})
    return ["alpha.py"]


def folder_to_file(root: Path) -> list[str]:
    shutil.rmtree(root / "lib")
    (root / "lib").write_text("#!/usr/bin/env python3\ndef lib():\n    return 1\n")
    return ["lib"]


def file_to_link(root: Path) -> list[str]:
    (root / "alpha.py").unlink()
    (root / "alpha.py").symlink_to("src/beta.py")
    return ["alpha.py"]


def folder_to_link(root: Path) -> list[str]:
    (root / "lib").rename(root / "real")
    (root / "lib").symlink_to("real")
    return ["lib", "real"]


def folder_to_link_only(root: Path) -> list[str]:
    shutil.rmtree(root / "lib")
    (root / "lib").symlink_to("src")
    return ["lib"]


def link_to_folder(root: Path) -> list[str]:
    folder_to_link(root)
    (root / "lib").unlink()
    (root / "real").rename(root / "lib")
    return ["lib", "real"]


def fifo(root: Path) -> list[str]:
    (root / "alpha.py").unlink()
    os.mkfifo(root / "alpha.py")
    return ["alpha.py"]


def new_ignore_file(root: Path) -> list[str]:
    (root / "src/.gitignore").write_text("deep/\n")
    return ["src/.gitignore"]


def changed_ignore_file(root: Path) -> list[str]:
    (root / "lib/.gitignore").write_text("one.py\n")
    return ["lib/.gitignore"]


def ignore_file_gone(root: Path) -> list[str]:
    (root / "lib/.gitignore").unlink()
    return ["lib/.gitignore"]


def ignore_at_the_top(root: Path) -> list[str]:
    (root / ".gitignore").write_text("/docs\n*.go\n")
    return [".gitignore"]


def ask_for_ignored(root: Path) -> list[str]:
    (root / ".coderagignore").write_text("!lib/x.tmp.py\nsrc/beta.py\n")
    return [".coderagignore"]


def excluded(root: Path) -> list[str]:
    write(root, {".git/info/exclude": "docs/\n"})
    return []


def settings(root: Path) -> list[str]:
    (root / "coderag.toml").write_text('[schema]\ndatabase = "shop"\n')
    return ["coderag.toml"]


def dbt_project(root: Path) -> list[str]:
    (root / "src/dbt_project.yml").write_text("name: shop\nversion: '1.0'\nprofile: x\nmodel-paths: ['deep']\n")
    return ["src/dbt_project.yml"]


def fill_empty(root: Path) -> list[str]:
    (root / "docs/empty.md").write_text("# Not empty\n\nNow alpha is counted here.\n")
    return ["docs/empty.md"]


def make_empty(root: Path) -> list[str]:
    (root / "alpha.py").write_text("")
    return ["alpha.py"]


def binary(root: Path) -> list[str]:
    (root / "alpha.py").write_bytes(b"x = '\0\0\0'\n")
    return ["alpha.py"]


def delete_tree(root: Path) -> list[str]:
    shutil.rmtree(root / "src")
    return ["src"]


def delete_everything(root: Path) -> list[str]:
    names = [one.name for one in root.iterdir() if one.name != ".coderag"]
    for name in names:
        shutil.rmtree(root / name) if (root / name).is_dir() else (root / name).unlink()
    return names


def strange_names(root: Path) -> list[str]:
    names = ["a b.py", "new\nline.py", "\udcff.py", "ünïcode.py", "[x].py", "-v.py", "src/\x1b[31m.py", "a\\b.py"]
    for number, name in enumerate(names):
        (root / name).write_text(f"def strange_{number}():\n    return {number}\n")
    return names


def new_deep_folder(root: Path) -> list[str]:
    write(root, {"a/b/c/d/e.py": "def e():\n    return 1\n", "a/b/f.py": "def f():\n    return 1\n"})
    return ["a"]


def empty_folder(root: Path) -> list[str]:
    (root / "nothing/in/it").mkdir(parents=True)
    return ["nothing"]


def dependencies(root: Path) -> list[str]:
    write(root, {"node_modules/x/index.js": "function x() {}\n", "lib/pyvenv.cfg": "home = /usr\n"})
    return ["node_modules", "lib/pyvenv.cfg"]


def nested_repository(root: Path) -> list[str]:
    write(root, {"lib/.git/info/exclude": "one.py\n", "lib/.git/HEAD": "ref: x\n"})
    return ["lib/.git"]


def case_of_a_name(root: Path) -> list[str]:
    (root / "alpha.py").rename(root / "ALPHA.py")
    return ["alpha.py", "ALPHA.py"]


CHANGES = (
    *(edit, edit_twice_in_one_tick, touch, old_text_with_an_old_time, same_size_same_time_other_inode, rename_file),
    *(rename_folder, swap_folders, folder_replaced_by_another, same_names_in_a_folder_moved_over, file_to_folder),
    *(folder_to_file, file_to_link, folder_to_link, folder_to_link_only, link_to_folder, fifo, new_ignore_file),
    *(changed_ignore_file, ignore_file_gone, ignore_at_the_top, ask_for_ignored, settings, dbt_project),
    *(fill_empty, make_empty, binary, delete_tree, delete_everything, strange_names, new_deep_folder, empty_folder),
    *(dependencies, nested_repository, case_of_a_name),
)


class Trio:
    """A root, an index updated by looking everywhere, one updated by paths, and fresh ones to compare."""

    def __init__(self, root: Path, folder: Path) -> None:
        self.root, self.folder = root, folder
        self.changed = Index.build(root, index=folder / "changed", workers=0)
        self.by_paths = Index.build(root, index=folder / "paths", workers=0)
        self._fresh = 0

    def check(self, paths: list[str] | None) -> None:
        """Compare them; without paths, only the one that looks everywhere."""
        self._fresh += 1
        self.changed.update(workers=0)
        if paths is not None:
            self.by_paths.update(paths=paths, workers=0)
        fresh = Index.build(self.root, index=self.folder / f"fresh-{self._fresh}", workers=0)
        expected = state_of(fresh)
        for index in (self.changed, self.by_paths) if paths is not None else (self.changed,):
            assert state_of(index) == expected
            assert wrong_stamps(index) == []
            assert state_of(Index.open(self.root, index=index.roots[0].index)) == expected


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository of a few files that were there for a while."""
    made = write(tmp_path / "root", TREE)
    let_clock_tick()
    return made


@pytest.mark.parametrize("change", CHANGES)
def test_what_changed_is_read(root: Path, tmp_path: Path, change: Change) -> None:
    trio = Trio(root, tmp_path)
    trio.check(change(root))
    assert trio.changed.reports[0].rebuilt == trio.by_paths.reports[0].rebuilt
    let_clock_tick()
    trio.check([])  # what was as new as the first look is looked at again
    let_clock_tick()
    trio.changed.update(workers=0)
    assert trio.changed.is_fresh()


def test_an_edit_within_one_tick_of_the_clock(root: Path, tmp_path: Path) -> None:
    trio = Trio(root, tmp_path)
    for letter in "abcdefgh":  # the same size, and often the same time
        (root / "src/beta.py").write_text(f"def beta_{letter}(order):\n    return sum(order)\n")
        trio.check(["src/beta.py"])
        assert trio.changed.symbols(f"beta_{letter}", alike=False)


def test_rules_above_the_root(tmp_path: Path) -> None:
    above = write(
        tmp_path / "above",
        {".git/config": "[core]\n", ".gitignore": "*.log\n"}
        | {f"part/{path}": text for path, text in TREE.items() if not path.startswith(".git/")},
    )
    let_clock_tick()
    trio = Trio(above / "part", tmp_path)
    (above / ".gitignore").write_text("part/docs/\n")
    trio.check(None)
    (above / ".gitignore").unlink()
    trio.check(None)
    (above / ".gitignore").write_text("part/src/\n")
    trio.check(None)
    write(above, {".git/info/exclude": "one.py\n"})
    trio.check(None)
    write(above, {"part/.git/config": "[core]\n"})  # a repository of its own from now on
    trio.check(None)


def test_excluded_by_a_file_that_was_not_there(root: Path, tmp_path: Path) -> None:
    trio = Trio(root, tmp_path)
    excluded(root)
    trio.check([".git/info/exclude"])


def test_what_a_tool_wrote_into_a_folder_that_is_left_out(tmp_path: Path) -> None:
    manifest = '{"metadata": {"dbt_schema_version": "https://schemas.getdbt.com/dbt/manifest/v12.json"}, "nodes": {}}'
    root = write(
        tmp_path / "root",
        {
            ".git/config": "",
            ".gitignore": "target/\n",
            "shop/dbt_project.yml": "name: shop\nversion: '1.0'\n",
            "shop/models/orders.sql": "select 1 as id\n",
            "shop/target/run.log": "nothing\n",
        },
    )
    let_clock_tick()
    trio = Trio(root, tmp_path)
    write(root, {"shop/target/manifest.json": manifest})
    trio.check(["shop/target/manifest.json"])
    write(root, {"shop/target/manifest.json": manifest + "\n"})
    trio.check(["shop/target/manifest.json"])
    (root / "shop/target/manifest.json").unlink()
    trio.check(["shop/target/manifest.json"])


def test_a_file_that_shrinks_below_the_limit(root: Path, tmp_path: Path) -> None:
    (root / "alpha.py").write_text("def alpha_large():\n    return 1\n" + "# line\n" * 700_000)
    let_clock_tick()
    trio = Trio(root, tmp_path)
    assert "alpha.py" in {one.path for one in listing_at(IndexPath(tmp_path / "changed")).skipped}
    (root / "alpha.py").write_text("def alpha_small():\n    return 1\n")
    trio.check(["alpha.py"])
    (root / "alpha.py").write_text("def alpha_large():\n    return 1\n" + "# line\n" * 700_000)
    trio.check(["alpha.py"])


def random_change(root: Path, chosen: random.Random) -> list[str]:
    """Change one thing somewhere."""
    inside = [path for path in sorted(root.rglob("*")) if ".git" not in path.parts and not path.is_symlink()]
    files = [path for path in inside if path.is_file()]
    folders = [root, *(path for path in inside if path.is_dir())]
    number = chosen.randrange(10_000)
    new = chosen.choice(folders) / f"{chosen.choice(['n', 'm'])}{number % 7}{chosen.choice(['.py', '.md', '.go', ''])}"
    old = chosen.choice(files or [root / "alpha.py"])
    folder = chosen.choice(folders[1:] or [root / "src"])
    text = f"def alpha_{number}():\n    return {number}\n"
    kind = chosen.randrange(12)
    if kind <= 2 and old.exists():
        old.write_text(text)
        return [str(old)]
    if kind == 3 and old.exists():
        old.unlink()
        return [str(old)]
    if kind == 4 and old.exists() and not new.is_dir():
        old.replace(new)
        return [str(old), str(new)]
    if kind == 5 and folder.exists() and not new.exists() and not new.is_relative_to(folder):
        folder.rename(new)
        return [str(folder), str(new)]
    if kind == 6 and folder.exists() and chosen.random() < 0.5:
        shutil.rmtree(folder)
        return [str(folder)]
    if kind == 7:
        rules = chosen.choice(folders) / ".gitignore"
        rules.write_text(chosen.choice(["", "*.go\n", "n1*\n", "src/\n", "/m2.py\n!n3.py\n"]))
        return [str(rules)]
    if kind == 8 and not new.exists():
        new.symlink_to(chosen.choice(["alpha.py", "nowhere", ".", "/"]))
        return [str(new)]
    if kind == 9 and folder.exists() and not new.exists() and not new.is_relative_to(folder):
        shutil.copytree(folder, new, symlinks=True)
        return [str(new)]
    if kind == 10 and old.exists():
        old.write_bytes(chosen.choice([b"", b"\0\1\2", b"#!/bin/sh\nalpha() { echo 1; }\n"]))
        return [str(old)]
    if not new.exists():
        new.write_text(text)
        return [str(new)]
    return []


@pytest.mark.parametrize("seed", range(6))
def test_sequences_of_changes(root: Path, tmp_path: Path, seed: int) -> None:
    chosen = random.Random(seed)
    trio = Trio(root, tmp_path)
    for _ in range(8):
        if chosen.random() < 0.3:
            let_clock_tick()
        paths = [path for _ in range(chosen.randrange(1, 5)) for path in random_change(root, chosen)]
        trio.check(paths)
