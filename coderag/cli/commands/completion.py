"""`coderag completion`: the script that completes the command line in a shell."""

from __future__ import annotations

import argparse

from coderag.cli.completion.bash import bash_script
from coderag.cli.completion.fish import fish_script
from coderag.cli.completion.grammar import grammar_of
from coderag.cli.completion.zsh import zsh_script
from coderag.cli.exit_codes import FOUND
from coderag.cli.parser.parser import make_parser

__all__ = ["run"]

SCRIPTS = {"bash": bash_script, "zsh": zsh_script, "fish": fish_script}


def run(options: argparse.Namespace) -> int:
    """Print the script of a shell."""
    print(SCRIPTS[options.shell](grammar_of(make_parser(), "coderag")), end="")
    return FOUND
