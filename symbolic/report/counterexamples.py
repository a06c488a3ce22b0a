"""A counterexample from the store, in the words of the specification."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from leadline.symbolic.catalog import find, model_of, split_path
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.grid.store.cells import Cell, point_text
from leadline.symbolic.grid.store.store import Store
from leadline.symbolic.grid.store.summary import layers
from leadline.symbolic.lang import LeadlineError, UserError
from leadline.symbolic.trace import Line, LineKind, Stored, disagreement, end_reason, lines, stored_traces


@dataclass(frozen=True)
class Shown:
    """A counterexample to show.

    Attributes:
        lines: its text; empty if there is none to show.
        note: what to say of it: how it was checked, or why it is not here.
    """

    lines: tuple[Line, ...]
    note: str


def counterexample(store: Store, cell: Cell) -> Shown:
    """The counterexample of a violated cell.

    That of a protocol that is built in or installed is replayed before it is shown. That of a user's own file
    is shown as it is stored: a replay would run the file, and a store is no reason to run a program.
    """
    place = cell.row.trace
    if place is None:
        return Shown((), "The store has no counterexample for it.")
    try:
        stored = stored_traces(store.document(place))[0]
    except (UserError, ValueError) as error:
        return Shown((), f"Its counterexample cannot be shown: {error}")
    command = f"leadline trace {store.folder / place}"
    if split_path(stored.source) is not None:
        return _as_stored(stored, f"As it is stored; {command} --protocol {stored.source} replays it.")
    try:
        note = f"Replayed step by step as this page was written; {command} does so too."
        return Shown(tuple(_replayed(stored)), note)
    except LeadlineError as error:
        return _as_stored(stored, f"As it is stored. It does not replay here: {error}")


def _replayed(stored: Stored) -> Iterator[Line]:
    entry = find(stored.protocol)
    model = model_of(entry, stored.settings)
    semantics = Semantics(model)
    trace = stored.trace(model)
    wrong = disagreement(semantics, trace)
    if wrong is not None:
        raise UserError(wrong)
    yield from lines(model, trace, end_reason(semantics, trace))


def _as_stored(stored: Stored, note: str) -> Shown:
    try:
        return Shown(tuple(_plain(stored.data)), note)
    except (KeyError, ValueError, TypeError, AttributeError, RecursionError):
        return Shown((), f"{stored.place} is no trace of Leadline's.")


def _plain(data: Mapping[str, Any]) -> Iterator[Line]:
    """A trace without its model: the names are the specification's, the values JSON."""
    point = point_text(data["parameters"])
    what = data["property"] or data["ends"]
    steps = layers(len(data["actions"]), "steps")
    yield Line(LineKind.HEAD, f"{data['protocol']}{f' ({point})' if point else ''}: {what}, {steps}")
    yield Line(LineKind.STEP, f"{0:>3}  Init")
    first, *_ = states = data["states"]
    yield from (Line(LineKind.PART, f"       {name} = {_spelled(value)}") for name, value in first.items())
    for number, action in enumerate(data["actions"], start=1):
        picks = ", ".join(f"{name} = {_spelled(value)}" for name, value in action["picks"].items())
        name = action.get("tla", action["name"])
        yield Line(LineKind.STEP, f"{number:>3}  {name}{f'({picks})' if picks else ''}")
        if number < len(states):
            changed = list(_changes("", states[number - 1], states[number])) or ["(nothing changes)"]
            yield from (Line(LineKind.PART, f"       {text}") for text in changed)


def _changes(path: str, old: Any, new: Any) -> Iterator[str]:
    if old == new:
        return
    if isinstance(old, dict) and isinstance(new, dict) and old.keys() == new.keys():
        for name in new:
            yield from _changes(f"{path}.{name}" if path else name, old[name], new[name])
    else:
        yield f"{path} = {_spelled(new)}"


def _spelled(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
