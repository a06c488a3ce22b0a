"""The sources of protocols: the built-in modules, installed packages, Python files of the user's, and classes.

No other process can load a class of this one, such as that of a notebook's cell, by a name or a path. A process
that answers a query about one is sent the class by value, with the functions that it uses, and compares the
model's fingerprint like that of any other.
"""

from __future__ import annotations

import base64
import difflib
import hashlib
import importlib
import importlib.machinery
import importlib.metadata
import importlib.util
import os
import pickle
import pkgutil
import re
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from leadline.symbolic.catalog.entry import (
    Entry,
    claims_in,
    entry_of,
    model_of,
    model_on_values,
    prints_apart,
    protocols_in,
    refuse_unattached,
)
from leadline.symbolic.catalog.ineffective import ineffective_lines
from leadline.symbolic.files import is_folder, is_there, read_bytes, real_path
from leadline.symbolic.lang import (
    Claim,
    InternalError,
    LeadlineError,
    Mistake,
    Model,
    ModelError,
    Protocol,
    Setting,
    Span,
    UserError,
    python_says,
    unknown_name,
)

_known: dict[str, Entry] = {}
_received: dict[str, str] = {}


def entry_of_class(protocol: type[Protocol], more: Sequence[Claim] = ()) -> Entry:
    """The entry of a class: that of its name if it is a built-in protocol.

    Else it is one by value, with the properties in the modules of the class and its methods.

    Args:
        protocol: the class.
        more: further properties, wherever they are written.

    Raises:
        ModelError: if a property or a line has no effect, or two properties have one name.
    """
    if protocol.__module__.startswith(f"{ENCODINGS}.") and not more:
        return installed(protocol.protocol_name)
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


def kept(entry: Entry) -> Entry:
    """The entry. If it is kept by value, its source means it again, in place of another of the same source."""
    if entry.source in _known:
        _known[entry.source] = entry
    return entry


def packed(source: str, *, whole: bool = False) -> str | None:
    """The protocol of this source as text for another process; None if that process finds it by itself.

    Args:
        source: the source.
        whole: whether the protocol of a Python file is sent too: another machine may not have the file.

    Raises:
        UserError: as `find`, or if something that the protocol uses cannot be sent.
    """
    if whole and source not in _known and split_path(source) is not None:
        return _pack(find(source, tried=True))
    if source not in _known or source in _received:
        return _received.get(source)
    return _pack(_known[source])


def _pack(entry: Entry) -> str:
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


# -- files --------------------------------------------------------------------------------------------------

_LARGEST = 16 << 20
"""The most bytes of a Python file."""

_PATH = re.compile(r"(?P<path>.+\.py)(?::(?P<wanted>[\w-]+))?")


def split_path(text: str) -> tuple[Path, str | None] | None:
    """The path and, after a colon, the protocol in it; None if the text does not name a Python file."""
    match = _PATH.fullmatch(text)
    return (Path(match["path"]), match["wanted"]) if match else None


_MODULE = re.compile(r"(?P<module>.+\.tla)(?: (?P<config>.+\.cfg))?")
"""The source of a TLA+ module: its path, and that of a configuration that is not beside it."""


def naming(source: str) -> list[str]:
    """The options of a command that name the file of a source, and its configuration; none if it has no file."""
    if split_path(source) is not None:
        return ["--protocol", source]
    found = _MODULE.fullmatch(source)
    if found is None:
        return []
    config = [] if found["config"] is None else ["--config", found["config"]]
    return ["--protocol", found["module"], *config]


def load_file(path: Path, *, tried: bool = False) -> list[Entry]:
    """Every protocol of a Python file, with the properties that the file states.

    The file runs, as it does under `python path`: files beside it can be imported.

    Args:
        path: the file.
        tried: whether another process has tried it, which knows the fingerprints of its models. If not, it
            is tried now, and so is each model that is made of it (`leadline.symbolic.catalog.trial`).

    Raises:
        UserError: if it cannot be read, or holds no protocol.
        ModelError: if it does not run, or a property or an action in it belongs to no protocol.
    """
    if is_folder(path):
        raise UserError(f"{path} is a folder: give the path of a Python file")
    read_bytes(path, _LARGEST)
    if tried:
        return _loaded(path, tried)
    # Here, since built-in protocols need none.
    from leadline.symbolic.catalog.trial import Trial, unstable_model

    trial = Trial(path)
    found = [replace(entry, trial=trial) for entry in _loaded(path, tried)]
    if not trial.loaded:
        raise unstable_model(Span(str(path), 1))
    return found


def _loaded(path: Path, tried: bool) -> list[Entry]:
    module = _run(path, tried)
    protocols = protocols_in(module)
    if not protocols:
        raise UserError(
            f"{path} holds no protocol: define a subclass of leadline.Protocol "
            "with the methods define and init"
        )
    claims = claims_in(module)
    names = [protocol.protocol_name for protocol in protocols]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise UserError(f"{path} holds two protocols named {twice[0]}: rename one")
    alone = len(protocols) == 1
    found = [entry_of(x, claims, str(path) if alone else f"{path}:{x.__name__}") for x in protocols]
    refuse_unattached(module, found, claims)
    return found


def _run(path: Path, tried: bool) -> ModuleType:
    """The file as a module, under a name that clashes with no other module."""
    full = real_path(path)
    name = f"leadline_file_{full.stem}_{hashlib.sha256(os.fsencode(full)).hexdigest()[:12]}"
    spec = importlib.util.spec_from_file_location(name, full, loader=_Source(name, str(full)))
    assert spec is not None and spec.loader is not None  # that loader
    module = importlib.util.module_from_spec(spec)
    _read_anew(str(full.parent))
    if str(full.parent) not in sys.path:
        # Last, unlike under `python path`, so that a file beside it hides none of our modules.
        sys.path.append(str(full.parent))
    sys.modules[name] = module
    try:
        with prints_apart():
            spec.loader.exec_module(module)
    except BaseException as error:
        del sys.modules[name]
        # A process with limits loads a file that was tried before: such an error is its own, and not the file's.
        if isinstance(error, (LeadlineError, KeyboardInterrupt)) or (
            tried and isinstance(error, MemoryError)
        ):
            raise
        raise ModelError([_mistake(path, full, error)]) from error
    return module


class _Source(importlib.machinery.SourceFileLoader):
    """Loads the text of a user's file, whatever its name: a link may lead to one without the suffix .py."""

    def get_data(self, path: str) -> bytes:
        return read_bytes(Path(path), _LARGEST)

    def path_stats(self, path: str) -> Mapping[str, Any]:
        # Without these numbers Python keeps no compiled file, which a file of the same length that is written
        # in the same second would take for its own.
        raise OSError


_FOLDERS: set[str] = set()
"""The folders of users' files."""


def _read_anew(folder: str) -> None:
    """Have modules in a folder of the user's, and below it, loaded from their text."""
    if not _FOLDERS:
        sys.path_hooks.insert(0, _finder)
    if folder not in _FOLDERS:
        _FOLDERS.add(folder)
        for known in [one for one in sys.path_importer_cache if Path(one).is_relative_to(folder)]:
            del sys.path_importer_cache[known]


def _finder(path: str) -> importlib.machinery.FileFinder:
    """The finder of modules in a folder of the user's; ImportError for any other path."""
    above = [Path(one) for one in sys.path if one and Path(path).is_relative_to(one)]
    nearest = max((len(one.parts) for one in above), default=0)
    # Installed packages may lie below the folder, in an environment there: they are on the path by themselves.
    if not any(Path(path).is_relative_to(x) and len(Path(x).parts) >= nearest for x in _FOLDERS):
        raise ImportError(f"{path} is no folder of the user's")
    native = importlib.machinery.ExtensionFileLoader, importlib.machinery.EXTENSION_SUFFIXES
    return importlib.machinery.FileFinder(path, native, (_Source, importlib.machinery.SOURCE_SUFFIXES))


def _mistake(path: Path, full: Path, error: BaseException) -> Mistake:
    if isinstance(error, SyntaxError):
        file = str(path) if error.filename in (None, str(full)) else str(error.filename)
        columns = None if error.offset is None else (error.offset - 1, error.offset)
        return Mistake(
            Span(file, error.lineno or 1, columns=columns),
            f"Python says: {type(error).__name__}: {error.msg}",
        )
    frames = [x for x in traceback.extract_tb(error.__traceback__) if x.filename == str(full)]
    place = Span(str(path), (frames[-1].lineno if frames else None) or 1)
    if isinstance(error, SystemExit):
        text = "loading the file ends the program: put that under `if __name__ == '__main__'`"
        return Mistake(place, text)
    return Mistake(place, python_says(error))


ENCODINGS = "leadline.encodings"
PROPERTIES = "leadline.properties"
GROUP = "leadline.protocols"
"""The entry-point group through which a package offers protocols."""


def entries() -> dict[str, Entry]:
    """Every protocol known by name, in the order of the names.

    Broken protocols of packages are left out (see `complaints`). No package can replace a built-in protocol.
    """
    return _load()[0]


def complaints() -> tuple[str, ...]:
    """The errors in the entry points of installed packages, a sentence each."""
    return _load()[1]


def find(name_or_path: str, *, tried: bool = False) -> Entry:
    """The protocol of that name, or of that Python file. The file is run: pass no path that comes from data.

    Args:
        name_or_path: a name such as `kafka-replication`, `path.py`, or `path.py:ClassName` where the file
            holds several protocols; or the source of an entry by value.
        tried: as in `load_file`.

    Raises:
        UserError: if there is none, with the nearest names, or it is not clear which one of a file is meant; as
            `load_file`.
    """
    if name_or_path in _known:
        return _known[name_or_path]
    file = split_path(name_or_path)
    if file is not None:
        path, wanted = file
        found = load_file(path, tried=tried)
        if wanted is None and len(found) > 1:
            sources = ", ".join(entry.source for entry in found)
            raise UserError(f"{path} holds {len(found)} protocols: name one of {sources}")
        for entry in found:
            if wanted in (None, entry.protocol.__name__, entry.name):
                return entry
        known = [entry.protocol.__name__ for entry in found]
        raise UserError(unknown_name(f"{path} has no protocol", str(wanted), known))
    if name_or_path.endswith(".tla"):
        return find_module(Path(name_or_path))
    if name_or_path.endswith(".cfg"):
        raise UserError(f"{name_or_path} is a configuration: name the module, with --config {name_or_path}")
    if os.sep not in name_or_path:
        try:
            return installed(name_or_path)
        except UserError:
            if not is_there(Path(name_or_path)):
                raise
    raise UserError(
        f"{name_or_path} is not a Python file: a protocol of your own is in a file that ends in .py"
    )


def made_again(
    source: str,
    settings: Mapping[str, Setting],
    fingerprint: str,
    *,
    protocol: str | None,
    learned: Mapping[str, object],
    alone: bool = False,
) -> Model:
    """The model of another process, made anew from the protocol and what that process has learned of it.

    Args:
        source: the protocol as the catalog finds it.
        settings: the parameters that differ from their defaults.
        fingerprint: that of the model.
        protocol: the protocol by value, if it cannot be found here.
        learned: see `Origin.learned`.
        alone: whether it is the model for exploration on values.

    Raises:
        ModelError: if the model that is made is another one.
    """
    if protocol is not None:
        receive(source, protocol)
    entry = find(source, tried=True)
    model = model_on_values(entry, settings) if alone else model_of(entry, settings, learned)
    if model.fingerprint != fingerprint:
        text = (
            f"{source} makes another model each time that it is loaded, or was changed meanwhile: run it again; a "
            "model may depend on its parameters only, not on chance, time or a Python set's order"
        )
        raise ModelError([Mistake(entry.place, text)])
    return model


def find_module(
    path: Path,
    config: Path | None = None,
    folders: Sequence[Path] = (),
    invariants: Sequence[str] = (),
    properties: Sequence[str] = (),
    given: Mapping[str, str] | None = None,
    readable: Path | None = None,
) -> Entry:
    """The protocol of a TLA+ module. Other processes are sent what was learned of its types.

    Args:
        path: the module's file.
        config: its configuration, if that is not beside it.
        folders: other folders with modules.
        invariants: the invariants to check in place of those of the configuration.
        properties: the properties to check beside the configuration's.
        given: TLA+ expressions for constants, in place of the configuration's.
        readable: the folder of files that its operators may read.

    Raises:
        ModelError: with all mistakes in the module.
        UserError: if a file cannot be read.
    """
    # Here, since protocols in Python need no parser of TLA+.
    from leadline.symbolic.tla.protocol import Source, protocol_of

    resolved = tuple(map(real_path, folders))
    named = tuple(invariants), tuple(properties), tuple((given or {}).items())
    below = real_path(readable) if readable else None
    files = Source(real_path(path), real_path(config) if config else None, resolved, *named, below)
    return keep_by_value(" ".join(map(str, filter(None, (path, config)))), *protocol_of(files))


def installed(name: str) -> Entry:
    """The built-in or installed protocol of that name: no file of the user's runs, whatever the name.

    Traces, certificates and stores may name no others.

    Raises:
        UserError: if there is none, with the nearest names.
    """
    module = name.replace("-", "_")
    if module in _built_in_modules():
        for entry in _built_in(module):
            if entry.name == name:
                return entry
    known, broken = _load()
    if name in known:
        return known[name]
    near = difflib.get_close_matches(name, known, n=1)
    repair = f"did you mean `{near[0]}`?" if near else f"there are {', '.join(known) or 'none installed'}"
    unknown = f"there is no protocol `{name}`: {repair} (or give the path of a Python file)"
    raise UserError("\n".join([unknown, *broken]))


def _load() -> tuple[dict[str, Entry], tuple[str, ...]]:
    found: dict[str, Entry] = {}
    for module in _built_in_modules():
        for entry in _built_in(module):
            if entry.name in found:
                raise InternalError(f"two built-in protocols are named {entry.name}")
            found[entry.name] = entry
    broken: list[str] = []
    for point in importlib.metadata.entry_points(group=GROUP):
        for offer in _of_entry_point(point):
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
    """The protocol of the module's name; other classes in it are its bases. Its errors are our bugs."""
    module = importlib.import_module(f"{ENCODINGS}.{name}")
    stated: list[ModuleType] = []
    if importlib.util.find_spec(f"{PROPERTIES}.{name}") is not None:
        stated.append(importlib.import_module(f"{PROPERTIES}.{name}"))
    claims = claims_in(module, *stated)
    wanted = name.replace("_", "-")
    found = [entry_of(x, claims, wanted) for x in protocols_in(module) if x.protocol_name == wanted]
    refuse_unattached(module, found, claims)
    return found


def _of_entry_point(point: importlib.metadata.EntryPoint) -> Iterator[Entry | str]:
    """The protocols of an entry point, or a sentence on its error."""
    try:
        with prints_apart():
            module = importlib.import_module(point.module)
        protocols = protocols_in(module)
        claims = claims_in(module)
        if not protocols:
            yield f"{_origin(point)} holds no protocol"
        found = [entry_of(protocol, claims, protocol.protocol_name) for protocol in protocols]
        refuse_unattached(module, found, claims)
        yield from found
    except (KeyboardInterrupt, MemoryError):
        raise
    except BaseException as error:
        text = str(error) if isinstance(error, UserError) else python_says(error)
        yield f"{_origin(point)} cannot be loaded: {text}"


def _origin(point: importlib.metadata.EntryPoint) -> str:
    package = point.dist.name if point.dist is not None else "a package"
    return f"the entry point {point.name} = {point.value} of {package}"
