"""Lines and tables that name an encoder."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from coderag.encoders.encoder import EncoderIdentity
from coderag.encoders.opening import open_encoder
from coderag.encoders.presets import encoder_presets, reranker_presets
from coderag.encoders.spec import (
    SHIPPED,
    WORDS_ONLY,
    EncoderSpec,
    encoder_of_settings,
    parse_encoder,
    pinned,
    with_preset,
)
from coderag.errors import EncoderError, SettingsError

LINES = {
    "static": SHIPPED,
    "none": WORDS_ONLY,
    "bge-small": EncoderSpec("transformers", "BAAI/bge-small-en-v1.5"),
    "BGE-Small?dimensions=128": EncoderSpec("transformers", "BAAI/bge-small-en-v1.5", dimensions=128),
    "hf:owner/name@v1.2": EncoderSpec("transformers", "owner/name", revision="v1.2"),
    "owner/name?pooling=cls": EncoderSpec("transformers", "owner/name", pooling="cls"),
    "hf:bge-small": EncoderSpec("transformers", "BAAI/bge-small-en-v1.5"),
    "hf:/models/mine?dtype=int8": EncoderSpec("transformers", "/models/mine", dtype="int8"),
    "onnx:/models/mine?preset=bge-small": EncoderSpec("onnx", "/models/mine", preset="bge-small"),
    "owner/name?query_prefix=Represent this: &passage_prefix=": EncoderSpec(
        "transformers", "owner/name", query_prefix="Represent this: ", passage_prefix=""
    ),
    "openai:text-embedding-3-small": EncoderSpec(
        "http", "text-embedding-3-small", url="https://api.openai.com/v1/embeddings"
    ),
    "http://localhost:8080/v1/embeddings#my/model?timeout=5&max_tokens=512": EncoderSpec(
        "http", "my/model", url="http://localhost:8080/v1/embeddings", timeout=5, max_tokens=512
    ),
    "https://host/embed?api-version=2024-10-21&dimensions=64": EncoderSpec(
        "http", url="https://host/embed?api-version=2024-10-21", dimensions=64
    ),
    "https://host/embed?api-version=1#m": EncoderSpec("http", "m", url="https://host/embed?api-version=1"),
    "owner/name?trust_remote_code=true": EncoderSpec("transformers", "owner/name", trust_remote_code=True),
}


@pytest.mark.parametrize("line", LINES)
def test_a_line_names_an_encoder(line: str) -> None:
    assert parse_encoder(line) == LINES[line]


@pytest.mark.parametrize("line", LINES)
def test_a_spec_comes_back_from_its_line_and_from_a_manifest(line: str) -> None:
    spec = parse_encoder(line)
    assert parse_encoder(str(spec)) == spec
    assert EncoderSpec.from_dict(spec.as_dict()) == spec


def test_what_a_user_says_is_trusted_and_what_a_file_says_is_not(tmp_path: Path) -> None:
    spec = parse_encoder("openai:text-embedding-3-small")
    assert spec.trusted
    assert not EncoderSpec.from_dict(spec.as_dict()).trusted
    assert not encoder_of_settings({"model": "openai:text-embedding-3-small"}, base=tmp_path).trusted


def test_a_folder_is_told_by_what_it_holds(tmp_path: Path) -> None:
    for name in (
        "a/model.onnx",
        "b/onnx/model_int8.onnx",
        "c/model.safetensors",
        "d/model.onnx",
        "d/pytorch_model.bin",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    kinds = {name: parse_encoder(f"./{name}", base=tmp_path).kind for name in "abcd"}
    assert kinds == {"a": "onnx", "b": "onnx", "c": "transformers", "d": "transformers"}
    assert parse_encoder("a", base=tmp_path) == EncoderSpec("onnx", str(tmp_path / "a"))
    assert parse_encoder("onnx:a", base=tmp_path).model == str(tmp_path / "a")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "no encoder is called ''"),
        ("bge-smal", "did you mean 'bge-small'"),
        ("hf:bert", "no id of the hub"),
        ("static?dimensions=3", "unknown option 'dimensions'"),
        ("bge-small?poolng=cls", "unknown option 'poolng'.*pooling"),
        ("bge-small?pooling=max", "pooling is 'max'; it must be one of mean, cls, last"),
        ("bge-small?dimensions=0", "whole number from 1 to"),
        ("bge-small?dimensions=-5", "whole number from 1 to"),
        ("bge-small?dtype=int4", "dtype is 'int4'"),
        ("bge-small?trust_remote_code=maybe", "must be true or false"),
        ("bge-small?preset=nonsense", "no preset is called 'nonsense'"),
        ("bge-small#x", 'only an address is followed by "#"'),
        ("ftp://host/path", "must be http://HOST/PATH"),
        ("http://", "must be http://HOST/PATH"),
        ("http://host:port/x", "not valid"),
        ("http://[::1/x", "not valid"),
        ("http://host/x?pooling=cls", "unknown option 'pooling'"),
    ],
)
def test_a_wrong_line_is_explained(line: str, message: str) -> None:
    with pytest.raises(EncoderError, match=message):
        parse_encoder(line)


@pytest.mark.parametrize("line", ["https://me:hunter2@host/v1#m", "https://host/v1?api_key=hunter2#m"])
def test_an_address_with_a_key_is_refused_without_showing_it(line: str) -> None:
    with pytest.raises(EncoderError, match="CODERAG_API_KEY") as caught:
        parse_encoder(line)
    assert "hunter2" not in str(caught.value)


def test_a_table_of_settings_names_an_encoder(tmp_path: Path) -> None:
    table = {"model": "onnx:models/mine", "pooling": "cls", "dimensions": 64, "query_prefix": "q: "}
    assert encoder_of_settings(table, base=tmp_path) == EncoderSpec(
        "onnx", str(tmp_path / "models/mine"), pooling="cls", dimensions=64, query_prefix="q: "
    )


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({}, "'model' must be a text"),
        ({"model": 3}, "'model' must be a text"),
        ({"model": "static", "pooling": "cls"}, "unknown option 'pooling'"),
        ({"model": "a/b", "pooling": 1}, "pooling must be a text"),
        ({"model": "a/b", "dimensions": True}, "whole number"),
    ],
)
def test_a_wrong_table_is_explained(table: dict[str, object], message: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=message):
        encoder_of_settings(table, base=tmp_path)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"kind": "quantum"}, "of kind 'quantum'"),
        ({}, "of kind None"),
        ({"kind": "onnx", "wings": 2}, "an option 'wings'"),
        ({"kind": "onnx", "pooling": "max"}, "pooling is 'max'"),
    ],
)
def test_a_manifest_of_another_version_is_explained(table: dict[str, object], message: str) -> None:
    with pytest.raises(EncoderError, match=message):
        EncoderSpec.from_dict(table)


def test_a_preset_fills_what_is_not_said() -> None:
    full, preset = with_preset(parse_encoder("bge-small"))
    assert preset is not None
    assert full.query_prefix == "Represent this sentence for searching relevant passages: "
    assert full.passage_prefix == ""
    own, _ = with_preset(parse_encoder("bge-small?query_prefix="))
    assert own.query_prefix == ""
    assert with_preset(parse_encoder("owner/name")) == (EncoderSpec("transformers", "owner/name"), None)


def test_presets_have_names_that_differ() -> None:
    names = [preset.name for preset in (*encoder_presets(), *reranker_presets())]
    assert len(names) == len(set(names))
    assert {preset.pooling for preset in encoder_presets()} <= {"mean", "cls", "last"}
    assert {preset.kind for preset in reranker_presets()} == {"cross", "colbert"}


def test_a_spec_is_pinned_to_what_was_found() -> None:
    identity = EncoderIdentity("transformers", "owner/name", revision="abc", dimensions=8)
    assert pinned(parse_encoder("owner/name"), identity).revision == "abc"
    assert pinned(parse_encoder("owner/name@v1"), identity).revision == "v1"
    assert pinned(parse_encoder("ollama:m"), EncoderIdentity("http", "m", dimensions=8)).dimensions == 8


def test_words_alone_are_no_encoder() -> None:
    with pytest.raises(EncoderError, match="by words alone"):
        open_encoder(WORDS_ONLY)


def test_code_of_a_model_needs_the_users_word() -> None:
    with pytest.raises(EncoderError, match="CODERAG_TRUST"):
        open_encoder(EncoderSpec("transformers", "owner/name", trust_remote_code=True))
    with pytest.raises(EncoderError, match="trust_remote_code=true"):
        open_encoder(parse_encoder("jina-code"))


@pytest.mark.parametrize(
    ("line", "library", "extra"),
    [("bge-small", "torch", "transformers"), ("onnx:.", "onnxruntime", "onnx"), ("onnx:.", "tokenizers", "onnx")],
)
def test_a_library_that_is_missing_is_named_with_its_extra(
    line: str, library: str, extra: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(EncoderError, match=rf"pip install '\.\[{extra}\]'"):
        open_encoder(parse_encoder(line, base=tmp_path))
