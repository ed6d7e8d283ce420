"""What a build or an update is asked for, what it says on the way, and what it did in the end."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from coderag import limits
from coderag.encoders.spec import EncoderSpec, parse_encoder
from coderag.errors import QueryError
from coderag.files.walk import Skipped, WalkOptions
from coderag.index.storage.folder.lock import LOCK_SECONDS, Holder
from coderag.index.storage.manifest import Manifest
from coderag.index.workers.executor import ReadOptions
from coderag.index.workers.executors import PROCESSES, check_executor
from coderag.index.workers.process_limits import FILE_SECONDS
from coderag.types import Content

if TYPE_CHECKING:
    from coderag.index.build.index_part import IndexPart
    from coderag.index.build.portion import Portion

__all__ = ["BuildOptions", "Progress", "Report", "Watch", "checked_contents", "checked_encoder"]


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """What an index is to hold, and how it is built.

    A field that is None stays as the index has it; a new index has the default. Raises QueryError and TypeError for a
    number beyond its limit.
    """

    contents: frozenset[Content] | None = None  # of the files that are read; by default CODE and DOCS
    max_bytes: int | None = None  # of a file; larger ones are left out
    encoder: EncoderSpec | None = None  # by default the shipped one
    mask: bool | None = None  # whether secrets are covered; by default they are
    workers: int | None = None  # None: one per core; 0: none, and a file that crashes its parser ends this process
    executor: str = PROCESSES  # what reads the files and runs models (coderag.index.workers.executors)
    file_seconds: float = FILE_SECONDS  # what the parser of a file may take in a worker
    lock_seconds: float = LOCK_SECONDS  # how long to wait for another process that writes the index
    share: bool = True  # whether segments may come from other indexes of this user, and go to them
    graph: bool = True  # whether the graph is built too, after a build and after a thorough update
    history: bool | None = None  # whether the index keeps a history, which True reads at once; by default it does
    niceness: int = 0  # of the processes that read files, for those who wait for nothing
    portion: Portion | None = None  # only these files of the root, without a catalog (coderag.index.build.portion)
    parts: tuple[IndexPart, ...] = ()  # made of its files elsewhere (coderag.index.build.joining)
    most_files: int | None = None  # an update, or a first build by one, reads so many at most; the next one the others
    waiting: Callable[[Holder | None], None] | None = None  # hears who writes the index, when that takes a while

    def __post_init__(self) -> None:
        """Check the numbers."""
        for limit, number in (
            (limits.MAX_BYTES, self.max_bytes),
            (limits.WORKERS, self.workers),
            (limits.LOCK_SECONDS, self.lock_seconds),
        ):
            if number is not None:
                limits.check_number(limit, number)
        check_executor(self.executor)
        if self.executor != PROCESSES and self.workers == 0:
            raise QueryError(f"the executor {self.executor!r} needs workers: leave --workers out, or give at least 1")

    @property
    def walk(self) -> WalkOptions:
        """Which files are listed."""
        default = WalkOptions()
        return WalkOptions(
            max_bytes=default.max_bytes if self.max_bytes is None else self.max_bytes,
            contents=default.contents if self.contents is None else self.contents,
        )

    @property
    def masks(self) -> bool:
        """Whether secrets are covered."""
        return self.mask is not False

    def reading(self, *, embed: bool) -> ReadOptions:
        """Return how files are read; `embed`: chunks get vectors of the shipped encoder."""
        return ReadOptions(embed, self.masks, self.workers, self.file_seconds, self.niceness)

    def completed(self, manifest: Manifest) -> BuildOptions:
        """Return these options; what they leave open is as an index has it. The encoder stays open."""
        return replace(
            self,
            contents=frozenset(map(Content, manifest.contents)) if self.contents is None else self.contents,
            max_bytes=manifest.max_bytes if self.max_bytes is None else self.max_bytes,
            mask=manifest.mask if self.mask is None else self.mask,
        )


def checked_contents(given: Iterable[Content | str] | None) -> frozenset[Content] | None:
    """Return the contents that are named; raises QueryError for an unknown one."""
    if given is None:
        return None
    names = limits.checked_list(limits.ITEMS, given, name="contents")
    if unknown := sorted(set(names) - set(Content)):
        raise QueryError(f"unknown content {unknown[0]!r}; known are {', '.join(Content)}")
    return frozenset(map(Content, names))


def checked_encoder(given: str | None) -> EncoderSpec | None:
    """Return the encoder that is named; raises QueryError and EncoderError."""
    if given is None:
        return None
    limits.check_name(given, what="the encoder")
    return parse_encoder(given)


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
    left: int = 0  # further files, which are left to the next update


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
    missing_parts: tuple[str, ...] = ()  # of those that were joined, such as "3/4"
    reused: int = 0  # files whose content was known: by another name of their time, or from another index
    repaired: int = 0  # damaged segments whose files were read again
    left: int = 0  # files that changed and are left to the next update
    rebuilt: str = ""  # why an update became a full build
    merge_due: bool = False  # segments are left that should be merged (coderag.index.build.merging)
    graph_due: bool = False  # the graph is older than the index, and it is time to rebuild it (coderag.graph.store)


Watch = Callable[[Progress], None]
