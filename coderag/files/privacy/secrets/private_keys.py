"""The head of a private key to where the key is: in PEM, in OpenPGP's and PuTTY's files, in a string of a program."""

from __future__ import annotations

import re

from coderag.files.privacy.secrets.placeholders import is_random

__all__ = ["MAX_KEY_BYTES", "base64_runs", "key_body"]

MAX_KEY_BYTES = 20_000  # a key of 16,384 bits takes 13 KB
MAX_HEAD_BYTES = 80
MIN_RUN, MIN_BODY = 16, 40  # characters of base64 on a line of a key, and in all of it; the shortest key takes 43
MIN_ENTROPY = 3.5  # bits a byte of base64

HEAD = re.compile(rb"-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}|Private-Lines: [0-9]{1,3}(?=\s|\\)")
BREAK = rb"(?:\s|\\[nrt]|[\"'`+\\,;&|>#*/.)(-])"  # line ends, in the file or in a string, and what joins strings
FIELDS = re.compile(
    rb"(?:%s{0,100}+(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|Subject|X-[A-Za-z-]{1,40}):[^\n\\\"']{0,200}+){1,8}+"
    % BREAK
)
BETWEEN = re.compile(rb"(?:\\[nrt]|\+(?=\s|\\n)|(?![A-Za-z0-9/+=])%s|/(?=[/*\s])){0,200}+" % BREAK)
RUN = re.compile(rb"[A-Za-z0-9+/=]+")


def key_body(data: bytes, anchor: int) -> list[tuple[int, int]]:
    """Return where the lines of a key are, whose head is around a position; nothing where there is no key."""
    head = HEAD.search(data, max(0, anchor - MAX_HEAD_BYTES), anchor + MAX_HEAD_BYTES)
    if head is None or not head.start() <= anchor < head.end():
        return []
    limit = head.end() + MAX_KEY_BYTES
    fields = FIELDS.match(data, head.end(), limit)
    lines = base64_runs(data, fields.end() if fields else head.end(), limit)
    text = b"".join(data[start:end] for start, end in lines)
    return lines if len(text) >= MIN_BODY and is_random(text[MIN_RUN:], entropy=MIN_ENTROPY) else []


def base64_runs(data: bytes, position: int, limit: int) -> list[tuple[int, int]]:
    """Return the runs of base64 from a position on; only the last may be short."""
    spans: list[tuple[int, int]] = []
    while between := BETWEEN.match(data, position, limit):
        run = RUN.match(data, between.end(), limit)
        if run is None:
            break
        size = run.end() - run.start()
        if size < MIN_RUN and (size % 4 or not spans):
            break
        spans.append(run.span())
        position = run.end()
        if size < MIN_RUN:
            break
    return spans
