"""A file's text to its chunks, its definitions and its facts."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

import msgspec

from coderag.chunking.chunk import MAX_CHUNK_BYTES, ChunkSpec, chunk_lines, chunk_outline
from coderag.chunking.sections import chunk_markdown, chunk_notebook, chunk_restructuredtext, notebook_rows
from coderag.errors import LanguageDataError
from coderag.files.privacy.secrets.masking import mask_secrets
from coderag.files.translations import is_translation
from coderag.frameworks.registry import read_code
from coderag.frameworks.usage.query_files import read_query_file
from coderag.index.storage.links import Links
from coderag.index.workers.linking import code_links, component_links, document_links, query_links
from coderag.sql.records import AddQuery, Facts, SchemaOperation
from coderag.syntax.call_routes import call_routes
from coderag.syntax.components import script_text
from coderag.syntax.defines import read_defines
from coderag.syntax.grammar import GrammarMissing
from coderag.syntax.language import Language, languages
from coderag.syntax.lines import Lines, Rows
from coderag.syntax.needed_query import needed_query
from coderag.syntax.outline import Outline, outline_tree
from coderag.syntax.parsed import parse_code
from coderag.types import Content, Kind

__all__ = ["ReadFile", "module_name", "read_chunks", "warm_up"]

BRIEF = frozenset({Kind.FIELD, Kind.CONSTANT, Kind.MACRO, Kind.TYPE})  # no chunk on one row, and too many to describe
MAX_MESSAGES_BYTES = 3_000  # of a chunk of translations, of which one message is wanted and the rest is in the way
NO_FACTS = Facts()
NO_LINKS = Links()


def warm_up(names: Iterable[str] = (), *, few: Iterable[str] = ()) -> None:
    """Load what files of languages of such names need, so that the first of them finds it there.

    Of languages that have only a `few` files, these tell which patterns are compiled.
    """
    mask_secrets(b"")
    known = languages()
    whole = {known[name].scripts or name for name in names if name in known}
    for name in whole.union(known[name].scripts or name for name in few if name in known):
        language = known[name]
        if language.grammar:
            query = needed_query(language)
            with suppress(GrammarMissing, LanguageDataError):  # whoever reads such a file is told
                if name in whole:
                    query.compile()
                    call_routes(language).compile()
                else:
                    query.prepare()


@dataclass(frozen=True, slots=True)
class ReadFile:
    """A file's text and what was found in it."""

    lines: Lines
    drafts: list[ChunkSpec]
    outline: Outline
    problem: str = ""
    facts: Facts = NO_FACTS
    links: Links = NO_LINKS


def read_chunks(
    data: bytes, language: Language, *, path: str, failed: str = "", dialect: str = "", mask: bool = False
) -> ReadFile:
    """Return the chunks of a text with "\\n" line ends; where its reader fails, as lines, and the problem says why.

    `failed` says why its reader did before, so that it is not asked again.
    `dialect` is the one of SQL where the settings name it. With `mask`, no values of queries are kept: neither in the
    facts, nor the text of a file that is about nothing but queries and schemas.
    """
    lines = Lines(data)
    module = module_name(path)
    if failed:
        return ReadFile(lines, chunk_lines(lines, name=module), Outline(), failed)
    try:
        match language.reader:
            case "outline":
                return _read_code(lines, language, module=module, path=path)
            case "markdown" | "restructuredtext" | "notebook":
                return _masked(_read_document(lines, language.reader, module=module, path=path), mask)
            case "sql" | "dbt" | "glossary" | "querylog":
                return _read_schema(lines, language.reader, path=path, dialect=dialect, mask=mask)
    except GrammarMissing as error:
        return ReadFile(lines, chunk_lines(lines, name=module), Outline(), str(error))
    if (queries := read_query_file(lines, language=language.name)) is not None:
        drafts = chunk_outline(lines, queries.outline, module=module)
        return ReadFile(lines, drafts, queries.outline, links=query_links(queries))
    facts = read_code(data, language=language.name, path=path) or NO_FACTS
    is_messages = language.content is Content.CONFIG and is_translation(path)
    max_bytes = MAX_MESSAGES_BYTES if is_messages else MAX_CHUNK_BYTES
    drafts = chunk_lines(lines, name=module, max_bytes=max_bytes)
    links, problem = NO_LINKS, ""
    if language.scripts:
        try:
            links = _component_links(lines, language, path=path)
        except GrammarMissing as error:
            problem = str(error)
    return ReadFile(lines, drafts, Outline(), problem, facts, links)


def module_name(path: str) -> str:
    """Return the name of a file's module: its stem, or its folder's where the stem says nothing."""
    pure = PurePosixPath(path)
    stem = pure.name.split(".", 1)[0] or pure.name
    if stem in {"__init__", "index", "mod", "lib", "main", "init"} and pure.parent.name:
        return f"{pure.parent.name}/{stem}"
    return stem


def _read_code(lines: Lines, language: Language, *, module: str, path: str) -> ReadFile:
    outline, links = read_defines(lines, brief=BRIEF) if language.defines else None, NO_LINKS
    if outline is None:
        parsed = parse_code(lines, language, links=True)
        outline = outline_tree(parsed, split_above=MAX_CHUNK_BYTES, brief=BRIEF)
        links = code_links(parsed, outline, path=path)
    drafts = chunk_outline(lines, outline, module=module)
    facts = read_code(lines.data, language=language.name, path=path) or NO_FACTS
    problem = "syntax errors" if outline.has_error else _problem(facts)
    return ReadFile(lines, drafts, outline, problem, facts, links)


def _component_links(lines: Lines, language: Language, *, path: str) -> Links:
    """Return the links of a component, such as one of Vue."""
    text = script_text(lines.data)
    if not text:
        return NO_LINKS
    parsed = parse_code(Lines(text), languages()[language.scripts], links=True)
    outline = outline_tree(parsed, split_above=MAX_CHUNK_BYTES, brief=BRIEF)
    return component_links(parsed, outline, lines, path=path)


def _read_document(lines: Lines, reader: str, *, module: str, path: str) -> ReadFile:
    if reader == "markdown":
        drafts = chunk_markdown(lines, name=module)
    elif reader == "restructuredtext":
        drafts = chunk_restructuredtext(lines, name=module)
    else:
        try:
            text, cells = notebook_rows(lines.data)
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            problem = f"not a readable notebook: {error}"
            return ReadFile(lines, chunk_lines(lines, name=module), Outline(), problem)
        lines = Lines(text)
        drafts = chunk_notebook(lines, cells, name=module)
    from coderag.catalog.knowledge.documents import read_document
    from coderag.frameworks.dbt.docs import read_docs

    # The facts come from the rows that are kept, so that lines of a notebook's cells are lines of its file.
    facts = read_document(lines.data, path=path, reader=reader)
    if docs := read_docs(lines.data):
        facts = msgspec.structs.replace(facts, operations=(*facts.operations, *docs))
    return ReadFile(lines, drafts, Outline(), _problem(facts), facts, document_links(lines, drafts))


def _read_schema(lines: Lines, reader: str, *, path: str, dialect: str, mask: bool) -> ReadFile:
    """Read a file that is about nothing but schemas."""
    from coderag.catalog.outline import outline_of

    data = lines.data
    if reader == "sql":
        from coderag.sql.ddl.parse_file import parse_file

        facts = parse_file(data, path=path, dialect=dialect)
    elif reader == "dbt":
        from coderag.frameworks.dbt import read_dbt

        facts = read_dbt(data, path=path, dialect=dialect)
    elif reader == "glossary":
        from coderag.catalog.knowledge.glossary import read_glossary

        facts = read_glossary(data, path=path)
    else:
        from coderag.catalog.knowledge.query_log import read_query_log

        facts = read_query_log(data, path=path)
    if mask:
        facts = msgspec.structs.replace(facts, passed=((0, len(lines) - 1),))
    if facts.passed:
        lines = Lines(_blanked(lines, facts.passed))
        facts = msgspec.structs.replace(facts, passed=())
    outline = outline_of(facts, lines)
    drafts = chunk_outline(lines, outline, module=module_name(path))
    return _masked(ReadFile(lines, drafts, outline, _problem(facts), facts), mask)


def _masked(read: ReadFile, mask: bool) -> ReadFile:
    """Return what was read, with `mask` without the values that its queries hold."""
    if not mask or not any(isinstance(operation, AddQuery) for operation in read.facts.operations):
        return read
    from coderag.sql.statements.dialect import GENERIC, find_dialect
    from coderag.sql.statements.masking import mask_literals

    dialect = find_dialect(read.facts.dialect or GENERIC)

    def masked(schema_operation: SchemaOperation) -> SchemaOperation:
        if not isinstance(schema_operation, AddQuery):
            return schema_operation
        return AddQuery(
            msgspec.structs.replace(schema_operation.query, text=mask_literals(schema_operation.query.text, dialect))
        )

    facts = msgspec.structs.replace(read.facts, operations=tuple(map(masked, read.facts.operations)))
    return replace(read, facts=facts)


def _blanked(lines: Lines, passed: tuple[Rows, ...]) -> bytes:
    """Return a text whose rows of data are empty: they are no text to find, and rows keep their numbers."""
    kept: list[bytes] = []
    position = 0
    for first, last in passed:
        kept += [lines.data[position : lines.starts[first]], b"\n" * (last - first + 1)]
        position = lines.ends[last]
    kept.append(lines.data[position:])
    return b"".join(kept)


def _problem(facts: Facts) -> str:
    """Return how many statements of a file could not be read, "" for none; other files may yet have what one lacks."""
    if not facts.unparsed:
        return ""
    from coderag.frameworks.common.shared import awaits_others

    lost = sum(not awaits_others(statement) for statement in facts.unparsed)
    return f"{lost:,} of {max(facts.statements, len(facts.unparsed)):,} statements not read" if lost else ""
