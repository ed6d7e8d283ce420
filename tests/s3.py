"""An S3 of the tests' own."""

from __future__ import annotations

from functools import cache
from itertools import count

import pytest

__all__ = ["empty_bucket"]

NUMBERS = count()


def empty_bucket(monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the name of a bucket with nothing in it, which this process and those that it starts find."""
    moto = pytest.importorskip("moto.server", reason="moto[server] is not installed")
    pytest.importorskip("s3fs", reason="s3fs is not installed")
    import fsspec

    monkeypatch.setenv("AWS_ENDPOINT_URL", _address(moto.ThreadedMotoServer))
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "nobody")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "nothing")
    bucket = f"bucket-{next(NUMBERS)}"
    fsspec.filesystem("s3").mkdir(bucket)
    return bucket


@cache
def _address(server_type: type) -> str:
    """Start a server that ends with this process: fsspec asks the one that it asked first for as long as that runs."""
    server = server_type(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    return f"http://{host}:{port}"
