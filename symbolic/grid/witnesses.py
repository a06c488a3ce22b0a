"""Counterexamples and certificates beside the rows of a grid, compared with the rows.

`answers` compares rows with their ids and with the outlines of their documents, in every run of a grid.
`replay`, for `leadline grid --replay`, takes each step of each counterexample, and has each obligation of
each certificate answered by the other solver. `certify` writes the certificates. Rows are data: only
protocols that the grid's queries name are loaded.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache, partial

from leadline.symbolic.catalog import Entry, find, model_of
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.engines import Effort, Limits, Result, Verdict
from leadline.symbolic.engines.ask.result import LOG
from leadline.symbolic.engines.prove.certificates import certificate, read_certificate, recheck
from leadline.symbolic.grid.cells import Goal, obligations_of, proofs
from leadline.symbolic.grid.kinds import CERTIFYING
from leadline.symbolic.grid.query import ASKED, GridQuery, Settings, question_id, read_options
from leadline.symbolic.grid.remote import Place, Remote, at_once
from leadline.symbolic.grid.rows import Row
from leadline.symbolic.grid.store import Store, StoredRows, certificate_place
from leadline.symbolic.grid.task import Changed, planned_model
from leadline.symbolic.lang import InternalError, Model, UserError
from leadline.symbolic.trace import (
    DEADLOCK,
    INDUCTION,
    Stored,
    TraceEnd,
    cti_disagreement,
    disagreement,
    is_cti,
    stored_cti,
    stored_traces,
)


def answers(store: Store, queries: Iterable[str]) -> StoredRows:
    """The rows of these queries; a row that contradicts its id or its document is left out with a warning."""
    found, doubt = store.find(queries), partial(_doubt, store=store)
    rows = [*found.rows.values()]
    doubts = at_once(doubt, rows) if isinstance(store.folder, Remote) else map(doubt, rows)
    return found.without(dict(zip(found.rows, doubts, strict=True)))


def _doubt(row: Row, store: Store) -> str | None:
    """The reason to doubt a row, or None."""
    asked = {name: getattr(row, name) for name in ASKED}
    if row.query != question_id(asked, row.leadline_version):
        return "its id is not that of the question in its columns"
    if (wrong := _other_options(row)) is not None:
        return wrong
    found = row.verdict in (str(Verdict.VIOLATED), str(Verdict.OUT_OF_BOUNDS))
    if _is_whole_proof(row):
        return _not_proved(row, store)
    if not found and not row.not_inductive():
        return None  # It has no counterexample; its columns are checked where rows are read.
    if row.trace is None and row.kind == LOG:
        return None  # The prefix of a log may be too long to keep a run that explains it.
    if row.trace is None:
        return f"it says {row.reason if row.not_inductive() else row.verdict}, and has no counterexample"
    if row.trace != f"traces/{row.query}.json":
        return f"its counterexample is another's: {row.trace}"
    try:
        return _unlike(row, _stored(row, store))
    except UserError as error:
        return f"its counterexample is none: {error}"


def _is_whole_proof(row: Row) -> bool:
    return row.verdict == str(Verdict.PROVED) and row.engine in CERTIFYING


def _not_proved(row: Row, store: Store) -> str | None:
    """The reason why a row's certificate does not prove the row's verdict, or None."""
    try:
        found = read_certificate(store.document(certificate_place(row.query)))
    except UserError as error:
        return f"its certificate is none: {error}"
    # A module's types may have widened since the plan: the model of the proof has another fingerprint then.
    own = row.fingerprint if found.learned else found.fingerprint
    if (found.protocol, found.property, own) != (row.protocol, row.property, row.fingerprint):
        return f"its certificate is of another proof: of {found.property} of {found.protocol}"
    return None


def _other_options(row: Row) -> str | None:
    """The difference between a row's options and the columns made from them, or None."""
    try:
        options = read_options(row.engine, row.options)
    except ValueError as error:
        return str(error)
    told = row.depth_asked, row.unroll, row.obligation
    said = getattr(options, "depth", None), getattr(options, "unroll", None), options.part
    return None if told == said else f"its columns say {told}, and its options {said}"


def _stored(row: Row, store: Store) -> Stored:
    assert row.trace is not None, "the row has a counterexample"
    path = store.document(row.trace)
    first, *more = stored_traces(path)
    if more or first.place != str(path):
        raise UserError(f"{path} holds results, not a trace")
    return first


def _unlike(row: Row, stored: Stored) -> str | None:
    """The difference between a counterexample's outline and its row, or None."""
    data = stored.data
    told = {
        name: data[name] for name in ("protocol", "parameters", "fingerprint", "property", "ends", "length")
    }
    wanted = {**told, "protocol": row.protocol, "parameters": row.settings(), "fingerprint": row.fingerprint}
    if row.not_inductive():
        induction = data[INDUCTION] if is_cti(stored) else None
        about = induction.get("obligation") if isinstance(induction, dict) else None
        told, wanted = {**told, "obligation": about}, {**wanted, "obligation": row.obligation}
    else:
        ends = TraceEnd.VIOLATES if row.verdict == str(Verdict.VIOLATED) else TraceEnd.OUT_OF_BOUNDS
        own: dict[str, str | None] = {"property": row.property, "ends": str(ends)}
        if row.property == DEADLOCK and ends is TraceEnd.VIOLATES:
            own = {"property": None, "ends": str(TraceEnd.DEADLOCK)}
        elif row.kind == LOG:
            own = {"property": None, "ends": str(TraceEnd.STOPS)}
        elif ends is TraceEnd.OUT_OF_BOUNDS and told["property"] is None:
            own["property"] = None  # a step goes out of bounds
        wanted = {**wanted, **own, "length": row.steps, "loop": row.stem}
        told["loop"] = data.get("loop")
        if is_cti(stored):
            return "its counterexample is one to induction, and no run"
    for name, value in wanted.items():
        if told[name] != value:
            return f"its counterexample is of another {name}: {told[name]}, not {value}"
    return None


@dataclass
class Replayed:
    """The result of a replay.

    Attributes:
        traces: the number of counterexamples that were replayed.
        proofs: the number of certificates that were rechecked.
        refuted: the run that wrote each row that is not to be believed, by its query's id.
        refusals: a sentence for each counterexample and certificate that does not stand.
        unfinished: a sentence for each certificate whose recheck did not end.
    """

    traces: int = 0
    proofs: int = 0
    refuted: dict[str, str] = field(default_factory=dict)
    refusals: list[str] = field(default_factory=list)
    unfinished: list[str] = field(default_factory=list)


def replay(
    queries: Sequence[GridQuery], store: Store, show: Callable[[str, float], None] = lambda *_: None
) -> Replayed:
    """Replay every counterexample of a grid's rows, and recheck the certificate of every proof.

    Args:
        queries: all queries of the grid.
        store: the store with the answers.
        show: called with the present work and the share of it that is done.

    Raises:
        OSError: if a certificate cannot be written.
    """
    asked = {query.id: query for query in queries}
    rows = answers(store, asked).rows
    done = Replayed()

    @cache  # each model is made once
    def model_at(source: str, settings: Settings) -> Model:
        return model_of(find(source, tried=True), dict(settings))

    shown = [row for row in rows.values() if row.trace is not None]
    for number, row in enumerate(shown):
        show("replaying counterexamples", number / len(shown))
        done.traces += 1
        query = asked[row.query]
        wrong = _wrong(model_at(query.source, query.settings), _stored(row, store))
        if wrong is not None:
            done.refuted[row.query] = row.run
            done.refusals.append(row.disbelief(f"its counterexample does not replay: {wrong}"))
    certified = certify(rows.values(), queries, store)
    done.refusals += certified.refusals
    for number, (place, held) in enumerate(certified.proofs.items()):
        show("rechecking certificates", number / len(certified.proofs))
        done.proofs += 1
        _recheck(store.document(place), held, asked[held[0].query], done)
    return done


def _wrong(model: Model, stored: Stored) -> str | None:
    """The reason why a counterexample does not replay, or None."""
    semantics = Semantics(model)
    try:
        if is_cti(stored):
            return cti_disagreement(semantics, stored_cti(model, stored))
        return disagreement(semantics, stored.trace(model))
    except UserError as error:
        return str(error)


def _recheck(path: Place, held: Sequence[Row], query: GridQuery, done: Replayed) -> None:
    """Recheck a certificate within the limits that the grid gives to all of its obligations."""
    seconds = query.limits.seconds
    limits = Limits(None if seconds is None else seconds * len(held), query.limits.memory_mb)
    by_part = {row.obligation: row for row in held}
    found = read_certificate(path)
    model = model_of(find(query.source, tried=True), dict(query.settings), found.learned)
    for result in recheck(model, found, limits, source=query.source).results:
        if result.fails:
            row = by_part[result.part]
            done.refuted[row.query] = row.run
            done.refusals.append(row.disbelief(f"{result.solver} refutes it, so {path} is no proof"))
            path.unlink(missing_ok=True)
        elif not result.definite:
            about = result.part or result.property
            done.unfinished.append(f"{path}: the recheck of {about} did not end: {result.reason}")


@dataclass(frozen=True)
class Certified:
    """The certificates of a grid.

    Attributes:
        proofs: the rows that each certificate is made of, by its path in the store.
        refusals: a sentence for each certificate that was there and does not prove its goal; it is written
            anew.
    """

    proofs: dict[str, tuple[Row, ...]] = field(default_factory=dict)
    refusals: list[str] = field(default_factory=list)


def certify(rows: Iterable[Row], queries: Iterable[GridQuery], store: Store) -> Certified:
    """Write the missing certificates: one for each property that the rows prove.

    A certificate that is there is checked as `prove --recheck` does before it asks a solver: it must be about
    the model as it is now, with exactly the conjuncts and obligations that prove the property.

    Args:
        rows: the latest row of each query.
        queries: all queries of the grid.
        store: the store for the certificates.

    Raises:
        OSError: if a certificate cannot be written.
        InternalError: if a certificate that was written does not prove its goal.
    """
    asked = {query.id: query for query in queries}
    known = [*rows]
    done = Certified()
    for goal, held in proofs(known, obligations_of(asked.values())).items():
        place = f"certificates/{goal.protocol}-{goal.property}-{goal.fingerprint[:16]}.json"
        query = asked[held[0].query]
        try:
            model = planned_model(query)
        except Changed as error:
            done.refusals.append(f"no certificate of {goal.property} is written: {error}")
            continue
        entry = find(query.source, tried=True)
        refused = _refused(entry, goal, store.document(place))
        if refused is not None:
            if store.document(place).exists():
                done.refusals.append(f"{refused}: it is written anew")
            made = certificate(model, goal.property, [_result(row) for row in held], source=query.source)
            store.put(place, json.dumps(made, indent=1) + "\n")
            if (wrong := _refused(entry, goal, store.document(place))) is not None:
                raise InternalError(f"a certificate that a grid has written is none: {wrong}")
        done.proofs[place] = held
    done.proofs.update({certificate_place(row.query): (row,) for row in known if _is_whole_proof(row)})
    return done


def _refused(entry: Entry, goal: Goal, path: Place) -> str | None:
    """The reason why a file is not a certificate of a goal, or None."""
    wanted = (goal.protocol, goal.property, goal.fingerprint)
    try:
        found = read_certificate(path)
        if (found.protocol, found.property, found.fingerprint) != wanted:
            return f"{path} is a proof of {found.property}, and not of {goal.property} as it is now"
        found.queries(model_of(entry, found.settings, found.learned), entry.source)
    except UserError as error:
        return str(error)
    return None


def _result(row: Row) -> Result:
    assert row.obligation is not None, "a proof consists of obligations"
    effort = Effort(row.build_seconds, row.solve_seconds, row.total_seconds, row.memory_mb)
    return Result(row.property, row.engine, Verdict.PROVED, effort, solver=row.solver, part=row.obligation)
