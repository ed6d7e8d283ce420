"""An answer and its parts, as records: statements, what they cite, and whether the evidence carries them."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from coderag.ask.source import Source
from coderag.record import record

__all__ = ["Answer", "Finding", "Grade", "Mark", "Naming", "Part", "Route", "Statement", "Step", "Verdict"]


class Route(StrEnum):
    """Where an answer is looked for."""

    CODE = "code"
    DATA = "data"  # tables, joins and queries
    GRAPH = "graph"  # what calls, reads, writes or breaks what
    MAP = "map"  # the main parts of the repository
    DOCUMENTS = "documents"


class Verdict(StrEnum):
    """Whether the index answers a question."""

    FOUND = "found"
    NOT_FOUND = "not found"


class Grade(StrEnum):
    """How far evidence carries an answer, as in corrective RAG (CRAG, arXiv 2401.15884)."""

    CORRECT = "correct"
    AMBIGUOUS = "ambiguous"
    INCORRECT = "incorrect"


@record
class Naming:
    """A name in the text of a finding and the source that shows it, where that is not the finding's own."""

    end: int  # characters of the text up to the end of the name
    source: Source  # without its number


@record
class Finding:
    """Something that sources state, before it is chosen and numbered."""

    text: str
    source: Source  # of all that no naming is of, without its number
    route: Route
    confidence: float = 0.0  # 0..1
    quotes: tuple[str, ...] = ()  # lines of the source, as they are written
    is_fact: bool = False  # an edge of the graph or a join, rather than a passage
    is_bare: bool = False  # a name alone: nothing is said of it
    namings: tuple[Naming, ...] = ()  # in the order of the text

    @property
    def sources(self) -> tuple[Source, ...]:
        """The source of each name, in the order of the text, and that of the rest."""
        return (*(naming.source for naming in self.namings), self.source)

    @property
    def says_something(self) -> bool:
        """Whether there is more than a name."""
        return not self.is_bare or bool(self.quotes)


@record
class Mark:
    """A place within a statement where a source is cited."""

    end: int  # characters of the text before it
    number: int


@record
class Statement:
    """A sentence of an answer and the numbers of the sources that state it."""

    text: str
    citations: tuple[int, ...]  # all of them, in the order of the text
    route: Route
    quotes: tuple[str, ...] = ()
    part: int = 0  # the part of the question that it answers, from 0
    marks: tuple[Mark, ...] = ()  # of the citations that stand within the text; the others stand at its end

    def pieces(self) -> Iterator[tuple[str, tuple[int, ...]]]:
        """Yield the text in pieces, each with the numbers that stand behind it."""
        begin = 0
        for mark in self.marks:
            yield self.text[begin : mark.end], (mark.number,)
            begin = mark.end
        yield self.text[begin:], self.last

    @property
    def last(self) -> tuple[int, ...]:
        """The numbers that stand at the end."""
        return self.citations[len(self.marks) :]


@record
class Part:
    """A part of a question that is answered apart; a plain question is one."""

    text: str
    routes: tuple[Route, ...] = ()
    verdict: Verdict = Verdict.NOT_FOUND
    confidence: float = 0.0
    unknown: tuple[str, ...] = ()  # its words that occur nowhere in the index
    uncovered: tuple[str, ...] = ()  # its words that no source has
    found_in: str = ""  # where a wider search found it: "tests only", "repository shop only"; "" for the usual one
    elsewhere: str = (
        ""  # of a part that is not found: a place outside the paths that were asked for, which would answer
    )


@record
class Step:
    """What a stage of the pipeline did, in words."""

    stage: str
    said: str


@record
class Answer:
    """What the index says about a question; statements and facts cite the sources by their numbers."""

    question: str
    verdict: Verdict
    statements: tuple[Statement, ...] = ()
    facts: tuple[Statement, ...] = ()  # of the graph and the schema
    sources: tuple[Source, ...] = ()
    further: tuple[Source, ...] = ()  # that no statement cites, numbered behind the others, in the room that is left
    text: str = ""  # what a language model wrote, where one was asked: of it what the sources say
    faults: tuple[str, ...] = ()  # why sentences of the model are missing, or its answer
    sql: str = ""  # for a question about data: an example query, or the skeleton of one
    sql_origin: str = ""  # what it is, and where it comes from
    nearest: tuple[Source, ...] = ()  # where nothing answers: the best hits
    routes: tuple[Route, ...] = ()
    confidence: float = 0.0  # of the part that is answered worst
    parts: tuple[Part, ...] = ()
    pipeline: tuple[str, ...] = ()
    trace: tuple[Step, ...] = ()
    read_as: str = ""  # the question with what the conversation and the glossary gave, where they gave something

    @property
    def is_found(self) -> bool:
        """Whether at least a part of the question is answered."""
        return self.verdict is Verdict.FOUND
