"""Text to what may be shown of it: what a terminal or a viewer would obey, or not show at all, becomes an escape."""

from __future__ import annotations

import re

__all__ = ["visible", "visible_prose"]

TAB = "    "
# Blanks of any width are seen as blanks; the other characters that Python calls not printable are controls, marks that
# turn the direction of text, line ends of Unicode, those of no width, private and unassigned ones, and lone surrogates.
BLANKS = frozenset("\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000")
# Printable by their category, and yet nothing is seen of them: fillers, inherent vowels, variation selectors, the empty
# Braille pattern, the null notehead (Default_Ignorable_Code_Point of DerivedCoreProperties.txt, and their like).
EMPTY = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U00016fe4\U0001d159\U000e0000-\U000e0fff]"
)
# Joiners that scripts and emoji are written with, and the selectors of an emoji's look.
JOINERS, SELECTORS = "\u200c\u200d", "\ufe0e\ufe0f"
BYTES = range(0xDC80, 0xDD00)  # how Python writes bytes that are not UTF-8 (PEP 383)
TWO_DIGITS, FOUR_DIGITS = 0x100, 0x10000


def visible(text: str) -> str:
    """Return text on one line in which everything is seen and nothing obeyed.

    An escape becomes `\\x1b`, a space of no width `\\u200b`, a byte that is not UTF-8 `\\xff`, a tab four blanks.
    """
    if "\t" in text:
        text = text.replace("\t", TAB)
    if text.isprintable() and (text.isascii() or not EMPTY.search(text)):
        return text
    return "".join([one if _is_seen(one) else _escape(one) for one in text])


def visible_prose(text: str) -> str:
    """Return what `visible` does, but for the joiners within scripts and emoji: for lines of text, not for names."""
    if text.isascii() or not any(one in text for one in JOINERS + SELECTORS):
        return visible(text)
    shown, before = [], ""
    for character in text:
        shown.append(character if _joins(before, character) else visible(character))
        before = character
    return "".join(shown)


def _joins(before: str, character: str) -> bool:
    """Tell whether a character is a joiner or selector that belongs to what stands before it."""
    if character not in JOINERS + SELECTORS or not before or before.isascii():
        return False
    return _is_seen(before) or (character in JOINERS and before in SELECTORS)


def _is_seen(character: str) -> bool:
    return (character.isprintable() or character in BLANKS) and not EMPTY.match(character)


def _escape(character: str) -> str:
    code = ord(character)
    if character == "\n":
        return "\\n"
    if code in BYTES:
        return f"\\x{code & 0xFF:02x}"
    if code < TWO_DIGITS:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < FOUR_DIGITS else f"\\U{code:08x}"
