"""`coderag search`: questions to hits, as text, JSON, quickfix lines and a stream."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from coderag.index.storage.folder.sealed import read_sealed
from coderag.index.storage.manifest import MANIFEST_BYTES, PURPOSE
from tests.cli.conftest import COLOUR, ENVIRONMENT, Run
from tests.growth import HANG_SECONDS
from tests.workspace import index_file, sign_manifest

pytestmark = pytest.mark.slow

CONTRACT = {"path", "start_line", "end_line", "kind", "name", "qualified_name", "language", "score", "parts"}
RETRIED = "where are failed payments retried?"


def hits(coderag: Run, root: Path, *arguments: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads(coderag("search", *arguments, "--json", cwd=root).stdout)
    return found


def test_text_has_place_name_signature_lines_and_reasons(coderag: Run, shop: Path) -> None:
    done = coderag("search", *RETRIED.split(), "-k", "1", cwd=shop)
    assert (done.returncode, done.stderr) == (0, "")
    head, signature, *lines, why, relations = done.stdout.splitlines()
    assert head == "shop/payments/retry.py:68  method PaymentRetrier.retry_failed"
    assert signature == "    def retry_failed(self, size: int = 50) -> RetryReport"
    assert any(line.startswith("    7") and "attempt" in line for line in lines)
    assert why.startswith("    why: name has failed, retried")
    assert relations.startswith("    called by Services.housekeeping · tested by RetryTest.")
    assert "\x1b" not in done.stdout


def test_same_question_same_answer(coderag: Run, shop: Path) -> None:
    assert coderag("search", RETRIED, cwd=shop).stdout == coderag("search", RETRIED, cwd=shop).stdout


def test_json_keeps_the_contract(coderag: Run, shop: Path) -> None:
    [hit] = hits(coderag, shop, RETRIED, "-k", "1")
    assert set(hit) >= CONTRACT | {"signature", "doc", "lines", "reasons", "repository"}
    assert (hit["path"], hit["start_line"], hit["end_line"]) == ("shop/payments/retry.py", 68, 79)
    assert "text" not in hit
    [whole] = hits(coderag, shop, RETRIED, "-k", "1", "--context", "whole")
    assert str(whole["text"]).startswith("    def retry_failed")


def test_filters(coderag: Run, shop: Path) -> None:
    assert {hit["language"] for hit in hits(coderag, shop, "delay", "--language", "Go,.ts")} <= {"go", "typescript"}
    assert {hit["kind"] for hit in hits(coderag, shop, "cart", "--kind", "class,METHOD")} == {"class", "method"}
    some = hits(coderag, shop, "cart total", "--path", "shop/**", "--path", "!shop/routes/")
    assert some
    assert all(str(hit["path"]).startswith("shop/") and "routes" not in str(hit["path"]) for hit in some)
    assert not any("test" in str(hit["path"]) for hit in hits(coderag, shop, "test order", "--tests", "exclude"))


def test_context(coderag: Run, shop: Path) -> None:
    whole = coderag("search", "retry_failed", "-k", "1", "--context", "whole", cwd=shop).stdout
    none = coderag("search", "retry_failed", "-k", "1", "--context", "none", cwd=shop).stdout
    assert "    79          return report" in whole
    assert len(none.splitlines()) == 4


def test_vimgrep_points_at_the_name(coderag: Run, shop: Path) -> None:
    first, *_ = coderag("search", RETRIED, "--vimgrep", cwd=shop).stdout.splitlines()
    path, line, column, text = first.split(":", 3)
    source = (shop / path).read_text().splitlines()[int(line) - 1]
    assert text == source
    assert source[int(column) - 1 :].startswith("retry_failed")


def test_paths_can_be_opened_from_below_and_beside(coderag: Run, shop: Path) -> None:
    below = coderag("search", RETRIED, "--vimgrep", "-k", "1", cwd=shop / "worker").stdout
    beside = coderag("search", RETRIED, "--vimgrep", "-k", "1", "--root", "shop", cwd=shop.parent).stdout
    away = coderag("search", RETRIED, "--vimgrep", "-k", "1", "--root", shop, cwd=Path("/")).stdout
    assert below.startswith("../shop/payments/retry.py:")
    assert beside.startswith("shop/shop/payments/retry.py:")
    assert (Path("/") / away.partition(":")[0]).exists()


def test_explain_adds_up(coderag: Run, shop: Path) -> None:
    text = coderag("search", RETRIED, "-k", "1", "--explain", cwd=shop).stdout
    total = float(text.partition("score ")[2].split()[0].rstrip(","))
    parts = [float(line.split()[1]) for line in text.splitlines() if line.lstrip().startswith("+ ")]
    assert sum(parts) == pytest.approx(total, abs=0.02)


@pytest.mark.parametrize("question", ["payment retries", RETRIED, "add a limit to the cart", "Cart.total"])
def test_explain_says_each_part_in_words(coderag: Run, shop: Path, question: str) -> None:
    text = coderag("search", question, "-k", "5", "--explain", cwd=shop).stdout
    said = {line.split(maxsplit=2)[2] for line in text.splitlines() if line.startswith("      + ")}
    assert said
    assert {words for words in said if " " not in words} == set()


def test_nothing_found(coderag: Run, shop: Path) -> None:
    done = coderag("search", "zyzzyva", cwd=shop)
    assert (done.returncode, done.stdout) == (1, "")
    assert "nothing found for 'zyzzyva'" in done.stderr
    assert coderag("search", "zyzzyva", "--json", cwd=shop).stdout == "[]\n"


def test_first_use_indexes_and_an_edit_is_seen(coderag: Run, project: Path) -> None:
    first = coderag("search", "total", "--json", cwd=project)
    assert json.loads(first.stdout)
    assert "indexed" in first.stderr
    (project / "src/refund.py").write_text("def give_money_back():\n    return 1\n")
    again = coderag("search", "give_money_back", "-k", "1", "--vimgrep", cwd=project)
    assert (again.stdout, again.stderr) == ("src/refund.py:1:5:def give_money_back():\n", "")
    (project / "src/refund.py").unlink()
    stale = coderag("search", "give_money_back", "-k", "1", "--vimgrep", "--no-refresh", cwd=project)
    assert stale.stdout == again.stdout


def test_two_roots_as_one(coderag: Run, shop: Path, project: Path) -> None:
    both = ["--root", str(shop), "--root", str(project)]
    found = hits(coderag, shop.parent, "total of the cart", "-k", "20", *both)
    assert {hit["repository"] for hit in found} == {"shop", "project"}
    assert "[project]" in coderag("search", "total of the cart", "-k", "20", *both, cwd=shop.parent).stdout


def test_index_elsewhere_knows_its_root(coderag: Run, project: Path, tmp_path: Path) -> None:
    coderag("index", project, "--index", tmp_path / "idx", cwd=tmp_path)
    done = coderag("search", "Cart.total", "--language", "py", "-k", "1", "--vimgrep", "--index", "idx", cwd=tmp_path)
    assert done.stdout == "project/src/cart.py:4:9:    def total(self):\n"


def test_an_older_index_is_made_anew(coderag: Run, project: Path) -> None:
    coderag("index", cwd=project)
    sign_manifest(project / ".coderag", {"format": 1, "manifest": {}})
    refused = coderag("search", "total", "--no-refresh", cwd=project)
    assert refused.returncode == 2
    assert "has format 1" in refused.stderr
    healed = coderag("search", "total", cwd=project)
    assert healed.returncode == 0
    assert "has format 1, this version of coderag reads 8; it was rebuilt" in healed.stderr


def test_an_index_of_older_rules_is_made_anew(coderag: Run, project: Path) -> None:
    """Two versions between releases have the same number, and may read the same files otherwise."""
    coderag("index", cwd=project)
    manifest = project / ".coderag/manifest.json"
    table = json.loads(read_sealed(index_file(manifest), PURPOSE, most_bytes=MANIFEST_BYTES).body)
    table["manifest"]["updated_ns"] = 0  # it was written before this version was installed
    sign_manifest(project / ".coderag", table)
    assert coderag("search", "total", cwd=project).stderr == ""
    table["manifest"]["parts"]["links"] = "0"
    sign_manifest(project / ".coderag", table)
    why = "the index was made by another version of coderag (links); "
    kept = coderag("search", "total", "--no-refresh", cwd=project)
    assert kept.stderr == f'coderag: answers come from the index as it is: {why}"coderag index" rebuilds it\n'
    assert kept.returncode == 0
    assert coderag("search", "total", cwd=project).stderr == f"coderag: {why}it was rebuilt\n"
    assert coderag("search", "total", cwd=project).stderr == ""


def test_a_newer_index_is_left_alone(coderag: Run, project: Path) -> None:
    coderag("index", cwd=project)
    manifest = project / ".coderag/manifest.json"
    sign_manifest(project / ".coderag", {"format": 999, "manifest": {}})
    newer = manifest.read_bytes()
    for command in (["search", "total"], ["index"], ["status"], ["search", "total", "--no-refresh"]):
        refused = coderag(*command, cwd=project)
        assert refused.returncode == 2
        assert "has format 999, which a newer version of coderag wrote" in refused.stderr
        assert manifest.read_bytes() == newer
    assert coderag("index", "--rebuild", cwd=project).returncode == 0
    assert coderag("search", "total", cwd=project).returncode == 0


def test_batch(coderag: Run, shop: Path) -> None:
    lines = [
        json.dumps({"query": RETRIED, "k": 2}),
        "no json",
        json.dumps({"query": "cart", "kinds": ["class"], "paths": ["shop/**"], "tests": "exclude"}),
        json.dumps({"query": "cart", "langauges": ["go"]}),
        json.dumps({"query": "cart", "k": "many"}),
        json.dumps({"query": ""}),
        json.dumps(["cart"]),
        "[" * 100_000,
        json.dumps({"query": "delay", "languages": ["go"]}),
    ]
    done = coderag("search", "--batch", cwd=shop, stdin="\n".join(lines) + "\n\n")
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0
    assert [isinstance(answer, list) for answer in answers] == [
        True,
        False,
        True,
        False,
        False,
        False,
        False,
        False,
        True,
    ]
    assert all(set(answer) == {"error"} for answer in answers if isinstance(answer, dict))
    assert answers[0][0]["name"] == "retry_failed"
    assert {hit["kind"] for hit in answers[2]} == {"class"}
    assert {hit["language"] for hit in answers[-1]} == {"go"}


def test_batch_answers_before_the_next_question(shop: Path) -> None:
    command = [sys.executable, "-m", "coderag", "search", "--batch", "--root", str(shop)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "env": ENVIRONMENT}
    with subprocess.Popen(command, **pipes) as process:  # type: ignore[call-overload]
        for name in ("retry_failed", "backoff_delay"):
            process.stdin.write(json.dumps({"query": name, "k": 1}) + "\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())[0]["name"] == name
        process.stdin.close()
        assert process.wait(HANG_SECONDS) == 0


def test_broken_pipe_is_quiet(shop: Path) -> None:
    command = f"{sys.executable} -m coderag search payment -k 200 --context whole | head -1"
    done = subprocess.run(
        command, shell=True, cwd=shop, env=ENVIRONMENT, capture_output=True, text=True, timeout=HANG_SECONDS
    )
    assert done.stderr == ""
    assert len(done.stdout.splitlines()) == 1


def test_escapes_in_names_and_code_are_shown_harmlessly(coderag: Run, project: Path) -> None:
    evil = project / "src/a\x1b]0;owned\x07\nb.py"
    evil.write_text('def harmless():\n    return "\x1b[31mred\x9b2J\u202e"\n')
    done = coderag("search", "harmless", "-k", "1", "--context", "whole", "--color", "always", cwd=project)
    assert "src/a\\x1b]0;owned\\x07\\nb.py" in done.stdout
    assert "\\x1b[31mred\\x9b2J\\u202e" in COLOUR.sub("", done.stdout)
    assert not any(bad in done.stdout for bad in ("\x07", "\x9b", "\x1b]", "\x1b[31m", "\u202e"))


def test_file_names_that_are_not_utf8(coderag: Run, project: Path) -> None:
    with open(os.fsencode(project) + b"/src/caf\xe9.py", "w") as file:
        file.write("def espresso():\n    return 1\n")
    assert "src/caf\\xe9.py:1" in coderag("search", "espresso", "-k", "1", cwd=project).stdout
    [hit] = hits(coderag, project, "espresso", "-k", "1")
    assert os.fsencode(str(hit["path"])) == b"src/caf\xe9.py"
    assert "caf\\xe9.py" in coderag("index", "--dry-run", cwd=project).stdout


def test_locale_without_unicode(coderag: Run, project: Path) -> None:
    (project / "src/name.py").write_text("def größe():\n    return 1\n")
    done = coderag("search", "größe", "-k", "1", cwd=project, PYTHONUTF8="0", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert "gr\\xf6\\xdfe" in done.stdout


@pytest.mark.parametrize("arguments", [["search", RETRIED, "--json"], ["search", RETRIED], ["search", "--batch"]])
def test_search_in_a_pipe_imports_nothing_it_does_not_need(shop: Path, arguments: list[str]) -> None:
    heavy = ["rich", "pygments", "tree_sitter", "pathspec", "filelock", "rapidfuzz", "charset_normalizer"]
    assert imported(shop, arguments, heavy) == []


def test_help_imports_nothing_heavy(shop: Path) -> None:
    assert imported(shop, ["--help"], ["numpy", "rich", "tree_sitter", "Stemmer", "coderag.api.index"]) == []


def imported(root: Path, arguments: list[str], modules: list[str]) -> list[str]:
    program = f"""
import sys
from coderag.__main__ import main
sys.argv[1:] = {arguments!r}
try:
    main()
finally:
    print([name for name in {modules!r} if name in sys.modules], file=sys.stderr)
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=root,
        env=ENVIRONMENT,
        input="",
        capture_output=True,
        text=True,
        timeout=HANG_SECONDS,
    )
    found: list[str] = json.loads(done.stderr.splitlines()[-1].replace("'", '"'))
    return found


def test_interrupt(project: Path) -> None:
    import signal

    pipe = subprocess.PIPE
    with subprocess.Popen(
        [sys.executable, "-m", "coderag", "search", "--batch"],
        cwd=project,
        env=ENVIRONMENT,
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
        # What a shell starts in the background ignores Ctrl-C, and hands that on.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(b'{"query": "total"}\n')
        process.stdin.flush()
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(HANG_SECONDS) == 130
        assert process.stderr.read().splitlines()[-1] == b"coderag: interrupted"
