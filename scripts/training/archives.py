"""A package as its registry hands it out, to its files and what it says of itself."""

from __future__ import annotations

import io
import json
import re
import subprocess
import tarfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Member", "Package", "members", "packages"]

# What registries put before the path that a file has in its repository.
PREFIX = re.compile(
    r"""^\./ | ^(?:usr/share/gocode/src/(?:[^/]+\.[^/]+/[^/]+/[^/]+/)? | usr/share/cargo/registry/[^/]+/
          | usr/share/rubygems-integration/[^/]+/gems/[^/]+/ | usr/lib/ruby/vendor_ruby/ | usr/(?:share|lib|src)/
          | package/)""",
    re.VERBOSE,
)
PATTERNS = {"pypi": "*.whl", "npm": "*.tgz", "deb": "*.deb", "src": "*.orig.tar.*[!c]"}  # no signatures (.asc)
MAX_FILE_BYTES = 400_000  # longer ones are generated
MIN_FILE_BYTES = 60
METADATA_LINES = ("License", "Classifier: License", "Version")


@dataclass(frozen=True, slots=True)
class Package:
    """A package that was fetched: pypi, npm, deb (a binary package of Debian) or src (a source package)."""

    registry: str
    name: str
    file: Path

    @property
    def key(self) -> str:
        """What names it among all packages."""
        return f"{self.registry}:{self.name}"


@dataclass(frozen=True, slots=True)
class Member:
    """A file of a package, with the path that it has in its repository."""

    path: str
    data: bytes


def packages(folder: Path) -> list[Package]:
    """Return the packages that `fetch` laid out as folder/REGISTRY/NAME/FILE, in alphabetical order."""
    return [
        Package(registry, file.parent.name, file)
        for registry, pattern in PATTERNS.items()
        for file in sorted((folder / registry).glob(f"*/{pattern}"))
    ]


def members(package: Package) -> tuple[Iterator[Member], str]:
    """Return the files of a package that may hold code, and what it says of version and licence."""
    if package.registry == "pypi":
        archive = zipfile.ZipFile(package.file)
        return _of_zip(archive), _told_by_wheel(archive)
    if package.registry == "npm":
        return _of_tar(tarfile.open(package.file), strip_root=False), _told_by_npm(package.file)
    if package.registry == "deb":
        data = subprocess.run(["dpkg-deb", "--fsys-tarfile", package.file], check=True, stdout=subprocess.PIPE).stdout
        return _of_tar(tarfile.open(fileobj=io.BytesIO(data)), strip_root=False), _told_by_deb(package.file, data)
    return _of_tar(tarfile.open(package.file), strip_root=True), _told_by_source(package.file.parent)


def _of_zip(archive: zipfile.ZipFile) -> Iterator[Member]:
    for entry in archive.infolist():
        if not entry.is_dir() and MIN_FILE_BYTES <= entry.file_size <= MAX_FILE_BYTES:
            yield Member(entry.filename, archive.read(entry))


def _of_tar(archive: tarfile.TarFile, *, strip_root: bool) -> Iterator[Member]:
    for entry in archive:
        if not entry.isfile() or not MIN_FILE_BYTES <= entry.size <= MAX_FILE_BYTES:
            continue
        path = PREFIX.sub("", entry.name.removeprefix("./"))
        if strip_root:
            path = path.partition("/")[2] or path
        if "/doc/" in path or path.startswith("doc/"):
            continue
        opened = archive.extractfile(entry)
        if opened is not None:
            yield Member(path, opened.read())


def _told_by_wheel(archive: zipfile.ZipFile) -> str:
    name = next((one for one in archive.namelist() if one.endswith(".dist-info/METADATA")), "")
    head = archive.read(name).decode("utf-8", "replace").split("\n\n")[0] if name else ""
    kept = [line for line in head.split("\n") if line.startswith(METADATA_LINES)]
    return "; ".join(line for line in kept if not line.startswith("License-File"))


def _told_by_npm(file: Path) -> str:
    with tarfile.open(file) as archive:
        opened = archive.extractfile("package/package.json")
        told = json.load(opened) if opened else {}
    return f"License: {told.get('license') or told.get('licenses')}; Version: {told.get('version')}"


def _told_by_deb(file: Path, data: bytes) -> str:
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        for entry in archive:
            if entry.name.endswith("/copyright") and entry.isfile() and (opened := archive.extractfile(entry)):
                return f"License: {_debian_licence(opened.read().decode('utf-8', 'replace'))}; Version: {file.name}"
    return f"License: ; Version: {file.name}"


def _told_by_source(folder: Path) -> str:
    version = next((one.stem for one in sorted(folder.glob("*.dsc"))), "")
    for file in sorted(folder.glob("*.debian.tar.*")):
        with tarfile.open(file) as archive:
            if opened := archive.extractfile("debian/copyright"):
                return f"License: {_debian_licence(opened.read().decode('utf-8', 'replace'))}; Version: {version}"
    return f"License: ; Version: {version}"


def _debian_licence(text: str) -> str:
    """Return the licence of most files: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/."""
    for paragraph in text.split("\n\n"):
        if re.search(r"^Files:\s*\*\s*$", paragraph, re.MULTILINE):
            found = re.search(r"^License:[ \t]*(.*)", paragraph, re.MULTILINE)
            return found[1].strip() if found else ""
    return ", ".join(sorted(set(re.findall(r"^License:[ \t]*(\S.*)", text, re.MULTILINE))))
