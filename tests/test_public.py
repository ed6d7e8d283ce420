"""The public surface: what `coderag` offers, with documentation and types."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import groupby

import pytest

import coderag
from coderag import errors
from tests.workspace import NEEDING, REPOSITORY

SURFACE = [
    *("Answer", "Chunk", "CoderagError", "DiffImpact", "Drawing", "Expand", "Fusion", "GraphPath"),
    *(
        "Hit",
        "Impact",
        "Index",
        "Kind",
        "Pipeline",
        "Query",
        "References",
        "Relation",
        "RepositoryMap",
        "Span",
        "Symbol",
        "TableFilter",
    ),
    *("TestPolicy", "__version__"),
]
MODULES = sorted(package.name for package in pkgutil.walk_packages(coderag.__path__, "coderag."))
ROOMS = {
    room: [name for name in names if name != "coderag.__main__"]
    for room, names in groupby(MODULES, key=lambda name: ".".join(name.split(".")[:2]))
}


def test_the_names_are_these() -> None:
    assert coderag.__all__ == SURFACE


@pytest.mark.parametrize("name", SURFACE)
def test_every_name_resolves_and_is_documented(name: str) -> None:
    found = getattr(coderag, name)
    assert name == "__version__" or inspect.getdoc(found)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'coderag' has no attribute 'index_all'"):
        getattr(coderag, "index_all")  # noqa: B009 - as an attribute, mypy would not have it


def test_types_are_shipped() -> None:
    assert (REPOSITORY / "coderag/py.typed").exists()


def test_methods_of_the_index_are_documented_and_annotated() -> None:
    for name, method in inspect.getmembers(coderag.Index, inspect.isfunction):
        if name.startswith("_"):
            continue
        assert inspect.getdoc(method), name
        signature = inspect.signature(method)
        assert signature.return_annotation is not inspect.Signature.empty, name
        positional = [
            parameter
            for parameter in signature.parameters.values()
            if parameter.kind is parameter.POSITIONAL_OR_KEYWORD
        ]
        assert len(positional) <= 4, name


@pytest.mark.parametrize("room", ROOMS)
def test_modules_are_documented_and_list_what_they_offer(room: str) -> None:
    found = [wrong for name in ROOMS[room] for wrong in undocumented(name)]
    assert not found, "\n".join(found)


def undocumented(name: str) -> Iterator[str]:
    """Yield what has no documentation in a module that can be imported: the module itself, or what it offers."""
    if find_spec(NEEDING.get(name, "coderag")) is None:
        return
    module = importlib.import_module(name)
    if not module.__doc__:
        yield name
    for public in getattr(module, "__all__", ()):
        found = getattr(module, public)
        if (inspect.isfunction(found) or inspect.isclass(found)) and not found.__doc__:
            yield f"{name}.{public}"


def test_every_error_is_ours_and_in_the_tree() -> None:
    for name in errors.__all__:
        assert issubclass(getattr(errors, name), coderag.CoderagError | UserWarning)
        assert errors.__doc__ is not None
        assert name in errors.__doc__
