"""What takes texts apart without a grammar, fed by a fuzzer that looks which lines of it an input reaches (atheris)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

__all__ = ["main"]

MAX_BYTES = 2000
DIALECTS = ("postgres", "mysql", "tsql", "oracle", "snowflake", "sqlite")


def main(inputs: str, seed: str) -> int:
    """Feed so many inputs to the splitters; the process ends with the first that breaks something, and prints it.

    It has to be a process of its own: modules that are imported already are not followed.
    """
    try:
        import atheris
    except ImportError:
        print("fuzz: --splitters needs atheris (pip install atheris)", file=sys.stderr)
        return 2
    with atheris.instrument_imports(include=["coderag.sql", "coderag.catalog", "coderag.chunking", "coderag.syntax"]):
        splitters = _splitters()

    def feed(data: bytes) -> None:
        if data:
            splitters[data[0] % len(splitters)](data[1:])

    atheris.Setup(["fuzz", f"-runs={inputs}", f"-seed={seed}", f"-max_len={MAX_BYTES}", "-timeout=10"], feed)
    atheris.Fuzz()
    return 0


def _splitters() -> Sequence[Callable[[bytes], None]]:
    """Return functions that raise AssertionError when a text was taken apart wrongly."""
    from coderag.chunking.sections import chunk_markdown, chunk_restructuredtext, notebook_rows
    from coderag.files.decode import Decoded, decode
    from coderag.files.ignore import parse_rules
    from coderag.sql.statements.dialect import dialects, guess_dialect
    from coderag.sql.statements.split import split
    from coderag.syntax.lines import Lines

    def sql(dialect: str) -> Callable[[bytes], None]:
        def check(data: bytes) -> None:
            at = 0
            for one in split(data, dialects()[dialect]):
                assert at <= one.start < one.end <= len(data), one
                assert one.first_row == data.count(b"\n", 0, one.start), one
                assert one.last_row == data.count(b"\n", 0, one.end - 1), one
                at = one.end

        return check

    def sections(data: bytes) -> None:
        lines = Lines(data)
        for chunks in (chunk_markdown(lines, name="x"), chunk_restructuredtext(lines, name="x")):
            rows = [row for chunk in chunks for first, last in chunk.parts for row in range(first, last + 1)]
            assert len(rows) == len(set(rows)), chunks
            left = set(range(len(lines))) - set(rows)
            assert all(lines.is_blank(row) for row in left), left

    def decoded(data: bytes) -> None:
        found = decode(data)
        if isinstance(found, Decoded):
            assert b"\r" not in found.data
            assert found.data.decode("utf-8").encode() == found.data

    def rules(data: bytes) -> None:
        pattern, _, path = data.partition(b"\0")
        found = parse_rules(pattern)
        found.match(path, path.rpartition(b"/")[2], folder=False)

    def notebook(data: bytes) -> None:
        try:
            text, _ = notebook_rows(data)
        except (ValueError, KeyError, TypeError, RecursionError):
            return
        assert text.count(b"\n") == data.count(b"\n")

    def guessed(data: bytes) -> None:
        guess_dialect(data.decode("utf-8", "replace"), "x.sql")

    return (*map(sql, DIALECTS), sections, decoded, rules, notebook, guessed)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
