"""What a user sets for all roots: $XDG_CONFIG_HOME/coderag/config.toml, where variables have precedence.

No file of a repository can say the same: it would name a host that this machine sends requests to.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path

from coderag.errors import SettingsError
from coderag.resources import user_folder

__all__ = ["REMOTE_VARIABLE", "user_remote", "user_settings_file"]

REMOTE_VARIABLE = "CODERAG_REMOTE"
FIELDS = ("remote",)


def user_settings_file(environment: Mapping[str, str] = os.environ) -> Path:
    """Return where the settings of the user are: under $XDG_CONFIG_HOME, or ~/.config."""
    return user_folder("XDG_CONFIG_HOME", ".config", environment) / "config.toml"


def user_remote(environment: Mapping[str, str] = os.environ) -> str:
    """Return the address of the store whose indexes are the base of new ones, "" for none; raises SettingsError."""
    if REMOTE_VARIABLE in environment:
        return environment[REMOTE_VARIABLE].strip()
    try:
        file = user_settings_file(environment)
        settings = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f"{file} cannot be read: {error}") from error
    unknown = sorted(settings.keys() - set(FIELDS))
    if unknown:
        raise SettingsError(f"{file}: unknown field {unknown[0]!r}; known are {', '.join(FIELDS)}")
    remote = settings.get("remote", "")
    if not isinstance(remote, str):
        raise SettingsError(f"{file}: remote is not the address of a store, such as s3://bucket/indexes")
    return remote.strip()
