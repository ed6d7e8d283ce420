"""What was written for agents, and the files as they were before: in coderag's own folder, for the user alone to read.

Format 1: `ledger.json` lists the files with their edits; `backups/` holds their content by its hash (SHA-256).
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from coderag.agents.agent import Part
from coderag.agents.edit import Edit, Kind
from coderag.agents.settings_file import SettingsFile
from coderag.agents.wanted import Registration
from coderag.errors import SettingsError
from coderag.resources import user_folder

__all__ = ["Ledger", "Owned", "Written", "digest"]

FORMAT = 1
FILE, BACKUPS = "ledger.json", "backups"
PRIVATE = 0o700


@dataclass(frozen=True, slots=True)
class Owned:
    """An edit of a file, and for which agent it was made."""

    agent: str
    part: Part
    edit: Edit
    made: int = 0  # tables around it that were made for it


@dataclass(frozen=True, slots=True)
class Written:
    """A file that was written."""

    path: str  # without links
    shown: str  # as the agent knows it
    root: str  # of its project, "" for a user's file
    before: str | None  # the hash of what it held, None if there was none
    written: str  # the hash of what it was given
    owned: tuple[Owned, ...]


@dataclass(frozen=True, slots=True)
class Ledger:
    """What was written, file by file, and which programs were run."""

    folder: Path
    files: dict[str, Written] = field(default_factory=dict)
    registrations: dict[str, Registration] = field(default_factory=dict)  # by agent
    folders: list[str] = field(default_factory=list)  # that were made for files

    @classmethod
    def read(cls, folder: Path | None = None) -> Ledger:
        """Return the ledger of this user; raises SettingsError for one that cannot be read."""
        place = folder or _default_folder()
        try:
            table = json.loads((place / FILE).read_bytes())
            if table["format"] != FORMAT:
                raise SettingsError(f"{place / FILE} has format {table['format']}, this version reads {FORMAT}")
            files = {one["path"]: _written(one) for one in table["files"]}
            folders = [str(folder) for folder in table["folders"]]
            registrations = {
                one["agent"]: Registration(one["agent"], one["program"], tuple(one["add"]), tuple(one["remove"]))
                for one in table["registrations"]
            }
        except FileNotFoundError:
            return cls(place)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise SettingsError(f"{place / FILE} cannot be read: {error}; restore it, or remove it") from error
        return cls(place, files, registrations, folders)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes from writing for agents."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=PRIVATE)
        handle = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            self._read_again()
            yield
        finally:
            os.close(handle)
        with suppress(OSError):  # there is something to remember
            self.folder.rmdir()

    def _read_again(self) -> None:
        """Take over what another process wrote meanwhile."""
        now = Ledger.read(self.folder)
        for own, found in ((self.files, now.files), (self.registrations, now.registrations)):
            own.clear()
            own.update(found)  # type: ignore[arg-type]
        self.folders[:] = now.folders

    def backup(self, name: str) -> bytes:
        """Return what a file held; raises OSError."""
        data = (self.folder / BACKUPS / name).read_bytes()
        if digest(data) != name:
            raise SettingsError(f"the backup {self.folder / BACKUPS / name} is damaged")
        return data

    def keep(self, data: bytes) -> str:
        """Keep what a file holds and return its hash."""
        name = digest(data)
        _private(self.folder / BACKUPS / name, data)
        return name

    def remove_folders(self) -> None:
        """Remove the folders that were made and are empty, the innermost first."""
        for folder in sorted(self.folders, key=len, reverse=True):
            try:
                Path(folder).rmdir()
            except FileNotFoundError:
                self.folders.remove(folder)
            except OSError:  # something is in it
                continue
            else:
                self.folders.remove(folder)
        if not self.files:
            self.folders.clear()

    def save(self) -> None:
        """Write the ledger, and remove the backups that it does not need."""
        table = {
            "format": FORMAT,
            "folders": self.folders,
            "files": [_record(file) for file in self.files.values()],
            "registrations": [
                {
                    "agent": registration.agent,
                    "program": registration.program,
                    "add": registration.add,
                    "remove": registration.remove,
                }
                for registration in self.registrations.values()
            ],
        }
        if self.files or self.registrations:
            _private(self.folder / FILE, json.dumps(table, indent=1).encode())
        else:
            (self.folder / FILE).unlink(missing_ok=True)
        needed = {file.before for file in self.files.values()}
        backups = self.folder / BACKUPS
        for path in list(backups.iterdir()) if backups.is_dir() else ():
            if path.name not in needed:
                path.unlink()
        with suppress(OSError):  # it is needed, or was never made
            backups.rmdir()


def digest(data: bytes) -> str:
    """Return the hash of what a file holds."""
    return sha256(data).hexdigest()


def _default_folder() -> Path:
    return user_folder("XDG_DATA_HOME", ".local/share", os.environ) / "agents"


def _private(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=PRIVATE)
    mask = os.umask(0o077)
    try:
        SettingsFile(path).write(data)
    finally:
        os.umask(mask)


def _record(one: Written) -> dict[str, Any]:
    owned = [
        {
            "agent": each.agent,
            "part": each.part,
            "made": each.made,
            "kind": each.edit.kind,
            "form": each.edit.form,
            "key": each.edit.key,
            "value": each.edit.value,
        }
        for each in one.owned
    ]
    return {
        "path": one.path,
        "shown": one.shown,
        "root": one.root,
        "before": one.before,
        "written": one.written,
        "owned": owned,
    }


def _written(record: dict[str, Any]) -> Written:
    owned = tuple(
        Owned(
            each["agent"],
            Part(each["part"]),
            Edit(Kind(each["kind"]), each["form"], tuple(each["key"]), each["value"]),
            each["made"],
        )
        for each in record["owned"]
    )
    return Written(**record | {"owned": owned})
