"""What the stages of an answer hand on to each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING

from coderag.ask.agentic.records import Limits
from coderag.ask.memory.conversation import Conversation
from coderag.ask.records import Answer, Finding, Grade, Route, Step
from coderag.ask.sufficiency import word_weights
from coderag.ask.wording import content_words
from coderag.record import record
from coderag.text.tokens import stem
from coderag.types import Hit, Kind, Query, TableFilter, TestPolicy

if TYPE_CHECKING:
    from coderag.api.index import Index
    from coderag.ask.findings.places import Places
    from coderag.ask.memory.acronyms import NamesOfInitials
    from coderag.ask.models.model import LanguageModel

__all__ = ["Evidence", "IndexState", "Options", "SourceFilter", "Telling", "Turn", "Variant", "WordFrequencies"]

TABLE_KINDS = (str(Kind.TABLE), str(Kind.VIEW))

WordFrequencies = Callable[[Iterable[str]], dict[str, int]]  # words -> how many chunks hold each


@record
class IndexState:
    """An index as somebody sees it, by what tells it from any other state in this process."""

    generation: int  # of the snapshot, which is that of one state of the index and of one set of access rules
    stored_graph: bool = False  # whether the graph may be older than the index


@record
class SourceFilter:
    """Where an answer may come from; sets are sorted tuples, so that equal filters are written alike."""

    paths: tuple[str, ...] = ()  # globs; a leading "!" excludes
    databases: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    tests: TestPolicy = TestPolicy.DEMOTE

    @classmethod
    def of(cls, query: Query) -> SourceFilter:
        """Return those conditions of a query that are about sources."""
        return cls(
            paths=tuple(query.paths),
            databases=tuple(sorted(query.databases)),
            languages=tuple(sorted(query.languages)),
            kinds=tuple(sorted(query.kinds)),
            tests=query.tests,
        )

    @property
    def is_open(self) -> bool:
        """Whether every file and kind may answer."""
        return not (self.paths or self.databases or self.languages or self.kinds or self.tests is TestPolicy.EXCLUDE)

    @property
    def has_tables(self) -> bool:
        """Whether tables and views are among the kinds that may answer."""
        return not self.kinds or any(kind in TABLE_KINDS for kind in self.kinds)

    @property
    def tables(self) -> TableFilter:
        """The conditions on tables, which are of any kind where none of theirs is asked for (`has_tables`)."""
        return TableFilter(
            databases=frozenset(self.databases),
            paths=self.paths,
            tests=self.tests,
            languages=frozenset(self.languages),
            kinds=frozenset(kind for kind in self.kinds if kind in TABLE_KINDS),
        )


@record
class Options:
    """What somebody who asks may choose."""

    k: int = 5  # statements for each part of the question
    budget: int = 2000  # tokens of the sources' texts
    within: SourceFilter = SourceFilter()
    limits: Limits = Limits()  # of the tools that are called


@record
class Variant:
    """Another wording of a part, which is searched beside it and never in its place."""

    text: str
    weight: float  # of its ranking; that of the part has 1
    origin: str  # the stage that made it


@record
class Evidence:
    """What was found for a part of the question, and how far it carries an answer."""

    text: str  # the part as it is looked up
    needs: int = -1  # the part before it, from 0, whose answer it refers to; -1: none
    routes: tuple[Route, ...] = ()
    variants: tuple[Variant, ...] = ()
    hits: tuple[Hit, ...] = ()
    findings: tuple[Finding, ...] = ()
    sql: str = ""
    sql_origin: str = ""
    held: frozenset[str] = frozenset()  # stems that the schema's findings hold
    grade: Grade | None = None  # correct; None: nobody looked
    confidence: float = 0.0  # of the best hit
    likelihood: float = 0.0  # the probability that the evidence carries an answer
    is_judged: bool = False  # whether a model chose among its passages
    found_in: str = ""  # where a wider search found it, in words
    elsewhere: str = ""  # a place outside the paths that were asked for, which would answer
    unknown: tuple[str, ...] = ()  # words of the part that occur nowhere in the index
    uncovered: tuple[str, ...] = ()  # and those that no source has


class Telling:
    """Who wants to know what stages do: each step is told once, as soon as it is done."""

    def __init__(self, on_step: Callable[[Step], None]) -> None:
        """Tell a function."""
        self._on_step = on_step
        self._told = 0

    def __call__(self, trace: Sequence[Step]) -> None:
        """Tell the steps of a trace that were not told yet."""
        for step in trace[self._told :]:
            self._on_step(step)
        self._told = max(self._told, len(trace))


@record
class Turn:
    """A question on its way to an answer."""

    question: str
    index: Index
    places: Places
    frequencies: WordFrequencies
    options: Options = Options()
    model: LanguageModel | None = None  # that stages may ask; None: rules alone
    text: str = ""  # the question as it is looked up: reframe may mend its spelling
    evidence: tuple[Evidence, ...] = ()  # decompose: one for each part
    answer: Answer | None = None  # answer
    trace: tuple[Step, ...] = ()
    memo: dict[Query, list[Hit]] = field(default_factory=dict)  # what was searched already
    conversation: Conversation = Conversation()  # what was asked before
    writer: LanguageModel | None = None  # that completes a question from its conversation; None: rules alone
    read_as: str = ""  # the question with what the conversation and the glossary gave
    beside: str = ""  # another reading of the question, which is searched as well
    initials: NamesOfInitials = lambda _: []  # the definitions of some initials
    telling: Telling | None = None  # who is told what stages do
    state: IndexState | None = None  # by which what stages find is kept for other turns; None: it is not

    @property
    def parts(self) -> tuple[Evidence, ...]:
        """The parts of the question, itself where nothing cut it."""
        return self.evidence or (Evidence(self.text),)

    def word_weights(self, text: str) -> dict[str, float]:
        """Return how much each word of a text counts that says what it is about."""
        return word_weights(self.frequencies(content_words(text)), len(self.index))

    def stem_weights(self, text: str) -> dict[str, float]:
        """Return the same by the stems of the words."""
        return {stem(word.lower()): weight for word, weight in self.word_weights(text).items()}

    def after(self, stage: str, *said: str, evidence: Iterable[Evidence]) -> Turn:
        """Return the turn with new evidence, and with what a stage says it did."""
        steps = (Step(stage, one) for one in said)
        return replace(self, evidence=tuple(evidence), trace=(*self.trace, *steps))
