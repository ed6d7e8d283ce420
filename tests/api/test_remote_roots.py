"""Git addresses as roots: clones of real repositories, by file and by HTTP, fetched, shared, and harmless."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from coderag.api.clone import read_clone, write_clone
from coderag.api.clones import ClonePlace, clones, clones_size, remove_clone, trim_clones
from coderag.api.index import Index
from coderag.api.remote_roots import FRESH_SECONDS, Fetch, cloned_root
from coderag.api.roots import resolve_roots
from coderag.errors import CloneError, RetrievalWarning
from coderag.files.git_address import GitAddress, parse_git_address
from coderag.files.git_fetch import FetchLimits
from tests.git_servers import commit, has_http_backend, needs_git, run_git, serving
from tests.workspace import REPOSITORY

pytestmark = [needs_git, pytest.mark.slow]
needs_http = pytest.mark.skipif(not has_http_backend(), reason="git cannot serve HTTP: there is no git-http-backend")
CART = {"src/cart.py": "def total(prices):\n    return sum(prices)\n", "old.py": "OLD = 1\n"}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder of the test's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def origin(tmp_path: Path) -> Path:
    """A repository with one commit, owned by acme."""
    folder = tmp_path / "served/acme/shop"
    commit(folder, CART)
    return folder


def file_address(origin: Path, end: str = "") -> GitAddress:
    return parse_git_address(f"{origin.as_uri()}{end}")


def files_in(tree: Path) -> list[str]:
    paths = (path.relative_to(tree) for path in tree.rglob("*") if not path.is_dir() or path.is_symlink())
    return sorted(path.as_posix() for path in paths if path.parts[0] not in (".git", ".coderag"))


def make_old(address: GitAddress, seconds: float = FRESH_SECONDS + 1) -> None:
    """Let a clone be fetched some seconds ago."""
    folder = ClonePlace.of(address).folder
    clone = read_clone(folder)
    assert clone is not None
    write_clone(folder, replace(clone, fetched=time.time() - seconds, tried=0.0))


def test_a_clone_has_the_files_and_no_history(origin: Path) -> None:
    commit(origin, {"new.py": "NEW = 1\n"})
    run_git(origin, "tag", "v1")
    told: list[str] = []
    tree = cloned_root(file_address(origin), telling=told.append)
    assert files_in(tree) == ["new.py", "old.py", "src/cart.py"]
    assert run_git(tree, "rev-list", "--count", "HEAD") == "1"
    assert run_git(tree, "tag") == ""
    assert told == [f"cloning {origin.as_uri()}"]
    assert oct(tree.parents[1].stat().st_mode)[-3:] == "700"


@pytest.mark.parametrize("name", ["clone.json", ".clone.json", ".index", "index", "ä b", "x" * 200])
def test_any_name(tmp_path: Path, name: str) -> None:
    commit(tmp_path / name / "repository", CART)
    bare = tmp_path / "bare" / name
    run_git(tmp_path, "clone", "--quiet", "--bare", str(tmp_path / name / "repository"), str(bare))
    tree = cloned_root(file_address(bare))
    assert files_in(tree) == ["old.py", "src/cart.py"]
    assert Index.build(tree, workers=0).search("total of prices")
    assert sorted(path.name for path in tree.parent.iterdir())[:2] == [".clone.json", ".index"]


@pytest.mark.parametrize("kind", ["branch", "tag", "commit"])
def test_a_revision(origin: Path, kind: str) -> None:
    first = run_git(origin, "rev-parse", "HEAD")
    run_git(origin, "branch", "release/1")
    run_git(origin, "tag", "-m", "One", "v1")
    commit(origin, {"new.py": "NEW = 1\n"})
    revision = {"branch": "release/1", "tag": "v1", "commit": first}[kind]
    tree = cloned_root(file_address(origin, f"@{revision}"))
    assert files_in(tree) == ["old.py", "src/cart.py"]
    assert tree != cloned_root(file_address(origin))


def test_hits_carry_owner_and_name(origin: Path) -> None:
    root = cloned_root(file_address(origin))
    with_revision = cloned_root(file_address(origin, "@main"))
    assert [one.repository for one in resolve_roots([root])] == ["acme/shop"]
    assert [one.repository for one in resolve_roots([origin, root])] == ["shop", "acme/shop"]
    names = [one.repository for one in resolve_roots([root, with_revision])]
    assert names == ["acme/shop", "acme/shop@main"]
    index = Index.build(root, workers=0)
    assert {hit.chunk.repository for hit in index.search("total of prices")} == {"acme/shop"}


def test_a_clone_is_fetched_when_it_is_old(origin: Path) -> None:
    address = file_address(origin)
    tree = cloned_root(address)
    Index.build(tree, workers=0)
    (origin / "old.py").unlink()
    commit(origin, {"new.py": "NEW = 1\n"})
    assert "new.py" not in files_in(cloned_root(address))
    make_old(address)
    assert "new.py" not in files_in(cloned_root(address, fetching=Fetch.NEVER))
    assert files_in(cloned_root(address)) == ["new.py", "src/cart.py"]
    assert Index.open(tree).stale_paths() != []  # its index is the one that was there
    commit(origin, {"newer.py": "NEWER = 1\n"})
    assert "newer.py" in files_in(cloned_root(address, fetching=Fetch.ALWAYS))


def test_history_that_was_rewritten(origin: Path) -> None:
    address = file_address(origin)
    cloned_root(address)
    run_git(origin, "commit", "--quiet", "--amend", "--message=Other")
    commit(origin, {"src/cart.py": "TOTAL = 2\n"})
    tree = cloned_root(address, fetching=Fetch.ALWAYS)
    assert (tree / "src/cart.py").read_text() == "TOTAL = 2\n"


def test_packs_do_not_pile_up(origin: Path) -> None:
    address = file_address(origin)
    for number in range(12):
        commit(origin, {"new.py": f"NEW = {number}\n"})
        tree = cloned_root(address, fetching=Fetch.ALWAYS)
    assert len(list((tree / ".git/objects/pack").glob("*.pack"))) <= 9
    assert (tree / "new.py").read_text() == "NEW = 11\n"


def test_without_a_network_the_clone_answers_and_says_so(origin: Path) -> None:
    address = file_address(origin)
    tree = cloned_root(address)
    origin.rename(origin.with_name("gone"))
    assert cloned_root(address) == tree  # young enough
    make_old(address, 3 * 3600)
    with pytest.warns(RetrievalWarning, match=r"there is no repository; answers come from .* fetched 3 hours ago"):
        assert cloned_root(address) == tree
    with pytest.warns(RetrievalWarning, match="the last fetch failed"):  # and is not tried again at once
        assert cloned_root(address) == tree
    with pytest.warns(RetrievalWarning, match="there is no repository"):
        assert cloned_root(address, fetching=Fetch.ALWAYS) == tree


def test_a_clone_that_is_not_there(origin: Path) -> None:
    with pytest.raises(CloneError, match=r"there is no clone of .*; run"):
        cloned_root(file_address(origin), fetching=Fetch.NEVER)
    with pytest.raises(CloneError, match="there is no repository"):
        cloned_root(file_address(origin.with_name("other")))
    with pytest.raises(CloneError, match="it has no revision 'v9'"):
        cloned_root(file_address(origin, "@v9"))
    assert clones() == []
    assert clones_size() == 0


def test_a_host_that_does_not_answer() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    with pytest.raises(CloneError, match=rf"127\.0\.0\.1:{port} cannot be reached"):
        cloned_root(parse_git_address(f"https://127.0.0.1:{port}/acme/shop"))


def test_a_host_that_never_ends() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = parse_git_address(f"https://127.0.0.1:{silent.getsockname()[1]}/acme/shop")
        with pytest.raises(CloneError, match=r"it took more than 0\.5 s"):
            cloned_root(address, limits=FetchLimits(seconds=0.5))


def test_without_git(origin: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CloneError, match="git is not installed"):
        cloned_root(file_address(origin))


def test_a_git_that_is_too_old(origin: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = tmp_path / "old/git"
    old.parent.mkdir()
    says = "fatal: 'coderag' does not appear to be a git repository"
    old.write_text(
        f'#!/bin/sh\ncase "$*" in *" fetch "*) echo "{says}" >&2; exit 128;; esac\nexec {shutil.which("git")} "$@"\n'
    )
    old.chmod(0o755)
    monkeypatch.setenv("PATH", f"{old.parent}{os.pathsep}{os.environ['PATH']}")
    with pytest.raises(CloneError, match=r"this git is too old; 2\.31 or later is needed"):
        cloned_root(file_address(origin))


def test_the_name_of_a_repository_is_no_reason(origin: Path) -> None:
    with pytest.raises(CloneError, match="there is no repository"):
        cloned_root(file_address(origin.with_name("certificate")))


def test_too_many_files(origin: Path, tmp_path: Path) -> None:
    with pytest.raises(CloneError, match="more than 1 files"):
        cloned_root(file_address(origin), limits=FetchLimits(tree_files=1))
    with pytest.raises(CloneError, match="more than 10 bytes, compressed"):
        cloned_root(file_address(origin), limits=FetchLimits(pack_bytes=10))
    with pytest.raises(CloneError, match="or 10 bytes"):
        cloned_root(file_address(origin), limits=FetchLimits(tree_bytes=10))
    # Twelve trees of twelve entries, each of them the tree before: 12 ** 12 files in two kilobytes.
    bomb = tmp_path / "served/acme/bomb"
    commit(bomb, {"a": "x"})
    entry = f"100644 blob {run_git(bomb, 'hash-object', '-w', 'a')}"
    for _ in range(12):
        tree = run_git(bomb, "mktree", stdin="".join(f"{entry}\t{number}\n" for number in range(12)))
        entry = f"040000 tree {tree}"
    run_git(bomb, "update-ref", "refs/heads/main", run_git(bomb, "commit-tree", "-m", "Bomb", tree))
    with pytest.raises(CloneError, match="more than 2,000,000 files"):
        cloned_root(file_address(bomb))
    assert clones_size() == 0


def test_nothing_of_a_repository_runs(origin: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran = tmp_path / "ran"
    hook = f"#!/bin/sh\ntouch {ran}\n"
    template = tmp_path / "template/hooks"
    template.mkdir(parents=True)
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for folder in (template, hooks, origin / ".git/hooks"):
        for name in ("post-checkout", "post-merge", "reference-transaction", "post-index-change", "pre-auto-gc"):
            (folder / name).write_text(hook)
            (folder / name).chmod(0o755)
    configuration = tmp_path / "gitconfig"
    configuration.write_text(
        f"[core]\n\thooksPath = {hooks}\n\tfsmonitor = touch {ran}\n\taskPass = touch {ran}\n"
        f'[init]\n\ttemplateDir = {template.parent}\n[filter "evil"]\n\tsmudge = touch {ran}; cat\n'
        f"\tprocess = touch {ran}\n\trequired = true\n[submodule]\n\trecurse = true\n"
    )
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(configuration))
    monkeypatch.setenv("GIT_TEMPLATE_DIR", str(template.parent))
    other = tmp_path / "served/acme/other"
    commit(other, {"x.py": "X = 1\n"})
    (origin / "passwd").symlink_to("/etc/passwd")
    (origin / "src/up").symlink_to("..")
    run_git(origin, "-c", "protocol.file.allow=always", "submodule", "add", "--quiet", other.as_uri(), "sub")
    commit(
        origin,
        {
            ".gitattributes": "* filter=evil ident eol=crlf\n*.txt working-tree-encoding=latin1\n",
            "id.py": "# $Id$\n",
            "a.txt": "é\n",  # two characters of latin1, as which git stores it
            ".coderag/manifest.json": "{}",
        },
    )
    ran.unlink(missing_ok=True)  # what committing ran
    address = file_address(origin)
    tree = cloned_root(address)
    assert not ran.exists()
    commit(origin, {"id.py": "# $Id$ again\n"})
    ran.unlink()
    cloned_root(address, fetching=Fetch.ALWAYS)
    assert not ran.exists()
    assert files_in(tree) == [".gitattributes", ".gitmodules", "a.txt", "id.py", "old.py", "src/cart.py"]
    assert [path for path in tree.rglob("*") if path.is_symlink()] == []
    assert ((tree / "id.py").read_text(), (tree / "a.txt").read_bytes()) == ("# $Id$ again\n", "Ã©\n".encode())
    assert not list((tree / "sub").iterdir())
    assert not (tree / ".git/hooks").exists()
    Index.build(tree, workers=0)  # whatever comes with a repository as its index is not believed
    assert (tree / ".coderag/manifest.json").read_text() == "{}"


def test_where_git_looks_is_not_where_the_environment_points(
    origin: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "own"
    before = commit(own, {"own.py": "OWN = 1\n"})
    for name, path in (("GIT_DIR", own / ".git"), ("GIT_WORK_TREE", own), ("GIT_INDEX_FILE", own / ".git/index")):
        monkeypatch.setenv(name, str(path))
    tree = cloned_root(file_address(origin))
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        monkeypatch.delenv(name)
    assert files_in(tree) == ["old.py", "src/cart.py"]
    assert files_in(own) == ["own.py"]
    assert run_git(own, "rev-parse", "HEAD") == before


CLONE = """
import sys, warnings
from coderag.api.remote_roots import cloned_root
from coderag.files.git_address import parse_git_address
print(cloned_root(parse_git_address(sys.argv[1], loopback=True)))
"""


@needs_http
def test_two_processes_make_one_clone(origin: Path) -> None:
    with serving(origin.parents[1]) as served:
        command = [sys.executable, "-c", CLONE, f"{served.url}/acme/shop"]
        started = [
            subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=REPOSITORY, env=os.environ.copy())
            for _ in range(4)
        ]
        printed = [process.communicate()[0] for process in started]
    assert [process.returncode for process in started] == [0] * 4
    assert len(set(printed)) == 1
    assert served.fetches == 1
    assert files_in(Path(printed[0].strip())) == ["old.py", "src/cart.py"]


@pytest.fixture
def locked_server(origin: Path) -> Iterator[str]:
    """The address of the repository at a server that wants a password."""
    with serving(origin.parents[1], login="me:pass-word-1") as served:
        yield f"{served.url}/acme/shop.git".replace("://", "://{}")


@needs_http
def test_credentials_are_used_and_kept_nowhere(locked_server: str, cache: Path, origin: Path) -> None:
    origin.rename(origin.with_name("shop.git"))
    address = parse_git_address(locked_server.format("me:pass-word-1@"), loopback=True)
    tree = cloned_root(address)
    assert files_in(tree) == ["old.py", "src/cart.py"]
    written = [path for path in cache.rglob("*") if b"pass-word" in os.fsencode(path) or _holds(path, b"pass-word")]
    assert written == []
    assert cloned_root(parse_git_address(locked_server.format(""), loopback=True)) == tree
    wrong = parse_git_address(locked_server.format("me:pass-word-2@"), loopback=True)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        cloned_root(wrong, fetching=Fetch.ALWAYS)
    assert "it needs authentication" in str(told[0].message)
    assert "pass-word" not in str(told[0].message)


def _holds(path: Path, text: bytes) -> bool:
    return path.is_file() and text in path.read_bytes()


@needs_http
def test_nobody_is_asked_for_a_password(locked_server: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked = tmp_path / "asked"
    program = tmp_path / "askpass"
    program.write_text(f"#!/bin/sh\ntouch {asked}\necho x\n")
    program.chmod(0o755)
    for name in ("GIT_ASKPASS", "SSH_ASKPASS"):
        monkeypatch.setenv(name, str(program))
    with pytest.raises(CloneError, match="it needs authentication, or does not exist"):
        cloned_root(parse_git_address(locked_server.format(""), loopback=True))
    assert not asked.exists()


@needs_http
def test_what_a_killed_process_left_is_made_anew(origin: Path) -> None:
    address = file_address(origin)
    place = ClonePlace.of(address)
    left = place.new.path / "shop/.git"
    left.mkdir(parents=True)
    (left / "HEAD").write_text("half")
    place.folder.path.mkdir()
    tree = cloned_root(address)
    assert files_in(tree) == ["old.py", "src/cart.py"]
    clone = read_clone(place.folder)
    assert clone is not None
    write_clone(place.folder, replace(clone, commit=""))  # it was killed while it wrote the files
    (tree / "old.py").write_text("HALF")
    assert (cloned_root(address) / "old.py").read_text() == "OLD = 1\n"
    assert not place.new.exists()


def test_clones_are_listed_and_removed(origin: Path) -> None:
    main, other = file_address(origin), file_address(origin, "@main")
    for number, address in enumerate((main, other)):
        tree = cloned_root(address)
        os.utime(tree.parent / ".clone.json", (number, number))
    listed = clones()
    assert [clone.address for clone in listed] == [str(main), str(other)]
    assert clones_size() == sum(clone.bytes for clone in listed)
    assert trim_clones(clones_size() - 1) == listed[0].bytes
    assert [clone.address for clone in clones()] == [str(other)]
    assert remove_clone(listed[1].place)
    assert clones() == []
