"""What documents and messages say about installing: from the source tree, quoted, and extras that there are."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator

import pytest

from coderag.extras import Extra, how_to_install
from tests.workspace import REPOSITORY

PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
SUFFIXES = {"", ".md", ".py", ".toml"}
TEXTS = [
    *REPOSITORY.glob("*.md"),
    *(
        path
        for folder in ("coderag", "docs", "scripts", ".ci")
        for path in (REPOSITORY / folder).rglob("*")
        if path.is_file() and path.suffix in SUFFIXES
    ),
]
# The name on the index is another project's, and zsh expands brackets that are not quoted.
FOREIGN = re.compile(r"""pip3?\s+install\s+(?:-\S+\s+)*['"]?coderag\b""")
UNQUOTED = re.compile(r"""pip3?\s+install\s+(?:[^\s'"`|&;]+\s+)*[^\s'"`|&;]+\[""")
OWN_EXTRA = re.compile(r"""(?:\bcoderag(?:-sql)?|['"]\.)\[([a-z,]+)\]""")


def wrong(text: str) -> Iterator[str]:
    """Yield what a text says that would install something else, or nothing in some shell."""
    for pattern in (FOREIGN, UNQUOTED):
        yield from (found[0] for found in pattern.finditer(text))


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("pip install coderag", 1),
        ("pip install coderag-sql", 1),
        ("pip install --upgrade 'coderag[eval]'", 1),
        ("run pip3 install coderag[eval]", 2),
        ("pip install .[eval]", 1),
        ("pip install -e .[eval]", 1),
        ("pip install '.[eval]'", 0),
        ('.venv/bin/pip install --quiet -e ".[test]"', 0),
        (".venv/bin/pip install --quiet . && .venv/bin/coderag index [eval]", 0),
        ("pip install atheris", 0),
    ],
)
def test_wrong_advice_is_seen(text: str, count: int) -> None:
    assert len(list(wrong(text))) == count


def test_nothing_tells_to_install_another_project() -> None:
    texts = {str(path.relative_to(REPOSITORY)): path.read_text(encoding="utf-8") for path in sorted(TEXTS)}
    assert {"README.md", "coderag/extras.py", "scripts/check"} <= texts.keys()
    assert {path: found for path, text in texts.items() if (found := list(wrong(text)))} == {}


@pytest.mark.slow
def test_documents_name_extras_that_there_are() -> None:
    named = {
        name
        for path in TEXTS
        for names in OWN_EXTRA.findall(path.read_text(encoding="utf-8"))
        for name in names.split(",")
    }
    assert "eval" in named
    assert named <= PROJECT["optional-dependencies"].keys()


def test_the_distribution_has_a_name_of_its_own() -> None:
    assert PROJECT["name"] == "coderag-sql"
    of_itself = [
        requirement
        for requirements in PROJECT["optional-dependencies"].values()
        for requirement in requirements
        if requirement.startswith("coderag")
    ]
    assert of_itself
    assert all(one.startswith("coderag-sql[") for one in of_itself)
    assert list(PROJECT["scripts"]) == ["coderag"]


# Modules of the extra dev that tests import. CI runs what needs them by the marker dev, and nothing else a second time.
OF_DEV = ("alembic", "bm25s", "detect_secrets", "flask", "ir_measures", "lightgbm", "matplotlib", "scipy", "sqlalchemy")
IMPORTED = re.compile(
    rf"""importorskip\("({"|".join(OF_DEV)})\b|^ +(?:import|from) ({"|".join(OF_DEV)})\b""", re.MULTILINE
)
DEV_MARK = re.compile(r"""mark\.dev\(([^)]*)\)""")


def test_what_needs_the_extra_dev_is_marked() -> None:
    unmarked = {}
    for path in sorted((REPOSITORY / "tests").rglob("test_*.py")):
        text = path.read_text(encoding="utf-8")
        code = re.sub(r'''""".*?"""|\'\'\'.*?\'\'\'''', "", text, flags=re.DOTALL)
        needed = {first or second for first, second in IMPORTED.findall(code)}
        if lacking := needed - set(re.findall(r"\w+", " ".join(DEV_MARK.findall(text)))):
            unmarked[path.name] = lacking
    assert unmarked == {}


@pytest.mark.parametrize("extra", Extra)
def test_a_message_names_an_extra_that_there_is(extra: Extra) -> None:
    assert extra in PROJECT["optional-dependencies"]
    assert f"pip install '.[{extra}]'" in how_to_install(extra)
