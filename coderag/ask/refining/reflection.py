"""Evidence to whether an answer may rest on it (Self-RAG, arXiv 2310.11511): four questions, each by a rule.

retrieve     does it ask anything that files could say? Greetings and sums do not.
relevant     is a passage nearly as sure as the best, or does it hold a rare word of the question?
supported    do the cited lines say what the statement says? The checker of answers is asked.
useful       is each name that was asked for in what was found? Else it is looked up, once.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from coderag.ask.composing import Shelf, cited, numbered
from coderag.ask.findings.passages import findings_of_hits, source_of
from coderag.ask.models.judging import judgement
from coderag.ask.models.model import LanguageModel
from coderag.ask.records import Finding, Grade, Route
from coderag.ask.searching import searched
from coderag.ask.turn import Evidence, Turn
from coderag.ask.wording import names_in, stems_in
from coderag.errors import LanguageModelError
from coderag.record import record
from coderag.text.budget import tokens_of
from coderag.text.tokens import stem

__all__ = ["reflect"]

GREETING = re.compile(
    r"""\s{0,9}(?:hi|hello|hey|thanks?|thank\ you|good\ (?:morning|evening|day)|bye|ok|okay)
        (?:\ (?:there|all|you|so|very|a|much|lot)){0,3}[\ ,.!]{0,9}""",
    re.IGNORECASE | re.VERBOSE,
)
SUM = re.compile(
    r"(?:what is |how much is |calculate )?[\d .()]{1,40}[+*/^%-][\d .+*/()^%-]{1,40}[ =?]{0,9}", re.IGNORECASE
)
RELEVANT = 0.05  # confidence of a passage that needs no rare word of the question
MIN_SHARE = 0.34  # of the question's weight, that a less sure passage must hold
FOUND_MORE = 2  # passages of the search for a missing name


@record
class _Reflection:
    """A part after it was judged, and what the trace says of it."""

    part: Evidence
    said: str


def reflect(turn: Turn) -> Turn:
    """Judge whether each part needs files, and whether what was found is relevant, supported and useful."""
    reflections = [_reflected(turn, part) for part in turn.parts]
    steps = [f"{reflection.part.text}: {reflection.said}" for reflection in reflections]
    return turn.after("reflect", *steps, evidence=[reflection.part for reflection in reflections])


def _reflected(turn: Turn, part: Evidence) -> _Reflection:
    if not _asks_for_files(part.text):
        return _Reflection(_refused(part), "nothing that files could say is asked")
    if part.grade is Grade.INCORRECT or not part.findings:
        return _Reflection(part, "nothing to judge")
    if turn.model is not None:
        try:
            return _by_model(part, k=turn.options.k, model=turn.model)
        except LanguageModelError as error:
            by_rules = _by_rules(turn, part)
            return replace(by_rules, said=f"by rules, as {turn.model.name} failed ({error}); {by_rules.said}")
    return _by_rules(turn, part)


def _asks_for_files(text: str) -> bool:
    return not (GREETING.fullmatch(text) or SUM.fullmatch(text))


def _by_rules(turn: Turn, part: Evidence) -> _Reflection:
    passages = [finding for finding in part.findings if not finding.is_fact]
    relevant = [finding for finding in passages if _is_relevant(turn, part, finding)]
    supported = [finding for finding in relevant if _is_supported(turn, finding)]
    missing = _missing(turn, part, supported)
    more = _more(turn, missing, supported)
    kept = [*supported, *more, *(finding for finding in part.findings if finding.is_fact)]
    summary = f"{len(relevant)} of {len(passages)} passages relevant, {len(supported)} supported; " + (
        f"looked up: {', '.join(missing)}, {len(more)} found" if missing else "all names that were asked for are there"
    )
    if not kept:
        return _Reflection(_refused(part), summary)
    return _Reflection(_kept(part, kept), summary)


def _by_model(part: Evidence, *, k: int, model: LanguageModel) -> _Reflection:
    """Return what a language model judges; it may only leave out, as nobody checks what it would add."""
    passages = [finding for finding in part.findings if not finding.is_fact][:k]
    judged = judgement(part.text, passages, model)
    kept = [finding for number, finding in enumerate(passages, 1) if number in judged.relevant & judged.supported]
    facts = [finding for finding in part.findings if finding.is_fact]
    summary = f"by {model.name}: {len(judged.relevant)} relevant, {len(judged.supported)} supported"
    if not judged.retrieve or not judged.useful or not [*kept, *facts]:
        return _Reflection(_refused(part), f"{summary}; they do not answer it")
    return _Reflection(_kept(part, [*kept, *facts]), summary)


def _kept(part: Evidence, findings: Sequence[Finding]) -> Evidence:
    """Return a part with some findings, and the hits that they are of."""
    places = {(finding.source.repository, finding.source.place) for finding in findings}
    sources = ((hit, source_of(hit.chunk)) for hit in part.hits)
    hits = tuple(hit for hit, source in sources if (source.repository, source.place) in places)
    return replace(part, findings=tuple(findings), hits=hits)


def _refused(part: Evidence) -> Evidence:
    return replace(part, findings=(), sql="", sql_origin="", grade=Grade.INCORRECT)


def _is_relevant(turn: Turn, part: Evidence, finding: Finding) -> bool:
    if finding.route in (Route.MAP, Route.DATA, Route.GRAPH) or finding.confidence >= RELEVANT:
        return True
    weights = turn.word_weights(part.text)
    text = f"{finding.source.text} {finding.source.name} {finding.source.path} {finding.text}"
    stems = stems_in(text.replace("_", " "))
    share = sum(weight for word, weight in weights.items() if stem(word.lower()) in stems)
    return share >= MIN_SHARE * sum(weights.values())


def _is_supported(turn: Turn, finding: Finding) -> bool:
    """Tell whether the checker finds no statement of a finding without support in its own sources."""
    shelf = Shelf(sum(tokens_of(source.text) for source in finding.sources))
    statement = numbered(finding, shelf)
    if statement is None:
        return False
    check = turn.index.check_answer(cited(statement), shelf.sources)
    return all(sentence.verdict != "unsupported" for sentence in check.sentences)


def _missing(turn: Turn, part: Evidence, findings: Sequence[Finding]) -> list[str]:
    """Return the names that are asked for, that the index defines, and that no passage shows."""
    if part.routes[:1] and part.routes[0] is not Route.CODE:
        return []
    shown = " ".join(f"{finding.text} {finding.source.text} {finding.source.name}" for finding in findings)
    absent = [name for name in names_in(part.text) if name.rpartition(".")[2] not in shown]
    return [name for name in absent if turn.index.symbols(name, alike=False)]


def _more(turn: Turn, missing: Sequence[str], known: Sequence[Finding]) -> list[Finding]:
    places = {finding.source.place for finding in known}
    hits = [hit for name in missing for hit in searched(turn, name)[:FOUND_MORE]]
    found = findings_of_hits(hits, {}, route=Route.CODE)
    return [finding for finding in found if finding.source.place not in places]
