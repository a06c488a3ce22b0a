"""From nodes to code: one method for each kind of node, and none forgotten."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

from leadline.symbolic.lang.nodes import KINDS, Node


@dataclass(frozen=True, slots=True)
class Code:
    """A Python expression that cannot fail and has no effect.

    Attributes:
        text: the source, to be put anywhere an operand may stand.
        depth: how deeply its brackets nest; 0 for a name or a literal.
    """

    text: str
    depth: int = 1


Visit: TypeAlias = "Code | Generator[Node, Code, Code]"
"""What a visitor gives: code, or a coroutine that asks for the code of its children one by one.

Coroutines run on a stack of our own, so a deep expression does not overflow Python's."""


class Translator:
    """Base of translators: `visit_Kind(self, node)` for each kind of node.

    Attributes:
        unsupported: the kinds that the translator refuses.
    """

    unsupported: ClassVar[frozenset[type[Node]]] = frozenset()
    _visitors: ClassVar[dict[type[Node], Callable[[Any, Any], Visit]]] = {}

    def __init_subclass__(cls, *, abstract: bool = False, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if abstract:
            return
        wanted = {f"visit_{kind.__name__}": kind for kind in KINDS if kind not in cls.unsupported}
        missing = [name for name in wanted if not hasattr(cls, name)]
        unknown = [name for name in dir(cls) if name.startswith("visit_") and name not in wanted]
        if missing or unknown:
            raise TypeError(f"{cls.__name__} lacks {missing}; no kind of node asks for its {unknown}")
        cls._visitors = {kind: getattr(cls, name) for name, kind in wanted.items()}

    def translate(self, root: Node) -> Code:
        """The code of an expression."""
        stack: list[tuple[Node, Generator[Node, Code, Code]]] = []
        result = self._enter(root, stack)
        while stack:
            node, steps = stack[-1]
            try:
                # A coroutine starts by being sent None, which is what entering it gave.
                wanted = steps.send(result)  # type: ignore[arg-type]
            except StopIteration as end:
                stack.pop()
                result = self.finish(node, end.value)
            else:
                result = self._enter(wanted, stack)
        assert result is not None
        return result

    def _enter(self, node: Node, stack: list[tuple[Node, Generator[Node, Code, Code]]]) -> Code | None:
        known = self.recall(node)
        if known is not None:
            return known
        visit = self._visitors[type(node)](self, node)
        if isinstance(visit, Code):
            return self.finish(node, visit)
        stack.append((node, visit))
        return None

    def recall(self, node: Node) -> Code | None:
        """The code of a node that need not be visited."""
        raise NotImplementedError

    def finish(self, node: Node, code: Code) -> Code:
        """What becomes of a visited node's code."""
        raise NotImplementedError
