"""Templates: circuits that are instantiated many times in a solver, or copied there.

Where the states of two layers have the same constants, the layers have the same gates over other variables.
A solver that can copy gates together (`Sink.copier`) then takes the second layer from the first; making it
gate by gate would fold and share to the same end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import repeat

from leadline.symbolic.encode.circuit import FALSE, TRUE, And, Circuit, Gate, Mux, operands
from leadline.symbolic.solve import Clause, Copier, Sink

Work = tuple[int, type[Gate], tuple[int, ...]]
"""A gate to make: its variable in the template, its kind and its operands."""

Literals = Sequence[int]
"""The literals of a state, or of a variable."""

Images = dict[int, int]
"""The copy of each literal, positive and negative."""


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
        ranges: the variables of the sink that it has made, as pairs of the first and the one after the last.
    """

    def __init__(self, template: Template, given: Sequence[int], into: Unrolled) -> None:
        self.template = template
        self._into = into
        # The index is a literal of the template; the negation of x is at -x. 0 marks a gate not made yet.
        self._literals = [0] * (2 * template.size + 1)
        first = into.sink.new_variables(len(template.free))
        own = range(first, first + len(template.free))
        self.ranges = [(own.start, own.stop)]
        pairs = (*zip(template.inputs, given, strict=True), *zip(template.free, own, strict=True))
        for x, literal in ((TRUE, TRUE), *pairs):
            self._literals[x], self._literals[-x] = literal, -literal
        # Constraints hold in every instance, asked for or not. Most other gates are never asked for.
        self._make(template.constrained)
        self._constrain()

    @classmethod
    def copied(cls, original: Instance, images: Mapping[int, int], into: Unrolled) -> Instance:
        """An instance whose literals are copies of another's, where there are copies already."""
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
        """The template's literal for each literal of the sink."""
        count = self.template.size
        return {self._literals[x]: x for x in range(-count, count + 1) if self._literals[x]}

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
        begin = self._into.sink.new_variables(0)
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
        self.ranges.append((begin, self._into.sink.new_variables(0)))


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


class Layers:
    """The instances of layers, each made gate by gate or copied from a layer with the same constants.

    Args:
        circuit: the circuit that they go into.
    """

    def __init__(self, circuit: Unrolled) -> None:
        self._circuit = circuit
        self._original: _Original | None = None
        self._images: Images | None = None
        self._made: list[Instance] = []

    def begin(self, row: Literals, beside: Sequence[Instance], *, named: bool = True) -> None:
        """Begin a layer.

        Args:
            row: the literals of the state before it.
            beside: the other instances over that state, in the same order for each layer.
            named: whether the row consists of named literals. If not, a literal of the state may be a gate
                that the layer has as well. No other layer can be copied from such a one.
        """
        self._made = []
        if not self._circuit.sink.copies:
            return
        self._images = None if self._original is None else self._original.images(row, beside)
        if self._images is None:
            self._original = _Original(self._circuit, row, beside, self._made) if named else None

    def instance(self, template: Template, given: Literals) -> Instance:
        """The layer's next instance; all layers have the same templates in the same order."""
        if self._images is not None and self._original is not None:
            original = self._original.instances[len(self._made)]
            made = Instance.copied(original, self._images, self._circuit)
        else:
            made = Instance(template, given, self._circuit)
        self._made.append(made)
        return made


class _Original:
    """A layer from which others are copied.

    Args:
        circuit: the circuit that it is in.
        row: the literals of the state before it.
        beside: the other instances over that state.
        instances: the layer's instances. The list and their gates may still grow.
    """

    def __init__(
        self, circuit: Unrolled, row: Literals, beside: Sequence[Instance], instances: Sequence[Instance]
    ) -> None:
        self.instances = instances
        self._circuit = circuit
        self._row = row
        self._beside = list(beside)
        self._copier: Copier | None = None
        self._shared: list[tuple[int, int, int]] = []
        self._looked = False

    def images(self, row: Literals, beside: Sequence[Instance]) -> Images | None:
        """Copy the layer for another state.

        Returns:
            The copy of each literal; None if the states differ in their constants or gates cannot be copied.
        """
        kinds = [(one.template, other.template) for one, other in zip(beside, self._beside, strict=False)]
        if len(beside) != len(self._beside) or any(a is not b for a, b in kinds):
            return None
        # The original's gates were folded by the constants of its row: with others there would be other gates.
        images = _renaming(self._row, row)
        if images is None:
            return None
        if not self._looked:
            self._looked = True
            self._look()
        if self._copier is None:
            return None
        # A gate that the layer has in common with an instance beside it was made for that one. The copy takes the
        # gate of the instance beside its own state.
        for variable, place, literal in self._shared:
            image = beside[place](literal)
            images[variable], images[-variable] = image, -image
        variables = self._copier.variables
        first, count = self._copier.copy(images), len(variables)
        images.update(zip(variables, range(first, first + count), strict=True))
        images.update(zip([-x for x in variables], range(-first, -first - count, -1), strict=True))
        return images

    def _look(self) -> None:
        """Find the layer's variables, and the gates that it shares with the instances beside it."""
        ranges = [found for one in self.instances for found in one.ranges]
        block = [variable for begin, end in ranges for variable in range(begin, end)]
        row = {abs(x) for x in self._row}
        places = [one.standing_for() for one in self._beside]
        self._copier = self._circuit.sink.copier(block, row.union(*places))
        outside = () if self._copier is None else sorted(self._copier.outside)
        for variable in (x for x in outside if x not in row):
            at = next(at for at, place in enumerate(places) if variable in place)
            self._shared.append((variable, at, places[at][variable]))


def _renaming(row: Literals, other: Literals) -> Images | None:
    """The literals of the other row by those of the one; None if the rows differ in their constants."""
    images = {TRUE: TRUE, -TRUE: -TRUE}
    for one, image in zip(row, other, strict=True):
        if (abs(one) == TRUE) != (abs(image) == TRUE) or images.setdefault(one, image) != image:
            return None
        images[-one] = -image
    return images
