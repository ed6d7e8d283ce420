"""`coderag export`: an index to a database, from which others search it."""

from __future__ import annotations

import argparse

from coderag.api.preloaded import leave_to_asker
from coderag.api.records import plain
from coderag.api.snapshot import open_snapshot
from coderag.cli.exit_codes import FOUND
from coderag.cli.groups import for_owners
from coderag.cli.opening import open_index
from coderag.cli.output.progress import Bar
from coderag.cli.output.records import print_records
from coderag.cli.output.text import visible
from coderag.errors import QueryError
from coderag.stores.addresses import check_text, open_store, parse_address
from coderag.stores.export import export_index
from coderag.text.counted import counted

__all__ = ["run"]


def run(options: argparse.Namespace) -> int:
    """Write what the store lacks of an index, and make it the current one there."""
    for_owners("export")
    leave_to_asker()
    address = parse_address(options.to)
    index = open_index(options)
    if len(index.roots) != 1:
        raise QueryError("one index is exported; give one --root")
    (opened,) = open_snapshot(index.roots).opened
    name = address.name or opened.manifest.repository
    check_text(name, what="the name of the repository")
    store = open_store(address)
    try:
        with Bar(f"Exporting {visible(name)}", wanted=not options.quiet) as bar:
            exported = export_index(opened, store, name=name, grace=options.grace, told=bar.transferred)
    finally:
        store.close()
    if options.json:
        print_records([{"store": address.shown} | plain(exported)], options.format)
    elif not options.quiet:
        dropped = f"; {counted(exported.dropped, 'segment')} that nobody needs dropped" if exported.dropped else ""
        print(
            f"{visible(name)} is at {visible(address.shown)}, generation {exported.generation}: "
            f"{counted(exported.chunks, 'chunk')} in {counted(exported.segments, 'segment')}, "
            f"{exported.written:,} written{dropped}"
        )
    return FOUND
