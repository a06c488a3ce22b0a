"""Errors that end a command: the message of each and its exit code."""

from __future__ import annotations

import errno
import shlex
import sys
import traceback

from leadline.redaction import redacted
from leadline.symbolic.cli.terminal import Exit, tell
from leadline.symbolic.engines.run.limits import TimeIsOver
from leadline.symbolic.grid.remote import StoreAway
from leadline.symbolic.lang import AssumptionFailed, ModelError, NoSymbolicForm, UserError
from leadline.symbolic.tla.values.values import EvaluationError


def told(error: BaseException, given: list[str]) -> Exit:
    """Report an error that is being handled.

    Args:
        error: the error.
        given: the command line without the program's name.
    """
    match error:
        case AssumptionFailed():
            code, text = Exit.ASSUMPTION, str(error)
        case ModelError() | EvaluationError():
            code, text = Exit.MODEL_MISTAKES, str(error)
        case NoSymbolicForm() | TimeIsOver() | StoreAway():
            code, text = Exit.UNKNOWN, str(error)
        case UserError():
            code, text = Exit.WRONG_COMMAND, str(error)
        case MemoryError():
            text = "memory: there is not enough for this; make the parameters smaller, or give it more"
            code = Exit.UNKNOWN
        case OSError() if error.errno in _SURROUNDINGS:
            place = f" {error.filename}:" if error.filename else ""
            why = f"{error.strerror} ({_SURROUNDINGS[error.errno]})"
            code, text = Exit.UNKNOWN, f"the system refuses to go on:{place} {why}"
        case _:
            return _internal(given)
    tell(text)
    return code


_SURROUNDINGS = {
    errno.EMFILE: "this process may not open more files: raise its limit (ulimit -n)",
    errno.ENFILE: "this machine has no more files to open",
    errno.EAGAIN: "this user may start no more processes: raise the limit (ulimit -u)",
    errno.ENOMEM: "this machine has no memory left",
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the quota of the disk is used up",
    errno.EROFS: "the disk can only be read",
    errno.EIO: "the disk fails",
    errno.EACCES: "this is not permitted",
    errno.EPERM: "this is not permitted",
    errno.ENOENT: "the folder or file is gone",
    errno.ESTALE: "the folder is gone from its server",
}
"""Errors of the system that are about the surroundings, wherever they are met."""


def _internal(given: list[str]) -> Exit:
    sys.stdout.flush()
    print(redacted(traceback.format_exc()), end="", file=sys.stderr)
    tell(
        "this is a fault of Leadline's, not yours; please report it with the text above. To see it again:\n"
        f"  {shlex.join(['leadline', *given])}"
    )
    return Exit.INTERNAL
