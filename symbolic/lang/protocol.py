"""Protocols: classes whose methods describe variables, initial states and actions.

A protocol is a class. Making an instance fixes its parameters; `build` then runs each method once, with
expressions in place of values, and gives the model as data or every mistake at once.
"""

from __future__ import annotations

import inspect
import re
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, ClassVar, TypeVar, overload

from leadline.symbolic.lang import nodes as n
from leadline.symbolic.lang.checks import mistakes_in, strays
from leadline.symbolic.lang.errors import AssumptionFailed, LeadlineError, Mistake, ModelError
from leadline.symbolic.lang.expr import unknown_name, wrap
from leadline.symbolic.lang.gate import invalid
from leadline.symbolic.lang.model import Action, Model, Pick, Property, Variable
from leadline.symbolic.lang.names import camel, pascal
from leadline.symbolic.lang.next_state import Next
from leadline.symbolic.lang.parameters import Parameter, settings
from leadline.symbolic.lang.properties import Claim, state_claims
from leadline.symbolic.lang.script import Script, updates
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
        f.__leadline_action__ = ActionMark(f, tla or pascal(f.__name__), when, span)  # type: ignore[attr-defined]  # a mark
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
        elif hasattr(Next, name) or name.startswith("_"):
            mistakes.append(
                Mistake(span, f"a variable cannot be called `{name}`: nxt.{name} means something else")
            )
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
            return wrap(invalid(unknown_name("there is no variable", name, list(variables))))
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
    - `assume(self)`, optional: yields `(condition, text)` pairs that must hold of the parameters;
    - `sweep_order`, optional: the names of the actions in the order of a sweep, where the order derived from
      what they read and write is not the best.

    Args:
        settings: the values of parameters that differ from their defaults.

    Raises:
        ParameterError: if a parameter is unknown or out of range.
        AssumptionFailed: if an assumption on the parameters is false.
    """

    protocol_name: ClassVar[str] = ""
    parameters: ClassVar[dict[str, Parameter]] = {}
    sweep_order: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        own = {name: replace(x, name=name) for name, x in vars(cls).items() if isinstance(x, Parameter)}
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
    """The actions of a protocol's class, base classes first, each in the order written.

    A subclass replaces an action by one of the same name, and drops it by `name = None`.

    Raises:
        ModelError: if an action is replaced by a method that is not marked.
    """
    found: dict[str, ActionMark] = {}
    for base in reversed(kind.__mro__):
        for name, member in vars(base).items():
            mark = getattr(member, "__leadline_action__", None)
            if mark is not None:
                found[name] = mark
            elif name in found and member is None:
                del found[name]
            elif name in found:
                code = member.__code__
                text = f"{name} replaces an action and is none itself: write @action above it"
                raise ModelError([Mistake(Span(code.co_filename, code.co_firstlineno), text)])
    return list(found.values())


def build(protocol: Protocol, claims: Iterable[Claim] = ()) -> Model:
    """The model of a protocol at its parameters.

    Args:
        protocol: an instance.
        claims: the properties to state of it (those that do not apply at these parameters are left out).

    Raises:
        ModelError: with every mistake found.
    """
    variables = _declared(protocol)
    mistakes: list[Mistake] = []
    init = _initial(protocol, variables, mistakes)
    marks: list[ActionMark] = []
    _guarded(lambda: marks.extend(action_marks(type(protocol))), mistakes, type(protocol).define)
    actions = tuple(_action(protocol, mark, variables, mistakes) for mark in marks if mark.when(protocol))
    properties = state_claims(protocol, State(variables), claims, mistakes, _guarded)
    for thing in (init, *actions):
        mistakes += mistakes_in(*thing.roots) or strays(
            thing.roots, variables, thing.picks, thing.name, thing.span
        )
    mistakes += _order_mistakes(type(protocol))
    if mistakes:
        raise ModelError(mistakes)
    return Model(
        protocol.protocol_name,
        dict(protocol.settings),
        tuple(variables.values()),
        init,
        actions,
        properties,
        type(protocol).sweep_order,
    )


def _order_mistakes(kind: type[Protocol]) -> list[Mistake]:
    if not kind.sweep_order:
        return []
    names = [mark.function.__name__ for mark in action_marks(kind)]
    place = _start_of(kind.define)
    told = [
        unknown_name("sweep_order: there is no action", x, names) for x in kind.sweep_order if x not in names
    ]
    return [Mistake(place, text) for text in told]


def _declared(protocol: Protocol) -> dict[str, Variable]:
    declared = Declarations()
    mistakes: list[Mistake] = []
    defined = _guarded(lambda: protocol.define(declared), mistakes, type(protocol).define)
    variables: dict[str, Variable] = declared.__dict__["variables"]
    mistakes += declared.__dict__["mistakes"]
    if defined and not mistakes and not variables:
        mistakes.append(
            Mistake(_start_of(type(protocol).define), "define declares no variable: state.x = a type")
        )
    if mistakes:
        raise ModelError(mistakes)
    return variables


def _start_of(function: Callable[..., Any]) -> Span:
    code = inspect.unwrap(function).__code__
    return Span(code.co_filename, code.co_firstlineno)


def _guarded(run: Callable[[], object], mistakes: list[Mistake], where: Callable[..., Any]) -> bool:
    """Run a piece of the user's code; what it raises is a mistake at the user's line.

    Returns:
        whether it ran to its end.
    """
    try:
        run()
        return True
    except ModelError as error:
        mistakes += error.mistakes
    except (LeadlineError, MemoryError):
        raise
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        code = inspect.unwrap(where).__code__
        own = [frame for frame in frames if frame.filename == code.co_filename]
        line = own[-1].lineno if own else code.co_firstlineno
        mistakes.append(
            Mistake(Span(code.co_filename, line or 0), f"Python says: {type(error).__name__}: {error}")
        )
    return False


def _initial(protocol: Protocol, variables: dict[str, Variable], mistakes: list[Mistake]) -> Action:
    script = Script(variables, initial=True)
    function = type(protocol).init
    ran = _guarded(lambda: protocol.init(Next(script)), mistakes, function)
    init = Action("init", "Init", "", _start_of(function), tuple(script.body), updates(script))
    if ran:
        _check_assigned(script, dict(init.updates))
    places = {
        name: next(x.span for x in script.assignments if x.variable == name) for name, _ in init.updates
    }
    values = {root: places[name] for name, root in init.updates}
    for root in init.roots:
        for read in n.postorder(root):
            # A variable that occurs in its own value is what `_check_assigned` tells.
            if isinstance(read, n.StateVar) and not (ran and (read.name, root) in init.updates):
                text = f"init reads `{read.name}`, and there is no state before the initial one"
                script.blame(text, values.get(root, root.span))
    mistakes += script.mistakes
    return init


def _check_assigned(script: Script, values: dict[str, n.Node]) -> None:
    for name, variable in script.variables.items():
        if name not in values:
            script.blame(f"init does not assign {name}: write start.{name} = ...", variable.span)
        elif any(isinstance(x, n.StateVar) and x.name == name for x in n.postorder(values[name])):
            span = next(x.span for x in script.assignments if x.variable == name)
            repair = f"write start.{name} = ... as a whole, on every path"
            script.blame(f"init assigns {name} only in part or on some paths: {repair}", span)


def _action(
    protocol: Protocol, mark: ActionMark, variables: dict[str, Variable], mistakes: list[Mistake]
) -> Action:
    script = Script(variables)
    nxt = Next(script)
    picked = {x.name: _picked(protocol, x, script, mark) for x in _arguments(mark.function)}
    _guarded(lambda: mark.function(protocol, State(variables), nxt, **picked), mistakes, mark.function)
    mistakes += script.mistakes
    name = mark.function.__name__
    doc = inspect.getdoc(mark.function) or ""
    return Action(name, mark.tla, doc, mark.span, tuple(script.body), updates(script))


@cache
def _arguments(function: Callable[..., None]) -> tuple[inspect.Parameter, ...]:
    """What an action takes besides the protocol and the two states."""
    return tuple(inspect.signature(function).parameters.values())[3:]


def _picked(protocol: Protocol, argument: inspect.Parameter, script: Script, mark: ActionMark) -> Any:
    default = argument.default
    if not isinstance(default, PickMark):
        return _without_domain(argument.name, "", mark, script, mark.span)
    domain = default.domain
    if isinstance(domain, str):
        named, domain = domain, getattr(protocol, domain, None)
        if not isinstance(domain, Type):
            text = f", and the protocol has no type `{named}`"
            return _without_domain(argument.name, text, mark, script, default.span)
    if not isinstance(domain, Type):
        return _without_domain(argument.name, "", mark, script, default.span)
    return wrap(script.pick(argument.name, domain, default.span))


def _without_domain(name: str, why: str, mark: ActionMark, script: Script, span: Span) -> Any:
    text = (
        f"the pick `{name}` of {mark.function.__name__} has no domain{why}: "
        f'write {name}=pick("TheType"), or nxt.pick("{name}", a_set) in the body'
    )
    script.blame(text, span)
    return wrap(invalid(text, span=span))


__all__ = ["Pick", "Property", "Protocol", "action", "action_marks", "build", "pick"]
