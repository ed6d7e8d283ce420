"""The line that names a language model, to where it answers and in which format."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from urllib.parse import urlsplit

from coderag.encoders.named import checked_address, checked_options, split_line
from coderag.encoders.presets import find_service
from coderag.errors import LanguageModelError

__all__ = ["Format", "ModelSpec", "parse_model"]

OPTIONS = frozenset({"timeout"})
TIMEOUT = 120  # seconds until the first piece, and between two: a model may think that long
ADVICE = "name one as openai:MODEL, anthropic:MODEL, ollama:MODEL or http://HOST/v1/chat/completions#MODEL"


class Format(StrEnum):
    """The format of requests and answers."""

    CHAT = "chat"  # chat completions, of OpenAI and most others
    MESSAGES = "messages"  # of Anthropic


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """A language model: its name at an address; no key is part of it."""

    model: str
    url: str
    format: Format = Format.CHAT
    timeout: float = TIMEOUT
    trusted: bool = field(default=False, compare=False, repr=False)  # named by the user, not by a file in a repository


def parse_model(text: str, *, trusted: bool = True) -> ModelSpec:
    """Parse a line that names a language model: `openai:M`, `anthropic:M`, `ollama:M`, `https://HOST/PATH#M`.

    An address whose path ends in `/messages` speaks Anthropic's format, any other chat completions; `?timeout=30` may
    follow the model. `trusted` is False for a line from a file in a repository. Raises LanguageModelError.
    """
    head, model, options = split_line(text, OPTIONS)
    checked = checked_options(options, OPTIONS, where=f"model {_shown(head)}", error=LanguageModelError)
    timeout = checked.get("timeout", TIMEOUT)
    if "://" in head:
        url = checked_address(head, error=LanguageModelError)
        if not model:
            raise LanguageModelError(f'model {_shown(head)}: the name of the model is missing; {ADVICE}, after the "#"')
        ending = urlsplit(url).path.rstrip("/")
        return ModelSpec(model, url, Format.MESSAGES if ending.endswith("/messages") else Format.CHAT, timeout, trusted)
    scheme, _, name = head.partition(":")
    service = find_service(scheme)
    if model or not name or service is None or not (service.chat or service.messages):
        raise LanguageModelError(f"no language model is called {_shown(head)}; {ADVICE}")
    form = Format.MESSAGES if service.messages else Format.CHAT
    return ModelSpec(name, service.messages or service.chat, form, timeout, trusted)


def _shown(text: str) -> str:
    """Return the part of a line that an error may show: an address without credentials and query."""
    return repr(text.partition("?")[0].rpartition("@")[2] if "://" in text else text[:200])
