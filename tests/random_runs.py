"""Random small protocols with random fairness and random claims about runs, made from a seed."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from leadline.symbolic.lang import (
    Bool,
    Int,
    Map,
    Model,
    ModelError,
    Protocol,
    action,
    always,
    build,
    constraint,
    enabled,
    eventually,
    exists,
    for_each,
    for_some,
    forall,
    leads_to,
    map_of,
    of,
    pick,
    sort,
    step_property,
    strong,
    temporal,
    weak,
    weak_next,
)

NUMBERS = ("x", "y")


def random_runs(seed: int, beyond: float = 0.03) -> Model:
    """A model with at most 36 states, some fairness and a few claims.

    Args:
        seed: what choices are drawn from.
        beyond: the share of assigned numbers that may be out of bounds.
    """
    dice = Random(seed)
    names = [f"act{place}" for place in range(1, dice.randint(1, 4) + 1)]
    with_picks = {name for name in names if dice.random() < 0.5}

    def define(self: Any, state: Any) -> None:
        self.Node = sort("Node", 2)
        state.x, state.y = Int(0, 2), Int(0, 2)
        state.on = Map(self.Node, Bool())

    def init(self: Any, start: Any) -> None:
        start.x = dice.randint(0, 2)
        start.y = start.pick("y", Int(0, 1)) if dice.random() < 0.3 else 0
        start.on = map_of(self.Node, lambda node: False)

    methods: dict[str, Any] = {"define": define, "init": init, "protocol_name": "random"}
    for name in names:
        methods[name] = _action(dice, name, name in with_picks, beyond)
    marks = [_fairness(dice, names, with_picks) for _ in range(dice.randint(0, 3))]
    methods["fair"] = lambda self: [mark() for mark in marks]
    kind = type("Random", (Protocol,), methods)
    claims = [_claim(dice, kind, names, f"claim{place}") for place in range(3)]
    if dice.random() < 0.15:
        claims.append(_constraint(dice, kind))
    try:
        return build(kind(), claims)
    except ModelError as error:
        # A claim may happen to be about no variable.
        assert "names no state variable" in str(error)
        return random_runs(seed + 100_000, beyond)


def _action(dice: Random, name: str, picks: bool, beyond: float) -> Any:
    def body(self: Any, now: Any, nxt: Any, *chosen: Any) -> None:
        for _ in range(dice.randint(0, 2)):
            nxt.require(_predicate(dice, self, now, chosen))
        for number in NUMBERS:
            if dice.random() < 0.5:
                setattr(nxt, number, _number(dice, now, beyond))
        if dice.random() < 0.6:
            key = chosen[0] if chosen else of(self.Node, dice.choice(self.Node.members))
            nxt.on[key] = ~now.on[key] if dice.random() < 0.4 else dice.random() < 0.5

    def plain(self: Any, now: Any, nxt: Any) -> None:
        body(self, now, nxt)

    def picking(self: Any, now: Any, nxt: Any, node: Any = pick("Node")) -> None:
        body(self, now, nxt, node)

    method = picking if picks else plain
    method.__name__ = name
    return action(method)


def _number(dice: Random, now: Any, beyond: float) -> Any:
    """A number; sometimes one that may be out of bounds."""
    if dice.random() < beyond:
        return now.x + now.y
    return dice.choice([dice.randint(0, 2), now.x, now.y, (now.x + 1) % 3, (now.y + 1) % 3, 2 - now.x])


def _predicate(dice: Random, self: Any, now: Any, chosen: tuple[Any, ...] = ()) -> Any:
    choices: list[Callable[[], Any]] = [
        lambda: getattr(now, dice.choice(NUMBERS)) == dice.randint(0, 2),
        lambda: getattr(now, dice.choice(NUMBERS)) != dice.randint(0, 2),
        lambda: now.x < now.y,
        lambda: forall(self.Node, lambda node: now.on[node]),
        lambda: exists(self.Node, lambda node: now.on[node]),
    ]
    if chosen:
        choices += [lambda: now.on[chosen[0]], lambda: ~now.on[chosen[0]]] * 2
    return dice.choice(choices)()


def _fairness(dice: Random, names: list[str], with_picks: set[str]) -> Callable[[], Any]:
    kind = dice.choice([weak, strong])
    chosen = tuple(dice.sample(names, dice.randint(1, min(2, len(names)))))
    each = ("node",) if all(name in with_picks for name in chosen) and dice.random() < 0.6 else ()
    of_ = dice.choice([(), (), ("x",), ("x", "on")])
    if dice.random() < 0.2:
        return lambda: weak_next(of=of_)
    return lambda: kind(*chosen, each=each, of=of_)


def _claim(dice: Random, kind: Any, names: list[str], name: str) -> Any:
    def stated(protocol: Any, now: Any, nxt: Any) -> Any:
        return _formula(dice, protocol, now, nxt, names, 3)

    def step(protocol: Any, now: Any, nxt: Any) -> Any:
        return _step(dice, protocol, now, nxt)

    if dice.random() < 0.1:
        step.__name__ = name
        return step_property(kind)(step)
    stated.__name__ = name
    return temporal(kind)(stated)


def _constraint(dice: Random, kind: Any) -> Any:
    @constraint(kind)
    def bounded(protocol: Any, now: Any) -> Any:
        return (now.x != dice.randint(0, 2)) | (now.y != dice.randint(0, 2))

    return bounded


def _step(dice: Random, protocol: Any, now: Any, nxt: Any) -> Any:
    forms: list[Callable[[], Any]] = [
        lambda: nxt.x >= now.x,
        lambda: nxt.y != now.x,
        lambda: (nxt.x == now.x) | (now.y == nxt.y),
        lambda: exists(protocol.Node, lambda node: nxt.on[node]),
    ]
    return dice.choice(forms)()


def _formula(dice: Random, protocol: Any, now: Any, nxt: Any, names: list[str], depth: int) -> Any:
    def inner() -> Any:
        return _formula(dice, protocol, now, nxt, names, depth - 1)

    def at_nodes(quantified: Any) -> Any:
        """A frequent form, or any formula, at each node or at some."""
        form = dice.randint(0, 2)
        other = inner() if form == 2 else None

        def body(node: Any) -> Any:
            if form == 0:
                return leads_to(now.on[node], ~now.on[node])
            return eventually(now.on[node]) if other is None else other | always(eventually(now.on[node]))

        return quantified(protocol.Node, body)

    if depth <= 0 or dice.random() < 0.1:
        if dice.random() < 0.1:
            return enabled(now, dice.choice(names))
        return _predicate(dice, protocol, now)
    choices: list[Callable[[], Any]] = [
        lambda: eventually(inner()),
        lambda: always(inner()),
        lambda: always(eventually(inner())),
        lambda: eventually(always(inner())),
        lambda: leads_to(inner(), inner()),
        lambda: ~inner(),
        lambda: inner() & inner(),
        lambda: inner() | inner(),
        lambda: always(_step(dice, protocol, now, nxt)),
        lambda: always(eventually(_step(dice, protocol, now, nxt))),
        lambda: eventually(_step(dice, protocol, now, nxt)),
        lambda: at_nodes(for_each),
        lambda: at_nodes(for_some),
    ]
    return dice.choice(choices)()
