"""The traversal of expressions for their symbolic meaning, with a stack, a memo and lazy operands.

A bound variable always has a concrete value: a binder is expanded for every value that its domain may have.
Only the bodies of binders recurse.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar

from leadline.symbolic.encode.circuit import FALSE, TRUE, Circuit
from leadline.symbolic.encode.collections import Collections
from leadline.symbolic.encode.integers import Integers
from leadline.symbolic.encode.values import Shape, Values
from leadline.symbolic.lang import NOWHERE, Mistake, ModelError, Set, Value, nodes as n
from leadline.symbolic.lang.nodes import free_variables

Environment = dict[n.Bound, Value]
Partial = tuple[Shape, int]
"""The value of a partial function: a shape, and the literal that evaluation goes out of bounds instead."""


class Evaluation:
    """Evaluates expressions over one symbolic state and one set of picks. A subclass has the rules.

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
        self._free: dict[n.Node, frozenset[n.Bound]] = {}
        self._order: dict[n.Node, tuple[n.Bound, ...]] = {}
        self._environment: Environment = {}
        self.fixed: Environment = {}

    # -- the traversal ----------------------------------------------------------------------------

    def evaluate(self, root: n.Node, environment: Environment | None = None) -> Partial:
        """The value of an expression whose free bound variables have their values in an environment."""
        outer, self._environment = self._environment, {**self.fixed, **(environment or {})}
        try:
            stack = [root]
            while stack:
                node = stack[-1]
                if self._key(node) in self._memo:
                    stack.pop()
                    continue
                missing = [child for child in self._needed(node) if self._key(child) not in self._memo]
                if missing:
                    stack.extend(reversed(missing))
                    continue
                self._memo[self._key(node)] = self._apply(node)
                stack.pop()
            return self._memo[self._key(root)]
        finally:
            self._environment = outer

    def _key(self, node: n.Node) -> tuple[n.Node, tuple[Value, ...]]:
        order = self._order.get(node)
        if order is None:
            free = free_variables(node, self._free)
            order = tuple(sorted(free, key=lambda b: (b.level, b.name, repr(b.type))))
            self._order[node] = order
        return node, tuple(self._environment[b] for b in order)

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
        inner = dict(self._environment)
        inner[node.var] = value
        return self.evaluate(body, inner)

    def _elements(self, node: n.Node) -> list[tuple[Value, int]]:
        """The possible members of a set, in the order of their type."""
        assert isinstance(node.type, Set)
        members: dict[Value, int] = self._get(node)[0]
        return sorted(members.items(), key=lambda member: node.type.item.rank(member[0]))  # type: ignore[attr-defined]
