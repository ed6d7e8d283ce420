"""Markdown, reStructuredText and notebooks to the queries and business definitions in them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from coderag.catalog.knowledge.blocks import Block, BlockKind, markdown_blocks, plain, restructuredtext_blocks
from coderag.catalog.knowledge.terms import is_glossary, is_glossary_title, read_terms
from coderag.chunking.sections import notebook_rows
from coderag.errors import QueryError
from coderag.sql.ddl.example_queries import question_of, read_query
from coderag.sql.records import AddDefinition, AddQuery, Definition, ExampleQuery, Facts, Source, Usage
from coderag.sql.statements.dialect import Dialect, find_dialect, guess_dialect
from coderag.sql.statements.split import StatementKind, split

__all__ = ["read_document"]

NO_FACTS = Facts()

# What a listing's language may be called besides a dialect's names.
LANGUAGES = {
    "sql": "",
    "pgsql": "postgres",
    "plpgsql": "postgres",
    "plsql": "oracle",
    "hql": "hive",
    "sparksql": "spark",
}
DIALECT_WORDS = (
    "bigquery|snowflake|duckdb|redshift|hive|hql|oracle|clickhouse|trino|presto|athena|databricks|spark|mariadb"
)
LANGUAGE = re.compile(r"[{\s.]*([\w+-]+)")
QUERY = re.compile(r"\s*(?:--[^\n]*\n\s*)*(?:SELECT\b|WITH\s+\w+\s+AS\s*\()", re.IGNORECASE)
LISTING_SIGNS = (b"```", b"~~~", b"::")
LISTING = re.compile(
    rf"[ \t{{.]*(?:[\w-]*sql|{DIALECT_WORDS})\b|[ \t]*\n\s*(?:--[^\n]*\n\s*)*(?:SELECT|WITH)\b".encode(), re.IGNORECASE
)
ATX = re.compile(rb"\n {0,3}#+ [^\n]*")
UNDERLINE = re.compile(rb"\n([=~^*+#\"'-])\1{2,}[ \t]*(?=\n|\Z)")

# Words of a sentence that only leads over to a query.
LEADING_OVER = frozenset(
    """a an and are as be below below: by can code do e.g example examples execute execution first following follows for
    from full get gives here how i in is it let like look looks may need needs next note now of on one or our out output
    query queries result results return returns run running same sample shown shows simple so some sql statement
    statements such that the then there these this to try use used uses using want we will with would write you your
    """.split()
)
WORD = re.compile(r"[^\W_][\w.'-]*")
SENTENCE = re.compile(r"(?<=[.!?:])\s+")
MIN_CONTENT_WORDS = 2
MAX_LEAD_IN = 300  # characters; of a longer paragraph the last sentence

TEMPLATE_NAME = re.compile(r"(?:your|my|some|the|a)?_?table(?:_?name|_?\d|_?[ab])?", re.IGNORECASE)

CELL_GAP = 6  # rows of JSON at least between two cells of a notebook
CELL_MAGIC = re.compile(r"\s*%{1,2}(?:sql|bigquery|sparksql|duckdb|dql|read_sql|bq)\b(?P<rest>.*)$")
SQL_START = re.compile(
    r"\s*(?:\w+\s*<<\s*)?(?P<sql>(?:SELECT|WITH|INSERT|UPDATE|DELETE|MERGE)\b.*)$", re.IGNORECASE | re.DOTALL
)
CALL_NAMES = "read_sql(?:_query)?|execute|sql|query|read_gbq|read_database|run_query|fetch(?:all|one|val)?|text"
LITERAL = re.compile(
    rf"""(?:\b(?:{CALL_NAMES})\s*\(\s*|=\s*)[rRfFbBuU]{{0,2}}(?P<quote>\"\"\"|'''|"|')"""
    r"(?P<sql>\s*+(?:--[^\n]{0,400}+\n\s*+)*+(?:SELECT|WITH|INSERT|UPDATE|DELETE|MERGE)\b(?:\\.|(?!(?P=quote))[^\\])*+)(?P=quote)",
    re.DOTALL | re.IGNORECASE,
)
NOTEBOOK_SQL = re.compile(
    rb"(?i)%sql|%%(?:bigquery|sparksql|duckdb|dql|read_sql|bq)\b|\b(?:select|with)\b[^\n]*|execute\("
)
CODE_ROW = re.compile(
    r"\s*+(?:import|from|def|class|print|return|with|for|if|%|!|@|[\w.\[\]'\", ]++\s*+=[^=]|[\w.]++\()"
)


class Listing(NamedTuple):
    """Text of SQL in a document, the 0-based row that it begins in, and what leads to it."""

    text: str
    row: int
    dialect: str = ""  # "" if the document does not say
    sentence: str = ""
    heading: str = ""


def read_document(data: bytes, *, path: str, reader: str) -> Facts:
    """Return the queries and business definitions of a document.

    `reader` is markdown, restructuredtext or notebook. A notebook comes as JSON, or as the text of its cells with every
    row of its file.
    """
    if reader == "notebook":
        listings = list(_notebook_listings(data)) if NOTEBOOK_SQL.search(data) else []
        return _facts(listings, (), path=path)
    has_sql = _has_listing(data)
    has_terms = is_glossary(path) or any(map(is_glossary_title, _titles(data)))
    if not has_sql and not has_terms:
        return NO_FACTS
    rows = data.decode("utf-8", "replace").split("\n")
    blocks = list(restructuredtext_blocks(rows) if reader == "restructuredtext" else markdown_blocks(rows))
    listings = list(_listings(blocks)) if has_sql else []
    return _facts(listings, list(read_terms(blocks, path=path)) if has_terms else (), path=path)


def _has_listing(data: bytes) -> bool:
    """Tell whether a document may have a listing of SQL; most have none, and are read no further."""
    for sign in LISTING_SIGNS:
        at = data.find(sign)
        while at >= 0:
            if LISTING.match(data, at + len(sign)):
                return True
            at = data.find(sign, at + len(sign))
    return False


def _titles(data: bytes) -> Iterator[str]:
    """Yield what may be a heading."""
    for match in ATX.finditer(b"\n" + data):
        yield match[0].decode("utf-8", "replace").strip(" #\n")
    for under in UNDERLINE.finditer(data):
        yield data[data.rfind(b"\n", 0, under.start()) + 1 : under.start()].decode("utf-8", "replace").strip()
    if b".. glossary::" in data:
        yield "glossary"


def _facts(listings: Sequence[Listing], definitions: Sequence[Definition], *, path: str) -> Facts:
    queries: list[ExampleQuery] = []
    statements = 0
    if listings:
        guess = guess_dialect("\n".join(listing.text for listing in listings), path)
        for listing in listings:
            dialect = find_dialect(listing.dialect) if listing.dialect else guess.dialect
            example_queries, count = _queries(listing, dialect)
            queries += example_queries
            statements += count
    operations: list[AddQuery | AddDefinition] = [*map(AddQuery, queries), *map(AddDefinition, definitions)]
    if not operations:
        return Facts(statements=statements)
    operations.sort(key=_line)
    return Facts(
        dialect=guess.dialect.name if queries else "",
        guess=guess.reason if queries else "",
        statements=statements,
        operations=tuple(operations),
    )


def _line(operation: AddQuery | AddDefinition) -> int:
    return (operation.query if isinstance(operation, AddQuery) else operation.definition).source.start_line


def _queries(listing: Listing, dialect: Dialect) -> tuple[list[ExampleQuery], int]:
    """Return the queries of a listing, and how many statements it has."""
    example_queries: list[ExampleQuery] = []
    statements = split(listing.text.encode(), dialect)
    for statement in statements:
        if statement.kind not in {StatementKind.QUERY, StatementKind.OTHER}:
            continue
        question = question_of(statement.before) or ("" if example_queries else listing.sentence) or listing.heading
        source = Source(start_line=listing.row + statement.first_row + 1, end_line=listing.row + statement.last_row + 1)
        query = read_query(statement.text, dialect=dialect, question=question, source=source)
        if query is not None and not _is_template(query.usage):
            example_queries.append(query)
    return example_queries, len(statements)


def _is_template(usage: Usage) -> bool:
    """Tell whether the tables stand for any table, as in a text that teaches syntax."""
    return all(TEMPLATE_NAME.fullmatch(name.name) for name in (*usage.reads, *usage.writes))


def _listings(blocks: Sequence[Block]) -> Iterator[Listing]:
    heading = ""
    before: Block | None = None
    for block in blocks:
        if block.kind is BlockKind.HEADING:
            heading = question_of(block.text)
        elif block.kind is BlockKind.LISTING and (dialect := _dialect_of(block)) is not None:
            text = before.text if before is not None and before.kind in {BlockKind.PARAGRAPH, BlockKind.ITEM} else ""
            yield Listing(block.text, block.body, dialect, _lead_in(text), heading)
        before = block


def _dialect_of(listing: Block) -> str | None:
    """Return the dialect that a listing's language names, "" if it is only SQL, and None for anything else."""
    match = LANGUAGE.match(listing.info)
    if match is None:
        return "" if QUERY.match(listing.text) else None
    name = match[1].lower()
    if name in LANGUAGES:
        return LANGUAGES[name]
    if name.startswith(("sql+", "sql-")) or name.endswith(("+sql", "-sql")):
        return ""
    try:
        return find_dialect(name).name
    except QueryError:
        return None


def _lead_in(text: str) -> str:
    """Return what the text above a query says of it, without what only leads over."""
    sentences = [one for one in SENTENCE.split(plain(text)) if _says_something(one)]
    joined = " ".join(sentences)
    if len(joined) > MAX_LEAD_IN:
        joined = sentences[-1]
    return question_of(joined.rstrip(": "))


def _says_something(sentence: str) -> bool:
    words = {word.casefold().rstrip(".'-") for word in WORD.findall(sentence)}
    return len(words - LEADING_OVER) >= MIN_CONTENT_WORDS


# Notebooks


def _notebook_listings(data: bytes) -> Iterator[Listing]:
    cells: list[tuple[int, int]]
    if data.lstrip().startswith(b"{"):
        try:
            data, found = notebook_rows(data)
        except (ValueError, KeyError, TypeError, RecursionError):
            return  # the reader of its chunks says so
        cells = [(first, last) for _, first, last in found]
        rows = data.decode("utf-8", "replace").split("\n")
    else:
        rows = data.decode("utf-8", "replace").split("\n")
        cells = list(_cells(rows))
    above = ""
    for first, last in cells:
        while first <= last and not rows[first].strip():
            first += 1
        if first > last:
            continue
        listings = sorted(_cell_listings(rows, first, last), key=lambda listing: listing.row)
        sentence = _lead_in(_prose(above))
        heading = next((question_of(line.lstrip("# ")) for line in reversed(above.split("\n")) if line[:1] == "#"), "")
        for number, listing in enumerate(listings):
            comment = _comment_above(rows, first, listing.row)
            yield listing._replace(sentence=comment or ("" if number else sentence), heading=heading)
        if not listings:
            above = "\n".join(rows[first : last + 1])


def _cells(rows: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the first and last rows of what stands between long gaps."""
    first = last = -1
    for row, text in enumerate(rows):
        if not text:
            continue
        if first < 0 or row - last > CELL_GAP:
            if first >= 0:
                yield first, last
            first = row
        last = row
    if first >= 0:
        yield first, last


def _cell_listings(rows: Sequence[str], first: int, last: int) -> Iterator[Listing]:
    magic = CELL_MAGIC.match(rows[first])
    if magic is not None and (rows[first].lstrip().startswith("%%") or not magic["rest"].strip()):
        begin = SQL_START.match(magic["rest"])
        text = "\n".join(([begin["sql"]] if begin is not None else [""]) + list(rows[first + 1 : last + 1]))
        yield Listing(text, first)
        return
    for row in range(first, last + 1):
        line = CELL_MAGIC.match(rows[row])
        if line is not None and (begin := SQL_START.match(line["rest"])) is not None:
            yield Listing(begin["sql"], row)
    text = "\n".join(rows[first : last + 1])
    for literal in LITERAL.finditer(text):
        sql = literal["sql"]
        if len(literal["quote"]) == 1:
            sql = (
                sql.replace("\\\n", " ").replace("\\n", " ").replace("\\t", " ").replace("\\'", "'").replace('\\"', '"')
            )
        yield Listing(sql, first + text.count("\n", 0, literal.start("sql")))


def _prose(cell: str) -> str:
    """Return the last paragraph of a cell of text that is no heading; "" if it is code."""
    if CODE_ROW.match(cell):
        return ""
    lines = [line for line in cell.split("\n") if not line.startswith("#")]
    paragraphs = [one for one in "\n".join(lines).split("\n\n") if one.strip()]
    return paragraphs[-1] if paragraphs else ""


def _comment_above(rows: Sequence[str], first: int, row: int) -> str:
    """Return the comment of Python right above a statement that holds a query."""
    comments: list[str] = []
    while row > first and rows[row - 1].lstrip().startswith("#"):
        row -= 1
        comments.insert(0, rows[row])
    return question_of("\n".join(comments))
