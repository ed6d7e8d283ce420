"""The files of a corpus: that of a path, and those that hold some chunks."""

from __future__ import annotations

import numpy as np

from coderag.errors import QueryError
from coderag.index.reader.corpus import Corpus, Member
from coderag.index.storage.arrays.arrays import Array

__all__ = ["files_with", "indexed_file"]


def indexed_file(corpus: Corpus, path: str, *, repository: str = "") -> tuple[Member, int]:
    """Return a file by its path: the member that has it, and its number there.

    Of several roots the first that has the file, or the one of a repository. Raises QueryError if none has it.
    """
    for member in corpus.members:
        if repository not in ("", member.repository):
            continue
        for file, known in enumerate(member.segment.paths.all()):
            if known == path and file not in member.dead:
                return member, file
    raise QueryError(f"{path} is not in the index; paths are relative to the root, with forward slashes")


def files_with(corpus: Corpus, chunks: Array | None) -> frozenset[tuple[str, str]]:
    """Return the files that hold one of some chunks (bool[chunks], None for all), each as repository and path."""
    numbers = np.flatnonzero(corpus.live_file if chunks is None else corpus.live_file & corpus.files_of(chunks))
    firsts = np.array([member.first_file for member in corpus.members])
    owners = (np.searchsorted(firsts, numbers, side="right") - 1).tolist()
    paths = [member.segment.paths.all() for member in corpus.members]
    return frozenset(
        (corpus.members[owner].repository, paths[owner][number - corpus.members[owner].first_file])
        for owner, number in zip(owners, numbers.tolist(), strict=True)
    )
