"""A small repository that changes, the answers of its index, and what lies in the index's folder that should not."""

from __future__ import annotations

import random
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from coderag import Index
from coderag.errors import StoredIndexError
from coderag.index.storage.checksums import damage_of
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.manifest import SEGMENTS, read_manifest

__all__ = ["Answers", "World", "copy_slice"]

Answers = tuple[tuple[tuple[str, str, int, float], ...], ...]

SENTENCES = ("read a file in blocks", "error when the format is not known", "parse the options", "where is it closed?")
ALWAYS = frozenset({"manifest.json", "lock", ".gitignore", SEGMENTS})
MAYBE = frozenset({"merging.lock", "graph.lock", "databases"})
LARGEST_BYTES = 60_000  # of the files taken: rounds should be short
DIGITS = 4


def copy_slice(source: Path, root: Path, *, files: int, seed: int, largest: int = LARGEST_BYTES) -> list[str]:
    """Copy so many files of a folder, chosen by a seed, none of more than `largest` bytes; return their paths."""
    known = sorted(
        path for path in source.rglob("*") if path.is_file() and not path.is_symlink() and not _is_hidden(path, source)
    )
    fitting = [path for path in known if 0 < path.stat().st_size <= largest]
    chosen = sorted(random.Random(seed).sample(fitting, min(files, len(fitting))))
    for path in chosen:
        target = root / path.relative_to(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    return [path.relative_to(source).as_posix() for path in chosen]


def _is_hidden(path: Path, source: Path) -> bool:
    return any(part.startswith(".") or part == "__pycache__" for part in path.relative_to(source).parts)


@dataclass(slots=True)
class World:
    """A root, its index, and the questions that it is asked."""

    root: Path
    folder: Path
    questions: tuple[str, ...]
    number: int = 0  # of edits so far

    @classmethod
    def make(cls, work: Path, source: Path, *, files: int, seed: int) -> World:
        """Copy some files, and index them."""
        root = work / "root"
        paths = copy_slice(source, root, files=files, seed=seed)
        (root / "tables.sql").write_text("CREATE TABLE orders (id INT PRIMARY KEY, total INT);\n", encoding="utf-8")
        stems = [Path(path).stem for path in random.Random(seed).sample(paths, min(6, len(paths)))]
        world = cls(root, work / "index", (*SENTENCES, *stems))
        Index.build(root, index=world.folder, workers=0)
        return world

    def answers(self, folder: Path | None = None) -> Answers:
        """Return what the index on disk answers, and the number of its chunks; raises StoredIndexError."""
        index = Index.open(self.root, index=folder or self.folder)
        return answers_of(index, self.questions)

    def edit(self, chosen: random.Random) -> list[str]:
        """Change, add, rename or remove some files, and return their paths."""
        self.number += 1
        files = sorted(path for path in self.root.rglob("*.py") if path.is_file())
        touched: list[Path] = []
        for step in range(chosen.randrange(1, 4)):
            path = chosen.choice(files)
            kind = chosen.randrange(8)
            new = self.root / f"new_{chosen.randrange(40)}.py"
            text = f"\n\ndef made_{self.number}_{step}(total):\n    return total + {self.number}\n"
            if kind <= 3 and path.exists():
                path.write_bytes(path.read_bytes() + text.encode())
            elif kind == 4 and path.name.startswith("new_"):
                path.unlink(missing_ok=True)
            elif kind == 5 and path.name.startswith("new_") and path.exists():
                path.replace(new)
                touched.append(new)
            else:
                path = new
                path.write_text(text, encoding="utf-8")
            touched.append(path)
        return [str(path) for path in touched]

    def problems(self) -> list[str]:
        """Return what is wrong with the index as it is on disk: damage, and what cannot be opened."""
        try:
            damage = damage_of(IndexPath(self.folder), read_manifest(IndexPath(self.folder)))
        except StoredIndexError as error:
            return [f"{type(error).__name__}: {error}"]
        return [f"{one.path}: {one.problem}" for one in damage]

    def strays(self) -> list[str]:
        """Return what lies in the index's folder that no index needs."""
        manifest = read_manifest(IndexPath(self.folder))
        named = ALWAYS | MAYBE | {manifest.listing, manifest.catalog, manifest.graph}
        found = [path.name for path in self.folder.iterdir() if path.name not in named]
        found += [f"missing {name}" for name in ALWAYS if not (self.folder / name).exists()]
        files = {entry.name: set(entry.sums) for entry in manifest.segments}
        for segment in (self.folder / SEGMENTS).iterdir():
            here = {path.name for path in segment.iterdir()}
            found += [f"{segment.name}/{name}" for name in here ^ files.get(segment.name, set())]
            if segment.name not in files:
                found.append(segment.name)
        return sorted(found)


def answers_of(index: Index, questions: Sequence[str]) -> Answers:
    """Return the hits of some questions, and how many chunks there are."""
    size = ("chunks", "", len(index), 0.0)
    return (
        (size,),
        *(
            tuple(
                (hit.chunk.path, hit.chunk.qualified_name, hit.chunk.span.start_line, round(hit.score, DIGITS))
                for hit in index.search(question)
            )
            for question in questions
        ),
    )
