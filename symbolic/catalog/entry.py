"""A protocol with its properties, before its parameters are known."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from types import ModuleType
from typing import TYPE_CHECKING

from leadline.symbolic.catalog.ineffective import ineffective_lines, unattached
from leadline.symbolic.lang import (
    Claim,
    Foreign,
    LeadlineError,
    Mistake,
    Model,
    ModelError,
    NoSymbolicForm,
    PropertyKind,
    Protocol,
    Setting,
    Span,
    UserError,
    build,
    mistake_of,
    start_of,
)

if TYPE_CHECKING:
    from leadline.symbolic.catalog.trial import Trial


@dataclass(frozen=True)
class Entry:
    """A protocol and its properties.

    Attributes:
        name: the protocol's name, as on the command line.
        protocol: its class.
        claims: its properties, names unique, in the order written, strengthenings last.
        source: the argument of `find` for this entry: the name, or the file's path and the class.
        trial: the process that tries a user's file, unless another process has tried it; else None.
    """

    name: str
    protocol: type[Protocol]
    claims: tuple[Claim, ...]
    source: str
    trial: Trial | None = field(default=None, compare=False, repr=False)

    @property
    def doc(self) -> str:
        """The author's docstring, or nothing."""
        return inspect.cleandoc(vars(self.protocol).get("__doc__") or "")

    @property
    def place(self) -> Span:
        """The line of the class's method `define`."""
        return start_of(self.protocol.define)


@contextmanager
def prints_apart() -> Iterator[None]:
    """Send the prints of a user's file to standard error: standard output is for answers."""
    with redirect_stdout(sys.stderr):
        yield


@prints_apart()
def model_of(
    entry: Entry, settings: Mapping[str, Setting], learned: Mapping[str, object] | None = None
) -> Model:
    """The model of an entry's protocol.

    Args:
        entry: the protocol with its claims.
        settings: the values of the parameters that differ from their defaults.
        learned: what was learned when the model was made before, if anything: see `Origin.learned`.

    Raises:
        ParameterError: if a parameter is unknown or out of range.
        AssumptionFailed: if the protocol's assumptions on its parameters are false.
        UserError: if nothing can be learned of the protocol, or not this.
        ModelError: with every mistake in the model, or if the protocol's trial builds another one.
    """
    if entry.trial is None:
        return _built(entry, settings, learned)
    there = entry.trial.fingerprint(entry.protocol.__name__, settings)
    try:
        model = _built(entry, settings, learned)
    except MemoryError as error:
        raise ModelError([mistake_of(error, entry.protocol.define)]) from error
    if there != model.fingerprint:
        # Here, since only a file has a trial.
        from leadline.symbolic.catalog.trial import unstable_model

        raise unstable_model(entry.place)
    return model


def model_on_values(entry: Entry, settings: Mapping[str, Setting]) -> Model:
    """The model for exploration on values, which of a specification in another language asks for less.

    The arguments and errors are those of `model_of`.
    """
    if issubclass(entry.protocol, Foreign):
        return entry.protocol(**settings).outline()
    return model_of(entry, settings)


def model_or_outline(entry: Entry, settings: Mapping[str, Setting]) -> Model:
    """The model; of a specification that has no symbolic form, the one for exploration on values: it is `alone`.

    The arguments and errors are those of `model_of`.
    """
    try:
        return model_of(entry, settings)
    except NoSymbolicForm:
        return model_on_values(entry, settings)


def _built(entry: Entry, settings: Mapping[str, Setting], learned: Mapping[str, object] | None) -> Model:
    try:
        protocol = entry.protocol(**settings)
    except (LeadlineError, MemoryError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise ModelError([mistake_of(error, entry.protocol.assume)]) from error
    if learned:
        if not isinstance(protocol, Foreign):
            raise UserError(f"learned: nothing is learned of {entry.name}, which is a protocol in Python")
        protocol.learn(learned)
    return build(protocol, entry.claims)


def is_protocol(thing: object) -> bool:
    """Whether an object is a protocol to offer, which bases without `define` and private classes are not."""
    return (
        isinstance(thing, type)
        and issubclass(thing, Protocol)
        and thing.define is not Protocol.define
        and not inspect.isabstract(thing)
        and not thing.__name__.startswith("_")
    )


def protocols_in(module: ModuleType) -> list[type[Protocol]]:
    """The protocols that a module offers: those that it defines or, if there are none, those that it imports.

    A file may thus state new properties of a protocol that is defined elsewhere.
    """
    found = list(dict.fromkeys(x for x in vars(module).values() if is_protocol(x)))
    package = f"{module.__name__}." if hasattr(module, "__path__") else None
    own = [
        x for x in found if x.__module__ == module.__name__ or (package and x.__module__.startswith(package))
    ]
    return own or found


def claims_in(*modules: ModuleType) -> list[Claim]:
    """The claims that the modules hold, each once."""
    held = [x for module in modules for x in vars(module).values() if isinstance(x, Claim)]
    return list({id(claim): claim for claim in held}.values())


def entry_of(protocol: type[Protocol], claims: Iterable[Claim], source: str) -> Entry:
    """The entry of a protocol, with those of the claims that are about it.

    Raises:
        ModelError: if two of them have one name.
    """
    own: dict[str, Claim] = {}
    for claim in claims:
        if not issubclass(protocol, claim.protocol):
            continue
        if claim.name in own:
            first, second = sorted((own[claim.name].span, claim.span))
            text = f"{protocol.protocol_name} has two properties named {claim.name}"
            raise ModelError([Mistake(second, f"{text}: {first} and {second}; rename one")])
        own[claim.name] = claim
    means = PropertyKind.STRENGTHENING
    ordered = sorted(own.values(), key=lambda claim: claim.kind is means)
    return Entry(protocol.protocol_name, protocol, tuple(ordered), source)


def refuse_unattached(module: ModuleType, offered: Sequence[Entry], claims: Sequence[Claim]) -> None:
    """Refuse a module with declarations or lines that have no effect.

    Raises:
        ModelError: with all of them, and the mistakes of the models at their default parameters.
    """
    protocols = [entry.protocol for entry in offered]
    unused = ineffective_lines(protocols, claims)
    told = unattached(module, protocols, claims)
    if not told and not unused:
        return
    for entry in offered:
        try:
            model_of(entry, {})
        except ModelError as error:
            told += error.mistakes
        except UserError:
            continue  # It is reported once the model can be read.
    places = {mistake.span for mistake in told}
    raise ModelError([*told, *(mistake for mistake in unused if mistake.span not in places)])
