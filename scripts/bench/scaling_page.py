"""Figures of growing corpora to a page of the documentation: a table and a plot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from coderag.extras import Extra, how_to_install
from scripts.bench.records import BenchmarkError, Figure
from scripts.bench.report import Report, by_quantity, notes, piped
from scripts.bench.scaling import SCALING

__all__ = ["write_page"]

PAGE, PLOT = "scaling.md", "scaling.svg"
KEPT = "\n<!-- vectors -->\n"  # with which the sections begin that others write: what follows stays
SIZE = (9.0, 6.4)  # inches
COLOURS = ("#0b6e99", "#c4551d", "#3f7d3a")
MARKERS = "osD"
# What each of the four plots shows, by the name of a figure.
PANELS: Mapping[str, Mapping[str, str]] = {
    "full index, seconds": {"CPU": "processor time", "wall": "from start to end"},
    "megabytes": {"source": "source", "index size": "index", "peak memory": "memory while indexing"},
    "an answer, milliseconds": {"cold search": "new process", "warm p90": "open index, 90 %", "warm p50": "and median"},
    "an edit until it is found, milliseconds": {"cold update": "new process", "warm update": "open index"},
}
TEXT = """\
# Cost as the work grows

Written by `scripts/benchmark.py --scaling`: the same work over parts of Linux's source (`.c` and `.h`), drawn file by
file, so that each is a small Linux.

![index time, memory, size, answers and updates against the number of chunks]({plot})

{table}

- **wall, CPU**: `coderag index` from nothing, with an empty cache; the processor time is that of all processes.
- **peak memory**: of all processes together, shared pages counted once.
- **warm**: questions to an index that is open in a process. **cold search**: the command `coderag search`, which also
  looks at every file for changes.
- **warm update**: from an edit of one file until a search finds it, `Index.update(paths=[file])` in an open process.
  **cold update**: the same by `coderag search`, which is not told which file it was.

{notes}
"""


def write_page(report: Report, folder: Path) -> None:
    """Write the page and its plot into a folder; raises BenchmarkError when matplotlib is not installed."""
    figures = [figure for figure in report.figures if figure.part == SCALING]
    folder.mkdir(parents=True, exist_ok=True)
    _plot(figures, folder / PLOT)
    table = piped(by_quantity("about so many chunks", figures, heads="corpus"))
    lines = "\n".join(f"- {note}" for note in notes(report))
    page = folder / PAGE
    _, mark, others = page.read_text(encoding="utf-8").partition(KEPT) if page.exists() else ("", "", "")
    page.write_text(TEXT.format(plot=PLOT, table=table, notes=lines) + mark + others, encoding="utf-8")


def _plot(figures: Sequence[Figure], path: Path) -> None:
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure as Picture
    except ImportError as error:
        raise BenchmarkError(f"{error.name} is not installed; {how_to_install(Extra.EVAL)}") from None
    # The same figures make the same file, and text stays text.
    with rc_context({"svg.hashsalt": "coderag", "svg.fonttype": "none", "font.family": "sans-serif", "font.size": 9}):
        picture = Picture(figsize=SIZE, layout="constrained")
        for axes, (title, names) in zip(picture.subplots(2, 2).flat, PANELS.items(), strict=True):
            _draw(axes, figures, names)
            axes.set_title(title, fontsize=10, loc="left")
        picture.savefig(path, metadata={"Date": None})


def _draw(axes: Any, figures: Sequence[Figure], names: Mapping[str, str]) -> None:
    """Draw a line of medians for each quantity, with the range of the runs."""
    chunks = {figure.corpus: figure.median for figure in figures if figure.name == "chunks"}
    for number, (name, label) in enumerate(names.items()):
        found = [figure for figure in figures if figure.name == name]
        middle = [one.median for one in found]
        spread = [[one.median - min(one.values) for one in found], [max(one.values) - one.median for one in found]]
        axes.errorbar(
            [chunks[one.corpus] for one in found],
            middle,
            yerr=spread,
            color=COLOURS[number],
            marker=MARKERS[number],
            markersize=5,
            label=label,
        )
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.minorticks_off()
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.yaxis.set_major_formatter("{x:,.10g}")
    axes.set_xlabel("chunks")
    axes.grid(visible=True, which="major", alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize=8)
