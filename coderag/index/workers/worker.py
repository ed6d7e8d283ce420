"""A worker process: batches of files in on standard input, their columns out on standard output.

Before it reads a file it says the file's position in the batch, so that the one it dies of is known. A frame is a u32
length and a pickle; only coderag's own processes speak it with each other. What a file may take is limited
(`limits`): more is the end of the process.
"""

from __future__ import annotations

import gc
import os
import pickle
import struct
import sys
from collections.abc import Sequence
from typing import IO, Any

from coderag.index.workers.process_limits import KEPT_BYTES, limit_memory, limit_time, occupied_bytes, sweep

__all__ = ["main", "read_frame", "serve", "write_frame"]

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
    """Analyse batches from standard input, within the limits that the command line gives."""
    serve(sys.stdin.buffer, file_bytes=int(sys.argv[1]), file_seconds=float(sys.argv[2]))


def serve(requests: IO[bytes], *, file_bytes: int, file_seconds: float) -> None:
    """Analyse batches until the requests end, and answer on standard output."""
    from coderag.index.workers.analyze import analyze
    from coderag.index.workers.readers import warm_up

    # A batch makes millions of objects and few cycles; the collector would look at them all, again and again.
    gc.disable()
    gc.freeze()
    # Whatever a library prints must not reach the pipe that carries frames.
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    limit_memory(file_bytes)
    warm_up()

    def started(number: int) -> None:
        limit_time(file_seconds if number < len(files) else 0)  # what comes last is our own and has an end
        write_frame(answers, number)

    files: Sequence[Any] = ()
    while True:
        try:
            root, files, as_lines, left_out, embed, mask = read_frame(requests)
        except EOFError:
            return
        found = analyze(root, files, as_lines=as_lines, left_out=left_out, embed=embed, mask=mask, started=started)
        limit_time(0)
        sweep()
        write_frame(answers, (*found, occupied_bytes() > KEPT_BYTES))
        del found


if __name__ == "__main__":
    main()
