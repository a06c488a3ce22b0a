"""The record of an action's method, and how its assignments become the variables' next values."""

from __future__ import annotations

import itertools
import re
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from leadline.symbolic.lang import nodes as n, rules
from leadline.symbolic.lang.coercion import as_node, mistakes_of
from leadline.symbolic.lang.errors import LeadlineError, Mistake, ModelError
from leadline.symbolic.lang.model import Pick, Variable
from leadline.symbolic.lang.names import camel
from leadline.symbolic.lang.span import Span, caller_place, caller_span, start_of
from leadline.symbolic.lang.structures import Map, Seq, Set
from leadline.symbolic.lang.types import Type

T = TypeVar("T")


@dataclass(frozen=True)
class Selector:
    """One part of a path: a field or component by position, or a map's key or a sequence's place."""

    position: int | None = None
    key: n.Node | None = None


@dataclass(frozen=True)
class Assignment:
    """`path` of a variable becomes `value`, on the branch given by the arms around it.

    An arm is a branch's number and the place of one of its conditions.
    """

    variable: str
    path: tuple[Selector, ...]
    value: n.Node
    arms: tuple[tuple[int, int], ...]
    span: Span


@dataclass
class Script:
    """The picks, guards and assignments that an action's method made, and the mistakes in them.

    Attributes:
        initial: whether it describes the initial states.
        arms: the arms around the line that runs now.
        conditions: for each of them, when it is taken.
        chains: for each branch the conditions of its arms, in order.
        open_chain: the branch that an `elsewhen` or `otherwise` here would continue.
        meant: the variables that are meant, it seems, where a name is unknown.
        written: the place at which the method has made each node.
        places: see `Action`.
    """

    variables: dict[str, Variable]
    initial: bool = False
    body: list[Pick | n.Node] = field(default_factory=list)
    assignments: list[Assignment] = field(default_factory=list)
    mistakes: list[Mistake] = field(default_factory=list)
    arms: list[tuple[int, int]] = field(default_factory=list)
    conditions: list[n.Node] = field(default_factory=list)
    chains: dict[int, list[n.Node]] = field(default_factory=dict)
    open_chain: int | None = None
    meant: set[str] = field(default_factory=set)
    written: Mapping[n.Node, Span] = field(default_factory=dict)
    places: dict[str, dict[n.Node, Span]] = field(default_factory=dict)

    def blame(self, text: str, span: Span | None = None) -> None:
        """Note a mistake."""
        self.mistakes.append(Mistake(span or caller_place(), text))

    def checked(self, node: n.Node) -> n.Node:
        """The node; its mistakes are noted at once, since a branch that is never taken is dropped later."""
        self.mistakes += mistakes_of(node)
        return node

    def place(self, node: n.Node, span: Span, variable: str = "", last: int = 0) -> None:
        """Note the place of a guard, or of an assignment to a variable, and of its conjuncts.

        Args:
            last: the last line of a call with several guards: one that is written below `span` stands there.
        """
        table = self.places.setdefault(variable, {})
        for one in (node, *(node.items if isinstance(node, n.And) else ())):
            own = self.written.get(one, span)
            inside = own.file == span.file and span.line <= own.line <= last
            table.setdefault(one, own if inside else span)

    def condition(self) -> n.Node | None:
        """The conjunction of the conditions of all branches around, or None outside of any."""
        return rules.connective(n.And, list(self.conditions)) if self.conditions else None

    def pick(self, name: str, domain: object, span: Span) -> n.Node:
        """Note a pick of any value of a type, or of any member of a set."""
        if self.conditions:
            repair = "pick before it, or make it an action of its own"
            self.blame(f"the pick `{name}` stands inside a branch: {repair}", span)
        if any(isinstance(item, Pick) and item.name == name for item in self.body):
            self.blame(f"there are two picks named `{name}`: rename one", span)
        for other in (x.name for x in self.body if isinstance(x, Pick) and x.name != name):
            if camel(other) == camel(name):
                text = f"the picks `{other}` and `{name}` are both `{camel(name)}` in TLA+: rename one"
                self.blame(text, span)
        if isinstance(domain, Type):
            self.body.append(Pick(name, domain, None, span))
            return n.make(n.PickVar, domain, span, name)
        node = rules.a_set(domain)
        if not isinstance(node.type, Set):
            self.body.append(node)
            return node
        self.place(node, span)
        self.body.append(Pick(name, node.type.item, node, span))
        return n.make(n.PickVar, node.type.item, span, name)

    def assign(self, variable: Variable, path: tuple[Selector, ...], kind: Type, value: object) -> None:
        """Note an assignment; one that is not allowed is noted as a mistake."""
        node = self.checked(as_node(value, kind))
        made = Assignment(variable.name, path, node, tuple(self.arms), caller_span())
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


def updates(script: Script) -> tuple[tuple[str, n.Node], ...]:
    """The next value of each assigned variable: its assignments applied one after the other."""
    found = []
    for name, variable in script.variables.items():
        own = [x for x in script.assignments if x.variable == name]
        if own:
            current = n.make(n.StateVar, variable.type, variable.span, name)
            found.append((name, _applied(script, own, 0, current)))
    return tuple(found)


def _applied(script: Script, assignments: Iterable[Assignment], depth: int, current: n.Node) -> n.Node:
    """The value after the assignments; `depth` arms around them have been dealt with."""
    for branch, group in itertools.groupby(
        assignments, lambda x: x.arms[depth][0] if x.arms[depth:] else None
    ):
        if branch is None:
            for one in group:
                current = updated(current, one.path, one.value)
                script.place(current, one.span, one.variable)
        else:
            current = _branched(script, branch, list(group), depth, current)
    return current


def _branched(
    script: Script, branch: int, assignments: list[Assignment], depth: int, current: n.Node
) -> n.Node:
    span = assignments[0].span
    arms = {arm: list(group) for arm, group in itertools.groupby(assignments, lambda x: x.arms[depth][1])}
    result = current
    for arm in reversed(range(max(arms) + 1)):
        taken = _applied(script, arms.get(arm, []), depth + 1, current)
        test = script.chains[branch][arm]
        script.place(test, script.places[""][test], assignments[0].variable)
        if isinstance(test, n.Const):
            result = taken if test.value else result
        else:
            result = n.make(n.Ite, current.type, span, test, taken, result)
    return result


def updated(current: n.Node, path: tuple[Selector, ...], value: n.Node) -> n.Node:
    """The current value with `value` at the path."""
    if not path:
        return value
    head, rest = path[0], path[1:]
    kind, span = current.type, value.span
    if head.position is not None:
        part = n.make(n.Component, kind.parts[head.position], span, current, head.position)
        return n.make(n.ComponentUpdate, kind, span, current, head.position, updated(part, rest, value))
    key = head.key
    assert key is not None
    if isinstance(kind, Map):
        at_key = n.make(n.Apply, kind.value, span, current, key)
        return n.make(n.MapUpdate, kind, span, current, key, updated(at_key, rest, value))
    assert isinstance(kind, Seq)
    at_place = n.make(n.Index, kind.item, span, current, key)
    return n.make(n.SeqUpdate, kind, span, current, key, updated(at_place, rest, value))


# -- running the user's code ------------------------------------------------------------------------


def attempted(run: Callable[[], T], mistakes: list[Mistake], where: Callable[..., object]) -> tuple[T, ...]:
    """Run a piece of the user's code; what it raises becomes a mistake at the user's line.

    Args:
        run: the code.
        mistakes: the list to add to.
        where: the function that the code is written in.

    Returns:
        the result alone, or nothing if it raised.
    """
    try:
        return (run(),)
    except ModelError as error:
        mistakes += error.mistakes
    except (LeadlineError, MemoryError, KeyboardInterrupt):
        raise
    except BaseException as error:
        mistakes.append(mistake_of(error, where))
    return ()


def mistake_of(error: BaseException, function: Callable[..., object]) -> Mistake:
    """The mistake for an error of the user's code, at the line of the function's file that raised it."""
    start, frames = start_of(function), traceback.extract_tb(error.__traceback__)
    line = next((x.lineno for x in reversed(frames) if x.filename == start.file), None)
    return Mistake(Span(start.file, line or start.line), python_says(error))


def python_says(error: BaseException) -> str:
    """The text for an error that the user's code raised."""
    if isinstance(error, SystemExit):
        return "this ends the program, and a model may not: leave out exit() and SystemExit"
    if isinstance(error, MemoryError):
        return "there is not enough memory for this: make smaller what is built here"
    text = text_of(error)
    mend = _repair_of_name(error.name) if isinstance(error, NameError) and isinstance(error.name, str) else ""
    if isinstance(error, TypeError):
        mend = next((mend for mistake, mend in _MENDS.items() if re.search(mistake, text)), "")
    return f"Python says: {type(error).__name__}: {text}{mend and ': '}{mend}"


_MENDS = {
    r"'\w+Expr' object is not callable": "it is a value and no function; leave out the ()",
    r"'\w+Expr' object .*context manager": "a branch begins with nxt.when(...) or nxt.otherwise()",
    r"\.(pick|choose_any)\(\) missing 1": 'write nxt.pick("name", a_set)',
    "'Next' object does not support item assignment": "write nxt.x = ...",
    "'FairMark' object is not iterable": "write yield in place of return",
}
"""The repairs of slips, by patterns of Python's messages about them."""


def _repair_of_name(name: str) -> str:
    """The repair for a name that is not defined: it belongs to `nxt`, or was not imported; "" for others."""
    # Here, since the language is made of this module.
    from leadline.symbolic import lang
    from leadline.symbolic.lang.states import Next

    of_action = f"write nxt.{name}(...)" if name[0] != "_" and hasattr(Next, name) else ""
    imported = f"write `from leadline import {name}`" if name in lang.__all__ else ""
    return " in an action, or ".join(filter(None, (of_action, imported)))


def text_of(error: BaseException) -> str:
    """The text of an error that the user's code raised; the code makes it, and may fail at that too."""
    try:
        return str(error)
    except Exception as another:
        return f"(its text cannot be made: {type(another).__name__})"


# -- mistakes in finished expressions --------------------------------------------------------------


def strays(
    roots: Sequence[n.Node], variables: Mapping[str, Variable], picks: Sequence[Pick], where: str, span: Span
) -> list[Mistake]:
    """The leaves that mean nothing here: kept from another protocol, action or quantifier.

    Args:
        roots: the expressions.
        variables: the state variables that they may read.
        picks: the picks that they may use.
        where: the action or property that they belong to, for the texts.
        span: its place. That of a leaf will not do: equal leaves are one node, with one line.
    """
    picked = {(pick.name, pick.type) for pick in picks}
    told = []
    for node in n.postorder(*roots):
        match node:
            case n.StateVar(name=name):
                if name not in variables or variables[name].type != node.type:
                    text = f"{where} reads `{name}`, a variable of another protocol or other parameters"
                    told.append(Mistake(span, text))
            case n.PickVar(name=name):
                if (name, node.type) not in picked:
                    text = (
                        f"{where} uses the pick `{name}` of another action: picks are known in their own only"
                    )
                    told.append(Mistake(span, text))
            case n.Bound(name=name) if node.level < 0:
                text = f"{where} uses `{name}` outside of the function whose argument it is"
                told.append(Mistake(node.span, text))
    return told
