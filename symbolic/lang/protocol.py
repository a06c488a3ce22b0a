"""Protocols: classes whose methods describe variables, initial states and actions.

A protocol is a class. Making an instance fixes its parameters; `build` then runs each method once, with
expressions in place of values, and gives the model as data or every mistake at once.
"""

from __future__ import annotations

import inspect
import re
import traceback
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, ClassVar

from leadline.symbolic.lang import nodes as n
from leadline.symbolic.lang.actions import (
    ActionMark,
    PickMark,
    ProtocolClass,
    action,
    action_marks,
    class_mistakes,
    pick,
)
from leadline.symbolic.lang.checks import mistakes_in, strays
from leadline.symbolic.lang.declarations import Declarations, State
from leadline.symbolic.lang.errors import AssumptionFailed, LeadlineError, Mistake, ModelError
from leadline.symbolic.lang.expr import unknown_name, wrap
from leadline.symbolic.lang.gate import invalid
from leadline.symbolic.lang.model import Action, Model, Pick, Property, Variable
from leadline.symbolic.lang.next_state import Next
from leadline.symbolic.lang.parameters import Parameter, settings
from leadline.symbolic.lang.properties import Claim, state_claims
from leadline.symbolic.lang.script import Script, updates
from leadline.symbolic.lang.span import Span
from leadline.symbolic.lang.types import Type
from leadline.symbolic.lang.written import start_of


class Protocol(metaclass=ProtocolClass):
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
    marks = [mark for mark in marks if _applies(mark, protocol, mistakes)]
    actions = tuple(_action(protocol, mark, variables, mistakes) for mark in marks)
    properties = state_claims(protocol, State(variables), claims, mistakes, _guarded)
    for thing in (init, *actions):
        mistakes += mistakes_in(*thing.roots) or strays(
            thing.roots, variables, thing.picks, thing.name, thing.span
        )
    mistakes += [*class_mistakes(type(protocol)), *_order_mistakes(type(protocol))]
    mistakes += [*_alike("actions", [init, *actions]), *_alike("properties", list(properties.values()))]
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


def _applies(mark: ActionMark, protocol: Protocol, mistakes: list[Mistake]) -> bool:
    told: list[bool] = []
    return _guarded(lambda: told.append(bool(mark.when(protocol))), mistakes, mark.function) and told[0]


def _alike(what: str, things: Sequence[Action | Property]) -> list[Mistake]:
    """Those that TLA+ text and counterexamples could not tell apart."""
    first: dict[str, Action | Property] = {}
    told = []
    for thing in things:
        other = first.setdefault(thing.tla, thing)
        if other is not thing:
            text = (
                f"the {what} {other.name} (at {other.span}) and {thing.name} are both `{thing.tla}` in TLA+ "
                'and in counterexamples: rename one, or give one another name with tla="..."'
            )
            told.append(Mistake(thing.span, text))
    return told


def _order_mistakes(kind: type[Protocol]) -> list[Mistake]:
    if not kind.sweep_order:
        return []
    names = [mark.function.__name__ for mark in action_marks(kind)]
    place = start_of(kind.define)
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
            Mistake(start_of(type(protocol).define), "define declares no variable: state.x = a type")
        )
    if mistakes:
        raise ModelError(mistakes)
    return variables


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
    except (Exception, SystemExit) as error:
        frames = traceback.extract_tb(error.__traceback__)
        code = inspect.unwrap(where).__code__
        own = [frame for frame in frames if frame.filename == code.co_filename]
        line = own[-1].lineno if own else code.co_firstlineno
        mistakes.append(Mistake(Span(code.co_filename, line or 0), python_says(error)))
    return False


def python_says(error: BaseException) -> str:
    """What went wrong in the user's code."""
    if isinstance(error, SystemExit):
        return "this ends the program, and a model may not: leave out exit() and SystemExit"
    return f"Python says: {type(error).__name__}: {error}"


def _initial(protocol: Protocol, variables: dict[str, Variable], mistakes: list[Mistake]) -> Action:
    script = Script(variables, initial=True)
    function = type(protocol).init
    ran = _guarded(lambda: protocol.init(Next(script)), mistakes, function)
    init = Action("init", "Init", "", start_of(function), tuple(script.body), updates(script))
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


__all__ = ["Pick", "Property", "Protocol", "State", "action", "action_marks", "build", "pick", "python_says"]
