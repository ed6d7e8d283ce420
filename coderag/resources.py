"""Where the folders of language and dialect data lie, and those of the user."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path

__all__ = ["data_folder", "user_folder"]


@cache
def data_folder(name: str) -> Path:
    """Return `parsers` or `schemas/dialects`: inside the installed package, or beside it in a checkout."""
    package = Path(__file__).parent
    installed = package / name
    return installed if installed.is_dir() else package.parent / name


def user_folder(variable: str, default: str, environment: Mapping[str, str] = os.environ) -> Path:
    """Return coderag's folder of the user below a base of the XDG specification, or below `default` in the home.

    Raises FileNotFoundError where neither is known.
    """
    base = Path(environment.get(variable, ""))
    if not base.is_absolute():  # the specification has relative ones ignored
        base = Path(os.path.expanduser(f"~/{default}"))  # noqa: PTH111 - that of pathlib raises RuntimeError
    if not base.is_absolute():
        raise FileNotFoundError(errno.ENOENT, f"neither {variable} nor HOME is set, and the user has no home", variable)
    return base / "coderag"
