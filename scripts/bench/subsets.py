"""Corpora to parts of them that are the same on every machine: a mix of languages, a number of chunks or bytes."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from scripts.bench.corpora import endings, packages
from scripts.bench.records import BenchmarkError, Corpus, Say

__all__ = ["edited_file", "mixed", "ordered_files", "part_of", "source_bytes", "with_chunks", "work_copy"]

CLOSE_ENOUGH = 0.01  # how far from the wanted number of chunks a corpus may be
MAX_TRIES = 6
USUAL_CHUNK_BYTES = 690  # where the search for that number begins


@dataclass(frozen=True, slots=True)
class _File:
    corpus: Corpus
    path: str  # relative to the corpus
    size: int

    @property
    def order(self) -> bytes:
        """Return a key that mixes the files of a corpus in a way that is the same everywhere."""
        return blake2b(f"{self.corpus.name}/{self.path}".encode(errors="surrogateescape"), digest_size=16).digest()


def ordered_files(corpus: Corpus, suffixes: Sequence[str]) -> list[str]:
    """Return the paths of a corpus's files with one of the endings, mixed but always in the same order."""
    return [file.path for file in sorted(_files(corpus, suffixes), key=lambda file: file.order)]


def _files(corpus: Corpus, suffixes: Sequence[str]) -> list[_File]:
    found = []
    for folder, _, names in os.walk(corpus.folder):
        for name in names:
            path = Path(folder, name)
            if name.endswith(tuple(suffixes)) and not path.is_symlink():
                found.append(_File(corpus, path.relative_to(corpus.folder).as_posix(), path.stat().st_size))
    return found


def source_bytes(corpus: Corpus) -> int:
    """Return the bytes of a corpus's files in the languages of the benchmark."""
    return sum(file.size for file in _source_files(corpus))


def part_of(corpus: Corpus, folder: Path, *, wanted_bytes: int) -> Corpus:
    """Return files of a corpus with about so many bytes, in a new folder; the smaller of two parts is in the larger."""
    chosen = _up_to(sorted(_source_files(corpus), key=lambda file: file.order), wanted_bytes)
    for file in chosen:
        target = folder / file.path
        target.parent.mkdir(parents=True, exist_ok=True)
        _link(corpus.folder / file.path, target)
    return Corpus(corpus.name, folder, corpus.version)


def work_copy(corpus: Corpus, folder: Path, *, edited: str) -> Path:
    """Return a new folder with the files of a corpus, of which one is there to be written to."""
    ignored = shutil.ignore_patterns(".coderag")
    shutil.copytree(corpus.folder, folder, symlinks=True, ignore=ignored, copy_function=_link)
    (folder / edited).unlink()
    shutil.copy2(corpus.folder / edited, folder / edited)
    return folder


def _link(source: str | Path, target: str | Path) -> None:
    """Give a file another name, which takes no space; where that cannot be, as on another file system, copy it."""
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:
        shutil.copy2(source, target, follow_symlinks=False)


def _source_files(corpus: Corpus) -> list[_File]:
    return _files(corpus, [ending for language in endings().values() for ending in language])


def edited_file(corpus: Corpus) -> str:
    """Return the path of a source file of usual size: the middle one."""
    files = _source_files(corpus)
    if not files:
        raise BenchmarkError(f"{corpus.folder} holds no source in the languages of the benchmark")
    return sorted(files, key=lambda file: (file.size, file.order))[len(files) // 2].path


def mixed(corpora: Sequence[Corpus], *, each_bytes: int, name: str, cache: Path) -> Corpus:
    """Return a corpus with about as many bytes of every language, or all of one that has less."""
    shares = _shares(corpora, each_bytes)
    chosen = [file for share in shares.values() for file in share]
    identity = blake2b(digest_size=8)
    for file in chosen:
        identity.update(file.order + file.size.to_bytes(8, "little"))
    folder = cache / "subsets" / name.replace(" ", "-") / identity.hexdigest()
    if not folder.is_dir():
        _copy(chosen, folder)
    sizes = {language: sum(file.size for file in share) / 1e6 for language, share in shares.items()}
    return Corpus(name, folder, ", ".join(f"{language} {size:.1f} MB" for language, size in sizes.items()))


def _shares(corpora: Sequence[Corpus], each_bytes: int) -> dict[str, list[_File]]:
    by_name = {corpus.name: corpus for corpus in corpora}
    shares: dict[str, list[_File]] = {}
    for language, suffixes in endings().items():
        homes = [
            by_name[package.name] for package in packages() if package.language == language and package.name in by_name
        ]
        files = sorted((file for home in homes for file in _files(home, suffixes)), key=lambda file: file.order)
        if files:
            shares[language] = _up_to(files, each_bytes)
    if not shares:
        raise BenchmarkError("there is no corpus to mix; let the benchmark fetch some, or name others with --corpora")
    return shares


def _up_to(files: Sequence[_File], limit: int) -> list[_File]:
    taken: list[_File] = []
    size = 0
    for file in files:
        if size >= limit:
            break
        taken.append(file)
        size += file.size
    return taken


def _copy(files: Sequence[_File], folder: Path) -> None:
    unfinished = folder.with_name(f"{folder.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    for file in files:
        target = unfinished / file.corpus.name / file.path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file.corpus.folder / file.path, target)
    unfinished.rename(folder)


def with_chunks(
    corpora: Sequence[Corpus], *, wanted: int, name: str, cache: Path, count: Callable[[Corpus], int], say: Say
) -> Corpus:
    """Return a mixed corpus that has about so many chunks; `count` indexes one and tells how many it has."""
    each_bytes = wanted * USUAL_CHUNK_BYTES // len(endings())
    best: tuple[int, Corpus] | None = None
    for _ in range(MAX_TRIES):
        corpus = mixed(corpora, each_bytes=each_bytes, name=name, cache=cache)
        chunks = count(corpus)
        say(f"{each_bytes / 1e6:.1f} MB of each language are {chunks:,} chunks")
        distance = abs(chunks - wanted)
        if best is None or distance < best[0]:
            best = distance, corpus
        if distance <= wanted * CLOSE_ENOUGH:
            break
        each_bytes = int(each_bytes * wanted / max(chunks, 1))
    assert best is not None
    corpus = best[1]
    for other in corpus.folder.parent.iterdir():
        if other != corpus.folder:
            shutil.rmtree(other)
    return corpus
