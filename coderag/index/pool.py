"""Worker processes that analyse batches of files, and survive the files that kill one."""

from __future__ import annotations

import math
import os
import queue
import subprocess
import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence, Set
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import TracebackType

from coderag.errors import WorkerError
from coderag.index.columns import Columns
from coderag.index.worker import read_frame, write_frame
from coderag.reading.walk import Skipped, SourceFile

__all__ = ["FILE_SECONDS", "Batch", "Result", "WorkerPool"]

FILE_SECONDS = 20.0  # the largest file takes a second or two; this one will not end
START_SECONDS = 60.0  # a process that reads no file by then does not come up
AHEAD = 3  # batches a worker that may wait to be taken, so that memory stays bounded

Batch = Sequence[SourceFile]
Result = tuple[Columns, list[Skipped]]
Request = tuple[str, Batch, Set[int], Set[int], bool]  # root, files, as_lines, left_out, embed: of `analyse`


class WorkerFailed(Exception):
    """A worker ended or was ended, over the file at `position` of its batch; -1: before it began one."""

    def __init__(self, position: int, *, late: bool) -> None:
        super().__init__(position)
        self.position = position
        self.late = late  # it did not end by itself


class WorkerPool:
    """Some worker processes; use it in a `with` block."""

    def __init__(self, root: str, count: int, *, file_seconds: float = FILE_SECONDS, embed: bool = False) -> None:
        self._root = root
        self._embed = embed  # whether chunks get vectors of the shipped encoder
        self._count = count
        self._workers = [_Worker(file_seconds) for _ in range(count)]
        self._idle: queue.SimpleQueue[_Worker] = queue.SimpleQueue()
        for worker in self._workers:
            self._idle.put(worker)
        self._closing = threading.Event()
        self._threads = ThreadPoolExecutor(max_workers=count, thread_name_prefix="coderag-worker")
        self._watch = threading.Thread(target=self._end_late_ones, args=(file_seconds / 20,), daemon=True)
        self._watch.start()

    def __enter__(self) -> WorkerPool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.set()
        self._watch.join()
        self._threads.shutdown(wait=False, cancel_futures=True)
        for worker in self._workers:
            worker.kill()  # its thread sees the end of the pipe, and that the pool closes
        self._threads.shutdown(wait=True)
        for worker in self._workers:
            worker.stop()

    def map(self, batches: Iterable[Batch]) -> Iterator[Result]:
        """Yield the result of each batch, in the order of the batches; raises WorkerError when no process starts."""
        pending: deque[Future[Result]] = deque()
        for batch in batches:
            pending.append(self._threads.submit(self._run, batch))
            if len(pending) > self._count * AHEAD:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()

    def _run(self, batch: Batch) -> Result:
        """Analyse a batch; a file that workers fail over is read as lines, and left out if that fails too."""
        worker = self._idle.get()
        failures: Counter[int] = Counter()
        try:
            while True:
                try:
                    as_lines = {position for position, count in failures.items() if count > 1}
                    left_out = {position for position, count in failures.items() if count > 3}
                    return worker.ask((self._root, batch, as_lines, left_out, self._embed))
                except WorkerFailed as failure:
                    if self._closing.is_set():
                        raise
                    # Who was killed may have been so for another's memory: the file gets a second chance. One that
                    # did not end would not end again.
                    failures[failure.position] += 2 if failure.late else 1
                    if failures[-1] > 1:
                        raise WorkerError(
                            f"{' '.join(_command())!r} does not start; read the files in this process: workers=0"
                        ) from failure
        finally:
            self._idle.put(worker)

    def _end_late_ones(self, seconds: float) -> None:
        while not self._closing.wait(seconds):
            for worker in self._workers:
                if time.monotonic() > worker.deadline:
                    worker.kill()


class _Worker:
    """One process, started when it is first asked, and again after it failed."""

    def __init__(self, file_seconds: float) -> None:
        self._file_seconds = file_seconds
        self._process: subprocess.Popen[bytes] | None = None
        self.deadline = math.inf  # when the process has to be killed

    def ask(self, request: Request) -> Result:
        """Return the worker's answer; raises WorkerFailed when its process ends before it gave one."""
        position = -1
        self.deadline = time.monotonic() + START_SECONDS
        try:
            process = self._process = self._process or _start()
            assert process.stdin is not None
            assert process.stdout is not None
            write_frame(process.stdin, request)
            while isinstance(frame := read_frame(process.stdout), int):
                position = frame
                self.deadline = time.monotonic() + self._file_seconds
        except (EOFError, OSError) as error:
            late = time.monotonic() > self.deadline
            self.stop()
            raise WorkerFailed(position, late=late) from error
        finally:
            self.deadline = math.inf
        columns, skipped = frame
        return columns, skipped

    def kill(self) -> None:
        """End the process; who waits for its answer finds the end of the pipe."""
        process = self._process
        if process is not None:
            process.kill()

    def stop(self) -> None:
        """End the process if there is one, and let go of it."""
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


def _command() -> list[str]:
    # "-P" keeps the current folder off the module path: it may be the untrusted repository that is being indexed.
    return [sys.executable, "-P", "-m", "coderag.index.worker"]


def _start() -> subprocess.Popen[bytes]:
    package = str(Path(__file__).resolve().parents[2])
    inherited = os.environ.get("PYTHONPATH")
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(filter(None, (package, inherited))),
        "OPENBLAS_NUM_THREADS": "1",  # numpy only sorts and adds here
    }
    return subprocess.Popen(_command(), bufsize=0, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
