"""Records as JSON: texts that are no UTF-8 come back as they were."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from coderag import Index
from coderag.index.storage.record_json import decode_record, encode_record
from tests.workspace import write

DECODER = msgspec.json.Decoder(dict[str, list[str]])


@pytest.mark.parametrize("text", ["shop", "caf\u00e9", "db\udcff", "\ud800", "\U0010dcff", "\udcff and \U00010000"])
def test_texts_come_back(text: str) -> None:
    assert decode_record(encode_record({text: [text, "x"]}), DECODER) == {text: [text, "x"]}


def test_what_stands_for_no_utf8_is_not_made_of_text() -> None:
    """A character that stands for a byte elsewhere in the same record would come back as that byte."""
    found = decode_record(encode_record({"a": ["\U0010dcff", "\udcff"]}), DECODER)
    assert found == {"a": ["\ufffd", "\udcff"]}


def test_a_folder_of_any_bytes_has_a_schema(tmp_path: Path) -> None:
    folder = os.fsdecode(b"db\xff")
    write(
        tmp_path,
        {
            f"{folder}/migrations/001_a.sql": "CREATE TABLE a (id int);\n",
            f"{folder}/migrations/002_b.sql": "CREATE TABLE b (id int REFERENCES a (id));\n",
            f"{folder}/schema\udcfe.sql": "CREATE TABLE c (id int);\n",
        },
    )
    with closing(Index.build(tmp_path, workers=0)) as index:
        tables = {table.name.name: table.sources[0].path for table in index.tables()}
    assert tables["b"] == f"{folder}/migrations/002_b.sql"
    assert tables["c"] == f"{folder}/schema\udcfe.sql"
