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


def test_a_file_without_definitions_is_no_rest_of_one(tmp_path: Path) -> None:
    names = "red green blue cyan black white brown pink gray gold".split()
    colors = "# Colors of the terminal.\n" + "".join(f"{name}='\\e[0;{at}m'\n" for at, name in enumerate(names, 30))
    files = {"lib/colors.sh": colors, "lib/log.sh": 'level=3\nlog() {\n  echo "$1"\n}\n'}
    with Index.build(write(tmp_path / "root", files), index=tmp_path / "index", workers=0) as index:
        factors = {
            hit.chunk.path: hit.parts["factor"]
            for hit in index.search("terminal colors level")
            if not hit.chunk.signature
        }
        assert factors["lib/colors.sh"] == 1
        assert factors["lib/log.sh"] < 1
