"""Names of packages to their files, by the ordinary clients of three registries."""

from __future__ import annotations

import subprocess
import tomllib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

__all__ = ["SOURCES", "Sources", "fetch", "read_sources"]

SOURCES = Path(__file__).with_name("sources.toml")
AT_ONCE = 4
SECONDS = 300  # a package


@dataclass(frozen=True, slots=True)
class Sources:
    """Which packages are learned from, which only measure, and which are kept out."""

    pypi: tuple[str, ...]
    npm: tuple[str, ...]
    deb: tuple[str, ...]
    src: tuple[str, ...]
    development: tuple[str, ...]  # choices are made on these
    held_out: tuple[str, ...]  # figures are told of these, pinned
    permissive: tuple[str, ...]  # known to be, though what they say of themselves is not understood
    excluded: tuple[str, ...]  # parts of names that are measured on elsewhere


def read_sources(path: Path = SOURCES) -> Sources:
    """Return the list of packages in a file."""
    told = tomllib.loads(path.read_text(encoding="utf-8"))
    return Sources(**{name: tuple(value) for name, value in told.items()})


def fetch(sources: Sources, folder: Path) -> list[str]:
    """Put packages into folder/REGISTRY/NAME/, and return those that are not to be had; what is there stays.

    Those that measure go to folder/measured/pypi/. `apt-get source` needs a deb-src line among the system's sources.
    """
    wanted = [
        *((folder / "pypi", name, _pip(name)) for name in sources.pypi),
        *((folder / "npm", name, ["npm", "pack", "--silent", name]) for name in sources.npm),
        *((folder / "deb", name, ["apt-get", "-q", "download", name]) for name in sources.deb),
        *((folder / "src", name, ["apt-get", "-q", "source", "--download-only", name]) for name in sources.src),
        *(
            (folder / "measured" / "pypi", name.partition("==")[0], _pip(name))
            for name in (*sources.development, *sources.held_out)
        ),
    ]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        done = pool.map(lambda one: _fetched(one[0] / one[1].replace("/", "_"), one[2]), wanted)
        return [f"{one[0].name}:{one[1]}" for one, fine in zip(wanted, done, strict=True) if not fine]


def _pip(name: str) -> list[str]:
    return ["pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--disable-pip-version-check", name]


def _fetched(folder: Path, command: Sequence[str]) -> bool:
    if folder.is_dir() and any(folder.iterdir()):
        return True
    folder.mkdir(parents=True, exist_ok=True)
    try:
        subprocess.run(command, cwd=folder, check=True, timeout=SECONDS, capture_output=True)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        return False
    return True
