"""One revision of a git repository to a folder, without running anything that it brings.

Nothing but the files of the revision arrives: no history, tags, submodules, or contents of large file storage. Hooks,
filters and templates do not run, links are not made, and git asks nobody for credentials: those that the user's
configuration has (a credential helper, a key of ssh) are used. What it takes is bounded in time and space.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from coderag.errors import CloneError
from coderag.files.git_address import GitAddress
from coderag.files.git_command import HARMLESS, git_environment

__all__ = ["FetchLimits", "checkout", "fetch"]

REMOTE = "coderag"  # a name that no configuration of the user has a section for
REFERENCE = "refs/coderag/fetched"
# Of all files, and before what .gitattributes says: no program filters them, no line end and no encoding changes.
ATTRIBUTES = "* -filter -text -ident -eol !working-tree-encoding\n"
SAFE = (
    *HARMLESS,
    *("-c", "core.symlinks=false", "-c", "core.autocrlf=false", "-c", "core.attributesFile=" + os.devnull),
    *("-c", "core.protectNTFS=true", "-c", "core.protectHFS=true", "-c", "core.logAllRefUpdates=false"),
    *("-c", "core.askPass=", "-c", "credential.interactive=false", "-c", "submodule.recurse=false"),
    *("-c", "fetch.unpackLimit=1", "-c", "fetch.writeCommitGraph=false", "-c", "init.defaultBranch=coderag"),
    *("-c", "http.lowSpeedLimit=1000", "-c", "http.lowSpeedTime=30", "-c", "advice.detachedHead=false"),
)
POLL_SECONDS = 0.2
BLOCK_BYTES = 1 << 16
MOST_PACKS = 8  # each fetch adds one; more are made one, without what no revision holds
STALE_SECONDS = 3_600  # a lock of git that is older was left by a process that was killed
REASONS = (  # by what git says in English, the first that fits
    ((f"'{REMOTE}' does not appear to be a git repository",), "this git is too old; 2.31 or later is needed"),
    (
        (
            *("could not resolve host", "name or service not known", "failed to connect", "couldn't connect"),
            *("connection refused", "connection timed out", "network is unreachable", "no route to host"),
        ),
        "{host} cannot be reached",
    ),
    (
        (
            *("terminal prompts disabled", "could not read username", "could not read password"),
            *("authentication failed", "permission denied (", "error: 401", "error: 403"),
        ),
        "it needs authentication, or does not exist; give git the credentials, by a credential helper or a key of ssh",
    ),
    (("host key verification failed",), 'ssh does not know {host}; run "ssh {host}" once'),
    (("certificate",), "the certificate of {host} is not valid"),
    (
        ("couldn't find remote ref", "not our ref", "unadvertised object"),
        "it has no revision {revision!r}; give a branch, a tag or a whole commit id",
    ),
    (
        ("not found", "does not exist", "does not appear to be a git repository", "error: 404"),
        "there is no repository",
    ),
    (("dubious ownership",), "its folder belongs to somebody else"),
)


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """How much a fetch may take."""

    seconds: float = 900.0
    pack_bytes: int = 4 << 30  # that arrive
    tree_bytes: int = 16 << 30  # of all files of the revision
    tree_files: int = 2_000_000


@dataclass(frozen=True, slots=True)
class Repository:
    """A folder that git works in for an address, until the time is over."""

    address: GitAddress
    folder: Path
    limits: FetchLimits
    deadline: float

    def run(self, *arguments: str) -> str:
        """Return what a git command prints; raises CloneError."""
        with self._started(arguments) as process:
            output, said = self._wait(process)
        if process.returncode:
            raise CloneError(f"{self.address} cannot be cloned: {_reason(self.address, said)}")
        return os.fsdecode(output)

    def records(self, *arguments: str) -> Iterator[str]:
        """Yield what a git command prints up to each NUL, however much it is; raises CloneError."""
        with self._started(arguments) as process:
            assert process.stdout is not None
            rest = b""
            while block := process.stdout.read(BLOCK_BYTES):
                self._check_time()
                *whole, rest = (rest + block).split(b"\0")
                yield from map(os.fsdecode, whole)
            _, said = self._wait(process)
        if process.returncode:
            raise CloneError(f"{self.address} cannot be cloned: {_reason(self.address, said)}")

    @contextmanager
    def _started(self, arguments: Sequence[str]) -> Iterator[subprocess.Popen[bytes]]:
        """Start git, and end it, with what it started, where the block ends early."""
        try:
            process = subprocess.Popen(
                ["git", *SAFE, "-C", str(self.folder), *arguments],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=_environment(self.address),
                start_new_session=True,  # without a terminal, ssh asks for no password
            )
        except FileNotFoundError:
            raise CloneError(f"git is not installed; it is needed to clone {self.address}") from None
        try:
            yield process
        except BaseException:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            raise

    def _wait(self, process: subprocess.Popen[bytes]) -> tuple[bytes, bytes]:
        """Return what a process wrote; raises CloneError when it takes too long, or too much arrives."""
        while True:
            with suppress(subprocess.TimeoutExpired):
                return process.communicate(timeout=POLL_SECONDS)
            self._check_time()
            self.check_size()

    def check_size(self) -> None:
        """Raise CloneError if more arrived than may."""
        if sum(_sizes(self.folder / ".git/objects/pack")) > self.limits.pack_bytes:
            raise CloneError(
                f"{self.address} is not cloned: it has more than {self.limits.pack_bytes:,} bytes, compressed"
            )

    def _check_time(self) -> None:
        if time.monotonic() > self.deadline:
            raise CloneError(f"{self.address} cannot be cloned: it took more than {self.limits.seconds:g} s")


def fetch(address: GitAddress, folder: Path, limits: FetchLimits) -> str:
    """Bring the revision of an address into the .git of a folder, which is made; return its commit.

    Raises CloneError, which says in words what is wrong.
    """
    repository = _repository(address, folder, limits)
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / ".git/info/attributes").exists():
        repository.run("init", "--quiet", "--template=")
        (folder / ".git/info").mkdir(exist_ok=True)
        (folder / ".git/info/attributes").write_text(ATTRIBUTES)
    _remove_stale_locks(folder)
    # The progress goes into a pipe: git ends when nobody reads it any more.
    repository.run(
        *("fetch", "--progress", "--depth=1", "--no-tags", "--force", "--update-shallow", "--no-auto-gc"),
        *("--no-recurse-submodules", "--no-write-fetch-head"),
        *("--", REMOTE, f"+{address.revision or 'HEAD'}:{REFERENCE}"),
    )
    repository.check_size()
    commit = repository.run("rev-parse", "--verify", "--quiet", f"{REFERENCE}^{{commit}}").strip()
    if sum(1 for _ in (folder / ".git/objects/pack").glob("*.pack")) > MOST_PACKS:
        repository.run("repack", "-a", "-d", "--quiet")
    return commit


def checkout(address: GitAddress, folder: Path, limits: FetchLimits) -> None:
    """Make the files in a folder those of the revision fetched last, without its links; others stay.

    Raises CloneError.
    """
    repository = _repository(address, folder, limits)
    links = list(_checked_links(repository))
    repository.run("reset", "--hard", "--quiet", REFERENCE)
    for path in links:  # git wrote regular files in their place, with where they lead
        (folder / path).unlink(missing_ok=True)


def _checked_links(repository: Repository) -> Iterator[str]:
    """Yield the paths of the links of a revision; raises CloneError where its files take too much.

    A few small trees that hold each other many times over make any number of files.
    """
    limits = repository.limits
    size = 0
    entries = repository.records("ls-tree", "-r", "-l", "-z", "--full-tree", REFERENCE)
    for files, entry in enumerate(entries, 1):
        facts, _, path = entry.partition("\t")
        mode, _, _, length = facts.split()
        size += int(length) if length.isdecimal() else 0  # "-" of a submodule
        if files > limits.tree_files or size > limits.tree_bytes:
            raise CloneError(
                f"{repository.address} is not cloned: it has more than {limits.tree_files:,} files, "
                f"or {limits.tree_bytes:,} bytes"
            )
        if mode == "120000":
            yield path


def _repository(address: GitAddress, folder: Path, limits: FetchLimits) -> Repository:
    return Repository(address, folder, limits, time.monotonic() + limits.seconds)


def _environment(address: GitAddress) -> dict[str, str]:
    """Return the environment of git; the address is in it, since everybody may read the arguments of a process."""
    protocols = ("https", "ssh", "file", address.scheme)
    forced = {
        "GIT_ALLOW_PROTOCOL": ":".join(dict.fromkeys(protocols)),
        "GIT_ASKPASS": "",
        "SSH_ASKPASS": "",
        "SSH_ASKPASS_REQUIRE": "never",
        "GCM_INTERACTIVE": "never",
        "GIT_LFS_SKIP_SMUDGE": "1",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"remote.{REMOTE}.url",
        "GIT_CONFIG_VALUE_0": address.url,
    }
    return git_environment(forced)


def _reason(address: GitAddress, said: bytes) -> str:
    """Return in words why git failed."""
    lines = said.decode("utf-8", "replace").replace("\r", "\n").strip().split("\n")
    message = "\n".join(line for line in lines if not line.startswith("hint:"))
    for own in (address.url, address.shown, address.name):  # which may say "certificate"
        message = message.replace(own, "")
    for signs, reason in REASONS:
        if any(sign in message.lower() for sign in signs):
            return reason.format(host=address.host or "this machine", revision=address.revision or "HEAD")
    last = next((line for line in lines if line.startswith(("fatal:", "error:"))), lines[-1])
    return address.without_secrets(last) or "git failed without a word"


def _sizes(folder: Path) -> Iterator[int]:
    with suppress(OSError):
        for entry in os.scandir(folder):
            with suppress(OSError):
                yield entry.stat(follow_symlinks=False).st_size


def _remove_stale_locks(folder: Path) -> None:
    """Remove locks that a git left which was killed; a git that works here removes its own sooner."""
    oldest = time.time() - STALE_SECONDS
    for name in ("index.lock", "shallow.lock", "HEAD.lock", "config.lock", "packed-refs.lock"):
        path = folder / ".git" / name
        with suppress(OSError):
            if path.lstat().st_mtime < oldest:
                path.unlink()
