"""An editor's server over an indexed root to how long it takes for a hover and for the diagnostics of an edited file.

    scripts/time_lsp.py ROOT FILE.sql TABLE      a file of the root whose SQL names a table

It prints one JSON record: milliseconds of a hover over the table, and from a keystroke to the diagnostics.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

TURNS = 15


def main() -> int:
    """Time the server of this checkout."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from tests.serve.lsp.client import Client

    root, path, table = Path(sys.argv[1]).resolve(), sys.argv[2], sys.argv[3]
    text = (root / path).read_text(encoding="utf-8")
    line = next(number for number, one in enumerate(text.split("\n")) if table in one)
    place = {"line": line, "character": text.split("\n")[line].index(table) + 1}
    hovers, changes = [], []
    with Client(root) as client:
        started = time.perf_counter()
        uri = client.open(path)
        client.told("textDocument/publishDiagnostics", uri)
        opened = time.perf_counter() - started
        for turn in range(TURNS):
            started = time.perf_counter()
            shown = client.ask("textDocument/hover", {"textDocument": {"uri": uri}, "position": place})
            hovers.append(time.perf_counter() - started)
            started = time.perf_counter()
            client.change(uri, f"{text}\nSELECT nothing_{turn} FROM {table};\n")
            client.told("textDocument/publishDiagnostics", uri)
            changes.append(time.perf_counter() - started)
    record = {
        "opened_ms": round(opened * 1e3),
        "hover_ms": _middle(hovers),
        "diagnostics_ms": _middle(changes),
        "hovered": bool(shown),
    }
    print(json.dumps(record))
    return 0


def _middle(seconds: list[float]) -> dict[str, float]:
    ordered = sorted(seconds)
    return {"p50": round(ordered[len(ordered) // 2] * 1e3, 1), "max": round(ordered[-1] * 1e3, 1)}


if __name__ == "__main__":
    sys.exit(main())
