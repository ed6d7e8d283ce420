"""Files that a question may need, fetched from a store, as a corpus."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from threading import Lock

from coderag.index.reader.corpus import Member
from coderag.index.storage.columns import Columns
from coderag.stores.generation import VisibleGeneration
from coderag.stores.packet import decode_packet, joined_segment
from coderag.stores.partial_corpus import PartialCorpus, Statistics
from coderag.stores.store import FileKey, Found, Store

__all__ = ["FileCache", "Gathering"]

REMEMBERED_BYTES = 256 << 20  # of packets, as they were sent


class FileCache:
    """The files that were fetched last; what a name of a segment stands for never changes.

    Several threads may use it, and callers of any groups: a file is looked for by who found it as its own caller.
    """

    def __init__(self) -> None:
        self._files: OrderedDict[FileKey, tuple[Columns, int]] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()

    def get(self, key: FileKey) -> Columns | None:
        """Return a file, None where it is not there."""
        found = self._files.get(key)
        return None if found is None else found[0]

    def add(self, key: FileKey, packet: bytes) -> Columns:
        """Return the file of a packet, and keep it in place of the oldest ones."""
        columns = decode_packet(packet)
        with self._lock:
            if key not in self._files:  # another thread may have fetched it, too
                self._files[key] = columns, len(packet)
                self._bytes += len(packet)
            while self._bytes > REMEMBERED_BYTES and len(self._files) > 1:
                self._bytes -= self._files.popitem(last=False)[1][1]
        return columns


class Gathering:
    """The files of one question."""

    def __init__(self, store: Store, view: VisibleGeneration, statistics: Statistics, cache: FileCache) -> None:
        self._store, self._view, self._statistics, self._cache = store, view, statistics, cache
        self._known: set[FileKey] = set()
        self._new: list[Columns] = []  # that are in no segment yet
        self._corpus = PartialCorpus([], statistics)

    def __len__(self) -> int:
        """Return how many files were fetched."""
        return len(self._known)

    def add(self, found: Iterable[Found]) -> int:
        """Fetch the files that a leg found and return how many are new."""
        wanted = [key for key in dict.fromkeys(one.file for one in found) if key not in self._known]
        cached = {key: columns for key in wanted if (columns := self._cache.get(key)) is not None}
        missing = [key for key in wanted if key not in cached]
        packets = self._store.fetch(missing, self._view.conditions) if missing else {}
        fetched = {key: self._cache.add(key, packets[key]) for key in missing}
        self._known.update(wanted)
        self._new += [*cached.values(), *fetched.values()]
        return len(wanted)

    def corpus(self) -> PartialCorpus:
        """Return the files as a corpus; those that came since the last one are a segment more."""
        if self._new:
            generation = self._view.generation
            segment = joined_segment(self._new, vectors=generation.vectors)
            members = [*self._corpus.members, Member(segment, generation.repository, "", ())]
            self._corpus = PartialCorpus(members, self._statistics, known=self._corpus)
            self._new = []
        return self._corpus
