"""What follows `Basic` in a header to whether it is a user's name and password (RFC 7617)."""

from __future__ import annotations

import re
from binascii import Error, a2b_base64

from coderag.files.privacy.secrets.placeholders import is_placeholder, is_url_placeholder

__all__ = ["are_credentials"]

CREDENTIALS = re.compile(rb"(?P<user>[^\x00-\x1f\x7f:]{0,300}):(?P<password>[^\x00-\x1f\x7f]{0,1200})")
KEY = re.compile(rb"(?=[A-Za-z_-]{0,300}[0-9])[A-Za-z0-9_-]{20,300}")  # services take one in place of the user's name
MIN_KEY_ENTROPY = 3.5  # bits a byte


def are_credentials(text: bytes) -> bool:
    """Tell whether base64 is `user:password` and the password, or a key in place of the name, is no placeholder."""
    try:
        decoded = a2b_base64(text.rstrip(b"=") + b"==")
        decoded.decode()
    except (Error, UnicodeDecodeError):
        return False
    match = CREDENTIALS.fullmatch(decoded)
    if match is None:
        return False
    if match["password"] and not is_url_placeholder(match["password"], user=match["user"]):
        return True
    return KEY.fullmatch(match["user"]) is not None and not is_placeholder(match["user"], entropy=MIN_KEY_ENTROPY)
