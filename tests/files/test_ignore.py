"""The rules of .gitignore against git itself, and their speed against hostile globs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from coderag.files.ignore import decide, glob_regex, parse_rules
from tests.growth import assert_linear, repeated

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is the oracle")

TRICKY = {
    "": (
        b"# a comment\n\\#kept\n*.log\n!keep.log\n/only-root.txt\nsub/deep.txt\nbuild/\n**/cache\na/**/z\nfoo**/bar\n"
        b"trail   \nescaped\\ \ntab\t\n[a-c]1\n[!a-c]2\n[^x]3\n[]x]4\n[a\\-c]5\n[[:digit:]]x\n[[:bad:]]y\n[open\n"
        b"back\\\n\\!bang\n**/\\*star\nx?y\ndir/**\n!dir/keep\n***/three\none/***\ncrlf\r\n**\\/slashed\n*.t[xz]t\n"
        b"!/sub/nested/\nquirk**\n//\n/\n!\n!!twice\n[z-a]6\n[!z-a]7\na[/]b\n[\xc3\xa9]8\nnul\0tail\n"
    ),
    "sub": b"\xef\xbb\xbf*.tmp\n!*.log\n/here\n*\n!*.py\n!nested/\n",
    "sub/nested": b"!*.tmp\nkeep.log",
}
PATHS = """
#kept a.log keep.log sub/a.log sub/keep.log only-root.txt sub/only-root.txt sub/deep.txt deep.txt build/x sub/build
build build2/build/y cache/f q/cache/f a/z a/b/z a/b/c/z foo/bar foo1/bar foox/y/bar foobar trail trail2 tab a1 d1
a2 d2 x3 y3 ]4 x4 -5 b5 9x ax :y by open back back\\ !bang *star q/*star x/y xzy dir/a dir/keep dir/b/keep three
q/three q/r/three one one/a/b crlf slashed q/slashed q/r/slashed e.txt e.tzt e.tat sub/x.tmp sub/here sub/q/here
sub/p.py sub/q/p.py sub/nested/x.tmp sub/nested/keep.log quirkx quirk/q/r m!twice !twice 66 77 é8 nul nultail a/b
normal.py q/r/s/t.py
""".split()


def git(folder: Path, *words: str, text: bytes = b"") -> bytes:
    home = {
        "HOME": str(folder),
        "GIT_CONFIG_NOSYSTEM": "1",
        "PATH": os.environ["PATH"],
        "GIT_CONFIG_GLOBAL": os.devnull,
    }
    return subprocess.run(["git", *words], cwd=folder, input=text, capture_output=True, check=False, env=home).stdout


def ignored_by_git(folder: Path, rule_files: dict[str, bytes], paths: Iterable[str]) -> set[str]:
    if not (folder / ".git").exists():
        git(folder, "init", "-q", ".")
    for base, raw in rule_files.items():
        (folder / base).mkdir(parents=True, exist_ok=True)
        (folder / base / ".gitignore").write_bytes(raw)
    asked = b"\0".join(os.fsencode(path) for path in paths)
    answer = git(folder, "check-ignore", "--no-index", "-z", "--stdin", text=asked)
    return {os.fsdecode(path) for path in answer.split(b"\0") if path}


def ignored_by_us(rule_files: dict[str, bytes], paths: Iterable[str]) -> set[str]:
    rules = {
        base: parse_rules(raw, source=base, skip=len(os.fsencode(base)) + bool(base))
        for base, raw in rule_files.items()
    }
    return {path for path in paths if _is_ignored(rules, path)}


def _is_ignored(rules: dict, path: str) -> bool:  # type: ignore[type-arg]
    parts = path.split("/")
    for depth in range(1, len(parts) + 1):
        bases = ["/".join(parts[:length]) for length in range(depth - 1, -1, -1)]
        stack = [rules[base] for base in bases if base in rules]
        here, name = os.fsencode("/".join(parts[:depth])), os.fsencode(parts[depth - 1])
        verdict = decide(stack, here, name, folder=depth < len(parts))
        if verdict and verdict[0]:
            return True  # git does not look inside an ignored folder
    return False


@needs_git
def test_a_tricky_tree_is_read_as_git_reads_it(tmp_path: Path) -> None:
    assert ignored_by_us(TRICKY, PATHS) == ignored_by_git(tmp_path, TRICKY, PATHS)


piece = st.sampled_from(
    ["a", "b", "*", "**", "***", "?", "/", "[ab]", "[!a]", "[a-b", "]", "\\", "\\*", ".", " ", "!", "-"]
)
glob = st.lists(piece, min_size=1, max_size=7).map("".join)
name = st.text(alphabet="ab.*-", min_size=1, max_size=3).filter(lambda text: text not in (".", ".."))
path = st.lists(name, min_size=1, max_size=4).map("/".join)


@pytest.mark.slow
@needs_git
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(globs=st.lists(glob, min_size=1, max_size=4), paths=st.lists(path, min_size=20, max_size=60, unique=True))
def test_random_rules_are_read_as_git_reads_them(tmp_path: Path, globs: list[str], paths: list[str]) -> None:
    rule_files = {"": "\n".join(globs).encode()}
    assert ignored_by_us(rule_files, paths) == ignored_by_git(tmp_path, rule_files, paths)


@given(st.text(max_size=30))
def test_every_glob_becomes_an_expression_that_compiles(text: str) -> None:
    re.compile(glob_regex(text))


@pytest.mark.parametrize(
    "text", [repeated("a"), repeated("a" * 60 + "/", after="a"), repeated("a/", after="a")], ids=["a", "long/", "a/"]
)
@pytest.mark.parametrize(
    "pattern",
    [
        "*a" * 40 + "b",
        "**/a/" * 30 + "b",
        "a*" * 40 + "/" + "a*" * 40 + "b",
        "[a]*" * 40 + "c",
        "*?" * 40 + "b/c",
        "**/*a*a/" * 20,
    ],
)
def test_a_hostile_glob_takes_linear_time(pattern: str, text: Callable[[int], str]) -> None:
    match = re.compile(glob_regex(pattern)).fullmatch
    assert match(text(1000)) is None
    assert_linear(lambda count: partial(match, text(count)), 8000)


def test_the_last_rule_of_the_deepest_file_decides() -> None:
    outer, inner = parse_rules(b"*.py\n", source="outer"), parse_rules(b"*.py\n!x.py\n", source="inner", skip=2)
    assert decide([inner, outer], b"d/x.py", b"x.py", folder=False) == (False, "inner")
    assert decide([outer], b"d/x.py", b"x.py", folder=False) == (True, "outer")
    assert decide([inner, outer], b"d/x.go", b"x.go", folder=False) is None


def test_rules_from_above_the_root_see_the_path_below_their_folder() -> None:
    rules = parse_rules(b"/src/gen/\n", prefix=b"src/")
    assert rules.match(b"gen", b"gen", folder=True) is True
    assert rules.match(b"a/gen", b"gen", folder=True) is None


@pytest.mark.parametrize(
    ("pattern", "folder", "expected"),
    [
        (b"!vendor/keep/*.py", b"vendor", True),
        (b"!vendor/keep/*.py", b"vendor/keep", True),
        (b"!vendor/keep/*.py", b"vendor/other", False),
        (b"!vendor/keep/*.py", b"node_modules", False),
        (b"!a/**/b.py", b"a/x/y", True),
        (b"!a/**/b.py", b"b", False),
        (b"!**/b.py", b"x/y", True),
        (b"!.env", b"node_modules", True),
        (b"!v*/k?/x", b"vendor/k1", True),
        (b"vendor/keep/*.py", b"vendor", False),
    ],
)
def test_where_something_taken_back_may_lie(pattern: bytes, folder: bytes, expected: bool) -> None:
    assert parse_rules(pattern).may_take_back_below(folder) is expected
