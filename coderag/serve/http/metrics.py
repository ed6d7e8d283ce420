"""What was answered, how fast and from what, as the text that Prometheus reads.

https://prometheus.io/docs/instrumenting/exposition_formats/
"""

from __future__ import annotations

import time
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from coderag.ask.caching.answers import ANSWERS
from coderag.ask.caching.counts import CacheCounts
from coderag.index.reader.status import Status
from coderag.serve.http.response_cache import ResponseCounts

__all__ = ["CONTENT_TYPE", "Metrics"]

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)  # seconds; those of its own libraries


class Metrics:
    """Counts of requests; its methods are called by one thread."""

    def __init__(self, *, worker: str = "") -> None:
        self._worker = {"worker": worker} if worker else {}
        self._started = time.time()
        self._requests: Counter[tuple[str, str, int]] = Counter()
        self._buckets: defaultdict[str, list[int]] = defaultdict(lambda: [0] * (len(BOUNDS) + 1))
        self._seconds: Counter[str] = Counter()
        self.in_flight = 0

    def count(self, route: str, method: str, status: int, *, seconds: float) -> None:
        """Count a request that was answered."""
        self._requests[route, method, status] += 1
        self._buckets[route][bisect_left(BOUNDS, seconds)] += 1
        self._seconds[route] += seconds  # type: ignore[assignment]  # a Counter holds fractions too

    def text(self, statuses: Sequence[Status], responses: ResponseCounts) -> str:
        """Return all that was counted, and of each root how old and large its index is."""
        lines = [
            *_metric(
                "coderag_start_time_seconds",
                "gauge",
                "When the server started.",
                [(_labels(**self._worker), self._started)],
            ),
            *_metric("coderag_roots", "gauge", "Roots that are served.", [("", len(statuses))]),
            *_metric(
                "coderag_requests_in_flight",
                "gauge",
                "Requests being answered.",
                [(_labels(**self._worker), self.in_flight)],
            ),
            *_metric("coderag_requests_total", "counter", "Requests that were answered.", self._counts()),
            *_head("coderag_request_seconds", "histogram", "Time from a request to the end of its answer."),
            *self._histograms(),
            *_of_roots(statuses),
            *_of_answers(ANSWERS.counts()),
            *self._responses(responses),
        ]
        return "\n".join(lines) + "\n"

    def _counts(self) -> Iterator[tuple[str, float]]:
        for (route, method, status), count in sorted(self._requests.items()):
            yield _labels(route=route, method=method, status=str(status), **self._worker), count

    def _responses(self, counts: ResponseCounts) -> Iterator[str]:
        found = (("kept", counts.kept), ("shared", counts.shared), ("made", counts.made))
        asked = [(_labels(answer=name, **self._worker), float(count)) for name, count in found]
        yield from _metric(
            "coderag_response_cache_total",
            "counter",
            "Answers that were there, were being made for another request, or had to be made.",
            asked,
        )
        size = [(_labels(**self._worker), float(counts.bytes))]
        yield from _metric("coderag_response_cache_bytes", "gauge", "Responses that are kept.", size)

    def _histograms(self) -> Iterator[str]:
        for route, buckets in sorted(self._buckets.items()):
            total = 0
            for bound, count in zip((*map(str, BOUNDS), "+Inf"), buckets, strict=True):
                total += count
                yield f"coderag_request_seconds_bucket{_labels(route=route, le=bound, **self._worker)} {total}"
            yield f"coderag_request_seconds_sum{_labels(route=route, **self._worker)} {self._seconds[route]:.6f}"
            yield f"coderag_request_seconds_count{_labels(route=route, **self._worker)} {total}"


def _of_roots(statuses: Sequence[Status]) -> Iterator[str]:
    now = time.time()
    ages = [(_labels(root=each.repository), max(now - each.updated_ns / 1e9, 0.0)) for each in statuses]
    yield from _metric("coderag_index_age_seconds", "gauge", "Time since the files of a root were listed.", ages)
    files = [(_labels(root=each.repository), float(each.files)) for each in statuses]
    yield from _metric("coderag_index_files", "gauge", "Files in the index of a root.", files)
    chunks = [(_labels(root=each.repository), float(each.chunks)) for each in statuses]
    yield from _metric("coderag_index_chunks", "gauge", "Chunks in the index of a root.", chunks)


def _of_answers(counts: CacheCounts) -> Iterator[str]:
    asked = [(_labels(found="true"), float(counts.hits)), (_labels(found="false"), float(counts.misses))]
    yield from _metric("coderag_answer_cache_total", "counter", "Questions looked up among answers.", asked)
    yield from _metric("coderag_answer_cache_bytes", "gauge", "Answers that are kept.", [("", float(counts.bytes))])


def _metric(name: str, kind: str, meaning: str, samples: Iterable[tuple[str, float]]) -> Iterator[str]:
    yield from _head(name, kind, meaning)
    for labels, value in samples:
        yield f"{name}{labels} {value:.15g}"


def _head(name: str, kind: str, meaning: str) -> tuple[str, str]:
    return f"# HELP {name} {meaning}", f"# TYPE {name} {kind}"


def _labels(**labels: str) -> str:
    if not labels:
        return ""
    written = ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items())
    return f"{{{written}}}"


def _escaped(text: str) -> str:
    text = text.encode("utf-8", "replace").decode()
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
