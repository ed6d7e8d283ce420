"""`coderag impact --diff` and `coderag search --changed`, on real repositories."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from coderag.cli.output.diff_markdown import MAX_LENGTH, diff_markdown
from coderag.cli.output.diff_sarif import MAX_RESULTS, diff_sarif
from coderag.files.changes.records import LeftOut, WhyLeftOut
from coderag.graph.changes.records import Broken, Changed, DiffImpact, How, RunnableTest, Touched
from coderag.graph.queries.locations import Location
from coderag.graph.queries.reach import Affected
from coderag.graph.records import EdgeKind, NodeKind
from tests.cli.conftest import Run
from tests.files.changes.repositories import commit, git, repository
from tests.workspace import write

FILES = {
    "schema.sql": "CREATE TABLE orders (id INTEGER PRIMARY KEY, total INTEGER);\n",
    "orders.py": 'def total_of(db, number):\n    return db.execute("SELECT total FROM orders").fetchone()\n\n\n'
    "def charge(db, number):\n    return total_of(db, number)\n",
    "tests/test_orders.py": "from orders import charge\n\n\ndef test_charge(db):\n    assert charge(db, 1)\n",
}
CHANGED = FILES["orders.py"].replace(".fetchone()", ".fetchone()[0]")
TEXT = """\
the worktree with HEAD  1 definition changed: 1 dependent, 1 test to run first
  changed 1
    orders.py:1  function total_of  changed
  affected at once 1
    orders.py:6  charge  calls total_of
  tests to run first 1
    tests/test_orders.py:5  test_charge  calls charge
  tables used by changed code 1
    orders.py:2  orders  read by total_of
"""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory, coderag: Run) -> Path:
    root = repository(tmp_path_factory.mktemp("diff") / "r", {**FILES, ".gitignore": ".coderag/\n"})
    write(root, {"orders.py": CHANGED})
    assert coderag("index", cwd=root).returncode == 0
    return root


@pytest.mark.slow
def test_the_worktree_as_text_and_json(coderag: Run, root: Path) -> None:
    done = coderag("impact", "--diff", cwd=root)
    assert (done.stdout, done.returncode) == (TEXT, 0)
    record = json.loads(coderag("impact", "--diff", "HEAD", "--json", cwd=root).stdout)
    assert record["title"] == "the worktree with HEAD"
    assert [test["id"] for test in record["tests"]] == ["tests/test_orders.py::test_charge"]
    assert json.loads(coderag("impact", "--diff", "--json", "--tests", "exclude", cwd=root).stdout)["tests"] == []


@pytest.mark.slow
def test_a_patch_file_one_on_stdin_and_what_is_staged(coderag: Run, root: Path, tmp_path: Path) -> None:
    patch = git(root, "diff") + "\n"
    (tmp_path / "change.diff").write_text(patch)
    done = coderag("impact", "--diff", tmp_path / "change.diff", cwd=root)
    assert done.stdout.splitlines()[1:] == TEXT.splitlines()[1:]
    assert done.stdout.startswith(f"{tmp_path}/change.diff  1 definition changed")
    done = coderag("impact", "--diff", "-", cwd=root, stdin=patch)
    assert done.stdout.splitlines()[1:] == TEXT.splitlines()[1:]
    done = coderag("impact", "--staged", cwd=root)
    assert (done.returncode, done.stdout) == (1, "")
    assert "what is staged with HEAD: no definition, table or column changed" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--diff", "nowhere"), "'nowhere' is no revision"),
        (("--diff", "HEAD..HEAD", "--staged"), "is a range"),
        (("--diff", "-", "--staged"), "a patch is given"),
        (("--diff=HEAD", "total_of"), "exclude each other"),
        (("--diff", "--kind", "function"), "--kind chooses"),
        (("--diff", "--groups", "hr"), "who may see all"),
        ((), "give a TARGET"),
        (("total_of", "--format", "sarif"), "--format sarif is for --diff"),
    ],
)
def test_what_is_refused(coderag: Run, root: Path, arguments: tuple[str, ...], said: str) -> None:
    done = coderag("impact", *arguments, cwd=root)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stdout == ""


@pytest.mark.slow
def test_a_combined_diff_is_refused_in_words(coderag: Run, root: Path) -> None:
    done = coderag("impact", "--diff", "-", cwd=root, stdin="diff --cc x\nindex 1,2..3\n@@@ -1 -1 +1 @@@\n")
    assert done.returncode == 2
    assert "combined diff" in done.stderr


@pytest.mark.slow
def test_a_search_of_changed_files(coderag: Run, root: Path, tmp_path: Path) -> None:
    def paths(*arguments: str) -> set[str]:
        done = coderag("search", *arguments, "--json", cwd=root)
        return {hit["path"] for hit in json.loads(done.stdout)}

    assert paths("charge an order") > {"orders.py"}
    assert paths("charge an order", "--changed") == {"orders.py"}
    assert paths("--changed", "charge an order") == {"orders.py"}
    assert paths("charge an order", "--changed", "HEAD") == {"orders.py"}
    none = coderag("search", "charge", "--changed", "HEAD..HEAD", cwd=root)
    assert (none.returncode, none.stderr) == (1, "coderag: no file changed, so there is nothing to search\n")
    batch = coderag("search", "--batch", "--changed", cwd=root, stdin='{"query": "charge an order"}\n')
    assert {hit["path"] for hit in json.loads(batch.stdout)} == {"orders.py"}
    plain = write(tmp_path, {"a.py": "def a():\n    pass\n"})
    done = coderag("search", "a", "--changed", "--root", plain, cwd=plain)
    assert done.returncode == 2
    assert "no git repository" in done.stderr


@pytest.mark.slow
def test_names_of_a_hostile_repository_reach_no_terminal_and_no_markup(coderag: Run, tmp_path: Path) -> None:
    name = "a`|<img src=x>\x1b[31m@somebody.py"
    root = repository(tmp_path / "r", {"b.py": "def b():\n    pass\n"})
    commit(root, {name: "def total():\n    return 1\n"})
    done = coderag("impact", "--diff", "HEAD~1..HEAD", "--color", "never", cwd=root)
    assert "\x1b" not in done.stdout
    text = coderag("impact", "--diff", "HEAD~1..HEAD", "--format", "markdown", cwd=root).stdout
    assert "\x1b" not in text
    outside = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", text)
    assert "<img" not in outside
    assert "@somebody" not in outside


# Formats


def impact(count: int) -> DiffImpact:
    """Return an answer with so many of everything."""
    locations = [Location(NodeKind.FUNCTION, f"pkg.f{number}", f"src/ä {number}.py", 3, 9) for number in range(count)]
    affected = tuple(Affected(spot, 1, 0.95, spot.path, 4, "calls g", ("g", spot.name)) for spot in locations)
    return DiffImpact(
        title="main...HEAD",
        files=("a.py",),
        changed=tuple(Changed(spot, How.CHANGED) for spot in locations),
        data=(
            Changed(Location(NodeKind.COLUMN, "orders.total", "", database="shop"), How.CHANGED, detail="type a | b"),
        ),
        broken=(Broken("orders.note", "x.py", 7, "f"), Broken("g", "x.py", 8, certain=False)),
        affected=affected,
        possibly=affected[:1],
        tests=tuple(RunnableTest(f"tests/test_{number}.py::test_`x`", one) for number, one in enumerate(affected)),
        tables=(Touched(Location(NodeKind.TABLE, "orders"), EdgeKind.READS, "f", "x.py", 1, 1.0),),
        further_tests=3,
        left_out=(LeftOut("x.bin", WhyLeftOut.BINARY),),
    )


def test_markdown_says_how_much_it_leaves_out() -> None:
    small, large = diff_markdown(impact(3)), diff_markdown(impact(5000))
    assert "... and" in small  # the tests beyond those that are listed
    assert max(len(small), len(large)) <= MAX_LENGTH
    assert len(large) > MAX_LENGTH / 4
    shown = large.count("| function `pkg.f")
    left = sum(int(number.replace(",", "")) for number in re.findall(r"\.\.\. and ([\d,]+) more\.", large))
    assert shown + left == 3 * 5000 + 1 + 3
    assert large.count("<details") == large.count("</details>")
    assert "type a \\| b" in small
    assert diff_markdown(impact(50), limit=2).count("| function `pkg.f") == 3 * 2 + 1


def test_every_row_of_a_table_has_its_columns() -> None:
    width = 0
    for line in diff_markdown(impact(3)).splitlines():
        if not line.startswith("|"):
            width = 0
            continue
        cells = len(re.findall(r"(?<!\\)\|", line))
        assert width in (0, cells)
        width = cells


def check_sarif(log: dict[str, Any]) -> None:
    """Check what the schema of SARIF 2.1.0 demands of the parts that are used (sarif-schema-2.1.0.json)."""
    assert set(log) == {"$schema", "version", "runs"}
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    assert set(run) <= {"tool", "results", "originalUriBaseIds", "columnKind", "properties"}
    assert run["columnKind"] in ("utf16CodeUnits", "unicodeCodePoints")
    driver = run["tool"]["driver"]
    assert driver["name"]
    rules = [rule["id"] for rule in driver["rules"]]
    assert len(set(rules)) == len(rules)
    for rule in driver["rules"]:
        assert set(rule) == {"id", "name", "shortDescription", "defaultConfiguration"}
        assert rule["shortDescription"]["text"].endswith(".")
        assert rule["defaultConfiguration"]["level"] in ("none", "note", "warning", "error")
    for result in run["results"]:
        assert set(result) <= {
            *("ruleId", "ruleIndex", "level", "message", "locations", "partialFingerprints", "properties"),
        }
        assert rules[result["ruleIndex"]] == result["ruleId"]
        assert result["level"] in ("none", "note", "warning", "error")
        assert result["message"]["text"]
        assert all(isinstance(value, str) for value in result["partialFingerprints"].values())
        (location,) = result["locations"]
        place = location["physicalLocation"]
        artifact = place["artifactLocation"]
        assert artifact["uriBaseId"] in run["originalUriBaseIds"]
        assert re.fullmatch(r"(?![/])(?:[A-Za-z0-9._~!$&'()*+,;=@/-]|%[0-9A-F]{2})+", artifact["uri"])
        if "region" in place:
            assert 1 <= place["region"]["startLine"] <= place["region"].get("endLine", 10**9)


def test_sarif_is_what_its_schema_says() -> None:
    log = json.loads(diff_sarif(impact(3)))
    check_sarif(log)
    (run,) = log["runs"]
    assert [(result["ruleId"], result["level"]) for result in run["results"]] == [
        *(("broken-reference", "error"), ("broken-reference", "warning")),
        *[("changed", "note")] * 3,
        *[("affected", "warning")] * 3,
        ("possibly-affected", "note"),
    ]
    first = run["results"][2]["locations"][0]["physicalLocation"]
    assert unquote(first["artifactLocation"]["uri"]) == "src/ä 0.py"
    assert first["region"] == {"startLine": 3, "endLine": 9}
    assert run["properties"]["leftOut"] == 1  # the column of a database, which has no file
    prints = [result["partialFingerprints"]["coderag/v1"] for result in run["results"]]
    assert len(set(prints)) == len(prints)


@pytest.mark.slow
def test_sarif_is_bounded_and_takes_names_of_any_bytes() -> None:
    log = json.loads(diff_sarif(impact(MAX_RESULTS)))
    check_sarif(log)
    assert len(log["runs"][0]["results"]) == MAX_RESULTS
    odd = Location(NodeKind.FUNCTION, "f\udcff", "c:\udcff/x.py", 1)
    found = DiffImpact("t\udcff", (), (Changed(odd, How.ADDED),), (), (), (), (), (), ())
    check_sarif(json.loads(diff_sarif(found)))


@pytest.mark.slow
def test_sarif_of_a_real_change(coderag: Run, root: Path) -> None:
    done = coderag("impact", "--diff", "--format", "sarif", cwd=root)
    log = json.loads(done.stdout)
    check_sarif(log)
    assert [result["ruleId"] for result in log["runs"][0]["results"]] == ["changed", "affected"]
