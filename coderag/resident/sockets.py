"""Where the socket of the resident helper lies, and whose process is at its other end.

The command line imports this before anything else, so it imports only what the interpreter has loaded already, and
`_socket` where there is one to connect to: what `socket` adds to it takes a third of all that a client does.
"""

from __future__ import annotations

import os
import stat
import sys

from coderag._version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket

__all__ = [
    "AVAILABLE",
    "ENDING",
    "connect",
    "is_own_folder",
    "is_own_peer",
    "process_identity",
    "runtime_folder",
    "socket_name",
    "variables_of_process",
]

# The helper answers in copies of itself; elsewhere than on Linux, system libraries may not survive a copy.
AVAILABLE = sys.platform == "linux"
ENDING = ".sock"
MOST_PATH_BYTES = 107  # of the path of a socket: sun_path of unix(7), less the NUL at its end
LONGEST_NAME = 64  # bytes of a socket's name and the slash in front of it, with room to spare
SHORT_FOLDER = "/tmp"  # where sockets go if the user's runtime folder is unknown, or its path too long
CREDENTIALS = "3i"  # process, user and group: struct ucred of unix(7)
# What an interpreter, and the libraries below it, read once and for all, so that two processes differ for ever.
READ_ONCE = ("HOME", "LANG", "LANGUAGE", "TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")
READ_ONCE_PREFIXES = ("LC_", "PYTHON")


def variables_of_process() -> list[str]:
    """Return the environment variables that a process reads once, as NAME=VALUE."""
    return [
        f"{name}={value}"
        for name, value in sorted(os.environ.items())
        if name in READ_ONCE or name.startswith(READ_ONCE_PREFIXES)
    ]


def process_identity() -> str:
    """Return what two processes have in common of which one may answer for the other.

    The same interpreter and installation, the same locale and home, and the same view of the file system.
    """
    root = os.stat("/")
    try:
        mounts = os.readlink("/proc/self/ns/mnt")  # noqa: PTH115 - as below
    except OSError:
        mounts = ""
    parts = [
        __version__,
        sys.version,
        sys.executable,
        sys.prefix,
        os.path.dirname(__file__),  # noqa: PTH120 - pathlib takes longer to import than the answer
        f"{sys.flags.utf8_mode} {sys.flags.optimize} {sys.flags.dev_mode} {sys.getfilesystemencoding()}",
        f"{root.st_dev} {root.st_ino} {mounts} {os.geteuid()} {os.getegid()}",
        *variables_of_process(),
    ]
    return "\n".join(parts)


def socket_name(identity: str) -> str:
    """Return the name of the socket of the helper that answers for processes of an identity."""
    from zlib import crc32

    digest = crc32(identity.encode("utf-8", "surrogateescape"))
    return f"{__version__[:32]}-{digest:08x}{ENDING}"


def runtime_folder() -> str:
    """Return the folder of the sockets of this user; it need not be there."""
    given = os.environ.get("XDG_RUNTIME_DIR", "")
    folder = f"{given}/coderag"
    if given.startswith("/") and len(os.fsencode(folder)) + LONGEST_NAME <= MOST_PATH_BYTES:
        return folder
    from zlib import crc32

    digest = crc32(os.fsencode(given))
    return f"{SHORT_FOLDER}/coderag-{os.geteuid()}-{digest:08x}"


def is_own_folder(folder: str) -> bool:
    """Tell whether a path is a folder of this user, no link, that nobody else may enter."""
    try:
        status = os.lstat(folder)
    except OSError:
        return False
    is_private = not status.st_mode & (stat.S_IRWXG | stat.S_IRWXO)
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid() and is_private


def is_own_peer(connection: socket) -> bool:
    """Tell whether a process of this user is at the other end, as the system says."""
    from _socket import SO_PEERCRED, SOL_SOCKET
    from struct import calcsize, unpack

    credentials = connection.getsockopt(SOL_SOCKET, SO_PEERCRED, calcsize(CREDENTIALS))
    _, user, group = unpack(CREDENTIALS, credentials)
    return bool(user == os.geteuid() and group == os.getegid())


def connect(path: str, *, seconds: float) -> socket:
    """Return a connection to the process of this user that listens at a path; raises OSError where there is none."""
    if not is_own_folder(os.path.dirname(path)) or not os.path.lexists(path):  # noqa: PTH120 - as above
        raise FileNotFoundError(path)
    from _socket import AF_UNIX, SOCK_STREAM, socket

    connection = socket(AF_UNIX, SOCK_STREAM)
    try:
        connection.settimeout(seconds)
        connection.connect(path)
        if not is_own_peer(connection):
            raise PermissionError(path)
    except BaseException:
        connection.close()
        raise
    return connection
