"""One vocabulary on the command line: the same filters, formats and numbers everywhere, and old spellings."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from coderag.cli.parser.arguments import HIDDEN
from coderag.cli.parser.parser import make_parser
from tests.cli.conftest import Run
from tests.commands import run_here
from tests.workspace import write

FILES = {
    "schema.sql": "CREATE TABLE orders (id INTEGER PRIMARY KEY, total INTEGER);\n"
    "CREATE VIEW revenue AS SELECT sum(total) AS cents FROM orders;\n",
    "app/orders.py": "def load(db):\n"
    '    return db.execute("SELECT total FROM orders").fetchall()\n\n\n'
    "class Report:\n    def run(self, db):\n        return load(db)\n",
    "api/orders.go": "package api\n\nfunc load() int {\n\treturn 1\n}\n\nfunc serve() int {\n\treturn load()\n}\n",
    "tests/test_orders.py": "from app.orders import load\n\n\ndef test_load(db):\n    assert load(db)\n\n\n"
    "class Fake:\n    def load(self):\n        return 1\n",
}


@pytest.fixture(scope="module")
def coderag() -> Run:
    """Run commands in this process."""
    return run_here


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory, coderag: Run) -> Path:
    root = write(tmp_path_factory.mktemp("words") / "small", FILES)
    (root / ".git").mkdir()
    assert coderag("index", "--workers", "0", cwd=root).returncode == 0
    return root


def records(coderag: Run, root: Path, *arguments: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads(coderag(*arguments, "--json", cwd=root).stdout)
    return found


def paths(coderag: Run, root: Path, *arguments: str) -> list[object]:
    return [record["path"] for record in records(coderag, root, *arguments)]


def test_symbols_are_filtered(coderag: Run, root: Path) -> None:
    everything = ["api/orders.go", "app/orders.py", "tests/test_orders.py"]
    assert sorted(map(str, paths(coderag, root, "symbols", "load"))) == everything
    assert paths(coderag, root, "symbols", "load", "--language", "go") == ["api/orders.go"]
    assert paths(coderag, root, "symbols", "load", "--kind", "method") == ["tests/test_orders.py"]
    assert paths(coderag, root, "symbols", "load", "--path", "app/**") == ["app/orders.py"]
    assert paths(coderag, root, "symbols", "orders", "--database", "small") == ["schema.sql"]
    assert paths(coderag, root, "symbols", "load", "--database", "small") == []
    assert "tests/test_orders.py" not in paths(coderag, root, "symbols", "load", "--tests", "exclude")
    assert paths(coderag, root, "symbols", "load", "--tests", "demote")[-1] == "tests/test_orders.py"
    none = coderag("symbols", "serve", "--language", "python", cwd=root)
    assert (none.returncode, none.stdout) == (1, "")
    assert "nothing that meets these conditions is named 'serve'" in none.stderr


def test_refs_and_impact_are_filtered(coderag: Run, root: Path) -> None:
    go = coderag("refs", "load", "--language", "go", cwd=root).stdout
    assert go.startswith("api/orders.go:3  function api.load\n")
    assert "app/orders.py" not in go
    assert coderag("refs", "orders", "--database", "small", cwd=root).stdout.startswith("schema.sql:1  table orders")
    assert coderag("refs", "load", "--database", "small", cwd=root).returncode == 1
    assert "known are small" in coderag("refs", "orders", "--database", "zz", cwd=root).stderr
    with_tests = coderag("refs", "load", "--path", "app/**", cwd=root).stdout
    without = coderag("refs", "load", "--path", "app/**", "--tests", "exclude", cwd=root).stdout
    assert "test_orders.py" in with_tests
    assert "test_orders.py" not in without
    assert "Report.run" in without
    [go_impact] = [json.loads(coderag("impact", "load", "--language", "go", "--json", cwd=root).stdout)]
    assert [one["spot"]["name"] for one in go_impact["affected"]] == ["api.serve"]
    tested = json.loads(coderag("impact", "orders.total", "--json", cwd=root).stdout)
    untested = json.loads(coderag("impact", "orders.total", "--tests", "exclude", "--json", cwd=root).stdout)
    assert (bool(tested["tests"]), untested["tests"]) == (True, [])
    none = coderag("refs", "serve", "--language", "python", cwd=root)
    assert (none.returncode, none.stdout) == (1, "")
    assert "nothing named 'serve' meets these conditions; there is function api.serve api/orders.go:7" in none.stderr


def test_paths_and_graphs_are_filtered(coderag: Run, root: Path) -> None:
    ways = records(coderag, root, "path", "load", "orders", "--language", "python,sql")
    assert [way["start"]["path"] for way in ways] == ["app/orders.py"]  # type: ignore[index]
    none = coderag("path", "load", "orders", "--language", "go", cwd=root)
    assert (none.returncode, none.stdout) == (1, "")
    assert "nothing named 'orders' meets these conditions; there is table orders schema.sql:1" in none.stderr
    go = coderag("graph", "load", "--language", "go", cwd=root).stdout
    assert "serve" in go
    assert "Report.run" not in go
    around = coderag("graph", "load", "--path", "app/**", cwd=root).stdout
    assert coderag("graph", "load", "--language", "python", "--tests", "exclude", cwd=root).stdout == around
    none = coderag("graph", "serve", "--language", "python", cwd=root)
    assert (none.returncode, none.stdout) == (1, "")
    asked = coderag("graph", "how are the orders loaded?", "--language", "go", cwd=root).stdout
    assert "api.load" in asked


def test_tables_and_schemas_are_filtered(coderag: Run, root: Path) -> None:
    names = [record["name"] for record in records(coderag, root, "tables", "--kind", "view")]
    assert names == ["revenue"]
    names = [record["name"] for record in records(coderag, root, "tables", "--kind", "table", "--language", "sql")]
    assert names == ["orders"]
    assert len(records(coderag, root, "tables", "-k", "1")) == 1
    assert coderag("tables", "--language", "python", cwd=root).returncode == 1
    schema = json.loads(coderag("schema", "total", "--language", "sql", "--kind", "view", "--json", cwd=root).stdout)
    assert [one["name"] for one in schema["tables"]] == ["revenue"]
    wrong = coderag("tables", "--kind", "index", cwd=root)
    assert (wrong.returncode, wrong.stderr) == (
        2,
        "coderag: no table is of the kind 'index'; kinds are table, view\n",
    )


def test_the_map_and_the_outline_are_filtered(coderag: Run, root: Path) -> None:
    def mapped(*filters: str) -> set[tuple[str, str]]:
        [found] = records(coderag, root, "map", *filters)
        parts: list[dict[str, list[dict[str, str]]]] = found["parts"]  # type: ignore[assignment]
        return {(one["path"], one["kind"]) for part in parts for one in part["entries"]}

    assert {path for path, _ in mapped("--language", "go")} == {"api/orders.go"}
    assert {kind for _, kind in mapped("--kind", "class")} == {"class"}
    assert "tests/test_orders.py" not in {path for path, _ in mapped()}
    assert "tests/test_orders.py" in {path for path, _ in mapped("--tests", "include")}
    assert {path for path, _ in mapped("--tests", "demote", "--path", "tests/**")} == {"tests/test_orders.py"}
    [found] = records(coderag, root, "map", "-k", "1")
    assert found["further"] == 3
    assert "api/orders.go" not in {path for path, _ in mapped("--database", "small")}
    outline = coderag("outline", "app/orders.py", "--kind", "class", cwd=root).stdout
    assert outline.splitlines()[1:] == ["  5  class  class Report"]
    assert coderag("outline", "app/orders.py", "--kind", "table", cwd=root).returncode == 1


def test_answers_are_filtered(coderag: Run, root: Path) -> None:
    def sources(question: str, *filters: str) -> set[str]:
        answer = json.loads(coderag("ask", question, *filters, "--format", "jsonl", cwd=root).stdout)
        return {source["path"] for source in (*answer["sources"], *answer["further"])}

    callers = "who calls load?"
    assert sources(callers) >= {"app/orders.py"}
    assert sources(callers, "--path", "api/**") == {"api/orders.go"}
    assert sources("how are orders loaded?", "--language", "go") <= {"api/orders.go"}
    assert sources("what is orders.total?", "--kind", "function,class") <= {"app/orders.py", "tests/test_orders.py"}
    assert sources("what is orders.total?", "--kind", "table") == {"schema.sql"}
    assert "tests/test_orders.py" in sources("what is Fake?")
    assert "tests/test_orders.py" not in sources("what is Fake?", "--tests", "exclude")
    unknown = coderag("ask", callers, "--language", "pyton", cwd=root)
    assert (unknown.returncode, "did you mean" in unknown.stderr) == (2, True)
    sql = coderag("ask", "--sql", "total of the orders", "--language", "python", cwd=root)
    assert "FROM orders" not in sql.stdout


@pytest.mark.slow
def test_logs_are_filtered(coderag: Run, tmp_path: Path) -> None:
    root = write(tmp_path / "logged", FILES)
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org"]
    dates = {"GIT_COMMITTER_DATE": "2020-01-01T00:00:00Z", "GIT_AUTHOR_DATE": "2020-01-01T00:00:00Z"}
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"], ["tag", "v1"]):
        subprocess.run([*git, *command], cwd=root, check=True, env=dates)
    (root / "app/orders.py").write_text("def load(db):\n    return None\n", encoding="utf-8")
    later = {"GIT_COMMITTER_DATE": "2021-01-01T00:00:00Z", "GIT_AUTHOR_DATE": "2021-01-01T00:00:00Z"}
    subprocess.run([*git, "commit", "-qam", "second"], cwd=root, check=True, env=later)
    assert coderag("index", "--wait", cwd=root).returncode == 0

    def logged(*filters: str) -> list[tuple[object, object]]:
        return [(record["path"], record["subject"]) for record in records(coderag, root, "log", "load", *filters)]

    go, first, test = (("api/orders.go", "first"), ("app/orders.py", "first"), ("tests/test_orders.py", "first"))
    second = ("app/orders.py", "second")
    assert logged() == [second, go, first, test]
    assert logged("--language", "go") == [go]
    assert logged("--kind", "method") == [test]
    assert logged("--tests", "exclude") == [second, go, first]
    assert logged("--since", "v1") == logged("--since", "2020-06-01") == [second]
    assert logged("--since", "2020-01-01") == [second, go, first, test]
    assert logged("--path", "!app/**", "-k", "1") == [go]


def test_every_command_that_lists_things_has_the_same_filters() -> None:
    [commands] = [action.choices for action in make_parser()._actions if isinstance(action.choices, dict)]
    listing = "search ask at symbols log refs impact path graph map schema tables erd eval".split()
    filters = {"--path", "--language", "--kind", "--database", "--tests", "-k", "--format", "--json"}
    for name in listing:
        options = {option: action for action in commands[name]._actions for option in action.option_strings}
        assert filters <= options.keys(), name
        assert {"json", "jsonl"} <= set(options["--format"].choices or ()), name
    for name, parser in commands.items():
        options = {option: action for action in parser._actions for option in action.option_strings}
        assert "--limit" not in options or options["--limit"].help == HIDDEN, name
        assert name in listing or not {"--language", "-k"} <= options.keys(), name


@pytest.mark.slow
def test_since_is_a_date_or_a_revision(coderag: Run, tmp_path: Path) -> None:
    root = write(tmp_path / "dated", {"schema.sql": FILES["schema.sql"]})
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "first", "--date", "2020-01-01T00:00:00Z"]):
        subprocess.run([*git, *command], cwd=root, check=True, env={"GIT_COMMITTER_DATE": "2020-01-01T00:00:00Z"})
    assert "orders" in coderag("tables", "--since", "2020-01-01", cwd=root).stdout
    assert "orders" in coderag("tables", "--since", "HEAD", cwd=root).stdout
    assert coderag("tables", "--since", "2999-01-01", cwd=root).returncode == 1
    wrong = coderag("tables", "--since", "--nonsense", cwd=root)
    assert wrong.returncode == 2
    unknown = coderag("tables", "--since", "nonsense", cwd=root)
    assert (unknown.returncode, "no date and no revision" in unknown.stderr) == (2, True)
    questions = coderag("eval", "--from-git", "--since", "2999", cwd=root)
    assert "has no commit since '2999'" in questions.stderr


def test_formats(coderag: Run, root: Path) -> None:
    lines = coderag("symbols", "load", "--format", "jsonl", cwd=root).stdout.splitlines()
    assert [json.loads(line) for line in lines] == records(coderag, root, "symbols", "load")
    assert (
        coderag("symbols", "load", "--format", "json", cwd=root).stdout
        == coderag("symbols", "load", "--json", cwd=root).stdout
    )
    editor = coderag("symbols", "serve", "--format", "vimgrep", cwd=root).stdout
    assert editor == "api/orders.go:7:1:func serve() int\n"
    assert (
        "api/orders.go:8:1:called by api.serve\n"
        in coderag("refs", "load", "--language", "go", "--format", "vimgrep", cwd=root).stdout
    )
    markdown = coderag(
        "search", "load", "-k", "1", "--language", "py", "--format", "markdown", "--context", "whole", cwd=root
    ).stdout
    assert markdown.startswith("### `app/orders.py:1` function load\n\n```python\ndef load(db):\n")
    assert markdown.endswith("\n```\n")


def test_old_spellings_are_understood_and_hidden(coderag: Run, root: Path) -> None:
    for old, new in (
        (("search", "load", "--vimgrep"), ("search", "load", "--format", "vimgrep")),
        (("graph", "orders", "--limit", "2"), ("graph", "orders", "-k", "2")),
        (("path", "Report.run", "orders", "--limit", "2"), ("path", "Report.run", "orders", "-k", "2")),
    ):
        before, after = coderag(*old, cwd=root), coderag(*new, cwd=root)
        assert (before.returncode, before.stdout, before.stderr) == (0, after.stdout, after.stderr)
        assert old[-1 if old[-1].startswith("--") else -2] not in coderag(old[0], "--help", cwd=root).stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("serch", "x"), "coderag: unknown command 'serch'; did you mean search? see \"coderag --help\"\n"),
        (
            ("search", "x", "--langauge", "go"),
            'coderag search: unknown option --langauge; did you mean --language? see "coderag search --help"\n',
        ),
        (("symbols", "--langauge=go"), "unknown option --langauge; did you mean --language?"),
        (("search", "x", "--tests", "exclud"), "did you mean exclude?"),
        (("--vrsion",), "unknown option --vrsion; did you mean --version?"),
        (("-V",), 'coderag: unknown option -V; see "coderag --help"\n'),
        (("outline", "-x"), 'coderag outline: unknown option -x; see "coderag outline --help"\n'),
        (("symbols", "a", "b"), 'coderag symbols: unexpected argument b; see "coderag symbols --help"\n'),
        (("qqqq",), "coderag: unknown command 'qqqq'; see \"coderag --help\"\n"),
    ],
)
def test_what_is_misspelled(coderag: Run, tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    done = coderag(*arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr


def test_without_a_command_help_goes_to_stderr(coderag: Run, tmp_path: Path) -> None:
    done = coderag(cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == coderag("--help", cwd=tmp_path).stdout
    assert coderag("help", cwd=tmp_path).stdout == done.stderr
    assert coderag("help", "search", cwd=tmp_path).stdout == coderag("search", "--help", cwd=tmp_path).stdout


@pytest.mark.parametrize(
    ("question", "command"),
    [
        ("who calls load?", "for every reference: coderag refs load"),
        ("what reads the table orders", "for every reference: coderag refs orders"),
        ("where is load() used?", "for every reference: coderag refs load"),
        ("what breaks if orders.total changes?", "coderag impact orders.total"),
        ("what happens when I rename orders.total", "coderag impact orders.total"),
        ("what depends on orders?", "coderag impact orders"),
    ],
)
def test_a_search_points_to_the_command_that_knows(coderag: Run, root: Path, question: str, command: str) -> None:
    done = coderag("search", question, cwd=root)
    assert command in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert coderag("search", question, "--json", cwd=root).stderr == ""


@pytest.mark.slow
def test_a_hint_never_builds_a_graph(coderag: Run, root: Path, tmp_path: Path) -> None:
    index = tmp_path / "index"
    assert coderag("index", root, "--index", index, "--no-graph", "--quiet", cwd=tmp_path).returncode == 0
    done = coderag("search", "who calls load?", "--root", root, "--index", index, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert not list(index.glob("graph-*"))


@pytest.mark.parametrize("question", ["who calls the doctor?", "what breaks if nonsense changes", "load orders"])
def test_no_hint_where_nothing_has_the_name(coderag: Run, root: Path, question: str) -> None:
    assert "coderag refs" not in coderag("search", question, cwd=root).stderr
    assert "coderag impact" not in coderag("search", question, cwd=root).stderr


@pytest.mark.slow
def test_problems_are_counted_with_an_example(coderag: Run, tmp_path: Path) -> None:
    root = write(tmp_path, {"a.sql": "CREATE TABLE (((;\nALTER TABLE gone ADD y int;\n", "b.bin": "x", "c.bin": "x"})
    text = coderag("index", cwd=root).stdout
    assert "2 unknown type (b.bin)" in text
    assert "  unparsed   1 statement, 1 of them of tables or keys: 1 CREATE TABLE (a.sql:1)\n" in text
    assert "  conflicts  1 schema conflict: 1 never created (a.sql:2: gone is altered and never created)" in text
    assert '"coderag status --verbose" lists them' in text
    assert coderag("tables", cwd=root).stderr.count("conflict") == 0
