"""`coderag status`: what is indexed, and whether it is still true."""

from __future__ import annotations

import argparse
import time

from coderag.api.index import Index
from coderag.api.roots import Root
from coderag.api.status_records import is_fresh, status_record
from coderag.cli.commands.recall import show_recall
from coderag.cli.exit_codes import FAILED, FOUND, NOTHING
from coderag.cli.groups import as_seen, callers
from coderag.cli.opening import note, roots_for_caller
from coderag.cli.output.records import print_records
from coderag.cli.output.schema_summary import schema_lines
from coderag.cli.output.summary import (
    graph_text,
    labelled,
    language_lines,
    masked_list,
    masked_text,
    problem_list,
    problem_text,
    skipped_list,
    skipped_text,
)
from coderag.cli.output.text import Screen, Style, bytes_text, screen, visible
from coderag.cli.roots import given_roots
from coderag.encoders.spec import WORDS_ONLY
from coderag.errors import AccessError
from coderag.index.reader.status import Changes, Status
from coderag.index.storage.checksums import damage_of
from coderag.index.storage.manifest import read_manifest
from coderag.text.counted import ago, counted

__all__ = ["run"]


def run(options: argparse.Namespace) -> int:
    """Print the status of every root; 1 when nothing is indexed, 2 when what is indexed is damaged."""
    if options.recall:
        return show_recall(options)
    if options.check:
        if callers(options):
            raise AccessError("--check compares whole indexes, not what some groups see of them")
        return _check(given_roots(options, options.root), options)
    statuses = as_seen(Index.of(roots_for_caller(options)), callers(options)).status()
    if options.json:
        print_records((status_record(status, verbose=options.verbose) for status in statuses), options.format)
    else:
        shown = screen(options.color)
        texts = ["\n".join(_lines(status, shown, verbose=options.verbose)) for status in statuses]
        print("\n\n".join(texts))
    return FOUND if any(status.files for status in statuses) else NOTHING


def _check(placed: list[Root], options: argparse.Namespace) -> int:
    """Say which files of the indexes are not what was written."""
    found = {root: damage_of(root.folder, read_manifest(root.folder)) for root in placed}
    damaged = any(found.values())
    if options.json:
        print_records(
            (
                {"repository": one.repository, "folder": str(one.folder), "sound": not damage, "damage": damage}
                for one, damage in found.items()
            ),
            options.format,
        )
        return FAILED if damaged else FOUND
    shown = screen(options.color)
    for root, damage in found.items():
        verdict = shown.paint("damaged", Style.BAD) if damage else shown.paint("sound", Style.GOOD)
        print(f"{shown.paint(visible(root.repository), Style.TITLE)}  {visible(str(root.folder))} is {verdict}")
        for damaged_file in damage:
            print(f"    {visible(damaged_file.path)}: {visible(damaged_file.problem)}")
    if damaged:
        note('"coderag index" reads the files again that damaged segments held')
    return FAILED if damaged else FOUND


def _lines(status: Status, shown: Screen, *, verbose: bool) -> list[str]:
    share = f" ({status.index_bytes / status.source_bytes:.0%})" if status.source_bytes else ""
    size = f"{bytes_text(status.index_bytes)} for {bytes_text(status.source_bytes)} of source{share}"
    made = f"coderag {visible(status.version)}, format {status.format}, {counted(status.segments, 'segment')}"
    built = [f"in {status.build_seconds:.2f} s; files last listed {ago(time.time() - status.updated_ns / 1e9)}"]
    if not status.index_bytes:  # only the whole index could tell
        size, made, built = (
            f"{bytes_text(status.source_bytes)} of source",
            f"coderag {visible(status.version)}, format {status.format}",
            [],
        )
    return [
        f"{shown.paint(visible(status.repository), Style.TITLE)}  {visible(status.root)}",
        labelled("index", f"{visible(status.folder)}; {made}", shown),
        labelled("size", size, shown),
        labelled("vectors", _vectors(status, shown), shown),
        *([labelled("graph", graph_text(status.graph), shown)] if status.graph else ()),
        labelled(
            "content", f"{visible(', '.join(status.contents))}; files up to {bytes_text(status.max_bytes)}", shown
        ),
        *(labelled("built", one, shown) for one in built),
        labelled("fresh", _freshness(status.changes, shown), shown),
        *(_changed_files(status.changes) if verbose else ()),
        *language_lines(status, shown),
        labelled("skipped", skipped_text(status.skipped), shown),
        *(skipped_list(status.skipped) if verbose else ()),
        labelled("masked", _masked(status, shown), shown),
        *(masked_list(status.masked) if verbose else ()),
        labelled("problems", problem_text(status.problems), shown),
        *(problem_list(status.problems) if verbose else ()),
        labelled("grammars", _grammars(status, shown), shown),
        *schema_lines(status.schema, shown, verbose=verbose),
    ]


def _vectors(status: Status, shown: Screen) -> str:
    if status.encoder == str(WORDS_ONLY):
        return f'{shown.paint("none", Style.BAD)}: words alone answer; "coderag index --encoder static" adds them'
    return visible(status.encoder)


def _freshness(changes: Changes | None, shown: Screen) -> str:
    if changes is None or is_fresh(changes):
        return shown.paint("yes", Style.GOOD)
    kinds = ((changes.new, "new"), (changes.changed, "changed"), (changes.gone, "gone"))
    counts = [f"{len(paths):,} {what}" for paths, what in kinds if paths]
    why = "; ".join(filter(None, (visible(changes.outdated), ", ".join(counts))))
    return f'{shown.paint("no", Style.BAD)}: {why}; "coderag index" brings it up to date'


def _changed_files(changes: Changes | None) -> list[str]:
    if changes is None:
        return []
    kinds = ((changes.new, "new"), (changes.changed, "changed"), (changes.gone, "gone"))
    return [f"    {visible(path)}: {what}" for paths, what in kinds for path in paths]


def _masked(status: Status, shown: Screen) -> str:
    if not status.mask:
        return shown.paint("off: secrets are kept as they are", Style.BAD)
    return masked_text(status.masked) if status.masked else "no secrets"


def _grammars(status: Status, shown: Screen) -> str:
    if not status.missing_grammars:
        return "all installed"
    return f"not installed: {shown.paint(', '.join(status.missing_grammars), Style.BAD)}"
