"""Statements whose model or table a call is given, `db.NewSelect().Model(&user).Where("id = ?")`, to what they do."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from coderag.frameworks.engine.verb_words import VerbWords
from coderag.frameworks.usage.binding import Told
from coderag.frameworks.usage.conditions import columns_in, named_column
from coderag.frameworks.usage.go_values import struct_of
from coderag.frameworks.usage.scope import Scope
from coderag.frameworks.usage.source_file import CodeFile
from coderag.frameworks.usage.usage import Usage, UsageBuilder
from coderag.sql.in_code.records import Access
from coderag.syntax.trees.call_chains import Argument, Chain, Link, chain_of, entries, items, literal, unwrapped
from coderag.syntax.trees.tree import text_of

__all__ = ["read_built"]

ACCESS = {"reads": Access.READ, "writes": Access.WRITE, "deletes": Access.DELETE}
MAX_STEPS = 10  # from a name for a statement to the name that this one is made of
FIRST = frozenset({"asks", "condition", "sets"})  # what a call's first text alone is
HOLE = "?"  # where a value or name is put in
SET = re.compile(r"^\s*+\"?(\w++)\"?\s*+=")


def read_built(code: CodeFile, framework: str, words: VerbWords) -> Iterator[Usage]:
    """Yield the uses of models and tables of the statements that a file builds."""
    names = sorted({*words.built, *words.models}, key=lambda name: (-len(name), name))
    anchor = re.compile(rb"\b(" + b"|".join(re.escape(name.encode()) for name in names) + rb")(?=\()")
    for chain in code.chains(anchor):
        links = _links(code, chain, words)
        start = next((link for link in links if link.name in words.built), None)
        if start is None:
            continue
        said = words.built[start.name].split()
        calls = [word for link in links for word in words.calls.get(link.name, "").split()]
        access = next((ACCESS[word] for word in (*calls, *said) if word in ACCESS), Access.READ)
        model = next((found for link in links if link.name in words.models and (found := _model(code, link))), "")
        own = {literal(link.argument(0)) for link in links if "cte" in words.calls.get(link.name, "").split()}
        given = [next(_texts(link, words), "") for link in links if link.name in words.tables]
        tables = [text for text in given if text and text.partition(" ")[0] not in own]
        is_whole = "row" in (*said, *calls) and "lists" not in calls
        if model:
            draft = UsageBuilder()
            _on_model(links, model, words, draft, access)
            draft.use(model, access, whole=is_whole)
            yield from draft.models(code, chain.node, framework)
        elif tables:
            scope = Scope()
            whole = [scope.table(table, access) for table in tables]
            _on_tables(links, words, scope)
            scope.whole.update(whole if is_whole else ())
            yield from scope.statement(code, chain.node, framework)


def _links(code: CodeFile, chain: Chain, words: VerbWords, depth: int = 0) -> Sequence[Link]:
    """Return the calls of a statement, those included that a name for it stands for."""
    own = [link for link in chain.links if link.arguments is not None]
    if depth >= MAX_STEPS or any(link.name in words.built for link in own):
        return own
    for bound in reversed(code.told_of(chain)[0]):
        value = chain_of(bound.node) if bound.told is Told.VALUE else None
        if value is not None and value.node != chain.node:
            return [*_links(code, value, words, depth + 1), *own]
    return own


def _model(code: CodeFile, link: Link) -> str:
    """Return the struct that a call is given; `(*User)(nil)` stands for one too."""
    node = unwrapped(link.argument(0))
    text = text_of(node)
    if text.startswith("(*") and text.endswith(")(nil)"):
        return text[2 : -len(")(nil)")]
    return struct_of(code, node)


def _on_model(links: Sequence[Link], model: str, words: VerbWords, draft: UsageBuilder, access: Access) -> None:
    """Note the fields and relations of a model that calls name."""
    for link in links:
        if link.name in words.models:
            node = unwrapped(link.argument(0))
            for one in [node, *items(node)] if node is not None and node.type == "composite_literal" else ():
                draft.touch_all(model, (key for key, _ in entries(one)), written=access is not Access.DELETE)
        said = words.calls.get(link.name, "").split()
        for text in _texts(link, words):
            if "relations" in said:
                draft.use(f"{model}.{text}", whole=True)
                break
            for name, write in _columns(text, said, words):
                draft.touch(model, name.rpartition(".")[2], written=write)
            if not FIRST.isdisjoint(said):
                break  # what follows is put in


def _on_tables(links: Sequence[Link], words: VerbWords, scope: Scope) -> None:
    """Note the columns of tables that calls name."""
    for link in links:
        said = words.calls.get(link.name, "").split()
        for text in _texts(link, words):
            for name, write in _columns(text, said, words):
                scope.column(name, write=write)
            if not FIRST.isdisjoint(said):
                break


def _texts(link: Link, words: VerbWords) -> Iterator[str]:
    """Yield the texts that a call is given, the names among its arguments put in where the first has a `?` for them."""
    texts = [text for argument in link.arguments or () if (text := literal(argument.node)) is not None]
    if texts and HOLE in texts[0] and words.idents:
        given = iter([_ident(argument, words) for argument in (link.arguments or ())[1:]])
        *pieces, last = texts[0].split(HOLE)
        texts[0] = "".join(piece + (next(given, "") or HOLE) for piece in pieces) + last
    yield from texts


def _ident(argument: Argument, words: VerbWords) -> str:
    """Return the name that an argument puts in, "" for a value."""
    chain = chain_of(argument.node)
    last = chain.links[-1] if chain is not None else None
    is_name = last is not None and last.name in words.idents and last.arguments is not None
    return (literal(last.argument(0)) or "") if is_name and last is not None else ""


def _columns(text: str, said: Sequence[str], words: VerbWords) -> Iterator[tuple[str, bool]]:
    """Yield the columns in a text, and whether they are written."""
    if "names" in said or "asks" in said:
        text = text.lstrip("-").partition(words.lookup)[0] if words.lookup else text
        if name := named_column(text):
            yield name, "writes" in said
    elif "sets" in said:
        if (match := SET.match(text)) is not None:
            yield match[1], True
            text = text[match.end() :]
        for name in columns_in(text):
            yield name, False
    elif "condition" in said:
        for name in columns_in(text):
            yield name, False
