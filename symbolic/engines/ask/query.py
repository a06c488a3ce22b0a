"""Queries: questions to engines, as names and numbers that can be sent to another process.

A question that no machine can hold is refused before it is begun.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, replace
from math import log10, prod
from pathlib import Path
from typing import Any, ClassVar, Self, TypeVar

from leadline.erasing import to_standard_error
from leadline.symbolic.engines.ask.result import (
    EngineFacts,
    JsonObject,
    Part,
    Progress,
    Result,
    Verdict,
    without_defaults,
)
from leadline.symbolic.lang import Model, Property, Setting, UserError
from leadline.symbolic.lang.nodes import BINDERS, Bound, MapBuild, Node, Universe, free_variables, postorder
from leadline.symbolic.solve import DEFAULT, SOLVERS
from leadline.symbolic.trace import DEADLOCK

AUTO = "auto"
"""The solver of a query that leaves the choice to the engines."""


def option(
    default: object = MISSING, *, doc: str = "", metavar: str = "", low: int = 0, **more: object
) -> Any:
    """A field of an engine's options that users may set.

    Args:
        default: its default.
        doc: a line of help for the command line.
        metavar: the name of its value there.
        low: the least value of an integer.
        more: `choices`, the values of a text, and `noun`, the word for one of them; `negated`, the name of
            the switch that makes a true flag false; `flag`, its name on the command line; `grid`, whether
            grid files may set it; `most`, the largest integer there; `place`, whether it only says where
            something lies on this machine, so that ids and rows leave it out.
    """
    return field(default=default, metadata={"doc": doc, "metavar": metavar, "low": low, **more})


def _frozen(value: object) -> object:
    """A JSON value with tuples in place of lists."""
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


@dataclass(frozen=True)
class Options:
    """An engine's own options: a frozen dataclass of JSON values, its fields made by `option`."""

    engine: ClassVar[str]
    """The engine's name."""

    @classmethod
    def chosen(cls, given: Mapping[str, object]) -> Self:
        """The options for the values that a user gave; None stands for a value left out."""
        return cls(**{name: value for name, value in given.items() if value is not None})

    @classmethod
    def from_json(cls, data: JsonObject) -> Self:
        """The options of a JSON object that `asdict` made."""
        return cls(**{name: _frozen(value) for name, value in data.items()})

    @property
    def subject(self) -> str | None:
        """The subject of a question that is about no property of the model; None if it is about one."""
        return None

    @property
    def wording(self) -> str | None:
        """The question in words, if its engine, depth and part do not tell it."""
        return None

    @property
    def part(self) -> str | None:
        """The part of a question that a query with these options is about; None if it is about all parts."""
        return None

    @property
    def whole(self) -> Options | None:
        """The options of the question that this is a part of, if the verdicts of its parts answer it."""
        return None

    @property
    def parts(self) -> int:
        """The number of parts into which that question is cut."""
        return 1

    @property
    def shortens(self) -> bool:
        """Whether a shorter counterexample is looked for after one is told."""
        return False

    def contents(self) -> tuple[bytes, ...]:
        """The contents of the files that the question is about, which come along to other machines."""
        return ()

    def received(self, contents: Sequence[bytes], folder: Path) -> Self:
        """The same options about such files that are written into a folder."""
        return self

    def has_changed(self) -> bool:
        """Whether the files that the question is about have other contents by now."""
        return False

    def beside(self) -> Self:
        """The options for a second solver that works at the same time as a first one."""
        return self

    def narrowly(self, refuted: int, *, ends: bool) -> Self | None:
        """The options for a model whose types were learned; None if the same is asked of each model.

        Args:
            refuted: the steps within which no run is bad or leaves the types of models asked before; -1 for none.
            ends: whether the first run that leaves the types ends the search.
        """
        return None

    def knowing(self, facts: EngineFacts | None) -> Self:
        """The options for a model with wider types.

        Args:
            facts: those of the answer about narrower types; None if it had none.
        """
        return self

    def patient(self, questions: int) -> Self:
        """The options with a limit on the questions to solvers, 0 for none, if the engine counts them."""
        return self

    def to_json(self) -> dict[str, object]:
        """The options that differ from their defaults, as a JSON object."""
        return without_defaults(self)


OptionsT = TypeVar("OptionsT", bound=Options)


@dataclass(frozen=True)
class Query:
    """A question about properties of one protocol at given parameters.

    Attributes:
        source: the protocol as the catalog finds it: its name or path.
        settings: the parameters that differ from their defaults.
        properties: the names of the properties; None for all. With () the query can still ask for deadlocks.
        options: the engine's options; their class decides the engine.
        solver: the solver's name, or "auto"; an engine that takes none ignores it.
        seed: the random seed of the solver or engine; 0 for a solver that takes none.
        deadlock: whether to ask for deadlocks.
    """

    source: str
    settings: Mapping[str, Setting]
    properties: tuple[str, ...] | None
    options: Options
    solver: str = DEFAULT
    seed: int = 0
    deadlock: bool = False

    @property
    def engine(self) -> str:
        """The engine's name."""
        return self.options.engine

    def options_as(self, kind: type[OptionsT]) -> OptionsT:
        """The options, which are of this class."""
        assert isinstance(self.options, kind)
        return self.options

    def by(self, solver: str) -> Query:
        """The same query for a solver, with its seed if the solver takes one."""
        return replace(self, solver=solver, seed=self.seed if SOLVERS[solver].takes_seed else 0)

    def chosen(self, model: Model) -> tuple[Property, ...]:
        """The properties of a model that are asked for.

        Raises:
            UserError: if the model has no property of a name.
        """
        return () if self.properties == () else model.choose_properties(self.properties or ())

    def names(self, model: Model) -> tuple[str, ...]:
        """The names of these properties, the deadlock's last if it is asked for."""
        return (*(one.name for one in self.chosen(model)), *([DEADLOCK] if self.deadlock else []))


@dataclass(frozen=True)
class Listener:
    """Functions that follow a search.

    Attributes:
        progress: called whenever the search is further.
        told: called with a result whenever a property's verdict gets worse; the last one is valid.
        done: called with a result that will not change.
        idle: called about every second while processes are waited for.
        printed: called with each text that a module prints.
    """

    progress: Callable[[Progress], None] = lambda _: None
    told: Callable[[Result], None] = lambda _: None
    done: Callable[[Result], None] = lambda _: None
    idle: Callable[[], None] = lambda: None
    printed: Callable[[str], None] = to_standard_error


SILENT = Listener()
"""Ignores everything."""


class Ledger:
    """The results so far of one query, by all its solvers; the listener hears of each once.

    Args:
        listener: is told of progress and results.

    Attributes:
        known: the last result told of each part that is not final.
        final: the results that will not change.
        depth: the deepest layer told.
    """

    def __init__(self, listener: Listener) -> None:
        self.listener = listener
        self.known: dict[Part, Result] = {}
        self.final: dict[Part, Result] = {}
        self.depth = -1

    def is_news(self, about: Part, verdict: Verdict) -> bool:
        """Whether a verdict is worse than the last one told."""
        known = self.known.get(about)
        return verdict > (known.verdict if known is not None else Verdict.UNKNOWN)

    def told(self, result: Result) -> None:
        """Record a result that may still get worse."""
        if self.is_news(result.about, result.verdict):
            self.known[result.about] = result
            self.listener.told(result)

    def done(self, result: Result) -> None:
        """Record a result that will not change, unless another solver's is definite in its place, or shorter."""
        known = self.final.get(result.about)
        if known is None or (result.definite and not known.definite) or result.is_shorter(known):
            self.final[result.about] = result
            self.listener.done(result)

    def settled(self, part: Part) -> bool:
        """Whether a part has a definite answer that will not change."""
        return part in self.final and self.final[part].definite

    def progress(self, now: Progress) -> None:
        """Record progress; of two searches that race, that of the deeper one."""
        if now.depth > self.depth or now.text:
            self.depth = max(self.depth, now.depth)
            self.listener.progress(now)


MOST_INSTANCES = 50_000_000
"""The most instances of subexpressions that one property, or all actions together, may have."""


def instances(roots: Iterable[Node]) -> int:
    """The number of times that the subexpressions of formulas are evaluated in one state, at the least.

    A subexpression is evaluated once for each value of the quantified variables that occur in it. Only
    quantifiers over whole sorts and types count: how many members other sets have is not known before.
    """
    nodes = postorder(*roots)
    sizes: dict[Bound, int] = {}
    for node in nodes:
        if isinstance(node, BINDERS):
            whole = isinstance(node, MapBuild) or isinstance(node.domain, Universe)
            size = node.var.type.cardinality if whole else 1
            sizes[node.var] = min(size, sizes.get(node.var, size))
    return sum(prod(sizes.get(one, 1) for one in free_variables(node)) for node in nodes)


def in_digits(number: int) -> str:
    """A number as text; of a large one, only how large it is.

    >>> in_digits(1_234), in_digits(10**5_000 + 1)
    ('1,234', 'over 10^5000')
    """
    return f"{number:,}" if number < 10**12 else f"over 10^{int(log10(number))}"


def too_large(model: Model, query: Query) -> Iterator[tuple[str | None, str]]:
    """The properties, by name, whose quantifiers have more instances than can be asked, each with the reason.

    The actions may have too many as well. They come first then, with None in place of a name.
    """
    asked = [(one.name, f"{one.name} ({one.span})", one.nodes) for one in query.chosen(model)]
    steps = [node for one in (model.init, *model.actions) for node in one.roots]
    for name, what, nodes in ((None, "the actions", steps), *asked):
        found = instances(nodes)
        if found > MOST_INSTANCES:
            yield (
                name,
                f"the quantifiers of {what} have {in_digits(found)} instances in each state, and at most "
                f"{MOST_INSTANCES:,} can be asked",
            )


def refuse_too_large(model: Model, query: Query) -> None:
    """Refuse a query whose quantifiers have more instances than can be asked.

    Raises:
        UserError: if so, with the place.
    """
    for _, why in too_large(model, query):
        raise UserError(
            f"{model.protocol}: at these parameters {why}: choose smaller parameters, or other properties"
        )
