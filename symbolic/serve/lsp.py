"""The language server: what editors ask, by the Language Server Protocol.

Columns of the protocol count units of UTF-16 unless the editor offers another encoding.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from lsprotocol import types as t
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

import leadline
from leadline.symbolic.lang import Mistake, ModelError
from leadline.symbolic.tla.read.parse import parse


def serve(folders: Sequence[Path]) -> None:
    """Serve an editor on standard input and output until it ends this.

    Args:
        folders: other folders with TLA+ modules.
    """
    # What anything else prints must not reach the editor.
    channel = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    server = LanguageServer("leadline", leadline.__version__, t.TextDocumentSyncKind.Full)
    Editor(server, folders)
    server.start_io(sys.stdin.buffer, channel)


class Editor:
    """The answers to an editor.

    Args:
        server: the server, to which the answers are registered.
        folders: other folders with TLA+ modules.
    """

    def __init__(self, server: LanguageServer, folders: Sequence[Path]) -> None:
        self.server = server
        self.folders = folders
        # The server marks what is registered, and a bound method takes no marks.
        server.feature(t.TEXT_DOCUMENT_DID_OPEN)(partial(self.opened))
        server.feature(t.TEXT_DOCUMENT_DID_CHANGE)(partial(self.changed))

    def opened(self, params: t.DidOpenTextDocumentParams) -> None:
        self.tell(params.text_document.uri)

    def changed(self, params: t.DidChangeTextDocumentParams) -> None:
        self.tell(params.text_document.uri)

    def tell(self, uri: str) -> None:
        """Tell the mistakes in a document."""
        document = self.server.workspace.get_text_document(uri)
        path, mistakes = to_fs_path(uri) or uri, tuple[Mistake, ...]()
        if path.endswith(".tla"):
            try:
                parse(document.source, path)
            except ModelError as error:
                mistakes = error.mistakes
        found = [self.diagnostic(one, document.source.split("\n")) for one in mistakes]
        self.server.text_document_publish_diagnostics(
            t.PublishDiagnosticsParams(uri=uri, version=document.version, diagnostics=found)
        )

    def diagnostic(self, mistake: Mistake, lines: Sequence[str]) -> t.Diagnostic:
        """A mistake as the protocol has it."""
        at = mistake.span.line - 1
        line = lines[at] if at < len(lines) else ""
        units = self.server.workspace.position_codec.client_num_units
        first, last = (units(line[:column]) for column in mistake.span.marked(line))
        return t.Diagnostic(
            range=t.Range(
                start=t.Position(line=at, character=first), end=t.Position(line=at, character=last)
            ),
            message=mistake.text,
            severity=t.DiagnosticSeverity.Error,
            source="leadline",
        )
