"""Clauses of a circuit's cone: Tseitin's transformation, ready to be instantiated by renaming."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from leadline.symbolic.encode.circuit import TRUE, And, Circuit, Gate, Mux

Clause = tuple[int, ...]


@dataclass(frozen=True)
class Template:
    """A part of a circuit as clauses over its own variables, to be instantiated many times.

    Attributes:
        inputs: the variables that an instance is given (the current state), in order.
        own: the variables that each instance has for itself: free inputs and gates.
        clauses: what defines the gates, and the constraints.
    """

    inputs: tuple[int, ...]
    own: tuple[int, ...]
    clauses: tuple[Clause, ...]


def template(
    circuit: Circuit,
    inputs: Iterable[int],
    roots: Iterable[int],
    constraints: Iterable[int],
    free: Iterable[int],
) -> Template:
    """The template of everything that the roots and constraints depend on.

    Args:
        circuit: the circuit.
        inputs: literals of the variables to be given from outside.
        roots: literals that somebody will ask for.
        constraints: literals that must be true in every instance.
        free: variables of an instance that no gate defines and that must exist even if nothing uses them.
    """
    given = tuple(dict.fromkeys(abs(x) for x in inputs if abs(x) != TRUE))
    outside = set(given)
    constraints = list(constraints)
    cone = _cone(circuit, [*roots, *constraints], outside)
    own = tuple(sorted({*cone, *(abs(x) for x in free)} - outside - {TRUE}))
    clauses = [
        clause for x in cone if (gate := circuit.gates.get(x)) is not None for clause in _define(x, gate)
    ]
    for literal in constraints:
        clauses.extend(_assert(circuit, literal))
    return Template(given, own, tuple(clauses))


def _cone(circuit: Circuit, roots: Iterable[int], outside: set[int]) -> list[int]:
    seen: set[int] = set()
    stack = [abs(root) for root in roots]
    while stack:
        variable = stack.pop()
        if variable in seen or variable in outside or variable == TRUE:
            continue
        seen.add(variable)
        gate = circuit.gates.get(variable)
        if gate is not None:
            stack.extend(abs(x) for x in _operands(gate))
    return sorted(seen)


def _operands(gate: Gate) -> tuple[int, ...]:
    if isinstance(gate, And):
        return gate.operands
    if isinstance(gate, Mux):
        return (gate.condition, gate.then, gate.orelse)
    return (gate.left, gate.right)


def _define(x: int, gate: Gate) -> Iterator[Clause]:
    if isinstance(gate, And):
        yield from ((-x, operand) for operand in gate.operands)
        yield (x, *(-operand for operand in gate.operands))
    elif isinstance(gate, Mux):
        c, a, b = gate.condition, gate.then, gate.orelse
        yield from ((-c, -a, x), (-c, a, -x), (c, -b, x), (c, b, -x), (-a, -b, x), (a, b, -x))
    else:
        a, b = gate.left, gate.right
        yield from ((-x, a, b), (-x, -a, -b), (x, -a, b), (x, a, -b))


def _assert(circuit: Circuit, literal: int) -> Iterator[Clause]:
    """Clauses for a literal that must hold: conjunctions are taken apart, a disjunction is one clause."""
    stack = [literal]
    while stack:
        x = stack.pop()
        gate = circuit.gates.get(abs(x))
        if x == TRUE:
            continue
        if isinstance(gate, And) and x > 0:
            stack.extend(gate.operands)
        elif isinstance(gate, And):
            yield tuple(-operand for operand in gate.operands)
        else:
            yield (x,)
