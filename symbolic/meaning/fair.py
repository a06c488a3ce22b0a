"""Fair runs in a graph that satisfy a temporal formula, by strongly connected components.

A node is a state with the formulas that a run must satisfy from there on. A step chooses how: the tableau of Z.
Manna, A. Pnueli: Temporal verification of reactive systems: safety (1995), chapter 5, unfolded as in R. Gerth, D.
Peled, M. Vardi, P. Wolper: Simple on-the-fly automatic verification of linear temporal logic, PSTV 1995. A fair
run is found in a component of nodes that can all reach each other: R. Tarjan's algorithm without recursion. Where
strong fairness of an action is not served, the states in which it can be taken are left out, and the rest is
searched again (O. Lichtenstein, A. Pnueli: Checking that finite state concurrent programs satisfy their linear
specification, POPL 1985).
"""

from __future__ import annotations

import operator
from array import array
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeAlias

from leadline.symbolic.lang import (
    Always,
    Both,
    Either,
    Eventually,
    Happens,
    Holds,
    InternalError,
    LeadsTo,
    Negated,
    OutOfBounds,
    Temporal,
    expanded,
    folded,
    formulas,
    is_plain,
)
from leadline.symbolic.meaning.graph import FoundGraph, OutsideAt
from leadline.symbolic.meaning.interface import State
from leadline.symbolic.meaning.runs import Predicates, Word

Owed: TypeAlias = frozenset[tuple[Temporal, bool]]
"""The formulas that a run must satisfy, or must violate where the second part is false."""
Node: TypeAlias = int
"""A state and an obligation in one integer: the state's index above the obligation's number, of `_BITS` bits."""
Edge: TypeAlias = tuple[Node, int, int]
"""A step to a node, the mask of the fairness conditions that it serves, and that of promises that it puts off."""
_BITS = 20
_OWED = (1 << _BITS) - 1


class Product:
    """A graph beside the tableau of the negation of a formula.

    Args:
        graph: the graph.
        runs: evaluates predicates.
        formula: the formula that the runs wanted violate.

    Attributes:
        graph: the graph.
        begun: the initial nodes.
    """

    def __init__(self, graph: FoundGraph, runs: Predicates, formula: Temporal) -> None:
        self.graph = graph
        self._runs = runs
        self._whole = expanded(formula)
        leaves = dict.fromkeys(formulas(self._whole))
        self._states = [x for x in leaves if isinstance(x, Holds)]
        self._steps = [x for x in leaves if isinstance(x, Happens)]
        self._known: dict[int, tuple[bool, ...]] = {}
        self._moved: dict[int, array[int]] = {}
        self._values: dict[tuple[bool, ...], int] = {}
        self._moves_told: list[tuple[bool, ...]] = []
        self._numbers: dict[Owed, int] = {}
        self._owed: list[Owed] = []
        self._bits: dict[tuple[Temporal, bool], int] = {}
        self._covers: dict[tuple[int, tuple[bool, ...]], list[tuple[int, int]]] = {}
        first = self._number(frozenset([(self._whole, False)]))
        self.begun = [place << _BITS | first for place in graph.begun]

    def _number(self, owed: Owed) -> int:
        if owed not in self._numbers:
            self._numbers[owed] = len(self._owed)
            self._owed.append(owed)
        return self._numbers[owed]

    def able(self, node: Node) -> int:
        """The mask of the fairness conditions of which an action can be taken."""
        return self.graph.able[node >> _BITS]

    def edges(self, node: Node) -> Iterator[Edge]:
        """The steps from a node.

        Raises:
            OutsideAt: if the evaluation of a predicate goes out of bounds.
        """
        place, number = node >> _BITS, node & _OWED
        truth = self._truth(place)
        if not self._steps:
            cover = self._cover(number, truth)
            for target, served in self.graph.steps(place) if cover else ():
                for after, put_off in cover:
                    yield target << _BITS | after, served, put_off
            return
        moves = self._moves(place)
        covers = {i: self._cover(number, (*truth, *self._moves_told[i])) for i in set(moves)}
        for (target, served), i in zip(self.graph.steps(place), moves, strict=True):
            for after, put_off in covers[i]:
                yield target << _BITS | after, served, put_off

    def targets(self, node: Node) -> list[Node]:
        """The nodes to which the steps from a node lead."""
        if self._steps:
            return [target for target, _, _ in self.edges(node)]
        place, number = node >> _BITS, node & _OWED
        cover = self._cover(number, self._truth(place))
        steps = self.graph.steps(place) if cover else ()
        return [target << _BITS | after for target, _ in steps for after, _ in cover]

    def stops(self, node: Node) -> bool:
        """Whether a fair run may remain in a node for ever."""
        place = node >> _BITS
        wanted = self.graph.able[place] & self.graph.weak
        for target, served in self.graph.steps(place) if wanted else ():
            wanted &= ~served if target == place else -1
        return not wanted and bool(self.unserved({node}))

    def _truth(self, place: int) -> tuple[bool, ...]:
        """The values of the predicates over states in a state."""
        if place not in self._known:
            try:
                state = self.graph.states[place]
                self._known[place] = tuple([self._runs.holds(x.node, state) for x in self._states])
            except OutOfBounds as error:
                raise OutsideAt((place,)) from error
        return self._known[place]

    def _moves(self, place: int) -> array[int]:
        """The values of the predicates over steps at each step from a state, by their numbers."""
        if place not in self._moved:
            steps = self.graph.steps(place)
            self._moved[place] = array("L", [self._numbered(place, target) for target, _ in steps])
        return self._moved[place]

    def _numbered(self, place: int, target: int) -> int:
        """The number of the values of the predicates over steps at a step."""
        try:
            states = self.graph.states
            values = tuple([self._runs.happens(x.node, states[place], states[target]) for x in self._steps])
        except OutOfBounds as error:
            raise OutsideAt((place, target)) from error
        if values not in self._values:
            self._values[values] = len(self._moves_told)
            self._moves_told.append(values)
        return self._values[values]

    def _cover(self, number: int, truth: tuple[bool, ...]) -> list[tuple[int, int]]:
        """The ways to meet an obligation, given the leaves' values: the next one, and the promises put off."""
        if (number, truth) not in self._covers:
            values = dict(zip((*self._states, *self._steps), truth, strict=True))
            ways = dict.fromkeys(self._ways(self._owed[number], values))
            self._covers[number, truth] = [(self._number(after), put_off) for after, put_off in ways]
        return self._covers[number, truth]

    def _ways(self, owed: Owed, values: Mapping[Temporal, bool]) -> Iterator[tuple[Owed, int]]:
        waiting: list[tuple[list[tuple[Temporal, bool]], Owed, int]] = [([*owed], frozenset(), 0)]
        while waiting:
            todo, after, put_off = waiting.pop()
            while todo:
                one, sign = todo.pop()
                known = _plain(one, values)
                if known is not None:
                    if known is not sign:
                        break
                    continue
                match one:
                    case Negated(item=item):
                        todo.append((item, not sign))
                    case LeadsTo():
                        todo.append((one.meaning, sign))
                    case Both(items=items) | Either(items=items) if isinstance(one, Both) is sign:
                        todo += [(x, sign) for x in items]
                    case Both(items=items) | Either(items=items):
                        given = [x for x in items if _plain(x, values) is sign]
                        waiting += [([*todo, (x, sign)], after, put_off) for x in given[:1] or items]
                        break
                    case Always(item=item) | Eventually(item=item):
                        todo.append((item, sign))
                        if isinstance(one, Always) is sign:
                            after |= {(one, sign)}
                        elif _plain(item, values) is not sign:
                            bit = 1 << self._bits.setdefault((one, sign), len(self._bits))
                            waiting.append((todo[:-1], after | {(one, sign)}, put_off | bit))
            else:
                repeated = {(x.item, y) for x, y in after if isinstance(x, Always if y else Eventually)}
                yield after - repeated, put_off

    def _starts(self) -> Iterator[Node]:
        """Nodes that reach every fair component which the initial nodes reach, and no other one.

        A formula that a run must satisfy from some state on is asked of every state at once, so that no node has
        to wait for that state.
        """
        waiting = [(self._whole, False, self.graph.begun)]
        while waiting:
            one, sign, places = waiting.pop()
            match one:
                case Negated(item=item):
                    waiting.append((item, not sign, places))
                case LeadsTo():
                    waiting.append((one.meaning, sign, places))
                case Both(items=items) | Either(items=items) if isinstance(one, Both) is not sign:
                    waiting += [(x, sign, places) for x in items]
                case Always(item=item) | Eventually(item=item) if isinstance(one, Always) is not sign:
                    waiting.append((item, sign, range(len(self.graph.states))))
                case _:
                    number = self._number(frozenset([(one, sign)]))
                    yield from (place << _BITS | number for place in places)

    # -- fair components ------------------------------------------------------------------------------

    def fair_nodes(self) -> set[Node] | None:
        """Nodes that can all reach each other by fair runs; None if there is no fair run."""
        waiting: list[set[Node] | None] = [None]
        while waiting:
            within = waiting.pop()
            for nodes in self._components(within):
                if len(nodes) == 1 and not self.stops(next(iter(nodes))):
                    continue
                rest = self.unserved(nodes)
                if rest == nodes:
                    return nodes
                if rest:
                    waiting.append(rest)
        return None

    def unserved(self, nodes: set[Node]) -> set[Node]:
        """The nodes of a component that may have a fair run: all if it has one, else fewer."""
        graph, served, put_off, steps = self.graph, 0, -1, 0
        able, always_able = 0, -1
        for node in nodes:
            able |= self.able(node)
            always_able &= self.able(node)
            for target, mask, late in self.edges(node):
                if target in nodes:
                    served |= mask
                    put_off &= late
                    steps += 1
        if not steps or put_off or always_able & graph.weak & ~served:
            return set()
        neglected = able & graph.strong & ~served
        return {node for node in nodes if not self.able(node) & neglected} if neglected else nodes

    def _components(self, within: set[Node] | None) -> Iterator[set[Node]]:
        """The strongly connected components of the nodes, or of those that can be reached."""
        number: dict[Node, int] = {}
        low: dict[Node, int] = {}
        stack: list[Node] = []
        done: set[Node] = set()

        def targets(node: Node) -> Iterator[Node]:
            number[node] = low[node] = len(number)
            stack.append(node)
            found = self.targets(node)
            return iter(found if within is None else [x for x in found if x in within])

        for root in self._starts() if within is None else within:
            path = [] if root in number else [(root, targets(root))]
            while path:
                node, others = path[-1]
                for other in others:
                    if other not in number:
                        path.append((other, targets(other)))
                        break
                    if other not in done:
                        low[node] = min(low[node], number[other])
                else:
                    path.pop()
                    if path:
                        low[path[-1][0]] = min(low[path[-1][0]], low[node])
                    if low[node] == number[node]:
                        found = set[Node]()
                        while node not in found:
                            found.add(stack.pop())
                        done |= found
                        yield found


def _plain(formula: Temporal, values: Mapping[Temporal, bool]) -> bool | None:
    """The value of a formula about one state and the step from it; None of another formula."""
    return folded(formula, values.__getitem__, operator.not_, all, any) if is_plain(formula) else None


# -- a run in a fair component ----------------------------------------------------------------------------


def fair_run(product: Product) -> Word | None:
    """A fair run of the graph that violates the formula, or None. If the run stops, it is a shortest run.

    Raises:
        OutsideAt: if the evaluation of a predicate goes out of bounds.
    """
    try:
        nodes = product.fair_nodes()
    except OutsideAt:
        nodes = set()  # The search below raises it at a state that is nearest.
    if nodes is None:
        return None
    # A run that stops is the easiest to understand.
    stem, loop = _path(product, product.begun, product.stops), list[Node]()
    if stem is None:
        stem = _path(product, product.begun, nodes.__contains__) or []
        loop = _loop(product, stem[-1], nodes)
    states = product.graph.states
    places = [node >> _BITS for node in stem]
    around = [node >> _BITS for node in loop]
    return _without_stutter([states[x] for x in places[:-1]], [states[x] for x in (places[-1], *around)])


def _path(product: Product, begun: Iterable[Node], ends: Callable[[Node], bool]) -> list[Node] | None:
    """A shortest path from a start node to an end node, both included, or None."""
    before: dict[Node, Node | None] = dict.fromkeys(begun)
    waiting = deque(before)
    while waiting:
        node = waiting.popleft()
        if ends(node):
            path: list[Node] = []
            at: Node | None = node
            while at is not None:
                path.append(at)
                at = before[at]
            return path[::-1]
        for target in product.targets(node):
            if target not in before:
                before[target] = node
                waiting.append(target)
    return None


def _loop(product: Product, begin: Node, nodes: set[Node]) -> list[Node]:
    """The nodes after one on a way through a component that serves all that the component serves, and back."""
    graph = product.graph
    weak, strong, late = graph.weak, 0, 0
    for node in nodes:
        strong |= product.able(node) & graph.strong
        for target, _, put_off in product.edges(node):
            late |= put_off if target in nodes else 0
    path: list[Node] = []
    while weak or strong or late:
        weak &= product.able(path[-1] if path else begin)
        step = _nearest(product, path[-1] if path else begin, nodes, weak, strong, late)
        for node, served, put_off in step:
            path.append(node)
            weak &= ~served & product.able(node)
            strong &= ~served
            late &= put_off
    at = path[-1] if path else begin
    if not path or at != begin:
        path += [node for node, _, _ in _nearest(product, at, nodes, 0, 0, 0, back=begin)]
    return path[:-1]


def _nearest(
    product: Product,
    begin: Node,
    nodes: set[Node],
    weak: int,
    strong: int,
    late: int,
    *,
    back: Node | None = None,
) -> list[Edge]:
    """A shortest way inside a component whose last step serves something, or leads back to a node."""
    before: dict[Node, tuple[Node, Edge]] = {}
    waiting, seen = deque([begin]), {begin}
    while waiting:
        node = waiting.popleft()
        for edge in product.edges(node):
            target, served, put_off = edge
            if target not in nodes:
                continue
            serves = weak & (served | ~product.able(target)) or strong & served or late & ~put_off
            if serves or target == back:
                path = [edge]
                while node != begin:
                    node, edge = before[node]
                    path.append(edge)
                return path[::-1]
            if target not in seen:
                seen.add(target)
                before[target] = node, edge
                waiting.append(target)
    raise InternalError("a component is not strongly connected, though it was found")


def _without_stutter(stem: list[State], around: list[State]) -> Word:
    """The run through some states and then for ever around others, without steps that change nothing."""
    loop = [x for x, y in zip(around, around[1:] + around[:1], strict=True) if x != y] or around[:1]
    path = [x for x, y in zip(stem, [*stem, loop[0]][1:], strict=True) if x != y]
    return Word([*path, *loop], len(path))
