"""Every folder in parsers/: its query compiles, and its example has the outline it should have."""

from __future__ import annotations

from pathlib import Path

import pytest

from coderag.reading.language import Language, languages
from coderag.reading.lines import Lines
from coderag.reading.outline import Outline, read_outline
from tests.conftest import Golden

OUTLINED = [language for language in languages().values() if language.reader == "outline"]


def example(language: Language) -> Path:
    (found,) = [path for path in language.folder.glob("example.*") if path.suffix != ".outline"]
    return found


def render(outline: Outline) -> str:
    """Return an outline as text: imports, then each definition with what is known of it."""
    lines = [f"module: {outline.doc}" if outline.doc else "module"]
    lines += [f"  import {one.row + 1}-{one.last_row + 1}: {' '.join(sorted(one.names))}" for one in outline.imports]
    for one in outline.definitions:
        lines.append(f"{one.first_row + 1}-{one.last_row + 1} {one.kind} {one.qualified_name}")
        lines.append(f"  {one.signature}")
        lines += [f"  decorator {decorator}" for decorator in one.decorators]
        lines += [f"  doc: {one.doc}"] if one.doc else []
        inner = [other for other in outline.definitions if one.start_byte < other.start_byte < one.end_byte]
        calls = dict.fromkeys(
            call.name
            for call in outline.calls
            if one.start_byte <= call.start_byte < one.end_byte
            and not any(other.start_byte <= call.start_byte < other.end_byte for other in inner)
        )
        lines += [f"  calls {' '.join(calls)}"] if calls else []
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("language", OUTLINED, ids=lambda language: language.name)
def test_outline_of_example(language: Language, golden: Golden) -> None:
    path = example(language)
    golden(
        language.folder / "example.outline", render(read_outline(Lines(path.read_bytes()), language, split_above=8000))
    )
