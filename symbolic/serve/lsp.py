"""The language server: what editors ask, by the Language Server Protocol, version 3.17.

The answers come from `leadline.symbolic.serve.study` in two processes: one looks for mistakes, which may take a
while, and the other one answers about names. Code of the user's, and checks, run in processes of their own.
Columns of the protocol count units of UTF-16 unless the editor offers another encoding.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from lsprotocol import types as t
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path

import leadline
from leadline.symbolic.serve.study import Complaint, Lens, Offer, Outlined, Place, Ruling, is_ours
from leadline.symbolic.serve.worker import Faulty, TooLong, Worker
from leadline.symbolic.tla.read.drafts import Refused
from leadline.symbolic.tla.read.scan import Spot

STALE = 1.0
"""Seconds after which work on a text that has changed is ended, and not waited for."""
LEARNING = 1.0
"""Seconds of a processor for which runs are taken to learn types."""
MEGABYTES = 4_096
"""The memory of a process that runs code of the user's."""

_KINDS = {
    "module": t.SymbolKind.Module, "constant": t.SymbolKind.Constant, "variable": t.SymbolKind.Variable,
    "operator": t.SymbolKind.Function, "function": t.SymbolKind.Function, "instance": t.SymbolKind.Namespace,
    "assumption": t.SymbolKind.Boolean, "theorem": t.SymbolKind.Boolean,
}  # fmt: skip
_OFFERED = {
    "module": t.CompletionItemKind.Module, "constant": t.CompletionItemKind.Constant,
    "variable": t.CompletionItemKind.Variable, "bound": t.CompletionItemKind.Variable,
    "instance": t.CompletionItemKind.Module, "field": t.CompletionItemKind.Field,
    "keyword": t.CompletionItemKind.Keyword,
}  # fmt: skip


@dataclass
class Settings:
    """The settings of an editor.

    Attributes:
        timeout: the seconds of a check.
        memory: the megabytes of a check.
        path: other folders with TLA+ modules.
        types: whether runs are taken, when a file is opened or saved, to learn the types of variables.
        loading: the seconds for which the code of a Python file may run, and a module may take to be read.
    """

    timeout: float = 60.0
    memory: int = 4_096
    loading: float = 20.0
    path: list[str] = field(default_factory=list)
    types: bool = True


@dataclass
class Document:
    """A file that is open in the editor.

    Attributes:
        saved: whether it is as it was opened or saved. Only then its code runs, if it is a Python file.
        complaints: the mistakes in it.
        again: whether its mistakes are to be looked for once more.
        task: the search for them.
    """

    uri: str
    version: int
    text: str
    saved: bool = True
    complaints: list[Complaint] = field(default_factory=list)
    again: bool = False
    task: asyncio.Task[None] | None = None


def serve(folders: Sequence[Path]) -> None:
    """Serve an editor on standard input and output until it ends this.

    Args:
        folders: other folders with TLA+ modules.
    """
    # The editor must not read what libraries and protocols print.
    channel = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    server = LanguageServer("leadline", leadline.__version__, t.TextDocumentSyncKind.Incremental)
    editor = Editor(server, folders)
    try:
        server.start_io(sys.stdin.buffer, channel)
    finally:
        editor.end()


class Editor:
    """The answers to an editor.

    Args:
        server: the server, to which the answers are registered.
        folders: other folders with TLA+ modules.
    """

    def __init__(self, server: LanguageServer, folders: Sequence[Path]) -> None:
        self.server = server
        self.folders = list(folders)
        self.options = Settings()
        self.documents: dict[Path, Document] = {}
        self.answers: dict[tuple[Path, str], tuple[str, Ruling | None]] = {}
        self.checks: dict[tuple[Path, str], Worker] = {}
        self.checker = self.guide = Worker(self.folders)
        self._learning: asyncio.Task[None] | None = None
        self._register()

    def _register(self) -> None:
        told: dict[str, Callable[[Any], None]] = {
            t.INITIALIZE: self.begin,
            t.TEXT_DOCUMENT_DID_OPEN: self.opened,
            t.TEXT_DOCUMENT_DID_CHANGE: self.changed,
            t.TEXT_DOCUMENT_DID_SAVE: self.saved,
            t.TEXT_DOCUMENT_DID_CLOSE: self.closed,
        }
        asked: dict[str, tuple[Callable[[Any], Awaitable[Any]], object]] = {
            t.SHUTDOWN: (self.close, None),
            t.TEXT_DOCUMENT_HOVER: (self.hover, None),
            t.TEXT_DOCUMENT_DEFINITION: (self.definition, None),
            t.TEXT_DOCUMENT_REFERENCES: (self.references, None),
            t.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT: (self.highlights, None),
            t.TEXT_DOCUMENT_DOCUMENT_SYMBOL: (self.outline, None),
            t.TEXT_DOCUMENT_COMPLETION: (
                self.completion, t.CompletionOptions(trigger_characters=[".", "!", "\\"])
            ),
            t.TEXT_DOCUMENT_PREPARE_RENAME: (self.renameable, None),
            t.TEXT_DOCUMENT_RENAME: (self.rename, t.RenameOptions(prepare_provider=True)),
            t.TEXT_DOCUMENT_CODE_LENS: (self.lenses, t.CodeLensOptions()),
            t.TEXT_DOCUMENT_INLAY_HINT: (self.hints, None),
        }  # fmt: skip
        # The server marks what is registered, and a bound method takes no marks.
        for name, take in told.items():
            self.server.feature(name)(partial(take))
        for name, (reply, options) in asked.items():
            self.server.feature(name, options)(partial(reply))
        for verb in ("check", "prove"):
            self.server.command(f"leadline.{verb}")(self._command(verb))

    def _command(self, verb: str) -> Callable[..., Awaitable[object]]:
        async def run(*given: str) -> object:
            return await self.run(verb, *given)

        return run

    def begin(self, params: t.InitializeParams) -> None:
        """Take the editor's settings."""
        # The texts are kept here: pygls counts other line ends, and changes the positions that it is given.
        self.server.workspace.update_text_document = lambda *_: None  # type: ignore[method-assign]  # see above
        given: Any = params.initialization_options or {}
        kinds = {"timeout": int | float, "memory": int, "loading": int | float, "path": list, "types": bool}
        kind: Any
        for name, kind in kinds.items():
            value = given.get(name) if isinstance(given, Mapping) else getattr(given, name, None)
            if isinstance(value, kind) and (kind is not list or all(isinstance(x, str) for x in value)):
                setattr(self.options, name, value)
            elif value is not None:
                self.message(t.MessageType.Warning, f"the setting {name} cannot be {value!r}: it is left out")
        self.folders += map(Path, self.options.path)
        self.checker, self.guide = Worker(self.folders), Worker(self.folders)

    async def close(self, _: Any = None) -> None:
        """End all work."""
        tasks = [x.task for x in self.documents.values() if x.task is not None]
        tasks += [self._learning] if self._learning is not None else []
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for worker in (self.checker, self.guide, *self.checks.values()):
            await worker.close()

    def end(self) -> None:
        """End the processes that were started."""
        for worker in (self.checker, self.guide, *self.checks.values()):
            worker.end()

    # -- documents ----------------------------------------------------------------------------------------

    def opened(self, params: t.DidOpenTextDocumentParams) -> None:
        about = params.text_document
        path = path_of(about.uri)
        self.documents[path] = Document(about.uri, about.version, about.text)
        self._hold(path, about.text)
        self.learn(path)

    def changed(self, params: t.DidChangeTextDocumentParams) -> None:
        path = path_of(params.text_document.uri)
        document = self.documents[path]
        document.version, document.saved = params.text_document.version, False
        for change in params.content_changes:
            document.text = self.after(document.text, change)
        for key, (said, answer) in self.answers.items():
            if answer is not None and key[0].parent == path.parent:
                self.answers[key] = f"{said}, before changes", None
        self._hold(path, document.text)

    def after(self, text: str, change: t.TextDocumentContentChangeEvent) -> str:
        """A text after a change of a part of it, or of all."""
        if not isinstance(change, t.TextDocumentContentChangePartial):
            return change.text
        lines = re.split("(?<=\n)|(?<=\r)(?!\n)", text)
        start, end = (
            sum(map(len, lines[: at.line])) + self.column("".join(lines[at.line : at.line + 1]), at.character)
            for at in (change.range.start, change.range.end)
        )
        return f"{text[:start]}{change.text}{text[end:]}"

    def saved(self, params: t.DidSaveTextDocumentParams) -> None:
        path = path_of(params.text_document.uri)
        if path in self.documents:
            self.documents[path].saved = True
            self.look(path)
        self.learn(path)

    def closed(self, params: t.DidCloseTextDocumentParams) -> None:
        path = path_of(params.text_document.uri)
        document = self.documents.pop(path, None)
        if document is not None:
            if document.task is not None:
                document.task.cancel()
            self.publish(document.uri, None, [])
        self._hold(path, None)

    def _hold(self, path: Path, text: str | None) -> None:
        """Take a file's text, and look for mistakes in it and in the files of its folder that are open."""
        for worker in (self.checker, self.guide):
            worker.hold(path, text)
        for other in [*self.documents]:
            if other == path or (other.parent == path.parent and path.suffix != ".py" != other.suffix):
                self.look(other)

    def look(self, path: Path) -> None:
        """Look for mistakes, or do so once the search that runs has ended."""
        document = self.documents[path]
        document.again = True
        if document.task is None or document.task.done():
            document.task = asyncio.get_running_loop().create_task(self._look(path, document))

    async def _look(self, path: Path, document: Document) -> None:
        while document.again:
            document.again, version = False, document.version
            try:
                found = await self._searched(path, document)
            except (TooLong, Faulty) as error:
                found = [(Spot(0, 0, 1), f"Leadline cannot read this file: {error}")]
            if found is not None and version == document.version and self.documents.get(path) is document:
                document.complaints = found
                self.tell(path, document)

    async def _searched(self, path: Path, document: Document) -> list[Complaint] | None:
        """The mistakes in a file; None if it has changed and they are no longer wanted."""
        if path.suffix == ".py" and not (document.saved and is_ours(document.text)):
            syntax: list[Complaint] = await self.guide.ask("syntax", path)
            return syntax
        python = path.suffix == ".py"
        worker = Worker(self.folders, path.parent, MEGABYTES) if python else self.checker
        if python:
            worker.hold(path, document.text)
        question = "protocol_mistakes" if python else "mistakes"
        search = asyncio.ensure_future(worker.ask(question, path, seconds=self.options.loading))
        begin = asyncio.get_running_loop().time()
        try:
            while not search.done():
                await asyncio.wait([search], timeout=STALE / 4)
                if document.again and asyncio.get_running_loop().time() - begin > STALE:
                    return None
            found: list[Complaint] = search.result()
            return found
        except TooLong:
            if not python:
                raise
            limits = f"{self.options.loading:g} seconds or {MEGABYTES} megabytes"
            return [(Spot(0, 0, 1), f"loading the file ends its process, or takes more than {limits}")]
        finally:
            search.cancel()
            if python:
                await worker.close()

    def learn(self, path: Path) -> None:
        """Learn the types of a module's variables beside everything else."""
        if path.suffix != ".tla" or not self.options.types:
            return
        if self._learning is not None:
            self._learning.cancel()
        self._learning = asyncio.get_running_loop().create_task(self._learn(path))

    async def _learn(self, path: Path) -> None:
        worker = Worker(self.folders)
        for one, document in self.documents.items():
            worker.hold(one, document.text)
        try:
            types = await worker.ask("learned", path, LEARNING, seconds=self.options.loading)
            await self.guide.ask("keep_types", path, types)
            about = f"{path}: the types of {len(types)} variables are known"
            self.server.window_log_message(t.LogMessageParams(type=t.MessageType.Log, message=about))
        except (TooLong, Faulty):
            pass  # a module whose types are not known has a hover without them
        finally:
            await worker.close()

    # -- mistakes -----------------------------------------------------------------------------------------

    def tell(self, path: Path, document: Document) -> None:
        """Tell the mistakes in a document, and the properties of it that fail."""
        lines = split(document.text)
        found = [
            self.diagnostic(lines, spot, text, t.DiagnosticSeverity.Error)
            for spot, text in document.complaints
        ]
        for (where, name), (said, answer) in self.answers.items():
            if answer is None or answer.judgement != "failed":
                continue
            place, spot = answer.place or (where, Spot(0, 0, 1))
            if place == path:
                one = self.diagnostic(lines, spot, f"{name}: {said}", t.DiagnosticSeverity.Warning)
                one.related_information = [
                    t.DiagnosticRelatedInformation(self.location(*(at or (path, Spot(0, 0, 0)))), step)
                    for step, at in answer.run
                ]
                found.append(one)
        self.publish(document.uri, document.version, found)

    def publish(self, uri: str, version: int | None, found: list[t.Diagnostic]) -> None:
        params = t.PublishDiagnosticsParams(uri=uri, version=version, diagnostics=found)
        self.server.text_document_publish_diagnostics(params)

    def diagnostic(
        self, lines: Sequence[str], spot: Spot, text: str, severity: t.DiagnosticSeverity
    ) -> t.Diagnostic:
        return t.Diagnostic(range=self.range(lines, spot), message=text, severity=severity, source="leadline")

    # -- places -------------------------------------------------------------------------------------------

    def lines(self, path: Path) -> list[str]:
        """The lines of a file, in the editor or on the disk."""
        return split(self.documents[path].text) if path in self.documents else disk_lines(path) or []

    def position(self, lines: Sequence[str], line: int, column: int) -> t.Position:
        units = self.server.workspace.position_codec.client_num_units
        before = lines[line][:column] if line < len(lines) else ""
        return t.Position(line=line, character=units(before))

    def range(self, lines: Sequence[str], spot: Spot) -> t.Range:
        start, end = (self.position(lines, spot.line, column) for column in (spot.start, spot.end))
        return t.Range(start=start, end=end)

    def location(self, path: Path, spot: Spot) -> t.Location:
        document = self.documents.get(path)
        uri = document.uri if document is not None else from_fs_path(str(path)) or ""
        return t.Location(uri=uri, range=self.range(self.lines(path), spot))

    def asked(self, params: Any) -> tuple[Path, int, int]:
        """The place that a request is about."""
        path, at = path_of(params.text_document.uri), params.position
        lines = self.lines(path)
        line = max(0, min(at.line, len(lines) - 1))
        return path, line, self.column(lines[line] if lines else "", at.character)

    def column(self, line: str, units: int) -> int:
        """The characters of a line before a place that is counted in the editor's units."""
        line, column = line.rstrip("\r\n"), 0
        while (
            column < len(line)
            and self.server.workspace.position_codec.client_num_units(line[:column]) < units
        ):
            column += 1
        return column

    # -- names --------------------------------------------------------------------------------------------

    async def hover(self, params: t.HoverParams) -> t.Hover | None:
        path, line, column = self.asked(params)
        found = await self.guide.ask("hover", path, line, column)
        if found is None:
            return None
        spot, text = found
        content = t.MarkupContent(kind=t.MarkupKind.Markdown, value=text)
        return t.Hover(contents=content, range=self.range(self.lines(path), spot))

    async def definition(self, params: t.DefinitionParams) -> t.Location | None:
        found = await self.guide.ask("definition", *self.asked(params))
        return self.location(*found) if found is not None else None

    async def references(self, params: t.ReferenceParams) -> list[t.Location]:
        found = await self.guide.ask("references", *self.asked(params))
        if not params.context.include_declaration:
            declared = await self.guide.ask("definition", *self.asked(params))
            found = [one for one in found if one != declared]
        return [self.location(*one) for one in found]

    async def highlights(self, params: t.DocumentHighlightParams) -> list[t.DocumentHighlight]:
        path, line, column = self.asked(params)
        found: list[Place] = await self.guide.ask("references", path, line, column)
        lines = self.lines(path)
        return [t.DocumentHighlight(range=self.range(lines, spot)) for where, spot in found if where == path]

    async def outline(self, params: t.DocumentSymbolParams) -> list[t.DocumentSymbol]:
        path = path_of(params.text_document.uri)
        if path.suffix != ".tla":
            return []
        lines = self.lines(path)

        def made(one: Outlined) -> t.DocumentSymbol:
            end = len(lines[one.last]) if one.last < len(lines) else 0
            whole = t.Range(
                start=t.Position(line=one.first, character=0), end=self.position(lines, one.last, end)
            )
            return t.DocumentSymbol(
                name=one.name, kind=_KINDS[one.kind], detail=one.detail if one.detail != one.name else one.kind,
                range=whole, selection_range=self.range(lines, one.spot), children=[*map(made, one.below)],
            )  # fmt: skip

        return [*map(made, await self.guide.ask("outline", path))]

    async def completion(self, params: t.CompletionParams) -> list[t.CompletionItem]:
        path, line, column = self.asked(params)
        if path.suffix == ".py":
            return []
        lines = self.lines(path)
        before = lines[line][:column] if line < len(lines) else ""
        found: list[Offer] = await self.guide.ask("complete", path, line, column)

        def item(one: Offer) -> t.CompletionItem:
            made = t.CompletionItem(
                label=one.text, detail=one.about, kind=_OFFERED.get(one.kind, t.CompletionItemKind.Function)
            )
            if one.text.startswith("\\"):  # no word of an editor's: it would leave the first backslash
                spot = Spot(line, before.rindex("\\"), column)
                made.text_edit = t.TextEdit(range=self.range(lines, spot), new_text=one.text)
            return made

        return [*map(item, dict.fromkeys(found))]

    async def renameable(self, params: t.PrepareRenameParams) -> t.Range | None:
        path, line, column = self.asked(params)
        found = await self._refusing("renamed", path, line, column, None)
        return self.range(self.lines(path), found[0]) if found is not None else None

    async def rename(self, params: t.RenameParams) -> t.WorkspaceEdit:
        path, line, column = self.asked(params)
        _, places = await self._refusing("renamed", path, line, column, params.new_name)
        edits: dict[str, list[t.TextEdit]] = {}
        for place in places:
            where = self.location(*place)
            edits.setdefault(where.uri, []).append(t.TextEdit(range=where.range, new_text=params.new_name))
        return t.WorkspaceEdit(changes={**edits})

    async def _refusing(self, *asked: Any) -> Any:
        try:
            return await self.guide.ask(*asked)
        except Refused as error:
            raise JsonRpcException(message=str(error), code=t.LSPErrorCodes.RequestFailed) from error

    # -- checks -------------------------------------------------------------------------------------------

    async def lenses(self, params: t.CodeLensParams) -> list[t.CodeLens]:
        path = path_of(params.text_document.uri)
        found: list[Lens] = await self.guide.ask("lenses", path)
        lines = self.lines(path)
        return [one for lens in found for one in self._lens(lens, self.range(lines, lens.spot))]

    def _lens(self, lens: Lens, at: t.Range) -> Iterable[t.CodeLens]:
        given = [lens.protocol, lens.name]
        for verb in ("check", "prove") if lens.always else ("check",):
            yield t.CodeLens(range=at, command=t.Command(verb, f"leadline.{verb}", arguments=given))
        said, _ = self.answers.get((file_of(lens.protocol), lens.name), ("", None))
        if said:
            yield t.CodeLens(range=at, command=t.Command(said, "leadline.check", arguments=given))

    async def run(self, verb: str, protocol: str, name: str) -> object:
        """Check or prove a property in a process with limits, and tell the verdict."""
        path = file_of(protocol)
        if path in self.documents and split(self.documents[path].text) != disk_lines(path):
            self.message(t.MessageType.Warning, f"save {path.name} first: checks read the files")
            return None
        key = path, name
        if key in self.checks:
            await self.checks.pop(key).close()
        worker = self.checks[key] = Worker(self.folders, path.parent)
        self.answers[key] = f"{verb}: running", None
        await self.refresh()
        limits = self.options.timeout, self.options.memory
        patience = self.options.timeout * 2 + self.options.loading
        try:
            answer: Ruling = await worker.ask("ask", verb, protocol, name, *limits, seconds=patience)
        except (TooLong, Faulty) as error:
            answer = Ruling("unknown", "open", str(error).strip().rpartition("\n")[2])
        if self.checks.get(key) is not worker:
            return None  # asked again meanwhile
        await self.checks.pop(key).close()
        names = [action for action, _ in answer.steps]
        known = await self.guide.ask("places", path, [*names, name])
        return await self._answered(path, name, answer, known)

    async def _answered(
        self, path: Path, name: str, answer: Ruling, known: Mapping[str, Place]
    ) -> dict[str, object]:
        answer.run = [(text, known.get(action)) for action, text in answer.steps]
        answer.place = known.get(name)
        self.answers[path, name] = answer.said, answer
        for one, document in self.documents.items():
            self.tell(one, document)
        await self.refresh()
        kind = {"passed": t.MessageType.Info, "failed": t.MessageType.Error}.get(
            answer.judgement, t.MessageType.Warning
        )
        self.message(kind, f"{name}: {answer.said}" + (f": {answer.reason}" if answer.reason else ""))
        return {"verdict": answer.verdict, "judgement": answer.judgement, "steps": len(answer.steps)}

    def message(self, kind: t.MessageType, text: str) -> None:
        self.server.window_show_message(t.ShowMessageParams(type=kind, message=text))

    async def refresh(self) -> None:
        """Have the editor ask for lenses and hints again, if it can."""
        about = self.server.client_capabilities.workspace
        if about is not None and about.code_lens is not None and about.code_lens.refresh_support:
            self.server.workspace_code_lens_refresh(None)
        if about is not None and about.inlay_hint is not None and about.inlay_hint.refresh_support:
            self.server.workspace_inlay_hint_refresh(None)

    async def hints(self, params: t.InlayHintParams) -> list[t.InlayHint]:
        """The steps of counterexamples behind the first line of their actions."""
        path = path_of(params.text_document.uri)
        found: dict[tuple[int, str], list[tuple[int, str]]] = {}
        for (_, name), (_, answer) in self.answers.items():
            for number, (text, place) in enumerate(answer.run if answer is not None else ()):
                if place is not None and place[0] == path:
                    found.setdefault((place[1].line, name), []).append((number, text))
        lines = self.lines(path)
        return [
            t.InlayHint(
                position=self.position(lines, line, len(lines[line])), padding_left=True,
                label=f"{name}: step {', '.join(str(number) for number, _ in steps)}",
                tooltip="\n\n".join(text for _, text in steps),
            )
            for (line, name), steps in found.items()
            if line < len(lines)
        ]  # fmt: skip


def path_of(uri: str) -> Path:
    """The file of a URI; one that is not yet on the disk has a name too."""
    return Path(to_fs_path(uri) or uri)


def file_of(protocol: str) -> Path:
    """The file of a protocol, which may have the name of a class behind it."""
    return Path(f"{protocol.rpartition('.py:')[0]}.py" if ".py:" in protocol else protocol)


def split(text: str) -> list[str]:
    """The lines of a text, with any kind of line ends."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def disk_lines(path: Path) -> list[str] | None:
    """The lines of a file on the disk; None if it cannot be read."""
    try:
        return split(path.read_bytes().decode())
    except (OSError, UnicodeDecodeError):
        return None
