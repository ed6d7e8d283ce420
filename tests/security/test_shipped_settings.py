"""Settings that came with a clone: where they may not lead, what they may not name, and files that never end."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.encoders.servers import serve, vectors
from tests.security.conftest import GENUINE, World, beside

pytestmark = pytest.mark.slow

ENDLESS = (
    *("coderag.toml", "pyproject.toml", ".gitignore", ".coderagignore", "tsconfig.json", "go.mod", "dbt_project.yml"),
    *(".coderag/manifest.json", ".coderag/lock", ".coderag/lock.json", ".coderag/.gitignore"),
    *(".coderag/databases/x-00000000.json", ".git/info/exclude", "cart.sql"),
)
KEY = "sk-of-the-user"


@pytest.mark.parametrize("kind", ["fifo", "/dev/zero"])
@pytest.mark.parametrize("place", ENDLESS)
def test_every_command_ends(world: World, place: str, kind: str) -> None:
    root = world.clone(GENUINE)
    path = root / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    if kind == "fifo":
        os.mkfifo(path)
    else:
        path.symlink_to(kind)
    world.keep()
    for command in (("search", "total", "--no-refresh"), ("index",), ("search", "total"), ("status",), ("clean", ".")):
        world.run(*command, cwd=root)  # which asserts that it ends, without a traceback
    assert world.changed(root / ".coderag", *beside(root)) == []


@pytest.mark.parametrize("file", ["coderag.toml", "pyproject.toml"])
def test_an_endpoint_on_this_machine_hears_nothing(world: World, file: str) -> None:
    table = "encoder" if file == "coderag.toml" else "tool.coderag.encoder"
    with serve(vectors) as server:
        root = world.clone({**GENUINE, file: f'[{table}]\nmodel = "{server.url}/v1/embeddings#m"\n'})
        for command in (("index",), ("search", "total"), ("index", "--rebuild")):
            done = world.run(*command, cwd=root, CODERAG_API_KEY=KEY)
            assert (done.code, "CODERAG_TRUST=127.0.0.1" in done.err) == (2, True), done
        assert server.requests == []
        trusted = world.run("index", cwd=root, CODERAG_API_KEY=KEY, CODERAG_TRUST="127.0.0.1")
        assert trusted.code == 0, trusted
        assert {request.headers["Authorization"] for request in server.requests} == {f"Bearer {KEY}"}


def test_an_endpoint_that_the_user_named_is_remembered(world: World) -> None:
    with serve(vectors) as server:
        root = world.clone(GENUINE)
        assert world.run("index", "--encoder", f"{server.url}/v1/embeddings#m", cwd=root).code == 0
        asked = len(server.requests)
        assert world.run("search", "how prices are added", cwd=root).code == 0
        assert len(server.requests) > asked
        # Another user who takes the index over did not name it.
        done = world.run("index", "--trust", cwd=root, XDG_DATA_HOME=str(world.top / "another"))
        asked = len(server.requests)
        done = world.run("search", "how prices are added", cwd=root, XDG_DATA_HOME=str(world.top / "another"))
        assert "CODERAG_TRUST" in done.err, done
        assert len(server.requests) == asked


@pytest.mark.parametrize(
    "model", ["onnx:./model", "./model", "hf:owner/name", "hf:BAAI/bge-small-en-v1.5@evil", "onnx:bge-small"]
)
def test_no_model_is_loaded_that_the_settings_alone_name(world: World, model: str) -> None:
    root = world.clone({**GENUINE, "coderag.toml": f'[encoder]\nmodel = "{model}"\n', "model/config.json": "{}"})
    done = world.run("index", cwd=root)
    assert (done.code, "CODERAG_TRUST" in done.err) == (2, True), done


def test_settings_lead_nowhere(world: World) -> None:
    (world.home / "secret.toml").write_text('[schema]\ndatabase = "of_the_user"\n')
    root = world.clone(GENUINE, links={"coderag.toml": str(world.home / "secret.toml")})
    done = world.run("index", cwd=root)
    assert (done.code, "leads out of the root" in done.err) == (2, True), done
    inside = world.clone(
        {**GENUINE, "settings/own.toml": "[schema]\ndatabase = 'named'\n"},
        name="inside",
        links={"coderag.toml": "settings/own.toml"},
    )
    assert "named" in world.run("tables", "--json", cwd=inside).out


def test_settings_are_of_one_megabyte_at_most(world: World) -> None:
    root = world.clone({**GENUINE, "coderag.toml": "#" * 1_100_000})
    done = world.run("index", cwd=root)
    assert (done.code, "is larger than 1,048,576 bytes" in done.err) == (2, True), done
    sparse = world.clone(GENUINE, name="sparse")
    os.truncate(_made(sparse / "coderag.toml"), 1 << 40)
    assert world.run("index", cwd=sparse).code == 2


def _made(path: Path) -> Path:
    path.touch()
    return path
