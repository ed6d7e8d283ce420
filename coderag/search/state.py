"""What the stages of a search hand on to each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeVar

from coderag.encoders.encoder import Encoder
from coderag.index.reader.corpus import Corpus
from coderag.index.storage.arrays.arrays import Array
from coderag.record import record
from coderag.search.query.understand import Question
from coderag.search.ranking.rank import Ranked, Ranking, Rows
from coderag.search.ranking.tuning import DEFAULT, Tuning
from coderag.search.retrieval.candidates import Candidates, Lists
from coderag.search.retrieval.history import Evidence
from coderag.search.retrieval.lexical import Scores
from coderag.search.retrieval.verbatim import Verbatim
from coderag.types import Hit, Query

if TYPE_CHECKING:
    from coderag.graph.queries.relations import Relations
    from coderag.index.catalog.catalog import Catalog
    from coderag.index.history.history import History
    from coderag.search.exact.locate import Located

__all__ = ["SearchState", "Sources", "made_by"]

Made = TypeVar("Made")


@record
class Sources:
    """What a search reads: one version of an index, as much of it as the caller may see.

    What only some searches read is opened by the first that does.
    """

    corpus: Corpus
    encoder: Callable[[], Encoder | None]  # None: words alone answer
    catalogs: Callable[[], Mapping[str, Catalog]]  # of the databases, by repository
    graphs: Callable[[], Mapping[str, Relations]]  # by repository; of those that have one
    histories: Callable[[], Mapping[str, History]] = dict  # by repository; of those that have one


@record
class SearchState:
    """A query, and what the stages before know of its answer; each field has the name of the stage that fills it."""

    query: Query
    sources: Sources
    tuning: Tuning = DEFAULT
    question: Question | None = None  # understand; retrieve may correct its query type
    allowed: Array | None = None  # filter_chunks: bool[chunks]; None: all
    located: Located | None = None  # filter_chunks: the matches of the query's patterns; None without clauses
    scores: Scores | None = None  # retrieve
    evidence: Evidence | None = None  # retrieve: of the subjects of commits
    prior: Array | None = None  # retrieve: f32[chunks], factor of a chunk's score; 0 for one that is not allowed
    lists: Lists | None = None  # retrieve
    verbatim: Verbatim | None = None  # match: what has the question, or names of it, as it is written
    candidates: Candidates | None = None  # fuse
    rows: Rows | None = None  # extract_features
    ranking: Ranking | None = None  # rank: all candidates
    ranked: tuple[
        Ranked, ...
    ] = ()  # rank: the best of them, which diversify, promote, calibrate, rerank and cut_off replace
    found: tuple[tuple[int, Hit], ...] = ()  # explain: hits with the numbers of their chunks; relate adds relations
    related: tuple[tuple[int, Hit], ...] = ()  # relate
    expanded: tuple[Hit, ...] | None = None  # expand: what is given in place of `found`

    @property
    def hits(self) -> list[Hit]:
        """The answer: the hits, and behind them the related ones."""
        own = [hit for _, hit in self.found] if self.expanded is None else self.expanded
        return [*own, *(hit for _, hit in self.related)]


def made_by(stage: str, value: Made | None) -> Made:
    """Return what a stage made; raises ValueError where it has not run."""
    if value is None:
        raise ValueError(f"a stage needs what `{stage}` makes; put `{stage}` before it")
    return value
