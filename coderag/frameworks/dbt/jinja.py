"""Jinja templates of SQL to SQL: rendered with stand-ins for what dbt would know, in a sandbox.

A reference becomes the name that it refers to, configuration is noted, and what cannot be known becomes a name that a
parser takes. Where rendering fails, the holes are filled by pattern instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from jinja2 import TemplateError, nodes
from jinja2.exceptions import SecurityError
from jinja2.ext import Extension
from jinja2.parser import Parser
from jinja2.sandbox import SandboxedEnvironment

from coderag.sql.records import Name

__all__ = ["Rendered", "fill_holes", "render"]

UNKNOWN = "jinja_value"  # stands for what cannot be known; no name of anything
MAX_TEXT = 2_000_000  # characters that an expression may grow to
MAX_REPEATS = 10_000

REFERENCE = re.compile(r"""\bref\(\s*(['"])(?P<first>[^'"]+)\1(?:\s*,\s*(['"])(?P<second>[^'"]+)\3)?[^)]{0,200}+\)""")
SOURCE = re.compile(r"""\bsource\(\s*(['"])(?P<source>[^'"]+)\1\s*,\s*(['"])(?P<table>[^'"]+)\3\s*\)""")
# None looks beyond the next beginning of its own kind: a row of such beginnings would take forever.
COMMENT = re.compile(r"\{#(?:(?!\{#).)*?#\}", re.DOTALL)
HOLE = re.compile(r"\{\{-?((?:(?!\{\{).)*?)-?\}\}", re.DOTALL)
BRANCH = re.compile(
    r"\{%-?\s*+el(?:se\s*+-?|if\b[^%{]*+)%\}(?:(?!\{%-?\s*+el(?:se|if)\b).)*?(?=\{%-?\s*+endif)", re.DOTALL
)
LOOP = re.compile(r"\{%-?\s*+for\b(?:(?!\{%-?\s*+for\b).)*?\{%-?\s*+endfor\s*+-?%\}", re.DOTALL)
TAG = re.compile(r"\{%(?:(?!\{%).)*?%\}", re.DOTALL)
MAX_INNER = 20  # loops and branches within or after each other that are taken away from the inside


@dataclass(slots=True)
class Rendered:
    """A template as SQL, and what it refers to."""

    sql: str = ""
    references: dict[Name, None] = field(default_factory=dict)  # in order of first appearance
    config: dict[str, Any] = field(default_factory=dict)


class Stub:
    """A value that cannot be known: any use of it gives another, and as text it is a name."""

    def __init__(self, text: str = UNKNOWN) -> None:
        self._text = text

    def __str__(self) -> str:
        return self._text

    def __html__(self) -> str:
        return self._text

    def __call__(self, *_: Any, **__: Any) -> Stub:
        return self

    def __getattr__(self, name: str) -> Stub:
        if name.startswith("__"):
            raise AttributeError(name)
        return Stub("*" if name == "star" else UNKNOWN)

    def __getitem__(self, _: Any) -> Stub:
        return Stub()

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __len__(self) -> int:
        return 0

    def __bool__(self) -> bool:
        return False

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)

    def _itself(self, *_: Any) -> Stub:
        return self

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __mod__ = _itself

    def _less(self, _: Any) -> bool:
        return False

    __lt__ = __le__ = __gt__ = __ge__ = _less


class Blocks(Extension):
    """The tags that dbt adds: what they hold is kept, the tags are not."""

    tags = {"snapshot", "test", "materialization", "docs"}  # noqa: RUF012  # as jinja2 has it

    def parse(self, parser: Parser) -> nodes.Node | list[nodes.Node]:
        """Return the body of a block; `docs` are no SQL and have none."""
        tag = next(parser.stream).value
        while parser.stream.current.type != "block_end":
            next(parser.stream)
        body = parser.parse_statements((f"name:end{tag}",), drop_needle=True)
        return [] if tag == "docs" else body


class Sandbox(SandboxedEnvironment):
    """An environment whose templates reach nothing, and make nothing large."""

    intercepted_binops = frozenset({"*", "**"})

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        """Refuse what would fill the memory."""
        for value in (left, right):
            if isinstance(value, int) and value > MAX_REPEATS:
                raise SecurityError(f"{operator} with {value}")
        return super().call_binop(context, operator, left, right)

    def is_safe_callable(self, obj: Any) -> bool:
        """Allow stubs besides what the sandbox allows."""
        return isinstance(obj, Stub) or super().is_safe_callable(obj)

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        """Allow the attributes of stubs, and those that the sandbox allows."""
        return (isinstance(obj, Stub) and not attr.startswith("__")) or super().is_safe_attribute(obj, attr, value)


def render(template: str) -> Rendered:
    """Return a template as SQL; by pattern where jinja2 cannot render it."""
    rendered = Rendered()
    environment = Sandbox(extensions=["jinja2.ext.do", Blocks], undefined=_undefined())
    environment.globals.clear()
    environment.globals.update(_globals(rendered))
    try:
        rendered.sql = environment.from_string(template).render()
    except (TemplateError, TypeError, ValueError, AttributeError, ArithmeticError, LookupError, RecursionError):
        # Whatever a template asks of the stand-ins that they have not: the pattern needs no answer.
        rendered.sql = fill_holes(template)
    if len(rendered.sql) > MAX_TEXT:
        rendered.sql = fill_holes(template)
    for name in _names(template):  # those in branches that were not taken
        rendered.references.setdefault(name)
    return rendered


def fill_holes(template: str) -> str:
    """Return a template with each hole filled by pattern: the first branch of each condition, no loops."""
    text = COMMENT.sub("", template)
    for pattern in (LOOP, BRANCH):
        for _ in range(MAX_INNER):
            text, found = pattern.subn("", text)
            if not found:
                break
    return TAG.sub("", HOLE.sub(_hole, text))


def _hole(hole: re.Match[str]) -> str:
    inner = hole[1]
    for name in _names(inner):
        return _written(name)
    return "" if re.match(r"\s*config\s*\(", inner) else UNKNOWN


def _names(template: str) -> Iterator[Name]:
    for match in REFERENCE.finditer(template):
        yield Name(match["second"] or match["first"])
    for match in SOURCE.finditer(template):
        yield Name(match["table"], match["source"])


def _written(name: Name) -> str:
    return ".".join(f'"{part}"' if not part.isidentifier() else part for part in (name.schema, name.name) if part)


def _undefined() -> Any:
    from jinja2 import Undefined

    class Unknown(Stub, Undefined):  # type: ignore[misc]  # a name that the template does not define is a stub too
        def __init__(self, *_: Any, **__: Any) -> None:
            Stub.__init__(self)

    return Unknown


def _globals(found: Rendered) -> dict[str, Any]:
    def ref(*names: Any, **_: Any) -> str:
        name = Name(str(names[-1])) if names else Name(UNKNOWN)
        found.references.setdefault(name)
        return _written(name)

    def source(*names: Any, **_: Any) -> str:
        name = Name(str(names[-1]), str(names[0])) if len(names) > 1 else Name(UNKNOWN)
        found.references.setdefault(name)
        return _written(name)

    def config(*_: Any, **values: Any) -> str:
        found.config.update(values)
        return ""

    def default(*values: Any, **_: Any) -> Any:
        return values[1] if len(values) > 1 else Stub()

    def never(*_: Any, **__: Any) -> bool:
        return False

    def items(count: Any = 0, *_: Any) -> range:
        return range(min(count, 100) if isinstance(count, int) else 0)

    def nothing(*_: Any, **__: Any) -> str:
        return ""

    def first(value: Any = "", *_: Any, **__: Any) -> Any:
        return value

    return {
        "ref": ref,
        "source": source,
        "config": config,
        "var": default,
        "env_var": default,
        "is_incremental": never,
        "execute": False,
        "range": items,
        "log": nothing,
        "print": nothing,
        "return": first,
        "set": first,
        "tojson": first,
        "dict": dict,
    }
