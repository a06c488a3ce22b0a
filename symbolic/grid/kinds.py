"""The kinds of a grid's queries: how a grid asks each engine, and what the answers make pointless.

A new engine that grids can ask is a line in `KINDS`, and a class if it is asked in a way of its own.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from leadline.symbolic.engines import ENGINES, Options
from leadline.symbolic.engines.ask.result import LOG
from leadline.symbolic.lang import Model, PropertyKind

if TYPE_CHECKING:
    from leadline.symbolic.grid.rows import Row


@dataclass(frozen=True)
class QueryKind:
    """A kind of query: how a grid asks an engine.

    Attributes:
        name: its name in a grid file.
        engine: the name of the engine.
        proves: whether definite answers hold at every depth.
        certifies: whether each proof is one result with a certificate.
        refused: why it is not asked about some kinds of properties; None if it is asked about all.
        of_logs: whether it asks about logs in place of properties.
    """

    name: str
    engine: str
    proves: bool = True
    certifies: bool = False
    refused: str | None = None
    of_logs: bool = False

    @property
    def axes(self) -> tuple[str, ...]:
        """The options that a grid file may set."""
        return tuple(one.name for one in fields(ENGINES[self.engine].options) if one.metadata.get("grid"))

    def refuses(self, kind: str) -> str | None:
        """The reason why a grid may not ask about a property of this kind, or None."""
        proved = [one for one in PropertyKind if one.about_runs or one is PropertyKind.INVARIANT]
        return None if kind in proved else self.refused

    def parts(self, model: Model, goal: str) -> tuple[str, ...]:
        """The names of the parts of a proof that a grid asks for one by one; () if it asks for all."""
        return ()

    def questions(self, values: Mapping[str, Sequence[Any]], parts: Sequence[str]) -> Iterator[Options]:
        """The options of a grid's queries about one property.

        Args:
            values: for each of the `axes` the values that the grid lists.
            parts: the `parts` of the property's proof.
        """
        axes = self.axes
        for chosen in itertools.product(*(values[name] for name in axes)):
            yield ENGINES[self.engine].options(**dict(zip(axes, chosen, strict=True)))

    def clash(self, values: Mapping[str, Sequence[Any]]) -> tuple[str, str] | None:
        """One of the `axes` whose values contradict those of others, and the message; or None."""
        return None

    def cut(self, model: Callable[[], Model], goal: str, options: Options) -> Sequence[Options]:
        """The options of each query into which a grid divides one question.

        Args:
            model: makes the model.
            goal: the property's name, or "deadlock".
            options: the options of the query.
        """
        return (options,)

    def pointless(self, options: Options, found: Row) -> bool:
        """Whether the row of a counterexample implies the answer to a query about the same property."""
        return True


class Bounded(QueryKind):
    """Bounded checks, by depth, unrolling and number of parts."""

    def clash(self, values: Mapping[str, Sequence[Any]]) -> tuple[str, str] | None:
        from leadline.symbolic.engines.bounded.bmc import SWEEPS

        if max(values["split"]) == 1 or SWEEPS not in values["unroll"]:
            return None
        return "split", "only steps are cut into parts: ask sweeps in a table of their own, without split"

    def cut(self, model: Callable[[], Model], goal: str, options: Options) -> Sequence[Options]:
        from leadline.symbolic.engines.bounded.bmc import BmcOptions, cuts

        assert isinstance(options, BmcOptions)
        return (options,) if options.split == 1 else cuts(model(), goal, options)

    def pointless(self, options: Options, found: Row) -> bool:
        """Whether the query would find a violation too.

        A violation of s steps is found within s steps and, since k sweeps cover k steps, within s sweeps. If
        k sweeps found it, another solver finds it within k sweeps.
        """
        from leadline.symbolic.engines.bounded.bmc import SWEEPS, BmcOptions

        assert isinstance(options, BmcOptions) and found.steps is not None
        if options.depth >= found.steps:
            return True
        return options.unroll == found.unroll == SWEEPS and options.depth > found.depth


class Exploring(QueryKind):
    """Explorations that prove, with the notes that a page shows."""

    def questions(self, values: Mapping[str, Sequence[Any]], parts: Sequence[str]) -> Iterator[Options]:
        from leadline.symbolic.engines.explore.explore import ExploreOptions

        yield ExploreOptions(prove=True, vacuity=True, notes=True)


class ByObligation(QueryKind):
    """Inductive proofs, a query for each obligation."""

    def refuses(self, kind: str) -> str | None:
        return None if kind == PropertyKind.INVARIANT else self.refused

    def parts(self, model: Model, goal: str) -> tuple[str, ...]:
        from leadline.symbolic.engines.prove.induction.obligation import obligations

        return tuple(one.name for one in obligations(model, goal))

    def questions(self, values: Mapping[str, Sequence[Any]], parts: Sequence[str]) -> Iterator[Options]:
        from leadline.symbolic.engines.prove.induction import InductionOptions

        for part in parts:
            yield InductionOptions((part,))


class OfLogs(QueryKind):
    """Questions about logs, each with its map."""

    @property
    def axes(self) -> tuple[str, ...]:
        return ("logs", "map", *super().axes)

    def refuses(self, kind: str) -> str | None:
        return None if kind == LOG else self.refused

    def clash(self, values: Mapping[str, Sequence[Any]]) -> tuple[str, str] | None:
        if values["logs"]:
            return None
        return "logs", 'is missing: write logs = "FOLDER", a folder with logs'

    def questions(self, values: Mapping[str, Sequence[Any]], parts: Sequence[str]) -> Iterator[Options]:
        for log, hidden, by in itertools.product(values["logs"], values["hidden"], values["by"]):
            yield replace(log, hidden=hidden, by=by)

    def cut(self, model: Callable[[], Model], goal: str, options: Options) -> Sequence[Options]:
        """The same options.

        Raises:
            UserError: if the map does not fit the model.
        """
        from leadline.symbolic.conform.engine import ConformOptions

        assert isinstance(options, ConformOptions)
        if options.map and not (made := model()).alone:
            options.check_map(made)
        return (options,)


KINDS: Mapping[str, QueryKind] = {
    one.name: one
    for one in (
        Bounded("bounded", "bmc", proves=False),
        Exploring("explore", "explore"),
        ByObligation("induction", "induction", refused="only invariants are proved"),
        QueryKind("pdr", "pdr", certifies=True, refused="only invariants and claims about runs are proved"),
        OfLogs("conform", "conform", refused="logs are asked about, and no properties", of_logs=True),
    )
}
"""The kinds by name; the first is the default. Engines are loaded when a grid asks them."""

BY_ENGINE: Mapping[str, QueryKind] = {one.engine: one for one in KINDS.values()}
"""The kinds by the names of their engines."""

PROVING = frozenset(one.engine for one in KINDS.values() if one.proves)
"""The engines whose definite answers hold at every depth."""

CERTIFYING = frozenset(one.engine for one in KINDS.values() if one.certifies)
"""The engines each of whose proofs is one result with a certificate."""
