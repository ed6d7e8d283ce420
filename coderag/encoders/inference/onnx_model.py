"""A folder with an ONNX file and a tokenizer, run by onnxruntime."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from coderag.encoders.encoder import Array
from coderag.encoders.inference.token_models import (
    CHARACTERS_PER_TOKEN,
    ModelSource,
    Tokens,
    folder_fingerprint,
    padded,
)
from coderag.extras import Extra, how_to_install

__all__ = ["OnnxModel"]

PLACES = ("", "onnx/")
WHOLE = ("model.onnx", "model_fp32.onnx", "model_fp16.onnx")
QUANTISED = ("model_int8.onnx", "model_quantized.onnx", "model_qint8_avx512_vnni.onnx", "model_uint8.onnx")
NAMES = {  # which files are tried, in order, for a dtype that is asked for
    "": (*WHOLE, *QUANTISED),
    "float32": WHOLE[:2],
    "float16": WHOLE[2:],
    "bfloat16": ("model_bf16.onnx",),
    "int8": QUANTISED,
}
USUAL_MAX_TOKENS = 512
UNLIMITED = 1_000_000  # tokenizers that know no limit write 1e30
GPU_TOKENS = 65_536
FATAL_ONLY = 4  # of onnxruntime's levels of severity: errors are raised as well
RANK_OF_TOKENS = 3  # [batch, tokens, width]


class OnnxModel:
    """A transformer in ONNX, as exporters of encoders, cross-encoders and ColBERT models write it."""

    def __init__(self, source: ModelSource) -> None:
        """Open the folder `source.model`; raises its error for one that lacks a file or holds a damaged one."""
        self.source = source
        self._folder = Path(source.model)
        if not self._folder.is_dir():
            raise source.error(f"there is no folder {self._folder}")
        try:
            import onnxruntime
            import tokenizers
        except ImportError as error:
            advice = how_to_install(Extra.ONNX)
            raise source.error(f"{self._folder} needs onnxruntime and tokenizers; {advice}") from error
        self._tokenizer = self._open_tokenizer(tokenizers)
        self._session = self._open_session(onnxruntime, self._weights())
        self._inputs = {one.name: one.type for one in self._session.get_inputs()}
        self._outputs = {output.name: len(output.shape) for output in self._session.get_outputs()}
        known = {"input_ids", "attention_mask", "token_type_ids", "position_ids"}
        if unknown := sorted(self._inputs.keys() - known):
            raise source.error(f"{self._folder}: the model wants an input {unknown[0]!r}, which coderag does not have")

    @cached_property
    def revision(self) -> str:
        """A fingerprint of the folder."""
        return folder_fingerprint(self._folder)

    @property
    def batch_tokens(self) -> int:
        """How many tokens are best run together.

        On a processor one text at a time is as fast as several (bge-small int8: 53 texts a second either way), and a
        quantised model, which scales by what is in the batch, gives a text the same vector whatever it is run with.
        """
        return GPU_TOKENS if "CUDAExecutionProvider" in self._session.get_providers() else 1

    @cached_property
    def max_tokens(self) -> int:
        """How many tokens the model was made to read."""
        stated = self._json("tokenizer_config.json").get("model_max_length")
        if isinstance(stated, int) and 0 < stated < UNLIMITED:
            return stated
        positions = self._json("config.json").get("max_position_embeddings")
        return positions if isinstance(positions, int) and positions > 0 else USUAL_MAX_TOKENS

    @property
    def gives_vectors(self) -> bool:
        """Whether the model pools by itself: then its vectors are taken as they are, whatever pooling is asked for."""
        return "sentence_embedding" in self._outputs or RANK_OF_TOKENS not in self._outputs.values()

    def file(self, name: str) -> Path | None:
        """Return a file of the folder."""
        path = self._folder / name
        return path if path.is_file() else None

    def token_id(self, token: str) -> int | None:
        """Return the id of a token."""
        number: int | None = self._tokenizer.token_to_id(token)
        return number

    def tokens(self, texts: Sequence[str], *, max_tokens: int, question: str | None = None) -> list[Tokens]:
        """Return the tokens of texts or pairs, cut at the end of the longer one of a pair."""
        cut = [text[: max_tokens * CHARACTERS_PER_TOKEN] for text in texts]
        self._tokenizer.enable_truncation(max_tokens, strategy="longest_first")
        pairs = cut if question is None else [(question[: max_tokens * CHARACTERS_PER_TOKEN], text) for text in cut]
        encodings = self._tokenizer.encode_batch(pairs)
        return [Tokens(encoding.ids, encoding.type_ids, encoding.attention_mask) for encoding in encodings]

    def pooled(self, batch: Sequence[Tokens], pooling: str) -> Array:
        """Return one vector a text, as the model gives it or by pooling its tokens' vectors."""
        outputs, mask = self._run(batch)
        if "sentence_embedding" in outputs:
            return outputs["sentence_embedding"]
        vectors = self._of_tokens(outputs)
        if vectors is None:
            return next(iter(outputs.values()))
        if pooling == "cls":
            rows: Array = vectors[:, 0]
        elif pooling == "last":
            rows = vectors[np.arange(len(batch)), mask.sum(axis=1) - 1]
        else:
            weights = mask[:, :, None].astype(np.float32)
            rows = (vectors * weights).sum(axis=1) / weights.sum(axis=1)
        return rows

    def hidden(self, batch: Sequence[Tokens]) -> list[Array]:
        """Return the vectors of each text's tokens."""
        vectors = self._of_tokens(self._run(batch)[0])
        if vectors is None:
            raise self.source.error(f"{self._folder}: the model gives no vectors of tokens")
        return [row[: len(one.ids)] for row, one in zip(vectors, batch, strict=True)]

    def logits(self, batch: Sequence[Tokens]) -> Array:
        """Return the classes' scores."""
        outputs, _ = self._run(batch)
        scores = outputs.get("logits", next(iter(outputs.values())))
        if scores.ndim != RANK_OF_TOKENS - 1:
            raise self.source.error(f"{self._folder}: the model is no classifier: it gives no scores of texts")
        return scores

    def _of_tokens(self, outputs: dict[str, Array]) -> Array | None:
        named = next((outputs[name] for name in ("last_hidden_state", "token_embeddings") if name in outputs), None)
        return (
            named
            if named is not None
            else next((output for output in outputs.values() if output.ndim == RANK_OF_TOKENS), None)
        )

    def _run(self, batch: Sequence[Tokens]) -> tuple[dict[str, Array], Array]:
        ids, types, mask = padded(batch, padding=self._padding)
        inputs = {
            "input_ids": ids,
            "attention_mask": mask,
            "token_type_ids": types,
            "position_ids": np.maximum(mask.cumsum(axis=1) - 1, 0),
        }
        feed = {
            name: inputs[name].astype(np.int32 if kind == "tensor(int32)" else np.int64)
            for name, kind in self._inputs.items()
        }
        with self._understood("cannot be run"):
            results = self._session.run(None, feed)
        return {name: np.asarray(result) for name, result in zip(self._outputs, results, strict=True)}, mask

    @cached_property
    def _padding(self) -> int:
        names = (self._tokenizer.token_to_id(name) for name in ("[PAD]", "<pad>", "<|endoftext|>"))
        return next((one for one in names if one is not None), 0)

    def _weights(self) -> Path:
        tried = [place + name for name in NAMES[self.source.dtype] for place in PLACES]
        if model_file := next((path for name in tried if (path := self.file(name))), None):
            return model_file
        alone = sorted((*self._folder.glob("*.onnx"), *self._folder.glob("onnx/*.onnx")))
        if len(alone) == 1 and not self.source.dtype:
            return alone[0]
        has = ", ".join(path.relative_to(self._folder).as_posix() for path in alone) or "no ONNX file"
        wanted = f" for dtype={self.source.dtype}" if self.source.dtype else ""
        raise self.source.error(f"{self._folder} has {has}; looked for{wanted}: {', '.join(tried)}")

    def _open_session(self, onnxruntime: Any, path: Path) -> Any:
        options = onnxruntime.SessionOptions()
        options.log_severity_level = FATAL_ONLY
        # Threads that wait by counting take half of the processor from others, and win nothing.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        usable = onnxruntime.get_available_providers()
        providers = [one for one in ("CUDAExecutionProvider", "CPUExecutionProvider") if one in usable]
        with self._understood("cannot be loaded"):
            return onnxruntime.InferenceSession(str(path), options, providers=providers)

    def _open_tokenizer(self, tokenizers: Any) -> Any:
        path = self.file("tokenizer.json")
        if path is None:
            raise self.source.error(f"{self._folder} has no tokenizer.json; a vocabulary alone is not enough")
        try:
            tokenizer = tokenizers.Tokenizer.from_buffer(path.read_bytes())
        except Exception as error:  # the library raises nothing narrower
            raise self.source.error(f"{path} is damaged: {error}") from error
        tokenizer.no_padding()
        return tokenizer

    def _json(self, name: str) -> dict[str, Any]:
        path = self.file(name)
        try:
            value = json.loads(path.read_bytes()) if path else {}
        except (ValueError, RecursionError) as error:
            raise self.source.error(f"{path} is no valid JSON: {error}") from error
        return value if isinstance(value, dict) else {}

    @contextmanager
    def _understood(self, what: str) -> Iterator[None]:
        """Turn what onnxruntime raises, which has no common base, into the source's error."""
        from onnxruntime.capi import onnxruntime_pybind11_state as state

        raised = (var for var in vars(state).values() if isinstance(var, type) and issubclass(var, Exception))
        kinds: tuple[type[Exception], ...] = (*raised, RuntimeError, ValueError)
        try:
            yield
        except kinds as error:
            raise self.source.error(f"the model in {self._folder} {what}: {str(error)[:300]}") from error
