"""Searches that are not coderag's own, to what they find: BM25 and ripgrep for real, and programs good and bad."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from coderag import Index
from coderag.errors import EvaluationError
from coderag.evaluate.baselines.bm25 import bm25_search
from coderag.evaluate.baselines.process import LineProcess, run_command
from coderag.evaluate.baselines.program import ProgramSearch
from coderag.evaluate.baselines.ripgrep import keywords, ripgrep_search
from coderag.types import Kind, Query
from tests.workspace import write

PATIENCE = 30.0  # seconds for what takes a moment
FILES = {
    "shop/cart.py": '''
def add_to_cart(cart, product):
    """Put a product into the cart."""
    cart.append(product)


def checkout(cart):
    return sum(product.price for product in cart)
''',
    "shop/mail.py": '''
def send_receipt(address):
    """Mail a receipt for the cart."""
    return deliver(address, "receipt")
''',
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Index:
    folder = tmp_path_factory.mktemp("baselines")
    return Index.build(write(folder / "root", FILES), index=folder / "index", workers=0)


def python(code: str, *arguments: str) -> str:
    """Return a command that runs some Python."""
    return shlex.join([sys.executable, "-c", code, *arguments])


@pytest.mark.slow
@pytest.mark.dev("bm25s")
def test_bm25_ranks_whole_functions_by_their_words(shop: Index) -> None:
    search = bm25_search(shop)
    assert [hit.label for hit in search(Query("send a receipt", k=1))] == ["shop/mail.py:2 send_receipt"]
    (cart,) = search(Query("product", k=5, paths=("shop/c*",), kinds=frozenset({Kind.FUNCTION})))[:1]
    assert cart.label.startswith("shop/cart.py:")
    assert cart.confidence is None
    assert search(Query("of the and")) == search(Query("zebra")) == []
    assert search(Query("cart", languages=frozenset({"go"}))) == []


def test_bm25s_may_be_missing(shop: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "bm25s", None)
    with pytest.raises(EvaluationError, match=r"bm25s is not installed; run: pip install bm25s"):
        bm25_search(shop)


@pytest.mark.skipif(shutil.which("rg") is None, reason="ripgrep is not installed")
def test_ripgrep_prefers_chunks_that_hold_most_keywords(shop: Index) -> None:
    search = ripgrep_search(shop)
    labels = [hit.label for hit in search(Query("where is the PRODUCT put into the cart?"))]
    assert labels[0] == "shop/cart.py:2 add_to_cart"
    assert set(labels) == {"shop/cart.py:2 add_to_cart", "shop/cart.py:7 checkout", "shop/mail.py:2 send_receipt"}
    assert [hit.label for hit in search(Query("cart", k=5, paths=("shop/mail.py",)))] == ["shop/mail.py:2 send_receipt"]
    assert search(Query("--files of the")) == search(Query("zebra")) == search(Query("?")) == []


def test_ripgrep_may_be_missing(shop: Index, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EvaluationError, match=r"ripgrep \(rg\) is not installed, or not on the PATH"):
        ripgrep_search(shop)


def test_keywords_are_words_that_one_would_search_for() -> None:
    assert keywords("How is the Cart put into a cart by id?") == ["cart", "put"]


@pytest.fixture
def program(shop: Index) -> Callable[[str], list[str]]:
    def ask(command: str) -> list[str]:
        search = ProgramSearch(shop, command)
        try:
            return [hit.label for hit in search(Query("add to cart", k=2))]
        finally:
            search.close()

    return ask


@pytest.mark.slow
def test_coderag_is_a_program(shop: Index) -> None:
    index = shop.roots[0].index
    command = shlex.join([sys.executable, "-m", "coderag", "search", "--batch", "--index", str(index)])
    search = ProgramSearch(shop, f"{command} --root {{root}}")
    try:
        for question in ("add to cart", "receipt"):
            own = shop.search(question, k=2)
            hits = search(Query(question, k=2))
            assert [hit.label.rpartition(" ")[2] for hit in hits] == [hit.chunk.qualified_name for hit in own]
            assert [hit.confidence for hit in hits] == pytest.approx([hit.confidence for hit in own], abs=1e-4)
    finally:
        search.close()


def test_a_program_is_told_the_conditions(program: Callable[[str], list[str]], shop: Index) -> None:
    hit = "{'path': str(json.loads(input())), 'start_line': 1, 'end_line': 1}"
    echo = f"import json; print(json.dumps([{hit}]))"
    assert program(python(echo)) == ["{'query': 'add to cart', 'k': 2}:1"]
    search = ProgramSearch(shop, python(echo))
    try:
        query = Query("cart", k=3, kinds=frozenset({Kind.CLASS}), paths=("src/**",), languages=frozenset({"go"}))
        (told,) = search(query)
    finally:
        search.close()
    assert told.places[0][0] == str(
        {"query": "cart", "k": 3, "kinds": ["class"], "languages": ["go"], "paths": ["src/**"]}
    )


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("nonsense", "is no JSON: nonsense"),
        ('{"hits": []}', "is no array of hits"),
        ('{"error": "out of tea"}', "answered 'add to cart' with an error: out of tea"),
        ('["a.py"]', 'has a hit without "path", "start_line" and "end_line"'),
        ('[{"path": "a.py", "start_line": 3, "end_line": 1}]', "has a hit without"),
        ('[{"path": "a.py", "start_line": true, "end_line": 2}]', "has a hit without"),
        ("[" * 20_000, "is no JSON"),
    ],
)
def test_an_answer_that_is_none_ends_it(answer: str, said: str, program: Callable[[str], list[str]]) -> None:
    with pytest.raises(EvaluationError) as caught:
        program(python(f"input(); print({answer!r})"))
    assert said in str(caught.value)
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("no-such-program-anywhere {root}", "no-such-program-anywhere cannot be run: No such file"),
        ("", "program= names no command"),
        ("grep 'x", "is no command: No closing quotation"),
        (python("import sys; sys.exit(7)"), "ended without an answer, exit status 7"),
    ],
)
def test_a_program_that_cannot_answer(command: str, said: str, program: Callable[[str], list[str]]) -> None:
    with pytest.raises(EvaluationError, match=said):
        program(command)


def test_there_is_no_shell(program: Callable[[str], list[str]], tmp_path: Path) -> None:
    code = "import sys, json; input(); print(json.dumps([{'path': sys.argv[1], 'start_line': 1, 'end_line': 2}]))"
    assert program(python(code, f"; touch {tmp_path}/made; $(id)")) == [f"; touch {tmp_path}/made; $(id):1"]
    assert not (tmp_path / "made").exists()


def test_time_is_limited() -> None:
    slow = LineProcess([sys.executable, "-c", "import time; time.sleep(600)"])
    try:
        with pytest.raises(EvaluationError, match=r"did not answer within 0\.1 s"):
            slow.ask("{}", seconds=0.1)
    finally:
        slow.close()
    with pytest.raises(EvaluationError, match=r"did not end within 0\.1 s"):
        run_command([sys.executable, "-c", "import time; time.sleep(600)"], folder=Path.cwd(), seconds=0.1)


@pytest.mark.skipif(os.name != "posix", reason="process groups")
def test_what_a_program_started_ends_with_it() -> None:
    starting = "import subprocess; child = subprocess.Popen(['sleep', '600'])"
    code = f"{starting}; input(); print(child.pid, flush=True); input()"
    started = LineProcess([sys.executable, "-c", code])
    child = int(started.ask("who", seconds=PATIENCE))
    os.kill(child, 0)
    started.close()
    until = time.monotonic() + PATIENCE
    while _runs(child):
        assert time.monotonic() < until
        time.sleep(0.01)


def _runs(process: int) -> bool:
    """Tell whether a process runs; one that ended and was not waited for does not."""
    try:
        return Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_program_searches_one_root(shop: Index, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    with (
        Index.build(shop.roots[0].root, tmp_path / "other", index=tmp_path / "index", workers=0) as both,
        pytest.raises(EvaluationError, match="a program searches one root"),
    ):
        ProgramSearch(both, "true")
