"""Addresses of git repositories: which texts are some, what they mean, and what none of them shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from coderag.errors import RootError
from coderag.files.git_address import is_git_address, parse_git_address

SHOWN = [
    ("https://example.org/acme/shop", "https://example.org/acme/shop", "acme/shop", ""),
    ("https://example.org/acme/shop.git", "https://example.org/acme/shop.git", "acme/shop", ""),
    ("https://Example.org:8443/acme/shop/@v1.2", "https://example.org:8443/acme/shop", "acme/shop", "v1.2"),
    (
        "https://example.org/group/sub/shop@feature/cart",
        "https://example.org/group/sub/shop",
        "sub/shop",
        "feature/cart",
    ),
    ("https://me:secret@example.org/acme/shop@main", "https://example.org/acme/shop", "acme/shop", "main"),
    ("https://me:se@cret@example.org/acme/shop", "https://example.org/acme/shop", "acme/shop", ""),
    ("ssh://git@example.org:2222/acme/shop.git", "ssh://git@example.org:2222/acme/shop.git", "acme/shop", ""),
    ("git@example.org:acme/shop.git@v2", "git@example.org:acme/shop.git", "acme/shop", "v2"),
    ("file:///srv/git/shop.git", "file:///srv/git/shop.git", "git/shop", ""),
    ("file:///srv/my%20git/shop", "file:///srv/my%20git/shop", "my git/shop", ""),
]


@pytest.mark.parametrize(("text", "shown", "name", "revision"), SHOWN)
def test_parts(text: str, shown: str, name: str, revision: str) -> None:
    address = parse_git_address(text)
    assert is_git_address(text)
    assert (address.shown, address.name, address.revision) == (shown, name, revision)
    assert text.startswith(address.url)
    assert "cret" not in repr(address)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("http://example.org/acme/shop", "is not encrypted"),
        ("git://example.org/acme/shop", "is not encrypted"),
        ("HTTP://127.0.0.1/acme/shop", "is not encrypted"),
        ("ftp://example.org/acme/shop", "is not understood"),
        ("ext::sh -c touch% /tmp/x", "give https://"),
        ("fd::17/acme/shop", "give https://"),
        ("https://example.org/acme/shop@--upload-pack=x", "is no revision"),
        ("https://example.org/acme/shop@a..b", "is no revision"),
        ("https://example.org/acme/shop@main:refs/heads/x", "is no revision"),
        ("https://example.org/acme/shop@", "is no revision"),
        ("https://-oProxyCommand=x/acme/shop", "names no host"),
        ("ssh://-oProxyCommand=x@example.org/acme/shop", "names no host"),
        ("https:///acme/shop", "names no host"),
        ("https://example.org:port/acme/shop", "its port"),
        ("https://example.org/", "such as owner/name"),
        ("https://example.org/acme/../shop", "such as owner/name"),
        ("https://example.org/acme/-shop", "such as owner/name"),
        ("https://example.org/acme/shop?token=x", "no ?"),
        ("https://example.org/acme/sh op", "give https://"),
        ("file://host/acme/shop", "three slashes"),
    ],
)
def test_refused(text: str, why: str) -> None:
    assert is_git_address(text)
    with pytest.raises(RootError) as error:
        parse_git_address(text)
    assert why in str(error.value)


@pytest.mark.parametrize("end", ["/..", "@-x", "?x", ""])
def test_no_message_shows_a_password(end: str) -> None:
    with pytest.raises(RootError) as error:
        parse_git_address(f"http://me:se/c@ret@example.org/acme/shop{end}")
    assert not any(part in str(error.value) for part in ("me:", "se/c", "ret@"))


@pytest.mark.parametrize(
    "text", [".", "/srv/shop", "shop", "C:/shop", "postgresql://me@host/shop", "sqlite:///shop.db"]
)
def test_folders_and_databases_are_none(text: str) -> None:
    assert not is_git_address(text)


def test_a_folder_may_be_named_like_an_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert is_git_address("git@host:shop")
    Path("git@host:shop").mkdir()
    assert not is_git_address("git@host:shop")


def test_http_is_for_the_loopback_of_tests() -> None:
    assert parse_git_address("http://127.0.0.1:99/acme/shop", loopback=True).name == "acme/shop"
    with pytest.raises(RootError):
        parse_git_address("http://example.org/acme/shop", loopback=True)


def test_credentials_are_blotted_out() -> None:
    address = parse_git_address("https://me:p%40ss@example.org/acme/shop")
    assert address.without_secrets("at https://me:p%40ss@example.org: p@ss") == "at https://***example.org: ***"
