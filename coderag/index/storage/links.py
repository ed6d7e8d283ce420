"""The links of a file, as stored: its definitions, its references, and what it does to tables."""

from __future__ import annotations

import zlib
from itertools import chain
from operator import attrgetter
from typing import NamedTuple

import msgspec

from coderag.decoding import msgpack_decoder
from coderag.index.storage.arrays.inflate import RECORD_BYTES, inflate
from coderag.index.storage.link_columns import (
    Defined,
    DefinedColumns,
    ReferenceColumns,
    StoredReferences,
    defined,
    defined_columns,
    reference_columns,
)
from coderag.sql.in_code.records import NO_USES, DataUses
from coderag.syntax.references.records import NO_REFERENCES, FileReferences

__all__ = ["Defined", "Links", "deflate_links", "inflate_links", "inflate_uses"]

LEVEL = 4  # of zlib: a twelfth smaller than the fastest
OWNER, PARENT, HANDLES = attrgetter("owner"), attrgetter("parent"), attrgetter("handles")


class Links(NamedTuple):
    """A file as the graph sees it."""

    definitions: tuple[Defined, ...] = ()
    mentions: FileReferences | StoredReferences = NO_REFERENCES
    uses: DataUses = NO_USES


_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgpack_decoder(tuple[DefinedColumns | None, ReferenceColumns, DataUses])
_USES_DECODER = msgpack_decoder(tuple[msgspec.Raw, msgspec.Raw, DataUses])


def deflate_links(links: Links) -> bytes:
    """Return links as bytes; b"" for a file that has nothing to tell."""
    if links == NO_LINKS:
        return b""
    columns = defined_columns(links.definitions), reference_columns(links.mentions), links.uses
    return zlib.compress(_ENCODER.encode(columns), LEVEL)


def inflate_links(data: bytes) -> Links:
    """Return what `deflate_links` gave; raises ValueError or zlib.error when it is damaged."""
    if not data:
        return NO_LINKS
    try:
        definitions, mentions, uses = _DECODER.decode(inflate(data, RECORD_BYTES))
    except RecursionError as error:
        raise ValueError("links have no end") from error
    stored = StoredReferences(mentions)
    links = Links(defined(definitions), stored, uses)
    if not _is_consistent(links, stored.owners()):
        raise ValueError("links are of definitions that are not there")
    return links


def _is_consistent(links: Links, owners: list[int]) -> bool:
    """Tell whether all is inside of definitions that there are, and these inside of earlier ones."""
    count, mentions, uses = len(links.definitions), links.mentions, links.uses
    owners += [
        *map(OWNER, chain(mentions.routes, uses.statements, uses.referred, uses.models, uses.parameters, uses.handed)),
        *map(OWNER, chain(uses.column_parameters, uses.statement_parameters, uses.texts)),
        *map(HANDLES, mentions.routes),
    ]
    if owners and not -1 <= min(owners) <= max(owners) < count:
        return False
    return all(-1 <= parent < number for number, parent in enumerate(map(PARENT, links.definitions)))


def inflate_uses(data: bytes) -> DataUses:
    """Return only what a file does to tables, which takes a tenth of the time; raises like `inflate_links`."""
    return _USES_DECODER.decode(inflate(data, RECORD_BYTES))[2] if data else NO_USES


NO_LINKS = Links()
