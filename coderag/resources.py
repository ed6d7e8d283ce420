"""Where the folders of language and dialect data lie, and those of the user."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path

__all__ = ["data_folder", "rules_installed_ns", "user_folder"]

# What decides how files are read, besides the files: data, a folder for each language or dialect, and code.
RULE_FOLDERS = ("parsers", "schemas/dialects", "schemas/frameworks")
RULE_CODE = ("files/privacy/secrets", "index/storage", "text")


@cache
def data_folder(name: str) -> Path:
    """Return `parsers` or `schemas/dialects`: inside the installed package, or beside it in a checkout."""
    package = Path(__file__).parent
    installed = package / name
    return installed if installed.is_dir() else package.parent / name


@cache
def rules_installed_ns() -> int:
    """Return when anything in the folders that decide how files are read was installed or replaced last.

    In nanoseconds since 1970, by the folders alone, so that a search can afford it. An older index may have been made
    with other rules.
    """
    package = os.path.dirname(__file__)  # noqa: PTH120 - every search asks, and pathlib is slower
    newest = max(os.stat(os.path.join(package, name)).st_mtime_ns for name in RULE_CODE)
    for name in RULE_FOLDERS:
        with os.scandir(data_folder(name)) as entries:
            newest = max([newest, *(entry.stat().st_mtime_ns for entry in entries)])
    return newest


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
