"""A `RerankerSpec` to the reranker that it names."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from coderag.encoders.named import holds_onnx
from coderag.encoders.presets import find_reranker
from coderag.encoders.trust import check_code
from coderag.errors import RerankerError
from coderag.rerankers.spec import RerankerSpec

if TYPE_CHECKING:
    from coderag.encoders.inference.token_models import TokenModel
    from coderag.rerankers.reranker import Reranker

__all__ = ["open_reranker"]


def open_reranker(spec: RerankerSpec) -> Reranker:
    """Open the reranker of a spec; only the libraries that it needs are imported.

    Raises RerankerError for `none`, and for a model that is missing, damaged, not trusted, or needs an extra.
    """
    if spec.kind == "cross":
        from coderag.rerankers.cross_encoder import CrossReranker

        return CrossReranker(_token_model(spec, classifier=True), max_tokens=_max_tokens(spec))
    if spec.kind == "colbert":
        from coderag.rerankers.colbert import ColbertReranker

        return ColbertReranker(_token_model(spec, classifier=False), max_tokens=_max_tokens(spec))
    if spec.kind == "http":
        from coderag.rerankers.http import http_reranker

        return http_reranker(spec)
    if spec.kind == "judge":
        from coderag.rerankers.judge import judge_reranker

        return judge_reranker(spec)
    raise RerankerError("the reranker 'none' scores nothing")


def _token_model(spec: RerankerSpec, *, classifier: bool) -> TokenModel:
    from coderag.encoders.inference.onnx_model import OnnxModel
    from coderag.encoders.inference.token_models import ModelSource

    preset = find_reranker(spec.model)
    source = ModelSource(
        spec.model,
        RerankerError,
        revision=spec.revision,
        dtype=spec.dtype,
        device=spec.device,
        trust_remote_code=spec.trust_remote_code,
    )
    if holds_onnx(Path(spec.model)):
        return OnnxModel(source)
    if spec.trust_remote_code:
        check_code(spec.model, trusted=spec.trusted, error=RerankerError)
    elif preset and preset.remote_code:
        advice = "read it, then allow it with ?trust_remote_code=true"
        raise RerankerError(f"{spec.model} runs code from its own repository; {advice}")
    from coderag.encoders.inference.transformers_model import TransformersModel

    return TransformersModel(source, classifier=classifier)


def _max_tokens(spec: RerankerSpec) -> int:
    preset = find_reranker(spec.model)
    return spec.max_tokens or (preset.max_tokens if preset else 0)
