"""The question whether a log conforms to a model, asked in one way or another."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import islice, permutations, product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leadline.symbolic.concrete import Semantics, State
from leadline.symbolic.conform.events import Cut, Log
from leadline.symbolic.conform.explain import MOST_EXPLAINED, Explained, explained
from leadline.symbolic.conform.logs import LogMap, Reader, opened, read_log
from leadline.symbolic.conform.states import Fit, Forms, Steps, TooManyStates
from leadline.symbolic.engines.ask.result import Cause, Stop
from leadline.symbolic.engines.run.limits import Limits, TimeIsOver, limited, stop_at
from leadline.symbolic.lang import Model, UserError, counted, in_tla, shortened
from leadline.symbolic.trace import Trace, TraceEnd, document, replay, trace_of_path

if TYPE_CHECKING:
    from leadline.symbolic.conform.circuits import Circuits


_LONGEST = 500  # characters of an event that are told


class Fits(StrEnum):
    """Whether a log fits a model."""

    CONFORMS = "conforms"
    DIFFERS = "does not conform"
    OUT_OF_BOUNDS = "out of bounds"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Conformance:
    """Whether a log is a run of a model.

    Attributes:
        verdict: whether it is. Out of bounds: only steps that leave the model's bounds could explain an event,
            so larger parameters decide.
        events: the number of its events.
        explained: the most events, from the beginning, that a run explains.
        by: the way in which runs were searched: "values", "circuits" or "solver".
        run: where it was wanted, a run that explains all events; of a log that does not conform, one that
            explains the longest prefix.
        place: the file and the line of the first event that no step explains, after the longest prefix.
        event: the text of that line.
        why: for that event, what is against each action that it could be.
        names: the members of sorts for which names in the log were taken.
        unread: the fields that the map names and no line has: nothing was compared with them.
        reason: why the verdict is unknown.
        cause: the cause of that, for programs.
        seconds: wall-clock seconds.
    """

    verdict: Fits
    events: int
    explained: int
    by: str
    run: Trace | None = None
    place: str | None = None
    event: str | None = None
    why: Explained = field(default_factory=Explained)
    names: Mapping[str, str] = field(default_factory=dict)
    unread: tuple[str, ...] = ()
    reason: str | None = None
    cause: Cause | None = None
    seconds: float = 0.0

    def __bool__(self) -> bool:
        return self.verdict is Fits.CONFORMS

    def headline(self) -> str:
        """The answer in a sentence."""
        events = counted(self.events, "event")
        if self.verdict is Fits.CONFORMS:
            steps = "" if self.run is None else f" as a run of {counted(self.run.length, 'step')}"
            return f"conforms: {events}{steps}"
        begun = f"the first {counted(self.explained, 'event')} of {self.events:,} are a run of the model"
        begun = begun if self.explained > 1 else f"{self.explained} of {events} is a run of the model"
        if self.verdict is Fits.UNKNOWN:
            return f"unknown: {self.reason}; {begun}"
        told = f"{self.verdict}: {begun}, and no step explains the next"
        if self.verdict is Fits.OUT_OF_BOUNDS:
            return f"{told}; a step on the way leaves the model's bounds, so larger parameters may explain it"
        return told

    def objection(self) -> str:
        """The event that no step explains, and why, in lines; "" if the log conforms or there is no such event."""
        if self.place is None:
            return ""
        head = f"{self.place}: no step explains this, after {self.explained} of"
        shown = shortened(self.event or "", _LONGEST)
        return "\n".join(filter(None, [f"{head} {counted(self.events, 'event')}", shown, *self.why.lines()]))

    def to_json(self, model: Model, source: str) -> dict[str, Any]:
        """The answer as a JSON object."""
        return {
            "verdict": str(self.verdict),
            "events": self.events,
            "explained": self.explained,
            "by": self.by,
            "place": self.place,
            "why": [x.to_json() for x in self.why.attempts],
            "nearest": None if self.why.nearest is None else self.why.nearest.to_json(),
            "names": dict(self.names),
            "unread": list(self.unread),
            "reason": self.reason,
            "seconds": round(self.seconds, 3),
            "run": None if self.run is None else document(model, self.run, source),
        }


MOST_STATES = 1_000_000
"""The most states after an event, unless another number is asked for."""

_MOST_FIXED = 64
"""The most values of a pick that an equation fixes, where no map says whether a log tells it."""
_MOST_MATCHES = 5_040


def conformance(
    model: Model,
    paths: Sequence[Path],
    about: LogMap | None = None,
    *,
    hidden: int = 0,
    by: str = "auto",
    limits: Limits | None = None,
    most_states: int = MOST_STATES,
    longest: int | None = None,
    progress: Callable[[int], None] = lambda _: None,
) -> Conformance:
    """Decide whether a log is a run of a model.

    Args:
        model: the model.
        paths: the log's files; several have no common order but what the map says.
        about: the map of the log's fields.
        hidden: the most steps before an event that the log does not show.
        by: the way: "values" and "circuits" follow the set of states that fit in one form, "solver" asks a solver;
            "auto" has small sets as values and large ones on circuits, and turns to the solver if more than
            `most_states` fit.
        limits: limits on time and memory.
        most_states: the most states after an event.
        longest: the most events of a log whose run is completed, or of a prefix that is the longest one to fit;
            None for any number. A run of a log that conforms is always completed, and replayed, if not values
            alone have found it.
        progress: called now and then with the number of events that are explained.

    Raises:
        UserError: if the log or the map has mistakes.
    """
    begin = time.monotonic()
    about = about or LogMap()
    if about.picks is None:
        fixed = (pick for action in model.actions for pick, _ in action.fixed)
        told = {one.name for one in fixed if one.type.capped <= _MOST_FIXED}
    else:
        told = {name.rpartition(".")[2] for name in about.picks}
    model = replace(model, actions=tuple(one.picking(told) for one in model.actions))
    log, reader = read_log(model, paths, about)
    best: Conformance | None = None
    for names in _matches(reader):
        if names:
            log, _ = read_log(model, paths, about, names)
        found = _asked(model, log, about, hidden, by, limits or Limits(), most_states, longest, progress)
        if best is None or found or found.explained > best.explained:
            matched = {k: x for table in reader.matched.values() for k, x in table.items()}
            unread = tuple(x for x, named in reader.unread.items() if named)
            best = replace(found, names=names or matched, unread=unread)
        if best or best.verdict is Fits.UNKNOWN:
            break
    assert best is not None
    return replace(best, seconds=time.monotonic() - begin)


def _matches(reader: Reader) -> Iterator[Mapping[str, str]]:
    """The ways to match names of the log's with members that the model tells apart; first, those of `reader`.

    Raises:
        UserError: if there are too many.
    """
    yield {}
    uncertain = reader.uncertain
    if not uncertain:
        return
    sure = {k: x for sort, table in reader.matched.items() if sort not in uncertain for k, x in table.items()}
    taken = {sort: {*map(sort.written, reader.taken)} for sort in uncertain}
    free = {sort: [x for x in sort.members if x not in taken[sort]] for sort in uncertain}
    ways = product(*(permutations(free[sort], len(names)) for sort, names in uncertain.items()))
    flat = [name for names in uncertain.values() for name in names]
    for number, way in enumerate(ways):
        if number == _MOST_MATCHES:
            raise UserError(
                f"there are over {_MOST_MATCHES} ways to match {', '.join(flat)} with members of "
                f"{', '.join(sort.name for sort in uncertain)}: say which is which under [names] in a map"
            )
        yield sure | dict(zip(flat, (x for part in way for x in part), strict=True))


def _asked(
    model: Model,
    log: Log,
    about: LogMap,
    hidden: int,
    by: str,
    limits: Limits,
    most_states: int,
    longest: int | None,
    progress: Callable[[int], None],
) -> Conformance:
    semantics = Semantics(model)
    names = [
        one.name for one in model.actions if about.hidden is None or {one.name, one.tla} & {*about.hidden}
    ]
    steps = Steps(semantics, names)
    fit = Fit(steps, log, hidden, most_states, Forms(steps, by, lambda: _circuits(model, names)), progress)
    try:
        with limited(limits):
            if by == "solver":
                return _by_solver(steps, log, hidden, longest)
            try:
                return _by_states(fit, steps, longest)
            except TooManyStates:
                if by == "auto":
                    return _by_solver(steps, log, hidden, longest)
                told = f"over {most_states:,} states fit after {fit.explained:,} events"
                stop = Stop(Cause.STATES, told)
    except (TimeIsOver, MemoryError) as error:
        stop = stop_at(error, limits)
    return Conformance(
        Fits.UNKNOWN, log.size, fit.explained, fit.forms.used, reason=stop.text, cause=stop.cause
    )


def _circuits(model: Model, hidden: Sequence[str]) -> Circuits:
    # Here, since most logs fit few states at a time.
    from leadline.symbolic.conform.circuits import Circuits

    return Circuits(model, hidden)


def _by_states(fit: Fit, steps: Steps, longest: int | None) -> Conformance:
    log = fit.log
    fits = fit.run()
    by = fit.forms.used
    wanted = longest is None or fit.explained <= longest
    if fits:
        # Steps that values have taken need no replay.
        run = _replayed(fit, steps) if wanted or fit.forms.circuits is not None else None
        return Conformance(Fits.CONFORMS, log.size, log.size, by, run)
    if not fit.last:
        told = ", ".join(f"{x.text} = {in_tla(x.type, x.value)}" for x in log.begin)
        reason = f"no initial state has {told}" if told else "there is no initial state"
        return Conformance(Fits.DIFFERS, log.size, 0, by, reason=reason)
    reached = [
        (cut, sorted(states.few(MOST_EXPLAINED).values(), key=repr)) for cut, states in fit.last.items()
    ]
    place, why = _blamed(steps, log, fit.hidden, reached)
    verdict = Fits.OUT_OF_BOUNDS if why.outside or fit.forms.outside else Fits.DIFFERS
    found = Conformance(verdict, log.size, fit.explained, by, place=place, event=_line_of(place), why=why)
    return _with_prefix(found, _replayed(fit, steps)) if wanted else found


def _replayed(fit: Fit, steps: Steps) -> Trace:
    """A run that explains all events, or the longest prefix; replayed."""
    found = trace_of_path(tuple(fit.path()), TraceEnd.STOPS)
    replay(steps.semantics, found)
    return found


def _with_prefix(found: Conformance, run: Trace) -> Conformance:
    """An answer about a log that does not conform, with a run that explains its longest prefix."""
    return replace(found, run=replace(run, why=found.objection() or None))


def _blamed(
    steps: Steps, log: Log, hidden: int, layer: Iterable[tuple[Cut, Sequence[State]]]
) -> tuple[str | None, Explained]:
    """The place of an event that no step explains after the longest prefix, and why."""
    for cut, states in layer:
        for node in log.next(cut):
            reached: dict[State, None] = dict.fromkeys(states)
            front = list(reached)
            for _ in range(hidden):
                front = [x for state in front for x in steps.hidden(state) if x not in reached]
                reached |= dict.fromkeys(front)
            return log.place(node, cut[node]), explained(steps, reached, log.event(node, cut[node]))
    return None, Explained()


def _line_of(place: str | None) -> str | None:
    """The text of a line, such as `log.ndjson:17`; None if there is none, or the file is no file of lines."""
    path, _, number = (place or ".itf").rpartition(":")
    if place is None or path.endswith((".itf", ".itf.json")):
        return None
    with opened(Path(path)) as lines:
        return next(islice(lines, int(number) - 1, None)).decode("utf-8").strip()


def _by_solver(steps: Steps, log: Log, hidden: int, longest: int | None) -> Conformance:
    # Here, since most logs need no solver.
    from leadline.symbolic.conform.solver import FittingRun

    semantics = steps.semantics
    found = FittingRun(semantics.model, log, hidden, steps.hidden_actions).run()
    wanted = longest is None or found.explained <= longest
    if found.run is not None:
        replay(semantics, found.run)
    if found.unknown is not None:
        return Conformance(
            Fits.UNKNOWN, log.size, found.explained, "solver", reason=found.unknown, cause=Cause.SOLVER
        )
    if found.fits:
        return Conformance(Fits.CONFORMS, log.size, log.size, "solver", found.run if wanted else None)
    last = None if found.run is None else found.run.last
    place, why = _blamed(steps, log, hidden, [] if last is None else [(found.cut, [last])])
    verdict = Fits.OUT_OF_BOUNDS if found.outside or why.outside else Fits.DIFFERS
    told = Conformance(
        verdict, log.size, found.explained, "solver", place=place, event=_line_of(place), why=why
    )
    return told if found.run is None or not wanted else _with_prefix(told, found.run)
