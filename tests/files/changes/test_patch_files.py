"""Patches of a folder, applied or not, to the texts of both sides."""

from __future__ import annotations

from pathlib import Path

from coderag.files.changes.patch_files import changes_of_patch
from coderag.files.changes.records import ChangedFile, LeftOut, WhyLeftOut
from coderag.types import Span
from tests.workspace import write

PATCH = "--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"
LINES = ((Span(2, 2),), (Span(2, 2),))


def test_either_side_may_be_there(tmp_path: Path) -> None:
    for there in (b"one\ntwo\n", b"one\n2\n", b"one\r\ntwo\r\n"):
        write(tmp_path, {"x.py": there})
        found = changes_of_patch(tmp_path, PATCH, title="p")
        assert found.files == (ChangedFile("x.py", "x.py", b"one\ntwo\n", b"one\n2\n", *LINES),)
        assert found == changes_of_patch(tmp_path, PATCH.replace("\n", "\r\n"), title="p")


def test_files_that_come_and_go(tmp_path: Path) -> None:
    patch = (
        "diff --git a/new.py b/new.py\nnew file mode 100644\n--- /dev/null\n+++ b/new.py\n@@ -0,0 +1 @@\n+n\n"
        "diff --git a/old.py b/old.py\ndeleted file mode 100644\n--- a/old.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-o\n"
    )
    files = (
        ChangedFile("", "new.py", b"", b"n\n", (), (Span(1, 1),)),
        ChangedFile("old.py", "", b"o\n", b"", (Span(1, 1),), ()),
    )
    for there in ({"new.py": "n\n"}, {"old.py": "o\n"}):
        assert changes_of_patch(write(tmp_path / str(len(there)), there), patch, title="").files == files


def test_what_is_left_out(tmp_path: Path) -> None:
    outside = write(tmp_path / "outside", {"x.py": "one\ntwo\n"})
    root = write(tmp_path / "root", {"y.py": "something else\n"})
    (root / "x.py").symlink_to(outside / "x.py")
    assert changes_of_patch(root, PATCH, title="").left_out == (LeftOut("x.py", WhyLeftOut.DOES_NOT_FIT),)
    other = PATCH.replace("x.py", "y.py")
    assert changes_of_patch(root, other, title="").left_out == (LeftOut("y.py", WhyLeftOut.DOES_NOT_FIT),)
    binary = "diff --git a/z b/z\nindex 1111111..2222222 100644\nBinary files a/z and b/z differ\n"
    assert changes_of_patch(root, binary, title="").left_out == (LeftOut("z", WhyLeftOut.BINARY),)
    link = "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc/passwd\n"
    assert changes_of_patch(root, link, title="").left_out == (LeftOut("l", WhyLeftOut.LINK),)
    mode = "diff --git a/m b/m\nold mode 100644\nnew mode 100755\n"
    assert changes_of_patch(root, mode, title="").files == ()
