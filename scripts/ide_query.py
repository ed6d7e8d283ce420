#!/usr/bin/env python3
"""Answer an editor: the definitions of what is under the cursor, and the code related to it.

    scripts/ide_query.py --file F --line N [--selection TEXT | --question TEXT] [-k N] [--root ROOT] [--json]

Prints quickfix lines, path:line:column:text. First the definitions of the names in the selection, else in line N;
then the chunks that answer the question, or that are about the selection, else about the definition around line N.
In Vim: `:cexpr system('scripts/ide_query.py --file ' .. shellescape(expand('%')) .. ' --line ' .. line('.'))`
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import coderag
from coderag.errors import StoredIndexError

NAME = re.compile(r"[^\W\d]\w*(?:(?:\.|::)[^\W\d]\w*)*")
MAX_NAMES = 12  # of a line or selection that are looked up
MAX_DEFINITIONS = 3  # of one name; a name with more says little


@dataclass(frozen=True, slots=True)
class Place:
    """A line that an editor can jump to."""

    path: str
    line: int
    kind: str
    text: str
    why: str


def main() -> int:
    parser = argparse.ArgumentParser(description="Print the definitions and the code related to a line of a file.")
    parser.add_argument("--file", required=True)
    parser.add_argument("--line", type=int, required=True, help="1-based")
    about = parser.add_mutually_exclusive_group()
    about.add_argument("--selection", help="the selected text")
    about.add_argument("--question", help="a question in words")
    parser.add_argument("-k", type=int, default=5, help="how many related chunks (default: 5)")
    parser.add_argument("--root", help="the repository (default: the one around the file)")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    try:
        places = answer(options)
    except (coderag.CoderagError, OSError) as error:
        print(f"ide_query: {error}", file=sys.stderr)
        return 2
    if options.json:
        print(json.dumps([{name: getattr(one, name) for name in Place.__slots__} for one in places]))
    else:
        for one in places:
            print(f"{one.path}:{one.line}:1:{one.kind} {one.text}  [{one.why}]")
    return 0 if places else 1


def answer(options: argparse.Namespace) -> list[Place]:
    """Return the definitions asked for, then what is related, each place once."""
    file = Path(options.file).resolve()
    root = Path(options.root).resolve() if options.root else repository_of(file)
    index = fresh_index(root)
    lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    line = lines[options.line - 1] if 0 < options.line <= len(lines) else ""
    found = definitions(index, root, options.selection or line)
    around = enclosing(index, Path(os.path.relpath(file, root)).as_posix(), options.line)
    question = options.question or options.selection or f"{around} {line}"
    if question.strip():
        found += related(index, root, question, k=options.k)
    here = os.path.relpath(file)
    unique = {(one.path, one.line): one for one in reversed(found) if (one.path, one.line) != (here, options.line)}
    return list(reversed(unique.values()))


def repository_of(file: Path) -> Path:
    """Return the nearest folder above a file that is indexed or a repository, else its own."""
    above = file.parents
    return next((one for one in above if (one / ".coderag").exists() or (one / ".git").exists()), above[0])


def fresh_index(root: Path) -> coderag.Index:
    """Return the index of a root as its files are now."""
    try:
        index = coderag.Index.open(root)
    except StoredIndexError:
        return coderag.Index.build(root)
    if not index.is_fresh():
        index.update()
    return index


def definitions(index: coderag.Index, root: Path, text: str) -> list[Place]:
    """Return where the names in a text are defined."""
    names = list(dict.fromkeys(NAME.findall(text)))[:MAX_NAMES]
    return [
        Place(
            os.path.relpath(root / one.path),
            one.span.start_line,
            one.kind,
            one.signature or one.name,
            f"defines {name}",
        )
        for name in names
        for one in exact(index, name)
    ]


def exact(index: coderag.Index, name: str) -> list[coderag.Symbol]:
    """Return the definitions of a name; of the last part of `self.cart.total` where the whole is none."""
    found = index.symbols(name, alike=False)
    found = found or index.symbols(re.split(r"\.|::", name)[-1], alike=False)
    return found if len(found) <= MAX_DEFINITIONS else []


def enclosing(index: coderag.Index, path: str, line: int) -> str:
    """Return the name of the innermost definition around a line, "" where there is none."""
    try:
        around = [one for one in index.outline(path) if line in one.span]
    except coderag.CoderagError:  # the file is not indexed: of an unknown language, or ignored
        return ""
    return around[-1].name if around else ""


def related(index: coderag.Index, root: Path, question: str, *, k: int) -> list[Place]:
    """Return the chunks that answer a question."""
    return [
        Place(
            path=os.path.relpath(root / hit.chunk.path),
            line=hit.lines[0],
            kind=hit.chunk.kind,
            text=hit.chunk.signature or hit.chunk.qualified_name,
            why="; ".join(hit.reasons),
        )
        for hit in index.search(question, k=k)
    ]


if __name__ == "__main__":
    sys.exit(main())
