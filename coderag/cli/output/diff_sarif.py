"""What a change touches, as SARIF 2.1.0 (OASIS), which code hosts and editors show at the lines of files."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any
from urllib.parse import quote

from coderag._version import __version__
from coderag.cli.output.diff_text import change_text, summary_of
from coderag.graph.changes.records import Changed, DiffImpact, How
from coderag.graph.queries.reach import Affected
from coderag.graph.records import NodeKind

__all__ = ["MAX_RESULTS", "diff_sarif"]

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
ROOT = "%SRCROOT%"  # what code hosts call the top of the repository
MAX_RESULTS = 5_000  # that GitHub takes of a run
SURE = 0.9  # confidence of what is a warning


@dataclass(frozen=True, slots=True)
class _Rule:
    id: str
    level: str
    text: str


BROKEN = _Rule("broken-reference", "error", "A place still names what the change removed or renamed.")
AFFECTED = _Rule("affected", "warning", "Depends on what changed.")
POSSIBLY = _Rule("possibly-affected", "note", "May depend on what changed: it is one of several candidates.")
CHANGED = _Rule("changed", "note", "A definition, table or column that changed.")
RULES = (BROKEN, AFFECTED, POSSIBLY, CHANGED)


@dataclass(frozen=True, slots=True)
class _Result:
    rule: _Rule
    level: str
    text: str
    path: str
    line: int = 0  # 1-based; 0 for a file as a whole
    end_line: int = 0
    properties: dict[str, Any] | None = None


def diff_sarif(found: DiffImpact) -> str:
    """Return what a change touches as a log of one run; what has no place in a file is counted in its properties."""
    results = list(_results(found))
    placed = [result for result in results if result.path][:MAX_RESULTS]
    run = {
        "tool": {"driver": {"name": "coderag", "semanticVersion": __version__, "rules": list(map(_rule, RULES))}},
        "originalUriBaseIds": {ROOT: {"description": {"text": "The root that was indexed."}}},
        "columnKind": "unicodeCodePoints",
        "results": list(map(_result, placed)),
        "properties": {
            "change": _printable(found.title),
            "summary": summary_of(found),
            "leftOut": len(results) - len(placed),
            "testsToRunFirst": [_printable(test.id) for test in found.tests],
        },
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1)


def _results(found: DiffImpact) -> Iterator[_Result]:
    """Yield what broke, what changed, and what depends on that."""
    for broken in found.broken:
        level = "error" if broken.certain else "warning"
        text = f"{broken.name} is gone, and {broken.within or 'this file'} {'' if broken.certain else 'may '}still "
        yield _Result(BROKEN, level, f"{text}name{'s' if broken.certain else ''} it.", broken.path, broken.line)
    for change in (*found.data, *found.changed):
        yield _of_change(change)
    for one in found.affected:
        level = "warning" if one.confidence >= SURE and one.distance == 1 else "note"
        yield _of_affected(one, AFFECTED, level)
    for one in found.possibly:
        yield _of_affected(one, POSSIBLY, "note")


def _of_change(changed: Changed) -> _Result:
    name = changed.spot.path if changed.spot.kind is NodeKind.FILE else f"{changed.spot.kind} {changed.spot.name}"
    # What is gone has no line any longer.
    lines = (0, 0) if changed.how is How.REMOVED else (changed.spot.line, changed.spot.end_line)
    return _Result(CHANGED, "note", f"{name}: {change_text(changed)}.", changed.spot.path, *lines)


def _of_affected(affected: Affected, rule: _Rule, level: str) -> _Result:
    name = affected.spot.path if affected.spot.kind is NodeKind.FILE else f"{affected.spot.kind} {affected.spot.name}"
    text = f"{name} {affected.why}; {affected.way[0]} changed ({affected.confidence:.0%})."
    properties = {
        "distance": affected.distance,
        "confidence": affected.confidence,
        "way": list(map(_printable, affected.way)),
    }
    return _Result(rule, level, text, affected.path, affected.line, properties=properties)


def _rule(rule: _Rule) -> dict[str, Any]:
    words = "".join(word.capitalize() for word in rule.id.split("-"))
    return {
        "id": rule.id,
        "name": words,
        "shortDescription": {"text": rule.text},
        "defaultConfiguration": {"level": rule.level},
    }


def _result(result: _Result) -> dict[str, Any]:
    location: dict[str, Any] = {"artifactLocation": {"uri": _uri(result.path), "uriBaseId": ROOT}}
    if result.line:
        location["region"] = {"startLine": result.line} | (
            {"endLine": result.end_line} if result.end_line > result.line else {}
        )
    seen = "\0".join((result.rule.id, result.path, result.text)).encode("utf-8", "surrogateescape")
    return {
        "ruleId": result.rule.id,
        "ruleIndex": RULES.index(result.rule),
        "level": result.level,
        "message": {"text": _printable(result.text)},
        "locations": [{"physicalLocation": location}],
        # The same finding keeps its identity where lines move.
        "partialFingerprints": {"coderag/v1": blake2b(seen, digest_size=16).hexdigest()},
        **({"properties": result.properties} if result.properties else {}),
    }


def _uri(path: str) -> str:
    """Return a path as a relative reference (RFC 3986); a colon is quoted too, as it would end a scheme."""
    return quote(os.fsencode(path), safe="/~")


def _printable(text: str) -> str:
    """Return a text that is valid UTF-8: names of files may be any bytes."""
    return text.encode("utf-8", "replace").decode()
