"""The `docs` blocks of a Markdown file in a dbt project, which descriptions elsewhere stand for."""

from __future__ import annotations

import re

from coderag.sql.model import AddDefinition, Definition, Source

__all__ = ["read_docs"]

BLOCK = re.compile(r"\{%-?\s*docs\s+(\w+)\s*-?%\}(.*?)\{%-?\s*enddocs\s*-?%\}", re.DOTALL)


def read_docs(data: bytes) -> tuple[AddDefinition, ...]:
    """Return each block as the definition of its name."""
    if b"enddocs" not in data:
        return ()
    text = data.decode("utf-8", "replace")
    return tuple(
        AddDefinition(
            Definition(
                term=found[1],
                text=found[2].strip(),
                source=Source("", text.count("\n", 0, found.start()) + 1, text.count("\n", 0, found.end()) + 1),
            )
        )
        for found in BLOCK.finditer(text)
    )
