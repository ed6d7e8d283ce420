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


def test_a_file_for_the_platform_that_is_named_stands_before_those_for_others(tmp_path: Path) -> None:
    files = {
        "a/lock_win32.py": LOCK,
        "b/lock_linux.py": LOCK + "\n\nLIMIT = 3\n",
        "c/lock.py": LOCK + "\n\nLIMIT = 4\n",
    }
    assert first_paths(tmp_path, files, "how is a lock of a file acquired on Linux")[0] == "b/lock_linux.py"
    asked = first_paths(tmp_path / "again", files, "how is a lock of a file acquired on Windows")
    assert asked[0] == "a/lock_win32.py"
    assert asked[-1] == "b/lock_linux.py"


def test_a_step_of_a_migration_stands_behind_the_code_as_it_is_unless_migrations_are_asked_for(tmp_path: Path) -> None:
    files = {"db/migrations/0007_lock.py": LOCK, "files/lock.py": LOCK + "\n\nLIMIT = 3\n"}
    assert first_paths(tmp_path, files, "how is the lock of a file acquired")[0] == "files/lock.py"
    asked = first_paths(tmp_path / "again", files, "which migration acquires the lock of a file")
    assert asked[0] == "db/migrations/0007_lock.py"


def test_what_does_the_work_stands_before_what_declares_it(tmp_path: Path) -> None:
    declared = "interface Locks {\n  /** Acquire the lock of a file. */\n  Lock acquireLock(Path file);\n}\n"
    done = (
        "class FileLocks implements Locks {\n  public Lock acquireLock(Path file) {\n    var channel = open(file);\n"
        "    var lock = channel.tryLock();\n    return lock == null ? waitFor(file) : lock;\n  }\n}\n"
    )
    found = first_paths(
        tmp_path, {"Locks.java": declared, "impl/FileLocks.java": done}, "how is the lock of a file acquired"
    )
    assert found[0] == "impl/FileLocks.java"


def test_a_declaration_is_followed_by_its_implementation(tmp_path: Path) -> None:
    declared = "interface Gate {\n  /** Wait until nobody else writes pages. */\n  void enter(Path it);\n}\n"
    silent = (
        "class Barrier implements Gate {\n  public void enter(Path it) {\n    var c = open(it);\n"
        "    var x = c.tryIt();\n    if (x == null) retry(it);\n  }\n}\n"
    )
    users = {
        f"User{at}.java": f"class User{at} {{\n  // until nobody waits\n  void write{at}() {{\n"
        f"    pages.write({at});\n    pages.run(it);\n    it.close();\n  }}\n}}\n"
        for at in range(8)
    }
    files = {"Gate.java": declared, "zone/Barrier.java": silent, **users}
    with Index.build(write(tmp_path / "root", files), index=tmp_path / "index", workers=0) as index:
        names = [hit.chunk.qualified_name for hit in index.search("how does it wait until nobody else writes pages")]
    assert names.index("Barrier.enter") == names.index("Gate.enter") + 1


def test_a_class_stands_behind_its_methods_unless_the_question_is_where(tmp_path: Path) -> None:
    methods = "".join(
        f"    def {name}(self):\n        pages = self.pages\n        pages.{name}(1)\n        return pages\n\n"
        for name in ("drop", "fill", "keep")
    )
    files = {"pages.py": f"class ExpiredPages:\n    '''Drop expired pages.'''\n\n    pages: Pages\n\n{methods}"}
    root = write(tmp_path / "root", files)
    with Index.build(root, index=tmp_path / "index", workers=0) as index:
        done, place = (
            [hit.chunk.name for hit in index.search(f"{first} expired pages dropped")]
            for first in ("how are", "where are")
        )
    assert done[0] == "drop"
    assert place.index("ExpiredPages") < done.index("ExpiredPages")


def test_an_older_version_stands_behind_unless_it_is_named(tmp_path: Path) -> None:
    files = {"v3/lock.py": LOCK, "v4/lock.py": LOCK + "\n\nLIMIT = 3\n"}
    assert first_paths(tmp_path, files, "how a lock is acquired")[0] == "v4/lock.py"
    assert first_paths(tmp_path / "again", files, "how a lock is acquired in v3")[0] == "v3/lock.py"


def test_what_others_name_stands_before_what_nobody_names(tmp_path: Path) -> None:
    users = {f"user_{number}.py": f"from base import Handler\n\nOWN_{number} = Handler()\n" for number in range(6)}
    files = {"a_silent.py": HUB.replace("Handler", "Silent"), "base.py": HUB, **users}
    found = first_paths(tmp_path, files, "how records are processed")
    assert found.index("base.py") < found.index("a_silent.py")


def test_tests_within_a_file_stand_behind_its_code_and_can_be_left_out(tmp_path: Path) -> None:
    folders = """/// The working folder of a shell.
pub fn working_folder(shell: &Shell) -> PathBuf { shell.lookup().unwrap_or(PathBuf::new()).join(".") }

pub fn test_bit(bits: u8) -> bool { bits > 0 }

#[cfg(test)]
mod tests {
    use super::*;

    struct Mock;

    impl Mock {
        fn working_folder(&self) -> PathBuf { PathBuf::new() }
    }

    #[test]
    fn the_working_folder_of_a_shell_is_not_set() { assert_eq!(working_folder(&Shell::new()), PathBuf::new()); }
}
"""
    root = write(tmp_path / "repository", {"src/folders.rs": folders})
    with Index.build(root, index=tmp_path / "index", workers=0) as index:
        hits = index.search("what is the working folder of a shell when it is not set", k=9)
        assert hits[0].chunk.name == "working_folder"
        labelled = {hit.chunk.qualified_name: "test" in hit.chunk.labels for hit in hits}
        assert labelled["tests::the_working_folder_of_a_shell_is_not_set"]
        assert not labelled["working_folder"]
        kept = {
            hit.chunk.qualified_name for hit in index.search("working folder of a shell, bit", k=9, tests="exclude")
        }
        assert kept == {"working_folder", "test_bit"}
        tests = index.sql("select qualified_name from chunks where is_test order by 1").rows
        assert "tests::Mock::working_folder" in {row[0] for row in tests}
