"""A table and measured packages to figures: the mean reciprocal rank within each package."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from coderag.encoders.encoder import Array
from coderag.encoders.pieces import Pieces
from coderag.encoders.static import FieldWeights
from scripts.training.bags import Bags, measured_bags
from scripts.training.contrast import Table, similarities
from scripts.training.pairs import Measured

__all__ = ["Figures", "Judge", "mean_reciprocal", "ranks_of"]

DEPTH = 10


@dataclass(frozen=True, slots=True)
class Figures:
    """What a table reaches on some packages: MRR@10 and recall@10 over all questions, and MRR@10 of the harder ones."""

    questions: int
    mrr: float
    recall: float
    harder: float  # the second sentence on, against texts that have the first

    def __str__(self) -> str:
        return f"MRR@10 {self.mrr:.4f}, recall@10 {self.recall:.3f}, of the rest {self.harder:.3f}"


class Judge:
    """Packages with their questions, ready for any table of the same pieces."""

    def __init__(self, packages: Sequence[Measured], pieces: Pieces, weights: FieldWeights) -> None:
        self._bags: Mapping[str, tuple[Bags, Array, Bags, Array]] = {
            package.package: measured_bags(package, pieces, weights) for package in packages
        }

    def figures(self, table: Table) -> Figures:
        """Return what a table reaches."""
        first, harder = [], []
        for bags, asked, others, other_asked in self._bags.values():
            first.append(_ranks(table, bags, asked))
            if len(other_asked):
                harder.append(_ranks(table, others, other_asked))
        ranks = np.concatenate(first)
        return Figures(
            len(ranks), mean_reciprocal(ranks), float((ranks <= DEPTH).mean()), mean_reciprocal(np.concatenate(harder))
        )


def _ranks(table: Table, bags: Bags, asked: Array) -> Array:
    return ranks_of(similarities(table, bags), asked)


def ranks_of(cosines: Array, asked: Array) -> Array:
    """Return the rank of each question's text, f64[questions]; equal ones share the middle."""
    own = cosines[np.arange(len(asked)), asked][:, None]
    found: Array = (cosines > own).sum(axis=1) + ((cosines == own).sum(axis=1) - 1) / 2 + 1
    return found


def mean_reciprocal(ranks: Array) -> float:
    """Return the MRR@10."""
    return float(np.where(ranks <= DEPTH, 1 / ranks, 0).mean())
