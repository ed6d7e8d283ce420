"""Worker processes that analyse batches of files, and survive the files that kill one."""

from __future__ import annotations

import os
import queue
import select
import subprocess
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import TracebackType

from coderag.index.columns import Columns
from coderag.index.worker import read_frame, write_frame
from coderag.reading.walk import Skipped, SourceFile

__all__ = ["Batch", "Result", "WorkerPool"]

BATCH_SECONDS = 120.0  # a batch is about a megabyte and takes 0.3 s; this is for machines that are busy
FILE_SECONDS = 20.0  # what a file may take when its batch failed
AHEAD = 3  # batches a worker that may wait to be taken, so that memory stays bounded

Batch = Sequence[SourceFile]
Result = list[tuple[Columns, list[Skipped]]]


class WorkerFailed(Exception):
    """A worker died or did not answer in time."""


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

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
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
        worker = self._idle.get()
        try:
            return [worker.ask((self._root, batch, False), BATCH_SECONDS)]
        except WorkerFailed:
            return [self._run_alone(worker, file) for file in batch]
        finally:
            self._idle.put(worker)

    def _run_alone(self, worker: _Worker, file: SourceFile) -> tuple[Columns, list[Skipped]]:
        """Analyse a file of a batch that failed; the one that is to blame is read as lines."""
        try:
            return worker.ask((self._root, [file], False), FILE_SECONDS)
        except WorkerFailed:
            return worker.ask((self._root, [file], True), FILE_SECONDS)


class _Worker:
    """One process, started when it is first asked, and again after it failed."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, request: object, seconds: float) -> tuple[Columns, list[Skipped]]:
        """Return the worker's answer; raises WorkerFailed and ends the process when there is none in time."""
        process = self._process = self._process or _start()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            write_frame(process.stdin, request)
            ready, _, _ = select.select([process.stdout], [], [], seconds)
            if ready:
                columns, skipped = read_frame(process.stdout)
                return columns, skipped
        except (EOFError, BrokenPipeError) as error:
            self.stop()
            raise WorkerFailed from error
        self.stop()
        raise WorkerFailed

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
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
