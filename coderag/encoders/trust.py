"""Decisions that a file in a repository may not take alone: where text and keys are sent, which models are loaded.

Settings may come with somebody else's repository, and an index from somebody else's machine. So an endpoint on any
host, this one included, a model that is not well known, and a model that runs its own code need the user's consent: on
the command line, or in the environment variable CODERAG_TRUST, a comma-separated list of hosts (with or without a
port), hub ids and folders.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from urllib.parse import urlsplit

from coderag.errors import ModelError

__all__ = ["check_code", "check_host", "check_model", "is_trusted"]

VARIABLE = "CODERAG_TRUST"
ON_REQUEST = f"name it on the command line, or set {VARIABLE}="


def check_host(
    url: str, *, trusted: bool, error: type[ModelError], environment: Mapping[str, str] = os.environ
) -> None:
    """Raise the error if the user has not named the host of an address, or if it is not an HTTP address."""
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"}:
        raise error(f"the endpoint {url[:200]!r} is no address of HTTP")
    host = (parts.hostname or "").lower()
    if trusted or is_trusted(host, environment) or is_trusted(f"{host}:{parts.port}", environment):
        return
    raise error(f"the settings or the index name the endpoint {host}, which text would be sent to; {ON_REQUEST}{host}")


def check_model(
    model: str, *, trusted: bool, error: type[ModelError], environment: Mapping[str, str] = os.environ
) -> None:
    """Raise the error for a model that is neither well known nor named by the user."""
    if not trusted and not is_trusted(model, environment):
        raise error(f"the settings or the index name the model {model}, which is none of ours; {ON_REQUEST}{model}")


def check_code(
    model: str, *, trusted: bool, error: type[ModelError], environment: Mapping[str, str] = os.environ
) -> None:
    """Raise the error for a model that would run its own code and that the user has not named."""
    if not trusted and not is_trusted(model, environment):
        raise error(f"the settings or the index let {model} run code of its own; {ON_REQUEST}{model}")


def is_trusted(name: str, environment: Mapping[str, str] = os.environ) -> bool:
    """Return whether CODERAG_TRUST names a host, a hub id or a folder; case is ignored."""
    return name.lower() in {
        entry.strip().lower() for entry in environment.get(VARIABLE, "").split(",") if entry.strip()
    }
