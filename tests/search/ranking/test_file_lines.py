"""A topic is at home in the file with most lines that fit."""

from __future__ import annotations

from pathlib import Path

from coderag import Index
from tests.workspace import write

STEPS = "".join(f"    page = render(page, {number})\n" for number in range(60))
LONG = "".join(f"def render_{part}(page):\n{STEPS}    return page\n\n\n" for part in ("head", "body", "foot"))
SHORT = "def render_all(page):\n    return render(page)\n"


def test_the_file_that_renders_most_stands_before_a_short_one(tmp_path: Path) -> None:
    files = {"site/output.py": LONG, "site/helpers.py": SHORT, "site/other.py": "def load(path):\n    return path\n"}
    with Index.build(write(tmp_path / "root", files), index=tmp_path / "index", workers=0) as index:
        hits = index.search("rendering of pages")
        assert hits[0].chunk.path == "site/output.py"
        lines = {hit.chunk.path: hit.parts["file_lines"] for hit in hits if "render" in hit.chunk.name}
        assert lines["site/output.py"] > 10 * lines["site/helpers.py"] > 0
        assert not any(hit.parts.get("file_lines") for hit in index.search("add another page to render"))
