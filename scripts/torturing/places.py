"""Stores that can be tortured: PostgreSQL, Milvus, a folder, and an S3, and what is wrong with what they hold."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

import psycopg

from coderag.errors import RemoteStoreError
from coderag.index.remote.objects import ObjectStore, Range
from coderag.index.remote.range_cache import RangeCache
from coderag.stores.packet import decode_packet
from coderag.stores.ranged.ranged_store import RangedStore
from coderag.stores.segments import Portion, stored_segment
from coderag.stores.store import Conditions, FileKey
from scripts.torturing.proxy import Proxy
from tests.catalog.introspect.servers import Postgres, run_postgres

__all__ = ["APART", "NAME", "Place", "run_database", "run_folder", "run_milvus", "run_s3"]

NAME = "tortured"
APART = 2e-4  # of scores with four decimals, of which rounding may change the last
NEVER = 1 << 30
LEFT = multiprocessing.Value("i", NEVER)  # operations on files until they fail, of this process and those it forks
COUNTS = "SELECT (SELECT count(*) FROM coderag.files), (SELECT count(*) FROM coderag.terms), "
COUNTS += "(SELECT count(*) FROM coderag.chunks), (SELECT count(*) FROM coderag.segments)"
S3 = """
import sys
from moto.server import ThreadedMotoServer
server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
print(server.get_host_and_port()[1], flush=True)
sys.stdin.read()
"""
MILVUS = """
import sys
from milvus_lite.adapter.grpc.server import start_server_in_thread
*_, port = start_server_in_thread(data_dir=sys.argv[1], host="127.0.0.1", port=0)
print(port, flush=True)
sys.stdin.read()
"""


class Place(Protocol):
    """A store, and how it fails."""

    kinds: Sequence[str]  # of what goes wrong
    address: str
    drops_at_once: bool  # whether exports beside each other may drop at once what no generation names

    def fail_after(self, count: int | None) -> None:
        """Let the way there fail after so many bytes or operations; None: never."""

    def crash(self) -> None:
        """End the engine at once."""

    def start(self) -> None:
        """Start it again."""

    def problem(self, portions: Sequence[Portion]) -> str:
        """Return what is wrong with what is there of an index, "" for nothing."""


class Database:
    """A PostgreSQL behind a proxy."""

    kinds: Sequence[str] = ("exporter", "engine", "network", "reader")
    drops_at_once = True  # it has locks

    def __init__(self, server: Postgres, proxy: Proxy) -> None:
        server.database(NAME)
        self._server, self._proxy = server, proxy
        self.address = f"postgresql://postgres@127.0.0.1:{proxy.port}/{NAME}#{NAME}"
        self.fail_after, self.crash, self.start = proxy.cut_after, server.crash, server.start

    def problem(self, portions: Sequence[Portion]) -> str:
        """Return whether rows are there twice or are missing, or belong to no segment."""
        expected = [0, 0, 0, 0]
        for portion in portions:
            segment = stored_segment(portion)
            for place, count in enumerate((len(segment.files), len(segment.terms), len(segment.vectors), 1)):
                expected[place] += count
        with psycopg.connect(self._server.url(NAME)) as connection:
            found = list(connection.execute(COUNTS).fetchone() or ())
        if found == expected:
            return ""
        return f"the store has {found} files, terms, chunks and segments, and should {expected}"


class Milvus:
    """A Milvus Lite that listens on the loopback, as a Milvus does."""

    kinds: Sequence[str] = ()
    drops_at_once = False

    def __init__(self, port: int) -> None:
        self.address = f"milvus://127.0.0.1:{port}#{NAME}"

    def fail_after(self, count: int | None) -> None:
        """Do nothing."""

    def crash(self) -> None:
        """Do nothing."""

    def start(self) -> None:
        """Do nothing."""

    def problem(self, portions: Sequence[Portion]) -> str:
        """Return whether rows are there twice or are missing, or belong to no segment."""
        from pymilvus import MilvusClient

        segments = [stored_segment(portion) for portion in portions]
        expected = {
            "coderag_files": sum(len(segment.files) for segment in segments),
            "coderag_chunks": sum(len(segment.vectors) for segment in segments),
            "coderag_segments": len(segments),
        }
        with closing(MilvusClient(self.address.partition("#")[0].replace("milvus", "http"))) as client:
            found = {
                name: client.query(name, filter='id != ""', output_fields=["count(*)"])[0]["count(*)"]
                for name in expected
            }
        return "" if found == expected else f"the store has {found}, and should {expected}"


class Bucket:
    """A store of objects; it has no engine that crashes."""

    kinds: Sequence[str] = ("exporter", "network", "reader")
    drops_at_once = False

    def __init__(self, address: str, proxy: Proxy | None) -> None:
        self._url, self._proxy = address, proxy
        self.address = f"{address}#{NAME}"

    def fail_after(self, count: int | None) -> None:
        """Let the network be gone after so many bytes, for good: who asks S3 asks again."""
        assert self._proxy is not None
        self._proxy.cut_after(count, stays=True)

    def crash(self) -> None:
        """Do nothing."""

    def start(self) -> None:
        """Do nothing."""

    def problem(self, portions: Sequence[Portion]) -> str:
        """Return whether a segment is missing, or one of its files cannot be read; what is old may be there, too."""
        store = RangedStore(ObjectStore(self._url), RangeCache(Path(os.devnull)))  # what is read is not kept
        there = store.segments()
        for portion in portions:
            segment = stored_segment(portion)
            if segment.name not in there:
                return f"segment {segment.name} is missing"
            files = [FileKey(segment.name, file.number) for file in segment.files]
            try:
                packets = store.fetch(files, Conditions((segment.name,)))
                counts = store.frequencies(segment.terms, [segment.name])
            except RemoteStoreError as error:
                return f"segment {segment.name}: {error}"
            if sum(len(decode_packet(one).chunk_ids) for one in packets.values()) < len(segment.vectors):
                return f"segment {segment.name} lost chunks"
            if counts.tolist() != segment.counts.tolist():
                return f"segment {segment.name} has other terms"
        return ""


class Folder(Bucket):
    """A folder whose operations fail from one on, as on a disk that is gone."""

    def fail_after(self, count: int | None) -> None:
        """Fail after so many operations; bytes are counted in thousands, so that some exports end before."""
        LEFT.value = NEVER if count is None else count // 2_000


class Faulty(ObjectStore):
    """A store of objects that fails where it should."""

    def write(self, name: str, data: bytes) -> None:
        """Write, or half of it."""
        if self._is_over():
            super().write(f"{name}.tmp", data[: len(data) // 2])
            raise RemoteStoreError("the disk is gone")
        super().write(name, data)

    def read_each(self, names: Sequence[str], most_bytes: int) -> list[bytes | None]:
        """Read files."""
        if self._is_over():
            raise RemoteStoreError("the disk is gone")
        return super().read_each(names, most_bytes)

    def read_ranges(self, ranges: Sequence[Range]) -> list[bytes]:
        """Read ranges."""
        if self._is_over():
            raise RemoteStoreError("the disk is gone")
        return super().read_ranges(ranges)

    def remove(self, name: str) -> bool:
        """Remove a file."""
        if self._is_over():
            raise RemoteStoreError("the disk is gone")
        return super().remove(name)

    def _is_over(self) -> bool:
        with LEFT.get_lock():
            LEFT.value -= 1
            return bool(LEFT.value < 0)


@contextmanager
def run_database() -> Iterator[tuple[Place, Proxy | None]]:
    """Run a PostgreSQL."""
    with run_postgres() as server, Proxy(server.socket) as proxy:
        yield Database(server, proxy), proxy


@contextmanager
def run_milvus(folder: Path) -> Iterator[Place | None]:
    """Run a Milvus Lite in a process of its own; None where its packages are not installed."""
    if find_spec("pymilvus") is None or find_spec("milvus_lite") is None:
        yield None
        return
    with subprocess.Popen(
        [sys.executable, "-c", MILVUS, folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdout is not None
        yield Milvus(int(process.stdout.readline()))
        process.terminate()  # the one that was started here


@contextmanager
def run_folder(folder: Path) -> Iterator[tuple[Place, Proxy | None]]:
    """Take a folder; every store of objects of this process is one that can fail."""
    from coderag.index.remote import objects

    whole = objects.ObjectStore
    objects.ObjectStore = Faulty  # type: ignore[misc]
    try:
        yield Folder(folder.as_uri(), None), None
    finally:
        objects.ObjectStore = whole  # type: ignore[misc]


@contextmanager
def run_s3() -> Iterator[tuple[Place, Proxy | None]]:
    """Run the S3 of moto in a process of its own, behind a proxy."""
    with subprocess.Popen(
        [sys.executable, "-c", S3], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        with Proxy(("127.0.0.1", port)) as proxy:
            os.environ |= {"AWS_ENDPOINT_URL": f"http://127.0.0.1:{proxy.port}", "AWS_ACCESS_KEY_ID": NAME}
            os.environ |= {"AWS_SECRET_ACCESS_KEY": NAME, "AWS_DEFAULT_REGION": "us-east-1", "AWS_MAX_ATTEMPTS": "1"}
            import fsspec

            fsspec.filesystem("s3").mkdir(NAME)
            yield Bucket(f"s3://{NAME}/indexes", proxy), proxy
        process.terminate()  # the one that was started here
