"""Files that changed lately, as a graph keeps them: the index forgets what a file was once it changes again."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from coderag.graph.files import LinkedFile
from coderag.graph.graph import Graph
from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.arrays.strings import Strings, pack_strings
from coderag.index.storage.columns import unpack_labels
from coderag.index.storage.links import deflate_links, inflate_links

__all__ = ["is_small", "recent_arrays", "recent_files"]

MOST_FILES = 32  # of a segment that an update wrote, and that are kept
LEAST_SHARE = 8  # an index has so many times as many files; a smaller one is resolved at once


def is_small(files: int, whole: int) -> bool:
    """Tell whether a segment is one of those that updates write, and later ones replace."""
    return files <= MOST_FILES and files * LEAST_SHARE <= whole


def recent_arrays(files: Sequence[LinkedFile], paths: Collection[str]) -> dict[str, Array]:
    """Return what `recent_files` reads, of some files: none where they are many."""
    numbers = [number for number, file in enumerate(files) if file.path in paths]
    numbers = numbers if len(numbers) <= MOST_FILES else []
    links = [deflate_links(files[number].links) for number in numbers]
    blob, offsets = pack_strings([files[number].language for number in numbers])
    return {
        "recent_file": np.array(numbers, np.uint32),
        "recent_language_blob": blob,
        "recent_language_offsets": offsets,
        "recent_links": np.frombuffer(b"".join(links), np.uint8),
        "recent_sizes": np.array(list(map(len, links)), np.uint32),
    }


def recent_files(graph: Graph) -> dict[str, LinkedFile]:
    """Return the files that a graph keeps, by path; raises ValueError and IndexError for nonsense."""
    arrays = graph.arrays
    if "recent_file" not in arrays:
        return {}
    languages = Strings(arrays["recent_language_blob"], arrays["recent_language_offsets"]).all()
    data, ends = bytes(arrays["recent_links"]), np.cumsum(arrays["recent_sizes"]).tolist()
    found: dict[str, LinkedFile] = {}
    for number, language, end, size in zip(
        arrays["recent_file"].tolist(), languages, ends, arrays["recent_sizes"].tolist(), strict=True
    ):
        path, labels = graph.paths[number], unpack_labels(int(arrays["file_labels"][number]))
        links = inflate_links(data[end - size : end])
        found[path] = LinkedFile(path, language, links, labels, bytes(arrays["file_blob"][number]))
    return found
