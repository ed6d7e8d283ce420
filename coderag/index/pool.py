"""Worker processes that analyse batches of files, and survive the files that kill one."""

from __future__ import annotations

import os
import queue
import select
import subprocess
import sys
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import TracebackType

from coderag.index.columns import Columns
from coderag.index.worker import read_frame, write_frame
from coderag.reading.walk import Skipped, SourceFile

__all__ = ["Batch", "Result", "WorkerPool"]

FILE_SECONDS = 20.0  # the largest file takes a second or two; this one will not end
AHEAD = 3  # batches a worker that may wait to be taken, so that memory stays bounded

Batch = Sequence[SourceFile]
Result = tuple[Columns, list[Skipped]]


class WorkerFailed(Exception):
    """A worker died or did not go on in time, over one file of its batch."""

    def __init__(self, position: int) -> None:
        super().__init__(position)
        self.position = position


class WorkerPool:
    """Some worker processes; use it in a `with` block."""

    def __init__(self, root: str, count: int) -> None:
        self._root = root
        self._count = count
        self._idle: queue.SimpleQueue[_Worker] = queue.SimpleQueue()
        self._threads = ThreadPoolExecutor(max_workers=count, thread_name_prefix="coderag-worker")
        self._workers = [_Worker() for _ in range(count)]
        for worker in self._workers:
            self._idle.put(worker)

    def __enter__(self) -> WorkerPool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for worker in self._workers:
            worker.stop()
        self._threads.shutdown(wait=True, cancel_futures=True)

    def map(self, batches: Iterable[Batch]) -> Iterator[Result]:
        """Yield the result of each batch, in the order of the batches."""
        pending: deque[Future[Result]] = deque()
        for batch in batches:
            pending.append(self._threads.submit(self._run, batch))
            if len(pending) > self._count * AHEAD:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()

    def _run(self, batch: Batch) -> Result:
        """Analyse a batch; a file that a worker fails over is read as lines the next time."""
        worker = self._idle.get()
        as_lines: set[int] = set()
        try:
            while True:
                try:
                    return worker.ask(self._root, batch, as_lines)
                except WorkerFailed as failure:
                    if failure.position in as_lines:
                        raise
                    as_lines.add(failure.position)
        finally:
            self._idle.put(worker)


class _Worker:
    """One process, started when it is first asked, and again after it failed."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, root: str, batch: Batch, as_lines: Collection[int]) -> Result:
        """Return the worker's answer; ends the process and raises WorkerFailed when there is none in time."""
        process = self._process = self._process or _start()
        assert process.stdin is not None
        assert process.stdout is not None
        position = 0
        try:
            write_frame(process.stdin, (root, batch, as_lines))
            while select.select([process.stdout], [], [], FILE_SECONDS)[0]:
                frame = read_frame(process.stdout)
                if isinstance(frame, int):
                    position = frame
                else:
                    columns, skipped = frame
                    return columns, skipped
        except (EOFError, BrokenPipeError) as error:
            self.stop()
            raise WorkerFailed(position) from error
        self.stop()
        raise WorkerFailed(position)

    def stop(self) -> None:
        """End the process if there is one."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except BrokenPipeError:
                    continue  # what was still to be written is for a process that is gone


def _start() -> subprocess.Popen[bytes]:
    # "-P" keeps the current folder off the module path: it may be the untrusted repository that is being indexed.
    package = str(Path(__file__).resolve().parents[2])
    inherited = os.environ.get("PYTHONPATH")
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(filter(None, (package, inherited))),
        "OPENBLAS_NUM_THREADS": "1",  # numpy only sorts and adds here
    }
    command = [sys.executable, "-P", "-m", "coderag.index.worker"]
    return subprocess.Popen(command, bufsize=0, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
