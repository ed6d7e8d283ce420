"""Worker processes that analyse batches of files, and survive the files that kill one."""

from __future__ import annotations

import math
import os
import queue
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from types import TracebackType
from typing import IO

from coderag.errors import WorkerError
from coderag.files.decode import Contents
from coderag.index.workers.executor import Batch, Result
from coderag.index.workers.exit_reasons import Ended, ExitReason, exit_reason, wait_for
from coderag.index.workers.fork_server import Load, fork_server
from coderag.index.workers.process import MODULE, Process, Reader, start_reader
from coderag.index.workers.process_limits import FILE_BYTES, FILE_SECONDS
from coderag.index.workers.worker import read_frame, write_frame

__all__ = ["WorkerPool"]

START_SECONDS = 60.0  # a process that reads no file by then does not come up
AHEAD = 3  # batches a worker that may wait to be taken, so that memory stays bounded
LAST_WORDS = 4000  # bytes of what a process said before its end
WALL_FACTOR = 3  # times FILE_SECONDS, which a worker counts in the processor's time: what waits is ended too
MAX_WHOLE = 3  # tries of a batch whose files can be read one by one
NOTHING = Load()
UNREAD = -1  # the position of a worker that began no file

# root or contents, files, as_lines, left_out, embed, mask: of `analyze`
Request = tuple[str | Contents, Batch, Mapping[int, str], Mapping[int, str], bool, bool]


class WorkerFailed(Exception):
    """A worker ended over the file at `position` of its batch, or over the whole of it at the batch's length."""

    def __init__(self, position: int, kind: ExitReason, detail: str) -> None:
        super().__init__(position, kind, detail)
        self.position = position
        self.kind = kind
        self.detail = detail


@dataclass(slots=True)
class Failures:
    """The files of a batch that workers failed over, by position, each with the reason."""

    once: dict[int, str] = field(default_factory=dict)  # it may have been for another's memory
    as_lines: dict[int, str] = field(default_factory=dict)
    left_out: dict[int, str] = field(default_factory=dict)
    whole: int = 0  # over all of them, and none of them alone

    def add(self, position: int, reason: str, *, again: bool) -> bool:
        """Note a failure, to be tried again as it is or with less; False when there is nothing less."""
        if again and position not in self.once:
            self.once[position] = reason
        elif position not in self.as_lines:
            self.as_lines[position] = reason
        elif position not in self.left_out:
            self.left_out[position] = reason
        else:
            return False
        return True


class WorkerPool:
    """Some worker processes; use it in a `with` block."""

    def __init__(
        self,
        root: str,
        count: int,
        *,
        file_seconds: float = FILE_SECONDS,
        file_bytes: int = FILE_BYTES,
        embed: bool = False,
        mask: bool = True,
        niceness: int = 0,
        load: Load | None = NOTHING,
    ) -> None:
        """`load` is what all of them need, loaded once where processes can be copied; None to start each by itself."""
        self._root = root
        self._embed = embed  # whether chunks get vectors of the shipped encoder
        self._mask = mask  # whether secrets are covered
        self._count = count
        self._file_seconds = file_seconds
        self._file_bytes = file_bytes
        # Before there are threads: the server is a copy of this process where it has none.
        self._server = fork_server(load) if load is not None else None
        self._workers = [_Worker(self._start_reader, file_seconds, file_bytes, niceness) for _ in range(count)]
        # The last one back is the next one out, so that few batches need few processes.
        self._idle: queue.LifoQueue[_Worker] = queue.LifoQueue()
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
        if self._server is not None:
            self._server.close()

    def _start_reader(self) -> Reader:
        """Start a process of this pool; where the server has gone, a program that says why it cannot start."""
        forked = self._server.start(self._file_bytes, self._file_seconds) if self._server is not None else None
        return forked or start_reader(self._file_bytes, self._file_seconds)

    def map(self, batches: Iterable[Batch]) -> Iterator[Result]:
        """Yield the result of each batch, in the order of the batches; raises WorkerError when no process starts.

        May be called again, also after one that was not taken to its end.
        """
        pending: deque[Future[Result]] = deque()
        try:
            for batch in batches:
                pending.append(self._threads.submit(self.read, batch))
                if len(pending) > self._count * AHEAD:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        finally:
            for future in pending:
                future.cancel()

    def rest(self) -> None:
        """End the processes that wait, where copies of a server take their place in no time."""
        if self._server is None:
            return
        resting: list[_Worker] = []
        with suppress(queue.Empty):
            while True:
                resting.append(self._idle.get_nowait())
        for worker in resting:
            worker.stop()
            self._idle.put(worker)

    def read(self, batch: Batch, *, contents: Contents | None = None) -> Result:
        """Return the result of a batch; a file that workers fail over is read as lines, then left out.

        Given their `contents`, the files need not be below the root. Raises WorkerError when no process starts.
        """
        source = self._root if contents is None else contents
        worker = self._idle.get()
        failures = Failures()
        try:
            while True:
                try:
                    return worker.ask((source, batch, failures.as_lines, failures.left_out, self._embed, self._mask))
                except WorkerFailed as failure:
                    if self._closing.is_set():
                        raise
                    if failure.position == len(batch):
                        self._find_guilty(worker, batch, failures, source=source)
                    else:
                        self._note(failure, failures, position=failure.position)
        finally:
            self._idle.put(worker)

    def _note(self, failure: WorkerFailed, failures: Failures, *, position: int) -> None:
        """Note who is to be treated with more care; raises WorkerError when that cannot help."""
        # Who was killed may have been so for another's memory. What failed in any other way would do so again.
        again = failure.kind is ExitReason.KILLED or position == UNREAD
        tried = failures.add(position, self._reason(failure), again=again)
        if not tried or UNREAD in failures.as_lines:
            detail = f" ({failure.detail})" if failure.detail else ""
            raise WorkerError(
                f"{sys.executable!r} -m {MODULE} does not start{detail}; read the files in this process: workers=0"
                if position == UNREAD
                else f"a worker process {self._reason(failure)}, whatever it is asked{detail}"
            ) from failure

    def _find_guilty(self, worker: _Worker, batch: Batch, failures: Failures, *, source: str | Contents) -> None:
        """Find by reading each file alone which of them a worker failed over when it had read them all."""
        found = False
        for position, file in enumerate(batch):
            as_lines, left_out = (
                {0: known[position]} if position in known else {} for known in (failures.as_lines, failures.left_out)
            )
            try:
                worker.ask((source, [file], as_lines, left_out, self._embed, self._mask))
            except WorkerFailed as failure:
                if self._closing.is_set():
                    raise
                found = True
                self._note(failure, failures, position=UNREAD if failure.position == UNREAD else position)
        failures.whole += not found
        if failures.whole == MAX_WHOLE:
            raise WorkerError("a worker process failed over files that it can read one by one: workers=0 reads them")

    def _reason(self, failure: WorkerFailed) -> str:
        match failure.kind:
            case ExitReason.LATE:
                return f"reading it did not end in {self._file_seconds:g} s"
            case ExitReason.MEMORY:
                return f"reading it took more than {self._file_bytes / 1e9:g} GB of memory"
            case ExitReason.CRASHED:
                return f"reading it crashed the parser ({failure.detail})"
            case ExitReason.RAISED:
                return f"reading it failed ({failure.detail})"
            case ExitReason.KILLED:
                return "the process that read it was killed"

    def _end_late_ones(self, seconds: float) -> None:
        while not self._closing.wait(seconds):
            for worker in self._workers:
                if time.monotonic() > worker.deadline:
                    worker.kill()


class _Worker:
    """One process, started when it is first asked, and again after it failed."""

    def __init__(
        self, start_process: Callable[[], Reader], file_seconds: float, file_bytes: int, niceness: int
    ) -> None:
        self._start_process = start_process
        self._file_seconds = file_seconds
        self._file_bytes = file_bytes
        self._niceness = niceness
        self._process: Process | None = None
        self._said: IO[bytes] | None = None  # what the process writes to its standard error
        self.deadline = math.inf  # when the process has to be killed

    def ask(self, request: Request) -> Result:
        """Return the worker's answer; raises WorkerFailed when its process ends before it gave one."""
        position = UNREAD
        try:
            process = self.start()
            self.deadline = time.monotonic() + START_SECONDS
            assert process.stdin is not None
            assert process.stdout is not None
            write_frame(process.stdin, request)
            while isinstance(frame := read_frame(process.stdout), int):
                position = frame
                at_end = position == len(request[1])
                seconds = START_SECONDS if at_end else WALL_FACTOR * self._file_seconds
                self.deadline = time.monotonic() + seconds
        except (EOFError, OSError) as error:
            late = time.monotonic() > self.deadline
            self.deadline = math.inf
            kind, detail = self._ended()
            raise WorkerFailed(position, ExitReason.LATE if late else kind, detail) from error
        finally:
            self.deadline = math.inf
        columns, skipped, outgrown = frame
        if outgrown:
            self.stop()
        return columns, skipped

    def kill(self) -> None:
        """End the process; who waits for its answer finds the end of the pipe."""
        process = self._process
        if process is not None:
            process.kill()

    def stop(self) -> None:
        """End the process if there is one, pass on what it said, and let go of it."""
        self.kill()
        self._let_go()
        if self._said is not None:
            self._said.seek(0)
            sys.stderr.write(self._said.read().decode("utf-8", "replace"))
            self._said.close()
            self._said = None

    def _ended(self) -> tuple[ExitReason, str]:
        """Let go of a process that ended, and tell how it did."""
        ended = self._let_go()
        if self._said is None:
            return ExitReason.KILLED, ""
        said, self._said = self._said, None
        with said:
            said.seek(max(said.seek(0, os.SEEK_END) - LAST_WORDS, 0))
            return exit_reason(ended, said.read(), limit=self._file_bytes)

    def _let_go(self) -> Ended:
        """Wait for the end of the process and close its pipes."""
        process, self._process = self._process, None
        if process is None:
            return Ended(0)
        ended = wait_for(process)
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except BrokenPipeError:
                    continue  # what was still to be written is for a process that is gone
        return ended

    def start(self) -> Process:
        """Return the process, started where there is none."""
        if self._process is not None:
            return self._process
        reader = self._start_process()
        self._process, self._said = reader.process, reader.said
        if self._niceness:
            with suppress(OSError):  # it has ended already, which whoever asks it will see
                os.setpriority(os.PRIO_PROCESS, self._process.pid, self._niceness)
        return self._process
