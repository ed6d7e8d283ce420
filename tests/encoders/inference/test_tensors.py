"""Safetensors files, whole and damaged."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from coderag.encoders.inference.tensors import read_tensors
from coderag.errors import EncoderError
from tests.encoders.safetensors_files import write_safetensors

ROWS = np.arange(6, dtype=np.float32).reshape(2, 3) / 4


def test_the_tensors_that_are_asked_for_are_read(tmp_path: Path) -> None:
    path = write_safetensors(tmp_path / "m", {"a": ROWS, "b": ROWS.astype(np.float16) + 1, "c": ROWS})
    found = read_tensors(path, {"a", "b", "missing"}, error=EncoderError)
    assert found.keys() == {"a", "b"}
    assert np.array_equal(found["a"], ROWS)
    assert np.array_equal(found["b"], ROWS + 1)
    assert found["b"].dtype == np.float32


def test_bfloat16_is_read(tmp_path: Path) -> None:
    path = write_safetensors(tmp_path / "m", {"a": ROWS})
    data = path.read_bytes()
    upper = ROWS.view(np.uint32) >> 16
    header = data[8:].partition(b"}}")[0].replace(b'"F32"', b'"BF16"').replace(b"[0, 24]", b"[0, 12]") + b"}}"
    path.write_bytes(len(header).to_bytes(8, "little") + header + upper.astype("<u2").tobytes())
    assert np.array_equal(read_tensors(path, {"a"}, error=EncoderError)["a"], ROWS)


@pytest.mark.parametrize("cut", [0, 4, 20, -1])
def test_a_truncated_file_is_an_error(cut: int, tmp_path: Path) -> None:
    path = write_safetensors(tmp_path / "m", {"a": ROWS})
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(EncoderError, match="damaged or no safetensors file"):
        read_tensors(path, {"a"}, error=EncoderError)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"F32", b"I32"),
        (b"[2, 3]", b"[3, 3]"),
        (b"[0, 24]", b"[9, 33]"),
        (b"[0, 24]", b"[0,'x']"),
        (b"[2, 3]", b"[2,-3]"),
    ],
)
def test_a_header_that_lies_is_an_error(old: bytes, new: bytes, tmp_path: Path) -> None:
    path = write_safetensors(tmp_path / "m", {"a": ROWS})
    path.write_bytes(path.read_bytes().replace(old, new))
    with pytest.raises(EncoderError, match="damaged or no safetensors file"):
        read_tensors(path, {"a"}, error=EncoderError)
