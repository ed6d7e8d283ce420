"""Files to what they are variants of: for a platform, of a version, a step of a migration.

A path says so. Few files are a variant, so a column of marks tells which of them have to be looked at.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from functools import lru_cache

import numpy as np

from coderag.index.reader.corpus import Corpus
from coderag.index.storage.arrays.arrays import Array
from coderag.record import record
from coderag.search.query.vocabulary import PLATFORMS
from coderag.search.retrieval.maxsim import name_words

__all__ = ["steps_of_migrations", "variant_factors"]

VERSION_FOLDER = re.compile(r"(?<![^/])[vV](\d{1,2})(?=/)")
# Tools run the steps of migrations in the order of their names, which begin with a number or a date; or with a hash.
MIGRATIONS, STEP = frozenset({"migrate", "migration", "migrations"}), re.compile(r"[vV]?\d")
REVISIONS, REVISION = "versions", re.compile(r"[\da-f]{8,40}_")
USUAL_PLATFORM = frozenset({"linux"})  # where nothing is said, a program runs on it
KNOWN, VARIES, IS_STEP = 1, 2, 4  # marks of a file: its path was looked at; it is for a platform or of a version


@record
class _Variant:
    """What a file is a variant of, by its path."""

    platforms: frozenset[str]
    is_step: bool  # of a migration
    beside: str = ""  # what holds the folder of its version, as a path
    version: int = -1  # of this folder, -1 for none

    @property
    def marks(self) -> int:
        """The marks of its file."""
        varies = bool(self.platforms) or self.version >= 0
        return KNOWN | VARIES * varies | IS_STEP * self.is_step


class _Marks:
    """The marks of the files of a corpus, each set when the file is first asked about."""

    def __init__(self, files: int) -> None:
        self._marks = np.zeros(files, dtype=np.uint8)

    def of(self, corpus: Corpus, files: Array) -> Array:
        """Return the marks of some files, i64[n] ascending: u8[n]."""
        missing = files[self._marks[files] == 0]
        if len(missing):
            self._marks[missing] = [_variant(path).marks for path in corpus.paths_of(missing)]
        found: Array = self._marks[files]
        return found


def variant_factors(corpus: Corpus, files: Array, *, asked: Set[str], factors: Mapping[str, float]) -> Array:
    """Return what is left of the score of some files, i64[n] ascending, that are variants: f32[n].

    It is less than 1 for one that is for another platform than the query names, by its words in lower case, or of an
    earlier version than another of the files; the platform that it names counts more. `factors` are those of a tuning.
    """
    found = np.ones(len(files), dtype=np.float32)
    places = np.flatnonzero(_marks_of(corpus, files) & VARIES)
    if not len(places):
        return found
    variants = list(map(_variant, corpus.paths_of(files[places])))
    found[places] = _of_versions(variants, asked, factors["outdated"])
    named = frozenset(PLATFORMS[word] for word in asked & PLATFORMS.keys())
    for place, variant in zip(places.tolist(), variants, strict=True):
        if variant.platforms:
            found[place] *= np.float32(_of_platform(variant.platforms, named, factors))
    return found


def steps_of_migrations(corpus: Corpus, files: Array) -> Array:
    """Tell which of some files, i64[n] ascending, are steps of migrations: bool[n]."""
    steps: Array = _marks_of(corpus, files) & IS_STEP > 0
    return steps


def _marks_of(corpus: Corpus, files: Array) -> Array:
    return corpus.companion(_Marks, lambda: _Marks(corpus.files)).of(corpus, files)


@lru_cache(maxsize=50_000)
def _variant(path: str) -> _Variant:
    """Return what a path says of what its file is a variant of."""
    platforms = frozenset(PLATFORMS[word] for word in name_words(path) if word in PLATFORMS)
    *folders, name = path.split("/")
    is_revision = folders[-1:] == [REVISIONS] and REVISION.match(name) is not None
    is_step = STEP.match(name) is not None and not MIGRATIONS.isdisjoint(folders)
    version = VERSION_FOLDER.search(path)
    beside, number = (path[: version.start()], int(version[1])) if version else ("", -1)
    return _Variant(platforms, is_step or is_revision, beside, number)


def _of_platform(own: Set[str], named: Set[str], factors: Mapping[str, float]) -> float:
    """Return the factor of a file for some platforms where a query names some."""
    if own & named:
        return factors["named_platform"]
    return factors["platform"] if own - (named or USUAL_PLATFORM) else 1.0


def _of_versions(variants: Sequence[_Variant], asked: Set[str], factor: float) -> Array:
    """Return the factor of each file, f32[variants]: below one where another has a later version of its folder."""
    latest: dict[str, int] = {}
    for variant in variants:
        if variant.version >= 0:
            latest[variant.beside] = max(latest.get(variant.beside, 0), variant.version)
    outdated = [
        variant.version >= 0 and variant.version < latest[variant.beside] and f"v{variant.version}" not in asked
        for variant in variants
    ]
    return np.where(outdated, np.float32(factor), np.float32(1))
