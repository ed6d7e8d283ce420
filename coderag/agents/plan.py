"""What is wanted to the changes of files: computed, shown, and carried out on the files as they are by then."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from coderag.agents.agent import Part
from coderag.agents.edit import Edit, Kind, applied, current, is_empty, missing_tables, removed
from coderag.agents.file_locations import FileLocations
from coderag.agents.formats.errors import LeftAlone
from coderag.agents.ledger import Ledger, Owned, Written, digest
from coderag.agents.own_command import NAME
from coderag.agents.settings_file import SettingsFile
from coderag.agents.wanted import Step

__all__ = ["Action", "FileChange", "Outcome", "plan_install", "plan_uninstall"]


class Action(StrEnum):
    """What becomes of a part."""

    CREATED = "created"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    REMOVED = "removed"
    RESTORED = "restored"  # the file is as it was before
    LEFT = "left alone"
    RAN = "ran"
    SKIPPED = "skipped"  # on purpose; the reason says what to do instead


@dataclass(frozen=True, slots=True)
class Outcome:
    """What becomes of a part of an agent, and why where it is left alone."""

    agent: str
    part: Part
    path: str
    action: Action
    reason: str = ""


@dataclass(frozen=True, slots=True)
class FileChange:
    """A file before and after; `carry_out` writes it."""

    file: SettingsFile
    shown: str
    before: bytes | None
    after: bytes | None
    outcomes: tuple[Outcome, ...]
    carry_out: Callable[[Ledger], None]

    @property
    def is_change(self) -> bool:
        """Whether anything is written."""
        return self.before != self.after


def plan_install(steps: Iterable[Step], locations: FileLocations, ledger: Ledger) -> list[FileChange]:
    """Return the changes of files that put in what is wanted, in the order of the steps."""
    by_file: dict[SettingsFile, list[Step]] = {}
    changes = []
    for step in steps:
        try:
            by_file.setdefault(SettingsFile.at(step.path, locations.root), []).append(step)
        except LeftAlone as error:
            outcome = Outcome(step.agent, step.part, locations.shown(step.path), Action.LEFT, str(error))
            changes.append(_nothing(SettingsFile(step.path, locations.root), outcome))
    changes += [_Install(file, locations, tuple(steps)).change(ledger) for file, steps in by_file.items()]
    return changes


def plan_uninstall(
    known: Iterable[Step], locations: FileLocations, ledger: Ledger, *, agents: Collection[str] | None
) -> list[FileChange]:
    """Return the changes of files that take out what was put in for some agents, None for all.

    `known` is what this version would write: entries that the ledger does not know are found by it.
    """
    root = str(locations.root or "")
    changes = []
    for written in ledger.files.values():
        if written.root == root and any(agents is None or one.agent in agents for one in written.owned):
            file = SettingsFile(Path(written.path), locations.root)
            changes.append(_Uninstall(file, locations.shown(Path(written.shown)), agents).change(ledger))
    by_file: dict[SettingsFile, list[Step]] = {}
    for step in known:
        try:
            file = SettingsFile.at(step.path, locations.root)
        except LeftAlone:
            continue  # nothing was ever written there
        if str(file.path) not in ledger.files:
            by_file.setdefault(file, []).append(step)
    changes += [change for file, steps in by_file.items() if (change := _unlisted(file, locations, steps))]
    return changes


@dataclass(frozen=True, slots=True)
class _Install:
    """What is put into one file."""

    file: SettingsFile
    locations: FileLocations
    steps: tuple[Step, ...]

    def change(self, ledger: Ledger) -> FileChange:
        shown = self.locations.shown(self.steps[0].path)
        try:
            before = self.file.read()
            after, outcomes, _ = self._folded(before, ledger)
        except LeftAlone as error:
            outcomes = [Outcome(step.agent, step.part, shown, Action.LEFT, str(error)) for step in self.steps]
            return FileChange(self.file, shown, None, None, tuple(outcomes), lambda _: None)
        return FileChange(self.file, shown, before, after, tuple(outcomes), self.carry_out)

    def carry_out(self, ledger: Ledger) -> None:
        """Write the file, and the ledger before; what somebody else wrote meanwhile stays."""
        before = self.file.read()
        after, _, owned = self._folded(before, ledger)
        known = ledger.files.get(str(self.file.path))
        if after is None or (after == before and known is None):
            return
        kept = {(one.agent, *one.edit.identity): one for one in (known.owned if known else ())}
        kept |= {(one.agent, *one.edit.identity): one for one in owned}
        original = before if known is None else baseline(known, before, ledger)
        written = Written(
            str(self.file.path),
            str(self.steps[0].path),
            str(self.file.root or ""),
            before=None if original is None else ledger.keep(original),
            written=digest(after),
            owned=tuple(kept.values()),
        )
        ledger.files[written.path] = written
        ledger.save()
        if after != before and (made := self.file.write(after)):
            ledger.folders.extend(map(str, made))
            ledger.save()

    def _folded(self, before: bytes | None, ledger: Ledger) -> tuple[bytes | None, list[Outcome], list[Owned]]:
        """Return the file with all edits, what becomes of each, and those that are in it."""
        text, shown = _text(before), self.locations.shown(self.steps[0].path)
        known = ledger.files.get(str(self.file.path))
        outcomes: list[Outcome] = []
        owned: list[Owned] = []
        done: dict[tuple[str, ...], tuple[Action, int]] = {}
        for step in self.steps:
            try:
                if step.edit.identity not in done:
                    _check_file(step.edit, before, known)
                    made = _made(step.edit, text, known)
                    edited = applied(step.edit, text)
                    action = Action.CREATED if before is None else Action.UPDATED
                    done[step.edit.identity] = (Action.UNCHANGED if edited == text else action, made)
                    text = edited
            except LeftAlone as error:
                outcomes.append(Outcome(step.agent, step.part, shown, Action.LEFT, str(error)))
                continue
            action, made = done[step.edit.identity]
            outcomes.append(Outcome(step.agent, step.part, shown, action))
            owned.append(Owned(step.agent, step.part, step.edit, made))
        return (text.encode() if owned else before), outcomes, owned


@dataclass(frozen=True, slots=True)
class _Uninstall:
    """What is taken out of one file that the ledger knows."""

    file: SettingsFile
    shown: str
    agents: Collection[str] | None

    def change(self, ledger: Ledger) -> FileChange:
        written = ledger.files[str(self.file.path)]
        dropped = [one for one in written.owned if self._is_dropped(one)]
        try:
            before = self.file.read()
            after, action = self._without(before, ledger)
        except LeftAlone as error:
            outcomes = [Outcome(one.agent, one.part, self.shown, Action.LEFT, str(error)) for one in dropped]
            return FileChange(self.file, self.shown, None, None, tuple(outcomes), lambda _: None)
        outcomes = [Outcome(one.agent, one.part, self.shown, action) for one in dropped]
        return FileChange(self.file, self.shown, before, after, tuple(outcomes), self.carry_out)

    def carry_out(self, ledger: Ledger) -> None:
        """Write or remove the file, then the ledger."""
        written = ledger.files[str(self.file.path)]
        before = self.file.read()
        after, _ = self._without(before, ledger)
        original = baseline(written, before, ledger)
        if after is None and before is not None:
            self.file.remove()
        elif after is not None and after != before:
            self.file.write(after)
        stays = tuple(one for one in written.owned if not self._is_dropped(one))
        del ledger.files[written.path]
        if stays and after is not None:
            kept = None if original is None else ledger.keep(original)
            ledger.files[written.path] = replace(written, before=kept, written=digest(after), owned=stays)
        ledger.remove_folders()
        ledger.save()

    def _is_dropped(self, one: Owned) -> bool:
        return self.agents is None or one.agent in self.agents

    def _without(self, before: bytes | None, ledger: Ledger) -> tuple[bytes | None, Action]:
        """Return the file without the edits that go, and what that means."""
        written = ledger.files[str(self.file.path)]
        if before is None:
            return None, Action.UNCHANGED
        stays = {one.edit.identity for one in written.owned if not self._is_dropped(one)}
        if not stays and digest(before) == written.written:
            after = baseline(written, before, ledger)
            return after, Action.REMOVED if after is None else Action.RESTORED
        text = _text(before)
        for one in reversed(written.owned):
            if one.edit.identity not in stays:
                text = removed(one.edit, text, made=one.made)
        if written.before is None and not stays and is_empty(text):
            return None, Action.REMOVED
        return text.encode(), Action.REMOVED if text.encode() != before else Action.UNCHANGED


def baseline(written: Written, now: bytes | None, ledger: Ledger) -> bytes | None:
    """Return what a file would hold without coderag: its backup, or where it was edited since, that less the edits."""
    if now is None:
        return None
    if digest(now) == written.written:
        return None if written.before is None else ledger.backup(written.before)
    text = _text(now)
    for one in reversed(written.owned):
        try:
            text = removed(one.edit, text, made=one.made)
        except LeftAlone:
            continue  # edited so much that it is the user's now
    return None if written.before is None and is_empty(text) else text.encode()


def _unlisted(file: SettingsFile, locations: FileLocations, steps: list[Step]) -> FileChange | None:
    """Return the change that takes entries out that another machine or a lost ledger wrote; None for a file without."""
    shown = locations.shown(steps[0].path)

    def without(before: bytes | None) -> tuple[bytes | None, list[Outcome]]:
        text, outcomes = _text(before), []
        for step in steps:
            try:
                edited = removed(step.edit, text, made=0)
            except LeftAlone as error:
                if step.edit.kind is Kind.FILE and NAME in str(step.path):
                    outcomes.append(Outcome(step.agent, step.part, shown, Action.LEFT, str(error)))
                continue
            if edited != text:
                outcomes.append(Outcome(step.agent, step.part, shown, Action.REMOVED))
            text = edited
        return (text.encode() if text or not before else None), outcomes

    def carry_out(_: Ledger) -> None:
        before = file.read()
        after, _outcomes = without(before)
        if after is None:
            file.remove()
        elif after != before:
            file.write(after)

    try:
        before = file.read()
        if before is None:
            return None
        after, outcomes = without(before)
    except LeftAlone:
        return None
    return FileChange(file, shown, before, after, tuple(outcomes), carry_out) if outcomes else None


def _nothing(file: SettingsFile, outcome: Outcome) -> FileChange:
    return FileChange(file, outcome.path, None, None, (outcome,), lambda _: None)


def _text(data: bytes | None) -> str:
    try:
        return (data or b"").decode()
    except UnicodeDecodeError:
        raise LeftAlone("it is not UTF-8") from None


def _made(edit: Edit, text: str, known: Written | None) -> int:
    """Return how many tables are made for an edit, or were when it was first put in."""
    first = next((one.made for one in known.owned if one.edit.identity == edit.identity), None) if known else None
    return missing_tables(edit, text) if first is None else first


def _check_file(edit: Edit, before: bytes | None, known: Written | None) -> None:
    """Raise LeftAlone for a file of the user's that has the name of one of coderag's, or that was edited since."""
    if edit.kind is not Kind.FILE or before is None or before == edit.value.encode():
        return
    if known is not None and digest(before) != known.written:
        raise LeftAlone("you edited it; delete it to get the one of this version")
    if known is None and NAME not in str(current(edit, _text(before)) or NAME):
        raise LeftAlone("it is there and is not coderag's")
