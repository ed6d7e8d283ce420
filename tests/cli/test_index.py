"""`coderag index`: what it reads, writes and tells."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from coderag.cli.roots import root_around
from tests.cli.conftest import Run
from tests.files.privacy.tokens import made

pytestmark = pytest.mark.slow


def test_first_run_indexes_and_tells_what(coderag: Run, project: Path) -> None:
    done = coderag("index", cwd=project)
    assert done.returncode == 0
    assert done.stderr == ""
    assert "project  indexed 3 files" in done.stdout
    assert "Markdown" in done.stdout
    assert "1 configuration" in done.stdout
    assert (project / ".coderag/.gitignore").read_text() == "*\n"


def test_second_run_reads_only_what_changed(coderag: Run, project: Path) -> None:
    coderag("index", cwd=project)
    assert "up to date: 3 files" in coderag("index", cwd=project).stdout
    (project / "src/new.py").write_text("def fresh():\n    return 1\n")
    (project / "src/cart.go").unlink()
    assert "1 file read, 2 unchanged, 1 gone" in coderag("index", cwd=project / "src").stdout


def test_content_is_kept_until_it_is_given_again(coderag: Run, project: Path) -> None:
    coderag("index", "--content", "code,docs,config", cwd=project)
    [kept] = json.loads(coderag("index", "--json", cwd=project).stdout)
    [again] = json.loads(coderag("index", "--json", "--rebuild", cwd=project).stdout)
    [less] = json.loads(coderag("index", "--json", "--content", "code", cwd=project).stdout)
    assert [kept["files"], again["files"], less["files"]] == [4, 4, 2]
    assert less["rebuilt"] == "the index was made with other options"


def test_dry_run_lists_and_writes_nothing(coderag: Run, project: Path) -> None:
    done = coderag("index", "--dry-run", cwd=project)
    assert done.stdout == "README.md\tmarkdown\nsrc/cart.go\tgo\nsrc/cart.py\tpython\n"
    assert "3 files" in done.stderr
    assert not (project / ".coderag").exists()
    [first, *_] = json.loads(coderag("index", "--dry-run", "--json", cwd=project).stdout)
    assert first == {"repository": "project", "path": "README.md", "language": "markdown", "bytes": 43, "labels": []}


def test_verbose_lists_files_left_out_and_files_with_problems(coderag: Run, project: Path) -> None:
    (project / "src/broken.py").write_text("def broken(:\n    pass\n")
    (project / "src/large.py").write_text("x = 1\n" * 1000)
    done = coderag("index", "--verbose", "--max-bytes", "5k", cwd=project)
    assert "src/large.py: too large (6,000 bytes)" in done.stdout
    assert "settings.toml: configuration (toml)" in done.stdout
    assert "1 Python, syntax errors (src/broken.py)" in done.stdout


def test_quiet_prints_nothing(coderag: Run, project: Path) -> None:
    done = coderag("index", "--quiet", cwd=project)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_several_roots_and_an_index_elsewhere(coderag: Run, project: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.rb").write_text("def hello\n  1\nend\n")
    done = coderag("index", project, other, "--index", tmp_path / "idx", cwd=tmp_path)
    assert done.returncode == 0
    assert sorted(path.name for path in (tmp_path / "idx").iterdir()) == ["other", "project"]
    assert not (project / ".coderag").exists()


def test_what_was_begun_above_and_never_written_draws_nothing_in(coderag: Run, tmp_path: Path) -> None:
    folder = tmp_path / "above/below"
    folder.mkdir(parents=True)
    (folder / "a.py").write_text("def a(): ...\n")
    begun = tmp_path / "above/.coderag"
    (begun / "segments").mkdir(parents=True)
    (begun / ".gitignore").write_text("*\n")
    (begun / "lock").touch()
    assert root_around(folder) == folder
    assert coderag("index", ".", cwd=folder.parent).returncode == 0
    assert root_around(folder) == folder.parent


def test_an_index_of_another_root_is_not_overwritten(coderag: Run, project: Path, tmp_path: Path) -> None:
    coderag("index", project, "--index", tmp_path / "idx", cwd=tmp_path)
    (tmp_path / "other").mkdir()
    done = coderag("index", "other", "--index", tmp_path / "idx", cwd=tmp_path)
    assert done.returncode == 2
    assert "is that of" in done.stderr


def test_empty_folder_has_nothing_to_read(coderag: Run, tmp_path: Path) -> None:
    done = coderag("index", cwd=tmp_path)
    assert done.returncode == 1
    assert "there is nothing to read below" in done.stdout


def test_damaged_index_is_made_anew(coderag: Run, project: Path) -> None:
    coderag("index", cwd=project)
    manifest = project / ".coderag/manifest.json"
    manifest.write_bytes(manifest.read_bytes().replace(b"python", b"pyth0n").replace(b"code", b"c0de"))
    done = coderag("index", cwd=project)
    assert done.returncode == 0
    assert "does not match its checksum; it was rebuilt" in done.stderr
    [segment] = (project / ".coderag/segments").iterdir()
    (segment / "arrays.bin").write_bytes(b"")
    done = coderag("search", "total", cwd=project, stdin="")
    assert done.returncode == 0
    assert "1 damaged segment left out; 3 files read again" in done.stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_folder_that_may_not_be_written(coderag: Run, project: Path) -> None:
    project.chmod(0o500)
    done = coderag("index", cwd=project)
    project.chmod(0o700)
    assert done.returncode == 2
    assert "--index DIR" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["index", "nowhere"], "does not exist"),
        (["index", "README.md"], "is not a folder"),
        (["index", "--content", "all"], "is no list of code, docs, config"),
        (["index", "--max-bytes", "much"], "is no size"),
        (["index", "--workers", "-1"], "is no whole number"),
        (["search"], "the question is empty"),
        (["search", "x", "-k", "0"], "-k: 0 is less than 1"),
        (
            ["search", "x", "--kind", "functoin"],
            "unknown kind 'functoin', did you mean \"function\"; kinds are function",
        ),
        (["search", "x", "--language", "klingon"], "unknown language 'klingon'"),
        (["search", "x", "--no-refresh"], 'run "coderag index"'),
        (["search", "x", "--batch"], "stdin"),
        (["status"], 'run "coderag index"'),
        (["outline", "nowhere.py"], "No such file"),
        (["outline", "."], "Is a directory"),
        (["symbols", " ", "--root", "."], "empty"),
        (["frobnicate"], "unknown command 'frobnicate'"),
    ],
)
def test_mistakes_end_in_one_line_and_code_2(coderag: Run, project: Path, arguments: list[str], message: str) -> None:
    done = coderag(*arguments, cwd=project)
    assert done.returncode == 2
    assert done.stdout == ""
    assert message in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr
    assert len([line for line in done.stderr.splitlines() if "indexed" not in line]) == 1


def test_secrets_are_covered_counted_and_listed(coderag: Run, project: Path) -> None:
    token = made("ghp_<w36>")
    (project / "src/client.py").write_text(f'def client():\n    return login("{token}")\n')
    assert "masked     1 secret in 1 file: 1 GitHub token" in coderag("index", cwd=project).stdout
    for command in ("index", "status"):
        told = coderag(command, "--verbose", cwd=project).stdout
        assert "src/client.py:2: GitHub token" in told
        assert token not in told
        [record] = json.loads(coderag(command, "--json", cwd=project).stdout)
        assert record["masked"] == {"GitHub token": 1}
        [record] = json.loads(coderag(command, "--json", "--verbose", cwd=project).stdout)
        assert record["masked"] == [{"path": "src/client.py", "secrets": [{"line": 2, "kind": "GitHub token"}]}]
    assert token not in coderag("search", "client", "--context", "whole", cwd=project).stdout
    assert token not in coderag("outline", "src/client.py", cwd=project).stdout


def test_secrets_are_kept_where_that_is_asked_for(coderag: Run, project: Path) -> None:
    token = made("ghp_<w36>")
    (project / "src/client.py").write_text(f'def client():\n    return login("{token}")\n')
    assert "masked" not in coderag("index", "--no-mask", cwd=project).stdout
    assert "masked     off" in coderag("status", cwd=project).stdout
    assert token in coderag("search", "client", "--context", "whole", cwd=project).stdout
    assert "up to date" in coderag("index", cwd=project).stdout
    assert "1 GitHub token" in coderag("index", "--mask", cwd=project).stdout
    assert token not in coderag("search", "client", "--context", "whole", cwd=project).stdout
    assert coderag("index", "--mask", "--no-mask", cwd=project).returncode == 2
