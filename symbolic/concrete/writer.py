"""Python code from nodes: a rule for each kind of node, the function that code is written into, and its module.

A module under construction also has the code that checks that a value has a type.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from leadline.symbolic.lang import Int, OutOfBounds, Property, Span, Type, Value, in_tla
from leadline.symbolic.lang.nodes import (
    BINDERS,
    KINDS,
    Bound,
    Invalid,
    Node,
    PickVar,
    StateVar,
    children,
    kept,
    leaves_of,
    postorder,
)

Lines: TypeAlias = "list[str | Lines]"
"""Source lines. A nested list is an indented block."""


def out_of_bounds(value: Value, source: Type, target: Type, place: str, span: Span) -> OutOfBounds:
    """The error of a value of the source type that is not one of the target type.

    The value is printed as TLA+, like the states of a trace; the type as the protocol declares it.
    """
    return OutOfBounds(f"{in_tla(source, value)} is not in {target!r} ({place})", span)


@dataclass(frozen=True, eq=False, slots=True)
class Source:
    """The assignment, guard or property that code belongs to: errors in the code name it.

    Attributes:
        owner: the action or property, as people know it; "" if there is none.
        span: its place; None where each expression stands for itself.
        parts: the places of parts of it.
    """

    owner: str = ""
    span: Span | None = None
    parts: Mapping[Node, Span] = field(default_factory=dict)

    @classmethod
    def of(cls, claim: Property) -> Source:
        """A property as a source."""
        return cls(claim.name, claim.span, claim.places)


ANYWHERE = Source()


def render(lines: Lines, indent: int = 0) -> str:
    """The lines as source text."""
    # One space a level. Python refuses more than 100 levels, whatever their width.
    return "\n".join(
        " " * indent + line if isinstance(line, str) else render(line, indent + 1) for line in lines
    )


@dataclass(frozen=True, slots=True)
class _Function:
    """The function of an expression.

    Attributes:
        name: its name.
        leaves: the state variables, picks and bound variables that it takes.
        raises: how many of its statements raise errors.
    """

    name: str
    leaves: tuple[Node, ...]
    raises: int


class Module:
    """Functions that are compiled together and share a table of constants.

    The source holds only generated names, integers and Python's own constants. Every other value is in the
    table.

    Attributes:
        outlined: the functions of expressions that have one of their own; one that may raise errors belongs to a
            source too, since errors name parts of it.
        written: the expressions that some function has code for.
    """

    def __init__(self) -> None:
        self._names = 0
        self._constants: dict[str, Any] = {"OutOfBounds": OutOfBounds, "out_of_bounds": out_of_bounds}
        self._known: dict[Any, str] = {}
        self._functions: list[Lines] = []
        self.outlined: dict[Node | tuple[Node, Source], _Function] = {}
        self.written: set[Node] = set()

    def fresh(self, stem: str) -> str:
        """A name that does not occur elsewhere in the module."""
        self._names += 1
        return f"{stem}{self._names}"

    def constant(self, value: Any, key: Any = None) -> str:
        """The name of a constant.

        Args:
            value: any object.
            key: hashable. Constants with equal keys are stored once; with None, this one is stored anew.
        """
        if key is not None and key in self._known:
            return self._known[key]
        name = self.fresh("K")
        self._constants[name] = value
        if key is not None:
            self._known[key] = name
        return name

    def literal(self, value: Value, kind: Type) -> str:
        """A value of a type: a literal if it is None, a Boolean or an integer, else a constant's name."""
        if value is None or isinstance(value, int):
            return repr(value) if value is None or value >= 0 else f"({value})"
        return self.constant(value, (kind, value))

    def define(self, name: str, parameters: str, body: Lines) -> None:
        """Add a function."""
        self._functions.append([f"def {name}({parameters}):", body])

    @property
    def source(self) -> str:
        """The source of all functions."""
        return "\n".join(render(function) for function in self._functions)

    def load(self) -> dict[str, Any]:
        """Compile the module.

        Returns:
            The functions by name.
        """
        namespace = dict(self._constants)
        with warnings.catch_warnings():
            # Python warns of conditions on constants, such as `1 is not None`. Generated code has them.
            warnings.simplefilter("ignore", SyntaxWarning)
            exec(compile(self.source, "<leadline concrete meaning>", "exec"), namespace)
        return namespace


def condition(module: Module, source: Type, target: Type, text: str) -> str | None:
    """The condition that a value of the source type is one of the target type; None if it always is.

    Args:
        source: a type whose values have the target's shape (`leadline.symbolic.lang.coercion.fits`).
        text: the name that holds the value.
    """
    if target.includes(source):
        return None
    if not isinstance(source, Int) or not isinstance(target, Int):
        return f"{module.constant(target, ('type', target))}.contains({text})"
    low = f"{target.low} <= " if source.low < target.low else ""
    high = f" <= {target.high}" if source.high > target.high else ""
    return f"({low}{text}{high})"


# Python refuses 20 nested statements; each pick of an action takes two.
_DEEPEST_BLOCK = 8
_NESTED_STATEMENTS = 19
# Python's parser refuses 200 nested brackets.
_DEEPEST_BRACKET = 40
_LISTED_VALUES = 1 << 12
# An expression with so many nodes, those of shared parts counted each time, is a function from its second copy on.
# It is small, since functions of a deep expression overlap: 1,000 made 50 lines for each of them, 60 make 7.
_LARGE = 60


@dataclass(frozen=True, slots=True)
class Code:
    """A Python expression that cannot fail and has no effect.

    Attributes:
        text: the source, which can stand wherever an operand can.
        depth: the depth of its nested brackets; 0 for a name or a literal.
    """

    text: str
    depth: int = 1


Visit: TypeAlias = "Code | Generator[Node, Code, Code]"
"""The result of a visitor: code, or a coroutine that asks for the code of its children one by one.

The coroutines are kept in a list, so a deep expression does not overflow Python's stack."""

Steps: TypeAlias = Generator[Node, Code, Code]


def joined(template: str, *parts: Code) -> Code:
    """A template with the parts' texts in its braces."""
    return Code(template.format(*(part.text for part in parts)), 1 + max(part.depth for part in parts))


Rule: TypeAlias = "Callable[[Writer, Any], Visit]"
"""The translation of one kind of node."""


def complete(rules: Mapping[type[Node], Rule]) -> Mapping[type[Node], Rule]:
    """The rules, of which there must be one for each kind of node that a finished model may contain.

    Raises:
        TypeError: if a kind has none, or a rule is for no kind of node.
    """
    wanted = {*KINDS} - {Invalid}
    missing, unknown = (sorted(x.__name__ for x in kinds) for kinds in (wanted - {*rules}, {*rules} - wanted))
    if missing or unknown:
        raise TypeError(f"there is no rule for {missing}; no finished model has {unknown}")
    return rules


class Writer:
    """Writes the statements of one function.

    Code that may fail becomes a statement at its place in the order of evaluation. Other code stays an
    expression until it is used, or goes into a variable if it is used again. A node is computed only once in
    a block and the blocks inside it.

    Args:
        module: the module that the function belongs to.
        variables: the position of each state variable in a state.
        roots: all expressions that the function evaluates.
        rules: the rule of each kind of node.
        around: the writer of the calling function, if this function has one: then there is one root, and the
            function's parameters are the leaves of the root.

    Attributes:
        stack: the nodes whose code is being written, each inside the one before it.
        outer_blocks: the number of statements, such as loops of picks, that the innermost function nests.
        source: the part of the model that code is written for now.
    """

    def __init__(
        self,
        module: Module,
        variables: Mapping[str, int],
        roots: Iterable[Node],
        rules: Mapping[type[Node], Rule],
        around: Writer | None = None,
    ) -> None:
        self.module = module
        self.rules = rules
        self.stack: list[tuple[Node, Steps]] = []
        self.variables = variables
        self.read: dict[str, str] = {}
        self.raises = 0
        self.source = ANYWHERE
        self.outer_blocks = 0
        self._blocks: list[Lines] = [[]]
        self._known: list[dict[Node, Code]] = [{}]
        self._is_loop = [False]
        self._function_block = 0  # where the innermost function begins in the list of blocks
        self._once: set[Node] = set()
        self._root: Node | None = None
        self._place_around: tuple[str, str] | None = None
        self._parameters: dict[Node, str] = {}
        self._calls = False
        if around is None:
            self._uses, self._sizes = _uses(roots)
            return
        # The counts of the calling function are kept. A node counts as shared if it is shared there: counting anew
        # for each function would take as long as writing it.
        self._uses, self._sizes = around._uses, around._sizes
        self.source = around.source
        (self._root,) = roots
        self._place_around = module.fresh("a"), module.fresh("a")
        self._parameters = {leaf: module.fresh("a") for leaf in leaves_of(self._root)}
        for leaf, name in self._parameters.items():
            self.know(leaf, Code(name, 0))

    # -- expressions ------------------------------------------------------------------------------

    def all_of(self, nodes: Iterable[Node]) -> Generator[Node, Code, list[Code]]:
        """The code of several nodes, in their order."""
        parts = []
        for node in nodes:
            parts.append((yield node))
        return parts

    def translate(self, root: Node) -> Code:
        """The code of an expression."""
        self.stack = []
        writers = [self]  # each writes a function that the one before it calls
        result = self._enter(root, writers)
        while True:
            writer = writers[-1]
            if writer.stack:
                node, steps = writer.stack[-1]
                try:
                    # A coroutine must first be sent None, and None is what entering it returned.
                    wanted = steps.send(result)  # type: ignore[arg-type]
                except StopIteration as end:
                    writer.stack.pop()
                    result = writer.finish(node, end.value)
                else:
                    result = writer._enter(wanted, writers)
                continue
            assert result is not None
            if writer is self:
                return result
            writers.pop()
            result = writers[-1]._called(*writer._function(result))

    def _enter(self, node: Node, writers: list[Writer]) -> Code | None:
        """The code of a node; None if it is not finished.

        The coroutine of such a node is on the stack then: on that of a new writer if the node needs a function.
        """
        found = self.known(node)
        if found is not None:
            return found
        outer = self._outside_loops(node) if node not in self._once else None
        if outer is not None:
            self.stack.append((node, self._evaluated_once(node, outer)))
            return None
        if self._apart(node):
            outlined = self.module.outlined
            function = outlined.get(node) or outlined.get((node, self.source))
            if function is not None:
                return self._called(node, function)
            writers.append(Writer(self.module, self.variables, (node,), self.rules, self))
            return writers[-1]._enter(node, writers)
        visit = self.rules[type(node)](self, node)
        if isinstance(visit, Code):
            return self.finish(node, visit)
        self.stack.append((node, visit))
        return None

    def _outside_loops(self, node: Node) -> int | None:
        """The block outside of loops around this place in which a node has the same value.

        It is None if there is none, or if the node has no loop itself: then it is cheap.
        """
        if not kept(node, "_has_loop", lambda one, inside: any(inside) or isinstance(one, BINDERS)):
            return None
        blocks = [self._function_block]
        for leaf in leaves_of(node):
            blocks += [place for place, table in enumerate(self._known) if leaf in table]
        outer = max(blocks)
        return outer if any(self._is_loop[outer + 1 :]) else None

    def _evaluated_once(self, node: Node, outer: int) -> Steps:
        """The code of a node that loops evaluate when they need it first, and keep for their next rounds."""
        name, unset = self.module.fresh("c"), self.module.constant(object(), "unset")
        self._blocks[outer].append(f"{name} = {unset}")
        self._once.add(node)
        self.open()
        code = yield node
        lines = self.close()
        self._once.remove(node)
        self.write(f"if {name} is {unset}:")
        self.block([*lines, f"{name} = {code.text}"])
        return Code(name, 0)

    # -- statements -------------------------------------------------------------------------------

    def write(self, *lines: str | Lines) -> None:
        """Add lines to the current block, those of a closed block among them."""
        self._blocks[-1].extend(lines)

    def block(self, lines: Lines) -> None:
        """Add a block, below the line that introduces it."""
        self._blocks[-1].append(lines or ["pass"])

    def open(self) -> None:
        """Begin a block. Lines and known code belong to it from here on."""
        self._blocks.append([])
        self._known.append({})
        self._is_loop.append(False)

    def close(self) -> Lines:
        """End the block. The caller places its lines."""
        self._known.pop()
        self._is_loop.pop()
        return self._blocks.pop()

    def within_function(self, name: str, write: Callable[[], None]) -> None:
        """Define a function in this one, without parameters, which may use what is known here."""
        before = self._function_block, self.outer_blocks
        self.open()
        self._function_block, self.outer_blocks = len(self._blocks) - 1, 0
        write()
        self._function_block, self.outer_blocks = before
        lines = self.close()
        self.write(f"def {name}():")
        self.block(lines)

    def store(self, code: Code | str) -> str:
        """Put a value into a fresh variable."""
        name = self.module.fresh("t")
        self.write(f"{name} = {code.text if isinstance(code, Code) else code}")
        return name

    def named(self, code: Code) -> str:
        """A name or literal for a value."""
        return code.text if code.depth == 0 else self.store(code)

    def fail(self, error: str) -> None:
        """Write that evaluation goes out of bounds."""
        self.raises += 1
        self.write(f"raise {error}")

    def check(self, condition: str, error: str) -> None:
        """Write that evaluation goes out of bounds unless a condition holds."""
        self.raises += 1
        self.write(f"if not {condition}:")
        self.block([f"raise {error}"])

    def error(self, node: Node, text: str) -> str:
        """The construction of an error."""
        told, span = self._place(node)
        return f"OutOfBounds({self.module.constant(f'{text} (', ('text', text))} + {told} + ')', {span})"

    def place_of(self, node: Node) -> str:
        """The place of a node, for an error: as text, and as a span."""
        return ", ".join(self._place(node))

    def _place(self, node: Node) -> tuple[str, str]:
        """The place of the smallest part of the source around a node that has one: as text, and as a span.

        The node's own will not do: it is that of the first one ever made, in another action perhaps.
        """
        for one in (node, *(x for x, _ in reversed(self.stack))):
            if one in self.source.parts:
                span = self.source.parts[one]
                break
        else:
            if self._place_around is not None:
                return self._place_around
            span = self.source.span or node.span
        line = f"{span.file.replace(chr(92), '/').rpartition('/')[2]}:{span.line}"
        told = f"{line}, in {self.source.owner}" if self.source.owner else line
        return self.module.constant(told, ("place", told)), self.module.constant(span, ("span", span))

    # -- what is known ----------------------------------------------------------------------------

    def know(self, key: Node, code: Code) -> None:
        """Use this code for a node in the current block."""
        self._known[-1][key] = code
        self._is_loop[-1] |= isinstance(key, Bound | PickVar)

    def known(self, key: Node) -> Code | None:
        """The code of a node that was computed in this block or one around it."""
        for table in reversed(self._known):
            if key in table:
                return table[key]
        return None

    def _apart(self, node: Node) -> bool:
        """Whether a node becomes a function of its own.

        It does if it is too deep, or large and written in another block or function already: copies in all of them
        may be exponentially many.
        """
        again = node in self.module.written and self._sizes[node] > _LARGE and node is not self._root
        free = min(_DEEPEST_BLOCK, _NESTED_STATEMENTS - self.outer_blocks)
        too_deep = len(self._blocks) - self._function_block - self.outer_blocks > free
        return again or (too_deep and next(children(node), None) is not None)

    def finish(self, node: Node, code: Code) -> Code:
        """Put code that is used again or nests too deeply into a variable."""
        if code.depth > 0 and (self._uses[node] > 1 or code.depth > _DEEPEST_BRACKET):
            code = Code(self.store(code), 0)
        self.know(node, code)
        self.module.written.add(node)
        return code

    def _called(self, node: Node, function: _Function) -> Code:
        """The value of a node by its function."""
        arguments = [*self._place(node)] if function.raises else []
        for leaf in function.leaves:
            code = self.known(leaf)
            if code is None:
                assert isinstance(leaf, StateVar), "picks and bound variables have values"
                code = self.state_variable(leaf.name)
            arguments.append(code.text)
        self.raises += function.raises
        self._calls = True
        return self.finish(node, Code(self.store(f"{function.name}({', '.join(arguments)})"), 0))

    def _function(self, result: Code) -> tuple[Node, _Function]:
        """Define the function of the root, whose code is finished.

        One that may raise errors takes the place around the root too, which is theirs if no part of the source is.
        """
        root, place = self._root, self._place_around
        assert root is not None and place is not None
        body = [*self.lines, f"return {result.text}"]
        if self._calls and self._parameters:
            body = self._remembering(body, result)
        made = _Function(self.module.fresh("f"), tuple(self._parameters), self.raises)
        parameters = [*(place if self.raises else ()), *self._parameters.values()]
        self.module.define(made.name, ", ".join(parameters), body)
        self.module.outlined[(root, self.source) if self.raises else root] = made
        return root, made

    def _remembering(self, body: Lines, result: Code) -> Lines:
        """The body of a function that keeps its last value.

        Several functions call this one for the same state, and it calls others: values that are not kept may be
        computed exponentially often. Equal leaves are mostly the same objects, and so cheap to compare.
        """
        names = [*self._parameters.values()]
        last = self.module.constant([(object(),) * len(names)])
        same = " and ".join(f"m[{place}] is {name}" for place, name in enumerate(names))
        kept = f"{last}[0] = ({', '.join(names)}, {result.text})"
        return [f"m = {last}[0]", f"if {same}:", ["return m[-1]"], *body[:-1], kept, body[-1]]

    def state_variable(self, name: str) -> Code:
        """The value of a state variable."""
        if name not in self.read:
            self.read[name] = self.module.fresh("s")
        return Code(self.read[name], 0)

    @property
    def lines(self) -> Lines:
        """The body of the finished function."""
        (body,) = self._blocks
        loads = [f"{local} = state[{self.variables[name]}]" for name, local in self.read.items()]
        return [*loads, *body]

    # -- domains ----------------------------------------------------------------------------------

    def listed(self, kind: Type) -> str:
        """An iterable over all values of a type, in the type's order."""
        if kind.capped <= _LISTED_VALUES:
            return self.module.constant(tuple(kind.values()), ("values", kind))
        return f"{self.module.constant(kind, ('type', kind))}.values()"

    def rank(self, kind: Type) -> str:
        """A function from a value to a key that sorts as the type's order does."""
        if kind.capped <= _LISTED_VALUES:
            return f"{self.places(kind)}.__getitem__"
        return f"{self.module.constant(kind, ('type', kind))}.order"

    def places(self, kind: Type) -> str:
        """A dictionary from each value to its place in the type's order."""
        table = {value: rank for rank, value in enumerate(kind.values())}
        return self.module.constant(table, ("places", kind))


def _uses(roots: Iterable[Node]) -> tuple[Counter[Node], dict[Node, int]]:
    """How often each node occurs, and its size as a tree."""
    roots = tuple(roots)
    uses = Counter(roots)
    sizes: dict[Node, int] = {}
    for node in postorder(*roots):
        parts = tuple(children(node))
        uses.update(parts)
        sizes[node] = 1 + sum(sizes[part] for part in parts)
    return uses, sizes
