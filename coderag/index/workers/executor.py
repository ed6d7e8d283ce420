"""What reads the files of a root and embeds what is in them: processes of this machine, or a cluster."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

from coderag.files.walk import Skipped, SourceFile
from coderag.index.storage.columns import Columns
from coderag.record import record

if TYPE_CHECKING:
    from coderag.encoders.encoder import Encoder
    from coderag.encoders.spec import EncoderSpec

__all__ = ["Batch", "Executor", "ReadOptions", "Result"]

Batch = Sequence[SourceFile]
Result = tuple[Columns, list[Skipped]]


@record
class ReadOptions:
    """How files are read."""

    embed: bool  # whether chunks get vectors of the shipped encoder
    mask: bool  # whether secrets are covered
    workers: int | None  # processes at once, None for one per core
    file_seconds: float  # that the parser of a file may take
    niceness: int = 0


class Executor(Protocol):
    """Where files are read, and models run. What an index holds does not depend on it.

    A worker that ends over a file costs that file at most. One that is killed costs nothing: its batch is read again.
    """

    def read(self, batches: Sequence[Batch], options: ReadOptions) -> Iterator[Result]:
        """Yield the result of each batch, in the order of the batches; raises WorkerError.

        May be called again, also after one that was not taken to its end.
        """

    def open_encoder(self, spec: EncoderSpec) -> Encoder:
        """Return the encoder of a spec; raises EncoderError and WorkerError."""

    def close(self) -> None:
        """End the processes that it started."""
