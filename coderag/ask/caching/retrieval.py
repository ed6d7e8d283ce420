"""Parts of questions to what was found for them, in this process, the least recently used forgotten first.

A part that comes again (in a conversation, in a compound question, in a loop, through another pipeline or for another
model) is not looked up twice on the same state of the index by who sees the same.
"""

from __future__ import annotations

from collections.abc import Callable

from coderag.ask.caching.bounded import BoundedCache
from coderag.ask.records import Route
from coderag.ask.turn import Evidence, IndexState, SourceFilter, Turn, Variant
from coderag.record import record

__all__ = ["MOST_BYTES", "RETRIEVED", "RetrievalKey", "looked_up", "size_of"]

MOST_BYTES = 16 << 20  # of texts in a process; a part has about 20 kB of them
OVERHEAD = 2_000  # bytes of a part beside its texts


@record
class RetrievalKey:
    """All that the lookup of a part depends on."""

    state: IndexState
    within: SourceFilter
    text: str
    routes: tuple[Route, ...]
    variants: tuple[Variant, ...]
    pinned: tuple[str, ...]
    beside: str  # another reading of the part


def looked_up(turn: Turn, part: Evidence, look_up: Callable[[Turn, Evidence], Evidence]) -> Evidence:
    """Return what a lookup finds for a part, from the cache where it was looked up before.

    What an earlier lookup found for it, and its grade, are gone: `look_up` gets its text, routes and variants alone.
    """
    fresh = Evidence(part.text, routes=part.routes or (Route.CODE,), variants=part.variants)
    if turn.state is None:
        return look_up(turn, fresh)
    key = RetrievalKey(
        turn.state,
        turn.options.within,
        fresh.text,
        fresh.routes,
        fresh.variants,
        turn.conversation.pinned,
        turn.beside if part.text == turn.text else "",
    )
    retrieved = RETRIEVED.get(key)
    if retrieved is None:
        retrieved = look_up(turn, fresh)
        RETRIEVED.put(key, retrieved)
    return retrieved


def size_of(found: Evidence) -> int:
    """Return about how many bytes evidence takes: its texts, each of which is counted where it stands."""
    sources = sum(len(finding.source.text) + len(finding.text) for finding in found.findings)
    return OVERHEAD + sources + sum(len(hit.chunk.text) for hit in found.hits) + len(found.sql)


RETRIEVED: BoundedCache[RetrievalKey, Evidence] = BoundedCache(size_of, most_bytes=MOST_BYTES)  # of this process
