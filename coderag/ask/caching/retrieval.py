"""Parts of questions to what was found for them, in this process, the least recently used forgotten first.

A part that comes again (in a conversation, in a compound question, in a loop, through another pipeline or for another
model) is not looked up twice on the same state of the index by who sees the same.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from threading import Lock

from coderag.ask.agentic.records import Limits
from coderag.ask.caching.counts import CacheCounts
from coderag.ask.records import Route
from coderag.ask.turn import Evidence, IndexState, Options, Turn, Variant
from coderag.record import record

__all__ = ["RETRIEVED", "RetrievalCache", "RetrievalKey", "looked_up"]

MOST_BYTES = 16 << 20  # of texts in a process; a part has about 20 kB of them
OVERHEAD = 2_000  # bytes of a part beside its texts
ANY_LIMITS = Limits()


@record
class RetrievalKey:
    """All that the lookup of a part depends on."""

    state: IndexState
    options: Options
    text: str
    routes: tuple[Route, ...]
    variants: tuple[Variant, ...]
    pinned: tuple[str, ...]
    beside: str  # another reading of the part


class RetrievalCache:
    """A bounded number of bytes of evidence; its methods may be called from several threads."""

    def __init__(self, *, most_bytes: int = MOST_BYTES) -> None:
        """Keep at most so many bytes."""
        self._most_bytes = most_bytes
        self._kept: OrderedDict[RetrievalKey, tuple[Evidence, int]] = OrderedDict()
        self._size = self._hits = self._misses = 0
        self._lock = Lock()

    def get(self, key: RetrievalKey) -> Evidence | None:
        """Return what was found, None where nobody looked or it was forgotten."""
        with self._lock:
            kept = self._kept.get(key)
            self._hits += kept is not None
            self._misses += kept is None
            if kept is None:
                return None
            self._kept.move_to_end(key)
            return kept[0]

    def put(self, key: RetrievalKey, found: Evidence) -> None:
        """Keep what was found; what is too large for the cache is not kept."""
        size = _size(found)
        if size > self._most_bytes:
            return
        with self._lock:
            _, before = self._kept.pop(key, (found, 0))
            self._kept[key] = found, size
            self._size += size - before
            while self._size > self._most_bytes:
                _, (_, oldest) = self._kept.popitem(last=False)
                self._size -= oldest

    def counts(self) -> CacheCounts:
        """Return how often something was found again, and what is held."""
        with self._lock:
            return CacheCounts(self._hits, self._misses, len(self._kept), self._size)

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._kept.clear()
            self._size = 0


def looked_up(turn: Turn, part: Evidence, look_up: Callable[[Turn, Evidence], Evidence]) -> Evidence:
    """Return what a lookup finds for a part, from the cache where it was looked up before.

    What an earlier lookup found for it, and its grade, are gone: `look_up` gets its text, routes and variants alone.
    """
    fresh = Evidence(part.text, routes=part.routes or (Route.CODE,), variants=part.variants)
    if turn.state is None:
        return look_up(turn, fresh)
    key = RetrievalKey(
        turn.state,
        replace(turn.options, limits=ANY_LIMITS),
        fresh.text,
        fresh.routes,
        fresh.variants,
        turn.conversation.pinned,
        turn.beside if part.text == turn.text else "",
    )
    found = RETRIEVED.get(key)
    if found is None:
        found = look_up(turn, fresh)
        RETRIEVED.put(key, found)
    return found


def _size(found: Evidence) -> int:
    """Return about how many bytes evidence takes: its texts, each of which is counted where it stands."""
    sources = sum(len(one.source.text) + len(one.text) for one in found.findings)
    return OVERHEAD + sources + sum(len(hit.chunk.text) for hit in found.hits) + len(found.sql)


RETRIEVED = RetrievalCache()  # of this process
