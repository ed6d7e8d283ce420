#!/usr/bin/env python3
"""Write the pages of docs/reference/ and the tables that follow from the code and data.

    scripts/reference.py

`pytest --update tests/test_docs.py` does the same; without `--update` that test compares the pages with the code.
"""

from __future__ import annotations

import argparse
import ast
import dataclasses
import html
import inspect
import re
import sys
import textwrap
import tokenize
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from io import StringIO
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[1]
FOLDER = REPOSITORY / "docs/reference"
MAX_LINE = 100  # characters of a signature on one line
LANGUAGES = re.compile(r"(?<=<!-- languages -->\n).*?(?=<!-- end of languages -->)", re.DOTALL)
BOUNDS = re.compile(r"(?<=<!-- bounds -->\n).*?(?=<!-- end of bounds -->)", re.DOTALL)
AGENTS = re.compile(r"(?<=<!-- agents -->\n).*?(?=<!-- end of agents -->)", re.DOTALL)
VARIABLE = re.compile(r"\$\{\w+:-([^}]*)\}")  # what a path is without the variable
MODULE = re.compile(
    r"\s+\(coderag\.[\w.]+\)"
)  # where to look in the source, which readers of the reference do not need
SCHEMA_READERS = {"sql", "dbt", "glossary", "querylog"}
CLI_INTRODUCTION = """\
# Command line

Written by `scripts/reference.py` from the argument parser; `coderag COMMAND --help` prints the same.

Without `--root`, a command uses the nearest folder upwards that has an index or a `.git`, else the current one. Exit
codes: 0 something was found, 1 nothing was found, 2 wrong usage or a failure. Results go to standard output; notes,
errors and progress go to standard error. Colours appear on a terminal only, and never when `NO_COLOR` is set. The items
of a `LIST` are separated by commas. Output that cannot be written, to a full disk or a closed descriptor, is a failure;
a reader that has closed its pipe is not. [Bounds](bounds.md) lists the limits of all values.

`coderag --version` prints the version.
"""
PYTHON_INTRODUCTION = """\
# Python API

Written by `scripts/reference.py` from the docstrings. These are the names of `coderag.__all__`; the package is typed
(`py.typed`). The guides show them at work: [search](../guides/search.md#python),
[text-to-SQL](../guides/text-to-sql.md#python), [freshness](../guides/freshness.md#python),
[access control](../guides/access-control.md#python).
"""


TABLES_INTRODUCTION = """\
# Tables of the index

Generated from `coderag/relational/relations.toml` by `scripts/reference.py`. `coderag sql` and `Index.sql` query these
tables and views, in the dialect of DuckDB; [the recipes](../guides/sql-recipes.md) are a start. Lines count from 1,
and both ends count. A number such as `file_id` holds for one version of the index.
"""


def main() -> int:
    """Write the pages."""
    for path, make in pages().items():
        path.write_text(make(), encoding="utf-8")
    return 0


def pages() -> dict[Path, Callable[[], str]]:
    """Return what makes the text of each generated page, by its path."""
    languages, bounds = FOLDER / "languages.md", FOLDER / "bounds.md"
    agents = FOLDER.parent / "agents.md"
    return {
        FOLDER / "cli.md": command_line,
        FOLDER / "tables.md": index_tables,
        FOLDER / "python.md": python_api,
        languages: lambda: LANGUAGES.sub(lambda _: language_tables(), languages.read_text(encoding="utf-8")),
        agents: lambda: AGENTS.sub(lambda _: agents_table(), agents.read_text(encoding="utf-8")),
        bounds: lambda: BOUNDS.sub(lambda _: bounds_table(), bounds.read_text(encoding="utf-8")),
    }


def command_line() -> str:
    """Return the page of the command line: each command with its arguments, options and examples."""
    from coderag.cli.parser.parser import make_parser

    (commands,) = (action for action in make_parser()._actions if isinstance(action, argparse._SubParsersAction))
    summaries = {action.dest: action.help or "" for action in commands._choices_actions}
    lines = [CLI_INTRODUCTION, "| command | |", "|---|---|"]
    lines += [f"| [`coderag {name}`](#coderag-{name}) | {cell(summary)} |" for name, summary in summaries.items()]
    for name, parser in commands.choices.items():
        lines += ["", f"## `coderag {name}`", "", parser.description or "", ""]
        lines += ["| argument or option | |", "|---|---|"]
        lines += [
            option_row(action)
            for action in parser._actions
            if action.help != argparse.SUPPRESS and action.dest != "help"
        ]
        lines += epilog_lines(parser.epilog or "")
    return "\n".join(lines) + "\n"


def option_row(action: argparse.Action) -> str:
    """Return the row of an argument or option: how it is written, and its help."""
    from coderag.cli.parser.arguments import Collect

    value = "" if action.nargs == 0 else str(action.metavar or action.dest)
    names = [f"{name} {value}".strip() if action.choices is None else name for name in action.option_strings]
    about = cell(action.help or "")
    if action.choices is not None:
        choices = ", ".join(f"`{choice}`" for choice in action.choices)
        about = f"{choices}; {about}" if about else choices
    if isinstance(action, Collect):
        about += "; repeatable"
    return f"| {', '.join(f'`{name}`' for name in names or value.split('|'))} | {about} |"


def cell(text: str) -> str:
    """Return a text as a cell of a table, with JSON in it as code."""
    text = re.sub(r"(\{.*\})", r"`\1`", " ".join(text.split()))
    return text.replace("|", "\\|").replace("<", "&lt;")


def code(text: str) -> str:
    """Return code for a cell of a table, where GitHub and MkDocs read a pipe between backticks differently."""
    if "|" not in text:
        return f"`{text}`"
    return f"<code>{html.escape(text).replace('|', '&#124;')}</code>"


def epilog_lines(epilog: str) -> Iterator[str]:
    """Yield the end of a command's help: its examples as a block, what follows them as text."""
    examples = [line[2:] for line in epilog.splitlines() if line.startswith("  ")]
    if examples:
        yield from ("", "```sh", *examples, "```")
    prose = [line for line in epilog.splitlines() if not line.startswith("  ") and line != "examples:"]
    if text := "\n".join(prose).strip():
        yield from ("", text)


def python_api() -> str:
    """Return the page of the Python API: each public name with its docstring, fields and methods."""
    import coderag

    lines = [PYTHON_INTRODUCTION]
    names = [name for name in coderag.__all__ if not name.startswith("_")]
    for name in sorted(names, key=lambda one: (one != "Index", one)):
        lines += class_lines(name, getattr(coderag, name))
    lines += ["## `coderag.__version__`", "", "The version, as a string.", ""]
    return "\n".join(lines).rstrip() + "\n"


def class_lines(name: str, public: type) -> Iterator[str]:
    """Yield the section of a class."""
    yield from (f"## `coderag.{name}`", "", prose(public), "")
    if issubclass(public, BaseException):
        yield from (*error_lines(public, depth=0), "")
        return
    own = [one for one in reversed(public.__mro__) if one.__module__.partition(".")[0] == "coderag"]
    rows = [row for one in own for row in field_rows(one)]
    if rows:
        title = "value" if issubclass(public, Enum) else "field"
        yield from (f"| {title} | | |", "|---|---|---|", *rows, "")
    for method_name, method in public_methods(reversed(own)):
        yield from (f"### `{name}.{method_name}`", "", *signature_lines(method), prose(method), "")


def prose(documented: Any) -> str:
    """Return a docstring without the modules that it names in parentheses."""
    return MODULE.sub("", inspect.cleandoc(documented.__doc__ or ""))


def error_lines(error: type[BaseException], *, depth: int) -> Iterator[str]:
    """Yield an error and those derived from it as a nested list."""
    yield f"{'    ' * depth}- `{error.__name__}`: {' '.join(prose(error).split())}"
    for derived in error.__subclasses__():
        if derived.__module__ == error.__module__:
            yield from error_lines(derived, depth=depth + 1)


def field_rows(public: type) -> Iterator[str]:
    """Yield a row for each field of a record, or each value of an enumeration: name, type or value, comment."""
    if not (dataclasses.is_dataclass(public) or issubclass(public, Enum)):
        return
    source = textwrap.dedent(inspect.getsource(public))
    comments = {
        token.start[0]: token.string.lstrip("# ")
        for token in tokenize.generate_tokens(StringIO(source).readline)
        if token.type == tokenize.COMMENT
    }
    (body,) = (one.body for one in ast.parse(source).body if isinstance(one, ast.ClassDef))
    for node in body:
        lines = range(node.lineno, (node.end_lineno or 0) + 1)
        about = cell(MODULE.sub("", " ".join(comments[line] for line in lines if line in comments)))
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            default = f" = {ast.unparse(node.value)}" if node.value else ""
            yield f"| `{node.target.id}` | {code(ast.unparse(node.annotation) + default)} | {about} |"
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and issubclass(public, Enum):
            target = node.targets[0].id
            if target in public.__members__:
                yield f"| `{target}` | `{ast.unparse(node.value)}` | {about} |"


def public_methods(classes: Iterable[type]) -> Iterator[tuple[str, Any]]:
    """Yield the public methods and properties of some classes, in the order in which they are written."""
    seen = set()
    for class_ in classes:
        for name, attribute in vars(class_).items():
            method = getattr(attribute, "fget", None) or getattr(attribute, "__func__", attribute)
            if name.startswith("_") or name in seen or not inspect.isfunction(inspect.unwrap(method)):
                continue
            seen.add(name)
            yield name, attribute


def signature_lines(method: Any) -> Iterator[str]:
    """Yield the signature of a method as a block."""
    function = getattr(method, "fget", None) or getattr(method, "__func__", method)
    source = textwrap.dedent(inspect.getsource(inspect.unwrap(function)))
    (node,) = (one for one in ast.parse(source).body if isinstance(one, ast.FunctionDef))
    node.args.args = node.args.args[1:]  # without self
    result = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    name = node.name
    if isinstance(method, property):
        yield from ("```python", f"{name}{result.replace('->', ':', 1).replace(' :', ':')}", "```", "")
        return
    arguments = list(split_arguments(node.args))
    text = f"{name}({', '.join(arguments)}){result}"
    if len(text) > MAX_LINE:
        text = "\n".join([f"{name}(", *(f"    {argument}," for argument in arguments), f"){result}"])
    before = "@classmethod\n" if isinstance(method, classmethod) else ""
    yield from ("```python", f"{before}{text}", "```", "")


def split_arguments(arguments: ast.arguments) -> Iterator[str]:
    """Yield the arguments of a signature one by one, spaced as PEP 8 has it."""
    depth, current = 0, ""
    for sign in ast.unparse(arguments) + ",":
        depth += (sign in "([{") - (sign in ")]}")
        if sign == "," and depth == 0:
            yield current.strip()
            current = ""
        else:
            current += " = " if sign == "=" and depth == 0 and ":" in current else sign


def language_tables() -> str:
    """Return the languages with what they are recognised by, then those that are read without a grammar."""
    from coderag.syntax.language import languages
    from coderag.types import Content

    contents = {
        Content.DOCS: "documents, in blocks of lines",
        Content.CODE: "code, in blocks of lines",
        Content.CONFIG: "configuration, in blocks of lines, only with `--content` (English translations always)",
    }
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
    for content, title in contents.items():
        rest[title] = [one for one in known if one.reader == "lines" and one.content is content]
    assert sum(map(len, rest.values())) + sum(one.reader == "outline" for one in known) == len(known)
    for title, found in rest.items():
        lines.append(f"| {title} | {', '.join(f'{one.title} (`{one.name}`)' for one in found)} |")
    return "\n".join(lines) + "\n"


def agents_table() -> str:
    """Return the agents that can be installed into: where the entry of the server is, and what else there is."""
    from coderag.agents.agent import Part, Scope, Target, agents

    letters = {Part.SKILL: "S", Part.INSTRUCTIONS: "I", Part.SUBAGENT: "A", Part.HOOK: "H"}

    def shown(target: Target | None) -> str:
        if target is None:
            return ""
        if target.program:
            return f"`{target.program} {' '.join(target.add[:2])}`"
        file = target.file["linux"] if isinstance(target.file, dict) else target.file
        path = VARIABLE.sub(lambda found: found[1], file if isinstance(file, str) else str(file[0]))
        return f"`{path}`" + (f" `{'.'.join(target.key)}`" if target.key else "")

    lines = ["| agent | `--agent` | server, of a user | server, of a project | |", "|---|---|---|---|---|"]
    for agent in agents().values():
        user, project = agent.targets(Scope.USER), agent.targets(Scope.PROJECT)
        rest = [letter for part, letter in letters.items() if part in user]
        rest += [letter.lower() for part, letter in letters.items() if part in project]
        title = agent.title + (" ¹" if agent.elsewhere else "")
        mcp = f"{shown(user.get(Part.MCP))} | {shown(project.get(Part.MCP))}"
        lines.append(f"| {title} | `{agent.name}` | {mcp} | {' '.join(rest)} |")
    return "\n".join(lines) + "\n"


def index_tables() -> str:
    """Return the page of the tables that `coderag sql` queries."""
    from coderag.relational.relations import relations

    known = relations().values()
    lines = [TABLES_INTRODUCTION, "| table or view | |", "|---|---|"]
    lines += [f"| [`{one.name}`](#{one.name}) | {cell(one.about)} |" for one in known]
    for one in known:
        lines += ["", f"## `{one.name}`", "", f"{'View' if one.is_view else 'Table'}: {one.about}.", ""]
        lines += ["| column | type | |", "|---|---|---|"]
        lines += [f"| `{column.name}` | {column.type} | {cell(column.about)} |" for column in one.columns]
        if one.is_view:
            lines += ["", "```sql", one.sql, "```"]
    return "\n".join(lines) + "\n"


def bounds_table() -> str:
    """Return the limits of what a call may ask for."""
    from coderag.limits import LIMITS

    lines = ["| given by | from | to | |", "|---|---|---|---|"]
    lines += [f"| {one.given} | {one.least:,} | {one.most:,} | {one.unit} |" for one in LIMITS]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.path.insert(0, str(REPOSITORY))
    sys.exit(main())
