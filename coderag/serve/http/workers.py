"""A server to several processes that answer on one socket: an interpreter runs Python on one core at a time."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable

from coderag.errors import CoderagError
from coderag.serve.copies import exit_after

__all__ = ["LEAST_SECONDS", "run_workers"]

Serve = Callable[[Callable[[], None]], None]
LEAST_SECONDS = 1.0  # that a worker lives, or it is not replaced: it cannot start
PAUSE_SECONDS = 0.2  # before one is replaced
READY = b"."
SIGNALS = (signal.SIGINT, signal.SIGTERM)


def run_workers(count: int, serve: Serve, *, said: Callable[[], None]) -> None:
    """Run a server in so many copies of this process until SIGINT or SIGTERM; one that dies is replaced.

    `serve` gets what it calls when requests are accepted, and `said` is called once the first copy does. This process
    must have no other thread. Raises CoderagError where a copy ends as soon as it was started.
    """
    if count == 1:
        serve(said)
        return
    # Their ends of the pipe close when this process ends, however it does: then the copies end too.
    alive, living = os.pipe()
    reading, writing = os.pipe()
    workers: dict[int, float] = {}

    def start() -> None:
        process = os.fork()
        if not process:
            os.close(living)
            os.close(reading)
            exit_after(lambda: _work(serve, alive=alive, writing=writing))
        workers[process] = time.monotonic()

    previous = {number: signal.signal(number, signal.default_int_handler) for number in SIGNALS}
    try:
        for _ in range(count):
            start()
        os.read(reading, 1)
        said()
        while True:
            process, _ = os.wait()
            if time.monotonic() - workers.pop(process) < LEAST_SECONDS:
                raise CoderagError("a worker ended as soon as it was started; what it wrote before says why")
            time.sleep(PAUSE_SECONDS)
            start()
    except KeyboardInterrupt:
        return
    finally:
        for number in previous:
            signal.signal(number, signal.SIG_IGN)  # a second one must not leave copies behind
        for process in workers:
            os.kill(process, signal.SIGTERM)
        for process in workers:
            os.waitpid(process, 0)
        for number, handler in previous.items():
            signal.signal(number, handler)
        for descriptor in (alive, living, reading, writing):
            os.close(descriptor)


def _work(serve: Serve, *, alive: int, writing: int) -> None:
    """Serve in a copy."""
    threading.Thread(target=_follow, args=(alive,), daemon=True).start()
    serve(lambda: _say(writing))


def _follow(alive: int) -> None:
    """End this process when the one that started it is gone."""
    os.read(alive, 1)
    os.kill(os.getpid(), signal.SIGTERM)


def _say(writing: int) -> None:
    os.write(writing, READY)
