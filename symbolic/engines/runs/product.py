"""A model beside a monitor of a temporal formula: its fair runs that satisfy the formula.

The formula is in normal form, the negation of a property. The monitor has a Boolean variable for each part
`[]F` or `<>F` that the run may owe from its present state on. Every step pays: of `[]F` the run owes F now, and
the whole again afterwards; of `<>F` it owes F now, or the whole again afterwards. What is put off must not be
put off for ever. (P. Gastin, D. Oddoux: Fast LTL to Büchi automata translation, CAV 2001, with a variable for
each state of their very weak alternating automaton.)

Every judgement is of a state and the step from it, the stuttering step among them, which is always possible. So
the state after a step is read only where the formula is about steps.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TypeAlias

from leadline.symbolic.engines.bounded.sweeps import known_order
from leadline.symbolic.engines.prove.lemmas import claiming
from leadline.symbolic.engines.runs.formulas import strong_premises
from leadline.symbolic.lang import (
    BOOL,
    NOWHERE,
    Action,
    Always,
    Both,
    Either,
    Eventually,
    Fairness,
    ForEach,
    ForSome,
    Happens,
    Holds,
    Int,
    Map,
    Model,
    Pick,
    Property,
    PropertyKind,
    Set,
    Temporal,
    Tuple,
    Type,
    Variable,
    as_node,
    changes,
    fair_enabled,
    folded,
    instances,
    is_plain,
    key_variables,
    nodes as n,
    primed,
    substituted,
)
from leadline.symbolic.lang.nodes import binder_height, replaced
from leadline.symbolic.lang.rules import connective, equality, implication, negation

STUTTER = "(stutter)"
"""The step that changes nothing. No method of a protocol can have the name."""

CHOICE = "(choice)"
"""The monitor's pick."""

TRUE, FALSE = as_node(True), as_node(False)


@dataclass(frozen=True)
class Mark:
    """Something that some steps do, at each tuple of values of some types by itself; mostly of no types.

    Attributes:
        keys: leaves that stand for the values in the nodes about the mark.
    """

    keys: tuple[n.PickVar, ...] = ()

    @property
    def type(self) -> Type:
        """The type of a variable that holds a Boolean for each tuple of values."""
        kind: Type = BOOL
        for key in reversed(self.keys):
            kind = Map(key.type, kind)
        return kind

    def value(self, node: n.Node) -> n.Node:
        """The value of this type that holds the node's value for each tuple of values."""
        for key in reversed(self.keys):
            var = n.make(n.Bound, key.type, NOWHERE, key.name, binder_height(node) + 1)
            node = n.make(n.MapBuild, Map(key.type, node.type), NOWHERE, var, replaced(node, {key: var}))
        return node

    def at(self, node: n.Node) -> n.Node:
        """The Boolean that a value of this type holds for the keys."""
        for key in self.keys:
            assert isinstance(node.type, Map)
            node = n.make(n.Apply, node.type.value, NOWHERE, node, key)
        return node

    def every(self, node: n.Node) -> n.Node:
        """Whether the node holds for each tuple of values."""
        for key in reversed(self.keys):
            var = n.make(n.Bound, key.type, NOWHERE, key.name, binder_height(node) + 1)
            domain = n.make(n.Universe, Set(key.type), NOWHERE)
            node = n.make(n.Forall, BOOL, NOWHERE, var, domain, replaced(node, {key: var}))
        return node


def read(name: str, kind: Type) -> n.Node:
    """The value of a variable."""
    return n.make(n.StateVar, kind, NOWHERE, name)


def flags_of(marks: tuple[Mark, ...], *words: str) -> list[tuple[str, Mark]]:
    """The variables that note something of each mark, with the marks."""
    return [(f"({word} {place})", mark) for word in words for place, mark in enumerate(marks)]


Added: TypeAlias = tuple[str, Type, n.Node]
"""A variable that is added to a model: its name, its type and its first value."""


@dataclass(frozen=True)
class Watched:
    """An action of a product, and what its steps do. The judgements read the state before the step.

    Attributes:
        action: the action with the monitor's picks, guards and updates; its picks may occur in judgements.
        met: for each mark of `Product.recurrent`, whether the step meets it.
        taken: for each mark of `Product.strong`, whether the step takes the action in question.
    """

    action: Action
    met: tuple[n.Node, ...]
    taken: tuple[n.Node, ...]


@dataclass(frozen=True)
class Product:
    """A model with a monitor, and stuttering.

    A run of the model is fair and satisfies the formula if and only if, with the right choices of the monitor,
    its steps meet each of `recurrent` infinitely often and, for each of `strong`, take it infinitely often or
    come to states in which it is not able any more.

    Attributes:
        base: the model.
        variables: its variables and the monitor's.
        init: the initial states.
        watched: the actions, the stuttering last.
        recurrent: the marks that are to be met.
        strong: the marks of strong fairness.
        able: for each of these, whether the action in question can be taken.
    """

    base: Model
    variables: tuple[Variable, ...]
    init: Action
    watched: tuple[Watched, ...]
    recurrent: tuple[Mark, ...]
    strong: tuple[Mark, ...]
    able: tuple[n.Node, ...]

    @property
    def flags(self) -> list[tuple[str, Mark]]:
        """The variables that note what steps have done, with the marks."""
        return [*flags_of(self.recurrent, "met"), *flags_of(self.strong, "able", "taken")]

    @property
    def nothing_noted(self) -> list[Added]:
        """These variables before any step."""
        return [(flag, mark.type, mark.value(FALSE)) for flag, mark in self.flags]

    def noted(self, one: Watched) -> list[tuple[str, Mark, n.Node]]:
        """For each of these variables what a step of an action does."""
        nodes = (*one.met, *self.able, *one.taken)
        return [(flag, mark, node) for (flag, mark), node in zip(self.flags, nodes, strict=True)]

    def fulfilled(self, seen: Callable[[str, Mark], n.Node]) -> list[n.Node]:
        """Whether all conditions are met, given for each of these variables the node of what was seen."""
        found = [mark.every(seen(flag, mark)) for flag, mark in flags_of(self.recurrent, "met")]
        pairs = zip(flags_of(self.strong, "able"), flags_of(self.strong, "taken"), strict=True)
        found += [mark.every(implication(seen(a, mark), seen(b, mark))) for (a, mark), (b, _) in pairs]
        return found

    def model(
        self,
        name: str,
        formula: n.Node,
        actions: Iterable[Action],
        more: Sequence[Added],
    ) -> Model:
        """A model with more variables.

        Args:
            name: the name of its property.
            formula: the property.
            actions: its actions.
            more: the variables, each with its type and its first value.
        """
        first = ((name, value) for name, _, value in more)
        init = Action("init", "Init", "", NOWHERE, self.init.body, (*self.init.updates, *first))
        claim = Property(name, name, PropertyKind.INVARIANT, "", NOWHERE, formula)
        variables = (*self.variables, *(Variable(x, x, kind, NOWHERE) for x, kind, _ in more))
        made = Model(self.base.protocol, {}, variables, init, tuple(actions), claiming(self.base, claim))
        return replace(made, sweep_order=known_order(self.base, made.actions))


Sure: TypeAlias = Callable[[Action, Collection[str]], bool]
"""Whether each step of an action is known to change one of some variables, given by name."""


def product_of(
    model: Model,
    formula: Temporal,
    sure: Sure = lambda action, names: False,
    leaves: Mapping[Happens, n.Node] | None = None,
) -> Product:
    """The product of a model, with its fairness, and a formula in normal form.

    Args:
        model: the model.
        formula: the formula, which has no value where it goes out of bounds.
        sure: what is known of the actions; it makes formulas smaller.
        leaves: predicates over steps, each with a leaf that stands for it in what steps are said to meet and take.
            It need not be true of a step if it is of another one between the same states.
    """
    leaves = leaves or {}
    inner, witnesses = _witnesses(formula, {})
    inner, premises = strong_premises(inner)
    fair = _Fair(model, sure)
    idle = Action(STUTTER, STUTTER, "", NOWHERE, tuple(x.formula for x in model.constraints), ())
    watched: list[Watched] = []
    monitor = _Monitor(Step(model, idle), leaves)
    for action in (*model.actions, idle):
        monitor = _Monitor(Step(model, action), leaves)
        monitor.begin(inner)
        choice = monitor.choice()
        body = (*action.body, *([] if choice is None else [choice]), *monitor.guards)
        made = replace(action, body=body, updates=(*action.updates, *monitor.updates.items()))
        # Without a condition a loop still has a step.
        met = (*monitor.met, *fair.met(action)) or (TRUE,)
        taken = (monitor.plain(one.taken, leaves) for one in premises)
        watched.append(Watched(made, met, (*fair.taken(action), *taken)))
    bits = [Variable(name, name, BOOL, NOWHERE) for name in monitor.start]
    begun = [(name, as_node(value)) for name, value in monitor.start.items()]
    chosen = [Pick(x.name, x.type, domain, NOWHERE) for x, domain in witnesses.items()]
    begun += [(x.name, n.make(n.PickVar, x.type, NOWHERE, x.name)) for x in witnesses]
    init = replace(model.init, body=(*model.init.body, *chosen), updates=(*model.init.updates, *begun))
    return Product(
        model,
        (*model.variables, *bits, *witnesses),
        init,
        tuple(watched),
        (*(Mark() for _ in monitor.met), *fair.weak) or (Mark(),),
        (*fair.strong, *(Mark() for _ in premises)),
        (*fair.able, *(one.able for one in premises)),
    )


def _witnesses(formula: Temporal, found: dict[Variable, n.Node]) -> tuple[Temporal, dict[Variable, n.Node]]:
    """The formula with a variable, which never changes, for each quantifier over runs outside of all else.

    It treats the values alike, unlike a disjunction over them.
    """
    match formula:
        case ForSome():
            name = f"(witness {len(found)})"
            variable = Variable(name, name, formula.var.type, NOWHERE)
            kind = Set(variable.type)
            found[variable] = n.make(n.Const, kind, NOWHERE, frozenset(formula.domain))
            if variable.type.has_exactly(len(formula.domain)):
                found[variable] = n.make(n.Universe, kind, NOWHERE)
            leaf = n.make(n.StateVar, variable.type, NOWHERE, name)
            return _witnesses(substituted(formula.item, {formula.var: leaf}), found)
        case Both(items=items) | Either(items=items):
            return formula.over(tuple(_witnesses(x, found)[0] for x in items)), found
    return formula, found


def _together(items: Iterable[Temporal]) -> list[Temporal]:
    """The formulas of a disjunction, which has `<>(A \\/ B)` in place of `<>A \\/ <>B`.

    The monitor guesses once when the time has come, and not for each of them.
    """
    found, todo = list[Temporal](), [*items]
    while todo:
        match todo.pop(0):
            case Either(items=inner):
                todo[:0] = inner
            case ForSome() as several:
                todo[:0] = instances(several)
            case other:
                found.append(other)
    later = [x.item for x in found if isinstance(x, Eventually)]
    if len(later) < 2:
        return found
    return [*(x for x in found if not isinstance(x, Eventually)), Eventually(Either(tuple(later)))]


class _Fair:
    """The fairness conditions of a model, as judgements of steps."""

    def __init__(self, model: Model, sure: Sure) -> None:
        self.variables = model.variables
        self._actions = {one.name: one for one in model.unconstrained}
        self._sure = sure
        self._weak = [one for one in model.fairness if not one.strong]
        self._strong = [one for one in model.fairness if one.strong]
        self.weak = tuple(Mark(key_variables(one)) for one in self._weak)
        self.strong = tuple(Mark(key_variables(one)) for one in self._strong)
        self.able = tuple(map(self._able, self._strong))
        self._weakly_able = list(map(self._able, self._weak))

    def _able(self, fair: Fairness) -> n.Node:
        sure = [x.action for x in fair.arms if self._changes(fair, self._actions[x.action])]
        return fair_enabled(fair, self._actions, self.variables, sure)

    def _changes(self, fair: Fairness, action: Action) -> bool:
        return self._sure(action, fair.of or [x.name for x in self.variables])

    def met(self, action: Action) -> tuple[n.Node, ...]:
        """Of each weak condition, whether a step takes the action in question, or it cannot be taken."""
        pairs = zip(self._weak, self._weakly_able, strict=True)
        return tuple(connective(n.Or, [self._taken(one, action), negation(able)]) for one, able in pairs)

    def taken(self, action: Action) -> tuple[n.Node, ...]:
        """Of each strong condition, whether a step takes the action in question."""
        return tuple(self._taken(one, action) for one in self._strong)

    def _taken(self, fair: Fairness, action: Action) -> n.Node:
        watched = [x for x in self.variables if not fair.of or x.name in fair.of]
        keys = key_variables(fair)
        arms: list[object] = []
        for arm in fair.arms:
            if arm.action == action.name:
                same = [equality(key, leaf) for key, leaf in zip(arm.keys, keys, strict=True)]
                changed = [] if self._changes(fair, self._actions[arm.action]) else [changes(action, watched)]
                arms.append(connective(n.And, [*same, *changed]))
        return connective(n.Or, arms)


class Step:
    """A step of an action: expressions over steps become expressions over the state before and the picks."""

    def __init__(self, model: Model, action: Action) -> None:
        after = dict(action.updates)
        self._new = {
            n.make(n.StateVar, x.type, x.span, primed(x.name)): after.get(x.name, x.node)
            for x in model.variables
        }
        self._changes = changes(action, model.variables)

    def happens(self, node: n.Node) -> n.Node:
        """Whether the step satisfies a predicate over steps and changes a variable."""
        return self.changing(replaced(node, self._new))

    def changing(self, node: n.Node) -> n.Node:
        """Whether a predicate over the state before is true, and the step changes a variable."""
        return connective(n.And, [self._changes, node])


@dataclass
class _Monitor:
    """The part of a formula that a step of an action pays.

    Attributes:
        step: a step of the action.
        leaves: stand for predicates over steps that are owed again and again.
        start: the variables, and whether each is owed at the start.
        choices: the types of the free choices.
        guards: the conditions on the step.
        updates: the next value of each variable.
        met: for each part `<>F`, whether it is not put off.
    """

    step: Step
    leaves: Mapping[Happens, n.Node]
    start: dict[str, bool] = field(default_factory=dict)
    choices: list[Type] = field(default_factory=list)
    guards: list[n.Node] = field(default_factory=list)
    updates: dict[str, n.Node] = field(default_factory=dict)
    met: list[n.Node] = field(default_factory=list)

    def begin(self, formula: Temporal) -> None:
        """Owe a formula at the start."""
        match formula:
            case Both(items=items):
                for item in items:
                    self.begin(item)
            case ForEach():
                self.begin(Both(instances(formula)))
            case Always(item=item):
                self._owe(item, None)
            case Eventually():
                self._later(formula, self._bit(True), None)
            case _:
                first = self._bit(True)
                self.updates[first.name] = FALSE
                self._owe(formula, first)

    def _bit(self, owed: bool) -> n.StateVar:
        name = f"(owed {len(self.start)})"
        self.start[name] = owed
        return n.make(n.StateVar, BOOL, NOWHERE, name)

    def _pick(self, kind: Type) -> n.PickVar:
        self.choices.append(kind)
        return n.make(n.PickVar, kind, NOWHERE, f"(choice {len(self.choices) - 1})")

    def choice(self) -> Pick | None:
        """All free choices as one pick, which then stands for them in the rest; None without any."""
        if not self.choices:
            return None
        kind = Tuple(tuple(self.choices))
        whole = n.make(n.PickVar, kind, NOWHERE, CHOICE)
        parts: dict[n.Node, n.Node] = {
            n.make(n.PickVar, part, NOWHERE, f"(choice {i})"): n.make(n.Component, part, NOWHERE, whole, i)
            for i, part in enumerate(self.choices)
        }
        self.guards = [replaced(node, parts) for node in self.guards]
        self.met = [replaced(node, parts) for node in self.met]
        self.updates = {name: replaced(node, parts) for name, node in self.updates.items()}
        return Pick(CHOICE, kind, None, NOWHERE)

    def _owe(self, formula: Temporal, now: n.Node | None) -> None:
        """Owe a formula where a condition holds; None is always.

        The variables and picks depend on the formula alone, not on the action.
        """
        if is_plain(formula):
            self.guards.append(implication(now or TRUE, self.plain(formula)))
            return
        match formula:
            case Both(items=items):
                for item in items:
                    self._owe(item, now)
            case ForEach() | ForSome():
                kind = Both if isinstance(formula, ForEach) else Either
                self._owe(kind(instances(formula)), now)
            case Either(items=items):
                self._choose(items, now)
            case Always(item=item):
                if now is not None:
                    bit = self._bit(False)
                    now = self.updates[bit.name] = connective(n.Or, [bit, now])
                self._owe(item, now)
            case Eventually():
                self._later(formula, None if now is None else self._bit(False), now)
            case _:
                raise TypeError(f"{type(formula).__name__} is not in normal form")

    def _choose(self, items: Sequence[Temporal], now: n.Node | None) -> None:
        """Owe one of several formulas, and none if a plain one is true."""
        plain = [self.plain(x) for x in items if is_plain(x)]
        others = _together(x for x in items if not is_plain(x))
        if plain:
            now = connective(n.And, [now or TRUE, negation(connective(n.Or, list(plain)))])
        if len(others) == 1:
            self._owe(others[0], now)
            return
        choice = self._pick(Int(1, len(others)))
        numbers = [as_node(i + 1, choice.type) for i in range(len(others))]
        self.guards.append(implication(negation(now or TRUE), equality(choice, numbers[0])))
        for number, other in zip(numbers, others, strict=True):
            self._owe(other, connective(n.And, [now or TRUE, equality(choice, number)]))

    def _later(self, formula: Eventually, bit: n.StateVar | None, now: n.Node | None) -> None:
        """Owe `<>F` where its variable or a condition is true; without a variable always."""
        owed = TRUE if bit is None else connective(n.Or, [bit, *([] if now is None else [now])])
        if is_plain(formula.item):
            paid = self.plain(formula.item, self.leaves if bit is None else {})
        else:
            paid = self._pick(BOOL)
            self.guards.append(implication(paid, owed))
            self._owe(formula.item, paid)
        put_off = connective(n.And, [owed, negation(paid)])
        if bit is not None:
            self.updates[bit.name] = put_off
        self.met.append(negation(put_off))

    def plain(self, formula: Temporal, leaves: Mapping[Happens, n.Node] = MappingProxyType({})) -> n.Node:
        """Whether the state and the step from it satisfy a formula."""

        def joined(kind: type[n.And] | type[n.Or]) -> Callable[[Iterable[n.Node]], n.Node]:
            return lambda items: connective(kind, [*items])

        def leaf(one: Holds | Happens) -> n.Node:
            if isinstance(one, Holds):
                return one.node
            return self.step.changing(leaves[one]) if one in leaves else self.step.happens(one.node)

        return folded(formula, leaf, negation, joined(n.And), joined(n.Or))
