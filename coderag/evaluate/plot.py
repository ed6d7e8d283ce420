"""Figures to a picture: quality against latency, and how far confidence can be believed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from coderag.errors import EvaluationError
from coderag.evaluate.report import Figures
from coderag.extras import Extra, how_to_install

__all__ = ["check_picture", "plot"]

FORMATS = (".svg", ".png")
SIZE, WIDE = (7.2, 4.5), (12.0, 4.5)  # inches, without and with a reliability diagram
DPI = 150
COLOURS = ("#0b6e99", "#c4551d", "#3f7d3a", "#7a4fa3", "#a8324a", "#6b6b6b", "#b8860b", "#1f9e9e")
MARKERS = "osD^vPX*"


def check_picture(path: Path) -> None:
    """Raise EvaluationError for another ending than .svg and .png, and for a folder that is not there."""
    if path.suffix.lower() not in FORMATS:
        raise EvaluationError(f"{path} is no picture that can be drawn; name it {' or '.join(FORMATS)}")
    if not path.absolute().parent.is_dir():
        raise EvaluationError(f"{path} cannot be drawn: there is no folder {path.parent}")


def plot(figures: Sequence[Figures], path: Path, *, measure: str, title: str) -> None:
    """Write a picture: a point for each way of searching, with its 95 % interval, and its p90 latency to the right.

    Beside it is the reliability diagram of those that say how sure they are: the share of right first hits by
    confidence, which is on the diagonal where the two agree.

    Raises EvaluationError as `check_picture` does, and when matplotlib is not installed.
    """
    check_picture(path)
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError as error:
        raise EvaluationError(f"{error.name} is not installed; {how_to_install(Extra.EVAL)}") from None
    # The same figures make the same file, and text stays text.
    with rc_context({"svg.hashsalt": "coderag", "svg.fonttype": "none", "font.family": "sans-serif"}):
        calibrated = any(one.confidence is not None for one in figures)
        figure = Figure(figsize=WIDE if calibrated else SIZE, layout="constrained")
        axes, *more = figure.subplots(1, 2, width_ratios=(3, 2)) if calibrated else [figure.subplots()]
        for number, one in enumerate(figures):
            _add(axes, one, measure, colour=COLOURS[number % len(COLOURS)], marker=MARKERS[number % len(MARKERS)])
        _label(axes, measure=measure, title=title)
        for reliability in more:
            _draw_reliability(reliability, figures)
        metadata = {"Date": None} if path.suffix.lower() == ".svg" else {"Software": None}
        figure.savefig(path, dpi=DPI, metadata=metadata)


def _add(axes: Any, one: Figures, measure: str, *, colour: str, marker: str) -> None:
    known = one.measures[measure]
    axes.errorbar(
        one.p50,
        known.mean,
        yerr=[[known.mean - known.low], [known.high - known.mean]],
        fmt=marker,
        color=colour,
        markersize=7,
        capsize=3,
        label=f"{one.configuration}: {known.mean:.3f}, {one.p50:.1f} ms",
    )
    axes.plot([one.p50, one.p90], [known.mean] * 2, color=colour, linewidth=1, alpha=0.5, linestyle=":")
    axes.plot([one.p90], [known.mean], marker="|", color=colour, alpha=0.7)


def _draw_reliability(axes: Any, figures: Sequence[Figures]) -> None:
    axes.plot([0, 1], [0, 1], color="#999999", linewidth=1, linestyle=":")
    for number, one in enumerate(figures):
        if one.confidence is None:
            continue
        sure = [part.confidence for part in one.confidence.bins]
        right = [part.right for part in one.confidence.bins]
        axes.plot(
            sure,
            right,
            color=COLOURS[number % len(COLOURS)],
            marker=MARKERS[number % len(MARKERS)],
            markersize=5,
            clip_on=False,
        )
    axes.set_title("Reliability of the first hit", fontsize=11, loc="left")
    axes.set_xlabel("confidence")
    axes.set_ylabel("share of first hits that are right")
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1)
    axes.set_aspect("equal")
    axes.grid(visible=True, alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)


def _label(axes: Any, *, measure: str, title: str) -> None:
    axes.set_title(title, fontsize=11, loc="left")
    axes.set_xlabel("milliseconds a question: median, and dotted up to the 90th percentile")
    axes.set_ylabel(f"{measure}, with its 95 % interval")
    axes.set_xlim(left=0)
    axes.margins(x=0.15, y=0.2)
    axes.grid(visible=True, alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
    axes.figure.legend(loc="outside lower center", ncols=2, fontsize=9, frameon=False)
