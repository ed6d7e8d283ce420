"""A text to its chunks: code by its outline, documents by section."""
