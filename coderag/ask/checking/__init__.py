"""Does what an answer cites support it? A text with citations to verdicts, without a model."""

from __future__ import annotations

from coderag.ask.checking.checker import check_answer
from coderag.ask.checking.policy import Policy, supported_text
from coderag.ask.checking.records import (
    AnswerCheck,
    CheckedSentence,
    Citation,
    Fault,
    FaultKind,
    Severity,
    Verdict,
)

__all__ = [
    "AnswerCheck",
    "CheckedSentence",
    "Citation",
    "Fault",
    "FaultKind",
    "Policy",
    "Severity",
    "Verdict",
    "check_answer",
    "supported_text",
]
