"""What a change touches, as text for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from coderag.cli.output.locations import INDENT, affected_row, rows, unresolved_lines
from coderag.cli.output.text import Screen, Style, visible
from coderag.cli.roots import Paths
from coderag.graph.changes.records import Broken, Changed, DiffImpact, RunnableTest, Touched
from coderag.graph.queries.reach import Affected
from coderag.graph.records import EdgeKind, NodeKind
from coderag.text.counted import counted

__all__ = ["change_text", "diff_lines", "summary_of", "touched_text"]

PASSIVE = {EdgeKind.READS: "read by", EdgeKind.WRITES: "written by", EdgeKind.DELETES: "rows deleted by"}
Row = tuple[str, int, str, str]


def summary_of(found: DiffImpact) -> str:
    """Return what a change touches in one line, by numbers."""
    parts = [counted(len(found.changed), "definition")]
    parts += [counted(len(found.data), "table or column").replace("table or columns", "tables or columns")] * bool(
        found.data
    )
    dependents = len(found.affected) + len(found.possibly)
    tests = len(found.tests) + found.further_tests
    broken = [f"{counted(len(found.broken), 'place')} that still name what is gone"] if found.broken else []
    said = [*broken, counted(dependents, "dependent"), f"{counted(tests, 'test')} to run first"]
    return f"{' and '.join(parts)} changed: {', '.join(said)}"


def change_text(changed: Changed) -> str:
    """Return how something changed: "renamed, was a.py", "changed: type int to text"."""
    before = f", was {changed.before}" if changed.before else ""
    return f"{changed.how}{before}{f': {changed.detail}' if changed.detail else ''}"


def touched_text(touched: Touched) -> str:
    """Return how code uses a table: "read by"."""
    return PASSIVE.get(touched.how, f"{touched.how} by")


def diff_lines(found: DiffImpact, paths: Paths, shown: Screen, *, limit: int | None) -> Iterator[str]:
    """Yield the lines of an answer, at most `limit` of each group."""
    yield f"{shown.paint(visible(found.title), Style.NAME)}  {shown.paint(visible(summary_of(found)), Style.DIM)}"

    def place(path: str) -> str:
        return visible(paths.of(path, found.repository)) if path else ""

    def of_change(changed: Changed) -> Row:
        name = "the file" if changed.spot.kind is NodeKind.FILE else f"{changed.spot.kind} {visible(changed.spot.name)}"
        return place(changed.spot.path), changed.spot.line, name, visible(change_text(changed))

    def of_broken(broken: Broken) -> Row:
        within = f" in {visible(broken.within)}" if broken.within else ""
        return place(broken.path), broken.line, f"{visible(broken.name)}{within}", "" if broken.certain else "possibly"

    def of_touched(touched: Touched) -> Row:
        return (
            place(touched.path),
            touched.line,
            visible(touched.spot.name),
            visible(f"{touched_text(touched)} {touched.by}"),
        )

    def of_affected(affected: Affected) -> Row:
        return affected_row(affected, paths, found.repository)

    def of_test(runnable_test: RunnableTest) -> Row:
        path, line, name, why = of_affected(runnable_test.found)
        return (
            path,
            line,
            name if runnable_test.found.spot.kind is NodeKind.FILE else visible(runnable_test.id.partition("::")[2]),
            why,
        )

    yield from _group("still named, and gone", list(map(of_broken, found.broken)), shown, limit=limit)
    yield from _group("changed", list(map(of_change, found.changed)), shown, limit=limit)
    yield from _group("tables and columns", list(map(of_change, found.data)), shown, limit=limit)
    for distance in sorted({one.distance for one in found.affected}):
        here = [of_affected(one) for one in found.affected if one.distance == distance]
        title = "affected at once" if distance == 1 else f"affected, {distance} steps away"
        yield from _group(title, here, shown, limit=limit)
    yield from _group("possibly affected", list(map(of_affected, found.possibly)), shown, limit=limit)
    more = found.further_tests
    yield from _group("tests to run first", list(map(of_test, found.tests)), shown, limit=limit, further=more)
    yield from _group("tables used by changed code", list(map(of_touched, found.tables)), shown, limit=limit)
    left_out = [(place(one.path), 0, str(one.reason), "") for one in found.left_out]
    yield from _group("not looked at", left_out, shown, limit=limit)
    yield from unresolved_lines(found.unresolved, paths, shown, repository=found.repository)


def _group(title: str, listed: Sequence[Row], shown: Screen, *, limit: int | None, further: int = 0) -> Iterator[str]:
    if not listed:
        return
    count = len(listed) + further
    yield f"  {title} {shown.paint(f'{count:,}', Style.DIM)}"
    yield from rows(listed[:limit], shown)
    if more := count - len(listed[:limit]):
        yield shown.paint(f"{INDENT}... {more:,} more", Style.DIM)
