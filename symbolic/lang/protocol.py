"""Protocols: classes whose methods describe variables, initial states and actions.

A protocol is a class. Making an instance fixes its parameters; `build` then runs each method once, with
expressions in place of values, and gives the model as data or every mistake at once.
"""

from __future__ import annotations

import inspect
import re
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar, overload

from leadline.symbolic.lang import nodes as n
from leadline.symbolic.lang.errors import AssumptionFailed, LeadlineError, Mistake, ModelError
from leadline.symbolic.lang.expr import unknown_name, wrap
from leadline.symbolic.lang.gate import as_node
from leadline.symbolic.lang.model import Action, Model, Pick, Property, Variable
from leadline.symbolic.lang.names import camel, pascal
from leadline.symbolic.lang.next_state import Next, Script, updated
from leadline.symbolic.lang.parameters import Parameter, settings
from leadline.symbolic.lang.properties import Claim, state_claims
from leadline.symbolic.lang.span import Span, caller_span
from leadline.symbolic.lang.types import Type

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True)
class PickMark:
    """Stands as the default of an action's argument: a pick over the type of that name (or that type)."""

    domain: str | Type | None
    span: Span


def pick(domain: str | Type | None = None) -> Any:
    """The default of an action's argument that is picked: `leader: SortExpr = pick("Replica")`.

    Args:
        domain: a type, or the name of the protocol's attribute that holds it. To pick a member of a set in
            the state use `nxt.pick(name, set)` in the action's body.
    """
    return PickMark(domain, caller_span())


@dataclass(frozen=True)
class ActionMark:
    """What the decorator `action` knows."""

    function: Callable[..., None]
    tla: str
    when: Callable[[Any], bool]
    span: Span


@overload
def action(function: F) -> F: ...


@overload
def action(*, tla: str | None = None, when: Callable[[Any], bool] = ...) -> Callable[[F], F]: ...


def action(
    function: F | None = None, *, tla: str | None = None, when: Callable[[Any], bool] = lambda protocol: True
) -> Any:
    """Make a method an action of the protocol.

    Args:
        function: the method: `def name(self, now, nxt, picks...)`.
        tla: the action's name in the TLA+ module; by default the method's in UpperCamelCase.
        when: whether the protocol, at its parameters, has the action (variants).
    """

    def mark(f: F) -> F:
        code = f.__code__
        span = Span(code.co_filename, code.co_firstlineno)
        f.__leadline_action__ = ActionMark(f, tla or pascal(f.__name__), when, span)  # type: ignore[attr-defined]
        return f

    return mark(function) if function is not None else mark


class Declarations:
    """Where `define` declares the state: `state.name = type`, or `declare` for another TLA+ name."""

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
        elif not isinstance(kind, Type):
            mistakes.append(Mistake(span, f"{name} needs a type, such as Bool() or Int(0, 3), not {kind!r}"))
        else:
            variables[name] = Variable(name, tla or camel(name), kind, span)


class State:
    """The current state: the variables as attributes."""

    def __init__(self, variables: dict[str, Variable]) -> None:
        object.__setattr__(self, "_variables", variables)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        variables: dict[str, Variable] = self.__dict__["_variables"]
        if name not in variables:
            text = unknown_name("there is no variable", name, list(variables))
            span = caller_span()
            return wrap(n.make(n.Invalid, as_node(True).type, span, text, span, ()))
        variable = variables[name]
        return wrap(n.make(n.StateVar, variable.type, variable.span, name))

    def __setattr__(self, name: str, value: Any) -> None:
        raise ModelError(
            [Mistake(caller_span(), f"`{name}` of the current state cannot be assigned: use nxt.{name}")]
        )


class Protocol:
    """Base of all protocols. A subclass declares parameters in its body and writes these methods:

    - `define(self, state)`: types as attributes of the protocol, variables as attributes of `state`;
    - `init(self, start)`: assigns every variable of `start`; may pick and require, as actions do;
    - actions: methods marked with `@action`;
    - `assume(self)`, optional: yields `(condition, text)` pairs that must hold of the parameters.

    Args:
        settings: the values of parameters that differ from their defaults.

    Raises:
        ParameterError: if a parameter is unknown or out of range.
        AssumptionFailed: if an assumption on the parameters is false.
    """

    protocol_name: ClassVar[str] = ""
    parameters: ClassVar[dict[str, Parameter]] = {}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        own = {
            name: Parameter(x.default, x.at_least, x.at_most, x.choices, x.doc, name)
            for name, x in vars(cls).items()
            if isinstance(x, Parameter)
        }
        cls.parameters = {**cls.parameters, **own}
        if "protocol_name" not in vars(cls):
            cls.protocol_name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", cls.__name__).lower()

    def __init__(self, **given: Any) -> None:
        self.settings = settings(self.parameters, given, self.protocol_name)
        for name, value in self.settings.items():
            setattr(self, name, value)
        failed = [text for condition, text in self.assume() if not condition]
        if failed:
            raise AssumptionFailed("\n".join(f"assumption on the parameters is false: {x}" for x in failed))

    def assume(self) -> Iterable[tuple[bool, str]]:
        """Conditions on the parameters, each with its text: TLA+'s ASSUME."""
        return ()

    def define(self, state: Any) -> None:
        """Declare types and variables."""
        raise NotImplementedError

    def init(self, start: Any) -> None:
        """Describe the initial states."""
        raise NotImplementedError


def action_marks(kind: type[Protocol]) -> list[ActionMark]:
    """The actions of a protocol's class, base classes first, each in the order written."""
    found: dict[str, ActionMark] = {}
    for base in reversed(kind.__mro__):
        for name, member in vars(base).items():
            mark = getattr(member, "__leadline_action__", None)
            if mark is not None:
                found[name] = mark
    return list(found.values())


def build(protocol: Protocol, claims: Iterable[Claim] = ()) -> Model:
    """The model of a protocol at its parameters.

    Args:
        protocol: an instance.
        claims: the properties to state of it (those that do not apply at these parameters are left out).

    Raises:
        ModelError: with every mistake found.
    """
    declared = Declarations()
    mistakes: list[Mistake] = []
    _guarded(lambda: protocol.define(declared), mistakes, type(protocol).define)
    variables: dict[str, Variable] = declared.__dict__["variables"]
    mistakes += declared.__dict__["mistakes"]
    if mistakes:
        raise ModelError(mistakes)
    init = _initial(protocol, variables, mistakes)
    actions = tuple(
        _action(protocol, mark, variables, mistakes)
        for mark in action_marks(type(protocol))
        if mark.when(protocol)
    )
    properties = state_claims(protocol, State(variables), claims, mistakes, _guarded)
    for thing in (init, *actions):
        _collect(thing.roots, mistakes)
    if mistakes:
        raise ModelError(mistakes)
    return Model(
        protocol.protocol_name, dict(protocol.settings), tuple(variables.values()), init, actions, properties
    )


def _collect(roots: Iterable[n.Node], mistakes: list[Mistake]) -> None:
    for node in n.postorder(*roots):
        if isinstance(node, n.Invalid):
            mistakes.append(Mistake(node.mistake_span, node.mistake))


def _guarded(run: Callable[[], object], mistakes: list[Mistake], where: Callable[..., Any]) -> None:
    """Run a piece of the user's code; what it raises is a mistake at the user's line."""
    try:
        run()
    except ModelError as error:
        mistakes += error.mistakes
    except LeadlineError:
        raise
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        code = inspect.unwrap(where).__code__
        own = [frame for frame in frames if frame.filename == code.co_filename]
        line = own[-1].lineno if own else code.co_firstlineno
        mistakes.append(
            Mistake(Span(code.co_filename, line or 0), f"Python says: {type(error).__name__}: {error}")
        )


def _initial(protocol: Protocol, variables: dict[str, Variable], mistakes: list[Mistake]) -> Action:
    script = Script(variables)
    function = type(protocol).init
    _guarded(lambda: protocol.init(Next(script)), mistakes, function)
    code = function.__code__
    span = Span(code.co_filename, code.co_firstlineno)
    assigned = {x.variable for x in script.assignments if not x.path and not x.arms}
    for name, variable in variables.items():
        if name not in assigned:
            script.blame(f"init does not assign {name}: write start.{name} = ...", variable.span)
    mistakes += script.mistakes
    return Action("init", "Init", "", span, tuple(script.body), _updates(script))


def _action(
    protocol: Protocol, mark: ActionMark, variables: dict[str, Variable], mistakes: list[Mistake]
) -> Action:
    script = Script(variables)
    nxt = Next(script)
    arguments = list(inspect.signature(mark.function).parameters.values())[3:]
    picked = {x.name: _picked(protocol, x, nxt, script, mark) for x in arguments}
    _guarded(lambda: mark.function(protocol, State(variables), nxt, **picked), mistakes, mark.function)
    mistakes += script.mistakes
    name = mark.function.__name__
    doc = inspect.getdoc(mark.function) or ""
    return Action(name, mark.tla, doc, mark.span, tuple(script.body), _updates(script))


def _picked(
    protocol: Protocol, argument: inspect.Parameter, nxt: Next, script: Script, mark: ActionMark
) -> Any:
    default = argument.default
    domain = default.domain if isinstance(default, PickMark) else None
    if isinstance(domain, str):
        domain = getattr(protocol, domain, None)
    if not isinstance(domain, Type):
        named = f", and the protocol has no type {default.domain!r}" if isinstance(default, PickMark) else ""
        text = (
            f"the pick `{argument.name}` of {mark.function.__name__} has no domain{named}: "
            f'write {argument.name}=pick("TheType"), or nxt.pick("{argument.name}", a_set) in the body'
        )
        script.blame(text, default.span if isinstance(default, PickMark) else mark.span)
        return wrap(n.make(n.Invalid, as_node(True).type, mark.span, text, mark.span, ()))
    return nxt.pick(argument.name, domain)


def _updates(script: Script) -> tuple[tuple[str, n.Node], ...]:
    """The next value of each assigned variable: its assignments applied one after the other."""
    values: dict[str, n.Node] = {}
    for one in script.assignments:
        variable = script.variables[one.variable]
        current = values.get(one.variable)
        if current is None:
            current = n.make(n.StateVar, variable.type, variable.span, variable.name)
        value = updated(current, one.path, one.value)
        if one.condition is not None:
            value = n.make(n.Ite, variable.type, one.span, one.condition, value, current)
        values[one.variable] = value
    return tuple((name, values[name]) for name in script.variables if name in values)


__all__ = ["Pick", "Property", "Protocol", "action", "action_marks", "build", "pick"]
