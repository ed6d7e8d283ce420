"""The text of a .gitignore to rules that say of one path: left out, taken back, or no opinion.

The matching is that of git's wildmatch.c and dir.c, byte for byte, quirks included; `git check-ignore` is the oracle
in the tests. Every glob becomes a regular expression that cannot backtrack: of several stars, all but the last take
their earliest match for good (atomic groups), which is enough because what stands between two stars has a fixed
length. So a hostile `*a*a*a*b` costs no more than its length times that of the path.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from coderag.record import record

__all__ = ["Rules", "decide", "glob_regex", "parse_globs", "parse_rules"]

_NEVER = "(?!)"
_STAR = "*"  # these two stand for themselves among the fragments; a literal star is the fragment r"\*"
_ANY_FOLDERS = "**"
MAX_STEPS = 50  # folders of a "!" that lead to what it takes back; any folder below them may
_POSIX_CLASSES = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "blank": " \\t",
    "cntrl": "\\x00-\\x1f\\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": "!-/:-@\\[-`{-~",
    "space": " \\t\\n\\r",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}

Match = Callable[[bytes], object]  # truthy when a path or name matches


class _RejectedGlobError(ValueError):
    """A glob that git never matches with anything: an open bracket, a lone backslash at the end."""


class _Pattern(NamedTuple):
    """A line of a rule file, taken apart."""

    glob: str  # bytes as latin-1 characters
    ignored: bool  # False for "!glob"
    only_folders: bool
    by_path: bool  # matched against the path below the rule file's folder, not against the name


@record
class _Run:
    """Neighbouring patterns of one sign, in the forms that are fastest to try."""

    ignored: bool
    names: frozenset[bytes]
    prefixes: tuple[bytes, ...]  # "text*"
    suffixes: tuple[bytes, ...]  # "*text"
    infix_search: Match | None  # "*text*"
    name_match: Match | None
    paths: frozenset[bytes]
    path_match: Match | None
    by_path: bool


@record
class Rules:
    """The rules of one file; of several that match, the last decides."""

    source: str  # the rule file's path, for reports
    prefix: bytes  # of the root below the rule file's folder, when that lies above the root
    skip: int  # bytes of a path that lead to the rule file's folder
    for_files: tuple[_Run, ...]  # the last run of the file first
    for_folders: tuple[_Run, ...]
    takes_back_names: bool  # some "!name" without a slash, which may match at any depth
    leads_to_taken_back: Match | None

    def match(self, path: bytes, name: bytes, *, folder: bool) -> bool | None:
        """Return True to leave the path out, False to take it back, None without an opinion."""
        for run in self.for_folders if folder else self.for_files:
            if name in run.names or name.endswith(run.suffixes) or name.startswith(run.prefixes):
                return run.ignored
            if run.infix_search is not None and run.infix_search(name):
                return run.ignored
            if run.name_match is not None and run.name_match(name):
                return run.ignored
            if run.by_path:
                local = self.prefix + path[self.skip :]
                if local in run.paths or (run.path_match is not None and run.path_match(local)):
                    return run.ignored
        return None

    def may_take_back_below(self, path: bytes) -> bool:
        """Return whether some "!pattern" could match inside the folder."""
        if self.takes_back_names:
            return True
        match = self.leads_to_taken_back
        return match is not None and bool(match(self.prefix + path[self.skip :]))


def decide(stack: Sequence[Rules], path: bytes, name: bytes, *, folder: bool) -> tuple[bool, str] | None:
    """Return the verdict of the first rules that have one, and where they stand; put the deepest rules first."""
    for rules in stack:
        verdict = rules.match(path, name, folder=folder)
        if verdict is not None:
            return verdict, rules.source
    return None


def parse_rules(raw: bytes, *, source: str = "", prefix: bytes = b"", skip: int = 0) -> Rules:
    """Return the rules of a file's bytes; `prefix` and `skip` say where the file is, as in Rules."""
    patterns = list(_patterns(raw))
    taken_back = [pattern for pattern in patterns if not pattern.ignored]
    leading = [found for pattern in taken_back if pattern.by_path and (found := _leading(pattern.glob)) is not None]
    return Rules(
        source=source,
        prefix=prefix,
        skip=skip,
        for_files=_runs(pattern for pattern in patterns if not pattern.only_folders),
        for_folders=_runs(patterns),
        takes_back_names=not all(pattern.by_path for pattern in taken_back),
        leads_to_taken_back=_compile(leading),
    )


def parse_globs(globs: Iterable[str]) -> Rules:
    """Return the rules of some lines as a rule file has them."""
    return parse_rules("\n".join(globs).encode())


def _patterns(raw: bytes) -> Iterator[_Pattern]:
    for line in raw.removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        if line.startswith(b"#"):
            continue
        glob = _trimmed(line.removesuffix(b"\r").split(b"\0")[0].decode("latin-1"))
        ignored = not glob.startswith("!")
        glob = glob.removeprefix("!")
        only_folders = glob.endswith("/")
        glob = glob.removesuffix("/")
        if glob:
            yield _Pattern(glob.removeprefix("/"), ignored, only_folders, "/" in glob)


def _trimmed(line: str) -> str:
    """Return the line without its trailing spaces; one behind a backslash stays, and so does a tab."""
    bare = line.rstrip(" ")
    backslashes = len(bare) - len(bare.rstrip("\\"))
    return bare + " " if backslashes % 2 and len(bare) < len(line) else bare


def _runs(patterns: Iterable[_Pattern]) -> tuple[_Run, ...]:
    grouped = groupby(patterns, key=lambda pattern: pattern.ignored)
    return tuple(reversed([_run(ignored, list(members)) for ignored, members in grouped]))


def _run(ignored: bool, patterns: Sequence[_Pattern]) -> _Run:
    forms: dict[str, list[str]] = {}
    for pattern in patterns:
        form, text = _form(pattern)
        forms.setdefault(form, []).append(text)
    texts = {form: tuple(text.encode("latin-1") for text in found) for form, found in forms.items()}
    return _Run(
        ignored=ignored,
        names=frozenset(texts.get("name", ())),
        prefixes=texts.get("prefix", ()),
        suffixes=texts.get("suffix", ()),
        # One search for all is four times as fast as asking each whether it is in the name.
        infix_search=re.compile(b"|".join(map(re.escape, texts["infix"]))).search if "infix" in texts else None,
        name_match=_compile([glob_regex(glob) for glob in forms.get("name glob", ())]),
        paths=frozenset(texts.get("path", ())),
        path_match=_compile([glob_regex(glob) for glob in forms.get("path glob", ())]),
        by_path=any(pattern.by_path for pattern in patterns),
    )


def _form(pattern: _Pattern) -> tuple[str, str]:
    """Return how a pattern is tried: as plain text in one of the places of a _Run, or as a "glob"."""
    glob = pattern.glob
    if _is_plain(glob):
        return ("path" if pattern.by_path else "name"), glob
    if pattern.by_path:
        return "path glob", glob
    inner = glob.removeprefix("*").removesuffix("*")
    if not _is_plain(inner):
        return "name glob", glob
    if not glob.startswith("*"):
        return "prefix", inner
    return ("infix" if glob.endswith("*") else "suffix"), inner


def _is_plain(glob: str) -> bool:
    return _first_special(glob) == len(glob)


def _compile(regexes: Sequence[str]) -> Match | None:
    return re.compile("|".join(regexes).encode("latin-1")).fullmatch if regexes else None


def _first_special(glob: str) -> int:
    match = re.search(r"[*?\[\\]", glob)
    return match.start() if match else len(glob)


def glob_regex(glob: str) -> str:
    """Return a regular expression whose fullmatch tells whether a path matches the glob as git reads it.

    Paths have forward slashes and none at either end; neither may the glob. A glob that git rejects matches nothing.
    """
    return _joined(_fragments(glob))


def _leading(glob: str) -> str | None:
    """Return a regular expression of the folders in which something that matches the glob may lie, None for none."""
    fragments = _fragments(glob)
    steps: list[str] = []  # the folders on the way, one by one
    begin = 0
    for position, fragment in enumerate(fragments):
        if fragment == _ANY_FOLDERS or len(steps) == MAX_STEPS:
            steps.append(_joined(fragments[begin:position]) + "(?s:.*)")  # any folder at all
            break
        if fragment == "/":
            steps.append(_joined(fragments[begin:position]))
            begin = position + 1
    # One inside the other: written out for each of them, a line of a thousand folders would be a million long.
    return "(?:/".join(steps) + ")?" * (len(steps) - 1) if steps else None


def _fragments(glob: str) -> list[str]:
    """Return a regular expression per character that the glob takes, and _STAR and _ANY_FOLDERS as they are."""
    try:
        return list(_scan(glob))
    except _RejectedGlobError:
        return [_NEVER]


def _scan(glob: str) -> Iterator[str]:
    first_special = _first_special(glob)
    position = 0
    while position < len(glob):
        character = glob[position]
        end = position + 1
        if character == "*":
            while glob[end : end + 1] == "*":
                end += 1
            yield from _star(glob, position, end, first_special)
        elif character == "[":
            fragment, end = _character_class(glob, position)
            yield fragment
        elif character == "\\":
            yield re.escape(_at(glob, end))
            end += 1
        else:
            yield "[^/]" if character == "?" else re.escape(character)
        position = end


def _at(glob: str, position: int) -> str:
    if position >= len(glob):
        raise _RejectedGlobError(glob)
    return glob[position]


def _star(glob: str, start: int, end: int, first_special: int) -> list[str]:
    # git compares the plain text before the first wildcard apart and forgets it, so that in "a**/b" the stars
    # stand at a beginning and match folders.
    opens = start in (0, first_special) or glob[start - 1] == "/"
    if end - start == 1 or not opens:
        return [_STAR]
    if glob.startswith("\\/", end):  # behind stars, git takes this slash for one that has to be there
        return [_ANY_FOLDERS, "/", _STAR]
    return [_ANY_FOLDERS if end == len(glob) or glob[end] == "/" else _STAR]


def _character_class(glob: str, start: int) -> tuple[str, int]:
    """Return the regular expression of the "[...]" that starts there, and where it ends."""
    negated = _at(glob, start + 1) in "!^"
    first = position = start + 1 + negated
    inside, previous = "", ""
    while position == first or _at(glob, position) != "]":
        item, previous, position = _class_item(glob, position, previous)
        inside += item
    if not inside:  # nothing but ranges such as "z-a"
        return ("[^/]" if negated else _NEVER), position + 1
    return f"(?!/)[{'^' if negated else ''}{inside}]", position + 1


def _class_item(glob: str, position: int, previous: str) -> tuple[str, str, int]:
    """Return one item of a class, the character at which a range may start behind it, and the next position."""
    character = _at(glob, position)
    if character == "-" and previous and _at(glob, position + 1) != "]":
        position += 2 if glob[position + 1] == "\\" else 1
        last = _at(glob, position)
        return (f"{re.escape(previous)}-{re.escape(last)}" if previous <= last else ""), "", position + 1
    if glob.startswith("[:", position):
        closing = glob.find("]", position + 2)
        if closing == -1:
            raise _RejectedGlobError(glob)
        if closing > position + 2 and glob[closing - 1] == ":":
            name = glob[position + 2 : closing - 1]
            if name not in _POSIX_CLASSES:
                raise _RejectedGlobError(glob)
            return _POSIX_CLASSES[name], "", closing + 1
    if character == "\\":
        position += 1
        character = _at(glob, position)
    return re.escape(character), character, position + 1


def _joined(fragments: list[str]) -> str:
    """Return one regular expression; see the module's docstring for why it cannot backtrack."""
    if _NEVER in fragments:
        return _NEVER
    groups: list[list[str]] = [[]]
    tail = ""
    for position, fragment in enumerate(fragments):
        if fragment != _ANY_FOLDERS:
            groups[-1].append(fragment)
        elif position + 1 == len(fragments):
            tail = "(?s:.*)"
        else:
            groups.append([])
    first, *rest = [_without_folders(group, open_start=number > 0) for number, group in enumerate(groups)]
    if not rest:
        return first + tail
    middle = "".join(f"(?>(?:[^/]*/)*?{group})" for group in rest[:-1])
    return f"{first}{middle}(?:[^/]*/)*?{rest[-1]}{tail}"


def _without_folders(fragments: list[str], *, open_start: bool) -> str:
    """Return the expression of fragments without _ANY_FOLDERS; the slash behind one is already spent."""
    if open_start and fragments[:1] == ["/"]:
        fragments = fragments[1:]
    segments: list[list[list[str]]] = [[[]]]
    for fragment in fragments:
        if fragment == "/":
            segments.append([[]])
        elif fragment == _STAR:
            segments[-1].append([])
        else:
            segments[-1][-1].append(fragment)
    return "/".join(_segment(["".join(piece) for piece in pieces]) for pieces in segments)


def _segment(pieces: list[str]) -> str:
    """Return the expression of what stands between two slashes, given what stands between its stars."""
    if len(pieces) == 1:
        return pieces[0]
    middle = "".join(f"(?>[^/]*?{piece})" for piece in pieces[1:-1])
    return f"{pieces[0]}{middle}[^/]*{pieces[-1]}"
