"""The interface of engines.

An engine is one module with a subclass of `Engine`, and one line in `leadline.symbolic.engines.ask.table`. Child
processes, races between solvers, grids, the store and the command line work through this interface alone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from enum import Enum, auto
from typing import TYPE_CHECKING, ClassVar

from leadline.symbolic.engines.ask.query import Listener, Options, Query
from leadline.symbolic.engines.ask.result import Answer, EngineFacts, Part
from leadline.symbolic.engines.run.limits import Limits
from leadline.symbolic.lang import Model
from leadline.symbolic.solve import Solver

if TYPE_CHECKING:
    from leadline.symbolic.meaning import Steps

NewSolver = Callable[[], Solver]
"""Makes a fresh solver."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C ended a search.

    Attributes:
        answer: the answer so far.
        message: how far it is, if the answer does not say it.
    """

    def __init__(self, answer: Answer, message: str = "") -> None:
        super().__init__(message)
        self.answer = answer
        self.message = message


class AboutRuns(Enum):
    """An engine's way with claims about runs: it answers, they are reduced to claims about states, or refused."""

    ANSWERED = auto()
    REDUCED = auto()
    REFUSED = auto()


class Limited(Enum):
    """An engine's way with limits: it runs in a process that is killed, or obeys them itself.

    An alarm is a signal, which only a main thread can set.
    """

    KILLED = auto()
    BY_ALARM = auto()
    BY_ITSELF = auto()


class Engine(ABC):
    """A kind of search or proof.

    Attributes:
        options: the class of its options.
        facts: the class of the facts that it tells besides verdicts.
        takes_solver: whether it takes a solver.
        breadth_first: whether its counterexamples to claims about states are shortest ones.
        runs: its way with claims about runs.
        limited: its way with limits on time and memory.
    """

    options: ClassVar[type[Options]]
    facts: ClassVar[type[EngineFacts]] = EngineFacts
    takes_solver: ClassVar[bool] = True
    breadth_first: ClassVar[bool] = False
    runs: ClassVar[AboutRuns] = AboutRuns.REDUCED
    limited: ClassVar[Limited] = Limited.KILLED

    @property
    def name(self) -> str:
        """The engine's name."""
        return self.options.engine

    @abstractmethod
    def answer(
        self, model: Model, query: Query, new_solver: NewSolver, limits: Limits, listener: Listener
    ) -> Answer:
        """Answer a query in this process.

        Args:
            model: the model that the query is about.
            query: the question; its solver is one by name.
            new_solver: makes a fresh solver; an engine that takes none does not call it.
            limits: the limits to obey, if the engine obeys them itself: see `limited`.
            listener: is told of progress and results.

        Raises:
            ModelError: if the model has no initial state.
            InternalError: if a counterexample does not replay.
        """

    def options_for(self, command: str, model: Model, given: Mapping[str, object]) -> Options:
        """The options of a command for the values that a user gave; None stands for a value left out."""
        return self.options.chosen(given)

    def member(self, depth: int | None) -> Options | None:
        """Its options in a portfolio, whose engines go on until an answer is definite; None if it takes no part.

        Args:
            depth: how many steps the portfolio looks ahead; None until the answer is definite.
        """
        return None

    def takes(self, alone: bool, given: Mapping[str, object]) -> bool:
        """Whether it works with the values that a user gave for its options.

        Args:
            alone: whether only the model's origin knows the actions, so that there are no formulas.
            given: the values.
        """
        return not alone

    def suits(self, model: Model, goal: str) -> str | None:
        """Why a command that leaves the choice to Leadline asks this engine about a property, in words.

        Returns:
            The reason, "" if none need be told; None if the engine does not suit the property.
        """
        return None

    def walking(self, steps: Steps, size: int | None) -> Engine:
        """The engine for a model of which another meaning of its states and steps is at hand.

        Args:
            steps: the meaning, by which an engine may search, and no answer may depend on.
            size: the number of reachable states, if it is known.
        """
        return self

    def parts(self, model: Model, query: Query) -> tuple[Part, ...]:
        """The subjects of the results of an answer, in its order."""
        return tuple((name, None) for name in query.names(model))
