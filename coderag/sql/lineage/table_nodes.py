"""Nodes of query trees that stand for tables to the names of these."""

from __future__ import annotations

from sqlglot import exp

from coderag.sql.lineage.scopes import HOLE, written_name
from coderag.sql.records import Name

__all__ = ["alias_columns", "base_name", "is_bare", "is_group", "name_of", "nodes_of"]

NO_TABLES = frozenset({"dual"})
FILE_ENDS = (".csv", ".tsv", ".json", ".jsonl", ".parquet", ".gz")  # DuckDB reads files in FROM


def base_name(node: exp.Table) -> Name | None:
    """Return the name of a table that is stored; variables, temporary tables and files are not."""
    parts = [part for part in node.parts if isinstance(part, (exp.Identifier, exp.Var))]
    if not parts or len(parts) != len(node.parts) or not all(part.name for part in parts[-1:]):
        return None
    last = parts[-1]
    name = last.name
    if (
        name == HOLE
        or last.args.get("temporary")
        or name.startswith(("#", "@"))
        or (isinstance(last, exp.Var) and "/" in name)
    ):
        return None
    if len(parts) == 1 and (name.casefold() in NO_TABLES or name.casefold().endswith(FILE_ENDS)):
        return None
    return name_of(node)


def name_of(node: exp.Table) -> Name:
    """Return the name of a table as it is written; of more than three parts the last three."""
    return written_name([part.name for part in node.parts])


def is_bare(node: exp.Table) -> bool:
    """Tell whether a name in FROM may be an array of the row before: no ON or USING relates it to that."""
    join = node.parent
    return isinstance(join, exp.Join) and not join.args.get("on") and not join.args.get("using")


def is_group(node: exp.Subquery) -> bool:
    """Tell whether parentheses in FROM hold tables and no query."""
    inner: object = node
    while isinstance(inner, exp.Subquery):
        inner = inner.this
    return isinstance(inner, exp.Table)


def alias_columns(node: exp.Expr) -> list[str]:
    """Return the names that an alias gives the columns of a table."""
    alias = node.args.get("alias")
    return [column.name for column in nodes_of(alias.args.get("columns"))] if isinstance(alias, exp.TableAlias) else []


def nodes_of(value: object) -> list[exp.Expr]:
    """Return what an argument of a node holds, as a list."""
    values = value if isinstance(value, list) else [value]
    return [one for one in values if isinstance(one, exp.Expr)]
