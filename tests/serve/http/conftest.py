"""One server for the tests that only ask."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from coderag import Index
from tests.serve.http.served import Served
from tests.workspace import copy_shop

RULES = '[[access]]\npaths = ["shop/payments/**"]\ngroups = ["finance"]\n'


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an indexed copy of the example application, whose payments are for one group."""
    root = copy_shop(tmp_path_factory.mktemp("http") / "shop")
    (root / "coderag.toml").write_text(RULES)
    Index.build(root, workers=0).close()
    return root


@pytest.fixture(scope="session")
def served(shop: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Return a server over it, which knows the tokens "of-finance" and "of-nobody" too."""
    keys = tmp_path_factory.mktemp("keys") / "keys"
    tokens = {"of-finance": "finance,hr", "of-nobody": ""}
    lines = [f"{hashlib.sha256(token.encode()).hexdigest()} {groups}\n" for token, groups in tokens.items()]
    keys.write_text("# tokens of the tests\n" + "".join(lines))
    keys.chmod(0o600)
    with Served(shop, "--groups-from", str(keys)) as server:
        yield server
