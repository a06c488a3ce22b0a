"""The formulas of an invariant, restated at other parameters of the protocol.

A formula is written in Python, as in a file of strengthenings, and read over the other model's variables: it
quantifies over that model's sorts. The clauses that it then stands for are found by a solver.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from leadline.symbolic import lang
from leadline.symbolic.encode import Instance, Unrolled
from leadline.symbolic.engines.pdr.invariant import Invariant
from leadline.symbolic.engines.pdr.system import Cube, System
from leadline.symbolic.engines.pdr.words import Formula, formulas
from leadline.symbolic.engines.pdr.written import LANGUAGE, PythonWriter
from leadline.symbolic.lang import LeadlineError, Model, Property, PropertyKind, State, Type
from leadline.symbolic.lang.rules import boolean
from leadline.symbolic.lang.script import mistakes_in
from leadline.symbolic.lang.span import caller_span
from leadline.symbolic.solve import Formula as Clauses
from leadline.symbolic.solve.cores import CoreSolver


def restated(model: Model, invariant: Invariant, other: Model, target: Property) -> tuple[Invariant, int]:
    """An invariant's formulas as clauses of another model of the same protocol, which need not be inductive.

    Args:
        model: the model in which it is inductive.
        invariant: the invariant.
        other: the other model.
        target: the other model's property that is to be proved.

    Returns:
        The clauses, with those of the strengthenings that the other model has, and the number of formulas
        that cannot be stated there.
    """
    kept = tuple(name for name in invariant.strengthenings if name in other.properties)
    stated = [*_properties(model, formulas(model, invariant), other)]
    said = [one for one in stated if one is not None]
    # Only sorts whose members the formulas too treat alike: images of other clauses would say more.
    system = System(other, target, [*said, *(other.properties[name] for name in kept)])
    orbits = tuple(system.orbit(cube) for cube in _cubes(system, said))
    lost = len(stated) - len(said) + len(invariant.strengthenings) - len(kept)
    return Invariant(kept, orbits, invariant.in_bounds), lost


def _properties(model: Model, some: Sequence[Formula], other: Model) -> Iterator[Property | None]:
    """The formulas over the state of another model; None for one that has no meaning there."""
    types = _counterparts(model, other)
    writer = PythonWriter({one: f"types[{place}]" for place, one in enumerate(types)})
    names = {name: getattr(lang, name) for name in LANGUAGE}
    names |= {"now": State({x.name: x for x in other.variables}), "types": [*types.values()]}
    kind, place = PropertyKind.STRENGTHENING, caller_span()
    for one in some:
        try:
            stated = boolean(eval(writer.formula(one), names))
        except LeadlineError:
            yield None
        else:
            wrong = mistakes_in(stated)
            yield None if wrong else Property("formula", "Formula", kind, one.tla(model), place, stated)


def _counterparts(model: Model, other: Model) -> dict[Type, Type]:
    """For each type of a model's state the one in its place in another; none where it has several."""
    found: dict[Type, set[Type]] = {}
    theirs = {x.name: x.type for x in other.variables}
    waiting = [(x.type, theirs[x.name]) for x in model.variables if x.name in theirs]
    while waiting:
        one, counterpart = waiting.pop()
        found.setdefault(one, set()).add(counterpart)
        if type(one) is type(counterpart) and len(one.parts) == len(counterpart.parts):
            waiting += zip(one.parts, counterpart.parts, strict=True)
    return {one: only for one, (only, *more) in found.items() if not more}


def _cubes(system: System, properties: Sequence[Property]) -> list[Cube]:
    """Cubes that, with their images, hold exactly the states that do not satisfy all of some properties."""
    made = Clauses()
    made.new_variables(system.size)
    circuit = Unrolled(made)
    predicates = system.encoding.predicates(properties)
    Instance(system.encoding.validity, system.row, circuit)
    here = Instance(predicates.template, system.row, circuit)
    outcomes = zip(predicates.violated, predicates.out_of_bounds, strict=True)
    broken = [circuit.disj((here(false), here(outside))) for false, outside in outcomes]
    search, plain = (CoreSolver(made.clauses, made.variables, "glucose4") for _ in range(2))
    cubes = []
    for goal in broken:
        while search.check([goal]):
            cubes.append(_prime(plain, goal, search.model()[1 : system.size + 1]))
            for image in system.orbit(cubes[-1]):
                search.add([-x for x in image])
    search.close()
    plain.close()
    return cubes


def _prime(solver: CoreSolver, goal: int, state: Sequence[int]) -> Cube:
    """Literals of a state from which a goal follows, none of which can be spared."""
    core = sorted(state)
    for literal in sorted(state):
        # Those of false literals come first: of a one-hot the true one says most.
        if literal in core and not solver.check([-goal, *(x for x in core if x != literal)]):
            needed = solver.core()
            core = [x for x in core if x in needed]
    return tuple(core)
