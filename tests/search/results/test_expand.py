"""What is around a hit: whole classes, frames with what was found, files, neighbours; lines and text as in the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from coderag import Hit, Index
from coderag.errors import QueryError
from coderag.search.results.expand import BESIDE_LINES, MAX_LINES, WHOLE_LINES
from tests.workspace import SHOP, write

RETRIED = "where are failed payments retried?"
EXPANSIONS = ("parent", "file", "neighbours")


def body(lines: int) -> str:
    return "".join(f"        step_{number} = {number}\n" for number in range(lines))


def long_class(methods: int, lines: int) -> str:
    head = 'import os\n\n\nclass Engine:\n    """Runs."""\n\n    power = 3\n\n'
    return head + "\n".join(f"    def stage_{number}(self):\n{body(lines)}" for number in range(methods))


@pytest.fixture(scope="module")
def shop(shop_index: Path) -> Index:
    return Index.open(SHOP, index=shop_index)


def build(tmp_path: Path, files: dict[str, str]) -> Index:
    return Index.build(write(tmp_path / "root", dict(files)), index=tmp_path / "idx", workers=0)


def assert_as_in_file(hit: Hit, root: Path) -> None:
    lines = (root / hit.chunk.path).read_text(encoding="utf-8").split("\n")
    numbers = [number for part in hit.chunk.parts for number in range(part.start_line, part.end_line + 1)]
    assert hit.chunk.text == "".join(lines[number - 1] + "\n" for number in numbers)
    assert numbers == sorted(set(numbers))
    assert hit.chunk.span.start_line <= numbers[0]
    assert numbers[-1] <= hit.chunk.span.end_line
    assert set(hit.lines) <= set(numbers)


@pytest.mark.parametrize("how", EXPANSIONS)
@pytest.mark.parametrize("question", [RETRIED, "cart total", "orders table", "restore a backup", "discount"])
def test_lines_and_text_are_those_of_the_file(shop: Index, how: str, question: str) -> None:
    plain = shop.search(question)
    hits = shop.search(question, expand=how)
    for hit in hits:
        if hit.expanded_from and hit.chunk.language != "notebook":  # whose lines are those of its cells
            assert_as_in_file(hit, SHOP)
    shown = [(hit.chunk.path, line) for hit in hits for line in numbers_of(hit)]
    assert len(shown) == len(set(shown))  # no line twice
    assert {(hit.chunk.path, line) for hit in plain for line in numbers_of(hit)} <= set(shown)
    assert hits[0].score == plain[0].score


def numbers_of(hit: Hit) -> list[int]:
    return [line for part in hit.chunk.parts for line in range(part.start_line, part.end_line + 1)]


def test_a_method_becomes_its_class(tmp_path: Path) -> None:
    index = build(tmp_path, {"engine.py": long_class(methods=4, lines=5)})
    [hit] = index.search("stage_2", k=1, expand="parent")
    assert (hit.chunk.kind, hit.chunk.name, hit.chunk.span.start_line) == ("class", "Engine", 4)
    assert "def stage_0" in hit.chunk.text
    assert hit.expanded_from == ("engine.py:23",)
    assert hit.chunk.members == ()
    assert_as_in_file(hit, tmp_path / "root")


def test_members_of_one_class_are_one_hit(shop: Index) -> None:
    plain = shop.search("PaymentService charge attempt refund", k=8, kinds=["method"])
    inside = [hit for hit in plain if hit.chunk.qualified_name.startswith("PaymentService.")]
    assert len(inside) > 1
    merged = shop.search("PaymentService charge attempt refund", k=8, kinds=["method"], expand="parent")
    [whole] = [hit for hit in merged if hit.chunk.name == "PaymentService"]
    assert len(whole.expanded_from) == len(inside)
    assert whole.score == max(hit.score for hit in inside)


def test_a_long_class_is_its_frame_with_what_was_found(tmp_path: Path) -> None:
    index = build(tmp_path, {"engine.py": long_class(methods=12, lines=WHOLE_LINES // 8)})
    [hit] = index.search("stage_7", k=1, expand="parent")
    assert hit.chunk.name == "Engine"
    assert "power = 3" in hit.chunk.text
    assert "def stage_7" in hit.chunk.text
    assert "def stage_6" not in hit.chunk.text
    assert len(hit.chunk.members) == 11
    assert any(reason.startswith("shows ") for reason in hit.reasons)
    assert_as_in_file(hit, tmp_path / "root")


def test_half_of_the_members_make_the_class_whole(tmp_path: Path) -> None:
    index = build(tmp_path, {"engine.py": long_class(methods=10, lines=WHOLE_LINES // 8)})
    [hit] = index.search("stage_1 stage_2 stage_3 stage_4 stage_5", k=5, kinds=["method"], expand="parent")
    assert len(hit.expanded_from) == 5
    assert "def stage_9" in hit.chunk.text
    assert not any(reason.startswith("shows ") for reason in hit.reasons)


def test_a_cap_keeps_what_was_found(tmp_path: Path) -> None:
    index = build(tmp_path, {"engine.py": long_class(methods=2, lines=MAX_LINES)})
    [hit] = index.search("stage_1", k=1, expand="parent")
    assert sum(map(len, hit.chunk.parts)) == MAX_LINES
    assert "def stage_1" in hit.chunk.text
    assert f"shows {MAX_LINES} of {hit.chunk.span.end_line - 3} lines" in hit.reasons
    assert_as_in_file(hit, tmp_path / "root")


def test_a_function_at_the_top_becomes_its_module(tmp_path: Path) -> None:
    filler = "\n\n".join(f"def other_{number}():\n{body(20)}" for number in range(20))
    text = f"import os\n\nLIMIT = 3\n\n\ndef wanted():\n    return LIMIT\n\n\n{filler}\n"
    index = build(tmp_path, {"tools.py": text, "bare.py": "def lonely():\n    return 1\n"})
    [hit] = index.search("wanted", k=1, expand="parent")
    assert (hit.chunk.kind, hit.chunk.name) == ("module", "tools")
    assert hit.chunk.text == "import os\n\nLIMIT = 3\n\n\ndef wanted():\n    return LIMIT\n"
    assert hit.chunk.span.start_line == 1
    [alone] = index.search("lonely", k=1, expand="parent")
    assert (alone.chunk.name, alone.expanded_from) == ("lonely", ())  # there is nothing around it


def test_a_file_is_given_whole_or_cut(tmp_path: Path) -> None:
    short, long = long_class(methods=2, lines=3), long_class(methods=30, lines=30).replace("stage", "phase")
    index = build(tmp_path, {"short.py": short, "long.py": long})
    [hit] = index.search("stage_1", k=1, expand="file")
    assert hit.chunk.text == short
    [cut] = index.search("phase_20", k=1, expand="file")
    assert "def phase_20" in cut.chunk.text
    assert sum(map(len, cut.chunk.parts)) <= MAX_LINES
    assert any(reason.startswith("shows ") for reason in cut.reasons)


@pytest.mark.parametrize("before", range(3))
def test_neighbours_that_begin_at_a_blank_row(tmp_path: Path, before: int) -> None:
    """The rows before a definition that are taken may begin between two others."""
    short = "".join(f"    def part_{number}(self):\n        a = {number}\n\n" for number in range(30))
    holder = (
        "\n\nclass Stages:\n" + short + "\n\nclass Wanted:\n    stage = 1\n\n    def stage_last(self):\n        pass\n"
    )
    index = build(tmp_path, {"engine.py": "import os\n" * before + holder})
    [hit] = index.search("Wanted", k=1, expand="neighbours")
    assert_as_in_file(hit, tmp_path / "root")


def test_neighbours_are_the_definitions_before_and_after(tmp_path: Path) -> None:
    index = build(tmp_path, {"engine.py": long_class(methods=6, lines=4)})
    [hit] = index.search("stage_3", k=1, expand="neighbours")
    assert hit.chunk.name == "stage_3"
    named = [number for number in range(6) if f"def stage_{number}" in hit.chunk.text]
    assert named == [2, 3, 4]
    assert_as_in_file(hit, tmp_path / "root")
    large = build(tmp_path / "large", {"engine.py": long_class(methods=3, lines=200)})
    [cut] = large.search("stage_1", k=1, expand="neighbours")
    assert sum(map(len, cut.chunk.parts)) <= 201 + 2 * BESIDE_LINES


def test_line_ends_and_other_letters(tmp_path: Path) -> None:
    text = 'class Größe:\r\n    """Wie groß."""\r\n\r\n    def fläche(self):\r\n        return "日本語"\r\n'
    index = build(tmp_path, {"size.py": text})
    [hit] = index.search("fläche", k=1, expand="parent")
    assert hit.chunk.text == text.replace("\r\n", "\n")


def test_an_unknown_way_is_refused(shop: Index) -> None:
    with pytest.raises(QueryError, match="expansions are parent, file, neighbours"):
        shop.search("cart", expand="everything")
