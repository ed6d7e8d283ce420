"""Structs and changesets of Elixir to the schemas whose rows they are, and the fields that they set."""

from __future__ import annotations

import re
from collections.abc import Callable

from tree_sitter import Node

from coderag.frameworks.usage.source_file import CodeFile
from coderag.frameworks.usage.usage import UsageBuilder
from coderag.syntax.trees.call_chains import Chain, Link, chain_of, entries, unwrapped
from coderag.syntax.trees.tree import named, text_of

__all__ = ["MAX_STEPS", "REPO", "Changesets", "entries_of"]

REPO = re.compile(r"(?:^|\.)(?:\w*Repo|Multi)$")
CASTS = frozenset(("change", "cast", "put_change", "put_assoc", "validate_required"))  # functions of Ecto.Changeset
FETCHES = frozenset(("get", "get_by", "one", "insert", "update"))  # operations that return one row
MAX_STEPS = 10  # from a name to what it stands for, and on from there


class Changesets:
    """The schemas of the structs and changesets of a file; `fetched` returns that of a query, "" for none."""

    def __init__(self, code: CodeFile, fetched: Callable[[Node | None, int], str]) -> None:
        self._code = code
        self._fetched = fetched

    def of(self, node: Node | None, draft: UsageBuilder, depth: int = 0) -> str:
        """Return the schema of a struct, of a changeset, of a name for one; its fields are noted."""
        node = unwrapped(node)
        if node is None or depth > MAX_STEPS:
            return ""
        if node.type == "map":
            struct = next(iter(named(node, "struct")), None)
            model = text_of(next(iter(named(struct)), None)) if struct is not None else ""
            if model:
                draft.touch_all(model, (key for key, _ in entries_of(node)), written=True)
            return model
        chain = chain_of(node)
        if chain is None or not chain.links:
            return ""
        return self.along(chain, len(chain.links), draft, depth + 1)

    def along(self, chain: Chain, end: int, draft: UsageBuilder, depth: int = 0) -> str:
        """Return the schema of the struct or changeset that the first links of a chain make; its fields are noted.

        `%User{} |> cast(params, [:email])` is of User; `User.changeset(user, %{})` is of User.
        """
        if depth > MAX_STEPS:
            return ""
        model = ""
        for position, link in enumerate(chain.links[:end]):
            name = link.name.rpartition(".")[2]
            if "changeset" in name and link.arguments is not None:
                model = self._of_changeset(chain, position, model, draft, depth)
            elif name in CASTS and link.arguments:
                model = self._of_cast(chain, position, model, draft, depth)
            elif name.rstrip("!") in FETCHES and REPO.search(".".join(chain.names[:position])):
                model = self._fetched(link.argument(0), depth + 1) or model
            elif position == 0:
                model = self._of_first(chain, end, draft, depth)
        return model

    def _of_changeset(self, chain: Chain, position: int, model: str, draft: UsageBuilder, depth: int) -> str:
        """Return the schema of `User.changeset(...)`, else that of the first argument of `changeset(user, ...)`."""
        link = chain.links[position]
        holder = link.name.rpartition(".")[0] or (".".join(chain.names[:position]) if position else "")
        if holder[:1].isupper():
            return holder
        if model or not link.arguments:
            return model
        return self.of(link.arguments[0].node, draft, depth + 1)

    def _of_cast(self, chain: Chain, position: int, model: str, draft: UsageBuilder, depth: int) -> str:
        """Return the schema of `cast(user, ...)` and `change(user, name: x)`; the fields set are noted."""
        arguments = chain.links[position].arguments or ()
        if not model and (position == 0 or chain.links[position - 1].arguments is None):
            model = self.of(arguments[0].node, draft, depth + 1)
        for argument in arguments:
            draft.touch_all(model, (key for key, _ in entries_of(argument.node)), written=True)
            draft.touch_all(model, [argument.name] if argument.name else (), written=True)
        return model

    def _of_first(self, chain: Chain, end: int, draft: UsageBuilder, depth: int) -> str:
        """Return the schema of what a chain begins with: a module before a repository, a struct, a variable."""
        link = chain.links[0]
        if link.node.type == "alias" and end > 1 and REPO.search(chain.links[1].name.rpartition(".")[0]):
            return text_of(link.node).removeprefix("Elixir.")
        if not link.name:
            return self.of(link.node, draft, depth + 1) if link.node.type == "map" else ""
        if link.arguments is None and link.node.type == "identifier":
            return self._of_variable(chain, draft, depth) or self._parameter(link, chain)
        return ""

    def _of_variable(self, chain: Chain, draft: UsageBuilder, depth: int) -> str:
        for bound in reversed(self._code.bound(chain.links[0].name, chain.node.start_byte)):
            model = ""
            if bound.node.type == "alias":
                model = text_of(bound.node)
            elif bound.node.start_byte != chain.node.start_byte:
                model = self.of(bound.node, draft, depth + 1)
            if model:
                return model
        return ""

    def _parameter(self, link: Link, chain: Chain) -> str:
        """Return the struct that a parameter is matched with: `def update(%User{} = user)`."""
        scope = self._code.scope(chain.node.start_byte)
        if scope < 0:
            return ""
        definition = self._code.outline.definitions[scope]
        match = re.search(rf"%([A-Z][\w.]*)\{{[^}}]*\}}\s*=\s*{re.escape(link.name)}\b", definition.signature)
        return match[1] if match else ""


def entries_of(node: Node | None) -> list[tuple[str, Node]]:
    """Return the entries of a keyword list, a map or a struct."""
    node = unwrapped(node)
    if node is None:
        return []
    if node.type in {"list", "map", "map_content"}:
        return [
            pair
            for inner in named(node)
            for pair in (
                entries_of(inner)
                if inner.type in {"keywords", "map_content"}
                else entries(node)
                if inner.type == "pair"
                else []
            )
        ]
    return entries(node) if node.type == "keywords" else []
