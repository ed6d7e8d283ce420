"""Paths of SQL files to their places in a series of migrations, and a series to the order in which it is applied."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import pairwise
from typing import NamedTuple

from coderag.sql.records import SchemaProblem, Series
from coderag.sql.version_folders import MIGRATION_FOLDERS, folder_versions, states_all
from coderag.syntax.lines import Lines, Rows

__all__ = [
    "GRAPHS",
    "MIGRATION_WORDS",
    "NAMED_BY_FOLDER",
    "Migration",
    "down_rows",
    "home_of",
    "is_sql",
    "ordered",
    "series_in",
    "series_of",
    "version_key",
]

# Markers of the tools that keep both directions in one file: goose, sql-migrate, micrate, dbmate, rambler, Play, tern,
# MyBatis.
UP = re.compile(
    rb"(?im)^[ \t]*(?:--[ \t]*(?:\+(?:goose|migrate|micrate)[ \t]+up|migrate:up|rambler[ \t]+up)|(?:--|#)[ \t-]*!ups)\b"
)
DOWN = re.compile(
    rb"(?im)^[ \t]*(?:--[ \t]*(?:\+(?:goose|migrate|micrate)[ \t]+down|migrate:down|rambler[ \t]+down|//[ \t]*@undo)"
    rb"|(?:--|#)[ \t-]*!downs|----[ \t]*create above / drop below)\b"
)
# What a marker holds in lower case; a file without any is not searched line by line.
MARKS = (b"+goose", b"+migrate", b"+micrate", b"migrate:", b"rambler", b"!downs", b"@undo", b"drop below")

# A dialect may stand behind the extension: 01_users.sql.postgres.
SQL = re.compile(r"\.sql(?:\.[a-z]\w+)?", re.IGNORECASE)
SQL_ENDING = re.compile(rf"{SQL.pattern}\Z", re.IGNORECASE)
FLYWAY = re.compile(rf"(?P<kind>[VUBR])(?P<version>\d+(?:[._]\d+)*)?__(?P<name>.*?){SQL.pattern}", re.IGNORECASE)
NUMBERED = re.compile(rf"[vV]?(?P<version>\d+(?:[._-]\d+)*)(?P<rest>(?:[-_. +T].*?)?){SQL.pattern}", re.IGNORECASE)
FOLDER = re.compile(r"(?P<version>\d{4}-\d\d-\d\d[-_]?\d*|\d+)(?:[-_].*)?")
# The direction stands at the end (x.up, x_down) or, for postgrator, behind the number (001.do.x).
DIRECTION = re.compile(r"(?i)(?P<stem>.*)[-_.](?P<direction>up|down|do|undo|rollback|revert)|\.(?P<front>do|undo)\..*")
MIGRATION_WORDS = frozenset({"migrate", "migration", "migrations"})  # in the name of a folder: old_migrations
WORDS = re.compile(r"[-_.]")
NAMED_BY_FOLDER = "folders"  # the tool of files whose folder says the version
NOT_NUMBERED = frozenset({NAMED_BY_FOLDER, "liquibase"})  # tools whose versions several files may have
FOLDER_EACH = frozenset({"prisma", "diesel", NAMED_BY_FOLDER})  # tools with a folder for each version
REVERTS = frozenset({"revert", "verify", "rollback", "rollbacks", "down"})  # folders beside "deploy" or "up"
GRAPHS = frozenset({"alembic", "django"})  # tools whose migrations say what they come after, all but the first
PLANNED = frozenset({"sqitch"})  # tools whose migrations need not follow each other: a plan has them in order
DEPLOYS = frozenset({"deploy", "up"})
UPS = frozenset({"up", "do"})
DOWNS = frozenset({"down", "undo", "rollback", "revert"})
TIMESTAMP = re.compile(r"(?:19|20)\d\d(?:\d{4,}|[-_.][01]?\d[-_.][0-3]?\d)")
TIME_DIGITS = len("20240131120000")
NUMBER = re.compile(r"\d+")
PIECE = re.compile(r"\d+|\D+")
MAX_NUMBER = 10**12  # behind every number that a name begins with
ALIKE = 0.9  # of the numbers in front of names, for them to be versions where one is written otherwise
MIN_CONSECUTIVE = 3  # versions; of two, nobody can tell whether one between is missing
HOLES = 4  # at most one version in so many may be missing for the others to count as consecutive
MAX_NAMED = 5  # in the text of a problem


class Migration(NamedTuple):
    """A file and its place."""

    path: str
    series: Series


def down_rows(data: bytes) -> tuple[Rows, ...]:
    """Return the rows of a migration that take it back again, for tools that keep both directions in one file.

    Its statements there are not applied. Rows are 0-based and inclusive, from the marker to the next or the end.
    """
    lowered = data.lower()
    if not any(mark in lowered for mark in MARKS):
        return ()
    marks = [(match.start(), False) for match in UP.finditer(data)]
    marks += [(match.start(), True) for match in DOWN.finditer(data)]
    marks.sort()
    if not any(down for _, down in marks):
        return ()
    lines = Lines(data)
    row_at = {start: row for row, start in enumerate(lines.starts)}
    rows: list[Rows] = []
    for position, (start, down) in enumerate(marks):
        if down:
            after = marks[position + 1][0] if position + 1 < len(marks) else -1
            rows.append((row_at[start], row_at[after] - 1 if after >= 0 else len(lines) - 1))
    return tuple(rows)


def series_in(paths: Iterable[str]) -> dict[str, Series]:
    """Return the places of those SQL files that their names and folders tell to be migrations."""
    folders: defaultdict[str, list[str]] = defaultdict(list)
    for path in paths:
        if is_sql(path):
            folders[_folder(path)].append(path)
    versions = folder_versions(folders)
    found: dict[str, Series] = {}
    for folder, members in folders.items():
        if (version := versions.get(folder)) is not None:
            found |= {path: _in_version(path, version) for path in members}
            continue
        numbering = _is_numbering(folder, members)
        names = {_name(path).lower() for path in members}
        reverts = _name(folder).lower() in REVERTS and any(
            other in folders for other in (f"{_folder(folder)}/{deploy}".lstrip("/") for deploy in DEPLOYS)
        )
        for path in members:
            series = _place(path, names, numbering=numbering)
            if series is None and reverts:
                series = Series("sqitch", name=_name(path), direction="down")
            if series is not None:
                found[path] = series
    return found


def is_sql(path: str) -> bool:
    """Tell whether a file is named as one of SQL, a dialect behind the extension included."""
    return SQL_ENDING.search(path) is not None


def _in_version(path: str, version: str) -> Series:
    """Return the place of a file in a folder that is named after a version."""
    stem = _stem(_name(path))
    if states_all(_folder(path)):
        return Series(NAMED_BY_FOLDER, version=version, name=stem, snapshot=True)
    return Series(NAMED_BY_FOLDER, version=version, name=f"{version}/{stem}", direction=_direction(stem) or "up")


def series_of(path: str, siblings: Collection[str]) -> Series | None:
    """Return the place of a SQL file, given the paths of its folder's SQL files; None if it is no migration."""
    return series_in({path, *siblings}).get(path)


def home_of(path: str, series: Series) -> str:
    """Return the folder of the series that a migration belongs to."""
    parent = _folder(path)
    while series.tool == NAMED_BY_FOLDER and _name(parent) not in ("", series.version):
        parent = _folder(parent)
    is_sqitch = series.tool == "sqitch" and _name(parent) in REVERTS | DEPLOYS
    return _folder(parent) if is_sqitch or series.tool in FOLDER_EACH else parent


def version_key(version: str) -> tuple[int, ...]:
    """Return what orders versions: the numbers in them. A time counts as one: 2024_01_31_120000, 2024-01-31-120000."""
    if TIMESTAMP.match(together := version.replace("_", "")):
        if together.isdecimal():
            return (int(together),)
        if (digits := together.replace("-", "")).isdecimal():  # a day alone comes before its hours
            return (int(digits.ljust(TIME_DIGITS, "0")),)
    return tuple(int(number) for number in NUMBER.findall(version))


def ordered(migrations: Sequence[Migration], *, complete: bool = True) -> tuple[list[str], list[SchemaProblem]]:
    """Return the paths of one series in the order in which they are applied, and what does not fit together.

    Files that lead back, snapshots and what another one replaces are left out. Where migrations say what they come
    after, that counts, then the version, then the path; those that come after one that is missing stand where their
    version says. Where some may be left out of `migrations` (`complete` false), holes in their numbers tell nothing.
    """
    replaced = {name for migration in migrations for name in migration.series.replaces}
    ups = [
        migration for migration in migrations if _is_applied(migration.series) and migration.series.name not in replaced
    ]
    ups.sort(key=_sort_key)
    baseline = max(
        (migration for migration in ups if migration.series.direction == "baseline"), key=_sort_key, default=None
    )
    if baseline is not None:
        first = version_key(baseline.series.version)
        ups = [migration for migration in ups if migration is baseline or version_key(migration.series.version) > first]
    repeatable = sorted(migration.path for migration in migrations if migration.series.direction == "repeatable")
    if any(migration.series.after or migration.series.tool in GRAPHS for migration in ups):
        paths, problems = _by_graph(ups)
    else:
        paths, problems = [migration.path for migration in ups], _version_problems(ups)
        problems += _hole_problems(ups) if complete else []
    return [*paths, *repeatable], problems


def _is_applied(series: Series) -> bool:
    return series.direction in {"up", "baseline"} and not series.snapshot


def _sort_key(migration: Migration) -> tuple[tuple[int, ...], tuple[tuple[int, str], ...], str]:
    name = _name(migration.path) if migration.series.tool == NAMED_BY_FOLDER else ""
    return version_key(migration.series.version), _natural(name), migration.path


def _natural(name: str) -> tuple[tuple[int, str], ...]:
    """Return what sorts names by the numbers in them, numbers before letters."""
    return tuple((int(piece), "") if piece.isdecimal() else (MAX_NUMBER, piece) for piece in PIECE.findall(name))


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _stem(name: str) -> str:
    return SQL_ENDING.sub("", name)


def _is_numbering(folder: str, members: Sequence[str]) -> bool:
    """Tell whether numbers in front of the names of a folder's files are versions."""
    last = folder.lower().split("/")[-2:]
    if not MIGRATION_FOLDERS.isdisjoint(last) or not MIGRATION_WORDS.isdisjoint(WORDS.split(last[-1])):
        return True
    versions = [match["version"] for path in members if (match := NUMBERED.fullmatch(_name(path)))]
    if len(versions) < 2 or len(versions) * 2 < len(members):
        return False
    if sum(version.startswith("0") or bool(TIMESTAMP.match(version)) for version in versions) >= ALIKE * len(versions):
        return True
    numbers = sorted({int(version) for version in versions if version.isdecimal()})
    return numbers == list(range(numbers[0], numbers[0] + len(versions))) and numbers[0] <= 1 if numbers else False


def _place(path: str, names: Collection[str], *, numbering: bool) -> Series | None:
    name, parent = _name(path), _name(_folder(path))
    if match := FLYWAY.fullmatch(name):
        return _flyway(match)
    if name.lower() in {"migration.sql", "up.sql", "down.sql"} and (match := FOLDER.fullmatch(parent)):
        tool = "prisma" if name.lower() == "migration.sql" else "diesel"
        direction = "down" if name.lower() == "down.sql" else "up"
        return Series(tool, version=match["version"], name=parent, direction=direction)
    if match := NUMBERED.fullmatch(name):
        direction = _direction(match["rest"])
        if not numbering and not direction:
            return None
        tool = _tool(path, match["version"], directed=bool(direction))
        return Series(tool, version=match["version"], name=_stem(name), direction=direction or "up")
    return _unnumbered(name, names)


def _flyway(found: re.Match[str]) -> Series | None:
    kind = found["kind"].upper()
    direction = {"V": "up", "U": "down", "B": "baseline", "R": "repeatable"}[kind]
    if (kind == "R") == bool(found["version"]):
        return None
    return Series("flyway", version=found["version"] or "", name=_stem(found[0]), direction=direction)


def _tool(path: str, version: str, *, directed: bool) -> str:
    folders = path.lower().split("/")[:-1]
    for tool in ("supabase", "evolutions", "drizzle"):
        if tool in folders:
            return tool
    if directed:
        return "golang-migrate"
    return "timestamped" if TIMESTAMP.match(version) else "numbered"


def _unnumbered(name: str, names: Collection[str]) -> Series | None:
    """Return the place of a file that is one of a pair such as x.up.sql and x.down.sql."""
    stem = _stem(name)
    direction = _direction(stem)
    if not direction:
        return None
    start = stem.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")  # its separator included
    others = UPS if direction == "down" else DOWNS
    if not any(f"{start}{other}.sql".lower() in names for other in others):
        return None
    return Series("pairs", name=start[:-1], direction=direction)


def _direction(text: str) -> str:
    """Return "up" or "down" where a name ends so, "" if it does not."""
    match = DIRECTION.fullmatch(text)
    if match is None:
        return ""
    return "down" if (match["direction"] or match["front"]).lower() in DOWNS else "up"


def _by_graph(ups: Sequence[Migration]) -> tuple[list[str], list[SchemaProblem]]:
    """Return the order that `after` gives; of those that may come next, the lowest version does."""
    by_name, problems = _by_name(ups)
    problems += _missing(ups, by_name)
    paths = _topological(ups, by_name)
    applied = set(paths)
    if circle := [migration.path for migration in ups if migration.path not in applied]:
        problems.append(SchemaProblem(circle[0], 0, f"these migrations come after each other: {_some(circle)}"))
        paths += circle
    elif all(migration.series.tool == "django" for migration in ups):
        paths = _app_by_app(ups, by_name)
    return paths, [*problems, *_heads(ups, by_name)]


def _by_name(ups: Sequence[Migration]) -> tuple[dict[str, Migration], list[SchemaProblem]]:
    """Return migrations by their names and those that they replace, and a problem for each name that two have."""
    by_name: dict[str, Migration] = {}
    problems: list[SchemaProblem] = []
    for migration in ups:
        first = by_name.setdefault(migration.series.name, migration)
        if first is not migration and migration.series.name:
            problems.append(SchemaProblem(migration.path, 0, f"migration {migration.series.name} is also {first.path}"))
        by_name |= dict.fromkeys(migration.series.replaces, migration)
    return by_name, problems


def _missing(ups: Sequence[Migration], by_name: Mapping[str, Migration]) -> list[SchemaProblem]:
    """Return a problem for each missing migration that another one comes after; Django's own apps have no files."""
    apps = {_app(migration.series) for migration in ups}
    return [
        SchemaProblem(
            migration.path,
            0,
            f"migration {migration.series.name or migration.path} comes after {name}, which is missing",
        )
        for migration in ups
        for name in migration.series.after
        if name not in by_name and (migration.series.tool != "django" or name.partition(".")[0] in apps)
    ]


def _topological(ups: Sequence[Migration], by_name: Mapping[str, Migration]) -> list[str]:
    """Return migrations, each behind those that it comes after, the first in `ups` first; none that is in a circle."""
    position = {migration.path: number for number, migration in enumerate(ups)}
    waiting: dict[str, set[str]] = {}
    followers: defaultdict[str, list[str]] = defaultdict(list)
    for migration in ups:
        before = {by_name[name].path for name in migration.series.after if name in by_name} - {migration.path}
        waiting[migration.path] = before
        for path in before:
            followers[path].append(migration.path)
    free = [position[path] for path, before in waiting.items() if not before]
    heapify(free)
    paths: list[str] = []
    while free:
        path = ups[heappop(free)].path
        paths.append(path)
        for follower in followers[path]:
            waiting[follower].discard(path)
            if not waiting[follower]:
                heappush(free, position[follower])
    return paths


def _app_by_app(ups: Sequence[Migration], by_name: Mapping[str, Migration]) -> list[str]:
    """Return the order in which Django applies migrations: app by app, each with what it comes after in front.

    As django.db.migrations.graph.MigrationGraph.iterative_dfs does, for every leaf by name.
    """
    before = {
        migration.path: sorted(
            {by_name[name] for name in migration.series.after if name in by_name} - {migration}, key=_named
        )
        for migration in ups
    }
    apps = {migration.path: _app(migration.series) for migration in ups}
    followed = {
        migration.path
        for path, parents in before.items()
        for migration in parents
        if apps[path] == apps[migration.path]
    }
    found: dict[str, None] = {}
    for leaf in sorted((migration for migration in ups if migration.path not in followed), key=_named):
        waiting = [(leaf, False)]
        while waiting:
            migration, done = waiting.pop()
            if migration.path in found:
                continue
            if done:
                found[migration.path] = None
                continue
            waiting.append((migration, True))
            waiting += [(parent, False) for parent in before[migration.path]]
    return list(found)


def _named(migration: Migration) -> str:
    return migration.series.name


def _app(series: Series) -> str:
    """Return which of several chains in a series a migration belongs to: Django has one for each app."""
    return series.name.partition(".")[0] if series.tool == "django" else ""


def _heads(ups: Sequence[Migration], by_name: Mapping[str, Migration]) -> list[SchemaProblem]:
    """Return a problem for each chain with several migrations that nothing comes after."""
    followed = {
        by_name[name].path
        for migration in ups
        for name in migration.series.after
        if name in by_name and _app(by_name[name].series) == _app(migration.series)
    }
    heads: defaultdict[str, list[Migration]] = defaultdict(list)
    for migration in ups:
        if migration.path not in followed and migration.series.tool not in PLANNED:
            heads[_app(migration.series)].append(migration)
    return [
        SchemaProblem(
            found[-1].path,
            0,
            f"the migrations {'of ' + app + ' ' if app else ''}have {len(found)} heads, so their order is not said: "
            f"{_some([migration.series.name or migration.path for migration in found])}",
        )
        for app, found in sorted(heads.items())
        if len(found) > 1
    ]


def _by_version(ups: Sequence[Migration]) -> dict[tuple[int, ...], list[Migration]]:
    found: defaultdict[tuple[int, ...], list[Migration]] = defaultdict(list)
    for migration in ups:
        if migration.series.version:
            found[version_key(migration.series.version)].append(migration)
    return found


def _version_problems(ups: Sequence[Migration]) -> list[SchemaProblem]:
    """Return a problem for each version that several migrations have."""
    return [
        SchemaProblem(
            migrations[-1].path,
            0,
            f"version {migrations[-1].series.version} is that of {len(migrations)} migrations, applied in this order: "
            f"{_some([_name(migration.path) for migration in migrations])}",
        )
        for migrations in _by_version(ups).values()
        if len(migrations) > 1 and migrations[-1].series.tool not in NOT_NUMBERED
    ]


def _hole_problems(ups: Sequence[Migration]) -> list[SchemaProblem]:
    """Return a problem for each number that is missing in a row."""
    by_version = _by_version([migration for migration in ups if migration.series.tool not in NOT_NUMBERED])
    numbers = sorted(version[0] for version in by_version if len(version) == 1)
    if len(numbers) < MIN_CONSECUTIVE or len(numbers) != len(by_version) or TIMESTAMP.match(str(numbers[-1])):
        return []
    steps = {after - before for before, after in pairwise(numbers)}
    if min(steps) != 1:  # numbered in tens, or by the day
        return []
    span = numbers[-1] - numbers[0] + 1
    if (span - len(numbers)) * HOLES > len(numbers) and span - len(numbers) > 1:
        return []
    problems = []
    for number in sorted(set(range(numbers[0], numbers[-1] + 1)) - set(numbers)):
        behind = by_version[next((after,) for after in numbers if after > number)][0]
        problems.append(SchemaProblem(behind.path, 0, f"no migration {number} before {_name(behind.path)}"))
    return problems


def _some(names: Sequence[str]) -> str:
    rest = len(names) - MAX_NAMED
    return ", ".join(names[:MAX_NAMED]) + (f" and {rest} more" if rest > 0 else "")
