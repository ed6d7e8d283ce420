"""The command line of the benchmark."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from scripts.bench.agent.figures import figures_of
from scripts.bench.agent.page import write_page as write_agent_page
from scripts.bench.agent.questions import find_repositories
from scripts.bench.agent.rows import Row, rows_of
from scripts.bench.corpora import find_corpora, packages, scaling_package
from scripts.bench.engines import CHECKOUT, WORDS_ALONE, Engine, checked_out, coderag, semble
from scripts.bench.graphing import GRAPH, measure_graph
from scripts.bench.indexing import chunk_count
from scripts.bench.installing import measure_install
from scripts.bench.machine import busy, describe, look
from scripts.bench.notes import Effort
from scripts.bench.quality import CODE_SUITES, SQL, VARIABLE, find_sets, measure_ablation, measure_quality
from scripts.bench.records import BenchmarkError, Corpus, Figure, LeftOut
from scripts.bench.report import Report, as_json, as_markdown, as_text
from scripts.bench.scaling import SCALING, STEPS, measure_scaling
from scripts.bench.scaling_page import write_page
from scripts.bench.serving import MCP, measure_mcp
from scripts.bench.speed import INDEX, QUERY, measure_speed
from scripts.bench.subsets import mixed, with_chunks

__all__ = ["run"]

PARTS = (INDEX, QUERY)
# Only where they are asked for: they need question sets.
QUALITY, ABLATION = "quality", "ablation"
AGENT = "agent"
WITH_SETS = (QUALITY, ABLATION, AGENT)
ALONE = (GRAPH, MCP, SCALING, QUALITY, ABLATION)  # these measure coderag and nothing else
WITH_RIVALS = (*PARTS, AGENT)
ALL_PARTS = (*PARTS, *ALONE, AGENT)
CACHE = Path.home() / ".cache" / "coderag-benchmark"
MIXED = "mixed"
MIXED_BYTES = 20_000_000  # of each language
CHUNKS = 100_000
MANY = f"{CHUNKS // 1000}k-chunks"
DJANGO = "django/django"  # the framework without its tests and documents
DOCS = CHECKOUT / "docs"
FULL = Effort(builds=5, runs=3, questions=300, warm_up=30, cold_runs=11, updates=5, workers=2, servers=10)
QUICK = Effort(builds=1, runs=1, questions=30, warm_up=5, cold_runs=2, updates=1, workers=2, servers=2)


@dataclass(frozen=True, slots=True)
class Plan:
    """What to measure, and with what."""

    engines: tuple[Engine, ...]
    effort: Effort
    cache: Path
    scratch: Path
    only: frozenset[str]  # names of corpora; empty: all

    def wants(self, name: str) -> bool:
        return not self.only or name in self.only


def say(what: str) -> None:
    """Tell on the error stream what is being done: the figures go to the other."""
    print(what, file=sys.stderr, flush=True)


def run(arguments: Sequence[str]) -> int:
    """Measure what the arguments ask for and print it; return the exit status."""
    options = _parser().parse_args(arguments)
    if options.plan:
        return _plan(options.docs)
    try:
        report = _measure(options)
    except BenchmarkError as error:
        print(f"benchmark: {error}", file=sys.stderr)
        return 2
    if options.json:
        print(json.dumps(as_json(report), indent=2))
    else:
        print(as_markdown(report) if options.markdown else as_text(report))
    return 0


def _plan(docs: Path) -> int:
    """Measure unit costs over this checkout, and write what follows from them."""
    from scripts.planning.page import MARKED, calibrated, section, write_section
    from scripts.planning.units import measure_units

    with tempfile.TemporaryDirectory(prefix="coderag-plan-") as scratch:
        root = Path(scratch, "source")
        for name in ("coderag", "docs", "parsers", "schemas", "scripts", "tests"):
            shutil.copytree(CHECKOUT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
        units = measure_units(root, Path(scratch))
    write_section(units, docs / "scaling.md")
    text = MARKED.sub("", (docs / "scaling.md").read_text(encoding="utf-8"))
    print(section(calibrated(units, text), text))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="benchmark.py", description="Measure what coderag needs for real code.")
    parser.add_argument(
        "parts", nargs="*", metavar="PART", help=f"{', '.join(ALL_PARTS)} (default: {' and '.join(PARTS)})"
    )
    parser.add_argument(
        f"--{SCALING}", action="append_const", dest="more_parts", const=SCALING, default=[], help=f"the part {SCALING}"
    )
    parser.add_argument("--plan", action="store_true", help="unit costs, and a plan by them, into docs/scaling.md")
    parser.add_argument("--install", action="store_true", help="measure the size of an installation, nothing else")
    parser.add_argument("--quick", action="store_true", help="one run of everything over fixtures/shop")
    names = _corpus_names()
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="NAME",
        help=f"measure on this corpus: {', '.join(names)}; for {AGENT} a suite or a repository of it",
    )
    parser.add_argument(
        "--folder",
        action="append",
        type=Path,
        default=[],
        metavar="DIR",
        help=f"measure {' and '.join(PARTS)} on the files of this folder, and on nothing else",
    )
    parser.add_argument(
        "--sets",
        type=Path,
        metavar="DIR",
        help=f"the question sets for {', '.join(WITH_SETS)} (default: ${VARIABLE})",
    )
    parser.add_argument("--runs", type=int, help=f"how often each index is built (default: {FULL.builds})")
    parser.add_argument(
        "--step",
        action="append",
        choices=[one.name for one in STEPS],
        help=f"for {SCALING}: about so many chunks (default: all of them)",
    )
    parser.add_argument(
        "--docs",
        type=Path,
        default=DOCS,
        metavar="DIR",
        help=f"where {SCALING} and {AGENT} write a table and a plot (default: %(default)s)",
    )
    parser.add_argument(
        "--encoder",
        default="",
        metavar="NAME",
        help=f'as for "coderag index"; with "{WORDS_ALONE}" there are no vectors',
    )
    parser.add_argument("--workers", type=int, default=FULL.workers, help="processes that index (default: %(default)s)")
    parser.add_argument(
        "--cache", type=Path, default=CACHE, metavar="DIR", help="where corpora are kept (default: %(default)s)"
    )
    parser.add_argument("--corpora", type=Path, metavar="DIR", help="prepared corpora by name; nothing is fetched")
    parser.add_argument(
        "--against", metavar="REVISION", help="measure another revision of coderag in turns with this one"
    )
    parser.add_argument("--compare", choices=["semble"], help="measure another engine in turns with coderag")
    parser.add_argument("--semble-python", metavar="PYTHON", help="an interpreter that can import semble")
    parser.add_argument(
        "--semble-model", default="", metavar="DIR", help="its model (default: it does without vectors)"
    )
    output = parser.add_mutually_exclusive_group()
    output.add_argument("--markdown", action="store_true", help="print Markdown tables")
    output.add_argument("--json", action="store_true", help="print JSON with every run")
    return parser


def _corpus_names() -> list[str]:
    return [*(package.name for package in packages()), DJANGO, MIXED, MANY, *CODE_SUITES, SQL]


def _measure(options: argparse.Namespace) -> Report:
    options.parts += options.more_parts
    unknown = [part for part in options.parts if part not in ALL_PARTS]
    if unknown:
        raise BenchmarkError(f"{unknown[0]!r} is not a part; parts are {', '.join(ALL_PARTS)}")
    if (options.compare or options.against) and any(part in options.parts for part in ALONE):
        raise BenchmarkError(
            f"--compare and --against are for {', '.join(WITH_RIVALS)}; {', '.join(ALONE)} measure coderag alone"
        )
    names = [] if AGENT in options.parts else [name for name in options.only if name not in _corpus_names()]
    if names:
        raise BenchmarkError(f"{names[0]!r} is no corpus; corpora are {', '.join(_corpus_names())}")
    if options.runs is not None and options.runs < 1:
        raise BenchmarkError(f"--runs is {options.runs}; measure at least once")
    _given(options.folder)
    effort = replace(QUICK if options.quick else FULL, workers=options.workers)
    if options.runs is not None:
        effort = replace(effort, builds=options.runs, runs=min(options.runs, effort.runs))
    before = look()
    # Beside the corpora, so that indexes are written to the same disk in every run.
    options.cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="run-", dir=options.cache, ignore_cleanup_errors=True) as scratch:
        engines, without = _engines(options, Path(scratch))
        plan = Plan(engines, effort, options.cache, Path(scratch), frozenset(options.only))
        corpora, figures, left_out = _all_figures(options, plan)
    after = look()
    versions = {engine.name: engine.version for engine in engines}
    report = Report(
        describe(), versions, before, after, busy(before, after), tuple(corpora), (*without, *left_out), tuple(figures)
    )
    if SCALING in options.parts:
        write_page(report, options.docs)
    if AGENT in options.parts and not options.only:  # a part of the questions is no page of the documentation
        write_agent_page(report, options.docs)
    return report


def _engines(options: argparse.Namespace, scratch: Path) -> tuple[tuple[Engine, ...], list[LeftOut]]:
    """Return the engines to measure; one that cannot run is left out."""
    ours = coderag(options.encoder)
    if options.against is not None:
        earlier = checked_out(options.against, scratch)
        return (ours, coderag(options.encoder, checkout=earlier, name=options.against.replace("/", "-"))), []
    if options.compare is None:
        return (ours,), []
    model = "" if options.encoder == WORDS_ALONE else options.semble_model
    try:
        return (ours, semble(options.semble_python or sys.executable, model)), []
    except BenchmarkError as error:
        say(str(error))
        return (ours,), [LeftOut("semble", "it cannot be imported; name an interpreter with --semble-python")]


def _all_figures(options: argparse.Namespace, plan: Plan) -> tuple[list[Corpus], list[Figure], list[LeftOut]]:
    if options.install:
        return [], measure_install(scratch=plan.scratch, say=say), []
    good: list[Figure] = []
    if QUALITY in options.parts:
        good += measure_quality(find_sets(options.sets), only=options.only, scratch=plan.scratch, say=say)
    if ABLATION in options.parts:
        good += measure_ablation(find_sets(options.sets), only=options.only, scratch=plan.scratch, say=say)
    used: list[Corpus] = []
    left_out: list[LeftOut] = []
    if AGENT in options.parts:
        found, left_out = _agent_figures(options, plan)
        good += found
    if SCALING in options.parts:
        used, without = find_corpora([scaling_package()], cache=options.cache, prepared=options.corpora, say=say)
        if not used:
            raise BenchmarkError(f"there is nothing to take parts from: {without[0].reason}")
        steps = [one for one in STEPS if one.name in (options.step or [one.name])]
        good += measure_scaling(
            plan.engines[0], used[0], steps=steps, effort=plan.effort, scratch=plan.scratch, say=say
        )
    if GRAPH in options.parts:
        corpora, without = _own_corpora(options, plan)
        used, left_out = [*used, *corpora], [*left_out, *without]
        for corpus in corpora:
            good += measure_graph(plan.engines[0], corpus, effort=plan.effort, scratch=plan.scratch, say=say)
    if MCP in options.parts:
        corpora, without = _own_corpora(options, plan)
        used, left_out = [*used, *corpora], [*left_out, *without]
        for corpus in corpora:
            good += measure_mcp(plan.engines[0], corpus, effort=plan.effort, scratch=plan.scratch, say=say)
    parts = [part for part in options.parts or PARTS if part in PARTS]
    if not parts:
        return used, good, left_out
    corpora, figures, without = _speed_figures(options, plan, parts)
    return [*used, *corpora], [*figures, *good], [*left_out, *without]


def _agent_figures(options: argparse.Namespace, plan: Plan) -> tuple[list[Figure], list[LeftOut]]:
    repositories, left_out = find_repositories(find_sets(options.sets), only=options.only)
    semble = next((engine for engine in plan.engines if engine.name == options.compare), None)
    rows: list[Row] = []
    for repository in repositories:
        rows += rows_of(repository, semble=semble, cache=plan.cache, scratch=plan.scratch, say=say)
    return figures_of(rows), left_out


def _own_corpora(options: argparse.Namespace, plan: Plan) -> tuple[list[Corpus], list[LeftOut]]:
    if options.quick:
        return [_shop()], []
    chosen = [package for package in packages() if plan.wants(package.name)]
    return find_corpora(chosen, cache=options.cache, prepared=options.corpora, say=say)


def _shop() -> Corpus:
    return Corpus("shop", CHECKOUT / "fixtures" / "shop", "of this checkout")


def _given(folders: Sequence[Path]) -> list[Corpus]:
    """Return folders as corpora by their names; raises BenchmarkError for what is none."""
    for folder in folders:
        if not folder.is_dir():
            raise BenchmarkError(f"{folder} is not a folder")
    return [Corpus(folder.resolve().name, folder.resolve(), "as it is") for folder in folders]


def _speed_figures(
    options: argparse.Namespace, plan: Plan, parts: Sequence[str]
) -> tuple[list[Corpus], list[Figure], list[LeftOut]]:
    given = [_shop()] if options.quick else _given(options.folder)
    if given:
        return given, _figures(plan, dict.fromkeys(given, parts)), []
    chosen = [package for package in packages() if _is_needed(package.name, plan)]
    corpora, left_out = find_corpora(chosen, cache=options.cache, prepared=options.corpora, say=say)
    measured = _measured(plan, parts, corpora)
    used = list(dict.fromkeys([*corpora, *measured]))
    return used, _figures(plan, measured), left_out


def _is_needed(name: str, plan: Plan) -> bool:
    """Tell whether a package is measured, or part of a corpus that is."""
    return plan.wants(name) or plan.wants(MIXED) or plan.wants(MANY) or (name == "django" and plan.wants(DJANGO))


def _measured(plan: Plan, parts: Sequence[str], corpora: Sequence[Corpus]) -> dict[Corpus, Sequence[str]]:
    """Return the corpora to measure on, and which parts each is for: the one of many chunks is asked where it is."""
    chosen = [corpus for corpus in corpora if plan.wants(corpus.name)]
    chosen += [
        Corpus(DJANGO, corpus.folder / "django", corpus.version)
        for corpus in corpora
        if corpus.name == "django" and plan.wants(DJANGO)
    ]
    if plan.wants(MIXED) and INDEX in parts:
        chosen.append(mixed(corpora, each_bytes=MIXED_BYTES, name=MIXED, cache=plan.cache))
    if not plan.wants(MANY):
        return dict.fromkeys(chosen, parts)

    def count(corpus: Corpus) -> int:
        return chunk_count(plan.engines[0], corpus, workers=plan.effort.workers, scratch=plan.scratch)

    many = with_chunks(corpora, wanted=CHUNKS, name=MANY, cache=plan.cache, count=count, say=say)
    only_indexed = [part for part in parts if part != QUERY]
    return {**dict.fromkeys(chosen, only_indexed), many: parts}


def _figures(plan: Plan, measured: Mapping[Corpus, Sequence[str]]) -> list[Figure]:
    figures: list[Figure] = []
    for corpus, parts in measured.items():
        if parts:
            figures += measure_speed(
                plan.engines, corpus, parts=parts, effort=plan.effort, scratch=plan.scratch, say=say
            )
    return figures
