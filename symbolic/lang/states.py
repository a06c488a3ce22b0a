"""The state as a protocol's methods see it: declared by `define`, read as `now`, assigned as `nxt`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from typing import NoReturn, cast

from leadline.symbolic.lang import nodes as n, rules
from leadline.symbolic.lang.coercion import BOOL, as_node, invalid
from leadline.symbolic.lang.containers import AnyExpr, SetLike
from leadline.symbolic.lang.errors import Mistake, nearest, refuse, unknown_name
from leadline.symbolic.lang.expr import BoolExpr, BoolLike, Expr, InvalidExpr, Mistaken, wrap
from leadline.symbolic.lang.model import Action, Variable
from leadline.symbolic.lang.names import camel
from leadline.symbolic.lang.script import Script, Selector
from leadline.symbolic.lang.span import caller_lines, caller_span
from leadline.symbolic.lang.structures import Map, Record, Seq, Tuple
from leadline.symbolic.lang.temporal import primed
from leadline.symbolic.lang.types import MOST_PARTS, TOO_MANY, Type, all_types


class Declarations:
    """The argument of `define`: `state.name = type` declares a variable, `declare` one with its own TLA+ name."""

    def __init__(self) -> None:
        object.__setattr__(self, "variables", {})
        object.__setattr__(self, "mistakes", [])

    def __setattr__(self, name: str, kind: Type) -> None:
        self.declare(name, kind)

    def declare(self, name: str, kind: Type, tla: str | None = None) -> None:
        """Declare a state variable.

        Args:
            name: its name in the protocol, in snake_case.
            kind: its type.
            tla: its name in the TLA+ module; by default the name in lowerCamelCase.
        """
        variables: dict[str, Variable] = self.__dict__["variables"]
        mistakes: list[Mistake] = self.__dict__["mistakes"]
        span = caller_span()
        if name in variables:
            mistakes.append(Mistake(span, f"{name} is declared twice, first at {variables[name].span}"))
        elif hasattr(Next, name) or name.startswith("_"):
            mistakes.append(
                Mistake(span, f"a variable cannot be called `{name}`: nxt.{name} means something else")
            )
        elif not isinstance(kind, Type):
            mistakes.append(Mistake(span, f"{name} needs a type, such as Bool() or Int(0, 3), not {kind!r}"))
        else:
            made = Variable(name, tla or camel(name), kind, span)
            mistakes += _complaints(made, variables)
            variables[name] = made


def _complaints(made: Variable, earlier: dict[str, Variable]) -> list[Mistake]:
    told = []
    for other in earlier.values():
        if other.tla == made.tla:
            text = (
                f"the variables `{other.name}` (at {other.span}) and `{made.name}` are both `{made.tla}` in "
                "TLA+ and in counterexamples: rename one, or write "
                f'state.declare("{made.name}", its_type, tla="another name")'
            )
            told.append(Mistake(made.span, text))
    records = [kind for kind in all_types({made.type}) if isinstance(kind, Record)]
    for kind, first, second in ((record, *pair) for record in records for pair in _alike_fields(record)):
        text = (
            f"the fields `{first}` and `{second}` of {kind.name}, in {made.name}, are both `{camel(first)}` "
            "in TLA+ and in counterexamples: rename one"
        )
        told.append(Mistake(made.span, text))
    if made.type.width == TOO_MANY:
        text = (
            f"{made.name} has more than {MOST_PARTS:,} parts, one for each key of a map, possible member of "
            "a set and place of a sequence: narrow its type, or give smaller parameters"
        )
        told.append(Mistake(made.span, text))
    return told


def _alike_fields(kind: Record) -> Iterator[tuple[str, str]]:
    spelled: dict[str, str] = {}
    for name, _ in kind.fields:
        first = spelled.setdefault(camel(name), name)
        if first != name:
            yield first, name


class State:
    """A state: the variables as attributes.

    Args:
        variables: the variables by name.
        after: whether it is the state after a step, in an expression over steps.
        actions: the actions by name, for `enabled`; None for one that the protocol lacks.
    """

    def __init__(
        self,
        variables: dict[str, Variable],
        *,
        after: bool = False,
        actions: Mapping[str, Action | None] | None = None,
    ) -> None:
        object.__setattr__(self, "_variables", variables)
        object.__setattr__(self, "_after", after)
        object.__setattr__(self, "_actions", actions or {})

    def __getattr__(self, name: str) -> AnyExpr:
        if name.startswith("__"):
            raise AttributeError(name)
        variables: dict[str, Variable] = self.__dict__["_variables"]
        if name not in variables:
            return wrap(invalid(unknown_name("there is no variable", name, list(variables))))
        variable = variables[name]
        read = primed(name) if self.__dict__["_after"] else name
        return wrap(n.make(n.StateVar, variable.type, variable.span, read))

    def __setattr__(self, name: str, value: object) -> NoReturn:
        refuse(f"`{name}` of the current state cannot be assigned: use nxt.{name}")


class Target(Mistaken, Expr):
    """A path into a variable's next value, to assign to it or to a part of it. As a value it is a mistake."""

    __slots__ = ("_kind", "_path", "_script", "_variable")
    _kind: Type
    _path: tuple[Selector, ...]
    _script: Script
    _variable: Variable

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

    def _into_key(self, key: object) -> tuple[Selector, Type] | None:
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

    def __getattr__(self, name: str) -> Target:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._inside(self._into_field(name))

    def __getitem__(self, key: object) -> Target:
        return self._inside(self._into_key(key))

    def __eq__(self, other: object) -> BoolExpr:  # type: ignore[override]  # as of any expression
        # Reported at once: a line of its own is meant as an assignment, and would have no effect.
        name = self._variable.name
        when, read = (
            ("initial", "name it in a Python variable")
            if self._script.initial
            else ("next", f"read now.{name}")
        )
        self._script.blame(
            f"the {when} value of `{name}` cannot be compared: to assign it write one `=`, else {read}"
        )
        return wrap(as_node(True))

    __hash__ = Expr.__hash__

    def _inside(self, part: tuple[Selector, Type] | None) -> Target:
        if part is None:
            return cast("Target", InvalidExpr(self.node))
        return Target(self._script, self._variable, (*self._path, part[0]), part[1])

    def __setattr__(self, name: str, value: object) -> None:
        self._store(self._into_field(name), value)

    def __setitem__(self, key: object, value: object) -> None:
        self._store(self._into_key(key), value)

    def _store(self, part: tuple[Selector, Type] | None, value: object) -> None:
        if part is not None:
            self._script.assign(self._variable, (*self._path, part[0]), part[1], value)


def _unreadable(script: Script, name: str) -> str:
    if script.initial:
        return f"the initial value of `{name}` cannot be read here: name it in a Python variable and use that"
    return f"the next value of `{name}` cannot be read: read now.{name}, or name the new value in a variable"


class Arm:
    """One arm of a branch, for `with`: guards and assignments inside count only where it is taken."""

    def __init__(self, script: Script, branch: int, condition: n.Node, *, last: bool) -> None:
        earlier = script.chains.setdefault(branch, [])
        self._script = script
        self._arm = (branch, len(earlier))
        self._taken = rules.connective(n.And, [*(rules.negation(x) for x in earlier), condition])
        self._after = None if last else branch
        earlier.append(script.checked(condition))
        script.place(condition, caller_span())

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

    Assign to `nxt.variable`, `nxt.variable[key].field` and so on; all else keeps its value.
    """

    __slots__ = ("_script",)
    _script: Script

    def __init__(self, script: Script) -> None:
        object.__setattr__(self, "_script", script)

    def require(self, *conditions: BoolLike) -> None:
        """Guards: the action is enabled only where all hold.

        Inside a branch a guard counts only where the branch is taken.
        """
        script = self._script
        span, last = caller_lines()
        for condition in conditions:
            node = rules.boolean(condition)
            script.place(node, span, last=last)
            branch = script.condition()
            guard = node if branch is None else rules.implication(branch, node)
            if guard is not as_node(True):
                script.place(guard, span, last=last)
                script.body.append(guard)

    def pick(self, name: str, domain: SetLike) -> AnyExpr:
        """Any value of a type, or any member of a set in the current state; none if the set is empty."""
        script = self._script
        if not isinstance(name, str):
            refuse(f'a pick has a name, and this is {name!r}: write nxt.pick("name", a_set)')
        return wrap(script.pick(name, domain, caller_span()))

    def choose_any(self, name: str, domain: SetLike) -> AnyExpr:
        """CHOOSE read as a free choice: as `pick`, but an empty set is out of bounds, not no choice."""
        nonempty = wrap(rules.a_set(domain)) != frozenset()
        missing = n.make(n.Undefined, BOOL, caller_span(), f"choose_any({name}) from an empty set")
        self.require(wrap(rules.if_then_else(nonempty, True, missing)))
        return self.pick(name, domain)

    def when(self, condition: BoolLike) -> AbstractContextManager[None]:
        """A branch: guards and assignments inside count only where the condition holds."""
        script = self._script
        return Arm(script, len(script.chains) + 1, rules.boolean(condition), last=False)

    def elsewhen(self, condition: BoolLike) -> AbstractContextManager[None]:
        """After `when`: a branch where no earlier condition holds and this one does."""
        return Arm(self._script, self._chain("elsewhen"), rules.boolean(condition), last=False)

    def otherwise(self) -> AbstractContextManager[None]:
        """After `when`: the branch where no earlier condition holds."""
        return Arm(self._script, self._chain("otherwise"), rules.boolean(True), last=True)

    def _chain(self, word: str) -> int:
        script = self._script
        if script.open_chain is None:
            script.blame(f"`{word}` without a `when` before it: begin the branches with nxt.when(...)")
            return len(script.chains) + 1
        return script.open_chain

    def __getattr__(self, name: str) -> Target:
        if name.startswith("__"):
            raise AttributeError(name)
        variable = self._known(name)
        if variable is None:
            mistake = unknown_name("there is no variable", name, list(self._script.variables))
            return cast("Target", InvalidExpr(invalid(mistake)))
        return Target(self._script, variable, (), variable.type)

    def __setattr__(self, name: str, value: object) -> None:
        variable = self._known(name)
        if variable is not None:
            self._script.assign(variable, (), variable.type, value)

    def _known(self, name: str) -> Variable | None:
        variables = self._script.variables
        if name not in variables:
            self._script.blame(unknown_name("there is no variable", name, list(variables)))
            self._script.meant.update(nearest(name, list(variables)))
        return variables.get(name)
