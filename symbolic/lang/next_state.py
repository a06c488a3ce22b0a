"""What an action says of the next state while its method runs: guards, picks and assignments."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from leadline.symbolic.lang import build
from leadline.symbolic.lang import nodes as n
from leadline.symbolic.lang.errors import Mistake
from leadline.symbolic.lang.expr import unknown_name, wrap
from leadline.symbolic.lang.gate import BOOL, as_node
from leadline.symbolic.lang.model import Pick, Variable
from leadline.symbolic.lang.span import Span, caller_span
from leadline.symbolic.lang.structures import Map, Record, Seq, Set, Tuple
from leadline.symbolic.lang.types import Type


@dataclass(frozen=True)
class Selector:
    """One part of a path: a field or component by position, or a map's key or a sequence's place."""

    position: int | None = None
    key: n.Node | None = None


@dataclass(frozen=True)
class Assignment:
    """`path` of a variable becomes `value`, on the branch given by the arms of the `when`s around it."""

    variable: str
    path: tuple[Selector, ...]
    value: n.Node
    arms: tuple[tuple[int, int], ...]
    condition: n.Node | None
    span: Span


@dataclass
class Script:
    """Everything that an action's method said, and the mistakes in it."""

    variables: dict[str, Variable]
    body: list[Pick | n.Node] = field(default_factory=list)
    assignments: list[Assignment] = field(default_factory=list)
    mistakes: list[Mistake] = field(default_factory=list)
    arms: list[tuple[int, int]] = field(default_factory=list)
    conditions: list[n.Node] = field(default_factory=list)
    branch_count: int = 0
    last_chain: tuple[int, tuple[n.Node, ...]] | None = None

    def blame(self, text: str, span: Span | None = None) -> None:
        """Note a mistake."""
        self.mistakes.append(Mistake(span or caller_span(), text))

    def condition(self) -> n.Node | None:
        """The conjunction of the conditions of all branches around, or None outside of any."""
        return build.connective(n.And, list(self.conditions)) if self.conditions else None

    def assign(self, variable: Variable, path: tuple[Selector, ...], kind: Type, value: Any) -> None:
        """Note an assignment, or the mistake that it is."""
        node = as_node(value, kind)
        made = Assignment(variable.name, path, node, tuple(self.arms), self.condition(), caller_span())
        for earlier in self.assignments:
            if _overlap(earlier, made):
                what = "partly assigned twice" if earlier.path != path else "assigned twice"
                self.blame(
                    f"{variable.name} is {what} on one path: {earlier.span} and {made.span}; "
                    "keep one of them, or put them into different branches (when, otherwise)"
                )
        self.assignments.append(made)


def _overlap(a: Assignment, b: Assignment) -> bool:
    if a.variable != b.variable:
        return False
    arms = dict(a.arms)
    exclusive = any(arms.get(branch, arm) != arm for branch, arm in b.arms)
    shorter = min(len(a.path), len(b.path))
    return not exclusive and a.path[:shorter] == b.path[:shorter]


class Place:
    """A path into a variable's next value: assign to it, or to a part of it."""

    __slots__ = ("_kind", "_path", "_script", "_variable")

    def __init__(self, script: Script, variable: Variable, path: tuple[Selector, ...], kind: Type) -> None:
        for name, value in (("_script", script), ("_variable", variable), ("_path", path), ("_kind", kind)):
            object.__setattr__(self, name, value)

    def _into_field(self, name: str) -> tuple[Selector, Type] | None:
        kind = self._kind
        if isinstance(kind, Record) and name in kind.positions:
            position = kind.positions[name]
            return Selector(position=position), kind.parts[position]
        if isinstance(kind, Record):
            self._script.blame(unknown_name(f"a {kind!r} has no field", name, list(kind.positions)))
        else:
            self._script.blame(
                f"`.{name}` of the next state: a {kind!r} has no fields, and next values cannot be read; "
                "read the current state, or name the new value in a Python variable"
            )
        return None

    def _into_key(self, key: Any) -> tuple[Selector, Type] | None:
        kind = self._kind
        if isinstance(kind, Tuple) and isinstance(key, int) and 0 <= key < len(kind.items):
            return Selector(position=key), kind.items[key]
        if isinstance(kind, Map):
            return Selector(key=as_node(key, kind.key)), kind.value
        if isinstance(kind, Seq):
            return Selector(key=build.integer(key)), kind.item
        self._script.blame(f"a {kind!r} has no part at [{key!r}]")
        return None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._inside(self._into_field(name))

    def __getitem__(self, key: Any) -> Any:
        return self._inside(self._into_key(key))

    def _inside(self, part: tuple[Selector, Type] | None) -> Any:
        if part is None:
            return _Nowhere()
        return Place(self._script, self._variable, (*self._path, part[0]), part[1])

    def __setattr__(self, name: str, value: Any) -> None:
        self._store(self._into_field(name), value)

    def __setitem__(self, key: Any, value: Any) -> None:
        self._store(self._into_key(key), value)

    def _store(self, part: tuple[Selector, Type] | None, value: Any) -> None:
        if part is not None:
            self._script.assign(self._variable, (*self._path, part[0]), part[1], value)


class _Nowhere:
    """Stands where a mistake in a path was told already."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __getitem__(self, _: Any) -> Any:
        return self

    def __setitem__(self, _: Any, __: Any) -> None:
        pass

    def __setattr__(self, _: str, __: Any) -> None:
        pass


class Next:
    """The next state, as an action's method sees it.

    Assign to `nxt.variable`, `nxt.variable[key].field` and so on; what is not assigned keeps its value.
    """

    __slots__ = ("_script",)

    def __init__(self, script: Script) -> None:
        object.__setattr__(self, "_script", script)

    def require(self, *conditions: Any) -> None:
        """Guards: the action is enabled only where all hold. Inside a branch: only where the branch is taken."""
        script: Script = self._script
        for condition in conditions:
            node = build.boolean(condition)
            branch = script.condition()
            script.body.append(node if branch is None else build.implication(branch, node))

    def pick(self, name: str, domain: Any) -> Any:
        """Any value of a type, or any member of a set in the current state; none if the set is empty."""
        script: Script = self._script
        span = caller_span()
        if script.conditions:
            script.blame(
                f"the pick `{name}` stands inside a branch: pick before it, or make it an action of its own"
            )
        if any(isinstance(item, Pick) and item.name == name for item in script.body):
            script.blame(f"there are two picks named `{name}`: rename one")
        if isinstance(domain, Type):
            script.body.append(Pick(name, domain, None, span))
            return wrap(n.make(n.PickVar, domain, span, name))
        node = build.a_set(domain)
        if isinstance(node, n.Invalid):
            script.body.append(node)
            return wrap(node)
        assert isinstance(node.type, Set)
        script.body.append(Pick(name, node.type.item, node, span))
        return wrap(n.make(n.PickVar, node.type.item, span, name))

    def choose_any(self, name: str, domain: Any) -> Any:
        """CHOOSE read as a free choice: as `pick`, but an empty set is out of bounds rather than no choice."""
        nonempty = wrap(build.a_set(domain)) != frozenset()
        missing = n.make(n.Undefined, BOOL, caller_span(), f"choose_any({name}) from an empty set")
        self.require(wrap(build.if_then_else(nonempty, True, missing)))
        return self.pick(name, domain)

    @contextmanager
    def when(self, condition: Any) -> Iterator[None]:
        """A branch: what is assigned and required inside counts only where the condition holds."""
        script: Script = self._script
        script.branch_count += 1
        with self._arm(script.branch_count, (), build.boolean(condition)):
            yield

    @contextmanager
    def elsewhen(self, condition: Any) -> Iterator[None]:
        """After `when`: a branch where no earlier condition holds and this one does."""
        branch, earlier = self._chain("elsewhen")
        with self._arm(branch, earlier, build.boolean(condition)):
            yield

    @contextmanager
    def otherwise(self) -> Iterator[None]:
        """After `when`: the branch where no earlier condition holds."""
        branch, earlier = self._chain("otherwise")
        with self._arm(branch, earlier, build.boolean(True)):
            yield

    def _chain(self, word: str) -> tuple[int, tuple[n.Node, ...]]:
        script: Script = self._script
        if script.last_chain is None:
            script.blame(f"`{word}` without a `when` before it: begin the branches with nxt.when(...)")
            return 0, ()
        return script.last_chain

    @contextmanager
    def _arm(self, branch: int, earlier: tuple[n.Node, ...], condition: n.Node) -> Iterator[None]:
        script: Script = self._script
        taken = build.connective(n.And, [*(build.negation(x) for x in earlier), condition])
        script.arms.append((branch, len(earlier)))
        script.conditions.append(taken)
        script.last_chain = None
        try:
            yield
        finally:
            script.arms.pop()
            script.conditions.pop()
            script.last_chain = (branch, (*earlier, condition))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        variable = self._known(name)
        return Place(self._script, variable, (), variable.type) if variable else _Nowhere()

    def __setattr__(self, name: str, value: Any) -> None:
        variable = self._known(name)
        if variable is not None:
            self._script.assign(variable, (), variable.type, value)

    def _known(self, name: str) -> Variable | None:
        variables = self._script.variables
        if name not in variables:
            self._script.blame(unknown_name("there is no variable", name, list(variables)))
        return variables.get(name)


def updated(current: n.Node, path: tuple[Selector, ...], value: n.Node) -> n.Node:
    """The current value with `value` at the path."""
    if not path:
        return value
    head, rest = path[0], path[1:]
    kind, span = current.type, value.span
    if head.position is not None:
        part_type = kind.parts[head.position]
        part = n.make(n.Component, part_type, span, current, head.position)
        return n.make(n.ComponentUpdate, kind, span, current, head.position, updated(part, rest, value))
    key = head.key
    assert key is not None
    if isinstance(kind, Map):
        inner = n.make(n.Apply, kind.value, span, current, key)
        return n.make(n.MapUpdate, kind, span, current, key, updated(inner, rest, value))
    assert isinstance(kind, Seq)
    inner = n.make(n.Index, kind.item, span, current, key)
    return n.make(n.SeqUpdate, kind, span, current, key, updated(inner, rest, value))
