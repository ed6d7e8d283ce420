"""What the content of an index depends on besides the files: a change of any of it means that all is read again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from hashlib import blake2b

import msgspec

from coderag.files.privacy.secrets.identity import rules_identity
from coderag.resources import data_folder
from coderag.sql.settings import Settings
from coderag.text.tokens import TOKENIZER_VERSION

__all__ = ["content_key", "content_parts", "why_outdated"]

CHUNKER_VERSION = 5  # raise it when the same file gives other chunks
LINKS_VERSION = 11  # raise it when the same file gives other links
OF_THE_USER = frozenset({"settings", "masking of secrets"})
FRAMEWORK_FILES = frozenset(
    f"{name}.toml" for name in "attributes framework mappers migrations models tags verbs".split()
)


def content_parts(settings: Settings, *, mask: bool) -> dict[str, str]:
    """Return the identities of what an index's content depends on, besides the files; `mask`: secrets are covered."""
    return {
        "chunker": str(CHUNKER_VERSION),
        "links": str(LINKS_VERSION),
        "tokenizer": str(TOKENIZER_VERSION),
        "languages": _data_identity("parsers", frozenset({"language.toml", "tags.scm", "links.scm", "routes.scm"})),
        "dialects": _data_identity("schemas/dialects", frozenset({"dialect.toml"})),
        "frameworks": _data_identity("schemas/frameworks", FRAMEWORK_FILES),
        "masking of secrets": rules_identity() if mask else "none",
        "settings": blake2b(msgspec.json.encode(replace(settings, name="")), digest_size=8).hexdigest(),
    }


def why_outdated(manifest_parts: Mapping[str, str], parts: Mapping[str, str]) -> str:
    """Return why an index with some identities is outdated beside those that it would have now, "" if it is not.

    {"chunker": "3"}, {"chunker": "4"}      -> "the index was made by another version of coderag (chunker)"
    {"settings": "ab"}, {"settings": "cd"}  -> "the index was made with other settings"
    """
    differing = [part for part, identity in parts.items() if manifest_parts.get(part) != identity]
    if own := [part for part in differing if part not in OF_THE_USER]:
        return f"the index was made by another version of coderag ({', '.join(own)})"
    return f"the index was made with other {' and '.join(differing)}" if differing else ""


def content_key(parts: Mapping[str, str], form: int) -> str:
    """Return one identity for all parts and the format of an index: what segments may be shared by."""
    joined = "\0".join(f"{name}={value}" for name, value in sorted(parts.items()))
    return blake2b(f"{form}\0{joined}".encode(), digest_size=8).hexdigest()


@cache  # nobody changes what is installed while it runs
def _data_identity(folder: str, names: frozenset[str]) -> str:
    data = blake2b(digest_size=8)
    for path in sorted(data_folder(folder).glob("*/*")):
        if path.name in names:
            data.update(path.parent.name.encode() + path.read_bytes())
    return data.hexdigest()
