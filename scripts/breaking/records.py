"""What broke, as it is kept beside an application."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

__all__ = ["APPS", "BREAKS", "Broken", "Site", "Truth", "read_truth", "write_truth"]

APPS = Path(__file__).resolve().parents[2] / "fixtures" / "apps"
BREAKS = "breaks.json"


@dataclass(frozen=True, slots=True, order=True)
class Site:
    """A function, or a test, of an application."""

    path: str  # relative to the application, forward slashes
    name: str  # qualified; of a test that is no function its title; "" for what stands outside of all definitions


@dataclass(frozen=True, slots=True)
class Broken:
    """What the rename of one column broke."""

    sites: frozenset[Site]  # of the application: the innermost function that each failure went through
    tests: frozenset[Site]


@dataclass(frozen=True, slots=True)
class Truth:
    """What broke with each column of an application."""

    ran: str  # when
    versions: str  # with what
    digest: str  # of the files of the application
    columns: Mapping[str, Broken]  # "table.column", those that broke nothing too


def write_truth(folder: Path, truth: Truth) -> None:
    """Write what broke, a line for each column."""
    lines = [
        f"    {json.dumps(column)}: "
        + json.dumps({"sites": _by_path(broken.sites), "tests": _by_path(broken.tests)}, ensure_ascii=False)
        for column, broken in sorted(truth.columns.items())
    ]
    head = {"ran": truth.ran, "with": truth.versions, "digest": truth.digest}
    start = "".join(f"  {json.dumps(key)}: {json.dumps(value)},\n" for key, value in head.items())
    text = "{\n" + start + '  "columns": {\n' + ",\n".join(lines) + "\n  }\n}\n"
    (folder / BREAKS).write_text(text, encoding="utf-8")


def read_truth(folder: Path) -> Truth:
    """Read what broke; raises OSError where no truth was written."""
    found = json.loads((folder / BREAKS).read_text(encoding="utf-8"))
    columns = {
        column: Broken(_sites(broken["sites"]), _sites(broken["tests"])) for column, broken in found["columns"].items()
    }
    return Truth(found["ran"], found["with"], found["digest"], columns)


def _by_path(sites: Iterable[Site]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for site in sorted(sites):
        found.setdefault(site.path, []).append(site.name)
    return found


def _sites(by_path: Mapping[str, list[str]]) -> frozenset[Site]:
    return frozenset(Site(path, name) for path, names in by_path.items() for name in names)
