"""An `EncoderSpec` to the encoder that it names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coderag.encoders.presets import find_encoder
from coderag.encoders.spec import EncoderSpec, with_preset
from coderag.encoders.trust import check_model
from coderag.errors import EncoderError

if TYPE_CHECKING:
    from coderag.encoders.encoder import Encoder

__all__ = ["open_encoder"]


def open_encoder(spec: EncoderSpec) -> Encoder:
    """Open the encoder of a spec; only the libraries that it needs are imported.

    Raises EncoderError for `none`, and for a model that is missing, damaged, not trusted, or needs an extra.
    """
    if spec.kind == "static":
        from coderag.encoders.static import shipped_encoder

        return shipped_encoder()
    # The name of a preset is a hub id; to onnxruntime it would be a folder below the current one.
    if spec.kind == "onnx" or (spec.kind == "transformers" and not find_encoder(spec.model)):
        check_model(spec.model, trusted=spec.trusted, error=EncoderError)
    full, preset = with_preset(spec)
    if spec.kind == "transformers":
        from coderag.encoders.transformers_encoder import transformers_encoder

        return transformers_encoder(full, preset=preset)
    if spec.kind == "onnx":
        from coderag.encoders.onnx_encoder import onnx_encoder

        return onnx_encoder(full, preset=preset)
    if spec.kind == "http":
        from coderag.encoders.http_encoder import http_encoder

        return http_encoder(full, preset=preset)
    raise EncoderError("the encoder 'none' makes no vectors: an index with it answers by words alone")
