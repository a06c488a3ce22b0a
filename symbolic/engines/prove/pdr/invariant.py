"""Inductive invariants that PDR finds: clauses over the literals of a state, grouped by orbit.

An invariant is a certificate: `recheck` encodes the model anew and asks a solver for each thing that makes it
one, every clause by itself rather than one for its orbit, so neither the search nor the symmetry that it used
has to be believed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from leadline.symbolic.encode import Encoding, Instance, Unrolled
from leadline.symbolic.encode.circuit import TRUE
from leadline.symbolic.encode.facts import Facts
from leadline.symbolic.engines.prove.pdr.system import Cube, System
from leadline.symbolic.lang import InternalError, Model, Property, UserError
from leadline.symbolic.solve import Satisfiability, Solver


@dataclass(frozen=True)
class Invariant:
    """An inductive invariant: the declared types, some strengthenings, and clauses.

    Attributes:
        strengthenings: the names of the model's strengthenings that are conjuncts.
        orbits: the clauses, each as the cube that it excludes, with its images under the sorts that are
            treated alike. Literals are numbered as in `Facts`.
        in_bounds: whether it implies that no step is out of bounds, and no initial state is. If not, it is of
            the states that are reached within them.
    """

    strengthenings: tuple[str, ...]
    orbits: tuple[tuple[Cube, ...], ...]
    in_bounds: bool = True

    @classmethod
    def of(cls, system: System, cubes: Iterable[Cube], *, in_bounds: bool = True) -> Invariant:
        """The invariant that excludes cubes and their images."""
        names = tuple(one.name for one in system.assumed)
        orbits, known = list[tuple[Cube, ...]](), set[Cube]()
        for cube in cubes:
            if cube not in known:
                orbits.append(tuple(sorted(system.orbit(cube))))
                known.update(orbits[-1])
        return cls(names, tuple(sorted(orbits, key=lambda x: (len(x[0]), x))), in_bounds)

    @property
    def clauses(self) -> int:
        """The number of clauses."""
        return sum(map(len, self.orbits))


# -- recheck -------------------------------------------------------------------------------------------


def recheck(
    model: Model, target: Property, invariant: Invariant, new_solver: Callable[[], Solver]
) -> tuple[str, ...]:
    """The obligations that an invariant fails; none if it proves the property.

    The obligations are those of `leadline.symbolic.engines.prove.induction.obligation`, with the
    strengthenings and the clauses as the conjuncts, over all actions at once: initial states in bounds,
    initiation and consecution of each conjunct, steps in bounds, and implication.

    Args:
        model: the model.
        target: the property.
        invariant: the invariant.
        new_solver: makes a fresh solver, best another one than found it.

    Raises:
        UserError: if the invariant is not of this model.
        InternalError: if the solver gives up.
    """
    return tuple(_Recheck(model, target, invariant, new_solver).failing())


class _Recheck:
    """See `recheck`."""

    def __init__(
        self, model: Model, target: Property, invariant: Invariant, new_solver: Callable[[], Solver]
    ) -> None:
        self._encoding = Encoding(model)
        self._facts = Facts(model)
        self._invariant = invariant
        self._new_solver = new_solver
        unknown = [name for name in invariant.strengthenings if name not in model.properties]
        numbers = [abs(x) for orbit in invariant.orbits for cube in orbit for x in cube]
        if unknown or any(not TRUE < x <= len(self._encoding.input_row) + TRUE for x in numbers):
            what = f"strengthening {unknown[0]}" if unknown else "literal that a clause has"
            raise UserError(f"this invariant is of another model: {model.protocol} has no {what}")
        self._goal = self._encoding.predicates([target])
        self._assumed = self._encoding.predicates([model.properties[x] for x in invariant.strengthenings])

    def failing(self) -> list[str]:
        """The names of the obligations that fail."""
        return [*self._at_first(), *self._after_a_step()]

    def _at_first(self) -> list[str]:
        circuit = Unrolled(self._new_solver())
        initial = self._encoding.initial
        instance = Instance(initial.template, (), circuit)
        row = instance.all(initial.state)
        failing = []
        outside = instance(initial.out_of_bounds)
        if self._invariant.in_bounds and self._possible(circuit, [outside]):
            failing.append("initial states in bounds")
        conjuncts = self._broken(row, circuit)
        begun = instance(initial.possible)
        return failing + [
            f"initiation of {name}" for name, x in conjuncts.items() if self._possible(circuit, [begun, x])
        ]

    def _after_a_step(self) -> list[str]:
        circuit = Unrolled(self._new_solver())
        row = self._encoding.any_state(circuit)
        for broken in self._broken(row, circuit).values():
            circuit.require([[-broken]])
        relation = self._encoding.step
        step = Instance(relation.template, row, circuit)
        (goal,), here = self._goal.claims, Instance(self._goal.template, row, circuit)
        wanted = {
            "implication": [here(goal.violated)],
            "evaluation in bounds": [here(goal.outside)],
        }
        if self._invariant.in_bounds:
            wanted["steps in bounds"] = [step(relation.out_of_bounds)]
        taken = step(relation.taken)
        after = self._broken(step.all(relation.state), circuit)
        wanted |= {f"consecution of {name}": [taken, broken] for name, broken in after.items()}
        return [name for name, literals in wanted.items() if self._possible(circuit, literals)]

    def _broken(self, row: Sequence[int], circuit: Unrolled) -> dict[str, int]:
        """For each strengthening and each orbit the literal that a state does not satisfy it."""
        found = dict(zip(self._invariant.strengthenings, self._assumed.broken(row, circuit), strict=True))
        masked = self._facts.masked(circuit, row)

        def at(x: int) -> int:
            literal = masked[abs(x) - TRUE - 1]
            return literal if x > 0 else -literal

        for number, orbit in enumerate(self._invariant.orbits, start=1):
            found[f"orbit {number}"] = circuit.disj([circuit.conj([at(x) for x in cube]) for cube in orbit])
        return found

    @staticmethod
    def _possible(circuit: Unrolled, literals: Sequence[int]) -> bool:
        if -TRUE in literals:
            return False
        solver = circuit.sink
        assert isinstance(solver, Solver)
        answer = solver.check(literals)
        if answer is Satisfiability.UNKNOWN:
            raise InternalError(f"the solver gave up: {solver.reason()}")
        return answer is Satisfiability.SATISFIABLE
