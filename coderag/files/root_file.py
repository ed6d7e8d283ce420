"""A file of a root by its path, read without leaving the root: settings, of coderag and of other tools.

Whoever made the repository decides what lies there. A link may lead to another file of the root, and nowhere else; what
is no regular file (a FIFO never ends, /dev/zero neither) or too large is refused.
"""

from __future__ import annotations

import errno
import os

from coderag.files.walk import read_start

__all__ = ["MOST_BYTES", "read_root_file"]

MOST_BYTES = 1 << 20  # of a file of settings


def read_root_file(root: str | os.PathLike[str], path: str, *, most_bytes: int = MOST_BYTES) -> bytes:
    """Return what a file of a root holds.

    Raises OSError as the system does, with ENXIO for what is no regular file, EXDEV for a link that leads out of the
    root, and EFBIG for more than `most_bytes`.
    """
    top = os.path.realpath(root)
    real = os.path.realpath(os.path.join(top, path))
    if os.path.commonpath([top, real]) != top:
        raise OSError(errno.EXDEV, "it leads out of the root", path)
    data = read_start(real, most_bytes + 1)
    if len(data) > most_bytes:
        raise OSError(errno.EFBIG, f"it is larger than {most_bytes:,} bytes", path)
    return data
