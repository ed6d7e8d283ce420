"""A process that has loaded what reads files, and starts each reader as a copy of itself.

The modules, the compiled queries of the languages at hand and the parser of SQL are loaded once, not once a reader, and
copies share their memory. The server has a single thread, so that no copy waits for what another thread held. It is
itself a copy of the process that wants readers where that has a single thread, else a program.

Requests and replies are packets of a socket pair that only coderag's own processes hold. The server ends with the
other side, and ends its readers then.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict
from struct import Struct
from typing import IO, NoReturn

from coderag.index.workers.process import (
    Reader,
    child_environment,
    hide_working_folder,
    is_alone,
    prepare_reader,
)
from coderag.record import record

__all__ = ["FEW_FILES", "MODULE", "ForkServer", "Forked", "Load", "fork_server", "prepare_readers"]

MODULE = "coderag.index.workers.fork_server"
FEW_FILES = 1  # of a language: for more, the parts of its query that readers compile cost as much as the whole, once
AVAILABLE = sys.platform == "linux"  # elsewhere system libraries may not survive a copy
REPLY_SECONDS = 60.0  # for one that still loads; a server that takes longer is given up
END_SECONDS = 5.0  # for a server whose readers are killed
POLL_SECONDS = 0.001
MAX_PACKET = 65_536  # bytes of a request
CHANNEL = 3  # the descriptor of the server's socket; below are the standard streams
START, POLL, KILL, LOAD = b"SPKL"
NUMBERS = Struct("<qd")  # bytes and seconds that a file may take; of a poll, a process and nothing
REPLY = Struct("<qqq")  # a process or 0, its exit code, the most memory that it occupied in bytes


@record
class Load:
    """What a server loads before it starts a reader."""

    languages: tuple[str, ...] = ()
    few: tuple[str, ...] = ()  # languages of which there are only few files
    paths: tuple[str, ...] = ()  # whose languages are loaded too
    strings: bool = False  # what reads SQL in code
    sql: bool = False  # the parser of SQL
    tables: bool = False  # what reads the tables that code declares and uses


class ForkServer:
    """A server's client. Any thread may use it."""

    def __init__(self, load: Load) -> None:
        self._said = tempfile.TemporaryFile()  # noqa: SIM115  # as long as the server
        self._lock = threading.Lock()
        self._channel, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._channel.settimeout(REPLY_SECONDS)
        with theirs:
            self.pid = _copied(theirs, self._said) if is_alone() else _program(theirs, self._said)
        self._gone = False
        self.load(load)

    def load(self, load: Load) -> None:
        """Have more loaded; returns at once."""
        with self._lock, suppress(OSError):  # the next start finds that it has gone
            self._channel.send(bytes([LOAD]) + json.dumps(asdict(load)).encode())

    def start(self, file_bytes: int, file_seconds: float) -> Reader | None:
        """Start a reader within limits for each of its files; None if the server has gone."""
        stderr = tempfile.TemporaryFile()  # noqa: SIM115  # as long as the process
        requests, self_requests = os.pipe()
        self_answers, answers = os.pipe()
        ours = os.fdopen(self_requests, "wb", buffering=0), os.fdopen(self_answers, "rb", buffering=0)
        try:
            pid, _, _ = self.exchange(START, file_bytes, file_seconds, files=(requests, answers, stderr.fileno()))
        except OSError:
            for pipe in (*ours, stderr):
                pipe.close()
            return None
        finally:
            os.close(requests)
            os.close(answers)
        return Reader(Forked(self, pid, *ours), stderr)

    def exchange(
        self, verb: int, number: int, seconds: float = 0.0, *, files: Sequence[int] = ()
    ) -> tuple[int, int, int]:
        """Return the reply to a request; raises OSError where the server has gone."""
        with self._lock:
            if self._gone:
                raise ConnectionResetError(f"{MODULE} has gone")
            try:
                socket.send_fds(self._channel, [bytes([verb]) + NUMBERS.pack(number, seconds)], files)
                reply = self._channel.recv(REPLY.size)
            except OSError:
                self._gone = True
                raise
            if len(reply) < REPLY.size:
                self._gone = True
                raise ConnectionResetError(f"{MODULE} has gone")
        pid, code, peak = REPLY.unpack(reply)
        return pid, code, peak

    def close(self) -> None:
        """End the server and what is left of its readers, and pass on what it said."""
        with self._lock:
            self._gone = True
            self._channel.close()
        _wait(self.pid)
        with self._said:
            self._said.seek(0)
            sys.stderr.write(self._said.read().decode("utf-8", "replace"))


class Forked:
    """A reader that a server started."""

    def __init__(self, server: ForkServer, pid: int, stdin: IO[bytes], stdout: IO[bytes]) -> None:
        self._server = server
        self.pid = pid
        self.returncode: int | None = None
        self.peak_bytes = 0
        self.stdin: IO[bytes] | None = stdin
        self.stdout: IO[bytes] | None = stdout

    def poll(self) -> int | None:
        """Return the exit code, None while it runs."""
        if self.returncode is None:
            self._ask(POLL)
        return self.returncode

    def kill(self) -> None:
        """End it, if it has not ended."""
        if self.returncode is None:
            self._ask(KILL)

    def _ask(self, verb: int) -> None:
        try:
            ended, code, peak = self._server.exchange(verb, self.pid)
        except OSError:
            # Nobody is left who could tell; the reader is of no use either way.
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
            self.returncode = -signal.SIGKILL
            return
        if ended:
            self.returncode, self.peak_bytes = code, peak


_prepared: list[ForkServer] = []


def prepare_readers(load: Load) -> None:
    """Start what the next pool of workers needs, so that it comes up while the caller does something else."""
    if not AVAILABLE:
        prepare_reader()
    elif not _prepared:
        _prepared.append(ForkServer(load))


def fork_server(load: Load) -> ForkServer | None:
    """Return a server that loads, or has loaded, what is asked for; None if there is none on this system."""
    if not AVAILABLE:
        return None
    if not _prepared:
        return ForkServer(load)
    server = _prepared.pop()
    server.load(load)
    return server


def _program(channel: socket.socket, said: IO[bytes]) -> int:
    # "-P" keeps the current folder off the module path: it may be the untrusted repository that is being indexed.
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", MODULE, str(channel.fileno())],
        stdin=subprocess.DEVNULL,
        stdout=said,
        stderr=said,
        env=child_environment(),
        pass_fds=(channel.fileno(),),
        process_group=0,  # Ctrl-C is for this process, which ends that one
    )
    process.returncode = 0  # `_wait` waits for it
    return process.pid


def _copied(channel: socket.socket, said: IO[bytes]) -> int:
    pid = os.fork()
    if pid:
        return pid
    try:
        os.setpgid(0, 0)
        _take_files(os.open(os.devnull, os.O_RDONLY), said.fileno(), said.fileno(), channel.fileno())
        hide_working_folder()
        _serve(socket.socket(fileno=CHANNEL))
    except BaseException:  # noqa: BLE001  # told to who asked, as a program tells it
        os.write(2, traceback.format_exc().encode())
    finally:
        os._exit(1)


def _take_files(*files: int) -> None:
    """Make files the first descriptors, the standard streams, and close all others; signals end this process."""
    import fcntl

    moved = [fcntl.fcntl(file, fcntl.F_DUPFD, len(files)) for file in files]  # out of the way of each other
    for new, old in enumerate(moved):
        os.dup2(old, new)
    os.closerange(len(files), os.sysconf("SC_OPEN_MAX"))
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


def _wait(pid: int) -> None:
    """Wait for a server whose socket is closed; it is killed when that takes long."""
    until = time.monotonic() + END_SECONDS
    with suppress(ChildProcessError):
        while not os.waitpid(pid, os.WNOHANG)[0]:
            if time.monotonic() > until:
                os.kill(pid, signal.SIGKILL)
            time.sleep(POLL_SECONDS)


def main() -> None:
    """Serve the socket whose descriptor the command line gives."""
    _serve(socket.socket(fileno=int(sys.argv[1])))


def _serve(channel: socket.socket) -> NoReturn:
    """Answer requests until the other side has gone."""
    from coderag.index.workers import analyze  # noqa: F401  # what every reader needs

    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    gc.disable()
    running: set[int] = set()
    while True:
        packet, files, _, _ = socket.recv_fds(channel, MAX_PACKET, CHANNEL)
        if not packet:
            break
        if packet[0] == LOAD:
            _load(Load(**json.loads(packet[1:])))
            continue
        number, seconds = NUMBERS.unpack(packet[1:])
        if packet[0] == START:
            pid = _start_reader(channel, files, number, seconds)
            running.add(pid)
            channel.send(REPLY.pack(pid, 0, 0))
            continue
        if packet[0] == KILL and number in running:
            os.kill(number, signal.SIGKILL)
        ended = _reaped(number) if number in running and packet[0] == POLL else (0, 0, 0)
        running.discard(ended[0])
        channel.send(REPLY.pack(*ended))
    for pid in running:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    os._exit(0)


def _load(load: Load) -> None:
    from coderag.index.workers.readers import warm_up
    from coderag.syntax.language import detect

    numbers = Counter(language.name for language in map(detect, load.paths) if language is not None)
    many = {name for name, number in numbers.items() if number > FEW_FILES}
    warm_up({*load.languages, *many}, few={*load.few, *numbers})
    if load.strings:
        from coderag.sql.in_code.strings import load_extraction

        load_extraction()
    if load.sql:
        from coderag.sql.statements.parsing import load_parser

        load_parser()
    if load.tables:
        from coderag.frameworks.registry import load_frameworks

        load_frameworks()


def _start_reader(channel: socket.socket, files: Iterable[int], file_bytes: int, file_seconds: float) -> int:
    """Return a copy of this process that reads files."""
    if not is_alone():
        raise RuntimeError("this process has other threads, which a copy would wait for")
    gc.freeze()  # what there is stays, and is shared as long as nobody looks at it
    pid = os.fork()
    if pid:
        for file in files:
            os.close(file)
        return pid
    try:
        os.setpgid(0, 0)
        channel.close()
        _take_files(*files)
        from coderag.index.workers.worker import serve

        with open(0, "rb", closefd=False) as pipe:
            serve(pipe, file_bytes=file_bytes, file_seconds=file_seconds)
        os._exit(0)
    except BaseException:  # noqa: BLE001  # told to who asked, as a program tells it
        os.write(2, traceback.format_exc().encode())
    finally:
        os._exit(1)


def _reaped(pid: int) -> tuple[int, int, int]:
    """Return a reader that has ended, its exit code and the most memory that it occupied; zeros while it runs."""
    import resource

    ended, status, usage = os.wait4(pid, os.WNOHANG)
    if not ended:
        return 0, 0, 0
    # The peak of a process begins with that of the one that started it.
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    peak = usage.ru_maxrss * 1024 if usage.ru_maxrss > own else 0
    return pid, os.waitstatus_to_exitcode(status), peak


if __name__ == "__main__":
    main()
