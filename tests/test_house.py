"""The package stays easy to move into: no circle of imports, no function that decides too often, no room too big."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from scripts.measure_house import branches, cases, circles, functions, imports, modules, rooms
from tests.workspace import REPOSITORY, write

MOST_BRANCHES = 20
MOST_CASES = 10  # that need no example of input and output
EXAMPLES = 2
MOST_OF_ALL_LINES = 0.2  # in one room
REASON = re.compile(r"#.*\w+ \w+ \w+")  # behind `except Exception`, besides what ruff is told
MODULES = modules(REPOSITORY / "coderag")


class Measured(NamedTuple):
    """A function of the package."""

    where: str
    branches: int
    cases: int
    examples: int  # in its docstring


@cache
def measured() -> list[Measured]:
    """Return all functions of the package."""
    return [
        Measured(
            f"{path.relative_to(REPOSITORY)}:{function.lineno} {function.name}",
            branches(function),
            cases(function),
            str(ast.get_docstring(function)).count("->"),
        )
        for path in MODULES.values()
        for function in functions(path)
    ]


@pytest.mark.slow
def test_no_function_decides_too_often() -> None:
    assert [f"{one.where} has {one.branches} branches" for one in measured() if one.branches > MOST_BRANCHES] == []


@pytest.mark.slow
def test_a_function_of_many_cases_shows_examples() -> None:
    found = [one for one in measured() if one.cases > MOST_CASES and one.examples < EXAMPLES]
    assert [f"{one.where} tells {one.cases} cases apart" for one in found] == []


@pytest.mark.slow
def test_what_catches_everything_raises_it_or_says_why_not() -> None:
    found = []
    for path in MODULES.values():
        text = path.read_text(encoding="utf-8")
        lines = text.splitlines()
        found += [
            f"{path.relative_to(REPOSITORY)}:{handler.lineno}"
            for handler in ast.walk(ast.parse(text))
            if isinstance(handler, ast.ExceptHandler)
            and (handler.type is None or ast.unparse(handler.type) in {"Exception", "BaseException"})
            and not any(isinstance(node, ast.Raise) for node in ast.walk(handler))
            and not REASON.search(lines[handler.lineno - 1])
        ]
    assert found == []


@pytest.mark.slow
def test_no_circle_is_hidden_in_functions() -> None:
    assert circles({name: imports(path, MODULES.keys()) - {name} for name, path in MODULES.items()}) == []


@pytest.mark.slow
def test_no_room_is_half_of_the_house() -> None:
    lines = rooms(MODULES)
    [(room, most)] = lines.most_common(1)
    assert most / sum(lines.values()) < MOST_OF_ALL_LINES, room


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("return 1", 1),
        ("if a and b or c:\n        return 1", 4),
        ("return [x for x in a if x] if a else b", 3),
        ("for x in a:\n        def inner():\n            return x or a", 3),
        ("try:\n        a()\n    except ValueError:\n        b()", 2),
        ("match a:\n        case 1:\n            b()\n        case _:\n            c()", 3),
    ],
)
def test_branches_are_counted(tmp_path: Path, body: str, count: int) -> None:
    module = tmp_path / "module.py"
    module.write_text(f"def f(a, b, c):\n    {body}\n")
    [function, *_] = sorted(functions(module), key=lambda one: one.lineno)
    assert branches(function) == count


def test_circles_and_rooms_are_found(tmp_path: Path) -> None:
    files = {
        "pack/__init__.py": "",
        "pack/low/a.py": "def f():\n    from pack.high import b\n",
        "pack/high/b.py": "import pack.low.a\n",
        "pack/high/c.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from pack.high import d\n",
        "pack/high/d.py": "from pack.high.c import TYPE_CHECKING\n",
    }
    known = modules(write(tmp_path, files) / "pack")
    graph = {name: imports(path, known.keys()) for name, path in known.items()}
    assert circles(graph) == [["pack.high.b", "pack.low.a"]]
    assert rooms(known)["high"] == 5
