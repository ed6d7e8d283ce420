"""SQL statements and the comments above them to example queries and the questions that they answer."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from coderag.sql.lineage.usage import usage_of, usage_of_text
from coderag.sql.records import ExampleQuery, Source
from coderag.sql.statements.dialect import GENERIC, Dialect
from coderag.sql.statements.masking import fill_holes
from coderag.sql.statements.parsing import EXPLAIN, SPACED, parse_statements

if TYPE_CHECKING:
    from sqlglot import exp

__all__ = ["is_named", "parse_query", "question_of", "read_query"]

MAX_PARSED_CHARACTERS = 100_000  # sqlglot takes about three seconds for them
OTHER_DIALECTS = ("postgres", "mysql", "tsql", "bigquery")  # tried in turn where the dialect is not known
LEADING_COMMENTS = re.compile(r"(?:\s+|--[^\n]*(?:\n|\Z)|/\*.*?(?:\*/|\Z)|#[^\n]*(?:\n|\Z))+", re.DOTALL)
REPLACE = re.compile(r"\A\s*REPLACE(?=\s+INTO\b)", re.IGNORECASE)  # which sqlglot passes through
NO_QUERY = re.compile(r"UPDATE\s+STATISTICS\b", re.IGNORECASE)
QUERY_WORDS = frozenset("SELECT WITH INSERT REPLACE UPDATE DELETE MERGE UPSERT FROM VALUES TABLE SEL".split())
FIRST_WORD = re.compile(r"[\s(]*([A-Za-z]+)")
TEMPLATE = re.compile(r"\{\{|\{%|[$#@]\{|<%")  # of some of these sqlglot makes what nobody meant


def read_query(
    text: str,
    *,
    dialect: Dialect,
    question: str = "",
    source: Source = Source(),  # noqa: B008 (frozen)
) -> ExampleQuery | None:
    """Return a statement that reads or changes rows of tables, with what it uses; None for anything else.

    A statement that does not parse, or only takes too long to, is kept with the tables that its text names.
    """
    text = text.strip().rstrip(";").rstrip()
    comments = LEADING_COMMENTS.match(text)
    bare = EXPLAIN.sub("", text[comments.end() :] if comments is not None else text, count=1)
    first = FIRST_WORD.match(fill_holes(bare[:MAX_PARSED_CHARACTERS]))
    word = first[1].upper() if first is not None else ""
    if word not in QUERY_WORDS or NO_QUERY.match(bare):
        return None
    tree = parse_query(bare, dialect)
    usage = usage_of(tree) if tree is not None else usage_of_text(fill_holes(bare))
    if not usage.reads and not usage.writes:
        return None
    return ExampleQuery(text, question=question, usage=usage, dialect=dialect.name, source=source)


def parse_query(text: str, dialect: Dialect) -> exp.Expr | None:
    """Return the tree of one statement, the holes of a template filled; None if it does not parse."""
    if len(text) > MAX_PARSED_CHARACTERS:
        return None
    filled = REPLACE.sub("INSERT", SPACED.sub(r"\1=", fill_holes(text)), count=1)
    names = (dialect.sqlglot, *(OTHER_DIALECTS if dialect.name == GENERIC else ()))
    for name in names:
        for candidate in dict.fromkeys((filled, text) if TEMPLATE.search(text) else (text, filled)):
            if (tree := _parsed(candidate, name)) is not None:
                return tree
    return None


def _parsed(text: str, dialect: str) -> exp.Expr | None:
    from sqlglot import exp

    trees = parse_statements(text, dialect) or []
    if len(trees) != 1 or not isinstance(trees[0], (exp.Query, exp.DML, exp.MultitableInserts, exp.Values)):
        return None
    return trees[0]


# Questions

MAX_QUESTION = 400  # characters
MAX_NAME_LINES = 20  # above a statement
SIGNS = re.compile(r"\s*(?:--+|/\*+!?|\*+/?|#+|//+|;+)?\s?")  # before the words of a comment
NAMED = re.compile(r"^\s*+:?name\s*+(?::\s*+)?(?P<name>[A-Za-z_][\w.-]*+)[!?^$<>*#&]*+(?:\s++:.*)?$", re.IGNORECASE)
DOC = re.compile(r"^\s*:doc\s+", re.IGNORECASE)
NUMBERED = re.compile(
    r"""^\s*(?:
          (?:query|question|quest|exercise|task|problem|example|ex|step|answer|report|ques|use\ case|scenario|test|q)
          \s*+(?:(?:no\.?|number)\s*+)?(?:\#\s*+)?(?:(?:\d+(?:[.\-]\d+)*[a-z]?|[ivx]+)\s*+)?
          (?:[:.)\]]+|(?<=\s)[-\u2013\u2014]+\s)
        | (?:query|question|exercise|task|problem|example|step|q)\s*+\#?\d++[a-z]?\s+
        | \#?\(?\d++(?:\.\d++)*+[a-z]?\s*+(?:[.:)\]]++|[-\u2013\u2014]++)\s
        | (?:title|description|desc|purpose|summary|goal|objective|comment|note|todo)\s*:
    )\s*""",
    re.IGNORECASE | re.VERBOSE,
)
NO_QUESTION = re.compile(
    r"""copyright|licen[cs]e|spdx|all\ rights\ reserved|warranty|^\W*$
      | ^\s*(?:file|filename|script|author|authors|date|created|created\ by|modified|last\ modified|version|usage
              |database|db|schema|server|host|dialect|engine|revision|change\ ?log|history|updated|run\ with|returns?
              |params?|parameters?|@\w+)\s*[:=]
      | ^\s*[\w./-]+\.sql\s*$ | ^\s*(?:vim|-\*-|noqa|sqlfluff|sqlfmt|prettier|eslint|\+migrate|\+goose|migrate:)
      | ^\s*(?:solution|exercise|query|example|question|step|listing|part|task|answer)\s*\#?\d*\W*$
      | ^\s*name:\ .*;\ type: | ^\s*(?:begin|end|start)\s+(?:of\s+)?(?:file|section|query|transaction)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
CODE = re.compile(
    r"^\s*(?:SELECT|INSERT|UPDATE|DELETE|DROP|CREATE|ALTER|WITH|FROM|WHERE|GROUP BY|ORDER BY|HAVING|(?:\w+ )?JOIN|AND"
    r"|OR|SET|LIMIT|UNION|VALUES|EXPLAIN|GRANT|USE)\b(?=.*[*=;(]|.*\bFROM\b)|;\s*$|^\s*[\w.]+\s*[=<>]+\s*\S+$"
)
WORD_BORDER = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[_.-]+")
SENTENCE_END = re.compile(r"(?<=[.!?])\s")


def is_named(comment: str) -> bool:
    """Tell whether the comment above a statement gives it a name by which programs run it, as for sqlc and HugSQL."""
    lines = comment.splitlines()
    return any(NAMED.match(_without_signs(line)) for line in lines[-MAX_NAME_LINES:])


def question_of(comment: str) -> str:
    """Return the question or title in the comment above a query, on one line; "" if it has none.

    Left out are numbers before it, licences, banners, code that was commented out. A name as sqlc and its like have it
    becomes words. Of several paragraphs the one next to the query counts.
    """
    name = ""
    paragraphs: list[list[str]] = [[]]
    for line in comment.split("\n"):
        bare = _without_signs(line)
        if (named := NAMED.match(bare)) is not None:
            name, paragraphs = " ".join(WORD_BORDER.sub(" ", named["name"]).split()).lower(), [[]]
            continue
        bare = DOC.sub("", bare)
        if NO_QUESTION.search(bare) or CODE.search(bare):
            if paragraphs[-1]:
                paragraphs.append([])
            continue
        bare = NUMBERED.sub("", bare.strip(" *=-~#_").strip() if bare[:1] in "*=-~#_" else bare, count=1)
        paragraphs[-1].append(bare.rstrip(" *=~#_-").strip())
    text = " ".join(next((lines for lines in reversed(paragraphs) if any(lines)), []))
    text = _cut(" ".join(text.split()))
    return f"{name}: {text}" if name and text else name or text


def _without_signs(line: str) -> str:
    """Return the words of a line of a comment."""
    bare = SIGNS.sub("", SIGNS.sub("", line, count=1), count=1).rstrip()
    if bare.endswith("*/"):
        bare = bare.removesuffix("/").rstrip("*")
    return bare.strip()


def _cut(text: str) -> str:
    """Return as many sentences as fit."""
    if len(text) <= MAX_QUESTION:
        return text
    kept = text[:MAX_QUESTION]
    ends = [match.start() for match in SENTENCE_END.finditer(kept)]
    return kept[: ends[-1]] if ends else kept.rsplit(" ", 1)[0] + " …"
