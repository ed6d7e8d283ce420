"""Many tables to a flowchart in the language of Mermaid: a group for each domain, as its entity diagrams have none."""

from __future__ import annotations

from collections.abc import Sequence

from coderag.graph.drawing.export import mermaid_text
from coderag.search.context.domains import MOST_TOGETHER, domains_of
from coderag.search.context.erd import as_mermaid, edges_of, label_of
from coderag.sql.records import Evidence, Table
from coderag.text.counted import counted

__all__ = ["as_mermaid_by_domain"]


def as_mermaid_by_domain(tables: Sequence[Table]) -> str:
    """Return tables in the language of Mermaid (https://mermaid.js.org), more than MOST_TOGETHER without columns.

    Mermaid draws no more than 50,000 characters and 500 lines, so of many tables those of each domain are in a group,
    with one line for all keys between two tables.
    """
    if len(tables) <= MOST_TOGETHER:
        return as_mermaid(tables)
    domains = domains_of(tables, most=MOST_TOGETHER)
    ordered = [table for domain in domains for table in domain.tables]
    lines, number = ["flowchart LR"], 0
    for place, domain in enumerate(domains):
        title = f"{mermaid_text(domain.name)}, {counted(len(domain.tables), 'table')}"
        lines.append(f'    subgraph d{place}["{title}"]')
        for table in domain.tables:
            lines.append(f'        t{number}[("{mermaid_text(label_of(table.name))}")]')
            number += 1
        lines.append("    end")
    declared: dict[tuple[int, int], bool] = {}
    for edge in edges_of(ordered):
        pair = edge.child, edge.parent
        declared[pair] = declared.get(pair, False) or edge.key.evidence is Evidence.DECLARED
    for (child, parent), sure in sorted(declared.items()):
        lines.append(f"    t{child} {'-->' if sure else '-.->'} t{parent}")
    return "\n".join(lines)
