"""The query language: what is a term, and what stays a question as it is."""

from __future__ import annotations

import re
from importlib.util import find_spec

import pytest

from coderag import Index, Query
from coderag.errors import QueryError
from coderag.search.query.language import parse_query
from coderag.types import Case, Field, Term, TestPolicy
from tests.workspace import write

QUESTIONS = (
    "where are failed payments retried?",
    "retry or backoff",
    "what is file: for?",
    'how is the "retry" flag read',
    'who sets "User-Agent"?',
    'Fix pytest.warns re-emitting warnings with module="warnings"',
    'Enforcing "NOT" and "-" queries consistency in UserInputAst',
    '"retry" or backoff',
    "what does the -x option do",
    "tar -xzf archive",
    "gcc -Wall",
    "std::vector",
    "Cart.total",
    "operator/",
    "/path/to/file",
    "/etc/nginx/",
    "/api/v1.2/ /users/",
    "https://example.com/a/ file:///etc/hosts",
    "C:\\Users\\me\\",
    '{"file": "main.go", "lang": "go"}',
    "kind: Deployment",
    "npm run test:unit",
    "symbol::name",
    "def open(self, path:str, mode:int)",
    "def open(self, path:str)",
    "f(x) -> (a or b)",
    '$(run_all "main")',
    "at '$(path_of \"main.c\")'",
    "a (b) c",
    '"',
    '""',
    '" "',
    "-",
    "()",
    "or",
    "repo:",
    'say "hello',
)


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_stays_as_it_is(question: str) -> None:
    parsed = parse_query(question)
    assert (parsed.text, parsed.clauses, parsed.tests) == (question, (), None)


def shown(text: str) -> str:
    """Return a parsed text as clauses and the question that is left."""
    parsed = parse_query(text)
    clauses = [" or ".join(f"{'-' * term.negated}{_value(term)}" for term in clause) for clause in parsed.clauses]
    return " & ".join(clauses) + (f" ? {parsed.text}" if parsed.text else "")


def _value(term: Term) -> str:
    return f"{term.field}:{f'/{term.value}/' if term.regex else term.value}"


GOLDEN = {
    '"connection refused"': "text:connection refused",
    '"connection refused" retry loop': "text:connection refused ? connection refused retry loop",
    r'"say \"hi\""': 'text:say "hi"',
    r'"C:\Users"': r"text:C:\Users",
    '"a" "b"': "text:a & text:b",
    '"a" or "b"': "text:a or text:b",
    '("a" OR "b") lang:go': "text:a or text:b & lang:go",
    'retry -"test only"': "-text:test only ? retry",
    'Retry "connection refused"': "text:connection refused ? Retry connection refused",
    'Retry loop lang:go "refused"': "lang:go & text:refused ? Retry loop refused",
    "retry -slow lang:go": "-text:slow & lang:go ? retry",
    "sym:Cart": "sym:Cart",
    "symbol:total -kind:method": "sym:total & -kind:method",
    "file:*.go path:src/": "file:*.go & file:src/",
    'file:"my notes"': "file:my notes",
    "file:main or file:app serve": "file:main or file:app ? serve",
    "lang:C++ vector": "lang:C++ ? vector",
    "where is the cart emptied lang:python": "lang:python ? where is the cart emptied",
    'where is "x" set lang:go': 'lang:go ? where is "x" set',
    "repo:billing invoice": "repo:billing ? invoice",
    "test:no retry": "-test: ? retry",
    "-test:only retry": "-test: ? retry",
    "test:only retry": "test: ? retry",
}
GOLDEN_REGEX = {
    r"/retry_\w+\(/": r"text:/retry_\w+\(/",
    r"/a\/b+/": "text:/a/b+/",
    r"-/a+/ lang:go": "-text:/a+/ & lang:go",
    r"sym:/^get_/ file:/\.go$/": r"sym:/^get_/ & file:/\.go$/",
}
needs_re2 = pytest.mark.skipif(find_spec("re2") is None, reason="google-re2 is not installed")


@pytest.mark.parametrize("text", GOLDEN)
def test_terms(text: str) -> None:
    assert shown(text) == GOLDEN[text]


@needs_re2
@pytest.mark.parametrize("text", GOLDEN_REGEX)
def test_terms_with_expressions(text: str) -> None:
    assert shown(text) == GOLDEN_REGEX[text]


def test_tests_that_are_asked_for_are_not_demoted() -> None:
    assert parse_query("test:only cart").tests is TestPolicy.INCLUDE
    assert parse_query("test:yes cart") == parse_query("cart test:yes")
    assert parse_query("test:yes cart").tests is TestPolicy.INCLUDE
    assert parse_query("test:no cart").tests is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cart kind:functon", 'column 6 of the query: unknown kind "functon", did you mean "function"; kinds are '),
        ("lang:pyhton cart", 'column 1 of the query: unknown language "pyhton", did you mean "python"; run '),
        ("lang:klingon cart", '; for the text itself, write "lang:klingon" in quotes'),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text: str, message: str) -> None:
    with pytest.raises(QueryError, match=re.escape(message)):
        parse_query(text)


@needs_re2
@pytest.mark.parametrize(
    ("text", "message"),
    [
        (r"cart /(total/", "column 6 of the query: the regular expression '(total' is not valid: missing ): "),
        (r"/(?<=a)b/", "at column 1 it looks around, which no engine does in linear time"),
        (r"/(a)\1/", "at column 4 it refers back to a group"),
        (r"/a*/", "matches the empty text"),
    ],
)
def test_a_wrong_expression_is_said_with_its_place(text: str, message: str) -> None:
    with pytest.raises(QueryError, match=re.escape(message)):
        parse_query(text)


@pytest.mark.parametrize("text", ['"' * 30_000, "( " * 15_000, '"a" or ' * 4_000, "/" * 30_000, "-a " * 10_000])
def test_long_nonsense_is_read_at_once(text: str) -> None:
    parse_query(text)


FILES = {
    "src/cart.py": "class Cart:\n    def total(self):\n        return connect('refused')\n",
    "src/order.go": "package order\n\n// Total of an order: connection refused.\nfunc Total() int { return 1 }\n",
    "tests/test_cart.py": "def test_total():\n    assert Cart().total() == 'connection refused'\n",
    "docs/cart.md": "# Cart\n\nConnection refused: see the total.\n",
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    return Index.build(write(tmp_path_factory.mktemp("language"), FILES), workers=0, graph=False)


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ('"connection refused"', {"src/order.go", "tests/test_cart.py", "docs/cart.md"}),
        ('"Connection refused"', {"docs/cart.md"}),
        ('"connection refused" test:no', {"src/order.go", "docs/cart.md"}),
        ('"connection refused" test:only', {"tests/test_cart.py"}),
        ('"connection refused" -lang:go total', {"tests/test_cart.py", "docs/cart.md"}),
        ("sym:total", {"src/cart.py", "src/order.go", "tests/test_cart.py"}),
        ("sym:total lang:go or lang:markdown", {"src/order.go"}),
        ("sym:Total", {"src/order.go"}),
        ("total file:cart -file:tests/", {"src/cart.py", "docs/cart.md"}),
        ("total file:/src/ kind:method", {"src/cart.py"}),
        ("total kind:section or kind:method", {"src/cart.py", "docs/cart.md"}),
    ],
)
def test_an_index_answers_in_the_language(index: Index, text: str, paths: set[str]) -> None:
    found = {hit.chunk.path for hit in index.search(text, k=20, collapse=False)}
    assert found == paths


@pytest.mark.parametrize(
    "text", ['Now processing table "3f2a"', 'Cannot find "orders" here', 'Account #7 ("https://example.org/a?b=1")']
)
def test_a_message_with_quoted_values_is_no_phrase(text: str) -> None:
    assert parse_query(text).clauses == ()


def test_a_phrase_that_nothing_has_is_a_quotation(index: Index) -> None:
    assert parse_query('connection refused cluster "zz3f"').clauses
    assert "src/order.go" in {hit.chunk.path for hit in index.search('connection refused cluster "zz3f"')}
    assert index.search('"zz3f"') == index.search('cart "zz3f"') == []


def test_what_a_negated_phrase_is_in_is_no_hit(index: Index) -> None:
    assert any("refused" in hit.chunk.text for hit in index.search("total", k=20))
    found = index.search('total -"refused"', k=20)
    assert found
    assert not any("refused" in hit.chunk.text for hit in found)


def test_a_query_brings_its_text_as_it_is(index: Index) -> None:
    assert {hit.chunk.path for hit in index.search(Query('"connection refused"', k=20))} > {"src/order.go"}


def test_conditions_beside_the_text_narrow_it_further(index: Index) -> None:
    [hit] = index.search('"connection refused"', languages={"go"})
    assert hit.chunk.path == "src/order.go"
    clause = (Term(Field.TEXT, "Connection", case=Case.SENSITIVE),)
    [hit] = index.search('"connection refused"', clauses=(clause,))
    assert hit.chunk.path == "docs/cart.md"


def test_an_unknown_repository_is_named(index: Index) -> None:
    with pytest.raises(QueryError, match="no file is of a repository with 'nowhere' in its name; known are "):
        index.search("repo:nowhere cart")


def test_a_part_of_a_path_may_cross_folders(index: Index) -> None:
    assert {hit.chunk.path for hit in index.search("file:c/car")} == {"src/cart.py"}
