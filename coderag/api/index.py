"""An index and the questions asked of it: what `import coderag` gives."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from typing import TYPE_CHECKING, Concatenate, ParamSpec, Self, TypeVar, Unpack

import numpy as np

from coderag.api.roots import Root, check_folders, resolve_roots
from coderag.api.snapshot import Snapshot, open_snapshot
from coderag.api.snapshot_view import SnapshotView
from coderag.errors import AccessError, IndexDamagedError, QueryError
from coderag.index.reader.corpus import Member
from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.manifest import read_manifest
from coderag.index.storage.symptoms import reading_tables
from coderag.limits import (
    BUDGET,
    COSINE,
    DEPTH,
    GLOB,
    GLOBS,
    ITEMS,
    MAP_BUDGET,
    NAME,
    NODES,
    POLL,
    QUERY_SECONDS,
    QUESTION,
    ROWS,
    SHOWN,
    SQL,
    WAYS,
    WORKERS,
    K,
    check_name,
    check_number,
    check_text,
    checked_list,
    fault_of_text,
)
from coderag.search.pipeline import Stage, search, search_state
from coderag.search.query.embed import question_vector
from coderag.search.query.filter import allowed_chunks
from coderag.search.query.language import read_query
from coderag.search.query.query import (
    Conditions,
    check_conditions,
    check_question,
    checked_case,
    checked_query,
    make_query,
)
from coderag.search.state import Sources
from coderag.types import (
    Case,
    Chunk,
    Content,
    Field,
    Hit,
    Kind,
    Matches,
    OtherDatabases,
    Query,
    Symbol,
    TableFilter,
    Term,
    TestPolicy,
)

if TYPE_CHECKING:
    from coderag.api.snapshot_view import GraphState
    from coderag.api.updater import IndexUpdater
    from coderag.ask.agentic.records import Limits
    from coderag.ask.checking import AnswerCheck
    from coderag.ask.memory.conversation import Conversation
    from coderag.ask.memory.session import Session
    from coderag.ask.models.model import LanguageModel
    from coderag.ask.pipelines import Stage as AskStage
    from coderag.ask.records import Answer, Step
    from coderag.ask.source import Source
    from coderag.graph.changes.records import DiffImpact
    from coderag.graph.drawing.drawing import Drawing
    from coderag.graph.graph import Graph
    from coderag.graph.queries.answers import Meanings, Neighbours, OutgoingEdges
    from coderag.graph.queries.impact import Change, Impact
    from coderag.graph.queries.locations import Location
    from coderag.graph.queries.map import RepositoryMap
    from coderag.graph.queries.paths import GraphPath
    from coderag.graph.queries.refs import References
    from coderag.graph.records import EdgeKind, NodeKind
    from coderag.index.build.job import Progress, Report
    from coderag.index.build.watch.watch_loop import Update
    from coderag.index.catalog.catalog import Catalog
    from coderag.index.history.records import LoggedChange
    from coderag.index.reader.recall import Recall
    from coderag.index.reader.status import Status
    from coderag.index.storage.checksums import Damage
    from coderag.index.storage.folder.lock import Holder
    from coderag.relational.contents import Contents
    from coderag.relational.database import RelationalDatabase
    from coderag.relational.result import Rows
    from coderag.search.context.about import TableFacts
    from coderag.search.context.schema_context import SchemaContext
    from coderag.search.tables.tables import TableRanking
    from coderag.sql.check import Finding
    from coderag.sql.records import Table

__all__ = ["Index"]

P = ParamSpec("P")
R = TypeVar("R")
AnyIndex = TypeVar("AnyIndex", bound="Index")

NO_FILTER = TableFilter()
DRAWN, DRAWN_TABLES = 3, 2  # hits and tables of a question that a drawing begins with
DRAWN_CONFIDENCE, DRAWN_SCORE = 0.05, 1.0  # that they have at least
MAX_ANSWERING = 50  # hits that tell which parts of a map a question is about


def on_one_snapshot(method: Callable[Concatenate[AnyIndex, P], R]) -> Callable[Concatenate[AnyIndex, P], R]:
    """Ask a method of the snapshot of this moment, whatever an update in another thread puts in its place.

    Raises IndexDamagedError for what wrong numbers in its tables make code raise. What is missing because another
    process replaced the index meanwhile is no damage: the new one is opened and asked.
    """

    @wraps(method)
    def asking(self: AnyIndex, /, *args: P.args, **kwargs: P.kwargs) -> R:
        moment = self._of_this_moment()
        try:
            with reading_tables(moment._folders):
                return method(moment, *args, **kwargs)
        except IndexDamagedError:
            if moment is self or not self._reopened_after(moment):
                raise
        moment = self._of_this_moment()
        with reading_tables(moment._folders):
            return method(moment, *args, **kwargs)

    return asking


class Index:
    """One root or several, searched as one.

    The index of a root lies in ROOT/.coderag, or where `index` says. A search answers from what was read when the
    index was opened or updated last; `update` reads what changed since.
    """

    def __init__(
        self,
        snapshot: Snapshot | SnapshotView,
        *,
        reports: tuple[Report, ...] = (),
        callers: tuple[frozenset[str], ...] = (),
        is_fixed: bool = False,
        stored_graph: bool = False,
    ) -> None:
        """Answer from a snapshot; `Index.open`, `Index.of` and `Index.build` are the ways to call this.

        Of an index that is fixed the snapshot is never replaced. With `stored_graph` no graph is ever built.
        """
        self._snapshot = snapshot
        self._reports = reports
        self._callers = callers  # the snapshot is the intersection of what their groups see; (): all
        self._is_fixed = is_fixed
        self._stored_graph = stored_graph
        self._updater: IndexUpdater | None = None
        self._opening = threading.Lock()

    @classmethod
    def open(cls, *roots: str | os.PathLike[str], index: str | os.PathLike[str] | None = None) -> Self:
        """Open the indexes of roots; raises IndexMissingError, IndexFormatError and IndexDamagedError."""
        return cls.of(resolve_roots(roots, index=index))

    @classmethod
    def of(cls, roots: Sequence[Root]) -> Self:
        """Open the indexes of roots that are resolved; raises like `open`."""
        return cls(open_snapshot(roots))

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
        executor: str = "processes",
        cache: bool = True,
        graph: bool = True,
        history: bool | None = None,
        watch: Callable[[Progress], None] | None = None,
        waiting: Callable[[Holder | None], None] | None = None,
    ) -> Self:
        """Index roots from nothing and open the result.

        Files above `max_bytes` are left out. `encoder` names the embedding model (coderag.encoders.spec): "static",
        "none" for words alone, "hf:ID", a folder, an address. With `mask` secrets are covered
        (coderag.files.privacy.secrets). None keeps what an index that is there already has; a new one has the shipped
        encoder and no secrets.
        `workers` is the number of processes: None for one per core, 0 for none. `executor` is where they run:
        "processes" of this machine, or "ray" and "ray:ADDRESS" (coderag.index.workers.executors). With `cache`,
        segments that other indexes of this user left are used where they fit, and this one leaves its own. With
        `graph`, the graph is made as well, else when it is asked for; so is the history of the repository with
        `history`, and False keeps none. `watch` is called as files are read, and `waiting` once with who holds the
        index's lock, when that takes a while. Raises RootError, EncoderError,
        WorkerError, IndexLockedError and IndexWriteError.
        """
        from coderag.index.build.job import BuildOptions, checked_contents, checked_encoder

        options = BuildOptions(
            contents=checked_contents(contents),
            max_bytes=max_bytes,
            encoder=checked_encoder(encoder),
            mask=mask,
            workers=workers,
            executor=executor,
            share=cache,
            graph=graph,
            history=history,
            waiting=waiting,
        )
        return cls._written(resolve_roots(roots, index=index), lambda updater: updater.build(options, watch=watch))

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
        executor: str = "processes",
        cache: bool = True,
        graph: bool = True,
        history: bool | None = None,
        parts: Iterable[str | os.PathLike[str]] = (),
        trust_parts: bool = False,
        watch: Callable[[Progress], None] | None = None,
        waiting: Callable[[Holder | None], None] | None = None,
    ) -> Self:
        """Open the indexes of roots as they should be: made where there is none, repaired, and brought up to date.

        Every folder is listed, and every byte of what is there is compared with its sums; the files of what is damaged
        are read again. An index of an older format is rebuilt. What is not given stays as an index was made. `parts`
        are folders that `write_part` made: what they hold of the files as they are is linked or copied, and not read;
        `trust_parts` believes them whoever made them. Raises like `build`, IndexTooNewError, IndexPartError, and
        IndexUntrustedError for a part that nobody known signed.
        """
        from coderag.index.build.index_part import open_parts
        from coderag.index.build.job import BuildOptions, checked_contents, checked_encoder

        options = BuildOptions(
            contents=checked_contents(contents),
            max_bytes=max_bytes,
            encoder=checked_encoder(encoder),
            mask=mask,
            workers=workers,
            executor=executor,
            share=cache,
            graph=graph,
            history=history,
            parts=tuple(open_parts(parts, trusted=trust_parts)),
            waiting=waiting,
        )
        return cls._written(
            resolve_roots(roots, index=index), lambda updater: updater.update(options, thorough=True, watch=watch)
        )

    @staticmethod
    def write_part(
        root: str | os.PathLike[str],
        *,
        part: str,
        out: str | os.PathLike[str],
        contents: Iterable[Content | str] | None = None,
        max_bytes: int | None = None,
        encoder: str | None = None,
        mask: bool | None = None,
        workers: int | None = None,
        executor: str = "processes",
        watch: Callable[[Progress], None] | None = None,
    ) -> Report:
        """Index the portion `part` of a root's files, such as "2/4", into the folder `out`, or bring that up to date.

        Every machine that has the same files takes another portion; `ensure` joins them. A part answers nothing by
        itself. Raises QueryError for what is no portion, and like `build`.
        """
        from coderag.api.parts import write_part
        from coderag.index.build.job import BuildOptions, checked_contents, checked_encoder

        options = BuildOptions(
            contents=checked_contents(contents),
            max_bytes=max_bytes,
            encoder=checked_encoder(encoder),
            mask=mask,
            workers=workers,
            executor=executor,
        )
        return write_part(root, part=part, out=out, options=options, watch=watch)

    @classmethod
    def _written(cls, roots: Sequence[Root], write: Callable[[IndexUpdater], tuple[Report, ...]]) -> Self:
        """Return the index of roots after it was written."""
        from coderag.api.updater import IndexUpdater

        check_folders(roots)
        updater = IndexUpdater(roots)
        try:
            reports = write(updater)
        finally:
            updater.close()
        return cls(open_snapshot(roots), reports=reports)

    @classmethod
    def trust(cls, *roots: str | os.PathLike[str], index: str | os.PathLike[str] | None = None) -> Self:
        """Take over the indexes of roots, whoever made them, and open them.

        What they say of the files is believed from then on, so know who made them. Every byte is compared with the
        sums of the manifest before. Raises IndexMissingError, IndexFormatError, IndexDamagedError, IndexLockedError and
        IndexWriteError.
        """
        from coderag.index.storage.folder.adoption import take_over

        for root in resolve_roots(roots, index=index):
            take_over(root.untrusted or root.folder, root.root)
        return cls.open(*roots, index=index)

    def __enter__(self) -> Self:
        """Return the index; its processes end with the block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """End the processes that updates left ready for the next one; the index still answers."""
        updater, self._updater = self._updater, None
        if updater is not None:
            updater.close()

    def _of_this_moment(self) -> Self:
        """Return an index that answers from the current snapshot, also after an update."""
        if self._is_fixed:
            return self
        return type(self)(self._snapshot, is_fixed=True, stored_graph=self._stored_graph)

    def _reopened_after(self, moment: Index) -> bool:
        """Open the index on disk, and tell whether it is newer than that of a moment."""
        if not moment._whole("be opened again").was_replaced():
            return False
        self._reopen()
        return True

    def _reopen(self) -> None:
        """Put a snapshot of the index on disk in the place of the current one."""
        with self._opening:  # one after another, so that the last one is the newest
            self._snapshot = open_snapshot(self.roots, self._whole("be opened again"))

    def _whole(self, what: str) -> Snapshot:
        """Return the snapshot of the whole index; raises AccessError where this is what some callers see."""
        if isinstance(self._snapshot, SnapshotView):
            raise AccessError(f"only the whole index can {what}, not what some groups see of it")
        return self._snapshot

    def _folders(self) -> str:
        return " and ".join(str(root.folder) for root in self.roots)

    @property
    def state(self) -> tuple[int, bool]:
        """What tells the states of all indexes of this process apart; as long as it is the same, so are the answers."""
        from coderag.ask.caching.key import generation_of

        return generation_of(self._snapshot), self._stored_graph

    @on_one_snapshot
    def as_seen_by(self, groups: Iterable[str]) -> Self:
        """Return this index as callers of some groups see it, by the access rules of its roots.

        Every method of it answers as if what is kept from them were not there. It stays as this one was when it was
        asked for: to see changes, `update` this one and ask again. Asked of what somebody else sees, it is what both
        see. Rules that changed since the index was written count beside those that it keeps. Raises IndexDamagedError,
        SettingsError where the rules of a root or of a folder above it cannot be read, and AccessError where it cannot
        be told which files those of another folder are about.
        """
        callers = (*self._callers, frozenset(checked_list(ITEMS, groups, name="groups")))
        return type(self)(self._snapshot.seen_by(callers), callers=callers, is_fixed=True)

    @on_one_snapshot
    def is_fresh(self) -> bool:
        """Tell whether no file changed since the index was written, and this version wrote it."""
        return self.stale_paths() == []

    @on_one_snapshot
    def stale_paths(self, *, watched: bool = False) -> list[str] | None:
        """Return the files and folders that changed since the index was written, as absolute paths; None for all.

        Nothing is read or listed, so this takes a few microseconds a file. It is what `update` takes. With `watched`
        the folders are watched from then on, where the system reports each change at once (Linux, local file
        systems): while nothing happens in them, no file is looked at, and the answer takes microseconds.
        """
        return self._whole("tell what changed").stale_paths(watched=watched)

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
        most_files: int | None = None,
    ) -> None:
        """Read what changed since the index was written; raises like `build`, and IndexTooNewError.

        With `paths`, absolute or from a root, only these files and folders are looked at: what an editor or a watcher
        knows to have changed. A `thorough` update lists every folder and compares every byte of the index with its
        sums; the files of what is damaged are read again. What is not given stays as the index was made; what differs
        from it means that all is read again. With another encoder, all is embedded again; the vectors that there were
        answer until that is done. Another writer is waited for `lock_seconds`, or a minute. At most `most_files` are
        read; the reports say how many are left to the next update. The processes that read files stay for the next
        update, until `close`.
        """
        from coderag.index.build.job import BuildOptions, checked_contents, checked_encoder
        from coderag.index.storage.folder.lock import LOCK_SECONDS

        options = BuildOptions(
            contents=checked_contents(contents),
            max_bytes=max_bytes,
            encoder=checked_encoder(encoder),
            mask=mask,
            workers=workers,
            lock_seconds=LOCK_SECONDS if lock_seconds is None else lock_seconds,
            most_files=most_files,
        )
        if isinstance(paths, str | os.PathLike):
            raise TypeError("paths is one path; give a list of paths")
        self._reports = self._opened_updater().update(options, paths=paths, thorough=thorough, watch=watch)
        self._reopen()

    def reload(self) -> bool:
        """Answer from the index on disk where another process replaced it, and tell whether one did.

        Raises IndexMissingError, IndexFormatError and IndexDamagedError; the index still answers as it was then.
        """
        if not self._whole("be opened again").was_replaced():
            return False
        self._reopen()
        return True

    def merge(self) -> bool:
        """Merge the small segments that updates left, and tell whether there was anything to do.

        Updates do it themselves where it is quick. Raises like `update`.
        """
        merged = self._opened_updater().merge()
        if merged:
            self._reopen()
        return merged

    def graph_vectors(self, *, wanted: bool = True) -> bool:
        """Make a graph over the vectors (HNSW), which a search of more than 200,000 chunks follows, or remove it.

        Tell whether one was made. It takes 9 minutes of processor time per million chunks and 405 bytes a chunk; a
        process in the background makes it again when segments were merged. Raises QueryError where the extra is
        missing, and like `update`.
        """
        from coderag.index.build.vector_graph import drop_vector_graph, write_vector_graph

        self._whole("get a graph over its vectors")
        made = False
        for root in self.roots:
            if wanted:
                made |= write_vector_graph(root.folder)
            else:
                drop_vector_graph(root.folder)
        self._reopen()
        return made

    def _opened_updater(self) -> IndexUpdater:
        """Return what writes the indexes; whoever only asks imports none of it."""
        from coderag.api.updater import IndexUpdater

        self._whole("be updated or merged")
        if self._updater is None:
            self._updater = IndexUpdater(self.roots)
        return self._updater

    def watch(
        self, *, stop: threading.Event | None = None, poll: float | None = None, workers: int | None = None
    ) -> Iterator[Update]:
        """Bring the index up to date whenever files change, and yield what was done: until `stop` is set, or for ever.

        The first look is at what changed since the index was written. Searches, also of other threads, answer from what
        was read when an update is yielded. A failure is an update with an error, and is tried again. With `poll` all
        files are looked at every so many seconds; so they are, with a RuntimeWarning, where the system watches no more
        folders. `workers` is the number of processes: None for one per core, less one. Raises RootError when a root is
        removed, and QueryError for what exceeds a limit.
        """
        self._whole("follow changes")
        if poll is not None:
            check_number(POLL, poll)
        if workers is not None:
            check_number(WORKERS, workers)
        return self._updates(stop or threading.Event(), poll, workers)

    def _updates(self, stop: threading.Event, poll: float | None, workers: int | None) -> Iterator[Update]:
        from coderag.api.root_follower import RootFollower
        from coderag.index.build.watch.watch_loop import follow

        snapshot = self._whole("follow changes")
        parts = zip(snapshot.roots, snapshot.opened, strict=True)
        followers = [RootFollower(root, opened, workers=workers) for root, opened in parts]
        try:
            for update in follow([follower.followed for follower in followers], stop=stop, poll=poll):
                if update.report is not None:
                    if len(followers) == 1:
                        self._reports = (update.report,)
                    self._reopen()
                yield update
        finally:
            for follower in followers:
                follower.close()

    @property
    def roots(self) -> tuple[Root, ...]:
        """The roots, in the order given."""
        return self._snapshot.roots

    @property
    def reports(self) -> tuple[Report, ...]:
        """What the last build or update did, root by root; empty for an index that was only opened."""
        return self._reports

    def verify(self) -> None:
        """Compare every byte of what was opened with its checksum; raises IndexDamagedError."""
        self._snapshot.verify()

    def damage(self) -> list[Damage]:
        """Return every file of the indexes on disk that is not what was written; raises IndexDamagedError."""
        from coderag.index.storage.checksums import damage_of

        self._whole("be compared with what was written")
        return [found for root in self.roots for found in damage_of(root.folder, read_manifest(root.folder))]

    @on_one_snapshot
    def status(self, *, compare: bool = True, schema: bool = True) -> list[Status]:
        """Return what is indexed of each root; with `compare`, also how its files have changed since.

        Without `schema`, nothing is said of it, which takes less time than all else.
        """
        return self._snapshot.status(compare=compare, schema=schema)

    @on_one_snapshot
    def recall(self) -> Recall | None:
        """Return how many of the nearest vectors a search finds, on questions made of what is indexed.

        None if there are no vectors. Raises EncoderError.
        """
        from coderag.index.reader.recall import measure_recall

        encoder = self._snapshot.encoder
        return None if encoder is None else measure_recall(self._snapshot.corpus, encoder)

    @on_one_snapshot
    def graphs(
        self, *, making: Callable[[], object] | None = None, waiting: Callable[[], object] | None = None
    ) -> tuple[Graph, ...]:
        """Return the graph of each root, in the order of the roots.

        Where the index changed since its graph was made, the graph is rebuilt, which takes a fraction of the time
        of indexing, and stored. Of what some groups see, the graph is that of the files that they see, and is stored
        as well. `making` is called before one is made, `waiting` when another process makes it, which is waited for.
        Raises IndexDamagedError.
        """
        return self._snapshot.graphs(making=making, waiting=waiting)

    @on_one_snapshot
    def graph_state(self) -> GraphState:
        """Return what is stored of the graphs of the roots, none of which is built for it."""
        return self._snapshot.graph_state

    def with_stored_graph(self) -> Self:
        """Return this index as it is now; questions about its graph are answered by the stored one, however old it is.

        Nothing is named there where no graph is stored, and where this shows what some groups see.
        """
        return type(self)(self._snapshot, callers=self._callers, is_fixed=True, stored_graph=True)

    @property
    @on_one_snapshot
    def catalog(self) -> Catalog:
        """The schemas of all roots as one catalog, without tables where nothing declares any."""
        return self._snapshot.catalog

    @property
    def asked(self) -> list[str]:
        """The addresses of the databases that were asked for their schema, without credentials."""
        return self._snapshot.databases

    @on_one_snapshot
    def __len__(self) -> int:
        """Return how many chunks can be found."""
        return self._snapshot.corpus.live_chunks

    @on_one_snapshot
    def search(
        self, question: str | Query, *, stages: Sequence[Stage] | None = None, **conditions: Unpack[Conditions]
    ) -> list[Hit]:
        """Return the k best chunks for a question, best first.

        A text may have phrases, regular expressions and fields in it (coderag.search.query.language); a Query has them
        as `clauses`, and its text is a question as it is.
        `conditions` are the fields of Query, as plain values; a Query brings its own. `k` is 10 where it is not given.
        `kinds`, `languages`, `repositories` and `paths` (globs as in .gitignore, "!" in front excludes) say which
        chunks may be found; `databases` and `environments` leave the files that declare, change, query or describe
        what is in such a database; `files` are pairs of repository and path (`changed_files`), and nothing else is
        found; `groups` are the caller's (`as_seen_by`), None for one that sees all; `tests` are
        included, demoted or excluded. `diversity`, 0..1, is that of the hits (MMR); `threshold`, 0..1, is the least
        confidence of a hit; without `collapse` copies are hits too; `expand` gives the surroundings of hits in their
        place; up to `related` neighbours in the graph come behind the hits; `pipeline` chooses how hits are ranked.
        `stages` are the steps of the search (coderag.search.pipeline); None for the usual ones.
        Raises QueryError for an empty question, an unknown condition, and what exceeds a limit (coderag.limits), and
        RerankerError for a reranker that is unknown. One that fails is left out, with a RetrievalWarning.
        """
        query = read_query(question, **conditions) if isinstance(question, str) else checked_query(question)
        if query.groups is not None:
            return self.as_seen_by(query.groups).search(replace(query, groups=None), stages=stages)
        return search(query, self._sources(), stages=stages)

    @on_one_snapshot
    def find(
        self,
        pattern: str | Query,
        *,
        regex: bool = False,
        case: Case | str = Case.SMART,
        **conditions: Unpack[Conditions],
    ) -> Matches:
        """Return every match of a literal in the indexed texts, counted, and the k best chunks that hold one.

        With `regex` the pattern is a regular expression (RE2), whose matches lie within a line; one takes time in
        proportion to the texts, whatever it is. Smart `case` ignores case unless the pattern has a capital.
        `conditions` are those of `search`; a Query brings its own, with patterns in its `clauses`. Definitions of what
        is looked for come first, then what has most matches for its length; where a Query has a text as well, hits are
        ranked by it. Raises QueryError like `search`, and for a pattern that is empty, of several lines, or invalid.
        """
        from coderag.search.exact.hits import file_counts  # a question needs none of it

        if isinstance(pattern, str):
            check_text(QUESTION, pattern, name="the pattern")
            clause = (Term(Field.TEXT, pattern, regex=regex, case=checked_case(case)),)
            conditions["clauses"] = (*conditions.get("clauses", ()), clause)
            query = make_query("", **conditions)
        else:
            query = checked_query(pattern)
        if query.groups is not None:
            return self.as_seen_by(query.groups).find(replace(query, groups=None))
        state = search_state(query, self._sources())
        if state.located is None:
            raise QueryError("the query has no pattern; give a text, or a Query with clauses")
        counts = file_counts(state.sources.corpus, state.located)
        return Matches(
            hits=tuple(state.hits),
            count=len(state.located.chunks),
            chunks=len(np.unique(state.located.chunks)),
            files=counts,
        )

    def _sources(self) -> Sources:
        snapshot = self._snapshot
        return Sources(
            corpus=snapshot.corpus,
            encoder=lambda: snapshot.encoder,
            catalogs=lambda: snapshot.catalogs,
            graphs=lambda: snapshot.relations,
            histories=lambda: snapshot.histories,
        )

    def _vector(self, text: str) -> Array | None:
        """Return the vector of a question, None where words alone answer."""
        return question_vector(self._snapshot.encoder, text)

    def _states(self) -> tuple[str, ...]:
        """Return what tells the state of each index from any other, for all processes; () of what some groups see."""
        snapshot = self._snapshot
        return () if isinstance(snapshot, SnapshotView) else tuple(repr(root.manifest) for root in snapshot.opened)

    def _question_vector(self, text: str) -> list[float] | None:
        """Return the vector of a question with unit length."""
        vector = self._vector(text)
        if vector is None or not (length := float(np.linalg.norm(vector))):
            return None
        normalised: list[float] = (vector / length).tolist()
        return normalised

    @on_one_snapshot
    def symbols(self, name: str, *, k: int = 20, alike: bool = True) -> list[Symbol]:
        """Return the definitions of a name, qualified or not; where there is none, those spelled most like it.

        Without `alike` there are only the former. Raises QueryError for an empty name and what exceeds a limit.
        """
        check_name(name, what="the name")
        check_number(K, k)
        from coderag.search.retrieval.symbols import find_symbols  # a question needs none of it

        return find_symbols(self._snapshot.corpus, name, k=k, alike=alike)

    @on_one_snapshot
    def files(self, conditions: Query) -> frozenset[tuple[str, str]]:
        """Return the files that meet the conditions of a query, each as repository and path.

        Kinds count for the files that hold a chunk of such a kind. Raises QueryError like `search`.
        """
        from coderag.api.indexed_files import files_with

        conditions = checked_query(conditions)
        if conditions.groups is not None:
            return self.as_seen_by(conditions.groups).files(replace(conditions, groups=None))
        corpus = self._snapshot.corpus
        return files_with(corpus, allowed_chunks(corpus, conditions, lambda: self._snapshot.catalogs))

    @on_one_snapshot
    def outline(self, path: str, *, repository: str = "") -> list[Symbol]:
        """Return the definitions of an indexed file in order; raises QueryError when it is not indexed.

        Of several roots the first that has the file answers, or the one whose `repository` is given.
        """
        member, file = self._find(path, repository)
        return member.segment.outline(file, repository=member.repository)

    @on_one_snapshot
    def chunks(self, path: str, *, repository: str = "") -> list[Chunk]:
        """Return the chunks of an indexed file in order; as `outline` finds it."""
        member, file = self._find(path, repository)
        numbers = np.flatnonzero(member.segment.chunk_file == file).tolist()
        return [member.segment.chunk(number, repository=member.repository) for number in numbers]

    @on_one_snapshot
    def log(self, target: str, *, k: int = 20, repository: str = "") -> list[LoggedChange]:
        """Return the last k commits that changed a symbol, FILE or FILE:LINE, newest first.

        The history is that of the repository around a root, read on where that has new commits. Of a line, the
        definition around it counts. Raises QueryError where nothing has the name.
        """
        from coderag.api.commit_log import commit_log

        _check_target(target)
        check_number(K, k)
        return commit_log(self._snapshot.corpus, self._snapshot.read_histories(), target, k=k, repository=repository)

    @on_one_snapshot
    def commits_of(self, chunk: Chunk, *, question: str = "") -> list[LoggedChange]:
        """Return the commit that changed a chunk last, and behind it that whose subject fits a question best.

        The history is as it was stored; [] if it says nothing of the chunk.
        """
        from coderag.api.commit_log import commits_of

        check_text(QUESTION, question, name="the question")
        return commits_of(self._snapshot.histories, self._snapshot.corpus, chunk, question)

    @on_one_snapshot
    def missing_histories(self) -> dict[str, str]:
        """Return why a root has no history, or not all of it, by repository; {} where each has."""
        return self._snapshot.missing_histories()

    @on_one_snapshot
    def schema_context(
        self,
        question: str,
        *,
        budget: int = 8000,
        k: int = 20,
        evidence: str = "",
        conditions: TableFilter = NO_FILTER,
        samples: bool = True,
        other_databases: OtherDatabases | str = OtherDatabases.NAME,
    ) -> SchemaContext:
        """Return what SQL for a question needs, in at most `budget` tokens: tables, joins, queries, definitions.

        Of the tables that meet the conditions: all of the leading database where they fit, else the best, at most k in
        detail; then the best of databases that the question may be about too. `other_databases` are named, or given in
        detail as far as there is room. `evidence` is what else is known of the question. Raises QueryError for an empty
        question, an unknown condition, and what exceeds a limit.
        """
        from coderag.search.context.schema_context import schema_context
        from coderag.search.tables.table_filter import allowed_tables

        check_question(question, k=k, evidence=evidence)
        check_number(BUDGET, budget)
        check_conditions(conditions)
        if other_databases not in set(OtherDatabases):
            raise QueryError(f"other_databases is {other_databases!r}; give {' or '.join(OtherDatabases)}")
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
            others=OtherDatabases(other_databases),
        )

    @on_one_snapshot
    def ask(
        self,
        question: str,
        *,
        k: int = 5,
        budget: int = 2000,
        pipeline: str | Sequence[str | AskStage] = "",
        paths: Sequence[str] = (),
        databases: Iterable[str] = (),
        languages: Iterable[str] = (),
        kinds: Iterable[Kind | str] = (),
        tests: TestPolicy | str = TestPolicy.DEMOTE,
        model: str | LanguageModel = "",
        watch: Callable[[str], None] | None = None,
        conversation: Conversation | None = None,
        cache: bool = True,
        semantic_cache: float = 1.0,
        limits: Limits | None = None,
        on_step: Callable[[Step], None] | None = None,
    ) -> Answer:
        """Return what the indexed files say about a question: statements with the sources that they cite.

        No language model is asked unless `model` is one or names one (coderag.ask.models.spec): it writes the answer's
        `text` from these sources, of which only sentences stay that the sources support, and `watch` gets its draft
        piece by piece. At most k statements for each part of the question, from sources of at most
        `budget` tokens together; where the evidence carries no answer, the verdict is "not found" and the nearest hits
        are given. `pipeline` is "naive", "advanced", "modular", "agentic", or names of stages, orchestrations of them
        and stages of one's own (coderag.ask); "" takes that of the settings, else "modular", and "settings" the same
        with its stages asking the model. `paths` are globs; `databases`, `languages`, `kinds` and `tests` as in
        `search`: which definitions may be sources, and whether tests may. A question that leans on a `conversation`
        ("where is it called?") is completed from it (`session`, or coderag.ask.memory.conversation). With `cache`, the
        answer of an equal question on the same state of the index is given again (one of a model also to other
        processes of this user, unless it is of what some groups see), and with a `semantic_cache` below 1 that of one
        whose vector has at least this cosine and which differs in courtesy,
        articles and endings alone. `limits` are those of the stage that calls tools. `on_step` gets what each stage did
        as soon as it is done. Raises QueryError for an empty question, an unknown pipeline, and what exceeds a limit,
        SettingsError, and LanguageModelError.
        """
        from coderag.api.asking import answer_request
        from coderag.ask.agentic.allowance import check_limits
        from coderag.ask.agentic.records import Limits
        from coderag.ask.answering import Request
        from coderag.ask.caching.key import generation_of
        from coderag.ask.memory.conversation import Conversation
        from coderag.ask.settings import stated_or_set
        from coderag.ask.turn import IndexState, Options, SourceFilter

        check_question(question, k=k)
        check_number(BUDGET, budget)
        check_number(COSINE, semantic_cache)
        check_limits(limits or Limits())
        conditions = make_query("-", paths=paths, databases=databases, languages=languages, kinds=kinds, tests=tests)
        request = Request(
            question,
            stated_or_set(pipeline, [root.root for root in self.roots]),
            Options(k=k, budget=budget, within=SourceFilter.of(conditions), limits=limits or Limits()),
            model=model,
            conversation=conversation or Conversation(),
            watch=watch,
            on_step=on_step,
            state=IndexState(generation_of(self._snapshot), self._stored_graph) if cache else None,
            states=self._states() if cache else (),
        )
        corpus = self._snapshot.corpus
        return answer_request(self, corpus, request, vectors=self._question_vector, least=semantic_cache)

    def session(self, name: str, *, owner: str = "") -> Session:
        """Return the conversation of a name, which is kept in a file of the user.

        It is of these roots and of the groups that this index answers; with `owner`, of one of those who ask a server,
        whose conversations are bounded and end after a week. Raises QueryError for a name of another form.
        """
        from coderag.ask.memory.session import Scope, Session

        return Session.named(name, Scope.of([root.root for root in self.roots], self._callers, owner=owner))

    @on_one_snapshot
    def table_ranking(
        self, question: str, *, k: int = 20, evidence: str = "", conditions: TableFilter = NO_FILTER
    ) -> TableRanking:
        """Return what a schema context is made of: the k best tables with columns, example queries and definitions.

        They are numbers in `catalog`. Raises like `schema_context`, and takes a tenth of its time.
        """
        from coderag.search.tables.table_filter import allowed_tables
        from coderag.search.tables.tables import rank_tables

        check_question(question, k=k, evidence=evidence)
        check_conditions(conditions)
        allowed = allowed_tables(self.catalog, conditions)
        vector = self._vector(question) if len(self.catalog) else None
        return rank_tables(self.catalog, question, k=k, evidence=evidence, allowed=allowed, vector=vector)

    @on_one_snapshot
    def tables_about(self, question: str, *, k: int = 20, conditions: TableFilter = NO_FILTER) -> list[Table]:
        """Return up to k tables of the database that a question is about, those that it needs first.

        Raises QueryError like `schema_context`.
        """
        from coderag.search.context.schema_context import tables_about
        from coderag.search.tables.table_filter import allowed_tables

        check_question(question, k=k)
        check_conditions(conditions)
        allowed = allowed_tables(self.catalog, conditions)
        vector = self._vector(question) if len(self.catalog) else None
        return tables_about(self.catalog, question, k=k, allowed=allowed, vector=vector)

    @on_one_snapshot
    def tables(self, conditions: TableFilter = NO_FILTER) -> list[Table]:
        """Return the tables and views that meet some conditions; raises QueryError for an unknown one."""
        from coderag.search.tables.table_filter import allowed_tables

        check_conditions(conditions)
        allowed = allowed_tables(self.catalog, conditions)
        numbers = range(len(self.catalog)) if allowed is None else np.flatnonzero(allowed).tolist()
        return [self.catalog.tables[number] for number in numbers]

    @on_one_snapshot
    def table(self, name: str, conditions: TableFilter = NO_FILTER) -> list[TableFacts]:
        """Return all that is known of the tables of a name, alone or with schema or database; raises QueryError."""
        from coderag.search.context.about import about_table
        from coderag.search.tables.table_filter import allowed_tables

        check_name(name, what="the name")
        check_conditions(conditions)
        allowed = allowed_tables(self.catalog, conditions)
        numbers = self.catalog.find(name)
        return [about_table(self.catalog, number) for number in numbers if allowed is None or allowed[number]]

    @on_one_snapshot
    def check_sql(
        self, text: str, *, dialect: str = "", conditions: TableFilter = NO_FILTER, writes: bool = False
    ) -> list[Finding]:
        """Return what is wrong with SQL, given the schema, in the order of its lines.

        `dialect` is that of the SQL; the tables may be of any. A statement that writes is an error unless `writes`.
        Raises QueryError for an unknown dialect or condition, for a text that is too long, and where there is no
        schema to check against.
        """
        from coderag.sql.check import check_sql

        check_text(SQL, text)
        tables = self.tables(replace(conditions, dialects=frozenset()) if dialect else conditions)
        if not tables:
            raise QueryError("there is no schema to check against: index a folder with one, or a database")
        routines = [routine.name.name for routine in self.catalog.routines]
        return check_sql(text, tables, dialect=dialect, routines=routines, writes=writes)

    @on_one_snapshot
    def check_answer(self, text: str, sources: Sequence[Source] = ()) -> AnswerCheck:
        """Return how far the code that a text cites supports it, sentence by sentence.

        `[n]` and `[Source n]` mean the source of that number, `path:line` and `path:line-line` lines of an indexed
        file. No model is asked: names, quotes, numbers and relations are compared with the cited lines, the graph and
        the schema. Raises QueryError for a text that is too long.
        """
        from coderag.ask.checking import check_answer

        return check_answer(text, sources, self)

    @on_one_snapshot
    def sql(self, query: str, *, k: int = 1_000, seconds: float = 30.0) -> Rows:
        """Return at most k rows of a SELECT over the index: files, symbols, edges, tables, commits and the rest.

        The tables and views are described in docs/reference/tables.md. They are filled when a query names them, which
        needs the graph for most, and stay until the index is updated. A query can neither write nor read files. Raises
        QueryError for what is no SELECT or cannot be answered, and for one that takes more than `seconds` or too much
        memory.
        """
        _check_select(query, k, seconds)
        return self._relational().rows(query, k=k, seconds=seconds)

    @on_one_snapshot
    def sql_to_parquet(
        self, query: str, path: str | os.PathLike[str], *, k: int = 1_000_000, seconds: float = 30.0
    ) -> int:
        """Write at most k rows of a SELECT over the index to a Parquet file, and return how many; raises like `sql`.

        The file is replaced as a whole. Raises OSError where it cannot be written.
        """
        from coderag.relational.parquet import write_parquet

        _check_select(query, k, seconds)
        return write_parquet(self._contents(), query, os.fspath(path), k=k, seconds=seconds)

    def _relational(self) -> RelationalDatabase:
        from coderag.relational.database import RelationalDatabase

        known = self._snapshot.databases_of_tables
        with self._opening:
            if self._stored_graph not in known:
                known[self._stored_graph] = RelationalDatabase(self._contents())
            return known[self._stored_graph]

    def _contents(self) -> Contents:
        """Return the index as columns; of the history, what is stored by then."""
        from coderag.relational.contents import Contents, IndexSources

        snapshot = self._snapshot
        return Contents(
            IndexSources(
                corpus=snapshot.corpus,
                graphs=self._graph_of_each,
                catalogs=lambda: snapshot.catalogs,
                histories=snapshot.read_histories,
            )
        )

    @on_one_snapshot
    def refs(
        self,
        target: str,
        *,
        kinds: Iterable[NodeKind | str] = (),
        paths: Sequence[str] = (),
        shown: int | None = 10,
        repository: str = "",
    ) -> list[References]:
        """Return what refers to each definition, file, route, table or column that a target means, the best first.

        A target is a symbol, FILE, FILE:LINE, table, table.column or route; `kinds`, `paths` (globs) and `repository`
        narrow it. At most `shown` references of each group are there, None for all. [] if nothing has the name.
        Raises QueryError.
        """
        from coderag.graph.queries.answers import all_references

        _check_target(target)
        kinds, paths = _narrowing(kinds, paths)
        if shown is not None:
            check_number(SHOWN, shown)
        return all_references(self._graph_of_each(repository), target, kinds=kinds, paths=paths, shown=shown)

    @on_one_snapshot
    def impact(
        self,
        target: str,
        *,
        change: Change | str = "rename",
        depth: int = 3,
        kinds: Iterable[NodeKind | str] = (),
        paths: Sequence[str] = (),
        repository: str = "",
    ) -> Impact | None:
        """Return what is affected when the best that a target means is renamed, dropped or changes its type.

        Up to `depth` steps away; the tests that run any of it are found at any distance. None if nothing has the
        name. Raises QueryError for an empty target, an unknown change or kind, and what exceeds a limit.
        """
        from coderag.graph.queries.answers import all_impacts

        _check_target(target)
        kinds, paths = _narrowing(kinds, paths)
        check_number(DEPTH, depth)
        return all_impacts(
            self._graph_of_each(repository), target, change=change, depth=depth, kinds=kinds, paths=paths
        )

    @on_one_snapshot
    def impact_of_diff(
        self, revision: str = "", *, staged: bool = False, patch: str | None = None, depth: int = 3
    ) -> DiffImpact:
        """Return what a change touches: its definitions and columns, what depends on them, the tests to run first.

        The change is that of a range (`main...HEAD`, `A..B`), or of the files as they are (or are `staged`) against a
        revision, by default HEAD, untracked files included; or a `patch`, a unified diff as text, applied or not. What
        depends on it is told up to `depth` steps away, from the index as it is. Raises QueryError for several roots and
        a patch that cannot be read, GitError, and AccessError for an index as some groups see it.
        """
        from coderag.api.changes import diff_impact

        check_text(NAME, revision, name="the revision")
        check_number(DEPTH, depth)
        snapshot = self._whole("be compared with what git has")
        return diff_impact(snapshot, revision, staged=staged, patch=patch, depth=depth)

    @on_one_snapshot
    def changed_files(self, revision: str = "") -> frozenset[tuple[str, str]]:
        """Return the files that differ from a revision, by default HEAD, or that a range changes: repository and path.

        Untracked files are included, removed ones are not; `search(files=...)` takes them. Raises GitError.
        """
        from coderag.api.changes import changed_paths

        check_text(NAME, revision, name="the revision")
        return frozenset((root.repository, path) for root in self.roots for path in changed_paths(root.root, revision))

    @on_one_snapshot
    def path_between(
        self,
        source: str,
        target: str,
        *,
        k: int = 1,
        kinds: Iterable[NodeKind | str] = (),
        paths: Sequence[str] = (),
    ) -> list[GraphPath]:
        """Return up to `k` different ways from one target to another, the surest and shortest first.

        Over routes, calls, overriding methods, mappings and uses of data; where none leads there, the ways back. []
        where neither leads to the other, or nothing has a name. Raises QueryError.
        """
        from coderag.graph.queries.answers import all_paths

        _check_target(source)
        _check_target(target)
        kinds, paths = _narrowing(kinds, paths)
        check_number(WAYS, k)
        return all_paths(self._graph_of_each(), source, target, kinds=kinds, paths=paths, k=k)

    @on_one_snapshot
    def neighbours(self, target: str, *, shown: int = 3) -> Neighbours:
        """Return what stands around a target in the graph, at most `shown` of each relation.

        What it is part of, what calls, reads, writes, maps, inherits and tests it, what it calls, reads and writes;
        of a class also of its members. What half of the program uses comes last. Raises QueryError for no target.
        """
        from coderag.graph.queries.answers import around

        _check_target(target)
        return around(self._graph_of_each(), target, shown=shown)

    @on_one_snapshot
    def outgoing(self, target: str, *, kinds: Iterable[EdgeKind | str] = ("calls", "reads", "writes")) -> OutgoingEdges:
        """Return what a target calls, reads or writes, each once, the nearest first; of a class also its members.

        Tables that are read, written or deleted from are found up to four certain calls away. Raises QueryError for no
        target, and for an unknown kind of edge.
        """
        from coderag.graph.queries.answers import all_outgoing

        _check_target(target)
        return all_outgoing(self._graph_of_each(), target, kinds=kinds)

    @on_one_snapshot
    def reached(self, source: str, *, like: str) -> list[Location]:
        """Return what of the kind of a second target a first one leads to, the nearest first; at most three of a root.

        Raises QueryError for an empty target.
        """
        from coderag.graph.queries.answers import all_reached

        _check_target(source)
        _check_target(like)
        return all_reached(self._graph_of_each(), source, like)

    @on_one_snapshot
    def graph(
        self,
        what: str,
        *,
        depth: int = 1,
        k: int = 30,
        kinds: Iterable[NodeKind | str] = (),
        paths: Sequence[str] = (),
        languages: Iterable[str] = (),
        databases: Iterable[str] = (),
        tests: str = "demote",
        repository: str = "",
    ) -> Drawing | None:
        """Return a drawing of a target, or of what a question finds, with what is up to `depth` steps around it.

        At most `k` nodes. `languages`, `databases` and `tests` are about what a question finds. None if nothing
        is found. Raises QueryError for an empty question, an unknown kind, and what exceeds a limit.
        """
        from coderag.graph.queries.answers import draw, draw_places

        check_question(what)
        kinds, paths = _narrowing(kinds, paths)
        check_number(DEPTH, depth)
        check_number(NODES, k)
        graphs = self._graph_of_each(repository)
        is_name = not fault_of_text(NAME, what)
        drawn = draw(graphs, what, kinds=kinds, paths=paths, depth=depth, k=k) if is_name else None
        if drawn is not None:
            return drawn
        hits = self.search(
            what,
            k=DRAWN,
            paths=paths,
            languages=languages,
            databases=databases,
            tests=tests,
            threshold=DRAWN_CONFIDENCE,
            repositories=tuple(graphs),
        )
        tables = self.table_ranking(what, k=DRAWN_TABLES).tables if len(self.catalog) else ()
        return draw_places(
            graphs,
            [(hit.chunk.repository, hit.chunk.path, hit.chunk.span.start_line) for hit in hits],
            [str(self.catalog.tables[table.table].name.name) for table in tables if table.score >= DRAWN_SCORE],
            depth=depth,
            k=k,
        )

    @on_one_snapshot
    def map(
        self,
        question: str = "",
        *,
        budget: int = 1024,
        paths: Sequence[str] = (),
        kinds: Iterable[Kind | str] = (),
        languages: Iterable[str] = (),
        databases: Iterable[str] = (),
        tests: TestPolicy | str = TestPolicy.EXCLUDE,
        k: int | None = None,
    ) -> list[RepositoryMap]:
        """Return an overview of each root within `budget` tokens: its parts, and what matters most in each.

        With a question the parts that it is about come first; one such as "what are the main parts?" is about all.
        `paths` are globs; `kinds`, `languages`, `databases` and `tests` as in `search`, but that tests are left out
        unless they are asked for. At most `k` parts of each root, by default as many as the budget has room for.
        Raises QueryError for an unknown condition and what exceeds a limit.
        """
        from coderag.api.maps import maps_of, shares_of_files
        from coderag.graph.queries.overview import about_the_whole

        check_text(QUESTION, question)
        check_number(MAP_BUDGET, budget)
        check_number(K, 1 if k is None else k)
        topic = question if question.strip() and not about_the_whole(question) else ""
        conditions = make_query("-", paths=paths, kinds=kinds, languages=languages, databases=databases, tests=tests)
        near = {}
        if topic:
            hits = self.search(topic, k=MAX_ANSWERING, paths=conditions.paths, tests=conditions.tests)
            near = shares_of_files(hits)
        files: dict[str, set[str]] | None = None
        if conditions.languages or conditions.databases:
            files = {}
            for name, path in self.files(replace(conditions, paths=(), kinds=frozenset(), tests=TestPolicy.INCLUDE)):
                files.setdefault(name, set()).add(path)
        return maps_of(
            self._graph_of_each(),
            self._snapshot.corpus,
            conditions,
            budget=budget // len(self.roots),
            files=files,
            question=question,
            near=near,
            k=k,
        )

    @on_one_snapshot
    def part_changes(self, maps: Sequence[RepositoryMap]) -> list[tuple[int, ...]]:
        """Return for each part of each map how many commits changed it, as far as the index has their history."""
        from coderag.api.part_changes import part_changes

        graphs, histories = self._graph_of_each(), self._snapshot.histories
        return [
            part_changes(repository_map, graphs[repository_map.repository], histories[repository_map.repository])
            if repository_map.repository in histories
            else ()
            for repository_map in maps
        ]

    @on_one_snapshot
    def meanings(
        self,
        target: str,
        *,
        kinds: Iterable[NodeKind | str] = (),
        paths: Sequence[str] = (),
        stored: bool = False,
    ) -> Meanings:
        """Return what of the graph a target is taken for, and what else has its name; raises QueryError.

        With `stored` no graph is built: those of the last time answer, and where there are none, nothing is meant.
        """
        from coderag.graph.queries.answers import meanings_of

        _check_target(target)
        kinds, paths = _narrowing(kinds, paths)
        graphs = self._snapshot.stored_graphs if stored else self._graph_of_each()
        return meanings_of(graphs, target, kinds=kinds, paths=paths)

    @on_one_snapshot
    def names_like(self, target: str) -> tuple[str, ...]:
        """Return the names of the graph that are spelled most like a target, the likeliest first; at most three."""
        from coderag.graph.queries.answers import names_like

        _check_target(target)
        return names_like(self._graph_of_each(), target)

    def _graph_of_each(self, repository: str = "") -> Mapping[str, Graph]:
        """Return the graphs by repository, or that of one."""
        if self._stored_graph:
            graphs: Mapping[str, Graph] = self._snapshot.stored_graphs
        else:
            graphs = dict(zip([root.repository for root in self.roots], self.graphs(), strict=True))
        return {name: graph for name, graph in graphs.items() if repository in ("", name)}

    def _find(self, path: str, repository: str) -> tuple[Member, int]:
        from coderag.api.indexed_files import indexed_file

        check_name(path, what="the path")
        return indexed_file(self._snapshot.corpus, path, repository=repository)


def _check_target(target: str) -> None:
    check_name(target, what="the target")


def _check_select(query: str, k: int, seconds: float) -> None:
    check_text(SQL, query)
    check_number(ROWS, k)
    check_number(QUERY_SECONDS, seconds)


def _narrowing(kinds: Iterable[NodeKind | str], paths: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the conditions on a target; raises QueryError for too many or too long ones."""
    return checked_list(ITEMS, kinds, name="kinds"), checked_list(GLOBS, paths, name="paths", item=GLOB)
