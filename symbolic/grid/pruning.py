"""Pruning: a query is moot (pointless to ask) if another query's answer implies its answer.

- **A violation** makes queries about the same goal moot, for any solver and seed, if their kind says so
  (`Kind.pointless`): a bounded check that looks as far, and every proof. A shallower check may still be
  safe, so it is asked. A proof with an obligation that fails makes nothing moot: the property may still hold.
- **A proof** makes all queries about the same goal moot whose engine proves nothing. All parts of the proof
  must hold, by any solvers. A grid that asks for a proof asks for every part of it; where it asks for none,
  answers of other grids are no proof, since they may lack a part.

An answer "unknown", "safe" or "out-of-bounds" makes nothing moot: the shallower of two safe queries shows how
the effort grows with the depth. A probe is a property like others: reached is violated.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from leadline.symbolic.engines import Verdict
from leadline.symbolic.engines.ask.result import LOG, said
from leadline.symbolic.grid.cells import Goal
from leadline.symbolic.grid.kinds import BY_ENGINE, PROVING
from leadline.symbolic.grid.query import GridQuery
from leadline.symbolic.grid.rows import VIOLATED, Row
from leadline.symbolic.lang import counted

_PROVED = str(Verdict.PROVED)

ProofPart = tuple[str, str | None]
"""A part of a proof: its engine, and its name or None for all of the proof."""


@dataclass(frozen=True)
class Moot:
    """Why a query is moot.

    Attributes:
        by: the id of the query whose answer makes it so.
        reason: the same in words.
    """

    by: str
    reason: str


@dataclass
class _GoalState:
    """The queries about a goal that are not settled, and the parts of its proofs that hold.

    Attributes:
        open: the queries that are not settled, by their ids.
        parts: the part of a proof that each query asks for, by its id.
        proved: the parts that hold.
    """

    open: dict[str, GridQuery] = field(default_factory=dict)
    parts: dict[str, ProofPart] = field(default_factory=dict)
    proved: set[ProofPart] = field(default_factory=set)


class Pruning:
    """Learns answers, and tells which queries they make moot.

    Args:
        queries: all queries of the grid, also those that are answered already.
    """

    def __init__(self, queries: Iterable[GridQuery]) -> None:
        self._known: dict[Goal, _GoalState] = {}
        for query in queries:
            known = self._known.setdefault(Goal.of(query), _GoalState())
            known.open[query.id] = query
            if query.engine in PROVING:
                known.parts[query.id] = query.engine, query.obligation

    def learn(self, row: Row) -> Mapping[str, Moot]:
        """Take in a row.

        Returns:
            The queries that become moot, by their ids. A query that is answered itself is never moot.
        """
        known = self._known.get(Goal.of(row))
        if known is None:
            return {}
        known.open.pop(row.query, None)
        if row.verdict == VIOLATED:
            moot = {
                query.id: _violated(row, query)
                for query in known.open.values()
                if BY_ENGINE[query.engine].pointless(query.query.options, row)
            }
        elif row.verdict == _PROVED and row.query in known.parts:
            known.proved.add(known.parts[row.query])
            moot = _proved(known, row)
        else:
            return {}
        for name in moot:
            del known.open[name]
        return moot


def _proved(known: _GoalState, row: Row) -> dict[str, Moot]:
    """The queries that become moot if all parts of an engine's proof hold now, with the reason."""
    engine, part = known.parts[row.query]
    wanted = {one for one in known.parts.values() if one[0] == engine}
    if not wanted <= known.proved:
        return {}
    by = "" if part is None else f" by {counted(len(wanted), 'obligation')}"
    moot = Moot(row.query, f"proved for every depth{by}")
    return {query.id: moot for query in known.open.values() if query.engine not in PROVING}


def _violated(row: Row, query: GridQuery) -> Moot:
    if row.kind == LOG:
        return Moot(row.query, said(LOG, Verdict.VIOLATED))
    so = ", so there is no proof" if query.engine in PROVING else ""
    return Moot(row.query, f"violated in {counted(row.steps or 0, 'step')}{so}")
