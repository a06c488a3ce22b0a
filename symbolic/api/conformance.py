"""`conform`: whether the log of an implementation is a run of a protocol. `drive`: runs of one drive a system."""

from __future__ import annotations

import random as chances
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

from leadline.symbolic.api.protocols import ProtocolLike, loaded
from leadline.symbolic.api.states import Trace, value_of
from leadline.symbolic.catalog import model_of
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.conform import Conformance, Fits, LogMap, conformance, read_map
from leadline.symbolic.conform.logs import told
from leadline.symbolic.engines import Limits
from leadline.symbolic.engines.explore.simulate import random_run
from leadline.symbolic.lang import Model, Setting, UserError, in_tla
from leadline.symbolic.meaning.trace import action_named, call_of
from leadline.symbolic.trace import Step, Trace as Run, TraceEnd, lines, stored_traces, trace_of_path

Log = str | Path | Sequence[str | Path]


class Differs(AssertionError):
    """A log is no run of the protocol; the message has the event that no step explains, and why."""


class Fitting:
    """The answer whether a log is a run of a protocol. It is true if the log conforms.

    Attributes:
        verdict: "conforms", "does not conform", "out of bounds" or "unknown".
        events: the number of events in the log.
        explained: the most events, from the beginning, that a run explains.
        place: the file and the line of the first event that no step explains; None if the log conforms.
        why: the reason why no step explains it, line by line.
        names: the members of sorts for which names in the log were taken.
        run: the completed run or, of a log that does not conform, that of the longest prefix that fits; None if it
            was not wanted or there is none.
    """

    def __init__(self, found: Conformance, run: Trace | None) -> None:
        self.verdict = str(found.verdict)
        self.events = found.events
        self.explained = found.explained
        self.place = found.place
        self.why = tuple(found.why.lines())
        self.names = dict(found.names)
        self.run = run
        self._headline = found.headline()

    def __bool__(self) -> bool:
        return self.verdict == Fits.CONFORMS

    def __str__(self) -> str:
        told = [] if self.place is None else [self.place, *(f"  {one}" for one in self.why)]
        return "\n".join([self._headline, *told])

    def __repr__(self) -> str:
        return f"<{self._headline}>"


def conform(
    protocol: ProtocolLike,
    log: Log,
    /,
    *,
    map: str | Path | None = None,
    hidden: int = 0,
    by: str = "auto",
    timeout: float | None = None,
    memory: int | None = None,
    run: bool = True,
    parameters: Mapping[str, Setting] | None = None,
    **more: Setting,
) -> Fitting:
    """Decide whether the log of an implementation is a run of a protocol.

    Args:
        protocol: a name, a path, a class, an instance of one, or what `load` returned.
        log: a file of NDJSON, CSV or ITF; several are of nodes without one clock.
        map: a TOML file that says what the fields of the log mean.
        hidden: the most steps before each event that the log need not show.
        by: "values" and "circuits" follow the states that fit, "solver" asks a solver; "auto" takes what is
            cheapest.
        timeout: the most seconds, above 0.
        memory: the most megabytes, 1 or more.
        run: whether to complete the run of a log that conforms.
        parameters: parameters of the protocol whose names are those of arguments here.
        more: parameters of the protocol.

    Raises:
        UserError: if the protocol, the log or the map has mistakes.
    """
    chosen = loaded(protocol, {**more, **(parameters or {})})
    model = model_of(chosen.entry, chosen.settings)
    files = [log] if isinstance(log, (str, Path)) else log
    found = conformance(
        model,
        [Path(one) for one in files],
        LogMap() if map is None else read_map(Path(map)),
        hidden=hidden,
        by=by,
        limits=Limits(timeout, memory).within_machine(),
        longest=None if run else 0,
    )
    return Fitting(found, None if found.run is None else Trace(model, found.run, chosen.entry.source))


def assert_conforms(protocol: ProtocolLike, log: Log, /, **asked: object) -> Fitting:
    """Assert that a log is a run of a protocol: for tests.

    Args:
        protocol: as for `conform`.
        log: as for `conform`.
        asked: the other arguments of `conform`.

    Raises:
        Differs: if it is none, with the event that no step explains.
        UserError: as `conform`.
    """
    # pytest shows only the message, not the way to it.
    __tracebackhide__ = True
    found = conform(protocol, log, **asked)  # type: ignore[arg-type]  # checked there
    if not found:
        raise Differs(str(found))
    return found


Runs = Iterable[Trace | str | Path]


def drive(
    adapter: Callable[[], object],
    protocol: ProtocolLike,
    runs: Runs = (),
    /,
    *,
    random: int = 0,
    steps: int = 50,
    seed: int = 0,
    parameters: Mapping[str, Setting] | None = None,
    **more: Setting,
) -> int:
    """Drive a system through runs of a protocol, and compare it with the protocol after each step.

    The adapter makes a fresh system for each run. The system has a method for each action, of the action's name in
    Python, whose arguments are the picks; `observe()`, which returns parts of the state by the names of variables
    or by paths such as `role[s1]`; and, if it needs one, `close()`.

    Args:
        adapter: a class or a function without arguments.
        protocol: a name, a path, a class, an instance of one, or what `load` returned.
        runs: the runs: traces, or files such as `leadline cover --out` writes.
        random: the number of random runs besides. One that fails is cut down to a short one.
        steps: the most steps of a random run.
        seed: the seed of the random choices.
        parameters: parameters of the protocol whose names are those of arguments here.
        more: parameters of the protocol.

    Returns:
        The number of steps taken.

    Raises:
        Differs: at the first step after which the system differs from the protocol, with the run up to there.
        UserError: if the adapter lacks an action, or what it observes is no part of a state.
    """
    __tracebackhide__ = True
    chosen = loaded(protocol, {**more, **(parameters or {})})
    model = model_of(chosen.entry, chosen.settings)
    driver = _Driver(model, adapter)
    taken = 0
    for run in _runs(model, runs):
        taken += driver.follow(run)
    dice = chances.Random(seed)
    for _ in range(random):
        path = islice(random_run(driver.semantics, dice), steps + 1)
        run = trace_of_path(tuple(one for one in path if one.state is not None), TraceEnd.STOPS)
        try:
            taken += driver.follow(run)
            continue
        except Differs as error:
            failed = error
        driver.follow(driver.shortest(run))
        raise failed  # the system did something else when it was driven again
    return taken


def _runs(model: Model, runs: Runs) -> Iterator[Run]:
    for one in runs:
        if isinstance(one, Trace):
            yield one.run
        else:
            yield from (stored.trace(model) for stored in stored_traces(Path(one)))


class _Driver:
    def __init__(self, model: Model, adapter: Callable[[], object]) -> None:
        self.model, self.adapter = model, adapter
        self.semantics = Semantics(model)

    def follow(self, run: Run) -> int:
        """Take the steps of a run; their number.

        Raises:
            Differs: if the system differs after one.
        """
        __tracebackhide__ = True
        system = self.adapter()
        try:
            for number, stage in enumerate(run.stages):
                if number:
                    self._take(system, stage)
                wrong = self._differences(system, stage)
                if wrong:
                    shown = Run(run.initial_picks, run.initial, run.steps[:number], TraceEnd.STOPS)
                    text = "\n".join(map(str, lines(self.semantics, shown)))
                    where = f"after {call_of(self.model, stage)}" if number else "at the beginning"
                    raise Differs(f"{where} the system differs: {'; '.join(wrong)}\n\n{text}")
        finally:
            close = getattr(system, "close", None)
            if close is not None:
                close()
        return run.length

    def _take(self, system: object, stage: Step) -> None:
        method = getattr(system, stage.action, None)
        if method is None:
            names = ", ".join(one.name for one in self.model.actions)
            what = f"{type(system).__name__} has no method {stage.action}"
            raise UserError(f"{what}: it needs one for each of {names}")
        kinds = {pick.name: pick.type for pick in action_named(self.model, stage.action).picks}
        method(**{name: value_of(kinds[name], x) for name, x in stage.picks.items()})

    def _differences(self, system: object, stage: Step) -> list[str]:
        assert stage.state is not None
        observed: object = getattr(system, "observe")()  # noqa: B009  # it has any type
        if not isinstance(observed, Mapping):
            what = f"{type(system).__name__}.observe() returns {observed!r}"
            raise UserError(f"{what}: a dictionary by variables is needed")
        return [
            f"{part.text} is {in_tla(part.type, part.value)}, and the model says {part.shown(stage.state)}"
            for part in told(self.model, observed)
            if not part.fits(stage.state)
        ]

    def shortest(self, run: Run) -> Run:
        """A run that fails, too, and of which no part can be left out."""
        size = max(1, run.length // 2)
        while True:
            place = 0
            while place < run.length:
                shorter = self._without(run, place, size)
                if self._fails(shorter):
                    run = shorter
                else:
                    place += 1
            if size == 1:
                return run
            size = max(1, size // 2)

    def _without(self, run: Run, place: int, size: int) -> Run:
        """A run without some of its steps, and without those that cannot be taken then."""
        found: list[Step] = []
        state = run.initial
        for step in (*run.steps[:place], *run.steps[place + size :]):
            outcome = self.semantics.outcome(state, step.action, step.picks)
            if outcome is not None and outcome.state is not None:
                state = outcome.state
                found.append(outcome)
        return Run(run.initial_picks, run.initial, tuple(found), TraceEnd.STOPS)

    def _fails(self, run: Run) -> bool:
        try:
            self.follow(run)
        except Differs:
            return True
        return False
