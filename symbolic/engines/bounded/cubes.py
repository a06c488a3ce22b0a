"""Cubes: parts of a bounded check by steps, each with other choices in the first steps.

M. Heule, O. Kullmann, S. Wieringa, A. Biere: Cube and Conquer: Guiding CDCL SAT Solvers by Lookaheads, HVC
2011. The cut is by the choices of a step (its action, then its picks), not by variables of the solver.

The cubes cover all runs. At first there is one cube without choices. A cube is replaced by its extensions by
every way to make the next choice. An extension that no run agrees with is dropped, and a cube without any
extension stays. A run that is shorter than a cube agrees with it if all of its steps do: so a search under a
cube asks about each depth before the step from there is constrained. Under the first-use rule every run is an
image of one that obeys the rule, so of cubes that are images of each other one is left.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from leadline.symbolic.encode import Encoding, StepsUnrolling
from leadline.symbolic.lang import Model, Sort
from leadline.symbolic.solve import LONE, SOLVERS, Satisfiability

Cube = tuple[str, ...]
"""Choices in the first steps, as `StepRelation.choices` spells them."""


def cubes(model: Model, sorts: Sequence[Sort], least: int, depth: int) -> list[Cube]:
    """Cubes that cover all runs of a model.

    Args:
        model: the model.
        sorts: the sorts that obey the first-use rule.
        least: the number of cubes at which to stop.
        depth: the most steps that a cube may constrain.

    Returns:
        At least `least` cubes, or as many as there are within `depth` steps.
    """
    solver = SOLVERS[LONE]()
    unrolling = StepsUnrolling(Encoding(model), solver, sorts)
    unrolling.assert_initial()
    ended: list[Cube] = []
    whole: list[tuple[Cube, list[int]]] = [((), [])]
    for step in range(depth):
        unrolling.extend()
        waiting = deque((cube, literals, 0) for cube, literals in whole)
        whole = []
        while waiting:
            if len(ended) + len(whole) + len(waiting) >= least:
                return [*ended, *(cube for cube, _ in whole), *(cube for cube, *_ in waiting)]
            cube, literals, made = waiting.popleft()
            choices = unrolling.choice(step, cube[len(cube) - made :])
            longer = [
                ((*cube, text), [*literals, literal], made + 1)
                for text, literal in choices.items()
                if solver.check([*literals, literal]) is not Satisfiability.UNSATISFIABLE
            ]
            waiting += longer
            if not choices:
                whole.append((cube, literals))
            elif not longer:
                ended.append(cube)
    return [*ended, *(cube for cube, _ in whole)]
