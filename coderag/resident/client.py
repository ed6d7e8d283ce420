"""A command to its exit code, where a resident helper answers it.

The command line imports this before it imports anything else, and nothing else where a helper answers.
"""

from __future__ import annotations

import os

from coderag.resident.sockets import AVAILABLE, connect, process_identity, runtime_folder, socket_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket

__all__ = ["ABSENT", "ALONE", "COMMANDS", "VARIABLE", "answered_by_helper"]

VARIABLE = "CODERAG_HELPER"
INDEX_KEY = "CODERAG_INDEX_KEY"  # signs indexes, and stays with who has it
COMMANDS = frozenset(
    {
        *("search", "at", "outline", "symbols", "refs", "impact", "path", "graph", "map"),
        *("schema", "tables", "table", "erd", "check-sql", "status", "ask"),
    }
)
# What reads standard input, runs git, asks a database, or may need a model or the key of an endpoint.
OWN_OPTIONS = tuple("--batch --changed --diff --model --recall --reranker --session --sql --staged --url".split())
STDIN = "-"

ABSENT, ALONE = -1, -2  # this process has to answer: there is no helper, or none may be asked
SECONDS = 0.25  # for a helper to take a command; then this process answers sooner by itself
PATIENT, PATIENT_SECONDS = "wait", 60.0  # the value of the variable with which a command waits longer, and how long
FAILED, INTERRUPTED = 2, 130


def answered_by_helper(arguments: list[str]) -> int:
    """Return the exit code of a command that a helper answered; ABSENT or ALONE where this process has to answer."""
    if not _is_for_helper(arguments):
        return ALONE
    try:
        return _ask(arguments)
    except OSError:
        return ALONE
    except KeyboardInterrupt:
        os.write(2, b"coderag: interrupted\n")
        return INTERRUPTED


def _is_for_helper(arguments: list[str]) -> bool:
    """Tell whether a helper may answer a command of this process."""
    if not AVAILABLE or not arguments or arguments[0] not in COMMANDS or os.environ.get(VARIABLE) == "0":
        return False
    if os.environ.get(INDEX_KEY):
        return False
    for argument in arguments:
        if argument == STDIN or argument.endswith(f"={STDIN}") or argument.startswith(OWN_OPTIONS):
            return False
    try:
        for descriptor in range(3):
            os.fstat(descriptor)
    except OSError:  # the command line has its own way with a stream that is closed
        return False
    return True


def _ask(arguments: list[str]) -> int:
    identity = process_identity()
    seconds = PATIENT_SECONDS if os.environ.get(VARIABLE) == PATIENT else SECONDS
    try:
        connection = connect(f"{runtime_folder()}/{socket_name(identity)}", seconds=seconds)
    except (FileNotFoundError, ConnectionRefusedError):
        return ABSENT
    from coderag.resident.request import ACCEPTED, ANSWER, GO, encode

    try:
        folder = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        message = encode(ANSWER, identity, arguments)
        sent = _send_with(connection, message, [folder, 0, 1, 2])
        os.close(folder)
        connection.sendall(message[sent:])
        if _received(connection)[:1] != ACCEPTED:
            return ALONE
        connection.settimeout(None)
        connection.sendall(GO)
        return _outcome(connection)
    finally:
        connection.close()


def _send_with(connection: socket, message: bytes, descriptors: list[int]) -> int:
    """Send the beginning of a message together with descriptors, and return how many bytes that were."""
    from _socket import SCM_RIGHTS, SOL_SOCKET
    from struct import pack

    return connection.sendmsg([message], [(SOL_SOCKET, SCM_RIGHTS, pack(f"{len(descriptors)}i", *descriptors))])


def _outcome(connection: socket) -> int:
    """Wait for the answer, and return its exit code; an interrupt is passed on to who answers."""
    from coderag.resident.request import DECLINED, ENDED, INTERRUPT

    received = b""
    while True:
        try:
            received = _received(connection)
            break
        except KeyboardInterrupt:
            connection.sendall(INTERRUPT)
        except OSError:
            break
    if received[:1] == ENDED:
        return received[1]
    if received[:1] == DECLINED:
        return ALONE
    os.write(2, b"coderag: the helper was ended while it answered; run the command again\n")
    return FAILED


def _received(connection: socket) -> bytes:
    """Return two bytes from the helper, fewer where it has gone."""
    data = b""
    while len(data) < 2 and (part := connection.recv(2 - len(data))):
        data += part
    return data
