"""The encoder that comes with coderag: what it finds near, how it is loaded, and what damages it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coderag.encoders.encoder import Passage, quantised
from coderag.encoders.static import (
    CHECKSUM_NAME,
    MODEL_FOLDER,
    MODEL_NAME,
    PassageWords,
    StaticEncoder,
    shipped_encoder,
)
from coderag.errors import EncoderError
from coderag.index.workers.readers import read_chunks
from coderag.syntax.language import languages
from coderag.text.tokens import raw_words
from tests.workspace import SHOP

MOST_BYTES = 10_000_000
DIMENSIONS = 256
NEAR = 10  # of 300 definitions


def shop_passages() -> list[Passage]:
    """Return the definitions of the example application's Python and SQL."""
    found = []
    for path in sorted([*SHOP.glob("shop/**/*.py"), *SHOP.glob("schema/**/*.sql")]):
        language = languages()["python" if path.suffix == ".py" else "sql"]
        relative = path.relative_to(SHOP).as_posix()
        read = read_chunks(path.read_bytes(), language, path=relative)
        for draft in read.drafts:
            scope = draft.qualified_name.removesuffix(draft.name)
            found.append(Passage(draft.name, scope, relative, read.lines.text(draft.parts).decode()))
    return found


def rank(question: str, name: str) -> int:
    """Return the place of a definition of the example application among all, from 1."""
    passages = shop_passages()
    cosines = shipped_encoder().encode_passages(passages) @ shipped_encoder().encode_query(question)
    ordered = [passages[place].name for place in np.argsort(-cosines, kind="stable")]
    return ordered.index(name) + 1


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """Return a folder with a copy of the model."""
    return Path(shutil.copytree(MODEL_FOLDER, tmp_path / "model"))


def test_the_shipped_model_is_whole_and_small() -> None:
    encoder = StaticEncoder.load(verify=True)
    assert encoder.dimensions == encoder.identity.dimensions == DIMENSIONS
    assert encoder.identity.kind == "static"
    checksum = (MODEL_FOLDER / CHECKSUM_NAME).read_text()
    assert checksum.split() == [checksum.split()[0], MODEL_NAME]
    assert checksum.startswith(encoder.identity.revision)
    assert sum(path.stat().st_size for path in MODEL_FOLDER.iterdir()) < MOST_BYTES
    assert (MODEL_FOLDER / "MODEL_CARD.md").is_file()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("where are failed payments retried?", "retry_failed"),
        ("check that a discount code is still valid", "redeemable"),
        ("which customers are there, by e-mail address", "customers"),
        ("give a customer their money back", "give_back"),
        ("apply migrations to the database", "_apply"),
        ("Fix wrong result when prices are given as text", "parse"),
    ],
)
def test_what_is_meant_is_near_even_in_other_words(question: str, name: str) -> None:
    assert rank(question, name) <= NEAR


@pytest.mark.slow
def test_words_and_texts_give_the_same_vectors_alone_and_together() -> None:
    passages = shop_passages()
    encoder = StaticEncoder.load()
    together = encoder.encode_passages(passages)
    assert together.shape == (len(passages), DIMENSIONS)
    assert together.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)
    alone = np.concatenate([encoder.encode_passages([passage]) for passage in passages])
    np.testing.assert_allclose(together, alone, atol=1e-5)
    words = [
        PassageWords(*(raw_words(part.encode()) for part in (passage.name, passage.scope, passage.path, passage.text)))
        for passage in passages
    ]
    np.testing.assert_array_equal(StaticEncoder.load().encode_words(words), together)


@pytest.mark.slow
def test_int8_keeps_the_order_of_what_is_near() -> None:
    passages = shop_passages()
    exact = shipped_encoder().encode_passages(passages)
    short = quantised(exact).astype(np.float32)
    short /= np.linalg.norm(short, axis=1, keepdims=True)
    for question in ("refund an order", "send mail when it ships"):
        query = shipped_encoder().encode_query(question)
        np.testing.assert_allclose(short @ query, exact @ query, atol=0.01)


def test_without_words_there_is_nothing_to_place() -> None:
    encoder = shipped_encoder()
    assert encoder.encode_words([]).shape == (0, DIMENSIONS)
    assert not encoder.encode_words([PassageWords([], [], [], [])]).any()
    assert not encoder.encode_passages([Passage("", "", "", "\x00\x07 ~~ \u200b")]).any()
    mixed = encoder.encode_passages([Passage("", "", "", ""), Passage("retry", "", "", "")])
    assert not mixed[0].any()
    assert mixed[1].any()
    for nothing in ("", " \n", "?!", "\x00\x1b[31m"[:1]):
        assert not encoder.encode_query(nothing).any()


@pytest.mark.parametrize(
    "question", ["x " * 50_000, "retry " * 20_000, "支付 失败 重试", "повтор платежа", "a" * 100_000]
)
def test_odd_questions_are_answered(question: str) -> None:
    vector = shipped_encoder().encode_query(question)
    assert vector.shape == (DIMENSIONS,)
    assert np.isfinite(vector).all()
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5) or not vector.any()


@pytest.mark.slow
@given(st.text(max_size=300))
def test_any_text_has_a_vector_of_unit_length_or_none(text: str) -> None:
    encoder = shipped_encoder()
    for vector in (encoder.encode_query(text), encoder.encode_passages([Passage(text, text, text, text)])[0]):
        length = float(np.linalg.norm(vector))
        assert length == pytest.approx(1, abs=1e-4) or length == 0


def test_repetition_does_not_change_what_a_question_means() -> None:
    encoder = shipped_encoder()
    once, often = encoder.encode_query("retry payments"), encoder.encode_query("retry payments " * 50)
    np.testing.assert_allclose(once, often, atol=1e-5)


@pytest.mark.parametrize("name", [MODEL_NAME, CHECKSUM_NAME])
def test_a_missing_file_is_told(copied: Path, name: str) -> None:
    (copied / name).unlink()
    with pytest.raises(EncoderError, match="reinstall coderag"):
        StaticEncoder.load(copied)


@pytest.mark.parametrize("kept", [0, 4, 8, 300, 5_000, 500_000, -1])
def test_a_truncated_file_is_told(copied: Path, kept: int) -> None:
    model = copied / MODEL_NAME
    model.write_bytes(model.read_bytes()[:kept])
    with pytest.raises(EncoderError, match="is damaged"):
        StaticEncoder.load(copied)


def test_a_changed_byte_is_told_when_all_is_verified(copied: Path) -> None:
    model = copied / MODEL_NAME
    data = bytearray(model.read_bytes())
    data[len(data) // 2] ^= 1
    model.write_bytes(data)
    with pytest.raises(EncoderError, match="checksum"):
        StaticEncoder.load(copied, verify=True)


@pytest.mark.parametrize("text", ["", "nothing of the kind", "é"])
def test_a_checksum_that_is_none_is_told(copied: Path, text: str) -> None:
    (copied / CHECKSUM_NAME).write_text(text, encoding="utf-8")
    with pytest.raises(EncoderError, match="checksum"):
        StaticEncoder.load(copied)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"format": "999"}, "format 999"),
        ({"name": "much"}, "much"),
        ({"body_rows": None}, "int"),
    ],
)
def test_a_header_that_says_something_else_is_told(copied: Path, change: dict[str, object], told: str) -> None:
    model = copied / MODEL_NAME
    data = model.read_bytes()
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    header["__metadata__"] |= change
    changed = json.dumps(header).encode()
    model.write_bytes(len(changed).to_bytes(8, "little") + changed + data[8 + length :])
    with pytest.raises(EncoderError, match=told):
        StaticEncoder.load(copied)


def test_a_header_whose_tensors_do_not_fit_is_told(copied: Path) -> None:
    model = copied / MODEL_NAME
    data = model.read_bytes()
    length = int.from_bytes(data[:8], "little")
    for tensor, shape in (("rows", [1, DIMENSIONS]), ("scales", [7]), ("pieces", [-3])):
        header = json.loads(data[8 : 8 + length])
        header[tensor]["shape"] = shape
        changed = json.dumps(header).encode()
        model.write_bytes(len(changed).to_bytes(8, "little") + changed + data[8 + length :])
        with pytest.raises(EncoderError, match="is damaged"):
            StaticEncoder.load(copied)


def test_it_needs_numpy_and_nothing_heavier() -> None:
    program = (
        "import sys; from coderag.encoders.static import shipped_encoder; shipped_encoder().encode_query('retry'); "
        "print(*sorted({'tokenizers', 'torch', 'scipy', 'onnxruntime', 'transformers'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == ""
