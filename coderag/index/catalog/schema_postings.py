"""Tables, columns, example queries and definitions to the postings by which a question finds them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.arrays.strings import pack_strings
from coderag.index.storage.postings import WEIGHT_STEPS, Postings, build_postings, idf, saturate
from coderag.sql.records import Definition, ExampleQuery, Table
from coderag.text.asking import AskedWord, asked_words
from coderag.text.tokens import raw_words, split_identifier, stem, term_hash, terms, words
from coderag.text.vocabulary import Vocabulary

__all__ = [
    "column_words",
    "definition_words",
    "letters_of",
    "piece_words",
    "query_words",
    "question_terms",
    "question_words",
    "table_words",
]

# BM25F over the fields of a table: weight, and how much of its length counts (b). Tuned with the weights of
# coderag.search.tables.tables.
TABLE_FIELDS = {
    "name": (6.0, 0.3),
    "alias": (3.0, 0.3),
    "columns": (2.5, 0.5),
    "comment": (3.0, 0.5),
    "notes": (0.6, 0.5),  # comments and values of columns
    "place": (1.0, 0.5),  # database, schema, domain
    "past": (0.5, 0.5),  # its history, so what it was called before
}
TABLE_K1 = 1.0
NAME_WEIGHT, NOTE_WEIGHT, COLUMN_K1 = 3.0, 0.5, 2.0  # of a column
COLUMN_NAME_TERMS = 3  # a usual name has so many
COLUMN_B = 0.4
MAX_NOTE_TERMS, MAX_VALUE_TERMS = 24, 24  # of a column's comment and values: long ones would drown the names
MAX_COMMENT_TERMS = 60
LETTERS = 26
ASKED_TWICE, ASKED_HALF, ASKED_SHARE = 2, 2.0, 0.4  # a word of so many questions about a table counts at most this much
MIN_ASKED_WEIGHT = 0.5  # words of questions that say less are left out there


class _Field:
    """Terms of documents, gathered one document after another."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._terms: list[int] = []
        self._sizes: list[int] = []

    def add(self, texts: Iterable[str]) -> None:
        """Add a document: all terms of some texts."""
        before = len(self._terms)
        for text in texts:
            self._terms += self._vocabulary.numbers(raw_words(text.encode("utf-8", "surrogatepass")))
        self._sizes.append(len(self._terms) - before)

    def add_some(self, texts: Iterable[str], most: int) -> None:
        """Add a document: the first different terms of each text."""
        before = len(self._terms)
        for text in texts:
            found = self._vocabulary.numbers(raw_words(text.encode("utf-8", "surrogatepass")))
            self._terms += list(dict.fromkeys(found))[:most]
        self._sizes.append(len(self._terms) - before)

    def frequencies(self) -> tuple[Array, Array, Array]:
        """Return keys u64 (term << 32 | document), how often the term occurs there, and the documents' lengths."""
        sizes = np.array(self._sizes, dtype=np.int64)
        docs = np.repeat(np.arange(len(sizes), dtype=np.uint64), sizes)
        keys = (np.array(self._terms, dtype=np.uint64) << np.uint64(32)) | docs
        found, counts = np.unique(keys, return_counts=True)
        return found, counts.astype(np.float64), sizes.astype(np.float64)


def _summed(parts: Sequence[tuple[Array, Array]]) -> tuple[Array, Array, Array]:
    """Return (term, document, weight) of keys and weights, those of the same key summed."""
    keys, where = np.unique(np.concatenate([keys for keys, _ in parts]), return_inverse=True)
    weights = np.bincount(where, weights=np.concatenate([weights for _, weights in parts]), minlength=len(keys))
    return (keys >> np.uint64(32)).astype(np.int64), (keys & np.uint64(0xFFFFFFFF)).astype(np.uint32), weights


def table_words(tables: Sequence[Table]) -> dict[str, Array]:
    """Return the postings of tables by all that is known of them, and by the words of their names alone."""
    vocabulary = Vocabulary()
    fields = {name: _Field(vocabulary) for name in TABLE_FIELDS}
    for table in tables:
        name = table.name
        fields["name"].add([name.name])
        fields["alias"].add([table.alias] if table.alias != name.name else [])
        fields["columns"].add([column.name for column in table.columns])
        fields["comment"].add_some([table.comment], MAX_COMMENT_TERMS)
        notes = [text for column in table.columns for text in (column.comment, " ".join(column.values)) if text]
        fields["notes"].add_some(notes, MAX_NOTE_TERMS)
        fields["place"].add([name.database, name.schema, table.domain])
        fields["past"].add_some([change.text for change in table.history], MAX_NOTE_TERMS)
    parts = []
    for field_name, (weight, b) in TABLE_FIELDS.items():
        keys, counts, sizes = fields[field_name].frequencies()
        usual = float(sizes[sizes > 0].mean()) if (sizes > 0).any() else 1.0
        norm = 1 - b + b * sizes / usual
        docs = (keys & np.uint64(0xFFFFFFFF)).astype(np.int64)
        parts.append((keys, weight * counts / norm[docs]))
    numbers, docs, weights = _summed(parts)
    words_of = build_postings(vocabulary.hashes()[numbers], docs, saturate(weights, TABLE_K1))
    return words_of.arrays("word") | _called(tables)


def _called(tables: Sequence[Table]) -> dict[str, Array]:
    """Return the postings of tables by the words of their names, and what the words of each name weigh together."""
    hashes, docs = [], []
    for number, table in enumerate(tables):
        for term in sorted(_name_terms(table.name.name)):
            hashes.append(term_hash(term))
            docs.append(number)
    everything = np.full(len(docs), WEIGHT_STEPS, dtype=np.uint8)
    called = build_postings(np.array(hashes, dtype=np.uint64), np.array(docs, dtype=np.uint32), everything)
    total = np.zeros(len(tables), dtype=np.float32)
    for position in range(len(called.hashes)):
        total[called.docs_of(position)] += idf(len(tables), called.frequency(position))
    return called.arrays("called") | {"called_total": total}


def _name_terms(name: str) -> set[str]:
    """Return the terms of the parts of a name, not those of the whole."""
    return {term for word in words(name) for term in (terms(word)[:-1] or terms(word))}


def column_words(tables: Sequence[Table]) -> dict[str, Array]:
    """Return the postings of all tables' columns, numbered in order, by name, comment and values."""
    vocabulary = Vocabulary()
    names, notes = _Field(vocabulary), _Field(vocabulary)
    for table in tables:
        for column in table.columns:
            names.add([column.name])
            notes.add_some([column.comment, " ".join(column.values)], MAX_NOTE_TERMS)
    name_keys, _, sizes = names.frequencies()
    note_keys, _, _ = notes.frequencies()
    numbers, docs, weights = _summed(
        [(name_keys, np.full(len(name_keys), NAME_WEIGHT)), (note_keys, np.full(len(note_keys), NOTE_WEIGHT))]
    )
    norm = 1 - COLUMN_B + COLUMN_B * sizes / COLUMN_NAME_TERMS
    postings = build_postings(vocabulary.hashes()[numbers], docs, saturate(weights / norm[docs], COLUMN_K1))
    return postings.arrays("column")


def piece_words(tables: Sequence[Table]) -> dict[str, Array]:
    """Return the words that the names of tables and columns are made of, sorted, and the term of each.

    They are what a word of a question may be abbreviated to; names of several words are among them as a whole too.
    """
    found: set[str] = set()
    for name in {name for table in tables for name in (table.name.name, *(column.name for column in table.columns))}:
        for word in words(name):
            pieces = split_identifier(word)
            found.update(piece for piece in pieces if piece.isalpha())
            if len(pieces) > 1 and (compound := "".join(pieces)).isalpha():
                found.add(compound)
    pieces = sorted(found)
    blob, offsets = pack_strings(pieces)
    letters = np.array([letters_of(piece) for piece in pieces], dtype=np.uint32)
    hashes = np.array([term_hash(stem(piece)) for piece in pieces], dtype=np.uint64)
    return {"piece_blob": blob, "piece_offsets": offsets, "piece_letters": letters, "piece_terms": hashes}


def letters_of(word: str) -> int:
    """Return which letters a lower-case word holds, as bits: a to z, and one for all others."""
    held = 0
    for letter in set(word):
        place = ord(letter) - ord("a")
        held |= 1 << (place if 0 <= place < LETTERS else LETTERS)
    return held


def question_words(text: str) -> dict[str, float]:
    """Return the terms of a question by which it is compared with others, and their weights."""
    return question_terms(asked_words(text))


def question_terms(words_of: Iterable[AskedWord]) -> dict[str, float]:
    """Return the terms of a question, given as words, by which it is compared with others, and their weights."""
    found: dict[str, float] = {}
    for word, weight in words_of:
        if weight and (of_word := terms(word)):
            found[of_word[-1]] = max(found.get(of_word[-1], 0.0), weight)
    return found


def query_words(queries: Sequence[ExampleQuery], tables_of: Sequence[Sequence[int]]) -> dict[str, Array]:
    """Return the postings of example queries by their questions, and of tables by the questions about them.

    The weights of the first are the shares of a query in the cosine of two questions, words weighted by rarity.
    """
    asked = [question_words(query.question) for query in queries]
    frequency: dict[str, int] = {}
    for found in asked:
        for term in found:
            frequency[term] = frequency.get(term, 0) + 1
    rarity = {term: idf(len(queries), count) for term, count in frequency.items()}
    hashed = {term: term_hash(term) for term in frequency}
    hashes, docs, shares = [], [], []
    about: dict[tuple[str, int], int] = {}
    for number, found in enumerate(asked):
        norm = sum((weight * rarity[term]) ** 2 for term, weight in found.items()) ** 0.5
        for term, weight in found.items():
            hashes.append(hashed[term])
            docs.append(number)
            shares.append(weight * rarity[term] / norm if norm else 0.0)
            if weight >= MIN_ASKED_WEIGHT:
                for table in tables_of[number]:
                    about[term, table] = about.get((term, table), 0) + 1
    weights = np.clip(np.rint(np.array(shares) * WEIGHT_STEPS), 1, WEIGHT_STEPS).astype(np.uint8)
    by_question = build_postings(np.array(hashes, dtype=np.uint64), np.array(docs, dtype=np.uint32), weights)
    return by_question.arrays("query") | _asked(about, hashed).arrays("asked")


def _asked(about: dict[tuple[str, int], int], hashed: dict[str, int]) -> Postings:
    """Return the postings of tables by the words of several questions about them."""
    kept = [(hashed[term], table, count) for (term, table), count in about.items() if count >= ASKED_TWICE]
    counts = np.array([count for _, _, count in kept], dtype=np.float64)
    share = ASKED_SHARE * counts / (counts + ASKED_HALF)
    return build_postings(
        np.array([one for one, _, _ in kept], dtype=np.uint64),
        np.array([table for _, table, _ in kept], dtype=np.uint32),
        np.rint(share * WEIGHT_STEPS).astype(np.uint8),
    )


def definition_words(definitions: Sequence[Definition]) -> dict[str, Array]:
    """Return the postings of the terms that definitions define: a label for each term and synonym.

    A question that holds all words of a label, `label_size` many, mentions its definition, `label_definition`.
    """
    hashes: list[int] = []
    docs: list[int] = []
    sizes: list[int] = []
    owners: list[int] = []
    for number, definition in enumerate(definitions):
        for label in dict.fromkeys((definition.term, *definition.synonyms)):
            if found := question_words(label):
                hashes += [term_hash(term) for term in found]
                docs += [len(sizes)] * len(found)
                sizes.append(len(found))
                owners.append(number)
    everything = np.full(len(docs), WEIGHT_STEPS, dtype=np.uint8)
    postings = build_postings(np.array(hashes, dtype=np.uint64), np.array(docs, dtype=np.uint32), everything)
    return postings.arrays("label") | {
        "label_size": np.array(sizes, dtype=np.uint16),
        "label_definition": np.array(owners, dtype=np.uint32),
    }
