"""Actions: the decorator, the metaclass of protocols, and the log of marked properties and actions."""

from __future__ import annotations

import inspect
from abc import ABCMeta
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import FunctionType
from typing import TYPE_CHECKING, Any, TypeVar, overload

from leadline.symbolic.lang.containers import AnyExpr
from leadline.symbolic.lang.errors import Mistake, ModelError, refuse
from leadline.symbolic.lang.names import pascal
from leadline.symbolic.lang.parameters import Parameter
from leadline.symbolic.lang.span import (
    Span,
    caller_names,
    caller_span,
    hidden_by_decorator,
    start_if_any,
    start_of,
)
from leadline.symbolic.lang.types import Type

if TYPE_CHECKING:
    from leadline.symbolic.lang.properties import Claim

F = TypeVar("F", bound=Callable[..., None])
Condition = Callable[..., object]
"""Whether something applies to a protocol: a function of the instance."""

_WRITTEN_ONCE = ("define", "init", "assume")


@dataclass(frozen=True)
class PickMark:
    """The default of an action's argument that picks a value of a type, given by its name or itself."""

    domain: str | Type | None
    span: Span


def pick(domain: str | Type | None = None) -> AnyExpr:
    """The default of an action's argument: the action picks any value of a type, as in `leader=pick("Replica")`.

    Where many actions pick alike, the protocol's `picks` says so once.

    Args:
        domain: a type, or the name of the protocol's attribute that holds it. To pick a member of a set in
            the state use `nxt.pick(name, set)` in the action's body.
    """
    return PickMark(domain, caller_span())  # type: ignore[return-value]  # `build` puts the pick in its place


@dataclass(frozen=True)
class ActionMark:
    """An action before the protocol's parameters are known: its method, TLA+ name, condition and place."""

    function: Callable[..., None]
    tla: str
    when: Condition
    span: Span


@overload
def action(function: F) -> F: ...


@overload
def action(*, tla: str | None = None, when: Condition = ...) -> Callable[[F], F]: ...


def action(
    function: F | None = None, *, tla: str | None = None, when: Condition = lambda protocol: True
) -> F | Callable[[F], F]:
    """Make a method an action of the protocol.

    Args:
        function: the method: `def name(self, now, nxt, picks...)`.
        tla: the action's name in the TLA+ module; by default the method's in UpperCamelCase.
        when: a function of the protocol: whether it has the action at its parameters. By default it has.
    """

    def mark(f: F) -> F:
        if not callable(f):
            text = f"@action stands above a method, and this is {f!r}: to name it write @action(tla=...)"
            refuse(text)
        made = ActionMark(f, tla or pascal(f.__name__), when, start_of(f))
        f.__leadline_action__ = made  # type: ignore[attr-defined]  # a mark
        declaration_log(namespace_of(f)).actions.append(made)
        return f

    return mark(function) if function is not None else mark


class _Body(dict[str, Any]):
    """The names of a class's body while it runs, with a mistake for each part of a protocol written twice.

    Attributes:
        earlier: the actions that were marked before, as by a notebook's cell that failed in the same class.
    """

    def __init__(self) -> None:
        super().__init__()
        self.twice: list[Mistake] = []
        self.earlier = tuple(declaration_log(caller_names()).actions)

    def __setitem__(self, name: str, value: Any) -> None:
        earlier = self.get(name)
        if isinstance(earlier, Parameter) or (
            name in _WRITTEN_ONCE and isinstance(earlier, FunctionType) and isinstance(value, FunctionType)
        ):
            text = f"`{name}` is written twice in one class, and only the last would count: keep one"
            self.twice.append(Mistake(start_if_any(value) or caller_span(), text))
        super().__setitem__(name, value)


class ProtocolClass(ABCMeta):
    """The metaclass of protocols: it notes actions that a class's body has marked and then lost.

    It is an `ABCMeta`, so that a protocol may be an abstract base class as well. It notes the order of the
    actions too, since a class that is sent to another process arrives with its members in alphabetical order.
    """

    __leadline_lost__: tuple[Mistake, ...]
    __leadline_order__: tuple[str, ...]

    @classmethod
    def __prepare__(cls, name: str, bases: tuple[type, ...], /, **_: Any) -> _Body:
        return _Body()

    def __new__(
        mcs, name: str, bases: tuple[type, ...], body: Mapping[str, Any], /, **options: Any
    ) -> ProtocolClass:
        made = super().__new__(mcs, name, bases, dict(body), **options)
        twice, earlier = (body.twice, body.earlier) if isinstance(body, _Body) else ([], ())
        made.__leadline_lost__ = (*twice, *_lost_actions(made, earlier), *_lost_in_mixins(made))
        members = [item for base in reversed(made.__mro__) for item in vars(base).items()]
        made.__leadline_order__ = tuple(x for x, member in members if hasattr(member, "__leadline_action__"))
        return made


def _lost_actions(made: type, earlier: Sequence[ActionMark]) -> list[Mistake]:
    """The actions that the class's body has marked and that the class does not have."""
    log = declaration_log(caller_names())
    own = [x for x in log.actions if x.function.__qualname__.rpartition(".")[0] == made.__qualname__]
    log.actions = [x for x in log.actions if not any(x is one for one in own)]
    kept = [*vars(made).values(), *(x.function for x in earlier)]
    return [Mistake(x.span, _how_lost(x, made)) for x in own if not any(x.function is y for y in kept)]


def _lost_in_mixins(made: type) -> list[Mistake]:
    """The lost actions of base classes that are no protocols."""
    told = []
    for base in made.__mro__[1:]:
        # A class made by a function has the name of all others that it makes.
        if isinstance(base, ProtocolClass) or "<locals>" in base.__qualname__:
            continue
        kept = [x for x in vars(base).values() if isinstance(x, FunctionType)]
        for mark in declaration_log(namespace_of(kept[0])).actions if kept else ():
            inside = mark.function.__qualname__.rpartition(".")[0] == base.__qualname__
            if inside and not any(mark.function is x for x in kept):
                told.append(Mistake(mark.span, _how_lost(mark, base)))
    return told


def _how_lost(mark: ActionMark, made: type) -> str:
    name = mark.function.__name__
    other = vars(made).get(name)
    place = start_if_any(other)
    if hidden_by_decorator(mark.span, other):
        return f"the action {name} is lost to a decorator above @action: write @action above all others"
    where = f", at {place}" if place is not None else ""
    return f"the action {name} is lost: `{name}` is written again in the same class{where}; rename one"


def action_marks(kind: type) -> list[ActionMark]:
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
                text = f"{name} replaces an action and is none itself: write @action above it"
                raise ModelError([Mistake(start_if_any(member) or found[name].span, text)])
    order: Sequence[str] = getattr(kind, "__leadline_order__", ())
    known = [name for name in dict.fromkeys(order) if name in found]
    return [found[name] for name in dict.fromkeys([*known, *found])]


def class_mistakes(kind: type) -> list[Mistake]:
    """The actions that a protocol's class and its bases have marked and lost."""
    return [x for base in kind.__mro__ if isinstance(base, ProtocolClass) for x in base.__leadline_lost__]


# -- the log of a module: its marked properties and actions, so that none is lost unnoticed ---------


_KEY = "__leadline_declarations__"


@dataclass
class DeclarationLog:
    """The properties and actions that one run of a module has marked.

    Attributes:
        run: the module's specification, which is another one when the module is run again.
        claims: its properties, in the order written.
        actions: its actions that no protocol's class has taken in yet.
    """

    run: object
    claims: list[Claim] = field(default_factory=list)
    actions: list[ActionMark] = field(default_factory=list)


def declaration_log(namespace: dict[str, Any]) -> DeclarationLog:
    """The log of a module, kept among its names: it goes when the module goes."""
    run = namespace.get("__spec__")
    kept = namespace.get(_KEY)
    if not isinstance(kept, DeclarationLog) or kept.run is not run:
        kept = namespace[_KEY] = DeclarationLog(run)
    return kept


def namespace_of(function: Callable[..., Any]) -> dict[str, Any]:
    """The names of the module that a function is written in."""
    names: dict[str, Any] = inspect.unwrap(function).__globals__
    return names
