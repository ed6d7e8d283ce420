"""A C header that is nothing but `#define` lines to its outline, without a syntax tree.

Registers of hardware are defined in such headers: they are a third of Linux. Each line is a definition, so what a
parser and a query cost a line is most of what they cost at all.
"""

from __future__ import annotations

import re

from coderag.syntax.lines import Lines
from coderag.syntax.outline import Definition, Outline, head_doc, signature_line, summary
from coderag.types import Kind

__all__ = ["read_defines"]

# What is nothing else: macros without parameters and with a value on one row, comments on rows of their own, blank
# rows, and a guard. No value holds a slash, behind which there may be a comment, or a backslash. Whatever is read is
# not looked at again (the "+" behind a "*"), so that time is linear.
COMMENT = rb"[ \t]*(?:/\*(?:[^*]|\*(?!/))*+\*/|//[^\n\\]*+)"
ROWS = rb"(?:#define[ \t]+[A-Za-z_]\w*(?:[ \t]+[^\s/\\][^\n/\\]*+)?[ \t]*\n|" + COMMENT + rb"[ \t]*\n|[ \t]*\n)*+"
GUARDED = rb"(?:#ifndef[ \t]+[A-Za-z_]\w*\n" + ROWS + rb"#endif(?:" + COMMENT + rb")?[ \t]*\n)?"
ONLY_DEFINES = re.compile(ROWS + GUARDED + rb"\s*")
ITEM = re.compile(
    rb"^(?:#define[ \t]+(?P<name>[A-Za-z_]\w*)[ \t]+[^\s/\\][^\n]*\n|(?P<end>#endif)|" + COMMENT + rb")", re.MULTILINE
)


def read_defines(lines: Lines, *, brief: frozenset[Kind]) -> Outline | None:
    """Return the outline of such a header as `read_outline` gives it, None for any other text."""
    data = lines.data
    if ONLY_DEFINES.fullmatch(data) is None:
        return None
    definitions: list[Definition] = []
    comments: list[tuple[int, int, str]] = []  # first row, last row, text
    above: list[tuple[int, int, str]] = []  # the last ones, each on the row behind the one before
    row, at = 0, 0
    for item in ITEM.finditer(data):
        start, end = item.span()
        row += data.count(b"\n", at, start)
        at = start
        if item["name"] is not None:
            name = item["name"].decode()
            described = bool(above) and above[-1][1] == row - 1
            if described or Kind.MACRO not in brief:
                signature = signature_line(lines.text_of(start, end).strip())
                first_row = above[0][0] if described else row
                doc = summary([text for _, _, text in above]) if described else ""
            else:
                signature, first_row, doc = "", row, ""
            definitions.append(
                Definition(name, name, Kind.MACRO, -1, first_row, row, row, start, end, signature, doc, (), ())
            )
        elif item["end"] is not None:
            break  # what stands behind the guard documents nothing
        else:
            text = lines.text_of(start, end)
            comment = row, row + text.count("\n"), text.lstrip()
            if not above or above[-1][1] != row - 1:
                above.clear()
            above.append(comment)
            comments.append(comment)
    if not definitions:
        return None
    return Outline(definitions=tuple(definitions), doc=head_doc(comments, definitions[0].first_row))
