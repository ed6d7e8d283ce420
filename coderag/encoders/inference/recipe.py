"""What lies beside a model, to how its vectors are made: pooling, prefixes, length, and layers on top.

The files are those of sentence-transformers: modules.json, 1_Pooling/config.json, config_sentence_transformers.json,
sentence_bert_config.json and the Dense layers.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from coderag.encoders.encoder import Array
from coderag.encoders.inference.tensors import read_tensors
from coderag.errors import EncoderError

__all__ = ["Dense", "Recipe", "apply_dense", "json_beside", "read_recipe"]

POOLINGS = {"cls_token": "cls", "cls": "cls", "mean_tokens": "mean", "mean": "mean", "lasttoken": "last"}
WITHOUT_WEIGHTS = frozenset({"Transformer", "Pooling", "Normalize", "Dropout"})
ACTIVATIONS: Mapping[str, Callable[[Array], Array]] = {
    "Identity": lambda found: found,
    "Tanh": np.tanh,
    "ReLU": lambda found: np.maximum(found, 0),
}
PASSAGE_PROMPTS = ("document", "passage", "corpus")

Find = Callable[[str], Path | None]  # a file beside the model by its name


@dataclass(frozen=True, slots=True)
class Dense:
    """A layer that a pooled vector goes through."""

    weight: Array  # f32[out, in]
    bias: Array | None  # f32[out]
    activation: str


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a model's vectors are made, as far as its folder says."""

    pooling: str = ""
    query_prefix: str = ""
    passage_prefix: str = ""
    max_tokens: int = 0
    dense: tuple[Dense, ...] = ()


def read_recipe(find: Find) -> Recipe:
    """Return what a model's folder says; raises EncoderError for a step that coderag cannot do."""
    modules = json_beside(find, "modules.json")
    steps = [(str(module.get("type")).rpartition(".")[2], str(module.get("path"))) for module in modules]
    if unknown := [kind for kind, _ in steps if kind not in WITHOUT_WEIGHTS | {"Dense"}]:
        raise EncoderError(f"the model has a step {unknown[0]!r} after its transformer, which coderag cannot do")
    pooling = next((path for kind, path in steps if kind == "Pooling"), "1_Pooling")
    prompts = json_beside(find, "config_sentence_transformers.json").get("prompts") or {}
    return Recipe(
        _pooling(json_beside(find, f"{pooling}/config.json")),
        str(prompts.get("query") or ""),
        next((str(prompts[name]) for name in PASSAGE_PROMPTS if prompts.get(name)), ""),
        int(json_beside(find, "sentence_bert_config.json").get("max_seq_length") or 0),
        tuple(_dense(find, path) for kind, path in steps if kind == "Dense"),
    )


def json_beside(find: Find, name: str) -> Any:
    """Return what a JSON file beside a model says, {} if there is none; raises EncoderError for an invalid one."""
    path = find(name)
    if path is None:
        return {}
    try:
        return json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise EncoderError(f"{path} is no valid JSON: {error}") from error


def apply_dense(vectors: Array, layers: tuple[Dense, ...]) -> Array:
    """Return pooled vectors after the layers on top, f32[n, width of the last]."""
    for layer in layers:
        vectors = vectors @ layer.weight.T + (0 if layer.bias is None else layer.bias)
        vectors = ACTIVATIONS[layer.activation](vectors)
    return vectors


def _pooling(config: Mapping[str, Any]) -> str:
    modes = {name.removeprefix("pooling_mode_") for name, value in config.items() if value is True} - {"include_prompt"}
    if isinstance(config.get("pooling_mode"), str):
        modes = {config["pooling_mode"]}
    if not modes:
        return ""
    if len(modes) > 1 or not modes <= POOLINGS.keys():
        raise EncoderError(
            f"the model pools by {' and '.join(sorted(modes))}, which coderag cannot do; known are mean, cls and last"
        )
    return POOLINGS[modes.pop()]


def _dense(find: Find, path: str) -> Dense:
    config = json_beside(find, f"{path}/config.json")
    activation = str(config.get("activation_function", "Tanh")).rpartition(".")[2]
    weights = find(f"{path}/model.safetensors")
    if weights is None or activation not in ACTIVATIONS:
        raise EncoderError(f"the model's layer {path} has no model.safetensors, or an activation that coderag lacks")
    tensors = read_tensors(weights, {"linear.weight", "linear.bias"}, error=EncoderError)
    if "linear.weight" not in tensors:
        raise EncoderError(f"{weights} has no tensor 'linear.weight'")
    return Dense(tensors["linear.weight"], tensors.get("linear.bias"), activation)
