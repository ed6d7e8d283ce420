"""The commands that bring indexes from one machine to another, their arguments and their help."""

from __future__ import annotations

import argparse

from coderag.cli.parser.arguments import Parsers, Text, add_output, add_place, command
from coderag.extras import Extra, how_to_install
from coderag.limits import NAME

__all__ = ["add_pull", "add_push"]

PUSH_EXAMPLES = """\
examples:
  coderag push s3://bucket/indexes           the index of this repository, under its name
  coderag push file:///mnt/share/indexes --name shop/main
  coderag push s3://bucket/indexes --prune   and remove what no index there needs

A store is a folder, or what fsspec knows: s3:// (with the package s3fs), gs:// (gcsfs), az:// (adlfs). It needs an
extra; {install}
"""
PULL_EXAMPLES = """\
examples:
  coderag pull s3://bucket/indexes           the index of that name, and then what differs in this work tree
  coderag pull file:///mnt/share/indexes --name shop/main

What the index holds of the files as they are here is taken over; what differs is read. A second pull downloads only
what is new. Set CODERAG_INDEX_KEY to the same key where indexes are pushed and pulled.
"""


def add_push(commands: Parsers) -> None:
    """Add `coderag push`."""
    epilog = PUSH_EXAMPLES.format(install=how_to_install(Extra.REMOTE))
    parser = command(commands, "push", module="push", summary="write an index to a store", epilog=epilog)
    _add_store(parser)
    parser.add_argument("--prune", action="store_true", help="remove files older than a day that no index there names")
    add_place(parser)
    add_output(parser)


def add_pull(commands: Parsers) -> None:
    """Add `coderag pull`."""
    parser = command(commands, "pull", module="pull", summary="download an index from a store", epilog=PULL_EXAMPLES)
    _add_store(parser)
    parser.add_argument(
        "--trust", action="store_true", help="believe an index that nobody known here signed: know who made it"
    )
    parser.add_argument(
        "--wait", action="store_true", help="wait for the code graph instead of building it in the background"
    )
    add_place(parser)
    add_output(parser)


def _add_store(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("store", type=Text(NAME), metavar="STORE", help="the address of the store")
    parser.add_argument(
        "--name", type=Text(NAME), metavar="NAME", help="of the index there (default: that of the repository)"
    )
    parser.add_argument("--quiet", "-q", action="store_true", help="print nothing but errors")
