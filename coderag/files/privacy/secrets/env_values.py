"""Values that settings give to names such as API_KEY: in .env, in compose files, in blocks of env in documents."""

from __future__ import annotations

import re
from collections.abc import Iterator

from coderag.files.privacy.secrets.placeholders import is_password_placeholder, is_plain_value
from coderag.files.privacy.secrets.span import SecretSpan

__all__ = ["find_env_values"]

KIND = "value of a setting"
# .env, .env.example, test.env, env.example; not env.py
ENV_FILE = re.compile(
    r"\.env(?:\.[^/]*)?|[^/]+\.env|\.envrc|\.flaskenv|env\.(?:example|sample|template|dist|defaults)", re.IGNORECASE
)
COMPOSE_FILE = re.compile(r"(?:docker-)?compose(?:[.-][^/]*)?\.ya?ml", re.IGNORECASE)
DOCUMENTS = (".md", ".mdx", ".markdown")
FENCES = (b"```env", b"```dotenv", b"```.env")
FENCE = re.compile(
    rb"^[ ]{0,12}```\.?(?:dot)?env\b[^\n]{0,200}\n(?P<lines>(?:(?![ ]{0,12}```)[^\n]{0,4000}+\n){0,400}+)", re.MULTILINE
)
ASSIGNMENT = re.compile(
    rb"""^[ \t]*(?:-[ ]+)?(?:export[ ]+)?["']?(?P<name>[A-Za-z][A-Za-z0-9_.]{0,80}+)["']?[ \t]*[:=][ \t]*(?:
        "(?P<double>[^"\n]{1,4000}+)" | '(?P<single>[^'\n]{1,4000}+)' | (?P<bare>[^\s"'#][^\s#"']{0,4000}+)
    )""",
    re.MULTILINE | re.VERBOSE,
)
SECRET_NAME = re.compile(
    rb"""(?:secret|passw(?:or)?d|passphrase|(?:^|[_.])(?:pass|pwd)|token|credentials?|
        (?:api|access|secret|private|encryption|encrypt|signing|master|app|auth|session|license)[_.]?key
    )(?:_?base|_?[0-9]{1,2})?$""",
    re.IGNORECASE | re.VERBOSE,
)


def find_env_values(data: bytes, *, path: str) -> Iterator[SecretSpan]:
    """Yield the values of secret names, in a file of settings or in the blocks of a document that hold some."""
    name = path.rpartition("/")[2]
    if ENV_FILE.fullmatch(name) or COMPOSE_FILE.fullmatch(name):
        yield from _assigned(data, 0, len(data))
    elif name.endswith(DOCUMENTS) and any(fence in data for fence in FENCES):
        for block in FENCE.finditer(data):
            yield from _assigned(data, *block.span("lines"))


def _assigned(data: bytes, start: int, end: int) -> Iterator[SecretSpan]:
    for match in ASSIGNMENT.finditer(data, start, end):
        group = match.lastgroup or "bare"
        value = match[group]
        if SECRET_NAME.search(match["name"]) and not is_plain_value(value) and not is_password_placeholder(value):
            yield SecretSpan(KIND, (match.span(group),))
