"""Every folder in parsers/: its query compiles, and its example has the outline it should have."""

from __future__ import annotations

import pytest

from coderag.syntax.language import Language
from coderag.syntax.lines import Lines
from coderag.syntax.needed_query import needed_query
from coderag.syntax.outline import Outline, outline_tree, read_outline
from coderag.syntax.parsed import parse_code
from coderag.syntax.references.reader import read_references
from coderag.syntax.references.records import FileReferences, Reference
from tests.conftest import Golden
from tests.syntax.outlined import OUTLINED, example_of, examples_of, slow_but_for_some


def render(outline: Outline) -> str:
    """Return an outline as text: imports, then each definition with what is known of it."""
    lines = [f"module: {outline.doc}" if outline.doc else "module"]
    lines += [f"  import {one.row + 1}-{one.last_row + 1}: {' '.join(sorted(one.names))}" for one in outline.imports]
    for definition in outline.definitions:
        lines.append(
            f"{definition.first_row + 1}-{definition.last_row + 1} {definition.kind} {definition.qualified_name}"
        )
        lines.append(f"  {definition.signature}")
        lines += [f"  decorator {decorator}" for decorator in definition.decorators]
        lines += [f"  doc: {definition.doc}"] if definition.doc else []
        inner = [
            other for other in outline.definitions if definition.start_byte < other.start_byte < definition.end_byte
        ]
        calls = dict.fromkeys(
            call.name
            for call in outline.calls
            if definition.start_byte <= call.start_byte < definition.end_byte
            and not any(other.start_byte <= call.start_byte < other.end_byte for other in inner)
        )
        lines += [f"  calls {' '.join(calls)}"] if calls else []
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("language", OUTLINED, ids=lambda language: language.name)
def test_outline_of_example(language: Language, golden: Golden) -> None:
    path = example_of(language)
    golden(
        language.folder / "example.outline", render(read_outline(Lines(path.read_bytes()), language, split_above=8000))
    )


LINKED = [language for language in OUTLINED if language.links()]


def render_links(mentions: FileReferences, outline: Outline) -> str:
    """Return what a file mentions as text: imports, then by definition what it mentions and what it says of names."""

    def owner(position: int) -> str:
        return outline.definitions[position].qualified_name if position >= 0 else "file"

    lines = [f"module {mentions.module}"] if mentions.module else []
    lines += [f"exports {' '.join(mentions.exports)}"] if mentions.exports else []
    for one in mentions.imports:
        taken = f" take {one.name}" if one.name else ""
        known = f" as {one.alias}" if one.alias and one.alias != one.name else ""
        inside = f" in {owner(one.owner)}" if one.owner >= 0 else ""
        lines.append(f"{one.row + 1} import {one.module}{taken}{known}{' exported' * one.exported}{inside}")
    for route in mentions.routes:
        answers = route.handler or owner(route.handles)
        lines.append(f"{route.row + 1} route {route.method or 'any'} {route.address!r} -> {answers}")
    for position in range(-1, len(outline.definitions)):
        said = [
            f"  {mention.row + 1} {mention.role.name.lower()} {receiver(mention)}{mention.name}"
            for mention in mentions.mentions
            if mention.owner == position
        ]
        bound = [
            f"  {binding.name or 'returns'}: {binding.how.name.lower()} {binding.value}".rstrip()
            for binding in mentions.bindings
            if binding.owner == position and binding.value
        ]
        hidden = [binding.name for binding in mentions.bindings if binding.owner == position and not binding.value]
        if said or bound or hidden:
            lines += [owner(position), *said, *bound, *([f"  local {' '.join(hidden)}"] if hidden else [])]
    return "\n".join(lines) + "\n"


def receiver(mention: Reference) -> str:
    return f"{mention.receiver} | " if mention.receiver else ""


@pytest.mark.parametrize("language", slow_but_for_some(LINKED), ids=lambda language: language.name)
def test_links_of_example(language: Language, golden: Golden) -> None:
    if not examples_of(language):
        pytest.skip("its query is that of another language")
    needed_query(language).compile()  # as other tests of the language do: a part takes as long
    parsed = parse_code(Lines(example_of(language).read_bytes()), language, links=True)
    outline = outline_tree(parsed, split_above=8000)
    golden(language.folder / "example.links", render_links(read_references(parsed, outline), outline))
