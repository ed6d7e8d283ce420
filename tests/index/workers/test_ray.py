"""A real Ray of two workers on this machine: the same index as by processes, also when workers are killed."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from coderag import Index
from coderag.errors import QueryError, WorkerError
from coderag.files.walk import Skipped, SkipReason, SourceFile
from coderag.index.build.job import BuildOptions, Progress
from coderag.index.workers.executor import Executor, ReadOptions
from coderag.index.workers.executors import open_executor
from coderag.index.workers.processes import ProcessExecutor
from tests.encoders.onnx_files import WORDS, write_words_model
from tests.growth import HANG_SECONDS
from tests.index.trees import state_of
from tests.workspace import REPOSITORY, copy_shop, write

pytestmark = [
    pytest.mark.skipif(find_spec("ray") is None, reason="ray is not installed"),
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore"),  # of Ray
    pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc"),
]

FILES = {
    f"src/file_{number}.py": f'def alpha_{number}(sum):\n    """Count the beta total."""\n    return sum * {number}\n'
    for number in range(600)
}
HANGING = "int before;\n" + "/* /* /* /* /* \n" * 20_000  # the C grammar tries each of them as the beginning
READING = ReadOptions(embed=False, mask=True, workers=2, file_seconds=8.0)
LISTENING = "0A"  # the state of a socket in /proc/net/tcp
# What a repository may bring to be imported in place of what Ray and coderag import.
SHADOWS = dict.fromkeys(("ray.py", "numpy.py", "coderag.py", "sitecustomize.py", "json.py"), "raise SystemExit(77)\n")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Executor]:
    """A Ray of two workers, which every executor of this process uses while it is there."""
    root = write(tmp_path_factory.mktemp("ray") / "root", {"a.py": "def alpha():\n    return 1\n"})
    executor = open_executor("ray", root)
    file = SourceFile("a.py", 26, 1, 1, "python", frozenset())
    with closing(executor):
        assert [row.path for columns, _ in executor.read([[file]], READING) for row in columns.files] == ["a.py"]
        yield executor


def below(pid: int) -> set[int]:
    """Return the processes below one."""
    found: set[int] = set()
    with suppress(OSError):  # it has just ended
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in map(int, (task / "children").read_text().split()):
                found |= {child} | below(child)
    return found


def is_running(pid: int) -> bool:
    """Tell whether a process is neither gone nor waits for somebody to hear of its end."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def workers_of(pid: int) -> list[int]:
    """Return the workers of Ray below a process that read a batch."""
    found = []
    for child in below(pid):
        with suppress(OSError):
            if Path(f"/proc/{child}/cmdline").read_bytes().startswith(b"ray::_read_batch"):
                found.append(child)
    return found


def killing(kills: int, killed: list[int]) -> Callable[[Progress], None]:
    """Return what kills a worker that reads, after each of the first batches, once there is one."""

    def watch(_: Progress) -> None:
        deadline = time.monotonic() + 10
        while len(killed) < kills and time.monotonic() < deadline:
            if found := set(workers_of(os.getpid())) - set(killed):
                killed.append(found.pop())
                os.kill(killed[-1], signal.SIGKILL)
                return

    return watch


@pytest.mark.usefixtures("cluster")
def test_the_index_is_that_of_one_machine(tmp_path: Path) -> None:
    root = copy_shop(tmp_path / "shop")
    write(root, {"broken.bin": "\0\1\2", "locked.py": "x = 1\n"})
    (root / "locked.py").chmod(0)
    by_processes = Index.build(root, index=tmp_path / "processes", workers=2, cache=False)
    by_ray = Index.build(root, index=tmp_path / "ray", executor="ray", cache=False)
    assert state_of(by_ray) == state_of(by_processes)
    assert by_ray.reports[0].skipped == by_processes.reports[0].skipped
    assert by_ray.damage() == []


@pytest.mark.usefixtures("cluster")
@pytest.mark.parametrize("kills", [1, 3])
def test_killed_workers_lose_nothing(tmp_path: Path, kills: int) -> None:
    root = write(tmp_path / "root", FILES)
    killed: list[int] = []
    by_ray = Index.build(root, index=tmp_path / "ray", executor="ray", cache=False, watch=killing(kills, killed))
    assert len(killed) == kills
    by_processes = Index.build(root, index=tmp_path / "processes", workers=0, cache=False)
    assert by_ray.reports[0].read == len(FILES)
    assert state_of(by_ray) == state_of(by_processes)


@pytest.mark.usefixtures("cluster")
def test_parts_are_read_by_ray_too(tmp_path: Path) -> None:
    root = write(tmp_path / "root", FILES)
    parts = [tmp_path / "1", tmp_path / "2"]
    for number, out in enumerate(parts, 1):
        Index.write_part(root, part=f"{number}/2", out=out, executor="ray")
    joined = Index.ensure(root, index=tmp_path / "joined", parts=parts, workers=0, cache=False)
    whole = Index.build(root, index=tmp_path / "whole", workers=0, cache=False)
    assert joined.reports[0].read == 0
    assert state_of(joined) == state_of(whole)


@pytest.mark.usefixtures("cluster")
def test_a_file_that_does_not_end_costs_itself_alone(tmp_path: Path) -> None:
    root = write(tmp_path, {"a.py": "a = 1\n", "hang.c": HANGING, "z.py": "z = 1\n"})
    files = [
        SourceFile(path, (root / path).stat().st_size, 1, 1, language, frozenset())
        for path, language in (("a.py", "python"), ("hang.c", "c"), ("gone.py", "python"), ("z.py", "python"))
        if path != "gone.py"
    ]
    files.append(SourceFile("gone.py", 6, 1, 1, "python", frozenset()))
    ((columns, skipped),) = open_executor("ray", root).read([files], READING)
    assert {row.path: row.problem for row in columns.files} == {
        "a.py": "",
        "hang.c": "reading it did not end in 8 s",
        "z.py": "",
    }
    assert skipped == [Skipped("gone.py", SkipReason.VANISHED, "No such file or directory")]


@pytest.mark.usefixtures("cluster")
def test_models_run_in_actors(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    table = np.random.default_rng(1).normal(size=(len(WORDS), 8)).astype(np.float32)
    folder = write_words_model(tmp_path / "model", table)
    root = write(tmp_path / "root", dict(list(FILES.items())[:40]))
    by_ray = Index.build(root, index=tmp_path / "ray", executor="ray", encoder=f"onnx:{folder}", cache=False)
    by_processes = Index.build(root, index=tmp_path / "here", workers=0, encoder=f"onnx:{folder}", cache=False)
    assert by_ray.reports[0].embedded == by_processes.reports[0].embedded == 40
    assert state_of(by_ray) == state_of(by_processes)


@pytest.mark.usefixtures("cluster")
def test_another_version_of_coderag_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"a.py": "a = 1\n"})
    monkeypatch.setattr("coderag.index.workers.ray_executor.__version__", "0.0.1")
    files = [SourceFile("a.py", 6, 1, 1, "python", frozenset())]
    with pytest.raises(WorkerError, match=r"another coderag \(its version is .*, here it is 0\.0\.1\); install"):
        list(open_executor("ray", tmp_path).read([files], READING))


def test_nothing_of_a_repository_is_run_and_nothing_listens_outside(tmp_path: Path) -> None:
    root = write(tmp_path / "root", {**SHADOWS, **FILES})
    listening: set[str] = set()
    started: set[int] = set()
    command = [sys.executable, "-P", "-m", "coderag", "index", ".", "--executor", "ray", "--workers", "2", "--no-graph"]
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY), "HOME": str(tmp_path)}
    with subprocess.Popen(
        command, cwd=root, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as running:
        while running.poll() is None:
            listening |= addresses_of(running.pid)
            started |= below(running.pid)
        said = running.communicate(timeout=HANG_SECONDS)[0].decode()
    assert running.returncode == 0, said
    assert f"{len(FILES) + len(SHADOWS)} files" in said
    assert listening
    assert {address for address in listening if not address.startswith("127.")} == set()
    deadline = time.monotonic() + HANG_SECONDS
    while (left := {pid for pid in started if is_running(pid)}) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert left == set()


def addresses_of(pid: int) -> set[str]:
    """Return the addresses at which a process and those below it listen."""
    found = set()
    try:
        sockets = {
            str(one.readlink()) for process in {pid} | below(pid) for one in Path(f"/proc/{process}/fd").iterdir()
        }
    except OSError:
        return set()  # one of them has just ended
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        local, _, state, *rest = line.split()[1:]
        if state == LISTENING and f"socket:[{rest[5]}]" in sockets:
            found.add(socket.inet_ntoa(int(local.partition(":")[0], 16).to_bytes(4, "little")))
    return found


@pytest.mark.parametrize("address", ["127.0.0.1:9", "//127.0.0.1:9"])
def test_a_cluster_that_is_not_there_is_said(tmp_path: Path, address: str) -> None:
    write(tmp_path, {"a.py": "a = 1\n"})
    command = [sys.executable, "-m", "coderag", "index", str(tmp_path), "--executor", f"ray:{address}"]
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=HANG_SECONDS)
    assert done.returncode == 2
    assert "there is no Ray at" in done.stderr
    assert "Connection refused" in done.stderr
    assert not (tmp_path / ".coderag/manifest.json").exists()


@pytest.mark.parametrize("name", ["", "slurm", "ray:", "rays", "Ray"])
def test_another_executor_is_refused(name: str) -> None:
    with pytest.raises(QueryError, match="is no executor; there are processes, ray"):
        BuildOptions(executor=name)


def test_ray_without_workers_is_refused() -> None:
    with pytest.raises(QueryError, match="the executor 'ray' needs workers"):
        BuildOptions(executor="ray", workers=0)


def test_processes_are_an_executor(tmp_path: Path) -> None:
    assert isinstance(open_executor("processes", tmp_path), ProcessExecutor)
