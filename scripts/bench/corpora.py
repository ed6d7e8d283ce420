"""Packages by name and version to folders of source, fetched through the package clients of the machine."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from scripts.bench.records import BenchmarkError, Corpus, LeftOut, Say

__all__ = ["Package", "endings", "find_corpora", "packages", "prepare", "scaling_package"]

TABLE = Path(__file__).with_name("corpora.toml")


@dataclass(frozen=True, slots=True)
class Package:
    """A corpus before it is fetched."""

    name: str
    language: str
    client: str
    package: str
    inside: str = ""
    folders: tuple[str, ...] = ()  # at the top; none: all
    suffixes: tuple[str, ...] = ()  # none: all
    scaling: bool = False


def packages() -> list[Package]:
    """Return the packages that corpora are made of, in the order of the table."""
    return [one for one in _table() if not one.scaling]


def scaling_package() -> Package:
    """Return the package that is large enough to take parts of growing size from."""
    (found,) = (one for one in _table() if one.scaling)
    return found


def _table() -> list[Package]:
    rows = tomllib.loads(TABLE.read_text(encoding="utf-8"))["package"]
    lists = ("folders", "suffixes")
    return [Package(**{**row, **{name: tuple(row.get(name, ())) for name in lists}}) for row in rows]


def endings() -> Mapping[str, tuple[str, ...]]:
    """Return the file name endings of each language, the languages in order."""
    table = tomllib.loads(TABLE.read_text(encoding="utf-8"))["endings"]
    return {language: tuple(table[language]) for language in sorted(table)}


def find_corpora(
    chosen: Sequence[Package], *, cache: Path, prepared: Path | None, say: Say
) -> tuple[list[Corpus], list[LeftOut]]:
    """Return the corpora of packages, fetched where the cache lacks them; those that cannot be had are left out.

    `prepared` is a folder with a folder for each corpus by name; nothing is fetched then.
    """
    found: list[Corpus] = []
    left_out: list[LeftOut] = []
    for package in chosen:
        try:
            found.append(prepare(package, cache, say=say) if prepared is None else _prepared(package, prepared))
        except BenchmarkError as error:
            say(f"{package.name} is left out: {error}")
            left_out.append(LeftOut(package.name, str(error)))
    return found, left_out


def _prepared(package: Package, base: Path) -> Corpus:
    folder = base / package.name
    if not folder.is_dir():
        raise BenchmarkError(f"there is no folder {package.name} in {base}")
    return Corpus(package.name, folder, _version(folder) or "version not recorded")


def _record(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.json")


def _version(folder: Path) -> str:
    record = _record(folder)
    return str(json.loads(record.read_text(encoding="utf-8"))["version"]) if record.is_file() else ""


def prepare(package: Package, cache: Path, *, say: Say) -> Corpus:
    """Return the corpus of a package from the cache, where it is put first when it is not there."""
    folder = cache / "corpora" / package.name
    identity = [package.package, package.inside, *package.folders, *package.suffixes]
    record = _record(folder)
    if record.is_file():
        known = json.loads(record.read_text(encoding="utf-8"))
        if known["identity"] == identity and folder.is_dir():
            return Corpus(package.name, folder, known["version"])
    say(f"fetching {package.package} with {package.client}")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        archive = FETCHERS[package.client](package.package, Path(scratch))
        version = _version_in_name(archive.name, package.client)
        unpacked = Path(scratch) / "unpacked"
        _unpack(archive, unpacked, package, inside=package.inside)
        record.unlink(missing_ok=True)
        shutil.rmtree(folder, ignore_errors=True)
        unpacked.rename(folder)
    # The record comes last: a folder without one is not finished.
    record.write_text(json.dumps({"identity": identity, "version": version, "file": archive.name}), encoding="utf-8")
    return Corpus(package.name, folder, version)


def _version_in_name(file: str, client: str) -> str:
    """Return the version in a package's file name: name-VERSION.tar.gz, or name_VERSION_all.deb of Debian."""
    if client == "pip":
        return file.removesuffix(".tar.gz").rpartition("-")[2]
    return file.split("_")[1].partition(".orig")[0].replace("%3a", ":")


def _client(*command: str, folder: Path) -> str:
    """Return what a package client printed, run in a folder."""
    if shutil.which(command[0]) is None:
        raise BenchmarkError(f"{command[0]} is not on this machine")
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr or done.stdout).strip().splitlines()[-1:]
        raise BenchmarkError(f'"{" ".join(command)}" failed: {" ".join(last) or f"exit status {done.returncode}"}')
    return done.stdout


def _only(folder: Path, *patterns: str) -> Path:
    found = sorted(path for pattern in patterns for path in folder.glob(pattern))
    if len(found) != 1:
        raise BenchmarkError(f"{len(found)} files match {' or '.join(patterns)} after the download; one was expected")
    return found[0]


def _fetch_sdist(package: str, folder: Path) -> Path:
    options = ("--no-deps", "--no-binary", ":all:", "--dest", ".")
    _client(sys.executable, "-m", "pip", "download", *options, package, folder=folder)
    return _only(folder, "*.tar.gz")


def _fetch_deb(package: str, folder: Path) -> Path:
    _client("apt-get", "download", package, folder=folder)
    return _only(folder, "*.deb")


def _fetch_debian_source(package: str, folder: Path) -> Path:
    """Fetch a source package from the repositories that the machine takes its binary packages from."""
    columns = "$(REPO_URI) $(RELEASE) $(COMPONENT)"
    targets = _client("apt-get", "indextargets", "--format", columns, "Created-By: Packages", folder=folder)
    sources = folder / "sources.list"
    sources.write_text("".join(f"deb-src {line}\n" for line in sorted(set(targets.splitlines()))), encoding="utf-8")
    (folder / "lists" / "partial").mkdir(parents=True)
    lists = f"Dir::State::lists={folder / 'lists'}"
    options = ("-o", f"Dir::Etc::sourcelist={sources}", "-o", "Dir::Etc::sourceparts=/dev/null", "-o", lists)
    _client("apt-get", "update", *options, folder=folder)
    _client("apt-get", "source", "--download-only", *options, package, folder=folder)
    return _only(folder, "*.orig.tar.xz", "*.orig.tar.gz")


FETCHERS: Mapping[str, Callable[[str, Path], Path]] = {
    "pip": _fetch_sdist,
    "apt": _fetch_deb,
    "apt-source": _fetch_debian_source,
}


def _unpack(archive: Path, target: Path, package: Package, *, inside: str) -> None:
    """Unpack an archive's source into a new folder: what `inside` names, and of that what the package says."""
    if archive.suffix == ".deb":
        whole = archive.with_name("deb")
        _client("dpkg-deb", "--extract", str(archive), str(whole), folder=archive.parent)
        source = whole / inside
        if source.is_dir():
            source.rename(target)
        elif source.is_file():
            _unpack(source, target, package, inside="")
        else:
            raise BenchmarkError(f"{archive.name} does not hold {inside}")
    elif zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as zipped:
            zipped.extractall(target)
    else:
        with tarfile.open(archive) as tar:
            tar.extractall(target, members=_without_top(tar, package), filter="data")


def _without_top(tar: tarfile.TarFile, package: Package) -> Iterator[tarfile.TarInfo]:
    """Yield the files of a source archive with the folder that holds everything cut off; links are left."""
    for member in tar:
        inner = PurePosixPath(*PurePosixPath(member.name).parts[1:])
        wanted = not package.folders or inner.parts[0] in package.folders
        if member.isfile() and wanted and inner.name.endswith(package.suffixes or ""):
            member.name = str(inner)
            yield member
