"""How the package is built: rooms, circles of imports, branches, and the way of a question and of files through it.

    python scripts/measure_house.py [ROOT]

Prints one line per measure. ROOT is a checkout (default: this one), whose own code is traced. The branches of a
function are 1 and one for each if, loop, case, handler, conditional expression, comprehension, and further operand of
`and` and `or`, in what it defines too.
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Set
from pathlib import Path
from shutil import copytree
from statistics import median, quantiles
from tempfile import TemporaryDirectory

__all__ = ["branches", "cases", "circles", "functions", "handed_over", "imports", "modules", "room", "rooms", "way"]

REPOSITORY = Path(__file__).parents[1]
MOST_BRANCHES = 20
DECIDING = (ast.If, ast.IfExp, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler, ast.match_case, ast.comprehension)
FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef
# Prints the pairs of modules of which one calls the other, in the order of their first calls.
TRACE = """
import json, os, sys
sys.path.insert(0, sys.argv[1])
package = os.path.join(sys.argv[1], "coderag") + os.sep
pairs = {}

def is_own(frame):
    return frame.f_code.co_filename.startswith(package) and frame.f_code.co_name[0] != "<"

def note(frame, event, _):
    if event == "call" and is_own(frame):
        caller = frame.f_back
        while caller is not None and not is_own(caller):
            caller = caller.f_back
        if caller is not None:
            pairs[caller.f_code.co_filename[len(package):], frame.f_code.co_filename[len(package):]] = None

from coderag import Index
root, question = sys.argv[2:]
if not question:
    sys.setprofile(note)
index = Index.build(root, graph=False)
if question:
    index.search(question)  # what is opened once is opened
    index = Index.open(root)
    sys.setprofile(note)
    index.search(question)
sys.setprofile(None)
print(json.dumps(list(pairs)))
"""
QUESTION = "where are failed payments retried?"


def modules(package: Path) -> dict[str, Path]:
    """Return the files of a package by the names of their modules."""
    return {
        ".".join(path.relative_to(package.parent).with_suffix("").parts).removesuffix(".__init__"): path
        for path in sorted(package.rglob("*.py"))
    }


def room(module: str) -> str:
    """Return the room of a module: coderag.sql.ddl.create -> sql, coderag.errors -> errors."""
    return [*module.split("."), ""][1]


def rooms(known: Mapping[str, Path]) -> Counter[str]:
    """Return how many lines each room has."""
    lines: Counter[str] = Counter()
    for name, path in known.items():
        lines[room(name)] += len(path.read_bytes().splitlines())
    return lines


def imports(path: Path, known: Set[str]) -> set[str]:
    """Return the modules among some that a file imports, in functions too; not those for type checkers."""
    found: set[str] = set()
    left: list[ast.AST] = [ast.parse(path.read_bytes())]
    while left:
        node = left.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.stmt | ast.mod | ast.ExceptHandler | ast.match_case):  # others hold no statements
            left += ast.iter_child_nodes(node)
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom):
            inner = {f"{node.module}.{alias.name}" for alias in node.names} & known
            found |= inner
            if len(inner) < len(node.names) and str(node.module) in known:
                found.add(str(node.module))
    return found


def circles(graph: Mapping[str, Set[str]]) -> list[list[str]]:
    """Return the groups of modules each of which leads to every other one of its group."""
    reached: dict[str, set[str]] = {}
    for start in graph:
        left: list[str] = [start]
        seen: set[str] = set()
        while left:
            for other in graph[left.pop()] - seen:
                seen.add(other)
                left.append(other)
        reached[start] = seen
    groups = {
        tuple(sorted(other for other in reached[name] if name in reached[other]))
        for name in graph
        if name in reached[name]
    }
    return [list(group) for group in sorted(groups)]


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yield the functions of a file, inner ones too."""
    yield from (node for node in ast.walk(ast.parse(path.read_bytes())) if isinstance(node, FUNCTIONS))


def branches(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Return how often a function decides, and 1."""
    inside = list(ast.walk(function))
    operands = sum(len(node.values) - 1 for node in inside if isinstance(node, ast.BoolOp))
    return 1 + operands + sum(isinstance(node, DECIDING) for node in inside)


def cases(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Return how many `if`, conditional expressions and `case` a function has."""
    return sum(isinstance(node, ast.If | ast.IfExp | ast.match_case) for node in ast.walk(function))


def way(root: Path, question: str = "") -> list[tuple[str, str]]:
    """Return the pairs of modules that call each other on the way of a question, or of files into an index.

    Of the example application; the caller comes first.
    """
    with TemporaryDirectory() as folder:
        example = copytree(root / "fixtures/shop", Path(folder) / "shop")
        command = [sys.executable, "-c", TRACE, str(root), str(example), question]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [(_module(caller), _module(called)) for caller, called in json.loads(done.stdout.splitlines()[-1])]


def _module(path: str) -> str:
    return f"coderag.{path.removesuffix('.py').replace('/', '.')}".removesuffix(".__init__")


def handed_over(pairs: Iterable[tuple[str, str]], graph: Mapping[str, Set[str]]) -> list[tuple[str, str]]:
    """Return the calls into a room that no module of the caller's room imports: of functions that are handed over."""
    arrows = {(room(name), room(other)) for name, others in graph.items() for other in others}
    return [
        (caller, called)
        for caller, called in pairs
        if room(caller) != room(called) and (room(caller), room(called)) not in arrows
    ]


def main(root: Path) -> None:
    """Print the measures of a checkout."""
    known = modules(root / "coderag")
    lines = rooms(known)
    total = sum(lines.values())
    sizes = [len(path.read_bytes().splitlines()) for path in known.values()]
    found = [
        (branches(function), function.end_lineno or 0, function.lineno)
        for path in known.values()
        for function in functions(path)
    ]
    lengths = [last - first + 1 for _, last, first in found]
    graph = {name: imports(path, known.keys()) - {name} for name, path in known.items()}
    (biggest, most), *_ = lines.most_common(1)
    print(
        f"modules    {len(known):,}, {total:,} lines; median {median(sizes):.0f}, 90 % {quantiles(sizes, n=10)[8]:.0f}"
    )
    print(f"rooms      {len(lines)}; the biggest is {biggest} with {most / total:.1%} of the lines")
    print(f"functions  {len(found):,}; lines: median {median(lengths):.0f}, 90 % {quantiles(lengths, n=10)[8]:.0f}")
    print(f"branches   {sum(count > MOST_BRANCHES for count, *_ in found)} functions with more than {MOST_BRANCHES}")
    for members in (groups := circles(graph)):
        print(f"circle     {', '.join(members)}")
    print(f"circles    {len(groups)}")
    for name, question in (("question", QUESTION), ("files", "")):
        pairs = way(root, question)
        crossing = [pair for pair in pairs if room(pair[0]) != room(pair[1])]
        handed = handed_over(pairs, graph)
        passed = {room(module) for pair in crossing for module in pair}
        calls = f"{len(crossing)} calls between modules of two, {len(handed)} by a function handed over"
        print(f"{name:<10} {len(passed)} rooms, {calls}")
        for caller, called in handed:
            print(f"           {caller} -> {called}")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else REPOSITORY)
