"""The records that every part of coderag shares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum

from coderag.record import Deferred, ordered_record, record

__all__ = [
    "Case",
    "Chunk",
    "Content",
    "Expand",
    "Field",
    "FileMatches",
    "Fusion",
    "Hit",
    "Kind",
    "Match",
    "Matches",
    "OtherDatabases",
    "Pipeline",
    "Query",
    "Relation",
    "Span",
    "Symbol",
    "TableFilter",
    "Term",
    "TestPolicy",
]


class Kind(StrEnum):
    """What a chunk or symbol is; a construct of a language is mapped onto the closest one."""

    FUNCTION = "function"
    METHOD = "method"
    CLASS = "class"
    INTERFACE = "interface"
    TRAIT = "trait"
    STRUCT = "struct"
    ENUM = "enum"
    TYPE = "type"
    MODULE = "module"
    CONSTANT = "constant"
    FIELD = "field"
    EXTENSION = "extension"  # members added to a type: impl, extension, instance
    MACRO = "macro"
    BLOCK = "block"  # lines outside every definition, or of a file that no grammar reads
    SECTION = "section"  # of a document
    CELL = "cell"  # of a notebook
    TABLE = "table"  # of a database, in SQL or another language that declares it
    VIEW = "view"
    TRIGGER = "trigger"
    QUERY = "query"  # that somebody wrote as an example or runs


class Content(StrEnum):
    """What a language's files hold; configuration is read on request only."""

    CODE = "code"
    DOCS = "docs"
    CONFIG = "config"


class TestPolicy(StrEnum):
    """What a search does with tests: like the rest, behind the rest, or not at all."""

    __test__ = False  # not a test class, whatever its name suggests to pytest

    INCLUDE = "include"
    DEMOTE = "demote"
    EXCLUDE = "exclude"


class OtherDatabases(StrEnum):
    """What a schema context says of the databases that a question is not about: their names, or all that has room."""

    NAME = "name"
    DETAIL = "detail"


class Expand(StrEnum):
    """What is given in place of a small chunk that was found: what encloses it, or what stands around it."""

    PARENT = "parent"  # the class or module
    FILE = "file"
    NEIGHBOURS = "neighbours"  # the definitions before and after it too


@ordered_record
class Span:
    """Lines of a file: 1-based, both ends inclusive."""

    start_line: int
    end_line: int

    def __contains__(self, line: int) -> bool:
        return self.start_line <= line <= self.end_line

    def __len__(self) -> int:
        return self.end_line - self.start_line + 1


@record
class Symbol:
    """A named definition."""

    name: str
    qualified_name: str
    kind: Kind
    span: Span
    signature: str = ""
    doc: str = ""
    path: str = ""
    repository: str = ""


@record
class Chunk:
    """A retrievable piece of a file: a function, the frame of a class or module, a section.

    `span` is the extent of the definition; `parts` are the lines whose text the chunk holds, in order. They differ
    for a class, whose methods are chunks of their own, and for a module.
    """

    path: str  # relative to the root, forward slashes
    language: str
    kind: Kind
    name: str
    qualified_name: str
    span: Span
    parts: tuple[Span, ...]
    text: str
    signature: str = ""
    doc: str = ""  # the summary: the first sentence or line
    decorators: tuple[str, ...] = ()
    imports: tuple[str, ...] = ()  # the imported names that the chunk uses
    calls: tuple[str, ...] = ()  # called names, in order of first appearance
    parent: str = ""  # qualified name of the enclosing definition
    members: tuple[str, ...] = ()  # signatures of the functions and types that are chunks of their own inside this one
    labels: frozenset[str] = frozenset()  # of: test, example, generated, vendored, legacy
    repository: str = ""
    id: str = ""  # hash of repository, path, qualified name and text: the same text keeps its id

    def numbered_lines(self) -> list[tuple[int, str]]:
        """Return its lines with their numbers in the file."""
        numbers = [number for part in self.parts for number in range(part.start_line, part.end_line + 1)]
        return list(zip(numbers, self.text.split("\n"), strict=False))


class Fusion(StrEnum):
    """How several lists of scores become one: by their scores, or by ranks alone."""

    MIN_MAX = "minmax"
    RANKS = "rrf"


@record
class Pipeline:
    """How a search ranks, stage by stage."""

    fusion: Fusion = Fusion.MIN_MAX
    reranker: str = (
        "learned"  # "linear": the weights alone; "graph", "maxsim", or a model (coderag.rerankers.spec): on top
    )
    depth: int = 30  # of the best that such a reranker sees
    blend: float = 0.5  # its share in the order of those; the rest is that of the ranking before it
    without: frozenset[str] = frozenset()  # evidence that is left out (coderag.search.ranking.features.FAMILIES)


class Case(StrEnum):
    """Whether capitals count in a pattern; a smart one ignores case unless the pattern itself has a capital."""

    SMART = "smart"
    SENSITIVE = "sensitive"
    IGNORE = "ignore"


class Field(StrEnum):
    """What a term of a query is compared with."""

    TEXT = "text"
    SYMBOL = "sym"  # the names that a chunk defines
    FILE = "file"  # the path
    LANGUAGE = "lang"
    KIND = "kind"
    REPOSITORY = "repo"
    TEST = "test"  # whether a file is one of tests; of no value


@record
class Term:
    """A condition that holds of a chunk or does not."""

    field: Field
    value: (
        str  # a part of the text, name or path, or a glob of paths; a language, a kind, a part of a repository's name
    )
    regex: bool = False  # whether the value is a regular expression (RE2), for TEXT, SYMBOL and FILE
    negated: bool = False
    case: Case = Case.SMART


@record
class Query:
    """A question and the conditions that its answers must meet."""

    text: str
    k: int = 10
    kinds: frozenset[Kind] = frozenset()  # empty: all
    languages: frozenset[str] = frozenset()
    paths: tuple[str, ...] = ()  # globs; a leading "!" excludes
    repositories: frozenset[str] = frozenset()
    databases: frozenset[str] = frozenset()  # of files that declare, change, query or describe what is in them
    environments: frozenset[str] = frozenset()
    groups: frozenset[str] | None = None  # the caller's: only what these may see; None: all
    tests: TestPolicy = TestPolicy.DEMOTE
    diversity: float = 0.0  # 0..1: how much hits are diversified (MMR)
    threshold: float = 0.0  # 0..1: the least confidence of a hit
    collapse: bool = True  # whether copies and near copies of a hit are only named by it
    expand: Expand | None = None
    related: int = 0  # further hits, at most: what the others call, use or are called by
    pipeline: Pipeline = Pipeline()
    files: frozenset[tuple[str, str]] | None = None  # only in these, as repository and path; None: all
    clauses: tuple[tuple[Term, ...], ...] = ()  # of each, one term holds at least


@record
class TableFilter:
    """The conditions that tables must meet; an empty one allows all."""

    databases: frozenset[str] = frozenset()  # names, in any case
    schemas: frozenset[str] = frozenset()
    dialects: frozenset[str] = frozenset()  # names or aliases
    environments: frozenset[str] = frozenset()
    domains: frozenset[str] = frozenset()
    paths: tuple[str, ...] = ()  # globs on the files that declare them; a leading "!" excludes
    since: str = ""  # ISO 8601: declared in a file that changed then or later
    tests: TestPolicy = TestPolicy.DEMOTE
    languages: frozenset[str] = frozenset()  # of the files that declare them
    kinds: frozenset[str] = frozenset()  # "table" for every kind of table, "view" for every kind of view


@record
class Relation:
    """A relation of a hit: who calls it, a table that it reads."""

    kind: str  # "called by", "tested by", "reads", "read by", "writes", "handles", "maps to", ...
    name: str  # qualified
    path: str = ""  # "" for a table that no file defines
    line: int = 0
    certainty: str = "resolved"  # or "unique name", "candidate" (coderag.graph.records)
    total: int = 1  # how many relations of this kind there are; the surest three are given


@ordered_record
class Match:
    """Where a pattern matches in a file."""

    line: int  # 1-based
    column: int  # 1-based, in characters
    length: int  # in characters


@record
class Hit(Deferred):
    """An answer: a chunk, how well it matched, and why.

    A search computes `parts`, `lines` and `reasons` when one of them is first read: not all callers want them.
    """

    chunk: Chunk
    score: float
    parts: Mapping[str, float] = field(default_factory=dict)  # the parts of the score, by name
    lines: tuple[int, ...] = ()  # lines of the chunk's file that matched best, 1-based
    reasons: tuple[str, ...] = ()  # why it matched, in words
    also: tuple[str, ...] = ()  # path:line of chunks with the same or nearly the same text, which are no hits
    confidence: float = 0.0  # 0..1: the probability that it is the place that the question asks for
    expanded_from: tuple[str, ...] = ()  # path:line of the chunks that were found in it, best first
    relations: tuple[Relation, ...] = ()  # its close ones, by what the graph knew when it was made
    related: bool = False  # it does not answer by itself: it is related to a better hit
    matches: tuple[Match, ...] = ()  # of the query's phrases and regular expressions, in order


@record
class FileMatches:
    """How often the patterns of a query match in a file."""

    repository: str
    path: str
    count: int


@record
class Matches:
    """Every match of a query's patterns, counted, and the best chunks that hold one."""

    hits: tuple[Hit, ...]
    count: int  # of all matches, whatever is shown
    chunks: int  # with a match
    files: tuple[FileMatches, ...]  # by repository and path
