"""An index and the questions asked of it: what `import coderag` gives."""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TypeVar

import numpy as np

from coderag import __version__
from coderag.errors import (
    AccessError,
    CoderagError,
    EncoderError,
    IndexDamagedError,
    QueryError,
    RerankerError,
    RetrievalWarning,
)
from coderag.index.arrays import Array
from coderag.index.corpus import Corpus, Member, open_members
from coderag.index.manifest import Manifest, read_manifest
from coderag.index.segment import Segment
from coderag.index.whole import Held, Whole, hold
from coderag.ranking.expand import expand as expand_hits
from coderag.ranking.explain import hits_of
from coderag.ranking.filter import allowed_chunks
from coderag.ranking.query import make_query
from coderag.ranking.rank import BUILT_IN, STANDARD, Ranked, rank
from coderag.ranking.symbols import find_symbols
from coderag.ranking.understand import understand
from coderag.roots import Root, place
from coderag.types import Chunk, Content, Expand, Hit, Kind, Pipeline, Query, Symbol, TableFilter, TestPolicy

if TYPE_CHECKING:
    from coderag.context.about import TableFacts
    from coderag.context.schema_context import SchemaContext
    from coderag.index.catalog import Catalog
    from coderag.index.check import Damage
    from coderag.index.following import Followed, Update
    from coderag.index.job import Progress, Report
    from coderag.index.lock import Holder
    from coderag.index.recall import Recall
    from coderag.index.seen import Seen
    from coderag.index.status import Status
    from coderag.models.encoder import Encoder
    from coderag.ranking.tables import TableRanking
    from coderag.sql.check import Finding
    from coderag.sql.model import Table
    from coderag.upkeep import Asked, Upkeep

__all__ = ["Index"]

P = ParamSpec("P")
R = TypeVar("R")

NO_FILTER = TableFilter()
MAX_COPIES = 30  # hits that may turn out to have the text of a better one


def _telling_damage(method: Callable[Concatenate[Index, P], R]) -> Callable[Concatenate[Index, P], R]:
    """Raise IndexDamagedError in place of whatever damaged tables make a method raise.

    What is missing because another process replaced the index meanwhile is no damage: the new one is opened.
    """

    @wraps(method)
    def telling(self: Index, /, *args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return method(self, *args, **kwargs)
        except IndexDamagedError:
            if not self._was_replaced():
                raise
            self._load()
            return method(self, *args, **kwargs)
        except CoderagError:
            raise
        except Exception:
            self.verify()
            raise  # the tables are sound, so this is a bug

    return telling


class Index:
    """One root or several, searched as one.

    The index of a root lies in ROOT/.coderag, or where `index` says. A search answers from what was read when the
    index was opened or updated last; `update` reads what changed since.
    """

    def __init__(self, roots: Sequence[Root]) -> None:
        """Open the indexes of roots; `Index.open` and `Index.build` are the ways to call this."""
        self._roots = tuple(roots)
        self._reports: tuple[Report, ...] = ()
        self._corpus = Corpus([])
        self._whole = self  # of which this is what some callers see
        self._seen: Seen | None = None  # None: all
        self._callers: tuple[frozenset[str], ...] = ()  # what all of them may see is seen
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
    def _upkeep(self) -> Upkeep:
        """What writes the indexes; whoever only asks imports none of it."""
        from coderag.upkeep import Upkeep

        self._only_whole("be updated or merged")
        return Upkeep(self._roots)

    def _was_replaced(self) -> bool:
        """Tell whether a newer index lies on disk than the one that is open."""
        if self._seen is not None:
            return False
        known = zip(self._roots, self._manifests, strict=True)
        return any(read_manifest(one.folder).generation != manifest.generation for one, manifest in known)

    def _load(self) -> None:
        self.__dict__.pop("_encoder", None)
        known = {member.segment.folder: member.segment for member in self._corpus.members}
        opened = [_open(one, known) for one in self._roots]
        self._manifests = tuple(manifest for manifest, _, _ in opened)
        self._segments = tuple([member.segment for member in members] for _, members, _ in opened)
        self._corpus = Corpus([member for _, members, _ in opened for member in members])
        self._opened = Whole(
            [one.folder for one in self._roots],
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
        watch: Callable[[Progress], None] | None = None,
        waiting: Callable[[Holder | None], None] | None = None,
    ) -> Index:
        """Index roots from nothing and open the result.

        Files above `max_bytes` are left out. `encoder` names what makes the vectors (coderag.models.spec): "static",
        "none" for words alone, "hf:ID", a folder, an address. With `mask` secrets are covered
        (coderag.reading.secrets). None keeps what an index that is there already has; a new one has the shipped encoder
        and no secrets.
        `workers` is the number of processes: None for one a core, 0 for none. With `cache`, segments that other indexes
        of this user left are used where they fit, and this one leaves its own. `watch` is called as files are read, and
        `waiting` once with who holds the index's lock, when that takes a while. Raises RootError, EncoderError,
        WorkerError, IndexLockedError and IndexWriteError.
        """
        asked = _asked(
            contents=contents,
            max_bytes=max_bytes,
            encoder=encoder,
            mask=mask,
            workers=workers,
            cache=cache,
            waiting=waiting,
        )
        return cls._kept(place(roots, index=index), lambda upkeep: upkeep.build(asked, watch=watch))

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
        watch: Callable[[Progress], None] | None = None,
        waiting: Callable[[Holder | None], None] | None = None,
    ) -> Index:
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
            waiting=waiting,
        )
        return cls._kept(place(roots, index=index), lambda upkeep: upkeep.update(asked, thorough=True, watch=watch))

    @classmethod
    def _kept(cls, placed: Sequence[Root], keep: Callable[[Upkeep], tuple[Report, ...]]) -> Index:
        """Return the index of roots after something was done to it."""
        from coderag.upkeep import Upkeep

        upkeep = Upkeep(placed)
        try:
            reports = keep(upkeep)
        finally:
            upkeep.close()
        opened = cls(placed)
        opened._reports = reports
        return opened

    @classmethod
    def open(cls, *roots: str | os.PathLike[str], index: str | os.PathLike[str] | None = None) -> Index:
        """Open the indexes of roots; raises IndexMissingError, IndexFormatError and IndexDamagedError."""
        return cls(place(roots, index=index))

    def as_seen_by(self, groups: Iterable[str]) -> Index:
        """Return this index as callers of some groups see it, by the access rules of its roots.

        Every method of it answers as if what is kept from them were not there. It stays as this one was when it was
        asked for: to see changes, `update` this one and ask again. Asked of what somebody else sees, it is what both
        see. Raises IndexDamagedError.
        """
        whole, callers = self._whole, (*self._callers, frozenset(groups))
        opened = whole._opened  # once, as another thread may update the index meanwhile
        seen = opened.seen_by(callers)
        index = object.__new__(Index)
        index._roots, index._reports = whole._roots, ()
        index._whole, index._opened, index._seen, index._callers = whole, opened, seen, callers
        index._corpus, index._segments = seen.corpus, tuple(map(list, opened.segments))
        index._manifests = tuple(one.manifest for one in seen.roots)
        return index

    def _only_whole(self, what: str) -> None:
        """Raise AccessError unless this is the whole index."""
        if self._seen is not None:
            raise AccessError(f"only the whole index can {what}, not what some groups see of it")

    @_telling_damage
    def is_fresh(self) -> bool:
        """Tell whether no file changed since the index was written, and this version wrote it."""
        return self.stale_paths() == []

    @_telling_damage
    def stale_paths(self) -> list[str] | None:
        """Return the files and folders that changed since the index was written, as absolute paths; None for all.

        Nothing is read or listed, so this takes a few microseconds a file. It is what `update` takes.
        """
        from coderag.index.embed import Embedding
        from coderag.index.fresh import stale_paths

        self._only_whole("tell what changed")
        found: list[str] = []
        if any(one.version != __version__ or Embedding.of(one).key != one.vectors for one in self._manifests):
            return None
        try:
            listings = self._opened.listings
        except IndexDamagedError:
            return None
        for one, manifest, segments, listed in zip(self._roots, self._manifests, self._segments, listings, strict=True):
            paths = stale_paths(str(one.root), manifest, segments, listed)
            if paths is None:
                return None
            found += [os.path.join(one.root, path) for path in paths]
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
        removed.
        """
        from coderag.index.following import follow

        self._only_whole("follow changes")
        alone = [self] if len(self._roots) == 1 else [Index([one]) for one in self._roots]
        try:
            for update in follow([one._followed(workers) for one in alone], stop=stop or threading.Event(), poll=poll):
                if alone != [self] and update.report is not None:
                    self._load()
                yield update
        finally:
            for one in alone:
                one.close()

    def _followed(self, workers: int | None) -> Followed:
        """Return the index of one root as something to follow."""
        from coderag.index.following import Followed, gentle_options

        [one] = self._roots

        def update(paths: Sequence[str] | None, most_files: int) -> Report:
            options = gentle_options(one.folder, self._manifests[0], workers=workers, most_files=most_files)
            report = self._upkeep.update_one(one, options, paths=paths)
            self._reports = (report,)
            self._load()
            return report

        return Followed(one.root, one.folder, one.repository, update=update, stale=self.stale_paths)

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
        for segments in self._segments:
            for segment in segments:
                segment.verify()

    def damage(self) -> list[Damage]:
        """Return every file of the indexes on disk that is not what was written; raises IndexDamagedError."""
        from coderag.index.check import damage_of

        self._only_whole("be compared with what was written")
        return [found for one in self._roots for found in damage_of(one.folder, read_manifest(one.folder))]

    @_telling_damage
    def recall(self) -> Recall | None:
        """Return how many of the nearest vectors a search finds, on questions made of what is indexed.

        None where there are no vectors. Raises EncoderError.
        """
        from coderag.index.recall import measure_recall

        return None if self._encoder is None else measure_recall(self._corpus, self._encoder)

    @_telling_damage
    def status(self, *, compare: bool = True) -> list[Status]:
        """Return what is indexed of each root; with `compare`, also how its files have changed since."""
        from coderag.index.snapshots import read_snapshots
        from coderag.index.status import take_stock

        if self._seen is not None:
            return [one.status(compare=compare) for one in self._seen.roots]
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

    @_telling_damage
    def search(
        self,
        question: str | Query,
        *,
        k: int = 10,
        kinds: Iterable[Kind | str] = (),
        languages: Iterable[str] = (),
        paths: Sequence[str] = (),
        repositories: Iterable[str] = (),
        databases: Iterable[str] = (),
        environments: Iterable[str] = (),
        groups: Iterable[str] | None = None,
        tests: TestPolicy | str = TestPolicy.DEMOTE,
        diversity: float = 0.0,
        threshold: float = 0.0,
        collapse: bool = True,
        expand: Expand | str | None = None,
        pipeline: Pipeline = STANDARD,
    ) -> list[Hit]:
        """Return the k best chunks for a question, best first.

        `paths` are globs as in .gitignore, "!" in front excludes. `databases` and `environments` leave the files that
        declare, change, query or describe what is in such a database. `groups` are the caller's (`as_seen_by`), None
        for one that sees all. `diversity`, 0..1, puts behind what is like a better
        hit; `threshold`, 0..1, is the least confidence of a hit; without `collapse` copies are hits too; `expand` gives
        what is around hits in their place; `pipeline` chooses how hits are ranked. A Query brings its own conditions.
        Raises QueryError for an empty question, an unknown condition, a k below 1, or a share outside 0..1, and
        RerankerError for a reranker that is unknown. One that fails is left out, and a RetrievalWarning says so.
        """
        if isinstance(question, str):
            question = make_query(
                question,
                k=k,
                kinds=kinds,
                languages=languages,
                paths=paths,
                repositories=repositories,
                databases=databases,
                environments=environments,
                groups=groups,
                tests=tests,
                diversity=diversity,
                threshold=threshold,
                collapse=collapse,
                expand=expand,
                pipeline=pipeline,
            )
        if question.groups is not None:
            return self.as_seen_by(question.groups).search(replace(question, groups=None))
        understood = understand(question.text)
        if question.tests is TestPolicy.INCLUDE:
            understood = replace(understood, wants=understood.wants | {"test"})
        corpus = self._corpus  # once, as an update in another thread may put another in its place
        allowed = allowed_chunks(corpus, question, lambda: (self._seen or self._opened).catalogs)
        vector = self._vector(question.text)
        ranked = rank(
            corpus,
            understood,
            k=question.k + MAX_COPIES,
            vector=vector,
            allowed=allowed,
            pipeline=question.pipeline,
            diversity=question.diversity,
            calibrated=self._encoder is not None and self._encoder.identity.kind == "static",
        )
        ranked = self._reranked(corpus, question, ranked)
        sure = [one for one in ranked if one.confidence >= question.threshold]
        found = hits_of(corpus, understood, sure, k=question.k, collapse=question.collapse)
        return expand_hits(corpus, found, question.expand) if question.expand else [hit for _, hit in found]

    def _reranked(self, corpus: Corpus, question: Query, ranked: list[Ranked]) -> list[Ranked]:
        """Return a ranking as the reranker that was asked for has it; as it is where none was, or where that fails."""
        pipeline = question.pipeline
        if pipeline.reranker in BUILT_IN:
            return ranked
        from coderag.ranking.rerank import find_reranker, reranked

        try:
            reranker = find_reranker(pipeline.reranker)
            return reranked(
                corpus, question.text, ranked, reranker=reranker, depth=pipeline.depth, blend=pipeline.blend
            )
        except RerankerError as error:
            warnings.warn(f"the hits are not reranked: {error}", RetrievalWarning, stacklevel=3)
            return ranked

    def _vector(self, text: str) -> Array | None:
        """Return the vector of a question, None where words alone answer; a warning says why if that is a failure."""
        if self._encoder is None:
            return None
        try:
            vector = self._encoder.encode_query(text)
        except EncoderError as error:
            warnings.warn(f"words alone answer: {error}", RetrievalWarning, stacklevel=3)
            return None
        return vector if vector.any() else None

    @cached_property
    def _encoder(self) -> Encoder | None:
        """What made the vectors of all roots, None where they have none, or not the same; a warning says so then."""
        from coderag.index.embed import Embedding

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

    @_telling_damage
    def symbols(self, name: str, *, k: int = 20, alike: bool = True) -> list[Symbol]:
        """Return the definitions of a name, qualified or not; where there is none, those spelled most like it.

        Without `alike` there are only the former. Raises QueryError for an empty name or a k below 1.
        """
        make_query(name, k=k)
        return find_symbols(self._corpus, name, k=k, alike=alike)

    @_telling_damage
    def outline(self, path: str) -> list[Symbol]:
        """Return the definitions of an indexed file in order; raises QueryError when it is not indexed."""
        member, file = self._find(path)
        return member.segment.outline(file, repository=member.repository)

    @_telling_damage
    def chunks(self, path: str) -> list[Chunk]:
        """Return the chunks of an indexed file in order; raises QueryError when it is not indexed."""
        member, file = self._find(path)
        numbers = np.flatnonzero(member.segment.chunk_file == file).tolist()
        return [member.segment.chunk(number, repository=member.repository) for number in numbers]

    @property
    def catalog(self) -> Catalog:
        """The schemas of all roots as one catalog, without tables where nothing tells of any."""
        return (self._seen or self._opened).catalog

    @property
    def asked(self) -> list[str]:
        """The addresses of the databases that were asked for their schema, without credentials."""
        from coderag.index.snapshots import read_snapshots

        if self._seen is not None:
            return [one.name for root in self._seen.roots for one in root.snapshots]
        return [one.name for root in self._roots for one in read_snapshots(root.folder)]

    @_telling_damage
    def schema_context(
        self,
        question: str,
        *,
        budget: int = 8000,
        k: int = 20,
        evidence: str = "",
        conditions: TableFilter = NO_FILTER,
        samples: bool = True,
    ) -> SchemaContext:
        """Return what SQL for a question needs, in about `budget` tokens: tables, joins, queries, definitions.

        All tables that meet the conditions where they fit, else the best, at most k in detail. `evidence` is what else
        is known of the question. Raises QueryError for an empty question, a k below 1, or an unknown condition.
        """
        from coderag.context.schema_context import schema_context
        from coderag.ranking.table_filter import allowed_tables

        make_query(question, k=k)
        allowed = allowed_tables(self.catalog, conditions)
        vector = self._vector(question) if len(self.catalog) else None
        return schema_context(
            self.catalog,
            question,
            budget=budget,
            k=k,
            evidence=evidence,
            allowed=allowed,
            vector=vector,
            samples=samples,
        )

    @_telling_damage
    def table_ranking(
        self, question: str, *, k: int = 20, evidence: str = "", conditions: TableFilter = NO_FILTER
    ) -> TableRanking:
        """Return what a schema context is made of: the k best tables with columns, example queries and definitions.

        They are numbers in `catalog`. Raises like `schema_context`, and takes a tenth of its time.
        """
        from coderag.ranking.table_filter import allowed_tables
        from coderag.ranking.tables import rank_tables

        make_query(question, k=k)
        allowed = allowed_tables(self.catalog, conditions)
        vector = self._vector(question) if len(self.catalog) else None
        return rank_tables(self.catalog, question, k=k, evidence=evidence, allowed=allowed, vector=vector)

    @_telling_damage
    def tables(self, conditions: TableFilter = NO_FILTER) -> list[Table]:
        """Return the tables and views that meet some conditions; raises QueryError for an unknown one."""
        from coderag.ranking.table_filter import allowed_tables

        allowed = allowed_tables(self.catalog, conditions)
        numbers = range(len(self.catalog)) if allowed is None else np.flatnonzero(allowed).tolist()
        return [self.catalog.tables[number] for number in numbers]

    @_telling_damage
    def table(self, name: str, conditions: TableFilter = NO_FILTER) -> list[TableFacts]:
        """Return all that is known of the tables of a name, alone or with schema or database; raises QueryError."""
        from coderag.context.about import about_table
        from coderag.ranking.table_filter import allowed_tables

        make_query(name)
        allowed = allowed_tables(self.catalog, conditions)
        found = self.catalog.find(name)
        return [about_table(self.catalog, one) for one in found if allowed is None or allowed[one]]

    @_telling_damage
    def check_sql(
        self, text: str, *, dialect: str = "", conditions: TableFilter = NO_FILTER, writes: bool = False
    ) -> list[Finding]:
        """Return what is wrong with SQL, given the schema, in the order of its lines.

        A statement that writes is an error unless `writes`. Raises QueryError for an unknown dialect or condition, and
        where there is no schema to check against.
        """
        from coderag.sql.check import check_sql

        tables = self.tables(conditions)
        if not tables:
            raise QueryError("there is no schema to check against: index a folder with one, or a database")
        routines = [one.name.name for one in self.catalog.routines]
        return check_sql(text, tables, dialect=dialect, routines=routines, writes=writes)

    def _find(self, path: str) -> tuple[Member, int]:
        for member in self._corpus.members:
            for file, known in enumerate(member.segment.paths.all()):
                if known == path and file not in member.dead:
                    return member, file
        raise QueryError(f"{path} is not in the index; paths are relative to the root, with forward slashes")

    @_telling_damage
    def __len__(self) -> int:
        """Return how many chunks can be found."""
        return self._corpus.live_chunks


def _asked(**given: Any) -> Asked:
    from coderag.upkeep import Asked

    return Asked(**{name: value for name, value in given.items() if value is not None})


def _open(one: Root, known: Mapping[Path, Segment]) -> tuple[Manifest, list[Member], Held]:
    """Return the manifest of a root's index, its segments, of which some may be open already, and the other files."""
    while True:
        written = read_manifest(one.folder)
        # The names are those of today: the index may have been made alone, or under another name.
        manifest = replace(written, root=str(one.root), repository=one.repository)
        try:
            members = open_members(one.folder, manifest, known=known)
            return manifest, members, hold(one.folder, manifest)
        except IndexDamagedError:
            # Another process may have replaced the index meanwhile, and removed the segments of the old one.
            if read_manifest(one.folder) == written:
                raise
