"""Files that belong together to a name for them: the folder that most of what matters in them is in."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

__all__ = ["part_names"]

MOST = 0.6  # of what matters that the folder must hold
WORTH_NAMING = 0.15  # the share of a folder or file that is named besides another
NAMED = 2
NO_FILES = "tables"


def part_names(parts: Sequence[Mapping[str, float]]) -> list[str]:
    """Return a name for each part, given its files with how much each matters; no two are called after one folder."""
    folders = [_folder_of(files) for files in parts]
    often = Counter(folders)
    return [
        NO_FILES if not files else folder if folder and often[folder] == 1 else _inside(files, folder)
        for files, folder in zip(parts, folders, strict=True)
    ]


def _folder_of(files: Mapping[str, float]) -> str:
    """Return the innermost folder that holds most of some files, "" where that is the root."""
    held: dict[str, float] = defaultdict(float)
    for path, worth in files.items():
        folder = path.rpartition("/")[0]
        while folder:
            held[folder] += worth
            folder = folder.rpartition("/")[0]
    least = MOST * sum(files.values())
    return max(
        (one for one, worth in held.items() if worth >= least), key=lambda one: (one.count("/"), one), default=""
    )


def _inside(files: Mapping[str, float], folder: str) -> str:
    """Return the folders or files right inside a folder that matter most."""
    start = f"{folder}/" if folder else ""
    held: dict[str, float] = defaultdict(float)
    for path, worth in files.items():
        if path.startswith(start):
            held[path[len(start) :].partition("/")[0]] += worth
    best = sorted(held, key=lambda one: (-held[one], one))[:NAMED]
    worth_it = [one for one in best if held[one] >= WORTH_NAMING * sum(held.values())] or best[:1]
    return ", ".join(start + one for one in worth_it)
