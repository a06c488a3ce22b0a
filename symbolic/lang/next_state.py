"""The next state as an action's method sees it: guards, picks, branches and assignments."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from leadline.symbolic.lang import nodes as n
from leadline.symbolic.lang import rules
from leadline.symbolic.lang.expr import unknown_name, wrap
from leadline.symbolic.lang.gate import BOOL, as_node, invalid
from leadline.symbolic.lang.model import Variable
from leadline.symbolic.lang.script import Script, Selector
from leadline.symbolic.lang.span import caller_span
from leadline.symbolic.lang.structures import Map, Record, Seq, Tuple
from leadline.symbolic.lang.types import Type
from leadline.symbolic.lang.value import InvalidExpr


class Place(InvalidExpr):
    """A path into a variable's next value, to assign to it or to a part of it. As a value it is a mistake."""

    __slots__ = ("_kind", "_path", "_script", "_variable")

    def __init__(self, script: Script, variable: Variable, path: tuple[Selector, ...], kind: Type) -> None:
        super().__init__(invalid(_unreadable(script, variable.name)))
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
            self._script.blame(_unreadable(self._script, self._variable.name))
        return None

    def _into_key(self, key: Any) -> tuple[Selector, Type] | None:
        kind = self._kind
        if isinstance(kind, Tuple) and isinstance(key, int) and 0 <= key < len(kind.items):
            return Selector(position=key), kind.items[key]
        if isinstance(kind, Map):
            return Selector(key=self._script.checked(as_node(key, kind.key))), kind.value
        if isinstance(kind, Seq):
            return Selector(key=self._script.checked(rules.integer(key))), kind.item
        repair = f"it has 0..{len(kind.items) - 1}" if isinstance(kind, Tuple) else "assign all of it"
        self._script.blame(f"a {kind!r} has no part at this place: {repair}")
        return None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._inside(self._into_field(name))

    def __getitem__(self, key: Any) -> Any:
        return self._inside(self._into_key(key))

    def __eq__(self, other: object) -> Any:
        # Told at once: as a line of its own it would be meant as an assignment, and say nothing.
        name = self._variable.name
        when, read = (
            ("initial", "name it in a Python variable")
            if self._script.initial
            else ("next", f"read now.{name}")
        )
        self._script.blame(
            f"the {when} value of `{name}` cannot be compared: to assign it write one `=`, else {read}"
        )
        return True

    __hash__ = InvalidExpr.__hash__

    def _inside(self, part: tuple[Selector, Type] | None) -> Any:
        if part is None:
            return _Nowhere(self.node)
        return Place(self._script, self._variable, (*self._path, part[0]), part[1])

    def __setattr__(self, name: str, value: Any) -> None:
        self._store(self._into_field(name), value)

    def __setitem__(self, key: Any, value: Any) -> None:
        self._store(self._into_key(key), value)

    def _store(self, part: tuple[Selector, Type] | None, value: Any) -> None:
        if part is not None:
            self._script.assign(self._variable, (*self._path, part[0]), part[1], value)


class _Nowhere(InvalidExpr):
    """Stands where a mistake in a path was told already: assigning to it is told no more."""

    __slots__ = ()

    def __getitem__(self, _: Any) -> Any:
        return self

    def __setattr__(self, _: str, __: Any) -> None:
        pass

    def __setitem__(self, _: Any, __: Any) -> None:
        pass


def _unreadable(script: Script, name: str) -> str:
    if script.initial:
        return f"the initial value of `{name}` cannot be read here: name it in a Python variable and use that"
    return f"the next value of `{name}` cannot be read: read now.{name}, or name the new value in a variable"


class Arm:
    """One arm of a branch, for `with`: what is said inside counts only where it is taken."""

    def __init__(self, script: Script, branch: int, condition: n.Node, *, last: bool) -> None:
        earlier = script.chains.setdefault(branch, [])
        self._script = script
        self._arm = (branch, len(earlier))
        self._taken = rules.connective(n.And, [*(rules.negation(x) for x in earlier), condition])
        self._after = None if last else branch
        earlier.append(script.checked(condition))

    def __enter__(self) -> None:
        self._script.arms.append(self._arm)
        self._script.conditions.append(self._taken)
        self._script.open_chain = None

    def __exit__(self, *_: object) -> None:
        self._script.arms.pop()
        self._script.conditions.pop()
        self._script.open_chain = self._after


class Next:
    """The next state, as an action's method sees it.

    Assign to `nxt.variable`, `nxt.variable[key].field` and so on; what is not assigned keeps its value.
    """

    __slots__ = ("_script",)

    def __init__(self, script: Script) -> None:
        object.__setattr__(self, "_script", script)

    def require(self, *conditions: Any) -> None:
        """Guards: the action is enabled only where all hold.

        Inside a branch a guard counts only where the branch is taken.
        """
        script: Script = self._script
        for condition in conditions:
            node = rules.boolean(condition)
            branch = script.condition()
            guard = node if branch is None else rules.implication(branch, node)
            if guard is not as_node(True):
                script.body.append(guard)

    def pick(self, name: str, domain: Any) -> Any:
        """Any value of a type, or any member of a set in the current state; none if the set is empty."""
        script: Script = self._script
        return wrap(script.pick(name, domain, caller_span()))

    def choose_any(self, name: str, domain: Any) -> Any:
        """CHOOSE read as a free choice: as `pick`, but an empty set is out of bounds, not no choice."""
        nonempty = wrap(rules.a_set(domain)) != frozenset()
        missing = n.make(n.Undefined, BOOL, caller_span(), f"choose_any({name}) from an empty set")
        self.require(wrap(rules.if_then_else(nonempty, True, missing)))
        return self.pick(name, domain)

    def when(self, condition: Any) -> AbstractContextManager[None]:
        """A branch: what is assigned and required inside counts only where the condition holds."""
        script: Script = self._script
        return Arm(script, len(script.chains) + 1, rules.boolean(condition), last=False)

    def elsewhen(self, condition: Any) -> AbstractContextManager[None]:
        """After `when`: a branch where no earlier condition holds and this one does."""
        return Arm(self._script, self._chain("elsewhen"), rules.boolean(condition), last=False)

    def otherwise(self) -> AbstractContextManager[None]:
        """After `when`: the branch where no earlier condition holds."""
        return Arm(self._script, self._chain("otherwise"), rules.boolean(True), last=True)

    def _chain(self, word: str) -> int:
        script: Script = self._script
        if script.open_chain is None:
            script.blame(f"`{word}` without a `when` before it: begin the branches with nxt.when(...)")
            return len(script.chains) + 1
        return script.open_chain

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        variable = self._known(name)
        if variable is None:
            return _Nowhere(invalid(unknown_name("there is no variable", name, list(self._script.variables))))
        return Place(self._script, variable, (), variable.type)

    def __setattr__(self, name: str, value: Any) -> None:
        variable = self._known(name)
        if variable is not None:
            self._script.assign(variable, (), variable.type, value)

    def _known(self, name: str) -> Variable | None:
        variables: dict[str, Variable] = self._script.variables
        if name not in variables:
            self._script.blame(unknown_name("there is no variable", name, list(variables)))
        return variables.get(name)
