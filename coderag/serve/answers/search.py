"""`search`: a question to the code, data and documents that answer it, whole where the budget allows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from coderag.api.index import Index
from coderag.search.results.related import relations_text
from coderag.serve.answer import Answer
from coderag.serve.arguments import SearchArguments, words
from coderag.serve.page import Page, cut
from coderag.serve.places import Places, freshness
from coderag.serve.workspace import Workspace
from coderag.text.budget import CHARACTERS_PER_TOKEN, tokens_of
from coderag.text.counted import counted
from coderag.text.visible import visible, visible_prose
from coderag.types import Chunk, Hit, Kind

__all__ = ["body_text", "search"]

# How a budget is shared, by the share of questions of the bench that an answer holds the wanted definition for: a
# body that does not fit is no reason to stop, and what is only named can still be asked for.
WHOLE_SHARE = 0.5  # of the budget: a longer body is shown in brief
BODIES_SHARE = 0.9  # of the budget: the rest is for hits that are only named
BRIEF_TOKENS = 90
BRIEF_LINES = 6
BRIEF_FIRST_LINES = 3  # of a definition, before its best lines
BRIEF_LINE_CHARACTERS = 200
MEMBERS = 12  # of a class, whose signatures are shown
LINE_TOKENS = 40
RELATIONS_CHARACTERS = 160
LAST_TOKENS = 75
UNSURE = 0.25  # the confidence of a best hit below which the answer says that it is a guess
TABLES, TABLE_SCORE = 3, 1.0  # of a database that are named beside the code, and how well they fit at least
COLUMNS_CHARACTERS = 120


def search(workspace: Workspace, arguments: SearchArguments) -> Answer:
    """Return the definitions that answer a question, the best first, within the budget."""
    view = workspace.view()
    index = view.index
    kinds = [kind.lower() for kind in words(arguments.kind)]
    hits = index.search(arguments.query, k=arguments.k, kinds=kinds, paths=words(arguments.path), tests=arguments.tests)
    page = Page(arguments.budget)
    page.keep(LAST_TOKENS)
    places = Places(view)
    if hits and hits[0].confidence < UNSURE:
        page.add("Nothing here answers this surely; the nearest are:")
    shown = _add_hits(page, hits, arguments, places)
    tables = [] if arguments.kind or arguments.path else _add_tables(page, index, arguments.query, hits)
    last = [_tally(shown, hits, arguments), freshness(view)]
    return Answer(page.finished(last), _record(hits, shown, tables, view.notes))


@dataclass(frozen=True, slots=True)
class _Shown:
    """How many hits are shown how."""

    whole: int = 0
    brief: int = 0
    named: int = 0

    @property
    def all(self) -> int:
        return self.whole + self.brief + self.named


def _add_hits(page: Page, hits: Sequence[Hit], arguments: SearchArguments, places: Places) -> _Shown:
    """Add hits to a page: in full, in brief, or by name, the best first."""
    whole = brief = named = 0
    names_room = 0 if arguments.context != "whole" else int((1 - BODIES_SHARE) * arguments.budget)
    page.keep(LAST_TOKENS + names_room)
    left: list[Hit] = []
    for hit in hits:
        if arguments.context == "whole" and page.add(_whole(hit, places), most=int(WHOLE_SHARE * arguments.budget)):
            whole += 1
        elif arguments.context != "names" and page.add(_brief(hit, places)):
            brief += 1
        else:
            left.append(hit)
    page.keep(LAST_TOKENS)
    for hit in left:
        named += page.add(_name(hit, places))
    return _Shown(whole, brief, named)


def _head(hit: Hit, places: Places) -> str:
    chunk = hit.chunk
    lines = f"{chunk.span.start_line}-{chunk.span.end_line}"
    return f"{places.path(chunk.path, chunk.repository)}:{lines} {chunk.kind} {visible(chunk.qualified_name)}"


def _whole(hit: Hit, places: Places) -> str:
    return "\n".join([_head(hit, places), *_related(hit), body_text(hit.chunk), ""])


def body_text(chunk: Chunk) -> str:
    """Return the text of a chunk; for what is a chunk of its own in it, which lines that are, and its signatures."""
    lines: list[str] = []
    before = chunk.span.start_line - 1
    for number, text in chunk.numbered_lines():
        if number > before + 1:
            lines.append(f"… lines {before + 1}-{number - 1}")
        lines.append(visible_prose(text.rstrip()))
        before = number
    if before < chunk.span.end_line:
        lines.append(f"… lines {before + 1}-{chunk.span.end_line}")
    members = [f"  {visible(member)}" for member in chunk.members[:MEMBERS] if member]
    if more := len(chunk.members) - len(members):
        members.append(f"  … {more} more")
    return "\n".join([*lines, *(["  defines:", *members] if members else [])])


def _brief(hit: Hit, places: Places) -> str:
    """Return where the definition of a hit begins and the lines of it that match best, as they are in its file."""
    numbered = hit.chunk.numbered_lines()
    lines = [_head(hit, places), *_related(hit)]
    room = BRIEF_TOKENS * CHARACTERS_PER_TOKEN - sum(map(len, lines))
    shown: dict[int, str] = {}
    for place in islice(_brief_places(hit, numbered), BRIEF_LINES):
        number, text = numbered[place]
        line = cut(f"  {number}: {visible_prose(text.strip())}", BRIEF_LINE_CHARACTERS)
        if len(line) > room:
            break
        shown[place] = line
        room -= len(line)
    lines += [line for _, line in sorted(shown.items())]
    if more := len(numbered) - len(shown):
        lines.append(f"  … {counted(more, 'more line')}")
    return "\n".join([*lines, ""])


def _brief_places(hit: Hit, numbered: Sequence[tuple[int, str]]) -> Iterator[int]:
    """Yield the places of a hit's lines, those first that say most about it: its beginning, its best lines, others."""
    begin = _beginning(hit.chunk, numbered)
    best = [place for place, (number, _) in enumerate(numbered) if number in hit.lines]
    wanted = [*range(begin, begin + BRIEF_FIRST_LINES), *best]
    for distance in range(1, BRIEF_LINES):
        wanted += [place + distance * way for place in best for way in (1, -1)]
    wanted += range(begin, begin + BRIEF_LINES)
    return (place for place in dict.fromkeys(wanted) if 0 <= place < len(numbered) and numbered[place][1].strip())


def _beginning(chunk: Chunk, numbered: Sequence[tuple[int, str]]) -> int:
    """Return the place of the line that the signature begins with, behind comments and decorators; 0 without one."""
    signature = " ".join(chunk.signature.split())
    for place, (_, text) in enumerate(numbered):
        line = " ".join(text.split()).rstrip("{:,( ")
        if line and (signature.startswith(line) or (signature and line.startswith(signature))):
            return place
    return 0


def _name(hit: Hit, places: Places) -> str:
    chunk = hit.chunk
    place = f"{places.path(chunk.path, chunk.repository)}:{chunk.span.start_line}"
    signature = visible(chunk.signature or f"{chunk.kind} {chunk.qualified_name}")
    return cut(f"{place} {signature}", LINE_TOKENS * CHARACTERS_PER_TOKEN)


def _related(hit: Hit) -> list[str]:
    lines = [f"  ({cut(visible(relations_text(hit.relations)), RELATIONS_CHARACTERS)})"] if hit.relations else []
    return lines + ([f"  (the same at {visible(', '.join(hit.also[:3]))})"] if hit.also else [])


def _add_tables(page: Page, index: Index, question: str, hits: Sequence[Hit]) -> list[str]:
    """Name the tables of databases that a question is about, where the hits do not show them."""
    catalog = index.catalog
    if not len(catalog):
        return []
    shown = {hit.chunk.name.casefold() for hit in hits if hit.chunk.kind in (Kind.TABLE, Kind.VIEW)}
    named: list[str] = []
    for ranked in index.table_ranking(question, k=TABLES).tables:
        table = catalog.tables[ranked.table]
        name = str(table.name)
        if ranked.score < TABLE_SCORE or table.name.name.casefold() in shown:
            continue
        columns = cut(", ".join(column.name for column in table.columns), COLUMNS_CHARACTERS)
        if page.add(f"table {visible(name)}: {visible(columns)}"):
            named.append(name)
    return named


def _tally(shown: _Shown, hits: Sequence[Hit], arguments: SearchArguments) -> str:
    """Return what is shown and what is not, and how to get the rest."""
    if not hits:
        filtered = " with these filters" if arguments.kind or arguments.path or arguments.tests == "exclude" else ""
        return f"[nothing found{filtered}]"
    counts = ((shown.whole, "in full"), (shown.brief, "in brief"), (shown.named, "by name"))
    counted_parts = ", ".join(f"{count} {how}" for count, how in counts if count)
    left = len(hits) - shown.all
    rest = f", {left} left out" if left else ""
    more = "; more with budget, k, path or kind" if left or shown.brief or shown.named else ""
    return f"[{counted(len(hits), 'hit')}: {counted_parts}{rest}{more}]"


def _record(hits: Sequence[Hit], shown: _Shown, tables: Sequence[str], notes: Sequence[str]) -> dict[str, Any]:
    return {
        "hits": [
            {
                "path": hit.chunk.path,
                "repository": hit.chunk.repository,
                "start_line": hit.chunk.span.start_line,
                "end_line": hit.chunk.span.end_line,
                "kind": str(hit.chunk.kind),
                "name": hit.chunk.name,
                "qualified_name": hit.chunk.qualified_name,
                "signature": hit.chunk.signature,
                "score": round(hit.score, 4),
                "confidence": round(hit.confidence, 3),
                "tokens": tokens_of(hit.chunk.text),
            }
            for hit in hits
        ],
        "shown": {"whole": shown.whole, "brief": shown.brief, "named": shown.named},
        "tables": list(tables),
        "notes": list(notes),
    }
