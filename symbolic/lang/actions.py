"""Actions: methods of a protocol's class, marked by a decorator, and the class that takes them in."""

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import FunctionType
from typing import Any, TypeVar, overload

from leadline.symbolic.lang.errors import Mistake, ModelError
from leadline.symbolic.lang.names import pascal
from leadline.symbolic.lang.parameters import Parameter
from leadline.symbolic.lang.span import Span, caller_names, caller_span
from leadline.symbolic.lang.types import Type
from leadline.symbolic.lang.written import (
    hidden_by_decorator,
    namespace_of,
    start_if_any,
    start_of,
    written_in,
)

F = TypeVar("F", bound=Callable[..., Any])

_WRITTEN_ONCE = ("define", "init", "assume")


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
        made = ActionMark(f, tla or pascal(f.__name__), when, start_of(f))
        f.__leadline_action__ = made  # type: ignore[attr-defined]  # a mark
        written_in(namespace_of(f)).actions.append(made)
        return f

    return mark(function) if function is not None else mark


class _Body(dict[str, Any]):
    """The names of a class's body while it runs, and those of a protocol's parts that it writes twice."""

    def __init__(self) -> None:
        super().__init__()
        self.twice: list[Mistake] = []

    def __setitem__(self, name: str, value: Any) -> None:
        earlier = self.get(name)
        if isinstance(earlier, Parameter) or (
            name in _WRITTEN_ONCE and isinstance(earlier, FunctionType) and isinstance(value, FunctionType)
        ):
            text = f"`{name}` is written twice in one class, and only the last would count: keep one"
            self.twice.append(Mistake(start_if_any(value) or caller_span(), text))
        super().__setitem__(name, value)


class ProtocolClass(ABCMeta):
    """The class of the classes of protocols: it notes what a class's body has marked and then lost.

    It is an `ABCMeta`, so that a protocol may be an abstract base class as well.
    """

    __leadline_lost__: tuple[Mistake, ...]

    @classmethod
    def __prepare__(cls, name: str, bases: tuple[type, ...], /, **_: Any) -> _Body:
        return _Body()

    def __new__(
        mcs, name: str, bases: tuple[type, ...], body: Mapping[str, Any], /, **options: Any
    ) -> ProtocolClass:
        made = super().__new__(mcs, name, bases, dict(body), **options)
        twice = body.twice if isinstance(body, _Body) else []
        made.__leadline_lost__ = (*twice, *_lost_actions(made), *_lost_in_mixins(made))
        return made


def _lost_actions(made: type) -> list[Mistake]:
    """The actions that the class's body has marked and that the class does not have."""
    written = written_in(caller_names())
    own = [x for x in written.actions if x.function.__qualname__.rpartition(".")[0] == made.__qualname__]
    written.actions = [x for x in written.actions if not any(x is one for one in own)]
    kept = list(vars(made).values())
    return [Mistake(x.span, _how_lost(x, made)) for x in own if not any(x.function is y for y in kept)]


def _lost_in_mixins(made: type) -> list[Mistake]:
    """The same of classes that are no protocols and that the class inherits."""
    told = []
    for base in made.__mro__[1:]:
        # A class made by a function has the name of all others that it makes.
        if isinstance(base, ProtocolClass) or "<locals>" in base.__qualname__:
            continue
        kept = [x for x in vars(base).values() if isinstance(x, FunctionType)]
        for mark in written_in(namespace_of(kept[0])).actions if kept else ():
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
    return list(found.values())


def class_mistakes(kind: type) -> list[Mistake]:
    """What the bodies of a protocol's class and of its bases have marked and lost."""
    return [x for base in kind.__mro__ if isinstance(base, ProtocolClass) for x in base.__leadline_lost__]
