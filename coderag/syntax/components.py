"""Components of one file (Vue, Svelte): their scripts as code, and what their markup mentions of it.

https://vuejs.org/api/sfc-spec.html, https://svelte.dev/docs/svelte/svelte-files
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from coderag.syntax.lines import Lines
from coderag.syntax.outline import Outline
from coderag.syntax.references.records import FileReferences, Reference, Role

__all__ = ["script_text", "with_markup"]

START = re.compile(rb"<script\b([^<>]{0,400})>", re.IGNORECASE)
END = re.compile(rb"</script\s{0,20}>", re.IGNORECASE)
OTHER_TYPE = re.compile(
    rb"""\b(?:type|lang)\s?=\s?["'](?!(?:text/|application/)?(?:java|type)script|module|[jt]sx?["'])"""
)
LETTER = re.compile(rb"[^\n]")
# What markup computes: {{ total }} and @click="save" of Vue, {total} and on:click={save} of Svelte.
EXPRESSION = re.compile(
    rb"""\{([^{}]{1,2000})\}|(?:[@:#]|\bv-)[\w.:-]{1,80}\s?=\s?(?:"([^"]{1,2000})"|'([^']{1,2000})')"""
)
NAME = re.compile(rb"(?<![\w.$])([A-Za-z_$][\w$]{0,80})(?![\w$])(\s?\()?")


def script_text(data: bytes) -> bytes:
    """Return the text of a component with everything but its scripts left blank, in the same rows and columns."""
    parts: list[bytes] = []
    at = 0
    for first, last in _scripts(data):
        parts += [LETTER.sub(b" ", data[at:first]), data[first:last]]
        at = last
    return b"".join(parts) + LETTER.sub(b" ", data[at:]) if parts else b""


def _scripts(data: bytes) -> Iterator[tuple[int, int]]:
    at = 0
    while (start := START.search(data, at)) is not None:
        end = END.search(data, start.end())
        if end is None:
            return
        if OTHER_TYPE.search(start[1]) is None:
            yield start.end(), end.start()
        at = end.end()


def with_markup(references: FileReferences, lines: Lines, outline: Outline) -> FileReferences:
    """Return what a component's script mentions, with what its markup does of the script's names."""
    known = {one.name for one in outline.definitions if one.parent < 0} | {one.alias for one in references.imports}
    known |= {one.name for one in references.bindings if one.owner < 0}
    found: dict[tuple[str, Role], int] = {}
    at = 0
    for first, last in (*_scripts(lines.data), (len(lines.data), len(lines.data))):
        for start, name, role in _mentioned(lines.data[at:first]):
            if name in known:
                found.setdefault((name, role), at + start)
        at = last
    mentions = [Reference(bisect_right(lines.starts, byte) - 1, -1, role, name) for (name, role), byte in found.items()]
    return references._replace(mentions=tuple(sorted({*references.mentions, *mentions})))


def _mentioned(markup: bytes) -> Iterator[tuple[int, str, Role]]:
    for match in EXPRESSION.finditer(markup):
        start, text = next((match.start(n), match[n]) for n in (1, 2, 3) if match[n] is not None)
        for name in NAME.finditer(text):
            yield start + name.start(), name[1].decode(), Role.CALL if name[2] else Role.REFERENCE
