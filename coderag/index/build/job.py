"""What a build or an update is asked for, what it says on the way, and what it did in the end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from coderag.encoders.spec import EncoderSpec
from coderag.files.walk import Skipped, WalkOptions
from coderag.index.storage.folder.lock import LOCK_SECONDS, Holder
from coderag.index.storage.manifest import Manifest
from coderag.index.workers.process_limits import FILE_SECONDS
from coderag.types import Content

__all__ = ["BuildOptions", "Progress", "Report", "Watch"]


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """How to build: what to read and with how many processes."""

    walk: WalkOptions = field(default_factory=WalkOptions)
    encoder: EncoderSpec | None = None  # None: the one that the index has; the shipped one for a new index
    mask: bool = True  # whether secrets are covered
    workers: int | None = None  # None: one a core; 0: none, and a file that crashes its parser ends this process
    file_seconds: float = FILE_SECONDS  # what the parser of a file may take in a worker
    lock_seconds: float = LOCK_SECONDS  # how long to wait for another process that writes the index
    share: bool = True  # whether segments may come from other indexes of this user, and go to them
    niceness: int = 0  # of the processes that read files, for those who wait for nothing
    most_files: int | None = None  # an update reads so many at most; the next one finds the others
    waiting: Callable[[Holder | None], None] | None = None  # hears who writes the index, when that takes a while

    @classmethod
    def of(cls, manifest: Manifest, workers: int | None = None) -> BuildOptions:
        """Return the options that an index was built with."""
        contents = frozenset(map(Content, manifest.contents))
        walk = WalkOptions(max_bytes=manifest.max_bytes, contents=contents)
        return cls(walk, mask=manifest.mask, workers=workers)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a build is."""

    files: int
    all_files: int
    bytes: int
    all_bytes: int
    chunks: int
    embedded: int = 0  # chunks that have vectors, where that is done after reading
    all_embedded: int = 0
    linking: bool = False  # all is read, and the graph is being made


@dataclass(frozen=True, slots=True)
class Report:
    """What a build or an update did."""

    read: int  # files
    unchanged: int
    removed: int
    chunks: int  # in the index now
    bytes_read: int
    seconds: float
    skipped: tuple[Skipped, ...]
    embedded: int = 0  # chunks that got vectors after they were read
    reused: int = 0  # files whose content was known: by another name of their time, or from another index
    repaired: int = 0  # damaged segments whose files were read again
    left: int = 0  # files that changed and are left to the next update
    rebuilt: str = ""  # why an update became a full build
    merge_due: bool = False  # segments are left that should be merged (coderag.index.build.merging)
    graph_due: bool = False  # the graph is older than the index, and it is time to make it anew (coderag.graph.store)


Watch = Callable[[Progress], None]
