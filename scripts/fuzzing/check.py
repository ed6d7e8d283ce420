"""What workers returned of some inputs to what is wrong with it: nothing, as long as coderag holds its promises."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from coderag.catalog.fold import fold
from coderag.errors import CoderagError
from coderag.files.decode import decode
from coderag.files.privacy.secrets.masking import mask_secrets
from coderag.files.walk import Skipped, SkipReason
from coderag.index.catalog.arrays import catalog_arrays
from coderag.index.storage.columns import BLOCK_BYTES, SYMBOL_FIELDS, Columns, FileRow
from coderag.index.storage.schema_operations import inflate_facts
from coderag.sql.records import Facts, SchemaFile
from coderag.sql.settings import Settings
from coderag.sql.statements.dialect import dialects
from coderag.sql.statements.split import split
from coderag.syntax.language import languages
from coderag.syntax.lines import Lines

__all__ = ["Finding", "Verdict", "judge"]

TRANSLATED = frozenset({"notebook"})  # whose text is made of what stands in the file
BLANKED = frozenset({"sql", "dbt", "glossary", "querylog"})  # where rows of data are left out of the text
DEATHS = ("reading it crashed the parser", "reading it did not end", "reading it took more", "the process that read it")
RAISED = "reading it failed"


@dataclass(frozen=True, slots=True)
class Finding:
    """An input with which something is wrong."""

    path: str
    what: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of some inputs: how many were read, how many left out, what took a worker, and what is wrong."""

    read: int
    skipped: int
    deaths: tuple[Finding, ...]  # survived: the file was read as lines or left out, and is reported
    failures: tuple[Finding, ...]


def judge(inputs: Mapping[str, bytes], columns: Columns, skipped: Sequence[Skipped]) -> Verdict:
    """Compare what workers returned with the inputs, by path, and with what must hold."""
    deaths: list[Finding] = []
    failures: list[Finding] = []
    known = [row.path for row in columns.files] + [one.path for one in skipped]
    failures += [Finding(path, "it is neither read nor skipped") for path in sorted(inputs.keys() - set(known))]
    for path, reason in [(row.path, row.problem) for row in columns.files] + [
        (one.path, one.detail) for one in skipped if one.reason is SkipReason.UNREADABLE
    ]:
        if reason.startswith(DEATHS):
            deaths.append(Finding(path, reason))
        elif reason.startswith(RAISED):
            failures.append(Finding(path, reason))
    told: list[SchemaFile] = []
    for number, what in _columns_wrong(inputs, columns, told):
        failures.append(Finding(columns.files[number].path, what))
    failures += _unfolded(told)
    return Verdict(len(columns.files), len(skipped), tuple(deaths), tuple(dict.fromkeys(failures)))


def _columns_wrong(inputs: Mapping[str, bytes], columns: Columns, told: list[SchemaFile]) -> Iterator[tuple[int, str]]:
    """Yield what is wrong with each file, by number; `told` gets what each tells of schemas."""
    chunks, parts = columns.chunks.tolist(), columns.parts.tolist()
    symbols = columns.symbols.tolist()
    block = part = chunk = symbol = 0
    for number, row in enumerate(columns.files):
        count = -(-row.text_bytes // BLOCK_BYTES)
        text = b"".join(map(zlib.decompress, columns.blocks[block : block + count]))
        block += count
        lines = Lines(text)
        yield from ((number, what) for what in _text_wrong(_text(inputs, row), lines, row.language))
        first = chunk
        owned: list[list[int]] = []
        while chunk < len(chunks) and chunks[chunk][0] == number:
            owned += parts[part : part + chunks[chunk][5]]
            yield from ((number, what) for what in _chunk_wrong(chunks[chunk], columns.chunk_names[chunk], lines))
            if not -1 <= chunks[chunk][4] < chunk or -1 < chunks[chunk][4] < first:
                yield number, f"the parent of chunk {chunk - first} is {chunks[chunk][4] - first}"
            part += chunks[chunk][5]
            chunk += 1
        yield from ((number, what) for what in _cover_wrong(owned, lines))
        while symbol < len(symbols) and first <= symbols[symbol][0] < chunk:
            named = dict(zip(SYMBOL_FIELDS, symbols[symbol], strict=True))
            if named["first_row"] < 0 or not 1 <= named["rows"] <= len(lines) - named["first_row"]:
                yield number, f"a symbol begins in row {named['first_row']} and has {named['rows']} of {len(lines)}"
            symbol += 1
        facts = inflate_facts(columns.facts[number])
        yield from ((number, what) for what in _facts_wrong(facts, len(lines)))
        yield from ((number, what) for what in _statements_wrong(_text(inputs, row), row.language, facts))
        told.append(SchemaFile(row.path, facts))
    if (block, chunk, part, symbol) != (len(columns.blocks), len(chunks), len(parts), len(symbols)):
        yield len(columns.files) - 1, "there are more blocks, chunks, parts or symbols than the files have"
    if len(columns.posting_docs) and int(columns.posting_docs.max()) >= len(chunks):
        yield len(columns.files) - 1, "a posting points behind the chunks"


def _text(inputs: Mapping[str, bytes], row: FileRow) -> bytes:
    """Return the text of an input as readers get it."""
    decoded = decode(inputs[row.path], language=row.language)
    return b"" if isinstance(decoded, SkipReason) else mask_secrets(decoded.data, path=row.path).data


def _text_wrong(text: bytes, lines: Lines, language: str) -> Iterator[str]:
    """Yield where the text that was indexed is not the file's."""
    reader = languages()[language].reader
    if reader in TRANSLATED:
        return
    if len(lines) != (count := len(Lines(text))):
        yield f"the text has {len(lines)} rows, the file {count}"
    elif reader not in BLANKED and lines.data != text:
        kept, rows = lines.data.split(b"\n"), text.split(b"\n")
        row = next((row for row, one in enumerate(kept) if one != rows[row]), 0)
        yield f"row {row} is {kept[row][:60]!r} in the text, {rows[row][:60]!r} in the file"


def _chunk_wrong(chunk: Sequence[int], name: str, lines: Lines) -> Iterator[str]:
    _, _, first, last, _, parts, name_bytes, _ = chunk
    if not 0 <= first <= last < len(lines):
        yield f"a chunk has the rows {first} to {last} of {len(lines)}"
    if parts < 1:
        yield "a chunk has no parts"
    if name_bytes > len(name.encode("utf-8", "surrogateescape")):
        yield f"the name of a chunk is longer than its qualified name {name[:60]!r}"


def _cover_wrong(parts: Sequence[Sequence[int]], lines: Lines) -> Iterator[str]:
    """Yield where chunks overlap, leave a line out, or point at other bytes than their rows'."""
    held = bytearray(len(lines))
    for first, last, start, end in parts:
        if not 0 <= first <= last < len(lines):
            yield f"a part has the rows {first} to {last} of {len(lines)}"
            return
        if (start, end) != (lines.starts[first], lines.ends[last]):
            yield f"the part of the rows {first} to {last} has the bytes {start} to {end}"
        if any(held[first : last + 1]):
            yield f"two chunks hold one of the rows {first} to {last}"
        held[first : last + 1] = b"\1" * (last + 1 - first)
    for row, there in enumerate(held):
        if not there and not lines.is_blank(row):
            yield f"no chunk holds row {row}"
            return


def _facts_wrong(facts: Facts, rows: int) -> Iterator[str]:
    """Yield where what a file tells of schemas points outside it."""
    for source in _sources(msgspec.to_builtins(facts.operations)):
        first, last = source.get("start_line", 0), source.get("end_line", 0)
        if not 0 <= first <= last <= rows:
            yield f"something of a schema has the lines {first} to {last} of {rows}"
    for lost in facts.unparsed:
        if not 0 <= lost.line <= rows:
            yield f"what is lost has the line {lost.line} of {rows}"


def _sources(value: object) -> Iterator[dict[str, int]]:
    """Yield every place that is named anywhere in some records."""
    left = [value]
    while left:
        one = left.pop()
        if isinstance(one, dict):
            if "start_line" in one or "end_line" in one:
                yield one
            left += one.values()
        elif isinstance(one, (list, tuple)):
            left += one


def _statements_wrong(data: bytes, language: str, facts: Facts) -> Iterator[str]:
    """Yield where the statements of SQL do not follow each other, or have other rows than their bytes."""
    if languages()[language].reader != "sql" or facts.dialect not in dialects():
        return
    at = row = 0
    for one in split(data, dialects()[facts.dialect]):
        if not at <= one.start < one.end <= len(data):
            yield f"a statement has the bytes {one.start} to {one.end}, after one that ends at {at}"
            return
        row += data.count(b"\n", at, one.start)
        rows = row, row + data.count(b"\n", one.start, one.end - 1)
        if (one.first_row, one.last_row) != rows:
            yield f"a statement has the rows {one.first_row} to {one.last_row}, its bytes {rows[0]} to {rows[1]}"
        row += data.count(b"\n", one.start, one.end)
        at = one.end


def _unfolded(told: Sequence[SchemaFile]) -> list[Finding]:
    """Return what cannot be folded into a schema: an exception there would end a build."""
    try:
        catalog_arrays(fold(told, Settings()), None)
        return []
    except CoderagError as error:
        return [Finding("", f"folding is refused: {error}")]
    except Exception as error:  # noqa: BLE001  # to find those is what this is for
        alone = [one for one in told if _fails_alone(one)]
        what = f"folding fails: {type(error).__name__}: {error}"
        return [Finding(one.path, what) for one in alone] or [Finding(told[-1].path, f"{what} (of several files)")]


def _fails_alone(file: SchemaFile) -> bool:
    try:
        catalog_arrays(fold([file], Settings()), None)
    except Exception:  # noqa: BLE001
        return True
    return False
