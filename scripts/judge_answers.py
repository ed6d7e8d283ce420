"""Judge answers: questions with reference spans, over example applications and packages, to the figures of both halves.

scripts/judge_answers.py [NAME ...] [--part all|tuned|kept] [--cache DIR] [--json FILE] [--show] [-- OPTIONS]

Each file of fixtures/ask/questions is asked of what it is named after, by `coderag eval --answers` with OPTIONS: shop,
another application of fixtures/apps, or a package, whose wheel pip brings into the cache. Nothing of it is run.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[1]
QUESTIONS = REPOSITORY / "fixtures/ask/questions"
PACKAGES = {"click": "8.1.8", "httpx": "0.28.1", "jinja2": "3.1.6", "starlette": "0.46.2"}
CACHE = Path.home() / ".cache/coderag-judging"
FOUND = 0
TARGETS = {
    "context recall": 0.85,
    "citation precision": 1.0,
    "abstention precision": 0.85,
    "abstention recall": 0.80,
}


def half(question: str) -> str:
    """Return the half that a question is in: "tuned", or "kept" for measuring only."""
    return "kept" if hashlib.sha256(question.encode()).digest()[0] % 2 else "tuned"


def questions(name: str, part: str) -> list[str]:
    """Return the lines of a file of questions that are in a half."""
    lines = (QUESTIONS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    asked = [(line, json.loads(line)) for line in lines if not line.startswith("#")]
    return [line for line, row in asked if part in ("all", half(row.get("query") or row["question"]))]


def root_of(name: str, cache: Path) -> Path:
    """Return the folder that the questions are about, in the cache."""
    root = cache / (f"{name}-{PACKAGES[name]}" if name in PACKAGES else name)
    if name not in PACKAGES:
        source = REPOSITORY / "fixtures" / ("shop" if name == "shop" else f"apps/{name}")
        return Path(shutil.copytree(source, root, ignore=shutil.ignore_patterns(".coderag"), dirs_exist_ok=True))
    if not root.is_dir():
        _unpack(f"{name}=={PACKAGES[name]}", root)
    return root


def _unpack(requirement: str, root: Path) -> None:
    """Bring the wheel of a package and unpack its modules, whole or not at all."""
    root.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=root.parent) as folder:
        wheel = ["--no-deps", "--only-binary", ":all:", "--quiet", "--dest", folder, requirement]
        subprocess.run([sys.executable, "-m", "pip", "download", *wheel], check=True)
        (archive,) = Path(folder).glob("*.whl")
        with zipfile.ZipFile(archive) as opened:
            modules = [name for name in opened.namelist() if ".dist-info/" not in name]
            opened.extractall(Path(folder) / "unpacked", modules)
        (Path(folder) / "unpacked").rename(root)


def answers(name: str, lines: Sequence[str], *, cache: Path, options: Sequence[str]) -> list[dict[str, Any]]:
    """Return what `coderag eval --answers` says of each question."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{name}.jsonl"
        file.write_text("\n".join(lines), encoding="utf-8")
        # What is near the sources comes of the graph, which else would follow in the background.
        index = [sys.executable, "-m", "coderag", "index", str(root_of(name, cache)), "--wait", "--quiet"]
        subprocess.run(index, check=True)
        command = [sys.executable, "-m", "coderag", "eval", str(file), "--answers", "--json", "--verbose", *options]
        done = subprocess.run([*command, "--root", str(root_of(name, cache))], stdout=subprocess.PIPE, check=False)
    if done.returncode != FOUND:
        raise SystemExit(f"coderag eval ended with {done.returncode} for {name}")
    judged: list[dict[str, Any]] = json.loads(done.stdout)["answers"]
    return [{"root": name, "part": half(one["question"]), **one} for one in judged]


def means(judged: Sequence[dict[str, Any]]) -> dict[str, tuple[float, int]]:
    """Return the mean of each measure, and over how many questions it is."""
    values: dict[str, list[float]] = {}
    for one in judged:
        for measure, value in one["scores"].items():
            values.setdefault(measure, []).append(value)
    return {measure: (sum(known) / len(known), len(known)) for measure, known in values.items()}


def table(judged: Sequence[dict[str, Any]]) -> list[str]:
    """Return the measures as lines: of each half, of each kind and of each root."""
    rows = []
    groups = [("part", part) for part in ("tuned", "kept")]
    groups += [(field, name) for field in ("kind", "root") for name in sorted({one[field] for one in judged})]
    for field, name in groups:
        chosen = [one for one in judged if one[field] == name]
        if not chosen:
            continue
        rows.append(f"{field} {name}: {len(chosen)} questions")
        for measure, (mean, number) in means(chosen).items():
            target = f"  target {TARGETS[measure]:.2f}" if field == "part" and measure in TARGETS else ""
            rows.append(f"    {measure:<28} {mean:.3f} of {number:>3}{target}")
    return rows


def wrong(one: dict[str, Any]) -> bool:
    """Tell whether an answer misses a reference, or is one where nothing answers."""
    scores: dict[str, float] = one["scores"]
    return scores.get("context recall", scores.get("abstention recall", 1.0)) < 1


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the measures, and with --show each question that is not answered well."""
    names = sorted(path.stem for path in QUESTIONS.glob("*.jsonl"))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", choices=[[], *names], metavar="NAME", help=", ".join(names))
    parser.add_argument("--part", choices=["all", "tuned", "kept"], default="all")
    parser.add_argument("--cache", type=Path, default=CACHE, help="where packages and indexes are kept")
    parser.add_argument("--json", type=Path, help="also write every answer with its scores")
    parser.add_argument("--show", action="store_true", help="print the questions of the tuned half answered badly")
    given = list(sys.argv[1:] if arguments is None else arguments)
    own, further = (given[: given.index("--")], given[given.index("--") + 1 :]) if "--" in given else (given, [])
    options = parser.parse_args(own)
    judged = []
    for name in options.names or names:
        if lines := questions(name, options.part):
            judged += answers(name, lines, cache=options.cache, options=further)
    for one in judged if options.show else ():
        if one["part"] == "tuned" and wrong(one):
            scores = ", ".join(f"{measure} {value:.2f}" for measure, value in one["scores"].items())
            print(
                f"{one['root']} {one['kind']}: {one['question']}\n    {one['verdict']}: {scores}\n    {one['sources']}"
            )
    print("\n".join(table(judged)))
    if options.json:
        options.json.write_text(json.dumps(judged, indent=1), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
