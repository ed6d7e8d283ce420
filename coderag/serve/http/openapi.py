"""The endpoints to their description by OpenAPI 3.1, from the records that are decoded and printed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from coderag._version import __version__
from coderag.ask.records import Answer
from coderag.graph.queries.impact import Impact
from coderag.graph.queries.map import RepositoryMap
from coderag.graph.queries.paths import GraphPath
from coderag.graph.queries.refs import References
from coderag.serve.http.endpoints import ENDPOINTS, Endpoint
from coderag.serve.http.event_stream import MEDIA_TYPE
from coderag.serve.http.file_lines import FileLines
from coderag.sql.check import Finding

__all__ = ["openapi"]

TEMPLATE = "#/components/schemas/{name}"
EVENTS = (
    "Events, the data of each an object in JSON: `step` {stage, said}, `draft` {text}, a piece of what a model "
    "writes, and at last `answer`, the same as in JSON, or `error` {error, status}; comments in between keep the "
    "connection"
)
ERRORS = {
    "400": "The request makes no sense, and why",
    "401": "The token is missing or wrong",
    "403": "The request is another site's, or asks for what the caller may not know",
    "404": "There is no such path, or no such file in the index",
    "405": "The method is not for this path",
    "408": "The body takes too long to arrive",
    "413": "The body is too long",
    "431": "The head is too long",
    "501": "A store does not answer this",
    "502": "The language model gives no answer",
    "503": "The index is being made, a root is gone, or too much is asked at once; come again after Retry-After",
}
ROWS = list[dict[str, Any]]
RESULTS: Mapping[str, Any] = {  # the types of answers that are not rows
    "ask": Answer,
    "refs": list[References],
    "impact": Impact | None,
    "path": list[GraphPath],
    "map": list[RepositoryMap],
    "schema": dict[str, Any],
    "check-sql": list[Finding],
    "file": FileLines,
}


def openapi(endpoints: Mapping[str, Endpoint] = ENDPOINTS) -> dict[str, Any]:
    """Return the description of endpoints, an object."""
    types = [*(each.parameters for each in endpoints.values()), *(RESULTS.get(name, ROWS) for name in endpoints)]
    schemas, components = msgspec.json.schema_components(types, ref_template=TEMPLATE)
    results = schemas[len(endpoints) :]
    paths = {
        _path_of(endpoint): _item(endpoint, components, result)
        for endpoint, result in zip(endpoints.values(), results, strict=True)
    }
    error = {"type": "object", "properties": {"error": {"type": "string"}}, "required": ["error"]}
    return {
        "openapi": "3.1.0",
        "info": {"title": "coderag", "version": __version__, "description": "Code and SQL retrieval over an index."},
        "security": [{"token": []}],
        "paths": {**paths, "/healthz": _health()},
        "components": {
            "schemas": {**components, "Error": error},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _path_of(endpoint: Endpoint) -> str:
    return f"/api/{endpoint.name}" + (f"/{{{endpoint.in_path}}}" if endpoint.in_path else "")


def _item(endpoint: Endpoint, components: dict[str, Any], result: dict[str, Any]) -> dict[str, Any]:
    parameters = components[endpoint.parameters.__name__]
    operation = {
        "operationId": endpoint.name,
        "summary": endpoint.summary,
        "parameters": [
            _parameter(name, schema, required=name in parameters.get("required", ()), endpoint=endpoint)
            for name, schema in parameters["properties"].items()
        ],
        "responses": _responses(result, events=endpoint.told is not None),
    }
    if not endpoint.posts:
        return {"get": operation}
    body = {"schema": {"$ref": TEMPLATE.format(name=endpoint.parameters.__name__)}}
    posted = {
        "operationId": f"{endpoint.name}-post",
        "summary": endpoint.summary,
        "requestBody": {"required": True, "content": {"application/json": body}},
        "responses": _responses(result),
    }
    return {"get": operation, "post": posted}


def _parameter(name: str, schema: dict[str, Any], *, required: bool, endpoint: Endpoint) -> dict[str, Any]:
    where = "path" if name == endpoint.in_path else "query"
    parameter = {"name": name, "in": where, "required": required or where == "path", "schema": schema}
    return parameter if "description" not in schema else {**parameter, "description": schema["description"]}


def _responses(result: dict[str, Any], *, events: bool = False) -> dict[str, Any]:
    error = {"application/json": {"schema": {"$ref": TEMPLATE.format(name="Error")}}}
    content: dict[str, Any] = {"application/json": {"schema": result}}
    if events:
        content[MEDIA_TYPE] = {"schema": {"type": "string", "description": EVENTS}}
    response = {"description": "The answer", "content": content}
    return {"200": response, **{status: {"description": why, "content": error} for status, why in ERRORS.items()}}


def _health() -> dict[str, Any]:
    state = {"type": "object", "properties": {"status": {"const": "ok"}}, "required": ["status"]}
    answer = {"200": {"description": "The server answers", "content": {"application/json": {"schema": state}}}}
    return {
        "get": {"operationId": "healthz", "summary": "Whether the server answers", "security": [], "responses": answer}
    }
