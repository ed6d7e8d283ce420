"""Nodes of the graph as text: where they are, what they are, how sure it is that they belong there."""

from __future__ import annotations

from collections.abc import Sequence

from coderag.api.index import Index
from coderag.cli.opening import note
from coderag.cli.output.text import Screen, Style, shorten, visible
from coderag.cli.roots import Paths
from coderag.graph.queries.locations import Location
from coderag.graph.queries.reach import Affected
from coderag.graph.queries.refs import Unresolved
from coderag.graph.records import Certainty, NodeKind
from coderag.text.counted import counted

__all__ = [
    "INDENT",
    "affected_row",
    "certainty_text",
    "head_line",
    "locations_text",
    "lost_target",
    "others_text",
    "place_text",
    "rows",
    "tell_choice",
    "unresolved_lines",
]

INDENT = "    "
MAX_PLACE = 52  # characters of a place that the others are aligned with
SHOWN_NOTES = 5
SHOWN_OTHERS = 3
SURE = 0.995  # a confidence above it is not worth a mention


def lost_target(index: Index, target: str) -> None:
    """Say that nothing has a name, and which names are spelled like it."""
    alike = index.names_like(target)
    note(f"nothing is named {target!r}" + (f"; did you mean {' or '.join(alike)}?" if alike else ""))


def tell_choice(index: Index, target: str, *, kinds: Sequence[str], paths: Sequence[str]) -> None:
    """Say what a target is taken for, where other things have its name too."""
    meanings = index.meanings(target, kinds=kinds, paths=paths)
    if meanings.others:
        best = meanings.chosen[0]
        taken = _spot_text(best) if len(meanings.chosen) == 1 else f"{len(meanings.chosen)} of the kind {best.kind}"
        note(f"{target!r} is taken for {taken}; not for {others_text(meanings.others)}")


def others_text(others: Sequence[Location]) -> str:
    """Return what else has the name of a target, and how to choose it."""
    return f"{locations_text(others)}; --kind and --path choose"


def locations_text(locations: Sequence[Location]) -> str:
    """Return the first of some locations, and how many more there are."""
    named = map(_spot_text, locations[:SHOWN_OTHERS])
    more = f" and {len(locations) - SHOWN_OTHERS:,} more" if len(locations) > SHOWN_OTHERS else ""
    return ", ".join(named) + more


def _spot_text(location: Location) -> str:
    return f"{location.kind} {visible(location.name)} {visible(place_text(location.path, location.line))}".rstrip()


def place_text(path: str, line: int) -> str:
    """Return path:line, the path alone for a file as a whole."""
    return f"{path}:{line}" if line else path


def head_line(spot: Location, paths: Paths, shown: Screen, *, repository: str, several: bool) -> str:
    """Return where and what a target is, on one line."""
    path = visible(paths.of(spot.path, repository)) if spot.path else ""
    place = shown.paint(path, Style.PATH)
    if spot.path and spot.line:
        place += f":{shown.paint(str(spot.line), Style.LINE)}"
    name = visible(spot.name)
    what = "" if spot.kind is NodeKind.FILE else f"{shown.paint(spot.kind, Style.KIND)} {shown.paint(name, Style.NAME)}"
    more = [visible(spot.database)] if spot.database else []
    more += ["no schema defines it"] if spot.unknown else []
    more += [f"[{visible(repository)}]"] if several else []
    return "  ".join(filter(None, (place, what, shown.paint(", ".join(more), Style.DIM))))


def certainty_text(certainty: Certainty, candidates: int) -> str:
    """Return how sure something is, "" if it is resolved."""
    if certainty is Certainty.RESOLVED:
        return ""
    return "by its name alone" if certainty is Certainty.UNIQUE else f"one of {candidates}"


def rows(found: Sequence[tuple[str, int, str, str]], shown: Screen, *, indent: str = INDENT) -> list[str]:
    """Return (path, line, text, remark) as lines whose texts stand below each other; remarks are dim."""
    width = min(max((len(place_text(path, line)) for path, line, _, _ in found), default=0), MAX_PLACE)
    lines = []
    for path, line, text, remark in found:
        plain = place_text(path, line)
        place = shown.paint(path, Style.PATH) + (f":{shown.paint(str(line), Style.LINE)}" if line else "")
        room = max(shown.width - len(indent) - max(len(plain), width) - 2, 20)
        said = shorten(text, room)
        rest = shorten(remark, max(room - len(said) - 2, 0)) if remark else ""
        pad = " " * (width - len(plain))
        lines.append(f"{indent}{place}{pad}  {said}" + (f"  {shown.paint(rest, Style.DIM)}" if rest else ""))
    return lines


def affected_row(affected: Affected, paths: Paths, repository: str) -> tuple[str, int, str, str]:
    """Return what a change affects as a row: its place, its name, and why."""
    name = "the file" if affected.spot.kind is NodeKind.FILE else visible(affected.spot.name)
    remarks = [visible(affected.why)]
    remarks += [f"[{affected.confidence:.0%}]"] if affected.confidence < SURE else []
    return (
        visible(paths.of(affected.path, repository)) if affected.path else "",
        affected.line,
        name,
        "  ".join(remarks),
    )


def unresolved_lines(found: Sequence[Unresolved], paths: Paths, shown: Screen, *, repository: str) -> list[str]:
    """Return what is not known, under a title; nothing where all is."""
    if not found:
        return []
    listed = [
        (visible(paths.of(unresolved.path, repository)), unresolved.line, visible(unresolved.text), "")
        for unresolved in found[:SHOWN_NOTES]
    ]
    lines = [f"  {shown.paint('not known', Style.DIM)}", *rows(listed, shown)]
    if len(found) > SHOWN_NOTES:
        lines.append(shown.paint(f"{INDENT}... {counted(len(found) - SHOWN_NOTES, 'more place')}", Style.DIM))
    return lines
