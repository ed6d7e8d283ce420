"""The files of a repository to questions: messages of its translations, and the lines of code that ask for each by key.

What counts as asking is the whole key as a string of its own, with what frameworks put around it: the name of the file
or a namespace in front, R.string and @string of Android, and what Rails leaves out of a key within the view, mailer or
controller that the rest of the key names.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from random import Random

from coderag.files.translations import is_source_translation, is_translation
from scripts.verbatim.forms import filled
from scripts.verbatim.literals import PLACEHOLDER
from scripts.verbatim.records import Form, Kind, Place, Question
from scripts.verbatim.translations import Key, messages

__all__ = ["draw_messages"]

LANGUAGE = re.compile(r"[a-z]{2}(?:[-_][A-Za-z]{2,4})?")
MARKUP = re.compile(r"<[^>]*>|&\w+;|\n|\\n|\|")
WORD = re.compile(r"[^\W\d_]{2,}")
NAMED_VALUE = re.compile(r"%\{\w+\}|\{\{[^}]*\}\}|(?<![\w:]):[a-z]\w*|%\w+%|%\d?\$?[ds]")
# A string without spaces, and what asks for it without quotes: 'a.b', "a.b", R.string.a, @string/a, #{a.b}, t :a.
STRING = re.compile(
    r"[\"'`](?P<quoted>[^\s\"'`]{3,200})[\"'`]|R\.(?:string|plurals)\.(?P<member>\w+)|@(?:string|plurals)/(?P<resource>\w+)"
    r"|#\{(?P<named>[\w.-]+)\}"
)
PLAIN = re.compile(r"[a-z]+")  # a key alone that may be any other word
SEPARATOR = re.compile(r"[.:/]")
VIEWS = re.compile(
    r"(?:^|/)(?:app|lib)/(?:views|controllers|mailers|helpers)/(?P<place>.+?)(?:_controller|_helper)?\.\w[\w.]*$"
)
MIN_WORDS, MIN_LETTERS, MAX_CHARACTERS = 3, 12, 160
MAX_PLACES = 8  # of a key; one that is used in more is no question


def draw_messages(repository: str, texts: Mapping[str, str], count: int, *, seed: int) -> list[Question]:
    """Return `count` messages as questions; fewer where there are no more that code asks for by their keys."""
    random = Random(f"{seed} {repository} messages")
    by_message: defaultdict[str, set[tuple[str, Key]]] = defaultdict(set)
    for path, text in texts.items():
        if is_source_translation(path) and "/test" not in path:
            for key, message in messages(path, text):
                by_message[" ".join(message.split())].add((path, _plain(key)))
    strings = _strings(texts)
    once = sorted(
        message for message, keys in by_message.items() if len({key for _, key in keys}) == 1 and _is_sentence(message)
    )
    found: list[Question] = []
    for message in random.sample(once, len(once)):
        path, key = min(by_message[message])
        places = _places(path, key, strings)
        if 0 < len(places) <= MAX_PLACES and len(found) < count:
            text = filled(NAMED_VALUE, message, random)
            form = Form.VERBATIM if text == message else Form.FILLED
            found.append(Question(repository, text, Kind.TRANSLATION, form, ".".join(key), tuple(sorted(places))))
    return found


def _is_sentence(message: str) -> bool:
    if MARKUP.search(message) or len(message) > MAX_CHARACTERS:
        return False
    fixed = WORD.findall(PLACEHOLDER.sub(" ", NAMED_VALUE.sub(" ", message)))
    return len(fixed) >= MIN_WORDS and sum(map(len, fixed)) >= MIN_LETTERS


def _plain(key: Key) -> Key:
    """Return a key without the language that it begins with."""
    parts = tuple(part for one in key for part in (SEPARATOR.split(one) if " " not in one else [one]) if part)
    return parts[1:] if len(parts) > 1 and LANGUAGE.fullmatch(parts[0]) else parts


def _strings(texts: Mapping[str, str]) -> Mapping[Key, set[Place]]:
    """Return where each string of code stands that may be a key, by its parts."""
    found: defaultdict[Key, set[Place]] = defaultdict(set)
    for path, text in texts.items():
        if is_translation(path):
            continue
        for number, line in enumerate(text.split("\n"), 1):
            for string in STRING.finditer(line):
                for key in _keys(path, next(group for group in string.groups() if group)):
                    found[key].add(Place(path, number, number))
    return found


def _keys(path: str, written: str) -> Iterator[Key]:
    if not written.startswith("."):
        yield tuple(part for part in SEPARATOR.split(written) if part)
    elif place := VIEWS.search(path):
        folders = tuple(part.removeprefix("_") for part in place["place"].split("/"))
        yield (*folders, *filter(None, written.split(".")))


def _places(path: str, key: Key, strings: Mapping[Key, set[Place]]) -> set[Place]:
    stem = PurePosixPath(path).name.partition(".")[0]
    alone = strings.get(key, set()) if len(key) > 1 or not PLAIN.fullmatch(key[0]) else set()
    return alone | strings.get((stem, *key), set())
