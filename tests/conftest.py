"""Golden files: compared as they are, rewritten by `pytest --update`. A cache of their own for all tests."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# How long an example takes says something of the machine, and nothing of what is tested.
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")

Golden = Callable[[Path, str], None]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="rewrite the golden files with what comes out now")


@pytest.fixture(autouse=True, scope="session")
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the cache of the user out of the tests, and the tests out of it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(os.environ, "XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """Compare a text with its golden file, or write that file under --update."""

    def check(path: Path, text: str) -> None:
        if request.config.getoption("--update"):
            path.write_text(text, encoding="utf-8")
        assert path.exists(), f"{path} is missing: run pytest --update"
        assert text == path.read_text(encoding="utf-8")

    return check
