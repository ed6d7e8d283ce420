"""README.md and docs/ say what is so: commands print what is shown, and every option, field and folder is described.

A block whose info string ends with "run" is run in fixtures/shop; the `text` block below it is its output, except for
times, sizes and versions. `pytest --update` rewrites outputs and generated pages.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest

import coderag
from coderag import limits
from coderag.cli.parser.arguments import Collect
from coderag.cli.parser.parser import make_parser
from coderag.encoders.spec import EncoderSpec
from coderag.limits import LIMITS
from coderag.search.ranking.features import FAMILIES, FEATURES
from coderag.syntax import captures, link_captures
from coderag.syntax.language import Language, languages
from scripts import reference
from tests.conftest import Golden
from tests.documents import DOCS, PAGES, README, Block, blocks, section
from tests.growth import HANG_SECONDS
from tests.workspace import REPOSITORY

CLI = DOCS / "reference/cli.md"
SEARCH = DOCS / "guides/search.md"
MODELS = DOCS / "guides/models.md"
DOCUMENTS = sorted({*REPOSITORY.glob("*.md"), *PAGES})
EVALUATION = DOCS / "guides/evaluation.md"
RUNNING = [
    pytest.param(path, id=path.stem, marks=[pytest.mark.dev("ir_measures")] if path == EVALUATION else [])
    for path in PAGES
    if any(one.runs for one in blocks(path.read_text(encoding="utf-8")))
]
MAX_README_LINES = 200
COMMANDS = (
    *(
        "index",
        "merge",
        "push",
        "pull",
        "export",
        "search",
        "ask",
        "sessions",
        "outline",
        "symbols",
        "log",
        "refs",
        "impact",
        "path",
        "graph",
        "map",
    ),
    *("schema", "tables", "table", "erd", "check-sql", "check-answer", "sql", "at"),
    *("eval", "status", "watch", "helper", "clean", "languages", "completion"),
    *("mcp", "lsp", "serve", "install", "uninstall", "doctor"),
)
HOME = "/home/me/coderag"  # shown in place of the folder of the checkout

VARIES = re.compile(r"\d{4}-\d\d-\d\d|\d+(?:\.\d+)+|\d+(?= (?:B|kB|MB|s)\b|%)|just now|\d+ minutes? ago")
OPTION = re.compile(r"(?<![\w-])(--[a-z][\w-]*|-[a-z])(?![\w-])")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)[^)]*\)")
FENCED = re.compile(r"^```.*?^```\n", re.MULTILINE | re.DOTALL)


def name_of(path: Path) -> str:
    return path.relative_to(REPOSITORY).as_posix()


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a checkout whose shop is indexed, with what the examples need and `coderag` and `python` to run them."""
    root = tmp_path_factory.mktemp("docs") / "coderag"
    shutil.copytree(REPOSITORY / "fixtures/shop", root / "fixtures/shop", ignore=shutil.ignore_patterns(".coderag"))
    shutil.copytree(REPOSITORY / "scripts", root / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
    (root / ".git").mkdir()
    programs = root / ".venv/bin"
    programs.mkdir(parents=True)
    for name, command in (("coderag", "-m coderag"), ("python", "")):
        (programs / name).write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {command} "$@"\n')
        (programs / name).chmod(0o755)
    run(["coderag", "index", ".", "--quiet"], root, folder=root / "fixtures/shop")
    return root


def run(command: list[str], checkout: Path, *, folder: Path) -> str:
    """Return what a command prints, with the programs of a checkout on the path."""
    programs = checkout / ".venv/bin"
    environment = {name: value for name, value in os.environ.items() if name not in {"COLUMNS", "FORCE_COLOR"}}
    environment |= {"PYTHONPATH": str(REPOSITORY), "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    environment |= {"PYTHONUTF8": "1"}
    program = [str(programs / command[0]) if (programs / command[0]).exists() else command[0], *command[1:]]
    done = subprocess.run(program, cwd=folder, env=environment, capture_output=True, text=True, timeout=HANG_SECONDS)
    assert done.returncode == 0, f"{command[-1]}\n{done.stderr}"
    return done.stdout.replace(str(checkout), HOME)


def printed(block: Block, checkout: Path) -> str:
    """Return what a block prints; what a block that CI runs would install is installed already."""
    folder = checkout if block.info == "sh ci" else checkout / "fixtures/shop"
    if block.info == "python run":
        return run(["python", "-c", block.body], checkout, folder=folder)
    steps = [step for step in re.split(r"\s+&&\s+", block.body) if block.info != "sh ci" or "/coderag " in step]
    return run(["bash", "-euo", "pipefail", "-c", "\n".join(steps)], checkout, folder=folder)


def same(shown: str, real: str) -> bool:
    """Return whether two outputs differ only in times, sizes and versions."""
    return [VARIES.sub("0", line).split() for line in shown.splitlines()] == [
        VARIES.sub("0", line).split() for line in real.splitlines()
    ]


@pytest.mark.slow
@pytest.mark.parametrize("path", RUNNING)
def test_blocks_print_what_is_shown(path: Path, indexed: Path, tmp_path: Path, golden: Golden) -> None:
    checkout = shutil.copytree(indexed, tmp_path / "coderag")
    text = path.read_text(encoding="utf-8")
    ran = [(block, printed(block, checkout)) for block in blocks(text) if block.runs]
    for block, real in reversed(ran):  # backwards, so that the places of earlier blocks stay
        if block.shown is not None and not same(text[slice(*block.shown)], real):
            text = text[: block.shown[0]] + real + text[block.shown[1] :]
    golden(path, text)


def test_readme_is_short() -> None:
    assert len(README.read_text(encoding="utf-8").splitlines()) <= MAX_README_LINES


def test_two_commands_for_a_fresh_clone() -> None:
    install_and_search, install_and_test = [block.body for block in blocks(README.read_text()) if block.info == "sh ci"]
    assert "search" in install_and_search
    assert "pytest" in install_and_test


@pytest.mark.parametrize("path", reference.pages(), ids=name_of)
def test_generated_pages_agree_with_the_code(path: Path, golden: Golden) -> None:
    golden(path, reference.pages()[path]())


def test_readme_counts_the_languages_and_dialects() -> None:
    text = README.read_text(encoding="utf-8")
    readers = [language.reader for language in languages().values()]
    dialects = [one.name for one in (REPOSITORY / "schemas/dialects").iterdir() if one.is_dir() and one.name != "ansi"]
    assert f"{readers.count('outline')} languages parsed with tree-sitter" in text
    assert f"{readers.count('lines')} more read as text" in text
    assert f"{len(dialects)} SQL dialects" in text


def options_of(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Yield the options and arguments of all commands that take a value."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from options_of(command)
        elif action.nargs != 0:
            yield action


def test_every_value_of_an_option_is_bounded() -> None:
    found = [one for one in options_of(make_parser()) if one.choices is None]
    bounds = [getattr(one.type, "limit", None) for one in found]
    assert [one.dest for one, bound in zip(found, bounds, strict=True) if bound not in LIMITS] == []
    repeated = [one for one in found if isinstance(one, argparse._AppendAction | argparse._ExtendAction)]
    assert repeated == []
    assert {one.limit for one in found if isinstance(one, Collect)} <= set(LIMITS)


def test_every_limit_is_in_the_table() -> None:
    made = [value for value in vars(limits).values() if isinstance(value, limits.Limit)]
    assert made
    assert sorted(made, key=id) == sorted(LIMITS, key=id)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_is_described(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        make_parser().parse_args([command, "--help"])
    usage = set(OPTION.findall(capsys.readouterr().out.partition("examples:")[0])) - {"-h", "--help"}
    rows = re.findall(r"^\| (`.*?) \|", section(CLI, f"`coderag {command}`"), re.MULTILINE)
    described = {option for row in rows for option in OPTION.findall(row)}
    assert described == usage


def test_every_command_is_described() -> None:
    listed = re.findall(r"^    ([a-z-]+)(?:  |$)", make_parser().format_help(), re.MULTILINE)
    assert sorted(listed) == sorted(COMMANDS)
    assert [
        one for one in COMMANDS if f"[`coderag {one}`](docs/reference/cli.md#coderag-{one})" not in README.read_text()
    ] == []
    assert "`coderag --version`" in CLI.read_text()


def test_every_field_of_a_hit_is_described() -> None:
    text = section(SEARCH, "JSON")
    assert [one for one in re.findall(r'^ {1,9}"(\w+)":', text, re.MULTILINE) if f"`{one}`" not in text] == []


def test_all_evidence_that_may_be_left_out_is_named() -> None:
    text = SEARCH.read_text(encoding="utf-8")
    assert [one for one in FAMILIES if f"`{one}`" not in text] == []


def test_every_option_of_an_encoder_is_described() -> None:
    text = MODELS.read_text(encoding="utf-8")
    elsewhere = {"kind", "model", "url", "revision", "trusted"}  # of the line itself
    options = [field.name for field in fields(EncoderSpec) if field.name not in elsewhere]
    assert [option for option in options if f"`{option}=" not in text] == []


def test_every_extra_is_described() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    text = section(MODELS, "Extras")
    contributing = {"browser-test", "dev", "docs", "test"}  # what these are for is in CONTRIBUTING.md
    assert [one for one in project["optional-dependencies"] if f"`{one}`" not in text and one not in contributing] == []


def test_every_public_name_is_described() -> None:
    text = (DOCS / "reference/python.md").read_text(encoding="utf-8")
    assert [name for name in coderag.__all__ if f"## `coderag.{name}`" not in text] == []


def test_every_field_and_capture_is_described() -> None:
    text = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")
    wanted = {field.name for field in fields(Language)} - {"name", "folder"}
    for module in (captures, link_captures):
        wanted |= set(re.findall(r"^    (@[a-z]+)", module.__doc__ or "", re.MULTILINE))
    assert [one for one in sorted(wanted) if f"`{one}" not in text] == []


def test_every_feature_of_the_ranking_is_described() -> None:
    text = (REPOSITORY / "ARCHITECTURE.md").read_text(encoding="utf-8")
    assert [name for name in FEATURES if f"`{name}`" not in text] == []


def test_every_folder_has_a_heading() -> None:
    text = (REPOSITORY / "ARCHITECTURE.md").read_text(encoding="utf-8")
    headings = set(re.findall(r"^##+ `([\w/]+)/`", text, re.MULTILINE))
    packages = {f"coderag/{path.parent.name}" for path in (REPOSITORY / "coderag").glob("*/__init__.py")}
    folders = {path.name for path in REPOSITORY.iterdir() if path.is_dir() and not path.name.startswith((".", "_"))}
    assert packages <= headings
    assert headings - packages <= folders
    assert {"coderag", "parsers", "schemas", "tests", "fixtures", "scripts"} <= headings


def anchors(path: Path) -> set[str]:
    """Return the anchors of a document's headings, as GitHub and MkDocs make them."""
    headings = re.findall(r"^#+ (.*)$", FENCED.sub("", path.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
def test_links_lead_somewhere(path: Path) -> None:
    broken = []
    for link in LINK.findall(FENCED.sub("", path.read_text(encoding="utf-8"))):
        target, _, anchor = link.partition("#")
        file = path.parent / target if target else path
        if "://" in link:
            continue
        if not file.exists() or (anchor and file.suffix == ".md" and path in PAGES and anchor not in anchors(file)):
            broken.append(link)
    assert broken == []


@pytest.mark.parametrize("path", sorted(DOCS.rglob("*.md")), ids=name_of)
def test_pages_of_the_site_link_only_to_each_other(path: Path) -> None:
    targets = [one.partition("#")[0] for one in LINK.findall(FENCED.sub("", path.read_text(encoding="utf-8")))]
    local = [(path.parent / target).resolve() for target in targets if target and "://" not in target]
    assert [one for one in local if not one.is_relative_to(DOCS)] == []


def test_every_page_is_in_the_navigation() -> None:
    navigation = re.findall(r"[\w/-]+\.md$", (REPOSITORY / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(navigation) == sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))
