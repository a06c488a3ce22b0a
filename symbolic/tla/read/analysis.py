"""Facts about resolved expressions that their translations need."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeAlias

from leadline.symbolic.tla.read import syntax as s

# The arguments of these operators are certainly evaluated; of the others' only the first.
_LAZY = frozenset({"/\\", "\\/", "=>"})
_REPEATED = (s.Quantified, s.Choose, s.Filter, s.Image, s.Function, s.Lambda, s.Definition, s.Except)
"""The kinds of nodes that evaluate parts of them repeatedly."""


_Mention: TypeAlias = tuple[str, bool]


@dataclass(frozen=True)
class Reads:
    """The variables that an expression reads, in this state and in the next."""

    now: frozenset[str] = frozenset()
    next: frozenset[str] = frozenset()


@dataclass
class WithinEnabled:
    """Tells which parts of expressions occur only within ENABLED. What is around such a part is not about steps.

    Args:
        definitions: the definitions by key.
    """

    definitions: Mapping[str, s.Definition]
    _parameters: dict[str, frozenset[int]] = field(default_factory=dict)

    @cached_property
    def _names(self) -> frozenset[str]:
        """ENABLED, and the definitions that mention it, directly or not: mostly there are none."""
        return frozenset(dependent(self.definitions, ["ENABLED"]))

    def parameters(self, key: str) -> frozenset[int]:
        """The places of the parameters of a definition that occur in it only within ENABLED."""
        if key not in self._parameters:
            self._parameters[key] = frozenset()  # for its own recursion
            one = self.definitions.get(key) if key in self._names else None
            if one is not None and one.parameters:
                names = set(self._outside(one.body))
                places = [place for place, x in enumerate(one.parameters) if x.name not in names]
                self._parameters[key] = frozenset(places)
        return self._parameters[key]

    def _outside(self, e: s.Node) -> Iterator[str]:
        """The operators in an expression that are not within ENABLED."""
        if isinstance(e, s.Apply):
            yield e.operator
            if e.operator == "ENABLED":
                return
        for place, child in enumerate(s.children(e)):
            if not self.only(e, place):
                yield from self._outside(child)

    def only(self, e: s.Node, place: int) -> bool:
        """Whether an argument of an operator, or a definition of a LET, occurs only within ENABLED."""
        match e:
            case s.Apply(operator):
                return place in self.parameters(operator)
            case s.Let(definitions, body) if place < len(definitions) and s.operators(e) & self._names:
                outside = set(self._outside(body))
                for one in reversed(definitions[place + 1 :]):
                    if isinstance(one, s.Definition) and one.name in outside:
                        outside |= set(self._outside(one.body))
                one = definitions[place]
                return isinstance(one, s.Definition) and one.name not in outside
        return False


@dataclass
class Analysis:
    """Facts about the expressions of a specification.

    Args:
        definitions: the definitions by key.
        variables: the keys of the variables.
    """

    definitions: Mapping[str, s.Definition]
    variables: frozenset[str]
    _enabled: WithinEnabled = field(init=False)
    _entered: set[str] = field(default_factory=set)
    _free: dict[int, tuple[s.Node, frozenset[str]]] = field(default_factory=dict)
    _primed: dict[str, frozenset[str]] = field(default_factory=dict)
    _strict: dict[str, frozenset[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._enabled = WithinEnabled(self.definitions)

    def free(self, e: s.Node) -> frozenset[str]:
        """The names in an expression that are not bound in it, among them `@` and built-in operators."""
        known = self._free.get(id(e))
        return known[1] if known is not None else self._find_below(e)

    @s.remembered
    def reached(self, key: str) -> frozenset[str]:
        """The names that a definition mentions, directly or not."""
        found, todo = set[str](), [key]
        while todo:
            one = self.definitions[todo.pop()]
            new = self.free(one) - found
            found |= new
            todo += [name for name in new if name in self.definitions]
        return frozenset(found)

    def _find_below(self, e: s.Node) -> frozenset[str]:
        # By a stack: expressions may nest deeply.
        found, work = list[s.Node](), [e]
        while work:
            node = work.pop()
            if id(node) not in self._free:
                found.append(node)
                work += s.children(node)
        for node in reversed(found):
            self._free[id(node)] = (node, self._find_free(node))
        return self._free[id(e)][1]

    def _find_free(self, e: s.Node) -> frozenset[str]:
        match e:
            case s.At():
                return frozenset({"@"})
            case s.Except(function, updates):
                inside = frozenset[str]().union(*(self.free(one) for one in updates))
                return self.free(function) | (inside - {"@"})
        found = frozenset[str]().union(*map(self.free, below := s.children(e)))
        if isinstance(e, s.Apply):
            return found | {e.operator}
        if not (hidden := bound_by(e) | ({e.name or ""} if isinstance(e, s.Function) else set[str]())):
            return found
        # The sets of bound names lie outside of the names' scope.
        return (found - hidden).union(*(self.free(x) for x in below if isinstance(x, s.Bound)))

    @s.remembered
    def reads(self, e: s.Node) -> Reads:
        """The variables that an expression reads, those that its definitions read included."""
        return self._close(self._mentions(e, frozenset(), False))

    @s.remembered
    def reads_of(self, key: str) -> Reads:
        """The variables that a definition reads."""
        return self._close(self._mentions(self.definitions[key], frozenset(), False))

    def _close(self, todo: frozenset[_Mention]) -> Reads:
        seen = set(todo)
        now, following = set[str](), set[str]()
        work = list(todo)
        while work:
            name, primed = work.pop()
            if name in self.definitions:
                own = self._mentions(self.definitions[name], frozenset(), False)
                inside = {(one, primed or also) for one, also in own} - seen
                seen |= inside
                work += inside
            else:
                (following if primed else now).add(name)
        return Reads(frozenset(now), frozenset(following))

    def _mentions(self, e: s.Node, bound: frozenset[str], primed: bool) -> frozenset[_Mention]:
        """Variables and definitions that an expression mentions itself, and whether it does so primed."""
        return self._known_mentions(e, bound & self.free(e), primed)

    @s.remembered
    def _known_mentions(self, e: s.Node, bound: frozenset[str], primed: bool) -> frozenset[_Mention]:
        return self._find_mentions(e, bound, primed)

    def _find_mentions(self, e: s.Node, bound: frozenset[str], primed: bool) -> frozenset[_Mention]:
        found = frozenset[_Mention]()
        match e:
            case s.Apply("ENABLED", (body,)):
                return frozenset((name, primed) for name in self.reads(body).now)
            case s.Apply("'"):
                primed = True
            case s.Apply("UNCHANGED", (body,)):
                found = self._mentions(body, bound, primed)
                primed = True
            case s.Subscripted(_, _, subscript):
                found = self._mentions(subscript, bound, True)
            case s.Apply(operator) if operator not in bound and operator in self.variables:
                found = frozenset({(operator, primed)})
            case s.Apply(operator, arguments) if operator not in bound and operator in self.definitions:
                pairs = enumerate(zip(self.definitions[operator].parameters, arguments, strict=False))
                names = self.primed_parameters(operator)
                given = [a for i, (p, a) in pairs if p.name in names and not self._enabled.only(e, i)]
                inside = [self._mentions(a, bound, True) for a in given]
                inside += [self._mentions(a, around, True) for a, around in self._primed_within(e, bound)]
                found = frozenset({(operator, primed)}).union(*inside)
            case s.Let():
                inside = [self._mentions(x, bound, True) for x in self.primed_in_let(e)]
                found = found.union(*inside)
        # Other names hide nothing, and each part has one answer wherever it is asked for.
        bound |= {name for name in bound_by(e) if name in self.variables or name in self.definitions}
        for place, child in enumerate(s.children(e)):
            if self._enabled.only(e, place):
                found |= {(name, primed) for name in self.reads(child).now}
            else:
                found |= self._mentions(child, bound, primed)
        return found

    def _primed_within(
        self, e: s.Apply, bound: frozenset[str]
    ) -> Iterator[tuple[s.Expression, frozenset[str]]]:
        """The expressions that a definition primes by operators that it is given, each with the names around it.

        With `On(F(_)) == F(x)` and `F(v) == v' = 1`, `On(F)` primes x. The names around it hide others.
        """
        one = self.definitions[e.operator]
        pairs = list(zip(one.parameters, e.arguments, strict=False))
        if e.operator in self._entered or not any(p.arity for p in one.parameters):
            return
        self._entered.add(e.operator)  # against its own recursion
        found = [x for p, a in pairs if p.arity for x in self.primed_by(a, p.name, one.body)]
        self._entered.remove(e.operator)
        for given in found:
            yield given, frozenset()
            yield from ((a, bound) for p, a in pairs if not p.arity and p.name in self.free(given))

    def primed_by(self, operator: s.Expression, name: str, e: s.Node) -> Iterator[s.Expression]:
        """The arguments that an operator primes in an expression, where a name stands for the operator."""
        places = self._primed_places(operator)
        for x in s.nodes(e) if places else ():
            if isinstance(x, s.Apply) and x.operator == name:
                yield from (x.arguments[i] for i in places if i < len(x.arguments))
            elif isinstance(x, s.Apply) and x.operator in self.definitions:
                own = [isinstance(a, s.Apply) and a.operator == name for a in x.arguments]
                given = (operator if is_own else a for is_own, a in zip(own, x.arguments, strict=True))
                if any(own):
                    handed = replace(x, arguments=tuple(given))
                    yield from (a for a, _ in self._primed_within(handed, frozenset()))

    def _primed_places(self, operator: s.Expression) -> Sequence[int]:
        """The places of the parameters that an operator reads in the next state, too."""
        match operator:
            case s.Lambda(parameters, body):
                return [i for i, x in enumerate(parameters) if self.primes(body, x.name)]
            case s.Apply(key, ()) if key in self.definitions:
                primed = self.primed_parameters(key)
                return [i for i, x in enumerate(self.definitions[key].parameters) if x.name in primed]
        return ()

    @s.remembered
    def primed_in_let(self, e: s.Let) -> list[s.Expression]:
        """The expressions that a LET primes by names that stand for them: `LET v == x IN v' = 1`."""
        found = list[s.Expression]()
        outside = (x for x in self.parts_of_let(e) if not self._enabled.only(e, e.definitions.index(x[0])))
        for one, rest in outside:
            if one.parameters:
                found += self.primed_by(s.Lambda(one.parameters, one.body), one.name, rest)
            elif self.primes(rest, one.name):
                found.append(one.body)
        return found

    def primed_parameters(self, key: str) -> frozenset[str]:
        """The parameters of a definition that it reads in the next state, too: they stand for expressions."""
        if key not in self._primed:
            self._primed[key] = frozenset()
            one = self.definitions[key]
            self._primed[key] = frozenset(x.name for x in one.parameters if self.primes(one.body, x.name))
        return self._primed[key]

    def primes(self, e: s.Node, name: str, primed: bool = False) -> bool:
        """Whether an expression, primed or not, reads what a name stands for in the next state, too."""
        return name in self.free(e) and self._find_primes(e, name, primed)

    @s.remembered
    def _find_primes(self, e: s.Node, name: str, primed: bool) -> bool:
        if isinstance(e, s.Apply):
            if primed and e.operator == name:
                return True
            if e.operator in self.definitions and e.operator != name:
                inner = self.primed_parameters(e.operator)
                pairs = zip(self.definitions[e.operator].parameters, e.arguments, strict=False)
                return any(self.primes(x, name, primed or one.name in inner) for one, x in pairs) or any(
                    self.primes(x, name, True) for x, _ in self._primed_within(e, frozenset())
                )
            primed |= e.operator in ("'", "UNCHANGED", "ENABLED")
        if isinstance(e, s.Let) and any(self.primes(x, name, True) for x in self.primed_in_let(e)):
            return True
        primed |= isinstance(e, s.Subscripted)
        return any(self.primes(child, name, primed) for child in self._around(e, name))

    @s.remembered
    def uses(self, e: s.Node, name: str) -> int:
        """How often a name is used in an expression; twice as often where that is evaluated repeatedly."""
        if name not in self.free(e):
            return 0
        found = sum(self.uses(child, name) for child in self._around(e, name))
        again = isinstance(e, _REPEATED) and name not in bound_by(e)
        here = isinstance(e, s.Apply) and e.operator == name
        return (2 * found if again else found) + here

    def _around(self, e: s.Node, name: str) -> list[s.Node]:
        """The nodes below a node in which a name has the meaning that it has there."""
        below = s.children(e)
        return [x for x in below if isinstance(x, s.Bound)] if name in bound_by(e) else below

    @s.remembered
    def parts_of_let(self, e: s.Let) -> list[tuple[s.Definition, s.Let]]:
        """The definitions of a LET, each with the LET of those after it, which is made once."""
        if not e.definitions:
            return []
        first, *others = e.definitions
        rest = replace(e, definitions=tuple(others))
        here = [(first, rest)] if isinstance(first, s.Definition) else []
        return here + self.parts_of_let(rest)

    def strict_parameters(self, key: str) -> frozenset[str]:
        """The parameters whose arguments a definition certainly evaluates."""
        if key not in self._strict:
            one = self.definitions[key]
            self._strict[key] = frozenset(p.name for p in one.parameters)  # for its own recursion
            self._strict[key] &= self.evaluated(one.body)
        return self._strict[key]

    def evaluated(self, e: s.Node) -> frozenset[str]:
        """The names that are evaluated whenever the expression is evaluated."""
        match e:
            case s.Apply(operator, arguments):
                return self._evaluated_by(operator, arguments) | {operator}
            case s.Case(((condition, then),), s.Expression() as otherwise):
                return self.evaluated(condition) | (self.evaluated(then) & self.evaluated(otherwise))
            case s.Case(arms, _):
                return self.evaluated(arms[0][0])
            case s.Lambda() | s.Function(_, _, str()) | s.Subscripted():
                return frozenset()
            case s.Quantified() | s.Image() | s.Function() | s.Choose() | s.Filter():
                domain = next(one.domain for one in s.children(e) if isinstance(one, s.Bound))
                return self.evaluated(domain) if domain is not None else frozenset()
            case s.Let(definitions, body):
                return self._evaluated_in_let(definitions, body)
            case s.Except(function, updates):
                # Outside of the function's domain the value is not.
                parts = [part for one in updates for part in one.path]
                return self.evaluated(function).union(*map(self.evaluated, parts)) - {"@"}
        return frozenset[str]().union(*map(self.evaluated, s.children(e)))

    def _evaluated_by(self, operator: str, arguments: tuple[s.Expression, ...]) -> frozenset[str]:
        if operator in _LAZY:
            return self.evaluated(arguments[0]) if arguments else frozenset()
        if operator in self.definitions:
            strict = self.strict_parameters(operator)
            parameters = self.definitions[operator].parameters
            pairs = zip(parameters, arguments, strict=False)
            return frozenset[str]().union(*(self.evaluated(a) for p, a in pairs if p.name in strict))
        return frozenset[str]().union(*map(self.evaluated, arguments))

    def _evaluated_in_let(self, definitions: tuple[s.Unit, ...], body: s.Expression) -> frozenset[str]:
        found = self.evaluated(body)
        for one in reversed(definitions):
            if isinstance(one, s.Definition) and one.name in found and not one.parameters:
                found |= self.evaluated(one.body)
        return found - {one.name for one in definitions if isinstance(one, s.Definition)}


def bound_by(e: s.Node) -> frozenset[str]:
    """The names that a node binds, or defines within itself."""
    match e:
        case s.Quantified(_, bounds) | s.Image(_, bounds) | s.Function(bounds):
            return frozenset(name for one in bounds for name in one.names)
        case s.Choose(bound) | s.Filter(bound):
            return frozenset(bound.names)
        case s.Lambda(parameters) | s.Definition(_, parameters):
            return frozenset(one.name for one in parameters)
        case s.Let(definitions):
            return frozenset(one.name for one in definitions if isinstance(one, s.Definition))
    return frozenset()


def dependent(definitions: Mapping[str, s.Definition], some: Iterable[str]) -> set[str]:
    """The definitions that mention some of them, or mention such a definition."""
    mentioned = {key: s.operators(one.body) for key, one in definitions.items()}
    found = set(some)
    while new := {key for key, names in mentioned.items() if key not in found and names & found}:
        found |= new
    return found


def unsubscripted(e: s.Subscripted) -> s.Apply:
    """`[A]_v` as `A \\/ UNCHANGED v`, or `<<A>>_v` as `A /\\ ~UNCHANGED v`.

    As in TLC, A is evaluated first: where v stays the same it may be an error.
    """
    same = s.Apply("UNCHANGED", (e.subscript,), place=e.place)
    if e.kind == "[]_":
        return s.Apply("\\/", (e.action, same), place=e.place)
    return s.Apply("/\\", (e.action, s.Apply("~", (same,), place=e.place)), place=e.place)


def size(e: s.Node) -> int:
    """The number of nodes."""
    return 1 + sum(map(size, s.children(e)))


def sizes(comparison: str, bound: int, most: int) -> range:
    """The cardinalities up to `most` that compare with the bound in this way."""
    low, high = _SIZES[comparison]
    first = 0 if low is None else max(0, bound + low)
    return range(first, (most if high is None else min(most, bound + high)) + 1)


_SIZES = {"=": (0, 0), "<=": (None, 0), "<": (None, -1), ">=": (0, None), ">": (1, None)}
# The least and the greatest cardinality, as more than the bound.
_TURNED = {"=": "=", "<=": ">=", "<": ">", ">=": "<=", ">": "<"}


def narrowed(bounds: Sequence[s.Bound], e: s.Expression) -> Sequence[s.Bound]:
    r"""The bounds of a choice; `x \in SUBSET S` gets T as a second argument if e begins with `x \subseteq T`."""
    while isinstance(e, s.Apply) and e.operator == "/\\":
        e = e.arguments[0]
    match e, bounds:
        case (
            s.Apply("\\subseteq", (s.Apply(element, ()), most)),
            (s.Bound((name,), s.Apply("SUBSET", (whole,)) as domain),),
        ) if element == name and name not in s.operators(most):
            return [s.Bound((name,), s.Apply("SUBSET", (whole, most), place=domain.place))]
    return bounds


def cardinality_bound(e: s.Expression, name: str) -> tuple[str, s.Expression] | None:
    """The comparison and the bound where a formula begins with `Cardinality(name) <= bound` or its kin."""
    while isinstance(e, s.Apply) and e.operator == "/\\":
        e = e.arguments[0]
    match e:
        case s.Apply(operator, (s.Apply("Cardinality", (s.Apply(element, ()),)), bound)) if (
            operator in _SIZES
        ):
            pass
        case s.Apply(turned, (bound, s.Apply("Cardinality", (s.Apply(element, ()),)))) if turned in _SIZES:
            operator = _TURNED[turned]
        case _:
            return None
    return (operator, bound) if element == name and name not in s.operators(bound) else None


def members_in_order(e: s.Choose, definitions: Mapping[str, s.Definition]) -> s.Expression | None:
    r"""A fold that appends the members of S, for `CHOOSE f \in [1..Cardinality(S) -> S] : IsInjective(f)`.

    None for other choices.
    """
    match e.bound:
        case s.Bound((name,), s.FunctionSet(domain, whole)) if not {"Cardinality", "Append"} & {*definitions}:
            places = s.Apply("..", (s.Number(1), s.Apply("Cardinality", (whole,))))
        case _:
            return None
    test = e.body
    if isinstance(test, s.Apply) and test.arguments == (s.Apply(name),) and test.operator in definitions:
        called = definitions[test.operator]
        name, test = called.parameters[0].name, called.body
    if domain != places or not _is_injective(test, name, places):
        return None
    both = (s.Parameter("x"), s.Parameter("all"))
    append = s.Lambda(both, s.Apply("Append", (s.Apply("all"), s.Apply("x"))))
    return s.Apply("FoldInOrder", (append, s.TupleOf(()), whole), place=e.place)


def _is_injective(e: s.Expression, name: str, places: s.Expression) -> bool:
    r"""Whether a formula is `\A a, b \in DOMAIN f : f[a] = f[b] => a = b`, or with `a # b => f[a] # f[b]`."""
    match e:
        case s.Quantified("\\A", bounds, s.Apply("=>", (premise, conclusion))):
            keys = [s.Apply(one) for bound in bounds for one in bound.names]
        case _:
            return False
    domains = [places, s.Apply("DOMAIN", (s.Apply(name),))]
    if len(keys) != 2 or any(bound.domain not in domains for bound in bounds):
        return False
    alike = [set(keys), {s.Index(s.Apply(name), key) for key in keys}]
    sides = [_sides(conclusion, "="), _sides(premise, "=")]
    return sides == alike or [_sides(premise, "#"), _sides(conclusion, "#")] == alike


def _sides(e: s.Expression, operator: str) -> set[s.Expression]:
    """The two sides of `a = b`, or of `a # b`, also written as `~(a = b)`; none for other formulas."""
    match e:
        case s.Apply("~", (inner,)) if operator == "#":
            return _sides(inner, "=")
        case s.Apply(found, (left, right)) if found == operator:
            return {left, right}
    return set()
