"""The questions that scripts ask: `check`, `prove`, `explore` and `simulate`."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from leadline.symbolic.api.asked import Asked
from leadline.symbolic.api.progress import Follow, following
from leadline.symbolic.api.protocols import LoadedProtocol, ProtocolLike, loaded
from leadline.symbolic.api.results import Result, Results
from leadline.symbolic.engines import AUTO, Interrupted, Limits, engines_of
from leadline.symbolic.engines.ask.choice import chosen_query, model_for, option_complaint, options_of
from leadline.symbolic.engines.run.limits import timely
from leadline.symbolic.lang import Claim, Foreign, Setting, UserError, unknown_name
from leadline.symbolic.solve import SOLVERS


class Stopped(KeyboardInterrupt):
    """Ctrl-C ended a search.

    Attributes:
        results: the answers so far.
    """

    def __init__(self, message: str, results: Results) -> None:
        super().__init__(message)
        self.results = results


def check(
    protocol: ProtocolLike,
    /,
    *,
    property: str | Claim | None = None,
    properties: Iterable[str | Claim] | None = None,
    deadlock: bool | None = None,
    fail_fast: bool = False,
    engine: str | None = None,
    solver: str | None = None,
    timeout: float | None = None,
    memory: int | None = None,
    parameters: Mapping[str, Setting] | None = None,
    progress: Follow = None,
    **more: object,
) -> Results:
    """Check properties: by several engines at once or, with `depth`, within so many steps.

    Further keywords are parameters of the protocol, or these options:

    - `depth`: search so many layers: steps, unless `unroll` says sweeps;
    - `unroll`: the content of a layer, "steps" or "sweeps";
    - `shortest`: whether to search for a shortest counterexample if sweeps found one;
    - `symmetry`: whether members of a sort count as interchangeable; by default they do, except for explore;
    - `max_states`: the number of states at which `engine="explore"` or `"novelty"` stops;
    - `patience`: the number of states in a row with nothing new at which `engine="novelty"` stops;
    - `by`: `"circuits"` or `"values"`, the explorer; by default circuits wherever the model has them;
    - `every_state`: whether it explores every state where the protocol has a view;
    - `checkpoint`: the folder in which it keeps each level, and from which the same question goes on;
    - `parallel`: the number of processes that explore once there are many states (default: the cores);
    - `count_values`: whether it tells the values of each variable, and how many states have each;
    - `coverage`: whether it tells actions never taken, guards never true, and properties that hold vacuously;
    - `strengthenings`: whether pdr may use those that are written for a property;
    - `show`: whether pdr reports the invariant that it finds;
    - `within_bounds`: whether pdr proves it of the states reached within bounds.

    Args:
        protocol: a name, a path, a class, an instance of one, or what `load` returned.
        property: the property to check: a name such as "nothing-lost", or the decorated function.
        properties: several properties; by default all but strengthenings.
        deadlock: whether to look for a state in which no action is enabled; by default as CHECK_DEADLOCK says for
            a TLA+ module, which is on if its configuration says nothing, and not for protocols in Python.
        fail_fast: whether to stop when the first property is found to fail, or a run out of bounds; the others are
            unknown then.
        engine: the engine to ask, "bmc", "explore" or "pdr"; by default all that fit, side by side.
        solver: "z3", "cadical", or "auto", which runs both on two cores.
        timeout: the most seconds, above 0.
        memory: the most megabytes, 1 or more, for each process that works on it.
        parameters: parameters of the protocol whose names are those of arguments here.
        progress: a function that is told of the progress; False for silence. By default a line on a terminal
            and in a notebook shows it.
        more: options and parameters.

    Returns:
        a result for each property. A property without an answer within the limits is unknown.

    Raises:
        UserError: if there is no such protocol, parameter, property or option, or the model has mistakes.
        LeadlineError: if the model is not made within the timeout, which holds for that in the main thread.
        Stopped: on Ctrl-C, with the answers so far.
    """
    asking = {"deadlock": deadlock, "engine": engine, "solver": solver, "timeout": timeout, "memory": memory}
    asking["fail_fast"] = fail_fast
    return _ask("check", protocol, _wanted(property, properties), asking, parameters, progress, more)


def explore(
    protocol: ProtocolLike,
    /,
    *,
    property: str | Claim | None = None,
    properties: Iterable[str | Claim] | None = None,
    deadlock: bool | None = None,
    fail_fast: bool = False,
    timeout: float | None = None,
    memory: int | None = None,
    parameters: Mapping[str, Setting] | None = None,
    progress: Follow = None,
    **more: object,
) -> Results:
    """Search all reachable states breadth first, or those within a number of steps.

    The numbers of states are in `facts`. Further keywords are parameters of the protocol, or these options:

    - `depth`: explore so many steps; by default until no state is new;
    - `max_states`: stop at so many states;
    - `symmetry`: explore one state of each orbit under permutations of members of sorts;
    - `by`: `"circuits"` for many states at once, `"values"` for one after the other;
    - `every_state`: explore every state where the protocol has a view;
    - `count_values`: tell the values of each variable, and how many states have each;
    - `checkpoint`: keep each level in a folder of this path, from which the same question goes on;
    - `parallel`: the number of processes that explore once there are many states (default: the cores);
    - `coverage`: count how often guards are true, and look for properties that hold vacuously.

    The arguments, results and errors are those of `check`.
    """
    asking = {"deadlock": deadlock, "timeout": timeout, "memory": memory, "fail_fast": fail_fast}
    return _ask("explore", protocol, _wanted(property, properties), asking, parameters, progress, more)


def simulate(
    protocol: ProtocolLike,
    /,
    *,
    property: str | Claim | None = None,
    properties: Iterable[str | Claim] | None = None,
    deadlock: bool | None = None,
    timeout: float | None = None,
    memory: int | None = None,
    parameters: Mapping[str, Setting] | None = None,
    progress: Follow = None,
    **more: object,
) -> Results:
    """Take random runs, check the properties in every state, and count actions, probes, states and values.

    The numbers are in `facts`: how often each action is taken, in how many runs a probe is reached and after how
    many steps, the states by depth, and the values of each variable. A property without a violation
    stays unknown: runs prove nothing. Further keywords are parameters of the protocol, or these options:

    - `runs`: the number of random runs;
    - `depth`: the steps of a run at most;
    - `seed`: the seed of the random choices;
    - `weights`: how much likelier actions are than one without a weight, such as `["write=5"]`;
    - `by`: "circuits" for many runs side by side, "values" for one after the other; by default circuits
      wherever the model has them. The same seed takes other runs by each.

    The arguments, results and errors are those of `check`.
    """
    asking = {"deadlock": deadlock, "timeout": timeout, "memory": memory}
    return _ask("simulate", protocol, _wanted(property, properties), asking, parameters, progress, more)


def prove(
    protocol: ProtocolLike,
    claim: str | Claim | None = None,
    /,
    *,
    property: str | Claim | None = None,
    properties: Iterable[str | Claim] | None = None,
    engine: str | None = None,
    solver: str | None = None,
    timeout: float | None = None,
    memory: int | None = None,
    parameters: Mapping[str, Setting] | None = None,
    progress: Follow = None,
    **more: object,
) -> Result:
    """Prove that a property holds in every reachable state, or find a counterexample.

    The proof is in `certificate`, where its engine has one; of an induction that fails, `cti` shows why.
    Further keywords are parameters of the protocol, or these options:

    - `strengthenings`: whether to use those that are written for the property;
    - `symmetry`: whether to use that members of a sort are interchangeable;
    - `show`: whether to report the invariant;
    - `within_bounds`: whether to prove it of the states reached within bounds, for `engine="pdr"`;
    - `obligations`: the names of the only obligations to check; the property is then not proved.

    Args:
        protocol: a name, a path, a class, an instance of one, or what `load` returned.
        claim: the property to prove: a name such as "nothing-lost", or the decorated function.
        property: the same, by its name.
        properties: the same, as a list of one.
        engine: "pdr" or "induction"; by default induction where strengthenings are written.
        solver: as in `check`, as are the arguments that follow.

    Returns:
        the result: its verdict is "proved", "violated" or "unknown".

    Raises:
        UserError: as `check`.
        Stopped: as `check`.
    """
    asking = {"engine": engine, "solver": solver, "timeout": timeout, "memory": memory}
    if claim is not None and property is not None:
        raise UserError("prove is given the property twice: leave property= out")
    wanted = _wanted(property if claim is None else claim, properties)
    if wanted is None or len(wanted) != 1:
        raise UserError('prove takes one property: write property="its-name"')
    (found,) = _ask("prove", protocol, wanted, asking, parameters, progress, more).values()
    return found


def _wanted(
    property: str | Claim | None, properties: Iterable[str | Claim] | None
) -> list[str | Claim] | None:
    """The properties that are asked for; None for all."""
    if property is not None and properties is not None:
        raise UserError("give either property= or properties=, not both")
    wanted = properties if property is None else property
    if wanted is None:
        return None
    return [wanted] if isinstance(wanted, (str, Claim)) else list(wanted)


def _ask(
    command: str,
    protocol: ProtocolLike,
    wanted: list[str | Claim] | None,
    asking: Mapping[str, Any],
    parameters: Mapping[str, Setting] | None,
    progress: Follow,
    more: Mapping[str, Any],
) -> Results:
    given = {name: value for name, value in asking.items() if value is not None and value is not False}
    given |= {name: value for name, value in more.items() if name in options_of(command)}
    _check(command, given)
    named = str(protocol) if isinstance(protocol, (str, Path)) else None
    begin = time.monotonic()
    with timely(named, Limits(given.get("timeout"))):
        about = _told_apart(command, protocol, wanted or (), parameters, given, more)
        made = about.entry.protocol
        if asking.get("deadlock", False) is None and issubclass(made, Foreign) and made.deadlock:
            given["deadlock"] = True
        model = model_for(command, about.entry, about.settings, given)
    limits = Limits(given.pop("timeout", None), given.pop("memory", None)).since(begin)
    fail_fast = given.pop("fail_fast", False)
    names = tuple(dict.fromkeys(x.name if isinstance(x, Claim) else x for x in wanted or ()))
    chosen = () if wanted == [] else tuple(one.name for one in model.choose_properties(names))
    query, _ = chosen_query(command, about.entry.source, about.settings, model, chosen, given)
    asked = Asked(about.entry, model, query)
    asked.check_asks("deadlock=True")
    with following(progress, f"{asked.wording.doing} {model.protocol}") as (heard, show):
        try:
            asked.put(limits, heard, show, fail_fast=fail_fast)
        except Interrupted as interrupted:
            raise Stopped(interrupted.message, Results(asked)) from None
    return Results(asked)


def _told_apart(
    command: str,
    protocol: ProtocolLike,
    properties: Sequence[str | Claim],
    parameters: Mapping[str, Setting] | None,
    given: Mapping[str, Any],
    more: Mapping[str, Any],
) -> LoadedProtocol:
    """The protocol, with the keywords that are its parameters.

    Raises:
        UserError: if a keyword is neither an option nor a parameter, or may be both.
    """
    options = options_of(command)
    own = {name: value for name, value in more.items() if name not in options}
    plain = loaded(protocol, {}, properties, {**own, **(parameters or {})})
    declared = plain.entry.protocol.parameters
    for name in own:
        if name not in declared:
            what = f"{plain.name} has no parameter, and {command} no option,"
            raise UserError(unknown_name(what, name, [*declared, *options]))
    for name in (*given, *more):
        if name in declared and name not in own and name not in (parameters or {}):
            text = f"{name} is an option of {command}, and {plain.name} has a parameter of that name"
            raise UserError(f"{text}: give the parameter as well, as in parameters={{{name!r}: ...}}")
    return loaded(plain, {**own, **(parameters or {})})


def _check(command: str, given: Mapping[str, Any]) -> None:
    """Check the values of options.

    Raises:
        UserError: with all that is wrong with them.
    """
    own = options_of(command)
    engines = engines_of(command)
    wrong = [option_complaint(*own[name], value) for name, value in given.items() if name in own]
    if given.get("engine", next(iter(engines))) not in engines:
        wrong.append(unknown_name(f"{command} has no engine", str(given["engine"]), list(engines)))
    if given.get("solver", AUTO) not in (AUTO, *SOLVERS):
        wrong.append(unknown_name("there is no solver", str(given["solver"]), [*SOLVERS, AUTO]))
    seconds, megabytes = given.get("timeout", 1), given.get("memory", 1)
    if type(seconds) not in (int, float) or not 0 < seconds <= Limits.LONGEST:
        wrong.append(
            f"timeout must be a number of seconds above 0, at most {Limits.LONGEST}, not {seconds!r}"
        )
    if type(megabytes) is not int or not 0 < megabytes <= Limits.LARGEST:
        wrong.append(f"memory must be an integer in 1..{Limits.LARGEST}, not {megabytes!r}")
    told = [text for text in wrong if text is not None]
    if told:
        raise UserError("\n".join(told))
