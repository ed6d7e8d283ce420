"""Names of code in a sentence: in the cited lines, elsewhere in the index, or invented."""

from __future__ import annotations

import re
from collections.abc import Sequence

from coderag.ask.checking.evidence import Evidence, Shown
from coderag.ask.checking.mentions import SEPARATOR, Mention, MentionKind, last_part
from coderag.ask.checking.records import Fault, FaultKind, Severity
from coderag.ask.checking.vocabulary import BRANDS, EVERYWHERE
from coderag.errors import CoderagError
from coderag.graph.queries.locations import Location
from coderag.graph.records import NodeKind
from coderag.text.inflection import plural, singular

__all__ = ["Confirmed", "check_name", "check_path", "is_shown", "shown_words"]

WORD = re.compile(r"\w+")
OWNERS = frozenset({"class", "interface", "trait", "struct", "enum", "type", "table", "view"})
# True: confirmed; False: it says nothing; a fault: why not.
Confirmed = bool | Fault


def shown_words(shown: Sequence[Shown]) -> frozenset[str]:
    """Return the words of what citations show, with the names around it."""
    return frozenset(word for one in shown for text in (one.text, *one.names) for word in WORD.findall(text))


def is_shown(name: str, words: frozenset[str]) -> bool:
    """Tell whether the parts of a name, or of its singular or plural, are among the words."""
    return all(_has(part, words) for part in _parts(name))


def _has(part: str, words: frozenset[str]) -> bool:
    if part in words:
        return True
    return len(part) > 3 and (singular(part) in words or plural(part) in words)


def _parts(name: str) -> list[str]:
    return [part for part in SEPARATOR.split(name) if part and part not in ("self", "this", "cls")]


def check_name(mention: Mention, words: frozenset[str], evidence: Evidence) -> Confirmed:
    """Return whether a name is shown; a fault where it is only elsewhere, or nowhere."""
    name, parts = mention.text, _parts(mention.text)
    if not parts or (len(parts) == 1 and name.lower() in EVERYWHERE | BRANDS):
        return name in words
    if len(parts) > 1 and (fault := _not_a_member(name, parts, evidence)):
        return fault
    if is_shown(name, words):
        return True
    if len(parts) > 1 and _has(parts[-1], words) and _meant(name, evidence):
        return True
    unknown = [part for part in parts if evidence.exists(part) is False and not _exists_inflected(part, evidence)]
    if not unknown:
        return Fault(
            FaultKind.NOT_SHOWN,
            name,
            f"{name} exists, and the cited lines do not have it",
            Severity.WARNING,
            place=evidence.where(name),
        )
    if len(unknown) < len(parts) and parts[0] in unknown and _is_module(name, evidence):
        return True
    return _invented(name, evidence)


def _exists_inflected(part: str, evidence: Evidence) -> bool:
    others = {singular(part), plural(part)} - {part}
    return len(part) > 3 and any(evidence.exists(other) for other in others)


def _invented(name: str, evidence: Evidence) -> Fault:
    nearest = evidence.nearest(name)
    place = evidence.where(nearest) if nearest else ""
    return Fault(FaultKind.INVENTED, name, f"{name} is nowhere in the index", place=place, suggestion=nearest)


def _meant(name: str, evidence: Evidence) -> tuple[Location, ...]:
    try:
        return evidence.index.meanings(name).chosen
    except CoderagError:
        return ()


def _is_module(name: str, evidence: Evidence) -> bool:
    """Tell whether a dotted name is that of an indexed file: shop.payments.retry."""
    ending = "/" + "/".join(_parts(name))
    return any(f"/{path.rpartition('.')[0]}".endswith(ending) for path in evidence.paths)


def _not_a_member(name: str, parts: Sequence[str], evidence: Evidence) -> Fault | None:
    """Return the fault of `Owner.member` where the owner is known and has no such member, not even inherited."""
    if _meant(name, evidence) or _is_module(name, evidence):
        return None
    owners = [one for one in _meant(parts[-2], evidence) if one.kind in OWNERS]
    owners = [owner for owner in owners if last_part(owner.name) == parts[-2]]
    if not owners:
        return None
    if (
        any(owner.kind in (NodeKind.TABLE, NodeKind.VIEW) for owner in owners)
        and evidence.exists(parts[-1]) is not False
    ):
        columns = [
            column.name
            for owner in owners
            for number in evidence.index.catalog.find(owner.name)
            for column in evidence.index.catalog.tables[number].columns
        ]
        if not columns or parts[-1].lower() in map(str.lower, columns):
            return None
        return Fault(
            FaultKind.INVENTED, name, f"{parts[-2]} has no column {parts[-1]}", suggestion=_like(parts[-1], columns)
        )
    bodies = [evidence.text(owner.path, owner.line, owner.end_line) for owner in owners]
    if any(parts[-1] in WORD.findall(body) for body in bodies) or _inherits(bodies, parts[-1], evidence):
        return None
    return _invented(name, evidence)


def _inherits(bodies: Sequence[str], member: str, evidence: Evidence) -> bool:
    """Tell whether a base that the first lines of a type name has a member, or may have one that is not indexed."""
    for body in bodies:
        for base in dict.fromkeys(WORD.findall(body[:300].partition("\n")[0])[2:]):
            for one in _meant(base, evidence):
                text = evidence.text(one.path, one.line, one.end_line)
                if one.kind in OWNERS and member in WORD.findall(text):
                    return True
    return False


def _like(name: str, names: Sequence[str]) -> str:
    from rapidfuzz import process

    nearest = process.extractOne(name, names, score_cutoff=50)
    return str(nearest[0]) if nearest else ""


def check_path(mention: Mention, shown: Sequence[Shown], evidence: Evidence) -> Confirmed:
    """Return whether a path, route or flag is shown, or why not."""
    text = mention.text.strip()
    bare = text.rstrip("/")
    if any(bare in one.text or bare in one.path for one in shown):
        return True
    is_folder = any(f"/{path}/".find(f"/{bare.strip('/')}/") >= 0 for path in evidence.paths) if bare else True
    if mention.kind is MentionKind.PATH and (is_folder or evidence.path_of(bare)):
        return Fault(FaultKind.NOT_SHOWN, text, f"{text} exists, and is not cited", Severity.WARNING)
    wanted = bare.partition(" ")[2] or bare
    if (
        mention.marked
        and mention.kind is MentionKind.PATH
        and not text.startswith("/")
        and _is_no_file(wanted, evidence)
    ):
        return Fault(FaultKind.LITERAL, text, "the cited lines do not have this text")
    if evidence.exists(wanted) is not False or _matches_route(wanted, evidence):
        return Fault(FaultKind.NOT_SHOWN, text, f"{text} exists, and the cited lines do not have it", Severity.WARNING)
    return _unknown_path(text, wanted, evidence)


def _unknown_path(text: str, wanted: str, evidence: Evidence) -> Fault:
    known = [path for path in evidence.paths if path.rpartition("/")[2][:3] == wanted.rpartition("/")[2][:3]]
    return Fault(
        FaultKind.INVENTED, text, f"{text} is nowhere in the index", suggestion=_like(wanted, known) if known else ""
    )


def _is_no_file(text: str, evidence: Evidence) -> bool:
    """Tell whether words with a slash, such as image/png, look like no path of the index."""
    return (
        "." not in text and "/" in text and not any(path.startswith(text.partition("/")[0]) for path in evidence.paths)
    )


def _matches_route(text: str, evidence: Evidence) -> bool:
    """Tell whether an address differs from a known one only in the names of its parameters."""
    if not text.startswith("/") or "." in text.rpartition("/")[2]:
        return False
    fixed = [part for part in re.split(r"[/?]", text) if part and part[0] not in "{<:*" and not part.isdigit()]
    return bool(fixed) and all(evidence.exists(part) is not False for part in fixed)
