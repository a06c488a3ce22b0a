"""Protocols that are classes of this process, such as those of a notebook's cells.

No other process can load them by a name or a path. A process that answers a query about one is sent the class
by value, with the functions that it uses, and compares the model's fingerprint like that of any other.
"""

from __future__ import annotations

import base64
import pickle
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import FunctionType
from typing import Any

from leadline.symbolic.catalog.entry import Entry, entry_of
from leadline.symbolic.catalog.ineffective import ineffective_lines
from leadline.symbolic.lang import Claim, Mistake, ModelError, Protocol, UserError

_known: dict[str, Entry] = {}
_received: dict[str, str] = {}


def entry_by_value(protocol: type[Protocol], more: Sequence[Claim] = ()) -> Entry:
    """The entry of a class, with the properties in the modules of the class and its methods.

    Args:
        protocol: the class.
        more: further properties, wherever they are written.

    Raises:
        ModelError: if a property or a line has no effect, or two properties have one name.
    """
    claims = {id(claim): claim for claim in (*_claims_of(protocol), *more)}.values()
    stale = [claim for claim in claims if claim.protocol is not object and _is_older(claim, protocol)]
    if stale:
        text = f"it is about an earlier class {protocol.__name__}, which was defined anew: run it again"
        raise ModelError(Mistake(x.span, f"the property {x.name} has no effect: {text}") for x in stale)
    found = entry_of(protocol, claims, "")
    if unused := ineffective_lines([protocol], found.claims):
        raise ModelError(unused)
    for entry in _known.values():
        if entry.protocol is protocol and entry.claims == found.claims:
            return entry
    return keep_by_value(f"<class {protocol.__qualname__}, {len(_known) + 1}>", protocol, found.claims)


def _claims_of(protocol: type[Protocol]) -> Iterator[Claim]:
    """The properties among the names that are known where a class and its methods are written."""
    module = sys.modules.get(protocol.__module__)
    functions = [x for x in vars(protocol).values() if isinstance(x, FunctionType)]
    spaces = [*([vars(module)] if module else []), *(x.__globals__ for x in functions)]
    for names in {id(names): names for names in spaces}.values():
        yield from (x for x in names.values() if isinstance(x, Claim))


def _is_older(claim: Claim, protocol: type[Protocol]) -> bool:
    """Whether a claim is about a class that this one has replaced, as when a notebook's cell runs again."""
    about = claim.protocol if isinstance(claim.protocol, tuple) else (claim.protocol,)
    names = [(x.__module__, x.__qualname__) for x in about]
    return protocol not in about and (protocol.__module__, protocol.__qualname__) in names


def keep_by_value(source: str, protocol: type[Protocol], claims: Iterable[Claim]) -> Entry:
    """Make a class known under a source."""
    entry = _known[source] = entry_of(protocol, claims, source)
    return entry


def known_by_value(source: str) -> Entry | None:
    """The entry with this source, if it is one of a class of this process."""
    return _known.get(source)


def packed(source: str) -> str | None:
    """The protocol of this source as text for another process; None if that process finds it by itself.

    Raises:
        UserError: if something that the protocol uses cannot be sent.
    """
    entry = _known.get(source)
    if entry is None or source in _received:
        return _received.get(source)
    return pack(entry)


def pack(entry: Entry) -> str:
    """A protocol as text for another process.

    Raises:
        UserError: if something that the protocol uses cannot be sent.
    """
    # Here, since protocols with a name or a path need none.
    import cloudpickle

    modules = [sys.modules[name] for name in sorted(_modules_of(entry)) if name in sys.modules]
    for module in modules:
        cloudpickle.register_pickle_by_value(module)
    try:
        content = cloudpickle.dumps((entry.protocol, entry.claims))
        return base64.b64encode(pickle.dumps((sys.path, content))).decode()
    except Exception as error:
        text = f"the class {entry.protocol.__qualname__} cannot be sent to another process: {error}"
        raise UserError(f"{text}; leave that out, or write the protocol in a file of its own") from error
    finally:
        for module in modules:
            cloudpickle.unregister_pickle_by_value(module)


def _modules_of(entry: Entry) -> set[str]:
    """The modules of the user's that hold the class, its bases and its properties."""
    bases = [base for base in entry.protocol.__mro__ if issubclass(base, Protocol)]
    held: list[type | Callable[..., Any]] = [*bases, *(claim.function for claim in entry.claims)]
    own = __name__.partition(".")[0]
    # Code run by `exec` in a bare namespace is in no module, or in `builtins`, of which nothing is sent.
    ours = (own, "builtins")
    return {x.__module__ for x in held if x.__module__ and x.__module__.partition(".")[0] not in ours}


def receive(source: str, text: str) -> Entry:
    """Make a protocol known that another process has packed.

    Args:
        source: the source in queries about it.
        text: the text of `packed`. It can run anything, so take it only from the process that asks.

    Raises:
        UserError: if something that it uses is not there.
    """
    folders, content = pickle.loads(base64.b64decode(text))
    sys.path += [folder for folder in folders if folder not in sys.path]
    try:
        protocol, claims = pickle.loads(content)
    except Exception as error:
        text = f"the class of {source} cannot be loaded in another process: {type(error).__name__}: {error}"
        raise UserError(f"{text}; write the protocol in a file of its own") from error
    _received[source] = text
    return keep_by_value(source, protocol, claims)
