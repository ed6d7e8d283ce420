"""Sections of documents to questions: what a section is about, and the files of code that it links or names."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping

from coderag.evaluate.sampling import sample
from coderag.index.reader.corpus import Corpus
from coderag.text.comments import doc_summary
from coderag.types import Kind
from scripts.ranking_data.records import Judged, Target

__all__ = ["ask_documents"]

NAMED = re.compile(r"[\w./@+-]+\.[a-zA-Z]\w{0,4}\b")
MAX_FILES = 3  # a section that names more is a list of contents
MIN_WORDS, MAX_CHARS = 3, 300
TITLE = re.compile(r"[^\w\s'-]+")


def ask_documents(corpus: Corpus, *, most: int, seed: int) -> list[Judged]:
    """Return questions made of headings and first sentences of the sections that name few files of the corpus."""
    files = _files_by_ending(corpus)
    found: list[Judged] = []
    for number in corpus.of_kinds((Kind.SECTION,)).nonzero()[0].tolist():
        chunk = corpus.chunk(number)
        named = {path for one in NAMED.findall(chunk.text) if len(path := files.get(one.strip("./"), "")) > 0}
        if not 0 < len(named) <= MAX_FILES:
            continue
        body = chunk.text.split("\n", 1)[1] if "\n" in chunk.text else ""
        title = TITLE.sub(" ", chunk.name)
        text = " ".join(f"{title} {NAMED.sub('', doc_summary(body))}".split())
        if len(text.split()) >= MIN_WORDS and len(text) < MAX_CHARS:
            found.append(Judged(text, "document", tuple(map(Target, sorted(named)))))
    return sample(found, most, seed=seed)


def _files_by_ending(corpus: Corpus) -> Mapping[str, str]:
    """Return the files of code by every ending of their paths that no other file shares."""
    endings: defaultdict[str, set[str]] = defaultdict(set)
    for number, path in enumerate(corpus.paths):
        if corpus.documents[number]:
            continue
        parts = path.split("/")
        for start in range(len(parts)):
            endings["/".join(parts[start:])].add(path)
    return {ending: next(iter(paths)) for ending, paths in endings.items() if len(paths) == 1}
