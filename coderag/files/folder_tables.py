"""Names of folders and files to what they mean: not to be read, and why; of tests, generated, vendored or examples."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from coderag.files.ignore import parse_globs
from coderag.files.skipped import SkipReason
from coderag.syntax.language import Language, project_languages

__all__ = ["NO_LABELS", "FolderTables", "Labels", "folder_tables"]

NO_LABELS: frozenset[str] = frozenset()


class Labels:
    """The patterns that give labels."""

    def __init__(self, globs: Mapping[str, Sequence[str]]) -> None:
        self.by_label = {label: parse_globs(found) for label, found in globs.items()}
        # Most names match no pattern at all, and then one look is enough.
        self.every = parse_globs([glob for found in globs.values() for glob in found if not glob.startswith("!")])

    def of(self, path: bytes, name: bytes, *, folder: bool) -> frozenset[str]:
        if self.every.match(path, name, folder=folder) is None:
            return NO_LABELS
        return frozenset(label for label, rules in self.by_label.items() if rules.match(path, name, folder=folder))


class FolderTables:
    """The tables of folders.toml, and the names of test files that the languages give."""

    def __init__(self, table: Mapping[str, Any]) -> None:
        skip = table["skip"]
        kinds = ((SkipReason.DEPENDENCIES, skip["dependencies"]), (SkipReason.BUILD_FOLDER, skip["build"]))
        never = table["never"]["names"]
        self._never = frozenset(name for name in never if not name.endswith("*"))
        self._never_begins = tuple(name[:-1] for name in never if name.endswith("*"))
        self.secrets = parse_globs(table["secrets"]["files"])
        self.always = [(reason, parse_globs(entry["always"])) for reason, entry in kinds]
        self.always.append((SkipReason.SECRET, parse_globs(table["secrets"]["folders"])))
        self.inside = {name: reason for reason, entry in kinds for name in entry["inside"]}
        self.telling = self.inside.keys() | project_languages().keys()
        self.beside = {name: parse_globs(patterns) for name, patterns in skip["build"]["beside"].items()}
        self.folder_labels = Labels({label: entry["folders"] for label, entry in table["labels"].items()})
        self.file_globs = {label: entry["files"] for label, entry in table["labels"].items()}
        self.file_labels: dict[str, Labels] = {}

    def is_never_read(self, name: str) -> bool:
        """Tell whether an entry is left out by its name, whatever rules say."""
        return name in self._never or name.startswith(self._never_begins)

    def built(self, name: str, siblings: Iterable[str]) -> SkipReason | None:
        """Return why the name is that of a folder not to be read, given what lies beside it."""
        encoded = os.fsencode(name)
        for reason, rules in self.always:
            if rules.match(encoded, encoded, folder=True):
                return reason
        beside = self.beside.get(name)
        if beside and any(beside.match(other, other, folder=False) for other in map(os.fsencode, siblings)):
            return SkipReason.BUILD_FOLDER
        return None

    def of_folder(self, path: bytes, name: bytes) -> frozenset[str]:
        """Return the labels that a folder gives to all that it holds."""
        return self.folder_labels.of(path, name, folder=True)

    def of_file(self, path: bytes, name: bytes, language: Language) -> frozenset[str]:
        """Return the labels that a file has by its own name."""
        if language.name not in self.file_labels:
            tests = [*self.file_globs["test"], *language.tests]
            self.file_labels[language.name] = Labels(self.file_globs | {"test": tests})
        return self.file_labels[language.name].of(path, name, folder=False)


@cache
def folder_tables() -> FolderTables:
    """Return the tables of folders.toml."""
    return FolderTables(tomllib.loads(Path(__file__).with_name("folders.toml").read_text(encoding="utf-8")))
