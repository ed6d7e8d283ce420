"""The numbers of the ranking, tuned on two public suites of questions (ARCHITECTURE.md).

They are a module and not TOML: importing `tomllib` and parsing such a file takes every search in a new process 2 ms of
processor time, and constants take none.
"""

from __future__ import annotations

from collections.abc import Mapping

from coderag.record import record
from coderag.search.query.understand import QueryType

__all__ = ["DEFAULT", "Tuning"]

# Weight of each feature (coderag.search.ranking.features) in the score; a feature that is not named has weight 0.
WEIGHTS = {
    "text": 1.5,
    "file": 0.5,
    "file_support": 0.15,
    "path": 2.0,
    "filename_match": 0.4,
    "name": 0.12,
    "named": 0.12,
    "scope": 0.1,
    "symbol": 0.7,
    "exact_symbol": 1.5,
    "type": 0.15,
    "definition_file": 0.45,
    "capital": 0.1,
}
# Weights that a type of query has besides, or instead.
WEIGHTS_BY_QUERY_TYPE: Mapping[QueryType, Mapping[str, float]] = {
    QueryType.SYMBOL: {},
    QueryType.TOPIC: {
        "cosine_scaled": 0.3,
        "file_cosine": 0.9,
        "file_lines": 0.5,
        "soft_coverage": 0.4,
        "first": 0.2,
        "mentions": 0.4,
        "lead": 0.3,
        "subject_file": 0.3,
        "filename_prefix": 0.2,
    },
    QueryType.EDIT: {"cosine_scaled": 0.15, "soft_coverage": 1.5, "history": 2.0, "lines": 0.75, "symbol": 1.2},
    QueryType.BEHAVIOR: {"cosine_scaled": 2.0, "soft_coverage": 2.0, "callable": 2.0, "filename_match": 0.0},
}
# Factor of the score of a chunk that is seldom an answer, unless the query asks for its sort.
PRIORS = {
    "test": 0.4,  # labels of its file, see coderag.types.Chunk
    "example": 0.5,
    "generated": 0.6,
    "vendored": 0.5,
    "legacy": 0.6,
    "docs": 0.35,  # its file is a document
    "messages": 0.3,  # its file is one of translations
    "continues": 0.95,  # a further piece of a long definition
    "query": 0.45,  # an example query, whose name is a question
    "platform": 0.8,  # its file is for a platform that the query does not name
    "named_platform": 1.2,  # ... or does
    "migration": 0.6,  # code of a step of a migration
    "outdated": 0.7,  # its folder is v3, and another candidate's beside it v4
    "module": 0.7,  # what is left of a file beside its definitions
}
# Per query type: weight of the dense list in the fusion, where the lexical list has weight 1; weight of the learned
# ranker beside the weighted sum; and the share of its score that each further hit of a file keeps.
DENSE_WEIGHT = {QueryType.SYMBOL: 0.0, QueryType.TOPIC: 0.5, QueryType.EDIT: 0.5, QueryType.BEHAVIOR: 1.0}
LTR_WEIGHT = {QueryType.SYMBOL: 0.0, QueryType.TOPIC: 0.0, QueryType.EDIT: 4.5, QueryType.BEHAVIOR: 6.0}
# Weight of the list of chunks by the subjects of their commits in the fusion; 0 for no look at the history.
HISTORY_WEIGHT = {QueryType.SYMBOL: 0.0, QueryType.TOPIC: 0.0, QueryType.EDIT: 1.0, QueryType.BEHAVIOR: 0.0}
FILE_DECAY = {QueryType.SYMBOL: 0.4, QueryType.TOPIC: 0.68, QueryType.EDIT: 0.95, QueryType.BEHAVIOR: 0.95}

# What a function of a line or two keeps of its score, and what a type whose members are chunks of their own.
SHORT_DECAY = {QueryType.SYMBOL: 1.0, QueryType.TOPIC: 1.0, QueryType.EDIT: 0.8, QueryType.BEHAVIOR: 0.8}
FRAME_DECAY = {QueryType.SYMBOL: 1.0, QueryType.TOPIC: 1.0, QueryType.EDIT: 1.0, QueryType.BEHAVIOR: 0.7}
# What is left of the score of a test in a file of other code, as of Rust; a change is one of its tests, too.
INLINE_TEST_DECAY = {QueryType.SYMBOL: 0.4, QueryType.TOPIC: 0.4, QueryType.EDIT: 1.0, QueryType.BEHAVIOR: 0.4}


@record
class Tuning:
    """The weights, priors and decays of a ranking, each explained where its usual numbers are."""

    weights: Mapping[str, float]
    weights_by_query_type: Mapping[QueryType, Mapping[str, float]]
    priors: Mapping[str, float]
    dense_weight: Mapping[QueryType, float]
    ltr_weight: Mapping[QueryType, float]
    history_weight: Mapping[QueryType, float]
    file_decay: Mapping[QueryType, float]
    short_decay: Mapping[QueryType, float]
    frame_decay: Mapping[QueryType, float]
    inline_test_decay: Mapping[QueryType, float]

    def weights_for(self, query_type: QueryType) -> Mapping[str, float]:
        """Return the weights of the features for a type of query."""
        return {**self.weights, **self.weights_by_query_type[query_type]}


DEFAULT = Tuning(
    weights=WEIGHTS,
    weights_by_query_type=WEIGHTS_BY_QUERY_TYPE,
    priors=PRIORS,
    dense_weight=DENSE_WEIGHT,
    ltr_weight=LTR_WEIGHT,
    history_weight=HISTORY_WEIGHT,
    file_decay=FILE_DECAY,
    short_decay=SHORT_DECAY,
    frame_decay=FRAME_DECAY,
    inline_test_decay=INLINE_TEST_DECAY,
)
