"""An index and the questions asked of it: what `import coderag` gives."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Concatenate, ParamSpec, Self, TypeVar

from coderag.api.queries import code as code_queries
from coderag.api.queries import graph as graph_queries
from coderag.api.queries import schema as schema_queries
from coderag.api.queries.pinned import PinnedSnapshot
from coderag.api.roots import Root, check_folders, resolve_roots
from coderag.api.snapshot import Snapshot, open_snapshot
from coderag.api.snapshot_view import SnapshotView
from coderag.errors import IndexDamagedError
from coderag.index.storage.manifest import read_manifest
from coderag.index.storage.symptoms import reading_tables
from coderag.limits import (
    BUDGET,
    COSINE,
    ITEMS,
    POLL,
    WORKERS,
    check_number,
    checked_list,
)
from coderag.search.query.query import (
    check_question,
    make_query,
)
from coderag.types import (
    Content,
    Kind,
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
    from coderag.graph.graph import Graph
    from coderag.index.build.job import Progress, Report
    from coderag.index.build.watch.watch_loop import Update
    from coderag.index.catalog.catalog import Catalog
    from coderag.index.reader.recall import Recall
    from coderag.index.reader.status import Status
    from coderag.index.storage.checksums import Damage
    from coderag.index.storage.folder.lock import Holder

__all__ = ["Index"]

P = ParamSpec("P")
R = TypeVar("R")
AnyIndex = TypeVar("AnyIndex", bound="Index")


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


def answered(query: Callable[Concatenate[PinnedSnapshot, P], R]) -> Callable[Concatenate[Index, P], R]:
    """Return a query of a snapshot as a method of an index, which runs on the snapshot that it began with."""

    @wraps(query)
    def method(self: Index, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return query(self._pinned(), *args, **kwargs)

    return on_one_snapshot(method)


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

    def _pinned(self) -> PinnedSnapshot:
        """Return the current snapshot with what a query must know of this index."""
        return PinnedSnapshot(self._snapshot, self._callers, self._stored_graph)

    def _whole(self, action: str) -> Snapshot:
        """Return the snapshot of the whole index; raises AccessError if this is what some callers see."""
        return self._pinned().whole(action)

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

    @property
    def outdated(self) -> str:
        """Why the index is to be rebuilt: another version of coderag made it, which reads files otherwise; or ""."""
        return self._whole("tell what changed").outdated

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

    # Queries, which api/queries has with their documentation.
    search = answered(code_queries.search)
    find = answered(code_queries.find)
    symbols = answered(code_queries.symbols)
    files = answered(code_queries.files)
    outline = answered(code_queries.outline)
    chunks = answered(code_queries.chunks)
    log = answered(code_queries.log)
    commits_of = answered(code_queries.commits_of)
    missing_histories = answered(code_queries.missing_histories)
    schema_context = answered(schema_queries.schema_context)
    table_ranking = answered(schema_queries.table_ranking)
    tables_about = answered(schema_queries.tables_about)
    tables = answered(schema_queries.tables)
    table = answered(schema_queries.table)
    check_sql = answered(schema_queries.check_sql)
    sql = answered(schema_queries.sql)
    sql_to_parquet = answered(schema_queries.sql_to_parquet)
    refs = answered(graph_queries.refs)
    impact = answered(graph_queries.impact)
    impact_of_diff = answered(graph_queries.impact_of_diff)
    changed_files = answered(graph_queries.changed_files)
    path_between = answered(graph_queries.path_between)
    neighbours = answered(graph_queries.neighbours)
    outgoing = answered(graph_queries.outgoing)
    reached = answered(graph_queries.reached)
    graph = answered(graph_queries.graph)
    map = answered(graph_queries.map)
    part_changes = answered(graph_queries.part_changes)
    meanings = answered(graph_queries.meanings)
    names_like = answered(graph_queries.names_like)

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
        pinned = self._pinned()
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
            states=pinned.states() if cache else (),
        )
        return answer_request(self, pinned.corpus, request, vectors=pinned.unit_vector, least=semantic_cache)

    def session(self, name: str, *, owner: str = "") -> Session:
        """Return the conversation of a name, which is kept in a file of the user.

        It is of these roots and of the groups that this index answers; with `owner`, of one of those who ask a server,
        whose conversations are bounded and end after a week. Raises QueryError for a name of another form.
        """
        from coderag.ask.memory.session import Scope, Session

        return Session.named(name, Scope.of([root.root for root in self.roots], self._callers, owner=owner))

    @on_one_snapshot
    def check_answer(self, text: str, sources: Sequence[Source] = ()) -> AnswerCheck:
        """Return how far the code that a text cites supports it, sentence by sentence.

        `[n]` and `[Source n]` mean the source of that number, `path:line` and `path:line-line` lines of an indexed
        file. No model is asked: names, quotes, numbers and relations are compared with the cited lines, the graph and
        the schema. Raises QueryError for a text that is too long.
        """
        from coderag.ask.checking import check_answer

        return check_answer(text, sources, self)
