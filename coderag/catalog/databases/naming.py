"""Drafts of databases to names that tell them apart, and the environments that their folders tell."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from coderag.catalog.databases.candidates import DatabaseCandidate
from coderag.catalog.databases.path_dialects import without_dialect
from coderag.catalog.databases.places import environment_of, folder_name, stem_name, stem_of
from coderag.sql.records import Origin
from coderag.sql.settings import Settings
from coderag.sql.version_folders import MIGRATION_FOLDERS

__all__ = ["database_names", "environment"]

UNNAMED = "main"


def environment(draft: DatabaseCandidate) -> str:
    """Return prod, dev and so on, where the settings or the folder of the main file say it."""
    files = draft.files
    explicit = draft.environment or next((file.settings.environment for file in files if file.settings.environment), "")
    # A folder "staging" of dbt is a layer of models.
    ignores_folder = draft.live or any(Origin.DBT in file.origins for file in files)
    return explicit or ("" if ignores_folder else environment_of(draft.main().path))


def database_names(drafts: Sequence[DatabaseCandidate], settings: Settings) -> list[str]:
    """Return a name for each draft, each another one: where two are alike, folders are put in front."""
    candidates = [_candidates(draft, settings) for draft in drafts]
    level = [0] * len(drafts)
    while True:
        taken: defaultdict[str, list[int]] = defaultdict(list)
        for number, names in enumerate(candidates):
            taken[names[level[number]].casefold()].append(number)
        clashes = [
            number
            for numbers in taken.values()
            if len(numbers) > 1
            for number in _yielding([(number, drafts[number]) for number in numbers])
            if level[number] + 1 < len(candidates[number])
        ]
        if not clashes:
            return _numbered([names[level[number]] for number, names in enumerate(candidates)])
        for number in clashes:
            level[number] += 1


def _yielding(drafts: Sequence[tuple[int, DatabaseCandidate]]) -> list[int]:
    """Return which of some drafts of one name take another: those that create nothing, else those not surely named."""
    empty = [number for number, draft in drafts if not draft.names()]
    unnamed = [number for number, draft in drafts if not draft.name]
    return empty if 0 < len(empty) < len(drafts) else unnamed or [number for number, _ in drafts]


def _candidates(draft: DatabaseCandidate, settings: Settings) -> list[str]:
    """Return names for a draft, the shortest first: shop, sql/shop, services/sql/shop."""
    if draft.name:
        by_environment = [f"{draft.environment}/{draft.name}"] if draft.environment else []
        return [draft.name, *by_environment, *_with_folders(draft, draft.name)]
    main = draft.main()
    stem = without_dialect(stem_name(main.path)) if draft.editions else stem_name(main.path)
    name = _folder_or_stem(draft, stem, settings)
    stems = [stem_of(main.path), main.path.rpartition("/")[2].rpartition(".")[0]] if name == stem else []
    # Where files switch to a database, that gets its name from there, and what is outside of it another one.
    own = "" if any(file.switches for file in draft.files) else draft.told()
    return list(dict.fromkeys(filter(None, (own, name, *stems, *_with_folders(draft, name)))))


def _folder_or_stem(draft: DatabaseCandidate, stem: str, settings: Settings) -> str:
    """Return what a draft is called after: its folder where several files make it, else its main file."""
    folder = folder_name(draft.folder)
    creators = sum(bool(member.tables) for member in draft.members)
    if draft.series or draft.models or draft.project or (draft.whole_folder and creators != 1):
        return folder or settings.name or UNNAMED
    return stem or folder or settings.name or stem_of(draft.main().path)


def _with_folders(draft: DatabaseCandidate, name: str) -> list[str]:
    """Return a name with more and more folders before it."""
    parts = draft.folder.split("/") if draft.folder else []
    while len(parts) > 1 and parts[-1].casefold() in MIGRATION_FOLDERS:
        parts.pop()
    return [f"{'/'.join(parts[-size:])}/{name}" for size in range(1, len(parts) + 1) if parts[-size] != name]


def _numbered(names: Sequence[str]) -> list[str]:
    seen: dict[str, int] = {}
    numbered = []
    for name in names:
        number = seen[name.casefold()] = seen.get(name.casefold(), 0) + 1
        numbered.append(name if number == 1 else f"{name} ({number})")
    return numbered
