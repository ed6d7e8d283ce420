"""A running server to how long its pages take in a browser until something is to be seen.

    coderag serve --root ROOT --port 8420 --no-token &
    scripts/time_pages.py 8420 --symbol NAME --file PATH

It prints one JSON record: of each view the milliseconds to the first contentful paint (https://w3c.github.io/paint-timing)
and to the first byte, each the median of some loads, and of the first load by itself, before which nothing was asked.
Exit code 1 where a median paint takes longer than --most.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import sys
from typing import Any
from urllib.parse import quote

TIMES = """() => new Promise(resolve => new PerformanceObserver(list => {
    const [paint] = list.getEntriesByName('first-contentful-paint');
    const [page] = performance.getEntriesByType('navigation');
    if (paint) resolve([paint.startTime, page.responseStart]);
}).observe({type: 'paint', buffered: true}))"""


def views(options: argparse.Namespace) -> dict[str, str]:
    """Return the addresses by name."""
    return {
        "home": "/",
        "search": f"/?q={quote(options.question)}",
        "file": f"/file/{quote(options.file)}",
        "ask": "/ask",
        "tables": "/tables",
        "sql": "/sql",
        "graph": f"/graph?of={quote(options.symbol)}",
        "diagram": "/diagram",
        "map": "/map",
        "status": "/status",
    }


def paint(browser: Any, address: str) -> tuple[float, float]:
    """Return when a page was painted and when it began to arrive, by a browser that has nothing of it yet."""
    context = browser.new_context()
    try:
        page = context.new_page()
        page.goto(address)
        painted, arrived = page.evaluate(TIMES)
        return round(painted, 1), round(arrived, 1)
    finally:
        context.close()


def main() -> int:
    """Time the pages of the server on a port."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("port", type=int)
    parser.add_argument("--question", default="retry a failed delivery")
    parser.add_argument("--symbol", default="main", help="of the graph")
    parser.add_argument("--file", default="README.md", help="a path from the root")
    parser.add_argument("--loads", type=int, default=5)
    parser.add_argument("--most", type=float, default=300.0, metavar="MS")
    options = parser.parse_args()

    from playwright.sync_api import sync_playwright

    found = {}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for name, path in views(options).items():
            address = f"http://127.0.0.1:{options.port}{path}"
            times = [paint(browser, address) for _ in range(options.loads)]
            painted, arrived = (statistics.median(one) for one in zip(*times, strict=True))
            found[name] = {"paint_ms": painted, "first_byte_ms": arrived, "first_load_ms": times[0][0]}
        browser.close()
    print(json.dumps(found))
    return 0 if all(one["paint_ms"] <= options.most for one in found.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
