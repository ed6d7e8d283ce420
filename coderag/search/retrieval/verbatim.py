"""A question to the chunks in which it stands as it is written: a message, or a name that few files have.

Both are looked for among few chunks: a message among the best by words, a name where the postings of all its words
meet. Then the text decides, in which strings may be joined over lines and hold placeholders.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from coderag.files.translations import is_translation
from coderag.index.reader.corpus import Corpus, text_keys
from coderag.index.storage.arrays.arrays import Array
from coderag.record import record, replaced
from coderag.search.query.pasted import Pasted, is_plain
from coderag.search.query.vocabulary import STOP_WORDS
from coderag.search.ranking.sums import weighted_sums
from coderag.search.retrieval.lexical import Scores
from coderag.search.retrieval.spelled_chunks import names_a_file, spelled_chunks, whole_terms
from coderag.text.tokens import plain_name, terms
from coderag.types import Kind

if TYPE_CHECKING:
    from coderag.search.retrieval.alignment import Alignment
    from coderag.search.retrieval.key_uses import KeyUse

__all__ = ["NONE", "Verbatim", "beside_namesakes", "verbatim_matches"]

FUNCTIONS = frozenset({Kind.FUNCTION, Kind.METHOD})
MAX_READ = 24  # chunks whose text is looked at for a message
MAX_READ_ALIKE = 72  # ... as long as they have as many of its words as the best
MAX_TERMS, MAX_ASKED_TERMS = 8, 3  # of a message that choose these, and of one that is a question
MAX_POSTINGS = 40_000  # of these terms, the rarest first
MAX_COMPARED = 2_000  # chunks that have the most of them, of which those with the most of all words are read
SHARE_DIGITS = 6  # of a share of words; what is left is rounding, and would decide between equal ones
MIN_SPARED = 3  # words that choose, of which a chunk may lack one
VALUE_SHARE = 0.2  # of the rarity of a word that a program may have put in
# Of the message, by rarity, whose words such a chunk has: of one that shows values, and of one in words alone.
MIN_SHARE, MIN_PLAIN_SHARE = 0.5, 0.75
ALMOST_NOTHING = 1e-6
STOP_RARITY = 0.1  # of a stop word
SIGNS = 0.05  # what a text gains that has the message with all its signs, and as large and small as they are
# What stands in a text one after the other is the question if it is nearly all of it, or a long part.
MIN_WORDS, MIN_CONTENT, WHOLE = 3, 2, 0.9
MIN_PART_WORDS, MIN_PART_CONTENT, PART = 4, 3, 0.5
MIN_PROSE_WORDS = 6  # outside of strings
# Content words beside the names of a question that is about these; fewer where a name may be English, too.
MAX_OTHERS, MAX_OTHERS_OF_PLAIN = 2, 1
FILE_NAME = re.compile(r"/?\w[\w@+/-]*\.\w+|\w[\w@+-]*/[\w@+/.-]+")  # a file has its own name the least
MAX_STOPS_OF_NAMED = 2  # stop words of a text that says what something is called
PLAIN_NAME = 0.5  # what a name counts that may be English, beside one that may not
MAX_NAME_FILES = 8  # that have a name; one in more of them says less than the rest of the question


@record
class Verbatim:
    """The chunks that have a question or a part of it as it is written."""

    messages: Mapping[int, float]  # chunk -> how much of the question stands in it, by rarity
    names: Mapping[int, float]  # chunk -> how many of the question's rare names it has
    uses: Mapping[int, KeyUse]  # chunks that ask for the question, a translated message, by its key
    entries: frozenset[int] = frozenset()  # chunks of messages that are pieces of files of translations
    aside: frozenset[int] = frozenset()  # ... or of tests and documents, where there are uses

    @property
    def chunks(self) -> Array:
        """The chunks, i64[n] ascending."""
        return np.array(sorted(self.messages.keys() | self.names.keys() | self.uses.keys()), dtype=np.int64)


NONE = Verbatim({}, {}, {})


def verbatim_matches(corpus: Corpus, question: Pasted, scores: Scores, allowed: Array) -> Verbatim:
    """Return what has a question as it is written; `allowed`, f32[chunks], is above 0 for what may be found."""
    messages = _messages(corpus, question, scores, allowed) if question.run else {}
    names: dict[int, float] = {}
    for name in question.names:
        if question.others > (MAX_OTHERS_OF_PLAIN if is_plain(name) else MAX_OTHERS):
            continue
        if not question.asks_for_use and _is_known(corpus, name, is_topic=question.others > 0):
            continue
        for chunk in _with_name(corpus, name, scores, allowed):
            names[chunk] = names.get(chunk, 0.0) + (PLAIN_NAME if is_plain(name) else 1.0)
    if not (messages or names):
        return NONE
    entries = {chunk: held for chunk, held in messages.items() if _is_entry(corpus, chunk)}
    uses = _uses(corpus, question.run, entries, scores=scores, allowed=allowed)
    asking = {chunk: use for chunk, use in uses.items() if chunk not in messages}
    return Verbatim(messages, names, asking, frozenset(entries), _aside(corpus, messages) if asking else frozenset())


def beside_namesakes(corpus: Corpus, verbatim: Verbatim, chunks: Array, *, text: str) -> Verbatim:
    """Return matches with i64[n] chunks that are called as the text says, before documents and translations of it.

    "fork a repository" may be a button's text, and ForkRepository is meant. A message that code has is one, and so is a
    whole sentence: "The repository could not be forked".
    """
    if sum(word in STOP_WORDS for word in text.lower().split()) > MAX_STOPS_OF_NAMED:
        return verbatim
    besides = _aside(corpus, verbatim.messages) | verbatim.entries
    if verbatim.messages.keys() - besides:
        return verbatim
    named = {chunk for chunk in chunks.tolist() if chunk not in besides and not _is_entry(corpus, chunk)}
    code = named - _aside(corpus, named)
    most = max(verbatim.messages.values()) + SIGNS
    return replaced(verbatim, messages={**verbatim.messages, **dict.fromkeys(code, most)})


def _is_entry(corpus: Corpus, chunk: int) -> bool:
    """Tell whether a chunk is a piece of a file of translations, and no function in one."""
    return is_translation(corpus.place(chunk)[0]) and corpus.kind(chunk) not in FUNCTIONS


def _uses(
    corpus: Corpus, run: Collection[str], entries: Mapping[int, float], *, scores: Scores, allowed: Array
) -> dict[int, KeyUse]:
    """Return the chunks that ask for a translated message by its key."""
    if not entries:
        return {}
    from coderag.search.retrieval.key_uses import key_uses  # most searches find no translation

    return key_uses(corpus, run, entries, scores=scores, allowed=allowed)


def _aside(corpus: Corpus, chunks: Iterable[int]) -> frozenset[int]:
    """Return those of some chunks that are of tests or documents."""
    found = np.array(sorted(chunks), dtype=np.int64)
    files = corpus.file_numbers(found)
    aside = corpus.with_label("test")[files] | corpus.documents[files]
    return frozenset(found[aside].tolist())


def _messages(corpus: Corpus, question: Pasted, scores: Scores, allowed: Array) -> dict[int, float]:
    """Return the chunks that have a run of words, and how much of it by rarity."""
    run = question.run
    weights = {word: _weight(word, scores) for word in dict.fromkeys(run)}
    weights |= {word: VALUE_SHARE * weights[word] for word in question.values if word in weights}
    found: dict[int, float] = {}
    most = 0.0
    promising = _promising(corpus, question, weights, scores=scores, allowed=allowed)
    if not promising:
        return found
    from coderag.search.retrieval.alignment import align  # most questions are no messages

    for chunk, worth in promising:
        if worth < most:
            continue  # it cannot have as much in a row as another one has
        member, local = corpus.member_of(chunk)
        text = member.segment.chunk_text(local)
        aligned = align(run, text, weights)
        if aligned.held and is_translation(corpus.place(chunk)[0]):
            aligned = replaced(aligned, in_literal=True)  # whose strings need no quotes
        enough = not question.asks or _stands_whole(question, aligned)
        if enough and _is_the_question(question, aligned, weights):
            held = sum(weights[word] for word in {run[at] for at in aligned.held})
            most = max(most, held - ALMOST_NOTHING)
            found[chunk] = held + (SIGNS if question.message in text else 0.0)
    return found


def _weight(word: str, scores: Scores) -> float:
    """Return the rarity of a word; 0 for one that no chunk has, and for a number, which may be any other."""
    if word.isdigit():
        return 0.0
    if word in STOP_WORDS:
        return STOP_RARITY
    whole = (terms(word) or ("",))[-1]
    return scores.rarity.get(whole, 0.0)


def _promising(
    corpus: Corpus, question: Pasted, weights: Mapping[str, float], *, scores: Scores, allowed: Array
) -> list[tuple[int, float]]:
    """Return the chunks that have most of a question's weighted words, with how much they have.

    What may be values that a program has put in chooses none, unless the message is nothing else. Few messages are
    questions, so that one is looked for where its rarest words are all.
    """
    rarest = sorted((word for word in weights if weights[word] > 0), key=lambda word: (-weights[word], word))
    content = _few_postings(corpus, _choosing(rarest, question, weights))
    if not content:
        return []
    may_be_filled = question.is_printed or question.is_statement
    least = 1.0 if question.asks else MIN_SHARE if may_be_filled else MIN_PLAIN_SHARE
    total = sum(weights[word] for word in content)
    spared = (may_be_filled or question.message[:1].isupper()) and not question.asks and len(content) >= MIN_SPARED
    shares_held = {word: weights[word] / total for word in content}
    held = _held(corpus, shares_held)
    near = np.round(held + _most_lacking(corpus, shares_held) if spared else held, SHARE_DIGITS) * (allowed > 0)
    chunks = np.flatnonzero(near >= least - ALMOST_NOTHING)
    if len(chunks) > MAX_COMPARED:
        best = np.lexsort((-scores.text[chunks], -held[chunks], -near[chunks]))
        chunks = np.sort(chunks[best[:MAX_COMPARED]])
    shares = np.array([weights[word] for word in rarest], dtype=np.float32)
    worth = _worth(corpus, chunks, keys=_keys(rarest), shares=shares)
    if question.asks:  # nothing less than the whole of it counts
        whole = worth >= shares.sum() - ALMOST_NOTHING * len(shares)
        chunks, worth = chunks[whole], worth[whole]
    near = near[chunks]
    order = np.lexsort((chunks, -scores.text[chunks], -worth, -near))
    alike = int(np.count_nonzero(near >= near.max(initial=0.0) - ALMOST_NOTHING))
    order = order[: max(MAX_READ, min(alike, MAX_READ_ALIKE))]
    return list(zip(chunks[order].tolist(), worth[order].tolist(), strict=True))


def _choosing(rarest: Sequence[str], question: Pasted, weights: Mapping[str, float]) -> list[str]:
    """Return the words of a message, given rarest first, that choose the chunks which are compared with it."""
    telling = [word for word in rarest if weights[word] > STOP_RARITY]
    content = [word for word in telling if word not in question.values] or telling
    return content[: MAX_ASKED_TERMS if question.asks else MAX_TERMS]


def _few_postings(corpus: Corpus, content: Sequence[str]) -> list[str]:
    """Return the words, given rarest first, whose postings in the whole index are few enough to be read."""
    frequencies = corpus.text_frequencies(_keys(content))
    room = np.cumsum(frequencies) - frequencies < MAX_POSTINGS
    return [word for at, word in enumerate(content) if room[at] or at < MIN_CONTENT]


def _held(corpus: Corpus, shares: Mapping[str, float]) -> Array:
    """Return how much each chunk has of some words, f64[chunks], by the share of each, of 1 together."""
    held = np.zeros(len(corpus))
    for chunks, share in _holders(corpus, shares):
        held[chunks] += share
    return held


def _most_lacking(corpus: Corpus, shares: Mapping[str, float]) -> Array:
    """Return the greatest share of a word that each chunk lacks, f64[chunks]: of one that may be a value."""
    lacking = np.zeros(len(corpus))
    for word, share in shares.items():
        lacks = np.full(len(corpus), share)
        for chunks, _ in _holders(corpus, {word: share}):
            lacks[chunks] = 0.0
        np.maximum(lacking, lacks, out=lacking)
    return lacking


def _holders(corpus: Corpus, shares: Mapping[str, float]) -> Iterator[tuple[Array, float]]:
    """Yield the chunks of a segment that hold a word, and its share."""
    keys = _keys(shares)
    for member in corpus.members:
        postings = member.segment.text_postings
        for position, share in zip(postings.find(keys).tolist(), shares.values(), strict=True):
            if position >= 0:
                yield member.first_chunk + postings.docs_of(position).astype(np.int64), share


def _worth(corpus: Corpus, chunks: Array, *, keys: Array, shares: Array) -> Array:
    """Return how much some chunks, i64[n] ascending, have of some words, f32[n], by the share of each."""
    worth = np.zeros(len(chunks), dtype=np.float32)
    for member in corpus.members:
        first, end = np.searchsorted(chunks, [member.first_chunk, member.first_chunk + len(member.segment)])
        postings = member.segment.text_postings
        positions = postings.find(keys)
        known = np.flatnonzero(positions >= 0)
        if end > first and len(known):
            has = postings.are_held(positions[known], chunks[first:end] - member.first_chunk)
            worth[first:end] = weighted_sums(has.T, shares[known])
    return worth


def _keys(found: Iterable[str]) -> Array:
    return text_keys(terms(word)[-1] for word in found)


def _stands_whole(question: Pasted, aligned: Alignment) -> bool:
    return aligned.in_literal and len(aligned.held) == len(question.run)


def _is_the_question(question: Pasted, aligned: Alignment, weights: Mapping[str, float]) -> bool:
    """Tell whether what a text has of a run is the question, or so much of it that it can be nothing else.

    A few plain words stand in prose by chance, and say something in a string only.
    """
    run, held = question.run, aligned.held
    count = len({question.groups[at] for at in held})  # a name of many words says as much as one
    content = {question.groups[at] for at in held if run[at] not in STOP_WORDS and weights[run[at]] > 0}
    if not (aligned.in_literal or question.is_printed or count >= MIN_PROSE_WORDS):
        return False
    if aligned.values and count < _fewest_beside_values(question):
        return False
    total = sum(weights[word] for at, word in enumerate(run) if at not in aligned.values)
    share = sum(weights[run[at]] for at in held) / max(total, STOP_RARITY)
    is_long = len(held) >= MIN_PART_WORDS or len(content) >= MIN_CONTENT or aligned.in_literal
    if share >= WHOLE and len(held) >= MIN_WORDS and is_long:
        return True
    return count >= MIN_PART_WORDS and len(content) >= MIN_PART_CONTENT and share >= PART


def _fewest_beside_values(question: Pasted) -> int:
    """Return how many words a text has to have of a message whose other words are values."""
    if question.is_printed:
        return 0
    return MIN_WORDS if question.is_statement or question.message[:1].isupper() else MIN_PART_WORDS


def _with_name(corpus: Corpus, name: str, scores: Scores, allowed: Array) -> list[int]:
    """Return the chunks that have a name as it is written, if few files do."""
    if not whole_terms(name):
        return []
    found: list[int] = []
    files: set[int] = set()
    for chunk, file in spelled_chunks(corpus, name, _spelling(name), scores=scores, allowed=allowed):
        found.append(chunk)
        files.add(file)
        if len(files) > MAX_NAME_FILES:
            return []
    return found


def _is_known(corpus: Corpus, name: str, *, is_topic: bool) -> bool:
    """Tell whether a name is that of a definition or of a file, which the ranking finds by their names.

    A plain word among other words is a topic, "PowerShell completions", and known where it is a part of a path.
    """
    if _is_defined(corpus, name):
        return True
    names_files = FILE_NAME.fullmatch(name) is not None or (is_topic and name.isalnum())
    return names_files and names_a_file(corpus, whole_terms(name))


def _is_defined(corpus: Corpus, name: str) -> bool:
    """Tell whether a name has a definition, which the ranking knows; a constant is asked for where it is used."""
    return not (name.isupper() or "-" in name or "/" in name) and any(corpus.definitions(plain_name(name)))


def _spelling(name: str) -> re.Pattern[str]:
    """Return the expression for a name that is no part of a longer word; one that may be English is quoted."""
    if is_plain(name):
        return re.compile(rf"[\"'`]{re.escape(name)}[\"'`]")
    return re.compile(_boundary(name[0], before=True) + re.escape(name) + _boundary(name[-1], before=False))


def _boundary(sign: str, *, before: bool) -> str:
    """Return the expression that keeps a name from being part of a longer word."""
    if not (sign.isalnum() or sign == "_"):
        return ""
    return r"(?<!\w)" if before else r"(?!\w)"
