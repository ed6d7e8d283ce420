"""What a call may ask for is bounded, in the library, on the command line and in a batch alike."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from coderag import CoderagError, Index, Pipeline, Query, TableFilter
from coderag.catalog.introspect.explain import explain
from coderag.catalog.introspect.introspect import inspect_database
from coderag.cli.parser.parser import make_parser
from coderag.encoders.spec import parse_encoder
from coderag.errors import DatabaseError, EncoderError, EvaluationError, QueryError, RootError
from coderag.evaluate.questions_file import read_questions
from coderag.limits import GLOB, LINE, NAME, QUESTION_FILE, SQL, Limit
from coderag.sql.check import check_sql
from tests.commands import Run, run_here
from tests.workspace import write

Call = Callable[[Index], object]
LONG = "ä" * 20_000  # 40,000 bytes
FILES = {
    "cart.py": "class Cart:\n    def total(self):\n        return add()\n\n\ndef add():\n    return 1\n",
    "schema.sql": "CREATE TABLE orders (id int PRIMARY KEY, total int);\n",
}


def text_of(limit: Limit, more: int = 1) -> str:
    return "x" * (int(limit.most) + more)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("limits") / "root", FILES)


@pytest.fixture(scope="module")
def index(root: Path) -> Index:
    return Index.build(root, workers=0)


TOO_MUCH: list[tuple[str, Call, str]] = [
    ("question", lambda index: index.search(LONG), "the question has 40,000 bytes, which is more than 32,000"),
    ("k", lambda index: index.search("x", k=1_001), "k is 1001; give a whole number from 1 to 1,000"),
    ("no k", lambda index: index.search("x", k=0), "k is 0; give a whole number from 1 to 1,000"),
    ("huge k", lambda index: index.search("x", k=10**5_000), "k is a number of more than 18 digits; give a whole"),
    ("query", lambda index: index.search(Query("x", k=-1)), "k is -1; give a whole number from 1 to 1,000"),
    ("related", lambda index: index.search("x", related=101), "related is 101; give a whole number from 0 to 100"),
    ("diversity", lambda index: index.search("x", diversity=float("nan")), "diversity is nan; give a number from 0 to"),
    ("threshold", lambda index: index.search("x", threshold=1.1), "threshold is 1.1; give a number from 0 to 1"),
    ("paths", lambda index: index.search("x", paths=["*.py"] * 1_001), "paths has more than 1,000 globs"),
    ("glob", lambda index: index.search("x", paths=[text_of(GLOB)]), "an item of paths has 1,001 bytes"),
    ("endless", lambda index: index.search("x", groups=map(str, itertools.count())), "groups has more than 1,000"),
    ("name", lambda index: index.search("x", languages=[text_of(NAME)]), "an item of languages has 5,001 bytes"),
    (
        "depth of all",
        lambda index: index.search(Query("x", pipeline=Pipeline(depth=9_999))),
        "depth of the pipeline is",
    ),
    ("symbol", lambda index: index.symbols(text_of(NAME)), "the name has 5,001 bytes, which is more than 5,000"),
    ("symbols", lambda index: index.symbols("x", k=9_999), "k is 9999"),
    ("outline", lambda index: index.outline(text_of(NAME)), "the path has 5,001 bytes"),
    ("schema", lambda index: index.schema_context(LONG), "the question has 40,000 bytes"),
    ("evidence", lambda index: index.schema_context("x", evidence=LONG), "the evidence has 40,000 bytes"),
    (
        "budget",
        lambda index: index.schema_context("x", budget=1_000_001),
        "budget is 1000001; give a whole",
    ),
    ("tables", lambda index: index.table_ranking("x", k=1_001), "k is 1001"),
    ("filter", lambda index: index.tables(TableFilter(paths=("x",) * 1_001)), "paths has more than 1,000 globs"),
    ("since", lambda index: index.tables(TableFilter(since="yesterday")), "since is 'yesterday'; give a date such as"),
    ("table", lambda index: index.table(text_of(NAME)), "the name has 5,001 bytes"),
    ("SQL", lambda index: index.check_sql(text_of(SQL)), "the SQL has 1,000,001 bytes, which is more than 1,000,000"),
    ("refs", lambda index: index.refs(text_of(NAME)), "the target has 5,001 bytes"),
    ("shown", lambda index: index.refs("Cart", shown=-1), "shown is -1; give a whole number from 0 to 1,000,000"),
    ("depth", lambda index: index.impact("Cart", depth=21), "depth is 21; give a whole number from 1 to 20"),
    ("ways", lambda index: index.path_between("Cart", "add", k=11), "k is 11; give a whole number from 1 to"),
    ("like", lambda index: index.reached("Cart", like=text_of(NAME)), "the target has 5,001 bytes"),
    ("drawing", lambda index: index.graph("Cart", depth=99_999_999_999), "depth is 99999999999; give a whole number"),
    ("nodes", lambda index: index.graph("Cart", k=1_001), "k is 1001; give a whole number from 1 to 1,000"),
    ("drawn", lambda index: index.graph(LONG), "the question has 40,000 bytes"),
    ("map", lambda index: index.map(LONG), "the question has 40,000 bytes"),
    ("map's", lambda index: index.map(budget=0), "budget is 0; give a whole number from 1 to 100,000"),
    ("groups", lambda index: index.as_seen_by(["hr"] * 1_001), "groups has more than 1,000 items"),
    ("poll", lambda index: index.watch(poll=0), "poll is 0; give a number from 0.01 to 86,400"),
    ("watchers", lambda index: index.watch(workers=257), "workers is 257; give a whole number from 0 to 256"),
    ("update", lambda index: index.update(max_bytes=10**9), "max_bytes is 1000000000; give a whole number from 1 to"),
    ("lock", lambda index: index.update(lock_seconds=-1), "lock_seconds is -1; give a number from 0 to 86,400"),
    ("contents", lambda index: index.update(contents=["all"]), "unknown content 'all'; known are code, docs, config"),
    ("encoder", lambda index: index.update(encoder=" "), "the encoder is empty"),
]


@pytest.mark.parametrize(("call", "message"), [one[1:] for one in TOO_MUCH], ids=[one[0] for one in TOO_MUCH])
def test_the_library_refuses_what_exceeds_a_limit(index: Index, call: Call, message: str) -> None:
    with pytest.raises(QueryError, match=re.escape(message)):
        call(index)


@pytest.mark.slow
def test_what_is_within_the_limits_is_answered(index: Index) -> None:
    question = "total " * 5_333  # 31,998 bytes
    globs = [f"!nowhere_{number}/**" for number in range(1_000)]
    assert index.search(question, k=1_000, paths=globs, related=100)[0].chunk.path == "cart.py"
    assert index.graph("Cart.total", depth=20, k=1_000) is not None
    assert index.impact("add", depth=20) is not None
    assert index.path_between("Cart.total", "add", k=10)
    assert index.map(question, budget=100_000)
    assert index.schema_context(question, k=1_000, budget=1_000_000).tables
    assert not index.symbols(text_of(NAME, 0))
    assert not index.refs(text_of(NAME, 0))


WRONG_TYPES: list[tuple[Call, str]] = [
    (lambda index: index.search(3), "the question is of type int; give a text or a Query"),  # type: ignore[arg-type]
    (lambda index: index.search("x", k="3"), "k is of type str; give a whole number"),  # type: ignore[arg-type]
    (lambda index: index.search("x", k=True), "k is of type bool; give a whole number"),
    (lambda index: index.search("x", paths="src/**"), "paths is of type str; give a list of texts"),
    (lambda index: index.search("x", kinds=3), "kinds is of type int; give a list of texts"),  # type: ignore[arg-type]
    (lambda index: index.search("x", languages=[3]), "an item of languages is of type int"),  # type: ignore[list-item]
    (lambda index: index.search("x", pipeline="linear"), "the pipeline is of type str"),  # type: ignore[arg-type]
    (lambda index: index.symbols(b"x"), "the name is of type bytes; give a text"),  # type: ignore[arg-type]
    (lambda index: index.tables({}), "the conditions are of type dict; give a TableFilter"),  # type: ignore[arg-type]
    (lambda index: index.check_sql(b"x"), "the SQL is of type bytes; give a text"),  # type: ignore[arg-type]
    (lambda index: index.graph(None), "the question is of type NoneType; give a text"),  # type: ignore[arg-type]
    (lambda index: index.map("x", budget=1.5), "budget is of type float"),  # type: ignore[arg-type]
    (lambda index: index.as_seen_by("hr"), "groups is of type str; give a list of texts"),
    (lambda index: index.update(paths="cart.py"), "paths is one path; give a list of paths"),
    (lambda index: index.update(workers="2"), "workers is of type str; give a whole number"),  # type: ignore[arg-type]
    (lambda _: Index.open(3), "a root is of type int; give a path"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("call", "message"), WRONG_TYPES, ids=[one[1] for one in WRONG_TYPES])
def test_a_value_of_another_type_is_a_type_error(index: Index, call: Call, message: str) -> None:
    with pytest.raises(TypeError, match=re.escape(message)):
        call(index)


def test_paths_that_are_none(root: Path, tmp_path: Path) -> None:
    many = [tmp_path] * 1_001
    calls: tuple[tuple[Callable[[], Index], str], ...] = (
        (lambda: Index.build(""), "a root is an empty path"),
        (lambda: Index.build(root, index=""), "the folder of the index is an empty path"),
        (lambda: Index.open("a\0b"), "a root is 'a\\x00b'; no path holds a NUL"),
        (lambda: Index.open("x" * 5_001), "a root has 5,001 bytes, which is more than 5,000"),
        (lambda: Index.open(*many), "1,001 roots are given; give at most 1,000"),
    )
    for call, message in calls:
        with pytest.raises(RootError, match=re.escape(message)):
            call()


@pytest.mark.slow
def test_what_other_modules_take(tmp_path: Path) -> None:
    (tmp_path / "shop.db").touch()
    (tmp_path / "long.jsonl").write_text(json.dumps({"query": LONG, "relevant": ["a.py"]}))
    with (tmp_path / "large.jsonl").open("wb") as file:
        file.truncate(int(QUESTION_FILE.most) + 1)
    calls: list[tuple[type[CoderagError], Callable[[], object], str]] = [
        (DatabaseError, lambda: inspect_database(str(tmp_path / "shop.db"), timeout=0), "timeout is 0; give a number"),
        (DatabaseError, lambda: inspect_database(str(tmp_path / "shop.db"), samples=101), "samples is 101; give"),
        (DatabaseError, lambda: explain(str(tmp_path / "shop.db"), "SELECT 1", timeout=-1), "timeout is -1; give"),
        (EncoderError, lambda: parse_encoder("bge-small?dimensions=100001"), "a whole number from 1 to 100,000"),
        (EvaluationError, lambda: read_questions(tmp_path / "long.jsonl"), '"query" has 40,000 bytes'),
        (EvaluationError, lambda: read_questions(tmp_path / "large.jsonl"), "has more than 100,000,000 bytes"),
        (QueryError, lambda: check_sql(text_of(SQL), []), "the SQL has 1,000,001 bytes"),
    ]
    for error, call, message in calls:
        with pytest.raises(error, match=re.escape(message)):
            call()


OPTIONS = [
    (["graph", "X", "--depth", "99999999999"], "argument --depth: 99999999999 is more than 20"),
    (["graph", "X", "--depth", "9" * 5_000], "argument --depth: a number of more than 18 digits is more than 20"),
    (["impact", "X", "--depth", "-1"], "argument --depth: "),
    (["search", "x", "-k", "1_0"], "argument -k: '1_0' is no whole number"),
    (["search", "x", "-k", "٣"], "argument -k: '٣' is no whole number"),
    (["search", "x", "--threshold", "nan"], "argument --threshold: 'nan' is no number from 0 to 1"),
    (["search", "x", "--diversity", "1e9"], "argument --diversity: 1e+09 is more than 1"),
    (["search", "ä" * 20_000], "argument QUERY: it has 40,000 bytes, which is more than 32,000"),
    (["search", "x", "--path", "x" * 1_001], "argument --path: it has 1,001 bytes, which is more than 1,000"),
    (["search", "x", *["--path", "a"] * 20_000], "argument --path: more than 1,000 globs"),
    (["search", "x", *["--kind", "function,method"] * 501], "argument --kind: more than 1,000 items"),
    (["search", "x", "--groups", ",".join(map(str, range(1_001)))], "argument --groups: more than 1,000 items"),
    (["search", "x", "--language", " , "], "argument --language: it is empty"),
    (["refs", "x" * 5_001], "argument TARGET: it has 5,001 bytes"),
    (["table", ""], "argument NAME: it is empty"),
    (["schema", "x", "--evidence", LONG], "argument --evidence: it has 40,000 bytes"),
    (["map", "--budget", "100001"], "argument --budget: 100001 is more than 100,000"),
    (["index", "--timeout", "0"], "argument --timeout: 0 is less than 1"),
    (["index", "--samples", "101"], "argument --samples: 101 is more than 100"),
    (["index", "--workers", "100000"], "argument --workers: 100000 is more than 256"),
    (["index", "--max-bytes", "1G"], "argument --max-bytes: 1000000000 is more than 100,000,000 bytes"),
    (["index", "--index", ""], "argument --index: it is empty"),
    (["index", ""], "argument ROOT: it is empty"),
    (["index", "--encoder", ""], "argument --encoder: it is empty"),
    (["search", "x", "--root", ""], "argument --root: it is empty"),
    (["erd", "-o", ""], "argument --output/-o: it is empty"),
    (["watch", "--poll", "1e-9"], "argument --poll: 1e-09 is less than 0.01"),
    (["watch", "--poll", "inf"], "argument --poll: inf is more than 86,400"),
    (["clean", "--max-size", "1001G"], "argument --max-size: 1001000000000 is more than 1,000,000,000,000 bytes"),
    (["eval", "--from-git", "--sample", "0"], "argument --sample: 0 is less than 1"),
    (["eval", "--from-git", "--seed", "4294967296"], "argument --seed: 4294967296 is more than 4,294,967,295"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("arguments", "message"), OPTIONS, ids=[" ".join(one[0])[:40] for one in OPTIONS])
def test_the_command_line_refuses_them_in_one_line(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        make_parser().parse_args(arguments)
    printed = capsys.readouterr()
    assert (end.value.code, printed.out) == (2, "")
    [line] = printed.err.splitlines()
    assert message in line
    assert len(line) < 1_000


@pytest.fixture(scope="module")
def coderag() -> Run:
    """Run commands in this process."""
    return run_here


@pytest.mark.parametrize("command", ["search", "schema", "map", "graph"])
def test_a_long_question_of_many_words_is_refused_before_any_work(coderag: Run, tmp_path: Path, command: str) -> None:
    write(tmp_path, FILES)
    done = coderag(command, *["word " * 2_000] * 4, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "coderag: the question has 40,003 bytes, which is more than 32,000\n"
    assert not (tmp_path / ".coderag").exists()


@pytest.fixture(scope="module")
def indexed(index: Index) -> Path:
    return index.roots[0].root


def answers(coderag: Run, root: Path, command: str, lines: list[str]) -> list[object]:
    done = coderag(command, "--batch", "--no-refresh", cwd=root, stdin="\n".join(lines) + "\n")
    assert (done.returncode, done.stderr) == (0, "")
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_a_bad_line_of_a_batch_is_answered_with_an_error(coderag: Run, indexed: Path) -> None:
    fields: list[tuple[dict[str, object], str]] = [
        ({"query": LONG}, "the question has 40,000 bytes"),
        ({"query": "x", "k": 10**30}, "k is a number of more than 18 digits"),
        ({"query": "x", "related": 101}, "related is 101"),
        ({"query": "x", "paths": ["a"] * 1_001}, "paths has more than 1,000 globs"),
        ({"query": "x", "threshold": float("nan")}, "threshold is nan"),
        ({"query": "x", "kinds": "function"}, "\"kinds\" is 'function'; give a list of texts"),
        ({"query": "x", "tests": {}, "expand": 3}, '"expand" is 3; give a text'),
        ({"query": "x", "k": {"a": "b" * 5_000}}, "\"k\" is {'a': "),
        ({"query": 3}, 'a line is an object with a text "query"'),
    ]
    lines = [json.dumps(one) for one, _ in fields]
    odd = {
        "[" * 100_000: "this line is not JSON: ",
        '{"query": "x", "k": ' + "9" * 5_000 + "}": "this line is not JSON: Exceeds the limit",
        "{": "this line is not JSON: ",
        "\0": "this line is not JSON: ",
        " " * (int(LINE.most) + 2): "this line has more than 4,000,000 bytes",
        json.dumps({"query": "x" * 5_000_000}): "this line has more than 4,000,000 bytes",
    }
    found = answers(coderag, indexed, "search", [*lines, *odd, json.dumps({"query": "total"})])
    assert len(found) == len(lines) + len(odd) + 1
    for answer, message in zip(found, [*(field[1] for field in fields), *odd.values()], strict=False):
        assert isinstance(answer, dict)
        assert answer["error"].startswith(message)
        assert len(answer["error"]) < 1_000
    last = found[-1]
    assert isinstance(last, list)
    assert last[0]["path"] == "cart.py"


def test_the_same_of_schemas(coderag: Run, indexed: Path) -> None:
    fields: list[tuple[dict[str, object], str]] = [
        ({"question": LONG}, "the question has 40,000 bytes"),
        ({"question": "x", "evidence": LONG}, "the evidence has 40,000 bytes"),
        ({"question": "x", "k": 1_001}, "k is 1001"),
        ({"question": "x", "budget": -1}, "budget is -1; give a whole number from 0 to 1,000,000"),
        ({"question": "x", "groups": ["a"] * 1_001}, "groups has more than 1,000"),
        ({"question": "x", "paths": ["x" * 1_001]}, "an item of paths has 1,001 bytes"),
        ({"question": "x", "database": 3}, '"database" is 3; give a text'),
    ]
    found = answers(coderag, indexed, "schema", [json.dumps(one) for one, _ in fields])
    for answer, (_, message) in zip(found, fields, strict=True):
        assert isinstance(answer, dict)
        assert answer["error"].startswith(message)
