"""A large file of an index that must be what was written, compared with its sum once for each state on disk.

What the system says of a file (its inode and when it last changed in any way) is noted in the user's cache. A program
that brings a file to the place of another one, such as git, cannot make these the same.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from hashlib import blake2b

from coderag.index.storage.checksums import is_sound
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.manifest import Sum
from coderag.resources import user_folder

__all__ = ["is_verified"]

NOTE_BYTES = 1 << 10


def is_verified(path: IndexPath, known: Sum) -> bool:
    """Tell whether a file has a sum: it is read in whole unless it was, and has not changed since."""
    found = path.stat()
    if found is None or found.st_size != known[0]:
        return False
    state = [found.st_dev, found.st_ino, found.st_ctime_ns, found.st_mtime_ns, *known]
    folder = user_folder("XDG_CACHE_HOME", ".cache") / "verified"
    note = folder / blake2b(os.fsencode(path.path), digest_size=16).hexdigest()
    with suppress(OSError, ValueError, RecursionError), note.open("rb") as file:
        if json.loads(file.read(NOTE_BYTES)) == state:
            return True
    if not is_sound(path, known):
        return False
    with suppress(OSError):  # it is compared again the next time
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        note.write_text(json.dumps(state), encoding="ascii")
    return True
