"""What is left of an answer once its unsupported sentences are dropped or marked."""

from __future__ import annotations

from enum import StrEnum

from coderag.ask.checking.records import AnswerCheck, Verdict

__all__ = ["Policy", "supported_text"]

MARK = "[not supported]"


class Policy(StrEnum):
    """What happens to a sentence that the sources do not support."""

    DROP = "drop"
    MARK = "mark"


def supported_text(
    check: AnswerCheck, *, policy: Policy | str = Policy.DROP, kept: frozenset[Verdict] | None = None
) -> str:
    """Return the sentences of an answer that stay, a line where they stood on lines of their own.

    `kept` are the verdicts that stay as they are: by default supported and no claim, so that a sentence which is
    supported only in part goes too.
    """
    verdicts = frozenset({Verdict.SUPPORTED, Verdict.NO_CLAIM}) if kept is None else kept
    lines: list[tuple[int, str]] = []
    for sentence in check.sentences:
        if sentence.verdict in verdicts:
            lines.append((sentence.line, sentence.text))
        elif Policy(policy) is Policy.MARK:
            lines.append((sentence.line, f"{sentence.text} {MARK}"))
    parts: list[str] = []
    for number, (line, text) in enumerate(lines):
        if number:
            parts.append(" " if lines[number - 1][0] == line else "\n")
        parts.append(text)
    return "".join(parts)
