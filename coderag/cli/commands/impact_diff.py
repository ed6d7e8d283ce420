"""`coderag impact --diff`: a change to what it touches."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

from coderag.api.index import Index
from coderag.api.records import json_line
from coderag.cli.exit_codes import FOUND, NOTHING
from coderag.cli.groups import callers
from coderag.cli.opening import note, open_graph_for_caller
from coderag.cli.output.diff_markdown import diff_markdown
from coderag.cli.output.diff_sarif import diff_sarif
from coderag.cli.output.diff_text import diff_lines
from coderag.cli.output.text import screen
from coderag.cli.roots import Paths
from coderag.errors import AccessError, QueryError
from coderag.files.changes.patch_files import MAX_PATCH_BYTES
from coderag.files.named_file import read_named
from coderag.graph.changes.records import DiffImpact
from coderag.index.workers.process import prepare_reader
from coderag.types import TestPolicy

__all__ = ["run_diff"]

STDIN = "-"


def run_diff(options: argparse.Namespace) -> int:
    """Print what a change touches; 1 when it touches nothing that the index knows."""
    _check(options)
    index = open_graph_for_caller(options)
    prepare_reader()  # it comes up while git tells what changed
    impact = _found(index, options)
    if options.tests == TestPolicy.EXCLUDE:
        impact = replace(impact, tests=(), further_tests=0)
    limit = None if options.all else options.k
    if options.json:
        print(json_line(impact))
    elif options.format == "markdown":
        print(diff_markdown(impact, limit=limit))
    elif options.format == "sarif":
        print(diff_sarif(impact))
    elif not impact.is_empty:
        print("\n".join(diff_lines(impact, Paths(index.roots), screen(options.color), limit=limit)))
    if impact.is_empty and not options.json:
        files = f" of {len(impact.files)} changed files" if impact.files else ""
        note(f"{impact.title}: no definition, table or column{files} changed")
    return NOTHING if impact.is_empty else FOUND


def _check(options: argparse.Namespace) -> None:
    """Raise QueryError for what has no meaning for a change, AccessError for a caller of some groups."""
    if options.target:
        raise QueryError(f"--diff and the target {options.target!r} exclude each other")
    for name in ("path", "language", "kind", "database"):
        if getattr(options, name):
            raise QueryError(f"--{name} chooses between targets, and --diff has none")
    if callers(options):
        raise AccessError("impact --diff reads what git has, which is for who may see all")


def _found(index: Index, options: argparse.Namespace) -> DiffImpact:
    """Return what the change of the options touches; a revision comes before a file of the same name."""
    named: str = options.diff or ""
    patch = None
    if named == STDIN:
        patch = sys.stdin.buffer.read(MAX_PATCH_BYTES + 1)
        named = "the patch on stdin"
    elif named and Path(named).is_file() and not _is_revision(index, named):
        patch = read_named(named, MAX_PATCH_BYTES + 1)
    if patch is None:
        return index.impact_of_diff(named, staged=options.staged, depth=options.depth)
    if options.staged:
        raise QueryError("--staged is about git's index, and a patch is given")
    if len(patch) > MAX_PATCH_BYTES:
        raise QueryError(f"{named} has more than {MAX_PATCH_BYTES:,} bytes")
    return index.impact_of_diff(named, patch=patch.decode("utf-8", "surrogateescape"), depth=options.depth)


def _is_revision(index: Index, text: str) -> bool:
    from coderag.files.changes.revisions import is_revision

    return is_revision(index.roots[0].root, text)
