"""Initial states and steps as actions: a formula is split along its disjunctions, as TLC goes through it.

Each path through a formula is one action, with a pick for each existential quantifier on it. Picks that a guard
fixes are left out: see `leadline.symbolic.tla.lower.fixed`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from leadline.symbolic.lang import (
    NEVER,
    NOWHERE,
    TOO_MANY,
    Action,
    Int,
    Map,
    Option,
    Pick,
    Set,
    Span,
    Type,
    Union,
    enabledness,
    is_total,
    is_total_beyond,
    item_of,
    nodes as n,
)
from leadline.symbolic.tla.lower import shapes, slots
from leadline.symbolic.tla.lower.builder import Body, Unlowerable, body_at, has_value
from leadline.symbolic.tla.lower.expressions import Lowering, is_empty
from leadline.symbolic.tla.lower.fixed import certain, conjuncts, fixed_value, reads
from leadline.symbolic.tla.lower.infinite import (
    Cases,
    Domain,
    Filtered,
    FunctionsOf,
    PowerSet,
    Product,
    Spread,
    United,
    listed_parts,
)
from leadline.symbolic.tla.lower.scope import Binding, BuiltIn, Later, Operator, Scope, Unsupported
from leadline.symbolic.tla.lower.terms import Terms
from leadline.symbolic.tla.read import syntax as s
from leadline.symbolic.tla.read.analysis import Reads, unsubscripted
from leadline.symbolic.tla.read.guards import FullGuards
from leadline.symbolic.tla.read.parts import Part

MOST_PATHS = 2_000
_MOST_ELEMENTS = 8
_DEEPEST = 8  # Each further call of a recursive operator is a path of its own, with all calls before it.

_MOST_PICKED = 1_024
"""The most values of a pick: where an expression may have more, what it depends on is picked."""
_MOST_SOUGHT = 65_536
"""The most values that a quantifier in a guard goes through."""


@dataclass(frozen=True)
class Way:
    """A path through a formula as far as it has been followed.

    Attributes:
        body: picks and guards.
        next: the values of the variables that it assigns, which may be outside of their types.
        name: the action that it belongs to.
        path: what is left of the path to a part: see `Part`.
        places: where it assigns them.
        defined: how many of these values have a value wherever the guards hold.
        fixed: see `Action`.
    """

    body: tuple[Pick | n.Node, ...] = ()
    next: tuple[tuple[str, n.Node], ...] = ()
    name: str = ""
    path: tuple[int, ...] = ()
    places: tuple[tuple[str, Span], ...] = ()
    defined: int = 0
    fixed: tuple[tuple[Pick, n.Node], ...] = ()

    def requiring(self, guard: n.Node) -> Way | None:
        """The path with one more guard; None if the guard is never true."""
        if isinstance(guard, n.Const):
            return self if guard.value else None
        way = self.with_values()
        return replace(way, body=(*way.body, guard))

    def with_values(self) -> Way:
        """The path where its next values have a value: as in TLC, their errors come before the guards behind."""
        partly = [value for _, value in self.next[self.defined :] if not is_total(value)]
        return replace(self, body=(*self.body, *map(has_value, partly)), defined=len(self.next))

    def defining(self, nodes: Iterable[n.Node]) -> Way:
        """The path where these have a value too."""
        partly = [has_value(x) for x in nodes if not is_total(x)]
        way = self.with_values() if partly else self
        return replace(way, body=(*way.body, *partly))

    @property
    def ends(self) -> bool:
        """Whether it never goes on, and is there for the errors in it alone."""
        return bool(self.body) and isinstance(self.body[-1], n.Const)


Rest = Callable[[Way, Scope], Iterator[Way]]


def end(way: Way, scope: Scope) -> Iterator[Way]:
    """The end of a path."""
    yield way


class Paths:
    """The paths through formulas about one state or a step.

    Args:
        lowering: the lowering of expressions.
        initial: whether the formula is about initial states, whose variables are not primed.
        mark: what is put behind the names of picks.
        as_written: whether picks stay that a guard fixes.
        guards: guards as TLC evaluates them until all variables have values; None: as everywhere.
    """

    def __init__(
        self,
        lowering: Lowering,
        *,
        initial: bool = False,
        mark: str = "",
        as_written: bool = False,
        guards: FullGuards | None = None,
    ) -> None:
        self._lowering = lowering
        self._terms = lowering.terms
        self._mark = mark
        self._guards = guards
        self._as_written = as_written
        self._initial = initial
        self._abouts: dict[int, tuple[Binding, frozenset[str]]] = {}
        self._analysis = lowering.analysis
        self._variables = lowering.specification.levels.variables
        self._own = lowering.variables.keys() - lowering.specification.history.keys()

    def of(
        self, e: s.Expression, parts: Sequence[Part] = (Part(""),), scope: Scope | None = None
    ) -> list[Way]:
        """All paths through a formula, or through some parts of it.

        Raises:
            Unsupported: if there is no symbolic form.
        """
        found: list[Way] = []
        scope = Scope(primed=self._initial) if scope is None else scope
        for way in (
            x for one in parts for x in self.follow(e, Way(name=one.name, path=one.path), scope, end)
        ):
            found.append(way)
            if len(found) > MOST_PATHS:
                raise Unsupported(e.place, f"over {MOST_PATHS:,} paths through the formula")
        found = needed(found)
        return found if self._as_written else [without_fixed(way, self._terms) for way in found]

    def follow(self, e: s.Expression, way: Way, scope: Scope, rest: Rest) -> Iterator[Way]:
        """The paths through a formula, each followed by the rest."""
        scope = replace(scope, next=dict(way.next))
        with self._lowering.at(e):
            rule = self._rule(e, scope)
        if rule is not None:
            yield from rule(e, way, scope, rest)
            return
        if self._guards is not None and self._incomplete(scope):
            e = self._guards.each(e)
        yield from self._behind(e, way, scope, rest)

    def _behind(self, e: s.Expression, way: Way, scope: Scope, rest: Rest) -> Iterator[Way]:
        """The paths behind a guard."""
        after = self.requiring(way, self._lowering.truth(e, scope))
        yield from self._ended(way) if after is None else rest(after, scope)

    def _ended(self, way: Way) -> Iterator[Way]:
        """The path as one that goes no further, if there may be an error on it, which TLC tells."""
        way = way.with_values()
        if not all(map(_is_defined, way.body)):
            yield replace(way, body=(*way.body, self._terms.boolean(False)))

    def _incomplete(self, scope: Scope) -> bool:
        """Whether a variable of the module has no value yet."""
        return not self._own <= scope.next.keys()

    def _rule(self, e: s.Expression, scope: Scope) -> Callable[..., Iterator[Way]] | None:
        """The rule for a formula with assignments in it; None for a guard."""
        if not self._assigns(e, scope):
            if not isinstance(e, s.Apply) or e.operator == "/\\":
                return self._junction if isinstance(e, s.Apply) else None
            opens = self._guards is not None and e.operator not in scope.names and self._guards.opens(e)
            return self._operator if opens and self._incomplete(scope) else None
        match e:
            case s.Apply("/\\"):
                return self._junction
            case s.Apply("\\/"):
                return self._disjunction
            case s.Apply("=" | "\\in" | "\\subseteq"):
                return self._assignment
            case s.Apply("UNCHANGED"):
                return self._unchanged
            case s.Apply("\\cdot"):
                return self._composed
            case s.Apply("=>", (premise, conclusion)):
                chosen = s.Case(((premise, conclusion),), s.Apply("TRUE"), place=e.place)
                return lambda _, *given: self._case(chosen, *given)
            case s.Apply():
                return self._operator
            case s.Quantified("\\E"):
                return self._exists
            case s.Quantified("\\A"):
                return self._every
            case s.Case():
                return self._case
            case s.Let():
                return self._let
            case s.Subscripted("[]_" | "<<>>_"):
                return self._subscripted
        return None

    def _assigns(self, e: s.Expression, scope: Scope) -> bool:
        """Whether an expression may be about a variable that has no value yet."""
        return not self._about(e, scope) <= scope.next.keys()

    def _about(self, e: s.Expression, scope: Scope) -> frozenset[str]:
        """The variables that an expression may assign, in what its names stand for, too."""
        named = ((name, scope.names[name]) for name in self._analysis.free(e) if name in scope.names)
        inside = (self._about_named(name, one, e) for name, one in named)
        return self._read(self._analysis.reads(e)).union(*inside)

    def _read(self, reads: Reads) -> frozenset[str]:
        """The variables that may have their values by what is read: in an initial state, or after a step."""
        return reads.now if self._initial else reads.next

    def _about_named(self, name: str, entity: Binding, e: s.Expression) -> frozenset[str]:
        """The variables that an expression may assign by a name: all, where the name or its argument is primed."""
        if isinstance(entity, Later) and not self._initial and self._analysis.primes(e, name):
            return self._variables
        if id(entity) not in self._abouts:
            self._abouts[id(entity)] = (entity, frozenset())  # for a name in its own definition
            match entity:
                case Operator(parameters, body, scope):
                    primed = any(self._analysis.primes(body, x.name) for x in parameters)
                    found = self._variables if primed else self._about(body, scope)
                case BuiltIn(key) if key in self._lowering.specification.definitions:
                    primed = bool(self._analysis.primed_parameters(key))
                    found = self._variables if primed else self._read(self._analysis.reads_of(key))
                case Later(body, scope):
                    found = self._about(body, scope)
                case _:
                    found = frozenset()
            self._abouts[id(entity)] = (entity, found)
        return self._abouts[id(entity)][1]

    # -- the forms of formulas --------------------------------------------------------------------

    def _junction(self, e: s.Apply, way: Way, scope: Scope, rest: Rest) -> Iterator[Way]:
        parts = e.arguments
        place, path = (way.path[0], way.path[1:]) if way.path else (-1, ())

        def some(at: int, before: Way) -> Iterator[Way]:
            if at == len(parts):
                yield from rest(before, scope)
                return
            here = replace(before, path=path) if at == place else before
            yield from self.follow(parts[at], here, scope, lambda after, _: some(at + 1, after))

        yield from some(0, replace(way, path=()))

    def _disjunction(self, e: s.Apply, way: Way, scope: Scope, rest: Rest) -> Iterator[Way]:
        parts = e.arguments
        if way.path:
            parts, way = (parts[way.path[0]],), replace(way, path=way.path[1:])
        for part in parts:
            yield from self.follow(part, way, scope, rest)

    def _operator(self, e: s.Apply, way: Way, scope: Scope, rest: Rest) -> Iterator[Way]:
        definitions = self._lowering.specification.definitions
        local = scope.names.get(e.operator)
        if isinstance(local, Operator):
            names = self._lowering.bound(local.parameters, e.arguments, scope)
            yield from self._inside(local.body, local.scope.having(names), way, scope, rest)
        elif isinstance(local, Later):
            yield from self._inside(local.body, local.scope, way, scope, rest)
        elif isinstance(local, BuiltIn) and e.arguments:
            others = {name: x for name, x in scope.names.items() if name not in (e.operator, local.name)}
            yield from self.follow(replace(e, operator=local.name), way, replace(scope, names=others), rest)
        elif local is None and e.operator in definitions:
            definition = definitions[e.operator]
            inner = self._lowering.entered(definition, e.arguments, scope)
            if inner is None or inner.depths[definition.name] > _DEEPEST:
                text = f"{definition.name} calls itself more than {_DEEPEST} times"
                yield from self._without_value(text, way, scope, rest)
            else:
                yield from self._inside(definition.body, inner, way, scope, rest)
        else:
            yield from self._behind(e, way, scope, rest)

    def _inside(self, body: s.Expression, inner: Scope, way: Way, scope: Scope, rest: Rest) -> Iterator[Way]:
        def outside(after: Way, _: Scope) -> Iterator[Way]:
            yield from rest(after, scope)

        yield from self.follow(body, way, replace(inner, primed=scope.primed, now=scope.now), outside)

    def _let(self, e: s.Let, way: Way, scope: Scope, rest: Rest) -> Iterator[Way]:
        yield from self._inside(e.body, self._lowering.defined(e, scope), way, scope, rest)

    def _case(self, e: s.Case, way: Way, scope: Scope, rest: Rest) -> Iterator[Way]:
        if not e.arms:
            last = self._without_value("no arm of the CASE holds", way, scope, rest)
            yield from last if e.other is None else self.follow(e.other, way, scope, rest)
            return
        (guard, arm), *others = e.arms
        condition = self._lowering.truth(guard, scope)
        behind = replace(e, arms=tuple(others))
        arms: list[list[Way]] = []
        through = partial(self.follow, arm), partial(self._case, behind)
        for test, follow in zip((condition, self._terms.negation(condition)), through, strict=True):
            # Where a condition is certainly false or has no value, the other arm tells that it has none.
            after = way.requiring(test) if certain(test) is not False else None
            arms.append([] if after is None else [*follow(after, scope, end)])
        with self._lowering.at(e):
            both = self._together(condition, way, *arms)
        for after in [both] if both is not None else itertools.chain(*arms):
            yield from [after] if after.ends else rest(after, scope)

    def _together(
        self, condition: n.Node, way: Way, then: Sequence[Way], otherwise: Sequence[Way]
    ) -> Way | None:
        """Both arms of an IF as one path, if they only give values to the same variables; None otherwise.

        Several IF in turn would have as many paths as there are combinations of their arms.
        """
        if len(then) != 1 or len(otherwise) != 1:
            return None
        one, other = then[0], otherwise[0]
        values = dict(other.next)
        if dict(one.next).keys() != values.keys():
            return None
        # Behind the condition, arms may require that other conditions have a value, and nothing else.
        behind = [x.body[len(way.with_values().body) + 1 :] for x in (one, other)]
        defined = [[x for x in items if not isinstance(x, Pick) and certain(x) is True] for items in behind]
        if any(len(items) < len(every) for items, every in zip(defined, behind, strict=True)):
            return None
        terms = self._terms
        after = one.next[: len(way.next)]
        for name, value in one.next[len(way.next) :]:
            mine = values[name]
            after = (*after, (name, value if value is mine else terms.ite(condition, value, mine)))
        total = is_total(condition) and not any(defined)
        guard = terms.boolean(True) if total else terms.ite(condition, *map(terms.conj, defined))
        held = replace(one, body=way.body, next=way.next, defined=way.defined).requiring(guard)
        return None if held is None else replace(held, next=after)

    def _without_value(self, why: str, way: Way, scope: Scope, rest: Rest) -> Iterator[Way]:
        """The path behind a formula without a value."""
        after = way.requiring(self._terms.undefined(self._terms.boolean(True).type, why))
        assert after is not None
        for name in sorted(self._variables - dict(after.next).keys()):
            after = self.assigned(after, name, self._terms.undefined(NEVER, why))
        yield from rest(after, scope)

    def _composed(self, e: s.Apply, way: Way, scope: Scope, rest: Rest) -> Iterator[Way]:
        """`A \\cdot B`: B goes on from the values that A gives the variables."""
        first, second = e.arguments
        for found in self.follow(first, replace(way, next=(), places=(), defined=0), scope, end):
            if found.ends:
                yield found
                continue
            values = dict(found.next)
            for name in self._lowering.variables.keys() - values.keys():
                values[name] = self._terms.undefined(NEVER, f"{name} has no value after the first step")
            between = replace(found, next=way.next, places=way.places, defined=way.defined)
            for after in self.follow(second, between, replace(scope, now=values), end):
                yield from rest(after, scope)

    def _subscripted(self, e: s.Subscripted, way: Way, scope: Scope, rest: Rest) -> Iterator[Way]:
        yield from self.follow(unsubscripted(e), way, scope, rest)

    def _for_elements(
        self,
        e: s.Expression,
        way: Way,
        name: str,
        scope: Scope,
        follow: Callable[[Way, n.Node], Iterator[Way]],
    ) -> Iterator[Way]:
        """The paths behind a pick of an element of a set; `follow` goes on from each."""
        try:
            domain = self._lowering.domain(e, scope)
            self._terms.place = e.place  # that of the pick
            picked = [*self.picked(way, name, domain)]
        except Unlowerable as error:
            raise Unsupported(e.place, str(error)) from error
        if not picked:
            yield from self._ended(way)
        for after, element in picked:
            yield from follow(after, element)

    # -- assignments ------------------------------------------------------------------------------

    def _target(self, e: s.Expression, way: Way, scope: Scope) -> str | None:
        """The variable that an expression stands for where it has no value yet."""
        names = scope.names
        if not self._initial:
            e, names = aliased(e, names)
            if isinstance(e, s.Apply) and not e.arguments and e.operator not in names:
                defined = self._lowering.specification.definitions.get(e.operator)
                e, names = (defined.body, {}) if defined is not None else (e, names)
            if not isinstance(e, s.Apply) or e.operator != "'":
                return None
            (e,) = e.arguments
        e, names = aliased(e, names)
        if not isinstance(e, s.Apply) or e.operator in names:
            return None
        definitions = self._lowering.specification.definitions
        while isinstance(e, s.Apply) and not e.arguments and e.operator in definitions:
            e = definitions[e.operator].body
        if not isinstance(e, s.Apply) or e.operator not in self._variables:
            return None
        return e.operator if e.operator not in dict(way.next) else None

    def _assignment(self, e: s.Apply, way: Way, scope: Scope, rest: Rest) -> Iterator[Way]:
        target = self._target(e.arguments[0], way, scope)
        if target is None:
            yield from self._behind(e, way, scope, rest)
        elif e.operator == "=":
            value = self._lowering.value(e.arguments[1], scope)
            yield from rest(self.assigned(way, target, value), scope)
        else:
            yield from self._for_elements(
                s.choices(e),
                way,
                target,
                scope,
                lambda after, x: rest(self.assigned(after, target, x), scope),
            )

    def assigned(self, way: Way, name: str, value: n.Node) -> Way:
        """The path with the next value of a variable."""
        places = (*way.places, (name, self._terms.place))
        return replace(way, next=(*way.next, (name, value)), places=places)

    def _unchanged(self, e: s.Apply, way: Way, scope: Scope, rest: Rest) -> Iterator[Way]:
        for name in self._names(e.arguments[0], scope.names):
            known = dict(way.next).get(name)
            now = self._lowering.variable(name, replace(scope, primed=False))
            if known is None:
                way = self.assigned(way, name, now)
                continue
            after = way.requiring(self._terms.equal(known, now))
            if after is None:
                yield from self._ended(way)
                return
            way = after
        yield from rest(way, scope)

    def _names(self, e: s.Expression, names: Mapping[str, Binding]) -> list[str]:
        """The variables of a tuple of variables."""
        definitions = self._lowering.specification.definitions
        e, names = aliased(e, names)
        match e:
            case s.TupleOf(items):
                return [name for item in items for name in self._names(item, names)]
            case s.Apply(name) if name in names:
                pass
            case s.Apply(name) if name in definitions and not e.arguments:
                return self._names(definitions[name].body, {})
            case s.Apply(name) if name in self._variables:
                return [name]
        raise Unsupported(e.place, "UNCHANGED of more than a tuple of variables")

    def _exists(self, e: s.Quantified, way: Way, scope: Scope, rest: Rest) -> Iterator[Way]:
        bounds = [
            (bound, name) for bound in e.bounds for name in ((None,) if bound.unpacked else bound.names)
        ]

        def chosen(place: int, way: Way, inner: Scope) -> Iterator[Way]:
            if place == len(bounds):
                yield from self._inside(e.body, inner, way, scope, rest)
                return
            bound, name = bounds[place]
            if bound.domain is None:
                raise Unsupported(bound.place, "a bound name without a set")

            def of_element(after: Way, picked: n.Node) -> Iterator[Way]:
                element = self._terms.as_tuple(picked, len(bound.names)) if bound.unpacked else picked
                names = self._lowering.names_of(bound, name, element)
                begun = after if is_total(element) else after.requiring(has_value(element))
                if begun is not None:
                    yield from chosen(place + 1, begun, inner.having(names))

            yield from self._for_elements(bound.domain, way, name or "pick", scope, of_element)

        yield from chosen(0, self._bounded(e, way, scope), scope)

    def _bounded(self, e: s.Quantified, way: Way, scope: Scope) -> Way:
        """The path where the sets of a quantifier have a value: TLC evaluates all before it takes an element."""
        sets = (self._lowering.domain(one.domain, scope) for one in e.bounds[1:] if one.domain is not None)
        return way.defining(part for one in sets for part in listed_parts(one))

    # -- quantifiers over all -------------------------------------------------------------------------------------

    def _every(self, e: s.Quantified, way: Way, scope: Scope, rest: Rest) -> Iterator[Way]:
        """A conjunction over the elements of sets. Of a set that is not known, each element is in it or not."""
        start, cases, way = way, [(scope, list[n.Node]())], self._bounded(e, way, scope)
        for bound, name, domain in self._lowering.pairs(e.bounds, scope):
            node = self._terms.set_node(self._lowering.listed(domain))
            if node.type.parts[0] == NEVER:
                after = way.requiring(self._terms.of_nothing(node, self._terms.boolean(True)))
                if after is None:
                    return
                way = after
            alike = self._alike(e, node, scope)
            if alike is not None:
                yield from self.follow(alike, start, scope, rest)
                return
            cases = [
                (inner.having(self._lowering.names_of(bound, name, x)), [*guards, *held])
                for inner, guards in cases
                for x, held in self._possible(e, node)
            ]

        def from_here(place: int, way: Way) -> Iterator[Way]:
            if place == len(cases):
                yield from rest(way, scope)
                return
            inner, guards = cases[place]
            inside = self._terms.conj(guards)
            held, left = way.requiring(inside), way.requiring(self._terms.negation(inside))
            if held is not None:

                def others(after: Way, _: Scope) -> Iterator[Way]:
                    yield from from_here(place + 1, after)

                yield from self._inside(e.body, inner, held, scope, others)
            if left is not None:
                yield from from_here(place + 1, left)

        yield from from_here(0, way)

    def _alike(self, e: s.Quantified, node: n.Node, scope: Scope) -> s.Expression | None:
        """The formula with its assignments behind the quantifier; None if they differ or the elements are few.

        `\\A x \\in S : P(x) /\\ y' = 1` is `(\\A x \\in S : P(x)) /\\ y' = 1`, or TRUE if S is empty.
        """
        if self._terms.elements(node) is not None or item_of(node).capped <= _MOST_ELEMENTS:
            return None
        if not isinstance(e.body, s.Apply) or e.body.operator != "/\\":
            return None
        items = e.body.arguments
        first = next((place for place, one in enumerate(items) if self._assigns(one, scope)), len(items))
        names = {name for bound in e.bounds for name in bound.names}
        if first == len(items) or any(
            one.operator in names for item in items[first:] for one in _applications(item)
        ):
            return None
        nothing = replace(e, body=s.Apply("FALSE", place=e.place))
        guards = replace(e, body=replace(e.body, arguments=(s.Apply("TRUE", place=e.place), *items[:first])))
        some = s.Apply("~", (nothing,), place=e.place)
        step = s.Apply("/\\", (some, guards, *items[first:]), place=e.place)
        return s.Apply("\\/", (nothing, step), place=e.place)

    def _possible(self, e: s.Quantified, node: n.Node) -> list[tuple[n.Node, list[n.Node]]]:
        """All that may be in a set, each with the condition that it is: none if the set is known."""
        known = self._terms.elements(node)
        if known is not None:
            return [(x, []) for x in known]
        item = item_of(node)
        if item.capped > _MOST_ELEMENTS:
            raise Unsupported(
                e.place, f"\\A with assignments over more than {_MOST_ELEMENTS} possible elements"
            )
        elements = (self._terms.narrowed(item, x) for x in item.values())
        return [(x, [self._terms.among(x, node)]) for x in elements]

    # -- picks ------------------------------------------------------------------------------------

    def requiring(self, way: Way, guard: n.Node) -> Way | None:
        """The path with one more guard; a value that the guard seeks among very many is picked."""
        parts = [*conjuncts(guard)]
        if not any(map(_seeks_among_many, parts)):
            return way.requiring(guard)
        after: Way | None = way
        for part in parts:
            if after is not None and _seeks_among_many(part):
                assert isinstance(part, n.Exists)
                pick = self._pick(after, part.var.name, part.var.type, None)
                within = body_at(part, self._var(pick))
                after = self.requiring(replace(after, body=(*after.body, pick)), within)
            elif after is not None:
                after = after.requiring(part)
        return after

    def picked(self, way: Way, name: str, domain: Domain) -> Iterator[tuple[Way, n.Node]]:
        """The path with a pick of an element of a set, and the element; several paths for a union of sets."""
        way = way if isinstance(domain, n.Node) else way.defining(listed_parts(domain))
        match domain:
            case United():
                for part in domain.parts:
                    yield from self.picked(way, name, part)
            case Spread():
                for begun, element in self.picked(way, domain.name, domain.whole):
                    yield from self.picked(begun, name, domain.body(element))
            case Cases():
                for here, part in domain.parts:
                    if (after := way.requiring(here)) is not None:
                        yield from self.picked(after, name, part)
            case Product():
                yield from self._picked_product(way, name, domain, ())
            case PowerSet() | FunctionsOf():
                every, inside = self._lowering.within_type(domain)
                yield from self._picked_where(way, name, self._type_of(domain) or item_of(every), inside)
            case Filtered():
                for after, element in self.picked(way, name, domain.whole):
                    within = after.requiring(domain.body(element))
                    if within is not None:
                        yield within, element
            case _:
                node = self._lowering.listed(domain)
                if slots.in_slots(node.type):
                    yield from self._picked_slot(way, name, node)
                else:
                    yield from self._picked_listed(way, name, self._terms.set_node(node))

    def _picked_where(self, way: Way, name: str, kind: Type, holds: Body) -> Iterator[tuple[Way, n.Node]]:
        """A pick of any value of a type for which this holds."""
        pick = self._pick(way, name, kind, None)
        var = self._var(pick)
        after = replace(way, body=(*way.body, pick)).requiring(holds(var))
        if after is not None:
            yield after, var

    def _type_of(self, domain: Domain) -> Type | None:
        """The type of which the elements of a constant set are picked as a whole; None if they are not."""
        match domain:
            case n.Const(type=Set(item=item)) if domain.value and not isinstance(item, Union):
                # Numbers that are far apart are few, but not their type.
                sparse = isinstance(item, Int) and item.cardinality > 2 * len(domain.value)
                return shapes.table_of(item, domain.value) if sparse else item
            case PowerSet(item=n.Const(type=Set(item=item)) as whole):
                return Set(self._type_of(whole) or item)
            case Product(keys=[_, _, *_] as keys):
                kinds = [self._type_of(part) for part in domain.parts]
                parts = [
                    (key.type, key.value, x) for key, x in zip(keys, kinds, strict=True) if x is not None
                ]
                kind = shapes.function_type(parts) if len(parts) == len(keys) else None
                return None if isinstance(kind, Map) and isinstance(kind.value, Option) else kind
        return None

    def _picked_product(
        self, way: Way, name: str, domain: Product, chosen: tuple[n.Node, ...]
    ) -> Iterator[tuple[Way, n.Node]]:
        place = len(chosen)
        kind = None if chosen else self._type_of(domain)
        if kind is not None:
            yield from self._picked_where(way, name, kind, partial(self._lowering.member, domain=domain))
            return
        if place == len(domain.parts):
            yield way, self._terms.function(list(zip(domain.keys, chosen, strict=True)))
            return
        for after, part in self.picked(way, name, domain.parts[place]):
            yield from self._picked_product(after, name, domain, (*chosen, part))

    def _picked_slot(self, way: Way, name: str, node: n.Node) -> Iterator[tuple[Way, n.Node]]:
        """A pick of a place, where there is a member."""
        at = partial(slots.member_at, self._terms, node)
        for after, place in self._picked_where(way, name, slots.slots_of(node).key, lambda x: at(x)[0]):
            yield after, at(place)[1]

    def _picked_listed(self, way: Way, name: str, node: n.Node) -> Iterator[tuple[Way, n.Node]]:
        assert isinstance(node.type, Set)
        if node.type.item == NEVER:
            # No member of what is no set: the path ends in an error.
            after = way.requiring(self._terms.of_nothing(node, self._terms.boolean(False)))
            if after is not None:
                yield after, self._terms.undefined(NEVER, "there is no element")
            return
        many = node.type.item.capped > _MOST_PICKED
        inside = self._picked_inside(way, name, node) if many or _is_alone(node) else None
        if inside is not None:
            yield from inside
            return
        if isinstance(node, n.Const):
            if not node.value:
                return
            if len(node.value) == 1 or node.type.item.width == TOO_MANY:
                # A pick of so large a type has no encoding.
                yield from ((way, one) for one in self._terms.elements(node) or [node])
                return
            every = node.type.item.has_exactly(len(node.value))
            pick = self._pick(way, name, node.type.item, None if every else node)
        elif isinstance(node, n.Universe):
            pick = self._pick(way, name, node.type.item, None)
        else:
            # Where the set is empty, errors of the values before are errors all the same.
            way = way.with_values()
            pick = self._pick(way, name, node.type.item, node)
        yield replace(way, body=(*way.body, pick)), self._var(pick)

    def _picked_inside(self, way: Way, name: str, node: n.Node) -> Iterator[tuple[Way, n.Node]] | None:
        """A pick of what the elements of a set depend on; None if the set does not tell it."""
        match node:
            case n.SetMap(domain=domain):
                found = self._picked_listed(way, name, domain)
                return ((begun, body_at(node, element)) for begun, element in found)
            case n.Coerce(item=inner, type=Set(item=kind)) if isinstance(inner.type, Set):
                found = self._picked_listed(way, name, inner)
                return ((begun, self._terms.convert(element, kind)) for begun, element in found)
            case n.Ite(condition=test, then=then, orelse=orelse):
                arms = ((way.requiring(test), then), (way.requiring(self._terms.negation(test)), orelse))
                each = (self._picked_listed(after, name, part) for after, part in arms if after is not None)
                return itertools.chain.from_iterable(each)
            case n.SetUnion(left=left, right=right):
                both = way.with_values().defining((left, right))
                return itertools.chain(*(self._picked_listed(both, name, part) for part in (left, right)))
            case n.SetFilter(domain=domain):
                found = self._picked_listed(way, name, domain)
                kept = ((begun.requiring(body_at(node, element)), element) for begun, element in found)
                return ((begun, element) for begun, element in kept if begun is not None)
            case n.SetOf(items=[_, *_] as items):
                return self._picked_item(way.with_values().defining(items), name, items)
        return None

    def _picked_item(self, way: Way, name: str, items: Sequence[n.Node]) -> Iterator[tuple[Way, n.Node]]:
        """A pick of the place of one of some expressions."""
        element, terms = items[-1], self._terms
        if len(items) > 1:
            pick = self._pick(way, name, Int(1, len(items)), None)
            way = replace(way, body=(*way.body, pick))
            for place, item in enumerate(items[:-1], start=1):
                element = terms.ite(terms.equal(self._var(pick), terms.integer(place)), item, element)
        yield way, element

    def _pick(self, way: Way, name: str, kind: Type, domain: n.Node | None) -> Pick:
        taken = {one.name for one in way.body if isinstance(one, Pick)}
        plain = name.split("@")[0] + self._mark
        unique = next(x for x in (plain, *(f"{plain}_{i}" for i in range(2, 1_000))) if x not in taken)
        return Pick(unique, kind, domain, self._terms.place)

    def _var(self, pick: Pick) -> n.Node:
        return self._terms.plain(pick.node)


def needed(ways: Sequence[Way]) -> list[Way]:
    """The paths without those that end where others go on, which have the same errors."""
    known = {way.body[:place] for way in ways if not way.ends for place in range(len(way.body) + 1)}
    found = list[Way]()
    for way in ways:
        if way.ends:
            last = max(place for place, item in enumerate(way.body) if not _is_defined(item))
            if way.body[: last + 1] in known:
                continue
            known.add(way.body[: last + 1])
        found.append(way)
    return found


def _is_defined(item: Pick | n.Node) -> bool:
    """Whether a guard, or the set of a pick, is never an error."""
    node = item.domain if isinstance(item, Pick) else item
    return node is None or is_total(node)


def aliased(e: s.Expression, names: Mapping[str, Binding]) -> tuple[s.Expression, Mapping[str, Binding]]:
    """The expression that a name stands for, with the names that are known there."""
    while isinstance(e, s.Apply) and isinstance(one := names.get(e.operator), Later):
        e, names = one.body, one.scope.names
    return e, names


def _applications(e: s.Node) -> Iterator[s.Apply]:
    if isinstance(e, s.Apply):
        yield e
    for child in s.children(e):
        yield from _applications(child)


def _is_alone(node: n.Node) -> bool:
    """Whether a set is written with one member, wherever it has any: `IF test THEN {x} ELSE {}`."""
    if isinstance(node, n.Ite):
        return all(is_empty(arm) or _is_alone(arm) for arm in (node.then, node.orelse))
    return isinstance(node, n.SetOf) and len(node.items) == 1


def _seeks_among_many(formula: n.Node) -> bool:
    """Whether a formula is an existential quantifier over a type with too many values to go through."""
    if not isinstance(formula, n.Exists) or not isinstance(formula.domain, n.Universe):
        return False
    return formula.var.type.capped > _MOST_SOUGHT


def without_fixed(way: Way, terms: Terms) -> Way:
    """The path without the picks that a guard on it fixes."""
    body = [one for item in way.body for one in ([item] if isinstance(item, Pick) else conjuncts(item))]
    way = replace(way, body=tuple(body))
    for name in [item.name for item in body if isinstance(item, Pick)]:
        # Its domain may have been changed by the one before.
        pick = next(item for item in way.body if isinstance(item, Pick) and item.name == name)
        way = _without(pick, way, terms)
    return way


def _without(pick: Pick, way: Way, terms: Terms) -> Way:
    """The path without a pick if a guard fixes it, and its value may be asked for where the pick is first read."""
    begin = way.body.index(pick)
    var = pick.node
    equations = ((at, fixed_value(var, x)) for at, x in enumerate(way.body) if isinstance(x, n.Node))
    at, value = next(((at, x) for at, x in equations if x is not None), (0, None))
    if value is None or not _movable(pick, var, value, way.body[begin + 1 : at]):
        return way
    first = next(i for i, item in enumerate(way.body) if _reads(item, var))
    terms.place = pick.span
    try:
        inside = terms.member(value, terms.universe(pick.type) if pick.domain is None else pick.domain)
        known: dict[n.Node, n.Node] = {var: terms.convert(value, pick.type)}
        fixed = (replace(pick, domain=None), terms.equal(var, known[var]))
    except Unlowerable:
        return way
    items = (
        *way.body[:begin],
        *way.body[begin + 1 : first],
        inside,
        *way.body[first:at],
        *way.body[at + 1 :],
    )
    changed = terms.exchange(var, known[var])
    body = [_with(item, changed) for item in items]
    return replace(
        way,
        body=tuple(item for item in body if not (isinstance(item, n.Const) and item.value)),
        next=tuple((name, changed(x)) for name, x in way.next),
        fixed=(*((one, changed(x)) for one, x in way.fixed), fixed),
    )


def _movable(pick: Pick, var: n.Node, value: n.Node, between: tuple[Pick | n.Node, ...]) -> bool:
    """Whether a value may be in the place of a pick: nothing is evaluated that was not, and could have no value.

    Args:
        pick: the pick.
        var: the pick as an expression.
        value: what it is equal to.
        between: what stands between the pick and the equation.
    """
    first = next((i for i, item in enumerate(between) if _reads(item, var)), None)
    if first is not None:
        later = {item.name for item in between[first:] if isinstance(item, Pick)}
        if later & {one.name for one in n.postorder(value) if isinstance(one, n.PickVar)}:
            return False
        if not is_total(value):
            return False
    if pick.domain is None or (isinstance(pick.domain, n.Const) and pick.domain.value):
        return pick.type.capped > 0
    return all(is_total(x) for x in (value, pick.domain, *map(_expression, between)) if x is not None)


def _expression(item: Pick | n.Node) -> n.Node | None:
    return item.domain if isinstance(item, Pick) else item


def _reads(item: Pick | n.Node, var: n.Node) -> bool:
    node = _expression(item)
    return node is not None and reads(node, var)


def _with(item: Pick | n.Node, changed: Callable[[n.Node], n.Node]) -> Pick | n.Node:
    if not isinstance(item, Pick):
        return changed(item)
    return item if item.domain is None else replace(item, domain=changed(item.domain))


# -- the paths through a next-state relation as actions, and ENABLED ---------------------------------------------


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
        made = Action(name, plain, "", span, way.body, changed, fixed=way.fixed)
        partly = (one for one, _ in changed if not is_total_beyond(raw[one], made))
        defined = {one: lowering.terms.conj(list(map(has_value, _partial(raw[one], made)))) for one in partly}
        found.append(replace(made, defined=defined))
    return found


def _partial(node: n.Node, action: Action) -> list[n.Node]:
    """The parts of an expression that may have no value. The expression has one where all of them have."""
    if is_total_beyond(node, action):
        return []
    if isinstance(node, n.SetOf | n.SetUnion | n.SetMinus | n.SetIntersect | n.MakeTuple | n.MakeRecord):
        return [x for part in n.children(node) for x in _partial(part, action)]
    return [node]


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
