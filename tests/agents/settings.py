"""Settings of agents as people have them: laid out in all ways that these formats allow."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Sequence

__all__ = ["LAYOUTS", "instructions", "settings"]

BOM = b"\xef\xbb\xbf"
OTHER = {"command": "/usr/bin/other", "args": ["--port", "1"], "env": {"KEY": "ключ"}}
OLDER = {"command": "/opt/old/bin/coderag", "args": ["mcp"], "env": {"A": "b"}}
# The ways that a file may be laid out; "missing" is no file at all.
LAYOUTS = (
    *("missing", "empty", "bare", "one line", "plain", "no line end", "crlf", "bom"),
    *("comments", "tabs", "servers on one line", "older entry", "no servers"),
)


def settings(form: str, key: Sequence[str], layout: str) -> bytes | None:
    """Return a file of settings in which other servers stand under a key, None for no file."""
    if layout == "missing":
        return None
    if layout == "empty":
        return b""
    text = {"json": _json, "toml": _toml, "yaml": _yaml}[form](list(key), layout)
    if layout == "crlf":
        text = text.replace("\n", "\r\n")
    if layout == "no line end":
        text = text.rstrip("\n")
    return (BOM if layout == "bom" else b"") + text.encode()


def instructions(layout: str) -> bytes | None:
    """Return a file of instructions, None for no file."""
    if layout == "missing":
        return None
    text = "# House rules\n\n- Tabs, not spaces.\n"
    changed = {
        "empty": "",
        "bare": "\n",
        "one line": "Be brief.",
        "no line end": text.rstrip("\n"),
        "crlf": text.replace("\n", "\r\n"),
        "bom": "\ufeff" + text,
        "comments": f"{text}\n<!-- a comment -->\n\n\n",
        "older entry": f"# Rules\n\n<!-- coderag:start -->\nOld words.\n<!-- coderag:end -->\n\n{text}",
    }
    return changed.get(layout, text).encode()


def _json(key: list[str], layout: str) -> str:
    servers = {"other": OTHER} | ({"coderag": OLDER} if layout == "older entry" else {})
    table: object = servers
    for name in reversed(key):
        table = {name: table}
    whole = {"theme": "dark", **(table if isinstance(table, dict) else {}), "list": [1, 2, {"a": None}]}
    if layout == "bare":
        return "{}"
    if layout == "no servers":
        return json.dumps({"theme": "dark", "deep": {"mcpServers": {"x": 1}}}, indent=4) + "\n"
    if layout == "one line":
        return json.dumps(whole, ensure_ascii=False, separators=(",", ":"))
    if layout == "tabs":
        return json.dumps(whole, indent="\t", ensure_ascii=False) + "\n"
    if layout == "servers on one line":
        return _on_one_line(whole, key)
    if layout == "comments":
        return _commented(key)
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"


def _on_one_line(whole: dict[str, object], key: list[str]) -> str:
    lines = [f"  {json.dumps(name)}: {json.dumps(value)}" for name, value in whole.items()]
    assert key[0] in whole
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _commented(key: list[str]) -> str:
    text = textwrap.dedent("""\
        // Settings, "quoted" and with { brackets
        {
            /* theme:
               dark */
            "theme": "dark", // the default
            "path": "C:\\\\a//b", "url": "https://x/*y*/",
    """)
    indent = "    "
    for name in key:
        text += f"{indent}{json.dumps(name)}: {{ // here\n"
        indent += "    "
    text += f'{indent}"other": {{"command": "/usr/bin/other", "args": [1, 2,],}}, // works\n{indent}// "off": {{}},\n'
    for _ in key:
        indent = indent[4:]
        text += f"{indent}}},\n"
    return text + "    // the end\n}\n"


def _toml(key: list[str], layout: str) -> str:
    table = ".".join(key)
    head = 'model = "o3"  # the default\n\n[features]\nweb = true\n'
    other = f'\n[{table}.other]\ncommand = "/usr/bin/other"\nargs = [\n  "--port", # of it\n  "1",\n]\n'
    other += f'\n[{table}.other.env]\nKEY = "ключ"\n'
    tail = '\n# Projects.\n[projects."/home/a/b"]\ntrust_level = "trusted"\n'
    if layout == "bare":
        return "# nothing yet\n"
    if layout == "no servers":
        return head
    if layout == "servers on one line":
        return f'model = "o3"\n{table} = {{other = {{command = "/usr/bin/other"}}}}\n'
    if layout == "older entry":
        old = (
            f'\n[{table}.coderag]\ncommand = "/opt/old/bin/coderag"\nargs = ["mcp"]\n\n[{table}.coderag.env]\nA = "b"\n'
        )
        return head + old + other + tail
    if layout == "comments":
        return f"# Head\n\n{head}\n# Servers\n{other}{tail}\n\n# The end.\n\n"
    return head + other + tail


def _yaml(key: list[str], layout: str) -> str:
    [name] = key
    entry = "  other:\n    cmd: /usr/bin/other  # here\n    args:\n    - --port\n    - '1'\n    enabled: true\n"
    if layout == "bare":
        return f"{name}: {{}}\nGOOSE_MODEL: gpt\n"
    if layout == "no servers":
        return "GOOSE_MODEL: gpt\n"
    if layout == "older entry":
        return f"{name}:\n  coderag:\n    cmd: /opt/old/bin/coderag\n    args: [mcp]\n{entry}GOOSE_MODEL: gpt\n"
    if layout == "comments":
        return f"# Goose\n{name}:\n  # Mine.\n{entry}\n# The model.\nGOOSE_MODEL: gpt  # new\n"
    if layout == "servers on one line":
        return f"{name}:\n    other: {{cmd: /usr/bin/other, args: []}}\n"
    return f"GOOSE_MODEL: gpt\n{name}:\n{entry}"
