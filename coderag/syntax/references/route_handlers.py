"""The nodes of a route to what answers it, as it is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coderag.syntax.lines import Lines
from coderag.syntax.link_captures import Nodes
from coderag.syntax.references.imports import plain_text
from coderag.syntax.references.receivers import Chains
from coderag.syntax.references.route_groups import Around, in_namespace
from coderag.syntax.trees.call_chains import Chain, chain_of, literal
from coderag.syntax.trees.node_types import PLAIN_CALLS

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["NOTHING", "handler_of"]

PARTS = frozenset({"keyword_argument"})
FUNCTIONS = frozenset(
    "arrow_function function_expression lambda func_literal lambda_expression anonymous_function".split()
)
LOADS = frozenset({"require", "base_path", "__DIR__"})  # calls whose text is a module or file
MAX_WRAPPERS = 6
NOTHING = "include()"  # what stands in its place is read there


def handler_of(nodes: Nodes, lines: Lines, chains: Chains, *, around: Around) -> str:
    """Return what answers a route, "include(x)" for what is mounted, "" for a function without a name."""
    if "handler" not in nodes:
        return ""
    node = nodes["handler"][0]
    if "everything" in nodes:
        return "include(*)"
    if "mount" in nodes:
        return f"include({_mounted(node, chains)})"
    if node.type.endswith("block") or node.type in FUNCTIONS:
        return ""
    text = plain_text(lines.data[node.start_byte : node.end_byte])
    if "within" in nodes:
        within = nodes["within"][0]
        return f"{plain_text(lines.data[within.start_byte : within.end_byte])}.{text.lstrip(':')}"
    if lines.data[node.start_byte : node.start_byte + 1] in (b'"', b"'"):
        if "@" in text:
            return in_namespace(around.namespace, text)
        controller = around.controller.removesuffix("::class")
        return f"{controller}@{text}" if controller else text
    if node.type in PARTS and node.child_count and (last := node.child(node.child_count - 1)) is not None:
        node = last  # view_func=show
    return _named(node, chains)


def _mounted(node: Node, chains: Chains) -> str:
    """Return what is mounted: a name, or the module that is loaded there."""
    chain = chain_of(node)
    for link in chain.links if chain is not None else ():
        if link.name in LOADS and (text := literal(link.argument(0))):
            return text
    text = literal(node)
    return text if text is not None else chains.ending(node.start_byte, node.end_byte)


def _named(node: Node, chains: Chains) -> str:
    """Return the function that an expression names: itself, or the one that a wrapper is given."""
    for _ in range(MAX_WRAPPERS):
        if node.type in FUNCTIONS:
            return ""
        if node.type not in PLAIN_CALLS:
            return chains.ending(node.start_byte, node.end_byte)
        chain = chain_of(node)
        if chain is None or not chain.links:
            return ""
        if chain.links[0].name == "include" and len(chain.links) == 1:
            return _included(chain, chains)
        last = chain.links[-1]
        if last.name in {"as_view", "bind"}:
            return chains.ending(node.start_byte, node.end_byte)
        inner = next((argument.node for argument in last.arguments or () if _may_answer(argument.node)), None)
        if inner is None or (len(chain.links) > 1 and not last.arguments):
            return chains.ending(node.start_byte, node.end_byte)
        node = inner
    return ""


def _included(chain: Chain, chains: Chains) -> str:
    """Return what Django's include() is given; NOTHING for a list, whose routes are read where they stand."""
    first = chain.links[0].argument(0)
    if first is not None and first.type == "tuple" and first.named_child_count:
        first = first.named_child(0) or first
    if first is None or first.type == "list":
        return NOTHING
    return f"include({literal(first) or chains.ending(first.start_byte, first.end_byte)})"


def _may_answer(node: Node) -> bool:
    """Tell whether an argument may be a function."""
    return node.type in PLAIN_CALLS | FUNCTIONS or node.type in {
        "identifier",
        "attribute",
        "member_expression",
        "selector_expression",
    }
