"""The data of the page of a run, as JSON: what occurs several times is written once."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

from leadline.symbolic.concrete import Semantics, State
from leadline.symbolic.lang import Map, Model, Option, Record, Seq, Set, Tuple, Type, Union
from leadline.symbolic.lang.names import camel
from leadline.symbolic.lang.types import Value
from leadline.symbolic.report.space_time import space_time
from leadline.symbolic.trace import Step, Stored, Trace, end_reason
from leadline.symbolic.trace.aliases import alias_values
from leadline.symbolic.trace.explainer import Explainer
from leadline.symbolic.trace.explanation import Falsified, blame, predicates
from leadline.symbolic.trace.reason import Reason
from leadline.symbolic.trace.text import ending
from leadline.symbolic.trace.trace import action_named, states
from leadline.symbolic.trace.values import field_names

_MOST_WITNESSES = 4

Data = dict[str, Any]


def run_data(semantics: Semantics, trace: Trace, begin: str) -> Data:
    """The data of a run of the model; `begin` is what its first state is, if it is no initial state."""
    model = semantics.model
    values = Nodes()
    steps = [_step(model, stage, values) for stage in trace.stages]
    if begin:
        steps[0]["name"] = begin
    aliases = _add_aliases(model, trace, steps, values)
    return {
        "variables": [*(variable.tla for variable in model.variables), *aliases],
        "aliases": len(aliases),
        "steps": steps,
        "lanes": space_time(model, trace),
        "end": ending(model, trace, end_reason(semantics, trace)),
        "ends": str(trace.ends),
        "loop": trace.loop,
        "property": trace.property,
        **_why(model, trace, steps),
        "nodes": values.rows,
    }


def stored_data(stored: Stored) -> Data:
    """The data of a stored run without its model: values as in JSON, and no reasons and no lanes.

    Raises:
        KeyError, ValueError, TypeError, AttributeError: if it is not a trace that Leadline wrote.
    """
    held = stored.data
    values = Nodes()
    variables = [str(name) for name in held["vars"]]
    shown = held.get("aliases") or [{} for _ in held["states"]]
    aliases = list(dict.fromkeys(str(name) for row in shown for name in row))
    found = [
        [
            *(values.plain(state[name]) for name in variables),
            *(values.plain(row.get(x, "-")) for x in aliases),
        ]
        for state, row in zip(held["states"], shown, strict=True)
    ]
    calls = [{"name": "Init", "picks": held["initial_picks"]}, *held["actions"]]
    loop = held.get("loop")
    return {
        "variables": [*variables, *aliases],
        "aliases": len(aliases),
        "steps": [
            {
                "name": str(call.get("tla", call["name"])),
                "picks": [(str(name), values.plain(value)) for name, value in call["picks"].items()],
                "state": found[number] if number < len(found) else None,
                "reason": None,
                "bad": False,
            }
            for number, call in enumerate(calls)
        ],
        "lanes": None,
        "end": "",
        "ends": str(held["ends"]),
        "loop": loop if type(loop) is int and 0 <= loop < len(found) else None,
        "property": None,
        "parts": [],
        "nodes": values.rows,
    }


def _step(model: Model, stage: Step, values: Nodes) -> Data:
    action = action_named(model, stage.action)
    made = (pick for pick in action.picks if pick.name in stage.picks)
    return {
        "name": action.tla,
        "picks": [(camel(pick.name), values.of(pick.type, stage.picks[pick.name])) for pick in made],
        "state": None if stage.state is None else _state(model, stage.state, values),
        "reason": None,
        "bad": False,
    }


def _add_aliases(model: Model, trace: Trace, steps: Sequence[Data], values: Nodes) -> list[str]:
    """Add the values of aliases to the states, after those of the variables. Gives the aliases' names."""
    rows = alias_values(model, trace)
    names = list(dict.fromkeys(one.tla for row in rows for one in row))
    for step, row in zip(steps, rows, strict=True):
        shown = {
            one.tla: values.place("out of bounds") if one.why else values.of(one.type, one.value)
            for one in row
        }
        if step["state"] is not None:
            step["state"] += [shown.get(name, values.place("out of bounds")) for name in names]
    return names


def _state(model: Model, state: State, values: Nodes) -> list[int]:
    return [values.of(variable.type, x) for variable, x in zip(model.variables, state, strict=True)]


# -- why the property is false ---------------------------------------------------------------------------


def _why(model: Model, trace: Trace, steps: Sequence[Data]) -> Data:
    """The values of the property's predicates and their parts. Adds the reasons for one of them to the steps.

    That is the predicate to blame or, if there is none, the first.
    """
    found = _Predicates(steps)
    visited = list(states(trace))
    if trace.property is not None and visited:
        about, blamed = model.properties[trace.property], blame(model, trace)
        asked = predicates(about)
        explained = blamed.demand.formula if blamed is not None else asked[0]
        at_once = about.temporal is None or (
            blamed is not None and blamed.demand.falsified is Falsified.SOMEWHERE
        )
        for node in asked:
            explainer = Explainer(model, node)
            views = explainer.views(visited)
            if node is explained:
                found.add_reasons(explainer, views, at_once)
            found.add_parts(explainer, views)
    return {"texts": found.texts.rows, "reasons": found.reasons.rows, "parts": found.parts}


class _Predicates:
    """The tables of texts and reasons, and the parts of predicates with their values.

    Args:
        steps: the steps of the page, to which reasons are added.
    """

    def __init__(self, steps: Sequence[Data]) -> None:
        self.steps = steps
        self.texts = Table()
        self.texts.place("")
        self.reasons = Table()
        self.parts: list[tuple[int, list[int]]] = []

    def add_reasons(self, explainer: Explainer, views: Sequence[State | None], at_once: bool) -> None:
        """Add the reason at each step; with `at_once`, the property is false where the predicate is."""
        for step, view in zip(self.steps, views, strict=False):
            if view is not None:
                reason = explainer.reason(view, _MOST_WITNESSES)
                step["reason"] = self._placed(reason)
                step["bad"] = at_once and reason.value == "FALSE"

    def add_parts(self, explainer: Explainer, views: Sequence[State | None]) -> None:
        """Add the values of a predicate and its parts, short texts first."""
        there = [view for view in views if view is not None]
        missing: list[str | None] = [None] * (len(views) - len(there))
        rows = explainer.table(there) if there else []
        rows[1:] = sorted(rows[1:], key=lambda row: len(row[0]))
        self.parts += ((self.texts.place(name), self._changes([*missing, *row])) for name, row in rows)

    def _placed(self, reason: Reason) -> int:
        """The place of a reason: the places of its texts and of its parts, and the number left out."""
        chosen = " = ".join(reason.chosen or ()) + (f" in {reason.domain}" if reason.domain else "")
        parts = tuple(map(self._placed, reason.parts))
        words = (reason.formula, reason.value, reason.instance, chosen)
        return self.reasons.place((*map(self.texts.place, words), parts, reason.left_out))

    def _changes(self, row: Sequence[str | None]) -> list[int]:
        """A row's values: each step at which they change, with the place of the text from then on, or -1."""
        found: list[int] = []
        for step, value in enumerate(row):
            if step == 0 or value != row[step - 1]:
                found += (step, -1 if value is None else self.texts.place(value))
        return found


# -- tables ----------------------------------------------------------------------------------------------


class Table:
    """Rows without duplicates."""

    def __init__(self) -> None:
        self.rows: list[Any] = []
        self._places: dict[Hashable, int] = {}

    def place(self, row: Hashable) -> int:
        """The place of a row, which is added if it is new."""
        if row not in self._places:
            self._places[row] = len(self.rows)
            self.rows.append(row)
        return self._places[row]


class Nodes(Table):
    """Values: a text, or a kind (r: record, m: map, s: set, q: sequence or tuple), keys, and places of parts.

    Equal values have the same place, so the script compares places.
    """

    def of(self, kind: Type, value: Value) -> int:
        """The place of a value of the type."""
        match kind:
            case Option() if value is not None:
                return self.of(kind.item, value)
            case Record() if kind.parts:
                return self._whole("r", field_names(kind), zip(kind.parts, value, strict=True))
            case Union():
                record = kind.by_tag[value[0]]
                fields = [(kind.tags, value[0]), *zip(record.parts, value[1], strict=True)]
                return self._whole("r", ("type", *field_names(record)), fields)
            case Map():
                keys = tuple(kind.key.tla(key) for key in kind.keys)
                return self._whole("m", keys, ((kind.value, x) for x in value))
            case Set():
                return self._whole("s", None, ((kind.item, x) for x in sorted(value, key=kind.item.rank)))
            case Seq():
                return self._whole("q", None, ((kind.item, x) for x in value))
            case Tuple():
                return self._whole("q", None, zip(kind.items, value, strict=True))
        return self.place(kind.tla(value))

    def _whole(self, kind: str, keys: tuple[str, ...] | None, parts: Iterable[tuple[Type, Value]]) -> int:
        return self.place((kind, keys, tuple(self.of(part, x) for part, x in parts)))

    def plain(self, data: Any) -> int:
        """The place of a value that is only known as JSON."""
        match data:
            case dict():
                return self.place(("r", tuple(data), tuple(map(self.plain, data.values()))))
            case list():
                return self.place(("q", None, tuple(map(self.plain, data))))
            case str():
                return self.place(data)
        return self.place("None" if data is None else json.dumps(data).upper())
