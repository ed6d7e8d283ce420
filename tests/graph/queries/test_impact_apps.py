"""What really broke when columns of the fixture applications were renamed is in the answers of `Index.impact`."""

from __future__ import annotations

import json
from functools import cache

import pytest

from scripts.breaking.applications import APPLICATIONS
from scripts.breaking.command import run
from scripts.breaking.comparing import Judgement, judge
from scripts.breaking.records import APPS, read_truth
from scripts.breaking.truth import digest_of, find_truth

pytestmark = pytest.mark.slow

# Floors, as measured. The applications are what the graph was developed on, so these say what holds, not what to expect
# elsewhere. Of columns whose rename breaks something: the share whose sites and tests are all in the answer, and the
# share whose sites are. Of functions at distance 1: the share that broke; most others no test comes to.
COMPLETE = {"clinic": 0.96, "payroll": 1.0, "shipping": 1.0}
ALL_SITES = {"clinic": 1.0, "payroll": 1.0, "shipping": 1.0}
NEAR_PRECISION = {"clinic": 0.84, "payroll": 0.86, "shipping": 0.89}


@cache
def judged(app: str) -> Judgement:
    return judge(app, read_truth(APPS / app))


@pytest.mark.parametrize("app", sorted(COMPLETE))
def test_the_truth_is_of_the_application_as_it_is(app: str) -> None:
    assert read_truth(APPS / app).digest == digest_of(app)


@pytest.mark.parametrize("app", sorted(COMPLETE))
def test_what_breaks_is_in_the_answer(app: str) -> None:
    found = judged(app)
    assert found.share_complete >= COMPLETE[app], [one for one in found.breaking if not one.complete]
    assert found.share_of_sites >= ALL_SITES[app], [one for one in found.breaking if one.missing_sites]


@pytest.mark.parametrize("app", sorted(COMPLETE))
def test_what_is_near_breaks(app: str) -> None:
    assert judged(app).precision >= NEAR_PRECISION[app]


@pytest.mark.dev("alembic", "flask", "sqlalchemy")
def test_the_truth_is_found_again() -> None:
    """Of the application in Python; the others need what an environment for Python does not bring."""
    known = read_truth(APPS / "clinic").columns
    lines: list[str] = []
    found = find_truth(APPLICATIONS["clinic"], columns=["insurers.claims_email"], watch=lines.append)
    assert dict(found.columns) == {"insurers.claims_email": known["insurers.claims_email"]}
    assert lines == ["insurers.claims_email: 1 sites, 2 tests"]


def test_one_column_is_judged_from_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--app", "payroll", "--columns", "departments.manager_id", "--json"]) == 0
    (app,) = json.loads(capsys.readouterr().out)
    assert (app["app"], app["columns"], app["share_complete"]) == ("payroll", 1, 1.0)


@pytest.mark.dev("alembic", "flask", "sqlalchemy")
def test_a_column_that_is_not_there_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--truth", "--app", "clinic", "--columns", "rooms.colour"]) == 2
    assert capsys.readouterr().err == "clinic has no column rooms.colour\n"
