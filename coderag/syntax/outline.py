"""A file's captures to its outline: definitions with their documentation and extent, imports and calls."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tree_sitter import Node

from coderag.syntax import grammar
from coderag.syntax.captures import Captures, Found, sort_captures
from coderag.syntax.language import Language
from coderag.syntax.lines import Lines
from coderag.syntax.parsed import Parsed, parse_code
from coderag.text.comments import doc_summary
from coderag.types import Kind

__all__ = [
    "CALLABLE",
    "Call",
    "Definition",
    "Import",
    "Outline",
    "head_doc",
    "outline_tree",
    "read_outline",
    "signature_line",
    "summary",
]

SIGNATURE_CHARS = 300
NAME_CHARS = 1000  # a test may be named by a sentence, nothing by more
CALLABLE = frozenset({Kind.FUNCTION, Kind.METHOD})
TYPE_LIKE = frozenset({Kind.CLASS, Kind.INTERFACE, Kind.TRAIT, Kind.STRUCT, Kind.ENUM, Kind.TYPE, Kind.EXTENSION})
KINDS = {str(kind): kind for kind in Kind}
IDENTIFIER = re.compile(r"[^\W\d]\w*")
SPACE = re.compile(r"\s+")
TYPE_ARGUMENTS = re.compile(r"<[^<>]*>|\[[^\[\]]*\]")


class Definition(NamedTuple):
    """A definition of a file; rows are 0-based and inclusive, bytes count from the start of the file."""

    name: str
    qualified_name: str
    kind: Kind
    parent: int  # index of the enclosing definition, -1 at the top
    first_row: int  # with its decorators and leading comment
    row: int  # of the name
    last_row: int
    start_byte: int
    end_byte: int
    signature: str
    doc: str  # the summary
    decorators: tuple[str, ...]
    statement_rows: tuple[int, ...]  # where it may be split; only of a callable beyond the size asked for


class Import(NamedTuple):
    """An import statement and the names in it."""

    row: int
    last_row: int
    names: frozenset[str]


class Call(NamedTuple):
    """A called name and where it stands."""

    start_byte: int
    name: str


@dataclass(frozen=True, slots=True)
class Outline:
    """What a file defines, in order of appearance; a parent comes before its members."""

    definitions: tuple[Definition, ...] = ()
    imports: tuple[Import, ...] = ()
    calls: tuple[Call, ...] = ()
    doc: str = ""
    has_error: bool = False


def read_outline(
    lines: Lines, language: Language, *, split_above: int, brief: frozenset[Kind] = frozenset()
) -> Outline:
    """Return the outline of UTF-8 text.

    A callable of more than `split_above` bytes also gets the rows on which its statements begin; one of a kind in
    `brief`, on a row of its own with nothing above, gets its names and rows only.
    Raises grammar.GrammarMissing.
    """
    return outline_tree(parse_code(lines, language), split_above=split_above, brief=brief)


def outline_tree(parsed: Parsed, *, split_above: int, brief: frozenset[Kind] = frozenset()) -> Outline:
    """Return the outline of a text that is parsed, as `read_outline` does."""
    lines, language, has_error = parsed.lines, parsed.language, parsed.has_error
    captures = sort_captures(grammar.reader(language).match(parsed.tree) if parsed.tags is None else parsed.tags)
    leads = _Leads(lines, captures)
    definitions = _Definitions(lines, captures, leads, language=language, split_above=split_above, brief=brief).all()
    return Outline(
        definitions=tuple(definitions),
        imports=tuple(
            Import(node.start_point[0], _last_row(node), frozenset(IDENTIFIER.findall(_text(lines, node))))
            for node in captures.imports
        ),
        calls=tuple(_calls(lines, captures, language)),
        doc=_module_doc(lines, captures, definitions),
        has_error=has_error,
    )


def _calls(lines: Lines, captures: Captures, language: Language) -> list[Call]:
    """Return the calls in order; a grammar may read `function f(x)` as a call of f too."""
    names, data, not_calls = captures.found.keys(), lines.data, language.not_calls
    starts = {node.start_byte: node.end_byte for node in captures.calls}
    calls = [
        Call(start, data[start:end].decode("utf-8", "replace")) for start, end in starts.items() if start not in names
    ]
    calls.sort()
    return [call for call in calls if call.name not in not_calls] if not_calls else calls


class Lead(NamedTuple):
    """A comment, decorator or documentation node, which may belong to a definition below or behind it."""

    row: int
    start: int
    end: int
    last_row: int
    is_decorator: bool


class _Leads:
    """The comments, decorators and documentation nodes of a file, by where they end."""

    def __init__(self, lines: Lines, captures: Captures) -> None:
        self._lines = lines
        self._by_row: dict[int, list[Lead]] = {}
        self._decorators: dict[int, Lead] = {}  # by last byte
        for nodes, is_decorator in ((captures.comments, False), (captures.docs, False), (captures.decorators, True)):
            for node in nodes:
                last = _last_row(node)
                lead = Lead(node.start_point[0], node.start_byte, node.end_byte, last, is_decorator)
                self._by_row.setdefault(last, []).append(lead)
                if is_decorator:
                    self._decorators[lead.end] = lead

    def above(self, row: int, start: int, *, same_row: bool) -> tuple[int, list[Lead]]:
        """Return what belongs to a definition that begins at `start` in `row`: its first row, and the leads in order.

        Decorators may stand on the definition's own row, everything else only on rows of its own directly above;
        with `same_row` nothing above counts, because it belongs to another definition on this row.
        """
        found: list[Lead] = []
        while self._decorators and (near := self._decorator_before(row, start)) is not None:
            found.append(near)
            row, start = near.row, near.start
        while not same_row and (leads := self._by_row.get(row - 1)) is not None:
            first = leads[0] if len(leads) == 1 else min(leads)
            if not self._fill_rows(leads, first):
                break
            found += leads if len(leads) == 1 else sorted(leads, reverse=True)
            row = first.row
        return row, found[::-1]

    def end_above(self, row: int) -> bool:
        """Tell whether a comment, decorator or documentation node ends on the row above."""
        return row - 1 in self._by_row

    def _fill_rows(self, leads: list[Lead], first: Lead) -> bool:
        """Tell whether some leads are all that their rows hold."""
        lines = self._lines
        if len(leads) == 1:
            return lines.fills_rows(first.start, first.end, (first.row, first.last_row))
        rest = lines.data[lines.starts[first.row] : lines.ends[first.last_row]]
        for lead in leads:
            begin = lead.start - lines.starts[first.row]
            rest = rest[:begin] + b" " * (lead.end - lead.start) + rest[begin + lead.end - lead.start :]
        return not rest.strip()

    def _decorator_before(self, row: int, start: int) -> Lead | None:
        line = self._lines.starts[row]
        text = self._lines.data[line:start].rstrip()
        return self._decorators.get(line + len(text)) if text else None


class _Definitions:
    """The definitions of a file, from what its query found."""

    def __init__(
        self,
        lines: Lines,
        captures: Captures,
        leads: _Leads,
        *,
        language: Language,
        split_above: int,
        brief: frozenset[Kind],
    ) -> None:
        self._lines = lines
        self._leads = leads
        self._language = language
        self._split_above = split_above
        self._brief = brief
        kept = [one for one in captures.found.values() if _may_be_called_so(lines, one, language)]
        self._found = sorted(kept, key=lambda one: (one.start, -one.end, one.name.start_byte))
        self._docs = _docs_inside(self._found, captures.docs)
        self._comments = [(node.start_byte, node.end_byte) for node in captures.comments]
        self._inside = sorted(captures.decorators, key=lambda node: node.start_byte)
        self._next_inside = 0
        self._made: list[Definition] = []

    def all(self) -> list[Definition]:
        """Return the definitions in order of appearance."""
        around: list[tuple[Found, int, str]] = []  # the enclosing ones: index of the definition, qualified name
        last_row = -1
        for position, found in enumerate(self._found):
            while around and (around[-1][0].end <= found.start or around[-1][0].outer == found.outer):
                around.pop()
            _, parent, prefix = around[-1] if around else (None, -1, "")
            name = _clean_name(_text(self._lines, found.name), self._language)
            scope = self._scope(found) if found.scopes else ""
            qualified = self._language.separator.join(filter(None, (prefix, scope, name))) if prefix or scope else name
            row = found.outer.start_point[0]
            if found.kind:
                self._add(position, found, row, parent=parent, names=(name, qualified, scope), same_row=row == last_row)
                parent = len(self._made) - 1
                last_row = row
            around.append((found, parent, qualified))
        return _joined_clauses(self._made) if self._language.clauses else self._made

    def _scope(self, one: Found) -> str:
        """Return the qualifier that a definition itself writes."""
        scopes = {node.start_byte: node for node in one.scopes}
        return self._language.separator.join(_clean_scope(_text(self._lines, scopes[at])) for at in sorted(scopes))

    def _add(
        self, position: int, one: Found, row: int, *, parent: int, names: tuple[str, str, str], same_row: bool
    ) -> None:
        name, qualified, scope = names
        lines = self._lines
        kind = KINDS[one.kind]
        if kind in self._brief and _last_row(one.outer) == row and not self._leads.end_above(row):
            self._made.append(
                Definition(name, qualified, kind, parent, row, row, row, one.start, one.end, "", "", (), ())
            )
            return
        first_row, leads = self._leads.above(row, one.start, same_row=same_row)
        decorators = [(lead.start, lead.end) for lead in leads if lead.is_decorator]
        decorators += self._decorators_inside(one)
        docs = [(node.start_byte, node.end_byte) for node in (*one.docs, *self._docs.get(position, ()))]
        docs = docs or [(lead.start, lead.end) for lead in leads if not lead.is_decorator]
        if kind is Kind.FUNCTION and (scope or (parent >= 0 and self._made[parent].kind in TYPE_LIKE)):
            kind = Kind.METHOD
        self._made.append(
            Definition(
                name=name,
                qualified_name=qualified,
                kind=kind,
                parent=parent,
                first_row=first_row,
                row=one.name.start_point[0],
                last_row=max(_last_row(one.outer), _last_row(one.body) if one.body is not None else 0),
                start_byte=one.start,
                end_byte=one.end,
                signature=self._signature(one, kind, decorators),
                doc=summary([lines.text_of(start, end) for start, end in docs]),
                decorators=tuple(SPACE.sub(" ", lines.text_of(start, end)) for start, end in decorators),
                statement_rows=_statement_rows(one.outer, self._split_above) if self._is_large(one, kind) else (),
            )
        )

    def _is_large(self, one: Found, kind: Kind) -> bool:
        return one.end - one.start > self._split_above and kind in CALLABLE

    def _decorators_inside(self, one: Found) -> list[tuple[int, int]]:
        """Return the decorators between a definition's first byte and its name."""
        inside, position = self._inside, self._next_inside
        while position < len(inside) and inside[position].start_byte < one.start:
            position += 1
        begin, name = position, one.name.start_byte
        while position < len(inside) and inside[position].start_byte < name:
            position += 1
        self._next_inside = position
        return [(node.start_byte, node.end_byte) for node in inside[begin:position]]

    def _signature(self, one: Found, kind: Kind, decorators: list[tuple[int, int]]) -> str:
        """Return a definition up to its body, on one line, without comments and the decorators that begin it."""
        start, end = one.start, one.inner.end_byte
        body = one.body or next(filter(None, map(one.inner.child_by_field_name, self._language.body_fields)), None)
        if body is not None:
            end = body.start_byte
        data = self._lines.data
        for first, last in decorators:
            if start <= first and not data[start:first].strip():
                start = last
        raw = data[start : min(end, start + 4 * SIGNATURE_CHARS)]
        at = bisect_left(self._comments, (start, 0))
        while at < len(self._comments) and self._comments[at][0] < start + len(raw):
            first, last = self._comments[at]
            raw = raw[: first - start] + b" " * (last - first) + raw[last - start :]
            at += 1
        text = raw.decode("utf-8", "replace").strip()
        if body is None and kind not in CALLABLE:
            text = text.partition("\n")[0]
        return signature_line(text)


def _may_be_called_so(lines: Lines, one: Found, language: Language) -> bool:
    """Tell whether the name of a definition is one, and not a keyword that broken text has in its place."""
    return not language.reserved or one.kind == Kind.MACRO or _text(lines, one.name) not in language.reserved


def signature_line(text: str) -> str:
    """Return a definition without its body as a signature: on one line, and cut where it is too long."""
    text = SPACE.sub(" ", text).rstrip("{:=; ")
    return text if len(text) <= SIGNATURE_CHARS else text[: SIGNATURE_CHARS - 1] + "…"


def _joined_clauses(definitions: list[Definition]) -> list[Definition]:
    """Return the definitions with neighbours of one name made one: a signature and the equations that follow it."""
    joined: list[Definition] = []
    index: list[int] = []  # of each definition, where it is now
    for definition in definitions:
        parent = index[definition.parent] if definition.parent >= 0 else -1
        last = joined[-1] if joined else None
        if last is not None and (last.qualified_name, last.parent) == (definition.qualified_name, parent):
            rows = (*last.statement_rows, definition.first_row, *definition.statement_rows)
            joined[-1] = last._replace(
                kind=definition.kind,
                last_row=definition.last_row,
                end_byte=definition.end_byte,
                doc=last.doc or definition.doc,
                statement_rows=rows,
            )
        else:
            joined.append(definition._replace(parent=parent))
        index.append(len(joined) - 1)
    return joined


def _docs_inside(found: list[Found], docs: list[Node]) -> dict[int, list[Node]]:
    """Give each documentation node to the innermost definition around it."""
    inside: dict[int, list[Node]] = {}
    around: list[int] = []
    position = 0
    for node in sorted(docs, key=lambda node: node.start_byte):
        while position < len(found) and found[position].start <= node.start_byte:
            around.append(position)
            position += 1
        while around and found[around[-1]].end < node.end_byte:
            around.pop()
        if around:
            inside.setdefault(around[-1], []).append(node)
    return inside


def _module_doc(lines: Lines, captures: Captures, definitions: Sequence[Definition]) -> str:
    """Return the summary of what documents a file: a docstring before its definitions, or a comment at its head."""
    first = min((definition.start_byte for definition in definitions), default=len(lines.data))
    for node in captures.docs[:1]:
        if node.end_byte <= first:
            return summary([_text(lines, node)])
    taken = min((definition.first_row for definition in definitions), default=len(lines))
    return head_doc(((node.start_point[0], _last_row(node), _text(lines, node)) for node in captures.comments), taken)


def head_doc(comments: Iterable[tuple[int, int, str]], taken: int) -> str:
    """Return the summary of the comments at a file's head, given the rows and text of each in order.

    Those from the row `taken` on belong to a definition.
    """
    texts: list[str] = []
    next_row = 2  # a comment counts from the third row at the latest: after a "#!" line and a blank one
    for row, last_row, text in comments:
        if row > next_row:
            # A licence notice has no summary; what documents the file may be the next comment.
            if row > next_row + 1 or summary(texts):
                break
            texts = []
        if row >= taken:
            break
        texts.append(text)
        next_row = last_row + 1
    return summary(texts)


def _statement_rows(node: Node, split_above: int) -> tuple[int, ...]:
    """Return the rows on which statements begin, at any depth at which a node exceeds `split_above` bytes."""
    rows = set()
    large = [node]
    while large:
        for child in large.pop().named_children:
            rows.add(child.start_point[0])
            if child.end_byte - child.start_byte > split_above:
                large.append(child)
    return tuple(sorted(rows))


def summary(texts: list[str]) -> str:
    """Return the first sentence of comments that follow each other, "" for none."""
    return doc_summary("\n".join(text.rstrip("\n") for text in texts)) if texts else ""


def _text(lines: Lines, node: Node) -> str:
    return lines.text_of(node.start_byte, node.end_byte)


def _last_row(node: Node) -> int:
    row, column = node.end_point
    return row - 1 if column == 0 and row > node.start_point[0] else row  # some grammars include the line end


def _clean_name(text: str, language: Language) -> str:
    if text.isidentifier() and len(text) <= NAME_CHARS:
        return text
    text = SPACE.sub(" ", text).strip()[:NAME_CHARS]
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'`":
        text = text[1:-1]
    return text.strip(language.name_strip) if language.name_strip else text


def _clean_scope(text: str) -> str:
    """Return `Server` for `*Server[T]`, without type arguments and signs of reference."""
    while (shorter := TYPE_ARGUMENTS.sub("", text)) != text:
        text = shorter
    return text.strip("*&() \t")
