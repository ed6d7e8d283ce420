"""A hit as text: where it is, what it is, its best lines, why it matched."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from coderag.cli.output.text import MAX_LINE, Screen, Style, shorten, visible
from coderag.cli.roots import Paths
from coderag.search.results.related import relations_text
from coderag.text.counted import counted
from coderag.text.visible import visible_prose
from coderag.types import Chunk, Hit, Match

if TYPE_CHECKING:
    from coderag.index.history.records import LoggedChange

__all__ = [
    "DAY",
    "SHORT_HASH",
    "commit_lines",
    "definition_place",
    "hit_lines",
    "hit_markdown",
    "signature_text",
    "vimgrep_line",
    "vimgrep_lines",
]

SPACE = re.compile(r"\s+")
BACKTICKS = re.compile(r"`+")
TRAILING = "{:= \t"  # what ends a signature's line and is not part of it
INDENT = "    "
SHORT_HASH = 9  # characters of a commit
DAY = len("2026-01-31")
MATCH_LINES = 10  # of a hit that are shown
SAME = 0.005  # two factors closer than this are the same number as it is shown
# What puts a hit above the others, whatever its score is without it.
LIFTS = {
    "verbatim": "the question as it is written",
    "translation": "the key of the message",
    "rare_name": "a name of the question that few files have",
}
PARTS = {
    "text": "the question's words in its text",
    "file": "the question's words in its file",
    "file_support": "other good chunks in its file",
    "file_lines": "lines of its file that fit",
    "lines": "length of the function",
    "path": "the question's words in its path",
    "filename_match": "share of the file's name that is asked for",
    "name": "share of its name that is asked for",
    "named": "the question's words in its name",
    "scope": "share of the enclosing name that is asked for",
    "symbol": "defines a symbol of the question",
    "exact_symbol": "and the question is only that",
    "type": "and is a type",
    "definition_file": "and its file is called after it",
    "capital": "defines a capitalised word of the question",
    "matches": "matches of the patterns",
    "cosine_scaled": "its sense is near the question's",
    "file_cosine": "something in its file is near the question's sense",
    "soft_coverage": "words like those of the question",
    "learned": "what the learned ranker makes of it",
    "callable": "a function or method",
    "first": "stands early in its file",
    "mentions": "its name is written in many places",
    "lead": "the best by words in its file",
    "subject_file": "the first words of the question in its file's name",
    "filename_prefix": "beginnings of its file's name that are asked for",
    "history": "commits that changed it are about the like",
    "rerank": "what the reranker makes of it",
}


def hit_lines(
    hit: Hit, paths: Paths, shown: Screen, *, context: str, explain: bool, several: bool = False
) -> list[str]:
    """Return a hit in lines; with `several` repositories it says of which it is."""
    chunk = hit.chunk
    lines = [_head(hit, paths, shown, several=several)]
    if chunk.signature not in ("", f"{chunk.kind} {chunk.name}"):
        lines.append(INDENT + signature_text(chunk.signature, chunk.language, shown, width=shown.width - len(INDENT)))
    if chunk.doc and not any(chunk.doc in text for _, text in _shown_lines(hit, context)):
        lines.append(shown.paint(INDENT + shorten(visible_prose(chunk.doc), shown.width - len(INDENT)), Style.DIM))
    lines += _code(hit, shown, context=context)
    if context == "whole":
        width = shown.width - 2 * len(INDENT)
        lines += [
            2 * INDENT + signature_text(member, chunk.language, shown, width=width)
            for member in chunk.members
            if member
        ]
    if hit.reasons:
        how = "related: " if hit.related else "why: "
        lines.append(shown.paint(f"{INDENT}{how}{visible('; '.join(hit.reasons))}", Style.NOTE))
    if hit.relations:
        lines.append(shown.paint(f"{INDENT}{visible(relations_text(hit.relations))}", Style.DIM))
    if hit.also:
        lines.append(shown.paint(f"{INDENT}the same at {visible(', '.join(hit.also))}", Style.NOTE))
    if hit.expanded_from:
        lines.append(shown.paint(f"{INDENT}around {visible(', '.join(hit.expanded_from))}", Style.NOTE))
    return lines + (_score(hit, shown) if explain else [])


def commit_lines(changes: Sequence[LoggedChange], shown: Screen) -> list[str]:
    """Return the last commit that changed a hit, and the one that fits the question best, a line each."""
    texts = [
        f"{how} {change.commit[:SHORT_HASH]} {change.date[:DAY]} {change.subject!r}"
        for how, change in zip(("changed by", "and by"), changes, strict=False)
    ]
    return [shown.paint(INDENT + shorten(visible(text), shown.width - len(INDENT)), Style.DIM) for text in texts]


def _head(hit: Hit, paths: Paths, shown: Screen, *, several: bool) -> str:
    chunk = hit.chunk
    line, _ = definition_place(hit)
    place = shown.paint(visible(paths.of(chunk.path, chunk.repository)), Style.PATH)
    place += f":{shown.paint(str(line), Style.LINE)}"
    repository = f"  [{visible(chunk.repository)}]" if several else ""
    name = shown.paint(visible(chunk.qualified_name), Style.NAME)
    return f"{place}  {shown.paint(chunk.kind, Style.KIND)} {name}{repository}"


def signature_text(signature: str, language: str, shown: Screen, *, width: int) -> str:
    """Return a signature on one line, highlighted where there are colours."""
    text = shorten(visible(signature), width)
    return _highlighted([text], language)[0] if shown.colour else text


def definition_place(hit: Hit) -> tuple[int, int]:
    """Return line and column, 1-based, where a hit's name is defined; of what has no name, its best line."""
    chunk = hit.chunk
    numbered = chunk.numbered_lines()
    if chunk.signature:
        for number, text in numbered:
            start = SPACE.sub(" ", text).strip().rstrip(TRAILING)
            if chunk.name in start and (start in chunk.signature or chunk.signature in start):
                return number, text.index(chunk.name) + 1
    wanted = chunk.span.start_line if chunk.signature or not hit.lines else hit.lines[0]
    line = next((text for number, text in numbered if number == wanted), "")
    return wanted, len(line) - len(line.lstrip()) + 1


def vimgrep_line(hit: Hit, paths: Paths) -> str:
    """Return path:line:column:text, the text as it stands in the file."""
    line, column = definition_place(hit)
    text = next((text for number, text in hit.chunk.numbered_lines() if number == line), "")
    path = visible(paths.of(hit.chunk.path, hit.chunk.repository))
    return f"{path}:{line}:{column}:{shorten(visible_prose(text), MAX_LINE)}"


def vimgrep_lines(hit: Hit, paths: Paths) -> list[str]:
    """Return a line for each match of a hit, or one for its definition where nothing was matched."""
    if not hit.matches:
        return [vimgrep_line(hit, paths)]
    texts = dict(hit.chunk.numbered_lines())
    path = visible(paths.of(hit.chunk.path, hit.chunk.repository))
    return [
        f"{path}:{match.line}:{match.column}:{shorten(visible_prose(texts.get(match.line, '')), MAX_LINE)}"
        for match in hit.matches
    ]


def hit_markdown(hit: Hit, paths: Paths, *, whole: bool) -> str:
    """Return a hit as a heading and a fenced block: its best lines, or the `whole` chunk."""
    chunk = hit.chunk
    line, _ = definition_place(hit)
    place = visible(f"{paths.of(chunk.path, chunk.repository)}:{line}").replace("`", "'")
    numbered = chunk.numbered_lines()
    texts = [visible_prose(text) for number, text in numbered if whole or number in hit.lines]
    texts = texts or [visible_prose(chunk.signature or chunk.name)]
    fence = "`" * max(3, 1 + max((len(run) for text in texts for run in BACKTICKS.findall(text)), default=0))
    doc = [visible_prose(" ".join(chunk.doc.split())), ""] if chunk.doc else []
    title = f"### `{place}` {chunk.kind} {visible(chunk.qualified_name)}"
    return "\n".join([title, "", *doc, f"{fence}{chunk.language}", *texts, fence])


def _shown_lines(hit: Hit, context: str) -> list[tuple[int, str]]:
    """Return the lines of a hit's chunk that a context shows."""
    numbered = hit.chunk.numbered_lines()
    if context == "lines" and hit.matches:
        return [one for one in numbered if one[0] in hit.lines[:MATCH_LINES]]
    if context == "lines":
        return [one for one in numbered if one[0] in hit.lines and not _is_signature(one[1], hit.chunk)]
    return numbered if context == "whole" else []


def _code(hit: Hit, shown: Screen, *, context: str) -> list[str]:
    """Return the lines of a hit's chunk that are shown, with their numbers."""
    wanted = {number for number, _ in _shown_lines(hit, context)}
    if not wanted:
        return []
    numbered = hit.chunk.numbered_lines()
    gutter = len(str(max(wanted)))
    width = shown.width - len(INDENT) - gutter - 2
    texts = [shorten(visible_prose(text), width) for _, text in numbered]
    if shown.colour and hit.matches:
        texts = [_matched_text(text, number, hit.matches, shown, width=width) for number, text in numbered]
    elif shown.colour:
        texts = _highlighted(texts, hit.chunk.language)  # the whole, so that a string over several lines is one
    lines: list[str] = []
    before = 0
    for (number, _), text in zip(numbered, texts, strict=True):
        if number not in wanted:
            continue
        if context == "whole" and before and number > before + 1:
            lines.append(shown.paint(f"{INDENT}{'...':>{gutter}}", Style.DIM))
        before = number
        style = Style.LINE if number in hit.lines else Style.DIM
        lines.append(f"{INDENT}{shown.paint(f'{number:>{gutter}}', style)}  {text}".rstrip())
    if hit.matches and context == "lines" and (more := len(hit.lines) - len(wanted)) > 0:
        lines.append(shown.paint(f"{INDENT}{'...':>{gutter}}  {counted(more, 'more line')}", Style.DIM))
    return lines


def _matched_text(text: str, line: int, matches: Sequence[Match], shown: Screen, *, width: int) -> str:
    """Return a line with the matches in it painted."""
    pieces, at = [], 0
    kept = min(len(text), width)
    for match in matches:
        begin, end = match.column - 1, min(match.column - 1 + match.length, kept)
        if match.line == line and at <= begin < end:
            pieces += [visible_prose(text[at:begin]), shown.paint(visible_prose(text[begin:end]), Style.MATCH)]
            at = end
    return "".join(pieces) + visible_prose(text[at:kept]) + "…" * (kept < len(text))


def _is_signature(text: str, chunk: Chunk) -> bool:
    return SPACE.sub(" ", text).strip().rstrip(TRAILING) == chunk.signature


def _highlighted(lines: Sequence[str], language: str) -> list[str]:
    from coderag.cli.output.highlight import highlight

    return highlight(lines, language)


def _score(hit: Hit, shown: Screen) -> list[str]:
    """Return the parts of a score, each with what it says; the last factor is what the place in the list cost."""
    lines = [f"{INDENT}score {hit.score:.3f}, confidence {hit.confidence:.2f}"]
    total = 0.0
    lifts = {name: value for name, value in hit.parts.items() if name in LIFTS}
    for name, value in hit.parts.items():
        if name != "factor" and name not in lifts:
            total += value
            lines.append(f"{INDENT}  + {value:.3f}  {PARTS.get(name, name)}")
    factor = hit.parts.get("factor", 1.0)
    if abs(factor - 1) > SAME:
        lines.append(f"{INDENT}  x {factor:.3f}  {_factor_reason(hit)}")
    again = (hit.score - sum(lifts.values())) / (total * factor) if total * factor else 1.0
    if abs(again - 1) > SAME and not lifts:  # what is lifted is not put behind for its file
        lines.append(f"{INDENT}  x {again:.3f}  a further hit of the same file")
    lines += [f"{INDENT}  + {value:.3f}  {LIFTS[name]}" for name, value in lifts.items()]
    return [shown.paint(line, Style.DIM) for line in lines]


def _factor_reason(hit: Hit) -> str:
    labels = [*sorted(hit.chunk.labels), str(hit.chunk.kind)]
    return f"put behind or ahead as {', '.join(labels)}"
