"""Random protocols that treat their sorts alike: no member is named, and none is chosen first unless asked for.

Made from a seed rather than drawn by hypothesis, whose draws are mostly of the simplest kind: here guards
should be met now and then and steps should change something, or there are no runs to compare.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random
from typing import Any

from leadline.symbolic.lang import (
    Bool,
    Int,
    Map,
    Model,
    Option,
    Protocol,
    Record,
    Seq,
    Set,
    Sort,
    Tuple,
    Type,
    Union,
    action,
    build,
    choose,
    exists,
    forall,
    invariant,
    ite,
    map_of,
    of,
    sort,
)

NODE = sort("Node", 3)
KEY = sort("Key", 2)
PAIR = Tuple((NODE, NODE))
HELD = Record("Held", (("by", Option(NODE)), ("count", Int(0, 1))))
LETTER = Union(
    "Letter", (("ask", Record("ask", (("whom", NODE), ("key", KEY)))), ("lost", Record("lost", ())))
)
VARIABLES: tuple[Type, ...] = (
    *(Option(NODE), Set(NODE), Seq(NODE, 2), Map(NODE, Int(0, 2)), Map(NODE, Bool()), Map(KEY, Option(NODE))),
    *(Option(KEY), Map(KEY, Int(0, 2)), HELD, Set(PAIR), Int(0, 2), Option(LETTER), Map(NODE, Option(KEY))),
)
PICKS: tuple[Type, ...] = (
    *(NODE, NODE, NODE, NODE, KEY, KEY, KEY, PAIR, Option(NODE), Set(NODE), LETTER, Int(0, 1)),
    *(Map(KEY, NODE), Seq(KEY, 1)),
)


class Choosing(Random):
    """Dice by which members are taken by `choose` now and then, which may tell them apart.

    Attributes:
        state: the state before the step, or that of the claim.
    """

    state: list[Any] = []

    def member(self, kind: Type) -> Any:
        """The first member that some number, or a guard, chooses."""
        numbers = [x for x in self.state if x.node.type == Map(kind, Int(0, 2))]
        if numbers and self.random() < 0.7:
            return choose(kind, lambda x: forall(kind, lambda y: numbers[0][y] <= numbers[0][x]))
        return choose(kind, lambda x: _guard(self, self.state, [x]) if self.state else True)


def symmetric_model(seed: int, kind: type[Random] = Random) -> Model:
    """A model of two or three variables, two to four actions and two invariants."""
    dice = kind(seed)
    variables = {
        f"v{place}": kind for place, kind in enumerate(dice.sample(VARIABLES, dice.randint(2, 3)), 1)
    }

    def define(self: Any, state: Any) -> None:
        for name, kind in variables.items():
            state.declare(name, kind)

    def init(self: Any, start: Any) -> None:
        picked = [start.pick(f"first{i}", dice.choice((NODE, KEY, PAIR))) for i in range(dice.randint(0, 2))]
        for name, kind in variables.items():
            setattr(start, name, _value(dice, kind, picked))

    methods: dict[str, Any] = {"define": define, "init": init, "protocol_name": f"symmetric-{seed}"}
    for place in range(1, dice.randint(2, 4) + 1):
        methods[f"act{place}"] = _action(dice, variables, f"act{place}")
    protocol = type("Symmetric", (Protocol,), methods)
    return build(protocol(), [_claim(dice, protocol, variables, f"claim{place}") for place in (1, 2)])


def _claim(dice: Random, protocol: type[Protocol], variables: dict[str, Type], name: str) -> Any:
    def formula(p: Any, now: Any) -> Any:
        state = _state(dice, now, variables)
        return _guard(dice, state, []) | _guard(dice, state[-1:], [])

    formula.__name__ = name
    return invariant(protocol)(formula)


def _action(dice: Random, variables: dict[str, Type], name: str) -> Callable[..., None]:
    def body(self: Any, now: Any, nxt: Any) -> None:
        state = _state(dice, now, variables)
        picked: list[Any] = []
        for place in range(dice.randint(0, 3)):
            kind = dice.choice(PICKS)
            sets = [x for x in state if x.node.type == Set(kind)]
            picked.append(nxt.pick(f"p{place}", dice.choice([kind, *sets])))
        for _ in range(dice.choice((0, 1, 1, 2))):
            nxt.require(_guard(dice, state, picked))
        for variable in dice.sample(list(variables), dice.randint(1, 2)):
            setattr(nxt, variable, _changed(dice, getattr(now, variable), picked))

    body.__name__ = name
    return action(body)


def _state(dice: Random, now: Any, variables: Iterable[str]) -> list[Any]:
    state = [getattr(now, variable) for variable in variables]
    if isinstance(dice, Choosing):
        dice.state = state
    return state


def _known(dice: Random, kind: Type, scope: list[Any]) -> Any | None:
    """Something of the type that is in scope, or a part of such."""
    if isinstance(dice, Choosing) and isinstance(kind, Sort) and dice.random() < 0.1:
        return dice.member(kind)
    parts = [x[i] for x in scope if x.node.type == PAIR for i in (0, 1)]
    parts += [x.as_a("ask").whom for x in scope if x.node.type == LETTER and dice.random() < 0.2]
    found = [x for x in (*scope, *parts) if x.node.type == kind]
    return dice.choice(found) if found else None


def _value(dice: Random, kind: Type, scope: list[Any]) -> Any:
    """A value that names no member but those in scope."""
    known = _known(dice, kind, scope)
    if known is not None and dice.random() < 0.8:
        return known
    match kind:
        case Option(item=item):
            inner = _known(dice, item, scope)
            return of(kind, inner if dice.random() < 0.8 else None)
        case Set(item=item):
            inner = _known(dice, item, scope)
            return dice.choice([of(kind), item, of(kind, inner) if inner is not None else of(kind)])
        case Map(key=key, value=value):
            return map_of(key, lambda k: _value(dice, value, [*scope, k]))
        case Record(fields=fields):
            return of(kind, **{name: _value(dice, part, scope) for name, part in fields})
        case Seq(item=item):
            inner = _known(dice, item, scope)
            return of(kind, inner) if inner is not None else of(kind)
        case Int(low=low, high=high):
            return dice.randint(low, high)
    assert isinstance(kind, Bool)
    return dice.random() < 0.5


def _changed(dice: Random, value: Any, picked: list[Any]) -> Any:
    """A value after a random step; now and then it goes out of bounds."""
    kind = value.node.type
    match kind:
        case Set(item=item):
            member = _known(dice, item, picked)
            if member is not None:
                return value.add(member) if dice.random() < 0.7 else value.remove(member)
        case Seq(item=item):
            member = _known(dice, item, picked)
            if member is not None:
                longer = value.append(member)
                return longer if dice.random() < 0.2 else ite(value.length < kind.capacity, longer, of(kind))
        case Map(key=key, value=item):
            place = _known(dice, key, picked)
            if place is not None:
                return value.set(place, _changed(dice, value[place], picked))
        case Record():
            return of(kind, by=_changed(dice, value.by, picked), count=1 - value.count)
        case Bool():
            return ~value
        case Int(high=high):
            return value + 1 if dice.random() < 0.2 else (value + 1) % (high + 1)
    return _value(dice, kind, picked)


def _guard(dice: Random, state: list[Any], scope: list[Any]) -> Any:
    """A condition that is neither always true nor always false; it may fail to evaluate."""
    chance = dice.random()
    if chance < 0.35:
        over = dice.choice((forall, exists))
        kind = dice.choice((NODE, KEY))
        return over(kind, lambda x: _guard(dice, state, [*scope, x]))
    if chance < 0.45:
        return ~_guard(dice, state, scope)
    if chance < 0.55:
        return dice.choice((lambda a, b: a & b, lambda a, b: a | b))(
            _guard(dice, state, scope), _guard(dice, state, scope)
        )
    return _atom(dice, dice.choice(state), state, scope)


def _atom(dice: Random, value: Any, state: list[Any], scope: list[Any]) -> Any:
    match value.node.type:
        case Option(item=item):
            inner = _known(dice, item, scope)
            if inner is None:
                return value.is_some
            return value.value == inner if dice.random() < 0.5 else value == inner
        case Set(item=item):
            inner = _known(dice, item, scope)
            return value.has(inner) if inner is not None else value.size < 2
        case Seq(item=item):
            inner = _known(dice, item, scope)
            return value.first == inner if inner is not None and dice.random() < 0.5 else value.length < 2
        case Map(key=key):
            place = _known(dice, key, scope)
            if place is None:
                return forall(key, lambda k: _atom(dice, value[k], state, [*scope, k]))
            return _atom(dice, value[place], state, scope)
        case Record():
            return _atom(dice, value.by if dice.random() < 0.5 else value.count, state, scope)
        case Int():
            return 2 // value == 1 if dice.random() < 0.4 else value < dice.randint(1, 2)
    return value
