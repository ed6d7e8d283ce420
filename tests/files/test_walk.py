"""Listings of real folders: what is read, under which labels, and why the rest is not."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from coderag.errors import RootError
from coderag.files.absent import ABSENT
from coderag.files.walk import Listing, SkipReason, WalkOptions, list_folder, walk
from coderag.types import Content
from tests.growth import calls
from tests.workspace import let_clock_tick

ALL = WalkOptions(contents=frozenset(Content))


def write(root: Path, *paths: str, text: str = "x = 1\n") -> None:
    for path in paths:
        full = root / path
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_text(text)


def read(listing: Listing) -> list[str]:
    return [file.path for file in listing.files]


def skipped(listing: Listing) -> dict[str, SkipReason]:
    return {entry.path: entry.reason for entry in listing.skipped}


def labels(root: Path, *paths: str) -> dict[str, set[str]]:
    write(root, *paths)
    return {file.path: set(file.labels) for file in walk(root).files}


def test_files_come_in_order_with_size_time_and_language(tmp_path: Path) -> None:
    write(tmp_path, "b/z.py", "a.go", "b.py", "b/a.md")
    listing = walk(tmp_path)
    assert [(file.path, file.language) for file in listing.files] == [
        ("a.go", "go"),
        ("b.py", "python"),
        ("b/a.md", "markdown"),
        ("b/z.py", "python"),
    ]
    status = (tmp_path / "a.go").stat()
    first = listing.files[0]
    assert (first.size, first.mtime_ns, first.inode) == (status.st_size, status.st_mtime_ns, status.st_ino)
    assert listing.folders == {"": tmp_path.stat().st_mtime_ns, "b": (tmp_path / "b").stat().st_mtime_ns}
    assert listing == walk(tmp_path)


def test_every_kind_of_file_has_its_reason(tmp_path: Path) -> None:
    write(
        tmp_path, "image.png", "data", "conf.yaml", "real.py", ".npmrc", "out/x.py", ".git/config.py", ".coderag/a.py"
    )
    write(tmp_path, "big.py", text="x" * 101)
    write(tmp_path, "empty.py", text="")
    write(tmp_path, ".gitignore", text="/out/\n*.tmp.py\n")
    write(tmp_path, "x.tmp.py", "x.py/inside.py")
    os.mkfifo(tmp_path / "fifo.py")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.fspath(tmp_path / "socket.py"))
    listing = walk(tmp_path, WalkOptions(max_bytes=100))
    assert read(listing) == ["real.py", "x.py/inside.py"]
    assert skipped(listing) == {
        ".coderag/": SkipReason.INTERNAL,
        ".git/": SkipReason.INTERNAL,
        ".gitignore": SkipReason.UNKNOWN_TYPE,
        ".npmrc": SkipReason.SECRET,
        "big.py": SkipReason.TOO_LARGE,
        "conf.yaml": SkipReason.CONFIGURATION,
        "data": SkipReason.UNKNOWN_TYPE,
        "empty.py": SkipReason.EMPTY,
        "fifo.py": SkipReason.NOT_REGULAR,
        "image.png": SkipReason.UNKNOWN_TYPE,
        "out/": SkipReason.IGNORED,
        "socket.py": SkipReason.NOT_REGULAR,
        "x.tmp.py": SkipReason.IGNORED,
    }
    details = {entry.path: entry.detail for entry in listing.skipped}
    assert details["out/"] == ".gitignore"
    assert details["big.py"] == "101 bytes"


def test_contents_are_chosen_by_the_options(tmp_path: Path) -> None:
    write(tmp_path, "a.py", "a.md", "a.toml")
    assert read(walk(tmp_path)) == ["a.md", "a.py"]
    assert read(walk(tmp_path, ALL)) == ["a.md", "a.py", "a.toml"]
    only_code = walk(tmp_path, WalkOptions(contents=frozenset({Content.CODE})))
    assert skipped(only_code) == {"a.md": SkipReason.NOT_ASKED, "a.toml": SkipReason.CONFIGURATION}


def test_links_are_never_followed(tmp_path: Path) -> None:
    root = tmp_path / "root"
    write(tmp_path, "secret.py", "root/real/a.py")
    for name, target in {
        "file.py": "real/a.py",
        "folder": "real",
        "out.py": "../secret.py",
        "up": "..",
        "broken.py": "nowhere.py",
        "self.py": "self.py",
        "real/loop": "..",
    }.items():
        (root / name).symlink_to(target)
    listing = walk(root)
    assert read(listing) == ["real/a.py"]
    assert skipped(listing) == {
        "broken.py": SkipReason.BROKEN_LINK,
        "file.py": SkipReason.LINK,
        "folder": SkipReason.LINK,
        "out.py": SkipReason.LINK_OUTSIDE,
        "real/loop": SkipReason.LINK_LOOP,
        "self.py": SkipReason.LINK_LOOP,
        "up": SkipReason.LINK_LOOP,
    }
    (tmp_path / "alias").symlink_to("root")
    assert walk(tmp_path / "alias") == listing


def test_names_with_odd_bytes_keep_them(tmp_path: Path) -> None:
    names = ["new\nline.py", "sp ace.py", os.fsdecode(b"caf\xe9.py"), "naïve.py", "-dash.py", "*star.py", "#hash.py"]
    for name in names:
        (tmp_path / name).write_text("x = 1\n")
    write(tmp_path, ".gitignore", text="\\#hash.py\n\\*star.py\n")
    assert read(walk(tmp_path)) == sorted(set(names) - {"*star.py", "#hash.py"})
    (tmp_path / ".gitignore").write_bytes(b"caf\xe9.py\nna?ve.py\nna??ve.py\n")
    assert os.fsdecode(b"caf\xe9.py") not in read(walk(tmp_path))
    assert "naïve.py" not in read(walk(tmp_path))  # "?" is one byte, as in git


@pytest.mark.skipif(shutil.which("git") is None, reason="git is the oracle")
def test_nested_rules_are_those_of_git(tmp_path: Path) -> None:
    write(tmp_path, *(f"{folder}{name}.py" for folder in ("", "a/", "a/b/", "c/", "gen/") for name in "xyzw"))
    write(tmp_path, ".gitignore", text="x.py\n/gen/\na/b/z.py\n*.md\n")
    write(tmp_path, "a/.gitignore", text="!x.py\n/y.py\n")
    write(tmp_path, "a/b/.gitignore", text="x.py\n!z.py\n")
    subprocess.run(["git", "init", "-q", "."], cwd=tmp_path, check=True)
    write(tmp_path, ".git/info/exclude", text="w.py\n")
    write(tmp_path, "c/.gitignore", text="!w.py\n")
    command = ["git", "-c", "core.excludesFile=", "ls-files", "--others", "--exclude-standard", "-z", "*.py"]
    expected = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    listing = walk(tmp_path)
    assert read(listing) == sorted(filter(None, expected.split("\0")))
    assert list(listing.rules) == [".git/info/exclude", ".gitignore", "a/.gitignore", "a/b/.gitignore", "c/.gitignore"]


def test_rules_above_the_root_count_up_to_the_repository(tmp_path: Path) -> None:
    write(tmp_path, "src/gen/a.py", "src/b.py", "src/c.py", "src/deep/c.py")
    write(tmp_path, ".gitignore", text="/src/gen/\n/src/c.py\nsrc/\n")
    assert read(walk(tmp_path / "src")) == ["b.py", "c.py", "deep/c.py", "gen/a.py"]
    (tmp_path / ".git").mkdir()
    listing = walk(tmp_path / "src")
    assert read(listing) == ["b.py", "deep/c.py"]  # the root itself was asked for
    assert skipped(listing)["gen/"] is SkipReason.IGNORED
    assert [path for path, mtime_ns in listing.rules.items() if mtime_ns != ABSENT] == ["../.gitignore"]


def test_coderagignore_overrides_every_other_rule(tmp_path: Path) -> None:
    write(tmp_path, "out/keep/a.py", "out/drop/a.py", "node_modules/mine/a.py", "node_modules/other/a.py", "notes.py")
    write(
        tmp_path,
        ".env",
        "venv/pyvenv.cfg",
        "venv/lib/a.py",
        "x.log.py",
        "conf.toml",
        "key.pem",
        "src/node_modules/q.py",
    )
    write(tmp_path, ".gitignore", text="out/\n*.log.py\n")
    rules = "notes.py\n!out/keep/*.py\n!/node_modules/mine/**\n!/venv/\n!x.log.py\n!/conf.toml\n!/key.pem\n!/.env\n"
    (tmp_path / ".coderagignore").write_text(rules)
    listing = walk(tmp_path)
    assert read(listing) == [
        ".env",
        "conf.toml",
        "key.pem",
        "node_modules/mine/a.py",
        "out/keep/a.py",
        "venv/lib/a.py",
        "x.log.py",
    ]
    reasons = skipped(listing)
    assert reasons["notes.py"] is reasons["out/"] is SkipReason.IGNORED
    assert reasons["node_modules/"] is reasons["src/node_modules/"] is SkipReason.DEPENDENCIES
    assert not [path for path in reasons if path.startswith(("out/d", "node_modules/o"))]  # counted with their folder


def test_a_folder_is_not_searched_for_what_cannot_be_in_it(tmp_path: Path) -> None:
    write(tmp_path, "out/a/b.py", "build.py", "other/x.py")
    write(tmp_path, ".gitignore", text="out/\nother/\n")
    write(tmp_path, ".coderagignore", text="!out/a/*.py\n")
    assert list(walk(tmp_path).folders) == ["", "out", "out/a"]


@pytest.mark.parametrize(
    ("files", "folder", "reason"),
    [
        (["target/a.rs"], "target/", None),
        (["target/a.rs", "Cargo.toml"], "target/", SkipReason.BUILD_FOLDER),
        (["build/a.py"], "build/", None),
        (["build/a.js", "package.json"], "build/", SkipReason.BUILD_FOLDER),
        (["bin/a.cs", "app.csproj"], "bin/", SkipReason.BUILD_FOLDER),
        (["bin/a.py", "setup.py"], "bin/", None),
        (["any/CACHEDIR.TAG", "any/a.py"], "any/", SkipReason.BUILD_FOLDER),
        (["env/pyvenv.cfg", "env/a.py"], "env/", SkipReason.DEPENDENCIES),
        (["a/node_modules/b/c.js"], "a/node_modules/", SkipReason.DEPENDENCIES),
        (["pkg/__pycache__/a.py"], "pkg/__pycache__/", SkipReason.BUILD_FOLDER),
        ([".ssh/config.py"], ".ssh/", SkipReason.SECRET),
    ],
)
def test_build_folders(tmp_path: Path, files: list[str], folder: str, reason: SkipReason | None) -> None:
    write(tmp_path, *files)
    assert skipped(walk(tmp_path)).get(folder) is reason


def test_labels_of_folders(tmp_path: Path) -> None:
    assert labels(
        tmp_path,
        *(
            "tests/a.py",
            "src/Tests/x/y.py",
            "latest/a.py",
            "protest/a.py",
            "contest.py",
            "MyAppTests/a.swift",
            "spec/a.rb",
        ),
        *(
            "examples/a.py",
            "docs_src/a.py",
            "vendor/lib/a.go",
            "third_party/test/a.c",
            "public/plugins/pdfjs-5.2.133/build/a.js",
            "src/scala-2.12/a.scala",
            "public/js/libs/a.js",
            "public/v1/lib/chart/a.js",
            "web/wwwroot/lib/a.js",
            "resources/js/lib/a.js",
            "lib/a.js",
            "pkg/compat/a.py",
            "unexampled/a.py",
        ),
    ) == {
        "tests/a.py": {"test"},
        "src/Tests/x/y.py": {"test"},
        "latest/a.py": set(),
        "protest/a.py": set(),
        "contest.py": set(),
        "MyAppTests/a.swift": {"test"},
        "spec/a.rb": {"test"},
        "examples/a.py": {"example"},
        "docs_src/a.py": {"example"},
        "vendor/lib/a.go": {"vendored"},
        "third_party/test/a.c": {"vendored", "test"},
        "public/plugins/pdfjs-5.2.133/build/a.js": {"vendored"},
        "src/scala-2.12/a.scala": set(),
        "public/js/libs/a.js": {"vendored"},
        "public/v1/lib/chart/a.js": {"vendored"},
        "web/wwwroot/lib/a.js": {"vendored"},
        "resources/js/lib/a.js": set(),
        "lib/a.js": set(),
        "pkg/compat/a.py": {"legacy"},
        "unexampled/a.py": set(),
    }


def test_labels_of_files(tmp_path: Path) -> None:
    assert labels(
        tmp_path,
        *(
            "test_a.py",
            "a_test.go",
            "a_test.py",
            "attest.py",
            "testing.py",
            "a_pb2.py",
            "a.pb.go",
            "a.g.dart",
            "x.generated.ts",
        ),
        *("user_legacy.py", "a_old.py", "bold.py", "example_usage.py", "a.min.js"),
    ) == {
        "test_a.py": {"test"},
        "a_test.go": {"test"},
        "a_test.py": {"test"},
        "attest.py": set(),
        "testing.py": set(),
        "a_pb2.py": {"generated"},
        "a.pb.go": {"generated"},
        "a.g.dart": {"generated"},
        "x.generated.ts": {"generated"},
        "user_legacy.py": {"legacy"},
        "a_old.py": {"legacy"},
        "bold.py": set(),
        "example_usage.py": {"example"},
        "a.min.js": {"generated"},
    }


def test_secrets_are_not_read_and_their_namesakes_are(tmp_path: Path) -> None:
    secrets = [
        ".env",
        ".env.local",
        "prod.env",
        "server.pem",
        "server.key",
        "id_rsa",
        "id_ed25519",
        "cert.p12",
        ".netrc",
    ]
    secrets += [
        "credentials.json",
        "service-account-prod.json",
        ".pypirc",
        ".htpasswd",
        "a/.npmrc",
        "a/release.keystore",
    ]
    fine = [
        ".env.example",
        "secrets.py",
        "id_rsa_format.py",
        "key.py",
        "service_account.go",
        "environment.py",
        "tokens.md",
    ]
    write(tmp_path, *secrets, *fine)
    listing = walk(tmp_path, ALL)
    assert read(listing) == sorted(fine)
    assert {entry.path for entry in listing.skipped if entry.reason is SkipReason.SECRET} == set(secrets)


def test_a_first_line_tells_the_language(tmp_path: Path) -> None:
    write(tmp_path, "run", text="#!/usr/bin/env python3\nprint()\n")
    write(tmp_path, "plain", text="no such line\n")
    write(tmp_path, "odd.xyz", text="#!/bin/sh\n")
    listing = walk(tmp_path)
    assert [(file.path, file.language) for file in listing.files] == [("run", "python")]
    assert skipped(listing) == {"odd.xyz": SkipReason.UNKNOWN_TYPE, "plain": SkipReason.UNKNOWN_TYPE}


def test_nested_repositories_are_folders_like_others(tmp_path: Path) -> None:
    write(tmp_path, "module/a.py", "module/gen.py", "module/private.py", "inner/a.py")
    write(tmp_path, "module/.git", text="gitdir: ../.git/modules/module\n")
    write(tmp_path, "module/.gitignore", text="gen.py\n")
    write(tmp_path, "inner/.git/info/exclude", text="/b.py\n")
    write(tmp_path, "inner/b.py")
    assert read(walk(tmp_path)) == ["inner/a.py", "module/a.py", "module/private.py"]


def test_a_part_is_listed_as_the_whole_lists_it(tmp_path: Path) -> None:
    write(tmp_path, "tests/a/x.py", "tests/a/b/y.py", "tests/z.py", "tests/a/skip.py", "out/q.py", "tests/a/.venv/v.py")
    write(tmp_path, ".gitignore", text="skip.py\nout/\n")
    whole = walk(tmp_path)
    part = walk(tmp_path, start="tests/a")
    assert part.files == [file for file in whole.files if file.path.startswith("tests/a/")]
    assert list(part.folders) == ["tests/a", "tests/a/b"]
    assert part.rules == whole.rules
    one = list_folder(tmp_path, "tests/a")
    assert read(one) == ["tests/a/x.py"]
    assert one.folders == part.folders
    assert skipped(one) == {"tests/a/.venv/": SkipReason.DEPENDENCIES, "tests/a/skip.py": SkipReason.IGNORED}
    assert skipped(walk(tmp_path, start="out")) == {"out/": SkipReason.IGNORED}
    assert skipped(walk(tmp_path, start="gone/x")) == {"gone/": SkipReason.VANISHED}
    assert skipped(walk(tmp_path, start="../..")) == {"../": SkipReason.VANISHED}


def test_a_folder_changes_its_time_when_an_entry_comes(tmp_path: Path) -> None:
    write(tmp_path, "a/x.py", "b/x.py")
    before = walk(tmp_path).folders
    let_clock_tick()
    write(tmp_path, "b/y.py")
    after = walk(tmp_path).folders
    assert [folder for folder in after if after[folder] != before[folder]] == ["b"]


def test_rule_files_that_cannot_be_read_are_reported(tmp_path: Path) -> None:
    write(tmp_path, "a.py")
    os.mkfifo(tmp_path / ".gitignore")
    write(tmp_path, "sub/a.py")
    write(tmp_path, "sub/.gitignore", text="#" * 300_000 + "\n*.py\n")
    listing = walk(tmp_path)
    assert read(listing) == ["a.py", "sub/a.py"]
    notes = {(entry.path, entry.reason) for entry in listing.skipped if entry.detail == "its rules do not count"}
    assert notes == {(".gitignore", SkipReason.NOT_REGULAR), ("sub/.gitignore", SkipReason.TOO_LARGE)}


@contextmanager
def without_privileges() -> Iterator[Path]:
    """Yield a folder of our own, as a user whom permissions bind."""
    folder = Path(tempfile.mkdtemp())
    walk(folder)  # loads the tables, which may lie where only root reads
    root = os.geteuid() == 0
    if root:
        os.chown(folder, 65534, -1)
        os.seteuid(65534)
    try:
        yield folder
    finally:
        if root:
            os.seteuid(0)
        shutil.rmtree(folder)


def test_what_may_not_be_read_is_reported() -> None:
    with without_privileges() as root:
        write(root, "closed/a.py", "script", "a.py", "blind/b.py")
        (root / "closed").chmod(0)
        (root / "blind").chmod(0o400)  # names may be read, nothing else
        (root / "script").chmod(0)
        listing = walk(root)
        assert read(listing) == ["a.py"]
        assert skipped(listing) == {
            "blind/b.py": SkipReason.NO_PERMISSION,
            "closed/": SkipReason.NO_PERMISSION,
            "script": SkipReason.NO_PERMISSION,
        }
        (root / "closed").chmod(0o700)
        (root / "blind").chmod(0o700)
        root.chmod(0)
        with pytest.raises(RootError, match="Permission denied"):
            walk(root)
        root.chmod(0o700)


@pytest.mark.parametrize("name", ["missing", "file.py", "loop", "nul\0byte"])
def test_a_root_that_is_no_folder_is_an_error(tmp_path: Path, name: str) -> None:
    write(tmp_path, "file.py")
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(RootError, match=r"cannot read .*; give a folder that exists and may be read"):
        walk(f"{tmp_path}/{name}")


@pytest.mark.slow
def test_a_deep_tree_is_walked_without_recursion(tmp_path: Path) -> None:
    folder = tmp_path
    for _ in range(1500):
        folder = folder / "d"
        folder.mkdir()
    (folder / "a.py").write_text("x = 1\n")
    assert read(walk(tmp_path)) == ["d/" * 1500 + "a.py"]
    subprocess.run(["rm", "-r", tmp_path / "d"], check=True)  # shutil.rmtree, and so pytest, recurses


@pytest.mark.slow
def test_a_file_takes_some_dozens_of_calls(tmp_path: Path) -> None:
    for number in range(2000):
        write(tmp_path, f"p{number % 40}/file_{number}.py")
    assert len(walk(tmp_path).files) == 2000
    assert calls(lambda: walk(tmp_path)) < 60 * 2000  # 36 measured


def test_a_project_gives_files_another_language(tmp_path: Path) -> None:
    write(
        tmp_path,
        "app/dbt_project.yml",
        "app/models/a.sql",
        "app/models/a.yml",
        "app/seeds/b.csv",
        "other/c.sql",
        "other/d.yml",
    )
    write(tmp_path, "app/target/manifest.json", "app/target/run_results.json", "app/dbt_packages/x/y.sql")
    (tmp_path / ".gitignore").write_text("target/\n")
    listing = walk(tmp_path)
    assert {file.path: file.language for file in listing.files} == {
        "app/dbt_project.yml": "dbt",
        "app/models/a.sql": "dbt",
        "app/models/a.yml": "dbt",
        "app/seeds/b.csv": "dbt",
        "app/target/manifest.json": "dbt",
        "other/c.sql": "sql",
    }
    assert skipped(listing)["app/dbt_packages/"] is SkipReason.DEPENDENCIES


def test_an_artifact_is_no_way_out_of_the_root(tmp_path: Path) -> None:
    write(tmp_path / "outside", "manifest.json")
    write(tmp_path / "root", "dbt_project.yml")
    (tmp_path / "root/target").symlink_to(tmp_path / "outside")
    assert read(walk(tmp_path / "root")) == ["dbt_project.yml"]


def test_settings_assign_languages_and_leave_files_out(tmp_path: Path) -> None:
    write(tmp_path, "logs/slow.csv", "logs/fast.csv", "old/a.sql", "old/deep/b.sql", "c.sql")
    options = WalkOptions(assigned=(("logs/*.csv", "querylog"), ("fast.csv", ""), ("old/", "")))
    listing = walk(tmp_path, options)
    assert {file.path: file.language for file in listing.files} == {"c.sql": "sql", "logs/slow.csv": "querylog"}
    assert skipped(listing)["old/deep/b.sql"] is SkipReason.IGNORED


def test_dumps_may_be_larger_than_other_files(tmp_path: Path) -> None:
    write(tmp_path, "dump.sql", "code.py", text="-- x\n" * 1_000_000)
    assert read(walk(tmp_path)) == ["dump.sql"]
    assert read(walk(tmp_path, WalkOptions(max_bytes=1_000_000))) == []
