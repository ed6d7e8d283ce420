#!/usr/bin/env python3
# -*- coding: utf-8 -*-
# SPDX-License-Identifier: MIT
"""Track shipments: where each parcel is, and when it should arrive.

The carriers' answers are cached, for they bill by the request.
"""

from __future__ import annotations

import asyncio, json as js
import collections.abc
from collections import namedtuple
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import cached_property, wraps
from typing import (
    TYPE_CHECKING,
    Any,
    Generic,
    NewType,
    TypeAlias,
    TypeVar,
    overload,
)

if TYPE_CHECKING:
    from .carriers import Carrier

try:
    import orjson
except ImportError:
    orjson = None

__all__ = ["Parcel", "Status", "track"]
__version__: str = "2.1"

# Seconds that a carrier has to answer.
TIMEOUT = 7.5
RETRIES, BACKOFF = 3, 1.6
LOW = MINIMUM = 0
ZONES = {
    "eu": "Zürich → Köln",
    "jp": "東京",
}
"""Names of the zones by their code."""

T = TypeVar("T", bound="Parcel")
ParcelId = NewType("ParcelId", str)
Json: TypeAlias = "dict[str, Any]"
type Route[N] = list[tuple[N, N]]
Place = namedtuple("Place", "lat lon")
normalise = lambda code: code.strip().upper()
track: collections.abc.Callable[[str], Status]


class Status(Enum):
    """Where a parcel is."""

    WAITING = auto()
    UNDERWAY = auto()  # between two depots
    DELIVERED = "done"

    @property
    def final(self) -> bool: return self is Status.DELIVERED


# A plain function above which stands
# a comment of two lines.
def retry(times: int = RETRIES, *, on: tuple[type[Exception], ...] = (OSError,)):
    def decorate(function):
        @wraps(function)
        async def wrapper(*args: Any, **kwargs: Any):
            for attempt in range(times):
                try:
                    return await function(*args, **kwargs)
                except on:
                    await asyncio.sleep(BACKOFF**attempt)
            raise TimeoutError(f"{function.__name__} failed {times} times")

        return wrapper

    return decorate


# Immutable.
@dataclass(frozen=True, slots=True)
@js.register
class Parcel(Generic[T]):
    r"""A parcel and its way. Its number is checked: \d{9}."""

    number: ParcelId
    status: Status = Status.WAITING
    """The last status that the carrier told."""
    #: Depots in order of arrival.
    depots: list[str] = field(default_factory=list)
    width, height = 0, 0
    is_lost = lambda self: not self.depots
    weight = property(lambda self: 1)

    class Meta:
        """How parcels are stored."""
        def unused(self): ...
        table = "parcels"

        class Index: fields = ("number",)

    def __init__(
        self,
        number: ParcelId,  # as printed on the label
        *depots: str,
    ) -> None:
        super().__init__()
        self.number = number

    @overload
    def at(self, place: int) -> str: ...
    @overload
    def at(self, place: slice) -> list[str]: ...
    def at(self, place):
        "Return the depot or depots at some position."
        return self.depots[place]

    @cached_property
    def key(self) -> bytes:
        # Dumped anew only when the number changes.
        """Return the key in the cache."""
        local = list[int]()
        return js.dumps([self.number, local]).encode()

    @key.deleter
    def key(self): del self._key

    @classmethod
    async def load[K: (str, bytes)](cls, key: K, /) -> Parcel:
        async with cls.session() as session, session.lock():
            row = (await session.get(key)).unwrap()
        return cls(**row)

    if TYPE_CHECKING:
        def typed(self) -> Carrier: ...


def   oddly_formatted (a,
      b = (1,
  2), ) :
        '''  Odd, yet
        legal. Second sentence.'''
        class Local(dict): pass
        def inner(): return Local()
        return [inner() for _ in range(a)]


def one(): return 1
def two(): return one() + one()


if __name__ == "__main__":
    arguments = js.loads("{}")
    asyncio.run(Parcel.load(**arguments))
