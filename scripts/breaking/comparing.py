"""What really broke beside what the graph says would: complete or not, column by column."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from coderag import Index
from coderag.graph.queries.impact import Affected, Impact
from coderag.graph.records import NodeKind
from scripts.breaking.applications import APPLICATIONS, Application
from scripts.breaking.records import Broken, Site, Truth
from scripts.breaking.truth import copied

__all__ = ["Judgement", "Verdict", "judge"]

FUNCTIONS = frozenset({NodeKind.FUNCTION, NodeKind.METHOD})


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the answer for one column lacks and how much of it is right."""

    column: str
    breaks: bool  # whether its rename broke anything
    missing_sites: tuple[Site, ...]
    missing_tests: tuple[Site, ...]
    near: int  # functions of the application that the answer has at distance 1; migrations that ran before aside
    unbroken: tuple[Site, ...]  # those of them that did not break, or that no test runs
    tests: int  # that the answer names
    tests_failed: int  # those of them that failed

    @property
    def complete(self) -> bool:
        """Whether all that broke is in the answer."""
        return not (self.missing_sites or self.missing_tests)


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdicts on one application."""

    app: str
    verdicts: tuple[Verdict, ...]

    @property
    def breaking(self) -> list[Verdict]:
        """Those of columns whose rename broke something."""
        return [verdict for verdict in self.verdicts if verdict.breaks]

    @property
    def share_complete(self) -> float:
        """The share of complete answers among columns that broke something."""
        return sum(one.complete for one in self.breaking) / max(len(self.breaking), 1)

    @property
    def share_of_sites(self) -> float:
        """The share of complete answers where the tests to run do not count."""
        return sum(not one.missing_sites for one in self.breaking) / max(len(self.breaking), 1)

    @property
    def precision(self) -> float:
        """The share of functions at distance 1 that broke; one that no test runs cannot be seen to break."""
        return 1 - sum(len(verdict.unbroken) for verdict in self.verdicts) / max(
            sum(verdict.near for verdict in self.verdicts), 1
        )


def judge(name: str, truth: Truth, *, columns: Iterable[str] = ()) -> Judgement:
    """Compare the truth with the impact of each column, or of some, by a fresh index of the application."""
    wanted = frozenset(columns)
    chosen = {column: broken for column, broken in truth.columns.items() if not wanted or column in wanted}
    app = APPLICATIONS[name]
    with copied(name) as copy:
        index = Index.build(copy, index=copy.parent / "index", encoder="none", workers=0, cache=False)
        answers = {column: index.impact(column) for column in chosen}
    return Judgement(
        name, tuple(_verdict(column, chosen[column], answers[column], app=app) for column in sorted(chosen))
    )


def _verdict(column: str, broken: Broken, answer: Impact | None, *, app: Application) -> Verdict:
    affected = [*answer.affected, *answer.possibly] if answer else []
    named = _sites(answer.tests) if answer else frozenset()
    found = _sites(affected)
    near = _sites(one for one in affected if one.distance == 1 and one.spot.kind in FUNCTIONS)
    near = frozenset(one for one in near if not one.path.startswith(app.migrations))
    failed_files = {site.path for site in broken.tests}
    return Verdict(
        column=column,
        breaks=bool(broken.sites or broken.tests),
        missing_sites=tuple(sorted(broken.sites - found)),
        missing_tests=tuple(sorted(test for test in broken.tests if not _covered(test, named))),
        near=len(near),
        unbroken=tuple(sorted(near - broken.sites)),
        tests=len(named),
        tests_failed=sum(one in broken.tests or (not one.name and one.path in failed_files) for one in named),
    )


def _sites(affected: Iterable[Affected]) -> frozenset[Site]:
    """Return where things are; of a file as a whole the name is empty."""
    return frozenset(Site(one.spot.path, "" if one.spot.kind is NodeKind.FILE else one.spot.name) for one in affected)


def _covered(test: Site, named: frozenset[Site]) -> bool:
    """Tell whether a test is named; one that is no function is where its file is."""
    return test in named or Site(test.path, "") in named
