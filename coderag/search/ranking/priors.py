"""Chunks to the factors of their scores: below one for tests, examples, generated, vendored and legacy code unless the
query asks for them, for documents beside code, and for chunks that are no definition. Among the candidates of a query
also for what repeats something else of the repository: for another platform, or in an older version.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set

import numpy as np

from coderag.index.reader.corpus import Corpus, Form
from coderag.index.storage.arrays.arrays import Array
from coderag.search.query.understand import Question
from coderag.search.query.vocabulary import PLATFORMS
from coderag.search.ranking.tuning import Tuning
from coderag.search.retrieval.maxsim import name_words
from coderag.types import Kind

__all__ = ["candidate_priors", "priors"]

VERSION_FOLDER = re.compile(r"(?<![^/])[vV](\d{1,2})(?=/)")


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


def candidate_priors(corpus: Corpus, question: Question, prior: Array, chunks: Array, tuning: Tuning) -> Array:
    """Return the factors of some candidates, f32[n]: those of `prior` (f32[chunks]), and less for variants.

    A variant is for a platform, or of a version, that the query does not name. The version of a folder such as `v3` is
    judged by the other candidates: it is outdated beside a `v4`.
    """
    files, own_file = np.unique_inverse(corpus.file_numbers(chunks))
    asked = {word.lower() for word in question.spelled}
    paths = corpus.paths_of(files)
    factors = _of_versions(paths, asked, tuning.priors["outdated"])
    if not asked & PLATFORMS:
        alien = np.array([not PLATFORMS.isdisjoint(name_words(path)) for path in paths], dtype=bool)
        factors[alien] *= np.float32(tuning.priors["platform"])
    found: Array = prior[chunks] * factors[own_file]
    return found


def _of_versions(paths: Sequence[str], asked: Set[str], factor: float) -> Array:
    """Return the factor of each path, f32[paths]: below one where another of them has a later version of its folder."""
    folders = [VERSION_FOLDER.search(path) for path in paths]
    latest: dict[str, int] = {}
    for match in filter(None, folders):
        beside = match.string[: match.start()]
        latest[beside] = max(latest.get(beside, 0), int(match[1]))
    outdated = [
        match is not None and int(match[1]) < latest[match.string[: match.start()]] and f"v{int(match[1])}" not in asked
        for match in folders
    ]
    return np.where(outdated, np.float32(factor), np.float32(1))
