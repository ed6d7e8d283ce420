"""Bad input, each on real files: a clear message, the rest of the repository read, the old index still there."""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from coderag import CoderagError, Index
from coderag.errors import (
    IndexFormatError,
    IndexLockedError,
    IndexMissingError,
    IndexWriteError,
    QueryError,
    RootError,
)
from coderag.files.walk import SkipReason
from coderag.index.build.build import build, update
from coderag.index.build.job import BuildOptions, Progress
from coderag.index.storage.folder.index_path import IndexPath
from coderag.syntax.language import languages
from tests.commands import Run
from tests.growth import HANG_SECONDS, must_end
from tests.workspace import REPOSITORY, sign_manifest, write

GOOD = "def find_the_good_thing():\n    return 'good'\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "root", {"good.py": GOOD})


def skipped(index: Index) -> dict[str, tuple[SkipReason, str]]:
    return {one.path: (one.reason, one.detail) for one in index.reports[0].skipped}


def first(index: Index, question: str = "find the good thing") -> str:
    return index.search(question)[0].chunk.path


def link(path: str, target: str) -> Callable[[Path], object]:
    return lambda root: (root / path).symlink_to(target)


def holding(path: str, data: bytes) -> Callable[[Path], object]:
    return lambda root: (root / path).write_bytes(data)


def sparse(root: Path) -> None:
    with (root / "bad.py").open("wb") as file:
        file.truncate(200_000_000)


def link_to_itself(root: Path) -> None:
    link("a.py", "bad.py")(root)
    link("bad.py", "a.py")(root)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "path", "reason", "detail"),
    [
        pytest.param(link("bad.py", "nowhere.py"), "bad.py", SkipReason.BROKEN_LINK, "", id="broken link"),
        pytest.param(link_to_itself, "bad.py", SkipReason.LINK_LOOP, "", id="links to each other"),
        pytest.param(link("bad", "."), "bad", SkipReason.LINK_LOOP, "{root}", id="link to the folder it is in"),
        pytest.param(link("bad.py", "/etc/passwd"), "bad.py", SkipReason.LINK_OUTSIDE, "/etc/passwd", id="link out"),
        pytest.param(sparse, "bad.py", SkipReason.TOO_LARGE, "200,000,000 bytes", id="200 MB"),
        pytest.param(
            holding("bad.py", b"x" * 5_000_000), "bad.py", SkipReason.TOO_LARGE, "5,000,000 bytes", id="5 MB line"
        ),
        pytest.param(holding("bad.js", b"a=1;" * 900_000), "bad.js", SkipReason.MINIFIED, "", id="3.6 MB line"),
        pytest.param(holding("bad.py", b"x = '\0\0'\n"), "bad.py", SkipReason.BINARY, "", id="NUL bytes"),
        pytest.param(holding("bad.py", bytes(range(256)) * 9), "bad.py", SkipReason.BINARY, "", id="binary"),
        pytest.param(holding("bad.py", b""), "bad.py", SkipReason.EMPTY, "", id="empty"),
        pytest.param(holding("bad.py", b" \n" * 9), "bad.py", SkipReason.EMPTY, "", id="blank"),
        pytest.param(
            holding("bad.py", b"\xff\xfe" + b"\0\xd8" * 9), "bad.py", SkipReason.UNDECODABLE, "", id="half UTF-16"
        ),
        pytest.param(lambda root: os.mkfifo(root / "bad.py"), "bad.py", SkipReason.NOT_REGULAR, "", id="FIFO"),
    ],
)
def test_files_that_cannot_be_read(
    root: Path, make: Callable[[Path], object], path: str, reason: SkipReason, detail: str
) -> None:
    index = Index.build(root, workers=0)
    old = Index.open(root)
    make(root)
    write(root, {"later.py": "def added_later():\n    return 1\n"})
    index.update(workers=1)
    assert skipped(index)[path] == (reason, detail.format(root=root))
    assert (first(index), first(index, "added_later"), first(old)) == ("good.py", "later.py", "good.py")
    assert skipped(Index.build(root, workers=1))[path] == (reason, detail.format(root=root))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("odd.py", "def grüße():\n    return 'größer'\n".encode("utf-16")),
        ("odd.py", "def grüße():\n    return 'größer'\n".encode("utf-16-be")),
        ("odd.py", "# -*- coding: latin-1 -*-\n\ndef grüße():\n    return 'größer'\n".encode("latin-1")),
        ("odd.py", "def grüße():\n    return 'größer'\n".encode() + "\n# äöü äöü äöü ".encode() + b"\xff\xfe\n"),
        ("odd\nname.py", "def grüße():\n    return 'größer'\n".encode()),
        ("odd'\"\t\x1b[31m.py", "def grüße():\n    return 'größer'\n".encode()),
        (os.fsdecode(b"odd\xff\xfe.py"), "def grüße():\n    return 'größer'\n".encode()),
        ("x.py/odd.py", "def grüße():\n    return 'größer'\n".encode()),
    ],
)
def test_odd_files_are_read(root: Path, name: str, data: bytes) -> None:
    write(root, {name: data})
    for index in (Index.build(root, workers=1), Index.open(root)):
        hit = index.search("grüße")[0]
        assert (hit.chunk.path, hit.chunk.name, hit.chunk.span.end_line - hit.chunk.span.start_line) == (
            name,
            "grüße",
            1,
        )
        assert [one.qualified_name for one in index.outline(name)] == ["grüße"]
        assert first(index) == "good.py"
    assert index.is_fresh()


@pytest.mark.slow
def test_nested_brackets_in_every_language(root: Path) -> None:
    files: dict[str, str | bytes] = {}
    for language in languages().values():
        if language.reader == "outline" and language.extensions:
            files[f"{language.name}{language.extensions[0]}"] = "nested_brackets\n" + ("([{" * 17 + "\n") * 200
    write(root, files)
    build(root, IndexPath(root / ".coderag"), options=BuildOptions(file_seconds=HANG_SECONDS), repository="root")
    index = Index.open(root)
    assert first(index) == "good.py"
    problems = {problem.path: problem.problem for problem in index.status()[0].problems}
    assert set(problems.values()) <= {"syntax errors"}
    for path in files:
        assert index.chunks(path)[0].text.startswith("nested_brackets\n"), path
        assert index.chunks(path)[-1].text.endswith("\n")


FILE_SECONDS = 3.0  # the first file takes a quarter of one with all that is imported for it, more on a busy machine
HANGING = "int before;\n" + "/* /* /* /* /* \n" * 20_000  # the C grammar tries each of them as the beginning


@pytest.mark.slow
def test_a_file_that_stalls_its_parser_is_read_as_lines(root: Path) -> None:
    write(root, {"hang.c": HANGING, "later.c": "int added_later(void) { return 1; }\n"})
    options = BuildOptions(workers=1, file_seconds=FILE_SECONDS)
    build(root, IndexPath(root / ".coderag"), options=options, repository="root")
    index = Index.open(root)
    assert [(problem.path, problem.problem) for problem in index.status()[0].problems] == [
        ("hang.c", f"reading it did not end in {FILE_SECONDS:g} s")
    ]
    assert "".join(chunk.text for chunk in index.chunks("hang.c")) == HANGING
    assert (first(index), first(index, "added_later")) == ("good.py", "later.c")
    (root / "good.py").write_text(GOOD + "\n")
    report = update(root, IndexPath(root / ".coderag"), options=options, repository="root")
    assert (report.read, len(Index.open(root).status()[0].problems)) == (1, 1)  # what stalls is not tried again


def children() -> list[int]:
    """Return the processes that this one started."""
    found = []
    for task in Path("/proc/self/task").iterdir():
        found += [int(pid) for pid in (task / "children").read_text().split()]
    return found


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="needs Linux's /proc")
def test_a_killed_worker_is_replaced(root: Path, tmp_path: Path) -> None:
    write(root, {f"file_{number}.py": f"def function_{number}():\n    return {number}\n" for number in range(400)})
    expected = Index.build(root, index=tmp_path / "calm", workers=1)
    before = set(children())
    killed: list[int] = []

    def kill(progress: Progress) -> None:
        if progress.files < progress.all_files and not killed:
            for pid in set(children()) - before:
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)

    index = Index.build(root, index=tmp_path / "killed", workers=1, watch=kill)
    assert killed
    assert index.reports[0].read == expected.reports[0].read == 401
    assert index.status()[0].problems == ()
    assert [index.chunks(f"file_{number}.py") for number in (0, 399)] == [
        expected.chunks(f"file_{number}.py") for number in (0, 399)
    ]
    assert set(children()) == before


def test_a_file_that_vanishes_while_others_are_read(root: Path) -> None:
    write(root, {f"file_{number:03}.py": f"def function_{number}():\n    return 1\n" for number in range(120)})
    write(root, {"z/last.py": GOOD})

    def remove(progress: Progress) -> None:
        if progress.files < progress.all_files:
            shutil.rmtree(root / "z", ignore_errors=True)
            (root / "file_119.py").unlink(missing_ok=True)
            if (root / "file_118.py").is_file():
                (root / "file_118.py").unlink()
                (root / "file_118.py").mkdir()

    index = Index.build(root, workers=0, watch=remove)
    found = skipped(index)
    assert found["z/last.py"] == found["file_119.py"] == (SkipReason.VANISHED, "No such file or directory")
    assert found["file_118.py"][0] is SkipReason.NOT_REGULAR
    assert (first(index), first(index, "function_117")) == ("good.py", "file_117.py")
    assert not index.is_fresh()


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("missing", "'{path}' does not exist; give the folder of a repository"),
        ("good.py", "'{path}' is not a folder; give the folder of a repository"),
    ],
)
def test_a_root_that_is_no_folder(root: Path, path: str, message: str) -> None:
    with pytest.raises(RootError) as caught:
        Index.build(root / path)
    assert str(caught.value) == message.format(path=root / path)
    with pytest.raises(RootError, match="no root given"):
        Index.open()


def test_questions_without_an_answer(root: Path) -> None:
    index = Index.build(root, workers=0)
    for question, options, message in (
        ("  ", {}, "the question is empty"),
        ("x", {"k": 0}, "k is 0"),
        ("x", {"kinds": ["klass"]}, "unknown kind 'klass', did you mean \"class\"; kinds are function,"),
        ("x", {"tests": "never"}, "unknown policy 'never'; policies are include, demote, exclude"),
        ("x", {"languages": ["pyton"]}, "unknown language 'pyton', did you mean \"python\"; run"),
    ):
        with pytest.raises(QueryError, match=message):
            index.search(question, **options)
    with pytest.raises(QueryError, match=r"nowhere\.py is not in the index"):
        index.outline("nowhere.py")
    for odd in ("\0", "\ud800", "((((", "*", "a" * 2_000, "%s {} \\", "'", "東京"):
        index.search(odd)
        index.symbols(odd)


def change_manifest(root: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Write the manifest as another version would: signed."""
    path = root / ".coderag/manifest.json"
    table = json.loads(path.read_text().partition("\n")[2])
    change(table)
    sign_manifest(root / ".coderag", table)


def test_an_index_of_another_format(root: Path) -> None:
    Index.build(root, workers=0)
    old = Index.open(root)
    change_manifest(root, lambda table: table.update(format=2, manifest={"unheard": "of"}))
    with pytest.raises(IndexFormatError) as caught:
        Index.open(root)
    message = f"the index at {root}/.coderag has format 2, this version of coderag reads 8; "
    assert str(caught.value) == message + 'run "coderag index"'
    assert first(old) == "good.py"
    report = update(root, IndexPath(root / ".coderag"), options=BuildOptions(workers=0), repository="root")
    assert (report.rebuilt, report.read) == (message.rstrip("; "), 1)
    assert first(Index.open(root)) == "good.py"


@pytest.mark.parametrize("part", ["chunker", "tokenizer", "languages"])
def test_an_index_of_another_version_is_built_anew(root: Path, part: str) -> None:
    index = Index.build(root, workers=0)
    change_manifest(root, lambda table: table["manifest"]["parts"].update({part: "0"}))
    assert first(Index.open(root)) == "good.py"
    index.update(workers=0)
    assert index.reports[0].rebuilt == f"the index was made by another version of coderag ({part})"
    index.update(workers=0)
    assert index.reports[0].rebuilt == ""


def test_no_index(root: Path) -> None:
    with pytest.raises(IndexMissingError) as caught:
        Index.open(root)
    assert str(caught.value) == f'there is no index at {root}/.coderag; run "coderag index"'
    (root / ".coderag").write_text("a file, not a folder")
    with pytest.raises(IndexMissingError):
        Index.open(root)
    with pytest.raises(IndexWriteError, match=r'cannot be written: .*; choose another place with "--index DIR"'):
        Index.build(root, workers=0)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 400 KB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", folder], capture_output=True)
    if mounted.returncode:
        pytest.skip("may not mount a small file system")
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)


def on_disk(folder: Path) -> set[str]:
    return {path.name for path in (folder / "segments").iterdir()} | {path.name for path in folder.glob("*.*")}


@pytest.mark.slow
def test_a_full_disk_leaves_the_old_index(root: Path, small_disk: Path) -> None:
    index = Index.build(root, index=small_disk / "index", workers=0)
    before = on_disk(small_disk / "index")
    for rows in (8_000, 40_000):  # the one is too large with its tables, the other before
        words = "".join(f"value_{number} = 'word{number * 7919 % 100_003}'\n" for number in range(rows))
        write(root, {"large.py": words, "large.txt": words})
        for fill in (index.update, lambda: Index.build(root, index=small_disk / "index", workers=0)):
            with pytest.raises(IndexWriteError) as caught:
                fill()
            message = f"no space left to write the index at {small_disk}/index; the old index is unchanged"
            assert str(caught.value) == message
            assert on_disk(small_disk / "index") == before
            assert first(index) == first(Index.open(root, index=small_disk / "index")) == "good.py"
    (root / "large.py").unlink()
    (root / "large.txt").unlink()
    write(root, {"later.py": "def added_later():\n    return 1\n"})
    index.update(workers=0)
    assert first(index, "added_later") == "later.py"


@pytest.mark.slow
def test_an_index_that_another_process_writes(root: Path) -> None:
    index = Index.build(root, workers=0)
    script = (
        "import sys, filelock\n"
        "with filelock.FileLock(sys.argv[1]):\n"
        "    print('locked', flush=True)\n"
        "    sys.stdin.read()\n"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", script, root / ".coderag/lock"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert holder.stdin is not None
    assert holder.stdout is not None
    try:
        assert select.select([holder.stdout], [], [], 30)[0]
        options = BuildOptions(workers=0, lock_seconds=0.2)
        for write_index in (build, update):
            with pytest.raises(
                IndexLockedError, match=r"another process has been writing the index at .* for more than 0.2 s; wait"
            ):
                write_index(root, IndexPath(root / ".coderag"), options=options, repository="root")
        assert first(index) == first(Index.open(root)) == "good.py"
    finally:
        holder.communicate()
    update(root, IndexPath(root / ".coderag"), options=replace(options, lock_seconds=5), repository="root")


@pytest.mark.slow
def test_two_processes_may_update_at_once(root: Path) -> None:
    Index.build(root, workers=0)
    script = (
        "import sys, coderag\n"
        "index = coderag.Index.open(sys.argv[1])\n"
        "index.update(workers=0)\n"
        "assert index.search('added_later')[0].chunk.path == 'later.py'\n"
    )
    write(root, {"later.py": "def added_later():\n    return 1\n"})
    command = [sys.executable, "-c", script, str(root)]
    environment = os.environ | {"PYTHONPATH": str(REPOSITORY)}
    both = [subprocess.Popen(command, env=environment) for _ in range(3)]
    assert [one.wait(HANG_SECONDS) for one in both] == [0, 0, 0]
    assert Index.open(root).is_fresh()


UNPRIVILEGED = """
import sys, coderag
root, index = sys.argv[1:]
try:
    index = coderag.Index.build(root, index=index)
except coderag.CoderagError as error:
    print(type(error).__name__, error)
else:
    for one in sorted(index.reports[0].skipped, key=lambda one: one.path):
        print(one.path, one.reason, one.detail)
    print("found", index.search("find the good thing")[0].chunk.path)
"""


def without_privileges(*arguments: Path) -> str:
    """Return what a build prints that may only do what permissions allow, even when root runs it."""
    command = [sys.executable, "-c", UNPRIVILEGED, *map(str, arguments)]
    if os.geteuid() == 0:
        if shutil.which("setpriv") is None:
            pytest.skip("root may read everything, and there is no setpriv to take that from it")
        command = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", *command]
    environment = os.environ | {"PYTHONPATH": str(REPOSITORY)}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout


@pytest.mark.slow
def test_files_and_folders_without_permission(tmp_path: Path) -> None:
    root = write(
        tmp_path / "root", {"good.py": GOOD, "hidden.py": GOOD, "closed/a.py": GOOD, "listed/a.py": GOOD, "run": GOOD}
    )
    (tmp_path / "index").mkdir()
    try:
        for name, mode in (("hidden.py", 0), ("run", 0), ("closed", 0), ("listed", 0o444)):
            (root / name).chmod(mode)
        assert without_privileges(root, tmp_path / "index/new").splitlines() == [
            "closed/ no permission Permission denied",
            "hidden.py no permission Permission denied",
            "listed/a.py no permission Permission denied",
            "run no permission Permission denied",
            "found good.py",
        ]
        (tmp_path / "index").chmod(0o555)
        assert without_privileges(root, tmp_path / "index/other") == (
            f"IndexWriteError the index at {tmp_path}/index/other cannot be written: Permission denied; "
            'choose another place with "--index DIR"\n'
        )
        (tmp_path / "index/new/lock").chmod(0)
        assert without_privileges(root, tmp_path / "index/new").startswith("IndexWriteError the index at ")
        root.chmod(0)
        denied = f"RootError cannot read '{root}': Permission denied; give a folder that exists and may be read\n"
        assert without_privileges(root, tmp_path / "third") == denied
    finally:
        for path in (root, root / "closed", root / "listed", tmp_path / "index"):
            path.chmod(0o755)


def test_every_error_is_one_of_ours() -> None:
    for error in (RootError, QueryError, IndexFormatError, IndexLockedError, IndexMissingError, IndexWriteError):
        assert issubclass(error, CoderagError)


@pytest.mark.slow
def test_an_interrupted_build_leaves_the_old_index(root: Path) -> None:
    index = Index.build(root, workers=0)
    before = on_disk(root / ".coderag")
    write(root, {f"file_{number}.py": f"def function_{number}():\n    return 1\n" for number in range(300)})

    def interrupt(_: Progress) -> None:
        raise KeyboardInterrupt

    for workers in (0, 2):
        with must_end(), pytest.raises(KeyboardInterrupt):
            index.update(workers=workers, watch=interrupt)
        assert on_disk(root / ".coderag") == before
        assert first(index) == first(Index.open(root)) == "good.py"


def odd_files(folder: Path) -> Path:
    """Return a folder with what is no plain file, and files that are not what their names say."""
    write(
        folder,
        {
            "query.sql": "SELECT 1",
            "blank.sql": " \n",
            "deep.jsonl": "[" * 100_000,
            "text.jsonl": "not JSON\n",
            "broken.db": b"SQLite format 3\0" + b"\xff" * 5_000,
            "folder/a.txt": "x",
        },
    )
    os.mkfifo(folder / "fifo")
    os.mkfifo(folder / "fifo.py")
    (folder / "loop").symlink_to("loop")
    return folder


WRONG_CALLS = [
    (["check-sql", "{odd}/nowhere.sql"], "{odd}/nowhere.sql: No such file or directory"),
    (["check-sql", "{odd}/folder"], "{odd}/folder: Is a directory"),
    (["check-sql", "{odd}/loop"], "{odd}/loop: Too many levels of symbolic links"),
    (["check-sql", "{odd}/blank.sql"], "{odd}/blank.sql holds no SQL"),
    (["check-sql", "/dev/zero"], "/dev/zero is larger than 1,000,000 bytes; check it in parts"),
    (
        ["check-sql", "{odd}/query.sql", "--url", "~nobody-is-called-so"],
        "~nobody-is-called-so is neither the address of",
    ),
    (["check-sql", "{odd}/query.sql", "--url", "{odd}/fifo"], "{odd}/fifo is neither the address of a database nor"),
    (["check-sql", "{odd}/query.sql", "--url", "{odd}/broken.db"], "broken.db cannot be read: "),
    (["check-sql", "{odd}/query.sql", "--url", "sqlite:///{odd}/folder"], "cannot be opened: there is no such file"),
    (["outline", "{odd}/fifo"], "{odd}/fifo: not a regular file"),
    (["outline", "{odd}/fifo.py"], "{odd}/fifo.py: not a regular file"),
    (["outline", "/dev/zero"], "the language of '/dev/zero' is not known"),
    (["outline", "{odd}/folder"], "{odd}/folder: Is a directory"),
    (["outline", "{odd}/loop"], "{odd}/loop: Too many levels of symbolic links"),
    (["outline", "/dev/null", "--groups", "hr"], "there is no index around '/dev/null'; run \"coderag index\""),
    (["eval", "{odd}/folder"], "{odd}/folder cannot be read: Is a directory"),
    (["eval", "{odd}/deep.jsonl"], "{odd}/deep.jsonl:1: not JSON: maximum recursion depth exceeded"),
    (["eval", "{odd}/text.jsonl"], "{odd}/text.jsonl:1: not JSON: "),
    (["index", "{odd}/fifo"], "'{odd}/fifo' is not a folder; give the folder of a repository"),
    (["index", "{odd}/loop"], "'{odd}/loop' does not exist; give the folder of a repository"),
    (["index", "--index", "{odd}"], "{odd} is not empty, and no index of coderag; give an empty or a new folder"),
    (["index", "--encoder", "~nobody-is-called-so"], "nobody-is-called-so"),
    (["index", "--encoder", "{odd}/loop"], "loop"),
    (["index", "--forget"], "--forget names no database; give its address as it was given before"),
    (["index", "--forget", "sqlite:///nope.db"], "nope.db is not in the index at {root}/.coderag; known there: none"),
    (["index", "sqlite:///nope.db"], "nope.db cannot be opened: there is no such file"),
    (["search", "x", "--root", "\udcff\x1b[31m"], "'\\udcff\\x1b[31m' does not exist; give the folder of a repository"),
    (["search", "x", "--language", "\udcff"], "unknown language '\\udcff'"),
    (
        ["schema", "x", "--since", "yesterday"],
        "since is 'yesterday', no date and no revision of {root}; give a date such",
    ),
    (["map", "--path", "/"], "the path filter '/' names nothing"),
    (["status", "--index", "{odd}/fifo"], 'there is no index at {odd}/fifo; run "coderag index"'),
    (["clean", "{odd}"], "there is no index at {odd}/.coderag"),
    (["clean", "--index", "{odd}/folder"], "{odd}/folder is no index of coderag, so nothing was removed"),
    (["frobnicate\x1b[31m\u202e"], "unknown command "),
    (["search", "--frobnicate\x1b[31m\u202e", "x"], "unknown option --frobnicate\\x1b[31m\\u202e"),
]


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return odd_files(tmp_path_factory.mktemp("odd"))


@pytest.mark.slow
@pytest.mark.parametrize(("arguments", "message"), WRONG_CALLS, ids=[" ".join(one[0])[:50] for one in WRONG_CALLS])
def test_wrong_calls_end_in_one_line(coderag: Run, root: Path, odd: Path, arguments: list[str], message: str) -> None:
    (root / ".git").mkdir()
    write(root, {"schema.sql": "CREATE TABLE orders (id int);\n"})
    done = coderag(*(argument.replace("{odd}", str(odd)) for argument in arguments), cwd=root)
    [line] = [one for one in done.stderr.splitlines() if not one.startswith("coderag: indexed ")]
    assert (done.returncode, done.stdout) == (2, "")
    assert message.replace("{odd}", str(odd)).replace("{root}", str(root)) in line
    assert line.isprintable()
    if arguments[0] in {"index", "outline", "eval", "clean", "status"} and "--encoder" not in arguments:
        assert not (root / ".coderag").exists()
