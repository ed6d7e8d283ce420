"""Parts of an index, made apart by several machines and joined to one."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace

from coderag.api.roots import check_folders, resolve_roots
from coderag.api.updater import IndexUpdater
from coderag.index.build.job import BuildOptions, Progress, Report
from coderag.index.build.portion import parse_portion

__all__ = ["write_part"]


def write_part(
    root: str | os.PathLike[str],
    *,
    part: str,
    out: str | os.PathLike[str],
    options: BuildOptions,
    watch: Callable[[Progress], None] | None = None,
) -> Report:
    """Index a portion of a root's files into a folder; raises like `Index.write_part`."""
    part_options = replace(options, portion=parse_portion(part), graph=False, history=False)
    placed = resolve_roots([root], index=out)
    check_folders(placed)
    updater = IndexUpdater(placed)
    try:
        (report,) = updater.update(part_options, thorough=True, watch=watch)
    finally:
        updater.close()
    return report
