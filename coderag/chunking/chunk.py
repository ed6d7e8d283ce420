"""A file's outline to its chunks: whole functions, the frames of classes and modules, blocks of what is left.

Every line belongs to the innermost chunk around it, so the parts of a file's chunks never overlap, and together they
hold every line that is not blank. Only what exceeds MAX_CHUNK_BYTES is split, where statements begin.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from coderag.syntax.lines import Lines, Rows
from coderag.syntax.outline import CALLABLE, Definition, Outline
from coderag.types import Kind

__all__ = ["MAX_CHUNK_BYTES", "ChunkSpec", "chunk_lines", "chunk_outline", "split_spec"]

MAX_CHUNK_BYTES = 12_000  # 98 % of the functions of Django, Go, OpenJDK and Linux are smaller
MIN_TYPE_ROWS = 3  # a type, constant or macro of fewer rows is no chunk of its own, only a symbol
MIN_CONSTANT_ROWS = 6
MIN_FRAME_ROWS = 3  # a namespace or extension with fewer rows of its own leaves them to what is around it
MIN_BLOCK_ROWS = 8  # code between definitions with fewer rows belongs to the module's chunk
NEVER_ALONE = frozenset({Kind.FIELD})
FRAMES = frozenset({Kind.MODULE, Kind.EXTENSION})
MIN_ROWS = {
    Kind.TYPE: MIN_TYPE_ROWS,
    Kind.MACRO: MIN_TYPE_ROWS,
    Kind.CONSTANT: MIN_CONSTANT_ROWS,
}


class ChunkSpec(NamedTuple):
    """A chunk that is not stored yet; rows are 0-based and inclusive."""

    kind: Kind
    name: str
    qualified_name: str
    first_row: int
    last_row: int
    parts: tuple[Rows, ...]
    parent: int = -1  # position among the file's drafts
    signature: str = ""
    doc: str = ""
    decorators: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()
    definition: int = -1  # position among the outline's definitions
    row: int = -1  # of the definition's name
    continues: bool = False  # a piece of something that was split, without its name


def chunk_outline(lines: Lines, outline: Outline, *, module: str) -> list[ChunkSpec]:
    """Return a file's chunks in order of their first line, a parent before its members."""
    chosen = _choose(outline.definitions)
    owned, rest = _assign_rows(lines, chosen)
    drafts = list(_module_drafts(lines, outline, rest, module=module))
    number = {-1: 0} if drafts and drafts[0].kind is Kind.MODULE else {-1: -1}
    calls = _Calls(outline)
    for position, (parent, first, last) in chosen.items():
        definition = outline.definitions[position]
        parts = owned.get(position, ())
        if not parts:
            continue
        number[position] = len(drafts)
        draft = ChunkSpec(
            kind=definition.kind,
            name=definition.name,
            qualified_name=definition.qualified_name,
            first_row=first,
            last_row=last,
            parts=parts,
            parent=number.get(parent, number[-1]),
            signature=definition.signature,
            doc=definition.doc,
            decorators=definition.decorators,
            calls=calls.within(lines, parts),
            definition=position,
            row=definition.row,
        )
        drafts += split_spec(lines, draft, definition.statement_rows)
    return drafts


def chunk_lines(
    lines: Lines, *, name: str, kind: Kind = Kind.BLOCK, max_bytes: int = MAX_CHUNK_BYTES
) -> list[ChunkSpec]:
    """Return the chunks of a text that no grammar reads: pieces that end at blank lines where they can."""
    part = lines.trim((0, len(lines) - 1))
    if part is None:
        return []
    return split_spec(lines, ChunkSpec(kind, name, name, *part, parts=(part,)), max_bytes=max_bytes)


def _choose(definitions: Sequence[Definition]) -> dict[int, tuple[int, int, int]]:
    """Return the definitions that become chunks: position -> (position of the enclosing one, first row, last row)."""
    chosen: dict[int, tuple[int, int, int]] = {}
    host: list[int] = []  # of each definition: itself or the nearest chosen one around it
    frames = _frames(definitions)
    free_row: dict[int, int] = {}  # of each chosen one: the first row that no member has taken
    for position, definition in enumerate(definitions):
        around = host[definition.parent] if definition.parent >= 0 else -1
        host.append(around)
        if position not in frames and not _stands_alone(definition, definitions[around] if around >= 0 else None):
            continue
        if position in frames and not frames[position]:
            continue
        start = max(definition.first_row, free_row.get(around, 0))
        if around >= 0:
            start = max(start, definitions[around].row + 1)
        if start > definition.row or start > definition.last_row:
            continue  # it begins on a line that another definition has taken
        chosen[position] = around, start, definition.last_row
        free_row[around] = definition.last_row + 1
        host[position] = position
    return chosen


def _stands_alone(definition: Definition, around: Definition | None) -> bool:
    if definition.kind in NEVER_ALONE:
        return False
    rows = definition.last_row - definition.first_row + 1
    if rows < MIN_ROWS.get(definition.kind, 1):
        return False
    if around is not None and around.kind in CALLABLE:
        return around.end_byte - around.start_byte > MAX_CHUNK_BYTES
    return True


def _frames(definitions: Sequence[Definition]) -> dict[int, bool]:
    """Tell for each namespace and extension whether it has enough rows of its own to be a chunk."""
    own = {
        position: definition.last_row - definition.first_row + 1
        for position, definition in enumerate(definitions)
        if definition.kind in FRAMES
    }
    for definition in definitions:
        if definition.parent in own and definition.kind not in NEVER_ALONE:
            own[definition.parent] -= definition.last_row - definition.first_row + 2  # and the blank line around it
    return {position: rows >= MIN_FRAME_ROWS for position, rows in own.items()}


def _assign_rows(
    lines: Lines, chosen: dict[int, tuple[int, int, int]]
) -> tuple[dict[int, tuple[Rows, ...]], list[Rows]]:
    """Give each row to the innermost chunk: the parts of each chosen definition, and the runs left to the module."""
    members: dict[int, list[Rows]] = {}
    for around, first, last in chosen.values():
        members.setdefault(around, []).append((first, last))
    owned = {
        position: tuple(_gaps(lines, (first, last), members.get(position, ())))
        for position, (_, first, last) in chosen.items()
    }
    return owned, list(_gaps(lines, (0, len(lines) - 1), members.get(-1, ())))


def _gaps(lines: Lines, whole: Rows, members: Sequence[Rows]) -> Iterator[Rows]:
    """Yield the rows of `whole` outside its members, without blank ends."""
    row = whole[0]
    for first, last in (*members, (whole[1] + 1, whole[1])):
        if first > row and (part := lines.trim((row, min(first - 1, whole[1])))) is not None:
            yield part
        row = max(row, last + 1)


def _module_drafts(lines: Lines, outline: Outline, runs: list[Rows], *, module: str) -> Iterator[ChunkSpec]:
    """Yield the module's chunk, made of its first run and of the small ones, then a block for each larger run."""
    if not runs:
        return
    large = [run for run in runs[1:] if run[1] - run[0] + 1 >= MIN_BLOCK_ROWS]
    small = tuple(run for run in runs if run not in set(large))
    calls = _Calls(outline)
    yield from split_spec(
        lines,
        ChunkSpec(
            kind=Kind.MODULE,
            name=module,
            qualified_name=module,
            first_row=small[0][0],
            last_row=small[0][1],
            parts=small,
            doc=outline.doc,
            calls=calls.within(lines, small),
        ),
    )
    for run in large:
        block = ChunkSpec(Kind.BLOCK, module, module, *run, parts=(run,), calls=calls.within(lines, (run,)))
        yield from split_spec(lines, block)


def split_spec(
    lines: Lines, draft: ChunkSpec, statement_rows: Sequence[int] = (), *, max_bytes: int = MAX_CHUNK_BYTES
) -> list[ChunkSpec]:
    """Return the draft, in pieces when it is too large: cut before statements, or after blank rows if none is known."""
    if sum(map(lines.size, draft.parts)) <= max_bytes:
        return [draft]
    statement_rows = statement_rows or [
        row + 1 for first, last in draft.parts for row in range(first, last) if lines.is_blank(row)
    ]
    pieces = list(_pieces(lines, draft.parts, statement_rows, max_bytes))
    if len(pieces) == 1:
        return [draft]
    # The piece with the name stands for the definition: a long comment may fill those before it.
    named = next((at for at, parts in enumerate(pieces) if any(a <= draft.row <= b for a, b in parts)), 0)
    return [
        draft._replace(first_row=parts[0][0], last_row=parts[-1][1], parts=parts, continues=at != named)
        for at, parts in enumerate(pieces)
    ]


def _pieces(
    lines: Lines, parts: Sequence[Rows], statement_rows: Sequence[int], max_bytes: int
) -> Iterator[tuple[Rows, ...]]:
    """Yield groups of parts of about the same size, none above the limit unless one row alone is."""
    size = sum(map(lines.size, parts))
    target = size // -(-size // max_bytes) + 1
    group: list[Rows] = []
    filled = 0
    for part in parts:
        for piece in _cut(lines, part, statement_rows, target):
            if group and filled + lines.size(piece) > max_bytes:
                yield tuple(group)
                group, filled = [], 0
            group.append(piece)
            filled += lines.size(piece)
    if group:
        yield tuple(group)


def _cut(lines: Lines, part: Rows, statement_rows: Sequence[int], target: int) -> Iterator[Rows]:
    """Yield a part in pieces of at most `target` bytes, cut before a statement where there is one."""
    first, last = part
    while lines.size((first, last)) > target and first < last:
        end = max(bisect_right(lines.ends, lines.starts[first] + target) - 1, first)  # last row that still fits
        position = bisect_right(statement_rows, end + 1) - 1
        if position >= 0 and statement_rows[position] > first:
            end = statement_rows[position] - 1
        if end >= last:
            break
        if (piece := lines.trim((first, end))) is not None:
            yield piece
        first = end + 1
    if (piece := lines.trim((first, last))) is not None:
        yield piece


class _Calls:
    """The calls of a file, by where they stand."""

    def __init__(self, outline: Outline) -> None:
        self._calls = outline.calls
        self._starts = [call.start_byte for call in outline.calls]

    def within(self, lines: Lines, parts: Sequence[Rows]) -> tuple[str, ...]:
        """Return the names called in some rows, each once, in order."""
        names: dict[str, None] = {}
        for first, last in parts:
            begin = bisect_left(self._starts, lines.starts[first])
            end = bisect_left(self._starts, lines.ends[last], lo=begin)
            names.update(dict.fromkeys(call.name for call in self._calls[begin:end]))
        return tuple(names)
