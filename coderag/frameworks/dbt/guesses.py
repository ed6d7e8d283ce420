"""What the facts of the files of a dbt project are guessed from; apart, as every schema is asked whether it has one."""

from __future__ import annotations

__all__ = ["DBT", "MANIFEST", "PROJECT"]

DBT = "dbt project"  # why a dialect is not known: the profile says it, which is not in the project
MANIFEST = "dbt manifest"
PROJECT = "dbt project "  # a guess that begins so names the project
