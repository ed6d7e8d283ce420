"""YAML glossaries to business definitions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import yaml

from coderag.sql.records import AddDefinition, ColumnUse, Definition, Facts, Name, Source, Unparsed
from coderag.text.yaml_lines import yaml_text

__all__ = ["read_glossary"]

MAX_BYTES = 4_000_000  # a glossary is written by hand
MAX_DEPTH = 24
MAX_NODES = 200_000
MAX_TEXT = 4_000  # characters

CONTAINERS = frozenset(
    """terms glossary definitions metrics kpis business_terms business_definitions business_glossary business_rules
    business_metrics concepts vocabulary entries measures dictionary data_dictionary acronyms abbreviations rules items
    """.split()
)
NAMES = ("term", "name", "metric", "kpi", "key", "word", "concept", "title", "id")
TEXTS = ("definition", "description", "meaning", "text", "desc", "explanation", "means", "summary", "details", "doc")
SYNONYMS = ("synonyms", "synonym", "aliases", "alias", "also_known_as", "aka", "abbreviation", "acronym", "other_names")
LABELS = ("label", "display_name", "title", "full_name")
EXPRESSIONS = (
    "sql",
    "expression",
    "formula",
    "calculation",
    "expr",
    "sql_expression",
    "computation",
    "query",
    "filter",
)
TABLES = ("tables", "table", "source_tables", "source_table", "models", "model", "entities", "entity")
COLUMNS = ("columns", "column", "fields", "field")
KNOWN = frozenset((*NAMES, *TEXTS, *SYNONYMS, *LABELS, *EXPRESSIONS, *TABLES, *COLUMNS))

# What a file says of itself beside its terms.
HEADER = frozenset(
    "version owner owners author authors date updated title name description domain schema_version".split()
)


class TooLarge(Exception):
    """A document with more nodes, or nested deeper, than one that somebody wrote."""


class Node(NamedTuple):
    """A value of a YAML document and its rows, 0-based and inclusive."""

    value: str | list[Node] | list[tuple[Node, Node]]
    first: int
    last: int
    mapping: bool = False

    @property
    def text(self) -> str:
        """Return a scalar's text, "" for anything else."""
        return self.value if isinstance(self.value, str) else ""

    @property
    def pairs(self) -> list[tuple[Node, Node]]:
        """Return a mapping's keys and values, none for anything else."""
        return self.value if self.mapping else []  # type: ignore[return-value]

    @property
    def items(self) -> list[Node]:
        """Return a list's items, none for anything else."""
        return [] if self.mapping or isinstance(self.value, str) else self.value  # type: ignore[return-value]


def read_glossary(data: bytes, *, path: str) -> Facts:
    """Return the definitions of a YAML document: `term: text`, `term: {definition: ...}`, or a list of such.

    They may lie under a key like terms, glossary or metrics, and in named groups. Aliases are not followed.
    """
    if len(data) > MAX_BYTES:
        return _lost(1, path, f"larger than {MAX_BYTES // 1_000_000} MB")
    try:
        documents = list(_documents(data))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or "it is no YAML"
        last = data.rstrip().count(b"\n")  # what lacks at the end is marked behind it
        return _lost(min(mark.line, last) + 1 if mark is not None else 1, path, f"not YAML: {problem}")
    except TooLarge as error:
        return _lost(1, path, str(error))
    definitions = [definition for document in documents for definition in _document(document)]
    return Facts(statements=len(definitions), operations=tuple(AddDefinition(definition) for definition in definitions))


def _lost(line: int, path: str, reason: str) -> Facts:
    return Facts(unparsed=(Unparsed(line, path.rsplit("/", 1)[-1], reason),))


# YAML to nodes, from its events: neither nesting nor aliases can make it large.


def _documents(data: bytes) -> Iterator[Node]:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    stack: list[tuple[int, bool, list[Node]]] = []  # first row, whether it is a mapping, what is in it
    count = 0
    for event in yaml.parse(yaml_text(data), Loader=loader):
        count += 1
        if count > MAX_NODES:
            raise TooLarge(f"more than {MAX_NODES:,} values")
        row = event.start_mark.line if event.start_mark is not None else 0
        if isinstance(event, yaml.CollectionStartEvent):
            stack.append((row, isinstance(event, yaml.MappingStartEvent), []))
            if len(stack) > MAX_DEPTH:
                raise TooLarge(f"values nested more than {MAX_DEPTH} deep")
            continue
        if isinstance(event, yaml.ScalarEvent):
            node = Node(event.value, row, max(row, _last_row(event)))
        elif isinstance(event, yaml.AliasEvent):
            node = Node("", row, row)
        elif isinstance(event, yaml.CollectionEndEvent):
            node = _collection(*stack.pop())
        else:
            continue
        if stack:
            stack[-1][2].append(node)
        else:
            yield node


def _last_row(event: yaml.ScalarEvent) -> int:
    if event.end_mark is None:
        return 0
    return event.end_mark.line - (event.end_mark.column == 0)  # the mark of a block is behind its line end


def _collection(first: int, mapping: bool, nodes: list[Node]) -> Node:
    last = max((node.last for node in nodes), default=first)
    if not mapping:
        return Node(nodes, first, last)
    return Node(list(zip(nodes[::2], nodes[1::2], strict=True)), first, last, mapping=True)


# Nodes to definitions


def _document(root: Node) -> Iterator[Definition]:
    containers = [value for key, value in root.pairs if _is_container(key, value)]
    if not containers:
        pairs = [(key, value) for key, value in root.pairs if key.text.casefold() not in HEADER or value.mapping]
        yield from _entries(Node(pairs, root.first, root.last, mapping=True) if root.mapping else root)
    for container in containers:
        yield from _entries(container)


def _is_container(key: Node, value: Node) -> bool:
    return _key(key) in CONTAINERS and not isinstance(value.value, str)


def _entries(node: Node) -> Iterator[Definition]:
    """Yield the definitions of a mapping of terms or a list of them."""
    for key, value in node.pairs:
        if _is_container(key, value) or _is_group(value):
            yield from _entries(value)
        elif (definition := _definition(key.text, value, first=key.first)) is not None:
            yield definition
    for item in node.items:
        name = next((value.text for field in NAMES for key, value in item.pairs if _is(key, field)), "")
        if name:
            definition = _definition(name, item, first=item.first)
            if definition is not None:
                yield definition
        elif item.mapping:
            yield from _entries(item)
        elif ": " in item.text:
            term, _, text = item.text.partition(": ")
            if (definition := _definition(term, item._replace(value=text), first=item.first)) is not None:
                yield definition


def _is_group(value: Node) -> bool:
    """Tell whether a value holds terms and is not one itself."""
    if value.items:
        return all(item.mapping for item in value.items)
    return bool(value.pairs) and not any(key.text.casefold() in KNOWN for key, _ in value.pairs)


def _is(key: Node, name: str) -> bool:
    return _key(key) == name


def _key(node: Node) -> str:
    """Return a key in one spelling: "Also known as" is also_known_as."""
    return node.text.strip().casefold().replace("-", "_").replace(" ", "_")


def _definition(term: str, node: Node, *, first: int) -> Definition | None:
    """Return the definition of a term; None if its node has no text.

    `active_user: has logged in this week` and `active_user: {definition: has logged in this week, table: users}` are
    both "active user: has logged in this week"; the second one names its table, too.
    """
    term = " ".join(term.split())
    source = Source(start_line=first + 1, end_line=max(first, node.last) + 1)
    if node.mapping:
        return _definition_of_fields(term, _fields(node), source)
    text = _clean(node.text)
    return Definition(_spoken(term), text, source=source) if term and text else None


def _definition_of_fields(term: str, fields: Mapping[str, Node], source: Source) -> Definition | None:
    labels = [node.text for node in _among(fields, LABELS)]
    expression = next((node.text.strip() for node in _among(fields, EXPRESSIONS) if node.text), "")
    described = next((_clean(node.text) for node in _among(fields, TEXTS) if node.text), "")
    text = described or next((label for label in labels if label and label != term), "") or _clean(expression)
    if not term or not text:
        return None
    tables = tuple(_name(table) for table in _all_texts(fields, TABLES))
    return Definition(
        _spoken(term),
        text,
        synonyms=_synonyms(term, [*_all_texts(fields, SYNONYMS), *labels]),
        expression=expression,
        tables=tables,
        columns=tuple(_column(column, tables) for column in _all_texts(fields, COLUMNS)),
        source=source,
    )


def _fields(node: Node) -> dict[str, Node]:
    return {_key(key): value for key, value in node.pairs}


def _among(fields: Mapping[str, Node], names: Iterable[str]) -> Iterator[Node]:
    """Yield the fields of some names, in the order of the names."""
    return (fields[name] for name in names if name in fields)


def _all_texts(fields: Mapping[str, Node], names: Iterable[str]) -> list[str]:
    return [text for node in _among(fields, names) for text in _texts(node)]


def _synonyms(term: str, texts: Iterable[str]) -> tuple[str, ...]:
    """Return the other words for a term, each once whatever its case; its key is one where it is no plain words."""
    spoken = _spoken(term)
    return tuple({text.casefold(): text for text in (*texts, term) if text and text != spoken}.values())


def _spoken(term: str) -> str:
    """Return a key as words: active_customer is how YAML writes them."""
    return term if " " in term else term.replace("_", " ").strip() or term


def _texts(node: Node) -> list[str]:
    """Return the texts of a list, of the keys of a mapping, or of one text with commas."""
    if node.mapping:
        return [key.text for key, _ in node.pairs if key.text]
    if node.items:
        named = [
            next((value.text for key, value in item.pairs if key.text == "name"), item.text) for item in node.items
        ]
        return [text.strip() for text in named if text.strip()]
    return [text.strip() for text in node.text.split(",") if text.strip()]


def _name(text: str) -> Name:
    parts = [part.strip('"`[]') for part in text.split(".")][-3:]
    return Name(parts[-1], *reversed([*("", ""), *parts[:-1]][-2:]))


def _column(text: str, tables: Sequence[Name]) -> ColumnUse:
    table, _, column = text.rpartition(".")
    if not table:
        return ColumnUse(column.strip('"`[]'), tuple(tables))
    name = _name(table)
    whole = next((one for one in tables if one.name.casefold() == name.name.casefold()), name)
    return ColumnUse(column.strip('"`[]'), (name if name.schema else whole,))


def _clean(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= MAX_TEXT else text[:MAX_TEXT].rsplit(" ", 1)[0] + " …"
