"""A folder with an ONNX file and a tokenizer, to an encoder: through onnxruntime."""

from __future__ import annotations

from coderag.errors import EncoderError
from coderag.models.model_encoder import ModelEncoder
from coderag.models.onnx_model import OnnxModel
from coderag.models.presets import Preset
from coderag.models.spec import EncoderSpec
from coderag.models.token_models import ModelSource

__all__ = ["onnx_encoder"]


def onnx_encoder(spec: EncoderSpec, *, preset: Preset | None = None) -> ModelEncoder:
    """Return an encoder of the folder `spec.model`; raises EncoderError for one that cannot be used."""
    model = OnnxModel(ModelSource(spec.model, EncoderError, dtype=spec.dtype))
    return ModelEncoder(model, spec, preset=preset, pools=not model.gives_vectors)
