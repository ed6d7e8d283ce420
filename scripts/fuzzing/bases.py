"""The checkout to texts worth damaging: examples of languages and dialects, and the texts that tests are made of."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from coderag.syntax.language import Language, languages

__all__ = ["CHECKOUT", "SQL", "Base", "bases_of", "targets"]

CHECKOUT = Path(__file__).resolve().parents[2]
BASE_BYTES = 3000  # of a text that is damaged: small ones are quick, and damage shows sooner
MIN_BYTES = 60  # a shorter string of a test is no text of its own
SQL = "sql:"  # before the name of a dialect

SQL_TESTS = (
    *(f"sql/ddl/test_{name}.py" for name in ("statement", "recover", "parse_file", "example_queries")),
    *("sql/statements/test_split.py", "catalog/test_fold.py"),
)
# Texts of models, migrations and documents stand in the tests of their readers: language, path, tests.
TESTED: tuple[tuple[str, str, str], ...] = (
    ("ruby", "app/models/order.rb", "frameworks/test_activerecord.py"),
    ("ruby", "db/schema.rb", "frameworks/test_rails.py"),
    ("ruby", "db/migrate/20240131120000_more.rb", "frameworks/test_rails.py"),
    ("python", "migrations/versions/ae1_users.py", "frameworks/test_alembic.py"),
    ("python", "shop/migrations/0001_initial.py", "frameworks/test_django_migrations.py"),
    ("python", "shop/models.py", "frameworks/test_django_models.py"),
    ("python", "shop/tables.py", "frameworks/test_sqlalchemy.py"),
    ("typescript", "src/schema.ts", "frameworks/test_drizzle.py"),
    ("typescript", "src/order.entity.ts", "frameworks/test_typeorm.py"),
    ("typescript", "src/migrations/1700000000000-More.ts", "frameworks/test_typeorm.py"),
    ("javascript", "migrations/20240101000000_users.js", "frameworks/test_knex.py"),
    ("elixir", "lib/shop/order.ex", "frameworks/test_ecto.py"),
    ("elixir", "priv/repo/migrations/20240101000000_more.exs", "frameworks/test_ecto.py"),
    ("go", "shop/models.go", "frameworks/test_gorm.py"),
    ("java", "src/Order.java", "frameworks/test_jpa.py"),
    ("kotlin", "src/Order.kt", "frameworks/test_jpa.py"),
    ("prisma", "prisma/schema.prisma", "frameworks/test_prisma.py"),
    ("dbt", "models/schema.yml", "frameworks/test_dbt.py"),
    ("sql", "models/orders.sql", "frameworks/test_dbt.py"),
    ("glossary", "glossary.yml", "catalog/knowledge/test_glossary.py"),
    ("querylog", "queries.jsonl", "catalog/knowledge/test_query_log.py"),
    ("markdown", "docs/schema.md", "catalog/knowledge/test_documents.py"),
    ("restructuredtext", "docs/schema.rst", "catalog/knowledge/test_documents.py"),
    ("markdown", "docs/sections.md", "chunking/test_sections.py"),
    ("restructuredtext", "docs/sections.rst", "chunking/test_sections.py"),
    ("notebook", "analysis.ipynb", "chunking/test_sections.py"),
    *(("sql", "db/more.sql", test) for test in SQL_TESTS),
    ("xml", "src/main/resources/orm.xml", "frameworks/test_jpa.py"),
    ("yaml", "models/schema.yml", "frameworks/test_dbt.py"),
)
FILES: Mapping[str, tuple[str, ...]] = {
    "markdown": ("fixtures/shop/docs/payments.md", "fixtures/shop/docs/runbook.md", "README.md"),
    "toml": ("pyproject.toml",),
    "notebook": ("fixtures/shop/examples/revenue.ipynb",),
    "yaml": (".github/workflows/ci.yml",),
    "querylog": ("fixtures/questions.jsonl",),
}


@dataclass(frozen=True, slots=True)
class Base:
    """A text to damage, and the path at which a repository would have it."""

    path: str
    data: bytes


@cache
def targets() -> tuple[str, ...]:
    """Return everything that can be fuzzed: the languages, and for SQL its dialects, as `sql:mysql`."""
    dialects = [SQL + folder.parent.name for folder in sorted((CHECKOUT / "schemas/dialects").glob("*/example.sql"))]
    return (*sorted(languages()), *dialects)


@cache
def bases_of(target: str) -> tuple[Base, ...]:
    """Return the texts of a target, none larger than BASE_BYTES or so; the first one is the example."""
    if target.startswith(SQL):
        dialect = target.removeprefix(SQL)
        return tuple(_cut(f"{dialect}.sql", (CHECKOUT / "schemas/dialects" / dialect / "example.sql").read_bytes()))
    language = languages()[target]
    found = [base for file in _examples(target) for base in _cut(file.name, file.read_bytes())]
    for name in FILES.get(target, ()):
        if (file := CHECKOUT / name).is_file():
            found += _cut(_path(language, file.name), file.read_bytes()[: 10 * BASE_BYTES])
    for name, path, tests in TESTED:
        if name == target:
            found += [Base(path, text) for text in _texts(CHECKOUT / "tests" / tests)]
    return tuple(found or _cut(_path(language, ""), (CHECKOUT / "CONTRIBUTING.md").read_bytes()))


def _examples(target: str) -> list[Path]:
    folder = CHECKOUT / "parsers" / target
    return [file for file in sorted(folder.glob("example.*")) if file.suffix not in {".outline", ".links"}]


def _path(language: Language, name: str) -> str:
    """Return a name that files of this language have."""
    if language.extensions and not name.endswith(language.extensions):
        return "base" + language.extensions[0]
    return name or (language.filenames[0] if language.filenames else "base.txt")


def _cut(path: str, data: bytes) -> Iterator[Base]:
    """Yield a text in pieces that end with lines; a single line is never cut."""
    piece = b""
    for line in data.splitlines(keepends=True):
        if piece and len(piece) + len(line) > BASE_BYTES:
            yield Base(path, piece)
            piece = b""
        piece += line
    if piece:
        yield Base(path, piece)


def _texts(file: Path) -> Iterator[bytes]:
    """Yield the texts of several lines that a test file holds."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value.encode("utf-8", "surrogatepass")
            if MIN_BYTES < len(text) < 2 * BASE_BYTES and b"\n" in text:
                yield text
