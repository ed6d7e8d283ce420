"""A thousand edits of a repository: the index answers as a fresh one does, and is hardly larger."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from pathlib import Path

from coderag import Index
from coderag.api.background import spawn_maintenance
from coderag.index.build.merging import merge_index
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.manifest import SEGMENTS, read_manifest
from scripts.torturing.outcome import Options, Outcome
from scripts.torturing.world import copy_slice

__all__ = ["drift"]

EDITS_AT_ONCE = 5  # at most, between two updates
MERGE_EVERY = 10  # updates; in a process of its own, while updates go on
LOOKS = 4  # at the answers, on the way
LARGER = 1.3  # than a fresh index: what it may be
MOST_SEGMENTS = 24
K = 10

Hits = tuple[tuple[str, str, int, int, float, float], ...]


def drift(options: Options) -> Outcome:
    """Edit, update and merge; then compare with a fresh index."""
    outcome = Outcome()
    chosen = random.Random(options.seed)
    root, folder = options.work / "root", options.work / "index"
    if options.files:
        copy_slice(options.source, root, files=options.files, seed=options.seed)
    else:
        shutil.copytree(options.source, root, ignore=shutil.ignore_patterns(".git", ".coderag"))
    questions = _questions(options, root)
    edits = _Edits(root, chosen)
    merges: list[subprocess.Popen[bytes]] = []
    done = updates = looks = 0
    with Index.build(root, index=folder, workers=1) as index:
        outcome.counts["files at first"] = sum(status.files for status in index.status(compare=False))
        while done < options.rounds:
            at_once = min(chosen.randrange(1, EDITS_AT_ONCE + 1), options.rounds - done)
            touched = [path for _ in range(at_once) for path in edits.one()]
            index.update(paths=touched if updates % 2 else None, workers=1)
            done, updates = done + at_once, updates + 1
            if updates % MERGE_EVERY == 0:
                merges = [one for one in merges if one.poll() is None]
                merges.append(spawn_maintenance(IndexPath(folder), root))
            outcome.most("segments, at most", len(read_manifest(IndexPath(folder)).segments))
            if done * LOOKS // options.rounds > looks:
                looks = done * LOOKS // options.rounds
                _compare(root, folder, questions, outcome, f"after {done} edits")
            outcome.tell(done, options.rounds)
    for one in merges:
        one.wait()
    while merge_index(IndexPath(folder)):
        outcome.count("merges in the end")
    _compare(root, folder, questions, outcome, "in the end")
    outcome.counts |= {"edits": done, "updates": updates, **{f"edits: {kind}": n for kind, n in edits.kinds.items()}}
    outcome.counts["segments in the end"] = len(read_manifest(IndexPath(folder)).segments)
    outcome.check(int(outcome.counts["segments, at most"]) <= MOST_SEGMENTS, "the number of segments grows")
    return outcome


def _questions(options: Options, root: Path) -> list[str]:
    """Return the questions of a file, as JSON or JSON lines, or the names of the files."""
    if options.questions is None:
        stems = {path.stem for path in root.rglob("*") if path.is_file() and path.suffix in {".py", ".go", ".c", ".ts"}}
        return [f"where is {stem} used" for stem in sorted(stems)]
    text = options.questions.read_text(encoding="utf-8")
    records = json.loads(text) if text.lstrip().startswith("[") else [json.loads(line) for line in text.splitlines()]
    return [str(record["query"]) for record in records]


def _hits(index: Index, question: str) -> Hits:
    return tuple(
        (
            hit.chunk.path,
            hit.chunk.qualified_name,
            hit.chunk.span.start_line,
            hit.chunk.span.end_line,
            hit.score,
            hit.confidence,
        )
        for hit in index.search(question, k=K)
    )


def _size(folder: Path) -> int:
    files = [path for path in (folder / SEGMENTS).rglob("*") if path.is_file()]
    return sum(path.stat().st_size for path in files)


def _compare(root: Path, folder: Path, questions: list[str], outcome: Outcome, when: str) -> None:
    """Compare the index with a fresh one."""
    fresh = folder.with_name("fresh")
    shutil.rmtree(fresh, ignore_errors=True)
    with Index.build(root, index=fresh, workers=1) as other:
        index = Index.open(root, index=folder)
        for one in (index, other):
            one.graphs()  # a search takes the stored one, which may be behind
        differing = [question for question in questions if _hits(index, question) != _hits(other, question)]
        chunks = len(index), len(other)
    share = 1 - len(differing) / len(questions)
    larger = _size(folder) / _size(fresh)
    outcome.counts[f"{when}: the same top {K}"] = f"{share:.2%} of {len(questions)} questions"
    outcome.counts[f"{when}: size"] = f"{larger:.3f} of a fresh one"
    outcome.check(not differing, f"{when}: other hits for {differing[:5]}")
    outcome.check(chunks[0] == chunks[1], f"{when}: {chunks[0]} chunks, a fresh index has {chunks[1]}")
    if when == "in the end":
        outcome.check(larger <= LARGER, f"{when}: {larger:.2f} times as large as a fresh one")


class _Edits:
    """Changes to the files of a folder."""

    def __init__(self, root: Path, chosen: random.Random) -> None:
        self._root = root
        self._chosen = chosen
        self._files = sorted(path for path in root.rglob("*") if path.is_file() and not path.is_symlink())
        self._files = [path for path in self._files if not any(part.startswith(".") for part in path.parts)]
        self._before: list[tuple[Path, bytes]] = []
        self.kinds: dict[str, int] = {}

    def one(self) -> list[Path]:
        """Edit, add, remove, rename or restore a file; return the paths that it concerns."""
        names = ("edit", "edit", "edit", "edit", "add", "remove", "rename", "restore", "move lines")
        kind = self._chosen.choice(names)
        path = self._chosen.choice(self._files)
        if kind == "restore" and not self._before:
            kind = "edit"
        self.kinds[kind] = self.kinds.get(kind, 0) + 1
        if kind in ("edit", "move lines"):
            self._keep(path)
            path.write_bytes(b"\n".join(self._edited(path.read_bytes().split(b"\n"), kind)))
        elif kind == "add":
            new = self._new(path)
            new.write_bytes(b"\n".join(self._edited(path.read_bytes().split(b"\n"), "edit")))
            self._files.append(new)
            return [new]
        elif kind == "remove":
            self._keep(path)
            path.unlink()
            self._files.remove(path)
        elif kind == "rename":
            new = self._new(path)
            path.rename(new)
            self._files[self._files.index(path)] = new
            return [path, new]
        else:
            path, raw = self._before.pop(self._chosen.randrange(len(self._before)))
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.exists():
                self._files.append(path)
            path.write_bytes(raw)
        return [path]

    def _keep(self, path: Path) -> None:
        self._before.append((path, path.read_bytes()))

    def _new(self, path: Path) -> Path:
        number = self._chosen.randrange(1_000_000)
        return self._chosen.choice(self._files).with_name(f"{path.stem}_{number}{path.suffix}")

    def _edited(self, lines: list[bytes], kind: str) -> list[bytes]:
        begin = self._chosen.randrange(len(lines))
        end = min(begin + self._chosen.randrange(1, 30), len(lines))
        if kind == "move lines":
            rest = lines[:begin] + lines[end:]
            at = self._chosen.randrange(len(rest) + 1)
            return rest[:at] + lines[begin:end] + rest[at:]
        if self._chosen.random() < 0.5:
            other = self._chosen.choice(self._files).read_bytes().split(b"\n")
            start = self._chosen.randrange(len(other))
            return lines[:begin] + other[start : start + 30] + lines[begin:]
        return lines[:begin] + lines[end:]
