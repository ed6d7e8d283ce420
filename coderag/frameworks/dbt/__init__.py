"""A dbt project: models, sources, seeds, tests, descriptions and metrics to operations."""

from __future__ import annotations

from pathlib import PurePosixPath

from coderag.sql.records import Facts, Unparsed

__all__ = ["read_dbt"]


def read_dbt(data: bytes, *, path: str, dialect: str = "") -> Facts:
    """Return the facts of a file of a dbt project; nothing of it is run."""
    pure = PurePosixPath(path)
    try:
        match pure.suffix.lower():
            case ".json":
                from coderag.frameworks.dbt.manifest import read_artifact

                return read_artifact(data, path=path)
            case ".yml" | ".yaml":
                from coderag.frameworks.dbt.properties import read_properties

                return read_properties(data, path=path)
            case ".csv":
                from coderag.frameworks.dbt.seeds import read_seed

                return read_seed(data, path=path)
    except ValueError as error:
        return Facts(unparsed=(Unparsed(1, pure.name, str(error), table=True),), statements=1)
    from coderag.frameworks.dbt.models import read_model

    return read_model(data, path=path, dialect=dialect)
