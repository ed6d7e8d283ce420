"""The ways to score tables for a question: by words, name, database, vectors, similar queries and definitions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from coderag.index.catalog.catalog import Catalog
from coderag.index.storage.arrays.arrays import Array
from coderag.search.ranking.sums import weighted_sums
from coderag.search.tables.example_voting import Votes
from coderag.search.tables.glossary import DefinitionMatch
from coderag.search.tables.matching import Matches

__all__ = ["SIGNALS", "Request", "Signal", "weighted"]

SIZE_DAMPING = 0.3  # a database of many tables covers more of a question by chance
CONTRAST = 1.5  # a database that covers half of what the best one does is less than half as likely
NAMED = 0.15  # what a database gains of which the question has the whole name of a table
LEFT_OVER = 0.01  # the score of any table of the only database


@dataclass(frozen=True, slots=True)
class Request:
    """What a question finds in a catalog: the input of the signals."""

    catalog: Catalog
    allowed: Array  # bool[tables]
    matches: Matches
    votes: Votes
    definitions: tuple[DefinitionMatch, ...]
    near: Array  # f32[tables]: the cosine of each table and the question, zeros where words alone answer


@dataclass(frozen=True, slots=True)
class Signal:
    """A way to score tables: `score` gives f32[tables], 0 or more, of which the best counts `weight`."""

    name: str
    weight: float
    score: Callable[[Request], Array]
    scaled: bool = True  # whether to divide by the best; not where 1 has a meaning of its own


def weighted(signal: Signal, request: Request) -> Array:
    """Return what a signal adds to the score of each table."""
    scores = signal.score(request)
    best = float(scores.max(initial=0.0)) if signal.scaled else 1.0
    share: Array = scores * np.float32(signal.weight / best if best > 0 else 0.0)
    return share


def _text(request: Request) -> Array:
    return weighted_sums(request.matches.tables.T, request.matches.weights)


def _name(request: Request) -> Array:
    return request.matches.named


def _database(request: Request) -> Array:
    """Score the tables of a database by how well they together cover the question, each word by the best of them.

    A database gains as far as the question names one of its tables.

    In a single database all score the same, so that tables without a word of the question still come after the others.
    """
    catalog, matches = request.catalog, request.matches
    if not len(matches.words):
        return np.zeros(len(catalog), dtype=np.float32)
    sizes = np.add.reduceat(request.allowed.astype(np.int64), catalog.group_starts)
    if np.count_nonzero(sizes) < 2:
        return np.full(len(catalog), LEFT_OVER, dtype=np.float32)
    covered = weighted_sums(np.maximum.reduceat(matches.tables, catalog.group_starts, axis=1).T, matches.weights)
    of_database = covered / (1 + SIZE_DAMPING * np.log(np.maximum(sizes, 1)))
    named = np.maximum.reduceat(matches.named * request.allowed, catalog.group_starts)
    total = (of_database / of_database.max()) ** CONTRAST + NAMED * named
    found: Array = total.astype(np.float32)[catalog.group]
    return found


def _dense(request: Request) -> Array:
    """Score tables by how near they are to the question: the furthest of those allowed 0, the nearest 1.

    Cosines of one encoder lie between .5 and .8, those of another between 0 and .6; only their order and their
    distances mean something. They are squared, so that what is neither near nor far gains little. As something is
    always nearest, only databases that hold a word of the question gain: nothing may be the answer.
    """
    catalog, allowed = request.catalog, request.near[request.allowed]
    low, high = float(allowed.min(initial=1.0)), float(allowed.max(initial=-1.0))
    held = request.matches.tables.any(axis=0)
    if low >= high or not held.any():
        return np.zeros(len(catalog), dtype=np.float32)
    nearness = ((request.near - np.float32(low)) / np.float32(high - low)) ** 2
    concerned = np.logical_or.reduceat(held, catalog.group_starts)[catalog.group] & request.allowed
    found: Array = nearness * concerned
    return found


def _examples(request: Request) -> Array:
    return request.votes.tables


def _definitions(request: Request) -> Array:
    """Score the tables that the definitions in a question describe."""
    found = np.zeros(len(request.catalog), dtype=np.float32)
    for named in request.definitions:
        found[request.catalog.listed("definition_table", named.definition)] = 1.0
    return found


SIGNALS = (
    Signal("text", 1.0, _text),
    Signal("name", 0.3, _name, scaled=False),
    Signal("database", 1.0, _database, scaled=False),
    Signal("dense", 0.3, _dense, scaled=False),
    Signal("examples", 1.0, _examples, scaled=False),
    Signal("definitions", 0.5, _definitions, scaled=False),
)
