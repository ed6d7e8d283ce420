"""Figures of an evaluation to tables: drawn on a terminal, plain in a pipe, records for programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from coderag.cli.output.text import Screen, Style, shorten, table, visible
from coderag.evaluate.calibration import Bin, Calibration
from coderag.evaluate.configuration import PROGRAM
from coderag.evaluate.metrics import main_measure
from coderag.evaluate.report import ALL, Compared, Difference, Evaluation, Figures
from coderag.evaluate.resampling import Interval
from coderag.text.counted import counted

__all__ = ["evaluation_record", "print_evaluation"]

NUMBERS_FROM = 2  # the columns before it are words
SURE = 0.05  # a p value below it is worth a colour
MAX_DIFFERENCES = 100  # that are listed
QUESTION_CHARS, SEARCH_CHARS = 120, 40

Rows = Sequence[Sequence[str]]


def evaluation_record(found: Evaluation, *, verbose: bool) -> dict[str, Any]:
    """Return an evaluation as plain values; with `verbose`, with the questions that differ."""
    record = {
        "figures": [asdict(figure) for figure in found.figures],
        "compared": [asdict(compared) for compared in found.compared],
    }
    if verbose:
        record["differences"] = [
            {"configuration": name, **asdict(difference)}
            for name, several in found.differences.items()
            for difference in several
        ]
    return record


def print_evaluation(found: Evaluation, shown: Screen, *, verbose: bool) -> None:
    """Print the figures and, where there are several configurations, how they differ from the first."""
    _print_table(_figure_rows(found), shown)
    if found.compared:
        print()
        _print_table(_compared_rows(found), shown)
    for rows in (_confidence_rows(found), _reliability_rows(found)):
        if len(rows) > 1:
            print()
            _print_table(rows, shown)
    if verbose:
        for name, several in found.differences.items():
            print("\n".join(("", *_difference_lines(name, several, shown))))


def _figure_rows(found: Evaluation) -> Rows:
    names = list(found.figures[0].measures)
    head = ("Questions", "Search", "Number", *names, "p50 ms", "p90 ms")
    return [head, *(_figure_row(figure) for figure in found.figures)]


def _figure_row(figures: Figures) -> Sequence[str]:
    measures = [_with_interval(known) for known in figures.measures.values()]
    return (
        visible(figures.group),
        _search(figures.configuration),
        f"{figures.questions:,}",
        *measures,
        _ms(figures.p50),
        _ms(figures.p90),
    )


def _compared_rows(found: Evaluation) -> Rows:
    main = main_measure(found.k)
    head = ("Questions", f"{main} against {visible(found.compared[0].first)}", "Difference", "95 % interval", "p")
    return [(*head, "Wins", "Ties", "Losses"), *(_compared_row(compared, main) for compared in found.compared)]


def _compared_row(compared: Compared, main: str) -> Sequence[str]:
    known = compared.measures[main]
    spread = f"{known.difference.low:+.3f} to {known.difference.high:+.3f}"
    counts = [f"{number:,}" for number in (known.wins, known.ties, known.losses)]
    return (
        visible(compared.group),
        _search(compared.second),
        f"{known.difference.mean:+.3f}",
        spread,
        f"{known.p:.4f}",
        *counts,
    )


def _confidence_rows(found: Evaluation) -> Rows:
    """Return how far the confidence of first hits can be believed, a row for each way of searching and group."""
    head = ("Confidence of first hits", "Search", "Number", "Right", "Confidence", "AUC", "ECE", "Brier")
    return [
        head,
        *(_confidence_row(figure, figure.confidence) for figure in found.figures if figure.confidence is not None),
    ]


def _confidence_row(figures: Figures, sure: Calibration) -> Sequence[str]:
    shares = [f"{value:.3f}" for value in (sure.right, sure.confidence)]
    errors = [f"{value:.3f}" for value in (sure.ece, sure.brier)]
    auc = "-" if sure.auc is None else f"{sure.auc:.3f}"
    return visible(figures.group), _search(figures.configuration), f"{sure.questions:,}", *shares, auc, *errors


def _reliability_rows(found: Evaluation) -> Rows:
    """Return the bins of all questions, ascending by confidence, of the first way of searching."""
    head = ("Reliability", "Search", "Number", "Confidence", "Right")
    return [
        head,
        *(
            _reliability_row(figure.configuration, part)
            for figure in found.figures
            if (figure.configuration, figure.group) == (found.figures[0].configuration, ALL)
            and figure.confidence is not None
            for part in figure.confidence.bins
        ),
    ]


def _reliability_row(configuration: str, part: Bin) -> Sequence[str]:
    shares = f"{part.confidence:.3f}", f"{part.right:.3f}"
    return f"{part.low:.2f} to {part.high:.2f}", _search(configuration), f"{part.questions:,}", *shares


def _difference_lines(name: str, several: Sequence[Difference], shown: Screen) -> Iterator[str]:
    losses = [difference for difference in several if difference.second < difference.first]
    yield shown.paint(f"{visible(name)}: {counted(len(several), 'question')} differ, losses first", Style.TITLE)
    if not losses:
        yield "  no question is worse"
    for difference in several[:MAX_DIFFERENCES]:
        style = Style.BAD if difference.second < difference.first else Style.GOOD
        change = shown.paint(f"{difference.first:.3f} -> {difference.second:.3f}", style)
        question, source = (
            shorten(visible(difference.question), QUESTION_CHARS),
            shown.paint(visible(difference.source), Style.DIM),
        )
        yield f"  {change}  {question}  {source}"
        yield f"      wanted  {shorten(visible(difference.wanted), shown.width)}"
        yield f"      first   {shorten(visible(', '.join(difference.first_best)) or 'nothing', shown.width)}"
        yield f"      second  {shorten(visible(', '.join(difference.second_best)) or 'nothing', shown.width)}"
    if len(several) > MAX_DIFFERENCES:
        yield f"  and {len(several) - MAX_DIFFERENCES:,} more"


def _search(name: str) -> str:
    return shorten(visible(name), SEARCH_CHARS) if name.startswith(PROGRAM) else visible(name)


def _with_interval(known: Interval) -> str:
    return f"{known.mean:.3f} ±{(known.high - known.low) / 2:.3f}"


def _ms(value: float) -> str:
    return f"{value:.1f}"


def _print_table(rows: Rows, shown: Screen) -> None:
    if not shown.colour:
        print("\n".join(table(rows, right=range(NUMBERS_FROM, len(rows[0])), indent="")))
        return
    from rich import box
    from rich.console import Console
    from rich.table import Table

    drawn = Table(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=False)
    for position, name in enumerate(rows[0]):
        drawn.add_column(
            name, justify="right" if position >= NUMBERS_FROM else "left", no_wrap=position >= NUMBERS_FROM
        )
    for row in rows[1:]:
        drawn.add_row(*row)
    Console(width=shown.width, highlight=False, markup=False).print(drawn)
