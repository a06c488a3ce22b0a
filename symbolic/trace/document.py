"""Traces in JSON files, which are read back as runs of the model and replayed.

Nothing in a file is evaluated: values are read by the model's types, names are looked up.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeAlias

from leadline.symbolic.concrete import State
from leadline.symbolic.files import Readable, read_text
from leadline.symbolic.lang import DEADLOCK, Action, Model, Setting, UserError, Value, spoken, unknown_name
from leadline.symbolic.meaning import Step
from leadline.symbolic.meaning.trace import Cti, Trace, TraceEnd, action_named, states
from leadline.symbolic.trace.aliases import alias_values, aliases_json
from leadline.symbolic.trace.explanation import explanation
from leadline.symbolic.trace.fair import fairness
from leadline.symbolic.trace.values import Json, from_json, to_json

VERSION = 1
"""The version of the files written here."""

MOST_DIGITS = 4_000
"""The digits of the longest number that is read."""

INDUCTION = "induction"
"""The field that only a counterexample to induction has: its obligation and its conjuncts."""

_FIELDS: dict[str, Shape] = {
    "version": int,
    "protocol": str,
    "source": str,
    "parameters": dict,
    "fingerprint": str,
    "property": (str, type(None)),
    "ends": TraceEnd,
    "length": int,
    "vars": list,
    "initial_picks": dict,
    "actions": list,
    "states": list,
    "loop?": (int, type(None)),
    "why?": (str, type(None)),
    "*": object,
}


def document(model: Model, trace: Trace, source: str) -> dict[str, Json]:
    """A trace as a JSON object.

    `loop` is there if the run goes on for ever: the number of steps to the state to which the last leads back.
    `states` has the initial state first; `actions` has the action taken in each step, so that action i leads
    from state i to state i + 1. A step that goes out of bounds has its action and no state. `why` is there if a
    run without an error has a reason to stop. For readers there are `aliases`, their values in the states, if the
    model has any, and `explanation`, the reason why the property is false in the last state, or null. A run that
    goes on for ever has `fairness`: for each condition the reason why the loop satisfies it.

    Args:
        model: the model.
        trace: a run of it.
        source: the protocol as the catalog finds it: its name or path.
    """
    names = _variable_names(model)
    why, fair = explanation(model, trace), fairness(model, trace)
    shown = alias_values(model, trace)
    aliases = aliases_json(shown[: sum(1 for _ in states(trace))])
    return {
        "version": VERSION,
        "protocol": model.protocol,
        "source": source,
        "parameters": dict(model.parameters),
        "fingerprint": model.fingerprint,
        "property": trace.property,
        "ends": str(trace.ends),
        "length": trace.length,
        **({} if trace.loop is None else {"loop": trace.loop}),
        **({"why": trace.why} if trace.ends is TraceEnd.STOPS and trace.why else {}),
        **({"fairness": [one.to_json() for one in fair]} if fair else {}),
        "vars": list(names),
        "initial_picks": _picks_json(model.init, trace.initial_picks),
        "actions": [_action_json(action_named(model, step.action), step.picks) for step in trace.steps],
        "states": [
            {name: to_json(v.type, x) for name, v, x in zip(names, model.variables, state, strict=True)}
            for state in states(trace)
        ],
        **({"aliases": aliases} if any(shown) else {}),
        "explanation": None if why is None else why.to_json(),
    }


def _variable_names(model: Model) -> tuple[str, ...]:
    names = tuple(variable.tla for variable in model.variables)
    return names if len(set(names)) == len(names) else tuple(variable.name for variable in model.variables)


def _pick_names(action: Action) -> tuple[str, ...]:
    names = tuple(map(spoken, action.picks))
    return names if len(set(names)) == len(names) else tuple(pick.name for pick in action.picks)


def _picks_json(action: Action, picks: Mapping[str, Value]) -> dict[str, Json]:
    named = zip(_pick_names(action), action.picks, strict=True)
    return {name: to_json(pick.type, picks[pick.name]) for name, pick in named if pick.name in picks}


def _action_json(action: Action, picks: Mapping[str, Value]) -> dict[str, Json]:
    return {"name": action.name, "tla": action.tla, "picks": _picks_json(action, picks)}


@dataclass(frozen=True)
class Stored:
    """A trace read from a file: the names and kinds of its fields are checked, its values are not.

    Attributes:
        place: the file and, if it holds several traces, the path to this one.
        data: the JSON object.
    """

    place: str
    data: Mapping[str, Json]

    @property
    def protocol(self) -> str:
        """The protocol's name."""
        return str(self.data["protocol"])

    @property
    def source(self) -> str:
        """The name or path by which the catalog found the protocol when the trace was written."""
        return str(self.data["source"])

    @property
    def about(self) -> str:
        """The property that it is of, or else how it ends."""
        return str(self.data["property"] or self.data["ends"])

    @property
    def claims(self) -> list[str]:
        """The property of a run, with which its module is read, since the configuration may lack it; else none."""
        own = not is_cti(self) and self.data.get("property")
        return [str(own)] if own and own != DEADLOCK else []

    @property
    def settings(self) -> dict[str, Setting]:
        """The parameters, without those that the protocol derives from others."""
        return settings_of(self.data["parameters"], f"{self.place}.parameters")

    def trace(self, model: Model) -> Trace:
        """The trace as a run of the model, its values read by the model's types. It is not replayed.

        Raises:
            UserError: if a value or a name in it is not the model's, with its place in the file.
        """
        names, rows, actions = _variable_names(model), self.rows(model), self.data["actions"]
        pairs = [(name, v.type) for name, v in zip(names, model.variables, strict=True)]
        found: list[State] = [
            tuple(from_json(kind, row[name], f"{self.place}.states[{i}].{name}") for name, kind in pairs)
            for i, row in enumerate(rows)
        ]
        after = [*found, None]
        chosen, unknown = self.data["initial_picks"], after[0] is None or INDUCTION in self.data
        initial_picks = self._picks(model.init, chosen, f"{self.place}.initial_picks", unknown)
        steps = tuple(self._step(model, i, x, after[i + 1]) for i, x in enumerate(actions))
        return Trace(initial_picks, after[0], steps, **self.end(model))

    def as_written(self, model: Model) -> Trace:
        """The trace with rows of JSON in place of states, and without picks: for a model that has no types.

        Raises:
            UserError: as `rows` and `end`.
        """
        rows: list[Any] = [*self.rows(model), None]
        actions = [one.get("name", "") if isinstance(one, dict) else "" for one in self.data["actions"]]
        steps = (Step(name, {}, row) for name, row in zip(actions, rows[1:], strict=False))
        return Trace({}, rows[0], tuple(steps), **self.end(model))

    def rows(self, model: Model) -> list[dict[str, Json]]:
        """The states, by the names of the variables, one for each action and at most one more.

        Raises:
            UserError: if the names or numbers are wrong.
        """
        names = _variable_names(model)
        if list(self.data["vars"]) != list(names):
            raise UserError(f"{self.place}.vars: {model.protocol} has the variables {', '.join(names)}")
        found, actions = self.data["states"], self.data["actions"]
        for number, row in enumerate(found):
            if not isinstance(row, dict) or set(row) != set(names):
                told = f"an object with exactly {', '.join(names)} is needed"
                raise UserError(f"{self.place}.states[{number}]: {told}")
        wanted = "as many states as actions, or one more"
        if len(found) - len(actions) not in (0, 1) or self.data["length"] != len(actions):
            raise UserError(
                f"{self.place}: {wanted} and a length to match are needed, not {len(found)} states, "
                f"{len(actions)} actions and length {self.data['length']}"
            )
        return list(found)

    def end(self, model: Model) -> dict[str, Any]:
        """The fields of the trace about its end.

        Raises:
            UserError: if one of them is wrong.
        """
        ends, why = TraceEnd(self.data["ends"]), self.data.get("why")
        return {"ends": ends, "property": self._property(model), "loop": self._loop(), "why": why}

    def _step(self, model: Model, number: int, data: Json, state: State | None) -> Step:
        place = f"{self.place}.actions[{number}]"
        if not isinstance(data, dict) or not {"name", "picks"} <= set(data) <= {"name", "tla", "picks"}:
            raise UserError(f"{place}: an object with name, tla and picks is needed")
        known = [action.name for action in model.actions]
        if data["name"] not in known:
            raise UserError(
                f"{place}.name: {unknown_name(f'{model.protocol} has no action', str(data['name']), known)}"
            )
        action = action_named(model, data["name"])
        picks = self._picks(action, data["picks"], f"{place}.picks", state is None)
        return Step(action.name, picks, state)

    def _picks(self, action: Action, data: Json, place: str, partial: bool) -> dict[str, Value]:
        """The picks of a step; `partial` allows some to be missing, as a step may go out of bounds early."""
        names = _pick_names(action)
        fits = isinstance(data, dict) and (set(data) <= set(names) if partial else set(data) == set(names))
        if not fits:
            raise UserError(f"{place}: an object with exactly {', '.join(names) or 'no fields'} is needed")
        named = [(name, pick) for name, pick in zip(names, action.picks, strict=True) if name in data]
        return {pick.name: from_json(pick.type, data[name], f"{place}.{name}") for name, pick in named}

    def _loop(self) -> int | None:
        loop = self.data.get("loop")
        if loop is not None and not 0 <= loop <= self.data["length"]:
            raise UserError(
                f"{self.place}.loop: a number of steps from 0 to the length is needed, not {loop!r}"
            )
        return loop

    def _property(self, model: Model) -> str | None:
        name = self.data["property"]
        if self.data["ends"] in (TraceEnd.DEADLOCK, TraceEnd.STOPS):
            return None
        if name is not None and name not in model.properties:
            what = unknown_name(f"{model.protocol} has no property", name, list(model.properties))
            raise UserError(f"{self.place}.property: {what}")
        return None if name is None else str(name)


def cti_document(model: Model, cti: Cti, source: str) -> dict[str, Any]:
    """A counterexample to induction as a JSON object: `document` of its fragment, with `INDUCTION` added."""
    about = {"obligation": cti.obligation, "conjuncts": list(cti.conjuncts)}
    return {**document(model, cti.fragment, source), INDUCTION: about}


def is_cti(stored: Stored) -> bool:
    """Whether a stored trace is a counterexample to induction, not a run."""
    return INDUCTION in stored.data


def stored_cti(model: Model, stored: Stored) -> Cti:
    """The counterexample to induction in a document. It is not replayed.

    Raises:
        UserError: if a value or a name is not the model's, with its place in the file.
    """
    place = f"{stored.place}.{INDUCTION}"
    about = checked(stored.data[INDUCTION], {"obligation": str, "conjuncts": [str]}, place, "trace")
    names = about["conjuncts"]
    if not model.properties.keys() >= {*names}:
        raise UserError(f"{place}.conjuncts: an array of names of properties of {model.protocol} is needed")
    return Cti(about["obligation"], tuple(names), stored.trace(model))


def stored_traces(path: Path | Readable) -> list[Stored]:
    """The traces of a file: one trace, or every trace in the results of `check`, `explore` or `prove`.

    Raises:
        UserError: if the file cannot be read or holds no traces.
    """
    data = read_object(path)
    if "results" in data:
        return _held(data["results"], f"{path}.results")
    if isinstance(data.get("properties"), dict):
        return _held(data["properties"], f"{path}.properties")
    if "obligations" in data:
        return _held(data["obligations"], f"{path}.obligations", "cti")
    return [_outlined(data, str(path))]


def chosen_traces(path: Path | Readable, about: str | None, option: str, *, one: bool = True) -> list[Stored]:
    """The traces of a file that are about a property, which the user names by an option; None is any property.

    With `one` there is exactly one of them.

    Raises:
        UserError: as `stored_traces`, or if there is none, or there are several where one is needed.
    """
    found = stored_traces(path)
    chosen = [stored for stored in found if about in (None, stored.about)]
    names = ", ".join(stored.about for stored in found)
    if not chosen:
        raise UserError(f"{path} has no trace of {about}: it has {names}")
    if one and len(chosen) > 1:
        raise UserError(f"{path} has several traces: choose one with {option} ({names})")
    return chosen


def _held(results: Json, place: str, field: str = "trace") -> list[Stored]:
    """The traces in an array of results, as `check` writes, or an object by property, as `explore` writes."""
    named = [(f".{key}", x) for key, x in results.items()] if isinstance(results, dict) else []
    if isinstance(results, list):
        named = [(f"[{number}]", x) for number, x in enumerate(results)]
    if not isinstance(results, (dict, list)) or not all(isinstance(x, dict) for _, x in named):
        raise UserError(f"{place}: an array of objects is needed")
    found = [_outlined(x[field], f"{place}{key}.{field}") for key, x in named if x.get(field) is not None]
    if not found:
        raise UserError(f"{place}: none of the {len(named)} results has a {field}")
    return found


def read_object(path: Path | Readable) -> dict[str, Json]:
    """The JSON object of a file.

    Raises:
        UserError: if the file cannot be read, holds something else, or an object in it has a key twice.
    """
    text = read_text(path)
    try:
        data = json.loads(text, object_pairs_hook=no_key_twice, parse_int=_integer)
    except (ValueError, RecursionError) as error:
        writes = "expected what `--format json` or `prove --out` writes"
        raise UserError(f"{path} is not JSON: {error}; {writes}") from error
    if not isinstance(data, dict):
        raise UserError(f"{path}: a JSON object is needed")
    return data


def _integer(text: str) -> int:
    if len(text) > MOST_DIGITS:
        raise ValueError(f"a number has over {MOST_DIGITS} digits")
    return int(text)


def no_key_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object of these keys and values, as a hook for the reader of JSON.

    Raises:
        ValueError: if a key is there twice.
    """
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"an object has the key {next(x for x in names if names.count(x) > 1)!r} twice")
    return made


def _outlined(data: Json, place: str) -> Stored:
    if isinstance(data, dict) and "#meta" in data:
        raise UserError(
            f"{place} is in ITF, which lacks the picks of the actions: `leadline conform PROTOCOL {place}` finds "
            "them, shows the run and writes it with --format json"
        )
    checked(data, _FIELDS, place, "trace")
    if data["version"] != VERSION:
        raise UserError(f"{place}.version: this Leadline reads version {VERSION}, not {data['version']}")
    return Stored(place, data)


_KIND_TEXT: dict[type, str] = {
    int: "an integer",
    float: "a number",
    bool: "true or false",
    str: "text",
    dict: "an object",
    list: "an array",
    type(None): "null",
}


Shape: TypeAlias = "type | tuple[type, ...] | list[Shape] | dict[str, Shape]"
"""The shape of JSON: a type, or several; a list with the shape of the items; or the shapes of an object's members.

The name of a member that may be missing ends in a question mark, and an asterisk stands for all others. An
enumeration of texts is the type of its members.
"""


def checked(data: Json, shape: Shape, place: str, what: str) -> Json:
    """The data, if they have a shape.

    Args:
        data: the data.
        shape: the shape.
        place: the file and the path to the data.
        what: the kind of file that has such data.

    Raises:
        UserError: if they have not.
    """
    if isinstance(shape, dict):
        _check_members(data, shape, place, what)
    elif isinstance(shape, list):
        if type(data) is not list:
            raise UserError(f"{place}: an array is needed")
        for number, item in enumerate(data):
            checked(item, shape[0], f"{place}[{number}]", what)
    elif isinstance(shape, type) and issubclass(shape, StrEnum):
        if data not in list(shape):
            raise UserError(f"{place}: one of {', '.join(shape)} is needed, not {data!r}")
    else:
        kinds = shape if isinstance(shape, tuple) else (shape,)
        if type(data) not in kinds and not (float in kinds and type(data) is int):
            raise UserError(f"{place}: {' or '.join(map(_KIND_TEXT.__getitem__, kinds))} is needed")
    return data


def _check_members(data: Json, shape: dict[str, Shape], place: str, what: str) -> None:
    if type(data) is not dict:
        raise UserError(f"{place}: an object is needed")
    for spelled, inner in shape.items():
        name = spelled.removesuffix("?")
        if name in data:
            checked(data[name], inner, f"{place}.{name}", what)
        elif name == spelled != "*":
            raise UserError(f"{place}: {name} is missing, so this is no {what} of Leadline's")
    for name in data:
        if "*" not in shape and not {name, f"{name}?"} & shape.keys():
            raise UserError(f"{place}.{name} has no meaning in a {what}")


def settings_of(data: Mapping[str, Json], place: str) -> dict[str, Setting]:
    """The parameters that an object gives, without those that the protocol derives from others.

    Raises:
        UserError: if a value is none of a parameter.
    """
    found = {name: x for name, x in data.items() if x is not None}
    for name, value in found.items():
        if not isinstance(value, (bool, int, str)):
            raise UserError(f"{place}.{name}: an integer, true, false or text is needed")
    return found
