"""`coderag index`: roots to their indexes, and a summary of what was read."""

from __future__ import annotations

import argparse
import sys
from contextlib import suppress
from typing import Any

from coderag.api.index import Index
from coderag.api.roots import Root, check_folders
from coderag.cli.databases import databases_in, keep_databases
from coderag.cli.exit_codes import FOUND, NOTHING
from coderag.cli.groups import for_owners
from coderag.cli.opening import follow_up, has_background, note, note_repairs, note_untrusted, note_writer
from coderag.cli.output.index_summary import index_record, summary_lines
from coderag.cli.output.progress import Bar
from coderag.cli.output.records import print_records
from coderag.cli.output.summary import (
    skipped_list,
    skipped_text,
)
from coderag.cli.output.text import bytes_text, screen, visible
from coderag.cli.parts import write_part
from coderag.cli.remote import ensured
from coderag.cli.roots import Paths, given_roots
from coderag.errors import StoredIndexError
from coderag.files.walk import MAX_BYTES, Listing, WalkOptions, walk
from coderag.index.reader.access_control import unread_rules
from coderag.index.storage.manifest import read_manifest
from coderag.text.counted import counted
from coderag.types import Content

__all__ = ["run"]

DEFAULT_CONTENT = (Content.CODE, Content.DOCS)


def run(options: argparse.Namespace) -> int:
    """Index every root; 1 when there was nothing to index."""
    for_owners("index")
    if options.repositories:
        return _index_list(options)
    addresses, roots = databases_in(options.roots)
    if options.part or options.out:
        return write_part(options, roots, has_databases=bool(addresses))
    placed = given_roots(options, roots, fetch=True)
    if options.dry_run:
        return _list_only(placed, options)
    if options.trust:
        Index.trust(*(root.root for root in placed), index=options.index)
        placed = given_roots(options, roots)
    check_folders(placed)
    keep_databases(addresses, placed, options)
    shown = screen(options.color)
    records = []
    chunks = 0
    for root in placed:
        index, follows = _bring_up(root, options)
        report, status = index.reports[0], index.status(compare=False)[0]
        chunks += len(index) or bool(status.schema)
        if options.json:
            records.append(index_record(report, status, verbose=options.verbose) | {"graph_follows": follows})
        elif not options.quiet:
            print("\n".join(summary_lines(report, status, shown, verbose=options.verbose, follows=follows)), flush=True)
    if options.json:
        print_records(records, options.format)
    return FOUND if chunks else NOTHING


def _index_list(options: argparse.Namespace) -> int:
    from coderag.cli.repositories import index_list  # most have one root

    options.wait = True  # many processes in the background would be in each other's way
    return index_list(
        options, lambda one: _bring_up(one, options)[0], is_as_asked=lambda one: _is_as_asked(one, options)
    )


def _is_as_asked(root: Root, options: argparse.Namespace) -> bool:
    """Tell whether the index of a root was made by the options given."""
    made = read_manifest(root.folder)
    return not (options.rebuild or options.encoder) and all(
        asked is None or asked == known
        for asked, known in (
            (options.content and set(options.content), set(made.contents)),
            (options.max_bytes, made.max_bytes),
            (options.mask, made.mask),
        )
    )


def _bring_up(root: Root, options: argparse.Namespace) -> tuple[Index, bool]:
    """Return the index of a root after reading what changed, or all of it, with its segments merged.

    And whether its graph follows in the background.
    """
    later = has_background() and not options.wait
    asked = {
        "contents": options.content,
        "max_bytes": options.max_bytes,
        "encoder": options.encoder,
        "mask": options.mask,
        "workers": options.workers,
        "executor": options.executor,
        "cache": not options.no_cache,
        "graph": not (options.no_graph or later),
        "history": options.history,
    }
    note_untrusted(root)
    if options.rebuild:
        with Bar(f"Indexing {visible(root.repository)}", wanted=not options.quiet, at_once=True) as bar:
            index = Index.build(root.root, index=root.index, **_as_made(root, asked), watch=bar, waiting=note_writer)
    else:
        index = ensured(
            root,
            lambda parts, bar: Index.ensure(
                root.root, index=root.index, **asked, parts=parts, watch=bar, waiting=note_writer
            ),
            waiting=note_writer,
            wanted=not options.quiet,
        )
    index.close()
    if index.reports[0].merge_due:
        index.merge()
    if options.hnsw is not None:
        index.graph_vectors(wanted=options.hnsw)
    if not later:
        from coderag.api.updater import read_history

        read_history(root)
    note_repairs(index)
    for why in unread_rules(read_manifest(root.folder)):
        note(f"{why}; callers of groups see nothing that its access rules may be about")
    return index, later and follow_up(root, graph=not options.no_graph)


def _as_made(root: Root, asked: dict[str, Any]) -> dict[str, Any]:
    """Return what is asked for, and for what is not how a root's index was made before."""
    made = None
    with suppress(StoredIndexError):
        made = read_manifest(root.folder)
    contents = asked["contents"] or (made.contents if made else DEFAULT_CONTENT)
    return asked | {"contents": contents, "max_bytes": asked["max_bytes"] or (made.max_bytes if made else None)}


def _list_only(placed: list[Root], options: argparse.Namespace) -> int:
    """Print what would be read, one file a line, and write nothing."""
    paths = Paths(placed)
    listings = {root: _listing(root, options) for root in placed}
    files = [(one.repository, file) for one, listing in listings.items() for file in listing.files]
    if options.json:
        print_records(
            (
                {
                    "repository": name,
                    "path": file.path,
                    "language": file.language,
                    "bytes": file.size,
                    "labels": file.labels,
                }
                for name, file in files
            ),
            options.format,
        )
    elif not options.quiet:
        for name, file in files:
            print(f"{visible(paths.of(file.path, name))}\t{file.language}")
    skipped = [one for listing in listings.values() for one in listing.skipped]
    size = bytes_text(sum(file.size for _, file in files))
    if not options.quiet:
        note(f"{counted(len(files), 'file')}, {size} would be read; skipped {skipped_text(skipped)}")
    if options.verbose:
        print("\n".join(skipped_list(skipped)), file=sys.stderr)
    return FOUND if files else NOTHING


def _listing(root: Root, options: argparse.Namespace) -> Listing:
    made = None
    with suppress(StoredIndexError):
        made = read_manifest(root.folder)
    contents = options.content or (made.contents if made else DEFAULT_CONTENT)
    max_bytes = options.max_bytes or (made.max_bytes if made else MAX_BYTES)
    return walk(root.root, WalkOptions(max_bytes, frozenset(map(Content, contents))))
