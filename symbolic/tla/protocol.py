"""A TLA+ module as a protocol: its constants are the parameters, and its model comes from the module."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from leadline.erasing import to_standard_error
from leadline.symbolic.files import is_there
from leadline.symbolic.lang import (
    Claim,
    Foreign,
    Model,
    NoBehaviour,
    Parameter,
    PropertyKind,
    Type,
    UserError,
)
from leadline.symbolic.tla.lower import shapes
from leadline.symbolic.tla.origin import TlaOrigin
from leadline.symbolic.tla.outline import outlined, telling_lack
from leadline.symbolic.tla.read import syntax as s
from leadline.symbolic.tla.read.config import read_config
from leadline.symbolic.tla.read.specification import Specification, leveled, load
from leadline.symbolic.tla.values.behaviour import require_behaviour
from leadline.symbolic.tla.values.interpreter import Interpreter
from leadline.symbolic.tla.values.operators import printing
from leadline.symbolic.tla.values.values import tla_text

SYMMETRY_REMARK = (
    "SYMMETRY: only exploration relies on it; here model values are interchangeable where the module "
    "treats them alike"
)
ENVIRONMENT_REMARK = (
    "IOEnv: no variable of the environment is read, so that the module has its defaults; TLC reads them"
)


@dataclass(frozen=True)
class Source:
    """The files of a specification.

    Attributes:
        path: the module's file.
        config: its configuration; the file beside it with the suffix .cfg if there is none.
        folders: other folders with modules.
        invariants: the invariants to check in place of the configuration's, by name.
        properties: the properties to check beside the configuration's, by name.
        given: TLA+ expressions for constants, in place of the configuration's.
        readable: the folder of files that operators of Json and IOUtils may read; None if they may read none.
    """

    path: Path
    config: Path | None = None
    folders: tuple[Path, ...] = ()
    invariants: tuple[str, ...] = ()
    properties: tuple[str, ...] = ()
    given: tuple[tuple[str, str], ...] = ()
    readable: Path | None = None

    def load(self, values: Mapping[str, str]) -> Specification:
        """Read the specification.

        Args:
            values: TLA+ expressions for constants, in place of those given.

        Raises:
            ModelError: with all mistakes.
            UserError: if a file cannot be read.
        """
        beside = self.path.with_suffix(".cfg")
        file = self.config or (beside if is_there(beside) else None)
        config = read_config(file) if file is not None else None
        given = {**dict(self.given), **values}
        loaded = load(self.path, config, self.folders, given, self.invariants, self.properties)
        return replace(loaded, readable=self.readable)


class TlaProtocol(Foreign):
    """The base of the classes that stand for TLA+ modules."""

    source: ClassVar[Source]
    learned: ClassVar[dict[tuple[tuple[str, object], ...], dict[str, Type]]]
    """The types of variables, for the values of constants that differ from their defaults."""
    known: Mapping[str, Type] = {}
    """The types that another process has learned; none if this one is to learn them."""

    def _changed(self) -> dict[str, object]:
        """The values of constants that differ from their defaults."""
        declared = type(self).parameters
        return {name: x for name, x in self.settings.items() if x != declared[name].default}

    def learn(self, learned: Mapping[str, object]) -> None:
        self.known = {name: shapes.of_data(kind, f"learned.{name}") for name, kind in learned.items()}

    def _specification(self) -> Specification:
        """The specification at these constants.

        Raises:
            NoBehaviour: if there is nothing to it but assumptions, which are true.
        """
        specification = self.source.load({name: str(x) for name, x in self._changed().items()})
        if specification.init is None and specification.next is None and specification.assumptions:
            with printing(to_standard_error):
                Interpreter(specification).assume()
            raise NoBehaviour(specification.file, specification.name, len(specification.assumptions))
        return specification

    def outline(self) -> Model:
        specification = self._specification()
        values = {one.name: str(one.default) for one in _parameters(specification)}
        return outlined(specification, values)

    def model(self) -> Model:
        changed = self._changed()
        specification = leveled(self._specification())
        require_behaviour(specification)
        types = {**self.known} or self.learned.setdefault(tuple(sorted(changed.items())), {})
        if types and types.keys() != {*specification.variables}:
            raise UserError(
                f"{specification.name} has other variables than those whose types were learned: it has changed "
                "since, so prove it again"
            )
        origin = TlaOrigin(specification, types)
        origin.interpreter.assume()
        with telling_lack(specification.file):
            return replace(origin.model(), parameters=dict(self.settings))


def protocol_of(source: Source) -> tuple[type[TlaProtocol], list[Claim]]:
    """The class that stands for a module, with its invariants and properties.

    Raises:
        ModelError: with all mistakes.
        UserError: if a file cannot be read.
    """
    specification = source.load({})
    parameters = {one.name: one for one in _parameters(specification)}
    body = {**parameters, "source": source, "learned": {}, "deadlock": specification.deadlock}
    remarks = (
        (SYMMETRY_REMARK, specification.symmetry),
        ("VIEW: only exploration uses it; here every state counts", specification.view),
    )
    body |= {"remarks": tuple(text for text, used in remarks if used)}
    reads = any("IOEnv" in s.operators(one.body) for one in specification.definitions.values())
    told = [ENVIRONMENT_REMARK] if reads else []
    body |= {"warnings": (*map(str, specification.warnings), *told)}
    body |= {"protocol_name": specification.name, "__module__": "__main__"}
    body |= {"define": lambda self, state: None}  # the module declares the variables
    made = type(specification.name, (TlaProtocol,), body)
    claims = [
        _claim(made, name, specification.place_of(name), kind)
        for kind, formulas in (
            (PropertyKind.INVARIANT, specification.invariants),
            (PropertyKind.TEMPORAL, specification.properties),
        )
        for name, one in formulas.items()
    ]
    return made, claims


def _parameters(specification: Specification) -> Iterator[Parameter]:
    for name, value in Interpreter(specification).constants().items():
        text = tla_text(value)
        if text != name:  # A model value of its own name says nothing.
            yield Parameter(text, None, None, (), "a constant of the module", name)


def _claim(protocol: type[TlaProtocol], name: str, place: s.Place, kind: PropertyKind) -> Claim:
    def stated(*_: object) -> bool:
        raise NotImplementedError

    return Claim(name, name, kind, protocol, stated, lambda _: True, "", place)
