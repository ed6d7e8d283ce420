"""The text of a statement of MyBatis with its dynamic elements to the SQL that it may become."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

import msgspec

from coderag.decoding import converted
from coderag.frameworks.common.elements import Element
from coderag.sql.in_code.evaluation.string_values import Choice, Hole, Text, Value

__all__ = ["MapperWords", "Script"]

SLOT = re.compile(r"#\{[^{}]{1,400}\}|\$\{([^{}]{1,400})\}")
PLACEHOLDER = "?"  # what #{name} becomes, as MyBatis itself writes it
MAX_DEPTH = 40  # of elements and fragments in each other
MAX_PARTS = 4_000  # of a statement
MAX_FILE_PARTS = 100_000  # of all statements of a file


class Trim(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """What stands around the text of an element, and what is taken from its ends: words with "|" between them."""

    prefix: str = ""
    suffix: str = ""
    prefix_overrides: str = ""
    suffix_overrides: str = ""


class MapperWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the elements of a mapper are."""

    statements: tuple[str, ...]
    fragment: str
    include: str
    choices: frozenset[str]
    apart: frozenset[str]
    silent: frozenset[str]
    repeated: str
    trimmed: Mapping[str, Trim]


class Script:
    """The texts of a file's statements; of the last one, those inside of it and whether there was more than is read."""

    def __init__(self, words: MapperWords, namespace: str, fragments: Mapping[str, Element]) -> None:
        self.apart: list[Value] = []
        self.is_cut = False
        self._words = words
        self._namespace = namespace
        self._fragments = fragments
        self._left = 0
        self._left_of_file = MAX_FILE_PARTS

    def value(self, element: Element) -> Value:
        """Return what a statement says: all that it may hold, one of what it chooses from."""
        self.apart, self.is_cut = [], False
        self._left = given = min(MAX_PARTS, self._left_of_file)
        value = tuple(self._of(element, {}, 0))
        self._left_of_file -= given - self._left
        return value

    def _take(self) -> bool:
        """Tell whether one more part is read."""
        self.is_cut = self.is_cut or self._left <= 0
        self._left -= not self.is_cut
        return not self.is_cut

    def _of(self, element: Element, given: Mapping[str, str], depth: int) -> Iterator[Text | Hole | Choice]:
        """Yield the texts of an element and of those inside; `given` is what `${name}` stands for."""
        position = 0
        for inner in element.inner if depth < MAX_DEPTH else ():
            yield from self._text(element.text[position : inner.at], given)
            position = inner.at
            yield from self._inner(inner, given, depth + 1)
        yield from self._text(element.text[position:], given)

    def _text(self, text: str, given: Mapping[str, str]) -> Iterator[Text | Hole]:
        position = 0
        for slot in SLOT.finditer(text):
            if not self._take():
                return
            yield Text(text[position : slot.start()])
            position = slot.end()
            known = given.get(slot[1] or "")
            yield Hole(slot[1]) if slot[1] and known is None else Text(known or PLACEHOLDER)
        yield Text(text[position:])

    def _inner(self, inner: Element, given: Mapping[str, str], depth: int) -> Iterator[Text | Hole | Choice]:
        words = self._words
        if not self._take() or inner.name in words.silent:
            return
        if inner.name in words.apart:
            self.apart.append(tuple(self._of(inner, given, depth)))
        elif inner.name == words.include:
            yield from self._included(inner, given, depth)
        elif inner.name in words.choices:
            yield Choice(tuple(tuple(self._of(one, given, depth)) for one in inner.inner))
        elif inner.name == words.repeated:
            yield Text(inner.values.get("open", ""))
            yield from self._of(inner, given, depth)
            yield Text(inner.values.get("close", ""))
        elif inner.name in words.trimmed:
            stated = {name: inner.values[name] for name in TRIM_NAMES if name in inner.values}
            trim = converted({**msgspec.to_builtins(words.trimmed[inner.name]), **stated}, Trim)
            yield from _trimmed(tuple(self._of(inner, given, depth)), trim)
        else:
            yield from self._of(inner, given, depth)

    def _included(self, inner: Element, given: Mapping[str, str], depth: int) -> Iterator[Text | Hole | Choice]:
        """Yield a fragment of the file; one of another mapper is not known."""
        name = inner.values.get("refid", "").removeprefix(f"{self._namespace}.")
        fragment = self._fragments.get(name)
        if fragment is None:
            yield Hole(name)
            return
        stated = {one.values.get("name", ""): one.values.get("value", "") for one in inner.of("property")}
        yield from self._of(fragment, {**given, **stated}, depth)


TRIM_NAMES = tuple(Trim.__struct_encode_fields__)


def _trimmed(value: Value, trim: Trim) -> Value:
    """Return what an element holds without the words at its ends and with what stands around it, () for nothing."""
    if not any(not isinstance(part, Text) or part.text.strip() for part in value):
        return ()
    if trim.prefix_overrides:
        leading = re.compile(rf"\A\s*(?:{_words_of(trim.prefix_overrides)})", re.IGNORECASE)
        value = _at_end(value, lambda text: leading.sub("", text), last=False)
    if trim.suffix_overrides:
        trailing = re.compile(rf"(?:{_words_of(trim.suffix_overrides)})\s*\Z", re.IGNORECASE)
        value = _at_end(value, lambda text: trailing.sub("", text), last=True)
    return (Text(f" {trim.prefix} "), *value, Text(f" {trim.suffix} "))


def _words_of(overrides: str) -> str:
    """Return an expression for one of several words; a letter at the end of one ends the word."""
    words = (word.strip() for word in overrides.split("|"))
    return "|".join(re.escape(word) + (r"\b" if word[-1].isalnum() else "") for word in words if word)


def _at_end(value: Value, change: Callable[[str], str], *, last: bool) -> Value:
    """Return a value whose first or last text that says something is changed, in each of what it may be."""
    positions = range(len(value) - 1, -1, -1) if last else range(len(value))
    for position in positions:
        part = value[position]
        if isinstance(part, Text) and not part.text.strip():
            continue
        if isinstance(part, Text):
            part = Text(change(part.text))
        elif isinstance(part, Choice):
            part = Choice(tuple(_at_end(one, change, last=last) for one in part.values))
        return (*value[:position], part, *value[position + 1 :])
    return value
