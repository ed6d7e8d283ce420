"""An index on an S3 to what a cold question reads of it, and whether it answers as files do.

scripts/judge_remote.py QUESTIONS.jsonl ROOT [--store URL]

QUESTIONS.jsonl has a JSON object with "question" a line. ROOT is indexed and exported. Each question is asked once with
no cache at all, and once more behind the one before it, as the next question of a session is. Printed are the bytes
that were read as a share of the index without its graph, requests, rounds (of requests that wait for those before),
and how far the ten best hits and their scores are those of files. Without --store, an S3 of moto is started for it.
Exit code 1 where the median of cold questions reads more than 3 % of the index.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from coderag import Index
    from coderag.index.storage.arrays.arrays import Array
    from coderag.stores.ranged.ranged_store import RangedStore
    from coderag.stores.store import Conditions, FileKey, Found
    from coderag.types import Hit

REPOSITORY = Path(__file__).resolve().parents[1]
HITS = 10
MOST_SHARE = 0.03


class Traffic:
    """What was asked of a store."""

    def __init__(self) -> None:
        self.bytes = self.requests = self.rounds = 0
        self.by_kind: dict[str, int] = {}

        self.purpose = "blocks"  # what blocks are read for

    def took(self, kind: str, sizes: Sequence[int]) -> None:
        """Count a round of requests."""
        self.rounds += 1
        self.requests += len(sizes)
        self.bytes += sum(sizes)
        self.by_kind[kind] = self.by_kind.get(kind, 0) + sum(sizes)

    @contextmanager
    def reading(self, purpose: str) -> Iterator[None]:
        """Count the blocks that are read meanwhile as those of a purpose."""
        outer, self.purpose = self.purpose, purpose
        try:
            yield
        finally:
            self.purpose = outer


class Asked(NamedTuple):
    """How one question went."""

    bytes: int
    requests: int
    rounds: int
    overlap: float
    is_same: bool  # the same hits in the same order
    apart: float  # the largest difference of a score
    seconds: float  # of the clock
    kinds: dict[str, int]


def main() -> int:
    """Judge with the checkout that this file is in."""
    sys.path.insert(0, str(REPOSITORY))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("questions", type=Path)
    parser.add_argument("root", type=Path)
    parser.add_argument("--store", metavar="URL")
    parser.add_argument("--each", action="store_true", help="print a line for each question")
    options = parser.parse_args()
    lines = options.questions.read_text(encoding="utf-8").splitlines()
    questions = [json.loads(line)["question"] for line in lines]
    from coderag import Index

    index = Index.ensure(options.root, graph=False)
    size = _index_bytes(index)
    with _store(options.store) as url:
        _export(index, url)
        cold, warm = [], []
        for number, question in enumerate(questions):
            with tempfile.TemporaryDirectory() as cache:
                cold.append(_ask(index, url, Path(cache), question))
                warm.append(_ask(index, url, Path(cache), questions[number - 1]))
            if options.each:
                print(f"{cold[-1]} {question}", flush=True)
    print(f"{len(index):,} chunks, {size:,} bytes")
    print(_line("cold", cold, size))
    print(_line("second", warm, size))
    return 0 if statistics.median(one.bytes for one in cold) <= MOST_SHARE * size else 1


def _index_bytes(index: Index) -> int:
    files = Path(index.roots[0].folder.path).rglob("*.bin")
    return sum(path.stat().st_size for path in files if not path.name.startswith(("graph-", "history-")))


def _line(name: str, asked: Sequence[Asked], size: int) -> str:
    kinds = sorted({kind for one in asked for kind in one.kinds})
    shares = {kind: statistics.median(one.kinds.get(kind, 0) for one in asked) / size for kind in kinds}
    parts = (
        f"{name}: {len(asked)} questions",
        f"{_spread([one.bytes / size for one in asked], '.2%')} of the index",
        f"{_spread([one.requests for one in asked], '.0f')} requests",
        f"{_spread([one.rounds for one in asked], '.0f')} rounds",
        f"{_spread([one.seconds for one in asked], '.2f')} s",
        f"overlap {statistics.mean(one.overlap for one in asked):.4f}",
        f"{sum(one.is_same for one in asked)} the same in order",
        f"scores {max(one.apart for one in asked):.2g} apart",
        *(f"{kind} {share:.2%}" for kind, share in shares.items()),
    )
    return ", ".join(parts)


def _spread(numbers: Sequence[float], form: str) -> str:
    return f"{statistics.median(numbers):{form}} (most {max(numbers):{form}})"


@contextmanager
def _store(url: str | None) -> Iterator[str]:
    if url is not None:
        yield url
        return
    import fsspec
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    os.environ |= {"AWS_ENDPOINT_URL": f"http://{host}:{port}", "AWS_ACCESS_KEY_ID": "judge"}
    os.environ |= {"AWS_SECRET_ACCESS_KEY": "judge", "AWS_DEFAULT_REGION": "us-east-1"}
    fsspec.filesystem("s3").mkdir("judged")
    try:
        yield "s3://judged/indexes"
    finally:
        server.stop()


def _export(index: Index, url: str) -> None:
    from coderag.api.snapshot import open_snapshot
    from coderag.index.remote.objects import ObjectStore
    from coderag.stores.export import export_index
    from coderag.stores.ranged.ranged_store import RangedStore

    begun = time.process_time()
    store = ObjectStore(url)
    exported = export_index(open_snapshot(index.roots).opened[0], RangedStore(store), name="judged")
    size = sum(store.size(name) for name, _ in store.names("segments"))
    print(f"{exported}, {size:,} bytes there, {time.process_time() - begun:.1f} s of processor", flush=True)


def _ask(index: Index, url: str, cache: Path, question: str) -> Asked:
    from coderag.search.query.query import make_query
    from coderag.stores.stored_index import StoredIndex

    traffic = Traffic()
    store = _counted(url, cache, traffic)
    expected = index.search(make_query(question, k=HITS))
    begun = time.perf_counter()
    found = StoredIndex(store, "judged").search(make_query(question, k=HITS))
    seconds = time.perf_counter() - begun
    store.close()
    return _compared(expected, found, traffic=traffic, seconds=seconds)


def _counted(url: str, cache: Path, traffic: Traffic) -> RangedStore:
    from coderag.index.remote.objects import ObjectStore, Range
    from coderag.index.remote.range_cache import RangeCache
    from coderag.stores.ranged.ranged_store import RangedStore

    class Counted(ObjectStore):
        """A store that says what it was asked for."""

        def names(self, folder: str) -> Iterator[tuple[str, float]]:
            traffic.took("names", [0])
            yield from super().names(folder)

        def read_each(self, names: Sequence[str], most_bytes: int) -> list[bytes | None]:
            found = super().read_each(names, most_bytes)
            traffic.took(names[0].partition("/")[0] if names else "nothing", [len(one or b"") for one in found])
            return found

        def read_ranges(self, ranges: Sequence[Range]) -> list[bytes]:
            found = super().read_ranges(ranges)
            traffic.took(traffic.purpose, list(map(len, found)))
            return found

    class Labelled(RangedStore):
        """A store that says what for."""

        def by_terms(
            self, keys: Array, weights: Array, where: Conditions, *, k: int, presence: bool = False
        ) -> list[Found]:
            with traffic.reading("terms"):
                return super().by_terms(keys, weights, where, k=k, presence=presence)

        def by_vector(self, vector: Array, where: Conditions, *, k: int) -> list[Found]:
            with traffic.reading("cells"):
                return super().by_vector(vector, where, k=k)

        def fetch(self, files: Iterable[FileKey], where: Conditions) -> dict[FileKey, bytes]:
            with traffic.reading("files"):
                return super().fetch(files, where)

    return Labelled(Counted(url), RangeCache(cache))


def _compared(expected: Sequence[Hit], found: Sequence[Hit], *, traffic: Traffic, seconds: float) -> Asked:
    mine = {(hit.chunk.path, hit.chunk.id): hit.score for hit in expected}
    theirs = {(hit.chunk.path, hit.chunk.id): hit.score for hit in found}
    shared = mine.keys() & theirs.keys()
    return Asked(
        traffic.bytes,
        traffic.requests,
        traffic.rounds,
        overlap=len(shared) / len(mine) if mine else float(not theirs),
        is_same=list(mine) == list(theirs),
        apart=max((abs(mine[key] - theirs[key]) for key in shared), default=0.0),
        seconds=seconds,
        kinds=traffic.by_kind,
    )


if __name__ == "__main__":
    sys.exit(main())
