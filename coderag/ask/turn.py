"""What the stages of an answer hand on to each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from coderag.ask.records import Answer, Finding, Grade, Route, Step
from coderag.record import record
from coderag.types import Hit, TableFilter

if TYPE_CHECKING:
    from coderag.api.index import Index
    from coderag.ask.findings.places import Places
    from coderag.ask.models.model import LanguageModel

__all__ = ["Evidence", "Options", "Turn", "WordFrequencies"]

WordFrequencies = Callable[[Iterable[str]], dict[str, int]]  # words -> how many chunks hold each


@record
class Options:
    """What somebody who asks may choose."""

    k: int = 5  # statements for each part of the question
    budget: int = 2000  # tokens of the sources' texts
    paths: tuple[str, ...] = ()
    databases: frozenset[str] = frozenset()

    @property
    def tables(self) -> TableFilter:
        """The conditions on tables."""
        return TableFilter(databases=self.databases, paths=self.paths)


@record
class Evidence:
    """What was found for a part of the question, and how far it carries an answer."""

    text: str  # the part as it is looked up
    routes: tuple[Route, ...] = ()
    hits: tuple[Hit, ...] = ()
    findings: tuple[Finding, ...] = ()
    sql: str = ""
    sql_origin: str = ""
    held: frozenset[str] = frozenset()  # stems that the schema's findings hold
    grade: Grade | None = None  # correct; None: nobody looked
    confidence: float = 0.0
    unknown: tuple[str, ...] = ()  # words of the part that occur nowhere in the index
    uncovered: tuple[str, ...] = ()  # and those that no source has


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
