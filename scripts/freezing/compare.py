"""Two folders of frozen knowledge to where they differ."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from pathlib import Path
from typing import Any

__all__ = ["differences"]

MOST_SHOWN = 8  # records of a file
MOST_PLACES = 3  # of a record
WIDTH = 240  # characters of a value

Renamed = Mapping[str, str]
Records = dict[str, list[str]]


def differences(first: Path, second: Path, *, renamed: Renamed) -> Iterator[str]:
    """Yield lines that say where two folders differ, none where they are equal.

    In both, each word of `renamed` counts as the one that it is renamed to. At most MOST_SHOWN records of a file.
    """
    files = sorted({path.relative_to(one).as_posix() for one in (first, second) for path in one.rglob("*.jsonl")})
    if not files:
        yield f"{first} and {second} hold nothing"
    for name in files:
        old, new = first / name, second / name
        if not (old.exists() and new.exists()):
            yield f"{name}: only in {first if old.exists() else second}"
        elif renamed or old.read_bytes() != new.read_bytes():
            yield from _of_file(name, _read(old, renamed), _read(new, renamed))


def _read(path: Path, renamed: Renamed) -> Records:
    """Return the records of a file by what they are about, as JSON."""
    words = re.compile("|".join(rf"(?<!\w){re.escape(one)}(?!\w)" for one in sorted(renamed, key=len, reverse=True)))
    found: Records = defaultdict(list)
    for line in path.read_text(encoding="ascii").splitlines():
        record = json.loads(line)
        if renamed:
            record = _with_names(record, words, renamed)
        found[record[0]].append(json.dumps(record[1:], sort_keys=True))
    return {identity: sorted(lines) for identity, lines in sorted(found.items())}


def _with_names(value: Any, words: re.Pattern[str], renamed: Renamed) -> Any:
    if isinstance(value, str):
        return words.sub(lambda found: renamed[found[0]], value)
    if isinstance(value, list):
        return [_with_names(one, words, renamed) for one in value]
    if isinstance(value, dict):
        return {_with_names(key, words, renamed): _with_names(one, words, renamed) for key, one in value.items()}
    return value


def _of_file(name: str, old: Records, new: Records) -> Iterator[str]:
    different = [one for one in sorted({*old, *new}) if old.get(one) != new.get(one)]
    if not different:
        return
    yield f"{name}: {len(different):,} of {len({*old, *new}):,} records differ"
    for identity in different[:MOST_SHOWN]:
        yield f"  {_short(identity)}"
        before, after = _apart(old.get(identity, []), new.get(identity, []))
        pairs = zip_longest(before, after)
        for one, other in list(pairs)[:MOST_PLACES]:
            yield from _of_record(one, other)
    if len(different) > MOST_SHOWN:
        yield f"  and {len(different) - MOST_SHOWN:,} more"


def _apart(old: list[str], new: list[str]) -> tuple[list[str], list[str]]:
    return [one for one in old if one not in new], [one for one in new if one not in old]


def _of_record(old: str | None, new: str | None) -> Iterator[str]:
    if old is None or new is None:
        yield f"    - {_short(old)}" if old is not None else f"    + {_short(new or '')}"
        return
    places = list(_places(json.loads(old), json.loads(new), ""))
    for where, before, after in places[:MOST_PLACES]:
        yield f"    at {where}"
        yield f"    - {_short(before)}"
        yield f"    + {_short(after)}"
    if len(places) > MOST_PLACES:
        yield f"    and at {len(places) - MOST_PLACES:,} more places"


def _places(old: Any, new: Any, where: str) -> Iterator[tuple[str, str, str]]:
    """Yield where two values differ, as deep inside as possible."""
    if isinstance(old, dict) and isinstance(new, dict) and old.keys() == new.keys():
        for key in old:
            yield from _places(old[key], new[key], f"{where}.{key}")
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for at, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from _places(one, other, f"{where}[{at}]")
    elif isinstance(old, list) and isinstance(new, list):
        unequal = (at for at, (one, other) in enumerate(zip(old, new, strict=False)) if one != other)
        begin = next(unequal, min(len(old), len(new)))
        yield f"{where}[{begin}:], {len(old)} and {len(new)} long", json.dumps(old[begin:]), json.dumps(new[begin:])
    elif old != new:
        yield where, json.dumps(old), json.dumps(new)


def _short(text: str) -> str:
    return text if len(text) <= WIDTH else f"{text[: WIDTH - 1]}…"
