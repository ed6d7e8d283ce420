"""Files and folders that a walk or a reader leaves out, with the reason."""

from __future__ import annotations

from enum import StrEnum

from coderag.record import record

__all__ = ["SkipReason", "Skipped"]


class SkipReason(StrEnum):
    """Why a file or folder is not read."""

    IGNORED = "ignored"  # by .gitignore, .git/info/exclude or .coderagignore
    BUILD_FOLDER = "build folder"
    DEPENDENCIES = "dependencies"
    INTERNAL = "version control or index"
    SECRET = "secret"
    LINK = "link inside the root"  # what it leads to is listed at its own path
    LINK_OUTSIDE = "link out of the root"
    LINK_LOOP = "link loop"
    BROKEN_LINK = "broken link"
    NOT_REGULAR = "not a regular file"  # FIFO, socket, device
    UNKNOWN_TYPE = "unknown type"
    CONFIGURATION = "configuration"  # off unless asked for
    NOT_ASKED = "not asked for"  # code or documents, left out by the options
    EMPTY = "empty"
    TOO_LARGE = "too large"
    BINARY = "binary"
    UNDECODABLE = "undecodable"
    MINIFIED = "minified"
    NO_PERMISSION = "no permission"
    VANISHED = "vanished"
    UNREADABLE = "unreadable"  # any other error of the file system


@record
class Skipped:
    """A file or folder that is not read; a folder, whose path ends with a slash, stands for all that it holds."""

    path: str
    reason: SkipReason
    detail: str = ""
