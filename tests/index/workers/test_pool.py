"""Worker processes over files that crash, stall or fill them: the rest is read, and the reason is said."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Generator, Iterator, Mapping
from pathlib import Path

import pytest

from coderag.errors import WorkerError
from coderag.files.walk import SkipReason, SourceFile
from coderag.index.workers.exit_reasons import Ended, ExitReason, exit_reason
from coderag.index.workers.fork_server import Load
from coderag.index.workers.pool import WorkerPool
from coderag.index.workers.process import is_alone
from tests.growth import HANG_SECONDS
from tests.workspace import write

pytestmark = pytest.mark.slow

HANGING = "int before;\n" + "/* /* /* /* /* \n" * 20_000  # the C grammar tries each of them as the beginning
FILE_SECONDS = 3.0  # the first file takes a quarter of one with all that is imported for it, more on a busy machine
LARGE = "".join(f"def function_{number}(a, b):\n    return a + b * {number}\n" for number in range(20_000))
MEMORY = 30_000_000
ON_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="the limit of memory is Linux's")
Read = dict[str, str]  # path -> problem


def batch(root: Path, files: Mapping[str, str]) -> list[SourceFile]:
    """Write files and return them as a walk would list them."""
    write(root, files)
    kinds = {".py": "python", ".c": "c", ".txt": "text", ".sql": "sql"}
    return [SourceFile(path, len(files[path]), 1, 1, kinds[Path(path).suffix], frozenset()) for path in files]


def small(count: int, *, start: int = 0) -> dict[str, str]:
    return {f"file_{number}.py": f"def function_{number}():\n    return 1\n" for number in range(start, start + count)}


def read(pool: WorkerPool, *batches: list[SourceFile]) -> tuple[Read, dict[str, tuple[SkipReason, str]]]:
    """Return of each file that was read what problem it had, and the files left out with their reasons."""
    problems: Read = {}
    skipped: dict[str, tuple[SkipReason, str]] = {}
    for columns, left_out in pool.map(batches):
        problems |= {row.path: row.problem for row in columns.files}
        skipped |= {one.path: (one.reason, one.detail) for one in left_out}
    return problems, skipped


def workers(process: str = "self") -> set[int]:
    """Return the processes below one that have none below them."""
    found = set()
    for task in Path(f"/proc/{process}/task").iterdir():
        for pid in (task / "children").read_text().split():
            found |= workers(pid) or {int(pid)}
    return found


@pytest.fixture
def others() -> set[int]:
    """The processes that tests before this one left to end in the background."""
    return workers()


@pytest.fixture(params=["copies of a copy", "copies of a program", "programs"])
def load(request: pytest.FixtureRequest) -> Iterator[Load | None]:
    """What a pool is made with, so that each way to start a worker is taken."""
    if request.param == "programs":
        yield None
        return
    if request.param == "copies of a copy" and not is_alone():
        pytest.skip("this process has other threads")
    done = threading.Event()
    beside = threading.Thread(target=done.wait)
    if request.param == "copies of a program":
        beside.start()
    yield Load(("python",))
    done.set()
    if beside.ident is not None:
        beside.join()


def test_a_file_that_does_not_end_is_read_as_lines(tmp_path: Path, load: Load | None) -> None:
    files = batch(tmp_path, {"a.py": "a = 1\n", "hang.c": HANGING, "z.py": "z = 1\n"})
    with WorkerPool(str(tmp_path), 1, file_seconds=FILE_SECONDS, load=load) as pool:
        problems, skipped = read(pool, files)
    assert problems == {"a.py": "", "hang.c": f"reading it did not end in {FILE_SECONDS:g} s", "z.py": ""}
    assert skipped == {}


@ON_LINUX
def test_a_file_that_takes_too_much_memory_is_left_out(tmp_path: Path, load: Load | None) -> None:
    files = batch(tmp_path, {"a.py": "a = 1\n", "large.py": LARGE, "z.py": "z = 1\n"})
    with WorkerPool(str(tmp_path), 1, file_bytes=MEMORY, load=load) as pool:
        problems, skipped = read(pool, files)
        assert read(pool, batch(tmp_path, {"later.py": "b = 1\n"})) == ({"later.py": ""}, {})
    assert problems == {"a.py": "", "z.py": ""}
    assert skipped == {"large.py": (SkipReason.UNREADABLE, "reading it took more than 0.03 GB of memory")}


@ON_LINUX
def test_readers_that_rest_end_and_are_started_again(tmp_path: Path, others: set[int]) -> None:
    with WorkerPool(str(tmp_path), 2, load=Load(("python",))) as pool:
        first, second = batch(tmp_path, small(3)), batch(tmp_path, small(3, start=3))
        assert len(read(pool, first, second)[0]) == 6
        reading = workers() - others
        pool.rest()
        assert not reading & workers()
        assert len(read(pool, first)[0]) == 3


def test_a_pool_answers_again_and_again_and_leaves_nothing(tmp_path: Path, load: Load | None) -> None:
    before = open_files()
    with WorkerPool(str(tmp_path), 2, load=load) as pool:
        for turn in range(6):
            files = small(12, start=12 * turn)
            halves = batch(tmp_path, files)
            problems, skipped = read(pool, halves[:6], halves[6:])
            assert (list(problems), skipped) == (list(files), {})
        unfinished = pool.map([batch(tmp_path, small(1, start=number)) for number in range(40)])
        assert isinstance(unfinished, Generator)
        next(unfinished)
        unfinished.close()
        assert read(pool, batch(tmp_path, small(1))) == ({"file_0.py": ""}, {})
    assert open_files() == before


def open_files() -> int:
    gc.collect()  # files that other tests left to the collector do not count
    folder = Path("/proc/self/fd")
    return len(list(folder.iterdir())) if folder.is_dir() else 0


@ON_LINUX
def test_workers_whose_server_was_killed_go_on_and_are_replaced(tmp_path: Path, others: set[int]) -> None:
    with WorkerPool(str(tmp_path), 1, load=Load()) as pool:
        assert read(pool, batch(tmp_path, small(1)))[0] == {"file_0.py": ""}
        (worker,) = workers() - others
        os.kill(int(Path(f"/proc/{worker}/stat").read_text().rpartition(")")[2].split()[1]), signal.SIGKILL)
        assert read(pool, batch(tmp_path, small(1)))[0] == {"file_0.py": ""}
        os.kill(worker, signal.SIGKILL)
        assert read(pool, batch(tmp_path, small(1)))[0] == {"file_0.py": ""}
    assert not workers() - others


@ON_LINUX
def test_a_server_that_cannot_start_is_done_without(tmp_path: Path, site: Path) -> None:
    write(
        site,
        {"sitecustomize.py": "import sys\nif any('fork_server' in one for one in sys.orig_argv): sys.exit('no')\n"},
    )
    done = threading.Event()
    beside = threading.Thread(target=done.wait)  # so that the server is a program
    beside.start()
    with WorkerPool(str(tmp_path), 2, load=Load()) as pool:
        assert read(pool, batch(tmp_path, small(1)))[0] == {"file_0.py": ""}
    done.set()
    beside.join()


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="needs Linux's /proc")
def test_a_worker_that_was_killed_while_it_waited_is_replaced(
    tmp_path: Path, load: Load | None, others: set[int]
) -> None:
    with WorkerPool(str(tmp_path), 1, load=load) as pool:
        assert read(pool, batch(tmp_path, small(2)))[0] == {"file_0.py": "", "file_1.py": ""}
        for pid in workers() - others:
            os.kill(pid, signal.SIGKILL)
        assert read(pool, batch(tmp_path, small(2)))[0] == {"file_0.py": "", "file_1.py": ""}


def test_what_a_worker_says_on_its_way_is_passed_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / "site", {"sitecustomize.py": "import sys\nprint('a word of warning', file=sys.stderr)\n"})
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "site"))
    with WorkerPool(str(tmp_path), 1, load=None) as pool:
        assert read(pool, batch(tmp_path, small(1)))[0] == {"file_0.py": ""}
    assert capsys.readouterr().err == "a word of warning\n"


def test_a_process_that_does_not_start_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "site", {"sitecustomize.py": "import os\nos._exit(3)\n"})
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "site"))
    with WorkerPool(str(tmp_path), 1, load=None) as pool, pytest.raises(WorkerError, match="does not start"):
        read(pool, batch(tmp_path, small(1)))


BROKEN = """
import sys
if "coderag.index.workers.worker" in sys.orig_argv:
    from coderag.index.workers import analyze as analyse
    whole = analyse._Builder.{method}
    def broken(self, *given, **named):
        {body}
        return whole(self, *given, **named)
    analyse._Builder.{method} = broken
"""


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose sitecustomize.py every worker runs first."""
    folder = tmp_path / "site"
    monkeypatch.setenv("PYTHONPATH", str(folder))
    return folder


def test_an_exception_over_a_file_costs_that_file(tmp_path: Path, site: Path) -> None:
    body = "if not named['failed'] and 'bad' in given[0].path: raise IndexError('out of range')"
    write(site, {"sitecustomize.py": BROKEN.format(method="add", body=body)})
    files = batch(tmp_path, {"a.py": "a = 1\n", "bad.py": "b = 1\n", "z.py": "z = 1\n"})
    with WorkerPool(str(tmp_path), 1, load=None) as pool:
        problems, skipped = read(pool, files)
    assert problems == {"a.py": "", "bad.py": "reading it failed (IndexError: out of range)", "z.py": ""}
    assert skipped == {}


def test_an_exception_when_all_files_are_read_costs_the_one_it_comes_of(tmp_path: Path, site: Path) -> None:
    body = "if any('bad' in row.path and not row.problem for row in self._files): raise ValueError('too large')"
    write(site, {"sitecustomize.py": BROKEN.format(method="columns", body=body)})
    files = batch(tmp_path, {"a.py": "a = 1\n", "bad.py": "b = 1\n", "z.py": "z = 1\n"})
    with WorkerPool(str(tmp_path), 1, load=None) as pool:
        problems, skipped = read(pool, files)
    assert problems == {"a.py": "", "bad.py": "reading it failed (ValueError: too large)", "z.py": ""}
    assert skipped == {}


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="needs Linux's /proc")
def test_a_worker_that_holds_too_much_makes_room_for_another(tmp_path: Path, site: Path, others: set[int]) -> None:
    write(
        site, {"sitecustomize.py": "from coderag.index.workers import process_limits\nprocess_limits.KEPT_BYTES = 1\n"}
    )
    with WorkerPool(str(tmp_path), 1, load=None) as pool:
        for _ in range(2):
            assert read(pool, batch(tmp_path, small(2)))[0] == {"file_0.py": "", "file_1.py": ""}
            assert not workers() - others


def test_what_fails_over_everything_is_an_error(tmp_path: Path, site: Path) -> None:
    write(site, {"sitecustomize.py": BROKEN.format(method="columns", body="raise ValueError('always')")})
    with WorkerPool(str(tmp_path), 1, load=None) as pool, pytest.raises(WorkerError, match="ValueError: always"):
        read(pool, batch(tmp_path, small(2)))


@pytest.mark.parametrize(
    ("code", "words", "expected"),
    [
        (-6, b"tree-sitter failed to allocate 4096 bytes", (ExitReason.MEMORY, "")),
        (
            -6,
            b"terminate called after throwing an instance of 'std::bad_alloc'\n  what():  std::bad_alloc\n",
            (ExitReason.MEMORY, ""),
        ),
        (1, b"Traceback (most recent call last):\n  x\nMemoryError\n", (ExitReason.MEMORY, "")),
        (1, b"x\nnumpy._core._exceptions._ArrayMemoryError: Unable to allocate\n", (ExitReason.MEMORY, "")),
        (1, b"x\nValueError: not MemoryError\n", (ExitReason.RAISED, "ValueError: not MemoryError")),
        (-11, b"", (ExitReason.CRASHED, "SIGSEGV")),
        (-9, b"", (ExitReason.KILLED, "")),
        (-signal.SIGPROF, b"", (ExitReason.LATE, "")),
        (0, b"", (ExitReason.RAISED, "")),
    ],
)
def test_the_end_of_a_process_is_told_from_its_code_and_words(
    code: int, words: bytes, expected: tuple[ExitReason, str]
) -> None:
    assert exit_reason(Ended(code), words, limit=MEMORY) == expected


def test_a_crash_with_the_memory_used_up_is_one_of_memory() -> None:
    assert exit_reason(Ended(-11, MEMORY), b"", limit=MEMORY) == (ExitReason.MEMORY, "")
    assert exit_reason(Ended(-11, MEMORY // 4), b"", limit=MEMORY) == (ExitReason.CRASHED, "SIGSEGV")


LIMITED = """
import sys
from coderag.index.workers.process_limits import limit_memory, limit_time
limit_memory(100_000_000)
limit_time(20)
taken = bytearray(int(sys.argv[1]))
print(len(taken))
"""


@ON_LINUX
@pytest.mark.parametrize(("size", "said"), [(20_000_000, "20000000\n"), (300_000_000, "")])
def test_memory_is_limited_to_more_than_there_was(size: int, said: str) -> None:
    done = subprocess.run([sys.executable, "-c", LIMITED, str(size)], capture_output=True, text=True)
    assert done.stdout == said
    assert (done.returncode == 0) == bool(said)
    assert bool(said) or exit_reason(Ended(done.returncode), done.stderr.encode(), limit=MEMORY)[0] is ExitReason.MEMORY


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a timer that ends a process")
def test_a_worker_without_a_parent_ends_by_itself() -> None:
    script = "from coderag.index.workers.process_limits import limit_time\nlimit_time(0.05)\nwhile True: pass"
    done = subprocess.run([sys.executable, "-c", script], timeout=HANG_SECONDS, check=False)
    assert exit_reason(Ended(done.returncode), b"", limit=MEMORY) == (ExitReason.LATE, "")
