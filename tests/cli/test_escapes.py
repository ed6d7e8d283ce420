"""What a repository can put into names and lines reaches no terminal as it is, whatever the command.

What no one would see is shown as well: a name with a space of no width in it looks like another one.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import COLOUR, Run
from tests.workspace import write

pytestmark = pytest.mark.slow

UNSEEN = "\u200b\u00ad\u3164\u115f\u2800\ufeff\ue000\U000e0041\u2060\ufe0f"
ESCAPES = f"\x1b]0;owned\x07\x1b[31m\x9b2J\u202e{UNSEEN}\r"
OBEYED = ("\x1b", "\x07", "\x9b", "\u202e", "\r", *UNSEEN)
FILES = {
    f"src/a{ESCAPES}/code{ESCAPES}.py": f'class Evil:\n    """Say {ESCAPES} to all."""\n\n    def shout(self): ...\n',
    "src/names.js": f'class Odd {{\n  "shout{ESCAPES[:-1]}"() {{ return 1; }}\n}}\n',
    "docs/guide.md": f"# Shouting {ESCAPES} loud\n\nHow.\n\n| term | meaning |\n|--|--|\n| shout{ESCAPES} | loud |\n",
    "db/schema.sql": f"""-- All that {ESCAPES} shout.
CREATE TABLE "shouts{ESCAPES}" (id int PRIMARY KEY, "loud{ESCAPES}" text);
CREATE TABLE echoes (id int, shout_id int REFERENCES "shouts{ESCAPES}" (id));
ALTER TABLE "nowhere{ESCAPES}" ADD x int;
CREATE TABLE "broken{ESCAPES}" (((;
""",
    "queries.sql": f"""-- Which {ESCAPES} shouts are loud?
SELECT * FROM "shouts{ESCAPES}" WHERE "loud{ESCAPES}" = 'x{ESCAPES}';
""",
    "wrong.sql": f'SELECT "lod{ESCAPES}" FROM "shuots{ESCAPES}"\n',
    f"bad{ESCAPES}.py": "x = '\0\0'\n",
    f"broken{ESCAPES}.py": "def shout(:\n    )\n",
    f"glossary{ESCAPES}.yml": "terms:\n  - shout: [\n",
    "questions.jsonl": json.dumps({"question": f"shout {ESCAPES}", "paths": [f"src/a{ESCAPES}/code{ESCAPES}.py"]}),
}
COMMANDS = [
    ("index", "--verbose"),
    ("index", "--dry-run"),
    ("index", "--json"),
    ("status", "--verbose"),
    ("status", "--json"),
    *(("search", "shout", "-k", "20", *more) for more in ((), ("--context", "whole"), ("--explain",), ("--json",))),
    *(("search", f"shout {ESCAPES}", *more) for more in (("--vimgrep",), ("--paths-only",), ("--expand", "file"))),
    ("symbols", "shout"),
    ("outline", f"src/a{ESCAPES}/code{ESCAPES}.py"),
    *(("at", f"src/a{ESCAPES}/code{ESCAPES}.py:4", "--format", one) for one in ("text", "vimgrep", "json")),
    ("at", f"nowhere{ESCAPES}.py:1"),
    ("search", "shout", "--format", "markdown", "--context", "whole"),
    ("symbols", "shout", "--format", "vimgrep"),
    ("refs", "shout", "--format", "vimgrep"),
    ("refs", "shout", "--language", "go"),
    ("schema", f"who {ESCAPES}", "--prompt"),
    ("outline", "docs/guide.md"),
    ("outline", f"nowhere{ESCAPES}.py"),
    ("search", "shout", "--related", "3"),
    ("refs", "shout"),
    ("refs", f"shouts{ESCAPES}"),
    ("refs", f"nothing{ESCAPES}"),
    ("impact", f"shouts{ESCAPES}"),
    ("path", "echoes", f"shouts{ESCAPES}"),
    *(("graph", "echoes", "--format", one) for one in ("mermaid", "svg", "dot", "graphml", "json")),
    ("map",),
    ("map", "--json"),
    ("schema", "who shouts"),
    ("schema", "who shouts", "--json"),
    ("schema", f"who {ESCAPES}", "--format", "markdown"),
    ("tables",),
    ("tables", "--json"),
    ("table", f"shouts{ESCAPES}"),
    ("table", f"nothing{ESCAPES}"),
    ("erd",),
    ("check-sql", "wrong.sql"),
    ("eval", "questions.jsonl"),
    ("eval", "questions.jsonl", "--json"),
    ("search", "x", "--language", f"no{ESCAPES}"),
    ("search", "x", "--root", f"no{ESCAPES}"),
]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory, coderag: Run) -> Path:
    root = write(tmp_path_factory.mktemp("evil") / f"root{ESCAPES}", FILES)
    (root / ".git").mkdir()
    (root / f"link{ESCAPES}").symlink_to(f"/nowhere{ESCAPES}")
    assert coderag("index", cwd=root).returncode == 0
    return root


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(command).replace(ESCAPES, "~"))
def test_escapes_are_shown_and_not_obeyed(coderag: Run, root: Path, command: tuple[str, ...]) -> None:
    done = coderag(*command, cwd=root)
    assert done.stdout + done.stderr
    assert "usage:" not in done.stderr, done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    shown = COLOUR.sub("", done.stdout) + COLOUR.sub("", done.stderr)
    assert [(sign, shown[max(at - 60, 0) : at + 20]) for sign in OBEYED if (at := shown.find(sign)) >= 0] == []
