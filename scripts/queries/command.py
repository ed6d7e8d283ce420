"""The command line of scripts/judge_queries.py."""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from coderag import Index
from coderag.sql.check import Finding, Severity
from coderag.types import TableFilter
from scripts.queries.mutations import Kind, Mutant, mutants
from scripts.queries.sets import Gold, databases, sample, set_names

__all__ = ["run"]

CAUGHT = 0.97
FALSE_ALARMS = 0.005
NAMES = frozenset(Kind) - {Kind.JOIN_DROPPED, Kind.GROUP_DROPPED}  # what SQLite refuses to prepare


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What the check said of a set."""

    name: str
    gold: tuple[tuple[Gold, tuple[Finding, ...]], ...]
    refused: tuple[tuple[Gold, str], ...]  # wrong themselves, by SQLite
    mutants: tuple[tuple[Mutant, tuple[Finding, ...]], ...]

    def alarms(self, severity: Severity) -> list[tuple[Gold, tuple[Finding, ...]]]:
        """Return the queries with a finding of a severity."""
        return [one for one in self.gold if any(found.severity is severity for found in one[1])]

    def missed(self) -> list[Mutant]:
        """Return the mutations of which nothing is said."""
        return [mutant for mutant, found in self.mutants if not found]

    def weak(self) -> list[Mutant]:
        """Return the mutations of which only a warning is said."""
        return [one for one, found in self.mutants if found and all(it.severity is Severity.WARNING for it in found)]


def run(arguments: Sequence[str]) -> int:
    """Judge, print, and return 1 below the figures to reach."""
    options = _options().parse_args(arguments)
    held = [_judge(name, options) for name in options.set or set_names(options.bench)]
    if options.json:
        print(json.dumps([_figures(one) for one in held], indent=1))
    else:
        print("\n".join(_lines(one, options.show) for one in held))
    return 1 if any(_is_below(_figures(one)) for one in held) else 0


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="judge_queries.py")
    parser.add_argument("--bench", type=Path, required=True, help="a folder with ddl/ and items/")
    parser.add_argument("--set", action="append", help="one set of it; all without it")
    parser.add_argument("--scope", choices=("database", "union"), default="database", help="what is checked against")
    parser.add_argument("--dialect", choices=("given", "none"), default="none", help="whether the check is told it")
    parser.add_argument("--count", type=int, default=300, help="queries of each set")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", action="store_true", help="show false alarms and what is missed")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    return parser


def _judge(name: str, options: argparse.Namespace) -> Verdicts:
    truths = databases(options.bench, name)
    union = options.scope == "union"
    every = frozenset(table for truth in truths.values() for table in truth.columns)
    gold, refused, judged = [], [], []
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch) / name
        shutil.copytree(options.bench / "ddl" / name, root)
        index = Index.build(root)

        def check(one: Gold, sql: str) -> tuple[Finding, ...]:
            conditions = TableFilter() if union else TableFilter(paths=(one.file,))
            dialect = one.dialect if options.dialect == "given" else ""
            return tuple(index.check_sql(sql, dialect=dialect, conditions=conditions))

        for one in sample(options.bench, name, count=options.count, seed=options.seed):
            truth = truths[one.file]
            if one.dialect == "sqlite" and (why := truth.refusal(one.sql)):
                refused.append((one, why))
                continue
            gold.append((one, check(one, one.sql)))
            tables = every if union else frozenset(truth.columns)
            for mutant in mutants(one, truth, tables, seed=options.seed):
                if one.dialect == "sqlite" and mutant.kind in NAMES and not truth.refusal(mutant.sql):
                    continue
                judged.append((mutant, check(one, mutant.sql)))
    return Verdicts(name, tuple(gold), tuple(refused), tuple(judged))


def _figures(held: Verdicts) -> dict[str, object]:
    missed, weak = set(map(id, held.missed())), set(map(id, held.weak()))
    kinds: dict[str, dict[str, int]] = {}
    for mutant, _ in held.mutants:
        row = kinds.setdefault(str(mutant.kind), {"mutations": 0, "missed": 0, "warnings": 0})
        row["mutations"] += 1
        row["missed"] += id(mutant) in missed
        row["warnings"] += id(mutant) in weak
    return {
        "set": held.name,
        "queries": len(held.gold),
        "refused": len(held.refused),
        "false_alarms": len(held.alarms(Severity.ERROR)) / max(len(held.gold), 1),
        "warned": len(held.alarms(Severity.WARNING)) / max(len(held.gold), 1),
        "mutations": len(held.mutants),
        "caught": 1 - len(missed) / max(len(held.mutants), 1),
        "caught_as_errors": 1 - len(missed | weak) / max(len(held.mutants), 1),
        "kinds": dict(sorted(kinds.items())),
    }


def _is_below(figures: dict[str, object]) -> bool:
    return float(str(figures["caught"])) < CAUGHT or float(str(figures["false_alarms"])) > FALSE_ALARMS


def _lines(held: Verdicts, show: bool) -> str:
    figures = _figures(held)
    lines = [
        f"{held.name}: {figures['queries']} queries ({figures['refused']} refused by SQLite), "
        f"false alarms {figures['false_alarms']:.1%}, with warnings {figures['warned']:.1%}; "
        f"{figures['mutations']} mutations, caught {figures['caught']:.1%}, as errors {figures['caught_as_errors']:.1%}"
    ]
    kinds = figures["kinds"]
    for kind, row in kinds.items() if isinstance(kinds, dict) else ():
        lines.append(f"  {kind:24} {row['mutations']:4}  missed {row['missed']:3}  warnings only {row['warnings']:3}")
    if show:
        lines += _shown(held)
    return "\n".join(lines)


def _shown(held: Verdicts) -> list[str]:
    found = [f"refused {one.id}: {why}\n    {' '.join(one.sql.split())}" for one, why in held.refused]
    for severity in (Severity.ERROR, Severity.WARNING):
        for one, findings in held.alarms(severity):
            said = "; ".join(f"{it.code}: {it.message}" for it in findings if it.severity is severity)
            found.append(f"{severity} on {one.id}: {said}\n    {' '.join(one.sql.split())}")
    for what, mutations in (("missed", held.missed()), ("only a warning on", held.weak())):
        found += [f"{what} {it.gold.id} ({it.kind}):\n    {' '.join(it.sql.split())}" for it in mutations]
    return found
