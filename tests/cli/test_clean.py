"""`coderag clean`: caches made smaller and indexes removed, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from coderag.encoders.encoder import Array, EncoderIdentity, Passage, unit_rows
from coderag.encoders.vector_cache import CachedEncoder, cache_path
from tests.cli.conftest import Run

pytestmark = pytest.mark.slow

PARTS = ("vectors", "segments", "pulled", "ranges", "answers", "replies", "summaries", "clones")


class Encoder:
    """An encoder of random vectors."""

    identity = EncoderIdentity("test", "random", dimensions=256)

    def encode_passages(self, passages: Sequence[Passage]) -> Array:
        return unit_rows(np.random.default_rng(1).normal(size=(len(passages), 256)).astype(np.float32))

    def encode_query(self, text: str) -> Array:
        raise AssertionError(f"nobody asks {text!r}")


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """The home of a cache with 2,000 vectors."""
    home = tmp_path / "cache"
    encoder = CachedEncoder(Encoder(), cache_path({"XDG_CACHE_HOME": str(home)}))
    encoder.encode_passages([Passage("f", "", "a.py", f"def f{number}(): ...") for number in range(2000)])
    return home


def test_the_size_of_the_cache(coderag: Run, cache: Path, tmp_path: Path) -> None:
    done = coderag("clean", cwd=tmp_path, XDG_CACHE_HOME=str(cache))
    assert done.returncode == 0
    assert [row.split()[0] for row in done.stdout.splitlines()] == ["Part", *PARTS]
    assert "removed" not in done.stdout
    [vectors, segments, *_] = json.loads(coderag("clean", "--json", cwd=tmp_path, XDG_CACHE_HOME=str(cache)).stdout)
    assert vectors["bytes"] > 1_000_000
    assert (vectors["removed"], segments["bytes"]) == (0, 0)


def test_the_cache_is_made_smaller(coderag: Run, cache: Path, tmp_path: Path) -> None:
    file = cache_path({"XDG_CACHE_HOME": str(cache)})
    before = file.stat().st_size
    dry = coderag("clean", "--max-size", "500kB", "--dry-run", cwd=tmp_path, XDG_CACHE_HOME=str(cache))
    assert "would go" in dry.stdout
    assert file.stat().st_size == before
    done = coderag("clean", "--max-size", "500kB", cwd=tmp_path, XDG_CACHE_HOME=str(cache))
    assert "removed" in done.stdout
    assert 100_000 < file.stat().st_size <= 500_000


def test_the_cache_is_emptied(coderag: Run, cache: Path, tmp_path: Path) -> None:
    segment = cache / "coderag/segments/one"
    segment.mkdir(parents=True)
    (segment / "arrays.bin").write_bytes(b"x" * 5000)
    pulled = cache / "coderag/pulled" / ("0a" * 16)
    pulled.mkdir(parents=True)
    (pulled / "manifest.json").write_bytes(b"x" * 300)
    for name in ("answers/{}.json", "replies/{}.reply", "summaries/{}", "ranges/{}"):
        file = cache / "coderag" / name.format("0a" * 32)
        file.parent.mkdir()
        file.write_text("{}")
    kept = cache / "somebody-elses"
    kept.write_text("x")
    cleaned = json.loads(coderag("clean", "--all", "--json", cwd=tmp_path, XDG_CACHE_HOME=str(cache)).stdout)
    assert [(one["part"], one["bytes"] - one["removed"]) for one in cleaned] == [(part, 0) for part in PARTS]
    assert [one["removed"] for one in cleaned if one["part"] in ("pulled", "answers", "replies", "summaries")] == [
        300,
        2,
        2,
        2,
    ]
    assert not [one for one in (cache / "coderag").rglob("*") if one.is_file()]
    assert kept.exists()


def test_the_index_of_a_root(coderag: Run, project: Path) -> None:
    coderag("index", cwd=project)
    dry = coderag("clean", ".", "--dry-run", cwd=project)
    assert "would go" in dry.stdout
    assert (project / ".coderag/manifest.json").exists()
    done = coderag("clean", ".", cwd=project)
    assert done.returncode == 0
    assert not (project / ".coderag").exists()
    assert (project / "src/cart.py").exists()
    assert coderag("clean", ".", cwd=project).returncode == 2


def test_an_index_elsewhere(coderag: Run, project: Path, tmp_path: Path) -> None:
    coderag("index", project, "--index", tmp_path / "idx", cwd=tmp_path)
    assert coderag("clean", "--index", tmp_path / "idx", cwd=tmp_path).returncode == 0
    assert not (tmp_path / "idx").exists()


def test_what_is_no_index_stays(coderag: Run, project: Path, tmp_path: Path) -> None:
    (tmp_path / "data/segments").mkdir(parents=True)
    (tmp_path / "data/manifest.json").write_text('{"name": "an app"}')
    (tmp_path / "data/lock").write_text("")
    done = coderag("clean", project, "--index", tmp_path / "data", cwd=tmp_path)
    assert done.returncode == 2
    assert "is no index of coderag" in done.stderr
    assert (tmp_path / "data/manifest.json").exists()


def test_files_of_others_stay(coderag: Run, project: Path) -> None:
    coderag("index", cwd=project)
    (project / ".coderag/notes.txt").write_text("mine")
    done = coderag("clean", ".", cwd=project)
    assert "notes.txt" in done.stderr
    assert [one.name for one in (project / ".coderag").iterdir()] == ["notes.txt"]


def test_links_are_not_followed(coderag: Run, project: Path, tmp_path: Path) -> None:
    coderag("index", cwd=project)
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "file").write_text("x")
    (project / ".coderag/segments/link").symlink_to(precious)
    (project / ".coderag").rename(tmp_path / "real")
    (project / ".coderag").symlink_to(tmp_path / "real")
    done = coderag("clean", ".", cwd=project)
    assert done.returncode == 2
    assert "is a link" in done.stderr
    assert (tmp_path / "real/manifest.json").exists()
    assert coderag("clean", project, "--index", tmp_path / "real", cwd=tmp_path).returncode == 0
    assert (precious / "file").exists()


def test_what_a_first_build_left_unfinished(coderag: Run, project: Path) -> None:
    (project / ".coderag/segments/half").mkdir(parents=True)
    (project / ".coderag/lock").write_text("")
    assert coderag("clean", ".", cwd=project).returncode == 0
    assert not (project / ".coderag").exists()
