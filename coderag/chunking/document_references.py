"""The names that a document marks as code, and the files of code that it leads to.

Marked are inline code (Markdown's and reStructuredText's), roles and object directives of Sphinx. Fenced and literal
blocks are examples, and prose is prose: neither names anything. The path of a file has a slash, "./" where there is
no other, and is relative to the document, or to the root.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple
from urllib.parse import unquote

from coderag.chunking.chunk import ChunkSpec
from coderag.syntax.language import detect
from coderag.syntax.lines import Lines
from coderag.syntax.references.records import FileReferences, Reference, Role
from coderag.types import Content

__all__ = ["document_references"]

MAX_ROW_BYTES = 20_000  # a longer row is data
MAX_SPAN = 200  # signs of a name that somebody would write in a sentence
FENCE = re.compile(r"[ \t>]{0,40}(`{3,}|~{3,})")
TICKS = re.compile(r"`+")
ROLE = re.compile(r":((?:[a-z]{1,10}:)?[a-z]{1,20}):$")
LINK = re.compile(r"\]\(<?([^)>\s]{1,400})")
DEFINED_LINK = re.compile(r"[ ]{0,3}\[[^\]]{1,200}\]:[ \t]{0,8}<?([^>\s]{1,400})")
DIRECTIVE = re.compile(r"([ \t]{0,80})\.\. ([a-z]{1,10}:)?([a-z-]{1,30})::[ \t]{0,8}(\S.{0,400})?$")
NAME = re.compile(
    r"[~!@.$&*:]{0,2}((?:[^\W\d][\w$]{0,80}[?!]?(?:\.|::|->|\\|#)){0,12})"  # what stands before the name
    r"([^\W\d][\w$]{0,80}[?!]?)"
    r"(?:<[^<>]{0,80}>|\[[^\[\]]{0,80}\])?"  # generics
    r"(\(.*\))?(?:/\d{1,2})?$",  # arguments; the arity of Elixir
    re.DOTALL,
)
PATH = re.compile(r"[\w@.+~-]{1,100}(?:/[\w@.+-]{1,100}){0,20}$")

# Roles whose content is a name of code: those of Sphinx' domains.
ROLES = frozenset(
    "func function class meth method mod module attr attribute data const exc exception obj any type member enum "
    "struct macro var expr code py".split()
)
# Directives that describe a definition, and those that hold literal text.
OBJECTS = frozenset(
    "function class method attribute data exception decorator staticmethod classmethod property module type enum "
    "struct macro member decoratormethod autofunction autoclass automethod autoattribute automodule autodata "
    "autoexception autoproperty autodecorator".split()
)
HOLDING = frozenset({"class", "exception", "autoclass", "autoexception", "struct", "enum"})
MODULES = frozenset({"module", "currentmodule", "automodule"})
LITERAL = frozenset(
    "code code-block sourcecode parsed-literal literalinclude testcode testsetup doctest console math raw "
    "productionlist graphviz highlight".split()
)
NO_NAMES = frozenset("true false null none None True False nil self this cls undefined void super".split())
FULL_NAME = 3  # signs of a lower-case word that may be a name


class Scope(NamedTuple):
    """A directive that describes a type: what lies deeper belongs to it."""

    indent: int
    name: str


def document_references(lines: Lines, drafts: Sequence[ChunkSpec]) -> FileReferences:
    """Return what the sections of a document name as code; owners are positions among the drafts."""
    if b"`" not in lines.data and b"](" not in lines.data and b"::" not in lines.data:
        return FileReferences()
    starts = [draft.first_row for draft in drafts]
    found: dict[tuple[int, str, str], Reference] = {}
    for row, receiver, name in _named(lines):
        at = bisect_right(starts, row) - 1
        owner = at if at >= 0 and row <= drafts[at].last_row else -1
        found.setdefault((owner, receiver, name), Reference(row, owner, Role.DOCUMENT, name, receiver))
    return FileReferences(mentions=tuple(found.values()))


def _named(lines: Lines) -> Iterator[tuple[int, str, str]]:
    """Yield row, receiver and name of what is marked as code."""
    directives = _Directives()
    for row, text in _prose(lines):
        if "::" in text and (directive := DIRECTIVE.match(text)) is not None:
            yield from ((row, *one) for one in directives.names(directive))
        if "`" in text:
            for name in _spans(text):
                yield row, *name
        if "](" in text or "]:" in text:
            for link in (*LINK.findall(text), *DEFINED_LINK.findall(text)):
                if (path := _linked_file(link)) is not None:
                    yield row, "", path


def _prose(lines: Lines) -> Iterator[tuple[int, str]]:
    """Yield the rows outside of fenced and literal blocks, with their text.

    a, ```, b, ```, c    -> (0, "a"), (4, "c")
    See::, (blank),   b  -> (0, "See::")
    """
    fence = ""
    deeper_than: int | None = None  # a literal block lasts as long as rows are
    for row in range(len(lines)):
        start, end = lines.starts[row], lines.ends[row]
        if end - start > MAX_ROW_BYTES:
            continue
        text = lines.data[start:end].decode("utf-8", "replace").rstrip()
        if not text:
            continue
        fenced = "```" in text or "~~~" in text
        if fenced and (mark := FENCE.match(text)) is not None and not (not fence and "`" in text[mark.end() :]):
            if not fence:
                fence = mark[1]
            elif mark[1].startswith(fence) and not text.strip(" `~>\t"):
                fence = ""
            continue
        if fence:
            continue
        indent = len(text) - len(text.lstrip())
        if deeper_than is not None:
            if indent > deeper_than:
                continue
            deeper_than = None
        if "::" in text:
            directive = DIRECTIVE.match(text)
            if directive[3] in LITERAL if directive is not None else text.endswith("::"):
                deeper_than = indent
        yield row, text


def _spans(text: str) -> Iterator[tuple[str, str]]:
    """Yield the names in inline code: in as many ticks on one side as on the other."""
    ticks = [(match.start(), match.end()) for match in TICKS.finditer(text)]
    following: dict[int, int] = {}
    closing = [-1] * len(ticks)
    for place in range(len(ticks) - 1, -1, -1):
        size = ticks[place][1] - ticks[place][0]
        closing[place] = following.get(size, -1)
        following[size] = place
    place = 0
    while place < len(ticks):
        close = closing[place]
        if close < 0:
            place += 1
            continue
        before, inside, after = text[: ticks[place][0]], text[ticks[place][1] : ticks[close][0]], ticks[close][1]
        yield from _of_span(before[-40:], inside, text[after : after + 1])
        place = close + 1


def _of_span(before: str, inside: str, after: str) -> Iterator[tuple[str, str]]:
    role = ROLE.search(before)
    if role is not None:
        if role[1].rpartition(":")[2] not in ROLES:
            return
        title, opening, target = inside.rpartition("<")
        inside = target.rstrip("> ") if opening and title.endswith(" ") else inside
    elif after == "_":
        return  # a link of reStructuredText
    if inside.startswith("!"):
        return  # Sphinx: no link
    inside = inside.strip()
    if role is None and _is_file_name(inside):
        if (path := _file(inside)) is not None:
            yield "", path
    elif (found := _name(inside)) is not None:
        yield found


def _name(text: str) -> tuple[str, str] | None:
    """Return receiver and name of code, None for anything else."""
    if not text or len(text) > MAX_SPAN:
        return None
    match = NAME.match(text)
    if match is None or match[2] in NO_NAMES:
        return None
    if match[3] and not _closes_once(match[3]):
        return None  # a chain of calls, or two of them
    receiver = match[1].replace("->", ".").replace("#", ".")
    receiver = receiver.rstrip(".\\").removesuffix("::")
    if not receiver and not match[3] and len(match[2]) < FULL_NAME:
        return None
    return receiver, match[2]


def _closes_once(arguments: str) -> bool:
    """Tell whether the first parenthesis is closed by the last."""
    depth = 0
    for place, sign in enumerate(arguments):
        depth += (sign == "(") - (sign == ")")
        if depth == 0:
            return place == len(arguments) - 1
    return False


def _file(text: str) -> str | None:
    """Return the path of a file of code, with a slash; None for what does not look like one."""
    if not _is_file_name(text) or (language := detect(text)) is None or language.content is not Content.CODE:
        return None
    return text if "/" in text else f"./{text}"


def _is_file_name(text: str) -> bool:
    return "." in text and len(text) <= MAX_SPAN and PATH.match(text) is not None and detect(text) is not None


def _linked_file(link: str) -> str | None:
    return None if ":" in link or link.startswith("#") else _file(unquote(link.partition("#")[0].partition("?")[0]))


class _Directives:
    """What directives describe, within modules and types that others name."""

    def __init__(self) -> None:
        self._module = ""
        self._scopes: list[Scope] = []

    def names(self, directive: re.Match[str]) -> Iterator[tuple[str, str]]:
        """Yield receiver and name of what a directive describes, and take note of what it opens."""
        kind, text = directive[3], directive[4]
        if not text or (kind not in OBJECTS and kind not in MODULES):
            return
        if kind in MODULES:
            self._module = text.strip()
            self._scopes = []
        indent = len(directive[1].expandtabs())
        while self._scopes and self._scopes[-1].indent >= indent:
            self._scopes.pop()
        written = text.partition("(")[0].split()
        found = _name(written[-1]) if written else None
        if found is None or kind == "currentmodule":
            return
        receiver, name = found
        if kind not in MODULES:
            around = self._scopes[-1].name if self._scopes else self._module
            if around and not f"{receiver}.".startswith(f"{around}."):
                receiver = f"{around}.{receiver}".rstrip(".")
        if kind in HOLDING:
            self._scopes.append(Scope(indent, f"{receiver}.{name}".lstrip(".")))
        yield receiver, name
