"""What a file of a repository may not decide alone: where its text is sent, and whose code is run.

Settings and an index may lie in a folder that somebody else made. An endpoint elsewhere, and a model that runs code of
its own, need the user's word: on the command line, or in the environment as CODERAG_TRUST, a list of hosts and hub ids
with commas between them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from ipaddress import ip_address
from urllib.parse import urlsplit

from coderag.errors import ModelError

__all__ = ["check_code", "check_host"]

VARIABLE = "CODERAG_TRUST"
ON_REQUEST = f"name it on the command line, or set {VARIABLE}="


def check_host(
    url: str, *, trusted: bool, error: type[ModelError], environment: Mapping[str, str] = os.environ
) -> None:
    """Raise the error for an address on another machine that the user did not name."""
    host = (urlsplit(url).hostname or "").lower()
    if trusted or _is_here(host) or host in _trusted(environment):
        return
    raise error(f"the settings or the index name the endpoint {host}, which text would be sent to; {ON_REQUEST}{host}")


def check_code(
    model: str, *, trusted: bool, error: type[ModelError], environment: Mapping[str, str] = os.environ
) -> None:
    """Raise the error for a model that would run code of its own and that the user did not name."""
    if not trusted and model.lower() not in _trusted(environment):
        raise error(f"the settings or the index let {model} run code of its own; {ON_REQUEST}{model}")


def _is_here(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _trusted(environment: Mapping[str, str]) -> frozenset[str]:
    return frozenset(name.strip().lower() for name in environment.get(VARIABLE, "").split(",") if name.strip())
