"""An index to a store: its segments by content, then a generation that names them."""

from __future__ import annotations

from collections.abc import Callable

from coderag.errors import QueryError, RemoteStoreError, StoreDamagedError
from coderag.index.reader.opened_root import OpenedRoot
from coderag.record import record
from coderag.stores.generation import Generation, decode_generation, encode_generation
from coderag.stores.packet import PACKET_FORMAT
from coderag.stores.segments import Portion, portions_of, stored_segment
from coderag.stores.store import Store
from coderag.text.tokens import TOKENIZER_VERSION

__all__ = ["GRACE_SECONDS", "Exported", "export_index"]

GRACE_SECONDS = 3600.0  # that what no current generation names stays: for readers, and for who exports meanwhile
MAX_ATTEMPTS = 5  # to find all segments there: each time another process dropped some

Told = Callable[[int, int], None]


@record
class Exported:
    """What was written to a store."""

    name: str
    generation: int
    segments: int  # of the generation
    written: int  # of these
    chunks: int  # of the generation
    dropped: int  # segments that nobody needs any longer


def export_index(
    root: OpenedRoot, store: Store, *, name: str, grace: float = GRACE_SECONDS, told: Told | None = None
) -> Exported:
    """Write what a store lacks of an index, and make it the current generation there.

    Whoever searches meanwhile gets the old generation or the new one. Segments that a killed export wrote are found to
    be there. `told` hears how many segments of how many are. Raises RemoteStoreError, and what `portions_of` raises.
    """
    portions = portions_of(root)
    generation = _generation(root, portions)
    body, wanted = encode_generation(generation), {segment.name for segment in generation.segments}
    written = 0
    for _ in range(MAX_ATTEMPTS):
        written += _put_missing(store, portions, told)
        with store.exclusive():
            if not wanted <= store.segments().keys():
                continue  # another process dropped some that no generation named yet
            number, is_published = _number(store, name, body)
            if not is_published:
                store.publish(name, number, body)
            dropped = _drop_unused(store, grace)
            return Exported(
                name, number, len(wanted), written, sum(segment.chunks for segment in generation.segments), dropped
            )
    raise RemoteStoreError(
        "other processes remove segments from the store as fast as they are written; try again later"
    )


def _number(store: Store, name: str, body: bytes) -> tuple[int, bool]:
    """Return the number that a generation has if it is the current one, or else gets, and whether it is."""
    try:
        current = store.current(name)
    except StoreDamagedError:  # it is replaced like one that was read
        return 1 + max(generation.number for generation in store.generations() if generation.name == name), False
    if current is None:
        return 1, False
    is_published = current.body == body
    return current.number + (not is_published), is_published


def _generation(root: OpenedRoot, portions: list[Portion]) -> Generation:
    manifest = root.manifest
    return Generation(
        repository=manifest.repository.encode("utf-8", "replace").decode(),  # that of a folder need not be UTF-8
        form=PACKET_FORMAT,
        tokenizer=str(TOKENIZER_VERSION),
        encoder=manifest.encoder,
        encoder_named=manifest.encoder_named,
        vectors=manifest.vectors,
        segments=tuple(sorted((portion.state() for portion in portions), key=lambda state: state.name)),
    )


def _put_missing(store: Store, portions: list[Portion], told: Told | None) -> int:
    known = store.segments().keys()
    missing = [portion for portion in portions if portion.name not in known]
    for number, portion in enumerate(missing):
        if told is not None:
            told(number, len(missing))
        store.put_segment(stored_segment(portion))
    return len(missing)


def _drop_unused(store: Store, grace: float) -> int:
    """Remove old generations, and segments that none of the others names, both once they are older than `grace`."""
    generations = store.generations()
    newest: dict[str, int] = {}
    for one in generations:
        newest[one.name] = max(newest.get(one.name, 0), one.number)
    # A generation is read until the next one is there, so its successor's age says how long nobody began to read it.
    ages = {(one.name, one.number - 1): one.age for one in generations}
    named: set[str] = set()
    for one in generations:
        if one.number < newest[one.name] and ages.get((one.name, one.number), 0.0) > grace:
            store.forget(one.name, one.number)
            continue
        try:
            generation = decode_generation(one.body, tokenizer=str(TOKENIZER_VERSION))
        except (QueryError, RemoteStoreError):
            return 0  # of another version: what it names is not known
        named |= {segment.name for segment in generation.segments}
    unused = [segment for segment, age in store.segments().items() if segment not in named and age > grace]
    # Another export may write what is not whole, and does not look at it again once it is.
    longest = max(grace, GRACE_SECONDS)
    unused += [segment for segment, age in store.remains().items() if segment not in named and age > longest]
    for segment in unused:
        store.drop_segment(segment)
    return len(unused)
