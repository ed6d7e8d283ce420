"""The executor of a Ray cluster: batches of files are its tasks, and models run in its actors.

A batch travels with the bytes of its files, so that a worker needs coderag and neither the repository nor a shared file
system. A process of coderag reads it there, within the limits that hold on one machine. A task whose worker or machine
went is given to another one by Ray.
"""

from __future__ import annotations

import os
import socket
import tempfile
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import chdir, contextmanager, suppress
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
import ray
from ray.exceptions import RayError, RayTaskError

from coderag._version import __version__
from coderag.encoders.encoder import Array, Encoder, EncoderIdentity, Passage
from coderag.encoders.opening import open_encoder
from coderag.encoders.spec import EncoderSpec
from coderag.errors import CoderagError, WorkerError
from coderag.files.decode import Contents, read_content
from coderag.files.walk import MAX_BYTES
from coderag.index.storage.identity import content_parts
from coderag.index.workers.executor import Batch, ReadOptions, Result
from coderag.index.workers.pool import WorkerPool
from coderag.index.workers.process import child_environment
from coderag.index.workers.processes import available_cores
from coderag.sql.settings import Settings

__all__ = ["RayExecutor"]

RETRIES = 5  # of a batch whose worker or machine goes
AHEAD = 3  # batches per core that may be on their way, so that memory stays bounded
OBJECT_BYTES = 256 << 20  # of shared memory for them, of a Ray that is started here
KNOCK_SECONDS = 10.0  # for a cluster to accept a connection
MOST_SAID = 300  # characters of an error of Ray
DISTRIBUTED = frozenset(
    {"transformers", "onnx"}
)  # encoders that compute; the others answer from a table or an endpoint


class RayExecutor:
    """A cluster, or a Ray that is started on this machine for one index."""

    def __init__(self, root: Path, address: str) -> None:
        """Take the root whose files are read, and the cluster's address as Ray takes it, "" to start one here."""
        self._root, self._address = str(root), address
        self._folder: tempfile.TemporaryDirectory[str] | None = None  # while it is connected

    def read(self, batches: Sequence[Batch], options: ReadOptions) -> Iterator[Result]:
        """Yield the result of each batch, in the order of the batches."""
        if not batches:
            return
        with _asking():
            self._connect(options.workers)
            task = ray.remote(_read_batch).options(num_cpus=1, max_retries=RETRIES)
            shared = ray.put((options, _identity(mask=options.mask)))
            most = options.workers or AHEAD * int(ray.cluster_resources().get("CPU", 1))
        pending: deque[Any] = deque()
        try:
            for batch in batches:
                if len(pending) >= most:
                    yield _answer(pending.popleft())
                with _asking():
                    pending.append(task.remote(batch, self._contents(batch), shared))
            while pending:
                yield _answer(pending.popleft())
        finally:
            with suppress(RayError):  # who stops taking results wants no more, whatever became of the cluster
                for left in pending if ray.is_initialized() else ():
                    ray.cancel(left)

    def open_encoder(self, spec: EncoderSpec) -> Encoder:
        """Return the encoder of a spec; one that computes runs in an actor per GPU, or without any per machine."""
        if spec.kind not in DISTRIBUTED:
            return open_encoder(spec)
        with _asking():
            self._connect(None)
            gpus = int(ray.cluster_resources().get("GPU", 0))
            machines = sum(bool(node["Alive"]) for node in ray.nodes())
            actor = ray.remote(_EncoderActor).options(
                num_cpus=0,  # the tasks have all of them
                num_gpus=min(gpus, 1),
                max_restarts=-1,
                max_task_retries=RETRIES,
                scheduling_strategy="SPREAD",
            )
            return RayEncoder([actor.remote(spec) for _ in range(gpus or machines)])

    def close(self) -> None:
        """Disconnect, which ends a Ray that was started here."""
        folder, self._folder = self._folder, None
        if folder is not None:
            ray.shutdown()
            folder.cleanup()

    def _connect(self, workers: int | None) -> None:
        if ray.is_initialized():  # by this executor, or by the program that it is part of
            return
        folder = tempfile.TemporaryDirectory(prefix="ray-", ignore_cleanup_errors=True)
        started: dict[str, Any] = (
            {"address": self._address}
            if self._address
            else {
                "address": "local",
                "num_cpus": workers or available_cores(),
                "object_store_memory": OBJECT_BYTES,
                "include_dashboard": False,
                "_temp_dir": folder.name,  # for what does not fit into memory; only this user may read it
            }
        )
        # Ray starts its processes in the working folder and puts that on the module path of workers: it may be the
        # untrusted repository that is being indexed.
        try:
            _knock(self._address)
            with chdir(folder.name), _environment(child_environment()):
                ray.init(**started, log_to_driver=False, logging_level="ERROR")
        except (RayError, OSError, RuntimeError, ValueError) as error:
            folder.cleanup()
            where = f"at {self._address}" if self._address else "on this machine"
            raise WorkerError(f"there is no Ray {where}: {_line(error)}") from error
        self._folder = folder

    def _contents(self, batch: Batch) -> Contents:
        return {file.path: read_content(self._root, file, max_bytes=max(file.size, MAX_BYTES)) for file in batch}


class RayEncoder:
    """An encoder whose passages are shared among actors."""

    def __init__(self, actors: Sequence[Any]) -> None:
        """Take handles of `_EncoderActor`."""
        self._actors = actors

    @cached_property
    def identity(self) -> EncoderIdentity:
        """What the vectors depend on; raises WorkerError where the machines have different models."""
        with _asking():
            first, *others = ray.get([actor.identity.remote() for actor in self._actors])
        if any(other != first for other in others):
            raise WorkerError(f"machines of the cluster have different versions of {first.model}")
        found: EncoderIdentity = first
        return found

    def encode_passages(self, passages: Sequence[Passage]) -> Array:
        """Return f32[passages, dimensions]; raises EncoderError and WorkerError."""
        size = max(-(-len(passages) // len(self._actors)), 1)
        slices = [passages[at : at + size] for at in range(0, len(passages), size)] or [passages]
        with _asking():
            calls = [actor.encode_passages.remote(some) for actor, some in zip(self._actors, slices, strict=False)]
            return np.concatenate(ray.get(calls))

    def encode_query(self, text: str) -> Array:
        """Return f32[dimensions]; raises EncoderError and WorkerError."""
        with _asking():
            found: Array = ray.get(self._actors[0].encode_query.remote(text))
        return found


class _EncoderActor:
    """An encoder in a process of its own, opened when it is first asked, so that its errors are answers."""

    def __init__(self, spec: EncoderSpec) -> None:
        self._spec = spec

    @cached_property
    def _encoder(self) -> Encoder:
        return open_encoder(self._spec)

    def identity(self) -> EncoderIdentity:
        return self._encoder.identity

    def encode_passages(self, passages: Sequence[Passage]) -> Array:
        return self._encoder.encode_passages(passages)

    def encode_query(self, text: str) -> Array:
        return self._encoder.encode_query(text)


def _read_batch(batch: Batch, contents: Contents, shared: tuple[ReadOptions, Mapping[str, str]]) -> Result:
    """Return the result of a batch; this runs in a process of Ray."""
    options, identity = shared
    here = _identity(mask=options.mask)
    if differing := sorted(name for name in identity if identity[name] != here.get(name)):
        raise WorkerError(
            f"a machine of the cluster has another coderag (its {differing[0]} is {here.get(differing[0])}, here it is "
            f"{identity[differing[0]]}); install the same version on all of them"
        )
    return _pool(options).read(batch, contents=contents)


@cache  # a process of Ray takes one task after the other
def _pool(options: ReadOptions) -> WorkerPool:
    return WorkerPool(
        "",
        1,
        file_seconds=options.file_seconds,
        embed=options.embed,
        mask=options.mask,
        niceness=options.niceness,
        load=None,
    )


def _identity(*, mask: bool) -> Mapping[str, str]:
    """Return what the content of an index depends on, apart from a root's settings, which come with the files."""
    return {"version": __version__, **content_parts(Settings(), mask=mask)}


def _answer(call: Any) -> Result:
    with _asking():
        found: Result = ray.get(call)
    return found


@contextmanager
def _asking() -> Iterator[None]:
    try:
        yield
    except RayTaskError as error:
        if isinstance(error.cause, CoderagError):
            raise error.cause from error
        raise WorkerError(f"a task of Ray failed: {type(error.cause).__name__}: {error.cause}") from error
    except RayError as error:
        raise WorkerError(f"Ray: {_line(error)}") from error


def _knock(address: str) -> None:
    """Raise OSError where nothing listens at HOST:PORT: Ray goes on trying for many minutes."""
    host, _, port = address.rpartition("//")[2].rpartition(":")
    if host and port.isdecimal():
        socket.create_connection((host.strip("[]"), int(port)), KNOCK_SECONDS).close()


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:MOST_SAID]


@contextmanager
def _environment(variables: Mapping[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.update(variables)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
