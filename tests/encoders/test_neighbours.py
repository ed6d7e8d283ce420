"""The words that are like a word."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from coderag.encoders.encoder import unit_rows
from coderag.encoders.neighbours import MOST, NAME, Neighbours, shipped_neighbours
from coderag.encoders.static import MODEL_FOLDER, shipped_encoder
from coderag.errors import EncoderError
from coderag.text.tokens import stem


@pytest.mark.parametrize(("word", "like"), [("delete", "remove"), ("retry", "attempt"), ("auth", "authentication")])
def test_words_of_a_sense_are_neighbours(word: str, like: str) -> None:
    assert like in dict(shipped_neighbours().of(word))


def test_they_are_the_nearest_rows_of_the_model() -> None:
    encoder = shipped_encoder()
    vectors = unit_rows(encoder.rows().astype(np.float32))
    for word in ("parse", "cookie", "render"):
        found = shipped_neighbours().of(word)
        assert 0 < len(found) <= MOST
        assert [likeness for _, likeness in found] == sorted((likeness for _, likeness in found), reverse=True)
        for other, likeness in found:
            exact = float(vectors[encoder.row_of(word)] @ vectors[encoder.row_of(other)])
            assert likeness == pytest.approx(exact, abs=0.003)
            assert stem(other) != stem(word)


def test_a_word_that_the_model_does_not_know_whole_has_none() -> None:
    assert shipped_neighbours().of("qzxwvjk") == []
    assert shipped_neighbours().of("") == []


def test_the_table_of_another_model_is_refused(tmp_path: Path) -> None:
    table = np.load(MODEL_FOLDER / NAME)
    table[-1]["row"] += 1
    np.save(tmp_path / NAME, table)
    with pytest.raises(EncoderError, match="another model"):
        Neighbours(shipped_encoder(), tmp_path)


def test_a_missing_or_broken_table_is_told(tmp_path: Path) -> None:
    with pytest.raises(EncoderError, match="cannot be read"):
        Neighbours(shipped_encoder(), tmp_path)
    shutil.copy(MODEL_FOLDER / NAME, tmp_path / NAME)
    path = tmp_path / NAME
    path.write_bytes(path.read_bytes()[:5000])
    with pytest.raises(EncoderError, match="cannot be read"):
        Neighbours(shipped_encoder(), tmp_path)
