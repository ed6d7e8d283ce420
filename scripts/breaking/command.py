"""The arguments of scripts/judge_impact.py to what it prints."""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from scripts.breaking.applications import APPLICATIONS, ToolError
from scripts.breaking.comparing import Judgement, judge
from scripts.breaking.records import APPS, Site, Truth, read_truth, write_truth
from scripts.breaking.truth import digest_of, find_truth

__all__ = ["run"]

TARGET = 0.95  # of the columns, everything that breaks is in the answer


def run(arguments: Sequence[str]) -> int:
    """Judge applications, or write their truth; 1 when one is below the target."""
    options = _parser().parse_args(arguments)
    names = options.app or sorted(APPLICATIONS)
    columns = tuple(filter(None, options.columns.split(",")))
    try:
        if options.truth:
            for name in names:
                _write(name, columns, modules=options.node_modules)
        judged = [judge(name, read_truth(APPS / name), columns=columns) for name in names]
    except (ToolError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    if options.json:
        print(json.dumps([_record(one) for one in judged], indent=1))
    else:
        for one in judged:
            if read_truth(APPS / one.app).digest != digest_of(one.app):
                print(f"{one.app} changed since its truth was written: run with --truth", file=sys.stderr)
            print("\n".join(_lines(one, near=options.near)))
    return 0 if all(one.share_complete >= TARGET for one in judged) else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Compare what breaks when a column is renamed with coderag's impact.")
    parser.add_argument("--app", action="append", choices=sorted(APPLICATIONS), help="only this one; may be repeated")
    parser.add_argument("--columns", default="", help="only these, as table.column, with commas between")
    parser.add_argument("--json", action="store_true", help="print the verdicts as JSON")
    parser.add_argument(
        "--near", action="store_true", help="also name what the answers have at distance 1 and did not break"
    )
    parser.add_argument("--truth", action="store_true", help="rename the columns and write what breaks")
    parser.add_argument("--node-modules", type=Path, metavar="DIR", help="packages for shipping; else npm gets them")
    return parser


def _write(name: str, columns: tuple[str, ...], *, modules: Path | None) -> None:
    found = find_truth(
        APPLICATIONS[name], columns=columns, modules=modules, watch=lambda line: print(line, file=sys.stderr)
    )
    if columns:  # the others stay as they are
        known = read_truth(APPS / name)
        found = Truth(found.ran, found.versions, found.digest, {**known.columns, **found.columns})
    write_truth(APPS / name, found)


def _lines(judged: Judgement, *, near: bool) -> Iterator[str]:
    breaking = judged.breaking
    complete = sum(one.complete for one in breaking)
    sites = sum(not one.missing_sites for one in breaking)
    yield (
        f"{judged.app}: {len(judged.verdicts)} columns, {len(breaking)} break something; complete {complete}"
        f" ({judged.share_complete:.1%}), all sites {sites} ({judged.share_of_sites:.1%})"
    )
    shown = sum(verdict.near for verdict in judged.verdicts)
    named, failed = (
        sum(verdict.tests for verdict in judged.verdicts),
        sum(verdict.tests_failed for verdict in judged.verdicts),
    )
    yield (
        f"  of {shown} functions at distance 1 {judged.precision:.1%} broke (one that no test runs cannot);"
        f" of {named} tests named {failed} failed"
    )
    for verdict in judged.verdicts:
        if verdict.complete and not (near and verdict.unbroken):
            continue
        yield f"  {verdict.column}"
        yield from _named("lacks", verdict.missing_sites)
        yield from _named("lacks tests", verdict.missing_tests)
        yield from _named("did not break", verdict.unbroken if near else ())


def _named(what: str, sites: Iterable[Site]) -> Iterator[str]:
    found = [f"{site.path} {site.name or '(outside of all)'}" for site in sites]
    if found:
        yield f"    {what}: {'; '.join(found)}"


def _record(judged: Judgement) -> dict[str, object]:
    return {
        "app": judged.app,
        "columns": len(judged.verdicts),
        "breaking": len(judged.breaking),
        "share_complete": round(judged.share_complete, 4),
        "share_of_sites": round(judged.share_of_sites, 4),
        "precision": round(judged.precision, 4),
        "verdicts": [dataclasses.asdict(verdict) | {"complete": verdict.complete} for verdict in judged.verdicts],
    }
