"""An index that is replaced or closed leaves nothing behind."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path

import pytest

from coderag import Index
from coderag.api.roots import resolve_roots
from coderag.api.snapshot import open_snapshot
from tests.workspace import copy_shop


@pytest.mark.slow
def test_an_index_that_nobody_uses_goes_without_the_collector(tmp_path: Path) -> None:
    root = copy_shop(tmp_path / "shop")
    Index.build(root, workers=0, cache=False).close()
    snapshot = open_snapshot(resolve_roots([root]))
    segments = [weakref.ref(segment) for segment in snapshot.opened[0].segments]
    index = Index(snapshot)
    gc.disable()
    try:
        assert index.search("where are failed payments retried?")
        index.outline("shop/checkout.py")
        index.refs("place_order")
        del index, snapshot
        assert [segment() for segment in segments] == [None] * len(segments)
    finally:
        gc.enable()
