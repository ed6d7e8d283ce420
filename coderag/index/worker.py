"""A worker process: batches of files in on standard input, their columns out on standard output.

Before it reads a file it says the file's position in the batch, so that the one it dies of is known. A frame is a u32
length and a pickle; only coderag's own processes speak it with each other.
"""

from __future__ import annotations

import gc
import os
import pickle
import struct
import sys
from typing import IO, Any

__all__ = ["main", "read_frame", "write_frame"]

LENGTH = struct.Struct("<I")


def write_frame(pipe: IO[bytes], value: object) -> None:
    """Write one frame."""
    body = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    left = memoryview(LENGTH.pack(len(body)) + body)
    while left:  # a raw pipe may take less than it is given
        left = left[pipe.write(left) :]
    pipe.flush()


def read_frame(pipe: IO[bytes]) -> Any:
    """Return the next frame; raises EOFError when the other side has gone."""
    (size,) = LENGTH.unpack(_read_exactly(pipe, LENGTH.size))
    return pickle.loads(_read_exactly(pipe, size))


def _read_exactly(pipe: IO[bytes], size: int) -> bytearray:
    body = bytearray(size)
    view = memoryview(body)
    filled = 0
    while filled < size:
        got = pipe.readinto(view[filled:])  # type: ignore[attr-defined]  # every binary file has it, IO does not say so
        if not got:
            raise EOFError
        filled += got
    return body


def main() -> None:
    """Analyse batches until standard input ends."""
    from coderag.index.analyse import analyse

    # A batch makes millions of objects and no cycles; the collector would look at them all, again and again.
    gc.disable()
    # Whatever a library prints must not reach the pipe that carries frames.
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    while True:
        try:
            root, files, as_lines, left_out, embed = read_frame(sys.stdin.buffer)
        except EOFError:
            return
        found = analyse(
            root,
            files,
            as_lines=as_lines,
            left_out=left_out,
            embed=embed,
            started=lambda number: write_frame(answers, number),
        )
        write_frame(answers, found)


if __name__ == "__main__":
    main()
