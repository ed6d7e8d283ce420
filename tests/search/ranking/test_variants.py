"""What repeats something else of a repository stands behind it: older versions, files for other platforms."""

from __future__ import annotations

from pathlib import Path

from coderag import Index
from tests.workspace import write

LOCK = "def acquire_lock(path):\n    '''Acquire the lock of a file.'''\n    return open(path)\n"
HUB = "class Handler:\n    '''Handle records.'''\n\n    def handle(self, record):\n        return record\n"


def first_paths(tmp_path: Path, files: dict[str, str], text: str) -> list[str]:
    root = write(tmp_path / "repository", files)
    with Index.build(root, index=tmp_path / "index", workers=0) as index:
        return [hit.chunk.path for hit in index.search(text, k=5)]


def test_a_file_for_another_platform_stands_behind_unless_it_is_named(tmp_path: Path) -> None:
    files = {"files/darwin/lock.py": LOCK, "files/unix/lock.py": LOCK + "\n\nLIMIT = 3\n"}
    assert first_paths(tmp_path, files, "how a lock is acquired")[0] == "files/unix/lock.py"
    asked = first_paths(tmp_path / "again", files, "how a lock is acquired on darwin")
    assert asked[0] == "files/darwin/lock.py"


def test_an_older_version_stands_behind_unless_it_is_named(tmp_path: Path) -> None:
    files = {"v3/lock.py": LOCK, "v4/lock.py": LOCK + "\n\nLIMIT = 3\n"}
    assert first_paths(tmp_path, files, "how a lock is acquired")[0] == "v4/lock.py"
    assert first_paths(tmp_path / "again", files, "how a lock is acquired in v3")[0] == "v3/lock.py"


def test_what_others_name_stands_before_what_nobody_names(tmp_path: Path) -> None:
    users = {f"user_{number}.py": f"from base import Handler\n\nOWN_{number} = Handler()\n" for number in range(6)}
    files = {"a_silent.py": HUB.replace("Handler", "Silent"), "base.py": HUB, **users}
    found = first_paths(tmp_path, files, "how records are processed")
    assert found.index("base.py") < found.index("a_silent.py")
