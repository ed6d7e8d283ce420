"""The steps of training, one a command: fetch, extract, train, measure."""

from __future__ import annotations

import argparse
import gc
import pickle
import tarfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

from coderag.encoders.encoder import Array, Passage
from coderag.encoders.static import MODEL_FOLDER, FieldWeights, StaticEncoder
from scripts.training.archives import Package, packages
from scripts.training.bags import pieces_of, training_bags
from scripts.training.contrast import Recipe, Table, train
from scripts.training.extract import Extract, extract
from scripts.training.fetch import Sources, fetch, read_sources
from scripts.training.judge import Judge, mean_reciprocal, ranks_of
from scripts.training.pairs import Measured, Source, measured, pairs_of
from scripts.training.vocabulary import find_pieces
from scripts.training.write import write_model

__all__ = ["run"]

WEIGHTS = FieldWeights(name=0.8, scope=0.5, path=0.4, body_rows=300)  # chosen on the packages for development
USED = Path(__file__).with_name("sources.tsv")  # what became of each package


def run(arguments: Sequence[str]) -> int:
    """Run one step, and return the exit code."""
    parser = argparse.ArgumentParser(prog="scripts/train_encoder.py")
    steps: dict[str, Callable[[Path, Path], int]] = {
        "fetch": _fetch, "extract": _extract, "train": _train, "measure": _measure,
    }  # fmt: skip
    parser.add_argument("step", choices=steps)
    parser.add_argument("folder", type=Path, help="where packages and extracts lie")
    parser.add_argument("--model", type=Path, default=MODEL_FOLDER, help="the folder of the model")
    told = parser.parse_args(arguments)
    return steps[told.step](told.folder.resolve(), told.model)


def _fetch(folder: Path, _: Path) -> int:
    lacking = fetch(read_sources(), folder)
    print(f"{len(lacking)} packages are not to be had: {' '.join(lacking)}")
    return 0


def _extract(folder: Path, _: Path) -> int:
    extracts = folder / "extracts"
    measured_ones = packages(folder / "measured")
    with ProcessPoolExecutor(initializer=gc.disable) as pool:  # millions of objects and no cycles
        tasks = [pool.submit(_extracted, one, extracts / "measured", everything=True) for one in measured_ones]
        tasks += [
            pool.submit(_extracted, package, extracts / package.registry, everything=False)
            for package in packages(folder)
        ]
        for task in tasks:
            print(task.result(), flush=True)
    return 0


def _extracted(package: Package, folder: Path, *, everything: bool) -> str:
    """Write what a package gives, once, and tell of it."""
    target = folder / f"{package.name}.pkl"
    if target.exists():
        return f"{package.key}: there already"
    try:
        found = extract(package, everything=everything)
    except (zipfile.BadZipFile, tarfile.TarError, EOFError) as error:
        return f"{package.key} left out: {error}"
    folder.mkdir(parents=True, exist_ok=True)
    part = target.with_suffix(".part")
    part.write_bytes(pickle.dumps(found, protocol=pickle.HIGHEST_PROTOCOL))
    part.rename(target)
    return f"{package.key}: {len(found.records)} records"


def _train(folder: Path, model: Path) -> int:
    sources = read_sources()
    development, held_out = _packages_to_measure(folder, sources)
    found, told = pairs_of(_extracts(folder), sources, held_out=[*development, *held_out])
    _tell_sources(told)
    print(f"{len(found):,} pairs of {sum(one.pairs > 0 for one in told):,} packages")
    lines = find_pieces(found)
    pieces = pieces_of(lines)
    bags = training_bags(found, pieces, WEIGHTS)
    package = _numbered([pair.package for pair in found])
    question = _numbered([" ".join(pair.record.summary.lower().split()) for pair in found])
    del found
    judge = Judge(development, pieces, WEIGHTS)

    def tell(text: str, table: Table) -> None:
        print(f"{text}; development: {judge.figures(table)}", flush=True)

    table = train(bags, package=package, question=question, recipe=Recipe(), told=tell)
    print(f"held out: {Judge(held_out, pieces, WEIGHTS).figures(table)}")
    print(f"{write_model(table, lines, WEIGHTS, folder=model):,} bytes")
    return 0


def _measure(folder: Path, model: Path) -> int:
    encoder = StaticEncoder.load(model, verify=True)
    for title, found in zip(("development", "held out"), _packages_to_measure(folder, read_sources()), strict=True):
        ranks = np.concatenate([_ranks(encoder, package) for package in found])
        print(f"{title}: {len(ranks)} questions, MRR@10 {mean_reciprocal(ranks):.4f}, "
              f"recall@10 {(ranks <= 10).mean():.3f}, first {(ranks <= 1).mean():.3f}")  # fmt: skip
    return 0


def _ranks(encoder: StaticEncoder, package: Measured) -> Array:
    passages = [Passage(record.name, record.scope, record.path, record.text) for record in package.records]
    questions = np.array([encoder.encode_query(package.records[one].summary) for one in package.asked])
    return ranks_of(questions @ encoder.encode_passages(passages).T, np.array(package.asked))


def _packages_to_measure(folder: Path, sources: Sources) -> tuple[list[Measured], list[Measured]]:
    def read(names: Sequence[str]) -> list[Measured]:
        plain = [name.partition("==")[0] for name in names]
        return [measured(_load(folder / "extracts" / "measured" / f"{name}.pkl")) for name in plain]

    return read(sources.development), read(sources.held_out)


def _extracts(folder: Path) -> Iterator[Extract]:
    for registry in ("pypi", "deb", "src", "npm"):
        for path in sorted((folder / "extracts" / registry).glob("*.pkl")):
            yield _load(path)


def _load(path: Path) -> Extract:
    found: Extract = pickle.loads(path.read_bytes())  # written by the step before
    return found


def _numbered(values: Sequence[str]) -> Array:
    """Return a number for each value, equal for equal ones."""
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(value, len(numbers)) for value in values], dtype=np.int64)


def _tell_sources(told: Sequence[Source]) -> None:
    rows = [f"{one.package}\t{one.pairs}\t{one.left_out}\t{' '.join(one.told.split())[:160]}" for one in told]
    head = "package\tpairs\tleft out because\tversion and licence, as the package tells them"
    USED.write_text("\n".join([head, *sorted(rows)]) + "\n", encoding="utf-8")
