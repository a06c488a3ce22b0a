"""How random protocols are made that treat their sorts alike: no member is named and none is chosen first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

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
    build,
    invariant,
    ite,
    map_of,
    of,
    sort,
    undefined,
)
from leadline.symbolic.lang.gate import as_node, fits
from leadline.symbolic.lang.nodes import Const, StateVar, postorder
from leadline.symbolic.lang.symmetry import sorts_in
from leadline.symbolic.lang.value import wrap
from tests.random_expressions import Maker, literal
from tests.random_protocols import named
from tests.random_ways import ANYWHERE, KEY, Scope, choosing, leaf, ways_of

NODE = sort("Node", 3)
PAIR = Tuple((NODE, NODE))
HELD = Record("Held", (("by", Option(NODE)), ("count", Int(0, 1))))
LETTER = Union(
    "Letter", (("to", Record("to", (("whom", NODE), ("key", KEY)))), ("lost", Record("lost", ())))
)
VARIABLES: tuple[Type, ...] = (
    *(Option(NODE), Set(NODE), Seq(NODE, 2), Map(NODE, Int(0, 2)), Map(NODE, Bool()), Map(KEY, Option(NODE))),
    *(Option(KEY), Map(KEY, Int(0, 2)), HELD, Option(PAIR), Int(0, 2), Option(LETTER), Map(NODE, Option(KEY))),
)
PICKS: tuple[Type, ...] = (
    *(NODE, NODE, NODE, KEY, KEY, PAIR, Option(NODE), Set(NODE), LETTER, Int(0, 1)),
    *(Map(KEY, NODE), Seq(KEY, 1)),
)


class SymmetricMaker(Maker):
    """Makes expressions without constants that name some members of a sort."""

    def make(self, kind: Type, scope: Scope, depth: int) -> Any:
        """An expression of exactly this type over what is in scope, `depth` operators deep at most."""
        if depth <= 0 or self.budget <= 0:
            return self.leaf(kind, scope)
        self.budget -= 1
        ways = [*ways_of(kind), leaf]
        if self._number(5) == 0:  # most of these may go out of bounds, and a run ends there
            ways = [way for way in ANYWHERE if way is not choosing or not sorts_in(kind)]
        return wrap(as_node(self.draw(st.sampled_from(ways))(self, kind, scope, depth - 1), kind))

    def leaf(self, kind: Type, scope: Scope) -> Any:
        """Something in scope or a part of it, or a constant that names no members."""
        known = [x for x in scope if not isinstance(x.node, Const)]
        parts = [part for x in known for part in _parts(x, known, partial=self._number(3) == 0)]
        near = [x for x in (*known, *parts) if fits(x.node.type, kind)]
        if near and self._number(7) > 0:
            return wrap(as_node(near[self._number(len(near) - 1)], kind))
        return wrap(as_node(self.plain(kind, near), kind))

    def plain(self, kind: Type, near: list[Any]) -> Any:
        """A value that names no members; of a sort, what is at hand or nothing."""
        if not sorts_in(kind):
            return literal(kind, self.value(kind))
        match kind:
            case Option():
                return of(kind, None)
            case Set(item=item):
                return of(kind) if self.draw(st.booleans()) else wrap(as_node(item, kind))
            case Seq():
                return of(kind)
            case Map(key=key, value=value):
                return map_of(key, lambda k: self.leaf(value, (k,)))
            case Record(fields=fields):
                return of(kind, **{name: self.leaf(part, ()) for name, part in fields})
            case Union(variants=variants):
                tag, shape = self.draw(st.sampled_from(variants))
                return of(kind, tag, **{name: self.leaf(part, tuple(near)) for name, part in shape.fields})
        return near[0] if near else undefined(kind, "nothing at hand")

    def _type(self, scope: Scope, most: int) -> Type:
        known: list[Type] = [x.node.type for x in scope if x.node.type.cardinality <= most]
        return self.draw(st.sampled_from([Bool(), Int(0, 2), NODE, NODE, KEY, *known]))


def _parts(whole: Any, known: list[Any], *, partial: bool) -> list[Any]:
    """What can be read from a value in one step, maps at the keys that are known.

    Args:
        whole: the value.
        known: what is in scope.
        partial: whether what may go out of bounds is among it.
    """
    match whole.node.type:
        case Option() if partial:
            return [whole.value]
        case Tuple(items=items):
            return [whole[position] for position in range(len(items))]
        case Record(positions=positions):
            return [getattr(whole, name) for name in positions]
        case Union(variants=variants) if partial:
            return [part for tag, _ in variants for part in _parts(whole.as_a(tag), known, partial=True)]
        case Map(key=key):
            return [whole[one] for one in known if one.node.type == key]
        case Seq():
            return [whole.length, *([whole.first] if partial else [])]
        case Set():
            return [whole.size]
    return []


def random_symmetric_model(draw: st.DrawFn) -> Model:
    """A model of two or three variables and two to four actions, with one or two invariants."""
    kinds = draw(st.lists(st.sampled_from(VARIABLES), min_size=2, max_size=3))
    variables = {f"v{place}": kind for place, kind in enumerate(kinds, start=1)}

    def define(self: Any, state: Any) -> None:
        for name, kind in variables.items():
            state.declare(name, kind)

    def init(self: Any, start: Any) -> None:
        chosen = draw(st.lists(st.sampled_from((NODE, KEY, Set(NODE))), max_size=2))
        scope: Scope = tuple(start.pick(f"first{place}", kind) for place, kind in enumerate(chosen))
        for name, kind in variables.items():
            setattr(start, name, SymmetricMaker(draw, 0).leaf(kind, scope))

    methods: dict[str, Any] = {"define": define, "init": init, "protocol_name": "symmetric"}
    for place in range(1, draw(st.integers(2, 4)) + 1):
        methods[f"act{place}"] = named(_action(draw, variables), f"act{place}")
    protocol = type("Symmetric", (Protocol,), methods)

    def claim(name: str) -> Any:
        def formula(p: Any, now: Any) -> Any:
            scope = tuple(getattr(now, variable) for variable in variables)
            made = SymmetricMaker(draw, 10).bool(scope, 4)
            if any(isinstance(node, StateVar) for node in postorder(made.node)):
                return made
            return (scope[0] == SymmetricMaker(draw, 0).plain(kinds[0], [])) | made

        formula.__name__ = name
        return invariant(protocol)(formula)

    return build(protocol(), [claim(f"claim{place}") for place in range(draw(st.integers(1, 2)))])


def _action(draw: st.DrawFn, variables: dict[str, Type]) -> Callable[..., None]:
    def body(self: Any, now: Any, nxt: Any) -> None:
        scope: Scope = tuple(getattr(now, variable) for variable in variables)
        for place, kind in enumerate(draw(st.lists(st.sampled_from(PICKS), max_size=3))):
            sets = [x for x in scope if x.node.type == Set(kind)]
            domain = sets[0] if sets and draw(st.booleans()) else kind
            scope += (nxt.pick(f"p{place}", domain),)
        for _ in range(draw(st.integers(0, 2))):
            nxt.require(SymmetricMaker(draw, 5).bool(scope, 3))
        for name, kind in variables.items():
            if draw(st.booleans()):
                setattr(nxt, name, _changed(SymmetricMaker(draw, 4), getattr(now, name), kind, scope))

    return body


def _changed(m: SymmetricMaker, value: Any, kind: Type, scope: Scope) -> Any:
    """What an author would do to a value, or now and then anything."""
    picked = scope[-3:]
    near = [x for x in picked for part in kind.parts if fits(x.node.type, part)]
    match kind:
        case _ if m.draw(st.integers(0, 3)) == 0:
            return m.make(kind, scope, 3)
        case Option() if near:
            return near[-1]
        case Set() if near:
            return value.add(near[-1]) if m.draw(st.booleans()) else value.remove(near[-1])
        case Seq() if near:
            return ite(value.length < kind.capacity, value.append(near[-1]), of(kind))
        case Map(key=key, value=item):
            places = [x for x in picked if x.node.type == key]
            return value.set(places[-1], m.make(item, scope, 2)) if places else value
        case Int(high=high):
            return (value + 1) % (high + 1)
    return m.leaf(kind, scope)


__all__ = ["KEY", "NODE", "Sort", "random_symmetric_model"]
