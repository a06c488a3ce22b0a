"""Answers of engines for a person and for a program. `WORDINGS` says what is an engine's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TypeAlias

from leadline.symbolic.concrete import Semantics
from leadline.symbolic.engines import ENGINES, Answer, Effort, Query, Result, Table, Verdict
from leadline.symbolic.engines.ask.result import Cause, judgement, verdict_text
from leadline.symbolic.engines.explore.facts import (
    HOW,
    NEVER_TAKEN,
    ExploreFacts,
    GuardCount,
    SimulateFacts,
    never_taken,
    so_far,
    vacuity,
)
from leadline.symbolic.engines.explore.statistics import Occurring
from leadline.symbolic.engines.prove import induction
from leadline.symbolic.engines.prove.pdr.results import PdrOptions, ProofFacts, ProofSize
from leadline.symbolic.lang import Model, counted, shortened
from leadline.symbolic.trace import call_of, cti_document, document, end_reason

Told: TypeAlias = Sequence[str | Table]
"""An answer for a person: lines and tables."""

Json: TypeAlias = dict[str, object]
"""A JSON object for a program."""


# -- every engine ----------------------------------------------------------------------------------------


def verdict_table(model: Model, query: Query, answer: Answer) -> Told:
    """The verdict about each property, with seconds and memory if the engine takes a solver."""
    costs = ENGINES[query.engine].takes_solver
    rows = []
    for one in answer.results:
        rows.append([one.property, verdict_text(model, one), _steps(one)])
        if costs:
            rows[-1] += [f"{one.effort.total:.1f}", f"{one.effort.memory_mb:.0f}"]
    return [Table(["property", "verdict", "steps", *(["seconds", "MB"] if costs else [])], rows)]


def _steps(result: Result) -> str:
    return "-" if result.steps is None else str(result.steps)


def as_json(model: Model, query: Query, answer: Answer) -> Json:
    """The facts, and the verdict about each property."""
    beyond = answer.out_of_bounds
    told = {one.property: result_json(model, query, one) for one in answer.results}
    return {
        **model_json(model),
        **({} if answer.facts is None else answer.facts.to_json()),
        "properties": {
            name: {key: value for key, value in one.items() if key != "property"}
            for name, one in told.items()
        },
        "out_of_bounds": beyond
        and {
            "steps": beyond.length,
            "reason": end_reason(Semantics(model), beyond),
            "trace": document(model, beyond, query.source),
        },
    }


def records(model: Model, query: Query, answer: Answer) -> Json:
    """All that is known of each result."""
    return {"results": [record(model, query, one) for one in answer.results]}


def record(model: Model, query: Query, result: Result) -> Json:
    """All that is known of a result."""
    violated = result.verdict is Verdict.VIOLATED
    wrong = violated or result.verdict is Verdict.OUT_OF_BOUNDS
    return {
        **model_json(model),
        **result_json(model, query, result),
        "engine": result.engine,
        "unroll": result.unroll,
        "solver": result.solver,
        # The layer that holds the violation, or else the deepest one that is known to hold none.
        "depth": result.depth + 1 if violated else result.depth,
        # All runs of so many steps have no violation: k sweeps cover those of k and many far longer.
        "steps_covered": None if wrong or result.loops or result.depth < 0 else result.depth,
        **result.effort.to_json(),
        "reason": result.why,
        "cause": result.cause,
        "reached": dict(result.reached),
    }


def model_json(model: Model) -> Json:
    """The model that an answer is about."""
    return {
        "protocol": model.protocol,
        "parameters": dict(model.parameters),
        "constraints": [one.name for one in model.constraints],
    }


def result_json(model: Model, query: Query, result: Result) -> Json:
    """A property's verdict and counterexample, with the steps before and in the loop of a run for ever."""
    trace = result.trace
    loops = trace is not None and trace.loop is not None
    return {
        "property": result.property,
        "verdict": str(result.verdict),
        "judgement": str(judgement(model, result)),
        "steps": result.steps,
        **({"stem": trace.loop, "loop": trace.loop_length} if trace is not None and loops else {}),
        "trace": None if trace is None else document(model, trace, query.source),
    }


def invariants_held(model: Model, query: Query, answer: Answer) -> str:
    """How many invariants of a proof hold."""
    return (
        f"{sum(one.holds for one in answer.results)} of {counted(len(answer.results), 'invariant')} checked"
    )


# -- a portfolio -----------------------------------------------------------------------------------------


def _answered_by(model: Model, query: Query, answer: Answer) -> Told:
    rows = [
        [one.property, verdict_text(model, one), _steps(one), one.engine if one.definite else "-"]
        for one in answer.results
    ]
    # If explicit search answered alone.
    facts = answer.facts
    lines = never_taken(facts, _actions(model)) if isinstance(facts, ExploreFacts) else []
    if isinstance(facts, ExploreFacts) and facts.symmetry is not None:
        lines = [*lines, facts.symmetry]
    lines = [*lines, *_postconditions(model, facts if isinstance(facts, ExploreFacts) else None)]
    return [Table(["property", "verdict", "steps", "answered by"], rows), *lines, *_explored_alone(answer)]


def _explored_alone(answer: Answer) -> Iterator[str]:
    """The properties that engines of formulas could not be asked about, each reason once."""
    names: dict[str, list[str]] = {}
    for name, why in answer.formless.items():
        names.setdefault(why, []).append(name)
    for why, found in names.items():
        told = "answered by exploration alone, since there is no symbolic form"
        yield f"{' and '.join(found)}: {told}: {why}"


def _portfolio_json(model: Model, query: Query, answer: Answer) -> Json:
    facts = answer.facts.to_json() if isinstance(answer.facts, ExploreFacts) else {}
    names = [name for name in ("actions", "vacuous", "never_true", "symmetry") if name in facts]
    alone = {"explored_alone": dict(answer.formless)} if answer.formless else {}
    return {**records(model, query, answer), **{name: facts[name] for name in names}, **alone}


def _actions(model: Model) -> dict[str, str]:
    return {action.name: action.tla for action in model.actions}


# -- simulation and exploration --------------------------------------------------------------------------


def _simulated(model: Model, query: Query, answer: Answer) -> Told:
    if answer.facts is None:  # Ctrl-C came between two searches
        return verdict_table(model, query, answer)
    facts = answer.told(SimulateFacts)
    extent = f"{counted(facts.runs, 'run')}, {counted(facts.steps, 'step')}"
    states = f"{counted(facts.states, 'distinct state')}, the longest run {facts.longest}"
    stopped = f"; {facts.stopped}" if facts.stopped is not None else ""
    taken = [
        [shown, str(facts.actions[name]), f"{facts.action_rates[name]:.1%}", str(facts.runs_taking[name])]
        for name, shown in _actions(model).items()
    ]
    reached = [
        [name, str(one["runs"]), "-" if one["median_steps"] is None else f"{one['median_steps']:g}"]
        for name, one in facts.probes.items()
    ]
    probes: Told = ["", Table(["probe", "reached in runs", "median of steps"], reached)] if reached else []
    return [
        f"{extent}, {states}{stopped}",
        "",
        Table(["action", "times taken", "of all steps", "in runs"], taken),
        *probes,
        "",
        Table(["after steps", "states first met"], _ranges(facts.states_by_depth)),
        "",
        _values(model, facts.values, _FEW),
        *([f"taken on values: {facts.by_values_since}"] if facts.by_values_since is not None else []),
        *([f"begun in {facts.begun_in:,} of more initial states"] if facts.begun_in is not None else []),
        *_with_gap(model, query, answer),
    ]


_FEW, _MANY = 3, 10
_WIDEST = 60


def _ranges(numbers: Sequence[int]) -> list[list[str]]:
    """Rows of numbers by their places, in at most ten ranges of places; the sum of each."""
    size = -(-len(numbers) // 10)
    begins = range(0, len(numbers), size) if numbers else ()
    ends = [min(begin + size, len(numbers)) - 1 for begin in begins]
    return [
        [f"{low}" if low == high else f"{low}-{high}", str(sum(numbers[low : high + 1]))]
        for low, high in zip(begins, ends, strict=True)
    ]


def _values(model: Model, found: Mapping[str, Occurring], most: int) -> Table:
    """The values of variables: how many each has, and in how many states the most frequent ones occur."""
    spelled = {one.name: one.tla for one in model.variables}
    rows = []
    for name, one in found.items():
        shown = one["most_frequent"][:most]
        for place, value in enumerate(shown):
            text = shortened(value["value"], _WIDEST)
            head = [spelled[name], str(one["distinct"])] if not place else ["", ""]
            rows.append([*head, text, str(value["states"])])
        if one["distinct"] > len(shown):
            rows.append(["", "", f"(and {one['distinct'] - len(shown)} more)", ""])
    return Table(["variable", "values", "most frequent", "states"], rows)


def _with_gap(model: Model, query: Query, answer: Answer) -> Told:
    return ["", *verdict_table(model, query, answer)] if answer.results else []


def _explored(model: Model, query: Query, answer: Answer) -> Told:
    if answer.facts is None:  # as above
        return verdict_table(model, query, answer)
    facts, actions = answer.told(ExploreFacts), _actions(model)
    within = facts.states_within_steps
    less = zip(within, (0, *within), strict=False)
    levels = [[str(k), str(x), str(x - y)] for k, (x, y) in enumerate(less)]
    orbits = facts.orbits_within_steps
    if orbits is not None:
        levels = [[*row, str(x)] for row, x in zip(levels, orbits, strict=True)]
    header = ["steps", "states", "new", *(["orbits"] if orbits is not None else [])]
    fired = [[shown, str(facts.actions[name])] for name, shown in actions.items()]
    values: Told = ["", _values(model, facts.values, _MANY)] if facts.values is not None else []
    return [
        states_found(facts),
        *_view_remarks(facts),
        *([f"explored on values: {facts.by_values_since}"] if facts.by_values_since is not None else []),
        *([facts.symmetry] if facts.symmetry is not None else []),
        *_postconditions(model, facts),
        "",
        Table(header, levels).shortened("levels"),
        "",
        *(covered(facts, actions) if facts.guards is not None else [Table(["action", "times fired"], fired)]),
        *values,
        *_with_gap(model, query, answer),
    ]


def _postconditions(model: Model, facts: ExploreFacts | None) -> Iterator[str]:
    """For each POSTCONDITION of a TLA+ module whether it holds at the end of a search of all states."""
    found = None if facts is None else facts.postconditions
    specification = getattr(model.origin, "specification", None)
    for name in () if specification is None else specification.postconditions:
        held = "not evaluated: no exploration has ended" if found is None else found[name]
        yield f"postcondition {name}: {_POST.get(held, held)}"


_POST: Mapping[bool | str, str] = {True: "holds", False: "violated"}


def states_found(facts: ExploreFacts) -> str:
    """A sentence on the states that an exploration found."""
    if facts.diameter < 0 and facts.stopped is None:
        return "no states: the initial condition goes out of bounds"
    if facts.complete and not facts.states and not facts.steps_out_of_bounds:
        return "no states: the constraints exclude all initial ones"
    states, within = counted(facts.states, "state"), f"within {counted(facts.diameter, 'step')}"
    deadlocks = counted(facts.deadlocks, "deadlock")
    if facts.orbits is not None:
        states = f"{counted(facts.orbits, 'orbit')} of {states}"
        deadlocks = f"{counted(facts.deadlocks, 'orbit')} of deadlocks"
    which = "all reachable states" if facts.complete else "not all reachable states"
    if facts.complete and facts.steps_out_of_bounds:
        which = "all that are reached within bounds"
    if facts.all_views is not None:
        which = f"one for each value{'' if facts.all_views else ' so far'} of the view {facts.view}"
    if facts.stopped is not None:
        within = f"including all {within}" if facts.diameter >= 0 else "not even all initial ones"
        states += ","
        which += f"; {facts.stopped}"
    return f"{states} {within} ({which}), {deadlocks}"


def _view_remarks(facts: ExploreFacts) -> list[str]:
    """A line that says what depends on a view, or why it is not used; none without one, or without a state."""
    if facts.view_unused is not None:
        return [f"the view {facts.view} is not used: {facts.view_unused}"]
    if facts.all_views is None:
        return []
    return ["violations are real; that there are no others depends on the view"]


def covered(facts: ExploreFacts, actions: Mapping[str, str]) -> Told:
    """The coverage for a person: what it lacks, and how much each action found.

    Args:
        facts: the facts of an answer with coverage.
        actions: the names by which actions are shown.
    """
    first = facts.first_reached or {}
    rows = [[shown, str(facts.actions[name]), str(first[name])] for name, shown in actions.items()]
    never = [shown for name, shown in actions.items() if not facts.actions[name]]
    lines = [f"{NEVER_TAKEN}{so_far(facts)}: {', '.join(never)}"] if never else []
    for name in dict.fromkeys(one["property"] for one in facts.vacuous or ()):
        lines += [
            f"holds {HOW[kind]}{so_far(facts)}: {name}, since {why}" for kind, why in vacuity(facts, name)
        ]
    for action, shown in actions.items():
        lines += _untrue([one for one in facts.guards or () if one["action"] == action], shown)
    lines = lines or ["every action is taken, every guard is true somewhere, and no property holds vacuously"]
    return [Table(["action", "times fired", "states first reached"], rows), "", *lines]


def _untrue(guards: Sequence[GuardCount], action: str) -> list[str]:
    """The first guard of an action that is never true, or else the first that is never evaluated."""
    for one in guards:
        if not one["true"]:
            how = f"in {counted(one['evaluated'], 'evaluation')}" if one["evaluated"] else "never evaluated"
            return [f"never true: `{one['guard']}` of {action} ({one['place']}; {how})"]
    return []


# -- property-directed reachability --------------------------------------------------------------------


def _proofs(model: Model, query: Query, answer: Answer) -> Told:
    sizes = _sizes(answer)
    rows = []
    for one in answer.results:
        size = sizes.get(one.property)
        told = () if size is None else (size.frames, size.clauses, size.orbits, size.cpu_seconds)
        figures = ["-" if x is None else str(x) for x in told or [None] * 4]
        within = " within bounds" if size is not None and size.within_bounds else ""
        rows.append([one.property, f"{verdict_text(model, one)}{within}", _steps(one), *figures])
    header = ["property", "verdict", "steps", "frames", "clauses", "orbits", "CPU seconds"]
    sized = ((one, sizes[one.property]) for one in answer.results if one.property in sizes)
    return [Table(header, rows), *(line for one, size in sized for line in _of_proof(model, one, size))]


def _sizes(answer: Answer) -> Mapping[str, ProofSize]:
    """The sizes of proofs; those of a search that was killed are not known."""
    return answer.facts.sizes if isinstance(answer.facts, ProofFacts) else {}


def _of_proof(model: Model, result: Result, size: ProofSize) -> Iterator[str]:
    """A proof for a person: how it was found, what it shows, and what stands against it."""
    if size.inductive_within_bounds and result.trace is not None:
        step = call_of(model, result.trace.stages[-1])
        yield from (
            "",
            f"{result.property} is inductive within bounds: it holds in every state that is reached within them.",
            f"Only a bound stands against a proof: {step} leaves it from the last state below"
            if model.origin is None
            else f"Only {step} stands against a proof: it has no value from the last state below",
            f"({result.reason}).",
            "You can",
            *within_bounds_advice(model),
        )
    if size.methods:
        yield from (
            "",
            f"{result.property} is proved by {' and '.join(size.methods)}; --out writes the proof.",
        )
    if size.formulas is not None:
        assumed = (result.certificate or {}).get("strengthenings", ())
        yield from ("", f"{result.property} follows from the conjunction of these, which is inductive:")
        yield from (f"  {text}" for text in [*assumed, *size.formulas] or ["TRUE"])


def _proofs_json(model: Model, query: Query, answer: Answer) -> Json:
    sizes = _sizes(answer)
    results = [
        {
            **result_json(model, query, one),
            "engine": one.engine,
            "solver": one.solver,
            **one.effort.to_json(),
            **(sizes[one.property].to_json() if one.property in sizes else {}),
            "reason": one.why,
            "cause": one.cause,
            "reached": dict(one.reached),
        }
        for one in answer.results
    ]
    told = results[0] if len(results) == 1 else {"results": results}
    return {**model_json(model), "fingerprint": model.fingerprint, **told}


def within_bounds_advice(model: Model) -> Sequence[str]:
    """The ways on where only bounds stand against a proof; in a module these are expressions without a value."""
    own = model.origin is None
    constrain = "declare a @constraint" if own else "state a CONSTRAINT"
    return (
        "- widen the bound;" if own else "- mend the expression;",
        f"- or {constrain} that is false in such a state: no step is then taken from it;",
        "- or prove it of the states that are reached within bounds, and of no others: give",
        f"  --engine {PdrOptions.engine} --within-bounds.",
    )


# -- induction -------------------------------------------------------------------------------------------


def goal_verdicts(model: Model, query: Query, answer: Answer) -> Sequence[Result]:
    """A property is proved if every obligation holds, else unknown, even if one fails."""
    found = []
    for goal in query.names(model):
        about = [one for one in answer.results if one.property == goal]
        held = {one.part for one in about if one.holds}
        proved = held >= {one.name for one in induction.obligations(model, goal)}
        effort = reduce(Effort.plus, (one.effort for one in about), Effort())
        verdict = Verdict.PROVED if proved else Verdict.UNKNOWN
        cause = None if proved else next((one.cause for one in about if one.cause), Cause.PART)
        found.append(Result(goal, query.engine, verdict, effort, cause=cause))
    return found


def _inductive_proof(model: Model, query: Query, answer: Answer) -> Told:
    rows = [
        [
            one.property,
            verdict_text(model, one),
            str(len(induction.conjuncts(model, one.property))),
            _held(model, one.property, answer.results),
            f"{one.effort.total:.1f}",
        ]
        for one in goal_verdicts(model, query, answer)
    ]
    parts = [[str(x.part), _word(x), str(x.solver), f"{x.effort.total:.2f}"] for x in answer.results]
    advice = [line for goal in query.names(model) for line in _only_bounds(model, goal, answer.results)]
    return [
        Table(["property", "verdict", "conjuncts", "obligations", "seconds"], rows),
        "",
        Table(["obligation", "verdict", "solver", "seconds"], parts),
        *(["", *advice] if advice else []),
    ]


def _obligations_held(model: Model, query: Query, answer: Answer) -> str:
    return ", ".join(_held(model, goal, answer.results) for goal in query.names(model))


def _held(model: Model, goal: str, results: Sequence[Result]) -> str:
    held = sum(one.holds for one in results if one.property == goal)
    return f"{held} of {counted(len(induction.obligations(model, goal)), 'obligation')} hold"


def _word(result: Result) -> str:
    return "holds" if result.holds else "fails" if result.fails else "unknown"


def _inductive_proof_json(model: Model, query: Query, answer: Answer) -> Json:
    (verdict,) = goal_verdicts(model, query, answer)
    return {
        **model_json(model),
        "fingerprint": model.fingerprint,
        "property": verdict.property,
        "verdict": str(verdict.verdict),
        "judgement": str(judgement(model, verdict)),
        "inductive_within_bounds": bool(_only_bounds(model, verdict.property, answer.results)),
        "conjuncts": [one.name for one in induction.conjuncts(model, verdict.property)],
        "obligations": [
            {
                "name": one.part,
                "verdict": _word(one),
                "solver": one.solver,
                "reason": one.reason,
                "cause": one.cause,
                **one.effort.to_json(),
                "cti": None if one.cti is None else cti_document(model, one.cti, query.source),
            }
            for one in answer.results
        ],
    }


def _only_bounds(model: Model, goal: str, results: Sequence[Result]) -> list[str]:
    """The advice where only steps that leave their bounds stand against a goal's proof; else nothing."""
    kinds = {one.name: one.kind for one in induction.obligations(model, goal)}
    found = [one for one in results if one.property == goal]
    wrong = [one for one in found if not one.holds]
    bounds = induction.ObligationKind.INITIAL_IN_BOUNDS, induction.ObligationKind.STEP_IN_BOUNDS
    others = any(not one.fails or kinds[str(one.part)] not in bounds for one in wrong)
    if len(found) < len(kinds) or not wrong or others:
        return []
    return [
        f"{goal} is inductive within bounds: all that fails is",
        *(f"  {one.part}: {one.reason}" for one in wrong),
        "The state before need not be reachable; --no-strengthenings decides whether it is, and looks for",
        "a constraint that suffices. If it is, you can",
        *within_bounds_advice(model),
    ]


# -- the table -------------------------------------------------------------------------------------------


def _each(model: Model, query: Query, answer: Answer) -> Sequence[Result]:
    return answer.results


@dataclass(frozen=True)
class Wording:
    """How the answers of an engine are told.

    Attributes:
        doing: the engine's work in a word, for the line that shows progress.
        describe: the answer for a person.
        as_json: the answer for a program.
        verdicts: a result for each property.
        extent: how much of a proof was shown, in a few words.
        needs_property: whether its command needs a property, or --deadlock.
    """

    doing: str
    describe: Callable[[Model, Query, Answer], Told] = verdict_table
    as_json: Callable[[Model, Query, Answer], Json] = as_json
    verdicts: Callable[[Model, Query, Answer], Sequence[Result]] = _each
    extent: Callable[[Model, Query, Answer], str] = invariants_held
    needs_property: bool = True


WORDINGS: Mapping[str, Wording] = {
    "portfolio": Wording("checking", _answered_by, _portfolio_json),
    "bmc": Wording("checking", as_json=records),
    "explore": Wording("exploring", _explored, needs_property=False),
    "simulate": Wording("simulating", _simulated, needs_property=False),
    "pdr": Wording("proving", _proofs, _proofs_json),
    "induction": Wording(
        "proving", _inductive_proof, _inductive_proof_json, goal_verdicts, _obligations_held
    ),
    "invariant": Wording("checking"),
    "refutation": Wording("refuting"),
    "novelty": Wording("searching"),
    "conform": Wording("explaining"),
}
"""How the answers of each engine are told."""
