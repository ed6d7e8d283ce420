"""Some files of a generation as a corpus that knows how many chunks of the whole hold a term."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from coderag.index.reader.corpus import Corpus, Member
from coderag.index.storage.arrays.arrays import Array
from coderag.record import record

__all__ = ["PartialCorpus", "Statistics"]


@record
class Statistics:
    """What is known of a generation as a whole, or as some callers see it."""

    live_chunks: int
    rough_frequencies: Callable[[Array], Array]  # as `frequencies`, where the order of magnitude will do
    frequencies: Callable[[Array], Array]  # u64[n] keys to i64[n]: chunks, or for terms of paths files, with each


class PartialCorpus(Corpus):
    """A corpus of the files that may come near the best; it weighs words as the whole does."""

    def __init__(
        self, members: Sequence[Member], statistics: Statistics, *, known: PartialCorpus | None = None
    ) -> None:
        """Take segments; `known` is a corpus of the same generation, which counted some words already."""
        super().__init__(members)
        self._statistics = statistics
        self._counts: dict[int, int] = {} if known is None else known._counts

    @property
    def live_chunks(self) -> int:
        """How many chunks the whole has."""
        return self._statistics.live_chunks

    def text_frequencies(self, keys: Array, positions: Sequence[Array] | None = None) -> Array:
        """Return how many chunks of the whole hold each of u64[n] terms, i64[n]."""
        del positions
        return self._of_whole(keys)

    def rough_frequencies(self, keys: Array) -> Array:
        """Return about how many chunks of the whole hold each of u64[n] terms, i64[n]."""
        return self._statistics.rough_frequencies(keys)

    def path_frequencies(self, keys: Array) -> Array:
        """Return how many files of the whole have each of u64[n] terms in their path, i64[n]."""
        return self._of_whole(keys)

    def _of_whole(self, keys: Array) -> Array:
        wanted = keys.tolist()
        missing = np.array([key for key in dict.fromkeys(wanted) if key not in self._counts], dtype=np.uint64)
        if len(missing):
            self._counts.update(zip(missing.tolist(), self._statistics.frequencies(missing).tolist(), strict=True))
        return np.array([self._counts[key] for key in wanted], dtype=np.int64)
