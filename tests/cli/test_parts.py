"""`coderag index --part` and `coderag merge`, and the job files of the documentation."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.cli.conftest import ENVIRONMENT, Run
from tests.growth import HANG_SECONDS
from tests.workspace import REPOSITORY, write

pytestmark = pytest.mark.slow

JOBS = REPOSITORY / "docs/jobs"
FILES: dict[str, str | bytes] = {
    f"src/part_{number}.py": f"def step_{number}(count):\n    return count + {number}\n" for number in range(9)
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A small repository."""
    return write(tmp_path / "app", FILES)


@pytest.fixture
def path(tmp_path: Path) -> str:
    """A search path on which the command is this one."""
    tool = tmp_path / "bin/coderag"
    tool.parent.mkdir()
    tool.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m coderag "$@"\n')
    tool.chmod(0o755)
    return f"{tool.parent}:{os.environ['PATH']}"


def test_parts_are_written_and_merged(coderag: Run, root: Path) -> None:
    first = coderag("index", "--part", "1/2", "--out", "../parts/1", cwd=root)
    assert first.returncode == 0
    assert first.stdout.startswith("part 1/2 of app: ")
    assert first.stderr == 'coderag: "coderag merge" joins the parts\n'
    second = json.loads(coderag("index", "--part", "2/2", "--out", "../parts/2", "--json", cwd=root).stdout)
    assert second[0]["part"] == "2/2"
    alone = coderag("search", "step_3", "--index", "../parts/1", cwd=root)
    assert alone.returncode == 2
    assert "holds part 1/2 of an index" in alone.stderr
    merged = coderag("merge", "../parts/1", "../parts/2", cwd=root)
    assert merged.returncode == 0
    assert "0 files read, 9 known by content" in merged.stdout
    assert coderag("search", "step_3", cwd=root).stdout.startswith("src/part_3.py:")


def test_a_missing_part_is_told_and_read(coderag: Run, root: Path) -> None:
    coderag("index", "--part", "1/3", "--out", "../parts/1", cwd=root)
    merged = coderag("merge", "../parts/1", "--into", "../index", "--json", cwd=root)
    assert merged.returncode == 0
    assert "coderag: without the parts 2/3, 3/3\n" in merged.stderr
    assert "as they are now; they were read here" in merged.stderr
    (record,) = json.loads(merged.stdout)
    assert (record["files"], record["missing"]) == (9, ["2/3", "3/3"])
    assert not (root / ".coderag").exists()


def test_an_index_is_pushed_and_pulled(coderag: Run, root: Path, tmp_path: Path) -> None:
    pytest.importorskip("fsspec")
    store = (tmp_path / "store").as_uri()
    coderag("index", cwd=root)
    pushed = coderag("push", store, cwd=root)
    assert pushed.returncode == 0
    assert pushed.stdout.startswith(f"app is at {store}: ")
    assert "others pull it with --trust, or set CODERAG_INDEX_KEY on both sides" in pushed.stderr
    clone = write(tmp_path / "clone", FILES | {"src/part_3.py": "def changed():\n    return 3\n"})
    (record,) = json.loads(coderag("pull", store, "--name", "app", "--json", "--wait", cwd=clone).stdout)
    assert (record["read"], record["reused"], record["files"]) == (1, 8, 9)
    assert record["downloaded"] > 0
    nothing = coderag("pull", store, "--name", "nosuch", cwd=clone)
    assert nothing.returncode == 2
    assert f"there is no index 'nosuch' at {store}" in nothing.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("index", "--part", "1/2"), "--part and --out go together"),
        (("index", "--out", "x"), "--part and --out go together"),
        (("index", "--part", "3/2", "--out", "x"), "'3/2' is no part"),
        (("index", "--part", "1/2", "--out", "x", "--rebuild"), "--rebuild does not go with --part"),
        (("index", "sqlite:///x.db", "--part", "1/2", "--out", "x"), "a part is of one root, and of no database"),
        (("merge", "nosuch"), "there is no part at"),
        (("merge",), "the following arguments are required: DIR"),
    ],
)
def test_what_cannot_be_done_is_said(coderag: Run, root: Path, arguments: tuple[str, ...], said: str) -> None:
    done = coderag(*arguments, cwd=root)
    assert done.returncode == 2
    assert said in done.stderr
    assert sorted(path.name for path in root.iterdir()) == ["src"]


def run(command: list[str], path: str, cwd: Path, **variables: str) -> None:
    """Run a command with our own on the search path; it must succeed."""
    environment = {**ENVIRONMENT, "PATH": path, "PYTHONPATH": str(REPOSITORY), **variables}
    done = subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=HANG_SECONDS, check=False
    )
    assert done.returncode == 0, done.stderr


def is_whole(coderag: Run, root: Path, **variables: str) -> bool:
    """Tell whether the index of the small repository is there and complete."""
    status = json.loads(coderag("status", "--json", cwd=root, **variables).stdout)[0]
    return bool(status["files"] == len(FILES))


@pytest.mark.parametrize("name", ["parts.sh", "parallel.sh"])
def test_job_of_a_shell(coderag: Run, root: Path, path: str, tmp_path: Path, name: str) -> None:
    if name == "parallel.sh" and not shutil.which("parallel"):
        pytest.skip("GNU parallel is not installed")
    run(["sh", str(JOBS / name), str(root), str(tmp_path / "parts"), "2"], path, tmp_path)
    assert is_whole(coderag, root)


def test_job_of_slurm(coderag: Run, root: Path, path: str, tmp_path: Path) -> None:
    parts = tmp_path / "parts"
    for task in ("1", "2"):
        variables = {"SLURM_ARRAY_TASK_ID": task, "SLURM_ARRAY_TASK_COUNT": "2", "SLURM_CPUS_PER_TASK": "1"}
        run(["sh", str(JOBS / "slurm.sh")], path, tmp_path, ROOT=str(root), PARTS=str(parts), **variables)
    assert coderag("merge", *map(str, sorted(parts.iterdir())), cwd=root).returncode == 0
    assert is_whole(coderag, root)


def test_job_of_kubernetes(coderag: Run, root: Path, path: str, tmp_path: Path) -> None:
    job = yaml.safe_load((JOBS / "kubernetes.yaml").read_text())
    (container,) = job["spec"]["template"]["spec"]["containers"]
    assert int(container["env"][0]["value"]) == job["spec"]["completions"]
    assert job["spec"]["completionMode"] == "Indexed"
    (script,) = container["args"]
    shutil.move(root, tmp_path / "src")
    script = script.replace("/data/", f"{tmp_path}/")
    for index in ("0", "1"):
        run([*container["command"], script], path, tmp_path, JOB_COMPLETION_INDEX=index, PARTS="2")
    parts = sorted((tmp_path / "parts").iterdir())
    assert [part.name for part in parts] == ["1", "2"]
    assert coderag("merge", *map(str, parts), cwd=tmp_path / "src").returncode == 0
    assert is_whole(coderag, tmp_path / "src")


def test_job_of_github_actions(coderag: Run, root: Path, path: str) -> None:
    jobs = yaml.safe_load((JOBS / "github-actions.yml").read_text())["jobs"]
    key = {"CODERAG_INDEX_KEY": "k" * 40}
    for part in jobs["part"]["strategy"]["matrix"]["part"]:
        for step in jobs["part"]["steps"]:
            if (script := step.get("run", "")).startswith("coderag"):
                run(["sh", "-euc", script.replace("${{ matrix.part }}", str(part))], path, root, **key)
    scripts = [step["run"] for step in jobs["whole"]["steps"] if step.get("run", "").startswith("coderag")]
    assert len(scripts) == 1
    run(["sh", "-euc", scripts[0]], path, root, **key)
    shutil.rmtree(root / "parts")
    assert is_whole(coderag, root, **key)
