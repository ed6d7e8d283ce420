"""An index to the parts of its repositories, computed once for each state: on a large one that takes a second."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable, Sequence

from coderag.api.index import Index
from coderag.graph.queries.map import RepositoryMap
from coderag.record import record

__all__ = ["MapParts", "map_parts"]

BUDGET = 6_000  # tokens of the map of a root that is drawn
MOST_ROOTS = 16  # whose maps are as long as that
MOST = 4  # states that are kept; each takes some ten kilobytes


@record
class MapParts:
    """The maps of the roots, and for each part of each how many commits changed it."""

    maps: tuple[RepositoryMap, ...]
    changes: tuple[tuple[int, ...], ...]


_kept: OrderedDict[Hashable, MapParts] = OrderedDict()
_lock = threading.Lock()


def map_parts(index: Index) -> MapParts:
    """Return the parts of an index; what some groups see is a state of its own."""
    state = index.state
    with _lock:
        if state in _kept:
            _kept.move_to_end(state)
            return _kept[state]
    maps: Sequence[RepositoryMap] = index.map(budget=BUDGET * min(len(index.roots), MOST_ROOTS))
    parts = MapParts(tuple(maps), tuple(index.part_changes(maps)))
    if index.state == state:
        with _lock:
            _kept[state] = parts
            while len(_kept) > MOST:
                _kept.popitem(last=False)
    return parts
