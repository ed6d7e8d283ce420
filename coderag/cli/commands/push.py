"""`coderag push`: an index to a store, from which other machines pull it."""

from __future__ import annotations

import argparse
import os

from coderag.api.records import plain
from coderag.cli.exit_codes import FOUND
from coderag.cli.groups import for_owners
from coderag.cli.opening import note
from coderag.cli.output.progress import Bar
from coderag.cli.output.records import print_records
from coderag.cli.output.text import bytes_text, visible
from coderag.cli.roots import single_root
from coderag.index.remote.objects import ObjectStore
from coderag.index.remote.push import push_index
from coderag.index.storage.folder.signing import VARIABLE
from coderag.text.counted import counted

__all__ = ["run"]


def run(options: argparse.Namespace) -> int:
    """Write what the store lacks of an index."""
    for_owners("push")
    root = single_root(options, options.root, "one index is pushed")
    name = options.name or root.repository
    store = ObjectStore(options.store)
    with Bar(f"Pushing {visible(name)}", wanted=not options.quiet) as bar:
        pushed = push_index(root.folder, store, name=name, prune=options.prune, told=bar.transferred)
    if VARIABLE not in os.environ and not options.quiet:
        note(f"the index is signed with your own key; others pull it with --trust, or set {VARIABLE} on both sides")
    if options.json:
        print_records([{"store": store.address} | plain(pushed)], options.format)
    elif not options.quiet:
        removed = f"; {counted(pushed.removed, 'file')} that no index names removed" if options.prune else ""
        print(
            f"{visible(pushed.name)} is at {visible(store.address)}: {counted(pushed.files, 'file')}, "
            f"{pushed.uploaded:,} uploaded ({bytes_text(pushed.bytes)}){removed}"
        )
    return FOUND
