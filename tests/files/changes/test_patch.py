"""Patches, as git and diff write them, to files and lines."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coderag.errors import QueryError
from coderag.files.changes.patch import FilePatch, parse_patch
from coderag.files.changes.patching import new_text, old_text
from coderag.types import Span
from tests.effort import effort
from tests.workspace import write

# Lines that look like parts of a patch, and one that ends as Windows ends lines.
LINES = ("a", "b", "", "-- a/x", "++ b/x", "@@ -1 +1 @@", "diff --git a/x b/x", "\\ No newline", "c\r", " ")
TEXTS = st.tuples(st.lists(st.sampled_from(LINES), max_size=12), st.booleans()).map(
    lambda drawn: "\n".join(drawn[0]) + ("\n" if drawn[1] and drawn[0] else "")
)


def git_diff(root: Path, old: str, new: str, *options: str) -> str:
    """Return what git says of two texts; they are told apart by their folders."""
    write(root, {"old/x": old.encode(), "new/x": new.encode()})
    arguments = ["git", "-C", str(root), "diff", "--no-index", "--no-color", "--text", *options, "old/x", "new/x"]
    done = subprocess.run(arguments, capture_output=True, check=False, env={**os.environ, "GIT_DIR": os.devnull})
    assert done.returncode in (0, 1), done.stderr
    return done.stdout.decode()


def without(lines: list[str], spans: tuple[Span, ...]) -> list[str]:
    """Return lines without some of them, which must be there."""
    numbers = {number for span in spans for number in range(span.start_line, span.end_line + 1)}
    assert all(1 <= number <= len(lines) for number in numbers)
    return [line for number, line in enumerate(lines, 1) if number not in numbers]


@settings(max_examples=effort(60, thorough=3000), deadline=None)
@given(old=TEXTS, new=TEXTS, context=st.sampled_from(["-U0", "-U1", "-U3"]))
def test_ranges_are_those_in_which_texts_differ(
    tmp_path_factory: pytest.TempPathFactory, old: str, new: str, context: str
) -> None:
    patches = parse_patch(git_diff(tmp_path_factory.mktemp("texts"), old, new, context))
    if old == new:
        assert patches == ()
        return
    (patch,) = patches
    before, after = (text.removesuffix("\n").split("\n") if text else [] for text in (old, new))
    kept = without(before, patch.old_lines)
    if old.endswith("\n") == new.endswith("\n") or not (old and new):
        assert kept == without(after, patch.new_lines)
        assert [len(spans) > 0 for spans in (patch.old_lines, patch.new_lines)] != [False, False]
    assert new_text(old, patch) == new
    assert old_text(new, patch) == old


def test_a_text_that_is_not_the_patched_one_does_not_fit(tmp_path: Path) -> None:
    (patch,) = parse_patch(git_diff(tmp_path, "a\nb\n", "a\nc\n"))
    assert new_text("a\nx\n", patch) is None
    assert old_text("a\nb\n", patch) is None


HEADERS = {
    "rename": (
        "diff --git a/old name.py b/new name.py\nsimilarity index 90%\nrename from old name.py\nrename to new name.py\n"
        "index 1111111..2222222 100644\n--- a/old name.py\t\n+++ b/new name.py\t\n@@ -2 +2 @@\n-b\n+c\n",
        ("old name.py", "new name.py"),
    ),
    "rename alone": ("diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n", ("x", "y")),
    "new": (
        "diff --git a/x b/x\nnew file mode 100644\nindex 0000000..2222222\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+c\n",
        ("", "x"),
    ),
    "new and empty": ("diff --git a/x y b/x y\nnew file mode 100644\nindex 0000000..e69de29\n", ("", "x y")),
    "deleted": (
        "diff --git a/x b/x\ndeleted file mode 100644\nindex 1111111..0000000\n"
        "--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-c\n",
        ("x", ""),
    ),
    "mode": ("diff --git a/x b/x\nold mode 100644\nnew mode 100755\n", ("x", "x")),
    "binary": ("diff --git a/x b/x\nindex 1111111..2222222 100644\nBinary files a/x and b/x differ\n", ("x", "x")),
    "quoted": (
        'diff --git "a/\\303\\244\\t.py" "b/\\303\\244\\t.py"\nold mode 100644\nnew mode 100755\n',
        ("ä\t.py", "ä\t.py"),
    ),
    "no prefix": ("diff --git x/y x/y\n--- x/y\n+++ x/y\n@@ -1 +1 @@\n-a\n+b\n", ("x/y", "x/y")),
    "mnemonic": ("diff --git i/x w/x\n--- i/x\n+++ w/x\n@@ -1 +1 @@\n-a\n+b\n", ("x", "x")),
    "diff -u": ("--- x.c\t2024-01-01 00:00:00\n+++ x.c\t2024-01-02 00:00:00\n@@ -1 +1 @@\n-a\n+b\n", ("x.c", "x.c")),
    "mail": (
        "From 1111\nSubject: x\n\n--- \n x | 2\n\n"
        "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n-- \n2.39\n",
        ("x", "x"),
    ),
}


@pytest.mark.parametrize("name", HEADERS)
def test_headers(name: str) -> None:
    text, names = HEADERS[name]
    (patch,) = parse_patch(text)
    assert (patch.old_path, patch.new_path) == names
    assert patch.binary == (name == "binary")
    assert bool(patch.hunks) == ("@@" in text)


def test_several_files_and_hunks() -> None:
    text = (
        "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@ def f\n a\n+b\n c\n@@ -9 +10,0 @@\n-z\n"
        "diff --git a/y b/y\n--- a/y\n+++ b/y\n@@ -3,0 +4,2 @@\n+p\n+q\n"
    )
    x, y = parse_patch(text)
    assert (x.old_lines, x.new_lines) == ((Span(9, 9),), (Span(2, 2),))
    assert (y.old_lines, y.new_lines) == ((), (Span(4, 5),))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("diff --cc x\nindex 1,2..3\n--- a/x\n+++ b/x\n@@@ -1,1 -1,1 +1,1 @@@\n- a\n -b\n++c\n", "combined diff"),
        ("@@ -1 +1 @@\n-a\n+b\n", "no file"),
        ("--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n-a\n+b\n", "ends early"),
        ("--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n a\n-b\n+c\n", "more lines"),
        ("--- a/../../x\n+++ b/../../x\n@@ -1 +1 @@\n-a\n+b\n", "below the root"),
        ("--- /etc/passwd\n+++ /etc/passwd\n@@ -1 +1 @@\n-a\n+b\n", "below the root"),
    ],
)
def test_what_is_refused(text: str, said: str) -> None:
    with pytest.raises(QueryError, match=said):
        parse_patch(text)


def test_a_text_without_a_diff_changes_nothing() -> None:
    assert parse_patch("") == parse_patch("hello\n--- world\n") == ()


def test_modes_and_blobs_are_kept() -> None:
    (patch,) = parse_patch("diff --git a/x b/x\nindex 1234567..89abcde 120000\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n")
    assert patch == FilePatch("x", "x", patch.hunks, "1234567", "89abcde", ("120000",))
