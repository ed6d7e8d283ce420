"""What a question means in its conversation: the question with what it leaves out."""

from __future__ import annotations

from coderag.record import record

__all__ = ["Reading"]


@record
class Reading:
    """A question that was completed from the conversation, and how."""

    text: str
    said: str  # what was read as what, for the trace
