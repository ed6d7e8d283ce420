"""Values that no index should hold: names that are paths, numbers out of range, texts that break what reads them."""

from __future__ import annotations

import random

__all__ = ["GLOBS", "NAMES", "NUMBERS", "OTHER_TYPES", "TEXTS", "Raw", "hostile_number", "hostile_text"]


class Raw(str):
    """JSON as it is to be written, valid or such as other parsers write."""

    __slots__ = ()


DEPTH = 100_000  # of nested lists; parsers that recurse give up long before
LONG = 70_000  # characters
NAMES = (
    *("", ".", "..", "/", "../../outside/secret.txt", "../outside/secret.txt", "/etc/passwd", "a/b", "out/secret.txt"),
    *(
        "out",
        ".git/config",
        "x\0y",
        "a" * 300,
        "a" * LONG,
        "a/" * 3000,
        "\ud800",
        "a\nb",
        "~",
        "-",
        "--root=/",
        "$(id)",
    ),
    *("\x1b[2J", "\u202e", "%s", "{0}", "CON", " ", ".coderag", "lock", "manifest.json", "segments/../../../outside"),
)
TEXTS = (
    *(
        "\0",
        "\ud800\udc00\udfff",
        "(a+)+$",
        "(" * 5000,
        "[" * 5000,
        "a" * LONG,
        "\u0130" * 300,
        "٣",
        "²",
        "null",
        "NaN",
    ),
    *("SELECT " + "(" * 3000, "'" * 999, "/*" * 999, "\\" * 999, "\r\n" * 999, "2024-99-99", "9" * 400, "{{" * 500),
)
NUMBERS: tuple[int | float | Raw, ...] = (
    *(-1, 0, 1, 2, -2, 127, 128, 255, 256, 65_535, 65_536, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**53 + 1, 2**63 - 1),
    *(2**63, 2**64, -(2**31), -(2**63), 10**30, 0.5, 1e308, 1e-320),
    *(Raw("1e999"), Raw("-1e999"), Raw("NaN"), Raw("Infinity"), Raw("-0"), Raw("-0.0"), Raw("9" * 5000), Raw("1E400")),
)
OTHER_TYPES: tuple[object, ...] = (
    *(
        None,
        True,
        False,
        0,
        1.5,
        "",
        "x",
        [],
        {},
        [[]],
        [None],
        {"": None},
        ["x"],
        [0, 0],
        {"0": "x"},
        {"a": [{"b": []}]},
    ),
    *(Raw("[" * DEPTH + "]" * DEPTH), Raw('{"a":' * DEPTH + "1" + "}" * DEPTH), Raw("[" + "0," * LONG + "0]")),
)
GLOBS = (
    *("**/" * 4000 + "x", "*a" * 2000, "*" * 5000, "?" * 5000, "a*" * 200 + "b", "[" * 2000, "[!" * 999, "[a-\ud800]"),
    *(
        "\\" * 999,
        "!" * 99,
        "!",
        "/",
        "**",
        "../../**",
        "/etc/**",
        "[[:alpha:]]",
        "[z-a]",
        "*/" * 9000,
        "",
        "\0",
        "(a+)+$",
    ),
    *("{a,b}" * 500, "**/*" * 1500, "vendor/"),
)


def hostile_number(source: random.Random) -> int | float | Raw:
    """Return a number, or what is written like one."""
    return source.choice(NUMBERS) if source.random() < 0.8 else source.randint(-(2**40), 2**40)


def hostile_text(source: random.Random) -> str:
    """Return a name, a text or a glob."""
    return source.choice(source.choice((NAMES, NAMES, TEXTS, GLOBS)))
