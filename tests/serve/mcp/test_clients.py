"""The official client in every mode, and the Inspector, which are the oracles of the protocol."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import anyio
import pytest

from coderag.serve.tools import TOOLS
from tests.growth import HANG_SECONDS
from tests.serve.mcp.session import COMMAND, ENVIRONMENT, LEGACY, MODERN

pytestmark = pytest.mark.slow

QUESTION = "where are failed payments retried?"
INSPECTOR = os.environ.get("CODERAG_TEST_INSPECTOR") or shutil.which("mcp-inspector")


@pytest.mark.parametrize(("mode", "version"), [("legacy", LEGACY), ("auto", MODERN), (MODERN, MODERN)])
def test_the_official_client_is_answered(shop: Path, mode: str, version: str) -> None:
    from mcp import Client, StdioServerParameters  # it takes a second, which those who leave this test out save

    program, *arguments = COMMAND
    server = StdioServerParameters(command=program, args=[*arguments, "--root", str(shop)], env=dict(ENVIRONMENT))

    async def talk() -> None:
        with anyio.fail_after(HANG_SECONDS):
            async with Client(server, mode=mode) as client:
                assert client.protocol_version == version
                assert [tool.name for tool in (await client.list_tools()).tools] == list(TOOLS)
                result = await client.call_tool("search", {"query": QUESTION})
                assert not result.is_error
                assert "shop/payments/retry.py" in str(result.content)
                assert (await client.call_tool("search", {"query": 7})).is_error

    anyio.run(talk)


@pytest.mark.skipif(
    INSPECTOR is None,
    reason="needs the Inspector: npm install -g @modelcontextprotocol/inspector, or CODERAG_TEST_INSPECTOR=PROGRAM",
)
@pytest.mark.parametrize(
    ("method", "expected"),
    [
        (["tools/list"], '"readOnlyHint"'),
        (["tools/call", "--tool-name", "search", "--tool-arg", f"query={QUESTION}"], "shop/payments/retry.py"),
    ],
    ids=["list", "call"],
)
def test_the_inspector_is_answered(shop: Path, method: list[str], expected: str) -> None:
    done = subprocess.run(
        [str(INSPECTOR), "--cli", *COMMAND, "--root", str(shop), "--method", *method],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=HANG_SECONDS,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)
    assert expected in done.stdout
