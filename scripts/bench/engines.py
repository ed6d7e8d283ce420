"""The engines that are measured: the commands that make each one index, answer and update."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from scripts.bench.measure import Command, run

__all__ = ["CHECKOUT", "WORDS_ALONE", "Engine", "Facts", "Job", "checked_out", "coderag", "semble"]

CHECKOUT = Path(__file__).resolve().parents[2]
PROBES = Path(__file__).parent
WORDS_ALONE = "none"  # the encoder that makes no vectors
# Python keeps the bytecode of modules, as it does of installed packages, whatever the caller's environment says: to
# compile those of a search anew takes nearly as long as all of the search.
COMPILED = {"PYTHONDONTWRITEBYTECODE": ""}


@dataclass(frozen=True, slots=True)
class Engine:
    """An engine by the commands of its jobs. Words in braces are filled in: root, folder, workers, and a job's own.

    index      build or update the index of {root} in {folder}
    search     bring the index up to date and answer {question}, as the command line does
    facts      print the facts of the index as JSON
    questions  answer the questions of {file} in one process, after {warm_up} that are not counted; print their ms
    updates    append each line of the JSON {lines} to {file}; print the ms until a search for its last word finds it,
               in one process that stays

    Those of the graph (`scripts.bench.graphing`) and of servers (`scripts.bench.serving`) are coderag's alone;
    "answers" are semble's, as its server gives them.
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
    """An engine at work on a folder, with its index in another, and what it keeps for the user in a third."""

    engine: Engine
    root: Path
    folder: Path
    workers: int

    @property
    def cache(self) -> Path:
        """The folder of caches: what was kept from an earlier run must not shorten the next."""
        return self.folder.with_name(f"{self.folder.name}-cache")

    def command(self, job: str, **values: object) -> Command:
        """Return the command of a job; `values` are the job's own words."""
        words = {"root": self.root, "folder": self.folder, "cache": self.cache, "workers": self.workers, **values}
        environment = {name: value.format(**words) for name, value in self.engine.environment.items()}
        return Command(tuple(part.format(**words) for part in self.engine.jobs[job]), environment)

    def forget(self) -> None:
        """Remove the index and all caches, so that the next one is built from nothing."""
        for folder in (self.folder, self.cache):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)

    def facts(self) -> Facts:
        """Return what the index holds."""
        return Facts(**json.loads(run(self.command("facts")).output))


def checked_out(revision: str, folder: Path) -> Path:
    """Return a new folder with the files of a revision of this checkout; raises BenchmarkError for an unknown one."""
    archive = folder / "checkout.tar"
    run(Command(("git", "-C", str(CHECKOUT), "archive", f"--output={archive}", "--end-of-options", revision), {}))
    target = folder / "checkout"
    with tarfile.open(archive) as files:
        files.extractall(target, filter="data")
    archive.unlink()
    return target


def coderag(encoder: str = "", *, checkout: Path = CHECKOUT, name: str = "coderag") -> Engine:
    """Return coderag of a checkout, with vectors by an encoder: "" for the shipped one, "none" for none."""
    import coderag

    python = (sys.executable, "-P", "-m", "coderag")
    probe = (sys.executable, "-P", str(PROBES / "probe_coderag.py"))
    inherited = os.environ.get("PYTHONPATH")
    jobs = {
        **_probed(sys.executable, "probe_coderag.py"),
        "index": (
            *(*python, "index", "{root}", "--index", "{folder}", "--workers", "{workers}"),
            *(("--encoder", encoder) if encoder else ()),
        ),
        "index without graph": (
            *(*python, "index", "{root}", "--index", "{folder}", "--workers", "{workers}", "--no-graph"),
            *(("--encoder", encoder) if encoder else ()),
        ),
        "graph": (*probe, "graph", "{root}", "{folder}"),
        "graph answers": (*probe, "graph_answers", "{root}", "{folder}", "{targets}", "{budget}"),
        "search": (*python, "search", "--root", "{root}", "--index", "{folder}", "--", "{question}"),
        "mcp": (*python, "mcp", "--root", "{root}", "--index", "{folder}"),
    }
    environment = {
        **COMPILED,
        "PYTHONPATH": os.pathsep.join(filter(None, (str(checkout), inherited))),
        "XDG_CACHE_HOME": "{cache}",
        "CODERAG_HELPER": "0",
        "CODERAG_BACKGROUND": "0",  # indexing is measured with the graph, by older versions too
    }
    number = coderag.__version__ if checkout == CHECKOUT else f"of {name}"
    version = f"{number} {'by words alone' if encoder == WORDS_ALONE else 'with vectors'}"
    return Engine(name, version, jobs, environment)


def semble(python: str, model: str = "") -> Engine:
    """Return semble, with vectors by a model (a folder), or without one, which leaves it its ranking by words.

    Raises BenchmarkError when it cannot be imported.
    """
    jobs = _probed(python, "probe_semble.py")
    version = json.loads(run(Command((*jobs["facts"][:3], "version"), {})).output)["version"]
    jobs["answers"] = (*jobs["facts"][:3], "answers", "{root}", "{folder}", "{file}", "{hits}", "{lines}")
    environment = {
        **COMPILED,
        "SEMBLE_CACHE_LOCATION": "{folder}",
        "SEMBLE_INDEX_WORKERS": "{workers}",
        "SEMBLE_MODEL_NAME": model,
        "HF_HUB_OFFLINE": "1",
        "XDG_CACHE_HOME": "{cache}",
    }
    return Engine("semble", f"{version} {'with vectors' if model else 'by words alone'}", jobs, environment)


def _probed(python: str, probe: str) -> dict[str, tuple[str, ...]]:
    start = (python, "-P", str(PROBES / probe))  # modules beside the probe must not hide others
    return {
        "index": (*start, "index", "{root}", "{folder}", "{workers}"),
        "search": (*start, "search", "{root}", "{folder}", "{question}"),
        "facts": (*start, "facts", "{root}", "{folder}"),
        "questions": (*start, "questions", "{root}", "{folder}", "{file}", "{warm_up}"),
        "updates": (*start, "updates", "{root}", "{folder}", "{file}", "{lines}"),
    }
