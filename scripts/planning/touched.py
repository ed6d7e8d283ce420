"""An index and a question to the bytes that the question touches, page by page.

The files are mapped without readahead after their pages left the cache, so the pages that are mapped in the end are
those that the question needed. It runs in a process of its own: python -m scripts.planning.touched INDEX ROOT QUESTION
"""

from __future__ import annotations

import json
import mmap
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

__all__ = ["touched"]

HEAD = re.compile(r"^[0-9a-f]+-[0-9a-f]+ \S+ \S+ \S+ \S+\s+(/.*)$")
RESIDENT = re.compile(r"^Rss:\s+(\d+) kB$")
KILOBYTE = 1024


def touched(index: Path, root: Path, question: str) -> Mapping[str, int]:
    """Return the bytes of each kind of file that a question touches in an index that nobody has open."""
    command = [sys.executable, "-m", __spec__.name, str(index), str(root), question]
    here = Path(__file__).resolve().parents[2]
    done = subprocess.run(command, cwd=here, capture_output=True, text=True, check=True)
    found: dict[str, int] = json.loads(done.stdout)
    return found


def _measure(index: Path, root: str, question: str) -> dict[str, int]:
    from coderag import Index
    from coderag.index.storage.arrays import arrays

    os.sync()
    for path in index.rglob("*.bin"):
        handle = os.open(path, os.O_RDONLY)
        os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(handle)

    class Unread(mmap.mmap):
        """A mapping of which the system reads the pages that are asked for, and no others."""

        def __new__(cls, *args: int, **named: int) -> Unread:
            made = super().__new__(cls, *args, **named)
            made.madvise(mmap.MADV_RANDOM)
            return made

    vars(arrays)["mmap"] = Unread
    Index.open(root, index=index).search(question)
    by_file: dict[str, int] = {}
    name = ""
    for line in Path("/proc/self/smaps").read_text().splitlines():
        if head := HEAD.match(line):
            name = head[1] if head[1].startswith(str(index)) else ""
        elif name and (resident := RESIDENT.match(line)):
            most = max(by_file.get(name, 0), int(resident[1]) * KILOBYTE)  # a file may be mapped twice
            by_file[name] = min(most, Path(name).stat().st_size)
    sizes: dict[str, int] = {}
    for file, size in by_file.items():
        kind = Path(file).name.partition("-")[0].removesuffix(".bin")
        sizes[kind] = sizes.get(kind, 0) + size
    return sizes


if __name__ == "__main__":
    print(json.dumps(_measure(Path(sys.argv[1]), sys.argv[2], sys.argv[3])))
