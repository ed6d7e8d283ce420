"""Formats with what fills them: %s and %(name)s, {} and {name}, and parts that are replaced."""

from __future__ import annotations

import re
from collections.abc import Sequence

from coderag.sql.in_code.evaluation.string_values import Choice, Hole, Text, Value

__all__ = ["filled_braces", "filled_percents", "filled_replacements"]

Fill = Sequence[tuple[str, Value]]  # by name, or in order where that is ""

PERCENT = re.compile(r"%(?:%|(?:\((?P<name>\w+)\)|<(?P<angle>\w+)>)?(?:\d+\$)?[-+ #0]*\d*(?:\.\d+)?[a-zA-Z@])")
BRACES = re.compile(r"\{\{|\}\}|\{(?P<name>\w*)(?P<rest>[^{}\w][^{}]*)?\}")


def filled_percents(value: Value, fill: Fill) -> Value:
    """Return a text with what stands for %s and its like; what is not known is a hole."""
    return _filled(value, fill, PERCENT)


def filled_braces(value: Value, fill: Fill) -> Value:
    """Return a text with what stands for {} and its like; what is not known is a hole of its name."""
    return _filled(value, fill, BRACES)


def _filled(value: Value, fill: Fill, pattern: re.Pattern[str]) -> Value:
    named = {name: one for name, one in fill if name}
    plain = [one for name, one in fill if not name]
    position = 0
    found: list[Text | Hole | Choice] = []
    for part in value:
        if isinstance(part, Choice):
            found.append(Choice(tuple(_filled(one, fill, pattern) for one in part.values)))
            continue
        if isinstance(part, Hole):
            found.append(part)
            continue
        last = 0
        for sign in pattern.finditer(part.text):
            found.append(part._replace(text=part.text[last : sign.start()]))
            last = sign.end()
            if sign[0] in {"%%", "{{", "}}"}:
                found.append(part._replace(text=sign[0][0]))
                continue
            name = sign["name"] or (sign.groupdict().get("angle") or "")
            if name.isdigit() and int(name) < len(plain):
                found += plain[int(name)]
            elif name in named:
                found += named[name]
            elif not name and position < len(plain):
                found += plain[position]
                position += 1
            else:
                found.append(Hole(name, start=part.start))
        found.append(part._replace(text=part.text[last:]))
    return tuple(text for text in found if not isinstance(text, Text) or text.text)


def filled_replacements(value: Value, old: Value, new: Value) -> Value:
    """Return a text with a part of it replaced, where it is known which."""
    if len(old) != 1 or not isinstance(old[0], Text) or not (sought := old[0].text):
        return value
    found: list[Text | Hole | Choice] = []
    for part in value:
        if isinstance(part, Choice):
            found.append(Choice(tuple(filled_replacements(one, old, new) for one in part.values)))
        elif isinstance(part, Hole) or sought not in part.text:
            found.append(part)
        else:
            pieces = part.text.split(sought)
            for number, piece in enumerate(pieces):
                if number:
                    found += new
                found.append(part._replace(text=piece))
    return tuple(found)
