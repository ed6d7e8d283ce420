"""An index that is opened, kept true, and seen as some callers see it."""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial, wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TypeVar
from weakref import WeakKeyDictionary

from coderag._version import __version__
from coderag.api.roots import Root, check_folders, resolve_roots
from coderag.errors import (
    AccessError,
    CoderagError,
    EncoderError,
    IndexDamagedError,
    IndexMissingError,
    QueryError,
    RetrievalWarning,
)
from coderag.index.reader.corpus import Corpus, Member, open_members
from coderag.index.reader.snapshot import PinnedFiles, Snapshot, pin_files
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.manifest import Manifest, read_manifest
from coderag.index.storage.misread import misread
from coderag.index.storage.segment import Segment
from coderag.limits import ITEMS, LOCK_SECONDS, MAX_BYTES, POLL, WORKERS, check_name, check_number, checked_list
from coderag.types import Content

if TYPE_CHECKING:
    from coderag.api.updater import Asked, IndexUpdater
    from coderag.encoders.encoder import Encoder
    from coderag.graph.access_graphs import SeenGraphs
    from coderag.graph.graph import Graph
    from coderag.graph.queries.relations import Relations
    from coderag.index.build.job import Progress, Report
    from coderag.index.build.watch.watch_loop import Followed, Update
    from coderag.index.catalog.catalog import Catalog
    from coderag.index.reader.access_view import AccessView
    from coderag.index.reader.recall import Recall
    from coderag.index.reader.status import Status
    from coderag.index.storage.checksums import Damage
    from coderag.index.storage.folder.lock import Holder
    from coderag.sql.records import Schema

__all__ = ["KeptIndex", "telling_damage"]

P = ParamSpec("P")
R = TypeVar("R")
AnyIndex = TypeVar("AnyIndex", bound="KeptIndex")


def telling_damage(method: Callable[Concatenate[AnyIndex, P], R]) -> Callable[Concatenate[AnyIndex, P], R]:
    """Raise IndexDamagedError in place of whatever tables make a method raise that are damaged, or signed and wrong.

    Every byte is compared with its sum only for an exception that damage may have caused. What is missing because
    another process replaced the index meanwhile is no damage: the new one is opened.
    """

    @wraps(method)
    def telling(self: AnyIndex, /, *args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return method(self, *args, **kwargs)
        except IndexDamagedError:
            if not self._was_replaced():
                raise
            self._load()
            return method(self, *args, **kwargs)
        except CoderagError:
            raise
        except Exception as error:
            from coderag.index.storage.symptoms import may_come_of_damage

            if not may_come_of_damage(error):
                raise  # a bug, or the caller's own
            self.verify()
            raise misread(" and ".join(str(root.folder) for root in self._roots), error) from error

    return telling


class KeptIndex:
    """One root or several with their indexes: made, opened, brought up to date, followed, checked.

    The index of a root lies in ROOT/.coderag, or where `index` says. Answers come from what was read when the index
    was opened or updated last; `update` reads what changed since.
    """

    def __init__(self, roots: Sequence[Root]) -> None:
        """Open the indexes of roots; `Index.open` and `Index.build` are the ways to call this."""
        self._roots = tuple(roots)
        self._reports: tuple[Report, ...] = ()
        self._corpus = Corpus([])
        self._whole = self  # of which this is what some callers see
        self._seen: AccessView | None = None  # None: all
        self._callers: tuple[frozenset[str], ...] = ()  # what all of them may see is seen
        self._graphs: tuple[object, tuple[Graph, ...]] | None = None  # of what was opened
        self._related: tuple[object, Mapping[str, Relations]] | None = None  # the same
        self._views: WeakKeyDictionary[AccessView, SeenGraphs] = WeakKeyDictionary()
        self._load()

    def __enter__(self) -> Self:
        """Return the index; its processes end with the block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """End the processes that updates left ready for the next one; the index still answers."""
        if (upkeep := self.__dict__.pop("_upkeep", None)) is not None:
            upkeep.close()

    @cached_property
    def _upkeep(self) -> IndexUpdater:
        """What writes the indexes; whoever only asks imports none of it."""
        from coderag.api.updater import IndexUpdater

        self._only_whole("be updated or merged")
        return IndexUpdater(self._roots)

    def _was_replaced(self) -> bool:
        """Tell whether a newer index lies on disk than the one that is open."""
        if self._seen is not None:
            return False
        known = zip(self._roots, self._manifests, strict=True)
        return any(read_manifest(one.folder).generation != manifest.generation for one, manifest in known)

    def _load(self) -> None:
        self.__dict__.pop("_encoder", None)
        known = {member.segment.folder: member.segment for member in self._corpus.members}
        opened = [_open(root, known) for root in self._roots]
        self._manifests = tuple(manifest for manifest, _, _ in opened)
        self._segments = tuple([member.segment for member in members] for _, members, _ in opened)
        self._corpus = Corpus([member for _, members, _ in opened for member in members])
        self._opened = Snapshot(
            [root.folder for root in self._roots],
            manifests=self._manifests,
            segments=self._segments,
            held=[held for _, _, held in opened],
            corpus=self._corpus,
        )

    @classmethod
    def build(
        cls,
        *roots: str | os.PathLike[str],
        index: str | os.PathLike[str] | None = None,
        contents: Iterable[Content | str] = (Content.CODE, Content.DOCS),
        max_bytes: int | None = None,
        encoder: str | None = None,
        mask: bool | None = None,
        workers: int | None = None,
        cache: bool = True,
        graph: bool = True,
        watch: Callable[[Progress], None] | None = None,
        waiting: Callable[[Holder | None], None] | None = None,
    ) -> Self:
        """Index roots from nothing and open the result.

        Files above `max_bytes` are left out. `encoder` names what makes the vectors (coderag.encoders.spec): "static",
        "none" for words alone, "hf:ID", a folder, an address. With `mask` secrets are covered
        (coderag.files.privacy.secrets). None keeps what an index that is there already has; a new one has the shipped
        encoder and no secrets.
        `workers` is the number of processes: None for one a core, 0 for none. With `cache`, segments that other indexes
        of this user left are used where they fit, and this one leaves its own. With `graph`, the graph is made as well,
        else when it is asked for. `watch` is called as files are read, and `waiting` once with who holds the index's
        lock, when that takes a while. Raises RootError, EncoderError, WorkerError, IndexLockedError and
        IndexWriteError.
        """
        asked = _asked(
            contents=contents,
            max_bytes=max_bytes,
            encoder=encoder,
            mask=mask,
            workers=workers,
            cache=cache,
            graph=graph,
            waiting=waiting,
        )
        return cls._kept(resolve_roots(roots, index=index), lambda upkeep: upkeep.build(asked, watch=watch))

    @classmethod
    def ensure(
        cls,
        *roots: str | os.PathLike[str],
        index: str | os.PathLike[str] | None = None,
        contents: Iterable[Content | str] | None = None,
        max_bytes: int | None = None,
        encoder: str | None = None,
        mask: bool | None = None,
        workers: int | None = None,
        cache: bool = True,
        graph: bool = True,
        watch: Callable[[Progress], None] | None = None,
        waiting: Callable[[Holder | None], None] | None = None,
    ) -> Self:
        """Open the indexes of roots as they should be: made where there is none, repaired, and brought up to date.

        Every folder is listed, and every byte of what is there is compared with its sums; the files of what is damaged
        are read again. An index of an older format is made anew. What is not given stays as an index was made. Raises
        like `build`, and IndexTooNewError.
        """
        asked = _asked(
            contents=contents,
            max_bytes=max_bytes,
            encoder=encoder,
            mask=mask,
            workers=workers,
            cache=cache,
            graph=graph,
            waiting=waiting,
        )
        return cls._kept(
            resolve_roots(roots, index=index), lambda upkeep: upkeep.update(asked, thorough=True, watch=watch)
        )

    @classmethod
    def _kept(cls, placed: Sequence[Root], keep: Callable[[IndexUpdater], tuple[Report, ...]]) -> Self:
        """Return the index of roots after something was done to it."""
        from coderag.api.updater import IndexUpdater

        check_folders(placed)
        upkeep = IndexUpdater(placed)
        try:
            reports = keep(upkeep)
        finally:
            upkeep.close()
        opened = cls(placed)
        opened._reports = reports
        return opened

    @classmethod
    def trust(cls, *roots: str | os.PathLike[str], index: str | os.PathLike[str] | None = None) -> Self:
        """Take over the indexes of roots, whoever made them, and open them.

        What they say of the files is believed from then on, so know who made them. Every byte is compared with the
        sums of the manifest before. Raises IndexMissingError, IndexFormatError, IndexDamagedError, IndexLockedError and
        IndexWriteError.
        """
        from coderag.index.storage.folder.adoption import take_over

        for resolve_root in resolve_roots(roots, index=index):
            take_over(resolve_root.untrusted or resolve_root.folder, resolve_root.root)
        return cls(resolve_roots(roots, index=index))

    @classmethod
    def open(cls, *roots: str | os.PathLike[str], index: str | os.PathLike[str] | None = None) -> Self:
        """Open the indexes of roots; raises IndexMissingError, IndexFormatError and IndexDamagedError."""
        return cls(resolve_roots(roots, index=index))

    def as_seen_by(self, groups: Iterable[str]) -> Self:
        """Return this index as callers of some groups see it, by the access rules of its roots.

        Every method of it answers as if what is kept from them were not there. It stays as this one was when it was
        asked for: to see changes, `update` this one and ask again. Asked of what somebody else sees, it is what both
        see. Rules that changed since the index was written count beside those that it keeps. Raises IndexDamagedError,
        SettingsError where the rules of a root or of a folder above it cannot be read, and AccessError where it cannot
        be told which files those of another folder are about.
        """
        whole, callers = self._whole, (*self._callers, frozenset(checked_list(ITEMS, groups, name="groups")))
        opened = whole._opened  # once, as another thread may update the index meanwhile
        seen = self._seen_in(opened, callers)
        index = object.__new__(type(self))
        index._roots, index._reports = whole._roots, ()
        index._whole, index._opened, index._seen, index._callers = whole, opened, seen, callers
        index._graphs = index._related = None
        index._corpus, index._segments = seen.corpus, tuple(map(list, opened.segments))
        index._manifests = tuple(root.manifest for root in seen.roots)
        return index

    @telling_damage
    def _seen_in(self, opened: Snapshot, callers: tuple[frozenset[str], ...]) -> AccessView:
        return opened.seen_by(callers)

    def _only_whole(self, what: str) -> None:
        """Raise AccessError unless this is the whole index."""
        if self._seen is not None:
            raise AccessError(f"only the whole index can {what}, not what some groups see of it")

    @telling_damage
    def is_fresh(self) -> bool:
        """Tell whether no file changed since the index was written, and this version wrote it."""
        return self.stale_paths() == []

    @telling_damage
    def stale_paths(self) -> list[str] | None:
        """Return the files and folders that changed since the index was written, as absolute paths; None for all.

        Nothing is read or listed, so this takes a few microseconds a file. It is what `update` takes.
        """
        from coderag.index.build.embed import Embedding
        from coderag.index.build.staleness import stale_paths

        self._only_whole("tell what changed")
        found: list[str] = []
        if any(one.version != __version__ or Embedding.of(one).key != one.vectors for one in self._manifests):
            return None
        try:
            listings = self._opened.listings
        except IndexDamagedError:
            return None
        for root, manifest, segments, listed in zip(
            self._roots, self._manifests, self._segments, listings, strict=True
        ):
            paths = stale_paths(str(root.root), manifest, segments, listed)
            if paths is None:
                return None
            found += [os.path.join(root.root, path) for path in paths]
        return found

    def update(
        self,
        *,
        paths: Iterable[str | os.PathLike[str]] | None = None,
        contents: Iterable[Content | str] | None = None,
        max_bytes: int | None = None,
        encoder: str | None = None,
        mask: bool | None = None,
        workers: int | None = None,
        thorough: bool = False,
        watch: Callable[[Progress], None] | None = None,
        lock_seconds: float | None = None,
    ) -> None:
        """Read what changed since the index was written; raises like `build`, and IndexTooNewError.

        With `paths`, absolute or from a root, only these files and folders are looked at: what an editor or a watcher
        knows to have changed. A `thorough` update lists every folder and compares every byte of the index with its
        sums; the files of what is damaged are read again. What is not given stays as the index was made; what differs
        from it means that all is read again. With another encoder, all is embedded anew; the vectors that there were
        answer until that is done. Another writer is waited for `lock_seconds`, or a minute. The processes that read
        files stay for the next update, until `close`.
        """
        asked = _asked(
            contents=contents,
            max_bytes=max_bytes,
            encoder=encoder,
            mask=mask,
            workers=workers,
            lock_seconds=lock_seconds,
        )
        if isinstance(paths, str | os.PathLike):
            raise TypeError("paths is one path; give a list of paths")
        self._reports = self._upkeep.update(asked, paths=paths, thorough=thorough, watch=watch)
        self._load()

    def merge(self) -> bool:
        """Merge the small segments that updates left, and tell whether there was anything to do.

        Updates do it themselves where it is quick. Raises like `update`.
        """
        merged = self._upkeep.merge()
        if merged:
            self._load()
        return merged

    def watch(
        self, *, stop: threading.Event | None = None, poll: float | None = None, workers: int | None = None
    ) -> Iterator[Update]:
        """Bring the index up to date whenever files change, and yield what was done: until `stop` is set, or for ever.

        The first look is at what changed since the index was written. Searches, also of other threads, answer from what
        was read when an update is yielded. A failure is an update with an error, and is tried again. With `poll` all
        files are looked at every so many seconds; so they are, with a RuntimeWarning, where the system watches no more
        folders. `workers` is the number of processes: None for one a core but one. Raises RootError when a root is
        removed, and QueryError for what exceeds a limit.
        """
        self._only_whole("follow changes")
        if poll is not None:
            check_number(POLL, poll)
        if workers is not None:
            check_number(WORKERS, workers)
        return self._updates(stop or threading.Event(), poll, workers)

    def _updates(self, stop: threading.Event, poll: float | None, workers: int | None) -> Iterator[Update]:
        from coderag.index.build.watch.watch_loop import follow

        alone = [self] if len(self._roots) == 1 else [type(self)([root]) for root in self._roots]
        try:
            for update in follow([kept_index._followed(workers) for kept_index in alone], stop=stop, poll=poll):
                if alone != [self] and update.report is not None:
                    self._load()
                yield update
        finally:
            for kept_index in alone:
                kept_index.close()

    def _followed(self, workers: int | None) -> Followed:
        """Return the index of one root as something to follow."""
        from coderag.api.background import spawn_maintenance
        from coderag.index.build.watch.watch_loop import Followed, gentle_options

        [root] = self._roots

        def update(paths: Sequence[str] | None, most_files: int) -> Report:
            options = gentle_options(root.folder, self._manifests[0], workers=workers, most_files=most_files)
            report = self._upkeep.update_one(root, options, paths=paths)
            self._reports = (report,)
            self._load()
            return report

        return Followed(
            root.root,
            root.folder,
            root.repository,
            update=update,
            stale=self.stale_paths,
            tidy=partial(spawn_maintenance, root.folder, root.root),
        )

    @telling_damage
    def graphs(self) -> tuple[Graph, ...]:
        """Return the graph of each root, in the order of the roots.

        Where the index changed since its graph was made, the graph is made anew, which takes a fraction of the time
        of indexing, and stored. Of what some groups see, the graph is that of the files that they see, and is stored
        as well. Raises IndexDamagedError.
        """
        from coderag.graph.store import current_graph

        if self._seen is not None:
            return self._seen_graphs(self._seen).current()
        opened = self._opened
        if self._graphs is None or self._graphs[0] is not opened:
            parts = zip(self._roots, self._manifests, self._segments, strict=True)
            graphs = tuple(
                current_graph(one.folder, manifest, found, schema=self._schema_of(one))
                for one, manifest, found in parts
            )
            self._graphs = opened, graphs
        return self._graphs[1]

    def _seen_graphs(self, seen: AccessView) -> SeenGraphs:
        """Return the graphs of what some callers see, the same for all who see the same."""
        from coderag.graph.access_graphs import SeenGraphs

        known = self._whole._views
        if seen not in known:
            known[seen] = SeenGraphs(seen.roots)
        return known[seen]

    def _schema_of(self, root: Root) -> Callable[[], Schema]:
        def schema() -> Schema:
            from coderag.sql.records import Schema

            catalog = self._opened.catalogs.get(root.repository)
            return catalog.schema() if catalog is not None else Schema()

        return schema

    @property
    def roots(self) -> tuple[Root, ...]:
        """The roots, in the order given."""
        return self._roots

    @property
    def reports(self) -> tuple[Report, ...]:
        """What the last build or update did, root by root; empty for an index that was only opened."""
        return self._reports

    def verify(self) -> None:
        """Compare every byte of what was opened with its checksum; raises IndexDamagedError."""
        from coderag.index.storage.checksums import is_sound

        for segments in self._segments:
            for segment in segments:
                segment.verify()
        for root, manifest in zip(self._roots, self._manifests, strict=True):
            files = {
                manifest.listing: manifest.listing_sum,
                manifest.catalog: manifest.catalog_sum,
                manifest.graph: manifest.graph_sum,
            }
            for path, known in ((root.folder / name, known) for name, known in files.items() if name):
                if path.exists() and not is_sound(path, known):
                    raise IndexDamagedError(f'{path} is damaged; run "coderag index"')
        if self._seen is not None:
            self._seen_graphs(self._seen).verify()

    def damage(self) -> list[Damage]:
        """Return every file of the indexes on disk that is not what was written; raises IndexDamagedError."""
        from coderag.index.storage.checksums import damage_of

        self._only_whole("be compared with what was written")
        return [found for root in self._roots for found in damage_of(root.folder, read_manifest(root.folder))]

    @telling_damage
    def recall(self) -> Recall | None:
        """Return how many of the nearest vectors a search finds, on questions made of what is indexed.

        None where there are no vectors. Raises EncoderError.
        """
        from coderag.index.reader.recall import measure_recall

        return None if self._encoder is None else measure_recall(self._corpus, self._encoder)

    @telling_damage
    def status(self, *, compare: bool = True) -> list[Status]:
        """Return what is indexed of each root; with `compare`, also how its files have changed since."""
        from coderag.index.reader.status import take_stock
        from coderag.index.storage.database_snapshots import read_snapshots

        if self._seen is not None:
            return [root.status(compare=compare) for root in self._seen.roots]
        return [
            take_stock(
                one.folder,
                manifest,
                segments,
                compare=compare,
                listed=listed,
                catalog=self._opened.catalogs.get(one.repository),
                snapshots=read_snapshots(one.folder),
            )
            for one, manifest, segments, listed in zip(
                self._roots, self._manifests, self._segments, self._opened.listings, strict=True
            )
        ]

    def _relations(self) -> Mapping[str, Relations]:
        """Return what the stored graphs tell of hits, by repository; they may be older than the index.

        {} where there is none. For those who do not see all, it is what the graph of what they see tells.
        """
        opened = self._opened
        if self._related is not None and self._related[0] is opened:
            return self._related[1]
        if self._seen is not None and any(held.graph is not None for held in opened.held):
            return self._seen_graphs(self._seen).relations(self._stored_graphs)
        graphs = self._stored_graphs()
        if not graphs:
            return {}
        from coderag.graph.queries.relations import Relations

        found = {name: Relations(graph) for name, graph in graphs.items()}
        self._related = opened, found
        return found

    def _stored_graphs(self) -> dict[str, Graph]:
        """Return the graphs as they were stored, by repository, of the roots that have any."""
        opened = self._opened
        parts = [
            (root, manifest, held.graph)
            for root, manifest, held in zip(self._roots, opened.manifests, opened.held, strict=True)
            if held.graph is not None
        ]
        if not parts:
            return {}
        from coderag.graph.graph import Graph

        return {root.repository: Graph.open(root.folder / one.graph, held) for root, one, held in parts}

    @cached_property
    def _encoder(self) -> Encoder | None:
        """What made the vectors of all roots, None where they have none, or not the same; a warning says so then."""
        from coderag.index.build.embed import Embedding

        if self._whole is not self and [one.vectors for one in self._whole._manifests] == [
            one.vectors for one in self._manifests
        ]:
            return self._whole._encoder
        keys = {manifest.vectors for manifest in self._manifests}
        if keys == {""}:
            return None
        try:
            if len(keys) > 1:
                raise EncoderError(
                    'the roots were indexed with different encoders; "coderag index --encoder" makes them one'
                )
            return Embedding.made(self._manifests[0]).opened()
        except EncoderError as error:
            warnings.warn(f"words alone answer: {error}", RetrievalWarning, stacklevel=4)
            return None

    @property
    @telling_damage
    def catalog(self) -> Catalog:
        """The schemas of all roots as one catalog, without tables where nothing tells of any."""
        return (self._seen or self._opened).catalog

    @property
    def asked(self) -> list[str]:
        """The addresses of the databases that were asked for their schema, without credentials."""
        from coderag.index.storage.database_snapshots import read_snapshots

        if self._seen is not None:
            return [snapshot.name for root in self._seen.roots for snapshot in root.snapshots]
        return [read_snapshot.name for root in self._roots for read_snapshot in read_snapshots(root.folder)]

    @telling_damage
    def __len__(self) -> int:
        """Return how many chunks can be found."""
        return self._corpus.live_chunks


def _asked(**given: Any) -> Asked:
    """Return what an index is asked to be; raises QueryError for unknown contents and for what exceeds a limit."""
    from coderag.api.updater import Asked

    asked = {name: value for name, value in given.items() if value is not None}
    for limit in (MAX_BYTES, WORKERS, LOCK_SECONDS):
        if limit.name in asked:
            check_number(limit, asked[limit.name])
    if "encoder" in asked:
        check_name(asked["encoder"], what="the encoder")
    if "contents" in asked:
        asked["contents"] = checked_list(ITEMS, asked["contents"], name="contents")
        if unknown := sorted(set(asked["contents"]) - set(Content)):
            raise QueryError(f"unknown content {unknown[0]!r}; known are {', '.join(Content)}")
    return Asked(**asked)


def _open(one: Root, known: Mapping[IndexPath, Segment]) -> tuple[Manifest, list[Member], PinnedFiles]:
    """Return the manifest of a root's index, its segments, of which some may be open already, and the other files."""
    while True:
        try:
            written = read_manifest(one.folder)
        except IndexMissingError as error:
            if one.untrusted is None:
                raise
            raise IndexMissingError(
                f"the index at {one.untrusted} was not made by you on this machine, so it is not believed, and there "
                'is no other one; run "coderag index", or "coderag index --trust" to take it over'
            ) from error
        # The names are those of today: the index may have been made alone, or under another name.
        manifest = replace(written, root=str(one.root), repository=one.repository)
        try:
            members = open_members(one.folder, manifest, known=known)
            return manifest, members, pin_files(one.folder, manifest)
        except IndexDamagedError:
            # Another process may have replaced the index meanwhile, and removed the segments of the old one.
            if read_manifest(one.folder) == written:
                raise
