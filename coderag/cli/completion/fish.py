"""A grammar to a script for fish."""

from __future__ import annotations

from collections.abc import Iterator

from coderag.cli.completion.grammar import Command, Option, Paths, Value

__all__ = ["fish_script"]

HEAD = """\
# Completion of {program} for fish, written by "{program} completion fish".
function __{program}_command
    set -l words (commandline -opc)
    test (count $words) -gt 1; and test "$words[2]" = "$argv[1]"
end
function __{program}_no_command
    test (count (commandline -opc)) -eq 1
end
complete -c {program} -f
"""


def fish_script(program: Command) -> str:
    """Return the script of a program."""
    return HEAD.format(program=program.name) + "".join(f"{line}\n" for line in _lines(program))


def _lines(program: Command) -> Iterator[str]:
    first = f"-n __{program.name}_no_command"
    for option in program.options:
        yield f"complete -c {program.name} {first} {_option(option)}"
    for command in program.commands:
        yield f"complete -c {program.name} {first} -a {_quoted(command.name)} -d {_quoted(command.summary)}"
    for command in program.commands:
        within = f"-n {_quoted(f'__{program.name}_command {command.name}')}"
        for option in command.options:
            yield f"complete -c {program.name} {within} {_option(option)}"
        for value in {argument.value: None for argument in command.arguments}:
            if value.choices or value.paths is not Paths.NONE:
                yield f"complete -c {program.name} {within} {_value(value)}"


def _option(option: Option) -> str:
    names = [f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names]
    # -r: a value follows; -x: and it is no file
    value = [] if option.value is None else ["-r" if option.value.paths is Paths.FILES else "-x", _value(option.value)]
    return " ".join(filter(None, [*names, *value, f"-d {_quoted(option.summary)}"]))


def _value(value: Value) -> str:
    choices = " ".join(value.choices)
    if value.listed:
        return f"-a {_quoted(f'(__fish_append , {choices})')}"
    if choices:
        return f"-a {_quoted(choices)}"
    if value.paths is Paths.FOLDERS:
        return f"-a {_quoted('(__fish_complete_directories)')}"
    return "-F" if value.paths is Paths.FILES else ""


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
