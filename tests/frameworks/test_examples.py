"""The examples of schemas/frameworks/: what they declare and use, as the golden files beside them say."""

from __future__ import annotations

from pathlib import Path

import pytest

from coderag.frameworks.registry import read_code
from coderag.resources import data_folder
from coderag.sql.records import Facts
from coderag.syntax.language import detect
from tests.conftest import Golden
from tests.frameworks.show import show
from tests.frameworks.usage.test_dispatch import shown

GOLDEN = {".facts", ".uses"}
EXAMPLES = [path for path in sorted(data_folder("schemas/frameworks").glob("*/example.*")) if path.suffix not in GOLDEN]


def rendered(facts: Facts) -> list[str]:
    """Return what a file declares, and what it has for the models of other files."""
    lines = show(facts)
    if facts.shared is not None:
        for mixin in facts.shared.mixins:
            columns = ", ".join(f"{column.name} {column.type}" for column in mixin.table.columns)
            lines.append(f"base {mixin.table.name}{' (implied key)' if mixin.implied else ''}: {columns}")
        lines += [f"heir {table} of {heir.base}" for table, heir in facts.shared.heirs]
    return lines


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.parent.name)
def test_an_example_declares_and_uses_what_its_golden_files_say(path: Path, golden: Golden) -> None:
    language = detect(path.name)
    assert language is not None
    facts = read_code(path.read_bytes(), language=language.name, path=f"app/{path.name}") or Facts()
    golden(path.with_suffix(".facts"), "\n".join(rendered(facts)) + "\n")
    if uses := shown(language.name, path.read_text(encoding="utf-8")):
        golden(path.with_suffix(".uses"), "\n".join(uses) + "\n")


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.parent.name)
def test_an_example_that_breaks_off_is_read_as_far_as_it_goes(path: Path) -> None:
    language = detect(path.name)
    assert language is not None
    text = path.read_text(encoding="utf-8")
    whole = read_code(text.encode(), language=language.name, path=f"app/{path.name}") or Facts()
    for end in range(0, len(text), max(1, len(text) // 40)):
        facts = read_code(text[:end].encode(), language=language.name, path=f"app/{path.name}") or Facts()
        assert len(facts.operations) <= len(whole.operations) + 2
        shown(language.name, text[:end])


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("python", "from peewee import *\nclass A(B):\n  x = CharField()\nclass B(A):\n  y = CharField()\n"),
        ("python", "from peewee import *\nclass A(Model):\n  x = ForeignKeyField('self', primary_key=True)\n"),
        ("kotlin", 'import org.jetbrains.exposed.sql.Table\nobject A : B()\nobject B : A() { val x = integer("x") }\n'),
        (
            "python",
            "from peewee import *\nclass A(Model):\n  x = ForeignKeyField('B', primary_key=True)\n"
            "class B(Model):\n  y = ForeignKeyField(A, primary_key=True)\n",
        ),
        ("go", 'package a\nimport "github.com/uptrace/bun"\ntype A struct { bun.BaseModel; B }\ntype B struct { A }\n'),
        ("go", 'package a\ntype A struct {\n ID int `bun:"id,pk,' + "(" * 5_000 + "'" * 5_000 + '"`\n}\n'),
        (
            "java",
            "import androidx.room.*;\n@Entity class A extends B { @Embedded A a; @PrimaryKey long id; }\n"
            "@Entity class B extends A { @Embedded A b; }\n",
        ),
        ("rust", "#[derive(DeriveEntityModel)]\n#[sea_orm(" + "a=(" * 5_000 + ")]\npub struct Model { pub id: i32 }\n"),
    ],
)
def test_circles_and_hostile_tags_end(language: str, text: str) -> None:
    facts = read_code(text.encode(), language=language, path="app/x")
    assert facts is None or len(facts.operations) < 4
    shown(language, text)
