"""Which queries an answer makes moot: pointless to ask, since what they would say is known.

Queries are about the same *subject* if they ask of one property of one model at one point.

- **A violation** with a counterexample of s steps makes moot, of its subject, for any solver and seed,
  - the queries by steps that look s steps ahead or further: they would find a violation too. A shallower one
    may still be safe, so it is asked, whoever found the violation: sweeps do not find the shortest;
  - the queries by sweeps that look s sweeps ahead or further, since k sweeps cover all runs of k steps; and
    if sweeps found it in sweep k, those that look k sweeps ahead: every solver finds it there;
  - the obligations of an inductive proof: there is none of a property that is violated. (One whose
    obligations fail may still hold: nothing is moot for that.)
- **A proof**, whose obligations all hold, whichever solvers answered them, makes all bounded queries of its
  subject moot. A grid that asks for a proof asks for every obligation of it.

An answer "unknown", "safe" or "out-of-bounds" makes nothing moot: how the effort grows with the depth is
what the shallower of two safe queries is asked for. A probe is a property like others: reached is violated.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from leadline.symbolic.engines import Verdict
from leadline.symbolic.grid.query import GridQuery
from leadline.symbolic.grid.store.rows import Row

_VIOLATED, _PROVED = str(Verdict.VIOLATED), str(Verdict.PROVED)
_CAUSE = re.compile(r"answer ([0-9a-f]{40})")


@dataclass(frozen=True)
class Subject:
    """What queries are about."""

    protocol: str
    parameters: str
    fingerprint: str
    property: str

    @classmethod
    def of(cls, asked: GridQuery | Row) -> Subject:
        """The subject of a query, or of an answer to it."""
        return cls(asked.protocol, asked.parameters, asked.fingerprint, asked.property)


@dataclass(frozen=True)
class Finding:
    """What an answer says that matters to other queries; the row's columns of these names.

    Attributes:
        query: the id of the query that was answered.
        verdict: what was found; "moot" is no finding.
        depth: the deepest layer known to hold no counterexample.
        steps: the length of the counterexample.
        unroll: what a layer held.
        obligation: the obligation's name, or None.
        seconds: what the whole task took.
    """

    query: str
    subject: Subject
    verdict: str
    depth: int
    steps: int | None
    unroll: str | None
    obligation: str | None
    seconds: float

    @classmethod
    def of(cls, row: Row) -> Finding:
        """What a row says."""
        return cls(
            query=row.query,
            subject=Subject.of(row),
            verdict=row.verdict,
            depth=row.depth,
            steps=row.steps,
            unroll=row.unroll,
            obligation=row.obligation,
            seconds=row.task_seconds,
        )

    @property
    def violated(self) -> bool:
        """Whether there is a counterexample."""
        return self.verdict == _VIOLATED


def cause(row: Row) -> str | None:
    """The id of the query whose answer made a query moot, as its row names it."""
    named = _CAUSE.search(row.reason or "")
    return named[1] if named else None


@dataclass
class _Known:
    """The queries of a subject that are not settled, and what of it is proved."""

    open: dict[str, GridQuery] = field(default_factory=dict)
    obligations: set[str] = field(default_factory=set)
    proved: set[str] = field(default_factory=set)


class Pruning:
    """Learns what is found, and tells what that makes moot.

    Args:
        queries: all queries of the grid; those of them that are answered already are to be learned too.
    """

    def __init__(self, queries: Iterable[GridQuery]) -> None:
        self._known: dict[Subject, _Known] = {}
        for query in queries:
            known = self._known.setdefault(Subject.of(query), _Known())
            known.open[query.id] = query
            if query.obligation is not None:
                known.obligations.add(query.obligation)

    def learn(self, finding: Finding) -> Mapping[str, str]:
        """Take in a finding.

        Returns:
            For the id of each query that is moot now and was not before, why it is, with the id of the query
            whose answer says so. A query that is answered itself is never moot.
        """
        known = self._known.get(finding.subject)
        if known is None:
            return {}
        known.open.pop(finding.query, None)
        if finding.violated:
            moot = {x.id: _violated(finding, x) for x in known.open.values() if _pointless(finding, x)}
        elif finding.verdict == _PROVED and finding.obligation is not None:
            known.proved.add(finding.obligation)
            moot = self._proved(known, finding)
        else:
            return {}
        for query in moot:
            del known.open[query]
        return moot

    def _proved(self, known: _Known, finding: Finding) -> dict[str, str]:
        if known.proved < known.obligations:
            return {}
        count = len(known.obligations)
        reason = f"proved for every depth by {count} obligation{'s' if count != 1 else ''}"
        reason += f", the last of them: answer {finding.query}"
        return {query.id: reason for query in known.open.values() if query.obligation is None}


def _pointless(finding: Finding, query: GridQuery) -> bool:
    """Whether a violation says what a query of the same subject would find."""
    if query.depth is None:
        return True
    assert finding.steps is not None
    if query.depth >= finding.steps:
        return True
    return query.unroll == finding.unroll == "sweeps" and query.depth > finding.depth


def _violated(finding: Finding, query: GridQuery) -> str:
    steps = f"{finding.steps} step{'s' if finding.steps != 1 else ''}"
    so = ", so there is no proof" if query.depth is None else ""
    return f"violated in {steps}{so}: answer {finding.query}"
