"""The `docs` blocks of a Markdown file in a dbt project, which descriptions elsewhere stand for."""

from __future__ import annotations

import re
from collections.abc import Iterator

from coderag.sql.records import AddDefinition, Definition, Source

__all__ = ["read_docs"]

BEGIN = re.compile(r"\{%-?\s*docs\s+(\w+)\s*-?%\}")
END = re.compile(r"\{%-?\s*enddocs\s*-?%\}")


def read_docs(data: bytes) -> tuple[AddDefinition, ...]:
    """Return each block as the definition of its name."""
    if b"enddocs" not in data:
        return ()
    text = data.decode("utf-8", "replace")
    return tuple(
        AddDefinition(
            Definition(
                term=begin[1],
                text=text[begin.end() : end.start()].strip(),
                source=Source("", text.count("\n", 0, begin.start()) + 1, text.count("\n", 0, end.end()) + 1),
            )
        )
        for begin, end in _blocks(text)
    )


def _blocks(text: str) -> Iterator[tuple[re.Match[str], re.Match[str]]]:
    """Yield the tags around each block."""
    at = 0
    while (begin := BEGIN.search(text, at)) and (end := END.search(text, begin.end())):
        yield begin, end
        at = end.end()
