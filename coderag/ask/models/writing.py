"""Sources to an answer that a language model writes, and of that only what the sources say."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from typing import Protocol

from coderag.ask.models.defused import defused, orders_of, repeats
from coderag.ask.models.model import LanguageModel, Message
from coderag.ask.models.prompt import answer_messages, repair_messages
from coderag.ask.models.thoughts import final_text
from coderag.ask.source import Source
from coderag.errors import LanguageModelError
from coderag.record import record

__all__ = ["Check", "Checked", "CheckedSentence", "Fault", "Support", "WrittenAnswer", "checked_answer", "write_answer"]

LEAST_SUPPORTED = 0.5  # of the sentences, below which an answer is "not found"
ORDER = "it repeats an order that is hidden in a source"
NO_WORDS = "it says nothing that the sources say"


class Support(StrEnum):
    """How far the sources say what a sentence says."""

    SUPPORTED = "supported"
    PARTLY = "partly"
    UNSUPPORTED = "unsupported"
    UNCITED = "uncited"
    NO_CLAIM = "no claim"


class Fault(Protocol):
    """One thing that is wrong with a sentence."""

    @property
    def message(self) -> str:
        """What, in words."""


class CheckedSentence(Protocol):
    """A sentence of an answer with what the checker says about it."""

    @property
    def text(self) -> str:
        """The sentence, with its citations."""

    @property
    def line(self) -> int:
        """The line of the answer that it begins on."""

    @property
    def verdict(self) -> str:
        """One of `Support`."""

    @property
    def faults(self) -> Sequence[Fault]:
        """What is wrong with it."""


class Checked(Protocol):
    """A checked answer."""

    @property
    def sentences(self) -> Sequence[CheckedSentence]:
        """All that it says, in order."""


Check = Callable[[str, Sequence[Source]], Checked]


@record
class WrittenAnswer:
    """What remains of a model's answer once it is checked."""

    text: str  # "" if it is not found
    found: bool
    draft: str = ""  # what the model wrote last
    faults: tuple[str, ...] = ()  # of the draft: why sentences of it are missing, or the answer
    repaired: bool = False  # the model was asked a second time
    supported: int = 0  # sentences
    sentences: int = 0  # that state something


@record
class _Verdict:
    """A sentence and what became of it."""

    text: str
    line: int
    support: Support
    faults: tuple[str, ...] = ()


def write_answer(question: str, sources: Sequence[Source], facts: Sequence[str], model: LanguageModel) -> Iterator[str]:
    """Yield a model's draft of an answer as it is written; nothing of it is checked yet.

    Raises LanguageModelError, also after some pieces.
    """
    yield from model.complete(answer_messages(question, defused(sources), facts))


def checked_answer(
    question: str,
    sources: Sequence[Source],
    facts: Sequence[str],
    *,
    model: LanguageModel,
    check: Check,
    watch: Callable[[str], None] | None = None,
) -> WrittenAnswer:
    """Return a model's answer without what the sources do not say, after one turn of repair where that is needed.

    A sentence that is not supported, or only in part, is left out; with less than half of them supported the answer is
    not found. `watch` gets the pieces of the first draft as they are written. Raises
    LanguageModelError for a model that gives no draft; one that fails at the repair is held to its draft.
    """
    shown, orders = defused(sources), orders_of(sources)

    def verdicts_on(answer: str) -> list[_Verdict]:
        return [_verdict(sentence, orders) for sentence in check(answer, shown).sentences]

    messages = answer_messages(question, shown, facts)
    draft = final_text(_watched(model.complete(messages), watch))
    first = verdicts_on(draft)
    if not _faults(first) and _share(first) >= LEAST_SUPPORTED:
        return _settled(draft, first)
    again = _repaired(messages, draft, _faults(first) or [NO_WORDS], model)
    if not again:
        return _settled(draft, first)
    second = verdicts_on(again)
    if _share(second) < _share(first):
        return _settled(draft, first, repaired=True)
    return _settled(again, second, repaired=True)


def _verdict(sentence: CheckedSentence, orders: frozenset[tuple[str, ...]]) -> _Verdict:
    if repeats(sentence.text, orders):
        return _Verdict(sentence.text, sentence.line, Support.UNSUPPORTED, (ORDER,))
    messages = tuple(fault.message for fault in sentence.faults)
    return _Verdict(sentence.text, sentence.line, Support(sentence.verdict), messages)


def _repaired(messages: Sequence[Message], draft: str, faults: Sequence[str], model: LanguageModel) -> str:
    try:
        return final_text(model.complete(repair_messages(messages, draft, faults)))
    except LanguageModelError:
        return ""


def _settled(draft: str, verdicts: Sequence[_Verdict], *, repaired: bool = False) -> WrittenAnswer:
    """Return what the policy leaves of a draft; what states nothing goes too, as nothing vouches for it."""
    claims = [verdict for verdict in verdicts if verdict.support is not Support.NO_CLAIM]
    supported = sum(claim.support is Support.SUPPORTED for claim in claims)
    is_supported = _share(verdicts) >= LEAST_SUPPORTED
    kept = [claim for claim in claims if claim.support is Support.SUPPORTED] if is_supported else []
    return WrittenAnswer(_joined(kept), is_supported, draft, tuple(_faults(verdicts)), repaired, supported, len(claims))


def _joined(sentences: Sequence[_Verdict]) -> str:
    """Return sentences as one text, on the lines that they were on."""
    text, line = "", 0
    for sentence in sentences:
        own = sentence.text.strip()
        separator = " " if sentence.line == line and "\n" not in sentence.text else "\n"
        text, line = f"{text}{separator}{own}", sentence.line
    return text.strip()


def _share(verdicts: Sequence[_Verdict]) -> float:
    """Return the share of the sentences with a claim that are supported, 0 if there is no such sentence."""
    claims = [verdict.support for verdict in verdicts if verdict.support is not Support.NO_CLAIM]
    return claims.count(Support.SUPPORTED) / len(claims) if claims else 0.0


def _faults(verdicts: Sequence[_Verdict]) -> list[str]:
    return [
        f"{verdict.text.strip()!r}: {'; '.join(verdict.faults) or verdict.support}"
        for verdict in verdicts
        if verdict.support not in {Support.SUPPORTED, Support.NO_CLAIM}
    ]


def _watched(pieces: Iterator[str], watch: Callable[[str], None] | None) -> Iterator[str]:
    for piece in pieces:
        if watch is not None:
            watch(piece)
        yield piece
