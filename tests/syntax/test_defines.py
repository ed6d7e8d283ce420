"""Headers of nothing but `#define` lines: read without the grammar, they have the outline that the grammar gives."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coderag.syntax.defines import read_defines
from coderag.syntax.language import languages
from coderag.syntax.lines import Lines
from coderag.syntax.outline import Outline, read_outline
from coderag.types import Kind

MACROS = frozenset({Kind.MACRO})
REGISTERS = """\
/*
 * The registers of the timer. They are read twice.
 */
#ifndef _TIMER_H_
#define _TIMER_H_

// addressBlock: timer
// base address: 0x0
#define TIMER_CONTROL   0x0010
#define TIMER_CONTROL__ENABLE__SHIFT 0x0
#define TIMER_MODES "fast", 'x', (1 << 3)

/* Counts down. */
#define\tTIMER_COUNT \t TIMER_CONTROL + 4  \n
#endif /* _TIMER_H_ */
"""
ROWS = st.sampled_from(
    [
        *(
            "#define A 1",
            "#define A_B__SHIFT 0x0",
            "#define  C\t(1 << 2)",
            "#define bool int",
            '#define S "a;b{"',
            "#define E",
        ),
        *(
            "// one",
            "  // two. Three",
            "/* four */",
            "/*\n * five\n *\n * six\n */",
            "\t/* seven\n eight */",
            "/***/",
            "//",
        ),
        *("", "  ", "/* Copyright 2020 */", "/* ü */", "#define V = ;", "#define N -1:", "#define P #p ##q"),
    ]
)
STRANGE = st.sampled_from(
    [
        *(
            "#define F(x) x",
            "#define G 1 // one",
            "#define H 1 /* two",
            "three */",
            "#define I 1 \\",
            "int x;",
            "#if A",
            "#else",
        ),
        *(
            "#endif",
            "#ifndef T",
            "#ifdef T",
            "/* a */ /* b */",
            "// c \\",
            "#define",
            "#define 1 2",
            "#define Ü 1",
            "# define J 1",
        ),
        *(
            "#undef A",
            "#define K 1/2",
            "#define L /",
            "*/",
            "#define M\f1",
            " #define O 1",
            "#endif // T",
            "#define Q a\vb",
        ),
    ]
)


def by_grammar(lines: Lines, brief: frozenset[Kind]) -> Outline:
    return read_outline(lines, languages()["c"], split_above=12_000, brief=brief)


@pytest.mark.parametrize("brief", [MACROS, frozenset[Kind]()])
def test_registers_have_the_outline_of_the_grammar(brief: frozenset[Kind]) -> None:
    lines = Lines(REGISTERS.encode())
    found = read_defines(lines, brief=brief)
    assert found == by_grammar(lines, brief)
    assert found is not None
    assert [definition.name for definition in found.definitions] == [
        "TIMER_CONTROL",
        "TIMER_CONTROL__ENABLE__SHIFT",
        "TIMER_MODES",
        "TIMER_COUNT",
    ]
    assert found.definitions[0].signature == "#define TIMER_CONTROL 0x0010"
    assert (found.definitions[0].first_row, found.definitions[0].row) == (6, 8)
    assert found.definitions[3].doc == "Counts down."
    assert found.doc == "The registers of the timer."


@settings(deadline=None)
@given(rows=st.lists(ROWS, max_size=12), guarded=st.booleans(), brief=st.sampled_from([MACROS, frozenset[Kind]()]))
def test_what_is_read_without_the_grammar_is_read_alike(rows: list[str], guarded: bool, brief: frozenset[Kind]) -> None:
    text = "\n".join(["#ifndef G", *rows, "#endif"] if guarded else rows) + "\n"
    lines = Lines(text.encode())
    found = read_defines(lines, brief=brief)
    if found is not None:
        assert found == by_grammar(lines, brief)
    else:
        assert not any(row.startswith("#define") and row != "#define E" for row in rows)


@settings(deadline=None)
@given(rows=st.lists(st.one_of(ROWS, ROWS, STRANGE), max_size=10), end=st.sampled_from(["", "\n"]))
def test_anything_else_is_read_alike_or_left_to_the_grammar(rows: list[str], end: str) -> None:
    lines = Lines(("\n".join(rows) + end).encode())
    found = read_defines(lines, brief=MACROS)
    assert found is None or found == by_grammar(lines, MACROS)


def test_code_is_left_to_the_grammar() -> None:
    assert read_defines(Lines(b"#define A 1\nint f(void) { return A; }\n"), brief=MACROS) is None
    assert read_defines(Lines(b"/* nothing */\n"), brief=MACROS) is None
    assert read_defines(Lines(b""), brief=MACROS) is None


def test_hostile_text_takes_no_longer_than_other_text() -> None:
    for text in (b"/*" * 200_000, b"#define A 1\n" * 100_000 + b"x", b"#define " + b"A" * 500_000, b"//" * 300_000):
        assert read_defines(Lines(text), brief=MACROS) is None
