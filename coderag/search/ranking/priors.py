"""Chunks to the factors of their scores: below one for tests, examples, generated, vendored and legacy code unless the
query asks for them, for documents beside code, and for chunks that are no definition.
"""

from __future__ import annotations

from collections.abc import Mapping, Set

import numpy as np

from coderag.index.reader.corpus import Corpus, Form
from coderag.index.storage.arrays.arrays import Array
from coderag.search.query.understand import Question
from coderag.search.ranking.tuning import Tuning
from coderag.types import Kind

__all__ = ["priors"]


def priors(corpus: Corpus, question: Question, tuning: Tuning) -> Array:
    """Return the factor of each chunk's score, f32[chunks]; 0 for chunks of files that changed or are gone."""
    key = "priors", question.wants, *tuning.priors.items()
    return corpus.remembered(key, lambda: _priors(corpus, question.wants, tuning.priors))


def _priors(corpus: Corpus, wants: Set[str], factors: Mapping[str, float]) -> Array:
    of_file = corpus.live_file.astype(np.float32)
    for label in corpus.labels:
        if label not in wants:
            of_file[corpus.with_label(label)] *= factors[label]
    if "docs" not in wants:
        of_file[corpus.documents] *= factors["docs"]
    return corpus.by_file_and_form(of_file, lambda form: _form_prior(form, wants, factors))


def _form_prior(form: Form, wants: Set[str], factors: Mapping[str, float]) -> np.float32:
    prior = np.float32(1)
    if form.continues:
        prior *= np.float32(factors["continues"])
    if form.kind in (Kind.MODULE, Kind.BLOCK) and not form.defines:
        prior *= np.float32(factors["module"])
    if form.kind is Kind.QUERY and "query" not in wants:
        prior *= np.float32(factors["query"])
    return prior
