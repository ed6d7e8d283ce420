"""What differs between two states of a git repository: revisions, what is staged, and the worktree.

The differences are git's own, computed in a scratch repository (coderag.files.git_scratch), so no filter and no driver
of the real one is run. For the same reason the worktree is read here and not by git.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from coderag.errors import GitError
from coderag.files.blob import blob_id
from coderag.files.changes.patch import FilePatch, parse_patch
from coderag.files.changes.records import ChangedFile, ChangeSet, LeftOut, WhyLeftOut
from coderag.files.git import Blobs, Git, is_in_repository
from coderag.files.git_index import Checked, checked_in
from coderag.files.git_scratch import scratch_repository
from coderag.files.root_file import read_root_file
from coderag.files.walk import MAX_BYTES

__all__ = ["changes_between", "changes_of_staged", "changes_of_worktree", "is_revision", "paths_of"]

PURPOSE = "tell the changes"
MAX_PATCH_BYTES = 64_000_000
MAX_FILES = 5_000  # whose content is looked at
MAX_UNTRACKED = 50_000
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"  # that of a repository without commits (SHA-1)
REGULAR_FILES = frozenset({"100644", "100755"})  # not links, not submodules
HEAD = "HEAD"
DIFF = (
    *("diff-tree", "-r", "-p", "-M", "-U0", "--no-color", "--no-ext-diff", "--no-textconv", "--full-index"),
    *("--src-prefix=a/", "--dst-prefix=b/", "--ignore-cr-at-eol", "--ignore-submodules=all"),
)
SNAPSHOT = "refs/heads/snapshot"


@dataclass(frozen=True, slots=True)
class _Entry:
    """A file as a tree or git's index has it."""

    mode: str
    blob: str


def is_revision(root: Path, text: str) -> bool:
    """Tell whether a text is a revision or range of the repository around a root; raises GitError without git."""
    git = Git(root, purpose=PURPOSE)
    before, dots, after = _range(text)
    return all(_commit(git, name or HEAD) for name in ((before, after) if dots else (before,)))


def changes_between(root: Path, text: str) -> ChangeSet:
    """Return what a range changes: `A..B`, or `A...B` for what B did since it left A; raises GitError."""
    git = _repository(root)
    before, dots, after = _range(text)
    ends = [_known_commit(git, name or HEAD) for name in (before, after)]
    if dots == "...":
        base = git.line("merge-base", *ends, accept=(0, 1))
        if not base:
            raise GitError(
                f"{before or HEAD} and {after or HEAD} have no common ancestor here; fetch more of the history"
            )
        ends[0] = base
    with scratch_repository(git, purpose=PURPOSE) as scratch:
        return _changes(scratch, *ends, prefix=_prefix(git), title=text)


def changes_of_worktree(root: Path, revision: str = "") -> ChangeSet:
    """Return how the files below a root differ from a revision (default: HEAD), untracked ones included.

    Raises GitError.
    """
    git = _repository(root)
    base = _base(git, revision)
    prefix = _prefix(git)
    known = _tree(git, base)
    present = {path: entry for path, entry in known.items() if entry.mode in REGULAR_FILES}
    untracked = git.run("ls-files", "--others", "--exclude-standard", "-z").split(b"\0")[:MAX_UNTRACKED]
    staged = [path for path in _index(git) if path not in known]
    checked = checked_in(str(root))
    changed: dict[str, bytes | None] = {}
    for path in dict.fromkeys((*present, *staged, *map(os.fsdecode, filter(None, untracked)))):
        before = present.get(path)
        data = _differing(root, path, before, checked)
        if data is not None or (before is not None and not os.path.lexists(root / path)):
            changed[path] = data
    with scratch_repository(git, purpose=PURPOSE) as scratch:
        new = _snapshot(scratch, base, {f"{prefix}{path}": data for path, data in changed.items()})
        return _changes(scratch, base, new, prefix=prefix, title=f"the worktree with {revision or HEAD}")


def changes_of_staged(root: Path, revision: str = "") -> ChangeSet:
    """Return how what is staged differs from a revision (default: HEAD); raises GitError."""
    git = _repository(root)
    base = _base(git, revision)
    prefix = _prefix(git)
    known, staged = _tree(git, base), _index(git)
    changed: dict[str, bytes | _Entry | None] = {
        f"{prefix}{path}": staged.get(path) for path in known | staged if staged.get(path) != known.get(path)
    }
    with scratch_repository(git, purpose=PURPOSE) as scratch:
        new = _snapshot(scratch, base, changed)
        return _changes(scratch, base, new, prefix=prefix, title=f"what is staged with {revision or HEAD}")


# Revisions


def _repository(root: Path) -> Git:
    git = Git(root, purpose=PURPOSE)
    if git.line("rev-parse", "--is-inside-work-tree", accept=(0, 128)) != "true":
        if not is_in_repository(root):
            raise GitError(f"{root} is in no git repository; give a patch file, or - for one on stdin")
        git.line("rev-parse", "--is-inside-work-tree")  # git says why it refuses
    return git


def _range(text: str) -> tuple[str, str, str]:
    """Return both ends of a range and the dots between them; of a revision alone, that."""
    dots = "..." if "..." in text else ".."
    return text.partition(dots)


def _commit(git: Git, revision: str) -> str:
    """Return the id of a commit, "" if the text names no commit."""
    if revision.startswith("-"):
        return ""
    arguments = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    return git.line(*arguments, accept=(0, 1, 128))


def _known_commit(git: Git, revision: str) -> str:
    commit = _commit(git, revision)
    if not commit:
        raise GitError(f"{revision!r} is no revision of {git.root}; is it fetched?")
    return commit


def _base(git: Git, revision: str) -> str:
    """Return the commit of a revision; of HEAD where there is no commit yet, the empty tree."""
    return _known_commit(git, revision) if revision else _commit(git, HEAD) or EMPTY_TREE


def _prefix(git: Git) -> str:
    """Return the path of the root in its repository, "" or with a slash at the end."""
    return git.line("rev-parse", "--show-prefix")


# Trees


def _tree(git: Git, commit: str) -> dict[str, _Entry]:
    """Return the files of a commit below the root."""
    if commit == EMPTY_TREE:
        return {}
    found = {}
    for record in git.run("ls-tree", "-r", "-z", commit).split(b"\0"):
        if record:
            fields, _, path = record.partition(b"\t")
            mode, _, blob = os.fsdecode(fields).split(" ")
            found[os.fsdecode(path)] = _Entry(mode, blob)
    return found


def _index(git: Git) -> dict[str, _Entry]:
    """Return the files below the root that git's index has; of a conflict, one of its sides."""
    found = {}
    for record in git.run("ls-files", "--stage", "-z").split(b"\0"):
        if record:
            fields, _, path = record.partition(b"\t")
            mode, blob, _ = os.fsdecode(fields).split(" ")
            found[os.fsdecode(path)] = _Entry(mode, blob)
    return found


def _differing(root: Path, path: str, before: _Entry | None, checked: Mapping[str, Checked]) -> bytes | None:
    """Return the content of a regular file where it is another one than before, else None."""
    try:
        status = os.lstat(root / path)
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_BYTES:
        return None
    seen = checked.get(path)
    is_seen = seen is not None and (seen.size, seen.mtime_ns) == (status.st_size, status.st_mtime_ns)
    if before is not None and seen is not None and is_seen and seen.blob.hex() == before.blob:
        return None
    try:
        data = read_root_file(root, path, most_bytes=MAX_BYTES)
    except OSError:
        return None
    return None if before is not None and blob_id(data).hex() == before.blob else data


def _snapshot(scratch: Git, base: str, changed: Mapping[str, bytes | _Entry | None]) -> str:
    """Return a commit of the scratch repository: a base with some files replaced, or gone (None)."""
    parts = [f"commit {SNAPSHOT}\ncommitter coderag <> 0 +0000\ndata 0\n".encode()]
    parts += [f"from {base}\n".encode()] if base != EMPTY_TREE else []
    parts += [b"D %s\n" % _quoted(path) for path, data in changed.items() if data is None]
    for path, data in changed.items():
        if isinstance(data, _Entry):
            parts.append(f"M {data.mode} {data.blob} ".encode() + _quoted(path) + b"\n")
        elif data is not None:
            parts += [b"M 100644 inline %s\ndata %d\n" % (_quoted(path), len(data)), data, b"\n"]
    scratch.run("fast-import", "--quiet", "--force", "--done", input=b"".join([*parts, b"done\n"]))
    return scratch.line("rev-parse", SNAPSHOT)


def _quoted(path: str) -> bytes:
    """Return a path as git-fast-import(1) reads it."""
    raw = os.fsencode(path).replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
    return b'"' + raw + b'"'


# Differences


def _changes(scratch: Git, old: str, new: str, *, prefix: str, title: str) -> ChangeSet:
    """Return how two trees differ below a prefix."""
    below = [f"--relative={prefix}"] if prefix else []
    raw = scratch.limited(*DIFF, *below, old, new, most=MAX_PATCH_BYTES)
    if raw is None:
        raise GitError(f"{title} has more than {MAX_PATCH_BYTES:,} bytes of changes; give a shorter range")
    patches = parse_patch(raw.decode("utf-8", "surrogateescape"))
    files: list[ChangedFile] = []
    left_out: list[LeftOut] = []
    with scratch.blobs() as blobs:
        for patch in patches:
            if not (patch.hunks or patch.old_blob or patch.new_blob):
                patch = _with_blobs(patch, old, new, prefix=prefix)
            file = _file(blobs, patch) if len(files) < MAX_FILES else WhyLeftOut.TOO_MANY
            if isinstance(file, ChangedFile):
                files.append(file)
            elif file is not None:
                left_out.append(LeftOut(patch.new_path or patch.old_path, file))
    return ChangeSet(title, tuple(files), tuple(left_out))


def _with_blobs(patch: FilePatch, old: str, new: str, *, prefix: str) -> FilePatch:
    """Return a patch that renames and nothing else with what names both contents, which git leaves out."""
    if "\n" in patch.old_path + patch.new_path:
        return patch
    return replace(patch, old_blob=f"{old}:{prefix}{patch.old_path}", new_blob=f"{new}:{prefix}{patch.new_path}")


def _file(blobs: Blobs, patch: FilePatch) -> ChangedFile | WhyLeftOut | None:
    """Return a changed file with its texts, or why it has none; None if nothing of its content changed."""
    if set(patch.modes) - REGULAR_FILES:
        return WhyLeftOut.LINK
    if patch.binary:
        return WhyLeftOut.BINARY
    if not patch.hunks and patch.old_path == patch.new_path:
        return None  # its mode, or its line ends
    old, new = (blobs.read(blob, most=MAX_BYTES) if blob else b"" for blob in (patch.old_blob, patch.new_blob))
    if old is None or new is None:
        return WhyLeftOut.MISSING
    if (patch.old_lines and not old) or (patch.new_lines and not new):
        return WhyLeftOut.TOO_LARGE
    return ChangedFile(patch.old_path, patch.new_path, old, new, patch.old_lines, patch.new_lines)


def paths_of(files: Iterable[ChangedFile]) -> list[str]:
    """Return the paths that files have, in order."""
    return sorted({file.new_path for file in files if file.new_path})
