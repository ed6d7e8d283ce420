"""The benchmark runs, and what it prints has the shape that readers of its JSON rely on."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).resolve().parents[1]
SHOP = CHECKOUT / "fixtures" / "shop"
INDEX_FIGURES = {
    "files": "",
    "source": "MB",
    "chunks": "",
    "wall": "s",
    "speed": "MB/s",
    "chunk rate": "chunks/s",
    "CPU": "s",
    "index / source": "",
    "peak memory": "MB",
}
QUERY_FIGURES = {
    "chunks": "",
    "questions": "",
    "warm p50": "ms",
    "warm p90": "ms",
    "cold search": "ms",
    "warm update": "ms",
    "cold update": "ms",
}


def benchmark(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(CHECKOUT / "scripts" / "benchmark.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def figures(report: dict[str, Any], part: str, corpus: str) -> dict[str, Any]:
    return {one["name"]: one for one in report["figures"] if (one["part"], one["corpus"]) == (part, corpus)}


def test_quick_run_prints_every_figure(tmp_path: Path) -> None:
    done = benchmark("--quick", "--json", "--cache", str(tmp_path))
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert set(report) == {"version", "machine", "versions", "load", "corpora", "left_out", "figures", "ratios"}
    assert set(report["machine"]) == {"processor", "cores", "memory_gb", "system", "python"}
    assert set(report["load"]) == {"before", "after", "busy"}
    assert [one["name"] for one in report["corpora"]] == ["shop"]
    for part, expected in (("index", INDEX_FIGURES), ("query", QUERY_FIGURES)):
        found = figures(report, part, "shop")
        assert {name: one["unit"] for name, one in found.items()} == expected
        for one in found.values():
            assert 0 < one["min"] <= one["median"] <= one["max"], one
            assert one["engine"] == "coderag"
    assert list(tmp_path.iterdir()) == []


def test_prepared_corpora_are_mixed_and_missing_ones_left_out(tmp_path: Path) -> None:
    prepared = tmp_path / "corpora"
    shutil.copytree(SHOP / "shop", prepared / "django")
    shutil.copytree(SHOP / "worker", prepared / "go")
    options = ("--only", "mixed", "--runs", "1", "--corpora", str(prepared), "--cache", str(tmp_path / "cache"))
    done = benchmark("index", "--json", *options)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert [one["name"] for one in report["left_out"]] == ["sqlalchemy", "java", "c", "typescript"]
    assert report["left_out"][0]["reason"] == f"there is no folder sqlalchemy in {prepared}"
    sources = [*(SHOP / "shop").rglob("*.py"), *(SHOP / "worker").rglob("*.go")]
    assert figures(report, "index", "mixed")["files"]["median"] == sum(path.stat().st_size > 0 for path in sources)


def test_mistakes_are_told_in_a_line(tmp_path: Path) -> None:
    done = benchmark("idnex", "--cache", str(tmp_path))
    assert done.returncode == 2
    assert done.stderr == "benchmark: 'idnex' is not a part; parts are index and query\n"
