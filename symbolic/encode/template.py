"""Templates: parts of a circuit that are instantiated many times in a solver."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import repeat
from typing import Protocol

from leadline.symbolic.encode.circuit import FALSE, TRUE, And, Circuit, Gate, Mux

Clause = tuple[int, ...]

Work = tuple[int, type[Gate], tuple[int, ...]]
"""A gate to be made: its variable in the template, what it is, and its operands."""


class Copier(Protocol):
    """Makes copies of variables that are in a sink, and of the gates among them."""

    @property
    def variables(self) -> Sequence[int]:
        """What is copied."""

    @property
    def outside(self) -> Collection[int]:
        """The variables that the gates among them combine besides."""

    def copy(self, images: Mapping[int, int]) -> int:
        """A copy of each variable, in their order, with these literals for those from outside; the first."""


class Sink(Protocol):
    """Where clauses and gates go: a solver. Its variable 1 is the constant true."""

    @property
    def copies(self) -> bool:
        """Whether there are copiers. Named literals are then no gates."""

    def new_variables(self, count: int) -> int:
        """Reserve variables; the first one's number."""

    def add(self, clauses: Sequence[Clause]) -> None:
        """Assert clauses."""

    def conj(self, literals: Sequence[int]) -> int:
        """A new variable for the conjunction of several literals."""

    def xor(self, left: int, right: int) -> int:
        """A new variable for the exclusive or of two."""

    def mux(self, condition: int, then: int, orelse: int) -> int:
        """A new variable for `then` where the condition holds, `orelse` elsewhere."""

    def named(self, literals: Sequence[int]) -> tuple[int, ...]:
        """Literals equal to these, to build much on: those of a state, say."""

    def copier(self, variables: Sequence[int], known: Collection[int]) -> Copier | None:
        """Makes copies of variables, and of the gates that they rest on down to known ones. None where they
        rest on something else, and where copying would be no faster."""


@dataclass(frozen=True, eq=False)
class Template:
    """A part of a circuit, to be instantiated many times.

    Attributes:
        inputs: the variables that an instance is given (the current state), in order.
        free: the inputs that each instance has for itself.
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
        """The largest variable of a whole instance. Gates come after their operands."""
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
        """The gates below several literals, operands first; worked out once for the same literals."""
        if wanted not in self._plans:
            self._plans[wanted] = _below(self.gates, wanted)
        return self._plans[wanted]

    def missing(self, wanted: int, literals: Sequence[int]) -> list[Work]:
        """The gates below a literal that an instance has not made, operands first."""
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
        """The number of clauses that one whole instance has in a solver that takes clauses only."""
        return sum(_clauses(self.gates[x]) for x, _, _ in self.whole) + len(self.constraints)


def template(
    circuit: Circuit, inputs: Iterable[int], roots: Iterable[int], constraints: Iterable[int]
) -> Template:
    """The template of a circuit. Each instance has the inputs that it is not given for itself.

    Args:
        circuit: the circuit; it must not grow any more.
        inputs: literals of the inputs to be given from outside.
        roots: literals that somebody may ask for.
        constraints: literals that must be true in every instance.
    """
    given = dict.fromkeys(abs(x) for x in inputs if abs(x) != TRUE)
    free = tuple(x for x in circuit.free if x not in given)
    asserted = tuple(clause for literal in constraints for clause in _assert(circuit, literal))
    return Template(tuple(given), free, circuit.gates, tuple(roots), asserted)


class Unrolled(Circuit):
    """The circuit of an unrolling: a new gate goes to the sink at once.

    Folding and sharing work across instances, so what the initial state fixes costs nothing.
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
        less = [tuple([literal for literal in clause if literal != FALSE]) for clause in clauses]
        self.sink.add([clause for clause in less if TRUE not in clause])


class Instance:
    """An instance of a template. Called with a literal of the template, it gives the sink's.

    Gates are made when they are first asked for: what nobody asks of an instance costs nothing.

    Attributes:
        template: what it is an instance of.
        ranges: the sink's variables that it has made, from one to before another.
    """

    def __init__(self, template: Template, given: Sequence[int], into: Unrolled) -> None:
        self.template = template
        self._into = into
        # By variable; at a negative index stands the negation. 0 is what has not been made.
        self._literals = [0] * (2 * template.size + 1)
        first = into.sink.new_variables(len(template.free))
        own = range(first, first + len(template.free))
        self.ranges = [(own.start, own.stop)]
        pairs = (*zip(template.inputs, given, strict=True), *zip(template.free, own, strict=True))
        for x, literal in ((TRUE, TRUE), *pairs):
            self._literals[x], self._literals[-x] = literal, -literal
        self._make(template.constrained)
        self._constrain()

    @classmethod
    def copied(cls, original: Instance, images: Mapping[int, int], into: Unrolled) -> Instance:
        """An instance like another, whose literals have images that are made already."""
        made = cls.__new__(cls)
        made.template, made._into, made.ranges = original.template, into, []
        made._literals = list(map(images.get, original._literals, repeat(0)))
        made._make(made.template.constrained)
        made._constrain()
        return made

    def _constrain(self) -> None:
        literals = self._literals
        self._into.require([literals[x] for x in clause] for clause in self.template.constraints)

    def standing_for(self) -> dict[int, int]:
        """By literal of the sink, the template's literal that it stands for here."""
        count = self.template.size
        return {self._literals[x]: x for x in range(-count, count + 1) if self._literals[x]}

    def __call__(self, literal: int) -> int:
        if not self._literals[literal]:
            self._make(self.template.missing(literal, self._literals))
        return self._literals[literal]

    def all(self, wanted: tuple[int, ...]) -> tuple[int, ...]:
        """The literals of several of the template's, quickly if the same are asked of many instances."""
        self._make(self.template.plan(wanted))
        literals = self._literals
        return tuple([literals[x] for x in wanted])

    def _make(self, work: Iterable[Work]) -> None:
        literals = self._literals
        both, conj, mux, xor = self._into.both, self._into.conj, self._into.mux, self._into.xor
        begin = self._into.sink.new_variables(0)
        for x, kind, parts in work:
            if literals[x]:
                continue
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
        self.ranges.append((begin, self._into.sink.new_variables(0)))


def _below(gates: Mapping[int, Gate], roots: Iterable[int]) -> list[Work]:
    """The gates that literals depend on, operands first."""
    wanted = [abs(root) for root in roots]
    marked = bytearray(max(wanted, default=TRUE) + 1)
    for variable in wanted:
        marked[variable] = 1
    found: list[Work] = []
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


def operands(gate: Gate) -> tuple[int, ...]:
    """The literals that a gate combines."""
    if isinstance(gate, And):
        return gate.operands
    if isinstance(gate, Mux):
        return (gate.condition, gate.then, gate.orelse)
    return (gate.left, gate.right)


def _clauses(gate: Gate) -> int:
    """How many clauses define a gate (Tseitin's transformation)."""
    if isinstance(gate, And):
        return len(gate.operands) + 1
    return 6 if isinstance(gate, Mux) else 4


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
