"""A tree of JSON to one in which something is hostile, and to bytes, also such as no encoder of Python would write."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

from scripts.fuzzing_index.hostile import OTHER_TYPES, Raw, hostile_number, hostile_text

__all__ = ["Pairs", "edit_tree", "encode"]

LARGE = 20_000  # elements of a list that repeats itself

Tree = Any  # what JSON can say, with Raw and Pairs in it
Path = tuple[Any, ...]  # keys and positions, from the root


class Pairs(list[tuple[str, Tree]]):
    """An object with keys that may occur twice."""


def encode(tree: Tree) -> bytes:
    """Return JSON without white space."""
    return "".join(_written(tree)).encode("utf-8", "surrogatepass")


def edit_tree(tree: Tree, source: random.Random) -> tuple[Tree, str]:
    """Return a copy of a tree with one hostile change, and where and what it is."""
    tree = deepcopy(tree)
    path = _place(tree, source)
    old = _at(tree, path)
    new, what = _changed(old, tree, source)
    return _with(tree, path, new), f"{'/'.join(map(str, path)) or 'all'}: {what}"


def _written(tree: Tree) -> Iterator[str]:
    if isinstance(tree, Raw):
        yield tree
    elif isinstance(tree, dict | Pairs):
        yield "{"
        for number, (key, value) in enumerate(tree.items() if isinstance(tree, dict) else tree):
            yield f"{',' if number else ''}{json.dumps(str(key))}:"
            yield from _written(value)
        yield "}"
    elif isinstance(tree, list | tuple):
        yield "["
        for number, value in enumerate(tree):
            yield "," if number else ""
            yield from _written(value)
        yield "]"
    else:
        yield json.dumps(tree)


def _place(tree: Tree, source: random.Random) -> Path:
    """Return the path of some node; those near the root and those deep inside are as likely."""
    path: list[Any] = []
    while isinstance(tree, dict | list | tuple) and tree and (not path or source.random() < 0.85):
        key = source.choice(list(tree)) if isinstance(tree, dict) else source.randrange(len(tree))
        path.append(key)
        tree = tree[key]
    return tuple(path)


def _at(tree: Tree, path: Path) -> Tree:
    for key in path:
        tree = tree[key]
    return tree


def _with(tree: Tree, path: Path, new: Tree) -> Tree:
    if not path:
        return new
    above = _at(tree, path[:-1])
    if isinstance(above, tuple):
        replaced = list(above)
        replaced[path[-1]] = new
        return _with(tree, path[:-1], tuple(replaced))
    above[path[-1]] = new
    return tree


def _changed(old: Tree, tree: Tree, source: random.Random) -> tuple[Tree, str]:
    if source.random() < 0.2:
        new = source.choice(OTHER_TYPES)
        return new, f"another type: {_brief(new)}"
    if source.random() < 0.06:
        other = _place(tree, source)
        return deepcopy(_at(tree, other)), f"what is at {'/'.join(map(str, other))}"
    if isinstance(old, dict):
        return source.choice(OF_OBJECTS)(old, source)
    if isinstance(old, list | tuple):
        return source.choice(OF_LISTS)(list(old), source)
    if isinstance(old, bool | int | float):
        near = isinstance(old, int | float) and source.random() < 0.25
        number = old + source.choice((-1, 1, 100)) if near else hostile_number(source)
        return number, f"{_brief(old)} becomes {_brief(number)}"
    new = hostile_text(source)
    return new, f"{_brief(old)} becomes {_brief(new)}"


def _brief(value: object) -> str:
    return repr(value)[:60]


def _without_a_key(old: dict[str, Tree], source: random.Random) -> tuple[Tree, str]:
    key = source.choice(list(old) or [""])
    return {name: value for name, value in old.items() if name != key}, f"without {_brief(key)}"


def _renamed_key(old: dict[str, Tree], source: random.Random) -> tuple[Tree, str]:
    key, new = source.choice(list(old) or [""]), hostile_text(source)
    renamed = Pairs((new if name == key else name, value) for name, value in old.items())
    return renamed, f"{_brief(key)} is called {_brief(new)}"


def _twice_a_key(old: dict[str, Tree], source: random.Random) -> tuple[Tree, str]:
    key = source.choice(list(old) or [""])
    second = source.choice(OTHER_TYPES)
    return Pairs([*old.items(), (key, second)]), f"{_brief(key)} twice, then {_brief(second)}"


def _further_key(old: dict[str, Tree], source: random.Random) -> tuple[Tree, str]:
    key, value = hostile_text(source), source.choice([*old.values(), *OTHER_TYPES])
    return Pairs([*old.items(), (key, value)]), f"a further {_brief(key)}: {_brief(value)}"


def _emptied(old: Tree, _: random.Random) -> tuple[Tree, str]:
    return type(old)(), "emptied"


def _shorter(old: list[Tree], source: random.Random) -> tuple[Tree, str]:
    at = source.randrange(len(old) or 1)
    return old[:at] + old[at + 1 :], f"without number {at}"


def _repeated(old: list[Tree], source: random.Random) -> tuple[Tree, str]:
    times = source.choice((2, 2, 50, LARGE // (len(old) or 1) + 1 if len(encode(old)) < LARGE else 2))
    return old * times, f"{times} times"


def _reordered(old: list[Tree], source: random.Random) -> tuple[Tree, str]:
    shuffled = old[::-1] if source.random() < 0.5 else source.sample(old, len(old))
    return shuffled, "in another order"


def _longer(old: list[Tree], source: random.Random) -> tuple[Tree, str]:
    number = hostile_number(source)
    value = source.choice((source.choice(OTHER_TYPES), number, hostile_text(source)))
    return [*old, value], f"a further {_brief(value)}"


OF_OBJECTS: tuple[Callable[[dict[str, Tree], random.Random], tuple[Tree, str]], ...] = (
    *(_without_a_key, _renamed_key, _twice_a_key, _further_key, _emptied),
)
OF_LISTS: tuple[Callable[[list[Tree], random.Random], tuple[Tree, str]], ...] = (
    *(_shorter, _repeated, _reordered, _longer, _emptied),
)
