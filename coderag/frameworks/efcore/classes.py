"""Classes of C# that may be entities, because a context in another file has a set of them."""

from __future__ import annotations

import re

from coderag.frameworks.efcore.models import entity_class
from coderag.sql.records import Entities, Facts
from coderag.syntax.trees.tree import descendants, parse

__all__ = ["read"]

ID = re.compile(rb"\bpublic\s+(?:virtual\s+|required\s+)?\w+\??\s+\w*Id\s*\{\s*get;")
FOLDERS = re.compile(r"(?i)(?:^|/)[\w.]*(?:entities|entity|models?|domain)/")
OTHERS = re.compile(r"(?i)dtos?\b|viewmodels?|requests?\b|responses?\b|controllers?/|tests?\b|migrations/|contracts?/")


def read(data: bytes, *, language: str, path: str) -> Facts | None:
    """Return the classes of a file that entities may be: they have an id, or lie where entities do; None for none."""
    if OTHERS.search(path) or not (ID.search(data) or FOLDERS.search(path)):
        return None
    root = parse(data, language)
    nodes = descendants(root, "class_declaration", "record_declaration")
    classes = tuple(found for node in nodes if (found := entity_class(node)) is not None)
    return Facts(entities=Entities(classes)) if classes else None
