"""A model of the hub or of a folder, run by transformers and torch."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    import torch

__all__ = ["TransformersModel"]

USUAL_MAX_TOKENS = 512
SHOWN = 300  # characters of what the libraries say about an error
UNLIMITED = 1_000_000  # tokenizers that know no limit write 1e30
BATCH_TOKENS = {"cpu": 2048, "mps": 16_384, "cuda": 65_536}
# Layers that a checkpoint may lack without harm, as nothing goes through them.
UNUSED_BY_CLASSIFIERS = ("lm_head.",)
UNUSED_BY_ENCODERS = ("pooler.", *UNUSED_BY_CLASSIFIERS)
ROBERTAS = ("roberta", "camembert")  # count their positions from behind the padding's


class TransformersModel:
    """A transformer in torch: on the GPU where there is one, in half precision there."""

    def __init__(self, source: ModelSource, *, classifier: bool = False) -> None:
        """Load a model; raises the source's error where it is missing, damaged or incomplete, or needs an extra."""
        self.source = source
        try:
            import torch
            import transformers
        except ImportError as error:
            advice = how_to_install(Extra.TRANSFORMERS)
            raise source.error(f"{source.name} needs torch and transformers; {advice}") from error
        if not Path(source.model).is_absolute() and Path(source.model).exists():
            # The library would prefer it to the hub's, and a folder of a repository is not what was asked for.
            raise source.error(f"there is a folder called {source.model} here; write ./{source.model} if it is meant")
        if Path(source.model).is_absolute() and not Path(source.model).is_dir():
            raise source.error(f"there is no folder {source.model}")
        self._torch: Any = torch
        self._device = _device(torch, source)
        auto = transformers.AutoModelForSequenceClassification if classifier else transformers.AutoModel
        with _quiet(transformers), self._understood("cannot be loaded"):
            self._tokenizer: Any = transformers.AutoTokenizer.from_pretrained(source.model, **self._where())
            model, loading = auto.from_pretrained(
                source.model, dtype=self._dtype(), output_loading_info=True, **self._where()
            )
        self._check_complete(loading, UNUSED_BY_CLASSIFIERS if classifier else UNUSED_BY_ENCODERS)
        self._config: Any = model.config
        if getattr(model.config, "is_encoder_decoder", False) and not classifier:
            model = model.get_encoder()
        model = model.eval().to(self._device)
        self._model: Any = self._quantised(model) if source.dtype == "int8" else model

    @cached_property
    def revision(self) -> str:
        """The commit of the hub, or a fingerprint of the folder."""
        if Path(self.source.model).is_dir():
            return folder_fingerprint(Path(self.source.model))
        return str(getattr(self._config, "_commit_hash", None) or self.source.revision)

    @property
    def batch_tokens(self) -> int:
        """How many tokens are best run together.

        A quantised model scales by what is in the batch: one text at a time has the same vector whatever comes with it.
        """
        if self.source.dtype == "int8":
            return 1
        return BATCH_TOKENS.get(self._device.partition(":")[0], BATCH_TOKENS["cpu"])

    @cached_property
    def max_tokens(self) -> int:
        """How many tokens the model was made to read."""
        if 0 < self._tokenizer.model_max_length < UNLIMITED:
            return int(self._tokenizer.model_max_length)
        positions = int(getattr(self._config, "max_position_embeddings", 0) or USUAL_MAX_TOKENS)
        shifted = any(name in self._config.model_type for name in ROBERTAS)
        return positions - (self._tokenizer.pad_token_id + 1 if shifted else 0)

    def file(self, name: str) -> Path | None:
        """Return a file that lies beside the model, fetched from the hub where that is allowed."""
        from transformers.utils import cached_file

        with self._understood("cannot be read"):
            path = cached_file(
                self.source.model,
                name,
                revision=self.source.revision or None,
                _raise_exceptions_for_missing_entries=False,
                _raise_exceptions_for_connection_errors=False,
            )
        return Path(path) if path else None

    def token_id(self, token: str) -> int | None:
        """Return the id of a token."""
        number: int | None = self._tokenizer.get_vocab().get(token)
        return number

    def tokens(self, texts: Sequence[str], *, max_tokens: int, question: str | None = None) -> list[Tokens]:
        """Return the tokens of texts or pairs, cut at the end of the longer one of a pair."""
        cut = [text[: max_tokens * CHARACTERS_PER_TOKEN] for text in texts]
        pair = (cut,) if question is None else ([question[: max_tokens * CHARACTERS_PER_TOKEN]] * len(cut), cut)
        encoding = self._tokenizer(*pair, truncation="longest_first", max_length=max_tokens, return_token_type_ids=True)
        types = encoding.get("token_type_ids") or [[0] * len(ids) for ids in encoding["input_ids"]]
        return [
            Tokens(list(ids), list(of), list(mask))
            for ids, of, mask in zip(encoding["input_ids"], types, encoding["attention_mask"], strict=True)
        ]

    def pooled(self, batch: Sequence[Tokens], pooling: str) -> Array:
        """Return one vector a text, pooled on the device."""
        return self._halving(batch, lambda part: self._pooled(part, pooling))

    def hidden(self, batch: Sequence[Tokens]) -> list[Array]:
        """Return the vectors of each text's tokens."""
        outputs, _ = self._run(batch)
        vectors: Array = outputs.last_hidden_state.float().cpu().numpy()
        return [row[: len(one.ids)] for row, one in zip(vectors, batch, strict=True)]

    def logits(self, batch: Sequence[Tokens]) -> Array:
        """Return the classes' scores."""
        return self._halving(batch, self._logits)

    def _pooled(self, batch: Sequence[Tokens], pooling: str) -> Array:
        outputs, mask = self._run(batch)
        vectors = outputs.last_hidden_state.float()
        if pooling == "cls":
            found = vectors[:, 0]
        elif pooling == "last":
            found = vectors[self._torch.arange(len(batch)), mask.sum(dim=1) - 1]
        else:
            weights = mask.unsqueeze(-1).float()
            found = (vectors * weights).sum(dim=1) / weights.sum(dim=1)
        pooled: Array = found.cpu().numpy()
        return pooled

    def _logits(self, batch: Sequence[Tokens]) -> Array:
        logits: Array = self._run(batch)[0].logits.float().cpu().numpy()
        return logits

    def _run(self, batch: Sequence[Tokens]) -> tuple[Any, torch.Tensor]:
        arrays = padded(batch, padding=self._tokenizer.pad_token_id or 0)
        ids, types, mask = (self._torch.from_numpy(array).to(self._device) for array in arrays)
        inputs = {"input_ids": ids, "attention_mask": mask}
        if "token_type_ids" in self._tokenizer.model_input_names:
            inputs["token_type_ids"] = types
        with self._torch.inference_mode(), self._understood("cannot be run"):
            return self._model(**inputs), mask

    def _halving(self, batch: Sequence[Tokens], run: Callable[[Sequence[Tokens]], Array]) -> Array:
        """Run a batch in halves where the GPU's memory does not hold it whole."""
        try:
            return run(batch)
        except self._torch.OutOfMemoryError as error:
            if len(batch) == 1:
                advice = "give max_tokens=, dtype=float16 or device=cpu"
                raise self.source.error(
                    f"{self.source.name}: a text does not fit into the GPU's memory; {advice}"
                ) from error
        self._torch.cuda.empty_cache()
        middle = len(batch) // 2
        return np.concatenate([self._halving(batch[:middle], run), self._halving(batch[middle:], run)])

    def _dtype(self) -> Any:
        if self.source.dtype == "int8":
            if self._device != "cpu":
                raise self.source.error("dtype=int8 is for a processor; on a GPU use float16, or give device=cpu")
            return self._torch.float32
        usual = "float32" if self._device == "cpu" else self.source.gpu_dtype or "float16"
        return getattr(self._torch, self.source.dtype or usual)

    def _quantised(self, model: Any) -> Any:
        """Return a model whose linear layers compute in int8, scales taken from each batch."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # torch will move this to another package
            try:
                quantize = self._torch.ao.quantization.quantize_dynamic
            except AttributeError as error:
                raise self.source.error(f"torch {self._torch.__version__} cannot quantise; use an ONNX file") from error
            return quantize(model, {self._torch.nn.Linear}, dtype=self._torch.qint8)

    def _where(self) -> dict[str, Any]:
        return {"revision": self.source.revision or None, "trust_remote_code": self.source.trust_remote_code}

    def _check_complete(self, loading: dict[str, Any], unused: tuple[str, ...]) -> None:
        """Refuse weights that do not fill the model: what is missing would be random, and with it every vector."""
        missing = sorted(name for name in loading["missing_keys"] if not _is_of(name, unused))
        wrong = sorted(str(name) for name in loading["mismatched_keys"])
        if missing or wrong:
            raise self.source.error(
                f"{self.source.name} is not this kind of model: its weights lack {len(missing)} tensors and "
                f"{len(wrong)} are of another shape, the first {(missing + wrong)[0]}"
            )

    @contextmanager
    def _understood(self, what: str) -> Iterator[None]:
        """Turn what transformers, the hub, torch and safetensors raise for a model into one error."""
        from safetensors import SafetensorError

        try:
            yield
        except self._torch.OutOfMemoryError:
            raise  # a smaller batch may do
        except (OSError, ValueError, LookupError, ImportError, RuntimeError, SafetensorError) as error:
            text = " ".join(str(error).split())
            advice = (
                "; to let it run code of its own, add ?trust_remote_code=true" if "trust_remote_code" in text else ""
            )
            raise self.source.error(f"{self.source.name} {what}: {text[:SHOWN]}{advice}") from error


def _is_of(name: str, layers: tuple[str, ...]) -> bool:
    return any(name.startswith(layer) or f".{layer}" in name for layer in layers)


def _device(torch: Any, source: ModelSource) -> str:
    usable = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if not source.device:
        return next(name for name in ("cuda", "mps", "cpu") if usable[name])
    if not usable.get(source.device.partition(":")[0]):
        raise source.error(
            f"device={source.device} cannot be used here; there are {', '.join(filter(usable.get, usable))}"
        )
    return source.device


@contextmanager
def _quiet(transformers: Any) -> Iterator[None]:
    """Keep bars and notes about loading off the terminal, and leave the library's settings as they were."""
    logging = transformers.utils.logging
    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()
