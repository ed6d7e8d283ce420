"""Controllers that are registered as a whole to the routes that a framework makes of them: resources.toml."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from tree_sitter import Node

from coderag.syntax.trees.call_chains import chain_of, literal, top_of
from coderag.text.inflection import singular

__all__ = ["ResourceRoute", "resource_routes"]


class ResourceRoute(NamedTuple):
    """One route of a resource."""

    method: str
    address: str
    action: str


@cache
def _tables() -> dict[tuple[str, str], dict[str, Any]]:
    """Return the table of each call, by language and name."""
    tables = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    return {(lang, call): table for table in tables.values() for lang in table["languages"] for call in table["calls"]}


def resource_routes(language: str, name: str, address: str, *, call: Node) -> Iterator[ResourceRoute]:
    """Yield the routes that a call registers; none where it is no such call."""
    table = _tables().get((language, name))
    if table is None:
        return
    only, without = _chosen(call, "only"), _chosen(call, "except") | set(table.get("without", {}).get(name, ()))
    path, last = _path(address, table["key"])
    for action, methods, behind in table["actions"]:
        if action in without or (only and action not in only):
            continue
        for method in methods.split():
            yield ResourceRoute(method, path + behind.replace("{}", last), action)


def _path(address: str, key: str) -> tuple[str, str]:
    """Return the path of all, and the key of one: photos.comments lies below /photos/{photo}."""
    *outer, last = address.strip("/").split(".") if "%s" in key else [address.strip("/")]
    path = "".join(f"/{one}/{_key(one, key)}" for one in outer)
    return f"{path}/{last}".rstrip("/"), _key(last, key)


def _key(name: str, key: str) -> str:
    return key % singular(name.rpartition("/")[2].replace("-", "_")) if "%s" in key else key


def _chosen(call: Node, name: str) -> set[str]:
    """Return the actions that a call names as those that count, or those left out."""
    chain = chain_of(top_of(call))
    if chain is None:
        return set()
    nodes = [
        node
        for link in chain.links
        for node in ((link.argument(0),) if link.name == name else (link.keyword(name),))
        if node is not None
    ]
    return {text for node in nodes for text in _texts(node)}


def _texts(node: Node) -> Iterator[str]:
    """Yield a text, or those of a list."""
    text = literal(node)
    if text is not None:
        yield text
        return
    for child in node.named_children:
        for one in (child, *child.named_children):
            if (text := literal(one)) is not None:
                yield text
                break
