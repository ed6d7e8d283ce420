"""`coderag search --store`: a question to hits that a database serves, without the files."""

from __future__ import annotations

import argparse

from coderag.api.preloaded import leave_to_asker
from coderag.cli.groups import callers
from coderag.errors import QueryError
from coderag.stores.addresses import name_in, open_store, parse_address
from coderag.stores.stored_index import StoredIndex

__all__ = ["open_stored"]


def open_stored(options: argparse.Namespace) -> StoredIndex:
    """Return the index in a store that a search was given, as its caller sees it.

    Raises QueryError for options that files alone answer, IndexMissingError and RemoteStoreError.
    """
    for name, why in (
        ("root", "a store has the index of one repository, which its address names"),
        ("index", "an index is in a folder or in a store"),
        ("changed", "a store has no files to compare"),
        ("count", "matches are counted in files"),
        ("literal", "patterns are found in files"),
        ("regex", "patterns are found in files"),
        ("related", "the graph is not in a store"),
    ):
        if getattr(options, name) not in (None, False, [], 0):
            raise QueryError(f"--store and --{name} exclude each other: {why}")
    leave_to_asker()  # a copy of the helper must not talk to databases
    address, asking = parse_address(options.store), callers(options)
    store = open_store(address)
    return StoredIndex(store, name_in(store, address, names_are_told=not asking), callers=asking)
