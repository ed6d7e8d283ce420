"""A trained table to the files of a model, as `StaticEncoder.load` reads them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import numpy as np

from coderag.encoders.static import CHECKSUM_NAME, FORMAT, MODEL_NAME, TENSORS, FieldWeights
from scripts.training.contrast import Table

__all__ = ["write_model"]

LARGEST = 127  # of an int8
ALMOST_NOTHING = 1e-9
ALIGNED = 8  # bytes, so that tensors can be used where they lie
NAME = "coderag-static"


def write_model(table: Table, pieces: Sequence[str], weights: FieldWeights, *, folder: Path) -> int:
    """Write the model with rows of int8, and its checksum, and return its size in bytes."""
    text = "\n".join(pieces).encode()
    ends = np.cumsum([len(piece.encode()) + 1 for piece in pieces]) - 1
    scales = np.maximum(np.abs(table.rows).max(axis=1) / LARGEST, ALMOST_NOTHING)
    tensors = {
        "ends": ends.astype("<u4"),
        "scales": scales.astype("<f4"),
        "query_scales": (scales * table.scales).astype("<f4"),
        "rows": np.rint(table.rows / scales[:, None]).astype(np.int8),
        "pieces": np.frombuffer(text, dtype=np.uint8),
    }
    told = {
        "format": FORMAT, "model": NAME, "name": str(weights.name), "scope": str(weights.scope),
        "path": str(weights.path), "body_rows": str(weights.body_rows),
    }  # fmt: skip
    header: dict[str, object] = {"__metadata__": told}
    at = 0
    for name, tensor in tensors.items():
        header[name] = {
            "dtype": TENSORS[name], "shape": list(tensor.shape), "data_offsets": [at, at + tensor.nbytes],
        }  # fmt: skip
        at += tensor.nbytes
    head = json.dumps(header).encode()
    head += b" " * (-len(head) % ALIGNED)
    data = len(head).to_bytes(8, "little") + head + b"".join(tensor.tobytes() for tensor in tensors.values())
    folder.mkdir(parents=True, exist_ok=True)
    (folder / MODEL_NAME).write_bytes(data)
    (folder / CHECKSUM_NAME).write_text(f"{sha256(data).hexdigest()}  {MODEL_NAME}\n", encoding="ascii")
    return len(data)
