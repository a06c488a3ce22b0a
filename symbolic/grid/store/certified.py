"""Certificates of what a grid has proved, kept beside its rows."""

from __future__ import annotations

import json
from collections.abc import Iterable

from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.engines.induction import ObligationResult, ObligationVerdict, certificate
from leadline.symbolic.engines.verdict import Effort
from leadline.symbolic.grid.store.cells import Goal, Obligations, proofs
from leadline.symbolic.grid.store.rows import Row
from leadline.symbolic.grid.store.store import Store
from leadline.symbolic.lang import InternalError


def certify(rows: Iterable[Row], obligations: Obligations, store: Store) -> list[str]:
    """Write a certificate for each property that the rows prove and that has none yet.

    Args:
        rows: what is known.
        obligations: of how many obligations each proof consists.
        store: where the certificates go.

    Returns:
        The paths in the store of the certificates of all proofs, new and old.

    Raises:
        OSError: if one cannot be written.
    """
    places = []
    for goal, held in proofs(rows, obligations).items():
        place = f"certificates/{goal.protocol}-{goal.property}-{goal.fingerprint[:16]}.json"
        if not store.document(place).exists():
            store.put(place, json.dumps(_document(goal, held), indent=1) + "\n")
        places.append(place)
    return places


def _document(goal: Goal, held: Iterable[Row]) -> dict[str, object]:
    rows = [*held]
    source, settings = rows[0].source, rows[0].settings()
    given = {name: value for name, value in settings.items() if value is not None}
    model = model_of(find(source), given)
    if model.fingerprint != goal.fingerprint:
        raise InternalError(f"{source} is another protocol here than where {goal.property} was proved")
    return certificate(model, goal.property, [_result(row) for row in rows], source=source)


def _result(row: Row) -> ObligationResult:
    assert row.obligation is not None, "a proof consists of obligations"
    effort = Effort(row.build_seconds, row.solve_seconds, row.total_seconds, row.memory_mb)
    return ObligationResult(row.obligation, row.solver, ObligationVerdict.HOLDS, None, effort)
