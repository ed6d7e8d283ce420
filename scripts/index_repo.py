#!/usr/bin/env python3
"""Index a repository and print what is in it.

    scripts/index_repo.py [ROOT] [--index DIR]

The first run reads everything, later ones only what changed. It shows the way through the Python API:
`coderag.Index.build` and `open`, `update`, `status`.
"""

from __future__ import annotations

import argparse
import sys

import coderag
from coderag.errors import StoredIndexError


def main() -> int:
    parser = argparse.ArgumentParser(description="Index a repository and print what is in it.")
    parser.add_argument("root", nargs="?", default=".", help="its folder (default: the current one)")
    parser.add_argument("--index", help="where the index lies (default: ROOT/.coderag)")
    options = parser.parse_args()
    try:
        status = bring_up(options.root, options.index).status(compare=False)[0]
    except coderag.CoderagError as error:
        print(f"index_repo: {error}", file=sys.stderr)
        return 2
    print(f"{status.root}: {status.files:,} files, {status.chunks:,} chunks, {status.source_bytes:,} bytes")
    for language in status.languages:
        print(f"{language.files:8,} files {language.chunks:8,} chunks {language.bytes:12,} bytes  {language.language}")
    for problem in status.problems:
        print(f"problem: {problem.path}: {problem.problem}")
    return 0


def bring_up(root: str, folder: str | None) -> coderag.Index:
    """Return the index of a root, built where there is none, else brought up to date."""
    try:
        index = coderag.Index.open(root, index=folder)
    except StoredIndexError:
        return coderag.Index.build(root, index=folder)
    index.update()
    return index


if __name__ == "__main__":
    sys.exit(main())
