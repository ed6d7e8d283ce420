"""Names and subjects of commits to what is stored and shown of them: short, without control characters and secrets."""

from __future__ import annotations

import re

from coderag.files.privacy.secrets.masking import mask_secrets

__all__ = ["author_text", "subject_text"]

MAX_SUBJECT, MAX_AUTHOR = 200, 60  # characters
BLANKS = re.compile(r"\s+")
ADDRESS = re.compile(r"@[^\s@]*|[<>]")  # of an e-mail address that stands in place of a name


def subject_text(subject: str, *, masks: bool) -> str:
    """Return a subject on one line."""
    text = _plain(subject)[:MAX_SUBJECT]
    return mask_secrets(text.encode("utf-8", "replace")).data.decode("utf-8", "replace") if masks else text


def author_text(name: str) -> str:
    """Return the name of an author, nothing of an address."""
    return ADDRESS.sub("", _plain(name))[:MAX_AUTHOR].strip()


def _plain(text: str) -> str:
    printable = "".join(sign if sign.isprintable() else " " for sign in text)
    return BLANKS.sub(" ", printable).strip()
