"""A question to what an agent reads that greps for its words: whole files, or the lines around the matches."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from coderag.text.budget import tokens_of
from scripts.bench.agent.reading import Excerpt

__all__ = ["AROUND", "STOP_WORDS", "Match", "SourceFile", "ranked", "read_around", "read_files", "source_files"]

AROUND = 20  # lines before and after a match
MOST_BYTES = 4_000_000  # a larger file is none that an agent reads
SNIFFED = 8192  # bytes in which a binary file has a NUL, as grep has it
LEAST_LETTERS = 3  # of a word to grep for
WORD = re.compile(r"\w+")
STOP_WORDS = frozenset(
    """a about after all also an and any are as at be been before being between both but by can could did do does doing
    done each for from get gets given had has have having how if in instead into is it its itself just like make makes
    may might more most much must no not of off on once only or other our out over own per same should so some such than
    that the their them then there these they this those through to too under until up use used uses using via was we
    were what when where whether which while who whose why will with within without would you your""".split()
)


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A text file of the tree that is searched."""

    path: str  # relative to the root
    lines: tuple[str, ...]
    folded: str  # its text in lower case


@dataclass(frozen=True, slots=True)
class Match:
    """A file that has some of the words."""

    file: SourceFile
    lines: tuple[int, ...]  # that have any, 0-based
    order: tuple[int, int, str]  # most different words first, then most lines for each, then by path


def source_files(root: Path) -> list[SourceFile]:
    """Return the files that a recursive grep reads: no hidden ones, none in hidden folders, no binary ones."""
    found = []
    for base, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = Path(base, name)
            if name.startswith(".") or path.is_symlink() or path.stat().st_size > MOST_BYTES:
                continue
            data = path.read_bytes()
            if b"\0" not in data[:SNIFFED]:
                text = data.decode(errors="replace")
                found.append(SourceFile(path.relative_to(root).as_posix(), tuple(text.split("\n")), text.lower()))
    return found


def ranked(files: Sequence[SourceFile], question: str) -> list[Match]:
    """Return the files that have words of a question: those with most different ones first, then with most matches."""
    words = [word for word in dict.fromkeys(WORD.findall(question.lower())) if _is_telling(word)]
    found = []
    for file in files:
        held = [word for word in words if word in file.folded]
        folded = file.folded.split("\n") if held else []
        by_word = [{number for number, line in enumerate(folded) if word in line} for word in held]
        if held:
            lines = tuple(sorted(set[int]().union(*by_word)))
            found.append(Match(file, lines, (-len(held), -sum(map(len, by_word)), file.path)))
    return sorted(found, key=lambda match: match.order)


def _is_telling(word: str) -> bool:
    return len(word) >= LEAST_LETTERS and word not in STOP_WORDS


def read_files(matches: Sequence[Match]) -> Iterator[Excerpt]:
    """Read the files from beginning to end."""
    tokens = 0
    for match in matches:
        tokens += tokens_of("\n".join((match.file.path, *match.file.lines)))
        yield Excerpt(match.file.path, range(1, len(match.file.lines) + 1), tokens)


def read_around(matches: Sequence[Match]) -> Iterator[Excerpt]:
    """Read the lines around the matches of each file; what overlaps is read once."""
    tokens = 0
    for match in matches:
        for lines in _windows(match):
            tokens += tokens_of("\n".join((match.file.path, *match.file.lines[lines.start : lines.stop])))
            yield Excerpt(match.file.path, range(lines.start + 1, lines.stop + 1), tokens)


def _windows(match: Match) -> list[range]:
    windows: list[range] = []
    for line in match.lines:
        window = range(max(0, line - AROUND), min(len(match.file.lines), line + AROUND + 1))
        if windows and window.start <= windows[-1].stop:
            windows[-1] = range(windows[-1].start, window.stop)
        else:
            windows.append(window)
    return windows
