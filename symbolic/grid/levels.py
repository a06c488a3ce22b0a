"""Exploration on Spark: a level of the search is one job, with a task for each shard of the states.

    FOLDER/ID/3.json           the findings at level 3, written by the driver when its job is done
    FOLDER/ID/3-1.states       the states of shard 1 that are new at level 3, and where each came from
    FOLDER/ID/3-1-0.block      their successors that fall to shard 0

A task has its shard in memory from the level before, if it runs in the same process, and else makes it again from
the files of states. So a lost executor costs its tasks of one level, and a driver that is started again begins at
the first level that has no findings.
"""

from __future__ import annotations

import hashlib
import io
import json
import pickle
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from leadline.symbolic import bits
from leadline.symbolic.bits.lanes import Words
from leadline.symbolic.bits.search import Findings
from leadline.symbolic.bits.shards import NUMBERS
from leadline.symbolic.catalog import made_again, packed
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.engines.ask.query import Listener, Query
from leadline.symbolic.engines.ask.result import Answer, Cause, Progress, Stop
from leadline.symbolic.engines.explore.circuits import checked
from leadline.symbolic.engines.explore.explore import (
    CIRCUITS,
    ExploreOptions,
    answer_about,
    check_one_form,
    ended,
)
from leadline.symbolic.engines.explore.facts import ExploreFacts
from leadline.symbolic.files import file_bytes
from leadline.symbolic.grid.durable import scratch_folder, write_bytes
from leadline.symbolic.grid.remote import Place, StoreAway
from leadline.symbolic.grid.runs import LOG
from leadline.symbolic.grid.session import SparkSetup, gist
from leadline.symbolic.grid.shipping import packed_work
from leadline.symbolic.grid.spark import REASON, ClassicLink, opened
from leadline.symbolic.grid.workers import SparkGaveUp
from leadline.symbolic.lang import Model, UserError, counted
from leadline.symbolic.meaning import Exploration, Path as Run, path_of

_FORMAT = 2
"""Another number whenever files, or the shards of states, are to be read in another way."""
_LARGEST = 1 << 31
"""The most bytes of a file of states in an object store."""


@dataclass(frozen=True)
class LevelErrand:
    """The work on a level.

    Attributes:
        query: the question, with the options of an exploration.
        properties: the names of the properties to evaluate.
        fingerprint: that of the model.
        protocol: the protocol by value, if the machines cannot find it.
        learned: see `Origin.learned`.
        folder: the folder of the files.
        shards: the number of shards.
        depth: the level, from 0.
        expand: whether to find the successors of its states.
    """

    query: Query
    properties: tuple[str, ...]
    fingerprint: str
    protocol: str | None
    learned: Mapping[str, object]
    folder: Place
    shards: int
    depth: int = 0
    expand: bool = True

    def do(self, number: int) -> bytes:
        """Go through the level in one shard; the findings, and the bytes that were sent, as `pickle` has them."""
        shard = self._shard(number)
        blocks = self._first(shard) if self.depth == 0 else self._received(number)
        level = shard.go(blocks, expand=self.expand)
        new = shard.states[shard.table.size - level.size :]
        self._write(f"{self.depth}-{number}.states", states=new, parents=np.array(shard.parents, np.int64))
        sent = 0
        for place, found in enumerate(shard.out):
            if found:
                sent += self._write(f"{self.depth}-{number}-{place}.block", **bits.joined(found)._asdict())
        _HELD[str(self.folder), number] = self.depth, shard
        return pickle.dumps((level, sent))

    def _shard(self, number: int) -> bits.Shard:
        """The shard after the level before."""
        depth, shard = _HELD.pop((str(self.folder), number), (-1, None))
        if shard is not None and depth == self.depth - 1:
            return shard
        model = made_again(
            self.query.source,
            self.query.settings,
            self.fingerprint,
            protocol=self.protocol,
            learned=self.learned,
        )
        machine = bits.Machine(model)
        claims = [machine.claim(model.properties[name].formula) for name in self.properties]
        shard = bits.Shard(machine, claims, number=number, of=self.shards)
        for earlier in range(self.depth):
            shard.table.add(read(self.folder / f"{earlier}-{number}.states")["states"])
        return shard

    def _first(self, shard: bits.Shard) -> Iterator[bits.Block]:
        for states in bits.initial_states(shard.machine.model):
            own = shard.mine(states)
            yield bits.Block(own, np.full(len(own), -1), np.zeros(len(own), np.uint16))

    def _received(self, number: int) -> Iterator[bits.Block]:
        for sender in range(self.shards):
            path = self.folder / f"{self.depth - 1}-{sender}-{number}.block"
            if path.exists():
                yield bits.Block(**read(path))

    def _write(self, name: str, **arrays: Any) -> int:
        data = io.BytesIO()
        np.savez(data, **arrays)
        write_bytes(self.folder / name, data.getvalue())
        return data.tell()


_HELD: dict[tuple[str, int], tuple[int, bits.Shard]] = {}
"""The shards of this process by their folder and number, each with its level."""


def read(path: Place) -> dict[str, Any]:
    """The arrays of a file."""
    most = path.stat().st_size if isinstance(path, Path) else _LARGEST
    with np.load(io.BytesIO(file_bytes(path, most))) as found:
        return {name: found[name] for name in found.files}


@dataclass
class Divided:
    """An exploration whose states are divided over the machines of Spark.

    Args:
        model: the model.
        query: the question, with the options of an exploration.
        folder: the folder of all such explorations.
        shards: the number of shards.

    Attributes:
        levels: the findings at each level, of each shard.
        sent: the bytes that were sent between shards.
    """

    model: Model
    query: Query
    folder: Place
    shards: int
    levels: list[list[Findings]] = field(default_factory=list)
    sent: int = 0

    def __post_init__(self) -> None:
        self.options = self.query.options_as(ExploreOptions)
        self.names = tuple(self.query.names(self.model))
        # A model that has no circuits is refused before Spark starts.
        self._machine = bits.Machine(self.model)
        about = [_FORMAT, self.model.fingerprint, self.names, self.shards, self.options.depth]
        self.folder = self.folder / hashlib.sha256(repr(about).encode()).hexdigest()[:16]
        self.folder.mkdir(**({"parents": True, "exist_ok": True} if isinstance(self.folder, Path) else {}))
        _read.cache_clear()

    def run(self, do: Callable[[LevelErrand], list[bytes]], tell: Callable[[int, int], None]) -> str | None:
        """Go through the levels.

        Args:
            do: does an errand in each of the shards.
            tell: called after each level with its depth and the number of states.

        Returns:
            Why it has stopped before its end; None if it has not.
        """
        made, protocol = self.model, packed(self.query.source, whole=True)
        about = made.fingerprint, protocol, made.learned, self.folder, self.shards
        errand = LevelErrand(self.query, self.names, *about)
        while not self.levels or any(one.size for one in self.levels[-1]):
            depth, most = len(self.levels), self.options.max_states
            if self.options.depth is not None and depth > self.options.depth:
                return None
            if most is not None and self.states >= most:
                return f"states: stopped at {self.states}"
            self._level(replace(errand, depth=depth, expand=depth != self.options.depth), do)
            tell(depth, self.states)
            if self.model.origin is not None and any(one.failures for one in self.levels[-1]):
                return (
                    None  # The search begins again with wider types, or the step is an error of the module.
                )
        return None

    def _level(self, errand: LevelErrand, do: Callable[[LevelErrand], list[bytes]]) -> None:
        findings = self.folder / f"{errand.depth}.json"
        if findings.exists():
            rows, sent = json.loads(file_bytes(findings))
        else:
            found = [pickle.loads(one) for one in do(errand)]
            rows, sent = [level for level, _ in found], sum(size for _, size in found)
            write_bytes(findings, json.dumps([rows, sent]).encode())
        self.levels.append([Findings(*row) for row in rows])
        self.sent += sent
        for sender in range(self.shards):
            for receiver in range(self.shards):
                with suppress(OSError, StoreAway):
                    (self.folder / f"{errand.depth - 1}-{sender}-{receiver}.block").unlink(missing_ok=True)

    # -- results ----------------------------------------------------------------------------------

    @property
    def states(self) -> int:
        """The number of states found within the constraints."""
        return sum(one.size - one.beyond for level in self.levels for one in level)

    def summary(self, stopped: str | None) -> Exploration:
        """The result.

        Raises:
            ModelError: if there is no initial state.
        """
        semantics = Semantics(self.model)
        every = [one for level in self.levels for one in level]
        fired = [sum(numbers) for numbers in zip(*(one.fired for one in every), strict=True)]
        if not fired[0]:
            raise semantics.no_initial_state()
        within: list[int] = []
        for level in self.levels:
            new = sum(one.size - one.beyond for one in level)
            within += [new + (within[-1] if within else 0)] if new or not within else []
        names = [action.name for action in self.model.actions]
        properties = {}
        for place, name in enumerate(self.names):
            violation = self._run(semantics, partial(_finding, place, 1))
            outside = self._run(semantics, partial(_finding, place, 2))
            number = sum(one.found[place][0] for one in every)
            properties[name] = checked(semantics, name, violation, outside, number)
        complete = not any(one.size for one in self.levels[-1])
        return Exploration(
            states=self.states,
            states_within_steps=within,
            complete=complete,
            stopped=None if complete else stopped,
            generated=sum(fired),
            actions=dict(zip(names, fired[1:], strict=True)),
            deadlocks=sum(one.deadlocks for one in every),
            deadlock=self._run(semantics, lambda one: one.deadlock),
            steps_out_of_bounds=sum(one.failures for one in every),
            out_of_bounds=self._run(semantics, lambda one: one.failure, None),
            properties=properties,
        )

    def _run(self, semantics: Semantics, first: Callable[[Findings], int | None], *more: None) -> Run | None:
        """A shortest run to the first state of a kind, and out of bounds if there is more."""
        for level in self.levels:
            for shard, one in enumerate(level):
                if (number := first(one)) is not None:
                    states = [*map(self._machine.state, self._words(shard, number))]
                    return path_of(semantics, [*states[::-1], *more])
        return None

    def _words(self, shard: int, number: int) -> Iterator[Words]:
        """A state and those before it on a way from an initial one."""
        while True:
            depth, before = 0, 0
            while number >= before + self.levels[depth][shard].size:
                before += self.levels[depth][shard].size
                depth += 1
            found = _read(self.folder / f"{depth}-{shard}.states")
            yield found["states"][number - before]
            parent = int(found["parents"][number - before])
            if parent < 0:
                return
            shard, number = parent >> NUMBERS, parent & (1 << NUMBERS) - 1


_read = lru_cache(64)(read)


def _finding(claim: int, which: int, level: Findings) -> int | None:
    """The first state at a level that is found to violate a claim (1), or to be out of bounds in it (2)."""
    return level.found[claim][which]


def explored(
    model: Model, query: Query, setup: SparkSetup, folder: Place, shards: int | None, listener: Listener
) -> tuple[Answer, int]:
    """Explore on Spark.

    Args:
        model: the model, of formulas.
        query: the question, with the options of an exploration.
        setup: the settings of Spark.
        folder: the folder of such explorations, which all machines reach.
        shards: the number of shards; None for one for each task that Spark runs at once.
        listener: is told of progress.

    Returns:
        The answer, and the bytes that were sent between shards.

    Raises:
        UserError: if Spark does not start, or circuits cannot answer the question.
        SparkGaveUp: if Spark ends before it is done.
    """
    check_levels(model, query)
    with scratch_folder() as scratch:
        log = (folder if isinstance(folder, Path) else scratch) / LOG
        log.parent.mkdir(parents=True, exist_ok=True)
        with opened(setup, log) as link:
            assert isinstance(link, ClassicLink)
            whole = folder.resolve() if isinstance(folder, Path) else folder
            divided = Divided(model, query, whole, shards or link.slots())

            def do(errand: LevelErrand) -> list[bytes]:
                try:
                    return link.each(f"level {errand.depth}", divided.shards, packed_work(errand))
                except Exception as error:
                    why = link.gone(error) or gist(error)[:REASON]
                    raise SparkGaveUp(f"Spark gave up: {why} (its log is {log})") from error

            def tell(depth: int, states: int) -> None:
                text = f"{counted(states, 'state')} within {counted(depth, 'step')}"
                listener.progress(Progress(depth, 0.0, text=text))

            try:
                stopped = divided.run(do, tell)
                stop = None if stopped is None else Stop(Cause.STATES, stopped)
            except SparkGaveUp as error:
                if not divided.levels:
                    raise UserError(str(error)) from error
                stop = Stop(Cause.CRASH, str(error))
    found = divided.summary(None if stop is None else stop.text)
    answer = answer_about(Semantics(model), found, query, {}, stop)
    answer = replace(answer, facts=replace(ExploreFacts.of(found), by=CIRCUITS))
    return ended(answer, divided.options, found, stop, {}), divided.sent


def check_levels(model: Model, query: Query) -> None:
    """Check that levels answer the question.

    Raises:
        UserError: if they do not.
    """
    options = query.options_as(ExploreOptions)
    check_one_form(model, "--master")
    given = {name: value for name, value in asdict(options).items() if value not in (None, False)}
    for name in given.keys() - {"depth", "max_states", "by", "every_state"}:
        raise UserError(f"--{name.replace('_', '-')}: explore --master cannot do that: leave one of them out")
    if options.by not in (None, CIRCUITS):
        raise UserError("--by values: explore --master is on circuits: leave one of them out")
    if model.view is not None and not options.every_state:
        raise UserError(f"the view {model.view.name} is declared: explore --master needs --every-state")
    runs = [one.name for one in query.chosen(model) if one.temporal is not None]
    if runs:
        raise UserError(
            f"explore --master is for claims about states, and {runs[0]} is a claim about runs: name others with "
            "--property"
        )
