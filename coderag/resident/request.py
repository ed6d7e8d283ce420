"""A command, and all of the process that gave it that its answer may depend on, to bytes and back.

A request is a header and texts that a NUL ends: neither arguments nor environment variables hold one. The standard
streams and the current folder travel beside it as descriptors.
"""

from __future__ import annotations

import os
import struct
import sys

__all__ = [
    "ACCEPTED",
    "ANSWER",
    "BY_LINE",
    "DECLINED",
    "ENDED",
    "GO",
    "HEADER",
    "INTERRUPT",
    "MAGIC",
    "MOST_BYTES",
    "STATUS",
    "STOP",
    "encode",
    "passed_variables",
    "streams",
]

MAGIC = b"CRH1"  # the protocol and its version
HEADER = struct.Struct("<4sI")  # the magic number, and how many bytes follow
MOST_BYTES = 4_000_000  # of a request: more than a command line and its environment may have
ANSWER, STATUS, STOP = "answer", "status", "stop"
# What a helper says: one of these and a second byte, which is the exit code after ENDED, else zero.
ACCEPTED, DECLINED, ENDED = b"A", b"D", b"E"
GO, INTERRUPT = b"G", b"I"
BY_LINE, BY_BLOCK = "line", "block"  # how a stream is flushed

NAMES = frozenset(
    {
        *("CLICOLOR", "CLICOLOR_FORCE", "COLORTERM", "COLUMNS", "FORCE_COLOR", "HOME", "LANG", "LANGUAGE", "LINES"),
        *(
            "LD_LIBRARY_PATH",
            "LOGNAME",
            "NO_COLOR",
            "PATH",
            "SHELL",
            "TERM",
            "TMPDIR",
            "TZ",
            "USER",
            "XDG_CACHE_HOME",
            "XDG_CONFIG_HOME",
        ),
        *("XDG_DATA_HOME", "XDG_RUNTIME_DIR"),
    }
)
PREFIXES = ("CODERAG_", "LC_", "PYTHON", "TTY_")
SECRETS = ("KEY", "PASS", "SECRET", "TOKEN")  # a variable with one of these in its name stays where it is


def passed_variables() -> list[str]:
    """Return the environment variables that may change an answer, as NAME=VALUE; none that holds a secret."""
    return [
        f"{name}={value}"
        for name, value in os.environ.items()
        if (name in NAMES or name.startswith(PREFIXES)) and not any(secret in name for secret in SECRETS)
    ]


def streams() -> list[str]:
    """Return how the standard streams of this process encode text: encoding, errors and buffering of each."""
    told = []
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        is_by_line = getattr(stream, "line_buffering", False) or getattr(stream, "write_through", False)
        told += [stream.encoding, stream.errors or "strict", BY_LINE if is_by_line else BY_BLOCK]
    return told


def encode(kind: str, identity: str, arguments: list[str]) -> bytes:
    """Return the request of this process."""
    umask = os.umask(0o077)
    os.umask(umask)
    niceness = os.getpriority(os.PRIO_PROCESS, 0)
    texts = [kind, identity, str(umask), str(niceness), *streams(), str(len(arguments)), *arguments]
    texts += passed_variables()
    body = "\0".join(texts).encode("utf-8", "surrogateescape")
    return HEADER.pack(MAGIC, len(body)) + body
