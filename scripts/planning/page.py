"""Unit costs and what follows from them to a section of docs/scaling.md."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from coderag.limits import ROOTS
from scripts.planning.model import (
    BUSY,
    CORES,
    MEMORY_GB,
    PRICES,
    SIZES,
    TARGET_MS,
    breaking,
    need,
    roots_limit,
    service_ms,
)
from scripts.planning.simulation import simulate
from scripts.planning.units import Units

__all__ = ["MARKED", "calibrated", "section", "write_section"]

LARGE = 500_000  # chunks of an index that tells what a million cost
ROW = re.compile(r"^\| (chunks|warm p50, ms) \| (.*) \|$", re.MULTILINE)
MARKED = re.compile(r"\n<!-- plan -->\n.*?<!-- end of plan -->\n", re.DOTALL)


def write_section(units: Units, page: Path) -> None:
    """Put the section in place of the one in a page, or at its end."""
    text = MARKED.sub("", page.read_text(encoding="utf-8"))
    units = calibrated(units, text)
    page.write_text(f"{text}\n<!-- plan -->\n{section(units, text)}<!-- end of plan -->\n", encoding="utf-8")


def section(units: Units, page: str = "") -> str:
    """Return the section in Markdown; a page with measured figures is what the model is compared with."""
    parts = (_head(units), _compared(units, page), _structures(units), _needs(units), _breaks(units), _cold(units))
    return "\n".join(line for part in parts for line in part) + "\n"


def _compared(units: Units, page: str) -> list[str]:
    """Return what the model says of the sizes that were measured."""
    said = [
        f"{chunks:,} chunks: {service_ms(units, chunks, 1):.0f} ms for {milliseconds:.0f}"
        for chunks, milliseconds in _measured(page)
    ]
    if not said:
        return []
    return [
        f"The model beside what was measured above, over other source: {'; '.join(said)}. What a million chunks "
        "cost the words is what is left of the largest of these.",
        "",
    ]


def _measured(page: str) -> list[tuple[int, float]]:
    """Return the chunks and the milliseconds of a question that a page says were measured."""
    rows = {row[1]: row[2].split("|") for row in ROW.finditer(page)}
    if len(rows) < 2:
        return []
    counts = [int(chunks.replace(",", "")) for chunks in rows["chunks"]]
    return list(zip(counts, (float(time.split()[0]) for time in rows["warm p50, ms"]), strict=True))


def calibrated(units: Units, page: str) -> Units:
    """Return unit costs with that of words as the largest index that was measured has it: ours is too small to tell."""
    chunks, milliseconds = max(_measured(page), default=(0, 0.0))
    if chunks < LARGE:
        return units
    known = service_ms(replace(units, words_ms_per_million=0.0), chunks, 1)
    return replace(units, words_ms_per_million=max(milliseconds - known, 0.0) / chunks * 1e6)


def _head(units: Units) -> list[str]:
    return [
        "## A plan for 100 million chunks",
        "",
        f"Written by `scripts/benchmark.py --plan`, from unit costs over {units.source_mb:.1f} MB of source "
        f"({units.chunks:,} chunks), one core's time:",
        "",
        "| what | cost |",
        "| --- | --- |",
        f"| indexing | {units.cpu_s_per_mb:.2f} s/MB |",
        f"| the graph | {units.graph_s_per_100k:.0f} s and {units.graph_mb_per_100k:,.0f} MB per 100,000 chunks |",
        f"| a question, whatever the size | {units.fixed_ms:.1f} ms |",
        f"| ... words, sums and the choice of the best | {units.words_ms_per_million:.1f} ms per million chunks |",
        f"| ... every vector compared (up to 200,000 chunks) | {units.exact_ms_per_million:.1f} ms per million |",
        f"| ... their signs counted, and 4,000 compared | {units.signs_ms_per_million:.1f} ms per million, "
        f"and {units.compared_ms:.1f} ms |",
        f"| a root: to open it, and in a question | {units.root_ms:.2f} ms, {units.root_question_ms:.3f} ms |",
        "",
    ]


def _structures(units: Units) -> list[str]:
    total = sum(units.bytes_per_chunk.values())
    rows = sorted(units.bytes_per_chunk.items(), key=lambda one: -one[1])
    lines = [f"| {name} | {size:.0f} | {size / total:.0%} |" for name, size in rows]
    return ["| structure | bytes per chunk | share |", "| --- | --- | --- |", *lines, f"| all | {total:.0f} | |", ""]


def _needs(units: Units) -> list[str]:
    lines = [
        f"Machines of {CORES} cores and {MEMORY_GB} GB that are busy for {BUSY:.0%} at most, a question in "
        f"{TARGET_MS:.0f} ms. Prices are assumed: {PRICES.machine_hour} USD per machine and hour, "
        f"{PRICES.core_hour} per core and hour of a batch machine, {PRICES.store_gb_month} per GB and month of a "
        "store. The last columns are a simulation, event by event, of questions that arrive at random and wait for "
        "every share.",
        "",
        "| chunks | repositories | questions/s | index | build, core hours | graph, core hours | hot in memory "
        "| one machine, ms | machines | build, USD | month, USD | p50, ms | p99, ms | busy |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for size in SIZES:
        one = need(units, size)
        met = simulate(one)
        lines.append(
            f"| {size.chunks / 1e6:.0f}M | {size.repositories:,} | {size.questions_per_s:.0f} | {one.index_gb:.1f} GB "
            f"| {one.build_core_hours:.1f} | {one.graph_core_hours:.1f} | {one.hot_gb:.1f} GB "
            f"| {one.one_machine_ms:,.0f} | {one.shards} x {one.replicas} | {one.build_usd:.2f} | {one.month_usd:,.0f} "
            f"| {met.p50_ms:.0f} | {met.p99_ms:.0f} | {met.busy:.0%} |"
        )
    return [
        *lines,
        "",
        "More than one share means several servers, each with some of the repositories, and a client that asks all of "
        "them: scores of two servers differ by the rarity of words in each. coderag has no such client yet.",
        "",
    ]


def _breaks(units: Units) -> list[str]:
    lines = [
        "What gives way first on one machine, as chunks grow:",
        "",
        "| what | at | instead |",
        "| --- | --- | --- |",
    ]
    lines += [f"| {what} | {chunks / 1e6:,.1f}M chunks | {instead} |" for what, chunks, instead in breaking(units)]
    lines += ["", "... and as repositories grow in one process:", "", "| what | at |", "| --- | --- |"]
    lines += [f"| {what} | {number:,.0f} repositories |" for what, number in roots_limit(units)]
    return [
        *lines,
        "",
        f"So some {ROOTS.most:,} repositories are the most that one process should hold.",
        "",
    ]


def _cold(units: Units) -> list[str]:
    rows = [f"| `{name}` | {share:.1%} |" for name, share in sorted(units.touched.items(), key=lambda one: -one[1])]
    return [
        "What a cold question touches of an index without its graph, in pages of 4 KB (median):",
        "",
        "| file | share of the index |",
        "| --- | --- |",
        *rows,
        f"| all | {sum(units.touched.values()):.1%} |",
        "",
        "Every vector is compared below 200,000 chunks, so an index on a store that is read page by page would load "
        "all of them; above, the signs of all (32 bytes a chunk) are more than 3 % of the index by themselves. "
        "So `coderag pull` brings whole files, each once, and what `coderag export` writes to a store of objects has "
        "another form: [vectors in cells of which a question reads the nearest, and a digest for every block]"
        "(guides/stores.md#a-bucket-or-a-folder), as the sum of a whole file cannot vouch for a page of it.",
    ]
