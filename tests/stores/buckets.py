"""An S3 of the tests' own."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

__all__ = ["run_s3"]

NUMBERS = itertools.count()


@contextmanager
def run_s3(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Run one, which this process and those that it starts find; yield the address of an empty bucket."""
    moto = pytest.importorskip("moto.server", reason="moto[server] is not installed")
    pytest.importorskip("s3fs", reason="s3fs is not installed")
    import fsspec

    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "nobody")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "nothing")
    bucket = f"bucket-{next(NUMBERS)}"  # the servers of a process share what they hold
    fsspec.filesystem("s3", skip_instance_cache=True).mkdir(bucket)
    fsspec.filesystem("s3").clear_instance_cache()
    try:
        yield f"s3://{bucket}/indexes"
    finally:
        server.stop()
