"""Functions and constructs that the dialect has not, and what it has instead."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sqlglot.tokenizer_core import Token, TokenType

from coderag.sql.check.findings import Code, Finding, finding
from coderag.sql.statements.dialect import Dialect

__all__ = ["check_functions"]

NAMES = frozenset({TokenType.VAR, TokenType.IDENTIFIER})


def check_functions(tokens: Iterable[Token], dialect: Dialect, own: Iterable[str], *, text: str) -> Iterator[Finding]:
    """Yield a finding for each call of a function that the dialect has not; `own` are the routines of the schema."""
    absent = {name.casefold(): instead for name, instead in dialect.absent}
    defined = {name.casefold() for name in own}
    found = list(tokens)
    for token, following in zip(found, [*found[1:], None], strict=True):
        name = token.text.casefold()
        called = following is not None and following.token_type is TokenType.L_PAREN
        if name not in absent or name in defined or not called or token.token_type is TokenType.STRING:
            continue
        message = f"{dialect.title} has no function {token.text}"
        yield finding(
            Code.WRONG_FUNCTION,
            message,
            text=text,
            extent=(token.start, token.end + 1),
            suggestions=(absent[name],) if absent[name] else (),
        )
