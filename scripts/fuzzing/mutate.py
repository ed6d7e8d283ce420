"""A text and a seed to the text with damage: always the same for the same seed."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

__all__ = ["mutated"]

MAX_BYTES = 150_000  # of a damaged text
ROUNDS = (1, 1, 1, 2, 2, 3, 6)  # how often a text is damaged
DEPTHS = (5, 40, 300, 1100, 5000)
NESTS = (  # what opens, stands inside and closes
    *(
        ("(", "", ")"),
        ("[", "", "]"),
        ("{", "", "}"),
        ("<", "T", ">"),
        ("((", "a,", "))"),
        ("f(", "", ")"),
        ("a[", "0", "]"),
    ),
    *(("/*", "", "*/"), ("(*", "", "*)"), ("{-", "", "-}"), ("<!--", "", "-->"), ("#=", "", "=#"), ("--[[", "", "]]")),
    *(
        ("if (x) {\n", "y;\n", "}\n"),
        ("if x then\n", "y\n", "end\n"),
        ("begin\n", "y\n", "end\n"),
        ("do ", "x ", "end "),
    ),
    *(
        ("class A {\n", "", "}\n"),
        ("class A\n", "", "end\n"),
        ("fn f() {\n", "", "}\n"),
        ("function f() {\n", "", "}\n"),
    ),
    *(("SELECT * FROM (\n", "SELECT 1", ") x\n"), ("CASE WHEN a THEN ", "1", " END"), ("WITH a AS (", "SELECT 1", ")")),
    *(
        ("`${", "x", "}`"),
        ('"#{', "x", '}"'),
        ('f"{', "x", '}"'),
        ("$(", "x", ")"),
        ("{{", "x", "}}"),
        ("{% if a %}", "", "{% endif %}"),
    ),
    *(
        ("- ", "a", ""),
        ("> ", "a", ""),
        ("a: {", "b", "}"),
        ('{"a":', "1", "}"),
        ("[[", "1", "]]"),
        ("#if A\n", "x\n", "#endif\n"),
    ),
    *(
        ("not ", "x", ""),
        ("-", "1", ""),
        ("!", "x", ""),
        ("x -> ", "y", ""),
        ("lambda: ", "x", ""),
        ("a.", "b", ""),
        ("a = ", "b", ""),
    ),
    *(
        ("'", "", "'"),
        ('"""', "", '"""'),
        ("$a$", "x", "$a$"),
        ("<div>", "x", "</div>"),
        ("match x { _ => ", "1", " }"),
        ("x + ", "y", ""),
    ),
)
TOKENS = (
    *(
        "0",
        "-1",
        "1e999",
        "0x",
        "99999999999999999999",
        "9" * 5000,
        "²",
        "٣",
        "½",
        "NaN",
        "\\",
        "\\u",
        "\\x",
        "%s",
        "${",
        "{{",
        "}}",
    ),
    *(
        "'",
        '"',
        "`",
        '"""',
        "'''",
        "$$",
        "$a$",
        "/*",
        "*/",
        "--",
        "//",
        "#",
        "-->",
        "<![CDATA[",
        "{%",
        "%}",
        "@",
        "::",
        ";",
        ",",
        "=",
        "=>",
    ),
    *(
        "\\N",
        "E'",
        "N'",
        "q'[",
        'r#"',
        'R"x(',
        "<<EOF\n",
        "<<~'A'\n",
        "~s|",
        "%w[",
        "?",
        ":",
        "...",
        "..",
        "\u200b",
        "\u202e",
        "\ufeff",
    ),
    *(
        "GO\n",
        "DELIMITER //\n",
        "/\n",
        "\\.\n",
        "COPY t FROM stdin;\n",
        "#!/bin/x\n",
        "# -*- coding: utf-7 -*-\n",
        "\f",
        "\v",
        "\x85",
        "\u2028",
    ),
    *(
        "END",
        "BEGIN",
        "end",
        "def",
        "class",
        "fn",
        "func",
        "CREATE TABLE",
        "ALTER TABLE",
        "SELECT",
        "models.",
        "op.",
        "t.",
        "sa.",
        "Meta",
    ),
    *(
        "None",
        "null",
        "nil",
        "True",
        "1, 2",
        "[]",
        "{}",
        "()",
        "**x",
        "*x",
        "...x",
        "lambda: 0",
        "&",
        "*",
        "a" * 300,
        "é",
        "中文",
        "\U0001d4b3",
        "e\u0301",
    ),
)
RAW = (  # bytes that are no UTF-8, or hardly
    *(b"\0", b"\xff", b"\xfe\xff", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xed\xb0\x80", b"\xc0\x80", b"\xf4\x90\x80\x80"),
    *(
        b"\xe2\x82",
        b"\xf0\x9f",
        b"\x1b[2J",
        b"\x1b]0;x\x07",
        b"\r",
        b"\x1a",
        b"\x7f",
        b"\x80",
        b"\xa0",
        b"\xe9",
        b"\x00\x00\x00\x00",
    ),
)
ENCODINGS = (
    "utf-16",
    "utf-16-le",
    "utf-16-be",
    "utf-32",
    "utf-8-sig",
    "latin-1",
    "cp1252",
    "cp932",
    "gb18030",
    "koi8-r",
    "utf-7",
)
LINE_ENDS = (b"\r", b"\r\n", b"\n\r", b"\n\n", b"\x0b", b"\x0c", b"\xe2\x80\xa8", b"\xc2\x85", b"", b"\\\n")
NUMBER = re.compile(rb"\d+")
BRACKETS = re.compile(rb"[()\[\]{}<>\"'`;,:]")
WORD = re.compile(rb"[A-Za-z_]\w*")

Mutation = Callable[[bytes, random.Random, Sequence[bytes]], bytes]


def mutated(data: bytes, *, seed: str, others: Sequence[bytes]) -> bytes:
    """Return the text with damage; `others` are texts to take lines from."""
    source = random.Random(seed)
    for _ in range(source.choice(ROUNDS)):
        (mutation,) = source.choices(MUTATIONS, WEIGHTS)
        data = mutation(data, source, others)[:MAX_BYTES]
    return data


def _place(data: bytes, source: random.Random) -> int:
    """Return a place in a text; often the beginning of a line, now and then an end of it all."""
    kind = source.random()
    if kind < 0.05:
        return source.choice((0, len(data)))
    place = source.randint(0, len(data))
    return data.rfind(b"\n", 0, place) + 1 if kind < 0.5 else place


def _slice(data: bytes, source: random.Random) -> tuple[int, int]:
    start = _place(data, source)
    size = source.choice((1, 2, 5, 20, 100, 400, len(data)))
    return start, min(len(data), start + source.randint(0, size))


def _inserted(data: bytes, at: int, new: bytes) -> bytes:
    return data[:at] + new + data[at:]


def _flip(data: bytes, source: random.Random, _: Sequence[bytes]) -> bytes:
    found = bytearray(data)
    for _number in range(source.choice((1, 1, 3, 10, 100))):
        if found:
            at = source.randrange(len(found))
            found[at] = source.randrange(256) if source.random() < 0.5 else found[at] ^ 1 << source.randrange(8)
    return bytes(found)


def _delete(data: bytes, source: random.Random, _: Sequence[bytes]) -> bytes:
    start, end = _slice(data, source)
    return data[:start] + data[end:]


def _duplicate(data: bytes, source: random.Random, _: Sequence[bytes]) -> bytes:
    start, end = _slice(data, source)
    return data[:start] + data[start:end] * source.choice((2, 3, 10, 50)) + data[end:]


def _swap(data: bytes, source: random.Random, _: Sequence[bytes]) -> bytes:
    start, middle = _slice(data, source)
    end = source.randint(middle, len(data))
    return data[:start] + data[middle:end] + data[start:middle] + data[end:]


def _truncate(data: bytes, source: random.Random, _: Sequence[bytes]) -> bytes:
    at = _place(data, source)
    return data[:at] if source.random() < 0.7 else data[at:]


def _nest(data: bytes, source: random.Random, _: Sequence[bytes]) -> bytes:
    opening, inside, closing = source.choice(NESTS)
    (depth,) = source.choices(DEPTHS, (30, 30, 10, 3, 1))
    closed = source.choice((depth, depth, depth - 1, 0, depth + 1))
    text = f"{opening * depth}{inside}{closing * closed}"
    if source.random() < 0.1:  # blocks by indentation
        text = "".join(f"{' ' * level}{opening.strip()}:\n" for level in range(min(depth, 400)))
    return _inserted(data, _place(data, source), text.encode())


def _token(data: bytes, source: random.Random, _: Sequence[bytes]) -> bytes:
    token = source.choice(TOKENS).encode()
    (times,) = source.choices((1, 2, 30, 2000), (20, 4, 2, 1))
    return _inserted(data, _place(data, source), token * times)


def _replace_word(data: bytes, source: random.Random, _: Sequence[bytes]) -> bytes:
    words = list(WORD.finditer(data))
    if not words:
        return data
    found = source.choice(words)
    new = source.choice(TOKENS).encode() if source.random() < 0.5 else source.choice(words)[0]
    return data[: found.start()] + new + data[found.end() :]


def _replace_number(data: bytes, source: random.Random, _: Sequence[bytes]) -> bytes:
    numbers = list(NUMBER.finditer(data))
    if not numbers:
        return data
    found = source.choice(numbers)
    new = source.choice(
        (
            b"-1",
            b"0",
            b"1e999",
            b"9" * 30,
            b"9" * 5000,
            "²".encode(),
            "٣".encode(),
            b"",
            b"1_0",
            b"0b2",
            b"0777",
            b"1.5",
        )
    )
    return data[: found.start()] + new + data[found.end() :]


def _raw(data: bytes, source: random.Random, _: Sequence[bytes]) -> bytes:
    return _inserted(data, _place(data, source), source.choice(RAW) * source.choice((1, 1, 1, 20)))


def _encode(data: bytes, source: random.Random, _: Sequence[bytes]) -> bytes:
    encoded = data.decode("utf-8", "replace").encode(source.choice(ENCODINGS), "replace")
    return encoded[source.choice((0, 0, 0, 1)) :]


def _line_ends(data: bytes, source: random.Random, _: Sequence[bytes]) -> bytes:
    lines = data.split(b"\n")
    share = source.choice((0.02, 0.3, 1.0))
    ends = [source.choice(LINE_ENDS) if source.random() < share else b"\n" for _line in lines]
    return b"".join(line + end for line, end in zip(lines, ends, strict=True))


def _splice(data: bytes, source: random.Random, others: Sequence[bytes]) -> bytes:
    lines = source.choice(others).splitlines(keepends=True)
    first = source.randrange(len(lines) or 1)
    return _inserted(data, _place(data, source), b"".join(lines[first : first + source.choice((1, 1, 5, 20))]))


def _shuffle(data: bytes, source: random.Random, _: Sequence[bytes]) -> bytes:
    lines = data.splitlines(keepends=True)
    first, last = sorted((source.randint(0, len(lines)), source.randint(0, len(lines))))
    part = lines[first:last]
    source.shuffle(part)
    return b"".join([*lines[:first], *part, *lines[last:]])


def _drop_lines(data: bytes, source: random.Random, _: Sequence[bytes]) -> bytes:
    share = source.choice((0.05, 0.3))
    return b"".join(line for line in data.splitlines(keepends=True) if source.random() > share)


def _unbalance(data: bytes, source: random.Random, _: Sequence[bytes]) -> bytes:
    signs = list(BRACKETS.finditer(data))
    if not signs:
        return data
    found = source.choice(signs)
    new = source.choice((b"", found[0] * 2, source.choice(signs)[0]))
    return data[: found.start()] + new + data[found.end() :]


def _indent(data: bytes, source: random.Random, _: Sequence[bytes]) -> bytes:
    share = source.choice((0.1, 1.0))
    lines = data.splitlines(keepends=True)
    return b"".join(
        source.choice((b"", b" ", b"\t", b"    ", b" " * 60)) + line.lstrip(b" \t") if source.random() < share else line
        for line in lines
    )


def _join(data: bytes, source: random.Random, _: Sequence[bytes]) -> bytes:
    start, end = _slice(data, source)
    return data[:start] + data[start:end].replace(b"\n", source.choice((b"", b" ", b";"))) + data[end:]


def _huge(data: bytes, source: random.Random, _: Sequence[bytes]) -> bytes:
    (size,) = source.choices((2_000, 20_000, 140_000), (6, 3, 1))
    unit = source.choice(
        (b"a", b"ab1_", b"9", b" ", b"'", b"\\", b"(", b"x,", b"a.b.", b"\xc3\xa9", b"a b ", b"-", b"\t", b"#", b'"a",')
    )
    return _inserted(data, _place(data, source), unit * (size // len(unit)))


MUTATIONS: tuple[Mutation, ...] = (
    *(_flip, _delete, _duplicate, _swap, _truncate, _nest, _token, _replace_word, _replace_number, _raw, _encode),
    *(_line_ends, _splice, _shuffle, _drop_lines, _unbalance, _indent, _join, _huge),
)
WEIGHTS = (8, 8, 4, 4, 6, 5, 8, 8, 4, 3, 1, 2, 6, 2, 3, 6, 2, 2, 0.6)
