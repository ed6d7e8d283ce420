"""What reading leaves behind: files are read without a collector of cycles, so none may hold their trees."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

from coderag.files.walk import SourceFile, walk
from coderag.index.workers.analyze import analyze

FIXTURES = Path(__file__).parents[3] / "fixtures"
OWN = "coderag."
ROOTS = ("shop", "apps", "embedded", "applications")


@pytest.mark.slow
@pytest.mark.parametrize("name", ROOTS)
def test_no_cycle_holds_what_was_read(name: str) -> None:
    root = FIXTURES / name
    files = list(walk(root).files)
    _read(root, files)  # modules that are imported leave cycles
    gc.collect()
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        _read(root, files)
        gc.collect()
        left = sorted({type(one).__qualname__ for one in gc.garbage if type(one).__module__.startswith(OWN)})
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()
    assert left == []


def _read(root: Path, files: list[SourceFile]) -> None:
    assert files
    analyze(str(root), files, embed=False, mask=True)
