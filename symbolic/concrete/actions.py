"""Actions as Python code: a loop for each pick, each guard as early as possible, then the updates."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Any

from leadline.symbolic.concrete.expressions import RULES, sorted_by
from leadline.symbolic.concrete.writer import Code, Module, Source, Writer
from leadline.symbolic.lang import (
    Action,
    InternalError,
    Model,
    Pick,
    Span,
    Type,
    Value,
    schedule,
)
from leadline.symbolic.lang.nodes import PickVar, make
from leadline.symbolic.meaning import candidates

# Each pick is a loop and perhaps a `try`. Python allows 20 nested statements in a function.
_PICKS_TOGETHER = 8


class Form(Enum):
    """The parameters of an action's function, and its result for each outcome."""

    STATES = "(state, add): add(next state), or add(None) out of bounds"
    ATTEMPTS = "(state): yields (picks, next state, None), or (picks so far, None, why); None at each pick"
    CHOSEN = "(state, chosen): yields as ATTEMPTS, for the picks in `chosen` alone"


_PARAMETERS = {Form.STATES: "state, add", Form.ATTEMPTS: "state", Form.CHOSEN: "state, chosen"}


def functions_of(
    model: Model, actions: Sequence[Action], form: Form, counts: list[list[int]] | None = None
) -> list[Callable[..., Any]]:
    """The function of each action.

    Args:
        model: the model.
        actions: the actions.
        form: the form of the functions.
        counts: is given a list for each action, in which its function counts: for each guard of `schedule` how
            often it was evaluated, and how often it was true.
    """
    module = Module()
    names = []
    for action in actions:
        names.append(module.fresh("step"))
        writer = _ActionWriter(module, model, action, form)
        if counts is not None:
            counts.append([0, 0] * sum(not isinstance(item, Pick) for item in writer.order))
            writer.counts = module.constant(counts[-1])
        writer.guarded(0)
        module.define(names[-1], _PARAMETERS[form], writer.w.lines)
    loaded = module.load()
    return [loaded[name] for name in names]


class MissingPick(InternalError):
    """A pick that is needed has no value."""


def chosen_values(name: str, chosen: Mapping[str, Value], domain: Any) -> tuple[Value, ...]:
    """The value chosen for a pick, as the domain of a loop. It is empty if the pick's domain lacks the value.

    Raises:
        MissingPick: if the pick has no value.
    """
    if name not in chosen:
        raise MissingPick(f"the pick `{name}` has no value")
    value = chosen[name]
    inside = domain.contains(value) if isinstance(domain, Type) else value in domain
    return (value,) if inside else ()


class _ActionWriter:
    """The function of one action.

    Attributes:
        w: the writer of its statements.
        order: the picks and guards in the order in which they are evaluated.
        counts: the Python name of the list in which guards count; None to count nothing.
    """

    def __init__(self, module: Module, model: Model, action: Action, form: Form) -> None:
        self.action = action
        self.form = form
        self.order = schedule(action)
        roots = [item.domain if isinstance(item, Pick) else item for item in self.order]
        variables = {variable.name: place for place, variable in enumerate(model.variables)}
        updates = [node for _, node in action.updates]
        self.w = Writer(module, variables, [root for root in roots if root is not None] + updates, RULES)
        self.counts: str | None = None
        self._picked: list[tuple[str, str]] = []
        self._skip = "return"

    def guarded(self, place: int) -> None:
        """The code from `place` on. An outcome out of bounds is reported with the picks made by then."""
        raises = self.w.raises
        self.w.open()
        self._rest(place)
        lines = self.w.close()
        if self.w.raises == raises:
            self.w.write(*lines)
            return
        self.w.write("try:")
        self.w.block(lines)
        self.w.write("except OutOfBounds as error:")
        self.w.block([self._reported("None", "str(error), error.place")])
        self.w.raises = raises

    def _rest(self, place: int) -> None:
        while place < len(self.order):
            item = self.order[place]
            place += 1
            if isinstance(item, Pick):
                self._loop(item, place)
                return
            guard = 2 * sum(not isinstance(one, Pick) for one in self.order[: place - 1])
            self._count(guard)
            self.w.source = self._source(self.action.place_of(item))
            test = self.w.translate(item)
            self.w.write(f"if not {test.text}:")
            self.w.block([self._skip])
            self._count(guard + 1)
        self._update()

    def _count(self, place: int) -> None:
        if self.counts is not None:
            self.w.write(f"{self.counts}[{place}] += 1")

    def _loop(self, pick: Pick, place: int) -> None:
        name = self.w.module.fresh("p")
        self.w.source = self._source(pick.span)
        domain = self._domain(pick)
        self.w.open()
        self.w.know(make(PickVar, pick.type, pick.span, pick.name), Code(name, 0))
        self._picked.append((pick.name, name))
        if self.form is Form.ATTEMPTS:
            self.w.write("yield None")
        skip, self._skip = self._skip, "continue"
        self.w.outer_blocks += 2
        if len(self._picked) % _PICKS_TOGETHER:
            self.guarded(place)
        else:
            self._in_function(place)
        self.w.outer_blocks -= 2
        self._skip = skip
        self._picked.pop()
        lines = self.w.close()
        self.w.write(f"for {name} in {domain}:")
        self.w.block(lines)

    def _in_function(self, place: int) -> None:
        """The code from `place` on, in a function of its own."""
        name = self.w.module.fresh("rest")
        self._skip = "return"
        self.w.within_function(name, lambda: self.guarded(place))
        self.w.write(f"{name}()" if self.form is Form.STATES else f"yield from {name}()")

    def _domain(self, pick: Pick) -> str:
        if self.form is Form.CHOSEN:
            if pick.domain is None:
                members = self.w.module.constant(pick.type, ("type", pick.type))
            else:
                members = self.w.translate(pick.domain).text
            function = self.w.module.constant(chosen_values, "chosen_values")
            return f"{function}({self.w.module.constant(pick.name)}, chosen, {members})"
        values = (
            self.w.listed(pick.type)
            if pick.domain is None
            else sorted_by(self.w, self.w.translate(pick.domain), pick.type)
        )
        if self.form is Form.STATES and self.action.name == "init":
            return f"{self.w.module.constant(candidates, 'candidates')}({values})"
        return values

    def _source(self, span: Span | None, variable: str = "") -> Source:
        return Source(self.action.tla, span, self.action.places.get(variable, {}))

    def _update(self) -> None:
        values = {}
        for name, node in self.action.updates:
            self.w.source = self._source(self.action.span if name in self.action.places else None, name)
            values[name] = self.w.translate(node).text
        parts = [values.get(name) or self.w.state_variable(name).text for name in self.w.variables]
        state = f"({''.join(f'{part}, ' for part in parts)})"
        self.w.write(self._reported(state, "None"))

    def _reported(self, state: str, why: str) -> str:
        if self.form is Form.STATES:
            return f"add({state})"
        picks = "".join(f"({self.w.module.constant(name)}, {local}), " for name, local in self._picked)
        return f"yield ({picks}), {state}, {why}"
