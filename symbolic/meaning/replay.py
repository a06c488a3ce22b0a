"""Replay: a meaning takes the steps of a known run again, whether an engine has found it or a file tells it.

A run is believed only if the meaning takes each of its steps, it ends as it says, and its loop is fair.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace

from leadline.symbolic.lang import OutOfBounds
from leadline.symbolic.meaning.interface import Meaning, State, Step, is_within
from leadline.symbolic.meaning.trace import Trace, TraceEnd, states


class Departs(Exception):
    """A run departs from a meaning; the text is the reason."""


class Replayer(ABC):
    """Takes runs again. Each kind of meaning finds steps, and judges claims and fairness, in its own way.

    Args:
        meaning: the states and steps, each state of which stands for itself.
    """

    def __init__(self, meaning: Meaning) -> None:
        self.meaning = meaning

    @abstractmethod
    def taken(self, before: State | None, step: Step) -> Step:
        """The outcome of a step from the state before it, or of a way to begin, which has none before it.

        Raises:
            Departs: if there is no such step.
        """

    @abstractmethod
    def satisfied(self, run: Trace, last: State) -> bool:
        """Whether a run satisfies its property: in its last state or, if it is about runs, as far as it goes.

        Raises:
            Departs: if there is no such property.
            OutOfBounds: if its evaluation goes out of bounds.
        """

    @abstractmethod
    def unfair(self, run: Trace) -> str | None:
        """The fairness that a run which goes on for ever violates, in words; None if it is fair."""

    def retaken(self, run: Trace) -> Trace:
        """A run with the states, actions and picks of its steps. The end is not looked at.

        Raises:
            Departs: at the first step that the meaning does not take.
        """
        path: list[Step] = []
        for number, step in enumerate(run.stages):
            before = path[-1].state if path else None
            try:
                if path and before is None:
                    raise Departs("the trace goes on after a step that goes out of bounds")
                if before is not None and step.state is not None and not self._is_within(before):
                    raise Departs("the state before it is beyond a constraint")
                path.append(self.taken(before, step))
            except Departs as wrong:
                place = f"step {number} ({step.action})" if number else "the initial state"
                raise Departs(f"{place}: {wrong}") from None
        return replace(run.through(path), why=path[-1].why)

    def confirmed(self, run: Trace) -> Trace:
        """A run as `retaken` gives it, that also ends as it says.

        Raises:
            Departs: at the first place that is wrong.
        """
        taken = self.retaken(run)
        wrong = self._wrong_loop(taken) or self.wrong_end(taken, taken.last)
        if wrong is not None:
            raise Departs(f"the end, after step {run.length}: {wrong}")
        return taken

    def disagreement(self, run: Trace) -> str | None:
        """The first place at which a run is wrong, with the reason; None if it is a run as it says."""
        try:
            self.confirmed(run)
        except Departs as wrong:
            return str(wrong)
        return None

    def wrong_end(self, run: Trace, last: State | None) -> str | None:
        """The reason why a run that ends in this state, None if out of bounds, does not end as claimed."""
        out_of_bounds = run.ends is TraceEnd.OUT_OF_BOUNDS
        if last is None:
            told = f"the last step goes out of bounds, and the trace says `{run.ends}`"
            return None if out_of_bounds else told
        if run.ends is TraceEnd.DEADLOCK:
            if not self._is_within(last):
                return "the last state is beyond a constraint: this is not a deadlock"
            enabled = next(iter(self.meaning.successors(last)), None)
            return None if enabled is None else f"{enabled.action} is enabled: this is not a deadlock"
        if run.ends is TraceEnd.STOPS:
            return None
        if run.property is None:
            return "the trace names no property"
        try:
            holds = self.satisfied(run, last)
        except Departs as wrong:
            return str(wrong)
        except OutOfBounds as error:
            return None if out_of_bounds else f"the evaluation of {run.property} goes out of bounds ({error})"
        if out_of_bounds:
            return f"{run.property} evaluates within bounds"
        return f"{run.property} holds" if holds else None

    def _wrong_loop(self, run: Trace) -> str | None:
        """The reason why a run does not go on for ever as it says, or is not fair; None if it does and is."""
        if run.loop is None:
            return None
        visited = list(states(run))
        if run.loop not in range(len(visited)) or len(visited) <= run.length:
            return f"there is no state {run.loop} to go back to"
        if visited[run.loop] != visited[-1]:
            return f"the last state is not the one after step {run.loop}"
        if run.stutters and not self._is_within(visited[-1]):
            return "the last state is beyond a constraint"
        return self.unfair(run)

    def _is_within(self, state: State) -> bool:
        return is_within(self.meaning.constraint, state, outside=False)
