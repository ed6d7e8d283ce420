"""Why a file of settings is left alone."""

from __future__ import annotations

from coderag.errors import SettingsError

__all__ = ["LeftAlone"]


class LeftAlone(SettingsError):
    """A file that is not edited, since what it says is not understood or not coderag's; the text says why."""
