"""presets.toml to records: well-known models and services, looked up by short name or by hub id."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

__all__ = [
    "Preset",
    "Service",
    "encoder_presets",
    "find_encoder",
    "find_reranker",
    "find_service",
    "key_names",
    "reranker_presets",
]

FILE = Path(__file__).with_name("presets.toml")


@dataclass(frozen=True, slots=True)
class Preset:
    """A well-known model with the options that its authors recommend."""

    name: str  # short, for the command line
    model: str  # on the hub
    kind: str = "transformers"  # of a reranker: cross or colbert
    pooling: str = ""
    query_prefix: str = ""
    passage_prefix: str = ""
    dimensions: int = 0  # of a full vector
    max_tokens: int = 0  # of a chunk; reading more gains nothing
    dtype: str = ""  # on a GPU, if float16 does not work
    remote_code: bool = False  # the model runs code from its repository
    note: str = ""
    warning: str = ""  # shown when the model is chosen


@dataclass(frozen=True, slots=True)
class Service:
    """A provider's endpoints, and the environment variable that holds its key."""

    name: str
    host: str
    key: str
    embeddings: str = ""
    rerank: str = ""
    chat: str = ""
    messages: str = ""  # the API of Anthropic
    format: str = ""  # of reranking


@cache
def _tables() -> dict[str, dict[str, dict[str, Any]]]:
    import tomllib  # a search with the shipped encoder asks for no preset

    return tomllib.loads(FILE.read_text(encoding="utf-8"))


@cache
def encoder_presets() -> tuple[Preset, ...]:
    """Return the encoders that have a short name, in the order of the file."""
    return tuple(Preset(name, **table) for name, table in _tables()["encoders"].items())


@cache
def reranker_presets() -> tuple[Preset, ...]:
    """Return the rerankers that have a short name, in the order of the file."""
    return tuple(Preset(name, **table) for name, table in _tables()["rerankers"].items())


@cache
def _services() -> tuple[Service, ...]:
    return tuple(Service(name, **table) for name, table in _tables()["services"].items())


def find_encoder(name: str) -> Preset | None:
    """Return the preset of a short name or hub id, in any case; None if there is none."""
    return _find(encoder_presets(), name)


def find_reranker(name: str) -> Preset | None:
    """Return the preset of a short name or hub id, in any case; None if there is none."""
    return _find(reranker_presets(), name)


def find_service(name: str) -> Service | None:
    """Return the service of this name; None if there is none."""
    return next((service for service in _services() if service.name == name.lower()), None)


def key_names(url: str) -> tuple[str, ...]:
    """Return the environment variables that may hold the key for an address; the first that is set is used.

    A provider's own key goes to that provider and to nobody else.
    """
    host = (urlsplit(url).hostname or "").lower()
    own = [service.key for service in _services() if service.key and host == service.host]
    return ("CODERAG_API_KEY", *own)


def _find(presets: tuple[Preset, ...], name: str) -> Preset | None:
    lowered = name.lower()
    return next((preset for preset in presets if lowered in {preset.name.lower(), preset.model.lower()}), None)
