"""Includes of C, C++ and Objective-C: a header beside the file, or the one whose path ends so."""

from __future__ import annotations

from coderag.graph.resolve.imports.tree import NONE, Found, ImportQuery, ModuleTree, join

__all__ = ["IncludeModules"]

# Headers of the standard library of C: in angle brackets they are nobody else's.
STANDARD = frozenset(
    "assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign stdarg stdatomic "
    "stdbool stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar unistd wchar wctype".split()
)


class IncludeModules:
    """Headers."""

    by_file = False

    def __init__(self, tree: ModuleTree) -> None:
        """Take the files of an index."""
        self._tree = tree

    def files_of(self, query: ImportQuery) -> Found:
        """Return the headers that an include means, those in angle brackets ("<a/b.h>") only where there is one."""
        folder, module = query.folder, query.module
        path = module.strip('<>"')
        if not module.startswith("<"):
            here = join(folder, path)
            if here is not None and (found := self._tree.number.get(here)) is not None:
                return (found,)
        suffix = join("", path.replace("../", ""))
        if not suffix:
            return NONE
        if not module.startswith("<"):
            return self._tree.ending_near(folder, suffix)
        if suffix.removesuffix(".h") in STANDARD:
            return NONE
        ends = tuple(self._tree.ending(suffix))
        return ends if len(ends) == 1 else NONE
