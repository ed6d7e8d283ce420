"""The names by which a server may be asked for: a page of another site that points its name here is refused.

DNS rebinding: a browser sends the name that it looked up as Host, so a name that nobody bound is not trusted.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["Hosts", "hosts_of", "is_loopback"]

HOST = re.compile(r"(?P<name>\[[0-9a-fA-F:.]+\]|[^\[\]:/@\s]+)(?::(?P<port>[0-9]{1,5}))?")
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
WILDCARDS = frozenset({"", "0.0.0.0", "::"})  # every address of the machine


@dataclass(frozen=True, slots=True)
class Hosts:
    """The names that are bound."""

    names: frozenset[str]
    any_address: bool = False  # all addresses of the machine are bound; an address cannot be rebound

    def fault_of(self, headers: Mapping[str, str]) -> str:
        """Return why a request with these headers is refused, "" if it is not."""
        host = headers.get("host", "")
        match = HOST.fullmatch(host)
        if match is None or not self._is_bound(match["name"].strip("[]").lower()):
            return "the Host of this request is no name of this server"
        origin = headers.get("origin")
        if origin is not None and origin.lower() not in (f"http://{host.lower()}", f"https://{host.lower()}"):
            return "the Origin of this request is another site"
        if headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
            return "another site sent this request"
        return ""

    def _is_bound(self, name: str) -> bool:
        return name in self.names or (self.any_address and _is_address(name))


def hosts_of(host: str) -> Hosts:
    """Return the names of a server that is bound to a host."""
    name = host.strip("[]").lower()
    if name in WILDCARDS:
        return Hosts(LOOPBACK | {socket.gethostname().lower()}, any_address=True)
    return Hosts(LOOPBACK | {name} if is_loopback(name) else frozenset({name}))


def is_loopback(host: str) -> bool:
    """Tell whether only this machine can reach a host."""
    name = host.strip("[]").lower()
    return name == "localhost" or (_is_address(name) and ipaddress.ip_address(name).is_loopback)


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
