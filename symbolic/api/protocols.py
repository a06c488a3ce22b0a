"""Protocols as the library takes them: a name, a path, a class, an instance, or one that is loaded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeAlias, TypedDict

from leadline.symbolic.catalog import Entry, entry_of_class, find, find_module, kept, model_of
from leadline.symbolic.lang import (
    Claim,
    Foreign,
    Model,
    ParameterError,
    Protocol,
    Setting,
    UserError,
    constant_text,
    parse_setting,
    setting_text,
    settings,
    unknown_name,
)
from leadline.symbolic.meaning.trace import title


@dataclass(frozen=True)
class LoadedProtocol:
    """A protocol with its properties, at given parameters. Printed, it is its name and its parameters.

    Attributes:
        entry: the protocol with its properties.
        settings: the parameters that differ from their defaults.
    """

    entry: Entry
    settings: Mapping[str, Setting]

    def __repr__(self) -> str:
        given = "".join(f", {name} = {setting_text(value)}" for name, value in self.settings.items())
        return f"<Protocol {self.name}{given}: {len(self.entry.claims)} properties>"

    @property
    def name(self) -> str:
        """The protocol's name, as on the command line."""
        return self.entry.name

    @property
    def doc(self) -> str:
        """The author's docstring."""
        return self.entry.doc

    @cached_property
    def model(self) -> Model:
        """The model: variables, initial states, actions and properties as data.

        Raises:
            UserError: if the parameters or the model have mistakes.
        """
        return model_of(self.entry, self.settings)

    @property
    def parameters(self) -> Mapping[str, Setting | None]:
        """The value of every parameter, by name; None for one that the protocol derives from others."""
        return dict(self.model.parameters)

    @property
    def properties(self) -> tuple[str, ...]:
        """The names of the properties that apply, strengthenings included."""
        return tuple(self.model.properties)

    def __str__(self) -> str:
        return title(self.model)

    def _repr_html_(self) -> str:
        # Here, since scripts need no HTML.
        from leadline.symbolic.api.html import protocol_html

        return protocol_html(self)


ProtocolLike: TypeAlias = str | Path | type[Protocol] | Protocol | LoadedProtocol
"""A protocol: a name from `leadline list`, the path of a Python file (with `:ClassName` if it holds several) or of
a TLA+ module, a class, an instance of one, which fixes its parameters, or what `load` returned."""


class OfModule(TypedDict, total=False):
    """The options of a TLA+ module, as `find_module` has them."""

    config: Path | None
    folders: Sequence[Path]
    invariants: Sequence[str]


def load(
    protocol: ProtocolLike,
    /,
    *,
    config: str | Path | None = None,
    folders: Iterable[str | Path] = (),
    invariants: Iterable[str] = (),
    **parameters: Setting,
) -> LoadedProtocol:
    """Find a protocol with its properties.

    A class need not be in a file: one of a notebook's cell, or made by `exec`, will do. Its properties are
    those in the modules of the class and of its methods. A path's file runs, so give only one that you trust.

    Args:
        protocol: a name, a path, a class, or an instance of one.
        config: of a TLA+ module: the path of its configuration; by default the file beside it, if there is one.
        folders: of a TLA+ module: other folders with modules.
        invariants: of a TLA+ module: the names of invariants to check in place of its configuration's.
        parameters: the values of parameters that differ from their defaults. Those of a TLA+ module are its
            constants: numbers, truth values, or TLA+ expressions as text, such as `Names="{a, b}"`. A constant
            to which no configuration gives a value is given one here.

    Raises:
        UserError: if there is no such protocol, or a parameter is unknown or out of range.
    """
    of_module: OfModule = {
        "config": None if config is None else Path(config),
        "folders": [Path(one) for one in folders],
        "invariants": [*invariants],
    }
    return loaded(protocol, parameters, of_module=of_module)


def loaded(
    protocol: ProtocolLike,
    parameters: Mapping[str, Setting],
    claims: Sequence[str | Claim] = (),
    constants: Mapping[str, object] | None = None,
    of_module: OfModule | None = None,
) -> LoadedProtocol:
    """The protocol with these parameters, and with further properties.

    Args:
        protocol: the protocol.
        parameters: the parameters.
        claims: the further properties; of a TLA+ module that is given by its path, names of its operators. Other
            names are passed over.
        constants: the constants with which a TLA+ module is read; None for the parameters.
        of_module: options of a TLA+ module.

    Raises:
        UserError: as `load`, or if a property is of another protocol.
    """
    made = parameters if constants is None else constants
    entry, fixed = _entry(protocol, made, [one for one in claims if isinstance(one, str)], of_module or {})
    more = [
        claim
        for claim in claims
        if isinstance(claim, Claim) and not any(claim is one for one in entry.claims)
    ]
    for claim in more:
        if not issubclass(entry.protocol, claim.protocol):
            about = f"the protocol of this class {entry.protocol.__name__}"
            raise UserError(f"the property {claim.name} (at {claim.span}) is not about {about}")
    if more:
        entry = entry_of_class(entry.protocol, [*entry.claims, *more])
    given = {**fixed, **parameters}
    if issubclass(entry.protocol, Foreign):
        given = {name: constant_text(value) for name, value in given.items()}
    settings(entry.protocol.parameters, given, entry.name)
    return LoadedProtocol(entry, given)


def _entry(
    protocol: ProtocolLike,
    constants: Mapping[str, object],
    named: Sequence[str],
    of_module: OfModule,
) -> tuple[Entry, Mapping[str, Setting]]:
    """The entry, and the parameters that are fixed already."""
    if isinstance(protocol, (str, Path)) and str(protocol).endswith(".tla"):
        given = {name: str(constant_text(value)) for name, value in constants.items()}
        return find_module(Path(protocol), properties=named, given=given, **of_module), {}
    for name, value in of_module.items():
        if value:
            raise UserError(
                f"{name} is for the path of a TLA+ module, and {protocol!r} is none: leave it out"
            )
    if isinstance(protocol, LoadedProtocol):
        return kept(protocol.entry), protocol.settings
    if isinstance(protocol, (str, Path)):
        return find(str(protocol)), {}
    if isinstance(protocol, Protocol):
        fixed = {name: value for name, value in protocol.settings.items() if value is not None}
        return entry_of_class(type(protocol)), fixed
    made: object = protocol
    if isinstance(made, type) and issubclass(made, Protocol):
        return entry_of_class(made), {}
    raise UserError(f"a protocol is needed, not {protocol!r}: give a name, a path, or a class")


def settings_of(entry: Entry, texts: Sequence[str]) -> dict[str, Setting]:
    """Parameters that are given as texts, NAME=VALUE, as by `-p`, read as the kinds that the protocol declares.

    Raises:
        ParameterError: with all the errors in them.
    """
    found: dict[str, Setting] = {}
    wrong: list[str] = []
    for text in texts:
        name, equals, value = text.partition("=")
        declared = entry.protocol.parameters.get(name)
        if not equals:
            wrong.append(f"-p {text}: write it as -p {text or 'name'}=value")
        elif declared is None:
            wrong.append(
                unknown_name(f"{entry.name} has no parameter", name, list(entry.protocol.parameters))
            )
        elif name in found:
            wrong.append(f"-p {name} is given twice")
        else:
            try:
                found[name] = parse_setting(declared, value)
            except ParameterError as error:
                wrong.append(str(error))
                continue
            complaint = declared.complaint(found[name])
            wrong += [complaint] if complaint else []
    if wrong:
        raise ParameterError("\n".join(dict.fromkeys(wrong)))
    return found
