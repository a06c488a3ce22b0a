"""Templates: circuits that are instantiated many times in a solver."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from leadline.symbolic.encode.circuit import FALSE, TRUE, And, Circuit, Gate, Mux, operands
from leadline.symbolic.solve import Clause, Sink

Work = tuple[int, type[Gate], tuple[int, ...]]
"""A gate to make: its variable in the template, its kind and its operands."""

Literals = Sequence[int]
"""The literals of a state, or of a variable."""


@dataclass(frozen=True, eq=False)
class Template:
    """A circuit to be instantiated many times.

    Attributes:
        inputs: the variables for which an instance is given literals (the current state's), in order.
        free: the inputs for which each instance has new variables.
        gates: the circuit's gates.
        roots: the literals that an instance may be asked for.
        constraints: clauses that hold in every instance.
    """

    inputs: tuple[int, ...]
    free: tuple[int, ...]
    gates: Mapping[int, Gate]
    roots: tuple[int, ...]
    constraints: tuple[Clause, ...]
    _plans: dict[tuple[int, ...], list[Work]] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def size(self) -> int:
        """The largest variable of a whole instance."""
        return max(map(abs, (TRUE, *self.inputs, *self.free, *self.roots, *self._asserted)))

    @property
    def _asserted(self) -> list[int]:
        """The literals of the constraints."""
        return [literal for clause in self.constraints for literal in clause]

    @cached_property
    def constrained(self) -> list[Work]:
        """The gates below the constraints, operands first."""
        return _below(self.gates, self._asserted)

    def plan(self, wanted: tuple[int, ...]) -> list[Work]:
        """The gates below several literals, operands first; computed once for the same literals."""
        if wanted not in self._plans:
            self._plans[wanted] = _below(self.gates, wanted)
        return self._plans[wanted]

    def missing(self, wanted: int, literals: Sequence[int]) -> list[Work]:
        """The gates below a literal that an instance has not made yet, operands first."""
        seen: set[int] = set()
        stack = [abs(wanted)]
        while stack:
            variable = stack.pop()
            if variable not in seen and not literals[variable]:
                seen.add(variable)
                stack += map(abs, operands(self.gates[variable]))
        return [_work(x, self.gates[x]) for x in sorted(seen)]

    @cached_property
    def whole(self) -> list[Work]:
        """The gates of a whole instance, operands first."""
        return _below(self.gates, [*self.roots, *self._asserted])

    @property
    def variables(self) -> int:
        """The number of variables that one whole instance adds."""
        return len(self.free) + len(self.whole)

    @cached_property
    def clauses(self) -> int:
        """The number of clauses of one whole instance, in a solver that takes only clauses."""
        return sum(map(_clauses, self.whole)) + len(self.constraints)


def template(
    circuit: Circuit, inputs: Iterable[int], roots: Iterable[int], constraints: Iterable[int]
) -> Template:
    """The template of a circuit.

    Args:
        circuit: the circuit; it must not grow any more.
        inputs: literals of the inputs for which an instance is given literals; it makes the other inputs.
        roots: the literals that an instance may be asked for.
        constraints: literals that must be true in every instance.
    """
    given = dict.fromkeys(abs(x) for x in inputs if abs(x) != TRUE)
    free = tuple(x for x in circuit.free if x not in given)
    asserted = tuple(clause for literal in constraints for clause in _assert(circuit, literal))
    return Template(tuple(given), free, circuit.gates, tuple(roots), asserted)


class Unrolled(Circuit):
    """The circuit of an unrolling: each new gate goes to the sink at once.

    Folding and sharing work across instances, so gates whose value the initial state fixes cost nothing.
    """

    def __init__(self, sink: Sink) -> None:
        super().__init__()
        self.sink = sink

    def input(self) -> int:
        return self.sink.new_variables(1)

    def _new_and(self, operands: tuple[int, ...]) -> int:
        return self.sink.conj(operands)

    def _new_xor(self, left: int, right: int) -> int:
        return self.sink.xor(left, right)

    def _new_mux(self, condition: int, then: int, orelse: int) -> int:
        return self.sink.mux(condition, then, orelse)

    def require(self, clauses: Iterable[Iterable[int]]) -> None:
        """Assert clauses."""
        # The initial state's constants make literals true or false: such literals and clauses say nothing.
        less = [tuple([literal for literal in clause if literal != FALSE]) for clause in clauses]
        self.sink.add([clause for clause in less if TRUE not in clause])


class Instance:
    """An instance of a template. Called with a literal of the template, it gives the sink's literal.

    A gate is made when it is first asked for.

    Attributes:
        template: the template.
        free: the variables of the sink for the template's free inputs.
    """

    def __init__(self, template: Template, given: Sequence[int], into: Unrolled) -> None:
        self.template = template
        self._into = into
        # The index is a literal of the template; the negation of x is at -x. 0 marks a gate not made yet.
        self._literals = [0] * (2 * template.size + 1)
        first = into.sink.new_variables(len(template.free))
        self.free = range(first, first + len(template.free))
        pairs = (*zip(template.inputs, given, strict=True), *zip(template.free, self.free, strict=True))
        for x, literal in ((TRUE, TRUE), *pairs):
            self._literals[x], self._literals[-x] = literal, -literal
        # Constraints hold in every instance, asked for or not. Most other gates are never asked for.
        self._make(template.constrained)
        literals = self._literals
        into.require([literals[x] for x in clause] for clause in template.constraints)

    def __call__(self, literal: int) -> int:
        if not self._literals[literal]:
            self._make(self.template.missing(literal, self._literals))
        return self._literals[literal]

    def all(self, wanted: tuple[int, ...]) -> tuple[int, ...]:
        """The sink's literals for several of the template's; fast if all instances are asked alike."""
        self._make(self.template.plan(wanted))
        literals = self._literals
        return tuple([literals[x] for x in wanted])

    def _make(self, work: Iterable[Work]) -> None:
        literals = self._literals
        both, conj, mux, xor = self._into.both, self._into.conj, self._into.mux, self._into.xor
        for x, kind, parts in work:
            if literals[x]:
                continue  # made for an earlier question
            if kind is And and len(parts) == 2:
                literal = both(literals[parts[0]], literals[parts[1]])
            elif kind is And:
                literal = conj([literals[y] for y in parts])
            elif kind is Mux:
                condition, then, orelse = parts
                literal = mux(literals[condition], literals[then], literals[orelse])
            else:
                literal = xor(literals[parts[0]], literals[parts[1]])
            literals[x], literals[-x] = literal, -literal


def _below(gates: Mapping[int, Gate], roots: Iterable[int]) -> list[Work]:
    """The gates that literals depend on, operands first."""
    wanted = [abs(root) for root in roots]
    marked = bytearray(max(wanted, default=TRUE) + 1)
    for variable in wanted:
        marked[variable] = 1
    found: list[Work] = []
    # A gate has a higher number than its operands, so one pass downwards meets each gate after all that need it.
    for variable in range(len(marked) - 1, TRUE, -1):
        if marked[variable]:
            gate = gates.get(variable)
            if gate is not None:
                work = _work(variable, gate)
                found.append(work)
                for part in work[2]:
                    marked[part if part > 0 else -part] = 1
    found.reverse()
    return found


def _work(variable: int, gate: Gate) -> Work:
    return variable, type(gate), operands(gate)


def _clauses(work: Work) -> int:
    """How many clauses define a gate (Tseitin's transformation)."""
    _, kind, parts = work
    if kind is And:
        return len(parts) + 1
    return 6 if kind is Mux else 4


def _assert(circuit: Circuit, literal: int) -> Iterator[Clause]:
    """The clauses of a literal that must hold. Conjunctions are taken apart; a disjunction is one clause."""
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
