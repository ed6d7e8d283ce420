"""Addresses to pages: what a request asks for, the records that answer, the template that shows them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote_to_bytes

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from coderag.ask.records import Answer
from coderag.degraded import retrieval_warnings
from coderag.errors import CoderagError, QueryError
from coderag.search.context.domains import MOST_TOGETHER
from coderag.serve.conversing import answered_in
from coderag.serve.html import asking, file, graph, home, map, searching, sql, status, symbol, tables
from coderag.serve.html.desk import Desk
from coderag.serve.html.links import Links, quoted
from coderag.serve.html.shell import STATIC, failure, page, rendered
from coderag.serve.http.event_stream import Event, Tell
from coderag.serve.http.response_cache import Made, digest_of
from coderag.serve.workspace import View
from coderag.text.visible import visible

__all__ = ["pages"]

Handler = Callable[[Desk, Request], Response]
MOST_DEPTH = 3
MOST_DIGITS = 9  # of the number of a line
QUESTION_TABLES = 12


def pages(desk: Desk) -> list[Route | Mount]:
    """Return the routes of all pages over a desk, and of what they are made of."""
    return [
        *(Route(path, _answering(desk, handler), methods=["GET"]) for path, handler in HANDLERS.items()),
        Route("/ask", _asking(desk), methods=["GET"]),
        Route("/sql/check", _checking(desk), methods=["POST"]),
        Mount("/static", StaticFiles(directory=STATIC), name="static"),
    ]


def _answering(desk: Desk, handler: Handler) -> Callable[[Request], Response]:
    """Return a handler whose failures are pages; it is no coroutine, so it is run in a thread."""

    def answer(request: Request) -> Response:
        try:
            return handler(desk, request) if handler in OF_THE_MOMENT else _kept(desk, handler, request)
        except CoderagError as error:
            return failure(error)

    return answer


def _kept(desk: Desk, handler: Handler, request: Request) -> Response:
    """Return the page of an address, which is made once for each state of the index.

    One that tells how old and how fresh the index is lasts a minute, and is not kept where a file has changed.
    """
    view = desk.view(request)
    state = view.index.state
    asked = (_raw_path(request), request.url.path, request.url.query)
    is_fresh = handler not in TIMED or view.index.stale_paths(watched=True) == []
    minute = int(time.monotonic() // 60) if handler in TIMED else 0
    key = ("page", state, view.notes, digest_of(asked), is_fresh, minute)
    made = desk.responses.get(
        key, lambda: _made(handler, desk, request), still=lambda: is_fresh and view.index.state == state
    )
    return Response(made.body, media_type=made.media_type)


def _made(handler: Handler, desk: Desk, request: Request) -> Made:
    with retrieval_warnings() as warned:
        response = handler(desk, request)
    return Made(bytes(response.body), tuple(warned), response.media_type or "")


def _checking(desk: Desk) -> Callable[[Request], Any]:
    """Return the handler that checks the SQL of a body."""
    from starlette.concurrency import run_in_threadpool

    async def check(request: Request) -> Response:
        body = await request.body()
        return await run_in_threadpool(_checked, desk, request, body.decode("utf-8", "replace"))

    return check


def _checked(desk: Desk, request: Request, text: str) -> Response:
    try:
        findings = desk.view(request).index.check_sql(text) if text.strip() else []
    except CoderagError as error:
        return JSONResponse({"error": str(error), "findings": []})
    return JSONResponse({"findings": sql.findings_as_json(findings)})


def _links(view: View) -> Links:
    return Links(several=len(view.index.roots) > 1)


def _search(desk: Desk, request: Request) -> Response:
    view = desk.view(request)
    query = request.query_params.get("q", "").strip()
    part = request.query_params.get("part") == "results"
    values: dict[str, Any] = {"found": None, "home": None, "error": "", "query": query, "nav": "search"}
    try:
        if query:
            with retrieval_warnings() as warned:
                values["found"] = searching.search(view.index, query, more=bool(request.query_params.get("more")))
            view = view.noted(*warned)
        else:
            values["home"] = home.home(view.index)
    except QueryError as error:
        values["error"] = str(error)
    if part:
        return page("results.html", view, **values)
    return page("search.html", view, **values)


def _completions(desk: Desk, request: Request) -> Response:
    index = desk.view(request).index
    word = request.query_params.get("word", "")
    if not word:
        return JSONResponse(home.completions(index))
    return JSONResponse({"values": [visible(quoted(value)) for value in home.completed(index, word)]})


def _ask(desk: Desk, request: Request) -> Response:
    view = _with_graph(desk, request)
    question = request.query_params.get("q", "").strip()
    values: dict[str, Any] = {"answer": None, "model": desk.language_model}
    if question and not desk.language_model:  # one writes for a while: the script of the page asks then
        values.update(_answer_values(view.index.ask(question)))
    return page("ask.html", view, question=question, nav="ask", **values)


def _answer_values(answer: Answer) -> dict[str, Any]:
    return {"answer": answer, "pieces": asking.pieces_of(answer)}


def _asking(desk: Desk) -> Callable[[Request], Response]:
    """Return the handler that streams an answer, its last event as HTML."""
    answer_page = _answering(desk, _ask)

    def ask(request: Request) -> Response:
        if request.query_params.get("part") != "events":
            return answer_page(request)
        return desk.events(lambda tell: _told(desk, request, tell))

    return ask


def _told(desk: Desk, request: Request, tell: Tell) -> Event:
    view = _with_graph(desk, request)
    answer = answered_in(
        request.query_params.get("session", ""),
        view.index,
        _text(request, "q"),
        owner=desk.owner(request),
        model=desk.language_model,
        watch=lambda piece: tell(Event("draft", {"text": asking.visible_lines(piece)})),
        on_step=lambda step: tell(Event("step", {"stage": visible(step.stage), "said": visible(step.said)})),
    )
    return Event("answer", {"html": rendered("answer.html", view, **_answer_values(answer))})


def _passage(desk: Desk, request: Request) -> Response:
    view = desk.view(request)
    start, end = (_number(request, name) for name in ("start", "end"))
    repository = request.query_params.get("repo", "")
    shown = asking.passage(view.index, _text(request, "of"), start=start, end=end, repository=repository)
    return page("passage.html", view, shown=shown)


def _number(request: Request, name: str) -> int:
    text = request.query_params.get(name, "1")
    if not text.isdecimal() or len(text) > MOST_DIGITS:
        raise QueryError(f"{name} is no line")
    return int(text)


def _file(desk: Desk, request: Request) -> Response:
    view = _with_graph(desk, request)
    repository = request.query_params.get("repo", "")
    shown = file.file_page(view.index, _path(request), _links(view), repository=repository)
    return page("file.html", view, shown=shown, nav="files")


def _folder(desk: Desk, request: Request) -> Response:
    view = desk.view(request)
    repository = request.query_params.get("repo", "")
    shown = file.folder_page(view.index, _path(request), repository=repository)
    return page("folder.html", view, shown=shown, nav="files")


def _symbol(desk: Desk, request: Request) -> Response:
    view = desk.graph_view(request)
    shown = symbol.symbol_page(view.index, _text(request, "of"), repository=request.query_params.get("repo", ""))
    return page("symbol.html", view, shown=shown, nav="")


def _card(desk: Desk, request: Request) -> Response:
    view = _with_graph(desk, request)
    card = symbol.card(view.index, _text(request, "of"), repository=request.query_params.get("repo", ""))
    return page("card.html", view, card=card)


def _tables(desk: Desk, request: Request) -> Response:
    view = desk.view(request)
    question = request.query_params.get("q", "").strip()
    rows = tables.table_rows(view.index)
    if question:
        best = [str(table.name) for table in view.index.tables_about(question, k=QUESTION_TABLES)]
        rows = sorted(
            (row for row in rows if str(row.table.name) in best), key=lambda row: best.index(str(row.table.name))
        )
    return page("tables.html", view, rows=rows, question=question, nav="tables")


def _table(desk: Desk, request: Request) -> Response:
    view = _with_graph(desk, request)
    shown = tables.table_page(view.index, request.path_params["name"], _links(view))
    return page("table.html", view, shown=shown, nav="tables")


def _diagram(desk: Desk, request: Request) -> Response:
    view = desk.view(request)
    names, question = set(request.query_params.getlist("table")), request.query_params.get("q", "").strip()
    values: dict[str, Any] = {"domain": "", "domains": ()}
    if question:
        chosen = view.index.tables_about(question, k=QUESTION_TABLES)
    else:
        chosen = [table for table in view.index.tables() if not names or str(table.name) in names]
    if name := request.query_params.get("domain", "").strip():
        domain = tables.domain_with(chosen, name)
        chosen, values["domain"] = list(domain.tables), domain.name
    if len(chosen) > MOST_TOGETHER:
        overview = tables.overview(chosen, _links(view))
        values["domains"], picture = overview.domains, overview.picture
    else:
        picture = tables.diagram(chosen, _links(view))
    return page("diagram.html", view, picture=picture, chosen=chosen, question=question, nav="tables", **values)


def _sql(desk: Desk, request: Request) -> Response:
    view = desk.view(request)
    question = request.query_params.get("q", "").strip()
    context = sql.context_for(view.index, question) if question else None
    return page("sql.html", view, question=question, context=context, nav="sql")


def _graph(desk: Desk, request: Request) -> Response:
    view = desk.graph_view(request)
    values = {name: request.query_params.get(name, "").strip() for name in ("of", "show", "from", "to", "repo")}
    picture = _picture(view, values, depth=request.query_params.get("depth", ""))
    if request.query_params.get("part") == "data":
        return JSONResponse(picture.data if picture else {"nodes": [], "edges": [], "left_out": 0})
    return page("graph.html", view, picture=picture, asked=values, nav="graph")


def _picture(view: View, values: dict[str, str], *, depth: str) -> graph.Picture | None:
    links, index = _links(view), view.index
    steps = min(int(depth), MOST_DEPTH) if depth.isdecimal() and int(depth) else 0
    if values["from"] and values["to"]:
        return graph.path(index, values["from"], values["to"], links)
    if not values["of"]:
        return None
    if values["show"] == "impact":
        return graph.impact(index, values["of"], links, depth=steps or MOST_DEPTH, repository=values["repo"])
    return graph.neighbourhood(index, values["of"], links, depth=steps or 1, repository=values["repo"])


def _map(desk: Desk, request: Request) -> Response:
    view = desk.graph_view(request)
    text = request.query_params.get("by", map.Measure.SIZE)
    if text not in list(map.Measure):
        raise QueryError(f"by is {' or '.join(map.Measure)}")
    measure = map.Measure(text)
    maps = map.tree_maps(view.index, measure=measure)
    return page("map.html", view, maps=maps, measure=measure, entries_of=map.entries_of, nav="map")


def _status(desk: Desk, request: Request) -> Response:
    view = desk.view(request)
    return page("status.html", view, roots=status.root_statuses(view.index), nav="status")


def _with_graph(desk: Desk, request: Request) -> View:
    """Return a view with a graph, or without one while it is being made."""
    try:
        return desk.graph_view(request)
    except CoderagError:
        return desk.view(request)


def _path(request: Request) -> str:
    """Return the path of a file or folder in an address, whatever bytes its name has."""
    raw = _raw_path(request)
    if not raw:
        return str(request.path_params["path"])
    path = unquote_to_bytes(raw).decode("utf-8", "surrogateescape")
    return path.lstrip("/").partition("/")[2]


def _raw_path(request: Request) -> bytes:
    return bytes(request.scope.get("raw_path") or b"").partition(b"?")[0]


def _text(request: Request, name: str) -> str:
    text = request.query_params.get(name, "").strip()
    if not text:
        raise QueryError(f"the address lacks {name}=NAME")
    return text


HANDLERS: dict[str, Handler] = {
    "/": _search,
    "/completions": _completions,
    "/passage": _passage,
    "/file/{path:path}": _file,
    "/files/{path:path}": _folder,
    "/symbol": _symbol,
    "/card": _card,
    "/tables": _tables,
    "/table/{name:path}": _table,
    "/diagram": _diagram,
    "/sql": _sql,
    "/graph": _graph,
    "/map": _map,
    "/status": _status,
}
OF_THE_MOMENT = frozenset({_ask})  # what answers by itself
TIMED = frozenset({_status})  # what tells the time
