"""A grammar to a script for zsh, which may be sourced, or stored as `_coderag` in a folder of $fpath."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from coderag.cli.completion.grammar import Argument, Command, Option, Paths, Value

__all__ = ["zsh_script"]

SCRIPT = """\
#compdef {program}
# Completion of {program} for zsh, written by "{program} completion zsh".
_{program}_commands() {{
    local -a commands=(
{commands}
    )
    _describe -t commands command commands
}}
_{program}() {{
    local curcontext=$curcontext state line
    local -A opt_args
    _arguments -C \\
{options}
        '1: :_{program}_commands' \\
        '*:: :->arguments'
    [[ $state == arguments ]] || return
    case $line[1] in
{cases}
    esac
}}
if [[ $funcstack[1] == _{program} ]]; then
    _{program} "$@"
else
    compdef _{program} {program}
fi
"""
ESCAPED = str.maketrans({character: f"\\{character}" for character in "\\[]:"})


def zsh_script(program: Command) -> str:
    """Return the script of a program."""
    commands = [shlex.quote(f"{command.name}:{command.summary.translate(ESCAPED)}") for command in program.commands]
    return SCRIPT.format(
        program=program.name,
        commands="\n".join(f"        {command}" for command in commands),
        options="\n".join(f"        {spec} \\" for option in program.options for spec in _specs(option)),
        cases="\n".join(line for command in program.commands for line in _case(command)),
    )


def _case(command: Command) -> Iterator[str]:
    specs = [spec for option in command.options for spec in _specs(option)]
    specs += [_argument(argument, number) for number, argument in enumerate(command.arguments, 1)]
    yield f"        {command.name})"
    yield " \\\n".join(["            _arguments -s -S", *(f"                {spec}" for spec in specs)])
    yield "            ;;"


def _specs(option: Option) -> Iterator[str]:
    """Yield how _arguments is told of an option, one text for each spelling."""
    others = "" if option.repeated else f"({' '.join(option.names)})"
    for name in option.names:
        value = ""
        if option.value is not None:
            # "+": the value follows at once or as the next word; "=": so does it, with that sign
            value = f"{'=' if name.startswith('--') else '+'}"
        end = "" if option.value is None else _value(option.value)
        start = "*" if option.repeated else others
        yield shlex.quote(f"{start}{name}{value}[{option.summary.translate(ESCAPED)}]{end}")


def _argument(argument: Argument, number: int) -> str:
    # Where nothing is known, nothing is offered: a mere label would be, and then zsh inserts no option.
    value = _value(argument.value).removesuffix(" ")
    return shlex.quote(f"{'*' if argument.repeated else number}{value}{'()' if value.endswith(':') else ''}")


def _value(value: Value) -> str:
    label = value.label.translate(ESCAPED)
    if value.listed:
        return f":{label}:_sequence compadd - {' '.join(value.choices)}"
    if value.choices:
        return f":{label}:({' '.join(value.choices)})"
    action = {Paths.FILES: "_files", Paths.FOLDERS: "_files -/", Paths.NONE: " "}[value.paths]
    return f":{label}:{action}"
