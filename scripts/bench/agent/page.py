"""Figures of what agents read to a page of the documentation: tables and a plot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from coderag.extras import Extra, how_to_install
from scripts.bench.agent.answers import SEMBLE_HITS
from scripts.bench.agent.figures import EQUAL, HELD, STEPS, WITHIN
from scripts.bench.agent.grep import AROUND, STOP_WORDS
from scripts.bench.agent.rows import CODERAG, FILES, LINES, SEMBLE, SEMBLE_WHOLE
from scripts.bench.records import BenchmarkError, Figure
from scripts.bench.report import Report, by_quantity, piped

__all__ = ["write_page"]

PAGE, PLOT = "agents-benchmark.md", "agents-benchmark.svg"
WIDTH, HEIGHT = 4.6, 4.0  # inches, of the plot of a suite
COLOURS: Mapping[str, str] = {
    CODERAG: "#0b6e99",
    SEMBLE: "#c4551d",
    SEMBLE_WHOLE: "#e0a682",
    LINES: "#3f7d3a",
    FILES: "#96bd92",
}
SUITES: Mapping[str, str] = {
    "semble": "questions about repositories",
    "commits": "functions that a commit changes",
}
TEXT = """\
# What an agent reads

Written by `scripts/benchmark.py agent --sets DIR --compare semble --semble-python PYTHON`: how many tokens an agent
reads until it holds the code that answers a question, with coderag's tool `search`, with semble's, and with grep.

![the share of questions whose code is held, against the tokens that were read]({plot})

{tables}

## What is counted

- **semble** is the public set of questions of MinishLab/semble, 621 about 31 repositories. Nearly all of its labels
  are files: the code is held when three lines of the file were read. Of the few labels with lines, one line must have
  been read. Secondary labels do not count.
- **commits** are 300 messages of commits in 11 repositories; the wanted code is the functions that the commit changed.
  One of them is held when half of its lines were read.
- A place that is only named, `path:line` without its code, is not held.
- A token is four characters, for all of them (`coderag.text.budget`). All that is read counts: paths, JSON, and code
  that was not wanted.
- **coderag**: the answer of the tool `search` with a budget of so many tokens. The median is that of the answer with
  the largest budget, read from its beginning.
- **semble, 10 lines of a hit**: the answer of its server as it is by default, with as many hits as fit, at most
  {hits}; **whole hits**: with all lines of each hit. {model}
- **grep, whole files**: the words of the question, less {stop_words} common ones, are searched for as `grep -i` does.
  Files are read whole, those with most different words first, then those with most matching lines. The list of files
  that grep prints costs nothing here. **lines around**: of the same files, only {around} lines before and after each
  match.
- An empty cell: so many questions are never answered, or so large a budget was not tried.

{notes}
"""
NO_MODEL = "Its model is not distributed with it: this is its ranking by words, without a model."
WITH_MODEL = "It has its model."


def write_page(report: Report, folder: Path) -> None:
    """Write the page and its plot into a folder; raises BenchmarkError when matplotlib is not installed."""
    held = [figure for figure in report.figures if figure.part == HELD]
    folder.mkdir(parents=True, exist_ok=True)
    _plot(held, folder / PLOT)
    tables = [
        piped(
            by_quantity(
                f"{suite}: {title}",
                [figure for figure in report.figures if figure.part == part and figure.corpus == suite],
                heads="engine",
            )
        )
        for suite in dict.fromkeys(one.corpus for one in held)
        for part, title in ((HELD, "share of the questions whose code is held"), (EQUAL, "tokens for the same share"))
    ]
    page = TEXT.format(
        plot=PLOT,
        tables="\n\n".join(tables),
        model=NO_MODEL if report.versions.get("semble", "").endswith("by words alone") else WITH_MODEL,
        stop_words=len(STOP_WORDS),
        around=AROUND,
        hits=SEMBLE_HITS,
        notes="\n".join(_notes(report)),
    )
    (folder / PAGE).write_text(page, encoding="utf-8")


def _notes(report: Report) -> list[str]:
    """Return what was measured and what was not: nothing depends on the machine."""
    versions = ", ".join(f"{name} {version}" for name, version in report.versions.items())
    return [f"- {versions}", *(f"- left out: {one.name}, {one.reason}" for one in report.left_out)]


def _plot(figures: Sequence[Figure], path: Path) -> None:
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure as Picture
    except ImportError as error:
        raise BenchmarkError(f"{error.name} is not installed; {how_to_install(Extra.EVAL)}") from None
    suites = list(dict.fromkeys(figure.corpus for figure in figures))
    # The same figures make the same file, and text stays text.
    with rc_context({"svg.hashsalt": "coderag", "svg.fonttype": "none", "font.family": "sans-serif", "font.size": 9}):
        picture = Picture(figsize=(WIDTH * len(suites), HEIGHT), layout="constrained")
        for axes, suite in zip(picture.subplots(1, len(suites), squeeze=False).flat, suites, strict=True):
            _draw(axes, [figure for figure in figures if figure.corpus == suite])
            axes.set_title(f"{suite}: {SUITES[suite]}", fontsize=10, loc="left")
        # Below the plots, where it hides no line: all have the same ways.
        picture.legend(*picture.axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False)
        picture.savefig(path, metadata={"Date": None})


def _draw(axes: Any, figures: Sequence[Figure]) -> None:
    shares = {(figure.engine, figure.name): figure.median for figure in figures}
    for way, colour in COLOURS.items():
        points = [(step, shares[way, WITHIN.format(step)]) for step in STEPS if (way, WITHIN.format(step)) in shares]
        if points:
            axes.plot(*zip(*points, strict=True), color=colour, marker="o", markersize=4, label=way)
    axes.set_xscale("log", base=2)
    axes.set_xticks(STEPS, [f"{step / 1000:g}k" for step in STEPS])
    axes.minorticks_off()
    axes.set_ylim(0, 100)
    axes.set_xlabel("tokens read")
    axes.set_ylabel("questions whose code is held, %")
    axes.grid(visible=True, which="major", alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
