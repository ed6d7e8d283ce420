"""The executor of one machine: worker processes that are started when they are needed."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from coderag.index.workers.executor import Batch, ReadOptions, Result
from coderag.index.workers.fork_server import FEW_FILES, Load
from coderag.index.workers.pool import WorkerPool

if TYPE_CHECKING:
    from coderag.encoders.encoder import Encoder
    from coderag.encoders.spec import EncoderSpec

__all__ = ["ProcessExecutor"]

WITH_STRINGS = 8  # of more files, most often some hold SQL or something like it
WITH_SQL = 200  # of more files, most often some of every few hold SQL
WITH_TABLES = 4  # of so many files named after what holds tables, each reader most often gets one
TABLES = re.compile(
    r"sql|migrations?(?:[/_.]|$)|(?:^|[/_.-])(?:db|database|models?|dao|repositor(?:y|ies))(?:[/_.]|$)", re.IGNORECASE
)
# After more, what readers have grown by is worth more than what another start takes: a copy of the fork server is ready
# in milliseconds, and what follows, the segment and the graph, is where the memory of all processes peaks.
MANY_BATCHES = 1


class ProcessExecutor:
    """Processes of this machine that read the files of a root; models run in this process."""

    def __init__(self, root: Path) -> None:
        self._root = str(root)
        self._pool: WorkerPool | None = None
        self._made_for: ReadOptions | None = None

    def read(self, batches: Sequence[Batch], options: ReadOptions) -> Iterator[Result]:
        """Yield the result of each batch; without processes where `workers` is 0."""
        if options.workers == 0:
            from coderag.index.workers.analyze import analyze  # with workers, they alone import grammars

            for batch in batches:
                yield analyze(self._root, batch, embed=options.embed, mask=options.mask)
        elif batches:
            # A single small file goes to a worker too: no other way ends a parser that does not end.
            pool = self._pool_for(options, load=_needed(batches))
            yield from pool.map(batches)
            if len(batches) > MANY_BATCHES:
                pool.rest()

    def open_encoder(self, spec: EncoderSpec) -> Encoder:
        """Return the encoder of a spec, opened here."""
        from coderag.encoders.opening import open_encoder

        return open_encoder(spec)

    def close(self) -> None:
        """End the processes."""
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.__exit__(None, None, None)

    def _pool_for(self, options: ReadOptions, *, load: Load) -> WorkerPool:
        if self._pool is None or self._made_for != options:
            self.close()
            self._pool = WorkerPool(
                self._root,
                options.workers or available_cores(),
                file_seconds=options.file_seconds,
                embed=options.embed,
                mask=options.mask,
                niceness=options.niceness,
                load=load,
            )
            self._made_for = options
        return self._pool


def _needed(batches: Sequence[Batch]) -> Load:
    """Return what most of those that read some batches need."""
    numbers = Counter(file.language for batch in batches for file in batch)
    languages = tuple(sorted(name for name, number in numbers.items() if number > FEW_FILES))
    few = tuple(sorted(numbers.keys() - set(languages)))
    files = numbers.total()
    paths = (file.path for batch in batches for file in batch)
    tables = sum(1 for _ in islice(filter(TABLES.search, paths), WITH_TABLES)) == WITH_TABLES
    return Load(languages, few, strings=files > WITH_STRINGS, sql=tables or files > WITH_SQL, tables=tables)


def available_cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
