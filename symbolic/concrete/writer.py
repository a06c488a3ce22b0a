"""One Python function in the making: its lines, its blocks and what it has computed already."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

from leadline.symbolic.concrete.module import Lines, Module, place
from leadline.symbolic.concrete.translator import Code, Translator
from leadline.symbolic.lang import Type
from leadline.symbolic.lang.nodes import Node, PickVar, StateVar, children, postorder
from leadline.symbolic.lang.types import Value
from leadline.symbolic.lang.walk import free_variables

# Python refuses 20 nested loops; an action's picks take two each.
_DEEPEST_BLOCK = 8
_NESTED_STATEMENTS = 19
# Python's parser refuses 200 nested brackets.
_DEEPEST_BRACKET = 40
# Where all elements of a domain are written out: their number, and the size of all copies together.
_UNROLLED_ELEMENTS = 6
_UNROLLED_NODES = 400
_LISTED_VALUES = 1 << 12


class Writer(Translator, abstract=True):
    """Writes statements, and keeps what is known in the block at hand.

    What may fail is written as a statement at its place in the order of evaluation; what cannot fail stays
    an expression until it is used, or goes into a variable if it is used again. A node computed in a block
    is not computed again in it or in the blocks inside.
    """

    def __init__(self, module: Module, variables: Mapping[str, int], roots: Iterable[Node]) -> None:
        self.module = module
        self.variables = variables
        self.read: dict[str, str] = {}
        self.raises = 0
        self._copies = 1
        self._outer_blocks = 0
        self._blocks: list[Lines] = [[]]
        self._known: list[dict[Node | tuple[Node, Type], Code]] = [{}]
        self._uses = _uses(roots)

    # -- statements -------------------------------------------------------------------------------

    def write(self, *lines: str) -> None:
        """Add lines to the block at hand."""
        self._blocks[-1].extend(lines)

    def block(self, lines: Lines) -> None:
        """Add a block, below the line that introduces it."""
        self._blocks[-1].append(lines or ["pass"])

    def inline(self, lines: Lines) -> None:
        """Add lines that were written as a block without making them one."""
        self._blocks[-1].extend(lines)

    def open(self) -> None:
        """Begin a block: what is written and known from here on belongs to it."""
        self._blocks.append([])
        self._known.append({})

    def close(self) -> Lines:
        """End the block and give its lines, which are the caller's to place."""
        self._known.pop()
        return self._blocks.pop()

    def store(self, code: Code | str) -> str:
        """A fresh variable that holds the value from here on."""
        name = self.module.fresh("t")
        self.write(f"{name} = {code.text if isinstance(code, Code) else code}")
        return name

    def named(self, code: Code) -> str:
        """A name or literal for the value."""
        return code.text if code.depth == 0 else self.store(code)

    def fail(self, error: str) -> None:
        """Go out of bounds."""
        self.raises += 1
        self.write(f"raise {error}")

    def check(self, condition: str, error: str) -> None:
        """Go out of bounds unless the condition holds."""
        self.raises += 1
        self.write(f"if not {condition}:")
        self.block([f"raise {error}"])

    def error(self, node: Node, text: str) -> str:
        """The construction of an error."""
        return f"OutOfBounds({self.module.constant(f'{text} ({place(node.span)})')})"

    def place_of(self, node: Node) -> str:
        """The line of a node, for an error."""
        return self.module.constant(place(node.span), ("place", node.span))

    # -- what is known ----------------------------------------------------------------------------

    def know(self, key: Node | tuple[Node, Type], code: Code) -> None:
        """Use this code for the node in the block at hand."""
        self._known[-1][key] = code

    def known(self, key: Node | tuple[Node, Type]) -> Code | None:
        """The code of something computed in this block or one around it."""
        for table in reversed(self._known):
            if key in table:
                return table[key]
        return None

    def recall(self, node: Node) -> Code | None:
        """The code of a node that was computed before, or that is moved into a function of its own."""
        found = self.known(node)
        if found is None and self._too_deep and next(children(node), None) is not None:
            return self.finish(node, self._outlined(node))
        return found

    @property
    def _too_deep(self) -> bool:
        free = min(_DEEPEST_BLOCK, _NESTED_STATEMENTS - self._outer_blocks)
        return len(self._blocks) - self._outer_blocks > free

    def finish(self, node: Node, code: Code) -> Code:
        """Put into a variable what is used again or nests too deeply."""
        if code.depth > 0 and (self.used_again(node) or code.depth > _DEEPEST_BRACKET):
            code = Code(self.store(code), 0)
        self.know(node, code)
        return code

    def used_again(self, node: Node) -> bool:
        """Whether the node is asked for more than once."""
        return self._uses[node] > 1

    def _outlined(self, node: Node) -> Code:
        leaves = [x for x in postorder(node) if isinstance(x, (StateVar, PickVar))]
        bound = sorted(free_variables(node, {}), key=lambda x: x.level)
        inner = self.apart(node)
        inner._copies = self._copies
        arguments = []
        for leaf in (*leaves, *bound):
            code = self.known(leaf) or self._leaf(leaf)
            name = self.module.fresh("a")
            inner.know(leaf, Code(name, 0))
            arguments.append((name, code.text))
        result = inner.translate(node)
        inner.write(f"return {result.text}")
        name = self.module.fresh("f")
        self.module.define(name, ", ".join(x for x, _ in arguments), inner.lines)
        self.raises += inner.raises
        return Code(self.store(f"{name}({', '.join(x for _, x in arguments)})"), 0)

    def apart(self, root: Node) -> Writer:
        """A writer for a function of its own that gives the value of an expression."""
        raise NotImplementedError

    def _leaf(self, node: Node) -> Code:
        assert isinstance(node, StateVar)
        return self.state_variable(node.name)

    def state_variable(self, name: str) -> Code:
        """The value of a variable in the current state."""
        if name not in self.read:
            self.read[name] = self.module.fresh("s")
        return Code(self.read[name], 0)

    @property
    def lines(self) -> Lines:
        """The finished function's body."""
        (body,) = self._blocks
        loads = [f"{local} = state[{self.variables[name]}]" for name, local in self.read.items()]
        return [*loads, *body]

    # -- domains ----------------------------------------------------------------------------------

    def listed(self, kind: Type) -> str:
        """An iterable over all values of a type in their order."""
        if kind.cardinality <= _LISTED_VALUES:
            return self.module.constant(tuple(kind.values()), ("values", kind))
        return f"{self.module.constant(kind, ('type', kind))}.values()"

    def rank(self, kind: Type) -> str:
        """A function from values to their places in the type's order."""
        if kind.cardinality <= _LISTED_VALUES:
            return f"{self.places(kind)}.__getitem__"
        return f"{self.module.constant(kind, ('type', kind))}.rank"

    def places(self, kind: Type) -> str:
        """A dictionary from values to their places in the type's order."""
        table = {value: rank for rank, value in enumerate(kind.values())}
        return self.module.constant(table, ("places", kind))

    def unrolls(self, values: tuple[Value, ...], body: Node) -> bool:
        """Whether a body is small enough to be written out for each value."""
        size = len(values) * len(postorder(body)) * self._copies
        return len(values) <= _UNROLLED_ELEMENTS and size <= _UNROLLED_NODES

    @contextmanager
    def copied(self, number: int) -> Iterator[None]:
        """Note that what is written inside is written that many times."""
        self._copies *= number
        yield
        self._copies //= number


def _uses(roots: Iterable[Node]) -> Counter[Node]:
    """How often each node is asked for."""
    roots = tuple(roots)
    uses = Counter(roots)
    for node in postorder(*roots):
        uses.update(children(node))
    return uses
