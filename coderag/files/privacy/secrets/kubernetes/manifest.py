"""A Kubernetes manifest of kind Secret, in YAML or JSON, to its secret values."""

from __future__ import annotations

import re

from coderag.files.privacy.secrets.kubernetes.json_secrets import json_secrets
from coderag.files.privacy.secrets.kubernetes.value import Value
from coderag.files.privacy.secrets.kubernetes.yaml_secrets import yaml_secrets

__all__ = ["Manifests"]

KIND = re.compile(rb"""kind(?P<quote>\\?["']|)[ \t]{0,8}:[ \t]{0,8}(?P<open>\\?["']|)Secret(?P=open)(?![\w.-])""")


class Manifests:
    """The manifests in a file; what was read for one is not read again, so many of them in a row take no longer."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._read: dict[bytes, int] = {}  # up to where, by the quotes: one in a string of another has its own

    def secrets_at(self, position: int) -> tuple[Value, ...]:
        """Return the values of the manifest whose `kind: Secret` is at a position, in order of the positions."""
        kind = KIND.match(self._data, position)
        if kind is None:
            return ()
        quote = kind["quote"]
        after = self._read.get(quote, 0)
        if position < after:
            return ()
        if quote:
            secrets = json_secrets(self._data, kind.span(), quote=quote, after=after)
        else:
            secrets = yaml_secrets(self._data, kind.span(), after=after)
        self._read[quote] = secrets.end
        return secrets.values
