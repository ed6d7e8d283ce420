"""Decoders of typed records, from several threads."""

from __future__ import annotations

import subprocess
import sys

import msgspec
import pytest

from coderag.decoding import converted, json_decoder, msgpack_decoder

# Classes that nobody has decoded yet, by four threads that take turns as often as can be. Made without the lock, the
# decoders end the process after a few rounds.
PROGRAM = """
import sys, threading
from msgspec import defstruct, json, msgpack
from coderag.decoding import converted, json_decoder, msgpack_decoder

FIELDS = [(f"field_{number}", list[int] | None, None) for number in range(8)]
ROW = {name: [1, 2] for name, *_ in FIELDS}
sys.setswitchinterval(1e-6)
for _ in range(60):
    table = defstruct("Table", [(f"row_{number}", defstruct("Row", FIELDS)) for number in range(30)])
    rows = {f"row_{number}": ROW for number in range(30)}
    ways = [
        lambda: json_decoder(table).decode(json.encode(rows)),
        lambda: msgpack_decoder(table).decode(msgpack.encode(rows)),
        lambda: converted(rows, table),
        lambda: json_decoder(table).decode(json.encode(rows)),
    ]
    found, together = [], threading.Barrier(len(ways))
    def decode(way):
        together.wait()
        found.append(way())
    threads = [threading.Thread(target=decode, args=[way]) for way in ways]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4 and all(one == found[0] for one in found)
"""


@pytest.mark.slow
def test_threads_that_decode_a_class_for_the_first_time() -> None:
    subprocess.run([sys.executable, "-c", PROGRAM], check=True, timeout=300)


class Row(msgspec.Struct):
    k: int


def test_what_is_decoded() -> None:
    assert json_decoder(list[Row]).decode(b'[{"k": 5}]') == [Row(5)]
    assert msgpack_decoder(tuple[int, bytes]).decode(msgspec.msgpack.encode((1, b"x"))) == (1, b"x")
    assert converted({"k": "5"}, Row, strict=False) == Row(5)


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError, match="Expected `int`, got `str`"):
        converted({"k": "5"}, Row)
