"""The records of a checked answer: its sentences, what they cite, and what is wrong with them."""

from __future__ import annotations

from enum import StrEnum

from coderag.record import record

__all__ = ["AnswerCheck", "CheckedSentence", "Citation", "Fault", "FaultKind", "Severity", "Verdict"]


class Verdict(StrEnum):
    """How far the cited sources carry a sentence."""

    SUPPORTED = "supported"
    PARTLY = "partly"  # some of what it says is in the sources, some is not
    UNSUPPORTED = "unsupported"
    UNCITED = "uncited"  # it claims something, and cites nothing
    NO_CLAIM = "no claim"  # a heading, a question, a lead-in; it counts for nothing


class FaultKind(StrEnum):
    """What is wrong with a sentence."""

    CITATION = "citation"  # a number that no source has
    SPAN = "span"  # a path or lines that do not exist, or that no source shows
    STALE = "stale"  # the file changed since it was indexed
    QUOTE = "quote"  # not in the cited lines
    INVENTED = "invented"  # a name that is nowhere in the index
    NOT_SHOWN = "not shown"  # a name of the index that the cited lines do not have
    NUMBER = "number"
    LITERAL = "literal"
    RELATION = "relation"  # the graph or the schema says otherwise
    SQL = "sql"
    ELSEWHERE = "elsewhere"  # the cited lines are about something else
    UNCITED = "uncited"


class Severity(StrEnum):
    """Whether a fault lowers the verdict."""

    ERROR = "error"
    WARNING = "warning"


@record
class Citation:
    """What a sentence cites: the number of a source, or a path with lines (1-based, inclusive)."""

    text: str  # as it is written
    number: int = 0  # 0: none, the path says it
    path: str = ""
    start_line: int = 0  # 0: the whole file
    end_line: int = 0
    valid: bool = False  # whether it leads to lines that exist


@record
class Fault:
    """One thing that is wrong: the words of the sentence that it is about, and why."""

    kind: FaultKind
    text: str
    message: str
    severity: Severity = Severity.ERROR
    place: str = ""  # path:line where the truth can be read, "" if nothing is known
    suggestion: str = ""


@record
class CheckedSentence:
    """A sentence, list item, row of a table or fenced block, with its verdict."""

    text: str
    line: int  # of its first character, 1-based
    start: int  # characters of the whole text
    end: int
    verdict: Verdict
    citations: tuple[Citation, ...] = ()
    faults: tuple[Fault, ...] = ()


@record
class AnswerCheck:
    """What checking an answer found; shares are 0 to 1, and 1 if there is nothing to divide by."""

    sentences: tuple[CheckedSentence, ...]
    faithfulness: float  # supported claims / claims
    citation_precision: float  # citations that lead to lines which carry something of their sentence / citations
    citation_recall: float  # claims with such a citation / claims
    invented: tuple[str, ...] = ()  # names that are nowhere in the index
    truncated: bool = False  # the text had more sentences than are checked

    @property
    def claims(self) -> tuple[CheckedSentence, ...]:
        """The sentences that claim something."""
        return tuple(sentence for sentence in self.sentences if sentence.verdict is not Verdict.NO_CLAIM)

    @property
    def is_supported(self) -> bool:
        """Whether every claim is supported, and all of the text was checked."""
        return not self.truncated and all(claim.verdict is Verdict.SUPPORTED for claim in self.claims)
