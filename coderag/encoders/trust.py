"""What a file of a repository may not decide alone: where text and keys are sent, and which models are loaded.

Settings may come with a repository that somebody else made, and an index with a machine that is not one's own. So an
endpoint on any host, this one included, a model that is none of the well-known ones, and a model that runs code of its
own need the user's word: on the command line, or in the environment as CODERAG_TRUST, a list of hosts (with a port or
without), hub ids and folders with commas between them.
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
    """Raise the error for the address of a host that the user did not name, or of anything but HTTP."""
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
    """Raise the error for a model that is not well-known and that the user did not name."""
    if not trusted and not is_trusted(model, environment):
        raise error(f"the settings or the index name the model {model}, which is none of ours; {ON_REQUEST}{model}")


def check_code(
    model: str, *, trusted: bool, error: type[ModelError], environment: Mapping[str, str] = os.environ
) -> None:
    """Raise the error for a model that would run code of its own and that the user did not name."""
    if not trusted and not is_trusted(model, environment):
        raise error(f"the settings or the index let {model} run code of its own; {ON_REQUEST}{model}")


def is_trusted(name: str, environment: Mapping[str, str] = os.environ) -> bool:
    """Tell whether CODERAG_TRUST names a host, a hub id or a folder, in any case."""
    return name.lower() in {one.strip().lower() for one in environment.get(VARIABLE, "").split(",") if one.strip()}
