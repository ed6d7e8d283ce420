"""Messages of an editor to answers from the index, beside the language's own server."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from coderag._version import __version__
from coderag.api.index import Index
from coderag.api.records import plain
from coderag.errors import CoderagError
from coderag.serve.descriptors import Descriptors
from coderag.serve.lsp.calls import callers_of, calls_of, definition_item
from coderag.serve.lsp.completion import completions_at
from coderag.serve.lsp.diagnostics import Checks, actions_at
from coderag.serve.lsp.documents import Document
from coderag.serve.lsp.hover import hover_at
from coderag.serve.lsp.lenses import SHOW_REFERENCES, lenses_of
from coderag.serve.lsp.navigation import address_in, definitions_at, locations_of, references_at
from coderag.serve.lsp.symbols import symbols_like
from coderag.serve.workspace import Workspace

__all__ = ["THREADS", "serve"]

T = TypeVar("T")
Handler = Callable[[Any], Coroutine[Any, Any, Any]]
THREADS = 4
CHECK_AFTER = 0.15  # seconds without a further edit, after which a document is checked
TRIGGERS = [".", " "]  # characters that a completion follows
MAX_HITS = 10  # of a search by command


def serve(open_workspace: Callable[[list[str]], Workspace], descriptors: Descriptors) -> None:
    """Answer an editor until it says so or closes the input; `open_workspace` is given the folders that it has open."""
    editor = _Editor(open_workspace)
    with os.fdopen(descriptors.reading, "rb") as reading, os.fdopen(descriptors.writing, "wb") as writing:
        try:
            editor.server.start_io(reading, writing)
        finally:
            editor.close()


class _Editor:
    """An editor, what it has open, and the workspace of its folders."""

    def __init__(self, open_workspace: Callable[[list[str]], Workspace]) -> None:
        self.server = LanguageServer("coderag", __version__)
        self._open = open_workspace
        self._workspace: Workspace | None = None
        self._opening = threading.Lock()
        self._said = ""  # why there are no answers, as it was told last
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="lsp")
        self._checks = Checks()
        self._checking: dict[str, asyncio.Task[None]] = {}
        self._register()

    def close(self) -> None:
        """End what answers."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        if self._workspace is not None:
            self._workspace.close()

    def _register(self) -> None:
        feature, command = self.server.feature, self.server.command
        feature(lsp.INITIALIZED)(partial(self._initialized))
        for changed in (lsp.TEXT_DOCUMENT_DID_OPEN, lsp.TEXT_DOCUMENT_DID_CHANGE, lsp.TEXT_DOCUMENT_DID_SAVE):
            feature(changed)(partial(self._changed))
        feature(lsp.TEXT_DOCUMENT_DID_CLOSE)(partial(self._closed))
        feature(lsp.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)(partial(self._folders_changed))
        feature(lsp.TEXT_DOCUMENT_HOVER)(self._at(hover_at, quick=True))
        feature(lsp.TEXT_DOCUMENT_DEFINITION)(self._at(definitions_at))
        feature(lsp.TEXT_DOCUMENT_REFERENCES)(self._at(references_at))
        feature(lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions(trigger_characters=TRIGGERS))(
            self._at(completions_at, quick=True)
        )
        feature(lsp.TEXT_DOCUMENT_CODE_LENS)(self._of_document(lenses_of))
        feature(lsp.TEXT_DOCUMENT_CODE_ACTION, lsp.CodeActionOptions(code_action_kinds=[lsp.CodeActionKind.QuickFix]))(
            partial(self._actions)
        )
        feature(lsp.WORKSPACE_SYMBOL)(partial(self._symbols))
        feature(lsp.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY)(partial(self._prepare_calls))
        feature(lsp.CALL_HIERARCHY_INCOMING_CALLS)(self._of_item(callers_of))
        feature(lsp.CALL_HIERARCHY_OUTGOING_CALLS)(self._of_item(calls_of))
        command("coderag.search")(partial(self._search))
        command("coderag.ask")(partial(self._ask))
        command("coderag.impact")(partial(self._impact))
        command(SHOW_REFERENCES)(partial(self._references))

    # What comes and goes

    async def _initialized(self, _: lsp.InitializedParams) -> None:
        """Open the folders of the editor, so that the first question need not wait."""
        await self._answered(lambda index: len(index))

    async def _folders_changed(self, _: lsp.DidChangeWorkspaceFoldersParams) -> None:
        """Answer from the folders that the editor has open from now on, and check again what is open."""
        with self._opening:
            before, self._workspace = self._workspace, None
        if before is not None:
            before.close()
        for uri in self.server.workspace.text_documents:
            self._check_soon(uri, quick=False)

    async def _changed(
        self,
        params: lsp.DidOpenTextDocumentParams | lsp.DidChangeTextDocumentParams | lsp.DidSaveTextDocumentParams,
    ) -> None:
        """Check a document as soon as nobody types."""
        typed = isinstance(params, lsp.DidChangeTextDocumentParams)
        self._check_soon(params.text_document.uri, quick=typed)

    def _check_soon(self, uri: str, *, quick: bool) -> None:
        if (before := self._checking.pop(uri, None)) is not None:
            before.cancel()
        self._checking[uri] = asyncio.get_running_loop().create_task(self._check(uri, quick=quick))

    async def _closed(self, params: lsp.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        if (before := self._checking.pop(uri, None)) is not None:
            before.cancel()
        self.server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, []))

    async def _check(self, uri: str, *, quick: bool) -> None:
        await asyncio.sleep(CHECK_AFTER)
        hits = await self._answered(lambda index: self._checks.of(index, self._document(uri)), graph=False, quick=quick)
        if hits is not None:
            self.server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, hits))

    # Questions

    def _at(self, answer: Callable[[Index, Document, int], T], *, quick: bool = False) -> Handler:
        """Return a handler of questions about a place in a document."""

        async def handler(params: Any) -> T | None:
            def asked(index: Index) -> T:
                document = self._document(params.text_document.uri)
                return answer(index, document, document.offset(params.position))

            return await self._answered(asked, quick=quick)

        return handler

    def _of_document(self, answer: Callable[[Index, Document], T]) -> Handler:
        async def handler(params: Any) -> T | None:
            return await self._answered(lambda index: answer(index, self._document(params.text_document.uri)))

        return handler

    def _of_item(self, answer: Callable[[Index, lsp.CallHierarchyItem], T]) -> Handler:
        async def handler(params: Any) -> T | None:
            return await self._answered(lambda index: answer(index, params.item))

        return handler

    async def _actions(self, params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        document = self._document(params.text_document.uri)
        return actions_at(document, params.context.diagnostics)

    async def _symbols(self, params: lsp.WorkspaceSymbolParams) -> list[lsp.WorkspaceSymbol] | None:
        return await self._answered(lambda index: symbols_like(index, params.query), graph=False)

    async def _prepare_calls(self, params: lsp.CallHierarchyPrepareParams) -> list[lsp.CallHierarchyItem] | None:
        document = self._document(params.text_document.uri)
        return definition_item(document, document.offset(params.position))

    # Commands

    async def _search(self, question: str) -> list[dict[str, Any]] | None:
        """Return what a search finds, as address, path, lines, kind and name."""

        def asked(index: Index) -> list[dict[str, Any]]:
            return [
                {
                    "uri": address_in(index, hit.chunk.repository, hit.chunk.path),
                    "path": hit.chunk.path,
                    "start_line": hit.chunk.span.start_line,
                    "end_line": hit.chunk.span.end_line,
                    "kind": str(hit.chunk.kind),
                    "qualified_name": hit.chunk.qualified_name,
                    "repository": hit.chunk.repository,
                }
                for hit in index.search(question, k=MAX_HITS)
            ]

        return await self._answered(asked, graph=False)

    async def _ask(self, question: str) -> dict[str, Any] | None:
        """Return what the index answers to a question, as `coderag ask --json` prints it."""
        return await self._answered(lambda index: plain(index.ask(question)))

    async def _impact(self, target: str) -> list[dict[str, Any]] | None:
        """Return what a change of a target affects, as address, path, line, kind and name, and why."""

        def asked(index: Index) -> list[dict[str, Any]]:
            impact = index.impact(target)
            if impact is None:
                return []
            return [
                {
                    "uri": address_in(index, impact.repository, one.spot.path),
                    "path": one.spot.path,
                    "start_line": one.spot.line,
                    "kind": str(one.spot.kind),
                    "qualified_name": one.spot.name,
                    "why": one.why,
                }
                for one in impact.affected
                if one.spot.path
            ]

        return await self._answered(asked)

    async def _references(self, uri: str, name: str) -> list[lsp.Location] | None:
        """Return what refers to a definition of a document."""

        def asked(index: Index) -> list[lsp.Location]:
            document = self._document(uri)
            paths = [document.glob] if not document.is_sql else []
            return [
                place
                for found in index.refs(name, paths=paths, shown=None, repository=document.repository)[:1]
                for place in locations_of(index, found, roles={group.role for group in found.groups})
            ]

        return await self._answered(asked)

    # How they are answered

    async def _answered(self, asked: Callable[[Index], T], *, graph: bool = True, quick: bool = False) -> T | None:
        """Return what is asked of the index, None while there is none; why is told once.

        A `quick` answer does not wait for files to be read that changed a moment ago.
        """
        try:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._threads, partial(self._answer, asked, graph=graph, quick=quick))
        except CoderagError as error:
            if (why := str(error)) != self._said:
                self._said = why
                self.server.window_log_message(lsp.LogMessageParams(lsp.MessageType.Info, f"coderag: {why}"))
            return None

    def _answer(self, asked: Callable[[Index], T], *, graph: bool, quick: bool) -> T:
        workspace = self._opened()
        view = workspace.glance() if quick else workspace.view()
        return asked((workspace.with_graph(view) if graph else view).index)

    def _opened(self) -> Workspace:
        """Return the one workspace of the process, whoever asks first.

        Its folders are those of now: the editor may have closed some while a request waited for a thread.
        """
        with self._opening:
            if self._workspace is None:
                self._workspace = self._open(self._folders())
            return self._workspace

    def _folders(self) -> list[str]:
        folders = list(self.server.workspace.folders.values())  # a copy: another thread may change them
        roots = [to_fs_path(folder.uri) for folder in folders] or [self.server.workspace.root_path]
        return [root for root in roots if root]

    def _document(self, uri: str) -> Document:
        roots = self._workspace.roots if self._workspace is not None else ()
        return Document(self.server.workspace.get_text_document(uri), roots)
