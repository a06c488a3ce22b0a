"""Protocols: classes whose methods describe variables, initial states and actions.

A protocol is a class. Making an instance fixes its parameters; `build` then runs each method once, with
expressions in place of values, and gives the model as data or every mistake at once.
"""

from __future__ import annotations

import inspect
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any, ClassVar

from leadline.symbolic.lang import nodes as n
from leadline.symbolic.lang.actions import (
    ActionMark,
    PickMark,
    ProtocolClass,
    action_marks,
    class_mistakes,
)
from leadline.symbolic.lang.coercion import invalid, mistakes_of
from leadline.symbolic.lang.enabled import fairness_of
from leadline.symbolic.lang.errors import AssumptionFailed, Mistake, ModelError, nearest, unknown_name
from leadline.symbolic.lang.expr import Expr, wrap
from leadline.symbolic.lang.fairness import FairMark, Fairness
from leadline.symbolic.lang.model import Action, Model, Property, PropertyKind, Variable
from leadline.symbolic.lang.nodes import written
from leadline.symbolic.lang.parameters import Parameter, settings
from leadline.symbolic.lang.properties import Claim, shown_of, state_claims
from leadline.symbolic.lang.rules import equality
from leadline.symbolic.lang.schedule import is_total
from leadline.symbolic.lang.script import Script, attempted, strays, updates
from leadline.symbolic.lang.span import Span, caller_place, start_of
from leadline.symbolic.lang.states import Declarations, Next, State
from leadline.symbolic.lang.types import Sort, Type, all_types


class Protocol(metaclass=ProtocolClass):
    """Base of all protocols. A subclass declares parameters in its body and writes these methods:

    - `define(self, state)`: types as attributes of the protocol, variables as attributes of `state`;
    - `init(self, start)`: assigns every variable of `start`; may pick and require, as actions do;
    - actions: methods marked with `@action`;
    - `assume(self)`, optional: yields `(condition, text)` pairs that must hold of the parameters;
    - `fair(self)`, optional: the fairness conditions, made by `weak`, `strong` and `weak_next`;
    - `sweep_order`, optional: the names of the actions in the order of a sweep, where the order in which they are
      written is not the best;
    - `picks`, optional: by the name of an action's argument, the type that it picks a value of, or the name
      of the protocol's attribute that holds the type: `picks = {"leader": "Replica", "epoch": "Epoch"}`.
      Picks of base classes count too.

    Args:
        settings: the values of parameters that differ from their defaults.

    Raises:
        ParameterError: if a parameter is unknown or out of range.
        AssumptionFailed: if an assumption on the parameters is false.
    """

    protocol_name: ClassVar[str] = ""
    parameters: ClassVar[dict[str, Parameter]] = {}
    sweep_order: ClassVar[tuple[str, ...]] = ()
    picks: ClassVar[Mapping[str, str | Type]] = {}

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        wrong = [*_wrong_attributes(cls)]
        if wrong:
            raise ModelError(Mistake(caller_place(), f"{cls.__name__}: {text}") for text in wrong)
        own = {name: replace(x, name=name) for name, x in vars(cls).items() if isinstance(x, Parameter)}
        cls.parameters = {**cls.parameters, **own}
        cls.picks = {
            name: x for base in reversed(cls.__mro__) for name, x in vars(base).get("picks", {}).items()
        }
        if "protocol_name" not in vars(cls):
            cls.protocol_name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", cls.__name__).lower()

    def __init__(self, **given: object) -> None:
        self.settings = settings(self.parameters, given, self.protocol_name)
        for name, value in self.settings.items():
            setattr(self, name, value)
        given_by: object = self.assume()
        assumed: list[Any] = [*given_by] if isinstance(given_by, Iterable) else [given_by]
        if any(not isinstance(one, tuple) or len(one) != 2 for one in assumed):
            place = start_of(type(self).assume)
            raise ModelError([Mistake(place, 'assume gives pairs: write yield condition, "its text"')])
        failed = [text for condition, text in assumed if not condition]
        if failed:
            raise AssumptionFailed("\n".join(f"assumption on the parameters is false: {x}" for x in failed))

    def assume(self) -> Iterable[tuple[bool, str]]:
        """Conditions on the parameters, each with its text: TLA+'s ASSUME."""
        return ()

    def fair(self) -> Iterable[FairMark]:
        """The fairness conditions: by default a run may stop, or neglect any action, for ever."""
        return ()

    def define(self, state: Declarations) -> None:
        """Declare types and variables."""
        raise NotImplementedError

    def init(self, start: Next) -> None:
        """Describe the initial states."""
        raise NotImplementedError


def _wrong_attributes(kind: type[Protocol]) -> Iterator[str]:
    """The mistakes in the attributes of a class: everything in its body but methods."""
    body = vars(kind)
    if "__init__" in body and not issubclass(kind, Foreign):
        yield "a protocol has no __init__: its parameters are declared by parameter(...), its types by define"
    for name in ("protocol_name", "__doc__"):
        if not isinstance(body.get(name) or "", str):
            yield f"{name} is {body[name]!r}, and text is needed"
    order = body.get("sweep_order", ())
    if not isinstance(order, list | tuple) or not all(isinstance(name, str) for name in order):
        yield f"sweep_order is {order!r}, and a tuple of the names of actions is needed"
    if not isinstance(body.get("picks", {}), Mapping):
        yield f'picks is {body["picks"]!r}, and a dictionary such as {{"leader": "Replica"}} is needed'
    for name, one in body.items():
        if isinstance(one, Parameter):
            yield from one.wrong(name)


class Foreign(Protocol, ABC):
    """A protocol whose model is made of a specification in another language."""

    deadlock: ClassVar[bool] = False
    """Whether the specification wants to hear of states without a successor."""

    remarks: ClassVar[tuple[str, ...]] = ()
    """Sentences that name parts of the specification which the model ignores without harm to verdicts."""

    warnings: ClassVar[tuple[str, ...]] = ()
    """Sentences that name parts of the specification which are probably not meant as they are written."""

    def learn(self, learned: Mapping[str, object]) -> None:
        """Take over what another process has learned: see `Origin.learned`.

        Raises:
            UserError: if that is nothing that a specification can learn.
        """
        raise NotImplementedError

    @abstractmethod
    def model(self) -> Model:
        """The model at these parameters.

        Raises:
            ModelError: with the mistakes in the specification, or the parts that have no symbolic form.
        """

    @abstractmethod
    def outline(self) -> Model:
        """The model for exploration on values: its origin has the meaning of its actions (`Origin.alone`).

        Raises:
            ModelError: with the mistakes in the specification.
        """


def build(protocol: Protocol, claims: Iterable[Claim] = ()) -> Model:
    """The model of a protocol at its parameters.

    Args:
        protocol: an instance.
        claims: the properties to state of it (those that do not apply at these parameters are left out).

    Raises:
        ModelError: with every mistake found.
    """
    if isinstance(protocol, Foreign):
        return protocol.model()
    kind = type(protocol)
    if mistakes := [*_wrong_methods(kind)]:
        raise ModelError(mistakes)
    variables = _declared(protocol)
    init = _initial(protocol, variables, mistakes)
    every = [mark for found in attempted(lambda: action_marks(kind), mistakes, kind.define) for mark in found]
    applies = [x for x in every if any(attempted(partial(x.when, protocol), mistakes, x.function))]
    actions = [_action(protocol, mark, variables, mistakes) for mark in applies]
    named: dict[str, Action | None] = {mark.function.__name__: None for mark in every}
    named |= {one.name: one for one in actions}
    fairness = _fairness(protocol, named, variables, mistakes)
    actions = [_with_keys(one, fairness) for one in actions]
    stated = state_claims(protocol, State(variables, actions=named), claims, mistakes)
    bounds = [one for one in stated.values() if one.kind is PropertyKind.CONSTRAINT]
    view, aliases = shown_of(stated.values(), variables.values(), mistakes)
    for one in (init, *actions):
        mistakes += mistakes_of(*one.roots) or strays(one.roots, variables, one.picks, one.name, one.span)
    mistakes += [*class_mistakes(kind), *_name_mistakes(kind, every)]
    mistakes += [*_alike("actions", [init, *actions]), *_alike("properties", list(stated.values()))]
    mistakes += _sort_mistakes(variables.values(), [init, *actions], stated.values())
    if mistakes:
        raise ModelError(mistakes)
    return Model(
        protocol.protocol_name,
        dict(protocol.settings),
        tuple(variables.values()),
        init,
        tuple(action.within(bounds) for action in actions),
        {name: one for name, one in stated.items() if one.kind.is_claim},
        kind.sweep_order,
        tuple(bounds),
        fairness,
        view=view,
        aliases=aliases,
    )


def _wrong_methods(kind: type[Protocol]) -> Iterator[Mistake]:
    """The methods that do not take the arguments with which they are called."""
    for name, given in {"define": ("self", "state"), "init": ("self", "start"), "fair": ("self",)}.items():
        method = getattr(kind, name)
        try:
            inspect.signature(method).bind(*given)
        except TypeError:
            yield Mistake(
                start_of(method), f"{name} takes other arguments: write def {name}({', '.join(given)})"
            )


def _fairness(
    protocol: Protocol,
    actions: Mapping[str, Action | None],
    variables: dict[str, Variable],
    mistakes: list[Mistake],
) -> tuple[Fairness, ...]:
    function = type(protocol).fair
    listed = attempted(lambda: list(protocol.fair()), mistakes, function)
    found = fairness_of(listed[0] if listed else (), actions, variables, mistakes, start_of(function))
    for one in found:
        for arm in one.arms:
            action = actions[arm.action]
            picks = action.picks if action is not None else ()
            mistakes += strays(arm.keys, variables, picks, f"fairness of {arm.action}", one.span)
    return found


def _with_keys(action: Action, fairness: Iterable[Fairness]) -> Action:
    """The action, which goes out of bounds also where a key of its fairness does, unless a guard is false.

    A key is equal to itself wherever it has a value.
    """
    keys = {
        equality(key, key): one.span
        for one in fairness
        for arm in one.arms
        if arm.action == action.name
        for key in arm.keys
        if not is_total(key)
    }
    places = {**action.places, "": {**action.places.get("", {}), **keys}}
    return replace(action, body=(*action.body, *keys), places=places) if keys else action


def _sort_mistakes(
    variables: Iterable[Variable], actions: Iterable[Action], properties: Iterable[Property]
) -> list[Mistake]:
    """Sorts whose members or names are those of another: traces and TLA+ text could not tell them apart."""
    places: dict[Type, Span] = {}
    for variable in variables:
        places.setdefault(variable.type, variable.span)
    roots = [root for action in actions for root in action.roots]
    for node in n.postorder(*roots, *(node for one in properties for node in one.nodes)):
        places.setdefault(node.type, node.span)
    sorts: dict[Sort, Span] = {}
    for kind, place in places.items():
        for part in all_types([kind]):
            if isinstance(part, Sort):
                sorts.setdefault(part, place)
    owners: dict[str, Sort] = {}
    return [mistake for sort, place in sorts.items() for mistake in _sort_clashes(sort, owners, place)]


def _sort_clashes(sort: Sort, owners: dict[str, Sort], place: Span) -> list[Mistake]:
    for name in (sort.name, *sort.members):
        other = owners.setdefault(name, sort)
        if other != sort:
            text = (
                f"the sorts {other.name} and {sort.name} both have the name `{name}` in traces and in TLA+: "
                f'give one another prefix, as in sort("{sort.name}", size, prefix="{sort.name.lower()}")'
            )
            return [Mistake(place, text)]
    return []


def _alike(what: str, things: Sequence[Action | Property]) -> list[Mistake]:
    """Things of one name, which TLA+ text and counterexamples could not tell apart."""
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


def _name_mistakes(kind: type[Protocol], marks: Sequence[ActionMark]) -> list[Mistake]:
    """Names in `sweep_order` and `picks` that no action has."""
    names = [mark.function.__name__ for mark in marks]
    arguments = [x.name for mark in marks for x in _arguments(mark.function)]
    told = [
        unknown_name("sweep_order: there is no action", x, names) for x in kind.sweep_order if x not in names
    ]
    told += [
        unknown_name("picks: no action has an argument", x, list(dict.fromkeys(arguments)))
        for x in kind.picks
        # An argument that is spelled otherwise has no domain, which is told at its action.
        if x not in arguments and not {*nearest(x, arguments)} - {*kind.picks}
    ]
    return [Mistake(start_of(kind.define), text) for text in told]


def _declared(protocol: Protocol) -> dict[str, Variable]:
    declared = Declarations()
    mistakes: list[Mistake] = []
    defined = attempted(lambda: protocol.define(declared), mistakes, type(protocol).define)
    variables: dict[str, Variable] = declared.__dict__["variables"]
    mistakes += declared.__dict__["mistakes"]
    if defined and not mistakes and not variables:
        mistakes.append(
            Mistake(start_of(type(protocol).define), "define declares no variable: state.x = a type")
        )
    if mistakes:
        raise ModelError(mistakes)
    return variables


def _initial(protocol: Protocol, variables: dict[str, Variable], mistakes: list[Mistake]) -> Action:
    script = Script(variables, initial=True)
    function = type(protocol).init
    if function is Protocol.init:
        text = f"{type(protocol).__name__} has no init: write def init(self, start), which assigns every variable"
        raise ModelError([Mistake(start_of(type(protocol).define), text)])
    with written() as script.written:
        ran = bool(attempted(lambda: protocol.init(Next(script)), mistakes, function))
    assigned = updates(script)
    init = Action("init", "Init", "", start_of(function), tuple(script.body), assigned, script.places)
    if ran:
        _check_assigned(script, dict(init.updates))
    places = {
        name: next(x.span for x in script.assignments if x.variable == name) for name, _ in init.updates
    }
    values = {root: places[name] for name, root in init.updates}
    for root in init.roots:
        for read in n.postorder(root):
            # `_check_assigned` reports a variable that occurs in its own value.
            if isinstance(read, n.StateVar) and not (ran and (read.name, root) in init.updates):
                text = f"init reads `{read.name}`, and there is no state before the initial one"
                script.blame(text, values.get(root, root.span))
    mistakes += script.mistakes
    return init


def _check_assigned(script: Script, values: dict[str, n.Node]) -> None:
    for name, variable in script.variables.items():
        if name not in values and name not in script.meant:
            script.blame(f"init does not assign {name}: write start.{name} = ...", variable.span)
        elif name in values and any(
            isinstance(x, n.StateVar) and x.name == name for x in n.postorder(values[name])
        ):
            span = next(x.span for x in script.assignments if x.variable == name)
            repair = f"write start.{name} = ... as a whole, on every path"
            script.blame(f"init assigns {name} only in part or on some paths: {repair}", span)


def _action(
    protocol: Protocol, mark: ActionMark, variables: dict[str, Variable], mistakes: list[Mistake]
) -> Action:
    script = Script(variables)
    name = mark.function.__name__
    if len(inspect.signature(mark.function).parameters) < 3:
        script.blame(f"the action {name} needs two states: write def {name}(self, now, nxt)", mark.span)
    else:
        picked = {x.name: _picked(protocol, x, script, mark) for x in _arguments(mark.function)}
        now, nxt = State(variables), Next(script)
        with written() as script.written:
            given = attempted(lambda: mark.function(protocol, now, nxt, **picked), mistakes, mark.function)
        if any(x is not None for x in given):
            text = "guards are nxt.require(...), changes nxt.x = ..., and there is no return, yield or async"
            script.blame(f"the action {name} gives a value, which nobody reads: {text}", mark.span)
        if inspect.iscoroutine(given and given[0]):
            given[0].close()
    mistakes += script.mistakes
    doc = inspect.getdoc(mark.function) or ""
    return Action(name, mark.tla, doc, mark.span, tuple(script.body), updates(script), script.places)


@cache
def _arguments(function: Callable[..., None]) -> tuple[inspect.Parameter, ...]:
    """The arguments of an action besides the protocol and the two states."""
    return tuple(inspect.signature(function).parameters.values())[3:]


def _picked(protocol: Protocol, argument: inspect.Parameter, script: Script, mark: ActionMark) -> Expr:
    """The value that an action's argument stands for."""
    default = argument.default
    span = default.span if isinstance(default, PickMark) else mark.span
    domain = default.domain if isinstance(default, PickMark) else None
    domain = protocol.picks.get(argument.name) if domain is None else domain
    why = ""
    if isinstance(domain, str):
        named, domain = domain, getattr(protocol, domain, None)
        why = f", since the protocol has no type `{named}`"
    elif domain is None and (near := nearest(argument.name, list(protocol.picks))):
        why = f" (did you mean `{near[0]}`, which picks names?)"
    if isinstance(domain, Type):
        return wrap(script.pick(argument.name, domain, span))
    name = argument.name
    text = (
        f"the pick `{name}` of {mark.function.__name__} has no domain{why}: write {name}=pick('TheType'), "
        f'or picks = {{"{name}": "TheType"}} in the class, or nxt.pick("{name}", a_set) in the body'
    )
    script.blame(text, span)
    return wrap(invalid(text, span=span))
