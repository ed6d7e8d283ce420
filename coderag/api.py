"""An index and the questions asked of it: what `import coderag` gives."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

import numpy as np

from coderag import __version__
from coderag.errors import (
    CoderagError,
    EncoderError,
    IndexDamagedError,
    QueryError,
    RerankerError,
    RetrievalWarning,
    RootError,
)
from coderag.index.arrays import Array
from coderag.index.corpus import Corpus, Member, open_members
from coderag.index.manifest import INDEX_FOLDER, Manifest, read_manifest
from coderag.ranking.expand import expand as expand_hits
from coderag.ranking.explain import hits_of
from coderag.ranking.filter import allowed_chunks
from coderag.ranking.rank import BUILT_IN, STANDARD, Ranked, rank
from coderag.ranking.symbols import find_symbols
from coderag.ranking.understand import understand
from coderag.types import Chunk, Content, Expand, Hit, Kind, Pipeline, Query, Symbol, TableFilter, TestPolicy

if TYPE_CHECKING:
    from coderag.context.about import TableFacts
    from coderag.context.schema_context import SchemaContext
    from coderag.index.build import Progress, Report
    from coderag.index.catalog import Catalog
    from coderag.index.status import Status
    from coderag.models.encoder import Encoder
    from coderag.ranking.tables import TableRanking
    from coderag.sql.check import Finding
    from coderag.sql.model import Table

__all__ = ["Index", "Root", "make_query", "place"]

P = ParamSpec("P")
R = TypeVar("R")

NO_FILTER = TableFilter()
MAX_COPIES = 30  # hits that may turn out to have the text of a better one


@dataclass(frozen=True, slots=True)
class Root:
    """A folder to index, where its index lies, and the name its hits carry."""

    root: Path
    folder: Path
    repository: str


def _telling_damage(method: Callable[Concatenate[Index, P], R]) -> Callable[Concatenate[Index, P], R]:
    """Raise IndexDamagedError in place of whatever damaged tables make a method raise."""

    @wraps(method)
    def telling(self: Index, /, *args: P.args, **kwargs: P.kwargs) -> R:
        try:
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
        self._load()

    def _load(self) -> None:
        for kept in ("catalog", "_encoder"):
            self.__dict__.pop(kept, None)
        opened = [_open(one) for one in self._roots]
        self._manifests = tuple(manifest for manifest, _ in opened)
        self._segments = tuple([member.segment for member in members] for _, members in opened)
        self._corpus = Corpus([member for _, members in opened for member in members])

    @classmethod
    def build(
        cls,
        *roots: str | os.PathLike[str],
        index: str | os.PathLike[str] | None = None,
        contents: Iterable[Content | str] = (Content.CODE, Content.DOCS),
        max_bytes: int | None = None,
        encoder: str | None = None,
        workers: int | None = None,
        watch: Callable[[Progress], None] | None = None,
    ) -> Index:
        """Index roots from nothing and open the result.

        Files above `max_bytes` are left out. `encoder` names what makes the vectors (coderag.models.spec): "static",
        "none" for words alone, "hf:ID", a folder, an address; None keeps that of an index that is there already.
        `workers` is the number of processes: None for one a core, 0 for none. `watch` is called as files are read.
        Raises RootError, EncoderError, WorkerError, IndexLockedError and IndexWriteError.
        """
        from coderag.index.build import BuildOptions, build
        from coderag.models.spec import parse_encoder
        from coderag.reading.walk import MAX_BYTES, WalkOptions

        placed = place(roots, index=index)
        walk = WalkOptions(max_bytes or MAX_BYTES, frozenset(map(Content, contents)))
        options = BuildOptions(walk, parse_encoder(encoder) if encoder else None, workers)
        reports = [
            build(one.root, one.folder, options=options, repository=one.repository, watch=watch) for one in placed
        ]
        opened = cls(placed)
        opened._reports = tuple(reports)
        return opened

    @classmethod
    def open(cls, *roots: str | os.PathLike[str], index: str | os.PathLike[str] | None = None) -> Index:
        """Open the indexes of roots; raises IndexMissingError, IndexFormatError and IndexDamagedError."""
        return cls(place(roots, index=index))

    @_telling_damage
    def is_fresh(self) -> bool:
        """Tell whether no file changed since the index was written, and this version wrote it."""
        from coderag.index.embed import Embedding
        from coderag.index.fresh import is_fresh

        return all(
            manifest.version == __version__
            and Embedding.of(manifest).key == manifest.vectors
            and is_fresh(str(one.root), one.folder, manifest, segments)
            for one, manifest, segments in zip(self._roots, self._manifests, self._segments, strict=True)
        )

    def update(
        self,
        *,
        contents: Iterable[Content | str] | None = None,
        max_bytes: int | None = None,
        encoder: str | None = None,
        workers: int | None = None,
        watch: Callable[[Progress], None] | None = None,
    ) -> None:
        """Read what changed since the index was written; raises like `build`.

        What is not given stays as the index was made; what differs from it means that all is read again. With another
        encoder, all is embedded anew; the vectors that there were answer until that is done.
        """
        from coderag.index.build import BuildOptions, update
        from coderag.models.spec import parse_encoder

        wanted = None if contents is None else frozenset(map(Content, contents))
        reports = []
        for one, manifest in zip(self._roots, self._manifests, strict=True):
            options = BuildOptions.of(manifest, workers)
            walk = replace(
                options.walk, max_bytes=max_bytes or manifest.max_bytes, contents=wanted or options.walk.contents
            )
            options = replace(options, walk=walk, encoder=parse_encoder(encoder) if encoder else None)
            reports.append(update(one.root, one.folder, options=options, repository=one.repository, watch=watch))
        self._reports = tuple(reports)
        self._load()

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

    @_telling_damage
    def status(self, *, compare: bool = True) -> list[Status]:
        """Return what is indexed of each root; with `compare`, also how its files have changed since."""
        from coderag.index.status import take_stock

        return [
            take_stock(one.folder, manifest, segments, compare=compare)
            for one, manifest, segments in zip(self._roots, self._manifests, self._segments, strict=True)
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
        tests: TestPolicy | str = TestPolicy.DEMOTE,
        diversity: float = 0.0,
        threshold: float = 0.0,
        collapse: bool = True,
        expand: Expand | str | None = None,
        pipeline: Pipeline = STANDARD,
    ) -> list[Hit]:
        """Return the k best chunks for a question, best first.

        `paths` are globs as in .gitignore, "!" in front excludes. `diversity`, 0..1, puts behind what is like a better
        hit; `threshold`, 0..1, is the least confidence of a hit; without `collapse` copies are hits too; `expand` gives
        what is around hits in their place; `pipeline` chooses how hits are ranked. A Query brings its own conditions.
        Raises QueryError for an empty question, an unknown kind or language, a k below 1, or a share outside 0..1, and
        RerankerError for a reranker that is unknown. One that fails is left out, and a RetrievalWarning says so.
        """
        if isinstance(question, str):
            question = make_query(
                question,
                k=k,
                kinds=kinds,
                languages=languages,
                paths=paths,
                tests=tests,
                diversity=diversity,
                threshold=threshold,
                collapse=collapse,
                expand=expand,
                pipeline=pipeline,
            )
        understood = understand(question.text)
        if question.tests is TestPolicy.INCLUDE:
            understood = replace(understood, wants=understood.wants | {"test"})
        allowed = allowed_chunks(self._corpus, question)
        vector = self._vector(question.text)
        ranked = rank(
            self._corpus,
            understood,
            k=question.k + MAX_COPIES,
            vector=vector,
            allowed=allowed,
            pipeline=question.pipeline,
            diversity=question.diversity,
            calibrated=self._encoder is not None and self._encoder.identity.kind == "static",
        )
        ranked = self._reranked(question, ranked)
        sure = [one for one in ranked if one.confidence >= question.threshold]
        found = hits_of(self._corpus, understood, sure, k=question.k, collapse=question.collapse)
        return expand_hits(self._corpus, found, question.expand) if question.expand else [hit for _, hit in found]

    def _reranked(self, question: Query, ranked: list[Ranked]) -> list[Ranked]:
        """Return a ranking as the reranker that was asked for has it; as it is where none was, or where that fails."""
        pipeline = question.pipeline
        if pipeline.reranker in BUILT_IN:
            return ranked
        from coderag.ranking.rerank import find_reranker, reranked

        try:
            reranker = find_reranker(pipeline.reranker)
            return reranked(
                self._corpus, question.text, ranked, reranker=reranker, depth=pipeline.depth, blend=pipeline.blend
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

    @cached_property
    def catalog(self) -> Catalog:
        """The schemas of all roots as one catalog, without tables where nothing tells of any."""
        from coderag.index.catalog import open_catalog

        named = [(one, manifest.catalog) for one, manifest in zip(self._roots, self._manifests, strict=True)]
        return open_catalog({one.repository: one.folder / name for one, name in named if name})

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


def _open(one: Root) -> tuple[Manifest, list[Member]]:
    """Return the manifest of a root's index and its segments."""
    while True:
        written = read_manifest(one.folder)
        # The names are those of today: the index may have been made alone, or under another name.
        manifest = replace(written, root=str(one.root), repository=one.repository)
        try:
            return manifest, open_members(one.folder, manifest)
        except IndexDamagedError:
            # Another process may have replaced the index meanwhile, and removed the segments of the old one.
            if read_manifest(one.folder) == written:
                raise


def make_query(
    text: str,
    *,
    k: int = 10,
    kinds: Iterable[Kind | str] = (),
    languages: Iterable[str] = (),
    paths: Sequence[str] = (),
    tests: TestPolicy | str = TestPolicy.DEMOTE,
    diversity: float = 0.0,
    threshold: float = 0.0,
    collapse: bool = True,
    expand: Expand | str | None = None,
    pipeline: Pipeline = STANDARD,
) -> Query:
    """Return a query of plain values; raises QueryError for one that makes no sense."""
    if not text.strip():
        raise QueryError("the question is empty; ask in words or give a symbol")
    if k < 1:
        raise QueryError(f"k is {k}; ask for at least one hit")
    for name, share in (("diversity", diversity), ("threshold", threshold)):
        if not 0 <= share <= 1:
            raise QueryError(f"{name} is {share}; give a number from 0 to 1")
    try:
        return Query(
            text=text,
            k=k,
            kinds=frozenset(map(Kind, kinds)),
            languages=frozenset(languages),
            paths=tuple(paths),
            tests=TestPolicy(tests),
            diversity=diversity,
            threshold=threshold,
            collapse=collapse,
            expand=Expand(expand) if expand else None,
            pipeline=pipeline,
        )
    except ValueError as error:
        known = f"kinds are {', '.join(Kind)}; tests are {', '.join(TestPolicy)}; expand is {', '.join(Expand)}"
        raise QueryError(f"{error}; {known}") from error


def place(roots: Sequence[str | os.PathLike[str]], *, index: str | os.PathLike[str] | None = None) -> list[Root]:
    """Return the roots with the place of each one's index; raises RootError.

    Repositories carry the names of their folders, made longer where two are alike.
    """
    if not roots:
        raise RootError("no root given")
    resolved = list(dict.fromkeys(Path(os.path.realpath(root)) for root in roots))
    for given, root in zip(roots, resolved, strict=False):
        if not root.is_dir():
            what = "is not a folder" if root.exists() else "does not exist"
            raise RootError(f"{os.fspath(given)!r} {what}; give the folder of a repository")
    names = _repository_names(resolved)
    if index is None:
        return [Root(root, root / INDEX_FOLDER, name) for root, name in zip(resolved, names, strict=True)]
    base = Path(index).absolute()
    if len(resolved) == 1:
        return [Root(resolved[0], base, names[0])]
    return [Root(root, base / name.replace("/", "-"), name) for root, name in zip(resolved, names, strict=True)]


def _repository_names(roots: Sequence[Path]) -> list[str]:
    names = [root.name or "root" for root in roots]
    depth = 2
    while len(set(names)) < len(names):
        names = [
            "/".join(root.parts[-depth:]).strip("/") if names.count(name) > 1 else name
            for root, name in zip(roots, names, strict=True)
        ]
        depth += 1
    return names
