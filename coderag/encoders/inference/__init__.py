"""What runs a model: transformers, ONNX, an HTTP endpoint; and the recipe and tokens that it needs."""
