"""An answer to its sentences and how far what they cite supports them.

Every check compares words with words, or asks the graph and the schema: a paraphrase is believed where its names,
numbers and quotes are in the cited lines. A false statement made only of right words (a negation, an order of steps)
is not noticed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from coderag.ask.checking.citations import find_citations, listed_source
from coderag.ask.checking.claims import Claim, check_claim
from coderag.ask.checking.evidence import Evidence
from coderag.ask.checking.records import AnswerCheck, CheckedSentence, Citation, FaultKind, Verdict
from coderag.ask.checking.sentences import Form, Passage, split_sentences
from coderag.ask.source import Source
from coderag.limits import ANSWER, check_text

if TYPE_CHECKING:
    from coderag.api.index import Index

__all__ = ["check_answer"]

MAX_SENTENCES = 2_000
MAX_FENCE_LINE = 400  # characters of the first line of a fence, which may cite


def check_answer(text: str, sources: Sequence[Source], index: Index) -> AnswerCheck:
    """Return how far what an answer cites supports it, sentence by sentence.

    `[n]` means the source of that number; without sources, those that lines such as "[1] path:3-9" of the text name.
    `path:line` is read from the index. Raises QueryError for a text that is too long.
    """
    check_text(ANSWER, text)
    passages = list(islice(split_sentences(text), MAX_SENTENCES + 1))
    truncated = len(passages) > MAX_SENTENCES
    listed = {passage.start: found for passage in passages if (found := _listed(passage))}
    evidence = Evidence(index, sources or _sources(list(listed.values())))
    claims = list(_claims([one for one in passages[:MAX_SENTENCES] if one.start not in listed]))
    domain = frozenset(stem for claim in claims for stem in claim.shown_stems(evidence))
    checked = [check_claim(claim, evidence, domain) for claim in claims]
    return _summary(checked, truncated=truncated)


def _listed(passage: Passage) -> Citation | None:
    return None if passage.form in (Form.FENCE, Form.HEADING) else listed_source(passage.text)


def _sources(listed: Sequence[Citation]) -> list[Source]:
    """Return the sources that an answer lists itself; their texts are those of the index."""
    return [Source(one.number, "", one.path, one.start_line, one.end_line, "") for one in listed]


def _claims(passages: Sequence[Passage]) -> Iterator[Claim]:
    """Yield each passage with its citations: its own, else those of the lead-in that it stands under."""
    lead: tuple[Citation, ...] = ()
    lead_block = -1
    for passage in passages:
        is_fence = passage.form is Form.FENCE
        cited = find_citations(passage.text.partition("\n")[0][:MAX_FENCE_LINE] if is_fence else passage.text)
        own = cited.citations
        if passage.form is Form.HEADING or (passage.form is Form.PROSE and passage.block != lead_block):
            lead = ()
        inherited = lead if not own and passage.form in (Form.ITEM, Form.ROW, Form.FENCE) else ()
        yield Claim(passage, passage.text if is_fence else cited.text, own or inherited)
        if passage.text.rstrip().endswith(":") or (own and cited.text.rstrip().endswith(":")):
            lead, lead_block = own, passage.block
        elif passage.form is Form.PROSE and own:
            lead, lead_block = (own if passage.text.rstrip("*_ ").endswith(":") else ()), passage.block


def _summary(checked: Sequence[tuple[CheckedSentence, int]], *, truncated: bool) -> AnswerCheck:
    sentences = tuple(sentence for sentence, _ in checked)
    claims = [(one, good) for one, good in checked if one.verdict is not Verdict.NO_CLAIM]
    cited = sum(len(one.citations) for one, _ in claims)
    invented = (fault.text for one in sentences for fault in one.faults if fault.kind is FaultKind.INVENTED)
    return AnswerCheck(
        sentences=sentences,
        faithfulness=_share(sum(one.verdict is Verdict.SUPPORTED for one, _ in claims), len(claims)),
        citation_precision=_share(sum(good for _, good in claims), cited),
        citation_recall=_share(sum(good > 0 for _, good in claims), len(claims)),
        invented=tuple(dict.fromkeys(invented)),
        truncated=truncated,
    )


def _share(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 1.0
