"""`coderag completion`, its argument and its help."""

from __future__ import annotations

from coderag.cli.parser.arguments import Parsers, command

__all__ = ["add_completion"]

COMPLETION_EXAMPLES = """\
examples:
  eval "$(coderag completion bash)"              in ~/.bashrc
  eval "$(coderag completion zsh)"               in ~/.zshrc, below compinit
  coderag completion zsh > ~/.zfunc/_coderag     or in a folder of $fpath
  coderag completion fish > ~/.config/fish/completions/coderag.fish

The script holds all words; completing starts no program. Print it again after an update of coderag.
"""


def add_completion(commands: Parsers) -> None:
    """Add `coderag completion`."""
    parser = command(
        commands,
        "completion",
        module="completion",
        summary="print the script that completes commands and options in a shell",
        epilog=COMPLETION_EXAMPLES,
    )
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), metavar="SHELL", help="bash, zsh or fish")
