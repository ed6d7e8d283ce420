"""Objects of models where they are made, `User(name=x)`, and where a field of one is set, `user.name = x`."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

from coderag.frameworks.usage.entities import is_class_name
from coderag.frameworks.usage.source_file import CodeFile
from coderag.syntax.trees.call_chains import Chain, chain_of

__all__ = ["Assigned", "assigned_field", "constructed_fields"]


class Assigned(NamedTuple):
    """A field that is set, and what it is set of."""

    holder: Chain
    field: str


def assigned_field(chain: Chain, own: Collection[str]) -> Assigned | None:
    """Return the field that an assignment sets; None for any other chain, and for one of the names in `own`."""
    parent = chain.node.parent
    if len(chain.links) < 2 or any(link.arguments is not None for link in chain.links):
        return None
    if parent is None or parent.child_by_field_name("left") != chain.node:
        return None
    holder = Chain(chain.node, chain.links[:-1])
    if len(holder.links) == 1 and holder.links[0].name in own:
        return None
    return Assigned(holder, chain.links[-1].name)


def constructed_fields(code: CodeFile, chain: Chain) -> Iterator[str]:
    """Yield the fields that the constructor of an object is given, also of the one that a name stands for."""
    current: Chain | None = chain
    if len(chain.links) == 1 and chain.links[0].arguments is None:
        bounds = code.bound(chain.links[0].name, chain.node.start_byte)
        current = chain_of(bounds[-1].node) if bounds else None
    if current is not None and is_class_name(current.links[-1].name):
        yield from (argument.name for argument in current.links[-1].arguments or () if argument.name)
