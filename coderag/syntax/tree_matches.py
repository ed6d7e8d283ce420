"""A compiled query and a syntax tree to the query's matches, in time that grows with the tree however deep it is.

A query's cursor keeps each pattern that has begun until its node ends. In a chain of ten thousand calls each call holds
the next one, so ten thousand patterns have begun at its innermost call, and every node is held against all of them. A
deep tree is therefore searched in layers, each of patterns that begin within LAYER levels of a node.
"""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node, Query, QueryCursor, Tree

__all__ = ["Matches", "tree_matches"]

# One match of a query: which pattern, and the captured nodes by name.
Matches = list[tuple[int, dict[str, list[Node]]]]

DEEP = 200  # levels; code that people write has up to 90
STEP = 4_096  # nodes between those whose depth is looked at: a chain has several nodes a level, one after the other
LAYER = 64  # levels


def tree_matches(query: Query, tree: Tree) -> Matches:
    """Return every match of a query, in order of appearance."""
    root = tree.root_node
    if not _is_deep(root):
        return QueryCursor(query).matches(root)
    return layered_matches(query, root)


def layered_matches(query: Query, root: Node, *, layer: int = LAYER) -> Matches:
    """Return every match of a query, found in layers of at least two levels."""
    found: Matches = []
    seen: set[tuple[object, ...]] = set()
    for top in _tops(root, layer):
        cursor = QueryCursor(query)
        # Layers share a level, as patterns of nodes side by side are only found from the node around these.
        cursor.set_max_start_depth(layer)
        for pattern, captures in cursor.matches(top):
            key = pattern, *((name, *(node.id for node in nodes)) for name, nodes in captures.items())
            if key not in seen and (top == root or all(top not in nodes for nodes in captures.values())):
                seen.add(key)
                found.append((pattern, captures))
    found.sort(key=lambda match: max((node.start_byte for nodes in match[1].values() for node in nodes), default=0))
    return found


def _is_deep(root: Node) -> bool:
    """Tell whether some node of every STEP is deeper than DEEP: looking at all would take longer than some files."""
    nodes = root.descendant_count
    if nodes < STEP:
        return False
    cursor = root.walk()
    for number in range(STEP // 2, nodes, STEP):
        cursor.goto_descendant(number)
        if cursor.depth > DEEP:
            return True
    return False


def _tops(root: Node, layer: int) -> Iterator[Node]:
    """Yield the root, and the nodes with children that are at the bottom of a layer."""
    yield root
    cursor = root.walk()
    depth = 0  # counted here, as the cursor counts its levels whenever it is asked
    while True:
        if cursor.goto_first_child():
            depth += 1
        else:
            while not cursor.goto_next_sibling():
                if not cursor.goto_parent():
                    return
                depth -= 1
        if depth % (layer - 1) == 0:
            node = cursor.node
            assert node is not None  # the cursor is within the tree
            if node.child_count:
                yield node
