"""The symbolic meaning of expressions: a rule for each kind of node, and the traversal that applies the rules.

The traversal has a stack, a memo and lazy operands. A bound variable has a concrete value: a binder is expanded
for every value that its domain may have. Only the bodies of binders recurse. Operations on whole sets, maps and
sequences stand by themselves.

Integers are one-hot or binary. One-hot operations list pairs of values. Binary ones work on two's complement
numbers of literals, with the least significant bit first and the sign last.
"""

from __future__ import annotations

import operator
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import zip_longest
from typing import Any, ClassVar, NamedTuple

from leadline.symbolic.encode.circuit import FALSE, TRUE, Circuit
from leadline.symbolic.encode.values import (
    ENUMERATION_LIMIT,
    Bits,
    Items,
    Maybe,
    Shape,
    Tagged,
    Values,
    component_types,
    is_binary,
    width,
)
from leadline.symbolic.lang import (
    NOWHERE,
    Atoms,
    Int,
    InternalError,
    Listed,
    Map,
    Mistake,
    ModelError,
    Named,
    Never,
    Option,
    Seq,
    Set,
    Type,
    Union,
    Value,
    Work,
    is_total,
    item_of,
    listed_member,
    nodes as n,
    site,
)
from leadline.symbolic.lang.nodes import free_variables, leaves_of

Number = list[int]
"""A two's complement number of literals."""
_MOST_COUNTED_ONE_HOT = 16
"""The greatest number of literals that are counted with a literal for each number."""

_TABLES: dict[type[n.Node], Callable[[int, int], int]] = {
    n.Add: operator.add,
    n.Sub: operator.sub,
    n.Mul: operator.mul,
    n.Div: operator.floordiv,
    n.Mod: operator.mod,
}


def _fixed(shape: Shape, kind: Int) -> int | None:
    """The value of a number that is constant."""
    if not isinstance(shape, Bits):
        return next((x for x, literal in shape.items() if literal == TRUE), None)
    if any(bit not in (TRUE, FALSE) for bit in shape.bits):
        return None
    return kind.low + sum(1 << place for place, bit in enumerate(shape.bits) if bit == TRUE)


def _narrowed(shape: Shape, kind: Int) -> tuple[Shape, Int]:
    """A number that is constant as one of a type of its own; another as it is."""
    value = _fixed(shape, kind)
    return (shape, kind) if value is None else ({value: TRUE}, Int(value, value))


def _constant(value: int) -> Number:
    """Two's complement of a constant."""
    return [TRUE if value >> place & 1 else FALSE for place in range(value.bit_length() + 1)]


class Integers:
    """Arithmetic, comparison and conversion between integer types."""

    def __init__(self, values: Values) -> None:
        self.values = values
        self.circuit: Circuit = values.circuit
        self._origins: dict[tuple[tuple[int, ...], Int], tuple[Shape, Int]] = {}

    def arithmetic(
        self, kind: type[n.Node], left: tuple[Shape, Int], right: tuple[Shape, Int], result: Int
    ) -> tuple[Shape, int]:
        """The result of an operation, and the literal that its divisor is not positive."""
        error = FALSE
        if kind in (n.Div, n.Mod):
            error = self.at_most(right, ({0: TRUE}, Int(0, 0)))
        if is_binary(left[1]) or is_binary(right[1]) or is_binary(result):
            return self._binary(kind, left, right, result), error
        found: dict[int, list[int]] = {}
        for x, a in left[0].items():
            for y, b in right[0].items():
                if y > 0 or kind not in (n.Div, n.Mod):
                    found.setdefault(_TABLES[kind](x, y), []).append(self.circuit.conj((a, b)))
        return {value: self.circuit.disj(found[value]) for value in sorted(found)}, error

    def _binary(
        self, kind: type[n.Node], left: tuple[Shape, Int], right: tuple[Shape, Int], result: Int
    ) -> Shape:
        if kind in (n.Add, n.Sub):
            # The least values of the types make up a constant, which is often zero.
            a, b = self._offset(*left, left[1].low), self._offset(*right, right[1].low)
            whole = self.add(a, b) if kind is n.Add else self.subtract(a, b)
            low = _TABLES[kind](left[1].low, right[1].low)
            return self._shaped(self.add(whole, _constant(low - result.low)), result)
        a, b = self.number(*left), self.number(*right)
        if kind is n.Mul:
            return self.from_number(self.multiply(a, b), result)
        return self.from_number(self.divide(a, b)[kind is n.Mod], result)

    # -- comparison -------------------------------------------------------------------------------

    def less(self, left: tuple[Shape, Int], right: tuple[Shape, Int]) -> int:
        """Whether left is less than right."""
        return -self.at_most(right, left)

    def at_most(self, left: tuple[Shape, Int], right: tuple[Shape, Int]) -> int:
        """Whether left is at most right."""
        left, right = _narrowed(*left), _narrowed(*right)
        if left[1].high <= right[1].low or left == right:
            return TRUE
        if left[1].low > right[1].high:
            return FALSE
        disj, conj = self.circuit.disj, self.circuit.conj
        if is_binary(left[1]) or is_binary(right[1]):
            low = min(left[1].low, right[1].low)
            found = TRUE
            for a, b in zip_longest(self._offset(*left, low), self._offset(*right, low), fillvalue=FALSE):
                # A higher place decides, unless the two have the same bit there.
                found = disj((conj((-a, b)), conj((disj((-a, b)), found))))
            return found
        values = sorted(right[0])
        at_least = FALSE
        from_value: list[tuple[int, int]] = []
        for y in reversed(values):
            at_least = disj((at_least, right[0][y]))
            from_value.append((y, at_least))
        cases = []
        for x, a in left[0].items():
            reach = [literal for y, literal in from_value if y >= x]
            cases.append(conj((a, reach[-1])) if reach else FALSE)
        return disj(cases)

    # -- conversion -------------------------------------------------------------------------------

    def convert(self, shape: Shape, source: Int, target: Int) -> tuple[Shape, int]:
        """A number as a value of another range, and the literal that it is outside that range.

        One that was converted before is converted from what it was, so that there and back changes nothing.
        """
        if isinstance(shape, Bits):
            shape, source = self._origins.get((shape.bits, source), (shape, source))
        if source == target:
            return shape, FALSE
        found, error = self._converted(shape, source, target)
        if isinstance(found, Bits) and error == FALSE:
            self._origins.setdefault((found.bits, target), (shape, source))
        return found, error

    def _converted(self, shape: Shape, source: Int, target: Int) -> tuple[Shape, int]:
        if not is_binary(source):
            inside = {x: literal for x, literal in shape.items() if target.low <= x <= target.high}
            error = self.circuit.disj([a for x, a in shape.items() if x not in inside])
            return (self._bits(inside, target) if is_binary(target) else inside), error
        bounds = {x: ({x: TRUE}, Int(x, x)) for x in (target.low, target.high)}
        below = self.less((shape, source), bounds[target.low])
        above = self.less(bounds[target.high], (shape, source))
        error = self.circuit.disj((below, above))
        if is_binary(target):
            return self._shaped(self._offset(shape, source, target.low), target), error
        low, high = max(source.low, target.low), min(source.high, target.high)
        return {x: self.values.has_value(shape, x, source) for x in range(low, high + 1)}, error

    def _bits(self, shape: Mapping[int, int], kind: Int) -> Bits:
        """A number that has a literal for each value as one in binary."""
        places = range(width(kind))
        disj = self.circuit.disj
        return Bits(tuple(disj([a for x, a in shape.items() if x - kind.low >> i & 1]) for i in places))

    def one_hot(self, shape: Shape, source: Int, low: int, high: int) -> dict[int, int]:
        """The literals of the source's values from `low` to `high`."""
        possible = range(max(low, source.low), min(high, source.high) + 1)
        return {x: self.values.has_value(shape, x, source) for x in possible}

    def number(self, shape: Shape, kind: Int) -> Number:
        """Two's complement of an integer value."""
        if isinstance(shape, Bits):
            return self._offset(shape, kind, 0)
        size = max(kind.low.bit_length(), kind.high.bit_length()) + 1
        disj = self.circuit.disj
        return [disj([literal for x, literal in shape.items() if x >> i & 1]) for i in range(size)]

    def from_number(self, number: Number, kind: Int) -> Shape:
        """The value of a number in the type's range; a don't-care for other numbers."""
        return self._shaped(self.add(number, _constant(-kind.low)), kind)

    def _offset(self, shape: Shape, kind: Int, low: int) -> Number:
        """Two's complement of an integer value less `low`."""
        if not isinstance(shape, Bits):
            return [*self._bits(shape, Int(low, kind.high)).bits, FALSE]
        bits = [*shape.bits, FALSE]
        return bits if kind.low == low else self.add(bits, _constant(kind.low - low))

    def _shaped(self, number: Number, kind: Int) -> Shape:
        """The value that lies a number above the type's least one; a don't-care outside of the type's range."""
        wanted = width(kind)
        bits = (number + [number[-1]] * wanted)[:wanted]
        if is_binary(kind):
            return Bits(tuple(bits))
        return {
            value: self.circuit.conj(
                bit if (value - kind.low) >> i & 1 else -bit for i, bit in enumerate(bits)
            )
            for value in kind.values()
        }

    # -- two's complement -------------------------------------------------------------------------

    def add(self, left: Number, right: Number, carry: int = FALSE) -> Number:
        """Sum of two numbers and of a literal carried into the lowest place, one bit wider than the numbers."""
        size = max(len(left), len(right)) + 1
        a = left + [left[-1]] * (size - len(left))
        b = right + [right[-1]] * (size - len(right))
        total = []
        for x, y in zip(a, b, strict=True):
            half = self.circuit.xor(x, y)
            total.append(self.circuit.xor(half, carry))
            carry = self.circuit.disj((self.circuit.conj((x, y)), self.circuit.conj((half, carry))))
        return total

    def subtract(self, left: Number, right: Number) -> Number:
        """Difference, one bit wider than its operands."""
        return self.add(left, [-bit for bit in right], TRUE)

    def multiply(self, left: Number, right: Number) -> Number:
        """Product: shifted sums, the sign's row subtracted."""
        size = len(left) + len(right)
        wide = left + [left[-1]] * (size - len(left))
        total: Number = [FALSE, FALSE]
        for place, bit in enumerate(right):
            row = [FALSE] * place + [self.circuit.conj((bit, x)) for x in wide]
            total = (self.subtract if place == len(right) - 1 else self.add)(total, row)[:size]
        return total

    def divide(self, left: Number, right: Number) -> tuple[Number, Number]:
        """Quotient rounded down and remainder, for a positive divisor.

        Adding the divisor times a power of two makes the dividend non-negative. The power is subtracted from
        the quotient.
        """
        shift = len(left) - 1
        lifted = self.add(left, [FALSE] * shift + right)
        remainder: Number = [FALSE, FALSE]
        quotient: Number = []
        for bit in reversed(lifted):
            remainder = [bit, *remainder][: len(right) + 2]
            trial = self.subtract(remainder, right)
            fits = -trial[-1]
            quotient.insert(0, fits)
            rest = remainder + [remainder[-1]] * (len(trial) - len(remainder))
            remainder = [self.circuit.mux(fits, t, r) for t, r in zip(trial, rest, strict=False)]
        whole = self.subtract([*quotient, FALSE], [FALSE] * shift + [TRUE, FALSE])
        return whole, remainder


class Collections:
    """Operations on symbolic sets, maps and sequences, and conversion between types of one shape."""

    def __init__(self, values: Values, integers: Integers) -> None:
        self.values = values
        self.integers = integers
        self.circuit: Circuit = values.circuit
        self._known: dict[tuple[int, Type, Type], tuple[Shape, tuple[Shape, int]]] = {}
        self._holds: defaultdict[Type, dict[Value, bool]] = defaultdict(dict)

    # -- conversion -------------------------------------------------------------------------------

    def coerce(self, shape: Shape, source: Type, target: Type) -> tuple[Shape, int]:
        """A value as one of another type of the same shape, and the literal that it is outside that type.

        Of a value that was converted before, it is the same object: a choice between the two is none.
        """
        if source == target:
            return shape, FALSE
        place = id(shape), source, target
        if place not in self._known:
            self._known[place] = shape, self._coerced(shape, source, target)  # the shape keeps its id
        return self._known[place][1]

    def _coerced(self, shape: Shape, source: Type, target: Type) -> tuple[Shape, int]:
        match source, target:
            case Never(), _:
                return self.values.arbitrary(target), FALSE
            case Int(), Int():
                return self.integers.convert(shape, source, target)
            case Option(), _ if not isinstance(target, Option):
                if shape.present == FALSE:
                    return self.values.arbitrary(target), TRUE
                item, outside = self.coerce(shape.item, source.item, target)
                return item, self.circuit.disj((-shape.present, outside))
            case Option(), Option():
                if shape.present == FALSE:
                    return Maybe(FALSE, None), FALSE
                item, outside = self.coerce(shape.item, source.item, target.item)
                return Maybe(shape.present, item), self.circuit.conj((shape.present, outside))
            case _, Option():
                item, outside = self.coerce(shape, source, target.item)
                return Maybe(TRUE, item), outside
            case (Atoms(), Atoms()) | (Set(), Set()):
                whole = target.item if isinstance(target, Set) else target
                known = self._holds[whole]
                for value in shape:
                    if value not in known:
                        known[value] = whole.contains(value)
                inside = {value: literal for value, literal in shape.items() if known[value]}
                return inside, self.circuit.disj([x for value, x in shape.items() if value not in inside])
            case Seq(), Seq():
                return self._coerce_sequence(shape, source, target)
            case Union(), Union():
                return self._coerce_union(shape, source, target)
        parts = zip(shape, component_types(source), component_types(target), strict=True)
        converted = [self.coerce(part, a, b) for part, a, b in parts]
        return tuple(x for x, _ in converted), self.circuit.disj([outside for _, outside in converted])

    def _coerce_sequence(self, shape: Items, source: Seq, target: Seq) -> tuple[Shape, int]:
        length = {size: literal for size, literal in shape.length.items() if size <= target.capacity}
        errors = [literal for size, literal in shape.length.items() if size not in length]
        items = []
        for place, item in enumerate(shape.items):
            converted, outside = self.coerce(item, source.item, target.item)
            errors.append(self.circuit.conj((self.values.longer(shape, place), outside)))
            items.append(converted)
        return Items(length, tuple(items[: target.capacity])), self.circuit.disj(errors)

    def _coerce_union(self, shape: Tagged, source: Union, target: Union) -> tuple[Shape, int]:
        payloads, errors = {}, []
        for tag, payload in shape.payloads.items():
            payloads[tag], outside = self.coerce(payload, source.by_tag[tag], target.by_tag[tag])
            errors.append(self.circuit.conj((shape.tags[tag], outside)))
        return Tagged(shape.tags, payloads), self.circuit.disj(errors)

    # -- sets and maps ----------------------------------------------------------------------------

    def set_from(self, found: dict[Value, list[int]]) -> dict[Value, int]:
        """The set of the members for which at least one of several literals is true."""
        members = {value: self.circuit.disj(literals) for value, literals in found.items()}
        return {value: literal for value, literal in members.items() if literal != FALSE}

    def combine(self, kind: type[n.Node], left: dict[Value, int], right: dict[Value, int]) -> Shape:
        """Union, intersection or difference, or the literal that left is a subset of right."""
        circuit = self.circuit
        if kind is n.Subset:
            return circuit.conj([circuit.implies(a, right.get(x, FALSE)) for x, a in left.items()])
        if kind is n.SetUnion:
            return {x: circuit.disj((left.get(x, FALSE), right.get(x, FALSE))) for x in {**left, **right}}
        sign = 1 if kind is n.SetIntersect else -1
        made = {x: circuit.conj((a, sign * right.get(x, FALSE))) for x, a in left.items()}
        return {x: literal for x, literal in made.items() if literal != FALSE}

    def count(self, literals: list[int], kind: Int) -> Shape:
        """The number of true literals, as a value of the type."""
        if kind.high > _MOST_COUNTED_ONE_HOT:
            # A count one-hot has gates by the square of the literals.
            numbers = [[literal, FALSE] for literal in literals] or [[FALSE, FALSE]]
            while len(numbers) > 1:
                pairs = zip(numbers[::2], numbers[1::2], strict=False)
                odd = numbers[len(numbers) // 2 * 2 :]
                numbers = [self.integers.add(*pair) for pair in pairs] + odd
            return self.integers.from_number(numbers[0], kind)
        counts = {0: TRUE}
        for literal in literals:
            counts = self._counted(counts, literal)
        return self.as_integer(counts, kind)

    def _counted(self, counts: dict[int, int], literal: int) -> dict[int, int]:
        """A one-hot count, increased if one more literal is true."""
        conj = self.circuit.conj
        grown: dict[int, int] = {}
        for number in range(min(counts), max(counts) + 2):
            stay = conj((counts.get(number, FALSE), -literal))
            step = conj((counts.get(number - 1, FALSE), literal))
            grown[number] = self.circuit.disj((stay, step))
        return {number: bit for number, bit in grown.items() if bit != FALSE}

    def as_integer(self, one_hot: dict[int, int], kind: Int) -> Shape:
        """A one-hot number as a value of the type, which may be binary."""
        if not is_binary(kind):
            return one_hot
        return self.values.mux([(a, self.values.constant(kind, x)) for x, a in one_hot.items()], kind)

    @staticmethod
    @cache
    def places(kind: Map) -> dict[Value, int]:
        """The position of each key."""
        return {key: place for place, key in enumerate(kind.keys)}

    # -- sequences --------------------------------------------------------------------------------

    def place(self, items: Items, place: Shape, kind: Type) -> tuple[dict[int, int], int]:
        """The literal of each possible place, and the literal that the place is outside 1..Len."""
        assert isinstance(kind, Int)
        most = len(items.items)
        chosen = self.integers.one_hot(place, kind, 1, most) if most else {}
        inside = [self.circuit.conj((a, self.values.longer(items, at - 1))) for at, a in chosen.items()]
        return chosen, -self.circuit.disj(inside)

    def concat(self, left: Items, right: Items, kind: Seq) -> Items:
        """Two sequences of the item type, one after the other."""
        conj, disj = self.circuit.conj, self.circuit.disj
        found: dict[int, list[int]] = {}
        for a, x in left.length.items():
            for b, y in right.length.items():
                found.setdefault(a + b, []).append(conj((x, y)))
        items = []
        for place in range(min(kind.capacity, len(left.items) + len(right.items))):
            arms = [(self.values.longer(left, place), left.items[place])] if place < len(left.items) else []
            for a, x in left.length.items():
                if 0 <= place - a < len(right.items):
                    arms.append((x, right.items[place - a]))
            items.append(self.values.mux(arms, kind.item))
        return Items({size: disj(found[size]) for size in sorted(found)}, tuple(items))

    def append(self, left: Items, item: Shape, kind: Seq, here: int, orelse: Items) -> Items:
        """A sequence with one more item where `here` holds, `orelse` elsewhere.

        Places past the end keep their don't-cares. A sequence that was full gets no length.
        """
        grown = {size + 1: literal for size, literal in left.length.items() if size < kind.capacity}
        items = list(orelse.items)
        for place in range(min(kind.capacity, len(left.items) + 1)):
            last = self.circuit.conj((here, left.length.get(place, FALSE)))
            if place < len(items):
                items[place] = self.values.ite(last, item, items[place], kind.item)
            else:
                items.append(item)
        return Items(self.values.mux_dicts([(here, grown), (-here, orelse.length)]), tuple(items))

    def slice(
        self, items: Items, first: tuple[Shape, Type], last: tuple[Shape, Type], kind: Seq
    ) -> tuple[Items, int]:
        """The items from place `first` to place `last`, and the literal that one lies outside."""
        assert isinstance(first[1], Int) and isinstance(last[1], Int)
        conj, disj = self.circuit.conj, self.circuit.disj
        most = len(items.items)
        empty = self.integers.less((last[0], last[1]), (first[0], first[1]))
        begins, outside = self.place(items, *first)
        ends, beyond = self.place(items, *last)
        found: dict[int, list[int]] = {0: [empty]}
        for a, x in begins.items():
            for b, y in ends.items():
                if a <= b:
                    found.setdefault(b - a + 1, []).append(conj((x, y)))
        length = {size: disj(found[size]) for size in sorted(found)}
        shifted = []
        for place in range(most):
            arms = [(x, items.items[a - 1 + place]) for a, x in begins.items() if a - 1 + place < most]
            shifted.append(self.values.mux(arms, kind.item))
        return Items(length, tuple(shifted)), conj((-empty, disj((outside, beyond))))

    def compressed(self, items: Items, keep: list[int], kind: Seq) -> Items:
        """The items whose literal in `keep` is true, in their order."""
        conj = self.circuit.conj
        counts: dict[int, int] = {0: TRUE}
        arms: list[list[tuple[int, Shape]]] = [[] for _ in keep]
        for item, kept in zip(items.items, keep, strict=True):
            for before, literal in counts.items():
                arms[before].append((conj((literal, kept)), item))
            counts = self._counted(counts, kept)
        return Items(counts, tuple(self.values.mux(arm, kind.item) for arm in arms))


def _work(known: Mapping[str, Any]) -> Work:
    node: n.Node = known["node"]
    return Work(
        "encoding",
        None if node.span is NOWHERE else node.span,
        made=f"{len(known['self'].circuit.gates):,} gates",
        times=node.var.type.cardinality if isinstance(node, n.BINDERS) else 1,
    )


Environment = dict[n.Bound, Value]
Partial = tuple[Shape, int]
"""The value of a partial function: a shape, and the literal that evaluation goes out of bounds instead."""


class Claim(NamedTuple):
    """A formula over states: the literals that it is false, and that its evaluation goes out of bounds."""

    violated: int
    outside: int


class Expressions:
    """Evaluates expressions over one symbolic state and one set of picks, by a rule for each kind of node.

    Args:
        circuit: the circuit that receives the gates.
        state: the shape of each state variable.
        picks: the shape of each pick.

    Attributes:
        fixed: values of bound variables for every expression, as where picks are given by value.
    """

    rules: ClassVar[dict[type[n.Node], str]] = {}

    def __init__(self, circuit: Circuit, state: Mapping[str, Shape], picks: Mapping[str, Shape]) -> None:
        self.circuit = circuit
        self.values = Values(circuit)
        self.integers = Integers(self.values)
        self.collections = Collections(self.values, self.integers)
        self.state = state
        self.picks = picks
        self._memo: dict[tuple[n.Node, tuple[Value, ...]], Partial] = {}
        self._order: dict[n.Node, tuple[n.Bound, ...]] = {}
        self._possible: dict[tuple[n.Node, tuple[Value, ...], int], list[tuple[Value, int]]] = {}
        self._parts: dict[tuple[n.Node, tuple[Value, ...], int], dict[Value, list[tuple[Value, int]]]] = {}
        self._read: dict[tuple[n.Bound, n.Node], tuple[n.Node, ...] | None] = {}
        self._stand_ins: dict[tuple[n.Bound, n.Node], tuple[dict[Value, Value], dict[Any, Value]]] = {}
        self._environment: Environment = {}
        self.fixed: Environment = {}

    # -- the traversal ----------------------------------------------------------------------------

    def evaluate(self, root: n.Node, environment: Environment | None = None) -> Partial:
        """The value of an expression whose free bound variables have their values in an environment."""
        outer, self._environment = self._environment, {**self.fixed, **(environment or {})}
        try:
            # Each node waits with its key and the children that it has not asked for yet.
            stack = [] if self._known(root) is not None else [(root, self._key(root), self._needed(root))]
            while stack:
                node, key, needed = stack[-1]
                missing = next((child for child in needed if self._key(child) not in self._memo), None)
                if missing is not None:
                    stack.append((missing, self._key(missing), self._needed(missing)))
                    continue
                self._memo[key] = self._apply(node)
                stack.pop()
            return self._memo[self._key(root)]
        finally:
            self._environment = outer

    def claims(self, formulas: Iterable[n.Node]) -> list[Claim]:
        """Boolean expressions without free variables."""
        outcomes = [self.evaluate(formula) for formula in formulas]
        return [Claim(self.circuit.conj((-shape, -error)), error) for shape, error in outcomes]

    def _key(self, node: n.Node) -> tuple[n.Node, tuple[Value, ...]]:
        order = self._order.get(node)
        if order is None:
            free = free_variables(node)
            order = tuple(sorted(free, key=lambda b: (b.level, b.name, repr(b.type))))
            self._order[node] = order
        return node, tuple([self._environment[b] for b in order])

    def _known(self, node: n.Node) -> Partial | None:
        return self._memo.get(self._key(node))

    def _needed(self, node: n.Node) -> Iterator[n.Node]:
        """The children to evaluate first; of a lazy kind, only those that known constants do not rule out."""
        if isinstance(node, n.BINDERS):
            if not isinstance(node, n.MapBuild):
                yield node.domain
            return
        if isinstance(node, (n.And, n.Or)):
            stop = FALSE if isinstance(node, n.And) else TRUE
            for item in node.items:
                yield item
                known = self._known(item)
                if known is None or known[0] == stop:
                    return
            return
        if isinstance(node, (n.Ite, n.Implies)):
            yield from self._needed_branches(node)
            return
        if isinstance(node, n.Member) and isinstance(node.domain, n.Universe):
            # Whether a value is of a type is a check of ranges, for which no value is listed.
            yield node.element
            return
        if isinstance(node, n.BigUnion) and isinstance(node.item, n.SetMap | n.SetOf):
            yield from [node.item.domain] if isinstance(node.item, n.SetMap) else node.item.items
            return
        if isinstance(node, n.Member) and (written := _written(node)) is not None:
            yield from (node.element, *written)
            return
        yield from n.children(node)

    def _needed_branches(self, node: n.Ite | n.Implies) -> Iterator[n.Node]:
        first = node.condition if isinstance(node, n.Ite) else node.premise
        yield first
        known = self._known(first)
        if known is None:
            return
        if known[0] != FALSE:
            yield node.then if isinstance(node, n.Ite) else node.conclusion
        if known[0] != TRUE and isinstance(node, n.Ite):
            yield node.orelse

    @site(_work)
    def _apply(self, node: n.Node) -> Partial:
        rule: Callable[[Any], Partial] = getattr(self, self.rules[type(node)])
        try:
            return rule(node)
        except ModelError as error:
            # The values of a shape know no line; the expression that asks for them does.
            placed = [Mistake(node.span if x.span is NOWHERE else x.span, x.text) for x in error.mistakes]
            raise ModelError(placed) from error

    def _get(self, node: n.Node) -> Partial:
        return self._memo[self._key(node)]

    def _all(self, *nodes: n.Node) -> tuple[list[Shape], int]:
        """The shapes of several evaluated nodes, and the literal that at least one goes out of bounds."""
        outcomes = [self._get(node) for node in nodes]
        return [shape for shape, _ in outcomes], self.circuit.disj([error for _, error in outcomes])

    def _body(self, node: Any, value: Value, body: n.Node) -> Partial:
        return self.evaluate(body, {**self._environment, node.var: self._stand_in(node.var, value, body)})

    def _stand_in(self, var: n.Bound, value: Value, body: n.Node) -> Value:
        r"""The first value of a bound variable that a body does not tell from this one.

        In `\A a, b \in S : a.term = b.term => a.value = b.value` one message stands for all of its term and value,
        whatever else they hold: of all pairs, those of one message for each term and value are evaluated.
        """
        place = var, body
        if place not in self._read:
            self._read[place] = _read_of(var, body)
        if (read := self._read[place]) is None:
            return value
        known, first = self._stand_ins.setdefault(place, ({}, {}))
        if value not in known:
            told = tuple([_frozen(self.evaluate(part, {var: value})) for part in read])
            known[value] = first.setdefault(told, value)
        return known[value]

    def _elements(self, node: n.Node) -> list[tuple[Value, int]]:
        """The possible members of a set, in the order of their type."""
        members, kind = self._get(node)[0], item_of(node)
        return sorted(members.items(), key=lambda member: kind.order(self.in_place_of(kind, member[0])))

    def in_place_of(self, kind: Type, value: Value) -> Value:
        """The value by whose place another one is sorted, where the values of a type are gone through in order."""
        return value

    def _fitting(self, node: n.Forall | n.Exists) -> list[tuple[Value, int]]:
        r"""The elements that a quantifier must go through: those whose tests are not certainly false.

        Of the pairs in `\A a, b \in S : a.type = "x" /\ b.type = "y" /\ ... => ...` only those that fit are gone
        through: what the condition tells of one of the two alone is evaluated for each member, not for each pair.
        """
        if (listed := self._with_part(node)) is not None:
            return listed
        if type(node.body) is not type(node) and not free_variables(node):
            return self._elements(node.domain)
        tests = list[n.Node]()
        for item in _conditions(node):
            free = free_variables(item)
            if free == {node.var}:
                tests.append(item)
            elif not is_total(item) and not (
                free <= self._environment.keys() and self.evaluate(item, self._environment)[1] == FALSE
            ):
                break
        place = node, self._key(node.domain)[1], len(tests)
        if place not in self._possible:
            self._possible[place] = [
                one for one in self._elements(node.domain) if self._may_fit(node, one[0], tests)
            ]
        return self._possible[place]

    def _with_part(self, node: n.Forall | n.Exists | n.Choose) -> list[tuple[Value, int]] | None:
        r"""The elements with a constant part, as in `\E p \in S : p[1] = key /\ ...`; None of other conditions.

        Functions that are sets of pairs become maps by such a search for each key.
        """
        found = _constant_part(node)
        if found is None or (evaluated := self.evaluate(found[1], self._environment))[1] != FALSE:
            return None
        place = *self._key(node.domain), found[0]
        if place not in self._parts:
            self._parts[place] = {}
            for element in self._elements(node.domain):
                self._parts[place].setdefault(element[0][found[0]], []).append(element)
        ((value, _),) = self.values.cases(evaluated[0], found[1].type)
        return self._parts[place].get(value, [])

    def _may_fit(self, node: n.Forall | n.Exists, value: Value, tests: Sequence[n.Node]) -> bool:
        """Whether no test is certainly false for an element, after others that have a value for it."""
        for test in tests:
            here, error = self._body(node, value, test)
            if error != FALSE:
                return True
            if here == FALSE:
                return False
        return True

    # -- leaves -----------------------------------------------------------------------------------

    def visit_Const(self, node: n.Const) -> Partial:
        return self.values.constant(node.type, node.value), FALSE

    def visit_StateVar(self, node: n.StateVar) -> Partial:
        return self.state[node.name], FALSE

    def visit_PickVar(self, node: n.PickVar) -> Partial:
        return self.picks[node.name], FALSE

    def visit_Bound(self, node: n.Bound) -> Partial:
        return self.values.constant(node.type, self._environment[node]), FALSE

    def _constant(self, node: n.Node) -> list[tuple[Value, int]]:
        """The value of a constant, as the only case; none if the node is no constant.

        A constant of another type that is converted has the same value.
        """
        match node:
            case n.Coerce(item=item):
                return self._constant(item)
            case n.Const(value=value):
                return [(value, TRUE)]
            case n.Bound():
                return [(self._environment[node], TRUE)]
            case n.MakeVariant(tag=tag, payload=payload):
                return [((tag, value), TRUE) for value, _ in self._constant(payload)]
            case n.MakeTuple(items=items) | n.MakeRecord(items=items):
                parts = [self._constant(item) for item in items]
                return [(tuple([part[0][0] for part in parts]), TRUE)] if all(parts) else []
        return []

    def visit_Universe(self, node: n.Universe) -> Partial:
        item = item_of(node)
        if item.capped > ENUMERATION_LIMIT:
            text = (
                f"each of the values of {item!r} must be listed here, and over "
                f"{ENUMERATION_LIMIT} are too many: use a smaller type or smaller parameters"
            )
            raise ModelError([Mistake(node.span, text)])
        return dict.fromkeys(item.values(), TRUE), FALSE

    def visit_Undefined(self, node: n.Undefined) -> Partial:
        return self.values.placeholder(node.type), TRUE

    def visit_Invalid(self, node: n.Invalid) -> Partial:
        raise InternalError(f"a mistake of the model reached the encoding: {node.mistake}")

    def visit_Coerce(self, node: n.Coerce) -> Partial:
        shape, error = self._get(node.item)
        converted, outside = self.collections.coerce(shape, node.item.type, node.type)
        return converted, self.circuit.disj((error, outside))

    # -- Booleans ---------------------------------------------------------------------------------

    def visit_Not(self, node: n.Not) -> Partial:
        shape, error = self._get(node.item)
        return -shape, error

    def visit_And(self, node: n.And) -> Partial:
        return self._sequence(node.items, TRUE)

    def visit_Or(self, node: n.Or) -> Partial:
        return self._sequence(node.items, FALSE)

    def _sequence(self, items: tuple[n.Node, ...], go_on: int) -> Partial:
        """A conjunction (`go_on` is TRUE) or disjunction of items, up to the first that decides it."""
        reached, errors, shapes = TRUE, [], []
        for item in items:
            known = self._known(item)
            if known is None:
                break
            shape, error = known
            errors.append(self.circuit.conj((reached, error)))
            shapes.append(shape)
            reached = self.circuit.conj((reached, -error, shape if go_on == TRUE else -shape))
        whole = self.circuit.conj(shapes) if go_on == TRUE else self.circuit.disj(shapes)
        return whole, self.circuit.disj(errors)

    def visit_Implies(self, node: n.Implies) -> Partial:
        premise, error = self._get(node.premise)
        if premise == FALSE:
            return TRUE, error
        conclusion, later = self._get(node.conclusion)
        late = self.circuit.conj((premise, -error, later))
        return self.circuit.implies(premise, conclusion), self.circuit.disj((error, late))

    def visit_Eq(self, node: n.Eq) -> Partial:
        (left, right), error = self._all(node.left, node.right)
        return self.values.equal(left, right, node.left.type), error

    def visit_Ite(self, node: n.Ite) -> Partial:
        condition, error = self._get(node.condition)
        if condition in (TRUE, FALSE):
            shape, later = self._get(node.then if condition == TRUE else node.orelse)
            return shape, self.circuit.disj((error, later))
        (then, then_error), (orelse, else_error) = self._get(node.then), self._get(node.orelse)
        late = self.circuit.mux(condition, then_error, else_error)
        if TRUE in (then_error, else_error):
            # Out of bounds any value will do.
            shape = orelse if then_error == TRUE else then
        else:
            shape = self.values.ite(condition, then, orelse, node.type)
        return shape, self.circuit.disj((error, late))

    # -- integers ---------------------------------------------------------------------------------

    def visit_arithmetic(self, node: Any) -> Partial:
        (left, right), error = self._all(node.left, node.right)
        shape, own = self.integers.arithmetic(
            type(node), (left, node.left.type), (right, node.right.type), node.type
        )
        return shape, self.circuit.disj((error, own))

    def visit_comparison(self, node: n.Lt | n.Le) -> Partial:
        (left, right), error = self._all(node.left, node.right)
        compare = self.integers.less if isinstance(node, n.Lt) else self.integers.at_most
        assert isinstance(node.left.type, Int) and isinstance(node.right.type, Int)
        return compare((left, node.left.type), (right, node.right.type)), error

    # -- binders ----------------------------------------------------------------------------------

    def visit_quantifier(self, node: n.Forall | n.Exists) -> Partial:
        forall = isinstance(node, n.Forall)
        sought = sought_in(node) if isinstance(node, n.Exists) else None
        if sought is not None:
            return self._is_among(node.domain, *sought)
        cases = list[tuple[int, int]]()
        for value, member in self._fitting(node):
            body, error = self._body(node, value, node.body)
            decides = self.circuit.conj((member, -body if forall else body))
            cases.append((decides, self.circuit.conj((member, error))))
            if TRUE in cases[-1]:
                break
        some = self.circuit.disj([decides for decides, _ in cases])
        return -some if forall else some, self._first_error(self._get(node.domain)[1], cases)

    def _first_error(self, outside: int, cases: Sequence[tuple[int, int]]) -> int:
        """Whether a quantifier goes out of bounds: its domain does, or a case before the first that decides."""
        if all(error == FALSE for _, error in cases):
            return outside
        reached, errors = TRUE, [outside]
        for decides, error in cases:
            errors.append(self.circuit.conj((reached, error)))
            reached = self.circuit.conj((reached, -error, -decides))
        return self.circuit.disj(errors)

    def _is_among(self, domain: n.Node, kind: Listed, sought: n.Node) -> Partial:
        """Whether the member whose value is this is in a set."""
        members, outside = self._get(domain)
        shape, error = self.evaluate(sought, self._environment)
        here = self.values.has_values(shape, [kind.value_of(x) for x in members], kind.item)
        found = [self.circuit.conj(both) for both in zip(members.values(), here, strict=True)]
        some = self.circuit.disj(members.values())
        return self.circuit.disj(found), self.circuit.disj((outside, self.circuit.conj((some, error))))

    def visit_Choose(self, node: n.Choose) -> Partial:
        sought = sought_in(node)
        if sought is not None and isinstance(node.domain, n.Universe):
            return self._found(*sought)
        reached, errors, arms = TRUE, [self._get(node.domain)[1]], []
        listed = self._with_part(node)
        elements = self._elements(node.domain) if listed is None else listed
        if node.order:
            places = {value: place for place, value in enumerate(node.order)}
            kind = node.type
            elements = sorted(elements, key=lambda element: places[self.in_place_of(kind, element[0])])
        for value, member in elements:
            body, error = self._body(node, value, node.body)
            here = self.circuit.conj((reached, member))
            errors.append(self.circuit.conj((here, error)))
            if (chosen := self.circuit.conj((here, body))) != FALSE:
                arms.append((chosen, self.values.constant(node.type, value)))
            reached = self.circuit.conj(
                (reached, -self.circuit.conj((member, self.circuit.disj((error, body)))))
            )
            if reached == FALSE:
                break
        # `reached` implies that no body went out of bounds, so it means that no value was found.
        return self.values.mux(arms, node.type), self.circuit.disj([*errors, reached])

    def _found(self, kind: Listed, sought: n.Node) -> Partial:
        """The member whose value is this; out of bounds if there is none."""
        for value, _ in self._constant(sought):
            member = kind.by_value.get(value)
            return ({}, TRUE) if member is None else ({member: TRUE}, FALSE)
        shape, error = self.evaluate(sought, self._environment)
        here = self.values.has_values(shape, kind.listed, kind.item)
        found = {x: literal for x, literal in zip(kind.members, here, strict=True) if literal != FALSE}
        return found, self.circuit.disj((error, -self.circuit.disj([*found.values()])))

    def visit_SetFilter(self, node: n.SetFilter) -> Partial:
        kept, errors = {}, [self._get(node.domain)[1]]
        for value, member in self._elements(node.domain):
            body, error = self._body(node, value, node.body)
            errors.append(self.circuit.conj((member, error)))
            literal = self.circuit.conj((member, body))
            if literal != FALSE:
                kept[value] = literal
        return kept, self.circuit.disj(errors)

    def visit_SetMap(self, node: n.SetMap) -> Partial:
        found: dict[Value, list[int]] = {}
        errors = [self._get(node.domain)[1]]
        for value, member in self._elements(node.domain):
            body, error = self._body(node, value, node.body)
            errors.append(self.circuit.conj((member, error)))
            for image, literal in self.values.cases(body, node.body.type):
                found.setdefault(image, []).append(self.circuit.conj((member, literal)))
        return self.collections.set_from(found), self.circuit.disj(errors)

    def visit_MapBuild(self, node: n.MapBuild) -> Partial:
        assert isinstance(node.type, Map)
        outcomes = [self._body(node, key, node.body) for key in node.type.keys]
        return tuple(shape for shape, _ in outcomes), self.circuit.disj([error for _, error in outcomes])

    def visit_SeqFilter(self, node: n.SeqFilter) -> Partial:
        items, error = self._get(node.domain)
        assert isinstance(node.type, Seq)
        keep, errors = [], [error]
        for place, item in enumerate(items.items):
            inside = self.values.longer(items, place)
            kept = []
            for value, literal in self.values.cases(item, node.type.item):
                body, wrong = self._body(node, value, node.body)
                kept.append(self.circuit.conj((literal, body)))
                errors.append(self.circuit.conj((inside, literal, wrong)))
            keep.append(self.circuit.conj((inside, self.circuit.disj(kept))))
        return self.collections.compressed(items, keep, node.type), self.circuit.disj(errors)

    # -- sets -------------------------------------------------------------------------------------

    def visit_SetOf(self, node: n.SetOf) -> Partial:
        shapes, error = self._all(*node.items)
        found: dict[Value, list[int]] = {}
        for item, shape in zip(node.items, shapes, strict=True):
            for value, literal in self.values.cases(shape, item.type):
                found.setdefault(value, []).append(literal)
        return self.collections.set_from(found), error

    def visit_IntRange(self, node: n.IntRange) -> Partial:
        (low, high), error = self._all(node.low, node.high)
        assert isinstance(node.low.type, Int) and isinstance(node.high.type, Int)
        members = {}
        for value in item_of(node).values():
            number = ({value: TRUE}, Int(value, value))
            above = self.integers.at_most((low, node.low.type), number)
            below = self.integers.at_most(number, (high, node.high.type))
            members[value] = self.circuit.conj((above, below))
        return {value: literal for value, literal in members.items() if literal != FALSE}, error

    def visit_set_operation(self, node: Any) -> Partial:
        (left, right), error = self._all(node.left, node.right)
        return self.collections.combine(type(node), left, right), error

    def visit_BigUnion(self, node: n.BigUnion) -> Partial:
        if isinstance(node.item, n.SetOf):
            return self._union([(TRUE, *self._get(x)) for x in node.item.items], FALSE)
        if isinstance(node.item, n.SetMap):
            image, (_, error) = node.item, self._get(node.item.domain)
            elements = self._elements(image.domain)
            return self._union([(here, *self._body(image, x, image.body)) for x, here in elements], error)
        sets, error = self._get(node.item)
        return self._union([(literal, dict.fromkeys(x, TRUE), FALSE) for x, literal in sets.items()], error)

    def _union(self, parts: Sequence[tuple[int, Shape, int]], error: int) -> Partial:
        """The union of those sets whose literal is true, each with the literal that it is out of bounds.

        The sets are never told apart: each has 2^n possible values.
        """
        found: dict[Value, list[int]] = {}
        errors = [error]
        for here, members, wrong in parts:
            errors.append(self.circuit.conj((here, wrong)))
            for value, literal in members.items():
                found.setdefault(value, []).append(self.circuit.conj((here, literal)))
        return self.collections.set_from(found), self.circuit.disj(errors)

    def visit_Member(self, node: n.Member) -> Partial:
        if isinstance(node.domain, n.Universe):
            shape, error = self._get(node.element)
            _, outside = self.collections.coerce(shape, node.element.type, item_of(node.domain))
            return -outside, error
        kind = node.element.type
        written = _written(node)
        if written is not None:
            (element, *items), error = self._all(node.element, *written)
            return self.circuit.disj([self.values.equal(element, x, kind) for x in items]), error
        (element, members), error = self._all(node.element, node.domain)
        if known := self._constant(node.element):
            ((value, _),) = known
            return members.get(value, FALSE), error
        if kind.capped <= len(members) and all(members.get(x) == TRUE for x in kind.values()):
            return TRUE, error
        if isinstance(kind, Named):
            both = [(here, members[x]) for x, here in element.items() if x in members]
            return self.circuit.disj(list(map(self.circuit.conj, both))), error
        here = self.values.has_values(element, [*members], kind)
        hits = [self.circuit.conj(both) for both in zip(members.values(), here, strict=True)]
        return self.circuit.disj(hits), error

    def visit_Cardinality(self, node: n.Cardinality) -> Partial:
        members, error = self._get(node.item)
        assert isinstance(node.type, Int)
        return self.collections.count(list(members.values()), node.type), error

    def visit_extreme(self, node: n.MinOf | n.MaxOf) -> Partial:
        members, error = self._get(node.item)
        reached, found = TRUE, {}
        for value in sorted(members, reverse=isinstance(node, n.MaxOf)):
            found[value] = self.circuit.conj((reached, members[value]))
            reached = self.circuit.conj((reached, -members[value]))
        # Without any member the value is a don't-care of the right shape.
        shape = self.values.mux(
            [(a, self.values.constant(node.type, x)) for x, a in found.items()], node.type
        )
        return shape, self.circuit.disj((error, reached))

    # -- maps, tuples, records --------------------------------------------------------------------

    def visit_Apply(self, node: n.Apply) -> Partial:
        (map_, key), error = self._all(node.map, node.key)
        assert isinstance(node.map.type, Map)
        places = self.collections.places(node.map.type)
        arms, errors = [], [error]
        for value, literal in self._constant(node.key) or self.values.cases(key, node.key.type):
            if value in places:
                arms.append((literal, map_[places[value]]))
            else:
                errors.append(literal)
        return self.values.mux(arms, node.type), self.circuit.disj(errors)

    def visit_MapUpdate(self, node: n.MapUpdate) -> Partial:
        (map_, key, new), error = self._all(node.map, node.key, node.value)
        assert isinstance(node.type, Map)
        chosen = dict(self.values.cases(key, node.key.type))
        kind = node.type.value
        updated = tuple(
            self.values.ite(chosen.get(key, FALSE), new, old, kind)
            for key, old in zip(node.type.keys, map_, strict=True)
        )
        places = self.collections.places(node.type)
        outside = [literal for value, literal in chosen.items() if value not in places]
        return updated, self.circuit.disj([error, *outside])

    def visit_product(self, node: n.MakeTuple | n.MakeRecord) -> Partial:
        shapes, error = self._all(*node.items)
        return tuple(shapes), error

    def visit_Component(self, node: n.Component) -> Partial:
        shape, error = self._get(node.item)
        return shape[node.position], error

    def visit_ComponentUpdate(self, node: n.ComponentUpdate) -> Partial:
        (shape, value), error = self._all(node.item, node.value)
        return (*shape[: node.position], value, *shape[node.position + 1 :]), error

    # -- options and unions -----------------------------------------------------------------------

    def visit_IsSome(self, node: n.IsSome) -> Partial:
        shape, error = self._get(node.item)
        return shape.present, error

    def visit_Get(self, node: n.Get) -> Partial:
        shape, error = self._get(node.item)
        item = shape.item if shape.present != FALSE else self.values.placeholder(node.type)
        return item, self.circuit.disj((error, -shape.present))

    def visit_MakeVariant(self, node: n.MakeVariant) -> Partial:
        shape, error = self._get(node.payload)
        return Tagged({node.tag: TRUE}, {node.tag: shape}), error

    def visit_IsVariant(self, node: n.IsVariant) -> Partial:
        shape, error = self._get(node.item)
        return shape.tags.get(node.tag, FALSE), error

    def visit_Payload(self, node: n.Payload) -> Partial:
        shape, error = self._get(node.item)
        payload = shape.payloads.get(node.tag)
        if payload is None:
            payload = self.values.placeholder(node.type)
        return payload, self.circuit.disj((error, -shape.tags.get(node.tag, FALSE)))

    # -- sequences --------------------------------------------------------------------------------

    def visit_MakeSeq(self, node: n.MakeSeq) -> Partial:
        shapes, error = self._all(*node.items)
        return Items({len(shapes): TRUE}, tuple(shapes)), error

    def visit_Concat(self, node: n.Concat) -> Partial:
        (left, right), error = self._all(node.left, node.right)
        assert isinstance(node.type, Seq)
        a, _ = self.collections.coerce(left, node.left.type, node.type)
        b, _ = self.collections.coerce(right, node.right.type, node.type)
        return self.collections.concat(a, b, node.type), error

    def visit_Len(self, node: n.Len) -> Partial:
        shape, error = self._get(node.item)
        assert isinstance(node.type, Int)
        return self.collections.as_integer(shape.length, node.type), error

    def visit_Index(self, node: n.Index) -> Partial:
        (items, place), error = self._all(node.item, node.place)
        chosen, outside = self.collections.place(items, place, node.place.type)
        arms = [(literal, items.items[at - 1]) for at, literal in chosen.items()]
        return self.values.mux(arms, node.type), self.circuit.disj((error, outside))

    def visit_SeqUpdate(self, node: n.SeqUpdate) -> Partial:
        (items, place, value), error = self._all(node.item, node.place, node.value)
        assert isinstance(node.type, Seq)
        chosen, outside = self.collections.place(items, place, node.place.type)
        kind = node.type.item
        updated = tuple(
            self.values.ite(chosen.get(at, FALSE), value, old, kind) for at, old in enumerate(items.items, 1)
        )
        return Items(items.length, updated), self.circuit.disj((error, outside))

    def visit_Slice(self, node: n.Slice) -> Partial:
        (items, first, last), error = self._all(node.item, node.first, node.last)
        assert isinstance(node.type, Seq)
        shape, outside = self.collections.slice(
            items, (first, node.first.type), (last, node.last.type), node.type
        )
        return shape, self.circuit.disj((error, outside))


def _written(node: n.Member) -> tuple[n.Node, ...] | None:
    """The members of a set that is written with them, each of the element's type; None of other sets.

    To compare them no value needs to be listed.
    """
    items = node.domain.items if isinstance(node.domain, n.SetOf) else None
    return items if items and all(x.type == node.element.type for x in items) else None


def _read_of(var: n.Bound, body: n.Node) -> tuple[n.Node, ...] | None:
    """The largest parts of a binder's body that depend on its variable alone; None if it is read outside of them.

    A part that goes through values is none: it may only be asked for where a condition before it holds. Nor is an
    expression that only builds or converts a value: its parts tell the variable's values apart as well as it does.
    """
    found, stack, seen = list[n.Node](), [body], set[n.Node]()
    while stack:
        node = stack.pop()
        if node in seen or var not in free_variables(node):
            continue
        seen.add(node)
        if node == var:
            return None
        whole = isinstance(node, n.Coerce | n.MakeTuple | n.MakeRecord | n.MakeVariant)
        if not whole and leaves_of(node) == {var} and not n.kept(node, "_listing", _listing):
            found.append(node)
        else:
            stack += n.children(node)
    return tuple(found)


def _listing(node: n.Node, inside: list[bool]) -> bool:
    """Whether an expression goes through values, given whether each of its parts does."""
    return any(inside) or isinstance(node, (*n.BINDERS, n.Universe))


def _frozen(shape: Any) -> Any:
    """A shape, or a value of a partial function, as a key."""
    match shape:
        case dict():
            return tuple([(key, _frozen(part)) for key, part in shape.items()])
        case tuple():
            return tuple(map(_frozen, shape))
        case Maybe(present=present, item=item):
            return present, _frozen(item)
        case Items(length=length, items=items):
            return _frozen(length), _frozen(items)
        case Tagged(tags=tags, payloads=payloads):
            return _frozen(tags), _frozen(payloads)
    return shape


def _constant_part(node: n.Forall | n.Exists | n.Choose) -> tuple[int, n.Node] | None:
    """The position and the value of a part that elements must have for the body to hold; None if there is none."""
    first = node.body.items[0] if isinstance(node.body, n.And) else node.body
    if isinstance(node, n.Forall) or not isinstance(first, n.Eq):
        return None
    for part, sought in ((first.left, first.right), (first.right, first.left)):
        if isinstance(part, n.Component) and part.item == node.var and node.var not in free_variables(sought):
            return (part.position, sought) if leaves_of(sought) == free_variables(sought) else None
    return None


def _conditions(node: n.Forall | n.Exists) -> tuple[n.Node, ...]:
    """The conditions in the body of a quantifier, in their order.

    Where one is false, the body of `Exists` is false, and that of `Forall` true, unless one before has no value.
    """
    body = node.body
    while type(body) is type(node) and is_total(body.domain):
        body = body.body
    if isinstance(node, n.Forall):
        if not isinstance(body, n.Implies):
            return ()
        body = body.premise
    return body.items if isinstance(body, n.And) else (body,)


def sought_in(node: n.Choose | n.Exists) -> tuple[Listed, n.Node] | None:
    """The value whose member in a list a binder looks for (`leadline.symbolic.lang.listed`); None if for none."""
    var, body, kind = node.var, node.body, node.var.type
    if not isinstance(kind, Listed) or not isinstance(body, n.Eq):
        return None
    found = listed_member(body.left) == var and var not in free_variables(body.right)
    return (kind, body.right) if found else None


_SHARED: dict[type[n.Node], str] = {
    **dict.fromkeys((n.Add, n.Sub, n.Mul, n.Div, n.Mod), "visit_arithmetic"),
    **dict.fromkeys((n.Lt, n.Le), "visit_comparison"),
    **dict.fromkeys((n.Forall, n.Exists), "visit_quantifier"),
    **dict.fromkeys((n.SetUnion, n.SetIntersect, n.SetMinus, n.Subset), "visit_set_operation"),
    **dict.fromkeys((n.MinOf, n.MaxOf), "visit_extreme"),
    **dict.fromkeys((n.MakeTuple, n.MakeRecord), "visit_product"),
}


def _rules() -> dict[type[n.Node], str]:
    """The rule of every kind of node.

    Raises:
        TypeError: if a kind has none.
    """
    found = {kind: _SHARED.get(kind, f"visit_{kind.__name__}") for kind in n.KINDS}
    missing = [kind.__name__ for kind, name in found.items() if not hasattr(Expressions, name)]
    if missing:
        raise TypeError(f"the encoding has no rule for {', '.join(missing)}")
    return found


Expressions.rules = _rules()
