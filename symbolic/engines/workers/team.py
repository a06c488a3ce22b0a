"""The process that directs workers: it begins the exploration, starts them, and puts the findings together."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from leadline.symbolic.concrete import Checked, Exploration, Explorer, Level, Path, Semantics, State
from leadline.symbolic.concrete.paths import path_of
from leadline.symbolic.engines.workers.lines import ready
from leadline.symbolic.engines.workers.partition import partition
from leadline.symbolic.engines.workers.processes import Member, WorkerDied, signals_held, started
from leadline.symbolic.engines.workers.worker import FULL, Report

ENOUGH = 4_000
"""The new states of a level from which on several processes are worth their start."""
_GRACE = 5.0
"""Seconds that a worker has to stop or to answer before it is killed."""
_DEADLOCK, _OUTSIDE = "deadlock", "out of bounds"


class Team(Explorer):
    """An exploration by several processes, from the first level on that has many states.

    It is an `Explorer` until then, and has the same summary. Which of several shortest paths is found may differ
    from one time to the next.

    Args:
        semantics: the meaning of the model.
        properties: as those of `Explorer`, like `depth`, `progress` and `max_states`.
        workers: the number of processes, 2 or more.
    """

    def __init__(
        self,
        semantics: Semantics,
        properties: Sequence[str],
        depth: int | None,
        progress: Callable[[Level], None],
        max_states: int | None,
        workers: int,
    ) -> None:
        super().__init__(semantics, properties, depth, progress, max_states)
        self.workers = workers
        self.members: list[Member] = []
        self._base = self._base_weight = 0
        self._paths: dict[tuple[str, str], Path] = {}
        self._whys: dict[str, str | None] = {}

    def handed_over(self, start: int) -> bool:
        """Have workers explore the rest if there are enough states.

        Raises:
            WorkerDied: if a worker was ended.
            InternalError: if a worker failed.
            MemoryError: if a worker has no memory left.
        """
        if len(self.order) - start < ENOUGH:
            return False
        owner = partition(self.semantics, self.order[start:], self.seen, self.workers)
        self._base, self._base_weight = len(self.order), self.weighed
        try:
            with signals_held():
                self.members = started(self, self.workers, owner, start)
            self._direct()
        finally:
            with signals_held():
                try:
                    self._halt()
                    self._collect()
                finally:
                    for member in self.members:
                        member.end()
        return True

    @property
    def counted(self) -> int:
        return super().counted + sum(one.counted for one in self._reports())

    def weigh(self) -> None:
        if not self.members:
            super().weigh()
        self.weighed = (
            self.weighed
            if not self.members
            else self._base_weight + sum(one.weight for one in self._reports())
        )

    def _reports(self) -> list[Report]:
        return [member.report for member in self.members]

    # -- levels -----------------------------------------------------------------------------------

    def _direct(self) -> None:
        """Have level after level explored until no state is new or a bound is reached."""
        while True:
            self._await()
            stops = [one.stopped for one in self._reports() if one.stopped is not None]
            if stops:
                self.full = FULL in stops
                if not self.full:
                    raise MemoryError
                return
            if not any(one.waiting for one in self._reports()):
                self.complete = True
                return
            with signals_held():
                self._collect()
            self.close_level(self.counted)
            if self.depth is not None and len(self.within) > self.depth:
                return
            for member in self.members:
                member.reported = False
                member.line.send(("go", 0))

    def _await(self) -> None:
        """Wait until every worker has finished its level, or one has stopped."""
        while not all(member.reported for member in self.members):
            # Before waiting too: one that ended between two levels is never heard of again.
            for member in self.members:
                if not member.alive:
                    raise WorkerDied(f"crash: a worker {member.end()}")
            self._hear(None)
            if any(member.report.stopped is not None for member in self.members):
                return

    def _hear(self, seconds: float | None) -> None:
        for line in ready([member.line for member in self.members], seconds):
            next(member for member in self.members if member.line is line).hear()

    def _halt(self) -> None:
        """Have every worker stop where it is, and tell what it has found."""
        for member in self.members:
            member.line.send(("halt", 0))
        end = time.monotonic() + _GRACE
        while any(one.alive and not one.reported for one in self.members) and time.monotonic() < end:
            self._hear(end - time.monotonic())

    # -- findings ---------------------------------------------------------------------------------

    def _collect(self) -> None:
        """Ask for a path to the first of each kind of finding, while its workers live."""
        for member in self.members:
            report = member.report
            self._find((_DEADLOCK, ""), member, report.deadlock)
            self._find((_OUTSIDE, ""), member, report.step_out, outside=True)
            for name, found in zip(self.properties, report.properties, strict=True):
                self._find(("violated", name), member, found.violated_at)
                if self._find((_OUTSIDE, name), member, found.out_at):
                    self._whys[name] = found.why

    def _find(
        self, key: tuple[str, str], member: Member, index: int | None, *, outside: bool = False
    ) -> bool:
        """Whether a path to a finding is new and was found."""
        if index is None or key in self._paths:
            return False
        states = self._trail(member, index)
        if states is None:
            return False
        self._paths[key] = path_of(self.semantics, [*states, None] if outside else states)
        return True

    def _trail(self, member: Member, index: int) -> list[State] | None:
        """The states of a shortest path to a worker's state; None if a worker does not answer."""
        backwards: list[State] = []
        while index >= self._base:
            member.line.send(("trail", index))
            end = time.monotonic() + _GRACE
            while not member.heard:
                if not member.alive or time.monotonic() > end:
                    return None
                self._hear(end - time.monotonic())
            states, index, owner = member.heard.pop()
            backwards += states
            member = self.members[owner]
        return [*self.states_to(index), *reversed(backwards)]

    def summary(self, stopped: str | None = None) -> Exploration:
        found, reports = super().summary(stopped), self._reports()
        names = [action.name for action in self.semantics.model.actions]
        fired = [sum(row) for row in zip(self.fired, *(one.fired for one in reports), strict=True)]
        return replace(
            found,
            generated=sum(fired),
            fired=dict(zip(names, fired[1:], strict=True)),
            deadlocks=found.deadlocks + sum(one.deadlocks for one in reports),
            deadlock=found.deadlock or self._paths.get((_DEADLOCK, "")),
            steps_out_of_bounds=found.steps_out_of_bounds + sum(one.steps_out for one in reports),
            out_of_bounds=found.out_of_bounds or self._paths.get((_OUTSIDE, "")),
            properties={name: self._merged(name, one) for name, one in found.properties.items()},
        )

    def _merged(self, name: str, found: Checked) -> Checked:
        """The findings about a property, with those of the workers."""
        place = self.properties.index(name)
        return Checked(
            found.violation or self._paths.get(("violated", name)),
            found.out_of_bounds or self._paths.get((_OUTSIDE, name)),
            found.why or self._whys.get(name),
            found.violations + sum(one.properties[place].violations for one in self._reports()),
        )
