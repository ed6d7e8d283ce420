"""Documents that alone have the words of a question: they count as much as code.

Documents count less, as what they say is usually done by code that has the same words. Where no code has much of
them, the documents are all that there is: "when are the snapshots taken?" in a repository that only describes them.
"""

from __future__ import annotations

import numpy as np

from coderag.index.reader.corpus import Corpus
from coderag.record import replaced
from coderag.search.query.understand import QueryType
from coderag.search.ranking.rank import Rows
from coderag.search.ranking.tuning import Tuning

__all__ = ["with_documents_alone"]

ANSWERED_BY_DOCUMENTS = frozenset({QueryType.TOPIC, QueryType.BEHAVIOR})
ALL, MUCH = 0.99, 0.4  # shares of a question's words, by rarity


def with_documents_alone(corpus: Corpus, rows: Rows, tuning: Tuning) -> Rows:
    """Return candidates with the documents in full that have all words of a question of which no code has much."""
    if rows.query_type not in ANSWERED_BY_DOCUMENTS or not corpus.documents.any():
        return rows
    is_document = corpus.documents[corpus.file_numbers(rows.chunks)]
    if not is_document.any():
        return rows
    coverage = rows.columns["coverage"]
    if coverage[~is_document].max(initial=0.0) >= MUCH:
        return rows
    telling = is_document & (coverage >= ALL)
    if not telling.any():
        return rows
    prior = rows.prior.copy()
    prior[telling] = np.minimum(prior[telling] / np.float32(tuning.priors["docs"]), np.float32(1))
    return replaced(rows, prior=prior)
