"""A template and what it shows to a response: the frame that all pages share."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.responses import HTMLResponse

from coderag.errors import CoderagError, IndexMissingError, QueryError, RootError
from coderag.serve.html.links import Links, quoted
from coderag.serve.workspace import View
from coderag.text.counted import counted
from coderag.text.visible import visible

__all__ = ["STATIC", "failure", "page", "rendered"]

FOLDER = Path(__file__).parent
STATIC = FOLDER / "static"
NOT_FOUND, UNAVAILABLE, BAD_REQUEST = 404, 503, 400


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(FOLDER / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(visible=visible, quoted=quoted, count=counted, folder=_folder, file_name=_file_name)
    return environment


def page(template: str, view: View, **values: Any) -> HTMLResponse:
    """Return a page over what a request sees, or a part of one, which its script puts in place."""
    return HTMLResponse(rendered(template, view, **values).encode("utf-8", "replace"))


def rendered(template: str, view: View, **values: Any) -> str:
    """Return a template filled in; a name of a file need not be UTF-8, and is not here."""
    roots = view.index.roots
    shared = {
        "links": Links(several=len(roots) > 1),
        "notes": view.notes,
        "repositories": [root.repository for root in roots],
    }
    return _environment().get_template(template).render(**{**shared, **values})


def failure(error: CoderagError) -> HTMLResponse:
    """Return a page that says what went wrong."""
    status = BAD_REQUEST
    if isinstance(error, IndexMissingError | RootError):
        status = UNAVAILABLE
    elif isinstance(error, QueryError) and "not in the index" in str(error):
        status = NOT_FOUND
    title = {UNAVAILABLE: "Not ready yet", NOT_FOUND: "Not found"}.get(status, "That did not work")
    text = (
        _environment()
        .get_template("error.html")
        .render(title=title, message=str(error), retry=status == UNAVAILABLE, notes=(), nav="")
    )
    return HTMLResponse(text.encode("utf-8", "replace"), status)


def _folder(path: str) -> str:
    return path[: path.rfind("/") + 1]


def _file_name(path: str) -> str:
    return path[path.rfind("/") + 1 :]
