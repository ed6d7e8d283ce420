"""The action: its steps run in a real shell, on real repositories, against GitHub's REST API on this machine."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import yaml

from tests.files.changes.repositories import commit, git, repository
from tests.workspace import REPOSITORY

ACTION = yaml.safe_load((REPOSITORY / "action.yml").read_text(encoding="utf-8"))
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"]}
IMPACT, COMMENT = STEPS["Tell what the change touches"], STEPS["Comment on the pull request"]
MARKER = "<!-- coderag impact -->"
BOT = "github-actions[bot]"
FILES = {
    "cart.py": "def total(prices):\n    return sum(prices)\n\n\ndef show(prices):\n    return str(total(prices))\n",
    "tests/test_cart.py": "from cart import show\n\n\ndef test_show():\n    assert show([1]) == '1'\n",
}
CHANGED = FILES["cart.py"].replace("sum(prices)", "sum(prices, 0)")


@dataclass
class GitHub:
    """Comments of a pull request, and who may write them."""

    comments: list[dict[str, Any]] = field(default_factory=list)
    writable: bool = True
    address: str = ""
    asked: list[str] = field(default_factory=list)

    def answer(self, method: str, path: str, body: Any) -> tuple[int, Any]:
        """Answer as docs.github.com/rest/issues/comments says."""
        self.asked.append(f"{method} {path}")
        parts = urlsplit(path)
        if method == "GET" and parts.path == "/repos/o/r/issues/7/comments":
            query = parse_qs(parts.query)
            size, page = int(query["per_page"][0]), int(query["page"][0])
            return 200, self.comments[(page - 1) * size : page * size]
        if not self.writable:
            return 403, {"message": "Resource not accessible by integration"}
        if method == "POST" and parts.path == "/repos/o/r/issues/7/comments":
            self.comments.append({"id": len(self.comments) + 1, "body": body["body"], "user": {"login": BOT}})
            return 201, self.comments[-1]
        if method == "PATCH" and (number := re.fullmatch(r"/repos/o/r/issues/comments/(\d+)", parts.path)):
            comment = next(one for one in self.comments if one["id"] == int(number[1]))
            comment["body"] = body["body"]
            return 200, comment
        return 404, {"message": "Not Found"}


@contextmanager
def github() -> Iterator[GitHub]:
    """Serve the API on loopback."""
    state = GitHub()

    class Handler(BaseHTTPRequestHandler):
        def _serve(self) -> None:
            size = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(size)) if size else None
            allowed = self.headers["Authorization"] == "Bearer secret-token"
            status, said = state.answer(self.command, self.path, body) if allowed else (401, {"message": "Bad"})
            data = json.dumps(said).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_PATCH = _serve  # noqa: N815 - as http.server calls them

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    state.address = f"http://127.0.0.1:{server.server_port}"
    try:
        yield state
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@dataclass
class Job:
    """A job of a workflow: its folders and the outputs of its steps."""

    root: Path
    temp: Path
    values: dict[str, str]  # what expressions give

    def run(self, step: Mapping[str, Any], **more: str) -> subprocess.CompletedProcess[str]:
        """Run a step as the runner does: its expressions are evaluated in `env` alone."""
        environment = {key: self._value(text) for key, text in step["env"].items()}
        inherited = {key: value for key, value in os.environ.items() if not key.startswith(("GIT_", "GITHUB_"))}
        self.temp.mkdir(exist_ok=True)
        files = {f"GITHUB_{name}": str(self.temp / name) for name in ("OUTPUT", "STEP_SUMMARY", "PATH", "ENV")}
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]],
            cwd=self.root,
            env={
                **inherited,
                "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
                "HOME": str(self.temp),
                "RUNNER_TEMP": str(self.temp),
                "GITHUB_ACTION_PATH": str(REPOSITORY),
                "GITHUB_WORKSPACE": str(self.root),
                **files,
                **environment,
                **more,
            },
            capture_output=True,
            text=True,
            check=False,
        )

    def _value(self, text: str) -> str:
        return re.sub(r"\$\{\{ (.+?) \}\}", lambda found: self.values.get(found[1], ""), text)

    def outputs(self) -> dict[str, str]:
        """Return the outputs of the steps so far."""
        lines = (self.temp / "OUTPUT").read_text(encoding="utf-8").splitlines()
        return dict(line.split("=", 1) for line in lines)

    def summary(self) -> str:
        """Return the summary."""
        return (self.temp / "STEP_SUMMARY").read_text(encoding="utf-8")


def pull_request(folder: Path) -> Job:
    """Return a job on the merge of a pull request, checked out as actions/checkout does with fetch-depth 2."""
    origin = repository(folder / "origin", FILES)
    git(origin, "config", "uploadpack.allowAnySHA1InWant", "true")
    git(origin, "checkout", "-q", "-b", "feature; touch pwned $(touch pwned)".replace(" ", "_"))
    commit(origin, {"cart.py": CHANGED})
    git(origin, "checkout", "-q", "main")
    base = commit(origin, {"other.py": "def other():\n    pass\n"})
    git(origin, "checkout", "-q", "-b", "merge")
    git(origin, "merge", "-q", "--no-ff", "-m", "merge", git(origin, "branch", "--list", "feature*").strip())
    root = folder / "checkout"
    subprocess.run(
        ["git", "clone", "-q", "--depth", "2", "-b", "merge", f"file://{origin}", str(root)],
        check=True,
        capture_output=True,
    )
    values = {
        "inputs.root": ".",
        "inputs.depth": "3",
        "inputs.token": "secret-token",
        "inputs.comment-author": BOT,
        "github.event.pull_request.base.sha": base,
        "github.event.pull_request.number": "7",
        "github.repository": "o/r",
    }
    return Job(root, folder / "temp", values)


def commented(job: Job, api: GitHub) -> subprocess.CompletedProcess[str]:
    """Run the step that comments, after the one that tells."""
    outputs = job.outputs()
    job.values |= {f"steps.impact.outputs.{name}": value for name, value in outputs.items()}
    return job.run(COMMENT, API_URL=api.address)


@pytest.mark.slow
def test_a_pull_request_gets_one_comment_that_is_updated(tmp_path: Path) -> None:
    job = pull_request(tmp_path)
    done = job.run(IMPACT)
    assert done.returncode == 0, done.stderr
    assert not any("pwned" in path.name for path in tmp_path.rglob("*") if path.is_file() and ".git" not in path.parts)
    outputs = job.outputs()
    assert outputs["changed"] == "true"
    text = Path(outputs["markdown"]).read_text(encoding="utf-8")
    assert job.summary() == text
    assert "function `total` | changed" in text
    assert "tests/test_cart.py::test_show" in text
    assert "other" not in text  # the base's own commits do not belong to the change
    assert json.loads(Path(outputs["sarif"]).read_text(encoding="utf-8"))["version"] == "2.1.0"
    assert json.loads(Path(outputs["json"]).read_text(encoding="utf-8"))["changed"][0]["spot"]["name"] == "total"
    assert not (job.root / ".coderag").exists()
    with github() as api:
        stranger = {"id": 900, "body": f"{MARKER} mine", "user": {"login": "stranger"}}
        api.comments += [{"id": number, "body": "hello", "user": {"login": BOT}} for number in range(1000, 1120)]
        api.comments.insert(0, stranger)
        first = commented(job, api)
        assert (first.returncode, first.stdout) == (0, "posted a comment\n"), first.stderr
        assert api.comments[-1]["body"] == f"{MARKER}\n{text}"
        count = len(api.comments)
        api.comments[-1]["body"] = f"{MARKER}\nold"
        second = commented(job, api)
        assert (second.returncode, second.stdout) == (0, "updated the comment\n")
        assert len(api.comments) == count
        assert api.comments[-1]["body"] == f"{MARKER}\n{text}"
        assert stranger["body"] == f"{MARKER} mine"


@pytest.mark.slow
def test_a_fork_without_permission_and_other_failures(tmp_path: Path) -> None:
    job = pull_request(tmp_path)
    assert job.run(IMPACT).returncode == 0
    with github() as api:
        api.writable = False
        done = commented(job, api)
        assert done.returncode == 0
        assert "::notice::no comment" in done.stdout
        job.values["inputs.token"] = "another"
        assert commented(job, api).returncode == 0
        job.values["github.repository"] = "o/r?x=y\n::error::"
        assert "::notice::no comment" in commented(job, api).stdout
        assert all("\n" not in line for line in api.asked)
    job.values["github.repository"] = "o/r"
    gone = commented(job, api)
    assert gone.returncode == 1
    assert "::error::the API cannot be reached" in gone.stdout


@pytest.mark.slow
def test_a_change_that_touches_nothing_is_not_commented(tmp_path: Path) -> None:
    job = pull_request(tmp_path)
    job.values["inputs.base"] = "HEAD"
    assert job.run(IMPACT).returncode == 0
    assert job.outputs()["changed"] == "false"
    with github() as api:
        assert commented(job, api).stdout == "nothing changed that is worth a comment\n"
        assert api.comments == []


@pytest.mark.slow
def test_a_base_that_is_not_fetched_is_and_a_hostile_one_runs_nothing(tmp_path: Path) -> None:
    job = pull_request(tmp_path)
    git(job.root, "checkout", "-q", "HEAD^2")  # no merge, and the base is not its ancestor here
    done = job.run(IMPACT)
    assert done.returncode == 0, done.stderr
    assert "function `total` | changed" in job.summary()
    for base in ("$(touch pwned)", "; touch pwned", "--upload-pack=touch pwned", "-x"):
        job.values["inputs.base"] = base
        assert job.run(IMPACT).returncode == 2
    assert not (job.root / "pwned").exists()


def test_nothing_is_interpolated_into_a_script() -> None:
    for step in STEPS.values():
        assert "${{" not in step.get("run", "")
        assert ("run" in step) != ("uses" in step)


def test_every_script_parses_and_every_input_is_used() -> None:
    for script in sorted((REPOSITORY / "scripts/action").glob("*.sh")):
        subprocess.run(["bash", "-n", str(script)], check=True)
        assert os.access(script, os.X_OK)
    text = (REPOSITORY / "action.yml").read_text(encoding="utf-8")
    for name in ACTION["inputs"]:
        assert f"inputs.{name}" in text
