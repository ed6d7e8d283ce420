"""Imports point down, and heavy libraries stay where they are wrapped."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from functools import cache, partial
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.workspace import REPOSITORY

PACKAGE = REPOSITORY / "coderag"
# From the lowest to the highest; what is on one line may not import each other.
LAYERS = [
    {"coderag._version"},
    {"coderag"},
    {"coderag.record", "coderag.decoding"},
    {"coderag.errors", "coderag.extras", "coderag.types", "coderag.resources"},
    {"coderag.degraded"},
    {"coderag.limits"},
    {"coderag.text"},
    {"coderag.encoders"},
    {"coderag.rerankers"},
    {"coderag.syntax"},
    {"coderag.files"},
    {"coderag.chunking"},
    {"coderag.chunkers"},
    {"coderag.sql"},
    {"coderag.frameworks"},
    {"coderag.catalog"},
    {"coderag.index"},
    {"coderag.graph"},
    {"coderag.search"},
    {"coderag.stores"},
    {"coderag.relational"},
    {"coderag.ask"},
    {"coderag.api"},
    {"coderag.adapters"},
    {"coderag.evaluate"},
    {"coderag.serve"},
    {"coderag.agents"},
    {"coderag.resident"},
    {"coderag.cli"},
    {"coderag.__main__"},
]
HEAVY = {
    "tree_sitter": (
        "coderag.syntax",
        *("coderag.files", "coderag.chunking", "coderag.sql.in_code", "coderag.frameworks"),
    ),
    "Stemmer": ("coderag.text",),
    "charset_normalizer": ("coderag.files.decode",),
    "filelock": (
        "coderag.index.storage.folder.lock",
        "coderag.index.build.merging",
        "coderag.graph.store",
        "coderag.api",
    ),
    "re2": ("coderag.search.exact.pattern",),
    "rapidfuzz": (
        *("coderag.search.retrieval.symbols", "coderag.sql.check.known_tables", "coderag.relational.faults"),
        *("coderag.ask.checking", "coderag.cli"),
    ),
    "rich": ("coderag.cli",),
    "pygments": ("coderag.cli", "coderag.serve.html", "coderag.text.lexers"),
    "numpy": (
        *("coderag.text", "coderag.encoders", "coderag.rerankers"),
        *("coderag.syntax.lines", "coderag.files.privacy.secrets.anchors"),
        *("coderag.index", "coderag.graph", "coderag.search", "coderag.relational.rows"),
        *("coderag.stores", "coderag.api", "coderag.evaluate", "coderag.chunkers.meaning", "coderag.adapters"),
    ),
    "pymilvus": ("coderag.stores.milvus",),
    "fsspec": ("coderag.index.remote",),
    "ray": ("coderag.index.workers.ray_executor",),
    "numkong": ("coderag.index.storage.vectors",),
    "torch": ("coderag.encoders", "coderag.rerankers"),
    "transformers": ("coderag.encoders", "coderag.rerankers"),
    "onnxruntime": ("coderag.encoders", "coderag.rerankers"),
    "tokenizers": ("coderag.encoders", "coderag.rerankers"),
    "safetensors": ("coderag.encoders", "coderag.rerankers"),
    "ir_measures": ("coderag.evaluate",),
    "matplotlib": ("coderag.evaluate",),
    "msgspec": (
        *("coderag.sql", "coderag.frameworks", "coderag.catalog"),
        *("coderag.index", "coderag.graph", "coderag.search", "coderag.stores", "coderag.ask", "coderag.serve"),
        *("coderag.evaluate.answers.judging", "coderag.decoding"),
    ),
    "mcp": ("coderag.serve.mcp",),
    "pygls": ("coderag.serve.lsp",),
    "lsprotocol": ("coderag.serve.lsp",),
    "starlette": ("coderag.serve.http", "coderag.serve.html"),
    "uvicorn": ("coderag.serve.http",),
    "tomlkit": ("coderag.agents",),
    "sqlglot": ("coderag.sql", "coderag.frameworks", "coderag.catalog", "coderag.ask.sql"),
    "duckdb": ("coderag.relational.database", "coderag.catalog.introspect.drivers"),
    "sqlalchemy": ("coderag.catalog.introspect",),
    "jinja2": ("coderag.frameworks.dbt.jinja", "coderag.serve.html"),
    "yaml": ("coderag.text.yaml_lines", "coderag.catalog.knowledge.glossary", "coderag.frameworks.dbt"),
    "watchfiles": ("coderag.index.build.watch.fs_events",),
    "langchain_core": ("coderag.adapters.langchain",),
    "llama_index": ("coderag.adapters.llama_index",),
    "haystack": ("coderag.adapters.haystack",),
    "graspologic_native": ("coderag.graph.queries.communities",),
}
MAX_MODULES = 146  # of coderag, that a search whose index is up to date imports: each costs a third of a millisecond
MODULES = {
    ".".join(path.relative_to(REPOSITORY).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(PACKAGE.rglob("*.py"))
}
ROOMS = {room: [*names] for room, names in groupby(MODULES, key=lambda module: ".".join(module.split(".")[:2]))}


def layer(module: str) -> int:
    """Return the number of the layer whose name is the longest prefix of a module's."""
    names = {name: number for number, names in enumerate(LAYERS) for name in names}
    parts = module.split(".")
    return next(names[".".join(parts[:size])] for size in (2, 1) if ".".join(parts[:size]) in names)


class Import(NamedTuple):
    """A name that a module imports; a module as a whole has none."""

    module: str
    name: str
    is_lazy: bool  # inside a function


@cache
def imports(module: str) -> tuple[Import, ...]:
    """Return what a module imports, without what is for type checkers alone."""
    found: list[Import] = []
    left: list[tuple[ast.AST, bool]] = [(ast.parse(MODULES[module].read_bytes()), False)]
    while left:
        node, is_lazy = left.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.Import):
            found += [Import(name.name, "", is_lazy) for name in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{module} has a relative import"
            found += [Import(str(node.module), name.name, is_lazy) for name in node.names]
        elif isinstance(node, ast.stmt | ast.mod | ast.ExceptHandler | ast.match_case):  # others hold no statements
            is_lazy |= isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            left += [(child, is_lazy) for child in ast.iter_child_nodes(node)]
    return tuple(found)


def imported_modules(module: str) -> set[str]:
    """Return the modules that a module imports, submodules imported by name included."""
    found = imports(module)
    return {one.module for one in found} | {f"{one.module}.{one.name}" for one in found} & MODULES.keys()


def fault(module: str, imported: str) -> str:
    """Return what is wrong with a module importing another, or nothing."""
    package, _, rest = imported.partition(".")
    is_elsewhere = package == "coderag" and rest and rest.split(".")[0] != [*module.split("."), ""][1]
    if is_elsewhere and layer(imported) >= layer(module):
        return f"{module} imports {imported}"
    allowed = HEAVY.get(package, ("",))
    return "" if module.startswith(allowed) else f"{module} imports {imported}; only {allowed} may"


@pytest.mark.slow
def test_decoders_are_made_in_one_place() -> None:
    made = re.compile(r"msgspec\.convert\(|\bmsgspec\.\w+\.Decoder\(|\bmsgspec\.\w+\.decode\([^()]*\btype=")
    assert {name for name, path in MODULES.items() if made.search(path.read_text())} == {"coderag.decoding"}


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


@pytest.mark.slow
@pytest.mark.parametrize("room", ROOMS)
def test_imports_point_down(room: str) -> None:
    pairs = ((module, imported) for module in ROOMS[room] for imported in sorted(imported_modules(module)))
    found = [wrong for module, imported in pairs if (wrong := fault(module, imported))]
    assert not found, "\n".join(found)


@pytest.mark.slow
@pytest.mark.parametrize("room", ROOMS)
def test_no_private_name_is_imported(room: str) -> None:
    found = [
        f"{module} imports {one.name} from {one.module}"
        for module in ROOMS[room]
        for one in imports(module)
        if one.module.startswith("coderag") and is_private(one.name)
    ]
    assert not found, "\n".join(found)


@pytest.mark.slow
def test_no_module_imports_itself_in_a_circle() -> None:
    below = {}
    for name in MODULES:
        direct = [one for one in imports(name) if not one.is_lazy]
        named = {one.module for one in direct} | {f"{one.module}.{one.name}" for one in direct}
        below[name] = named & MODULES.keys() - {name}
    while free := {name for name, others in below.items() if not others & below.keys()}:
        below = {name: others for name, others in below.items() if name not in free}
    assert not below, f"these import each other: {sorted(below)}"


def test_the_bare_package_loads_nothing_heavy() -> None:
    script = "import sys, coderag; print(*sorted(sys.modules))"
    loaded = subprocess.run(
        [sys.executable, "-c", script], cwd=REPOSITORY, capture_output=True, text=True, check=True
    ).stdout.split()
    assert not HEAVY.keys() & set(loaded)
    assert [name for name in loaded if name.startswith("coderag")] == ["coderag", "coderag._version"]


@pytest.mark.slow
def test_a_search_of_an_index_as_it_is_loads_only_what_answers(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def parse(text):\n    return text\n", encoding="utf-8")
    run = partial(subprocess.run, cwd=REPOSITORY, capture_output=True, text=True, check=True)
    run([sys.executable, "-m", "coderag", "index", str(tmp_path)])
    arguments = ["search", "parse text", "--root", str(tmp_path)]
    script = f"import sys; from coderag.cli.main import run; run({arguments}); print(); print(*sorted(sys.modules))"
    loaded = set(run([sys.executable, "-c", script]).stdout.splitlines()[-1].split())
    assert loaded & HEAVY.keys() == {"numpy", "numkong", "Stemmer"}
    # Each takes as long to import as a tenth of such a search.
    slow = {"numpy.ma", "subprocess", "tomllib", "coderag.files.walk", "coderag.index.catalog.catalog"}
    assert not loaded & (slow | {"coderag.syntax.language", "coderag.index.build.scan"})
    ours = [name for name in loaded if name.startswith("coderag")]
    assert len(ours) <= MAX_MODULES, f"a search imports {len(ours)} modules"
