"""By which names a server may be asked for."""

from __future__ import annotations

import pytest

from coderag.serve.http.origins import hosts_of, is_loopback


@pytest.mark.parametrize(
    ("bound", "host", "is_allowed"),
    [
        ("127.0.0.1", "127.0.0.1:80", True),
        ("127.0.0.1", "LOCALHOST", True),
        ("::1", "[::1]:9", True),
        ("127.0.0.1", "192.168.0.7", False),
        ("192.168.0.7", "192.168.0.7:80", True),
        ("192.168.0.7", "localhost", False),
        ("code.example", "code.example", True),
        ("code.example", "evil.code.example", False),
        ("0.0.0.0", "192.168.0.7:80", True),
        ("0.0.0.0", "[fe80::1]:80", True),
        ("0.0.0.0", "evil.example", False),
    ],
)
def test_a_name_is_one_that_was_bound(bound: str, host: str, is_allowed: bool) -> None:
    assert (hosts_of(bound).fault_of({"host": host}) == "") is is_allowed


@pytest.mark.parametrize(
    ("host", "is_only_here"),
    [("localhost", True), ("127.3.2.1", True), ("::1", True), ("0.0.0.0", False), ("", False), ("10.0.0.1", False)],
)
def test_loopback(host: str, is_only_here: bool) -> None:
    assert is_loopback(host) is is_only_here
