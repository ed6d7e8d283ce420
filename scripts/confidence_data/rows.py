"""Sources to rows of evidence: every question asked of its own source and of others, and which hits are right."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np

from coderag.index.storage.arrays.arrays import Array
from coderag.search.pipeline import STAGES, calibrate, competition, explain, run_stages
from coderag.search.query.understand import understand
from coderag.search.ranking.evidence import evidence
from coderag.search.state import SearchState, Sources, made_by
from coderag.types import Hit, Query, Span
from scripts.confidence_data.gathering import SEED, Source
from scripts.ranking_data.records import Judged, Say, Target

__all__ = ["Rows", "rows_of"]

UP_TO_RANK = STAGES[: STAGES.index(calibrate)]
HITS = 5  # of a question that are looked at


@dataclass(frozen=True, slots=True)
class Rows:
    """The first hits of many questions, as many rows each as there are hits."""

    evidence: Array  # f32[hits, EVIDENCE]
    right: Array  # bool[hits]
    rank: Array  # i32[hits]: 0 for the first
    question: Array  # i32[hits]
    own: Array  # bool[hits]: asked of its own source
    kind: Array  # U[hits]
    group: Array  # U[hits]: the question's source

    def chosen(self, which: Array) -> Rows:
        """Return some of the rows, given as bool[hits]."""
        return Rows(**{field.name: getattr(self, field.name)[which] for field in fields(self)})

    def save(self, path: Path) -> None:
        """Write to a file of arrays."""
        np.savez(path, **{field.name: getattr(self, field.name) for field in fields(self)})

    @classmethod
    def load(cls, path: Path) -> Rows:
        """Read what `save` wrote."""
        with np.load(path) as arrays:
            return cls(**{field.name: arrays[field.name] for field in fields(cls)})


def rows_of(sources: Sequence[Source], *, with_vectors: bool, say: Say) -> Rows:
    """Ask every source its own questions, and one other source each of them."""
    parts: list[tuple[Array, Array]] = []
    facts: list[tuple[int, bool, str, str]] = []
    for number, (judged, group, source) in enumerate(_asked(sources)):
        own = source.group == group
        rows, right = _answer(judged, source, own=own, with_vectors=with_vectors)
        parts.append((rows, right))
        facts += [(number, own, judged.kind, group)] * len(rows)
    say(f"{len(parts):,} questions asked")
    questions, owns, kinds, groups = zip(*facts, strict=True)
    return Rows(
        evidence=np.concatenate([rows for rows, _ in parts]),
        right=np.concatenate([right for _, right in parts]),
        rank=np.concatenate([np.arange(len(rows), dtype=np.int32) for rows, _ in parts]),
        question=np.array(questions, dtype=np.int32),
        own=np.array(owns),
        kind=np.array(kinds),
        group=np.array(groups),
    )


def _asked(sources: Sequence[Source]) -> Iterator[tuple[Judged, str, Source]]:
    """Yield each question with where it comes from, and the source that it is asked of."""
    chosen = random.Random(SEED)
    for source in sources:
        others = [one for one in sources if one.group != source.group and not one.is_hidden]
        for judged in source.questions:
            yield judged, source.group, source
            other = chosen.choice(others)
            if not _defines(other, judged.text):
                yield judged, source.group, other


def _defines(source: Source, text: str) -> bool:
    """Tell whether a source defines a symbol of a question, which it then answers."""
    names = [symbol.rpartition(".")[2] for symbol in understand(text).symbols]
    return any(True for name in names for _ in source.corpus.definitions(name))


def _answer(judged: Judged, source: Source, *, own: bool, with_vectors: bool) -> tuple[Array, Array]:
    """Return the evidence of the first hits, and which of them are right."""
    sources = Sources(
        source.corpus, encoder=lambda: source.encoder if with_vectors else None, catalogs=dict, graphs=dict
    )
    state = run_stages(SearchState(Query(judged.text, k=HITS), sources), (*UP_TO_RANK, explain))
    chunks = np.array([chunk for chunk, _ in state.found], dtype=np.int64)
    rows = evidence(source.corpus, made_by("understand", state.question), chunks, among=competition(state))
    right = [own and any(_holds(place, judged.targets) for place in _places(hit)) for _, hit in state.found]
    return rows, np.array(right, dtype=bool)


def _places(hit: Hit) -> Iterator[tuple[str, Sequence[Span]]]:
    """Yield the files and lines of a hit and of the copies that it stands for."""
    yield hit.chunk.path, hit.chunk.parts
    for also in hit.also:
        path, _, line = also.rpartition(":")
        yield path, [Span(int(line), int(line))]


def _holds(place: tuple[str, Sequence[Span]], targets: Sequence[Target]) -> bool:
    path, parts = place
    return any(
        path == target.path or path.endswith(f"/{target.path}") or target.path.endswith(f"/{path}")
        for target in targets
        if not target.last_line
        or any(part.start_line <= target.last_line and target.first_line <= part.end_line for part in parts)
    )
