"""Which calls are aggregates, also of those that sqlglot takes for any function."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

__all__ = ["is_aggregate", "lone_extreme"]

NAMES = frozenset(
    """aggregate any avg bit_and bit_or bit_xor bool_and bool_or checksum_agg collect_list collect_set count every
    first grouping grouping_id group_concat_max histogram_numeric last listagg max max_by median min min_by mode
    percentile quantile some stdev stdevp string_agg sum sum0 total tdigest uniq var variance varp wm_concat xmlagg
    range_agg range_intersect_agg st_collect st_extent st_memunion st_union""".split()
)
PREFIXES = (
    "approx_",
    "hll_",
    "regr_",
    "percentile_",
    "quantile",
    "uniq",
    "arg_m",
    "argm",
    "group",
    "bitmap_",
    "json_group",
)
SUFFIXES = ("_agg", "arrayagg", "objectagg", "merge", "state")


def is_aggregate(node: exp.Expr) -> bool:
    """Tell whether a node makes one value of a group's rows; what is computed over a window does not."""
    if isinstance(node, exp.Grouping):
        return True
    if isinstance(node, exp.Filter | exp.WithinGroup):  # FILTER (WHERE ...), WITHIN GROUP (ORDER BY ...)
        return is_aggregate(node.this)
    if isinstance(node, exp.Window):
        return node.args.get("over") == "KEEP"  # Oracle's max(x) KEEP (DENSE_RANK FIRST ORDER BY y)
    if isinstance(node, exp.Anonymous):
        name = node.name.lower()
        found = name in NAMES or name.startswith(PREFIXES) or name.endswith(SUFFIXES)
    else:
        found = isinstance(node, exp.AggFunc)
    return found and not _is_over_window(node)


def _is_over_window(node: exp.Expr) -> bool:
    parent = node.parent
    while isinstance(parent, exp.Filter | exp.IgnoreNulls | exp.RespectNulls | exp.WithinGroup) and parent.this is node:
        node, parent = parent, parent.parent
    return isinstance(parent, exp.Window) and parent.this is node


def lone_extreme(aggregates: Sequence[exp.Expr]) -> bool:
    """Tell whether of aggregates there is one MIN or MAX: SQLite then gives bare columns of the row that has it."""
    plain = [aggregate.this if isinstance(aggregate, exp.Filter) else aggregate for aggregate in aggregates]
    return len(plain) == 1 and isinstance(plain[0], exp.Min | exp.Max)
