"""The names that a file may use for what is defined elsewhere."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from coderag.syntax.language import Language
from coderag.syntax.references.bindings import SELVES
from coderag.syntax.references.owners import Owners
from coderag.syntax.references.records import Binding, Imported

__all__ = ["KnownNames", "first_part"]

SPECIAL = SELVES | {"super", "base", "parent", "Self"}


class KnownNames:
    """The names that may stand for something beyond the function that uses them."""

    def __init__(
        self, language: Language, owners: Owners, imports: Iterable[Imported], bindings: Iterable[Binding]
    ) -> None:
        self.names = owners.bare_names(members=language.bare_names != "file")
        self.names |= {first_part(imported.alias) for imported in imports if imported.alias}
        self.any_name = language.bare_names == "package"
        self._bound = {binding[:2] for binding in bindings}
        self._told = {binding[:2] for binding in bindings if binding.value}
        self._told_names = {name for _, name in self._told}
        self.raw_names = set() if self.any_name else {one.encode() for one in self.names}
        self.raw_roots = self.raw_names | {one.encode() for one in (*self._told_names, *SPECIAL)}
        self._bound_names = {name for _, name in self._bound}
        self._verdicts: dict[tuple[str, bool], bool | None] = {}
        self._owners = owners

    def verdict(self, receiver: str, name: str) -> bool | None:
        """Tell whether a value is mentioned; None if it depends on the owner."""
        root = first_part(receiver) if receiver else name
        key = root, not receiver
        if key not in self._verdicts:
            self._verdicts[key] = self._find_verdict(root, has_receiver=bool(receiver))
        return self._verdicts[key] if name else False

    def _find_verdict(self, root: str, *, has_receiver: bool) -> bool | None:
        if has_receiver and root in SPECIAL:
            return True
        if self.any_name or root in self.names:
            return None if root in self._bound_names else True
        return None if has_receiver and root in self._told_names else False

    def keeps(self, owner: int, receiver: str, name: str) -> bool:
        """Tell whether a value is mentioned by a definition, where `verdict` cannot tell."""
        root = first_part(receiver) if receiver else name
        if receiver and root in self._told_names and self._is_told(owner, root):
            return True
        return (self.any_name or root in self.names) and not self._is_local(owner, root)

    def _is_local(self, owner: int, name: str) -> bool:
        """Tell whether a name is that of a parameter or local around a place."""
        bound, owners = self._bound, self._owners
        while owner >= 0:
            if (owner, name) in bound and owners.is_callable(owner):
                return True
            owner = owners.parents[owner]
        return False

    def _is_told(self, owner: int, name: str) -> bool:
        """Tell whether something is said of the type of a name."""
        told, parents = self._told, self._owners.parents
        while (owner, name) not in told:
            if owner < 0:
                return False
            owner = parents[owner]
        return True


@lru_cache(maxsize=4096)
def first_part(expression: str) -> str:
    """Return the name that an expression begins with."""
    first = expression.partition(".")[0]
    if first.isidentifier():
        return first
    for at, one in enumerate(expression):
        if one in ".([:\\":
            return expression[:at]
    return expression
