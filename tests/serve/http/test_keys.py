"""Files of hashed tokens."""

from __future__ import annotations

from pathlib import Path

import pytest

from coderag.errors import AccessError
from coderag.serve.http.keys import find_key, hash_of, key_of, read_keys

HASH = hash_of("secret")


def kept(folder: Path, text: str) -> Path:
    path = folder / "keys"
    path.write_text(text)
    path.chmod(0o600)
    return path


def test_a_line_is_a_hash_and_groups(tmp_path: Path) -> None:
    text = f"# who\n\n{HASH} hr, audit # two\n{hash_of('other').upper()}\n"
    keys = read_keys(kept(tmp_path, text))
    found = find_key(keys, "secret"), find_key(keys, "other"), find_key(keys, "third")
    assert [key.groups for key in found if key] == [frozenset({"hr", "audit"}), frozenset()]
    assert found[2] is None


def test_the_owner_sees_all() -> None:
    key = find_key([key_of("a"), key_of("b")], "b")
    assert key is not None
    assert key.groups is None
    assert find_key([key_of("a")], "\udcff") is None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("secret hr\n", "keys:1 begins with no SHA-256"),
        (f"{HASH} hr\n{HASH[1:]} hr\n", "keys:2 begins with no SHA-256"),
        ("# nothing\n", "holds no key"),
        (f"{HASH} " + ",".join(map(str, range(1_001))), "give at most 1,000"),
    ],
)
def test_a_file_that_is_none(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(AccessError, match=why):
        read_keys(kept(tmp_path, text))


def test_a_file_that_others_may_write(tmp_path: Path) -> None:
    path = kept(tmp_path, HASH)
    path.chmod(0o622)
    with pytest.raises(AccessError, match="chmod 600"):
        read_keys(path)
