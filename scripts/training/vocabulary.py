"""Texts to the words and pieces of words that a table has rows for."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain

from coderag.encoders.pieces import MAX_PIECE
from coderag.text.tokens import MAX_WORD, raw_words, split_identifier, words
from scripts.training.pairs import Pair

__all__ = ["find_pieces"]

SIZE = 32_000
SAMPLE = 350_000  # pairs that are counted
MIN_COUNT = 3
QUESTION_WEIGHT = 2  # a word of a question counts as often as two of a text
EVENED = 0.75  # the power of a word's count that the trainer sees, so that rare words get rows too
MAX_SEEN = 3_000
ALPHABET = 150
MAX_TEXT = 1_500  # characters


def find_pieces(pairs: Sequence[Pair]) -> list[str]:
    """Return the pieces in the order of their code points; `tokenizers` finds them (WordPiece)."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    unknown = "[UNK]"
    tokenizer = Tokenizer(models.WordPiece(unk_token=unknown))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    trainer = trainers.WordPieceTrainer(
        vocab_size=SIZE + 1, min_frequency=2, limit_alphabet=ALPHABET, special_tokens=[unknown], show_progress=False
    )
    tokenizer.train_from_iterator(_weighted(_counted(pairs)), trainer)
    return sorted(set(tokenizer.get_vocab()) - {unknown})


def _counted(pairs: Sequence[Pair]) -> Counter[str]:
    sample = pairs if len(pairs) <= SAMPLE else random.Random(0).sample(pairs, SAMPLE)
    raw: Counter[bytes] = Counter()
    for pair in sample:
        record = pair.record
        question = raw_words(f"{record.summary} {record.rest}".encode("utf-8", "replace"))
        text = f"{record.name} {record.scope} {record.path} {record.text[:MAX_TEXT]}"
        raw.update(chain(question * QUESTION_WEIGHT, raw_words(text.encode("utf-8", "replace"))))
    counts: Counter[str] = Counter()
    for one, count in raw.items():
        if len(one) <= MAX_WORD:
            for word in [one.decode()] if one.isascii() else words(one.decode("utf-8", "replace")):
                for part in split_identifier(word):
                    counts[part] += count
    return counts


def _weighted(counts: Counter[str]) -> Iterator[str]:
    """Yield each word as often as the trainer should see it, in one text."""
    for word, count in sorted(counts.items()):
        if count >= MIN_COUNT and len(word) <= MAX_PIECE:
            yield " ".join([word] * min(int(count**EVENED) + 1, MAX_SEEN))
