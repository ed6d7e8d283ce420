"""The documents of the repository, and the fenced blocks in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.workspace import REPOSITORY

__all__ = ["DOCS", "PAGES", "README", "Block", "blocks", "section"]

README = REPOSITORY / "README.md"
DOCS = REPOSITORY / "docs"
PAGES = (README, *sorted(DOCS.rglob("*.md")))

BLOCK = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<body>.*?)^```\n", re.MULTILINE | re.DOTALL)
SHOWN = re.compile(r"\n*```text\n(?P<body>.*?)^```\n", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block of a document, and where the output shown below it stands."""

    info: str
    body: str
    shown: tuple[int, int] | None

    @property
    def runs(self) -> bool:
        """Whether the tests run it: its info string ends with "run", or CI runs it and its output is shown."""
        return self.info.endswith(" run") or (self.info == "sh ci" and self.shown is not None)


def blocks(text: str) -> Iterator[Block]:
    """Yield the fenced blocks of a document in order."""
    for found in BLOCK.finditer(text):
        shown = SHOWN.match(text, found.end())
        yield Block(found["info"].strip(), found["body"], shown.span("body") if shown else None)


def section(path: Path, title: str) -> str:
    """Return the text of a document below a heading, up to the next of its depth or above."""
    text = BLOCK.sub(lambda found: found[0].replace("\n#", "\n #"), path.read_text(encoding="utf-8"))
    found = re.search(rf"^(#+) {re.escape(title)}\n(.*?)(?=^#{{1,2}} |\Z)", text, re.MULTILINE | re.DOTALL)
    assert found, f"{path.name} has no heading {title!r}"
    return found[2]
