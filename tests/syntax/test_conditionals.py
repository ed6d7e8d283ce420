"""Conditionals of C's preprocessor where no grammar follows them, macros, and keywords in the place of names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coderag.syntax.conditionals import without_conditionals
from coderag.syntax.language import Language, languages
from coderag.syntax.lines import Lines
from coderag.syntax.outline import Outline, read_outline

RESERVED = [one for one in languages().values() if one.reserved]
DIRECTIVES = ["#if A", "#ifdef B", "#  elif C", "#else", "#endif", "#if D \\", "}", "{", "f();", "", "/* #if */", "'{'"]


def outline(text: str, language: str = "c") -> Outline:
    return read_outline(Lines(text.encode()), languages()[language], split_above=10_000)


def names(text: str, language: str = "c") -> list[str]:
    return [definition.qualified_name for definition in outline(text, language).definitions]


def test_an_if_in_a_struct_makes_no_function() -> None:
    text = """\
struct peer_s {
    int down;
#if (HTTP_SSL || COMPAT)
    void *session;
    int length;
#endif
#if (ZONE)
    unsigned zombie:1;
#else
    int zombie;
#endif
    int last;
};
int after(void) { return 1; }
"""
    found = outline(text)
    assert not found.has_error
    fields = ["down", "session", "length", "zombie", "zombie", "last"]
    assert [definition.qualified_name for definition in found.definitions] == [
        "peer_s",
        *(f"peer_s.{field}" for field in fields),
        "after",
    ]


def test_both_arms_of_an_if_around_half_a_condition_are_read() -> None:
    text = """\
static int first(int a)
{
#if WINDOWS
    if(a > 1) {
#else
    if(a > 2) {
#endif
        return one(a);
    }
#ifdef TLS
    else if(a)
        return two(a);
    else
#endif
    return three(a);
}
#ifdef SHORT
int second(int a) { return four(a); }
#else
int third(int a) { return five(a); }
#endif
"""
    found = outline(text)
    assert not found.has_error
    assert [definition.name for definition in found.definitions] == ["first", "second", "third"]
    assert {call.name for call in found.calls} >= {"one", "two", "three", "four", "five"}


def test_the_first_of_two_heads_of_a_function_is_read() -> None:
    text = "#ifdef A\nint f(int a)\n#else\nint f(void)\n#endif\n{\n    return g();\n}\nint h(void) { return 1; }\n"
    found = outline(text)
    assert not found.has_error
    assert [definition.name for definition in found.definitions] == ["f", "h"]


def test_what_is_for_cpp_alone_is_no_error_of_c() -> None:
    head, tail = '#ifdef __cplusplus\nextern "C" {\n#endif\n', "#ifdef __cplusplus\n}\n#endif\n"
    assert not outline(f"{head}struct a {{ int b; }};\n#if X\nint x;\n#endif\n{tail}").has_error


@pytest.mark.parametrize(
    "text",
    [
        "static ngx_inline ngx_int_t f(int a) { return 1; }",
        "void ngx_cdecl\nf(int a, other_t *c)\n{ }",
        "LIBRARY_EXTERN LIBRARY *f(int a) { return 0; }",
        "void *f(list_t list) { return va_arg(list, void *); }",
        "int f(void) { return offsetof(conf_t, upstream.local); }",
    ],
)
def test_a_macro_among_the_specifiers_is_no_error(text: str) -> None:
    found = outline(text)
    assert [definition.name for definition in found.definitions] == ["f"]
    assert not found.has_error


def test_an_error_stays_one() -> None:
    assert outline("int f(int a { return 1; }\n#if A\nint b;\n#endif\n").has_error


@pytest.mark.parametrize("language", RESERVED, ids=lambda one: one.name)
def test_a_keyword_is_never_a_name(language: Language) -> None:
    for word in language.reserved:
        for text in (
            f"}} {word} (a) {{ x(); }} )\nstruct S {{ int a;\n{word} (b) {{ }} }}\n",
            f"class A {{\n  int {word}(int a) {{ }}\n  {word} b() {{ }}\n",
            f"def {word}(a):\n    pass\nfunc {word}() {{}}\nfn {word}() {{}}\nfun {word}() {{}}\n",
        ):
            found = outline(text, language.name).definitions
            parts = {part for one in found for part in one.qualified_name.split(language.separator)}
            assert word not in parts, text


def test_a_macro_may_be_called_as_a_keyword() -> None:
    assert names("#define default(a) a\n#define while for\n") == ["default", "while"]


@given(st.lists(st.sampled_from(DIRECTIVES), max_size=20))
def test_every_byte_keeps_its_place(lines: list[str]) -> None:
    data = "\n".join(lines).encode()
    plain = without_conditionals(data)
    assert len(plain) == len(data)
    assert all(new in (old, ord(" ")) for old, new in zip(data, plain, strict=True))
    assert [at for at, one in enumerate(data) if one == 10] == [at for at, one in enumerate(plain) if one == 10]
