"""A run as one HTML page to walk through step by step, which loads nothing and opens from disk.

All texts are data. They reach the page as JSON in which `<` is escaped, and its script shows them as texts.
The page's policy lets only that script run, by its hash, and forbids the network.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Hashable, Iterable, Sequence
from html import escape
from string import Template
from typing import Any

from leadline.symbolic.concrete import Semantics, State
from leadline.symbolic.grid.query import layers_text, point_text
from leadline.symbolic.lang import Map, Model, Option, Record, Seq, Set, Tuple, Type, Union
from leadline.symbolic.lang.names import camel
from leadline.symbolic.lang.types import Value
from leadline.symbolic.report.assets import asset
from leadline.symbolic.report.space_time import space_time
from leadline.symbolic.trace import Step, Stored, Trace, end_reason, headline
from leadline.symbolic.trace.explanation import Explainer
from leadline.symbolic.trace.reason import Reason
from leadline.symbolic.trace.text import ending
from leadline.symbolic.trace.trace import action_named, title
from leadline.symbolic.trace.values import field_names

_MOST_WITNESSES = 4

Data = dict[str, Any]


def trace_page(
    semantics: Semantics,
    trace: Trace,
    note: str = "",
    back: str = "",
    *,
    begin: str = "",
) -> str:
    """The page of a run.

    Args:
        semantics: the concrete meaning of the model.
        trace: a run of the model.
        note: a sentence: how the run was checked.
        back: the address of the report that the page belongs to, relative to the page.
        begin: what the first state is, if it is no initial state.
    """
    model = semantics.model
    values = _Nodes()
    steps = [_step(model, stage, values) for stage in trace.stages]
    if begin:
        steps[0]["name"] = begin
    data: Data = {
        "variables": [variable.tla for variable in model.variables],
        "steps": steps,
        "lanes": space_time(model, trace),
        "end": ending(model, trace, end_reason(semantics, trace)),
        "ends": str(trace.ends),
        "loop": trace.loop,
        "property": trace.property,
        **_why(semantics, trace, steps),
        "nodes": values.rows,
    }
    finding = headline(model, trace).removeprefix(f"{title(model)}: ")
    return _html(data, title(model), finding, note, back)


def _why(semantics: Semantics, trace: Trace, steps: Sequence[Data]) -> Data:
    """The reasons for the property's values, which are added to the steps, and the values of its parts."""
    texts, reasons = _Table(), _Table()
    texts.place("")
    rows: list[tuple[str, list[str | None]]] = []
    found = [stage.state for stage in trace.stages if stage.state is not None]
    if trace.property is not None and found:
        explainer = Explainer(semantics, semantics.model.properties[trace.property])
        for step, state in zip(steps, found, strict=False):
            step["reason"] = _written(explainer.reason(state, _MOST_WITNESSES), reasons, texts)
        rows = explainer.table(found)
        rows[1:] = sorted(rows[1:], key=lambda row: len(row[0]))
    parts = [(texts.place(name), _changes(texts, row)) for name, row in rows]
    return {"texts": texts.rows, "reasons": reasons.rows, "parts": parts}


def stored_page(stored: Stored, note: str = "", back: str = "") -> str:
    """The page of a stored run without its model: values as in JSON, and no reasons and no lanes.

    Raises:
        UserError, KeyError, ValueError, TypeError, AttributeError: if it is not a trace that Leadline wrote.
    """
    held = stored.data
    values = _Nodes()
    variables = [str(name) for name in held["vars"]]
    states = [[values.plain(state[name]) for name in variables] for state in held["states"]]
    calls = [{"name": "Init", "picks": held["initial_picks"]}, *held["actions"]]
    steps = [
        {
            "name": str(call.get("tla", call["name"])),
            "picks": [(str(name), values.plain(value)) for name, value in call["picks"].items()],
            "state": states[number] if number < len(states) else None,
            "reason": None,
        }
        for number, call in enumerate(calls)
    ]
    what = f"{held['property'] or held['ends']}, {layers_text(len(calls) - 1, 'steps')}"
    data: Data = {"variables": variables, "steps": steps, "nodes": values.rows, "loop": held.get("loop")}
    data |= {"end": "", "ends": str(held["ends"]), "lanes": None, "property": None, "parts": []}
    point = point_text(held["parameters"])
    return _html(data, f"{stored.protocol}{f' ({point})' if point else ''}", what, note, back)


def _html(data: Data, protocol: str, finding: str, note: str, back: str) -> str:
    style = asset("palette.css") + asset("trace.css")
    script = asset("trace.js") + asset("space_time.js")
    policy = (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    link = f'<a href="{escape(back, quote=True)}">Back to the report</a>' if back else ""
    return Template(asset("trace.html")).substitute(
        title=escape(f"{finding}: {protocol}"),
        policy=policy,
        style=style,
        script=script,
        finding=escape(finding),
        protocol=escape(protocol),
        note=escape(note),
        back=link,
        data=json.dumps(data, separators=(",", ":")).replace("<", "\\u003c"),
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


# -- tables: what occurs several times is written once ---------------------------------------------------


class _Table:
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


class _Nodes(_Table):
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


def _step(model: Model, stage: Step, values: _Nodes) -> Data:
    action = action_named(model, stage.action)
    made = (pick for pick in action.picks if pick.name in stage.picks)
    return {
        "name": action.tla,
        "picks": [(camel(pick.name), values.of(pick.type, stage.picks[pick.name])) for pick in made],
        "state": None if stage.state is None else _state(model, stage.state, values),
        "reason": None,
    }


def _state(model: Model, state: State, values: _Nodes) -> list[int]:
    return [values.of(variable.type, x) for variable, x in zip(model.variables, state, strict=True)]


def _written(reason: Reason, reasons: _Table, texts: _Table) -> int:
    """The place of a reason: the places of its texts and of its parts, and the number left out."""
    chosen = (
        f"{' = '.join(reason.chosen)}{f' in {reason.domain}' if reason.domain else ''}"
        if reason.chosen
        else ""
    )
    parts = tuple(_written(part, reasons, texts) for part in reason.parts)
    words = (reason.formula, reason.value, reason.instance, chosen)
    return reasons.place((*map(texts.place, words), parts, reason.left_out))


def _changes(texts: _Table, row: Sequence[str | None]) -> list[int]:
    """A row's values: each step at which they change, with the place of the text from then on, or -1."""
    found: list[int] = []
    for step, value in enumerate(row):
        if step == 0 or value != row[step - 1]:
            found += (step, -1 if value is None else texts.place(value))
    return found
