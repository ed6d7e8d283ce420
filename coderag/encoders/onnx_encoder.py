"""A folder with an ONNX file and a tokenizer, to an encoder that runs on onnxruntime."""

from __future__ import annotations

from coderag.encoders.inference.onnx_model import OnnxModel
from coderag.encoders.inference.token_models import ModelSource
from coderag.encoders.model_encoder import ModelEncoder
from coderag.encoders.presets import Preset
from coderag.encoders.spec import EncoderSpec
from coderag.errors import EncoderError

__all__ = ["onnx_encoder"]


def onnx_encoder(spec: EncoderSpec, *, preset: Preset | None = None) -> ModelEncoder:
    """Return an encoder of the folder `spec.model`; raises EncoderError if it cannot be used."""
    model = OnnxModel(ModelSource(spec.model, EncoderError, dtype=spec.dtype))
    return ModelEncoder(model, spec, preset=preset, pools=not model.gives_vectors)
