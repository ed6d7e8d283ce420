"""The command line of scripts/judge_embedded.py."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Mapping, Sequence

from scripts.embedded.cases import HALVES, ColumnEdge, TableEdge, languages, read_cases
from scripts.embedded.found import edges_of
from scripts.embedded.scores import Figures, Verdict, judged, misjudged, summed

__all__ = ["judge", "run"]

PRECISION = 0.99
RECALL = 0.90
BOTH = "both halves"


def judge(half: str, language: str) -> tuple[list[Verdict], list[str]]:
    """Return the verdicts on a language of a half, and what is wrong with the set; raises ValueError, OSError."""
    places = {case.place for case in read_cases(half, language, {})}
    found = edges_of(half, language, places)
    cases = read_cases(half, language, found.schema)
    return judged(cases, found), misjudged(cases, found)


def run(arguments: Sequence[str]) -> int:
    """Judge, print, and return 1 below the figures to reach."""
    options = _options().parse_args(arguments)
    halves = [options.half] if options.half else list(HALVES)
    verdicts: dict[str, list[Verdict]] = {}
    complaints: list[str] = []
    for half in halves:
        verdicts[half] = []
        for language in [options.language] if options.language else languages(half):
            found, wrong = judge(half, language)
            verdicts[half] += found
            complaints += [f"{half}/{language}/{one}" for one in wrong]
    if len(halves) > 1:
        verdicts[BOTH] = [one for half in halves for one in verdicts[half]]
    figures = {name: _grouped(held) for name, held in verdicts.items()}
    if options.json:
        plain = {name: {group: _plain(one) for group, one in held.items()} for name, held in figures.items()}
        print(json.dumps(plain, indent=1))
    else:
        _print(figures, {half: verdicts[half] for half in halves} if options.show else {})
    for one in complaints:
        print(one)
    return 1 if complaints or any(_is_below(held["all"]) for held in figures.values()) else 0


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="judge_embedded.py")
    parser.add_argument("--half", choices=HALVES, help="one half of the set; both without it")
    parser.add_argument("--language", help="one language; all without it")
    parser.add_argument("--show", action="store_true", help="show what is missing and what is false, case by case")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    return parser


def _grouped(verdicts: Iterable[Verdict]) -> dict[str, Figures]:
    held = list(verdicts)
    groups = {"all": held}
    for one in sorted(held, key=lambda one: one.case.language):
        groups.setdefault(one.case.language, []).append(one)
    for one in sorted(held, key=lambda one: (one.case.decoy, one.case.kind)):
        groups.setdefault(f"{'no ' if one.case.decoy else ''}{one.case.kind}", []).append(one)
    return {name: summed(group) for name, group in groups.items()}


def _is_below(figures: Figures) -> bool:
    low = any(figures.precision(part) < PRECISION or figures.recall(part) < RECALL for part in (0, 1))
    return low or figures.from_decoys > 0


def _print(figures: Mapping[str, dict[str, Figures]], shown: Mapping[str, Iterable[Verdict]]) -> None:
    print("\n\n".join(_page(name, held) for name, held in figures.items()))
    for half, verdicts in shown.items():
        for line in _shown(half, verdicts):
            print(line)


def _page(half: str, groups: dict[str, Figures]) -> str:
    head = f"{half:28} {'cases':>5} {'tables: P':>9} {'R':>6} {'columns: P':>10} {'R':>6} {'decoys':>6} {'edges':>5}"
    lines = [head]
    for name, one in groups.items():
        tables = f"{one.precision(0):9.3f} {one.recall(0):6.3f}" if one.cases else f"{'':16}"
        columns = f"{one.precision(1):10.3f} {one.recall(1):6.3f}" if one.cases else f"{'':17}"
        decoys = f"{one.decoys:6} {one.from_decoys:5}" if one.decoys else ""
        lines.append(f"{name:28} {one.cases:5} {tables} {columns} {decoys}".rstrip())
    whole = groups["all"]
    lines.append(f"of {whole.dynamic} with a table whose name is put in at run time, {whole.said} say so")
    return "\n".join(lines)


def _shown(half: str, verdicts: Iterable[Verdict]) -> Iterable[str]:
    for verdict in verdicts:
        if verdict.is_right:
            continue
        case = verdict.case
        yield f"{half}/{case.language}/{case.file} {case.function} ({'no ' if case.decoy else ''}{case.kind})"
        yield from (f"    missing {_edge(edge)}" for edge in verdict.missing)
        yield from (f"    false   {_edge(edge)}" for edge in verdict.false)


def _edge(edge: TableEdge | ColumnEdge) -> str:
    if isinstance(edge, TableEdge):
        return f"{edge.access} {edge.table}"
    return f"{'write' if edge.write else 'read'} {edge.table}.{edge.column}"


def _plain(figures: Figures) -> dict[str, float]:
    return {
        "cases": figures.cases,
        "decoys": figures.decoys,
        "table precision": figures.precision(0),
        "table recall": figures.recall(0),
        "column precision": figures.precision(1),
        "column recall": figures.recall(1),
        "edges from decoys": figures.from_decoys,
        "dynamic": figures.dynamic,
        "dynamic said": figures.said,
    }
