"""The conditions of a query to the chunks that meet them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache

import numpy as np

from coderag.errors import QueryError
from coderag.index.arrays import Array
from coderag.index.corpus import Corpus
from coderag.types import Query, TestPolicy

__all__ = ["allowed_chunks", "glob_pattern", "path_test"]


def allowed_chunks(corpus: Corpus, query: Query) -> Array | None:
    """Return which chunks a query's filters allow, bool[chunks]; None when there is no filter.

    Raises QueryError for a language that coderag does not know.
    """
    masks: list[Array] = []
    if query.kinds:
        masks.append(corpus.of_kinds(sorted(query.kinds)))
    of_file: list[Array] = []
    if query.languages:
        of_file.append(_in_languages(corpus, query.languages))
    if query.paths:
        of_file.append(_in_paths(corpus, query.paths))
    if query.tests is TestPolicy.EXCLUDE:
        of_file.append(~corpus.with_label("test"))
    masks += [mask[corpus.chunk_file] for mask in of_file]
    return np.logical_and.reduce(masks) if masks else None


def _in_languages(corpus: Corpus, wanted: Iterable[str]) -> Array:
    from coderag.reading.language import languages  # a search without this filter reads no language data

    if unknown := sorted(set(wanted) - languages().keys()):
        raise QueryError(f'unknown language {unknown[0]!r}; run "coderag languages" for the list')
    codes = [number for number, name in enumerate(corpus.languages) if name in wanted]
    return np.isin(corpus.file_language, codes)


def _in_paths(corpus: Corpus, globs: Iterable[str]) -> Array:
    allowed = path_test(globs)
    return np.fromiter(map(allowed, corpus.paths), dtype=bool, count=corpus.files)


def path_test(globs: Iterable[str]) -> Callable[[str], bool]:
    """Return whether a path matches some glob and no negative one; only negative ones allow the rest."""
    globs = tuple(globs)
    include = [glob_pattern(glob) for glob in globs if not glob.startswith("!")]
    exclude = [glob_pattern(glob[1:]) for glob in globs if glob.startswith("!")]

    def allowed(path: str) -> bool:
        return (not include or any(one.search(path) for one in include)) and not any(
            one.search(path) for one in exclude
        )

    return allowed


@lru_cache(maxsize=256)
def glob_pattern(glob: str) -> re.Pattern[str]:
    """Return the pattern of a glob on relative paths, as in .gitignore.

    `*` and `?` stop at a slash, `**` does not; a glob without a slash matches at any depth, and one that names a folder
    matches what is in it. Runs of stars are one, so no pattern backtracks for long.
    """
    anchored = "/" in glob.rstrip("/")
    parts: list[str] = []
    position = 0
    text = glob.strip("/")
    while position < len(text):
        if text.startswith("**", position):
            while position < len(text) and text[position] == "*":
                position += 1
            if text.startswith("/", position):
                position += 1
                parts.append(r"(?:.*/)?+")
            else:
                parts.append(r".*")
        elif text[position] == "*":
            parts.append(r"[^/]*")
            position += 1
        elif text[position] == "?":
            parts.append(r"[^/]")
            position += 1
        elif text[position] == "[" and (end := text.find("]", position + 2)) != -1:
            inner = text[position + 1 : end].replace("\\", r"\\").replace("[", r"\[")
            parts.append(f"[^{inner[1:]}]" if inner[0] in "!^" else f"[{inner}]")
            position = end + 1
        else:
            parts.append(re.escape(text[position]))
            position += 1
    try:
        return re.compile(f"{'^' if anchored else '(?:^|/)'}{''.join(parts)}(?:/|$)", re.DOTALL)
    except re.error as error:
        raise QueryError(f"the path filter {glob!r} is no glob: {error}") from error
