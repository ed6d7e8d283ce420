"""Models and endpoints that a repository names: in its settings, or in an index that somebody takes over."""

from __future__ import annotations

from typing import Any

import pytest

from coderag.encoders.opening import open_encoder
from coderag.encoders.spec import encoder_of_settings, parse_encoder
from coderag.errors import EncoderError, SettingsError
from coderag.index.build.embed import Embedding
from coderag.index.storage.manifest import Manifest
from tests.commands import Commands
from tests.encoders.servers import serve, vectors
from tests.security.conftest import GENUINE, World
from tests.security.forged import KEY, Forged

LINES = {
    "loopback": 'model = "{url}/v1/embeddings#m"',
    "by name": 'model = "{local}/v1/embeddings#m"',
    "in capitals": 'model = "{shout}/v1/embeddings#m"',
    "with a user": 'model = "{user}/v1/embeddings#m"',
    "an address as an option": 'model = "bge-small"\nurl = "{url}"',
    "an address behind a word": 'model = "static?url={url}"',
    "a service": 'model = "openai:text-embedding-3-small"',
    "a service on this machine": 'model = "ollama:x"',
    "a file": 'model = "file://localhost/etc/passwd"',
    "a folder by its name": 'model = "model"',
    "a folder called as a preset": 'model = "onnx:bge-small"',
    "code": 'model = "bge-small"\ntrust_remote_code = true',
    "a revision": 'model = "bge-small"\nrevision = "refs/pr/1"',
    "no text": "model = 5",
    "nothing": 'revision = "x"',
}
MODELS = {"model/model.onnx": b"x", "bge-small/model.onnx": b"x", "BAAI/bge-small-en-v1.5/config.json": b"{}"}
KEYS = {"CODERAG_API_KEY": "sk-of-the-user", "OPENAI_API_KEY": "sk-of-the-user", "HF_HUB_OFFLINE": "1"}


@pytest.mark.slow
@pytest.mark.parametrize("name", LINES)
def test_settings_alone_reach_nobody(world: World, name: str) -> None:
    with serve(vectors) as server:
        port = server.url.rpartition(":")[2]
        line = LINES[name].format(
            url=server.url,
            local=f"http://localhost:{port}",
            shout=server.url.upper(),
            user=f"http://user:word@127.0.0.1:{port}",
        )
        for file, table in (("coderag.toml", "encoder"), ("pyproject.toml", "tool.coderag.encoder")):
            root = world.clone({**GENUINE, **MODELS, file: f"[{table}]\n{line}\n"}, file.partition(".")[0])
            done = world.run("index", "-q", "--workers", "0", cwd=root, **KEYS)
            assert (done.code, done.err.count("\n")) == (2, 1), done
            assert world.changed(root / ".coderag") == []
        assert server.requests == []


ENCODERS: dict[str, dict[str, Any]] = {
    "a file": {"kind": "http", "url": "file://localhost/etc/passwd"},
    "an endpoint": {"kind": "http", "url": "URL"},
    "a model": {"kind": "transformers", "model": "owner/name"},
    "code": {"kind": "transformers", "model": "BAAI/bge-small-en-v1.5", "trust_remote_code": True},
    "a folder": {"kind": "onnx", "model": "model"},
    "a folder called as a preset": {"kind": "onnx", "model": "bge-small"},
    "a kind of its own": {"kind": "../../model", "model": "x"},
    "no kind": {"model": "x"},
}


@pytest.fixture(scope="module")
def forged(tmp_path_factory: pytest.TempPathFactory, commands: Commands) -> Forged:
    """The index of somebody else."""
    world = World(tmp_path_factory.mktemp("attacker"), commands)
    root = world.clone(GENUINE)
    world.run("index", "-q", "--workers", "0", cwd=root)
    return Forged(root)


@pytest.mark.slow
@pytest.mark.parametrize("name", ENCODERS)
def test_an_index_that_is_trusted_reaches_nobody(world: World, forged: Forged, name: str) -> None:
    with serve(vectors) as server:
        encoder = {
            key: value.replace("URL", server.url) if key == "url" else value for key, value in ENCODERS[name].items()
        }

        def change(table: dict[str, Any]) -> None:
            table["manifest"] |= {"encoder": encoder, "encoder_named": True}

        root = world.clone(GENUINE | MODELS | forged.files(change, key=KEY))
        for command in (("index", "-q", "--trust"), ("search", "total"), ("search", "--no-refresh", "total")):
            done = world.run(*command, cwd=root, **KEYS)
            assert "model.onnx" not in done.err  # it was not opened
            assert done.code in {0, 2}
        assert server.requests == []
        assert world.changed(root / ".coderag") == []


@pytest.mark.slow
def test_a_revision_of_a_foreign_index_is_not_taken(world: World, forged: Forged) -> None:
    encoder = {"kind": "transformers", "model": "BAAI/bge-small-en-v1.5", "revision": "refs/pr/1"}
    root = world.clone(GENUINE | forged.files(lambda table: table["manifest"].update(encoder=encoder), key=KEY))
    world.run("index", "-q", "--trust", cwd=root, HF_HUB_OFFLINE="1")
    assert "refs/pr/1" not in (root / ".coderag/manifest.json").read_text(errors="replace")


def test_the_name_of_a_preset_is_no_folder(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bge-small").mkdir()
    (tmp_path / "bge-small/model.onnx").write_bytes(b"x")
    from coderag.encoders.spec import EncoderSpec

    with pytest.raises(EncoderError, match="CODERAG_TRUST"):
        open_encoder(EncoderSpec.from_dict({"kind": "onnx", "model": "bge-small"}))


def test_who_named_a_model_did_not_let_it_run_code(tmp_path: Any) -> None:
    """Settings that a pull brings name the model that the user named, and ask for more."""
    named = parse_encoder("hf:owner/name")
    made = Manifest(root="", repository="", encoder=named.as_dict(), encoder_named=True, vectors="0")
    same = encoder_of_settings({"model": "hf:owner/name"}, base=tmp_path)
    more = encoder_of_settings({"model": "hf:owner/name", "trust_remote_code": True}, base=tmp_path)
    assert Embedding.of(made, same).spec.trusted
    assert not Embedding.of(made, more).spec.trusted
    with pytest.raises(SettingsError, match="CODERAG_TRUST"):
        encoder_of_settings({"model": "hf:owner/name@refs/pr/1"}, base=tmp_path)
    allowed = parse_encoder("hf:owner/name?trust_remote_code=true")
    made = Manifest(root="", repository="", encoder=allowed.as_dict(), encoder_named=True, vectors="0")
    assert Embedding.of(made, more).spec.trusted
