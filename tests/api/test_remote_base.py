"""The index of the default branch as the base of a work tree's, where the user's settings name a remote."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from coderag import Index
from coderag.api.indexing import spawn_indexing
from coderag.api.remote_base import over_remote_base
from coderag.api.roots import resolve_roots
from coderag.api.user_settings import user_remote
from coderag.errors import SettingsError
from coderag.files.git import repository_of_worktree
from coderag.index.remote.objects import ObjectStore
from coderag.index.remote.pull import pulled_folders
from coderag.index.remote.push import push_index
from tests.commands import Run
from tests.git_servers import commit, needs_git, run_git
from tests.index.trees import state_of
from tests.workspace import write

pytest.importorskip("fsspec")

FILES: dict[str, str | bytes] = {
    f"src/part_{number}.py": f'def step_{number}(count):\n    """Restore the backup."""\n    return count + {number}\n'
    for number in range(9)
}
EDITED = {"src/part_3.py": "def overlaid_step(count):\n    return 3\n", "src/untracked.py": "def unseen():\n    pass\n"}
PATIENCE_SECONDS = 120.0


@pytest.fixture
def store(tmp_path: Path) -> str:
    """The address of a store that has the index of main, which is signed by this user."""
    origin = tmp_path / "origin/app"
    commit(origin, FILES)
    address = (tmp_path / "store").as_uri()
    with Index.build(origin, workers=0, graph=False) as index:
        push_index(index.roots[0].folder, ObjectStore(address), name="app")
    return address


@pytest.fixture
def clone(store: str, tmp_path: Path) -> Path:  # noqa: ARG001  # the origin is there
    """A clone with a branch, an edited file, a file that git does not know, and one that is gone."""
    run_git(tmp_path, "clone", "--quiet", str(tmp_path / "origin/app"), "work/app")
    folder = tmp_path / "work/app"
    run_git(folder, "switch", "--quiet", "--create", "feature")
    write(folder, EDITED)
    (folder / "src/part_8.py").unlink()
    return folder


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Folders of the user with nothing in them but the key."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("CODERAG_REMOTE", raising=False)
    return tmp_path


@needs_git
@pytest.mark.slow
def test_a_first_search_reads_what_differs_from_main(coderag: Run, store: str, clone: Path, home: Path) -> None:
    write(home / "config/coderag", {"config.toml": f'remote = "{store}"\n'})
    variables = {name: str(home / kind) for name, kind in (("XDG_CACHE_HOME", "cache"), ("XDG_CONFIG_HOME", "config"))}
    found = coderag("search", "overlaid step", "--json", cwd=clone, **variables)
    assert found.returncode == 0
    assert json.loads(found.stdout)[0]["path"] == "src/part_3.py"
    assert ": 2 files, " in found.stderr  # those that differ were read
    with Index.open(clone) as index:
        assert state_of(index) == state_of(Index.build(clone, index=home / "fresh", workers=0, cache=False))
    (clone / "src/part_4.py").write_text("def edited_later():\n    return 4\n")
    assert coderag("search", "edited later", cwd=clone, **variables).stdout.startswith("src/part_4.py:")


@needs_git
@pytest.mark.slow
@pytest.mark.parametrize("remote", ["", "file:///nosuch/store"])
def test_without_a_base_all_files_are_read(coderag: Run, clone: Path, remote: str) -> None:
    (record,) = json.loads((done := coderag("index", "--json", "--wait", cwd=clone, CODERAG_REMOTE=remote)).stdout)
    assert (record["read"], record["files"]) == (9, 9)
    assert done.stderr == (f"coderag: {remote} has no index 'app', so all files are read\n" if remote else "")


@needs_git
@pytest.mark.parametrize("bare", [False, True])
def test_a_further_work_tree_has_the_base_of_its_repository(
    store: str, clone: Path, home: Path, monkeypatch: pytest.MonkeyPatch, bare: bool
) -> None:
    if bare:
        run_git(home, "clone", "--quiet", "--bare", str(clone), "work/bare/app.git")
    owner = home / "work/bare/app.git" if bare else clone
    run_git(owner, "worktree", "add", "--quiet", "--force", str(home / "fix-refunds"), "feature")
    monkeypatch.setenv("CODERAG_REMOTE", store)
    said: list[str] = []
    index = over_remote_base(
        resolve_roots([home / "fix-refunds"])[0],
        lambda parts: Index.ensure(home / "fix-refunds", workers=0, graph=False, cache=False, parts=parts),
        said=said.append,
    )
    assert said == []
    assert (index.reports[0].read, index.status(compare=False)[0].files) == (0, 9)


@pytest.mark.parametrize("pointer", ["", "gitdir: ", "gitdir: ../.git/modules/app", "nonsense\0", "gitdir: /a/\xff"])
def test_what_is_no_further_work_tree_has_no_other_name(tmp_path: Path, pointer: str) -> None:
    (tmp_path / ".git").write_bytes(pointer.encode("latin-1"))
    assert repository_of_worktree(tmp_path) == ""


@needs_git
def test_a_base_that_somebody_else_signed_is_not_believed(
    store: str, clone: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODERAG_REMOTE", store)
    monkeypatch.setenv("XDG_DATA_HOME", str(home / "data of somebody else"))
    said: list[str] = []
    assert over_remote_base(resolve_roots([clone])[0], list, said=said.append) == []
    assert [text.startswith("all files are read, as the base at the remote cannot be used: nobody") for text in said]


@needs_git
def test_a_damaged_base_is_removed_and_the_files_read(
    store: str, clone: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for data in (home / "store/objects").iterdir():
        data.write_bytes(bytes(len(data.read_bytes())))
    monkeypatch.setenv("CODERAG_REMOTE", store)
    said: list[str] = []
    index = over_remote_base(
        resolve_roots([clone])[0],
        lambda parts: Index.ensure(clone, workers=0, graph=False, cache=False, parts=parts),
        said=said.append,
    )
    assert index.reports[0].read == 9
    assert len(said) == 1
    assert "is damaged" in said[0]
    assert not list(pulled_folders().glob("*/segments/*"))


@needs_git
def test_an_index_that_few_files_differ_from_is_updated_alone(
    store: str, clone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Index.build(clone, workers=0, graph=False).close()
    (clone / "src/part_4.py").write_text("def edited_later():\n    return 4\n")
    monkeypatch.setenv("CODERAG_REMOTE", store)
    assert over_remote_base(resolve_roots([clone])[0], list, said=pytest.fail) == []
    assert not pulled_folders().exists()


@needs_git
@pytest.mark.slow
def test_a_process_in_the_background_takes_the_base(store: str, clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODERAG_REMOTE", store)
    root = resolve_roots([clone])[0]
    assert spawn_indexing(root).wait(PATIENCE_SECONDS) == 0
    assert list(pulled_folders().iterdir())
    with Index.of([root]) as index:
        assert index.is_fresh()
        assert index.search("overlaid step")[0].chunk.path == "src/part_3.py"


@needs_git
def test_a_repository_names_no_remote(store: str, clone: Path) -> None:
    write(clone, {"coderag.toml": f'remote = "{store}"\n'})
    with pytest.raises(SettingsError, match="remote"):
        Index.ensure(clone, workers=0, graph=False)
    assert not pulled_folders().exists()


def test_what_the_users_settings_say(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert user_remote() == ""
    for text, said in (
        ("remote = 3", "is not the address"),
        ("other = 1", "unknown field 'other'"),
        ("=", "cannot be"),
    ):
        write(home / "config/coderag", {"config.toml": text})
        with pytest.raises(SettingsError, match=said):
            user_remote()
    write(home / "config/coderag", {"config.toml": 'remote = "s3://bucket/indexes"\n'})
    assert user_remote() == "s3://bucket/indexes"
    monkeypatch.setenv("CODERAG_REMOTE", "")
    assert user_remote() == ""
