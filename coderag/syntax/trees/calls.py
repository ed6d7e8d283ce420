"""The callee of a call and the parts of a member, read by the fields of each grammar: the one reader of both.

`nodes.called` is the view for single calls (last name, receiver, arguments without closures), `call_chains.chain_of`
the one for chains (a link per name, with closures and type arguments).
"""

from __future__ import annotations

from tree_sitter import Node

from coderag.syntax.trees.node_types import ANY_CALL, CALL_FIELDS, MEMBER_FIELDS
from coderag.syntax.trees.tree import field_or, named

__all__ = ["callee", "member_parts"]


def callee(call: Node) -> tuple[Node | None, Node | None]:
    """Return what a call calls and, in grammars where the receiver is a field of the call, the receiver.

    f.g(x)     of Python  -> (f.g, None)
    f.g(x)     of Java    -> (g, f)
    new A.B(x)            -> (A.B, None)
    query!(x)  of Rust    -> (query, None)
    @Table(x)  of Kotlin  -> (Table(x), None)
    """
    callees, receivers = CALL_FIELDS.get(call.type, ANY_CALL)
    for name in callees:
        if (function := call.child_by_field_name(name)) is not None:
            break
    else:
        function = next(iter(named(call)), None)
    return function, field_or(call, *receivers) if receivers else None


def member_parts(member: Node) -> tuple[Node | None, Node] | None:
    """Return the object of a member, None if it has none (`::f`), and its name's node; None for anything else.

    self.x        -> (self, x)
    A::B.c        -> (A::B, c)
    items.map<T>  -> (items, map<T>)
    """
    last = None
    for owner_field, name_field in MEMBER_FIELDS.get(member.type, ()):
        if (name := member.child_by_field_name(name_field)) is not None:
            if (owner := member.child_by_field_name(owner_field)) is not None:
                return owner, name
            last = name
    if last is not None:
        return None, last
    if member.type == "attribute":  # of Rust and C#: an annotation
        return None
    parts = named(member)
    if len(parts) < 2:
        return None
    last = parts[-1]
    if last.type == "navigation_suffix" and last.named_child_count:  # of Swift: .name
        last = last.named_children[0]
    return parts[0], last
