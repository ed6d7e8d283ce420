"""The relations of a hit in brief."""

from __future__ import annotations

from collections.abc import Sequence

from coderag.types import Relation

__all__ = ["relations_text"]


def relations_text(relations: Sequence[Relation]) -> str:
    """Return relations in brief: `called by a, b (+3) · reads orders`."""
    kinds: dict[str, list[Relation]] = {}
    for relation in relations:
        kinds.setdefault(relation.kind, []).append(relation)
    parts = []
    for kind, found in kinds.items():
        more = found[0].total - len(found)
        names = ", ".join(relation.name for relation in found)
        parts.append(f"{kind} {names}{f' (+{more:,})' if more else ''}")
    return " · ".join(parts)
