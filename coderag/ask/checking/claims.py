"""One sentence with its citations to its verdict: every check of it, and what they add up to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from itertools import islice

from coderag.ask.checking.evidence import Evidence, Shown
from coderag.ask.checking.mentions import Mention, MentionKind, content_stems, find_mentions, last_part, names_in
from coderag.ask.checking.names import Confirmed, check_name, check_path, is_shown, shown_words
from coderag.ask.checking.numbers import Amount, amounts_in, is_stated, value_of
from coderag.ask.checking.quotes import Likeness, likeness
from coderag.ask.checking.records import CheckedSentence, Citation, Fault, FaultKind, Severity, Verdict
from coderag.ask.checking.relations import Truth, find_relations, look_up
from coderag.ask.checking.sentences import Form, Passage
from coderag.ask.checking.statements import is_sql, sql_faults
from coderag.ask.checking.vocabulary import EVERYWHERE
from coderag.record import record
from coderag.text.tokens import words
from coderag.types import Chunk

__all__ = ["Claim", "check_claim"]

MIN_STEMS = 4  # words that say something, which make a sentence without names a claim
MIN_KNOWN_STEMS = 3  # of words that the cited sources have
HALF = 0.5  # share of the words of a sentence in the cited lines that is enough
MUCH_MORE = 0.4  # by which the share of other code exceeds it, where the cited lines are the wrong ones
MAX_CALLS = 20  # of one name in a source
MAX_ARGUMENTS = 300  # characters behind the name of a call
LITTLE = 0.2  # share of the words of a sentence in the cited lines, where a name is there too
FEW = 0.34  # where none is
MAX_LINES = 400  # of a fenced block that are looked for one by one
# What a writer says of the answer itself.
ABOUT_ITSELF = re.compile(
    r"\s*(?:i |i'|we |let me|let's|here (?:is|are)\b|see\b|sources?:|references?:|hope\b|sure\b"
    r"|you (?:can|could|may|should)\b"
    r"|(?:none of )?the (?:given |provided |cited )?(?:sources?|excerpts?|snippets?|context)\b[^.]{0,40}"
    r"\b(?:not|no|nothing)\b)",
    re.I,
)
SERIOUS = frozenset({FaultKind.RELATION, FaultKind.SQL, FaultKind.QUOTE, FaultKind.ELSEWHERE})
SQL_LANGUAGES = frozenset({"sql", "sqlite", "postgresql", "mysql"})  # of a fence
COMMENT = re.compile(r"\s*(?:#|//|--|/\*|\*|<!--)")
IS_VALUE = re.compile(
    r"\s{0,20}(?:[(=:]\s{0,20})?(?:(?:is|are|was|of|at|to|be|by|as|equals?|currently|which|constant|limit|default|defaults"
    r"|set|fixed|value|its|the|a|and|stands|means)\s{1,20}){0,5}$",
    re.I,
)
NAMED_BEHIND = re.compile(r"\s?%?\s?[\w-]{0,20}\s?[(,]\s?(?:the\s|see\s|via\s|by\s)?$")


@record
class Claim:
    """A passage, its text without citations, and what it cites."""

    passage: Passage
    text: str
    citations: tuple[Citation, ...]

    def shown_stems(self, evidence: Evidence) -> frozenset[str]:
        """Return the stems of what it cites."""
        return _stems([evidence.shown(citation) for citation in self.citations])


@record
class _Outcome:
    """What the checks of a sentence found: faults, and how many things were confirmed."""

    faults: tuple[Fault, ...] = ()
    confirmed: int = 0


def check_claim(claim: Claim, evidence: Evidence, domain: frozenset[str]) -> tuple[CheckedSentence, int]:
    """Return the sentence with its verdict, and how many of its citations carry something of it."""
    shown = [evidence.shown(citation) for citation in claim.citations]
    citations = tuple(replace(one.citation, valid=not one.fault) for one in shown)
    valid = [one for one in shown if not one.fault]
    outcome, verdict = _judge(claim, shown, valid, evidence, domain)
    passage = claim.passage
    sentence = CheckedSentence(
        passage.text, passage.line, passage.start, passage.end, verdict, citations, outcome.faults
    )
    good = 0
    if verdict in (Verdict.SUPPORTED, Verdict.PARTLY):
        stems = content_stems(claim.text)
        good = sum(bool(stems & _stems([one])) or not stems for one in valid)
    return sentence, good


def _judge(
    claim: Claim, shown: Sequence[Shown], valid: Sequence[Shown], evidence: Evidence, domain: frozenset[str]
) -> tuple[_Outcome, Verdict]:
    if claim.passage.form is Form.FENCE:
        return _fence(claim, valid, shown, evidence)
    mentions = find_mentions(claim.text)
    if not claim.citations:
        if not _claims_something(claim, mentions, domain):
            return _Outcome(), Verdict.NO_CLAIM
        return _uncited(claim, mentions, evidence), Verdict.UNCITED
    broken = tuple(_citation_faults(shown, evidence))
    if not valid:
        return _Outcome(broken), Verdict.UNSUPPORTED
    outcome = _checked(claim, mentions, valid, evidence)
    outcome = _Outcome((*broken, *outcome.faults), outcome.confirmed)
    return outcome, _verdict(outcome)


def _verdict(outcome: _Outcome) -> Verdict:
    errors = [fault for fault in outcome.faults if fault.severity is Severity.ERROR]
    if not errors:
        return Verdict.SUPPORTED
    if any(fault.kind in SERIOUS for fault in errors) or not outcome.confirmed:
        return Verdict.UNSUPPORTED
    return Verdict.PARTLY


def _claims_something(claim: Claim, mentions: Sequence[Mention], domain: frozenset[str]) -> bool:
    """Tell whether a sentence without citation says something that a source could confirm."""
    text = claim.text.strip().rstrip("*_ ")
    if claim.passage.form is Form.HEADING or text.endswith(("?", ":")) or ABOUT_ITSELF.match(text):
        return False
    if any(mention.kind is not MentionKind.NUMBER or not mention.loose for mention in mentions):
        return claim.passage.form is not Form.ROW or len(mentions) > 1
    stems = content_stems(text)
    return len(stems & domain) >= MIN_KNOWN_STEMS or (len(stems) >= MIN_STEMS and len(words(text)) >= 2 * MIN_STEMS)


def _uncited(claim: Claim, mentions: Sequence[Mention], evidence: Evidence) -> _Outcome:
    """Return that a claim cites nothing, with the names in it that are nowhere."""
    faults = [Fault(FaultKind.UNCITED, claim.text.strip()[:200], "it claims something, and cites nothing")]
    for mention in mentions:
        support = _confirm(mention, [], frozenset(), evidence)
        if isinstance(support, Fault) and support.kind is FaultKind.INVENTED:
            faults.append(support)
    return _Outcome(tuple(faults))


def _citation_faults(shown: Sequence[Shown], evidence: Evidence) -> Iterator[Fault]:
    for one in shown:
        text = one.citation.text
        if one.fault:
            kind = FaultKind.CITATION if one.citation.number else FaultKind.SPAN
            yield Fault(kind, text, one.fault, suggestion=_likely_path(one.citation.path, evidence))
        elif one.stale:
            message = f"{one.path} changed since it was indexed; its lines may be others"
            yield Fault(FaultKind.STALE, text, message, Severity.WARNING, place=one.path)


def _likely_path(path: str, evidence: Evidence) -> str:
    """Return the indexed path that is spelled most like one that is not, "" for none."""
    if not path or evidence.path_of(path):
        return ""
    own = path.rpartition("/")[2]
    return next((known for known in evidence.paths if known.rpartition("/")[2] == own), "")


def _checked(claim: Claim, mentions: Sequence[Mention], valid: Sequence[Shown], evidence: Evidence) -> _Outcome:
    """Return what every check of a cited sentence finds."""
    known = shown_words(valid)
    found = [(mention, _confirm(mention, valid, known, evidence)) for mention in mentions]
    faults = [fault for _, fault in found if isinstance(fault, Fault)]
    confirmed = sum(one is True for _, one in found)
    relations = [(one, look_up(one, evidence)) for one in find_relations(claim.text, mentions)]
    for relation, truth in relations:
        if truth is Truth.CONTRADICTED:
            says = "does" if relation.negated else "does not"
            message = f"by graph and schema it {says}: {relation.text}"
            place = evidence.where(relation.subjects[0])
            faults.append(Fault(FaultKind.RELATION, relation.text, message, place=place))
    related = {
        name
        for relation, truth in relations
        if truth is Truth.SUPPORTED
        for name in (*relation.subjects, relation.object)
    }
    faults = [_nowhere_near(fault, related, valid, evidence) for fault in faults]
    faults += _wrong_values(claim.text, mentions, valid, evidence)
    if fault := _elsewhere(claim, found, related, valid, evidence):
        faults.append(fault)
    confirmed += any(truth is Truth.SUPPORTED for _, truth in relations)
    confirmed += len(content_stems(claim.text) & _stems(valid)) > 1
    return _Outcome(tuple(dict.fromkeys(faults)), confirmed)


def _nowhere_near(fault: Fault, related: set[str], valid: Sequence[Shown], evidence: Evidence) -> Fault:
    """Return a fault as an error where what is not shown is in no cited file, and nothing ties it to the sentence."""
    if fault.kind is not FaultKind.NOT_SHOWN or fault.text in related or "/" in fault.text:
        return fault
    last = re.split(r"\.|::|->", fault.text)[-1]
    near = any(last in words("\n".join(evidence.lines(one.path).values())) for one in valid)
    if near or _leads_to(fault.text, valid, evidence) or fault.text.startswith("-"):
        return fault
    return replace(fault, severity=Severity.ERROR)


def _confirm(mention: Mention, valid: Sequence[Shown], known: frozenset[str], evidence: Evidence) -> Confirmed:
    if mention.kind is MentionKind.NAME:
        return check_name(mention, known, evidence)
    if mention.kind in (MentionKind.PATH, MentionKind.FLAG):
        return check_path(mention, valid, evidence)
    if not valid:
        return False
    if mention.kind is MentionKind.QUOTE:
        return _quote(mention, valid, known, evidence)
    if mention.kind is MentionKind.LITERAL:
        return _literal(mention, valid)
    return _number(mention, valid)


def _quote(mention: Mention, valid: Sequence[Shown], known: frozenset[str], evidence: Evidence) -> Confirmed:
    best = {likeness(mention.text, one.text) for one in valid}
    if Likeness.EXACT in best or Likeness.NEAR in best:
        return True
    names = [name for name in names_in(mention.text) if name.lower() not in EVERYWHERE]
    if mention.loose and any(_is_call_of(mention.text, one.text) for one in valid):
        return True
    if is_sql(mention.text):
        if wrong := sql_faults(mention.text, evidence):
            return wrong[0]
        return all(is_shown(name, known) for name in names)
    place = _place(valid)
    return Fault(FaultKind.QUOTE, mention.text, "the cited lines do not have these words", place=place)


def _is_call_of(call: str, text: str) -> bool:
    """Tell whether a call has the arguments, or some of the parameters, of one in a text: `attempt(payment)`."""
    head, _, inside = call.partition("(")
    name = last_part(head)
    for match in islice(re.finditer(rf"(?<!\w){re.escape(name)}\s?\(", text), MAX_CALLS):
        given = words(text[match.end() : match.end() + MAX_ARGUMENTS].partition("\n\n")[0])
        left = iter(given)
        if all(word in left for word in words(inside)):
            return True
    return False


def _literal(mention: Mention, valid: Sequence[Shown]) -> Confirmed:
    text = mention.text
    if any(likeness(text.casefold(), one.text.casefold()) is not Likeness.NONE for one in valid):
        return True
    return Fault(FaultKind.LITERAL, text, "the cited lines do not have this text", place=_place(valid))


def _number(mention: Mention, valid: Sequence[Shown]) -> Confirmed:
    value = value_of(mention.text)
    if is_stated(Amount(value, mention.unit), _amounts(valid)):
        return True
    if mention.loose and (not mention.unit or value < 3):
        return False
    return Fault(FaultKind.NUMBER, mention.text, "the cited lines do not have this number", place=_place(valid))


def _amounts(valid: Sequence[Shown]) -> frozenset[float]:
    known = frozenset(one for shown in valid for text in (shown.text, *shown.names) for one in amounts_in(text))
    lines = {float(number) for shown in valid for number in (shown.start_line, shown.end_line)}
    return known | lines if any(shown.citation.path for shown in valid) else known


def _wrong_values(
    text: str, mentions: Sequence[Mention], valid: Sequence[Shown], evidence: Evidence
) -> Iterator[Fault]:
    """Yield the numbers that a sentence gives for a constant whose definition has another."""
    names = [mention for mention in mentions if mention.kind is MentionKind.NAME]
    for number in (mention for mention in mentions if mention.kind is MentionKind.NUMBER):
        before = [one for one in names if one.end <= number.start and IS_VALUE.match(text[one.end : number.start])]
        behind = [one for one in names if one.start >= number.end and NAMED_BEHIND.match(text[number.end : one.start])]
        for name in (*before[-1:], *behind[:1]):
            values = _assigned(name.text, valid, evidence)
            if values and not is_stated(Amount(value_of(number.text), number.unit), values):
                message = f"{name.text} has another value"
                yield Fault(FaultKind.NUMBER, number.text, message, place=evidence.where(name.text))


def _assigned(name: str, valid: Sequence[Shown], evidence: Evidence) -> frozenset[float]:
    """Return the numbers that a constant is set to, in the cited lines or where it is defined."""
    last = re.split(r"\.|::", name)[-1]
    pattern = re.compile(rf"(?<!\w){re.escape(last)}\s?(?::[^=\n]{{1,40}})?=(?!=)\s?([^\n#]{{1,120}})")
    texts = [one.text for one in valid]
    path, _, line = evidence.where(name).rpartition(":")
    if path:
        texts.append(evidence.text(path, int(line), int(line) + 1))
    matches = [match[1] for text in texts for match in pattern.finditer(text)]
    if not matches or any(not re.match(r"[\d\s*+_().A-Z/-]+,?\s*$", value) for value in matches):
        return frozenset()
    return frozenset(value for text in matches for value in amounts_in(text))


def _elsewhere(
    claim: Claim,
    found: Sequence[tuple[Mention, Confirmed]],
    related: set[str],
    valid: Sequence[Shown],
    evidence: Evidence,
) -> Fault | None:
    """Return that the cited lines are about something else: they have neither the subject nor the words."""
    names = [(mention, one) for mention, one in found if mention.kind is MentionKind.NAME]
    if names and isinstance(names[0][1], Fault) and names[0][1].kind is FaultKind.NOT_SHOWN:
        subject = names[0][0].text
        if subject not in related and not _leads_to(subject, valid, evidence):
            message = f"the cited lines do not have {subject}"
            return Fault(FaultKind.ELSEWHERE, subject, message, place=evidence.where(subject))
    stems = content_stems(claim.text)
    if not stems:
        return None
    share = len(stems & _stems(valid)) / len(stems)
    least = LITTLE if any(one is True for _, one in names) else FEW
    if related or share >= HALF or (share >= least and names):
        return None
    if not _is_better_told(claim, evidence, stems=stems, valid=valid, share=share, least=least):
        return None
    return Fault(
        FaultKind.ELSEWHERE, claim.text.strip()[:200], "the cited lines have hardly a word of it", place=_place(valid)
    )


def _is_better_told(
    claim: Claim, evidence: Evidence, *, stems: Set[str], valid: Sequence[Shown], share: float, least: float
) -> bool:
    """Tell whether a search finds other lines for a claim, with many more of its words than the cited ones."""
    hits = evidence.hits(claim.text)
    if hits is None:
        return False
    others = [hit for hit in hits if not any(_overlap(hit, one) for one in valid)]
    best = max((len(stems & content_stems(f"{hit.text} {hit.path}")) / len(stems) for hit in others), default=0.0)
    is_far = share < least and len(others) == len(hits)  # a search finds none of the cited lines
    return is_far or best >= share + MUCH_MORE


def _overlap(hit: Chunk, one: Shown) -> bool:
    return hit.path == one.path and hit.span.start_line <= one.end_line and one.start_line <= hit.span.end_line


def _leads_to(name: str, valid: Sequence[Shown], evidence: Evidence) -> bool:
    """Tell whether the definition of a name mentions something that the cited lines define."""
    path, _, line = evidence.where(name).rpartition(":")
    if not path:
        return False
    spans = [one.span for one in evidence.symbols(path) if one.span.start_line == int(line)]
    body = frozenset(words(evidence.text(path, int(line), max((span.end_line for span in spans), default=int(line)))))
    defined = {
        symbol.name
        for one in valid
        for symbol in evidence.symbols(one.path)
        if symbol.span.start_line >= one.start_line and symbol.span.end_line <= one.end_line
    }
    return bool(defined & body)


def _stems(valid: Sequence[Shown]) -> frozenset[str]:
    return frozenset(stem for one in valid for stem in content_stems(" ".join((one.text, *one.names))))


def _place(valid: Sequence[Shown]) -> str:
    return f"{valid[0].path}:{valid[0].start_line}-{valid[0].end_line}" if valid else ""


def _fence(
    claim: Claim, valid: Sequence[Shown], shown: Sequence[Shown], evidence: Evidence
) -> tuple[_Outcome, Verdict]:
    """Judge a fenced block: SQL by the schema, what is cited as a quote; other code claims nothing."""
    code = claim.passage.text
    texts = "\n".join(one.text for one in valid)
    if valid and likeness(code, texts) is not Likeness.NONE:
        return _Outcome(confirmed=1), Verdict.SUPPORTED
    is_statement = is_sql(code)
    if is_statement or claim.passage.language in SQL_LANGUAGES:
        wrong = tuple(sql_faults(code, evidence)) if is_statement else ()
        if wrong:
            return _Outcome(wrong), Verdict.UNSUPPORTED
        is_checked = is_statement and len(evidence.index.catalog) > 0
        return _Outcome(confirmed=1), Verdict.SUPPORTED if is_checked else Verdict.NO_CLAIM
    if not claim.citations:
        return _Outcome(), Verdict.NO_CLAIM
    broken = tuple(_citation_faults(shown, evidence))
    if not valid:
        return _Outcome(broken), Verdict.UNSUPPORTED
    lines = [line for line in code.splitlines()[:MAX_LINES] if line.strip() and not COMMENT.match(line)]
    wrong_lines = [line for line in lines if not _is_gap(line) and likeness(line, texts) is Likeness.NONE]
    faults = [
        Fault(FaultKind.QUOTE, line.strip(), "the cited lines do not have this line", place=_place(valid))
        for line in wrong_lines
    ]
    outcome = _Outcome((*broken, *faults), len(lines) - len(wrong_lines))
    return outcome, Verdict.PARTLY if faults and outcome.confirmed > len(faults) else _verdict(outcome)


def _is_gap(line: str) -> bool:
    return not line.strip(" \t.…#/*-{}()[];,")
