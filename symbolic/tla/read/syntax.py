"""The syntax tree of TLA+ modules: only data, with places that equality ignores.

The tree keeps what a module means and drops how it is written: parentheses, comments, proofs and the
Unicode form of operators. Lamport, *Specifying Systems* (2002), chapter 15, has the grammar.
"""

from __future__ import annotations

import linecache
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, TypeAlias, TypeVar, TypeVarTuple, Unpack, dataclass_transform

from leadline.symbolic.lang import Span


@dataclass(frozen=True, order=True, slots=True)
class Place(Span):
    """A character of a module's file, as `file:line:column`; lines and columns count from 1.

    Attributes:
        extent: where the expression at this place begins and where the text after it begins, in bytes of what
            `leadline.symbolic.tla.read.text.parsed` makes of the file; None if it is not known.
    """

    exact: ClassVar[bool] = True

    column: int
    extent: tuple[int, int] | None = field(default=None, compare=False, repr=False, kw_only=True)

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"

    def token(self) -> str:
        """The word or the symbol that stands there; "" if the file cannot be read."""
        text = linecache.getline(self.file, self.line)
        found = re.match(r"\\?\w+|[^\w\s()]+", text[self.column - 1 :])
        return found[0] if found else ""

    def marked(self, text: str) -> tuple[int, int]:
        # A name or a number as a whole, of anything else the first character.
        word = re.match(r"\w+|.", text[self.column - 1 :])
        return self.column - 1, self.column - 1 + (len(word[0]) if word else 1)


BUILT_IN = Place("<built in>", 0, 0)


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class _Data:
    """Makes each subclass a frozen dataclass."""

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True)(cls)


class Node(_Data):
    """A part of a module.

    Attributes:
        place: where it begins.
    """

    place: Place = field(default=BUILT_IN, compare=False, repr=False, kw_only=True)


class Expression(Node):
    """A term, or a formula about no state, a state, a step or a behaviour."""


class Number(Expression):
    """An integer; a negative one comes from a configuration."""

    value: int


class String(Expression):
    """A string."""

    value: str


class ModelValue(Expression):
    """A model value of a configuration: it equals only itself. Modules have no notation for it."""

    name: str


class Apply(Expression):
    """An operator with its arguments, or a name: an operator, constant, variable or bound name without any.

    An operator that is itself an argument, such as `F` or `+` in `Fold(F, 0)`, has no arguments either.

    Attributes:
        operator: the name; for a symbol its ASCII form: see `leadline.symbolic.tla.read.parse`. The junctions
            `/\\` and `\\/` have any number of arguments, and before names are resolved so has a long chain of
            any infix operator.
        arguments: what it is applied to.
        prefix: the instances that the name is reached through, outermost first: `M(1)!Op` has `M(1)`.
            A resolved expression has none.
    """

    operator: str
    arguments: tuple[Expression, ...] = ()
    prefix: tuple[Apply, ...] = ()


class Bound(Node):
    """Bound names with their set: `x, y \\in S`, or `<<x, y>> \\in S`, or without a set.

    Attributes:
        names: the names, at least one.
        domain: the set; None if there is none.
        unpacked: whether the names stand for the parts of one element.
    """

    names: tuple[str, ...]
    domain: Expression | None = None
    unpacked: bool = False


class Quantified(Expression):
    """A quantified formula.

    Attributes:
        quantifier: `\\A`, `\\E`, `\\AA` or `\\EE`.
    """

    quantifier: str
    bounds: tuple[Bound, ...]
    body: Expression


class Choose(Expression):
    """`CHOOSE x \\in S : P`."""

    bound: Bound
    body: Expression


class SetOf(Expression):
    """`{a, b, c}`."""

    items: tuple[Expression, ...]


class Filter(Expression):
    """`{x \\in S : P}`."""

    bound: Bound
    body: Expression


class Image(Expression):
    """`{e : x \\in S, y \\in T}`."""

    body: Expression
    bounds: tuple[Bound, ...]


class Function(Expression):
    """`[x \\in S |-> e]`, or the function that `f[x \\in S] == e` defines.

    Attributes:
        name: the function's name within its own body; None if it has none.
    """

    bounds: tuple[Bound, ...]
    body: Expression
    name: str | None = None


class FunctionSet(Expression):
    """`[S -> T]`."""

    domain: Expression
    range: Expression


class Record(Expression):
    """`[a |-> e, b |-> f]`."""

    fields: tuple[tuple[str, Expression], ...]


class RecordSet(Expression):
    """`[a : S, b : T]`."""

    fields: tuple[tuple[str, Expression], ...]


class TupleOf(Expression):
    """`<<a, b>>`."""

    items: tuple[Expression, ...]


class Index(Expression):
    """`f[e]`. `f[a, b]` has the tuple `<<a, b>>` as its index, and `r.a` the string `"a"`."""

    function: Expression
    index: Expression


class Update(Node):
    """`![a].b = e` in an EXCEPT.

    Attributes:
        path: the indices, at least one.
    """

    path: tuple[Expression, ...]
    value: Expression


class Except(Expression):
    """`[f EXCEPT ![a].b = e, ...]`."""

    function: Expression
    updates: tuple[Update, ...]


class At(Expression):
    """`@` in an EXCEPT."""


class Case(Expression):
    """`CASE p -> a [] q -> b [] OTHER -> c`, or `IF p THEN a ELSE c`.

    Attributes:
        by_if: whether it is an IF, whose three parts have places of their own.
    """

    arms: tuple[tuple[Expression, Expression], ...]
    other: Expression | None
    by_if: bool = field(default=False, compare=False, repr=False, kw_only=True)


class Let(Expression):
    """`LET ... IN e`."""

    definitions: tuple[Unit, ...]
    body: Expression


class Lambda(Expression):
    """`LAMBDA x, y : e`."""

    parameters: tuple[Parameter, ...]
    body: Expression


class Subscripted(Expression):
    """An action with a subscript.

    Attributes:
        kind: `[]_` for `[A]_v`, `<<>>_` for `<<A>>_v`, `WF_` or `SF_`.
    """

    kind: str
    action: Expression
    subscript: Expression


class Label(Expression):
    """`name(x) :: e`. A resolved expression has none.

    Attributes:
        parameters: the names that are bound around it, within the expression that it names a part of.
    """

    name: str
    parameters: tuple[Parameter, ...]
    body: Expression


class Part(Expression):
    """A part of a definition, such as `Inv(1)!2!(x)!name`. A resolved expression has none.

    Attributes:
        steps: for each component a name with its arguments, the place of an operand, values for bound names, or
            `:`.
    """

    steps: tuple[Step, ...]


class Parameter(Node):
    """A name that stands for an operator, with the number of its arguments: 0 for a value."""

    name: str
    arity: int = 0


class Constants(Node):
    """`CONSTANTS`."""

    names: tuple[Parameter, ...]


class Variables(Node):
    """`VARIABLES`."""

    names: tuple[Parameter, ...]


class Recursive(Node):
    """`RECURSIVE`: the operators whose definitions follow."""

    names: tuple[Parameter, ...]


class Definition(Node):
    """`Op(x, F(_)) == e`. A function `f[x \\in S] == e` has no parameters and a `Function` as its body."""

    name: str
    parameters: tuple[Parameter, ...]
    body: Expression
    local: bool = False

    @property
    def arity(self) -> int:
        """The number of its parameters."""
        return len(self.parameters)


class Instance(Node):
    """`INSTANCE M WITH a <- e`, or `N(x) == INSTANCE M ...`.

    Attributes:
        module: the module's name, M.
        substitutions: the pairs of WITH.
        name: N; None if the definitions come in by their own names.
        parameters: those of N.
    """

    module: str
    substitutions: tuple[tuple[str, Expression], ...]
    name: str | None = None
    parameters: tuple[Parameter, ...] = ()
    local: bool = False


class Assumption(Node):
    """`ASSUME e`, or `ASSUME name == e`."""

    name: str | None
    body: Expression


class Theorem(Node):
    """`THEOREM name == e`, without its proof.

    Attributes:
        body: None for ASSUME ... PROVE.
    """

    name: str | None
    body: Expression | None


class Module(Node):
    """A module.

    Attributes:
        text: its text without comments.
    """

    name: str
    extends: tuple[Apply, ...]
    units: tuple[Unit, ...]
    text: str = field(default="", compare=False, repr=False)


Step: TypeAlias = "Apply | int | tuple[Expression, ...] | str"
Unit: TypeAlias = Constants | Variables | Recursive | Definition | Instance | Assumption | Theorem | Module

N = TypeVar("N", bound=Node)

_PARTS: dict[type[Node], tuple[str, ...]] = {}
"""The names of the fields of each kind that has been met, but for those that hold no node."""
_PLAIN = ("Place", "str", "int", "bool", "str | None", "tuple[str, ...]")


def choices(e: Apply) -> Expression:
    """The set of the values that `x' \\in S` or `x' \\subseteq S` gives a variable."""
    _, chosen = e.arguments
    return chosen if e.operator == "\\in" else Apply("SUBSET", (chosen,), place=chosen.place)


def _parts(node: Node) -> tuple[str, ...]:
    names = _PARTS.get(type(node))
    if names is None:
        names = _PARTS[type(node)] = tuple(one.name for one in fields(node) if one.type not in _PLAIN)
    return names


def children(node: Node) -> list[Node]:
    """The nodes directly below a node, from left to right."""
    found: list[Node] = []
    for name in _PARTS.get(type(node)) or _parts(node):
        value = getattr(node, name)
        if isinstance(value, tuple):
            if value:
                _collect(value, found)
        elif isinstance(value, Node):
            found.append(value)
    return found


def _collect(values: tuple[object, ...], found: list[Node]) -> None:
    for value in values:
        if isinstance(value, Node):
            found.append(value)
        elif isinstance(value, tuple):
            _collect(value, found)


def rebuilt(e: N, of: Callable[[Any], Any]) -> N:
    """A node with other nodes directly below it; itself where they are the same."""

    def other(value: Any) -> Any:
        if isinstance(value, Node):
            return of(value)
        return tuple(map(other, value)) if isinstance(value, tuple) else value

    found = {name: other(getattr(e, name)) for name in _parts(e)}
    return replace(e, **found) if any(getattr(e, name) is not x for name, x in found.items()) else e


@contextmanager
def deeply() -> Iterator[None]:
    """Lift Python's recursion limit while trees are walked: TLC, too, reads chains of hundreds of IFs."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _FRAMES))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


_FRAMES = 5_000
"""The most nested calls in Python; lowering has up to 200 for each level of a recursion in TLA+."""


def nodes(e: Node) -> Iterator[Node]:
    """An expression and all below it, each node before those below it."""
    work = [e]
    while work:
        node = work.pop()
        yield node
        work += children(node)


def operators(e: Node) -> frozenset[str]:
    """The names of all operators in an expression, found once for each: LETs nest, and it is asked of all."""
    kept: frozenset[str] | None = e.__dict__.get(_OPERATORS)
    if kept is None:
        found, work = set[str](), [e]
        while work:
            node = work.pop()
            below = node.__dict__.get(_OPERATORS)
            if below is not None:
                found |= below
                continue
            if isinstance(node, Apply):
                found.add(node.operator)
            work += children(node)
        kept = e.__dict__[_OPERATORS] = frozenset(found)
    return kept


_OPERATORS = "_operators"
"""The name under which a node keeps its operators, which is no field: a node made of it has its own."""


_K = TypeVar("_K", bound="Node | str")
_More = TypeVarTuple("_More")
_R = TypeVar("_R")


def remembered(find: Callable[[Any, _K, Unpack[_More]], _R]) -> Callable[[Any, _K, Unpack[_More]], _R]:
    """The method, which keeps its findings about a node, or a definition given by its key, and further arguments.

    Nodes count by their identity, and are kept, so that no other one gets their number.
    """
    table = f"_found_by_{find.__name__}"

    def known(self: Any, e: _K, /, *rest: *_More) -> _R:
        found = self.__dict__.setdefault(table, {})
        key = e if isinstance(e, str) else id(e), *rest
        if key not in found:
            found[key] = find(self, e, *rest), e
        result: _R = found[key][0]
        return result

    return known
