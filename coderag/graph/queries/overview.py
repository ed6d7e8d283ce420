"""Questions about all of a repository, which an overview answers better than any piece of code."""

from __future__ import annotations

from coderag.text.tokens import words

__all__ = ["about_the_whole"]

# Words of questions about all of a repository. One of the first is enough, of the others two.
WHOLE_WORDS = frozenset({"architecture", "overview", "codebase"})
PART_WORDS = frozenset(
    """main parts part components component modules module organised organized organisation organization structure
    structured repository repo project packages layers subsystems areas big picture important layout consist""".split()
)
FEW_WORDS = 12  # a longer question is about something else


def about_the_whole(question: str) -> bool:
    """Tell whether a question asks for an overview: "what are the main parts?", "how is this repo organised?"."""
    asked = {word.lower() for word in words(question)}
    return len(asked) <= FEW_WORDS and bool(asked & WHOLE_WORDS or len(asked & PART_WORDS) > 1)
