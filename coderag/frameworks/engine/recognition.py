"""How the frameworks of schemas/frameworks/ are recognised in a file: by texts that it must hold."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

import msgspec

from coderag.frameworks.common.held_texts import holds
from coderag.frameworks.engine.vocabulary import framework_data
from coderag.resources import data_folder

__all__ = ["Recognised", "declaring", "using"]

FILE = "framework.toml"


class Sign(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The languages of a framework's files, of which one has at least one text of each list, and none that it lacks."""

    languages: tuple[str, ...]
    holds: tuple[tuple[str, ...], ...]
    lacks: tuple[str, ...] = ()


class Signs(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How files are recognised that declare models (models.toml), and that use them (verbs.toml)."""

    title: str
    declares: Sign | None = None
    uses: Sign | None = None


class Recognised(NamedTuple):
    """A framework that a file of a language may belong to."""

    framework: str
    holds: tuple[tuple[bytes, ...], ...]
    lacks: tuple[bytes, ...]

    def is_in(self, data: bytes) -> bool:
        """Tell whether a file may belong to it: some searches for plain bytes, the rarest first."""
        return holds(data, self.holds) and not any(text in data for text in self.lacks)


def declaring(language: str) -> tuple[Recognised, ...]:
    """Return the frameworks whose models may be declared in files of a language."""
    return _by_language()[0].get(language, ())


def using(language: str) -> tuple[Recognised, ...]:
    """Return the frameworks whose models may be used in files of a language."""
    return _by_language()[1].get(language, ())


@cache
def _by_language() -> tuple[Mapping[str, tuple[Recognised, ...]], Mapping[str, tuple[Recognised, ...]]]:
    declares: dict[str, tuple[Recognised, ...]] = {}
    uses: dict[str, tuple[Recognised, ...]] = {}
    for path in sorted(data_folder("schemas/frameworks").glob(f"*/{FILE}")):
        signs = framework_data(path.parent.name, FILE, Signs)
        for found, sign in ((declares, signs.declares), (uses, signs.uses)):
            if sign is None:
                continue
            for language in sign.languages:
                holds = tuple(tuple(text.encode() for text in texts) for texts in sign.holds)
                lacks = tuple(text.encode() for text in sign.lacks)
                found[language] = (*found.get(language, ()), Recognised(path.parent.name, holds, lacks))
    return declares, uses
