"""How each language finds what a name means, as rules.toml tells it."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

__all__ = ["Rules", "rules_of"]


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of a language; rules.toml says what each field means."""

    language: str
    family: str
    this: frozenset[str]
    class_words: frozenset[str]
    super_words: frozenset[str]
    bare_members: bool
    body_names: bool
    open_types: frozenset[str]
    bare_calls: bool
    full_names: str
    overloads: bool
    imports_types: bool
    reexports: bool
    packages: bool
    implicit_interfaces: bool
    closed: bool
    linked: bool
    submodules: bool
    constructors: tuple[str, ...]
    creators: frozenset[str]
    inner_results: bool
    locators: frozenset[str]
    binders: frozenset[str]
    callers: frozenset[str]
    runners: Mapping[str, str] = field(hash=False)
    fronts: frozenset[str]
    titles: frozenset[str]
    properties: frozenset[str]
    wrappers: frozenset[str]
    words: frozenset[str]  # that stand for the instance or the class around
    word_roots: frozenset[str]  # the same without "()"


@cache
def rules_of(language: str) -> Rules:
    """Return the rules of a language; one that rules.toml does not have gets the default ones."""
    table = _table()
    own = table.get(language, {})
    values: dict[str, Any] = {**table["default"], **(table[own["like"]] if "like" in own else own)}
    words = frozenset((*values["this"], *values["class"], *values["super"]))
    return Rules(
        language=language,
        family=values["family"] or language,
        this=frozenset(values["this"]),
        class_words=frozenset(values["class"]),
        super_words=frozenset(values["super"]),
        bare_members=values["bare_members"],
        body_names=values["body_names"],
        open_types=frozenset(values["open_types"]),
        bare_calls=values["bare_calls"],
        full_names=values["full_names"],
        overloads=values["overloads"],
        imports_types=values["imports_types"],
        reexports=values["reexports"],
        packages=values["packages"],
        implicit_interfaces=values["implicit_interfaces"],
        closed=values["closed"],
        linked=values["linked"],
        submodules=values["submodules"],
        constructors=tuple(values["constructors"]),
        creators=frozenset(values["creators"]),
        inner_results=values["inner_results"],
        locators=frozenset(values["locators"]),
        binders=frozenset(values["binders"]),
        callers=frozenset(values["callers"]),
        runners=values["runners"],
        fronts=frozenset(values["fronts"]),
        titles=frozenset(values["titles"]),
        properties=frozenset(values["properties"]),
        wrappers=frozenset(values["wrappers"]),
        words=words,
        word_roots=frozenset(word.removesuffix("()") for word in words),
    )


@cache
def _table() -> dict[str, dict[str, Any]]:
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
