"""A helper is there when it is needed, never stale, nobody else's, and nothing is lost when it is killed."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from coderag.index.storage.manifest import GRAPH_LOCK, MANIFEST
from coderag.resident.request import DECLINED, HEADER, MAGIC, MOST_BYTES
from tests.growth import HANG_SECONDS
from tests.resident.conftest import Desk, as_shown

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="there are no helpers elsewhere"),
]

CLIENTS = 10
NO_REQUESTS = (
    b"",
    b"GET / HTTP/1.1\r\n\r\n",
    HEADER.pack(b"CRH0", 3) + b"a\0b",
    HEADER.pack(MAGIC, MOST_BYTES + 1),
    HEADER.pack(MAGIC, 3) + b"\xff\0\0",
    HEADER.pack(MAGIC, 6) + b"answer",
)
WAITING = b"coderag: waiting for the graph, which another process makes\n"


def socket_of(desk: Desk) -> Path:
    [path] = desk.runtime.glob("coderag/*.sock")
    return path


class TestLife:
    def test_a_command_leaves_one_behind_that_answers_the_next(self, desk: Desk, small: Path) -> None:
        first = desk.run("search", "total", cwd=small, CODERAG_BACKGROUND="1")
        assert b"cart.py" in first.stdout
        desk.wait_for(desk.states)
        desk.wait_for_answers(small)
        before = desk.answered()
        assert as_shown(desk.run("search", "total", cwd=small)) == as_shown(first)
        desk.wait_until_answered(before + 1)
        stopped = desk.run("helper", "stop", cwd=small)
        assert (stopped.returncode, str(small).encode() in stopped.stdout) == (0, True)
        assert as_shown(desk.run("helper", cwd=small)) == (1, b"", b"coderag: no helper is running\n")
        desk.wait_for(lambda: not desk.processes())

    def test_that_of_another_root_goes_on(self, desk: Desk, small: Path, tmp_path: Path) -> None:
        assert desk.run("search", "total", cwd=small, CODERAG_BACKGROUND="1").returncode == 0
        desk.wait_for_answers(small)
        other = tmp_path / "other"
        (other / ".git").mkdir(parents=True)
        left = desk.run("helper", "stop", cwd=other)
        why = f'no helper has {other} open; there is one of other roots, which "coderag helper stop --all" ends'
        assert as_shown(left) == (1, b"", f"coderag: {why}\n".encode())
        assert desk.states()
        assert desk.run("helper", "stop", "--root", str(small), cwd=other).returncode == 0
        assert not desk.states()

    @pytest.mark.parametrize(
        "variables", [{"CODERAG_HELPER": "0", "CODERAG_BACKGROUND": "1"}, {"CODERAG_BACKGROUND": "0"}]
    )
    def test_none_is_left_where_none_is_wanted(self, desk: Desk, small: Path, variables: dict[str, Any]) -> None:
        assert desk.run("search", "total", cwd=small, **variables).returncode == 0
        assert not desk.processes()
        assert not list(desk.runtime.iterdir())

    def test_none_is_left_by_a_failure(self, desk: Desk, tmp_path: Path) -> None:
        assert desk.run("search", "x", "--root", "nowhere", cwd=tmp_path, CODERAG_BACKGROUND="1").returncode == 2
        assert not desk.processes()

    def test_there_is_only_one(self, desk: Desk) -> None:
        desk.start()
        second = desk.run("helper", "run", cwd=desk.runtime)
        assert second.returncode == 1
        assert len(desk.states()) == 1

    def test_it_ends_when_nobody_asks(self, desk: Desk) -> None:
        program = "from coderag.resident.server import serve; print(serve(lambda arguments: 0, idle_seconds=0.2))"
        done = subprocess.run(
            [sys.executable, "-c", program], env=desk.environment, capture_output=True, timeout=HANG_SECONDS
        )
        assert done.stdout == b"True\n"
        assert not list(desk.runtime.glob("coderag/*.sock"))

    def test_the_index_that_is_removed_is_not_made_again(self, desk: Desk, small: Path) -> None:
        desk.start()
        desk.wait_for_answers(small)
        assert desk.run("clean", ".", cwd=small).returncode == 0
        (small / "more.py").write_text("def more():\n    return 1\n")
        time.sleep(1.0)  # a moment in which a process that follows changes would have written
        assert not (small / ".coderag" / MANIFEST).exists()


class TestFreshness:
    def test_what_was_saved_just_before_is_found(self, desk: Desk, small: Path) -> None:
        desk.start()
        desk.wait_for_answers(small)
        for number in range(5):
            name = f"discount_{number}_zq"
            (small / "cart.py").write_text(f"def {name}(prices):\n    return {number}\n")
            done = desk.run("search", name, "-k", "1", cwd=small)
            assert name.encode() in done.stdout.split(b"\n")[0]
            assert done.stderr == b""

    def test_what_is_removed_is_found_no_more(self, desk: Desk, small: Path) -> None:
        (small / "gone.py").write_text("def vanish_zq():\n    return 1\n")
        desk.start()
        desk.wait_for_answers(small)
        assert desk.run("symbols", "vanish_zq", cwd=small).returncode == 0
        (small / "gone.py").unlink()
        assert desk.run("symbols", "vanish_zq", cwd=small).returncode == 1

    def test_changes_are_read_before_somebody_asks(self, desk: Desk, small: Path) -> None:
        desk.start()
        desk.wait_for_answers(small)
        desk.wait_for(lambda: len(desk.processes()) > 1)
        (small / "cart.py").write_text("def eager_zq(prices):\n    return 1\n")
        desk.wait_for(lambda: desk.alone("symbols", "eager_zq", "--no-refresh", cwd=small).returncode == 0)

    def test_an_index_that_is_rebuilt_or_damaged_is_opened_again(self, desk: Desk, small: Path) -> None:
        desk.start()
        desk.wait_for_answers(small)
        assert desk.run("index", "--rebuild", "--quiet", cwd=small).returncode == 0
        assert as_shown(desk.run("search", "total", cwd=small)) == as_shown(desk.alone("search", "total", cwd=small))
        desk.wait_for_answers(small)
        for path in small.glob(".coderag/segments/*/text.bin"):
            path.write_bytes(b"\0" * path.stat().st_size)
        assert as_shown(desk.run("status", "--check", cwd=small)) == as_shown(
            desk.alone("status", "--check", cwd=small)
        )
        assert as_shown(desk.run("search", "total", "--no-refresh", cwd=small)) == as_shown(
            desk.alone("search", "total", "--no-refresh", cwd=small)
        )


class TestEnds:
    def test_killed_between_commands(self, desk: Desk, small: Path) -> None:
        expected = as_shown(desk.alone("search", "total", cwd=small))
        helper = desk.start()
        desk.wait_for_answers(small)
        helper.kill()
        helper.wait(HANG_SECONDS)
        assert socket_of(desk).exists()  # which it had no time to remove
        assert as_shown(desk.run("search", "total", cwd=small)) == expected
        desk.start()
        desk.wait_for_answers(small)
        assert as_shown(desk.run("search", "total", cwd=small)) == expected

    def test_killed_while_it_answers(self, desk: Desk, small: Path) -> None:
        expected = as_shown(desk.alone("refs", "total", cwd=small))
        (small / "other.py").write_text("from cart import total\n\n\ndef use():\n    return total([1])\n")
        helper = desk.start()
        desk.wait_for_answers(small)
        with FileLock(small / ".coderag" / GRAPH_LOCK):
            asking = ask(desk, small)
            helper.kill()
            helper.wait(HANG_SECONDS)
        printed, _ = asking.communicate(timeout=HANG_SECONDS)
        assert (asking.returncode, b"other.py" in printed) == (0, True)
        assert expected[0] == 0

    def test_ctrl_c_interrupts_the_answer(self, desk: Desk, small: Path) -> None:
        (small / "other.py").write_text("from cart import total\n\n\ndef use():\n    return total([1])\n")
        desk.start()
        desk.wait_for_answers(small)
        with FileLock(small / ".coderag" / GRAPH_LOCK):
            asking = ask(desk, small)
            asking.send_signal(signal.SIGINT)
            _, told = asking.communicate(timeout=HANG_SECONDS)
        # An interrupt that comes while Python flushes a line may have it written twice.
        assert (asking.returncode, told.removeprefix(WAITING)) == (130, b"coderag: interrupted\n")

    def test_who_is_killed_is_answered_no_more(self, desk: Desk, small: Path) -> None:
        (small / "other.py").write_text("from cart import total\n\n\ndef use():\n    return total([1])\n")
        desk.start()
        desk.wait_for_answers(small)
        with FileLock(small / ".coderag" / GRAPH_LOCK):
            asking = ask(desk, small)
            asking.kill()
            asking.communicate(timeout=HANG_SECONDS)
            desk.wait_for(lambda: desk.states()[0]["running"] == 0)

    def test_many_at_once(self, desk: Desk, small: Path) -> None:
        expected = as_shown(desk.alone("search", "total", cwd=small))
        desk.start()
        desk.wait_for_answers(small)
        with ThreadPoolExecutor(CLIENTS) as clients:
            answers = list(clients.map(lambda _: as_shown(desk.run("search", "total", cwd=small)), range(3 * CLIENTS)))
        assert answers == [expected] * len(answers)


def ask(desk: Desk, root: Path) -> subprocess.Popen[bytes]:
    """Ask for a graph that another process seems to make, until the answer says so."""
    command = [sys.executable, "-m", "coderag", "refs", "total"]
    asking = subprocess.Popen(command, cwd=root, env=desk.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert asking.stderr is not None
    assert asking.stderr.readline() == WAITING
    return asking


class TestSafety:
    def test_a_folder_that_others_may_enter_is_not_used(self, desk: Desk, small: Path) -> None:
        desk.start()
        desk.wait_for_answers(small)
        before = desk.answered()
        for mode in (0o755, 0o770, 0o777):
            (desk.runtime / "coderag").chmod(mode)
            assert desk.run("search", "total", cwd=small).returncode == 0
            assert desk.run("helper", cwd=small).returncode == 1
            (desk.runtime / "coderag").chmod(0o700)
            assert desk.answered() == before, mode

    def test_a_folder_that_is_a_link_is_not_used(self, desk: Desk, small: Path) -> None:
        desk.start()
        desk.wait_for_answers(small)
        before = desk.answered()
        folder = desk.runtime / "coderag"
        folder.rename(desk.runtime / "elsewhere")
        folder.symlink_to("elsewhere")
        assert desk.run("search", "total", cwd=small).returncode == 0
        folder.unlink()
        (desk.runtime / "elsewhere").rename(folder)
        assert desk.answered() == before

    @pytest.mark.skipif(os.geteuid() != 0, reason="only root may act as somebody else")
    def test_somebody_else_is_not_asked_and_not_answered(self, desk: Desk, small: Path) -> None:
        desk.start()
        desk.wait_for_answers(small)
        path = socket_of(desk)
        for folder in (desk.runtime, path.parent):
            folder.chmod(0o755)
        path.chmod(0o777)
        stranger = "import os, socket, sys; os.setgid(65534); os.setuid(65534)\n"
        asking = (
            f"{stranger}s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); s.sendall(b'x' * 100)\n"
            "print(len(s.recv(10)))"
        )
        done = subprocess.run(
            [sys.executable, "-c", asking, str(path)], capture_output=True, text=True, timeout=HANG_SECONDS
        )
        assert done.stdout == "0\n" or any(one in done.stderr for one in ("ConnectionResetError", "BrokenPipeError"))
        for folder in (desk.runtime, path.parent):
            folder.chmod(0o700)
        assert desk.run("helper", "stop", "--all", cwd=small).returncode == 0
        answering = (
            "import os, socket, sys; s = socket.socket(socket.AF_UNIX)\n"
            "s.bind(sys.argv[1]); os.chmod(sys.argv[1], 0o777)\n"
            f"{stranger}s.listen(); print('ready', flush=True); c, _ = s.accept(); print(len(c.recv(10)), flush=True)"
        )
        with subprocess.Popen(
            [sys.executable, "-c", answering, str(path)], stdout=subprocess.PIPE, text=True
        ) as server:
            assert server.stdout is not None
            assert server.stdout.readline() == "ready\n"
            assert desk.run("search", "total", cwd=small).returncode == 0
            assert server.stdout.readline() == "0\n"  # the command found who it is, and said nothing

    def test_what_is_no_request_harms_nobody(self, desk: Desk, small: Path) -> None:
        desk.start()
        desk.wait_for_answers(small)
        for sent in NO_REQUESTS:
            with socket.socket(socket.AF_UNIX) as stranger:
                stranger.settimeout(HANG_SECONDS)
                stranger.connect(str(socket_of(desk)))
                stranger.sendall(sent)
                stranger.shutdown(socket.SHUT_WR)
                with suppress(ConnectionResetError):
                    assert stranger.recv(10) in (b"", DECLINED + b"\0"), sent
            assert desk.run("search", "total", cwd=small).returncode == 0, sent

    def test_a_request_of_another_kind_of_process_is_declined(self, desk: Desk, small: Path) -> None:
        desk.start()
        desk.wait_for_answers(small)
        before = desk.answered()
        assert desk.run("search", "total", cwd=small, LC_ALL="C.UTF-8").returncode == 0
        assert desk.run("search", "total", cwd=small, CODERAG_INDEX_KEY="k" * 40).returncode in (0, 2)
        assert desk.answered() == before

    def test_secrets_stay_with_the_command(self, desk: Desk, small: Path) -> None:
        secrets: dict[str, Any] = {
            "CODERAG_API_KEY": "zq-one",
            "OPENAI_API_KEY": "zq-two",
            "GIT_TOKEN": "zq-three",
            "ZQ": "zq-four",
        }
        assert desk.run("search", "total", cwd=small, CODERAG_BACKGROUND="1", **secrets).returncode == 0
        desk.wait_for(desk.states)
        [state] = desk.states()
        assert b"zq-" not in Path(f"/proc/{state['pid']}/environ").read_bytes()
        desk.wait_for_answers(small)
        program = "import os, sys; from coderag.resident.request import passed_variables; print(*passed_variables())"
        done = subprocess.run(
            [sys.executable, "-c", program], env={**desk.environment, **secrets}, capture_output=True, check=True
        )
        assert b"zq-" not in done.stdout
        assert b"XDG_RUNTIME_DIR" in done.stdout

    def test_a_long_path_has_a_short_one_in_its_place(self, desk: Desk, small: Path, tmp_path: Path) -> None:
        runtime = tmp_path / ("long" * 30)
        runtime.mkdir(mode=0o700)
        environment: dict[str, Any] = {"XDG_RUNTIME_DIR": str(runtime)}
        program = "from coderag.resident.sockets import runtime_folder; print(runtime_folder())"
        done = subprocess.run(
            [sys.executable, "-c", program],
            env={**desk.environment, **environment},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.startswith(f"/tmp/coderag-{os.geteuid()}-")
        assert desk.run("search", "total", cwd=small, **environment).returncode == 0
