"""The engine that a user's question goes to, and the query that it makes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import Field, fields
from typing import Any, get_type_hints

from leadline.symbolic.catalog import Entry, model_of, model_on_values
from leadline.symbolic.engines.ask.engine import AboutRuns, Engine
from leadline.symbolic.engines.ask.query import AUTO, Query
from leadline.symbolic.engines.ask.table import engines_of
from leadline.symbolic.lang import Model, Setting, UserError


def options_of(command: str) -> dict[str, tuple[Engine, Field[Any]]]:
    """The options of a command's engines, by name, each with the first engine that has it."""
    found: dict[str, tuple[Engine, Field[Any]]] = {}
    for engine in engines_of(command).values():
        for one in fields(engine.options):
            if one.metadata.get("doc"):
                found.setdefault(one.name, (engine, one))
    return found


def kind_of(engine: Engine, one: Field[Any]) -> Any:
    """The Python type of an engine's option."""
    return get_type_hints(engine.options)[one.name]


def option_complaint(engine: Engine, one: Field[Any], value: object) -> str | None:
    """The error in a value for an engine's option, or None."""
    kind, about = kind_of(engine, one), one.metadata
    if kind is bool:
        return None if type(value) is bool else f"{one.name} must be True or False, and is {value!r}"
    if kind in (int, int | None):
        low, most = about["low"], about.get("most")
        if type(value) is int and low <= value and (most is None or value <= most):
            return None
        upper = "" if most is None else f" and at most {most}"
        return f"{one.name} must be an integer, at least {low}{upper}, and is {value!r}"
    if "choices" in about:
        names = about["choices"]
        return None if value in names else f"{one.name} must be one of {', '.join(names)}, and is {value!r}"
    if kind == str | None:
        return None if isinstance(value, str) else f"{one.name} must be text, and is {value!r}"
    texts = isinstance(value, (list, tuple)) and all(isinstance(x, str) for x in value)
    return None if texts else f"{one.name} must be a list of names, and is {value!r}"


def chosen_query(
    command: str,
    source: str,
    settings: Mapping[str, Setting],
    model: Model,
    names: Sequence[str],
    given: Mapping[str, Any],
    spelled: Callable[[str], str] = str,
) -> tuple[Query, str]:
    """The query of a command, and why its engine was chosen; "" if the user named it.

    Args:
        command: the command, which offers several engines.
        source: the protocol as the catalog finds it.
        settings: the parameters that differ from their defaults.
        model: the model.
        names: the names of the properties.
        given: the values that the user gave, by name: options of engines, "engine", "solver", "deadlock".
        spelled: an option's name as the user writes it.

    Raises:
        UserError: if the engine that is named does not have an option that is given.
    """
    engine, why = _chosen_engine(command, model, names, given, spelled)
    own = {one.name: given.get(one.name) for one in fields(engine.options)}
    own = {name: tuple(value) if isinstance(value, list) else value for name, value in own.items()}
    query = Query(
        source,
        settings,
        tuple(names),
        engine.options_for(command, model, own),
        given.get("solver", AUTO),
        seed=given.get("seed", 0),
        deadlock=given.get("deadlock", False),
    )
    return query, why


def _chosen_engine(
    command: str,
    model: Model,
    names: Sequence[str],
    given: Mapping[str, Any],
    spelled: Callable[[str], str],
) -> tuple[Engine, str]:
    """The engine that is named, or the first that has the options that are given and suits the properties; why."""
    engines = engines_of(command)
    taking = [one for one in engines.values() if one.takes(model.alone, given)]
    own = {engine: {one.name for one in fields(engine.options)} for engine in taking}
    asked = given.keys() & set().union(*own.values())
    able = [one for one in _able(command, given) if one in taking]
    wanted = engines.get(given.get("engine") or "")
    if wanted is not None and model.origin is None and not wanted.takes(model.alone, {}):
        raise UserError(f"the engine {wanted.name} is for TLA+ modules alone: leave it out")
    if wanted is not None and wanted not in able:
        wrong = spelled(next(iter(sorted(asked - {one.name for one in fields(wanted.options)})), "solver"))
        raise UserError(f"{wrong} means nothing to the engine {wanted.name}: leave one of them out")
    if not able:
        raise UserError(_clash(own, sorted(asked), given, spelled))
    runs = [
        name for name in names if name in model.properties and model.properties[name].temporal is not None
    ]
    if runs:
        fit = [one for one in able if one.runs is not AboutRuns.REFUSED]
        if (wanted is not None and wanted not in fit) or not fit:
            unfit = wanted or able[0]
            others = " or ".join(one.name for one in engines.values() if one.runs is not AboutRuns.REFUSED)
            told = f"the engine {unfit.name} is for claims about states, and {runs[0]} is a claim about runs"
            raise UserError(f"{told}: ask {others}")
        able = fit
    reasons = {one: {one.suits(model, name) for name in names} for one in able}
    suited = [one for one, why in reasons.items() if None not in why]
    if wanted is not None:
        return wanted, ""
    chosen = next(iter(suited or able))
    if runs:
        return chosen, f"{runs[0]} is a claim about runs"
    if chosen in suited and len(able) > 1:
        return chosen, "; ".join(sorted(filter(None, reasons[chosen])))
    options = sorted(asked | ({"solver"} & given.keys()))
    return chosen, f"it is the engine that takes {' and '.join(map(spelled, options))}" if options else ""


def _able(command: str, given: Mapping[str, object]) -> list[Engine]:
    """The engines of a command that have all the options that are given."""
    own = {engine: {one.name for one in fields(engine.options)} for engine in engines_of(command).values()}
    asked = given.keys() & set().union(*own.values())
    return [x for x, known in own.items() if asked <= known and (x.takes_solver or "solver" not in given)]


def model_for(
    command: str, entry: Entry, settings: Mapping[str, Setting], given: Mapping[str, object]
) -> Model:
    """The model for a question. A specification is not made into formulas for an engine that needs none.

    Args:
        command: the command.
        entry: the protocol.
        settings: the parameters that differ from their defaults.
        given: the values that the user gave, by name.

    Raises:
        ModelError: with the mistakes in it.
        NoSymbolicForm: if there are no formulas.
    """
    first = likely_engine(command, given)
    on_values = first is not None and first.takes(True, given)
    return (model_on_values if on_values else model_of)(entry, settings)


def likely_engine(command: str, given: Mapping[str, object]) -> Engine | None:
    """The first engine that has the options that are given, before anything is known of the model."""
    able = _able(command, given)
    return next((one for one in able if given.get("engine") in (None, one.name)), None)


def _clash(
    own: Mapping[Engine, Set[str]],
    asked: Sequence[str],
    given: Mapping[str, Any],
    spelled: Callable[[str], str],
) -> str:
    """The error in options that no engine takes together: the engines of each."""
    takers = {name: [engine.name for engine, known in own.items() if name in known] for name in asked}
    if "solver" in given:
        takers["solver"] = [engine.name for engine in own if engine.takes_solver]
    told = "; ".join(f"{spelled(name)} is for {' and '.join(found)}" for name, found in takers.items())
    return f"no engine takes {' and '.join(map(spelled, takers))} together: {told}: leave one of them out"
