"""One query of a grid: a value that can travel to any machine, with an id made of all that it asks."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from functools import cache, cached_property

import leadline
from leadline.symbolic.engines import ENGINES, Limits, Options, Query
from leadline.symbolic.lang import Setting, counted, setting_text
from leadline.symbolic.trace import DEADLOCK

Settings = tuple[tuple[str, Setting], ...]
"""The parameters that a grid sets, in its order, with their values at one point."""

ParameterValues = Mapping[str, Setting | None]
"""The value of every parameter at one point, by name."""

LEFT_OUT: Mapping[str, str] = {
    "source": "the place of the protocol's file; its contents are in the fingerprint",
    "settings": "`parameters` has them and all others",
    "limits": "an answer holds whatever they were; `Row.settles` tells whether an unknown stands",
}
"""The fields of a query, and of the question in it, that its id leaves out, each with the reason."""


def point_text(values: ParameterValues, empty: str = "") -> str:
    """A point for a person, without parameters that have no value.

    >>> point_text({"replicas": 2, "fast": True, "bound": None})
    'replicas = 2, fast = true'
    """
    told = (f"{name} = {setting_text(value)}" for name, value in values.items() if value is not None)
    return ", ".join(told) or empty


def setting_order(value: Setting | None) -> tuple[int, float, str]:
    """A key that sorts the values of a parameter: none, Booleans, integers, texts."""
    if value is None or isinstance(value, str):
        return (0, 0, "") if value is None else (3, 0, value)
    return (1 if isinstance(value, bool) else 2), value, ""


def layers_text(number: int, unroll: str | None) -> str:
    """A number of layers of an unrolling, in words.

    >>> layers_text(2, None)
    '2 layers'
    """
    return counted(number, (unroll or "layers").removesuffix("s"))


def question_text(
    engine: str, part: str | None, depth: int | None, unroll: str | None, parts: int = 1
) -> str:
    """The question about a property in words: the part of a proof, the layers to look ahead, or the engine.

    >>> question_text("engine", None, None, None), question_text("engine", None, 9, None, 4)
    ('engine', 'engine, 9 layers, in 4 parts')
    """
    if depth is None:
        return part or engine
    layers = layers_text(depth, unroll)
    cut = f", {part}" if part else f", in {parts} parts" if parts > 1 else ""
    return (f"{engine}, {layers}" if unroll is None else layers) + cut


def parameters_json(parameters: ParameterValues) -> str:
    """Parameters as canonical JSON: by name, without spaces.

    >>> parameters_json({"replicas": 2, "fast": True})
    '{"fast":true,"replicas":2}'
    """
    return json.dumps(parameters, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def options_json(options: Options) -> str:
    """The options of an engine as canonical JSON, without places on this machine."""
    places = {one.name for one in fields(options) if one.metadata.get("place")}
    told = {name: value for name, value in asdict(options).items() if name not in places}
    return json.dumps(told, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


@cache
def read_options(engine: str, text: str) -> Options:
    """The options that `options_json` wrote.

    Raises:
        ValueError: if there is no such engine, or these are not its options.
    """
    try:
        return ENGINES[engine].options.from_json(json.loads(text))
    except (KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"{text} are no options of an engine {engine!r}") from error


@dataclass(frozen=True)
class GridQuery:
    """One question about one property of one protocol, or about one log, at one point of the parameters.

    Attributes:
        protocol: the protocol's name.
        parameters: all parameters, as `parameters_json` writes them.
        kind: the property's kind: "invariant", "probe", "deadlock" or "log".
        query: the question as an engine takes it: about one property, or about deadlocks alone.
        limits: the most that the query may use.
        fingerprint: the model's.
    """

    protocol: str
    parameters: str
    kind: str
    query: Query
    limits: Limits
    fingerprint: str

    def __hash__(self) -> int:
        return hash(self.id)

    @cached_property
    def source(self) -> str:
        """The protocol as the catalog finds it: its name, or the absolute path of its file."""
        return self.query.source

    @cached_property
    def settings(self) -> Settings:
        """The parameters that the grid file sets."""
        return tuple(self.query.settings.items())

    @cached_property
    def property(self) -> str:
        """The property's name, "deadlock", or the subject of a question that is about no property."""
        subject = self.query.options.subject
        if subject is not None:
            return subject
        return DEADLOCK if self.query.deadlock else (self.query.properties or ("",))[0]

    @cached_property
    def engine(self) -> str:
        """The engine's name."""
        return self.query.engine

    @cached_property
    def options(self) -> str:
        """The engine's options, as `options_json` writes them."""
        return options_json(self.query.options)

    @cached_property
    def solver(self) -> str:
        """The solver's name; "" for an engine that takes none."""
        return self.query.solver if ENGINES[self.engine].takes_solver else ""

    @cached_property
    def seed(self) -> int:
        """The seed of random choices, 0 or more."""
        return self.query.seed

    @cached_property
    def depth(self) -> int | None:
        """The layers to look ahead; None if the engine has none."""
        return getattr(self.query.options, "depth", None)

    @cached_property
    def unroll(self) -> str | None:
        """The content of a layer; None if the engine has none."""
        return getattr(self.query.options, "unroll", None)

    @cached_property
    def obligation(self) -> str | None:
        """The part that is asked for, such as an obligation of a proof; None for all of the question."""
        return self.query.options.part

    @cached_property
    def question(self) -> str:
        """The question about the property, in words."""
        options = self.query.options
        told = question_text(self.engine, self.obligation, self.depth, self.unroll, options.parts)
        return options.wording or told

    @cached_property
    def id(self) -> str:
        """A hash of the question, the model and the version of Leadline; see `LEFT_OUT`."""
        return question_id({name: getattr(self, name) for name in ASKED}, leadline.__version__)


ASKED = (
    *("protocol", "parameters", "property", "kind", "engine", "options", "solver", "seed"),
    "fingerprint",
)
"""The parts of a query that its id is made of."""


def question_id(asked: Mapping[str, object], leadline_version: str) -> str:
    """The id of a query.

    Args:
        asked: the values of the fields `ASKED`.
        leadline_version: the version of Leadline that answers.
    """
    text = json.dumps({**asked, "leadline": leadline_version}, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:40]
