"""A line or a settings table that names a model, to its parts, with validated options."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from coderag.errors import CoderagError
from coderag.limits import DIMENSIONS, MAX_TOKENS, MODEL_TIMEOUT, fault_of_number

__all__ = [
    "checked_address",
    "checked_options",
    "holds_onnx",
    "model_folder",
    "named_line",
    "options_text",
    "split_line",
]

CHOICES: Mapping[str, tuple[str, ...]] = {
    "pooling": ("mean", "cls", "last"),
    "dtype": ("float32", "float16", "bfloat16", "int8"),
    "format": ("cohere", "jina", "voyage", "tei"),
}
NUMBERS = {one.name: one for one in (DIMENSIONS, MAX_TOKENS, MODEL_TIMEOUT)}
FLAGS = frozenset({"trust_remote_code"})
TRUTHS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
SECRETS = re.compile(r"key|token|secret|password|passwd|sig|signature|auth", re.I)
KEY_ADVICE = "put it into the environment variable CODERAG_API_KEY instead of into the address"

Raising = type[CoderagError]


def split_line(text: str, known: Collection[str]) -> tuple[str, str, dict[str, str]]:
    """Split a line into the part before "#", the part after it, and the options after "?".

    An address may have its own query: without "#", only known options are taken out of it.
    """
    address, mark, model = text.lstrip().partition("#")
    if mark:
        model, _, query = model.partition("?")
        return address, model.strip(), dict(parse_qsl(query, keep_blank_values=True))
    address, _, query = address.partition("?")
    address = address.strip()
    pairs = parse_qsl(query, keep_blank_values=True)
    if "://" not in address:
        return address, "", dict(pairs)
    rest = urlencode([(name, value) for name, value in pairs if name not in known])
    own = {name: value for name, value in pairs if name in known}
    return f"{address}?{rest}" if rest else address, "", own


def named_line(head: str, options: Mapping[str, object]) -> str:
    """Return the line that `split_line` would split into these parts."""
    if not options:
        return head
    # An address' own query ends where its "#" is.
    mark = "#?" if "://" in head and "#" not in head else "?"
    return f"{head}{mark}{options_text(options)}"


def options_text(options: Mapping[str, object]) -> str:
    """Return options in the form that follows "?"."""
    texts = {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in options.items()}
    return urlencode(texts, quote_via=quote, safe="/:, ")


def checked_options(
    options: Mapping[str, object], known: Collection[str], *, where: str, error: Raising
) -> dict[str, Any]:
    """Return options as numbers, flags and texts; raises the error for an unknown name or an invalid value."""
    if unknown := sorted(options.keys() - set(known)):
        choice = ", ".join(sorted(known)) or "none"
        raise error(f"{where}: unknown option {unknown[0]!r}; known here are: {choice}")
    return {name: _checked(name, value, where=where, error=error) for name, value in options.items()}


def _checked(name: str, value: object, *, where: str, error: Raising) -> object:
    if name in FLAGS:
        flag = value if isinstance(value, bool) else TRUTHS.get(str(value).lower())
        if flag is None:
            raise error(f"{where}: {name} is {value!r}; it must be true or false")
        return flag
    if name in NUMBERS:
        limit = NUMBERS[name]
        number = 0 if isinstance(value, bool) or not re.fullmatch(r"[0-9]{1,18}", str(value)) else int(str(value))
        if fault_of_number(limit, number):
            raise error(f"{where}: {name} is {value!r}; it must be a whole number from {limit.least} to {limit.most:,}")
        return number
    if not isinstance(value, str):
        raise error(f"{where}: {name} must be a text")
    if name in CHOICES and value not in CHOICES[name]:
        raise error(f"{where}: {name} is {value!r}; it must be one of {', '.join(CHOICES[name])}")
    return value


def checked_address(url: str, *, error: Raising) -> str:
    """Return the address of an endpoint; raises the error if it is invalid or contains a key or password."""
    try:
        parts = urlsplit(url)
        host = parts.hostname
        _ = parts.port  # raises ValueError for one that is no number
    except ValueError as wrong:
        raise error(f"the address of the endpoint is not valid: {wrong}") from None
    if parts.scheme not in {"http", "https"} or not host:
        raise error("the address of an endpoint must be http://HOST/PATH or https://HOST/PATH")
    if "@" in parts.netloc:
        raise error(f"the address of {host} holds a user or a password; {KEY_ADVICE}")
    if any(SECRETS.search(name) for name, _ in parse_qsl(parts.query, keep_blank_values=True)):
        raise error(f"the address of {host} seems to hold a key; {KEY_ADVICE}")
    return url


def model_folder(text: str, base: Path) -> str:
    """Return the absolute path of the folder that a line names; relative ones start at `base`."""
    path = Path(text)
    with suppress(RuntimeError):  # there is no such user
        path = path.expanduser()
    return os.path.realpath(base / path)  # unlike resolve, it accepts cyclic symlinks


def holds_onnx(folder: Path) -> bool:
    """Return whether a folder has an ONNX file and no weights for transformers."""
    weights = any(folder.glob("*.safetensors")) or any(folder.glob("pytorch_model*.bin"))
    return not weights and any((*folder.glob("*.onnx"), *folder.glob("onnx/*.onnx")))
