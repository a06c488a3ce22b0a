"""Fairness: which actions a run may not neglect for ever. A protocol's `fair` lists the conditions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from leadline.symbolic.lang.nodes import Node
from leadline.symbolic.lang.span import Span, caller_span
from leadline.symbolic.lang.types import Type

Each: TypeAlias = str | Iterable[str] | Callable[..., object]


@dataclass(frozen=True)
class FairMark:
    """A fairness condition as `fair` writes it, before the names in it are looked up."""

    strong: bool
    actions: tuple[str, ...]
    each: tuple[str, ...] | Callable[..., object]
    of: tuple[str, ...]
    tla: str
    span: Span


@dataclass(frozen=True)
class Arm:
    """An action in a fairness condition, with the value at which a step of it counts.

    Attributes:
        action: its name.
        keys: expressions over its picks and the state, one for each of the condition's types; evaluated
            where its guards hold.
    """

    action: str
    keys: tuple[Node, ...]


@dataclass(frozen=True)
class Fairness:
    """A fairness condition: `WF_v(A)` or `SF_v(A)` of TLA, A the disjunction of some actions.

    Weak: if from some state on A can always be taken, it is taken infinitely often. Strong: if it can be
    taken infinitely often, it is. A step counts only if it changes a variable of v.

    Attributes:
        name: the actions' name in TLA+ text.
        strong: whether it is strong.
        arms: the actions.
        types: if there are some, the condition holds at each tuple of values of these types by itself: a
            step counts at the values that its arm's keys have.
        of: the names of the variables of v; all variables if there are none.
    """

    name: str
    strong: bool
    arms: tuple[Arm, ...]
    types: tuple[Type, ...]
    of: tuple[str, ...]
    span: Span


def weak(*actions: str, each: Each = (), of: str | Iterable[str] = (), tla: str = "") -> FairMark:
    """Weak fairness of an action, or of the disjunction of several: TLA+'s `WF_v(A)`.

    Args:
        actions: the names of the actions; `*` stands for any letters, as in `weak("client_*")`.
        each: ask it of each value separately, as in `\\A c \\in Client : WF_vars(Send(c))`. Picks by name:
            `each="c"`, `each=("c", "p")`; or a function of picks, by their names, that gives one value or a
            tuple of values: `each=lambda msg: msg.dest`. Each action must have these picks. A step for which
            there is no such value goes out of bounds.
        of: the variables of which a step must change one to count; by default any.
        tla: the disjunction's name in TLA+ text.
    """
    return _mark(False, actions, each, of, tla)


def strong(*actions: str, each: Each = (), of: str | Iterable[str] = (), tla: str = "") -> FairMark:
    """Strong fairness: TLA+'s `SF_v(A)`. The arguments are those of `weak`."""
    return _mark(True, actions, each, of, tla)


def weak_next(*, of: str | Iterable[str] = ()) -> FairMark:
    """Weak fairness of all actions together: `WF_v(Next)`. Something happens while anything can."""
    return _mark(False, (), (), of, "Next")


def _mark(kind: bool, actions: tuple[str, ...], each: Each, of: str | Iterable[str], tla: str) -> FairMark:
    chosen = each if callable(each) else (each,) if isinstance(each, str) else tuple(each)
    variables = (of,) if isinstance(of, str) else tuple(of)
    return FairMark(kind, actions, chosen, variables, tla, caller_span())
