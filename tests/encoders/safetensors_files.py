"""Safetensors files, written by hand."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from coderag.encoders.encoder import Array

__all__ = ["write_safetensors"]

NAMES = {"<f4": "F32", "<f2": "F16", "<f8": "F64"}


def write_safetensors(path: Path, tensors: Mapping[str, Array]) -> Path:
    """Write arrays of floats and return the path."""
    header: dict[str, object] = {"__metadata__": {"format": "np"}}
    data = b""
    for name, array in tensors.items():
        raw = array.tobytes()
        kind = NAMES[array.dtype.newbyteorder("<").str]
        header[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)
    return path
