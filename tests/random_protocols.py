"""Random protocols: their methods draw from hypothesis while the model is built."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

from hypothesis import strategies as st

from leadline.symbolic.lang import (
    Claim,
    Int,
    Map,
    Model,
    Option,
    Protocol,
    Record,
    Seq,
    Set,
    Tuple,
    Type,
    action,
    build,
    invariant,
    ite,
    map_of,
    pick,
    probe,
)
from leadline.symbolic.lang.coercion import fits
from leadline.symbolic.lang.nodes import StateVar, postorder
from tests.random_expressions import Maker, literal
from tests.random_ways import Scope

SIZE = 6
"""How many operators an expression of a random protocol may have."""


def random_model(draw: st.DrawFn, kinds: Sequence[Type]) -> Model:
    """A model over variables of the types."""
    variables = {f"v{place}": kind for place, kind in enumerate(kinds, start=1)}
    wider = {place: widened(kind) for place, kind in enumerate(kinds, start=1)}
    roomy = [x for x, kind in wider.items() if kind != kinds[x - 1] and fits(kind, kinds[x - 1])]
    chance = draw(st.booleans())
    if roomy and chance:
        number = draw(st.sampled_from(roomy))
        variables[f"twin_of_v{number}"] = wider[number]
    methods: dict[str, Any] = {
        "define": lambda self, state: [state.declare(name, kind) for name, kind in variables.items()],
        "init": lambda self, start: _initial(draw, variables, start),
        "protocol_name": "random",
    }
    for place in range(1, draw(st.integers(2, 5)) + 1):
        name = f"act{place}"
        methods[name] = _action(draw, variables, name)
    protocol = type("Random", (Protocol,), methods)
    claims = [_claim(draw, protocol, variables, f"claim{place}") for place in range(draw(st.integers(1, 2)))]
    return build(protocol(), claims)


def _initial(draw: st.DrawFn, variables: dict[str, Type], start: Any) -> None:
    picked: Scope = ()
    for name, kind in variables.items():
        maker = Maker(draw, 2)
        if kind.cardinality <= 4 and draw(st.booleans()):
            value = start.pick(f"first_{name}", kind)
            picked += (value,)
            if draw(st.integers(0, 3)) == 0:
                start.require(maker.bool(picked, 2))
        else:
            value = maker.make(kind, picked, 2)
        setattr(start, name, value)


def _action(draw: st.DrawFn, variables: dict[str, Type], name: str) -> Any:
    small = [kind for kind in variables.values() if kind.cardinality <= 4]
    chance: bool = draw(st.booleans())
    domain = draw(st.sampled_from(small)) if small and chance else None

    def body(now: Any, nxt: Any, picked: Scope) -> None:
        scope: Scope = (*(getattr(now, variable) for variable in variables), *picked)
        scope += _picks(draw, nxt, scope)
        for _ in range(draw(st.integers(0, 2))):
            nxt.require(Maker(draw, SIZE).bool(scope, 3))
        for variable, kind in variables.items():
            draw(st.sampled_from(_UPDATES))(draw, nxt, scope, variable, kind)

    if domain is None:

        def without(self: Any, now: Any, nxt: Any) -> None:
            body(now, nxt, ())

        return _named(without, name)

    def with_pick(self: Any, now: Any, nxt: Any, chosen: Any = pick(domain)) -> None:
        body(now, nxt, (chosen,))

    return _named(with_pick, name)


def _named(method: Callable[..., None], name: str) -> Any:
    method.__name__ = name
    return action(method)


def _picks(draw: st.DrawFn, nxt: Any, scope: Scope) -> Scope:
    """Now and then a pick from a set in the state, or a free choice from one."""
    small = [x.node.type for x in scope if x.node.type.cardinality <= 4]
    if not small or draw(st.booleans()):
        return ()
    domain = Maker(draw, SIZE).make(Set(draw(st.sampled_from(small))), scope, 2)
    take = nxt.pick if draw(st.integers(0, 3)) else nxt.choose_any
    return (take("member", domain),)


def _keep(draw: st.DrawFn, nxt: Any, scope: Scope, name: str, kind: Type) -> None:
    pass


def _assign(draw: st.DrawFn, nxt: Any, scope: Scope, name: str, kind: Type) -> None:
    setattr(nxt, name, Maker(draw, SIZE).make(kind, scope, 3))


def _assign_part(draw: st.DrawFn, nxt: Any, scope: Scope, name: str, kind: Type) -> None:
    """Along a path of at most two parts; all of it where the type has no parts."""
    path: list[Any] = [name]
    places = [nxt]
    for _ in range(2):
        step = _step(draw, scope, kind)
        if step is None:
            break
        places.append(_at(places[-1], path[-1]))
        path.append(step[0])
        kind = step[1]
    value = Maker(draw, SIZE).make(kind, scope, 3)
    if isinstance(path[-1], str):
        setattr(places[-1], path[-1], value)
    else:
        places[-1][path[-1]] = value


def _change_part(draw: st.DrawFn, nxt: Any, scope: Scope, name: str, kind: Type) -> None:
    """Assign a part of a variable from its old value: one item more, some members less."""
    path: list[Any] = [name]
    for _ in range(2):
        step = _step(draw, scope, kind)
        if step is None or (isinstance(kind, Seq) and draw(st.booleans())):
            break
        path.append(step[0])
        kind = step[1]
    now = {x.node.name: x for x in scope if isinstance(x.node, StateVar)}
    old = reduce(_at, path[1:], now[name])
    # Two fields of a record are two assignments, one after the other.
    fields = draw(st.permutations(kind.fields))[:2] if isinstance(kind, Record) and kind.fields else [None]
    for field in fields:
        whole = path if field is None else [*path, field[0]]
        part, inner = (old, kind) if field is None else (getattr(old, field[0]), field[1])
        place, value = reduce(_at, whole[:-1], nxt), _changed(draw, (*scope, part), part, inner)
        if isinstance(whole[-1], str):
            setattr(place, whole[-1], value)
        else:
            place[whole[-1]] = value


def widened(kind: Type) -> Type:
    """A type with room for more, of which a value may not fit."""
    match kind:
        case Seq(item=item, capacity=capacity):
            return Seq(widened(item), capacity + 1)
        case Map(key=key, value=value):
            return Map(key, widened(value))
        case Tuple(items=items):
            return Tuple(tuple(map(widened, items)))
        case Option(item=item):
            return Option(widened(item))
        case Int(low=low, high=high):
            return Int(low, high + 1)
    return kind


def _copy_part(draw: st.DrawFn, nxt: Any, scope: Scope, name: str, kind: Type) -> None:
    """Assign a part of a variable, in some cases or all, from a variable with room for more."""
    now = {x.node.name: x for x in scope if isinstance(x.node, StateVar)}
    twin = now.get(f"twin_of_{name}")
    if twin is None:
        return _change_part(draw, nxt, scope, name, kind)
    path: list[Any] = [name]
    elsewhere: list[Any] = []
    for _ in range(2):
        step = _step(draw, scope, kind)
        if step is None or (isinstance(kind, Seq) and draw(st.booleans())):
            break
        path.append(step[0])
        # Mostly the same key; now and then another.
        other = isinstance(kind, Map) and draw(st.integers(0, 3)) == 0
        again = _step(draw, scope, kind) if other else step
        elsewhere.append((again or step)[0])
        kind = step[1]
    value = reduce(_at, elsewhere, twin)
    if draw(st.booleans()):
        value = ite(Maker(draw, SIZE).bool(scope, 2), value, reduce(_at, path[1:], now[name]))
    place = reduce(_at, path[:-1], nxt)
    if isinstance(path[-1], str):
        setattr(place, path[-1], value)
    else:
        place[path[-1]] = value
    return None


def _changed(draw: st.DrawFn, scope: Scope, old: Any, kind: Type) -> Any:
    maker = Maker(draw, SIZE)
    match kind:
        case Seq(item=item):
            value = old.append(maker.make(item, scope, 2))
        case Set():
            other = maker.make(kind, scope, 2)
            value = old | other if draw(st.booleans()) else old - other
            if draw(st.booleans()):
                value = value | maker.make(kind, scope, 1)
        case Map(key=key, value=inner):
            value = map_of(
                key, lambda at: ite(maker.bool((*scope, at), 2), old[at], maker.make(inner, scope, 1))
            )
        case _:
            value = maker.make(kind, scope, 3)
    if draw(st.booleans()):
        arms = (old, value) if draw(st.booleans()) else (value, old)
        value = ite(maker.bool(scope, 2), *arms)
    return value


def _at(place: Any, part: Any) -> Any:
    return getattr(place, part) if isinstance(part, str) else place[part]


def _step(draw: st.DrawFn, scope: Scope, kind: Type) -> tuple[Any, Type] | None:
    """A way into a value of the type, as a field's name or a key, and the type of what is there."""
    match kind:
        case Map(key=key, value=value):
            return Maker(draw, 2).make(key, scope, 2), value
        case Seq(item=item):
            return Maker(draw, 2).integer(scope, 2), item
        case Record(fields=fields) if fields:
            return draw(st.sampled_from(fields))
        case Tuple(items=items) if items:
            position = draw(st.integers(0, len(items) - 1))
            return position, items[position]
    return None


def _branches(draw: st.DrawFn, nxt: Any, scope: Scope, name: str, kind: Type) -> None:
    def say(here: Any) -> None:
        draw(st.sampled_from((_keep, _assign, _assign_part, _change_part)))(draw, here, scope, name, kind)

    with nxt.when(Maker(draw, SIZE).bool(scope, 2)):
        say(nxt)
    if draw(st.booleans()):
        with nxt.elsewhen(Maker(draw, SIZE).bool(scope, 2)):
            say(nxt)
            if draw(st.booleans()):
                nxt.require(Maker(draw, SIZE).bool(scope, 2))
    if draw(st.booleans()):
        with nxt.otherwise():
            say(nxt)


_UPDATES = (_keep, _assign, _assign_part, _change_part, _change_part, _copy_part, _branches)


def _claim(draw: st.DrawFn, protocol: type[Protocol], variables: dict[str, Type], name: str) -> Claim:
    def formula(p: Any, now: Any) -> Any:
        scope = tuple(getattr(now, variable) for variable in variables)
        made = Maker(draw, 2 * SIZE).bool(scope, 4)
        if any(isinstance(node, StateVar) for node in postorder(made.node)):
            return made
        first, kind = next(iter(variables.items()))
        return (getattr(now, first) == literal(kind, Maker(draw, 0).value(kind))) | made

    formula.__name__ = name
    return (invariant if draw(st.booleans()) else probe)(protocol)(formula)
