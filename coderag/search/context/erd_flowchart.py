"""Many tables to a flowchart in the language of Mermaid: a group for each domain, as its entity diagrams have none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from coderag.graph.drawing.export import mermaid_text
from coderag.search.context.domains import MOST_TOGETHER, Domain, domains_of, ties_between
from coderag.search.context.erd import as_mermaid, edges_of, label_of
from coderag.sql.records import Evidence, Table
from coderag.text.counted import counted

__all__ = ["as_mermaid_by_domain"]


def as_mermaid_by_domain(tables: Sequence[Table]) -> str:
    """Return tables in the language of Mermaid (https://mermaid.js.org), more than MOST_TOGETHER without columns.

    Mermaid draws no more than 50,000 characters and 500 lines, so of many tables those of each domain are in a group,
    with one line for all keys between two tables, and one for all keys between two domains.
    """
    if len(tables) <= MOST_TOGETHER:
        return as_mermaid(tables)
    domains = domains_of(tables, most=MOST_TOGETHER)
    lines, first = ["flowchart LR"], 0
    for number, domain in enumerate(domains):
        lines += _group(domain, number, first=first)
        first += len(domain.tables)
    for tie in ties_between(domains):
        lines.append(f'    d{tie.child} -.->|"{counted(tie.keys, "key")}"| d{tie.parent}')
    return "\n".join(lines)


def _group(domain: Domain, number: int, *, first: int) -> Iterator[str]:
    """Yield the lines of a domain, whose tables have numbers from `first` on."""
    title = f"{mermaid_text(domain.name)}, {counted(len(domain.tables), 'table')}"
    yield f'    subgraph d{number}["{title}"]'
    for place, table in enumerate(domain.tables, first):
        yield f'        t{place}[("{mermaid_text(label_of(table.name))}")]'
    declared: dict[tuple[int, int], bool] = {}
    for edge in edges_of(domain.tables):
        pair = first + edge.child, first + edge.parent
        declared[pair] = declared.get(pair, False) or edge.key.evidence is Evidence.DECLARED
    for (child, parent), is_declared in sorted(declared.items()):
        yield f"        t{child} {'-->' if is_declared else '-.->'} t{parent}"
    yield "    end"
