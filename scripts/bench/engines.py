"""The engines that are measured: the commands that make each one index, answer and update."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from scripts.bench.measure import Command, run

__all__ = ["CHECKOUT", "Engine", "Facts", "Job", "coderag", "semble"]

CHECKOUT = Path(__file__).resolve().parents[2]
PROBES = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Engine:
    """An engine by the commands of its jobs. Words in braces are filled in: root, folder, workers, and a job's own.

    index      build or update the index of {root} in {folder}
    search     answer {question} as the command line does
    facts      print the facts of the index as JSON
    questions  answer the questions of {file} in one process, after {warm_up} that are not counted; print their ms
    updates    edit {file} {times} times, update the index in one process; print the ms of each update
    """

    name: str
    version: str
    jobs: Mapping[str, tuple[str, ...]]
    environment: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Facts:
    """What an index holds."""

    files: int
    bytes: int  # of the source that is indexed
    chunks: int


@dataclass(frozen=True, slots=True)
class Job:
    """An engine at work on a folder, with its index in another."""

    engine: Engine
    root: Path
    folder: Path
    workers: int

    def command(self, job: str, **values: object) -> Command:
        """Return the command of a job; `values` are the job's own words."""
        words = {"root": self.root, "folder": self.folder, "workers": self.workers, **values}
        environment = {name: value.format(**words) for name, value in self.engine.environment.items()}
        return Command(tuple(part.format(**words) for part in self.engine.jobs[job]), environment)

    def forget(self) -> None:
        """Remove the index, so that the next one is built from nothing."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)

    def facts(self) -> Facts:
        """Return what the index holds."""
        return Facts(**json.loads(run(self.command("facts")).output))


def coderag() -> Engine:
    """Return coderag as it is in this checkout."""
    import coderag

    python = (sys.executable, "-P", "-m", "coderag")
    inherited = os.environ.get("PYTHONPATH")
    jobs = {
        **_probed(sys.executable, "probe_coderag.py"),
        "index": (*python, "index", "{root}", "--index", "{folder}", "--workers", "{workers}"),
        "search": (*python, "search", "--root", "{root}", "--index", "{folder}", "--", "{question}"),
    }
    environment = {"PYTHONPATH": os.pathsep.join(filter(None, (str(CHECKOUT), inherited)))}
    return Engine("coderag", coderag.__version__, jobs, environment)


def semble(python: str) -> Engine:
    """Return semble without a model (its ranking by words only); raises BenchmarkError when it cannot be imported."""
    jobs = _probed(python, "probe_semble.py")
    version = json.loads(run(Command((*jobs["facts"][:3], "version"), {})).output)["version"]
    environment = {"SEMBLE_CACHE_LOCATION": "{folder}", "SEMBLE_INDEX_WORKERS": "{workers}", "HF_HUB_OFFLINE": "1"}
    return Engine("semble", version, jobs, environment)


def _probed(python: str, probe: str) -> dict[str, tuple[str, ...]]:
    start = (python, "-P", str(PROBES / probe))  # modules beside the probe must not hide others
    return {
        "index": (*start, "index", "{root}", "{folder}", "{workers}"),
        "search": (*start, "search", "{root}", "{folder}", "{question}"),
        "facts": (*start, "facts", "{root}", "{folder}"),
        "questions": (*start, "questions", "{root}", "{folder}", "{file}", "{warm_up}"),
        "updates": (*start, "updates", "{root}", "{folder}", "{file}", "{times}"),
    }
