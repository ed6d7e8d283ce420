"""Questions to rows of numbers: what the engine knows of each candidate, and which of them answer the question."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np

from coderag.encoders.encoder import Encoder
from coderag.index.reader.corpus import Corpus
from coderag.index.storage.arrays.arrays import Array
from coderag.search.pipeline import STAGES, extract_features, run_stages
from coderag.search.query.understand import QueryType
from coderag.search.ranking.features import FEATURES
from coderag.search.ranking.tuning import DEFAULT
from coderag.search.state import SearchState, Sources, made_by
from coderag.types import Query
from scripts.ranking_data.records import Judged, Target

__all__ = ["Rows", "joined", "linear_scores", "rows_of"]

UP_TO_FEATURES = STAGES[: STAGES.index(extract_features) + 1]
MAX_TARGETS = 16  # bits of a mask; no question has more
LOOSE, TIGHT = 0, 1
MIN_INSIDE, MIN_OVERLAP = 0.5, 0.3  # share of a chunk's lines in the target, or of both lines in common: a tight answer


@dataclass(frozen=True, slots=True)
class Rows:
    """The candidates of many questions one after the other, best first by their weighted features."""

    features: Array  # f32[candidates, features]
    factor: Array  # f32[candidates]: what multiplies a score
    files: Array  # i32[candidates]: the file, numbered within the question's collection
    loose: Array  # u16[candidates]: bits of the targets that the candidate overlaps
    tight: Array  # u16[candidates]: ... and of those that it is mostly about
    sizes: Array  # i32[questions]: how many candidates there are
    targets: Array  # i32[questions]: how many targets there are
    shape: Array  # U[questions]
    kind: Array  # U[questions]
    group: Array  # U[questions]
    text: Array  # U[questions]

    def save(self, path: Path) -> None:
        """Write to a file of arrays."""
        np.savez(path, **{field.name: getattr(self, field.name) for field in fields(self)})

    @classmethod
    def load(cls, path: Path) -> Rows:
        """Read what `save` wrote."""
        with np.load(path) as arrays:
            return cls(**{field.name: arrays[field.name] for field in fields(cls)})


def rows_of(corpus: Corpus, questions: Iterable[Judged], *, group: str, encoder: Encoder | None) -> Rows:
    """Ask the engine for the candidates of each question; those without a word that it knows are left out."""
    kept: list[Judged] = []
    shapes: list[str] = []
    parts: list[tuple[Array, ...]] = []
    sources = Sources(corpus, encoder=lambda: encoder, catalogs=dict, graphs=dict)
    for judged in questions:
        state = run_stages(SearchState(Query(judged.text), sources), UP_TO_FEATURES)
        found = made_by("extract_features", state.rows)
        order = np.argsort(-linear_scores(found.features, found.query_type) * found.prior, kind="stable")
        chunks = found.chunks[order]
        loose, tight = _answers(corpus, chunks, judged.targets[:MAX_TARGETS])
        files = corpus.chunk_file[chunks].astype(np.int32)
        parts.append((found.features[order], found.prior[order], files, loose, tight))
        kept.append(judged)
        shapes.append(str(found.query_type))
    features, factor, files, loose, tight = (np.concatenate(part) for part in zip(*parts, strict=True))
    return Rows(
        features=features.astype(np.float32),
        factor=factor,
        files=files,
        loose=loose,
        tight=tight,
        sizes=np.array([len(part[0]) for part in parts], dtype=np.int32),
        targets=np.array([min(len(one.targets), MAX_TARGETS) for one in kept], dtype=np.int32),
        shape=np.array(shapes),
        kind=np.array([one.kind for one in kept]),
        group=np.array([group] * len(kept)),
        text=np.array([one.text for one in kept]),
    )


def linear_scores(features: Array, shape: QueryType) -> Array:
    """Return the weighted sum of features for a shape of question, f32[candidates], as it is without a ranker."""
    weights = DEFAULT.weights_for(shape)
    summed: Array = features @ np.array([weights.get(name, 0.0) for name in FEATURES], dtype=np.float32)
    return summed


def joined(parts: Sequence[Rows]) -> Rows:
    """Return the rows of several collections as one."""
    return Rows(**{field.name: np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(Rows)})


def _answers(corpus: Corpus, chunks: Array, targets: Sequence[Target]) -> tuple[Array, Array]:
    """Return for each chunk the bits of the targets that it overlaps, and of those that it is mostly about."""
    masks = np.zeros((2, len(chunks)), dtype=np.uint16)
    wanted: dict[int, list[tuple[int, Target]]] = {}
    for file in set(corpus.chunk_file[chunks].tolist()):
        path = corpus.path(file)
        found = [(bit, target) for bit, target in enumerate(targets) if _same(path, target.path)]
        if found:
            wanted[file] = found
    for position, (chunk, file) in enumerate(zip(chunks.tolist(), corpus.chunk_file[chunks].tolist(), strict=True)):
        if file not in wanted:
            continue
        member, local = corpus.member_of(chunk)
        lines = int(member.segment.first_row[local]) + 1, int(member.segment.last_row[local]) + 1
        for bit, target in wanted[file]:
            overlap, about = _covers(*lines, target)
            masks[LOOSE, position] |= np.uint16(overlap << bit)
            masks[TIGHT, position] |= np.uint16(about << bit)
    return masks[LOOSE], masks[TIGHT]


def _same(path: str, other: str) -> bool:
    return path == other or path.endswith(f"/{other}") or other.endswith(f"/{path}")


def _covers(first: int, last: int, target: Target) -> tuple[bool, bool]:
    """Tell whether lines overlap a target, and whether they are mostly about it."""
    if not target.last_line:
        return True, True
    common = min(last, target.last_line) - max(first, target.first_line) + 1
    if common <= 0:
        return False, False
    size, wanted = last - first + 1, target.last_line - target.first_line + 1
    return True, common >= MIN_INSIDE * size or common >= MIN_OVERLAP * (size + wanted - common)
