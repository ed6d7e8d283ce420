"""`coderag completion`: what real shells make of a line when TAB is pressed."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from coderag.cli.completion.bash import bash_script
from coderag.cli.completion.fish import fish_script
from coderag.cli.completion.grammar import Command, grammar_of
from coderag.cli.completion.zsh import zsh_script
from coderag.cli.parser.arguments import HIDDEN, Parser
from coderag.cli.parser.parser import make_parser
from tests.cli.completion.terminal import Terminal
from tests.cli.conftest import Run
from tests.workspace import write

pytestmark = pytest.mark.slow

SCRIPTS: dict[str, Callable[[Command], str]] = {"bash": bash_script, "zsh": zsh_script, "fish": fish_script}
START = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], "PS1=; bind 'set bell-style none'; source {script}"),
    "zsh": (
        ["zsh", "-f", "-i"],
        "PS1=; unsetopt auto_remove_slash; autoload -U compinit; compinit -u -D; source {script}",
    ),
    "fish": (["fish", "--no-config", "-i"], "function fish_prompt; end; source {script}"),
}
READY = "echo re''ady"  # what is typed is shown, too, and is not "ready"
FILES = {
    "README.md": "",
    "src/app.py": "",
    "srv.txt": "",
    "my file.py": "",
    "st*r": "",
    "stir": "",
    "stur": "",
    "docs/a.md": "",
}
COMPLETED = [
    ("sea", ["search"]),
    ("--vers", ["--version"]),
    ("search --te", ["search", "--tests"]),
    ("search --tests excl", ["search", "--tests", "exclude"]),
    ("search --tests=excl", ["search", "--tests=exclude"]),
    ("search where --form", ["search", "where", "--format"]),
    ("search --format md --ex", ["search", "--format", "md", "--exp"]),  # of --expand and --explain
    ("index --content code,do", ["index", "--content", "code,docs"]),
    ("index sr", ["index", "src/"]),  # a folder, and not srv.txt
    ("search --root do", ["search", "--root", "docs/"]),
    ("outline READ", ["outline", "README.md"]),
    ("outline my", ["outline", "my file.py"]),
    ("outline src/", ["outline", "src/app.py"]),
    ("eval --save READ", ["eval", "--save", "README.md"]),
    ("symbols --ki", ["symbols", "--kind"]),
    ("check-sql --ur", ["check-sql", "--url"]),
    ("completion z", ["completion", "zsh"]),
]


@pytest.fixture(scope="module", params=START)
def shell(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Terminal]:
    """A shell that has read the script, in a folder with some files."""
    name = request.param
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed")
    folder = tmp_path_factory.mktemp(name)
    script = folder / "script"
    script.write_text(SCRIPTS[name](grammar_of(make_parser(), "coderag")))
    work = write(folder / "work", FILES)
    command, start = START[name]
    environment = os.environ | {"HOME": str(folder), "TERM": "dumb" if name == "bash" else "xterm", "LC_ALL": "C.UTF-8"}
    with Terminal(command, folder=work, environment=environment) as terminal:
        terminal.press(f"{start.format(script=script)}; {READY}\r")
        terminal.wait_for("ready")
        yield terminal


@pytest.mark.parametrize(("typed", "words"), COMPLETED, ids=[typed for typed, _ in COMPLETED])
def test_a_line_is_completed(shell: Terminal, typed: str, words: list[str]) -> None:
    # Ctrl-A, and the line is an argument of printf: its words are told exactly.
    shell.press(f"coderag {typed}\t\x01printf '<%s>' \r")
    shell.wait_for("".join(f"<{word}>" for word in ["coderag", *words]))


def bash_choices(line: str, folder: Path, script: Path) -> list[str]:
    """Return what bash offers at the end of a line."""
    words = line.split(" ")
    program = (
        f'source {script}; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _coderag; printf "%s\\n" "${{COMPREPLY[@]}}"'
    )
    done = subprocess.run(
        ["bash", "-c", program, "bash", *words], cwd=folder, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    return sorted(done.stdout.split("\n")[:-1])


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_every_command_and_option_is_offered(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text(bash_script(grammar_of(make_parser(), "coderag")))
    for name, parser in commands().items():
        shown = [action for action in parser._actions if action.help != HIDDEN]
        names = sorted(option for action in shown for option in action.option_strings if option.startswith("--"))
        assert bash_choices(f"coderag {name} --", tmp_path, script) == names
        for action in shown:
            if action.option_strings and action.choices:
                line = f"coderag {name} {action.option_strings[-1]} "
                assert bash_choices(line, tmp_path, script) == sorted(map(str, action.choices))
    assert bash_choices("coderag ", tmp_path, script) == sorted(commands())
    assert bash_choices("coderag search -k ", tmp_path, script) == [""]
    write(tmp_path, {"a b*c": "", "a b-c": ""})  # a name is one word, and no pattern
    assert bash_choices("coderag outline a", tmp_path, script) == ["a b*c", "a b-c"]


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
def test_fish_shows_what_each_command_does(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text(fish_script(grammar_of(make_parser(), "coderag")))
    done = subprocess.run(
        ["fish", "--no-config", "-c", f"source {script}; complete -C 'coderag '"],
        env=os.environ | {"HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    shown = dict(line.split("\t") for line in done.stdout.splitlines())
    assert shown == {name: (parser.description or "").removesuffix(".") for name, parser in commands().items()}


def commands() -> dict[str, argparse.ArgumentParser]:
    [found] = [action for action in make_parser()._actions if isinstance(action, argparse._SubParsersAction)]
    return dict(found.choices)


HOSTILE = 'it\'s 100%% "quoted" $(touch ran) `touch ran` [a:b] \\ ; {x} *'


@pytest.mark.parametrize("name", START)
def test_help_is_text_and_no_code(name: str, tmp_path: Path) -> None:
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed")
    parser = Parser(prog="coderag", description="x")
    below = parser.add_subparsers(metavar="COMMAND").add_parser("do", description=HOSTILE)
    below.add_argument("--flag", action="store_true", help=HOSTILE)
    below.add_argument("--value", choices=("a", "b"), metavar=HOSTILE, help=HOSTILE)
    script = tmp_path / "script"
    script.write_text(SCRIPTS[name](grammar_of(parser, "coderag")))
    command, start = START[name]
    environment = os.environ | {"HOME": str(tmp_path), "TERM": "dumb" if name == "bash" else "xterm"}
    with Terminal(command, folder=tmp_path, environment=environment) as terminal:
        terminal.press(f"{start.format(script=script)}; {READY}\r")
        terminal.wait_for("ready")
        terminal.press("coderag d\t--\t\x15coderag do --fl\t\x01printf '<%s>' \r")
        terminal.wait_for("<coderag><do><--flag>")
    assert not (tmp_path / "ran").exists()


def test_the_command_prints_the_script(coderag: Run, tmp_path: Path) -> None:
    for name, script in SCRIPTS.items():
        assert coderag("completion", name, cwd=tmp_path).stdout == script(grammar_of(make_parser(), "coderag"))
    unknown = coderag("completion", "fsh", cwd=tmp_path)
    assert (unknown.returncode, unknown.stdout) == (2, "")
    assert "did you mean fish?" in unknown.stderr
