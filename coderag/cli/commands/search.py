"""`coderag search`: a question, or a stream of them, to hits."""

from __future__ import annotations

import argparse
from dataclasses import replace
from functools import partial

from coderag.api.index import Index
from coderag.cli.exit_codes import FOUND, NOTHING
from coderag.cli.filters import filters_of
from coderag.cli.hints import better_command
from coderag.cli.opening import note, open_for_caller
from coderag.cli.output.hits import commit_lines, hit_lines, hit_markdown, vimgrep_lines
from coderag.cli.output.text import screen
from coderag.cli.roots import Paths
from coderag.errors import QueryError
from coderag.search.query.language import may_be_prose, read_query
from coderag.search.query.query import make_query, pattern_terms
from coderag.search.ranking.settings import make_pipeline
from coderag.types import Case, Field, Hit, Matches, Query, Term

__all__ = ["run"]


def run(options: argparse.Namespace) -> int:
    """Answer; 1 when nothing was found."""
    if options.store:
        return _run_stored(options)
    if options.batch:
        if options.query:
            raise QueryError("--batch reads its questions from stdin; give no QUERY")
        if options.count:
            raise QueryError("--count and --batch exclude each other")
        from coderag.cli.commands.search_batch import answer_lines  # most searches have one question

        index = open_for_caller(options)
        defaults = replace(_query(options, "-"), files=_changed(index, options.changed))
        answer_lines(index.search, defaults=defaults, whole=options.context == "whole")
        return FOUND
    if options.changed and not options.query:  # the shell does not tell `--changed QUERY` from `--changed REV`
        options.query, options.changed = [options.changed], ""
    text = " ".join(options.query)
    query = _query(options, text)
    index = open_for_caller(options)
    query = replace(query, files=_changed(index, options.changed))
    if options.count or pattern_terms(query.clauses):
        matches = _matches(index, query)
        is_given = options.literal is not None or options.regex is not None
        if matches.count or options.count or is_given or not may_be_prose(text):
            return _run_exact(index, query, matches, options)
        note(f"no match for {_patterns(query)} in the indexed files; its words find:")
        query = replace(_query(options, text, prose=True), files=query.files)
    hits = index.search(query)
    _print(hits, options, index=index, question=query.text)
    if options.format == "text" and not options.json and (hint := better_command(index, query.text)):
        note(hint)
    if not hits and not options.json:
        note(_nothing(index, query))
    return FOUND if hits else NOTHING


def _run_stored(options: argparse.Namespace) -> int:
    """Answer from a store."""
    from coderag.cli.commands.search_store import open_stored  # most searches are of files

    if options.batch and options.query:
        raise QueryError("--batch reads its questions from stdin; give no QUERY")
    query = _query(options, "-" if options.batch else " ".join(options.query))
    index = open_stored(options)
    if options.batch:
        from coderag.cli.commands.search_batch import answer_lines

        answer_lines(index.search, defaults=query, whole=options.context == "whole")
        return FOUND
    hits = index.search(query)
    _print(hits, options, index=None, question=query.text)
    if not hits and not options.json:
        note(f"nothing found for {query.text!r} in the store")
    return FOUND if hits else NOTHING


def _matches(index: Index, query: Query) -> Matches:
    """Return the matches of a query's patterns; raises QueryError for a query without any."""
    if not pattern_terms(query.clauses):
        raise QueryError('--count counts matches; give --literal, --regex, "a phrase" or /regex/')
    return index.find(query)


def _run_exact(index: Index, query: Query, matches: Matches, options: argparse.Namespace) -> int:
    """Print the matches of a query's patterns: the best k chunks, or how many each file has."""
    from coderag.cli.output.matches import count_lines, count_records, totals

    paths = Paths(index.roots)
    if options.count and options.json:
        from coderag.cli.output.records import print_records  # most searches print text

        print_records(count_records(matches), options.format)
    elif options.count:
        print("".join(f"{line}\n" for line in count_lines(matches, paths)), end="")
    else:
        _print(list(matches.hits), options, index=index, question=query.text)
    if not options.json:
        note(
            totals(matches, shown=not options.count)
            if matches.count
            else f"no match for {_patterns(query)} in the indexed files"
        )
    return FOUND if matches.count else NOTHING


def _patterns(query: Query) -> str:
    return " and ".join(repr(term.value) for term in pattern_terms(query.clauses))


def _query(options: argparse.Namespace, text: str, *, prose: bool = False) -> Query:
    """Return the query of the options, whose text may be `prose` with quotations; raises QueryError.

    Beside a pattern that is given as an option the text is a question as it is.
    """
    filters = filters_of(options)
    patterns = (options.literal, False), (options.regex, True)
    clauses = [(Term(Field.TEXT, pattern, regex=regex),) for pattern, regex in patterns if pattern is not None]
    query = (make_query if clauses else partial(read_query, prose=prose))(
        text,
        k=options.k,
        kinds=filters.kinds,
        languages=filters.languages,
        paths=filters.paths,
        repositories=options.repository,
        databases=filters.databases,
        environments=options.environment,
        tests=filters.tests,
        diversity=options.diversity,
        threshold=options.threshold,
        collapse=not options.no_collapse,
        expand=options.expand,
        related=options.related,
        pipeline=make_pipeline(fusion=options.fusion or "", reranker=options.reranker or "", without=options.without),
        clauses=clauses,
    )
    case = Case(options.case)
    return replace(query, clauses=tuple(tuple(replace(term, case=case) for term in terms) for terms in query.clauses))


def _changed(index: Index, revision: str | None) -> frozenset[tuple[str, str]] | None:
    """Return the files to which `--changed` narrows a search, None if it was not given; raises GitError."""
    return None if revision is None else index.changed_files(revision)


def _print(hits: list[Hit], options: argparse.Namespace, *, index: Index | None, question: str) -> None:
    """Print hits; without an index, as of a store, paths are those in the repository."""
    paths = Paths(() if index is None else index.roots)
    if options.json:
        from coderag.api.records import hit_record  # most searches print text
        from coderag.cli.output.records import print_records

        print_records((hit_record(hit, whole=options.context == "whole") for hit in hits), options.format)
        return
    if options.format == "markdown":
        print("\n\n".join(hit_markdown(hit, paths, whole=options.context == "whole") for hit in hits))
        return
    if options.format == "vimgrep":
        for hit in hits:
            print("\n".join(vimgrep_lines(hit, paths)))
        return
    shown = screen(options.color)
    several = index is not None and len(index.roots) > 1
    for number, hit in enumerate(hits):
        lines = hit_lines(hit, paths, shown, context=options.context, explain=options.explain, several=several)
        if options.explain and index is not None:
            lines += commit_lines(index.commits_of(hit.chunk, question=question), shown)
        print("\n".join(lines if number == 0 else ["", *lines]))


def _nothing(index: Index, query: Query) -> str:
    """Return what to say when there is no hit, and what may be the cause."""
    if not len(index):
        return f"there is nothing to search: no file was indexed in {', '.join(str(root.root) for root in index.roots)}"
    if query.files is not None and not query.files:
        return "no file changed, so there is nothing to search"
    if query.threshold:
        return f"nothing here answers {query.text!r} with a confidence of {query.threshold:g} or more"
    filtered = query.kinds or query.languages or query.paths or query.tests == "exclude"
    filtered = filtered or query.files is not None or query.repositories or query.databases or query.environments
    return f"nothing found for {query.text!r}{'; try fewer filters' if filtered else ''}"
