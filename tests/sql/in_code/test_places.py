"""SQL in literals is found where it stands, character by character."""

from __future__ import annotations

import pytest

from coderag.sql.in_code.places import SqlPlace, sql_places
from coderag.syntax.language import detect
from coderag.syntax.lines import Lines
from coderag.syntax.parsed import parse_code


def places(path: str, text: str) -> list[SqlPlace]:
    language = detect(path)
    assert language is not None
    return sql_places(parse_code(Lines(text.encode()), language))


@pytest.mark.parametrize(
    ("path", "text", "expected", "is_whole"),
    [
        ("a.py", 'é = 1\nrun("SELECT a,\\n b FROM t WHERE c = %s")\n', "SELECT a,   b FROM t WHERE c =  0", True),
        ("a.py", 'run("SELECT a "\n    "FROM t")\n', "SELECT a  \n     FROM t", True),
        ("a.py", 'run("SELECT a FROM t" + " WHERE b = 1")\n', "SELECT a FROM t      WHERE b = 1", True),
        ("a.py", 'run("SELECT a FROM t WHERE " + condition)\n', "SELECT a FROM t WHERE ", False),
        ("a.py", 'run(f"SELECT a FROM {table}")\n', "SELECT a FROM {table}", False),
        ("a.py", 'run("SELECT a FROM {}".format(table))\n', "SELECT a FROM {}", False),
        ("a.py", 'run("SELECT a FROM %s" % table)\n', "SELECT a FROM  0", False),
        ("a.go", "package a\nfunc f() { q(`SELECT a\n FROM t WHERE b = $1`) }", "SELECT a\n FROM t WHERE b = $1", True),
        ("a.rb", "x = <<~SQL\n  SELECT a FROM t\nSQL\n", "\n  SELECT a FROM t\n", True),
        ("A.java", 'class A { String q = "SELECT a " + "FROM t"; }', "SELECT a      FROM t", True),
        ("a.ts", "const q = sql`SELECT a FROM t WHERE b = ${b}`", "SELECT a FROM t WHERE b = ${b}", False),
        ("a.php", "<?php $q = 'SELECT a FROM t' . ' WHERE b = 1';", "SELECT a FROM t      WHERE b = 1", True),
        ("a.php", '<?php $q = "SELECT a FROM t WHERE b = $b";', "SELECT a FROM t WHERE b = $b", False),
        ("a.kt", 'val q = "SELECT a FROM t WHERE b = $b"', "SELECT a FROM t WHERE b = $b", False),
    ],
)
def test_a_literal_is_text_as_long_as_itself(path: str, text: str, expected: str, is_whole: bool) -> None:
    [found] = places(path, text)
    assert (found.text, found.is_whole) == (expected, is_whole)
    words = [word for word in expected.split() if word.isalpha() and word != "0"]
    standing = text[found.start : found.start + len(found.text)]
    assert [word for word in words if word in standing.replace("\\n", "  ")] == words


def test_prose_and_other_literals_are_no_sql() -> None:
    assert places("a.py", 'x = "select a user from the list of names."\ny = "hello"\nz = b"SELECT"\n') == []


def test_several_are_found_in_their_order() -> None:
    text = "".join(f'run("SELECT a{number} FROM t")  # é\n' for number in range(50))
    found = places("a.py", text)
    assert [one.text for one in found] == [f"SELECT a{number} FROM t" for number in range(50)]
    assert all(text[one.start :].startswith(one.text) for one in found)


def test_a_long_concatenation_takes_no_square_of_its_length() -> None:
    text = "run(" + " +\n".join(f'"SELECT a{number} FROM t "' for number in range(3_000)) + ")\n"
    assert len(places("a.js", text)) > 0
