"""The documents say what is so: commands run and print what is shown, every option, field and folder is described.

A block of README.md whose info string ends with "run" is run in fixtures/shop; what the `text` block behind it shows is
what it printed, but for times, sizes and versions. `pytest --update` writes anew what is shown, and the languages.
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
from dataclasses import dataclass, fields
from pathlib import Path

import pytest

import coderag
from coderag import limits
from coderag.cli.arguments import Collect
from coderag.cli.parser import make_parser
from coderag.limits import LIMITS
from coderag.models.spec import EncoderSpec
from coderag.ranking.features import FAMILIES, FEATURES
from coderag.reading import captures, link_captures
from coderag.reading.language import Language, languages
from coderag.types import Content
from tests.conftest import Golden
from tests.growth import HANG_SECONDS

REPOSITORY = Path(__file__).resolve().parents[1]
README = REPOSITORY / "README.md"
DOCUMENTS = sorted(REPOSITORY.glob("*.md"))
COMMANDS = (
    *(
        "index",
        "search",
        "outline",
        "symbols",
        "refs",
        "impact",
        "path",
        "graph",
        "map",
        "schema",
        "tables",
        "table",
        "erd",
        "check-sql",
    ),
    *("eval", "status", "watch", "clean", "languages"),
)
CONTENTS = {
    Content.DOCS: "documents, in blocks of lines",
    Content.CODE: "code, in blocks of lines",
    Content.CONFIG: "configuration, in blocks of lines, only with `--content`",
}
SCHEMA_READERS = {"sql", "dbt", "glossary", "querylog"}
HOME = "/home/me/coderag"  # what README.md shows for the folder of the checkout

BLOCK = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<body>.*?)^```\n", re.MULTILINE | re.DOTALL)
SHOWN = re.compile(r"\n*```text\n(?P<body>.*?)^```\n", re.MULTILINE | re.DOTALL)
VARIES = re.compile(r"\d{4}-\d\d-\d\d|\d+(?:\.\d+)+|\d+(?= (?:B|kB|MB|s)\b|%)|just now|\d+ minutes? ago")
OPTION = re.compile(r"(?<![\w-])(--[a-z][\w-]*|-[a-z])(?![\w-])")
LANGUAGES = re.compile(r"(?<=<!-- languages -->\n).*?(?=<!-- end of languages -->)", re.DOTALL)
BOUNDS = re.compile(r"(?<=<!-- bounds -->\n).*?(?=<!-- end of bounds -->)", re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)[^)]*\)")


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block of README.md, and where what it prints is shown."""

    info: str
    body: str
    shown: tuple[int, int] | None


def blocks(text: str) -> Iterator[Block]:
    for found in BLOCK.finditer(text):
        shown = SHOWN.match(text, found.end())
        yield Block(found["info"].strip(), found["body"], shown.span("body") if shown else None)


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what the examples of README.md need, with `coderag` and `python` to run them."""
    root = tmp_path_factory.mktemp("docs") / "coderag"
    shutil.copytree(REPOSITORY / "fixtures/shop", root / "fixtures/shop", ignore=shutil.ignore_patterns(".coderag"))
    shutil.copytree(REPOSITORY / "scripts", root / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
    (root / ".git").mkdir()
    programs = root / ".venv/bin"
    programs.mkdir(parents=True)
    for name, command in (("coderag", "-m coderag"), ("python", "")):
        (programs / name).write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {command} "$@"\n')
        (programs / name).chmod(0o755)
    return root


def printed(block: Block, checkout: Path) -> str:
    """Return what a block prints; one that CI runs has been installed already."""
    programs = checkout / ".venv/bin"
    environment = {name: value for name, value in os.environ.items() if name not in {"COLUMNS", "FORCE_COLOR"}}
    environment |= {"PYTHONPATH": str(REPOSITORY), "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    environment |= {"PYTHONUTF8": "1"}
    if block.info == "python run":
        command = [str(programs / "python"), "-c", block.body]
    else:
        steps = [step for step in re.split(r"\s+&&\s+", block.body) if block.info != "sh ci" or "/coderag " in step]
        command = ["bash", "-euo", "pipefail", "-c", "\n".join(steps)]
    folder = checkout if block.info == "sh ci" else checkout / "fixtures/shop"
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=HANG_SECONDS)
    assert done.returncode == 0, f"{block.body}\n{done.stderr}"
    return done.stdout.replace(str(checkout), HOME)


def same(shown: str, real: str) -> bool:
    """Tell whether two outputs differ only in times, sizes and versions."""
    return [VARIES.sub("0", line).split() for line in shown.splitlines()] == [
        VARIES.sub("0", line).split() for line in real.splitlines()
    ]


@pytest.mark.slow
@pytest.mark.dev("ir_measures")
def test_blocks_print_what_is_shown(checkout: Path, golden: Golden) -> None:
    text = README.read_text(encoding="utf-8")
    chosen = [one for one in blocks(text) if one.info.endswith(" run") or (one.info == "sh ci" and one.shown)]
    ran = [(block, printed(block, checkout)) for block in chosen]
    for block, real in reversed(ran):  # backwards, so that the places of earlier blocks stay
        if block.shown is not None and not same(text[slice(*block.shown)], real):
            text = text[: block.shown[0]] + real + text[block.shown[1] :]
    golden(README, text)


def test_two_commands_for_a_fresh_clone() -> None:
    install_and_search, install_and_test = [one.body for one in blocks(README.read_text()) if one.info == "sh ci"]
    assert "search" in install_and_search
    assert "pytest" in install_and_test


def test_languages_are_listed(golden: Golden) -> None:
    golden(README, LANGUAGES.sub(lambda _: language_tables(), README.read_text(encoding="utf-8")))


def language_tables() -> str:
    """Return the languages with what they are recognised by, then those that are read without a grammar."""
    known = sorted(languages().values(), key=lambda one: one.title.lower())
    lines = ["| language | `--language` | files |", "|---|---|---|"]
    for one in known:
        if one.reader == "outline":
            names = " ".join(f"`{name}`" for name in (*one.extensions, *one.filenames))
            lines.append(f"| {one.title} | `{one.name}` | {names} |")
    lines += ["", "| read | languages |", "|---|---|"]
    rest = {
        "documents, by section": [one for one in known if one.reader in {"markdown", "restructuredtext"}],
        "notebooks, by cell": [one for one in known if one.reader == "notebook"],
        "schemas, by statement or entry": [one for one in known if one.reader in SCHEMA_READERS],
    }
    for content, title in CONTENTS.items():
        rest[title] = [one for one in known if one.reader == "lines" and one.content is content]
    assert sum(map(len, rest.values())) + sum(one.reader == "outline" for one in known) == len(known)
    for title, found in rest.items():
        lines.append(f"| {title} | {', '.join(f'{one.title} (`{one.name}`)' for one in found)} |")
    return "\n".join(lines) + "\n"


def test_bounds_are_listed(golden: Golden) -> None:
    golden(README, BOUNDS.sub(lambda _: bounds_table(), README.read_text(encoding="utf-8")))


def bounds_table() -> str:
    """Return the limits, as README.md prints them."""
    lines = ["| given by | from | to | |", "|---|---|---|---|"]
    lines += [f"| {one.given} | {one.least:,} | {one.most:,} | {one.unit} |" for one in LIMITS]
    return "\n".join(lines) + "\n"


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


def section(title: str) -> str:
    """Return the text of README.md below a heading, up to the next of its depth or above."""
    text = README.read_text(encoding="utf-8")
    found = re.search(rf"^(#+) {re.escape(title)}\n(.*?)(?=^#{{1,3}} |\Z)", text, re.MULTILINE | re.DOTALL)
    assert found, f"README.md has no heading {title!r}"
    return found[2]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_is_described(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        make_parser().parse_args([command, "--help"])
    usage = set(OPTION.findall(capsys.readouterr().out.partition("examples:")[0])) - {"-h", "--help"}
    rows = re.findall(r"^\| (`.*?) \|", section(f"`coderag {command}`"), re.MULTILINE)
    described = {option for row in rows for option in OPTION.findall(row)}
    assert described == usage


def test_every_command_is_described() -> None:
    listed = re.findall(r"^    ([a-z-]+)(?:  |$)", make_parser().format_help(), re.MULTILINE)
    assert sorted(listed) == sorted(COMMANDS)
    assert all(f"`coderag {command}`" in README.read_text() for command in COMMANDS)
    assert "`coderag --version`" in README.read_text()


def test_every_field_of_a_hit_is_described() -> None:
    text = section("`coderag search`")
    assert [one for one in re.findall(r'^        "(\w+)":', text, re.MULTILINE) if f"`{one}`" not in text] == []


def test_all_evidence_that_may_be_left_out_is_named() -> None:
    text = section("`coderag search`")
    assert [one for one in FAMILIES if f"`{one}`" not in text] == []


def test_every_option_of_an_encoder_is_described() -> None:
    text = section("Models")
    elsewhere = {"kind", "model", "url", "revision", "trusted"}  # of the line itself
    options = [field.name for field in fields(EncoderSpec) if field.name not in elsewhere]
    assert [one for one in options if f"`{one}=" not in text] == []


def test_every_extra_is_described() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    text = section("Models")
    contributing = {"dev", "docs", "test"}  # what these are for is in CONTRIBUTING.md
    assert [one for one in project["optional-dependencies"] if f"`{one}`" not in text and one not in contributing] == []


def test_every_public_name_is_described() -> None:
    text = section("Python")
    assert [name for name in coderag.__all__ if f"`{name}" not in text and f"coderag.{name}" not in text] == []


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


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    targets = [one for one in LINK.findall(path.read_text(encoding="utf-8")) if "://" not in one]
    assert [one for one in targets if not (path.parent / one).exists()] == []
