"""Chunks to the factors of their scores: below one for tests, examples, generated, vendored and legacy code unless the
query asks for them, for documents beside code, and for chunks that are no definition. Among the candidates of a query
also for what repeats something else of the repository (for another platform, in an older version, or a step of a
migration), and for definitions that do little of what a query asks how it is done: frames of types, and functions of a
line or two, which declare or delegate.
"""

from __future__ import annotations

from collections.abc import Mapping, Set

import numpy as np

from coderag.files.translations import is_translation
from coderag.index.reader.corpus import Corpus, Form
from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.columns import DEFINES, KINDS
from coderag.search.query.understand import QueryType, Question
from coderag.search.query.vocabulary import MIGRATING, TYPE_WORDS
from coderag.search.ranking.surroundings import CALLABLE_KINDS, CALLABLES, FRAMES, TYPE_KINDS, forms
from coderag.search.ranking.tuning import Tuning
from coderag.search.ranking.variants import steps_of_migrations, variant_factors
from coderag.text.tokens import words
from coderag.types import Content, Kind

__all__ = ["SHORT_LINES", "candidate_priors", "priors", "short_callables"]

SHORT_LINES = 3  # a function that is no longer declares what others do, or hands on to them
WHOLE_LINES = 10  # a module that is shorter has nothing but imports, as an `__init__.py`
MODULE = KINDS.index(Kind.MODULE)
CODE_KINDS = CALLABLE_KINDS | TYPE_KINDS | {Kind.MODULE, Kind.BLOCK}  # and not tables, which a migration may define


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
    of_file[_messages(corpus)] *= factors["messages"]
    return corpus.by_file_and_form(of_file, lambda form: _form_prior(form, wants, factors))


def _messages(corpus: Corpus) -> Array:
    """Return the files of translations that are no code, i64[n] ascending; what is asked in their words finds them."""
    content = {name: held for member in corpus.members for name, held in member.segment.languages.items()}
    config = np.array([content[name] == Content.CONFIG for name in corpus.languages], dtype=bool)
    files = np.flatnonzero(config[corpus.file_language]) if len(config) else np.zeros(0, dtype=np.int64)
    return files[[is_translation(path) for path in corpus.paths_of(files)]] if len(files) else files


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
    """Return the factors of some candidates, f32[n]: those of `prior` (f32[chunks]), and less for variants and frames.

    A variant is for a platform, or of a version, that the query does not name. The version of a folder such as `v3` is
    judged by the other candidates: it is outdated beside a `v4`. What is for the platform that the query names gains.
    """
    files, own_file = np.unique_inverse(corpus.file_numbers(chunks))
    asked = {word.lower() for word in question.spelled}
    factors = variant_factors(corpus, files, asked=asked, factors=tuning.priors)
    found: Array = prior[chunks] * factors[own_file] * _of_forms(corpus, question, chunks, tuning)
    found[_whole_files(corpus, chunks)] /= np.float32(tuning.priors["module"])
    steps = steps_of_migrations(corpus, files)
    if steps.any() and question.query_type is not QueryType.SYMBOL and asked.isdisjoint(MIGRATING):
        rows = np.flatnonzero(steps[own_file])
        code = [row for row in rows.tolist() if corpus.kind(int(chunks[row])) in CODE_KINDS]
        found[code] *= np.float32(tuning.priors["migration"])
    return found


def _of_forms(corpus: Corpus, question: Question, chunks: Array, tuning: Tuning) -> Array:
    """Return the factors of some candidates for what they are, f32[n], as the type of query has them."""
    short, frame = tuning.short_decay[question.query_type], tuning.frame_decay[question.query_type]
    if _asks_for_places(question):
        short = frame = 1.0
    factors = np.ones(len(chunks), dtype=np.float32)
    if "test" not in question.wants:
        factors[corpus.of_tests(chunks)] = tuning.inline_test_decay[question.query_type]
    if short < 1 or frame < 1:
        kinds, _ = forms(corpus, chunks)
        factors[short_callables(corpus, chunks, kinds)] *= np.float32(short)
        factors[FRAMES[kinds] > 0] *= np.float32(frame)
    return factors


def _whole_files(corpus: Corpus, chunks: Array) -> Array:
    """Tell which of some chunks are long modules in files without a definition, bool[n]: all that there is."""
    found = np.zeros(len(chunks), dtype=bool)
    for member, rows, local in corpus.by_member(chunks):
        segment = member.segment
        flags, kinds = segment.chunk_flags, segment.chunk_kind[local]
        whole = (kinds == MODULE) & (flags[local] & DEFINES == 0)
        whole &= segment.last_row[local] - segment.first_row[local] + 1 >= WHOLE_LINES
        modules = np.flatnonzero(whole)
        if not len(modules):
            continue
        bounds = member.chunk_bounds(segment.chunk_file[local[modules]])
        for place, begin, end in zip(modules.tolist(), *(side.tolist() for side in bounds), strict=True):
            whole[place] = not (flags[begin:end] & DEFINES).any()
        found[rows] = whole
    return found


def _asks_for_places(question: Question) -> bool:
    """Tell whether a question asks for a place or a type rather than for what is done."""
    asked = [word.lower() for word in words(question.text)]
    return asked[:1] == ["where"] or not TYPE_WORDS.isdisjoint(asked)


def short_callables(corpus: Corpus, chunks: Array, kinds: Array) -> Array:
    """Tell which of some chunks are functions or methods of at most SHORT_LINES, bool[n], given their kinds."""
    found: Array = CALLABLES[kinds] > 0
    for member, rows, local in corpus.by_member(chunks):
        found[rows] &= member.segment.last_row[local] - member.segment.first_row[local] < SHORT_LINES
    return found
