"""A model on the hub or in a folder laid out like the hub's, to an encoder that runs on transformers and torch."""

from __future__ import annotations

from coderag.encoders.inference.token_models import ModelSource
from coderag.encoders.inference.transformers_model import TransformersModel
from coderag.encoders.model_encoder import ModelEncoder
from coderag.encoders.presets import Preset
from coderag.encoders.spec import EncoderSpec
from coderag.encoders.trust import check_code
from coderag.errors import EncoderError

__all__ = ["transformers_encoder"]


def transformers_encoder(spec: EncoderSpec, *, preset: Preset | None = None) -> ModelEncoder:
    """Return an encoder, on the GPU if there is one; raises EncoderError for a model that cannot be used."""
    if spec.trust_remote_code:
        check_code(spec.model, trusted=spec.trusted, error=EncoderError)
    elif preset and preset.remote_code:
        advice = "read it, then allow it with ?trust_remote_code=true"
        raise EncoderError(f"{spec.model} runs code from its own repository; {advice}")
    source = ModelSource(
        spec.model,
        EncoderError,
        revision=spec.revision,
        dtype=spec.dtype,
        gpu_dtype=preset.dtype if preset else "",
        device=spec.device,
        trust_remote_code=spec.trust_remote_code,
    )
    return ModelEncoder(TransformersModel(source), spec, preset=preset)
