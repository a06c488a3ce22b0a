"""The paths through a next-state relation as actions, and ENABLED."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from leadline.symbolic.lang import NOWHERE, Action, Span, enabledness, nodes as n
from leadline.symbolic.tla.lower.actions import Paths, end, needed
from leadline.symbolic.tla.lower.builder import Unlowerable
from leadline.symbolic.tla.lower.expressions import Lowering
from leadline.symbolic.tla.lower.picks import Way
from leadline.symbolic.tla.lower.scope import Scope, Unsupported
from leadline.symbolic.tla.read import syntax as s


def actions_of(ways: Sequence[Way], lowering: Lowering) -> list[Action]:
    """The actions of paths, each with a name of its own."""
    numbers: dict[str, int] = {}
    taken = {"init"}  # the name of how a run begins
    found: list[Action] = []
    for way in ways:
        name = plain = way.name
        while name in taken:
            numbers[plain] = numbers.get(plain, 1) + 1
            name = f"{plain}_{numbers[plain]}"
        taken.add(name)
        span = lowering.specification.place_of(plain)
        raw = dict(way.next)
        for one, kind in lowering.variables.items():
            if one not in raw:
                raw[one] = n.make(n.Undefined, kind, span, f"{plain} does not say what {one} becomes")
        for one, value in lowering.specification.history.items():
            raw[one] = lowering.value(value, Scope(next=raw))
        places = dict(way.places)
        values = {
            one: converted(lowering, one, raw[one], places.get(one, NOWHERE)) for one in lowering.variables
        }
        changed = tuple(
            (one, x) for one, x in values.items() if not (isinstance(x, n.StateVar) and x.name == one)
        )
        found.append(Action(name, plain, "", span, way.body, changed, fixed=way.fixed))
    return found


def converted(lowering: Lowering, name: str, value: n.Node, place: Span) -> n.Node:
    """The value that an assignment at a place gives a variable, as one of its type."""
    lowering.terms.place = place
    try:
        return lowering.terms.convert(value, lowering.variables[name])
    except Unlowerable as error:
        raise Unsupported(place, str(error)) from error


def enabled(lowering: Lowering, e: s.Expression, scope: Scope) -> n.Node:
    """ENABLED of an action, whose next state is any."""

    paths = Paths(lowering, mark="?")
    ways = needed([*paths.follow(e, Way(), replace(scope, next={}), end)])
    # The errors of the next values count, as in TLC.
    bodies = [way.with_values().body for way in ways]
    steps = [Action("enabled", "ENABLED", "", lowering.terms.place, body, ()) for body in bodies]
    return lowering.terms.disj([enabledness(one) for one in steps])
