"""`symbol`: a name to its definition, what refers to it, what a change of it affects, or how it leads to another."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from typing import Any

from msgspec.structs import replace as replaced

from coderag.api.index import Index
from coderag.errors import CoderagError, QueryError
from coderag.graph.queries.impact import Affected
from coderag.graph.queries.locations import Location
from coderag.graph.queries.refs import FOLDED, Group, Reference, References, Role
from coderag.graph.records import Certainty, NodeKind
from coderag.serve.answer import Answer
from coderag.serve.answers.search import body_text
from coderag.serve.arguments import SymbolArguments, words
from coderag.serve.page import Page
from coderag.serve.places import Places, freshness
from coderag.serve.workspace import View, Workspace
from coderag.text.counted import counted
from coderag.text.visible import visible
from coderag.types import Chunk, Symbol

__all__ = ["symbol"]

DEFINITIONS = 20  # of a name
LAST_TOKENS = 60
SUMMARY = 3  # references of each group beside a definition
MEMBERS = 6  # columns that are named with what uses a table
SURE = 0.995  # a confidence above it is not worth a mention
CALLING = frozenset({Role.CALLERS, Role.DISPATCHED, Role.ROUTES, Role.TESTS})
IMPLEMENTING = frozenset({Role.HEIRS, Role.OVERRIDDEN})
CALLABLE = frozenset({NodeKind.FUNCTION, NodeKind.METHOD})
WANTED: Mapping[str, Collection[Role]] = {
    "references": frozenset(Role),
    "callers": CALLING,
    "implementations": IMPLEMENTING,
}


def symbol(workspace: Workspace, arguments: SymbolArguments) -> Answer:
    """Return what is asked of a name; raises QueryError where a path leads nowhere that is named."""
    if (arguments.what == "path") != bool(arguments.to):
        raise QueryError('symbol: give "to", the name where the path leads to, with what "path" and only then')
    view = workspace.view()
    if arguments.what == "definition":
        return _definition(workspace, view, arguments)
    view = workspace.with_graph(view)
    page = Page(arguments.budget)
    page.keep(LAST_TOKENS)
    answer = {"impact": _impact, "path": _path}.get(arguments.what, _references)
    record = answer(page, view, arguments)
    if record is None:
        record = {}
        page.add(_unknown(view.index, arguments.name))
    return Answer(page.finished([freshness(view)]), {**record, "notes": list(view.notes)})


def _unknown(index: Index, name: str) -> str:
    alike = index.names_like(name)
    meant = f"; did you mean {' or '.join(map(visible, alike))}?" if alike else ""
    return f"nothing is named {visible(name)!r}{meant}"


def _definition(workspace: Workspace, view: View, arguments: SymbolArguments) -> Answer:
    """Return the definitions of a name, the first of them whole, with what refers to it in brief."""
    index, places = view.index, Places(view)
    page = Page(arguments.budget)
    page.keep(LAST_TOKENS)
    definitions = _definitions(index, arguments)
    if not definitions and (record := _known_otherwise(page, workspace, arguments)) is not None:
        return Answer(page.finished([freshness(view)]), {"definitions": [], **record, "notes": list(view.notes)})
    if not definitions:
        alike = [visible(each.qualified_name) for each in index.symbols(arguments.name, k=3)]
        page.add(f"nothing is named {visible(arguments.name)!r}" + (f"; near: {', '.join(alike)}" if alike else ""))
    left = 0
    for number, (place, chunk) in enumerate(definitions):
        if chunk is not None and page.add(f"{_place_text(place, places)}\n{body_text(chunk)}\n"):
            if number == 0:
                _add_summary(page, workspace, view, place=place)
            continue
        left += not page.add(_place_text(place, places))
    last = [f"[{left} more definitions; narrow by path or kind, or raise the budget]"] if left else []
    places_found = [place for place, _ in definitions]
    record = {"definitions": [_symbol_record(place) for place in places_found], "notes": list(view.notes)}
    return Answer(page.finished([*last, freshness(view)]), record)


def _known_otherwise(page: Page, workspace: Workspace, arguments: SymbolArguments) -> dict[str, Any] | None:
    """Add what refers to a route, a column or a file, which has no definition; None if nothing has the name."""
    try:
        view = workspace.with_graph(workspace.view())
    except CoderagError:
        return None  # the graph is being made
    return _references(page, view, replaced(arguments, what="references"))


def _definitions(index: Index, arguments: SymbolArguments) -> list[tuple[Symbol, Chunk | None]]:
    """Return the definitions of a name that meet the filters, each with its chunk."""
    path, _, line = arguments.name.rpartition(":")
    if path and line.isdecimal():
        return _around(index, path, int(line))
    kinds = {kind.lower() for kind in words(arguments.kind)}
    symbols = index.symbols(arguments.name, k=DEFINITIONS, alike=False)
    if arguments.path:
        from coderag.search.query.query import make_query

        allowed = index.files(make_query("-", paths=words(arguments.path)))
        symbols = [each for each in symbols if (each.repository, each.path) in allowed]
    symbols = [each for each in symbols if not kinds or each.kind in kinds]
    return [(each, _chunk_of(index, each)) for each in symbols]


def _around(index: Index, path: str, line: int) -> list[tuple[Symbol, Chunk | None]]:
    """Return the innermost definition around a line of a file; raises QueryError for a file that is not indexed."""
    around = [chunk for chunk in index.chunks(path) if chunk.span.start_line <= line <= chunk.span.end_line]
    chunk = min(around, key=lambda one: one.span.end_line - one.span.start_line, default=None)
    if chunk is None:
        return []
    place = Symbol(
        chunk.name,
        chunk.qualified_name,
        chunk.kind,
        chunk.span,
        chunk.signature,
        chunk.doc,
        path=chunk.path,
        repository=chunk.repository,
    )
    return [(place, chunk)]


def _chunk_of(index: Index, place: Symbol) -> Chunk | None:
    """Return the chunk of a definition, None if it is a part of another's."""
    try:
        chunks = index.chunks(place.path, repository=place.repository)
    except QueryError:
        return None  # another root has a file of this path, or it went a moment ago
    same = [chunk for chunk in chunks if chunk.qualified_name == place.qualified_name]
    return next((chunk for chunk in same if chunk.span == place.span), same[0] if same else None)


def _add_summary(page: Page, workspace: Workspace, view: View, *, place: Symbol) -> None:
    """Add how often a definition is called, tested and so on, if its graph is there."""
    try:
        view = workspace.with_graph(view)
        answers = view.index.refs(f"{place.path}:{place.span.start_line}", shown=SUMMARY)
    except CoderagError:
        return  # the graph is being made, and the definition stands without
    places = Places(view)
    for references in answers[:1]:
        for group in references.groups:
            rows = [
                _reference_text(reference, role=group.role, references=references, places=places)
                for reference in group.references
            ]
            more = f" (+{group.total - len(rows):,})" if group.total > len(rows) else ""
            page.add(f"{group.role} {'; '.join(rows)}{more}")


def _references(page: Page, view: View, arguments: SymbolArguments) -> dict[str, Any] | None:
    """Add what refers to a name; None if nothing has it."""
    roles = WANTED[arguments.what]
    answers = view.index.refs(
        arguments.name, kinds=words(arguments.kind.lower()), paths=words(arguments.path), shown=None
    )
    if not answers:
        return None
    places = Places(view)
    for references in answers:
        page.add(_location_text(references.target, places, references.repository))
        groups = [group for group in references.groups if group.role in roles]
        if not groups:
            page.add(f"  no {arguments.what} are known")
        text = partial(_reference_text, references=references, places=places)
        sections = [(group.role, group.total, _rows(group, text)) for group in groups if group.role not in FOLDED]
        for group in groups:
            if group.role in FOLDED:
                page.add(f"  {group.role} without naming it: {counted(group.total, 'place')}")
        page.add_sections(sections, rest="narrow by path or kind, or raise the budget")
        for note in references.unresolved[:SUMMARY]:
            page.add(f"  not resolved: {places.line(note.path, note.line, references.repository)} {visible(note.text)}")
    return {
        "answers": [
            {
                "target": _location_record(references.target),
                "groups": {
                    str(group.role): [
                        {"name": reference.spot.name, "path": reference.path, "line": reference.line}
                        for reference in group.references
                    ]
                    for group in references.groups
                    if group.role in roles
                },
            }
            for references in answers
        ]
    }


def _rows(group: Group, text: Callable[..., str]) -> Iterator[str]:
    return (text(reference, role=group.role) for reference in group.references)


def _reference_text(reference: Reference, *, role: Role, references: References, places: Places) -> str:
    spot = reference.spot
    place = places.line(reference.path, reference.line, references.repository)
    name = "the file" if spot.kind is NodeKind.FILE else visible(spot.name)
    kind = "" if spot.kind in CALLABLE or spot.kind is NodeKind.FILE else f"{spot.kind} "
    members = ", ".join(map(visible, reference.members[:MEMBERS])) if role is not Role.MAPPED else ""
    sure = "" if reference.certainty is Certainty.RESOLVED else f" [{_certainty(reference)}]"
    rows = " (whole rows)" if reference.whole and role not in FOLDED and not members else ""
    through = f" (through {visible(reference.through)})" if reference.through else ""
    return f"{place} {kind}{name}{f' ({members})' if members else ''}{rows}{through}{sure}".strip()


def _certainty(reference: Reference) -> str:
    return "by its name alone" if reference.certainty is Certainty.UNIQUE else f"one of {reference.candidates}"


def _impact(page: Page, view: View, arguments: SymbolArguments) -> dict[str, Any] | None:
    """Add what a change of a name affects; None if nothing has it."""
    impact = view.index.impact(arguments.name, kinds=words(arguments.kind.lower()), paths=words(arguments.path))
    if impact is None:
        return None
    places = Places(view)
    page.add(f"a change of {_location_text(impact.target, places, impact.repository)}")
    if not (impact.affected or impact.possibly or impact.tests):
        page.add("  nothing that is known depends on it")
    titled = [
        ("affects", impact.affected, 0),
        ("possibly affects", [row for row in impact.possibly if not row.by_rows], 0),
        ("tests to run first", impact.tests, impact.further_tests),
    ]
    sections = [
        (title, len(rows) + further, (_affected_text(row, places, impact.repository) for row in rows))
        for title, rows, further in titled
        if rows
    ]
    page.add_sections(sections, rest="raise the budget")
    if by_rows := sum(row.by_rows for row in impact.possibly):
        page.add(f"  possibly affects {counted(by_rows, 'place')} over whole rows, which do not name it")
    if impact.others:
        others = "; ".join(_location_text(other, places, impact.repository) for other in impact.others[:SUMMARY])
        page.add(f"  not looked at, though of this name: {others}; path and kind choose")
    return {
        "target": _location_record(impact.target),
        "affected": [
            {**_location_record(each.spot), "distance": each.distance, "confidence": each.confidence, "why": each.why}
            | ({"by_rows": True} if each.by_rows else {})
            for each in (*impact.affected, *impact.possibly)
        ],
        "tests": [_location_record(each.spot) for each in impact.tests],
    }


def _affected_text(affected: Affected, places: Places, repository: str) -> str:
    place = places.line(affected.path, affected.line, repository)
    name = "the file" if affected.spot.kind is NodeKind.FILE else visible(affected.spot.name)
    steps = f", {affected.distance} steps" if affected.distance > 1 else ""
    sure = f", {affected.confidence:.0%}" if affected.confidence < SURE else ""
    return f"{place} {name} ({visible(affected.why)}{steps}{sure})".strip()


def _path(page: Page, view: View, arguments: SymbolArguments) -> dict[str, Any] | None:
    """Add how one name leads to another; None if nothing has the first."""
    index, places = view.index, Places(view)
    ways = index.path_between(
        arguments.name, arguments.to, k=2, kinds=words(arguments.kind.lower()), paths=words(arguments.path)
    )
    if not ways:
        unknown = [name for name in (arguments.name, arguments.to) if not index.refs(name, shown=0)]
        for name in unknown:
            page.add(_unknown(index, name))
        if not unknown:
            page.add(f"nothing leads from {visible(arguments.name)} to {visible(arguments.to)}, or back")
    for way in ways:
        if way.backwards:
            page.add(f"nothing leads from {visible(arguments.name)} to {visible(arguments.to)}; the way back:")
        page.add(_location_text(way.start, places, way.repository))
        for step in way.steps:
            place = places.line(step.path, step.line, way.repository)
            page.add(f"  {place} {step.how} {step.spot.kind} {visible(step.spot.name)}")
    return {
        "paths": [
            {
                "start": _location_record(way.start),
                "steps": [
                    {"how": step.how, "path": step.path, "line": step.line, **_location_record(step.spot)}
                    for step in way.steps
                ],
                "backwards": way.backwards,
            }
            for way in ways
        ]
    }


def _place_text(place: Symbol, places: Places) -> str:
    lines = f"{place.span.start_line}-{place.span.end_line}"
    return f"{places.path(place.path, place.repository)}:{lines} {place.kind} {visible(place.qualified_name)}"


def _location_text(spot: Location, places: Places, repository: str) -> str:
    unknown = " (no schema defines it)" if spot.unknown else ""
    place = places.line(spot.path, spot.line, repository)
    return f"{place} {spot.kind} {visible(spot.name)}{unknown}".strip()


def _location_record(spot: Location) -> dict[str, Any]:
    return {"kind": str(spot.kind), "name": spot.name, "path": spot.path, "line": spot.line}


def _symbol_record(place: Symbol) -> dict[str, Any]:
    return {
        "kind": str(place.kind),
        "qualified_name": place.qualified_name,
        "path": place.path,
        "repository": place.repository,
        "start_line": place.span.start_line,
        "end_line": place.span.end_line,
        "signature": place.signature,
    }
