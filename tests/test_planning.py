"""The plan for a large installation: what follows from unit costs, and whether the simulation agrees."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from scripts.planning.model import BUSY, SIZES, TARGET_MS, Size, breaking, need, service_ms
from scripts.planning.page import write_section
from scripts.planning.simulation import simulate
from scripts.planning.units import Units

UNITS = Units(
    source_mb=10.0,
    chunks=10_000,
    cpu_s_per_mb=0.5,
    graph_s_per_100k=20.0,
    graph_mb_per_100k=300.0,
    bytes_per_chunk={
        "text": 200.0,
        "vectors": 260.0,
        "postings of words": 100.0,
        "symbols": 20.0,
        "chunks": 20.0,
        "files": 10.0,
    },
    fixed_ms=5.0,
    words_ms_per_million=5.0,
    exact_ms_per_million=20.0,
    signs_ms_per_million=5.0,
    compared_ms=0.5,
    root_ms=1.0,
    root_question_ms=0.1,
    touched={"arrays": 0.05, "vectors": 0.3},
)


def test_a_question_costs_what_its_legs_cost() -> None:
    assert service_ms(UNITS, 100_000, 1) == pytest.approx(5 + 0.5 + 2)
    assert service_ms(UNITS, 1_000_000, 1) == pytest.approx(5 + 5 + 5 + 0.5)
    assert service_ms(UNITS, 1_000_000, 11) == pytest.approx(16.5)


def test_what_an_installation_needs() -> None:
    one = need(UNITS, Size(1e6, 10, 1.0))
    assert one.machines == 1
    assert one.index_gb == pytest.approx(0.61)
    assert one.build_core_hours == pytest.approx(1000 * 0.5 / 3600)
    for size in SIZES:
        found = need(UNITS, size)
        assert found.shard_ms <= TARGET_MS
        assert found.month_usd > found.machines


@pytest.mark.parametrize("size", SIZES)
def test_the_simulation_agrees_with_the_model(size: Size) -> None:
    found = need(UNITS, size)
    met = simulate(found, questions=800)
    assert found.shard_ms * 0.9 <= met.p50_ms <= met.p99_ms
    assert met.busy <= BUSY * 1.1


def test_too_many_questions_queue() -> None:
    calm = need(UNITS, Size(1e8, 1_000, 20.0))
    flooded = replace(calm, replicas=1, shards=1, shard_ms=500.0, size=replace(calm.size, questions_per_s=40.0))
    assert simulate(flooded, questions=800).p99_ms > 2_000
    assert simulate(flooded, questions=800) == simulate(flooded, questions=800)


def test_what_gives_way_first_comes_first() -> None:
    assert [chunks for _, chunks, _ in breaking(UNITS)] == sorted(chunks for _, chunks, _ in breaking(UNITS))
    assert breaking(UNITS)[0][0] == "a question takes 200 ms"


@pytest.mark.slow
def test_the_section_is_replaced_and_the_rest_stays(tmp_path: Path) -> None:
    page = tmp_path / "scaling.md"
    page.write_text("# Cost\n\n| chunks | 1,000 | 2,000,000 |\n| warm p50, ms | 5.0 (4..6) | 30.0 |\n")
    write_section(UNITS, page)
    once = page.read_text()
    write_section(replace(UNITS, cpu_s_per_mb=0.7), page)
    assert "1,000 chunks: 5 ms for 5; 2,000,000 chunks: 30 ms for 30" in once
    assert page.read_text() != once
    assert "| indexing | 0.70 s/MB |" in page.read_text()
    assert page.read_text().startswith("# Cost\n\n| chunks")
    assert page.read_text().count("<!-- plan -->") == 1
