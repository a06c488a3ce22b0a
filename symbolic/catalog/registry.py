"""Protocols by name: the built-in ones and those of installed packages."""

from __future__ import annotations

import difflib
import importlib
import importlib.metadata
import importlib.util
import os
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from leadline.symbolic.catalog.entry import (
    Entry,
    claims_in,
    entry_of,
    prints_apart,
    protocols_in,
    refuse_lost,
)
from leadline.symbolic.catalog.files import find_in_file, split_path
from leadline.symbolic.lang import InternalError, UserError
from leadline.symbolic.lang.protocol import python_says

ENCODINGS = "leadline.encodings"
PROPERTIES = "leadline.properties"
GROUP = "leadline.protocols"
"""The entry-point group through which a package offers protocols."""


def entries() -> dict[str, Entry]:
    """Every protocol known by name, in the order of the names. What packages offer brokenly is left out
    (see `complaints`); no package can replace a built-in protocol."""
    return _load()[0]


def complaints() -> tuple[str, ...]:
    """What is wrong with the entry points of installed packages, a sentence each."""
    return _load()[1]


def find(name_or_path: str) -> Entry:
    """The protocol of that name, or of that Python file.

    Args:
        name_or_path: a name such as `kafka-replication`, `path.py`, or `path.py:ClassName` where the file
            holds several protocols.

    Raises:
        UserError: if there is none, with the nearest names.
    """
    file = split_path(name_or_path)
    if file is not None:
        return find_in_file(*file)
    if os.sep in name_or_path:
        raise UserError(_not_a_file(name_or_path))
    module = name_or_path.replace("-", "_")
    if module in _built_in_modules():
        for entry in _built_in(module):
            if entry.name == name_or_path:
                return entry
    known, broken = _load()
    if name_or_path in known:
        return known[name_or_path]
    raise UserError("\n".join([_unknown(name_or_path, list(known)), *broken]))


def _unknown(name: str, known: list[str]) -> str:
    if Path(name).exists():
        return _not_a_file(name)
    near = difflib.get_close_matches(name, known, n=1)
    repair = f"did you mean `{near[0]}`?" if near else f"there are {', '.join(known) or 'none installed'}"
    return f"there is no protocol `{name}`: {repair} (or give the path of a Python file)"


def _not_a_file(name: str) -> str:
    return f"{name} is not a Python file: a protocol of your own is in a file that ends in .py"


def _load() -> tuple[dict[str, Entry], tuple[str, ...]]:
    found: dict[str, Entry] = {}
    for module in _built_in_modules():
        for entry in _built_in(module):
            if entry.name in found:
                raise InternalError(f"two built-in protocols are named {entry.name}")
            found[entry.name] = entry
    broken: list[str] = []
    for point in importlib.metadata.entry_points(group=GROUP):
        for offer in _offered(point):
            if isinstance(offer, str):
                broken.append(offer)
            elif offer.name in found:
                broken.append(f"{_origin(point)} offers a second protocol named {offer.name}: it is left out")
            else:
                found[offer.name] = offer
    return dict(sorted(found.items())), tuple(broken)


def _built_in_modules() -> list[str]:
    package = importlib.import_module(ENCODINGS)
    return sorted(x.name for x in pkgutil.iter_modules(package.__path__) if not x.name.startswith("_"))


def _built_in(name: str) -> list[Entry]:
    """The protocols of a built-in module. What it raises is a fault of ours and passes."""
    module = importlib.import_module(f"{ENCODINGS}.{name}")
    stated: list[ModuleType] = []
    if importlib.util.find_spec(f"{PROPERTIES}.{name}") is not None:
        stated.append(importlib.import_module(f"{PROPERTIES}.{name}"))
    claims = claims_in(module, *stated)
    found = [entry_of(x, claims, x.protocol_name) for x in protocols_in(module) if _defined_by(x, module)]
    refuse_lost(module, found, claims)
    return found


def _defined_by(protocol: type, module: ModuleType) -> bool:
    return f"{protocol.__module__}.".startswith(f"{module.__name__}.")


def _offered(point: importlib.metadata.EntryPoint) -> Iterator[Entry | str]:
    """The protocols of an entry point, or what is wrong with it."""
    try:
        with prints_apart():
            module = importlib.import_module(point.module)
        protocols = protocols_in(module)
        claims = claims_in(module)
        if not protocols:
            yield f"{_origin(point)} holds no protocol"
        found = [entry_of(protocol, claims, protocol.protocol_name) for protocol in protocols]
        refuse_lost(module, found, claims)
        yield from found
    except (Exception, SystemExit) as error:
        text = str(error) if isinstance(error, UserError) else python_says(error)
        yield f"{_origin(point)} cannot be loaded: {text}"


def _origin(point: importlib.metadata.EntryPoint) -> str:
    package = point.dist.name if point.dist is not None else "a package"
    return f"the entry point {point.name} = {point.value} of {package}"
