"""The terms of a question to the business definitions that it names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from coderag.index.catalog.catalog import Catalog
from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.postings import idf
from coderag.text.tokens import term_hash

__all__ = ["DefinitionMatch", "definitions_in"]


@dataclass(frozen=True, slots=True)
class DefinitionMatch:
    """A definition that a question names."""

    definition: int
    score: float  # how rare the words of the term are, summed


def definitions_in(catalog: Catalog, terms: Iterable[str], allowed: Array) -> list[DefinitionMatch]:
    """Return the definitions whose name or a synonym is all among the terms of a question, the most specific first.

    Those that are only about tables that are not allowed are left out.
    """
    if not len(catalog.definitions):
        return []
    postings = catalog.postings("label")
    sizes, owners = catalog.arrays["label_size"], catalog.arrays["label_definition"]
    held = np.zeros(len(sizes), dtype=np.uint16)
    rarity = np.zeros(len(sizes), dtype=np.float32)
    hashes = np.array([term_hash(term) for term in terms], dtype=np.uint64)
    for place in postings.find(hashes).tolist():
        if place >= 0:
            labels = postings.docs_of(place)
            held[labels] += 1
            rarity[labels] += idf(len(sizes), postings.frequency(place))
    found: dict[int, float] = {}
    for label in np.flatnonzero(held == sizes).tolist():
        owner = int(owners[label])
        about = catalog.listed("definition_table", owner)
        if not len(about) or allowed[about].any():
            found[owner] = max(found.get(owner, 0.0), float(rarity[label]))
    best_first = sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))
    return [DefinitionMatch(number, score) for number, score in best_first]
