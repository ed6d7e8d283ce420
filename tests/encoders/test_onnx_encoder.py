"""ONNX folders: small models written here, run by onnxruntime."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from coderag.encoders.encoder import Array, Encoder, Passage
from coderag.encoders.opening import open_encoder
from coderag.encoders.spec import parse_encoder
from coderag.errors import EncoderError
from tests.encoders.onnx_files import WORDS, write_words_model
from tests.encoders.safetensors_files import write_safetensors

pytest.importorskip("onnxruntime")
pytest.importorskip("tokenizers")

RETRY = Passage("", "", "", "retry the payment")
PARSE = Passage("", "", "", "def parse")
TABLE = np.random.default_rng(7).normal(size=(len(WORDS), 8)).astype(np.float32)


def opened(folder: Path, options: str = "") -> Encoder:
    return open_encoder(parse_encoder(f"onnx:{folder}{options}"))


def rows_of(*words: str) -> Array:
    return TABLE[[WORDS.index(word) for word in words]]


def unit(vector: Array) -> Array:
    found: Array = vector / np.linalg.norm(vector)
    return found


def test_each_pooling_takes_the_tokens_that_it_says(tmp_path: Path) -> None:
    write_words_model(tmp_path, TABLE)
    tokens = rows_of("[CLS]", "retry", "the", "payment", "[SEP]")
    expected = {"mean": tokens.mean(axis=0), "cls": tokens[0], "last": tokens[-1]}
    for pooling, vector in expected.items():
        # The shorter passage is padded, which must change nothing.
        rows = opened(tmp_path, f"?pooling={pooling}").encode_passages([PARSE, RETRY])
        assert np.allclose(rows[1], unit(vector), atol=1e-6), pooling


def test_prefixes_go_before_questions_and_passages(tmp_path: Path) -> None:
    write_words_model(tmp_path, TABLE)
    encoder = opened(tmp_path, "?query_prefix=query: &passage_prefix=the ")
    question = rows_of("[CLS]", "query", ":", "retry", "[SEP]").mean(axis=0)
    passage = rows_of("[CLS]", "the", "def", "parse", "[SEP]").mean(axis=0)
    assert np.allclose(encoder.encode_query("retry"), unit(question), atol=1e-6)
    assert np.allclose(encoder.encode_passages([PARSE])[0], unit(passage), atol=1e-6)


def test_the_folder_says_how_vectors_are_made_and_the_line_is_right(tmp_path: Path) -> None:
    write_words_model(tmp_path, TABLE)
    pooling = {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False, "include_prompt": True}
    (tmp_path / "1_Pooling").mkdir()
    (tmp_path / "1_Pooling/config.json").write_text(json.dumps(pooling))
    prompts = {"prompts": {"query": "query: ", "document": "the "}}
    (tmp_path / "config_sentence_transformers.json").write_text(json.dumps(prompts))
    (tmp_path / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 4}))
    identity = opened(tmp_path).identity
    assert (identity.query_prefix, identity.passage_prefix) == ("query: ", "the ")
    assert identity.pooling == "cls of 4 tokens"
    assert opened(tmp_path, "?pooling=mean&query_prefix=&max_tokens=9").identity.pooling == "mean of 9 tokens"


def test_layers_on_top_are_applied(tmp_path: Path) -> None:
    write_words_model(tmp_path, TABLE)
    rng = np.random.default_rng(3)
    weight, bias = rng.normal(size=(5, 8)).astype(np.float32), rng.normal(size=5).astype(np.float32)
    steps = ["Transformer", "Pooling", "Dense", "Normalize"]
    paths = {"Pooling": "1_Pooling", "Dense": "2_Dense"}
    modules = [{"type": f"sentence_transformers.models.{step}", "path": paths.get(step, "")} for step in steps]
    (tmp_path / "modules.json").write_text(json.dumps(modules))
    (tmp_path / "2_Dense").mkdir()
    (tmp_path / "2_Dense/config.json").write_text(
        json.dumps({"activation_function": "torch.nn.modules.activation.Tanh"})
    )
    write_safetensors(tmp_path / "2_Dense/model.safetensors", {"linear.weight": weight, "linear.bias": bias})
    pooled = rows_of("[CLS]", "def", "parse", "[SEP]").mean(axis=0)
    encoder = opened(tmp_path)
    assert encoder.identity.dimensions == 5
    assert np.allclose(encoder.encode_passages([PARSE])[0], unit(np.tanh(pooled @ weight.T + bias)), atol=1e-5)


def test_vectors_that_the_model_pools_itself_are_taken(tmp_path: Path) -> None:
    write_words_model(tmp_path, TABLE, kind="sum")
    total = rows_of("[CLS]", "def", "parse", "[SEP]").sum(axis=0)
    encoder = opened(tmp_path)
    assert np.allclose(encoder.encode_passages([PARSE])[0], unit(total), atol=1e-6)
    assert encoder.identity.pooling == "its own of 64 tokens"


def test_vectors_are_cut_and_of_unit_length(tmp_path: Path) -> None:
    write_words_model(tmp_path, TABLE)
    whole, cut = opened(tmp_path), opened(tmp_path, "?dimensions=3")
    assert cut.identity.dimensions == 3
    assert np.allclose(cut.encode_query("retry"), unit(whole.encode_query("retry")[:3]), atol=1e-6)
    with pytest.raises(EncoderError, match="vectors of 8 numbers; 9 were asked for"):
        opened(tmp_path, "?dimensions=9")


def test_no_text_is_a_row_of_zeros(tmp_path: Path) -> None:
    write_words_model(tmp_path, TABLE)
    encoder = opened(tmp_path)
    rows = encoder.encode_passages([RETRY, Passage("", "a", "b.py", " \n"), PARSE])
    assert np.allclose(np.linalg.norm(rows, axis=1), [1, 0, 1], atol=1e-6)
    assert not encoder.encode_query("").any()
    assert encoder.encode_passages([]).shape == (0, 8)


def test_any_text_can_be_asked(tmp_path: Path) -> None:
    write_words_model(tmp_path, TABLE)
    encoder = opened(tmp_path)
    for text in ("x" * 100_000, "retry " * 20_000, "\x00\x1b\ud800", "支払いを再試行する", "🙂"):
        assert np.isclose(np.linalg.norm(encoder.encode_query(text)), 1) or not text.strip("\x00\x1b\ud800")


def test_many_passages_keep_their_order(tmp_path: Path) -> None:
    write_words_model(tmp_path, TABLE)
    encoder = opened(tmp_path)
    passages = [Passage("", "", "", " ".join(WORDS[5 + (n + m) % 6] for m in range(n % 40 + 1))) for n in range(300)]
    alone = np.stack([encoder.encode_passages([passage])[0] for passage in passages[::37]])
    assert np.allclose(encoder.encode_passages(passages)[::37], alone, atol=1e-6)


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        ("model.onnx", ""),
        ("onnx/model.onnx", "float32"),
        ("onnx/model_quantized.onnx", "int8"),
        ("model_int8.onnx", "int8"),
        ("onnx/model_int8.onnx", ""),
        ("onnx/model_fp16.onnx", "float16"),
        ("exported.onnx", ""),
    ],
)
def test_the_file_is_found_by_its_usual_names(name: str, dtype: str, tmp_path: Path) -> None:
    write_words_model(tmp_path / name.rpartition("/")[0], TABLE, name=name.rpartition("/")[2])
    if "/" in name:
        (tmp_path / "onnx/tokenizer.json").rename(tmp_path / "tokenizer.json")
    assert opened(tmp_path, f"?dtype={dtype}" if dtype else "").identity.dimensions == 8


def test_the_identity_is_the_folders_content_wherever_it_lies(tmp_path: Path) -> None:
    first = opened(write_words_model(tmp_path / "a/mini", TABLE)).identity
    same = opened(write_words_model(tmp_path / "b/mini", TABLE)).identity
    other = opened(write_words_model(tmp_path / "c/mini", TABLE + 1)).identity
    assert first == same
    assert first.key != other.key
    assert first.model == "mini"


def test_a_model_that_overflows_is_an_error(tmp_path: Path) -> None:
    table = TABLE.copy()
    table[WORDS.index("payment")] = np.nan
    encoder = opened(write_words_model(tmp_path, table))
    assert encoder.encode_query("parse").any()
    with pytest.raises(EncoderError, match=r"NaN or infinity.*dtype=bfloat16"):
        encoder.encode_query("payment")


def damaged(folder: Path, message: str, options: str = "") -> None:
    with pytest.raises(EncoderError, match=message):
        opened(folder, options)


def test_what_is_missing_or_damaged_is_said(tmp_path: Path) -> None:
    damaged(tmp_path / "nowhere", "there is no folder")
    damaged(tmp_path, "has no tokenizer.json")
    write_words_model(tmp_path, TABLE)
    damaged(tmp_path, "dtype=int8: model_int8.onnx", "?dtype=int8")
    damaged(tmp_path, "reads 64 tokens at most", "?max_tokens=65")
    data = (tmp_path / "model.onnx").read_bytes()
    for broken in (b"", data[:50], data[: len(data) // 2], b"garbage" * 100):
        (tmp_path / "model.onnx").write_bytes(broken)
        damaged(tmp_path, "cannot be loaded")
    (tmp_path / "model.onnx").unlink()
    damaged(tmp_path, "has no ONNX file; looked for: model.onnx")
    (tmp_path / "tokenizer.json").write_text("{}")
    damaged(tmp_path, "tokenizer.json is damaged")


def test_a_folder_with_wrong_notes_is_an_error(tmp_path: Path) -> None:
    write_words_model(tmp_path, TABLE)
    (tmp_path / "modules.json").write_text(json.dumps([{"type": "sentence_transformers.models.LSTM", "path": "1_L"}]))
    damaged(tmp_path, "a step 'LSTM'")
    (tmp_path / "modules.json").write_text("[")
    damaged(tmp_path, "modules.json is no valid JSON")
    (tmp_path / "modules.json").unlink()
    (tmp_path / "1_Pooling").mkdir()
    (tmp_path / "1_Pooling/config.json").write_text(json.dumps({"pooling_mode_weightedmean_tokens": True}))
    damaged(tmp_path, "pools by weightedmean_tokens")
    (tmp_path / "1_Pooling/config.json").write_text("{}")
    (tmp_path / "tokenizer_config.json").write_text("nonsense")
    damaged(tmp_path, "tokenizer_config.json is no valid JSON")


def test_a_table_with_a_word_too_few_is_an_error(tmp_path: Path) -> None:
    encoder = opened(write_words_model(tmp_path, TABLE[:-1]))
    with pytest.raises(EncoderError, match="cannot be run"):
        encoder.encode_query("retry .")
