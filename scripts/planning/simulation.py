"""Questions that arrive at random at machines with a share each: how long they wait, event by event."""

from __future__ import annotations

import heapq
import random
import statistics
from dataclasses import dataclass

from scripts.planning.model import CORES, Need

__all__ = ["Simulated", "simulate"]

QUESTIONS = 4_000
SPREAD = 0.25  # of the logarithm of a question's time: the p90 is 1.38 times the median, as it is measured
MERGED_MS = 2.0  # of the one who asks, to join the answers of all shares


@dataclass(frozen=True, slots=True)
class Simulated:
    """What questions met."""

    p50_ms: float
    p99_ms: float
    busy: float  # share of the processors' time


def simulate(need: Need, *, seed: int = 1, cores: int = CORES, questions: int = QUESTIONS) -> Simulated:
    """Return how long questions take that arrive by a Poisson process and are answered when every share has answered.

    Each question goes to one replica of every share; a replica has so many cores, and a question takes one of them.
    """
    chosen = random.Random(seed)
    free = [[[0.0] * cores for _ in range(need.replicas)] for _ in range(need.shards)]
    now = work = 0.0
    took = []
    for number in range(questions):
        now += chosen.expovariate(need.size.questions_per_s) * 1e3
        ends = []
        for share in free:
            replica = share[number % need.replicas]
            service = need.shard_ms * chosen.lognormvariate(0.0, SPREAD)
            start = max(now, heapq.heappop(replica))
            heapq.heappush(replica, start + service)
            work += service
            ends.append(start + service)
        took.append(max(ends) - now + MERGED_MS)
    took.sort()
    cores_of_all = need.shards * need.replicas * cores
    return Simulated(statistics.median(took), took[int(len(took) * 0.99)], work / (now * cores_of_all))
