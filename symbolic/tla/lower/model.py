"""A specification with types as a model of the language, which every engine takes.

Temporal properties and fairness become formulas over the model's states and steps. Fairness becomes a premise of
the claims that need it: what a specification calls fair need not be one of the model's actions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

from leadline.symbolic.lang import (
    BOOL,
    Action,
    Always,
    Both,
    Either,
    Eventually,
    Happens,
    Holds,
    Int,
    Model,
    ModelError,
    Negated,
    Origin,
    Pick,
    Property,
    PropertyKind,
    Sort,
    Temporal,
    Tuple,
    Type,
    Variable,
    in_tla,
    is_total,
    named_in,
    nodes as n,
    primed,
)
from leadline.symbolic.lang.nodes import replaced
from leadline.symbolic.tla.lower import shapes
from leadline.symbolic.tla.lower.actions import Paths, Way, actions_of, converted
from leadline.symbolic.tla.lower.builder import has_value
from leadline.symbolic.tla.lower.expressions import Lowering
from leadline.symbolic.tla.lower.scope import Operator, Scope, Unsupported
from leadline.symbolic.tla.read import syntax as s
from leadline.symbolic.tla.read.coverage import excerpt
from leadline.symbolic.tla.read.levels import Level
from leadline.symbolic.tla.read.parts import parts
from leadline.symbolic.tla.read.specification import Specification
from leadline.symbolic.tla.read.temporal import connected


class Claims:
    """The claims that a specification's configuration makes.

    Args:
        lowering: the lowering of expressions.
    """

    def __init__(self, lowering: Lowering) -> None:
        self._lowering = lowering
        self._specification = lowering.specification
        place = lowering.terms.place
        self._after: Mapping[str, n.Node] = {
            name: n.make(n.StateVar, kind, place, primed(name)) for name, kind in lowering.variables.items()
        }

    @s.deeply()
    def of(self, name: str) -> Property:
        """A claim of the configuration.

        Raises:
            Unsupported: if it has no symbolic form.
        """
        if name in self._specification.properties:
            return self._of_runs(name)
        self._lowering.terms.forget()
        with n.written() as places:
            formula = self._lowering.truth(self._specification.invariants[name], Scope())
        place = self._specification.place_of(name)
        return Property(name, name, PropertyKind.INVARIANT, "", place, formula, places=places)

    @cached_property
    def _fairness(self) -> tuple[Temporal, ...]:
        """The premises of every claim that is about more than steps: that a run is fair, and goes on for ever.

        A fair run goes on, and one that does stays within the constraints.
        """
        found = tuple(self._formula(one, Scope(next=self._after)) for one in self._specification.fairness)
        within = (self._lowering.truth(one, Scope()) for one in self._specification.constraints)
        return found or tuple(Always(Holds(one)) for one in within)

    def _of_runs(self, name: str) -> Property:
        e = self._specification.properties[name]
        parts = list(_conjuncts(self._formula(e, Scope(next=self._after))))
        certain = [(name, one) for name, one in parts if _is_safety(one)]
        if rest := [(name, one) for name, one in parts if not _is_safety(one)]:
            if self._specification.leveled is not None:
                raise Unsupported(
                    e.place, "a claim about runs, which a bound on the level of states cuts off"
                )
            whole, fair = _conjunction(rest), self._fairness
            certain.append(("", Either((Negated(Both(fair)), whole)) if fair else whole))
        formula = _conjunction(certain)
        none = n.make(n.Undefined, self._lowering.terms.boolean(True).type, e.place, "a claim about runs")
        place = self._specification.place_of(name)
        return Property(name, name, PropertyKind.TEMPORAL, "", place, none, temporal=formula)

    def _formula(self, e: s.Expression, scope: Scope) -> Temporal:
        with self._lowering.at(e):
            return self._ruled(e, scope)

    def _ruled(self, e: s.Expression, scope: Scope) -> Temporal:
        match e:
            case s.Apply(name) if isinstance(local := scope.names.get(name), Operator):
                names = self._lowering.bound(local.parameters, e.arguments, scope)
                return self._formula(local.body, replace(local.scope.having(names), next=scope.next))
            case s.Apply(name) if name not in scope.names and self._is_temporal(name):
                definition = self._specification.definitions[name]
                inner = self._lowering.entered(definition, e.arguments, scope)
                assert inner is not None
                return self._formula(definition.body, inner)
        if not self._is_about_runs(e, scope):
            return Holds(self._lowering.truth(e, scope))
        match e:
            case s.Quantified("\\A" | "\\E", bounds, body):
                found = self._elements(bounds, scope)
                items = tuple(self._formula(body, inner) for _, inner in found)
                return (Both if e.quantifier == "\\A" else Either)(items, tuple(name for name, _ in found))
            case s.Let(_, body):
                return self._formula(body, self._lowering.defined(e, scope))
            case s.Subscripted("WF_" | "SF_"):
                return self._fair(e, scope)
        formula, steps = partial(self._formula, scope=scope), partial(self._steps, scope=scope)
        whole = connected(e, formula, steps, partial(self._decided, scope=scope))
        if whole is None:
            other = "a temporal formula other than [], <>, ~>, WF_ and SF_"
            told = f"{e.operator} in a temporal formula" if isinstance(e, s.Apply) else other
            raise Unsupported(e.place, told)
        return whole

    def _decided(self, e: s.Expression, scope: Scope) -> bool | None:
        if self._specification.levels.of(e) > Level.CONSTANT or self._is_about_runs(e, scope):
            return None
        node = self._lowering.truth(e, scope)
        return bool(node.value) if isinstance(node, n.Const) else None

    def _is_about_runs(self, e: s.Expression, scope: Scope, seen: frozenset[str] = frozenset()) -> bool:
        """Whether an expression, or an operator of a LET in it, is about more than a state."""
        if self._specification.levels.of(e) > Level.STATE:
            return True
        names = s.operators(e) - seen
        known = [one for name in names if isinstance(one := scope.names.get(name), Operator)]
        return any(self._is_about_runs(one.body, one.scope, seen | names) for one in known)

    def _is_temporal(self, name: str) -> bool:
        definitions, levels = self._specification.definitions, self._specification.levels
        return name in definitions and levels.of_definition(name) is Level.TEMPORAL

    def _steps(self, step: s.Subscripted, scope: Scope) -> Happens:
        return Happens(self._lowering.truth(step, scope))

    def _actions(self, e: s.Subscripted, scope: Scope) -> tuple[Action, ...]:
        """The actions of `<<A>>_v`, if `v` are all variables."""
        watched = [self._lowering.value(e.subscript, scope)]
        for one in watched:
            watched += one.items if isinstance(one, n.MakeTuple) else ()
        if not self._after.keys() <= {one.name for one in watched if isinstance(one, n.StateVar)}:
            return ()
        paths = Paths(self._lowering, guards=self._specification.guards)
        try:
            return tuple(actions_of(paths.of(e.action, scope=replace(scope, next={})), self._lowering))
        except FORMLESS:
            return ()

    def _fair(self, e: s.Subscripted, scope: Scope) -> Temporal:
        step = s.Subscripted("<<>>_", e.action, e.subscript, place=e.place)
        idle = Negated(Holds(self._lowering.truth(s.Apply("ENABLED", (step,), place=e.place), scope)))
        taken, text = replace(self._steps(step, scope), actions=self._actions(e, scope)), (excerpt(e),)
        if e.kind == "WF_":
            return Always(Eventually(Either((idle, taken), text)))
        return Either((Eventually(Always(idle)), Always(Eventually(taken))), text)

    def _elements(self, bounds: Sequence[s.Bound], scope: Scope) -> list[tuple[str, Scope]]:
        """The scope with elements of the bounds' sets, in all ways, each after the names of the elements."""
        found = [("", scope)]
        for bound, name, domain in self._lowering.pairs(bounds, scope):
            elements = self._lowering.terms.elements(self._lowering.listed(domain))
            if elements is None:
                raise Unsupported(bound.place, "a temporal formula quantified over a set that is no constant")
            found = [
                (_named(told, name, x), one.having(self._lowering.names_of(bound, name, x)))
                for told, one in found
                for x in elements
            ]
        return found


class NotAlike(Exception):
    """Members of sorts are told apart, which is known before the whole model is made.

    Attributes:
        sorts: the sorts.
    """

    def __init__(self, sorts: set[Sort]) -> None:
        super().__init__(", ".join(one.name for one in sorts))
        self.sorts = sorts


def told_apart_in(model: Model, sorts: shapes.Sorts) -> set[Sort]:
    """The sorts of which the model names members; where a SYMMETRY is used, its initial states may."""
    begins = () if model.origin is not None and model.origin.symmetric else (model.init,)
    roots = [root for action in (*begins, *model.actions) for root in action.roots]
    return named_in([*roots, *(one.formula for one in model.constraints)]) & set(sorts.values())


def _named(before: str, name: str | None, value: n.Node) -> str:
    """The value of a variable, after those of the variables before it: `c = c1, d = d2`."""
    shown = in_tla(value.type, value.value) if isinstance(value, n.Const) else "..."
    return f"{before}{', ' if before else ''}{name or 'element'} = {shown}"


def _conjuncts(formula: Temporal, name: str = "") -> Iterator[tuple[str, Temporal]]:
    """The conjuncts of a formula, each after the values of the quantifiers around it."""
    if isinstance(formula, Both):
        for inner, one in zip(formula.names or [""] * len(formula.items), formula.items, strict=True):
            yield from _conjuncts(one, ", ".join(filter(None, (name, inner))))
    else:
        yield name, formula


def _conjunction(parts: Sequence[tuple[str, Temporal]]) -> Temporal:
    if len(parts) == 1 and not parts[0][0]:
        return parts[0][1]
    return Both(tuple(one for _, one in parts), tuple(name for name, _ in parts))


def _is_safety(formula: Temporal) -> bool:
    """Whether fairness does not matter to a formula: one about states, steps or the beginning."""
    match formula:
        case Holds() | Always(Holds()) | Always(Negated(Happens())):
            return True
    return False


@s.deeply()
def lowered(
    specification: Specification,
    types: Mapping[str, Type],
    origin: Origin,
    sorts: shapes.Sorts | None = None,
    lacking: dict[str, Exception] | None = None,
    as_written: bool = False,
) -> Model:
    """The model of a specification.

    Args:
        specification: a loaded specification with initial states and steps.
        types: the type of each variable, with values of sorts.
        origin: the specification as the model's origin.
        sorts: the sort of each model value or string that is of one.
        lacking: takes the claims that have no symbolic form, each with the reason, in place of an exception.
        as_written: whether picks stay that a guard fixes.

    Raises:
        NotAlike: if the initial states tell members of sorts apart, and no SYMMETRY is used.
        Unsupported: if a part has no symbolic form.
    """
    assert specification.init is not None and specification.next is not None
    sorts = sorts or {}
    lowering = Lowering(specification, types, sorts)
    names = tuple(types)
    place, guards = s.Place(specification.file, 1, 1), specification.guards
    variables = tuple(Variable(name, name, kind, place) for name, kind in types.items())
    begun = Paths(lowering, initial=True, guards=guards).of(specification.init)
    ways = [_typed(lowering, way) for way in begun]
    init = _initial(lowering, ways, names)
    apart = named_in(init.roots) & set(sorts.values())
    if apart and not origin.symmetric:
        raise NotAlike(apart)
    following = Paths(lowering, as_written=as_written, guards=guards)
    ways = following.of(specification.next, parts(specification))
    actions = actions_of(ways, lowering)
    properties = _properties(lowering, lacking)
    constraints = tuple(
        Property(
            name,
            name.replace("-", "_"),
            PropertyKind.CONSTRAINT,
            "",
            one.place,
            lowering.truth(one, Scope()),
        )
        for name, one in zip(specification.constraint_names, specification.constraints, strict=True)
    )
    return Model(
        specification.name,
        {},
        variables,
        init,
        tuple(action.within(constraints) for action in actions),
        properties,
        constraints=constraints,
        origin=origin,
    )


@s.deeply()
def initial_types(specification: Specification) -> dict[str, Type]:
    """The types of the values that the initial condition gives to variables, whether or not a state has them all.

    Raises:
        Unsupported: if the condition has no symbolic form.
    """
    assert specification.init is not None
    lowering = Lowering(specification, dict.fromkeys(specification.variables, shapes.NEVER))
    ways = Paths(lowering, initial=True).of(specification.init)
    found: dict[str, Type] = {}
    for name, value in (pair for way in ways for pair in way.next):
        found[name] = shapes.join(found.get(name, shapes.NEVER), value.type)
    return found


FORMLESS = (Unsupported, RecursionError, ModelError)
"""The exceptions that an expression without symbolic form raises."""


def _properties(lowering: Lowering, lacking: dict[str, Exception] | None) -> dict[str, Property]:
    specification, claims = lowering.specification, Claims(lowering)
    found = dict[str, Property]()
    names = (*specification.invariants, *specification.properties)
    for name in names:
        try:
            found[name] = claims.of(name)
        except FORMLESS as error:
            if lacking is not None:
                lacking[name] = error
            elif isinstance(error, Unsupported) and len(names) > 1:
                others = f"{name} needs it: ask about other properties with --property"
                raise Unsupported(error.place, f"{error.why} ({others})") from error
            else:
                raise
    return found


def _typed(lowering: Lowering, way: Way) -> Way:
    places = dict(way.places)
    found = ((name, converted(lowering, name, value, places[name])) for name, value in way.next)
    return replace(way, next=tuple(found))


def _initial(lowering: Lowering, ways: list[Way], names: tuple[str, ...]) -> Action:
    """The initial states of several paths as one action."""

    def nothing(name: str) -> tuple[str, n.Node]:
        why = f"{name} has no value in an initial state"
        return name, n.make(n.Undefined, lowering.variables[name], place, why)

    init = lowering.specification.init
    place = init.place if init is not None else s.BUILT_IN
    lacking = [[name for name in names if name not in dict(way.next)] for way in ways]
    if ways and all(lacking):
        raise Unsupported(place, f"the initial states do not say {', '.join(lacking[0])}")
    # Such a path may contradict itself: `x = 1 => y = 5` and `x # 1 => y = 6`, where neither premise is true.
    ways = [
        replace(way, next=(*way.next, *map(nothing, lack))) for way, lack in zip(ways, lacking, strict=True)
    ]
    body: Sequence[Pick | n.Node]
    values: dict[str, n.Node]
    if not ways:
        body = [lowering.terms.boolean(False)]
        values = {x: n.make(n.Undefined, kind, place, "no state") for x, kind in lowering.variables.items()}
    elif len(ways) == 1:
        body, values = ways[0].body, dict(ways[0].next)
    else:
        body, values = _branches(lowering, ways, place)
    defined = {name: has_value(values[name]) for name in names if not is_total(values[name])}
    updates = tuple((name, values[name]) for name in names)
    return Action("init", "Init", "", place, tuple(body), updates, defined=defined)


def _branches(
    lowering: Lowering, ways: Sequence[Way], place: s.Place
) -> tuple[list[Pick | n.Node], dict[str, n.Node]]:
    """The body and the values of an action that picks one of several paths first."""
    kind = Int(1, len(ways))
    var = n.make(n.PickVar, kind, place, "branch")
    terms = lowering.terms
    here = [terms.equal(var, terms.integer(number)) for number in range(1, len(ways) + 1)]
    shared = _shared_picks(ways)
    body: list[Pick | n.Node] = [Pick("branch", kind, None, place)]
    for one in shared:
        body.append(one.pick)
        first = n.make(n.Const, one.pick.type, one.pick.span, one.pick.type.first)
        if len(one.used) < len(ways) and not named_in([first]):
            # On the other paths all values make the same state: one of them is enough.
            only = terms.make(n.Eq, BOOL, one.pick.node, first)
            body.append(terms.disj([*(here[number] for number in sorted(one.used)), only]))
    values: dict[str, n.Node] = {}
    bounded: list[_SharedPick] = []
    for number, way in enumerate(ways):
        leaves = dict(one.used[number] for one in shared if number in one.used)
        for item in way.body:
            if not isinstance(item, Pick):
                body.append(terms.make(n.Implies, BOOL, here[number], replaced(item, leaves)))
            elif item.domain is not None:
                own = replace(item, domain=replaced(item.domain, leaves))
                like = next((x for x in bounded if x.takes(number, own)), None)
                if like is None:
                    like = _SharedPick.of(number, own)
                    bounded.append(like)
                    body.append(like.pick)
                leaves |= [like.used[number]]
        for name, value in way.next:
            mine = replaced(value, leaves)
            values[name] = mine if name not in values else terms.ite(here[number], mine, values[name])
    return body, values


@dataclass
class _SharedPick:
    """A pick that stands for one of each of several paths at most.

    Attributes:
        pick: the pick.
        used: for each path that has one the leaf of its own pick, and the value that takes its place.
    """

    pick: Pick
    used: dict[int, tuple[n.Node, n.Node]] = field(default_factory=dict)

    @classmethod
    def of(cls, number: int, pick: Pick) -> _SharedPick:
        """The first pick of its kind, of a path."""
        one = cls(replace(pick, name=f"{pick.name}_{number + 1}"))
        one.used[number] = (pick.node, one.pick.node)
        return one

    def takes(self, number: int, pick: Pick) -> bool:
        """Take the place of a path's pick, if it can: one of the same values, or of tuples that begin these."""
        whole, part = self.pick.node, pick.type
        if number in self.used or self.pick.domain != pick.domain:
            return False
        if part == whole.type:
            self.used[number] = (pick.node, whole)
            return True
        if pick.domain or not isinstance(part, Tuple) or not isinstance(whole.type, Tuple):
            return False
        if part.items != whole.type.items[: len(part.items)]:
            return False
        items = [n.make(n.Component, x, pick.span, whole, place) for place, x in enumerate(part.items)]
        self.used[number] = (pick.node, n.make(n.MakeTuple, part, pick.span, tuple(items)))
        return True


def _shared_picks(ways: Sequence[Way]) -> list[_SharedPick]:
    """The picks without domain of several paths, of which one is taken: as few as can stand for all of them.

    Picks of each path by itself would have as many values together as the product of theirs.
    """
    own = [
        (number, x)
        for number, way in enumerate(ways)
        for x in way.body
        if isinstance(x, Pick) and x.domain is None
    ]
    shared: list[_SharedPick] = []
    for number, pick in sorted(own, key=lambda x: -len(x[1].type.parts)):
        if not any(one.takes(number, pick) for one in shared):
            shared.append(_SharedPick.of(number, pick))
    return shared
