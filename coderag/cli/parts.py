"""`coderag index --part`: a portion of a root to a folder that `coderag merge` joins with others."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from coderag.api.index import Index
from coderag.api.records import plain
from coderag.cli.exit_codes import FOUND
from coderag.cli.opening import note
from coderag.cli.output.progress import Bar
from coderag.cli.output.records import print_records
from coderag.cli.output.text import bytes_text, visible
from coderag.cli.roots import single_root
from coderag.errors import QueryError
from coderag.text.counted import counted

__all__ = ["write_part"]

# Options about where an index is stored, and about what is made of all parts together.
NOT_WITH_PART = ("index", "rebuild", "trust", "dry_run", "wait", "no_graph", "history", "samples", "forget", "verbose")


def write_part(options: argparse.Namespace, roots: Sequence[str], *, has_databases: bool) -> int:
    """Write the part that is asked for; raises QueryError for options that do not go with one."""
    if not (options.part and options.out):
        raise QueryError("--part and --out go together: coderag index --part 2/4 --out parts/2")
    if has_databases:
        raise QueryError('a part is of one root, and of no database: give those to "coderag index" after the merge')
    if refused := [name for name in NOT_WITH_PART if getattr(options, name)]:
        raise QueryError(f"--{refused[0].replace('_', '-')} does not go with --part")
    root = single_root(options, roots, "a part is of one root", fetch=True)
    out = Path(os.path.normpath(Path(options.out).absolute()))
    with Bar(f"Indexing part {options.part} of {visible(root.repository)}", wanted=not options.quiet) as bar:
        report = Index.write_part(
            root.root,
            part=options.part,
            out=out,
            contents=options.content,
            max_bytes=options.max_bytes,
            encoder=options.encoder,
            mask=options.mask,
            workers=options.workers,
            executor=options.executor,
            watch=bar,
        )
    if options.json:
        record = {"root": str(root.root), "part": options.part, "folder": str(out)} | plain(report)
        print_records([record | {"skipped": len(report.skipped)}], options.format)
    elif not options.quiet:
        files = report.read + report.unchanged + report.reused
        read = f"{counted(report.read, 'file')} read, {bytes_text(report.bytes_read)}"
        print(
            f"part {options.part} of {visible(root.repository)}: {counted(files, 'file')}, "
            f"{counted(report.chunks, 'chunk')} in {visible(str(out))}; {read} in {report.seconds:.2f} s"
        )
        note('"coderag merge" joins the parts')
    return FOUND
