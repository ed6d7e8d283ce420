"""`coderag merge`: parts of an index, made apart, to one index."""

from __future__ import annotations

import argparse

from coderag.api.index import Index
from coderag.api.roots import check_folders
from coderag.cli.exit_codes import FOUND, NOTHING
from coderag.cli.groups import for_owners
from coderag.cli.opening import note, note_repairs, note_untrusted, note_writer
from coderag.cli.output.index_summary import index_record, summary_lines
from coderag.cli.output.progress import Bar
from coderag.cli.output.records import print_records
from coderag.cli.output.text import screen, visible
from coderag.cli.roots import single_root
from coderag.text.counted import counted

__all__ = ["run"]

MOST_NAMED = 8


def run(options: argparse.Namespace) -> int:
    """Join parts to the index of a root; 1 when there is nothing in it."""
    for_owners("merge")
    options.index = options.into
    root = single_root(options, options.root, "parts are of one root")
    check_folders([root])
    note_untrusted(root)
    with Bar(f"Joining {visible(root.repository)}", wanted=not options.quiet, at_once=True) as bar:
        index = Index.ensure(
            root.root,
            index=root.index,
            workers=options.workers,
            graph=not options.no_graph,
            parts=options.parts,
            trust_parts=options.trust,
            watch=bar,
            waiting=note_writer,
        )
    index.close()
    if options.hnsw:
        index.graph_vectors()
    note_repairs(index)
    report, status = index.reports[0], index.status(compare=False)[0]
    missing = report.missing_parts
    if missing:
        note(f"without the parts {', '.join(missing[:MOST_NAMED])}{' ...' if missing[MOST_NAMED:] else ''}")
    if report.read:
        note(f"no part holds {counted(report.read, 'file')} as they are now; they were read here")
    if options.json:
        print_records([index_record(report, status, verbose=False) | {"missing": list(missing)}], options.format)
    elif not options.quiet:
        print("\n".join(summary_lines(report, status, screen(options.color), verbose=False, follows=False)))
    return FOUND if len(index) or status.schema else NOTHING
