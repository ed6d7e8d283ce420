"""Unit costs to what an installation of some size needs: machines, memory, money, and what gives way first."""

from __future__ import annotations

import math
from dataclasses import dataclass

from coderag.index.reader.dense_search import EXACT_UP_TO
from coderag.index.storage.vectors import SIGN_BITS
from coderag.limits import ROOTS
from scripts.planning.units import Units

__all__ = ["PRICES", "SIZES", "Need", "Prices", "Size", "breaking", "need", "roots_limit", "service_ms"]

MAPS = 65_530  # mappings of a process, as Linux allows by default
MAPS_PER_SEGMENT, MAPS_PER_ROOT = 3, 5
SEGMENT_CHUNKS = 65_536
TARGET_MS = 200.0  # of a question on an idle machine
BUSY = 0.6  # of the processors, at most, so that questions do not queue
CORES, MEMORY_GB = 16, 64  # of a machine
HOURS = 730  # of a month
GRAPH_GB = 64.0


@dataclass(frozen=True, slots=True)
class Size:
    """An installation: chunks in so many repositories, asked so often."""

    chunks: float
    repositories: int
    questions_per_s: float


@dataclass(frozen=True, slots=True)
class Prices:
    """What a cloud takes, in USD. These are assumed, and not measured: put your own in."""

    machine_hour: float = 0.70  # of 16 cores and 64 GB
    core_hour: float = 0.025  # of a batch machine that may be taken away
    store_gb_month: float = 0.023


@dataclass(frozen=True, slots=True)
class Need:
    """What an installation needs."""

    size: Size
    index_gb: float
    build_core_hours: float
    graph_core_hours: float
    hot_gb: float  # what questions touch again and again, which should stay in memory
    one_machine_ms: float  # of a question on a single machine
    shards: int  # machines that hold a share each, for TARGET_MS
    shard_ms: float
    replicas: int  # of each share, for the questions per second
    build_usd: float
    month_usd: float

    @property
    def machines(self) -> int:
        """How many machines answer."""
        return self.shards * self.replicas


SIZES = (
    Size(1e6, 10, 2.0),
    Size(1e7, 100, 5.0),
    Size(1e8, 1_000, 20.0),
    Size(1e8, 10_000, 20.0),
)
PRICES = Prices()


def service_ms(units: Units, chunks: float, repositories: float) -> float:
    """Return the processor time of a question on a machine with some chunks of some repositories."""
    millions = chunks / 1e6
    roots = units.root_question_ms * max(repositories - 1, 0)
    words = units.fixed_ms + units.words_ms_per_million * millions + roots
    if chunks <= EXACT_UP_TO:
        return words + units.exact_ms_per_million * millions
    return words + units.signs_ms_per_million * millions + units.compared_ms


def need(units: Units, size: Size, prices: Prices = PRICES) -> Need:
    """Return what an installation needs."""
    per_chunk = sum(units.bytes_per_chunk.values())
    index_gb = per_chunk * size.chunks / 1e9
    hot = _hot_bytes(units) * size.chunks / 1e9
    shards = _shards(units, size, hot)
    chunks, repositories = size.chunks / shards, size.repositories / shards
    each_ms = service_ms(units, chunks, repositories)
    busy = size.questions_per_s * each_ms / 1e3 / CORES
    replicas = max(1, math.ceil(busy / BUSY))
    source_mb = size.chunks * units.source_mb / units.chunks
    build = units.cpu_s_per_mb * source_mb / 3600
    graph = units.graph_s_per_100k * size.chunks / 1e5 / 3600
    return Need(
        size=size,
        index_gb=index_gb,
        build_core_hours=build,
        graph_core_hours=graph,
        hot_gb=hot,
        one_machine_ms=service_ms(units, size.chunks, size.repositories),
        shards=shards,
        shard_ms=each_ms,
        replicas=replicas,
        build_usd=(build + graph) * prices.core_hour,
        month_usd=shards * replicas * prices.machine_hour * HOURS + index_gb * prices.store_gb_month,
    )


def _hot_bytes(units: Units) -> float:
    """Return the bytes per chunk that questions touch again and again: what is not text, links or graph."""
    signs = 256 / SIGN_BITS * 8
    return sum(units.bytes_per_chunk[name] for name in ("postings of words", "symbols", "chunks", "files")) + signs


def _shards(units: Units, size: Size, hot_gb: float) -> int:
    shards = max(1, math.ceil(hot_gb / (MEMORY_GB * BUSY)))
    while shards < size.repositories:
        if service_ms(units, size.chunks / shards, size.repositories / shards) <= TARGET_MS:
            break
        shards += 1
    return shards


def breaking(units: Units) -> list[tuple[str, float, str]]:
    """Return what gives way as one machine holds more, with the chunks at which it does; the first one first."""
    hot, graph = _hot_bytes(units), units.graph_mb_per_100k * 1e6 / 1e5
    grows = units.words_ms_per_million + units.signs_ms_per_million
    rest = TARGET_MS - units.fixed_ms - units.compared_ms
    found = [
        ("a question takes 200 ms", rest / grows * 1e6, "several machines with a share each, or cells for the vectors"),
        (
            "the graph is made in 64 GB",
            GRAPH_GB * 1e9 / graph,
            "a graph for each repository, as several roots have",
        ),
        ("what questions touch fits 64 GB", MEMORY_GB * BUSY * 1e9 / hot, "more memory, or several machines"),
        ("the mappings of a process", MAPS / MAPS_PER_SEGMENT * SEGMENT_CHUNKS, "vm.max_map_count"),
    ]
    return sorted(found, key=lambda one: one[1])


def roots_limit(units: Units) -> list[tuple[str, float]]:
    """Return what gives way as one process holds more repositories, with their number; the first one first."""
    found = [
        (f"a command takes {ROOTS.most:,} roots at most", float(ROOTS.most)),
        ("a question takes 200 ms for the roots alone", TARGET_MS / max(units.root_question_ms, 1e-6)),
        ("roots are opened for 10 s", 10_000 / units.root_ms),
        ("the mappings of a process", MAPS / (MAPS_PER_ROOT + MAPS_PER_SEGMENT)),
    ]
    return sorted(found, key=lambda one: one[1])
