"""A grammar to a script for bash, which needs no other package."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator

from coderag.cli.completion.grammar import Command, Paths, Value

__all__ = ["bash_script"]

SCRIPT = """\
# Completion of {program} for bash, written by "{program} completion bash".
_{program}() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}}
    local options="" words="" paths="" prefix="" word
    COMPREPLY=()
    # "=" is a word of its own, in --option=value.
    if [[ $current == "=" ]]; then
        current=""
    elif [[ $previous == "=" && $COMP_CWORD -ge 2 ]]; then
        previous=${{COMP_WORDS[COMP_CWORD-2]}}
    fi
    if [[ $COMP_CWORD -eq 1 ]]; then
        options={options}
        words={commands}
    else
        case ${{COMP_WORDS[1]}} in
{cases}
        esac
    fi
    if [[ $current == -* && -n $options ]]; then
        words=$options
        paths=""
    fi
    if [[ $prefix == list ]]; then
        prefix=""
        [[ $current == *,* ]] && prefix=${{current%,*}},
    fi
    while IFS= read -r word; do
        COMPREPLY+=("$word")
    done < <(
        case $paths in
            files) compgen -f -- "$current" ;;
            folders) compgen -d -- "$current" ;;
            *) compgen -P "$prefix" -W "$words" -- "${{current#"$prefix"}}" ;;
        esac
    )
    if [[ -n $paths ]]; then
        compopt -o filenames 2> /dev/null
    fi
    return 0
}}
complete -F _{program} {program}
"""
CASE = " " * 12


def bash_script(program: Command) -> str:
    """Return the script of a program."""
    return SCRIPT.format(
        program=program.name,
        options=shlex.quote(_words(name for option in program.options for name in option.names)),
        commands=shlex.quote(_words(command.name for command in program.commands)),
        cases="\n".join(line for command in program.commands for line in _case(command)),
    )


def _case(command: Command) -> Iterator[str]:
    """Yield what is set within a command: its options, and the values of what stands before the cursor."""
    names = [name for option in command.options for name in option.names]
    yield f"{CASE}{command.name})"
    yield f"{CASE}    options={shlex.quote(_words(names))}"
    yield f"{CASE}    case $previous in"
    by_value: dict[str, list[str]] = {}
    for option in command.options:
        if option.value is not None:
            by_value.setdefault(_setting(option.value, is_option=True), []).extend(option.names)
    for setting, spelled in by_value.items():
        yield f"{CASE}        {'|'.join(spelled)}) {setting} ;;"
    settings = [_setting(argument.value, is_option=False) for argument in command.arguments]
    if setting := next(filter(None, settings), ""):
        yield f"{CASE}        *) {setting} ;;"
    yield f"{CASE}    esac"
    yield f"{CASE}    ;;"


def _setting(value: Value, *, is_option: bool) -> str:
    """Return the assignments that complete a value; that of an option is never another option."""
    unset = ["options=''"] if is_option else []
    if value.choices:
        unset += [f"words={shlex.quote(_words(value.choices))}"]
        unset += ["prefix=list"] if value.listed else []
    elif value.paths is not Paths.NONE:
        unset += [f"paths={value.paths}"]
    return "; ".join(unset)


def _words(words: Iterable[str]) -> str:
    return " ".join(words)
