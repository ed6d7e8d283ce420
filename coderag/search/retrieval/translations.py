"""A message in a file of translations to the expressions by which code asks for it: its key, or the end of that.

The key of an entry is read from the lines around it, whatever the format: what stands further to the left and above
holds it. So the names of YAML, JSON, arrays of PHP and objects of TypeScript, the sections of INI and TOML and the
attributes of XML are read alike, without a parser.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

__all__ = ["Use", "key_of", "row_of", "uses_of"]

# A key and its value: 'key' => 'x', "key": "x", key: x, key = x, $labels['key'] = 'x'.
ENTRY = re.compile(
    r"[ \t]*(?:-[ \t]+)?(?:\$\w+\[)?(?:\"(?P<double>[^\"]+)\"|'(?P<single>[^']+)'|(?P<bare>\w[\w.-]*))\]?"
    r"[ \t]*(?:=>|[:=])"
)
# The element that holds a message: <string name="key">, <data name="key">, <trans-unit id="1" resname="key">.
ELEMENT = re.compile(r"[ \t]*<[\w:.-]+[ \t](?P<attributes>[^>]*)")
ATTRIBUTE = re.compile(r"\b(resname|name|key|id)=\"([^\"]+)\"")
NAMING = ("resname", "name", "key", "id")  # the first that is there
SECTION = re.compile(r"\[(?P<key>[\w .-]+)\]\s*")
WORD = re.compile(r"\w+")
MAX_LINE = 2_000  # characters of a line whose first key is the message's
MAX_ABOVE = 20_000  # lines above a message in which its key may begin
MIN_KEY = 3  # characters of a key alone; a shorter one stands in too much
MAX_PARTS = 8  # of a key
# What a key ends with where a message has several forms: items.one, items_other; and where it stands below its key.
FORMS = frozenset("zero one two few many other".split())
FORM = re.compile(r"(?<=.)_(?:zero|one|two|few|many|other|plural)$")
WRAPPERS = frozenset("message string value text defaultmessage description".split())
LANGUAGE = re.compile(r"[a-z]{2}(?:[-_][A-Za-z]{2,4})?")
PLAIN = re.compile(r"[a-z]+")  # a part that may be any word
PLACE = re.compile(r"[.:/]")
MEMBERS = frozenset({".arb", ".resx", ".xml"})  # files of which tools make constants: R.string.key, Strings.Key


@dataclass(frozen=True, slots=True)
class Use:
    """One way in which code may write a key."""

    words: str  # which the code has
    pattern: re.Pattern[str]
    key: tuple[str, ...]  # the whole
    around: tuple[str, ...]  # the parts that are left out, as the path of the file says them: t('.title')
    is_single: bool  # a part alone, which may mean anything else


def row_of(lines: Sequence[str], run: Collection[str]) -> tuple[int, int]:
    """Return how many of some lower-case words the line has that has the most of them, and which line that is."""
    held = [len(set(WORD.findall(line.lower())).intersection(run)) for line in lines]
    most = max(held, default=0)
    return most, held.index(most) if most else 0


def key_of(lines: Sequence[str], row: int) -> tuple[str, ...]:
    """Return the key of the message in a row, from the outermost part on; () where it has none."""
    keys: list[str] = []
    margin: int | None = None
    for line in reversed(lines[max(0, row - MAX_ABOVE) : row + 1]):
        if not line.strip():
            continue
        indent = len(line) - len(line.lstrip())
        if (section := SECTION.fullmatch(line)) and margin == 0:
            return *PLACE.split(section["key"]), *keys
        if margin is not None and indent >= margin:
            continue
        margin = indent
        if found := _key_in(line):
            keys[:0] = PLACE.split(found) if " " not in found else [found]
    return tuple(keys)


def _key_in(line: str) -> str:
    """Return the key that stands in a line, "" for none."""
    if len(line) > MAX_LINE:
        return ""
    if found := ENTRY.match(line):
        return found["double"] or found["single"] or found["bare"]
    element = ELEMENT.match(line)
    named = dict(ATTRIBUTE.findall(element["attributes"])) if element else {}
    return next((named[name] for name in NAMING if name in named), "")


def uses_of(key: Sequence[str], path: str) -> Iterator[Use]:
    """Yield the ways in which code may write the key of an entry of a file, the surest first."""
    parts = [part for part in key if part]
    if len(parts) > 1 and LANGUAGE.fullmatch(parts[0]):
        parts = parts[1:]
    if not parts or len(parts) > MAX_PARTS:
        return
    file = PurePosixPath(path)
    namespace = file.name.partition(".")[0]
    spelled = [parts]
    if (shorter := _without_form(parts)) != parts:
        spelled.append(shorter)
    found: list[tuple[tuple[bool, bool, int, int], Use]] = []
    for number, own in enumerate(spelled):
        whole = [namespace, *own]
        for start in range(len(whole)):
            rest, around = whole[start:], tuple(whole[1:start])
            is_single = len(rest) == 1
            if not is_single or len(rest[0]) >= MIN_KEY:
                order = is_single, number > 0, 2 if around else 0, start
                found.append((order, _use(rest, (), tuple(parts), suffix=file.suffix)))
            if around:
                found.append(((False, number > 0, 1, start), _use(rest, around, tuple(parts), suffix=file.suffix)))
    yield from (use for _, use in sorted(found, key=lambda one: one[0]))


def _without_form(parts: list[str]) -> list[str]:
    """Return a key without what its last part says of the form of the message."""
    if len(parts) > 1 and parts[-1].lower() in FORMS | WRAPPERS:
        return parts[:-1]
    return [*parts[:-1], FORM.sub("", parts[-1])]


def _use(parts: Sequence[str], around: tuple[str, ...], key: tuple[str, ...], *, suffix: str) -> Use:
    body = "[.:/]".join(map(re.escape, parts))
    is_single = len(parts) == 1
    opening = r"[\"'`]\." if around else r"(?:[\"'`]|#\{)(?:[\w-]+[.:/])*"
    if is_single and not around and PLAIN.fullmatch(parts[0]):
        opening = (
            rf"(?:\(|\{{\{{|\bt|\bTr|\bi18n)\s?{opening}"  # where a function is called with it, or a template shows it
        )
    forms = [rf"{opening}{body}(?:[\"'`]|(?<=\w)\}})"]
    if is_single and not around:
        if not PLAIN.fullmatch(parts[0]):
            forms.append(rf"(?<![\w:]):{body}\b(?!:)")  # a symbol of Ruby
        if suffix in MEMBERS:
            forms.append(rf"(?<=\w)[./]{body}\b")
    return Use(" ".join(parts), re.compile("|".join(forms)), key, around, is_single)
