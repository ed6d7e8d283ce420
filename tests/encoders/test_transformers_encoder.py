"""A small BERT with random weights, run by transformers, against what torch computes of it directly."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from coderag.encoders.encoder import Array, Encoder, Passage
from coderag.encoders.opening import open_encoder
from coderag.encoders.spec import parse_encoder
from coderag.errors import EncoderError

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

WORDS = "[PAD] [UNK] [CLS] [SEP] [MASK] retry the payment parse def money return ( ) : query".split()
RETRY = Passage("", "", "", "def retry ( ) : return the payment")
PARSE = Passage("", "", "", "parse money")
WIDTH = 32


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models") / "mini-bert"
    folder.mkdir()
    (folder / "vocab.txt").write_text("\n".join(WORDS))
    tokenizer = transformers.BertTokenizerFast(vocab=str(folder / "vocab.txt"), model_max_length=48)
    if tokenizer.vocab_size != len(WORDS):  # older versions name the parameter otherwise
        tokenizer = transformers.BertTokenizerFast(str(folder / "vocab.txt"), model_max_length=48)
    tokenizer.save_pretrained(folder)
    torch.manual_seed(5)
    config = transformers.BertConfig(
        vocab_size=len(WORDS),
        hidden_size=WIDTH,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=64,
        initializer_range=0.5,
    )
    transformers.BertModel(config).save_pretrained(folder)
    return folder


def opened(folder: Path, options: str = "") -> Encoder:
    return open_encoder(parse_encoder(f"hf:{folder}?device=cpu{options}"))


def tokens_of(folder: Path, text: str) -> Any:
    """Return what the library itself gives for one text, f32[tokens, width]."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModel.from_pretrained(folder).eval()
    with torch.inference_mode():
        return model(**tokenizer(text, return_tensors="pt")).last_hidden_state[0].numpy()


def unit(vector: Array) -> Array:
    found: Array = vector / np.linalg.norm(vector)
    return found


def test_each_pooling_takes_the_tokens_that_it_says(folder: Path) -> None:
    tokens = tokens_of(folder, PARSE.text)
    expected = {"mean": tokens.mean(axis=0), "cls": tokens[0], "last": tokens[-1]}
    for pooling, vector in expected.items():
        # Beside a longer passage it is padded, which must change nothing.
        rows = opened(folder, f"&pooling={pooling}").encode_passages([PARSE, RETRY])
        assert np.allclose(rows[0], unit(vector), atol=1e-5), pooling


def test_prefixes_and_the_identity(folder: Path) -> None:
    encoder = opened(folder, "&query_prefix=query : &passage_prefix=the ")
    assert np.allclose(encoder.encode_query("money"), unit(tokens_of(folder, "query : money").mean(axis=0)), atol=1e-5)
    row = encoder.encode_passages([PARSE])[0]
    assert np.allclose(row, unit(tokens_of(folder, "the parse money").mean(axis=0)), atol=1e-5)
    identity = encoder.identity
    assert (identity.kind, identity.model, identity.dimensions) == ("transformers", "mini-bert", WIDTH)
    assert identity.pooling == "mean of 48 tokens"
    assert identity.revision
    assert identity == opened(folder, "&query_prefix=query : &passage_prefix=the ").identity


def test_the_folder_says_how_vectors_are_made(folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "mini-bert"
    shutil.copytree(folder, copy)
    (copy / "1_Pooling").mkdir()
    (copy / "1_Pooling/config.json").write_text(json.dumps({"pooling_mode": "lasttoken"}))
    (copy / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 20}))
    encoder = opened(copy)
    assert encoder.identity.pooling == "last of 20 tokens"
    assert encoder.identity.key != opened(folder).identity.key
    assert np.allclose(encoder.encode_query("parse"), unit(tokens_of(folder, "parse")[-1]), atol=1e-5)


def test_half_precision_and_int8_come_close(folder: Path) -> None:
    whole = opened(folder).encode_passages([RETRY, PARSE])
    for dtype, least in (("float16", 0.999), ("bfloat16", 0.99), ("int8", 0.9)):
        encoder = opened(folder, f"&dtype={dtype}")
        rows = encoder.encode_passages([RETRY, PARSE])
        assert rows.dtype == np.float32
        assert ((rows * whole).sum(axis=1) > least).all(), dtype
        assert (encoder.identity == opened(folder).identity) == (dtype != "int8")
        assert np.allclose(encoder.encode_passages([PARSE])[0], rows[1], atol=1e-6 if dtype == "int8" else 1e-2)


def test_vectors_are_cut_and_of_unit_length(folder: Path) -> None:
    row = opened(folder, "&dimensions=8").encode_query("retry")
    assert row.shape == (8,)
    assert np.allclose(row, unit(opened(folder).encode_query("retry")[:8]), atol=1e-6)


def test_any_text_can_be_encoded(folder: Path) -> None:
    encoder = opened(folder)
    texts = ["retry " * 20_000, "x" * 100_000, "a\x00\ud800b", "支払い 🙂"]
    rows = encoder.encode_passages([Passage("", "", "", text) for text in [*texts, " "]])
    assert np.allclose(np.linalg.norm(rows, axis=1), [1, 1, 1, 1, 0], atol=1e-5)
    assert not encoder.encode_query("\n").any()
    assert encoder.encode_passages([]).shape == (0, WIDTH)


def refused(folder: Path | str, message: str, options: str = "") -> None:
    with pytest.raises(EncoderError, match=message):
        open_encoder(parse_encoder(f"hf:{folder}?device=cpu{options}"))


def test_what_cannot_be_loaded_is_said(folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "mini-bert"
    shutil.copytree(folder, copy)
    refused(tmp_path / "nowhere", "there is no folder")
    refused(folder, "reads 48 tokens at most", "&max_tokens=100")
    weights = (copy / "model.safetensors").read_bytes()
    for broken in (b"", weights[:1000], weights[:-1000], b"x" * 5000):
        (copy / "model.safetensors").write_bytes(broken)
        refused(copy, "mini-bert cannot be loaded")
    (copy / "model.safetensors").unlink()
    refused(copy, "mini-bert cannot be loaded")
    (copy / "config.json").write_text("{}")
    refused(copy, "mini-bert cannot be loaded")
    refused(tmp_path, "cannot be loaded")


def test_weights_of_another_model_are_refused(folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "mini-bert"
    shutil.copytree(folder, copy)
    config = json.loads((copy / "config.json").read_text())
    (copy / "config.json").write_text(json.dumps(config | {"num_hidden_layers": 3}))
    refused(copy, r"weights lack \d+ tensors")


def test_a_device_that_is_not_there_is_said(folder: Path) -> None:
    with pytest.raises(EncoderError, match="device=submarine cannot be used here; there are cpu"):
        open_encoder(parse_encoder(f"hf:{folder}?device=submarine"))


def test_a_folder_here_is_not_taken_for_a_model_of_the_hub(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(folder, tmp_path / "BAAI/bge-small-en-v1.5")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(EncoderError, match=r"write \./BAAI/bge-small-en-v1\.5 if it is meant"):
        open_encoder(parse_encoder("bge-small"))


def test_code_of_a_folder_is_not_run(folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "evil"
    shutil.copytree(folder, copy)
    config = json.loads((copy / "config.json").read_text())
    config |= {"model_type": "evil", "auto_map": {"AutoConfig": "evil.Config", "AutoModel": "evil.Model"}}
    (copy / "config.json").write_text(json.dumps(config))
    (copy / "evil.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\nclass Config: ...\nclass Model: ...\n")
    refused(copy, "contains custom code.*add .trust_remote_code=true")
    assert not (tmp_path / "ran").exists()


def test_the_hub_is_not_asked_when_that_is_switched_off(tmp_path: Path) -> None:
    imports = "from coderag.encoders.opening import open_encoder; from coderag.encoders.spec import parse_encoder"
    script = f"{imports}; open_encoder(parse_encoder('hf:owner/no-such-model'))"
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=False)
    assert "EncoderError: owner/no-such-model cannot be loaded" in done.stderr
