"""Blocks of a document to business definitions, in those sections only that define terms."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from coderag.catalog.knowledge.blocks import Block, BlockKind, plain
from coderag.sql.records import Definition, Source

__all__ = ["is_glossary", "is_glossary_title", "read_terms"]

MAX_TERM_WORDS = 8
MAX_TERM = 80  # characters
MAX_TEXT = 2_000
MAX_PARAGRAPHS = 3  # of a text below a heading

SUBJECT = r"(?:(?:the|our|a|an|\d+(?:\.\d+)*\.?|[\w&/'-]+)\s+){0,3}?"
TITLE = re.compile(
    rf"""^(?:{SUBJECT})(?:
          glossary | terminology | vocabulary | definitions | nomenclature | acronyms | abbreviations | data\ dictionary
        | business\ (?:terms|rules|definitions|metrics|concepts|language|vocabulary) | ubiquitous\ language
        | (?:key|important|common|core|main|domain)\ (?:terms|metrics|definitions|concepts|vocabulary|language)
        | (?:metrics?|kpis?|terms?|concepts?)\ (?:and\ )?(?:definitions|glossary|dictionary|reference)
        | metrics | kpis? | terms
    )(?:\s+(?:and|&|of|for|used|in|/)\s.{{0,40}}|\s*\(.{{0,40}}\)|:)?\s*$""",
    re.IGNORECASE | re.VERBOSE,
)
FILE = re.compile(
    r"(?:^|[-_. ])(?:glossary|terminology|vocabulary|definitions|data[-_ ]?dictionary|acronyms"
    r"|business[-_ ]?(?:terms|rules|metrics)|metrics?|kpis?|(?:ubiquitous|domain)[-_ ]?(?:terms|language))(?:$|[-_. ])",
    re.IGNORECASE,
)
# Contracts define terms as well, which say nothing of data.
LEGAL = re.compile(
    r"licen[cs]e|copying|terms[-_ ]of|privacy|eula|agreement|notice|conduct|legal|contract", re.IGNORECASE
)
OTHER_SECTION = re.compile(
    r"^(?:usage|install\w*|licen[cs]e|contribut\w*|references?|see also|changelog|(?:table of )?contents|toc|links"
    r"|overview|introduction|summary|examples?|notes?|about|purpose|appendix|how to\b.*|prerequisites|requirements"
    r"|getting started|related\b.*|next steps|resources|further reading|history)\s*:?$",
    re.IGNORECASE,
)
DASH = "[-\u2013\u2014]+"
MARKED = re.compile(
    rf"""^\s*(?P<mark>\*\*|__)(?P<term>(?:(?!(?P=mark)).){{1,120}}?)(?P<in>\s*:)?(?P=mark)\s*(?P<alias>\([^()]{{1,60}}\))?
         \s*(?P<sign>:|{DASH}\s|=|\u2192)?\s*(?P<text>.*)$""",
    re.DOTALL | re.VERBOSE,
)
CODED = re.compile(rf"^\s*`(?P<term>[^`]{{1,80}})`\s*(?::|{DASH}\s)\s*(?P<text>\S.*)$", re.DOTALL)
COLON = re.compile(rf"^\s*+(?P<term>[^\n:.;!?|`]{{0,79}}?[^\s:.;!?|`])\s*(?::\s+|\s{DASH}\s)(?P<text>\S.*)$", re.DOTALL)
ALIAS = re.compile(r"(?:(?<!\s)\s++)?\(([^()]{1,60})\)\s*$")
ALSO = re.compile(
    r"\b(?:synonyms?|also (?:known as|called)|a\.?k\.?a\.?|aliases|abbreviated(?: as)?)\b\s*:?\s*([^.;\n()]{1,120})",
    re.IGNORECASE,
)
AND = re.compile(r"(?:(?<!\s)\s++)?(?:,|/|\bor\b|\band\b)\s*+")
CODE = re.compile(r"(?<!`)`++([^`]+)`++")
EXPRESSION = re.compile(
    r"[\w\"\])]\s*(?:=|<>|!=|>=?|<=?)\s*\S|\b(?:SUM|COUNT|AVG|MIN|MAX|COALESCE|CASE|DATE_TRUNC|NULLIF|ROUND)\b\s*[( ]"
    r"|\bIS\s+(?:NOT\s+)?NULL\b|\bBETWEEN\b|\b(?:NOT\s+)?IN\s*\(|\bLIKE\b|\w\s+[-+*/]\s+\w",
    re.IGNORECASE,
)
CELL_BORDER = re.compile(r"(?<!\\)\|")

# What is said of a term in a list below it, or in a column of a table.
TEXT_LABELS = frozenset(
    {"definition", "meaning", "description", "explanation", "means", "details", "expansion", "business definition"}
    | {"short definition", "stands for", "what it means", "full name", "full form"}
)
CODE_LABELS = frozenset(
    {"formula", "calculation", "sql", "expression", "computation", "how calculated", "sql expression", "sql definition"}
    | {
        "technical definition",
        "sql formula",
        "calculated as",
        "logic",
        "sql logic",
        "how it is calculated",
        "metric sql",
        "query",
    }
)
ALIAS_LABELS = frozenset({"synonyms", "synonym", "aliases", "alias", "also known as", "aka", "abbreviation", "acronym"})
OTHER_LABELS = frozenset(
    """example examples owner owners source sources note notes unit units type grain table tables column columns status
    category target frequency dimensions used see related usage department team tags has
    contains includes why""".split()
) | {"data source", "responsible team", "update frequency", "used in", "see also", "related terms", "data type"}
LABELS = TEXT_LABELS | CODE_LABELS | ALIAS_LABELS | OTHER_LABELS
OTHER_FIRST_HEADERS = frozenset(
    """column field parameter option flag file table function method variable attribute property setting command label
    key route endpoint tool package environment date version role""".split()
) | {"column name", "field name", "data type", "environment variable"}


def is_glossary(path: str) -> bool:
    """Tell whether a file's name says that it defines terms."""
    stem = PurePosixPath(path).stem
    return FILE.search(stem) is not None and not LEGAL.search(stem)


def is_glossary_title(title: str) -> bool:
    """Tell whether a heading says that terms are defined below it."""
    return TITLE.match(plain(title)) is not None


def read_terms(blocks: Sequence[Block], *, path: str) -> Iterator[Definition]:
    """Yield the definitions of a document in order, where it or a section is called a glossary or the like."""
    if LEGAL.search(PurePosixPath(path).stem):
        return
    whole = is_glossary(path)
    depth = 0  # of the heading that began the glossary
    inside = whole
    tops = sum(block.kind is BlockKind.HEADING and block.depth == 1 for block in blocks)
    for heading, below in _sections(blocks):
        title = heading is not None and is_glossary_title(heading.text)
        if heading is not None and not whole and (not inside or heading.depth <= depth):
            inside, depth = title, heading.depth
        if not inside or (heading is not None and OTHER_SECTION.match(heading.text)):
            yield from _entries([block for block in below if block.info == "glossary"])
            continue
        definitions = list(_entries(below))
        if definitions or heading is None or title or (heading.depth == tops == 1):
            yield from definitions
        elif (definition := _entry(heading.text, below, first=heading.first)) is not None:
            yield definition


def _sections(blocks: Sequence[Block]) -> Iterator[tuple[Block | None, list[Block]]]:
    """Yield every heading with the blocks below it, up to the next one."""
    heading: Block | None = None
    below: list[Block] = []
    for block in blocks:
        if block.kind is BlockKind.HEADING:
            if heading is not None or below:
                yield heading, below
            heading, below = block, []
        else:
            below.append(block)
    if heading is not None or below:
        yield heading, below


def _entries(blocks: Sequence[Block]) -> Iterator[Definition]:
    """Yield what the blocks of a section define: items, terms, tables, and terms in bold with a text below them."""
    index = 0
    while index < len(blocks):
        block = blocks[index]
        index += 1
        if block.kind is BlockKind.TABLE:
            yield from _table(block)
            continue
        if (term := _bold_term(block)) is not None:
            end = index
            while end < len(blocks) and _bold_term(blocks[end]) is None and _belongs(blocks[end]):
                end += 1
            if (definition := _entry(term, blocks[index:end], first=block.first)) is not None:
                yield definition
                index = end
            continue
        if (parts := _term_and_text(block)) is not None and parts[0].casefold() not in LABELS:
            definition = _definition(*parts, source=_source(block.first, block.last))
            if definition is not None:
                yield definition


def _bold_term(block: Block) -> str | None:
    """Return the term of a paragraph or item that is nothing but a term in bold."""
    if block.kind not in {BlockKind.PARAGRAPH, BlockKind.ITEM}:
        return None
    match = MARKED.match(block.text)
    if match is None or match["text"] or plain(match["term"]).casefold() in LABELS:
        return None
    return f"{match['term']} {match['alias'] or ''}"


def _belongs(block: Block) -> bool:
    """Tell whether a block below a term in bold describes it."""
    if block.kind is BlockKind.LISTING:
        return True
    if block.kind not in {BlockKind.PARAGRAPH, BlockKind.ITEM}:
        return False
    match = MARKED.match(block.text)
    return match is None or plain(match["term"]).casefold() in LABELS


def _term_and_text(block: Block) -> tuple[str, str] | None:
    if block.kind is BlockKind.LISTING:
        return None
    match = MARKED.match(block.text)
    if match is not None and (match["in"] or match["sign"] or block.kind is BlockKind.TERM):
        if match["in"]:  # **Term:** (text in parentheses) and more
            return plain(match["term"]), f"{match['alias'] or ''} {match['text']}".strip()
        return f"{plain(match['term'])} {match['alias'] or ''}".strip(), match["text"]
    if block.kind is BlockKind.TERM:
        term, _, text = block.text.partition("\n")
        return plain(term).strip(" :"), text
    match = CODED.match(block.text) or (COLON.match(block.text) if block.kind is BlockKind.ITEM else None)
    return (plain(match["term"]), match["text"]) if match is not None else None


def _entry(term: str, blocks: Sequence[Block], *, first: int) -> Definition | None:
    """Return the definition that a term and what stands below it make."""
    texts: list[str] = []
    labelled = code = ""
    synonyms: list[str] = []
    last = first
    for block in blocks:
        if block.kind is BlockKind.LISTING:
            code = code or block.text.strip()
            last = block.last
            continue
        if block.kind not in {BlockKind.PARAGRAPH, BlockKind.ITEM}:
            break
        label, text = _term_and_text(block) or ("", block.text)
        role = label.casefold()
        if role in TEXT_LABELS:
            labelled = labelled or text
        elif role in CODE_LABELS:
            code = code or text.strip("` \n")
        elif role in ALIAS_LABELS:
            synonyms += AND.split(plain(text))
        elif role not in OTHER_LABELS and len(texts) < MAX_PARAGRAPHS:
            texts.append(block.text)
        last = block.last
    text = labelled or "\n".join(texts) or code
    return _definition(term, text, expression=code, synonyms=synonyms, source=_source(first, last))


def _table(block: Block) -> Iterator[Definition]:
    rows = [_cells(row) for row in block.text.split("\n")]
    headers = [plain(cell).casefold() for cell in rows[0]]
    if len(headers) < 2 or headers[0] in OTHER_FIRST_HEADERS:
        return
    places = {
        role: next((place for place, header in enumerate(headers) if place and header in labels), 0)
        for role, labels in (("text", TEXT_LABELS), ("code", CODE_LABELS), ("alias", ALIAS_LABELS))
    }
    if not places["text"] and not places["code"]:
        return

    def cell(cells: list[str], role: str) -> str:
        place = places[role]
        return cells[place].strip() if 0 < place < len(cells) else ""

    for number, cells in enumerate(rows[2:], start=block.first + 2):
        if not cells:
            continue
        code = cell(cells, "code").strip("` ")
        definition = _definition(
            cells[0],
            cell(cells, "text") or code,
            expression=code,
            synonyms=AND.split(plain(cell(cells, "alias"))),
            source=_source(number, number),
        )
        if definition is not None:
            yield definition


def _cells(row: str) -> list[str]:
    cells = [cell.replace("\\|", "|") for cell in CELL_BORDER.split(row.strip())]
    first = 1 if not cells[0].strip() else 0
    return cells[first : -1 if len(cells) > 1 and not cells[-1].strip() else None]


def _definition(
    term: str, text: str, *, source: Source, expression: str = "", synonyms: Sequence[str] = ()
) -> Definition | None:
    """Return the definition of a term as it is written in a document; None for anything else."""
    term = plain(term).strip(" :\"'\u201c\u201d")
    names = list(synonyms)
    if (alias := ALIAS.search(term)) is not None:
        term = term[: alias.start()]
        names += AND.split(alias[1])
    spoken = _cut(plain(text))
    if not term or len(term) > MAX_TERM or len(term.split()) > MAX_TERM_WORDS or len(spoken) < 2:
        return None
    for also in ALSO.finditer(spoken):
        names += AND.split(also[1])
    expression = expression or next(
        (match[1].strip() for match in CODE.finditer(text) if EXPRESSION.search(match[1])), ""
    )
    names = [name.strip(" '\"`") for name in names]
    kept = {name.casefold(): name for name in names if name and name.casefold() != term.casefold()}
    return Definition(term, spoken, synonyms=tuple(kept.values()), expression=expression, source=source)


def _cut(text: str) -> str:
    return text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 2].rsplit(" ", 1)[0] + " …"


def _source(first: int, last: int) -> Source:
    return Source(start_line=first + 1, end_line=last + 1)
