"""The index that a store has of a root's default branch, as the base over which what differs here is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from coderag.api.index import Index
from coderag.api.roots import Root
from coderag.api.user_settings import user_remote
from coderag.errors import CoderagError, IndexDamagedError, IndexMissingError, SettingsError, StoredIndexError
from coderag.files.git import repository_of_worktree
from coderag.index.build.build import SHARED_FILES
from coderag.index.storage.folder.lock import Holder

if TYPE_CHECKING:
    from coderag.index.remote.objects import ObjectStore
    from coderag.index.remote.pull import Pulled

__all__ = ["over_remote_base"]

T = TypeVar("T")


def over_remote_base(
    root: Root,
    make: Callable[[Sequence[Path]], T],
    *,
    said: Callable[[str], None],
    told: Callable[[int, int], None] | None = None,
    waiting: Callable[[Holder | None], None] | None = None,
) -> T:
    """Return what `make` makes of a root, given the folders of parts that need not be read.

    Where the user's settings name a store, and the root has no index or one that many files differ from, this is the
    index that was pushed there last under the name of the root's repository, or of the repository of which it is a
    further work tree. Without one, and where the settings cannot be read, the store not be reached, or the index is not
    signed by somebody known, `make` gets none, and `said` hears why. `told` and `waiting` are those of `pull_index`.
    Raises what `make` raises.
    """
    try:
        address = user_remote()
    except SettingsError as error:
        said(f"all files are read, as the base at the remote cannot be used: {error}")
        address = ""
    if not address or not _is_far_behind(root):
        return make(())
    with ExitStack() as held:
        from coderag.index.build.index_part import open_parts
        from coderag.index.remote.cache import MOST_BYTES, trim_pulled
        from coderag.index.remote.objects import ObjectStore
        from coderag.index.remote.pull import discard

        try:
            store = ObjectStore(address)
            pulled = held.enter_context(_pulled(store, root, told=told, waiting=waiting))
            open_parts([pulled.folder])  # tells whether it is signed
        except IndexMissingError:
            said(f"{store.address} has no index {root.repository!r}, so all files are read")
        except CoderagError as error:
            said(f"all files are read, as the base at the remote cannot be used: {error}")
        else:
            try:
                made = make([pulled.folder])
            except IndexDamagedError as error:
                discard(pulled)
                said(f"all files are read, as the base at {store.address} is damaged: {error}")
            else:
                trim_pulled(MOST_BYTES)
                return made
    return make(())


@contextmanager
def _pulled(
    store: ObjectStore,
    root: Root,
    *,
    told: Callable[[int, int], None] | None,
    waiting: Callable[[Holder | None], None] | None,
) -> Iterator[Pulled]:
    """Pull the index of a root's own name, or else that of the repository of which it is a further work tree."""
    from coderag.index.remote.pull import pull_index

    with ExitStack() as held:
        try:
            pulled = held.enter_context(pull_index(store, name=root.repository, told=told, waiting=waiting))
        except IndexMissingError:
            if (other := repository_of_worktree(root.root)) in ("", root.repository):
                raise
            pulled = held.enter_context(pull_index(store, name=other, told=told, waiting=waiting))
        yield pulled


def _is_far_behind(root: Root) -> bool:
    """Tell whether a root has no index, or one that many files differ from."""
    try:
        with Index.of([root]) as index:
            stale = index.stale_paths()
    except StoredIndexError:
        return True
    return stale is None or len(stale) >= SHARED_FILES
