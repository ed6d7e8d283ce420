"""The version of Rails that a migration is written for to what its statements mean there."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["LATEST", "Era", "era_of"]

VERSION = re.compile(r"ActiveRecord::Migration\[(\d+)\.(\d+)\]")
RAILS_4 = 2013_06_25  # released; migrations without a version name a day before it are older


@dataclass(frozen=True, slots=True)
class Era:
    """What changed between the versions of Rails."""

    wide_keys: bool = True  # 5.1: keys are bigint
    required_times: bool = True  # up to 3.2, and again from 5.0: timestamps are NOT NULL
    sizes_files: bool = True  # Paperclip 5: the size of an attached file is a bigint

    @property
    def key_type(self) -> str:
        """The type of a key that is not given one."""
        return "bigint" if self.wide_keys else "integer"


LATEST = Era()


def era_of(superclass: str, version: str) -> Era:
    """Return the era of a migration by the class that it inherits from and the time in front of its file's name.

    Rails 5 has every older migration rewritten to `Migration[4.2]`, which means anything before.
    """
    match = VERSION.search(superclass)
    stated = (int(match[1]), int(match[2])) if match else None
    if stated is None and not superclass.rstrip().endswith("ActiveRecord::Migration"):
        return LATEST  # a class of the application's own, which inherits from one of a version
    if stated is None or stated < (5, 0):
        return Era(wide_keys=False, required_times=_is_before_rails_4(version), sizes_files=False)
    return Era(wide_keys=stated >= (5, 1))


def _is_before_rails_4(version: str) -> bool:
    return len(version) >= 8 and version[:8].isdecimal() and int(version[:8]) < RAILS_4
