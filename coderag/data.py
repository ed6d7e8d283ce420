"""Where the folders of language and dialect data lie."""

from __future__ import annotations

from functools import cache
from pathlib import Path

__all__ = ["data_folder"]


@cache
def data_folder(name: str) -> Path:
    """Return the folder `parsers` or `schemas`: inside the installed package, or beside it in a checkout."""
    package = Path(__file__).parent
    installed = package / name
    return installed if installed.is_dir() else package.parent / name
