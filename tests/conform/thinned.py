"""Logs of random runs, thinned, and a brute-force answer to the question whether they conform."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leadline.symbolic.concrete import Semantics, State
from leadline.symbolic.lang import Model
from leadline.symbolic.meaning import Step
from leadline.symbolic.trace.values import from_json, to_json

Line = dict[str, Any]


@dataclass(frozen=True)
class Thinning:
    """How a run becomes a log.

    Attributes:
        drop: the part of the fields that is left out.
        hide: the part of the steps that is left out.
        hidden: the most steps in a row that are.
    """

    drop: float = 0.3
    hide: float = 0.2
    hidden: int = 2


def random_run(model: Model, length: int, chance: random.Random) -> list[Step]:
    """Steps of a run of the model after its initial state, which comes first; empty if there is none."""
    semantics = Semantics(model)
    starts = [x for x in semantics.initial() if x.state is not None]
    run = [chance.choice(starts)] if starts else []
    while run and len(run) <= length:
        state = run[-1].state
        assert state is not None
        following = [x for x in semantics.successors(state) if x.state is not None]
        if not following:
            break
        run.append(chance.choice(following))
    return run


def thinned(model: Model, run: list[Step], how: Thinning, chance: random.Random) -> list[Line]:
    """A log of a run."""
    lines: list[Line] = []
    hidden = 0
    for one in run[1:]:
        if hidden < how.hidden and chance.random() < how.hide:
            hidden += 1
            continue
        hidden = 0
        lines.append(_line(model, one, how, chance))
    return lines


def _line(model: Model, one: Step, how: Thinning, chance: random.Random) -> Line:
    assert one.state is not None
    action = next(x for x in model.actions if x.name == one.action)
    picks = {
        x.name: to_json(x.type, dict(one.picks)[x.name]) for x in action.picks if chance.random() >= how.drop
    }
    pairs = zip(model.variables, one.state, strict=True)
    after = {x.tla: to_json(x.type, value) for x, value in pairs if chance.random() >= how.drop}
    named = {"action": action.tla, "picks": picks} if chance.random() >= how.drop else {}
    return {**named, "after": after}


def altered(model: Model, lines: list[Line], chance: random.Random) -> list[Line]:
    """A log with another value in one field."""
    changed = json.loads(json.dumps(lines))
    places = [(line, x) for line in changed for x in model.variables if x.tla in line["after"]]
    line, variable = chance.choice(places)
    values = [to_json(variable.type, x) for x in variable.type.values()]
    others = [x for x in values if x != line["after"][variable.tla]]
    if others:
        line["after"][variable.tla] = chance.choice(others)
    return list(changed)


def fits(model: Model, lines: list[Line], hidden: int) -> int | None:
    """The most events that a run explains, by the set of all states after each; None if it is all."""
    semantics = Semantics(model)
    states = {x.state for x in semantics.initial() if x.state is not None}
    for number, line in enumerate(lines):
        reached = set(states)
        for _ in range(hidden):
            reached |= {
                x.state for state in reached for x in semantics.successors(state) if x.state is not None
            }
        steps = [x for state in reached for x in semantics.successors(state)]
        states = {x.state for x in steps if x.state is not None and _explains(model, x, x.state, line)}
        if not states:
            return number
    return None if states else 0


def _explains(model: Model, one: Step, after: State, line: Line) -> bool:
    action = next(x for x in model.actions if x.name == one.action)
    made = dict(one.picks)
    if line.get("action", action.tla) != action.tla:
        return False
    if any(
        from_json(_type(action.picks, name), x, "") != made[name] for name, x in line.get("picks", {}).items()
    ):
        return False
    told = line["after"]
    pairs = zip(model.variables, after, strict=True)
    return all(from_json(x.type, told[x.tla], "") == value for x, value in pairs if x.tla in told)


def _type(picks: Iterable[Any], name: str) -> Any:
    return next(x.type for x in picks if x.name == name)


def write(path: Path, lines: Iterable[Line]) -> Path:
    """Write a log."""
    path.write_text("".join(f"{json.dumps(x)}\n" for x in lines), encoding="utf-8")
    return path


def interleaved(lines: list[Line], nodes: int, chance: random.Random) -> Iterator[list[Line]]:
    """A log divided among nodes at random, each in its order."""
    parts: list[list[Line]] = [[] for _ in range(nodes)]
    for one in lines:
        chance.choice(parts).append(one)
    return iter(parts)
