"""`coderag pull`: an index of a store to that of a root, in which what differs from it is read."""

from __future__ import annotations

import argparse
from contextlib import ExitStack

from coderag.api.index import Index
from coderag.api.roots import check_folders
from coderag.cli.exit_codes import FOUND, NOTHING
from coderag.cli.groups import for_owners
from coderag.cli.opening import follow_up, has_background, note, note_repairs, note_untrusted, note_writer
from coderag.cli.output.index_summary import index_record, summary_lines
from coderag.cli.output.progress import Bar
from coderag.cli.output.records import print_records
from coderag.cli.output.text import bytes_text, screen, visible
from coderag.cli.roots import single_root
from coderag.errors import IndexDamagedError
from coderag.index.remote.cache import MOST_BYTES, trim_pulled
from coderag.index.remote.objects import ObjectStore
from coderag.index.remote.pull import discard, pull_index
from coderag.text.counted import counted

__all__ = ["run"]


def run(options: argparse.Namespace) -> int:
    """Bring an index here and join it; 1 when there is nothing in it."""
    for_owners("pull")
    root = single_root(options, options.root, "one index is pulled")
    check_folders([root])
    note_untrusted(root)
    name = options.name or root.repository
    store = ObjectStore(options.store)
    later = has_background() and not options.wait
    with ExitStack() as stack:
        with Bar(f"Pulling {visible(name)}", wanted=not options.quiet) as bar:
            pulled = stack.enter_context(pull_index(store, name=name, told=bar.transferred, waiting=note_writer))
        try:
            with Bar(f"Joining {visible(root.repository)}", wanted=not options.quiet, at_once=True) as bar:
                index = Index.ensure(
                    root.root,
                    index=root.index,
                    graph=not later,
                    parts=[pulled.folder],
                    trust_parts=options.trust,
                    watch=bar,
                    waiting=note_writer,
                )
        except IndexDamagedError:
            discard(pulled)
            raise
    trim_pulled(MOST_BYTES)
    index.close()
    note_repairs(index)
    follows = later and follow_up(root)
    if not options.quiet:
        note(f"{counted(pulled.downloaded, 'file')} of {pulled.files:,} downloaded ({bytes_text(pulled.bytes)})")
    report, status = index.reports[0], index.status(compare=False)[0]
    if options.json:
        record = index_record(report, status, verbose=False)
        print_records([record | {"downloaded": pulled.downloaded, "downloaded_bytes": pulled.bytes}], options.format)
    elif not options.quiet:
        print("\n".join(summary_lines(report, status, screen(options.color), verbose=False, follows=follows)))
    return FOUND if len(index) or status.schema else NOTHING
