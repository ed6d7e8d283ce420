"""Secrets of files in an index: nowhere in it, told of, and kept where that is asked for."""

from __future__ import annotations

import base64
import json
import zlib
from pathlib import Path

import pytest

from coderag import Index
from coderag.files.privacy.secrets import identity
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.segment import Segment
from tests.files.privacy.tokens import made, pem
from tests.workspace import write

pytestmark = pytest.mark.slow

TOKEN = made("ghp_<w36>")
PASSWORD = made("<w14>7")
KEY = pem("PRIVATE KEY")
FILES = {
    "shop/client.py": (
        f'TOKEN = "{TOKEN}"\n\n\ndef connect():\n    """Open the shop with {TOKEN}."""\n    return login("{TOKEN}")\n'
    ),
    "shop/keys.go": "package shop\n\nconst key = `" + "\n".join(KEY) + "`\n",
    "schema.sql": (
        f"CREATE TABLE remote (url text DEFAULT 'https://shop:{PASSWORD}@host/');\n"
        f"INSERT INTO remote VALUES ('https://shop:{PASSWORD}@host/');\n"
        f"SELECT url FROM remote WHERE url = 'https://shop:{PASSWORD}@host/';\n"
    ),
    "README.md": f"# Shop\n\nCall `curl https://shop:{PASSWORD}@host/`.\n",
    "plain.py": "def plain():\n    return 1\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "root", FILES)


def everything(folder: Path) -> bytes:
    """Return all bytes of an index, those that are deflated inflated."""
    found = [path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()]
    for path in sorted((folder / "segments").iterdir()):
        segment = Segment(IndexPath(path))
        for file in range(len(segment.paths)):
            facts = segment.deflated_facts(file)
            found += [segment.text(file), zlib.decompress(facts) if facts else b""]
        found += [repr(segment.details(chunk)).encode() for chunk in range(len(segment))]
    return b"\n".join(found)


def test_no_secret_is_anywhere_in_the_index(root: Path) -> None:
    with Index.build(root, workers=1) as index:
        said = everything(root / ".coderag")
        for secret in (TOKEN, PASSWORD, *KEY[1:-1]):
            assert secret.encode() not in said
            assert not any(secret in hit.chunk.text for hit in index.search(f"{secret} shop client", k=10))
        assert "def connect():" in index.search("open the shop", k=1)[0].chunk.text
        assert index.catalog.tables
        assert TOKEN not in "".join(symbol.doc + symbol.signature for symbol in index.outline("shop/client.py"))


def test_no_secret_of_a_deployment_is_anywhere_in_the_index(tmp_path: Path) -> None:
    def encoded(text: str) -> str:
        return base64.b64encode(text.encode()).decode()

    aws, letters = made("<b38>a9"), made("<c14>")
    secrets = {
        "value": encoded(PASSWORD),
        "plain": made("<w15>8"),
        "json": encoded(made("<w16>9")),
        "basic": encoded(f"shop:{PASSWORD}"),
        "key": encoded("\n".join(KEY))[60:-60],
        "letters": letters,
        "aws": aws,
    }
    manifest = f"kind: Secret\ndata:\n  a: {secrets['value']}\nstringData:\n  b: {secrets['plain']}\n"
    files = {
        "deploy/secret.yaml": manifest,
        "deploy/secret.json": json.dumps({"kind": "Secret", "data": {"a": secrets["json"]}}),
        "deploy/kubeconfig.yaml": f"users:\n- user:\n    client-key-data: {encoded(chr(10).join(KEY))}\n",
        "deploy/config.yaml": f"kind: ConfigMap\ndata:\n  a: {encoded('of a config map')}\n",
        "docs/deploy.md": f"# Deploy\n\n```yaml\n{manifest}```\n\nAuthorization: Basic {secrets['basic']}\n",
        "shop/settings.py": f"URL = 'postgres://shop:{letters}@db/shop'\nAWS = ('{made('AKIA<v16>')}', '{aws}')\n",
    }
    root = write(tmp_path / "root", files)
    with Index.build(root, contents=("code", "docs", "config"), workers=1) as index:
        said = everything(root / ".coderag")
        assert [name for name, secret in secrets.items() if secret.encode() in said] == []
        assert encoded("of a config map").encode() in said
        counts = {one.path: len(one.secrets) for one in index.status()[0].masked}
        assert counts == {
            "deploy/kubeconfig.yaml": 1,
            "deploy/secret.json": 1,
            "deploy/secret.yaml": 2,
            "docs/deploy.md": 3,
            "shop/settings.py": 3,
        }


def test_other_rules_read_all_again(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Index.build(root, workers=0) as index:
        monkeypatch.setattr(identity, "RULES_VERSION", identity.RULES_VERSION + 1)
        index.update(workers=0)
        assert "masking of secrets" in index.reports[0].rebuilt
        index.update(workers=0)
        assert index.reports[0].read == 0


def test_lines_and_names_stay(root: Path) -> None:
    with Index.build(root, workers=1) as index:
        chunks = [chunk for path in ("shop/client.py", "shop/keys.go") for chunk in index.chunks(path)]
        kept = Index.build(root, index=root.parent / "kept", mask=False, workers=1)
        plain = [chunk for path in ("shop/client.py", "shop/keys.go") for chunk in kept.chunks(path)]
        assert [(one.span, one.name, one.kind) for one in chunks] == [(one.span, one.name, one.kind) for one in plain]
        assert TOKEN in "".join(one.text for one in plain)


def test_status_says_what_and_where(root: Path) -> None:
    with Index.build(root, workers=1) as index:
        [status] = index.status()
        assert status.mask
        found = {one.path: [(secret.line, secret.kind) for secret in one.secrets] for one in status.masked}
        assert found == {
            "README.md": [(3, "password in a URL")],
            "schema.sql": [(row, "password in a URL") for row in (1, 2, 3)],
            "shop/client.py": [(row, "GitHub token") for row in (1, 5, 6)],
            "shop/keys.go": [(4, "private key")],
        }
        (root / "shop/client.py").write_text("def connect():\n    return login()\n")
        index.update(workers=0)
        assert "shop/client.py" not in {one.path for one in index.status()[0].masked}


def test_what_is_found_outlives_a_merge(root: Path) -> None:
    with Index.build(root, workers=0) as index:
        for number in range(8):
            write(root, {f"more/m{number}.py": f"def more{number}():\n    return '{made('npm_<w36>', number)}'\n"})
            index.update(workers=0)
        index.merge()
        [status] = index.status()
        assert sum(len(one.secrets) for one in status.masked) == 8 + 8


def test_the_switch_is_kept_and_turning_it_reads_all_again(root: Path) -> None:
    with Index.build(root, mask=False, workers=0) as index:
        assert not index.status()[0].mask
        assert index.status()[0].masked == ()
        index.update(workers=0)
        assert index.reports[0].read == 0
        assert any(TOKEN in chunk.text for chunk in index.chunks("shop/client.py"))
        index.update(mask=True, workers=0)
        assert "masking of secrets" in index.reports[0].rebuilt
        assert not any(TOKEN in chunk.text for chunk in index.chunks("shop/client.py"))
        assert TOKEN.encode() not in everything(root / ".coderag")
    again = Index.build(root, workers=0)
    assert again.status()[0].mask
