"""What an installation may have in addition, and what to type to get it."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["Extra", "how_to_install"]


class Extra(StrEnum):
    """An extra in pyproject.toml that a command may turn out to need."""

    DUCKDB = "duckdb"
    EVAL = "eval"
    HAYSTACK = "haystack"
    HNSW = "hnsw"
    LANGCHAIN = "langchain"
    LLAMA_INDEX = "llama-index"
    LSP = "lsp"
    MCP = "mcp"
    MILVUS = "milvus"
    MYSQL = "mysql"
    ONNX = "onnx"
    POSTGRES = "postgres"
    RAY = "ray"
    REMOTE = "remote"
    SERVE = "serve"
    TRANSFORMERS = "transformers"


def how_to_install(extra: Extra) -> str:
    """Return how to install coderag with an extra, as the end of a message."""
    # Quoted, as zsh expands brackets; from the source, as the name "coderag" is another project's on PyPI.
    return f"run in the source tree of coderag: pip install '.[{extra}]'"
