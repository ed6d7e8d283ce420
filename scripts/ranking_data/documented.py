"""Definitions to questions: what their documentation says put as questions, and their names."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence

import numpy as np

from coderag.evaluate.sampling import sample
from coderag.index.reader.corpus import Corpus
from coderag.index.storage.columns import CONTINUES, DEFINES
from coderag.types import Chunk, Kind
from scripts.ranking_data.records import Judged, Target

__all__ = ["ask_symbols", "ask_topics", "ask_ways"]

FUNCTIONS = (Kind.FUNCTION, Kind.METHOD)
TYPES = (Kind.CLASS, Kind.INTERFACE, Kind.TRAIT, Kind.STRUCT, Kind.TYPE)
TOPICS = (*TYPES, Kind.MODULE)
LABELS = ("test", "example", "generated", "vendored", "legacy")  # of files that nobody asks for
LOOKED_AT = 8  # definitions for each question wanted; most are documented too briefly or not at all
MIN_WORDS, MAX_WORDS = 4, 40
MIN_NAME = 4
TOPIC_WORDS = 8
# What begins a sentence of documentation and says nothing in a question.
OPENING = re.compile(
    r"^(?:an?|the|this|it|returns?|class|method|function|module|helper|base class|implementation) "
    r"(?:(?:of|for|to|that|which|the|an?|class|method|function|module|is|returns?) )*",
    re.IGNORECASE,
)
WAYS = (
    "how to {verb} {rest}",
    "how does {name} {verb} {rest}",
    "where do we {verb} {rest}",
    "code that {verb}s {rest}",
    "{verb} {rest}",
)
ABOUT = ("{rest}", "{rest}", "where is {rest} handled", "how {rest} works", "{name} {rest}")
ONE_NAME = ("{name}", "{name}", "where is {name} defined", "{name} {kind}", "`{name}`")
SHARED_NAME = ("{scope}.{name}", "{scope}.{name}", "{scope} {name}", "{name} of {scope}")


def ask_ways(corpus: Corpus, name: str, *, most: int, seed: int) -> list[Judged]:
    """Return how-questions made of the first sentences of functions; `name` is what the corpus is called."""
    chosen = random.Random(seed)
    found: list[Judged] = []
    for chunk in _documented(corpus, FUNCTIONS, most=most, seed=seed):
        verb, _, rest = chunk.doc.rstrip(".!?:").partition(" ")
        if _fits(chunk.doc) and verb.isalpha() and rest:
            text = chosen.choice(WAYS).format(verb=_base(verb), rest=_short(rest), name=name)
            found.append(Judged(text, "how", (_target(chunk),)))
    return sample(found, most, seed=seed)


def ask_topics(corpus: Corpus, name: str, *, most: int, seed: int) -> list[Judged]:
    """Return questions for what classes and modules are about, which their whole files answer."""
    chosen = random.Random(seed)
    found: list[Judged] = []
    for chunk in _documented(corpus, TOPICS, most=most, seed=seed):
        rest = _short(OPENING.sub("", chunk.doc.rstrip(".!?:")))
        if len(rest.split()) > 1:
            found.append(Judged(chosen.choice(ABOUT).format(rest=rest, name=name), "topic", (Target(chunk.path),)))
    return sample(found, most, seed=seed)


def ask_symbols(corpus: Corpus, *, most: int, seed: int) -> list[Judged]:
    """Return names of definitions as questions, with what encloses them where several have the name."""
    chosen = random.Random(seed)
    named: dict[str, list[int]] = {}
    definitions = _numbers(corpus, FUNCTIONS + TYPES)
    for number, (name, _) in zip(definitions, corpus.names(np.array(definitions, dtype=np.int64)), strict=True):
        if len(name) >= MIN_NAME:
            named.setdefault(name, []).append(number)
    found: list[Judged] = []
    for name, numbers in sample(sorted(named.items()), 2 * most, seed=seed):
        chunks = [corpus.chunk(number) for number in numbers]
        chunk = chosen.choice(chunks)
        [(_, scope)] = corpus.names(np.array([numbers[chunks.index(chunk)]]))
        if len(chunks) == 1:
            text = chosen.choice(ONE_NAME).format(name=name, kind=chunk.kind)
        elif scope and len({one.qualified_name for one in chunks}) == len(chunks):
            text = chosen.choice(SHARED_NAME).format(name=name, scope=scope)
        else:
            continue
        found.append(Judged(text, "symbol", (_target(chunk),)))
    return sample(found, most, seed=seed)


def _numbers(corpus: Corpus, kinds: Sequence[Kind]) -> list[int]:
    """Return the definitions of some kinds that are whole and no test and the like."""
    flags = np.concatenate([member.segment.chunk_flags for member in corpus.members])
    rest = corpus.of_kinds((Kind.MODULE, Kind.BLOCK)) & (flags & DEFINES == 0)
    wanted = corpus.of_kinds(kinds) & ~rest & (flags & CONTINUES == 0)
    for label in LABELS:
        wanted &= ~corpus.with_label(label)[corpus.chunk_file]
    return [int(number) for number in wanted.nonzero()[0]]


def _documented(corpus: Corpus, kinds: Sequence[Kind], *, most: int, seed: int) -> Iterator[Chunk]:
    """Yield documented definitions from a sample of those of some kinds."""
    for number in sample(_numbers(corpus, kinds), LOOKED_AT * most, seed=seed):
        chunk = corpus.chunk(number)
        if chunk.doc and not chunk.doc.endswith("…"):
            yield chunk


def _fits(sentence: str) -> bool:
    return MIN_WORDS <= len(sentence.split()) <= MAX_WORDS


def _target(chunk: Chunk) -> Target:
    return Target(chunk.path, chunk.span.start_line, chunk.span.end_line)


def _base(verb: str) -> str:
    """Return the plain form of a verb in the third person, roughly."""
    lowered = verb.lower()
    return lowered[:-1] if lowered.endswith("s") and not lowered.endswith(("ss", "us", "is")) else lowered


def _short(text: str) -> str:
    return " ".join(text.split()[:TOPIC_WORDS]).rstrip(".,;:")
