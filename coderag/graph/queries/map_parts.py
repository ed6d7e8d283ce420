"""The parts of a map and what is listed of them, and how they read."""

from __future__ import annotations

from dataclasses import dataclass

from coderag.graph.queries.communities import NO_COMMUNITY
from coderag.graph.queries.entry_points import EntryGroup
from coderag.graph.queries.families import Family
from coderag.graph.queries.part_sentences import PartSentence
from coderag.graph.records import NodeKind

__all__ = [
    "DATA",
    "MapEntry",
    "MapPart",
    "RepositoryMap",
    "entry_text",
    "part_definitions",
    "part_text",
    "sentence_text",
]

DATA = (NodeKind.TABLE, NodeKind.VIEW)
MAX_SIGNATURE, MAX_DOC = 100, 90  # characters


@dataclass(frozen=True, slots=True)
class MapEntry:
    """A definition or table of a map."""

    kind: NodeKind
    name: str  # qualified
    path: str
    line: int
    signature: str = ""
    doc: str = ""
    rank: float = 0.0  # how much of the whole it matters, 0..1
    columns: int = 0  # of a table
    readers: tuple[str, ...] = ()  # of a table, those that matter most
    writers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MapPart:
    """A community: files and tables with more edges among them than to the rest."""

    name: str  # the folder that most of it is in, or its main files
    central: tuple[str, ...]  # the names that matter most in it
    files: int
    tables: int
    share: float  # of all that matters, 0..1
    entries: tuple[MapEntry, ...]  # by path and line
    about: PartSentence | None = None  # what a README, a package or its main definition says
    entry_points: tuple[EntryGroup, ...] = ()  # where programs begin in it
    community: int = NO_COMMUNITY  # its number in the graph


@dataclass(frozen=True, slots=True)
class RepositoryMap:
    """An overview of one repository: the parts that matter most first."""

    repository: str
    question: str
    files: int  # without what nobody here wrote and, unless they are asked for, tests
    parts: tuple[MapPart, ...]
    further: int  # parts that are left out
    entry_points: tuple[EntryGroup, ...] = ()  # of all parts
    families: tuple[Family, ...] = ()  # files of which one is like the other; no part shows them


def part_text(part: MapPart) -> str:
    """Return the title of a part."""
    counts = [f"{part.files:,} {'file' if part.files == 1 else 'files'}"] if part.files else []
    counts += [f"{part.tables:,} {'table' if part.tables == 1 else 'tables'}"] if part.tables else []
    is_said = part.about is not None and not part.about.name
    named = f": {', '.join(part.central)}" if part.central and not is_said else ""
    return f"{part.name} ({', '.join(counts)}){named}"


def part_definitions(part: MapPart, *, count: int) -> list[MapEntry]:
    """Return the definition or table that matters most of each main file of a part.

    Files that the title names come first, then those with definitions that matter most; each table is one by itself.
    What is private is given of files with nothing else.
    """
    titled = frozenset(part.name.split(", "))
    ranked = sorted((entry for entry in part.entries if entry.path), key=lambda entry: (_is_minor(entry), -entry.rank))
    first: dict[str, MapEntry] = {}
    for entry in ranked:
        first.setdefault(entry.name if entry.kind in DATA else entry.path, entry)
    ordered = sorted(first.values(), key=lambda entry: (entry.path not in titled, _is_minor(entry), -entry.rank))
    return ordered[:count]


def _is_minor(entry: MapEntry) -> bool:
    """Tell whether a definition is private, or a parameter of types such as T."""
    name = entry.name.rpartition(".")[2]
    return len(name) == 1 or name.startswith("_")


def entry_text(entry: MapEntry) -> tuple[str, str]:
    """Return what an entry is, and what is said of it."""
    if entry.kind in DATA:
        users = [
            f"{verb} {', '.join(names)}"
            for verb, names in (("read by", entry.readers), ("written by", entry.writers))
            if names
        ]
        return f"{entry.kind} {entry.name}", "; ".join([f"{entry.columns} columns", *users])
    scope = entry.name.rpartition(".")[0] if entry.kind is NodeKind.METHOD else ""
    text = entry.signature or f"{entry.kind} {entry.name}"
    return _cut(f"{scope}: {text}" if scope else text, MAX_SIGNATURE), _cut(entry.doc, MAX_DOC)


def sentence_text(part: MapPart) -> str:
    """Return the sentence about a part and where it stands, "" for none."""
    if part.about is None:
        return ""
    named = f"{part.about.name}: " if part.about.name and part.about.name not in part.about.text else ""
    return f"{named}{part.about.text}  {part.about.path}:{part.about.line}"


def _cut(text: str, size: int) -> str:
    return text if len(text) <= size else f"{text[: size - 1]}…"
