"""A worker process: batches of files in on standard input, their columns out on standard output.

A frame is a u32 length and a pickle. Only coderag's own processes speak it with each other.
"""

from __future__ import annotations

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
    pipe.write(LENGTH.pack(len(body)))
    pipe.write(body)
    pipe.flush()


def read_frame(pipe: IO[bytes]) -> Any:
    """Return the next frame; raises EOFError when the other side has gone."""
    head = pipe.read(LENGTH.size)
    if len(head) < LENGTH.size:
        raise EOFError
    (size,) = LENGTH.unpack(head)
    body = pipe.read(size)
    if len(body) < size:
        raise EOFError
    return pickle.loads(body)


def main() -> None:
    """Analyse batches until standard input ends."""
    from coderag.index.analyse import analyse

    # Whatever a library prints must not reach the pipe that carries frames.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    while True:
        try:
            root, files, as_lines = read_frame(sys.stdin.buffer)
        except EOFError:
            return
        write_frame(answers, analyse(root, files, as_lines=as_lines))


if __name__ == "__main__":
    main()
