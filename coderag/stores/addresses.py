"""The address of a store to the store, and the name of an index in it."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import NamedTuple

from coderag.errors import IndexMissingError, QueryError
from coderag.extras import Extra, how_to_install
from coderag.index.remote.objects import ObjectStore, shown_address
from coderag.stores.store import Store

__all__ = ["KINDS", "Address", "check_text", "name_in", "open_store", "parse_address", "store_opener"]

POSTGRES, MILVUS = ("postgresql", "postgres"), "milvus"
ELASTIC = ("elasticsearch", "opensearch")
OBJECTS = ("s3", "gs", "az", "file")
KINDS = (
    "postgresql://HOST/DATABASE#NAME, milvus://HOST:PORT#NAME, elasticsearch://HOST:PORT#NAME, "
    "opensearch://HOST:PORT#NAME, s3://BUCKET/FOLDER#NAME and file:///FOLDER#NAME"
)


class Address(NamedTuple):
    """Where a store is, and which index is meant, "" for the only one."""

    url: str
    name: str

    @property
    def shown(self) -> str:
        """The address without credentials and options."""
        return shown_address(self.url)


def parse_address(text: str) -> Address:
    """Return the address that a text such as postgresql://host/database#index gives; raises QueryError."""
    url, _, name = text.partition("#")
    scheme = url.partition("://")[0]
    if "://" not in url or scheme not in (*POSTGRES, MILVUS, *ELASTIC, *OBJECTS):
        raise QueryError(f"{scheme[:32]!r} is no kind of store; known are {KINDS}")
    check_text(text, what="the address of a store")
    return Address(url, name)


def check_text(text: str, *, what: str) -> None:
    """Raise QueryError for what no store can hold: bytes of an argument or a folder that are not UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise QueryError(f"{what} is not UTF-8: {text[:64]!r}; --to 'URL#NAME' names the index otherwise") from error


def open_store(address: Address) -> Store:
    """Connect to a store; raises QueryError where a package is missing, and RemoteStoreError.

    milvus:///PATH is a file of Milvus Lite.
    """
    scheme, _, rest = address.url.partition("://")
    if scheme in OBJECTS:
        from coderag.stores.ranged.ranged_store import RangedStore

        return RangedStore(ObjectStore(address.url))
    if scheme in ELASTIC:
        from coderag.stores.elastic.elastic_store import ElasticStore

        return ElasticStore(address.url)
    if scheme == MILVUS:
        if find_spec("pymilvus") is None:
            raise QueryError(f"Milvus needs a package; {how_to_install(Extra.MILVUS)}")
        from coderag.stores.milvus import MilvusStore

        return MilvusStore(rest if rest.startswith("/") else f"http://{rest}")
    if find_spec("psycopg") is None:
        raise QueryError(f"PostgreSQL needs a package; {how_to_install(Extra.POSTGRES)}")
    from coderag.stores.postgres import PostgresStore

    return PostgresStore(address.url)


def store_opener(address: Address) -> Callable[[], Store]:
    """Return what opens a store for one more thread, as `open_store` does: a connection to a database each.

    A store of objects has no connection, so all threads get the same one, with the ranges that it remembers.
    """
    if address.url.partition("://")[0] not in OBJECTS:
        return lambda: open_store(address)
    shared = open_store(address)
    return lambda: shared


def name_in(store: Store, address: Address, *, names_are_told: bool) -> str:
    """Return the name of the index that an address means.

    `names_are_told` says whether a message may name the others. Raises IndexMissingError and RemoteStoreError.
    """
    if address.name:
        return address.name
    names = store.names()
    if len(names) == 1:
        return names[0]
    if not names:
        raise IndexMissingError(f'there is no index at {address.shown}; "coderag export" writes one')
    known = f", which are {', '.join(names)}" if names_are_told else ""
    raise IndexMissingError(f"there are {len(names)} indexes at {address.shown}{known}; name one: --store 'URL#NAME'")
