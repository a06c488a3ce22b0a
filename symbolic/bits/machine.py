"""A model as a machine over bits: each step of an action, for each value of its picks, as literals of one circuit.

With its picks constant, nearly all of an action folds away, and what is left is shared between steps by
hash-consing. A state is the row of its literals, in the order of `Encoding`. Literals of parts that are not there,
such as the item of an absent option, are zero, so that equal states are equal words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from itertools import chain, zip_longest

import numpy as np
import numpy.typing as npt

from leadline.symbolic.bits import NoCircuits
from leadline.symbolic.bits.programs import support
from leadline.symbolic.encode import Encoding
from leadline.symbolic.encode.circuit import FALSE, TRUE, And, Circuit
from leadline.symbolic.encode.encoding import row_after
from leadline.symbolic.encode.expressions import Claim, Environment, Expressions
from leadline.symbolic.encode.facts import Facts, Needs
from leadline.symbolic.encode.layout import Layout
from leadline.symbolic.encode.orders import Reordered, has_order
from leadline.symbolic.encode.updates import Updates
from leadline.symbolic.encode.values import Shape, Values
from leadline.symbolic.lang import (
    NOWHERE,
    Action,
    Model,
    Permutation,
    Pick,
    Value,
    Variable,
    nodes as n,
    schedule,
)
from leadline.symbolic.lang.nodes import replacement

MOST_CHOICES = 20_000
"""The number of ways to choose picks for which steps are encoded one by one."""


@dataclass(frozen=True, slots=True)
class Move:
    """A step of an action for some values of its picks.

    Attributes:
        action: the place of the action in the model.
        picks: the values of its picks.
        guard: the literal that its guards are true.
        enabled: the literal that it can be taken: nothing after it is out of bounds either.
        changes: the bits that it may change, ascending, each with its literal after the step.
        notes: the literals of the formulas to note about it.
    """

    action: int
    picks: Mapping[str, Value]
    guard: int
    enabled: int
    changes: tuple[tuple[int, int], ...]
    notes: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Failure:
    """A way in which an action goes out of bounds, for some values of the picks made by then."""

    action: int
    picks: Mapping[str, Value]
    literal: int


@dataclass(frozen=True, slots=True)
class Way:
    """An action with some values of its picks: the literals that its step can be taken, and goes out of bounds."""

    action: int
    picks: Mapping[str, Value]
    enabled: int
    outside: int


@dataclass(frozen=True, slots=True)
class Test:
    """A guard, for some values of the picks made before it.

    Attributes:
        action: the place of the action in the model.
        place: the place of the guard among those of the action's `schedule`.
        tried: the literal that it is evaluated.
        true: the literal that it is true.
    """

    action: int
    place: int
    tried: int
    true: int


@dataclass(frozen=True, slots=True)
class Key:
    """The literals by which states are told apart.

    Attributes:
        literals: these literals.
        outside: the literal that they go out of bounds.
        hidden: the places of the bits of a state that they do not show.
        read: the hidden ones that steps or claims depend on, in the state itself or in those after it.
    """

    literals: tuple[int, ...]
    outside: int
    hidden: frozenset[int] = frozenset()
    read: frozenset[int] = frozenset()


class Machine:
    """The steps of a model.

    Args:
        model: the model.
        notes: for each action, formulas over the state before a step and the picks, to note about each step.
            A step of which one goes out of bounds does so too. Nothing is noted by default.
        steps: for each claim about steps, for each action a formula over the state before a step and the picks,
            that no step of the action satisfies. Nothing is claimed by default.
        known: the values of leaves of the notes at a step, given the place of its action and its picks.

    Attributes:
        circuit: the circuit of all literals.
        inputs: the variables of the bits of a state.
        moves: the steps.
        failures: the ways out of bounds.
        tests: the guards.
        beyond: the literal that a constraint is false.
        dead: the literal that no action is enabled in a state within the constraints.
        about_steps: the claims about steps, as claims about the state before them.

    Raises:
        NoCircuits: if picks have too many values.
        ModelError: if an expression has no circuit.
    """

    def __init__(
        self,
        model: Model,
        notes: Sequence[Sequence[n.Node]] = (),
        steps: Sequence[Sequence[n.Node]] = (),
        known: Callable[[int, Mapping[str, Value]], Environment] = lambda place, picks: {},
    ) -> None:
        self.model = model
        self._known = known
        self.encoding = Encoding(model)
        self.circuit = Circuit()
        state, self._before = self.encoding.free_state(self.circuit)
        self.inputs = self.encoding.input_row
        self._layout = Layout(self.circuit)
        for variable in model.variables:
            self._layout.keep(state[variable.name], variable.type)
        self._expressions = Expressions(self.circuit, state, {})
        self._updates = Updates(self._expressions)
        self._masks = Masks(model, self.circuit)
        self._choices = 0
        self.moves: list[Move] = []
        self.failures: list[Failure] = []
        self.tests: list[Test] = []
        within = self.claim(model.constraint) if model.constraints else Claim(FALSE, FALSE)
        self.beyond = within.violated
        self._wrong: list[list[Claim]] = [[] for _ in steps]
        for place, action in enumerate(model.actions):
            noted, claimed = notes[place] if notes else (), [one[place] for one in steps]
            self._walk(_Body(place, action, noted, claimed), 0, TRUE, {})
        self._expressions.fixed = {}
        disj = self.circuit.disj
        self.about_steps = [
            Claim(disj([one.violated for one in each]), disj([one.outside for one in each]))
            for each in self._wrong
        ]
        taken = [*(x.enabled for x in self.moves), *(x.literal for x in self.failures)]
        self.dead = self.circuit.conj((-self.circuit.disj(taken), -self.beyond))

    def claim(self, formula: n.Node) -> Claim:
        """A Boolean expression over the state."""
        (found,) = self._expressions.claims([formula])
        return found

    def _true(self, formula: n.Node) -> int:
        shape, error = self._expressions.evaluate(formula)
        return self.circuit.conj((shape, -error))

    def steps_of(self, actions: Iterable[Action]) -> set[int] | None:
        """The places of the moves that are the steps of other actions; None if some of these steps are no moves.

        With an answer, the actions go out of bounds only where the machine's own do.
        """
        other = self._with_steps_of(enumerate(actions), self._expressions)
        own: dict[object, set[int]] = {}
        for place, move in enumerate(self.moves):
            own.setdefault((move.enabled, move.changes), set()).add(place)
        same = [own.get((move.enabled, move.changes)) for move in other.moves]
        if not {one.literal for one in other.failures} <= {one.literal for one in self.failures}:
            return None
        return None if None in same else set().union(*filter(None, same))

    def in_any_order(self, formulas: Sequence[n.Node], group: Sequence[Permutation]) -> Claim:
        """The claim that no step, and no truth of formulas, depends on the order in which members of sorts come.

        Args:
            formulas: Boolean expressions over the state.
            group: the orders, as permutations of the members.
        """
        actions = [x for x in enumerate(self.model.actions) if any(map(has_order, x[1].roots))]
        claims = [x for x in formulas if has_order(x)]
        own, same = self._with_steps_of(actions, self._expressions), self.circuit.same
        shown = []
        for permutation in group if actions or claims else ():
            other = self._with_steps_of(actions, Reordered(self._expressions, permutation))
            shown += [-same(own._true(one), other._true(one)) for one in claims]
            shown += list(own._differing(other))
        return Claim(self.circuit.disj(shown), FALSE)

    def _with_steps_of(self, actions: Iterable[tuple[int, Action]], expressions: Expressions) -> Machine:
        """This machine with the steps of some actions alone, each with its place."""
        found = copy(self)
        found.moves, found.failures, found.tests, found._wrong, found._choices = [], [], [], [], 0
        found._expressions, found._updates = expressions, Updates(expressions)
        for place, action in actions:
            found._walk(_Body(place, action, (), ()), 0, TRUE, {})
        expressions.fixed = {}
        return found

    def _differing(self, other: Machine) -> Iterator[int]:
        """The literals that a step is another one in another machine of this circuit."""
        conj, xor = self.circuit.conj, self.circuit.xor
        fails = [{_key(x.action, x.picks): x.literal for x in one.failures} for one in (self, other)]
        yield from (xor(fails[0].get(x, FALSE), fails[1].get(x, FALSE)) for x in {**fails[0], **fails[1]})
        moves = [{_key(x.action, x.picks): x for x in one.moves} for one in (self, other)]
        for key in {**moves[0], **moves[1]}:
            here, there = moves[0].get(key), moves[1].get(key)
            if here is None or there is None:
                yield from (x.enabled for x in (here, there) if x is not None)
                continue
            yield xor(here.enabled, there.enabled)
            changes = dict(here.changes), dict(there.changes)
            for bit in {**changes[0], **changes[1]}:
                one, two = (x.get(bit, self.inputs[bit]) for x in changes)
                yield conj((here.enabled, xor(one, two)))

    def key(self, view: n.Node) -> Key:
        """The bits that tell states apart under a view: its value, and beyond a constraint all of a state."""
        value, error = self._shown(view)
        if self.beyond == FALSE:
            return Key(tuple(value), error)
        pairs = zip_longest(self.inputs, value, fillvalue=FALSE)
        row = [self.circuit.mux(self.beyond, own, x) for own, x in pairs]
        return Key((self.beyond, *row), self.circuit.conj((error, -self.beyond)))

    def _shown(self, view: n.Node) -> tuple[list[int], int]:
        """The bits of a view's value, and the literal that it goes out of bounds."""
        shape, error = self._expressions.evaluate(view)
        variable = Variable("(view)", "(view)", view.type, NOWHERE)
        masks = Masks(replace(self.model, variables=(variable,)), self.circuit)
        return masks.row(variable.name, Layout(self.circuit).literals(shape, view.type)), error

    def row_of(self, other: Machine, values: Sequence[n.Node]) -> tuple[list[int], int]:
        """The bits of a state as those of another machine's, whose variables have some values here.

        Returns:
            The literals, and the literal that a value is out of bounds.
        """
        masks, layout = Masks(other.model, self.circuit), Layout(self.circuit)
        row, errors = [], []
        for variable, node in zip(other.model.variables, values, strict=True):
            shape, error = self._expressions.evaluate(node)
            row += masks.row(variable.name, layout.literals(shape, variable.type))
            errors.append(error)
        return row, self.circuit.disj(errors)

    def exact_key(self, view: n.Node, claims: Sequence[Claim]) -> Key:
        """The bits that tell states apart under a view, with those that it hides.

        It does not matter which of the states with the same value of the view is kept, if they are alike in the
        hidden bits that are read. Bounds may depend on others: a search that meets no step beyond them has the
        same states.

        Args:
            view: the view.
            claims: the claims that are evaluated in each state.
        """
        value, error = self._shown(view)
        parts = {abs(x) for x in value} | self._constant
        masked = [
            x for one in self.model.variables for x in self._masks.row(one.name, self._before[one.name])
        ]
        pairs = enumerate(zip(self.inputs, masked, strict=True))
        hidden = frozenset(place for place, (x, mask) in pairs if not {x, abs(mask)} & parts)
        asked = [*value, error, self.beyond, *chain(*claims)]
        read = self._read([*asked, *(move.guard for move in self.moves)])
        return replace(
            self.key(view), hidden=hidden, read=frozenset(x for x in hidden if self.inputs[x] in read)
        )

    def _read(self, literals: Iterable[int]) -> set[int]:
        """The bits of a state on which some literals depend, in it or after any steps."""
        changes: dict[int, list[int]] = {}
        for move in self.moves:
            for bit, literal in move.changes:
                changes.setdefault(self.inputs[bit], []).append(literal)
        found, new = set[int](), support(self.circuit, literals)
        while new:
            found |= new
            after = [literal for bit in new for literal in changes.get(bit, ())]
            new = support(self.circuit, after) - found
        return found

    @property
    def _constant(self) -> set[int]:
        """The bits that the constraints fix: states within them, which alone have steps, have one value."""
        gate = self.circuit.gates.get(-self.beyond)
        operands = gate.operands if isinstance(gate, And) else (self.beyond,)
        return {abs(x) for x in operands}.intersection(self.inputs)

    def state(self, words: npt.NDArray[np.uint64]) -> tuple[Value, ...]:
        """The state in packed words, as values."""
        number = int.from_bytes(words.tobytes(), "little")
        true = {x if number >> i & 1 else -x for i, x in enumerate(self.inputs)}
        return self.encoding.decode(self.inputs, true.__contains__)

    @property
    def ways(self) -> list[Way]:
        """The actions with all values of their picks, in their order."""
        enabled = {_key(x.action, x.picks): x.enabled for x in self.moves}
        outside = {_key(x.action, x.picks): x.literal for x in self.failures}
        keys = sorted({**enabled, **outside}, key=lambda key: key[0])
        return [
            Way(action, dict(picks), enabled.get((action, picks), FALSE), outside.get((action, picks), FALSE))
            for action, picks in keys
        ]

    def after(self, drawn: Sequence[tuple[Way, int]], actions: Sequence[int]) -> list[int]:
        """The bits of the state after a step.

        The picks of an action are symbols here, so its updates are made once and not for each value.

        Args:
            drawn: the ways, each with the literal that its step is taken: one at most is true.
            actions: for each action, the literal that a step of it is taken.
        """
        arms = []
        for place, action in enumerate(self.model.actions):
            own = [(taken, way.picks) for way, taken in drawn if way.action == place]
            arms.append((actions[place], self._next(action, own)))
        rows = {name: (old, row_after(self.circuit, name, old, arms)) for name, old in self._before.items()}
        changed = dict(self._masks.changes(rows))
        return [changed.get(place, bit) for place, bit in enumerate(self.inputs)]

    def _next(
        self, action: Action, taken: Sequence[tuple[int, Mapping[str, Value]]]
    ) -> dict[str, Sequence[int]]:
        """The literals that an action gives the variables, with the picks whose literal is true."""
        values = Values(self.circuit)
        picks = {}
        for pick in action.picks:
            arms = [
                (here, values.constant(pick.type, own[pick.name])) for here, own in taken if pick.name in own
            ]
            picks[pick.name] = values.mux(arms, pick.type)
        updates = Updates(Expressions(self.circuit, self._expressions.state, picks))
        after = {}
        for name, node in action.updates:
            variable = n.make(n.StateVar, node.type, node.span, name)
            after[name], _ = updates.evaluate(variable, node, TRUE)
        return dict(self.encoding.rows_after(self.circuit, after))

    def may_fail(self, claims: Sequence[Claim]) -> bool:
        """Whether some literal lets a state violate a claim, or a step or a claim go out of bounds."""
        return bool(self.failures) or any(one != (FALSE, FALSE) for one in claims)

    # -- actions ----------------------------------------------------------------------------------

    def _walk(self, body: _Body, place: int, reached: int, picked: Mapping[n.Bound, Value]) -> None:
        """Go through a body from a place on, where `reached` holds, for picks that are made already."""
        self._choices += 1
        if self._choices > MOST_CHOICES:
            raise NoCircuits(f"there are over {MOST_CHOICES:,} ways to choose the picks of actions")
        errors = []
        conj = self.circuit.conj
        while place < len(body.order) and reached != FALSE:
            self._expressions.fixed = dict(picked)
            item = body.order[place]
            place += 1
            if isinstance(item, Pick):
                values, error = self._values(body.action, item, body.domains.get(item.name))
                errors.append(conj((reached, error)))
                self._fail(body, errors, picked)
                within = conj((reached, -error))
                for value, literal in values:
                    more = {**picked, body.bound[item.name]: value}
                    self._walk(body, place, conj((within, literal)), more)
                return
            shape, error = self._expressions.evaluate(item)
            errors.append(conj((reached, error)))
            true = conj((reached, -error, shape))
            guard = sum(not isinstance(one, Pick) for one in body.order[: place - 1])
            self.tests.append(Test(body.place, guard, reached, true))
            reached = true
        if reached != FALSE:
            errors.append(self._move(body, reached, picked))
        self._fail(body, errors, picked)

    def _values(
        self, action: Action, pick: Pick, domain: n.Node | None
    ) -> tuple[Iterator[tuple[Value, int]], int]:
        """The values that a pick may take, each with the literal that it may, and that of going out of bounds."""
        kind = pick.type
        if domain is None or isinstance(domain, n.Universe):
            if kind.capped > MOST_CHOICES:
                raise NoCircuits(f"the pick {pick.name} of {action.tla} has over {MOST_CHOICES:,} values")
            return ((value, TRUE) for value in kind.values()), FALSE
        members, error = self._expressions.evaluate(domain)
        inside = sorted((x for x in members if kind.contains(x)), key=kind.order)
        return ((x, members[x]) for x in inside), error

    def _move(self, body: _Body, reached: int, picked: Mapping[n.Bound, Value]) -> int:
        """Note a step; the literal that it goes out of bounds instead."""
        self._expressions.fixed = dict(picked)
        after: dict[str, Shape] = {}
        wrong = []
        for name, node in body.updates:
            variable = n.make(n.StateVar, node.type, node.span, name)
            after[name], error = self._updates.evaluate(variable, node, TRUE)
            wrong.append(error)
        known = self._known(body.place, _by_name(picked)) if body.notes else {}
        notes = [self._expressions.evaluate(node, {**picked, **known}) for node in body.notes]
        wrong += [error for _, error in notes]
        outside = self.circuit.conj((reached, self.circuit.disj(wrong)))
        enabled = self.circuit.conj((reached, -outside))
        if enabled != FALSE:
            rows = self.encoding.rows_after(self.circuit, after, self._layout)
            changes = self._masks.changes({name: (self._before[name], new) for name, new in rows.items()})
            notes_made = tuple(shape for shape, _ in notes)
            self.moves.append(
                Move(body.place, _by_name(picked), reached, enabled, tuple(changes), notes_made)
            )
            for node, wrong_steps in zip(body.steps, self._wrong, strict=True):
                happens, error = self._expressions.evaluate(node)
                error = self.circuit.conj((enabled, error))
                wrong_steps.append(Claim(self.circuit.conj((enabled, happens, -error)), error))
        return outside

    def _fail(self, body: _Body, errors: Sequence[int], picked: Mapping[n.Bound, Value]) -> None:
        literal = self.circuit.disj(errors)
        if literal != FALSE:
            self.failures.append(Failure(body.place, _by_name(picked), literal))


def _key(action: int, picks: Mapping[str, Value]) -> tuple[int, tuple[tuple[str, Value], ...]]:
    return action, tuple(picks.items())


def _by_name(picked: Mapping[n.Bound, Value]) -> dict[str, Value]:
    return {bound.name: value for bound, value in picked.items()}


class _Body:
    """An action with a bound variable in place of each pick."""

    def __init__(self, place: int, action: Action, notes: Sequence[n.Node], steps: Sequence[n.Node]) -> None:
        self.place = place
        self.action = action
        self.bound = {
            pick.name: n.make(n.Bound, pick.type, pick.span, pick.name, -1 - number)
            for number, pick in enumerate(action.picks)
        }
        names: dict[n.Node, n.Node] = {pick.node: self.bound[pick.name] for pick in action.picks}
        renamed = replacement(names)
        self.order = [item if isinstance(item, Pick) else renamed(item) for item in schedule(action)]
        self.domains = {pick.name: renamed(pick.domain) for pick in action.picks if pick.domain is not None}
        self.updates = [(name, renamed(node)) for name, node in action.updates]
        self.notes = [renamed(node) for node in notes]
        self.steps = [renamed(node) for node in steps]


class Masks:
    """Zeroes the literals of parts that are not there."""

    def __init__(self, model: Model, circuit: Circuit) -> None:
        self._circuit = circuit
        self._literals = Facts(model).literals
        self._bit = {fact.fact[0]: place for place, fact in reversed(list(enumerate(self._literals)))}
        self._needing: dict[int, list[int]] = {}
        for place, one in enumerate(self._literals):
            for x in chain(*one.needs):
                self._needing.setdefault(abs(x) - 1 - TRUE, []).append(place)

    def row(self, name: str, row: Sequence[int]) -> list[int]:
        """The literals of a variable, zero where they do not matter."""
        begin = self._bit.get(name, 0)
        return [*self._masked(range(begin, begin + len(row)), row, begin).values()]

    def _masked(self, places: Iterable[int], row: Sequence[int], begin: int) -> dict[int, int]:
        """Some literals of a variable, by number, zero where they do not matter; its row begins with a number."""
        conj, matters, found = self._circuit.conj, dict[Needs, int](), dict[int, int]()
        for place in places:
            one = self._literals[place]
            if one.needs not in matters:
                matters[one.needs] = conj(one.needed(self._circuit, row, begin))
            found[place] = conj((row[place - begin], matters[one.needs]))
        return found

    def changes(self, rows: Mapping[str, tuple[Sequence[int], Sequence[int]]]) -> Iterator[tuple[int, int]]:
        """The bits of variables that change, ascending.

        Args:
            rows: for each variable its literals before, which are zero where they do not matter, and after.
        """
        found = dict[int, int]()
        for name, (old, new) in rows.items():
            begin = self._bit.get(name, 0)
            other = [begin + place for place, (a, b) in enumerate(zip(old, new, strict=True)) if a != b]
            places = {*other, *chain(*(self._needing.get(x, ()) for x in other))}
            found |= self._masked(places, new, begin)
        return iter(sorted(found.items()))
