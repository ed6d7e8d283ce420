"""Small ONNX models with tokenizers, written by hand: a table of vectors, one for each word."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from coderag.encoders.encoder import Array

__all__ = ["WORDS", "write_tokenizer", "write_words_model"]

WORDS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "retry", "payment", "parse", "def", "the", "query", ":", ".")
FLOAT, INT64 = 1, 7
LENGTH_DELIMITED = 2


def write_words_model(folder: Path, table: Array, *, kind: str = "tokens", name: str = "model.onnx") -> Path:
    """Write a model whose tokens' vectors are the rows of a table, f32[words, width].

    `tokens` gives them as they are, `sum` their sum as a sentence's vector, `logits` their sum as a classifier's.
    """
    output = {"tokens": "last_hidden_state", "sum": "sentence_embedding", "logits": "logits"}[kind]
    nodes = [_node("Gather", ["table", "input_ids"], output if kind == "tokens" else "rows")]
    tensors = [_tensor("table", table.astype("<f4"), FLOAT)]
    if kind != "tokens":
        nodes.append(_node("ReduceSum", ["rows", "axes"], output, {"keepdims": 0}))
        tensors.append(_tensor("axes", np.array([1], dtype="<i8"), INT64))
    shape = ["batch", "length", table.shape[1]] if kind == "tokens" else ["batch", table.shape[1]]
    graph = b"".join(
        [
            *(_bytes(1, node) for node in nodes),
            _bytes(2, b"words"),
            *(_bytes(5, tensor) for tensor in tensors),
            _bytes(11, _value("input_ids", INT64, ["batch", "length"])),
            _bytes(12, _value(output, FLOAT, shape)),
        ]
    )
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(_number(1, 8) + _bytes(7, graph) + _bytes(8, _bytes(1, b"") + _number(2, 13)))
    return write_tokenizer(folder)


def write_tokenizer(folder: Path, words: Sequence[str] = WORDS) -> Path:
    """Write a tokenizer of whole words, with [CLS] before and [SEP] after a text."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    tokenizer = Tokenizer(models.WordLevel({word: place for place, word in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(
        ("[SEP]", words.index("[SEP]")), ("[CLS]", words.index("[CLS]"))
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps({"model_max_length": 64}))
    return folder


def _varint(value: int) -> bytes:
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*found, value])


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _bytes(field: int, value: bytes) -> bytes:
    return _varint(field << 3 | LENGTH_DELIMITED) + _varint(len(value)) + value


def _node(kind: str, inputs: Sequence[str], output: str, attributes: dict[str, int] | None = None) -> bytes:
    told = [_bytes(1, name.encode()) + _number(3, value) + _number(20, 2) for name, value in (attributes or {}).items()]
    named = [_bytes(1, one.encode()) for one in inputs]
    return b"".join([*named, _bytes(2, output.encode()), _bytes(4, kind.encode()), *(_bytes(5, one) for one in told)])


def _tensor(name: str, array: Array, kind: int) -> bytes:
    sizes = b"".join(_number(1, size) for size in array.shape)
    return sizes + _number(2, kind) + _bytes(8, name.encode()) + _bytes(9, array.tobytes())


def _value(name: str, kind: int, shape: Sequence[Any]) -> bytes:
    sizes = [_number(1, size) if isinstance(size, int) else _bytes(2, size.encode()) for size in shape]
    tensor = _number(1, kind) + _bytes(2, b"".join(_bytes(1, size) for size in sizes))
    return _bytes(1, name.encode()) + _bytes(2, _bytes(1, tensor))
