"""Random edits of random protocols between runs of a grid: no row of before an edit answers after it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from leadline.symbolic.engines import Answer, BmcOptions, Limits, Query, answer_here
from leadline.symbolic.engines.prove.induction import InductionOptions
from leadline.symbolic.engines.prove.induction.obligation import obligations
from leadline.symbolic.grid import task, witnesses
from leadline.symbolic.grid.query import GridQuery
from leadline.symbolic.grid.runs import StoreArchive, new_run, resume
from leadline.symbolic.grid.schedule import Schedule
from leadline.symbolic.grid.store import Store
from leadline.symbolic.grid.witnesses import answers, certify, replay
from leadline.symbolic.lang import Action, Model, Pick, Property, PropertyKind, nodes as n
from leadline.symbolic.lang.coercion import as_node, fits
from leadline.symbolic.lang.expr import wrap
from leadline.symbolic.lang.nodes import replaced
from leadline.symbolic.lang.span import NOWHERE
from tests.grid.conftest import Here
from tests.grid.queries import changed
from tests.random_expressions import Maker
from tests.random_protocols import widened
from tests.strategies import models

LARGEST = 200
"""Values of a type that is widened."""


@contextmanager
def here(model: Model) -> Iterator[None]:
    """Tasks answer in this process, about this model; nothing waits for the disk."""

    def answered(asked: Model, query: Query, limits: Limits) -> Answer:
        return answer_here(asked, query)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        for module, makes in ((task, "model_or_outline"), (witnesses, "model_of")):
            patch.setattr(module, "find", lambda source, **_: SimpleNamespace(name="random", source=source))
            patch.setattr(module, makes, lambda entry, settings, *_: model)
        patch.setattr(task, "answer_in_child", answered)
        yield


def queries(model: Model) -> tuple[GridQuery, ...]:
    """Bounded checks by steps and sweeps of each property, and the obligations of each invariant."""
    question = Query("random", {}, ("",), BmcOptions(), "cadical")
    base = GridQuery("random", "{}", "", question, Limits(), model.fingerprint)
    found = []
    for name in model.claimed:
        one = changed(base, property=name, kind=str(model.properties[name].kind))
        ways = ((0, "steps"), (2, "steps"), (1, "sweeps"))
        found += [changed(one, options=BmcOptions(depth, unroll)) for depth, unroll in ways]
        if model.properties[name].kind is PropertyKind.INVARIANT:
            names = [part.name for part in obligations(model, name)]
            parts = [InductionOptions((part,)) for part in names]
            found += [changed(one, options=part) for part in parts]
    return tuple(found)


def outcome(model: Model, folder: Path, *, replayed: bool = False) -> dict[str, object]:
    """Run the grid of a model on a store, and tell what the rows and the certificates say."""
    store = Store(folder)
    store.create()
    asked = queries(model)
    with here(model):
        begin = resume(asked, store, prune=True)
        archive = StoreArchive(store, new_run(), {})
        for query, why in begin.moot:
            archive.unanswered(query, why)
        Schedule(begin.left, {}, archive, begin.pruning).run(Here(archive, []), lambda _: None)
        found = answers(store, (query.id for query in asked))
        assert (begin.warnings, found.warnings) == ((), ())
        assert found.rows.keys() == {query.id for query in asked}
        proofs = certify(found.rows.values(), asked, store)
        assert proofs.refusals == []
        if replayed:
            assert replay(asked, store).refusals == []
    told: dict[str, object] = {
        name: (row.verdict, row.depth, row.steps, (row.reason or "").partition(":")[0])
        for name, row in found.rows.items()
    }
    return {**told, "proofs": sorted(proofs.proofs)}


def edited(draw: st.DrawFn, model: Model) -> Model:
    """The model with one random edit; now and then it says the same as before."""
    return draw(st.sampled_from((_guard, _type, _flags, _order, _aim)))(draw, model)


def _guard(draw: st.DrawFn, model: Model) -> Model:
    """One guard more or less, or the opposite of one."""
    place = draw(st.integers(0, len(model.actions) - 1))
    body = model.actions[place].body
    guards = [at for at, item in enumerate(body) if not isinstance(item, Pick)]
    if not guards or draw(st.booleans()):
        scope = tuple(wrap(_variable(x.name, x.type)) for x in model.variables)
        body = (*body, Maker(draw, 4).bool(scope, 2).node)
    else:
        at = draw(st.sampled_from(guards))
        opposite = (n.make(n.Not, body[at].type, NOWHERE, body[at]),) if draw(st.booleans()) else ()
        body = (*body[:at], *opposite, *body[at + 1 :])
    changed = replace(model.actions[place], body=body)
    return replace(model, actions=(*model.actions[:place], changed, *model.actions[place + 1 :]))


def _variable(name: str, kind: Any) -> n.Node:
    return n.make(n.StateVar, kind, NOWHERE, name)


def _type(draw: st.DrawFn, model: Model) -> Model:
    """One variable has room for more; what reads it still expects what there was room for."""
    wider = {x.name: widened(x.type) for x in model.variables if widened(x.type) != x.type}
    roomy = [
        x
        for x in model.variables
        if x.name in wider and fits(wider[x.name], x.type) and wider[x.name].cardinality <= LARGEST
    ]
    if not roomy:
        return _guard(draw, model)
    one = draw(st.sampled_from(roomy))
    kind = wider[one.name]
    read = {_variable(one.name, one.type): as_node(wrap(_variable(one.name, kind)), one.type)}

    def node(old: n.Node) -> n.Node:
        return replaced(old, read)

    def item(old: Pick | n.Node) -> Pick | n.Node:
        if not isinstance(old, Pick):
            return node(old)
        return old if old.domain is None else replace(old, domain=node(old.domain))

    def action(old: Action) -> Action:
        body = tuple(item(x) for x in old.body)
        made = ((name, node(x)) for name, x in old.updates)
        updates = ((name, as_node(wrap(x), kind) if name == one.name else x) for name, x in made)
        return replace(old, body=body, updates=tuple(updates))

    return replace(
        model,
        variables=tuple(replace(x, type=kind) if x is one else x for x in model.variables),
        init=action(model.init),
        actions=tuple(map(action, model.actions)),
        properties={name: replace(x, formula=node(x.formula)) for name, x in model.properties.items()},
    )


def _flags(draw: st.DrawFn, model: Model) -> Model:
    """A property is of another kind; one at least is claimed."""
    name = draw(st.sampled_from([*model.properties]))
    kinds = [PropertyKind.INVARIANT, PropertyKind.PROBE]
    kinds += [PropertyKind.STRENGTHENING] if set(model.claimed) - {name} else []
    return _with(model, replace(model.properties[name], kind=draw(st.sampled_from(kinds))))


def _aim(draw: st.DrawFn, model: Model) -> Model:
    """A strengthening is of other properties, or entails them, or not."""
    helping = [x for x in model.properties.values() if x.kind is PropertyKind.STRENGTHENING]
    if not helping:
        return _flags(draw, model)
    one = draw(st.sampled_from(helping))
    others = [name for name in model.properties if name != one.name]
    aims = tuple(name for name in others if draw(st.booleans()))
    return _with(model, replace(one, strengthens=aims, entails=bool(aims) and draw(st.booleans())))


def _with(model: Model, one: Property) -> Model:
    return replace(model, properties={**model.properties, one.name: one})


def _order(draw: st.DrawFn, model: Model) -> Model:
    names = draw(st.permutations([action.name for action in model.actions]))
    return replace(model, sweep_order=tuple(names[: draw(st.integers(0, len(names)))]))


def compare(draw: st.DrawFn, model: Model, edits: int) -> None:
    """Edit a model so many times; its rows are those of an empty store each time, and no proof is false."""
    scope = tuple(wrap(_variable(x.name, x.type)) for x in model.variables)
    kind = PropertyKind.STRENGTHENING
    model = _with(model, Property("help", "Help", kind, "", NOWHERE, Maker(draw, 4).bool(scope, 2).node))
    with TemporaryDirectory() as folder:
        outcome(model, Path(folder, "kept"))
        for number in range(edits):
            before, model = model, edited(draw, model)
            found = outcome(model, Path(folder, "kept"), replayed=number == edits - 1)
            assert found == outcome(model, Path(folder, f"empty{number}"))
            # What was undone has its rows again.
            if draw(st.integers(0, 3)) == 0:
                model = before


SLOW_TO_MAKE = [HealthCheck.too_slow, HealthCheck.data_too_large]


@given(models(), st.data())
@settings(max_examples=2, deadline=None, suppress_health_check=SLOW_TO_MAKE)
def test_rows_are_those_of_an_empty_store(model: Model, data: st.DataObject) -> None:
    compare(cast(st.DrawFn, data.draw), model, edits=2)


@pytest.mark.slow
@given(models(), st.data())
@settings(max_examples=20, deadline=None, suppress_health_check=SLOW_TO_MAKE)
def test_rows_are_those_of_an_empty_store_at_length(model: Model, data: st.DataObject) -> None:
    """Two hundred edits."""
    compare(cast(st.DrawFn, data.draw), model, edits=10)
