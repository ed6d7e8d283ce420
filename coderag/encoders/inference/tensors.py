"""A safetensors file to arrays of numpy."""

from __future__ import annotations

import json
import math
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np

from coderag.encoders.encoder import Array
from coderag.errors import ModelError

__all__ = ["read_tensors"]

TYPES: dict[str, np.dtype[Any]] = {
    "F32": np.dtype("<f4"),
    "F16": np.dtype("<f2"),
    "F64": np.dtype("<f8"),
    "BF16": np.dtype("<u2"),
}
MAX_HEADER_BYTES = 100_000_000  # as the format's own library has it


def read_tensors(path: Path, names: Collection[str], *, error: type[ModelError]) -> dict[str, Array]:
    """Return the tensors of these names that a file has, as f32; the rest is not read.

    Format: https://github.com/huggingface/safetensors#format. Raises the error for a file that is truncated or none.
    """
    size = path.stat().st_size
    try:
        with path.open("rb") as file:
            length = int.from_bytes(file.read(8), "little")
            if length > min(size - 8, MAX_HEADER_BYTES):
                raise ValueError("its header is longer than the file")
            header = json.loads(file.read(length))
        return {name: _tensor(path, header[name], 8 + length) for name in sorted(names) if name in header}
    except (ValueError, KeyError, TypeError, RecursionError) as wrong:
        raise error(f"{path} is damaged or no safetensors file: {wrong}") from wrong


def _tensor(path: Path, entry: dict[str, Any], offset: int) -> Array:
    kind, shape = TYPES[entry["dtype"]], [int(size) for size in entry["shape"]]
    begin, end = entry["data_offsets"]
    if end - begin != math.prod(shape) * kind.itemsize or offset + end > path.stat().st_size:
        raise ValueError("a tensor ends elsewhere than its shape says, or beyond the file")
    numbers = np.fromfile(path, dtype=kind, count=math.prod(shape), offset=offset + begin).reshape(shape)
    if entry["dtype"] == "BF16":  # the upper half of an f32
        numbers = (numbers.astype(np.uint32) << 16).view(np.float32)
    tensor: Array = numbers.astype(np.float32)
    return tensor
