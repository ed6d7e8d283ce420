"""An index and the questions asked of it: what `import coderag` gives."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from coderag.api.handle import KeptIndex, telling_damage
from coderag.errors import EncoderError, QueryError, RerankerError, RetrievalWarning
from coderag.index.reader.corpus import Corpus, Member
from coderag.index.storage.arrays.arrays import Array
from coderag.limits import (
    BUDGET,
    DEPTH,
    GLOB,
    GLOBS,
    ITEMS,
    MAP_BUDGET,
    NAME,
    NODES,
    QUESTION,
    SHOWN,
    SQL,
    WAYS,
    K,
    check_name,
    check_number,
    check_text,
    checked_list,
    fault_of_text,
)
from coderag.search.query.filter import allowed_chunks
from coderag.search.query.query import check_conditions, check_question, checked_query, make_query
from coderag.search.query.understand import understand
from coderag.search.ranking.rank import BUILT_IN, CONNECTED, STANDARD, Ranked, rank
from coderag.search.results.expand import expand as expand_hits
from coderag.search.results.explain import hits_of
from coderag.search.retrieval.symbols import find_symbols
from coderag.types import Chunk, Expand, Hit, Kind, OtherDatabases, Pipeline, Query, Symbol, TableFilter, TestPolicy

if TYPE_CHECKING:
    from coderag.graph.drawing.drawing import Drawing
    from coderag.graph.graph import Graph
    from coderag.graph.queries.answers import Meanings
    from coderag.graph.queries.impact import Change, Impact
    from coderag.graph.queries.locations import Location
    from coderag.graph.queries.map import RepositoryMap
    from coderag.graph.queries.paths import Way
    from coderag.graph.queries.refs import References
    from coderag.graph.records import NodeKind
    from coderag.search.context.about import TableFacts
    from coderag.search.context.schema_context import SchemaContext
    from coderag.search.tables.tables import TableRanking
    from coderag.sql.check import Finding
    from coderag.sql.records import Table

__all__ = ["Index"]

NO_FILTER = TableFilter()
DRAWN, DRAWN_TABLES = 3, 2  # hits and tables of a question that a drawing begins with
DRAWN_CONFIDENCE, DRAWN_SCORE = 0.2, 1.0  # that they have at least
MAX_ANSWERING = 50  # hits that tell which parts of a map a question is about
MAX_COPIES = 30  # hits that may turn out to have the text of a better one


class Index(KeptIndex):
    """One root or several, searched as one.

    The index of a root lies in ROOT/.coderag, or where `index` says. A search answers from what was read when the
    index was opened or updated last; `update` reads what changed since.
    """

    @telling_damage
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
        related: int = 0,
        pipeline: Pipeline = STANDARD,
    ) -> list[Hit]:
        """Return the k best chunks for a question, best first.

        `paths` are globs as in .gitignore, "!" in front excludes. `databases` and `environments` leave the files that
        declare, change, query or describe what is in such a database. `groups` are the caller's (`as_seen_by`), None
        for one that sees all. `diversity`, 0..1, puts behind what is like a better hit; `threshold`, 0..1, is the least
        confidence of a hit; without `collapse` copies are hits too; `expand` gives what is around hits in their place;
        behind the hits come up to `related` that these have to do with; `pipeline` chooses how hits are ranked. A Query
        brings its own conditions.
        Raises QueryError for an empty question, an unknown condition, and what exceeds a limit (coderag.limits), and
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
                related=related,
                pipeline=pipeline,
            )
        else:
            question = checked_query(question)
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
        graphs = self._relations() if found else {}
        if not graphs:
            further: list[tuple[int, Hit]] = []
        else:
            from coderag.search.results.related import related_hits, with_relations

            found = with_relations(corpus, found, graphs)
            further = (
                related_hits(corpus, question.text, found, graphs=graphs, count=question.related, allowed=allowed)
                if question.related
                else []
            )
        hits = expand_hits(corpus, found, question.expand) if question.expand else [hit for _, hit in found]
        return hits + [hit for _, hit in further]

    def _reranked(self, corpus: Corpus, question: Query, ranked: list[Ranked]) -> list[Ranked]:
        """Return a ranking as the reranker that was asked for has it; as it is where none was, or where that fails."""
        pipeline = question.pipeline
        if pipeline.reranker in BUILT_IN:
            return ranked
        if pipeline.reranker == CONNECTED:
            from coderag.search.ranking.graph_rerank import graph_rerank

            return graph_rerank(corpus, ranked, self._relations())
        from coderag.search.ranking.rerank import find_reranker, reranked

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

    @telling_damage
    def symbols(self, name: str, *, k: int = 20, alike: bool = True) -> list[Symbol]:
        """Return the definitions of a name, qualified or not; where there is none, those spelled most like it.

        Without `alike` there are only the former. Raises QueryError for an empty name and what exceeds a limit.
        """
        check_name(name, what="the name")
        check_number(K, k)
        return find_symbols(self._corpus, name, k=k, alike=alike)

    @telling_damage
    def files(self, conditions: Query) -> frozenset[tuple[str, str]]:
        """Return the files that meet the conditions of a query, each as repository and path.

        Kinds count for the files that hold a chunk of such a kind. Raises QueryError like `search`.
        """
        conditions = checked_query(conditions)
        if conditions.groups is not None:
            return self.as_seen_by(conditions.groups).files(replace(conditions, groups=None))
        corpus = self._corpus  # once, as an update in another thread may put another in its place
        allowed = allowed_chunks(corpus, conditions, lambda: (self._seen or self._opened).catalogs)
        numbers = np.flatnonzero(corpus.live_file if allowed is None else corpus.live_file & corpus.files_of(allowed))
        firsts = np.array([member.first_file for member in corpus.members])
        owners = (np.searchsorted(firsts, numbers, side="right") - 1).tolist()
        paths = [member.segment.paths.all() for member in corpus.members]
        return frozenset(
            (corpus.members[owner].repository, paths[owner][number - corpus.members[owner].first_file])
            for owner, number in zip(owners, numbers.tolist(), strict=True)
        )

    @telling_damage
    def outline(self, path: str) -> list[Symbol]:
        """Return the definitions of an indexed file in order; raises QueryError when it is not indexed."""
        member, file = self._find(path)
        return member.segment.outline(file, repository=member.repository)

    @telling_damage
    def chunks(self, path: str) -> list[Chunk]:
        """Return the chunks of an indexed file in order; raises QueryError when it is not indexed."""
        member, file = self._find(path)
        numbers = np.flatnonzero(member.segment.chunk_file == file).tolist()
        return [member.segment.chunk(number, repository=member.repository) for number in numbers]

    @telling_damage
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

    @telling_damage
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

    @telling_damage
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

    @telling_damage
    def tables(self, conditions: TableFilter = NO_FILTER) -> list[Table]:
        """Return the tables and views that meet some conditions; raises QueryError for an unknown one."""
        from coderag.search.tables.table_filter import allowed_tables

        check_conditions(conditions)
        allowed = allowed_tables(self.catalog, conditions)
        numbers = range(len(self.catalog)) if allowed is None else np.flatnonzero(allowed).tolist()
        return [self.catalog.tables[number] for number in numbers]

    @telling_damage
    def table(self, name: str, conditions: TableFilter = NO_FILTER) -> list[TableFacts]:
        """Return all that is known of the tables of a name, alone or with schema or database; raises QueryError."""
        from coderag.search.context.about import about_table
        from coderag.search.tables.table_filter import allowed_tables

        check_name(name, what="the name")
        check_conditions(conditions)
        allowed = allowed_tables(self.catalog, conditions)
        found = self.catalog.find(name)
        return [about_table(self.catalog, one) for one in found if allowed is None or allowed[one]]

    @telling_damage
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

    @telling_damage
    def refs(
        self,
        target: str,
        *,
        kinds: Iterable[NodeKind | str] = (),
        paths: Sequence[str] = (),
        shown: int | None = 10,
    ) -> list[References]:
        """Return what refers to each definition, file, route, table or column that a target means, the best first.

        A target is written as in coderag.graph.queries.lookup; `kinds` and `paths` (globs) narrow it. At most `shown`
        references of each group are there, None for all. [] where nothing has the name. Raises QueryError.
        """
        from coderag.graph.queries.answers import all_references

        _check_target(target)
        kinds, paths = _narrowing(kinds, paths)
        if shown is not None:
            check_number(SHOWN, shown)
        return all_references(self._graph_of_each(), target, kinds=kinds, paths=paths, shown=shown)

    @telling_damage
    def impact(
        self,
        target: str,
        *,
        change: Change | str = "rename",
        depth: int = 3,
        kinds: Iterable[NodeKind | str] = (),
        paths: Sequence[str] = (),
    ) -> Impact | None:
        """Return what is affected when the best that a target means is renamed, dropped or changes its type.

        Up to `depth` steps away; the tests that run any of it are found at any distance. None where nothing has the
        name. Raises QueryError for an empty target, an unknown change or kind, and what exceeds a limit.
        """
        from coderag.graph.queries.answers import all_impacts

        _check_target(target)
        kinds, paths = _narrowing(kinds, paths)
        check_number(DEPTH, depth)
        return all_impacts(self._graph_of_each(), target, change=change, depth=depth, kinds=kinds, paths=paths)

    @telling_damage
    def path_between(
        self,
        source: str,
        target: str,
        *,
        limit: int = 1,
        kinds: Iterable[NodeKind | str] = (),
        paths: Sequence[str] = (),
    ) -> list[Way]:
        """Return up to `limit` different ways from one target to another, the surest and shortest first.

        Over routes, calls, overriding methods, mappings and uses of data; where none leads there, the ways back. []
        where neither leads to the other, or nothing has a name. Raises QueryError.
        """
        from coderag.graph.queries.answers import all_paths

        _check_target(source)
        _check_target(target)
        kinds, paths = _narrowing(kinds, paths)
        check_number(WAYS, limit)
        return all_paths(self._graph_of_each(), source, target, kinds=kinds, paths=paths, limit=limit)

    @telling_damage
    def reached(self, source: str, *, like: str) -> list[Location]:
        """Return what of the kind of a second target a first one leads to, the nearest first; at most three of a root.

        Raises QueryError for an empty target.
        """
        from coderag.graph.queries.answers import all_reached

        _check_target(source)
        _check_target(like)
        return all_reached(self._graph_of_each(), source, like)

    @telling_damage
    def graph(
        self,
        what: str,
        *,
        depth: int = 1,
        limit: int = 30,
        kinds: Iterable[NodeKind | str] = (),
        paths: Sequence[str] = (),
    ) -> Drawing | None:
        """Return a drawing of a target, or of what a question finds, with what is up to `depth` steps around it.

        At most `limit` nodes; coderag.graph.drawing.export and coderag.graph.drawing.svg make text and SVG of it. None
        where nothing is found. Raises QueryError for an empty question, an unknown kind, and what exceeds a limit.
        """
        from coderag.graph.queries.answers import draw, draw_places

        check_question(what)
        kinds, paths = _narrowing(kinds, paths)
        check_number(DEPTH, depth)
        check_number(NODES, limit)
        graphs = self._graph_of_each()
        is_name = not fault_of_text(NAME, what)
        drawn = draw(graphs, what, kinds=kinds, paths=paths, depth=depth, limit=limit) if is_name else None
        if drawn is not None:
            return drawn
        hits = self.search(what, k=DRAWN, paths=paths, threshold=DRAWN_CONFIDENCE)
        tables = self.table_ranking(what, k=DRAWN_TABLES).tables if len(self.catalog) else ()
        return draw_places(
            graphs,
            [(hit.chunk.repository, hit.chunk.path, hit.chunk.span.start_line) for hit in hits],
            [str(self.catalog.tables[table.table].name.name) for table in tables if table.score >= DRAWN_SCORE],
            depth=depth,
            limit=limit,
        )

    @telling_damage
    def map(
        self,
        question: str = "",
        *,
        budget: int = 1024,
        paths: Sequence[str] = (),
        kinds: Iterable[Kind | str] = (),
        languages: Iterable[str] = (),
        databases: Iterable[str] = (),
    ) -> list[RepositoryMap]:
        """Return an overview of each root within `budget` tokens: its parts, and what matters most in each.

        With a question the parts that it is about come first; one such as "what are the main parts?" is about all.
        `paths` are globs; `kinds`, `languages` and `databases` as in `search`. Raises QueryError for an unknown
        condition and what exceeds a limit.
        """
        from coderag.graph.queries.map import map_of
        from coderag.graph.queries.overview import about_the_whole

        check_text(QUESTION, question)
        check_number(MAP_BUDGET, budget)
        paths = checked_list(GLOBS, paths, name="paths", item=GLOB)
        asked = question if question.strip() and not about_the_whole(question) else ""
        near = self._answering(asked, paths) if asked else {}
        conditions = make_query("-", kinds=kinds, languages=languages, databases=databases)
        files: dict[str, set[str]] = {}
        if filtered := bool(conditions.languages or conditions.databases):
            for name, path in self.files(replace(conditions, kinds=frozenset())):
                files.setdefault(name, set()).add(path)
        return [
            map_of(
                graph,
                self._outliner(name),
                budget=budget // len(self._roots),
                paths=paths,
                files=files.get(name, set()) if filtered else None,
                kinds=conditions.kinds,
                question=question,
                near=near.get(name, {}),
                repository=name,
            )
            for name, graph in self._graph_of_each().items()
        ]

    def _answering(self, question: str, paths: Sequence[str]) -> dict[str, dict[str, float]]:
        """Return how much of what answers a question is in each file of each repository; 1 in sum for each of these."""
        found: dict[str, dict[str, float]] = {}
        for hit in self.search(question, k=MAX_ANSWERING, paths=paths, tests=TestPolicy.EXCLUDE):
            of_file = found.setdefault(hit.chunk.repository, {})
            of_file[hit.chunk.path] = of_file.get(hit.chunk.path, 0.0) + max(hit.score, 0.0)
        return {
            name: {path: score / sum(scores.values()) for path, score in scores.items()}
            for name, scores in found.items()
            if sum(scores.values())
        }

    def _outliner(self, repository: str) -> Callable[[str], Sequence[Symbol]]:
        """Return what gives the definitions of a file of a repository, [] for one that is gone."""

        places = {
            path: (member, file)
            for member in self._corpus.members
            if member.repository == repository
            for file, path in enumerate(member.segment.paths.all())
            if file not in member.dead
        }

        def outline(path: str) -> Sequence[Symbol]:
            if path not in places:
                return []
            member, file = places[path]
            return member.segment.outline(file, repository=repository)

        return outline

    @telling_damage
    def meanings(self, target: str, *, kinds: Iterable[NodeKind | str] = (), paths: Sequence[str] = ()) -> Meanings:
        """Return what of the graph a target is taken for, and what else has its name; raises QueryError."""
        from coderag.graph.queries.answers import meanings_of

        _check_target(target)
        kinds, paths = _narrowing(kinds, paths)
        return meanings_of(self._graph_of_each(), target, kinds=kinds, paths=paths)

    @telling_damage
    def names_like(self, target: str) -> tuple[str, ...]:
        """Return the names of the graph that are spelled most like a target, the likeliest first; at most three."""
        from coderag.graph.queries.answers import names_like

        _check_target(target)
        return names_like(self._graph_of_each(), target)

    def _graph_of_each(self) -> Mapping[str, Graph]:
        """Return the graphs by repository."""
        return dict(zip([root.repository for root in self._roots], self.graphs(), strict=True))

    def _find(self, path: str) -> tuple[Member, int]:
        check_name(path, what="the path")
        for member in self._corpus.members:
            for file, known in enumerate(member.segment.paths.all()):
                if known == path and file not in member.dead:
                    return member, file
        raise QueryError(f"{path} is not in the index; paths are relative to the root, with forward slashes")


def _check_target(target: str) -> None:
    check_name(target, what="the target")


def _narrowing(kinds: Iterable[NodeKind | str], paths: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the conditions on a target; raises QueryError for too many or too long ones."""
    return checked_list(ITEMS, kinds, name="kinds"), checked_list(GLOBS, paths, name="paths", item=GLOB)
