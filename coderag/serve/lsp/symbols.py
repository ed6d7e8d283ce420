"""Words to the symbols of the whole workspace, ranked as a search ranks them."""

from __future__ import annotations

from lsprotocol.types import Location, SymbolKind, WorkspaceSymbol

from coderag.api.index import Index
from coderag.serve.lsp.documents import line_range, uri_of
from coderag.serve.lsp.navigation import root_of
from coderag.types import Kind

__all__ = ["SYMBOL_KINDS", "symbols_like"]

MAX_SYMBOLS = 50
SYMBOL_KINDS = {
    Kind.FUNCTION: SymbolKind.Function,
    Kind.METHOD: SymbolKind.Method,
    Kind.CLASS: SymbolKind.Class,
    Kind.INTERFACE: SymbolKind.Interface,
    Kind.TRAIT: SymbolKind.Interface,
    Kind.STRUCT: SymbolKind.Struct,
    Kind.ENUM: SymbolKind.Enum,
    Kind.TYPE: SymbolKind.Class,
    Kind.MODULE: SymbolKind.Module,
    Kind.CONSTANT: SymbolKind.Constant,
    Kind.FIELD: SymbolKind.Field,
    Kind.TABLE: SymbolKind.Struct,
    Kind.VIEW: SymbolKind.Interface,
    Kind.TRIGGER: SymbolKind.Event,
    Kind.QUERY: SymbolKind.String,
}


def symbols_like(index: Index, text: str) -> list[WorkspaceSymbol]:
    """Return the symbols of a name, then what a search finds that has a name."""
    if not text.strip():
        return []
    symbols: dict[tuple[str, str, int], WorkspaceSymbol] = {}
    places = [
        (symbol.qualified_name, symbol.kind, symbol.path, symbol.repository, symbol.span.start_line)
        for symbol in index.symbols(text, k=MAX_SYMBOLS)
    ]
    places += [
        (one.chunk.qualified_name, one.chunk.kind, one.chunk.path, one.chunk.repository, one.chunk.span.start_line)
        for one in index.search(text, k=MAX_SYMBOLS)
        if one.chunk.name
    ]
    for name, kind, path, repository, line in places:
        if (root := root_of(index, repository)) is not None:
            scope, _, last = name.rpartition(".")
            symbols.setdefault(
                (repository, path, line),
                WorkspaceSymbol(
                    location=Location(uri_of(root, path), line_range(line)),
                    name=last or name,
                    kind=SYMBOL_KINDS.get(Kind(kind), SymbolKind.Object),
                    container_name=scope or path,
                ),
            )
    return list(symbols.values())[:MAX_SYMBOLS]
