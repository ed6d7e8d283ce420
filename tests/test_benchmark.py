"""The benchmark runs, and what it prints has the shape that readers of its JSON rely on."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

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
    "index size": "MB",
    "index / source": "",
    "peak memory": "MB",
    "first search": "s",
    "first search, CPU": "s",
}
QUERY_FIGURES = {
    "chunks": "",
    "questions": "",
    "warm p50": "ms",
    "warm p90": "ms",
    "cold search": "ms",
    "cold search, CPU": "ms",
    "warm update": "ms",
    "cold update": "ms",
    "cold update, CPU": "ms",
}


GRAPH_FIGURES = {
    "index": "s",
    "graph": "s",
    "graph / index": "",
    "nodes": "",
    "edges": "",
    "refs p50": "ms",
    "refs p90": "ms",
    "impact p50": "ms",
    "impact p90": "ms",
    "map": "ms",
}


MCP_FIGURES = {
    "start to tools/list": "s",
    "processor to tools/list": "s",
    "start to first answer": "s",
    "processor to first answer": "s",
    "memory of one": "MB",
    "memory of 2": "MB",
    "tools/list": "bytes",
    "tools/list in tokens": "",
}


def benchmark(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(CHECKOUT / "scripts" / "benchmark.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def figures(report: dict[str, Any], part: str, corpus: str) -> dict[str, Any]:
    return {one["name"]: one for one in report["figures"] if (one["part"], one["corpus"]) == (part, corpus)}


def test_figures_of_servers_for_agents(tmp_path: Path) -> None:
    done = benchmark("mcp", "--quick", "--json", "--cache", str(tmp_path))
    assert done.returncode == 0, done.stderr
    found = figures(json.loads(done.stdout), "mcp", "shop")
    assert {name: one["unit"] for name, one in found.items()} == MCP_FIGURES
    assert all(one["min"] > 0 for one in found.values())


def test_figures_of_the_graph(tmp_path: Path) -> None:
    done = benchmark("graph", "--quick", "--json", "--cache", str(tmp_path))
    assert done.returncode == 0, done.stderr
    found = figures(json.loads(done.stdout), "graph", "shop")
    assert {name: one["unit"] for name, one in found.items()} == GRAPH_FIGURES
    assert all(one["min"] > 0 for one in found.values())


@pytest.mark.skipif(not (CHECKOUT / ".git").exists(), reason="needs a checkout with its history")
def test_another_revision_is_measured_beside(tmp_path: Path) -> None:
    folder = ("--folder", str(SHOP / "worker"), "--runs", "1")
    done = benchmark("index", *folder, "--json", "--against", "HEAD", "--cache", str(tmp_path))
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert [one["name"] for one in report["corpora"]] == ["worker"]
    assert {one["engine"] for one in report["figures"]} == {"coderag", "HEAD"}
    assert {tuple(one["engines"]) for one in report["ratios"]} == {("HEAD", "coderag")}
    missing = benchmark("index", *folder, "--against", "no-such-revision", "--cache", str(tmp_path))
    assert (missing.returncode, "no-such-revision" in missing.stderr) == (2, True)
    assert list(tmp_path.iterdir()) == []


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
    assert (
        done.stderr
        == "benchmark: 'idnex' is not a part; parts are index, query, graph, mcp, scaling, quality, ablation, agent\n"
    )
    done = benchmark("--folder", str(tmp_path / "nowhere"), "--cache", str(tmp_path))
    assert done.returncode == 2
    assert done.stderr == f"benchmark: {tmp_path / 'nowhere'} is not a folder\n"
    done = benchmark("--scaling", "--compare", "semble", "--cache", str(tmp_path))
    assert done.returncode == 2
    alone = "graph, mcp, scaling, quality, ablation measure coderag alone"
    assert done.stderr == f"benchmark: --compare and --against are for index, query, agent; {alone}\n"


@pytest.mark.dev("matplotlib")
def test_scaling_writes_a_table_and_a_plot(tmp_path: Path) -> None:
    source = tmp_path / "corpora" / "linux" / "drivers"
    source.mkdir(parents=True)
    for noun in ("port", "clock", "queue", "timer", "buffer"):
        functions = (f"int {verb}_{noun}(int value)\n{{\n\treturn value;\n}}\n" for verb in ("open", "read", "reset"))
        (source / f"{noun}.c").write_text("\n".join(functions))
    options = ("--quick", "--step", "1k", "--corpora", str(tmp_path / "corpora"), "--cache", str(tmp_path / "cache"))
    done = benchmark("--scaling", "--json", *options, "--docs", str(tmp_path / "docs"))
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert {one["name"]: one["unit"] for one in report["figures"]} == INDEX_FIGURES | QUERY_FIGURES
    assert figures(report, "scaling", "1k")["chunks"]["median"] == 15
    page = (tmp_path / "docs" / "scaling.md").read_text()
    assert "| what | 1k |\n| --- | --- |\n| files | 5 |" in page
    assert "(scaling.svg)" in page
    assert "<svg" in (tmp_path / "docs" / "scaling.svg").read_text()
    assert not list((tmp_path / "cache").iterdir())


CODE_SET = """
import argparse, json, shlex, subprocess
parser = argparse.ArgumentParser()
for name in ("--suite", "--label", "--out"):
    parser.add_argument(name)
parser.add_argument("--arg", action="append")
options = parser.parse_args()
commands = dict(one.split("=", 1) for one in options.arg)
root = {root!r}
subprocess.run(commands["index"].replace("{{root}}", shlex.quote(root)), shell=True, check=True)
asked = json.dumps({{"query": "TokenBucket", "k": 1}})
serve = commands["serve"].replace("{{root}}", shlex.quote(root))
hits = json.loads(subprocess.run(serve, shell=True, check=True, input=asked, capture_output=True, text=True).stdout)
right = float(hits[0]["name"] == "TokenBucket")
means = {{"ndcg10": right, "ndcg10_tight": right, "recall10": right, "mrr": right, "hit1": right, "n": 1}}
found = {{"query_mean": means, "repo_mean": means, "by_category": {{"symbol": means}}, "query_p50_ms": 4.0}}
open(options.out, "w").write(json.dumps(found))
"""


def test_quality_is_measured_by_the_programs_of_question_sets(tmp_path: Path) -> None:
    shutil.copytree(SHOP, tmp_path / "shop", ignore=shutil.ignore_patterns(".coderag"))
    (tmp_path / "sets/code").mkdir(parents=True)
    (tmp_path / "sets/code/run.py").write_text(CODE_SET.format(root=str(tmp_path / "shop")))
    options = ("--json", "--cache", str(tmp_path / "cache"), "--sets", str(tmp_path / "sets"), "--only", "semble")
    done = benchmark("quality", *options)
    assert done.returncode == 0, done.stderr
    found = figures(json.loads(done.stdout), "quality, code", "semble")
    assert {name: (one["median"], one["unit"]) for name, one in found.items()} == {
        "questions": (1, ""),
        "nDCG@10": (100, "%"),
        "nDCG@10 tight": (100, "%"),
        "recall@10": (100, "%"),
        "MRR": (100, "%"),
        "success@1": (100, "%"),
        "p50": (4, "ms"),
    }


def test_ablation_asks_with_each_kind_of_evidence_left_out(tmp_path: Path) -> None:
    shutil.copytree(SHOP, tmp_path / "shop", ignore=shutil.ignore_patterns(".coderag"))
    (tmp_path / "sets/code").mkdir(parents=True)
    (tmp_path / "sets/code/run.py").write_text(CODE_SET.format(root=str(tmp_path / "shop")))
    options = ("--json", "--cache", str(tmp_path / "cache"), "--sets", str(tmp_path / "sets"), "--only", "semble")
    done = benchmark("ablation", *options)
    assert done.returncode == 0, done.stderr
    for name in ("all", "without vectors", "without the learned ranker"):
        found = figures(json.loads(done.stdout), "ablation, semble", name)
        assert (found["nDCG@10"]["median"], found["nDCG@10"]["unit"]) == (100, "%")


def test_quality_needs_question_sets(tmp_path: Path) -> None:
    done = benchmark("quality", "--cache", str(tmp_path / "cache"))
    assert done.returncode == 2
    assert done.stderr == "benchmark: name the folder of the question sets with --sets or CODERAG_QUESTION_SETS\n"
    done = benchmark("quality", "--cache", str(tmp_path / "cache"), "--sets", str(tmp_path))
    assert done.returncode == 2
    assert "has neither code/run.py nor sql/run_sql.py" in done.stderr
