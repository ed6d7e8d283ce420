"""Hits of a search to what they state: a signature and the first sentence of its comment, best lines, or sentences."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from coderag.ask.records import Finding, Route
from coderag.ask.source import Source
from coderag.ask.wording import overlap
from coderag.text.markdown_sentences import CODE_BLOCK, NO_TEXT, sentences_of
from coderag.types import Chunk, Hit, Kind

__all__ = ["findings_of_hits", "has_prose", "source_of"]

MAX_QUOTES, MAX_QUOTE, MAX_SIGNATURE = 2, 160, 140  # lines, and characters of each
MAX_SENTENCES, MAX_SENTENCE = 2, 300
MAX_MEMBERS = 8
MEMBER = re.compile(r"(?<!\w)([^\W\d]\w{0,80})\s{0,9}(?:<[^<>]{0,80}>)?\(")
PROSE = (Kind.SECTION, Kind.CELL)


def findings_of_hits(hits: Sequence[Hit], weights: Mapping[str, float], *, route: Route) -> list[Finding]:
    """Return what hits state, in their order; `weights` say how much each stem of the question counts."""
    return [_finding(hit, weights, route=route) for hit in hits]


def source_of(chunk: Chunk) -> Source:
    """Return a chunk as a source."""
    return Source(
        number=0,
        repository=chunk.repository,
        path=chunk.path,
        start_line=chunk.span.start_line,
        end_line=chunk.span.end_line,
        text=chunk.text,
        name=chunk.qualified_name,
    )


def has_prose(chunk: Chunk) -> bool:
    """Tell whether a section of a document has a sentence."""
    return bool(sentences_of(chunk.text))


def _finding(hit: Hit, weights: Mapping[str, float], *, route: Route) -> Finding:
    chunk = hit.chunk
    source = source_of(chunk)
    if chunk.kind in PROSE:
        text = " ".join(_best_sentences(chunk.text, weights))
        if text:
            return Finding(text, source, Route.DOCUMENTS, hit.confidence, quotes=_commands(chunk.text, weights))
        return Finding(f"Section {chunk.name!r}" if chunk.name else chunk.path, source, route, hit.confidence)
    named = _named(chunk)
    if chunk.doc:
        return Finding(f"{named}: {chunk.doc}", source, route, hit.confidence)
    members = list(dict.fromkeys(match[1] for member in chunk.members if (match := MEMBER.search(member))))
    if members:
        more = ", …" if len(members) > MAX_MEMBERS else ""
        return Finding(f"{named}, with {', '.join(members[:MAX_MEMBERS])}{more}", source, route, hit.confidence)
    return Finding(named, source, route, hit.confidence, quotes=_best_lines(hit, weights), is_bare=True)


def _named(chunk: Chunk) -> str:
    """Return what a chunk defines: its signature, with the class that a method belongs to."""
    if not chunk.name:
        return f"{chunk.path}, lines {chunk.span.start_line} to {chunk.span.end_line}"
    signature = " ".join(chunk.signature.split())
    if not signature or len(signature) > MAX_SIGNATURE or chunk.kind is Kind.CONSTANT:
        return f"{chunk.kind} {chunk.qualified_name}"
    scope = chunk.qualified_name.removesuffix(chunk.name).rstrip(".:#")
    return f"{signature} of {scope}" if scope and chunk.kind is Kind.METHOD else signature


def _best_lines(hit: Hit, weights: Mapping[str, float]) -> tuple[str, ...]:
    """Return the lines that hold the most of the question, in order; those that the search names win ties."""
    numbered = [(number, line.strip()) for number, line in hit.chunk.numbered_lines()]
    first = numbered[0][0] if numbered else 0
    signature = " ".join(hit.chunk.signature.split())
    stated = [
        (number, line)
        for number, line in numbered
        if number != first and not NO_TEXT.match(line) and line.rstrip(",:{ ") not in signature
    ]
    scored = sorted(stated, key=lambda pair: (-overlap(pair[1], weights), pair[0] not in hit.lines, pair[0]))
    best = sorted(pair for pair in scored[:MAX_QUOTES] if overlap(pair[1], weights) or pair[0] in hit.lines)
    return tuple(_cut(line, MAX_QUOTE) for _, line in best)


def _best_sentences(text: str, weights: Mapping[str, float]) -> list[str]:
    """Return the sentences of prose that hold the most of the question, in order; the first ones where none does."""
    sentences = sentences_of(text)
    order = sorted(range(len(sentences)), key=lambda number: (-overlap(sentences[number], weights), number))
    return [_cut(sentences[number], MAX_SENTENCE) for number in sorted(order[:MAX_SENTENCES])]


def _commands(text: str, weights: Mapping[str, float]) -> tuple[str, ...]:
    """Return the lines of code in prose that hold a word of the question."""
    lines = [line.strip() for block in CODE_BLOCK.findall(text) for line in block.split("\n")[1:-1] if line.strip()]
    best = sorted(range(len(lines)), key=lambda number: (-overlap(lines[number], weights), number))
    quoted = [number for number in best[:MAX_QUOTES] if overlap(lines[number], weights)]
    return tuple(_cut(lines[number], MAX_QUOTE) for number in sorted(quoted))


def _cut(text: str, size: int) -> str:
    return text if len(text) <= size else f"{text[: size - 1]}…"
