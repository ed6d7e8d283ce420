"""Figures to tables, as text, Markdown or JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from scripts.bench.machine import Load, Machine
from scripts.bench.records import Corpus, Figure, LeftOut, Ratio

__all__ = ["Report", "Table", "as_json", "as_markdown", "as_text", "by_quantity", "notes", "piped", "ratios"]

REPORT_VERSION = 2  # of the JSON: 1 first; 2 ratios are of the other engine's figures to those of the first
GAP = "  "
NO_RATIOS: Mapping[str, Ratio] = {}
NOT_COMPARED = frozenset({"%", "tokens"})  # units of figures that are read beside each other, by any number of engines
COUNTS = frozenset({"files", "source", "chunks", "questions"})  # what was measured on; no ratio is of interest


@dataclass(frozen=True, slots=True)
class Report:
    """All that a benchmark found out."""

    machine: Machine
    versions: dict[str, str]
    before: Load
    after: Load
    busy: str  # why the figures may be worse than they should be
    corpora: tuple[Corpus, ...]
    left_out: tuple[LeftOut, ...]
    figures: tuple[Figure, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells under heads."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def ratios(figures: Sequence[Figure]) -> list[Ratio]:
    """Return each engine's figures divided by those of the first, run by run as they took turns: 2 is twice as much."""
    found = []
    by_key = {(figure.part, figure.corpus, figure.engine, figure.name): figure for figure in figures}
    engines = list(dict.fromkeys(figure.engine for figure in figures))
    for first in (figure for figure in figures if figure.name not in COUNTS and figure.unit not in NOT_COMPARED):
        for other in engines[1:]:
            second = by_key.get((first.part, first.corpus, other, first.name))
            if first.engine != engines[0] or second is None or not all(first.values):
                continue
            pairs = zip(first.values, second.values, strict=True)
            values = tuple(theirs / ours for ours, theirs in pairs)
            found.append(Ratio(first.part, first.corpus, (other, first.engine), first.name, values))
    return found


def as_json(report: Report) -> dict[str, Any]:
    """Return the report as plain values, with all runs."""
    return {
        "version": REPORT_VERSION,
        "machine": asdict(report.machine),
        "versions": report.versions,
        "load": {"before": report.before.average, "after": report.after.average, "busy": report.busy},
        "corpora": [{"name": one.name, "version": one.version} for one in report.corpora],
        "left_out": [asdict(one) for one in report.left_out],
        "figures": [{**asdict(figure), **_spread(figure.values), "median": figure.median} for figure in report.figures],
        "ratios": [
            {**asdict(ratio), **_spread(ratio.values), "median": ratio.median} for ratio in ratios(report.figures)
        ],
    }


def _spread(values: Sequence[float]) -> dict[str, float]:
    return {"min": min(values), "max": max(values)}


def as_text(report: Report) -> str:
    """Return the report as aligned tables."""
    return "\n".join([*notes(report), *("\n" + _aligned(table) for table in _tables(report))])


def as_markdown(report: Report) -> str:
    """Return the report as Markdown tables."""
    return "\n".join([*(f"- {note}" for note in notes(report)), *("\n" + piped(table) for table in _tables(report))])


def notes(report: Report) -> list[str]:
    """Return what the figures were measured on, a line each."""
    machine = report.machine
    versions = ", ".join(f"{name} {version}" for name, version in report.versions.items())
    lines = [
        f"{machine.processor}, {machine.cores} cores, {machine.memory_gb} GB, {machine.system}",
        f"Python {machine.python}, {versions}",
        f"load average {report.before.average} before, {report.after.average} after",
        "medians, in parentheses the smallest and largest of the runs; 1 MB is 1,000,000 bytes",
    ]
    if report.busy:
        lines.append(f"THE MACHINE WAS BUSY: {report.busy}; measure again when it is idle")
    lines += [f"{one.name}: {one.version}" for one in report.corpora]
    return [*lines, *(f"left out: {one.name}, {one.reason}" for one in report.left_out)]


def _tables(report: Report) -> Iterable[Table]:
    compared = ratios(report.figures)
    for part in dict.fromkeys(figure.part for figure in report.figures):
        figures = [figure for figure in report.figures if figure.part == part]
        rivals = {one.corpus for one in compared if one.part == part}
        alone = [figure for figure in figures if figure.corpus not in rivals]
        if alone:
            yield _by_corpus(part, alone)
        for corpus in sorted(rivals):
            beside = [figure for figure in figures if figure.corpus == corpus]
            divided = [one for one in compared if (one.part, one.corpus) == (part, corpus)]
            yield by_quantity(f"{part}: {corpus}", beside, {one.name: one for one in divided}, heads="engine")


def by_quantity(
    title: str, figures: Sequence[Figure], times: Mapping[str, Ratio] = NO_RATIOS, *, heads: Literal["corpus", "engine"]
) -> Table:
    """Return a table with a row for each quantity and a column for each corpus or engine, then how many times more."""
    columns = list(dict.fromkeys(getattr(figure, heads) for figure in figures))
    cells = {(figure.name, getattr(figure, heads)): _cell(figure.values) for figure in figures}
    rows = []
    for name, unit in {figure.name: figure.unit for figure in figures}.items():
        row = [_with_unit(name, unit), *(cells.get((name, column), "") for column in columns)]
        rows.append((*row, _cell(times[name].values) if name in times else "") if times else tuple(row))
    more = (" / ".join(next(iter(times.values())).engines),) if times else ()
    return Table(title, ("what", *columns, *more), tuple(rows))


def _by_corpus(title: str, figures: Sequence[Figure]) -> Table:
    """Return a table with a row for each corpus and engine and a column for each quantity."""
    cells = {(figure.corpus, figure.engine, figure.name): _cell(figure.values) for figure in figures}
    units = {figure.name: figure.unit for figure in figures}
    rows = [
        (corpus, engine, *(cells.get((corpus, engine, name), "") for name in units))
        for corpus, engine in dict.fromkeys((corpus, engine) for corpus, engine, _ in cells)
    ]
    heads = [_with_unit(name, unit) for name, unit in units.items()]
    return Table(title, ("corpus", "engine", *heads), tuple(rows))


def _with_unit(name: str, unit: str) -> str:
    return f"{name}, {unit}" if unit else name


def _cell(values: Sequence[float]) -> str:
    ordered = sorted(values)
    middle = (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2
    if len(values) == 1:
        return _number(middle)
    return f"{_number(middle)} ({_number(ordered[0])}..{_number(ordered[-1])})"


def _number(value: float) -> str:
    """Return a number with about three digits that count."""
    if value >= 100 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def _aligned(table: Table) -> str:
    lines = [table.heads, *table.rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(table.heads))]
    body = [GAP.join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines]
    return "\n".join([table.title, *body])


def piped(table: Table) -> str:
    """Return a table as Markdown."""
    lines = [table.heads, tuple("---" for _ in table.heads), *table.rows]
    return "\n".join([f"**{table.title}**", "", *(f"| {' | '.join(line)} |" for line in lines)])
