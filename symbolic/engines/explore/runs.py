"""Claims about runs on circuits: the product of a model and a monitor, explored with all its steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product as tuples

from leadline.symbolic import bits
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.engines.explore.circuits import states_at
from leadline.symbolic.engines.runs.loops import SAVE
from leadline.symbolic.engines.runs.product import Mark, Product, Watched
from leadline.symbolic.lang import NOWHERE, Model, ModelError, nodes as n
from leadline.symbolic.lang.nodes import replaced
from leadline.symbolic.meaning import path_of
from leadline.symbolic.trace import Step, Trace, TraceEnd, trace_of_path

MOST_NOTES = 64
"""The notes about a step: the bits of a word."""


def fair_run(product: Product, name: str, max_states: int | None) -> Trace | None:
    """A fair run of a product, as a trace of it that saves the state in which its loop begins; or None.

    Args:
        product: the product of a model and the negation of a property.
        name: the name of the property.
        max_states: the number of the product's states at which to stop; None for no limit.

    Raises:
        NoCircuits: if the product has no circuits, or too many conditions.
    """
    actions = tuple(one.action for one in product.watched)
    model = Model(product.base.protocol, {}, product.variables, product.init, actions, {})
    notes = [list(_notes(product, one)) for one in product.watched]
    recurrent, strong = (sum(map(_number, marks)) for marks in (product.recurrent, product.strong))
    conditions = bits.Conditions(recurrent, strong)
    if conditions.notes > MOST_NOTES:
        raise bits.NoCircuits(f"steps are noted to meet over {MOST_NOTES} conditions of fairness")
    try:
        machine = bits.Machine(model, notes)
        begin = bits.initial_states(model)
    except (ModelError, RecursionError) as error:
        raise bits.NoCircuits(str(error)) from error
    search = bits.Search(machine, max_states=max_states, notes=conditions.notes)
    search.run(begin)
    assert search.steps is not None
    loop = search.steps.graph(search.table.size).fair_loop(conditions)
    return None if loop is None else _trace(search, loop, name)


def _notes(product: Product, one: Watched) -> Iterator[n.Node]:
    """The notes on the steps of an action, in the order of `Conditions`."""
    noted = [(product.recurrent, one.met), (product.strong, product.able), (product.strong, one.taken)]
    for marks, nodes in noted:
        for mark, node in zip(marks, nodes, strict=True):
            for values in tuples(*(key.type.values() for key in mark.keys)):
                pairs = zip(mark.keys, values, strict=True)
                yield replaced(node, {key: n.make(n.Const, key.type, NOWHERE, x) for key, x in pairs})


def _number(mark: Mark) -> int:
    """The number of tuples of values at each of which a mark stands by itself."""
    return len(list(tuples(*(key.type.values() for key in mark.keys))))


def _trace(search: bits.Search, loop: Sequence[int], name: str) -> Trace:
    """The run to a loop and around it. A run that stops saves no state."""
    stem = search.path(loop[0])
    around = [*loop[1:], loop[0]] if len(loop) > 1 else []
    states = states_at(search, [*stem, *around])
    trace = trace_of_path(path_of(Semantics(search.machine.model), list(states)), TraceEnd.VIOLATES, name)
    if not around:
        return trace
    steps = list(trace.steps)
    begin = len(stem) - 1
    state = steps[begin - 1].state if begin else trace.initial
    steps.insert(begin, Step(SAVE, {}, state))
    return replace(trace, steps=tuple(steps))


def folded(trace: Trace) -> Trace:
    """The same run with the loop as early as may be: a monitor may have gone around once before it noticed."""
    states = [stage.state for stage in trace.stages]
    loop, end = trace.loop, len(states) - 1
    while loop and loop < end and states[loop - 1] == states[end - 1]:
        loop, end = loop - 1, end - 1
    return replace(trace, loop=loop, steps=trace.steps[:end])
